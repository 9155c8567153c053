/* The bodies, after a plain inclusion in the same file, in C or C++. */
#include "diffcloth.h"
#define DIFFCLOTH_IMPLEMENTATION
#include "diffcloth.h"
#include "diffcloth.h" /* once more: nothing may happen */
