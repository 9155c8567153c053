/* The test binary with the suite of the model only, for a quick sanitized run. */
#define SUITES(X) X(model)
#include "../main.c"
