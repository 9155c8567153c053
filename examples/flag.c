/* flag.c - real to sim: density, stretching, bending and five numbers of the wind are fitted to a
   captured flag (--motion FILE.pc2 --mesh FILE.obj, or --motion FOLDER of .obj). Without a capture
   one is made by another model: a finer mesh, uneven cloth, drag, wind that fades with distance,
   noise. So no values fit exactly; the last frames are kept back and predicted.
   cc -O2 -I. examples/flag.c -lm -o flag */
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

enum { UNKNOWNS = 8, TRIES = 4, CURVES = 6 };

typedef struct scene {
    dcx_mesh mesh;
    dcx_motion motion; /* the capture */
    dcl_model *model;
    dcl_handle *pole;
    dcx_fit_variable variables[UNKNOWNS];
    double h, size;
    int own, pole_count, steps, fitted; /* frames 1 .. fitted are used, the rest is predicted */
    double *result;                     /* (steps + 1) x n x 3 */
} scene;

static void unknowns(scene *s, int si, double density, double stretch, double bend, double wind)
{
    dcx_fit_unknown(s->variables + 0, "density", si ? "kg/m^2" : "", DCL_PARAM_DENSITY, 0,
                    density / 5, density * 2);
    dcx_fit_unknown(s->variables + 1, "stretch", si ? "N/m" : "", DCL_PARAM_STRETCH, 0,
                    stretch / 10, stretch * 2);
    dcx_fit_unknown(s->variables + 2, "bend", si ? "N m" : "", DCL_PARAM_BEND, 0, bend / 100,
                    bend * 10);
    dcx_fit_unknown(s->variables + 3, "wind x", si ? "N" : "", DCL_PARAM_WIND_FORCE, 0, -wind,
                    wind);
    dcx_fit_unknown(s->variables + 4, "wind y", si ? "N" : "", DCL_PARAM_WIND_FORCE, 1, -wind,
                    wind);
    dcx_fit_unknown(s->variables + 5, "wind z", si ? "N" : "", DCL_PARAM_WIND_FORCE, 2, -wind,
                    wind);
    dcx_fit_unknown(s->variables + 6, "wind frequency", "rad/s", DCL_PARAM_WIND_FREQUENCY, 0, 0.01,
                    15);
    dcx_fit_unknown(s->variables + 7, "wind phase", "rad", DCL_PARAM_WIND_PHASE, 0, -5, 5);
}

/* ---- the made capture ------------------------------------------------------------------------ */

/* What the flag is captured with. No unknown means quite the same in the model that is fitted. */
static const double made_density = 0.15, made_stretch = 150, made_bend = 2e-4, made_noise = 3e-4;
static const double made_total_wind[3] = {3.2, 0.6, 2.4}, made_frequency = 7, made_phase = 0.8;

/* The pole sways. */
static void pole_place(const double *rest, double t, double p[3])
{
    const double axis[3] = {0.3, 0, 1}, foot[3] = {0, -1, 0};
    memcpy(p, rest, 3 * sizeof(double));
    dcx_points_turn(p, 1, axis, 0.06 * sin(5 * t), foot);
}

/* Gusts that fade with the distance to the pole's top, and the pole, frame by frame. */
static int made_forces(dcl_params *params, const dcx_mesh *fine, const dcl_handle *pole, int poles,
                       double h, int steps)
{
    const double top[3] = {0, 0.5, 0};
    int k, i, a, bad = 0;
    for (k = 0; k <= steps && !bad; k++) {
        double gust = 0.5 * (sin(made_frequency * (k + 1) * h + made_phase) + 1), f[3], p[3];
        for (i = 0; i < fine->vertex_count && k < steps && !bad; i++) {
            double fade = fmin(1.2 / dcx_vec_distance(fine->positions + 3 * (size_t)i, top), 1);
            for (a = 0; a < 3; a++) f[a] = fade * gust * made_total_wind[a] / fine->vertex_count;
            bad = dcl_params_set(params, DCL_PARAM_FORCE,
                                 3 * ((size_t)k * (size_t)fine->vertex_count + (size_t)i), 3,
                                 f) != DCL_OK;
        }
        for (i = 0; i < poles && !bad; i++) {
            pole_place(fine->positions + 3 * (size_t)pole[i].vertex, k * h, p);
            bad = dcl_params_set(params, DCL_PARAM_HANDLE,
                                 3 * ((size_t)k * (size_t)poles + (size_t)i), 3, p) != DCL_OK;
        }
    }
    return bad;
}

/* Triangles differ in stiffness by up to 30 %. */
static int made_cloth(dcl_params *params, dcx_random *random)
{
    size_t count = dcl_params_count(params, DCL_PARAM_STRETCH_SCALE), k;
    int bad = 0;
    for (k = 0; k < count && !bad; k++) {
        double scale = 0.7 + 0.6 * dcx_random_uniform(random);
        bad = dcl_params_set(params, DCL_PARAM_STRETCH_SCALE, k, 1, &scale) != DCL_OK;
    }
    return bad;
}

/* Every second vertex of the finer flag, with noise. */
static void captured(scene *s, const double *x, int frame, int nx, int ny, dcx_random *random)
{
    double *out = dcx_motion_frame(&s->motion, frame);
    int i, j, a;
    for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++)
            for (a = 0; a < 3; a++)
                *out++ = x[3 * (2 * i + (2 * nx - 1) * 2 * j) + a] +
                         made_noise * dcx_random_normal(random);
}

static int simulate_capture(scene *s, const dcx_mesh *fine, int nx, int ny, uint64_t seed,
                            dcx_error *error)
{
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_handle pole[256];
    dcx_sim sim;
    dcx_random random;
    int k, bad;
    memset(pole, 0, sizeof pole);
    for (k = 0; k < 2 * ny - 1; k++) pole[k].vertex = k * (2 * nx - 1);
    dcx_sim_mesh(&desc, fine);
    desc.handle_count = 2 * ny - 1;
    desc.handles = pole;
    desc.handle_frames = s->steps + 1;
    desc.force_frames = s->steps;
    desc.density = made_density;
    desc.stretch = made_stretch;
    desc.bend = made_bend;
    desc.damping = 0.1;
    desc.drag = 0.1;
    desc.logger.log = dcx_log_error;
    desc.logger.user = error;
    dcx_random_init(&random, seed);
    bad = dcx_sim_create(&sim, &desc) ||
          made_forces(sim.params, fine, pole, 2 * ny - 1, s->h, s->steps) ||
          made_cloth(sim.params, &random);
    for (k = 0; k <= s->steps && !bad; k++) {
        captured(s, sim.state->x, k, nx, ny, &random);
        bad = k < s->steps &&
              dcl_step(sim.workspace, sim.params, sim.state, s->h, NULL, NULL) != DCL_OK;
    }
    dcx_sim_destroy(&sim);
    return bad ? -1 : 0;
}

static int make_capture(scene *s, const dcx_app *app, dcx_error *error)
{
    int nx = app->full ? 27 : 16, ny = app->full ? 20 : 11, bad;
    const double shift[3] = {0.75, 0, 0};
    dcx_mesh fine;
    s->own = 1;
    s->steps = app->full ? 100 : 75;
    s->h = 1.0 / 120;
    memset(&fine, 0, sizeof fine);
    if (dcx_mesh_grid(&s->mesh, nx, ny, 1.5, 1, DCX_DIAGONALS_UNION_JACK, DCX_PLANE_XY, error) ||
        dcx_mesh_grid(&fine, 2 * nx - 1, 2 * ny - 1, 1.5, 1, DCX_DIAGONALS_UNION_JACK, DCX_PLANE_XY,
                      error) ||
        dcx_motion_create(&s->motion, s->steps + 1, nx * ny, error))
        return -1;
    dcx_points_move(fine.positions, fine.vertex_count, 1, shift);
    bad = simulate_capture(s, &fine, nx, ny, app->seed, error);
    dcx_mesh_destroy(&fine);
    unknowns(s, 1, 0.2, 200, 3e-4, 5 * 9.81 * 0.2 * 1.5 / (nx * ny));
    return bad;
}

/* ---- a given capture ------------------------------------------------------------------------- */

static int read_capture(scene *s, const dcx_app *app, dcx_error *error)
{
    if (dcx_app_motion(app, 10, &s->mesh, &s->motion, error)) return -1;
    s->steps = s->motion.frame_count - 1;
    s->h = 1.0 / 120;
    unknowns(s, 0, 0.15, 3000, 0.1, 3); /* in the paper's units: a flag 11 long */
    return 0;
}

/* Scales a given capture to the paper's size. */
static void scale_capture(scene *s)
{
    double lower[3], upper[3], extent = 0;
    int a;
    dcx_points_bounds(dcx_motion_frame(&s->motion, 0), s->mesh.vertex_count, lower, upper);
    for (a = 0; a < 3; a++) extent = fmax(extent, upper[a] - lower[a]);
    if (!s->own)
        dcx_points_move(s->motion.positions, s->motion.frame_count * s->motion.vertex_count,
                        11 / extent, NULL);
    s->size = s->own ? extent : 11;
}

/* The pole: of 540 vertices the 35 that move least over the capture. */
static int find_pole(scene *s)
{
    int n = s->mesh.vertex_count, k, i;
    double *length = (double *)calloc((size_t)n, sizeof(double));
    s->pole_count = s->own ? (int)(n / (1.5 * sqrt(n / 1.5)) + 0.5) : n * 35 / 540;
    if (s->pole_count < 2) s->pole_count = 2;
    s->pole = (dcl_handle *)calloc((size_t)s->pole_count, sizeof *s->pole);
    if (!length || !s->pole) return -1;
    for (k = 1; k <= s->steps; k++)
        for (i = 0; i < n; i++)
            length[i] += dcx_vec_distance(dcx_motion_frame(&s->motion, k) + 3 * (size_t)i,
                                          dcx_motion_frame(&s->motion, 0) + 3 * (size_t)i);
    for (k = 0; k < s->pole_count; k++) {
        int best = 0;
        for (i = 1; i < n; i++)
            if (length[i] < length[best]) best = i;
        s->pole[k].vertex = best;
        s->pole[k].kind = DCL_HANDLE_SOFT;
        s->pole[k].stiffness = s->own ? 1e3 : 1e4;
        length[best] = INFINITY;
    }
    free(length);
    return 0;
}

/* The model that is fitted; the first captured frame is its rest shape. */
static int make_model(scene *s, dcx_error *error)
{
    dcl_model_desc desc = dcl_default_model_desc();
    memcpy(s->mesh.positions, dcx_motion_frame(&s->motion, 0),
           3 * (size_t)s->mesh.vertex_count * sizeof(double));
    dcx_sim_mesh(&desc, &s->mesh);
    desc.handle_count = s->pole_count;
    desc.handles = s->pole;
    desc.handle_frames = s->steps + 1;
    desc.damping = s->own ? 0.05 : 0;
    if (!s->own) desc.gravity[1] = -9.8;
    desc.logger.log = dcx_log_error;
    desc.logger.user = error;
    return dcl_model_create(&desc, &s->model) == DCL_OK ? 0 : -1;
}

static int scene_create(scene *s, const dcx_app *app, dcx_error *error)
{
    dcx_error_set(error, DCX_OUT_OF_MEMORY, "not enough memory");
    if (app->motion ? read_capture(s, app, error) : make_capture(s, app, error)) return -1;
    scale_capture(s);
    s->fitted = s->steps * 4 / 5;
    return find_pole(s) || make_model(s, error) ? -1 : 0;
}

/* The pole follows the capture. */
static int drive_pole(const scene *s, dcl_params *params)
{
    int k, i;
    for (k = 0; k <= s->steps; k++)
        for (i = 0; i < s->pole_count; i++)
            if (dcl_params_set(
                    params, DCL_PARAM_HANDLE, 3 * ((size_t)k * (size_t)s->pole_count + (size_t)i),
                    3, dcx_motion_frame(&s->motion, k) + 3 * (size_t)s->pole[i].vertex) != DCL_OK)
                return -1;
    return 0;
}

/* ---- fitting --------------------------------------------------------------------------------- */

typedef struct outcome {
    double values[UNKNOWNS], start[UNKNOWNS], initial, misfit;
    double fitted, predicted; /* rms distance */
    int first[CURVES], end[CURVES], curves;
} outcome;

/* Pieces of `length` steps from captured frames on: their misfit is nearly quadratic. */
static void pieces(const scene *s, dcx_fit *fit, int length)
{
    int k;
    fit->window_count = 0;
    for (k = 0; k + length <= s->fitted; k += length) dcx_fit_window_add(fit, k, length);
}

/* Several frequencies of the gusts over short pieces, the best over longer ones, then in one run.
 */
static double recover(const scene *s, dcx_fit *fit, dcx_optim_method method, double *values)
{
    static const double frequency[TRIES] = {0, 3, 7, 11};
    int derivative_free = method == DCX_CMAES || method == DCX_ES, k;
    int many = method == DCX_LM ? 1 : derivative_free ? 8 : 2;
    double best[UNKNOWNS], f, least = INFINITY;
    pieces(s, fit, 6);
    for (k = 0; k < TRIES; k++) {
        double trial[UNKNOWNS];
        memcpy(trial, values, sizeof trial);
        if (k) trial[6] = frequency[k];
        f = dcx_fit_minimize(fit, method, 8 * many, trial).f;
        if (f >= least) continue;
        least = f;
        memcpy(best, trial, sizeof best);
    }
    memcpy(values, best, sizeof best);
    pieces(s, fit, 15);
    dcx_fit_minimize(fit, method, 10 * many, values);
    dcx_fit_window(fit, 0, s->fitted / 2);
    dcx_fit_minimize(fit, method, 10 * many, values);
    dcx_fit_window(fit, 0, s->fitted);
    return dcx_fit_minimize(fit, method, 25 * many, values).f;
}

static void run_starts(dcx_app *app, const scene *s, dcx_fit *fit, outcome *out)
{
    const int room = (int)(sizeof fit->history / sizeof fit->history[0]);
    dcx_random random;
    int k, i;
    dcx_random_init(&random, app->seed);
    out->misfit = INFINITY;
    for (k = 0; k < app->seeds; k++) {
        double start[UNKNOWNS], values[UNKNOWNS], initial, f;
        int first = fit->evaluations;
        for (i = 0; i < UNKNOWNS; i++) {
            const dcx_fit_variable *v = &s->variables[i];
            start[i] = v->lower + (v->upper - v->lower) * dcx_random_uniform(&random);
        }
        memcpy(values, start, sizeof start);
        dcx_app_progress(app, "fitting", (double)k / app->seeds);
        dcx_fit_window(fit, 0, s->fitted);
        initial = dcx_fit_evaluate(fit, start, NULL, NULL);
        f = recover(s, fit, dcx_optim_method_named(app->method), values);
        dcx_app_print(app, "start %d: loss %.4g -> %.4g (%.3g %%), %d evaluations\n", k + 1,
                      2 * initial, 2 * f, 100 * f / initial, fit->evaluations - first);
        if (out->curves < CURVES && fit->evaluations <= room) {
            out->first[out->curves] = first;
            out->end[out->curves++] = fit->evaluations;
        }
        if (f >= out->misfit) continue;
        out->misfit = f;
        out->initial = initial;
        memcpy(out->values, values, sizeof values);
        memcpy(out->start, start, sizeof start);
    }
    dcx_app_progress(app, "fitting", 1);
}

static double distance(const scene *s, int first, int last)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count, j;
    double sum = 0;
    int k;
    for (k = first; k <= last; k++)
        for (j = 0; j < n3; j++) {
            double d = s->result[(size_t)k * n3 + j] - dcx_motion_frame(&s->motion, k)[j];
            sum += d * d;
        }
    return sqrt(sum / ((double)(last - first + 1) * s->mesh.vertex_count));
}

/* One run over all frames, the ones kept back included. */
static int replay(scene *s, dcx_fit *fit, outcome *out)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    int k;
    s->result = (double *)calloc((size_t)(s->steps + 1) * n3, sizeof(double));
    if (!s->result) return -1;
    for (k = 0; k < UNKNOWNS; k++)
        dcl_params_set(fit->params, s->variables[k].block, (size_t)s->variables[k].index, 1,
                       &out->values[k]);
    dcl_state_reset(fit->state, fit->params);
    for (k = 0; k <= s->steps; k++) {
        if (k && dcl_step(fit->workspace, fit->params, fit->state, s->h, NULL, NULL)) return -1;
        memcpy(s->result + (size_t)k * n3, fit->state->x, n3 * sizeof(double));
    }
    out->fitted = distance(s, 1, s->fitted);
    out->predicted = distance(s, s->fitted + 1, s->steps);
    return 0;
}

/* ---- output ---------------------------------------------------------------------------------- */

static int write_page(const scene *s, const dcx_fit *fit, const outcome *out, const char *path,
                      dcx_error *error)
{
    static const char *const labels[CURVES] = {"start 1", "start 2", "start 3",
                                               "start 4", "start 5", "start 6"};
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_row rows[UNKNOWNS];
    dcx_plot_series series[CURVES];
    dcx_plot_desc chart = dcx_default_plot_desc();
    int k;
    memset(rows, 0, sizeof rows);
    memset(series, 0, sizeof series);
    for (k = 0; k < UNKNOWNS; k++) {
        rows[k].name = s->variables[k].name;
        rows[k].unit = s->variables[k].unit;
        rows[k].start = out->start[k];
        rows[k].recovered = out->values[k];
        rows[k].truth = NAN;
    }
    for (k = 0; k < out->curves; k++) {
        series[k].label = labels[k];
        series[k].count = out->end[k] - out->first[k];
        series[k].y = fit->history + out->first[k];
        series[k].style = DCX_PLOT_POINTS;
    }
    chart.title = "Misfit, stage after stage";
    chart.x_label = "evaluation";
    chart.y_label = s->own ? "m^2" : "";
    chart.log_y = 1;
    chart.series_count = out->curves;
    chart.series = series;
    page.title = "A captured flag";
    page.description = s->own ? "Cloth and wind fitted to a capture, here made by another model."
                              : "Cloth and wind fitted to a capture.";
    page.notes = "The first four fifths of the frames were fitted, the last fifth is predicted.\n\n"
                 "Motion alone tells density, stiffness and wind up to a common factor only.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = s->result;
    page.target_frames = s->motion.positions;
    page.target_label = "capture";
    page.target_beside = 1;
    page.row_count = UNKNOWNS;
    page.rows = rows;
    page.chart_count = 1;
    page.charts = &chart;
    if (!s->own) page.length_unit = "";
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

static void print_result(dcx_app *app, const scene *s, const dcx_fit *fit, const outcome *out,
                         int ok, const char *path)
{
    dcx_json j;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "flag");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_string(&j, "method", app->method);
    dcx_json_integer(&j, "vertices", s->mesh.vertex_count);
    dcx_json_integer(&j, "steps", s->steps);
    dcx_json_number(&j, "h", s->h);
    dcx_fit_json(&j, fit);
    dcx_json_number(&j, "loss_initial", 2 * out->initial);
    dcx_json_number(&j, "loss_final", 2 * out->misfit);
    dcx_json_integer(&j, "steps_fitted", s->fitted);
    dcx_json_number(&j, "distance_fitted", out->fitted);
    dcx_json_number(&j, "distance_predicted", out->predicted);
    dcx_json_integer(&j, "evaluations", fit->evaluations);
    dcx_json_integer(&j, "time_steps", fit->forward_steps + fit->backward_steps);
    dcx_fit_json_values(&j, "recovered", s->variables, UNKNOWNS, out->values);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, path);
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

static int run(dcx_app *app, scene *s, dcx_fit *fit, int *ok, dcx_error *error)
{
    outcome out;
    char path[512];
    int k;
    memset(&out, 0, sizeof out);
    if (app->mesh && !app->motion) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "--mesh needs --motion");
        return -1;
    }
    if (scene_create(s, app, error) || dcx_app_path(app, "flag.html", path, sizeof path, error))
        return -1;
    if (dcx_fit_create(fit, s->model, s->h, s->motion.positions, s->steps + 1, s->variables,
                       UNKNOWNS) ||
        drive_pole(s, fit->params))
        return -1;
    run_starts(app, s, fit, &out);
    if (replay(s, fit, &out)) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "the motion found cannot be computed");
        return -1;
    }
    for (k = 0; k < UNKNOWNS; k++)
        dcx_app_print(app, "  %-15s %12.6g -> %12.6g %s\n", s->variables[k].name, out.start[k],
                      out.values[k], s->variables[k].unit);
    dcx_app_print(app,
                  "rms distance, %% of the flag's length: %.2g over %d fitted frames, %.2g over %d "
                  "predicted ones\n",
                  100 * out.fitted / s->size, s->fitted, 100 * out.predicted / s->size,
                  s->steps - s->fitted);
    *ok = out.fitted < 0.02 * s->size && out.predicted < 0.05 * s->size;
    if (write_page(s, fit, &out, path, error)) return -1;
    print_result(app, s, fit, &out, *ok, path);
    return 0;
}

int main(int argc, char **argv)
{
    dcx_app_desc about =
        dcx_app_default_desc("flag", "fits cloth and wind to the capture of a flag");
    dcx_app app;
    dcx_error error;
    dcx_fit fit;
    scene s;
    int status, ok = 0;
    about.seeds = 2;
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    memset(&s, 0, sizeof s);
    memset(&fit, 0, sizeof fit);
    memset(&error, 0, sizeof error);
    status = run(&app, &s, &fit, &ok, &error) ? dcx_app_fail(&app, error.text) : !ok;
    dcx_fit_destroy(&fit);
    free(s.result);
    free(s.pole);
    dcl_model_destroy(s.model);
    dcx_motion_destroy(&s.motion);
    dcx_mesh_destroy(&s.mesh);
    return status;
}
