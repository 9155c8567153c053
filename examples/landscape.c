/* landscape.c - the loss over friction and stiffness (the paper's Figure 3): a hanging napkin is let
   go so that its lower half falls on a ball, at four places of the ball; a zoom shows how rough the
   loss is with the library's contact and with the paper's contact set. The aim is that the set is
   ten times rougher at every place; where no contact changes within the zoom it is not.
   cc -O2 -I. examples/landscape.c -lm -o landscape */
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

enum { OFFSETS = 4, FORMS = 2, ZOOM = 41, SIDE_MOST = 41 };
static const double offsets[OFFSETS] = {0, 0.1, 0.2, 0.3}; /* m, of the ball behind the napkin */
static const double truth[2] = {0.3, 60}, lower[2] = {0.02, 20}, upper[2] = {0.9, 150};
static const double zoom_centre = 0.2, zoom_half = 0.02, h = 0.01;

typedef struct scene {
    const dcx_mesh *mesh;
    dcx_sim sim;
    double *target; /* (steps + 1) x n x 3 */
    int steps, unconverged;
    long long run_steps;
    double seconds, residual_max;
} scene;

/* The motion for (mu, k): its mean squared distance from the target, or, with record, the target
   itself. NaN if a step is refused. */
static double loss(scene *s, double mu, double stretch, int record)
{
    size_t n3 = 3 * (size_t)s->mesh->vertex_count, i;
    double sum = 0, start = dcx_seconds();
    dcl_step_stats stats;
    int k;
    if (dcl_params_set1(s->sim.params, DCL_PARAM_FRICTION, mu) != DCL_OK ||
        dcl_params_set1(s->sim.params, DCL_PARAM_STRETCH, stretch) != DCL_OK)
        return NAN;
    dcl_state_reset(s->sim.state, s->sim.params);
    for (k = 1; k <= s->steps; k++) {
        double *target = s->target + (size_t)k * n3;
        if (dcl_step(s->sim.workspace, s->sim.params, s->sim.state, h, NULL, &stats) != DCL_OK)
            return NAN;
        s->unconverged += !stats.converged;
        s->residual_max = fmax(s->residual_max, stats.residual);
        if (record) memcpy(target, s->sim.state->x, n3 * sizeof(double));
        for (i = 0; i < n3; i++)
            sum += (s->sim.state->x[i] - target[i]) * (s->sim.state->x[i] - target[i]);
    }
    s->run_steps += s->steps;
    s->seconds += dcx_seconds() - start;
    return sum / ((double)s->steps * s->mesh->vertex_count);
}

static int scene_create(scene *s, const dcx_mesh *mesh, int steps, double offset,
                        dcl_contact_form form)
{
    static char name[] = "landscape";
    double centre[3] = {0.05, -0.55, 0};
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_obstacle ball;
    memset(s, 0, sizeof *s);
    centre[2] = offset;
    ball = dcl_sphere(centre, 0.3, truth[0]);
    s->mesh = mesh;
    s->steps = steps;
    dcx_sim_mesh(&desc, mesh);
    desc.obstacle_count = 1;
    desc.obstacles = &ball;
    desc.contact = form;
    desc.damping = 0.02;
    desc.drag = 0.05;
    desc.logger.log = dcx_log_print;
    desc.logger.user = name;
    s->target = (double *)calloc((size_t)(steps + 1) * 3 * (size_t)mesh->vertex_count,
                                 sizeof(double));
    if (!s->target || dcx_sim_create(&s->sim, &desc)) return -1;
    return isnan(loss(s, truth[0], truth[1], 1)) ? -1 : 0;
}

static void scene_destroy(scene *s)
{
    free(s->target);
    dcx_sim_destroy(&s->sim);
}

static double median(double *values, int count)
{
    int i, j;
    for (i = 1; i < count; i++) {
        double v = values[i];
        for (j = i; j > 0 && values[j - 1] > v; j--) values[j] = values[j - 1];
        values[j] = v;
    }
    return values[count / 2];
}

/* median |second difference| / median |first difference|; 0 for a straight line, 2 for zigzag, NaN
   where the loss does not change with friction at all. Medians do not see a few jumps. */
static double roughness(const double *y)
{
    double first[ZOOM], second[ZOOM];
    int k;
    for (k = 0; k + 1 < ZOOM; k++) first[k] = fabs(y[k + 1] - y[k]);
    for (k = 0; k + 2 < ZOOM; k++) second[k] = fabs(y[k + 2] - 2 * y[k + 1] + y[k]);
    return median(second, ZOOM - 2) / median(first, ZOOM - 1);
}

/* The landscape as an SVG of side x side fields, dark for a small loss (logarithmic). */
static int write_map(const char *path, const double *z, int side)
{
    FILE *file = fopen(path, "wb");
    double lo = INFINITY, hi;
    int i, failed, field = 400 / side;
    if (!file) return -1;
    for (i = 0; i < side * side; i++)
        if (z[i] > 0) lo = fmin(lo, log(z[i]));
    for (hi = lo, i = 0; i < side * side; i++)
        if (z[i] > 0) hi = fmax(hi, log(z[i]));
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
                  "<title>Loss over friction (right) and stiffness (up)</title>\n",
            field * side, field * side);
    for (i = 0; i < side * side; i++) {
        int grey = z[i] > 0 && hi > lo ? (int)(255 * (log(z[i]) - lo) / (hi - lo)) : 0;
        fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\"/>\n",
                field * (i % side), field * (side - 1 - i / side), field, field, grey, grey,
                80 + grey * 175 / 255);
    }
    fprintf(file, "</svg>\n");
    failed = ferror(file);
    failed = fclose(file) || failed;
    if (failed) remove(path);
    return failed ? -1 : 0;
}

static int plot_zoom(const double *mu, double zoom[FORMS][ZOOM], double offset, const char *path,
                     dcx_error *error)
{
    dcx_plot_series series[FORMS];
    dcx_plot_desc plot = dcx_default_plot_desc();
    char title[80];
    int f;
    memset(series, 0, sizeof series);
    for (f = 0; f < FORMS; f++) {
        series[f].count = ZOOM;
        series[f].x = mu;
        series[f].y = zoom[f];
        series[f].dashed = f;
    }
    series[0].label = "gap in the law";
    series[1].label = "paper's contact set";
    sprintf(title, "Zoom, ball %d mm behind the napkin", (int)(1e3 * offset + 0.5));
    plot.title = title;
    plot.x_label = "friction";
    plot.y_label = "loss, m^2";
    plot.series_count = FORMS;
    plot.series = series;
    return dcx_svg_plot(path, &plot, error->text, sizeof error->text);
}

int main(int argc, char **argv)
{
    static const dcl_contact_form forms[FORMS] = {DCL_CONTACT_GAP, DCL_CONTACT_SET};
    dcx_app_desc about = dcx_app_default_desc("landscape", "the loss over friction and stiffness");
    double map[SIDE_MOST * SIDE_MOST], zoom[FORMS][ZOOM], mu[ZOOM], rough[FORMS][OFFSETS];
    double residual = 0, seconds = 0;
    long long run_steps = 0;
    int f, k, o, side, points, steps, unconverged = 0, tenfold = 0, ok = 1, status;
    char path[512], file[64];
    dcx_app app;
    dcx_error error;
    dcx_mesh mesh;
    dcx_json j;
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (app.motion) return dcx_app_fail(&app, "--motion: nothing is fitted here");
    points = app.full || app.paper ? 25 : 9;
    side = app.full || app.paper ? SIDE_MOST : 5;
    steps = app.full || app.paper ? 200 : 80;
    if (app.mesh ? dcx_obj_read(app.mesh, &mesh, &error)
                 : dcx_mesh_grid(&mesh, points, points, 0.6, 0.6, DCX_DIAGONALS_ONE, DCX_PLANE_XY,
                                 &error))
        return dcx_app_fail(&app, error.text);
    if (app.mesh) dcx_points_fit(mesh.positions, mesh.vertex_count, 0.6);
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "landscape");
    dcx_json_array(&j, "files");
    for (k = 0; k < ZOOM; k++) mu[k] = zoom_centre + zoom_half * (2.0 * k / (ZOOM - 1) - 1);
    for (o = 0; o < OFFSETS; o++) {
        for (f = 0; f < FORMS; f++) {
            scene s;
            if (scene_create(&s, &mesh, steps, offsets[o], forms[f]))
                return dcx_app_fail(&app, "the scene cannot be computed");
            for (k = 0; k < ZOOM; k++) zoom[f][k] = loss(&s, mu[k], truth[1], 0);
            rough[f][o] = roughness(zoom[f]);
            for (k = 0; k < side * side; k++)
                map[k] = loss(&s, lower[0] + (upper[0] - lower[0]) * (k % side) / (side - 1),
                              lower[1] + (upper[1] - lower[1]) * (k / side) / (side - 1), 0);
            sprintf(file, "landscape_%d_%s.svg", o, f ? "set" : "gap");
            if (dcx_app_path(&app, file, path, sizeof path, &error))
                return dcx_app_fail(&app, error.text);
            if (write_map(path, map, side)) return dcx_app_fail(&app, "a picture cannot be written");
            dcx_json_string(&j, NULL, path);
            unconverged += s.unconverged;
            residual = fmax(residual, s.residual_max);
            seconds += s.seconds;
            run_steps += s.run_steps;
            scene_destroy(&s);
            dcx_app_progress(&app, "losses", (o + (f + 1.0) / FORMS) / OFFSETS);
        }
        sprintf(file, "landscape_%d_zoom.svg", o);
        if (dcx_app_path(&app, file, path, sizeof path, &error) ||
            plot_zoom(mu, zoom, offsets[o], path, &error))
            return dcx_app_fail(&app, error.text);
        dcx_json_string(&j, NULL, path);
        dcx_app_print(&app, "ball at %.1f m: roughness %.5f with the gap, ", offsets[o], rough[0][o]);
        if (rough[1][o] >= 0)
            dcx_app_print(&app, "%.5f with the set, %.1f times\n", rough[1][o],
                          rough[1][o] / rough[0][o]);
        else
            dcx_app_print(&app, "with the set the loss does not change\n");
        ok = ok && rough[0][o] < 0.1;
        tenfold += rough[1][o] >= 10 * rough[0][o];
    }
    dcx_json_close(&j);
    dcx_app_print(&app, "at %d of %d places the set is at least ten times rougher\n", tenfold, OFFSETS);
    ok = ok && tenfold == OFFSETS && unconverged == 0;
    dcx_json_bool(&j, "ok", ok);
    dcx_json_integer(&j, "vertices", mesh.vertex_count);
    dcx_json_integer(&j, "steps", steps);
    dcx_json_number(&j, "h", h);
    dcx_json_number(&j, "forward_ms_per_step", 1e3 * seconds / (double)run_steps);
    dcx_json_number(&j, "residual_max", residual);
    dcx_json_integer(&j, "unconverged_steps", unconverged);
    dcx_json_integer(&j, "places_ten_times_rougher", tenfold);
    dcx_json_numbers(&j, "roughness_gap", rough[0], OFFSETS);
    dcx_json_numbers(&j, "roughness_set", rough[1], OFFSETS);
    dcx_app_print_json(&app, &j);
    dcx_mesh_destroy(&mesh);
    return ok ? 0 : 1;
}
