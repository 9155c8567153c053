/* drape.c - the first program of the README: a cloth falls on a ball.
   cc -O2 -I. examples/drape.c -lm -o drape */
#define DIFFCLOTH_IMPLEMENTATION
#include "diffcloth.h"
#include <stdio.h>
#include <string.h>

enum { SIDE = 21, STEPS = 150 };

static double positions[SIDE * SIDE * 3];
static int triangles[2 * (SIDE - 1) * (SIDE - 1) * 3];

static void say(dcl_result code, const char *text, void *user)
{
    (void)user;
    fprintf(stderr, "drape: %s: %s\n", dcl_result_name(code), text);
}

static void make_grid(void) /* 1 m square, flat */
{
    int i, j, *t = triangles;
    for (i = 0; i < SIDE; i++)
        for (j = 0; j < SIDE; j++) {
            double *x = positions + 3 * (i * SIDE + j);
            x[0] = i / (SIDE - 1.0) - 0.5, x[1] = 0, x[2] = j / (SIDE - 1.0) - 0.5;
            if (i == 0 || j == 0) continue;
            *t++ = (i - 1) * SIDE + j - 1, *t++ = (i - 1) * SIDE + j, *t++ = i * SIDE + j;
            *t++ = (i - 1) * SIDE + j - 1, *t++ = i * SIDE + j, *t++ = i * SIDE + j - 1;
        }
}

int main(int argc, char **argv)
{
    const double centre[3] = {0.03, -0.35, 0.02}, radius = 0.3, friction = 0.4;
    dcl_obstacle ball = dcl_sphere(centre, radius, friction);
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_model *model;
    dcl_params *params = NULL;
    dcl_state *state = NULL;
    dcl_workspace *workspace = NULL;
    dcl_step_stats stats;
    double worst = 0, deepest = 0;
    int k, unconverged = 0, ok;

    if (argc > 1 && strcmp(argv[1], "--json") != 0) {
        int help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
        if (help)
            puts("drape: a cloth falls on a ball; --json prints the JSON line only");
        else
            fprintf(stderr, "drape: unknown argument %s; takes --json only\n", argv[1]);
        return help ? 0 : 2;
    }
    make_grid();
    desc.vertex_count = SIDE * SIDE;
    desc.positions = positions;
    desc.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
    desc.triangles = triangles;
    desc.obstacle_count = 1;
    desc.obstacles = &ball;
    desc.damping = 0.02;
    desc.logger.log = say;
    if (dcl_model_create(&desc, &model) != DCL_OK || dcl_params_create(model, &params) != DCL_OK ||
        dcl_state_create(params, &state) != DCL_OK ||
        dcl_workspace_create(model, NULL, &workspace) != DCL_OK)
        return 1;

    for (k = 0; k < STEPS; k++) {
        if (dcl_step(workspace, params, state, 0.01, NULL, &stats) != DCL_OK) return 1;
        if (stats.residual > worst) worst = stats.residual;
        if (stats.penetration > deepest) deepest = stats.penetration;
        unconverged += !stats.converged;
    }
    ok = unconverged == 0 && deepest < 1e-6;
    if (argc == 1)
        printf("%d of %d vertices touch the ball; a corner is at (%.3f, %.3f, %.3f)\n",
               stats.stick_count + stats.slip_count, SIDE * SIDE, state->x[0], state->x[1],
               state->x[2]);
    printf("{\"example\":\"drape\",\"ok\":%s,\"vertices\":%d,\"steps\":%d,\"h\":0.01,"
           "\"residual_max\":%.3g,\"unconverged_steps\":%d,\"penetration_max\":%.3g}\n",
           ok ? "true" : "false", SIDE * SIDE, STEPS, worst, unconverged, deepest);

    dcl_workspace_destroy(workspace);
    dcl_state_destroy(state);
    dcl_params_destroy(params);
    dcl_model_destroy(model);
    return !ok;
}
