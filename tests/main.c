/* main.c - the test binary: every suite, a filter, the count. */
#include "test.h"

test_context test_ctx;

static int selected(const char *name)
{
    char full[256];
    int i;
    if (test_ctx.filter_count == 0) return 1;
    snprintf(full, sizeof full, "%s/%s", test_ctx.suite, name);
    for (i = 0; i < test_ctx.filter_count; i++)
        if (strstr(full, test_ctx.filters[i])) return 1;
    return 0;
}

void test_run(const char *name, void (*fn)(void))
{
    if (!selected(name)) return;
    test_ctx.bad_checks = 0;
    fn();
    if (test_ctx.bad_checks) {
        test_ctx.failed++;
        printf("FAIL %s/%s (%d checks)\n", test_ctx.suite, name, test_ctx.bad_checks);
    } else {
        test_ctx.passed++;
        printf("ok   %s/%s\n", test_ctx.suite, name);
    }
    fflush(stdout);
}

void test_skip(const char *name, const char *why)
{
    if (!selected(name)) return;
    test_ctx.skipped++;
    printf("skip %s/%s: %s\n", test_ctx.suite, name, why);
}

int test_fail(const char *file, int line, const char *expr)
{
    test_ctx.bad_checks++;
    printf("%s:%d: %s\n", file, line, expr);
    return 0;
}

int test_near(const char *file, int line, const char *expr, double a, double b, double tol)
{
    if (fabs(a - b) <= tol) return 1;
    test_ctx.bad_checks++;
    printf("%s:%d: %s: %.17g against %.17g, off by %.3g, allowed %.3g\n", file, line, expr, a, b,
           fabs(a - b), tol);
    return 0;
}

int test_equal(const char *file, int line, const char *expr, long long a, long long b)
{
    if (a == b) return 1;
    test_ctx.bad_checks++;
    printf("%s:%d: %s: %lld against %lld\n", file, line, expr, a, b);
    return 0;
}

int test_contains(const char *file, int line, const char *expr, const char *text, const char *part)
{
    if (text && strstr(text, part)) return 1;
    test_ctx.bad_checks++;
    printf("%s:%d: %s: \"%s\" does not contain \"%s\"\n", file, line, expr, text ? text : "(null)",
           part);
    return 0;
}

/* The suites, one per file test_<suite>.c, in the order they run. */
#ifndef SUITES
#define SUITES(X) \
    X(sparse) X(model) X(physics) X(self) X(gradient) X(optim) X(io) X(page) X(control)
#endif

#define DECLARE(name) void suite_##name(void);
SUITES(DECLARE)

static void run(const char *name, void (*suite)(void))
{
    test_ctx.suite = name;
    suite();
}

#define RUN(name) run(#name, suite_##name);

int main(int argc, char **argv)
{
    test_ctx.filter_count = argc - 1;
    test_ctx.filters = argv + 1;
    SUITES(RUN)
    if (test_ctx.skipped) printf("%d skipped\n", test_ctx.skipped);
    if (!test_ctx.passed && !test_ctx.failed && !test_ctx.skipped) {
        fprintf(stderr, "tests: no test has a name with %s\n", argc > 1 ? argv[1] : "");
        return 2;
    }
    printf("%d passed, %d failed\n", test_ctx.passed, test_ctx.failed);
    return test_ctx.failed ? 1 : 0;
}
