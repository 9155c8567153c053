/* hat.c - assisted dressing: two grippers put a hat on a head. Their paths, 18 numbers, are found
   from the gradient of where the hat ends; then they let go.
   cc -O2 -I. examples/hat.c -lm -o hat */
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

enum { GRIPPERS = 2, UNKNOWNS = 9 * GRIPPERS, JAW = 3, HANDLES = GRIPPERS * JAW };

typedef struct scene {
    dcx_mesh mesh;
    dcl_model_desc desc;
    dcl_model *model;
    dcl_obstacle head;
    dcl_handle hold[HANDLES];
    double places[3 * HANDLES]; /* where the handles start, gripper by gripper */
    double grip[3 * GRIPPERS];  /* where the grippers start */
    int jaw;                    /* vertices that a gripper holds */
    double shift[3];            /* from the first place of the hat to the one on the head */
    double size, h;
    int steps, after; /* led by the grippers, and let go */
    double lower[UNKNOWNS], upper[UNKNOWNS], start_lower[UNKNOWNS], start_upper[UNKNOWNS];
    dcx_control_term *terms;
    double *frames, *target, *handles;
} scene;

static void set3(double v[3], double x, double y, double z)
{
    v[0] = x;
    v[1] = y;
    v[2] = z;
}

/* The hat, the head and the numbers of the scene in its own units: SI or the paper's. */
static int make_hat(scene *s, const dcx_app *app, dcx_error *error)
{
    double centre[3], unit;
    int paper = app->paper || app->mesh, grips[2] = {0, 0};
    s->desc = dcl_default_model_desc();
    s->size = paper ? 6 : 0.36;
    unit = s->size / 6;
    if (app->mesh ? dcx_obj_read(app->mesh, &s->mesh, error)
                  : dcx_mesh_hat(&s->mesh, app->full || app->paper ? 0.019 : 0.03, grips, error))
        return -1;
    if (app->mesh) {
        const double left[3] = {-1e3, 0, 0}, right[3] = {1e3, 0, 0};
        dcx_points_fit(s->mesh.positions, s->mesh.vertex_count, s->size);
        grips[0] = dcx_points_nearest(s->mesh.positions, s->mesh.vertex_count, left);
        grips[1] = dcx_points_nearest(s->mesh.positions, s->mesh.vertex_count, right);
        if (s->mesh.vertex_count == 579) grips[0] = 394, grips[1] = 32; /* the paper's hat */
    } else {
        dcx_points_move(s->mesh.positions, s->mesh.vertex_count, s->size / 0.36, NULL);
    }
    s->hold[0].vertex = grips[0];
    s->hold[JAW].vertex = grips[1];
    set3(s->shift, 0, 1.754 * unit, -8 * unit);
    /* Our hat has a narrower crown than the paper's, and a head that fits into it. */
    if (app->mesh)
        set3(centre, 0, 0.494, -8);
    else
        set3(centre, 0, s->shift[1] + 0.022 / 0.36 * s->size, s->shift[2]);
    s->head = dcl_sphere(centre, app->mesh ? 2.1 : 0.092 / 0.36 * s->size, 0.1);
    s->h = paper ? 0.01 : 0.0125;
    s->steps = paper ? 400 : app->full ? 200 : 80;
    if (!paper && app->full) s->h = 0.005;
    s->after = s->steps / 2;
    s->desc.stretch = paper ? 1200 : 200;
    s->desc.bend = paper ? 120 : 0.05;
    s->desc.density = paper ? 0.224 : 0.3;
    s->desc.damping = paper ? 0 : 2;
    if (paper) s->desc.gravity[1] = -9.8;
    return 0;
}

/* A gripper's jaw closes on the JAW vertices nearest to its point, so that it also holds the
   direction of the edge; the paper's holds one vertex. */
static void close_jaws(scene *s, const dcx_app *app)
{
    int g, k, i, j;
    s->jaw = app->paper || app->mesh ? 1 : JAW;
    for (g = 0; g < GRIPPERS; g++) {
        int first = s->hold[g * JAW].vertex, *out;
        const double *at = s->mesh.positions + 3 * (size_t)first;
        int chosen[JAW];
        chosen[0] = first;
        memcpy(s->grip + 3 * g, at, 3 * sizeof(double));
        for (k = 1; k < s->jaw; k++) {
            double best = INFINITY;
            out = &chosen[k];
            for (i = 0; i < s->mesh.vertex_count; i++) {
                double d = dcx_vec_distance(s->mesh.positions + 3 * (size_t)i, at);
                for (j = 0; j < k && chosen[j] != i; j++) continue;
                if (j < k || d >= best) continue;
                best = d;
                *out = i;
            }
        }
        for (k = 0; k < s->jaw; k++) {
            dcl_handle *hold = &s->hold[g * s->jaw + k];
            hold->vertex = chosen[k];
            hold->kind = DCL_HANDLE_SOFT;
            hold->stiffness = app->paper || app->mesh ? 1e4 : 300;
            memcpy(s->places + 3 * (g * s->jaw + k), s->mesh.positions + 3 * (size_t)chosen[k],
                   3 * sizeof(double));
        }
    }
}

/* Bounds of the unknowns: the paper's box for the end points, wide tangents. */
static void make_bounds(scene *s, const dcx_app *app)
{
    static const double low[3] = {-5, -1.5, -14}, high[3] = {7, 10, 5};
    double unit = s->size / 6;
    int g, a, k;
    for (g = 0; g < GRIPPERS; g++)
        for (a = 0; a < 3; a++)
            for (k = 0; k < 3; k++) {
                int at = 9 * g + 3 * k + a;
                double middle = k == 0   ? s->grip[3 * g + a] + 0.5 * s->shift[a]
                                : a == 1 ? (k == 1 ? 2 : -2) * s->size
                                         : 0;
                s->lower[at] = unit * (k ? -50 : low[a]);
                s->upper[at] = unit * (k ? 50 : high[a]);
                /* Starts: the paper's box, else arcs that lift the hat first, half the way. */
                s->start_lower[at] = app->paper ? s->lower[at] : middle - 0.3 * s->size;
                s->start_upper[at] = app->paper ? s->upper[at] : middle + 0.3 * s->size;
            }
}

static int make_terms(scene *s, dcx_error *error)
{
    int i, a;
    s->terms = (dcx_control_term *)calloc((size_t)s->mesh.vertex_count, sizeof *s->terms);
    if (!s->terms) {
        dcx_error_set(error, DCX_OUT_OF_MEMORY, "not enough memory");
        return -1;
    }
    for (i = 0; i < s->mesh.vertex_count; i++) {
        s->terms[i].frame = s->steps;
        s->terms[i].vertex = i;
        for (a = 0; a < 3; a++) {
            s->terms[i].target[a] = s->mesh.positions[3 * i + a] + s->shift[a];
            s->terms[i].weight[a] = 1.0 / s->mesh.vertex_count;
        }
    }
    return 0;
}

static int scene_create(scene *s, const dcx_app *app, dcx_error *error)
{
    if (make_hat(s, app, error)) return -1;
    close_jaws(s, app);
    make_bounds(s, app);
    dcx_sim_mesh(&s->desc, &s->mesh);
    s->desc.obstacle_count = 1;
    s->desc.obstacles = &s->head;
    s->desc.handle_count = GRIPPERS * s->jaw;
    s->desc.handles = s->hold;
    s->desc.handle_frames = s->steps + 1;
    s->desc.logger.log = dcx_log_error;
    s->desc.logger.user = error;
    if (dcl_model_create(&s->desc, &s->model) != DCL_OK) return -1;
    return make_terms(s, error);
}

static void scene_destroy(scene *s)
{
    free(s->frames);
    free(s->terms);
    dcl_model_destroy(s->model);
    dcx_mesh_destroy(&s->mesh);
}

static int map(void *user, const double *values, dcl_params *params, double *directions)
{
    const scene *s = (const scene *)user;
    size_t size = dcl_params_size(params);
    int g;
    for (g = 0; g < GRIPPERS; g++)
        if (dcx_gripper_path(params, GRIPPERS * s->jaw, g * s->jaw, s->jaw, s->steps,
                             s->places + 3 * g * s->jaw, s->grip + 3 * g, values + 9 * g,
                             directions ? directions + (size_t)(9 * g) * size : NULL))
            return -1;
    return 0;
}

static double distance_to_target(const scene *s, const double *x)
{
    double sum = 0;
    int i;
    for (i = 0; i < s->mesh.vertex_count; i++) {
        double d = dcx_vec_distance(x + 3 * (size_t)i, s->terms[i].target);
        sum += d * d;
    }
    return sqrt(sum / s->mesh.vertex_count);
}

typedef struct outcome {
    double end, rest; /* rms distance to the place on the head: when let go, and at the very end */
    double fall;      /* how far the top of the hat still moves in the last tenth of the playback */
    int contacts;     /* vertices that touch the head at the very end */
} outcome;

/* Lets go: the same hat without handles, from the last frame on. */
static int let_go(scene *s, dcx_control *c, outcome *out)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    dcl_model_desc desc = s->desc;
    dcx_sim sim;
    int k, bad;
    desc.handle_count = 0;
    desc.handles = NULL;
    bad = dcx_sim_create(&sim, &desc);
    if (!bad) {
        memcpy(sim.state->x, c->state->x, n3 * sizeof(double));
        memcpy(sim.state->v, c->state->v, n3 * sizeof(double));
    }
    for (k = 1; k <= s->after && !bad; k++) {
        bad = dcl_step(sim.workspace, sim.params, sim.state, s->h, NULL, NULL) != DCL_OK;
        memcpy(s->frames + (size_t)(s->steps + k) * n3, sim.state->x, n3 * sizeof(double));
    }
    if (!bad) {
        out->contacts = dcl_workspace_get_contacts(sim.workspace, 0, NULL);
        out->rest = distance_to_target(s, sim.state->x);
        out->fall = dcx_vec_distance(
            sim.state->x, s->frames + (size_t)(s->steps + s->after - s->after / 10) * n3);
    }
    dcx_sim_destroy(&sim);
    return bad;
}

static int replay(scene *s, dcx_control *c, outcome *out)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count, h3 = 3 * (size_t)(GRIPPERS * s->jaw), k, i;
    size_t frames = (size_t)(s->steps + s->after + 1);
    s->frames = (double *)calloc(frames * (2 * n3 + h3), sizeof(double));
    if (!s->frames) return -1;
    s->target = s->frames + frames * n3;
    s->handles = s->target + frames * n3;
    for (k = 0; k < frames; k++)
        for (i = 0; i < n3; i++) s->target[k * n3 + i] = s->terms[i / 3].target[i % 3];
    if (dcx_control_replay(c, c->best, s->frames, s->handles)) return -1;
    out->end = distance_to_target(s, c->state->x);
    for (k = (size_t)s->steps + 1; k < frames; k++)
        memcpy(s->handles + k * h3, s->handles + (size_t)s->steps * h3, h3 * sizeof(double));
    return let_go(s, c, out);
}

static int write_page(const scene *s, dcx_control *c, const dcx_app *app, const char *path,
                      dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_obstacle ball;
    dcx_plot_desc chart;
    double pose[7];
    if (dcx_control_chart(c, app->paper || app->mesh ? "loss" : "m^2", &chart)) return -1;
    dcx_page_ball(&ball, pose, "head", s->head.position, s->head.size[0]);
    page.title = "A hat for a head";
    page.description =
        "Two grippers put the hat on the head and let go. Their paths are found from "
        "the gradient of where the hat ends.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + s->after + 1;
    page.frame_seconds = s->h;
    page.frames = s->frames;
    page.target_frames = s->target;
    page.obstacle_count = 1;
    page.obstacles = &ball;
    page.handle_count = GRIPPERS * s->jaw;
    page.handles = s->handles;
    page.handle_label = "grippers";
    page.chart_count = 1;
    page.charts = &chart;
    page.azimuth = 60;
    if (app->paper || app->mesh) page.length_unit = "";
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

static void print_result(dcx_app *app, const scene *s, const dcx_control *c, const outcome *out,
                         int ok, const char *path)
{
    dcx_json j;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "hat");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_string(&j, "method", app->method);
    dcx_json_integer(&j, "vertices", s->mesh.vertex_count);
    dcx_json_integer(&j, "steps", s->steps);
    dcx_json_number(&j, "h", s->h);
    dcx_json_integer(&j, "unknowns", UNKNOWNS);
    dcx_control_json(&j, c);
    dcx_json_number(&j, "distance_end", out->end);
    dcx_json_number(&j, "distance_let_go", out->rest);
    dcx_json_integer(&j, "contacts_let_go", out->contacts);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, path);
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

/* The aim: less than 1 % of the loss is left, and the hat stays on the head after it is let go. */
static int check(const scene *s, const dcx_control *c, const outcome *out)
{
    return c->loss < 0.01 * c->loss_start && out->contacts > 0 && out->rest < 0.1 * s->size &&
           out->fall < 0.02 * s->size;
}

static int run(dcx_app *app, scene *s, dcx_control *c, int *ok, dcx_error *error)
{
    dcx_control_desc desc;
    outcome out;
    char path[512];
    if (scene_create(s, app, error) || dcx_app_path(app, "hat.html", path, sizeof path, error))
        return -1;
    memset(&out, 0, sizeof out);
    desc = dcx_default_control_desc(s->model, s->h, s->steps);
    desc.count = UNKNOWNS;
    desc.lower = s->lower;
    desc.upper = s->upper;
    desc.start_lower = s->start_lower;
    desc.start_upper = s->start_upper;
    desc.map = map;
    desc.target = 1e-4 * s->size * s->size; /* 1 % of the width */
    desc.evaluations = app->full || app->paper ? 60 : 30;
    desc.user = s;
    desc.blocks = DCL_BLOCK_BIT(DCL_PARAM_HANDLE);
    desc.term_count = s->mesh.vertex_count;
    desc.terms = s->terms;
    if (dcx_control_create(c, &desc) || dcx_control_starts(c, app) || replay(s, c, &out)) {
        if (!error->text[0])
            dcx_error_set(error, DCX_OUT_OF_MEMORY, "the motion cannot be computed");
        return -1;
    }
    *ok = check(s, c, &out);
    dcx_app_print(
        app,
        "rms distance from the place on the head, %% of the hat's width: %.2g at the end, "
        "%.2g after letting go; %d vertices touch the head\n",
        100 * out.end / s->size, 100 * out.rest / s->size, out.contacts);
    if (write_page(s, c, app, path, error)) return -1;
    print_result(app, s, c, &out, *ok, path);
    return 0;
}

int main(int argc, char **argv)
{
    dcx_app_desc about = dcx_app_default_desc("hat", "two grippers put a hat on a head");
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
