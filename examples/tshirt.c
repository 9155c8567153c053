/* tshirt.c - a T-shirt in a gusty wind: stiffness and five numbers of the wind are recovered from a
   recorded motion, its own or one from another simulator (--mesh FILE.obj --motion FILE.pc2).
   cc -O2 -I. examples/tshirt.c -lm -o tshirt */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_OPTIM_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_SIM_IMPLEMENTATION
#define DCX_FIT_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_fit.h"
#include "dcx_mesh.h"
#include "dcx_page.h"
#include "dcx_sim.h"

#include <stdio.h>

enum { UNKNOWNS = 6, TRIES = 10, KEPT = 3, CURVES = 6, EARLY = 30 };

typedef struct scene {
    dcx_mesh mesh;
    dcx_motion motion; /* the recording */
    dcl_model *model, *shown; /* the second feels itself; for the playback */
    dcl_handle hold[2];
    dcx_fit_variable variables[UNKNOWNS];
    double truth[UNKNOWNS]; /* of our own recording */
    double h, size;
    int own, steps;
    double *result, *target; /* (steps + 1) x n x 3, of the playback; target: of our own recording */
} scene;

static void unknowns(scene *s, double wind, double k_low, double k_high)
{
    dcx_fit_unknown(s->variables + 0, "wind x", "N", DCL_PARAM_WIND_FORCE, 0, -wind, wind);
    dcx_fit_unknown(s->variables + 1, "wind y", "N", DCL_PARAM_WIND_FORCE, 1, -wind, wind);
    dcx_fit_unknown(s->variables + 2, "wind z", "N", DCL_PARAM_WIND_FORCE, 2, -wind, wind);
    dcx_fit_unknown(s->variables + 3, "wind frequency", "rad/s", DCL_PARAM_WIND_FREQUENCY, 0, 0.01,
                    15);
    dcx_fit_unknown(s->variables + 4, "wind phase", "rad", DCL_PARAM_WIND_PHASE, 0, -5, 5);
    dcx_fit_unknown(s->variables + 5, "stretch", "N/m", DCL_PARAM_STRETCH, 0, k_low, k_high);
}

static int make_model(scene *s, const dcl_model_desc *base, double stiffness, dcx_error *error)
{
    dcl_model_desc desc = *base;
    int k;
    for (k = 0; k < 2; k++) {
        s->hold[k].kind = DCL_HANDLE_SOFT;
        s->hold[k].stiffness = stiffness;
    }
    dcx_sim_mesh(&desc, &s->mesh);
    desc.handle_count = 2;
    desc.handles = s->hold;
    desc.logger.log = dcx_log_error;
    desc.logger.user = error;
    if (dcl_model_create(&desc, &s->model) != DCL_OK) return -1;
    desc.self_contact = DCL_SELF_SURFACE;
    desc.self_overlap = 1;
    return dcl_model_create(&desc, &s->shown) == DCL_OK ? 0 : -1;
}

/* A whole motion from the values of the unknowns. */
static int play(const scene *s, const dcl_model *model, const double *values, double *frames)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    dcl_params *params = NULL;
    dcl_state *state = NULL;
    dcl_workspace *workspace = NULL;
    int k, bad = dcl_params_create(model, &params) || dcl_state_create(params, &state) ||
                 dcl_workspace_create(model, NULL, &workspace);
    for (k = 0; k < UNKNOWNS && !bad; k++)
        bad = dcl_params_set(params, s->variables[k].block, (size_t)s->variables[k].index, 1,
                             &values[k]) != DCL_OK;
    for (k = 0; k <= s->steps && !bad; k++) {
        memcpy(frames + (size_t)k * n3, state->x, n3 * sizeof(double));
        bad = k < s->steps && dcl_step(workspace, params, state, s->h, NULL, NULL) != DCL_OK;
    }
    dcl_workspace_destroy(workspace);
    dcl_state_destroy(state);
    dcl_params_destroy(params);
    return bad ? -1 : 0;
}

/* Our own recording: a generated shirt, a known wind, everything in SI units. */
static int record(scene *s, dcx_error *error)
{
    const double direction[3] = {1, 0.1, 1};
    int k;
    for (k = 0; k < 3; k++)
        s->truth[k] = 0.2 * s->variables[0].upper * direction[k] / sqrt(2.01);
    s->truth[3] = 10;
    s->truth[4] = 0.5;
    s->truth[5] = 100;
    return dcx_motion_create(&s->motion, s->steps + 1, s->mesh.vertex_count, error) ||
                   play(s, s->model, s->truth, s->motion.positions)
               ? -1
               : 0;
}

static int own_scene(scene *s, const dcx_app *app, dcx_error *error)
{
    dcl_model_desc desc = dcl_default_model_desc();
    int shoulders[2];
    s->own = 1;
    s->h = 1.0 / 90;
    s->steps = app->full ? 120 : 60;
    s->size = 0.7;
    if (dcx_mesh_tshirt(&s->mesh, app->full ? 0.025 : 0.044, shoulders, error)) return -1;
    s->hold[0].vertex = shoulders[0];
    s->hold[1].vertex = shoulders[1];
    desc.stretch = 100;
    desc.bend = 1e-4;
    desc.damping = 0.05;
    /* The largest wind is five times gravity on a vertex's share of the 0.2 kg/m^2 shirt. */
    unknowns(s, 5 * 9.81 * 0.2 * 1.0 / s->mesh.vertex_count, 15, 300);
    return make_model(s, &desc, 2000, error) || record(s, error) ? -1 : 0;
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
    if (dcx_app_motion(app, 3, &s->mesh, &s->motion, error)) return -1;
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
    return make_model(s, &desc, 1e4, error);
}

/* Windows of `length` steps at every `stride` frames up to `last`. */
static void windows(dcx_fit *fit, int last, int stride, int length)
{
    int k;
    fit->window_count = 0;
    for (k = 0; k < last; k += stride) dcx_fit_window_add(fit, k, length);
}

/* The windows of the last stage. Our own recording is fitted in one long run. That of another
   simulator cannot be followed for long, since small differences grow into other folds: it is
   fitted in pieces. */
static void last_windows(const scene *s, dcx_fit *fit)
{
    windows(fit, s->own ? s->steps : 60, s->own ? s->steps : 10, s->own ? s->steps : 10);
}

typedef struct attempt {
    double values[UNKNOWNS], f;
} attempt;

static int by_misfit(const void *a, const void *b)
{
    double d = ((const attempt *)a)->f - ((const attempt *)b)->f;
    return (d > 0) - (d < 0);
}

/* The frequency is what can go wrong, so five values of it are tried, each with two opposite phases
   away from the bounds. Over windows of a few steps the motion is nearly linear in the force: a few
   evaluations tell which of them are worth more, and one that fits needs no rivals. */
static void search(dcx_app *app, const scene *s, dcx_fit *fit, const double *start, double *values,
                   double part, double share)
{
    static const double frequency[TRIES / 2] = {0, 3, 6.5, 10, 13.5};
    const double pi = acos(-1.0);
    dcx_optim_method method = dcx_optim_method_named(app->method);
    int k, many = method == DCX_LM ? 1 : 5;
    attempt tries[TRIES];
    double fits;
    windows(fit, s->own ? s->steps : 60, s->own ? 10 : 20, s->own ? 2 : 6);
    fits = 1e-6 * dcx_fit_evaluate(fit, start, NULL, NULL);
    for (k = 0; k < TRIES; k++) {
        attempt *t = &tries[k];
        memcpy(t->values, start, UNKNOWNS * sizeof(double));
        if (k > 1) t->values[3] = frequency[k / 2];
        t->values[4] = remainder(t->values[4] + (k % 2) * pi, 2 * pi);
        t->f = dcx_fit_minimize(fit, method, (s->own ? 6 : 4) * many, t->values).f;
        dcx_app_progress(app, "recovering", part + share * k / TRIES);
        if (t->f <= fits) break;
    }
    if (k < TRIES) tries[0] = tries[k];
    for (k = k < TRIES ? KEPT : 0; k < KEPT; k++) {
        if (k == 0) qsort(tries, TRIES, sizeof *tries, by_misfit);
        tries[k].f = dcx_fit_minimize(fit, method, 5 * many, tries[k].values).f;
        if (tries[k].f < tries[0].f) tries[0] = tries[k];
    }
    memcpy(values, tries[0].values, sizeof tries[0].values);
}

/* Over windows that grow. */
static double recover(const scene *s, dcx_fit *fit, dcx_optim_method method, double *values)
{
    const double turn = 2 * acos(-1.0);
    int many = method == DCX_LM ? 1 : 5;
    double f;
    if (s->own) {
        windows(fit, s->steps, 10, 10);
        dcx_fit_minimize(fit, method, 10 * many, values);
    }
    last_windows(s, fit);
    f = dcx_fit_minimize(fit, method, 10 * many, values).f;
    values[4] = remainder(values[4], turn);
    return f;
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

typedef struct outcome {
    double values[UNKNOWNS], start[UNKNOWNS], initial, misfit;
    int recovered, ok;
    double early, whole; /* rms distance over the first frames and over all */
    int first[CURVES], end[CURVES], curves; /* the starts, in the history of misfits */
} outcome;

/* The whole motion with the values found, in one run from the first frame: how far it is from the
   recording, and then, for the playback, the same with layers that feel each other. */
static int replay(scene *s, outcome *out)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count, j;
    size_t size = (size_t)(s->steps + 1) * n3;
    double sum = 0;
    int k;
    s->result = (double *)calloc(2 * size, sizeof(double));
    if (!s->result || play(s, s->model, out->values, s->result)) return -1;
    for (k = 0; k <= s->steps; k++) {
        const double *y = dcx_motion_frame(&s->motion, k), *x = s->result + (size_t)k * n3;
        for (j = 0; j < n3; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
        out->whole = sqrt(sum / ((double)(k + 1) * s->mesh.vertex_count));
        if (k <= EARLY) out->early = out->whole;
    }
    s->target = s->own ? s->result + size : s->motion.positions;
    return play(s, s->shown, out->values, s->result) ||
           (s->own && play(s, s->shown, s->truth, s->target));
}

/* The misfit of every evaluation: in attempts over short windows, then over longer ones. */
static void make_chart(const dcx_fit *fit, const outcome *out, dcx_plot_series *series,
                       dcx_plot_desc *chart)
{
    static const char *const labels[CURVES] = {"start 1", "start 2", "start 3",
                                               "start 4", "start 5", "start 6"};
    int k;
    memset(series, 0, CURVES * sizeof *series);
    for (k = 0; k < out->curves; k++) {
        series[k].label = labels[k];
        series[k].count = out->end[k] - out->first[k];
        series[k].y = fit->history + out->first[k];
        series[k].style = DCX_PLOT_BEST;
    }
    *chart = dcx_default_plot_desc();
    chart->title = "Misfit, from short windows to the whole motion";
    chart->x_label = "evaluation";
    chart->y_label = "m^2";
    chart->log_y = 1;
    chart->series_count = out->curves;
    chart->series = series;
}

static int write_page(const scene *s, const dcx_fit *fit, const char *path, const outcome *out,
                      dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_row rows[UNKNOWNS];
    dcx_plot_series series[CURVES];
    dcx_plot_desc chart;
    int k;
    memset(rows, 0, sizeof rows);
    make_chart(fit, out, series, &chart);
    for (k = 0; k < UNKNOWNS; k++) {
        rows[k].name = s->variables[k].name;
        rows[k].unit = s->variables[k].unit;
        rows[k].start = out->start[k];
        rows[k].recovered = out->values[k];
        rows[k].truth = s->own ? s->truth[k] : NAN;
    }
    page.title = "A T-shirt in the wind";
    page.description = s->own ? "Stiffness and wind recovered from a motion that the same program "
                                "made. The fit leaves contact between the layers out; the playback "
                                "shows both sets of values with it."
                              : "Stiffness and wind recovered from a given motion. The fit leaves "
                                "contact between the layers out; the playback shows the values found "
                                "with it.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = s->result;
    page.target_frames = s->target;
    page.row_count = UNKNOWNS;
    page.rows = rows;
    page.chart_count = 1;
    page.charts = &chart;
    return dcx_page_write(path, &page, error->text, sizeof error->text);
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
    dcx_fit_json(&j, fit);
    dcx_json_number(&j, "loss_initial", 2 * out->initial);
    dcx_json_number(&j, "loss_final", 2 * out->misfit);
    dcx_json_number(&j, "distance_windows", dcx_fit_distance(out->misfit));
    dcx_json_number(&j, "distance_early", out->early);
    dcx_json_number(&j, "distance_whole", out->whole);
    dcx_json_integer(&j, "evaluations", fit->evaluations);
    dcx_json_integer(&j, "time_steps", fit->forward_steps + fit->backward_steps);
    if (s->own) dcx_fit_json_values(&j, "truth", s->variables, UNKNOWNS, s->truth);
    dcx_fit_json_values(&j, "recovered", s->variables, UNKNOWNS, out->values);
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

/* One start and its curve, for the chart while the history has room. */
static double run_start(dcx_app *app, scene *s, dcx_fit *fit, outcome *out, const double *start,
                        double *values, double part, double share)
{
    const int room = (int)(sizeof fit->history / sizeof fit->history[0]);
    int first = fit->evaluations;
    double f;
    search(app, s, fit, start, values, part, share);
    f = recover(s, fit, dcx_optim_method_named(app->method), values);
    if (out->curves < CURVES && fit->evaluations <= room) {
        out->first[out->curves] = first;
        out->end[out->curves++] = fit->evaluations;
    }
    return f;
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
        for (i = 0; i < UNKNOWNS; i++)
            start[i] = s->variables[i].lower + (s->variables[i].upper - s->variables[i].lower) *
                                                   dcx_random_uniform(&random);
        last_windows(s, fit);
        initial = dcx_fit_evaluate(fit, start, NULL, NULL);
        f = run_start(app, s, fit, out, start, values, (double)k / starts, 0.8 / starts);
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

static void print_distances(dcx_app *app, const scene *s, const outcome *out)
{
    dcx_app_print(app, "rms distance, %% of the size: %.2g over the windows; in one run from the start "
                       "%.2g over %d frames, %.2g over all %d\n",
                  100 * dcx_fit_distance(out->misfit) / s->size, 100 * out->early / s->size,
                  s->steps < EARLY ? s->steps : EARLY, 100 * out->whole / s->size, s->steps);
}

static int make_scene(scene *s, const dcx_app *app, dcx_error *error)
{
    if (app->mesh && !app->motion) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "--mesh needs --motion");
        return -1;
    }
    return app->motion ? given_scene(s, app, error) : own_scene(s, app, error);
}

/* From the scene to the files; their folder is made first, so that a bad one costs no wait. */
static int run(dcx_app *app, scene *s, dcx_fit *fit, outcome *out, dcx_error *error)
{
    char page[512], line[512];
    if (make_scene(s, app, error) || dcx_app_path(app, "tshirt.html", page, sizeof page, error) ||
        dcx_app_path(app, "tshirt.json", line, sizeof line, error))
        return -1;
    if (dcx_fit_create(fit, s->model, s->h, s->motion.positions, s->steps + 1, s->variables,
                       UNKNOWNS)) {
        dcx_error_set(error, DCX_OUT_OF_MEMORY, "not enough memory");
        return -1;
    }
    run_starts(app, s, fit, out);
    if (replay(s, out)) {
        dcx_error_set(error, DCX_OUT_OF_MEMORY, "the motion found cannot be computed");
        return -1;
    }
    out->ok = s->own ? 5 * out->recovered >= 4 * app->seeds
                     : dcx_fit_distance(out->misfit) < 0.01 * s->size;
    print_distances(app, s, out);
    return write_page(s, fit, page, out, error) || print_result(app, s, fit, out, page, line, error)
               ? -1
               : 0;
}

int main(int argc, char **argv)
{
    dcx_app_desc about =
        dcx_app_default_desc("tshirt", "recovers stiffness and wind from the motion of a T-shirt");
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
    memset(&fit, 0, sizeof fit);
    memset(&out, 0, sizeof out);
    memset(&error, 0, sizeof error);
    status = run(&app, &s, &fit, &out, &error) ? 2 : !out.ok;
    if (status == 2) dcx_app_fail(&app, error.text);
    dcx_fit_destroy(&fit);
    free(s.result);
    dcl_model_destroy(s.shown);
    dcl_model_destroy(s.model);
    dcx_motion_destroy(&s.motion);
    dcx_mesh_destroy(&s.mesh);
    return status;
}
