/* test_control.c - dcx_control.h: gripper paths, the gradient chained through them, the cost. */
#define DCX_CONTROL_IMPLEMENTATION
#include "../examples/dcx_control.h"
#include "../examples/dcx_mesh.h"
#include "test.h"

enum { SIDE = 5, STEPS = 12, UNKNOWNS = 18 };

/* A cloth held at two corners, two vertices each, over a ball with friction. */
typedef struct scene {
    dcx_mesh mesh;
    dcl_model *model;
    dcl_obstacle ball;
    dcl_handle hold[4];
    double places[12];
    double lower[UNKNOWNS], upper[UNKNOWNS];
    dcx_control_term terms[3];
} scene;

static int map(void *user, const double *values, dcl_params *params, double *directions)
{
    const scene *s = (const scene *)user;
    size_t row = 9 * dcl_params_size(params);
    return dcx_gripper_path(params, 4, 0, 2, STEPS, s->places, s->places, values, directions) ||
                   dcx_gripper_path(params, 4, 2, 2, STEPS, s->places + 6, s->places + 6, values + 9,
                                    directions ? directions + row : NULL)
               ? -1
               : 0;
}

static void setup(scene *s, dcx_control *c, int mean)
{
    static const int held[4] = {0, 1, SIDE - 1, SIDE - 2}, seen[3] = {12, 24, 22};
    const double centre[3] = {0.02, -0.22, 0.01};
    dcl_model_desc desc = dcl_default_model_desc();
    dcx_control_desc control;
    int k, a;
    memset(s, 0, sizeof *s);
    CHECK_EQ(dcx_mesh_grid(&s->mesh, SIDE, SIDE, 0.4, 0.4, DCX_DIAGONALS_ONE, DCX_PLANE_XZ, NULL), 0);
    s->ball = dcl_sphere(centre, 0.2, 0.3);
    for (k = 0; k < 4; k++) {
        s->hold[k].vertex = held[k];
        s->hold[k].kind = DCL_HANDLE_SOFT;
        s->hold[k].stiffness = 300;
        memcpy(s->places + 3 * k, s->mesh.positions + 3 * held[k], 3 * sizeof(double));
    }
    desc.vertex_count = s->mesh.vertex_count;
    desc.positions = s->mesh.positions;
    desc.triangle_count = s->mesh.triangle_count;
    desc.triangles = s->mesh.triangles;
    desc.obstacle_count = 1;
    desc.obstacles = &s->ball;
    desc.handle_count = 4;
    desc.handles = s->hold;
    desc.handle_frames = STEPS + 1;
    desc.bend = 1e-2;
    CHECK_EQ(dcl_model_create(&desc, &s->model), DCL_OK);
    for (k = 0; k < UNKNOWNS; k++) s->lower[k] = -2, s->upper[k] = 2;
    for (k = 0; k < 3; k++) {
        s->terms[k].frame = k ? STEPS : STEPS / 2;
        s->terms[k].vertex = seen[k];
        for (a = 0; a < 3; a++) s->terms[k].weight[a] = 0.5 + 0.25 * a + k;
        s->terms[k].target[1] = 0.1;
    }
    control = dcx_default_control_desc(s->model, 0.01, STEPS);
    control.count = UNKNOWNS;
    control.lower = s->lower;
    control.upper = s->upper;
    control.map = map;
    control.user = s;
    control.blocks = DCL_BLOCK_BIT(DCL_PARAM_HANDLE);
    control.term_count = 3;
    control.terms = s->terms;
    control.mean = mean;
    CHECK_EQ(dcx_control_create(c, &control), 0);
}

static void teardown(scene *s, dcx_control *c)
{
    dcx_control_destroy(c);
    dcl_model_destroy(s->model);
    dcx_mesh_destroy(&s->mesh);
}

static void some_values(const scene *s, double *values)
{
    int k;
    for (k = 0; k < UNKNOWNS; k++)
        values[k] = k % 9 < 3 ? s->places[k < 9 ? k : k - 3] + 0.03 * sin(k + 1.0)
                              : 0.1 * cos(2.0 * k);
}

static void check_gradient(int mean)
{
    scene s;
    dcx_control c;
    double values[UNKNOWNS], g[UNKNOWNS], gt[UNKNOWNS], jtj[UNKNOWNS * UNKNOWNS], size = 0, f;
    int k;
    setup(&s, &c, mean);
    some_values(&s, values);
    f = dcx_control_evaluate(&c, values, g, NULL);
    CHECK_REL(dcx_control_evaluate(&c, values, gt, jtj), f, 0);
    for (k = 0; k < UNKNOWNS; k++) size = fmax(size, fabs(g[k]));
    CHECK(size > 1e-3);
    for (k = 0; k < UNKNOWNS; k++) {
        double at = values[k], e = 1e-5, plus, minus;
        values[k] = at + e;
        plus = dcx_control_evaluate(&c, values, NULL, NULL);
        values[k] = at - e;
        minus = dcx_control_evaluate(&c, values, NULL, NULL);
        values[k] = at;
        CHECK_NEAR(g[k], (plus - minus) / (2 * e), 1e-6 * size);
        CHECK_NEAR(gt[k], g[k], 1e-9 * size);
        CHECK(jtj[k * UNKNOWNS + k] >= 0);
    }
    CHECK_EQ(c.unconverged, 0);
    teardown(&s, &c);
}

static void gradient_through_paths(void)
{
    check_gradient(0);
}

static void gradient_of_the_mean(void)
{
    check_gradient(1);
}

/* Start, end and both slopes of a path, and the offset that a jaw keeps. */
static void path_ends(void)
{
    scene s;
    dcx_control c;
    double values[UNKNOWNS], w[4], v[4], e = 1e-7;
    const double *path;
    int a;
    setup(&s, &c, 0);
    some_values(&s, values);
    CHECK_EQ(map(&s, values, c.params, NULL), 0);
    path = dcl_params_get(c.params, DCL_PARAM_HANDLE);
    for (a = 0; a < 3; a++) {
        CHECK_NEAR(path[a], s.places[a], 1e-15);
        CHECK_NEAR(path[STEPS * 12 + a], values[a], 1e-15);
        CHECK_NEAR(path[STEPS * 12 + 3 + a] - path[STEPS * 12 + a], s.places[3 + a] - s.places[a],
                   1e-15);
    }
    dcx_hermite_weights(0, w);
    dcx_hermite_weights(e, v);
    CHECK_NEAR((v[1] - w[1]) / e, 1, 1e-6);
    CHECK_NEAR((v[3] - w[3]) / e, 0, 1e-6);
    dcx_hermite_weights(1, w);
    dcx_hermite_weights(1 - e, v);
    CHECK_NEAR((w[1] - v[1]) / e, 0, 1e-6);
    CHECK_NEAR((w[3] - v[3]) / e, 1, 1e-6);
    teardown(&s, &c);
}

/* Minimising lowers the loss, counts its steps, and keeps a falling curve. */
static void minimising(void)
{
    scene s;
    dcx_control c;
    double values[UNKNOWNS];
    const dcx_control_run *run;
    int k;
    setup(&s, &c, 0);
    c.desc.evaluations = 15;
    some_values(&s, values);
    CHECK_EQ(dcx_control_minimize(&c, DCX_LBFGSB, 1, values), 0);
    run = &c.runs[0];
    CHECK(run->loss_final < 0.5 * run->loss_initial);
    CHECK_REL(dcx_control_evaluate(&c, values, NULL, NULL), run->loss_final, 1e-12);
    CHECK_EQ(run->time_steps, 2 * STEPS * run->evaluations);
    for (k = 1; k < run->curve_count; k++) CHECK(run->curve[2 * k + 1] <= run->curve[2 * k - 1]);
    CHECK(run->steps_converged <= run->time_steps);
    teardown(&s, &c);
}

void suite_control(void);
void suite_control(void)
{
    TEST_RUN(path_ends);
    TEST_RUN(gradient_through_paths);
    TEST_RUN(gradient_of_the_mean);
    TEST_RUN(minimising);
}
