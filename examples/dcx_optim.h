/* dcx_optim.h - minimising a function of several variables within bounds.

   Do this in ONE source file, and include the header plainly everywhere else:

       #define DCX_OPTIM_IMPLEMENTATION
       #include "dcx_optim.h"

       dcx_optim_desc desc = dcx_default_optim_desc(DCX_LBFGSB, n, x0);
       desc.lower = lower; desc.upper = upper;
       dcx_optim *opt = (dcx_optim *)malloc(dcx_optim_bytes(&desc));
       dcx_optim_status status = dcx_optim_init(opt, &desc);
       while (status == DCX_OPTIM_CONTINUE) {
           f = my_function(dcx_optim_ask(opt), g);
           status = dcx_optim_tell(opt, f, g, NULL);
       }
       ... dcx_optim_best(opt), dcx_optim_get_info(opt).message ...

   Contents (search for the anchor)
       >>desc     what to minimise, and how      >>run      ask and tell, or a callback
       >>random   random numbers                 >>impl     implementation      >>licence

   Methods
       DCX_LBFGSB  f and gradient; many variables. Byrd, Lu, Nocedal, Zhu 1995 (limited-memory
                   quasi-Newton with a generalised Cauchy point), Morales, Nocedal 2011 (projection
   of the subspace step), More, Thuente 1994 (line search). DCX_LM      f = 1/2 |r|^2, g = J^T r and
   J^T J, which the caller sums up residual by residual; J itself is never stored.
   Levenberg-Marquardt with exact bounds on each step, More's running scale (1978), Nielsen's
   damping (1999). Up to a few hundred variables. DCX_ADAM    f and gradient, noisy. Kingma, Ba
   2015, with bounds. DCX_ES      f only. (1+1) evolution strategy with the 1/5 rule. DCX_CMAES   f
   only. Hansen 2016 (tutorial, arXiv:1604.00772), active covariance update.

   Does: no evaluation outside the bounds, not by one rounding; NaN and Inf as values of f (a step
   is shortened, a sample ranked last); results that do not change when f is multiplied by a
   constant; the state in one plain block that may be copied with memcpy and continued. Does not:
   general constraints, discrete variables, threads.

   Scaling: each variable is measured in units of `scale`, rounded to a power of two so that scaling
   itself rounds nothing. Without a scale, it is upper - lower where both are finite, else 1.
   Progress is measured by the "possible decrease": the most the linear model of f can fall by
   moving one variable by up to one unit within its bounds, max_i |g_i| min(scale_i, distance to the
   bound).

   C99 and C++11, no mutable statics, no locale dependence. */
#ifndef DCX_OPTIM_H
#define DCX_OPTIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* >>desc ------------------------------------------------------------------------------------- */

typedef enum dcx_optim_method { DCX_LBFGSB, DCX_LM, DCX_ADAM, DCX_ES, DCX_CMAES } dcx_optim_method;

/* 0: go on. 1..9: a minimum as far as the method can tell. 10..19: stopped without one. Below 0: an
   error. The best point so far is available in every case. */
typedef enum dcx_optim_status {
    DCX_OPTIM_CONTINUE = 0,
    DCX_OPTIM_CONVERGED_GRADIENT = 1, /* possible decrease <= tolerance_gradient x its start */
    DCX_OPTIM_CONVERGED_VALUE = 2,    /* two decreases in a row <= tolerance_value x |f| */
    DCX_OPTIM_CONVERGED_STEP = 3,     /* DCX_LM: last step <= tolerance_step x |x|; DCX_ES,
                                         DCX_CMAES: samples closer than tolerance_step units */
    DCX_OPTIM_CONVERGED_ROUNDING = 4, /* what is left to gain is lost in the rounding of f */
    DCX_OPTIM_REACHED_TARGET = 5,     /* f <= target */
    DCX_OPTIM_MAX_EVALUATIONS = 10,
    DCX_OPTIM_FLAT_FITNESS = 11,       /* f is the same everywhere that was looked at */
    DCX_OPTIM_BAD_ARGUMENT = -1,       /* the message names it */
    DCX_OPTIM_LINE_SEARCH_FAILED = -2, /* f does not fall where its derivatives say so */
    DCX_OPTIM_NON_FINITE_START = -3,   /* f or a derivative at the first point is NaN or Inf */
    DCX_OPTIM_OUT_OF_MEMORY = -4       /* dcx_optim_minimize only */
} dcx_optim_status;

typedef struct dcx_optim_desc {
    dcx_optim_method method;
    int n;               /* variables, >= 1 */
    const double *x0;    /* n; moved into the bounds if it is outside */
    const double *lower; /* n, -INFINITY for none; NULL: no bounds below. All arrays are copied. */
    const double *upper; /* n, INFINITY for none; NULL: no bounds above. lower = upper is fine. */
    const double *scale; /* n, typical size of a change, > 0; NULL: from the bounds, see above */

    int max_evaluations;       /* >= 1; 1000 (DCX_ES, DCX_CMAES: 100000) */
    double target;             /* stop at f <= target; -INFINITY */
    double tolerance_gradient; /* >= 0; 1e-8 */
    double tolerance_value;    /* >= 0; 1e-14 */
    double tolerance_step;     /* >= 0; 1e-12 */

    int memory;           /* DCX_LBFGSB: pairs kept, 1..100; 10 */
    double first_step;    /* DCX_LBFGSB: length of the first trial step in units; 0.1 */
    double damping;       /* DCX_LM: first damping relative to the largest curvatures; 1e-3 */
    double learning_rate; /* DCX_ADAM: in units per evaluation, falling to 0 at max_evaluations on a
                             half cosine; 0.02 */
    double sigma;         /* DCX_ES, DCX_CMAES: first standard deviation in units; 0.3 */
    int population;       /* DCX_CMAES: samples per generation, >= 2; 0: 4 + floor(3 ln n) */
    uint64_t seed;        /* DCX_ES, DCX_CMAES; 1 */
} dcx_optim_desc;

dcx_optim_desc dcx_default_optim_desc(dcx_optim_method method, int n, const double *x0);

/* A method by name: lbfgsb, adam, cmaes, es; any other is lm. */
dcx_optim_method dcx_optim_method_named(const char *name);

typedef struct dcx_optim_info {
    dcx_optim_status status;
    int evaluations; /* calls of tell that brought a new value */
    int iterations;  /* accepted steps; generations of DCX_CMAES */
    double f;        /* at the best point; Inf if there is none yet */
    double f_start;
    double gradient; /* possible decrease at the latest accepted point, and at the start */
    double gradient_start;
    double spread; /* DCX_LM: damping; DCX_ADAM: learning rate; DCX_ES, DCX_CMAES: sigma */
    char message[160];
} dcx_optim_info;

/* >>run -------------------------------------------------------------------------------------- */

typedef struct dcx_optim
    dcx_optim; /* one block without pointers: memcpy makes a copy to go on with */

/* Bytes of the block, aligned like malloc's; never 0. A desc that dcx_optim_init will refuse gets
   the size of a block that can hold the message. */
size_t dcx_optim_bytes(const dcx_optim_desc *desc);

/* Fills the block. DCX_OPTIM_CONTINUE or DCX_OPTIM_BAD_ARGUMENT. */
dcx_optim_status dcx_optim_init(dcx_optim *opt, const dcx_optim_desc *desc);

/* The point to evaluate next: n numbers inside the bounds, valid until the next tell. When the run
   has ended, the best point. */
const double *dcx_optim_ask(const dcx_optim *opt);

/* Should the next tell bring derivatives? Always true for DCX_LBFGSB and DCX_ADAM, never for DCX_ES
   and DCX_CMAES. DCX_LM: a trial may be told with g = jtj = NULL at first; if it is worth keeping,
   ask returns the same point again and this becomes true. */
int dcx_optim_wants_derivatives(const dcx_optim *opt);

/* The value at that point; g: n, or NULL for methods that use none; jtj: n x n, symmetric (both
   triangles), for DCX_LM, else ignored. Returns what to do; after the end, the same status again.
 */
dcx_optim_status dcx_optim_tell(dcx_optim *opt, double f, const double *g, const double *jtj);

/* The best point evaluated so far (n numbers), and how the run stands. */
const double *dcx_optim_best(const dcx_optim *opt);
dcx_optim_info dcx_optim_get_info(const dcx_optim *opt);

/* "CONVERGED_GRADIENT" and so on. */
const char *dcx_optim_status_name(dcx_optim_status status);

/* f at x; fills g (n) and jtj (n x n, zeroed before) unless they are NULL. */
typedef double dcx_optim_function(void *user, const double *x, double *g, double *jtj);

/* The whole run. `x` (n) receives the best point. Memory comes from DCX_OPTIM_MALLOC(bytes) and
   DCX_OPTIM_FREE(pointer), by default those of <stdlib.h>. */
dcx_optim_info dcx_optim_minimize(const dcx_optim_desc *desc, dcx_optim_function *function,
                                  void *user, double *x);

/* >>random ----------------------------------------------------------------------------------- */

/* xoshiro256** (Blackman, Vigna 2021), seeded by splitmix64 (Steele, Lea, Flood 2014). The integers
   are the same on every machine; normal deviates to the rounding of log. */
typedef struct dcx_random {
    uint64_t state[4];
} dcx_random;

void dcx_random_init(dcx_random *random, uint64_t seed);
uint64_t dcx_random_integer(dcx_random *random);
double dcx_random_uniform(dcx_random *random); /* in [0, 1), a multiple of 2^-53 */
double dcx_random_normal(dcx_random *random);  /* mean 0, variance 1 */

#ifdef __cplusplus
}
#endif

#endif /* DCX_OPTIM_H; stop here if you only want the interface */

/* >>impl ===================================================================================== */
#if defined(DCX_OPTIM_IMPLEMENTATION) && !defined(DCX_OPTIM_IMPLEMENTED)
#define DCX_OPTIM_IMPLEMENTED

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef DCX_OPTIM_MALLOC
#include <stdlib.h>
#define DCX_OPTIM_MALLOC(bytes) malloc(bytes)
#define DCX_OPTIM_FREE(pointer) free(pointer)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the block --------------------------------------------------------------------------------
   A struct, then arrays of double at byte offsets. The methods work on y = x / scale. */

enum {
    DCXO_X,     /* n: the point to evaluate, as the caller sees it */
    DCXO_BEST,  /* n: the best point, likewise */
    DCXO_SCALE, /* n: powers of two */
    DCXO_LOWER, /* n: bounds of x */
    DCXO_UPPER,
    DCXO_Y, /* n: the current iterate (scaled from here on) */
    DCXO_G, /* n: its gradient */
    DCXO_T, /* n: the trial point */
    DCXO_GT,
    DCXO_SPECIAL /* the first of those that belong to one method */
};

enum {                        /* DCX_LBFGSB */
       DCXO_Z = DCXO_SPECIAL, /* n: where the step of length 1 ends */
       DCXO_D,                /* n: the direction to it */
       DCXO_CAUCHY,           /* n: generalised Cauchy point */
       DCXO_BREAKS,           /* n: step at which a variable meets its bound */
       DCXO_GLOW,             /* n: gradient at the best point of the line search */
       DCXO_S,                /* memory x n: steps, the latest last */
       DCXO_YS,               /* memory x n: changes of the gradient */
       DCXO_SS,               /* memory x memory: s_i . s_j */
       DCXO_SY,               /* memory x memory: s_i . y_j */
       DCXO_M,                /* (2 memory)^2: the middle matrix */
       DCXO_N,                /* (2 memory)^2: work */
       DCXO_V,                /* 6 x 2 memory: work */
       DCXO_ORDER             /* n ints: a heap of breakpoints */
};

enum {                        /* DCX_LM */
       DCXO_P = DCXO_SPECIAL, /* n: the step */
       DCXO_Q,                /* n: work */
       DCXO_CURVE,            /* n: the largest diagonals of J^T J so far */
       DCXO_H,                /* n x n: J^T J */
       DCXO_A,                /* n x n: damped, then factored */
       DCXO_FIXED,            /* n ints: -1 at the lower bound, 1 at the upper, 0 free */
       DCXO_LIST              /* n ints: the free ones */
};

enum {                           /* DCX_ADAM */
       DCXO_MEAN = DCXO_SPECIAL, /* n */
       DCXO_SQUARE               /* n */
};

enum {                             /* DCX_CMAES */
       DCXO_CENTRE = DCXO_SPECIAL, /* n: mean of the distribution */
       DCXO_PC,                    /* n: evolution path of the covariance */
       DCXO_PS,                    /* n: evolution path of the step size */
       DCXO_C,                     /* n x n: covariance */
       DCXO_B,                     /* n x n: eigenvectors in rows */
       DCXO_A_COPY,                /* n x n: work */
       DCXO_AXES,                  /* n: square roots of the eigenvalues */
       DCXO_WORK,                  /* 2 n */
       DCXO_SAMPLES,               /* population x n: (sample - centre) / sigma */
       DCXO_FITNESS,               /* population */
       DCXO_WEIGHTS,               /* population */
       DCXO_RANK                   /* population ints */
};

#define DCXO_ARRAYS 24

/* A line search, all steps relative to the current iterate along D. */
typedef struct dcxo_search {
    double step, step_max;
    double f0, slope0;            /* at step 0 */
    double low, f_low, slope_low; /* the best end of the interval */
    double high, f_high, slope_high;
    double least, most; /* limits of the next trial */
    double width, width_before;
    double wall; /* a step with a non-finite value, or Inf */
    int bracketed, modified, evaluations;
} dcxo_search;

struct dcx_optim {
    dcx_optim_desc desc; /* its pointers are not used after init and set to NULL */
    dcx_optim_info info;
    int started;
    int awaiting;           /* DCX_LM: a trial is worth keeping, derivatives are missing */
    int pairs, rejected;    /* DCX_LBFGSB: pairs in memory; DCX_LM: steps refused in a row */
    double f;               /* at the current iterate */
    double theta;           /* DCX_LBFGSB: scale of the initial matrix */
    double last_step;       /* DCX_LBFGSB: length of the latest accepted step */
    double mu, nu;          /* DCX_LM: damping and its factor */
    double predicted;       /* DCX_LM: decrease of f by the quadratic model */
    double first_predicted; /* DCX_LM: the same before any step was refused */
    double trial_f;         /* DCX_LM: while awaiting */
    double sigma;           /* DCX_ES, DCX_CMAES */
    int steps;              /* DCX_ADAM: since the moments were 0 */
    int sample, flat; /* DCX_CMAES: next sample; generations (or evaluations) without a change */
    int axes_age;     /* DCX_CMAES: generations since the eigenvectors were computed */
    dcxo_search search;
    dcx_random random;
    size_t at[DCXO_ARRAYS];
};

static double *dcxo_doubles(const dcx_optim *o, int array)
{
    return (double *)(void *)((char *)o + o->at[array]);
}

static int *dcxo_ints(const dcx_optim *o, int array)
{
    return (int *)(void *)((char *)o + o->at[array]);
}

/* ---- common parts -----------------------------------------------------------------------------
 */

/* By comparison, so that it also holds where isfinite is not in the language. */
static int dcxo_is_finite(double x)
{
    return x >= -DBL_MAX && x <= DBL_MAX;
}

static double dcxo_clamp(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

static double dcxo_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    int i;
    for (i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Formats the message; numbers are passed through dcxo_number, which knows no locale. */
static void dcxo_message(dcx_optim *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(o->info.message, sizeof o->info.message, format, arguments);
    va_end(arguments);
}

static const char *dcxo_number(char text[32], double value)
{
    int i;
    if (!dcxo_is_finite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
    snprintf(text, 32, "%.6g", value);
    for (i = 0; text[i]; i++)
        if (!strchr("0123456789+-e", text[i])) text[i] = '.';
    return text;
}

static dcx_optim_status dcxo_stop(dcx_optim *o, dcx_optim_status status, const char *why)
{
    o->info.status = status;
    dcxo_message(o, "%s: %s", dcx_optim_status_name(status), why);
    memcpy(dcxo_doubles(o, DCXO_X), dcxo_doubles(o, DCXO_BEST), (size_t)o->desc.n * sizeof(double));
    return status;
}

/* The power of two nearest to x (in its logarithm), of moderate size. */
static double dcxo_power_of_two(double x)
{
    int exponent;
    double part = frexp(x, &exponent); /* in [1/2, 1) */
    if (part < 0.70710678118654752) exponent--;
    return ldexp(1.0, exponent < -400 ? -400 : exponent > 400 ? 400 : exponent);
}

/* x = scale y within the bounds. The product is exact, so a bound in y is the bound in x. */
static void dcxo_ask_at(dcx_optim *o, const double *y)
{
    double *x = dcxo_doubles(o, DCXO_X);
    const double *scale = dcxo_doubles(o, DCXO_SCALE);
    const double *lower = dcxo_doubles(o, DCXO_LOWER), *upper = dcxo_doubles(o, DCXO_UPPER);
    int i;
    for (i = 0; i < o->desc.n; i++) x[i] = dcxo_clamp(y[i] * scale[i], lower[i], upper[i]);
}

static double dcxo_lower(const dcx_optim *o, int i)
{
    return dcxo_doubles(o, DCXO_LOWER)[i] / dcxo_doubles(o, DCXO_SCALE)[i];
}

static double dcxo_upper(const dcx_optim *o, int i)
{
    return dcxo_doubles(o, DCXO_UPPER)[i] / dcxo_doubles(o, DCXO_SCALE)[i];
}

/* The possible decrease at y with gradient g, both scaled. */
static double dcxo_possible_decrease(const dcx_optim *o, const double *y, const double *g)
{
    double most = 0.0;
    int i;
    for (i = 0; i < o->desc.n; i++) {
        double room = g[i] > 0 ? y[i] - dcxo_lower(o, i) : dcxo_upper(o, i) - y[i];
        double gain = fabs(g[i]) * (room < 1.0 ? room : 1.0);
        if (gain > most) most = gain;
    }
    return most;
}

/* Scales the caller's gradient; 0 if it, or f, is not finite. */
static int dcxo_take_gradient(const dcx_optim *o, double f, const double *g, double *scaled)
{
    const double *scale = dcxo_doubles(o, DCXO_SCALE);
    int i;
    if (!dcxo_is_finite(f)) return 0;
    for (i = 0; i < o->desc.n; i++) {
        scaled[i] = g[i] * scale[i];
        if (!dcxo_is_finite(scaled[i])) return 0;
    }
    return 1;
}

/* Counts an evaluation at X and keeps the best. */
static void dcxo_record(dcx_optim *o, double f)
{
    o->info.evaluations++;
    if (o->info.evaluations == 1) o->info.f_start = f;
    if (!dcxo_is_finite(f) || f >= o->info.f) return;
    o->info.f = f;
    memcpy(dcxo_doubles(o, DCXO_BEST), dcxo_doubles(o, DCXO_X), (size_t)o->desc.n * sizeof(double));
}

/* The stops common to all methods; CONTINUE if none applies. */
static dcx_optim_status dcxo_check_limits(dcx_optim *o)
{
    if (o->info.f <= o->desc.target) return dcxo_stop(o, DCX_OPTIM_REACHED_TARGET, "f <= target");
    if (o->info.evaluations < o->desc.max_evaluations) return DCX_OPTIM_CONTINUE;
    return dcxo_stop(o, DCX_OPTIM_MAX_EVALUATIONS, "max_evaluations used up");
}

/* The first gradient of a run. */
static dcx_optim_status dcxo_check_start(dcx_optim *o, int finite)
{
    o->started = 1;
    if (!finite)
        return dcxo_stop(o, DCX_OPTIM_NON_FINITE_START, "f or a derivative is not finite at x0");
    o->info.gradient_start = o->info.gradient =
        dcxo_possible_decrease(o, dcxo_doubles(o, DCXO_Y), dcxo_doubles(o, DCXO_G));
    if (o->info.gradient > 0) return DCX_OPTIM_CONTINUE;
    return dcxo_stop(o, DCX_OPTIM_CONVERGED_GRADIENT, "nothing to gain at x0");
}

/* After a step has been accepted: current iterate, gradient and f are the new ones. */
static dcx_optim_status dcxo_check_progress(dcx_optim *o, double f_before)
{
    double gain = dcxo_possible_decrease(o, dcxo_doubles(o, DCXO_Y), dcxo_doubles(o, DCXO_G));
    double size = fabs(o->f) > fabs(f_before) ? fabs(o->f) : fabs(f_before);
    o->info.gradient = gain;
    o->info.iterations++;
    if (gain <= o->desc.tolerance_gradient * o->info.gradient_start ||
        gain <= DBL_EPSILON * fabs(o->f))
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_GRADIENT, "possible decrease <= its tolerance");
    o->flat = f_before - o->f <= o->desc.tolerance_value * size ? o->flat + 1 : 0;
    if (o->flat >= 2) /* one short step alone means little */
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_VALUE, "decreases of f <= tolerance_value |f|");
    return DCX_OPTIM_CONTINUE;
}

/* No step lowers f: is that rounding, or are the derivatives wrong? Rounding is measured by the
   value at the start as well: f may be a small difference of terms of that size. */
static dcx_optim_status dcxo_stop_without_decrease(dcx_optim *o, double predicted)
{
    double size = fabs(o->f) > fabs(o->info.f_start) ? fabs(o->f) : fabs(o->info.f_start);
    double gain = o->info.gradient;
    if (predicted <= 1e3 * DBL_EPSILON * size ||
        (gain <= 1e-6 * o->info.gradient_start && gain <= 1e-6 * size))
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_ROUNDING, "f cannot be lowered any further");
    return dcxo_stop(o, DCX_OPTIM_LINE_SEARCH_FAILED,
                     "f does not fall along its derivatives; are they right?");
}

/* Solves the n x n system A x = b by elimination with row exchanges; A is destroyed, b becomes x
   (both with `columns` right-hand sides, row by row). 0 if a pivot is 0 or not finite. */
static int dcxo_eliminate(double *a, double *b, int n, int columns)
{
    int i, j, k;
    for (k = 0; k < n; k++) {
        int pivot = k;
        for (i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        if (!(fabs(a[pivot * n + k]) > 0) || !dcxo_is_finite(a[pivot * n + k])) return 0;
        for (j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
        }
        for (j = 0; j < columns; j++) {
            double t = b[k * columns + j];
            b[k * columns + j] = b[pivot * columns + j];
            b[pivot * columns + j] = t;
        }
        for (i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            for (j = 0; j < columns; j++) b[i * columns + j] -= factor * b[k * columns + j];
        }
    }
    for (k = n - 1; k >= 0; k--)
        for (j = 0; j < columns; j++) {
            double sum = b[k * columns + j];
            for (i = k + 1; i < n; i++) sum -= a[k * n + i] * b[i * columns + j];
            b[k * columns + j] = sum / a[k * n + k];
        }
    return 1;
}

/* ---- L-BFGS-B: the quadratic model ------------------------------------------------------------
   Byrd, Lu, Nocedal, Zhu 1995. The Hessian is approximated by B = theta I - W M W^T with
   W = [Y, theta S] (n x 2k, k pairs) and M^-1 = [[-D, L^T], [L, theta S^T S]], where D is the
   diagonal and L the strict lower triangle of S^T Y (their equations 3.2 - 3.4). */

/* Row i of W. */
static void dcxo_row_of_w(const dcx_optim *o, int i, double *w)
{
    const double *s = dcxo_doubles(o, DCXO_S), *ys = dcxo_doubles(o, DCXO_YS);
    int j;
    for (j = 0; j < o->pairs; j++) {
        w[j] = ys[(size_t)j * (size_t)o->desc.n + (size_t)i];
        w[o->pairs + j] = o->theta * s[(size_t)j * (size_t)o->desc.n + (size_t)i];
    }
}

/* result = M v. */
static void dcxo_times_m(const dcx_optim *o, const double *v, double *result)
{
    const double *m = dcxo_doubles(o, DCXO_M);
    int i, size = 2 * o->pairs;
    for (i = 0; i < size; i++) result[i] = dcxo_dot(m + (size_t)i * (size_t)size, v, size);
}

/* M from its inverse; forgets all pairs if it cannot be inverted. */
static void dcxo_make_m(dcx_optim *o)
{
    const double *ss = dcxo_doubles(o, DCXO_SS), *sy = dcxo_doubles(o, DCXO_SY);
    double *inverse = dcxo_doubles(o, DCXO_N), *m = dcxo_doubles(o, DCXO_M);
    int i, j, k = o->pairs, size = 2 * k, most = o->desc.memory;
    for (i = 0; i < size * size; i++) inverse[i] = m[i] = 0.0;
    for (i = 0; i < size; i++) m[i * size + i] = 1.0;
    for (i = 0; i < k; i++) {
        inverse[i * size + i] = -sy[i * most + i];
        for (j = 0; j < k; j++) {
            inverse[(k + i) * size + k + j] = o->theta * ss[i * most + j];
            if (i > j) inverse[(k + i) * size + j] = inverse[j * size + k + i] = sy[i * most + j];
        }
    }
    if (!dcxo_eliminate(inverse, m, size, size)) o->pairs = 0;
}

/* Takes in the pair (s, y) in T - Y and GT - G, unless its curvature is lost in rounding. */
static void dcxo_add_pair(dcx_optim *o)
{
    int n = o->desc.n, most = o->desc.memory, i, k;
    size_t row = (size_t)n;
    double *s = dcxo_doubles(o, DCXO_S), *ys = dcxo_doubles(o, DCXO_YS);
    double *ss = dcxo_doubles(o, DCXO_SS), *sy = dcxo_doubles(o, DCXO_SY), *new_s, *new_y;
    const double *y = dcxo_doubles(o, DCXO_Y), *t = dcxo_doubles(o, DCXO_T);
    const double *g = dcxo_doubles(o, DCXO_G), *gt = dcxo_doubles(o, DCXO_GT);
    double curvature = 0.0, slope = 0.0, length = 0.0;
    for (i = 0; i < n; i++) {
        curvature += (t[i] - y[i]) * (gt[i] - g[i]);
        slope += (t[i] - y[i]) * g[i];
        length += (t[i] - y[i]) * (t[i] - y[i]);
    }
    o->last_step = sqrt(length);
    if (!(curvature > DBL_EPSILON * fabs(slope))) return;
    if (o->pairs == most) { /* forget the oldest */
        size_t bytes = (size_t)(most - 1) * sizeof(double);
        memmove(s, s + row, row * bytes);
        memmove(ys, ys + row, row * bytes);
        for (i = 0; i + 1 < most; i++) {
            memmove(ss + i * most, ss + (i + 1) * most + 1, bytes);
            memmove(sy + i * most, sy + (i + 1) * most + 1, bytes);
        }
        o->pairs--;
    }
    k = o->pairs++;
    new_s = s + row * (size_t)k;
    new_y = ys + row * (size_t)k;
    for (i = 0; i < n; i++) {
        new_s[i] = t[i] - y[i];
        new_y[i] = gt[i] - g[i];
    }
    for (i = 0; i <= k; i++) {
        ss[i * most + k] = ss[k * most + i] = dcxo_dot(s + row * (size_t)i, new_s, n);
        sy[i * most + k] = dcxo_dot(s + row * (size_t)i, new_y, n);
        sy[k * most + i] = dcxo_dot(new_s, ys + row * (size_t)i, n);
    }
    o->theta = dcxo_dot(new_y, new_y, n) / sy[k * most + k];
    dcxo_make_m(o);
}

/* A power of two that makes the largest component of the gradient about 1. */
static double dcxo_gradient_unit(const dcx_optim *o)
{
    const double *g = dcxo_doubles(o, DCXO_G);
    double most = 0.0;
    int i;
    for (i = 0; i < o->desc.n; i++)
        if (fabs(g[i]) > most) most = fabs(g[i]);
    return most > 0 ? 1.0 / dcxo_power_of_two(most) : 1.0;
}

/* Without pairs, the model's curvature is such that the first step has the length asked for. */
static void dcxo_forget_pairs(dcx_optim *o)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *g = dcxo_doubles(o, DCXO_G);
    double sum = 0.0, step = o->desc.first_step, unit = dcxo_gradient_unit(o);
    int i;
    for (i = 0; i < o->desc.n; i++)
        if (g[i] > 0 ? y[i] > dcxo_lower(o, i) : y[i] < dcxo_upper(o, i))
            sum += unit * g[i] * unit * g[i];
    if (o->last_step > 0 && o->last_step < step) step = o->last_step;
    o->pairs = 0;
    o->theta = sqrt(sum) / unit / step;
}

/* ---- L-BFGS-B: generalised Cauchy point --------------------------------------------------------
   The first local minimum of the model along the projected steepest descent path, found by walking
   from one breakpoint (where a variable meets its bound) to the next; their algorithm CP. */

/* Moves the entry at position k of a heap of indices, smallest value on top, down to its place. */
static void dcxo_heap_sift(int *heap, int count, int k, const double *value)
{
    int item = heap[k];
    for (;;) {
        int child = 2 * k + 1;
        if (child >= count) break;
        if (child + 1 < count && value[heap[child + 1]] < value[heap[child]]) child++;
        if (!(value[heap[child]] < value[item])) break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = item;
}

/* Breakpoints, the direction (in D), p = W^T d and a heap of the finite breakpoints; returns how
   many. `movers`: variables that move at all; `slope`: the model's slope along the path; `square`:
   d . d. The direction is the gradient in other units, so that squares neither over- nor underflow.
 */
static int dcxo_cauchy_start(dcx_optim *o, double *p, double *w, int *movers, double *slope,
                             double *square)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *g = dcxo_doubles(o, DCXO_G);
    double *breaks = dcxo_doubles(o, DCXO_BREAKS), *d = dcxo_doubles(o, DCXO_D);
    int *heap = dcxo_ints(o, DCXO_ORDER);
    int i, j, count = 0;
    double unit = dcxo_gradient_unit(o);
    *movers = 0;
    *slope = *square = 0.0;
    memset(p, 0, (size_t)(2 * o->pairs) * sizeof *p);
    for (i = 0; i < o->desc.n; i++) {
        d[i] = -unit * g[i];
        breaks[i] = HUGE_VAL;
        if (d[i] > 0) breaks[i] = (dcxo_upper(o, i) - y[i]) / d[i];
        if (d[i] < 0) breaks[i] = (dcxo_lower(o, i) - y[i]) / d[i];
        if (!(breaks[i] > 0)) d[i] = 0.0;
        if (!(fabs(d[i]) > 0)) continue;
        (*movers)++;
        *slope += g[i] * d[i];
        *square += d[i] * d[i];
        dcxo_row_of_w(o, i, w);
        for (j = 0; j < 2 * o->pairs; j++) p[j] += d[i] * w[j];
        if (breaks[i] <= DBL_MAX) heap[count++] = i;
    }
    for (i = count / 2 - 1; i >= 0; i--) dcxo_heap_sift(heap, count, i, breaks);
    return count;
}

/* Fills CAUCHY and c = W^T (cauchy - y). */
static void dcxo_cauchy(dcx_optim *o, double *c)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *g = dcxo_doubles(o, DCXO_G);
    const double *breaks = dcxo_doubles(o, DCXO_BREAKS);
    double *d = dcxo_doubles(o, DCXO_D), *point = dcxo_doubles(o, DCXO_CAUCHY);
    int *heap = dcxo_ints(o, DCXO_ORDER);
    int size = 2 * o->pairs, width = 2 * o->desc.memory, i, movers, count;
    double *p = c + width, *w = p + width, *mw = w + width;
    double slope, square, curve, least_curve, best, t = 0.0;
    count = dcxo_cauchy_start(o, p, w, &movers, &slope, &square);
    memcpy(point, y, (size_t)o->desc.n * sizeof *point);
    memset(c, 0, (size_t)width * sizeof *c);
    dcxo_times_m(o, p, mw);
    least_curve = DBL_EPSILON * o->theta * square;
    curve = o->theta * square - dcxo_dot(p, mw, size);
    if (!(curve > least_curve)) curve = least_curve;
    best = movers ? -slope / curve : 0.0;
    while (count > 0) { /* the variable b leaves the path at its bound */
        int b = heap[0];
        double step = breaks[b] - t, db = d[b], z;
        if (best < step) break;
        heap[0] = heap[--count];
        if (count) dcxo_heap_sift(heap, count, 0, breaks);
        t = breaks[b];
        point[b] = db > 0 ? dcxo_upper(o, b) : dcxo_lower(o, b);
        z = point[b] - y[b];
        d[b] = 0.0;
        for (i = 0; i < size; i++) c[i] += step * p[i];
        dcxo_row_of_w(o, b, w);
        dcxo_times_m(o, w, mw);
        slope += step * curve - db * (g[b] + o->theta * z - dcxo_dot(mw, c, size));
        curve -=
            o->theta * db * db - 2.0 * db * dcxo_dot(mw, p, size) + db * db * dcxo_dot(mw, w, size);
        for (i = 0; i < size; i++) p[i] -= db * w[i];
        if (!(curve > least_curve)) curve = least_curve;
        best = --movers > 0 ? -slope / curve : 0.0;
    }
    if (!(best > 0)) best = 0.0;
    t += best;
    for (i = 0; i < size; i++) c[i] += best * p[i];
    for (i = 0; i < o->desc.n; i++)
        if (fabs(d[i]) > 0)
            point[i] = dcxo_clamp(y[i] + t * d[i], dcxo_lower(o, i), dcxo_upper(o, i));
}

/* ---- L-BFGS-B: subspace step and direction -----------------------------------------------------
   From the Cauchy point, the model is minimised over the variables that are not at a bound there
   (their direct primal method, section 5.1), and the result is projected into the bounds (Morales,
   Nocedal 2011). Where they ask that the projected step goes downhill, and cut it at the first
   bound if it does not, we ask that the model is no higher there than at the Cauchy point: a slope
   of rounding size is not enough to make progress. */

static int dcxo_is_free(const dcx_optim *o, int i)
{
    double x = dcxo_doubles(o, DCXO_CAUCHY)[i];
    return x > dcxo_lower(o, i) && x < dcxo_upper(o, i);
}

/* Fills D with the unprojected step from the Cauchy point (0 for variables at bounds). `c` as
   above; the rest of V is work. 0 if the small system is singular. */
static int dcxo_subspace_step(dcx_optim *o, const double *c)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *g = dcxo_doubles(o, DCXO_G);
    const double *point = dcxo_doubles(o, DCXO_CAUCHY);
    double *d = dcxo_doubles(o, DCXO_D), *a = dcxo_doubles(o, DCXO_N);
    int size = 2 * o->pairs, width = 2 * o->desc.memory, i, j, k;
    double *mc = dcxo_doubles(o, DCXO_V) + width, *w = mc + width, *v = w + width, *row = v + width;
    dcxo_times_m(o, c, mc);
    memset(v, 0, (size_t)size * sizeof *v);
    memset(a, 0, (size_t)size * (size_t)size * sizeof *a);
    for (i = 0; i < o->desc.n; i++) {
        d[i] = 0.0;
        if (!dcxo_is_free(o, i)) continue;
        dcxo_row_of_w(o, i, w);
        d[i] = g[i] + o->theta * (point[i] - y[i]) - dcxo_dot(w, mc, size); /* reduced gradient */
        for (j = 0; j < size; j++) {
            v[j] += w[j] * d[i];
            for (k = 0; k < size; k++) a[j * size + k] += w[j] * w[k];
        }
    }
    /* (I - M (W^T Z Z^T W) / theta) v' = M v, column by column in place */
    for (k = 0; k < size; k++) {
        for (j = 0; j < size; j++) w[j] = a[j * size + k];
        dcxo_times_m(o, w, row);
        for (j = 0; j < size; j++) a[j * size + k] = (j == k ? 1.0 : 0.0) - row[j] / o->theta;
    }
    dcxo_times_m(o, v, row);
    if (!dcxo_eliminate(a, row, size, 1)) return 0;
    for (i = 0; i < o->desc.n; i++) {
        if (!dcxo_is_free(o, i)) continue;
        dcxo_row_of_w(o, i, w);
        d[i] = -(d[i] + dcxo_dot(w, row, size) / o->theta) / o->theta;
        if (!dcxo_is_finite(d[i])) return 0;
    }
    return 1;
}

/* The model's change from Y to `point`; the slope alone in `slope`. `w`, `sum`, `product`: work. */
static double dcxo_model(const dcx_optim *o, const double *point, double *slope, double *w,
                         double *sum, double *product)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *g = dcxo_doubles(o, DCXO_G);
    int i, j, size = 2 * o->pairs;
    double square = 0.0;
    *slope = 0.0;
    memset(sum, 0, (size_t)size * sizeof *sum);
    for (i = 0; i < o->desc.n; i++) {
        double step = point[i] - y[i];
        *slope += g[i] * step;
        square += step * step;
        dcxo_row_of_w(o, i, w);
        for (j = 0; j < size; j++) sum[j] += step * w[j];
    }
    dcxo_times_m(o, sum, product);
    return *slope + 0.5 * (o->theta * square - dcxo_dot(sum, product, size));
}

/* Z = the Cauchy point plus `part` of the subspace step in D, projected; returns whether the
   projection had anything to do. */
static int dcxo_step_to(dcx_optim *o, double part)
{
    const double *point = dcxo_doubles(o, DCXO_CAUCHY), *d = dcxo_doubles(o, DCXO_D);
    double *z = dcxo_doubles(o, DCXO_Z);
    int i, cut = 0;
    for (i = 0; i < o->desc.n; i++) {
        double end = point[i] + part * d[i];
        z[i] = dcxo_clamp(end, dcxo_lower(o, i), dcxo_upper(o, i));
        cut = cut || z[i] < end || z[i] > end;
    }
    return cut;
}

/* Fills Z and D = Z - Y from the Cauchy point and the subspace step in D; returns the slope. */
static double dcxo_project_step(dcx_optim *o)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *point = dcxo_doubles(o, DCXO_CAUCHY);
    double *d = dcxo_doubles(o, DCXO_D), *z = dcxo_doubles(o, DCXO_Z), *w = dcxo_doubles(o, DCXO_V);
    double slope, part = 1.0, *sum = w + 2 * o->desc.memory, *product = sum + 2 * o->desc.memory;
    int i, cut = dcxo_step_to(o, part);
    if (cut &&
        dcxo_model(o, z, &slope, w, sum, product) > dcxo_model(o, point, &slope, w, sum, product)) {
        for (i = 0; i < o->desc.n; i++) { /* up to the first bound the model only falls */
            double lower = dcxo_lower(o, i) - point[i], upper = dcxo_upper(o, i) - point[i];
            if (d[i] > 0 && upper < part * d[i]) part = upper / d[i];
            if (d[i] < 0 && lower > part * d[i]) part = lower / d[i];
        }
        dcxo_step_to(o, part);
    }
    dcxo_model(o, z, &slope, w, sum, product);
    for (i = 0; i < o->desc.n; i++) d[i] = z[i] - y[i];
    return slope;
}

/* The direction of the next line search; returns the slope along it, < 0 unless nothing is left. */
static double dcxo_direction(dcx_optim *o)
{
    double slope, *d = dcxo_doubles(o, DCXO_D), *c = dcxo_doubles(o, DCXO_V);
    for (;;) {
        dcxo_cauchy(o, c);
        if (o->pairs == 0 || !dcxo_subspace_step(o, c)) memset(d, 0, (size_t)o->desc.n * sizeof *d);
        slope = dcxo_project_step(o);
        if (slope < 0 || o->pairs == 0) return slope;
        dcxo_forget_pairs(o);
    }
}

/* ---- line search --------------------------------------------------------------------------------
   More, Thuente 1994: an interval that is known to contain acceptable steps is shrunk by cubic and
   quadratic interpolation. A step is acceptable if f <= f0 + MU step slope0 and |slope| <= ETA
   |slope0|. */

#define DCXO_MU 1e-4
#define DCXO_ETA 0.9
#define DCXO_SEARCH_EVALUATIONS 20

/* Between which steps the next trial is looked for. */
static void dcxo_search_limits(dcxo_search *s)
{
    if (s->bracketed) {
        s->least = s->low < s->high ? s->low : s->high;
        s->most = s->low < s->high ? s->high : s->low;
        return;
    }
    s->least = s->step + 1.1 * (s->step - s->low); /* look further */
    s->most = s->step + 4.0 * (s->step - s->low);
    if (s->most > s->step_max) s->most = s->step_max;
    if (s->least > s->most) s->least = s->most;
}

static void dcxo_search_start(dcxo_search *s, double f, double slope, double step_max)
{
    memset(s, 0, sizeof *s);
    s->step = 1.0;
    s->step_max = step_max;
    s->f0 = s->f_low = s->f_high = f;
    s->slope0 = s->slope_low = s->slope_high = slope;
    s->wall = HUGE_VAL;
    s->modified = 1;
    s->width = s->width_before = 2.0 * step_max;
}

/* The minimiser of the cubic with these values and slopes at a and b; or `otherwise` if it has
 * none. */
static double dcxo_cubic(double a, double fa, double ga, double b, double fb, double gb,
                         double otherwise)
{
    double theta = 3.0 * (fa - fb) / (b - a) + ga + gb;
    double size = fabs(theta) + fabs(ga) + fabs(gb), root, numerator, denominator;
    if (!(size > 0)) return otherwise;
    root = (theta / size) * (theta / size) - (ga / size) * (gb / size);
    if (root < 0) return otherwise;
    root = size * sqrt(root) * (b > a ? 1.0 : -1.0);
    numerator = root - ga + theta;
    denominator = root - ga + root + gb;
    if (!(fabs(denominator) > 0)) return otherwise;
    return a + numerator / denominator * (b - a);
}

/* The next trial after the trial `s->step` with value f and slope g: section 4 of the paper with
   its four cases. `opposite`: has the slope changed its sign? */
static double dcxo_search_next(const dcxo_search *s, double f, double g, int opposite)
{
    double t = s->step, low = s->low, far_end = t > low ? s->most : s->least, cubic, secant, limit;
    if (f > s->f_low) { /* higher: a minimum lies between */
        double bend = (s->f_low - f) / (t - low) + s->slope_low;
        cubic = dcxo_cubic(low, s->f_low, s->slope_low, t, f, g, 0.5 * (low + t));
        secant = low + 0.5 * s->slope_low / bend * (t - low);
        return fabs(cubic - low) < fabs(secant - low) ? cubic : 0.5 * (cubic + secant);
    }
    secant = t + g / (g - s->slope_low) * (low - t);
    if (opposite) { /* lower, but the slope has turned: likewise */
        cubic = dcxo_cubic(low, s->f_low, s->slope_low, t, f, g, 0.5 * (low + t));
        return fabs(cubic - t) > fabs(secant - t) ? cubic : secant;
    }
    if (fabs(g) > fabs(s->slope_low)) { /* lower and steeper */
        if (!s->bracketed) return far_end;
        return dcxo_cubic(t, f, g, s->high, s->f_high, s->slope_high, 0.5 * (t + s->high));
    }
    /* lower and flatter: the cubic may have its minimum behind us, or none */
    cubic = dcxo_cubic(low, s->f_low, s->slope_low, t, f, g, far_end);
    if (!((cubic - t) * (t - low) > 0)) cubic = far_end;
    if (!s->bracketed)
        return dcxo_clamp(fabs(cubic - t) > fabs(secant - t) ? cubic : secant, s->least, s->most);
    limit = t + 0.66 * (s->high - t);
    if (fabs(cubic - t) > fabs(secant - t)) cubic = secant;
    return (t > low) == (cubic > limit) ? limit : cubic;
}

/* The interval and the trial step after a finite trial. */
static void dcxo_search_update(dcxo_search *s, double f, double g)
{
    dcxo_search m = *s; /* the function that is interpolated */
    double next, tilt = 0.0;
    int higher, opposite;
    if (s->modified && f <= s->f_low && f > s->f0 + DCXO_MU * s->step * s->slope0)
        tilt =
            DCXO_MU * s->slope0; /* f minus its sufficient decrease, until the interval is good */
    m.f_low -= tilt * s->low, m.f_high -= tilt * s->high;
    m.slope_low -= tilt, m.slope_high -= tilt;
    higher = f - tilt * s->step > m.f_low;
    opposite = (g - tilt > 0) != (m.slope_low > 0);
    next = dcxo_search_next(&m, f - tilt * s->step, g - tilt, opposite);
    if (higher) {
        s->high = s->step, s->f_high = f, s->slope_high = g;
    } else {
        if (opposite) s->high = s->low, s->f_high = s->f_low, s->slope_high = s->slope_low;
        s->low = s->step, s->f_low = f, s->slope_low = g;
    }
    if (higher || opposite) s->bracketed = 1;
    s->step = next;
}

typedef enum dcxo_search_result {
    DCXO_SEARCH_ON,
    DCXO_SEARCH_DONE,
    DCXO_SEARCH_FAILED
} dcxo_search_result;

/* After a trial without a finite value: back towards the best step. */
static dcxo_search_result dcxo_search_retreat(dcxo_search *s)
{
    double back = s->low + 0.25 * (s->step - s->low);
    if (s->step > s->low) s->wall = s->step;
    if (!(fabs(back - s->low) > 0) || s->evaluations >= 3 * DCXO_SEARCH_EVALUATIONS)
        return DCXO_SEARCH_FAILED;
    s->step = back;
    return DCXO_SEARCH_ON;
}

/* The value f and slope g at the trial step; sets the next one. */
static dcxo_search_result dcxo_search_tell(dcxo_search *s, int finite, double f, double g)
{
    double limit = s->f0 + DCXO_MU * s->step * s->slope0, middle;
    s->evaluations++;
    if (!finite) return dcxo_search_retreat(s);
    if (f <= limit && f <= s->f_low) { /* enough, and no worse than what was seen on the way */
        if (fabs(g) <= DCXO_ETA * fabs(s->slope0)) return DCXO_SEARCH_DONE;
        if (g <= DCXO_MU * s->slope0 && s->step >= s->step_max) return DCXO_SEARCH_DONE;
    }
    if (s->evaluations >= DCXO_SEARCH_EVALUATIONS) return DCXO_SEARCH_FAILED;
    if (s->modified && f <= limit && g >= 0) s->modified = 0;
    dcxo_search_limits(s);
    dcxo_search_update(s, f, g);
    if (s->bracketed) {
        middle = s->low + 0.5 * (s->high - s->low);
        if (fabs(s->high - s->low) >= 0.66 * s->width_before)
            s->step = middle; /* shrinks too slowly */
        s->width_before = s->width;
        s->width = fabs(s->high - s->low);
        dcxo_search_limits(s);
        if (!(s->step > s->least && s->step < s->most)) s->step = middle;
        if (s->width <= 4 * DBL_EPSILON * s->most) return DCXO_SEARCH_FAILED;
    }
    s->step = dcxo_clamp(s->step, 0.0, s->step_max);
    if (s->step >= s->wall) s->step = 0.5 * (s->low + s->wall);
    return DCXO_SEARCH_ON;
}

/* ---- L-BFGS-B: the iteration --------------------------------------------------------------------
 */

/* Puts the trial of the current line search into T and X. */
static void dcxo_lbfgsb_trial(dcx_optim *o)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *d = dcxo_doubles(o, DCXO_D),
                 *z = dcxo_doubles(o, DCXO_Z);
    double *t = dcxo_doubles(o, DCXO_T), step = o->search.step;
    int i;
    for (i = 0; i < o->desc.n; i++) {
        t[i] = dcxo_clamp(y[i] + step * d[i], dcxo_lower(o, i), dcxo_upper(o, i));
        if (!(step < 1.0 || step > 1.0)) t[i] = z[i];
    }
    dcxo_ask_at(o, t);
}

/* Starts a line search from the current iterate. */
static dcx_optim_status dcxo_lbfgsb_begin(dcx_optim *o)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *d = dcxo_doubles(o, DCXO_D);
    double slope, step_max = 1e10;
    int i;
    if (o->pairs == 0) dcxo_forget_pairs(o);
    slope = dcxo_direction(o);
    if (!(slope < 0)) return dcxo_stop_without_decrease(o, 0.0);
    for (i = 0; i < o->desc.n; i++) {
        double room = HUGE_VAL;
        if (d[i] > 0) room = (dcxo_upper(o, i) - y[i]) / d[i];
        if (d[i] < 0) room = (dcxo_lower(o, i) - y[i]) / d[i];
        if (room < step_max) step_max = room;
    }
    dcxo_search_start(&o->search, o->f, slope, step_max > 1.0 ? step_max : 1.0);
    dcxo_lbfgsb_trial(o);
    return DCX_OPTIM_CONTINUE;
}

/* The trial in T with gradient GT becomes the current iterate. */
static dcx_optim_status dcxo_lbfgsb_accept(dcx_optim *o, double f)
{
    size_t bytes = (size_t)o->desc.n * sizeof(double);
    double before = o->f;
    dcx_optim_status status;
    dcxo_add_pair(o);
    memcpy(dcxo_doubles(o, DCXO_Y), dcxo_doubles(o, DCXO_T), bytes);
    memcpy(dcxo_doubles(o, DCXO_G), dcxo_doubles(o, DCXO_GT), bytes);
    o->f = f;
    status = dcxo_check_progress(o, before);
    if (status == DCX_OPTIM_CONTINUE) status = dcxo_check_limits(o);
    return status == DCX_OPTIM_CONTINUE ? dcxo_lbfgsb_begin(o) : status;
}

/* The line search has given up: takes its best point, or starts again without pairs, or stops. */
static dcx_optim_status dcxo_lbfgsb_fail(dcx_optim *o)
{
    dcxo_search *s = &o->search;
    dcx_optim_status status = dcxo_check_limits(o);
    if (status != DCX_OPTIM_CONTINUE) return status;
    if (s->f_low < s->f0) {
        s->step = s->low;
        dcxo_lbfgsb_trial(o);
        memcpy(dcxo_doubles(o, DCXO_GT), dcxo_doubles(o, DCXO_GLOW),
               (size_t)o->desc.n * sizeof(double));
        return dcxo_lbfgsb_accept(o, s->f_low);
    }
    if (o->pairs == 0) return dcxo_stop_without_decrease(o, -s->slope0);
    dcxo_forget_pairs(o);
    return dcxo_lbfgsb_begin(o);
}

static dcx_optim_status dcxo_lbfgsb_tell(dcx_optim *o, double f, const double *g)
{
    size_t bytes = (size_t)o->desc.n * sizeof(double);
    double *gt = dcxo_doubles(o, DCXO_GT), trial = o->search.step;
    int finite = dcxo_take_gradient(o, f, g, gt);
    dcx_optim_status status;
    dcxo_search_result result;
    dcxo_record(o, finite ? f : HUGE_VAL);
    if (!o->started) {
        o->f = f;
        memcpy(dcxo_doubles(o, DCXO_G), gt, bytes);
        status = dcxo_check_start(o, finite);
        if (status == DCX_OPTIM_CONTINUE) status = dcxo_check_limits(o);
        return status == DCX_OPTIM_CONTINUE ? dcxo_lbfgsb_begin(o) : status;
    }
    result =
        dcxo_search_tell(&o->search, finite, f, dcxo_dot(gt, dcxo_doubles(o, DCXO_D), o->desc.n));
    if (result == DCXO_SEARCH_DONE) return dcxo_lbfgsb_accept(o, f);
    if (finite && !(o->search.low < trial || o->search.low > trial))
        memcpy(dcxo_doubles(o, DCXO_GLOW), gt, bytes);
    if (result == DCXO_SEARCH_FAILED) return dcxo_lbfgsb_fail(o);
    status = dcxo_check_limits(o);
    if (status == DCX_OPTIM_CONTINUE) dcxo_lbfgsb_trial(o);
    return status;
}

/* ---- Levenberg-Marquardt ------------------------------------------------------------------------
   Each step minimises g p + 1/2 p (H + mu D) p, H = J^T J, within the bounds, exactly, by an
   active-set method; D is the largest diagonal of H so far (More 1978), so that the units of the
   variables do not matter. mu follows Nielsen (1999, report IMM-REP-1999-05): it falls smoothly
   with the ratio of the real to the predicted decrease and grows ever faster when steps are
   refused. */

#define DCXO_LM_REFUSALS 30

static double dcxo_lm_diagonal(const dcx_optim *o, int i)
{
    size_t n = (size_t)o->desc.n;
    return dcxo_doubles(o, DCXO_H)[(size_t)i * n + (size_t)i] +
           o->mu * dcxo_doubles(o, DCXO_CURVE)[i];
}

/* (H p)_i */
static double dcxo_lm_product(const dcx_optim *o, int i)
{
    return dcxo_dot(dcxo_doubles(o, DCXO_H) + (size_t)i * (size_t)o->desc.n,
                    dcxo_doubles(o, DCXO_P), o->desc.n);
}

/* The minimum over the `count` variables in `list`, the others staying at P; the result goes to Q.
   By Cholesky in A. 0 if the matrix is not positive definite. */
static int dcxo_lm_solve(dcx_optim *o, const int *list, int count)
{
    size_t n = (size_t)o->desc.n;
    double *a = dcxo_doubles(o, DCXO_A), *q = dcxo_doubles(o, DCXO_Q);
    const double *h = dcxo_doubles(o, DCXO_H), *g = dcxo_doubles(o, DCXO_G),
                 *p = dcxo_doubles(o, DCXO_P);
    int i, j;
    for (i = 0; i < count; i++) {
        double *row = a + (size_t)i * n, right = -g[list[i]] - dcxo_lm_product(o, list[i]);
        const double *hi = h + (size_t)list[i] * n;
        for (j = 0; j < count; j++) right += hi[list[j]] * p[list[j]]; /* leaves the fixed ones */
        for (j = 0; j < i; j++) {
            const double *other = a + (size_t)j * n;
            row[j] = (hi[list[j]] - dcxo_dot(row, other, j)) / other[j];
        }
        row[i] = dcxo_lm_diagonal(o, list[i]) - dcxo_dot(row, row, i);
        if (!(row[i] > DBL_EPSILON * dcxo_lm_diagonal(o, list[i]))) return 0;
        row[i] = sqrt(row[i]);
        for (j = 0; j < i; j++) right -= row[j] * q[list[j]];
        q[list[i]] = right / row[i];
    }
    for (i = count - 1; i >= 0; i--) {
        double sum = q[list[i]];
        for (j = i + 1; j < count; j++) sum -= a[(size_t)j * n + (size_t)i] * q[list[j]];
        q[list[i]] = sum / a[(size_t)i * n + (size_t)i];
    }
    return 1;
}

/* Which variables are held at a bound at first: those there whose gradient points outwards. */
static void dcxo_lm_fix(dcx_optim *o)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *g = dcxo_doubles(o, DCXO_G);
    int *fixed = dcxo_ints(o, DCXO_FIXED), i;
    for (i = 0; i < o->desc.n; i++) {
        double lower = dcxo_lower(o, i), upper = dcxo_upper(o, i);
        dcxo_doubles(o, DCXO_P)[i] = 0.0;
        fixed[i] = y[i] <= lower && g[i] >= 0 ? -1 : y[i] >= upper && g[i] <= 0 ? 1 : 0;
        if (!(lower < upper)) fixed[i] = 2; /* for good */
    }
}

/* Moves P towards Q up to the first bound; fixes that variable and returns 1, or 0 if Q was
 * reached. */
static int dcxo_lm_move(dcx_optim *o, const int *list, int count)
{
    double *p = dcxo_doubles(o, DCXO_P), part = 1.0, end = 0.0;
    const double *q = dcxo_doubles(o, DCXO_Q), *y = dcxo_doubles(o, DCXO_Y);
    int k, block = -1;
    for (k = 0; k < count; k++) {
        int i = list[k];
        double lower = dcxo_lower(o, i) - y[i], upper = dcxo_upper(o, i) - y[i];
        double bound = q[i] < lower ? lower : upper, a;
        if (!(q[i] < lower || q[i] > upper)) continue;
        a = (bound - p[i]) / (q[i] - p[i]);
        if (block >= 0 && !(a < part)) continue;
        part = a > 0 ? a : 0.0;
        block = i;
        end = bound;
    }
    for (k = 0; k < count; k++) {
        int i = list[k];
        p[i] = block < 0 ? q[i] : p[i] + part * (q[i] - p[i]);
        p[i] = dcxo_clamp(p[i], dcxo_lower(o, i) - y[i], dcxo_upper(o, i) - y[i]);
    }
    if (block < 0) return 0;
    dcxo_ints(o, DCXO_FIXED)[block] = q[block] < end ? -1 : 1;
    p[block] = end;
    return 1;
}

/* Frees the variable that is held at its bound most wrongly; 0 if there is none. */
static int dcxo_lm_release(dcx_optim *o)
{
    const double *g = dcxo_doubles(o, DCXO_G), *p = dcxo_doubles(o, DCXO_P);
    int *fixed = dcxo_ints(o, DCXO_FIXED), i, worst = -1;
    double most = 0.0;
    for (i = 0; i < o->desc.n; i++) {
        double product, slope, inward, scale = sqrt(dcxo_lm_diagonal(o, i));
        if (fixed[i] != 1 && fixed[i] != -1) continue;
        product = dcxo_lm_product(o, i) + o->mu * dcxo_doubles(o, DCXO_CURVE)[i] * p[i];
        slope = g[i] + product;
        inward = fixed[i] < 0 ? -slope : slope;
        if (inward <= 1e-12 * (fabs(g[i]) + fabs(product)) || inward / scale <= most) continue;
        most = inward / scale;
        worst = i;
    }
    if (worst >= 0) fixed[worst] = 0;
    return worst >= 0;
}

/* Fills P and `predicted`; 0 if the damping is too small to solve for it. */
static int dcxo_lm_step(dcx_optim *o)
{
    int *list = dcxo_ints(o, DCXO_LIST), i, count, turn;
    const int *fixed = dcxo_ints(o, DCXO_FIXED);
    const double *g = dcxo_doubles(o, DCXO_G), *p = dcxo_doubles(o, DCXO_P);
    dcxo_lm_fix(o);
    for (turn = 0; turn < 4 * o->desc.n + 20; turn++) {
        for (i = count = 0; i < o->desc.n; i++)
            if (!fixed[i]) list[count++] = i;
        if (!dcxo_lm_solve(o, list, count)) return 0;
        if (dcxo_lm_move(o, list, count)) continue;
        if (!dcxo_lm_release(o)) break;
    }
    o->predicted = 0.0;
    for (i = 0; i < o->desc.n; i++) o->predicted -= p[i] * (g[i] + 0.5 * dcxo_lm_product(o, i));
    return dcxo_is_finite(o->predicted);
}

/* Computes the next trial from the current iterate and puts it into T and X. */
static dcx_optim_status dcxo_lm_begin(dcx_optim *o)
{
    const double *y = dcxo_doubles(o, DCXO_Y), *p = dcxo_doubles(o, DCXO_P);
    const int *fixed = dcxo_ints(o, DCXO_FIXED);
    double *t = dcxo_doubles(o, DCXO_T);
    int i;
    while (!dcxo_lm_step(o)) {
        o->mu *= 10.0;
        if (!(o->mu < 1e30)) return dcxo_stop_without_decrease(o, HUGE_VAL);
    }
    if (o->rejected == 0) o->first_predicted = o->predicted;
    if (!(o->predicted > 0)) return dcxo_stop_without_decrease(o, o->first_predicted);
    for (i = 0; i < o->desc.n; i++) {
        double lower = dcxo_lower(o, i), upper = dcxo_upper(o, i);
        t[i] = fixed[i] == -1  ? lower
               : fixed[i] == 1 ? upper
                               : dcxo_clamp(y[i] + p[i], lower, upper);
        if (fixed[i] == 2) t[i] = y[i];
    }
    o->info.spread = o->mu;
    dcxo_ask_at(o, t);
    return DCX_OPTIM_CONTINUE;
}

/* Scales the caller's matrix into A; 0 if it is not finite. */
static int dcxo_lm_take(dcx_optim *o, const double *jtj)
{
    const double *scale = dcxo_doubles(o, DCXO_SCALE);
    double *a = dcxo_doubles(o, DCXO_A);
    size_t n = (size_t)o->desc.n, i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            a[i * n + j] = jtj[i * n + j] * scale[i] * scale[j];
            if (!dcxo_is_finite(a[i * n + j])) return 0;
        }
    return 1;
}

/* The gradient in GT and matrix in A become current. */
static void dcxo_lm_adopt(dcx_optim *o)
{
    size_t n = (size_t)o->desc.n, i;
    double *curve = dcxo_doubles(o, DCXO_CURVE), most = 0.0;
    const double *h = dcxo_doubles(o, DCXO_H);
    memcpy(dcxo_doubles(o, DCXO_G), dcxo_doubles(o, DCXO_GT), n * sizeof(double));
    memcpy(dcxo_doubles(o, DCXO_H), dcxo_doubles(o, DCXO_A), n * n * sizeof(double));
    for (i = 0; i < n; i++) {
        if (h[i * n + i] > curve[i]) curve[i] = h[i * n + i];
        if (curve[i] > most) most = curve[i];
    }
    for (i = 0; i < n; i++) /* a variable without any effect so far must not divide by 0 */
        if (!(curve[i] > 0)) curve[i] = most > 0 ? DBL_EPSILON * most : 1.0;
}

static dcx_optim_status dcxo_lm_reject(dcx_optim *o)
{
    dcx_optim_status status = dcxo_check_limits(o);
    if (status != DCX_OPTIM_CONTINUE) return status;
    o->rejected++;
    o->mu *= o->nu;
    o->nu *= 2.0;
    if (o->rejected >= DCXO_LM_REFUSALS || o->predicted <= DBL_EPSILON * fabs(o->f))
        return dcxo_stop_without_decrease(o, o->first_predicted);
    return dcxo_lm_begin(o);
}

static dcx_optim_status dcxo_lm_accept(dcx_optim *o, double f, double ratio)
{
    double before = o->f, bend = 2.0 * ratio - 1.0, factor = 1.0 - bend * bend * bend;
    const double *p = dcxo_doubles(o, DCXO_P), *t = dcxo_doubles(o, DCXO_T);
    dcx_optim_status status;
    int i, small = 1;
    dcxo_lm_adopt(o);
    memcpy(dcxo_doubles(o, DCXO_Y), t, (size_t)o->desc.n * sizeof(double));
    o->f = f;
    o->mu *= factor > 1.0 / 3.0 ? factor : 1.0 / 3.0;
    if (o->mu < 1e-15) o->mu = 1e-15;
    o->nu = 2.0;
    o->rejected = 0;
    status = dcxo_check_progress(o, before);
    if (status != DCX_OPTIM_CONTINUE) return status;
    for (i = 0; i < o->desc.n; i++)
        small = small && fabs(p[i]) <= o->desc.tolerance_step * fabs(t[i]);
    if (small) return dcxo_stop(o, DCX_OPTIM_CONVERGED_STEP, "last step <= tolerance_step |x|");
    status = dcxo_check_limits(o);
    return status == DCX_OPTIM_CONTINUE ? dcxo_lm_begin(o) : status;
}

static dcx_optim_status dcxo_lm_tell(dcx_optim *o, double f, const double *g, const double *jtj)
{
    int finite, complete = g && jtj;
    double ratio;
    dcx_optim_status status;
    if (o->awaiting) f = o->trial_f;
    finite = dcxo_is_finite(f);
    if (!complete && (!o->started || o->awaiting))
        return dcxo_stop(o, DCX_OPTIM_BAD_ARGUMENT, "g and jtj are needed at this point");
    if (complete && finite)
        finite = dcxo_take_gradient(o, f, g, dcxo_doubles(o, DCXO_GT)) && dcxo_lm_take(o, jtj);
    if (!o->awaiting) dcxo_record(o, finite ? f : HUGE_VAL);
    if (!o->started) {
        o->f = f;
        if (finite) dcxo_lm_adopt(o);
        status = dcxo_check_start(o, finite);
        if (status == DCX_OPTIM_CONTINUE) status = dcxo_check_limits(o);
        return status == DCX_OPTIM_CONTINUE ? dcxo_lm_begin(o) : status;
    }
    ratio = (o->f - f) / o->predicted;
    o->awaiting = 0;
    if (!finite || !(ratio > 1e-4)) return dcxo_lm_reject(o);
    if (complete) return dcxo_lm_accept(o, f, ratio);
    o->awaiting = 1;
    o->trial_f = f;
    return dcxo_check_limits(o);
}

/* ---- Adam ---------------------------------------------------------------------------------------
   Kingma, Ba 2015, algorithm 1, with beta1 = 0.9, beta2 = 0.999, steps clamped into the bounds.
   Their epsilon is relative to the first gradient, so that multiplying f by a constant changes
   nothing. */

static dcx_optim_status dcxo_adam_tell(dcx_optim *o, double f, const double *g)
{
    double *mean = dcxo_doubles(o, DCXO_MEAN), *square = dcxo_doubles(o, DCXO_SQUARE);
    double *y = dcxo_doubles(o, DCXO_Y), *gt = dcxo_doubles(o, DCXO_GT),
           *first = dcxo_doubles(o, DCXO_G);
    double part, fade1, fade2;
    dcx_optim_status status;
    int i, t = ++o->steps, finite = dcxo_take_gradient(o, f, g, gt);
    dcxo_record(o, finite ? f : HUGE_VAL);
    if (!o->started) {
        memcpy(first, gt, (size_t)o->desc.n * sizeof(double));
        status = dcxo_check_start(o, finite);
        if (status != DCX_OPTIM_CONTINUE) return status;
        for (i = 0; i < o->desc.n; i++)
            if (fabs(gt[i]) > o->f) o->f = fabs(gt[i]); /* the largest slope at the start */
    }
    status = dcxo_check_limits(o);
    if (status != DCX_OPTIM_CONTINUE) return status;
    if (!finite) { /* back to the best point at half the speed */
        const double *best = dcxo_doubles(o, DCXO_BEST), *scale = dcxo_doubles(o, DCXO_SCALE);
        for (i = 0; i < o->desc.n; i++) y[i] = best[i] / scale[i], mean[i] = square[i] = 0.0;
        o->steps = 0;
        o->sigma *= 0.5;
        dcxo_ask_at(o, y);
        return DCX_OPTIM_CONTINUE;
    }
    o->info.gradient = dcxo_possible_decrease(o, y, gt);
    o->info.iterations++;
    part = (double)o->info.evaluations / o->desc.max_evaluations;
    o->info.spread = o->sigma * 0.5 * (1.0 + cos(part * 3.14159265358979323846));
    fade1 = 1.0 - pow(0.9, t);
    fade2 = 1.0 - pow(0.999, t);
    for (i = 0; i < o->desc.n; i++) {
        mean[i] += 0.1 * (gt[i] - mean[i]);
        square[i] += 0.001 * (gt[i] * gt[i] - square[i]);
        y[i] -= o->info.spread * (mean[i] / fade1) / (sqrt(square[i] / fade2) + 1e-8 * o->f);
        y[i] = dcxo_clamp(y[i], dcxo_lower(o, i), dcxo_upper(o, i));
    }
    dcxo_ask_at(o, y);
    return DCX_OPTIM_CONTINUE;
}

/* ---- bounds for sampling ------------------------------------------------------------------------
   Samples are drawn without bounds and folded into the box: like a mirror at the bounds, but with a
   parabola of half-width `dcxo_margin` in place of the kink, so that a minimum at a bound is a
   smooth minimum for the sampler (after the boundary handling in Hansen's implementations). */

static double dcxo_margin(double lower, double upper)
{
    return upper - lower > 0.1 ? 0.05 : 0.5 * (upper - lower);
}

static double dcxo_fold(double y, double lower, double upper)
{
    double a = dcxo_margin(lower, upper), low = lower - a, high = upper + a;
    if (!(lower < upper)) return lower;
    if (low > -DBL_MAX && high < DBL_MAX) {
        double period = 2.0 * (high - low), t = fmod(y - low, period);
        if (t < 0) t += period;
        y = low + (t > high - low ? period - t : t);
    } else if (y < low) {
        y = 2.0 * low - y;
    } else if (y > high) {
        y = 2.0 * high - y;
    }
    if (y < lower + a)
        y = lower + (y - low) * (y - low) / (4.0 * a);
    else if (y > upper - a)
        y = upper - (high - y) * (high - y) / (4.0 * a);
    return dcxo_clamp(y, lower, upper);
}

static double dcxo_unfold(double y, double lower, double upper)
{
    double a = dcxo_margin(lower, upper);
    if (!(lower < upper)) return lower;
    if (y < lower + a) return lower - a + sqrt(4.0 * a * (y - lower));
    if (y > upper - a) return upper + a - sqrt(4.0 * a * (upper - y));
    return y;
}

/* Folds `sample` into T and X. */
static void dcxo_ask_folded(dcx_optim *o, const double *sample)
{
    double *t = dcxo_doubles(o, DCXO_T);
    int i;
    for (i = 0; i < o->desc.n; i++) t[i] = dcxo_fold(sample[i], dcxo_lower(o, i), dcxo_upper(o, i));
    dcxo_ask_at(o, t);
}

/* ---- (1+1) evolution strategy -------------------------------------------------------------------
   A sample replaces its parent if it is not worse; sigma grows by exp(0.8 / d) if it is better and
   shrinks by exp(0.2 / d) otherwise, d = sqrt(n + 1), so that it is steady at one success in five
   (Rechenberg 1973; this form after Kern et al. 2004). Parent in Y, sample in G (not folded). */

static dcx_optim_status dcxo_es_tell(dcx_optim *o, double f)
{
    double *y = dcxo_doubles(o, DCXO_Y), *sample = dcxo_doubles(o, DCXO_G),
           d = sqrt(o->desc.n + 1.0);
    dcx_optim_status status;
    int i, better, same;
    dcxo_record(o, f);
    if (!o->started) {
        o->started = 1;
        o->f = dcxo_is_finite(f) ? f : HUGE_VAL;
    } else {
        better = dcxo_is_finite(f) && f < o->f;
        same = dcxo_is_finite(f) && !(f < o->f) && f <= o->f;
        o->flat = same ? o->flat + 1 : 0;
        if (better || same) {
            memcpy(y, sample, (size_t)o->desc.n * sizeof(double));
            o->f = f;
            o->info.iterations += better;
        }
        o->sigma *= exp((better ? 0.8 : -0.2) / d);
        if (o->sigma > 1e6) o->sigma = 1e6;
    }
    o->info.spread = o->sigma;
    status = dcxo_check_limits(o);
    if (status != DCX_OPTIM_CONTINUE) return status;
    if (o->flat >= 100 && o->info.iterations == 0)
        return dcxo_stop(o, DCX_OPTIM_FLAT_FITNESS, "the same f in 100 samples in a row");
    if (o->flat >= 100)
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_VALUE, "the same f in 100 samples in a row");
    if (o->sigma <= o->desc.tolerance_step)
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_STEP, "sigma <= tolerance_step");
    for (i = 0; i < o->desc.n; i++) sample[i] = y[i] + o->sigma * dcx_random_normal(&o->random);
    dcxo_ask_folded(o, sample);
    return DCX_OPTIM_CONTINUE;
}

/* ---- eigenvectors -------------------------------------------------------------------------------
   Golub, Van Loan, Matrix Computations, sections 8.3.1 (Householder tridiagonalisation) and 8.3.5
   (symmetric QR steps with Wilkinson's shift). */

/* Reflects with I - 2 v v^T, v of unit length in v[k..n), so that a (n x n, symmetric) loses what
   is left of column k - 1 below the subdiagonal; `vectors` gathers the reflections as rows. */
static void dcxo_reflect(double *a, double *vectors, int n, int k, const double *v, double *w)
{
    size_t row = (size_t)n;
    double vw = 0.0;
    int i, j;
    for (i = k - 1; i < n; i++) {
        w[i] = dcxo_dot(a + (size_t)i * row + k, v + k, n - k);
        if (i >= k) vw += v[i] * w[i];
    }
    for (i = k - 1; i < n; i++) {
        double vi = i < k ? 0.0 : v[i], wi = 2.0 * (w[i] - vw * vi);
        double *ai = a + (size_t)i * row;
        for (j = k - 1; j < n; j++) {
            double vj = j < k ? 0.0 : v[j], wj = 2.0 * (w[j] - vw * vj);
            ai[j] -= vi * wj + wi * vj;
        }
    }
    memset(w, 0, row * sizeof *w);
    for (i = k; i < n; i++)
        for (j = 0; j < n; j++) w[j] += v[i] * vectors[(size_t)i * row + (size_t)j];
    for (i = k; i < n; i++)
        for (j = 0; j < n; j++) vectors[(size_t)i * row + (size_t)j] -= 2.0 * v[i] * w[j];
}

/* One QR step on the unreduced block low..high of the tridiagonal (d, e). */
static void dcxo_qr_step(double *d, double *e, double *vectors, int n, int low, int high)
{
    double half = 0.5 * (d[high - 1] - d[high]), b = e[high - 1], root = sqrt(half * half + b * b);
    double shift = d[high] - b * (b / (half + (half < 0 ? -root : root)));
    double x = d[low] - shift, z = e[low];
    int k, j;
    for (k = low; k < high; k++) {
        double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1.0, s = r > 0 ? z / r : 0.0;
        double p = d[k], q = d[k + 1], m = e[k];
        double *v = vectors + (size_t)k * (size_t)n, *u = v + n;
        if (k > low) e[k - 1] = r;
        d[k] = c * c * p + 2.0 * c * s * m + s * s * q;
        d[k + 1] = s * s * p - 2.0 * c * s * m + c * c * q;
        e[k] = c * s * (q - p) + (c * c - s * s) * m;
        if (k + 1 < high) {
            x = e[k];
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        for (j = 0; j < n; j++) {
            double t = c * v[j] + s * u[j];
            u[j] = c * u[j] - s * v[j];
            v[j] = t;
        }
    }
}

/* a = vectors^T diag(d) vectors for a symmetric a (n x n, destroyed); `work`: 2 n. 0 if the
   iteration does not converge, which happens for numbers that are not finite only. */
static int dcxo_eigen(double *a, double *vectors, double *d, double *work, int n)
{
    size_t row = (size_t)n;
    double *e = work, *v = work, *w = work + n;
    int i, k, low, high, turns;
    memset(vectors, 0, row * row * sizeof *vectors);
    for (i = 0; i < n; i++) vectors[(size_t)i * row + (size_t)i] = 1.0;
    for (k = 1; k + 1 < n; k++) {
        double length = 0.0, size;
        for (i = k; i < n; i++) {
            v[i] = a[(size_t)i * row + (size_t)(k - 1)];
            length += v[i] * v[i];
        }
        if (!(length > v[k] * v[k])) continue;
        length = sqrt(length);
        size = v[k] < 0 ? -length : length;
        v[k] += size;
        size = sqrt(2.0 * length * (length + fabs(v[k] - size)));
        for (i = k; i < n; i++) v[i] /= size;
        dcxo_reflect(a, vectors, n, k, v, w);
    }
    for (i = 0; i < n; i++) {
        d[i] = a[(size_t)i * row + (size_t)i];
        e[i] = i + 1 < n ? a[(size_t)i * row + (size_t)(i + 1)] : 0.0;
    }
    for (high = n - 1, turns = 0; high > 0;) {
        if (fabs(e[high - 1]) <= DBL_EPSILON * (fabs(d[high - 1]) + fabs(d[high]))) {
            e[--high] = 0.0;
            turns = 0;
            continue;
        }
        low = high - 1;
        while (low > 0 && fabs(e[low - 1]) > DBL_EPSILON * (fabs(d[low - 1]) + fabs(d[low]))) low--;
        if (++turns > 100 || !dcxo_is_finite(d[high])) return 0;
        dcxo_qr_step(d, e, vectors, n, low, high);
    }
    return 1;
}

/* ---- CMA-ES
   --------------------------------------------------------------------------------------- Hansen,
   The CMA Evolution Strategy: A Tutorial (2016); names of the rates and default values are those of
   its Table 1 and Figure 6. */

typedef struct dcxo_rates {
    double mu_eff, c1, cmu, c_sigma, d_sigma, cc, chi; /* chi: expected length of N(0, I) */
    int parents;
} dcxo_rates;

static int dcxo_cmaes_population(const dcx_optim_desc *desc)
{
    return desc->population ? desc->population : 4 + (int)(3.0 * log((double)desc->n));
}

/* The raw weights are ln((lambda + 1) / 2) - ln(i). */
static dcxo_rates dcxo_cmaes_rates(const dcx_optim *o, double *mu_eff_minus)
{
    dcxo_rates r;
    double n = o->desc.n, lambda = o->desc.population, sum[2] = {0, 0}, squares[2] = {0, 0}, over;
    int i;
    r.parents = o->desc.population / 2;
    for (i = 0; i < o->desc.population; i++) {
        double w = log(0.5 * (lambda + 1.0)) - log(i + 1.0);
        sum[i >= r.parents] += w;
        squares[i >= r.parents] += w * w;
    }
    r.mu_eff = sum[0] * sum[0] / squares[0];
    *mu_eff_minus = squares[1] > 0 ? sum[1] * sum[1] / squares[1] : 0.0;
    r.c1 = 2.0 / ((n + 1.3) * (n + 1.3) + r.mu_eff);
    r.cmu = 2.0 * (0.25 + r.mu_eff + 1.0 / r.mu_eff - 2.0) / ((n + 2.0) * (n + 2.0) + r.mu_eff);
    if (r.cmu > 1.0 - r.c1) r.cmu = 1.0 - r.c1;
    r.c_sigma = (r.mu_eff + 2.0) / (n + r.mu_eff + 5.0);
    over = sqrt((r.mu_eff - 1.0) / (n + 1.0)) - 1.0;
    r.d_sigma = 1.0 + 2.0 * (over > 0 ? over : 0.0) + r.c_sigma;
    r.cc = (4.0 + r.mu_eff / n) / (n + 4.0 + 2.0 * r.mu_eff / n);
    r.chi = sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
    return r;
}

/* Positive weights sum to 1; negative ones are as large as keeps the covariance positive definite.
 */
static void dcxo_cmaes_weights(dcx_optim *o)
{
    double *weight = dcxo_doubles(o, DCXO_WEIGHTS), minus, positive = 0.0, negative = 0.0, most,
           other;
    dcxo_rates r = dcxo_cmaes_rates(o, &minus);
    int i;
    for (i = 0; i < o->desc.population; i++) {
        weight[i] = log(0.5 * (o->desc.population + 1.0)) - log(i + 1.0);
        if (weight[i] > 0)
            positive += weight[i];
        else
            negative -= weight[i];
    }
    most = 1.0 + r.c1 / r.cmu;
    other = 1.0 + 2.0 * minus / (r.mu_eff + 2.0);
    if (other < most) most = other;
    other = (1.0 - r.c1 - r.cmu) / (o->desc.n * r.cmu);
    if (other < most) most = other;
    for (i = 0; i < o->desc.population; i++)
        weight[i] *= weight[i] > 0 ? 1.0 / positive : most / negative;
}

/* |C^(-1/2) y|^2, and that vector in `result`. */
static double dcxo_cmaes_whiten(const dcx_optim *o, const double *y, double *result)
{
    const double *b = dcxo_doubles(o, DCXO_B), *axes = dcxo_doubles(o, DCXO_AXES);
    int n = o->desc.n, i, k;
    double sum = 0.0;
    memset(result, 0, (size_t)n * sizeof *result);
    for (k = 0; k < n; k++) {
        const double *row = b + (size_t)k * (size_t)n;
        double t = dcxo_dot(row, y, n) / axes[k];
        sum += t * t;
        for (i = 0; i < n; i++) result[i] += t * row[i];
    }
    return sum;
}

/* Draws the next sample of the generation. */
static void dcxo_cmaes_draw(dcx_optim *o)
{
    int n = o->desc.n, i, k;
    double *y = dcxo_doubles(o, DCXO_SAMPLES) + (size_t)o->sample * (size_t)n;
    double *point = dcxo_doubles(o, DCXO_WORK);
    const double *b = dcxo_doubles(o, DCXO_B), *axes = dcxo_doubles(o, DCXO_AXES);
    const double *centre = dcxo_doubles(o, DCXO_CENTRE);
    memset(y, 0, (size_t)n * sizeof *y);
    for (k = 0; k < n; k++) {
        const double *row = b + (size_t)k * (size_t)n;
        double z = axes[k] * dcx_random_normal(&o->random);
        for (i = 0; i < n; i++) y[i] += z * row[i];
    }
    for (i = 0; i < n; i++) point[i] = centre[i] + o->sigma * y[i];
    dcxo_ask_folded(o, point);
}

/* Paths, step size and covariance from the ranked generation; the centre moves. */
static void dcxo_cmaes_update(dcx_optim *o, const int *rank)
{
    int n = o->desc.n, lambda = o->desc.population, i, j, k, steady;
    size_t row = (size_t)n;
    double *mean = dcxo_doubles(o, DCXO_WORK), *white = mean + n,
           *centre = dcxo_doubles(o, DCXO_CENTRE);
    double *pc = dcxo_doubles(o, DCXO_PC), *ps = dcxo_doubles(o, DCXO_PS),
           *c = dcxo_doubles(o, DCXO_C);
    const double *y = dcxo_doubles(o, DCXO_SAMPLES), *weight = dcxo_doubles(o, DCXO_WEIGHTS);
    double minus, length, keep, sum = 0.0;
    dcxo_rates r = dcxo_cmaes_rates(o, &minus);
    memset(mean, 0, row * sizeof *mean);
    for (k = 0; k < r.parents; k++)
        for (i = 0; i < n; i++) mean[i] += weight[k] * y[(size_t)rank[k] * row + (size_t)i];
    for (i = 0; i < n; i++) centre[i] += o->sigma * mean[i];
    dcxo_cmaes_whiten(o, mean, white);
    for (i = 0; i < n; i++)
        ps[i] =
            (1.0 - r.c_sigma) * ps[i] + sqrt(r.c_sigma * (2.0 - r.c_sigma) * r.mu_eff) * white[i];
    length = sqrt(dcxo_dot(ps, ps, n));
    o->info.iterations++;
    steady = length / sqrt(1.0 - pow(1.0 - r.c_sigma, 2.0 * o->info.iterations)) <
             (1.4 + 2.0 / (n + 1.0)) * r.chi;
    for (i = 0; i < n; i++)
        pc[i] =
            (1.0 - r.cc) * pc[i] + (steady ? sqrt(r.cc * (2.0 - r.cc) * r.mu_eff) * mean[i] : 0.0);
    o->sigma *= exp(r.c_sigma / r.d_sigma * (length / r.chi - 1.0));
    for (k = 0; k < lambda; k++) sum += weight[k];
    keep = 1.0 - r.c1 - r.cmu * sum + (steady ? 0.0 : r.c1 * r.cc * (2.0 - r.cc));
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            c[(size_t)i * row + (size_t)j] =
                keep * c[(size_t)i * row + (size_t)j] + r.c1 * pc[i] * pc[j];
    for (k = 0; k < lambda; k++) {
        const double *yk = y + (size_t)rank[k] * row;
        double w = r.cmu * weight[k];
        if (w < 0) w *= n / dcxo_cmaes_whiten(o, yk, white);
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) c[(size_t)i * row + (size_t)j] += w * yk[i] * yk[j];
    }
    /* the eigenvectors are renewed so seldom that they cost less than drawing the samples */
    o->axes_age++;
    if (o->axes_age * (r.c1 + r.cmu) * n * 10.0 >= 1.0) o->axes_age = -1;
}

/* New eigenvectors and axes; 0 if the covariance has become useless. */
static int dcxo_cmaes_axes(dcx_optim *o)
{
    int n = o->desc.n, i;
    double *axes = dcxo_doubles(o, DCXO_AXES), least = HUGE_VAL, most = 0.0;
    memcpy(dcxo_doubles(o, DCXO_A_COPY), dcxo_doubles(o, DCXO_C),
           (size_t)n * (size_t)n * sizeof(double));
    o->axes_age = 0;
    if (!dcxo_eigen(dcxo_doubles(o, DCXO_A_COPY), dcxo_doubles(o, DCXO_B), axes,
                    dcxo_doubles(o, DCXO_WORK), n))
        return 0;
    for (i = 0; i < n; i++) {
        if (axes[i] < least) least = axes[i];
        if (axes[i] > most) most = axes[i];
    }
    for (i = 0; i < n; i++) axes[i] = sqrt(axes[i] > 0 ? axes[i] : 0.0);
    return least > 1e-14 * most;
}

/* Ranks the generation by fitness, the earlier sample first among equals. */
static void dcxo_cmaes_rank(dcx_optim *o)
{
    const double *fitness = dcxo_doubles(o, DCXO_FITNESS);
    int *rank = dcxo_ints(o, DCXO_RANK), i, j;
    for (i = 0; i < o->desc.population; i++) {
        for (j = i; j > 0 && fitness[i] < fitness[rank[j - 1]]; j--) rank[j] = rank[j - 1];
        rank[j] = i;
    }
}

static dcx_optim_status dcxo_cmaes_generation(dcx_optim *o)
{
    const double *fitness = dcxo_doubles(o, DCXO_FITNESS), *axes = dcxo_doubles(o, DCXO_AXES);
    const int *rank = dcxo_ints(o, DCXO_RANK);
    int i, lambda = o->desc.population, patience = 10 + 30 * o->desc.n / lambda;
    double best, worst, widest = 0.0, minus;
    dcxo_rates r = dcxo_cmaes_rates(o, &minus);
    dcxo_cmaes_rank(o);
    best = fitness[rank[0]];
    worst = fitness[rank[lambda - 1]];
    if (!dcxo_is_finite(best)) { /* nothing to learn from: try closer */
        o->sigma *= 0.5;
        o->info.iterations++;
    } else {
        dcxo_cmaes_update(o, rank);
        /* no difference among the better ones: look further (Hansen's B.3) */
        if (!(fitness[rank[(7 * lambda) / 10]] > best))
            o->sigma *= exp(0.2 + r.c_sigma / r.d_sigma);
        o->flat = worst - best <= o->desc.tolerance_value * fabs(best) ? o->flat + 1 : 0;
    }
    if (o->sigma > 1e6) o->sigma = 1e6;
    o->info.spread = o->sigma;
    if (o->flat >= (patience < 50 ? patience : 50)) {
        if (worst > best || o->info.f < o->info.f_start)
            return dcxo_stop(o, DCX_OPTIM_CONVERGED_VALUE, "f differs by <= tolerance_value |f|");
        return dcxo_stop(o, DCX_OPTIM_FLAT_FITNESS,
                         "the same f in all samples of many generations");
    }
    if (o->axes_age < 0 && !dcxo_cmaes_axes(o))
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_ROUNDING, "the covariance is singular to rounding");
    for (i = 0; i < o->desc.n; i++)
        if (axes[i] > widest) widest = axes[i];
    if (o->sigma * widest <= o->desc.tolerance_step)
        return dcxo_stop(o, DCX_OPTIM_CONVERGED_STEP, "samples closer than tolerance_step");
    return DCX_OPTIM_CONTINUE;
}

static dcx_optim_status dcxo_cmaes_tell(dcx_optim *o, double f)
{
    dcx_optim_status status;
    dcxo_record(o, f);
    dcxo_doubles(o, DCXO_FITNESS)[o->sample++] = dcxo_is_finite(f) ? f : HUGE_VAL;
    status = dcxo_check_limits(o);
    if (status == DCX_OPTIM_CONTINUE && o->sample == o->desc.population) {
        o->sample = 0;
        status = dcxo_cmaes_generation(o);
    }
    if (status == DCX_OPTIM_CONTINUE) dcxo_cmaes_draw(o);
    return status;
}

/* ---- random numbers
 * ------------------------------------------------------------------------------- */

void dcx_random_init(dcx_random *random, uint64_t seed)
{
    int i;
    for (i = 0; i < 4; i++) { /* splitmix64 */
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->state[i] = z ^ (z >> 31);
    }
}

static uint64_t dcxo_rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t dcx_random_integer(dcx_random *random)
{
    uint64_t *s = random->state, result = dcxo_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = dcxo_rotate(s[3], 45);
    return result;
}

double dcx_random_uniform(dcx_random *random)
{
    return ldexp((double)(dcx_random_integer(random) >> 11), -53);
}

double
dcx_random_normal(dcx_random *random) /* Marsaglia, Bray 1964: the polar method, one of the pair */
{
    for (;;) {
        double u = 2.0 * dcx_random_uniform(random) - 1.0,
               v = 2.0 * dcx_random_uniform(random) - 1.0;
        double s = u * u + v * v;
        if (s > 0 && s < 1.0) return u * sqrt(-2.0 * log(s) / s);
    }
}

/* ---- interface
 * ------------------------------------------------------------------------------------ */

dcx_optim_method dcx_optim_method_named(const char *name)
{
    return !strcmp(name, "lbfgsb")  ? DCX_LBFGSB
           : !strcmp(name, "adam")  ? DCX_ADAM
           : !strcmp(name, "cmaes") ? DCX_CMAES
           : !strcmp(name, "es")    ? DCX_ES
                                    : DCX_LM;
}

dcx_optim_desc dcx_default_optim_desc(dcx_optim_method method, int n, const double *x0)
{
    dcx_optim_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.method = method;
    desc.n = n;
    desc.x0 = x0;
    desc.lower = desc.upper = desc.scale = NULL;
    desc.max_evaluations = method == DCX_ES || method == DCX_CMAES ? 100000 : 1000;
    desc.target = -HUGE_VAL;
    desc.tolerance_gradient = 1e-8;
    desc.tolerance_value = 1e-14;
    desc.tolerance_step = 1e-12;
    desc.memory = 10;
    desc.first_step = 0.1;
    desc.damping = 1e-3;
    desc.learning_rate = 0.02;
    desc.sigma = 0.3;
    desc.seed = 1;
    return desc;
}

const char *dcx_optim_status_name(dcx_optim_status status)
{
    switch (status) {
    case DCX_OPTIM_CONTINUE:
        return "CONTINUE";
    case DCX_OPTIM_CONVERGED_GRADIENT:
        return "CONVERGED_GRADIENT";
    case DCX_OPTIM_CONVERGED_VALUE:
        return "CONVERGED_VALUE";
    case DCX_OPTIM_CONVERGED_STEP:
        return "CONVERGED_STEP";
    case DCX_OPTIM_CONVERGED_ROUNDING:
        return "CONVERGED_ROUNDING";
    case DCX_OPTIM_REACHED_TARGET:
        return "REACHED_TARGET";
    case DCX_OPTIM_MAX_EVALUATIONS:
        return "MAX_EVALUATIONS";
    case DCX_OPTIM_FLAT_FITNESS:
        return "FLAT_FITNESS";
    case DCX_OPTIM_BAD_ARGUMENT:
        return "BAD_ARGUMENT";
    case DCX_OPTIM_LINE_SEARCH_FAILED:
        return "LINE_SEARCH_FAILED";
    case DCX_OPTIM_NON_FINITE_START:
        return "NON_FINITE_START";
    case DCX_OPTIM_OUT_OF_MEMORY:
        return "OUT_OF_MEMORY";
    }
    return "?";
}

/* One more array of count x each items of `item` bytes; everything is kept aligned to 8 bytes.
   `total` becomes 0 for good when it does not fit size_t. */
static void dcxo_place(size_t *at, size_t *total, int array, size_t count, size_t each, size_t item)
{
    size_t most = ((size_t)-1) / 4;
    if (at) at[array] = *total;
    if (!*total) return;
    if (each && count > most / item / each)
        *total = 0;
    else
        *total += (count * each * item + 7) / 8 * 8;
    if (*total > most) *total = 0;
}

/* Places all arrays (in `at`, NULL-able); returns the bytes of the block, 0 if too many. */
static size_t dcxo_layout(const dcx_optim_desc *desc, size_t *at)
{
    size_t total = (sizeof(dcx_optim) + 7) / 8 * 8, n = (size_t)desc->n, m = (size_t)desc->memory,
           d = 8, p;
    int k;
    for (k = 0; k < DCXO_SPECIAL; k++) dcxo_place(at, &total, k, n, 1, d);
    switch (desc->method) {
    case DCX_LBFGSB:
        for (k = DCXO_Z; k <= DCXO_GLOW; k++) dcxo_place(at, &total, k, n, 1, d);
        for (k = DCXO_S; k <= DCXO_YS; k++) dcxo_place(at, &total, k, n, m, d);
        for (k = DCXO_SS; k <= DCXO_SY; k++) dcxo_place(at, &total, k, m, m, d);
        for (k = DCXO_M; k <= DCXO_N; k++) dcxo_place(at, &total, k, 2 * m, 2 * m, d);
        dcxo_place(at, &total, DCXO_V, 12, m, d);
        dcxo_place(at, &total, DCXO_ORDER, n, 1, sizeof(int));
        break;
    case DCX_LM:
        for (k = DCXO_P; k <= DCXO_CURVE; k++) dcxo_place(at, &total, k, n, 1, d);
        for (k = DCXO_H; k <= DCXO_A; k++) dcxo_place(at, &total, k, n, n, d);
        for (k = DCXO_FIXED; k <= DCXO_LIST; k++) dcxo_place(at, &total, k, n, 1, sizeof(int));
        break;
    case DCX_ADAM:
        for (k = DCXO_MEAN; k <= DCXO_SQUARE; k++) dcxo_place(at, &total, k, n, 1, d);
        break;
    case DCX_ES:
        break;
    case DCX_CMAES:
        p = (size_t)dcxo_cmaes_population(desc);
        for (k = DCXO_CENTRE; k <= DCXO_PS; k++) dcxo_place(at, &total, k, n, 1, d);
        for (k = DCXO_C; k <= DCXO_A_COPY; k++) dcxo_place(at, &total, k, n, n, d);
        dcxo_place(at, &total, DCXO_AXES, n, 1, d);
        dcxo_place(at, &total, DCXO_WORK, n, 2, d);
        dcxo_place(at, &total, DCXO_SAMPLES, n, p, d);
        for (k = DCXO_FITNESS; k <= DCXO_WEIGHTS; k++) dcxo_place(at, &total, k, p, 1, d);
        dcxo_place(at, &total, DCXO_RANK, p, 1, sizeof(int));
        break;
    }
    return total;
}

/* A check of one field: returns `ok`, and says what is wrong if not. */
static int dcxo_check(dcx_optim *o, int ok, const char *name, double value, const char *rule)
{
    char text[32];
    if (!ok)
        dcxo_message(o, "BAD_ARGUMENT: %s = %s: must be %s", name, dcxo_number(text, value), rule);
    return ok;
}

/* x0, bounds and scale; the message names the index. */
static int dcxo_check_arrays(dcx_optim *o, const dcx_optim_desc *desc)
{
    int i;
    char name[40], text[32];
    if (!desc->x0) {
        dcxo_message(o, "BAD_ARGUMENT: x0 is NULL");
        return 0;
    }
    for (i = 0; i < desc->n; i++) {
        double lower = desc->lower ? desc->lower[i] : -HUGE_VAL;
        double upper = desc->upper ? desc->upper[i] : HUGE_VAL;
        snprintf(name, sizeof name, "x0[%d]", i);
        if (!dcxo_check(o, dcxo_is_finite(desc->x0[i]), name, desc->x0[i], "finite")) return 0;
        snprintf(name, sizeof name, "lower[%d]", i);
        if (!dcxo_check(o, lower <= DBL_MAX, name, lower, "a number or -INFINITY")) return 0;
        snprintf(name, sizeof name, "upper[%d]", i);
        if (!dcxo_check(o, upper >= -DBL_MAX, name, upper, "a number or INFINITY")) return 0;
        if (!(lower <= upper)) {
            snprintf(name, sizeof name, "lower[%d]", i);
            snprintf(text, sizeof text, "<= upper[%d]", i);
            return dcxo_check(o, 0, name, lower, text);
        }
        if (!desc->scale) continue;
        snprintf(name, sizeof name, "scale[%d]", i);
        if (!dcxo_check(o, desc->scale[i] > 0 && desc->scale[i] <= DBL_MAX, name, desc->scale[i],
                        "positive"))
            return 0;
    }
    return 1;
}

static int dcxo_check_desc(dcx_optim *o, const dcx_optim_desc *d)
{
    int known = d->method == DCX_LBFGSB || d->method == DCX_LM || d->method == DCX_ADAM ||
                d->method == DCX_ES || d->method == DCX_CMAES;
    int samples = d->method == DCX_ES || d->method == DCX_CMAES;
    return dcxo_check(o, known, "method", (double)d->method, "one of dcx_optim_method") &&
           dcxo_check(o, d->n >= 1, "n", d->n, ">= 1") &&
           dcxo_check(o, d->max_evaluations >= 1, "max_evaluations", d->max_evaluations, ">= 1") &&
           dcxo_check(o, d->target <= DBL_MAX, "target", d->target, "a number or -INFINITY") &&
           dcxo_check(o, d->tolerance_gradient >= 0, "tolerance_gradient", d->tolerance_gradient,
                      ">= 0") &&
           dcxo_check(o, d->tolerance_value >= 0, "tolerance_value", d->tolerance_value, ">= 0") &&
           dcxo_check(o, d->tolerance_step >= 0, "tolerance_step", d->tolerance_step, ">= 0") &&
           dcxo_check(o, d->memory >= 1 && d->memory <= 100, "memory", d->memory, "in 1..100") &&
           dcxo_check(o, d->first_step > 0 && d->first_step <= DBL_MAX, "first_step", d->first_step,
                      "positive") &&
           dcxo_check(o, d->damping > 0 && d->damping <= DBL_MAX, "damping", d->damping,
                      "positive") &&
           dcxo_check(o, d->learning_rate > 0 && d->learning_rate <= DBL_MAX, "learning_rate",
                      d->learning_rate, "positive") &&
           dcxo_check(o, !samples || (d->sigma > 0 && d->sigma <= 1e6), "sigma", d->sigma,
                      "in 0..1e6, not 0") &&
           dcxo_check(o, d->population == 0 || (d->population >= 2 && d->population <= 1000000),
                      "population", d->population, "0 or in 2..1000000") &&
           dcxo_check(o, dcxo_layout(d, NULL) > 0, "n", d->n, "smaller: memory does not suffice") &&
           dcxo_check_arrays(o, d);
}

size_t dcx_optim_bytes(const dcx_optim_desc *desc)
{
    size_t bytes =
        desc->n >= 1 && desc->memory >= 1 && desc->population >= 0 ? dcxo_layout(desc, NULL) : 0;
    return bytes ? bytes : sizeof(dcx_optim);
}

static void dcxo_fill_arrays(dcx_optim *o, const dcx_optim_desc *desc)
{
    double *lower = dcxo_doubles(o, DCXO_LOWER), *upper = dcxo_doubles(o, DCXO_UPPER);
    double *scale = dcxo_doubles(o, DCXO_SCALE), *x = dcxo_doubles(o, DCXO_X);
    int i;
    for (i = 0; i < desc->n; i++) {
        double range, start;
        lower[i] = desc->lower ? desc->lower[i] : -HUGE_VAL;
        upper[i] = desc->upper ? desc->upper[i] : HUGE_VAL;
        range = upper[i] - lower[i];
        scale[i] = range > 0 && range <= DBL_MAX ? dcxo_power_of_two(range) : 1.0;
        if (desc->scale) scale[i] = dcxo_power_of_two(desc->scale[i]);
        start = dcxo_clamp(desc->x0[i], lower[i], upper[i]);
        dcxo_doubles(o, DCXO_Y)[i] = start / scale[i];
        dcxo_doubles(o, DCXO_BEST)[i] = x[i] = start;
    }
}

static void dcxo_init_samples(dcx_optim *o)
{
    double *y = dcxo_doubles(o, DCXO_Y);
    int i, n = o->desc.n;
    for (i = 0; i < n; i++) y[i] = dcxo_unfold(y[i], dcxo_lower(o, i), dcxo_upper(o, i));
    dcx_random_init(&o->random, o->desc.seed);
    o->info.spread = o->sigma = o->desc.sigma;
    if (o->desc.method != DCX_CMAES) return;
    o->desc.population = dcxo_cmaes_population(&o->desc);
    memcpy(dcxo_doubles(o, DCXO_CENTRE), y, (size_t)n * sizeof *y);
    for (i = 0; i < n; i++) {
        size_t k = (size_t)i * (size_t)n + (size_t)i;
        dcxo_doubles(o, DCXO_C)[k] = dcxo_doubles(o, DCXO_B)[k] = dcxo_doubles(o, DCXO_AXES)[i] =
            1.0;
    }
    dcxo_cmaes_weights(o);
    dcxo_cmaes_draw(o);
}

dcx_optim_status dcx_optim_init(dcx_optim *opt, const dcx_optim_desc *desc)
{
    memset(opt, 0, sizeof *opt);
    opt->info.f = opt->info.f_start = HUGE_VAL;
    if (!dcxo_check_desc(opt, desc)) return opt->info.status = DCX_OPTIM_BAD_ARGUMENT;
    memset(opt, 0, dcx_optim_bytes(desc));
    opt->info.f = opt->info.f_start = HUGE_VAL;
    opt->desc = *desc;
    opt->desc.x0 = opt->desc.lower = opt->desc.upper = opt->desc.scale = NULL;
    dcxo_layout(desc, opt->at);
    dcxo_fill_arrays(opt, desc);
    opt->mu = desc->damping;
    opt->nu = 2.0;
    if (desc->method == DCX_ADAM) opt->sigma = desc->learning_rate;
    if (desc->method == DCX_ES || desc->method == DCX_CMAES) dcxo_init_samples(opt);
    dcxo_message(opt, "CONTINUE");
    return DCX_OPTIM_CONTINUE;
}

const double *dcx_optim_ask(const dcx_optim *opt)
{
    return opt->at[DCXO_X] ? dcxo_doubles(opt, DCXO_X) : NULL;
}

const double *dcx_optim_best(const dcx_optim *opt)
{
    return opt->at[DCXO_BEST] ? dcxo_doubles(opt, DCXO_BEST) : NULL;
}

dcx_optim_info dcx_optim_get_info(const dcx_optim *opt)
{
    return opt->info;
}

int dcx_optim_wants_derivatives(const dcx_optim *opt)
{
    if (opt->desc.method == DCX_LM) return !opt->started || opt->awaiting;
    return opt->desc.method == DCX_LBFGSB || opt->desc.method == DCX_ADAM;
}

dcx_optim_status dcx_optim_tell(dcx_optim *opt, double f, const double *g, const double *jtj)
{
    if (opt->info.status != DCX_OPTIM_CONTINUE) return opt->info.status;
    switch (opt->desc.method) {
    case DCX_LM:
        return dcxo_lm_tell(opt, f, g, jtj);
    case DCX_ES:
        return dcxo_es_tell(opt, f);
    case DCX_CMAES:
        return dcxo_cmaes_tell(opt, f);
    case DCX_LBFGSB:
        if (g) return dcxo_lbfgsb_tell(opt, f, g);
        break;
    case DCX_ADAM:
        if (g) return dcxo_adam_tell(opt, f, g);
        break;
    }
    return dcxo_stop(opt, DCX_OPTIM_BAD_ARGUMENT, "g is NULL");
}

dcx_optim_info dcx_optim_minimize(const dcx_optim_desc *desc, dcx_optim_function *function,
                                  void *user, double *x)
{
    size_t n = desc->n >= 1 ? (size_t)desc->n : 0, square = desc->method == DCX_LM ? n * n : 0;
    dcx_optim *opt = (dcx_optim *)DCX_OPTIM_MALLOC(dcx_optim_bytes(desc));
    double *g = (double *)DCX_OPTIM_MALLOC((n + square + 1) * sizeof(double)), *jtj = NULL;
    dcx_optim_info info;
    memset(&info, 0, sizeof info);
    if (opt && g) {
        dcx_optim_status status = dcx_optim_init(opt, desc);
        if (square) jtj = g + n;
        while (status == DCX_OPTIM_CONTINUE) {
            int gradient = desc->method != DCX_ES && desc->method != DCX_CMAES;
            double f;
            memset(g, 0, (n + square) * sizeof *g);
            f = function(user, dcx_optim_ask(opt), gradient ? g : NULL, jtj);
            status = dcx_optim_tell(opt, f, gradient ? g : NULL, jtj);
        }
        info = opt->info;
        if (status != DCX_OPTIM_BAD_ARGUMENT) memcpy(x, dcx_optim_best(opt), n * sizeof *x);
    } else {
        info.status = DCX_OPTIM_OUT_OF_MEMORY;
        strcpy(info.message, "OUT_OF_MEMORY");
    }
    DCX_OPTIM_FREE(g);
    DCX_OPTIM_FREE(opt);
    return info;
}

#ifdef __cplusplus
}
#endif

#endif /* DCX_OPTIM_IMPLEMENTATION */

/* >>licence
   ---------------------------------------------------------------------------------------- Two
   licences, choose the one you prefer.

   A - Public domain (unlicense.org)
   This is free and unencumbered software released into the public domain. Anyone is free to copy,
   modify, publish, use, compile, sell, or distribute this software, either in source code form or
   as a compiled binary, for any purpose, commercial or non-commercial, and by any means. In
   jurisdictions that recognize copyright laws, the author or authors of this software dedicate any
   and all copyright interest in the software to the public domain. We make this dedication for the
   benefit of the public at large and to the detriment of our heirs and successors. We intend this
   dedication to be an overt act of relinquishment in perpetuity of all present and future rights to
   this software under copyright law. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
   KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
   FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY
   CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

   B - MIT licence, Copyright (c) 2025 diffcloth contributors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions: The above copyright notice and this
   permission notice shall be included in all copies or substantial portions of the Software. THE
   SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
   LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
