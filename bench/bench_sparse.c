/* bench_sparse.c - times of the sparse solvers, one JSON object per line.

       cc -O2 -I. bench/bench_sparse.c -lm -o bench_sparse && ./bench_sparse

   With -DBENCH_SUITESPARSE -I/usr/include/suitesparse and -lcholmod -lumfpack -lopenblas it also
   runs CHOLMOD and UMFPACK on the same matrices; set OMP_THREAD_LIMIT=1 OPENBLAS_NUM_THREADS=1 for
   one thread. Arguments: names of matrices (default: all), e.g. grid ring newton lu; --quick skips
   the largest sizes.

   Matrices, on an m x m grid of vertices cut into triangles along one diagonal:
       grid     M + h^2 L, one scalar per vertex, edges of the triangles
       ring     the same plus the two vertices opposite of every edge (bending)
       newton   like grid, 3 x 3 blocks, symmetric positive definite
       lu       grid (x) I_3 with unsymmetric 3 x 3 blocks on a tenth of the diagonal
   Times are medians over repetitions, warm. */
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

static problem make_problem(const char *name, int m)
{
    problem a;
    int n = m * m, b = strcmp(name, "newton") == 0 || strcmp(name, "lu") == 0 ? 3 : 1, bb = b * b;
    int *row = (int *)malloc((size_t)n * 8 * sizeof(int));
    int *col = (int *)malloc((size_t)n * 8 * sizeof(int)), k, count, r, c;
    double *v;
    a.name = name, a.n = n, a.b = b, a.unsymmetric = strcmp(name, "lu") == 0;
    count = grid_pattern(m, strcmp(name, "ring") == 0, row, col);
    v = (double *)calloc((size_t)(count * bb), sizeof(double));
    for (k = 0; k < count; k++)
        for (c = 0; c < b; c++)
            for (r = 0; r < b; r++) {
                double e = r == c ? (row[k] == col[k] ? 14 : -1) : 0;
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

static void report(const problem *a, const char *op, const char *solver, timer *t, double nnz,
                   double residual)
{
    qsort(t->sample, (size_t)t->count, sizeof(double), compare_doubles);
    printf("{\"bench\":\"sparse\",\"matrix\":\"%s\",\"n\":%d,\"block\":%d,\"op\":\"%s\",\"solver\":"
           "\"%s\","
           "\"ms\":%.4f,\"nnz\":%.0f,\"residual\":%.2e}\n",
           a->name, a->n, a->b, op, solver, t->sample[t->count / 2], nnz, residual);
    fflush(stdout);
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

static void bench_ours(const problem *a, const double *b, double *x)
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
        report(a, order[i].op, "ours", &t, (double)fill, 0);
    }
    for (timer_init(&t); timer_more(&t);) {
        dcs_analysis_destroy(an);
        timer_begin(&t);
        dcs_analysis_create(NULL, a->n, a->b, a->lower.col_start, a->lower.row_index, &an, NULL);
        timer_end(&t);
    }
    nnz = (double)dcs_analysis_get_info(an).factor_nonzeros;
    report(a, "analyze", "ours", &t, nnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        dcs_factor_destroy(f);
        timer_begin(&t);
        dcs_factor_create(an, kind, &f, NULL);
        dcs_factor_compute(f, a->lower.values, a->upper, NULL);
        timer_end(&t);
    }
    report(a, "factor_first", "ours", &t, nnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        dcs_factor_compute(f, a->lower.values, a->upper, NULL);
        timer_end(&t);
    }
    report(a, "factor", "ours", &t, nnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        memcpy(x, b, bytes);
        timer_begin(&t);
        dcs_factor_solve(f, 3, x);
        timer_end(&t);
    }
    report(a, "solve3", "ours", &t, nnz, residual3(a, x, b));
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

static void bench_cholmod(const problem *a, const double *b, double *x, int ordering, int mode,
                          const char *name)
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
    report(a, "analyze", name, &t, c.lnz, 0);
    cholmod_factorize(m, l, &c);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        cholmod_factorize(m, l, &c);
        timer_end(&t);
    }
    report(a, "factor", name, &t, c.lnz, 0);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        cholmod_solve2(CHOLMOD_A, l, rhs, NULL, &sol, NULL, &work1, &work2, &c);
        timer_end(&t);
    }
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) x[3 * i + k] = ((double *)sol->x)[k * n + i];
    report(a, "solve3", name, &t, c.lnz, residual3(a, x, b));
    cholmod_free_dense(&sol, &c);
    cholmod_free_dense(&work1, &c);
    cholmod_free_dense(&work2, &c);
    cholmod_free_dense(&rhs, &c);
    cholmod_free_factor(&l, &c);
    cholmod_free_sparse(&m, &c);
    cholmod_finish(&c);
}

static void bench_umfpack(const problem *a, const double *b, double *x)
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
    report(a, "analyze", "umfpack_metis", &t, 0, 0);
    for (timer_init(&t); timer_more(&t);) {
        if (numeric) umfpack_di_free_numeric(&numeric);
        timer_begin(&t);
        umfpack_di_numeric(start, row, value, symbolic, &numeric, control, NULL);
        timer_end(&t);
    }
    report(a, "factor", "umfpack_metis", &t, 0, 0);
    for (timer_init(&t); timer_more(&t);) {
        timer_begin(&t);
        for (k = 0; k < 3; k++) {
            for (i = 0; i < n; i++) one[i] = b[3 * i + k];
            umfpack_di_solve(UMFPACK_A, start, row, value, sol, one, numeric, control, NULL);
            for (r = 0; r < n; r++) x[3 * r + k] = sol[r];
        }
        timer_end(&t);
    }
    report(a, "solve3", "umfpack_metis", &t, 0, residual3(a, x, b));
    umfpack_di_free_symbolic(&symbolic);
    umfpack_di_free_numeric(&numeric);
    free(start);
    free(row);
    free(value);
    free(one);
    free(sol);
}
#endif

int main(int argc, char **argv)
{
    static const char *names[4] = {"grid", "ring", "newton", "lu"};
    static const int sizes[5] = {24, 48, 100, 224, 500};
    int k, s, i, quick = 0, picked = 0;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = 1;
        else
            picked = 1;
    }
    for (k = 0; k < 4; k++) {
        int wanted = !picked;
        for (i = 1; i < argc; i++) wanted |= strcmp(argv[i], names[k]) == 0;
        for (s = 0; s < (quick ? 3 : k == 1 ? 5 : k == 0 ? 4 : 3) && wanted; s++) {
            problem a = make_problem(names[k], sizes[s]);
            int n = 3 * a.n * a.b;
            double *b = (double *)malloc((size_t)n * sizeof(double));
            double *x = (double *)malloc((size_t)n * sizeof(double));
            for (i = 0; i < n; i++) b[i] = uniform();
            bench_ours(&a, b, x);
#ifdef BENCH_SUITESPARSE
            if (!a.unsymmetric) {
                bench_cholmod(&a, b, x, CHOLMOD_METIS, CHOLMOD_SUPERNODAL, "cholmod_super_metis");
                bench_cholmod(&a, b, x, CHOLMOD_AMD, CHOLMOD_SUPERNODAL, "cholmod_super_amd");
                if (a.n <= 10000)
                    bench_cholmod(&a, b, x, CHOLMOD_AMD, CHOLMOD_SIMPLICIAL,
                                  "cholmod_simplicial_amd");
            } else
                bench_umfpack(&a, b, x);
#endif
            free(b);
            free(x);
            free(a.upper);
            dcs_matrix_destroy(NULL, &a.lower);
        }
    }
    return 0;
}
