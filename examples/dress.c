/* dress.c - inverse design: the bending stiffness and the density with which the skirt of a
   spinning dress opens to an apex angle of 100 degrees. The cloth does not see itself here: folds
   may cross. cc -O2 -I. examples/dress.c -lm -o dress */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_OPTIM_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_SIM_IMPLEMENTATION
#define DCX_CONTROL_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_control.h"
#include "dcx_mesh.h"
#include "dcx_page.h"
#include "dcx_sim.h"

#include <stdio.h>

static const double wanted = 100; /* degrees */

typedef struct scene {
    dcx_mesh mesh;
    dcl_model_desc desc;
    dcl_model *model;
    dcl_handle *neck;
    int *hem;
    int neck_count, hem_count, steps;
    double h, spin, size, unit; /* spin: rad/s; unit: of the paper's length */
    double waist_height, waist_radius;
    double *path;                                              /* (steps + 1) x neck x 3 */
    double lower[2], upper[2], start_lower[2], start_upper[2]; /* logarithms */
    dcx_control_term *terms;
    double *frames, *handles;
} scene;

/* Six waves that grow towards the hem: folds for the skirt to close in. */
static void make_folds(scene *s, const double waist[2], const double hem[2])
{
    int i;
    for (i = 0; i < s->mesh.vertex_count; i++) {
        double *p = s->mesh.positions + 3 * (size_t)i, t = (waist[1] - p[1]) / (waist[1] - hem[1]);
        if (t > 0) p[1] += 0.04 * t * cos(6 * atan2(p[2], p[0]));
    }
}

/* A fitted top and a wide skirt: a cone of 130 degrees that gravity pulls down and the spin lifts.
 */
static int make_own(scene *s, double spacing, dcx_error *error)
{
    static const double half = 65 * 3.14159265358979323846 / 180, slant = 0.52;
    double profile[2 * 6] = {0.10, 1.00, 0.14, 0.95, 0.15, 0.86, 0.118, 0.68, 0.122, 0.66, 0, 0};
    int first = 0, last = 0, k;
    profile[10] = profile[8] + slant * sin(half);
    profile[11] = profile[9] - slant * cos(half);
    if (dcx_mesh_revolve(&s->mesh, profile, 6, spacing, &first, &last, error)) return -1;
    make_folds(s, profile + 8, profile + 10);
    s->neck = (dcl_handle *)calloc((size_t)first, sizeof *s->neck);
    s->hem = (int *)calloc((size_t)last, sizeof *s->hem);
    if (!s->neck || !s->hem) return -1;
    s->neck_count = first;
    s->hem_count = last;
    for (k = 0; k < first; k++) s->neck[k].vertex = k;
    for (k = 0; k < last; k++) s->hem[k] = s->mesh.vertex_count - last + k;
    s->waist_height = profile[9];
    s->waist_radius = profile[8];
    return 0;
}

/* Of a mesh from elsewhere: the 31 highest vertices are the neck, the lowest 2 % of the height the
   hem, the waist is at 0.6 of the height. */
static int make_given(scene *s, const char *path, dcx_error *error)
{
    double lower[3], upper[3], height, sum = 0, cut = INFINITY;
    const double *x;
    int i, k, near_waist = 0;
    if (dcx_obj_read(path, &s->mesh, error)) return -1;
    dcx_points_fit(s->mesh.positions, s->mesh.vertex_count, 13);
    x = s->mesh.positions;
    dcx_points_bounds(x, s->mesh.vertex_count, lower, upper);
    height = upper[1] - lower[1];
    s->neck = (dcl_handle *)calloc(31, sizeof *s->neck);
    s->hem = (int *)calloc((size_t)s->mesh.vertex_count, sizeof *s->hem);
    if (!s->neck || !s->hem) return -1;
    for (k = 0; k < 31 && k < s->mesh.vertex_count / 2; k++) {
        int best = -1;
        for (i = 0; i < s->mesh.vertex_count; i++)
            if ((x[3 * i + 1] < cut || (k && x[3 * i + 1] == cut && i > s->neck[k - 1].vertex)) &&
                (best < 0 || x[3 * i + 1] > x[3 * best + 1]))
                best = i;
        s->neck[k].vertex = best;
        cut = x[3 * best + 1];
    }
    s->neck_count = k;
    s->waist_height = lower[1] + 0.6 * height;
    for (i = 0; i < s->mesh.vertex_count; i++) {
        if (x[3 * i + 1] < lower[1] + 0.02 * height) s->hem[s->hem_count++] = i;
        if (fabs(x[3 * i + 1] - s->waist_height) > 0.02 * height) continue;
        sum += hypot(x[3 * i], x[3 * i + 2]);
        near_waist++;
    }
    s->waist_radius = near_waist ? sum / near_waist : 0;
    return 0;
}

/* The paper's numbers, or ours in SI units. */
static void make_numbers(scene *s, const dcx_app *app)
{
    int paper = app->paper || app->mesh, k;
    static const double low[2][2] = {{1e-6, 0.05}, {1e-7, 0.01}}, high[2][2] = {{0.5, 1}, {5, 1}};
    static const double from[2][2] = {{5e-5, 0.1}, {1e-3, 0.05}},
                        to[2][2] = {{1e-3, 0.6}, {2, 0.8}};
    s->h = paper ? 1.0 / 120 : app->full ? 0.005 : 0.01;
    s->steps = paper ? 125 : app->full ? 140 : 70;
    s->spin = paper ? 0.02 * 120 : 4.5;
    s->desc.stretch = paper ? 3000 : 300;
    s->desc.bend = 0.01;
    s->desc.density = 0.3;
    s->desc.damping = paper ? 0 : 0.5;
    s->desc.drag = paper ? 0 : 0.3;
    if (paper) s->desc.gravity[1] = -9.8;
    for (k = 0; k < 2; k++) {
        s->lower[k] = log(low[paper][k]);
        s->upper[k] = log(high[paper][k]);
        s->start_lower[k] = log(from[paper][k]);
        s->start_upper[k] = log(to[paper][k]);
    }
}

/* The neck turns about y. */
static void make_path(scene *s)
{
    const double axis[3] = {0, 1, 0};
    int k, i;
    for (k = 0; k <= s->steps; k++) {
        double *frame = s->path + 3 * (size_t)k * (size_t)s->neck_count;
        for (i = 0; i < s->neck_count; i++)
            memcpy(frame + 3 * i, s->mesh.positions + 3 * (size_t)s->neck[i].vertex,
                   3 * sizeof(double));
        dcx_points_turn(frame, s->neck_count, axis, k * s->h * s->spin, NULL);
    }
}

static int scene_create(scene *s, const dcx_app *app, dcx_error *error)
{
    int k;
    dcx_error_set(error, DCX_OUT_OF_MEMORY, "not enough memory");
    s->desc = dcl_default_model_desc();
    s->size = app->mesh ? 13 : 1;
    if (app->mesh ? make_given(s, app->mesh, error)
                  : make_own(s, app->full || app->paper ? 0.03 : 0.0605, error))
        return -1;
    if (app->paper && !app->mesh) { /* a dress 13 tall */
        dcx_points_move(s->mesh.positions, s->mesh.vertex_count, 13, NULL);
        s->waist_height *= 13;
        s->waist_radius *= 13;
        s->size = 13;
    }
    make_numbers(s, app);
    s->path = (double *)calloc((size_t)(s->steps + 1) * 3 * (size_t)s->neck_count, sizeof(double));
    s->terms = (dcx_control_term *)calloc((size_t)s->hem_count, sizeof *s->terms);
    if (!s->path || !s->terms) return -1;
    make_path(s);
    for (k = 0; k < s->hem_count; k++) {
        s->terms[k].frame = s->steps;
        s->terms[k].vertex = s->hem[k];
        s->terms[k].weight[1] = 1.0 / s->hem_count;
    }
    dcx_sim_mesh(&s->desc, &s->mesh);
    s->desc.handle_count = s->neck_count;
    s->desc.handles = s->neck;
    s->desc.handle_frames = s->steps + 1;
    s->desc.logger.log = dcx_log_error;
    s->desc.logger.user = error;
    return dcl_model_create(&s->desc, &s->model) == DCL_OK ? 0 : -1;
}

static void scene_destroy(scene *s)
{
    free(s->frames);
    free(s->path);
    free(s->terms);
    free(s->neck);
    free(s->hem);
    dcl_model_destroy(s->model);
    dcx_mesh_destroy(&s->mesh);
}

/* The neck's path is always the same; the dress spins from the start. */
static int prepare(const scene *s, dcl_params *params)
{
    int i;
    for (i = 0; i < s->mesh.vertex_count; i++) {
        const double *x = s->mesh.positions + 3 * (size_t)i;
        double v[3];
        v[0] = s->spin * x[2];
        v[1] = 0;
        v[2] = -s->spin * x[0];
        if (dcl_params_set(params, DCL_PARAM_V0, 3 * (size_t)i, 3, v) != DCL_OK) return -1;
    }
    return dcl_params_set(params, DCL_PARAM_HANDLE, 0,
                          (size_t)(s->steps + 1) * 3 * (size_t)s->neck_count, s->path) == DCL_OK
               ? 0
               : -1;
}

/* Both unknowns are logarithms. */
static int map(void *user, const double *values, dcl_params *params, double *directions)
{
    double bend = exp(values[0]), density = exp(values[1]);
    (void)user;
    if (dcl_params_set1(params, DCL_PARAM_BEND, bend) != DCL_OK ||
        dcl_params_set1(params, DCL_PARAM_DENSITY, density) != DCL_OK)
        return -1;
    if (directions) {
        directions[dcl_params_offset(params, DCL_PARAM_BEND)] = bend;
        directions[dcl_params_size(params) + dcl_params_offset(params, DCL_PARAM_DENSITY)] =
            density;
    }
    return 0;
}

/* The cone through the waist and the hem, as it is seen: mean radius and mean height of the hem. */
static double apex_angle(const scene *s, const double *x)
{
    double radius = 0, height = 0;
    int k;
    for (k = 0; k < s->hem_count; k++) {
        const double *p = x + 3 * (size_t)s->hem[k];
        radius += hypot(p[0], p[2]) / s->hem_count;
        height += p[1] / s->hem_count;
    }
    return 2 * atan2(radius - s->waist_radius, s->waist_height - height) * 45 / atan(1.0);
}

static double hem_height(const scene *s, const double *x)
{
    double height = 0;
    int k;
    for (k = 0; k < s->hem_count; k++) height += x[3 * (size_t)s->hem[k] + 1] / s->hem_count;
    return height;
}

static void aim_at(scene *s, double height)
{
    int k;
    for (k = 0; k < s->hem_count; k++) s->terms[k].target[1] = height;
}

/* The hem of a skirt that keeps its length, at the wanted angle. */
static double height_of_angle(const scene *s)
{
    double sum = 0;
    int k;
    for (k = 0; k < s->hem_count; k++) {
        const double *p = s->mesh.positions + 3 * (size_t)s->hem[k];
        sum += hypot(hypot(p[0], p[2]) - s->waist_radius, p[1] - s->waist_height);
    }
    return s->waist_height - sum / s->hem_count * cos(0.5 * wanted * atan(1.0) / 45);
}

typedef struct outcome {
    double angle_start, angle;
} outcome;

/* The angle at the end with these values; leaves the motion in frames. */
static double angle_of(scene *s, dcx_control *c, const double *values)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    if (dcx_control_replay(c, values, s->frames, s->handles)) return NAN;
    return apex_angle(s, s->frames + (size_t)s->steps * n3);
}

/* A skirt stretches a little and hangs in folds, so the height that belongs to the angle is only
   known at the end: it is corrected by the angle that is missing, and the search goes on. */
static int refine(scene *s, dcx_control *c, const dcx_app *app, outcome *out)
{
    double target = s->terms[0].target[1], degree = atan(1.0) / 45, drop;
    int round;
    out->angle_start = angle_of(s, c, c->start);
    out->angle = angle_of(s, c, c->best);
    for (round = 0; round < 4 && fabs(out->angle - wanted) > 0.2; round++) {
        drop = s->waist_height - hem_height(s, c->state->x);
        target += drop * tan(0.5 * out->angle * degree) * 0.5 * (wanted - out->angle) * degree;
        aim_at(s, target);
        if (dcx_control_minimize(c, dcx_optim_method_named(app->method), app->seed, c->best))
            return -1;
        c->loss = c->runs[c->run_count - 1].loss_final;
        out->angle = angle_of(s, c, c->best);
    }
    return out->angle == out->angle ? 0 : -1;
}

static int write_page(const scene *s, dcx_control *c, const outcome *out, const char *path,
                      dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_row rows[3];
    dcx_plot_desc chart;
    int k;
    if (dcx_control_chart(c, "(height of the hem - wanted)^2", &chart)) return -1;
    memset(rows, 0, sizeof rows);
    rows[0].name = "bending";
    rows[0].unit = s->size > 1 ? "" : "N m";
    rows[1].name = "density";
    rows[1].unit = s->size > 1 ? "" : "kg/m^2";
    for (k = 0; k < 2; k++) {
        rows[k].start = exp(c->start[k]);
        rows[k].recovered = exp(c->best[k]);
        rows[k].truth = NAN;
    }
    rows[2].name = "apex angle";
    rows[2].unit = "degrees";
    rows[2].start = out->angle_start;
    rows[2].recovered = out->angle;
    rows[2].truth = wanted;
    page.title = "A spinning dress";
    page.description = "Bending stiffness and density with which the skirt opens to 100 degrees.";
    page.notes = "The cloth does not see itself here: folds may cross.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = s->frames;
    page.row_count = 3;
    page.rows = rows;
    page.chart_count = 1;
    page.charts = &chart;
    page.elevation = 8;
    if (s->size > 1) page.length_unit = "";
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

static void print_result(dcx_app *app, const scene *s, const dcx_control *c, const outcome *out,
                         int ok, const char *path)
{
    dcx_json j;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "dress");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_string(&j, "method", app->method);
    dcx_json_integer(&j, "vertices", s->mesh.vertex_count);
    dcx_json_integer(&j, "steps", s->steps);
    dcx_json_number(&j, "h", s->h);
    dcx_control_json(&j, c);
    dcx_json_number(&j, "angle_wanted", wanted);
    dcx_json_number(&j, "angle_start", out->angle_start);
    dcx_json_number(&j, "angle", out->angle);
    dcx_json_object(&j, "recovered");
    dcx_json_number(&j, "bend", exp(c->best[0]));
    dcx_json_number(&j, "density", exp(c->best[1]));
    dcx_json_close(&j);
    dcx_json_bool(&j, "self_contact", 0);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, path);
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

static int run(dcx_app *app, scene *s, dcx_control *c, int *ok, dcx_error *error)
{
    size_t n3, frames;
    dcx_control_desc desc;
    outcome out;
    char path[512];
    if (scene_create(s, app, error) || dcx_app_path(app, "dress.html", path, sizeof path, error))
        return -1;
    n3 = 3 * (size_t)s->mesh.vertex_count;
    frames = (size_t)s->steps + 1;
    s->frames = (double *)calloc(frames * (n3 + 3 * (size_t)s->neck_count), sizeof(double));
    if (!s->frames) return -1;
    s->handles = s->frames + frames * n3;
    aim_at(s, height_of_angle(s));
    desc = dcx_default_control_desc(s->model, s->h, s->steps);
    desc.count = 2;
    desc.lower = s->lower;
    desc.upper = s->upper;
    desc.start_lower = s->start_lower;
    desc.start_upper = s->start_upper;
    desc.map = map;
    desc.user = s;
    desc.blocks = DCL_BLOCK_BIT(DCL_PARAM_BEND) | DCL_BLOCK_BIT(DCL_PARAM_DENSITY);
    desc.term_count = s->hem_count;
    desc.terms = s->terms;
    desc.mean = 1;
    desc.target = 1e-7 * s->size * s->size;
    desc.evaluations = 20;
    if (dcx_control_create(c, &desc) || prepare(s, c->params) || dcx_control_starts(c, app) ||
        refine(s, c, app, &out)) {
        dcx_error_set(error, DCX_OUT_OF_MEMORY, "the motion cannot be computed");
        return -1;
    }
    *ok = fabs(out.angle - wanted) <= 0.5;
    dcx_app_print(app, "bending %.4g, density %.4g: apex angle %.2f degrees (at the start %.2f)\n",
                  exp(c->best[0]), exp(c->best[1]), out.angle, out.angle_start);
    if (write_page(s, c, &out, path, error)) return -1;
    print_result(app, s, c, &out, *ok, path);
    return 0;
}

int main(int argc, char **argv)
{
    dcx_app_desc about =
        dcx_app_default_desc("dress", "stiffness and density of a spinning dress of 100 degrees");
    dcx_app app;
    dcx_error error;
    dcx_control control;
    scene s;
    int status, ok = 0;
    about.seeds = 2;
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (app.motion) return dcx_app_fail(&app, "--motion: no motion is fitted here");
    memset(&s, 0, sizeof s);
    memset(&control, 0, sizeof control);
    memset(&error, 0, sizeof error);
    status = run(&app, &s, &control, &ok, &error) ? dcx_app_fail(&app, error.text) : !ok;
    dcx_control_destroy(&control);
    scene_destroy(&s);
    return status;
}
