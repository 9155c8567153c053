/* test.h - a small test harness.

   A suite is a function that calls TEST_RUN(name) for each of its tests; a test is a function
   `static void name(void)` that uses the CHECK macros. One binary holds every suite; its arguments
   are substrings that select tests by "suite/name". Each failure prints file, line, expression and
   values; the last line of the program is "N passed, N failed". */
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct test_context {
    int passed, failed, skipped; /* tests, not checks */
    int bad_checks;              /* failed checks of the running test */
    const char *suite;
    int filter_count;
    char **filters;
} test_context;

extern test_context test_ctx; /* defined in main.c */

void test_run(const char *name, void (*fn)(void));
void test_skip(const char *name, const char *why);
int test_fail(const char *file, int line, const char *expr);

#define TEST_RUN(fn) test_run(#fn, fn)

/* CHECK(expr): expr must hold. CHECK_NEAR(a, b, tol): |a - b| <= tol, NaN fails.
   CHECK_REL(a, b, tol): |a - b| <= tol * |b|. CHECK_EQ(a, b): two integers. */
#define CHECK(expr) ((expr) ? 1 : test_fail(__FILE__, __LINE__, #expr))
#define CHECK_NEAR(a, b, tol) test_near(__FILE__, __LINE__, #a " ~ " #b, (a), (b), (tol))
#define CHECK_REL(a, b, tol) test_near(__FILE__, __LINE__, #a " ~ " #b, (a), (b), (tol) * fabs(b))
#define CHECK_EQ(a, b) test_equal(__FILE__, __LINE__, #a " == " #b, (long long)(a), (long long)(b))
#define CHECK_STR(a, part) test_contains(__FILE__, __LINE__, #a, (a), (part))

int test_near(const char *file, int line, const char *expr, double a, double b, double tol);
int test_equal(const char *file, int line, const char *expr, long long a, long long b);
int test_contains(const char *file, int line, const char *expr, const char *text, const char *part);

#endif
