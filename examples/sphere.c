/* sphere.c - a napkin falls on a ball and slides; its friction is recovered from its recorded motion,
   from several starts.
   cc -O2 -I. examples/sphere.c -lm -o sphere */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_OPTIM_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_SIM_IMPLEMENTATION
#define DCX_FIT_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_fit.h"
#include "dcx_mesh.h"
#include "dcx_page.h"
#include "dcx_sim.h"

#include <stdio.h>

static const double truth = 0.3, lower = 0.01, upper = 0.95;

typedef struct scene {
    dcx_mesh mesh;
    dcl_model *model;
    dcl_obstacle ball;
    double h;
    int steps;
    double *frames, *result; /* (steps + 1) x n x 3 */
} scene;

/* The napkin and the ball; the paper's numbers or a smaller scene in SI units. */
static int scene_create(scene *s, dcx_app *app, dcx_error *error)
{
    int side = app->full || app->paper ? 25 : 15;
    double size = app->paper ? 4.5 : 0.9;
    const double paper[3] = {0.6, -2.1, 0.2}, ours[3] = {0.12, -0.43, 0.04};
    dcl_model_desc desc = dcl_default_model_desc();
    static char name[] = "sphere";
    memset(s, 0, sizeof *s);
    if (app->mesh ? dcx_obj_read(app->mesh, &s->mesh, error)
                  : dcx_mesh_grid(&s->mesh, side, side, size, size, DCX_DIAGONALS_ONE, DCX_PLANE_XZ,
                                  error))
        return -1;
    if (app->mesh) dcx_points_fit(s->mesh.positions, s->mesh.vertex_count, size);
    s->h = app->full || app->paper ? 1.0 / 180 : 0.01;
    s->steps = app->full || app->paper ? 350 : 100;
    s->ball = dcl_sphere(app->paper ? paper : ours, app->paper ? 2 : 0.4, truth);
    dcx_sim_mesh(&desc, &s->mesh);
    desc.obstacle_count = 1;
    desc.obstacles = &s->ball;
    desc.stretch = app->paper ? 150 : 60;
    desc.bend = app->paper ? 1e-5 : 1e-4;
    desc.density = app->paper ? 0.3 : 0.2;
    desc.damping = app->paper ? 0 : 0.02;
    if (app->paper) desc.gravity[1] = -9.8;
    desc.logger.log = dcx_log_print;
    desc.logger.user = name;
    if (dcl_model_create(&desc, &s->model) != DCL_OK) {
        dcx_error_set(error, DCX_BAD_FORMAT, "the mesh is not a cloth");
        return -1;
    }
    s->frames = (double *)calloc((size_t)(s->steps + 1) * 6 * (size_t)s->mesh.vertex_count,
                                 sizeof(double));
    s->result = s->frames + (size_t)(s->steps + 1) * 3 * (size_t)s->mesh.vertex_count;
    if (!s->frames) dcx_error_set(error, DCX_OUT_OF_MEMORY, "not enough memory");
    return s->frames ? 0 : -1;
}

static void scene_destroy(scene *s)
{
    free(s->frames);
    dcl_model_destroy(s->model);
    dcx_mesh_destroy(&s->mesh);
}

/* The motion with the given friction into frames. */
static int record(const scene *s, dcx_fit *fit, double friction, double *frames)
{
    size_t n3 = 3 * (size_t)s->mesh.vertex_count;
    int k;
    if (dcl_params_set1(fit->params, DCL_PARAM_FRICTION, friction) != DCL_OK) return -1;
    dcl_state_reset(fit->state, fit->params);
    memcpy(frames, fit->state->x, n3 * sizeof(double));
    for (k = 1; k <= s->steps; k++) {
        if (dcl_step(fit->workspace, fit->params, fit->state, s->h, NULL, NULL) != DCL_OK) return -1;
        memcpy(frames + (size_t)k * n3, fit->state->x, n3 * sizeof(double));
    }
    return 0;
}

/* From one start: windows that grow, so that the basin is found before chaos sets in; if the end is
   still a local minimum, again from a few other values. */
static double recover(const scene *s, dcx_fit *fit, dcx_optim_method method, double start,
                      double *misfit)
{
    static const double parts[3] = {0.5, 0.75, 1};
    static const double others[4] = {0, 0.15, 0.4, 0.7};
    double best = start, good = 1e-12 * dcx_vec_dot(s->ball.position, s->ball.position);
    int attempt, part;
    *misfit = INFINITY;
    for (attempt = 0; attempt < 4 && !(*misfit < good); attempt++) {
        double mu = attempt ? others[attempt] : start, f = INFINITY;
        for (part = 0; part < 3; part++) {
            dcx_fit_window(fit, 0, (int)(parts[part] * s->steps));
            f = dcx_fit_minimize(fit, method, 30, &mu).f;
        }
        if (f < *misfit) {
            *misfit = f;
            best = mu;
        }
    }
    return best;
}

static int write_page(const scene *s, const dcx_fit *fit, const char *path, double start,
                      double mu, dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    dcx_page_obstacle ball;
    dcx_page_row row;
    dcx_plot_series series;
    dcx_plot_desc chart = dcx_default_plot_desc();
    double pose[7];
    memset(&row, 0, sizeof row);
    memset(&series, 0, sizeof series);
    dcx_page_ball(&ball, pose, "ball", s->ball.position, s->ball.size[0]);
    row.name = "friction";
    row.unit = "";
    row.start = start;
    row.recovered = mu;
    row.truth = truth;
    series.label = "misfit";
    series.count = fit->evaluations < 512 ? fit->evaluations : 512;
    series.y = fit->history;
    series.style = DCX_PLOT_BEST;
    chart.title = "Misfit";
    chart.x_label = "evaluation";
    chart.y_label = "m^2";
    chart.log_y = 1;
    chart.series_count = 1;
    chart.series = &series;
    page.title = "A napkin on a ball";
    page.description = "Friction recovered from the motion.";
    page.vertex_count = s->mesh.vertex_count;
    page.triangle_count = s->mesh.triangle_count;
    page.triangles = s->mesh.triangles;
    page.frame_count = s->steps + 1;
    page.frame_seconds = s->h;
    page.frames = s->result;
    page.target_frames = s->frames;
    page.obstacle_count = 1;
    page.obstacles = &ball;
    page.row_count = 1;
    page.rows = &row;
    page.chart_count = 1;
    page.charts = &chart;
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

static void print_result(dcx_app *app, const scene *s, const dcx_fit *fit, int ok, int recovered,
                         const double *first, const char *path)
{
    dcx_json j;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "sphere");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_integer(&j, "vertices", s->mesh.vertex_count);
    dcx_json_integer(&j, "steps", s->steps);
    dcx_json_number(&j, "h", s->h);
    dcx_fit_json(&j, fit);
    dcx_json_number(&j, "loss_initial", 2 * first[1]);
    dcx_json_number(&j, "loss_final", 2 * first[2]);
    dcx_json_integer(&j, "evaluations", fit->evaluations);
    dcx_json_integer(&j, "time_steps", fit->forward_steps + fit->backward_steps);
    dcx_json_object(&j, "truth");
    dcx_json_number(&j, "friction", truth);
    dcx_json_close(&j);
    dcx_json_object(&j, "recovered");
    dcx_json_number(&j, "friction", first[0]);
    dcx_json_close(&j);
    dcx_json_integer(&j, "starts", app->seeds);
    dcx_json_integer(&j, "starts_recovered", recovered);
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, path);
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

int main(int argc, char **argv)
{
    dcx_app_desc about = dcx_app_default_desc("sphere", "recovers the friction of a napkin on a ball");
    dcx_fit_variable variable = {"friction", "", DCL_PARAM_FRICTION, 0, 0, 0};
    double first[3] = {0, 0, 0}, begin = 0;
    char path[512];
    dcx_app app;
    dcx_error error;
    dcx_random random;
    dcx_fit fit;
    scene s;
    int k, recovered = 0, status;
    about.method = "lm";
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (scene_create(&s, &app, &error)) return dcx_app_fail(&app, error.text);
    variable.lower = lower;
    variable.upper = upper;
    if (dcx_fit_create(&fit, s.model, s.h, s.frames, s.steps + 1, &variable, 1) ||
        record(&s, &fit, truth, s.frames))
        return dcx_app_fail(&app, "the scene cannot be computed");
    dcx_random_init(&random, app.seed);
    dcx_app_print(&app, "start     recovered  error      misfit\n");
    for (k = 0; k < app.seeds; k++) {
        double start = lower + (upper - lower) * dcx_random_uniform(&random), misfit, mu, initial;
        dcx_app_progress(&app, "recovering", (double)k / app.seeds);
        dcx_fit_window(&fit, 0, s.steps);
        initial = dcx_fit_evaluate(&fit, &start, NULL, NULL);
        mu = recover(&s, &fit, dcx_optim_method_named(app.method), start, &misfit);
        recovered += fabs(mu - truth) <= 0.01 * truth;
        dcx_app_print(&app, "%.4f    %.6f   %.2e   %.3e\n", start, mu, fabs(mu / truth - 1), misfit);
        if (k == 0) first[0] = mu, first[1] = initial, first[2] = misfit, begin = start;
    }
    dcx_app_progress(&app, "recovering", 1);
    if (dcx_app_path(&app, "sphere.html", path, sizeof path, &error) ||
        record(&s, &fit, first[0], s.result) || write_page(&s, &fit, path, begin, first[0], &error))
        return dcx_app_fail(&app, error.text);
    print_result(&app, &s, &fit, recovered == app.seeds, recovered, first, path);
    k = recovered == app.seeds ? 0 : 1;
    dcx_fit_destroy(&fit);
    scene_destroy(&s);
    return k;
}
