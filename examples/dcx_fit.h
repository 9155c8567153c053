/* dcx_fit.h - fits parameters of a cloth to a recorded motion.

   Do this in ONE source file that also has the implementations of diffcloth.h, dcx_app.h and dcx_optim.h:

       #define DCX_FIT_IMPLEMENTATION
       #include "dcx_fit.h"

       dcx_fit fit;
       if (dcx_fit_create(&fit, model, h, frames, frame_count, variables, count) < 0) ...
       dcx_fit_window(&fit, 0, 40);                        first window: frames 0 .. 40
       info = dcx_fit_minimize(&fit, DCX_LM, 50, values);  values: in the start, out the result
       dcx_fit_destroy(&fit);

   The misfit is half the mean over windows, frames and vertices of the squared distance. A window
   starts from a recorded frame, with the velocity that leads to it, so that several short windows fit
   a motion that no long run could follow (multiple shooting). Levenberg-Marquardt gets J^T J from
   the tangent of the steps, the other methods get the gradient from their adjoint. */
#ifndef DCX_FIT_H
#define DCX_FIT_H

#include "../diffcloth.h"
#include "dcx_app.h"
#include "dcx_optim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DCX_FIT_MOST = 8, DCX_FIT_WINDOWS = 64 };

/* One number of the parameter vector and its bounds. */
typedef struct dcx_fit_variable {
    const char *name, *unit;
    dcl_block block;
    int index;
    double lower, upper;
} dcx_fit_variable;

/* Fills one. */
void dcx_fit_unknown(dcx_fit_variable *variable, const char *name, const char *unit,
                     dcl_block block, int index, double lower, double upper);

typedef struct dcx_fit {
    const dcl_model *model;
    dcl_params *params; /* the values of the last evaluation */
    dcl_state *state;
    dcl_workspace *workspace;
    dcl_tape *tape;
    dcl_grad *grad;
    double h;
    int frame_count, vertex_count, variable_count, window_count;
    const double *frames; /* frame_count x n x 3 */
    dcx_fit_variable variables[DCX_FIT_MOST];
    int first[DCX_FIT_WINDOWS], length[DCX_FIT_WINDOWS];
    double *directions;    /* variable_count x size of the parameter vector */
    double *adj_x, *adj_v; /* n x 3 */
    /* what it took */
    long long forward_steps, backward_steps;
    double forward_seconds, backward_seconds, residual_max;
    int unconverged, evaluations;
    double history[512]; /* misfit of every evaluation */
} dcx_fit;

/* 0, or -1 when memory ran out. `frames` must stay; the model too. */
int dcx_fit_create(dcx_fit *fit, const dcl_model *model, double h, const double *frames,
                   int frame_count, const dcx_fit_variable *variables, int count);
void dcx_fit_destroy(dcx_fit *fit);

/* One window from frame `first` over `length` steps replaces all; or add another. */
void dcx_fit_window(dcx_fit *fit, int first, int length);
void dcx_fit_window_add(dcx_fit *fit, int first, int length);

/* The misfit, Inf where the motion cannot be computed; g (count) and jtj (count x count) unless
   NULL. */
double dcx_fit_evaluate(dcx_fit *fit, const double *values, double *g, double *jtj);

dcx_optim_info dcx_fit_minimize(dcx_fit *fit, dcx_optim_method method, int evaluations,
                                double *values);

/* What the fit took so far, as members of the JSON line: milliseconds per step, worst residual. */
void dcx_fit_json(dcx_json *json, const dcx_fit *fit);

/* The values by the names of the variables, blanks made underscores, as an object of the JSON line.
 */
void dcx_fit_json_values(dcx_json *json, const char *key, const dcx_fit_variable *variables,
                         int count, const double *values);

/* Root mean square distance over the windows for a misfit. */
double dcx_fit_distance(double misfit);

#ifdef __cplusplus
}
#endif

#endif /* DCX_FIT_H */

#if defined(DCX_FIT_IMPLEMENTATION) && !defined(DCX_FIT_IMPLEMENTED)
#define DCX_FIT_IMPLEMENTED

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dcx_fit_unknown(dcx_fit_variable *v, const char *name, const char *unit, dcl_block block,
                     int index, double lower, double upper)
{
    v->name = name;
    v->unit = unit;
    v->block = block;
    v->index = index;
    v->lower = lower;
    v->upper = upper;
}

int dcx_fit_create(dcx_fit *fit, const dcl_model *model, double h, const double *frames,
                   int frame_count, const dcx_fit_variable *variables, int count)
{
    size_t size, n3;
    int k;
    memset(fit, 0, sizeof *fit);
    fit->model = model;
    fit->h = h;
    fit->frames = frames;
    fit->frame_count = frame_count;
    fit->vertex_count = dcl_model_count_vertices(model);
    fit->variable_count = count;
    memcpy(fit->variables, variables, (size_t)count * sizeof *variables);
    n3 = 3 * (size_t)fit->vertex_count;
    if (dcl_params_create(model, &fit->params) != DCL_OK ||
        dcl_state_create(fit->params, &fit->state) != DCL_OK ||
        dcl_workspace_create(model, NULL, &fit->workspace) != DCL_OK ||
        dcl_tape_create(model, frame_count, &fit->tape) != DCL_OK ||
        dcl_grad_create(fit->params, DCL_ALL_BLOCKS & ~DCL_BLOCK_BIT(DCL_PARAM_REST),
                        &fit->grad) != DCL_OK)
        return -1;
    size = dcl_params_size(fit->params);
    fit->directions = (double *)calloc((size_t)count * size + 2 * n3, sizeof(double));
    if (!fit->directions) return -1;
    fit->adj_x = fit->directions + (size_t)count * size;
    fit->adj_v = fit->adj_x + n3;
    for (k = 0; k < count; k++)
        fit->directions[(size_t)k * size + dcl_params_offset(fit->params, variables[k].block) +
                        (size_t)variables[k].index] = 1;
    dcx_fit_window(fit, 0, frame_count - 1);
    return 0;
}

void dcx_fit_destroy(dcx_fit *fit)
{
    free(fit->directions);
    dcl_grad_destroy(fit->grad);
    dcl_tape_destroy(fit->tape);
    dcl_workspace_destroy(fit->workspace);
    dcl_state_destroy(fit->state);
    dcl_params_destroy(fit->params);
    memset(fit, 0, sizeof *fit);
}

void dcx_fit_window(dcx_fit *fit, int first, int length)
{
    fit->window_count = 0;
    dcx_fit_window_add(fit, first, length);
}

void dcx_fit_window_add(dcx_fit *fit, int first, int length)
{
    if (fit->window_count == DCX_FIT_WINDOWS) return;
    if (length > fit->frame_count - 1 - first) length = fit->frame_count - 1 - first;
    if (length < 1) return;
    fit->first[fit->window_count] = first;
    fit->length[fit->window_count++] = length;
}

/* The recorded frame, or NULL before the first. */
static const double *dcxi_fit_frame(const dcx_fit *fit, int k)
{
    return k < 0 ? NULL : fit->frames + (size_t)k * 3 * (size_t)fit->vertex_count;
}

static double dcxi_fit_weight(const dcx_fit *fit)
{
    double frames = 0;
    int w;
    for (w = 0; w < fit->window_count; w++) frames += fit->length[w];
    return 1 / (frames * fit->vertex_count);
}

/* One window forward, recorded on the tape; adds its squared distances. 0 if a step is refused. */
static int dcxi_fit_run(dcx_fit *fit, int w, double *sum)
{
    size_t n3 = 3 * (size_t)fit->vertex_count, k;
    const double *at = dcxi_fit_frame(fit, fit->first[w]);
    const double *before = dcxi_fit_frame(fit, fit->first[w] - 1);
    double start = dcx_seconds();
    int step;
    memcpy(fit->state->x, at, n3 * sizeof(double));
    for (k = 0; k < n3; k++) fit->state->v[k] = before ? (at[k] - before[k]) / fit->h : 0;
    fit->state->step = fit->first[w];
    fit->state->time = fit->first[w] * fit->h;
    dcl_tape_reset(fit->tape);
    for (step = 1; step <= fit->length[w]; step++) {
        const double *y = dcxi_fit_frame(fit, fit->first[w] + step);
        dcl_step_stats stats;
        if (dcl_step(fit->workspace, fit->params, fit->state, fit->h, fit->tape, &stats) != DCL_OK)
            return 0;
        fit->unconverged += !stats.converged;
        if (stats.residual > fit->residual_max) fit->residual_max = stats.residual;
        for (k = 0; k < n3; k++) *sum += (fit->state->x[k] - y[k]) * (fit->state->x[k] - y[k]);
    }
    fit->forward_steps += fit->length[w];
    fit->forward_seconds += dcx_seconds() - start;
    return 1;
}

typedef struct dcxi_fit_sums {
    const dcx_fit *fit;
    int window;
    double *g, *jtj;
} dcxi_fit_sums;

/* Adds a frame's share of J^T r and J^T J. */
static void dcxi_fit_tangent(void *user, int frame, const dcl_state *state, int count,
                             const double *dx, const double *dv)
{
    dcxi_fit_sums *s = (dcxi_fit_sums *)user;
    size_t n3 = 3 * (size_t)s->fit->vertex_count, k;
    const double *y = dcxi_fit_frame(s->fit, s->fit->first[s->window] + frame);
    double weight = dcxi_fit_weight(s->fit);
    int a, b;
    (void)dv;
    if (frame == 0) return;
    for (a = 0; a < count; a++) {
        const double *da = dx + (size_t)a * n3;
        double sum = 0;
        for (k = 0; k < n3; k++) sum += da[k] * (state->x[k] - y[k]);
        s->g[a] += weight * sum;
        for (b = 0; b <= a; b++) {
            const double *db = dx + (size_t)b * n3;
            for (sum = 0, k = 0; k < n3; k++) sum += da[k] * db[k];
            s->jtj[a * count + b] += weight * sum;
            if (a != b) s->jtj[b * count + a] += weight * sum;
        }
    }
}

/* The gradient of window w, whose steps are on the tape, backwards step by step. */
static int dcxi_fit_adjoint(dcx_fit *fit, int w, double *g)
{
    size_t n3 = 3 * (size_t)fit->vertex_count, k;
    double weight = dcxi_fit_weight(fit);
    int step, a;
    memset(fit->adj_x, 0, n3 * sizeof(double));
    memset(fit->adj_v, 0, n3 * sizeof(double));
    dcl_grad_reset(fit->grad);
    for (step = fit->length[w]; step > 0; step--) {
        const double *y = dcxi_fit_frame(fit, fit->first[w] + step);
        if (dcl_tape_restore(fit->tape, step, fit->state) != DCL_OK) return 0;
        for (k = 0; k < n3; k++) fit->adj_x[k] += weight * (fit->state->x[k] - y[k]);
        if (dcl_step_adjoint(fit->workspace, fit->params, fit->tape, step - 1, fit->adj_x,
                             fit->adj_v, fit->grad, NULL) != DCL_OK)
            return 0;
    }
    for (a = 0; a < fit->variable_count; a++)
        g[a] += dcl_grad_get(fit->grad, fit->variables[a].block)[fit->variables[a].index];
    return 1;
}

double dcx_fit_evaluate(dcx_fit *fit, const double *values, double *g, double *jtj)
{
    int a, w, count = fit->variable_count;
    double sum = 0, misfit, start;
    dcxi_fit_sums sums;
    for (a = 0; a < count; a++)
        if (dcl_params_set(fit->params, fit->variables[a].block, (size_t)fit->variables[a].index,
                           1, &values[a]) != DCL_OK)
            return INFINITY;
    if (g) memset(g, 0, (size_t)count * sizeof(double));
    if (jtj) memset(jtj, 0, (size_t)(count * count) * sizeof(double));
    sums.fit = fit;
    sums.g = g;
    sums.jtj = jtj;
    for (w = 0; w < fit->window_count; w++) {
        if (!dcxi_fit_run(fit, w, &sum)) return INFINITY;
        if (!g) continue;
        start = dcx_seconds();
        sums.window = w;
        if (jtj) {
            if (dcl_rollout_tangent(fit->workspace, fit->params, fit->tape, count, fit->directions,
                                    dcxi_fit_tangent, &sums) != DCL_OK)
                return INFINITY;
        } else if (!dcxi_fit_adjoint(fit, w, g)) {
            return INFINITY;
        }
        fit->backward_steps += fit->length[w];
        fit->backward_seconds += dcx_seconds() - start;
    }
    misfit = 0.5 * sum * dcxi_fit_weight(fit);
    if (fit->evaluations < (int)(sizeof fit->history / sizeof fit->history[0]))
        fit->history[fit->evaluations] = misfit;
    fit->evaluations++;
    return misfit;
}

static double dcxi_fit_function(void *user, const double *x, double *g, double *jtj)
{
    return dcx_fit_evaluate((dcx_fit *)user, x, g, jtj);
}

dcx_optim_info dcx_fit_minimize(dcx_fit *fit, dcx_optim_method method, int evaluations,
                                double *values)
{
    double lower[DCX_FIT_MOST], upper[DCX_FIT_MOST];
    dcx_optim_desc desc = dcx_default_optim_desc(method, fit->variable_count, values);
    int a;
    for (a = 0; a < fit->variable_count; a++) {
        lower[a] = fit->variables[a].lower;
        upper[a] = fit->variables[a].upper;
    }
    desc.lower = lower;
    desc.upper = upper;
    desc.max_evaluations = evaluations;
    return dcx_optim_minimize(&desc, dcxi_fit_function, fit, values);
}

void dcx_fit_json(dcx_json *json, const dcx_fit *fit)
{
    dcx_json_number(json, "forward_ms_per_step",
                    1e3 * fit->forward_seconds / (double)fit->forward_steps);
    dcx_json_number(json, "backward_ms_per_step",
                    1e3 * fit->backward_seconds / (double)fit->backward_steps);
    dcx_json_number(json, "residual_max", fit->residual_max);
    dcx_json_integer(json, "unconverged_steps", fit->unconverged);
}

void dcx_fit_json_values(dcx_json *json, const char *key, const dcx_fit_variable *variables,
                         int count, const double *values)
{
    int k;
    dcx_json_object(json, key);
    for (k = 0; k < count; k++) {
        char name[32];
        size_t i;
        snprintf(name, sizeof name, "%s", variables[k].name);
        for (i = 0; name[i]; i++)
            if (name[i] == ' ') name[i] = '_';
        dcx_json_number(json, name, values[k]);
    }
    dcx_json_close(json);
}

double dcx_fit_distance(double misfit)
{
    return sqrt(2 * misfit);
}

#endif /* DCX_FIT_IMPLEMENTATION */

/* Public domain or MIT, at your choice: see LICENSE. */
