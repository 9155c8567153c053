/* After the macros that windows.h and complex.h leave behind (E05). In C++ the standard headers
   come first, since they do not stand min and max as macros themselves. */
#ifdef __cplusplus
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif
#define near
#define far
#define NEAR near
#define FAR far
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define small char
#define hyper long
#define interface struct
#define pascal
#define cdecl
#define I (1.0i)
#define complex _Complex
#define DOMAIN 1
#define SING 2
#define OVERFLOW 3
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define NO_ERROR 0
#define STRICT 1
#define DELETE (0x00010000L)
#define IGNORE 0
#define INFINITE 0xFFFFFFFF
#define RELATIVE 2
#define ABSOLUTE 1
#define TRANSPARENT 1
#define CALLBACK
#define INPUT_MOUSE 0
#define M_PI 3.14159265358979323846
#ifdef WINDOWS_BODY
#define DIFFCLOTH_IMPLEMENTATION
#endif
#include "diffcloth.h"

int windows_compiles(void);

int windows_compiles(void)
{
    return dcl_default_model_desc().handle_frames;
}
