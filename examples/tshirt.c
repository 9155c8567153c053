/* tshirt.c - a T-shirt in a gusty wind: stiffness and five numbers of the wind are recovered from a
   recorded motion, its own or one from another simulator (--mesh FILE.obj --motion FILE.pc2).
   cc -O2 -I. examples/tshirt.c -lm -o tshirt */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_OPTIM_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_FIT_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_fit.h"
#include "dcx_mesh.h"
#include "dcx_page.h"

#include <stdio.h>

enum { UNKNOWNS = 6 };

typedef struct scene {
    dcx_mesh mesh;
    dcx_motion motion; /* the recording */
    dcl_model *model;
    dcl_handle hold[2];
    dcx_fit_variable variables[UNKNOWNS];
    double truth[UNKNOWNS]; /* of our own recording */
    double h, size;
    int own, steps;
    double *result; /* (steps + 1) x n x 3 */
} scene;

static void log_line(dcl_result code, const char *text, void *user)
{
    (void)code;
    (void)user;
    fprintf(stderr, "tshirt: %s\n", text);
}

static void unknown(scene *s, int k, const char *name, const char *unit, dcl_block block, int index,
                    double lower, double upper)
{
    dcx_fit_variable *v = &s->variables[k];
    v->name = name;
    v->unit = unit;
    v->block = block;
    v->index = index;
    v->lower = lower;
    v->upper = upper;
}

static void unknowns(scene *s, double wind, double k_low, double k_high)
{
    unknown(s, 0, "wind x", "N", DCL_PARAM_WIND_FORCE, 0, -wind, wind);
    unknown(s, 1, "wind y", "N", DCL_PARAM_WIND_FORCE, 1, -wind, wind);
    unknown(s, 2, "wind z", "N", DCL_PARAM_WIND_FORCE, 2, -wind, wind);
    unknown(s, 3, "wind frequency", "rad/s", DCL_PARAM_WIND_FREQUENCY, 0, 0.01, 15);
    unknown(s, 4, "wind phase", "rad", DCL_PARAM_WIND_PHASE, 0, -5, 5);
    unknown(s, 5, "stretch", "N/m", DCL_PARAM_STRETCH, 0, k_low, k_high);
}

static int make_model(scene *s, const dcl_model_desc *base, double stiffness)
{
    dcl_model_desc desc = *base;
    int k;
    for (k = 0; k < 2; k++) {
        s->hold[k].kind = DCL_HANDLE_SOFT;
        s->hold[k].stiffness = stiffness;
    }
    desc.vertex_count = s->mesh.vertex_count;
    desc.positions = s->mesh.positions;
    desc.triangle_count = s->mesh.triangle_count;
    desc.triangles = s->mesh.triangles;
    desc.handle_count = 2;
    desc.handles = s->hold;
    desc.logger.log = log_line;
    return dcl_model_create(&desc, &s->model) == DCL_OK ? 0 : -1;
}

/* Our own recording: a generated shirt, a known wind, everything in SI units. */
static int record(scene *s, dcx_error *error)
{
    const double direction[3] = {1, 0.1, 1};
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    dcl_params *params = NULL;
    dcl_state *state = NULL;
    dcl_workspace *workspace = NULL;
    int k, bad;
    for (k = 0; k < 3; k++)
        s->truth[k] = 0.2 * s->variables[0].upper * direction[k] / sqrt(2.01);
    s->truth[3] = 10;
    s->truth[4] = 0.5;
    s->truth[5] = 100;
    bad = dcx_motion_create(&s->motion, s->steps + 1, s->mesh.vertex_count, error) != DCX_OK;
    bad = bad || dcl_params_create(s->model, &params) || dcl_state_create(params, &state) ||
          dcl_workspace_create(s->model, NULL, &workspace);
    for (k = 0; k < UNKNOWNS && !bad; k++)
        bad = dcl_params_set(params, s->variables[k].block, (size_t)s->variables[k].index, 1,
                             &s->truth[k]) != DCL_OK;
    for (k = 0; k <= s->steps && !bad; k++) {
        memcpy(dcx_motion_frame(&s->motion, k), state->x, n3 * sizeof(double));
        bad = k < s->steps && dcl_step(workspace, params, state, s->h, NULL, NULL) != DCL_OK;
    }
    dcl_workspace_destroy(workspace);
    dcl_state_destroy(state);
    dcl_params_destroy(params);
    return bad ? -1 : 0;
}

static int own_scene(scene *s, const dcx_app *app, dcx_error *error)
{
    dcl_model_desc desc = dcl_default_model_desc();
    int shoulders[2];
    s->own = 1;
    s->h = 1.0 / 90;
    s->steps = app->full ? 120 : 60;
    s->size = 0.7;
    if (dcx_mesh_tshirt(&s->mesh, app->full ? 0.025 : 0.06, shoulders, error)) return -1;
    s->hold[0].vertex = shoulders[0];
    s->hold[1].vertex = shoulders[1];
    desc.stretch = 100;
    desc.bend = 1e-4;
    desc.damping = 0.05;
    /* The largest wind is five times gravity on a vertex's share of the 0.2 kg/m^2 shirt. */
    unknowns(s, 5 * 9.81 * 0.2 * 1.0 / s->mesh.vertex_count, 15, 300);
    if (make_model(s, &desc, 2000) || record(s, error)) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "the scene cannot be computed");
        return -1;
    }
    return 0;
}

/* Highest vertices on the left and on the right, where a shirt hangs from. */
static void find_shoulders(scene *s)
{
    double lower[3], upper[3], best[2] = {-INFINITY, -INFINITY}, middle;
    int i;
    dcx_points_bounds(s->mesh.positions, s->mesh.vertex_count, lower, upper);
    middle = 0.5 * (lower[0] + upper[0]);
    for (i = 0; i < s->mesh.vertex_count; i++) {
        int side = s->mesh.positions[3 * i] > middle;
        if (s->mesh.positions[3 * i + 1] <= best[side]) continue;
        best[side] = s->mesh.positions[3 * i + 1];
        s->hold[side].vertex = i;
    }
}

/* A motion from elsewhere, in the units of the published T-shirt scene; the first frame is the rest
   shape. */
static int given_scene(scene *s, const dcx_app *app, dcx_error *error)
{
    dcl_model_desc desc = dcl_default_model_desc();
    double lower[3], upper[3];
    dcx_mesh first;
    memset(&first, 0, sizeof first);
    if (dcx_motion_read(app->motion, &s->motion, app->mesh ? NULL : &first, error)) return -1;
    if (app->mesh) {
        if (dcx_obj_read(app->mesh, &s->mesh, error)) return -1;
    } else {
        s->mesh = first;
    }
    if (s->mesh.vertex_count != s->motion.vertex_count) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "--mesh has %d vertices, --motion has %d",
                      s->mesh.vertex_count, s->motion.vertex_count);
        return -1;
    }
    memcpy(s->mesh.positions, dcx_motion_frame(&s->motion, 0),
           3 * (size_t)s->mesh.vertex_count * sizeof(double));
    s->h = 1.0 / 90;
    s->steps = s->motion.frame_count - 1;
    dcx_points_bounds(s->mesh.positions, s->mesh.vertex_count, lower, upper);
    s->size = dcx_vec_distance(lower, upper);
    find_shoulders(s);
    if (s->mesh.vertex_count == 1426) { /* where the published T-shirt is held */
        s->hold[0].vertex = 901;
        s->hold[1].vertex = 1108;
    }
    desc.stretch = 550;
    desc.bend = 0.01;
    desc.density = 0.124;
    desc.gravity[1] = -9.8;
    unknowns(s, 0.1, 80, 1500);
    if (make_model(s, &desc, 1e4)) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "the mesh is not a cloth");
        return -1;
    }
    return 0;
}

static dcx_optim_method method_of(const char *name)
{
    return !strcmp(name, "lbfgsb")  ? DCX_LBFGSB
           : !strcmp(name, "adam")  ? DCX_ADAM
           : !strcmp(name, "cmaes") ? DCX_CMAES
           : !strcmp(name, "es")    ? DCX_ES
                                    : DCX_LM;
}

/* Windows of `length` steps at every `stride` frames up to `last`. */
static void windows(dcx_fit *fit, int last, int stride, int length)
{
    int k;
    fit->window_count = 0;
    for (k = 0; k < last; k += stride) dcx_fit_window_add(fit, k, length);
}

/* From one start. Short windows first: over a few steps the motion is nearly linear in the force, so
   the only thing that can go wrong is the frequency, and a few values of it are tried. Our own
   recording then gets one long run. That of another simulator cannot be followed for long, since small
   differences grow into other folds: it is fitted in pieces. */
static double recover(scene *s, dcx_fit *fit, dcx_optim_method method, const double *start,
                      double *values)
{
    static const double frequency[5] = {0, 3, 6.5, 10, 13.5};
    double best[UNKNOWNS], lowest = INFINITY, f;
    int k, many = method == DCX_LM ? 1 : 5;
    for (k = 0; k < 10; k++) { /* each with two opposite phases, away from the bounds */
        memcpy(values, start, UNKNOWNS * sizeof(double));
        if (k > 1) values[3] = frequency[k / 2];
        values[4] = remainder(values[4] + (k % 2) * acos(-1.0), 2 * acos(-1.0));
        windows(fit, s->own ? s->steps : 80, s->own ? 10 : 20, s->own ? 2 : 6);
        f = dcx_fit_minimize(fit, method, 8 * many, values).f;
        if (f >= lowest) continue;
        lowest = f;
        memcpy(best, values, sizeof best);
    }
    memcpy(values, best, sizeof best);
    if (s->own) {
        windows(fit, s->steps, 10, 10);
        dcx_fit_minimize(fit, method, 12 * many, values);
    }
    windows(fit, s->own ? s->steps : 120, s->own ? s->steps : 20, s->own ? s->steps : 10);
    return dcx_fit_minimize(fit, method, 12 * many, values).f;
}

/* The wind's sine does not change by full turns of the phase. */
static double difference(const scene *s, const double *values, int k)
{
    double turn = 2 * acos(-1.0), d = values[k] - s->truth[k];
    if (k == 4) d -= turn * floor(d / turn + 0.5);
    return fabs(d) / fabs(s->truth[k]);
}

static double worst_difference(const scene *s, const double *values)
{
    double worst = 0;
    int k;
    for (k = 0; k < UNKNOWNS; k++) worst = fmax(worst, difference(s, values, k));
    return worst;
}

/* The whole motion with the values found; rms distance to the recording. */
static double replay(scene *s, dcx_fit *fit, const double *values)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count, j;
    double sum = 0;
    int k;
    s->result = (double *)calloc((size_t)(s->steps + 1) * n3, sizeof(double));
    if (!s->result) return NAN;
    for (k = 0; k < UNKNOWNS; k++)
        dcl_params_set(fit->params, s->variables[k].block, (size_t)s->variables[k].index, 1,
                       &values[k]);
    dcl_state_reset(fit->state, fit->params);
    for (k = 0; k <= s->steps; k++) {
        const double *y = dcx_motion_frame(&s->motion, k);
        memcpy(s->result + (size_t)k * n3, fit->state->x, n3 * sizeof(double));
        for (j = 0; j < n3; j++) sum += (fit->state->x[j] - y[j]) * (fit->state->x[j] - y[j]);
        if (k < s->steps && dcl_step(fit->workspace, fit->params, fit->state, s->h, NULL, NULL))
            return NAN;
    }
    return sqrt(sum / ((double)(s->steps + 1) * s->mesh.vertex_count));
}

static int write_page(const scene *s, const dcx_fit *fit, const char *path, const double *start,
                      const double *values, dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_row rows[UNKNOWNS];
    dcx_plot_series series;
    dcx_plot_desc chart = dcx_default_plot_desc();
    int k;
    memset(rows, 0, sizeof rows);
    memset(&series, 0, sizeof series);
    for (k = 0; k < UNKNOWNS; k++) {
        rows[k].name = s->variables[k].name;
        rows[k].unit = s->variables[k].unit;
        rows[k].start = start[k];
        rows[k].recovered = values[k];
        rows[k].truth = s->own ? s->truth[k] : NAN;
    }
    series.label = "misfit";
    series.count = fit->evaluations < 512 ? fit->evaluations : 512;
    series.y = fit->history;
    series.style = DCX_PLOT_BEST;
    chart.title = "Misfit of the windows in use";
    chart.x_label = "evaluation";
    chart.y_label = "m^2";
    chart.log_y = 1;
    chart.series_count = 1;
    chart.series = &series;
    page.title = "A T-shirt in the wind";
    page.description = "Stiffness and wind recovered from the motion.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = s->result;
    page.target_frames = s->motion.positions;
    page.row_count = UNKNOWNS;
    page.rows = rows;
    page.chart_count = 1;
    page.charts = &chart;
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

typedef struct outcome {
    double values[UNKNOWNS], start[UNKNOWNS], initial, misfit;
    int recovered, ok;
    double whole; /* rms distance over the whole motion */
} outcome;

static void json_values(dcx_json *j, const scene *s, const char *key, const double *values)
{
    int k;
    dcx_json_object(j, key);
    for (k = 0; k < UNKNOWNS; k++) {
        char name[32];
        size_t i;
        snprintf(name, sizeof name, "%s", s->variables[k].name);
        for (i = 0; name[i]; i++)
            if (name[i] == ' ') name[i] = '_';
        dcx_json_number(j, name, values[k]);
    }
    dcx_json_close(j);
}

static int print_result(dcx_app *app, const scene *s, const dcx_fit *fit, const outcome *out,
                        const char *page, const char *line, dcx_error *error)
{
    const char *text;
    FILE *file;
    dcx_json j;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "tshirt");
    dcx_json_bool(&j, "ok", out->ok);
    dcx_json_integer(&j, "vertices", s->mesh.vertex_count);
    dcx_json_integer(&j, "steps", s->steps);
    dcx_json_number(&j, "h", s->h);
    dcx_json_number(&j, "forward_ms_per_step", 1e3 * fit->forward_seconds / (double)fit->forward_steps);
    dcx_json_number(&j, "backward_ms_per_step",
                    1e3 * fit->backward_seconds / (double)fit->backward_steps);
    dcx_json_number(&j, "residual_max", fit->residual_max);
    dcx_json_integer(&j, "unconverged_steps", fit->unconverged);
    dcx_json_number(&j, "loss_initial", 2 * out->initial);
    dcx_json_number(&j, "loss_final", 2 * out->misfit);
    dcx_json_number(&j, "distance_windows", dcx_fit_distance(out->misfit));
    dcx_json_number(&j, "distance_whole", out->whole);
    dcx_json_integer(&j, "evaluations", fit->evaluations);
    dcx_json_integer(&j, "time_steps", fit->forward_steps + fit->backward_steps);
    if (s->own) json_values(&j, s, "truth", s->truth);
    json_values(&j, s, "recovered", out->values);
    dcx_json_integer(&j, "starts", s->own ? app->seeds : 1);
    if (s->own) dcx_json_integer(&j, "starts_recovered", out->recovered);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, page);
    dcx_json_string(&j, NULL, line);
    dcx_json_close(&j);
    text = dcx_json_finish(&j);
    file = text ? fopen(line, "wb") : NULL;
    if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file)) {
        dcx_json_free(&j);
        dcx_error_set(error, DCX_IO_ERROR, "%s cannot be written", line);
        return -1;
    }
    dcx_app_print_json(app, &j);
    return 0;
}

static void print_values(dcx_app *app, const scene *s, const double *start, const double *values)
{
    int k;
    for (k = 0; k < UNKNOWNS; k++) {
        dcx_app_print(app, "  %-15s %12.6g -> %12.6g %-6s", s->variables[k].name, start[k], values[k],
                      s->variables[k].unit);
        if (s->own)
            dcx_app_print(app, "truth %10.6g, off %.1e", s->truth[k], difference(s, values, k));
        dcx_app_print(app, "\n");
    }
}

/* Random starts inside the bounds; the best result is kept. */
static void run_starts(dcx_app *app, scene *s, dcx_fit *fit, outcome *out)
{
    int k, i, starts = s->own ? app->seeds : 1;
    dcx_random random;
    dcx_random_init(&random, app->seed);
    out->misfit = INFINITY;
    for (k = 0; k < starts; k++) {
        double start[UNKNOWNS], values[UNKNOWNS], f, initial;
        dcx_app_progress(app, "recovering", (double)k / starts);
        for (i = 0; i < UNKNOWNS; i++)
            start[i] = s->variables[i].lower + (s->variables[i].upper - s->variables[i].lower) *
                                                   dcx_random_uniform(&random);
        windows(fit, s->own ? s->steps : 120, s->own ? s->steps : 20, s->own ? s->steps : 10);
        initial = dcx_fit_evaluate(fit, start, NULL, NULL);
        f = recover(s, fit, method_of(app->method), start, values);
        if (s->own) out->recovered += worst_difference(s, values) <= 0.01;
        dcx_app_print(app, "start %d: misfit %.3e -> %.3e\n", k + 1, initial, f);
        print_values(app, s, start, values);
        if (f >= out->misfit) continue;
        out->misfit = f;
        out->initial = initial;
        memcpy(out->values, values, sizeof values);
        memcpy(out->start, start, sizeof start);
    }
    dcx_app_progress(app, "recovering", 1);
}

int main(int argc, char **argv)
{
    dcx_app_desc about =
        dcx_app_default_desc("tshirt", "recovers stiffness and wind from the motion of a T-shirt");
    char page[512], line[512];
    dcx_app app;
    dcx_error error;
    dcx_fit fit;
    outcome out;
    scene s;
    int status;
    about.method = "lm";
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    memset(&s, 0, sizeof s);
    memset(&out, 0, sizeof out);
    if (app.mesh && !app.motion) return dcx_app_fail(&app, "--mesh needs --motion");
    if (app.motion ? given_scene(&s, &app, &error) : own_scene(&s, &app, &error))
        return dcx_app_fail(&app, error.text);
    if (dcx_fit_create(&fit, s.model, s.h, s.motion.positions, s.steps + 1, s.variables, UNKNOWNS))
        return dcx_app_fail(&app, "not enough memory");
    run_starts(&app, &s, &fit, &out);
    out.whole = replay(&s, &fit, out.values);
    out.ok = s.own ? 5 * out.recovered >= 4 * app.seeds
                   : dcx_fit_distance(out.misfit) < 0.01 * s.size;
    dcx_app_print(&app, "rms distance: %.3g %% of the size over the windows, %.3g %% over all frames\n",
                  100 * dcx_fit_distance(out.misfit) / s.size, 100 * out.whole / s.size);
    if (dcx_app_path(&app, "tshirt.html", page, sizeof page, &error) ||
        dcx_app_path(&app, "tshirt.json", line, sizeof line, &error) ||
        write_page(&s, &fit, page, out.start, out.values, &error) ||
        print_result(&app, &s, &fit, &out, page, line, &error))
        return dcx_app_fail(&app, error.text);
    dcx_fit_destroy(&fit);
    free(s.result);
    dcl_model_destroy(s.model);
    dcx_motion_destroy(&s.motion);
    dcx_mesh_destroy(&s.mesh);
    return out.ok ? 0 : 1;
}
