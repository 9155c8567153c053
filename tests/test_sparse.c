/* test_sparse.c - tests of diffcloth_sparse.h. */
#include "test.h"
#include "../diffcloth_sparse.h"

#include <stdlib.h>

#if defined(__unix__) && !defined(__TINYC__)
#include <pthread.h>
#define HAVE_THREADS 1
#endif

/* ---- helpers --------------------------------------------------------------------------------- */

typedef struct random_state {
    uint64_t s;
} random_state;

static double uniform(random_state *r) /* [-1, 1) */
{
    r->s ^= r->s << 13;
    r->s ^= r->s >> 7;
    r->s ^= r->s << 17;
    return (double)(r->s >> 11) / 4503599627370496.0 - 1;
}

static int below(random_state *r, int n) /* 0 .. n-1 */
{
    int k = (int)((uniform(r) + 1) * 0.5 * n);
    return k < n ? k : n - 1;
}

static double not_a_number(void)
{
    uint64_t bits = 0x7ff8000000000000u;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double infinity(void)
{
    uint64_t bits = 0x7ff0000000000000u;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* An allocator that counts, fails at a chosen call and fills what it hands out. */
typedef struct counting {
    long calls, fail_at, live;
    long long live_bytes;
    int fill;
} counting;

/* 1 if CHOLMOD and UMFPACK hold the factors: their memory is not ours to count. */
#if defined(DCS_USE_SUITESPARSE)
enum { FOREIGN = 1 };
#else
enum { FOREIGN = 0 };
#endif

static void *counting_alloc(size_t bytes, void *user)
{
    counting *c = (counting *)user;
    void *p;
    if (++c->calls == c->fail_at) return NULL;
    p = malloc(bytes);
    if (!p) return NULL;
    memset(p, c->fill, bytes);
    c->live++;
    c->live_bytes += (long long)bytes;
    return p;
}

static void counting_free(void *ptr, size_t bytes, void *user)
{
    counting *c = (counting *)user;
    c->live--;
    c->live_bytes -= (long long)bytes;
    memset(ptr, 0xA5, bytes);
    free(ptr);
}

static dcs_allocator counting_allocator(counting *c)
{
    dcs_allocator a;
    a.alloc = counting_alloc;
    a.free = counting_free;
    a.user = c;
    return a;
}

/* A dense row-major n x n matrix as a full or lower sparse one; zeros are left out. */
static dcs_matrix from_dense(int n, const double *dense, int lower_only)
{
    dcs_matrix a;
    int *row = (int *)malloc((size_t)(n * n + 1) * sizeof(int)), count = 0, i, j;
    int *col = (int *)malloc((size_t)(n * n + 1) * sizeof(int));
    double *value = (double *)malloc((size_t)(n * n + 1) * sizeof(double));
    for (i = 0; i < n; i++)
        for (j = 0; j < (lower_only ? i + 1 : n); j++)
            if (dense[i * n + j] != 0)
                row[count] = i, col[count] = j, value[count++] = dense[i * n + j];
    CHECK_EQ(dcs_matrix_from_triplets(NULL, n, n, 1, count, row, col, value, &a, NULL), DCS_OK);
    free(row);
    free(col);
    free(value);
    return a;
}

/* Triangulated m x m grid, lower pattern; blocks b x b. Values: diagonally dominant and symmetric,
   `upper` holds the transposes, plus a perturbation of size skew. */
typedef struct grid {
    int n, b, *col_start, *row_index;
    double *lower, *upper;
} grid;

static void grid_destroy(grid *g)
{
    free(g->col_start);
    free(g->row_index);
    free(g->lower);
    free(g->upper);
}

static grid make_grid(int m, int b, double skew, uint64_t seed)
{
    grid g;
    int j, p, c, r, count = 0, bb = b * b;
    random_state rng;
    rng.s = seed;
    g.n = m * m, g.b = b;
    g.col_start = (int *)malloc((size_t)(g.n + 1) * sizeof(int));
    g.row_index = (int *)malloc((size_t)(4 * g.n) * sizeof(int));
    g.lower = (double *)malloc((size_t)(4 * g.n * bb) * sizeof(double));
    g.upper = (double *)malloc((size_t)(4 * g.n * bb) * sizeof(double));
    for (j = 0; j < g.n; j++) {
        int x = j % m, y = j / m;
        g.col_start[j] = count;
        g.row_index[count++] = j;
        if (x + 1 < m) g.row_index[count++] = j + 1;
        if (y + 1 < m) g.row_index[count++] = j + m;
        if (x + 1 < m && y + 1 < m) g.row_index[count++] = j + m + 1;
    }
    g.col_start[g.n] = count;
    for (j = 0; j < g.n; j++)
        for (p = g.col_start[j]; p < g.col_start[j + 1]; p++) {
            double *lo = g.lower + p * bb, *up = g.upper + p * bb;
            int diagonal = g.row_index[p] == j;
            for (c = 0; c < b; c++)
                for (r = 0; r < b; r++)
                    lo[c * b + r] =
                        r == c ? (diagonal ? 8 + uniform(&rng) : -1) : 0.1 * uniform(&rng);
            for (c = 0; c < b && diagonal; c++)
                for (r = 0; r < c; r++) lo[c * b + r] = lo[r * b + c];
            for (c = 0; c < b; c++)
                for (r = 0; r < b; r++)
                    up[c * b + r] = lo[r * b + c] + (diagonal ? 0 : skew * uniform(&rng));
            for (c = 0; c < b * b && diagonal; c++) lo[c] += skew * uniform(&rng);
        }
    return g;
}

/* y = A x or A^T x for the full matrix that lower and upper describe. */
static void grid_multiply(const grid *g, int symmetric, int transposed, int nrhs, const double *x,
                          double *y)
{
    int j, p, r, c, k, b = g->b;
    memset(y, 0, (size_t)(g->n * b * nrhs) * sizeof(double));
    for (j = 0; j < g->n; j++)
        for (p = g->col_start[j]; p < g->col_start[j + 1]; p++)
            for (c = 0; c < b; c++)
                for (r = 0; r < b; r++) {
                    int i = g->row_index[p], row = i * b + r, col = j * b + c;
                    double lo = g->lower[(p * b + c) * b + r];
                    double up = g->upper[(p * b + r) * b + c]; /* A(col, row) */
                    if (i == j && symmetric && r < c) lo = g->lower[(p * b + r) * b + c];
                    if (symmetric) up = lo;
                    for (k = 0; k < nrhs; k++) {
                        if (!transposed) y[row * nrhs + k] += lo * x[col * nrhs + k];
                        if (transposed) y[col * nrhs + k] += lo * x[row * nrhs + k];
                        if (i != j && !transposed) y[col * nrhs + k] += up * x[row * nrhs + k];
                        if (i != j && transposed) y[row * nrhs + k] += up * x[col * nrhs + k];
                    }
                }
}

static double max_difference(const double *a, const double *b, int n)
{
    double top = 0;
    int i;
    for (i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= top)) top = fabs(a[i] - b[i]);
    return top;
}

/* ---- S rows ---------------------------------------------------------------------------------- */

static const double s01[25] = {1, 0, 4, 0, .2, 0,  1, 6,  0, 0, 4, 6, 6,
                               3, 3, 0, 0, 3,  .5, 0, .2, 0, 3, 0, .5};

static void s01_indefinite(void)
{
    static const double answer[5] = {-3.535589, -2.827305, 0.804551, 3.172695, 6.586931};
    dcs_matrix a = from_dense(5, s01, 0);
    dcs_desc d = dcs_default_desc();
    dcs_solver *s = NULL;
    dcs_error e;
    double x[5] = {1, 2, 3, 4, 5};
    d.ordering = DCS_ORDER_NATURAL;
    CHECK_EQ(dcs_solver_create(&d, &a, DCS_CHOLESKY, &s, &e), DCS_ERROR_NOT_POSITIVE_DEFINITE);
    CHECK(s == NULL);
    CHECK_EQ(e.column, 2);
    CHECK_EQ(e.row, 2);
    CHECK_NEAR(e.value, -46, 1e-12);
    CHECK_STR(e.text, "-46");
    CHECK_STR(e.text, "column 2");
    CHECK_EQ(dcs_solver_create(&d, &a, DCS_LU, &s, &e), DCS_OK);
    CHECK_EQ(dcs_solver_solve(s, 1, x), DCS_OK);
    CHECK_NEAR(max_difference(x, answer, 5), 0, 5e-7);
    CHECK(dcs_solver_get_backward_error(s) < 1e-15);
    dcs_solver_destroy(s);
    dcs_matrix_destroy(NULL, &a);
}

static void s03_not_finite(void)
{
    static const dcs_kind kinds[4] = {DCS_CHOLESKY, DCS_LDLT, DCS_LU_STATIC, DCS_LU};
    int cs[4] = {0, 1, 2, 3}, ri[3] = {0, 1, 2}, k;
    double v[3], x[3] = {1, 2, 3};
    dcs_matrix a;
    dcs_error e;
    dcs_analysis *an;
    dcs_factor *f;
    v[0] = v[2] = 1, v[1] = not_a_number();
    a.rows = a.cols = 3, a.block = 1, a.col_start = cs, a.row_index = ri, a.values = v;
    for (k = 0; k < 4; k++) {
        CHECK_EQ(dcs_solve_once(&a, kinds[k], x, x, &e), DCS_ERROR_NOT_FINITE);
        CHECK_EQ(e.row, 1);
        CHECK_EQ(e.column, 1);
    }
    CHECK_EQ(dcs_analysis_create(NULL, 3, 1, cs, ri, &an, &e), DCS_OK);
    for (k = 0; k < 3; k++) {
        CHECK_EQ(dcs_factor_create(an, kinds[k], &f, &e), DCS_OK);
        CHECK_EQ(dcs_factor_compute(f, v, v, &e), DCS_ERROR_NOT_FINITE);
        CHECK_EQ(e.row, 1);
        CHECK_EQ(e.column, 1);
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_ERROR_NOT_FACTORED);
        v[1] = 1;
        CHECK_EQ(dcs_factor_compute(f, v, v, &e), DCS_OK);
        x[1] = infinity();
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_ERROR_NOT_FINITE);
        CHECK(x[0] == 1 && x[2] == 3);
        x[1] = 2;
        v[1] = not_a_number();
        dcs_factor_destroy(f);
    }
    dcs_analysis_destroy(an);
}

static void s05_triangles(void)
{
    static const double lower[4] = {2, 0, 1, 2}, upper[4] = {2, 1, 0, 2}, full[4] = {2, 1, 1, 2};
    const double *given[3];
    int k, kind, cs[3] = {0, 1, 3}, ri[3] = {0, 0, 1};
    dcs_analysis *an;
    dcs_error e;
    given[0] = lower, given[1] = upper, given[2] = full;
    for (k = 0; k < 3; k++)
        for (kind = DCS_CHOLESKY; kind <= DCS_LDLT; kind++) {
            dcs_matrix a = from_dense(2, given[k], 0);
            double b[2] = {1, 0}, x[2];
            CHECK_EQ(dcs_solve_once(&a, (dcs_kind)kind, b, x, &e), DCS_OK);
            CHECK_NEAR(x[0], 2. / 3, 1e-15);
            CHECK_NEAR(x[1], -1. / 3, 1e-15);
            dcs_matrix_destroy(NULL, &a);
        }
    CHECK_EQ(dcs_analysis_create(NULL, 2, 1, cs, ri, &an, &e), DCS_ERROR_BAD_PATTERN);
    CHECK_EQ(e.row, 0);
    CHECK_EQ(e.column, 1);
}

static void s06_duplicates(void)
{
    int row[3] = {1, 1, 0}, col[3] = {0, 0, 2};
    double v[3] = {2, 3.5, 1};
    dcs_matrix a;
    CHECK_EQ(dcs_matrix_from_triplets(NULL, 2, 3, 1, 2, row, col, v, &a, NULL), DCS_OK);
    CHECK_EQ(a.col_start[3], 1);
    CHECK_EQ(a.row_index[0], 1);
    CHECK_NEAR(a.values[0], 5.5, 0);
    dcs_matrix_destroy(NULL, &a);
    CHECK(a.values == NULL);
    CHECK_EQ(dcs_matrix_from_triplets(NULL, 2, 3, 1, 0, NULL, NULL, NULL, &a, NULL), DCS_OK);
    CHECK_EQ(a.col_start[3], 0);
    dcs_matrix_destroy(NULL, &a);
    col[2] = 3;
    CHECK_EQ(dcs_matrix_from_triplets(NULL, 2, 3, 1, 3, row, col, v, &a, NULL),
             DCS_ERROR_BAD_PATTERN);
}

static void s06_duplicate_pattern(void)
{
    int cs[3] = {0, 4, 5}, ri[5] = {0, 1, 0, 1, 1};
    double v[5] = {1, 0.25, 1, 0.75, 2}, u[5] = {1, 0.5, 1, 0.5, 2}, x[2];
    dcs_analysis *an;
    dcs_factor *f;
    int kind;
    CHECK_EQ(dcs_analysis_create(NULL, 2, 1, cs, ri, &an, NULL), DCS_OK);
    for (kind = DCS_CHOLESKY; kind <= DCS_LU_STATIC; kind++) {
        CHECK_EQ(dcs_factor_create(an, (dcs_kind)kind, &f, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_compute(f, v, u, NULL), DCS_OK);
        x[0] = 3, x[1] = 3;
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
        CHECK_NEAR(x[0], 1, 1e-15);
        CHECK_NEAR(x[1], 1, 1e-15);
        dcs_factor_destroy(f);
    }
    dcs_analysis_destroy(an);
}

static void s08_bad_indices(void)
{
    int cs[4] = {0, 3, 5, 6}, ri[6] = {2, 0, 1, 2, 1, 2};
    double v[6] = {1, 4, 1, 1, 4, 4}, b[3] = {6, 6, 6}, x[3];
    dcs_matrix a;
    dcs_error e;
    dcs_analysis *an;
    int kind;
    a.rows = a.cols = 3, a.block = 1, a.col_start = cs, a.row_index = ri, a.values = v;
    for (kind = DCS_CHOLESKY; kind <= DCS_LDLT; kind++) {
        CHECK_EQ(dcs_solve_once(&a, (dcs_kind)kind, b, x, &e), DCS_OK);
        CHECK_NEAR(x[0], 1, 1e-15);
        CHECK_NEAR(x[1], 1, 1e-15);
        CHECK_NEAR(x[2], 1, 1e-15);
    }
    ri[3] = 3;
    CHECK_EQ(dcs_analysis_create(NULL, 3, 1, cs, ri, &an, &e), DCS_ERROR_BAD_PATTERN);
    CHECK_EQ(e.column, 1);
    CHECK_EQ(e.row, 3);
    CHECK_EQ(dcs_matrix_check(&a, &e), DCS_ERROR_BAD_PATTERN);
    ri[3] = -1;
    CHECK_EQ(dcs_solve_once(&a, DCS_LU, b, x, &e), DCS_ERROR_BAD_PATTERN);
    CHECK_STR(e.text, "column 1");
    ri[3] = 2, cs[1] = 6;
    CHECK_EQ(dcs_matrix_check(&a, &e), DCS_ERROR_BAD_PATTERN);
    CHECK_STR(e.text, "col_start[2]");
    cs[1] = 3, cs[0] = 1;
    CHECK_EQ(dcs_matrix_check(&a, &e), DCS_ERROR_BAD_PATTERN);
    CHECK_STR(e.text, "col_start[0]");
}

static void s10_missing_diagonal(void)
{
    static const double dense[4] = {0, 1, 1, 0};
    dcs_matrix a = from_dense(2, dense, 0);
    double b[2] = {3, 5}, x[2];
    dcs_error e;
    dcs_desc d = dcs_default_desc();
    dcs_solver *s;
    int kind;
    d.ordering = DCS_ORDER_NATURAL;
    CHECK_EQ(dcs_solver_create(&d, &a, DCS_CHOLESKY, &s, &e), DCS_ERROR_NOT_POSITIVE_DEFINITE);
    CHECK_EQ(e.column, 0);
    for (kind = DCS_LU_STATIC; kind <= DCS_LU; kind++) {
        CHECK_EQ(dcs_solve_once(&a, (dcs_kind)kind, b, x, &e), DCS_OK);
        CHECK_NEAR(x[0], 5, 1e-15);
        CHECK_NEAR(x[1], 3, 1e-15);
    }
    dcs_matrix_destroy(NULL, &a);
}

static void s11_ldlt_factor(void)
{
    static const double dense[9] = {2, 1, -83. / 40, 1, 43. / 20, 0, -83. / 40, 0, 5};
    dcs_matrix a = from_dense(3, dense, 1);
    dcs_desc d = dcs_default_desc();
    dcs_analysis *an;
    dcs_factor *f;
    int sign;
    d.ordering = DCS_ORDER_NATURAL;
    CHECK_EQ(dcs_analysis_create(&d, 3, 1, a.col_start, a.row_index, &an, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, DCS_LDLT, &f, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_compute(f, a.values, NULL, NULL), DCS_OK);
    CHECK_REL(dcs_factor_get_diagonal(f, 0), 2.0, 1e-15);
    CHECK_REL(dcs_factor_get_diagonal(f, 1), 33. / 20, 1e-15);
    CHECK_REL(dcs_factor_get_diagonal(f, 2), 231773. / 105600, 1e-15);
    CHECK_REL(dcs_factor_get_lower(f, 1, 0), 0.5, 1e-15);
    CHECK_REL(dcs_factor_get_lower(f, 2, 0), -83. / 80, 1e-15);
    CHECK_REL(dcs_factor_get_lower(f, 2, 1), 83. / 132, 1e-15);
    CHECK_REL(dcs_factor_get_lower(f, 2, 2), 1.0, 1e-15);
    CHECK_REL(dcs_factor_get_log_determinant(f, &sign), log(2 * 33. / 20 * 231773. / 105600),
              1e-14);
    CHECK_EQ(sign, 1);
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
    dcs_matrix_destroy(NULL, &a);
}

static void s13_solve_after_failure(void)
{
    int cs[3] = {0, 1, 2}, ri[2] = {0, 1}, k;
    double v[2] = {0, 1}, good[2] = {2, 4}, x[2] = {7, 8};
    dcs_matrix a;
    dcs_error e;
    dcs_analysis *an;
    dcs_factor *f;
    dcs_lu *lu = NULL;
    a.rows = a.cols = 2, a.block = 1, a.col_start = cs, a.row_index = ri, a.values = v;
    CHECK_EQ(dcs_analysis_create(NULL, 2, 1, cs, ri, &an, NULL), DCS_OK);
    for (k = DCS_CHOLESKY; k <= DCS_LDLT; k++) {
        CHECK_EQ(dcs_factor_create(an, (dcs_kind)k, &f, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_ERROR_NOT_FACTORED);
        CHECK_EQ(dcs_factor_compute(f, v, NULL, &e),
                 k == DCS_LDLT ? DCS_ERROR_SINGULAR : DCS_ERROR_NOT_POSITIVE_DEFINITE);
        CHECK_EQ(e.column, 0);
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_ERROR_NOT_FACTORED);
        CHECK(x[0] == 7 && x[1] == 8);
        CHECK_EQ(dcs_factor_compute(f, good, NULL, &e), DCS_OK);
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
        CHECK_NEAR(x[0], 3.5, 1e-14);
        CHECK_NEAR(x[1], 2, 1e-14);
        x[0] = 7, x[1] = 8;
        dcs_factor_destroy(f);
    }
    dcs_analysis_destroy(an);
    CHECK_EQ(dcs_lu_create(NULL, &a, &lu, &e), DCS_ERROR_SINGULAR);
    CHECK_EQ(e.column, 0);
    CHECK(lu == NULL);
    a.values = good;
    CHECK_EQ(dcs_lu_create(NULL, &a, &lu, &e), DCS_OK);
    CHECK_EQ(dcs_lu_refactor(lu, v, NULL, &e), DCS_ERROR_SINGULAR);
    CHECK_EQ(dcs_lu_solve(lu, 1, x), DCS_ERROR_NOT_FACTORED);
    CHECK(x[0] == 7 && x[1] == 8);
    CHECK_EQ(dcs_lu_refactor(lu, good, NULL, &e), DCS_OK);
    CHECK_EQ(dcs_lu_solve(lu, 1, x), DCS_OK);
    CHECK(x[0] == 3.5 && x[1] == 2);
    dcs_lu_destroy(lu);
}

static void s15_orientation(void)
{
    static const double dense[4] = {1, 2, 0, 1};
    dcs_matrix a = from_dense(2, dense, 0);
    int kind;
    for (kind = DCS_LU_STATIC; kind <= DCS_LU; kind++) {
        double x[2] = {3, 1}, y[2] = {3, 1};
        dcs_solver *s;
        CHECK_EQ(dcs_solver_create(NULL, &a, (dcs_kind)kind, &s, NULL), DCS_OK);
        CHECK_EQ(dcs_solver_solve(s, 1, x), DCS_OK);
        CHECK_NEAR(x[0], 1, 1e-15);
        CHECK_NEAR(x[1], 1, 1e-15);
        CHECK_EQ(dcs_solver_solve_transpose(s, 1, y), DCS_OK);
        CHECK_NEAR(y[0], 3, 1e-15);
        CHECK_NEAR(y[1], -5, 1e-15);
        dcs_solver_destroy(s);
    }
    dcs_matrix_destroy(NULL, &a);
}

static void s16_fill_count(void)
{
    int n = 65536, j, *cs = (int *)malloc((size_t)(n + 1) * sizeof(int));
    int *ri = (int *)malloc((size_t)(2 * n) * sizeof(int));
    dcs_desc d = dcs_default_desc();
    int64_t fill = 0;
    d.ordering = DCS_ORDER_NATURAL;
    for (j = 0; j < n; j++) {
        ri[j] = j; /* column 0 is full */
        cs[j + 1] = n + j;
        ri[n + j - (j > 0)] = j;
    }
    cs[0] = 0;
    CHECK_EQ(dcs_count_fill(&d, n, 1, cs, ri, &fill, NULL), DCS_OK);
    CHECK_EQ(fill, 2147516416LL);
    d.ordering = DCS_ORDER_AMD;
    CHECK_EQ(dcs_count_fill(&d, n, 1, cs, ri, &fill, NULL), DCS_OK);
    CHECK_EQ(fill, 2 * n - 1);
    free(cs);
    free(ri);
}

static void chain_solve(void)
{
    int n = 1000000, j, *cs = (int *)malloc((size_t)(n + 1) * sizeof(int));
    int *ri = (int *)malloc((size_t)(2 * n) * sizeof(int));
    double *v = (double *)malloc((size_t)(2 * n) * sizeof(double));
    double *x = (double *)malloc((size_t)n * sizeof(double)), worst = 0;
    dcs_desc d = dcs_default_desc();
    int order;
    for (j = 0; j < n; j++) {
        cs[j] = 2 * j;
        ri[2 * j] = j, v[2 * j] = 4;
        if (j + 1 < n) ri[2 * j + 1] = j + 1, v[2 * j + 1] = -1;
    }
    cs[n] = 2 * n - 1;
    for (order = 0; order < 2; order++) {
        dcs_analysis *an = NULL;
        dcs_factor *f = NULL;
        d.ordering = order ? DCS_ORDER_AMD : DCS_ORDER_NATURAL;
        CHECK_EQ(dcs_analysis_create(&d, n, 1, cs, ri, &an, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_create(an, DCS_CHOLESKY, &f, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_compute(f, v, NULL, NULL), DCS_OK);
        for (j = 0; j < n; j++) x[j] = j == 0 || j == n - 1 ? 3 : 2;
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
        for (j = 0; j < n; j++)
            if (!(fabs(x[j] - 1) <= worst)) worst = fabs(x[j] - 1);
        dcs_factor_destroy(f);
        dcs_analysis_destroy(an);
    }
    CHECK_NEAR(worst, 0, 1e-12);
    free(cs);
    free(ri);
    free(v);
    free(x);
}

#ifdef HAVE_THREADS
static void *chain_thread(void *arg)
{
    (void)arg;
    chain_solve();
    return NULL;
}
#endif

static void s18_long_chain_small_stack(void)
{
#ifdef HAVE_THREADS
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    if (CHECK_EQ(pthread_create(&thread, &attributes, chain_thread, NULL), 0))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
#else
    chain_solve();
#endif
}

/* ---- one analysis, many numbers -------------------------------------------------------------- */

static void check_grid(int m, int b, dcs_kind kind, dcs_ordering ordering, int nrhs)
{
    grid g = make_grid(m, b, kind == DCS_LU_STATIC ? 0.2 : 0, (uint64_t)(17 * m + b));
    dcs_desc d = dcs_default_desc();
    dcs_analysis *an = NULL;
    dcs_factor *f = NULL;
    dcs_error e;
    int size = g.n * b, count = size * nrhs, i, t;
    double *x = (double *)malloc((size_t)count * sizeof(double)), top = 0;
    double *want = (double *)malloc((size_t)count * sizeof(double));
    random_state rng;
    rng.s = 99;
    d.ordering = ordering;
    CHECK_EQ(dcs_analysis_create(&d, g.n, b, g.col_start, g.row_index, &an, &e), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, kind, &f, &e), DCS_OK);
    for (t = 0; t < 2; t++) {
        int symmetric = kind != DCS_LU_STATIC;
        if (t) /* refactor with other numbers */
            for (i = 0; i < g.col_start[g.n] * b * b; i++) g.lower[i] *= 0.5, g.upper[i] *= 0.5;
        CHECK_EQ(dcs_factor_compute(f, g.lower, symmetric ? NULL : g.upper, &e), DCS_OK);
        for (i = 0; i < count; i++) want[i] = uniform(&rng);
        grid_multiply(&g, symmetric, 0, nrhs, want, x);
        CHECK_EQ(dcs_factor_solve(f, nrhs, x), DCS_OK);
        top = max_difference(x, want, count);
        CHECK_NEAR(top, 0, 2e-14);
        grid_multiply(&g, symmetric, 1, nrhs, want, x);
        CHECK_EQ(dcs_factor_solve_transpose(f, nrhs, x), DCS_OK);
        top = max_difference(x, want, count);
        CHECK_NEAR(top, 0, 2e-14);
    }
    CHECK_EQ(dcs_factor_perturbed(f), 0);
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
    free(x);
    free(want);
    grid_destroy(&g);
}

static void grids_of_every_kind(void)
{
    static const int sizes[5] = {1, 2, 3, 7, 20};
    int k, b, kind;
    for (k = 0; k < 5; k++)
        for (b = 1; b <= 8; b++)
            for (kind = DCS_CHOLESKY; kind <= DCS_LU_STATIC; kind++)
                if (sizes[k] < 20 || b <= 3)
                    check_grid(sizes[k], b, (dcs_kind)kind, DCS_ORDER_AUTO, 3);
}

static void grids_of_every_ordering(void)
{
    int o, kind;
    for (o = DCS_ORDER_AUTO; o <= DCS_ORDER_NATURAL; o++)
        for (kind = DCS_CHOLESKY; kind <= DCS_LU_STATIC; kind++)
            check_grid(33, kind == DCS_LDLT ? 1 : 2, (dcs_kind)kind, (dcs_ordering)o, 1);
    check_grid(64, 1, DCS_CHOLESKY, DCS_ORDER_ND, 3);
}

static void any_number_of_right_hand_sides(void)
{
    int nrhs;
    for (nrhs = 1; nrhs <= 11; nrhs++) {
        check_grid(6, 2, DCS_CHOLESKY, DCS_ORDER_AUTO, nrhs);
        check_grid(6, 3, DCS_LU_STATIC, DCS_ORDER_AUTO, nrhs);
    }
}

static void given_order(void)
{
    grid g = make_grid(9, 1, 0, 5);
    dcs_desc d = dcs_default_desc();
    dcs_analysis *an = NULL;
    dcs_error e;
    int order[81], seen[81], i;
    const int *got;
    for (i = 0; i < 81; i++) order[i] = 80 - i, seen[i] = 0;
    d.ordering = DCS_ORDER_GIVEN;
    CHECK_EQ(dcs_analysis_create(&d, 81, 1, g.col_start, g.row_index, &an, &e),
             DCS_ERROR_BAD_ARGUMENT);
    d.given_order = order;
    CHECK_EQ(dcs_analysis_create(&d, 81, 1, g.col_start, g.row_index, &an, &e), DCS_OK);
    got = dcs_analysis_get_order(an);
    for (i = 0; i < 81; i++) seen[got[i]]++;
    for (i = 0; i < 81; i++) CHECK_EQ(seen[i], 1);
    dcs_analysis_destroy(an);
    order[3] = order[4];
    CHECK_EQ(dcs_analysis_create(&d, 81, 1, g.col_start, g.row_index, &an, &e),
             DCS_ERROR_BAD_ARGUMENT);
    CHECK_STR(e.text, "given_order[4]");
    grid_destroy(&g);
}

/* Fill of the factor by elimination on a dense bit matrix, in the order of the analysis. */
static void fill_is_exact(void)
{
    random_state rng;
    int t;
    rng.s = 4711;
    for (t = 0; t < 60; t++) {
        int n = 1 + below(&rng, 40), edges = below(&rng, 3 * n), count = 0, i, j, k;
        int *row = (int *)malloc((size_t)(edges + n) * sizeof(int));
        int *col = (int *)malloc((size_t)(edges + n) * sizeof(int));
        double *v = (double *)calloc((size_t)(edges + n), sizeof(double));
        char *full = (char *)calloc((size_t)(n * n), 1);
        int64_t fill = 0, expected = 0;
        const int *order;
        dcs_matrix a;
        dcs_analysis *an;
        dcs_desc d = dcs_default_desc();
        for (k = 0; k < edges; k++) {
            i = below(&rng, n), j = below(&rng, n);
            row[count] = i > j ? i : j, col[count++] = i > j ? j : i;
            full[i * n + j] = full[j * n + i] = 1;
        }
        CHECK_EQ(dcs_matrix_from_triplets(NULL, n, n, 1, count, row, col, v, &a, NULL), DCS_OK);
        d.ordering = (dcs_ordering)(t % 4);
        CHECK_EQ(dcs_analysis_create(&d, n, 1, a.col_start, a.row_index, &an, NULL), DCS_OK);
        CHECK_EQ(dcs_count_fill(&d, n, 1, a.col_start, a.row_index, &fill, NULL), DCS_OK);
        order = dcs_analysis_get_order(an);
        for (k = 0; k < n; k++) {
            int p = order[k];
            expected++;
            for (i = k + 1; i < n; i++) expected += full[order[i] * n + p];
            for (i = k + 1; i < n; i++)
                for (j = k + 1; j < n; j++)
                    if (full[order[i] * n + p] && full[p * n + order[j]])
                        full[order[i] * n + order[j]] = 1;
        }
        CHECK_EQ(fill, expected);
        CHECK_EQ(dcs_analysis_get_info(an).factor_nonzeros, expected);
        CHECK(dcs_analysis_get_info(an).stored_nonzeros >= expected);
        dcs_analysis_destroy(an);
        dcs_matrix_destroy(NULL, &a);
        free(row);
        free(col);
        free(v);
        free(full);
    }
}

/* Dissection of graphs that are not meshes: no edges, many components, a star, a clique, a path. */
static void dissection_of_odd_graphs(void)
{
    enum { N = 700 };
    int *row = (int *)malloc(N * N / 2 * sizeof(int)),
        *col = (int *)malloc(N * N / 2 * sizeof(int));
    double *v = (double *)calloc(N * N / 2, sizeof(double)),
           *x = (double *)malloc(N * sizeof(double));
    int kind;
    for (kind = 0; kind < 6; kind++) {
        dcs_desc d = dcs_default_desc();
        dcs_matrix a;
        dcs_analysis *an = NULL;
        dcs_factor *f = NULL;
        int i, j, count = 0;
        double top = 0;
        for (i = 0; i < N; i++) row[count] = col[count] = i, v[count++] = N;
        for (i = 1; i < N; i++) {
            if (kind == 1 && i % 7) row[count] = i, col[count] = i - 1, v[count++] = -1;
            if (kind == 2) row[count] = i, col[count] = 0, v[count++] = -1;
            if (kind == 4) row[count] = i, col[count] = i - 1, v[count++] = -1;
            for (j = 0; kind == 3 && j < i && i < 500; j++)
                row[count] = i, col[count] = j, v[count++] = -1;
            for (j = 0; kind == 5 && j < 3; j++)
                row[count] = i, col[count] = (i * (7 + j)) % i, v[count++] = -1;
        }
        CHECK_EQ(dcs_matrix_from_triplets(NULL, N, N, 1, count, row, col, v, &a, NULL), DCS_OK);
        d.ordering = DCS_ORDER_ND;
        CHECK_EQ(dcs_analysis_create(&d, N, 1, a.col_start, a.row_index, &an, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_create(an, DCS_CHOLESKY, &f, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_compute(f, a.values, NULL, NULL), DCS_OK);
        for (i = 0; i < N; i++) x[i] = 1;
        {
            double b[N], y[N];
            dcs_matrix_multiply_symmetric(&a, 1, x, b);
            memcpy(y, b, sizeof b);
            CHECK_EQ(dcs_factor_solve(f, 1, y), DCS_OK);
            top = max_difference(y, x, N);
        }
        CHECK_NEAR(top, 0, 1e-13);
        dcs_factor_destroy(f);
        dcs_analysis_destroy(an);
        dcs_matrix_destroy(NULL, &a);
    }
    free(row);
    free(col);
    free(v);
    free(x);
}

static void fill_of_grids_is_low(void)
{
    grid g = make_grid(100, 1, 0, 1);
    dcs_desc d = dcs_default_desc();
    int64_t fill;
    d.ordering = DCS_ORDER_AMD;
    CHECK_EQ(dcs_count_fill(&d, g.n, 1, g.col_start, g.row_index, &fill, NULL), DCS_OK);
    CHECK(fill < 320000);
    d.ordering = DCS_ORDER_ND;
    CHECK_EQ(dcs_count_fill(&d, g.n, 1, g.col_start, g.row_index, &fill, NULL), DCS_OK);
    CHECK(fill < 320000);
    d.ordering = DCS_ORDER_AUTO;
    CHECK_EQ(dcs_count_fill(&d, g.n, 1, g.col_start, g.row_index, &fill, NULL), DCS_OK);
    CHECK(fill < 310000);
    grid_destroy(&g);
}

/* ---- random families ------------------------------------------------------------------------- */

typedef struct entries {
    int count, *row, *col;
    double *v;
} entries;

static entries entries_of(int most)
{
    entries e;
    e.count = 0;
    e.row = (int *)malloc((size_t)most * sizeof(int));
    e.col = (int *)malloc((size_t)most * sizeof(int));
    e.v = (double *)malloc((size_t)most * sizeof(double));
    return e;
}

/* With `mirrored`, its mirror image too. */
static void entries_add(entries *e, int i, int j, double value, int mirrored)
{
    e->row[e->count] = i, e->col[e->count] = j, e->v[e->count++] = value;
    if (mirrored) e->row[e->count] = j, e->col[e->count] = i, e->v[e->count++] = value;
}

static dcs_matrix entries_matrix(entries *e, int n)
{
    dcs_matrix a;
    CHECK_EQ(dcs_matrix_from_triplets(NULL, n, n, 1, e->count, e->row, e->col, e->v, &a, NULL),
             DCS_OK);
    free(e->row);
    free(e->col);
    free(e->v);
    return a;
}

/* A random matrix of a family; lower triangle dominates only by chance. */
static dcs_matrix random_matrix(random_state *rng, int n, int symmetric, int family)
{
    entries e = entries_of(2 * (4 * n + n));
    int k;
    for (k = 0; k < n; k++) {
        double value = uniform(rng);
        if (family == 1) value += symmetric ? 8 : 1;         /* dominant */
        if (family == 2) value = pow(10, 12 * uniform(rng)); /* badly scaled diagonal */
        if (family == 3) value = k % 3 == 0 ? 0 : value;     /* zeros on the diagonal */
        entries_add(&e, k, k, value, 0);
    }
    for (k = 0; k < 4 * n; k++) {
        int i = below(rng, n), j = below(rng, n);
        double value = uniform(rng) * (family == 1 ? 0.5 : 1);
        if (i != j) entries_add(&e, i, j, value, symmetric);
    }
    return entries_matrix(&e, n);
}

/* Solve with a random right-hand side; 1 if solved, 0 if refused with a named error. */
static int check_random(random_state *rng, const dcs_matrix *a, dcs_kind kind, double factor)
{
    int n = a->rows, i;
    double *b = (double *)malloc((size_t)n * sizeof(double));
    double *x = (double *)malloc((size_t)n * sizeof(double));
    double *work = (double *)malloc((size_t)n * sizeof(double)), error;
    dcs_error e;
    dcs_result result;
    for (i = 0; i < n; i++) b[i] = uniform(rng);
    result = dcs_solve_once(a, kind, b, x, &e);
    if (result == DCS_OK) {
        error = dcs_backward_error(a, kind <= DCS_LDLT, x, b, work);
        CHECK(error <= factor * n * 2.3e-16);
    } else {
        CHECK(result == DCS_ERROR_SINGULAR || result == DCS_ERROR_NOT_POSITIVE_DEFINITE ||
              result == DCS_ERROR_NOT_FINITE || result == DCS_ERROR_INACCURATE);
        CHECK(result != DCS_ERROR_INACCURATE || kind == DCS_LU_STATIC);
        CHECK_EQ(e.code, result);
        CHECK(strlen(e.text) > 20);
    }
    free(b);
    free(x);
    free(work);
    return result == DCS_OK;
}

static void random_families(void)
{
    random_state rng;
    int t, solved[4] = {0, 0, 0, 0};
    rng.s = 20240607;
    for (t = 0; t < 200; t++) {
        int n = 1 + below(&rng, t < 100 ? 12 : 150), family = t % 4;
        dcs_matrix s = random_matrix(&rng, n, 1, family);
        dcs_matrix u = random_matrix(&rng, n, 0, family);
        solved[0] += check_random(&rng, &s, DCS_CHOLESKY, 10);
        solved[3] += check_random(&rng, &u, DCS_LU, 10);
        if (family == 1) {
            solved[1] += check_random(&rng, &s, DCS_LDLT, 10);
            solved[2] += check_random(&rng, &u, DCS_LU_STATIC, 10);
        }
        dcs_matrix_destroy(NULL, &s);
        dcs_matrix_destroy(NULL, &u);
    }
    CHECK(solved[0] >= 50);
    CHECK(solved[1] >= 45);
    CHECK(solved[2] >= 45);
    CHECK(solved[3] >= 175); /* the family with zeros on the diagonal has singular ones */
}

enum { RANK_DEFICIENT, DENSE_ROWS, DISCONNECTED, EMPTY_ROW, STRUCTURES };

/* A random matrix with a structure, n >= 4; small integers, so that what is singular is exactly so. */
static dcs_matrix structured_matrix(random_state *rng, int n, int symmetric, int structure)
{
    entries e = entries_of(40 * n);
    int k, half = n / 2;
    for (k = 0; k < n && structure != RANK_DEFICIENT; k++) {
        if (structure == EMPTY_ROW && k == half) continue;
        entries_add(&e, k, k, structure == DENSE_ROWS ? 3.0 * n : 12, 0);
    }
    for (k = 0; k < 3 * n; k++) { /* rank deficient: n / 2 terms u w^T with two entries each */
        int i = below(rng, n), j = below(rng, n), t;
        double value = below(rng, 2) ? 1 : -1;
        if (structure == RANK_DEFICIENT) {
            int at[2], to[2];
            if (k >= half) break;
            at[0] = i, at[1] = j, to[0] = symmetric ? i : below(rng, n);
            to[1] = symmetric ? j : below(rng, n);
            for (t = 0; t < 4; t++)
                entries_add(&e, at[t / 2], to[t % 2], t == 0 || t == 3 ? 1 : value, 0);
            continue;
        }
        if (structure == DENSE_ROWS && k < n) i = 0, j = k;
        if (structure == DISCONNECTED && (i < half) != (j < half)) continue;
        if (i == j || (structure == EMPTY_ROW && (i == half || j == half))) continue;
        entries_add(&e, i, j, value, symmetric);
    }
    return entries_matrix(&e, n);
}

/* Solved to 10 n eps or refused by name, whatever the structure; singular by structure is found. */
static void random_structures(void)
{
    random_state rng;
    int t, kind;
    rng.s = 977;
    for (t = 0; t < 160; t++) {
        int n = 4 + below(&rng, t < 80 ? 12 : 120), structure = t % STRUCTURES;
        dcs_matrix s = structured_matrix(&rng, n, 1, structure);
        dcs_matrix u = structured_matrix(&rng, n, 0, structure);
        for (kind = DCS_CHOLESKY; kind <= DCS_LU; kind++) {
            int solved = check_random(&rng, kind <= DCS_LDLT ? &s : &u, (dcs_kind)kind, 10);
            if (structure == EMPTY_ROW && kind != DCS_LU_STATIC) CHECK_EQ(solved, 0);
            if (structure == DENSE_ROWS) CHECK_EQ(solved, 1);
            if (structure == DISCONNECTED && kind == DCS_LU && n < 16) CHECK_EQ(solved, 1);
            if (structure == RANK_DEFICIENT && kind == DCS_CHOLESKY) CHECK_EQ(solved, 0);
        }
        dcs_matrix_destroy(NULL, &s);
        dcs_matrix_destroy(NULL, &u);
    }
}

/* Rows and columns scaled by 10^-100 .. 10^100. */
static void badly_scaled(void)
{
    static const double scales[5] = {1e-100, 1e100, 1, 1e-50, 1e50};
    random_state rng;
    int t, kind;
    rng.s = 31337;
    for (t = 0; t < 20; t++)
        for (kind = DCS_CHOLESKY; kind <= DCS_LU; kind++) {
            int n = 5 + below(&rng, 40), j, p, i;
            int symmetric = kind <= DCS_LDLT;
            dcs_matrix a = random_matrix(&rng, n, symmetric, 1);
            double *v = (double *)a.values, *x = (double *)malloc((size_t)n * sizeof(double));
            double *want = (double *)malloc((size_t)n * sizeof(double));
            dcs_error e;
            for (j = 0; j < n; j++)
                for (p = a.col_start[j]; p < a.col_start[j + 1]; p++) {
                    i = a.row_index[p];
                    if (i == j) v[p] += v[p] < 0 ? -8 : 8;
                    if (symmetric) /* D A D with D up to 1e+-50 */
                        v[p] *= sqrt(scales[i % 5]) * sqrt(scales[j % 5]);
                    else
                        v[p] *= scales[i % 5] * scales[(j + t) % 5];
                }
            for (j = 0; j < n; j++)
                want[j] = 1 / (symmetric ? sqrt(scales[j % 5]) : scales[(j + t) % 5]);
            if (symmetric)
                dcs_matrix_multiply_symmetric(&a, 1, want, x);
            else
                dcs_matrix_multiply(&a, 1, want, x);
            CHECK_EQ(dcs_solve_once(&a, (dcs_kind)kind, x, x, &e), DCS_OK);
            for (j = 0; j < n; j++) x[j] /= want[j], want[j] = 1;
            CHECK_NEAR(max_difference(x, want, n), 0, 1e-10);
            free(x);
            free(want);
            dcs_matrix_destroy(NULL, &a);
        }
}

static void lu_refactor_and_transpose(void)
{
    random_state rng;
    int t;
    rng.s = 77;
    for (t = 0; t < 30; t++) {
        int n = 1 + below(&rng, 60), i, nrhs = 1 + t % 6;
        dcs_matrix a = random_matrix(&rng, n, 0, 1);
        double *x = (double *)malloc((size_t)(n * nrhs) * sizeof(double)), growth = -1;
        double *want = (double *)malloc((size_t)(n * nrhs) * sizeof(double));
        double *v = (double *)a.values;
        dcs_lu *lu = NULL;
        dcs_error e;
        if (!CHECK_EQ(dcs_lu_create(NULL, &a, &lu, &e), DCS_OK)) puts(e.text);
        for (i = 0; i < a.col_start[n]; i++) v[i] *= 1 + 0.1 * uniform(&rng);
        CHECK_EQ(dcs_lu_refactor(lu, a.values, &growth, &e), DCS_OK);
        CHECK(growth >= 0 && growth < 100);
        CHECK(dcs_lu_get_nonzeros(lu) >= n);
        for (i = 0; i < n * nrhs; i++) want[i] = uniform(&rng);
        dcs_matrix_multiply(&a, nrhs, want, x);
        CHECK_EQ(dcs_lu_solve(lu, nrhs, x), DCS_OK);
        CHECK_NEAR(max_difference(x, want, n * nrhs), 0, 1e-9);
        dcs_matrix_multiply_transpose(&a, nrhs, want, x);
        CHECK_EQ(dcs_lu_solve_transpose(lu, nrhs, x), DCS_OK);
        CHECK_NEAR(max_difference(x, want, n * nrhs), 0, 1e-9);
        dcs_lu_destroy(lu);
        dcs_matrix_destroy(NULL, &a);
        free(x);
        free(want);
    }
}

static void blocks_agree_with_scalars(void)
{
    grid g = make_grid(8, 3, 0, 3);
    dcs_matrix a;
    int kind, i, size = g.n * 3;
    double *b = (double *)malloc((size_t)size * sizeof(double)), *first, *x;
    random_state rng;
    rng.s = 8;
    first = (double *)malloc((size_t)size * sizeof(double));
    x = (double *)malloc((size_t)size * sizeof(double));
    for (i = 0; i < size; i++) b[i] = uniform(&rng);
    a.rows = a.cols = g.n, a.block = 3;
    a.col_start = g.col_start, a.row_index = g.row_index, a.values = g.lower;
    CHECK_EQ(dcs_solve_once(&a, DCS_CHOLESKY, b, first, NULL), DCS_OK);
    CHECK_EQ(dcs_solve_once(&a, DCS_LDLT, b, x, NULL), DCS_OK);
    CHECK_NEAR(max_difference(x, first, size), 0, 1e-15);
    for (kind = DCS_LU_STATIC; kind <= DCS_LU; kind++) { /* block lower triangular as it stands */
        double *y = (double *)malloc((size_t)size * sizeof(double));
        CHECK_EQ(dcs_solve_once(&a, (dcs_kind)kind, b, x, NULL), DCS_OK);
        dcs_matrix_multiply(&a, 1, x, y);
        CHECK_NEAR(max_difference(y, b, size), 0, 1e-14);
        free(y);
    }
    free(b);
    free(first);
    free(x);
    grid_destroy(&g);
}

static void condition_estimates(void)
{
    static const double hilbert_like[9] = {1,      1. / 2, 1. / 3, 1. / 2, 1. / 3,
                                           1. / 4, 1. / 3, 1. / 4, 1. / 5};
    dcs_matrix a = from_dense(3, hilbert_like, 0);
    dcs_solver *s;
    int kind;
    for (kind = DCS_CHOLESKY; kind <= DCS_LU; kind++) {
        CHECK_EQ(dcs_solver_create(NULL, &a, (dcs_kind)kind, &s, NULL), DCS_OK);
        CHECK_REL(dcs_solver_get_condition(s), 748.0, 1e-10); /* |H| = 11/6, |H^-1| = 408 */
        dcs_solver_destroy(s);
    }
    dcs_matrix_destroy(NULL, &a);
    CHECK_NEAR(dcs_solver_get_condition(NULL), 0, 0);
}

static void indefinite_ldlt(void)
{
    /* quasi-definite [[H, A^T], [A, -D]]: any order works */
    random_state rng;
    int n = 40, m = 15, row[400], col[400], count = 0, k, sign;
    double v[400], x[55], want[55];
    dcs_matrix a;
    dcs_solver *s;
    dcs_analysis *an;
    dcs_factor *f;
    rng.s = 5;
    for (k = 0; k < n + m; k++)
        row[count] = col[count] = k, v[count++] = k < n ? 2 + uniform(&rng) : -1;
    for (k = 0; k < 150; k++) {
        row[count] = n + below(&rng, m), col[count] = below(&rng, n);
        v[count++] = uniform(&rng);
    }
    CHECK_EQ(dcs_matrix_from_triplets(NULL, n + m, n + m, 1, count, row, col, v, &a, NULL), DCS_OK);
    for (k = 0; k < n + m; k++) want[k] = uniform(&rng);
    dcs_matrix_multiply_symmetric(&a, 1, want, x);
    CHECK_EQ(dcs_solver_create(NULL, &a, DCS_CHOLESKY, &s, NULL), DCS_ERROR_NOT_POSITIVE_DEFINITE);
    CHECK_EQ(dcs_solver_create(NULL, &a, DCS_LDLT, &s, NULL), DCS_OK);
    CHECK_EQ(dcs_solver_solve(s, 1, x), DCS_OK);
    CHECK_NEAR(max_difference(x, want, n + m), 0, 1e-13);
    dcs_solver_destroy(s);
    CHECK_EQ(dcs_analysis_create(NULL, n + m, 1, a.col_start, a.row_index, &an, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, DCS_LDLT, &f, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_compute(f, a.values, NULL, NULL), DCS_OK);
    dcs_factor_get_log_determinant(f, &sign);
    CHECK_EQ(sign, m % 2 ? -1 : 1);
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
    dcs_matrix_destroy(NULL, &a);
}

static void static_lu_replaces_pivots(void)
{
    /* structurally fine, numerically singular: a path graph with zero rows sums */
    int cs[4] = {0, 2, 4, 5}, ri[5] = {0, 1, 1, 2, 2}, i;
    double lower[5] = {1, -1, 2, -1, 1}, upper[5] = {1, -1, 2, -1, 1}, x[3] = {1, 0, 0};
    double zero[5] = {0, 0, 0, 0, 0};
    dcs_analysis *an;
    dcs_factor *f;
    CHECK_EQ(dcs_analysis_create(NULL, 3, 1, cs, ri, &an, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, DCS_LU_STATIC, &f, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_compute(f, lower, upper, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_perturbed(f), 1);
    CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
    for (i = 0; i < 3; i++) CHECK(fabs(x[i]) < 1e10);
    CHECK_EQ(dcs_factor_compute(f, zero, zero, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_perturbed(f), 3);
    x[0] = x[1] = x[2] = 1;
    CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
}

static void indefinite_hessian_reports_original_column(void)
{
    grid g = make_grid(20, 3, 0, 12);
    dcs_analysis *an;
    dcs_factor *f;
    dcs_error e;
    int bad = g.col_start[137];
    double keep = g.lower[bad * 9 + 4], x[1200];
    int i;
    CHECK_EQ(g.row_index[bad], 137);
    CHECK_EQ(dcs_analysis_create(NULL, g.n, 3, g.col_start, g.row_index, &an, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, DCS_CHOLESKY, &f, NULL), DCS_OK);
    g.lower[bad * 9 + 4] = -5;
    CHECK_EQ(dcs_factor_compute(f, g.lower, NULL, &e), DCS_ERROR_NOT_POSITIVE_DEFINITE);
    CHECK_EQ(e.column, 137 * 3 + 1);
    CHECK(e.value <= -5);
    g.lower[bad * 9 + 4] = keep;
    CHECK_EQ(dcs_factor_compute(f, g.lower, NULL, &e), DCS_OK);
    CHECK_EQ(e.code, DCS_OK);
    for (i = 0; i < 1200; i++) x[i] = 1;
    CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
    grid_destroy(&g);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Everything once, with the given allocator; the results of all solves go to out (3 * 147). */
static dcs_result exercise(const dcs_allocator *allocator, double *out)
{
    grid g = make_grid(7, 3, 0.1, 2);
    dcs_desc d = dcs_default_desc();
    dcs_matrix a, t;
    dcs_analysis *an = NULL;
    dcs_factor *f = NULL;
    dcs_solver *s = NULL;
    dcs_result result;
    int i, kind, size = g.n * 3, tr[3] = {0, 1, 1}, tc[3] = {0, 0, 1};
    double tv[3] = {1, 2, 3};
    d.allocator = *allocator;
    a.rows = a.cols = g.n, a.block = 3;
    a.col_start = g.col_start, a.row_index = g.row_index, a.values = g.lower;
    memset(&t, 0, sizeof t);
    result = dcs_matrix_from_triplets(allocator, 2, 2, 1, 3, tr, tc, tv, &t, NULL);
    dcs_matrix_destroy(allocator, &t);
    d.ordering = DCS_ORDER_AUTO;
    if (result == DCS_OK) { /* large enough for AUTO to try dissection */
        grid large = make_grid(40, 1, 0, 2);
        result = dcs_analysis_create(&d, large.n, 1, large.col_start, large.row_index, &an, NULL);
        dcs_analysis_destroy(an);
        an = NULL;
        grid_destroy(&large);
    }
    if (result == DCS_OK)
        result = dcs_analysis_create(&d, g.n, 3, g.col_start, g.row_index, &an, NULL);
    if (result == DCS_OK) result = dcs_factor_create(an, DCS_LU_STATIC, &f, NULL);
    if (result == DCS_OK) {
        CHECK_EQ(dcs_factor_compute(f, g.lower, g.upper, NULL), DCS_OK);
        for (i = 0; i < size; i++) out[i] = i;
        CHECK_EQ(dcs_factor_solve(f, 1, out), DCS_OK);
    }
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
    for (kind = DCS_CHOLESKY; kind <= DCS_LU && result == DCS_OK; kind++) {
        result = dcs_solver_create(&d, &a, (dcs_kind)kind, &s, NULL);
        if (result != DCS_OK) {
            CHECK(s == NULL);
            break;
        }
        for (i = 0; i < 2 * size; i++) out[size + i] = i + kind;
        CHECK_EQ(dcs_solver_solve(s, 2, out + size), DCS_OK);
        out[0] += dcs_solver_get_condition(s);
        dcs_solver_destroy(s);
    }
    grid_destroy(&g);
    return result;
}

static void failing_allocator(void)
{
    double out[3 * 147];
    counting c;
    dcs_allocator allocator = counting_allocator(&c);
    long k, all;
    memset(&c, 0, sizeof c);
    CHECK_EQ(exercise(&allocator, out), DCS_OK);
    CHECK_EQ(c.live, 0);
    CHECK_EQ(c.live_bytes, 0);
    all = c.calls;
    CHECK(all > 50);
    for (k = 1; k <= all; k++) {
        memset(&c, 0, sizeof c);
        c.fail_at = k;
        c.fill = 0xFF;
        CHECK_EQ(exercise(&allocator, out), DCS_ERROR_OUT_OF_MEMORY);
        CHECK_EQ(c.live, 0);
        CHECK_EQ(c.live_bytes, 0);
    }
}

static void stale_memory_does_not_matter(void)
{
    double zeros[3 * 147], nans[3 * 147];
    counting c;
    dcs_allocator allocator = counting_allocator(&c);
    memset(&c, 0, sizeof c);
    CHECK_EQ(exercise(&allocator, zeros), DCS_OK);
    memset(&c, 0, sizeof c);
    c.fill = 0xFF;
    CHECK_EQ(exercise(&allocator, nans), DCS_OK);
    CHECK(memcmp(zeros, nans, sizeof zeros) == 0);
}

static void no_allocation_after_create(void)
{
    grid g = make_grid(12, 3, 0.1, 4);
    counting c;
    dcs_desc d = dcs_default_desc();
    dcs_analysis *an;
    dcs_factor *f;
    long before;
    double *x = (double *)calloc((size_t)(g.n * 3 * 7), sizeof(double));
    int kind;
    memset(&c, 0, sizeof c);
    d.allocator = counting_allocator(&c);
    CHECK_EQ(dcs_analysis_create(&d, g.n, 3, g.col_start, g.row_index, &an, NULL), DCS_OK);
    for (kind = DCS_CHOLESKY; kind <= DCS_LU_STATIC; kind++) {
        long long bytes = c.live_bytes;
        CHECK_EQ(dcs_factor_create(an, (dcs_kind)kind, &f, NULL), DCS_OK);
        if (kind == DCS_CHOLESKY && !FOREIGN) {
            double ratio =
                (double)(c.live_bytes - bytes) / (double)dcs_analysis_get_info(an).factor_bytes;
            CHECK(ratio > 0.8 && ratio < 1.25);
        }
        before = c.calls;
        CHECK_EQ(dcs_factor_compute(f, g.lower, g.upper, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_solve(f, 7, x), DCS_OK);
        CHECK_EQ(dcs_factor_solve_transpose(f, 7, x), DCS_OK);
        CHECK_EQ(c.calls, before);
        dcs_factor_destroy(f);
    }
    dcs_analysis_destroy(an);
    CHECK_EQ(c.live, 0);
    free(x);
    grid_destroy(&g);
}

static void empty_and_null(void)
{
    int cs[1] = {0}, kind;
    dcs_matrix a;
    dcs_error e;
    dcs_analysis *an;
    dcs_factor *f;
    double x[1] = {5};
    memset(&a, 0, sizeof a);
    a.block = 1, a.col_start = cs;
    for (kind = DCS_CHOLESKY; kind <= DCS_LU; kind++)
        CHECK_EQ(dcs_solve_once(&a, (dcs_kind)kind, x, x, &e), DCS_OK);
    CHECK_EQ(dcs_analysis_create(NULL, 0, 3, cs, NULL, &an, &e), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, DCS_CHOLESKY, &f, &e), DCS_OK);
    CHECK_EQ(dcs_factor_compute(f, NULL, NULL, &e), DCS_OK);
    CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
    dcs_factor_destroy(f);
    CHECK_EQ(dcs_factor_create(an, DCS_LU, &f, &e), DCS_ERROR_BAD_ARGUMENT);
    CHECK_STR(e.text, "dcs_lu_create");
    dcs_analysis_destroy(an);
    CHECK_EQ(dcs_analysis_create(NULL, -1, 1, cs, NULL, &an, &e), DCS_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcs_analysis_create(NULL, 1, 9, cs, NULL, &an, &e), DCS_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcs_analysis_create(NULL, 1, 1, NULL, NULL, &an, &e), DCS_ERROR_BAD_ARGUMENT);
    CHECK_STR(e.text, "col_start");
    CHECK_EQ(dcs_analysis_create(NULL, 2000000000, 8, cs, NULL, &an, &e), DCS_ERROR_TOO_LARGE);
    dcs_analysis_destroy(NULL);
    dcs_factor_destroy(NULL);
    dcs_lu_destroy(NULL);
    dcs_solver_destroy(NULL);
    dcs_matrix_destroy(NULL, NULL);
    CHECK_EQ(dcs_factor_solve(NULL, 1, x), DCS_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcs_lu_solve(NULL, 1, x), DCS_ERROR_BAD_ARGUMENT);
    CHECK_EQ(dcs_solver_solve(NULL, 1, x), DCS_ERROR_BAD_ARGUMENT);
}

static void every_option_is_checked(void)
{
    int cs[2] = {0, 1}, ri[1] = {0}, k;
    dcs_analysis *an;
    dcs_error e;
    for (k = 0; k < 8; k++) {
        dcs_desc d = dcs_default_desc();
        if (k == 0) d.pivot_tolerance = 0;
        if (k == 1) d.tiny_pivot = not_a_number();
        if (k == 2) d.relax = -1;
        if (k == 3) d.max_width = 0;
        if (k == 4) d.refine_steps = 21;
        if (k == 5) d.ordering = (dcs_ordering)7;
        if (k == 6) d.ordering = DCS_ORDER_GIVEN;
        if (k == 7) d.allocator.alloc = counting_alloc;
        CHECK_EQ(dcs_analysis_create(&d, 1, 1, cs, ri, &an, &e), DCS_ERROR_BAD_ARGUMENT);
        CHECK_STR(e.text, "desc.");
    }
    for (k = 1; k >= -10; k--) CHECK(strlen(dcs_result_text((dcs_result)k)) > 1);
}

static void same_bits_every_run(void)
{
    double first[1083], again[1083];
    int t, i;
    for (t = 0; t < 3; t++) {
        grid g = make_grid(19, 3, 0, 6);
        double *x = t ? again : first;
        dcs_analysis *an;
        dcs_factor *f;
        CHECK_EQ(dcs_analysis_create(NULL, g.n, 3, g.col_start, g.row_index, &an, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_create(an, DCS_CHOLESKY, &f, NULL), DCS_OK);
        for (i = 0; i < 1083; i++) x[i] = i;
        CHECK_EQ(dcs_factor_compute(f, g.lower, NULL, NULL), DCS_OK);
        if (t == 2) CHECK_EQ(dcs_factor_compute(f, g.lower, NULL, NULL), DCS_OK);
        CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
        if (t) CHECK(memcmp(first, again, sizeof first) == 0);
        dcs_factor_destroy(f);
        dcs_analysis_destroy(an);
        grid_destroy(&g);
    }
}

/* Branches of the tree are factored by threads where the build has them; the bits must not tell. */
static void same_bits_any_thread_count(void)
{
    grid g = make_grid(40, 3, 0.1, 8);
    int n = g.n * 3, kind, threads, i, named = -1;
    double *x = (double *)malloc((size_t)n * sizeof(double));
    double *first = (double *)malloc((size_t)n * sizeof(double));
    dcs_analysis *an;
    CHECK_EQ(dcs_analysis_create(NULL, g.n, 3, g.col_start, g.row_index, &an, NULL), DCS_OK);
    for (kind = DCS_CHOLESKY; kind <= DCS_LU_STATIC; kind++)
        for (threads = 1; threads <= 5; threads++) {
            dcs_factor *f;
            dcs_error e;
#if defined(DCS_USE_OPENMP) && defined(_OPENMP)
            omp_set_num_threads(threads);
#endif
            CHECK_EQ(dcs_factor_create(an, (dcs_kind)kind, &f, NULL), DCS_OK);
            CHECK_EQ(dcs_factor_compute(f, g.lower, g.upper, NULL), DCS_OK);
            for (i = 0; i < n; i++) x[i] = 1 + i % 7;
            CHECK_EQ(dcs_factor_solve(f, 1, x), DCS_OK);
            if (threads == 1) memcpy(first, x, (size_t)n * sizeof(double));
            CHECK(memcmp(x, first, (size_t)n * sizeof(double)) == 0);
            if (kind == DCS_CHOLESKY) { /* of several bad pivots the same one is named */
                int late = g.col_start[g.n - 1] * 9;
                double keep = g.lower[0], other = g.lower[late];
                g.lower[0] = g.lower[late] = -1e3;
                CHECK_EQ(dcs_factor_compute(f, g.lower, NULL, &e), DCS_ERROR_NOT_POSITIVE_DEFINITE);
                if (threads == 1) named = e.row;
                CHECK(named == 0 || named == n - 3);
                CHECK_EQ(e.row, named);
                g.lower[0] = keep, g.lower[late] = other;
            }
            dcs_factor_destroy(f);
        }
    dcs_analysis_destroy(an);
    free(x);
    free(first);
    grid_destroy(&g);
}

static void dense_row_and_column(void)
{
    /* arrow matrices with the dense row first, last and in the middle, and unsymmetric ones */
    int n = 3000, at, j, count, t;
    int *row = (int *)malloc((size_t)(3 * n) * sizeof(int));
    int *col = (int *)malloc((size_t)(3 * n) * sizeof(int));
    double *v = (double *)malloc((size_t)(3 * n) * sizeof(double));
    double *x = (double *)malloc((size_t)n * sizeof(double));
    for (t = 0; t < 6; t++) {
        dcs_matrix a;
        dcs_kind kind = t < 3 ? DCS_CHOLESKY : DCS_LU;
        at = t % 3 == 0 ? 0 : t % 3 == 1 ? n - 1 : n / 2;
        for (j = 0, count = 0; j < n; j++) {
            row[count] = col[count] = j, v[count++] = j == at ? n : 2;
            if (j == at) continue;
            row[count] = at, col[count] = j, v[count++] = 1;
            if (t < 3) row[count] = j, col[count] = at, v[count++] = 1;
        }
        CHECK_EQ(dcs_matrix_from_triplets(NULL, n, n, 1, count, row, col, v, &a, NULL), DCS_OK);
        for (j = 0; j < n; j++) x[j] = j == at ? 2 * n - 1 : t < 3 ? 3 : 2;
        CHECK_EQ(dcs_solve_once(&a, kind, x, x, NULL), DCS_OK);
        for (j = 0; j < n; j++) CHECK_NEAR(x[j], 1, 1e-12);
        dcs_matrix_destroy(NULL, &a);
    }
    free(row);
    free(col);
    free(v);
    free(x);
}

/* The two examples of the header. */
static void documented_examples(void)
{
    dcs_matrix a;
    int i[] = {0, 1, 0, 1}, j[] = {0, 0, 1, 1}, k, step;
    double v[] = {2, 1, 1, 3}, b[] = {4, 7}, x[2], lower[45], y[9];
    int col_start[] = {0, 2, 4, 5}, row_index[] = {0, 1, 1, 2, 2};
    dcs_desc desc = dcs_default_desc();
    dcs_analysis *analysis;
    dcs_factor *factor;
    dcs_error error;
    CHECK_EQ(dcs_matrix_from_triplets(NULL, 2, 2, 1, 4, i, j, v, &a, NULL), DCS_OK);
    CHECK_EQ(dcs_solve_once(&a, DCS_CHOLESKY, b, x, NULL), DCS_OK);
    CHECK_NEAR(x[0], 1, 1e-15);
    CHECK_NEAR(x[1], 2, 1e-15);
    dcs_matrix_destroy(NULL, &a);
    for (k = 0; k < 45; k++) lower[k] = k % 9 % 4 != 0 ? 0 : k / 9 == 1 || k / 9 == 3 ? -1 : 4;
    CHECK_EQ(dcs_analysis_create(&desc, 3, 3, col_start, row_index, &analysis, &error), DCS_OK);
    CHECK_EQ(dcs_factor_create(analysis, DCS_CHOLESKY, &factor, &error), DCS_OK);
    for (step = 0; step < 2; step++) {
        for (k = 0; k < 9; k++) y[k] = k / 3 == 1 ? 2 : 3;
        CHECK_EQ(dcs_factor_compute(factor, lower, NULL, &error), DCS_OK);
        CHECK_EQ(dcs_factor_solve(factor, 1, y), DCS_OK);
        for (k = 0; k < 9; k++) CHECK_NEAR(y[k], 1, 1e-15);
    }
    dcs_factor_destroy(factor);
    dcs_analysis_destroy(analysis);
}

#ifdef HAVE_THREADS
typedef struct thread_task {
    const dcs_analysis *analysis;
    const grid *g;
    double x[1200], scale;
    dcs_error error;
} thread_task;

/* One good factorisation and one that fails, on an analysis shared with another thread. */
static void *thread_work(void *arg)
{
    thread_task *t = (thread_task *)arg;
    dcs_factor *f = NULL;
    int i, round, values = t->g->col_start[t->g->n] * 9;
    double *lower = (double *)malloc((size_t)values * sizeof(double));
    for (i = 0; i < values; i++) lower[i] = t->g->lower[i] * t->scale;
    dcs_factor_create(t->analysis, DCS_CHOLESKY, &f, NULL);
    for (round = 0; round < 5; round++) {
        for (i = 0; i < 1200; i++) t->x[i] = i;
        dcs_factor_compute(f, lower, NULL, NULL);
        dcs_factor_solve(f, 1, t->x);
    }
    lower[0] = -t->scale;
    dcs_factor_compute(f, lower, NULL, &t->error);
    dcs_factor_destroy(f);
    free(lower);
    return NULL;
}

static void threads_share_an_analysis(void)
{
    grid g = make_grid(20, 3, 0, 9);
    static thread_task task[4];
    pthread_t thread[2];
    dcs_analysis *an;
    int k;
    CHECK_EQ(dcs_analysis_create(NULL, g.n, 3, g.col_start, g.row_index, &an, NULL), DCS_OK);
    for (k = 0; k < 4; k++) task[k].analysis = an, task[k].g = &g, task[k].scale = k % 2 ? 3 : 1;
    for (k = 0; k < 2; k++) pthread_create(&thread[k], NULL, thread_work, &task[k]);
    for (k = 0; k < 2; k++) pthread_join(thread[k], NULL);
    for (k = 2; k < 4; k++) thread_work(&task[k]);
    for (k = 0; k < 2; k++) {
        CHECK(memcmp(task[k].x, task[k + 2].x, sizeof task[k].x) == 0);
        CHECK_EQ(task[k].error.code, DCS_ERROR_NOT_POSITIVE_DEFINITE);
        CHECK_EQ(task[k].error.column, 0);
        CHECK_STR(task[k].error.text, task[k + 2].error.text);
    }
    dcs_analysis_destroy(an);
    grid_destroy(&g);
}
#endif

/* A pivoted LU of matrices whose ordering must come from A^T A, and with every given order. */
static void lu_orderings(void)
{
    random_state rng;
    int t;
    rng.s = 2718;
    for (t = 0; t < 24; t++) {
        int n = 30 + below(&rng, 60), i, order[100];
        dcs_matrix a = random_matrix(&rng, n, t % 2, t % 3 == 0 ? 3 : 1);
        dcs_desc d = dcs_default_desc();
        dcs_lu *lu = NULL;
        double x[100], b[100], work[100];
        dcs_error e;
        dcs_result result;
        for (i = 0; i < n; i++) order[i] = n - 1 - i, x[i] = b[i] = uniform(&rng);
        d.ordering = (dcs_ordering)(t % 5);
        d.given_order = order;
        d.equilibrate = t % 4 != 0;
        d.pivot_tolerance = t % 3 == 1 ? 1 : 0.1;
        result = dcs_lu_create(&d, &a, &lu, &e);
        CHECK(result == DCS_OK || result == DCS_ERROR_SINGULAR);
        if (result == DCS_OK) {
            CHECK_EQ(dcs_lu_solve(lu, 1, x), DCS_OK);
            CHECK(dcs_backward_error(&a, 0, x, b, work) < 1e-12);
        }
        dcs_lu_destroy(lu);
        dcs_matrix_destroy(NULL, &a);
    }
}

/* New numbers through dcs_solver_refactor, every kind, then numbers that must be refused. */
static void solver_refactor(void)
{
    random_state rng;
    int kind;
    rng.s = 1618;
    for (kind = DCS_CHOLESKY; kind <= DCS_LU; kind++) {
        int n = 60, i;
        dcs_matrix a = random_matrix(&rng, n, 1, 1);
        double *v = (double *)a.values, x[60], want[60];
        dcs_desc d = dcs_default_desc();
        dcs_solver *s = NULL;
        dcs_error e;
        d.equilibrate = 0;
        for (i = 0; i < n; i++) want[i] = uniform(&rng);
        for (i = 0; i < n; i++) { /* dominant beyond doubt */
            int p;
            for (p = a.col_start[i]; p < a.col_start[i + 1]; p++)
                if (a.row_index[p] == i) v[p] += 12;
        }
        CHECK_EQ(dcs_solver_create(&d, &a, (dcs_kind)kind, &s, &e), DCS_OK);
        for (i = 0; i < a.col_start[n]; i++) v[i] *= 3;
        CHECK_EQ(dcs_solver_refactor(s, v, &e), DCS_OK);
        dcs_matrix_multiply(&a, 1, want, x);
        CHECK_EQ(dcs_solver_solve(s, 1, x), DCS_OK);
        CHECK_NEAR(max_difference(x, want, n), 0, 1e-13);
        CHECK(dcs_solver_get_condition(s) < 100);
        v[0] = infinity();
        CHECK_EQ(dcs_solver_refactor(s, v, &e), DCS_ERROR_NOT_FINITE);
        CHECK_EQ(e.column, 0);
        CHECK_EQ(dcs_solver_solve(s, 1, x), DCS_ERROR_NOT_FACTORED);
        CHECK_NEAR(dcs_solver_get_condition(s), 0, 0);
        CHECK_EQ(dcs_solver_refactor(NULL, v, &e), DCS_ERROR_BAD_ARGUMENT);
        CHECK_EQ(dcs_solver_refactor(s, NULL, &e), DCS_ERROR_BAD_ARGUMENT);
        dcs_solver_destroy(s);
        dcs_matrix_destroy(NULL, &a);
    }
}

/* A full matrix from both triangles of a grid, factored by the general LU with much fill. */
static void lu_of_a_grid(void)
{
    grid g = make_grid(40, 1, 0.3, 21);
    int n = g.n, count = 0, j, p, *row, *col;
    double *v, *x, *want;
    dcs_matrix a;
    dcs_lu *lu = NULL;
    random_state rng;
    rng.s = 3;
    row = (int *)malloc((size_t)(8 * n) * sizeof(int));
    col = (int *)malloc((size_t)(8 * n) * sizeof(int));
    v = (double *)malloc((size_t)(8 * n) * sizeof(double));
    x = (double *)malloc((size_t)(5 * n) * sizeof(double));
    want = (double *)malloc((size_t)(5 * n) * sizeof(double));
    for (j = 0; j < n; j++)
        for (p = g.col_start[j]; p < g.col_start[j + 1]; p++) {
            row[count] = g.row_index[p], col[count] = j, v[count++] = g.lower[p];
            if (g.row_index[p] == j) continue;
            row[count] = j, col[count] = g.row_index[p], v[count++] = g.upper[p];
        }
    CHECK_EQ(dcs_matrix_from_triplets(NULL, n, n, 1, count, row, col, v, &a, NULL), DCS_OK);
    CHECK_EQ(dcs_lu_create(NULL, &a, &lu, NULL), DCS_OK);
    CHECK(dcs_lu_get_nonzeros(lu) < 100 * n);
    for (j = 0; j < 5 * n; j++) want[j] = uniform(&rng);
    dcs_matrix_multiply(&a, 5, want, x);
    CHECK_EQ(dcs_lu_solve(lu, 5, x), DCS_OK);
    CHECK_NEAR(max_difference(x, want, 5 * n), 0, 1e-12);
    grid_multiply(&g, 0, 1, 5, want, x);
    CHECK_EQ(dcs_lu_solve_transpose(lu, 5, x), DCS_OK);
    CHECK_NEAR(max_difference(x, want, 5 * n), 0, 1e-12);
    dcs_lu_destroy(lu);
    dcs_matrix_destroy(NULL, &a);
    grid_destroy(&g);
    free(row);
    free(col);
    free(v);
    free(x);
    free(want);
}

/* L L^T of the factor against the matrix, through dcs_factor_get_lower. */
static void factor_entries(void)
{
    grid g = make_grid(6, 2, 0, 7);
    dcs_analysis *an;
    dcs_factor *f;
    const int *order;
    int n = g.n * 2, i, j, k, sign;
    double *x = (double *)calloc((size_t)n, sizeof(double));
    double *y = (double *)malloc((size_t)n * sizeof(double)), determinant = 0;
    CHECK_EQ(dcs_analysis_create(NULL, g.n, 2, g.col_start, g.row_index, &an, NULL), DCS_OK);
    CHECK_EQ(dcs_factor_create(an, DCS_CHOLESKY, &f, NULL), DCS_OK);
    CHECK_NEAR(dcs_factor_get_lower(f, 0, 0), 0, 0);
    CHECK_EQ(dcs_factor_compute(f, g.lower, NULL, NULL), DCS_OK);
    order = dcs_analysis_get_order(an);
    for (j = 0; j < n; j++) {
        int at = order[j / 2] * 2 + j % 2;
        memset(x, 0, (size_t)n * sizeof(double));
        x[at] = 1;
        grid_multiply(&g, 1, 0, 1, x, y);
        for (i = j; i < n; i++) {
            double sum = 0;
            for (k = 0; k <= j; k++)
                sum += dcs_factor_get_lower(f, i, k) * dcs_factor_get_lower(f, j, k);
            CHECK_NEAR(sum, y[order[i / 2] * 2 + i % 2], 1e-13);
        }
        determinant += 2 * log(dcs_factor_get_lower(f, j, j));
    }
    CHECK_NEAR(dcs_factor_get_log_determinant(f, &sign), determinant, 1e-11);
    CHECK_EQ(sign, 1);
    dcs_factor_destroy(f);
    dcs_analysis_destroy(an);
    grid_destroy(&g);
    free(x);
    free(y);
}

/* LU_STATIC where every pivot is off the diagonal: diagonal blocks are cyclic permutations. Rows
   exchanged inside one panel must not disturb what earlier panels hand to it. */
static void static_lu_exchanges_rows(void)
{
    int m, b, nrhs;
    for (m = 2; m <= 18; m += 4)
        for (b = 2; b <= 4; b++)
            for (nrhs = 1; nrhs <= 3; nrhs += 2) {
                grid g = make_grid(m, b, 0.2, (uint64_t)(m + b));
                int size = g.n * b, j, p, r, c, transposed;
                double *x = (double *)malloc((size_t)(size * nrhs) * sizeof(double));
                double *want = (double *)malloc((size_t)(size * nrhs) * sizeof(double));
                dcs_analysis *an;
                dcs_factor *f;
                random_state rng;
                rng.s = 1234;
                for (j = 0; j < g.n; j++)
                    for (p = g.col_start[j]; p < g.col_start[j + 1]; p++)
                        for (c = 0; c < b && g.row_index[p] == j; c++)
                            for (r = 0; r < b; r++)
                                g.lower[(p * b + c) * b + r] =
                                    (r == (c + 1) % b ? 9 : 0) + 0.1 * uniform(&rng);
                CHECK_EQ(dcs_analysis_create(NULL, g.n, b, g.col_start, g.row_index, &an, NULL),
                         DCS_OK);
                CHECK_EQ(dcs_factor_create(an, DCS_LU_STATIC, &f, NULL), DCS_OK);
                CHECK_EQ(dcs_factor_compute(f, g.lower, g.upper, NULL), DCS_OK);
                CHECK_EQ(dcs_factor_perturbed(f), 0);
                for (transposed = 0; transposed < 2; transposed++) {
                    for (j = 0; j < size * nrhs; j++) want[j] = uniform(&rng);
                    grid_multiply(&g, 0, transposed, nrhs, want, x);
                    if (transposed)
                        CHECK_EQ(dcs_factor_solve_transpose(f, nrhs, x), DCS_OK);
                    else
                        CHECK_EQ(dcs_factor_solve(f, nrhs, x), DCS_OK);
                    CHECK_NEAR(max_difference(x, want, size * nrhs), 0, 1e-12);
                }
                dcs_factor_destroy(f);
                dcs_analysis_destroy(an);
                grid_destroy(&g);
                free(x);
                free(want);
            }
}

void suite_sparse(void)
{
    TEST_RUN(static_lu_exchanges_rows);
    TEST_RUN(solver_refactor);
    TEST_RUN(lu_of_a_grid);
    TEST_RUN(factor_entries);
    TEST_RUN(documented_examples);
    TEST_RUN(lu_orderings);
#ifdef HAVE_THREADS
    TEST_RUN(threads_share_an_analysis);
#endif
    TEST_RUN(s01_indefinite);
    TEST_RUN(s03_not_finite);
    TEST_RUN(s05_triangles);
    TEST_RUN(s06_duplicates);
    TEST_RUN(s06_duplicate_pattern);
    TEST_RUN(s08_bad_indices);
    TEST_RUN(s10_missing_diagonal);
    TEST_RUN(s11_ldlt_factor);
    TEST_RUN(s13_solve_after_failure);
    TEST_RUN(s15_orientation);
    TEST_RUN(s16_fill_count);
    TEST_RUN(s18_long_chain_small_stack);
    TEST_RUN(grids_of_every_kind);
    TEST_RUN(grids_of_every_ordering);
    TEST_RUN(any_number_of_right_hand_sides);
    TEST_RUN(given_order);
    TEST_RUN(fill_is_exact);
    TEST_RUN(dissection_of_odd_graphs);
    TEST_RUN(fill_of_grids_is_low);
    TEST_RUN(random_families);
    TEST_RUN(random_structures);
    TEST_RUN(badly_scaled);
    TEST_RUN(lu_refactor_and_transpose);
    TEST_RUN(blocks_agree_with_scalars);
    TEST_RUN(condition_estimates);
    TEST_RUN(indefinite_ldlt);
    TEST_RUN(static_lu_replaces_pivots);
    TEST_RUN(indefinite_hessian_reports_original_column);
    TEST_RUN(failing_allocator);
    TEST_RUN(stale_memory_does_not_matter);
    TEST_RUN(no_allocation_after_create);
    TEST_RUN(empty_and_null);
    TEST_RUN(every_option_is_checked);
    TEST_RUN(same_bits_every_run);
    TEST_RUN(same_bits_any_thread_count);
    TEST_RUN(dense_row_and_column);
}
