/* test_physics.c - motions whose right value is known: closed forms of the implicit Euler step,
   invariances, statics, dry friction, frames of the DiffCloth authors' program. Names in brackets
   such as (V20), (P06), (C01) are rows of the tables of validation cases and of small inputs.

   Implicit Euler: v1 = v0 + h a(x1), x1 = x0 + h v1. */
#include "../examples/dcx_io.h"
#include "scenes.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double G = 9.81;

/* ---- one scene and what it takes to run it ----------------------------------------------------
 */

typedef struct rig {
    dcl_model *model;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *ws;
    dcl_step_stats stats;
    int n;
} rig;

static void rig_close(rig *r)
{
    dcl_workspace_destroy(r->ws);
    dcl_state_destroy(r->state);
    dcl_params_destroy(r->params);
    dcl_model_destroy(r->model);
    memset(r, 0, sizeof *r);
}

static int rig_open_with(rig *r, const dcl_model_desc *desc, const dcl_solver_desc *solver)
{
    memset(r, 0, sizeof *r);
    if (!CHECK(dcl_model_create(desc, &r->model) == DCL_OK)) return 0;
    r->n = desc->vertex_count;
    if (CHECK(dcl_params_create(r->model, &r->params) == DCL_OK) &&
        CHECK(dcl_state_create(r->params, &r->state) == DCL_OK) &&
        CHECK(dcl_workspace_create(r->model, solver, &r->ws) == DCL_OK))
        return 1;
    rig_close(r);
    return 0;
}

static int rig_open(rig *r, const dcl_model_desc *desc, double tolerance)
{
    dcl_solver_desc solver = dcl_default_solver_desc();
    solver.tolerance = tolerance;
    return rig_open_with(r, desc, &solver);
}

/* One step that must converge. */
static int rig_step(rig *r, double h)
{
    return CHECK(dcl_step(r->ws, r->params, r->state, h, NULL, &r->stats) == DCL_OK) &&
           CHECK(r->stats.converged);
}

static int rig_run(rig *r, double h, int steps)
{
    while (steps-- > 0)
        if (!rig_step(r, h)) return 0;
    return 1;
}

static void set3(rig *r, dcl_block block, double x, double y, double z)
{
    double value[3];
    value[0] = x, value[1] = y, value[2] = z;
    CHECK(dcl_params_set(r->params, block, 0, 3, value) == DCL_OK);
}

static void set1(rig *r, dcl_block block, double value)
{
    CHECK(dcl_params_set1(r->params, block, value) == DCL_OK);
}

/* The same velocity for every vertex of the state. */
static void push_all(rig *r, double x, double y, double z)
{
    int i;
    for (i = 0; i < r->n; i++)
        r->state->v[3 * i] = x, r->state->v[3 * i + 1] = y, r->state->v[3 * i + 2] = z;
}

static double largest_difference(const double *a, const double *b, int count)
{
    double worst = 0;
    int k;
    for (k = 0; k < count; k++) worst = fmax(worst, fabs(a[k] - b[k]));
    return worst;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double norm(const double *a)
{
    return sqrt(dot(a, a));
}

/* Lumped masses, density * rest area / 3 per corner, from the formula. */
static void lumped_masses(const dcl_model_desc *desc, double density, double *mass)
{
    int t, a;
    memset(mass, 0, (size_t)desc->vertex_count * sizeof *mass);
    for (t = 0; t < desc->triangle_count; t++) {
        const int *v = desc->triangles + 3 * t;
        double e[3], f[3], c[3];
        for (a = 0; a < 3; a++) {
            e[a] = desc->positions[3 * v[1] + a] - desc->positions[3 * v[0] + a];
            f[a] = desc->positions[3 * v[2] + a] - desc->positions[3 * v[0] + a];
        }
        cross(e, f, c);
        for (a = 0; a < 3; a++) mass[v[a]] += density * norm(c) / 6;
    }
}

/* A descriptor that hears refusals. */
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

static int scene_open(rig *r, scene *s, double tolerance)
{
    scene_fix(s);
    if (!rig_open(r, &s->desc, tolerance)) return 0;
    if (s->setup) s->setup(s, r->params);
    return CHECK(dcl_state_reset(r->state, r->params) == DCL_OK);
}

static void scene_add_plane(scene *s, double nx, double ny, double nz, double mu)
{
    double p[3] = {0, 0, 0}, n[3];
    n[0] = nx, n[1] = ny, n[2] = nz;
    s->obstacles[s->desc.obstacle_count++] = dcl_plane(p, n, mu);
}

/* A rotation by `angle` about `axis` (any length), row by row. */
static void rotation(const double *axis, double angle, double R[3][3])
{
    double a[3], l = norm(axis), c = cos(angle), s = sin(angle);
    int i, j;
    for (i = 0; i < 3; i++) a[i] = axis[i] / l;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) R[i][j] = (1 - c) * a[i] * a[j] + (i == j ? c : 0);
    R[0][1] -= s * a[2], R[1][0] += s * a[2];
    R[0][2] += s * a[1], R[2][0] -= s * a[1];
    R[1][2] -= s * a[0], R[2][1] += s * a[0];
}

static void turn(double R[3][3], const double *x, double *out)
{
    double t[3];
    int i;
    for (i = 0; i < 3; i++) t[i] = dot(R[i], x);
    for (i = 0; i < 3; i++) out[i] = t[i];
}

/* ---- exact discrete dynamics ------------------------------------------------------------------
 */

/* (V1) x_N = x_0 + N h v_0 - g h^2 N (N + 1)/2, v_N = v_0 - N h g, the cloth stays rigid. */
static void free_fall(void)
{
    scene s = patch_scene(5, 0.8, 0);
    const double h = 0.01, v0[3] = {1, 2, -0.5};
    double start[25 * 3];
    int N = 100, i, k;
    rig r;
    if (!scene_open(&r, &s, 1e-13)) return;
    memcpy(start, r.state->x, sizeof start);
    push_all(&r, v0[0], v0[1], v0[2]);
    if (rig_run(&r, h, N)) {
        double fall = -G * h * h * N * (N + 1) / 2;
        CHECK_REL(fall, -4.95405, 1e-14);
        for (i = 0; i < r.n; i++)
            for (k = 0; k < 3; k++) {
                double d = r.state->x[3 * i + k] - start[3 * i + k];
                CHECK_NEAR(d, N * h * v0[k] + (k == 1 ? fall : 0), 1e-12 * 4.95405);
                CHECK_NEAR(r.state->v[3 * i + k], v0[k] - (k == 1 ? N * h * G : 0), 1e-12 * G);
                CHECK_NEAR(d, r.state->x[k] - start[k], 1e-13); /* strain 0 */
            }
    }
    rig_close(&r);
}

/* (P03) Membrane damping acts on strain only: it cannot change free fall. */
static void damping_leaves_free_fall(void)
{
    double damping;
    for (damping = 0; damping <= 10; damping += 10) {
        scene s = patch_scene(2, 1, 0);
        rig r;
        int i;
        double y = 0;
        s.desc.damping = damping;
        if (!scene_open(&r, &s, 1e-12)) return;
        if (rig_run(&r, 0.01, 100)) {
            for (i = 0; i < 4; i++) y += r.state->x[3 * i + 1] / 4;
            CHECK_REL(y, -4.95405, 1e-12);
        }
        rig_close(&r);
    }
}

/* (V2) Without outer forces linear momentum is constant, and the forces at the end positions have
   no torque: sum x1 x m (v1 - v0) = 0. Stretch, bending with rest curvature, damping. */
static void momentum_is_kept(void)
{
    scene s;
    double mass[SCENE_MOST * SCENE_MOST], v0[25 * 3], size, torque_size, p[3], t[3];
    int i, k, step;
    rig r;
    unsigned seed = 5;
    scene_get(0, &s);
    s.setup = NULL;
    s.desc.force_frames = 0;
    s.desc.drag = 0;
    s.desc.gravity[1] = 0;
    s.desc.bend = 0.05;
    if (!scene_open(&r, &s, 1e-13)) return;
    lumped_masses(&s.desc, s.desc.density, mass);
    for (i = 0; i < 3 * r.n; i++) {
        r.state->x[i] += 0.04 * scene_random(&seed);
        r.state->v[i] = 1 + scene_random(&seed);
    }
    for (step = 0; step < 20; step++) {
        memcpy(v0, r.state->v, sizeof v0);
        if (!rig_step(&r, s.h)) break;
        size = torque_size = 0;
        memset(p, 0, sizeof p);
        memset(t, 0, sizeof t);
        for (i = 0; i < r.n; i++) {
            double f[3], c[3];
            for (k = 0; k < 3; k++) {
                f[k] = mass[i] * (r.state->v[3 * i + k] - v0[3 * i + k]);
                p[k] += f[k];
            }
            size += norm(f);
            cross(r.state->x + 3 * i, f, c);
            torque_size += norm(c);
            for (k = 0; k < 3; k++) t[k] += c[k];
        }
        CHECK(size > 1e-3 * s.desc.density); /* there are forces */
        for (k = 0; k < 3; k++) {
            CHECK_NEAR(p[k], 0, 1e-11 * size);
            CHECK_NEAR(t[k], 0, 1e-11 * torque_size);
        }
    }
    rig_close(&r);
}

/* ---- invariances ------------------------------------------------------------------------------
 */

/* The same scene seen through x -> Q x + t, Q orthogonal, det = +1 or -1. */
typedef struct frame_map {
    double Q[3][3], t[3], det;
} frame_map;

/* Values of the params of one model into those of another of the same layout. */
static void copy_values(dcl_params *to, const dcl_params *from)
{
    int b;
    for (b = 0; b < DCL_PARAM_COUNT; b++)
        CHECK(dcl_params_set(to, (dcl_block)b, 0, dcl_params_count(from, (dcl_block)b),
                             dcl_params_get(from, (dcl_block)b)) == DCL_OK);
}

static void map_block(dcl_params *to, const dcl_params *from, dcl_block block, const frame_map *map,
                      double factor, int point)
{
    size_t count = dcl_params_count(from, block), i;
    const double *v = dcl_params_get(from, block);
    for (i = 0; i + 2 < count; i += 3) {
        double u[3];
        int k;
        for (k = 0; k < 3; k++) u[k] = factor * dot(map->Q[k], v + i) + (point ? map->t[k] : 0);
        CHECK(dcl_params_set(to, block, i, 3, u) == DCL_OK);
    }
}

/* The rotation vector of a rotation by less than a half turn. */
static void rotation_vector(double R[3][3], double *out)
{
    double c = (R[0][0] + R[1][1] + R[2][2] - 1) / 2, a[3], length, angle;
    int k;
    a[0] = R[2][1] - R[1][2], a[1] = R[0][2] - R[2][0], a[2] = R[1][0] - R[0][1];
    length = norm(a);
    angle = atan2(length / 2, c);
    for (k = 0; k < 3; k++) out[k] = length > 0 ? angle * a[k] / length : 0;
}

/* Q R, and for mirror images Q R diag(-1, 1, 1): every shape is its own mirror image across its
   local x. */
static void map_obstacle_rotations(dcl_params *to, const dcl_params *from, const frame_map *map)
{
    size_t count = dcl_params_count(from, DCL_PARAM_OBSTACLE_ROTATION), i;
    const double *v = dcl_params_get(from, DCL_PARAM_OBSTACLE_ROTATION);
    for (i = 0; i < count; i += 3) {
        double R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, B[3][3], a[3];
        int r, c, k;
        if (norm(v + i) > 0) rotation(v + i, norm(v + i), R);
        for (r = 0; r < 3; r++)
            for (c = 0; c < 3; c++)
                for (k = 0, B[r][c] = 0; k < 3; k++)
                    B[r][c] += map->Q[r][k] * R[k][c] * (c == 0 ? map->det : 1);
        rotation_vector(B, a);
        CHECK(dcl_params_set(to, DCL_PARAM_OBSTACLE_ROTATION, i, 3, a) == DCL_OK);
    }
}

static void map_params(dcl_params *to, const dcl_params *from, const frame_map *map)
{
    static const dcl_block vectors[] = {DCL_PARAM_GRAVITY,      DCL_PARAM_WIND_FORCE,
                                        DCL_PARAM_AIR_VELOCITY, DCL_PARAM_OBSTACLE_VELOCITY,
                                        DCL_PARAM_V0,           DCL_PARAM_FORCE};
    static const dcl_block points[] = {DCL_PARAM_OBSTACLE_POSITION, DCL_PARAM_REST, DCL_PARAM_X0,
                                       DCL_PARAM_HANDLE};
    size_t i;
    copy_values(to, from);
    for (i = 0; i < sizeof vectors / sizeof *vectors; i++)
        map_block(to, from, vectors[i], map, 1, 0);
    for (i = 0; i < sizeof points / sizeof *points; i++) map_block(to, from, points[i], map, 1, 1);
    map_block(to, from, DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY, map, map->det, 0);
    map_obstacle_rotations(to, from, map);
}

/* Gives the scene its surfaces scaled along their axes; a mirrored one is turned inside out again.
 */
static void change_surfaces(scene *s, double fx, double fy, double fz)
{
    enum { MOST = 2, CORNERS = 36 };
    static dcl_surface changed[MOST];
    static double x[MOST][CORNERS];
    static int triangles[MOST][CORNERS];
    int o, i, n = 0;
    for (o = 0; o < s->desc.obstacle_count; o++) {
        const dcl_surface *from = s->obstacles[o].surface;
        if (!from || !CHECK(n < MOST)) continue;
        for (i = 0; i < 3 * from->vertex_count; i++)
            x[n][i] = from->positions[i] * (i % 3 == 0 ? fx : i % 3 == 1 ? fy : fz);
        for (i = 0; i < 3 * from->triangle_count; i++)
            triangles[n][i] =
                from->triangles[fx * fy * fz < 0 && i % 3 ? i + (i % 3 == 1 ? 1 : -1) : i];
        changed[n] = *from;
        changed[n].positions = x[n];
        changed[n].triangles = triangles[n];
        s->obstacles[o].surface = &changed[n++];
    }
}

/* Largest |x' - (Q x + t)| over a run of every scene, and the same for two paramsets of a model. */
static void check_mapped(const frame_map *map, double allowed)
{
    int index, i, k;
    for (index = 0; index < scene_count(); index++) {
        scene s;
        rig a, b;
        double worst = 0;
        int step;
        scene_get(index, &s);
        if (!scene_open(&a, &s, 1e-13)) return;
        for (i = 0; i < 3 * s.desc.triangle_count && map->det < 0 && s.desc.self_contact; i += 3) {
            k = s.triangles[i]; /* the sides of the mirrored surface are those of the mirrored normals */
            s.triangles[i] = s.triangles[i + 1];
            s.triangles[i + 1] = k;
        }
        change_surfaces(&s, map->det, 1, 1);
        if (!scene_open(&b, &s, 1e-13)) {
            rig_close(&a);
            return;
        }
        map_params(b.params, a.params, map);
        dcl_state_reset(b.state, b.params);
        for (step = 0; step < s.steps; step++) {
            if (!rig_step(&a, s.h) || !rig_step(&b, s.h)) break;
            CHECK_EQ(b.stats.slip_count, a.stats.slip_count);
            for (i = 0; i < a.n; i++)
                for (k = 0; k < 3; k++)
                    worst = fmax(worst, fabs(b.state->x[3 * i + k] -
                                             dot(map->Q[k], a.state->x + 3 * i) - map->t[k]));
        }
        if (!CHECK_NEAR(worst, 0, allowed)) printf("  scene %s\n", s.name);
        rig_close(&a);
        rig_close(&b);
    }
}

/* (V3) Gravity, wind, obstacles and cloth rotated and moved: the motion is rotated and moved. */
static void rotated_scene_moves_rotated(void)
{
    frame_map map;
    double axis[3] = {1, -2, 0.7};
    rotation(axis, 1.1, map.Q);
    map.t[0] = 0.4, map.t[1] = -0.3, map.t[2] = 0.8;
    map.det = 1;
    check_mapped(&map, 1e-10);
}

/* (V3) The mirror image, at the plane x = 0. */
static void mirrored_scene_moves_mirrored(void)
{
    frame_map map;
    memset(&map, 0, sizeof map);
    map.Q[0][0] = -1, map.Q[1][1] = 1, map.Q[2][2] = 1;
    map.det = -1;
    check_mapped(&map, 1e-10);
}

/* (V3) Vertices, triangles and corners in another order: the same motion. */
static void order_does_not_matter(void)
{
    int index;
    for (index = 0; index < scene_count(); index++) {
        scene s, p;
        rig a, b;
        int i, k, t, n, m, step, to[SCENE_MOST * SCENE_MOST];
        double worst = 0, *scale;
        size_t f;
        scene_get(index, &s);
        if (s.desc.handle_count) continue;
        n = s.desc.vertex_count, m = s.desc.triangle_count;
        p = s;
        for (i = 0; i < n; i++) to[i] = (11 * i + 3) % n;
        for (i = 0; i < n; i++) memcpy(p.x + 3 * to[i], s.x + 3 * i, 3 * sizeof(double));
        for (t = 0; t < m; t++)
            for (k = 0; k < 3; k++)
                p.triangles[3 * (m - 1 - t) + (k + 1) % 3] = to[s.triangles[3 * t + k]];
        p.setup = NULL;
        if (!scene_open(&a, &s, 1e-13)) return;
        if (!scene_open(&b, &p, 1e-13)) {
            rig_close(&a);
            return;
        }
        dcl_params_set1(a.params, DCL_PARAM_BEND, 0); /* hinges have an order of their own */
        for (k = 0; k < DCL_PARAM_COUNT; k++) {
            dcl_block block = (dcl_block)k;
            size_t count = dcl_params_count(a.params, block);
            const double *v = dcl_params_get(a.params, block);
            int per_vertex = block == DCL_PARAM_REST || block == DCL_PARAM_X0 ||
                             block == DCL_PARAM_V0 || block == DCL_PARAM_FORCE;
            if (!count) continue;
            scale = (double *)malloc(count * sizeof *scale);
            memcpy(scale, v, count * sizeof *scale);
            for (f = 0; per_vertex && f < count; f++) {
                size_t n3 = 3 * (size_t)n, at = f % n3;
                scale[f - at + 3 * (size_t)to[at / 3] + at % 3] = v[f];
            }
            for (f = 0; block == DCL_PARAM_STRETCH_SCALE && f < count; f++)
                scale[count - 1 - f] = v[f];
            CHECK(dcl_params_set(b.params, block, 0, count, scale) == DCL_OK);
            free(scale);
        }
        dcl_state_reset(a.state, a.params);
        dcl_state_reset(b.state, b.params);
        for (step = 0; step < s.steps; step++) {
            if (!rig_step(&a, s.h) || !rig_step(&b, s.h)) break;
            for (i = 0; i < n; i++)
                worst =
                    fmax(worst, largest_difference(a.state->x + 3 * i, b.state->x + 3 * to[i], 3));
        }
        if (!CHECK_NEAR(worst, 0, 1e-10)) printf("  scene %s\n", s.name);
        rig_close(&a);
        rig_close(&b);
    }
}

/* Units of the blocks: powers of length, mass and time. */
typedef struct unit {
    int length, mass, time;
} unit;

static unit block_unit(dcl_block block)
{
    static const unit units[DCL_PARAM_COUNT] = {
        {0, 1, -2}, {0, 0, 0},   {2, 1, -2}, {0, 0, 0},  {-2, 1, 0}, /* stretch ... density */
        {0, 1, -1}, {-2, 1, -1}, {1, 0, -2}, {1, 1, -2}, {0, 0, -1}, /* damping ... frequency */
        {0, 0, 0},  {1, 0, -1},  {-3, 1, 0}, {-3, 1, 0}, {0, 0, 0},  /* phase ... friction */
        {1, 0, 0},  {0, 0, 0},   {1, 0, -1}, {0, 0, -1}, {1, 0, 0},  /* obstacles */
        {0, 0, 0},                                                   /* self friction */
        {1, 0, 0},  {1, 0, 0},   {1, 0, -1}, {1, 1, -2}, {1, 0, 0}}; /* rest ... handle */
    return units[block];
}

/* The scene with other units: L, M, T are the new numbers of a metre, a kilogram, a second. */
static int open_in_units(rig *r, const scene *s, double L, double M, double T, double tolerance)
{
    scene o = *s;
    rig si;
    int i, b, ok;
    size_t k;
    for (i = 0; i < 3 * o.desc.vertex_count; i++) o.x[i] *= L;
    for (i = 0; i < o.desc.handle_count; i++) o.handles[i].stiffness *= M / (T * T);
    o.desc.contact_distance *= L;
    o.desc.self_thickness *= L;
    change_surfaces(&o, L, L, L);
    o.setup = NULL;
    if (!scene_open(r, &o, tolerance)) return 0;
    o = *s;
    ok = scene_open(&si, &o, tolerance);
    for (b = 0; b < DCL_PARAM_COUNT && ok; b++) {
        dcl_block block = (dcl_block)b;
        unit u = block_unit(block);
        double f = pow(L, u.length) * pow(M, u.mass) * pow(T, u.time);
        const double *v = dcl_params_get(si.params, block);
        size_t count = dcl_params_count(si.params, block);
        double *values = (double *)malloc((count + 1) * sizeof *values);
        for (k = 0; k < count; k++) values[k] = v[k] * f;
        CHECK(dcl_params_set(r->params, block, 0, count, values) == DCL_OK); /* sizes belong together */
        free(values);
    }
    if (ok) rig_close(&si);
    return ok && CHECK(dcl_state_reset(r->state, r->params) == DCL_OK);
}

/* Runs every scene in SI units and in others. Positions must agree to `allowed` (in metres; 0: the
   same bits) and every step must take the same iterations. */
static void check_units(double L, double M, double T, double allowed)
{
    int index, i, step;
    for (index = 0; index < scene_count(); index++) {
        scene s;
        rig a, b;
        double worst = 0, tolerance;
        int same; /* which of several sticking contacts slips first is decided by rounding */
        scene_get(index, &s);
        same = !s.desc.self_contact || allowed == 0;
        tolerance = same ? 1e-10 : 1e-13;
        if (!open_in_units(&a, &s, 1, 1, 1, tolerance)) return;
        if (!open_in_units(&b, &s, L, M, T, tolerance)) {
            rig_close(&a);
            return;
        }
        for (step = 0; step < s.steps; step++) {
            if (!rig_step(&a, s.h) || !rig_step(&b, s.h * T)) break;
            if (same) CHECK_EQ(b.stats.newton_iterations, a.stats.newton_iterations);
            CHECK_EQ(b.stats.pd_iterations, a.stats.pd_iterations);
            CHECK_EQ(b.stats.slip_count, a.stats.slip_count);
            for (i = 0; i < 3 * a.n; i++)
                worst = fmax(worst, fabs(b.state->x[i] / L - a.state->x[i]));
        }
        if (!CHECK_NEAR(worst, 0, allowed)) printf("  scene %s\n", s.name);
        rig_close(&a);
        rig_close(&b);
    }
}

/* (V4) With equal k/(rho g L), D/(rho g L^3), mu, h sqrt(g/L), ... the motion is the same. Factors
   that are powers of two (of four for the mass, whose root a factorisation takes) change no
   rounding, so there the bits are the same. */
static void similar_scenes_move_alike(void)
{
    check_units(ldexp(1, -10), ldexp(1, -30), ldexp(1, -5), 0); /* g is the same number */
    check_units(ldexp(1, 8), ldexp(1, 4), ldexp(1, 4), 0);
    check_units(ldexp(1, 4), ldexp(1, 40), ldexp(1, -7), 0);
    check_units(0.3, 0.17, sqrt(0.3), 1e-11);
}

/* Metres, kilograms, seconds against millimetres, kilograms, seconds, and against millimetres,
   grams and milliseconds. */
static void metres_and_millimetres(void)
{
    check_units(1000, 1, 1, 1e-11);
    check_units(1000, 1000, 1000, 1e-11);
}

/* The same bits from a fresh rig, after other runs, and with a copy of the state. */
static void same_bits_every_time(void)
{
    int index;
    for (index = 0; index < scene_count(); index++) {
        scene s, other;
        rig a, b, c;
        double *first;
        int i, k, run, n3;
        scene_get(index, &s);
        scene_get((index + 1) % scene_count(), &other);
        if (!scene_open(&a, &s, 1e-11)) return;
        n3 = 3 * a.n;
        first = (double *)malloc((size_t)(2 * n3) * sizeof *first);
        rig_run(&a, s.h, s.steps);
        memcpy(first, a.state->x, (size_t)n3 * sizeof *first);
        memcpy(first + n3, a.state->v, (size_t)n3 * sizeof *first);
        for (run = 0; run < 2; run++) {
            if (scene_open(&c, &other, 1e-7)) {
                rig_run(&c, other.h, 2 + run);
                rig_close(&c);
            }
            for (k = 0; k < 3; k++) { /* leave the workspace in another state */
                for (i = 0; i < n3; i++) a.state->v[i] += 0.1 * k;
                dcl_step(a.ws, a.params, a.state, 0.003, NULL, NULL);
            }
            dcl_state_reset(a.state, a.params);
            rig_run(&a, s.h, s.steps);
            CHECK(memcmp(first, a.state->x, (size_t)n3 * sizeof *first) == 0);
            CHECK(memcmp(first + n3, a.state->v, (size_t)n3 * sizeof *first) == 0);
        }
        if (scene_open(&b, &s, 1e-11)) {
            rig_run(&b, s.h, s.steps);
            CHECK(memcmp(first, b.state->x, (size_t)n3 * sizeof *first) == 0);
            CHECK(memcmp(first + n3, b.state->v, (size_t)n3 * sizeof *first) == 0);
            rig_close(&b);
        }
        free(first);
        rig_close(&a);
    }
}

/* ---- oscillators ------------------------------------------------------------------------------
 */

/* (V5) Points on springs, w^2 = k/m: each step multiplies the amplitude by (1 + w^2 h^2)^(-1/2) and
   turns the phase by atan(w h). From rest x_N = x_0 |l|^N cos(N phi), v_N = -w x_0 |l|^N sin(N
   phi). */
static void oscillator_amplitude_and_phase(void)
{
    static const double omega[3] = {10, 1, 37.5};
    const double h = 0.01, mass = 0.5, amplitude = 0.2;
    double x[9], start[9];
    dcl_handle handles[3];
    dcl_model_desc desc = points_desc(x, 1, mass);
    rig r;
    int i, k, N;
    CHECK_NEAR(1 / sqrt(1 + 0.01), 0.995037190, 5e-10);
    CHECK_NEAR(atan(0.1), 0.099668652, 5e-10);
    CHECK_NEAR(pow(1.01, -50), 0.60803882, 5e-9);
    CHECK_NEAR(pow(1.0001, -50), 0.99501273, 5e-9);
    for (i = 0; i < 3; i++) {
        handles[i].vertex = i;
        handles[i].kind = DCL_HANDLE_SOFT;
        handles[i].stiffness = mass * omega[i] * omega[i];
    }
    desc.handle_count = 3;
    desc.handles = handles;
    desc.gravity[1] = 0;
    if (!rig_open(&r, &desc, 1e-14)) return;
    memcpy(start, r.state->x, sizeof start);
    for (i = 0; i < 3; i++) r.state->x[3 * i + i] += amplitude;
    for (N = 1; N <= 100; N++) {
        if (!rig_step(&r, h)) break;
        for (i = 0; i < 3; i++) {
            double w = omega[i], size = amplitude * pow(1 + w * w * h * h, -0.5 * N);
            double phase = N * atan(w * h);
            for (k = 0; k < 3; k++) {
                CHECK_NEAR(r.state->x[3 * i + k] - start[3 * i + k], k == i ? size * cos(phase) : 0,
                           1e-10 * amplitude);
                CHECK_NEAR(r.state->v[3 * i + k], k == i ? -w * size * sin(phase) : 0,
                           1e-10 * amplitude * w);
            }
        }
    }
    rig_close(&r);
}

/* A tube: `columns` strips of width w around, `rows` of height l below each other, hanging along -y
   from vertices 0 ... columns - 1, the top row. Each facet is flat and uniform vertical strain
   keeps it so: all nodes of a row move alike and a facet is one spring of stiffness k w/l. */
enum { TUBE_COLUMNS = 5, TUBE_ROWS = 20 };

typedef struct tube {
    double x[TUBE_COLUMNS * (TUBE_ROWS + 1) * 3];
    int triangles[TUBE_COLUMNS * TUBE_ROWS * 6];
    dcl_handle handles[TUBE_COLUMNS];
    dcl_model_desc desc;
    double width, height; /* of one facet */
} tube;

static void tube_make(tube *t, int rows, double length)
{
    int i, j, k = 0;
    memset(t, 0, sizeof *t);
    t->height = length / rows;
    t->width = 0.2;
    for (j = 0; j <= rows; j++)
        for (i = 0; i < TUBE_COLUMNS; i++) {
            double *x = t->x + 3 * (j * TUBE_COLUMNS + i), a = 2 * PI * i / TUBE_COLUMNS;
            double radius = t->width / (2 * sin(PI / TUBE_COLUMNS));
            x[0] = radius * cos(a), x[1] = -j * t->height, x[2] = radius * sin(a);
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

/* (V5) A row of cloth on cloth: stiffness k w/l, mass rho w l/2 per column, so w^2 = 2 k/(rho l^2),
   about the stretched rest u_e = rho g l^2/(2 k), which is far enough down to keep it taut. */
static void membrane_oscillator(void)
{
    const double h = 0.002, length = 0.3, k = 12, density = 0.8, first = 0.9;
    double omega = sqrt(2 * k / (density * length * length));
    double middle = density * G * length * length / (2 * k);
    tube t;
    rig r;
    int i, N;
    tube_make(&t, 1, length);
    t.desc.stretch = k;
    t.desc.density = density;
    if (!rig_open(&r, &t.desc, 1e-14)) return;
    for (i = TUBE_COLUMNS; i < 2 * TUBE_COLUMNS; i++)
        r.state->x[3 * i + 1] -= middle + first * middle;
    for (N = 1; N <= 200; N++) {
        double size = first * middle * pow(1 + omega * omega * h * h, -0.5 * N);
        double u = middle + size * cos(N * atan(omega * h));
        if (!rig_step(&r, h)) break;
        for (i = TUBE_COLUMNS; i < 2 * TUBE_COLUMNS; i++) {
            CHECK_NEAR(r.state->x[3 * i + 1], -length - u, 1e-10 * middle);
            CHECK_NEAR(r.state->x[3 * i], t.x[3 * i], 1e-10 * middle);
        }
    }
    rig_close(&r);
}

/* ---- statics ----------------------------------------------------------------------------------
 */

/* (V9) Hanging under its own weight: u(s) = (rho g/k) (L s - s^2/2), exact at the nodes for any
   number of rows; in all rho g L^2/(2 k) = 0.00981 m. Steps of 10 s reach the rest state. */
static void hanging_cloth_stretches(void)
{
    static const int rows[3] = {5, 10, 20};
    const double k = 100, density = 0.2;
    int c, i, j;
    for (c = 0; c < 3; c++) {
        tube t;
        rig r;
        tube_make(&t, rows[c], 1);
        t.desc.stretch = k;
        t.desc.density = density;
        if (!rig_open(&r, &t.desc, 1e-13)) return;
        if (rig_run(&r, 10, 20))
            for (j = 0; j <= rows[c]; j++) {
                double s = (double)j / rows[c], u = density * G / k * (s - s * s / 2);
                for (i = 0; i < TUBE_COLUMNS; i++)
                    CHECK_NEAR(r.state->x[3 * (j * TUBE_COLUMNS + i) + 1], -s - u, 1e-10 * 0.00981);
                if (j == rows[c]) CHECK_REL(u, 0.00981, 1e-14);
            }
        rig_close(&r);
    }
}

/* (V10) A dead load F on the lower edge: dL/L = F/(k W). */
static void dead_load_stretches(void)
{
    const double k = 40, load = 3;
    tube t;
    rig r;
    size_t i;
    tube_make(&t, 4, 0.7);
    t.desc.stretch = k;
    t.desc.gravity[1] = 0;
    t.desc.force_frames = 1;
    if (!rig_open(&r, &t.desc, 1e-13)) return;
    for (i = 0; i < TUBE_COLUMNS; i++) {
        double f[3] = {0, -load / TUBE_COLUMNS, 0};
        dcl_params_set(r.params, DCL_PARAM_FORCE, 3 * (4 * TUBE_COLUMNS + i), 3, f);
    }
    if (rig_run(&r, 10, 20)) {
        double ratio = load / (k * t.width * TUBE_COLUMNS);
        for (i = 4 * TUBE_COLUMNS; i < 5 * TUBE_COLUMNS; i++)
            CHECK_NEAR(r.state->x[3 * i + 1], -0.7 * (1 + ratio), 1e-10 * 0.7 * ratio);
    }
    rig_close(&r);
}

/* A chain of N links of length l: a strip two vertices wide whose rows carry the weight w l each
   and whose links pull with (length/l - 1) k W. H is the horizontal pull; link j carries V_j = ((N
   - 1)/2 - j) w l. Returns the span. rigidity k W = 0: links do not stretch. */
static double chain_span(double H, int N, double l, double w, double rigidity, double *sag)
{
    double span = 0, drop = 0;
    int j;
    for (j = 0; j < N; j++) {
        double V = (0.5 * (N - 1) - j) * w * l, T = sqrt(H * H + V * V);
        double length = l * (1 + (rigidity > 0 ? T / rigidity : 0));
        span += length * H / T;
        if (2 * j < N - 1) drop += length * V / T;
    }
    if (sag) *sag = drop;
    return span;
}

static double chain_pull(double span, int N, double l, double w, double rigidity)
{
    double low = 1e-6 * w * span, high = 100 * w * span;
    int k;
    for (k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        if (chain_span(middle, N, l, w, rigidity, NULL) < span)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

enum { CHAIN_MOST = 40 };

typedef struct chain {
    double x[(CHAIN_MOST + 1) * 6];
    int triangles[CHAIN_MOST * 6];
    dcl_handle handles[4];
    dcl_model_desc desc;
} chain;

static void chain_make(chain *c, int N, double length, double width)
{
    int i;
    memset(c, 0, sizeof *c);
    for (i = 0; i <= N; i++) {
        double *x = c->x + 6 * i;
        x[0] = x[3] = length * i / N;
        x[5] = width;
    }
    for (i = 0; i < N; i++) {
        int *v = c->triangles + 6 * i;
        v[0] = 2 * i, v[1] = 2 * i + 1, v[2] = 2 * i + 3;
        v[3] = 2 * i, v[4] = 2 * i + 3, v[5] = 2 * i + 2;
    }
    for (i = 0; i < 4; i++) {
        c->handles[i].vertex = i < 2 ? i : 2 * N + i - 2;
        c->handles[i].kind = DCL_HANDLE_HARD;
    }
    c->desc = dcl_default_model_desc();
    c->desc.vertex_count = 2 * (N + 1);
    c->desc.positions = c->x;
    c->desc.triangle_count = 2 * N;
    c->desc.triangles = c->triangles;
    c->desc.handle_count = 4;
    c->desc.handles = c->handles;
    c->desc.bending = 0;
    c->desc.gravity[1] = -G;
}

/* Hangs the strip of length S between ends d apart; returns its sag, or -1. */
static double chain_hang(int N, double S, double d, double k, double density, int check)
{
    const double width = 0.1;
    double w = density * G * width, H = chain_pull(d, N, S / N, w, k * width), sag = -1, y = 0;
    dcl_solver_desc solver = dcl_default_solver_desc();
    chain c;
    rig r;
    int i, j, step;
    chain_make(&c, N, S, width);
    c.desc.stretch = k;
    c.desc.density = density;
    solver.tolerance = 1e-12;
    solver.newton_limit =
        2000; /* hardly stretchable cloth falls into tension along a curved valley */
    if (!rig_open_with(&r, &c.desc, &solver)) return -1;
    for (i = 0; i <= N; i++) /* a parabola to start with */
        for (j = 0; j < 2; j++) {
            double *x = r.state->x + 6 * i + 3 * j, s = (double)i / N;
            x[0] = d * s;
            x[1] = -4 * 0.3 * d * s * (1 - s);
        }
    for (j = 0; j < 4; j++) {
        const double *x = r.state->x + 3 * c.handles[j].vertex;
        dcl_params_set(r.params, DCL_PARAM_HANDLE, 3 * (size_t)j, 3, x);
    }
    for (step = 0; step < 60; step++) {
        double h = step < 20 ? 0.05 : 20;
        if (!rig_step(&r, h)) break;
    }
    if (step == 60) {
        for (i = 0; i <= N; i++) y = fmax(y, -r.state->x[6 * i + 1]);
        sag = y;
        for (i = 0; i < N && check; i++) { /* slope and length of every link */
            const double *a = r.state->x + 6 * i, *b = a + 6;
            double V = (0.5 * (N - 1) - i) * w * S / N, T = sqrt(H * H + V * V);
            double length = S / N * (1 + T / (k * width));
            CHECK_NEAR(b[0] - a[0], length * H / T, 1e-9 * d);
            CHECK_NEAR(a[1] - b[1], length * V / T, 1e-9 * d);
            CHECK_NEAR(r.state->x[6 * i + 4], a[1], 1e-9 * d);
            CHECK_NEAR(r.state->x[6 * i + 5] - a[2], width, 1e-9 * d);
        }
    }
    rig_close(&r);
    return sag;
}

/* (V12) The discrete catenary, exact: tan(slope of link j) = ((N - 1)/2 - j) (S/N) w/H, links
   longer by T/(k W). For stiff cloth the pull and the sag of the table, its error falling as 1/k,
   and the continuous curve as N grows. */
static void catenary(void)
{
    static const int links[3] = {10, 20, 40};
    static const double pull[3] = {0.468167, 0.469197, 0.469455};
    static const double sag[3] = {0.293864, 0.292721, 0.292438};
    double s, e1, e2;
    int c;
    for (c = 0; c < 3; c++) {
        CHECK_NEAR(chain_pull(1, links[c], 1.2 / links[c], 1, 0), pull[c], 6e-7);
        chain_span(chain_pull(1, links[c], 1.2 / links[c], 1, 0), links[c], 1.2 / links[c], 1, 0,
                   &s);
        CHECK_NEAR(s, sag[c], 6e-7);
        chain_hang(links[c], 1.2, 1, 100, 0.2, 1);
    }
    chain_span(chain_pull(1, 10, 0.12, 1, 0), 10, 0.12, 1, 0, &s);
    e1 = chain_hang(10, 1.2, 1, 1e4, 0.2, 1) - s;
    e2 = chain_hang(10, 1.2, 1, 1e5, 0.2, 1) - s;
    CHECK_NEAR(log10(e1 / e2), 1, 0.01);
    CHECK_NEAR(chain_hang(10, 1.2, 1, 1e7, 0.2, 0), sag[0], 1.5e-6);
    /* order 2 in the length of a link: a cosh curve, sag 0.292344 */
    CHECK_NEAR(log((sag[0] - 0.292344) / (sag[1] - 0.292344)) / log(2), 2, 0.05);
}

/* ---- dry friction: planes ---------------------------------------------------------------------
 */

/* A patch of cloth on the same plane. */
static void incline_patch(scene *s, double theta, double mu)
{
    int i;
    *s = patch_scene(4, 0.4, 0);
    scene_fix(s);
    for (i = 0; i < s->desc.vertex_count; i++) {
        double along = s->x[3 * i];
        s->x[3 * i] = along * cos(theta);
        s->x[3 * i + 1] = -along * sin(theta);
    }
    scene_add_plane(s, sin(theta), cos(theta), 0, mu);
}

/* Largest distance from `start`. */
static double moved(const rig *r, const double *start)
{
    return largest_difference(r->state->x, start, 3 * r->n);
}

/* (V20), (C01): tan(theta) <= mu holds for ten seconds with no motion at all, however small the
   margin; anything above slides, with a = g (sin - mu cos). */
static void incline_holds_or_slides(void)
{
    const double theta = 20 * PI / 180, h = 0.01, margins[] = {1e-12, 1e-9, 1e-3, 0.37};
    size_t i;
    for (i = 0; i < sizeof margins / sizeof *margins; i++) {
        incline p;
        rig r;
        double start[9], mu = tan(theta) * (1 + margins[i]), a;
        incline_make(&p, theta, mu);
        if (!rig_open(&r, &p.desc, 1e-14)) return;
        memcpy(start, r.state->x, sizeof start);
        CHECK(rig_run(&r, h, 100));
        CHECK_EQ(r.stats.stick_count, 3);
        CHECK_NEAR(moved(&r, start), 0, 1e-14);
        CHECK(rig_run(&r, h, 900));
        CHECK_EQ(r.stats.stick_count, 3);
        CHECK_NEAR(moved(&r, start), 0, 1e-14);
        rig_close(&r);

        mu = tan(theta) * (1 - margins[i]);
        incline_make(&p, theta, mu);
        if (!rig_open(&r, &p.desc, 1e-14)) return;
        memcpy(start, r.state->x, sizeof start);
        CHECK(rig_run(&r, h, 1));
        CHECK_EQ(r.stats.slip_count, 3);
        CHECK(rig_run(&r, h, 999));
        CHECK_EQ(r.stats.slip_count, 3);
        a = G * (sin(theta) - mu * cos(theta));
        CHECK_REL(dot(r.state->x, p.down) - dot(start, p.down), a * h * h * 1000 * 1001 / 2,
                  1e-10 + 3e-16 / margins[i]);
        rig_close(&r);
    }
}

/* (V20) The same for a patch of cloth, whose elastic forces at rest are rounding: 1e-16 k times
   an edge, 1e-12 of a corner's weight. */
static void cloth_holds_on_an_incline(void)
{
    static const double margins[] = {1e-12, 1e-9, -1e-9};
    const double theta = 20 * PI / 180;
    int c;
    for (c = 0; c < 3; c++) {
        scene s;
        rig r;
        double start[48];
        incline_patch(&s, theta, tan(theta) * (1 + margins[c]));
        if (!scene_open(&r, &s, 1e-12)) return;
        memcpy(start, r.state->x, sizeof start);
        if (margins[c] > 0) {
            CHECK(rig_run(&r, 0.01, 1000));
            if (c > 0) CHECK_EQ(r.stats.stick_count, 16);
            CHECK_NEAR(moved(&r, start), 0, 1e-14);
        } else {
            CHECK(rig_run(&r, 0.01, 1));
            CHECK_EQ(r.stats.slip_count, 16);
        }
        rig_close(&r);
    }
}

/* (V20) x_N = a h^2 N (N + 1)/2 down a slope of 20 degrees, points and cloth, for the table's mu.
 */
static void slide_down_an_incline(void)
{
    static const double table[6][2] = {{0.36, 0.036599}, {0.3, 0.589702}, {0.2, 1.511541},
                                       {0.1, 2.433379},  {0, 3.355218},   {0.37, 0}};
    const double theta = 20 * PI / 180, h = 0.01;
    int c, i, k, N = 100;
    for (c = 0; c < 6; c++) {
        double mu = table[c][0], a = fmax(0, G * (sin(theta) - mu * cos(theta)));
        double x = a * h * h * N * (N + 1) / 2;
        incline p;
        scene s;
        rig r;
        CHECK_NEAR(a, table[c][1], 6e-7);
        if (mu == 0.3) CHECK_NEAR(x, 0.2978, 5e-7);
        incline_make(&p, theta, mu);
        if (!rig_open(&r, &p.desc, 1e-14)) return;
        if (rig_run(&r, h, N))
            for (i = 0; i < 3; i++)
                for (k = 0; k < 3; k++)
                    CHECK_NEAR(r.state->x[3 * i + k], p.x[3 * i + k] + x * p.down[k],
                               1e-11 * x + 1e-15);
        rig_close(&r);
        incline_patch(&s, theta, mu);
        if (!scene_open(&r, &s, 1e-13)) return;
        if (rig_run(&r, h, N))
            for (i = 0; i < r.n; i++)
                for (k = 0; k < 3; k++)
                    CHECK_NEAR(r.state->x[3 * i + k], s.x[3 * i + k] + x * p.down[k],
                               1e-10 * x + 1e-15);
        rig_close(&r);
    }
}

/* (C05) A slope of 30 degrees, mu = 0.1 and 0.9: 4.05543 m/s^2 and rest. A mu that is negative or
   not finite is refused. */
static void friction_belongs_to_the_obstacle(void)
{
    const double theta = PI / 6, h = 0.01, mu[2] = {0.1, 0.9};
    double x[9], n[3], p[3] = {0, 0, 0}, start[9], a;
    dcl_obstacle planes[2];
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    int i, N = 50;
    rig r;
    heard ear;
    double bad[3] = {-0.1, NAN, HUGE_VAL};
    memset(&ear, 0, sizeof ear);
    n[0] = sin(theta), n[1] = cos(theta), n[2] = 0;
    for (i = 0; i < 2; i++) planes[i] = dcl_plane(p, n, mu[i]);
    desc.obstacle_count = 1;
    desc.obstacles = planes;
    for (i = 0; i < 3; i++) {
        double along = x[3 * i];
        x[3 * i] = along * cos(theta), x[3 * i + 1] = -along * sin(theta);
    }
    for (i = 0; i < 2; i++) {
        desc.obstacles = planes + i;
        if (!rig_open(&r, &desc, 1e-14)) return;
        memcpy(start, r.state->x, sizeof start);
        CHECK(rig_run(&r, h, N));
        a = i == 0 ? G * (0.5 - 0.1 * cos(theta)) : 0;
        if (i == 0) CHECK_NEAR(a, 4.05543, 6e-6);
        CHECK_NEAR((r.state->x[0] - start[0]) / cos(theta), a * h * h * N * (N + 1) / 2, 1e-11);
        CHECK_EQ(i == 0 ? r.stats.slip_count : r.stats.stick_count, 3);
        rig_close(&r);
    }
    desc.logger.log = hear;
    desc.logger.user = &ear;
    if (!rig_open(&r, &desc, 1e-14)) return;
    for (i = 0; i < 3; i++) {
        CHECK(dcl_params_set(r.params, DCL_PARAM_FRICTION, 0, 1, &bad[i]) < 0);
        CHECK_EQ(ear.calls, i + 1);
        CHECK_STR(ear.text, "friction");
        CHECK_NEAR(dcl_params_get(r.params, DCL_PARAM_FRICTION)[0], 0.9, 0);
    }
    rig_close(&r);
    for (i = 0; i < 3; i++) {
        dcl_model *model = NULL;
        planes[1].friction = bad[i];
        CHECK(dcl_model_create(&desc, &model) < 0);
        CHECK(model == NULL);
        CHECK_STR(ear.text, "friction");
    }
}

/* (C05) Two planes in one scene, a valley. Either side has its own mu; vertices 0 and 2 lie on one,
   vertex 1 on the other. */
static void two_planes_two_frictions(void)
{
    const double theta = PI / 6, h = 0.01;
    double x[9], p[3] = {0, 0, 0}, n[3], a = G * (0.5 - 0.1 * cos(theta));
    dcl_obstacle planes[2];
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    int N = 20;
    rig r;
    n[0] = sin(theta), n[1] = cos(theta), n[2] = 0;
    planes[0] = dcl_plane(p, n, 0.1);
    n[0] = -n[0];
    planes[1] = dcl_plane(p, n, 0.9);
    desc.obstacle_count = 2;
    desc.obstacles = planes;
    x[0] = -cos(theta), x[1] = sin(theta), x[2] = 0;
    x[3] = cos(theta), x[4] = sin(theta), x[5] = 0;
    x[6] = -cos(theta), x[7] = sin(theta), x[8] = 1;
    if (!rig_open(&r, &desc, 1e-14)) return;
    CHECK(rig_run(&r, h, N));
    CHECK_NEAR(r.state->x[0], x[0] + a * h * h * N * (N + 1) / 2 * cos(theta), 1e-11);
    CHECK_NEAR(r.state->x[6], r.state->x[0], 1e-14);
    CHECK_NEAR(r.state->x[3], x[3], 1e-15);
    CHECK_NEAR(r.state->x[4], x[4], 1e-15);
    CHECK_EQ(r.stats.slip_count, 2);
    CHECK_EQ(r.stats.stick_count, 1);
    rig_close(&r);
}

/* (C01) m g on the plane, 0.3 m g along it, mu = 0.5: no motion in 10 s. */
static void load_below_the_cone_does_not_creep(void)
{
    double x[9], start[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, f[9];
    dcl_obstacle plane = dcl_plane(origin, up, 0.5);
    dcl_model_desc desc = points_desc(x, 0.2, 0.05);
    rig r;
    int i;
    desc.obstacle_count = 1;
    desc.obstacles = &plane;
    desc.force_frames = 1;
    if (!rig_open(&r, &desc, 1e-10)) return;
    memset(f, 0, sizeof f);
    for (i = 0; i < 3; i++) f[3 * i] = 0.3 * 0.05 * G * 0.6, f[3 * i + 2] = 0.3 * 0.05 * G * 0.8;
    dcl_params_set(r.params, DCL_PARAM_FORCE, 0, 9, f);
    memcpy(start, r.state->x, sizeof start);
    CHECK(rig_run(&r, 0.01, 1000));
    CHECK_NEAR(moved(&r, start), 0, 0);
    rig_close(&r);
}

/* (C03) mu = 0, gravity (1, 0, -1), plane z = 0: x_10 = h^2 N (N + 1)/2 = 0.0055, z = 0. */
static void frictionless_plane(void)
{
    double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    dcl_obstacle plane = dcl_plane(origin, up, 0);
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    rig r;
    int i;
    x[3] = 1, x[8] = 0, x[7] = 1;
    desc.obstacle_count = 1;
    desc.obstacles = &plane;
    desc.gravity[0] = 1, desc.gravity[1] = 0, desc.gravity[2] = -1;
    if (!rig_open(&r, &desc, 1e-13)) return;
    CHECK(rig_run(&r, 0.01, 10));
    for (i = 0; i < 3; i++) {
        CHECK_NEAR(r.state->x[3 * i] - x[3 * i], 0.0055, 1e-14);
        CHECK_NEAR(r.state->x[3 * i + 1], x[3 * i + 1], 1e-15);
        CHECK_NEAR(r.state->x[3 * i + 2], 0, 1e-15);
    }
    rig_close(&r);
}

/* (V21) Sliding to a stop: N = floor(v_0/(h mu g)) steps, x = h (N v_0 - h mu g N (N + 1)/2), then
   exact rest. (V27) In every direction, 0 ... 360 degrees by 7, alike. */
static void stopping_distance(void)
{
    const double h = 0.01, mu = 0.3, v0 = 1;
    int N = (int)floor(v0 / (h * mu * G)), degrees, i, c;
    double x = h * (N * v0 - h * mu * G * N * (N + 1) / 2);
    CHECK_EQ(N, 33);
    CHECK_NEAR(x, 0.1648977, 5e-8);
    for (c = 0; c < 2; c++)
        for (degrees = 0; degrees < 360; degrees += c ? 49 : 7) {
            double points[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, a = degrees * PI / 180;
            dcl_obstacle plane = dcl_plane(origin, up, mu);
            dcl_model_desc desc = points_desc(points, 0.3, 0.1);
            scene s = patch_scene(4, 0.3, 0);
            double start[48];
            rig r;
            desc.obstacle_count = 1;
            desc.obstacles = &plane;
            scene_add_plane(&s, 0, 1, 0, mu);
            if (!(c ? scene_open(&r, &s, 1e-13) : rig_open(&r, &desc, 1e-14))) return;
            memcpy(start, r.state->x, (size_t)(3 * r.n) * sizeof *start);
            push_all(&r, v0 * cos(a), 0, v0 * sin(a));
            CHECK(rig_run(&r, h, N));
            CHECK_EQ(r.stats.slip_count, r.n);
            CHECK(rig_run(&r, h, 1));
            CHECK_EQ(r.stats.stick_count, r.n);
            CHECK(rig_run(&r, h, 16));
            for (i = 0; i < r.n; i++) {
                CHECK_NEAR(r.state->x[3 * i] - start[3 * i], x * cos(a), 1e-11);
                CHECK_NEAR(r.state->x[3 * i + 1], 0, 0);
                CHECK_NEAR(r.state->x[3 * i + 2] - start[3 * i + 2], x * sin(a), 1e-11);
                CHECK_NEAR(norm(r.state->v + 3 * i), 0, 0);
            }
            rig_close(&r);
        }
}

/* (V22) Mass on a spring that rubs: within a stroke the same oscillator about -+ mu m g/k. Runs the
   step's own scalar recursion beside it, and measures the loss per cycle, 4 mu m g/k = 0.03924 m.
 */
static double rub(double h, double k, double mu, double first, int compare, double *rest)
{
    const double mass = 1;
    double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, q = first, w = 0, turned[3];
    dcl_obstacle plane = dcl_plane(origin, up, mu);
    dcl_model_desc desc = points_desc(x, 1, mass);
    dcl_handle handle = {0, DCL_HANDLE_SOFT, 0};
    rig r;
    int turns = 0, still = 0;
    double last = 0; /* velocity that was not zero */
    handle.stiffness = k;
    desc.obstacle_count = 1;
    desc.obstacles = &plane;
    desc.handle_count = 1;
    desc.handles = &handle;
    if (!rig_open(&r, &desc, 1e-14)) return -1;
    r.state->x[0] = first;
    turned[0] = first;
    while (still < 3) {
        double pull = mass * w - h * k * q, hold = mu * mass * G * h;
        if (!rig_step(&r, h)) break;
        /* stick: |m w - h k x| <= mu m g h at v = 0; else (m + h^2 k) v = pull -+ mu m g h */
        w = fabs(pull) <= hold ? 0 : (pull - (pull > 0 ? hold : -hold)) / (mass + h * h * k);
        q += h * w;
        if (compare) {
            CHECK_NEAR(r.state->x[0], q, 1e-11);
            CHECK_NEAR(r.state->v[0], w, 1e-10);
        }
        still = r.state->v[0] == 0 ? still + 1 : 0;
        if (last * r.state->v[0] < 0 && turns < 2) turned[++turns] = r.state->x[0];
        if (r.state->v[0] != 0) last = r.state->v[0];
    }
    *rest = r.state->x[0];
    rig_close(&r);
    return turns == 2 ? turned[0] - turned[2] : -1;
}

static void rubbing_oscillator(void)
{
    double rest, a, b;
    rub(0.01, 100, 0.1, 0.1, 1, &rest);
    CHECK(fabs(rest) <= 0.00981);
    rub(0.003, 100, 0.1, -0.07, 1, &rest);
    CHECK(fabs(rest) <= 0.00981);
    a = rub(2e-4, 100, 0.1, 0.1, 0, &rest);
    CHECK(fabs(rest) <= 0.00981);
    b = rub(1e-4, 100, 0.1, 0.1, 0, &rest);
    CHECK(fabs(rest) <= 0.00981);
    CHECK_NEAR((a - 0.03924) / (b - 0.03924), 2, 0.02); /* order 1 in h, from the step's damping */
    CHECK_NEAR(2 * b - a, 0.03924, 2e-6);
}

/* (V23) On a turntable: a point carried by the rotation changes its velocity by
   (2 r/h) sin(w h/2) 2 sin(w h/2) per step, so it sticks iff ((2/h) sin(w h/2))^2 r <= mu g; for
   small h, w^2 r <= mu g, at mu = 0.3, r = 0.5 w = 2.42611 rad/s. */
static int turntable_sticks(double omega, double h, double radius, double mu, int steps)
{
    double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, c, s, worst = 0;
    dcl_obstacle plane = dcl_plane(origin, up, mu);
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    int i, k, sticks = 1;
    rig r;
    plane.angular_velocity[1] = omega;
    desc.obstacle_count = 1;
    desc.obstacles = &plane;
    for (i = 0; i < 3; i++) { /* a ring, so that all are at the same radius */
        double a = -2 * PI * i / 3 + 0.4;
        x[3 * i] = radius * cos(a), x[3 * i + 1] = 0, x[3 * i + 2] = radius * sin(a);
    }
    if (!rig_open(&r, &desc, 1e-14)) return -1;
    c = cos(omega * h), s = sin(omega * h); /* velocity of the step that ends here */
    for (i = 0; i < 3; i++) {
        const double *p = r.state->x + 3 * i;
        r.state->v[3 * i] = (p[0] - (c * p[0] - s * p[2])) / h;
        r.state->v[3 * i + 2] = (p[2] - (s * p[0] + c * p[2])) / h;
    }
    for (k = 1; k <= steps && sticks; k++) {
        if (!rig_step(&r, h)) break;
        sticks = r.stats.stick_count == 3;
        c = cos(k * omega * h), s = sin(k * omega * h);
        for (i = 0; i < 3 && sticks; i++) { /* rotation by w about +y */
            worst = fmax(worst, fabs(r.state->x[3 * i] - (c * x[3 * i] + s * x[3 * i + 2])));
            worst = fmax(worst, fabs(r.state->x[3 * i + 2] - (c * x[3 * i + 2] - s * x[3 * i])));
            worst = fmax(worst, fabs(r.state->x[3 * i + 1]));
        }
    }
    CHECK_NEAR(worst, 0, 1e-13 * radius);
    rig_close(&r);
    return sticks;
}

static void turntable(void)
{
    const double mu = 0.3, radius = 0.5, steps[3] = {0.02, 0.01, 0.1};
    int i;
    for (i = 0; i < 3; i++) {
        double h = steps[i], critical = 2 / h * asin(0.5 * h * sqrt(mu * G / radius));
        CHECK_EQ(turntable_sticks(critical * (1 - 1e-9), h, radius, mu, 500), 1);
        CHECK_EQ(turntable_sticks(critical * (1 + 1e-9), h, radius, mu, 500), 0);
        CHECK_EQ(turntable_sticks(-critical * (1 - 1e-9), h, radius, mu, 500), 1);
    }
    CHECK_EQ(turntable_sticks(2.42611 * (1 - 3e-6), 1e-4, radius, mu, 500), 1);
    CHECK_EQ(turntable_sticks(2.42611 * (1 + 3e-6), 1e-4, radius, mu, 500), 0);
}

/* (V24) A belt at 1 m/s takes points and cloth along: h mu g faster each step, and after
   floor(1/(h mu g)) steps exactly the belt's velocity. */
static void conveyor(void)
{
    const double h = 0.01, mu = 0.3;
    int c, i, k, N = (int)floor(1 / (h * mu * G));
    for (c = 0; c < 2; c++) {
        double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, start[48];
        dcl_obstacle plane = dcl_plane(origin, up, mu);
        dcl_model_desc desc = points_desc(x, 0.3, 0.1);
        scene s = patch_scene(4, 0.3, 0);
        rig r;
        plane.velocity[0] = 0.6, plane.velocity[2] = -0.8;
        desc.obstacle_count = s.desc.obstacle_count = 1;
        desc.obstacles = s.obstacles;
        s.obstacles[0] = plane;
        if (!(c ? scene_open(&r, &s, 1e-13) : rig_open(&r, &desc, 1e-14))) return;
        for (k = 1; k <= 60; k++) {
            if (!rig_step(&r, h)) break;
            if (k == N + 1) memcpy(start, r.state->x, (size_t)(3 * r.n) * sizeof *start);
            for (i = 0; i < r.n; i++) {
                const double *v = r.state->v + 3 * i;
                if (k <= N) {
                    CHECK_NEAR(v[0], 0.6 * k * h * mu * G, 1e-11);
                    CHECK_NEAR(v[2], -0.8 * k * h * mu * G, 1e-11);
                } else {
                    CHECK(v[0] == (double)0.6 && v[1] == 0 && v[2] == (double)-0.8);
                }
                CHECK_NEAR(r.state->x[3 * i + 1], 0, 0);
            }
            CHECK_EQ(k <= N ? r.stats.slip_count : r.stats.stick_count, r.n);
        }
        for (i = 0; i < r.n; i++)
            CHECK_NEAR(r.state->x[3 * i] - start[3 * i], 0.6 * h * (60 - N - 1), 1e-14);
        rig_close(&r);
    }
}

/* ---- contact: the law, landing, spheres -------------------------------------------------------
 */

enum { MOST_CONTACTS = SCENE_MOST * SCENE_MOST * SCENE_OBSTACLES };

/* (V27) The law, from what the step reports: r_N >= 0, u_N + d/h = 0 at a contact, |r_T| <= mu r_N,
   u_T = 0 or r_T = -mu r_N u_T/|u_T|; nothing below a surface by more than its curvature allows. */
static void check_law(const rig *r, const scene *s, double h, int set_form)
{
    static dcl_contact contacts[MOST_CONTACTS];
    int count = dcl_workspace_get_contacts(r->ws, MOST_CONTACTS, contacts), i, k;
    int per_vertex[SCENE_MOST * SCENE_MOST];
    CHECK(count <= MOST_CONTACTS);
    CHECK(r->stats.complementarity <= 1e-9);
    CHECK(r->stats.cone <= 1e-9);
    memset(per_vertex, 0, sizeof per_vertex);
    for (i = 0; i < count; i++) per_vertex[contacts[i].vertex[0]]++;
    for (i = 0; i < count; i++) {
        const dcl_contact *c = &contacts[i];
        const dcl_obstacle *o = &s->obstacles[c->obstacle];
        const double *v = r->state->v + 3 * c->vertex[0];
        double rn = dot(c->impulse, c->normal), un = dot(v, c->normal), rt[3], ut[3],
               size = norm(v);
        CHECK_NEAR(norm(c->normal), 1, 1e-14);
        CHECK(rn > 0);
        CHECK_NEAR(un + (set_form ? 0 : c->gap / h), 0, 1e-9 * (size + 1));
        for (k = 0; k < 3; k++) {
            rt[k] = c->impulse[k] - rn * c->normal[k];
            ut[k] = v[k] - un * c->normal[k];
        }
        CHECK(norm(rt) <= o->friction * rn * (1 + 1e-9) + 1e-16);
        if (c->branch == DCL_BRANCH_STICK) {
            CHECK_NEAR(norm(ut), 0, 1e-12);
        } else if (per_vertex[c->vertex[0]] == 1) {
            CHECK_NEAR(norm(rt), o->friction * rn, 1e-9 * rn);
            CHECK_NEAR(dot(rt, ut), -norm(rt) * norm(ut), 1e-9 * rn * norm(ut));
            CHECK(c->branch == DCL_BRANCH_SLIP);
        }
    }
}

static void contact_law_holds(void)
{
    static const char *const names[] = {"plane_stick", "plane_slip",          "plane_takeoff",
                                        "sphere",      "sphere_frictionless", "sphere_contact_set",
                                        "wedge"};
    int index, step, sticks = 0, slips = 0;
    size_t i;
    for (index = 0; index < scene_count(); index++) {
        scene s;
        rig r;
        int wanted = 0;
        scene_get(index, &s);
        for (i = 0; i < sizeof names / sizeof *names; i++) wanted |= !strcmp(s.name, names[i]);
        if (!wanted) continue; /* obstacles at rest: u = v */
        if (!scene_open(&r, &s, 1e-12)) return;
        for (step = 0; step < 2 * s.steps; step++) {
            if (!rig_step(&r, s.h)) break;
            check_law(&r, &s, s.h, s.desc.contact == DCL_CONTACT_SET);
            sticks += r.stats.stick_count;
            slips += r.stats.slip_count;
            if (s.obstacles[0].shape == DCL_SHAPE_PLANE && s.desc.contact == DCL_CONTACT_GAP &&
                s.desc.obstacle_count == 1)
                CHECK(r.stats.penetration <= 1e-14);
        }
        rig_close(&r);
    }
    CHECK(sticks > 100 && slips > 100);
}

/* (V28) A patch lands flat: one step brings it onto the plane, the next stops it, and from then on
   the contacts carry h m g. On the way the impulses are the change of momentum, sum r = m (v1 - v0)
   + h m g. */
static void landing(void)
{
    static dcl_contact contacts[MOST_CONTACTS];
    const double h = 0.01;
    double total, mass[25], before[75], up[3] = {0, 1, 0}, p[3] = {0, 0, 0};
    int dome, step, i, k;
    for (dome = 0; dome < 2; dome++) {
        scene s = patch_scene(5, 0.5, 0.05);
        rig r;
        int landed = 0;
        s.obstacles[s.desc.obstacle_count++] = dcl_plane(p, up, 0.4);
        for (i = 0; dome && i < 25; i++)
            s.x[3 * i + 1] += 0.1 * cos(3 * s.x[3 * i]) * cos(2 * s.x[3 * i + 2]);
        s.desc.bend = dome ? 0.01 : 1e-4;
        s.desc.drag = dome ? 0.5 : 0;
        if (!scene_open(&r, &s, 1e-12)) return;
        if (dome) set1(&r, DCL_PARAM_DRAG, 0);
        lumped_masses(&s.desc, s.desc.density, mass);
        for (total = 0, i = 0; i < 25; i++) total += mass[i];
        for (step = 0; step < 60; step++) {
            double sum[3] = {0, 0, 0};
            int count;
            memcpy(before, r.state->v, sizeof before);
            if (!rig_step(&r, h)) break;
            count = dcl_workspace_get_contacts(r.ws, MOST_CONTACTS, contacts);
            for (i = 0; i < count; i++)
                for (k = 0; k < 3; k++) sum[k] += contacts[i].impulse[k];
            for (i = 0; i < 25; i++)
                for (k = 0; k < 3; k++)
                    sum[k] -= mass[i] *
                              (r.state->v[3 * i + k] - before[3 * i + k] + (k == 1 ? h * G : 0));
            for (k = 0; k < 3; k++) CHECK_NEAR(sum[k], 0, 1e-10 * h * total * G);
            for (i = 0; i < 25; i++) CHECK(r.state->x[3 * i + 1] >= -1e-15);
            if (dome) continue;
            if (landed > 1) { /* rest */
                CHECK_EQ(count, 25);
                for (sum[1] = 0, i = 0; i < count; i++) sum[1] += dot(contacts[i].impulse, up);
                CHECK_REL(sum[1], h * total * G, 1e-12);
                for (i = 0; i < 25; i++) {
                    CHECK_NEAR(r.state->x[3 * i + 1], 0, 1e-17);
                    CHECK_NEAR(norm(r.state->v + 3 * i), 0, landed > 2 ? 0 : 1e-15);
                }
            }
            if (landed == 1) CHECK_EQ(count, 25);
            landed += count > 0;
        }
        if (!dome) CHECK(landed > 40);
        rig_close(&r);
    }
}

/* (V29) A point that slides off a frictionless sphere from rest at a_0 leaves where
   cos(a) = 2/3 cos(a_0); from the top, 48.1897 degrees. Between steps: where the line through the
   last two impulses is zero. Off by less than 10 h^2. */
static void slide_off(double h, const double *start, double *leave)
{
    double x[9], centre[3] = {0, 0, 0}, angle[3][2], impulse[3][2];
    dcl_obstacle ball = dcl_sphere(centre, 1, 0);
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    dcl_contact contacts[3];
    int i, c, count, step, touched[3] = {1, 1, 1};
    rig r;
    desc.obstacle_count = 1;
    desc.obstacles = &ball;
    for (i = 0; i < 3; i++) { /* three directions off the top */
        double a = 2 * PI * i / 3;
        x[3 * i] = sin(start[i]) * cos(a), x[3 * i + 1] = cos(start[i]);
        x[3 * i + 2] = -sin(start[i]) * sin(a);
        leave[i] = -1;
    }
    memset(angle, 0, sizeof angle);
    memset(impulse, 0, sizeof impulse);
    if (!rig_open(&r, &desc, 1e-13)) return;
    for (step = 0; step < 2 / h && (touched[0] || touched[1] || touched[2]); step++) {
        double before[9];
        int touches[3] = {0, 0, 0};
        memcpy(before, r.state->x, sizeof before);
        if (!rig_step(&r, h)) break;
        count = dcl_workspace_get_contacts(r.ws, 3, contacts);
        for (c = 0; c < count; c++) {
            i = contacts[c].vertex[0];
            touches[i] = 1;
            angle[i][0] = angle[i][1], impulse[i][0] = impulse[i][1];
            angle[i][1] = acos(before[3 * i + 1] / norm(before + 3 * i));
            impulse[i][1] = norm(contacts[c].impulse);
        }
        for (i = 0; i < 3; i++) {
            if (touched[i] && !touches[i])
                leave[i] = angle[i][1] + (angle[i][1] - angle[i][0]) * impulse[i][1] /
                                             (impulse[i][0] - impulse[i][1]);
            CHECK(!(touches[i] && !touched[i])); /* once off, off */
            touched[i] = touches[i];
        }
    }
    rig_close(&r);
}

static void sphere_slide_off(void)
{
    static const double start[3] = {0.3, 0.1, 0.5}, steps[4] = {8e-3, 2e-3, 1e-3, 1e-4};
    double a[3];
    int i, k;
    CHECK_NEAR(acos(2.0 / 3) * 180 / PI, 48.1897, 5e-5);
    for (k = 0; k < 4; k++) {
        slide_off(steps[k], start, a);
        for (i = 0; i < 3; i++)
            CHECK_NEAR(a[i], acos(2.0 / 3 * cos(start[i])), 10 * steps[k] * steps[k]);
    }
}

/* (C06) Cloth falling on a sphere: no vertex below the surface by more than 1e-6 m at the end, nor
   by more than rounding at any time (the tangent plane of a sphere lies outside of it). */
static void cloth_on_a_sphere_stays_outside(void)
{
    double c[3] = {0.02, -0.31, 0.01};
    scene s = patch_scene(7, 0.6, 0);
    rig r;
    int step, i, touching = 0;
    double nearest = 1;
    s.obstacles[s.desc.obstacle_count++] = dcl_sphere(c, 0.3, 0.3);
    s.desc.bend = 1e-3;
    if (!scene_open(&r, &s, 1e-10)) return;
    for (step = 0; step < 60; step++) {
        if (!rig_step(&r, s.h)) break;
        touching += r.stats.stick_count + r.stats.slip_count;
        for (i = 0; i < r.n; i++) {
            double d[3];
            int k;
            for (k = 0; k < 3; k++) d[k] = r.state->x[3 * i + k] - c[k];
            nearest = fmin(nearest, norm(d) - 0.3);
        }
        CHECK_NEAR(r.stats.penetration, fmax(0, -nearest), 1e-14);
    }
    CHECK(touching > 100);
    CHECK(nearest >= -1e-14);
    rig_close(&r);
}

/* (C08) The law is continuous: 1e-9 to either side of take-off, and of the cone's edge, the
   velocity and the impulse agree to 1e-6 of their size. */
static void law_is_continuous(void)
{
    const double h = 0.01, mu = 0.4, mass = 0.1;
    int c, side, k;
    for (c = 0; c < 3; c++) {
        double v[2][3], impulse[2][3];
        memset(impulse, 0, sizeof impulse);
        for (side = 0; side < 2; side++) {
            double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0}, e = side ? 1e-9 : -1e-9;
            double edge = h * G * mu, gap = c == 2 ? 0.003 : 0;
            dcl_obstacle plane = dcl_plane(origin, up, mu);
            dcl_model_desc desc = points_desc(x, 0.2, mass);
            dcl_contact contacts[3];
            rig r;
            desc.obstacle_count = 1;
            desc.obstacles = &plane;
            if (!rig_open(&r, &desc, 1e-14)) return;
            for (k = 0; k < 3; k++) r.state->x[3 * k + 1] = gap;
            if (c == 1) /* the cone's edge */
                push_all(&r, edge * (1 + e) * 0.6, 0, edge * (1 + e) * 0.8);
            else /* take-off: v_N = h g - d/h, moving along as well */
                push_all(&r, 0.7, (h * G - gap / h) * (1 + e), -0.2);
            CHECK(rig_run(&r, h, 1));
            k = dcl_workspace_get_contacts(r.ws, 3, contacts);
            CHECK_EQ(k, c == 1 ? 3 : c == 2 ? (side ? 3 : 0) : (side ? 0 : 3));
            memcpy(v[side], r.state->v, sizeof v[side]);
            if (k) memcpy(impulse[side], contacts[0].impulse, sizeof impulse[side]);
            rig_close(&r);
        }
        for (k = 0; k < 3; k++) {
            CHECK_NEAR(v[0][k], v[1][k], 1e-6 * h * G);
            CHECK_NEAR(impulse[0][k], impulse[1][k], 1e-6 * h * G * mass);
        }
    }
}

/* (C13) A vertex exactly at the centre of a sphere leaves it upwards (the rule), finitely: the law
   asks for push_out mean edges per step, and less only where the surface is nearer. A radius that
   is zero, negative or not finite is refused. */
static void sphere_centre_and_radius(void)
{
    double x[9], centre[3], bad[4] = {0, -0.2, NAN, HUGE_VAL};
    dcl_obstacle ball;
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    rig r;
    heard ear;
    int i;
    double edge = (2 + sqrt(2)) / 3;
    memset(&ear, 0, sizeof ear);
    desc.logger.log = hear;
    desc.logger.user = &ear;
    desc.push_out = 0.05;
    memcpy(centre, x, sizeof centre); /* vertex 0 */
    ball = dcl_sphere(centre, 0.3, 0.1);
    desc.obstacle_count = 1;
    desc.obstacles = &ball;
    if (!rig_open(&r, &desc, 1e-12)) return;
    for (i = 1; i <= 8; i++) {
        double y = r.state->x[1], flight = 0.01 * (r.state->v[1] - 0.01 * G);
        CHECK(rig_run(&r, 0.01, 1));
        CHECK_NEAR(r.state->x[0], 0, 0);
        CHECK_NEAR(r.state->x[2], 0, 0);
        CHECK_NEAR(r.state->x[1] - y, fmax(flight, fmin(0.05 * edge, 0.3 - y)), 1e-13);
    }
    CHECK(r.state->x[1] >= 0.3 - 1e-12);
    for (i = 0; i < 4; i++) {
        ear.calls = 0;
        CHECK(dcl_params_set(r.params, DCL_PARAM_OBSTACLE_SIZE, 0, 1, &bad[i]) < 0);
        CHECK_EQ(ear.calls, 1);
        CHECK_STR(ear.text, "radius");
    }
    CHECK_NEAR(dcl_params_get(r.params, DCL_PARAM_OBSTACLE_SIZE)[0], 0.3, 0);
    rig_close(&r);
    for (i = 0; i < 4; i++) {
        dcl_model *model = NULL;
        ball.size[0] = bad[i];
        CHECK(dcl_model_create(&desc, &model) < 0);
        CHECK(model == NULL);
        CHECK_STR(ear.text, "radius");
    }
}

/* (C16) Two parallel planes 1 m apart, cloth falling on the upper one: it stays there, and no
   contact with the lower one is reported. */
static void upper_of_two_planes(void)
{
    static dcl_contact contacts[MOST_CONTACTS];
    scene s = patch_scene(4, 0.4, 0.1);
    double low[3] = {0, -1, 0}, up[3] = {0, 1, 0};
    rig r;
    int step, i, count = 0;
    s.obstacles[s.desc.obstacle_count++] = dcl_plane(low, up, 0.2);
    scene_add_plane(&s, 0, 1, 0, 0.3);
    if (!scene_open(&r, &s, 1e-11)) return;
    for (step = 0; step < 60; step++) {
        if (!rig_step(&r, s.h)) break;
        count = dcl_workspace_get_contacts(r.ws, MOST_CONTACTS, contacts);
        for (i = 0; i < count; i++) CHECK_EQ(contacts[i].obstacle, 1);
    }
    CHECK_EQ(count, 16);
    for (i = 0; i < r.n; i++) CHECK_NEAR(r.state->x[3 * i + 1], 0, 1e-15);
    rig_close(&r);
}

/* The two forms of the contact law. At rest on a surface they agree. Away from one: the gap-aware
   form comes to lie on it, x1 = x0 - d n; the paper's stops as soon as it is within
   contact_distance, and lets a node outside of it through, to be held from where it then is. */
static void contact_forms(void)
{
    const double h = 0.01, gap = 0.004, v = 1;
    double y[2][2];
    int form, start, i;
    for (form = 0; form < 2; form++)
        for (start = 0; start < 2; start++) {
            double x[9], origin[3] = {0, 0, 0}, up[3] = {0, 1, 0};
            dcl_obstacle plane = dcl_plane(origin, up, 0.3);
            dcl_model_desc desc = points_desc(x, 0.2, 0.1);
            rig r;
            desc.obstacle_count = 1;
            desc.obstacles = &plane;
            desc.contact = form ? DCL_CONTACT_SET : DCL_CONTACT_GAP;
            desc.contact_distance = 0.005;
            if (!rig_open(&r, &desc, 1e-13)) return;
            for (i = 0; i < 3; i++) r.state->x[3 * i + 1] = start ? 0.006 : gap;
            push_all(&r, 0, -v, 0);
            CHECK(rig_run(&r, h, 1));
            y[form][start] = r.state->x[1];
            CHECK(rig_run(&r, h, 1));
            CHECK_NEAR(r.state->x[1], y[form][start], 1e-17);
            CHECK_EQ(r.stats.stick_count, 3);
            rig_close(&r);
        }
    CHECK_NEAR(y[0][0], 0, 1e-17);
    CHECK_NEAR(y[0][1], 0, 1e-17);
    CHECK_NEAR(y[1][0], gap, 1e-17);
    CHECK_NEAR(y[1][1], 0.006 - h * (v + h * G), 1e-15);
}

/* ---- small inputs -----------------------------------------------------------------------------
 */

/* (P01) h = 0, negative, NaN, infinite: refused by name, nothing changed, the next step works. */
static void bad_step_sizes(void)
{
    static const double bad[] = {0, -0.01, NAN, HUGE_VAL, -HUGE_VAL};
    double x[9], before[9], speed[9];
    dcl_model_desc desc = points_desc(x, 1, 0.1);
    heard ear;
    rig r;
    size_t i;
    memset(&ear, 0, sizeof ear);
    desc.logger.log = hear;
    desc.logger.user = &ear;
    if (!rig_open(&r, &desc, 1e-10)) return;
    push_all(&r, 0.1, 0.2, 0.3);
    memcpy(before, r.state->x, sizeof before);
    memcpy(speed, r.state->v, sizeof speed);
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(dcl_step(r.ws, r.params, r.state, bad[i], NULL, NULL), DCL_ERROR_BAD_ARGUMENT);
        CHECK_EQ(ear.calls, (int)i + 1);
        CHECK_EQ(ear.code, DCL_ERROR_BAD_ARGUMENT);
        CHECK_STR(ear.text, "h is ");
        CHECK(memcmp(before, r.state->x, sizeof before) == 0);
        CHECK(memcmp(speed, r.state->v, sizeof speed) == 0);
        CHECK_EQ(r.state->step, 0);
        CHECK_NEAR(r.state->time, 0, 0);
    }
    CHECK(rig_run(&r, 0.01, 1));
    CHECK_EQ(r.state->step, 1);
    CHECK_NEAR(r.state->x[0], 0.1 * 0.01, 1e-16);
    rig_close(&r);
}

/* (P05) Nothing acts on cloth at rest, flat or curved: it stays for 1000 steps, without energy. */
static void rest_stays_at_rest(void)
{
    int curved;
    for (curved = 0; curved < 2; curved++) {
        scene s = patch_scene(5, 0.8, 0);
        rig r;
        double energy = 1, start[75];
        int i;
        for (i = 0; i < 25 && curved; i++)
            s.x[3 * i + 1] = 0.2 * cos(3 * s.x[3 * i]) + 0.1 * s.x[3 * i + 2];
        s.desc.gravity[1] = 0;
        s.desc.bend = 0.01;
        if (!scene_open(&r, &s, 1e-12)) return;
        memcpy(start, r.state->x, sizeof start);
        CHECK(dcl_step_check(r.ws, r.params, r.state, 0.01, r.state->x, NULL, &energy) == DCL_OK);
        CHECK_NEAR(energy, 0, 1e-27);
        CHECK(rig_run(&r, 0.01, 1000));
        CHECK_NEAR(moved(&r, start), 0, 1e-12);
        CHECK(dcl_step_check(r.ws, r.params, r.state, 0.01, r.state->x, NULL, &energy) == DCL_OK);
        CHECK_NEAR(energy, 0, 1e-27);
        rig_close(&r);
    }
}

/* (P06) The rest shape turned by 10 degrees about x and by the quaternion (0.8944, 0.4472, 0, 0):
   no elastic force. A step of h = 1 s shows it as m v1/h. */
static void turned_rest_has_no_force(void)
{
    static const double angle[2] = {10 * 3.14159265358979323846 / 180, 0.927333};
    double axis[3] = {1, 0, 0}, R[3][3], mass[25], energy;
    int c, i, curved;
    CHECK_NEAR(cos(angle[1] / 2), 0.8944, 5e-5);
    for (curved = 0; curved < 2; curved++)
        for (c = 0; c < 2; c++) {
            scene s = patch_scene(5, 0.8, 0);
            rig r;
            for (i = 0; i < 25 && curved; i++) s.x[3 * i + 1] = 0.2 * cos(3 * s.x[3 * i]);
            s.desc.gravity[1] = 0;
            s.desc.bend = 0.01;
            s.desc.damping = 0.3;
            if (!scene_open(&r, &s, 1e-14)) return;
            lumped_masses(&s.desc, s.desc.density, mass);
            rotation(axis, angle[c], R);
            for (i = 0; i < 25; i++) turn(R, r.state->x + 3 * i, r.state->x + 3 * i);
            CHECK(dcl_step_check(r.ws, r.params, r.state, 1, r.state->x, NULL, &energy) == DCL_OK);
            CHECK_NEAR(energy, 0, 1e-26 * s.desc.stretch);
            CHECK(dcl_step(r.ws, r.params, r.state, 1, NULL, NULL) == DCL_OK);
            for (i = 0; i < 75; i++)
                CHECK_NEAR(mass[i / 3] * r.state->v[i], 0, 1e-12 * s.desc.stretch);
            rig_close(&r);
        }
}

/* (P08) A pinned vertex on the path p(t) = (t, 0, 0) is at p(n h) bit for bit; after the last frame
   of the path it stays at its end. */
static void pinned_vertex_follows_its_path(void)
{
    scene s = patch_scene(4, 0.6, 0.1);
    rig r;
    double path[41][2][3];
    int f, step, k;
    s.handles[0].vertex = 5;
    s.handles[1].vertex = 3;
    s.desc.handle_count = 2;
    s.desc.handle_frames = 41;
    if (!scene_open(&r, &s, 1e-10)) return;
    for (f = 0; f < 41; f++)
        for (k = 0; k < 3; k++) {
            path[f][0][k] = s.x[15 + k] + (k == 0 ? f * 0.01 : 0);
            path[f][1][k] = s.x[9 + k] + 0.03 * sin(0.4 * f + k);
        }
    CHECK(dcl_params_set(r.params, DCL_PARAM_HANDLE, 0, 41 * 6, path[0][0]) == DCL_OK);
    for (step = 1; step <= 45; step++) {
        int at = step < 40 ? step : 40;
        if (!rig_step(&r, 0.01)) break;
        CHECK(memcmp(r.state->x + 15, path[at][0], sizeof path[at][0]) == 0);
        CHECK(memcmp(r.state->x + 9, path[at][1], sizeof path[at][1]) == 0);
    }
    CHECK_NEAR(norm(r.state->v + 15), 0, 0);
    rig_close(&r);
}

/* Runs a patch hanging from two corners, moved by (shift, 0, 0); positions relative to it. */
static int hang_shifted(double shift, double *out)
{
    scene s = patch_scene(5, 0.5, 0);
    rig r;
    int i, ok;
    for (i = 0; i < 25; i++) s.x[3 * i] = ldexp(rint(ldexp(s.x[3 * i], 20)), -20) + shift;
    s.handles[0].vertex = 0;
    s.handles[1].vertex = 4;
    s.desc.handle_count = 2;
    s.desc.bend = 1e-3;
    if (!scene_open(&r, &s, 1e-10)) return 0;
    ok = rig_run(&r, s.h, 100);
    for (i = 0; i < 75; i++) out[i] = r.state->x[i] - (i % 3 ? 0 : shift);
    rig_close(&r);
    return ok;
}

/* (P10) 1e5 m from the origin a hanging cloth takes the same shape, to 1e-8 m after 100 steps. */
static void far_from_the_origin(void)
{
    double near[75], far[75];
    if (!CHECK(hang_shifted(0, near)) || !CHECK(hang_shifted(1e5, far))) return;
    CHECK_NEAR(largest_difference(near, far, 75), 0, 1e-8);
    CHECK(near[0] == far[0]);
}

/* (P11) The wind turns: step 11 feels the new wind at once, and is bit for bit the step of a fresh
   simulation from the same state. (P13) No wind and no motion: no force, exactly. */
static void wind_turns(void)
{
    scene s = patch_scene(4, 0.6, 0);
    rig a, b;
    double before[48], c, w;
    int i;
    s.desc.gravity[1] = 0;
    for (i = 0; i < 16; i++) { /* in the y z plane */
        s.x[3 * i + 1] = s.x[3 * i];
        s.x[3 * i] = 0;
    }
    if (!scene_open(&a, &s, 1e-12)) return;
    set1(&a, DCL_PARAM_AIR_NORMAL, 1.2);
    CHECK(rig_run(&a, 0.01, 1));
    for (i = 0; i < 48; i++) CHECK(a.state->x[i] == s.x[i] && a.state->v[i] == 0);
    set3(&a, DCL_PARAM_AIR_VELOCITY, 1, 0, 0);
    CHECK(rig_run(&a, 0.01, 1));
    for (i = 0; i < 16; i++) CHECK(a.state->v[3 * i] > 0);
    CHECK(rig_run(&a, 0.01, 9));
    set3(&a, DCL_PARAM_AIR_VELOCITY, 0, 0, 2);
    for (i = 0; i < 16; i++) { /* into the x y plane, at rest, across the new wind */
        a.state->x[3 * i] = s.x[3 * i + 2];
        a.state->x[3 * i + 1] = s.x[3 * i + 1];
        a.state->x[3 * i + 2] = 0;
        a.state->v[3 * i] = a.state->v[3 * i + 1] = a.state->v[3 * i + 2] = 0;
    }
    if (scene_open(&b, &s, 1e-12)) {
        copy_values(b.params, a.params);
        CHECK(dcl_state_copy(b.state, a.state) != DCL_OK); /* of another model */
        memcpy(b.state->x, a.state->x, sizeof before);
        memcpy(b.state->v, a.state->v, sizeof before);
        b.state->step = a.state->step;
        b.state->time = a.state->time;
        CHECK(rig_run(&a, 0.01, 1) && rig_run(&b, 0.01, 1));
        CHECK(memcmp(a.state->x, b.state->x, sizeof before) == 0);
        CHECK(memcmp(a.state->v, b.state->v, sizeof before) == 0);
        rig_close(&b);
    }
    /* flat and uniform: w = h c/(2 rho) (2 - w)^2 at every vertex */
    c = 0.5 * 0.01 * 1.2 / s.desc.density;
    w = (1 + 4 * c - sqrt((1 + 4 * c) * (1 + 4 * c) - 16 * c * c)) / (2 * c);
    for (i = 0; i < 16; i++) {
        CHECK_NEAR(a.state->v[3 * i], 0, 1e-11);
        CHECK_NEAR(a.state->v[3 * i + 1], 0, 1e-11);
        CHECK_REL(a.state->v[3 * i + 2], w, 1e-10);
    }
    rig_close(&a);
}

/* Air on a triangle in closed form, implicit in the velocity: face on, m w = h A c (u - w)|u - w|/2
   per triangle of mass m = rho A; along it the same with the tangential coefficient. (V8) Falling
   face on it ends at sqrt(2 rho g/c): 1.63383 m/s for rho = 0.2, c = 1.2 * 1.225. */
static void air_on_a_triangle(void)
{
    const double h = 0.01, density = 0.2, c = 1.2 * 1.225;
    double x[9], q, w;
    dcl_model_desc desc = points_desc(x, 1, density / 6);
    rig r;
    int k, along;
    CHECK_REL(desc.density, density, 1e-15);
    for (along = 0; along < 2; along++) {
        desc.gravity[1] = 0;
        if (!rig_open(&r, &desc, 1e-14)) return;
        set1(&r, along ? DCL_PARAM_AIR_TANGENT : DCL_PARAM_AIR_NORMAL, c);
        set3(&r, DCL_PARAM_AIR_VELOCITY, along ? 3 : 0, along ? 0 : 3, 0);
        for (k = 0, w = 0; k < 20; k++) {
            double a = 0.5 * h * c / density; /* w1 = w + a (3 - w1)^2, the smaller root */
            double b = 1 + 6 * a;
            w = (b - sqrt(b * b - 4 * a * (w + 9 * a))) / (2 * a);
            CHECK(rig_run(&r, h, 1));
            CHECK_REL(r.state->v[along ? 0 : 1], w, 1e-11);
            CHECK_REL(r.state->v[along ? 6 : 7], w, 1e-11);
            CHECK_NEAR(r.state->v[along ? 1 : 0], 0, 1e-13);
        }
        rig_close(&r);
    }
    desc.gravity[1] = -G;
    q = sqrt(2 * density * G / c);
    CHECK_NEAR(q, 1.63383, 5e-6);
    if (!rig_open(&r, &desc, 1e-13)) return;
    set1(&r, DCL_PARAM_AIR_NORMAL, c);
    CHECK(rig_run(&r, 0.05, 100));
    CHECK_REL(r.state->v[1], -q, 1e-11);
    rig_close(&r);
}

/* (P13) A triangle collapsed to a line, and to a point, at run time: finite, and moving on. */
static void collapsed_triangle_stays_finite(void)
{
    int c, i;
    for (c = 0; c < 2; c++) {
        scene s = patch_scene(2, 1, 0);
        rig r;
        s.desc.damping = 0.1;
        if (!scene_open(&r, &s, 1e-9)) return;
        set1(&r, DCL_PARAM_AIR_NORMAL, 1.2);
        set1(&r, DCL_PARAM_AIR_TANGENT, 0.3);
        for (i = 0; i < 4; i++) {
            double *p = r.state->x + 3 * i;
            p[2] = c ? 0 : 0.5 * p[0];
            if (c) p[0] = p[1] = 0;
        }
        for (i = 0; i < 10; i++)
            CHECK(dcl_step(r.ws, r.params, r.state, 0.01, NULL, NULL) == DCL_OK);
        for (i = 0; i < 12; i++) CHECK(fabs(r.state->x[i]) < 10 && fabs(r.state->v[i]) < 1e3);
        rig_close(&r);
    }
}

/* (P15) Stretch times 10 in the middle of a run: nothing at rest without gravity; with it, the same
   as a new simulation from that state. */
static void stiffness_changes_in_a_run(void)
{
    int gravity, i;
    for (gravity = 0; gravity < 2; gravity++) {
        scene s = patch_scene(4, 0.6, 0);
        rig a, b;
        s.handles[0].vertex = 0;
        s.handles[1].vertex = 3;
        s.desc.handle_count = 2;
        if (!gravity) s.desc.gravity[1] = 0;
        if (!scene_open(&a, &s, 1e-11)) return;
        CHECK(rig_run(&a, s.h, 50));
        s.desc.stretch *= 10;
        if (!scene_open(&b, &s, 1e-11)) {
            rig_close(&a);
            return;
        }
        memcpy(b.state->x, a.state->x, sizeof(double) * 48);
        memcpy(b.state->v, a.state->v, sizeof(double) * 48);
        b.state->step = a.state->step;
        b.state->time = a.state->time;
        set1(&a, DCL_PARAM_STRETCH, s.desc.stretch);
        for (i = 0; i < 50; i++) {
            if (!rig_step(&a, s.h) || !rig_step(&b, s.h)) break;
            CHECK(memcmp(a.state->x, b.state->x, sizeof(double) * 48) == 0);
            CHECK(memcmp(a.state->v, b.state->v, sizeof(double) * 48) == 0);
        }
        if (!gravity) CHECK_NEAR(largest_difference(a.state->x, s.x, 48), 0, 1e-12);
        rig_close(&a);
        rig_close(&b);
    }
}

/* (P16) Uneven steps: in free flight x advances by v h each time, |v| = 1 throughout; with gravity
   the closed form of uneven steps holds, v_n = -g t_n. */
static void uneven_steps(void)
{
    static const double steps[3] = {0.01, 0.02, 0.005};
    scene s = patch_scene(3, 0.4, 0);
    rig r;
    int gravity, k, i;
    for (gravity = 0; gravity < 2; gravity++) {
        double t = 0, y = 0, g = gravity ? G : 0;
        s.desc.gravity[1] = -g;
        if (!scene_open(&r, &s, 1e-13)) return;
        push_all(&r, 1, 0, 0);
        for (k = 0; k < 9; k++) {
            double h = steps[k % 3];
            if (!rig_step(&r, h)) break;
            t += h;
            y -= h * g * t;
            CHECK_NEAR(r.state->time, t, 0);
            for (i = 0; i < 9; i++) {
                CHECK_NEAR(r.state->x[3 * i] - s.x[3 * i], t, 1e-15);
                CHECK_NEAR(r.state->x[3 * i + 1], y, 1e-14);
                CHECK_NEAR(r.state->v[3 * i], 1, 1e-14);
                CHECK_NEAR(r.state->v[3 * i + 1], -g * t, 1e-13);
            }
        }
        rig_close(&r);
    }
}

/* One obstacle of every shape, in a model of one triangle. */
static void keep_text(dcl_result code, const char *text, void *user)
{
    (void)code;
    snprintf((char *)user, 256, "%s", text);
}

static void turn_to(dcl_obstacle *o, const double *axis, double angle, const double *to)
{
    int k;
    for (k = 0; k < 3; k++) o->rotation[k] = angle * axis[k], o->position[k] = to[k];
}

static int every_shape(dcl_obstacle *out)
{
    static const double a[3] = {-0.2, 0.05, 0.1}, b[3] = {0.25, -0.1, 0.02}, c[3] = {0.03, 0.02, -0.04};
    static const double n[3] = {0.3, 1, -0.2}, half[3] = {0.2, 0.1, 0.15};
    int k = 0;
    out[k++] = dcl_plane(c, n, 0.1);
    out[k++] = dcl_sphere(c, 0.3, 0.1);
    out[k++] = dcl_bowl(c, 0.5, 0.1);
    out[k++] = dcl_capsule(a, b, 0.1, 0.1);
    out[k++] = dcl_tapered_capsule(a, b, 0.15, 0.06, 0.1);
    out[k++] = dcl_box(c, half, 0, 0.1);
    out[k++] = dcl_box(c, half, 0.05, 0.1);
    out[k++] = dcl_torus(c, n, 0.3, 0.08, 0.1);
    out[k++] = dcl_cylinder(a, b, 0.15, 0.02, 0.1);
    out[k++] = dcl_disc(c, n, 0.3, 0.02, 0.1);
    out[k++] = dcl_cone(a, b, 0.2, 0.01, 0.1);
    out[k++] = dcl_mesh(&scene_stone, 0.02, 0.1);
    turn_to(&out[k - 1], n, 0.7, c);
    out[k++] = dcl_mesh(&scene_roof, 0.03, 0.1);
    turn_to(&out[k - 1], n, 0.2, c);
    return k;
}

/* A box of triangles has the distance of a box. */
static void mesh_distance_of_a_box(void)
{
    static const double box[24] = {-0.3, -0.2, -0.1, 0.3,  -0.2, -0.1, 0.3, 0.2,
                                   -0.1, -0.3, 0.2,  -0.1, -0.3, -0.2, 0.1, 0.3,
                                   -0.2, 0.1,  0.3,  0.2,  0.1,  -0.3, 0.2, 0.1};
    static const int faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                  3, 7, 6, 3, 6, 2, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5};
    const double c[3] = {0, 0, 0}, half[3] = {0.3, 0.2, 0.1};
    dcl_surface surface;
    dcl_obstacle both[2];
    double x[9];
    dcl_model_desc desc = points_desc(x, 0.3, 0.1);
    unsigned seed = 9;
    int i, k;
    rig r;
    surface.vertex_count = 8, surface.positions = box;
    surface.triangle_count = 12, surface.triangles = faces;
    both[0] = dcl_box(c, half, 0.03, 0.1);
    both[1] = dcl_mesh(&surface, 0.03, 0.1);
    desc.obstacle_count = 2;
    desc.obstacles = both;
    if (!rig_open(&r, &desc, 1e-10)) return;
    for (i = 0; i < 2000; i++) {
        double p[3];
        dcl_distance a, b;
        for (k = 0; k < 3; k++) p[k] = 0.5 * scene_random(&seed);
        CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &a) == DCL_OK);
        CHECK(dcl_obstacle_distance(r.params, 1, 0, p, &b) == DCL_OK);
        CHECK_NEAR(a.value, b.value, 1e-15);
        for (k = 0; k < 3; k++) CHECK_NEAR(a.gradient[k], b.gradient[k], 1e-12);
        for (k = 0; k < 9; k++)
            CHECK_NEAR(a.hessian[k], b.hessian[k], 1e-9 * (1 + fabs(a.hessian[k])));
    }
    rig_close(&r);
}

static double mesh_value(const dcl_surface *surface, const double *p)
{
    dcl_obstacle o = dcl_mesh(surface, 0.01, 0.1);
    double x[9], value = NAN;
    dcl_model_desc desc = points_desc(x, 0.3, 0.1);
    dcl_distance d;
    rig r;
    desc.obstacle_count = 1;
    desc.obstacles = &o;
    if (!rig_open(&r, &desc, 1e-10)) return NAN;
    if (CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &d) == DCL_OK)) value = d.value + 0.01;
    CHECK_NEAR(norm(d.gradient), 1, 1e-12);
    rig_close(&r);
    return value;
}

/* A patch that lies still on a plane presses on it with its weight, in its middle; one that slides
   pulls with mu times that. */
static void reaction_of_an_obstacle(void)
{
    int slides;
    for (slides = 0; slides < 2; slides++) {
        scene s = patch_scene(5, 0.5, 0);
        const double p[3] = {0.3, 0, 0}, up[3] = {0, 1, 0}, h = 0.01;
        double weight = h * 9.81 * s.desc.density * 0.25, impulse[3], moment[3], mid[3] = {0, 0, 0};
        rig r;
        int i, k;
        s.obstacles[s.desc.obstacle_count++] = dcl_plane(p, up, 0.2);
        if (!scene_open(&r, &s, 1e-12)) return;
        CHECK(dcl_workspace_get_reaction(r.ws, 0, impulse, moment) == DCL_OK);
        CHECK_NEAR(norm(impulse) + norm(moment), 0, 0);
        CHECK(dcl_workspace_get_reaction(r.ws, 1, impulse, moment) ==
              DCL_ERROR_INDEX_OUT_OF_RANGE);
        for (i = 0; slides && i < 25; i++) r.state->v[3 * i] = 1;
        for (i = 0; i < 5; i++)
            if (!rig_step(&r, h)) return;
        for (i = 0; i < 25; i++)
            for (k = 0; k < 3; k++) mid[k] += r.state->x[3 * i + k] / 25;
        CHECK(dcl_workspace_get_reaction(r.ws, 0, impulse, moment) == DCL_OK);
        CHECK_REL(impulse[1], -weight, 1e-9);
        CHECK_NEAR(impulse[0], slides * 0.2 * weight, 1e-9 * weight);
        CHECK_NEAR(impulse[2], 0, 1e-9 * weight);
        CHECK_NEAR(moment[2], -weight * (mid[0] - p[0]), 1e-9 * weight); /* the last axis: z */
        rig_close(&r);
    }
}

/* A ball as somebody's own function. */
static void ball_function(void *user, const double size[4], const double p[3], dcl_distance *d)
{
    double length = norm(p);
    int r, c;
    ++*(long *)user;
    d->value = size[0] < 0.9 ? length - size[0] : NAN;
    d->size_value[0] = -1;
    for (r = 0; r < 3; r++) d->gradient[r] = p[r] / length;
    for (r = 0; r < 3; r++)
        for (c = 0; c < 3; c++)
            d->hessian[3 * r + c] = ((r == c) - d->gradient[r] * d->gradient[c]) / length;
}

/* It does what the sphere does, gradients too; NaN is refused and changes nothing. */
static void distance_function(void)
{
    double centre[3] = {0.02, -0.32, 0.01}, before[75], size = 0.95;
    long calls = 0;
    rig r[2];
    int k, step;
    for (k = 0; k < 2; k++) {
        scene s = patch_scene(5, 0.5, 0);
        dcl_obstacle ball = dcl_function(ball_function, &calls, 0.2);
        memcpy(ball.position, centre, sizeof centre);
        ball.size[0] = 0.3;
        ball.angular_velocity[1] = 2;
        s.obstacles[0] = dcl_sphere(centre, 0.3, 0.2);
        s.obstacles[0].angular_velocity[1] = 2;
        if (k) s.obstacles[0] = ball;
        s.desc.obstacle_count = 1;
        if (!scene_open(&r[k], &s, 1e-12)) return;
        for (step = 0; step < 30; step++)
            if (!rig_step(&r[k], 0.01)) return;
    }
    CHECK(calls > 0);
    CHECK_NEAR(largest_difference(r[0].state->x, r[1].state->x, 75), 0, 1e-10);
    CHECK(r[1].stats.stick_count + r[1].stats.slip_count > 0);
    CHECK(dcl_params_set(r[1].params, DCL_PARAM_OBSTACLE_SIZE, 0, 1, &size) == DCL_OK);
    memcpy(before, r[1].state->x, sizeof before);
    CHECK_EQ(dcl_step(r[1].ws, r[1].params, r[1].state, 0.01, NULL, NULL), DCL_ERROR_NOT_FINITE);
    CHECK_NEAR(largest_difference(before, r[1].state->x, 75), 0, 0);
    for (k = 0; k < 2; k++) rig_close(&r[k]);
}

/* (C10, C23) Triangles without area count as their edges; one triangle, ten thousand copies of it
   and one beside a point have the distance that follows from the formula. */
static void mesh_distance_of_odd_triangles(void)
{
    static const double thin[9] = {2.27699995, -7.9000001,   16.3180008,  -0.569999993, -8.10000038,
                                   16.6070004, -0.569999993, -8.10000038, 16.6070004};
    static const double row[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0},
                        p[3] = {1.10000002, -7.9000001, 16.5879993};
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5};
    static const double near_by[5][4] = {{0.2, 0.2, 0.7, 0.7},
                                         {2, 0, 0, 1},
                                         {-1, -1, 1, 1.7320508075688772},
                                         {0.5, -2, 0, 2},
                                         {1, 1, 0, 0.70710678118654752}};
    static const int one[6] = {0, 1, 2, 3, 3, 3};
    dcl_surface s;
    int *many = (int *)malloc(30000 * sizeof *many), i, k;
    if (!CHECK(many != NULL)) return;
    for (i = 0; i < 30000; i++) many[i] = i % 3;
    s.vertex_count = 3, s.positions = thin, s.triangle_count = 1, s.triangles = one;
    CHECK_NEAR(mesh_value(&s, p), 0.17147827, 1e-8);
    s.positions = row;
    CHECK_NEAR(mesh_value(&s, near_by[3]), 2, 1e-15);
    s.vertex_count = 4, s.positions = corner;
    for (i = 0; i < 5; i++)
        for (k = 0; k < 3; k++) {
            s.triangle_count = k == 0 ? 1 : k == 1 ? 10000 : 2;
            s.triangles = k == 1 ? many : one;
            CHECK_NEAR(mesh_value(&s, near_by[i]), near_by[i][3], 1e-15);
        }
    free(many);
}

/* The tree finds what asking every triangle finds. */
static void mesh_distance_against_every_triangle(void)
{
    dcl_obstacle all[64];
    dcl_surface single[60];
    double x[9];
    dcl_model_desc desc = points_desc(x, 0.3, 0.1);
    unsigned seed = 3;
    int i, k, m = scene_stone.triangle_count;
    rig r;
    all[0] = dcl_mesh(&scene_stone, 0.01, 0.1);
    for (k = 0; k < m; k++) {
        single[k] = scene_stone;
        single[k].triangle_count = 1;
        single[k].triangles += 3 * k;
        all[1 + k] = dcl_mesh(&single[k], 0.01, 0.1);
    }
    desc.obstacle_count = 1 + m;
    desc.obstacles = all;
    if (!rig_open(&r, &desc, 1e-10)) return;
    for (i = 0; i < 500; i++) {
        double p[3], least = INFINITY;
        dcl_distance d;
        for (k = 0; k < 3; k++) p[k] = 0.5 * scene_random(&seed);
        for (k = 1; k <= m; k++) {
            CHECK(dcl_obstacle_distance(r.params, k, 0, p, &d) == DCL_OK);
            least = fmin(least, d.value + 0.01);
        }
        CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &d) == DCL_OK);
        CHECK_NEAR(fabs(d.value + 0.01), least, 1e-15);
    }
    rig_close(&r);
}

static double settled(const dcl_surface *floors, int count, int *lower, double *end)
{
    scene s = patch_scene(4, 0.4, 0.03);
    dcl_contact contacts[64];
    double deepest = 0;
    rig r;
    int step, i, k;
    for (i = 0; i < count; i++) {
        s.obstacles[s.desc.obstacle_count++] = dcl_mesh(&floors[i], 0.01, 0.3);
        s.obstacles[i].position[1] = -i;
    }
    *lower = 0;
    if (!scene_open(&r, &s, 1e-10)) return NAN;
    for (step = 0; step < 60 && rig_step(&r, 0.01); step++) {
        k = dcl_workspace_get_contacts(r.ws, 64, contacts);
        for (i = 0; i < k; i++) *lower += contacts[i].obstacle == 1;
        deepest = fmax(deepest, r.stats.penetration);
    }
    memcpy(end, r.state->x, 48 * sizeof(double));
    rig_close(&r);
    return deepest;
}

/* (C16) Of two squares one metre apart the upper carries the cloth, and the lower feels nothing.
   (C20) A triangle without area in the floor changes nothing. */
static void cloth_on_a_mesh_floor(void)
{
    static const double x[15] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, 0, 0};
    static const int triangles[9] = {0, 3, 2, 0, 2, 1, 0, 4, 2};
    dcl_surface floors[2];
    double one[48], two[48], odd[48];
    int lower, i;
    floors[0].vertex_count = 5, floors[0].positions = x;
    floors[0].triangle_count = 2, floors[0].triangles = triangles;
    floors[1] = floors[0];
    CHECK(settled(floors, 1, &lower, one) <= 1e-15);
    CHECK(settled(floors, 2, &lower, two) <= 1e-15);
    CHECK_EQ(lower, 0);
    floors[0].triangle_count = 3;
    CHECK(settled(floors, 1, &lower, odd) <= 1e-15);
    for (i = 0; i < 48; i++) {
        CHECK_NEAR(two[i], one[i], 0);
        CHECK_NEAR(odd[i], one[i], 1e-12);
        if (i % 3 == 1) CHECK_NEAR(one[i], 0.01, 1e-15);
    }
}

/* (C15) What cannot be a solid is refused, the triangles named. */
static void meshes_that_are_refused(void)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, bad[12] = {0, 0, NAN};
    static const int out[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2},
                     in[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3};
    static const int mixed[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 2, 3}, far[3] = {0, 1, 4};
    static const struct {
        const double *x;
        int count;
        const int *triangles;
        double rounding;
        dcl_result result;
        const char *text;
    } cases[] = {
        {x, 4, out, 0, DCL_OK, ""},
        {x, 4, in, 0, DCL_ERROR_INCONSISTENT_WINDING, "face inwards"},
        {x, 4, mixed, 0, DCL_ERROR_INCONSISTENT_WINDING, "edge 0-2"},
        {x, 3, out, 0, DCL_ERROR_BAD_ARGUMENT, "rounding must be > 0"},
        {x, 3, out, -1, DCL_ERROR_BAD_ARGUMENT, "rounding"},
        {x, 1, far, 0.1, DCL_ERROR_INDEX_OUT_OF_RANGE, "triangle 0 names vertex 4 of 4"},
        {x, 0, out, 0.1, DCL_ERROR_EMPTY_MESH, "0 triangles"},
        {bad, 4, out, 0.1, DCL_ERROR_NOT_FINITE, "vertex 0"},
        {NULL, 4, out, 0.1, DCL_ERROR_NULL_POINTER, "positions"},
    };
    size_t k;
    for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double points[9];
        dcl_model_desc desc = points_desc(points, 0.3, 0.1);
        dcl_surface s;
        dcl_obstacle o;
        dcl_model *model = NULL;
        char text[256] = "";
        s.vertex_count = 4, s.positions = cases[k].x;
        s.triangle_count = cases[k].count, s.triangles = cases[k].triangles;
        o = dcl_mesh(&s, cases[k].rounding, 0.1);
        desc.obstacle_count = 1;
        desc.obstacles = &o;
        desc.logger.log = keep_text;
        desc.logger.user = text;
        CHECK_EQ(dcl_model_create(&desc, &model), cases[k].result);
        CHECK_STR(text, cases[k].text);
        dcl_model_destroy(model);
    }
}

/* A distance d with unit gradient g is exact if the point p - d g lies on the surface and d changes by
   no more than the way between two points. Its derivatives are those of differences, but at the
   few points that lie beside a kink. */
static void distances_of_every_shape(void)
{
    dcl_obstacle shapes[16];
    int count = every_shape(shapes), o, i, k, j;
    unsigned seed = 5;
    for (o = 0; o < count; o++) {
        double x[9], last[3] = {0, 0, 0}, before = 0;
        dcl_model_desc desc = points_desc(x, 0.3, 0.1);
        rig r;
        int off = 0, outside = 0, all = 400;
        desc.obstacle_count = 1;
        desc.obstacles = &shapes[o];
        if (!rig_open(&r, &desc, 1e-10)) return;
        for (i = 0; i < all; i++) {
            double p[3], q[3], e = 1e-6, worst = 0;
            dcl_distance d, up, down, on;
            for (k = 0; k < 3; k++) p[k] = 0.6 * scene_random(&seed);
            CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &d) == DCL_OK);
            CHECK_NEAR(norm(d.gradient), 1, 1e-12);
            for (k = 0; k < 3; k++) q[k] = p[k] - last[k];
            CHECK(i == 0 || fabs(d.value - before) <= norm(q) + 1e-12);
            for (k = 0; k < 3; k++) last[k] = p[k], q[k] = p[k] - d.value * d.gradient[k];
            before = d.value;
            CHECK(dcl_obstacle_distance(r.params, 0, 0, q, &on) == DCL_OK);
            if (!CHECK_NEAR(on.value, 0, 1e-12)) printf("  shape %d d %g p %g %g %g g %g %g %g\n", o, d.value,p[0],p[1],p[2],d.gradient[0],d.gradient[1],d.gradient[2]);
            outside += d.value > 0;
            for (k = 0; k < 7; k++) { /* along the axes, then along the sizes */
                const double *size = dcl_params_get(r.params, DCL_PARAM_OBSTACLE_SIZE);
                double old = k < 3 ? 0 : size[k - 3], to = old + e, from = old - e;
                if (k < 3) {
                    memcpy(q, p, sizeof q);
                    q[k] += e;
                    CHECK(dcl_obstacle_distance(r.params, 0, 0, q, &up) == DCL_OK);
                    q[k] -= 2 * e;
                    CHECK(dcl_obstacle_distance(r.params, 0, 0, q, &down) == DCL_OK);
                } else {
                    if (old == 0) continue; /* unused, or at the edge of its range */
                    CHECK(dcl_params_set(r.params, DCL_PARAM_OBSTACLE_SIZE, (size_t)k - 3, 1, &to) == DCL_OK);
                    CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &up) == DCL_OK);
                    CHECK(dcl_params_set(r.params, DCL_PARAM_OBSTACLE_SIZE, (size_t)k - 3, 1, &from) == DCL_OK);
                    CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &down) == DCL_OK);
                    CHECK(dcl_params_set(r.params, DCL_PARAM_OBSTACLE_SIZE, (size_t)k - 3, 1, &old) == DCL_OK);
                }
                worst = fmax(worst, fabs((up.value - down.value) / (2 * e) -
                                         (k < 3 ? d.gradient[k] : d.size_value[k - 3])));
                for (j = 0; j < 3; j++)
                    worst = fmax(worst, fabs((up.gradient[j] - down.gradient[j]) / (2 * e) -
                                             (k < 3 ? d.hessian[3 * k + j]
                                                    : d.size_gradient[3 * (k - 3) + j])));
            }
            off += !(worst <= 1e-4);
        }
        CHECK(outside > 20 && outside < all);
        if (!CHECK(off <= all / 100)) printf("  shape %d: %d of %d points off\n", o, off, all);
        rig_close(&r);
    }
}

/* (C13) On the axis of a capsule the normal is a unit vector across it; without length it is a sphere. */
static void capsules_on_their_axis(void)
{
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 1}, p[3] = {0, 0, 0.5}, q[3] = {0.1, -0.2, 0.3}, x[9];
    dcl_obstacle capsule = dcl_capsule(a, b, 0.2, 0.1), point = dcl_capsule(a, a, 0.2, 0.1);
    dcl_model_desc desc = points_desc(x, 0.3, 0.1);
    dcl_distance d;
    rig r;
    desc.obstacle_count = 1;
    desc.obstacles = &capsule;
    if (!rig_open(&r, &desc, 1e-10)) return;
    CHECK(dcl_obstacle_distance(r.params, 0, 0, p, &d) == DCL_OK);
    CHECK_NEAR(d.value, -0.2, 1e-15);
    CHECK_NEAR(norm(d.gradient), 1, 1e-15);
    CHECK_NEAR(d.gradient[2], 0, 1e-15);
    rig_close(&r);
    desc.obstacles = &point;
    if (!rig_open(&r, &desc, 1e-10)) return;
    CHECK(dcl_obstacle_distance(r.params, 0, 0, q, &d) == DCL_OK);
    CHECK_NEAR(d.value, norm(q) - 0.2, 1e-15);
    rig_close(&r);
}

/* (P18) Unit square cut along 0-2, density 3: masses 1, 1/2, 1, 1/2. A force of 1 N shows them. */
static void lumped_mass_of_a_square(void)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, mass[4] = {1, 0.5, 1, 0.5};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    dcl_model_desc desc = dcl_default_model_desc();
    double f[12], sum = 0;
    rig r;
    int i;
    memset(&desc.gravity, 0, sizeof desc.gravity);
    desc.vertex_count = 4;
    desc.positions = x;
    desc.triangle_count = 2;
    desc.triangles = triangles;
    desc.density = 3;
    desc.stretch = 0;
    desc.bending = 0;
    desc.force_frames = 1;
    if (!rig_open(&r, &desc, 1e-14)) return;
    for (i = 0; i < 12; i++) f[i] = i % 3 == 2;
    CHECK(dcl_params_set(r.params, DCL_PARAM_FORCE, 0, 12, f) == DCL_OK);
    CHECK(rig_run(&r, 0.01, 1));
    for (i = 0; i < 4; i++) {
        CHECK_REL(0.01 / r.state->v[3 * i + 2], mass[i], 1e-14);
        sum += 0.01 / r.state->v[3 * i + 2];
    }
    CHECK_REL(sum, 3.0, 1e-14);
    rig_close(&r);
}

/* (P20) 4 x 4 cloth let go just above a plane, mu = 0.5, and a domed one: after 5 s no kinetic
   energy and no vertex below. */
static void cloth_comes_to_rest(void)
{
    int dome, i;
    for (dome = 0; dome < 2; dome++) {
        scene s = patch_scene(4, 0.4, 0.01);
        rig r;
        double mass[16], energy = 0;
        scene_add_plane(&s, 0, 1, 0, 0.5);
        for (i = 0; i < 16 && dome; i++)
            s.x[3 * i + 1] += 0.02 * cos(5 * s.x[3 * i]) * cos(4 * s.x[3 * i + 2]);
        s.desc.damping = dome ? 0.05 : 0;
        if (!scene_open(&r, &s, 1e-10)) return;
        lumped_masses(&s.desc, s.desc.density, mass);
        for (i = 0; i < 500; i++)
            if (!rig_step(&r, 0.01)) break;
        for (i = 0; i < 16; i++) {
            energy += 0.5 * mass[i] * dot(r.state->v + 3 * i, r.state->v + 3 * i);
            CHECK(r.state->x[3 * i + 1] >= -1e-9);
        }
        CHECK_NEAR(energy, 0, 1e-10);
        rig_close(&r);
    }
}

/* (P21) A square cut both ways about each corner ("union jack"), hung from two corners: the result
   is its own mirror image. */
static void symmetric_mesh_stays_symmetric(void)
{
    enum { SIDE = 7 };
    scene s = patch_scene(SIDE, 0.6, 0);
    rig r;
    int i, j, k = 0;
    double worst = 0;
    for (i = 0; i + 1 < SIDE; i++)
        for (j = 0; j + 1 < SIDE; j++) {
            int a = i * SIDE + j, b = a + SIDE, c = b + 1, d = a + 1, *t = s.triangles + k;
            if ((i + j) % 2) {
                t[0] = a, t[1] = d, t[2] = c, t[3] = a, t[4] = c, t[5] = b;
            } else {
                t[0] = a, t[1] = d, t[2] = b, t[3] = d, t[4] = c, t[5] = b;
            }
            k += 6;
        }
    s.handles[0].vertex = 0;
    s.handles[1].vertex = (SIDE - 1) * SIDE;
    s.desc.handle_count = 2;
    s.desc.bend = 1e-3;
    if (!scene_open(&r, &s, 1e-11)) return;
    for (k = 0; k < 100; k++) {
        if (!rig_step(&r, 0.01)) break;
        for (i = 0; i < SIDE; i++)
            for (j = 0; j < SIDE; j++) {
                const double *a = r.state->x + 3 * (i * SIDE + j);
                const double *b = r.state->x + 3 * ((SIDE - 1 - i) * SIDE + j);
                worst = fmax(worst,
                             fmax(fabs(a[0] + b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2]))));
            }
    }
    CHECK_NEAR(worst, 0, 1e-9);
    rig_close(&r);
}

/* (P23) Wind of 1e200: the step says NOT_FINITE and keeps the state; after a reset to a saved state
   the old motion follows bit for bit. */
static void overflow_keeps_the_state(void)
{
    scene s = patch_scene(4, 0.6, 0);
    rig r;
    dcl_state *saved = NULL;
    double end[48], before[48];
    int c;
    s.handles[0].vertex = 0;
    s.handles[1].vertex = 3;
    s.desc.handle_count = 2;
    if (!scene_open(&r, &s, 1e-11)) return;
    set1(&r, DCL_PARAM_AIR_NORMAL, 1.2);
    set3(&r, DCL_PARAM_AIR_VELOCITY, 0, 0, 1);
    CHECK(rig_run(&r, 0.01, 3));
    if (CHECK(dcl_state_create(r.params, &saved) == DCL_OK)) {
        CHECK(dcl_state_copy(saved, r.state) == DCL_OK);
        CHECK(rig_run(&r, 0.01, 5));
        memcpy(end, r.state->x, sizeof end);
        for (c = 0; c < 2; c++) {
            dcl_block block = c ? DCL_PARAM_WIND_FORCE : DCL_PARAM_AIR_VELOCITY;
            double old[3];
            memcpy(old, dcl_params_get(r.params, block), sizeof old);
            memcpy(before, r.state->x, sizeof before);
            set3(&r, block, 0, 0, 1e200);
            CHECK_EQ(dcl_step(r.ws, r.params, r.state, 0.01, NULL, NULL), DCL_ERROR_NOT_FINITE);
            CHECK(memcmp(before, r.state->x, sizeof before) == 0);
            CHECK_EQ(r.state->step, 8);
            set3(&r, block, old[0], old[1], old[2]);
            CHECK(dcl_state_copy(r.state, saved) == DCL_OK);
            CHECK(rig_run(&r, 0.01, 5));
            CHECK(memcmp(end, r.state->x, sizeof end) == 0);
        }
    }
    dcl_state_destroy(saved);
    rig_close(&r);
}

/* Newton and Projective Dynamics reach the same motion of a flag in the wind and on a sphere. */
static void solvers_agree(void)
{
    int c, step;
    for (c = 0; c < 2; c++) {
        scene s = patch_scene(5, 0.5, 0);
        double air[3] = {0.5, 0.3, 2}, centre[3] = {0.03, -0.31, 0.02};
        dcl_solver_desc solver = dcl_default_solver_desc();
        rig a, b;
        double worst = 0;
        s.desc.stretch = 30;
        s.desc.bend = 1e-3;
        s.desc.damping = 0.02;
        s.handles[0].vertex = 0;
        s.handles[1].vertex = 4;
        s.handles[1].kind = DCL_HANDLE_SOFT;
        s.handles[1].stiffness = 50;
        s.desc.handle_count = c ? 0 : 2;
        if (c) s.obstacles[s.desc.obstacle_count++] = dcl_sphere(centre, 0.3, 0.3);
        if (!scene_open(&a, &s, 1e-12)) return;
        solver.solver = DCL_SOLVER_PD;
        solver.tolerance = 1e-12;
        solver.pd_limit = 200000;
        if (!rig_open_with(&b, &s.desc, &solver)) {
            rig_close(&a);
            return;
        }
        for (step = 0; step < 2; step++) {
            rig *r = step ? &b : &a;
            set3(r, DCL_PARAM_AIR_VELOCITY, air[0], air[1], air[2]);
            set1(r, DCL_PARAM_AIR_NORMAL, 1.2);
            set1(r, DCL_PARAM_AIR_TANGENT, 0.1);
        }
        for (step = 0; step < 15; step++) {
            if (!rig_step(&a, 0.01) || !rig_step(&b, 0.01)) break;
            CHECK(b.stats.pd_iterations > 0);
            CHECK_EQ(b.stats.newton_iterations, 0);
            worst = fmax(worst, largest_difference(a.state->x, b.state->x, 75));
        }
        CHECK_NEAR(worst, 0, 1e-10);
        rig_close(&a);
        rig_close(&b);
    }
}

/* ---- frames of the DiffCloth authors' program -------------------------------------------------
 */

enum { HANG_VERTICES = 576, HANG_FRAMES = 15 };

typedef struct hang {
    double frames[HANG_FRAMES][HANG_VERTICES * 3];
    int steps[HANG_FRAMES];
    dcx_mesh mesh;
    dcl_handle handles[2];
    dcl_model_desc desc;
    double h;
} hang;

/* 1 if read, 0 if the files are not there. */
static int hang_read(hang *s)
{
    const char *folder = getenv("DIFFCLOTH_DATA");
    char path[1024], line[512];
    int frame, i, frames = 0, vertices = 0;
    FILE *file;
    dcx_error error;
    if (!folder) folder = "../shared/data";
    if (strlen(folder) > 900) return 0;
    snprintf(path, sizeof path, "%s/reference/hang24.txt", folder);
    file = fopen(path, "r");
    if (!file) return 0;
    snprintf(path, sizeof path, "%s/diffcloth/wind24x24.obj", folder);
    memset(s, 0, sizeof *s);
    if (dcx_obj_read(path, &s->mesh, &error) != DCX_OK) {
        fclose(file);
        return 0;
    }
    CHECK(fgets(line, sizeof line, file) != NULL);
    CHECK_EQ(fscanf(file, "%d %d", &frames, &vertices), 2);
    CHECK_EQ(frames, HANG_FRAMES);
    CHECK_EQ(vertices, HANG_VERTICES);
    for (frame = 0; frame < HANG_FRAMES; frame++) {
        if (!CHECK(fscanf(file, " step %d", &s->steps[frame]) == 1)) break;
        for (i = 0; i < 3 * HANG_VERTICES; i++)
            if (fscanf(file, "%lf", &s->frames[frame][i]) != 1) break;
        if (!CHECK_EQ(i, 3 * HANG_VERTICES)) break;
    }
    fclose(file);
    for (i = 0; i < 2; i++) {
        s->handles[i].vertex = i ? 23 : 0;
        s->handles[i].kind = DCL_HANDLE_SOFT;
        s->handles[i].stiffness = 1e4;
    }
    s->desc = dcl_default_model_desc();
    s->desc.vertex_count = HANG_VERTICES;
    s->desc.positions = s->frames[0];
    s->desc.triangle_count = s->mesh.triangle_count;
    s->desc.triangles = s->mesh.triangles;
    s->desc.handle_count = 2;
    s->desc.handles = s->handles;
    s->desc.stretch = 100;
    s->desc.bend = 0.01;
    s->desc.density = 0.054;
    s->desc.gravity[1] = -9.8;
    s->h = 1.0 / 90;
    return 1;
}

/* The step's equation written out once more, from the paper: residual of
   M (v1 - v0) = h (f_int(x1) + f_ext), and the squares of the terms that meet in it, differences
   A x - p as the library counts them (strict) and A x and p each, as they stand in the global step
   of Projective Dynamics, P x = M y + h^2 sum w A^T p. The springs of the handles count by their
   difference in both: their A x is a position, whose size depends on where the origin is. */
typedef struct terms {
    double r[HANG_VERTICES * 3];
    double strict, global;
} terms;

typedef enum term_size { SIZE_NONE, SIZE_DIFFERENCE, SIZE_EACH } term_size;

static void add_term(terms *t, int vertex, double hw, const double *a, const double *p,
                     term_size size)
{
    int k;
    for (k = 0; k < 3; k++) {
        double d = hw * hw * (a[k] - p[k]) * (a[k] - p[k]);
        t->r[3 * vertex + k] += hw * (a[k] - p[k]);
        if (size == SIZE_NONE) continue;
        t->strict += d;
        t->global += size == SIZE_EACH ? hw * hw * (a[k] * a[k] + p[k] * p[k]) : d;
    }
}

static void minus(const double *a, const double *b, double *out)
{
    int k;
    for (k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

/* w = k area, A x = F, p = R = F (F^T F)^(-1/2); corner a of the triangle takes (F - R) b_a. Sizes:
   the norms of F - R, F, R times those of b_1, b_2. */
static void stretch_terms(terms *t, const hang *s, const double *x)
{
    int i, a, k;
    for (i = 0; i < s->desc.triangle_count; i++) {
        const int *v = s->desc.triangles + 3 * i;
        const double *X = s->desc.positions;
        double E[2][3], e[2][3], n[3], l, p, q, b[3][2], F[2][3], R[2][3], C[3], root, trace, area;
        for (a = 0; a < 2; a++) {
            minus(X + 3 * v[a + 1], X + 3 * v[0], E[a]);
            minus(x + 3 * v[a + 1], x + 3 * v[0], e[a]);
        }
        cross(E[0], E[1], n);
        l = norm(E[0]), p = dot(E[0], E[1]) / l, q = norm(n) / l; /* edges [l p; 0 q] */
        area = 0.5 * l * q;
        b[1][0] = 1 / l, b[1][1] = -p / (l * q);
        b[2][0] = 0, b[2][1] = 1 / q;
        b[0][0] = -b[1][0], b[0][1] = -b[1][1] - b[2][1];
        for (a = 0; a < 2; a++)
            for (k = 0; k < 3; k++) F[a][k] = e[0][k] * b[1][a] + e[1][k] * b[2][a];
        C[0] = dot(F[0], F[0]), C[1] = dot(F[0], F[1]), C[2] = dot(F[1], F[1]);
        root = sqrt(C[0] * C[2] - C[1] * C[1]);
        trace = sqrt(C[0] + C[2] + 2 * root);
        /* (F^T F)^(1/2) = (C + root I)/trace, its inverse by the adjugate over det = root */
        for (k = 0; k < 3; k++) {
            R[0][k] = (F[0][k] * (C[2] + root) - F[1][k] * C[1]) / (trace * root);
            R[1][k] = (F[1][k] * (C[0] + root) - F[0][k] * C[1]) / (trace * root);
        }
        for (a = 0; a < 3; a++) {
            double hw = s->h * s->desc.stretch * area;
            double f[3], g[3];
            for (k = 0; k < 3; k++) {
                f[k] = F[0][k] * b[a][0] + F[1][k] * b[a][1];
                g[k] = R[0][k] * b[a][0] + R[1][k] * b[a][1];
            }
            add_term(t, v[a], hw, f, g, SIZE_NONE);
        }
        for (a = 0; a < 2; a++)
            for (k = 0; k < 3; k++) {
                double hw = s->h * s->desc.stretch * area;
                double size = hw * hw * (b[1][0] * b[1][0] + b[1][1] * b[1][1] + b[2][1] * b[2][1]);
                t->strict += size * (F[a][k] - R[a][k]) * (F[a][k] - R[a][k]);
                t->global += size * (F[a][k] * F[a][k] + R[a][k] * R[a][k]);
            }
    }
}

static double cotangent(const double *X, int at, int p, int q, double *area)
{
    double a[3], b[3], n[3];
    minus(X + 3 * p, X + 3 * at, a);
    minus(X + 3 * q, X + 3 * at, b);
    cross(a, b, n);
    *area = norm(n) / 2;
    return dot(a, b) / norm(n);
}

/* w = D 3/(A0 + A1), A x = sum c_i x_i with the cotangents of the rest shape, |p| = |sum c_i X_i|.
 */
static void hinge_terms(terms *t, const hang *s, const double *x, const int *v)
{
    const double *X = s->desc.positions;
    double left, right, c[4], b[3] = {0, 0, 0}, rest[3] = {0, 0, 0};
    double c0l = cotangent(X, v[0], v[1], v[2], &left),
           c0r = cotangent(X, v[0], v[1], v[3], &right);
    double c1l = cotangent(X, v[1], v[0], v[2], &left),
           c1r = cotangent(X, v[1], v[0], v[3], &right);
    int a, k;
    c[0] = c1l + c1r, c[1] = c0l + c0r, c[2] = -c0l - c1l, c[3] = -c0r - c1r;
    for (a = 0; a < 4; a++)
        for (k = 0; k < 3; k++) {
            b[k] += c[a] * x[3 * v[a] + k];
            rest[k] += c[a] * X[3 * v[a] + k];
        }
    for (a = 0; a < 4; a++) {
        double hw = s->h * s->desc.bend * 3 / (left + right), f[3], g[3];
        for (k = 0; k < 3; k++) {
            f[k] = c[a] * b[k];
            g[k] = c[a] * b[k] * norm(rest) / norm(b);
        }
        add_term(t, v[a], hw, f, g, SIZE_EACH);
    }
}

static void bending_terms(terms *t, const hang *s, const double *x)
{
    static int opposite[HANG_VERTICES][16][2]; /* per vertex: (end of edge, opposite corner) */
    static int count[HANG_VERTICES];
    int i, a, j;
    memset(count, 0, sizeof count);
    for (i = 0; i < s->desc.triangle_count; i++)
        for (a = 0; a < 3; a++) {
            int p = s->desc.triangles[3 * i + a], q = s->desc.triangles[3 * i + (a + 1) % 3];
            int o = s->desc.triangles[3 * i + (a + 2) % 3], v[4];
            int low = p < q ? p : q, high = p < q ? q : p;
            for (j = 0; j < count[low] && opposite[low][j][0] != high; j++) {
            }
            if (j == count[low]) {
                opposite[low][count[low]][0] = high;
                opposite[low][count[low]++][1] = o;
                continue;
            }
            v[0] = low, v[1] = high, v[2] = opposite[low][j][1], v[3] = o;
            hinge_terms(t, s, x, v);
        }
}

static void hang_terms(terms *t, const hang *s, const double *x0, const double *v0,
                       const double *x1)
{
    static double mass[HANG_VERTICES];
    int i, k;
    memset(t, 0, sizeof *t);
    lumped_masses(&s->desc, s->desc.density, mass);
    for (i = 0; i < HANG_VERTICES; i++)
        for (k = 0; k < 3; k++) {
            double inertia = mass[i] * v0[3 * i + k], force = s->h * mass[i] * s->desc.gravity[k];
            t->r[3 * i + k] = mass[i] * (x1[3 * i + k] - x0[3 * i + k]) / s->h - inertia - force;
            t->strict += inertia * inertia + force * force;
            t->global += inertia * inertia + force * force;
        }
    stretch_terms(t, s, x1);
    bending_terms(t, s, x1);
    for (i = 0; i < 2; i++) {
        int v = s->handles[i].vertex;
        add_term(t, v, s->h * s->handles[i].stiffness, x1 + 3 * v, s->desc.positions + 3 * v,
                 SIZE_DIFFERENCE);
    }
    t->strict = sqrt(t->strict);
    t->global = sqrt(t->global);
}

static hang hanging;

static void put_frames(rig *r, int first)
{
    int i;
    for (i = 0; i < 3 * r->n; i++) {
        r->state->x[i] = hanging.frames[first + 1][i];
        r->state->v[i] = (hanging.frames[first + 1][i] - hanging.frames[first][i]) / hanging.h;
    }
}

/* The recorded third frame solves the step from the first two: to 1e-8 of the terms of the global
   step, to 2e-6 in the library's stricter measure, which the independent evaluation above
   reproduces. */
static void recorded_frames_solve_the_step(void)
{
    static terms t;
    rig r;
    int f, k;
    if (!rig_open(&r, &hanging.desc, 1e-10)) return;
    for (f = 0; f < HANG_FRAMES; f += 3) {
        double residual = 1, size = 0;
        CHECK_EQ(hanging.steps[f + 2], hanging.steps[f] + 2);
        put_frames(&r, f);
        hang_terms(&t, &hanging, r.state->x, r.state->v, hanging.frames[f + 2]);
        for (k = 0; k < 3 * HANG_VERTICES; k++) size += t.r[k] * t.r[k];
        size = sqrt(size);
        CHECK(dcl_step_check(r.ws, r.params, r.state, hanging.h, hanging.frames[f + 2], &residual,
                             NULL) == DCL_OK);
        CHECK(residual <= 2e-6);
        CHECK(size <= 1e-8 * t.global);
        CHECK_REL(residual, size / t.strict, 1e-4);
    }
    rig_close(&r);
}

/* One step from two recorded frames lands on the third, to 1e-6 m, or else on another stationary
   point whose objective is not higher; most land. */
static void recorded_frames_are_reached(void)
{
    rig r;
    int f, landed = 0;
    if (!rig_open(&r, &hanging.desc, 1e-11)) return;
    for (f = 0; f < HANG_FRAMES; f += 3) {
        double own, recorded, off;
        put_frames(&r, f);
        if (!rig_step(&r, hanging.h)) break;
        off = largest_difference(r.state->x, hanging.frames[f + 2], 3 * r.n);
        landed += off <= 1e-6;
        if (off <= 1e-6) continue;
        {
            static double x1[HANG_VERTICES * 3];
            memcpy(x1, r.state->x, sizeof x1);
            put_frames(&r, f);
            CHECK(dcl_step_check(r.ws, r.params, r.state, hanging.h, x1, NULL, &own) == DCL_OK);
            CHECK(dcl_step_check(r.ws, r.params, r.state, hanging.h, hanging.frames[f + 2], NULL,
                                 &recorded) == DCL_OK);
            CHECK(own <= recorded);
        }
    }
    CHECK(landed >= 4);
    rig_close(&r);
}

/* ---- the suite --------------------------------------------------------------------------------
 */

static void suite_dynamics(void)
{
    TEST_RUN(free_fall);
    TEST_RUN(damping_leaves_free_fall);
    TEST_RUN(momentum_is_kept);
    TEST_RUN(rotated_scene_moves_rotated);
    TEST_RUN(mirrored_scene_moves_mirrored);
    TEST_RUN(order_does_not_matter);
    TEST_RUN(similar_scenes_move_alike);
    TEST_RUN(metres_and_millimetres);
    TEST_RUN(same_bits_every_time);
}

static void suite_statics(void)
{
    TEST_RUN(oscillator_amplitude_and_phase);
    TEST_RUN(membrane_oscillator);
    TEST_RUN(hanging_cloth_stretches);
    TEST_RUN(dead_load_stretches);
    TEST_RUN(catenary);
}

static void suite_friction(void)
{
    TEST_RUN(incline_holds_or_slides);
    TEST_RUN(cloth_holds_on_an_incline);
    TEST_RUN(slide_down_an_incline);
    TEST_RUN(friction_belongs_to_the_obstacle);
    TEST_RUN(two_planes_two_frictions);
    TEST_RUN(load_below_the_cone_does_not_creep);
    TEST_RUN(frictionless_plane);
    TEST_RUN(stopping_distance);
    TEST_RUN(rubbing_oscillator);
    TEST_RUN(turntable);
    TEST_RUN(conveyor);
}

static void suite_contact(void)
{
    TEST_RUN(contact_law_holds);
    TEST_RUN(landing);
    TEST_RUN(sphere_slide_off);
    TEST_RUN(cloth_on_a_sphere_stays_outside);
    TEST_RUN(law_is_continuous);
    TEST_RUN(sphere_centre_and_radius);
    TEST_RUN(upper_of_two_planes);
    TEST_RUN(contact_forms);
}

static void suite_inputs(void)
{
    TEST_RUN(bad_step_sizes);
    TEST_RUN(rest_stays_at_rest);
    TEST_RUN(turned_rest_has_no_force);
    TEST_RUN(pinned_vertex_follows_its_path);
    TEST_RUN(far_from_the_origin);
    TEST_RUN(wind_turns);
    TEST_RUN(air_on_a_triangle);
    TEST_RUN(collapsed_triangle_stays_finite);
    TEST_RUN(stiffness_changes_in_a_run);
    TEST_RUN(uneven_steps);
    TEST_RUN(distances_of_every_shape);
    TEST_RUN(mesh_distance_of_a_box);
    TEST_RUN(distance_function);
    TEST_RUN(reaction_of_an_obstacle);
    TEST_RUN(mesh_distance_of_odd_triangles);
    TEST_RUN(mesh_distance_against_every_triangle);
    TEST_RUN(cloth_on_a_mesh_floor);
    TEST_RUN(meshes_that_are_refused);
    TEST_RUN(capsules_on_their_axis);
    TEST_RUN(lumped_mass_of_a_square);
    TEST_RUN(cloth_comes_to_rest);
    TEST_RUN(symmetric_mesh_stays_symmetric);
    TEST_RUN(overflow_keeps_the_state);
    TEST_RUN(solvers_agree);
}

static void suite_frames(void)
{
    if (!hang_read(&hanging)) {
        test_skip("recorded_frames_solve_the_step", "no reference/hang24.txt under DIFFCLOTH_DATA");
        test_skip("recorded_frames_are_reached", "no reference/hang24.txt under DIFFCLOTH_DATA");
        return;
    }
    TEST_RUN(recorded_frames_solve_the_step);
    TEST_RUN(recorded_frames_are_reached);
    dcx_mesh_destroy(&hanging.mesh);
}

void suite_physics(void);
void suite_physics(void)
{
    suite_dynamics();
    suite_statics();
    suite_friction();
    suite_contact();
    suite_inputs();
    suite_frames();
}
