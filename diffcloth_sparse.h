/* diffcloth_sparse.h - sparse direct solvers in one C99 file: ordering, Cholesky, LDLT, LU.

   Do this in exactly one source file:

       #define DIFFCLOTH_SPARSE_IMPLEMENTATION
       #include "diffcloth_sparse.h"

   and include it plainly everywhere else. Then the shortest complete use is

       dcs_matrix a;                                   // 2 x 2: [[2,1],[1,3]]
       int i[] = {0, 1, 0, 1}, j[] = {0, 0, 1, 1};
       double v[] = {2, 1, 1, 3}, b[] = {4, 7}, x[2];
       dcs_matrix_from_triplets(NULL, 2, 2, 1, 4, i, j, v, &a, NULL);
       dcs_solve_once(&a, DCS_CHOLESKY, b, x, NULL);   // x = {1, 2}
       dcs_matrix_destroy(NULL, &a);

   Licence: public domain or MIT, at your choice; see the end of the file.


   CONTENTS   (search for the anchors)

       >>does          what it does and what it does not do
       >>example       a worked example: one pattern, many factorisations
       >>conventions   storage, indices, layout of right-hand sides
       >>method        the method on a page, with references
       >>memory        memory, threads, determinism
       >>errors        what can go wrong and how it is told
       >>options       compile-time options
       >>api           declarations
       >>impl          implementation, bottom-up:
                       >>platform >>pool >>errors-impl >>matrix >>graph >>amd >>tree >>nd
                       >>supernodes >>analysis >>kernels >>update >>panel >>square >>factor
                       >>cholmod >>solve >>lu-symbolic >>lu-numeric >>lu-solve >>solver
       >>licence       licence


   >>does   WHAT IT DOES

   - Orders a sparse matrix so that its factor stays sparse: approximate minimum degree, nested
     dissection, or whichever of the two promises less arithmetic.
   - Factors symmetric positive definite matrices (Cholesky), symmetric quasi-definite ones (LDLT)
     and unsymmetric ones with a symmetric pattern (LU with pivoting inside supernodes), all three
     by dense kernels on supernodes, from one analysis that is made once.
   - Factors any square matrix by LU with threshold partial pivoting.
   - Solves with the matrix and with its transpose for any number of right-hand sides, refines the
     result, measures its backward error and estimates the condition number.

   It does not: use threads or call BLAS unless told to (see >>options), work out of core, handle
   complex or single precision numbers, solve least-squares problems, or pivot a symmetric
   indefinite matrix (use DCS_LU).


   >>example   A WORKED EXAMPLE

   A mesh gives a pattern; every time step gives new numbers. Analyse once, allocate once, then
   compute and solve as often as needed, without further allocation:

       // nodes 0-1-2 in a row, one 3x3 block per node and per link, lower triangle only
       int col_start[] = {0, 2, 4, 5}, row_index[] = {0, 1, 1, 2, 2};
       dcs_desc desc = dcs_default_desc();
       dcs_analysis *analysis;
       dcs_factor *factor;
       dcs_error error;
       if (dcs_analysis_create(&desc, 3, 3, col_start, row_index, &analysis, &error) != DCS_OK)
           puts(error.text);
       dcs_factor_create(analysis, DCS_CHOLESKY, &factor, &error);
       for (each step) {
           // lower[9*p + 3*c + r] is entry (r, c) of the block of pattern entry p
           if (dcs_factor_compute(factor, lower, NULL, &error) != DCS_OK) puts(error.text);
           else dcs_factor_solve(factor, 1, x);        // x: 9 numbers, b on entry, solution on exit
       }
       dcs_factor_destroy(factor);
       dcs_analysis_destroy(analysis);


   >>conventions   CONVENTIONS

   - Indices count from 0. A matrix is stored by compressed columns: column j owns the entries
     col_start[j] <= p < col_start[j+1], entry p lies in row row_index[p]. Rows of one column may
     come in any order. Every entry is a dense block x block matrix, column-major, so its element
     (r, c) is values[p*block*block + c*block + r]. block = 1 is an ordinary matrix.
   - "Scalar" row i of a block matrix: node i / block, component i % block.
   - Right-hand sides are interleaved: x[i*nrhs + k] is scalar row i of right-hand side k.
   - A pattern entry given twice counts as the sum of its two values.
   - Every argument that may be NULL says so.


   >>method   THE METHOD ON A PAGE

   Ordering. Approximate minimum degree on the quotient graph: elements, supervariables, mass
   elimination, aggressive absorption (Amestoy, Davis, Duff, SIAM J. Matrix Anal. 17, 1996). Nested
   dissection (George, SIAM J. Numer. Anal. 10, 1973) by vertex separators found on coarsened graphs
   and refined by moving vertices (Fiduccia, Mattheyses 1982; Karypis, Kumar 1998); the tree of
   pieces comes from a contracted graph, and its separators are refined in place; one run of
   minimum degree, told to leave separators for last, then orders everything.
   Tree. The elimination tree by path compression (Liu, SIAM J. Matrix Anal. 11, 1990), its
   postorder, and the number of entries of every column of the factor without forming it (Gilbert,
   Ng, Peyton, SIAM J. Matrix Anal. 15, 1994).
   Supernodes. Columns of the same structure form a panel; a child panel joins its parent when the
   explicit zeros this stores are few (Ashcraft, Grimes, ACM TOMS 15, 1989). Wide panels are cut.
   Numeric. Left-looking: a panel is assembled in a dense buffer, earlier panels subtract their
   products, then the panel is factored and packed. A packed panel stores four rows side by side so
   that one vector register holds four rows of a column; its 4 x 4 diagonal blocks are stored
   inverted, which turns triangular solves into products. LDLT multiplies one operand by D. LU
   keeps the transpose of U in a second set of panels of the same shape, so that the same kernels
   serve, and pivots by rows inside the diagonal block of a supernode. A pivot too small is
   replaced (Li, Demmel 1998) and counted; refine the solution then.
   General LU. Left-looking by columns, each a sparse triangular solve whose pattern is found by
   depth-first search (Gilbert, Peierls, SIAM J. Sci. Stat. Comput. 9, 1988), threshold pivoting
   that prefers the diagonal, rows and columns scaled by powers of two. Refactoring reuses the
   pattern and the pivots.
   Condition. Hager (1984) and Higham (ACM TOMS 14, 1988) for the 1-norm of the inverse. Davis,
   Direct Methods for Sparse Linear Systems, SIAM 2006, is the book on most of the above.


   >>memory   MEMORY, THREADS, DETERMINISM

   - All memory comes from the allocator in the descriptor (malloc and free by default); free is
     told the size. compute, refactor and solve never allocate.
   - With DCS_USE_OPENMP, dcs_factor_compute gives branches of the elimination tree that need no
     panel of another branch to the omp_get_max_threads() threads there were at create, each with
     scratch of its own. Branches follow from the matrix alone, so every number of threads, and a
     build without threads, gives the same bits.
   - There is no global state. A dcs_analysis is immutable: share it between threads. A factor, an
     LU or a solver is used by one thread at a time, because solving uses scratch inside it.
   - The same input gives the same bits on every run. Other compilers and options may round
     differently.
   - Memory handed out by the allocator may contain anything; results do not depend on it.


   >>errors   ERRORS

   Functions return DCS_OK (0) or a negative dcs_result. Where a `dcs_error *` is offered it may be
   NULL; else it receives the code, the place (scalar row and column in the caller's numbering, -1
   when it does not apply), the offending value and one sentence. A refused call leaves its object
   as it was, except that a failed compute or refactor leaves it "not factored": solving then
   returns DCS_ERROR_NOT_FACTORED and does not touch x. A later compute may succeed. Infinities and
   NaNs in the input are refused (by bit tests, so also under -ffast-math), and never returned.


   >>options   COMPILE-TIME OPTIONS   (define before including)

       DIFFCLOTH_SPARSE_IMPLEMENTATION   emit the implementation here
       DIFFCLOTH_SPARSE_STATIC           every function static; define it wherever included
       DCS_API                           linkage of public functions (default extern)
       DCS_ASSERT(x)                     default assert(x); only bugs in calling code end here
       DCS_NO_VECTOR                     plain C kernels even where vector extensions exist
       DCS_NO_DISPATCH                   on x86-64, do not look for AVX2 when running
       DCS_USE_OPENMP                    factor independent branches on threads (with -fopenmp)
       DCS_USE_BLAS                      large products by cblas_dgemm; needs <cblas.h>
       DCS_USE_SUITESPARSE               DCS_CHOLESKY and DCS_LDLT by CHOLMOD, DCS_LU by UMFPACK,
                                         in our order; needs their headers. DCS_LU_STATIC stays.
                                         They allocate with their own allocator, also when numbers
                                         change; dcs_lu_refactor then chooses pivots anew */

#ifndef DIFFCLOTH_SPARSE_H
#define DIFFCLOTH_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#ifndef DCS_API
#if defined(DIFFCLOTH_SPARSE_STATIC) && defined(__GNUC__)
#define DCS_API static __attribute__((unused))
#elif defined(DIFFCLOTH_SPARSE_STATIC)
#define DCS_API static
#else
#define DCS_API extern
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* >>api ---------------------------------------------------------------------------------------- */

/* Where memory comes from. All zero (or a NULL pointer to it) means malloc and free. `bytes` is
   never 0; `free` gets the size that `alloc` was asked for. The result must be aligned as
   malloc's. */
typedef struct dcs_allocator {
    void *(*alloc)(size_t bytes, void *user);
    void (*free)(void *ptr, size_t bytes, void *user);
    void *user;
} dcs_allocator;

typedef enum dcs_result {
    DCS_OK = 0,
    DCS_ERROR_NOT_POSITIVE_DEFINITE = -1, /* Cholesky met a pivot <= 0 */
    DCS_ERROR_SINGULAR = -2,              /* a column without a usable pivot */
    DCS_ERROR_BAD_PATTERN = -3,           /* an index out of range, columns out of order, ... */
    DCS_ERROR_NOT_FINITE = -4,            /* infinity or NaN in the input, or overflow */
    DCS_ERROR_TOO_LARGE = -5,             /* sizes beyond int or beyond the address space */
    DCS_ERROR_OUT_OF_MEMORY = -6,         /* the allocator returned NULL */
    DCS_ERROR_NOT_FACTORED = -7,          /* solve without a successful factorisation */
    DCS_ERROR_BAD_ARGUMENT = -8,          /* an argument outside of its documented range */
    DCS_ERROR_INACCURATE = -9             /* dcs_solver: refinement did not reach a backward error
                                             of 10 n eps; x holds the best found */
} dcs_result;

typedef struct dcs_error {
    dcs_result code;
    int row, column; /* scalar, in the caller's numbering; -1: does not apply */
    double value;    /* the pivot or entry that was refused; 0 when it does not apply */
    char text[160];  /* one sentence with all of the above */
} dcs_error;

typedef enum dcs_kind {
    DCS_CHOLESKY,  /* A = L L^T, A symmetric positive definite */
    DCS_LDLT,      /* A = L D L^T, no pivoting: quasi-definite, or indefinite and known to work */
    DCS_LU_STATIC, /* symmetric pattern, unsymmetric values, row pivoting inside supernodes */
    DCS_LU         /* any square matrix, threshold partial pivoting */
} dcs_kind;

typedef enum dcs_ordering {
    DCS_ORDER_AUTO,    /* minimum degree, and dissection too where it promises less fill */
    DCS_ORDER_AMD,     /* approximate minimum degree */
    DCS_ORDER_ND,      /* nested dissection */
    DCS_ORDER_NATURAL, /* as given, up to reorderings that change neither fill nor pivots */
    DCS_ORDER_GIVEN    /* given_order, same remark */
} dcs_ordering;

/* Options. Always start from dcs_default_desc(): zero is a meaningful value for some fields. */
typedef struct dcs_desc {
    dcs_allocator allocator;
    dcs_ordering ordering;  /* default AUTO: dissection is tried from 1500 nodes on */
    const int *given_order; /* GIVEN: n numbers, given_order[k] = node eliminated k-th */
    double pivot_tolerance; /* DCS_LU: the diagonal is the pivot if |diagonal| >= tolerance times
                               the largest candidate; default 0.1, range (0, 1] */
    double tiny_pivot;      /* DCS_LU_STATIC: pivots below tiny_pivot * max|A| become that; default
                               1.49e-8 (the square root of the rounding unit), range (0, 1) */
    double relax;           /* explicit zeros accepted when panels merge, relative to the built-in
                               allowance; default 1, range [0, 10]; 0 merges only without zeros */
    int max_width;          /* widest panel in scalar columns; default 96, range [8, 1024] */
    int equilibrate;        /* LU kinds: scale rows and columns by powers of two; default 1. Use 0
                               where all entries have one unit and some rows may be rounding only */
    int refine_steps;       /* dcs_solver: at most so many refinement steps; default 3, range
                               [0, 20] */
} dcs_desc;

DCS_API dcs_desc dcs_default_desc(void);

/* A short English name of a result: "not positive definite". Never NULL. */
DCS_API const char *dcs_result_text(dcs_result result);

/* ---- matrices -------------------------------------------------------------------------------- */

/* A matrix in compressed columns, see >>conventions. The arrays belong to whoever made them. */
typedef struct dcs_matrix {
    int rows, cols, block;            /* rows and cols in blocks */
    const int *col_start, *row_index; /* cols + 1; col_start[cols] */
    const double *values;             /* col_start[cols] * block * block */
} dcs_matrix;

/* Sum `count` entries (row[k], col[k], value[k*block*block ...]) into a matrix with sorted rows
   and no duplicates. allocator: may be NULL. row, col, value: may be NULL when count is 0. */
DCS_API dcs_result dcs_matrix_from_triplets(const dcs_allocator *allocator, int rows, int cols,
                                            int block, int count, const int *row, const int *col,
                                            const double *value, dcs_matrix *out, dcs_error *err);

/* Free what dcs_matrix_from_triplets made and clear the struct. a: may be NULL. */
DCS_API void dcs_matrix_destroy(const dcs_allocator *allocator, dcs_matrix *a);

/* Check sizes, column starts, row indices and that every value is finite. values may be NULL when
   there are no entries. */
DCS_API dcs_result dcs_matrix_check(const dcs_matrix *a, dcs_error *err);

/* y = A x, y = A^T x; y = S x where S is symmetric and A holds its lower triangle (entries above
   the diagonal are not read). x: cols*block*nrhs, y: rows*block*nrhs (the reverse for the
   transpose), interleaved; x and y must not overlap. */
DCS_API void dcs_matrix_multiply(const dcs_matrix *a, int nrhs, const double *x, double *y);
DCS_API void dcs_matrix_multiply_transpose(const dcs_matrix *a, int nrhs, const double *x,
                                           double *y);
DCS_API void dcs_matrix_multiply_symmetric(const dcs_matrix *a, int nrhs, const double *x,
                                           double *y);

/* ---- one call -------------------------------------------------------------------------------- */

/* Solve A x = b for one right-hand side: analysis, factorisation, solution, refinement. Symmetric
   kinds read the lower triangle, or the upper one if nothing lies below the diagonal; a full
   symmetric matrix is fine. x and b may be the same array of rows*block numbers. */
DCS_API dcs_result dcs_solve_once(const dcs_matrix *a, dcs_kind kind, const double *b, double *x,
                                  dcs_error *err);

/* ---- solver: a matrix of any kind, with refinement and error estimates ----------------------- */

typedef struct dcs_solver dcs_solver;

/* Analyse and factor. desc, err: may be NULL. The numbers of `a` are copied. When the matrix
   cannot be factored (not positive definite, singular), *out is NULL. */
DCS_API dcs_result dcs_solver_create(const dcs_desc *desc, const dcs_matrix *a, dcs_kind kind,
                                     dcs_solver **out, dcs_error *err);
DCS_API void dcs_solver_destroy(dcs_solver *s); /* s: may be NULL */

/* New numbers in the same pattern, in the same entry order. values as in dcs_matrix. */
DCS_API dcs_result dcs_solver_refactor(dcs_solver *s, const double *values, dcs_error *err);

/* x = A^-1 x, or A^-T x; nrhs interleaved right-hand sides, refined until the backward error stops
   to improve or desc.refine_steps is reached. */
DCS_API dcs_result dcs_solver_solve(dcs_solver *s, int nrhs, double *x);
DCS_API dcs_result dcs_solver_solve_transpose(dcs_solver *s, int nrhs, double *x);

/* Normwise backward error of the last solve, worst right-hand side: the smallest relative change
   of A and b for which x is exact, |b - A x| / (|A| |x| + |b|) in the maximum norm. */
DCS_API double dcs_solver_get_backward_error(const dcs_solver *s);

/* Estimate of the 1-norm condition number |A| |A^-1|; usually within a factor of 3, never above
   the true value but for rounding. 0 when not factored. */
DCS_API double dcs_solver_get_condition(dcs_solver *s);

/* |b - A x| / (|A| |x| + |b|) in the maximum norm for one right-hand side; symmetric != 0: A holds
   the lower triangle of a symmetric matrix. work: rows*block numbers of scratch. */
DCS_API double dcs_backward_error(const dcs_matrix *a, int symmetric, const double *x,
                                  const double *b, double *work);

/* ---- analysis of a symmetric pattern --------------------------------------------------------- */

typedef struct dcs_analysis dcs_analysis;

typedef struct dcs_info {
    int64_t factor_nonzeros; /* scalars of L with its diagonal, without explicit zeros */
    int64_t stored_nonzeros; /* the same with the explicit zeros of merged panels */
    double flops;            /* multiplications and additions of a Cholesky factorisation */
    int supernodes;          /* panels */
    int64_t factor_bytes;    /* memory of a DCS_CHOLESKY factor, scratch of one thread included */
    dcs_ordering ordering;   /* the one used: AMD, ND, NATURAL or GIVEN */
} dcs_info;

/* n: nodes; block: scalars per node, 1..8. col_start (n+1), row_index: pattern of the lower
   triangle of a symmetric matrix, rows in any order, diagonal entries may be missing. desc, err:
   may be NULL. */
DCS_API dcs_result dcs_analysis_create(const dcs_desc *desc, int n, int block, const int *col_start,
                                       const int *row_index, dcs_analysis **out, dcs_error *err);
DCS_API void dcs_analysis_destroy(dcs_analysis *a); /* a: may be NULL */
DCS_API dcs_info dcs_analysis_get_info(const dcs_analysis *a);

/* order[k] = node eliminated k-th; n numbers, owned by the analysis. */
DCS_API const int *dcs_analysis_get_order(const dcs_analysis *a);

/* Exact number of scalars in the factor of a pattern under the ordering of desc, without forming
   it; cheap. desc, err: may be NULL. */
DCS_API dcs_result dcs_count_fill(const dcs_desc *desc, int n, int block, const int *col_start,
                                  const int *row_index, int64_t *nonzeros, dcs_error *err);

/* ---- numeric factor on an analysis ----------------------------------------------------------- */

typedef struct dcs_factor dcs_factor;

/* kind: CHOLESKY, LDLT or LU_STATIC. The analysis must outlive the factor. All memory that compute
   and solve will need is taken here. */
DCS_API dcs_result dcs_factor_create(const dcs_analysis *a, dcs_kind kind, dcs_factor **out,
                                     dcs_error *err);
DCS_API void dcs_factor_destroy(dcs_factor *f); /* f: may be NULL */

/* lower[p*b*b ...]: block A(i,j) of pattern entry p = (i,j), i >= j, in the order given to
   dcs_analysis_create. upper[p*b*b ...]: block A(j,i) of the same entry; NULL for symmetric kinds;
   for LU_STATIC diagonal blocks come from `lower` alone. Symmetric kinds read only the lower
   triangle of diagonal blocks. */
DCS_API dcs_result dcs_factor_compute(dcs_factor *f, const double *lower, const double *upper,
                                      dcs_error *err);

/* x = A^-1 x, x = A^-T x; x: n*block*nrhs numbers, interleaved; fastest in threes. Returns
   NOT_FINITE and leaves x alone when x is not finite or the result would overflow (with more than
   3 right-hand sides, those before the overflow have been solved). LU_STATIC solves with the
   perturbed matrix when pivots were replaced: refine then. */
DCS_API dcs_result dcs_factor_solve(dcs_factor *f, int nrhs, double *x);
DCS_API dcs_result dcs_factor_solve_transpose(dcs_factor *f, int nrhs, double *x);

/* LU_STATIC: pivots replaced by the last compute. */
DCS_API int dcs_factor_perturbed(const dcs_factor *f);

/* Symmetric kinds: element (k, l), k >= l, of L in the order of elimination (scalar positions:
   node position * block + component), and D of LDLT (1 for Cholesky). Slow; for looking at. */
DCS_API double dcs_factor_get_lower(const dcs_factor *f, int k, int l);
DCS_API double dcs_factor_get_diagonal(const dcs_factor *f, int k);

/* Symmetric kinds: sign and logarithm of the determinant of A; sign 0 when not factored. */
DCS_API double dcs_factor_get_log_determinant(const dcs_factor *f, int *sign);

/* ---- general LU ------------------------------------------------------------------------------ */

typedef struct dcs_lu dcs_lu;

/* Order the columns, factor with threshold partial pivoting. a: square, block 1..8 (treated as a
   scalar matrix). desc, err: may be NULL. */
DCS_API dcs_result dcs_lu_create(const dcs_desc *desc, const dcs_matrix *a, dcs_lu **out,
                                 dcs_error *err);
DCS_API void dcs_lu_destroy(dcs_lu *lu); /* lu: may be NULL */

/* New numbers in the same pattern with the pivots kept. growth (may be NULL): largest multiplier
   |L| met; beyond 1e6 or so it is wiser to create anew. */
DCS_API dcs_result dcs_lu_refactor(dcs_lu *lu, const double *values, double *growth,
                                   dcs_error *err);
DCS_API dcs_result dcs_lu_solve(dcs_lu *lu, int nrhs, double *x);
DCS_API dcs_result dcs_lu_solve_transpose(dcs_lu *lu, int nrhs, double *x);
DCS_API int64_t dcs_lu_get_nonzeros(const dcs_lu *lu); /* entries of L and U, diagonal once */

#ifdef __cplusplus
}
#endif

#endif /* DIFFCLOTH_SPARSE_H */

/* Stop here if you only want the API. ========================================================== */

#if defined(DIFFCLOTH_SPARSE_IMPLEMENTATION) && !defined(DIFFCLOTH_SPARSE_IMPLEMENTED)
#define DIFFCLOTH_SPARSE_IMPLEMENTED

/* >>impl >>platform ----------------------------------------------------------------------------
   Everything that depends on the compiler. dcsi_v4 is four doubles; its operations take pointers
   because passing wide vectors by value depends on the instruction set. */

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(DCS_USE_SUITESPARSE)
#include <cholmod.h>
#include <umfpack.h>
#endif

#ifndef DCS_ASSERT
#include <assert.h>
#define DCS_ASSERT(x) assert(x)
#endif

#if defined(__GNUC__) && !defined(__TINYC__)
#define DCSI_INLINE inline __attribute__((always_inline))
#else
#define DCSI_INLINE inline
#endif

/* The numeric loops exist once as functions that are always inlined (DCSI_INLINE) and are compiled
   twice: plainly, and, for x86-64 compilations without AVX2, for processors that have AVX2, chosen
   when they run. `wide` is 1 where 16 registers of four doubles can be counted on. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__) && !defined(__TINYC__) &&       \
    !defined(DCS_NO_VECTOR) && !defined(DCS_NO_DISPATCH)
#define DCSI_DISPATCH 1
#else
#define DCSI_DISPATCH 0
#endif

#if defined(__clang__) || !defined(__GNUC__) || defined(__TINYC__)
#define DCSI_PLAIN
#define DCSI_AVX2 __attribute__((target("avx2,fma")))
#define DCSI_AVX512 __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq")))
#else /* gcc in ISO C mode does not use fused multiply-add unless told to */
#define DCSI_PLAIN __attribute__((optimize("fp-contract=fast")))
#define DCSI_AVX2 __attribute__((target("avx2,fma"), optimize("fp-contract=fast")))
#define DCSI_AVX512                                                                                \
    __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq"), optimize("fp-contract=fast")))
#endif

/* Registers of eight doubles, in the products of the factorisation. `wide` is 2 where they are used; every
   element is the same sum in the same order. */
#if defined(__x86_64__) && !defined(__TINYC__) && !defined(DCS_NO_VECTOR) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && (DCSI_DISPATCH || defined(__AVX512F__))
#define DCSI_V8 1
#endif
#endif
#if !defined(DCSI_V8)
#define DCSI_V8 0
#endif

#if DCSI_V8 && defined(__AVX512F__)
#define DCSI_WIDE 2
#elif defined(__AVX__) || defined(__aarch64__)
#define DCSI_WIDE 1
#else
#define DCSI_WIDE 0
#endif

#if defined(__GNUC__) && !defined(__TINYC__) && !defined(DCS_NO_VECTOR) &&                         \
    (defined(__AVX__) || DCSI_DISPATCH)
/* One register of four doubles. */
typedef double dcsi_v4 __attribute__((vector_size(32)));
typedef double dcsi_v4m __attribute__((vector_size(32), aligned(8), may_alias));

static DCSI_INLINE void dcsi_v4_zero(dcsi_v4 *v)
{
    dcsi_v4 zero = {0, 0, 0, 0};
    *v = zero;
}

static DCSI_INLINE void dcsi_v4_load(dcsi_v4 *v, const double *p)
{
    *v = *(const dcsi_v4m *)p;
}

static DCSI_INLINE void dcsi_v4_store(double *p, const dcsi_v4 *v)
{
    *(dcsi_v4m *)p = *v;
}

/* Keep gcc from loading v again in every instruction that uses it. Only for code that has AVX. */
static DCSI_INLINE void dcsi_v4_pin(dcsi_v4 *v)
{
#if defined(__AVX__) && !defined(__clang__) && defined(__OPTIMIZE__)
    dcsi_v4 pinned = *v;
    __asm__("" : "+x"(pinned));
    *v = pinned;
#else
    (void)v;
#endif
}

#if !defined(__clang__)
#pragma GCC diagnostic push /* gcc 12 builds v in halves and takes the first for a use */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
static DCSI_INLINE void dcsi_v4_splat(dcsi_v4 *v, double s)
{
    dcsi_v4 b = {s, s, s, s};
    *v = b;
}
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* acc += a * s. */
static DCSI_INLINE void dcsi_v4_fma(dcsi_v4 *acc, const dcsi_v4 *a, double s)
{
    dcsi_v4 b;
    dcsi_v4_splat(&b, s);
    *acc += *a * b;
}

/* acc += a * b by lanes. */
static DCSI_INLINE void dcsi_v4_fmav(dcsi_v4 *acc, const dcsi_v4 *a, const dcsi_v4 *b)
{
    *acc += *a * *b;
}

static DCSI_INLINE void dcsi_v4_sub(dcsi_v4 *acc, const dcsi_v4 *a)
{
    *acc -= *a;
}

static DCSI_INLINE void dcsi_v4_add(dcsi_v4 *acc, const dcsi_v4 *a)
{
    *acc += *a;
}

static DCSI_INLINE double dcsi_v4_sum(const dcsi_v4 *a)
{
    return ((*a)[0] + (*a)[1]) + ((*a)[2] + (*a)[3]);
}

/* Rows become columns: lane j of a, b, c, d becomes the j-th of them. */
static DCSI_INLINE void dcsi_v4_transpose(dcsi_v4 *a, dcsi_v4 *b, dcsi_v4 *c, dcsi_v4 *d)
{
#if defined(__clang__)
    dcsi_v4 p = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
    dcsi_v4 q = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    dcsi_v4 r = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
    dcsi_v4 s = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    *b = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    *c = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    *d = __builtin_shufflevector(q, s, 2, 3, 6, 7);
#else
    typedef int64_t mask __attribute__((vector_size(32)));
    mask even = {0, 4, 2, 6}, odd = {1, 5, 3, 7}, low = {0, 1, 4, 5}, high = {2, 3, 6, 7};
    dcsi_v4 p = __builtin_shuffle(*a, *b, even), q = __builtin_shuffle(*a, *b, odd);
    dcsi_v4 r = __builtin_shuffle(*c, *d, even), s = __builtin_shuffle(*c, *d, odd);
    *a = __builtin_shuffle(p, r, low);
    *b = __builtin_shuffle(q, s, low);
    *c = __builtin_shuffle(p, r, high);
    *d = __builtin_shuffle(q, s, high);
#endif
}
#elif defined(__GNUC__) && !defined(__TINYC__) && !defined(DCS_NO_VECTOR)
/* Two registers of two doubles (SSE2, NEON). */
typedef double dcsi_v2 __attribute__((vector_size(16)));
typedef double dcsi_v2m __attribute__((vector_size(16), aligned(8), may_alias));
typedef struct dcsi_v4 {
    dcsi_v2 lo, hi;
} dcsi_v4;

static DCSI_INLINE void dcsi_v4_zero(dcsi_v4 *v)
{
    dcsi_v2 zero = {0, 0};
    v->lo = v->hi = zero;
}

static DCSI_INLINE void dcsi_v4_load(dcsi_v4 *v, const double *p)
{
    v->lo = *(const dcsi_v2m *)p;
    v->hi = *(const dcsi_v2m *)(p + 2);
}

static DCSI_INLINE void dcsi_v4_store(double *p, const dcsi_v4 *v)
{
    *(dcsi_v2m *)p = v->lo;
    *(dcsi_v2m *)(p + 2) = v->hi;
}

static DCSI_INLINE void dcsi_v4_pin(dcsi_v4 *v)
{
    (void)v;
}

static DCSI_INLINE void dcsi_v4_splat(dcsi_v4 *v, double s)
{
    dcsi_v2 b = {s, s};
    v->lo = v->hi = b;
}

static DCSI_INLINE void dcsi_v4_fma(dcsi_v4 *acc, const dcsi_v4 *a, double s)
{
    dcsi_v2 b = {s, s};
    acc->lo += a->lo * b;
    acc->hi += a->hi * b;
}

static DCSI_INLINE void dcsi_v4_fmav(dcsi_v4 *acc, const dcsi_v4 *a, const dcsi_v4 *b)
{
    acc->lo += a->lo * b->lo;
    acc->hi += a->hi * b->hi;
}

static DCSI_INLINE void dcsi_v4_sub(dcsi_v4 *acc, const dcsi_v4 *a)
{
    acc->lo -= a->lo;
    acc->hi -= a->hi;
}

static DCSI_INLINE void dcsi_v4_add(dcsi_v4 *acc, const dcsi_v4 *a)
{
    acc->lo += a->lo;
    acc->hi += a->hi;
}

static DCSI_INLINE double dcsi_v4_sum(const dcsi_v4 *a)
{
    return (a->lo[0] + a->lo[1]) + (a->hi[0] + a->hi[1]);
}

static DCSI_INLINE void dcsi_v4_transpose(dcsi_v4 *a, dcsi_v4 *b, dcsi_v4 *c, dcsi_v4 *d)
{
    dcsi_v4 p = *a, q = *b, r = *c, s = *d;
    dcsi_v2 a0 = {p.lo[0], q.lo[0]}, a1 = {r.lo[0], s.lo[0]};
    dcsi_v2 b0 = {p.lo[1], q.lo[1]}, b1 = {r.lo[1], s.lo[1]};
    dcsi_v2 c0 = {p.hi[0], q.hi[0]}, c1 = {r.hi[0], s.hi[0]};
    dcsi_v2 d0 = {p.hi[1], q.hi[1]}, d1 = {r.hi[1], s.hi[1]};
    a->lo = a0, a->hi = a1, b->lo = b0, b->hi = b1;
    c->lo = c0, c->hi = c1, d->lo = d0, d->hi = d1;
}
#else
typedef struct dcsi_v4 {
    double v[4];
} dcsi_v4;

static DCSI_INLINE void dcsi_v4_zero(dcsi_v4 *v)
{
    v->v[0] = v->v[1] = v->v[2] = v->v[3] = 0;
}

static DCSI_INLINE void dcsi_v4_load(dcsi_v4 *v, const double *p)
{
    v->v[0] = p[0], v->v[1] = p[1], v->v[2] = p[2], v->v[3] = p[3];
}

static DCSI_INLINE void dcsi_v4_store(double *p, const dcsi_v4 *v)
{
    p[0] = v->v[0], p[1] = v->v[1], p[2] = v->v[2], p[3] = v->v[3];
}

static DCSI_INLINE void dcsi_v4_pin(dcsi_v4 *v)
{
    (void)v;
}

static DCSI_INLINE void dcsi_v4_splat(dcsi_v4 *v, double s)
{
    v->v[0] = v->v[1] = v->v[2] = v->v[3] = s;
}

static DCSI_INLINE void dcsi_v4_fma(dcsi_v4 *acc, const dcsi_v4 *a, double s)
{
    acc->v[0] += a->v[0] * s, acc->v[1] += a->v[1] * s;
    acc->v[2] += a->v[2] * s, acc->v[3] += a->v[3] * s;
}

static DCSI_INLINE void dcsi_v4_fmav(dcsi_v4 *acc, const dcsi_v4 *a, const dcsi_v4 *b)
{
    acc->v[0] += a->v[0] * b->v[0], acc->v[1] += a->v[1] * b->v[1];
    acc->v[2] += a->v[2] * b->v[2], acc->v[3] += a->v[3] * b->v[3];
}

static DCSI_INLINE void dcsi_v4_sub(dcsi_v4 *acc, const dcsi_v4 *a)
{
    acc->v[0] -= a->v[0], acc->v[1] -= a->v[1], acc->v[2] -= a->v[2], acc->v[3] -= a->v[3];
}

static DCSI_INLINE void dcsi_v4_add(dcsi_v4 *acc, const dcsi_v4 *a)
{
    acc->v[0] += a->v[0], acc->v[1] += a->v[1], acc->v[2] += a->v[2], acc->v[3] += a->v[3];
}

static DCSI_INLINE double dcsi_v4_sum(const dcsi_v4 *a)
{
    return (a->v[0] + a->v[1]) + (a->v[2] + a->v[3]);
}

static DCSI_INLINE void dcsi_v4_transpose(dcsi_v4 *a, dcsi_v4 *b, dcsi_v4 *c, dcsi_v4 *d)
{
    dcsi_v4 row[4], *out[4];
    int i, j;
    row[0] = *a, row[1] = *b, row[2] = *c, row[3] = *d;
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) out[i]->v[j] = row[j].v[i];
}
#endif

#if defined(__GNUC__) && !defined(__TINYC__)
#define DCSI_PREFETCH(p) __builtin_prefetch(p)
#else
#define DCSI_PREFETCH(p) ((void)(p))
#endif

/* Threads, where the compiler was told to use them. */
#if defined(DCS_USE_OPENMP) && defined(_OPENMP)
#include <omp.h>
#define DCSI_THREADS() omp_get_max_threads()
#define DCSI_THREAD() omp_get_thread_num()
#else
#define DCSI_THREADS() 1
#define DCSI_THREAD() 0
#endif

/* 0, 1, or 2 if there is AVX-512 as well. */
static int dcsi_has_avx2(void)
{
#if DCSI_DISPATCH
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq")
               ? 2
               : 1;
#else
    return 0;
#endif
}

/* Infinities and NaNs are found by their bits, because -ffast-math removes x != x and isfinite.
   The top bit of the result is set for them: their exponent is all ones, and adding one to it
   carries into the sign. Results of many numbers may be joined by | before looking. */
static DCSI_INLINE uint64_t dcsi_exponent_carry(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7fffffffffffffffu) + 0x0010000000000000u;
}

static DCSI_INLINE int dcsi_not_finite(double x)
{
    return (int)(dcsi_exponent_carry(x) >> 63);
}

static int dcsi_all_finite(const double *x, ptrdiff_t count)
{
    ptrdiff_t i;
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (i = 0; i + 4 <= count; i += 4) {
        a |= dcsi_exponent_carry(x[i]), b |= dcsi_exponent_carry(x[i + 1]);
        c |= dcsi_exponent_carry(x[i + 2]), d |= dcsi_exponent_carry(x[i + 3]);
    }
    for (; i < count; i++) a |= dcsi_exponent_carry(x[i]);
    return !((a | b | c | d) >> 63);
}

static int dcsi_min(int a, int b)
{
    return a < b ? a : b;
}

static int dcsi_max(int a, int b)
{
    return a > b ? a : b;
}

/* >>pool ---------------------------------------------------------------------------------------
   Memory of one object or of one function: a list of blocks freed together. A failing request sets
   `status` once; callers take all they need and look at the status afterwards. Blocks start on
   cache lines, so that vectors do not straddle two. */

typedef struct dcsi_block {
    struct dcsi_block *next;
    size_t bytes;
} dcsi_block;

typedef struct dcsi_pool {
    dcs_allocator allocator;
    dcsi_block *blocks;
    dcs_result status;
    int64_t bytes;
} dcsi_pool;

static void *dcsi_malloc(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void dcsi_free(void *ptr, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(ptr);
}

static void dcsi_pool_init(dcsi_pool *pool, const dcs_allocator *allocator)
{
    memset(pool, 0, sizeof *pool);
    if (allocator) pool->allocator = *allocator;
    if (!pool->allocator.alloc) {
        pool->allocator.alloc = dcsi_malloc;
        pool->allocator.free = dcsi_free;
    }
}

#define DCSI_LINE ((size_t)64)

static void *dcsi_pool_take(dcsi_pool *pool, ptrdiff_t count, size_t size)
{
    size_t limit = (size_t)PTRDIFF_MAX - 4 * DCSI_LINE, bytes;
    dcsi_block *block;
    uintptr_t start;
    if (pool->status != DCS_OK) return NULL;
    if (count < 1) count = 1;
    if ((size_t)count > limit / size) {
        pool->status = DCS_ERROR_TOO_LARGE;
        return NULL;
    }
    bytes = (size_t)count * size + sizeof(dcsi_block) + DCSI_LINE;
    block = (dcsi_block *)pool->allocator.alloc(bytes, pool->allocator.user);
    if (!block) {
        pool->status = DCS_ERROR_OUT_OF_MEMORY;
        return NULL;
    }
    block->next = pool->blocks;
    block->bytes = bytes;
    pool->blocks = block;
    pool->bytes += (int64_t)bytes;
    start = (uintptr_t)(block + 1);
    return (char *)(block + 1) + ((DCSI_LINE - start % DCSI_LINE) % DCSI_LINE);
}

static int *dcsi_take_ints(dcsi_pool *pool, ptrdiff_t count)
{
    return (int *)dcsi_pool_take(pool, count, sizeof(int));
}

static double *dcsi_take_doubles(dcsi_pool *pool, ptrdiff_t count)
{
    return (double *)dcsi_pool_take(pool, count, sizeof(double));
}

static void dcsi_pool_destroy(dcsi_pool *pool)
{
    while (pool->blocks) {
        dcsi_block *next = pool->blocks->next;
        pool->allocator.free(pool->blocks, pool->blocks->bytes, pool->allocator.user);
        pool->blocks = next;
    }
}

static void dcsi_fill_ints(int *x, ptrdiff_t count, int value)
{
    ptrdiff_t i;
    for (i = 0; i < count; i++) x[i] = value;
}

static void dcsi_zero(double *x, ptrdiff_t count)
{
    memset(x, 0, (size_t)count * sizeof(double));
}

/* >>errors-impl -------------------------------------------------------------------------------- */

DCS_API const char *dcs_result_text(dcs_result result)
{
    switch (result) {
    case DCS_OK:
        return "ok";
    case DCS_ERROR_NOT_POSITIVE_DEFINITE:
        return "not positive definite";
    case DCS_ERROR_SINGULAR:
        return "singular";
    case DCS_ERROR_BAD_PATTERN:
        return "bad pattern";
    case DCS_ERROR_NOT_FINITE:
        return "not finite";
    case DCS_ERROR_TOO_LARGE:
        return "too large";
    case DCS_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    case DCS_ERROR_NOT_FACTORED:
        return "not factored";
    case DCS_ERROR_BAD_ARGUMENT:
        return "bad argument";
    case DCS_ERROR_INACCURATE:
        return "inaccurate";
    }
    return "unknown result";
}

/* Fill err (may be NULL) and return the code. The text is "<name>: <formatted detail>". */
static dcs_result dcsi_fail(dcs_error *err, dcs_result code, int row, int column, double value,
                            const char *format, ...)
{
    size_t used;
    va_list args;
    if (!err) return code;
    err->code = code;
    err->row = row;
    err->column = column;
    err->value = value;
    snprintf(err->text, sizeof err->text, "%s: ", dcs_result_text(code));
    used = strlen(err->text);
    va_start(args, format);
    vsnprintf(err->text + used, sizeof err->text - used, format, args);
    va_end(args);
    return code;
}

static void dcsi_clear_error(dcs_error *err)
{
    if (!err) return;
    memset(err, 0, sizeof *err);
    err->row = err->column = -1;
}

/* The error of a pool, told with the name of what was being made. */
static dcs_result dcsi_pool_fail(const dcsi_pool *pool, dcs_error *err, const char *what)
{
    return dcsi_fail(err, pool->status, -1, -1, 0, "%s, after %.0f bytes", what,
                     (double)pool->bytes);
}

static dcs_result dcsi_bad_argument(dcs_error *err, const char *what)
{
    return dcsi_fail(err, DCS_ERROR_BAD_ARGUMENT, -1, -1, 0, "%s", what);
}

DCS_API dcs_desc dcs_default_desc(void)
{
    dcs_desc d;
    memset(&d, 0, sizeof d);
    d.ordering = DCS_ORDER_AUTO;
    d.pivot_tolerance = 0.1;
    d.tiny_pivot = 1.4901161193847656e-8;
    d.relax = 1;
    d.max_width = 96;
    d.equilibrate = 1;
    d.refine_steps = 3;
    return d;
}

/* Copy *desc or the defaults to *out and check ranges. */
static dcs_result dcsi_check_desc(const dcs_desc *desc, dcs_desc *out, dcs_error *err)
{
    *out = desc ? *desc : dcs_default_desc();
    if (!out->allocator.alloc != !out->allocator.free)
        return dcsi_bad_argument(err, "desc.allocator needs both alloc and free, or neither");
    if ((int)out->ordering < DCS_ORDER_AUTO || (int)out->ordering > DCS_ORDER_GIVEN)
        return dcsi_bad_argument(err, "desc.ordering is not a dcs_ordering");
    if (out->ordering == DCS_ORDER_GIVEN && !out->given_order)
        return dcsi_bad_argument(err, "desc.given_order is NULL");
    if (dcsi_not_finite(out->pivot_tolerance) || out->pivot_tolerance <= 0 ||
        out->pivot_tolerance > 1)
        return dcsi_bad_argument(err, "desc.pivot_tolerance must lie in (0, 1]");
    if (dcsi_not_finite(out->tiny_pivot) || !(out->tiny_pivot > 0 && out->tiny_pivot < 1))
        return dcsi_bad_argument(err, "desc.tiny_pivot must lie in (0, 1)");
    if (dcsi_not_finite(out->relax) || !(out->relax >= 0 && out->relax <= 10))
        return dcsi_bad_argument(err, "desc.relax must lie in [0, 10]");
    if (out->max_width < 8 || out->max_width > 1024)
        return dcsi_bad_argument(err, "desc.max_width must lie in [8, 1024]");
    if (out->refine_steps < 0 || out->refine_steps > 20)
        return dcsi_bad_argument(err, "desc.refine_steps must lie in [0, 20]");
    return DCS_OK;
}

/* >>matrix -------------------------------------------------------------------------------------
   Assembly from triplets, checks and products. */

/* Column starts and row indices of a rows x cols pattern; names the first bad position. */
static dcs_result dcsi_check_pattern(int rows, int cols, const int *col_start, const int *row_index,
                                     dcs_error *err)
{
    int j, p;
    if (!col_start) return dcsi_bad_argument(err, "col_start is NULL");
    if (col_start[0] != 0)
        return dcsi_fail(err, DCS_ERROR_BAD_PATTERN, -1, 0, col_start[0],
                         "col_start[0] is %d, must be 0", col_start[0]);
    for (j = 0; j < cols; j++)
        if (col_start[j + 1] < col_start[j])
            return dcsi_fail(err, DCS_ERROR_BAD_PATTERN, -1, j, col_start[j + 1],
                             "col_start[%d] = %d is less than col_start[%d] = %d", j + 1,
                             col_start[j + 1], j, col_start[j]);
    if (col_start[cols] > 0 && !row_index) return dcsi_bad_argument(err, "row_index is NULL");
    for (j = 0; j < cols; j++)
        for (p = col_start[j]; p < col_start[j + 1]; p++)
            if (row_index[p] < 0 || row_index[p] >= rows)
                return dcsi_fail(err, DCS_ERROR_BAD_PATTERN, row_index[p], j, row_index[p],
                                 "entry %d of column %d is in row %d of %d", p, j, row_index[p],
                                 rows);
    return DCS_OK;
}

static dcs_result dcsi_check_sizes(int rows, int cols, int block, dcs_error *err)
{
    if (rows < 0 || cols < 0) return dcsi_bad_argument(err, "a matrix size is negative");
    if (block < 1 || block > 8) return dcsi_bad_argument(err, "block must lie in 1..8");
    if (rows > (INT32_MAX - 64) / block || cols > (INT32_MAX - 64) / block)
        return dcsi_fail(err, DCS_ERROR_TOO_LARGE, -1, -1, 0, "%d x %d blocks of size %d", rows,
                         cols, block);
    return DCS_OK;
}

DCS_API dcs_result dcs_matrix_check(const dcs_matrix *a, dcs_error *err)
{
    dcs_result result;
    int j, p, k, bb;
    dcsi_clear_error(err);
    if (!a) return dcsi_bad_argument(err, "the matrix is NULL");
    if ((result = dcsi_check_sizes(a->rows, a->cols, a->block, err)) != DCS_OK) return result;
    result = dcsi_check_pattern(a->rows, a->cols, a->col_start, a->row_index, err);
    if (result != DCS_OK) return result;
    if (a->col_start[a->cols] > 0 && !a->values) return dcsi_bad_argument(err, "values is NULL");
    bb = a->block * a->block;
    for (j = 0; j < a->cols; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++)
            for (k = 0; k < bb; k++) {
                double v = a->values[(ptrdiff_t)p * bb + k];
                int row = a->row_index[p] * a->block + k % a->block;
                int col = j * a->block + k / a->block;
                if (dcsi_not_finite(v))
                    return dcsi_fail(err, DCS_ERROR_NOT_FINITE, row, col, v, "entry (%d, %d) is %g",
                                     row, col, v);
            }
    return DCS_OK;
}

static dcs_result dcsi_check_triplets(int rows, int cols, int count, const int *row, const int *col,
                                      const double *value, dcs_error *err)
{
    int k;
    if (count < 0) return dcsi_bad_argument(err, "count is negative");
    if (count > 0 && (!row || !col || !value))
        return dcsi_bad_argument(err, "row, col or value is NULL");
    for (k = 0; k < count; k++)
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
            return dcsi_fail(err, DCS_ERROR_BAD_PATTERN, row[k], col[k], k,
                             "triplet %d is at (%d, %d) of a %d x %d matrix", k, row[k], col[k],
                             rows, cols);
    return DCS_OK;
}

/* Stable bucket sort of `count` items by key: out lists the items of in (NULL: 0, 1, ...) so that
   keys do not fall. start: buckets + 1 numbers of scratch, on exit the bucket starts. */
static void dcsi_bucket_sort(int count, int buckets, const int *key, const int *in, int *out,
                             int *start)
{
    int k;
    dcsi_fill_ints(start, buckets + 1, 0);
    for (k = 0; k < count; k++) start[key[k] + 1]++;
    for (k = 0; k < buckets; k++) start[k + 1] += start[k];
    for (k = 0; k < count; k++) {
        int item = in ? in[k] : k;
        out[start[key[item]]++] = item;
    }
    for (k = buckets; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

/* Walk the triplets sorted by column and row and sum equal positions. With out == NULL only count
   the distinct positions. */
static int dcsi_sum_triplets(int count, const int *sorted, const int *row, const int *col, int bb,
                             const double *value, int *col_start, int *row_index, double *out)
{
    int k, c, last = -1, last_row = -1, last_col = -1;
    for (k = 0; k < count; k++) {
        int t = sorted[k];
        int fresh = row[t] != last_row || col[t] != last_col;
        if (fresh) last++;
        last_row = row[t], last_col = col[t];
        if (!out) continue;
        if (fresh) {
            row_index[last] = row[t];
            col_start[col[t] + 1] = last + 1;
            for (c = 0; c < bb; c++) out[(ptrdiff_t)last * bb + c] = 0;
        }
        for (c = 0; c < bb; c++) out[(ptrdiff_t)last * bb + c] += value[(ptrdiff_t)t * bb + c];
    }
    return last + 1;
}

static size_t dcsi_matrix_bytes(int cols, int nnz, int block, int which)
{
    size_t count = which == 0 ? (size_t)cols + 1 : (size_t)nnz;
    if (count == 0) count = 1;
    return which == 2 ? count * (size_t)(block * block) * sizeof(double) : count * sizeof(int);
}

DCS_API void dcs_matrix_destroy(const dcs_allocator *allocator, dcs_matrix *a)
{
    dcsi_pool pool;
    int nnz;
    if (!a) return;
    dcsi_pool_init(&pool, allocator);
    if (a->col_start) {
        nnz = a->col_start[a->cols];
        if (a->values)
            pool.allocator.free((void *)a->values, dcsi_matrix_bytes(a->cols, nnz, a->block, 2),
                                pool.allocator.user);
        if (a->row_index)
            pool.allocator.free((void *)a->row_index, dcsi_matrix_bytes(a->cols, nnz, a->block, 1),
                                pool.allocator.user);
        pool.allocator.free((void *)a->col_start, dcsi_matrix_bytes(a->cols, nnz, a->block, 0),
                            pool.allocator.user);
    }
    memset(a, 0, sizeof *a);
}

/* The three arrays of a matrix with nnz entries; col_start ends in nnz so that destroy works. */
static dcs_result dcsi_matrix_alloc(const dcsi_pool *pool, dcs_matrix *a, int nnz)
{
    void *part[3];
    int i;
    for (i = 0; i < 3; i++) {
        part[i] = pool->allocator.alloc(dcsi_matrix_bytes(a->cols, nnz, a->block, i),
                                        pool->allocator.user);
        if (part[i]) continue;
        while (i-- > 0)
            pool->allocator.free(part[i], dcsi_matrix_bytes(a->cols, nnz, a->block, i),
                                 pool->allocator.user);
        return DCS_ERROR_OUT_OF_MEMORY;
    }
    a->col_start = (int *)part[0];
    a->row_index = (int *)part[1];
    a->values = (double *)part[2];
    dcsi_fill_ints((int *)part[0], (ptrdiff_t)a->cols + 1, 0);
    return DCS_OK;
}

DCS_API dcs_result dcs_matrix_from_triplets(const dcs_allocator *allocator, int rows, int cols,
                                            int block, int count, const int *row, const int *col,
                                            const double *value, dcs_matrix *out, dcs_error *err)
{
    dcs_result result;
    dcsi_pool pool;
    int *by_row, *sorted, *start, nnz, j;
    dcsi_clear_error(err);
    if (!out) return dcsi_bad_argument(err, "out is NULL");
    memset(out, 0, sizeof *out);
    if ((result = dcsi_check_sizes(rows, cols, block, err)) != DCS_OK) return result;
    result = dcsi_check_triplets(rows, cols, count, row, col, value, err);
    if (result != DCS_OK) return result;
    dcsi_pool_init(&pool, allocator);
    by_row = dcsi_take_ints(&pool, count);
    sorted = dcsi_take_ints(&pool, count);
    start = dcsi_take_ints(&pool, (ptrdiff_t)dcsi_max(rows, cols) + 1);
    if (pool.status == DCS_OK) {
        dcsi_bucket_sort(count, rows, row, NULL, by_row, start);
        dcsi_bucket_sort(count, cols, col, by_row, sorted, start);
        nnz = dcsi_sum_triplets(count, sorted, row, col, block * block, value, NULL, NULL, NULL);
        out->rows = rows, out->cols = cols, out->block = block;
        pool.status = dcsi_matrix_alloc(&pool, out, nnz);
    }
    if (pool.status == DCS_OK) {
        int *starts = (int *)out->col_start;
        dcsi_sum_triplets(count, sorted, row, col, block * block, value, starts,
                          (int *)out->row_index, (double *)out->values);
        for (j = 0; j < cols; j++) starts[j + 1] = dcsi_max(starts[j + 1], starts[j]);
    } else {
        memset(out, 0, sizeof *out);
        result = dcsi_pool_fail(&pool, err, "assembling triplets");
    }
    dcsi_pool_destroy(&pool);
    return result;
}

/* y(row block) += V x(column block); transposed reads V by rows. */
static void dcsi_block_multiply(int b, int transposed, const double *v, int nrhs, const double *x,
                                double *y)
{
    int r, c, k;
    for (c = 0; c < b; c++)
        for (r = 0; r < b; r++) {
            double e = transposed ? v[r * b + c] : v[c * b + r];
            for (k = 0; k < nrhs; k++) y[r * nrhs + k] += e * x[c * nrhs + k];
        }
}

/* mode: 0 A x, 1 A^T x, 2 symmetric from the lower triangle. */
static void dcsi_matrix_apply(const dcs_matrix *a, int mode, int nrhs, const double *x, double *y)
{
    int b = a->block, j, p;
    ptrdiff_t step = (ptrdiff_t)b * nrhs;
    dcsi_zero(y, (mode == 1 ? a->cols : a->rows) * step);
    for (j = 0; j < a->cols; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++) {
            int i = a->row_index[p];
            const double *v = a->values + (ptrdiff_t)p * b * b;
            if (mode == 0) dcsi_block_multiply(b, 0, v, nrhs, x + j * step, y + i * step);
            if (mode == 1) dcsi_block_multiply(b, 1, v, nrhs, x + i * step, y + j * step);
            if (mode != 2 || i < j) continue;
            if (i > j) {
                dcsi_block_multiply(b, 0, v, nrhs, x + j * step, y + i * step);
                dcsi_block_multiply(b, 1, v, nrhs, x + i * step, y + j * step);
            } else {
                int r, c, k;
                for (c = 0; c < b; c++)
                    for (r = 0; r < b; r++) {
                        double e = v[dcsi_min(r, c) * b + dcsi_max(r, c)];
                        for (k = 0; k < nrhs; k++)
                            y[i * step + r * nrhs + k] += e * x[i * step + c * nrhs + k];
                    }
            }
        }
}

DCS_API void dcs_matrix_multiply(const dcs_matrix *a, int nrhs, const double *x, double *y)
{
    dcsi_matrix_apply(a, 0, nrhs, x, y);
}

DCS_API void dcs_matrix_multiply_transpose(const dcs_matrix *a, int nrhs, const double *x,
                                           double *y)
{
    dcsi_matrix_apply(a, 1, nrhs, x, y);
}

DCS_API void dcs_matrix_multiply_symmetric(const dcs_matrix *a, int nrhs, const double *x,
                                           double *y)
{
    dcsi_matrix_apply(a, 2, nrhs, x, y);
}

/* >>graph --------------------------------------------------------------------------------------
   The pattern as an undirected graph: every edge twice, no loops, no duplicates. */

typedef struct dcsi_graph {
    int n;
    int *start; /* n + 1 */
    int *adj;   /* start[n] */
} dcsi_graph;

/* Drop repeated neighbours in place. mark: n numbers of scratch. */
static void dcsi_graph_unique(dcsi_graph *g, int *mark)
{
    int v, p, end, out = 0;
    dcsi_fill_ints(mark, g->n, -1);
    for (v = 0, p = 0; v < g->n; v++) {
        end = g->start[v + 1];
        g->start[v] = out;
        for (; p < end; p++) {
            int u = g->adj[p];
            if (mark[u] == v) continue;
            mark[u] = v;
            g->adj[out++] = u;
        }
    }
    g->start[g->n] = out;
}

/* The graph of a pattern with entries on one or both sides of the diagonal: A + A^T. */
static dcs_result dcsi_graph_create(dcsi_pool *pool, int n, const int *col_start,
                                    const int *row_index, dcsi_graph *g)
{
    int j, p, *fill;
    g->n = n;
    if (col_start[n] > INT32_MAX / 4) return pool->status = DCS_ERROR_TOO_LARGE;
    g->start = dcsi_take_ints(pool, (ptrdiff_t)n + 1);
    g->adj = dcsi_take_ints(pool, 2 * (ptrdiff_t)col_start[n]);
    fill = dcsi_take_ints(pool, n);
    if (pool->status != DCS_OK) return pool->status;
    dcsi_fill_ints(fill, n, 0);
    for (j = 0; j < n; j++)
        for (p = col_start[j]; p < col_start[j + 1]; p++)
            if (row_index[p] != j) fill[j]++, fill[row_index[p]]++;
    g->start[0] = 0;
    for (j = 0; j < n; j++) {
        g->start[j + 1] = g->start[j] + fill[j];
        fill[j] = g->start[j];
    }
    for (j = 0; j < n; j++)
        for (p = col_start[j]; p < col_start[j + 1]; p++) {
            int i = row_index[p];
            if (i != j) g->adj[fill[j]++] = i, g->adj[fill[i]++] = j;
        }
    dcsi_graph_unique(g, fill);
    return DCS_OK;
}

/* >>amd ----------------------------------------------------------------------------------------
   Approximate minimum degree (Amestoy, Davis, Duff 1996). Eliminating a variable makes a clique of
   its neighbours; the quotient graph stores that clique once, as an element. A list of a variable
   holds first its elements, then its remaining variables. Variables with equal lists are one
   supervariable of weight nv; variables without other neighbours leave together with the pivot.
   Degrees are upper bounds: |A_i| + |L_p \ i| + sum over elements e of |L_e \ L_p|. */

typedef struct dcsi_amd {
    int n, left;                       /* weight not yet eliminated */
    int *list, list_size, list_free;   /* storage of all lists ... */
    int *spare;                        /* ... and where they go when it is full */
    int *start, *len, *elements;       /* list of i; elements[i]: how many of it are elements */
    int *nv;                           /* weight; 0 absorbed; negative while in the new element */
    int *degree;                       /* variables: bound; elements: weight of the list */
    int *is_element;                   /* 0 variable, 1 element, 2 absorbed element or variable */
    int *into;                         /* absorbed: where; else -1 */
    int *head, *next, *prev, lowest;   /* variables by degree */
    int *mark, stamp;                  /* |L_e \ L_p| + stamp, or equality marks */
    int *hash_head, *hash_next, *hash; /* variables of the new element by hash of their list */
    int *pivots, pivot_count;          /* elements in order of elimination */
    const int *set;                    /* NULL, or: variables of set 0 go first, then 1, ... */
    int current;                       /* the set being eliminated: only it is in the lists */
} dcsi_amd;

/* 1 if variable i may be eliminated now. */
static int dcsi_amd_is_open(const dcsi_amd *q, int i)
{
    return !q->set || q->set[i] == q->current;
}

static void dcsi_amd_unlink(dcsi_amd *q, int i)
{
    if (!dcsi_amd_is_open(q, i)) return;
    if (q->prev[i] >= 0)
        q->next[q->prev[i]] = q->next[i];
    else
        q->head[q->degree[i]] = q->next[i];
    if (q->next[i] >= 0) q->prev[q->next[i]] = q->prev[i];
}

static void dcsi_amd_link(dcsi_amd *q, int i)
{
    int d = q->degree[i];
    if (!dcsi_amd_is_open(q, i)) return;
    q->next[i] = q->head[d];
    q->prev[i] = -1;
    if (q->head[d] >= 0) q->prev[q->head[d]] = i;
    q->head[d] = i;
    q->lowest = dcsi_min(q->lowest, d);
}

/* Stamps grow by up to n per pivot; start over before they overflow. */
static void dcsi_amd_new_stamp(dcsi_amd *q, int step)
{
    int i;
    if (q->stamp < INT32_MAX - 2 * q->n - 4 - step) {
        q->stamp += step;
        return;
    }
    q->stamp = 2;
    for (i = 0; i < q->n; i++)
        if (q->mark[i] != 0) q->mark[i] = 1;
}

/* Move all living lists to the spare storage. */
static void dcsi_amd_compact(dcsi_amd *q)
{
    int i, *old = q->list;
    q->list_free = 0;
    for (i = 0; i < q->n; i++) {
        if (q->is_element[i] == 2) continue;
        memcpy(q->spare + q->list_free, old + q->start[i], (size_t)q->len[i] * sizeof(int));
        q->start[i] = q->list_free;
        q->list_free += q->len[i];
    }
    q->list = q->spare;
    q->spare = old;
}

static dcs_result dcsi_amd_init(dcsi_amd *q, dcsi_pool *pool, const dcsi_graph *g)
{
    int i, n = g->n, *block;
    ptrdiff_t step = (ptrdiff_t)n + 2; /* dcsi_amd_output counts n + 1 buckets in `head` */
    memset(q, 0, sizeof *q);
    q->n = n;
    if (g->start[n] > INT32_MAX / 2 - n) return pool->status = DCS_ERROR_TOO_LARGE;
    q->list_size = g->start[n] + g->start[n] / 4 + n + 1;
    q->list = dcsi_take_ints(pool, q->list_size);
    q->spare = dcsi_take_ints(pool, q->list_size);
    block = dcsi_take_ints(pool, 15 * step);
    if (pool->status != DCS_OK) return pool->status;
    q->start = block, q->len = block + step, q->elements = block + 2 * step;
    q->nv = block + 3 * step, q->degree = block + 4 * step, q->is_element = block + 5 * step;
    q->into = block + 6 * step, q->head = block + 7 * step, q->next = block + 8 * step;
    q->prev = block + 9 * step, q->mark = block + 10 * step, q->hash_head = block + 11 * step;
    q->hash_next = block + 12 * step, q->hash = block + 13 * step, q->pivots = block + 14 * step;
    memcpy(q->list, g->adj, (size_t)g->start[n] * sizeof(int));
    q->list_free = g->start[n];
    dcsi_fill_ints(q->head, n, -1);
    dcsi_fill_ints(q->hash_head, n, -1);
    for (i = 0; i < n; i++) {
        q->start[i] = g->start[i];
        q->len[i] = q->degree[i] = g->start[i + 1] - g->start[i];
        q->elements[i] = q->is_element[i] = 0;
        q->nv[i] = q->mark[i] = 1;
        q->into[i] = -1;
    }
    q->stamp = 2;
    q->left = q->lowest = n;
    return DCS_OK;
}

/* Rows with very many entries would make every list long. They go last, where they are full anyway.
   Limit: 10 sqrt(n), at least 16. Returns how many were taken out. */
static int dcsi_amd_remove_dense(dcsi_amd *q)
{
    int i, dense = 0;
    double limit = 10 * sqrt((double)q->n);
    if (limit < 16) limit = 16;
    for (i = q->n - 1; i >= 0; i--) {
        if (q->degree[i] <= limit) {
            dcsi_amd_link(q, i);
            continue;
        }
        q->nv[i] = 0;
        q->is_element[i] = 2;
        dense++;
    }
    q->left -= dense;
    return dense;
}

/* Add variable i to the new element unless it is there already. */
static int dcsi_amd_gather(dcsi_amd *q, int i, int at)
{
    if (q->nv[i] <= 0) return at;
    dcsi_amd_unlink(q, i);
    q->nv[i] = -q->nv[i];
    q->list[at] = i;
    return at + 1;
}

/* The new element L_p: union of the variables of p and of its elements, which it absorbs. Its list
   is written at the free end. Returns its weight. */
static int dcsi_amd_make_element(dcsi_amd *q, int p)
{
    int k, j, at, need = q->len[p] - q->elements[p], weight = 0;
    for (k = 0; k < q->elements[p]; k++) need += q->len[q->list[q->start[p] + k]];
    if (dcsi_min(need, q->left) > q->list_size - q->list_free) dcsi_amd_compact(q);
    at = q->list_free;
    for (k = 0; k < q->len[p]; k++) {
        int e = q->list[q->start[p] + k];
        if (k >= q->elements[p]) {
            at = dcsi_amd_gather(q, e, at);
            continue;
        }
        for (j = 0; j < q->len[e]; j++) at = dcsi_amd_gather(q, q->list[q->start[e] + j], at);
        q->is_element[e] = 2;
    }
    q->start[p] = q->list_free;
    q->len[p] = at - q->list_free;
    q->list_free = at;
    q->is_element[p] = 1;
    for (k = 0; k < q->len[p]; k++) weight -= q->nv[q->list[q->start[p] + k]];
    return weight;
}

/* mark[e] - stamp = |L_e \ L_p| for every element e next to L_p. */
static void dcsi_amd_overlaps(dcsi_amd *q, int p)
{
    int k, j;
    for (k = 0; k < q->len[p]; k++) {
        int i = q->list[q->start[p] + k], weight = -q->nv[i];
        const int *list = q->list + q->start[i];
        for (j = 0; j < q->elements[i]; j++) {
            int e = list[j];
            if (q->is_element[e] == 2) continue;
            if (q->mark[e] < q->stamp) q->mark[e] = q->stamp + q->degree[e];
            q->mark[e] -= weight;
        }
    }
}

/* Rebuild the list of variable i: p, then the living elements that reach beyond L_p, then living
   variables outside of L_p. There is room for p because p itself, or an element absorbed by p, was
   in the list. Returns the degree bound without L_p; *hash sums the list. */
static int dcsi_amd_clean(dcsi_amd *q, int p, int i, unsigned *hash)
{
    int *list = q->list + q->start[i];
    int k, kept = 0, count = q->elements[i], total = q->len[i], degree = 0;
    unsigned sum = 0;
    for (k = 0; k < count; k++) {
        int e = list[k], outside;
        if (q->is_element[e] == 2) continue;
        outside = q->mark[e] - q->stamp;
        if (outside == 0) {
            q->is_element[e] = 2; /* aggressive absorption: L_e is inside L_p */
            continue;
        }
        degree = dcsi_min(degree + outside, q->n);
        sum += (unsigned)e;
        list[kept++] = e;
    }
    q->elements[i] = kept + 1;
    for (k = count; k < total; k++) {
        int v = list[k];
        if (q->nv[v] <= 0) continue;
        degree = dcsi_min(degree + q->nv[v], q->n);
        sum += (unsigned)v;
        list[kept++] = v;
    }
    list[kept] = list[q->elements[i] - 1];
    list[q->elements[i] - 1] = list[0];
    list[0] = p;
    q->len[i] = kept + 1;
    *hash = sum;
    return degree;
}

/* New degree bounds of L_p without its own weight; variables left with L_p only are eliminated
   along with p. Returns the weight that remains in L_p. */
static int dcsi_amd_degrees(dcsi_amd *q, int p, int weight)
{
    int k;
    for (k = 0; k < q->len[p]; k++) {
        int i = q->list[q->start[p] + k], degree;
        unsigned hash;
        degree = dcsi_amd_clean(q, p, i, &hash);
        if (degree == 0 && dcsi_amd_is_open(q, i)) {
            weight += q->nv[i];
            q->left += q->nv[i];
            q->nv[i] = 0;
            q->is_element[i] = 2;
            q->into[i] = p;
            continue;
        }
        q->degree[i] = dcsi_min(q->degree[i], degree);
        q->hash[i] = (int)(hash % (unsigned)q->n);
        q->hash_next[i] = q->hash_head[q->hash[i]];
        q->hash_head[q->hash[i]] = i;
    }
    return weight;
}

/* 1 if the list of j consists of entries marked with the present stamp (p comes first in all). */
static int dcsi_amd_same(const dcsi_amd *q, int i, int j)
{
    const int *list = q->list + q->start[j];
    int k;
    if (q->len[i] != q->len[j] || q->elements[i] != q->elements[j]) return 0;
    if (q->set && q->set[i] != q->set[j]) return 0;
    for (k = 1; k < q->len[j]; k++)
        if (q->mark[list[k]] != q->stamp) return 0;
    return 1;
}

/* Merge variables of one hash bucket that have the same list. */
static void dcsi_amd_merge_bucket(dcsi_amd *q, int bucket)
{
    int i, j, k, last;
    for (i = q->hash_head[bucket]; i >= 0 && q->hash_next[i] >= 0; i = q->hash_next[i]) {
        for (k = 1; k < q->len[i]; k++) q->mark[q->list[q->start[i] + k]] = q->stamp;
        for (last = i, j = q->hash_next[i]; j >= 0; j = q->hash_next[j]) {
            if (!dcsi_amd_same(q, i, j)) {
                last = j;
                continue;
            }
            q->nv[i] += q->nv[j];
            q->nv[j] = 0;
            q->is_element[j] = 2;
            q->into[j] = i;
            q->hash_next[last] = q->hash_next[j];
        }
        dcsi_amd_new_stamp(q, 1);
    }
    q->hash_head[bucket] = -1;
}

/* Back to positive weights, into the degree lists, and L_p to its final length. */
static void dcsi_amd_finish_element(dcsi_amd *q, int p, int weight)
{
    int k, kept = 0, *list = q->list + q->start[p];
    for (k = 0; k < q->len[p]; k++) {
        int i = list[k], nv;
        if (q->is_element[i] == 2) continue;
        nv = q->nv[i] = -q->nv[i];
        q->degree[i] = dcsi_min(q->degree[i] + weight - nv, q->left - nv);
        dcsi_amd_link(q, i);
        list[kept++] = i;
    }
    q->len[p] = kept;
    q->list_free = q->start[p] + kept;
    q->degree[p] = weight;
    if (kept == 0) q->is_element[p] = 2;
}

static void dcsi_amd_eliminate(dcsi_amd *q, int *max_weight)
{
    int p, k, weight;
    for (;;) {
        while (q->lowest < q->n && q->head[q->lowest] < 0) q->lowest++;
        if (q->lowest < q->n) break;
        q->current++; /* this set is done: open the next */
        for (k = 0; k < q->n; k++)
            if (q->nv[k] > 0 && q->is_element[k] == 0) dcsi_amd_link(q, k);
    }
    p = q->head[q->lowest];
    dcsi_amd_unlink(q, p);
    q->left -= q->nv[p];
    q->nv[p] = -q->nv[p];
    q->pivots[q->pivot_count++] = p;
    weight = dcsi_amd_make_element(q, p);
    *max_weight = dcsi_max(*max_weight, weight);
    dcsi_amd_overlaps(q, p);
    weight = dcsi_amd_degrees(q, p, weight);
    dcsi_amd_new_stamp(q, *max_weight + 1);
    for (k = 0; k < q->len[p]; k++) {
        int i = q->list[q->start[p] + k];
        if (q->is_element[i] != 2 && q->hash_head[q->hash[i]] >= 0)
            dcsi_amd_merge_bucket(q, q->hash[i]);
    }
    dcsi_amd_finish_element(q, p, weight);
}

/* order[k] = variable eliminated k-th: every pivot followed by what was absorbed into it. */
static void dcsi_amd_output(dcsi_amd *q, int *order)
{
    int n = q->n, i, k, *rank = q->degree, *count = q->head, *key = q->next;
    dcsi_fill_ints(rank, n, -1);
    for (k = 0; k < q->pivot_count; k++) rank[q->pivots[k]] = k;
    for (i = 0; i < n; i++) {
        int root = i, walk = i;
        while (rank[root] < 0 && q->into[root] >= 0) root = q->into[root];
        while (rank[walk] < 0 && q->into[walk] >= 0) { /* halve later walks */
            int up = q->into[walk];
            q->into[walk] = root;
            walk = up;
        }
        key[i] = rank[root] >= 0 ? rank[root] : q->pivot_count; /* dense ones last */
    }
    dcsi_bucket_sort(n, q->pivot_count + 1, key, NULL, order, count);
}

/* Scratch comes from pool. order: n numbers. set: NULL, or the set of every vertex, 0 at least. */
static dcs_result dcsi_amd_order(dcsi_pool *pool, const dcsi_graph *g, const int *set, int *order)
{
    dcsi_amd q;
    int max_weight = 0;
    if (g->n == 0) return DCS_OK;
    if (dcsi_amd_init(&q, pool, g) != DCS_OK) return pool->status;
    q.set = set;
    dcsi_amd_remove_dense(&q);
    while (q.left > 0) dcsi_amd_eliminate(&q, &max_weight);
    dcsi_amd_output(&q, order);
    return DCS_OK;
}

/* >>tree ---------------------------------------------------------------------------------------
   Elimination tree, postorder and column counts of A permuted by `order`; position is the inverse.
   parent[k] of elimination position k, -1 for roots. */

/* Liu 1990: walk from every neighbour eliminated before k to its root, which k then tops. */
static void dcsi_tree(const dcsi_graph *g, const int *order, const int *position, int *parent,
                      int *ancestor)
{
    int k, p;
    for (k = 0; k < g->n; k++) {
        int v = order[k];
        parent[k] = ancestor[k] = -1;
        for (p = g->start[v]; p < g->start[v + 1]; p++) {
            int i = position[g->adj[p]];
            while (i >= 0 && i < k) {
                int up = ancestor[i];
                ancestor[i] = k;
                if (up < 0) parent[i] = k;
                i = up;
            }
        }
    }
}

/* post[k] = node visited k-th; children in rising order. head, next: n numbers of scratch. */
static void dcsi_postorder(int n, const int *parent, int *post, int *head, int *next)
{
    int i, k = 0, root, top;
    dcsi_fill_ints(head, n, -1);
    for (i = n - 1; i >= 0; i--) {
        if (parent[i] < 0) continue;
        next[i] = head[parent[i]];
        head[parent[i]] = i;
    }
    for (root = 0; root < n; root++) {
        if (parent[root] >= 0) continue;
        top = root;
        for (;;) {
            while (head[top] >= 0) { /* down to the first leaf, consuming child lists */
                int child = head[top];
                head[top] = next[child];
                top = child;
            }
            post[k++] = top;
            if (top == root) break;
            top = parent[top];
        }
    }
}

static int dcsi_find(int *set, int i)
{
    int root = i;
    while (set[root] != root) root = set[root];
    while (set[i] != root) {
        int up = set[i];
        set[i] = root;
        i = up;
    }
    return root;
}

/* Column counts of L with the diagonal (Gilbert, Ng, Peyton 1994), nodes in postorder. Row i of L
   is the subtree of the tree spanned by i and the columns of A in row i; counting, for every
   column, the leaves of such subtrees minus the points where their paths meet gives, summed over
   descendants, the number of rows that contain the column. work: 4n numbers. */
static void dcsi_counts(const dcsi_graph *g, const int *order, const int *position,
                        const int *parent, int *count, int *work)
{
    int n = g->n, j, p, *first = work, *deepest = work + n;
    int *last_leaf = work + 2 * (ptrdiff_t)n, *set = work + 3 * (ptrdiff_t)n;
    for (j = 0; j < n; j++) {
        first[j] = j;
        deepest[j] = last_leaf[j] = -1;
        set[j] = j;
    }
    for (j = 0; j < n; j++)
        if (parent[j] >= 0) first[parent[j]] = dcsi_min(first[parent[j]], first[j]);
    for (j = 0; j < n; j++) count[j] = first[j] == j ? 1 : 0;
    for (j = 0; j < n; j++) {
        int v = order[j];
        if (parent[j] >= 0) count[parent[j]]--;
        for (p = g->start[v]; p < g->start[v + 1]; p++) {
            int i = position[g->adj[p]];
            if (i <= j || first[j] <= deepest[i]) continue;
            deepest[i] = first[j];
            count[j]++;
            if (last_leaf[i] >= 0) count[dcsi_find(set, last_leaf[i])]--;
            last_leaf[i] = j;
        }
        if (parent[j] >= 0) set[j] = parent[j];
    }
    for (j = 0; j < n; j++)
        if (parent[j] >= 0) count[parent[j]] += count[j];
}

/* >>nd -----------------------------------------------------------------------------------------
   Nested dissection. A piece of the graph is split by a small vertex separator into two sides that
   no edge connects; the sides come first, the separator last, and the sides are split again. The
   separator is found on a coarsened graph: pairs of vertices joined by heavy edges are contracted
   until few are left, a side is grown there by breadth, and on the way back the separator is
   refined on every level. In the end one minimum degree run orders everything with the constraint
   that separators wait for what they separate; so the pieces know their boundaries. */

enum { DCSI_SEPARATOR = 2, DCSI_OUTSIDE = 3 }; /* sides are 0 and 1 */

typedef struct dcsi_level {
    int n, total;     /* vertices, their weight */
    int *start, *adj; /* n + 1, start[n] */
    int *edge;        /* weight of every edge */
    int *weight;      /* of every vertex */
    int *map;         /* vertex of the coarser level */
    int *side;
} dcsi_level;

typedef struct dcsi_dissection {
    int *arena, arena_size, arena_used;
    dcsi_level level[40];
    int levels;
    int *toward[2];    /* separator vertices: weight of neighbours on a side */
    int *list, *place; /* separator vertices, and where in the list */
    int count;
    int *locked, stamp;
    int *log, log_count; /* vertex * 4 + side before a change */
    int weight[4];       /* of the sides, the separator, and what lies outside */
    int *mark, *best;
    uint32_t random;
} dcsi_dissection;

static int *dcsi_arena_take(dcsi_dissection *d, ptrdiff_t count)
{
    int *p = d->arena + d->arena_used;
    if (count > d->arena_size - d->arena_used) return NULL;
    d->arena_used += (int)count;
    return p;
}

static uint32_t dcsi_random(dcsi_dissection *d)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 17;
    d->random ^= d->random << 5;
    return d->random;
}

/* Room for a level of n vertices and at most `edges` edge ends. */
static int dcsi_level_take(dcsi_dissection *d, dcsi_level *l, int n, int edges)
{
    l->n = n;
    l->start = dcsi_arena_take(d, (ptrdiff_t)n + 1);
    l->weight = dcsi_arena_take(d, n);
    l->map = dcsi_arena_take(d, n);
    l->side = dcsi_arena_take(d, n);
    l->edge = dcsi_arena_take(d, edges);
    l->adj = dcsi_arena_take(d, edges);
    return l->adj != NULL && l->edge != NULL;
}

/* Match every vertex with the free neighbour of the heaviest edge, the lighter one if edges are
   equal. Fills map; returns the number of coarse vertices. */
static int dcsi_match(dcsi_dissection *d, dcsi_level *l)
{
    int v, p, coarse = 0, limit = dcsi_max(2, l->total / 25);
    for (v = 0; v < l->n; v++) l->map[v] = -1;
    for (v = 0; v < l->n; v++) {
        int best = -1, best_edge = 0, best_weight = 0, degree = l->start[v + 1] - l->start[v], skip;
        if (l->map[v] >= 0) continue;
        skip = degree > 1 ? (int)(dcsi_random(d) % (uint32_t)degree) : 0;
        for (p = 0; p < degree; p++) { /* from a random neighbour on: no preferred direction */
            int at = l->start[v] + (p + skip < degree ? p + skip : p + skip - degree);
            int u = l->adj[at], w = l->weight[u];
            if (l->map[u] >= 0 || w + l->weight[v] > limit) continue;
            if (l->edge[at] > best_edge || (l->edge[at] == best_edge && w < best_weight))
                best = u, best_edge = l->edge[at], best_weight = w;
        }
        if (best >= 0) l->map[best] = coarse;
        l->map[v] = coarse++;
    }
    return coarse;
}

/* Contract the matched pairs of l into c. mark: scratch. */
static int dcsi_contract(dcsi_dissection *d, dcsi_level *l, int coarse, dcsi_level *c)
{
    int v, k, p, at = 0, *first, *second;
    if (!dcsi_level_take(d, c, coarse, l->start[l->n])) return 0;
    first = c->map, second = c->side; /* not needed yet */
    for (v = 0; v < coarse; v++) first[v] = second[v] = d->mark[v] = -1;
    for (v = 0; v < l->n; v++) {
        if (first[l->map[v]] < 0)
            first[l->map[v]] = v;
        else
            second[l->map[v]] = v;
    }
    c->total = l->total;
    for (k = 0; k < coarse; k++) {
        int begin = at;
        c->start[k] = at;
        c->weight[k] = 0;
        for (v = first[k]; v >= 0; v = v == first[k] ? second[k] : -1) {
            c->weight[k] += l->weight[v];
            for (p = l->start[v]; p < l->start[v + 1]; p++) {
                int u = l->map[l->adj[p]];
                if (u == k) continue;
                if (d->mark[u] >= begin) {
                    c->edge[d->mark[u]] += l->edge[p];
                    continue;
                }
                d->mark[u] = at;
                c->edge[at] = l->edge[p];
                c->adj[at++] = u;
            }
        }
    }
    c->start[coarse] = at;
    d->arena_used -= l->start[l->n] - at; /* adj is the last block: give back its tail */
    return 1;
}

static void dcsi_separator_enter(dcsi_dissection *d, const dcsi_level *l, int v)
{
    int p, toward[4] = {0, 0, 0, 0};
    for (p = l->start[v]; p < l->start[v + 1]; p++)
        toward[l->side[l->adj[p]]] += l->weight[l->adj[p]];
    d->toward[0][v] = toward[0];
    d->toward[1][v] = toward[1];
    d->place[v] = d->count;
    d->list[d->count++] = v;
}

static void dcsi_separator_leave(dcsi_dissection *d, int v)
{
    int last = d->list[--d->count];
    d->list[d->place[v]] = last;
    d->place[last] = d->place[v];
}

static void dcsi_set_side(dcsi_dissection *d, const dcsi_level *l, int v, int side)
{
    d->weight[l->side[v]] -= l->weight[v];
    d->weight[side] += l->weight[v];
    l->side[v] = side;
}

/* Separator vertex v joins a side; its neighbours on the other side join the separator. */
static void dcsi_separator_move(dcsi_dissection *d, const dcsi_level *l, int v, int side)
{
    int p, q, other = 1 - side;
    d->log[d->log_count++] = 4 * v + DCSI_SEPARATOR;
    dcsi_separator_leave(d, v);
    dcsi_set_side(d, l, v, side);
    d->locked[v] = d->stamp;
    for (p = l->start[v]; p < l->start[v + 1]; p++) {
        int u = l->adj[p];
        if (l->side[u] == DCSI_SEPARATOR) d->toward[side][u] += l->weight[v];
        if (l->side[u] != other) continue;
        d->log[d->log_count++] = 4 * u + other;
        dcsi_set_side(d, l, u, DCSI_SEPARATOR);
        for (q = l->start[u]; q < l->start[u + 1]; q++)
            if (l->side[l->adj[q]] == DCSI_SEPARATOR) d->toward[other][l->adj[q]] -= l->weight[u];
        dcsi_separator_enter(d, l, u);
    }
}

/* The unlocked separator vertex and side whose move shrinks the separator most without making a
   side heavier than `limit` (a lighter side may always grow). Returns 4 * vertex + side or -1. */
static int dcsi_separator_choose(const dcsi_dissection *d, const dcsi_level *l, int limit)
{
    int k, side, best = -1, best_gain = 0;
    for (k = 0; k < d->count; k++) {
        int v = d->list[k];
        if (d->locked[v] == d->stamp) continue;
        for (side = 0; side < 2; side++) {
            int gain = l->weight[v] - d->toward[1 - side][v];
            if (best >= 0 && gain <= best_gain) continue;
            if (d->weight[side] + l->weight[v] > limit && d->weight[side] >= d->weight[1 - side])
                continue;
            best = 4 * v + side;
            best_gain = gain;
        }
    }
    return best;
}

/* What refinement minimises: the separator, with a light preference for equal sides and a heavy
   one for sides within the limit. */
static double dcsi_separator_cost(const dcsi_dissection *d, int limit)
{
    int heavy = dcsi_max(d->weight[0], d->weight[1]), light = dcsi_min(d->weight[0], d->weight[1]);
    double cost = d->weight[DCSI_SEPARATOR] + 0.02 * (double)(heavy - light) / (heavy + 1);
    if (heavy > limit) cost += heavy - limit;
    return cost;
}

static void dcsi_separator_load(dcsi_dissection *d, const dcsi_level *l)
{
    int v;
    d->count = 0;
    d->weight[0] = d->weight[1] = d->weight[2] = 0;
    for (v = 0; v < l->n; v++) {
        d->weight[l->side[v]] += l->weight[v];
        if (l->side[v] == DCSI_SEPARATOR) dcsi_separator_enter(d, l, v);
    }
}

/* One pass of moves in the manner of Fiduccia and Mattheyses: always the best move, even if it makes
   things worse for a while, then back to the best point seen. The separator is in d->list. Returns
   1 if it got better; the moves that stay are in d->log. */
static int dcsi_separator_pass(dcsi_dissection *d, const dcsi_level *l, int limit, double *best)
{
    double at_start = dcsi_separator_cost(d, limit);
    int patience = 40 + d->count, best_log = 0, since;
    *best = at_start;
    d->stamp++;
    d->log_count = 0;
    for (since = 0; since < patience && d->log_count < l->n; since++) {
        int move = dcsi_separator_choose(d, l, limit);
        double cost;
        if (move < 0) break;
        dcsi_separator_move(d, l, move >> 2, move & 3);
        cost = dcsi_separator_cost(d, limit);
        if (cost < *best) *best = cost, best_log = d->log_count, since = -1;
    }
    while (d->log_count > best_log) {
        int entry = d->log[--d->log_count];
        dcsi_set_side(d, l, entry >> 2, entry & 3);
    }
    return *best < at_start;
}

static double dcsi_separator_refine(dcsi_dissection *d, const dcsi_level *l, int limit, int passes)
{
    double best = 0;
    int pass, better = 1;
    for (pass = 0; pass < passes && better; pass++) {
        dcsi_separator_load(d, l);
        better = dcsi_separator_pass(d, l, limit, &best);
    }
    return best;
}

/* Grow side 0 from a vertex by breadth until it has half of the weight; its rim is the separator.
   d->list is the queue. */
static void dcsi_grow(dcsi_dissection *d, const dcsi_level *l, int from)
{
    int v, p, head = 0, tail = 0, weight = 0, next = 0;
    for (v = 0; v < l->n; v++) l->side[v] = 1, d->place[v] = 0;
    d->list[tail++] = from;
    d->place[from] = 1;
    while (2 * weight < l->total) {
        if (head == tail) { /* another component */
            while (d->place[next]) next++;
            d->list[tail++] = next;
            d->place[next] = 1;
        }
        v = d->list[head++];
        l->side[v] = 0;
        weight += l->weight[v];
        for (p = l->start[v]; p < l->start[v + 1]; p++) {
            int u = l->adj[p];
            if (!d->place[u]) d->place[u] = 1, d->list[tail++] = u;
        }
    }
    for (v = 0; v < l->n; v++)
        for (p = l->start[v]; p < l->start[v + 1] && l->side[v] == 0; p++)
            if (l->side[l->adj[p]] == 1) l->side[v] = DCSI_SEPARATOR;
}

/* Best of several grown separators on the coarsest level. */
static void dcsi_first_separator(dcsi_dissection *d, const dcsi_level *l, int limit)
{
    double best = 0;
    int trial;
    for (trial = 0; trial < 4; trial++) {
        double cost;
        dcsi_grow(d, l, (int)(dcsi_random(d) % (uint32_t)l->n));
        cost = dcsi_separator_refine(d, l, limit, 3);
        if (trial > 0 && cost >= best) continue;
        best = cost;
        memcpy(d->best, l->side, (size_t)l->n * sizeof(int));
    }
    memcpy(l->side, d->best, (size_t)l->n * sizeof(int));
}

/* The heaviest that a side may be: a loose limit gives smaller separators, a tight one a flatter
   tree. Of 0.54 to 0.65, this filled least on grids of 3600 to 50 176 vertices. */
static int dcsi_side_limit(int total)
{
    return (int)(0.62 * total) + 1;
}

/* Sides of level 0, which has been filled in. Returns their cost. */
static double dcsi_separate(dcsi_dissection *d)
{
    int limit = dcsi_side_limit(d->level[0].total), k, v;
    dcsi_level *l = d->level;
    for (d->levels = 1; d->levels < 40 && l->n > 100; d->levels++, l++) {
        int coarse = dcsi_match(d, l);
        if (coarse > 0.9 * l->n) break;
        if (!dcsi_contract(d, l, coarse, l + 1)) break;
    }
    dcsi_first_separator(d, l, limit);
    for (k = d->levels - 2; k >= 0; k--) {
        dcsi_level *fine = &d->level[k];
        for (v = 0; v < fine->n; v++) fine->side[v] = d->level[k + 1].side[fine->map[v]];
        dcsi_separator_refine(d, fine, limit, 4);
    }
    dcsi_separator_load(d, d->level);
    return dcsi_separator_cost(d, limit);
}

/* The better of two attempts, which differ by chance. keep: scratch per vertex. */
static void dcsi_separate_twice(dcsi_dissection *d, int *keep)
{
    dcsi_level *l = &d->level[0];
    size_t bytes = (size_t)l->n * sizeof(int);
    int used = d->arena_used;
    double first = dcsi_separate(d);
    memcpy(keep, l->side, bytes);
    d->arena_used = used;
    if (dcsi_separate(d) >= first) memcpy(l->side, keep, bytes);
}

/* Level 0 = the subgraph of g on vertices[0..count-1], which node marks with `id`. local: scratch
   for every vertex of g. */
static int dcsi_extract(dcsi_dissection *d, const dcsi_level *g, const int *vertices, int count,
                        const int *node, int id, int *local)
{
    dcsi_level *l = &d->level[0];
    int k, p, at = 0, edges = 0;
    for (k = 0; k < count; k++) {
        local[vertices[k]] = k;
        edges += g->start[vertices[k] + 1] - g->start[vertices[k]];
    }
    d->arena_used = 0;
    if (!dcsi_level_take(d, l, count, edges)) return 0;
    l->total = 0;
    for (k = 0; k < count; k++) {
        int v = vertices[k];
        l->start[k] = at;
        l->weight[k] = g->weight[v];
        l->total += g->weight[v];
        for (p = g->start[v]; p < g->start[v + 1]; p++) {
            if (node[g->adj[p]] != id) continue;
            l->edge[at] = g->edge[p];
            l->adj[at++] = local[g->adj[p]];
        }
    }
    l->start[count] = at;
    d->arena_used -= edges - at;
    return 1;
}

/* Bring the vertices of a piece into the order side 0, side 1, separator. Returns 0 if the split
   is not worth it. first: the sizes of the sides. */
static int dcsi_split(dcsi_dissection *d, int *vertices, int count, int *first)
{
    const int *side = d->level[0].side;
    int k, size[3] = {0, 0, 0}, at[3];
    for (k = 0; k < count; k++) size[side[k]]++;
    if (size[0] == 0 || size[1] == 0 || size[DCSI_SEPARATOR] > count / 3) return 0;
    at[0] = 0, at[1] = size[0], at[2] = size[0] + size[1];
    for (k = 0; k < count; k++) d->best[at[side[k]]++] = vertices[k];
    memcpy(vertices, d->best, (size_t)count * sizeof(int));
    first[0] = size[0];
    first[1] = size[1];
    return 1;
}

static dcs_result dcsi_dissection_init(dcsi_dissection *d, dcsi_pool *pool, ptrdiff_t n,
                                       ptrdiff_t edges)
{
    ptrdiff_t size = 3 * (4 * n + 2 * edges + 64);
    memset(d, 0, sizeof *d);
    if (size > INT32_MAX) return pool->status = DCS_ERROR_TOO_LARGE;
    d->arena_size = (int)size;
    d->arena = dcsi_take_ints(pool, size);
    d->toward[0] = dcsi_take_ints(pool, n);
    d->toward[1] = dcsi_take_ints(pool, n);
    d->list = dcsi_take_ints(pool, n);
    d->place = dcsi_take_ints(pool, n);
    d->locked = dcsi_take_ints(pool, n);
    d->log = dcsi_take_ints(pool, 3 * n);
    d->mark = dcsi_take_ints(pool, n);
    d->best = dcsi_take_ints(pool, n);
    if (pool->status == DCS_OK) dcsi_fill_ints(d->locked, n, 0);
    d->random = 2463534242u;
    return pool->status;
}

/* The pieces as a binary tree: an inner node is a separator, a leaf is left to minimum degree.
   Every vertex belongs to one node, and an edge joins only nodes of which one is above the other. */
typedef struct dcsi_cuts {
    int nodes, deepest;
    int *parent, *depth, *which, *inner; /* which: 0 or 1, the side of its parent it is on */
    int *side, *at; /* for one depth: side of a node, and the node of that depth above it */
    int *start, *weight; /* per node: its vertices in `sorted`; two weights */
    int *sorted, *seen, stamp; /* per vertex */
} dcsi_cuts;

static dcs_result dcsi_cuts_take(dcsi_cuts *t, dcsi_pool *pool, int n, ptrdiff_t nodes)
{
    memset(t, 0, sizeof *t);
    t->parent = dcsi_take_ints(pool, nodes);
    t->depth = dcsi_take_ints(pool, nodes);
    t->which = dcsi_take_ints(pool, nodes);
    t->inner = dcsi_take_ints(pool, nodes);
    t->side = dcsi_take_ints(pool, nodes);
    t->at = dcsi_take_ints(pool, nodes);
    t->start = dcsi_take_ints(pool, nodes + 1);
    t->weight = dcsi_take_ints(pool, 2 * nodes);
    t->sorted = dcsi_take_ints(pool, n);
    t->seen = dcsi_take_ints(pool, n);
    if (pool->status == DCS_OK) dcsi_fill_ints(t->seen, n, 0);
    return pool->status;
}

/* Split g until the pieces are light. vertices, local: scratch per vertex. */
static void dcsi_cut(dcsi_dissection *d, const dcsi_level *g, dcsi_cuts *t, int *node,
                     int *vertices, int *local)
{
    enum { LEAF = 120, DEPTH = 48 }; /* pieces of so many vertices are left to minimum degree */
    struct piece {
        int at, count, parent, which;
    } stack[DEPTH + 2];
    int top = 0, k;
    for (k = 0; k < g->n; k++) vertices[k] = k;
    stack[top].at = 0, stack[top].count = g->n, stack[top].which = 0, stack[top++].parent = -1;
    while (top > 0) {
        struct piece p = stack[--top];
        int first[2], *v = vertices + p.at, id = t->nodes++, weight = 0;
        t->parent[id] = p.parent;
        t->which[id] = p.which;
        t->depth[id] = p.parent < 0 ? 0 : t->depth[p.parent] + 1;
        t->inner[id] = 0;
        for (k = 0; k < p.count; k++) node[v[k]] = id, weight += g->weight[v[k]];
        if (weight <= LEAF || p.count < 3 || t->depth[id] >= DEPTH) continue;
        if (!dcsi_extract(d, g, v, p.count, node, id, local)) continue;
        dcsi_separate_twice(d, local);
        if (!dcsi_split(d, v, p.count, first)) continue;
        t->inner[id] = 1;
        t->deepest = dcsi_max(t->deepest, t->depth[id]);
        for (k = 0; k < 2; k++, top++) {
            stack[top].at = p.at + (k ? first[0] : 0);
            stack[top].count = first[k];
            stack[top].parent = id;
            stack[top].which = k;
        }
    }
}

/* The lowest node above both or equal to them. */
static int dcsi_cuts_meet(const dcsi_cuts *t, int a, int b)
{
    while (a != b) {
        if (t->depth[a] >= t->depth[b])
            a = t->parent[a];
        else
            b = t->parent[b];
    }
    return a;
}

/* A vertex that has moved to a side of the separator `id`: the lowest node there that has all its
   neighbours of that side below it. */
static int dcsi_cuts_place(const dcsi_cuts *t, const dcsi_level *l, const int *node, int v, int id)
{
    int p, found = -1, side = l->side[v];
    for (p = l->start[v]; p < l->start[v + 1]; p++) {
        int u = l->adj[p];
        if (l->side[u] != side || t->side[node[u]] != side) continue;
        found = found < 0 ? node[u] : dcsi_cuts_meet(t, found, node[u]);
    }
    for (p = id + 1; found < 0; p++)
        if (t->parent[p] == id && t->which[p] == side) found = p;
    return found;
}

/* Refine the separator `id`, whose sides are set, where it is. */
static void dcsi_refine_cut(dcsi_dissection *d, dcsi_level *l, dcsi_cuts *t, int *node, int id)
{
    int *touched = d->best, count = 0, k, pass, better = 1, limit;
    double cost;
    t->stamp++;
    for (k = t->start[id]; k < t->start[id + 1]; k++) {
        touched[count++] = t->sorted[k];
        t->seen[t->sorted[k]] = t->stamp;
    }
    d->weight[0] = t->weight[2 * id], d->weight[1] = t->weight[2 * id + 1];
    for (pass = 0; pass < 3 && better; pass++) {
        d->count = d->weight[DCSI_SEPARATOR] = 0;
        for (k = 0; k < count; k++)
            if (l->side[touched[k]] == DCSI_SEPARATOR) {
                d->weight[DCSI_SEPARATOR] += l->weight[touched[k]];
                dcsi_separator_enter(d, l, touched[k]);
            }
        limit = dcsi_side_limit(d->weight[0] + d->weight[1] + d->weight[DCSI_SEPARATOR]);
        better = dcsi_separator_pass(d, l, limit, &cost);
        for (k = 0; k < d->log_count; k++) {
            int v = d->log[k] >> 2;
            if (t->seen[v] != t->stamp) t->seen[v] = t->stamp, touched[count++] = v;
        }
    }
    for (k = 0; k < count; k++)
        if (l->side[touched[k]] == DCSI_SEPARATOR) node[touched[k]] = id;
    for (k = 0; k < count; k++)
        if (t->side[node[touched[k]]] != l->side[touched[k]])
            node[touched[k]] = dcsi_cuts_place(t, l, node, touched[k], id);
}

/* Sides of all vertices with respect to the separators of one depth, which do not touch; refine
   them. */
static void dcsi_refine_depth(dcsi_dissection *d, dcsi_level *l, dcsi_cuts *t, int *node, int depth)
{
    int id, v;
    for (id = 0; id < t->nodes; id++) {
        int up = t->parent[id], below = t->depth[id] - depth;
        t->at[id] = below == 0 ? id : below > 0 ? t->at[up] : -1;
        t->side[id] = below == 0 && t->inner[id] ? DCSI_SEPARATOR : DCSI_OUTSIDE;
        if (below > 0) t->side[id] = below == 1 ? t->which[id] : t->side[up];
        t->weight[2 * id] = t->weight[2 * id + 1] = 0;
    }
    dcsi_bucket_sort(l->n, t->nodes, node, NULL, t->sorted, t->start);
    for (v = 0; v < l->n; v++) {
        int side = t->side[node[v]];
        l->side[v] = side;
        if (side < 2) t->weight[2 * t->at[node[v]] + side] += l->weight[v];
    }
    for (id = 0; id < t->nodes; id++)
        if (t->depth[id] == depth && t->inner[id]) dcsi_refine_cut(d, l, t, node, id);
}

/* The whole graph as a level with weights 1. */
static int dcsi_first_level(dcsi_dissection *d, const dcsi_graph *g)
{
    dcsi_level *l = &d->level[0];
    int k;
    if (!dcsi_level_take(d, l, g->n, g->start[g->n])) return 0;
    l->total = g->n;
    memcpy(l->start, g->start, ((size_t)g->n + 1) * sizeof(int));
    if (g->start[g->n] > 0) memcpy(l->adj, g->adj, (size_t)g->start[g->n] * sizeof(int));
    for (k = 0; k < g->n; k++) l->weight[k] = 1;
    for (k = 0; k < g->start[g->n]; k++) l->edge[k] = 1;
    return 1;
}

/* set[v]: 0 for pieces, rising from the last separators to the first. The tree of pieces is found
   on a graph contracted up to three times, and all its separators are refined together on the way
   back: an eighth of the work of dissecting the graph itself. */
static dcs_result dcsi_nd_sets(dcsi_pool *pool, const dcsi_graph *g, int *set)
{
    enum { CONTRACT = 3, SMALL = 1000 };
    dcsi_dissection d, coarse;
    dcsi_cuts t;
    int n = g->n, k, depth, id, *node = dcsi_take_ints(pool, n), *finer = dcsi_take_ints(pool, n);
    dcsi_level *l = d.level;
    if (pool->status != DCS_OK) return pool->status;
    if (dcsi_dissection_init(&d, pool, n, g->start[n]) != DCS_OK) return pool->status;
    if (!dcsi_first_level(&d, g)) return pool->status = DCS_ERROR_TOO_LARGE;
    for (d.levels = 1; d.levels <= CONTRACT && l->n > SMALL; d.levels++, l++) {
        int count = dcsi_match(&d, l);
        if (count > 0.9 * l->n || !dcsi_contract(&d, l, count, l + 1)) break;
    }
    if (dcsi_dissection_init(&coarse, pool, l->n, l->start[l->n]) != DCS_OK) return pool->status;
    if (dcsi_cuts_take(&t, pool, n, 2 * (ptrdiff_t)l->n + 2) != DCS_OK) return pool->status;
    dcsi_cut(&coarse, l, &t, node, t.sorted, d.list);
    while (l > d.level) {
        l--;
        for (k = 0; k < l->n; k++) finer[k] = node[l->map[k]];
        memcpy(node, finer, (size_t)l->n * sizeof(int));
        for (depth = 0; depth <= t.deepest && t.inner[0]; depth++)
            dcsi_refine_depth(&d, l, &t, node, depth);
    }
    for (k = 0; k < n; k++) {
        id = node[k];
        set[k] = t.inner[id] ? t.deepest + 1 - t.depth[id] : 0;
    }
    return DCS_OK;
}

static dcs_result dcsi_nd_order(dcsi_pool *pool, const dcsi_graph *g, int *order)
{
    int *set = dcsi_take_ints(pool, g->n);
    if (pool->status != DCS_OK || dcsi_nd_sets(pool, g, set) != DCS_OK) return pool->status;
    return dcsi_amd_order(pool, g, set, order);
}

/* >>supernodes ---------------------------------------------------------------------------------
   From the tree to panels. Works on nodes; the expansion by the block size comes at the end. A
   panel ("group" before it is cut to size) is a set of columns that share the rows below them. */

typedef struct dcsi_symbolic {
    int n;
    int *order, *position, *parent, *count; /* n each, in order of elimination */
    int groups;
    int *first;           /* groups + 1: first column */
    ptrdiff_t *row_start; /* groups + 1 */
    int *rows;            /* rows below the columns, rising */
} dcsi_symbolic;

/* Tree and counts; replaces the order by an equivalent postorder. */
static dcs_result dcsi_symbolic_tree(dcsi_pool *pool, const dcsi_graph *g, dcsi_symbolic *s)
{
    int n = g->n, k, *work = dcsi_take_ints(pool, 4 * (ptrdiff_t)n), *post, *moved;
    s->n = n;
    s->position = dcsi_take_ints(pool, n);
    s->parent = dcsi_take_ints(pool, n);
    s->count = dcsi_take_ints(pool, n);
    if (pool->status != DCS_OK) return pool->status;
    for (k = 0; k < n; k++) s->position[s->order[k]] = k;
    post = s->count, moved = work + 2 * (ptrdiff_t)n;
    dcsi_tree(g, s->order, s->position, s->parent, work);
    dcsi_postorder(n, s->parent, post, work, work + n);
    for (k = 0; k < n; k++) work[post[k]] = k; /* work: new place of old position */
    for (k = 0; k < n; k++) {
        int up = s->parent[post[k]];
        moved[k] = up < 0 ? -1 : work[up];
        work[n + k] = s->order[post[k]];
    }
    memcpy(s->order, work + n, (size_t)n * sizeof(int));
    memcpy(s->parent, moved, (size_t)n * sizeof(int));
    for (k = 0; k < n; k++) s->position[s->order[k]] = k;
    dcsi_counts(g, s->order, s->position, s->parent, s->count, work);
    return DCS_OK;
}

/* Scalars in L and multiply-adds of Cholesky, from the node counts. Column t of a node with count c
   has b c - t scalars; a column of h scalars costs about h^2 operations. */
static void dcsi_fill(const dcsi_symbolic *s, int b, int64_t *nonzeros, double *flops)
{
    int k, t;
    *nonzeros = 0, *flops = 0;
    for (k = 0; k < s->n; k++)
        for (t = 0; t < b; t++) {
            int64_t h = (int64_t)b * s->count[k] - t;
            *nonzeros += h;
            *flops += (double)h * (double)h;
        }
}

typedef struct dcsi_merge {
    int m; /* panels before merging */
    int *first, *width, *height;
    int *into;            /* panel it joined, or -1 */
    int *child, *sibling; /* lists of children, last child first */
    double *zeros;        /* explicit zeros, in nodes */
    int *of;              /* panel of a column */
} dcsi_merge;

/* Columns j and j+1 share a panel when j+1 is the parent of j and has one row less. */
static dcs_result dcsi_find_panels(dcsi_pool *pool, const dcsi_symbolic *s, dcsi_merge *g)
{
    int n = s->n, j, m = 0;
    g->first = dcsi_take_ints(pool, (ptrdiff_t)n + 1);
    g->of = dcsi_take_ints(pool, n);
    if (pool->status != DCS_OK) return pool->status;
    for (j = 0; j < n; j++) {
        if (j == 0 || s->parent[j - 1] != j || s->count[j - 1] != s->count[j] + 1)
            g->first[m++] = j;
        g->of[j] = m - 1;
    }
    g->first[m] = n;
    g->m = m;
    g->width = dcsi_take_ints(pool, m);
    g->height = dcsi_take_ints(pool, m);
    g->into = dcsi_take_ints(pool, m);
    g->child = dcsi_take_ints(pool, m);
    g->sibling = dcsi_take_ints(pool, m);
    g->zeros = dcsi_take_doubles(pool, m);
    if (pool->status != DCS_OK) return pool->status;
    for (j = 0; j < m; j++) {
        g->width[j] = g->first[j + 1] - g->first[j];
        g->height[j] = s->count[g->first[j]];
        g->into[j] = g->child[j] = g->sibling[j] = -1;
        g->zeros[j] = 0;
    }
    for (j = 0; j < m; j++) {
        int up = s->parent[g->first[j + 1] - 1], t;
        if (up < 0) continue;
        t = g->of[up];
        g->sibling[j] = g->child[t];
        g->child[t] = j;
    }
    return DCS_OK;
}

/* Should a panel of this width (scalar columns) exist although a share of it is zeros? Narrow
   panels cost more in bookkeeping than zeros do in arithmetic. */
static int dcsi_merge_pays(double width, double share, double relax)
{
    if (share <= 0) return 1;
    if (width <= 8) return share <= 0.5 * relax;
    if (width <= 16) return share <= 0.25 * relax;
    if (width <= 48) return share <= 0.12 * relax;
    return share <= 0.05 * relax;
}

/* Bottom-up: let children join while it pays. The union of a child and its parent has the columns
   of both and the rows of the parent. */
static void dcsi_merge_panels(dcsi_merge *g, int b, double relax)
{
    int t, c;
    for (t = 0; t < g->m; t++)
        for (c = g->child[t]; c >= 0; c = g->sibling[c]) {
            int width = g->width[c] + g->width[t];
            int added = g->height[t] - (g->height[c] - g->width[c]);
            double zeros = g->zeros[c] + g->zeros[t] + (double)added * g->width[c];
            double height = (double)g->height[t] + g->width[c];
            double all = width * height - 0.5 * width * (width - 1.0);
            if (!dcsi_merge_pays((double)width * b, zeros / all, relax)) continue;
            g->into[c] = t;
            g->width[t] = width;
            g->height[t] += g->width[c];
            g->zeros[t] = zeros;
        }
}

/* Renumber so that the columns of a group are neighbours. A group comes after all groups below it
   in the tree because its number is that of its topmost panel. */
static dcs_result dcsi_number_groups(dcsi_pool *pool, dcsi_symbolic *s, dcsi_merge *g)
{
    int n = s->n, k, t, *key = dcsi_take_ints(pool, n), *sorted = dcsi_take_ints(pool, n);
    int *start = dcsi_take_ints(pool, (ptrdiff_t)g->m + 1), *order = s->parent;
    s->first = dcsi_take_ints(pool, (ptrdiff_t)g->m + 1);
    s->row_start = (ptrdiff_t *)dcsi_pool_take(pool, (ptrdiff_t)g->m + 1, sizeof(ptrdiff_t));
    if (pool->status != DCS_OK) return pool->status;
    for (t = g->m - 1; t >= 0; t--) g->into[t] = g->into[t] < 0 ? t : g->into[g->into[t]];
    for (k = 0; k < n; k++) key[k] = g->into[g->of[k]];
    dcsi_bucket_sort(n, g->m, key, NULL, sorted, start);
    for (k = 0; k < n; k++) order[k] = s->order[sorted[k]];
    memcpy(s->order, order, (size_t)n * sizeof(int));
    for (k = 0; k < n; k++) s->position[s->order[k]] = k;
    s->groups = 0;
    s->row_start[0] = 0;
    for (t = 0; t < g->m; t++) {
        if (g->into[t] != t) continue;
        s->first[s->groups++] = start[t];
        s->row_start[s->groups] = s->row_start[s->groups - 1] + g->height[t] - g->width[t];
    }
    s->first[s->groups] = n;
    return DCS_OK;
}

/* Sort every list of rows: deal the groups out to their rows, then collect row by row. */
static dcs_result dcsi_sort_rows(dcsi_pool *pool, dcsi_symbolic *s)
{
    ptrdiff_t total = s->row_start[s->groups], p, *fill, *next;
    int *dealt = dcsi_take_ints(pool, total), k, t;
    fill = (ptrdiff_t *)dcsi_pool_take(pool, (ptrdiff_t)s->n + 1, sizeof(ptrdiff_t));
    next = (ptrdiff_t *)dcsi_pool_take(pool, s->groups, sizeof(ptrdiff_t));
    if (pool->status != DCS_OK) return pool->status;
    for (k = 0; k <= s->n; k++) fill[k] = 0;
    for (p = 0; p < total; p++) fill[s->rows[p] + 1]++;
    for (k = 0; k < s->n; k++) fill[k + 1] += fill[k];
    for (t = 0; t < s->groups; t++)
        for (p = s->row_start[t]; p < s->row_start[t + 1]; p++) dealt[fill[s->rows[p]]++] = t;
    for (t = 0; t < s->groups; t++) next[t] = s->row_start[t];
    for (k = 0, p = 0; k < s->n; k++)
        for (; p < fill[k]; p++) s->rows[next[dealt[p]]++] = k;
    return DCS_OK;
}

/* Rows of every group: those of A below its columns, and those its children pass on. */
static dcs_result dcsi_find_rows(dcsi_pool *pool, const dcsi_graph *g, dcsi_symbolic *s)
{
    int n = s->n, t, c, k, p, *mark = dcsi_take_ints(pool, n), *of = dcsi_take_ints(pool, n);
    int *child = dcsi_take_ints(pool, s->groups), *sibling = dcsi_take_ints(pool, s->groups);
    s->rows = dcsi_take_ints(pool, s->row_start[s->groups]);
    if (pool->status != DCS_OK) return pool->status;
    dcsi_fill_ints(mark, n, -1);
    dcsi_fill_ints(child, s->groups, -1);
    for (t = 0; t < s->groups; t++)
        for (k = s->first[t]; k < s->first[t + 1]; k++) of[k] = t;
    for (t = 0; t < s->groups; t++) {
        int end = s->first[t + 1], lowest = n;
        ptrdiff_t at = s->row_start[t], q;
        for (k = s->first[t]; k < end; k++) {
            int v = s->order[k];
            for (p = g->start[v]; p < g->start[v + 1]; p++) {
                int row = s->position[g->adj[p]];
                if (row >= end && mark[row] != t) mark[row] = t, s->rows[at++] = row;
            }
        }
        for (c = child[t]; c >= 0; c = sibling[c])
            for (q = s->row_start[c]; q < s->row_start[c + 1]; q++) {
                int row = s->rows[q];
                if (row >= end && mark[row] != t) mark[row] = t, s->rows[at++] = row;
            }
        DCS_ASSERT(at == s->row_start[t + 1]);
        for (q = s->row_start[t]; q < at; q++) lowest = dcsi_min(lowest, s->rows[q]);
        if (lowest < n) sibling[t] = child[of[lowest]], child[of[lowest]] = t;
    }
    return dcsi_sort_rows(pool, s);
}

/* >>analysis -----------------------------------------------------------------------------------
   The immutable result: panels in scalars, and the place of every entry of the input in them.

   Panel s has the columns first[s] .. first[s+1]-1, nc of them, and m = row_start[s+1] -
   row_start[s] rows below. Packed, rows stand in bands of 4: ceil(nc/4) bands for the triangle on
   the diagonal, ceil(m/4) for the rest, missing rows being zero. Band g stores for column k its
   four rows side by side at offset (g*nc + k)*4. In the buffer where a panel is assembled, the same
   rows are a column-major array with `lead` rows, the last 4 of which collect what belongs
   nowhere. */

struct dcs_analysis {
    dcsi_pool pool;
    dcs_desc desc;
    dcs_info info;
    int n, block, size;    /* nodes, scalars per node, n * block */
    int entries;           /* of the input pattern */
    int *order, *position; /* node eliminated k-th, and the inverse */
    int supers;
    int *first;                    /* supers + 1: scalar columns */
    int *of;                       /* supernode of a scalar column */
    ptrdiff_t *row_start;          /* supers + 1 */
    int *rows;                     /* scalar rows below the columns, rising */
    ptrdiff_t *panel_start;        /* supers + 1: in doubles */
    int *entry_start;              /* supers + 1 */
    int *entry_source;             /* 2 * input entry + 1 if the order swaps row and column */
    int *entry_row, *entry_column; /* where its block starts in the buffer */
    int max_rows;                  /* longest list of rows */
    ptrdiff_t max_work;            /* largest buffer, in doubles */
    ptrdiff_t max_panel;           /* largest packed panel, in doubles */
    int branches, *branch;         /* panels [branch[2 i], branch[2 i + 1]) need no other panel */
};

static int dcsi_bands(int rows)
{
    return (rows + 3) / 4;
}

static int dcsi_lead(int nc, int m)
{
    int lead = 4 * (dcsi_bands(nc) + dcsi_bands(m)) + 4;
    return lead % 64 == 0 ? lead + 4 : lead; /* columns must not share cache sets */
}

/* Number of nodes per piece when a group of `width` nodes is cut into panels of at most max_width
   scalars: nearly equal pieces whose scalar widths are multiples of 4. */
static int dcsi_piece(int width, int b, int max_width)
{
    int unit = b % 4 == 0 ? 1 : b % 2 == 0 ? 2 : 4, pieces, per;
    if ((ptrdiff_t)width * b <= max_width) return dcsi_max(width, 1);
    pieces = (int)(((ptrdiff_t)width * b + max_width - 1) / max_width);
    per = (width + pieces - 1) / pieces;
    per = (per + unit - 1) / unit * unit;
    return dcsi_max(1, per);
}

/* Count panels and their rows after cutting. */
static void dcsi_count_pieces(dcs_analysis *a, const dcsi_symbolic *s, ptrdiff_t *rows)
{
    int t, k;
    a->supers = 0;
    *rows = 0;
    for (t = 0; t < s->groups; t++) {
        int width = s->first[t + 1] - s->first[t];
        int per = dcsi_piece(width, a->block, a->desc.max_width);
        ptrdiff_t below = s->row_start[t + 1] - s->row_start[t];
        for (k = 0; k < width; k += per) {
            a->supers++;
            *rows += (below + width - dcsi_min(k + per, width)) * a->block;
        }
    }
}

static dcs_result dcsi_take_panels(dcs_analysis *a, ptrdiff_t rows)
{
    dcsi_pool *pool = &a->pool;
    a->first = dcsi_take_ints(pool, (ptrdiff_t)a->supers + 1);
    a->of = dcsi_take_ints(pool, a->size);
    a->row_start = (ptrdiff_t *)dcsi_pool_take(pool, (ptrdiff_t)a->supers + 1, sizeof(ptrdiff_t));
    a->rows = dcsi_take_ints(pool, rows);
    a->panel_start = (ptrdiff_t *)dcsi_pool_take(pool, (ptrdiff_t)a->supers + 1, sizeof(ptrdiff_t));
    a->entry_start = dcsi_take_ints(pool, (ptrdiff_t)a->supers + 1);
    a->entry_source = dcsi_take_ints(pool, a->entries);
    a->entry_row = dcsi_take_ints(pool, a->entries);
    a->entry_column = dcsi_take_ints(pool, a->entries);
    return pool->status;
}

/* One panel: node columns [from, to) of group t. */
static dcs_result dcsi_add_panel(dcs_analysis *a, const dcsi_symbolic *s, int t, int from, int to,
                                 int super)
{
    int b = a->block, k, c, nc = (to - from) * b, m;
    ptrdiff_t at = a->row_start[super], q, work, panel;
    a->first[super] = from * b;
    for (k = from * b; k < to * b; k++) a->of[k] = super;
    for (k = to * b; k < s->first[t + 1] * b; k++) a->rows[at++] = k;
    for (q = s->row_start[t]; q < s->row_start[t + 1]; q++)
        for (c = 0; c < b; c++) a->rows[at++] = s->rows[q] * b + c;
    a->row_start[super + 1] = at;
    m = (int)(at - a->row_start[super]);
    if ((double)dcsi_lead(nc, m) * nc > (double)(PTRDIFF_MAX / 64)) return DCS_ERROR_TOO_LARGE;
    work = (ptrdiff_t)dcsi_lead(nc, m) * nc;
    panel = (ptrdiff_t)4 * (dcsi_bands(nc) + dcsi_bands(m)) * nc;
    if (a->panel_start[super] > PTRDIFF_MAX / 32 - panel) return DCS_ERROR_TOO_LARGE;
    a->panel_start[super + 1] = a->panel_start[super] + panel;
    a->info.stored_nonzeros += (int64_t)nc * m + (int64_t)nc * (nc + 1) / 2;
    a->max_rows = dcsi_max(a->max_rows, m);
    if (work > a->max_work) a->max_work = work;
    if (panel > a->max_panel) a->max_panel = panel;
    return DCS_OK;
}

static dcs_result dcsi_make_panels(dcs_analysis *a, const dcsi_symbolic *s)
{
    ptrdiff_t rows;
    int t, k, super = 0;
    dcsi_count_pieces(a, s, &rows);
    if (dcsi_take_panels(a, rows) != DCS_OK) return a->pool.status;
    a->row_start[0] = a->panel_start[0] = 0;
    for (t = 0; t < s->groups; t++) {
        int width = s->first[t + 1] - s->first[t];
        int per = dcsi_piece(width, a->block, a->desc.max_width);
        for (k = 0; k < width; k += per) {
            dcs_result result = dcsi_add_panel(a, s, t, s->first[t] + k,
                                               s->first[t] + dcsi_min(k + per, width), super++);
            if (result != DCS_OK) return a->pool.status = result;
        }
    }
    a->first[super] = a->size;
    return DCS_OK;
}

/* Cost of a panel: operations of a dense factorisation of its columns. */
static double dcsi_panel_cost(const dcs_analysis *a, int s)
{
    double nc = a->first[s + 1] - a->first[s], m = (double)(a->row_start[s + 1] - a->row_start[s]);
    return nc * (m + nc) * (m + nc);
}

/* Independent branches of the tree of panels, for threads: maximal subtrees of at most 1/24 of the
   work, small neighbours joined. They depend on the matrix alone, never on the number of threads,
   and fix the order of all operations. None when the whole is too small to be worth a thread. */
static dcs_result dcsi_find_branches(dcsi_pool *scratch, dcs_analysis *a)
{
    double *cost = dcsi_take_doubles(scratch, a->supers), total = 0, limit, last = 0;
    int *low = dcsi_take_ints(scratch, a->supers), s, up;
    a->branch = dcsi_take_ints(&a->pool, 2 * (ptrdiff_t)a->supers);
    if (scratch->status != DCS_OK) return scratch->status;
    if (a->pool.status != DCS_OK) return a->pool.status;
    for (s = 0; s < a->supers; s++) cost[s] = dcsi_panel_cost(a, s), low[s] = s, total += cost[s];
    limit = total / 24;
    for (s = 0; s < a->supers; s++) {
        up = a->row_start[s] < a->row_start[s + 1] ? a->of[a->rows[a->row_start[s]]] : -1;
        if (up >= 0) cost[up] += cost[s], low[up] = dcsi_min(low[up], low[s]);
    }
    for (s = 0; s < a->supers && total > 1e6; s++) {
        int *range = a->branch + 2 * (ptrdiff_t)a->branches;
        up = a->row_start[s] < a->row_start[s + 1] ? a->of[a->rows[a->row_start[s]]] : -1;
        if (cost[s] > limit || (up >= 0 && cost[up] <= limit)) continue;
        if (a->branches > 0 && range[-1] == low[s] && last + cost[s] <= limit) {
            range[-1] = s + 1;
            last += cost[s];
            continue;
        }
        range[0] = low[s], range[1] = s + 1;
        last = cost[s];
        a->branches++;
    }
    return DCS_OK;
}

/* Column of the factor (in nodes) that entry (i, j) of the input goes to. */
static int dcsi_entry_column(const dcs_analysis *a, int i, int j)
{
    return dcsi_min(a->position[i], a->position[j]);
}

/* Sort the input entries by panel and note where in the buffer each block goes. */
static dcs_result dcsi_map_entries(dcsi_pool *pool, dcs_analysis *a, const int *col_start,
                                   const int *row_index)
{
    int *column = dcsi_take_ints(pool, a->entries), *key = dcsi_take_ints(pool, a->entries);
    int *sorted = dcsi_take_ints(pool, a->entries), *place = dcsi_take_ints(pool, a->size);
    int j, p, s, b = a->block, k;
    ptrdiff_t q;
    if (pool->status != DCS_OK) return pool->status;
    for (j = 0; j < a->n; j++)
        for (p = col_start[j]; p < col_start[j + 1]; p++) {
            column[p] = j;
            key[p] = a->of[dcsi_entry_column(a, row_index[p], j) * b];
        }
    dcsi_bucket_sort(a->entries, a->supers, key, NULL, sorted, a->entry_start);
    for (s = 0; s < a->supers; s++) {
        int first = a->first[s], nc = a->first[s + 1] - first;
        for (k = 0; k < nc; k++) place[first + k] = k;
        for (q = a->row_start[s]; q < a->row_start[s + 1]; q++)
            place[a->rows[q]] = 4 * dcsi_bands(nc) + (int)(q - a->row_start[s]);
        for (k = a->entry_start[s]; k < a->entry_start[s + 1]; k++) {
            int ri, cj;
            p = sorted[k];
            ri = a->position[row_index[p]], cj = a->position[column[p]];
            a->entry_source[k] = 2 * p + (ri < cj);
            a->entry_row[k] = place[dcsi_max(ri, cj) * b];
            a->entry_column[k] = dcsi_min(ri, cj) * b - first;
        }
    }
    return DCS_OK;
}

static dcs_result dcsi_check_order(const int *order, int n, int *seen, dcs_error *err)
{
    int k;
    dcsi_fill_ints(seen, n, -1);
    for (k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= n || seen[order[k]] >= 0)
            return dcsi_fail(err, DCS_ERROR_BAD_ARGUMENT, -1, k, order[k],
                             "given_order[%d] = %d is out of range or repeated", k, order[k]);
        seen[order[k]] = k;
    }
    return DCS_OK;
}

static dcs_result dcsi_check_lower(int n, const int *col_start, const int *row_index,
                                   dcs_error *err)
{
    int j, p;
    for (j = 0; j < n; j++)
        for (p = col_start[j]; p < col_start[j + 1]; p++)
            if (row_index[p] < j)
                return dcsi_fail(err, DCS_ERROR_BAD_PATTERN, row_index[p], j, p,
                                 "entry %d at (%d, %d) is above the diagonal", p, row_index[p], j);
    return DCS_OK;
}

/* AUTO tries dissection from this many nodes on: below, minimum degree fills as little. Range: any
   positive number. */
enum { DCSI_ND_FROM = 1500 };

/* AUTO: minimum degree, and for large graphs dissection; the one with less arithmetic. */
static dcs_result dcsi_order_auto(dcsi_pool *pool, const dcsi_graph *g, dcsi_symbolic *s,
                                  dcs_ordering *used)
{
    dcsi_symbolic other;
    int64_t nonzeros;
    double flops, other_flops;
    *used = DCS_ORDER_AMD;
    if (dcsi_amd_order(pool, g, NULL, s->order) != DCS_OK) return pool->status;
    if (dcsi_symbolic_tree(pool, g, s) != DCS_OK || g->n < DCSI_ND_FROM) return pool->status;
    memset(&other, 0, sizeof other);
    other.order = dcsi_take_ints(pool, g->n);
    if (pool->status != DCS_OK) return pool->status;
    if (dcsi_nd_order(pool, g, other.order) != DCS_OK) return pool->status;
    if (dcsi_symbolic_tree(pool, g, &other) != DCS_OK) return pool->status;
    dcsi_fill(s, 1, &nonzeros, &flops);
    dcsi_fill(&other, 1, &nonzeros, &other_flops);
    if (other_flops < flops) {
        *s = other;
        *used = DCS_ORDER_ND;
    }
    return DCS_OK;
}

/* Choose the order, then tree and counts; s ends up with a postorder. Scratch from pool. */
static dcs_result dcsi_choose_order(dcsi_pool *pool, const dcs_desc *desc, const dcsi_graph *g,
                                    dcsi_symbolic *s, dcs_ordering *used, dcs_error *err)
{
    int k, n = g->n, *seen = NULL;
    dcs_result result = DCS_OK;
    memset(s, 0, sizeof *s);
    s->order = dcsi_take_ints(pool, n);
    if (pool->status != DCS_OK) return pool->status;
    *used = desc->ordering;
    switch (desc->ordering) {
    case DCS_ORDER_AUTO:
        return dcsi_order_auto(pool, g, s, used);
    case DCS_ORDER_AMD:
        result = dcsi_amd_order(pool, g, NULL, s->order);
        break;
    case DCS_ORDER_ND:
        result = dcsi_nd_order(pool, g, s->order);
        break;
    case DCS_ORDER_NATURAL:
        for (k = 0; k < n; k++) s->order[k] = k;
        break;
    case DCS_ORDER_GIVEN:
        seen = dcsi_take_ints(pool, n);
        if (pool->status != DCS_OK) return pool->status;
        result = dcsi_check_order(desc->given_order, n, seen, err);
        if (result == DCS_OK) memcpy(s->order, desc->given_order, (size_t)n * sizeof(int));
        break;
    }
    return result == DCS_OK ? dcsi_symbolic_tree(pool, g, s) : result;
}

static dcs_result dcsi_check_analysis(int n, int block, const int *col_start, const int *row_index,
                                      dcs_error *err)
{
    dcs_result result = dcsi_check_sizes(n, n, block, err);
    if (result == DCS_OK) result = dcsi_check_pattern(n, n, col_start, row_index, err);
    if (result == DCS_OK) result = dcsi_check_lower(n, col_start, row_index, err);
    return result;
}

DCS_API dcs_result dcs_count_fill(const dcs_desc *desc, int n, int block, const int *col_start,
                                  const int *row_index, int64_t *nonzeros, dcs_error *err)
{
    dcs_desc checked;
    dcsi_pool pool;
    dcsi_graph g;
    dcsi_symbolic s;
    dcs_ordering used;
    dcs_result result;
    double flops;
    dcsi_clear_error(err);
    if (!nonzeros) return dcsi_bad_argument(err, "nonzeros is NULL");
    if ((result = dcsi_check_desc(desc, &checked, err)) != DCS_OK) return result;
    result = dcsi_check_analysis(n, block, col_start, row_index, err);
    if (result != DCS_OK) return result;
    dcsi_pool_init(&pool, &checked.allocator);
    result = dcsi_graph_create(&pool, n, col_start, row_index, &g);
    if (result == DCS_OK) result = dcsi_choose_order(&pool, &checked, &g, &s, &used, err);
    if (result == DCS_OK) dcsi_fill(&s, block, nonzeros, &flops);
    if (pool.status != DCS_OK) result = dcsi_pool_fail(&pool, err, "counting fill");
    dcsi_pool_destroy(&pool);
    return result;
}

static int64_t dcsi_factor_bytes(const dcs_analysis *a, dcs_kind kind);

/* The parts of dcs_analysis_create that need scratch; scratch: a pool for it. */
static dcs_result dcsi_analyze(dcsi_pool *scratch, dcs_analysis *a, const int *col_start,
                               const int *row_index, dcs_error *err)
{
    dcsi_graph g;
    dcsi_symbolic s;
    dcsi_merge merge;
    dcs_result result;
    if (dcsi_graph_create(scratch, a->n, col_start, row_index, &g) != DCS_OK)
        return scratch->status;
    result = dcsi_choose_order(scratch, &a->desc, &g, &s, &a->info.ordering, err);
    if (result != DCS_OK) return result;
    dcsi_fill(&s, a->block, &a->info.factor_nonzeros, &a->info.flops);
    if (dcsi_find_panels(scratch, &s, &merge) != DCS_OK) return scratch->status;
    dcsi_merge_panels(&merge, a->block, a->desc.relax);
    if (dcsi_number_groups(scratch, &s, &merge) != DCS_OK) return scratch->status;
    if (dcsi_find_rows(scratch, &g, &s) != DCS_OK) return scratch->status;
    a->order = dcsi_take_ints(&a->pool, a->n);
    a->position = dcsi_take_ints(&a->pool, a->n);
    if (a->pool.status != DCS_OK) return a->pool.status;
    memcpy(a->order, s.order, (size_t)a->n * sizeof(int));
    memcpy(a->position, s.position, (size_t)a->n * sizeof(int));
    if (dcsi_make_panels(a, &s) != DCS_OK) return a->pool.status;
    if ((result = dcsi_find_branches(scratch, a)) != DCS_OK) return result;
    if (dcsi_map_entries(scratch, a, col_start, row_index) != DCS_OK) return scratch->status;
    a->info.supernodes = a->supers;
    a->info.factor_bytes = dcsi_factor_bytes(a, DCS_CHOLESKY);
    return DCS_OK;
}

DCS_API dcs_result dcs_analysis_create(const dcs_desc *desc, int n, int block, const int *col_start,
                                       const int *row_index, dcs_analysis **out, dcs_error *err)
{
    dcs_desc checked;
    dcsi_pool pool, scratch;
    dcs_analysis *a;
    dcs_result result;
    dcsi_clear_error(err);
    if (!out) return dcsi_bad_argument(err, "out is NULL");
    *out = NULL;
    if ((result = dcsi_check_desc(desc, &checked, err)) != DCS_OK) return result;
    result = dcsi_check_analysis(n, block, col_start, row_index, err);
    if (result != DCS_OK) return result;
    dcsi_pool_init(&pool, &checked.allocator);
    a = (dcs_analysis *)dcsi_pool_take(&pool, 1, sizeof *a);
    if (!a) return dcsi_pool_fail(&pool, err, "analysis");
    memset(a, 0, sizeof *a);
    a->pool = pool;
    a->desc = checked;
    a->n = n, a->block = block, a->size = n * block, a->entries = col_start[n];
    dcsi_pool_init(&scratch, &checked.allocator);
    result = dcsi_analyze(&scratch, a, col_start, row_index, err);
    a->desc.given_order = NULL; /* the caller's array is not kept */
    if (scratch.status != DCS_OK) result = dcsi_pool_fail(&scratch, err, "analysis");
    if (a->pool.status != DCS_OK) result = dcsi_pool_fail(&a->pool, err, "analysis");
    dcsi_pool_destroy(&scratch);
    if (result == DCS_OK)
        *out = a;
    else
        dcs_analysis_destroy(a);
    return result;
}

DCS_API void dcs_analysis_destroy(dcs_analysis *a)
{
    dcsi_pool pool;
    if (!a) return;
    pool = a->pool; /* the object lives in its own pool */
    dcsi_pool_destroy(&pool);
}

DCS_API dcs_info dcs_analysis_get_info(const dcs_analysis *a)
{
    return a->info;
}

DCS_API const int *dcs_analysis_get_order(const dcs_analysis *a)
{
    return a->order;
}

/* >>kernels ------------------------------------------------------------------------------------
   Products of packed bands. A band is 4 rows of a panel, row i of column k at [4*k + i]. A tile is
   c(i, j) = sum over k < n of a(i, k) b(j, k) for one to three bands of rows i, `step` numbers
   apart, and up to 4 rows j of other bands. Result: c[4*band + j], lanes are rows. The arrays of
   vectors have constant indices once this is inlined with constant `bands` and `cols`, and then
   live in registers: 3 bands and 4 columns use all 16 of AVX2. */
static DCSI_INLINE void dcsi_tile(int n, int bands, int cols, const double *a, ptrdiff_t step,
                                  const double *const *b, dcsi_v4 *c)
{
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    dcsi_v4 c0, c1, c2, c3, d0, d1, d2, d3, e0, e1, e2, e3, v, w, x, s;
    ptrdiff_t k, end = 4 * (ptrdiff_t)n;
    dcsi_v4_zero(&c0), dcsi_v4_zero(&c1), dcsi_v4_zero(&c2), dcsi_v4_zero(&c3);
    dcsi_v4_zero(&d0), dcsi_v4_zero(&d1), dcsi_v4_zero(&d2), dcsi_v4_zero(&d3);
    dcsi_v4_zero(&e0), dcsi_v4_zero(&e1), dcsi_v4_zero(&e2), dcsi_v4_zero(&e3);
    dcsi_v4_zero(&w), dcsi_v4_zero(&x);
    for (k = 0; k < end; k += 4) {
        dcsi_v4_load(&v, a + k);
        if (bands > 1) dcsi_v4_load(&w, a + step + k);
        if (bands > 2) dcsi_v4_load(&x, a + 2 * step + k);
        if (bands > 2) dcsi_v4_pin(&v), dcsi_v4_pin(&w), dcsi_v4_pin(&x); /* 3 bands: wide only */
        dcsi_v4_splat(&s, b0[k]);
        if (bands > 2) dcsi_v4_pin(&s);
        dcsi_v4_fmav(&c0, &v, &s);
        if (bands > 1) dcsi_v4_fmav(&d0, &w, &s);
        if (bands > 2) dcsi_v4_fmav(&e0, &x, &s);
        if (cols > 1) dcsi_v4_splat(&s, b1[k]);
        if (cols > 1 && bands > 2) dcsi_v4_pin(&s);
        if (cols > 1) dcsi_v4_fmav(&c1, &v, &s);
        if (cols > 1 && bands > 1) dcsi_v4_fmav(&d1, &w, &s);
        if (cols > 1 && bands > 2) dcsi_v4_fmav(&e1, &x, &s);
        if (cols > 2) dcsi_v4_splat(&s, b2[k]);
        if (cols > 2 && bands > 2) dcsi_v4_pin(&s);
        if (cols > 2) dcsi_v4_fmav(&c2, &v, &s);
        if (cols > 2 && bands > 1) dcsi_v4_fmav(&d2, &w, &s);
        if (cols > 2 && bands > 2) dcsi_v4_fmav(&e2, &x, &s);
        if (cols > 3) dcsi_v4_splat(&s, b3[k]);
        if (cols > 3 && bands > 2) dcsi_v4_pin(&s);
        if (cols > 3) dcsi_v4_fmav(&c3, &v, &s);
        if (cols > 3 && bands > 1) dcsi_v4_fmav(&d3, &w, &s);
        if (cols > 3 && bands > 2) dcsi_v4_fmav(&e3, &x, &s);
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
    if (bands > 1) c[4] = d0, c[5] = d1, c[6] = d2, c[7] = d3;
    if (bands > 2) c[8] = e0, c[9] = e1, c[10] = e2, c[11] = e3;
}

#if DCSI_V8
typedef double dcsi_v8 __attribute__((vector_size(64)));

/* Two bands in one register. */
static DCSI_INLINE void dcsi_v8_load(dcsi_v8 *v, const double *p, const double *q)
{
    dcsi_v4 a = *(const dcsi_v4m *)p, b = *(const dcsi_v4m *)q;
    *v = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

static DCSI_INLINE void dcsi_v8_fma(dcsi_v8 *acc, const dcsi_v8 *a, double s)
{
    dcsi_v8 b = {s, s, s, s, s, s, s, s};
    *acc += *a * b;
}

static DCSI_INLINE void dcsi_v8_split(const dcsi_v8 *v, dcsi_v4 *a, dcsi_v4 *b)
{
    *a = __builtin_shufflevector(*v, *v, 0, 1, 2, 3);
    *b = __builtin_shufflevector(*v, *v, 4, 5, 6, 7);
}

/* dcsi_tile for six bands and four columns. */
static DCSI_INLINE void dcsi_tile_6(int n, const double *a, ptrdiff_t step, const double *const *b,
                                    dcsi_v4 *c)
{
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    const dcsi_v8 zero = {0, 0, 0, 0, 0, 0, 0, 0};
    dcsi_v8 c0 = zero, c1 = zero, c2 = zero, c3 = zero, d0 = zero, d1 = zero, d2 = zero, d3 = zero;
    dcsi_v8 e0 = zero, e1 = zero, e2 = zero, e3 = zero, u, v, w;
    ptrdiff_t k, end = 4 * (ptrdiff_t)n;
    for (k = 0; k < end; k += 4) {
        dcsi_v8_load(&u, a + k, a + step + k);
        dcsi_v8_load(&v, a + 2 * step + k, a + 3 * step + k);
        dcsi_v8_load(&w, a + 4 * step + k, a + 5 * step + k);
        dcsi_v8_fma(&c0, &u, b0[k]), dcsi_v8_fma(&d0, &v, b0[k]), dcsi_v8_fma(&e0, &w, b0[k]);
        dcsi_v8_fma(&c1, &u, b1[k]), dcsi_v8_fma(&d1, &v, b1[k]), dcsi_v8_fma(&e1, &w, b1[k]);
        dcsi_v8_fma(&c2, &u, b2[k]), dcsi_v8_fma(&d2, &v, b2[k]), dcsi_v8_fma(&e2, &w, b2[k]);
        dcsi_v8_fma(&c3, &u, b3[k]), dcsi_v8_fma(&d3, &v, b3[k]), dcsi_v8_fma(&e3, &w, b3[k]);
    }
    dcsi_v8_split(&c0, c, c + 4), dcsi_v8_split(&c1, c + 1, c + 5);
    dcsi_v8_split(&c2, c + 2, c + 6), dcsi_v8_split(&c3, c + 3, c + 7);
    dcsi_v8_split(&d0, c + 8, c + 12), dcsi_v8_split(&d1, c + 9, c + 13);
    dcsi_v8_split(&d2, c + 10, c + 14), dcsi_v8_split(&d3, c + 11, c + 15);
    dcsi_v8_split(&e0, c + 16, c + 20), dcsi_v8_split(&e1, c + 17, c + 21);
    dcsi_v8_split(&e2, c + 18, c + 22), dcsi_v8_split(&e3, c + 19, c + 23);
}
#endif

/* to -= c */
static DCSI_INLINE void dcsi_subtract(double *to, const dcsi_v4 *c)
{
    dcsi_v4 v;
    dcsi_v4_load(&v, to);
    dcsi_v4_sub(&v, c);
    dcsi_v4_store(to, &v);
}

/* >>update -------------------------------------------------------------------------------------
   An earlier panel subtracts its share from the panel in the buffer: for its rows from p1 on and
   the columns that its rows p1..p2-1 are in the present panel, w(i, j) -= a(i, :) b(j, :). */

typedef struct dcsi_update {
    const double *a; /* bands of the rows below the diagonal of the earlier panel */
    const double *b; /* the same rows of the other operand; Cholesky: a */
    int b_band;      /* band of the rows that b starts with */
    int n;           /* columns of the earlier panel */
    int p1, p2, m;
    int lower;        /* only i >= j matters (symmetric) */
    int skip;         /* only i >= p2 matters (second triangle of LU) */
    const int *place; /* 4 per band: row in the buffer */
    const int *run;   /* per band: its four rows are neighbours in the buffer */
    double *w;
    ptrdiff_t lead;
} dcsi_update;

/* Subtract one 4 x cols tile; to: its columns in the buffer. */
static DCSI_INLINE void dcsi_scatter(const dcsi_update *u, int band, int cols, double *const *to,
                                     const dcsi_v4 *c)
{
    const int *row = u->place + 4 * (ptrdiff_t)band;
    double v[16];
    int j;
    if (u->run[band]) {
        dcsi_subtract(to[0] + row[0], &c[0]);
        if (cols > 1) dcsi_subtract(to[1] + row[0], &c[1]);
        if (cols > 2) dcsi_subtract(to[2] + row[0], &c[2]);
        if (cols > 3) dcsi_subtract(to[3] + row[0], &c[3]);
        return;
    }
    dcsi_v4_store(v, &c[0]);
    if (cols > 1) dcsi_v4_store(v + 4, &c[1]);
    if (cols > 2) dcsi_v4_store(v + 8, &c[2]);
    if (cols > 3) dcsi_v4_store(v + 12, &c[3]);
    for (j = 0; j < cols; j++) {
        to[j][row[0]] -= v[4 * j];
        to[j][row[1]] -= v[4 * j + 1];
        to[j][row[2]] -= v[4 * j + 2];
        to[j][row[3]] -= v[4 * j + 3];
    }
}

/* Bands [g0, g1) against the columns q .. q + cols - 1; cols <= 4 is a constant here. */
static DCSI_INLINE void dcsi_update_columns(const dcsi_update *u, int g0, int g1, int q, int cols,
                                            int wide)
{
    const double *b[4], *a;
    double *to[4];
    dcsi_v4 c[24];
    ptrdiff_t step = 4 * (ptrdiff_t)u->n;
    int g, j;
    for (j = 0; j < 4; j++) {
        int row = q + (j < cols ? j : 0);
        b[j] = u->b + ((row >> 2) - u->b_band) * step + (row & 3);
        to[j] = u->w + u->place[row] * u->lead;
    }
    if (u->lower) g0 = dcsi_max(g0, q >> 2);
    g = g0;
    a = u->a + g * step;
#if DCSI_V8
    for (; wide == 2 && cols == 4 && g + 5 < g1; g += 6, a += 6 * step) {
        dcsi_tile_6(u->n, a, step, b, c);
        dcsi_scatter(u, g, 4, to, c);
        dcsi_scatter(u, g + 1, 4, to, c + 4);
        dcsi_scatter(u, g + 2, 4, to, c + 8);
        dcsi_scatter(u, g + 3, 4, to, c + 12);
        dcsi_scatter(u, g + 4, 4, to, c + 16);
        dcsi_scatter(u, g + 5, 4, to, c + 20);
    }
#endif
    for (; wide && g + 2 < g1; g += 3, a += 3 * step) {
        dcsi_tile(u->n, 3, cols, a, step, b, c);
        dcsi_scatter(u, g, cols, to, c);
        dcsi_scatter(u, g + 1, cols, to, c + 4);
        dcsi_scatter(u, g + 2, cols, to, c + 8);
    }
    if (wide && g + 1 < g1) {
        dcsi_tile(u->n, 2, cols, a, step, b, c);
        dcsi_scatter(u, g, cols, to, c);
        dcsi_scatter(u, g + 1, cols, to, c + 4);
        return;
    }
    for (; g < g1; g++, a += step) {
        dcsi_tile(u->n, 1, cols, a, step, b, c);
        dcsi_scatter(u, g, cols, to, c);
    }
}

/* All tiles, in blocks of bands that fit the first-level cache together with four rows of b. */
static DCSI_INLINE void dcsi_update_run(const dcsi_update *u, int wide)
{
    int first = (u->skip ? u->p2 : u->p1) >> 2, end = dcsi_bands(u->m), g, q;
    int block = dcsi_max(6, 512 / dcsi_max(u->n, 1) / 6 * 6); /* 16 KB of a, whole tiles */
    for (g = first; g < end; g += block) {
        int last = dcsi_min(g + block, end);
        for (q = u->p1; q + 4 <= u->p2; q += 4) dcsi_update_columns(u, g, last, q, 4, wide);
        switch (u->p2 - q) {
        case 1:
            dcsi_update_columns(u, g, last, q, 1, wide);
            break;
        case 2:
            dcsi_update_columns(u, g, last, q, 2, wide);
            break;
        case 3:
            dcsi_update_columns(u, g, last, q, 3, wide);
            break;
        default:
            break;
        }
    }
}

DCSI_PLAIN static void dcsi_update_plain(const dcsi_update *u)
{
    dcsi_update_run(u, DCSI_WIDE);
}

#if DCSI_DISPATCH
DCSI_AVX2 static void dcsi_update_avx2(const dcsi_update *u)
{
    dcsi_update_run(u, 1);
}
#endif

#if DCSI_DISPATCH && DCSI_V8
DCSI_AVX512 static void dcsi_update_avx512(const dcsi_update *u)
{
    dcsi_update_run(u, 2);
}
#endif

static void dcsi_update_any(const dcsi_update *u, int avx2)
{
#if DCSI_DISPATCH && DCSI_V8
    if (avx2 == 2) {
        dcsi_update_avx512(u);
        return;
    }
#endif
#if DCSI_DISPATCH
    if (avx2) {
        dcsi_update_avx2(u);
        return;
    }
#endif
    (void)avx2;
    dcsi_update_plain(u);
}

#if defined(DCS_USE_BLAS)
#include <cblas.h>

/* Rows [from, from + count) of packed bands of n columns as a column-major matrix. */
static void dcsi_unpack(const double *bands, int n, int from, int count, double *to)
{
    int i, k;
    for (k = 0; k < n; k++)
        for (i = 0; i < count; i++, to++) {
            int row = from + i;
            *to = bands[((ptrdiff_t)(row >> 2) * n + k) * 4 + (row & 3)];
        }
}

/* dcsi_update_any by one matrix product, for shares large enough. blas: room for both operands and
   the product. Returns 0 if the share is too small. */
static int dcsi_update_blas(const dcsi_update *u, double *blas)
{
    int first = u->skip ? u->p2 : u->p1, rows = u->m - first, cols = u->p2 - u->p1, i, j;
    double *a = blas, *b = a + (ptrdiff_t)rows * u->n, *c = b + (ptrdiff_t)cols * u->n;
    const int *place = u->place + first;
    if (u->n < 16 || cols < 16 || rows < 32) return 0;
    dcsi_unpack(u->a, u->n, first, rows, a);
    dcsi_unpack(u->b, u->n, u->p1 - 4 * u->b_band, cols, b);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, cols, u->n, 1, a, rows, b, cols, 0,
                c, rows);
    for (j = 0; j < cols; j++) {
        double *to = u->w + u->place[u->p1 + j] * u->lead, *from = c + (ptrdiff_t)j * rows;
        for (i = u->lower ? j : 0; i < rows; i++) to[place[i]] -= from[i];
    }
    return 1;
}
#endif

/* >>panel --------------------------------------------------------------------------------------
   Factor the panel in the buffer and pack it. */

/* Inverse of a lower triangular t x t matrix l (row-major, 4 per row) by forward substitution. */
static void dcsi_invert_lower(const double *l, int t, double *inverse)
{
    int i, j, k;
    for (j = 0; j < t; j++) {
        for (i = 0; i < j; i++) inverse[4 * i + j] = 0;
        inverse[4 * j + j] = 1 / l[4 * j + j];
        for (i = j + 1; i < t; i++) {
            double sum = 0;
            for (k = j; k < i; k++) sum += l[4 * i + k] * inverse[4 * k + j];
            inverse[4 * i + j] = -sum / l[4 * i + i];
        }
    }
}

/* Store the inverted diagonal block of band g into its panel: t columns, rows beyond t zero. */
static void dcsi_store_inverse(double *panel, int nc, int g, int t, const double *inverse)
{
    double *to = panel + ((ptrdiff_t)g * nc + 4 * (ptrdiff_t)g) * 4;
    int i, j;
    for (j = 0; j < t; j++)
        for (i = 0; i < 4; i++) to[4 * j + i] = i < t && i >= j ? inverse[4 * i + j] : 0;
}

/* out(:, 0..t-1) = (w - c) inverse^T for a band: w points at t columns of the buffer, `inverse` at
   the packed inverted diagonal block. */
static DCSI_INLINE void dcsi_finish_tile(const dcsi_v4 *c, const double *w, ptrdiff_t lead, int t,
                                         const double *inverse, double *out)
{
    dcsi_v4 x0, x1, x2, x3, y;
    dcsi_v4_zero(&x1), dcsi_v4_zero(&x2), dcsi_v4_zero(&x3);
    dcsi_v4_load(&x0, w), dcsi_v4_sub(&x0, &c[0]);
    if (t > 1) dcsi_v4_load(&x1, w + lead), dcsi_v4_sub(&x1, &c[1]);
    if (t > 2) dcsi_v4_load(&x2, w + 2 * lead), dcsi_v4_sub(&x2, &c[2]);
    if (t > 3) dcsi_v4_load(&x3, w + 3 * lead), dcsi_v4_sub(&x3, &c[3]);
    dcsi_v4_zero(&y), dcsi_v4_fma(&y, &x0, inverse[0]);
    dcsi_v4_store(out, &y);
    if (t < 2) return;
    dcsi_v4_zero(&y), dcsi_v4_fma(&y, &x0, inverse[1]), dcsi_v4_fma(&y, &x1, inverse[5]);
    dcsi_v4_store(out + 4, &y);
    if (t < 3) return;
    dcsi_v4_zero(&y), dcsi_v4_fma(&y, &x0, inverse[2]), dcsi_v4_fma(&y, &x1, inverse[6]);
    dcsi_v4_fma(&y, &x2, inverse[10]);
    dcsi_v4_store(out + 8, &y);
    if (t < 4) return;
    dcsi_v4_zero(&y), dcsi_v4_fma(&y, &x0, inverse[3]), dcsi_v4_fma(&y, &x1, inverse[7]);
    dcsi_v4_fma(&y, &x2, inverse[11]), dcsi_v4_fma(&y, &x3, inverse[15]);
    dcsi_v4_store(out + 12, &y);
}

/* Solve for the column blocks [0, blocks) of one to three bands, or six: out T^T = w, T the packed triangle
   of `diagonal`. w: rows of the first band in the buffer; the others follow. */
static DCSI_INLINE void dcsi_solve_bands(const double *diagonal, int nc, int blocks, int bands,
                                         const double *w, ptrdiff_t lead, double *out)
{
    dcsi_v4 c[24];
    const double *b[4];
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    int g, k;
    for (g = 0; g < blocks; g++) {
        const double *inverse, *from = w + 4 * g * lead;
        double *to = out + 16 * (ptrdiff_t)g;
        int t = nc - 4 * g;
        b[0] = diagonal + g * step, b[1] = b[0] + 1, b[2] = b[0] + 2, b[3] = b[0] + 3;
        inverse = b[0] + 16 * (ptrdiff_t)g;
#if DCSI_V8
        if (bands == 6)
            dcsi_tile_6(4 * g, out, step, b, c);
        else
#endif
            dcsi_tile(4 * g, bands, 4, out, step, b, c);
        if (t >= 4) {
            dcsi_finish_tile(c, from, lead, 4, inverse, to);
            if (bands > 1) dcsi_finish_tile(c + 4, from + 4, lead, 4, inverse, to + step);
            if (bands > 2) dcsi_finish_tile(c + 8, from + 8, lead, 4, inverse, to + 2 * step);
            for (k = 3; k < bands; k++)
                dcsi_finish_tile(c + 4 * k, from + 4 * k, lead, 4, inverse, to + k * step);
        } else
            for (k = 0; k < bands; k++)
                dcsi_finish_tile(c + 4 * k, from + 4 * k, lead, t, inverse, to + k * step);
    }
}

/* The rows below the diagonal of a panel, given its finished triangle. */
static DCSI_INLINE void dcsi_solve_below(const double *diagonal, int nc, int m, const double *w,
                                         ptrdiff_t lead, double *below, int wide)
{
    int g = 0, bands = dcsi_bands(m), blocks = dcsi_bands(nc);
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    const double *rows = w + 4 * blocks;
    for (; DCSI_V8 && wide == 2 && g + 5 < bands; g += 6)
        dcsi_solve_bands(diagonal, nc, blocks, 6, rows + 4 * g, lead, below + g * step);
    for (; wide && g + 2 < bands; g += 3)
        dcsi_solve_bands(diagonal, nc, blocks, 3, rows + 4 * g, lead, below + g * step);
    for (; g < bands; g++)
        dcsi_solve_bands(diagonal, nc, blocks, 1, rows + 4 * g, lead, below + g * step);
}

DCSI_PLAIN static void dcsi_below_plain(const double *diagonal, int nc, int m, const double *w,
                                        ptrdiff_t lead, double *below)
{
    dcsi_solve_below(diagonal, nc, m, w, lead, below, DCSI_WIDE);
}

#if DCSI_DISPATCH
DCSI_AVX2 static void dcsi_below_avx2(const double *diagonal, int nc, int m, const double *w,
                                      ptrdiff_t lead, double *below)
{
    dcsi_solve_below(diagonal, nc, m, w, lead, below, 1);
}
#endif

#if DCSI_DISPATCH && DCSI_V8
DCSI_AVX512 static void dcsi_below_avx512(const double *diagonal, int nc, int m, const double *w,
                                          ptrdiff_t lead, double *below)
{
    dcsi_solve_below(diagonal, nc, m, w, lead, below, 2);
}
#endif

static void dcsi_below_any(const double *diagonal, int nc, int m, const double *w, ptrdiff_t lead,
                           double *below, int avx2)
{
#if DCSI_DISPATCH && DCSI_V8
    if (avx2 == 2) {
        dcsi_below_avx512(diagonal, nc, m, w, lead, below);
        return;
    }
#endif
#if DCSI_DISPATCH
    if (avx2) {
        dcsi_below_avx2(diagonal, nc, m, w, lead, below);
        return;
    }
#endif
    (void)avx2;
    dcsi_below_plain(diagonal, nc, m, w, lead, below);
}

/* x: t x t symmetric block (row-major, 4 per row, lower triangle) -> L in place and D. d is all 1
   for Cholesky. Returns the column of a bad pivot, whose value stays in x, or -1. */
static int dcsi_factor_tile(double *x, int t, int ldlt, double *d)
{
    int i, j, k;
    for (j = 0; j < t; j++) {
        double pivot = x[5 * j];
        for (k = 0; k < j; k++) pivot -= x[4 * j + k] * x[4 * j + k] * d[k];
        x[5 * j] = pivot;
        if (dcsi_not_finite(pivot) || (ldlt ? pivot == 0 : !(pivot > 0))) return j;
        d[j] = ldlt ? pivot : 1;
        x[5 * j] = ldlt ? 1 : sqrt(pivot);
        for (i = j + 1; i < t; i++) {
            double sum = x[4 * i + j];
            for (k = 0; k < j; k++) sum -= x[4 * i + k] * x[4 * j + k] * d[k];
            x[4 * i + j] = sum / (x[5 * j] * d[j]);
        }
    }
    return -1;
}

/* Divide packed rows by D: bands x nc. */
static void dcsi_scale_bands(double *rows, int bands, int nc, const double *d)
{
    int g, k;
    for (g = 0; g < bands; g++)
        for (k = 0; k < nc; k++, rows += 4)
            rows[0] /= d[k], rows[1] /= d[k], rows[2] /= d[k], rows[3] /= d[k];
}

/* Triangle on the diagonal of a symmetric panel, band by band: first the blocks left of the
   diagonal (times D for LDLT), then the diagonal block itself. row: 4*nc numbers of scratch.
   Returns the local column of a bad pivot (its value in *pivot) or -1. */
static DCSI_INLINE int dcsi_factor_triangle(const double *w, ptrdiff_t lead, int nc, int ldlt,
                                            double *panel, double *d, double *row, double *pivot)
{
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    double v[16], x[16], inverse[16];
    const double *b[4];
    dcsi_v4 c[4];
    int g, i, j, bad;
    for (g = 0; 4 * g < nc; g++) {
        double *band = panel + g * step;
        const double *wg = w + 4 * g * lead + 4 * g, *left = band;
        int t = dcsi_min(4, nc - 4 * g);
        dcsi_solve_bands(panel, nc, g, 1, w + 4 * g, lead, band);
        if (ldlt) {
            memcpy(row, band, 16 * (size_t)g * sizeof(double));
            dcsi_scale_bands(band, 1, 4 * g, d);
            left = row;
        }
        b[0] = band, b[1] = band + 1, b[2] = band + 2, b[3] = band + 3;
        dcsi_tile(4 * g, 1, 4, left, 0, b, c);
        dcsi_v4_store(v, &c[0]), dcsi_v4_store(v + 4, &c[1]);
        dcsi_v4_store(v + 8, &c[2]), dcsi_v4_store(v + 12, &c[3]);
        for (j = 0; j < t; j++)
            for (i = j; i < t; i++) x[4 * i + j] = wg[j * lead + i] - v[4 * j + i];
        bad = dcsi_factor_tile(x, t, ldlt, d + 4 * g);
        if (bad >= 0) {
            *pivot = x[5 * bad];
            return 4 * g + bad;
        }
        dcsi_invert_lower(x, t, inverse);
        dcsi_store_inverse(panel, nc, g, t, inverse);
    }
    return -1;
}

DCSI_PLAIN static int dcsi_triangle_plain(const double *w, ptrdiff_t lead, int nc, int ldlt,
                                          double *panel, double *d, double *row, double *pivot)
{
    return dcsi_factor_triangle(w, lead, nc, ldlt, panel, d, row, pivot);
}

#if DCSI_DISPATCH
DCSI_AVX2 static int dcsi_triangle_avx2(const double *w, ptrdiff_t lead, int nc, int ldlt,
                                        double *panel, double *d, double *row, double *pivot)
{
    return dcsi_factor_triangle(w, lead, nc, ldlt, panel, d, row, pivot);
}
#endif

static int dcsi_triangle_any(const double *w, ptrdiff_t lead, int nc, int ldlt, double *panel,
                             double *d, double *row, double *pivot, int avx2)
{
#if DCSI_DISPATCH
    if (avx2) return dcsi_triangle_avx2(w, lead, nc, ldlt, panel, d, row, pivot);
#endif
    (void)avx2;
    return dcsi_triangle_plain(w, lead, nc, ldlt, panel, d, row, pivot);
}

/* >>square -------------------------------------------------------------------------------------
   Dense LU of the nc x nc square in w by blocks of 8 columns, rows swapped within it.
   Pivots smaller than tiny are replaced. swap[k] = row exchanged with k at step k. */

/* Column steps k0..k1-1 on the columns [k0, k1), rows below included. */
static DCSI_INLINE int dcsi_lu_columns(double *w, ptrdiff_t lead, int nc, int k0, int k1,
                                       double tiny, int *swap)
{
    int k, i, j, perturbed = 0;
    for (k = k0; k < k1; k++) {
        double *col = w + k * lead, best = fabs(col[k]), pivot;
        int row = k;
        for (i = k + 1; i < nc; i++)
            if (fabs(col[i]) > best) best = fabs(col[i]), row = i;
        swap[k] = row;
        for (j = k0; j < k1 && row != k; j++) {
            double t = w[j * lead + k];
            w[j * lead + k] = w[j * lead + row];
            w[j * lead + row] = t;
        }
        if (!(fabs(col[k]) >= tiny)) {
            col[k] = col[k] < 0 ? -tiny : tiny;
            perturbed++;
        }
        pivot = col[k];
        for (i = k + 1; i < nc; i++) col[i] /= pivot;
        for (j = k + 1; j < k1; j++) {
            double *to = w + j * lead, u = to[k];
            for (i = k + 1; i < nc; i++) to[i] -= col[i] * u;
        }
    }
    return perturbed;
}

/* Apply the steps k0..k1-1 to column j: swaps, triangular solve, subtraction below. */
static DCSI_INLINE void dcsi_lu_apply(double *w, ptrdiff_t lead, int nc, int k0, int k1,
                                      const int *swap, double *col)
{
    int k, i;
    for (k = k0; k < k1; k++) {
        double t = col[k];
        col[k] = col[swap[k]];
        col[swap[k]] = t;
    }
    for (k = k0; k < k1; k++)
        for (i = k + 1; i < k1; i++) col[i] -= w[k * lead + i] * col[k];
    for (k = k0; k + 3 < k1; k += 4) {
        const double *a = w + k * lead, *b = a + lead, *c = b + lead, *d = c + lead;
        double x = col[k], y = col[k + 1], z = col[k + 2], t = col[k + 3];
        for (i = k1; i < nc; i++) col[i] -= (a[i] * x + b[i] * y) + (c[i] * z + d[i] * t);
    }
    for (; k < k1; k++)
        for (i = k1; i < nc; i++) col[i] -= w[k * lead + i] * col[k];
}

static DCSI_INLINE int dcsi_lu_square(double *w, ptrdiff_t lead, int nc, double tiny, int *swap)
{
    int k0, k1, j, k, perturbed = 0;
    for (k0 = 0; k0 < nc; k0 = k1) {
        k1 = dcsi_min(k0 + 8, nc);
        perturbed += dcsi_lu_columns(w, lead, nc, k0, k1, tiny, swap);
        for (j = k1; j < nc; j++) dcsi_lu_apply(w, lead, nc, k0, k1, swap, w + j * lead);
        for (j = 0; j < k0; j++) /* rows of L move along */
            for (k = k0; k < k1; k++) {
                double t = w[j * lead + k];
                w[j * lead + k] = w[j * lead + swap[k]];
                w[j * lead + swap[k]] = t;
            }
    }
    return perturbed;
}

DCSI_PLAIN static int dcsi_square_plain(double *w, ptrdiff_t lead, int nc, double tiny, int *swap)
{
    return dcsi_lu_square(w, lead, nc, tiny, swap);
}

#if DCSI_DISPATCH
DCSI_AVX2 static int dcsi_square_avx2(double *w, ptrdiff_t lead, int nc, double tiny, int *swap)
{
    return dcsi_lu_square(w, lead, nc, tiny, swap);
}
#endif

static int dcsi_square_any(double *w, ptrdiff_t lead, int nc, double tiny, int *swap, int avx2)
{
#if DCSI_DISPATCH
    if (avx2) return dcsi_square_avx2(w, lead, nc, tiny, swap);
#endif
    (void)avx2;
    return dcsi_square_plain(w, lead, nc, tiny, swap);
}

/* Pack the triangles of the square: L (unit) into `lower`, U^T into `upper`, diagonal blocks
   inverted. */
static void dcsi_pack_square(const double *w, ptrdiff_t lead, int nc, double *lower, double *upper)
{
    double x[16], y[16], inverse[16];
    int g, i, j, k;
    for (g = 0; 4 * g < nc; g++) {
        double *l = lower + (ptrdiff_t)g * nc * 4, *u = upper + (ptrdiff_t)g * nc * 4;
        int t = dcsi_min(4, nc - 4 * g);
        for (k = 0; k < 4 * g; k++)
            for (i = 0; i < 4; i++) {
                l[4 * k + i] = i < t ? w[k * lead + 4 * g + i] : 0;
                u[4 * k + i] = i < t ? w[(4 * g + i) * lead + k] : 0;
            }
        for (i = 0; i < t; i++)
            for (j = 0; j <= i; j++) {
                x[4 * i + j] = i == j ? 1 : w[(4 * g + j) * lead + 4 * g + i];
                y[4 * i + j] = w[(4 * g + i) * lead + 4 * g + j];
            }
        dcsi_invert_lower(x, t, inverse);
        dcsi_store_inverse(lower, nc, g, t, inverse);
        dcsi_invert_lower(y, t, inverse);
        dcsi_store_inverse(upper, nc, g, t, inverse);
    }
}

/* >>factor -------------------------------------------------------------------------------------
   Panels from left to right. `head[s]` lists the finished panels whose next rows are in panel s;
   `at[d]` is the first of those rows in panel d. */

typedef struct dcsi_worker { /* what one thread needs */
    double *work, *work_upper;     /* buffers of the panel being built */
    double *scaled;                /* LDLT: rows of a panel times D */
    double *row;                   /* LDLT: one band */
    int *place, *band_place, *run; /* scalar row -> buffer row; the same for one panel */
#if defined(DCS_USE_BLAS)
    double *blas; /* operands of a product, and the product */
#endif
    int perturbed, branch;         /* branch: the first that failed */
    dcs_result result;
    dcs_error error;
} dcsi_worker;

struct dcs_factor {
    dcsi_pool pool;
    const dcs_analysis *a;
    dcs_kind kind;
    int factored, perturbed, avx2;
    double *lower, *upper;            /* packed panels; upper only for LU_STATIC, transposed */
    double *d;                        /* size; LDLT: D, else 1 */
    int *swap;                        /* size; LU_STATIC: local row exchanged at each step */
    double *row_scale, *column_scale; /* size each; LU_STATIC with equilibrate: powers of two */
    double tiny;                      /* LU_STATIC: smallest pivot */
    dcsi_worker *worker;
    int workers;
    int *head, *next, *at;            /* supers each */
    double *x, *gathered;             /* solve: 4 * (size + 4); bands of rows */
#if defined(DCS_USE_SUITESPARSE)
    cholmod_common common; /* with DCS_USE_SUITESPARSE the symmetric kinds are in CHOLMOD */
    cholmod_sparse *matrix;
    cholmod_factor *cholmod;
    cholmod_dense *b, *solution, *y, *e;
    int *slot; /* place in matrix of every scalar of the sorted input entries, or -1 */
#endif
};

#if defined(DCS_USE_SUITESPARSE)
static dcs_result dcsi_cholmod_create(dcs_factor *f, dcsi_pool *scratch);
static void dcsi_cholmod_destroy(dcs_factor *f);
#endif

/* 1 if another library holds the factor. */
static int dcsi_is_foreign(dcs_kind kind)
{
#if defined(DCS_USE_SUITESPARSE)
    return kind == DCS_CHOLESKY || kind == DCS_LDLT;
#else
    (void)kind;
    return 0;
#endif
}

static ptrdiff_t dcsi_width_limit(const dcs_analysis *a)
{
    return (ptrdiff_t)dcsi_max(a->desc.max_width, 8 * 4) + 64;
}

static void dcsi_worker_take(const dcs_factor *f, dcsi_pool *pool, dcsi_worker *own)
{
    const dcs_analysis *a = f->a;
    memset(own, 0, sizeof *own);
    own->work = dcsi_take_doubles(pool, a->max_work);
    if (f->kind == DCS_LU_STATIC) own->work_upper = dcsi_take_doubles(pool, a->max_work);
    if (f->kind == DCS_LDLT) own->scaled = dcsi_take_doubles(pool, a->max_panel);
#if defined(DCS_USE_BLAS)
    own->blas = dcsi_take_doubles(pool, dcsi_width_limit(a) * (2 * (ptrdiff_t)a->max_rows +
                                                               dcsi_width_limit(a)));
#endif
    own->row = dcsi_take_doubles(pool, 4 * dcsi_width_limit(a));
    own->place = dcsi_take_ints(pool, a->size);
    own->band_place = dcsi_take_ints(pool, (ptrdiff_t)a->max_rows + 8);
    own->run = dcsi_take_ints(pool, (ptrdiff_t)dcsi_bands(a->max_rows) + 2);
}

static dcs_result dcsi_factor_take(dcs_factor *f, dcsi_pool *pool)
{
    const dcs_analysis *a = f->a;
    int lu = f->kind == DCS_LU_STATIC, k;
    ptrdiff_t total = dcsi_is_foreign(f->kind) ? 0 : a->panel_start[a->supers];
    f->lower = dcsi_take_doubles(pool, total);
    f->upper = lu ? dcsi_take_doubles(pool, total) : NULL;
    f->d = dcsi_take_doubles(pool, (ptrdiff_t)a->size + 4);
    f->swap = lu ? dcsi_take_ints(pool, a->size) : NULL;
    f->row_scale = lu ? dcsi_take_doubles(pool, a->size) : NULL;
    f->column_scale = lu ? dcsi_take_doubles(pool, a->size) : NULL;
    f->workers = dcsi_is_foreign(f->kind) ? 0 : dcsi_max(1, dcsi_min(DCSI_THREADS(), a->branches));
    f->worker = (dcsi_worker *)dcsi_pool_take(pool, f->workers, sizeof(dcsi_worker));
    for (k = 0; k < f->workers && f->worker; k++) dcsi_worker_take(f, pool, f->worker + k);
    f->head = dcsi_take_ints(pool, a->supers);
    f->next = dcsi_take_ints(pool, a->supers);
    f->at = dcsi_take_ints(pool, a->supers);
    f->x = dcsi_take_doubles(pool, 4 * ((ptrdiff_t)a->size + 4));
    f->gathered = dcsi_take_doubles(pool, 4 * ((ptrdiff_t)a->max_rows + dcsi_width_limit(a) + 8));
    return pool->status;
}

/* What dcsi_factor_take asks for, for dcs_info. */
static int64_t dcsi_factor_bytes(const dcs_analysis *a, dcs_kind kind)
{
    int64_t copies = kind == DCS_LU_STATIC ? 2 : 1;
    int64_t doubles = copies * (a->panel_start[a->supers] + a->max_work) + 5 * (int64_t)a->size;
    doubles += 4 * (int64_t)a->max_rows + 8 * dcsi_width_limit(a);
#if defined(DCS_USE_BLAS)
    doubles += dcsi_width_limit(a) * (2 * (int64_t)a->max_rows + dcsi_width_limit(a));
#endif
    return 8 * doubles + 4 * ((int64_t)a->size + 2 * (int64_t)a->max_rows + 3 * a->supers) + 2048;
}

DCS_API dcs_result dcs_factor_create(const dcs_analysis *a, dcs_kind kind, dcs_factor **out,
                                     dcs_error *err)
{
    dcsi_pool pool;
    dcs_factor *f;
    dcsi_clear_error(err);
    if (!out) return dcsi_bad_argument(err, "out is NULL");
    *out = NULL;
    if (!a) return dcsi_bad_argument(err, "the analysis is NULL");
    if (kind != DCS_CHOLESKY && kind != DCS_LDLT && kind != DCS_LU_STATIC)
        return dcsi_bad_argument(err,
                                 "kind must be CHOLESKY, LDLT or LU_STATIC; see dcs_lu_create");
    dcsi_pool_init(&pool, &a->desc.allocator);
    f = (dcs_factor *)dcsi_pool_take(&pool, 1, sizeof *f);
    if (f) {
        memset(f, 0, sizeof *f);
        f->a = a;
        f->kind = kind;
        f->avx2 = dcsi_has_avx2();
        dcsi_factor_take(f, &pool);
    }
    if (pool.status != DCS_OK) {
        dcs_result result = dcsi_pool_fail(&pool, err, "numeric factor");
        dcsi_pool_destroy(&pool);
        return result;
    }
    f->pool = pool;
#if defined(DCS_USE_SUITESPARSE)
    if (dcsi_is_foreign(kind)) {
        dcsi_pool scratch;
        dcsi_pool_init(&scratch, &a->desc.allocator);
        if (dcsi_cholmod_create(f, &scratch) != DCS_OK) dcsi_pool_fail(&scratch, err, "CHOLMOD");
        dcsi_pool_destroy(&scratch);
        if (scratch.status != DCS_OK) {
            dcs_factor_destroy(f);
            return scratch.status;
        }
    }
#endif
    *out = f;
    return DCS_OK;
}

DCS_API void dcs_factor_destroy(dcs_factor *f)
{
    dcsi_pool pool;
    if (!f) return;
#if defined(DCS_USE_SUITESPARSE)
    if (dcsi_is_foreign(f->kind)) dcsi_cholmod_destroy(f);
#endif
    pool = f->pool;
    dcsi_pool_destroy(&pool);
}

/* Scalar row and column, in the caller's numbering, of a scalar position. */
static int dcsi_original(const dcs_analysis *a, int position)
{
    return a->order[position / a->block] * a->block + position % a->block;
}

/* Elimination positions of row and column of the k-th sorted entry, which is in panel s. */
static void dcsi_entry_place(const dcs_analysis *a, int s, int k, int *row, int *column)
{
    int nc = a->first[s + 1] - a->first[s], at = a->entry_row[k];
    *column = a->first[s] + a->entry_column[k];
    *row = at < nc ? a->first[s] + at : a->rows[a->row_start[s] + at - 4 * dcsi_bands(nc)];
}

/* Report the first value that is not finite of the block v at positions (row, column). */
static dcs_result dcsi_entry_not_finite(const dcs_analysis *a, const double *v, int row, int column,
                                        dcs_error *err)
{
    int b = a->block, k;
    for (k = 0; k < b * b && !dcsi_not_finite(v[k]); k++) {
    }
    row = dcsi_original(a, row) + k % b;
    column = dcsi_original(a, column) + k / b;
    return dcsi_fail(err, DCS_ERROR_NOT_FINITE, row, column, v[k], "entry (%d, %d) is %g", row,
                     column, v[k]);
}

/* w(r, c) += v(r, c), or v(c, r) if transposed. Returns 1 if something is not finite. */
static DCSI_INLINE int dcsi_add_block(double *w, ptrdiff_t lead, int b, const double *v,
                                      int transposed)
{
    int r, c;
    uint64_t bad = 0;
    for (c = 0; c < b; c++)
        for (r = 0; r < b; r++) {
            double e = transposed ? v[r * b + c] : v[c * b + r];
            bad |= dcsi_exponent_carry(e);
            w[c * lead + r] += e;
        }
    return (int)(bad >> 63);
}

/* Diagonal block of a symmetric kind: lower triangle only. */
static int dcsi_add_lower(double *w, ptrdiff_t lead, int b, const double *v)
{
    int r, c, bad = 0;
    for (c = 0; c < b; c++)
        for (r = c; r < b; r++) {
            bad |= dcsi_not_finite(v[c * b + r]);
            w[c * lead + r] += v[c * b + r];
        }
    return bad;
}

static int dcsi_add_any(double *w, ptrdiff_t lead, int b, const double *v, int transposed)
{
    if (b == 1) return dcsi_add_block(w, lead, 1, v, 0);
    if (b == 3) return dcsi_add_block(w, lead, 3, v, transposed);
    return dcsi_add_block(w, lead, b, v, transposed);
}

/* Fill the buffer with the input entries of panel s (symmetric kinds). */
static dcs_result dcsi_assemble(const dcs_factor *f, dcsi_worker *own, int s, ptrdiff_t lead,
                                const double *lower, dcs_error *err)
{
    const dcs_analysis *a = f->a;
    int b = a->block, k;
    for (k = a->entry_start[s]; k < a->entry_start[s + 1]; k++) {
        int source = a->entry_source[k], row = a->entry_row[k], column = a->entry_column[k], bad;
        const double *v = lower + (ptrdiff_t)(source >> 1) * b * b;
        double *w = own->work + column * lead + row;
        if (row == column)
            bad = dcsi_add_lower(w, lead, b, v);
        else
            bad = dcsi_add_any(w, lead, b, v, source & 1);
        if (bad) {
            int at[2], swapped = source & 1;
            dcsi_entry_place(a, s, k, &at[swapped], &at[1 - swapped]);
            return dcsi_entry_not_finite(a, v, at[0], at[1], err);
        }
    }
    return DCS_OK;
}

/* What scaling needs to know of a matrix, gathered in one pass over its elements e(row, column). */
typedef struct dcsi_scan {
    const double *row_scale, *column_scale; /* multiply e by these first; NULL: 1 */
    double *row_top, *column_top;           /* largest |e| of rows, columns; NULL: not wanted */
    double *sum, *count; /* sums of log2 |e| plus the other side's exponents over nonzeros ... */
    const double *row_exponent, *column_exponent; /* ... by rows if only column_exponent is set */
    double top, bottom;                           /* of all nonzeros */
} dcsi_scan;

static void dcsi_scan_element(dcsi_scan *w, double e, int row, int column)
{
    int exponent;
    if (w->row_scale) e *= w->row_scale[row];
    if (w->column_scale) e *= w->column_scale[column];
    if (!(e > 0)) return;
    if (e > w->top) w->top = e;
    if (!w->sum) return;
    frexp(e, &exponent);
    if (w->column_exponent) {
        w->sum[row] += exponent + w->column_exponent[column];
        w->count[row] += 1;
    } else {
        w->sum[column] += exponent + w->row_exponent[row];
        w->count[column] += 1;
    }
}

/* The two common passes over one block. Pass 1: largest elements of rows, and the smallest nonzero;
   pass 2: largest elements of columns after scaling the rows. */
static DCSI_INLINE uint64_t dcsi_scan_rows(dcsi_scan *w, const double *v, int b, double *row_top)
{
    int r, c;
    uint64_t bad = 0;
    double bottom = w->bottom;
    for (r = 0; r < b; r++) {
        double top = row_top[r];
        for (c = 0; c < b; c++) {
            double e = fabs(v[c * b + r]);
            bad |= dcsi_exponent_carry(e);
            top = e > top ? e : top;
            bottom = e < bottom && e > 0 ? e : bottom;
        }
        row_top[r] = top;
        if (top > w->top) w->top = top;
    }
    w->bottom = bottom;
    return bad;
}

static DCSI_INLINE void dcsi_scan_columns(const double *v, int b, const double *row_scale,
                                          double *column_top)
{
    int r, c;
    for (c = 0; c < b; c++) {
        double top = column_top[c];
        for (r = 0; r < b; r++) {
            double e = fabs(v[c * b + r]) * row_scale[r];
            top = e > top ? e : top;
        }
        column_top[c] = top;
    }
}

/* Returns 1 if something is not finite. */
static DCSI_INLINE int dcsi_scan_block(dcsi_scan *w, const double *v, int b, int row, int column)
{
    if (w->row_top) return (int)(dcsi_scan_rows(w, v, b, w->row_top + row) >> 63);
    dcsi_scan_columns(v, b, w->row_scale + row, w->column_top + column);
    return 0;
}

/* One pass. Stops at an element that is not finite. */
static dcs_result dcsi_scan_run(const dcs_factor *f, const double *lower, const double *upper,
                                dcsi_scan *w, dcs_error *err)
{
    const dcs_analysis *a = f->a;
    int b = a->block, bb = b * b, s, k, i, side, simple = !w->sum && !w->column_scale;
    w->top = 0;
    w->bottom = DBL_MAX;
    for (s = 0; s < a->supers; s++)
        for (k = a->entry_start[s]; k < a->entry_start[s + 1]; k++) {
            int at[2], swapped = a->entry_source[k] & 1;
            ptrdiff_t p = (ptrdiff_t)(a->entry_source[k] >> 1) * bb;
            dcsi_entry_place(a, s, k, &at[swapped], &at[1 - swapped]);
            for (side = 0; side < (at[0] == at[1] ? 1 : 2); side++) {
                const double *v = (side ? upper : lower) + p;
                if (simple) {
                    int bad = b == 3 ? dcsi_scan_block(w, v, 3, at[side], at[1 - side])
                                     : dcsi_scan_block(w, v, b, at[side], at[1 - side]);
                    if (bad) return dcsi_entry_not_finite(a, v, at[side], at[1 - side], err);
                    continue;
                }
                for (i = 0; i < bb; i++) {
                    if (dcsi_not_finite(v[i]))
                        return dcsi_entry_not_finite(a, v, at[side], at[1 - side], err);
                    dcsi_scan_element(w, fabs(v[i]), at[side] + i % b, at[1 - side] + i / b);
                }
            }
        }
    return DCS_OK;
}

/* Powers of two that bring x[i] into [0.5, 1); 1 for zeros. */
static void dcsi_to_scales(double *x, ptrdiff_t count)
{
    ptrdiff_t i;
    for (i = 0; i < count; i++) {
        int e = 0;
        if (x[i] > 0) frexp(x[i], &e);
        x[i] = ldexp(1, -dcsi_max(-1000, dcsi_min(1000, e)));
    }
}

/* One half of a sweep: exponents of one side become minus the mean of log2 |e| + the other side's.
   Returns the largest change. */
static double dcsi_balance_side(dcs_factor *f, const double *lower, const double *upper,
                                double *exponents, const double *other, int rows)
{
    ptrdiff_t i, n = f->a->size;
    double change = 0;
    dcsi_scan w;
    memset(&w, 0, sizeof w);
    w.sum = f->x, w.count = f->x + n;
    w.row_exponent = rows ? NULL : other;
    w.column_exponent = rows ? other : NULL;
    dcsi_zero(f->x, 2 * n);
    dcsi_scan_run(f, lower, upper, &w, NULL);
    for (i = 0; i < n; i++) {
        double e = w.count[i] > 0 ? -w.sum[i] / w.count[i] : 0;
        if (fabs(e - exponents[i]) > change) change = fabs(e - exponents[i]);
        exponents[i] = e;
    }
    return change;
}

/* Wild matrices: make the elements of every row and column 1 on geometric average, the scaling of
   Curtis and Reid (1972) by alternating projections. At most 60 sweeps. */
static void dcsi_balance(dcs_factor *f, const double *lower, const double *upper)
{
    ptrdiff_t i, n = f->a->size;
    int sweep;
    dcsi_zero(f->row_scale, n);
    dcsi_zero(f->column_scale, n);
    for (sweep = 0; sweep < 60; sweep++) {
        double change = dcsi_balance_side(f, lower, upper, f->row_scale, f->column_scale, 1);
        double other = dcsi_balance_side(f, lower, upper, f->column_scale, f->row_scale, 0);
        if (change < 0.5 && other < 0.5) break;
    }
    for (i = 0; i < n; i++) {
        int r = (int)floor(f->row_scale[i] + 0.5), c = (int)floor(f->column_scale[i] + 0.5);
        f->row_scale[i] = ldexp(1, dcsi_max(-1000, dcsi_min(1000, r)));
        f->column_scale[i] = ldexp(1, dcsi_max(-1000, dcsi_min(1000, c)));
    }
}

/* Row and column scales of LU_STATIC, finite check, smallest pivot. Usually the largest element of
   every row, then of every column, is brought to [0.5, 1). When magnitudes spread over more than
   2^64, largest elements say little, and averages are used. */
static dcs_result dcsi_equilibrate(dcs_factor *f, const double *lower, const double *upper,
                                   dcs_error *err)
{
    ptrdiff_t i, n = f->a->size;
    dcsi_scan w;
    dcs_result result;
    memset(&w, 0, sizeof w);
    w.row_top = f->row_scale;
    dcsi_zero(f->row_scale, n);
    if ((result = dcsi_scan_run(f, lower, upper, &w, err)) != DCS_OK) return result;
    if (!f->a->desc.equilibrate) {
        for (i = 0; i < n; i++) f->row_scale[i] = f->column_scale[i] = 1;
    } else if (w.bottom < w.top * 5.4e-20) {
        dcsi_balance(f, lower, upper);
        memset(&w, 0, sizeof w);
        w.row_scale = f->row_scale, w.column_scale = f->column_scale;
        dcsi_scan_run(f, lower, upper, &w, NULL);
    } else {
        dcsi_to_scales(f->row_scale, n);
        memset(&w, 0, sizeof w);
        w.row_scale = f->row_scale, w.column_top = f->column_scale;
        dcsi_zero(f->column_scale, n);
        dcsi_scan_run(f, lower, upper, &w, NULL);
        dcsi_to_scales(f->column_scale, n);
        w.top = 1;
    }
    f->tiny = f->a->desc.tiny_pivot * w.top;
    if (!(f->tiny > 0)) f->tiny = 1; /* zero matrix */
    return DCS_OK;
}

/* w(r, c) += v(r, c) rows[r] columns[c], or with v(c, r) if transposed. */
static DCSI_INLINE void dcsi_add_scaled(double *w, ptrdiff_t lead, int b, const double *v,
                                        int transposed, const double *rows, const double *columns)
{
    int r, c;
    for (c = 0; c < b; c++)
        for (r = 0; r < b; r++)
            w[c * lead + r] += (transposed ? v[r * b + c] : v[c * b + r]) * rows[r] * columns[c];
}

/* LU: the square and the rows below of A into one buffer, the rows below of A^T into the other. */
static void dcsi_assemble_lu(const dcs_factor *f, dcsi_worker *own, int s, ptrdiff_t lead,
                             const double *lower, const double *upper)
{
    const dcs_analysis *a = f->a;
    const double *rs = f->row_scale, *cs = f->column_scale;
    int b = a->block, bb = b * b, k, nc = a->first[s + 1] - a->first[s];
    for (k = a->entry_start[s]; k < a->entry_start[s + 1]; k++) {
        int swapped = a->entry_source[k] & 1, r = a->entry_row[k], c = a->entry_column[k], i, j;
        ptrdiff_t p = (ptrdiff_t)(a->entry_source[k] >> 1) * bb;
        const double *below = (swapped ? upper : lower) + p; /* A(i, j) */
        const double *right = (swapped ? lower : upper) + p; /* A(j, i) */
        dcsi_entry_place(a, s, k, &i, &j);
        if (i == j) below = lower + p;
        dcsi_add_scaled(own->work + c * lead + r, lead, b, below, 0, rs + i, cs + j);
        if (i == j) continue;
        if (r < nc)
            dcsi_add_scaled(own->work + r * lead + c, lead, b, right, 0, rs + j, cs + i);
        else
            dcsi_add_scaled(own->work_upper + c * lead + r, lead, b, right, 1, cs + i, rs + j);
    }
}

/* Where the rows of panel s are in the buffer. */
static void dcsi_set_places(const dcs_analysis *a, dcsi_worker *own, int s, int nc, int m)
{
    const int *rows = a->rows + a->row_start[s];
    int k, below = 4 * dcsi_bands(nc);
    for (k = 0; k < nc; k++) own->place[a->first[s] + k] = k;
    for (k = 0; k < m; k++) own->place[rows[k]] = below + k;
}

/* The same for the rows p1.. of panel d, four per band; what is in no row goes to `nowhere`. */
static void dcsi_set_band_places(dcsi_worker *own, const int *rows, int p1, int m, int nowhere)
{
    int g, i, *place = own->band_place, end = 4 * dcsi_bands(m);
    for (i = p1 & ~3; i < p1; i++) place[i] = nowhere;
    for (i = p1; i < m; i++) place[i] = own->place[rows[i]];
    for (; i < end; i++) place[i] = nowhere;
    for (g = p1 >> 2; 4 * g < end; g++)
        own->run[g] = place[4 * g + 3] - place[4 * g] == 3 && place[4 * g] != nowhere &&
                    place[4 * g + 3] != nowhere;
}

/* LDLT: rows [p1, p2) of a panel times D, whole bands, into own->scaled. */
static void dcsi_scale_rows(dcsi_worker *own, const double *below, int n, const double *d, int p1,
                            int p2)
{
    int g, k;
    double *to = own->scaled;
    for (g = p1 >> 2; 4 * g < p2; g++) {
        const double *from = below + (ptrdiff_t)g * n * 4;
        for (k = 0; k < n; k++, to += 4, from += 4)
            to[0] = from[0] * d[k], to[1] = from[1] * d[k], to[2] = from[2] * d[k],
            to[3] = from[3] * d[k];
    }
}

static void dcsi_update_with(const dcsi_update *u, dcsi_worker *own, int avx2)
{
#if defined(DCS_USE_BLAS)
    if (dcsi_update_blas(u, own->blas)) return;
#endif
    (void)own;
    dcsi_update_any(u, avx2);
}

/* Panel d subtracts its share from panel s in the buffer. Returns the first row of d that is
   beyond s. */
static int dcsi_update_panel(const dcs_factor *f, dcsi_worker *own, int s, int d, ptrdiff_t lead)
{
    const dcs_analysis *a = f->a;
    const int *rows = a->rows + a->row_start[d];
    dcsi_update u;
    ptrdiff_t below;
    u.n = a->first[d + 1] - a->first[d];
    u.m = (int)(a->row_start[d + 1] - a->row_start[d]);
    u.p1 = f->at[d];
    for (u.p2 = u.p1 + 1; u.p2 < u.m && rows[u.p2] < a->first[s + 1]; u.p2++) {
    }
    below = a->panel_start[d] + (ptrdiff_t)dcsi_bands(u.n) * u.n * 4;
    dcsi_set_band_places(own, rows, u.p1, u.m, (int)lead - 4);
    u.place = own->band_place;
    u.run = own->run;
    u.w = own->work;
    u.lead = lead;
    u.a = u.b = f->lower + below;
    u.b_band = u.skip = 0;
    u.lower = f->kind != DCS_LU_STATIC;
    if (f->kind == DCS_LDLT) {
        dcsi_scale_rows(own, u.a, u.n, f->d + a->first[d], u.p1, u.p2);
        u.b = own->scaled;
        u.b_band = u.p1 >> 2;
    }
    if (f->kind == DCS_LU_STATIC) u.b = f->upper + below;
    dcsi_update_with(&u, own, f->avx2);
    if (f->kind == DCS_LU_STATIC && u.p2 < u.m) {
        u.a = f->upper + below;
        u.b = f->lower + below;
        u.w = own->work_upper;
        u.skip = 1;
        dcsi_update_with(&u, own, f->avx2);
    }
    return u.p2;
}

/* Put panel d on the list of the panel that its row `at` belongs to, if that comes before `end`. */
static void dcsi_link_panel(dcs_factor *f, int d, int at, int end)
{
    const dcs_analysis *a = f->a;
    int owner;
    f->at[d] = at;
    if (a->row_start[d] + at >= a->row_start[d + 1]) return;
    owner = a->of[a->rows[a->row_start[d] + at]];
    if (owner >= end) return;
    f->next[d] = f->head[owner];
    f->head[owner] = d;
}

static dcs_result dcsi_pivot_error(const dcs_factor *f, int position, double pivot, dcs_error *err)
{
    int column = dcsi_original(f->a, position);
    dcs_result code = DCS_ERROR_SINGULAR;
    if (f->kind == DCS_CHOLESKY) code = DCS_ERROR_NOT_POSITIVE_DEFINITE;
    if (dcsi_not_finite(pivot)) code = DCS_ERROR_NOT_FINITE;
    return dcsi_fail(err, code, column, column, pivot,
                     "pivot %.10g in column %d, eliminated as %d of %d", pivot, column,
                     position + 1, f->a->size);
}

/* Factor the buffer into panel s of LU. Rows of the square are columns of the transposed part, so
   both are exchanged. */
static dcs_result dcsi_finish_lu(dcs_factor *f, dcsi_worker *own, int s, int nc, int m,
                                 ptrdiff_t lead, dcs_error *err)
{
    const dcs_analysis *a = f->a;
    double *lower = f->lower + a->panel_start[s], *upper = f->upper + a->panel_start[s];
    ptrdiff_t below = (ptrdiff_t)dcsi_bands(nc) * nc * 4;
    int top = 4 * dcsi_bands(nc), end = top + 4 * dcsi_bands(m);
    int *swap = f->swap + a->first[s], j, k;
    own->perturbed += dcsi_square_any(own->work, lead, nc, f->tiny, swap, f->avx2);
    for (k = 0; k < nc; k++) {
        double *x = own->work_upper + k * lead, *y = own->work_upper + swap[k] * lead;
        if (dcsi_not_finite(own->work[k * lead + k]))
            return dcsi_pivot_error(f, a->first[s] + k, own->work[k * lead + k], err);
        for (j = top; j < end && x != y; j++) {
            double t = x[j];
            x[j] = y[j];
            y[j] = t;
        }
    }
    dcsi_pack_square(own->work, lead, nc, lower, upper);
    dcsi_below_any(upper, nc, m, own->work, lead, lower + below, f->avx2);
    dcsi_below_any(lower, nc, m, own->work_upper, lead, upper + below, f->avx2);
    return DCS_OK;
}

/* Factor the buffer into panel s. */
static dcs_result dcsi_finish_panel(dcs_factor *f, dcsi_worker *own, int s, int nc, int m,
                                    ptrdiff_t lead, dcs_error *err)
{
    const dcs_analysis *a = f->a;
    int ldlt = f->kind == DCS_LDLT, bad;
    double *panel = f->lower + a->panel_start[s], *d = f->d + a->first[s], pivot = 0;
    double *below = panel + (ptrdiff_t)dcsi_bands(nc) * nc * 4;
    if (f->kind == DCS_LU_STATIC) return dcsi_finish_lu(f, own, s, nc, m, lead, err);
    bad = dcsi_triangle_any(own->work, lead, nc, ldlt, panel, d, own->row, &pivot, f->avx2);
    if (bad >= 0) return dcsi_pivot_error(f, a->first[s] + bad, pivot, err);
    dcsi_below_any(panel, nc, m, own->work, lead, below, f->avx2);
    if (ldlt) dcsi_scale_bands(below, dcsi_bands(m), nc, d);
    return DCS_OK;
}

/* The panels [from, to), given everything before them that they need; they are put on the lists of
   panels before `end`. */
static dcs_result dcsi_factor_range(dcs_factor *f, dcsi_worker *own, int from, int to, int end,
                                    const double *lower, const double *upper, dcs_error *err)
{
    const dcs_analysis *a = f->a;
    dcs_result result = DCS_OK;
    int s, d, next;
    for (s = from; s < to && result == DCS_OK; s++) {
        int nc = a->first[s + 1] - a->first[s], m = (int)(a->row_start[s + 1] - a->row_start[s]);
        ptrdiff_t lead = dcsi_lead(nc, m);
        dcsi_zero(own->work, lead * nc);
        if (f->kind == DCS_LU_STATIC) {
            dcsi_zero(own->work_upper, lead * nc);
            dcsi_assemble_lu(f, own, s, lead, lower, upper);
        } else if ((result = dcsi_assemble(f, own, s, lead, lower, err)) != DCS_OK)
            break;
        dcsi_set_places(a, own, s, nc, m);
        for (d = f->head[s]; d >= 0; d = next) {
            next = f->next[d];
            dcsi_link_panel(f, d, dcsi_update_panel(f, own, s, d, lead), end);
        }
        result = dcsi_finish_panel(f, own, s, nc, m, lead, err);
        dcsi_link_panel(f, s, 0, end);
    }
    return result;
}

/* One branch by one worker, which remembers the first branch that failed. */
static void dcsi_factor_branch(dcs_factor *f, int i, const double *lower, const double *upper)
{
    dcsi_worker *own = f->worker + DCSI_THREAD();
    const int *range = f->a->branch + 2 * (ptrdiff_t)i;
    dcs_error error;
    dcs_result result;
    if (i > own->branch) return; /* too late to matter */
    dcsi_clear_error(&error);
    result = dcsi_factor_range(f, own, range[0], range[1], range[1], lower, upper, &error);
    if (result == DCS_OK) return;
    own->branch = i;
    own->result = result;
    own->error = error;
}

/* All branches, in any order and by any number of threads; the error of the first that failed. */
static dcs_result dcsi_factor_branches(dcs_factor *f, const double *lower, const double *upper,
                                       dcs_error *err)
{
    const dcs_analysis *a = f->a;
    const dcsi_worker *first = f->worker;
    int i;
    for (i = 0; i < f->workers; i++) {
        f->worker[i].branch = a->branches;
        f->worker[i].perturbed = 0;
        f->worker[i].result = DCS_OK;
    }
#if defined(DCS_USE_OPENMP) && defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 1) num_threads(f->workers)
#endif
    for (i = 0; i < a->branches; i++) dcsi_factor_branch(f, i, lower, upper);
    for (i = 1; i < f->workers; i++)
        if (f->worker[i].branch < first->branch) first = f->worker + i;
    if (err && first->result != DCS_OK) *err = first->error;
    return first->result;
}

/* Branches, then what lies above them. */
static dcs_result dcsi_factor_panels(dcs_factor *f, const double *lower, const double *upper,
                                     dcs_error *err)
{
    const dcs_analysis *a = f->a;
    dcs_result result;
    int i, d, from = 0;
    dcsi_fill_ints(f->head, a->supers, -1);
    result = dcsi_factor_branches(f, lower, upper, err);
    for (i = 0; i < a->branches && result == DCS_OK; i++)
        for (d = a->branch[2 * i]; d < a->branch[2 * i + 1]; d++)
            dcsi_link_panel(f, d, f->at[d], a->supers);
    for (i = 0; i <= a->branches && result == DCS_OK; i++) {
        int to = i < a->branches ? a->branch[2 * i] : a->supers;
        result = dcsi_factor_range(f, f->worker, from, to, a->supers, lower, upper, err);
        if (i < a->branches) from = a->branch[2 * i + 1];
    }
    for (i = 0; i < f->workers; i++) f->perturbed += f->worker[i].perturbed;
    return result;
}

#if defined(DCS_USE_SUITESPARSE)
/* >>cholmod ------------------------------------------------------------------------------------
   The symmetric kinds by CHOLMOD: supernodal Cholesky, simplicial LDLT, in our order. The matrix it
   gets is permuted already, so that its order is the natural one. */

/* Walk the scalars of the lower triangle: fills row and column of each in elimination order, one
   per slot of the sorted entries; -1 for the upper half of diagonal blocks. */
static void dcsi_cholmod_places(const dcs_analysis *a, int *row, int *column)
{
    int b = a->block, s, k, r, c;
    ptrdiff_t at = 0;
    for (s = 0; s < a->supers; s++)
        for (k = a->entry_start[s]; k < a->entry_start[s + 1]; k++) {
            int i, j;
            dcsi_entry_place(a, s, k, &i, &j);
            for (c = 0; c < b; c++)
                for (r = 0; r < b; r++, at++) {
                    row[at] = i == j && r < c ? -1 : i + r;
                    column[at] = j + c;
                }
        }
}

/* Compressed columns with sums in the place of duplicates; fills f->slot. */
static void dcsi_cholmod_pattern(dcs_factor *f, const int *row, const int *column, int *mark,
                                 int *link)
{
    int n = f->a->size, j, *start = (int *)f->matrix->p, *index = (int *)f->matrix->i, count = 0;
    ptrdiff_t k, all = (ptrdiff_t)f->a->entries * f->a->block * f->a->block;
    int *head = start; /* lists of the scalars of every column */
    dcsi_fill_ints(mark, n, -1);
    dcsi_fill_ints(head, (ptrdiff_t)n + 1, -1);
    for (k = all - 1; k >= 0; k--) {
        f->slot[k] = -1;
        if (row[k] >= 0) link[k] = head[column[k]], head[column[k]] = (int)k;
    }
    for (j = 0; j < n; j++) {
        int begin = count, at = head[j];
        start[j] = begin;
        for (; at >= 0; at = link[at]) {
            int i = row[at];
            if (mark[i] < begin) mark[i] = count, index[count++] = i;
            f->slot[at] = mark[i];
        }
    }
    start[n] = count;
}

static dcs_result dcsi_cholmod_create(dcs_factor *f, dcsi_pool *scratch)
{
    const dcs_analysis *a = f->a;
    ptrdiff_t all = (ptrdiff_t)a->entries * a->block * a->block;
    int *row = dcsi_take_ints(scratch, all), *column = dcsi_take_ints(scratch, all);
    int *mark = dcsi_take_ints(scratch, a->size), *link = dcsi_take_ints(scratch, all);
    cholmod_common *c = &f->common;
    cholmod_start(c);
    c->print = 0;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_NATURAL;
    c->postorder = 0;
    c->supernodal = f->kind == DCS_CHOLESKY ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    f->slot = dcsi_take_ints(&f->pool, all);
    if (all > INT32_MAX) scratch->status = DCS_ERROR_TOO_LARGE;
    if (f->pool.status != DCS_OK) scratch->status = f->pool.status;
    if (scratch->status != DCS_OK) return scratch->status;
    f->matrix = cholmod_allocate_sparse((size_t)a->size, (size_t)a->size, (size_t)all, 0, 1, -1,
                                        CHOLMOD_REAL, c);
    f->b = cholmod_allocate_dense((size_t)a->size, 3, (size_t)a->size, CHOLMOD_REAL, c);
    if (f->matrix && f->b) {
        dcsi_cholmod_places(a, row, column);
        dcsi_cholmod_pattern(f, row, column, mark, link);
        f->cholmod = cholmod_analyze(f->matrix, c);
    }
    if (c->status == CHOLMOD_TOO_LARGE) scratch->status = DCS_ERROR_TOO_LARGE;
    if (!f->cholmod && scratch->status == DCS_OK) scratch->status = DCS_ERROR_OUT_OF_MEMORY;
    return scratch->status;
}

static void dcsi_cholmod_destroy(dcs_factor *f)
{
    cholmod_common *c = &f->common;
    cholmod_free_dense(&f->b, c);
    cholmod_free_dense(&f->solution, c);
    cholmod_free_dense(&f->y, c);
    cholmod_free_dense(&f->e, c);
    cholmod_free_factor(&f->cholmod, c);
    cholmod_free_sparse(&f->matrix, c);
    cholmod_finish(c);
}

/* Element (k, l), k >= l, of L; with LDLT the diagonal holds D. */
static double dcsi_cholmod_get(const dcs_factor *f, int k, int l)
{
    const cholmod_factor *c = f->cholmod;
    const double *x = (const double *)c->x;
    int p, s = 0;
    if (c->is_super) {
        const int *super = (const int *)c->super, *pi = (const int *)c->pi;
        const int *px = (const int *)c->px, *row = (const int *)c->s;
        while (super[s + 1] <= l) s++;
        for (p = pi[s]; p < pi[s + 1]; p++)
            if (row[p] == k) return x[px[s] + (l - super[s]) * (pi[s + 1] - pi[s]) + p - pi[s]];
        return 0;
    }
    for (p = ((int *)c->p)[l]; p < ((int *)c->p)[l] + ((int *)c->nz)[l]; p++)
        if (((int *)c->i)[p] == k) return x[p];
    return 0;
}

/* The pivot that CHOLMOD stopped at, from the columns it finished. */
static double dcsi_cholmod_pivot(const dcs_factor *f, int position)
{
    const int *start = (const int *)f->matrix->p, *index = (const int *)f->matrix->i;
    const double *x = (const double *)f->matrix->x;
    double pivot = 0;
    int p, l;
    if (f->kind == DCS_LDLT) return dcsi_cholmod_get(f, position, position);
    for (p = start[position]; p < start[position + 1]; p++)
        if (index[p] == position) pivot += x[p];
    for (l = 0; l < position; l++) {
        double e = dcsi_cholmod_get(f, position, l);
        pivot -= e * e;
    }
    return pivot;
}

static dcs_result dcsi_cholmod_compute(dcs_factor *f, const double *lower, dcs_error *err)
{
    const dcs_analysis *a = f->a;
    int b = a->block, s, k, r, c, position;
    ptrdiff_t at = 0;
    double *x = (double *)f->matrix->x;
    dcsi_zero(x, (ptrdiff_t)f->matrix->nzmax);
    for (s = 0; s < a->supers; s++)
        for (k = a->entry_start[s]; k < a->entry_start[s + 1]; k++) {
            int source = a->entry_source[k], swapped = source & 1, place[2];
            const double *v = lower + (ptrdiff_t)(source >> 1) * b * b;
            dcsi_entry_place(a, s, k, &place[swapped], &place[1 - swapped]);
            for (c = 0; c < b; c++)
                for (r = 0; r < b; r++, at++) {
                    double e = swapped ? v[r * b + c] : v[c * b + r];
                    if (f->slot[at] < 0) continue;
                    if (dcsi_not_finite(e))
                        return dcsi_entry_not_finite(a, v, place[0], place[1], err);
                    x[f->slot[at]] += e;
                }
        }
    cholmod_factorize(f->matrix, f->cholmod, &f->common);
    if (f->common.status == CHOLMOD_OUT_OF_MEMORY || f->common.status == CHOLMOD_TOO_LARGE)
        return dcsi_fail(err, DCS_ERROR_OUT_OF_MEMORY, -1, -1, 0, "CHOLMOD has no memory");
    position = (int)f->cholmod->minor;
    if (position < a->size)
        return dcsi_pivot_error(f, position, dcsi_cholmod_pivot(f, position), err);
    for (k = 0; k < a->size; k++) f->d[k] = f->kind == DCS_LDLT ? dcsi_cholmod_get(f, k, k) : 1;
    return DCS_OK;
}

static dcs_result dcsi_cholmod_solve(dcs_factor *f, int nrhs, double *x)
{
    const dcs_analysis *a = f->a;
    ptrdiff_t n = a->size;
    int done, have, r, k;
    if (!dcsi_all_finite(x, n * nrhs)) return DCS_ERROR_NOT_FINITE;
    for (done = 0; done < nrhs; done += have) {
        double *b = (double *)f->b->x, *y;
        have = dcsi_min(3, nrhs - done);
        f->b->ncol = (size_t)have;
        for (k = 0; k < a->size; k++)
            for (r = 0; r < have; r++)
                b[r * n + k] = x[(ptrdiff_t)dcsi_original(a, k) * nrhs + done + r];
        if (!cholmod_solve2(CHOLMOD_A, f->cholmod, f->b, NULL, &f->solution, NULL, &f->y, &f->e,
                            &f->common))
            return DCS_ERROR_OUT_OF_MEMORY;
        y = (double *)f->solution->x;
        if (!dcsi_all_finite(y, n * have)) return DCS_ERROR_NOT_FINITE;
        for (k = 0; k < a->size; k++)
            for (r = 0; r < have; r++)
                x[(ptrdiff_t)dcsi_original(a, k) * nrhs + done + r] = y[r * n + k];
    }
    return DCS_OK;
}
#endif

DCS_API dcs_result dcs_factor_compute(dcs_factor *f, const double *lower, const double *upper,
                                      dcs_error *err)
{
    dcs_result result = DCS_OK;
    int entries, lu;
    dcsi_clear_error(err);
    if (!f) return dcsi_bad_argument(err, "the factor is NULL");
    lu = f->kind == DCS_LU_STATIC;
    entries = f->a->entries;
    if (entries > 0 && !lower) return dcsi_bad_argument(err, "lower is NULL");
    if (entries > 0 && lu && !upper) return dcsi_bad_argument(err, "upper is NULL");
    f->factored = f->perturbed = 0;
    if (lu) result = dcsi_equilibrate(f, lower, upper, err);
    if (result != DCS_OK) return result;
#if defined(DCS_USE_SUITESPARSE)
    if (dcsi_is_foreign(f->kind))
        result = dcsi_cholmod_compute(f, lower, err);
    else
#endif
        result = dcsi_factor_panels(f, lower, upper, err);
    f->factored = result == DCS_OK;
    return result;
}

DCS_API int dcs_factor_perturbed(const dcs_factor *f)
{
    return f->perturbed;
}

/* Element of L inside a diagonal block: undo the inversion. */
static double dcsi_triangle_get(const double *inverse, int t, int i, int j)
{
    double x[16], l[16];
    int r, c;
    for (c = 0; c < t; c++)
        for (r = c; r < t; r++) x[4 * r + c] = inverse[4 * c + r];
    dcsi_invert_lower(x, t, l);
    return l[4 * i + j];
}

DCS_API double dcs_factor_get_lower(const dcs_factor *f, int k, int l)
{
    const dcs_analysis *a = f->a;
    int s, nc, i, j;
    const double *panel;
    ptrdiff_t q;
    if (!f->factored || k < l || l < 0 || k >= a->size) return 0;
#if defined(DCS_USE_SUITESPARSE)
    if (dcsi_is_foreign(f->kind))
        return k == l && f->kind == DCS_LDLT ? 1 : dcsi_cholmod_get(f, k, l);
#endif
    s = a->of[l];
    nc = a->first[s + 1] - a->first[s];
    panel = f->lower + a->panel_start[s];
    j = l - a->first[s], i = k - a->first[s];
    if (i < nc) {
        const double *band = panel + (ptrdiff_t)(i >> 2) * nc * 4;
        if (i >> 2 != j >> 2) return band[4 * j + (i & 3)];
        return dcsi_triangle_get(band + 16 * (ptrdiff_t)(i >> 2), dcsi_min(4, nc - (i & ~3)), i & 3,
                                 j & 3);
    }
    for (q = a->row_start[s]; q < a->row_start[s + 1] && a->rows[q] < k; q++) {
    }
    if (q == a->row_start[s + 1] || a->rows[q] != k) return 0;
    i = 4 * dcsi_bands(nc) + (int)(q - a->row_start[s]);
    return panel[(ptrdiff_t)(i >> 2) * nc * 4 + 4 * j + (i & 3)];
}

DCS_API double dcs_factor_get_diagonal(const dcs_factor *f, int k)
{
    return f->factored && k >= 0 && k < f->a->size && f->kind != DCS_LU_STATIC ? f->d[k] : 0;
}

DCS_API double dcs_factor_get_log_determinant(const dcs_factor *f, int *sign)
{
    double sum = 0;
    int k, positive = 1;
    if (!f->factored || f->kind == DCS_LU_STATIC) {
        *sign = 0;
        return 0;
    }
    for (k = 0; k < f->a->size; k++) {
        double l = dcs_factor_get_lower(f, k, k);
        sum += log(l * l * fabs(f->d[k]));
        if (f->d[k] < 0) positive = !positive;
    }
    *sign = positive ? 1 : -1;
    return sum;
}

/* >>solve --------------------------------------------------------------------------------------
   Right-hand sides go through in groups of 3 (a group of 2 is padded) or singly, in elimination
   order, in scratch: the caller's x changes only when the result is finite. A group of 3 takes 4
   numbers per row, so that a row is one vector; the fourth is zero. */

/* c0, c1, c2 (lanes are rows) += band times x for three right-hand sides. */
static DCSI_INLINE void dcsi_band_times_3(int n, int bands, const double *a, const double *b,
                                          const double *x, dcsi_v4 *c, dcsi_v4 *d)
{
    dcsi_v4 c0, c1, c2, d0, d1, d2, v, w, x0, x1, x2;
    int k;
    dcsi_v4_zero(&c0), dcsi_v4_zero(&c1), dcsi_v4_zero(&c2);
    dcsi_v4_zero(&d0), dcsi_v4_zero(&d1), dcsi_v4_zero(&d2);
    for (k = 0; k < n; k++, a += 4, b += 4, x += 4) {
        dcsi_v4_splat(&x0, x[0]), dcsi_v4_splat(&x1, x[1]), dcsi_v4_splat(&x2, x[2]);
        dcsi_v4_pin(&x0), dcsi_v4_pin(&x1), dcsi_v4_pin(&x2);
        dcsi_v4_load(&v, a), dcsi_v4_pin(&v);
        dcsi_v4_fmav(&c0, &v, &x0), dcsi_v4_fmav(&c1, &v, &x1), dcsi_v4_fmav(&c2, &v, &x2);
        if (bands == 1) continue;
        dcsi_v4_load(&w, b), dcsi_v4_pin(&w);
        dcsi_v4_fmav(&d0, &w, &x0), dcsi_v4_fmav(&d1, &w, &x1), dcsi_v4_fmav(&d2, &w, &x2);
    }
    c[0] = c0, c[1] = c1, c[2] = c2;
    dcsi_v4_zero(&c[3]);
    dcsi_v4_transpose(&c[0], &c[1], &c[2], &c[3]);
    if (bands == 1) return;
    d[0] = d0, d[1] = d1, d[2] = d2;
    dcsi_v4_zero(&d[3]);
    dcsi_v4_transpose(&d[0], &d[1], &d[2], &d[3]);
}

/* x -= c for `count` rows of right-hand sides. */
static DCSI_INLINE void dcsi_rows_subtract(double *x, const int *rows, int count, const dcsi_v4 *c)
{
    if (count > 0) dcsi_subtract(x + 4 * (ptrdiff_t)rows[0], &c[0]);
    if (count > 1) dcsi_subtract(x + 4 * (ptrdiff_t)rows[1], &c[1]);
    if (count > 2) dcsi_subtract(x + 4 * (ptrdiff_t)rows[2], &c[2]);
    if (count > 3) dcsi_subtract(x + 4 * (ptrdiff_t)rows[3], &c[3]);
}

/* x = inverse^T (x - c), t rows of right-hand sides; packed inverse, column j at inverse + 4 j. The
   same without transposition is dcsi_finish_tile. */
static DCSI_INLINE void dcsi_apply_transposed_3(const double *inverse, int t, const dcsi_v4 *c,
                                                double *x)
{
    dcsi_v4 y0, y1, y2, y3, out;
    dcsi_v4_zero(&y1), dcsi_v4_zero(&y2), dcsi_v4_zero(&y3);
    dcsi_v4_load(&y0, x), dcsi_v4_sub(&y0, &c[0]);
    if (t > 1) dcsi_v4_load(&y1, x + 4), dcsi_v4_sub(&y1, &c[1]);
    if (t > 2) dcsi_v4_load(&y2, x + 8), dcsi_v4_sub(&y2, &c[2]);
    if (t > 3) dcsi_v4_load(&y3, x + 12), dcsi_v4_sub(&y3, &c[3]);
    dcsi_v4_zero(&out), dcsi_v4_fma(&out, &y0, inverse[0]);
    if (t > 1) dcsi_v4_fma(&out, &y1, inverse[1]);
    if (t > 2) dcsi_v4_fma(&out, &y2, inverse[2]);
    if (t > 3) dcsi_v4_fma(&out, &y3, inverse[3]);
    dcsi_v4_store(x, &out);
    if (t < 2) return;
    dcsi_v4_zero(&out), dcsi_v4_fma(&out, &y1, inverse[5]);
    if (t > 2) dcsi_v4_fma(&out, &y2, inverse[6]);
    if (t > 3) dcsi_v4_fma(&out, &y3, inverse[7]);
    dcsi_v4_store(x + 4, &out);
    if (t < 3) return;
    dcsi_v4_zero(&out), dcsi_v4_fma(&out, &y2, inverse[10]);
    if (t > 3) dcsi_v4_fma(&out, &y3, inverse[11]);
    dcsi_v4_store(x + 8, &out);
    if (t < 4) return;
    dcsi_v4_zero(&out), dcsi_v4_fma(&out, &y3, inverse[15]);
    dcsi_v4_store(x + 12, &out);
}

/* x1 = L11^-1 x1, x2 -= L21 x1; x starts at elimination position 0. */
static DCSI_INLINE void dcsi_forward_3(const double *panel, int first, int nc, const int *rows,
                                       int m, double *x)
{
    dcsi_v4 c[4], d[4];
    double *x1 = x + 4 * (ptrdiff_t)first;
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    int g, end = dcsi_bands(m);
    for (g = 0; 4 * g < nc; g++, panel += step) {
        const double *inverse = panel + 16 * (ptrdiff_t)g;
        double *xg = x1 + 16 * (ptrdiff_t)g;
        dcsi_band_times_3(4 * g, 1, panel, panel, x1, c, d);
        if (nc - 4 * g >= 4)
            dcsi_finish_tile(c, xg, 4, 4, inverse, xg);
        else
            dcsi_finish_tile(c, xg, 4, nc - 4 * g, inverse, xg);
    }
    for (g = 0; 4 * g + 8 <= m; g += 2, panel += 2 * step, rows += 8) {
        dcsi_band_times_3(nc, 2, panel, panel + step, x1, c, d);
        dcsi_rows_subtract(x, rows, 4, c);
        dcsi_rows_subtract(x, rows + 4, 4, d);
    }
    for (; g < end; g++, panel += step, rows += 4) {
        dcsi_band_times_3(nc, 1, panel, panel, x1, c, d);
        dcsi_rows_subtract(x, rows, m - 4 * g, c);
    }
}

/* out = sum over the bands of band(:, 0)^T y for the three right-hand sides in y (12 numbers per
   band, 4 rows each), and the same for the next columns; a constant number of columns. */
static DCSI_INLINE void dcsi_dot_3(int bands, int cols, ptrdiff_t step, const double *a,
                                   const double *y, dcsi_v4 *out)
{
    dcsi_v4 c0, c1, c2, d0, d1, d2, v, y0, y1, y2, zero;
    int g;
    dcsi_v4_zero(&c0), dcsi_v4_zero(&c1), dcsi_v4_zero(&c2), dcsi_v4_zero(&zero);
    dcsi_v4_zero(&d0), dcsi_v4_zero(&d1), dcsi_v4_zero(&d2);
    for (g = 0; g < bands; g++, a += step, y += 12) {
        dcsi_v4_load(&y0, y), dcsi_v4_load(&y1, y + 4), dcsi_v4_load(&y2, y + 8);
        dcsi_v4_pin(&y0), dcsi_v4_pin(&y1), dcsi_v4_pin(&y2);
        dcsi_v4_load(&v, a), dcsi_v4_pin(&v);
        dcsi_v4_fmav(&c0, &v, &y0), dcsi_v4_fmav(&c1, &v, &y1), dcsi_v4_fmav(&c2, &v, &y2);
        if (cols == 1) continue;
        dcsi_v4_load(&v, a + 4), dcsi_v4_pin(&v);
        dcsi_v4_fmav(&d0, &v, &y0), dcsi_v4_fmav(&d1, &v, &y1), dcsi_v4_fmav(&d2, &v, &y2);
    }
    dcsi_v4_transpose(&c0, &c1, &c2, &zero);
    dcsi_v4_add(&c0, &c1), dcsi_v4_add(&c2, &zero), dcsi_v4_add(&c0, &c2);
    out[0] = c0;
    if (cols == 1) return;
    dcsi_v4_zero(&zero);
    dcsi_v4_transpose(&d0, &d1, &d2, &zero);
    dcsi_v4_add(&d0, &d1), dcsi_v4_add(&d2, &zero), dcsi_v4_add(&d0, &d2);
    out[1] = d0;
}

/* Four rows of right-hand sides become three vectors of four rows. */
static DCSI_INLINE void dcsi_pack_rows(const double *x0, const double *x1, const double *x2,
                                       const double *x3, double *y)
{
    dcsi_v4 a, b, c, d;
    dcsi_v4_load(&a, x0), dcsi_v4_load(&b, x1), dcsi_v4_load(&c, x2), dcsi_v4_load(&d, x3);
    dcsi_v4_transpose(&a, &b, &c, &d);
    dcsi_v4_store(y, &a), dcsi_v4_store(y + 4, &b), dcsi_v4_store(y + 8, &c);
}

/* Rows below a panel into bands; missing rows are zero. */
static DCSI_INLINE void dcsi_gather_3(const int *rows, int m, const double *x, double *y)
{
    static const double zero[4] = {0, 0, 0, 0};
    int i;
    for (i = 0; i + 4 <= m; i += 4, y += 12)
        dcsi_pack_rows(x + 4 * (ptrdiff_t)rows[i], x + 4 * (ptrdiff_t)rows[i + 1],
                       x + 4 * (ptrdiff_t)rows[i + 2], x + 4 * (ptrdiff_t)rows[i + 3], y);
    if (i == m) return;
    dcsi_pack_rows(x + 4 * (ptrdiff_t)rows[i], i + 1 < m ? x + 4 * (ptrdiff_t)rows[i + 1] : zero,
                   i + 2 < m ? x + 4 * (ptrdiff_t)rows[i + 2] : zero, zero, y);
}

/* Panels with more bands below than this are read in blocks of so many in the backward solve, all
   columns of a block before the next, because a walk down a tall panel for every few columns
   defeats prefetching. Range: any positive number. */
enum { DCSI_TALL = 24 };

/* x1 -= L21^T x2 by blocks of bands; y as above. */
static DCSI_INLINE void dcsi_subtract_below_3(const double *below, int bands, int nc,
                                              const double *y, double *x1)
{
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    dcsi_v4 sum[2];
    int g, j, count;
    for (g = 0; g < bands; g += count, below += count * step, y += 12 * (ptrdiff_t)count) {
        count = dcsi_min(DCSI_TALL, bands - g);
        for (j = 0; j + 1 < nc; j += 2) {
            dcsi_dot_3(count, 2, step, below + 4 * j, y, sum);
            dcsi_subtract(x1 + 4 * j, &sum[0]);
            dcsi_subtract(x1 + 4 * j + 4, &sum[1]);
        }
        if (j == nc) continue;
        dcsi_dot_3(count, 1, step, below + 4 * j, y, sum);
        dcsi_subtract(x1 + 4 * j, &sum[0]);
    }
}

/* x1 = L11^-T (x1 - L21^T x2). y: scratch, 12 numbers per band of the panel. */
static DCSI_INLINE void dcsi_backward_3(const double *panel, int first, int nc, const int *rows,
                                        int m, double *x, double *y)
{
    static const double zero[4] = {0, 0, 0, 0};
    dcsi_v4 sum[4];
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    int g, bands = dcsi_bands(nc), all = bands + dcsi_bands(m);
    dcsi_gather_3(rows, m, x, y + 12 * (ptrdiff_t)bands);
    if (all - bands > DCSI_TALL) {
        dcsi_subtract_below_3(panel + bands * step, all - bands, nc, y + 12 * (ptrdiff_t)bands,
                              x + 4 * (ptrdiff_t)first);
        all = bands; /* only the triangle is left */
    }
    for (g = bands - 1; g >= 0; g--) {
        const double *a = panel + (g + 1) * step + 16 * (ptrdiff_t)g;
        const double *inverse = panel + g * step + 16 * (ptrdiff_t)g;
        double *below = y + 12 * (ptrdiff_t)(g + 1), *xg = x + 4 * ((ptrdiff_t)first + 4 * g);
        int t = nc - 4 * g;
        if (t >= 4) {
            dcsi_dot_3(all - g - 1, 2, step, a, below, sum);
            dcsi_dot_3(all - g - 1, 2, step, a + 8, below, sum + 2);
            dcsi_apply_transposed_3(inverse, 4, sum, xg);
            if (g > 0) dcsi_pack_rows(xg, xg + 4, xg + 8, xg + 12, below - 12);
            continue;
        }
        if (t >= 2) dcsi_dot_3(all - g - 1, 2, step, a, below, sum);
        if (t != 2) dcsi_dot_3(all - g - 1, 1, step, a + 4 * (t - 1), below, sum + (t - 1));
        dcsi_apply_transposed_3(inverse, t, sum, xg);
        if (g > 0)
            dcsi_pack_rows(xg, t > 1 ? xg + 4 : zero, t > 2 ? xg + 8 : zero, zero, below - 12);
    }
}

/* One right-hand side: lanes are rows throughout. c, d = one or two bands times x. */
static DCSI_INLINE void dcsi_band_times_1(int n, int bands, const double *a, const double *b,
                                          const double *x, dcsi_v4 *c, dcsi_v4 *d)
{
    dcsi_v4 c0, c1, d0, d1, v;
    int k;
    dcsi_v4_zero(&c0), dcsi_v4_zero(&c1), dcsi_v4_zero(&d0), dcsi_v4_zero(&d1);
    for (k = 0; k + 1 < n; k += 2, a += 8, b += 8) {
        dcsi_v4_load(&v, a), dcsi_v4_fma(&c0, &v, x[k]);
        dcsi_v4_load(&v, a + 4), dcsi_v4_fma(&c1, &v, x[k + 1]);
        if (bands == 1) continue;
        dcsi_v4_load(&v, b), dcsi_v4_fma(&d0, &v, x[k]);
        dcsi_v4_load(&v, b + 4), dcsi_v4_fma(&d1, &v, x[k + 1]);
    }
    if (k < n) {
        dcsi_v4_load(&v, a), dcsi_v4_fma(&c0, &v, x[k]);
        if (bands > 1) dcsi_v4_load(&v, b), dcsi_v4_fma(&d0, &v, x[k]);
    }
    dcsi_v4_add(&c0, &c1);
    *c = c0;
    if (bands == 1) return;
    dcsi_v4_add(&d0, &d1);
    *d = d0;
}

/* The first t lanes of v. */
static DCSI_INLINE void dcsi_store_some(double *x, int t, const dcsi_v4 *v)
{
    double y[4];
    int i;
    if (t >= 4) {
        dcsi_v4_store(x, v);
        return;
    }
    dcsi_v4_store(y, v);
    for (i = 0; i < t; i++) x[i] = y[i];
}

static DCSI_INLINE void dcsi_forward_1(const double *panel, int first, int nc, const int *rows,
                                       int m, double *x)
{
    double c[8], *x1 = x + first;
    dcsi_v4 v, w, out;
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    int g, i, j, end = dcsi_bands(m);
    for (g = 0; 4 * g < nc; g++, panel += step) {
        const double *inverse = panel + 16 * (ptrdiff_t)g;
        int t = dcsi_min(4, nc - 4 * g);
        dcsi_band_times_1(4 * g, 1, panel, panel, x1, &w, &v);
        dcsi_v4_load(&v, x1 + 4 * g); /* lanes beyond t are harmless: they are not used */
        dcsi_v4_sub(&v, &w);
        dcsi_v4_store(c, &v);
        dcsi_v4_zero(&out);
        for (j = 0; j < t; j++) dcsi_v4_load(&v, inverse + 4 * j), dcsi_v4_fma(&out, &v, c[j]);
        dcsi_store_some(x1 + 4 * g, t, &out);
    }
    for (g = 0; 4 * g + 8 <= m; g += 2, panel += 2 * step, rows += 8) {
        dcsi_band_times_1(nc, 2, panel, panel + step, x1, &v, &w);
        dcsi_v4_store(c, &v), dcsi_v4_store(c + 4, &w);
        x[rows[0]] -= c[0], x[rows[1]] -= c[1], x[rows[2]] -= c[2], x[rows[3]] -= c[3];
        x[rows[4]] -= c[4], x[rows[5]] -= c[5], x[rows[6]] -= c[6], x[rows[7]] -= c[7];
    }
    for (; g < end; g++, panel += step, rows += 4) {
        dcsi_band_times_1(nc, 1, panel, panel, x1, &v, &w);
        dcsi_v4_store(c, &v);
        for (i = 0; i < dcsi_min(4, m - 4 * g); i++) x[rows[i]] -= c[i];
    }
}

/* Lane j of sum: over the bands, band(:, j)^T y; cols columns, the other lanes are zero. */
static DCSI_INLINE void dcsi_dot_1(int bands, int cols, ptrdiff_t step, const double *a,
                                   const double *y, dcsi_v4 *sum)
{
    dcsi_v4 c0, c1, c2, c3, v, w;
    int g;
    dcsi_v4_zero(&c0), dcsi_v4_zero(&c1), dcsi_v4_zero(&c2), dcsi_v4_zero(&c3);
    for (g = 0; g < bands; g++, a += step, y += 4) {
        dcsi_v4_load(&w, y);
        dcsi_v4_load(&v, a), dcsi_v4_fmav(&c0, &v, &w);
        if (cols > 1) dcsi_v4_load(&v, a + 4), dcsi_v4_fmav(&c1, &v, &w);
        if (cols > 2) dcsi_v4_load(&v, a + 8), dcsi_v4_fmav(&c2, &v, &w);
        if (cols > 3) dcsi_v4_load(&v, a + 12), dcsi_v4_fmav(&c3, &v, &w);
    }
    dcsi_v4_transpose(&c0, &c1, &c2, &c3);
    dcsi_v4_add(&c0, &c1), dcsi_v4_add(&c2, &c3), dcsi_v4_add(&c0, &c2);
    *sum = c0;
}

/* One diagonal block of the backward solve: t columns at a (rows below it), x, the band y. */
static DCSI_INLINE void dcsi_backward_block_1(int bands, int t, ptrdiff_t step, const double *a,
                                              const double *inverse, double *x, double *y)
{
    dcsi_v4 sum, v;
    dcsi_dot_1(bands, t, step, a, y + 4, &sum);
    dcsi_v4_load(&v, x); /* lanes beyond t meet zero rows of the inverse */
    dcsi_v4_sub(&v, &sum);
    dcsi_v4_store(y, &v);
    dcsi_dot_1(1, t, step, inverse, y, &v);
    dcsi_v4_store(y, &v);
    dcsi_store_some(x, t, &v);
}

/* x1 -= L21^T x2 by blocks of bands; y: 4 numbers per band. */
static DCSI_INLINE void dcsi_subtract_below_1(const double *below, int bands, int nc,
                                              const double *y, double *x1)
{
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    dcsi_v4 sum;
    int g, j, count;
    for (g = 0; g < bands; g += count, below += count * step, y += 4 * (ptrdiff_t)count) {
        count = dcsi_min(DCSI_TALL, bands - g);
        for (j = 0; j + 3 < nc; j += 4) {
            dcsi_dot_1(count, 4, step, below + 4 * j, y, &sum);
            dcsi_subtract(x1 + j, &sum);
        }
        for (; j < nc; j++) {
            dcsi_dot_1(count, 1, step, below + 4 * j, y, &sum);
            x1[j] -= dcsi_v4_sum(&sum);
        }
    }
}

static DCSI_INLINE void dcsi_backward_1(const double *panel, int first, int nc, const int *rows,
                                        int m, double *x, double *y)
{
    ptrdiff_t step = 4 * (ptrdiff_t)nc;
    int g, i, bands = dcsi_bands(nc), all = bands + dcsi_bands(m);
    double *y2 = y + 4 * (ptrdiff_t)bands;
    for (i = 0; i < m; i++) y2[i] = x[rows[i]];
    for (; i < 4 * dcsi_bands(m); i++) y2[i] = 0;
    if (all - bands > DCSI_TALL) {
        dcsi_subtract_below_1(panel + bands * step, all - bands, nc, y2, x + first);
        all = bands; /* only the triangle is left */
    }
    for (g = bands - 1; g >= 0; g--) {
        const double *a = panel + (g + 1) * step + 16 * (ptrdiff_t)g;
        const double *inverse = panel + g * step + 16 * (ptrdiff_t)g;
        double *yg = y + 4 * (ptrdiff_t)g, *xg = x + first + 4 * (ptrdiff_t)g;
        switch (nc - 4 * g) {
        case 1:
            dcsi_backward_block_1(all - g - 1, 1, step, a, inverse, xg, yg);
            break;
        case 2:
            dcsi_backward_block_1(all - g - 1, 2, step, a, inverse, xg, yg);
            break;
        case 3:
            dcsi_backward_block_1(all - g - 1, 3, step, a, inverse, xg, yg);
            break;
        default:
            dcsi_backward_block_1(all - g - 1, 4, step, a, inverse, xg, yg);
            break;
        }
    }
}

/* Row exchanges of LU inside panel s, forwards or backwards. They belong between the panels: rows
   of earlier panels refer to the order before the exchange. */
static void dcsi_swap_rows(const dcs_factor *f, int s, int backwards, int width, double *x)
{
    int first = f->a->first[s], nc = f->a->first[s + 1] - first, k, r;
    for (k = 0; k < nc; k++) {
        int from = backwards ? nc - 1 - k : k, to = f->swap[first + from];
        double *u = x + (ptrdiff_t)(first + from) * width;
        double *v = x + (ptrdiff_t)(first + to) * width;
        for (r = 0; r < width && from != to; r++) {
            double t = u[r];
            u[r] = v[r];
            v[r] = t;
        }
    }
}

/* A factor too large for the caches is read at the pace of memory only if somebody asks early:
   fetch the start of the panel that comes next. Formula: 64 KB of it, for factors larger than
   12 MB (below, asking costs 15 % and gains nothing). Range: any positive numbers. */
enum { DCSI_FETCH = 8192, DCSI_FETCH_FROM = 1572864 }; /* in doubles */

static DCSI_INLINE void dcsi_fetch_panel(const dcs_analysis *a, const double *panels, int s)
{
    const double *p;
    ptrdiff_t i, size;
    if (s < 0 || s >= a->supers || a->panel_start[a->supers] < DCSI_FETCH_FROM) return;
    p = panels + a->panel_start[s];
    size = a->panel_start[s + 1] - a->panel_start[s];
    if (size > DCSI_FETCH) size = DCSI_FETCH;
    for (i = 0; i < size; i += 8) DCSI_PREFETCH(p + i);
}

/* Both triangular solves on scratch; width 1 for one right-hand side, 4 for a group of 3. */
static DCSI_INLINE void dcsi_solve_panels(dcs_factor *f, int transposed, int width)
{
    const dcs_analysis *a = f->a;
    int lu = f->kind == DCS_LU_STATIC, s;
    const double *left = lu && transposed ? f->upper : f->lower;
    const double *right = lu && !transposed ? f->upper : f->lower;
    double *x = f->x;
    ptrdiff_t k;
    for (s = 0; s < a->supers; s++) {
        int first = a->first[s], nc = a->first[s + 1] - first;
        int m = (int)(a->row_start[s + 1] - a->row_start[s]);
        const int *rows = a->rows + a->row_start[s];
        dcsi_fetch_panel(a, left, s + 1);
        if (lu && !transposed) dcsi_swap_rows(f, s, 0, width, x);
        if (width == 4)
            dcsi_forward_3(left + a->panel_start[s], first, nc, rows, m, x);
        else
            dcsi_forward_1(left + a->panel_start[s], first, nc, rows, m, x);
    }
    for (k = 0; f->kind == DCS_LDLT && k < (ptrdiff_t)a->size * width; k++) x[k] /= f->d[k / width];
    for (s = a->supers - 1; s >= 0; s--) {
        int first = a->first[s], nc = a->first[s + 1] - first;
        int m = (int)(a->row_start[s + 1] - a->row_start[s]);
        const int *rows = a->rows + a->row_start[s];
        dcsi_fetch_panel(a, right, s - 1);
        if (width == 4)
            dcsi_backward_3(right + a->panel_start[s], first, nc, rows, m, x, f->gathered);
        else
            dcsi_backward_1(right + a->panel_start[s], first, nc, rows, m, x, f->gathered);
        if (lu && transposed) dcsi_swap_rows(f, s, 1, width, x);
    }
}

#if DCSI_DISPATCH
/* Without AVX2 a group of 3 would live in memory instead of registers: one at a time is faster. */
DCSI_PLAIN static void dcsi_solve_plain(dcs_factor *f, int transposed)
{
    dcsi_solve_panels(f, transposed, 1);
}

DCSI_AVX2 static void dcsi_solve_avx2(dcs_factor *f, int transposed, int width)
{
    if (width == 4)
        dcsi_solve_panels(f, transposed, 4);
    else
        dcsi_solve_panels(f, transposed, 1);
}

static void dcsi_solve_any(dcs_factor *f, int transposed, int width)
{
    if (f->avx2)
        dcsi_solve_avx2(f, transposed, width);
    else
        dcsi_solve_plain(f, transposed);
}
#else
DCSI_PLAIN static void dcsi_solve_any(dcs_factor *f, int transposed, int width)
{
    if (width == 4)
        dcsi_solve_panels(f, transposed, 4);
    else
        dcsi_solve_panels(f, transposed, 1);
}
#endif

/* Copy `have` right-hand sides starting at x into scratch of the given width, in elimination
   order. scale: may be NULL. Returns 1 if one is not finite. */
static DCSI_INLINE int dcsi_permute_in(dcs_factor *f, int b, int nrhs, int have, int width,
                                       const double *x, const double *scale)
{
    int k, c, r;
    uint64_t bad = 0;
    double *to = f->x;
    for (k = 0; k < f->a->n; k++) {
        const double *from = x + (ptrdiff_t)f->a->order[k] * b * nrhs;
        for (c = 0; c < b; c++, from += nrhs, to += width) {
            double s = scale ? scale[k * b + c] : 1;
            for (r = 0; r < have; r++) {
                bad |= dcsi_exponent_carry(from[r]);
                to[r] = scale ? from[r] * s : from[r];
            }
            for (; r < width; r++) to[r] = 0;
        }
    }
    for (r = 0; r < 4 * width; r++) to[r] = 0; /* read, not used, after the last panel */
    return (int)(bad >> 63);
}

static DCSI_INLINE void dcsi_permute_out(const dcs_factor *f, int b, int nrhs, int have, int width,
                                         double *x)
{
    int k, c, r;
    const double *from = f->x;
    for (k = 0; k < f->a->n; k++) {
        double *to = x + (ptrdiff_t)f->a->order[k] * b * nrhs;
        for (c = 0; c < b; c++, to += nrhs, from += width)
            for (r = 0; r < have; r++) to[r] = from[r];
    }
}

/* One group of right-hand sides from x and back. The usual shapes are spelled out for speed. */
static dcs_result dcsi_solve_group(dcs_factor *f, int transposed, int nrhs, int have, double *x,
                                   const double *before, const double *after)
{
    int width = have == 1 ? 1 : 4, b = f->a->block, bad, r;
    ptrdiff_t k;
    if (b == 1 && nrhs == 3 && have == 3 && !before)
        bad = dcsi_permute_in(f, 1, 3, 3, 4, x, NULL);
    else if (b == 3 && nrhs == 1 && !before)
        bad = dcsi_permute_in(f, 3, 1, 1, 1, x, NULL);
    else
        bad = dcsi_permute_in(f, b, nrhs, have, width, x, before);
    if (bad) return DCS_ERROR_NOT_FINITE;
    dcsi_solve_any(f, transposed, width);
    for (k = 0; after && k < f->a->size; k++)
        for (r = 0; r < width; r++) f->x[k * width + r] *= after[k];
    if (!dcsi_all_finite(f->x, (ptrdiff_t)f->a->size * width)) return DCS_ERROR_NOT_FINITE;
    if (b == 1 && nrhs == 3 && have == 3)
        dcsi_permute_out(f, 1, 3, 3, 4, x);
    else if (b == 3 && nrhs == 1)
        dcsi_permute_out(f, 3, 1, 1, 1, x);
    else
        dcsi_permute_out(f, b, nrhs, have, width, x);
    return DCS_OK;
}

static dcs_result dcsi_factor_solve(dcs_factor *f, int transposed, int nrhs, double *x)
{
    const double *before = NULL, *after = NULL;
    int done, have, group;
    if (!f || nrhs < 0 || (nrhs > 0 && f->a->size > 0 && !x)) return DCS_ERROR_BAD_ARGUMENT;
    if (!f->factored) return DCS_ERROR_NOT_FACTORED;
#if defined(DCS_USE_SUITESPARSE)
    if (dcsi_is_foreign(f->kind)) return dcsi_cholmod_solve(f, nrhs, x);
#endif
    group = DCSI_DISPATCH && !f->avx2 ? 1 : 3;
    if (nrhs > group && !dcsi_all_finite(x, (ptrdiff_t)f->a->size * nrhs))
        return DCS_ERROR_NOT_FINITE;
    if (f->kind == DCS_LU_STATIC && f->a->desc.equilibrate) {
        before = transposed ? f->column_scale : f->row_scale;
        after = transposed ? f->row_scale : f->column_scale;
    }
    for (done = 0; done < nrhs; done += have) {
        dcs_result result;
        have = dcsi_min(group, nrhs - done);
        result = dcsi_solve_group(f, transposed, nrhs, have, x + done, before, after);
        if (result != DCS_OK) return result;
    }
    return DCS_OK;
}

DCS_API dcs_result dcs_factor_solve(dcs_factor *f, int nrhs, double *x)
{
    return dcsi_factor_solve(f, 0, nrhs, x);
}

DCS_API dcs_result dcs_factor_solve_transpose(dcs_factor *f, int nrhs, double *x)
{
    return dcsi_factor_solve(f, 1, nrhs, x);
}

/* >>lu-symbolic --------------------------------------------------------------------------------
   General LU: R A C = P^T L U Q^T with powers of two R, C, row pivots P, column order Q. Works on
   scalars. Column k of the factor belongs to column order[k] of A; its pivot is row pivot_row[k],
   and pivot_of is the inverse of pivot_row. */

typedef struct dcsi_list { /* a growing array of (index, value) */
    dcsi_pool pool;
    int *index;
    double *value;
    ptrdiff_t count, limit;
} dcsi_list;

struct dcs_lu {
    dcsi_pool pool;
    dcs_desc desc;
    int n, factored;
    ptrdiff_t entries;
    int *order, *pivot_row, *pivot_of;
    ptrdiff_t *col_start; /* A by scalar columns: n + 1 */
    int *row, *source;    /* row and index into the caller's values */
    double *row_scale, *column_scale;
    ptrdiff_t *l_start, *u_start; /* n + 1 */
    dcsi_list l, u;   /* L without its unit diagonal; U without its diagonal, every column in an
                         order in which it can be eliminated */
    double *diagonal; /* of U */
    double *x;        /* 4 n; zero between calls of the numeric part */
#if defined(DCS_USE_SUITESPARSE)
    void *symbolic, *numeric;        /* the factor is in UMFPACK */
    int *start, *index, *slot, *wi;  /* A in sorted columns, and the place of each element there */
    double *scaled, *w;              /* its values; 5 n numbers of scratch */
    double control[UMFPACK_CONTROL]; /* of UMFPACK */
#endif
};

#if !defined(DCS_USE_SUITESPARSE)
static dcs_result dcsi_list_reserve(dcsi_list *list, ptrdiff_t count)
{
    dcsi_pool pool;
    int *index;
    double *value;
    ptrdiff_t limit = list->limit;
    if (count <= limit) return DCS_OK;
    if (count > PTRDIFF_MAX / 64) return DCS_ERROR_TOO_LARGE;
    limit = limit * 2 > count ? limit * 2 : count + 64;
    dcsi_pool_init(&pool, &list->pool.allocator);
    index = dcsi_take_ints(&pool, limit);
    value = dcsi_take_doubles(&pool, limit);
    if (pool.status != DCS_OK) {
        dcsi_pool_destroy(&pool);
        return pool.status;
    }
    if (list->count > 0) {
        memcpy(index, list->index, (size_t)list->count * sizeof(int));
        memcpy(value, list->value, (size_t)list->count * sizeof(double));
    }
    dcsi_pool_destroy(&list->pool);
    list->pool = pool, list->index = index, list->value = value, list->limit = limit;
    return DCS_OK;
}
#endif

/* Share of the off-diagonal entries that have a partner across the diagonal. */
static double dcsi_symmetry(dcsi_pool *pool, const dcs_matrix *a)
{
    int n = a->cols, j, p, *mark = dcsi_take_ints(pool, n), *start, *rows;
    ptrdiff_t all = 0, matched = 0;
    start = dcsi_take_ints(pool, (ptrdiff_t)n + 1);
    rows = dcsi_take_ints(pool, a->col_start[n]);
    if (pool->status != DCS_OK) return 0;
    dcsi_fill_ints(start, (ptrdiff_t)n + 1, 0);
    for (p = 0; p < a->col_start[n]; p++) start[a->row_index[p] + 1]++;
    for (j = 0; j < n; j++) start[j + 1] += start[j], mark[j] = start[j];
    for (j = 0; j < n; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++) rows[mark[a->row_index[p]]++] = j;
    dcsi_fill_ints(mark, n, -1);
    for (j = 0; j < n; j++) { /* rows[start[j]..]: the columns in row j */
        for (p = start[j]; p < start[j + 1]; p++) mark[rows[p]] = j;
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++)
            if (a->row_index[p] != j) all++, matched += mark[a->row_index[p]] == j;
    }
    return all > 0 ? (double)matched / (double)all : 1;
}

/* Visit the neighbours of column j in A^T A; dense rows are left out. Returns how many. */
static int dcsi_ata_column(const dcs_matrix *a, const int *start, const int *rows, int dense, int j,
                           int *mark, int *out)
{
    int p, q, count = 0;
    mark[j] = j;
    for (p = a->col_start[j]; p < a->col_start[j + 1]; p++) {
        int i = a->row_index[p];
        if (start[i + 1] - start[i] > dense) continue;
        for (q = start[i]; q < start[i + 1]; q++) {
            if (mark[rows[q]] == j) continue;
            mark[rows[q]] = j;
            if (out) out[count] = rows[q];
            count++;
        }
    }
    return count;
}

/* The graph of A^T A: what L and U can fill for any choice of pivots. Rows with more than
   max(16, 10 sqrt(n)) entries are ignored. */
static dcs_result dcsi_ata_graph(dcsi_pool *pool, const dcs_matrix *a, dcsi_graph *g)
{
    int n = a->cols, j, p, *mark = dcsi_take_ints(pool, n), dense = 0;
    int *start = dcsi_take_ints(pool, (ptrdiff_t)n + 1), *rows;
    ptrdiff_t total = 0;
    rows = dcsi_take_ints(pool, a->col_start[n]);
    g->n = n;
    g->start = dcsi_take_ints(pool, (ptrdiff_t)n + 1);
    if (pool->status != DCS_OK) return pool->status;
    dense = dcsi_max(16, (int)(10 * sqrt((double)n)));
    dcsi_fill_ints(start, (ptrdiff_t)n + 1, 0);
    for (p = 0; p < a->col_start[n]; p++) start[a->row_index[p] + 1]++;
    for (j = 0; j < n; j++) start[j + 1] += start[j], mark[j] = start[j];
    for (j = 0; j < n; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++) rows[mark[a->row_index[p]]++] = j;
    dcsi_fill_ints(mark, n, -1);
    for (j = 0; j < n; j++) {
        total += dcsi_ata_column(a, start, rows, dense, j, mark, NULL);
        if (total > INT32_MAX / 4) return pool->status = DCS_ERROR_TOO_LARGE;
    }
    g->adj = dcsi_take_ints(pool, total);
    if (pool->status != DCS_OK) return pool->status;
    dcsi_fill_ints(mark, n, -1);
    g->start[0] = 0;
    for (j = 0; j < n; j++)
        g->start[j + 1] =
            g->start[j] + dcsi_ata_column(a, start, rows, dense, j, mark, g->adj + g->start[j]);
    return DCS_OK;
}

/* Column order in blocks. A + A^T when most entries have a partner across the diagonal, because
   pivots will then mostly be diagonal; else A^T A. */
static dcs_result dcsi_lu_choose_order(dcsi_pool *pool, const dcs_desc *desc, const dcs_matrix *a,
                                       int *order, dcs_error *err)
{
    int k, n = a->cols;
    dcsi_graph g;
    dcs_result result = DCS_OK;
    if (desc->ordering == DCS_ORDER_NATURAL) {
        for (k = 0; k < n; k++) order[k] = k;
    } else if (desc->ordering == DCS_ORDER_GIVEN) {
        int *seen = dcsi_take_ints(pool, n);
        if (pool->status != DCS_OK) return pool->status;
        result = dcsi_check_order(desc->given_order, n, seen, err);
        if (result == DCS_OK) memcpy(order, desc->given_order, (size_t)n * sizeof(int));
    } else {
        if (dcsi_symmetry(pool, a) >= 0.5)
            result = dcsi_graph_create(pool, n, a->col_start, a->row_index, &g);
        else
            result = dcsi_ata_graph(pool, a, &g);
        if (result == DCS_OK && desc->ordering == DCS_ORDER_ND)
            result = dcsi_nd_order(pool, &g, order);
        else if (result == DCS_OK)
            result = dcsi_amd_order(pool, &g, NULL, order);
    }
    return result;
}

/* The scalar columns of A with the place of each element in the caller's values. */
static void dcsi_lu_expand(dcs_lu *lu, const dcs_matrix *a)
{
    int b = a->block, j, p, r, c;
    ptrdiff_t at = 0;
    for (j = 0; j < a->cols; j++)
        for (c = 0; c < b; c++) {
            lu->col_start[j * b + c] = at;
            for (p = a->col_start[j]; p < a->col_start[j + 1]; p++)
                for (r = 0; r < b; r++) {
                    lu->row[at] = a->row_index[p] * b + r;
                    lu->source[at++] = (p * b + c) * b + r;
                }
        }
    lu->col_start[lu->n] = at;
}

static dcs_result dcsi_lu_take(dcs_lu *lu, dcsi_pool *pool)
{
    ptrdiff_t n = lu->n;
    lu->order = dcsi_take_ints(pool, n);
    lu->pivot_row = dcsi_take_ints(pool, n);
    lu->pivot_of = dcsi_take_ints(pool, n);
    lu->col_start = (ptrdiff_t *)dcsi_pool_take(pool, n + 1, sizeof(ptrdiff_t));
    lu->row = dcsi_take_ints(pool, lu->entries);
    lu->source = dcsi_take_ints(pool, lu->entries);
    lu->row_scale = dcsi_take_doubles(pool, n);
    lu->column_scale = dcsi_take_doubles(pool, n);
    lu->l_start = (ptrdiff_t *)dcsi_pool_take(pool, n + 1, sizeof(ptrdiff_t));
    lu->u_start = (ptrdiff_t *)dcsi_pool_take(pool, n + 1, sizeof(ptrdiff_t));
    lu->diagonal = dcsi_take_doubles(pool, n);
    lu->x = dcsi_take_doubles(pool, 4 * n);
#if defined(DCS_USE_SUITESPARSE)
    lu->start = dcsi_take_ints(pool, n + 1);
    lu->index = dcsi_take_ints(pool, lu->entries);
    lu->slot = dcsi_take_ints(pool, lu->entries);
    lu->wi = dcsi_take_ints(pool, n);
    lu->scaled = dcsi_take_doubles(pool, lu->entries);
    lu->w = dcsi_take_doubles(pool, 5 * n);
#endif
    return pool->status;
}

/* >>lu-numeric --------------------------------------------------------------------------------- */

/* dcsi_balance for a general matrix: exponents of one side become minus the mean of log2 |e| + the
   other side's. Returns the largest change. */
static double dcsi_lu_balance_side(dcs_lu *lu, const double *values, int rows)
{
    double *mine = rows ? lu->row_scale : lu->column_scale, change = 0;
    const double *other = rows ? lu->column_scale : lu->row_scale;
    double *sum = lu->x, *count = lu->x + lu->n;
    int j, exponent;
    ptrdiff_t p;
    dcsi_zero(lu->x, 2 * (ptrdiff_t)lu->n);
    for (j = 0; j < lu->n; j++)
        for (p = lu->col_start[j]; p < lu->col_start[j + 1]; p++) {
            double e = fabs(values[lu->source[p]]);
            if (!(e > 0)) continue;
            frexp(e, &exponent);
            sum[rows ? lu->row[p] : j] += exponent + other[rows ? j : lu->row[p]];
            count[rows ? lu->row[p] : j] += 1;
        }
    for (j = 0; j < lu->n; j++) {
        double e = count[j] > 0 ? -sum[j] / count[j] : 0;
        if (fabs(e - mine[j]) > change) change = fabs(e - mine[j]);
        mine[j] = e;
    }
    dcsi_zero(lu->x, 2 * (ptrdiff_t)lu->n);
    return change;
}

static void dcsi_lu_balance(dcs_lu *lu, const double *values)
{
    int j, sweep;
    dcsi_zero(lu->row_scale, lu->n);
    dcsi_zero(lu->column_scale, lu->n);
    for (sweep = 0; sweep < 60; sweep++) {
        double change = dcsi_lu_balance_side(lu, values, 1);
        double other = dcsi_lu_balance_side(lu, values, 0);
        if (change < 0.5 && other < 0.5) break;
    }
    for (j = 0; j < lu->n; j++) {
        int r = (int)floor(lu->row_scale[j] + 0.5), c = (int)floor(lu->column_scale[j] + 0.5);
        lu->row_scale[j] = ldexp(1, dcsi_max(-1000, dcsi_min(1000, r)));
        lu->column_scale[j] = ldexp(1, dcsi_max(-1000, dcsi_min(1000, c)));
    }
}

/* Finite check and scales: largest elements, or averages for wild matrices, as in
   dcsi_equilibrate. */
static dcs_result dcsi_lu_scale(dcs_lu *lu, const double *values, dcs_error *err)
{
    int j;
    double top = 0, bottom = DBL_MAX;
    ptrdiff_t p;
    for (j = 0; j < lu->n; j++) lu->row_scale[j] = lu->column_scale[j] = 0;
    for (j = 0; j < lu->n; j++)
        for (p = lu->col_start[j]; p < lu->col_start[j + 1]; p++) {
            double e = fabs(values[lu->source[p]]);
            if (dcsi_not_finite(e))
                return dcsi_fail(err, DCS_ERROR_NOT_FINITE, lu->row[p], j, values[lu->source[p]],
                                 "entry (%d, %d) is %g", lu->row[p], j, values[lu->source[p]]);
            if (e > lu->row_scale[lu->row[p]]) lu->row_scale[lu->row[p]] = e;
            if (e > top) top = e;
            if (e > 0 && e < bottom) bottom = e;
        }
    if (!lu->desc.equilibrate) {
        for (j = 0; j < lu->n; j++) lu->row_scale[j] = lu->column_scale[j] = 1;
        return DCS_OK;
    }
    if (bottom < top * 5.4e-20) {
        dcsi_lu_balance(lu, values);
        return DCS_OK;
    }
    dcsi_to_scales(lu->row_scale, lu->n);
    for (j = 0; j < lu->n; j++)
        for (p = lu->col_start[j]; p < lu->col_start[j + 1]; p++) {
            double e = fabs(values[lu->source[p]]) * lu->row_scale[lu->row[p]];
            if (e > lu->column_scale[j]) lu->column_scale[j] = e;
        }
    dcsi_to_scales(lu->column_scale, lu->n);
    return DCS_OK;
}

#if !defined(DCS_USE_SUITESPARSE)
typedef struct dcsi_reach {
    int *found; /* n: pivotal columns reached, in order of elimination from `top` on */
    int *open;  /* n: rows reached that have no pivot yet */
    int *stack, *mark;
    ptrdiff_t *next;   /* per stack level */
    ptrdiff_t *pruned; /* per column: where the search may stop, or -1 */
    int top, open_count;
} dcsi_reach;

/* Depth-first search from `row` through the columns of L, without recursion. Rows without a pivot
   are collected, columns are listed after everything that depends on them. */
static void dcsi_lu_search(const dcs_lu *lu, dcsi_reach *w, int row, int stamp)
{
    int depth = 0;
    if (w->mark[row] == stamp) return;
    w->mark[row] = stamp;
    if (lu->pivot_of[row] < 0) {
        w->open[w->open_count++] = row;
        return;
    }
    w->stack[0] = lu->pivot_of[row];
    w->next[0] = lu->l_start[w->stack[0]];
    while (depth >= 0) {
        int k = w->stack[depth], child = -1;
        ptrdiff_t end = w->pruned[k] >= 0 ? w->pruned[k] : lu->l_start[k + 1];
        while (w->next[depth] < end && child < 0) {
            int i = lu->l.index[w->next[depth]++];
            if (w->mark[i] == stamp) continue;
            w->mark[i] = stamp;
            if (lu->pivot_of[i] < 0)
                w->open[w->open_count++] = i;
            else
                child = lu->pivot_of[i];
        }
        if (child >= 0) {
            w->stack[++depth] = child;
            w->next[depth] = lu->l_start[child];
        } else {
            w->found[--w->top] = k;
            depth--;
        }
    }
}

/* Symmetric pruning (Eisenstat, Liu 1992): once U(j, k) and L(pivot of k, j) are both present,
   later searches reach the rest of column j through column k. Move the rows that have pivots to
   the front of column j and stop there. */
static void dcsi_lu_prune(dcs_lu *lu, dcsi_reach *w, int k)
{
    ptrdiff_t q, p, tail;
    for (q = lu->u_start[k]; q < lu->u_start[k + 1]; q++) {
        int j = lu->u.index[q], hit = 0;
        if (w->pruned[j] >= 0) continue;
        for (p = lu->l_start[j]; p < lu->l_start[j + 1] && !hit; p++)
            hit = lu->l.index[p] == lu->pivot_row[k];
        if (!hit) continue;
        p = lu->l_start[j], tail = lu->l_start[j + 1];
        while (p < tail) {
            int i = lu->l.index[p];
            double v = lu->l.value[p];
            if (lu->pivot_of[i] >= 0) {
                p++;
                continue;
            }
            tail--;
            lu->l.index[p] = lu->l.index[tail], lu->l.value[p] = lu->l.value[tail];
            lu->l.index[tail] = i, lu->l.value[tail] = v;
        }
        w->pruned[j] = tail;
    }
}

/* The row that becomes pivot of column k, or -1: the largest candidate, or the diagonal if it is
   large enough. */
static int dcsi_lu_choose_pivot(const dcs_lu *lu, const dcsi_reach *w, int k)
{
    double best = 0;
    int t, row = -1, diagonal = lu->order[k];
    for (t = 0; t < w->open_count; t++) {
        double size = fabs(lu->x[w->open[t]]);
        if (dcsi_not_finite(size)) return -1;
        if (size > best) best = size, row = w->open[t];
    }
    if (row >= 0 && lu->pivot_of[diagonal] < 0 && w->mark[diagonal] == k &&
        fabs(lu->x[diagonal]) >= lu->desc.pivot_tolerance * best)
        row = diagonal;
    return row;
}

/* Column k: pattern by search, values by a sparse triangular solve, pivot. */
static dcs_result dcsi_lu_column(dcs_lu *lu, dcsi_reach *w, int k, const double *values,
                                 dcs_error *err)
{
    int column = lu->order[k], t, row;
    ptrdiff_t p;
    double *x = lu->x;
    dcs_result result;
    w->top = lu->n, w->open_count = 0;
    for (p = lu->col_start[column]; p < lu->col_start[column + 1]; p++)
        dcsi_lu_search(lu, w, lu->row[p], k);
    result = dcsi_list_reserve(&lu->u, lu->u.count + lu->n - w->top);
    if (result == DCS_OK) result = dcsi_list_reserve(&lu->l, lu->l.count + w->open_count);
    if (result != DCS_OK)
        return dcsi_fail(err, result, -1, column, 0, "factor of %.0f entries at column %d",
                         (double)(lu->l.count + lu->u.count), column);
    for (p = lu->col_start[column]; p < lu->col_start[column + 1]; p++)
        x[lu->row[p]] +=
            values[lu->source[p]] * lu->row_scale[lu->row[p]] * lu->column_scale[column];
    for (t = w->top; t < lu->n; t++) {
        int j = w->found[t];
        double xj = x[lu->pivot_row[j]];
        x[lu->pivot_row[j]] = 0;
        lu->u.index[lu->u.count] = j;
        lu->u.value[lu->u.count++] = xj;
        for (p = lu->l_start[j]; p < lu->l_start[j + 1]; p++)
            x[lu->l.index[p]] -= lu->l.value[p] * xj;
    }
    row = dcsi_lu_choose_pivot(lu, w, k);
    if (row < 0)
        return dcsi_fail(err, DCS_ERROR_SINGULAR, -1, column, 0,
                         "column %d, eliminated as %d of %d, has no pivot", column, k + 1, lu->n);
    lu->diagonal[k] = x[row];
    lu->pivot_row[k] = row;
    lu->pivot_of[row] = k;
    for (t = 0; t < w->open_count; t++) {
        int i = w->open[t];
        if (i != row) {
            lu->l.index[lu->l.count] = i;
            lu->l.value[lu->l.count++] = x[i] / lu->diagonal[k];
        }
        x[i] = 0;
    }
    lu->l_start[k + 1] = lu->l.count;
    lu->u_start[k + 1] = lu->u.count;
    return DCS_OK;
}

static dcs_result dcsi_lu_factor(dcs_lu *lu, dcsi_pool *pool, const double *values, dcs_error *err)
{
    dcsi_reach w;
    int n = lu->n, k;
    ptrdiff_t p;
    dcs_result result = DCS_OK;
    w.found = dcsi_take_ints(pool, n);
    w.open = dcsi_take_ints(pool, n);
    w.stack = dcsi_take_ints(pool, n);
    w.mark = dcsi_take_ints(pool, n);
    w.next = (ptrdiff_t *)dcsi_pool_take(pool, n, sizeof(ptrdiff_t));
    w.pruned = (ptrdiff_t *)dcsi_pool_take(pool, n, sizeof(ptrdiff_t));
    if (pool->status != DCS_OK) return pool->status;
    for (k = 0; k < n; k++) lu->pivot_of[k] = w.mark[k] = -1, w.pruned[k] = -1;
    dcsi_zero(lu->x, 4 * (ptrdiff_t)n);
    lu->l_start[0] = lu->u_start[0] = 0;
    lu->l.count = lu->u.count = 0;
    result = dcsi_list_reserve(&lu->l, 4 * lu->entries + n);
    if (result == DCS_OK) result = dcsi_list_reserve(&lu->u, 4 * lu->entries + n);
    if (result != DCS_OK) return dcsi_fail(err, result, -1, -1, 0, "LU factor");
    for (k = 0; k < n && result == DCS_OK; k++) {
        result = dcsi_lu_column(lu, &w, k, values, err);
        if (result == DCS_OK) dcsi_lu_prune(lu, &w, k);
    }
    if (result != DCS_OK) return result;
    for (p = 0; p < lu->l.count; p++) lu->l.index[p] = lu->pivot_of[lu->l.index[p]];
    lu->factored = 1;
    return DCS_OK;
}
#else
/* General LU by UMFPACK, with our scales and our order to start from. */
static dcs_result dcsi_umfpack_result(int status, const char *what, dcs_error *err)
{
    if (status == UMFPACK_OK) return DCS_OK;
    if (status == UMFPACK_ERROR_out_of_memory)
        return dcsi_fail(err, DCS_ERROR_OUT_OF_MEMORY, -1, -1, 0, "%s: UMFPACK has no memory",
                         what);
    return dcsi_fail(err, DCS_ERROR_TOO_LARGE, -1, -1, status, "%s: UMFPACK status %d", what,
                     status);
}

/* The column without a pivot, by UMFPACK's order of columns and diagonal of U. */
static dcs_result dcsi_umfpack_singular(dcs_lu *lu, dcs_error *err)
{
    int k, reciprocal, *q = lu->wi;
    double *d = lu->w;
    if (umfpack_di_get_numeric(NULL, NULL, NULL, NULL, NULL, NULL, NULL, q, d, &reciprocal, NULL,
                               lu->numeric) != UMFPACK_OK)
        return dcsi_fail(err, DCS_ERROR_OUT_OF_MEMORY, -1, -1, 0, "UMFPACK has no memory");
    for (k = 0; k < lu->n - 1 && d[k] != 0 && !dcsi_not_finite(d[k]); k++) {
    }
    return dcsi_fail(err, DCS_ERROR_SINGULAR, -1, q[k], d[k],
                     "column %d, eliminated as %d of %d, has no pivot", q[k], k + 1, lu->n);
}

/* Numbers into a new factor, which UMFPACK allocates; the old one is freed. */
static dcs_result dcsi_umfpack_factor(dcs_lu *lu, const double *values, dcs_error *err)
{
    int j, status;
    ptrdiff_t p;
    dcsi_zero(lu->scaled, lu->entries);
    for (j = 0; j < lu->n; j++)
        for (p = lu->col_start[j]; p < lu->col_start[j + 1]; p++)
            lu->scaled[lu->slot[p]] +=
                values[lu->source[p]] * lu->row_scale[lu->row[p]] * lu->column_scale[j];
    umfpack_di_free_numeric(&lu->numeric);
    status = umfpack_di_numeric(lu->start, lu->index, lu->scaled, lu->symbolic, &lu->numeric,
                                lu->control, NULL);
    if (status == UMFPACK_WARNING_singular_matrix) return dcsi_umfpack_singular(lu, err);
    if (status != UMFPACK_OK) return dcsi_umfpack_result(status, "LU", err);
    lu->factored = 1;
    return DCS_OK;
}

static dcs_result dcsi_umfpack_create(dcs_lu *lu, dcsi_pool *pool, const double *values,
                                      dcs_error *err)
{
    int *column = dcsi_take_ints(pool, lu->entries), j, status;
    ptrdiff_t p;
    if (pool->status != DCS_OK) return pool->status;
    if (lu->n == 0) {
        lu->factored = 1;
        return DCS_OK;
    }
    for (j = 0; j < lu->n; j++)
        for (p = lu->col_start[j]; p < lu->col_start[j + 1]; p++) column[p] = j;
    umfpack_di_defaults(lu->control);
    lu->control[UMFPACK_PRL] = 0;
    lu->control[UMFPACK_IRSTEP] = 0;
    lu->control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE; /* done by us */
    lu->control[UMFPACK_PIVOT_TOLERANCE] = lu->desc.pivot_tolerance;
    lu->control[UMFPACK_SYM_PIVOT_TOLERANCE] = lu->desc.pivot_tolerance;
    if (lu->entries == 0) return dcsi_fail(err, DCS_ERROR_SINGULAR, -1, lu->order[0], 0,
                                           "column %d is empty", lu->order[0]);
    status = umfpack_di_triplet_to_col(lu->n, lu->n, (int)lu->entries, lu->row, column, NULL,
                                       lu->start, lu->index, NULL, lu->slot);
    if (status == UMFPACK_OK)
        status = umfpack_di_qsymbolic(lu->n, lu->n, lu->start, lu->index, NULL, lu->order,
                                      &lu->symbolic, lu->control, NULL);
    if (status != UMFPACK_OK) return dcsi_umfpack_result(status, "LU", err);
    return dcsi_umfpack_factor(lu, values, err);
}

static dcs_result dcsi_umfpack_solve(dcs_lu *lu, int transposed, int nrhs, double *x)
{
    const double *before = transposed ? lu->column_scale : lu->row_scale;
    const double *after = transposed ? lu->row_scale : lu->column_scale;
    double *b = lu->x, *y = lu->x + lu->n;
    int i, r;
    for (r = 0; r < nrhs; r++) {
        for (i = 0; i < lu->n; i++) b[i] = x[(ptrdiff_t)i * nrhs + r] * before[i];
        if (lu->n > 0 &&
            umfpack_di_wsolve(transposed ? UMFPACK_At : UMFPACK_A, lu->start, lu->index, lu->scaled,
                              y, b, lu->numeric, lu->control, NULL, lu->wi, lu->w) != UMFPACK_OK)
            return DCS_ERROR_SINGULAR;
        for (i = 0; i < lu->n; i++) y[i] *= after[i];
        if (!dcsi_all_finite(y, lu->n)) return DCS_ERROR_NOT_FINITE;
        for (i = 0; i < lu->n; i++) x[(ptrdiff_t)i * nrhs + r] = y[i];
    }
    return DCS_OK;
}
#endif

DCS_API dcs_result dcs_lu_create(const dcs_desc *desc, const dcs_matrix *a, dcs_lu **out,
                                 dcs_error *err)
{
    dcs_desc checked;
    dcsi_pool pool, scratch;
    dcs_lu *lu;
    int *order, k;
    dcs_result result;
    dcsi_clear_error(err);
    if (!out) return dcsi_bad_argument(err, "out is NULL");
    *out = NULL;
    if ((result = dcsi_check_desc(desc, &checked, err)) != DCS_OK) return result;
    if ((result = dcs_matrix_check(a, err)) != DCS_OK) return result;
    if (a->rows != a->cols) return dcsi_bad_argument(err, "the matrix is not square");
    if ((ptrdiff_t)a->col_start[a->cols] > INT32_MAX / 4 / (a->block * a->block))
        return dcsi_fail(err, DCS_ERROR_TOO_LARGE, -1, -1, 0, "%d entries", a->col_start[a->cols]);
    dcsi_pool_init(&pool, &checked.allocator);
    dcsi_pool_init(&scratch, &checked.allocator);
    lu = (dcs_lu *)dcsi_pool_take(&pool, 1, sizeof *lu);
    if (!lu) return dcsi_pool_fail(&pool, err, "LU");
    memset(lu, 0, sizeof *lu);
    lu->desc = checked;
    lu->n = a->cols * a->block;
    lu->entries = (ptrdiff_t)a->col_start[a->cols] * a->block * a->block;
    dcsi_pool_init(&lu->l.pool, &checked.allocator);
    dcsi_pool_init(&lu->u.pool, &checked.allocator);
    order = dcsi_take_ints(&scratch, a->cols);
    result = dcsi_lu_take(lu, &pool);
    lu->pool = pool;
    if (result == DCS_OK) result = scratch.status;
    if (result == DCS_OK) result = dcsi_lu_choose_order(&scratch, &checked, a, order, err);
    if (result == DCS_OK) {
        for (k = 0; k < lu->n; k++) lu->order[k] = order[k / a->block] * a->block + k % a->block;
        dcsi_lu_expand(lu, a);
        result = dcsi_lu_scale(lu, a->values, err);
    }
#if defined(DCS_USE_SUITESPARSE)
    if (result == DCS_OK) result = dcsi_umfpack_create(lu, &scratch, a->values, err);
#else
    if (result == DCS_OK) result = dcsi_lu_factor(lu, &scratch, a->values, err);
#endif
    if (pool.status != DCS_OK) result = dcsi_pool_fail(&pool, err, "LU");
    if (scratch.status != DCS_OK) result = dcsi_pool_fail(&scratch, err, "LU");
    dcsi_pool_destroy(&scratch);
    lu->desc.given_order = NULL; /* the caller's array is not kept */
    if (result == DCS_OK)
        *out = lu;
    else
        dcs_lu_destroy(lu);
    return result;
}

DCS_API void dcs_lu_destroy(dcs_lu *lu)
{
    dcsi_pool pool;
    if (!lu) return;
#if defined(DCS_USE_SUITESPARSE)
    umfpack_di_free_numeric(&lu->numeric);
    umfpack_di_free_symbolic(&lu->symbolic);
#endif
    dcsi_pool_destroy(&lu->l.pool);
    dcsi_pool_destroy(&lu->u.pool);
    pool = lu->pool;
    dcsi_pool_destroy(&pool);
}

#if !defined(DCS_USE_SUITESPARSE)
/* New numbers in the pattern found before. */
static dcs_result dcsi_lu_refactor(dcs_lu *lu, const double *values, double *growth, dcs_error *err)
{
    int k;
    ptrdiff_t p, q;
    double *x = lu->x, top = 0;
    dcsi_zero(x, lu->n);
    for (k = 0; k < lu->n; k++) {
        int c = lu->order[k];
        for (p = lu->col_start[c]; p < lu->col_start[c + 1]; p++)
            x[lu->pivot_of[lu->row[p]]] +=
                values[lu->source[p]] * lu->row_scale[lu->row[p]] * lu->column_scale[c];
        for (q = lu->u_start[k]; q < lu->u_start[k + 1]; q++) {
            int j = lu->u.index[q];
            double xj = lu->u.value[q] = x[j];
            x[j] = 0;
            for (p = lu->l_start[j]; p < lu->l_start[j + 1]; p++)
                x[lu->l.index[p]] -= lu->l.value[p] * xj;
        }
        if (x[k] == 0 || dcsi_not_finite(x[k]))
            return dcsi_fail(err, DCS_ERROR_SINGULAR, lu->pivot_row[k], c, x[k],
                             "pivot %g in column %d, eliminated as %d of %d", x[k], c, k + 1,
                             lu->n);
        lu->diagonal[k] = x[k];
        x[k] = 0;
        for (p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) {
            lu->l.value[p] = x[lu->l.index[p]] / lu->diagonal[k];
            x[lu->l.index[p]] = 0;
            if (fabs(lu->l.value[p]) > top) top = fabs(lu->l.value[p]);
        }
    }
    if (growth) *growth = top;
    lu->factored = 1;
    return DCS_OK;
}
#endif

DCS_API dcs_result dcs_lu_refactor(dcs_lu *lu, const double *values, double *growth, dcs_error *err)
{
    dcs_result result;
    dcsi_clear_error(err);
    if (!lu) return dcsi_bad_argument(err, "lu is NULL");
    if (lu->entries > 0 && !values) return dcsi_bad_argument(err, "values is NULL");
    lu->factored = 0;
    if ((result = dcsi_lu_scale(lu, values, err)) != DCS_OK) return result;
#if defined(DCS_USE_SUITESPARSE)
    if (growth) *growth = 1 / lu->desc.pivot_tolerance; /* new pivots: the bound it guarantees */
    return dcsi_umfpack_factor(lu, values, err);
#else
    return dcsi_lu_refactor(lu, values, growth, err);
#endif
}

DCS_API int64_t dcs_lu_get_nonzeros(const dcs_lu *lu)
{
#if defined(DCS_USE_SUITESPARSE)
    int l = 0, u = 0, rows, columns, diagonal;
    if (lu->numeric) umfpack_di_get_lunz(&l, &u, &rows, &columns, &diagonal, lu->numeric);
    return (int64_t)l + u - lu->n;
#else
    return lu->l.count + lu->u.count + (int64_t)lu->n;
#endif
}

/* >>lu-solve -----------------------------------------------------------------------------------
   Up to 4 right-hand sides at a time, always carried as 4 so that the inner loops are short and
   fixed. */

#if !defined(DCS_USE_SUITESPARSE)
static void dcsi_lu_solve_4(const dcs_lu *lu, double *y)
{
    int k, r;
    ptrdiff_t p;
    for (k = 0; k < lu->n; k++) {
        const double *yk = y + 4 * (ptrdiff_t)k;
        for (p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) {
            double v = lu->l.value[p], *to = y + 4 * (ptrdiff_t)lu->l.index[p];
            for (r = 0; r < 4; r++) to[r] -= v * yk[r];
        }
    }
    for (k = lu->n - 1; k >= 0; k--) {
        double *yk = y + 4 * (ptrdiff_t)k;
        for (r = 0; r < 4; r++) yk[r] /= lu->diagonal[k];
        for (p = lu->u_start[k]; p < lu->u_start[k + 1]; p++) {
            double v = lu->u.value[p], *to = y + 4 * (ptrdiff_t)lu->u.index[p];
            for (r = 0; r < 4; r++) to[r] -= v * yk[r];
        }
    }
}

static void dcsi_lu_solve_transpose_4(const dcs_lu *lu, double *y)
{
    int k, r;
    ptrdiff_t p;
    for (k = 0; k < lu->n; k++) {
        double *yk = y + 4 * (ptrdiff_t)k;
        for (p = lu->u_start[k]; p < lu->u_start[k + 1]; p++) {
            const double *from = y + 4 * (ptrdiff_t)lu->u.index[p];
            for (r = 0; r < 4; r++) yk[r] -= lu->u.value[p] * from[r];
        }
        for (r = 0; r < 4; r++) yk[r] /= lu->diagonal[k];
    }
    for (k = lu->n - 1; k >= 0; k--) {
        double *yk = y + 4 * (ptrdiff_t)k;
        for (p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) {
            const double *from = y + 4 * (ptrdiff_t)lu->l.index[p];
            for (r = 0; r < 4; r++) yk[r] -= lu->l.value[p] * from[r];
        }
    }
}

static dcs_result dcsi_lu_solve_groups(dcs_lu *lu, int transposed, int nrhs, double *x)
{
    int k, r, done, have;
    for (done = 0; done < nrhs; done += have) {
        have = dcsi_min(4, nrhs - done);
        for (k = 0; k < lu->n; k++) {
            int i = transposed ? lu->order[k] : lu->pivot_row[k];
            double s = transposed ? lu->column_scale[i] : lu->row_scale[i];
            for (r = 0; r < 4; r++)
                lu->x[4 * (ptrdiff_t)k + r] = r < have ? x[(ptrdiff_t)i * nrhs + done + r] * s : 0;
        }
        if (transposed)
            dcsi_lu_solve_transpose_4(lu, lu->x);
        else
            dcsi_lu_solve_4(lu, lu->x);
        for (k = 0; k < lu->n; k++) {
            int i = transposed ? lu->pivot_row[k] : lu->order[k];
            double s = transposed ? lu->row_scale[i] : lu->column_scale[i];
            for (r = 0; r < 4; r++) lu->x[4 * (ptrdiff_t)k + r] *= s;
        }
        if (!dcsi_all_finite(lu->x, 4 * (ptrdiff_t)lu->n)) return DCS_ERROR_NOT_FINITE;
        for (k = 0; k < lu->n; k++) {
            int i = transposed ? lu->pivot_row[k] : lu->order[k];
            for (r = 0; r < have; r++)
                x[(ptrdiff_t)i * nrhs + done + r] = lu->x[4 * (ptrdiff_t)k + r];
        }
    }
    return DCS_OK;
}
#endif

static dcs_result dcsi_lu_solve(dcs_lu *lu, int transposed, int nrhs, double *x)
{
    if (!lu || nrhs < 0 || (nrhs > 0 && lu->n > 0 && !x)) return DCS_ERROR_BAD_ARGUMENT;
    if (!lu->factored) return DCS_ERROR_NOT_FACTORED;
    if (!dcsi_all_finite(x, (ptrdiff_t)lu->n * nrhs)) return DCS_ERROR_NOT_FINITE;
#if defined(DCS_USE_SUITESPARSE)
    return dcsi_umfpack_solve(lu, transposed, nrhs, x);
#else
    return dcsi_lu_solve_groups(lu, transposed, nrhs, x);
#endif
}

DCS_API dcs_result dcs_lu_solve(dcs_lu *lu, int nrhs, double *x)
{
    return dcsi_lu_solve(lu, 0, nrhs, x);
}

DCS_API dcs_result dcs_lu_solve_transpose(dcs_lu *lu, int nrhs, double *x)
{
    return dcsi_lu_solve(lu, 1, nrhs, x);
}

/* >>solver -------------------------------------------------------------------------------------
   A matrix of any kind with its factor. Each entry of the input has a slot in the pattern that was
   analysed: for symmetric kinds in the lower triangle, for LU_STATIC on one side of an entry whose
   other side stays zero (equal positions add up), for LU the entry itself. */

struct dcs_solver {
    dcsi_pool pool;
    dcs_desc desc;
    dcs_kind kind;
    dcs_matrix a;                    /* what residuals are computed with */
    int input_entries, *slot, *side; /* slot -1: not read; side 1: A(j, i) of the slot */
    int *col_start, *row_index;      /* pattern: of a, or of the analysis */
    double *lower, *upper;
    dcs_analysis *analysis;
    dcs_factor *factor;
    dcs_lu *lu;
    double *x, *y, *b, *r; /* 3 * size each */
    double norm_one, norm_infinity, backward_error;
};

static int dcsi_is_symmetric_kind(dcs_kind kind)
{
    return kind == DCS_CHOLESKY || kind == DCS_LDLT;
}

/* Norms of A; rows: size numbers of scratch. */
static void dcsi_matrix_norms(const dcs_matrix *a, int symmetric, double *rows, double *one,
                              double *infinity)
{
    int b = a->block, j, p, r, c;
    ptrdiff_t i;
    *one = *infinity = 0;
    dcsi_zero(rows, (ptrdiff_t)a->rows * b);
    for (j = 0; j < a->cols; j++)
        for (c = 0; c < b; c++) {
            double sum = 0;
            for (p = a->col_start[j]; p < a->col_start[j + 1]; p++)
                for (r = 0; r < b; r++) {
                    int row = a->row_index[p] * b + r, column = j * b + c;
                    double e = fabs(a->values[((ptrdiff_t)p * b + c) * b + r]);
                    if (symmetric && row < column) continue;
                    if (symmetric && row > column) rows[column] += e;
                    rows[row] += e;
                    sum += e;
                }
            if (sum > *one) *one = sum;
        }
    for (i = 0; i < (ptrdiff_t)a->rows * b; i++)
        if (rows[i] > *infinity) *infinity = rows[i];
    if (symmetric) *one = *infinity;
}

/* |b - A x| / (|A| |x| + |b|), worst of nrhs; mode as in dcsi_matrix_apply. r becomes b - A x. */
static double dcsi_residual(const dcs_matrix *a, int mode, double norm, int nrhs, const double *x,
                            const double *b, double *r)
{
    ptrdiff_t i, n = (ptrdiff_t)(mode == 1 ? a->cols : a->rows) * a->block;
    double worst = 0;
    int k;
    dcsi_matrix_apply(a, mode, nrhs, x, r);
    for (k = 0; k < nrhs; k++) {
        double top_r = 0, top_x = 0, top_b = 0, error;
        for (i = 0; i < n; i++) {
            ptrdiff_t at = i * nrhs + k;
            r[at] = b[at] - r[at];
            if (fabs(r[at]) > top_r) top_r = fabs(r[at]);
            if (fabs(x[at]) > top_x) top_x = fabs(x[at]);
            if (fabs(b[at]) > top_b) top_b = fabs(b[at]);
        }
        error = top_r > 0 ? top_r / (norm * top_x + top_b) : 0;
        if (error > worst || dcsi_not_finite(error)) worst = error;
    }
    return worst;
}

DCS_API double dcs_backward_error(const dcs_matrix *a, int symmetric, const double *x,
                                  const double *b, double *work)
{
    double one, infinity;
    dcsi_matrix_norms(a, symmetric, work, &one, &infinity);
    return dcsi_residual(a, symmetric ? 2 : 0, infinity, 1, x, b, work);
}

/* 1 if entries strictly below the diagonal exist. */
static int dcsi_has_lower(const dcs_matrix *a)
{
    int j, p;
    for (j = 0; j < a->cols; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++)
            if (a->row_index[p] > j) return 1;
    return 0;
}

/* Slots of the input entries in a lower pattern, sorted by its columns. */
static void dcsi_solver_slots(dcs_solver *s, const dcs_matrix *a)
{
    int symmetric = dcsi_is_symmetric_kind(s->kind), from_lower = dcsi_has_lower(a);
    int j, p, n = a->cols, *start = s->col_start;
    dcsi_fill_ints(start, (ptrdiff_t)n + 1, 0);
    for (j = 0; j < n; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++) {
            int i = a->row_index[p];
            s->side[p] = i < j;
            s->slot[p] = symmetric && i != j && (i > j) != from_lower ? -1 : dcsi_min(i, j);
            if (s->slot[p] >= 0) start[s->slot[p] + 1]++;
        }
    for (j = 0; j < n; j++) start[j + 1] += start[j];
    for (j = 0; j < n; j++)
        for (p = a->col_start[j]; p < a->col_start[j + 1]; p++) {
            int column = s->slot[p];
            if (column < 0) continue;
            s->slot[p] = start[column]++;
            s->row_index[s->slot[p]] = dcsi_max(a->row_index[p], j);
        }
    for (j = n; j > 0; j--) start[j] = start[j - 1];
    start[0] = 0;
}

/* Copy values to their slots. A symmetric matrix given by its upper triangle is transposed,
   diagonal blocks included. */
static void dcsi_solver_values(dcs_solver *s, const double *values, int from_upper)
{
    int b = s->a.block, p, r, c;
    for (p = 0; p < s->input_entries; p++) {
        const double *v = values + (ptrdiff_t)p * b * b;
        int symmetric = dcsi_is_symmetric_kind(s->kind);
        double *base = s->side[p] && !symmetric ? s->upper : s->lower;
        double *to = base + (ptrdiff_t)s->slot[p] * b * b;
        if (s->slot[p] < 0) continue;
        for (c = 0; c < b; c++)
            for (r = 0; r < b; r++)
                to[c * b + r] = symmetric && from_upper ? v[r * b + c] : v[c * b + r];
    }
}

static dcs_result dcsi_solver_take(dcs_solver *s, dcsi_pool *pool, const dcs_matrix *a)
{
    int bb = a->block * a->block;
    ptrdiff_t size = (ptrdiff_t)a->cols * a->block;
    s->slot = dcsi_take_ints(pool, s->input_entries);
    s->side = dcsi_take_ints(pool, s->input_entries);
    s->col_start = dcsi_take_ints(pool, (ptrdiff_t)a->cols + 1);
    s->row_index = dcsi_take_ints(pool, s->input_entries);
    s->lower = dcsi_take_doubles(pool, (ptrdiff_t)s->input_entries * bb);
    if (s->kind == DCS_LU_STATIC) {
        s->upper = dcsi_take_doubles(pool, (ptrdiff_t)s->input_entries * bb);
        s->a.values = dcsi_take_doubles(pool, (ptrdiff_t)s->input_entries * bb);
    }
    if (!dcsi_is_symmetric_kind(s->kind)) {
        s->a.col_start = dcsi_take_ints(pool, (ptrdiff_t)a->cols + 1);
        s->a.row_index = dcsi_take_ints(pool, s->input_entries);
    }
    s->x = dcsi_take_doubles(pool, 3 * size);
    s->y = dcsi_take_doubles(pool, 3 * size);
    s->b = dcsi_take_doubles(pool, 3 * size);
    s->r = dcsi_take_doubles(pool, 3 * size);
    return pool->status;
}

/* Patterns and the matrix that residuals use. */
static void dcsi_solver_patterns(dcs_solver *s, const dcs_matrix *a)
{
    size_t count = (size_t)s->input_entries, bb = (size_t)(a->block * a->block);
    dcsi_solver_slots(s, a);
    dcsi_zero(s->lower, (ptrdiff_t)(count * bb));
    if (s->upper) dcsi_zero(s->upper, (ptrdiff_t)(count * bb));
    if (dcsi_is_symmetric_kind(s->kind)) {
        s->a.col_start = s->col_start, s->a.row_index = s->row_index, s->a.values = s->lower;
        return;
    }
    memcpy((int *)s->a.col_start, a->col_start, ((size_t)a->cols + 1) * sizeof(int));
    if (count > 0) memcpy((int *)s->a.row_index, a->row_index, count * sizeof(int));
    if (s->kind == DCS_LU) s->a.values = s->lower;
}

/* Numbers into place; factor them unless an LU was just made from them. */
static dcs_result dcsi_solver_compute(dcs_solver *s, const double *values, int from_upper,
                                      dcs_error *err)
{
    size_t bytes = (size_t)s->input_entries * (size_t)(s->a.block * s->a.block) * sizeof(double);
    int symmetric = dcsi_is_symmetric_kind(s->kind);
    dcs_result result = DCS_OK;
    if (!symmetric && bytes > 0) memcpy((double *)s->a.values, values, bytes);
    if (s->kind != DCS_LU) {
        dcsi_solver_values(s, values, from_upper);
        result = dcs_factor_compute(s->factor, s->lower, s->upper, err);
    } else if (s->lu)
        result = dcs_lu_refactor(s->lu, values, NULL, err);
    if (result != DCS_OK) return result;
    dcsi_matrix_norms(&s->a, symmetric, s->r, &s->norm_one, &s->norm_infinity);
    return DCS_OK;
}

static int dcsi_solver_from_upper(const dcs_solver *s)
{
    int p;
    if (!dcsi_is_symmetric_kind(s->kind)) return 0;
    for (p = 0; p < s->input_entries; p++)
        if (s->side[p] && s->slot[p] >= 0) return 1;
    return 0;
}

static dcs_result dcsi_solver_factor(dcs_solver *s, const dcs_matrix *a, dcs_error *err)
{
    dcs_result result;
    dcsi_solver_patterns(s, a);
    if (s->kind == DCS_LU) {
        result = dcsi_solver_compute(s, a->values, 0, err);
        return result == DCS_OK ? dcs_lu_create(&s->desc, a, &s->lu, err) : result;
    }
    result = dcs_analysis_create(&s->desc, a->cols, a->block, s->col_start, s->row_index,
                                 &s->analysis, err);
    if (result == DCS_OK) result = dcs_factor_create(s->analysis, s->kind, &s->factor, err);
    if (result == DCS_OK)
        result = dcsi_solver_compute(s, a->values, dcsi_solver_from_upper(s), err);
    return result;
}

DCS_API dcs_result dcs_solver_create(const dcs_desc *desc, const dcs_matrix *a, dcs_kind kind,
                                     dcs_solver **out, dcs_error *err)
{
    dcs_desc checked;
    dcsi_pool pool;
    dcs_solver *s;
    dcs_result result;
    dcsi_clear_error(err);
    if (!out) return dcsi_bad_argument(err, "out is NULL");
    *out = NULL;
    if ((int)kind < DCS_CHOLESKY || (int)kind > DCS_LU)
        return dcsi_bad_argument(err, "kind is not a dcs_kind");
    if ((result = dcsi_check_desc(desc, &checked, err)) != DCS_OK) return result;
    if ((result = dcs_matrix_check(a, err)) != DCS_OK) return result;
    if (a->rows != a->cols) return dcsi_bad_argument(err, "the matrix is not square");
    dcsi_pool_init(&pool, &checked.allocator);
    s = (dcs_solver *)dcsi_pool_take(&pool, 1, sizeof *s);
    if (!s) return dcsi_pool_fail(&pool, err, "solver");
    memset(s, 0, sizeof *s);
    s->desc = checked;
    s->kind = kind;
    s->a.rows = a->rows, s->a.cols = a->cols, s->a.block = a->block;
    s->input_entries = a->col_start[a->cols];
    result = dcsi_solver_take(s, &pool, a);
    s->pool = pool;
    if (result != DCS_OK)
        dcsi_pool_fail(&pool, err, "solver");
    else
        result = dcsi_solver_factor(s, a, err);
    s->desc.given_order = NULL; /* the caller's array is not kept */
    if (result == DCS_OK)
        *out = s;
    else
        dcs_solver_destroy(s);
    return result;
}

DCS_API void dcs_solver_destroy(dcs_solver *s)
{
    dcsi_pool pool;
    if (!s) return;
    dcs_factor_destroy(s->factor);
    dcs_analysis_destroy(s->analysis);
    dcs_lu_destroy(s->lu);
    pool = s->pool;
    dcsi_pool_destroy(&pool);
}

DCS_API dcs_result dcs_solver_refactor(dcs_solver *s, const double *values, dcs_error *err)
{
    dcsi_clear_error(err);
    if (!s) return dcsi_bad_argument(err, "the solver is NULL");
    if (s->input_entries > 0 && !values) return dcsi_bad_argument(err, "values is NULL");
    return dcsi_solver_compute(s, values, dcsi_solver_from_upper(s), err);
}

static dcs_result dcsi_solver_apply(dcs_solver *s, int transposed, int nrhs, double *x)
{
    if (s->kind == DCS_LU) return dcsi_lu_solve(s->lu, transposed, nrhs, x);
    return dcsi_factor_solve(s->factor, transposed, nrhs, x);
}

/* Solve for s->b into s->x and refine. A step that does not lower the error is discarded; one that
   does not halve it is the last. */
static dcs_result dcsi_solver_refine(dcs_solver *s, int transposed, int nrhs, double *error)
{
    int mode = dcsi_is_symmetric_kind(s->kind) ? 2 : transposed, step;
    double norm = mode == 1 ? s->norm_one : s->norm_infinity;
    ptrdiff_t i, count = (ptrdiff_t)s->a.rows * s->a.block * nrhs;
    dcs_result result;
    for (i = 0; i < count; i++) s->x[i] = s->b[i];
    if ((result = dcsi_solver_apply(s, transposed, nrhs, s->x)) != DCS_OK) return result;
    *error = dcsi_residual(&s->a, mode, norm, nrhs, s->x, s->b, s->r);
    for (step = 0; step<s->desc.refine_steps && * error> 0; step++) {
        double next, *swap = s->x;
        if (dcsi_solver_apply(s, transposed, nrhs, s->r) != DCS_OK) break;
        for (i = 0; i < count; i++) s->y[i] = s->x[i] + s->r[i];
        next = dcsi_residual(&s->a, mode, norm, nrhs, s->y, s->b, s->r);
        if (dcsi_not_finite(next) || next >= *error) break;
        s->x = s->y;
        s->y = swap;
        if (next > 0.5 * *error) step = s->desc.refine_steps;
        *error = next;
    }
    return DCS_OK;
}

static dcs_result dcsi_solver_solve(dcs_solver *s, int transposed, int nrhs, double *x)
{
    ptrdiff_t i, n;
    int done, have, r;
    if (!s || nrhs < 0) return DCS_ERROR_BAD_ARGUMENT;
    n = (ptrdiff_t)s->a.rows * s->a.block;
    if (nrhs > 0 && n > 0 && !x) return DCS_ERROR_BAD_ARGUMENT;
    s->backward_error = 0;
    for (done = 0; done < nrhs; done += have) {
        double error = 0;
        dcs_result result;
        have = dcsi_min(3, nrhs - done);
        for (i = 0; i < n; i++)
            for (r = 0; r < have; r++) s->b[i * have + r] = x[i * nrhs + done + r];
        result = dcsi_solver_refine(s, transposed, have, &error);
        if (result != DCS_OK) return result;
        for (i = 0; i < n; i++)
            for (r = 0; r < have; r++) x[i * nrhs + done + r] = s->x[i * have + r];
        if (!(error <= s->backward_error)) s->backward_error = error;
    }
    if (s->backward_error > 10 * 2.2204460492503131e-16 * (double)dcsi_max(10, (int)n))
        return DCS_ERROR_INACCURATE;
    return DCS_OK;
}

DCS_API dcs_result dcs_solver_solve(dcs_solver *s, int nrhs, double *x)
{
    return dcsi_solver_solve(s, 0, nrhs, x);
}

DCS_API dcs_result dcs_solver_solve_transpose(dcs_solver *s, int nrhs, double *x)
{
    return dcsi_solver_solve(s, 1, nrhs, x);
}

DCS_API double dcs_solver_get_backward_error(const dcs_solver *s)
{
    return s->backward_error;
}

static double dcsi_sum_abs(const double *x, ptrdiff_t n)
{
    ptrdiff_t i;
    double sum = 0;
    for (i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

/* Higham's second guess, for matrices that fool the first: |A^-1 z| with alternating z. */
static double dcsi_inverse_norm_alternating(dcs_solver *s, ptrdiff_t n)
{
    ptrdiff_t i;
    for (i = 0; i < n; i++)
        s->x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (double)(n > 1 ? n - 1 : 1));
    if (dcsi_solver_apply(s, 0, 1, s->x) != DCS_OK) return 0;
    return 2 * dcsi_sum_abs(s->x, n) / (3 * (double)n);
}

/* Hager's method: climb |A^-1 x| over the unit ball of the 1-norm; the gradient at x is
   A^-T sign(A^-1 x), and a corner e_j is better as long as the gradient says so. */
DCS_API double dcs_solver_get_condition(dcs_solver *s)
{
    ptrdiff_t i, n, best;
    double norm = 0, other;
    int step;
    if (!s) return 0;
    n = (ptrdiff_t)s->a.rows * s->a.block;
    for (i = 0; i < n; i++) s->x[i] = 1 / (double)n;
    for (step = 0; step < 5 && n > 0; step++) {
        double along = 0, sum;
        for (i = 0; i < n; i++) s->b[i] = s->x[i];
        if (dcsi_solver_apply(s, 0, 1, s->x) != DCS_OK) return 0;
        sum = dcsi_sum_abs(s->x, n);
        if (step > 0 && sum <= norm) break;
        norm = sum;
        for (i = 0; i < n; i++) s->r[i] = s->x[i] < 0 ? -1 : 1;
        if (dcsi_solver_apply(s, 1, 1, s->r) != DCS_OK) return 0;
        for (i = best = 0; i < n; i++) {
            along += s->r[i] * s->b[i];
            if (fabs(s->r[i]) > fabs(s->r[best])) best = i;
        }
        if (step > 0 && fabs(s->r[best]) <= along) break;
        for (i = 0; i < n; i++) s->x[i] = i == best ? 1 : 0;
    }
    other = dcsi_inverse_norm_alternating(s, n);
    return s->norm_one * (other > norm ? other : norm);
}

DCS_API dcs_result dcs_solve_once(const dcs_matrix *a, dcs_kind kind, const double *b, double *x,
                                  dcs_error *err)
{
    dcs_solver *s;
    dcs_result result = dcs_solver_create(NULL, a, kind, &s, err);
    ptrdiff_t i, n;
    if (result != DCS_OK) return result;
    n = (ptrdiff_t)a->rows * a->block;
    if (n > 0 && (!b || !x))
        result = dcsi_bad_argument(err, "b or x is NULL");
    else if (!dcsi_all_finite(b, n))
        result = dcsi_fail(err, DCS_ERROR_NOT_FINITE, -1, -1, 0, "the right-hand side");
    else {
        for (i = 0; i < n; i++) x[i] = b[i];
        result = dcs_solver_solve(s, 1, x);
        if (result == DCS_ERROR_INACCURATE)
            dcsi_fail(err, result, -1, -1, s->backward_error,
                      "backward error %.3g; pivoting was too weak", s->backward_error);
        else if (result != DCS_OK)
            dcsi_fail(err, result, -1, -1, 0, "the solution overflows");
    }
    dcs_solver_destroy(s);
    return result;
}

#endif /* DIFFCLOTH_SPARSE_IMPLEMENTATION */

/* >>licence ------------------------------------------------------------------------------------
   Choose whichever you prefer.

   ALTERNATIVE A - MIT License
   Copyright (c) 2026 diffcloth contributors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:
   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

   ALTERNATIVE B - Public Domain (www.unlicense.org)
   This is free and unencumbered software released into the public domain.
   Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either
   in source code form or as a compiled binary, for any purpose, commercial or non-commercial, and
   by any means.
   In jurisdictions that recognize copyright laws, the author or authors of this software dedicate
   any and all copyright interest in the software to the public domain. We make this dedication for
   the benefit of the public at large and to the detriment of our heirs and successors. We intend
   this dedication to be an overt act of relinquishment in perpetuity of all present and future
   rights to this software under copyright law.
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
   CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
