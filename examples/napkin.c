/* napkin.c - a constant force on every vertex of a hanging napkin, such that its middle ends at a
   target (the paper's Figure 4): how many time steps L-BFGS-B and CMA-ES take as the number of
   unknowns grows.
   cc -O2 -I. examples/napkin.c -lm -o napkin */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_OPTIM_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_SIM_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_mesh.h"
#include "dcx_optim.h"
#include "dcx_page.h"
#include "dcx_sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loss is in units of (a sixth of the napkin's width)^2, the paper's where a napkin is 6 wide;
   a run has arrived at 0.01, where it ends; --full goes on to a tenth of it. */
enum { SIZES = 4, METHODS = 2, CURVE = 4096, SEEDS = 32 };
static const double arrived = 0.01;

typedef struct run {
    int count;      /* evaluations */
    double *steps;  /* CURVE: time steps, forward and backward, after each */
    double *loss;   /* CURVE */
    double reached; /* time steps until `arrived`, NaN if never */
    double best;
} run;

typedef struct scene {
    dcx_mesh mesh;
    dcx_sim sim;
    dcl_tape *tape;
    dcl_grad *grad;
    double h, unit, bound, end_at, target[3];
    int steps, most, unknowns, middle[4], middle_count;
    double *force, *lower, *upper; /* unknowns each */
    /* what it took */
    long long forward, backward;
    double forward_seconds, backward_seconds, residual_max;
    int unconverged;
    run *now;
} scene;

/* The vertices of the middle: one, or four where the side is even. */
static void find_middle(scene *s)
{
    double lo[3], hi[3], mid[3], nearest = INFINITY;
    int i;
    dcx_points_bounds(s->mesh.positions, s->mesh.vertex_count, lo, hi);
    for (i = 0; i < 3; i++) mid[i] = 0.5 * (lo[i] + hi[i]);
    for (i = 0; i < s->mesh.vertex_count; i++)
        nearest = fmin(nearest, dcx_vec_distance(s->mesh.positions + 3 * i, mid));
    for (i = 0; i < s->mesh.vertex_count && s->middle_count < 4; i++)
        if (dcx_vec_distance(s->mesh.positions + 3 * i, mid) <= nearest + 1e-9 * (hi[0] - lo[0]))
            s->middle[s->middle_count++] = i;
}

static void middle(const scene *s, const double *x, double c[3])
{
    int i;
    c[0] = c[1] = c[2] = 0;
    for (i = 0; i < s->middle_count; i++)
        dcx_vec_add_scaled(c, 1.0 / s->middle_count, x + 3 * s->middle[i], c);
}

/* Loss: squared distance of the middle from the target at the end. */
static double loss(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    const scene *s = (const scene *)user;
    double c[3], d[3];
    int i, k;
    (void)adj_v;
    if (frame != s->steps) return 0;
    middle(s, state->x, c);
    dcx_vec_subtract(c, s->target, d);
    for (i = 0; adj_x && i < s->middle_count; i++)
        for (k = 0; k < 3; k++)
            adj_x[3 * s->middle[i] + k] += 2 * d[k] / (s->middle_count * s->unit * s->unit);
    return dcx_vec_dot(d, d) / (s->unit * s->unit);
}

/* A napkin of side x side vertices whose two upper corners are held; the forces may reach twice
   the napkin's weight per vertex. */
static int scene_create(scene *s, const dcx_app *app, int side, dcx_error *error)
{
    static char name[] = "napkin";
    const double offset[3] = {0.6, 0.9, 1.2}; /* of the target from the rest middle, in units */
    double size = app->paper ? 6 : 0.6, lo[3], hi[3], corner[3];
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_handle handles[2];
    int k;
    memset(s, 0, sizeof *s);
    memset(handles, 0, sizeof handles);
    if (app->mesh ? dcx_obj_read(app->mesh, &s->mesh, error)
                  : dcx_mesh_grid(&s->mesh, side, side, size, size, DCX_DIAGONALS_ONE, DCX_PLANE_XY,
                                  error))
        return -1;
    if (app->mesh) dcx_points_fit(s->mesh.positions, s->mesh.vertex_count, size);
    s->unit = size / 6;
    s->h = app->paper ? 1.0 / 90 : app->full ? 0.01 : 0.02;
    s->steps = app->full || app->paper ? 200 : 25;
    s->most = app->full || app->paper ? CURVE : 500;
    s->end_at = app->full || app->paper ? 0.1 * arrived : arrived;
    s->unknowns = 3 * s->mesh.vertex_count;
    find_middle(s);
    middle(s, s->mesh.positions, s->target);
    dcx_vec_add_scaled(s->target, s->unit, offset, s->target);
    dcx_points_bounds(s->mesh.positions, s->mesh.vertex_count, lo, hi);
    memcpy(corner, hi, sizeof corner);
    for (k = 0; k < 2; k++) {
        corner[0] = k ? hi[0] : lo[0];
        handles[k].vertex = dcx_points_nearest(s->mesh.positions, s->mesh.vertex_count, corner);
        handles[k].kind = DCL_HANDLE_HARD;
    }
    dcx_sim_mesh(&desc, &s->mesh);
    desc.handle_count = 2;
    desc.handles = handles;
    desc.force_frames = 1;
    desc.stretch = 100;
    desc.bend = app->paper ? 0 : 1e-4;
    desc.density = app->paper ? 0.054 : 0.2;
    desc.damping = app->paper ? 0 : 0.05;
    if (app->paper) desc.gravity[1] = -9.8;
    desc.logger.log = dcx_log_print;
    desc.logger.user = name;
    s->bound = 2 * desc.density * size * size * 9.8 / s->mesh.vertex_count;
    s->force = (double *)calloc(3 * (size_t)s->unknowns, sizeof(double));
    if (!s->force || dcx_sim_create(&s->sim, &desc) ||
        dcl_tape_create(s->sim.model, s->steps, &s->tape) != DCL_OK ||
        dcl_grad_create(s->sim.params, DCL_BLOCK_BIT(DCL_PARAM_FORCE), &s->grad) != DCL_OK) {
        dcx_error_set(error, DCX_BAD_FORMAT, "the scene cannot be made");
        return -1;
    }
    s->lower = s->force + s->unknowns;
    s->upper = s->lower + s->unknowns;
    for (k = 0; k < s->unknowns; k++) s->lower[k] = -s->bound, s->upper[k] = s->bound;
    return 0;
}

static void scene_destroy(scene *s)
{
    free(s->force);
    dcl_grad_destroy(s->grad);
    dcl_tape_destroy(s->tape);
    dcx_sim_destroy(&s->sim);
    dcx_mesh_destroy(&s->mesh);
}

/* One evaluation, which goes into the curve of the present run. */
static double evaluate(void *user, const double *force, double *g, double *jtj)
{
    scene *s = (scene *)user;
    run *r = s->now;
    dcl_rollout_stats stats;
    double value, start = dcx_seconds(), before = r->count ? r->steps[r->count - 1] : 0;
    (void)jtj;
    memset(&stats, 0, sizeof stats);
    dcl_params_set(s->sim.params, DCL_PARAM_FORCE, 0, (size_t)s->unknowns, force);
    if (dcl_rollout(s->sim.workspace, s->sim.params, s->sim.state, s->h, s->steps,
                    g ? s->tape : NULL, loss, s, &value, &stats) != DCL_OK)
        value = INFINITY;
    s->forward += stats.steps;
    s->forward_seconds += dcx_seconds() - start;
    s->unconverged += stats.unconverged;
    s->residual_max = fmax(s->residual_max, stats.residual_max);
    if (g && value < INFINITY) {
        start = dcx_seconds();
        dcl_grad_reset(s->grad);
        if (dcl_rollout_adjoint(s->sim.workspace, s->sim.params, s->tape, loss, s, s->grad, NULL) !=
            DCL_OK)
            return INFINITY;
        memcpy(g, dcl_grad_get(s->grad, DCL_PARAM_FORCE), (size_t)s->unknowns * sizeof *g);
        s->backward += s->steps;
        s->backward_seconds += dcx_seconds() - start;
    }
    if (r->count == CURVE) return value;
    r->steps[r->count] = before + stats.steps + (g ? s->steps : 0);
    r->loss[r->count] = value;
    r->best = fmin(r->best, value);
    if (value <= arrived && isnan(r->reached)) r->reached = r->steps[r->count];
    r->count++;
    return value;
}

/* One run of a method from the start that the seed gives, forces within a quarter of the bounds so
   that the napkin is not crumpled at once; s->force is its result. */
static void solve(scene *s, run *r, dcx_optim_method method, unsigned long long seed)
{
    dcx_optim_desc desc;
    dcx_random random;
    int k;
    dcx_random_init(&random, seed);
    for (k = 0; k < s->unknowns; k++)
        s->force[k] = 0.25 * s->bound * (2 * dcx_random_uniform(&random) - 1);
    desc = dcx_default_optim_desc(method, s->unknowns, s->force);
    desc.lower = s->lower;
    desc.upper = s->upper;
    desc.target = s->end_at;
    desc.max_evaluations = s->most;
    desc.seed = seed;
    s->now = r;
    r->best = INFINITY;
    r->reached = NAN;
    dcx_optim_minimize(&desc, evaluate, s, s->force);
}

/* Median of the runs' steps to the loss `arrived`. A run that did not get there counts with all it
   took, so that the median is then a lower bound. */
static double median(const run *runs, int count, int *arrivals)
{
    double sorted[SEEDS];
    int i, j;
    *arrivals = 0;
    for (i = 0; i < count; i++) {
        double v = isnan(runs[i].reached) ? runs[i].steps[runs[i].count - 1] : runs[i].reached;
        *arrivals += !isnan(runs[i].reached);
        for (j = i; j > 0 && sorted[j - 1] > v; j--) sorted[j] = sorted[j - 1];
        sorted[j] = v;
    }
    return count & 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

/* Loss against time steps: every run's smallest so far. */
static int plot_runs(const run *runs, int seeds, int unknowns, const char *path, dcx_error *error)
{
    dcx_plot_series series[METHODS * SEEDS];
    dcx_plot_desc plot = dcx_default_plot_desc();
    char title[80];
    int k;
    memset(series, 0, sizeof series);
    for (k = 0; k < METHODS * seeds; k++) {
        series[k].label = k == 0 ? "L-BFGS-B" : k == seeds ? "CMA-ES" : NULL;
        series[k].count = runs[k].count;
        series[k].x = runs[k].steps;
        series[k].y = runs[k].loss;
        series[k].style = DCX_PLOT_BEST;
        series[k].dashed = k >= seeds;
    }
    sprintf(title, "Napkin, %d unknowns", unknowns);
    plot.title = title;
    plot.x_label = "time steps, forward and backward";
    plot.y_label = "loss";
    plot.log_x = plot.log_y = 1;
    plot.series_count = METHODS * seeds;
    plot.series = series;
    return dcx_svg_plot(path, &plot, error->text, sizeof error->text);
}

static int plot_ratio(const double *unknowns, const double *ratio, int count, const char *path,
                      dcx_error *error)
{
    dcx_plot_series series;
    dcx_plot_desc plot = dcx_default_plot_desc();
    memset(&series, 0, sizeof series);
    series.count = count;
    series.x = unknowns;
    series.y = ratio;
    series.style = DCX_PLOT_BOTH;
    plot.title = "Time steps of CMA-ES over those of L-BFGS-B";
    plot.x_label = "unknowns";
    plot.y_label = "ratio";
    plot.series_count = 1;
    plot.series = &series;
    return dcx_svg_plot(path, &plot, error->text, sizeof error->text);
}

/* The motion of the first start's L-BFGS-B result, the target a small ball. */
static int write_page(scene *s, const double *force, const char *path, dcx_error *error)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    double *frames = (double *)calloc((size_t)(s->steps + 1) * n3, sizeof(double)), pose[7];
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_obstacle ball;
    int k, failed = !frames;
    dcl_params_set(s->sim.params, DCL_PARAM_FORCE, 0, (size_t)s->unknowns, force);
    dcl_state_reset(s->sim.state, s->sim.params);
    for (k = 0; !failed; k++) {
        memcpy(frames + (size_t)k * n3, s->sim.state->x, n3 * sizeof(double));
        if (k == s->steps) break;
        failed =
            dcl_step(s->sim.workspace, s->sim.params, s->sim.state, s->h, NULL, NULL) != DCL_OK;
    }
    dcx_page_ball(&ball, pose, "target of the middle", s->target, 0.15 * s->unit);
    page.title = "A napkin's middle led to a target";
    page.description = "A constant force on every vertex, found by L-BFGS-B.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = frames;
    page.obstacle_count = 1;
    page.obstacles = &ball;
    dcx_error_set(error, DCX_OUT_OF_MEMORY, "the motion cannot be computed");
    failed = failed || dcx_page_write(path, &page, error->text, sizeof error->text);
    free(frames);
    return failed;
}

/* One size: both methods from all starts. *bound: 1 if the ratio is a lower bound, since CMA-ES has
   not arrived from every start. Returns 1 if L-BFGS-B has, 0 if not, -1 on failure. */
static int solve_size(dcx_app *app, int side, int index, int last, double *unknowns, double *ratio,
                      int *bound, dcx_json *total, dcx_error *error)
{
    static const dcx_optim_method methods[METHODS] = {DCX_LBFGSB, DCX_CMAES};
    static const char *const names[METHODS] = {"lbfgsb", "cmaes"};
    run runs[METHODS * SEEDS];
    double *curves = (double *)calloc((size_t)(METHODS * SEEDS * 2 * CURVE), sizeof(double));
    double steps[METHODS] = {0, 0}, *first;
    scene s;
    char path[512], file[64];
    int m, k, arrivals = 0, status = -1, gradient_arrived = 0;
    memset(runs, 0, sizeof runs);
    if (!curves || scene_create(&s, app, side, error)) {
        free(curves);
        return -1;
    }
    first = (double *)calloc((size_t)s.unknowns, sizeof(double));
    for (m = 0; first && m < METHODS; m++) {
        run *mine = runs + m * app->seeds;
        for (k = 0; k < app->seeds; k++) {
            mine[k].steps = curves + (size_t)(m * app->seeds + k) * 2 * CURVE;
            mine[k].loss = mine[k].steps + CURVE;
            solve(&s, &mine[k], methods[m], app->seed + (unsigned long long)k);
            if (!m && !k) memcpy(first, s.force, (size_t)s.unknowns * sizeof(double));
            dcx_app_progress(app, names[m], (index + (m + (k + 1.0) / app->seeds) / METHODS) / SIZES);
        }
        steps[m] = median(mine, app->seeds, &arrivals);
        if (m == 0) gradient_arrived = arrivals == app->seeds;
        dcx_app_print(app, "%8d  %-7s  %d of %d  %11.0f\n", s.unknowns, names[m], arrivals,
                      app->seeds, steps[m]);
    }
    *unknowns = s.unknowns;
    *ratio = steps[1] / steps[0];
    *bound = arrivals < app->seeds;
    sprintf(file, "napkin_%d.svg", s.unknowns);
    if (first && !dcx_app_path(app, file, path, sizeof path, error) &&
        !plot_runs(runs, app->seeds, s.unknowns, path, error) &&
        !dcx_app_path(app, "napkin.html", path, sizeof path, error) &&
        (!last || !write_page(&s, first, path, error)))
        status = gradient_arrived;
    if (last) {
        dcx_json_integer(total, "vertices", s.mesh.vertex_count);
        dcx_json_integer(total, "steps", s.steps);
        dcx_json_number(total, "h", s.h);
        dcx_json_number(total, "forward_ms_per_step", 1e3 * s.forward_seconds / (double)s.forward);
        dcx_json_number(total, "backward_ms_per_step", 1e3 * s.backward_seconds / (double)s.backward);
        dcx_json_number(total, "residual_max", s.residual_max);
        dcx_json_integer(total, "unconverged_steps", s.unconverged);
        dcx_json_number(total, "loss_initial", runs[0].loss[0]);
        dcx_json_number(total, "loss_final", runs[0].best);
        dcx_json_integer(total, "evaluations", runs[0].count);
        dcx_json_integer(total, "time_steps", (long long)runs[0].steps[runs[0].count - 1]);
    }
    free(first);
    free(curves);
    scene_destroy(&s);
    return status;
}

int main(int argc, char **argv)
{
    static const int sides[SIZES] = {4, 5, 7, 10};
    dcx_app_desc about = dcx_app_default_desc("napkin", "leads a napkin's middle to a target");
    double unknowns[SIZES], ratio[SIZES];
    char path[512];
    dcx_app app;
    dcx_error error;
    dcx_json j;
    int k, sizes, ok = 1, status, bound[SIZES];
    about.methods = "lbfgsb";
    about.seeds = 3;
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (app.motion) return dcx_app_fail(&app, "--motion: the target is a point, there is no motion");
    if (app.seeds > SEEDS) return dcx_app_fail(&app, "--seeds: at most 32");
    sizes = app.mesh ? 1 : SIZES;
    dcx_error_set(&error, DCX_OUT_OF_MEMORY, "not enough memory");
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "napkin");
    dcx_app_print(&app, "unknowns  method   arrived  time steps to loss 0.01 (median)\n");
    for (k = 0; k < sizes; k++) {
        status = solve_size(&app, sides[k], k, k == sizes - 1, &unknowns[k], &ratio[k], &bound[k], &j,
                            &error);
        if (status < 0) return dcx_app_fail(&app, error.text);
        ok = ok && status && ratio[k] > 1;
    }
    dcx_app_progress(&app, "done", 1);
    if (dcx_app_path(&app, "napkin_ratio.svg", path, sizeof path, &error) ||
        plot_ratio(unknowns, ratio, sizes, path, &error))
        return dcx_app_fail(&app, error.text);
    for (k = 0; k < sizes; k++)
        dcx_app_print(&app, "%8.0f  CMA-ES takes %s%.1f times the steps of L-BFGS-B\n", unknowns[k],
                      bound[k] ? "more than " : "", ratio[k]);
    dcx_json_bool(&j, "ok", ok);
    dcx_json_integer(&j, "starts", app.seeds);
    dcx_json_numbers(&j, "unknowns", unknowns, sizes);
    dcx_json_numbers(&j, "ratio", ratio, sizes);
    dcx_json_array(&j, "ratio_is_lower_bound");
    for (k = 0; k < sizes; k++) dcx_json_integer(&j, NULL, bound[k]);
    dcx_json_close(&j);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, path);
    if (!dcx_app_path(&app, "napkin.html", path, sizeof path, &error))
        dcx_json_string(&j, NULL, path);
    dcx_json_close(&j);
    dcx_app_print_json(&app, &j);
    return ok ? 0 : 1;
}
