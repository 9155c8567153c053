/* test_gradient.c - gradients whose right value is known in closed form, and identities that any
   exact adjoint obeys. Names in brackets such as (G2) are rows of the table of validation cases,
   (G08) with two digits rows of the table of small inputs.

   Implicit Euler: v1 = v0 + h a(x1), x1 = x0 + h v1, so a constant acceleration a moves by
   a h^2 N (N + 1)/2 in N steps. */
#include "scenes.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double G = 9.81;

/* ---- one scene and what it takes to run and differentiate it ----------------------------------
 */

typedef struct rig {
    dcl_model *model;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *ws;
    dcl_tape *tape;
    dcl_grad *grad;
    dcl_rollout_stats stats;
    int n, n3;
    size_t size; /* of the flat vector */
} rig;

static void rig_close(rig *r)
{
    dcl_grad_destroy(r->grad);
    dcl_tape_destroy(r->tape);
    dcl_workspace_destroy(r->ws);
    dcl_state_destroy(r->state);
    dcl_params_destroy(r->params);
    dcl_model_destroy(r->model);
    memset(r, 0, sizeof *r);
}

static int rig_open_with(rig *r, const dcl_model_desc *desc, const dcl_solver_desc *solver,
                         int steps)
{
    memset(r, 0, sizeof *r);
    if (!CHECK(dcl_model_create(desc, &r->model) == DCL_OK)) return 0;
    r->n = desc->vertex_count;
    r->n3 = 3 * r->n;
    if (CHECK(dcl_params_create(r->model, &r->params) == DCL_OK) &&
        CHECK(dcl_state_create(r->params, &r->state) == DCL_OK) &&
        CHECK(dcl_workspace_create(r->model, solver, &r->ws) == DCL_OK) &&
        CHECK(dcl_tape_create(r->model, steps, &r->tape) == DCL_OK) &&
        CHECK(dcl_grad_create(r->params, DCL_ALL_BLOCKS, &r->grad) == DCL_OK)) {
        r->size = dcl_params_size(r->params);
        return 1;
    }
    rig_close(r);
    return 0;
}

static int rig_open(rig *r, const dcl_model_desc *desc, double tolerance, int steps)
{
    dcl_solver_desc solver = dcl_default_solver_desc();
    solver.tolerance = tolerance;
    return rig_open_with(r, desc, &solver, steps);
}

static int scene_open(rig *r, scene *s, double tolerance)
{
    scene_fix(s);
    if (!rig_open(r, &s->desc, tolerance, s->steps)) return 0;
    if (s->setup) s->setup(s, r->params);
    return 1;
}

static void set3(rig *r, dcl_block block, size_t first, double x, double y, double z)
{
    double value[3];
    value[0] = x, value[1] = y, value[2] = z;
    CHECK(dcl_params_set(r->params, block, first, 3, value) == DCL_OK);
}

/* The same first velocity for every vertex. */
static void push_all(rig *r, double x, double y, double z)
{
    int i;
    for (i = 0; i < r->n; i++) set3(r, DCL_PARAM_V0, 3 * (size_t)i, x, y, z);
}

static double dot_n(const double *a, const double *b, size_t count)
{
    double sum = 0;
    size_t k;
    for (k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

/* ---- losses -----------------------------------------------------------------------------------
 */

/* c . x + d . v of the last frame; the weights of one coordinate, or any. */
typedef struct linear_loss {
    int frame, n3;
    const double *c, *d; /* may be NULL */
} linear_loss;

static double linear(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    const linear_loss *l = (const linear_loss *)user;
    double value = 0;
    int k;
    if (frame != l->frame) return 0;
    for (k = 0; k < l->n3; k++) {
        if (l->c) value += l->c[k] * state->x[k];
        if (l->d) value += l->d[k] * state->v[k];
        if (adj_x && l->c) adj_x[k] += l->c[k];
        if (adj_v && l->d) adj_v[k] += l->d[k];
    }
    return value;
}

/* The tangents dx of the last frame, count directions. */
typedef struct last_tangent {
    int frame, n3;
    double *dx;
} last_tangent;

static void keep_last(void *user, int frame, const dcl_state *state, int count, const double *dx,
                      const double *dv)
{
    last_tangent *l = (last_tangent *)user;
    (void)state;
    (void)dv;
    if (frame == l->frame) memcpy(l->dx, dx, (size_t)(count * l->n3) * sizeof *dx);
}

/* Runs, and gives the gradient of c . x_N. Every step must converge. */
static int differentiate(rig *r, double h, int steps, const double *c)
{
    linear_loss l;
    l.frame = steps, l.n3 = r->n3, l.c = c, l.d = NULL;
    dcl_grad_reset(r->grad);
    return CHECK(dcl_rollout(r->ws, r->params, r->state, h, steps, r->tape, NULL, NULL, NULL,
                             &r->stats) == DCL_OK) &&
           CHECK_EQ(r->stats.unconverged, 0) &&
           CHECK(dcl_rollout_adjoint(r->ws, r->params, r->tape, linear, &l, r->grad, &r->stats) ==
                 DCL_OK);
}

/* d(c . x_N) along the direction in parameter space, forwards, over the tape. */
static double tangent_along(rig *r, const double *direction, const double *c)
{
    last_tangent l;
    double value = NAN;
    l.frame = dcl_tape_count(r->tape), l.n3 = r->n3;
    l.dx = (double *)malloc((size_t)r->n3 * sizeof *l.dx);
    if (CHECK(dcl_rollout_tangent(r->ws, r->params, r->tape, 1, direction, keep_last, &l) ==
              DCL_OK))
        value = dot_n(l.dx, c, (size_t)r->n3);
    free(l.dx);
    return value;
}

/* The derivative of c . x_N with a block moving as a whole (each element k by step[k % period]), by
   the adjoint and by the tangent: both must be `expected`. */
static void check_block(rig *r, dcl_block block, const double *step, size_t period, const double *c,
                        double expected, double allowed)
{
    size_t count = dcl_params_count(r->params, block), at = dcl_params_offset(r->params, block), k;
    double *direction = (double *)calloc(r->size, sizeof *direction), sum;
    for (k = 0; k < count; k++) direction[at + k] = step[k % period];
    sum = dot_n(dcl_grad_get(r->grad, block), direction + at, count);
    if (!CHECK_NEAR(sum, expected, allowed)) printf("  adjoint, %s\n", dcl_block_name(block));
    sum = tangent_along(r, direction, c);
    if (!CHECK_NEAR(sum, expected, allowed)) printf("  tangent, %s\n", dcl_block_name(block));
    free(direction);
}

static void check_block1(rig *r, dcl_block block, const double *c, double expected, double allowed)
{
    double one = 1;
    check_block(r, block, &one, 1, c, expected, allowed);
}

/* ---- closed forms: flight ----------------------------------------------------------------------
 */

/* (G1), (G08) Free fall: d x_N/d v_0 = N h, d x_N/d x_0 = 1, d x_N/d g = h^2 N (N + 1)/2 = 0.505,
   each for the cloth as a whole and times the identity; d/d(stretch, bend, density) = 0 in rigid
   flight. */
static void free_fall(void)
{
    scene s = patch_scene(4, 0.6, 0);
    rig r;
    double c[48], step[3];
    int vertex, k, j, N = 100;
    s.steps = N;
    if (!scene_open(&r, &s, 1e-13)) return;
    push_all(&r, 0.3, 1, -0.2);
    for (vertex = 0; vertex < 16; vertex += 5)
        for (k = 0; k < 3; k++) {
            memset(c, 0, sizeof c);
            c[3 * vertex + k] = 1;
            if (!differentiate(&r, s.h, N, c)) break;
            for (j = 0; j < 3; j++) {
                memset(step, 0, sizeof step);
                step[j] = 1;
                check_block(&r, DCL_PARAM_V0, step, 3, c, j == k ? 1 : 0, 1e-11);
                check_block(&r, DCL_PARAM_X0, step, 3, c, j == k ? 1 : 0, 1e-11);
                check_block(&r, DCL_PARAM_GRAVITY, step, 3, c, j == k ? 0.505 : 0, 1e-11);
            }
            check_block1(&r, DCL_PARAM_STRETCH, c, 0, 1e-10);
            check_block1(&r, DCL_PARAM_BEND, c, 0, 1e-10);
            check_block1(&r, DCL_PARAM_DENSITY, c, 0, 1e-10);
            check_block1(&r, DCL_PARAM_DAMPING, c, 0, 1e-10);
        }
    rig_close(&r);
}

/* A force f on a point: x_N = f/m h^2 N (N + 1)/2, so d/df = that/f, d/d rho = -that/rho; drag c
   per mass: v_k = v_(k-1)/(1 + h c), d x_N/dc in closed form. */
static void force_and_drag(void)
{
    const double h = 0.01, mass = 0.1, f = 0.7, v = 2, c = 3;
    double x[9], w[9] = {0}, step[9] = {0}, value, slope;
    dcl_model_desc desc = points_desc(x, 1, mass);
    int N = 40, k;
    rig r;
    desc.gravity[1] = 0;
    desc.force_frames = 1;
    if (!rig_open(&r, &desc, 1e-14, N)) return;
    set3(&r, DCL_PARAM_FORCE, 3, 0, 0, f);
    w[5] = 1;
    if (differentiate(&r, h, N, w)) {
        double moved = f / mass * h * h * N * (N + 1) / 2;
        CHECK_REL(r.state->x[5], moved, 1e-12);
        step[5] = 1;
        check_block(&r, DCL_PARAM_FORCE, step, 9, w, moved / f, 1e-11 * moved / f);
        check_block1(&r, DCL_PARAM_DENSITY, w, -moved / desc.density, 1e-11 * moved / desc.density);
    }
    rig_close(&r);
    desc.drag = c * desc.density; /* force -drag area v on mass rho area */
    if (!rig_open(&r, &desc, 1e-14, N)) return;
    push_all(&r, v, 0, 0);
    memset(w, 0, sizeof w);
    w[0] = 1;
    if (differentiate(&r, h, N, w)) {
        for (value = slope = 0, k = 1; k <= N; k++) { /* h v sum q^k, q = 1/(1 + h c) */
            value += h * v * pow(1 + h * c, -k);
            slope -= h * v * k * h * pow(1 + h * c, -k - 1);
        }
        CHECK_REL(r.state->x[0], value, 1e-12);
        check_block1(&r, DCL_PARAM_DRAG, w, slope / desc.density,
                     1e-11 * fabs(slope) / desc.density);
        check_block1(&r, DCL_PARAM_DENSITY, w, -slope * c / desc.density,
                     1e-11 * fabs(slope) * c / desc.density);
    }
    rig_close(&r);
}

/* ---- closed forms: friction -------------------------------------------------------------------
 */

/* (G2) Sliding down theta = 20 degrees: d x_N/d mu = -g cos h^2 N (N + 1)/2 = -4.65528423,
   d x_N/d theta = g (cos + mu sin) h^2 N (N + 1)/2; the angle changes by turning gravity, or by
   turning the plane, which also turns the start. x_0 along the slope goes through, across it is
   lost. */
static void slide_down_an_incline(void)
{
    const double theta = 20 * PI / 180, h = 0.01, mu = 0.3;
    double c[9], step[9], *turn, s;
    incline p;
    int i, k, N = 100, v;
    double factor = h * h * N * (N + 1) / 2, by_theta = G * (cos(theta) + mu * sin(theta)) * factor;
    rig r;
    incline_make(&p, theta, mu);
    if (!rig_open(&r, &p.desc, 1e-14, N)) return;
    turn = (double *)calloc(r.size, sizeof *turn);
    for (v = 0; v < 3; v++) {
        memset(c, 0, sizeof c);
        memcpy(c + 3 * v, p.down, sizeof p.down);
        if (!differentiate(&r, h, N, c)) break;
        CHECK_NEAR(G * cos(theta) * factor, 4.65528423, 5e-9);
        check_block1(&r, DCL_PARAM_FRICTION, c, -G * cos(theta) * factor, 4.66e-9);
        /* gravity g (sin, -cos) in the frame of the slope; turned by dtheta it gains g (cos, sin)
         */
        for (k = 0; k < 3; k++) step[k] = G * (cos(theta) * p.down[k] + sin(theta) * p.normal[k]);
        check_block(&r, DCL_PARAM_GRAVITY, step, 3, c, by_theta, 1e-9 * by_theta);
        memset(step, 0, sizeof step);
        memcpy(step + 3 * v, p.down, sizeof p.down);
        check_block(&r, DCL_PARAM_X0, step, 9, c, 1, 1e-11);
        check_block(&r, DCL_PARAM_V0, step, 9, c, N * h, 1e-11);
        /* turning plane and start: x_N = (x_0 + s) down; down' = -normal, so along down only s' */
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++)
                turn[dcl_params_offset(r.params, DCL_PARAM_X0) + (size_t)(3 * i + k)] =
                    -dot_n(p.x + 3 * i, p.down, 3) * p.normal[k];
        turn[dcl_params_offset(r.params, DCL_PARAM_OBSTACLE_ROTATION) + 2] = -1;
        s = dot_n(dcl_grad_get(r.grad, DCL_PARAM_COUNT), turn, r.size);
        CHECK_NEAR(s, by_theta, 1e-9 * by_theta);
        CHECK_NEAR(tangent_along(&r, turn, c), by_theta, 1e-9 * by_theta);
        check_block1(&r, DCL_PARAM_DENSITY, c, 0, 1e-11);
    }
    free(turn);
    rig_close(&r);
}

/* (G2) Sticking: nothing moves the end but the start along the slope and the plane itself. */
static void stick_on_an_incline(void)
{
    const double theta = 20 * PI / 180;
    double c[9] = {0}, step[9] = {0};
    incline p;
    int b, k, N = 50;
    size_t i;
    rig r;
    incline_make(&p, theta, 0.5);
    if (!rig_open(&r, &p.desc, 1e-12, N)) return;
    for (k = 0; k < 3; k++) {
        memset(c, 0, sizeof c);
        c[3 + k] = 1;
        if (!differentiate(&r, 0.01, N, c)) break;
        for (b = 0; b < DCL_PARAM_COUNT; b++) {
            dcl_block block = (dcl_block)b;
            const double *g = dcl_grad_get(r.grad, block);
            if (block == DCL_PARAM_X0 || block == DCL_PARAM_OBSTACLE_POSITION ||
                block == DCL_PARAM_OBSTACLE_ROTATION || block == DCL_PARAM_OBSTACLE_VELOCITY ||
                block == DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY)
                continue;
            for (i = 0; i < dcl_params_count(r.params, block); i++) CHECK_NEAR(g[i], 0, 1e-14);
        }
        memcpy(step + 3, p.down, sizeof p.down);
        check_block(&r, DCL_PARAM_X0, step, 9, c, p.down[k], 1e-14);
        memcpy(step + 3, p.normal,
               sizeof p.normal); /* lifted or pressed in, it ends on the plane */
        check_block(&r, DCL_PARAM_X0, step, 9, c, 0, 1e-14);
        check_block(&r, DCL_PARAM_OBSTACLE_POSITION, p.normal, 3, c, p.normal[k], 1e-14);
        check_block(&r, DCL_PARAM_OBSTACLE_POSITION, p.down, 3, c, 0, 1e-14);
        /* carried along: d x_N/d velocity = N h */
        memcpy(step, p.down, sizeof p.down);
        check_block(&r, DCL_PARAM_OBSTACLE_VELOCITY, step, 3, c, N * 0.01 * p.down[k], 1e-13);
    }
    rig_close(&r);
}

/* (G3) Stopping: d x/d mu = -h^2 g N (N + 1)/2 = -0.55034100 and d x/d v_0 = N h = 0.33, N = 33
   slipping steps, along the motion; across it, the closed product of (1 - mu h g/|g_T|) per step.
 */
static void stopping_distance(void)
{
    const double h = 0.01, mu = 0.3, v0 = 1;
    int degrees, k, N = 33, steps = 50;
    double by_mu = -h * h * G * N * (N + 1) / 2;
    CHECK_NEAR(by_mu, -0.55034100, 5e-9);
    for (degrees = 0; degrees < 360; degrees += 33) {
        double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, a = degrees * PI / 180;
        double c[9] = {0}, t[9] = {0}, across[9] = {0}, gain = 0, product = 1;
        dcl_obstacle plane = dcl_plane(origin, up, mu);
        dcl_model_desc desc = points_desc(x, 0.3, 0.1);
        rig r;
        desc.obstacle_count = 1;
        desc.obstacles = &plane;
        if (!rig_open(&r, &desc, 1e-14, steps)) return;
        push_all(&r, v0 * cos(a), 0, v0 * sin(a));
        t[6] = cos(a), t[8] = sin(a);
        across[6] = -sin(a), across[8] = cos(a);
        memcpy(c, t, sizeof c);
        if (differentiate(&r, h, steps, c)) {
            check_block1(&r, DCL_PARAM_FRICTION, c, by_mu, 1e-9 * -by_mu);
            check_block(&r, DCL_PARAM_V0, t, 9, c, N * h, 1e-9 * N * h);
            check_block(&r, DCL_PARAM_V0, across, 9, c, 0, 1e-11);
            check_block1(&r, DCL_PARAM_DENSITY, c, 0, 1e-11);
        }
        /* |g_T|/m is v_0 - (k - 1) h mu g before step k; the rest of each factor is the same less h
         * mu g */
        for (k = 1; k <= N; k++) {
            product *= (v0 - k * h * mu * G) / (v0 - (k - 1) * h * mu * G);
            gain += h * product;
        }
        if (differentiate(&r, h, steps, across)) {
            check_block(&r, DCL_PARAM_V0, across, 9, across, gain, 1e-9 * gain);
            check_block(&r, DCL_PARAM_V0, t, 9, across, 0, 1e-11);
        }
        rig_close(&r);
    }
}

/* (G13) One step of the law, v_T = max(0, 1 - mu r_N/|b|) b/m with b = m v_0 tangential: derivative
   0 when it sticks; slipping, 1 along b and 1 - mu r_N/|b| across; never above 1, finite at b = 0.
 */
static void friction_law_of_one_step(void)
{
    static const double ratio[5] = {0, 0.5, 1 + 1e-12, 2, 7};
    const double h = 0.01, mu = 0.4;
    int i;
    for (i = 0; i < 5; i++) {
        double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, size = ratio[i] * mu * h * G;
        double along[9] = {0}, across[9] = {0}, c[9] = {0},
               factor = ratio[i] > 1 ? 1 - 1 / ratio[i] : 0;
        dcl_obstacle plane = dcl_plane(origin, up, mu);
        dcl_model_desc desc = points_desc(x, 0.3, 0.1);
        rig r;
        desc.obstacle_count = 1;
        desc.obstacles = &plane;
        if (!rig_open(&r, &desc, 1e-14, 1)) return;
        push_all(&r, 0.6 * size, 0, 0.8 * size);
        along[0] = 0.6, along[2] = 0.8;
        across[0] = -0.8, across[2] = 0.6;
        memcpy(c, along, sizeof c);
        if (differentiate(&r, h, 1, c)) {
            check_block(&r, DCL_PARAM_V0, along, 9, c, ratio[i] > 1 ? h : 0, 1e-15);
            check_block(&r, DCL_PARAM_V0, across, 9, c, 0, 1e-15);
            check_block1(&r, DCL_PARAM_FRICTION, c, ratio[i] > 1 ? -h * h * G : 0, 1e-14);
        }
        if (differentiate(&r, h, 1, across)) {
            check_block(&r, DCL_PARAM_V0, along, 9, across, 0, 1e-15);
            check_block(&r, DCL_PARAM_V0, across, 9, across, factor * h, 1e-15);
        }
        rig_close(&r);
    }
}

/* (G10), (G11) A vertex drops on the plane z = 0 from h = 0.1 with v_x = 1, mu = 0: z_N = 0 and
   d z_N/dh = 0, d x_N/d v_x = N h = 1, d x_N/d x_0 = 1; for each of 1000 heights. */
static void drop_on_a_plane(void)
{
    int i, N = 100;
    for (i = 0; i < 1000; i++) {
        double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
        double height = i ? 0.05 + 0.1 * i / 999 : 0.1, z[9] = {0}, c[9] = {0};
        dcl_obstacle plane = dcl_plane(origin, up, 0);
        dcl_model_desc desc = points_desc(x, 1, 0.1);
        rig r;
        int k;
        for (k = 0; k < 3; k++) x[3 * k + 2] = height;
        x[4] = 0, x[3] = 1, x[6] = 0, x[7] = 1;
        desc.obstacle_count = 1;
        desc.obstacles = &plane;
        desc.gravity[1] = 0, desc.gravity[2] = -G;
        if (!rig_open(&r, &desc, 1e-13, N)) return;
        push_all(&r, 1, 0, 0);
        z[2] = c[0] = 1;
        if (differentiate(&r, 0.01, N, z)) {
            CHECK_NEAR(r.state->x[2], 0, 1e-12);
            CHECK_NEAR(dcl_grad_get(r.grad, DCL_PARAM_X0)[2], 0, 1e-12);
            CHECK_NEAR(dcl_grad_get(r.grad, DCL_PARAM_V0)[2], 0, 1e-12);
        }
        if (i == 0 && differentiate(&r, 0.01, N, c)) {
            check_block(&r, DCL_PARAM_X0, z, 9, c, 0, 1e-9);
            check_block(&r, DCL_PARAM_X0, c, 9, c, 1, 1e-9);
            check_block(&r, DCL_PARAM_V0, c, 9, c, 1, 1e-9);
            CHECK_NEAR(r.state->x[0], 1, 1e-12);
        }
        rig_close(&r);
    }
}

/* (G15) Cloth resting on a plane at height p: d z_N/dp = 1, d z_N/d(density) = 0; on a plane that
   rises at w: d z_N/dw = N h. */
static void resting_on_a_plane(void)
{
    scene s = patch_scene(4, 0.4, 0.02);
    double p[3] = {0, 0, 0}, up[3] = {0, 1, 0}, c[48], t;
    int rising, vertex, N = 60;
    for (rising = 0; rising < 2; rising++) {
        rig r;
        s.desc.obstacle_count = 1;
        s.obstacles[0] = dcl_plane(p, up, 0.4);
        if (rising) s.obstacles[0].velocity[1] = 0.2;
        s.steps = N;
        if (!scene_open(&r, &s, 1e-12)) return;
        for (vertex = 0; vertex < 16; vertex += 5) {
            memset(c, 0, sizeof c);
            c[3 * vertex + 1] = 1;
            if (!differentiate(&r, s.h, N, c)) break;
            t = N * s.h;
            CHECK_NEAR(r.state->x[3 * vertex + 1], rising ? 0.2 * t : 0, 1e-12);
            check_block(&r, DCL_PARAM_OBSTACLE_POSITION, up, 3, c, 1, 1e-11);
            check_block(&r, DCL_PARAM_OBSTACLE_VELOCITY, up, 3, c, t, 1e-11);
            check_block1(&r, DCL_PARAM_DENSITY, c, 0, 1e-11);
            check_block1(&r, DCL_PARAM_FRICTION, c, 0, 1e-11);
            check_block1(&r, DCL_PARAM_STRETCH, c, 0, 1e-11);
        }
        rig_close(&r);
    }
}

/* ---- closed forms: oscillators and statics ----------------------------------------------------
 */

/* A tube of `rows` facets hanging along -y from a pinned top row; see the strip of springs it is in
   test_physics.c: a facet is one spring of stiffness k w/l, a row inside weighs rho w l per column.
 */
enum { TUBE_COLUMNS = 5, TUBE_ROWS = 6 };

typedef struct tube {
    double x[TUBE_COLUMNS * (TUBE_ROWS + 1) * 3];
    int triangles[TUBE_COLUMNS * TUBE_ROWS * 6];
    dcl_handle handles[TUBE_COLUMNS];
    dcl_model_desc desc;
} tube;

static void tube_make(tube *t, int rows, double length)
{
    const double width = 0.2;
    int i, j, k = 0;
    memset(t, 0, sizeof *t);
    for (j = 0; j <= rows; j++)
        for (i = 0; i < TUBE_COLUMNS; i++) {
            double *x = t->x + 3 * (j * TUBE_COLUMNS + i), a = 2 * PI * i / TUBE_COLUMNS;
            double radius = width / (2 * sin(PI / TUBE_COLUMNS));
            x[0] = radius * cos(a), x[1] = -j * length / rows, x[2] = radius * sin(a);
        }
    for (j = 0; j < rows; j++)
        for (i = 0; i < TUBE_COLUMNS; i++) {
            int a = j * TUBE_COLUMNS + i, b = j * TUBE_COLUMNS + (i + 1) % TUBE_COLUMNS;
            int c = a + TUBE_COLUMNS, d = b + TUBE_COLUMNS, *v = t->triangles + k;
            v[0] = a, v[1] = c, v[2] = d;
            v[3] = a, v[4] = d, v[5] = b;
            k += 6;
        }
    for (i = 0; i < TUBE_COLUMNS; i++) {
        t->handles[i].vertex = i;
        t->handles[i].kind = DCL_HANDLE_HARD;
    }
    t->desc = dcl_default_model_desc();
    t->desc.vertex_count = TUBE_COLUMNS * (rows + 1);
    t->desc.positions = t->x;
    t->desc.triangle_count = 2 * TUBE_COLUMNS * rows;
    t->desc.triangles = t->triangles;
    t->desc.handle_count = TUBE_COLUMNS;
    t->desc.handles = t->handles;
    t->desc.bending = 0;
    t->desc.gravity[1] = -G;
}

/* Re[(1 + i w h)^-n], and Re[i (1 + i w h)^-n]. */
static double oscillator(double w, double h, int n, int times_i)
{
    double size = pow(1 + w * w * h * h, -0.5 * n), phase = -n * atan(w * h);
    return times_i ? -size * sin(phase) : size * cos(phase);
}

/* (G4) A point on a spring from rest at x_0: x_N = Re[x_0 (1 + i w h)^-N], so
   d x_N/dw = Re[-N x_0 i h (1 + i w h)^(-N-1)] with w = sqrt(k/m): d/d(rho) through dw/d(rho) =
   -w/(2 rho), d/d x_0 = Re[...], d/d(target) = 1 - Re[...], d/d v_0 = Re[i (1 + i w h)^-N]/w. */
static void spring_oscillator(void)
{
    const double h = 0.01, mass = 0.5, k = 50, x0 = 0.2;
    double x[9], c[9] = {0}, by_w, w = sqrt(k / mass), by_v0;
    dcl_handle handle = {1, DCL_HANDLE_SOFT, 0};
    dcl_model_desc desc = points_desc(x, 1, mass);
    int N = 60;
    rig r;
    handle.stiffness = k;
    desc.gravity[1] = 0;
    desc.handle_count = 1;
    desc.handles = &handle;
    if (!rig_open(&r, &desc, 1e-14, N)) return;
    set3(&r, DCL_PARAM_X0, 3, x[3] + x0, 0, 0);
    c[3] = 1;
    by_w = -N * x0 * h * oscillator(w, h, N + 1, 1);
    by_v0 = oscillator(w, h, N, 1) / w;
    if (differentiate(&r, h, N, c)) {
        CHECK_NEAR(r.state->x[3] - x[3], x0 * oscillator(w, h, N, 0), 1e-12);
        check_block1(&r, DCL_PARAM_DENSITY, c, -by_w * w / (2 * desc.density),
                     1e-11 * fabs(by_w * w));
        check_block(&r, DCL_PARAM_X0, c, 9, c, oscillator(w, h, N, 0), 1e-12);
        check_block(&r, DCL_PARAM_HANDLE, c + 3, 3, c, 1 - oscillator(w, h, N, 0), 1e-12);
        check_block(&r, DCL_PARAM_V0, c, 9, c, by_v0, 1e-12);
    }
    rig_close(&r);
}

/* (G4) A row of cloth on cloth: w^2 = 2 k/(rho l^2) about u_e = rho g l^2/(2 k); d x_N/dk and
   d x_N/d(rho) with both of them moving. */
static void membrane_oscillator(void)
{
    const double h = 0.002, l = 0.3, k = 12, density = 0.8;
    double w = sqrt(2 * k / (density * l * l)), middle = density * G * l * l / (2 * k);
    double u0 = 1.9 * middle, c[2 * TUBE_COLUMNS * 3] = {0}, by_w, by_middle;
    int N = 90, i;
    tube t;
    rig r;
    tube_make(&t, 1, l);
    t.desc.stretch = k;
    t.desc.density = density;
    if (!rig_open(&r, &t.desc, 1e-14, N)) return;
    for (i = TUBE_COLUMNS; i < 2 * TUBE_COLUMNS; i++)
        set3(&r, DCL_PARAM_X0, 3 * (size_t)i, t.x[3 * i], t.x[3 * i + 1] - u0, t.x[3 * i + 2]);
    c[3 * TUBE_COLUMNS + 4] = -1; /* u of one vertex of the row */
    by_w = -N * (u0 - middle) * h * oscillator(w, h, N + 1, 1);
    by_middle = 1 - oscillator(w, h, N, 0);
    if (differentiate(&r, h, N, c)) {
        double up[3] = {0, -1, 0}, by_k = by_w * w / (2 * k) - by_middle * middle / k;
        double by_rho = -by_w * w / (2 * density) + by_middle * middle / density;
        CHECK_NEAR(-r.state->x[3 * TUBE_COLUMNS + 4] - l,
                   middle + (u0 - middle) * oscillator(w, h, N, 0), 1e-11);
        check_block1(&r, DCL_PARAM_STRETCH, c, by_k, 1e-10 * fabs(by_k));
        check_block1(&r, DCL_PARAM_STRETCH_SCALE, c, by_k * k, 1e-10 * fabs(by_k * k));
        check_block1(&r, DCL_PARAM_DENSITY, c, by_rho, 1e-10 * fabs(by_rho));
        check_block(&r, DCL_PARAM_GRAVITY, up, 3, c, by_middle * middle / G, 1e-10);
        check_block(&r, DCL_PARAM_HANDLE, up, 3, c, by_middle, 1e-10);
    }
    rig_close(&r);
}

/* A step that ends at a saddle: a row of the tube pushed up against its springs by a field g,
   straight, so far that it would buckle if anything pushed it aside. u_1 = (u_0 + h^2 g)/(1 + w^2
   h^2) all the same, and has its derivatives: du_1/dk = -u_1 (w^2 h^2/k)/(1 + w^2 h^2), du_1/du_0 =
   1/(1 + w^2 h^2). */
static void step_that_ends_at_a_saddle(void)
{
    const double l = 0.3, k = 12, density = 0.8, u = -0.3 * l;
    double w = sqrt(2 * k / (density * l * l)), h = 3 / w, c[2 * TUBE_COLUMNS * 3] = {0};
    double down[3] = {0, -1, 0}, by_k = -u * 0.9 / k, shift[2 * TUBE_COLUMNS * 3] = {0};
    int i;
    tube t;
    rig r;
    tube_make(&t, 1, l);
    t.desc.stretch = k;
    t.desc.density = density;
    t.desc.gravity[1] = -w * w * u;
    if (!rig_open(&r, &t.desc, 1e-12, 1)) return;
    for (i = TUBE_COLUMNS; i < 2 * TUBE_COLUMNS; i++) {
        set3(&r, DCL_PARAM_X0, 3 * (size_t)i, t.x[3 * i], t.x[3 * i + 1] - u, t.x[3 * i + 2]);
        shift[3 * i + 1] = -1;
    }
    c[3 * TUBE_COLUMNS + 4] = -1;
    if (differentiate(&r, h, 1, c)) {
        CHECK_NEAR(-r.state->x[3 * TUBE_COLUMNS + 4] - l, u, 1e-10);
        check_block1(&r, DCL_PARAM_STRETCH, c, by_k, 1e-9 * by_k);
        check_block(&r, DCL_PARAM_X0, shift, 2 * TUBE_COLUMNS * 3, c, 0.1, 1e-9);
        check_block(&r, DCL_PARAM_GRAVITY, down, 3, c, 0.1 * h * h, 1e-9 * h * h);
    }
    rig_close(&r);
}

/* (G5) Hanging at rest, dL = rho g L^2/(2 k): d/dk = -rho g L^2/(2 k^2), d/d(rho) = g L^2/(2 k),
   d/dL = rho g L/k, and the end itself also by 1. Steps of 10 s reach the rest state. */
static void hanging_cloth(void)
{
    const double k = 100, density = 0.2, length = 1;
    double c[TUBE_COLUMNS * (TUBE_ROWS + 1) * 3] = {0},
                                              grow[TUBE_COLUMNS * (TUBE_ROWS + 1) * 3] = {0};
    double extension = density * G * length * length / (2 * k);
    int N = 20, i, last = 3 * TUBE_COLUMNS * TUBE_ROWS;
    tube t;
    rig r;
    tube_make(&t, TUBE_ROWS, length);
    t.desc.stretch = k;
    t.desc.density = density;
    if (!rig_open(&r, &t.desc, 1e-13, N)) return;
    c[last + 7] = -1;
    for (i = 0; i < r.n; i++) grow[3 * i + 1] = t.x[3 * i + 1] / length;
    if (differentiate(&r, 10, N, c)) {
        double down[3] = {0, -1, 0};
        CHECK_NEAR(-r.state->x[last + 7] - length, extension, 1e-12);
        check_block1(&r, DCL_PARAM_STRETCH, c, -extension / k, 1e-10 * extension / k);
        check_block1(&r, DCL_PARAM_DENSITY, c, extension / density, 1e-10 * extension / density);
        check_block(&r, DCL_PARAM_GRAVITY, down, 3, c, extension / G, 1e-10 * extension / G);
        check_block(&r, DCL_PARAM_REST, grow, (size_t)r.n3, c, 1 + 2 * extension / length, 1e-10);
        check_block(&r, DCL_PARAM_HANDLE, down, 3, c, 1, 1e-10);
        check_block1(&r, DCL_PARAM_V0, c, 0, 1e-10);
    }
    rig_close(&r);
}

/* ---- elements ---------------------------------------------------------------------------------
 */

/* (G01) The polar factor P(F) = F (F^T F)^(-1/2) at F = s (1 0; 0 1; 0 0), equal singular values:
   dP/dF21 = (0 -1/2; 1/2 0; 0 0)/s, dP/dF31 = (0 0; 0 0; 1 0)/s, dP/dF11 = 0. One triangle with
   corner 0 pinned and unit legs, so that the corners move as the columns of F; forces hold it at s.
   The tangent of the step obeys m dv/h = -w (dF1 - dP[dF1]), dF1 = dF0 + h dv, w = k/2. */
static void polar_factor_at_equal_singular_values(void)
{
    const double h = 0.05, k = 7, mass = 0.3;
    double s;
    for (s = 1; s <= 2; s++) {
        double x[9], f[9] = {0}, *dx, *dv, w = k / 2;
        dcl_handle handle = {0, DCL_HANDLE_HARD, 0};
        dcl_model_desc desc = points_desc(x, 1, mass);
        int direction, a, i;
        rig r;
        /* in the plane z = 0: corners 1, 2 along x, y */
        memset(x, 0, sizeof x);
        x[3] = 1, x[7] = 1;
        desc.stretch = k;
        desc.gravity[1] = 0;
        desc.force_frames = 1;
        desc.handle_count = 1;
        desc.handles = &handle;
        if (!rig_open(&r, &desc, 1e-14, 1)) return;
        for (i = 3; i < 9; i++) f[i] = w * (s - 1) * x[i];
        CHECK(dcl_params_set(r.params, DCL_PARAM_FORCE, 0, 9, f) == DCL_OK);
        set3(&r, DCL_PARAM_X0, 3, s, 0, 0);
        set3(&r, DCL_PARAM_X0, 6, 0, s, 0);
        CHECK(dcl_rollout(r.ws, r.params, r.state, h, 1, r.tape, NULL, NULL, NULL, NULL) == DCL_OK);
        CHECK_NEAR(r.state->x[3], s, 1e-14);
        dx = (double *)calloc(6 * 9, sizeof *dx);
        dv = (double *)calloc(6 * 9, sizeof *dv);
        for (direction = 0; direction < 6; direction++) dx[9 * direction + 3 + direction] = 1;
        CHECK(dcl_step_tangent(r.ws, r.params, r.tape, 0, 6, dx, dv, NULL) == DCL_OK);
        for (direction = 0; direction < 6; direction++) {
            const double *F = dx + 9 * direction + 3,
                         *v = dv + 9 * direction + 3; /* F[3 a + row] */
            double P[6];
            P[0] = 0, P[1] = (F[1] - F[3]) / (2 * s), P[2] = F[2] / s;
            P[3] = (F[3] - F[1]) / (2 * s), P[4] = 0, P[5] = F[5] / s;
            for (a = 0; a < 6; a++) {
                CHECK_NEAR(mass * v[a] / h, -w * (F[a] - P[a]), 1e-13 * k);
                CHECK_NEAR(F[a], (a == direction) + h * v[a], 1e-14);
            }
            for (a = 0; a < 3; a++) CHECK_NEAR(dx[9 * direction + a], 0, 0);
        }
        free(dx);
        free(dv);
        rig_close(&r);
    }
}

/* (P13) A corner laid on the opposite side, so that one triangle is a line; then all of the cloth
   on a line, and in a point; in still and in blowing air. One collapsed triangle has a gradient.
   Cloth that is all on a line may unfold to any side, so that the step's matrix is singular:
   refused, or finite. */
static void collapsed_triangles_have_finite_gradients(void)
{
    int c, i, wind;
    size_t k;
    for (c = 0; c < 3; c++)
        for (wind = 0; wind < 2; wind++) {
            scene s = patch_scene(2, 1, 0);
            double w[12];
            const double *g;
            unsigned seed = 3;
            rig r;
            linear_loss l;
            dcl_result result;
            s.desc.damping = 0.1;
            s.steps = 3;
            if (!scene_open(&r, &s, 1e-9)) return;
            CHECK(dcl_params_set1(r.params, DCL_PARAM_AIR_NORMAL, 1.2) == DCL_OK);
            CHECK(dcl_params_set1(r.params, DCL_PARAM_AIR_TANGENT, 0.3) == DCL_OK);
            set3(&r, DCL_PARAM_AIR_VELOCITY, 0, 0, 0, wind);
            for (i = 0; i < 4; i++) {
                double v = 0.5 * scene_random(&seed);
                if (c == 0) set3(&r, DCL_PARAM_V0, 3 * (size_t)i, v, 1 + i, 0.3 * i);
                if (c > 0) set3(&r, DCL_PARAM_X0, 3 * (size_t)i, c == 1 ? s.x[3 * i] : 0, 0, 0);
            }
            if (c == 0) set3(&r, DCL_PARAM_X0, 6, 0, 0, 0); /* the middle of 0-3 */
            for (i = 0; i < 12; i++) w[i] = 1 + 0.1 * i;
            CHECK(dcl_rollout(r.ws, r.params, r.state, 0.01, 3, r.tape, NULL, NULL, NULL, NULL) ==
                  DCL_OK);
            l.frame = 3, l.n3 = 12, l.c = l.d = w;
            result = dcl_rollout_adjoint(r.ws, r.params, r.tape, linear, &l, r.grad, NULL);
            CHECK(result == DCL_OK || (c > 0 && result == DCL_ERROR_SINGULAR));
            g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
            for (k = 0; k < r.size; k++) CHECK(g[k] == g[k] && fabs(g[k]) < (c ? 1e300 : 1e6));
            rig_close(&r);
        }
}

/* ---- identities that hold for every scene and block --------------------------------------------
 */

/* Weights of a loss on every coordinate of every frame, from a hash. */
static double weight(int frame, int k)
{
    unsigned seed = (unsigned)(frame * 7919 + k * 104729 + 17);
    scene_random(&seed);
    return scene_random(&seed);
}

/* A fixed quadratic of all positions and velocities, times scale; linear if curvature = 0. */
typedef struct wide_loss {
    int n3;
    double scale, curvature;
} wide_loss;

static double wide(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    const wide_loss *l = (const wide_loss *)user;
    double value = 0;
    int k;
    for (k = 0; k < l->n3; k++) {
        double a = weight(frame, k), b = 0.1 * weight(frame, k + 7777), x = state->x[k];
        value += a * x + 0.5 * l->curvature * x * x + b * state->v[k];
        if (adj_x) {
            adj_x[k] += l->scale * (a + l->curvature * x);
            adj_v[k] += l->scale * b;
        }
    }
    return l->scale * value;
}

/* Sums <w, tangent> over the frames, one number per direction, and the squares of both. */
typedef struct wide_tangent {
    int n3;
    double sum[DCL_PARAM_COUNT], size[DCL_PARAM_COUNT];
} wide_tangent;

static void gather(void *user, int frame, const dcl_state *state, int count, const double *dx,
                   const double *dv)
{
    wide_tangent *t = (wide_tangent *)user;
    int c, k;
    (void)state;
    for (c = 0; c < count; c++)
        for (k = 0; k < t->n3; k++) {
            double a = weight(frame, k) * dx[c * t->n3 + k];
            double b = 0.1 * weight(frame, k + 7777) * dv[c * t->n3 + k];
            t->sum[c] += a + b;
            t->size[c] += fabs(a) + fabs(b);
        }
}

/* (G8) <J d, w> = <d, J^T w> to 1e-10 of the sizes of the two sums, for a random direction in every
   block of every scene. (A turned sphere is the same sphere: there both are rounding.) */
static void adjoint_and_tangent_are_transposes(void)
{
    int index, b;
    size_t k;
    for (index = 0; index < scene_count(); index++) {
        scene s;
        rig r;
        wide_loss l;
        wide_tangent t;
        double *directions;
        unsigned seed = 77;
        scene_get(index, &s);
        if (!scene_open(&r, &s, 1e-10)) return;
        directions = (double *)calloc(DCL_PARAM_COUNT * r.size, sizeof *directions);
        memset(&t, 0, sizeof t);
        l.n3 = t.n3 = r.n3, l.scale = 1, l.curvature = 0;
        for (b = 0; b < DCL_PARAM_COUNT; b++) {
            size_t at = dcl_params_offset(r.params, (dcl_block)b);
            for (k = 0; k < dcl_params_count(r.params, (dcl_block)b); k++)
                directions[(size_t)b * r.size + at + k] = scene_random(&seed);
        }
        CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL,
                          &r.stats) == DCL_OK);
        CHECK_EQ(r.stats.unconverged, 0);
        CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
        CHECK(dcl_rollout_tangent(r.ws, r.params, r.tape, DCL_PARAM_COUNT, directions, gather,
                                  &t) == DCL_OK);
        for (b = 0; b < DCL_PARAM_COUNT; b++) {
            size_t at = dcl_params_offset(r.params, (dcl_block)b);
            const double *g = dcl_grad_get(r.grad, (dcl_block)b);
            const double *d = directions + (size_t)b * r.size + at;
            double sum = 0, size = 0;
            for (k = 0; k < dcl_params_count(r.params, (dcl_block)b); k++) {
                sum += g[k] * d[k];
                size += fabs(g[k] * d[k]);
            }
            if (!CHECK_NEAR(sum, t.sum[b], 1e-10 * (size + t.size[b]) + 1e-13))
                printf("  %s, %s\n", s.name, dcl_block_name((dcl_block)b));
        }
        free(directions);
        rig_close(&r);
    }
}

/* (G10) A loss times 1e-12 ... 1e12 has the gradient times that, to 1e-10; and it may be zero. */
static void loss_of_any_scale(void)
{
    static const double scales[] = {1e-12, 1e-6, 1e-3, 7, 1e6, 1e12};
    int index;
    size_t i, k;
    for (index = 0; index < scene_count(); index++) {
        scene s;
        rig r;
        wide_loss l;
        double *unit, norm = 0;
        const double *g;
        scene_get(index, &s);
        if (!scene_open(&r, &s, 1e-10)) return;
        l.n3 = r.n3, l.scale = 1, l.curvature = 1;
        CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL, NULL) ==
              DCL_OK);
        CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
        g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
        unit = (double *)malloc(r.size * sizeof *unit);
        memcpy(unit, g, r.size * sizeof *unit);
        for (i = 0; i <= sizeof scales / sizeof *scales; i++) {
            double off = 0;
            l.scale = i < sizeof scales / sizeof *scales ? scales[i] : 0;
            dcl_grad_reset(r.grad);
            CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
            for (k = 0, norm = 0; k < r.size; k++) {
                off += (g[k] - l.scale * unit[k]) * (g[k] - l.scale * unit[k]);
                norm += l.scale * unit[k] * l.scale * unit[k];
            }
            if (!CHECK(sqrt(off) <= 1e-10 * sqrt(norm))) printf("  scene %s: %g\n", s.name, sqrt(off / norm));
        }
        free(unit);
        rig_close(&r);
    }
}

/* The three ways to solve the adjoint system give the same gradient. */
static void adjoint_methods_agree(void)
{
    int index, m;
    size_t k;
    for (index = 0; index < scene_count(); index++) {
        double *first = NULL;
        for (m = 0; m < 3; m++) {
            scene s;
            rig r;
            wide_loss l;
            dcl_solver_desc solver = dcl_default_solver_desc();
            double off = 0, norm = 0;
            const double *g;
            scene_get(index, &s);
            solver.adjoint = (dcl_adjoint)m;
            s.desc.positions = s.x;
            s.desc.triangles = s.triangles;
            s.desc.handles = s.handles;
            s.desc.obstacles = s.obstacles;
            if (!rig_open_with(&r, &s.desc, &solver, s.steps)) break;
            s.setup(&s, r.params);
            l.n3 = r.n3, l.scale = 1, l.curvature = 1;
            CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL,
                              NULL) == DCL_OK);
            CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, &r.stats) ==
                  DCL_OK);
            CHECK(r.stats.residual_max <= 1e-12);
            g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
            if (!first) {
                first = (double *)malloc(r.size * sizeof *first);
                memcpy(first, g, r.size * sizeof *first);
            }
            for (k = 0; k < r.size; k++) {
                off += (g[k] - first[k]) * (g[k] - first[k]);
                norm += first[k] * first[k];
            }
            if (!CHECK(sqrt(off) <= 1e-9 * sqrt(norm)))
                printf("  %s, method %d: %g\n", s.name, m, sqrt(off / norm));
            rig_close(&r);
        }
        free(first);
    }
}

/* (G05) Gradients add up: a second run of the adjoint doubles them; after a reset it gives the
   first bits again. One that asks for some blocks gives the same bits in them as one that asks for
   all. */
static void gradients_accumulate(void)
{
    scene s;
    rig r;
    wide_loss l;
    dcl_grad *some = NULL;
    double *first;
    const double *g;
    size_t k;
    scene_get(5, &s);
    if (!scene_open(&r, &s, 1e-10)) return;
    l.n3 = r.n3, l.scale = 1, l.curvature = 1;
    CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL, NULL) ==
          DCL_OK);
    CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
    g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
    first = (double *)malloc(r.size * sizeof *first);
    memcpy(first, g, r.size * sizeof *first);
    CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
    for (k = 0; k < r.size; k++) CHECK_NEAR(g[k], 2 * first[k], 1e-10 * fabs(first[k]) + 1e-13);
    dcl_grad_reset(r.grad);
    for (k = 0; k < r.size; k++) CHECK(g[k] == 0);
    CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
    CHECK(memcmp(g, first, r.size * sizeof *first) == 0);
    if (CHECK(dcl_grad_create(r.params,
                              DCL_BLOCK_BIT(DCL_PARAM_FRICTION) | DCL_BLOCK_BIT(DCL_PARAM_X0),
                              &some) == DCL_OK)) {
        CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, some, NULL) == DCL_OK);
        CHECK(dcl_grad_get(some, DCL_PARAM_STRETCH) == NULL);
        CHECK(memcmp(dcl_grad_get(some, DCL_PARAM_FRICTION),
                     dcl_grad_get(r.grad, DCL_PARAM_FRICTION), sizeof(double)) == 0);
        CHECK(memcmp(dcl_grad_get(some, DCL_PARAM_X0), dcl_grad_get(r.grad, DCL_PARAM_X0),
                     (size_t)r.n3 * sizeof(double)) == 0);
    }
    dcl_grad_destroy(some);
    free(first);
    rig_close(&r);
}

/* (G06) A value changed after the run: STALE_TAPE, nothing added; put back, the gradient is there,
   bit for bit. Values that no recorded step has used may change. */
static void changed_parameters_are_noticed(void)
{
    static const dcl_block blocks[] = {DCL_PARAM_STRETCH,
                                       DCL_PARAM_STRETCH_SCALE,
                                       DCL_PARAM_BEND,
                                       DCL_PARAM_DENSITY,
                                       DCL_PARAM_GRAVITY,
                                       DCL_PARAM_AIR_VELOCITY,
                                       DCL_PARAM_FRICTION,
                                       DCL_PARAM_OBSTACLE_POSITION,
                                       DCL_PARAM_OBSTACLE_SIZE,
                                       DCL_PARAM_REST,
                                       DCL_PARAM_FORCE};
    scene s;
    rig r;
    wide_loss l;
    double *first;
    const double *g;
    size_t i, k;
    scene_get(5, &s);
    if (!scene_open(&r, &s, 1e-10)) return;
    l.n3 = r.n3, l.scale = 1, l.curvature = 1;
    CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL, NULL) ==
          DCL_OK);
    CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
    g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
    first = (double *)malloc(r.size * sizeof *first);
    memcpy(first, g, r.size * sizeof *first);
    for (i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        size_t last = dcl_params_count(r.params, blocks[i]) - 1;
        double old = dcl_params_get(r.params, blocks[i])[last], other = 2 * old + 0.01;
        double ax[3 * SCENE_MOST * SCENE_MOST], av[3 * SCENE_MOST * SCENE_MOST];
        double dx[3 * SCENE_MOST * SCENE_MOST], dv[3 * SCENE_MOST * SCENE_MOST];
        CHECK(dcl_params_set(r.params, blocks[i], last, 1, &other) == DCL_OK);
        dcl_grad_reset(r.grad);
        CHECK_EQ(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL),
                 DCL_ERROR_STALE_TAPE);
        for (k = 0; k < r.size; k++) CHECK(g[k] == 0);
        memset(ax, 0, sizeof ax), memset(av, 0, sizeof av);
        memset(dx, 0, sizeof dx), memset(dv, 0, sizeof dv);
        CHECK_EQ(dcl_step_adjoint(r.ws, r.params, r.tape, 0, ax, av, NULL, NULL),
                 DCL_ERROR_STALE_TAPE);
        CHECK_EQ(dcl_step_tangent(r.ws, r.params, r.tape, 0, 1, dx, dv, NULL),
                 DCL_ERROR_STALE_TAPE);
        CHECK(dcl_params_set(r.params, blocks[i], last, 1, &old) == DCL_OK);
        CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
        CHECK(memcmp(g, first, r.size * sizeof *first) == 0);
    }
    free(first);
    rig_close(&r);
}

/* A tape holds the run: frame k restored is the state of step k, bit for bit, and going on from
   there gives the rest again. */
static void tape_restores_states(void)
{
    int index, k, j;
    for (index = 1; index < scene_count(); index += 3) {
        scene s;
        rig r;
        dcl_state *at = NULL;
        double *frames;
        size_t bytes;
        scene_get(index, &s);
        if (!scene_open(&r, &s, 1e-10)) return;
        bytes = (size_t)r.n3 * sizeof(double);
        frames = (double *)malloc(2 * bytes * (size_t)(s.steps + 1));
        CHECK(dcl_tape_restore(r.tape, 0, r.state) < 0); /* nothing recorded */
        CHECK(dcl_state_reset(r.state, r.params) == DCL_OK);
        CHECK(dcl_state_create(r.params, &at) == DCL_OK);
        for (k = 0; k <= s.steps; k++) {
            memcpy(frames + 2 * k * r.n3, r.state->x, bytes);
            memcpy(frames + (2 * k + 1) * r.n3, r.state->v, bytes);
            if (k == s.steps) break;
            CHECK(dcl_step(r.ws, r.params, r.state, s.h, r.tape, NULL) == DCL_OK);
        }
        CHECK_EQ(dcl_tape_count(r.tape), s.steps);
        CHECK_EQ(dcl_step(r.ws, r.params, r.state, s.h, r.tape, NULL), DCL_ERROR_TAPE_FULL);
        CHECK(memcmp(r.state->x, frames + 2 * s.steps * r.n3, bytes) == 0);
        CHECK(dcl_tape_restore(r.tape, -1, at) < 0);
        CHECK(dcl_tape_restore(r.tape, s.steps + 1, at) < 0);
        for (k = 0; k <= s.steps; k++) {
            if (!CHECK(dcl_tape_restore(r.tape, k, at) == DCL_OK)) break;
            CHECK_EQ(at->step, k);
            CHECK(memcmp(at->x, frames + 2 * k * r.n3, bytes) == 0);
            CHECK(memcmp(at->v, frames + (2 * k + 1) * r.n3, bytes) == 0);
        }
        k = s.steps / 2;
        CHECK(dcl_tape_restore(r.tape, k, at) == DCL_OK);
        for (j = k; j < s.steps; j++)
            CHECK(dcl_step(r.ws, r.params, at, s.h, NULL, NULL) == DCL_OK);
        CHECK(memcmp(at->x, frames + 2 * s.steps * r.n3, bytes) == 0);
        CHECK(at->time == r.state->time);
        dcl_state_destroy(at);
        free(frames);
        rig_close(&r);
    }
}

/* The same bits from the adjoint of a fresh rig, whatever ran in between. */
static void same_bits_every_time(void)
{
    int index, pass;
    for (index = 0; index < scene_count(); index += 2) {
        double *first = NULL;
        for (pass = 0; pass < 2; pass++) {
            scene s;
            rig r;
            wide_loss l;
            scene_get(index, &s);
            if (!scene_open(&r, &s, 1e-10)) break;
            l.n3 = r.n3, l.scale = 1, l.curvature = 1;
            if (pass) { /* another run on the same objects first */
                dcl_params_set1(r.params, DCL_PARAM_DENSITY, 0.3);
                dcl_rollout(r.ws, r.params, r.state, 0.004, 3, r.tape, NULL, NULL, NULL, NULL);
                dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL);
                dcl_grad_reset(r.grad);
                dcl_params_set1(r.params, DCL_PARAM_DENSITY, s.desc.density);
            }
            CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL,
                              NULL) == DCL_OK);
            CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
            if (!first) {
                first = (double *)malloc(r.size * sizeof *first);
                memcpy(first, dcl_grad_get(r.grad, DCL_PARAM_COUNT), r.size * sizeof *first);
            }
            CHECK(memcmp(first, dcl_grad_get(r.grad, DCL_PARAM_COUNT), r.size * sizeof *first) ==
                  0);
            rig_close(&r);
        }
        free(first);
    }
}

/* ---- differences ------------------------------------------------------------------------------
 */

/* (G03) The squared distance to a target has gradient zero where the target is met. */
static double squared_distance(void *user, int frame, const dcl_state *state, double *adj_x,
                               double *adj_v)
{
    const double *target = (const double *)user; /* [0]: frame, [1]: 3n, then the positions */
    double value = 0;
    int k;
    (void)adj_v;
    if (frame != (int)target[0]) return 0;
    for (k = 0; k < (int)target[1]; k++) {
        double d = state->x[k] - target[2 + k];
        value += d * d;
        if (adj_x) adj_x[k] += 2 * d;
    }
    return value;
}

static void target_that_is_met(void)
{
    scene s;
    rig r;
    double target[2 + 3 * SCENE_MOST * SCENE_MOST], value = 1;
    const double *g;
    size_t k;
    scene_get(5, &s);
    if (!scene_open(&r, &s, 1e-10)) return;
    target[0] = s.steps, target[1] = r.n3;
    CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL, NULL) ==
          DCL_OK);
    memcpy(target + 2, r.state->x, (size_t)r.n3 * sizeof *target);
    CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, squared_distance, target,
                      &value, NULL) == DCL_OK);
    CHECK(value == 0);
    CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, squared_distance, target, r.grad, NULL) ==
          DCL_OK);
    g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
    for (k = 0; k < r.size; k++) CHECK(g[k] == 0);
    rig_close(&r);
}

/* The loss of other values, NAN if they are refused or a step fails, and a hash of the branches
   that contacts took. */
static double loss_at(rig *r, const scene *s, const dcl_params *params, wide_loss *l,
                      uint64_t *branches)
{
    dcl_contact *contacts;
    double value;
    int k, i, count;
    *branches = 14695981039346656037u;
    dcl_state_reset(r->state, params);
    value = wide(l, 0, r->state, NULL, NULL);
    for (k = 0; k < s->steps; k++) {
        dcl_step_stats stats;
        if (dcl_step(r->ws, params, r->state, s->h, NULL, &stats) != DCL_OK) return NAN;
        count = dcl_workspace_get_contacts(r->ws, 0, NULL);
        contacts = (dcl_contact *)malloc((size_t)(count + 1) * sizeof *contacts);
        if (!CHECK(contacts != NULL)) return NAN;
        dcl_workspace_get_contacts(r->ws, count, contacts);
        for (i = 0; i < count; i++) {
            uint64_t word =
                ((uint64_t)contacts[i].vertex[0] * 64 + (uint64_t)contacts[i].obstacle) * 4 +
                (uint64_t)contacts[i].branch;
            *branches = (*branches ^ (word + (uint64_t)k * 1000003u)) * 1099511628211u;
        }
        free(contacts);
        value += wide(l, k + 1, r->state, NULL, NULL);
    }
    return value;
}

/* (G8) Taylor's remainder |f(x + e d) - f(x) - e grad.d| falls as e^2, slope 2.00 +- 0.05 over
   three decades of e, d the gradient itself, each block scaled to the size of its values. The
   largest e is where no contact changes its branch. */
static void taylor_remainder(void)
{
    int index, i, b, touched;
    size_t k;
    for (index = 0; index < scene_count(); index++) {
        scene s;
        rig r;
        wide_loss l;
        dcl_params *moved = NULL;
        double *direction, at, remainder[56], slope = 0, best = 9, along, error = 1;
        uint64_t centre, branches;
        scene_get(index, &s);
        if (!scene_open(&r, &s, 1e-13)) return;
        CHECK(dcl_params_create(r.model, &moved) == DCL_OK);
        l.n3 = r.n3, l.scale = 1, l.curvature = 30;
        direction = (double *)malloc(r.size * sizeof *direction);
        CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL, NULL) ==
              DCL_OK);
        CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
        at = loss_at(&r, &s, r.params, &l, &centre);
        touched = dcl_workspace_get_contacts(r.ws, 0, NULL);
        CHECK(touched > 0 || !s.desc.obstacle_count);
        along = 0;
        for (b = 0; b < DCL_PARAM_COUNT; b++) {
            dcl_block block = (dcl_block)b;
            size_t count = dcl_params_count(r.params, block),
                   offset = dcl_params_offset(r.params, block);
            const double *g = dcl_grad_get(r.grad, block), *v = dcl_params_get(r.params, block);
            double norm = 0, size = 0;
            for (k = 0; k < count; k++) norm += g[k] * g[k], size = fmax(size, fabs(v[k]));
            if (block == DCL_PARAM_REST || block == DCL_PARAM_X0 || block == DCL_PARAM_HANDLE)
                size = 0.1;
            for (k = 0; k < count; k++) {
                /* a size of zero, as the length of a disc, can only grow: no two-sided direction */
                int edge = block == DCL_PARAM_OBSTACLE_SIZE && v[k] == 0;
                direction[offset + k] = norm > 0 && !edge ? g[k] / sqrt(norm) * size : 0;
                along += g[k] * direction[offset + k];
            }
        }
        for (i = 0; i < 56; i++) { /* e = 10^(-i/8) / 2 */
            double e = 0.5 * pow(10, -i / 8.0), f;
            int ok = 1;
            for (b = 0; b < DCL_PARAM_COUNT && ok; b++) {
                dcl_block block = (dcl_block)b;
                size_t count = dcl_params_count(r.params, block),
                       offset = dcl_params_offset(r.params, block);
                const double *v = dcl_params_get(r.params, block);
                double *value = (double *)malloc((count + 1) * sizeof *value);
                for (k = 0; k < count; k++) value[k] = v[k] + e * direction[offset + k];
                ok = dcl_params_set(moved, block, 0, count, value) == DCL_OK;
                free(value);
            }
            f = ok ? loss_at(&r, &s, moved, &l, &branches) : NAN;
            remainder[i] = ok && branches == centre ? fabs(f - at - e * along) : NAN;
            error = fmin(error, remainder[i] / fabs(e * along)); /* of the one-sided difference */
        }
        for (i = 0; i + 24 < 56; i++) {
            double here = log10(remainder[i] / remainder[i + 24]) / 3;
            if (fabs(here - 2) < best) best = fabs(here - 2), slope = here;
        }
        if (!CHECK_NEAR(slope, 2, 0.05) || !CHECK(error <= 1e-5)) printf("  scene %s\n", s.name);
        free(direction);
        dcl_params_destroy(moved);
        rig_close(&r);
    }
}

/* (G18) Four vertices, two triangles, one corner pinned, one on a spring, sliding on a moving and
   turning plane, then on such a sphere, in wind: every number of the flat vector against central
   differences, to 1e-5; and every block has a number that matters, except where nothing can depend
   on it. */
static void slide_scene(scene *s, int ball)
{
    double p[3] = {0.02, -0.012, 0.03}, n[3] = {0.03, 1, 0.05};
    dcl_obstacle *o = &s->obstacles[0];
    int k;
    memset(s, 0, sizeof *s);
    s->desc = dcl_default_model_desc();
    scene_patch(s, 2, 0.4, 0);
    s->x[1] += 0.012, s->x[10] += 0.008; /* not flat, so that there is a rest curvature */
    p[1] = ball ? -0.54 : -0.012;
    *o = ball ? dcl_sphere(p, 0.6, 0.2) : dcl_plane(p, n, 0.2);
    for (k = 0; k < 3; k++) {
        o->velocity[k] = 0.1 - 0.15 * k;
        o->angular_velocity[k] = 0.4 + 0.1 * k;
        o->rotation[k] += 0.02 * (k + 1);
    }
    s->desc.obstacle_count = 1;
    s->handles[0].vertex = 1;
    s->handles[0].kind = DCL_HANDLE_HARD;
    s->handles[1].vertex = 2;
    s->handles[1].kind = DCL_HANDLE_SOFT;
    s->handles[1].stiffness = 3;
    s->desc.handle_count = 2;
    s->desc.handle_frames = 4;
    s->desc.force_frames = 3;
    s->desc.stretch = 30;
    s->desc.bend = 0.01;
    s->desc.damping = 0.1;
    s->desc.drag = 0.1;
    s->h = 0.01;
    s->steps = 12;
}

static void slide_values(rig *r)
{
    size_t k;
    for (k = 0; k < dcl_params_count(r->params, DCL_PARAM_FORCE); k += 3)
        set3(r, DCL_PARAM_FORCE, k, 0.01 * sin((double)k), -0.02, 0.01 * cos((double)k));
    for (k = 0; k < dcl_params_count(r->params, DCL_PARAM_HANDLE); k += 3) {
        const double *p = dcl_params_get(r->params, DCL_PARAM_HANDLE) + k;
        set3(r, DCL_PARAM_HANDLE, k, p[0] + 0.002 * (double)k, p[1] + 0.01, p[2]);
    }
    push_all(r, 1.2, -0.6, 0.7);
    set3(r, DCL_PARAM_WIND_FORCE, 0, 0.01, -0.01, 0.02);
    CHECK(dcl_params_set1(r->params, DCL_PARAM_WIND_FREQUENCY, 9) == DCL_OK);
    CHECK(dcl_params_set1(r->params, DCL_PARAM_WIND_PHASE, 0.4) == DCL_OK);
    set3(r, DCL_PARAM_AIR_VELOCITY, 0, 1, 0.5, 3);
    CHECK(dcl_params_set1(r->params, DCL_PARAM_AIR_NORMAL, 0.5) == DCL_OK);
    CHECK(dcl_params_set1(r->params, DCL_PARAM_AIR_TANGENT, 0.2) == DCL_OK);
}

static void every_number_by_differences(void)
{
    int ball, b, slips;
    for (ball = 0; ball < 2; ball++) {
        scene s;
        rig r;
        wide_loss l;
        uint64_t centre, plus, minus;
        slide_scene(&s, ball);
        if (!scene_open(&r, &s, 1e-13)) return;
        slide_values(&r);
        l.n3 = r.n3, l.scale = 1, l.curvature = 1;
        dcl_state_reset(r.state, r.params);
        for (b = slips = 0; b < s.steps; b++) {
            dcl_step_stats stats;
            CHECK(dcl_step(r.ws, r.params, r.state, s.h, NULL, &stats) == DCL_OK);
            CHECK(stats.converged);
            slips += stats.slip_count;
        }
        CHECK(slips > 2 * s.steps);
        CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, s.steps, r.tape, NULL, NULL, NULL, NULL) ==
              DCL_OK);
        CHECK(dcl_rollout_adjoint(r.ws, r.params, r.tape, wide, &l, r.grad, NULL) == DCL_OK);
        loss_at(&r, &s, r.params, &l, &centre);
        for (b = 0; b < DCL_PARAM_COUNT; b++) {
            dcl_block block = (dcl_block)b;
            size_t count = dcl_params_count(r.params, block), k;
            const double *g = dcl_grad_get(r.grad, block);
            double largest = 0;
            int none =
                block == DCL_PARAM_SELF_FRICTION ||
                (ball ? block == DCL_PARAM_OBSTACLE_ROTATION : block == DCL_PARAM_OBSTACLE_SIZE);
            CHECK(count > 0);
            for (k = 0; k < count; k++) largest = fmax(largest, fabs(g[k]));
            if (none)
                CHECK(largest <= 1e-13);
            else if (!CHECK(largest > 1e-8))
                printf("  %s\n", dcl_block_name(block));
            for (k = 0; k < count && !none; k++) {
                double old = dcl_params_get(r.params, block)[k], e = 1e-5 * fmax(0.1, fabs(old)),
                       up, down;
                double to = old + e, from = old - e, d;
                CHECK(dcl_params_set(r.params, block, k, 1, &to) == DCL_OK);
                up = loss_at(&r, &s, r.params, &l, &plus);
                CHECK(dcl_params_set(r.params, block, k, 1, &from) == DCL_OK);
                down = loss_at(&r, &s, r.params, &l, &minus);
                CHECK(dcl_params_set(r.params, block, k, 1, &old) == DCL_OK);
                CHECK(plus == centre && minus == centre);
                d = (up - down) / (to - from);
                if (!CHECK_NEAR(g[k], d, 1e-5 * fmax(fabs(d), 1e-3 * largest) + 1e-9))
                    printf("  %s %s[%lu]\n", ball ? "sphere" : "plane", dcl_block_name(block),
                           (unsigned long)k);
            }
        }
        rig_close(&r);
    }
}

/* (G16) 500 steps of Projective Dynamics from a stable equilibrium, cloth hanging from its upper
   edge: the gradient is finite, does not grow from 100 to 500 steps, and differences agree to 1e-4.
 */
static void long_run_at_an_equilibrium(void)
{
    scene s = patch_scene(4, 0.6, 0);
    dcl_solver_desc solver = dcl_default_solver_desc();
    double rest[48], c[48] = {0}, norm[2], along[2], value[2];
    rig r;
    int i, pass;
    size_t k;
    for (i = 0; i < 16; i++) s.x[3 * i + 1] = s.x[3 * i], s.x[3 * i] = 0; /* upright, y up */
    for (i = 0; i < 4; i++) s.handles[i].vertex = 12 + i, s.handles[i].kind = DCL_HANDLE_HARD;
    s.desc.handle_count = 4;
    s.desc.bend = 1e-3;
    s.desc.drag = 0.2;
    s.steps = 500;
    if (!scene_open(&r, &s, 1e-12)) return;
    for (i = 0; i < 40; i++) CHECK(dcl_step(r.ws, r.params, r.state, 20, NULL, NULL) == DCL_OK);
    memcpy(rest, r.state->x, sizeof rest);
    rig_close(&r);
    solver.solver = DCL_SOLVER_PD;
    solver.tolerance = 1e-11;
    if (!rig_open_with(&r, &s.desc, &solver, s.steps)) return;
    CHECK(dcl_params_set(r.params, DCL_PARAM_X0, 0, 48, rest) == DCL_OK);
    for (i = 0; i < 16; i++) c[3 * i + 1] = 1 + 0.1 * i;
    for (pass = 0; pass < 2; pass++) {
        const double *g;
        if (!differentiate(&r, s.h, pass ? 500 : 100, c)) break;
        g = dcl_grad_get(r.grad, DCL_PARAM_COUNT);
        for (k = 0, norm[pass] = 0; k < r.size; k++) {
            CHECK(g[k] == g[k]);
            norm[pass] += g[k] * g[k];
        }
        norm[pass] = sqrt(norm[pass]);
        along[pass] = dcl_grad_get(r.grad, DCL_PARAM_STRETCH)[0];
    }
    CHECK(pass == 2 && norm[1] <= norm[0]);
    for (pass = 0; pass < 2; pass++) {
        linear_loss l;
        l.frame = 500, l.n3 = 48, l.c = c, l.d = NULL;
        CHECK(dcl_params_set1(r.params, DCL_PARAM_STRETCH,
                              s.desc.stretch * (pass ? 1 - 1e-4 : 1 + 1e-4)) == DCL_OK);
        CHECK(dcl_rollout(r.ws, r.params, r.state, s.h, 500, NULL, linear, &l, &value[pass],
                          &r.stats) == DCL_OK);
        CHECK_EQ(r.stats.unconverged, 0);
    }
    CHECK_REL(along[1], (value[0] - value[1]) / (2e-4 * s.desc.stretch), 1e-4);
    rig_close(&r);
}

/* ---- the suite --------------------------------------------------------------------------------
 */

static void suite_flight(void)
{
    TEST_RUN(free_fall);
    TEST_RUN(force_and_drag);
}

static void suite_contact(void)
{
    TEST_RUN(slide_down_an_incline);
    TEST_RUN(stick_on_an_incline);
    TEST_RUN(stopping_distance);
    TEST_RUN(friction_law_of_one_step);
    TEST_RUN(drop_on_a_plane);
    TEST_RUN(resting_on_a_plane);
}

static void suite_statics(void)
{
    TEST_RUN(spring_oscillator);
    TEST_RUN(membrane_oscillator);
    TEST_RUN(step_that_ends_at_a_saddle);
    TEST_RUN(hanging_cloth);
    TEST_RUN(polar_factor_at_equal_singular_values);
    TEST_RUN(collapsed_triangles_have_finite_gradients);
}

static void suite_identities(void)
{
    TEST_RUN(adjoint_and_tangent_are_transposes);
    TEST_RUN(loss_of_any_scale);
    TEST_RUN(adjoint_methods_agree);
    TEST_RUN(gradients_accumulate);
    TEST_RUN(changed_parameters_are_noticed);
    TEST_RUN(tape_restores_states);
    TEST_RUN(same_bits_every_time);
}

static void suite_differences(void)
{
    TEST_RUN(target_that_is_met);
    TEST_RUN(taylor_remainder);
    TEST_RUN(every_number_by_differences);
    TEST_RUN(long_run_at_an_equilibrium);
}

void suite_gradient(void);
void suite_gradient(void)
{
    suite_flight();
    suite_contact();
    suite_statics();
    suite_identities();
    suite_differences();
}
