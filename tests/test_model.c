/* test_model.c - meshes, refusals, memory, threads, scales and extremes. Names in brackets such as
   (M01) are rows of the table of small inputs with known results. */
#include "scenes.h"
#include "test.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- a counting allocator and a listening logger ----------------------------------------------
 */

enum { HEAD = 64 }; /* keeps the alignment malloc gives */

typedef struct counter {
    long blocks, calls, fail_at; /* live blocks; calls so far; the call that fails, 0: none */
    size_t bytes, last, limit;   /* live bytes; size of the last block; larger ones fail, 0: none */
    long wrong;                  /* blocks freed with another size than they were made with */
    int fill;                    /* the byte new memory is filled with */
} counter;

static void *counter_alloc(size_t bytes, void *user)
{
    counter *c = (counter *)user;
    char *p;
    c->calls++;
    c->last = bytes;
    if (c->calls == c->fail_at || (c->limit && bytes > c->limit)) return NULL;
    p = (char *)malloc(bytes + HEAD);
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    memset(p + HEAD, c->fill, bytes);
    c->blocks++;
    c->bytes += bytes;
    return p + HEAD;
}

static void counter_free(void *ptr, size_t bytes, void *user)
{
    counter *c = (counter *)user;
    size_t made;
    char *p = (char *)ptr - HEAD;
    memcpy(&made, p, sizeof made);
    if (made != bytes) c->wrong++;
    c->blocks--;
    c->bytes -= made;
    memset(ptr, 0xA5, made);
    free(p);
}

typedef struct heard {
    int calls;
    dcl_result code;
    char text[256];
} heard;

static void hear(dcl_result code, const char *text, void *user)
{
    heard *h = (heard *)user;
    h->calls++;
    h->code = code;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double quiet_nan(void)
{
    return from_bits(0x7FF8000000000000u);
}

static double infinity_of(int sign)
{
    return from_bits(sign < 0 ? 0xFFF0000000000000u : 0x7FF0000000000000u);
}

/* A bit test, so that this file may be built with any options. */
static int finite_all(const double *x, size_t count)
{
    size_t k;
    for (k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        if ((bits & 0x7FF0000000000000u) == 0x7FF0000000000000u) return 0;
    }
    return 1;
}

/* ---- a rig: one of every object -------------------------------------------------------------- */

typedef struct rig {
    scene s;
    counter memory;
    heard log;
    dcl_solver_desc solver;
    dcl_model *model;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *workspace;
    dcl_tape *tape;
    dcl_grad *grad;
    double *adj, *dir; /* adj: 6n; dir: 2 x params size */
} rig;

enum { RIG_STEPS = 4 };

static void rig_listen(rig *r)
{
    r->s.desc.allocator.alloc = counter_alloc;
    r->s.desc.allocator.free = counter_free;
    r->s.desc.allocator.user = &r->memory;
    r->s.desc.logger.log = hear;
    r->s.desc.logger.user = &r->log;
}

/* A flat patch, default numbers. */
static void rig_patch(rig *r, int side, double width, double y)
{
    memset(r, 0, sizeof *r);
    r->s.desc = dcl_default_model_desc();
    r->solver = dcl_default_solver_desc();
    r->s.h = 0.01;
    rig_listen(r);
    scene_patch(&r->s, side, width, y);
}

static void rig_handle(rig *r, int vertex, dcl_handle_kind kind, double stiffness)
{
    dcl_handle *handle = &r->s.handles[r->s.desc.handle_count++];
    handle->vertex = vertex;
    handle->kind = kind;
    handle->stiffness = stiffness;
}

/* Everything at once: both kinds of handles, a plane and a moving sphere that touch, all forces. */
static void rig_rich(rig *r)
{
    static const double ground[3] = {0, -0.001, 0}, up[3] = {0, 1, 0}, centre[3] = {0.1, -0.1, 0};
    rig_patch(r, 4, 0.6, 0);
    rig_handle(r, 0, DCL_HANDLE_HARD, 0);
    rig_handle(r, 3, DCL_HANDLE_SOFT, 40);
    r->s.obstacles[0] = dcl_plane(ground, up, 0.3);
    r->s.obstacles[1] = dcl_sphere(centre, 0.11, 0.4);
    r->s.obstacles[1].velocity[0] = 0.2;
    r->s.obstacles[1].angular_velocity[2] = 1;
    r->s.desc.obstacle_count = 2;
    r->s.desc.handle_frames = 3;
    r->s.desc.force_frames = 2;
    r->s.desc.damping = 0.02;
    r->s.desc.drag = 0.03;
}

static void rig_values(rig *r)
{
    static const double wind[3] = {0.002, 0.001, 0.004}, air[3] = {1, 0.5, 3};
    size_t k, count = dcl_params_count(r->params, DCL_PARAM_V0);
    unsigned seed = 5;
    for (k = 0; k < count; k++) {
        double v = 0.3 * scene_random(&seed);
        dcl_params_set(r->params, DCL_PARAM_V0, k, 1, &v);
    }
    count = dcl_params_count(r->params, DCL_PARAM_FORCE);
    for (k = 0; k < count; k++) {
        double f = 0.01 * scene_random(&seed);
        dcl_params_set(r->params, DCL_PARAM_FORCE, k, 1, &f);
    }
    dcl_params_set(r->params, DCL_PARAM_WIND_FORCE, 0, 3, wind);
    dcl_params_set1(r->params, DCL_PARAM_WIND_FREQUENCY, 9);
    dcl_params_set(r->params, DCL_PARAM_AIR_VELOCITY, 0, 3, air);
    dcl_params_set1(r->params, DCL_PARAM_AIR_NORMAL, 1.3);
    dcl_params_set1(r->params, DCL_PARAM_AIR_TANGENT, 0.2);
    dcl_state_reset(r->state, r->params);
}

static size_t rig_n3(const rig *r)
{
    return 3 * (size_t)r->s.desc.vertex_count;
}

static dcl_result rig_create(rig *r)
{
    dcl_result code = dcl_model_create(&r->s.desc, &r->model);
    if (!code) code = dcl_params_create(r->model, &r->params);
    if (!code) code = dcl_state_create(r->params, &r->state);
    if (!code) code = dcl_workspace_create(r->model, &r->solver, &r->workspace);
    if (!code) code = dcl_tape_create(r->model, RIG_STEPS, &r->tape);
    if (!code) code = dcl_grad_create(r->params, DCL_ALL_BLOCKS, &r->grad);
    return code;
}

static void rig_destroy(rig *r)
{
    dcl_grad_destroy(r->grad);
    dcl_tape_destroy(r->tape);
    dcl_workspace_destroy(r->workspace);
    dcl_state_destroy(r->state);
    dcl_params_destroy(r->params);
    dcl_model_destroy(r->model);
    free(r->adj);
    free(r->dir);
    CHECK_EQ(r->memory.blocks, 0);
    CHECK_EQ(r->memory.bytes, 0);
    CHECK_EQ(r->memory.wrong, 0);
}

static int rig_ready(rig *r)
{
    dcl_result code = rig_create(r);
    if (code) printf("%s: %s\n", dcl_result_name(code), r->log.text);
    return CHECK_EQ(code, DCL_OK);
}

/* A loss that sees everything: sum of x^2/2 + v^2/20 over all frames. */
static double square_loss(void *user, int frame, const dcl_state *state, double *adj_x,
                          double *adj_v)
{
    size_t n3 = 3 * (size_t)dcl_model_count_vertices(state->model), k;
    double sum = 0;
    (void)user;
    (void)frame;
    for (k = 0; k < n3; k++) {
        sum += 0.5 * state->x[k] * state->x[k] + 0.05 * state->v[k] * state->v[k];
        if (adj_x) adj_x[k] += state->x[k];
        if (adj_v) adj_v[k] += 0.1 * state->v[k];
    }
    return sum;
}

typedef struct sight {
    double *dx, *dv;
    size_t count;
} sight;

static void see_tangent(void *user, int frame, const dcl_state *state, int count, const double *dx,
                        const double *dv)
{
    sight *s = (sight *)user;
    (void)frame;
    (void)state;
    (void)count;
    if (!s) return;
    memcpy(s->dx, dx, s->count * sizeof(double));
    memcpy(s->dv, dv, s->count * sizeof(double));
}

static void rig_directions(rig *r)
{
    size_t n3 = rig_n3(r), size = dcl_params_size(r->params), k;
    unsigned seed = 9;
    r->adj = (double *)malloc(2 * n3 * sizeof(double));
    r->dir = (double *)malloc(2 * size * sizeof(double));
    for (k = 0; k < 2 * n3; k++) r->adj[k] = scene_random(&seed);
    for (k = 0; k < 2 * size; k++) r->dir[k] = 0.1 * scene_random(&seed);
}

/* Steps, a step back, a step of tangents, and the three rollouts. Stops at the first refusal. */
static dcl_result rig_work(rig *r)
{
    size_t n3 = rig_n3(r);
    double value;
    dcl_result code = DCL_OK;
    int k;
    dcl_tape_reset(r->tape);
    dcl_state_reset(r->state, r->params);
    for (k = 0; k < 3 && !code; k++)
        code = dcl_step(r->workspace, r->params, r->state, r->s.h, r->tape, NULL);
    if (!code)
        code = dcl_step_adjoint(r->workspace, r->params, r->tape, 2, r->adj, r->adj + n3, r->grad,
                                NULL);
    if (!code)
        code =
            dcl_step_tangent(r->workspace, r->params, r->tape, 1, 1, r->adj, r->adj + n3, r->dir);
    if (!code)
        code = dcl_rollout(r->workspace, r->params, r->state, r->s.h, RIG_STEPS, r->tape,
                           square_loss, NULL, &value, NULL);
    if (!code)
        code =
            dcl_rollout_adjoint(r->workspace, r->params, r->tape, square_loss, NULL, r->grad, NULL);
    return code;
}

/* A copy of what a refusal must leave alone. */
typedef struct snapshot {
    double *values;
    size_t count;
    int step, tape;
    double time;
} snapshot;

static snapshot snapshot_take(const rig *r)
{
    snapshot s;
    size_t n3 = rig_n3(r), size = dcl_params_size(r->params);
    s.count = 2 * n3 + 2 * size;
    s.values = (double *)malloc(s.count * sizeof(double));
    memcpy(s.values, r->state->x, n3 * sizeof(double));
    memcpy(s.values + n3, r->state->v, n3 * sizeof(double));
    memcpy(s.values + 2 * n3, dcl_params_get(r->params, DCL_PARAM_COUNT), size * sizeof(double));
    memcpy(s.values + 2 * n3 + size, dcl_grad_get(r->grad, DCL_PARAM_COUNT), size * sizeof(double));
    s.step = r->state->step;
    s.time = r->state->time;
    s.tape = dcl_tape_count(r->tape);
    return s;
}

/* 1 if nothing changed since; frees the copy. */
static int snapshot_same(snapshot *s, const rig *r)
{
    snapshot now = snapshot_take(r);
    int same = !memcmp(now.values, s->values, s->count * sizeof(double)) && now.step == s->step &&
               now.tape == s->tape && !memcmp(&now.time, &s->time, sizeof now.time);
    free(now.values);
    free(s->values);
    s->values = NULL;
    return same;
}

/* ---- refusals of the model ------------------------------------------------------------------- */

/* The descriptor of r is refused with this code and one line that has both parts; nothing stays. */
static void refused(rig *r, dcl_result code, const char *part, const char *part2, int line)
{
    dcl_model *model = (dcl_model *)r; /* any non-NULL value */
    dcl_result result;
    r->log.calls = 0;
    r->log.text[0] = 0;
    result = dcl_model_create(&r->s.desc, &model);
    if (result != code || model || r->log.calls != 1 || r->log.code != code ||
        !strstr(r->log.text, part) || !strstr(r->log.text, part2) || strchr(r->log.text, '\n') ||
        r->memory.blocks) {
        printf("%s:%d: wanted %s with \"%s\" and \"%s\", got %s \"%s\", %d lines, %ld blocks\n",
               __FILE__, line, dcl_result_name(code), part, part2, dcl_result_name(result),
               r->log.text, r->log.calls, r->memory.blocks);
        test_ctx.bad_checks++;
    }
    if (!result) dcl_model_destroy(model);
}

#define REFUSED(r, code, part, part2) refused(r, code, part, part2, __LINE__)

static void rig_mesh(rig *r, int vertices, const double *x, int triangles, const int *t)
{
    memset(r, 0, sizeof *r);
    r->s.desc = dcl_default_model_desc();
    r->solver = dcl_default_solver_desc();
    r->s.h = 0.01;
    rig_listen(r);
    r->s.desc.vertex_count = vertices;
    r->s.desc.positions = x;
    r->s.desc.triangle_count = triangles;
    r->s.desc.triangles = t;
}

static void unreferenced_vertex(void) /* M01 */
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 2, 0};
    static const int t[] = {0, 1, 2};
    rig r;
    rig_mesh(&r, 4, x, 1, t);
    REFUSED(&r, DCL_ERROR_UNREFERENCED_VERTEX, "vertex 3", "");
}

static void doubled_triangles(void) /* M03 */
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int back[] = {0, 1, 2, 0, 2, 1}, turned[] = {0, 1, 2, 2, 1, 3, 1, 2, 0};
    rig r;
    rig_mesh(&r, 3, x, 2, back);
    REFUSED(&r, DCL_ERROR_DUPLICATE_TRIANGLE, "0 and 1", "0 1 2");
    rig_mesh(&r, 4, x, 3, turned);
    REFUSED(&r, DCL_ERROR_DUPLICATE_TRIANGLE, "0 and 2", "");
}

/* Area of a one-triangle mesh, seen through the acceleration its first vertex gets from 1 N. */
static double measured_area(const double *x, double *size)
{
    static const int t[] = {0, 1, 2};
    double force[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, area = -1;
    rig r;
    rig_mesh(&r, 3, x, 1, t);
    r.s.desc.force_frames = 1;
    r.s.desc.gravity[1] = 0;
    r.s.desc.stretch = 0;
    if (rig_ready(&r)) {
        dcl_params_set(r.params, DCL_PARAM_FORCE, 0, 9, force);
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, NULL, NULL), DCL_OK);
        area = 3 * 0.01 / (r.s.desc.density * r.state->v[2]);
    }
    if (size) *size = (double)r.log.calls;
    rig_destroy(&r);
    return area;
}

static void sliver_triangles(void) /* M05 */
{
    static const int t[] = {0, 1, 2};
    static const double scales[] = {1e-6, 1, 1e6};
    int k, i;
    for (k = 0; k < 3; k++) { /* the verdict depends on the shape alone */
        double s = scales[k], sliver[9] = {0, 0, 0, 1, 0, 0, 0.5, 1e-9, 0},
               thin[9] = {0, 0, 0, 1, 0, 0, 0.5, 1e-7, 0};
        rig r;
        for (i = 0; i < 9; i++) sliver[i] *= s, thin[i] *= s;
        rig_mesh(&r, 3, sliver, 1, t);
        REFUSED(&r, DCL_ERROR_DEGENERATE_TRIANGLE, "triangle 0", "1e-08");
        CHECK_REL(measured_area(thin, NULL), 5e-8 * s * s, 1e-6);
    }
}

static void small_triangles_are_silent(void) /* M06 */
{
    static const double edges[] = {1e-6, 1e-3, 1, 1e3, 1e6};
    int k;
    for (k = 0; k < 5; k++) {
        double e = edges[k], lines = -1;
        double x[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        x[3] = e, x[6] = e / 2, x[7] = e * sqrt(3.0) / 2;
        CHECK_REL(measured_area(x, &lines), sqrt(3.0) / 4 * e * e, 1e-12);
        CHECK_EQ(lines, 0);
    }
}

static void hanging_vertex(void) /* M08 */
{
    /* 1-2 is an edge of the left triangle; the right side has 4 in its middle */
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 2, 0.5, 0, 1, 0.5, 0};
    static const int t[] = {0, 1, 2, 1, 3, 4, 4, 3, 2};
    rig r;
    rig_mesh(&r, 5, x, 3, t);
    if (rig_ready(&r)) {
        int k;
        CHECK_EQ(dcl_model_count_hinges(r.model), 1); /* 3-4 only */
        CHECK_EQ(dcl_model_count_triangles(r.model), 3);
        CHECK_EQ(dcl_model_count_vertices(r.model), 5);
        CHECK(!memcmp(dcl_model_get_triangles(r.model), t, sizeof t));
        for (k = 0; k < 10; k++)
            CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, NULL, NULL), DCL_OK);
        CHECK_NEAR(r.state->x[1], -9.81 * 1e-4 * 55, 1e-12);
    }
    rig_destroy(&r);
}

static void inconsistent_winding(void) /* M10 */
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int t[] = {0, 1, 2, 1, 2, 3};
    rig r;
    rig_mesh(&r, 4, x, 2, t);
    REFUSED(&r, DCL_ERROR_INCONSISTENT_WINDING, "edge 1-2", "0 and 1");
}

static void edge_of_three_triangles(void) /* M11 */
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0};
    static const int t[] = {0, 1, 2, 0, 1, 3, 0, 1, 4}, mixed[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    rig r;
    rig_mesh(&r, 5, x, 3, t);
    REFUSED(&r, DCL_ERROR_NON_MANIFOLD_EDGE, "edge 0-1", "0, 1, 2");
    rig_mesh(&r, 5, x, 3, mixed);
    REFUSED(&r, DCL_ERROR_NON_MANIFOLD_EDGE, "edge 0-1", "0, 1, 2");
}

static void empty_meshes(void) /* M13, X03 */
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const int t[] = {0, 1, 2};
    rig r;
    rig_mesh(&r, 0, NULL, 0, NULL);
    REFUSED(&r, DCL_ERROR_EMPTY_MESH, "0 vertices", "0 triangles");
    rig_mesh(&r, 3, x, 0, NULL);
    REFUSED(&r, DCL_ERROR_EMPTY_MESH, "3 vertices", "0 triangles");
    rig_mesh(&r, 0, x, 1, t);
    REFUSED(&r, DCL_ERROR_EMPTY_MESH, "0 vertices", "");
    rig_mesh(&r, 3, NULL, 1, t);
    REFUSED(&r, DCL_ERROR_NULL_POINTER, "positions", "");
    rig_mesh(&r, 3, x, 1, NULL);
    REFUSED(&r, DCL_ERROR_NULL_POINTER, "triangles", "");
    rig_mesh(&r, 3, x, 1, t);
    r.s.desc.handle_count = 1;
    REFUSED(&r, DCL_ERROR_NULL_POINTER, "handles", "");
    rig_mesh(&r, 3, x, 1, t);
    r.s.desc.obstacle_count = 1;
    REFUSED(&r, DCL_ERROR_NULL_POINTER, "obstacles", "");
}

static void degenerate_triangles(void) /* D03 */
{
    static const double same[] = {1.4, 0.7, 0, 1.4, 0.7, 0, 0.5, 0.5, 0};
    static const double line[] = {0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.7, 0.7, 0.7};
    static const int t[] = {0, 1, 2}, twice[] = {0, 1, 1}, far_index[] = {0, 1, 3},
                     negative[] = {0, 1, -1}, huge_index[] = {0, 1, INT_MAX};
    rig r;
    rig_mesh(&r, 3, same, 1, t);
    REFUSED(&r, DCL_ERROR_DEGENERATE_TRIANGLE, "triangle 0", "0 1 2");
    rig_mesh(&r, 3, line, 1, t);
    REFUSED(&r, DCL_ERROR_DEGENERATE_TRIANGLE, "triangle 0", "0 1 2");
    rig_mesh(&r, 3, line, 1, twice);
    REFUSED(&r, DCL_ERROR_DEGENERATE_TRIANGLE, "triangle 0", "0 1 1");
    rig_mesh(&r, 3, line, 1, far_index);
    REFUSED(&r, DCL_ERROR_INDEX_OUT_OF_RANGE, "triangle 0", "vertex 3");
    rig_mesh(&r, 3, line, 1, negative);
    REFUSED(&r, DCL_ERROR_INDEX_OUT_OF_RANGE, "triangle 0", "vertex -1");
    rig_mesh(&r, 3, line, 1, huge_index);
    REFUSED(&r, DCL_ERROR_INDEX_OUT_OF_RANGE, "triangle 0", "2147483647");
}

static void positions_not_finite(void)
{
    int vertex, k;
    rig r;
    for (vertex = 0; vertex < 9; vertex++)
        for (k = 0; k < 3; k++) {
            char name[32];
            rig_patch(&r, 3, 1, 0);
            r.s.x[3 * vertex + k] = k == 1 ? infinity_of(vertex % 2 ? 1 : -1) : quiet_nan();
            snprintf(name, sizeof name, "vertex %d", vertex);
            REFUSED(&r, DCL_ERROR_NOT_FINITE, "positions", name);
        }
}

/* One number of the descriptor with a bad value; the line names it. Values below zero are refused,
   and zero too if `open`. */
static void bad_number(rig *r, double *field, const char *name, const char *index, int open)
{
    double kept = *field;
    *field = quiet_nan();
    REFUSED(r, DCL_ERROR_NOT_FINITE, name, index);
    *field = infinity_of(1);
    REFUSED(r, DCL_ERROR_NOT_FINITE, name, index);
    *field = infinity_of(-1);
    REFUSED(r, DCL_ERROR_NOT_FINITE, name, index);
    if (open >= 0) {
        *field = -0.25;
        REFUSED(r, DCL_ERROR_BAD_ARGUMENT, name, "-0.25");
        REFUSED(r, DCL_ERROR_BAD_ARGUMENT, name, index);
    }
    if (open == 1) {
        *field = 0;
        REFUSED(r, DCL_ERROR_BAD_ARGUMENT, name, index);
    }
    *field = kept;
}

static void numbers_of_the_model(void)
{
    rig r;
    int k;
    rig_rich(&r);
    bad_number(&r, &r.s.desc.stretch, "stretch", "", 0);
    bad_number(&r, &r.s.desc.bend, "bend", "", 0);
    bad_number(&r, &r.s.desc.density, "density", "", 1);
    bad_number(&r, &r.s.desc.damping, "damping", "", 0);
    bad_number(&r, &r.s.desc.drag, "drag", "", 0);
    bad_number(&r, &r.s.desc.contact_distance, "contact_distance", "", 0);
    bad_number(&r, &r.s.desc.push_out, "push_out", "", 1);
    for (k = 0; k < 3; k++) bad_number(&r, &r.s.desc.gravity[k], "gravity", "", -1);
    r.s.desc.contact = (dcl_contact_form)7;
    REFUSED(&r, DCL_ERROR_BAD_ARGUMENT, "contact", "7");
}

static void bad_count(rig *r, int *field, int value, dcl_result code, const char *name)
{
    int kept = *field;
    char number[16];
    snprintf(number, sizeof number, "%d", value);
    r->memory.calls = 0;
    *field = value;
    REFUSED(r, code, name, number);
    CHECK_EQ(r->memory.calls, 0); /* refused before any memory is asked for */
    *field = kept;
}

static void counts_of_the_model(void)
{
    rig r;
    dcl_model_desc *d = &r.s.desc;
    int k;
    rig_rich(&r);
    for (k = 0; k < 2; k++) {
        int bad = k ? INT_MIN : -1;
        bad_count(&r, &d->vertex_count, bad, DCL_ERROR_BAD_ARGUMENT, "vertex_count");
        bad_count(&r, &d->triangle_count, bad, DCL_ERROR_BAD_ARGUMENT, "triangle_count");
        bad_count(&r, &d->handle_count, bad, DCL_ERROR_BAD_ARGUMENT, "handle_count");
        bad_count(&r, &d->obstacle_count, bad, DCL_ERROR_BAD_ARGUMENT, "obstacle_count");
        bad_count(&r, &d->handle_frames, bad, DCL_ERROR_BAD_ARGUMENT, "handle_frames");
        bad_count(&r, &d->force_frames, bad, DCL_ERROR_BAD_ARGUMENT, "force_frames");
    }
    bad_count(&r, &d->handle_frames, 0, DCL_ERROR_BAD_ARGUMENT, "handle_frames");
    bad_count(&r, &d->vertex_count, INT_MAX, DCL_ERROR_TOO_LARGE, "vertex_count");
    bad_count(&r, &d->triangle_count, INT_MAX, DCL_ERROR_TOO_LARGE, "triangle_count");
    bad_count(&r, &d->handle_count, INT_MAX, DCL_ERROR_TOO_LARGE, "handle_count");
    bad_count(&r, &d->obstacle_count, INT_MAX, DCL_ERROR_TOO_LARGE, "obstacle_count");
    bad_count(&r, &d->obstacle_count, DCL_MAX_OBSTACLES + 1, DCL_ERROR_TOO_LARGE, "obstacle_count");
    bad_count(&r, &d->handle_frames, INT_MAX, DCL_ERROR_TOO_LARGE, "handle_frames");
    bad_count(&r, &d->force_frames, INT_MAX, DCL_ERROR_TOO_LARGE, "force_frames");
}

/* More handles than vertices must not walk past the mesh's arrays either. */
static void handles_of_the_model(void)
{
    rig r;
    rig_rich(&r);
    r.s.handles[1].vertex = 16;
    REFUSED(&r, DCL_ERROR_INDEX_OUT_OF_RANGE, "handle 1", "vertex 16");
    r.s.handles[1].vertex = -1;
    REFUSED(&r, DCL_ERROR_INDEX_OUT_OF_RANGE, "handle 1", "vertex -1");
    r.s.handles[1].vertex = 0;
    REFUSED(&r, DCL_ERROR_DUPLICATE_HANDLE, "handles 0 and 1", "vertex 0");
    r.s.handles[1].vertex = 3;
    r.s.handles[1].kind = (dcl_handle_kind)5;
    REFUSED(&r, DCL_ERROR_BAD_ARGUMENT, "handle 1", "kind 5");
    r.s.handles[1].kind = DCL_HANDLE_SOFT;
    bad_number(&r, &r.s.handles[1].stiffness, "stiffness", "handle 1", 0);
}

static void obstacles_of_the_model(void)
{
    rig r;
    int k;
    rig_rich(&r);
    for (k = 0; k < 3; k++) {
        bad_number(&r, &r.s.obstacles[1].position[k], "position", "obstacle 1", -1);
        bad_number(&r, &r.s.obstacles[1].rotation[k], "rotation", "obstacle 1", -1);
        bad_number(&r, &r.s.obstacles[1].velocity[k], "velocity", "obstacle 1", -1);
        bad_number(&r, &r.s.obstacles[1].angular_velocity[k], "angular_velocity", "obstacle 1", -1);
    }
    bad_number(&r, &r.s.obstacles[1].size[0], "radius", "obstacle 1", 1);
    bad_number(&r, &r.s.obstacles[1].friction, "friction", "obstacle 1", 0);
    r.s.obstacles[1].shape = (dcl_shape)99;
    REFUSED(&r, DCL_ERROR_BAD_ARGUMENT, "obstacle 1", "shape 99");
}

static void planes_without_a_direction(void)
{
    static const double zero[3] = {0, 0, 0};
    double bad[3] = {0, 0, 1};
    rig r;
    rig_rich(&r);
    r.s.obstacles[0] = dcl_plane(zero, zero, 0.1);
    REFUSED(&r, DCL_ERROR_NOT_FINITE, "obstacle 0", "");
    bad[1] = quiet_nan();
    r.s.obstacles[0] = dcl_plane(zero, bad, 0.1);
    REFUSED(&r, DCL_ERROR_NOT_FINITE, "obstacle 0", "");
    bad[1] = infinity_of(1);
    r.s.obstacles[0] = dcl_plane(zero, bad, 0.1);
    REFUSED(&r, DCL_ERROR_NOT_FINITE, "obstacle 0", "");
}

/* A plane has no sizes, but the numbers are in the parameters: they must not carry NaN in. */
static void sizes_of_a_plane(void)
{
    double radii[3];
    int k;
    radii[0] = quiet_nan(), radii[1] = -1, radii[2] = 0;
    for (k = 0; k < 3; k++) {
        rig r;
        dcl_result code;
        rig_rich(&r);
        r.s.obstacles[0].size[k] = radii[k];
        code = rig_create(&r);
        if (!code) {
            const double *value = dcl_params_get(r.params, DCL_PARAM_OBSTACLE_SIZE);
            CHECK(finite_all(value, 8));
            CHECK_EQ(dcl_params_set(r.params, DCL_PARAM_OBSTACLE_SIZE, 0, 8, value), DCL_OK);
        } else {
            CHECK_STR(r.log.text, "obstacle 0");
        }
        rig_destroy(&r);
    }
}

/* ---- refusals of the other objects ----------------------------------------------------------- */

static void numbers_of_the_solver(void)
{
    rig r;
    dcl_workspace *ws;
    int k;
    rig_patch(&r, 3, 1, 0);
    CHECK_EQ(dcl_model_create(&r.s.desc, &r.model), DCL_OK);
    for (k = 0; k < 19; k++) {
        static const char *const names[] = {"tolerance", "adjoint_tolerance", "newton_limit",
                                            "pd_limit",  "adjoint_limit",     "solver",
                                            "adjoint"};
        dcl_solver_desc d = dcl_default_solver_desc();
        const double bad[6] = {quiet_nan(), infinity_of(1), -1e-3, 0, 1e-16, 2};
        int field = k < 6 ? 0 : k < 12 ? 1 : k < 17 ? k - 10 : k - 12;
        if (k < 6) d.tolerance = bad[k];
        if (k >= 6 && k < 12) d.adjoint_tolerance = bad[k - 6];
        if (k == 12) d.newton_limit = -1;
        if (k == 13) d.pd_limit = INT_MIN;
        if (k == 14) d.adjoint_limit = -7;
        if (k == 15 || k == 17) d.solver = (dcl_solver)(k == 15 ? 2 : -1);
        if (k == 16 || k == 18) d.adjoint = (dcl_adjoint)(k == 16 ? 3 : -1);
        ws = (dcl_workspace *)&r;
        r.log.calls = 0;
        CHECK_EQ(dcl_workspace_create(r.model, &d, &ws), DCL_ERROR_BAD_ARGUMENT);
        CHECK(ws == NULL);
        CHECK_EQ(r.log.calls, 1);
        if (!CHECK_STR(r.log.text, names[field])) printf("  for field %s\n", names[field]);
    }
    rig_destroy(&r);
}

/* 0: the block takes any number, 1: from zero on, 2: above zero. Follows from the block's meaning.
 */
static int block_range(dcl_block b)
{
    switch (b) {
    case DCL_PARAM_STRETCH:
    case DCL_PARAM_STRETCH_SCALE:
    case DCL_PARAM_BEND:
    case DCL_PARAM_BEND_SCALE:
    case DCL_PARAM_DAMPING:
    case DCL_PARAM_DRAG:
    case DCL_PARAM_AIR_NORMAL:
    case DCL_PARAM_AIR_TANGENT:
    case DCL_PARAM_FRICTION:
        return 1;
    case DCL_PARAM_DENSITY:
        return 2;
    default:
        return 0;
    }
}

static void block_refuses(rig *r, dcl_block b, double value, dcl_result code)
{
    size_t count = dcl_params_count(r->params, b), k;
    double *values = (double *)malloc(count * sizeof(double));
    char name[64];
    snapshot before = snapshot_take(r);
    for (k = 0; k < count; k++) values[k] = 0.5;
    values[count - 1] = value; /* the last: nothing may be written before it is seen */
    snprintf(name, sizeof name, "%s[%lu]", dcl_block_name(b), (unsigned long)(count - 1));
    r->log.calls = 0;
    CHECK_EQ(dcl_params_set(r->params, b, 0, count, values), code);
    CHECK_EQ(r->log.calls, 1);
    CHECK_STR(r->log.text, name);
    if (code == DCL_ERROR_BAD_ARGUMENT && value != 0) CHECK_STR(r->log.text, "-0.25");
    CHECK(snapshot_same(&before, r));
    free(values);
}

static void numbers_of_the_params(void)
{
    rig r;
    int b;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    rig_values(&r);
    for (b = 0; b < DCL_PARAM_COUNT; b++) {
        dcl_block block = (dcl_block)b;
        size_t count = dcl_params_count(r.params, block);
        double value = 0.5;
        CHECK(count > 0);
        CHECK(strlen(dcl_block_name(block)) >= 2);
        block_refuses(&r, block, quiet_nan(), DCL_ERROR_NOT_FINITE);
        block_refuses(&r, block, infinity_of(1), DCL_ERROR_NOT_FINITE);
        block_refuses(&r, block, infinity_of(-1), DCL_ERROR_NOT_FINITE);
        if (block_range(block) >= 1) block_refuses(&r, block, -0.25, DCL_ERROR_BAD_ARGUMENT);
        if (block_range(block) == 2) block_refuses(&r, block, 0, DCL_ERROR_BAD_ARGUMENT);
        CHECK_EQ(dcl_params_set(r.params, block, count, 1, &value), DCL_ERROR_INDEX_OUT_OF_RANGE);
        CHECK_STR(r.log.text, dcl_block_name(block));
        CHECK_EQ(dcl_params_set(r.params, block, SIZE_MAX, 2, &value),
                 DCL_ERROR_INDEX_OUT_OF_RANGE);
        CHECK_EQ(dcl_params_set(r.params, block, 1, SIZE_MAX, &value),
                 DCL_ERROR_INDEX_OUT_OF_RANGE);
        CHECK_EQ(dcl_params_set(r.params, block, count, 0, NULL), DCL_OK); /* X03 */
        CHECK_EQ(dcl_params_set(r.params, block, 0, 1, NULL), DCL_ERROR_NULL_POINTER);
        CHECK_EQ(dcl_params_set(r.params, block, count - 1, 1, &value), DCL_OK);
        CHECK(dcl_params_get(r.params, block)[count - 1] == 0.5);
    }
    CHECK_EQ(dcl_params_set1(r.params, DCL_PARAM_COUNT, 1), DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_params_set1(r.params, (dcl_block)-1, 1), DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_params_set1(r.params, (dcl_block)INT_MAX, 1), DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_params_count(r.params, DCL_PARAM_COUNT), 0);
    CHECK_EQ(dcl_params_count(r.params, (dcl_block)-1), 0);
    CHECK(dcl_block_name((dcl_block)99) != NULL && dcl_block_name((dcl_block)-1) != NULL);
    rig_destroy(&r);
}

/* A rest shape is taken by params_set; a step with a degenerate one names the triangle. */
static void degenerate_rest_shape(void)
{
    rig r;
    double flat[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    rig_patch(&r, 3, 1, 0);
    if (!rig_ready(&r)) return;
    CHECK_EQ(dcl_params_set(r.params, DCL_PARAM_REST, 0, 9, flat), DCL_OK);
    {
        snapshot before = snapshot_take(&r);
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL),
                 DCL_ERROR_DEGENERATE_TRIANGLE);
        CHECK_STR(r.log.text, "rest");
        CHECK_STR(r.log.text, "triangle 0");
        CHECK(snapshot_same(&before, &r));
    }
    CHECK_EQ(dcl_params_set(r.params, DCL_PARAM_REST, 0, 9, r.s.x), DCL_OK);
    CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK);
    rig_destroy(&r);
}

static void null_pointers(void)
{
    rig r;
    dcl_model *model = NULL;
    snapshot before;
    double *ax, *av;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    rig_directions(&r);
    CHECK_EQ(rig_work(&r), DCL_OK);
    ax = r.adj, av = r.adj + rig_n3(&r);
    before = snapshot_take(&r);
#define IS_NULL(call) CHECK_EQ(call, DCL_ERROR_NULL_POINTER)
    IS_NULL(dcl_model_create(NULL, &model));
    IS_NULL(dcl_model_create(&r.s.desc, NULL));
    {
        dcl_params *p = (dcl_params *)&r;
        dcl_state *s = (dcl_state *)&r;
        dcl_workspace *w = (dcl_workspace *)&r;
        dcl_tape *t = (dcl_tape *)&r;
        dcl_grad *g = (dcl_grad *)&r;
        IS_NULL(dcl_params_create(NULL, &p));
        IS_NULL(dcl_state_create(NULL, &s));
        IS_NULL(dcl_workspace_create(NULL, &r.solver, &w));
        IS_NULL(dcl_tape_create(NULL, 1, &t));
        IS_NULL(dcl_grad_create(NULL, DCL_ALL_BLOCKS, &g));
        CHECK(!p && !s && !w && !t && !g);
    }
    IS_NULL(dcl_params_create(r.model, NULL));
    IS_NULL(dcl_state_create(r.params, NULL));
    IS_NULL(dcl_workspace_create(r.model, NULL, NULL));
    IS_NULL(dcl_tape_create(r.model, 1, NULL));
    IS_NULL(dcl_grad_create(r.params, 0, NULL));
    IS_NULL(dcl_params_copy(NULL, r.params));
    IS_NULL(dcl_params_copy(r.params, NULL));
    IS_NULL(dcl_params_set(NULL, DCL_PARAM_BEND, 0, 1, ax));
    IS_NULL(dcl_params_set1(NULL, DCL_PARAM_BEND, 1));
    IS_NULL(dcl_state_reset(NULL, r.params));
    IS_NULL(dcl_state_reset(r.state, NULL));
    IS_NULL(dcl_state_copy(NULL, r.state));
    IS_NULL(dcl_state_copy(r.state, NULL));
    IS_NULL(dcl_step(NULL, r.params, r.state, 0.01, r.tape, NULL));
    IS_NULL(dcl_step(r.workspace, NULL, r.state, 0.01, r.tape, NULL));
    IS_NULL(dcl_step(r.workspace, r.params, NULL, 0.01, r.tape, NULL));
    IS_NULL(dcl_step_check(NULL, r.params, r.state, 0.01, ax, NULL, NULL));
    IS_NULL(dcl_step_check(r.workspace, NULL, r.state, 0.01, ax, NULL, NULL));
    IS_NULL(dcl_step_check(r.workspace, r.params, NULL, 0.01, ax, NULL, NULL));
    IS_NULL(dcl_step_check(r.workspace, r.params, r.state, 0.01, NULL, NULL, NULL));
    IS_NULL(dcl_tape_restore(NULL, 0, r.state));
    IS_NULL(dcl_tape_restore(r.tape, 0, NULL));
    IS_NULL(dcl_step_adjoint(NULL, r.params, r.tape, 0, ax, av, r.grad, NULL));
    IS_NULL(dcl_step_adjoint(r.workspace, NULL, r.tape, 0, ax, av, r.grad, NULL));
    IS_NULL(dcl_step_adjoint(r.workspace, r.params, NULL, 0, ax, av, r.grad, NULL));
    IS_NULL(dcl_step_adjoint(r.workspace, r.params, r.tape, 0, NULL, av, r.grad, NULL));
    IS_NULL(dcl_step_adjoint(r.workspace, r.params, r.tape, 0, ax, NULL, r.grad, NULL));
    IS_NULL(dcl_step_tangent(NULL, r.params, r.tape, 0, 1, ax, av, NULL));
    IS_NULL(dcl_step_tangent(r.workspace, NULL, r.tape, 0, 1, ax, av, NULL));
    IS_NULL(dcl_step_tangent(r.workspace, r.params, NULL, 0, 1, ax, av, NULL));
    IS_NULL(dcl_step_tangent(r.workspace, r.params, r.tape, 0, 1, NULL, av, NULL));
    IS_NULL(dcl_step_tangent(r.workspace, r.params, r.tape, 0, 1, ax, NULL, NULL));
    IS_NULL(dcl_rollout(NULL, r.params, r.state, 0.01, 1, r.tape, NULL, NULL, NULL, NULL));
    IS_NULL(dcl_rollout(r.workspace, NULL, r.state, 0.01, 1, r.tape, NULL, NULL, NULL, NULL));
    IS_NULL(dcl_rollout(r.workspace, r.params, NULL, 0.01, 1, r.tape, NULL, NULL, NULL, NULL));
    IS_NULL(dcl_rollout_adjoint(NULL, r.params, r.tape, square_loss, NULL, r.grad, NULL));
    IS_NULL(dcl_rollout_adjoint(r.workspace, NULL, r.tape, square_loss, NULL, r.grad, NULL));
    IS_NULL(dcl_rollout_adjoint(r.workspace, r.params, NULL, square_loss, NULL, r.grad, NULL));
    IS_NULL(dcl_rollout_adjoint(r.workspace, r.params, r.tape, NULL, NULL, r.grad, NULL));
    IS_NULL(dcl_rollout_tangent(NULL, r.params, r.tape, 1, r.dir, see_tangent, NULL));
    IS_NULL(dcl_rollout_tangent(r.workspace, NULL, r.tape, 1, r.dir, see_tangent, NULL));
    IS_NULL(dcl_rollout_tangent(r.workspace, r.params, NULL, 1, r.dir, see_tangent, NULL));
    IS_NULL(dcl_rollout_tangent(r.workspace, r.params, r.tape, 1, NULL, see_tangent, NULL));
    IS_NULL(dcl_rollout_tangent(r.workspace, r.params, r.tape, 1, r.dir, NULL, NULL));
#undef IS_NULL
    CHECK_EQ(dcl_tape_bytes(NULL, 1), 0);
    CHECK(snapshot_same(&before, &r));
    rig_destroy(&r);
}

/* Where an object with a logger was given, a NULL beside it is told too, by name. */
static void null_pointers_are_named(void)
{
    rig r;
    dcl_model *model = NULL;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
#define NAMED(call, name)                                                                          \
    do {                                                                                           \
        r.log.calls = 0, r.log.text[0] = 0;                                                        \
        CHECK_EQ(call, DCL_ERROR_NULL_POINTER);                                                    \
        CHECK_EQ(r.log.calls, 1);                                                                  \
        CHECK_STR(r.log.text, name);                                                               \
    } while (0)
    NAMED(dcl_model_create(&r.s.desc, NULL), "model");
    NAMED(dcl_params_create(r.model, NULL), "params");
    NAMED(dcl_params_set(r.params, DCL_PARAM_BEND, 0, 1, NULL), "values");
    NAMED(dcl_state_reset(r.state, NULL), "params");
    NAMED(dcl_step(r.workspace, NULL, r.state, 0.01, NULL, NULL), "params");
    NAMED(dcl_step(r.workspace, r.params, NULL, 0.01, NULL, NULL), "state");
    NAMED(dcl_step_adjoint(r.workspace, r.params, r.tape, 0, NULL, NULL, NULL, NULL), "adj_x");
    NAMED(dcl_rollout_adjoint(r.workspace, r.params, r.tape, NULL, NULL, NULL, NULL), "loss");
#undef NAMED
    (void)model;
    rig_destroy(&r);
}

/* The call is refused as a mixture of models and neither rig changes. */
static void mixed_models(void)
{
    rig a, b;
    snapshot sa, sb;
    double *ax, *av;
    rig_rich(&a);
    rig_patch(&b, 3, 1, 0);
    if (!rig_ready(&a) || !rig_ready(&b)) return;
    rig_directions(&a);
    rig_directions(&b);
    CHECK_EQ(rig_work(&a), DCL_OK);
    CHECK_EQ(rig_work(&b), DCL_OK);
    ax = a.adj, av = a.adj + rig_n3(&a);
    sa = snapshot_take(&a), sb = snapshot_take(&b);
#define MIXED(call)                                                                                \
    do {                                                                                           \
        a.log.calls = b.log.calls = 0;                                                             \
        CHECK_EQ(call, DCL_ERROR_BAD_ARGUMENT);                                                    \
        CHECK_EQ(a.log.calls + b.log.calls, 1);                                                    \
        CHECK(snapshot_same(&sa, &a) && snapshot_same(&sb, &b));                                   \
        sa = snapshot_take(&a), sb = snapshot_take(&b);                                            \
    } while (0)
    MIXED(dcl_params_copy(a.params, b.params));
    MIXED(dcl_state_copy(a.state, b.state));
    MIXED(dcl_state_reset(a.state, b.params));
    MIXED(dcl_tape_restore(b.tape, 0, a.state));
    dcl_tape_reset(a.tape);
    free(sa.values), free(sb.values);
    sa = snapshot_take(&a), sb = snapshot_take(&b);
    MIXED(dcl_step(b.workspace, a.params, a.state, 0.01, a.tape, NULL));
    MIXED(dcl_step(a.workspace, b.params, a.state, 0.01, a.tape, NULL));
    MIXED(dcl_step(a.workspace, a.params, b.state, 0.01, a.tape, NULL));
    MIXED(dcl_step(a.workspace, a.params, a.state, 0.01, b.tape, NULL));
    MIXED(dcl_step_check(b.workspace, a.params, a.state, 0.01, a.s.x, NULL, NULL));
    MIXED(dcl_step_check(a.workspace, b.params, a.state, 0.01, a.s.x, NULL, NULL));
    MIXED(dcl_step_check(a.workspace, a.params, b.state, 0.01, a.s.x, NULL, NULL));
    MIXED(dcl_step_adjoint(a.workspace, b.params, a.tape, 0, ax, av, a.grad, NULL));
    MIXED(dcl_step_adjoint(a.workspace, a.params, b.tape, 0, ax, av, a.grad, NULL));
    MIXED(dcl_step_adjoint(a.workspace, a.params, a.tape, 0, ax, av, b.grad, NULL));
    MIXED(dcl_step_tangent(a.workspace, b.params, a.tape, 0, 1, ax, av, NULL));
    MIXED(dcl_step_tangent(a.workspace, a.params, b.tape, 0, 1, ax, av, NULL));
    MIXED(dcl_rollout_tangent(a.workspace, b.params, a.tape, 1, a.dir, see_tangent, NULL));
    MIXED(dcl_rollout_tangent(a.workspace, a.params, b.tape, 1, a.dir, see_tangent, NULL));
    MIXED(dcl_rollout_adjoint(a.workspace, b.params, b.tape, square_loss, NULL, a.grad, NULL));
    MIXED(dcl_rollout_adjoint(a.workspace, a.params, b.tape, square_loss, NULL, a.grad, NULL));
    MIXED(dcl_rollout_adjoint(b.workspace, b.params, b.tape, square_loss, NULL, a.grad, NULL));
    MIXED(dcl_rollout(a.workspace, a.params, b.state, 0.01, 2, a.tape, NULL, NULL, NULL, NULL));
    free(sa.values), free(sb.values);
    rig_destroy(&a);
    rig_destroy(&b);
}

/* As above for whole rollouts: another model's objects are not reset before the refusal either, and
   no steps at all is no excuse. */
static void mixed_models_in_a_rollout(void)
{
    int steps;
    for (steps = 0; steps <= 2; steps += 2) {
        rig a, b;
        snapshot sa, sb;
        rig_rich(&a);
        rig_patch(&b, 3, 1, 0);
        if (!rig_ready(&a) || !rig_ready(&b)) return;
        rig_directions(&a);
        rig_directions(&b);
        CHECK_EQ(rig_work(&a), DCL_OK);
        CHECK_EQ(rig_work(&b), DCL_OK);
        sa = snapshot_take(&a), sb = snapshot_take(&b);
        CHECK_EQ(dcl_rollout(a.workspace, a.params, a.state, 0.01, steps, b.tape, NULL, NULL, NULL,
                             NULL),
                 DCL_ERROR_BAD_ARGUMENT);
        CHECK_EQ(dcl_rollout(a.workspace, b.params, b.state, 0.01, steps, b.tape, NULL, NULL, NULL,
                             NULL),
                 DCL_ERROR_BAD_ARGUMENT);
        CHECK(snapshot_same(&sb, &b));
        CHECK(snapshot_same(&sa, &a));
        rig_destroy(&a);
        rig_destroy(&b);
    }
}

static void refused_state(rig *r, double *field, double bad, const char *part)
{
    double kept = *field;
    snapshot before;
    *field = bad;
    before = snapshot_take(r);
    r->log.calls = 0;
    CHECK_EQ(dcl_step(r->workspace, r->params, r->state, 0.01, r->tape, NULL),
             DCL_ERROR_NOT_FINITE);
    CHECK_EQ(r->log.calls, 1);
    CHECK_STR(r->log.text, part);
    CHECK(snapshot_same(&before, r));
    *field = kept;
}

static void state_not_finite(void)
{
    rig r;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    refused_state(&r, &r.state->x[3 * 7 + 1], quiet_nan(), "x of vertex 7");
    refused_state(&r, &r.state->v[3 * 15 + 2], infinity_of(-1), "v of vertex 15");
    refused_state(&r, &r.state->time, quiet_nan(), "time");
    CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK);
    rig_destroy(&r);
}

static void step_size_refused(void) /* P01, E08 */
{
    const double bad[] = {0, -0.01, quiet_nan(), infinity_of(1), infinity_of(-1)};
    rig r;
    int k;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    for (k = 0; k < 5; k++) {
        snapshot before = snapshot_take(&r);
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, bad[k], r.tape, NULL),
                 DCL_ERROR_BAD_ARGUMENT);
        CHECK_STR(r.log.text, "h is");
        CHECK_EQ(dcl_step_check(r.workspace, r.params, r.state, bad[k], r.s.x, NULL, NULL),
                 DCL_ERROR_BAD_ARGUMENT);
        CHECK(snapshot_same(&before, &r));
    }
    CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK);
    rig_destroy(&r);
}

static void derivatives_not_finite(void)
{
    rig r;
    size_t n3;
    int k;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    rig_directions(&r);
    CHECK_EQ(rig_work(&r), DCL_OK);
    n3 = rig_n3(&r);
    for (k = 0; k < 3; k++) {
        double *field = k == 0 ? &r.adj[4] : k == 1 ? &r.adj[n3 + 7] : &r.dir[3], kept = *field;
        snapshot before = snapshot_take(&r);
        *field = k == 1 ? infinity_of(1) : quiet_nan();
        r.log.calls = 0;
        if (k < 2) {
            CHECK_EQ(
                dcl_step_adjoint(r.workspace, r.params, r.tape, 0, r.adj, r.adj + n3, r.grad, NULL),
                DCL_ERROR_NOT_FINITE);
            CHECK_EQ(r.log.calls, 1);
        }
        CHECK_EQ(dcl_step_tangent(r.workspace, r.params, r.tape, 0, 1, r.adj, r.adj + n3, r.dir),
                 DCL_ERROR_NOT_FINITE);
        CHECK(snapshot_same(&before, &r));
        *field = kept;
    }
    CHECK_EQ(dcl_step_tangent(r.workspace, r.params, r.tape, 0, -1, r.adj, r.adj + n3, r.dir),
             DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_rollout_tangent(r.workspace, r.params, r.tape, 0, r.dir, see_tangent, NULL),
             DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_rollout_tangent(r.workspace, r.params, r.tape, -4, r.dir, see_tangent, NULL),
             DCL_ERROR_BAD_ARGUMENT);
    rig_destroy(&r);
}

static void tape_capacity(void)
{
    rig r;
    dcl_tape *tape = NULL;
    int k;
    rig_rich(&r);
    r.memory.limit = (size_t)1 << 28;
    if (!rig_ready(&r)) return;
    for (k = 0; k < RIG_STEPS; k++)
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK);
    {
        snapshot before = snapshot_take(&r);
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_ERROR_TAPE_FULL);
        CHECK_STR(r.log.text, "4 steps");
        CHECK_EQ(
            dcl_rollout(r.workspace, r.params, r.state, 0.01, 5, r.tape, NULL, NULL, NULL, NULL),
            DCL_ERROR_TAPE_FULL);
        CHECK_STR(r.log.text, "5 steps");
        CHECK_EQ(dcl_rollout(r.workspace, r.params, r.state, 0.01, INT_MAX, r.tape, NULL, NULL,
                             NULL, NULL),
                 DCL_ERROR_TAPE_FULL);
        CHECK_EQ(
            dcl_rollout(r.workspace, r.params, r.state, 0.01, -1, r.tape, NULL, NULL, NULL, NULL),
            DCL_ERROR_BAD_ARGUMENT);
        CHECK_EQ(dcl_tape_restore(r.tape, 5, r.state), DCL_ERROR_INDEX_OUT_OF_RANGE);
        CHECK_EQ(dcl_tape_restore(r.tape, -1, r.state), DCL_ERROR_INDEX_OUT_OF_RANGE);
        CHECK_STR(r.log.text, "-1");
        CHECK(snapshot_same(&before, &r));
    }
    CHECK_EQ(dcl_tape_create(r.model, -1, &tape), DCL_ERROR_BAD_ARGUMENT);
    CHECK_STR(r.log.text, "-1");
    CHECK(dcl_tape_create(r.model, INT_MAX, &tape) < 0 && !tape);
    CHECK_EQ(dcl_tape_bytes(r.model, -1), 0);
    CHECK_EQ(dcl_tape_create(r.model, 0, &tape), DCL_OK); /* X03 */
    CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, tape, NULL), DCL_ERROR_TAPE_FULL);
    CHECK_EQ(dcl_tape_restore(tape, 0, r.state), DCL_ERROR_INDEX_OUT_OF_RANGE);
    dcl_tape_destroy(tape);
    rig_destroy(&r);
}

static void tape_states(void)
{
    rig r;
    dcl_state *copy = NULL;
    double x[RIG_STEPS + 1], v[RIG_STEPS + 1];
    int k;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    rig_values(&r);
    CHECK_EQ(dcl_state_create(r.params, &copy), DCL_OK);
    x[0] = r.state->x[40], v[0] = r.state->v[40];
    for (k = 1; k <= RIG_STEPS; k++) {
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK);
        x[k] = r.state->x[40], v[k] = r.state->v[40];
    }
    for (k = RIG_STEPS; k >= 0; k--) {
        CHECK_EQ(dcl_tape_restore(r.tape, k, copy), DCL_OK);
        CHECK(copy->x[40] == x[k] && copy->v[40] == v[k]);
        CHECK_EQ(copy->step, k);
        CHECK_NEAR(copy->time, 0.01 * k, 1e-15);
    }
    CHECK_EQ(dcl_step_adjoint(r.workspace, r.params, r.tape, 4, copy->x, copy->v, NULL, NULL),
             DCL_ERROR_INDEX_OUT_OF_RANGE);
    CHECK_EQ(dcl_step_adjoint(r.workspace, r.params, r.tape, -1, copy->x, copy->v, NULL, NULL),
             DCL_ERROR_INDEX_OUT_OF_RANGE);
    CHECK_EQ(dcl_step_tangent(r.workspace, r.params, r.tape, 4, 1, copy->x, copy->v, NULL),
             DCL_ERROR_INDEX_OUT_OF_RANGE);
    dcl_state_destroy(copy);
    rig_destroy(&r);
}

/* A gradient that is refused half way (here: the second handle frame changed after the steps) must
   not be half added. */
static void stale_rollout_leaves_grad(void)
{
    rig r;
    double moved = 0.7;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    rig_directions(&r);
    CHECK_EQ(rig_work(&r), DCL_OK);
    CHECK_EQ(dcl_params_set(r.params, DCL_PARAM_HANDLE, 6, 1, &moved),
             DCL_OK); /* frame 1: step 0 */
    {
        snapshot before = snapshot_take(&r);
        r.log.calls = 0;
        CHECK_EQ(
            dcl_rollout_adjoint(r.workspace, r.params, r.tape, square_loss, NULL, r.grad, NULL),
            DCL_ERROR_STALE_TAPE);
        CHECK_EQ(r.log.calls, 1);
        CHECK_STR(r.log.text, "step 0");
        CHECK(snapshot_same(&before, &r));
    }
    rig_destroy(&r);
}

static void grad_blocks(void)
{
    rig r;
    dcl_grad *grad = NULL;
    int b;
    uint32_t some = DCL_BLOCK_BIT(DCL_PARAM_BEND) | DCL_BLOCK_BIT(DCL_PARAM_X0);
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    rig_directions(&r);
    rig_values(&r);
    CHECK_EQ(rig_work(&r), DCL_OK);
    CHECK_EQ(dcl_grad_create(r.params, some, &grad), DCL_OK);
    dcl_grad_reset(r.grad);
    CHECK_EQ(dcl_rollout_adjoint(r.workspace, r.params, r.tape, square_loss, NULL, grad, NULL),
             DCL_OK);
    CHECK_EQ(dcl_rollout_adjoint(r.workspace, r.params, r.tape, square_loss, NULL, r.grad, NULL),
             DCL_OK);
    for (b = 0; b < DCL_PARAM_COUNT; b++) {
        dcl_block block = (dcl_block)b;
        size_t bytes = dcl_params_count(r.params, block) * sizeof(double);
        CHECK((dcl_grad_get(grad, block) != NULL) == ((some >> b & 1) != 0));
        if (some >> b & 1)
            CHECK(!memcmp(dcl_grad_get(grad, block), dcl_grad_get(r.grad, block), bytes));
    }
    CHECK(dcl_grad_get(grad, (dcl_block)-1) == NULL && dcl_grad_get(grad, (dcl_block)77) == NULL);
    CHECK_EQ(dcl_rollout_adjoint(r.workspace, r.params, r.tape, square_loss, NULL, NULL, NULL),
             DCL_OK);
    dcl_grad_destroy(grad);
    rig_destroy(&r);
}

static void result_names(void)
{
    int k, j;
    for (k = 0; k >= DCL_ERROR_SINGULAR; k--) {
        const char *name = dcl_result_name((dcl_result)k);
        CHECK(name && strlen(name) >= 2);
        for (j = 0; j > k; j--) CHECK(strcmp(name, dcl_result_name((dcl_result)j)));
    }
    CHECK(dcl_result_name((dcl_result)12345) != NULL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The k-th call for memory fails, for every k until a whole life passes without a failure. */
static void out_of_memory(rig *sample, void (*make)(rig *))
{
    long k, most = 200;
    for (k = 1; k < most; k++) {
        rig *r = sample;
        size_t size;
        dcl_result code;
        make(r);
        r->memory.fail_at = k;
        code = rig_create(r);
        if (!code) {
            rig_directions(r);
            rig_values(r);
            code = rig_work(r);
            CHECK_EQ(code, DCL_OK);
            size = dcl_params_size(r->params);
            (void)size;
            code =
                dcl_rollout_tangent(r->workspace, r->params, r->tape, 2, r->dir, see_tangent, NULL);
        }
        if (r->memory.calls < k) {
            CHECK_EQ(code, DCL_OK);
            most = 0;
        } else {
            CHECK_EQ(code, DCL_ERROR_OUT_OF_MEMORY);
            CHECK_EQ(r->log.calls, 1);
            CHECK_EQ(r->log.code, DCL_ERROR_OUT_OF_MEMORY);
        }
        rig_destroy(r);
    }
    CHECK(most == 0 && k > 8); /* it did end, and did fail before */
}

static void make_krylov(rig *r)
{
    rig_rich(r);
    r->solver.adjoint = DCL_ADJOINT_KRYLOV;
}

static void make_mesh(rig *r)
{
    rig_rich(r);
    r->s.obstacles[0] = dcl_mesh(&scene_roof, 0.02, 0.3);
}

static void make_free(rig *r)
{
    rig_patch(r, 3, 1, 0);
}

static void failing_allocator(void) /* X01 */
{
    rig *r = (rig *)malloc(sizeof *r);
    if (!CHECK(r != NULL)) return;
    out_of_memory(r, rig_rich);
    out_of_memory(r, make_krylov);
    out_of_memory(r, make_free);
    out_of_memory(r, make_mesh);
    free(r);
}

static void no_allocation_in_steps(void)
{
    int k;
    for (k = 0; k < 4; k++) {
        rig r;
        long calls;
        rig_rich(&r);
        if (k == 1) r.solver.adjoint = DCL_ADJOINT_KRYLOV;
        if (k == 2) r.solver.adjoint = DCL_ADJOINT_PD;
        if (k == 3) r.solver.solver = DCL_SOLVER_PD;
        if (!rig_ready(&r)) return;
        rig_values(&r);
        rig_directions(&r);
        calls = r.memory.calls;
        CHECK_EQ(rig_work(&r), DCL_OK);
        CHECK_EQ(r.memory.calls, calls);
        CHECK_EQ(dcl_rollout_tangent(r.workspace, r.params, r.tape, 2, r.dir, see_tangent, NULL),
                 DCL_OK);
        CHECK(r.memory.calls <= calls + 1);
        rig_destroy(&r);
    }
}

static void tape_bytes(void)
{
    static const int capacities[] = {0, 1, 2, 7, 1000};
    rig r;
    int k;
    rig_rich(&r);
    CHECK_EQ(dcl_model_create(&r.s.desc, &r.model), DCL_OK);
    for (k = 0; k < 5; k++) {
        dcl_tape *tape = NULL;
        size_t before = r.memory.bytes;
        CHECK_EQ(dcl_tape_create(r.model, capacities[k], &tape), DCL_OK);
        CHECK_EQ(r.memory.bytes - before, dcl_tape_bytes(r.model, capacities[k]));
        CHECK(dcl_tape_bytes(r.model, capacities[k]) >= (size_t)capacities[k] * 72 * 16);
        dcl_tape_destroy(tape);
        CHECK_EQ(r.memory.bytes, before);
    }
    rig_destroy(&r);
}

/* Frames that would need more memory than there is are refused by the params, not by a crash. */
static void frames_too_many(void)
{
    rig r;
    rig_rich(&r);
    r.memory.limit = (size_t)1 << 28;
    r.s.desc.force_frames = r.s.desc.handle_frames = INT_MAX / 16;
    if (CHECK_EQ(dcl_model_create(&r.s.desc, &r.model), DCL_OK)) {
        dcl_result code = dcl_params_create(r.model, &r.params);
        CHECK(code == DCL_ERROR_TOO_LARGE || code == DCL_ERROR_OUT_OF_MEMORY);
        CHECK(r.params == NULL);
        CHECK_EQ(r.log.calls, 1);
    }
    rig_destroy(&r);
}

static void counts_of_zero(void) /* X03 */
{
    rig r;
    double value = -1;
    rig_patch(&r, 3, 1, 0);
    r.s.desc.handles = NULL;
    r.s.desc.obstacles = NULL;
    if (!rig_ready(&r)) return;
    rig_directions(&r);
    CHECK_EQ(dcl_params_count(r.params, DCL_PARAM_HANDLE), 0);
    CHECK_EQ(dcl_params_count(r.params, DCL_PARAM_FORCE), 0);
    CHECK_EQ(dcl_params_count(r.params, DCL_PARAM_FRICTION), 0);
    CHECK_EQ(dcl_params_set1(r.params, DCL_PARAM_FRICTION, 1), DCL_ERROR_INDEX_OUT_OF_RANGE);
    CHECK_EQ(dcl_rollout(r.workspace, r.params, r.state, 0.01, 0, r.tape, square_loss, NULL, &value,
                         NULL),
             DCL_OK);
    CHECK_NEAR(value, square_loss(NULL, 0, r.state, NULL, NULL), 0);
    CHECK_EQ(dcl_tape_count(r.tape), 0);
    CHECK_EQ(dcl_rollout_adjoint(r.workspace, r.params, r.tape, square_loss, NULL, r.grad, NULL),
             DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_rollout_tangent(r.workspace, r.params, r.tape, 1, r.dir, see_tangent, NULL),
             DCL_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcl_workspace_get_contacts(r.workspace, 0, NULL), 0);
    CHECK_EQ(rig_work(&r), DCL_OK);
    CHECK_EQ(dcl_step_tangent(r.workspace, r.params, r.tape, 0, 0, r.adj, r.adj, NULL), DCL_OK);
    CHECK_EQ(dcl_workspace_get_contacts(r.workspace, 10, NULL), 0);
    rig_destroy(&r);
}

static void contacts_are_bounded(void)
{
    rig r;
    dcl_contact list[64];
    int count, k;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    CHECK_EQ(dcl_workspace_get_contacts(r.workspace, 64, list), 0); /* no step yet */
    for (k = 0; k < 4; k++)
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, NULL, NULL), DCL_OK);
    memset(list, 0x55, sizeof list);
    count = dcl_workspace_get_contacts(r.workspace, 2, list);
    CHECK(count > 2);
    CHECK_EQ(list[2].vertex[0], 0x55555555);
    CHECK_EQ(dcl_workspace_get_contacts(r.workspace, -3, list), count);
    CHECK_EQ(dcl_workspace_get_contacts(r.workspace, 64, list), count);
    for (k = 0; k < count && k < 64; k++) {
        CHECK(list[k].vertex[0] >= 0 && list[k].vertex[0] < 16);
        CHECK(list[k].obstacle == 0 || list[k].obstacle == 1);
        CHECK(list[k].branch == DCL_BRANCH_STICK || list[k].branch == DCL_BRANCH_SLIP);
        CHECK(finite_all(list[k].normal, 3) && finite_all(list[k].impulse, 3));
    }
    rig_destroy(&r);
}

static void many_lives(void) /* X05 */
{
    int k, j;
    dcl_model_destroy(NULL);
    dcl_params_destroy(NULL);
    dcl_state_destroy(NULL);
    dcl_workspace_destroy(NULL);
    dcl_tape_destroy(NULL);
    dcl_grad_destroy(NULL);
    for (k = 0; k < 1000; k++) {
        rig r;
        if (k % 100 == 0)
            rig_rich(&r);
        else
            rig_patch(&r, 2, 1, 0);
        if (!rig_ready(&r)) return;
        for (j = 0; j < 3; j++)
            if (!CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK))
                break;
        CHECK_EQ(
            dcl_rollout_adjoint(r.workspace, r.params, r.tape, square_loss, NULL, r.grad, NULL),
            DCL_OK);
        rig_destroy(&r);
    }
}

/* Everything one life computes, in one array. */
static size_t life(rig *r, double *out)
{
    size_t n3, size, at = 0;
    sight s;
    if (!rig_ready(r)) return 0;
    n3 = rig_n3(r), size = dcl_params_size(r->params);
    rig_values(r);
    rig_directions(r);
    CHECK_EQ(rig_work(r), DCL_OK);
    memcpy(out, r->state->x, n3 * sizeof(double)), at += n3;
    memcpy(out + at, r->state->v, n3 * sizeof(double)), at += n3;
    memcpy(out + at, r->adj, 2 * n3 * sizeof(double)), at += 2 * n3;
    memcpy(out + at, dcl_grad_get(r->grad, DCL_PARAM_COUNT), size * sizeof(double)), at += size;
    s.dx = out + at, s.dv = out + at + 2 * n3, s.count = 2 * n3;
    CHECK_EQ(dcl_rollout_tangent(r->workspace, r->params, r->tape, 2, r->dir, see_tangent, &s),
             DCL_OK);
    at += 4 * n3;
    CHECK(finite_all(out, at));
    return at;
}

enum { LIFE_MOST = 4096 };

static void stale_memory(void) /* X06 */
{
    static const int fills[] = {0, 0xFF, 0x3F, 0xA5};
    double *first = (double *)malloc(LIFE_MOST * sizeof(double));
    double *again = (double *)malloc(LIFE_MOST * sizeof(double));
    int form, k;
    for (form = 0; form < 4; form++)
        for (k = 0; k < 4; k++) {
            rig r;
            size_t count;
            rig_rich(&r);
            if (form == 1) r.solver.adjoint = DCL_ADJOINT_KRYLOV;
            if (form == 2) r.solver.solver = DCL_SOLVER_PD;
            if (form == 3) r.s.desc.contact = DCL_CONTACT_SET, r.s.desc.contact_distance = 0.002;
            r.memory.fill = fills[k];
            count = life(&r, k ? again : first);
            CHECK(count > 0 && count <= LIFE_MOST);
            if (k) CHECK(!memcmp(first, again, count * sizeof(double)));
            rig_destroy(&r);
        }
    free(first);
    free(again);
}

/* ---- threads --------------------------------------------------------------------------------- */

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define HAVE_PTHREADS 1 /* part of the C library, no flag needed */
#endif
#elif defined(__APPLE__) || (defined(__unix__) && !defined(__GLIBC__))
#define HAVE_PTHREADS 1
#endif
#ifdef HAVE_PTHREADS
#include <pthread.h>
#endif

/* A life of many steps in pieces, so that two can also be interleaved in one thread. */
typedef struct worker {
    rig r;
    const dcl_model *shared; /* or NULL: its own model */
    int kind, failures;
    double sum;
    heard log;
} worker;

static void worker_open(worker *w, int kind)
{
    memset(w, 0, sizeof *w);
    w->kind = kind;
    if (kind)
        rig_rich(&w->r);
    else
        rig_patch(&w->r, 5, 1, 0.2);
    if (!kind) rig_handle(&w->r, 0, DCL_HANDLE_HARD, 0);
    w->failures += rig_create(&w->r) != DCL_OK;
    if (!w->failures) rig_values(&w->r);
}

static void worker_step(worker *w)
{
    w->failures += dcl_step(w->r.workspace, w->r.params, w->r.state, 0.005, NULL, NULL) != DCL_OK;
    w->sum += w->r.state->x[10] + 3 * w->r.state->v[20];
}

static void worker_fail(worker *w)
{
    dcl_result code =
        dcl_params_set1(w->r.params, w->kind ? DCL_PARAM_BEND : DCL_PARAM_DENSITY, -2);
    w->failures += code != DCL_ERROR_BAD_ARGUMENT || w->r.log.calls != 1 ||
                   !strstr(w->r.log.text, w->kind ? "bend" : "density");
}

static void *worker_run(void *user)
{
    worker *w = (worker *)user;
    int k;
    for (k = 0; k < 100 && !w->failures; k++) {
        worker_step(w);
        if (k == 50) worker_fail(w);
    }
    return NULL;
}

static void worker_same(worker *w, const worker *serial)
{
    size_t bytes = rig_n3(&w->r) * sizeof(double);
    CHECK_EQ(w->failures, 0);
    CHECK(!memcmp(&w->sum, &serial->sum, sizeof w->sum));
    CHECK(!memcmp(w->r.state->x, serial->r.state->x, bytes));
    CHECK(!memcmp(w->r.state->v, serial->r.state->v, bytes));
}

static void two_scenes_at_once(void) /* E03 */
{
    static worker serial[2], mixed[2];
    int k, i;
    for (k = 0; k < 2; k++) {
        worker_open(&serial[k], k);
        worker_run(&serial[k]);
        CHECK_EQ(serial[k].failures, 0);
        worker_open(&mixed[k], k);
    }
    for (i = 0; i < 100; i++) /* interleaved in one thread */
        for (k = 0; k < 2; k++) {
            worker_step(&mixed[k]);
            if (i == 50) worker_fail(&mixed[k]);
        }
    for (k = 0; k < 2; k++) {
        worker_same(&mixed[k], &serial[k]);
        rig_destroy(&mixed[k].r);
    }
#ifdef HAVE_PTHREADS
    {
        pthread_t threads[2];
        for (k = 0; k < 2; k++) worker_open(&mixed[k], k);
        for (k = 0; k < 2; k++)
            CHECK_EQ(pthread_create(&threads[k], NULL, worker_run, &mixed[k]), 0);
        for (k = 0; k < 2; k++) CHECK_EQ(pthread_join(threads[k], NULL), 0);
        for (k = 0; k < 2; k++) {
            worker_same(&mixed[k], &serial[k]);
            rig_destroy(&mixed[k].r);
        }
    }
#endif
    for (k = 0; k < 2; k++) rig_destroy(&serial[k].r);
}

/* Two threads on one model, each with its own everything else. */
static void one_model_in_two_threads(void)
{
    static worker owner, other;
    dcl_model *own;
    worker_open(&owner, 1);
    memset(&other, 0, sizeof other);
    other.kind = 1;
    rig_rich(&other.r);
    own = owner.r.model;
    CHECK_EQ(dcl_params_create(own, &other.r.params), DCL_OK);
    CHECK_EQ(dcl_state_create(other.r.params, &other.r.state), DCL_OK);
    CHECK_EQ(dcl_workspace_create(own, NULL, &other.r.workspace), DCL_OK);
    rig_values(&other.r);
#ifdef HAVE_PTHREADS
    {
        pthread_t thread;
        int k;
        CHECK_EQ(pthread_create(&thread, NULL, worker_run, &owner), 0);
        for (k = 0; k < 100; k++) worker_step(&other); /* no failing call: the logger is shared */
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
#else
    {
        int k;
        worker_run(&owner);
        for (k = 0; k < 100; k++) worker_step(&other);
    }
#endif
    worker_same(&other, &owner);
    dcl_workspace_destroy(other.r.workspace);
    dcl_state_destroy(other.r.state);
    dcl_params_destroy(other.r.params);
    rig_destroy(&owner.r);
}

/* ---- scales and extremes --------------------------------------------------------------------- */

/* The rich scene with lengths times s, times times sqrt(s), masses and the rest to match. With s a
   power of 4 every number is scaled exactly, so the results must agree bit for bit. */
static void scaled_run(double s, double *x, size_t count)
{
    double t = sqrt(s), force, air[3];
    rig r;
    size_t k;
    int i;
    rig_rich(&r);
    for (k = 0; k < rig_n3(&r); k++) r.s.x[k] *= s;
    r.s.h *= t;
    r.s.desc.stretch *= s;
    r.s.desc.bend *= s * s * s;
    r.s.desc.damping *= s * t;
    r.s.desc.drag /= t;
    r.s.handles[1].stiffness *= s;
    for (i = 0; i < 2; i++) {
        dcl_obstacle *o = &r.s.obstacles[i];
        for (k = 0; k < 3; k++) {
            o->position[k] *= s;
            o->velocity[k] *= t;
            o->angular_velocity[k] /= t;
        }
        o->size[0] *= s;
    }
    if (!rig_ready(&r)) return;
    rig_values(&r);
    for (k = 0; k < rig_n3(&r); k++) {
        double v = dcl_params_get(r.params, DCL_PARAM_V0)[k] * t;
        dcl_params_set(r.params, DCL_PARAM_V0, k, 1, &v);
    }
    for (k = 0; k < dcl_params_count(r.params, DCL_PARAM_FORCE); k++) {
        force = dcl_params_get(r.params, DCL_PARAM_FORCE)[k] * s * s;
        dcl_params_set(r.params, DCL_PARAM_FORCE, k, 1, &force);
    }
    for (k = 0; k < 3; k++) {
        force = dcl_params_get(r.params, DCL_PARAM_WIND_FORCE)[k] * s * s;
        dcl_params_set(r.params, DCL_PARAM_WIND_FORCE, k, 1, &force);
        air[k] = dcl_params_get(r.params, DCL_PARAM_AIR_VELOCITY)[k] * t;
    }
    dcl_params_set(r.params, DCL_PARAM_AIR_VELOCITY, 0, 3, air);
    dcl_params_set1(r.params, DCL_PARAM_WIND_FREQUENCY, 9 / t);
    dcl_params_set1(r.params, DCL_PARAM_AIR_NORMAL, 1.3 / s);
    dcl_params_set1(r.params, DCL_PARAM_AIR_TANGENT, 0.2 / s);
    dcl_state_reset(r.state, r.params);
    for (i = 0; i < 20; i++) {
        dcl_step_stats stats;
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, r.s.h, NULL, &stats), DCL_OK);
        CHECK(stats.converged);
    }
    for (k = 0; k < count; k++) x[k] = r.state->x[k] / s;
    rig_destroy(&r);
}

static void scales_of_length(void)
{
    static const double scales[] = {1.0 / 1048576, 1048576}; /* 4^-10 and 4^10 */
    double x[48], y[48];
    int k, i;
    scaled_run(1, x, 48);
    for (k = 0; k < 2; k++) {
        scaled_run(scales[k], y, 48);
        for (i = 0; i < 48; i++) CHECK_NEAR(y[i], x[i], 1e-9);
    }
}

static void two_pieces(void)
{
    rig one, both;
    double x[54];
    int t[48], k, i;
    rig_patch(&one, 3, 0.5, 0);
    for (k = 0; k < 2; k++)
        for (i = 0; i < 27; i++) x[27 * k + i] = one.s.x[i] + (k && i % 3 == 0 ? 2 : 0);
    for (k = 0; k < 2; k++)
        for (i = 0; i < 24; i++) t[24 * k + i] = one.s.triangles[i] + 9 * k;
    rig_mesh(&both, 18, x, 16, t);
    both.s.desc.handles = both.s.handles;
    rig_handle(&one, 0, DCL_HANDLE_HARD, 0);
    rig_handle(&both, 0, DCL_HANDLE_HARD, 0);
    rig_handle(&both, 9, DCL_HANDLE_HARD, 0);
    if (rig_ready(&one) && rig_ready(&both)) {
        for (k = 0; k < 20; k++) {
            CHECK_EQ(dcl_step(one.workspace, one.params, one.state, 0.01, NULL, NULL), DCL_OK);
            CHECK_EQ(dcl_step(both.workspace, both.params, both.state, 0.01, NULL, NULL), DCL_OK);
        }
        for (i = 0; i < 27; i++) {
            CHECK_NEAR(both.state->x[i], one.state->x[i], 1e-8);
            CHECK_NEAR(both.state->x[27 + i] - (i % 3 ? 0 : 2), one.state->x[i], 1e-8);
        }
    }
    rig_destroy(&one);
    rig_destroy(&both);
}

/* Steps and their derivatives end well or with a code that says why; never with NaN, and a refused
   step keeps the state. Returns the code of the last step. */
static dcl_result survives(rig *r, const char *what)
{
    size_t n3 = rig_n3(r), k;
    dcl_result code = DCL_OK;
    dcl_step_stats stats;
    int i, bad = test_ctx.bad_checks;
    memset(&stats, 0, sizeof stats);
    for (i = 0; i < 2 && !code; i++) {
        snapshot before = snapshot_take(r);
        r->log.calls = 0;
        code = dcl_step(r->workspace, r->params, r->state, r->s.h, r->tape, &stats);
        if (code) {
            CHECK(code == DCL_ERROR_NOT_FINITE ||
                  (code == DCL_ERROR_BAD_ARGUMENT && strstr(r->log.text, "h is")));
            CHECK_EQ(r->log.calls, 1);
            CHECK(snapshot_same(&before, r));
        } else {
            free(before.values);
            CHECK(finite_all(r->state->x, n3) && finite_all(r->state->v, n3));
            CHECK(finite_all(&r->state->time, 1));
            CHECK(finite_all(&stats.residual, 1) && finite_all(&stats.penetration, 1));
            CHECK(finite_all(&stats.complementarity, 1) && finite_all(&stats.cone, 1));
            if (!stats.converged) CHECK(stats.residual > r->solver.tolerance);
        }
    }
    for (i = dcl_tape_count(r->tape) - 1; i >= 0; i--) {
        dcl_adjoint_stats adjoint;
        dcl_result back;
        for (k = 0; k < 2 * n3; k++) r->adj[k] = 1;
        back = dcl_step_adjoint(r->workspace, r->params, r->tape, i, r->adj, r->adj + n3, r->grad,
                                &adjoint);
        CHECK(back == DCL_OK || back == DCL_ERROR_SINGULAR || back == DCL_ERROR_NOT_FINITE);
        CHECK(finite_all(r->adj, 2 * n3));
        CHECK(finite_all(dcl_grad_get(r->grad, DCL_PARAM_COUNT), dcl_params_size(r->params)));
        if (!back) CHECK(finite_all(&adjoint.residual, 1) && finite_all(&adjoint.growth, 1));
        for (k = 0; k < 2 * n3; k++) r->adj[k] = 1;
        back = dcl_step_tangent(r->workspace, r->params, r->tape, i, 1, r->adj, r->adj + n3, NULL);
        CHECK(back == DCL_OK || back == DCL_ERROR_SINGULAR || back == DCL_ERROR_NOT_FINITE);
        CHECK(finite_all(r->adj, 2 * n3));
    }
    if (bad != test_ctx.bad_checks) printf("  with %s\n", what);
    return code;
}

static void one_triangle(void) /* S20 */
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, steps[] = {1e-8, 0.01, 1, 1e3, 1e6};
    static const int t[] = {0, 1, 2};
    int k, i;
    for (k = 0; k < 5; k++) {
        rig r;
        rig_mesh(&r, 3, x, 1, t);
        r.s.h = steps[k];
        if (rig_ready(&r)) {
            double drop = -9.81 * steps[k] * steps[k];
            CHECK_EQ(dcl_model_count_hinges(r.model), 0);
            rig_directions(&r);
            CHECK_EQ(survives(&r, "one triangle"), DCL_OK);
            CHECK_EQ(dcl_tape_restore(r.tape, 1, r.state), DCL_OK);
            for (i = 0; i < 3 && steps[k] <= 1; i++)
                CHECK_NEAR(r.state->x[3 * i + 1] - x[3 * i + 1], drop, 1e-8 * fabs(drop) + 1e-15);
        }
        rig_destroy(&r);
    }
}

/* A rig that is ready to survive something. */
static int rig_for(rig *r, int rich)
{
    if (rich)
        rig_rich(r);
    else
        rig_patch(r, 3, 1, 0);
    return 1;
}

static int rig_start(rig *r)
{
    r->solver.newton_limit =
        30; /* most of these do not converge; what they end with is the point */
    r->solver.pd_limit = 50;
    if (!rig_ready(r)) return 0;
    rig_directions(r);
    return 1;
}

static void stiff_soft_light(void)
{
    static const double values[] = {0, 1e-12, 1e-6, 1e6, 1e9, 1e12};
    char what[64];
    int k, field, rich;
    for (rich = 0; rich < 2; rich++)
        for (field = 0; field < 5; field++)
            for (k = field == 2 ? 1 : 0; k < 6; k++) {
                rig r;
                rig_for(&r, rich);
                if (field == 0) r.s.desc.stretch = values[k];
                if (field == 1) r.s.desc.bend = values[k];
                if (field == 2) r.s.desc.density = values[k];
                if (field == 3) r.s.desc.damping = values[k];
                if (field == 4) r.s.desc.drag = values[k];
                snprintf(what, sizeof what, "%s, field %d = %g", rich ? "rich" : "free", field,
                         values[k]);
                if (rig_start(&r)) {
                    dcl_result code;
                    if (rich) rig_values(&r);
                    code = survives(&r, what);
                    if (!CHECK_EQ(code, DCL_OK)) printf("  %s\n", what);
                }
                rig_destroy(&r);
            }
}

static void tiny_and_huge_steps(void)
{
    static const double steps[] = {5e-324, 1e-300, 1e-100, 1e-12, 1e-8, 1e-4, 1, 1e3, 1e6};
    char what[64];
    int k, rich;
    for (rich = 0; rich < 2; rich++)
        for (k = 0; k < 9; k++) {
            rig r;
            dcl_result code;
            rig_for(&r, rich);
            r.s.h = steps[k];
            snprintf(what, sizeof what, "%s, h = %g", rich ? "rich" : "free", steps[k]);
            if (rig_start(&r)) {
                if (rich) rig_values(&r);
                code = survives(&r, what);
                if (steps[k] >= 1e-8 && steps[k] <= 1e3)
                    if (!CHECK_EQ(code, DCL_OK)) printf("  %s\n", what);
            }
            rig_destroy(&r);
        }
}

static void overflow_is_named(void) /* P23 */
{
    static const dcl_block blocks[] = {DCL_PARAM_GRAVITY,
                                       DCL_PARAM_WIND_FORCE,
                                       DCL_PARAM_AIR_VELOCITY,
                                       DCL_PARAM_FORCE,
                                       DCL_PARAM_HANDLE,
                                       DCL_PARAM_STRETCH,
                                       DCL_PARAM_BEND,
                                       DCL_PARAM_DAMPING,
                                       DCL_PARAM_DRAG,
                                       DCL_PARAM_AIR_NORMAL,
                                       DCL_PARAM_DENSITY,
                                       DCL_PARAM_FRICTION,
                                       DCL_PARAM_OBSTACLE_SIZE,
                                       DCL_PARAM_OBSTACLE_POSITION,
                                       DCL_PARAM_OBSTACLE_VELOCITY,
                                       DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY,
                                       DCL_PARAM_OBSTACLE_ROTATION,
                                       DCL_PARAM_WIND_FREQUENCY,
                                       DCL_PARAM_WIND_PHASE,
                                       DCL_PARAM_REST,
                                       DCL_PARAM_V0,
                                       DCL_PARAM_X0};
    static const double values[] = {1e-300, 1e-160, 1e100, 1e155, 1e200, 1e300, 1.7e308};
    int b, k, named = 0;
    for (b = 0; b < (int)(sizeof blocks / sizeof *blocks); b++)
        for (k = 0; k < 7; k++) {
            rig r;
            char what[64];
            dcl_block block = blocks[b];
            if (!rig_for(&r, 1) || !rig_start(&r)) return;
            rig_values(&r);
            CHECK_EQ(dcl_params_set(r.params, block, dcl_params_count(r.params, block) - 1, 1,
                                    &values[k]),
                     DCL_OK);
            dcl_state_reset(r.state, r.params);
            snprintf(what, sizeof what, "%s = %g", dcl_block_name(block), values[k]);
            if (block == DCL_PARAM_REST) { /* may make a triangle degenerate */
                dcl_result code = dcl_step(r.workspace, r.params, r.state, r.s.h, NULL, NULL);
                CHECK(code == DCL_ERROR_DEGENERATE_TRIANGLE || code == DCL_OK ||
                      code == DCL_ERROR_NOT_FINITE);
                CHECK(finite_all(r.state->x, rig_n3(&r)) && finite_all(r.state->v, rig_n3(&r)));
            } else {
                named += survives(&r, what) == DCL_ERROR_NOT_FINITE;
            }
            rig_destroy(&r);
        }
    CHECK(named > 0);
}

/* After an overflow the same workspace goes on as if nothing had been. */
static void overflow_leaves_no_trace(void) /* P23 */
{
    rig a, b;
    double strong[3] = {1e200, 0, 0}, calm[3] = {1, 0, 0};
    int k;
    rig_rich(&a);
    rig_rich(&b);
    if (!rig_ready(&a) || !rig_ready(&b)) return;
    rig_values(&a), rig_values(&b);
    dcl_params_set(b.params, DCL_PARAM_AIR_VELOCITY, 0, 3, calm);
    for (k = 0; k < 10; k++) {
        if (k == 4) {
            snapshot before;
            dcl_params_set(a.params, DCL_PARAM_AIR_VELOCITY, 0, 3, strong);
            before = snapshot_take(&a);
            CHECK_EQ(dcl_step(a.workspace, a.params, a.state, 0.01, a.tape, NULL),
                     DCL_ERROR_NOT_FINITE);
            CHECK_STR(a.log.text, "overflow");
            CHECK(snapshot_same(&before, &a));
        }
        dcl_params_set(a.params, DCL_PARAM_AIR_VELOCITY, 0, 3, calm);
        CHECK_EQ(dcl_step(a.workspace, a.params, a.state, 0.01, NULL, NULL), DCL_OK);
        CHECK_EQ(dcl_step(b.workspace, b.params, b.state, 0.01, NULL, NULL), DCL_OK);
    }
    CHECK(!memcmp(a.state->x, b.state->x, rig_n3(&a) * sizeof(double)));
    CHECK(!memcmp(a.state->v, b.state->v, rig_n3(&a) * sizeof(double)));
    rig_destroy(&a);
    rig_destroy(&b);
}

/* "Linear in its input, so a loss may have any scale." */
static void scales_of_the_loss(void)
{
    static const double scales[] = {1e-300, 1e-200, 1e-150, 1e-50, 1e50, 1e140, 1e200, 1e290};
    rig r;
    size_t n3, k;
    double *one;
    int i;
    rig_rich(&r);
    if (!rig_start(&r)) return;
    rig_values(&r);
    n3 = rig_n3(&r);
    for (i = 0; i < 3; i++)
        CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, r.tape, NULL), DCL_OK);
    one = (double *)malloc(2 * n3 * sizeof(double));
    for (k = 0; k < 2 * n3; k++) one[k] = 1;
    CHECK_EQ(dcl_step_adjoint(r.workspace, r.params, r.tape, 2, one, one + n3, NULL, NULL), DCL_OK);
    for (i = 0; i < 8; i++) {
        double off = 0, most = 0;
        for (k = 0; k < 2 * n3; k++) r.adj[k] = scales[i];
        if (!CHECK_EQ(
                dcl_step_adjoint(r.workspace, r.params, r.tape, 2, r.adj, r.adj + n3, NULL, NULL),
                DCL_OK))
            printf("  loss times %g: %s\n", scales[i], r.log.text);
        for (k = 0; k < 2 * n3; k++) {
            off = fmax(off, fabs(r.adj[k] / scales[i] - one[k]));
            most = fmax(most, fabs(one[k]));
        }
        if (!CHECK_NEAR(off, 0, 1e-9 * most)) printf("  loss times %g\n", scales[i]);
    }
    free(one);
    rig_destroy(&r);
}

/* x1 that is not finite is told by vertex, and huge ones do not come back as Inf. */
static void step_check_not_finite(void)
{
    static const double values[] = {1e100, 1e160, 1e300};
    rig r;
    double x1[48], residual, energy;
    int k;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    memcpy(x1, r.s.x, sizeof x1);
    x1[25] = quiet_nan();
    CHECK_EQ(dcl_step_check(r.workspace, r.params, r.state, 0.01, x1, &residual, &energy),
             DCL_ERROR_NOT_FINITE);
    CHECK_STR(r.log.text, "x1");
    CHECK_STR(r.log.text, "vertex 8");
    for (k = 0; k < 3; k++) {
        dcl_result code;
        x1[25] = values[k];
        residual = energy = -1;
        code = dcl_step_check(r.workspace, r.params, r.state, 0.01, x1, &residual, &energy);
        CHECK(code == DCL_OK || code == DCL_ERROR_NOT_FINITE);
        CHECK(finite_all(&residual, 1) && finite_all(&energy, 1));
    }
    rig_destroy(&r);
}

/* The step counter of a state ends before it overflows. */
static void last_step_number(void)
{
    rig r;
    dcl_result code;
    rig_rich(&r);
    if (!rig_ready(&r)) return;
    r.state->step = INT_MAX;
    code = dcl_step(r.workspace, r.params, r.state, 0.01, NULL, NULL);
    CHECK(code < 0);
    CHECK_EQ(r.state->step, INT_MAX);
    r.state->step = INT_MAX - 1;
    CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, NULL, NULL), DCL_OK);
    r.state->step = -5; /* reads the first frames */
    CHECK_EQ(dcl_step(r.workspace, r.params, r.state, 0.01, NULL, NULL), DCL_OK);
    rig_destroy(&r);
}

void suite_model(void)
{
    TEST_RUN(unreferenced_vertex);
    TEST_RUN(doubled_triangles);
    TEST_RUN(sliver_triangles);
    TEST_RUN(small_triangles_are_silent);
    TEST_RUN(hanging_vertex);
    TEST_RUN(inconsistent_winding);
    TEST_RUN(edge_of_three_triangles);
    TEST_RUN(empty_meshes);
    TEST_RUN(degenerate_triangles);
    TEST_RUN(positions_not_finite);
    TEST_RUN(numbers_of_the_model);
    TEST_RUN(counts_of_the_model);
    TEST_RUN(handles_of_the_model);
    TEST_RUN(obstacles_of_the_model);
    TEST_RUN(planes_without_a_direction);
    TEST_RUN(sizes_of_a_plane);
    TEST_RUN(numbers_of_the_solver);
    TEST_RUN(numbers_of_the_params);
    TEST_RUN(degenerate_rest_shape);
    TEST_RUN(null_pointers);
    TEST_RUN(null_pointers_are_named);
    TEST_RUN(mixed_models);
    TEST_RUN(mixed_models_in_a_rollout);
    TEST_RUN(state_not_finite);
    TEST_RUN(step_size_refused);
    TEST_RUN(derivatives_not_finite);
    TEST_RUN(tape_capacity);
    TEST_RUN(tape_states);
    TEST_RUN(stale_rollout_leaves_grad);
    TEST_RUN(grad_blocks);
    TEST_RUN(result_names);
    TEST_RUN(failing_allocator);
    TEST_RUN(no_allocation_in_steps);
    TEST_RUN(tape_bytes);
    TEST_RUN(frames_too_many);
    TEST_RUN(counts_of_zero);
    TEST_RUN(contacts_are_bounded);
    TEST_RUN(many_lives);
    TEST_RUN(stale_memory);
    TEST_RUN(two_scenes_at_once);
    TEST_RUN(one_model_in_two_threads);
    TEST_RUN(scales_of_length);
    TEST_RUN(one_triangle);
    TEST_RUN(two_pieces);
    TEST_RUN(stiff_soft_light);
    TEST_RUN(tiny_and_huge_steps);
    TEST_RUN(overflow_is_named);
    TEST_RUN(overflow_leaves_no_trace);
    TEST_RUN(scales_of_the_loss);
    TEST_RUN(step_check_not_finite);
    TEST_RUN(last_step_number);
}
