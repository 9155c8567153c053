/* bench_sparse.c - times of the sparse solvers, one JSON object per line.

       make bench            (or, for this part alone: build/bench sparse)

   With -DBENCH_SUITESPARSE, which the Makefile adds when it finds the libraries, CHOLMOD and UMFPACK
   run on the same matrices, and lines with "ratio" compare: their time over ours, and their best of
   all settings tried here. Set OMP_THREAD_LIMIT=1 OPENBLAS_NUM_THREADS=1 for one thread, as make
   bench does. Arguments: names of matrices (default: all), e.g. grid ring newton lu irregular;
   --quick skips sizes above 10 000 vertices.

   Matrices, on an m x m grid of vertices cut into triangles along one diagonal:
       grid       M + h^2 L, one scalar per vertex, edges of the triangles
       ring       the same plus the two vertices opposite of every edge (bending)
       irregular  like ring, diagonals by chance, holes, vertices numbered by chance
       newton     like grid, 3 x 3 blocks, symmetric positive definite
       lu         grid (x) I_3 with unsymmetric 3 x 3 blocks on a tenth of the diagonal
   Times are medians over repetitions, warm. Lines with "growth" give, between one size and the next,
   the exponent e of time ~ n^e of factorisations, and fill over n log2 n. */
#define DIFFCLOTH_SPARSE_IMPLEMENTATION
#include "diffcloth_sparse.h"

#include <time.h>

#ifdef BENCH_SUITESPARSE
#include <cholmod.h>
#include <umfpack.h>
#endif

static double now_ms(void)
{
#if defined(CLOCK_MONOTONIC)
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
#else
    return (double)clock() * 1e3 / CLOCKS_PER_SEC;
#endif
}

static uint64_t random_bits = 88172645463325252u;

static double uniform(void) /* [-1, 1) */
{
    random_bits ^= random_bits << 13;
    random_bits ^= random_bits >> 7;
    random_bits ^= random_bits << 17;
    return (double)(random_bits >> 11) / 4503599627370496.0 - 1;
}

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct problem {
    const char *name;
    int n, b, unsymmetric;
    dcs_matrix lower; /* lower triangle in blocks */
    double *upper;    /* A(j, i) per entry */
} problem;

static int push(int *row, int *col, int at, int i, int j)
{
    row[at] = i > j ? i : j, col[at] = i > j ? j : i;
    return at + 1;
}

/* Lower pattern of the grid as triplets. */
static int grid_pattern(int m, int ring, int *row, int *col)
{
    int x, y, k = 0;
    for (y = 0; y < m; y++)
        for (x = 0; x < m; x++) {
            int v = y * m + x;
            k = push(row, col, k, v, v);
            if (x + 1 < m) k = push(row, col, k, v, v + 1);
            if (y + 1 < m) k = push(row, col, k, v, v + m);
            if (x + 1 < m && y + 1 < m) k = push(row, col, k, v, v + m + 1);
            if (!ring) continue; /* opposite vertices of the edges v-(v+1), v-(v+m), v-(v+m+1) */
            if (x + 1 < m && y > 0 && y + 1 < m) k = push(row, col, k, v - m, v + m + 1);
            if (y + 1 < m && x > 0 && x + 1 < m) k = push(row, col, k, v - 1, v + m + 1);
            if (x + 1 < m && y + 1 < m) k = push(row, col, k, v + 1, v + m);
        }
    return k;
}

typedef struct hinge { /* one edge of one triangle */
    int low, high, opposite;
} hinge;

static int compare_hinges(const void *a, const void *b)
{
    const hinge *x = (const hinge *)a, *y = (const hinge *)b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->opposite < y->opposite ? -1 : x->opposite > y->opposite;
}

/* The cell at (x, y) is in one of five round holes. */
static int in_hole(int m, int x, int y)
{
    static const double hole[5][3] = {
        {0.3, 0.3, 0.1}, {0.7, 0.25, 0.08}, {0.55, 0.6, 0.14}, {0.2, 0.75, 0.07}, {0.85, 0.85, 0.1}};
    int k;
    for (k = 0; k < 5; k++) {
        double u = (x + 0.5) / m - hole[k][0], v = (y + 0.5) / m - hole[k][1];
        if (u * u + v * v < hole[k][2] * hole[k][2]) return 1;
    }
    return 0;
}

/* Lower pattern of an irregular mesh as triplets; *n: vertices left. */
static int irregular_pattern(int m, int *row, int *col, int *n)
{
    hinge *e = (hinge *)malloc((size_t)(6 * m * m) * sizeof(hinge));
    int *label = (int *)malloc((size_t)(m * m) * sizeof(int));
    int *order = (int *)malloc((size_t)(m * m) * sizeof(int));
    int x, y, t, i, count = 0, k = 0;
    for (i = 0; i < m * m; i++) label[i] = -1;
    for (y = 0; y + 1 < m; y++)
        for (x = 0; x + 1 < m; x++) {
            int v = y * m + x, tri[2][3], flip = uniform() < 0;
            if (in_hole(m, x, y)) continue;
            tri[0][0] = v, tri[0][1] = v + 1, tri[0][2] = flip ? v + m : v + m + 1;
            tri[1][0] = flip ? v + 1 : v, tri[1][1] = v + m + 1, tri[1][2] = v + m;
            for (t = 0; t < 2; t++)
                for (i = 0; i < 3; i++, count++) {
                    int a = tri[t][i], b = tri[t][(i + 1) % 3];
                    label[a] = 0;
                    e[count].low = a < b ? a : b, e[count].high = a < b ? b : a;
                    e[count].opposite = tri[t][(i + 2) % 3];
                }
        }
    for (i = *n = 0; i < m * m; i++)
        if (label[i] == 0) order[(*n)++] = i;
    for (i = *n - 1; i > 0; i--) {
        int other = (int)((uniform() + 1) / 2 * (i + 1)), keep = order[i];
        order[i] = order[other], order[other] = keep;
    }
    for (i = 0; i < *n; i++) label[order[i]] = i, k = push(row, col, k, i, i);
    qsort(e, (size_t)count, sizeof(hinge), compare_hinges);
    for (i = 0; i < count; i++) {
        int pair = i + 1 < count && e[i].low == e[i + 1].low && e[i].high == e[i + 1].high;
        k = push(row, col, k, label[e[i].low], label[e[i].high]);
        if (pair) k = push(row, col, k, label[e[i].opposite], label[e[i + 1].opposite]), i++;
    }
    free(e);
    free(label);
    free(order);
    return k;
}

static problem make_problem(const char *name, int m)
{
    problem a;
    int n = m * m, b = strcmp(name, "newton") == 0 || strcmp(name, "lu") == 0 ? 3 : 1, bb = b * b;
    int *row = (int *)malloc((size_t)n * 8 * sizeof(int));
    int *col = (int *)malloc((size_t)n * 8 * sizeof(int)), k, count, r, c;
    double *v;
    double diagonal = strcmp(name, "irregular") == 0 ? 40 : 14;
    a.name = name, a.n = n, a.b = b, a.unsymmetric = strcmp(name, "lu") == 0;
    if (strcmp(name, "irregular") == 0)
        count = irregular_pattern(m, row, col, &n);
    else
        count = grid_pattern(m, strcmp(name, "ring") == 0, row, col);
    a.n = n;
    v = (double *)calloc((size_t)(count * bb), sizeof(double));
    for (k = 0; k < count; k++)
        for (c = 0; c < b; c++)
            for (r = 0; r < b; r++) {
                double e = r == c ? (row[k] == col[k] ? diagonal : -1) : 0;
                if (!a.unsymmetric && b == 3 && r != c && row[k] != col[k]) e = 0.3 * uniform();
                if (a.unsymmetric && row[k] == col[k] && col[k] % 10 == 0) e += uniform();
                v[k * bb + c * b + r] = e;
            }
    dcs_matrix_from_triplets(NULL, n, n, b, count, row, col, v, &a.lower, NULL);
    count = a.lower.col_start[n];
    a.upper = (double *)malloc((size_t)(count * bb) * sizeof(double));
    for (k = 0; k < count; k++)
        for (c = 0; c < b; c++)
            for (r = 0; r < b; r++)
                a.upper[k * bb + c * b + r] = a.lower.values[k * bb + r * b + c];
    free(row);
    free(col);
    free(v);
    return a;
}

/* ---- timing ---------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct timer {
    double sample[101], start, total;
    int count;
} timer;

/* for (timer_init(&t); timer_more(&t);) { timer_begin(&t); work; timer_end(&t); } */
static void timer_init(timer *t)
{
    t->count = 0;
    t->total = 0;
}

static int timer_more(const timer *t)
{
    return t->count < 3 || (t->count < 101 && t->total < 400);
}

static void timer_begin(timer *t)
{
    t->start = now_ms();
}

static void timer_end(timer *t)
{
    t->sample[t->count] = now_ms() - t->start;
    t->total += t->sample[t->count++];
}

/* The best times of ours and of others on one matrix, by operation. */
enum { ORDER, FACTOR, SOLVE, OPERATIONS };

typedef struct scores {
    double ours[OPERATIONS], best[OPERATIONS], fill, least_fill;
    const char *who[OPERATIONS];
    int n;
} scores;

static void score(scores *s, const char *op, const char *solver, double ms, double nnz)
{
    int k = strcmp(op, "analyze") == 0  ? ORDER
            : strcmp(op, "factor") == 0 ? FACTOR
            : strcmp(op, "solve3") == 0 ? SOLVE
                                        : OPERATIONS;
    if (k == OPERATIONS) return;
    if (strcmp(solver, "ours") == 0) {
        s->ours[k] = ms;
        s->fill = nnz;
    } else {
        if (nnz > 0 && (s->least_fill <= 0 || nnz < s->least_fill)) s->least_fill = nnz;
        if (!s->who[k] || ms < s->best[k]) s->best[k] = ms, s->who[k] = solver;
    }
}

/* Ratios to the best of the others, and growth since the size before. */
static void report_scores(const char *name, const scores *s, const scores *before)
{
    static const char *op[OPERATIONS] = {"analyze", "factor", "solve3"};
    int k;
    for (k = 0; k < OPERATIONS && s->who[k]; k++)
        printf("{\"bench\":\"sparse\",\"matrix\":\"%s\",\"n\":%d,\"op\":\"%s\",\"best\":\"%s\","
               "\"ratio\":%.2f}\n",
               name, s->n, op[k], s->who[k], s->best[k] / s->ours[k]);
    if (s->least_fill > 0)
        printf("{\"bench\":\"sparse\",\"matrix\":\"%s\",\"n\":%d,\"op\":\"fill\",\"best\":\"least\","
               "\"ratio\":%.3f}\n",
               name, s->n, s->least_fill / s->fill);
    if (before->n > 0)
        printf("{\"bench\":\"sparse\",\"matrix\":\"%s\",\"n\":%d,\"op\":\"growth\","
               "\"factor_exponent\":%.2f,\"fill_per_n_log2_n\":%.3f,\"before\":%.3f}\n",
               name, s->n,
               log(s->ours[FACTOR] / before->ours[FACTOR]) / log((double)s->n / before->n),
               s->fill / (s->n * (log((double)s->n) / log(2.0))),
               before->fill / (before->n * (log((double)before->n) / log(2.0))));
    fflush(stdout);
}

static void report(scores *s, const problem *a, const char *op, const char *solver, timer *t, double nnz,
                   double residual)
{
    qsort(t->sample, (size_t)t->count, sizeof(double), compare_doubles);
    printf("{\"bench\":\"sparse\",\"matrix\":\"%s\",\"n\":%d,\"block\":%d,\"op\":\"%s\",\"solver\":"
           "\"%s\","
           "\"ms\":%.4f,\"nnz\":%.0f,\"residual\":%.2e}\n",
           a->name, a->n, a->b, op, solver, t->sample[t->count / 2], nnz, residual);
    fflush(stdout);
    score(s, op, solver, t->sample[t->count / 2], nnz);
}

/* Backward error of x, three interleaved right-hand sides. */
static double residual3(const problem *a, const double *x, const double *b)
{
    int n = a->n * a->b, i, j, p, r, c, k, bl = a->b;
    double *y = (double *)calloc((size_t)(3 * n), sizeof(double)), top = 0, top_x = 0, norm = 0;
    for (j = 0; j < a->n; j++)
        for (p = a->lower.col_start[j]; p < a->lower.col_start[j + 1]; p++)
            for (c = 0; c < bl; c++)
                for (r = 0; r < bl; r++) {
                    int row = a->lower.row_index[p] * bl + r, col = j * bl + c;
                    double lo = a->lower.values[(p * bl + c) * bl + r];
                    double up = a->upper[(p * bl + r) * bl + c];
                    if (fabs(lo) > norm) norm = fabs(lo);
                    for (k = 0; k < 3; k++) {
                        y[3 * row + k] += lo * x[3 * col + k];
                        if (a->lower.row_index[p] != j) y[3 * col + k] += up * x[3 * row + k];
                    }
                }
    for (i = 0; i < 3 * n; i++) {
        if (fabs(y[i] - b[i]) > top) top = fabs(y[i] - b[i]);
        if (fabs(x[i]) > top_x) top_x = fabs(x[i]);
    }
    free(y);
    return top / (norm * top_x + 1);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static void bench_ours(scores *s, const problem *a, const double *b, double *x)
{
    dcs_kind kind = a->unsymmetric ? DCS_LU_STATIC : DCS_CHOLESKY;
    dcs_analysis *an = NULL;
    dcs_factor *f = NULL;
    dcs_desc d = dcs_default_desc();
    timer t;
    size_t bytes = (size_t)(3 * a->n * a->b) * sizeof(double);
    double nnz;
    static const struct {
        dcs_ordering ordering;
        const char *op;
    } order[2] = {{DCS_ORDER_AMD, "order_amd"}, {DCS_ORDER_ND, "order_nd"}};
    int i;
    for (i = 0; i < 2; i++) {
        int64_t fill = 0;
        d.ordering = order[i].ordering;
        for (timer_init(&t); timer_more(&t);) {
            timer_begin(&t);
            dcs_count_fill(&d, a->n, a->b, a->lower.col_start, a->lower.row_index, &fill, NULL);
            timer_end(&t);
        }
        report(s, a, order[i].op, "ours", &t, (double)fill, 0);
    }
    for (timer_init(&t); timer_more(&t);) {
        dcs_analysis_destroy(an);
        timer_begin(&t);
        dcs_analysis_create(NULL, a->n, a->b, a->lower.col_start, a->lower.row_index, &an, NULL);
        timer_end(&t);
    }
    nnz = (double)dcs_analysis_get_info(an).factor_nonzeros;
    report(s, a, "analyze", "ours", &t, nnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        dcs_factor_destroy(f);
        timer_begin(&t);
        dcs_factor_create(an, kind, &f, NULL);
        dcs_factor_compute(f, a->lower.values, a->upper, NULL);
        timer_end(&t);
    }
    report(s, a, "factor_first", "ours", &t, nnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        dcs_factor_compute(f, a->lower.values, a->upper, NULL);
        timer_end(&t);
    }
    report(s, a, "factor", "ours", &t, nnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        memcpy(x, b, bytes);
        timer_begin(&t);
        dcs_factor_solve(f, 3, x);
        timer_end(&t);
    }
    report(s, a, "solve3", "ours", &t, nnz, residual3(a, x, b));
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
}

/* ---- theirs ---------------------------------------------------------------------------------- */

#ifdef BENCH_SUITESPARSE
/* Scalar lower triangle (upper == 0) or the full matrix by columns. */
static void scalar_matrix(const problem *a, int full, int *start, int *row, double *value)
{
    int b = a->b, n = a->n * b, count = 0, j, p, r, c, pass, k = 0;
    int *ti = (int *)malloc((size_t)a->lower.col_start[a->n] * (size_t)(2 * b * b) * sizeof(int));
    int *tj = (int *)malloc((size_t)a->lower.col_start[a->n] * (size_t)(2 * b * b) * sizeof(int));
    double *tv =
        (double *)malloc((size_t)a->lower.col_start[a->n] * (size_t)(2 * b * b) * sizeof(double));
    dcs_matrix m;
    for (j = 0; j < a->n; j++)
        for (p = a->lower.col_start[j]; p < a->lower.col_start[j + 1]; p++)
            for (pass = 0; pass < 2; pass++)
                for (c = 0; c < b; c++)
                    for (r = 0; r < b; r++) {
                        int i = a->lower.row_index[p], gi = i * b + r, gj = j * b + c;
                        if (pass == 1 && (i == j || !full)) continue;
                        if (!full && gi < gj) continue;
                        ti[count] = pass ? gj : gi, tj[count] = pass ? gi : gj;
                        tv[count++] = pass ? a->upper[(p * b + r) * b + c]
                                           : a->lower.values[(p * b + c) * b + r];
                    }
    dcs_matrix_from_triplets(NULL, n, n, 1, count, ti, tj, tv, &m, NULL);
    for (j = 0; j <= n; j++) start[j] = m.col_start[j];
    for (k = 0; k < m.col_start[n]; k++) row[k] = m.row_index[k], value[k] = m.values[k];
    dcs_matrix_destroy(NULL, &m);
    free(ti);
    free(tj);
    free(tv);
}

static void bench_cholmod(scores *s, const problem *a, const double *b, double *x, int ordering,
                          int mode, const char *name)
{
    int n = a->n * a->b, i, k, limit = a->lower.col_start[a->n] * a->b * a->b;
    cholmod_common c;
    cholmod_sparse *m;
    cholmod_factor *l = NULL;
    cholmod_dense *rhs, *sol = NULL, *work1 = NULL, *work2 = NULL;
    timer t;
    cholmod_start(&c);
    c.supernodal = mode;
    c.nmethods = 1;
    c.method[0].ordering = ordering;
    c.postorder = 1;
    m = cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)limit, 1, 1, -1, CHOLMOD_REAL, &c);
    scalar_matrix(a, 0, (int *)m->p, (int *)m->i, (double *)m->x);
    rhs = cholmod_allocate_dense((size_t)n, 3, (size_t)n, CHOLMOD_REAL, &c);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) ((double *)rhs->x)[k * n + i] = b[3 * i + k];
    for (timer_init(&t); timer_more(&t);) {
        cholmod_free_factor(&l, &c);
        timer_begin(&t);
        l = cholmod_analyze(m, &c);
        timer_end(&t);
    }
    report(s, a, "analyze", name, &t, c.lnz, 0);
    cholmod_factorize(m, l, &c);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        cholmod_factorize(m, l, &c);
        timer_end(&t);
    }
    report(s, a, "factor", name, &t, c.lnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        cholmod_solve2(CHOLMOD_A, l, rhs, NULL, &sol, NULL, &work1, &work2, &c);
        timer_end(&t);
    }
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) x[3 * i + k] = ((double *)sol->x)[k * n + i];
    report(s, a, "solve3", name, &t, c.lnz, residual3(a, x, b));
    cholmod_free_dense(&sol, &c);
    cholmod_free_dense(&work1, &c);
    cholmod_free_dense(&work2, &c);
    cholmod_free_dense(&rhs, &c);
    cholmod_free_factor(&l, &c);
    cholmod_free_sparse(&m, &c);
    cholmod_finish(&c);
}

static void bench_umfpack(scores *s, const problem *a, const double *b, double *x)
{
    int n = a->n * a->b, limit = 2 * a->lower.col_start[a->n] * a->b * a->b, i, k, r;
    int *start = (int *)malloc((size_t)(n + 1) * sizeof(int));
    int *row = (int *)malloc((size_t)limit * sizeof(int));
    double *value = (double *)malloc((size_t)limit * sizeof(double));
    double *one = (double *)malloc((size_t)n * sizeof(double));
    double *sol = (double *)malloc((size_t)n * sizeof(double));
    double control[UMFPACK_CONTROL];
    void *symbolic = NULL, *numeric = NULL;
    timer t;
    umfpack_di_defaults(control);
    control[UMFPACK_ORDERING] = UMFPACK_ORDERING_METIS;
    control[UMFPACK_IRSTEP] = 0;
    scalar_matrix(a, 1, start, row, value);
    for (timer_init(&t); timer_more(&t);) {
        if (symbolic) umfpack_di_free_symbolic(&symbolic);
        timer_begin(&t);
        umfpack_di_symbolic(n, n, start, row, value, &symbolic, control, NULL);
        timer_end(&t);
    }
    report(s, a, "analyze", "umfpack_metis", &t, 0, 0);
    for (timer_init(&t); timer_more(&t);) {
        if (numeric) umfpack_di_free_numeric(&numeric);
        timer_begin(&t);
        umfpack_di_numeric(start, row, value, symbolic, &numeric, control, NULL);
        timer_end(&t);
    }
    report(s, a, "factor", "umfpack_metis", &t, 0, 0);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        for (k = 0; k < 3; k++) {
            for (i = 0; i < n; i++) one[i] = b[3 * i + k];
            umfpack_di_solve(UMFPACK_A, start, row, value, sol, one, numeric, control, NULL);
            for (r = 0; r < n; r++) x[3 * r + k] = sol[r];
        }
        timer_end(&t);
    }
    report(s, a, "solve3", "umfpack_metis", &t, 0, residual3(a, x, b));
    umfpack_di_free_symbolic(&symbolic);
    umfpack_di_free_numeric(&numeric);
    free(start);
    free(row);
    free(value);
    free(one);
    free(sol);
}
#endif

static void bench_problem(const problem *a, scores *s)
{
    int n = 3 * a->n * a->b, i;
    double *b = (double *)malloc((size_t)n * sizeof(double));
    double *x = (double *)malloc((size_t)n * sizeof(double));
    memset(s, 0, sizeof *s);
    s->n = a->n;
    for (i = 0; i < n; i++) b[i] = uniform();
    bench_ours(s, a, b, x);
#ifdef BENCH_SUITESPARSE
    if (!a->unsymmetric) {
        bench_cholmod(s, a, b, x, CHOLMOD_METIS, CHOLMOD_SUPERNODAL, "cholmod_super_metis");
        bench_cholmod(s, a, b, x, CHOLMOD_AMD, CHOLMOD_SUPERNODAL, "cholmod_super_amd");
        if (a->n <= 10000)
            bench_cholmod(s, a, b, x, CHOLMOD_AMD, CHOLMOD_SIMPLICIAL, "cholmod_simplicial_amd");
    } else
        bench_umfpack(s, a, b, x);
#endif
    free(b);
    free(x);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int sizes;
    } matrix[5] = {{"grid", 5}, {"ring", 5}, {"irregular", 4}, {"newton", 4}, {"lu", 3}};
    static const int sizes[5] = {24, 48, 100, 224, 500};
    int k, s, i, quick = 0, picked = 0;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = 1;
        else
            picked = 1;
    }
#ifndef BENCH_SUITESPARSE
    fprintf(stderr, "sparse: built without CHOLMOD and UMFPACK (Debian: libsuitesparse-dev and "
                    "libopenblas-dev), so nothing is compared\n");
#else
    if (!getenv("OMP_THREAD_LIMIT"))
        fprintf(stderr, "sparse: set OMP_THREAD_LIMIT=1 OPENBLAS_NUM_THREADS=1: CHOLMOD is faster so\n");
#endif
    for (k = 0; k < 5; k++) {
        scores now, before;
        int wanted = !picked;
        memset(&before, 0, sizeof before);
        for (i = 1; i < argc; i++) wanted |= strcmp(argv[i], matrix[k].name) == 0;
        for (s = 0; s < (quick ? 3 : matrix[k].sizes) && wanted; s++) {
            problem a = make_problem(matrix[k].name, sizes[s]);
            bench_problem(&a, &now);
            report_scores(matrix[k].name, &now, &before);
            before = now;
            free(a.upper);
            dcs_matrix_destroy(NULL, &a.lower);
        }
    }
    return 0;
}
