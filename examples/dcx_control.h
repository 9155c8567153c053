/* dcx_control.h - finds unknowns that bring a simulated cloth where it should be.

   Do this in ONE source file that also has the implementations of diffcloth.h, dcx_app.h,
   dcx_optim.h, dcx_page.h:

       #define DCX_CONTROL_IMPLEMENTATION
       #include "dcx_control.h"

       dcx_control_desc desc = dcx_default_control_desc(model, h, steps);
       desc.count = 18;  desc.lower = lower;  desc.upper = upper;
       desc.map = my_map;                      unknowns -> parameters, and the map's Jacobian
       desc.term_count = n;  desc.terms = terms;             the loss: a sum of squares
       if (dcx_control_create(&control, &desc) < 0) ...
       dcx_control_starts(&control, &app);                   random starts, best one kept
       dcx_control_replay(&control, control.best, frames, NULL);
       dcx_control_destroy(&control);

   The loss is the sum over terms of weight (x - target)^2, coordinate by coordinate, at the term's
   frame and vertex; or, for `mean`, the square of their weighted mean. One reverse pass gives its
   gradient, chained through the map; for Levenberg-Marquardt the tangent of the steps gives J^T J.

   Gripper paths are cubic Hermite segments over the whole run. */
#ifndef DCX_CONTROL_H
#define DCX_CONTROL_H

#include "../diffcloth.h"
#include "dcx_app.h"
#include "dcx_optim.h"
#include "dcx_page.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DCX_CONTROL_MOST = 64, DCX_CONTROL_CURVES = 6 };

/* A point and its weight per coordinate. */
typedef struct dcx_control_term {
    int frame, vertex; /* frame 1 .. steps */
    double target[3], weight[3];
} dcx_control_term;

/* Sets the params that depend on the unknowns. If `directions` (count x size of the parameter
   vector, zeroed) is not NULL, also fills d params / d unknown k into its row k. 0, or -1 if the
   values are refused. */
typedef int (*dcx_control_map)(void *user, const double *values, dcl_params *params,
                               double *directions);

typedef struct dcx_control_desc {
    const dcl_model *model;
    double h;
    int steps;
    int count;                               /* unknowns, at most DCX_CONTROL_MOST */
    const double *lower, *upper;             /* count; bounds */
    const double *start_lower, *start_upper; /* count; where starts lie, NULL: the bounds */
    dcx_control_map map;
    void *user;
    dcl_solver_desc solver;
    uint32_t blocks; /* DCL_BLOCK_BIT of those the map writes; default all but REST */
    int term_count;
    const dcx_control_term *terms; /* must stay */
    int mean; /* 1: the loss is (sum of weight (x - target))^2 per frame: only the mean counts */
    double target;   /* stop at this loss; -INFINITY */
    int evaluations; /* per start with derivatives, 50; ten times as many without */
} dcx_control_desc;

/* What one start took. `curve`: pairs of time steps spent, forward and backward, and best loss. */
typedef struct dcx_control_run {
    double loss_initial, loss_final, forward_seconds, backward_seconds;
    int evaluations;
    long long time_steps, steps_converged; /* until within 1 % of the decrease of the end */
    int curve_count, curve_capacity;
    double *curve;
} dcx_control_run;

typedef struct dcx_control {
    dcx_control_desc desc;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *workspace;
    dcl_tape *tape;
    dcl_grad *grad;
    double *directions;
    double *g, *jtj; /* of the evaluation that runs */
    long long forward_steps, backward_steps;
    double forward_seconds, backward_seconds, residual_max;
    int unconverged, evaluations;
    int run_count;
    dcx_control_run *runs;
    double best[DCX_CONTROL_MOST], start[DCX_CONTROL_MOST], loss, loss_start;
    int chart_count;
    dcx_plot_series series[DCX_CONTROL_CURVES];
    double *chart_xy;
} dcx_control;

dcx_control_desc dcx_default_control_desc(const dcl_model *model, double h, int steps);

/* 0, or -1 when memory ran out. */
int dcx_control_create(dcx_control *control, const dcx_control_desc *desc);
void dcx_control_destroy(dcx_control *control);

/* The loss, Inf where the motion cannot be computed; g (count), jtj (count x count) unless NULL:
   its gradient, and J^T J of half the loss scaled alike, as DCX_LM takes them. */
double dcx_control_evaluate(dcx_control *control, const double *values, double *g, double *jtj);

/* Minimises from `values` and appends a run; 0, or -1 when memory ran out. */
int dcx_control_minimize(dcx_control *control, dcx_optim_method method, uint64_t seed,
                         double *values);

/* app->seeds random starts with app->method; prints a line each; keeps the best. */
int dcx_control_starts(dcx_control *control, dcx_app *app);

/* The motion with these values: (steps + 1) x n x 3 into frames, and the handles' frames into
   handles ((steps + 1) x H x 3) unless NULL. 0, or -1 if a step is refused. */
int dcx_control_replay(dcx_control *control, const double *values, double *frames, double *handles);

/* The chart of loss against time steps, one curve per start; valid until the next start. */
int dcx_control_chart(dcx_control *control, const char *y_label, dcx_plot_desc *chart);

/* Members of the JSON line: losses, cost, and "runs" with one object per start. */
void dcx_control_json(dcx_json *json, const dcx_control *control);

/* Weights of start point, start tangent, end point, end tangent at s in 0..1. */
void dcx_hermite_weights(double s, double weight[4]);

/* Handles first .. first + count - 1 follow one gripper: each keeps its offset from `start`. The
   unknowns at values[0..9): end point, start tangent, end tangent. Sets their path over
   `steps` steps; rows 0..9 of directions (row length `size`) unless NULL. handle_count: of the
   model; places: count x 3, where the handles start. 0 or -1. */
int dcx_gripper_path(dcl_params *params, int handle_count, int first, int count, int steps,
                     const double *places, const double start[3], const double values[9],
                     double *directions);

#ifdef __cplusplus
}
#endif

#endif /* DCX_CONTROL_H */

#if defined(DCX_CONTROL_IMPLEMENTATION) && !defined(DCX_CONTROL_IMPLEMENTED)
#define DCX_CONTROL_IMPLEMENTED

#include <math.h>
#include <stdlib.h>
#include <string.h>

dcx_control_desc dcx_default_control_desc(const dcl_model *model, double h, int steps)
{
    dcx_control_desc d;
    memset(&d, 0, sizeof d);
    d.model = model;
    d.h = h;
    d.steps = steps;
    d.solver = dcl_default_solver_desc();
    d.blocks = DCL_ALL_BLOCKS & ~DCL_BLOCK_BIT(DCL_PARAM_REST);
    d.target = -INFINITY;
    d.evaluations = 50;
    return d;
}

int dcx_control_create(dcx_control *c, const dcx_control_desc *desc)
{
    memset(c, 0, sizeof *c);
    c->desc = *desc;
    c->loss = INFINITY;
    if (dcl_params_create(desc->model, &c->params) != DCL_OK ||
        dcl_state_create(c->params, &c->state) != DCL_OK ||
        dcl_workspace_create(desc->model, &desc->solver, &c->workspace) != DCL_OK ||
        dcl_tape_create(desc->model, desc->steps, &c->tape) != DCL_OK ||
        dcl_grad_create(c->params, desc->blocks, &c->grad) != DCL_OK)
        return -1;
    c->directions =
        (double *)calloc((size_t)desc->count * dcl_params_size(c->params), sizeof(double));
    return c->directions ? 0 : -1;
}

void dcx_control_destroy(dcx_control *c)
{
    int k;
    for (k = 0; k < c->run_count; k++) free(c->runs[k].curve);
    free(c->runs);
    free(c->chart_xy);
    free(c->directions);
    dcl_grad_destroy(c->grad);
    dcl_tape_destroy(c->tape);
    dcl_workspace_destroy(c->workspace);
    dcl_state_destroy(c->state);
    dcl_params_destroy(c->params);
    memset(c, 0, sizeof *c);
}

/* The weighted mean of what is missing at a frame. */
static double dcxi_control_mean(const dcx_control *c, int frame, const double *x)
{
    double sum = 0;
    int k, a;
    for (k = 0; k < c->desc.term_count; k++) {
        const dcx_control_term *t = &c->desc.terms[k];
        for (a = 0; a < 3 && t->frame == frame; a++)
            sum += t->weight[a] * (x[3 * t->vertex + a] - t->target[a]);
    }
    return sum;
}

/* A frame's share of the loss. */
static double dcxi_control_loss(void *user, int frame, const dcl_state *state, double *adj_x,
                                double *adj_v)
{
    const dcx_control *c = (const dcx_control *)user;
    double sum = 0, mean = c->desc.mean ? dcxi_control_mean(c, frame, state->x) : 0;
    int k, a;
    (void)adj_v;
    for (k = 0; k < c->desc.term_count; k++) {
        const dcx_control_term *t = &c->desc.terms[k];
        for (a = 0; a < 3 && t->frame == frame; a++) {
            double d = c->desc.mean ? mean : state->x[3 * t->vertex + a] - t->target[a];
            sum += t->weight[a] * d * d;
            if (adj_x) adj_x[3 * t->vertex + a] += 2 * t->weight[a] * d;
        }
    }
    return c->desc.mean ? mean * mean : sum;
}

/* Adds weight r dr and weight dr dr^T for one residual r with derivatives dr. */
static void dcxi_control_add(dcx_control *c, double weight, double r, const double *dr)
{
    int i, j, count = c->desc.count;
    for (i = 0; i < count; i++) {
        c->g[i] += weight * r * dr[i];
        for (j = 0; j < count; j++) c->jtj[i * count + j] += weight * dr[i] * dr[j];
    }
}

/* A frame's share of J^T r and J^T J; the loss is half the sum of squares of r. */
static void dcxi_control_tangent(void *user, int frame, const dcl_state *state, int count,
                                 const double *dx, const double *dv)
{
    dcx_control *c = (dcx_control *)user;
    size_t n3 = 3 * (size_t)dcl_model_count_vertices(c->desc.model);
    double dr[DCX_CONTROL_MOST], sum[DCX_CONTROL_MOST];
    int k, a, i;
    (void)dv;
    memset(sum, 0, sizeof sum);
    for (k = 0; k < c->desc.term_count; k++) {
        const dcx_control_term *t = &c->desc.terms[k];
        for (a = 0; a < 3 && t->frame == frame; a++) {
            size_t at = 3 * (size_t)t->vertex + (size_t)a;
            for (i = 0; i < count; i++) {
                dr[i] = dx[(size_t)i * n3 + at];
                sum[i] += t->weight[a] * dr[i];
            }
            if (c->desc.mean || !(t->weight[a] > 0)) continue;
            dcxi_control_add(c, 2 * t->weight[a], state->x[at] - t->target[a], dr);
        }
    }
    if (c->desc.mean) dcxi_control_add(c, 2, dcxi_control_mean(c, frame, state->x), sum);
}

/* Chains the gradient through the map, block by block. */
static void dcxi_control_chain(const dcx_control *c, double *g)
{
    size_t size = dcl_params_size(c->params), k, count, offset;
    int b, i;
    for (b = 0; b < DCL_PARAM_COUNT; b++) {
        const double *part = dcl_grad_get(c->grad, (dcl_block)b);
        if (!part) continue;
        count = dcl_params_count(c->params, (dcl_block)b);
        offset = dcl_params_offset(c->params, (dcl_block)b);
        for (i = 0; i < c->desc.count; i++) {
            const double *row = c->directions + (size_t)i * size + offset;
            double sum = 0;
            for (k = 0; k < count; k++) sum += row[k] * part[k];
            g[i] += sum;
        }
    }
}

double dcx_control_evaluate(dcx_control *c, const double *values, double *g, double *jtj)
{
    size_t size = dcl_params_size(c->params), n = (size_t)c->desc.count;
    dcl_rollout_stats stats;
    double value = INFINITY, start = dcx_seconds(), middle;
    int bad;
    memset(c->directions, 0, n * size * sizeof(double));
    if (c->desc.map(c->desc.user, values, c->params, g ? c->directions : NULL)) return INFINITY;
    memset(&stats, 0, sizeof stats);
    bad = dcl_rollout(c->workspace, c->params, c->state, c->desc.h, c->desc.steps, c->tape,
                      dcxi_control_loss, c, &value, &stats) != DCL_OK;
    middle = dcx_seconds();
    c->evaluations++;
    c->unconverged += stats.unconverged;
    c->residual_max = fmax(c->residual_max, stats.residual_max);
    c->forward_steps += c->desc.steps;
    c->forward_seconds += middle - start;
    if (bad) return INFINITY;
    if (!g) return value;
    memset(g, 0, n * sizeof(double));
    if (jtj) {
        memset(jtj, 0, n * n * sizeof(double));
        c->g = g;
        c->jtj = jtj;
        bad = dcl_rollout_tangent(c->workspace, c->params, c->tape, c->desc.count, c->directions,
                                  dcxi_control_tangent, c) != DCL_OK;
    } else {
        dcl_grad_reset(c->grad);
        bad = dcl_rollout_adjoint(c->workspace, c->params, c->tape, dcxi_control_loss, c, c->grad,
                                  NULL) != DCL_OK;
        dcxi_control_chain(c, g);
    }
    c->backward_steps += c->desc.steps;
    c->backward_seconds += dcx_seconds() - middle;
    return bad ? INFINITY : value;
}

/* ---- one start ------------------------------------------------------------------------------- */

static int dcxi_control_point(dcx_control_run *run, long long steps, double loss)
{
    if (run->curve_count == run->curve_capacity) {
        int capacity = run->curve_capacity ? 2 * run->curve_capacity : 64;
        double *more = (double *)realloc(run->curve, 2 * (size_t)capacity * sizeof(double));
        if (!more) return -1;
        run->curve = more;
        run->curve_capacity = capacity;
    }
    run->curve[2 * run->curve_count] = (double)steps;
    run->curve[2 * run->curve_count++ + 1] = loss;
    return 0;
}

static double dcxi_control_function(void *user, const double *x, double *g, double *jtj)
{
    dcx_control *c = (dcx_control *)user;
    dcx_control_run *run = &c->runs[c->run_count - 1];
    double f = dcx_control_evaluate(c, x, g, jtj);
    long long steps = c->forward_steps + c->backward_steps - run->time_steps;
    if (!run->evaluations++) run->loss_final = f;
    if (run->loss_initial != run->loss_initial) run->loss_initial = f;
    if (f <= run->loss_final) {
        run->loss_final = f;
        if (dcxi_control_point(run, steps, f)) return INFINITY;
    }
    return f;
}

static void dcxi_control_finish(const dcx_control *c, dcx_control_run *run)
{
    double near_end = run->loss_final + 0.01 * (run->loss_initial - run->loss_final);
    int k;
    run->time_steps = c->forward_steps + c->backward_steps - run->time_steps;
    run->forward_seconds = c->forward_seconds - run->forward_seconds;
    run->backward_seconds = c->backward_seconds - run->backward_seconds;
    for (k = 0; k < run->curve_count - 1 && run->curve[2 * k + 1] > near_end; k++) continue;
    if (k < run->curve_count) run->steps_converged = (long long)run->curve[2 * k];
}

int dcx_control_minimize(dcx_control *c, dcx_optim_method method, uint64_t seed, double *values)
{
    dcx_optim_desc desc = dcx_default_optim_desc(method, c->desc.count, values);
    dcx_control_run *run =
        (dcx_control_run *)realloc(c->runs, (size_t)(c->run_count + 1) * sizeof *c->runs);
    if (!run) return -1;
    c->runs = run;
    run = &c->runs[c->run_count++];
    memset(run, 0, sizeof *run);
    /* CMA-ES never looks at its start itself. */
    run->loss_initial = method == DCX_CMAES ? dcx_control_evaluate(c, values, NULL, NULL) : NAN;
    run->time_steps = c->forward_steps + c->backward_steps; /* until the end: where it began */
    run->forward_seconds = c->forward_seconds;
    run->backward_seconds = c->backward_seconds;
    desc.lower = c->desc.lower;
    desc.upper = c->desc.upper;
    desc.target = c->desc.target;
    desc.tolerance_value = 1e-6;
    desc.seed = seed;
    desc.max_evaluations = c->desc.evaluations * (method == DCX_CMAES || method == DCX_ES ? 10 : 1);
    dcx_optim_minimize(&desc, dcxi_control_function, c, values);
    dcxi_control_finish(c, &c->runs[c->run_count - 1]);
    return 0;
}

int dcx_control_starts(dcx_control *c, dcx_app *app)
{
    const double *lower = c->desc.start_lower ? c->desc.start_lower : c->desc.lower;
    const double *upper = c->desc.start_upper ? c->desc.start_upper : c->desc.upper;
    dcx_random random;
    int k, i;
    dcx_random_init(&random, app->seed);
    for (k = 0; k < app->seeds; k++) {
        double start[DCX_CONTROL_MOST], values[DCX_CONTROL_MOST];
        const dcx_control_run *run;
        for (i = 0; i < c->desc.count; i++)
            start[i] = lower[i] + (upper[i] - lower[i]) * dcx_random_uniform(&random);
        memcpy(values, start, sizeof start);
        dcx_app_progress(app, "optimising", (double)k / app->seeds);
        if (dcx_control_minimize(c, dcx_optim_method_named(app->method), app->seed + (unsigned)k,
                                 values))
            return -1;
        run = &c->runs[c->run_count - 1];
        dcx_app_print(app, "start %d: loss %.4g -> %.4g (%.3g %%), %d evaluations, %.1f s\n", k + 1,
                      run->loss_initial, run->loss_final, 100 * run->loss_final / run->loss_initial,
                      run->evaluations, run->forward_seconds + run->backward_seconds);
        if (!(run->loss_final < c->loss)) continue;
        c->loss = run->loss_final;
        c->loss_start = run->loss_initial;
        memcpy(c->best, values, sizeof values);
        memcpy(c->start, start, sizeof start);
    }
    dcx_app_progress(app, "optimising", 1);
    return 0;
}

int dcx_control_replay(dcx_control *c, const double *values, double *frames, double *handles)
{
    size_t n3 = 3 * (size_t)dcl_model_count_vertices(c->desc.model);
    size_t all = dcl_params_count(c->params, DCL_PARAM_HANDLE);
    int k;
    if (c->desc.map(c->desc.user, values, c->params, NULL)) return -1;
    dcl_state_reset(c->state, c->params);
    memcpy(frames, c->state->x, n3 * sizeof(double));
    for (k = 1; k <= c->desc.steps; k++) {
        if (dcl_step(c->workspace, c->params, c->state, c->desc.h, NULL, NULL) != DCL_OK) return -1;
        memcpy(frames + (size_t)k * n3, c->state->x, n3 * sizeof(double));
    }
    if (handles && all)
        memcpy(handles, dcl_params_get(c->params, DCL_PARAM_HANDLE), all * sizeof(double));
    return 0;
}

/* ---- output ---------------------------------------------------------------------------------- */

int dcx_control_chart(dcx_control *c, const char *y_label, dcx_plot_desc *chart)
{
    static const char *const labels[DCX_CONTROL_CURVES] = {"start 1", "start 2", "start 3",
                                                           "start 4", "start 5", "start 6"};
    int k, i, total = 0;
    double *at;
    c->chart_count = c->run_count < DCX_CONTROL_CURVES ? c->run_count : DCX_CONTROL_CURVES;
    for (k = 0; k < c->chart_count; k++) total += c->runs[k].curve_count;
    at = (double *)realloc(c->chart_xy, 2 * ((size_t)total + 1) * sizeof(double));
    if (!at) return -1;
    c->chart_xy = at;
    memset(c->series, 0, sizeof c->series);
    for (k = 0; k < c->chart_count; k++) {
        int count = c->runs[k].curve_count;
        for (i = 0; i < count; i++) {
            at[i] = c->runs[k].curve[2 * i];
            at[count + i] = c->runs[k].curve[2 * i + 1];
        }
        c->series[k].label = labels[k];
        c->series[k].count = count;
        c->series[k].x = at;
        c->series[k].y = at + count;
        at += 2 * count;
    }
    *chart = dcx_default_plot_desc();
    chart->title = "Best loss so far";
    chart->x_label = "time steps, forward and backward";
    chart->y_label = y_label;
    chart->log_y = 1;
    chart->series_count = c->chart_count;
    chart->series = c->series;
    return 0;
}

static void dcxi_control_json_run(dcx_json *json, const dcx_control_run *run)
{
    dcx_json_object(json, NULL);
    dcx_json_number(json, "loss_initial", run->loss_initial);
    dcx_json_number(json, "loss_final", run->loss_final);
    dcx_json_integer(json, "evaluations", run->evaluations);
    dcx_json_integer(json, "time_steps", run->time_steps);
    dcx_json_integer(json, "steps_converged", run->steps_converged);
    dcx_json_number(json, "forward_seconds", run->forward_seconds);
    dcx_json_number(json, "backward_seconds", run->backward_seconds);
    dcx_json_numbers(json, "curve", run->curve, 2 * run->curve_count);
    dcx_json_close(json);
}

void dcx_control_json(dcx_json *json, const dcx_control *c)
{
    double forward = (double)c->forward_steps, backward = (double)c->backward_steps;
    int k;
    dcx_json_number(json, "forward_ms_per_step", 1e3 * c->forward_seconds / forward);
    dcx_json_number(json, "backward_ms_per_step", 1e3 * c->backward_seconds / backward);
    dcx_json_number(json, "residual_max", c->residual_max);
    dcx_json_integer(json, "unconverged_steps", c->unconverged);
    dcx_json_number(json, "loss_initial", c->loss_start);
    dcx_json_number(json, "loss_final", c->loss);
    dcx_json_integer(json, "evaluations", c->evaluations);
    dcx_json_integer(json, "time_steps", c->forward_steps + c->backward_steps);
    dcx_json_array(json, "runs");
    for (k = 0; k < c->run_count; k++) dcxi_control_json_run(json, &c->runs[k]);
    dcx_json_close(json);
}

/* ---- grippers -------------------------------------------------------------------------------- */

void dcx_hermite_weights(double s, double weight[4])
{
    double s2 = s * s, s3 = s2 * s;
    weight[0] = 2 * s3 - 3 * s2 + 1;
    weight[1] = s3 - 2 * s2 + s;
    weight[2] = 3 * s2 - 2 * s3;
    weight[3] = s3 - s2;
}

int dcx_gripper_path(dcl_params *params, int handle_count, int first, int count, int steps,
                     const double *places, const double start[3], const double values[9],
                     double *directions)
{
    size_t size = dcl_params_size(params), offset = dcl_params_offset(params, DCL_PARAM_HANDLE);
    int k, i, a;
    for (k = 0; k <= steps; k++) {
        double w[4], p[3];
        dcx_hermite_weights((double)k / steps, w);
        for (i = 0; i < count; i++) {
            size_t at = 3 * ((size_t)k * (size_t)handle_count + (size_t)(first + i));
            for (a = 0; a < 3; a++) {
                p[a] = places[3 * i + a] + (w[0] - 1) * start[a] + w[2] * values[a] +
                       w[1] * values[3 + a] + w[3] * values[6 + a];
                if (!directions) continue;
                directions[(size_t)a * size + offset + at + (size_t)a] = w[2];
                directions[(size_t)(3 + a) * size + offset + at + (size_t)a] = w[1];
                directions[(size_t)(6 + a) * size + offset + at + (size_t)a] = w[3];
            }
            if (dcl_params_set(params, DCL_PARAM_HANDLE, at, 3, p) != DCL_OK) return -1;
        }
    }
    return 0;
}

#endif /* DCX_CONTROL_IMPLEMENTATION */

/* Public domain or MIT, at your choice: see LICENSE. */
