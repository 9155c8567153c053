/* bowl.c - a napkin falls into a bowl (the paper's Figure 5): its area over time with the library's
   contact, and with a plain position correction for comparison.
   cc -O2 -I. examples/bowl.c -lm -o bowl */
#define DIFFCLOTH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#define DCX_MESH_IMPLEMENTATION
#define DCX_PAGE_IMPLEMENTATION
#define DCX_SIM_IMPLEMENTATION
#include "diffcloth.h"
#include "dcx_app.h"
#include "dcx_mesh.h"
#include "dcx_page.h"
#include "dcx_sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double radius = 0.5, h = 0.005;

/* What one way to treat contact gave. */
typedef struct course {
    dcx_sim sim;
    double *frames, *area; /* (steps + 1) x n x 3 and steps + 1, area relative to the rest area */
    double seconds, residual_max, penetration;
    int unconverged;
} course;

static double area(const dcx_mesh *mesh, const double *x)
{
    double sum = 0, a[3], b[3], c[3];
    int t;
    for (t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles + 3 * t;
        dcx_vec_subtract(x + 3 * v[1], x + 3 * v[0], a);
        dcx_vec_subtract(x + 3 * v[2], x + 3 * v[0], b);
        dcx_vec_cross(a, b, c);
        sum += 0.5 * dcx_vec_length(c);
    }
    return sum;
}

static int course_create(course *c, const dcx_mesh *mesh, int steps, int contact, dcx_error *error)
{
    static char name[] = "bowl";
    const double centre[3] = {0, 0, 0};
    dcl_obstacle bowl = dcl_bowl(centre, radius, 0.2);
    dcl_model_desc desc = dcl_default_model_desc();
    memset(c, 0, sizeof *c);
    dcx_sim_mesh(&desc, mesh);
    desc.obstacle_count = contact;
    desc.obstacles = contact ? &bowl : NULL;
    desc.stretch = 200;
    desc.logger.log = dcx_log_print;
    desc.logger.user = name;
    c->frames = (double *)calloc((size_t)(steps + 1) * (3 * (size_t)mesh->vertex_count + 1),
                                 sizeof(double));
    if (!c->frames || dcx_sim_create(&c->sim, &desc)) {
        dcx_error_set(error, DCX_BAD_FORMAT, "the scene cannot be made");
        return -1;
    }
    c->area = c->frames + (size_t)(steps + 1) * 3 * (size_t)mesh->vertex_count;
    return 0;
}

static void course_destroy(course *c)
{
    free(c->frames);
    dcx_sim_destroy(&c->sim);
}

/* The correction without complementarity: what has gone through the surface is put back on it after
   the step, and the velocity is what led there. */
static void correct(dcl_state *state, const double *before, int vertices)
{
    int i, k;
    for (i = 0; i < vertices; i++) {
        double *x = state->x + 3 * i, r = dcx_vec_length(x);
        if (r <= radius) continue;
        for (k = 0; k < 3; k++) {
            x[k] *= radius / r;
            state->v[3 * i + k] = (x[k] - before[3 * i + k]) / h;
        }
    }
}

static int fall(course *c, const dcx_mesh *mesh, int steps, int contact, dcx_app *app)
{
    size_t n3 = 3 * (size_t)mesh->vertex_count;
    double rest = area(mesh, mesh->positions), start = dcx_seconds();
    int k, i;
    for (k = 0; k <= steps; k++) {
        double *now = c->frames + (size_t)k * n3;
        memcpy(now, c->sim.state->x, n3 * sizeof(double));
        c->area[k] = area(mesh, now) / rest;
        for (i = 0; i < mesh->vertex_count; i++)
            c->penetration = fmax(c->penetration, dcx_vec_length(now + 3 * i) - radius);
        if (k == steps) break;
        dcl_step_stats stats;
        if (dcl_step(c->sim.workspace, c->sim.params, c->sim.state, h, NULL, &stats) != DCL_OK)
            return -1;
        c->unconverged += !stats.converged;
        c->residual_max = fmax(c->residual_max, stats.residual);
        if (!contact) correct(c->sim.state, now, mesh->vertex_count);
        dcx_app_progress(app, contact ? "contact" : "correction", (double)k / steps);
    }
    c->seconds = dcx_seconds() - start;
    return 0;
}

/* Largest and smallest area ratio, and the largest change of it in one step: a pop. */
static void measure(const course *c, int steps, double result[3])
{
    int k;
    result[0] = result[1] = c->area[0];
    result[2] = 0;
    for (k = 1; k <= steps; k++) {
        result[0] = fmin(result[0], c->area[k]);
        result[1] = fmax(result[1], c->area[k]);
        result[2] = fmax(result[2], fabs(c->area[k] - c->area[k - 1]));
    }
}

static void chart_of(const course *c, int steps, dcx_plot_series *series, dcx_plot_desc *chart)
{
    int k;
    memset(series, 0, 2 * sizeof *series);
    for (k = 0; k < 2; k++) {
        series[k].count = steps + 1;
        series[k].y = c[k].area;
    }
    series[0].label = "contact";
    series[1].label = "position correction";
    series[1].dashed = 1;
    *chart = dcx_default_plot_desc();
    chart->title = "Area of a napkin that falls into a bowl";
    chart->x_label = "step";
    chart->y_label = "area / rest area";
    chart->series_count = 2;
    chart->series = series;
}

/* A ball seen from inside would hide the cloth, so the bowl is not drawn. */
static int write_page(const course *c, const dcx_mesh *mesh, int steps, const dcx_plot_desc *chart,
                      const char *path, dcx_error *error)
{
    dcx_page_desc page = dcx_default_page_desc();
    page.title = "A napkin falls into a bowl";
    page.description = "Contact with the bowl, and beside it a position correction without "
                       "complementarity. The bowl itself, a sphere of radius 0.5 m around the "
                       "origin, is not drawn.";
    page.vertex_count = mesh->vertex_count;
    page.triangle_count = mesh->triangle_count;
    page.triangles = mesh->triangles;
    page.frame_count = steps + 1;
    page.frame_seconds = h;
    page.frames = c[0].frames;
    page.target_frames = c[1].frames;
    page.chart_count = 1;
    page.charts = chart;
    return dcx_page_write(path, &page, error->text, sizeof error->text);
}

static void print_result(dcx_app *app, const course *c, const dcx_mesh *mesh, int steps, int ok,
                         double result[2][3], const char *svg, const char *html)
{
    static const char *const names[2] = {"contact", "correction"};
    dcx_json j;
    int k;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "bowl");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_integer(&j, "vertices", mesh->vertex_count);
    dcx_json_integer(&j, "steps", steps);
    dcx_json_number(&j, "h", h);
    dcx_json_number(&j, "forward_ms_per_step", 1e3 * c[0].seconds / steps);
    dcx_json_number(&j, "residual_max", c[0].residual_max);
    dcx_json_integer(&j, "unconverged_steps", c[0].unconverged);
    for (k = 0; k < 2; k++) {
        dcx_app_print(app, "%-12s area %.4f to %.4f of the rest area, %.5f at most in a step, "
                      "penetration %.2e m\n",
                      names[k], result[k][0], result[k][1], result[k][2], c[k].penetration);
        dcx_json_object(&j, names[k]);
        dcx_json_number(&j, "area_min", result[k][0]);
        dcx_json_number(&j, "area_max", result[k][1]);
        dcx_json_number(&j, "area_change_max", result[k][2]);
        dcx_json_number(&j, "penetration", c[k].penetration);
        dcx_json_close(&j);
    }
    dcx_json_array(&j, "files");
    dcx_json_string(&j, NULL, svg);
    dcx_json_string(&j, NULL, html);
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

int main(int argc, char **argv)
{
    dcx_app_desc about = dcx_app_default_desc("bowl", "area of a napkin that falls into a bowl");
    const double lift[3] = {0, -0.1, 0};
    double result[2][3];
    char svg[512], html[512];
    course c[2];
    dcx_plot_series series[2];
    dcx_plot_desc chart;
    dcx_app app;
    dcx_error error;
    dcx_mesh mesh;
    int k, side, steps, ok, status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (app.motion) return dcx_app_fail(&app, "--motion: nothing is fitted here");
    side = app.full || app.paper ? 51 : 21;
    steps = app.full || app.paper ? 500 : 300;
    if (app.mesh ? dcx_obj_read(app.mesh, &mesh, &error)
                 : dcx_mesh_grid(&mesh, side, side, 0.6, 0.6, DCX_DIAGONALS_ONE, DCX_PLANE_XZ, &error))
        return dcx_app_fail(&app, error.text);
    if (app.mesh) dcx_points_fit(mesh.positions, mesh.vertex_count, 0.6);
    dcx_points_move(mesh.positions, mesh.vertex_count, 1, lift);
    for (k = 0; k < 2; k++) {
        if (course_create(&c[k], &mesh, steps, k == 0, &error)) return dcx_app_fail(&app, error.text);
        if (fall(&c[k], &mesh, steps, k == 0, &app))
            return dcx_app_fail(&app, "a step cannot be computed");
        measure(&c[k], steps, result[k]);
    }
    dcx_app_progress(&app, "done", 1);
    chart_of(c, steps, series, &chart);
    if (dcx_app_path(&app, "bowl.svg", svg, sizeof svg, &error) ||
        dcx_svg_plot(svg, &chart, error.text, sizeof error.text) ||
        dcx_app_path(&app, "bowl.html", html, sizeof html, &error) ||
        write_page(c, &mesh, steps, &chart, html, &error))
        return dcx_app_fail(&app, error.text);
    /* within 5 % of the rest area throughout, every step converged, and calmer than the correction */
    ok = result[0][0] > 0.95 && result[0][1] < 1.05 && c[0].unconverged == 0 &&
         result[0][2] < result[1][2];
    print_result(&app, c, &mesh, steps, ok, result, svg, html);
    for (k = 0; k < 2; k++) course_destroy(&c[k]);
    dcx_mesh_destroy(&mesh);
    return ok ? 0 : 1;
}
