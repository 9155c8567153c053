/* scenes.c - the scenes of scenes.h. */
#include "scenes.h"

#include <math.h>
#include <string.h>

double scene_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

void scene_patch(scene *s, int side, double width, double y)
{
    int i, j, k = 0;
    for (i = 0; i < side; i++)
        for (j = 0; j < side; j++) {
            double *x = s->x + 3 * (i * side + j);
            x[0] = width * ((double)i / (side - 1) - 0.5);
            x[1] = y;
            x[2] = width * ((double)j / (side - 1) - 0.5);
        }
    for (i = 0; i + 1 < side; i++)
        for (j = 0; j + 1 < side; j++) {
            int a = i * side + j, b = a + side, c = b + 1, d = a + 1;
            int *t = s->triangles + 3 * k;
            t[0] = a, t[1] = d, t[2] = c;
            t[3] = a, t[4] = c, t[5] = b;
            k += 2;
        }
    s->desc.vertex_count = side * side;
    s->desc.positions = s->x;
    s->desc.triangle_count = k;
    s->desc.triangles = s->triangles;
    s->desc.handles = s->handles;
    s->desc.obstacles = s->obstacles;
}

scene patch_scene(int side, double width, double y)
{
    scene s;
    memset(&s, 0, sizeof s);
    s.desc = dcl_default_model_desc();
    scene_patch(&s, side, width, y);
    s.h = 0.01;
    return s;
}

void scene_fix(scene *s)
{
    s->desc.positions = s->x;
    s->desc.triangles = s->triangles;
    s->desc.handles = s->handles;
    s->desc.obstacles = s->obstacles;
}

static const int one_triangle[3] = {0, 2, 1};

dcl_model_desc points_desc(double *x, double leg, double mass)
{
    dcl_model_desc desc = dcl_default_model_desc();
    memset(x, 0, 9 * sizeof *x);
    x[3] = leg;
    x[8] = leg;
    desc.vertex_count = 3;
    desc.positions = x;
    desc.triangle_count = 1;
    desc.triangles = one_triangle;
    desc.stretch = 0;
    desc.bending = 0;
    desc.density = 6 * mass / (leg * leg);
    desc.gravity[1] = -9.81;
    return desc;
}

void incline_make(incline *p, double theta, double mu)
{
    double origin[3] = {0, 0, 0};
    int i;
    p->desc = points_desc(p->x, 0.3, 0.1);
    p->normal[0] = sin(theta), p->normal[1] = cos(theta), p->normal[2] = 0;
    p->down[0] = cos(theta), p->down[1] = -sin(theta), p->down[2] = 0;
    for (i = 0; i < 3; i++) {
        double along = p->x[3 * i] + 0.1;
        p->x[3 * i] = along * p->down[0];
        p->x[3 * i + 1] = along * p->down[1];
    }
    p->plane = dcl_plane(origin, p->normal, mu);
    p->desc.obstacle_count = 1;
    p->desc.obstacles = &p->plane;
    p->desc.positions = p->x;
}

/* A dome of the rest shape, so that hinges have rest curvature. */
static void curve(scene *s)
{
    int i;
    for (i = 0; i < s->desc.vertex_count; i++) {
        double *x = s->x + 3 * i;
        x[1] += 0.3 * cos(2.5 * x[0]) * cos(2 * x[2]) + 0.02 * sin(9 * x[0] + 4 * x[2]);
    }
}

static void hold(scene *s, int vertex, dcl_handle_kind kind)
{
    dcl_handle *handle = &s->handles[s->desc.handle_count++];
    handle->vertex = vertex;
    handle->kind = kind;
    handle->stiffness = 40;
}

static void add(scene *s, dcl_obstacle obstacle)
{
    s->obstacles[s->desc.obstacle_count++] = obstacle;
}

static void set_all(dcl_params *params, dcl_block block, double low, double high, unsigned seed)
{
    size_t k, count = dcl_params_count(params, block);
    for (k = 0; k < count; k++) {
        double value = low + (high - low) * 0.5 * (scene_random(&seed) + 1);
        dcl_params_set(params, block, k, 1, &value);
    }
}

/* Every force there is, uneven material. */
static void setup_forces(const scene *s, dcl_params *params)
{
    double wind[3] = {0.002, 0.001, 0.004}, air[3] = {1, 0.5, 3};
    (void)s;
    set_all(params, DCL_PARAM_STRETCH_SCALE, 0.7, 1.4, 1);
    set_all(params, DCL_PARAM_BEND_SCALE, 0.5, 1.5, 2);
    set_all(params, DCL_PARAM_FORCE, -0.02, 0.02, 3);
    dcl_params_set(params, DCL_PARAM_WIND_FORCE, 0, 3, wind);
    dcl_params_set1(params, DCL_PARAM_WIND_FREQUENCY, 9);
    dcl_params_set1(params, DCL_PARAM_WIND_PHASE, 0.4);
    dcl_params_set(params, DCL_PARAM_AIR_VELOCITY, 0, 3, air);
    dcl_params_set1(params, DCL_PARAM_AIR_NORMAL, 1.3);
    dcl_params_set1(params, DCL_PARAM_AIR_TANGENT, 0.2);
}

/* Handles on circles, small differences in force on every vertex. */
static void setup_handles(const scene *s, dcl_params *params)
{
    int f, i;
    setup_forces(s, params);
    dcl_params_set1(params, DCL_PARAM_DRAG, 0.02);
    for (f = 0; f < s->desc.handle_frames; f++)
        for (i = 0; i < s->desc.handle_count; i++) {
            double p[3], a = 0.15 * f + i;
            const double *x = s->x + 3 * s->handles[i].vertex;
            p[0] = x[0] + 0.03 * (cos(a) - cos((double)i));
            p[1] = x[1] + 0.02 * (sin(a) - sin((double)i));
            p[2] = x[2] + 0.01 * f;
            dcl_params_set(params, DCL_PARAM_HANDLE,
                           3 * ((size_t)f * (size_t)s->desc.handle_count + (size_t)i), 3, p);
        }
}

static void setup_contact(const scene *s, dcl_params *params)
{
    double air[3] = {0.3, 0.1, -0.2};
    (void)s;
    dcl_params_set(params, DCL_PARAM_AIR_VELOCITY, 0, 3, air);
    dcl_params_set1(params, DCL_PARAM_AIR_NORMAL, 0.4);
    dcl_params_set1(params, DCL_PARAM_AIR_TANGENT, 0.1);
    dcl_params_set1(params, DCL_PARAM_DRAG, 0.02);
    dcl_params_set1(params, DCL_PARAM_DAMPING, 0.03);
    set_all(params, DCL_PARAM_FORCE, -0.01, 0.01, 5);
    set_all(params, DCL_PARAM_STRETCH_SCALE, 0.8, 1.2, 6);
}

static void push(const scene *s, dcl_params *params, double x, double y, double z)
{
    size_t i;
    unsigned seed = 11;
    for (i = 0; i < (size_t)s->desc.vertex_count; i++) {
        double v[3];
        v[0] = x + s->spread * scene_random(&seed);
        v[1] = y + s->spread * scene_random(&seed);
        v[2] = z + s->spread * scene_random(&seed);
        dcl_params_set(params, DCL_PARAM_V0, 3 * i, 3, v);
    }
}

static void setup_slide(const scene *s, dcl_params *params)
{
    setup_contact(s, params);
    push(s, params, 1.2, 0, 0.4);
}

static void setup_takeoff(const scene *s, dcl_params *params)
{
    size_t i;
    setup_contact(s, params);
    push(s, params, 0.8, 0, 0.2);
    for (i = 0; i < (size_t)s->desc.vertex_count; i += 3) {
        double v[3] = {0.5, 1.5, 0.2};
        dcl_params_set(params, DCL_PARAM_V0, 3 * i, 3, v);
    }
}

static void setup_free(const scene *s, dcl_params *params)
{
    setup_forces(s, params);
    push(s, params, 0.1, 0.2, -0.1);
}

static void up(double *out, double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void scene_free(scene *s)
{
    scene_patch(s, 5, 0.8, 0);
    curve(s);
    s->desc.bend = 0.002;
    s->desc.damping = 0.3;
    s->desc.drag = 0.05;
    s->spread = 0.3;
    s->desc.force_frames = 6;
    s->setup = setup_free;
    s->steps = 8;
}

static void scene_hang(scene *s)
{
    scene_patch(s, 6, 0.8, 0);
    curve(s);
    s->desc.bend = 0.002;
    s->desc.damping = 0.1;
    hold(s, 0, DCL_HANDLE_HARD);
    hold(s, 5, DCL_HANDLE_SOFT);
    hold(s, 30, DCL_HANDLE_HARD);
    s->desc.handle_frames = 9;
    s->desc.force_frames = 1;
    s->setup = setup_handles;
    s->steps = 10;
}

static void scene_stick(scene *s)
{
    double p[3] = {0, 0, 0}, n[3];
    scene_patch(s, 5, 0.5, 0);
    curve(s);
    up(n, 0.2, 1, 0.1);
    p[1] = 0.18;
    s->desc.force_frames = 1;
    add(s, dcl_plane(p, n, 0.8));
    s->setup = setup_contact;
    s->steps = 15;
}

static void scene_slip(scene *s)
{
    double p[3] = {0, 0, 0}, n[3];
    scene_patch(s, 5, 0.5, 0);
    up(n, 0.5, 1, 0.1);
    p[1] = -0.16;
    s->desc.force_frames = 1;
    s->desc.damping = 0.05;
    add(s, dcl_plane(p, n, 0.15));
    s->spread = 0.05;
    s->setup = setup_slide;
    s->steps = 15;
}

static void scene_frictionless(scene *s)
{
    double c[3] = {0.05, -0.32, 0.03};
    scene_patch(s, 6, 0.6, 0);
    s->desc.force_frames = 1;
    add(s, dcl_sphere(c, 0.3, 0));
    s->setup = setup_contact;
    s->steps = 14;
}

static void scene_sphere(scene *s)
{
    double c[3] = {0.05, -0.32, 0.03};
    scene_patch(s, 7, 0.6, 0);
    s->desc.bend = 1e-3;
    s->desc.force_frames = 1;
    s->desc.damping = 0.02;
    s->spread = 0.02;
    add(s, dcl_sphere(c, 0.3, 0.25));
    s->setup = setup_slide;
    s->steps = 18;
}

static void scene_takeoff(scene *s)
{
    double p[3] = {0, 0, 0}, n[3];
    scene_patch(s, 5, 0.5, 0);
    up(n, 0.1, 1, 0.05);
    p[1] = -0.03;
    s->desc.force_frames = 1;
    s->spread = 0.05;
    add(s, dcl_plane(p, n, 0.3));
    s->setup = setup_takeoff;
    s->steps = 15;
}

static void scene_moving_plane(scene *s)
{
    double p[3] = {0.1, -0.08, 0}, n[3];
    dcl_obstacle plane;
    scene_patch(s, 5, 0.5, 0);
    up(n, 0.1, 1, -0.1);
    plane = dcl_plane(p, n, 0.4);
    up(plane.velocity, 0.4, 0.3, -0.2);
    up(plane.angular_velocity, 0.5, 2, -0.3);
    s->desc.force_frames = 1;
    s->spread = 0.05;
    add(s, plane);
    s->setup = setup_slide;
    s->steps = 15;
}

static void scene_moving_sphere(scene *s)
{
    double c[3] = {-0.1, -0.33, 0.03};
    dcl_obstacle ball;
    scene_patch(s, 7, 0.6, 0);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    ball = dcl_sphere(c, 0.3, 0.5);
    up(ball.velocity, 0.6, 0.4, 0.1);
    up(ball.angular_velocity, 1, 3, 0.5);
    up(ball.rotation, 0.3, 0.1, 0);
    add(s, ball);
    s->setup = setup_contact;
    s->steps = 15;
}

/* A trough of two planes whose bottom line holds nodes that touch both, and a ball beside. */
static void scene_wedge(scene *s)
{
    double p[3] = {0, -0.12, 0}, n[3], c[3] = {0.3, -0.25, 0.6};
    scene_patch(s, 5, 0.5, 0);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    up(n, 0.6, 1, 0);
    add(s, dcl_plane(p, n, 0.2));
    up(n, -0.7, 1, 0.05);
    add(s, dcl_plane(p, n, 0.1));
    add(s, dcl_sphere(c, 0.2, 0.3));
    s->setup = setup_slide;
    s->steps = 15;
}

static void scene_contact_set(scene *s)
{
    scene_sphere(s);
    s->desc.contact = DCL_CONTACT_SET;
    s->desc.contact_distance = 0.005;
}

void scene_layer(scene *s, int side, double width, double x, double y, double z, double angle)
{
    scene one;
    int n = s->desc.vertex_count, m = s->desc.triangle_count, i, k;
    memset(&one, 0, sizeof one);
    scene_patch(&one, side, width, y);
    for (i = 0; i < side * side; i++) {
        const double *from = one.x + 3 * i;
        double *to = s->x + 3 * (n + i);
        to[0] = x + cos(angle) * from[0] - sin(angle) * from[2];
        to[1] = from[1];
        to[2] = z + sin(angle) * from[0] + cos(angle) * from[2];
    }
    for (k = 0; k < 3 * one.desc.triangle_count; k++) s->triangles[3 * m + k] = n + one.triangles[k];
    s->desc.vertex_count = n + side * side;
    s->desc.triangle_count = m + one.desc.triangle_count;
    scene_fix(s);
}

void scene_feel_itself(scene *s, double friction, double thickness)
{
    s->desc.self_contact = DCL_SELF_SURFACE;
    s->desc.self_friction = friction;
    s->desc.self_thickness = thickness;
}

/* Two layers; the lower one lies on a plane that is pulled away. */
static void scene_self_stack(scene *s)
{
    double p[3] = {0, 0, 0}, n[3] = {0, 1, 0};
    dcl_obstacle table = dcl_plane(p, n, 0.6);
    scene_layer(s, 4, 0.5, 0, 0.004, 0, 0);
    scene_layer(s, 4, 0.42, 0.02, 0.029, 0.03, 0.4);
    scene_feel_itself(s, 0.2, 0.02);
    up(table.velocity, 0.5, 0, 0.2);
    s->desc.force_frames = 1;
    add(s, table);
    s->setup = setup_contact;
    s->steps = 14;
}

/* Two layers over a ball. */
static void scene_self_sphere(scene *s)
{
    double c[3] = {0.05, -0.31, 0.03};
    scene_layer(s, 5, 0.6, 0, 0, 0, 0);
    scene_layer(s, 4, 0.45, 0.02, 0.03, 0.03, 0.5);
    scene_feel_itself(s, 0.3, 0.02);
    s->desc.force_frames = 1;
    add(s, dcl_sphere(c, 0.3, 0.25));
    s->setup = setup_slide;
    s->spread = 0.02;
    s->steps = 12;
}

/* First positions: the flat patch folded over a line, one half above the other. */
static void fold(const scene *s, dcl_params *params, double line, double radius)
{
    int i;
    for (i = 0; i < s->desc.vertex_count; i++) {
        double x[3], along = s->x[3 * i] - line, turn = 3.141592653589793 * radius;
        memcpy(x, s->x + 3 * i, sizeof x);
        if (along > turn) {
            x[0] = line - (along - turn);
            x[1] += 2 * radius;
        } else if (along > 0) {
            x[0] = line + radius * sin(along / radius);
            x[1] += radius * (1 - cos(along / radius));
        }
        dcl_params_set(params, DCL_PARAM_X0, 3 * (size_t)i, 3, x);
    }
}

static void setup_fold(const scene *s, dcl_params *params)
{
    setup_contact(s, params);
    fold(s, params, 0.04, 0.035);
    push(s, params, 0, -0.1, 0);
}

/* A folded patch between a table and a plate that comes down and slides. */
static void scene_self_fold(scene *s)
{
    double p[3] = {0, 0, 0}, n[3] = {0, 1, 0}, q[3] = {0, 0.085, 0}, down[3] = {0, -1, 0};
    dcl_obstacle plate = dcl_plane(q, down, 0.4);
    int i;
    scene_patch(s, 6, 0.5, 0.003);
    for (i = 0; i < s->desc.vertex_count; i++) s->x[3 * i + 2] += 0.06 * s->x[3 * i];
    scene_feel_itself(s, 0.3, 0.02);
    s->desc.bend = 2e-4;
    s->desc.force_frames = 1;
    add(s, dcl_plane(p, n, 0.5));
    up(plate.velocity, 0.3, -0.3, 0.1);
    add(s, plate);
    s->setup = setup_fold;
    s->steps = 11;
}

static void setup_drop(const scene *s, dcl_params *params)
{
    size_t i;
    setup_contact(s, params);
    fold(s, params, 0.0, 0.06);
    for (i = 0; i < (size_t)s->desc.vertex_count; i++) {
        double v[3] = {0.2, -0.2, 0.1};
        if (dcl_params_get(params, DCL_PARAM_X0)[3 * i + 1] > 0.1) v[1] = -2.5;
        dcl_params_set(params, DCL_PARAM_V0, 3 * i, 3, v);
    }
}

/* A patch whose upper half falls on its lower half faster than one thickness per step. */
static void scene_self_drop(scene *s)
{
    double p[3] = {0, 0, 0}, n[3] = {0, 1, 0};
    int i;
    scene_patch(s, 6, 0.6, 0.01);
    for (i = 0; i < s->desc.vertex_count; i++) s->x[3 * i + 2] += 0.09 * s->x[3 * i];
    scene_feel_itself(s, 0.2, 0.015);
    s->desc.bend = 1e-4;
    s->desc.force_frames = 1;
    add(s, dcl_plane(p, n, 0.3));
    s->setup = setup_drop;
    s->steps = 9;
}

/* The paper's contacts between vertices. */
static void scene_self_nodes(scene *s)
{
    scene_self_stack(s);
    s->desc.self_contact = DCL_SELF_NODES;
    s->desc.self_thickness = 0.03;
}

/* A capsule and a tapered one side by side under the patch. */
static void scene_capsule(scene *s)
{
    double a[3] = {-0.25, -0.13, -0.15}, b[3] = {0.25, -0.1, -0.1};
    double c[3] = {-0.3, -0.12, 0.2}, d[3] = {0.1, -0.09, 0.12};
    scene_patch(s, 5, 0.5, 0);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    add(s, dcl_capsule(a, b, 0.08, 0.2));
    add(s, dcl_tapered_capsule(c, d, 0.09, 0.05, 0.15));
    s->setup = setup_slide;
    s->steps = 7;
}

static void scene_moving_capsule(scene *s)
{
    scene_capsule(s);
    up(s->obstacles[0].velocity, 0.3, 0.4, 0.1);
    up(s->obstacles[0].angular_velocity, 0.5, 2, 0.4);
    up(s->obstacles[1].velocity, -0.2, 0.5, 0.1);
    up(s->obstacles[1].angular_velocity, 0.3, -1, 1.5);
    s->obstacles[1].friction = 0.6;
    s->setup = setup_contact;
}

static void scene_torus(scene *s)
{
    double c[3] = {0.02, -0.06, 0.03}, n[3] = {0.1, 1, 0.2};
    dcl_obstacle ring = dcl_torus(c, n, 0.17, 0.05, 0.25);
    scene_patch(s, 6, 0.6, 0);
    up(ring.velocity, 0.2, 0.4, 0.1);
    up(ring.angular_velocity, 0.5, 1.5, -0.4);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    add(s, ring);
    s->setup = setup_slide;
    s->steps = 12;
}

/* An edge and two corners of a rounded box point upwards. */
static void scene_box(scene *s)
{
    double c[3] = {0.03, -0.17, 0.02}, half[3] = {0.12, 0.1, 0.14};
    dcl_obstacle box = dcl_box(c, half, 0.03, 0.2);
    scene_patch(s, 6, 0.6, 0);
    up(box.rotation, 0.2, 0.1, 0.7);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    add(s, box);
    s->setup = setup_slide;
    s->steps = 12;
}

static void scene_moving_box(scene *s)
{
    scene_box(s);
    up(s->obstacles[0].velocity, 0.2, 0.3, -0.1);
    up(s->obstacles[0].angular_velocity, 0.4, 2, -0.5);
    s->obstacles[0].friction = 0.5;
    s->setup = setup_contact;
}

/* Inside of a sphere. */
static void scene_bowl(scene *s)
{
    double c[3] = {0.03, 0.15, -0.02};
    dcl_obstacle bowl = dcl_bowl(c, 0.36, 0.2);
    scene_patch(s, 5, 0.55, 0);
    up(bowl.angular_velocity, 0.3, 1, 0.2);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    add(s, bowl);
    s->setup = setup_slide;
    s->steps = 12;
}

static const double stone_x[24] = {0.21,  0.02,  0.01, -0.2, -0.01, 0.03,  0.02, 0.19,
                                   -0.02, -0.01, -0.2, 0.02, 0.01,  0.03,  0.22, 0.02,
                                   -0.02, -0.19, 0.13, 0.12, 0.14,  -0.12, 0.13, 0.11};
static const int stone_triangles[36] = {2, 4, 6, 4, 0, 6, 0, 2, 6, 2, 1, 7, 1, 4, 7, 4, 2, 7,
                                        0, 4, 3, 4, 1, 3, 0, 5, 2, 2, 5, 1, 3, 5, 0, 1, 5, 3};
const dcl_surface scene_stone = {8, stone_x, 12, stone_triangles};

static const double roof_x[18] = {-0.2, 0, -0.2, 0, 0.1, -0.2, 0.2, 0, -0.2,
                                  -0.2, 0, 0.2,  0, 0.1, 0.2,  0.2, 0, 0.2};
static const int roof_triangles[12] = {0, 3, 4, 0, 4, 1, 1, 4, 5, 1, 5, 2};
const dcl_surface scene_roof = {6, roof_x, 4, roof_triangles};

/* Over an edge, a corner and faces of a moving stone, and beside the ridge of a roof. */
static void scene_mesh(scene *s)
{
    dcl_obstacle stone = dcl_mesh(&scene_stone, 0.02, 0.2), roof = dcl_mesh(&scene_roof, 0.03, 0.3);
    scene_patch(s, 6, 0.6, 0);
    up(stone.position, -0.12, -0.24, 0.03);
    up(stone.rotation, 0.3, 0.2, -0.1);
    up(stone.velocity, 0.1, 0.3, 0.05);
    up(stone.angular_velocity, 0.3, 1.2, -0.4);
    up(roof.position, 0.25, -0.16, 0.02);
    up(roof.rotation, 0.1, 0.4, 0.1);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    add(s, stone);
    add(s, roof);
    s->setup = setup_slide;
    s->steps = 12;
}

/* A cone, a cylinder and a disc, each under a part of the patch. */
static void scene_solids(scene *s)
{
    double base[3] = {0.17, -0.2, 0.15}, tip[3] = {0.18, -0.02, 0.16};
    double a[3] = {-0.3, -0.09, -0.05}, b[3] = {-0.05, -0.1, 0.25};
    double c[3] = {0.08, -0.05, -0.17}, n[3] = {0.2, 1, -0.3};
    dcl_obstacle disc = dcl_disc(c, n, 0.12, 0.02, 0.15);
    scene_patch(s, 6, 0.6, 0);
    up(disc.velocity, 0.1, 0.2, 0);
    up(disc.angular_velocity, 0.3, 1, 0.2);
    s->desc.force_frames = 1;
    s->spread = 0.02;
    add(s, dcl_cone(base, tip, 0.15, 0.01, 0.3));
    add(s, dcl_cylinder(a, b, 0.05, 0.02, 0.2));
    add(s, disc);
    s->setup = setup_slide;
    s->steps = 12;
}

typedef struct scene_entry {
    const char *name;
    void (*fill)(scene *s);
} scene_entry;

static const scene_entry entries[] = {
    {"free", scene_free},
    {"hang", scene_hang},
    {"plane_stick", scene_stick},
    {"plane_slip", scene_slip},
    {"plane_takeoff", scene_takeoff},
    {"sphere", scene_sphere},
    {"sphere_frictionless", scene_frictionless},
    {"sphere_contact_set", scene_contact_set},
    {"moving_plane", scene_moving_plane},
    {"moving_sphere", scene_moving_sphere},
    {"wedge", scene_wedge},
    {"self_stack", scene_self_stack},
    {"self_sphere", scene_self_sphere},
    {"self_fold", scene_self_fold},
    {"self_drop", scene_self_drop},
    {"self_nodes", scene_self_nodes},
    {"capsule", scene_capsule},
    {"moving_capsule", scene_moving_capsule},
    {"torus", scene_torus},
    {"box", scene_box},
    {"moving_box", scene_moving_box},
    {"bowl", scene_bowl},
    {"solids", scene_solids},
    {"mesh", scene_mesh},
};

int scene_count(void)
{
    return (int)(sizeof entries / sizeof entries[0]);
}

void scene_get(int index, scene *s)
{
    memset(s, 0, sizeof *s);
    s->desc = dcl_default_model_desc();
    s->desc.stretch = 60;
    s->h = 0.01;
    entries[index].fill(s);
    s->name = entries[index].name;
}
