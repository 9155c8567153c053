/* continuity.c - does the motion depend continuously on friction (the paper's Figure 2)? A napkin on
   a fixed ball, many values of mu: speeds of three vertices at two moments, for the library's
   contact and for the paper's contact set.
   cc -O2 -I. examples/continuity.c -lm -o continuity */
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

enum { POINTS = 3, TIMES = 2, FORMS = 2, CURVES = POINTS * TIMES, HALVINGS = 10 };
static const double mu_end = 0.35, h = 0.01;
static const int at_step[TIMES] = {50, 200};

/* Speeds (CURVES x count) over mu, and shares of free, sticking and slipping vertices at the end. */
typedef struct sweep {
    dcx_sim sim;
    int count, unconverged, points[POINTS];
    long long runs_steps;
    double *mu, *speed, *share;
    double residual_max, seconds;
    double first[CURVES], last[CURVES]; /* see jump() */
} sweep;

/* A corner, the middle of an edge and the centre. */
static void find_points(const dcx_mesh *mesh, int points[POINTS])
{
    double lo[3], hi[3], p[3];
    int k;
    dcx_points_bounds(mesh->positions, mesh->vertex_count, lo, hi);
    for (k = 0; k < POINTS; k++) {
        p[0] = k == 2 ? 0.5 * (lo[0] + hi[0]) : lo[0];
        p[1] = 0.5 * (lo[1] + hi[1]);
        p[2] = k == 0 ? lo[2] : 0.5 * (lo[2] + hi[2]);
        points[k] = dcx_points_nearest(mesh->positions, mesh->vertex_count, p);
    }
}

/* The speeds for one mu. */
static int run(sweep *s, double mu, double speed[CURVES], dcl_step_stats *stats)
{
    dcl_state *state = s->sim.state;
    int step, t, p;
    if (dcl_params_set1(s->sim.params, DCL_PARAM_FRICTION, mu) != DCL_OK) return -1;
    dcl_state_reset(state, s->sim.params);
    for (step = 1; step <= at_step[TIMES - 1]; step++) {
        if (dcl_step(s->sim.workspace, s->sim.params, state, h, NULL, stats) != DCL_OK) return -1;
        s->runs_steps++;
        s->unconverged += !stats->converged;
        s->residual_max = fmax(s->residual_max, stats->residual);
        for (t = 0; t < TIMES; t++)
            for (p = 0; p < POINTS && step == at_step[t]; p++)
                speed[t * POINTS + p] = dcx_vec_length(state->v + 3 * s->points[p]);
    }
    return 0;
}

/* Value k of the sweep. */
static int run_value(sweep *s, int k)
{
    dcl_step_stats stats;
    double speed[CURVES];
    int c;
    s->mu[k] = mu_end * k / (s->count - 1);
    if (run(s, s->mu[k], speed, &stats)) return -1;
    for (c = 0; c < CURVES; c++) s->speed[c * s->count + k] = speed[c];
    s->share[k] = stats.free_count;
    s->share[s->count + k] = stats.stick_count;
    s->share[2 * s->count + k] = stats.slip_count;
    for (c = 0; c < 3; c++)
        s->share[c * s->count + k] /= stats.free_count + stats.stick_count + stats.slip_count;
    return 0;
}

/* How much a curve jumps, over its range: its largest difference between neighbours, and what
   remains of it when that interval is halved again and again, each time the half with the larger
   difference. A continuous curve's goes to zero, a jump's stays. */
static int jump(sweep *s, int curve, double *first, double *last)
{
    const double *y = s->speed + curve * s->count;
    double lo = y[0], hi = y[0], a, b, ya, yb;
    int k, steepest = 1;
    for (k = 0; k < s->count; k++) {
        lo = fmin(lo, y[k]), hi = fmax(hi, y[k]);
        if (k && fabs(y[k] - y[k - 1]) > fabs(y[steepest] - y[steepest - 1])) steepest = k;
    }
    a = s->mu[steepest - 1], b = s->mu[steepest], ya = y[steepest - 1], yb = y[steepest];
    *first = fabs(yb - ya) / (hi - lo);
    for (k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (a + b), speed[CURVES];
        dcl_step_stats stats;
        if (run(s, middle, speed, &stats)) return -1;
        if (fabs(speed[curve] - ya) >= fabs(yb - speed[curve]))
            b = middle, yb = speed[curve];
        else
            a = middle, ya = speed[curve];
    }
    *last = fabs(yb - ya) / (hi - lo);
    return 0;
}

static int sweep_all(sweep *s, dcl_contact_form form, const dcx_mesh *mesh, dcx_app *app)
{
    static char name[] = "continuity";
    const double centre[3] = {0.02, -0.32, 0.01};
    dcl_obstacle ball = dcl_sphere(centre, 0.3, 0.1);
    dcl_model_desc desc = dcl_default_model_desc();
    double start = dcx_seconds();
    int k, failed;
    dcx_sim_mesh(&desc, mesh);
    desc.obstacle_count = 1;
    desc.obstacles = &ball;
    desc.contact = form;
    desc.damping = 0.02;
    desc.drag = 0.05;
    desc.logger.log = dcx_log_print;
    desc.logger.user = name;
    find_points(mesh, s->points);
    s->mu = (double *)calloc((size_t)(s->count * (1 + CURVES + 3)), sizeof(double));
    failed = !s->mu || dcx_sim_create(&s->sim, &desc);
    if (failed) return -1;
    s->speed = s->mu + s->count;
    s->share = s->speed + CURVES * s->count;
    for (k = 0; !failed && k < s->count; k++) {
        failed = run_value(s, k);
        dcx_app_progress(app, "sweeping", ((int)form + 0.6 * k / s->count) / FORMS);
    }
    for (k = 0; !failed && k < CURVES; k++) {
        failed = jump(s, k, &s->first[k], &s->last[k]);
        dcx_app_progress(app, "halving", ((int)form + 0.6 + 0.4 * k / CURVES) / FORMS);
    }
    s->seconds = dcx_seconds() - start;
    return failed ? -1 : 0;
}

static void sweep_destroy(sweep *s)
{
    free(s->mu);
    dcx_sim_destroy(&s->sim);
}

static int plot(const sweep *s, const double *y, int curves, const char *const *labels,
                const char *title, const char *y_label, const char *path, dcx_error *error)
{
    dcx_plot_series series[CURVES];
    dcx_plot_desc chart = dcx_default_plot_desc();
    int k;
    memset(series, 0, sizeof series);
    for (k = 0; k < curves; k++) {
        series[k].label = labels[k];
        series[k].count = s->count;
        series[k].x = s->mu;
        series[k].y = y + k * s->count;
        series[k].dashed = k >= POINTS;
    }
    chart.title = title;
    chart.x_label = "friction";
    chart.y_label = y_label;
    chart.series_count = curves;
    chart.series = series;
    return dcx_svg_plot(path, &chart, error->text, sizeof error->text);
}

int main(int argc, char **argv)
{
    static const char *const labels[CURVES] = {"corner, step 50",  "edge, step 50",
                                               "centre, step 50",  "corner, step 200",
                                               "edge, step 200",   "centre, step 200"};
    static const char *const shares[3] = {"free", "stick", "slip"};
    static const char *const names[FORMS] = {"gap", "set"};
    static const dcl_contact_form forms[FORMS] = {DCL_CONTACT_GAP, DCL_CONTACT_SET};
    dcx_app_desc about = dcx_app_default_desc("continuity", "speeds on a ball against friction");
    double worst = 0;
    char path[FORMS + 1][512], file[64];
    sweep s[FORMS];
    dcx_app app;
    dcx_error error;
    dcx_mesh mesh;
    dcx_json j;
    int f, k, side, ok, status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (app.motion) return dcx_app_fail(&app, "--motion: nothing is fitted here");
    side = app.full || app.paper ? 25 : 9;
    if (app.mesh ? dcx_obj_read(app.mesh, &mesh, &error)
                 : dcx_mesh_grid(&mesh, side, side, 0.6, 0.6, DCX_DIAGONALS_ONE, DCX_PLANE_XZ, &error))
        return dcx_app_fail(&app, error.text);
    if (app.mesh) dcx_points_fit(mesh.positions, mesh.vertex_count, 0.6);
    for (f = 0; f < FORMS; f++) {
        memset(&s[f], 0, sizeof s[f]);
        s[f].count = app.full || app.paper ? 701 : 71;
        if (sweep_all(&s[f], forms[f], &mesh, &app))
            return dcx_app_fail(&app, "the scene cannot be computed");
        sprintf(file, "continuity_%s.svg", names[f]);
        if (dcx_app_path(&app, file, path[f], sizeof path[f], &error) ||
            plot(&s[f], s[f].speed, CURVES, labels,
                 f ? "The paper's contact set" : "Contact with the gap in the law", "m/s", path[f],
                 &error))
            return dcx_app_fail(&app, error.text);
        for (k = 0; k < CURVES; k++)
            dcx_app_print(&app, "%s  %-17s largest difference / range %.4f, after %d halvings %.2e\n",
                          names[f], labels[k], s[f].first[k], HALVINGS, s[f].last[k]);
    }
    dcx_app_progress(&app, "done", 1);
    if (dcx_app_path(&app, "continuity_shares.svg", path[FORMS], sizeof path[FORMS], &error) ||
        plot(&s[0], s[0].share, 3, shares, "Vertices at step 200", "share", path[FORMS], &error))
        return dcx_app_fail(&app, error.text);
    for (k = 0; k < CURVES; k++) worst = fmax(worst, s[0].last[k]);
    ok = worst < 0.05 && s[0].unconverged == 0;
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "continuity");
    dcx_json_bool(&j, "ok", ok);
    dcx_json_integer(&j, "vertices", mesh.vertex_count);
    dcx_json_integer(&j, "steps", at_step[TIMES - 1]);
    dcx_json_number(&j, "h", h);
    dcx_json_integer(&j, "values", s[0].count);
    dcx_json_number(&j, "forward_ms_per_step",
                    1e3 * s[0].seconds / (double)s[0].runs_steps);
    dcx_json_number(&j, "residual_max", s[0].residual_max);
    dcx_json_integer(&j, "unconverged_steps", s[0].unconverged);
    dcx_json_integer(&j, "unconverged_steps_set", s[1].unconverged);
    dcx_json_numbers(&j, "difference_gap", s[0].first, CURVES);
    dcx_json_numbers(&j, "jump_gap", s[0].last, CURVES);
    dcx_json_numbers(&j, "difference_set", s[1].first, CURVES);
    dcx_json_numbers(&j, "jump_set", s[1].last, CURVES);
    dcx_json_array(&j, "files");
    for (f = 0; f <= FORMS; f++) dcx_json_string(&j, NULL, path[f]);
    dcx_json_close(&j);
    dcx_app_print_json(&app, &j);
    for (f = 0; f < FORMS; f++) sweep_destroy(&s[f]);
    dcx_mesh_destroy(&mesh);
    return ok ? 0 : 1;
}
