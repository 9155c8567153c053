/* values.c - a short scene with everything in it, and its motion and gradient as numbers.

   values                        prints one number per line
   values --compare FILE TOL     computes again; 0 if every number is within TOL of FILE's, relative
                                 to the largest of its block

   So that two builds of the library can be held against each other (D05). C99 and C++11. */
#ifdef VALUES_SINGLE
#define DIFFCLOTH_IMPLEMENTATION
#include "diffcloth_single.h"
#else
#include "diffcloth.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, N = SIDE * SIDE, M = 2 * (SIDE - 1) * (SIDE - 1) };

static double x[3 * N];
static int triangles[3 * M];

static void patch(void)
{
    int i, j, k = 0;
    for (i = 0; i < SIDE; i++)
        for (j = 0; j < SIDE; j++) {
            double *at = x + 3 * (i * SIDE + j);
            at[0] = 0.2 * i;
            at[1] = 0.01 * ((i * 7 + j * 3) % 5);
            at[2] = 0.2 * j;
        }
    for (i = 0; i + 1 < SIDE; i++)
        for (j = 0; j + 1 < SIDE; j++) {
            int a = i * SIDE + j, *t = triangles + 6 * k++;
            t[0] = a, t[1] = a + 1, t[2] = a + SIDE + 1;
            t[3] = a, t[4] = a + SIDE + 1, t[5] = a + SIDE;
        }
}

static double loss(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    double sum = 0;
    int k;
    (void)user;
    for (k = 0; k < 3 * N; k++) {
        double w = 1 + 0.1 * (k % 7) + 0.01 * frame;
        sum += 0.5 * w * state->x[k] * state->x[k];
        if (adj_x) adj_x[k] += w * state->x[k];
    }
    (void)adj_v;
    return sum;
}

static void refuse(dcl_result code, const char *text, void *user)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", dcl_result_name(code), text);
}

static dcl_model *model_create(void)
{
    static const double ground[3] = {0, -0.005, 0}, up[3] = {0.05, 1, 0},
                        centre[3] = {0.3, -0.1, 0.3};
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_handle handles[2];
    dcl_obstacle obstacles[2];
    dcl_model *model;
    memset(handles, 0, sizeof handles);
    handles[0].vertex = 0;
    handles[0].kind = DCL_HANDLE_HARD;
    handles[1].vertex = SIDE - 1;
    handles[1].kind = DCL_HANDLE_SOFT;
    handles[1].stiffness = 40;
    obstacles[0] = dcl_plane(ground, up, 0.3);
    obstacles[1] = dcl_sphere(centre, 0.11, 0.4);
    obstacles[1].velocity[0] = 0.2;
    obstacles[1].angular_velocity[2] = 1;
    desc.vertex_count = N;
    desc.positions = x;
    desc.triangle_count = M;
    desc.triangles = triangles;
    desc.handle_count = 2;
    desc.handles = handles;
    desc.obstacle_count = 2;
    desc.obstacles = obstacles;
    desc.damping = 0.02;
    desc.drag = 0.03;
    desc.logger.log = refuse;
    return dcl_model_create(&desc, &model) ? NULL : model;
}

static void values_set(dcl_params *params)
{
    static const double wind[3] = {0.002, 0.001, 0.004}, air[3] = {1, 0.5, 3};
    double v[3 * N];
    int k;
    for (k = 0; k < 3 * N; k++) v[k] = 0.05 * ((k * 37) % 11 - 5);
    dcl_params_set(params, DCL_PARAM_V0, 0, 3 * N, v);
    dcl_params_set(params, DCL_PARAM_WIND_FORCE, 0, 3, wind);
    dcl_params_set1(params, DCL_PARAM_WIND_FREQUENCY, 9);
    dcl_params_set(params, DCL_PARAM_AIR_VELOCITY, 0, 3, air);
    dcl_params_set1(params, DCL_PARAM_AIR_NORMAL, 1.3);
    dcl_params_set1(params, DCL_PARAM_AIR_TANGENT, 0.2);
}

/* One block of the output. */
typedef struct sink {
    FILE *reference; /* NULL: print */
    double tolerance, worst;
} sink;

static void put(sink *out, const double *values, size_t count)
{
    double size = 0, off = 0, r;
    size_t k;
    for (k = 0; k < count; k++) {
        if (!out->reference) {
            printf("%.17g\n", values[k]);
        } else if (fscanf(out->reference, "%lf", &r) == 1) {
            size = fmax(size, fabs(r));
            off = fmax(off, fabs(values[k] - r));
        } else {
            off = HUGE_VAL;
        }
    }
    if (off > out->worst * size) out->worst = size > 0 ? off / size : off;
}

static int run(sink *out, int steps)
{
    dcl_solver_desc solver = dcl_default_solver_desc();
    dcl_model *model;
    dcl_params *params = NULL;
    dcl_state *state = NULL;
    dcl_workspace *workspace = NULL;
    dcl_tape *tape = NULL;
    dcl_grad *grad = NULL;
    dcl_result code;
    double value = 0;
    int b;
    patch();
    solver.tolerance = 1e-14; /* as far as it goes, so that the path there does not matter */
    solver.newton_limit = 30;
    solver.pd_limit = 100;
    model = model_create();
    if (!model) return 1;
    code = dcl_params_create(model, &params);
    if (!code) values_set(params);
    if (!code) code = dcl_state_create(params, &state);
    if (!code) code = dcl_workspace_create(model, &solver, &workspace);
    if (!code) code = dcl_tape_create(model, steps, &tape);
    if (!code) code = dcl_grad_create(params, DCL_ALL_BLOCKS, &grad);
    if (!code)
        code = dcl_rollout(workspace, params, state, 0.01, steps, tape, loss, NULL, &value, NULL);
    if (!code) code = dcl_rollout_adjoint(workspace, params, tape, loss, NULL, grad, NULL);
    if (!code) {
        put(out, &value, 1);
        put(out, state->x, 3 * N);
        put(out, state->v, 3 * N);
        for (b = 0; b < DCL_PARAM_COUNT; b++)
            put(out, dcl_grad_get(grad, (dcl_block)b), dcl_params_count(params, (dcl_block)b));
    }
    dcl_grad_destroy(grad);
    dcl_tape_destroy(tape);
    dcl_workspace_destroy(workspace);
    dcl_state_destroy(state);
    dcl_params_destroy(params);
    dcl_model_destroy(model);
    return code != DCL_OK;
}

int main(int argc, char **argv)
{
    sink out;
    int bad;
    memset(&out, 0, sizeof out);
    if (argc == 4 && !strcmp(argv[1], "--compare")) {
        out.reference = fopen(argv[2], "r");
        out.tolerance = strtod(argv[3], NULL);
        if (!out.reference) return 2;
    }
    bad = run(&out, 4);
    if (!out.reference) return bad;
    fclose(out.reference);
    printf("largest difference %.2g, allowed %.2g\n", out.worst, out.tolerance);
    return bad || !(out.worst <= out.tolerance);
}
