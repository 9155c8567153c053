/* test_optim.c - the optimisers: known minima, bounds, scaling, wrong input, restarts. */
#define DCX_OPTIM_IMPLEMENTATION
#include "../examples/dcx_optim.h"
#include "test.h"
#include <stdlib.h>

#define INF HUGE_VAL

/* A function with its calls counted and the bounds watched. Residual functions fill r and J (m x
 * n). */
typedef struct problem {
    double (*value)(const double *x, double *g, int n);
    int (*residuals)(const double *x, double *r, double *jacobian, int n);
    int n, calls, outside;
    double factor; /* f is multiplied by it */
    const double *lower, *upper;
    double trace[64]; /* x[0] of the first calls */
} problem;

static double call(void *user, const double *x, double *g, double *jtj)
{
    problem *p = (problem *)user;
    static double r[400], jacobian[4000];
    double f = 0.0, none[2000];
    int i, j, k, m;
    for (i = 0; i < p->n; i++) {
        if (p->lower && !(x[i] >= p->lower[i])) p->outside++;
        if (p->upper && !(x[i] <= p->upper[i])) p->outside++;
    }
    if (p->calls < 64) p->trace[p->calls] = x[0];
    p->calls++;
    if (!p->residuals) {
        f = p->value(x, g ? g : none, p->n);
        for (i = 0; g && i < p->n; i++) g[i] *= p->factor;
        return f * p->factor;
    }
    m = p->residuals(x, r, jacobian, p->n);
    for (k = 0; k < m; k++) {
        f += 0.5 * r[k] * r[k];
        for (i = 0; i < p->n; i++) {
            if (g) g[i] += p->factor * jacobian[k * p->n + i] * r[k];
            for (j = 0; jtj && j < p->n; j++)
                jtj[i * p->n + j] += p->factor * jacobian[k * p->n + i] * jacobian[k * p->n + j];
        }
    }
    return f * p->factor;
}

static problem make_problem(double (*value)(const double *, double *, int))
{
    problem p;
    memset(&p, 0, sizeof p);
    p.value = value;
    p.factor = 1.0;
    return p;
}

/* Runs, and checks what must hold for every run. */
static dcx_optim_info run(dcx_optim_desc *desc, problem *p, double *x)
{
    dcx_optim_info info;
    p->n = desc->n;
    p->lower = desc->lower;
    p->upper = desc->upper;
    info = dcx_optim_minimize(desc, call, p, x);
    CHECK_EQ(p->outside, 0);
    CHECK(p->calls == info.evaluations || info.status == DCX_OPTIM_BAD_ARGUMENT);
    CHECK(p->calls <= desc->max_evaluations);
    return info;
}

static int converged(dcx_optim_info info)
{
    int ok = info.status >= 1 && info.status <= 9;
    if (!ok) printf("  %s after %d evaluations, f %g\n", info.message, info.evaluations, info.f);
    return ok;
}

/* ---- functions ------------------------------------------------------------------------------- */

static double rosenbrock(const double *x, double *g, int n)
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) g[i] = 0.0;
    for (i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
        f += 100.0 * a * a + b * b;
        g[i] += -400.0 * a * x[i] - 2.0 * b;
        g[i + 1] += 200.0 * a;
    }
    return f;
}

static double minus_first(const double *x, double *g, int n)
{
    int i;
    for (i = 0; i < n; i++) g[i] = i ? 0.0 : -1.0;
    return -x[0];
}

static double square(const double *x, double *g, int n)
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) {
        f += x[i] * x[i];
        g[i] = 2.0 * x[i];
    }
    return f;
}

static double wrong_square(const double *x, double *g, int n)
{
    double f = square(x, g, n);
    int i;
    for (i = 0; i < n; i++) g[i] = -g[i];
    return f;
}

static double log_near_bound(const double *x, double *g, int n) /* finite inside [0, 1] only */
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) {
        f += log(1.0 + 1e-8 - x[i]);
        g[i] = -1.0 / (1.0 + 1e-8 - x[i]);
    }
    return f;
}

static double log_barrier(const double *x, double *g, int n)
{
    (void)n;
    g[0] = 1.0 - 1.0 / x[0];
    return x[0] - log(x[0]);
}

static double beale(const double *x, double *g, int n)
{
    static const double y[3] = {1.5, 2.25, 2.625};
    double f = 0.0, power = 1.0;
    int k;
    (void)n;
    g[0] = g[1] = 0.0;
    for (k = 0; k < 3; k++) {
        double before = power, r;
        power *= x[1];
        r = y[k] - x[0] * (1.0 - power);
        f += r * r;
        g[0] += -2.0 * r * (1.0 - power);
        g[1] += 2.0 * r * x[0] * (k + 1) * before;
    }
    return f;
}

static double powell_badly_scaled(const double *x, double *g, int n)
{
    double a = 1e4 * x[0] * x[1] - 1.0, b = exp(-x[0]) + exp(-x[1]) - 1.0001;
    (void)n;
    g[0] = 2e4 * a * x[1] - 2.0 * b * exp(-x[0]);
    g[1] = 2e4 * a * x[0] - 2.0 * b * exp(-x[1]);
    return a * a + b * b;
}

static double powell_singular(const double *x, double *g, int n)
{
    double a = x[0] + 10.0 * x[1], b = x[2] - x[3], c = x[1] - 2.0 * x[2], d = x[0] - x[3];
    (void)n;
    g[0] = 2.0 * a + 40.0 * d * d * d;
    g[1] = 20.0 * a + 4.0 * c * c * c;
    g[2] = 10.0 * b - 8.0 * c * c * c;
    g[3] = -10.0 * b - 40.0 * d * d * d;
    return a * a + 5.0 * b * b + c * c * c * c + 10.0 * d * d * d * d;
}

/* 1/2 sum w_i (x_i - c_i)^2 with centres outside the box [0, 1] for a third of the variables. */
static double quadratic_weight(int i)
{
    return 1.0 + 999.0 * ((i * 37) % 101) / 100.0;
}

static double quadratic_centre(int i)
{
    return i % 3 == 0   ? -0.5
           : i % 3 == 1 ? 0.25 + 0.5 * ((i * 17) % 11) / 10.0
                        : 1.0 + 0.1 * (i % 7);
}

static double quadratic(const double *x, double *g, int n)
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) {
        double r = x[i] - quadratic_centre(i);
        f += 0.5 * quadratic_weight(i) * r * r;
        g[i] = quadratic_weight(i) * r;
    }
    return f;
}

/* A tridiagonal quadratic, so that variables influence one another. */
static double chain(const double *x, double *g, int n)
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) g[i] = 0.0;
    for (i = 0; i < n; i++) {
        double pull = sin(1.0 + i), r = x[i] - 2.0 * pull;
        f += 0.5 * r * r;
        g[i] += r;
        if (i + 1 >= n) continue;
        r = x[i + 1] - x[i];
        f += 5.0 * r * r;
        g[i + 1] += 10.0 * r;
        g[i] -= 10.0 * r;
    }
    return f;
}

static double nan_below_zero(const double *x, double *g, int n)
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) {
        f += (x[i] - 1.0) * (x[i] - 1.0);
        g[i] = 2.0 * (x[i] - 1.0);
    }
    return x[0] < 0 ? HUGE_VAL * 0.0 : f;
}

static double constant(const double *x, double *g, int n)
{
    int i;
    (void)x;
    for (i = 0; i < n; i++) g[i] = 0.0;
    return 3.0;
}

static double noisy_ellipse(const double *x, double *g, int n) /* condition 1e6, turned */
{
    double f = 0.0;
    int i;
    for (i = 0; i < n; i++) g[i] = 0.0;
    for (i = 0; i + 1 < n; i += 2) {
        double a = 0.6 * x[i] + 0.8 * x[i + 1] - 1.0, b = -0.8 * x[i] + 0.6 * x[i + 1];
        double w = pow(1e6, (double)i / n);
        f += w * a * a + b * b;
        g[i] = 2.0 * w * a * 0.6 - 2.0 * b * 0.8;
        g[i + 1] = 2.0 * w * a * 0.8 + 2.0 * b * 0.6;
    }
    return f;
}

static int rosenbrock_residuals(const double *x, double *r, double *jacobian, int n)
{
    (void)n;
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    jacobian[0] = -20.0 * x[0], jacobian[1] = 10.0;
    jacobian[2] = -1.0, jacobian[3] = 0.0;
    return 2;
}

/* ---- L-BFGS-B -------------------------------------------------------------------------------- */

static void lbfgsb_starts_at_the_minimum(void) /* B01 */
{
    static const double x0[2] = {1, 0}, lower[2] = {-1, -1}, upper[2] = {1, 1};
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 2, x0);
    problem p = make_problem(minus_first);
    double x[2];
    dcx_optim_info info;
    desc.lower = lower, desc.upper = upper;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_EQ(info.iterations, 0);
    CHECK_NEAR(info.f, -1, 0);
    CHECK_NEAR(x[0], 1, 0);
    CHECK_NEAR(x[1], 0, 0);
}

static void lbfgsb_inside_and_at_bounds(void) /* B03, B05 */
{
    double x0[4] = {21, 21, 21, 21}, lower[4] = {20, 20, 20, 20}, upper[4] = {40, 40, 40, 40}, x[4];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 4, x0);
    problem p = make_problem(square);
    dcx_optim_info info;
    int i;
    desc.lower = lower, desc.upper = upper;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(info.f, 1600, 0);
    for (i = 0; i < 4; i++) CHECK_NEAR(x[i], 20, 0);

    desc.n = 2;
    p = make_problem(rosenbrock);
    x0[0] = -1.2, x0[1] = 1, lower[0] = lower[1] = -2, upper[0] = upper[1] = 2;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK(info.f < 1e-10);
    CHECK_NEAR(x[0], 1, 1e-5);
    CHECK_NEAR(x[1], 1, 1e-5);
    CHECK(info.evaluations < 80);

    p = make_problem(rosenbrock);
    lower[0] = lower[1] = -100, upper[0] = 0.5, upper[1] = 100;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(x[0], 0.5, 0);
    CHECK_NEAR(x[1], 0.25, 1e-7);
    CHECK_NEAR(info.f, 0.25, 1e-12);
}

static void lbfgsb_active_rosenbrock(void) /* B06 */
{
    static const double start[5] = {1.5, 1.5, 1.5, 1.5, 1.5};
    static const double lower[5] = {1.1, 1.1, 1.1, 1.1, 1.1};
    static const double known[5] = {1.1, 1.1134904, 1.1970338, 1.4158242, 2};
    double upper[5] = {2, 2, 2, 2, 2}, x[5];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 5, start);
    problem p = make_problem(rosenbrock);
    dcx_optim_info info;
    int i;
    desc.lower = lower, desc.upper = upper;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(info.f, 1.3806398, 1e-7);
    for (i = 0; i < 5; i++) CHECK_NEAR(x[i], known[i], 2e-6);
    CHECK_NEAR(x[0], 1.1, 0);
    CHECK_NEAR(x[4], 2.0, 0);
    for (i = 0; i < 5; i++) upper[i] = 10;
    p = make_problem(rosenbrock);
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(info.f, 0.9969963, 1e-7);
    CHECK_NEAR(x[4], 2.976496, 2e-6);
}

static void lbfgsb_fixed_variable(void) /* B08 */
{
    static const double x0[3] = {2, 2, 2}, lower[3] = {0, 0, 2}, upper[3] = {10, 10, 2};
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 3, x0);
    problem p = make_problem(rosenbrock);
    double x[3];
    dcx_optim_info info;
    desc.lower = lower, desc.upper = upper;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(x[0], 1.1886141, 1e-6);
    CHECK_NEAR(x[1], 1.4135970, 1e-6);
    CHECK_NEAR(x[2], 2, 0);
    CHECK_NEAR(info.f, 0.2070047, 1e-7);
}

static void lbfgsb_never_outside(void) /* B10: `run` watches; odd bounds make rounding likely */
{
    double x0[7] = {0}, lower[7], upper[7], x[7];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 7, x0);
    dcx_optim_info info;
    int i, k;
    for (k = 0; k < 20; k++) {
        problem p = make_problem(k % 2 ? log_near_bound : chain);
        for (i = 0; i < 7; i++) {
            lower[i] = k % 2 ? 0.0 : -0.1 * (i + 1) / 3.0 - 0.01 * k;
            upper[i] = k % 2 ? 1.0 : 0.1 * (i + 1) / 7.0 + 0.003 * k;
            x0[i] = lower[i] + (upper[i] - lower[i]) * (0.1 * i + 0.01 * k);
        }
        desc.lower = lower, desc.upper = upper;
        info = run(&desc, &p, x);
        CHECK(converged(info));
        if (k % 2)
            for (i = 0; i < 7; i++) CHECK_NEAR(x[i], 1.0, 0);
    }
    x0[0] = 77; /* a start outside is moved inside */
    {
        problem p = make_problem(chain);
        CHECK(converged(run(&desc, &p, x)));
    }
}

static void lbfgsb_one_variable(void) /* B11, B13 */
{
    double x0 = 17, lower = -100, upper = 100, x;
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 1, &x0);
    problem p = make_problem(square);
    dcx_optim_info info;
    desc.lower = &lower, desc.upper = &upper;
    info = run(&desc, &p, &x);
    CHECK(converged(info));
    CHECK_NEAR(x, 0, 1e-7);
    p = make_problem(log_barrier);
    x0 = 5, lower = 0, upper = 10;
    info = run(&desc, &p, &x);
    CHECK(converged(info));
    CHECK_NEAR(x, 1, 1e-6);
    CHECK_NEAR(info.f, 1, 1e-12);
    desc.first_step = 10; /* the first trial lands on 0, where f is Inf */
    p = make_problem(log_barrier);
    info = run(&desc, &p, &x);
    CHECK(converged(info));
    CHECK_NEAR(x, 1, 1e-6);
}

static void lbfgsb_line_search(void) /* B15 */
{
    static const double x0[5] = {1.3, .7, .8, 1.9, 1.2};
    double one = 1, x[5];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 5, x0);
    problem p = make_problem(rosenbrock);
    dcx_optim_info info = run(&desc, &p, x);
    int i;
    CHECK(converged(info));
    for (i = 0; i < 5; i++) CHECK_NEAR(x[i], 1, 1e-5);
    desc.tolerance_gradient = 0; /* ask for more than doubles can give: still a success */
    desc.tolerance_value = 0;
    p = make_problem(rosenbrock);
    info = run(&desc, &p, x);
    CHECK(converged(info));
    for (i = 0; i < 5; i++) CHECK_NEAR(x[i], 1, 1e-7);
    p = make_problem(wrong_square);
    desc = dcx_default_optim_desc(DCX_LBFGSB, 1, &one);
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_LINE_SEARCH_FAILED);
    CHECK_STR(info.message, "LINE_SEARCH_FAILED");
    CHECK(info.evaluations <= 25);
    CHECK_NEAR(x[0], 1, 0);
    {
        static const double many[3] = {3, -2, 1};
        desc = dcx_default_optim_desc(DCX_LBFGSB, 3, many);
        p = make_problem(wrong_square);
        CHECK_EQ(run(&desc, &p, x).status, DCX_OPTIM_LINE_SEARCH_FAILED);
    }
}

static void lbfgsb_classics(void)
{
    double x[4], x0[4] = {0}, scale[2] = {1e-5, 10};
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 2, x0);
    problem p = make_problem(beale);
    dcx_optim_info info;
    x0[0] = 1, x0[1] = 1;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(x[0], 3, 1e-4);
    CHECK_NEAR(x[1], 0.5, 1e-4);
    p = make_problem(powell_badly_scaled);
    x0[0] = 0, x0[1] = 1;
    desc.scale = scale; /* without it, more than 1000 evaluations */
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_REL(x[0], 1.098159e-5, 1e-3);
    CHECK_REL(x[1], 9.106146739867, 1e-3);
    desc.scale = NULL;
    p = make_problem(powell_singular);
    desc.n = 4;
    desc.tolerance_gradient = 1e-12;
    x0[0] = 3, x0[1] = -1, x0[2] = 0, x0[3] = 1;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK(info.f < 1e-12);
}

static void lbfgsb_many_variables(void)
{
    static const int sizes[] = {2, 3, 10, 100, 1000};
    static double x0[1000], lower[1000], upper[1000], x[1000], g[1000];
    int k, i;
    for (k = 0; k < 5; k++) {
        dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, sizes[k], x0);
        problem p = make_problem(quadratic);
        dcx_optim_info info;
        double worst = 0.0;
        for (i = 0; i < 1000; i++) x0[i] = 0.5, lower[i] = 0, upper[i] = 1;
        desc.lower = lower, desc.upper = upper;
        info = run(&desc, &p, x);
        CHECK(converged(info));
        for (i = 0; i < sizes[k]; i++) {
            double c = quadratic_centre(i), best = c < 0 ? 0 : c > 1 ? 1 : c;
            if (fabs(x[i] - best) > worst) worst = fabs(x[i] - best);
        }
        CHECK_NEAR(worst, 0, 1e-5);
        p = make_problem(chain);
        info = run(&desc, &p, x);
        CHECK(converged(info));
        chain(x, g, sizes[k]);
        for (i = 0, worst = 0; i < sizes[k]; i++) { /* the conditions for a minimum in a box */
            double room = g[i] > 0 ? x[i] : 1 - x[i];
            if (fabs(g[i]) * room > worst) worst = fabs(g[i]) * room;
        }
        CHECK_NEAR(worst, 0, 1e-5);
    }
}

/* Random sums of bent squares of random linear forms, in random boxes: the best point must satisfy
   the conditions for a minimum in a box. */
static double random_matrix[64], random_shift[8];
static int random_bend;

static double random_function(const double *x, double *g, int n)
{
    double f = 0.0;
    int i, j;
    for (i = 0; i < n; i++) g[i] = 0.0;
    for (i = 0; i < n; i++) {
        double r = -random_shift[i];
        for (j = 0; j < n; j++) r += random_matrix[i * n + j] * x[j];
        f += 0.5 * r * r + (random_bend ? 3.0 * sin(2.0 * r) : 0.0);
        for (j = 0; j < n; j++)
            g[j] += (r + (random_bend ? 6.0 * cos(2.0 * r) : 0.0)) * random_matrix[i * n + j];
    }
    return f;
}

static void lbfgsb_random_boxes(void)
{
    double x0[8], lower[8], upper[8], x[8], g[8];
    int trial, i, n;
    dcx_random random;
    dcx_random_init(&random, 9);
    for (trial = 0; trial < 3000; trial++) {
        dcx_optim_desc desc;
        problem p = make_problem(random_function);
        dcx_optim_info info;
        double spread = 2.0 * dcx_random_uniform(&random), worst = 0.0;
        n = 1 + (int)(8.0 * dcx_random_uniform(&random));
        random_bend = trial % 2;
        for (i = 0; i < n * n; i++)
            random_matrix[i] =
                dcx_random_normal(&random) * pow(10, spread * dcx_random_uniform(&random));
        for (i = 0; i < n; i++) {
            random_shift[i] = 3.0 * dcx_random_normal(&random);
            lower[i] = dcx_random_uniform(&random) < 0.3 ? -INF : -dcx_random_uniform(&random);
            upper[i] = dcx_random_uniform(&random) < 0.3 ? INF : dcx_random_uniform(&random);
            x0[i] = 0.5 * dcx_random_normal(&random);
        }
        desc = dcx_default_optim_desc(DCX_LBFGSB, n, x0);
        desc.lower = lower, desc.upper = upper;
        desc.memory = 5 + trial % 6;
        info = run(&desc, &p, x);
        random_function(x, g, n);
        for (i = 0; i < n; i++) {
            double room = g[i] > 0 ? x[i] - lower[i] : upper[i] - x[i];
            if (room > 1) room = 1;
            if (fabs(g[i]) * room > worst) worst = fabs(g[i]) * room;
        }
        if (!CHECK(converged(info))) break;
        if (!CHECK_NEAR(worst / (info.gradient_start + fabs(info.f)), 0, 1e-5)) break;
    }
}

/* f times a constant: the same iterates to rounding. */
static void scaling_of_f_changes_nothing(void)
{
    static const dcx_optim_method methods[] = {DCX_LBFGSB, DCX_LM, DCX_ADAM, DCX_ES, DCX_CMAES};
    static const double factors[] = {1e12, 1e-12, 1e100, 1e-100};
    double x0[2] = {-1.2, 1}, upper[2] = {1.5, 3}, x[2];
    int m, k, i, compare;
    for (m = 0; m < 5; m++) {
        dcx_optim_desc desc = dcx_default_optim_desc(methods[m], 2, x0);
        problem first = make_problem(rosenbrock);
        desc.upper = upper;
        desc.max_evaluations = 60;
        if (methods[m] == DCX_LM) first.residuals = rosenbrock_residuals;
        run(&desc, &first, x);
        for (k = 0; k < 4; k++) {
            problem p = make_problem(rosenbrock);
            p.residuals = first.residuals;
            p.factor = factors[k];
            run(&desc, &p, x);
            compare = first.calls < 20 ? first.calls : 20;
            for (i = 0; i < compare; i++) CHECK_NEAR(p.trace[i], first.trace[i], 1e-6);
        }
    }
}

/* Variables in other units, with the scale that says so: the same run. */
static double scaled_rosenbrock(const double *x, double *g, int n)
{
    double y[2], f;
    y[0] = x[0] * 1024.0, y[1] = x[1] / 4096.0;
    f = rosenbrock(y, g, n);
    g[0] *= 1024.0, g[1] /= 4096.0;
    return f;
}

static void scale_of_variables(void)
{
    double x0[2] = {-1.2, 1}, scaled[2], scale[2] = {1.0 / 1024, 4096}, x[2];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 2, x0);
    problem p = make_problem(rosenbrock), q = make_problem(scaled_rosenbrock);
    int i;
    run(&desc, &p, x);
    scaled[0] = x0[0] / 1024, scaled[1] = x0[1] * 4096;
    desc.x0 = scaled;
    desc.scale = scale;
    run(&desc, &q, x);
    CHECK_EQ(p.calls, q.calls);
    for (i = 0; i < 30; i++) CHECK_NEAR(q.trace[i] * 1024, p.trace[i], 0);
}

/* ---- Levenberg-Marquardt --------------------------------------------------------------------- */

static int exponential_residuals(const double *x, double *r, double *jacobian, int n)
{
    int k;
    for (k = 0; k < 60; k++) { /* a exp(-b t) + c, truth 2.5, 1.3, 0.5 */
        double t = 0.05 * k, e = exp(-x[1] * t);
        r[k] = x[0] * e + x[2] - (2.5 * exp(-1.3 * t) + 0.5);
        jacobian[k * n] = e;
        jacobian[k * n + 1] = -x[0] * t * e;
        jacobian[k * n + 2] = 1.0;
        if (n > 3) jacobian[k * n + 3] = 0.0; /* one without any effect */
    }
    return 60;
}

static int powell_singular_residuals(const double *x, double *r, double *jacobian, int n)
{
    double c = x[1] - 2.0 * x[2], d = x[0] - x[3], s = sqrt(5.0), t = sqrt(10.0);
    memset(jacobian, 0, 16 * sizeof *jacobian);
    (void)n;
    r[0] = x[0] + 10.0 * x[1], jacobian[0] = 1, jacobian[1] = 10;
    r[1] = s * (x[2] - x[3]), jacobian[6] = s, jacobian[7] = -s;
    r[2] = c * c, jacobian[9] = 2 * c, jacobian[10] = -4 * c;
    r[3] = t * d * d, jacobian[12] = 2 * t * d, jacobian[15] = -2 * t * d;
    return 4;
}

static int powell_badly_scaled_residuals(const double *x, double *r, double *jacobian, int n)
{
    (void)n;
    r[0] = 1e4 * x[0] * x[1] - 1.0, r[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
    jacobian[0] = 1e4 * x[1], jacobian[1] = 1e4 * x[0];
    jacobian[2] = -exp(-x[0]), jacobian[3] = -exp(-x[1]);
    return 2;
}

static int wrong_residuals(const double *x, double *r, double *jacobian, int n)
{
    (void)n;
    r[0] = x[0];
    jacobian[0] = -1.0;
    return 1;
}

static int nan_residuals(const double *x, double *r, double *jacobian, int n)
{
    (void)n;
    r[0] = log(x[0]) - 1.0; /* NaN below 0 */
    jacobian[0] = 1.0 / x[0];
    return 1;
}

static void lm_rosenbrock(void)
{
    double x0[2] = {-1.2, 1}, lower[2] = {-100, -100}, upper[2] = {100, 100}, x[2];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LM, 2, x0);
    problem p = make_problem(NULL);
    dcx_optim_info info;
    p.residuals = rosenbrock_residuals;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(x[0], 1, 1e-6);
    CHECK_NEAR(x[1], 1, 1e-6);
    CHECK(info.evaluations < 40);
    desc.lower = lower, desc.upper = upper;
    upper[0] = 0.5; /* x0 <= 0.5 is active at the minimum */
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_NEAR(x[0], 0.5, 0);
    CHECK_NEAR(x[1], 0.25, 1e-7);
    CHECK_NEAR(info.f, 0.125, 1e-12);
    upper[0] = 100, lower[1] = 1.5; /* then x0^2 = 1.5 nearly, and x1 at its bound */
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_NEAR(x[1], 1.5, 0);
    CHECK(fabs(-400 * x[0] * (x[1] - x[0] * x[0]) - 2 * (1 - x[0])) < 1e-4);
    lower[0] = upper[0] = 0.3; /* fixed */
    lower[1] = -100;
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_NEAR(x[0], 0.3, 0);
    CHECK_NEAR(x[1], 0.09, 1e-8);
}

static void lm_exponential(void)
{
    double x0[4] = {1, 0.2, 0, 7}, lower[4] = {0, 0, 0.6, 0}, upper[4] = {10, 10, 1, 9}, x[4];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LM, 3, x0);
    problem p = make_problem(NULL);
    dcx_optim_info info;
    p.residuals = exponential_residuals;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(x[0], 2.5, 1e-7);
    CHECK_NEAR(x[1], 1.3, 1e-7);
    CHECK_NEAR(x[2], 0.5, 1e-7);
    CHECK(info.evaluations < 25);
    desc.n = 4;
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_NEAR(x[1], 1.3, 1e-6);
    CHECK_NEAR(x[3], 7, 0);
    desc.lower = lower, desc.upper = upper; /* the truth of x[2] is below its bound */
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_NEAR(x[2], 0.6, 0);
    CHECK(info.gradient < 1e-7 * info.gradient_start);
}

static void lm_hard_cases(void)
{
    double x0[4] = {3, -1, 0, 1}, x[4];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LM, 4, x0);
    problem p = make_problem(NULL);
    dcx_optim_info info;
    p.residuals = powell_singular_residuals;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK(info.f < 1e-7);
    desc.n = 2;
    x0[0] = 0, x0[1] = 1;
    desc.tolerance_gradient = 1e-14;
    p.residuals = powell_badly_scaled_residuals;
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_REL(x[0], 1.098159e-5, 1e-4);
    CHECK_REL(x[1], 9.106146739867, 1e-4);
    desc.n = 1;
    x0[0] = 1;
    p.residuals = wrong_residuals;
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK_EQ(info.status, DCX_OPTIM_LINE_SEARCH_FAILED);
    CHECK(info.evaluations < 50);
    p.residuals = nan_residuals;
    x0[0] = 20; /* the undamped step goes far below 0 */
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK(converged(info));
    CHECK_NEAR(x[0], 2.718281828459045, 1e-6);
    x0[0] = -1;
    info = (p.calls = 0, run(&desc, &p, x));
    CHECK_EQ(info.status, DCX_OPTIM_NON_FINITE_START);
}

/* Values first, derivatives only where a step is kept: the same path, fewer derivatives. */
static void lm_value_first(void)
{
    double x0[2] = {-1.2, 1}, x[2], g[2], jtj[4];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LM, 2, x0);
    dcx_optim *opt = (dcx_optim *)malloc(dcx_optim_bytes(&desc));
    problem p = make_problem(NULL);
    dcx_optim_info whole;
    dcx_optim_status status;
    int derivatives = 0;
    p.residuals = rosenbrock_residuals;
    whole = run(&desc, &p, x);
    status = dcx_optim_init(opt, &desc);
    p.n = 2;
    while (status == DCX_OPTIM_CONTINUE) {
        double f;
        memset(g, 0, sizeof g);
        memset(jtj, 0, sizeof jtj);
        if (dcx_optim_wants_derivatives(opt)) {
            derivatives++;
            f = call(&p, dcx_optim_ask(opt), g, jtj);
            status = dcx_optim_tell(opt, f, g, jtj);
        } else {
            f = call(&p, dcx_optim_ask(opt), NULL, NULL);
            status = dcx_optim_tell(opt, f, NULL, NULL);
        }
    }
    CHECK_EQ(status, whole.status);
    CHECK_EQ(dcx_optim_get_info(opt).evaluations, whole.evaluations);
    CHECK_EQ(derivatives, whole.iterations + 1);
    CHECK(derivatives < whole.evaluations);
    CHECK(memcmp(x, dcx_optim_best(opt), sizeof x) == 0);
    dcx_optim_init(opt, &desc);
    CHECK_EQ(dcx_optim_tell(opt, 1.0, NULL, NULL), DCX_OPTIM_BAD_ARGUMENT);
    CHECK_STR(dcx_optim_get_info(opt).message, "jtj");
    free(opt);
}

/* Random bounded linear least squares in 12 variables: one step after the damping has gone. */
static void lm_linear_boxes(void)
{
    double a[30 * 12], b[30], h[144], g[12], x0[12], lower[12], upper[12];
    dcx_random random;
    int trial, i, j, k;
    dcx_random_init(&random, 5);
    for (trial = 0; trial < 20; trial++) {
        dcx_optim_desc desc = dcx_default_optim_desc(DCX_LM, 12, x0);
        dcx_optim *opt;
        dcx_optim_status status;
        double worst = 0.0;
        for (i = 0; i < 360; i++) a[i] = dcx_random_normal(&random);
        for (i = 0; i < 30; i++) b[i] = 10.0 * dcx_random_normal(&random);
        for (i = 0; i < 12; i++) {
            lower[i] = -dcx_random_uniform(&random);
            upper[i] = dcx_random_uniform(&random);
            x0[i] = i % 3 == 0 ? lower[i] : i % 3 == 1 ? upper[i] : 0.0;
        }
        desc.lower = lower, desc.upper = upper;
        desc.tolerance_gradient = 1e-12;
        opt = (dcx_optim *)malloc(dcx_optim_bytes(&desc));
        status = dcx_optim_init(opt, &desc);
        while (status == DCX_OPTIM_CONTINUE) {
            const double *x = dcx_optim_ask(opt);
            double f = 0.0;
            memset(g, 0, sizeof g);
            memset(h, 0, sizeof h);
            for (k = 0; k < 30; k++) {
                double r = -b[k];
                for (i = 0; i < 12; i++) r += a[12 * k + i] * x[i];
                f += 0.5 * r * r;
                for (i = 0; i < 12; i++) {
                    g[i] += a[12 * k + i] * r;
                    for (j = 0; j < 12; j++) h[12 * i + j] += a[12 * k + i] * a[12 * k + j];
                }
            }
            for (i = 0, worst = 0; i < 12; i++) {
                double room = g[i] > 0 ? x[i] - lower[i] : upper[i] - x[i];
                if (fabs(g[i]) * room > worst) worst = fabs(g[i]) * room;
            }
            status = dcx_optim_tell(opt, f, g, h);
        }
        CHECK(converged(dcx_optim_get_info(opt)));
        CHECK(dcx_optim_get_info(opt).evaluations < 20);
        CHECK_NEAR(worst, 0, 1e-7);
        free(opt);
    }
}

/* ---- sampling methods and Adam -----------------------------------------------------------------
 */

static void cmaes_large_box(void) /* B18 */
{
    static double x0[1000], lower[1000], upper[1000], x[1000];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_CMAES, 1000, x0);
    problem p = make_problem(quadratic);
    dcx_optim_info info;
    int i;
    for (i = 0; i < 1000; i++) x0[i] = 0.5, upper[i] = 1;
    desc.lower = lower, desc.upper = upper;
    desc.max_evaluations = 3 * 24;
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_MAX_EVALUATIONS);
    CHECK_EQ(info.iterations, 2); /* the third generation ends with the evaluations */
}

static void cmaes_converges(void)
{
    double x0[10] = {0}, lower[10], upper[10], x[10];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_CMAES, 10, x0);
    problem p = make_problem(noisy_ellipse);
    dcx_optim_info info;
    int i;
    desc.target = 1e-10;
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_REACHED_TARGET);
    CHECK(info.evaluations < 6000);
    p = make_problem(rosenbrock);
    desc.n = 5;
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_REACHED_TARGET);
    p = make_problem(quadratic); /* a third of the minima at each bound */
    desc.n = 10;
    desc.target = -INF;
    for (i = 0; i < 10; i++) x0[i] = 0.4, lower[i] = 0, upper[i] = 1;
    desc.lower = lower, desc.upper = upper;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    for (i = 0; i < 10; i++) {
        double c = quadratic_centre(i), best = c < 0 ? 0 : c > 1 ? 1 : c;
        CHECK_NEAR(x[i], best, 1e-5);
    }
}

static void sampling_with_nan(void) /* B20 */
{
    double x0[3] = {0.5, -1, 2}, x[3];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_CMAES, 3, x0);
    problem p = make_problem(nan_below_zero);
    dcx_optim_info info;
    int k;
    for (k = 0; k < 2; k++) {
        desc.method = k ? DCX_ES : DCX_CMAES;
        p = make_problem(nan_below_zero);
        info = run(&desc, &p, x);
        CHECK(converged(info));
        CHECK_NEAR(x[0], 1, 1e-6);
        CHECK_NEAR(x[2], 1, 1e-6);
    }
}

static void flat_fitness(void) /* B21 */
{
    double x0[4] = {0.5, -1, 2, 1}, x[4];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_CMAES, 4, x0);
    problem p = make_problem(constant);
    dcx_optim_info info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_FLAT_FITNESS);
    CHECK(info.iterations <= 100);
    CHECK(info.spread > 0 && info.spread <= 1e6);
    CHECK_NEAR(info.f, 3, 0);
    desc.method = DCX_ES;
    p = make_problem(constant);
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_FLAT_FITNESS);
    CHECK(info.spread > 0 && info.spread <= 1e6);
    desc.method = DCX_LBFGSB;
    p = make_problem(constant);
    CHECK_EQ(run(&desc, &p, x).status, DCX_OPTIM_CONVERGED_GRADIENT);
}

static void es_converges(void)
{
    double x0[5] = {0.5, -1, 2, 1, 3}, lower[5] = {-5, -5, 0.25, -5, -5},
           upper[5] = {5, 5, 5, 5, 5}, x[5];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_ES, 5, x0);
    problem p = make_problem(square);
    dcx_optim_info info;
    desc.lower = lower, desc.upper = upper;
    info = run(&desc, &p, x);
    CHECK(converged(info));
    CHECK_NEAR(info.f, 0.0625, 1e-9);
    CHECK_NEAR(x[2], 0.25, 1e-6);
    CHECK(info.evaluations < 5000);
}

static void adam_converges(void)
{
    double x0[2] = {-1.2, 1}, lower[2] = {-2, -2}, upper[2] = {0.5, 2}, x[2];
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_ADAM, 2, x0);
    problem p = make_problem(rosenbrock);
    dcx_optim_info info;
    desc.max_evaluations = 5000;
    desc.learning_rate = 0.05;
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_MAX_EVALUATIONS);
    CHECK(info.f < 1e-6);
    desc.lower = lower, desc.upper = upper;
    p = make_problem(rosenbrock);
    info = run(&desc, &p, x);
    CHECK_NEAR(info.f, 0.25, 1e-6);
    CHECK_NEAR(x[0], 0.5, 1e-6);
}

static void random_numbers(void)
{
    dcx_random random;
    double sum = 0, squares = 0, lowest = 1, highest = 0, fourth = 0;
    int i;
    dcx_random_init(&random, 0);
    /* splitmix64 from seed 0 gives this first word (published test value) */
    CHECK(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
    CHECK(random.state[1] == UINT64_C(0x6e789e6aa1b965f4));
    random.state[0] = 1, random.state[1] = 2, random.state[2] = 3, random.state[3] = 4;
    CHECK(dcx_random_integer(&random) == 11520); /* published with the generator */
    CHECK(dcx_random_integer(&random) == 0);
    CHECK(dcx_random_integer(&random) == 1509978240);
    dcx_random_init(&random, 42);
    for (i = 0; i < 100000; i++) {
        double u = dcx_random_uniform(&random);
        if (u < lowest) lowest = u;
        if (u > highest) highest = u;
    }
    CHECK(lowest >= 0 && lowest < 1e-4 && highest < 1 && highest > 0.9999);
    for (i = 0; i < 200000; i++) {
        double z = dcx_random_normal(&random);
        sum += z, squares += z * z, fourth += z * z * z * z;
    }
    CHECK_NEAR(sum / 200000, 0, 0.01);
    CHECK_NEAR(squares / 200000, 1, 0.015);
    CHECK_NEAR(fourth / 200000, 3, 0.1);
}

/* Eigenvectors of a matrix with known ones, and of random ones. */
static void eigenvectors(void)
{
    static double a[1600], copy[1600], v[1600], d[40], work[80];
    dcx_random random;
    int n, i, j, k;
    dcx_random_init(&random, 3);
    for (n = 1; n <= 40; n += n < 6 ? 1 : 17) {
        double worst = 0;
        for (i = 0; i < n; i++)
            for (j = 0; j <= i; j++)
                a[i * n + j] = a[j * n + i] = dcx_random_normal(&random) * (i == 2 ? 1e3 : 1);
        memcpy(copy, a, sizeof a);
        CHECK(dcxo_eigen(copy, v, d, work, n));
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                double sum = -a[i * n + j], unit = i == j ? -1.0 : 0.0;
                for (k = 0; k < n; k++) {
                    sum += v[k * n + i] * d[k] * v[k * n + j];
                    unit += v[i * n + k] * v[j * n + k];
                }
                if (fabs(sum) * 1e-3 > worst) worst = fabs(sum) * 1e-3;
                if (fabs(unit) > worst) worst = fabs(unit);
            }
        CHECK_NEAR(worst, 0, 1e-13);
    }
}

/* ---- all methods -------------------------------------------------------------------------------
 */

/* The block may be copied in the middle of a run, and the copy continued: the same end. */
static void copies_continue(void)
{
    static const dcx_optim_method methods[] = {DCX_LBFGSB, DCX_LM, DCX_ADAM, DCX_ES, DCX_CMAES};
    double x0[3] = {-1.2, 1, 1.1}, upper[3] = {0.8, 5, 5}, g[3], jtj[9];
    int m, i;
    for (m = 0; m < 5; m++) {
        dcx_optim_desc desc = dcx_default_optim_desc(methods[m], 3, x0);
        dcx_optim *opt[2];
        problem p = make_problem(rosenbrock);
        size_t bytes;
        p.n = 3;
        desc.upper = upper;
        desc.max_evaluations = 200;
        bytes = dcx_optim_bytes(&desc);
        opt[0] = (dcx_optim *)malloc(bytes);
        opt[1] = (dcx_optim *)malloc(bytes);
        memset(opt[0], 0xFF, bytes);
        CHECK_EQ(dcx_optim_init(opt[0], &desc), DCX_OPTIM_CONTINUE);
        for (i = 0; i < 400; i++) {
            int k = i >= 200, step = i % 200;
            double f;
            if (k == 0 && step == 7) memcpy(opt[1], opt[0], bytes);
            if (k == 1 && step < 7) continue;
            memset(g, 0, sizeof g);
            memset(jtj, 0, sizeof jtj);
            f = call(&p, dcx_optim_ask(opt[k]), g, NULL);
            jtj[0] = 800, jtj[4] = 1000, jtj[8] = 200;
            dcx_optim_tell(opt[k], f, g, jtj);
        }
        CHECK(memcmp(opt[0], opt[1], bytes) == 0);
        CHECK(dcx_optim_get_info(opt[0]).status != DCX_OPTIM_CONTINUE);
        free(opt[0]);
        free(opt[1]);
    }
}

static int refuses(dcx_optim_desc desc, const char *part)
{
    dcx_optim *opt = (dcx_optim *)malloc(dcx_optim_bytes(&desc));
    dcx_optim_status status = dcx_optim_init(opt, &desc);
    dcx_optim_info info = dcx_optim_get_info(opt);
    int ok = status == DCX_OPTIM_BAD_ARGUMENT &&
             strstr(info.message, "BAD_ARGUMENT: ") == info.message &&
             strstr(info.message, part) != NULL &&
             dcx_optim_tell(opt, 1.0, NULL, NULL) == DCX_OPTIM_BAD_ARGUMENT;
    if (!ok) printf("  status %d, message \"%s\"\n", (int)status, info.message);
    free(opt);
    return ok;
}

static void wrong_arguments(void) /* B16 and more */
{
    double x0[3] = {1, 2, 3}, lower[3] = {0, 0, 0}, upper[3] = {5, 5, 5}, scale[3] = {1, 1, 1},
           x[3];
    double nan = HUGE_VAL * 0.0;
    dcx_optim_desc good = dcx_default_optim_desc(DCX_CMAES, 3, x0), d;
    good.lower = lower, good.upper = upper, good.scale = scale;
    d = good, d.n = 0;
    CHECK(refuses(d, "n = 0"));
    d.n = -5;
    CHECK(refuses(d, "n = -5"));
    d = good, d.sigma = 0;
    CHECK(refuses(d, "sigma = 0"));
    d.sigma = nan;
    CHECK(refuses(d, "sigma = nan"));
    d = good, d.population = 1;
    CHECK(refuses(d, "population = 1"));
    d = good, d.x0 = NULL;
    CHECK(refuses(d, "x0 is NULL"));
    d = good, d.max_evaluations = 0;
    CHECK(refuses(d, "max_evaluations = 0"));
    d = good, d.target = nan;
    CHECK(refuses(d, "target = nan"));
    d = good, d.memory = 0;
    CHECK(refuses(d, "memory = 0"));
    d = good, d.first_step = -1;
    CHECK(refuses(d, "first_step = -1"));
    d = good, d.tolerance_gradient = nan;
    CHECK(refuses(d, "tolerance_gradient = nan"));
    d = good, d.damping = INF;
    CHECK(refuses(d, "damping = inf"));
    d = good, d.learning_rate = 0;
    CHECK(refuses(d, "learning_rate"));
    d = good, d.method = (dcx_optim_method)7;
    CHECK(refuses(d, "method = 7"));
    d = good, d.n = 2000000000;
    d.x0 = NULL;
    CHECK(refuses(d, "n = 2e+09"));
    x0[1] = nan;
    CHECK(refuses(good, "x0[1] = nan"));
    x0[1] = 2, lower[2] = 6;
    CHECK(refuses(good, "lower[2] = 6: must be <= upper[2]"));
    lower[2] = nan;
    CHECK(refuses(good, "lower[2] = nan"));
    lower[2] = INF;
    CHECK(refuses(good, "lower[2] = inf"));
    lower[2] = 0, upper[0] = -INF;
    CHECK(refuses(good, "upper[0] = -inf"));
    upper[0] = 5, scale[1] = 0;
    CHECK(refuses(good, "scale[1] = 0"));
    scale[1] = 1;
    {
        problem p = make_problem(square);
        dcx_optim_info info;
        d = good, d.n = 0;
        info = dcx_optim_minimize(&d, call, &p, x);
        CHECK_EQ(info.status, DCX_OPTIM_BAD_ARGUMENT);
        CHECK_EQ(p.calls, 0);
    }
}

static void limits(void)
{
    double x0[2] = {-1.2, 1}, x[2], g[2] = {0, 0};
    dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, 2, x0);
    problem p = make_problem(rosenbrock);
    dcx_optim_info info;
    dcx_optim *opt;
    desc.max_evaluations = 1;
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_MAX_EVALUATIONS);
    CHECK_NEAR(x[0], -1.2, 0);
    p = make_problem(rosenbrock);
    desc.max_evaluations = 1000;
    desc.target = 1.0;
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_REACHED_TARGET);
    CHECK(info.f <= 1.0 && rosenbrock(x, g, 2) <= 1.0);
    p = make_problem(nan_below_zero);
    info = run(&desc, &p, x);
    CHECK_EQ(info.status, DCX_OPTIM_NON_FINITE_START);
    CHECK_NEAR(x[0], -1.2, 0);
    opt = (dcx_optim *)malloc(dcx_optim_bytes(&desc));
    dcx_optim_init(opt, &desc);
    CHECK_EQ(dcx_optim_tell(opt, 1.0, NULL, NULL), DCX_OPTIM_BAD_ARGUMENT);
    CHECK_STR(dcx_optim_get_info(opt).message, "g is NULL");
    CHECK_STR(dcx_optim_status_name(DCX_OPTIM_FLAT_FITNESS), "FLAT_FITNESS");
    free(opt);
}

void suite_optim(void)
{
    TEST_RUN(lbfgsb_starts_at_the_minimum);
    TEST_RUN(lbfgsb_inside_and_at_bounds);
    TEST_RUN(lbfgsb_active_rosenbrock);
    TEST_RUN(lbfgsb_fixed_variable);
    TEST_RUN(lbfgsb_never_outside);
    TEST_RUN(lbfgsb_one_variable);
    TEST_RUN(lbfgsb_line_search);
    TEST_RUN(lbfgsb_classics);
    TEST_RUN(lbfgsb_many_variables);
    TEST_RUN(lbfgsb_random_boxes);
    TEST_RUN(scaling_of_f_changes_nothing);
    TEST_RUN(scale_of_variables);
    TEST_RUN(lm_rosenbrock);
    TEST_RUN(lm_exponential);
    TEST_RUN(lm_hard_cases);
    TEST_RUN(lm_value_first);
    TEST_RUN(lm_linear_boxes);
    TEST_RUN(cmaes_large_box);
    TEST_RUN(cmaes_converges);
    TEST_RUN(sampling_with_nan);
    TEST_RUN(flat_fitness);
    TEST_RUN(es_converges);
    TEST_RUN(adam_converges);
    TEST_RUN(random_numbers);
    TEST_RUN(eigenvectors);
    TEST_RUN(copies_continue);
    TEST_RUN(wrong_arguments);
    TEST_RUN(limits);
}
