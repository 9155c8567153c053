/* branches.c - the bits of factorisations, to be compared between builds and numbers of threads. */
#define DIFFCLOTH_SPARSE_IMPLEMENTATION
#include "diffcloth_sparse.h"

/* Solution of a grid of side m with 3 x 3 blocks, every bit of it. */
static int print_solution(int m, dcs_kind kind)
{
    int n = m * m, i, j, k = 0, *start = (int *)malloc((size_t)(n + 1) * sizeof(int));
    int *row = (int *)malloc((size_t)(4 * n) * sizeof(int)), failed;
    double *lower = (double *)calloc((size_t)(36 * n), sizeof(double)), *x;
    dcs_analysis *a = NULL;
    dcs_factor *f = NULL;
    for (j = 0; j < n; j++) {
        start[j] = k;
        row[k++] = j;
        if (j % m + 1 < m) row[k++] = j + 1;
        if (j + m < n) row[k++] = j + m;
        if (j % m + 1 < m && j + m < n) row[k++] = j + m + 1;
        for (i = start[j]; i < k; i++) {
            double e = row[i] == j ? 14 + 0.1 * (j % 5) : -1 - 0.01 * (i % 7);
            lower[9 * i] = lower[9 * i + 4] = lower[9 * i + 8] = e;
            lower[9 * i + 1] = lower[9 * i + 3] = 0.1;
        }
    }
    start[n] = k;
    x = (double *)malloc((size_t)(3 * n) * sizeof(double));
    for (i = 0; i < 3 * n; i++) x[i] = 1 + i % 11;
    failed = dcs_analysis_create(NULL, n, 3, start, row, &a, NULL) ||
             dcs_factor_create(a, kind, &f, NULL) || dcs_factor_compute(f, lower, lower, NULL) ||
             dcs_factor_solve(f, 1, x);
    for (i = 0; i < 3 * n && !failed; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        printf("%08lx%08lx\n", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
    dcs_factor_destroy(f);
    dcs_analysis_destroy(a);
    free(start);
    free(row);
    free(lower);
    free(x);
    return failed;
}

int main(void)
{
    return print_solution(60, DCS_CHOLESKY) || print_solution(50, DCS_LDLT) ||
           print_solution(40, DCS_LU_STATIC);
}
