/* sock.c - assisted dressing: four grippers pull a sock over a foot. Their paths, 36 numbers, are
   found from the gradient of where points of the sock are half way and at the end.
   The leg is two capsules that meet in the heel.
   cc -O2 -I. examples/sock.c -lm -o sock */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_OPTIM_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_SIM_IMPLEMENTATION
#define DCX_CONTROL_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_control.h"
#include "dcx_mesh.h"
#include "dcx_page.h"
#include "dcx_sim.h"

#include <stdio.h>

enum { GRIPPERS = 4, UNKNOWNS = 9 * GRIPPERS, BONES = 2, TERMS = 2 * GRIPPERS + 2 };

typedef struct scene {
    dcx_mesh mesh;
    double *worn; /* n x 3: where the sock is when it is on the foot */
    dcl_model *model;
    dcl_obstacle bones[BONES]; /* shin and foot */
    dcl_handle hold[GRIPPERS];
    int grips[GRIPPERS], keys[2]; /* heel, toe */
    double grip[3 * GRIPPERS];
    double h, size;
    int steps;
    double lower[UNKNOWNS], upper[UNKNOWNS], start_lower[UNKNOWNS], start_upper[UNKNOWNS];
    dcx_control_term terms[TERMS];
    double *frames, *handles;
} scene;

/* The leg stands where the sock is to be worn; the sock starts before the toes, opening first. */
static int make_sock(scene *s, const dcx_app *app, dcx_error *error)
{
    static const double knee[3] = {-0.0725, 0.40, 0}, heel[3] = {-0.070, 0.036, 0};
    static const double toe[3] = {0.110, 0.030, 0};
    const double z[3] = {0, 0, 1}, shift[3] = {0.455, 0.1025, 0};
    size_t bytes;
    int k;
    if (dcx_mesh_sock(&s->mesh, app->full || app->paper ? 0.012 : 0.0156, s->grips, s->keys, error))
        return -1;
    bytes = 3 * (size_t)s->mesh.vertex_count * sizeof(double);
    s->worn = (double *)malloc(bytes);
    if (!s->worn) return -1;
    memcpy(s->worn, s->mesh.positions, bytes);
    dcx_points_turn(s->mesh.positions, s->mesh.vertex_count, z, 2 * atan(1.0), NULL);
    dcx_points_move(s->mesh.positions, s->mesh.vertex_count, 1, shift);
    s->bones[0] = dcl_capsule(heel, knee, 0.026, 0); /* without friction, as the paper's */
    s->bones[1] = dcl_capsule(heel, toe, 0.026, 0);
    for (k = 0; k < GRIPPERS; k++) {
        s->hold[k].vertex = s->grips[k];
        s->hold[k].kind = DCL_HANDLE_SOFT;
        s->hold[k].stiffness = 500;
        memcpy(s->grip + 3 * k, s->mesh.positions + 3 * (size_t)s->grips[k], 3 * sizeof(double));
    }
    s->size = 0.26;
    s->steps = app->full || app->paper ? 400 : 200;
    s->h = 1.0 / s->steps;
    return 0;
}

/* The end points lie near the leg at the height of the worn opening; the paths first lead along the
   foot, then up. */
static void make_bounds(scene *s)
{
    static const double along[3] = {-0.85, 0, 0}, up[3] = {0, 0.7, 0};
    int g, a, k;
    for (g = 0; g < GRIPPERS; g++)
        for (a = 0; a < 3; a++)
            for (k = 0; k < 3; k++) {
                int at = 9 * g + 3 * k + a;
                double worn = s->worn[3 * s->grips[g] + a];
                double middle = k == 0 ? worn : k == 1 ? along[a] : up[a];
                double wide = k ? 2 : 0.3, near_by = k ? 0.05 : 0.03;
                s->lower[at] = middle - wide;
                s->upper[at] = middle + wide;
                s->start_lower[at] = middle - near_by;
                s->start_upper[at] = middle + near_by;
            }
}

/* Pairs of a point of the sock and where it should be: half way, the opening goes around the heel,
   turned by half a right angle; at the end, opening, heel and toe are where they are worn. */
static void make_terms(scene *s)
{
    static const double worn[3] = {-0.0725, 0.26, 0}, heel[3] = {-0.075, 0.05, 0}, z[3] = {0, 0, 1};
    const int half = (int)(0.62 * s->steps + 0.5);
    dcx_control_term *t = s->terms;
    int k, a;
    for (k = 0; k < TERMS; k++, t++) {
        int early = k < GRIPPERS, key = k - 2 * GRIPPERS;
        t->vertex = key < 0 ? s->grips[k % GRIPPERS] : s->keys[key];
        t->frame = early ? half : s->steps;
        memcpy(t->target, s->worn + 3 * (size_t)t->vertex, sizeof t->target);
        if (early) {
            dcx_points_turn(t->target, 1, z, atan(1.0), worn);
            for (a = 0; a < 3; a++) t->target[a] += heel[a] - worn[a];
        }
        for (a = 0; a < 3; a++) t->weight[a] = 1.0 / TERMS;
    }
}

static int scene_create(scene *s, const dcx_app *app, dcx_error *error)
{
    dcl_model_desc desc = dcl_default_model_desc();
    if (app->mesh) {
        dcx_error_set(error, DCX_BAD_ARGUMENT,
                      "--mesh is not supported: the leg fits our sock only");
        return -1;
    }
    dcx_error_set(error, DCX_OUT_OF_MEMORY, "not enough memory");
    if (make_sock(s, app, error)) return -1;
    make_bounds(s);
    make_terms(s);
    dcx_sim_mesh(&desc, &s->mesh);
    desc.obstacle_count = BONES;
    desc.obstacles = s->bones;
    desc.handle_count = GRIPPERS;
    desc.handles = s->hold;
    desc.handle_frames = s->steps + 1;
    desc.stretch = 150;
    desc.bend = 2e-3;
    desc.density = 0.2;
    desc.damping = 1;
    desc.logger.log = dcx_log_error;
    desc.logger.user = error;
    return dcl_model_create(&desc, &s->model) == DCL_OK ? 0 : -1;
}

static void scene_destroy(scene *s)
{
    free(s->frames);
    free(s->worn);
    dcl_model_destroy(s->model);
    dcx_mesh_destroy(&s->mesh);
}

static int map(void *user, const double *values, dcl_params *params, double *directions)
{
    const scene *s = (const scene *)user;
    size_t size = dcl_params_size(params);
    int g;
    for (g = 0; g < GRIPPERS; g++)
        if (dcx_gripper_path(params, GRIPPERS, g, 1, s->steps, s->grip + 3 * g, s->grip + 3 * g,
                             values + 9 * g,
                             directions ? directions + (size_t)(9 * g) * size : NULL))
            return -1;
    return 0;
}

typedef struct outcome {
    double half, end;   /* rms distance of the key points */
    int inside, inward; /* points of the leg below the opening: in the sock, and all */
} outcome;

/* The solid angle of the sock as seen from a point, over that of the full sphere: near 1 inside,
   near 0 outside (van Oosterom, Strackee 1983). */
static double winding(const scene *s, const double *x, const double p[3])
{
    double sum = 0, cross[3];
    int t, k;
    for (t = 0; t < s->mesh.triangle_count; t++) {
        double v[3][3], length[3], above, below;
        for (k = 0; k < 3; k++) {
            dcx_vec_subtract(x + 3 * (size_t)s->mesh.triangles[3 * t + k], p, v[k]);
            length[k] = dcx_vec_length(v[k]);
        }
        dcx_vec_cross(v[1], v[2], cross);
        above = dcx_vec_dot(v[0], cross);
        below = length[0] * length[1] * length[2] + dcx_vec_dot(v[0], v[1]) * length[2] +
                dcx_vec_dot(v[1], v[2]) * length[0] + dcx_vec_dot(v[2], v[0]) * length[1];
        sum += 2 * atan2(above, below);
    }
    return sum / (16 * atan(1.0));
}

/* Is the leg, up to half a hand below the opening, inside the sock? Points along both bones. */
static void look_inside(const scene *s, const double *x, outcome *out)
{
    int b, k, c;
    for (b = 0; b < BONES; b++)
        for (k = -4; k <= 4; k++) {
            const dcl_obstacle *bone = &s->bones[b];
            double along[3] = {0, 0, 0}, p[3];
            along[1] = bone->size[1] * k / 4;
            dcx_points_turn(along, 1, bone->rotation, dcx_vec_length(bone->rotation), NULL);
            for (c = 0; c < 3; c++) p[c] = bone->position[c] + along[c];
            if (p[1] > 0.21) continue;
            out->inward++;
            out->inside += winding(s, x, p) > 0.5;
        }
}

static double key_distance(const scene *s, int frame)
{
    const double *x = s->frames + (size_t)frame * 3 * (size_t)s->mesh.vertex_count;
    double sum = 0;
    int k, count = 0;
    for (k = 0; k < TERMS; k++) {
        const dcx_control_term *t = &s->terms[k];
        double d = dcx_vec_distance(x + 3 * (size_t)t->vertex, t->target);
        if (t->frame != frame) continue;
        sum += d * d;
        count++;
    }
    return sqrt(sum / count);
}

static int replay(scene *s, dcx_control *c, outcome *out)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count, frames = (size_t)s->steps + 1;
    s->frames = (double *)calloc(frames * (n3 + 3 * GRIPPERS), sizeof(double));
    if (!s->frames) return -1;
    s->handles = s->frames + frames * n3;
    if (dcx_control_replay(c, c->best, s->frames, s->handles)) return -1;
    out->half = key_distance(s, s->terms[0].frame);
    out->end = key_distance(s, s->steps);
    look_inside(s, s->frames + (size_t)s->steps * n3, out);
    return 0;
}

static int write_page(const scene *s, dcx_control *c, const char *path, dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_obstacle bones[BONES];
    double poses[BONES][7];
    dcx_plot_desc chart;
    int k;
    if (dcx_control_chart(c, "m^2", &chart)) return -1;
    memset(bones, 0, sizeof bones);
    for (k = 0; k < BONES; k++) {
        double axis[3] = {0, 1, 0};
        dcx_points_turn(axis, 1, s->bones[k].rotation, dcx_vec_length(s->bones[k].rotation), NULL);
        dcx_page_pose(s->bones[k].position, axis, poses[k]);
        bones[k].shape = DCX_PAGE_CAPSULE;
        bones[k].label = "leg";
        bones[k].radius = s->bones[k].size[0];
        bones[k].size[1] = s->bones[k].size[1];
        bones[k].pose_count = 1;
        bones[k].poses = poses[k];
    }
    page.title = "A sock for a foot";
    page.description = "Four grippers pull the sock over the foot. Their paths are found from the "
                       "gradient of where the sock is half way and at the end.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = s->frames;
    page.obstacle_count = BONES;
    page.obstacles = bones;
    page.handle_count = GRIPPERS;
    page.handles = s->handles;
    page.handle_label = "grippers";
    page.chart_count = 1;
    page.charts = &chart;
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

static void print_result(dcx_app *app, const scene *s, const dcx_control *c, const outcome *out,
                         int ok, const char *path)
{
    dcx_json j;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "sock");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_string(&j, "method", app->method);
    dcx_json_integer(&j, "vertices", s->mesh.vertex_count);
    dcx_json_integer(&j, "steps", s->steps);
    dcx_json_number(&j, "h", s->h);
    dcx_json_integer(&j, "unknowns", UNKNOWNS);
    dcx_control_json(&j, c);
    dcx_json_number(&j, "distance_half_way", out->half);
    dcx_json_number(&j, "distance_end", out->end);
    dcx_json_integer(&j, "points_inside", out->inside);
    dcx_json_integer(&j, "points", out->inward);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, path);
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

static int run(dcx_app *app, scene *s, dcx_control *c, int *ok, dcx_error *error)
{
    dcx_control_desc desc;
    outcome out;
    char path[512];
    if (scene_create(s, app, error) || dcx_app_path(app, "sock.html", path, sizeof path, error))
        return -1;
    memset(&out, 0, sizeof out);
    desc = dcx_default_control_desc(s->model, s->h, s->steps);
    desc.count = UNKNOWNS;
    desc.lower = s->lower;
    desc.upper = s->upper;
    desc.start_lower = s->start_lower;
    desc.start_upper = s->start_upper;
    desc.map = map;
    desc.user = s;
    desc.target = 1.5e-3 * s->size * s->size; /* rms 4 % of the height */
    desc.evaluations = app->full || app->paper ? 60 : 7;
    desc.blocks = DCL_BLOCK_BIT(DCL_PARAM_HANDLE);
    desc.term_count = TERMS;
    desc.terms = s->terms;
    if (dcx_control_create(c, &desc) || dcx_control_starts(c, app) || replay(s, c, &out)) {
        dcx_error_set(error, DCX_OUT_OF_MEMORY, "the motion cannot be computed");
        return -1;
    }
    *ok = out.end < 0.05 * s->size && out.half < 0.1 * s->size && out.inside == out.inward;
    dcx_app_print(app,
                  "rms distance of the key points, %% of the sock's height: %.2g half way, %.2g at "
                  "the end; %d of %d points of the leg are inside\n",
                  100 * out.half / s->size, 100 * out.end / s->size, out.inside, out.inward);
    if (write_page(s, c, path, error)) return -1;
    print_result(app, s, c, &out, *ok, path);
    return 0;
}

int main(int argc, char **argv)
{
    dcx_app_desc about = dcx_app_default_desc("sock", "four grippers pull a sock over a foot");
    dcx_app app;
    dcx_error error;
    dcx_control control;
    scene s;
    int status, ok = 0;
    about.seeds = 1;
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (app.motion) return dcx_app_fail(&app, "--motion: no motion is fitted here");
    memset(&s, 0, sizeof s);
    memset(&control, 0, sizeof control);
    memset(&error, 0, sizeof error);
    status = run(&app, &s, &control, &ok, &error) ? dcx_app_fail(&app, error.text) : !ok;
    dcx_control_destroy(&control);
    scene_destroy(&s);
    return status;
}
