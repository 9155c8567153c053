/* bench.c - measures; one JSON line each.

   build/bench [step|adjoint|memory|scaling|sparse]: without a name, all. What follows "sparse" goes
   to bench_sparse.c. Meshes of like size as the published scenes, generated. Times are medians over
   steps, one thread. */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#include "diffcloth.h"
#define main bench_sparse_main
#include "bench_sparse.c"
#undef main
#include "examples/dcx_app.h"
#include "examples/dcx_mesh.h"

typedef struct bench_scene {
    const char *name;
    dcx_mesh mesh;
    dcl_model_desc desc;
    dcl_handle hold[2];
    dcl_obstacle obstacle;
    double wind[3], frequency, h;
    int steps;
} bench_scene;

static int bench_hold(bench_scene *s, int a, int b)
{
    s->hold[0].vertex = a;
    s->hold[1].vertex = b;
    s->hold[0].kind = s->hold[1].kind = DCL_HANDLE_SOFT;
    s->hold[0].stiffness = s->hold[1].stiffness = 1e4;
    s->desc.handle_count = 2;
    return 0;
}

/* side x side vertices of a napkin, `size` wide. */
static int bench_napkin(bench_scene *s, const char *name, int side, double size, dcx_plane plane)
{
    memset(s, 0, sizeof *s);
    s->name = name;
    s->desc = dcl_default_model_desc();
    s->desc.gravity[1] = -9.8;
    return dcx_mesh_grid(&s->mesh, side, side, size, size, DCX_DIAGONALS_ONE, plane, NULL) != DCX_OK;
}

static int bench_wind(bench_scene *s, int side)
{
    if (bench_napkin(s, "wind", side, 6, DCX_PLANE_XY)) return 1;
    s->desc.density = 0.054;
    s->desc.stretch = 100;
    s->desc.bending = 0;
    s->wind[1] = s->wind[2] = 0.004;
    s->h = 1.0 / 90;
    s->steps = 100;
    return bench_hold(s, side * (side - 1), side * side - 1);
}

static int bench_sphere(bench_scene *s)
{
    const double centre[3] = {0.6, -2.1, 0.2};
    if (bench_napkin(s, "sphere", 25, 4.5, DCX_PLANE_XZ)) return 1;
    s->obstacle = dcl_sphere(centre, 2, 0.3);
    s->desc.obstacle_count = 1;
    s->desc.density = 0.3;
    s->desc.stretch = 150;
    s->desc.bend = 1e-5;
    s->h = 1.0 / 180;
    s->steps = 350;
    return 0;
}

static int bench_slope(bench_scene *s)
{
    const double point[3] = {0, 0, 0}, normal[3] = {0, 0.740, 0.673};
    const double axis[3] = {1, 0, 0};
    if (bench_napkin(s, "slope", 25, 4.5, DCX_PLANE_XZ)) return 1;
    dcx_points_turn(s->mesh.positions, s->mesh.vertex_count, axis, atan2(0.673, 0.740), NULL);
    s->obstacle = dcl_plane(point, normal, 0.5);
    s->desc.obstacle_count = 1;
    s->desc.density = 0.2;
    s->desc.stretch = 50;
    s->desc.bending = 0;
    s->h = 0.01;
    s->steps = 200;
    return 0;
}

static int bench_tshirt(bench_scene *s)
{
    int shoulders[2];
    memset(s, 0, sizeof *s);
    s->name = "tshirt";
    s->desc = dcl_default_model_desc();
    if (dcx_mesh_tshirt(&s->mesh, 0.0237, shoulders, NULL)) return 1;
    dcx_points_fit(s->mesh.positions, s->mesh.vertex_count, 6);
    s->desc.gravity[1] = -9.8;
    s->desc.density = 0.124;
    s->desc.stretch = 550;
    s->desc.bend = 0.01;
    s->wind[0] = s->wind[2] = 0.0106;
    s->wind[1] = 0.00106;
    s->frequency = 10;
    s->h = 1.0 / 90;
    s->steps = 100;
    return bench_hold(s, shoulders[0], shoulders[1]);
}

typedef struct bench_run {
    dcl_model *model;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *workspace;
    dcl_tape *tape;
    dcl_grad *grad;
} bench_run;

static int bench_create(bench_scene *s, const dcl_solver_desc *solver, bench_run *r)
{
    memset(r, 0, sizeof *r);
    s->desc.vertex_count = s->mesh.vertex_count;
    s->desc.positions = s->mesh.positions;
    s->desc.triangle_count = s->mesh.triangle_count;
    s->desc.triangles = s->mesh.triangles;
    s->desc.handles = s->hold;
    s->desc.obstacles = &s->obstacle;
    if (dcl_model_create(&s->desc, &r->model) || dcl_params_create(r->model, &r->params) ||
        dcl_state_create(r->params, &r->state) ||
        dcl_workspace_create(r->model, solver, &r->workspace) ||
        dcl_tape_create(r->model, s->steps, &r->tape) ||
        dcl_grad_create(r->params, DCL_ALL_BLOCKS & ~DCL_BLOCK_BIT(DCL_PARAM_REST), &r->grad))
        return 1;
    dcl_params_set(r->params, DCL_PARAM_WIND_FORCE, 0, 3, s->wind);
    dcl_params_set1(r->params, DCL_PARAM_WIND_FREQUENCY, s->frequency);
    dcl_params_set1(r->params, DCL_PARAM_WIND_PHASE, 0.5);
    return 0;
}

static void bench_destroy(bench_scene *s, bench_run *r)
{
    dcl_grad_destroy(r->grad);
    dcl_tape_destroy(r->tape);
    dcl_workspace_destroy(r->workspace);
    dcl_state_destroy(r->state);
    dcl_params_destroy(r->params);
    dcl_model_destroy(r->model);
    dcx_mesh_destroy(&s->mesh);
}

/* Mean square of the positions of every frame. */
static double bench_loss(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
{
    int n3 = 3 * dcl_model_count_vertices(state->model), k;
    double sum = 0;
    (void)user;
    (void)frame;
    (void)adj_v;
    for (k = 0; k < n3; k++) {
        sum += state->x[k] * state->x[k] / n3;
        if (adj_x) adj_x[k] += 2 * state->x[k] / n3;
    }
    return sum;
}

/* Forward and backward over the whole scene; ms per step. */
static void bench_time(bench_scene *s, bench_run *r, double *forward, double *backward,
                       dcl_rollout_stats *stats)
{
    double t0 = dcx_seconds(), t1, t2;
    dcl_rollout(r->workspace, r->params, r->state, s->h, s->steps, r->tape, NULL, NULL, NULL, stats);
    t1 = dcx_seconds();
    dcl_grad_reset(r->grad);
    dcl_rollout_adjoint(r->workspace, r->params, r->tape, bench_loss, NULL, r->grad, NULL);
    t2 = dcx_seconds();
    *forward = 1e3 * (t1 - t0) / s->steps;
    *backward = 1e3 * (t2 - t1) / s->steps;
}

static void bench_step_one(bench_scene *s, const char *bench)
{
    dcl_rollout_stats stats;
    double forward, backward;
    bench_run r;
    if (bench_create(s, NULL, &r)) return;
    bench_time(s, &r, &forward, &backward, &stats);
    printf("{\"bench\":\"%s\",\"scene\":\"%s\",\"n\":%d,\"steps\":%d,\"forward_ms\":%.3f,"
           "\"backward_ms\":%.3f,\"residual_max\":%.3g,\"unconverged_steps\":%d,"
           "\"newton_per_step\":%.2f}\n",
           bench, s->name, s->mesh.vertex_count, s->steps, forward, backward, stats.residual_max,
           stats.unconverged, (double)stats.newton_iterations / s->steps);
    fflush(stdout);
    bench_destroy(s, &r);
}

static void bench_step(void)
{
    bench_scene s;
    int side;
    for (side = 12; side <= 48; side *= 2)
        if (!bench_wind(&s, side)) bench_step_one(&s, "step");
    if (!bench_sphere(&s)) bench_step_one(&s, "step");
    if (!bench_slope(&s)) bench_step_one(&s, "step");
    if (!bench_tshirt(&s)) bench_step_one(&s, "step");
    if (!bench_tshirt(&s)) {
        s.name = "tshirt-self";
        s.desc.self_contact = DCL_SELF_SURFACE;
        bench_step_one(&s, "step");
    }
}

static void bench_scaling(void)
{
    bench_scene s;
    int side;
    for (side = 24; side <= 192; side *= 2)
        if (!bench_wind(&s, side)) {
            s.steps = 10;
            bench_step_one(&s, "scaling");
        }
}

/* The paper's iteration at two thresholds, GMRES, and the default, on one motion; the error of dL/dx0
   against the default. */
static void bench_adjoint(void)
{
    static const char *const names[4] = {"default", "paper-1e-4", "paper-1e-6", "krylov"};
    bench_scene s;
    double *exact = NULL;
    int m;
    for (m = 0; m < 4 && !bench_wind(&s, 24); m++) {
        dcl_solver_desc solver = dcl_default_solver_desc();
        dcl_rollout_stats stats;
        double forward, backward, error = 0, size = 0;
        const double *g;
        bench_run r;
        size_t n3 = 3 * (size_t)s.mesh.vertex_count, k;
        s.steps = 30;
        if (m) solver.adjoint = m == 3 ? DCL_ADJOINT_KRYLOV : DCL_ADJOINT_PD;
        if (m == 1) solver.adjoint_tolerance = 1e-4;
        if (m == 2) solver.adjoint_tolerance = 1e-6;
        if (bench_create(&s, &solver, &r)) break;
        bench_time(&s, &r, &forward, &backward, &stats);
        g = dcl_grad_get(r.grad, DCL_PARAM_X0);
        if (!exact) exact = (double *)calloc(n3, sizeof(double));
        for (k = 0; exact && k < n3; k++) {
            if (m == 0) exact[k] = g[k];
            error += (g[k] - exact[k]) * (g[k] - exact[k]);
            size += exact[k] * exact[k];
        }
        printf("{\"bench\":\"adjoint\",\"scene\":\"wind\",\"n\":%d,\"method\":\"%s\","
               "\"backward_ms\":%.3f,\"grad_rel_err\":%.3g}\n",
               s.mesh.vertex_count, names[m], backward, size > 0 ? sqrt(error / size) : 0);
        bench_destroy(&s, &r);
    }
    free(exact);
}

static void bench_memory(void)
{
    bench_scene s;
    bench_run r;
    if (bench_wind(&s, 48) || bench_create(&s, NULL, &r)) return;
    printf("{\"bench\":\"memory\",\"n\":%d,\"tape_bytes_per_vertex_step\":%.1f,"
           "\"tape_bytes_10000_steps\":%.0f}\n",
           s.mesh.vertex_count,
           (double)dcl_tape_bytes(r.model, 10000) / 10000 / s.mesh.vertex_count,
           (double)dcl_tape_bytes(r.model, 10000));
    bench_destroy(&s, &r);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int all = argc < 2, known = 0;
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        puts("bench: times and sizes, a JSON line each: bench [step|adjoint|memory|scaling|sparse]");
        return 0;
    }
#ifdef __VERSION__
    printf("{\"bench\":\"machine\",\"compiler\":\"%s\",\"bits\":%d}\n", __VERSION__,
           (int)(8 * sizeof(void *)));
#endif
    if (all || !strcmp(name, "step")) known = 1, bench_step();
    if (all || !strcmp(name, "adjoint")) known = 1, bench_adjoint();
    if (all || !strcmp(name, "memory")) known = 1, bench_memory();
    if (all || !strcmp(name, "scaling")) known = 1, bench_scaling();
    if (all) return bench_sparse_main(1, argv);
    if (!strcmp(name, "sparse")) return bench_sparse_main(argc - 1, argv + 1);
    if (!known) {
        fprintf(stderr, "bench: no measurement is called %s\n", name);
        return 2;
    }
    return 0;
}
