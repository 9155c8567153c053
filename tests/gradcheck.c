/* gradcheck.c - every gradient against central differences.

   build/gradcheck [--scene S] [--param P]: one JSON line per scene and parameter block. The loss is a
   fixed random quadratic of all positions and velocities of all frames. For each block the derivative
   along the gradient itself and along a random direction is compared, the step swept over six
   decades; the worse of the two is printed, with the observed order of the difference and the
   number of sampled points at which some contact took another branch than at the centre (those
   steps are not used). Where a block may not go below its value, such as friction at zero, the
   one-sided difference of second order stands in for the central one. */
#include "scenes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP = 13 };

typedef struct check {
    scene s;
    dcl_model *model;
    dcl_params *params, *moved;
    dcl_state *state;
    dcl_workspace *ws;
    dcl_tape *tape;
    dcl_grad *grad;
    dcl_contact *contacts;
    int most; /* of them */
    double *direction, *base;
    double residual;
} check;

/* Weights of the loss, from a hash of frame and coordinate. */
static double weight(int frame, int k)
{
    unsigned seed = (unsigned)(frame * 7919 + k * 104729 + 17);
    scene_random(&seed);
    return scene_random(&seed);
}

static double loss(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    int n3 = 3 * ((const scene *)user)->desc.vertex_count, k;
    double value = 0;
    for (k = 0; k < n3; k++) {
        double a = weight(frame, k), b = 0.1 * weight(frame, k + 7777);
        value += a * state->x[k] + 0.5 * state->x[k] * state->x[k] + b * state->v[k];
        if (adj_x) {
            adj_x[k] += a + state->x[k];
            adj_v[k] += b;
        }
    }
    return value;
}

static void log_line(dcl_result code, const char *text, void *user)
{
    if (code == DCL_ERROR_BAD_ARGUMENT && ((const scene *)user)->quiet) return;
    fprintf(stderr, "gradcheck: %s: %s\n", dcl_result_name(code), text);
}

/* Loss of the parameters, and a hash of the branches that its contacts took. */
static double run(check *c, const dcl_params *p, dcl_tape *tape, uint64_t *branches)
{
    double value;
    int k, i;
    dcl_step_stats stats;
    *branches = 14695981039346656037u;
    dcl_state_reset(c->state, p);
    if (tape) dcl_tape_reset(tape);
    value = loss(&c->s, 0, c->state, NULL, NULL);
    for (k = 0; k < c->s.steps; k++) {
        int count;
        if (dcl_step(c->ws, p, c->state, c->s.h, tape, &stats) != DCL_OK) return NAN;
        c->residual = fmax(c->residual, stats.residual);
        count = dcl_workspace_get_contacts(c->ws, c->most, c->contacts);
        for (i = 0; i < count && i < c->most; i++) {
            const dcl_contact *t = &c->contacts[i];
            uint64_t word = ((uint64_t)t->vertex[0] * 64 + (uint64_t)t->obstacle) * 4 + (uint64_t)t->branch;
            word += (uint64_t)t->vertex[1] * 65599 + (uint64_t)t->vertex[2] * 4099 + (uint64_t)t->vertex[3] * 257;
            *branches = (*branches ^ (word + (uint64_t)k * 1000003u)) * 1099511628211u;
        }
        value += loss(&c->s, k + 1, c->state, NULL, NULL);
    }
    return value;
}

/* Silent: the caller tries another way when a value is out of range. */
static double moved_loss(check *c, dcl_block block, double step, uint64_t *branches)
{
    size_t count = dcl_params_count(c->params, block), k;
    const double *from = dcl_params_get(c->params, block);
    for (k = 0; k < count; k++) c->base[k] = from[k] + step * c->direction[k];
    dcl_params_copy(c->moved, c->params);
    if (dcl_params_set(c->moved, block, 0, count, c->base) != DCL_OK) return NAN;
    return run(c, c->moved, NULL, branches);
}

/* The natural size of a block's change: a hundredth of its values, or of 1. */
static double block_scale(const check *c, dcl_block block)
{
    size_t count = dcl_params_count(c->params, block), k;
    const double *p = dcl_params_get(c->params, block);
    double largest = 0;
    for (k = 0; k < count; k++) largest = fmax(largest, fabs(p[k]));
    if (block == DCL_PARAM_REST || block == DCL_PARAM_X0 || block == DCL_PARAM_HANDLE) return 0.05;
    return largest > 0 ? largest : 0.1;
}

/* Difference quotient of second order; NAN if a branch changed. */
static double quotient(check *c, dcl_block block, double step, double at, uint64_t centre)
{
    uint64_t a, b;
    double plus = moved_loss(c, block, step, &a), other = moved_loss(c, block, -step, &b);
    if (other == other && plus == plus) return a == centre && b == centre ? (plus - other) / (2 * step) : NAN;
    if (plus != plus) { /* only downwards */
        step = -step;
        plus = moved_loss(c, block, step, &a);
    }
    other = moved_loss(c, block, 2 * step, &b);
    return a == centre && b == centre ? (4 * plus - other - 3 * at) / (2 * step) : NAN;
}

typedef struct outcome {
    double adjoint, difference, error, order;
    int kinks;
} outcome;

/* Compares along c->direction (unit vector times the block's scale). */
static void compare(check *c, dcl_block block, double at, uint64_t centre, outcome *out)
{
    size_t count = dcl_params_count(c->params, block), k;
    const double *g = dcl_grad_get(c->grad, block);
    double errors[SWEEP], magnitude;
    int i, best = -1;
    out->adjoint = 0;
    out->kinks = 0;
    out->order = 0;
    out->error = HUGE_VAL;
    out->difference = NAN;
    for (k = 0; k < count; k++) out->adjoint += g[k] * c->direction[k];
    magnitude = fabs(out->adjoint);
    for (i = 0; i < SWEEP; i++) {
        double d = quotient(c, block, 0.1 * pow(10, -0.5 * i), at, centre);
        errors[i] = -1;
        if (d != d) {
            out->kinks++;
            continue;
        }
        errors[i] = fabs(d - out->adjoint);
        if (errors[i] < out->error * fmax(magnitude, 1e-300)) {
            out->error = errors[i] / fmax(magnitude, 1e-300);
            out->difference = d;
            best = i;
        }
    }
    if (magnitude < 1e-12 * fabs(at) && best >= 0 && fabs(out->difference) < 1e-12 * fabs(at))
        out->error = 0; /* nothing depends on it, to rounding */
    for (i = 0; i + 2 < SWEEP; i++) /* order between one decade, above the rounding */
        if (errors[i] > 0 && errors[i + 2] > 30 * errors[best >= 0 ? best : 0]) {
            out->order = log10(errors[i] / errors[i + 2]);
            if (fabs(out->order - 2) < 0.05) break;
        }
}

static int check_block(check *c, dcl_block block, double at, uint64_t centre)
{
    size_t count = dcl_params_count(c->params, block), k;
    const double *g = dcl_grad_get(c->grad, block);
    double scale = block_scale(c, block), norm = 0;
    unsigned seed = 99;
    outcome along, random, worse;
    for (k = 0; k < count; k++) norm += g[k] * g[k];
    norm = sqrt(norm);
    for (k = 0; k < count; k++) c->direction[k] = norm > 0 ? g[k] / norm * scale : scale;
    compare(c, block, at, centre, &along);
    for (k = 0; k < count; k++)
        c->direction[k] = scale * (scene_random(&seed) / sqrt((double)count / 3) + 0.5 * c->direction[k] / scale);
    compare(c, block, at, centre, &random);
    worse = random.error > along.error ? random : along;
    printf("{\"scene\":\"%s\",\"param\":\"%s\",\"adjoint\":%.15g,\"difference\":%.15g,"
           "\"rel_err\":%.3g,\"order\":%.3f,\"kinks\":%d}\n",
           c->s.name, dcl_block_name(block), worse.adjoint, worse.difference, worse.error,
           worse.order, worse.kinks);
    return worse.error <= 1e-6;
}

static int check_scene(int index, const char *param)
{
    check *c = (check *)calloc(1, sizeof *c);
    dcl_solver_desc solver = dcl_default_solver_desc();
    uint64_t centre;
    double at;
    int b, bad = 0;
    size_t size;
    if (!c) return 1;
    scene_get(index, &c->s);
    c->s.desc.logger.log = log_line;
    c->s.desc.logger.user = &c->s;
    solver.tolerance = 1e-12;
    if (dcl_model_create(&c->s.desc, &c->model) != DCL_OK) exit(2);
    dcl_params_create(c->model, &c->params);
    dcl_params_create(c->model, &c->moved);
    c->s.setup(&c->s, c->params);
    dcl_state_create(c->params, &c->state);
    dcl_workspace_create(c->model, &solver, &c->ws);
    dcl_tape_create(c->model, c->s.steps, &c->tape);
    dcl_grad_create(c->params, DCL_ALL_BLOCKS, &c->grad);
    size = dcl_params_size(c->params);
    c->most = 10 * c->s.desc.vertex_count;
    c->contacts = (dcl_contact *)malloc((size_t)c->most * sizeof(dcl_contact));
    c->direction = (double *)malloc(size * sizeof(double));
    c->base = (double *)malloc(size * sizeof(double));
    at = run(c, c->params, c->tape, &centre);
    c->s.quiet = 1;
    if (dcl_rollout_adjoint(c->ws, c->params, c->tape, loss, &c->s, c->grad, NULL) != DCL_OK) bad++;
    for (b = 0; b < DCL_PARAM_COUNT; b++) {
        if (!dcl_params_count(c->params, (dcl_block)b)) continue;
        if (param && strcmp(param, dcl_block_name((dcl_block)b)) != 0) continue;
        bad += !check_block(c, (dcl_block)b, at, centre);
    }
    dcl_grad_destroy(c->grad);
    dcl_tape_destroy(c->tape);
    dcl_workspace_destroy(c->ws);
    dcl_state_destroy(c->state);
    dcl_params_destroy(c->moved);
    dcl_params_destroy(c->params);
    dcl_model_destroy(c->model);
    free(c->contacts);
    free(c->direction);
    free(c->base);
    free(c);
    return bad;
}

int main(int argc, char **argv)
{
    const char *wanted = NULL, *param = NULL;
    int i, bad = 0, matched = 0;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            puts("gradcheck: every gradient against central differences, a JSON line each\n"
                 "    --scene S    scenes with S in their name\n"
                 "    --param P    one parameter, such as friction");
            return 0;
        }
        if (!strcmp(argv[i], "--scene") && i + 1 < argc)
            wanted = argv[++i];
        else if (!strcmp(argv[i], "--param") && i + 1 < argc)
            param = argv[++i];
        else {
            fprintf(stderr, "gradcheck: unknown argument %s; takes --scene S, --param P\n", argv[i]);
            return 2;
        }
    }
    for (i = 0; param && i < DCL_PARAM_COUNT && strcmp(dcl_block_name((dcl_block)i), param); i++)
        if (i + 1 == DCL_PARAM_COUNT) {
            fprintf(stderr, "gradcheck: no parameter is called %s\n", param);
            return 2;
        }
    for (i = 0; i < scene_count(); i++) {
        scene s;
        scene_get(i, &s);
        if (wanted && !strstr(s.name, wanted)) continue;
        matched++;
        bad += check_scene(i, param);
        fflush(stdout);
    }
    if (!matched) {
        fprintf(stderr, "gradcheck: no scene is called %s\n", wanted);
        return 2;
    }
    fprintf(stderr, "gradcheck: %d scenes, %d gradients beyond 1e-6\n", matched, bad);
    return bad ? 1 : 0;
}
