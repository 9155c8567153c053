/* gradient.c - the second program of the README: how the place where a cloth ends depends on
   friction, stiffness and wind, exactly, and against finite differences.
   cc -O2 -I. examples/gradient.c -lm -o gradient */
#define DIFFCLOTH_IMPLEMENTATION
#include "diffcloth.h"
#include <stdio.h>
#include <string.h>

enum { SIDE = 9, STEPS = 60 };

static double positions[SIDE * SIDE * 3];
static int triangles[2 * (SIDE - 1) * (SIDE - 1) * 3];

static void say(dcl_result code, const char *text, void *user)
{
    (void)user;
    fprintf(stderr, "gradient: %s: %s\n", dcl_result_name(code), text);
}

static void make_grid(void) /* half a metre square, flat */
{
    int i, j, *t = triangles;
    for (i = 0; i < SIDE; i++)
        for (j = 0; j < SIDE; j++) {
            double *x = positions + 3 * (i * SIDE + j);
            x[0] = 0.5 * i / (SIDE - 1), x[1] = 0.01, x[2] = 0.5 * j / (SIDE - 1);
            if (i == 0 || j == 0) continue;
            *t++ = (i - 1) * SIDE + j - 1, *t++ = (i - 1) * SIDE + j, *t++ = i * SIDE + j;
            *t++ = (i - 1) * SIDE + j - 1, *t++ = i * SIDE + j, *t++ = i * SIDE + j - 1;
        }
}

/* Loss: mean x of the last frame. With adj_x, also its derivative. */
static double loss(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    double sum = 0;
    int i;
    (void)user, (void)adj_v;
    if (frame != STEPS) return 0;
    for (i = 0; i < SIDE * SIDE; i++) {
        sum += state->x[3 * i] / (SIDE * SIDE);
        if (adj_x) adj_x[3 * i] += 1.0 / (SIDE * SIDE);
    }
    return sum;
}

int main(int argc, char **argv)
{
    const double point[3] = {0, 0, 0}, normal[3] = {0.5, 1, 0}, wind[3] = {1e-4, 0, 2e-4};
    const dcl_block blocks[3] = {DCL_PARAM_FRICTION, DCL_PARAM_STRETCH, DCL_PARAM_WIND_FORCE};
    dcl_obstacle slope = dcl_plane(point, normal, 0.2);
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_model *model;
    dcl_params *params = NULL;
    dcl_state *state = NULL;
    dcl_workspace *workspace = NULL;
    dcl_tape *tape = NULL;
    dcl_grad *grad = NULL;
    double value, worst = 0;
    int b;

    if (argc > 1 && strcmp(argv[1], "--json") != 0) {
        int help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
        if (help)
            puts("gradient: how the place where a cloth ends depends on its parameters; --json prints the JSON line only");
        else
            fprintf(stderr, "gradient: unknown argument %s; takes --json only\n", argv[1]);
        return help ? 0 : 2;
    }
    make_grid();
    desc.vertex_count = SIDE * SIDE;
    desc.positions = positions;
    desc.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
    desc.triangles = triangles;
    desc.obstacle_count = 1;
    desc.obstacles = &slope;
    desc.logger.log = say;
    if (dcl_model_create(&desc, &model) != DCL_OK || dcl_params_create(model, &params) != DCL_OK ||
        dcl_state_create(params, &state) != DCL_OK ||
        dcl_workspace_create(model, NULL, &workspace) != DCL_OK ||
        dcl_tape_create(model, STEPS, &tape) != DCL_OK ||
        dcl_grad_create(params, DCL_ALL_BLOCKS, &grad) != DCL_OK)
        return 1;
    dcl_params_set(params, DCL_PARAM_WIND_FORCE, 0, 3, wind);

    /* Forward, recorded; then backward, for every parameter at once. */
    if (dcl_rollout(workspace, params, state, 0.01, STEPS, tape, loss, NULL, &value, NULL) !=
            DCL_OK ||
        dcl_rollout_adjoint(workspace, params, tape, loss, NULL, grad, NULL) != DCL_OK)
        return 1;

    for (b = 0; b < 3; b++) { /* compare */
        double at = dcl_params_get(params, blocks[b])[0], step = 1e-4 * at, plus, minus, d, error;
        double exact = dcl_grad_get(grad, blocks[b])[0];
        dcl_params_set1(params, blocks[b], at + step);
        dcl_rollout(workspace, params, state, 0.01, STEPS, NULL, loss, NULL, &plus, NULL);
        dcl_params_set1(params, blocks[b], at - step);
        dcl_rollout(workspace, params, state, 0.01, STEPS, NULL, loss, NULL, &minus, NULL);
        dcl_params_set1(params, blocks[b], at);
        d = (plus - minus) / (2 * step);
        error = d > exact ? d / exact - 1 : 1 - d / exact;
        if (error < 0) error = -error;
        if (error > worst) worst = error;
        if (argc == 1)
            printf("d mean x / d %-10s  adjoint %.10g  difference %.10g\n",
                   dcl_block_name(blocks[b]), exact, d);
    }
    printf("{\"example\":\"gradient\",\"ok\":%s,\"vertices\":%d,\"steps\":%d,\"h\":0.01,"
           "\"loss\":%.10g,\"rel_err\":%.3g}\n",
           worst < 1e-5 ? "true" : "false", SIDE * SIDE, STEPS, value, worst);

    dcl_grad_destroy(grad);
    dcl_tape_destroy(tape);
    dcl_workspace_destroy(workspace);
    dcl_state_destroy(state);
    dcl_params_destroy(params);
    dcl_model_destroy(model);
    return worst < 1e-5 ? 0 : 1;
}
