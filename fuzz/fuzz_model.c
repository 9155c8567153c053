/* fuzz_model.c - bytes as a small mesh, a descriptor and parameters: create, two steps, adjoint and
   tangent. Whatever the bytes, nothing is NaN, nothing leaks, a refusal has a line of text, a
   refused step keeps the state. */
#define DIFFCLOTH_IMPLEMENTATION
#include "../diffcloth.h"

#include "fuzz.h"

enum { VERTICES = 12, TRIANGLES = 14, HANDLES = 3, OBSTACLES = 3, STEPS = 2, LARGEST = 512 };

/* ---- bytes to numbers -------------------------------------------------------------------------
 */

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static int byte(reader *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* Small integers, sometimes out of range. */
static int whole(reader *r, int most)
{
    int b = byte(r);
    return b < 250    ? b % (most + 1)
           : b == 250 ? -1
           : b == 251 ? INT_MAX
           : b == 252 ? INT_MIN
                      : most + b;
}

/* A number of the usual size, mostly; of any size, or none at all, sometimes. */
static double number(reader *r, double usual)
{
    int kind = byte(r), b = byte(r);
    if (kind < 200) return usual * ((kind - 100) / 64.0 + b / 4096.0);
    if (kind < 240) return usual * pow(10, (b - 128) / 16.0);
    if (kind < 246) return pow(10, (b - 128) * 2.4) * (kind & 1 ? 1 : -1);
    if (kind == 246) return 0;
    if (kind == 247) return -0.0;
    if (kind == 248) return HUGE_VAL;
    if (kind == 249) return -HUGE_VAL;
    if (kind == 250) return nan("");
    if (kind == 251) return 4.9e-324;
    return usual;
}

static double positive(reader *r, double usual)
{
    double x = number(r, usual);
    return byte(r) < 250 ? fabs(x) : x;
}

/* ---- what the library is given ----------------------------------------------------------------
 */

typedef struct heard {
    int calls;
    dcl_result code;
    long blocks;
} heard;

static void hear(dcl_result code, const char *text, void *user)
{
    heard *h = (heard *)user;
    h->calls++;
    h->code = code;
    REQUIRE(text && text[0] && !strchr(text, '\n') && strlen(text) < 256);
    if (getenv("FUZZ_VERBOSE")) fprintf(stderr, "%s: %s\n", dcl_result_name(code), text);
}

static void *take(size_t bytes, void *user)
{
    void *p = malloc(bytes);
    if (p) memset(p, 0xFF, bytes); /* what is not written is NaN */
    ((heard *)user)->blocks += p != NULL;
    return p;
}

static void give(void *p, size_t bytes, void *user)
{
    (void)bytes;
    ((heard *)user)->blocks--;
    free(p);
}

typedef struct input {
    dcl_model_desc desc;
    dcl_solver_desc solver;
    double x[3 * VERTICES];
    int triangles[3 * TRIANGLES];
    dcl_handle handles[HANDLES];
    dcl_obstacle obstacles[OBSTACLES];
    double h;
} input;

/* A strip of triangles, folded and shaken by the bytes. */
static void strip(input *in, reader *r)
{
    int n = 3 + byte(r) % (VERTICES - 2), k;
    double size = byte(r) < 200 ? 1 : number(r, 1), shake = byte(r) / 512.0;
    for (k = 0; k < n; k++) {
        in->x[3 * k] = size * (k / 2 + shake * (byte(r) / 256.0 - 0.5));
        in->x[3 * k + 1] = size * shake * (byte(r) / 256.0 - 0.5);
        in->x[3 * k + 2] = size * (k % 2 + shake * (byte(r) / 256.0 - 0.5));
    }
    for (k = 0; k + 2 < n; k++) {
        in->triangles[3 * k] = k;
        in->triangles[3 * k + 1] = k % 2 ? k + 2 : k + 1;
        in->triangles[3 * k + 2] = k % 2 ? k + 1 : k + 2;
    }
    in->desc.vertex_count = n;
    in->desc.triangle_count = n - 2;
}

/* Any numbers at all. */
static void soup(input *in, reader *r)
{
    int k;
    in->desc.vertex_count = whole(r, VERTICES);
    in->desc.triangle_count = whole(r, TRIANGLES);
    if (in->desc.vertex_count > VERTICES && in->desc.vertex_count < INT_MAX / 64)
        in->desc.vertex_count = VERTICES; /* the arrays are this long */
    if (in->desc.triangle_count > TRIANGLES && in->desc.triangle_count < INT_MAX / 64)
        in->desc.triangle_count = TRIANGLES;
    for (k = 0; k < 3 * VERTICES; k++) in->x[k] = number(r, 1);
    for (k = 0; k < 3 * TRIANGLES; k++)
        in->triangles[k] = whole(r, in->desc.vertex_count > 0 && in->desc.vertex_count <= VERTICES
                                        ? in->desc.vertex_count - 1
                                        : 2);
}

static int count_of(reader *r, int most)
{
    int n = whole(r, most);
    return n > most && n < INT_MAX / 64 ? most : n; /* the arrays are this long */
}

static void fixtures(input *in, reader *r)
{
    dcl_model_desc *d = &in->desc;
    int i, k;
    d->handle_count = count_of(r, HANDLES);
    for (i = 0; i < HANDLES; i++) {
        in->handles[i].vertex = whole(r, d->vertex_count > 1 ? d->vertex_count - 1 : 1);
        in->handles[i].kind = (dcl_handle_kind)(byte(r) < 250 ? byte(r) % 2 : 2);
        in->handles[i].stiffness = positive(r, 50);
    }
    d->obstacle_count = byte(r) % 4 ? byte(r) % 2 : whole(r, OBSTACLES);
    if (d->obstacle_count > OBSTACLES && d->obstacle_count <= DCL_MAX_OBSTACLES)
        d->obstacle_count = OBSTACLES;
    for (i = 0; i < OBSTACLES; i++) {
        dcl_obstacle *o = &in->obstacles[i];
        double p[3], n[3];
        for (k = 0; k < 3; k++) p[k] = number(r, 0.5), n[k] = number(r, 1);
        *o = byte(r) % 2 ? dcl_plane(p, n, positive(r, 0.3))
                         : dcl_sphere(p, positive(r, 0.4), positive(r, 0.3));
        if (byte(r) % 2) {
            o->shape = (dcl_shape)(byte(r) % 10);
            for (k = 0; k < 4; k++) o->size[k] = positive(r, 0.2);
        }
        if (byte(r) % 2)
            for (k = 0; k < 3; k++) {
                o->velocity[k] = number(r, 1);
                o->angular_velocity[k] = number(r, 1);
                if (o->shape != DCL_SHAPE_PLANE) o->rotation[k] = number(r, 1);
            }
    }
    d->handle_frames = byte(r) < 200 ? 1 + byte(r) % 3 : whole(r, 3);
    d->force_frames = byte(r) < 200 ? byte(r) % 3 : whole(r, 3);
    if (d->handle_frames > 3 && d->handle_frames < INT_MAX / 16) d->handle_frames = 3;
    if (d->force_frames > 3 && d->force_frames < INT_MAX / 16) d->force_frames = 3;
}

static void numbers(input *in, reader *r)
{
    dcl_model_desc *d = &in->desc;
    int k, limits = byte(r);
    d->stretch = positive(r, 100);
    d->bend = positive(r, 1e-3);
    d->density = positive(r, 0.2);
    d->damping = positive(r, 0.01);
    d->drag = positive(r, 0.01);
    for (k = 0; k < 3; k++) d->gravity[k] = number(r, 9.81);
    d->bending = byte(r) % 2;
    d->contact = (dcl_contact_form)(byte(r) < 250 ? byte(r) % 2 : 2);
    d->contact_distance = positive(r, 0.01);
    d->push_out = positive(r, 1);
    in->h = positive(r, 0.02);
    in->solver.solver = (dcl_solver)(limits % 2);
    in->solver.adjoint = (dcl_adjoint)(limits / 2 % 3);
    in->solver.tolerance = limits < 250 ? 1e-10 : number(r, 1e-8);
    in->solver.newton_limit = limits < 200 ? 30 : 0;
    in->solver.pd_limit = limits < 200 ? 30 : limits % 4;
    in->solver.adjoint_limit = limits % 50;
}

/* ---- what comes back ---------------------------------------------------------------------------
 */

static int all_finite(const double *x, size_t count)
{
    size_t k;
    for (k = 0; k < count; k++)
        if (!fuzz_finite(x[k])) return 0;
    return 1;
}

typedef struct rig {
    dcl_model *model;
    dcl_params *params;
    dcl_state *state, *kept;
    dcl_workspace *workspace;
    dcl_tape *tape;
    dcl_grad *grad;
} rig;

static dcl_result rig_create(rig *g, const input *in)
{
    dcl_result code = dcl_model_create(&in->desc, &g->model);
    if (!code) code = dcl_params_create(g->model, &g->params);
    if (!code) code = dcl_state_create(g->params, &g->state);
    if (!code) code = dcl_state_create(g->params, &g->kept);
    if (!code) code = dcl_workspace_create(g->model, &in->solver, &g->workspace);
    if (!code) code = dcl_tape_create(g->model, STEPS, &g->tape);
    if (!code) code = dcl_grad_create(g->params, DCL_ALL_BLOCKS, &g->grad);
    return code;
}

static void rig_destroy(rig *g)
{
    dcl_grad_destroy(g->grad);
    dcl_tape_destroy(g->tape);
    dcl_workspace_destroy(g->workspace);
    dcl_state_destroy(g->kept);
    dcl_state_destroy(g->state);
    dcl_params_destroy(g->params);
    dcl_model_destroy(g->model);
}

/* Some blocks get some values; some are refused. */
static void set_some(rig *g, reader *r)
{
    int times = byte(r) % 12;
    while (times-- > 0) {
        dcl_block block = (dcl_block)(byte(r) % DCL_PARAM_COUNT);
        size_t count = dcl_params_count(g->params, block), first;
        double value = number(r, block == DCL_PARAM_STRETCH ? 100 : 1), was;
        if (!count) continue;
        first = (size_t)byte(r) % count;
        was = dcl_params_get(g->params, block)[first];
        if (dcl_params_set(g->params, block, first, 1, &value))
            REQUIRE(dcl_params_get(g->params, block)[first] == was);
        else
            REQUIRE(fuzz_finite(value));
    }
    REQUIRE(all_finite(dcl_params_get(g->params, DCL_PARAM_COUNT), dcl_params_size(g->params)));
}

static void steps(rig *g, const input *in, heard *log)
{
    size_t bytes = 3 * (size_t)in->desc.vertex_count * sizeof(double);
    dcl_step_stats stats;
    int k;
    for (k = 0; k < STEPS; k++) {
        dcl_result code;
        dcl_state_copy(g->kept, g->state);
        log->calls = 0;
        code = dcl_step(g->workspace, g->params, g->state, in->h, g->tape, &stats);
        REQUIRE(log->calls == (code != DCL_OK));
        REQUIRE(all_finite(g->state->x, bytes / sizeof(double)));
        REQUIRE(all_finite(g->state->v, bytes / sizeof(double)));
        REQUIRE(fuzz_finite(g->state->time));
        REQUIRE(dcl_tape_count(g->tape) == k + !code);
        if (code) {
            REQUIRE(!memcmp(g->kept->x, g->state->x, bytes) &&
                    !memcmp(g->kept->v, g->state->v, bytes));
            REQUIRE(g->kept->step == g->state->step);
            return;
        }
        REQUIRE(fuzz_finite(stats.penetration) && stats.penetration >= 0);
        REQUIRE(fuzz_finite(stats.complementarity) && fuzz_finite(stats.cone));
        REQUIRE(fuzz_finite(stats.residual) && stats.residual >= 0);
        REQUIRE(stats.converged == (stats.residual <= in->solver.tolerance));
    }
}

static void back(rig *g, const input *in, heard *log)
{
    size_t n3 = 3 * (size_t)in->desc.vertex_count, k;
    double adj[2][3 * VERTICES];
    dcl_adjoint_stats stats;
    int s;
    for (s = dcl_tape_count(g->tape) - 1; s >= 0; s--) {
        dcl_result code;
        for (k = 0; k < n3; k++) adj[0][k] = 1, adj[1][k] = (double)k;
        log->calls = 0;
        code =
            dcl_step_adjoint(g->workspace, g->params, g->tape, s, adj[0], adj[1], g->grad, &stats);
        REQUIRE(log->calls == (code != DCL_OK));
        REQUIRE(all_finite(adj[0], n3) && all_finite(adj[1], n3));
        REQUIRE(all_finite(dcl_grad_get(g->grad, DCL_PARAM_COUNT), dcl_params_size(g->params)));
        if (!code) REQUIRE(fuzz_finite(stats.residual) && fuzz_finite(stats.growth));
        for (k = 0; k < n3; k++) adj[0][k] = 1, adj[1][k] = (double)k;
        log->calls = 0;
        code = dcl_step_tangent(g->workspace, g->params, g->tape, s, 1, adj[0], adj[1], NULL);
        REQUIRE(log->calls == (code != DCL_OK));
        REQUIRE(all_finite(adj[0], n3) && all_finite(adj[1], n3));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader r;
    input in;
    heard log;
    rig g;
    dcl_result code;
    if (size > LARGEST) return 0;
    r.at = data;
    r.end = data + size;
    memset(&in, 0, sizeof in);
    memset(&g, 0, sizeof g);
    memset(&log, 0, sizeof log);
    in.desc = dcl_default_model_desc();
    in.solver = dcl_default_solver_desc();
    in.desc.allocator.alloc = take;
    in.desc.allocator.free = give;
    in.desc.allocator.user = &log;
    in.desc.logger.log = hear;
    in.desc.logger.user = &log;
    in.desc.positions = in.x;
    in.desc.triangles = in.triangles;
    in.desc.handles = in.handles;
    in.desc.obstacles = in.obstacles;
    if (byte(&r) % 4)
        strip(&in, &r);
    else
        soup(&in, &r);
    numbers(&in, &r);
    fixtures(&in, &r);
    code = rig_create(&g, &in);
    REQUIRE(log.calls == (code != DCL_OK) && (!code || log.code == code));
    if (!code) {
        set_some(&g, &r);
        dcl_state_reset(g.state, g.params);
        steps(&g, &in, &log);
        back(&g, &in, &log);
    }
    rig_destroy(&g);
    REQUIRE(log.blocks == 0);
    return 0;
}
