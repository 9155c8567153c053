/* impl.c - the one file of the tests that compiles the library's bodies. */
#define DIFFCLOTH_IMPLEMENTATION
#include "../diffcloth.h"
