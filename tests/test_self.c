/* test_self.c - contact of the cloth with itself. */
#include "scenes.h"
#include "test.h"

#include <stdlib.h>

typedef struct rig {
    dcl_model *model;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *ws;
    dcl_step_stats stats;
    int n;
    char text[256];
} rig;

static void hear(dcl_result code, const char *text, void *user)
{
    (void)code;
    snprintf(((rig *)user)->text, sizeof((rig *)user)->text, "%s", text);
}

static dcl_result rig_try(rig *r, scene *s)
{
    dcl_result result;
    memset(r, 0, sizeof *r);
    scene_fix(s);
    s->desc.logger.log = hear;
    s->desc.logger.user = r;
    r->n = s->desc.vertex_count;
    result = dcl_model_create(&s->desc, &r->model);
    if (!result) result = dcl_params_create(r->model, &r->params);
    if (!result && s->setup) s->setup(s, r->params);
    if (!result) result = dcl_state_create(r->params, &r->state);
    if (!result) result = dcl_workspace_create(r->model, NULL, &r->ws);
    return result;
}

static int rig_open(rig *r, scene *s)
{
    return CHECK(rig_try(r, s) == DCL_OK);
}

static void rig_close(rig *r)
{
    dcl_workspace_destroy(r->ws);
    dcl_state_destroy(r->state);
    dcl_params_destroy(r->params);
    dcl_model_destroy(r->model);
}

static int rig_step(rig *r, double h)
{
    return CHECK(dcl_step(r->ws, r->params, r->state, h, NULL, &r->stats) == DCL_OK) &&
           CHECK(r->stats.converged);
}

static scene empty_scene(void)
{
    scene s;
    memset(&s, 0, sizeof s);
    s.desc = dcl_default_model_desc();
    s.desc.stretch = 60;
    s.h = 0.01;
    scene_fix(&s);
    return s;
}

static void add_table(scene *s, double nx, double ny, double nz, double mu)
{
    double p[3] = {0, 0, 0}, n[3];
    n[0] = nx, n[1] = ny, n[2] = nz;
    s->obstacles[s->desc.obstacle_count++] = dcl_plane(p, n, mu);
}

static void sub(const double *a, const double *b, double *out)
{
    int k;
    for (k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Six times the signed volume of a tetrahedron. */
static double volume(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], n[3];
    sub(b, a, u);
    sub(c, a, v);
    sub(d, a, w);
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    return dot(n, w);
}

/* 1 if the segment p q goes through the triangle a b c, from signs of volumes alone; pieces of one
   flat layer have volumes of rounding size (m^3) and do not count. */
static int pierces(const double *p, const double *q, const double *a, const double *b,
                   const double *c)
{
    double zero = 1e-14, f = volume(a, b, c, p), g = volume(a, b, c, q), s, t, u;
    if (!((f > zero && g < -zero) || (f < -zero && g > zero))) return 0;
    s = volume(p, q, a, b);
    t = volume(p, q, b, c);
    u = volume(p, q, c, a);
    return (s > zero && t > zero && u > zero) || (s < -zero && t < -zero && u < -zero);
}

/* Edges that go through triangles, by trying all of them: independent of the library. */
static int crossings(const scene *s, const double *x)
{
    int found = 0, t, k, o;
    for (t = 0; t < s->desc.triangle_count; t++)
        for (k = 0; k < 3; k++) {
            int a = s->triangles[3 * t + k], b = s->triangles[3 * t + (k + 1) % 3];
            for (o = 0; o < s->desc.triangle_count; o++) {
                const int *v = s->triangles + 3 * o;
                if (a == v[0] || a == v[1] || a == v[2] || b == v[0] || b == v[1] || b == v[2])
                    continue;
                found += pierces(x + 3 * a, x + 3 * b, x + 3 * v[0], x + 3 * v[1], x + 3 * v[2]);
            }
        }
    return found;
}

/* The same at `samples` points of the straight way from one state to the next. */
static int crossings_on_the_way(const scene *s, const double *from, const double *to, int samples)
{
    double x[3 * SCENE_MOST * SCENE_MOST];
    int found = 0, i, k;
    for (i = 1; i <= samples; i++) {
        for (k = 0; k < 3 * s->desc.vertex_count; k++)
            x[k] = from[k] + (to[k] - from[k]) * i / samples;
        found += crossings(s, x);
    }
    return found;
}

/* Two free layers, one thrown at the other at up to ten edge lengths per step: neither passes. */
static void thrown_layers_do_not_pass(void)
{
    static const double speed[4] = {1, 8, 40, 120};
    int k, i, step;
    for (k = 0; k < 4; k++) {
        scene s = empty_scene();
        rig r;
        double before[3 * SCENE_MOST * SCENE_MOST];
        scene_layer(&s, 6, 0.6, 0, 0, 0, 0);
        scene_layer(&s, 5, 0.5, 0.03, 0.15, -0.04, 0.6);
        for (i = 36; i < 61; i++) s.x[3 * i + 1] += 0.3 * s.x[3 * i]; /* comes down on an edge */
        scene_feel_itself(&s, 0.3, 0.02);
        memset(s.desc.gravity, 0, sizeof s.desc.gravity);
        if (!rig_open(&r, &s)) return;
        for (i = 36; i < 61; i++) r.state->v[3 * i + 1] = -speed[k];
        for (step = 0; step < 12; step++) {
            memcpy(before, r.state->x, 3 * (size_t)r.n * sizeof(double));
            if (!CHECK(dcl_step(r.ws, r.params, r.state, s.h, NULL, &r.stats) == DCL_OK)) break;
            if (!CHECK(r.stats.converged))
                printf("  speed %g step %d residual %g\n", speed[k], step, r.stats.residual);
            if (!CHECK_EQ(crossings_on_the_way(&s, before, r.state->x, 40), 0))
                printf("  speed %g step %d\n", speed[k], step);
        }
        rig_close(&r);
    }
}

/* Without gravity and obstacles a collision conserves linear and angular momentum. */
static void collisions_conserve_momentum(void)
{
    scene s = empty_scene();
    rig r;
    double p[3] = {0, 0, 0}, q[3] = {0, 0, 0}, scale = 0, mass[3] = {0, 0, 0};
    int i, k, step, felt = 0;
    scene_layer(&s, 5, 0.5, 0, 0, 0, 0);
    scene_layer(&s, 4, 0.4, 0.03, 0.04, -0.04, 0.6);
    scene_feel_itself(&s, 0.4, 0.02);
    memset(s.desc.gravity, 0, sizeof s.desc.gravity);
    if (!rig_open(&r, &s)) return;
    for (i = 25; i < 41; i++) r.state->v[3 * i + 1] = -2, r.state->v[3 * i] = 0.7;
    for (step = -1; step < 6; step++) {
        double sum[3] = {0, 0, 0};
        int t;
        if (step >= 0) {
            if (!rig_step(&r, s.h)) break;
            felt += r.stats.self_slip + r.stats.self_stick;
        }
        for (t = 0; t < s.desc.triangle_count; t++) { /* each triangle's third on each corner */
            const int *v = s.triangles + 3 * t;
            double width = t < 32 ? 0.5 / 4 : 0.4 / 3, third = s.desc.density * width * width / 6;
            for (k = 0; k < 9; k++) sum[k % 3] += third * r.state->v[3 * v[k / 3] + k % 3];
            mass[0] += third;
        }
        for (k = 0; k < 3 && step < 0; k++) p[k] = sum[k], scale += fabs(sum[k]);
        for (k = 0; k < 3; k++) q[k] = sum[k];
    }
    CHECK(felt > 10);
    for (k = 0; k < 3; k++) CHECK_NEAR(q[k], p[k], 1e-12 * scale);
    rig_close(&r);
}

/* Five sheets on a table for ten seconds: at rest, and no creep that grows with time. */
static void stack_rests(void)
{
    scene s = empty_scene();
    rig r;
    double half[3 * SCENE_MOST * SCENE_MOST], worst = 0, early = 0;
    int i, k, step;
    memset(half, 0, sizeof half);
    for (k = 0; k < 5; k++)
        scene_layer(&s, 4, 0.3, 0.011 * k, 0.001 + 0.011 * k, 0.007 * k, 0.3 * k);
    scene_feel_itself(&s, 0.3, 0.01);
    s.desc.damping = 0.05;
    add_table(&s, 0, 1, 0, 0.5);
    if (!rig_open(&r, &s)) return;
    for (step = 0; step < 500; step++) {
        if (!rig_step(&r, 0.02)) {
            printf("  step %d: %s, residual %g\n", step, r.text, r.stats.residual);
            break;
        }
        if (step == 250) memcpy(half, r.state->x, 3 * (size_t)r.n * sizeof(double));
        if (step == 375)
            for (i = 0; i < 3 * r.n; i++) early = fmax(early, fabs(r.state->x[i] - half[i]));
    }
    for (i = 0; i < 3 * r.n; i++) worst = fmax(worst, fabs(r.state->x[i] - half[i]));
    CHECK_NEAR(worst, 0, 1e-12);
    CHECK(worst <= 2 * early + 1e-14);
    CHECK_EQ(crossings(&s, r.state->x), 0);
    rig_close(&r);
}

/* Two layers on a slope below both angles of friction: no motion beyond rounding. */
static void layers_rest_on_a_slope(void)
{
    scene s = empty_scene();
    rig r;
    double angle = 0.25, worst = 0, x0[3 * SCENE_MOST * SCENE_MOST];
    int i, step;
    scene_layer(&s, 4, 0.3, 0, 0, 0, 0);
    scene_layer(&s, 4, 0.2, 0.01, 0.02, 0.007, 0.3);
    for (i = 0; i < 32; i++) { /* onto the slope */
        double *x = s.x + 3 * i, a = x[0], b = x[1];
        x[0] = cos(angle) * a + sin(angle) * b;
        x[1] = -sin(angle) * a + cos(angle) * b;
    }
    scene_feel_itself(&s, 0.3, 0.02);
    add_table(&s, sin(angle), cos(angle), 0, 0.3);
    if (!rig_open(&r, &s)) return;
    memcpy(x0, r.state->x, 3 * (size_t)r.n * sizeof(double));
    for (step = 0; step < 200; step++)
        if (!rig_step(&r, 0.01)) break;
    for (i = 0; i < 3 * r.n; i++) worst = fmax(worst, fabs(r.state->x[i] - x0[i]));
    CHECK_NEAR(worst, 0, 1e-13);
    CHECK(r.stats.self_stick > 0);
    CHECK_EQ(r.stats.self_slip, 0);
    rig_close(&r);
}

/* (V25) The table-cloth: the lower layer is pulled at a, the upper one follows at min(a, mu g); it
   slides by the discrete formula mu g h^2 N (N + 1)/2. */
static void table_cloth(void)
{
    static const double pull[3] = {2, 2.9, 6};
    double mu = 0.3, g = 9.81, h = 0.01;
    int k, i, step;
    for (k = 0; k < 3; k++) {
        scene s = empty_scene();
        rig r;
        double a = pull[k], follow = fmin(a, mu * g), path[3], way;
        scene_layer(&s, 5, 0.8, 0.1, 0, 0, 0);
        scene_layer(&s, 4, 0.2, 0.01, 0.02, 0.013, 0.3);
        scene_feel_itself(&s, mu, 0.02);
        s.desc.handle_frames = 21;
        s.desc.handle_count = 25;
        if (!CHECK(25 <= SCENE_HANDLES)) return;
        for (i = 0; i < 25; i++) s.handles[i].vertex = i, s.handles[i].kind = DCL_HANDLE_HARD;
        if (!rig_open(&r, &s)) return;
        for (step = 0; step <= 20; step++)
            for (i = 0; i < 25; i++) {
                memcpy(path, s.x + 3 * i, sizeof path);
                path[0] += a * h * h * step * (step + 1) / 2;
                dcl_params_set(r.params, DCL_PARAM_HANDLE, 3 * ((size_t)step * 25 + (size_t)i), 3,
                               path);
            }
        for (step = 0; step < 20; step++) {
            if (!rig_step(&r, h)) break;
            way = follow * h * h * (step + 1) * (step + 2) / 2;
            for (i = 25; i < 41; i++) {
                CHECK_NEAR(r.state->x[3 * i] - s.x[3 * i], way, 1e-11);
                CHECK_NEAR(r.state->x[3 * i + 1], s.x[3 * i + 1], 1e-11);
            }
        }
        rig_close(&r);
    }
}

/* (C06) Cloth that never touches itself moves the same with and without. */
static void feeling_itself_changes_nothing_alone(void)
{
    scene s = empty_scene();
    rig a, b;
    double c[3] = {0.02, -0.31, 0.01};
    int step;
    scene_layer(&s, 7, 0.6, 0, 0, 0, 0);
    s.obstacles[s.desc.obstacle_count++] = dcl_sphere(c, 0.3, 0.3);
    if (!rig_open(&a, &s)) return;
    scene_feel_itself(&s, 0.3, 0.02);
    if (!rig_open(&b, &s)) return;
    for (step = 0; step < 20; step++)
        if (!rig_step(&a, s.h) || !rig_step(&b, s.h)) break;
    CHECK(memcmp(a.state->x, b.state->x, 3 * (size_t)a.n * sizeof(double)) == 0);
    rig_close(&a);
    rig_close(&b);
}

/* (C18) Coincident triangles of two parts, and layers that cross, are named; the state stays. */
static void overlap_is_refused(void)
{
    static const char *const what[2] = {"touch or cross", "touch or cross"};
    int k, i;
    for (k = 0; k < 2; k++) {
        scene s = empty_scene();
        rig r;
        double before[3 * SCENE_MOST * SCENE_MOST];
        scene_layer(&s, 3, 0.3, 0, 0, 0, 0);
        scene_layer(&s, 3, 0.3, 0, k ? 0.01 : 0, k ? 0.013 : 0, 0);
        for (i = 9; i < 18 && k; i++)
            s.x[3 * i + 1] += 0.5 * s.x[3 * i]; /* slants through the other */
        scene_feel_itself(&s, 0.3, 0.02);
        if (!rig_open(&r, &s)) return;
        memcpy(before, r.state->x, sizeof(double) * 54);
        CHECK(dcl_step(r.ws, r.params, r.state, s.h, NULL, &r.stats) == DCL_ERROR_SELF_OVERLAP);
        CHECK_STR(r.text, what[k]);
        CHECK(memcmp(before, r.state->x, sizeof(double) * 54) == 0);
        rig_close(&r);
    }
}

/* (C21) A thickness of more than half an edge is refused; neighbours do not push each other. */
static void thickness_and_neighbours(void)
{
    static const double bad[4] = {0.02, -0.001, NAN, INFINITY};
    int k, i, step;
    rig r;
    scene s = empty_scene();
    double worst = 0;
    for (k = 0; k < 4; k++) {
        s = empty_scene();
        scene_layer(&s, 5, 0.04, 0, 0, 0, 0);
        scene_feel_itself(&s, 0.3, bad[k]);
        CHECK(rig_try(&r, &s) < DCL_OK);
        CHECK_STR(r.text, "self_thickness");
        rig_close(&r);
    }
    s = empty_scene();
    scene_layer(&s, 5, 0.04, 0, 0, 0, 0);
    scene_feel_itself(&s, 0.3, 0.005);
    memset(s.desc.gravity, 0, sizeof s.desc.gravity);
    if (!rig_open(&r, &s)) return;
    for (step = 0; step < 50; step++)
        if (!rig_step(&r, s.h)) break;
    for (i = 0; i < 3 * r.n; i++) worst = fmax(worst, fabs(r.state->x[i] - s.x[i]));
    CHECK_NEAR(worst, 0, 1e-15);
    rig_close(&r);
}

/* The same bits from the same state, whatever the workspace did before; impulses sum to nothing. */
static void same_state_same_bits(void)
{
    scene s = empty_scene();
    rig r;
    dcl_state *copy;
    dcl_contact contacts[400];
    double end[3 * SCENE_MOST * SCENE_MOST];
    int step, i, k, count;
    scene_layer(&s, 5, 0.5, 0, 0.003, 0, 0);
    scene_layer(&s, 5, 0.45, 0.02, 0.03, 0.01, 0.3);
    scene_feel_itself(&s, 0.3, 0.02);
    add_table(&s, 0, 1, 0, 0.4);
    if (!rig_open(&r, &s)) return;
    if (!CHECK(dcl_state_create(r.params, &copy) == DCL_OK)) return;
    for (step = 0; step < 8; step++)
        if (!rig_step(&r, s.h)) break;
    CHECK(dcl_state_copy(copy, r.state) == DCL_OK);
    for (step = 0; step < 4; step++)
        if (!rig_step(&r, s.h)) break;
    memcpy(end, r.state->x, 3 * (size_t)r.n * sizeof(double));
    CHECK(dcl_state_copy(r.state, copy) == DCL_OK);
    for (step = 0; step < 4; step++)
        if (!rig_step(&r, s.h)) break;
    CHECK(memcmp(end, r.state->x, 3 * (size_t)r.n * sizeof(double)) == 0);
    count = dcl_workspace_get_contacts(r.ws, 400, contacts);
    CHECK(count > 10 && count <= 400);
    for (i = k = 0; i < count; i++) {
        const dcl_contact *c = &contacts[i];
        double sum = c->weight[0] + c->weight[1] + c->weight[2] + c->weight[3];
        if (c->obstacle >= 0) continue;
        k++;
        CHECK_NEAR(sum, 0, 1e-15);
        CHECK(dot(c->normal, c->impulse) >= 0);
        CHECK(c->vertex[0] >= 0 && c->vertex[1] >= 0);
    }
    CHECK_EQ(k, r.stats.self_stick + r.stats.self_slip);
    dcl_state_destroy(copy);
    rig_close(&r);
}

void suite_self(void);
void suite_self(void)
{
    TEST_RUN(thrown_layers_do_not_pass);
    TEST_RUN(collisions_conserve_momentum);
    TEST_RUN(stack_rests);
    TEST_RUN(layers_rest_on_a_slope);
    TEST_RUN(table_cloth);
    TEST_RUN(feeling_itself_changes_nothing_alone);
    TEST_RUN(overlap_is_refused);
    TEST_RUN(thickness_and_neighbours);
    TEST_RUN(same_state_same_bits);
}
