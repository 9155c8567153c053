/* dcx_io.h - triangle meshes and recorded motions: OBJ and POINTCACHE2, from files and memory.

   Do this in ONE source file, and include the header plainly everywhere else:

       #define DCX_IO_IMPLEMENTATION
       #include "dcx_io.h"

       dcx_mesh mesh;
       dcx_error error;
       if (dcx_obj_read("shirt.obj", &mesh, &error) < 0) { fputs(error.text, stderr); return 2; }
       ... mesh.positions[3 * i + c], mesh.triangles[3 * k + c] ...
       dcx_mesh_destroy(&mesh);

   C99 and C++11, needs the C library only, keeps no state, depends on no locale.

   Contents (search for the anchor)
       >>types      mesh, motion, error          >>obj       reading and writing OBJ
       >>number     text to double and back      >>motion    POINTCACHE2, folders of OBJ frames
       >>impl       implementation               >>licence

   Does: errors as a code plus one line of text that names file, line and value; numbers rounded
   correctly on every machine; files of either line ending, with or without a last newline.
   Does not: materials, normals, curves, groups (read over), animation formats other than these.

   Compile-time options: DCX_MALLOC(bytes), DCX_REALLOC(pointer, bytes), DCX_FREE(pointer), all
   three or none; defaults are those of <stdlib.h>. A NULL from them becomes DCX_OUT_OF_MEMORY. */
#ifndef DCX_IO_H
#define DCX_IO_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* >>types ------------------------------------------------------------------------------------ */

typedef enum dcx_result {
    DCX_OK = 0,
    DCX_BAD_ARGUMENT = -1,
    DCX_OUT_OF_MEMORY = -2,
    DCX_TOO_LARGE = -3,  /* a count does not fit int, or the bytes do not fit size_t */
    DCX_IO_ERROR = -4,   /* a file cannot be opened, read, written, created */
    DCX_BAD_FORMAT = -5, /* the content breaks the format's rules */
    DCX_EMPTY_MESH = -6, /* no vertices or no faces */
    DCX_UNSUPPORTED = -7 /* not available on this system */
} dcx_result;

/* What went wrong, in one line without a newline. Every function takes NULL for "no text wanted";
   on success the text is left as it was. */
typedef struct dcx_error {
    dcx_result code;
    char text[256];
} dcx_error;

/* Fills `error` (may be NULL) like snprintf and returns `code`. Use %s %d %ld only: the text must
   not depend on the locale. */
dcx_result dcx_error_set(dcx_error *error, dcx_result code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* A triangle mesh; {0} is an empty one. Owned arrays, freed by dcx_mesh_destroy. */
typedef struct dcx_mesh {
    int vertex_count;
    int triangle_count;
    int uv_count;      /* 0 when there are no texture coordinates */
    double *positions; /* vertex_count x 3 */
    int *triangles;    /* triangle_count x 3 vertex indices, counter-clockwise seen from outside */
    double *uvs;       /* uv_count x 2, or NULL */
    int *
        uv_triangles; /* triangle_count x 3 indices into uvs, -1 where a corner has none; or NULL */
} dcx_mesh;

/* Allocates zeroed positions and triangles; counts >= 1. */
dcx_result dcx_mesh_create(dcx_mesh *mesh, int vertex_count, int triangle_count, dcx_error *error);
dcx_result dcx_mesh_copy(dcx_mesh *copy, const dcx_mesh *mesh, dcx_error *error);
void dcx_mesh_destroy(dcx_mesh *mesh); /* NULL and {0} are fine; leaves {0} */

/* A recorded motion; {0} is an empty one. */
typedef struct dcx_motion {
    int frame_count;
    int vertex_count;
    double start;      /* number of the first frame, as stored in the file (0) */
    double rate;       /* frames from one sample to the next, as stored in the file (1) */
    double *positions; /* frame_count x vertex_count x 3 */
} dcx_motion;

/* Allocates zeroed positions, start 0, rate 1; counts >= 1. */
dcx_result dcx_motion_create(dcx_motion *motion, int frame_count, int vertex_count,
                             dcx_error *error);
void dcx_motion_destroy(dcx_motion *motion); /* NULL and {0} are fine; leaves {0} */
/* The positions of frame k, 0 <= k < frame_count: vertex_count x 3. */
double *dcx_motion_frame(const dcx_motion *motion, int k);

/* >>number ----------------------------------------------------------------------------------- */

/* Reads `[+-] digits [. digits] [e [+-] digits]` from [text, end) and returns the position behind
   it, or NULL when there is no number or it is not finite (1e400). `end` may be NULL for text that
   ends in 0. Rounds to nearest, ties to even; numbers too small become 0. No hex, nan, inf. */
const char *dcx_double_parse(const char *text, const char *end, double *value);

#define DCX_DOUBLE_TEXT 40 /* bytes that hold any number printed here */

/* Prints with `digits` significant digits (1..17), or with the fewest that read back as the same
   number (0). Always a decimal point; nan, inf, -inf for those. Returns `text`. */
char *dcx_double_print(char text[DCX_DOUBLE_TEXT], double value, int digits);

/* >>obj -------------------------------------------------------------------------------------- */

/* Reads a Wavefront OBJ file: v, vt and f lines; everything else (vn, g, o, s, usemtl, l, p,
   curves, unknown words) is read over. In detail:
     - corners may be v, v/vt, v//vn, v/vt/vn; indices count from 1, or from -1 backwards from the
       latest; faces may come before the vertices they name
     - more numbers after x y z (weight, colours) must be numbers and are dropped
     - a face of more than three corners is cut into a fan from its first corner if each triangle
       of the fan has positive area in the face's mean plane, else by ear clipping (at most 1024
       corners); a corner repeated in a row counts once; a face that crosses itself is an error
     - a backslash at the end of a v, vt or f line continues it; # starts a comment; a byte order
       mark, tabs, and line ends LF, CRLF and CR are fine
     - vertices that no face uses are kept, so that indices are those of the file
   Errors: DCX_IO_ERROR, DCX_BAD_FORMAT with the line, DCX_EMPTY_MESH, DCX_TOO_LARGE,
   DCX_OUT_OF_MEMORY. On an error `mesh` is {0}; it need not be initialised before. */
dcx_result dcx_obj_read(const char *path, dcx_mesh *mesh, dcx_error *error);

/* The same from memory; `name` stands for the file in error texts (NULL: "obj"). */
dcx_result dcx_obj_read_memory(const char *text, size_t bytes, const char *name, dcx_mesh *mesh,
                               dcx_error *error);

/* Writes positions, texture coordinates and triangles; reading them back gives the same doubles.
   A file that cannot be written completely is removed. */
dcx_result dcx_obj_write(const char *path, const dcx_mesh *mesh, dcx_error *error);

/* >>motion ----------------------------------------------------------------------------------- */

/* POINTCACHE2, little endian: "POINTCACHE2\0", int32 version 1, int32 points, float32 start,
   float32 rate, int32 samples, then samples x points x 3 float32. A file that is shorter or longer
   than its header says, has another byte order or version, or holds NaN or Inf is an error. */
dcx_result dcx_pc2_read(const char *path, dcx_motion *motion, dcx_error *error);
dcx_result dcx_pc2_read_memory(const void *data, size_t bytes, const char *name, dcx_motion *motion,
                               dcx_error *error);
/* Positions are rounded to float32; a number that does not fit is an error before anything is
   written. */
dcx_result dcx_pc2_write(const char *path, const dcx_motion *motion, dcx_error *error);

/* All *.obj files of a folder as the frames of a motion, in the order of their names with runs of
   digits compared as numbers (f2 before f10). All must have the first one's triangles. `mesh`
   (NULL-able) receives the first frame. DCX_UNSUPPORTED where folders cannot be listed. */
dcx_result dcx_motion_read_folder(const char *path, dcx_motion *motion, dcx_mesh *mesh,
                                  dcx_error *error);

/* A .pc2 file or a folder, whichever `path` is. `mesh` as above, {0} for a .pc2 file. */
dcx_result dcx_motion_read(const char *path, dcx_motion *motion, dcx_mesh *mesh, dcx_error *error);

#ifdef __cplusplus
}
#endif

#endif /* DCX_IO_H; stop here if you only want the interface */

/* >>impl ===================================================================================== */
#if defined(DCX_IO_IMPLEMENTATION) && !defined(DCX_IO_IMPLEMENTED)
#define DCX_IO_IMPLEMENTED

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__) || defined(__MINGW32__) || defined(__EMSCRIPTEN__)
#include <dirent.h>
#define DCXI_HAS_DIRENT 1
#else
#define DCXI_HAS_DIRENT 0
#endif

#ifndef DCX_MALLOC
#define DCX_MALLOC(bytes) malloc(bytes)
#define DCX_REALLOC(pointer, bytes) realloc(pointer, bytes)
#define DCX_FREE(pointer) free(pointer)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors and memory ----------------------------------------------------------------------- */

dcx_result dcx_error_set(dcx_error *error, dcx_result code, const char *format, ...)
{
    va_list arguments;
    if (!error) return code;
    error->code = code;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return code;
}

static dcx_result dcxi_no_memory(dcx_error *error)
{
    return dcx_error_set(error, DCX_OUT_OF_MEMORY, "out of memory");
}

/* rows x columns items of `item` bytes, zeroed; at least one byte. NULL if that cannot be had. */
static void *dcxi_zeroed(size_t rows, size_t columns, size_t item)
{
    size_t bytes;
    void *data;
    if (rows && columns > ((size_t)-1) / item / rows) return NULL;
    bytes = rows * columns * item;
    data = DCX_MALLOC(bytes ? bytes : 1);
    if (data) memset(data, 0, bytes ? bytes : 1);
    return data;
}

/* A growing array of items of one size. */
typedef struct dcxi_array {
    void *data;
    size_t count, capacity, item;
} dcxi_array;

static dcxi_array dcxi_array_make(size_t item)
{
    dcxi_array array;
    array.data = NULL;
    array.count = array.capacity = 0;
    array.item = item;
    return array;
}

static void dcxi_array_free(dcxi_array *array)
{
    DCX_FREE(array->data);
    *array = dcxi_array_make(array->item);
}

/* Room for `more` items behind the last; 0 if it cannot be had. */
static int dcxi_array_reserve(dcxi_array *array, size_t more)
{
    size_t limit = ((size_t)-1) / 2 / array->item, capacity = array->capacity;
    void *data;
    if (more <= array->capacity - array->count) return 1;
    if (more > limit - array->count) return 0;
    capacity = capacity < limit / 2 ? capacity * 2 : limit;
    if (capacity < array->count + more) capacity = array->count + more;
    if (capacity < 64) capacity = 64;
    data = DCX_REALLOC(array->data, capacity * array->item);
    if (!data) return 0;
    array->data = data;
    array->capacity = capacity;
    return 1;
}

static int dcxi_array_push(dcxi_array *array, const void *items, size_t count)
{
    if (!dcxi_array_reserve(array, count)) return 0;
    memcpy((char *)array->data + array->count * array->item, items, count * array->item);
    array->count += count;
    return 1;
}

dcx_result dcx_mesh_create(dcx_mesh *mesh, int vertex_count, int triangle_count, dcx_error *error)
{
    memset(mesh, 0, sizeof *mesh);
    if (vertex_count < 1 || triangle_count < 1)
        return dcx_error_set(error, DCX_EMPTY_MESH,
                             "a mesh of %d vertices and %d triangles is empty", vertex_count,
                             triangle_count);
    if (vertex_count > INT_MAX / 3 || triangle_count > INT_MAX / 3)
        return dcx_error_set(error, DCX_TOO_LARGE, "%d vertices, %d triangles are too many",
                             vertex_count, triangle_count);
    mesh->positions = (double *)dcxi_zeroed((size_t)vertex_count, 3, sizeof(double));
    mesh->triangles = (int *)dcxi_zeroed((size_t)triangle_count, 3, sizeof(int));
    if (!mesh->positions || !mesh->triangles) {
        dcx_mesh_destroy(mesh);
        return dcxi_no_memory(error);
    }
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    return DCX_OK;
}

/* Room for `uv_count` texture coordinates, all corners without one. */
static dcx_result dcxi_mesh_add_uvs(dcx_mesh *mesh, int uv_count, dcx_error *error)
{
    size_t k, corners = (size_t)mesh->triangle_count * 3;
    mesh->uvs = (double *)dcxi_zeroed((size_t)uv_count, 2, sizeof(double));
    mesh->uv_triangles = (int *)dcxi_zeroed(corners, 1, sizeof(int));
    if (!mesh->uvs || !mesh->uv_triangles) return dcxi_no_memory(error);
    for (k = 0; k < corners; k++) mesh->uv_triangles[k] = -1;
    mesh->uv_count = uv_count;
    return DCX_OK;
}

dcx_result dcx_mesh_copy(dcx_mesh *copy, const dcx_mesh *mesh, dcx_error *error)
{
    size_t corners = (size_t)mesh->triangle_count * 3;
    dcx_result result = dcx_mesh_create(copy, mesh->vertex_count, mesh->triangle_count, error);
    if (result < 0) return result;
    memcpy(copy->positions, mesh->positions, (size_t)mesh->vertex_count * 3 * sizeof(double));
    memcpy(copy->triangles, mesh->triangles, corners * sizeof(int));
    if (mesh->uv_count == 0) return DCX_OK;
    result = dcxi_mesh_add_uvs(copy, mesh->uv_count, error);
    if (result < 0) {
        dcx_mesh_destroy(copy);
        return result;
    }
    memcpy(copy->uvs, mesh->uvs, (size_t)mesh->uv_count * 2 * sizeof(double));
    memcpy(copy->uv_triangles, mesh->uv_triangles, corners * sizeof(int));
    return DCX_OK;
}

void dcx_mesh_destroy(dcx_mesh *mesh)
{
    if (!mesh) return;
    DCX_FREE(mesh->positions);
    DCX_FREE(mesh->triangles);
    DCX_FREE(mesh->uvs);
    DCX_FREE(mesh->uv_triangles);
    memset(mesh, 0, sizeof *mesh);
}

dcx_result dcx_motion_create(dcx_motion *motion, int frame_count, int vertex_count,
                             dcx_error *error)
{
    memset(motion, 0, sizeof *motion);
    if (frame_count < 1 || vertex_count < 1)
        return dcx_error_set(error, DCX_EMPTY_MESH,
                             "a motion of %d frames and %d vertices is empty", frame_count,
                             vertex_count);
    if ((size_t)vertex_count > ((size_t)-1) / 24 / (size_t)frame_count)
        return dcx_error_set(error, DCX_TOO_LARGE, "%d frames of %d vertices do not fit in memory",
                             frame_count, vertex_count);
    motion->positions =
        (double *)dcxi_zeroed((size_t)frame_count, (size_t)vertex_count * 3, sizeof(double));
    if (!motion->positions) return dcxi_no_memory(error);
    motion->frame_count = frame_count;
    motion->vertex_count = vertex_count;
    motion->rate = 1.0;
    return DCX_OK;
}

void dcx_motion_destroy(dcx_motion *motion)
{
    if (!motion) return;
    DCX_FREE(motion->positions);
    memset(motion, 0, sizeof *motion);
}

double *dcx_motion_frame(const dcx_motion *motion, int k)
{
    return motion->positions + (size_t)k * (size_t)motion->vertex_count * 3;
}

/* ---- numbers ---------------------------------------------------------------------------------
   A decimal D * 10^e with at most DCXI_DIGITS digits is turned into an integer with at least 64
   bits by exact multiplication (e >= 0) or by a shift and exact division (e < 0); its leading bits
   and "was anything left over" decide the rounding. A half-way point between two doubles has at
   most 767 digits, so digits beyond DCXI_DIGITS only matter as "something follows". */

#define DCXI_DIGITS 780
#define DCXI_WORDS 256 /* 8192 bits: 780 digits, 64 bits more, and division by up to 10^1130 */

typedef struct dcxi_big {
    int count; /* words in use, the last one not 0 */
    uint32_t word[DCXI_WORDS];
} dcxi_big;

static void dcxi_big_multiply_add(dcxi_big *a, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    int i;
    for (i = 0; i < a->count; i++) {
        sum += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)sum;
        sum >>= 32;
    }
    if (sum) a->word[a->count++] = (uint32_t)sum;
}

/* a = floor(a / divisor); 1 if there was a remainder. */
static int dcxi_big_divide(dcxi_big *a, uint32_t divisor)
{
    uint64_t rest = 0;
    int i;
    for (i = a->count - 1; i >= 0; i--) {
        rest = rest << 32 | a->word[i];
        a->word[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (a->count > 0 && a->word[a->count - 1] == 0) a->count--;
    return rest != 0;
}

static void dcxi_big_shift_words(dcxi_big *a, int words)
{
    int i;
    for (i = a->count - 1; i >= 0; i--) a->word[i + words] = a->word[i];
    for (i = 0; i < words; i++) a->word[i] = 0;
    a->count += words;
}

/* The top 64 bits as an integer m, the first of them set, such that a is m * 2^exponent or, with
   `more` set, a little above. a != 0. */
static uint64_t dcxi_big_top(const dcxi_big *a, int *exponent, int *more)
{
    int i, bits = 0;
    uint64_t top = 0;
    for (i = a->count - 1; i >= 0 && i >= a->count - 2; i--) top = top << 32 | a->word[i];
    if (a->count == 1) top <<= 32;
    while (!(top >> 63)) {
        top <<= 1;
        bits++;
    }
    if (bits && a->count > 2) top |= a->word[a->count - 3] >> (32 - bits);
    *exponent = (a->count - 2) * 32 - bits;
    if (a->count > 2 && bits < 32 && (uint32_t)(a->word[a->count - 3] << bits)) *more = 1;
    for (i = 0; i < a->count - 3; i++)
        if (a->word[i]) *more = 1;
    return top;
}

/* m * 2^exponent (a little more if `more`), m >= 2^63, rounded to double; 0 if too large. */
static int dcxi_round(uint64_t m, int exponent, int more, double *value)
{
    int drop = 11; /* 64 - 53 */
    uint64_t low, half;
    *value = 0.0;
    if (exponent + drop < -1074) drop = -1074 - exponent; /* subnormal: fewer bits */
    if (drop > 64) return 1;
    if (drop == 64) {
        if (m > (uint64_t)1 << 63 || more) *value = ldexp(1.0, -1074);
        return 1;
    }
    low = m & (((uint64_t)1 << drop) - 1);
    half = (uint64_t)1 << (drop - 1);
    m >>= drop;
    if (low > half || (low == half && (more || (m & 1)))) m++;
    exponent += drop;
    if (exponent > 971 || (exponent == 971 && m >> 53)) return 0;
    *value = ldexp((double)m, exponent); /* exact */
    return 1;
}

static int dcxi_decimal_slow(const char *digits, int count, int exponent, int more, double *value)
{
    dcxi_big a;
    int i, binary = 0;
    uint64_t top;
    a.count = 0;
    for (i = 0; i < count; i++) dcxi_big_multiply_add(&a, 10, (uint32_t)(digits[i] - '0'));
    for (; exponent > 0; exponent--) dcxi_big_multiply_add(&a, 10, 0);
    if (exponent < 0) {
        int words = (-exponent * 10 / 3 + 64) / 32 + 1; /* 10^k < 2^(10 k / 3) */
        dcxi_big_shift_words(&a, words);
        for (; exponent <= -9; exponent += 9) more |= dcxi_big_divide(&a, 1000000000u);
        for (; exponent < 0; exponent++) more |= dcxi_big_divide(&a, 10u);
        binary = -32 * words;
    }
    top = dcxi_big_top(&a, &i, &more);
    return dcxi_round(top, i + binary, more, value);
}

/* Up to 15 digits and a power up to 10^22 are exact in double, so one operation rounds correctly,
   provided that double arithmetic is done in double. */
static int dcxi_decimal_fast(const char *digits, int count, int exponent, double *value)
{
#if defined(FLT_EVAL_METHOD) && !defined(__FAST_MATH__)
#if FLT_EVAL_METHOD == 0
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t m = 0;
    int i;
    if (count > 15 || exponent > 22 || exponent < -22) return 0;
    for (i = 0; i < count; i++) m = m * 10 + (digits[i] - '0');
    *value = exponent < 0 ? (double)m / power[-exponent] : (double)m * power[exponent];
    return 1;
#endif
#endif
    (void)digits, (void)count, (void)exponent, (void)value;
    return 0;
}

/* `digits` without leading zeros times 10^exponent; `more`: nonzero digits follow. 0 if too large
   for a double. */
static int dcxi_decimal(const char *digits, int count, long exponent, int more, double *value)
{
    *value = 0.0;
    if (count == 0 || exponent + count < -330) return 1;
    if (exponent + count > 310) return 0;
    while (count > 1 && !more && digits[count - 1] == '0') {
        count--;
        exponent++;
    }
    if (!more && dcxi_decimal_fast(digits, count, (int)exponent, value)) return 1;
    return dcxi_decimal_slow(digits, count, (int)exponent, more, value);
}

static int dcxi_is_digit(const char *p, const char *end)
{
    return p != end && *p >= '0' && *p <= '9';
}

/* The exponent part, saturated near 1e8: beyond it nothing changes. */
static const char *dcxi_parse_exponent(const char *p, const char *end, long *exponent)
{
    const char *q = p;
    long value = 0;
    int negative = 0;
    *exponent = 0;
    if (q == end || (*q != 'e' && *q != 'E')) return p;
    q++;
    if (q != end && (*q == '+' || *q == '-')) negative = *q++ == '-';
    if (!dcxi_is_digit(q, end)) return p;
    for (; dcxi_is_digit(q, end); q++)
        if (value < 10000000L) value = value * 10 + (*q - '0');
    *exponent = negative ? -value : value;
    return q;
}

const char *dcx_double_parse(const char *text, const char *end, double *value)
{
    char digits[DCXI_DIGITS];
    const char *p = text;
    int count = 0, more = 0, seen = 0, negative = 0, point = 0;
    long shift = 0, exponent;
    double result;
    if (!end) end = text + strlen(text);
    if (p != end && (*p == '+' || *p == '-')) negative = *p++ == '-';
    for (; p != end; p++) {
        if (*p == '.' && !point) {
            point = 1;
            continue;
        }
        if (!dcxi_is_digit(p, end)) break;
        seen = 1;
        if (count == DCXI_DIGITS) { /* too many to keep */
            more |= *p != '0';
            shift += !point;
            continue;
        }
        if (count || *p != '0') digits[count++] = *p;
        shift -= point;
    }
    if (!seen) return NULL;
    p = dcxi_parse_exponent(p, end, &exponent);
    if (!dcxi_decimal(digits, count, shift + exponent, more, &result)) return NULL;
    *value = negative ? -result : result;
    return p;
}

char *dcx_double_print(char text[DCX_DOUBLE_TEXT], double value, int digits)
{
    char raw[DCX_DOUBLE_TEXT];
    double back;
    int i, n = 0;
    if (value != value) return strcpy(text, "nan");
    if (value > DBL_MAX || value < -DBL_MAX) return strcpy(text, value > 0 ? "inf" : "-inf");
    if (digits < 1) {
        for (digits = 15; digits < 17; digits++) {
            dcx_double_print(text, value, digits);
            if (dcx_double_parse(text, NULL, &back) && back == value) return text;
        }
    }
    if (digits > 17) digits = 17;
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    for (i = 0; raw[i]; i++) { /* whatever the locale's decimal point is, of any bytes */
        int known = dcxi_is_digit(raw + i, NULL) || strchr("+-e", raw[i]) != NULL;
        if (known)
            text[n++] = raw[i];
        else if (n == 0 || text[n - 1] != '.')
            text[n++] = '.';
    }
    text[n] = 0;
    return text;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The whole file as bytes (an array of char). */
static dcx_result dcxi_file_read(const char *path, dcxi_array *bytes, dcx_error *error)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    size_t got;
    int failed;
    *bytes = dcxi_array_make(1);
    if (!file)
        return dcx_error_set(error, DCX_IO_ERROR, "%.150s: cannot be opened",
                             path ? path : "(null)");
    do {
        if (!dcxi_array_reserve(bytes, 1)) {
            fclose(file);
            dcxi_array_free(bytes);
            return dcxi_no_memory(error);
        }
        got = fread((char *)bytes->data + bytes->count, 1, bytes->capacity - bytes->count, file);
        bytes->count += got;
    } while (got);
    failed = ferror(file);
    fclose(file);
    if (!failed) return DCX_OK;
    dcxi_array_free(bytes);
    return dcx_error_set(error, DCX_IO_ERROR, "%.150s: cannot be read", path);
}

static dcx_result dcxi_file_create(const char *path, FILE **file, dcx_error *error)
{
    *file = path ? fopen(path, "wb") : NULL;
    if (*file) return DCX_OK;
    return dcx_error_set(error, DCX_IO_ERROR, "%.150s: cannot be created", path ? path : "(null)");
}

/* Closes; a file with write errors is removed. */
static dcx_result dcxi_file_finish(const char *path, FILE *file, dcx_error *error)
{
    int failed = ferror(file);
    if (fclose(file)) failed = 1;
    if (!failed) return DCX_OK;
    remove(path);
    return dcx_error_set(error, DCX_IO_ERROR, "%.150s: cannot be written completely", path);
}

/* ---- OBJ: reading lines -----------------------------------------------------------------------
   Faces are collected as they stand, since they may name vertices that come later, and cut into
   triangles at the end. */

typedef struct dcxi_face {
    size_t first; /* into corners */
    int count;
    long line;
} dcxi_face;

typedef struct dcxi_corner {
    int v, t; /* from 0; t is -1 for none */
} dcxi_corner;

/* One kind of index: how many exist so far, and the largest used, to be checked at the end. */
typedef struct dcxi_index {
    const char *what;
    int count, largest;
    long line;
} dcxi_index;

typedef struct dcxi_obj {
    const char *p, *end;
    long line;
    const char *name;
    dcx_error *error;
    dcxi_array positions, uvs; /* double x 3, double x 2 */
    dcxi_array corners, faces;
    dcxi_index v, vt, vn;
} dcxi_obj;

static int dcxi_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* At a line end: the length of it (LF, CRLF or CR), else 0. */
static int dcxi_newline(const dcxi_obj *o, const char *p)
{
    if (p == o->end) return 0;
    if (*p == '\n') return 1;
    if (*p != '\r') return 0;
    return p + 1 != o->end && p[1] == '\n' ? 2 : 1;
}

/* Blanks, and backslashes in front of a line end. */
static void dcxi_skip_blanks(dcxi_obj *o)
{
    for (;;) {
        int n = 0;
        while (o->p != o->end && dcxi_is_blank(*o->p)) o->p++;
        if (o->p != o->end && *o->p == '\\') n = dcxi_newline(o, o->p + 1);
        if (!n) return;
        o->p += 1 + n;
        o->line++;
    }
}

static void dcxi_next_line(dcxi_obj *o)
{
    while (o->p != o->end && *o->p != '\n' && *o->p != '\r') o->p++;
    o->p += dcxi_newline(o, o->p);
    o->line++;
}

/* After blanks: nothing more on this line? */
static int dcxi_at_end(dcxi_obj *o)
{
    dcxi_skip_blanks(o);
    return o->p == o->end || *o->p == '\n' || *o->p == '\r' || *o->p == '#';
}

/* The character at p ends a word. */
static int dcxi_ends_word(const dcxi_obj *o, const char *p)
{
    return p == o->end || dcxi_is_blank(*p) || *p == '\n' || *p == '\r' || *p == '#' || *p == '\\';
}

/* An error about the word at o->p. */
static dcx_result dcxi_bad_word(dcxi_obj *o, const char *what)
{
    char word[32];
    int n = 0;
    const char *p = o->p;
    while (n < (int)sizeof word - 1 && !dcxi_ends_word(o, p)) {
        word[n++] = (char)(*p > 32 && *p < 127 ? *p : '?');
        p++;
    }
    word[n] = 0;
    return dcx_error_set(o->error, DCX_BAD_FORMAT, "%.100s: line %ld: '%s' is not %s", o->name,
                         o->line, word, what);
}

/* Reads the numbers of a line; the first `keep` go to `values`. Returns how many, or < 0. */
static int dcxi_read_numbers(dcxi_obj *o, double *values, int keep)
{
    int n = 0;
    while (!dcxi_at_end(o)) {
        double value;
        const char *p = dcx_double_parse(o->p, o->end, &value);
        if (!p || !dcxi_ends_word(o, p)) return dcxi_bad_word(o, "a finite number");
        o->p = p;
        if (n < keep) values[n] = value;
        if (n < 1000) n++;
    }
    return n;
}

static dcx_result dcxi_count_one(dcxi_obj *o, dcxi_index *index)
{
    if (index->count >= INT_MAX / 3)
        return dcx_error_set(o->error, DCX_TOO_LARGE, "%.100s: line %ld: too many %s", o->name,
                             o->line, index->what);
    index->count++;
    return DCX_OK;
}

static dcx_result dcxi_read_v(dcxi_obj *o)
{
    double xyz[3];
    int n = dcxi_read_numbers(o, xyz, 3);
    if (n < 0) return (dcx_result)n;
    if (n < 3)
        return dcx_error_set(o->error, DCX_BAD_FORMAT,
                             "%.100s: line %ld: v has %d numbers, needs 3", o->name, o->line, n);
    if (!dcxi_array_push(&o->positions, xyz, 1)) return dcxi_no_memory(o->error);
    return dcxi_count_one(o, &o->v);
}

static dcx_result dcxi_read_vt(dcxi_obj *o)
{
    double uv[2] = {0.0, 0.0};
    int n = dcxi_read_numbers(o, uv, 2);
    if (n < 0) return (dcx_result)n;
    if (n < 1)
        return dcx_error_set(o->error, DCX_BAD_FORMAT, "%.100s: line %ld: vt has no numbers",
                             o->name, o->line);
    if (!dcxi_array_push(&o->uvs, uv, 1)) return dcxi_no_memory(o->error);
    return dcxi_count_one(o, &o->vt);
}

/* One signed index at o->p, to 0-based; o->p moves behind it. `word` is where the corner starts. */
static dcx_result dcxi_read_index(dcxi_obj *o, const char *word, dcxi_index *index, int *result)
{
    const char *p = o->p;
    int negative = 0, value = 0, wide = 0;
    if (p != o->end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (!dcxi_is_digit(p, o->end)) {
        o->p = word;
        return dcxi_bad_word(o, "a corner v, v/vt, v//vn or v/vt/vn");
    }
    for (; dcxi_is_digit(p, o->end); p++) {
        if (value >= INT_MAX / 10)
            wide = 1;
        else
            value = value * 10 + (*p - '0');
    }
    if (wide || value == 0 || (negative && value > index->count)) {
        o->p = word;
        return dcxi_bad_word(o, value || wide ? "in the range of what came before"
                                              : "a corner: indices start at 1");
    }
    o->p = p;
    *result = negative ? index->count - value : value - 1;
    if (!negative && value > index->largest) {
        index->largest = value;
        index->line = o->line;
    }
    return DCX_OK;
}

static dcx_result dcxi_read_corner(dcxi_obj *o, dcxi_corner *corner)
{
    const char *word = o->p;
    int ignored;
    dcx_result result = dcxi_read_index(o, word, &o->v, &corner->v);
    corner->t = -1;
    if (result < 0) return result;
    if (o->p != o->end && *o->p == '/') {
        o->p++;
        if (!dcxi_ends_word(o, o->p) && *o->p != '/')
            result = dcxi_read_index(o, word, &o->vt, &corner->t);
        if (result < 0) return result;
        if (o->p != o->end && *o->p == '/') {
            o->p++;
            if (!dcxi_ends_word(o, o->p)) result = dcxi_read_index(o, word, &o->vn, &ignored);
            if (result < 0) return result;
        }
    }
    if (dcxi_ends_word(o, o->p)) return DCX_OK;
    o->p = word;
    return dcxi_bad_word(o, "a corner v, v/vt, v//vn or v/vt/vn");
}

static dcx_result dcxi_read_f(dcxi_obj *o)
{
    dcxi_face face;
    dcxi_corner *corners;
    face.first = o->corners.count;
    face.line = o->line;
    while (!dcxi_at_end(o)) {
        dcxi_corner corner;
        dcx_result result = dcxi_read_corner(o, &corner);
        if (result < 0) return result;
        corners = (dcxi_corner *)o->corners.data;
        if (o->corners.count > face.first && corners[o->corners.count - 1].v == corner.v) continue;
        if (!dcxi_array_push(&o->corners, &corner, 1)) return dcxi_no_memory(o->error);
    }
    corners = (dcxi_corner *)o->corners.data;
    while (o->corners.count > face.first + 1 &&
           corners[o->corners.count - 1].v == corners[face.first].v)
        o->corners.count--;
    if (o->corners.count - face.first > INT_MAX / 3)
        return dcx_error_set(o->error, DCX_TOO_LARGE, "%.100s: line %ld: too many corners", o->name,
                             face.line);
    face.count = (int)(o->corners.count - face.first);
    if (face.count < 3)
        return dcx_error_set(o->error, DCX_BAD_FORMAT,
                             "%.100s: line %ld: a face of %d different corners", o->name, face.line,
                             face.count);
    if (!dcxi_array_push(&o->faces, &face, 1)) return dcxi_no_memory(o->error);
    return DCX_OK;
}

static dcx_result dcxi_read_line(dcxi_obj *o)
{
    const char *word;
    dcx_result result = DCX_OK;
    size_t length;
    while (o->p != o->end && dcxi_is_blank(*o->p)) o->p++;
    word = o->p;
    while (o->p != o->end && *o->p != '/' && !dcxi_ends_word(o, o->p)) o->p++;
    length = (size_t)(o->p - word);
    if (length == 1 && *word == 'v')
        result = dcxi_read_v(o);
    else if (length == 1 && *word == 'f')
        result = dcxi_read_f(o);
    else if (length == 2 && word[0] == 'v' && word[1] == 't')
        result = dcxi_read_vt(o);
    else if (length == 2 && word[0] == 'v' && word[1] == 'n')
        result = dcxi_count_one(o, &o->vn);
    dcxi_next_line(o);
    return result;
}

static dcx_result dcxi_check_index(dcxi_obj *o, const dcxi_index *index)
{
    if (index->largest <= index->count) return DCX_OK;
    return dcx_error_set(o->error, DCX_BAD_FORMAT,
                         "%.100s: line %ld: index %d, but the file has only %d %s", o->name,
                         index->line, index->largest, index->count, index->what);
}

/* ---- OBJ: faces to triangles -------------------------------------------------------------------
   A polygon is projected onto the plane of its mean normal (Newell's sum over the edges) by
   dropping the axis where the normal is largest; the projection keeps the sense of rotation. */

typedef struct dcxi_cutter {
    dcxi_array xy;   /* double x 2 per corner */
    dcxi_array next; /* the corners not yet cut off, as indices in the face (int) */
    dcxi_array out;  /* triangles as positions in o->corners (size_t x 3) */
} dcxi_cutter;

static double dcxi_cross2(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Fills xy of the corners. 0 if out of memory. */
static int dcxi_project_face(const dcxi_obj *o, const dcxi_face *face, dcxi_cutter *cut)
{
    const dcxi_corner *corner = (const dcxi_corner *)o->corners.data + face->first;
    const double *x = (const double *)o->positions.data, *origin = x + 3 * (size_t)corner[0].v;
    double normal[3] = {0.0, 0.0, 0.0}, *xy;
    int i, c, axis = 0;
    cut->xy.count = 0;
    if (!dcxi_array_reserve(&cut->xy, (size_t)face->count)) return 0;
    cut->xy.count = (size_t)face->count;
    xy = (double *)cut->xy.data;
    for (i = 0; i < face->count; i++) {
        const double *a = x + 3 * (size_t)corner[i].v;
        const double *b = x + 3 * (size_t)corner[i + 1 < face->count ? i + 1 : 0].v;
        for (c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            normal[c] +=
                (a[d] - origin[d]) * (b[e] - origin[e]) - (a[e] - origin[e]) * (b[d] - origin[d]);
        }
    }
    for (c = 1; c < 3; c++)
        if (fabs(normal[c]) > fabs(normal[axis])) axis = c;
    for (i = 0; i < face->count; i++) {
        const double *a = x + 3 * (size_t)corner[i].v;
        int d = (axis + 1) % 3, e = (axis + 2) % 3;
        xy[2 * i] = a[d] - origin[d];
        xy[2 * i + 1] = normal[axis] < 0 ? origin[e] - a[e] : a[e] - origin[e];
    }
    return 1;
}

static int dcxi_cut_push(const dcxi_face *face, dcxi_cutter *cut, int a, int b, int c)
{
    size_t triangle[3];
    triangle[0] = face->first + (size_t)a;
    triangle[1] = face->first + (size_t)b;
    triangle[2] = face->first + (size_t)c;
    return dcxi_array_push(&cut->out, triangle, 1);
}

static int dcxi_fan_is_fine(const double *xy, int count)
{
    int i;
    for (i = 1; i + 1 < count; i++)
        if (!(dcxi_cross2(xy, xy + 2 * i, xy + 2 * i + 2) > 0)) return 0;
    return 1;
}

/* Is the corner next[k] of the remaining polygon an ear: convex, and no other corner in it? */
static int dcxi_is_ear(const dcxi_corner *corner, const double *xy, const int *next, int n, int k)
{
    int a = next[(k + n - 1) % n], b = next[k], c = next[(k + 1) % n], i;
    const double *pa = xy + 2 * a, *pb = xy + 2 * b, *pc = xy + 2 * c;
    if (!(dcxi_cross2(pa, pb, pc) > 0)) return 0;
    for (i = 0; i < n; i++) {
        const double *p = xy + 2 * next[i];
        int v = corner[next[i]].v;
        if (v == corner[a].v || v == corner[b].v || v == corner[c].v) continue;
        if (dcxi_cross2(pa, pb, p) >= 0 && dcxi_cross2(pb, pc, p) >= 0 &&
            dcxi_cross2(pc, pa, p) >= 0)
            return 0;
    }
    return 1;
}

static dcx_result dcxi_clip_ears(const dcxi_obj *o, const dcxi_face *face, dcxi_cutter *cut)
{
    const dcxi_corner *corner = (const dcxi_corner *)o->corners.data + face->first;
    const double *xy = (const double *)cut->xy.data;
    int n, k = 0, tried = 0, *next;
    if (face->count > 1024)
        return dcx_error_set(o->error, DCX_TOO_LARGE,
                             "%.100s: line %ld: a face with a dent and %d corners, at most 1024",
                             o->name, face->line, face->count);
    cut->next.count = 0;
    if (!dcxi_array_reserve(&cut->next, (size_t)face->count)) return dcxi_no_memory(o->error);
    next = (int *)cut->next.data;
    for (n = 0; n < face->count; n++) next[n] = n;
    while (n > 3 && tried < n) {
        if (!dcxi_is_ear(corner, xy, next, n, k)) {
            tried++;
            k = (k + 1) % n;
            continue;
        }
        if (!dcxi_cut_push(face, cut, next[(k + n - 1) % n], next[k], next[(k + 1) % n]))
            return dcxi_no_memory(o->error);
        n--;
        memmove(next + k, next + k + 1, (size_t)(n - k) * sizeof *next);
        k = k % n; /* the corner behind: cutting goes around instead of making a fan */
        tried = 0;
    }
    if (n > 3 || !(dcxi_cross2(xy + 2 * next[0], xy + 2 * next[1], xy + 2 * next[2]) >= 0))
        return dcx_error_set(o->error, DCX_BAD_FORMAT,
                             "%.100s: line %ld: this face crosses itself, it cannot be cut up",
                             o->name, face->line);
    if (!dcxi_cut_push(face, cut, next[0], next[1], next[2])) return dcxi_no_memory(o->error);
    return DCX_OK;
}

static dcx_result dcxi_cut_face(const dcxi_obj *o, const dcxi_face *face, dcxi_cutter *cut)
{
    int i;
    if (face->count > 3) {
        if (!dcxi_project_face(o, face, cut)) return dcxi_no_memory(o->error);
        if (!dcxi_fan_is_fine((const double *)cut->xy.data, face->count))
            return dcxi_clip_ears(o, face, cut);
    }
    for (i = 1; i + 1 < face->count; i++)
        if (!dcxi_cut_push(face, cut, 0, i, i + 1)) return dcxi_no_memory(o->error);
    return DCX_OK;
}

static dcx_result dcxi_obj_store(const dcxi_obj *o, const dcxi_cutter *cut, dcx_mesh *mesh)
{
    const dcxi_corner *corner = (const dcxi_corner *)o->corners.data;
    const size_t *triangle = (const size_t *)cut->out.data;
    size_t k;
    dcx_result result;
    if (cut->out.count > (size_t)(INT_MAX / 3))
        return dcx_error_set(o->error, DCX_TOO_LARGE, "%.100s: too many triangles", o->name);
    result = dcx_mesh_create(mesh, o->v.count, (int)cut->out.count, o->error);
    if (result < 0) return result;
    memcpy(mesh->positions, o->positions.data, o->positions.count * o->positions.item);
    for (k = 0; k < 3 * cut->out.count; k++) mesh->triangles[k] = corner[triangle[k]].v;
    if (o->vt.largest == 0 && o->vt.count == 0) return DCX_OK;
    result = dcxi_mesh_add_uvs(mesh, o->vt.count, o->error);
    if (result < 0) return result;
    memcpy(mesh->uvs, o->uvs.data, o->uvs.count * o->uvs.item);
    for (k = 0; k < 3 * cut->out.count; k++) mesh->uv_triangles[k] = corner[triangle[k]].t;
    return DCX_OK;
}

static dcx_result dcxi_obj_finish(dcxi_obj *o, dcx_mesh *mesh)
{
    const dcxi_face *faces = (const dcxi_face *)o->faces.data;
    dcxi_cutter cut;
    dcx_result result = dcxi_check_index(o, &o->v);
    size_t k;
    if (result == DCX_OK) result = dcxi_check_index(o, &o->vt);
    if (result == DCX_OK) result = dcxi_check_index(o, &o->vn);
    if (result < 0) return result;
    if (o->v.count == 0 || o->faces.count == 0)
        return dcx_error_set(o->error, DCX_EMPTY_MESH,
                             "%.100s: the mesh is empty: %d vertices, %ld faces", o->name,
                             o->v.count, (long)o->faces.count);
    cut.xy = dcxi_array_make(2 * sizeof(double));
    cut.next = dcxi_array_make(sizeof(int));
    cut.out = dcxi_array_make(3 * sizeof(size_t));
    for (k = 0; k < o->faces.count && result == DCX_OK; k++)
        result = dcxi_cut_face(o, faces + k, &cut);
    if (result == DCX_OK) result = dcxi_obj_store(o, &cut, mesh);
    dcxi_array_free(&cut.xy);
    dcxi_array_free(&cut.next);
    dcxi_array_free(&cut.out);
    if (result < 0) dcx_mesh_destroy(mesh);
    return result;
}

static dcxi_index dcxi_index_make(const char *what)
{
    dcxi_index index;
    index.what = what;
    index.count = index.largest = 0;
    index.line = 0;
    return index;
}

dcx_result dcx_obj_read_memory(const char *text, size_t bytes, const char *name, dcx_mesh *mesh,
                               dcx_error *error)
{
    dcxi_obj o;
    dcx_result result = DCX_OK;
    memset(mesh, 0, sizeof *mesh);
    o.name = name ? name : "obj";
    if (!text && bytes)
        return dcx_error_set(error, DCX_BAD_ARGUMENT, "%.100s: text is NULL, %ld bytes", o.name,
                             (long)bytes);
    o.p = text ? text : "";
    o.end = o.p + bytes;
    o.line = 1;
    o.error = error;
    o.positions = dcxi_array_make(3 * sizeof(double));
    o.uvs = dcxi_array_make(2 * sizeof(double));
    o.corners = dcxi_array_make(sizeof(dcxi_corner));
    o.faces = dcxi_array_make(sizeof(dcxi_face));
    o.v = dcxi_index_make("vertices (v)");
    o.vt = dcxi_index_make("texture coordinates (vt)");
    o.vn = dcxi_index_make("normals (vn)");
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) o.p += 3;
    while (o.p != o.end && result == DCX_OK) result = dcxi_read_line(&o);
    if (result == DCX_OK) result = dcxi_obj_finish(&o, mesh);
    dcxi_array_free(&o.positions);
    dcxi_array_free(&o.uvs);
    dcxi_array_free(&o.corners);
    dcxi_array_free(&o.faces);
    return result;
}

dcx_result dcx_obj_read(const char *path, dcx_mesh *mesh, dcx_error *error)
{
    dcxi_array bytes;
    dcx_result result;
    memset(mesh, 0, sizeof *mesh);
    result = dcxi_file_read(path, &bytes, error);
    if (result < 0) return result;
    result = dcx_obj_read_memory((const char *)bytes.data, bytes.count, path, mesh, error);
    dcxi_array_free(&bytes);
    return result;
}

/* ---- OBJ: writing ---------------------------------------------------------------------------- */

static void dcxi_write_numbers(FILE *file, const char *word, const double *values, int count)
{
    char text[DCX_DOUBLE_TEXT];
    int i;
    fputs(word, file);
    for (i = 0; i < count; i++) fprintf(file, " %s", dcx_double_print(text, values[i], 0));
    fputc('\n', file);
}

dcx_result dcx_obj_write(const char *path, const dcx_mesh *mesh, dcx_error *error)
{
    FILE *file;
    int i, k;
    dcx_result result;
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1)
        return dcx_error_set(error, DCX_EMPTY_MESH, "%.150s: the mesh to write is empty", path);
    result = dcxi_file_create(path, &file, error);
    if (result < 0) return result;
    for (i = 0; i < mesh->vertex_count; i++)
        dcxi_write_numbers(file, "v", mesh->positions + 3 * (size_t)i, 3);
    for (i = 0; i < mesh->uv_count; i++)
        dcxi_write_numbers(file, "vt", mesh->uvs + 2 * (size_t)i, 2);
    for (k = 0; k < mesh->triangle_count; k++) {
        const int *v = mesh->triangles + 3 * (size_t)k;
        const int *t = mesh->uv_count ? mesh->uv_triangles + 3 * (size_t)k : NULL;
        fputc('f', file);
        for (i = 0; i < 3; i++) {
            fprintf(file, " %d", v[i] + 1);
            if (t && t[i] >= 0) fprintf(file, "/%d", t[i] + 1);
        }
        fputc('\n', file);
    }
    return dcxi_file_finish(path, file, error);
}

/* ---- POINTCACHE2 ------------------------------------------------------------------------------
   All numbers pass through byte shifts, so the machine's own byte order does not matter; float is
   taken to be the 32-bit format of IEEE 754, as everywhere today. */

static uint32_t dcxi_load32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void dcxi_store32(unsigned char *p, uint32_t word)
{
    int i;
    for (i = 0; i < 4; i++) p[i] = (unsigned char)(word >> (8 * i) & 255);
}

/* 0 if the number is NaN or Inf. */
static int dcxi_load_float(const unsigned char *p, double *value)
{
    uint32_t word = dcxi_load32(p);
    float f;
    memcpy(&f, &word, 4);
    *value = f;
    return (word >> 23 & 255) != 255;
}

/* 0 if the number does not fit. */
static int dcxi_store_float(unsigned char *p, double value)
{
    float f;
    uint32_t word;
    if (!(fabs(value) < 3.4028235677973366e38)) return 0; /* from there on rounds to Inf */
    f = (float)value;
    memcpy(&word, &f, 4);
    dcxi_store32(p, word);
    return 1;
}

#define DCXI_PC2_HEADER 32

static dcx_result dcxi_pc2_header(const unsigned char *p, size_t bytes, const char *name,
                                  dcx_motion *motion, dcx_error *error)
{
    uint32_t version, points, samples;
    double start, rate;
    size_t tag = bytes < 12 ? bytes : 12;
    if (tag == 0 || memcmp(p, "POINTCACHE2", tag) != 0)
        return dcx_error_set(error, DCX_BAD_FORMAT, "%.100s: not a POINTCACHE2 file", name);
    if (bytes < DCXI_PC2_HEADER)
        return dcx_error_set(error, DCX_BAD_FORMAT, "%.100s: cut off in the header: %d of 32 bytes",
                             name, (int)bytes);
    version = dcxi_load32(p + 12);
    points = dcxi_load32(p + 16);
    samples = dcxi_load32(p + 28);
    if (version == 0x01000000u)
        return dcx_error_set(error, DCX_BAD_FORMAT, "%.100s: big-endian byte order", name);
    if (version != 1)
        return dcx_error_set(error, DCX_BAD_FORMAT, "%.100s: version %ld, known is 1", name,
                             (long)version);
    if (points < 1 || points > INT_MAX / 3 || samples < 1 || samples > INT_MAX)
        return dcx_error_set(error, points && samples ? DCX_BAD_FORMAT : DCX_EMPTY_MESH,
                             "%.100s: %ld points, %ld samples", name, (long)(int32_t)points,
                             (long)(int32_t)samples);
    if (!dcxi_load_float(p + 20, &start) || !dcxi_load_float(p + 24, &rate))
        return dcx_error_set(error, DCX_BAD_FORMAT, "%.100s: start or rate is not finite", name);
    if ((bytes - DCXI_PC2_HEADER) / 12 / points != samples ||
        (bytes - DCXI_PC2_HEADER) % ((size_t)12 * points))
        return dcx_error_set(
            error, DCX_BAD_FORMAT, "%.100s: %s: %ld samples announced, %ld bytes hold %ld", name,
            (bytes - DCXI_PC2_HEADER) / 12 / points < samples ? "cut off" : "too long",
            (long)samples, (long)bytes, (long)((bytes - DCXI_PC2_HEADER) / 12 / points));
    motion->frame_count = (int)samples;
    motion->vertex_count = (int)points;
    motion->start = start;
    motion->rate = rate;
    return DCX_OK;
}

dcx_result dcx_pc2_read_memory(const void *data, size_t bytes, const char *name, dcx_motion *motion,
                               dcx_error *error)
{
    const unsigned char *p = (const unsigned char *)data;
    dcx_motion header;
    dcx_result result;
    size_t i, per_frame, count;
    if (!name) name = "pc2";
    memset(motion, 0, sizeof *motion);
    memset(&header, 0, sizeof header);
    if (!data && bytes) return dcx_error_set(error, DCX_BAD_ARGUMENT, "%.100s: data is NULL", name);
    result = dcxi_pc2_header(p, bytes, name, &header, error);
    if (result < 0) return result;
    result = dcx_motion_create(motion, header.frame_count, header.vertex_count, error);
    if (result < 0) return result;
    motion->start = header.start;
    motion->rate = header.rate;
    per_frame = (size_t)header.vertex_count * 3;
    count = per_frame * (size_t)header.frame_count;
    for (i = 0; i < count; i++) {
        if (dcxi_load_float(p + DCXI_PC2_HEADER + 4 * i, motion->positions + i)) continue;
        dcx_motion_destroy(motion);
        return dcx_error_set(error, DCX_BAD_FORMAT,
                             "%.100s: sample %ld, point %ld: a number is not finite", name,
                             (long)(i / per_frame), (long)(i % per_frame / 3));
    }
    return DCX_OK;
}

dcx_result dcx_pc2_read(const char *path, dcx_motion *motion, dcx_error *error)
{
    dcxi_array bytes;
    dcx_result result;
    memset(motion, 0, sizeof *motion);
    result = dcxi_file_read(path, &bytes, error);
    if (result < 0) return result;
    result = dcx_pc2_read_memory(bytes.data, bytes.count, path, motion, error);
    dcxi_array_free(&bytes);
    return result;
}

dcx_result dcx_pc2_write(const char *path, const dcx_motion *motion, dcx_error *error)
{
    unsigned char header[DCXI_PC2_HEADER] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2'};
    unsigned char word[4];
    size_t i, per_frame = (size_t)motion->vertex_count * 3;
    size_t count = per_frame * (size_t)motion->frame_count;
    FILE *file;
    dcx_result result;
    dcxi_store32(header + 12, 1);
    dcxi_store32(header + 16, (uint32_t)motion->vertex_count);
    dcxi_store32(header + 28, (uint32_t)motion->frame_count);
    if (!dcxi_store_float(header + 20, motion->start) ||
        !dcxi_store_float(header + 24, motion->rate))
        return dcx_error_set(error, DCX_BAD_ARGUMENT, "%.100s: start or rate does not fit float32",
                             path);
    for (i = 0; i < count; i++)
        if (!dcxi_store_float(word, motion->positions[i]))
            return dcx_error_set(error, DCX_BAD_ARGUMENT,
                                 "%.100s: sample %ld, point %ld: a number does not fit float32",
                                 path, (long)(i / per_frame), (long)(i % per_frame / 3));
    result = dcxi_file_create(path, &file, error);
    if (result < 0) return result;
    fwrite(header, 1, sizeof header, file);
    for (i = 0; i < count; i++) {
        dcxi_store_float(word, motion->positions[i]);
        fwrite(word, 1, 4, file);
    }
    return dcxi_file_finish(path, file, error);
}

/* ---- folders of frames ------------------------------------------------------------------------
 */

#if DCXI_HAS_DIRENT

/* Names in the order of their text, runs of digits as numbers; equal only if the same bytes. */
static int dcxi_compare_names(const void *left, const void *right)
{
    const char *name_a = *(char *const *)left, *name_b = *(char *const *)right;
    const char *a = name_a, *b = name_b;
    while (*a && *b) {
        if (dcxi_is_digit(a, NULL) && dcxi_is_digit(b, NULL)) {
            size_t na, nb;
            int order;
            while (*a == '0' && dcxi_is_digit(a + 1, NULL)) a++;
            while (*b == '0' && dcxi_is_digit(b + 1, NULL)) b++;
            for (na = 0; dcxi_is_digit(a + na, NULL); na++) continue;
            for (nb = 0; dcxi_is_digit(b + nb, NULL); nb++) continue;
            if (na != nb) return na < nb ? -1 : 1;
            order = memcmp(a, b, na);
            if (order) return order;
            a += na;
            b += nb;
        } else {
            if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
        }
    }
    if (*a || *b) return *a ? 1 : -1;
    return strcmp(name_a, name_b);
}

static int dcxi_is_obj_name(const char *name)
{
    size_t n = strlen(name);
    const char *e = n < 5 ? name : name + n - 4;
    if (n < 5 || name[0] == '.' || e[0] != '.') return 0;
    return (e[1] == 'o' || e[1] == 'O') && (e[2] == 'b' || e[2] == 'B') &&
           (e[3] == 'j' || e[3] == 'J');
}

static void dcxi_free_paths(dcxi_array *paths)
{
    size_t k;
    for (k = 0; k < paths->count; k++) DCX_FREE(((char **)paths->data)[k]);
    dcxi_array_free(paths);
}

/* The paths of all frames, sorted (an array of char *, each to be freed). */
static dcx_result dcxi_list_folder(const char *folder, dcxi_array *paths, dcx_error *error)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    *paths = dcxi_array_make(sizeof(char *));
    if (!dir)
        return dcx_error_set(error, DCX_IO_ERROR, "%.150s: the folder cannot be opened",
                             folder ? folder : "(null)");
    while ((entry = readdir(dir)) != NULL) {
        size_t a = strlen(folder), b = strlen(entry->d_name);
        char *path;
        if (!dcxi_is_obj_name(entry->d_name)) continue;
        path = (char *)DCX_MALLOC(a + b + 2);
        if (path) {
            memcpy(path, folder, a);
            path[a] = '/';
            memcpy(path + a + 1, entry->d_name, b + 1);
        }
        if (!path || !dcxi_array_push(paths, &path, 1)) {
            DCX_FREE(path);
            closedir(dir);
            dcxi_free_paths(paths);
            return dcxi_no_memory(error);
        }
    }
    closedir(dir);
    if (paths->count == 0)
        return dcx_error_set(error, DCX_EMPTY_MESH, "%.150s: no .obj file in this folder", folder);
    qsort(paths->data, paths->count, sizeof(char *), dcxi_compare_names);
    return DCX_OK;
}

static int dcxi_same_topology(const dcx_mesh *a, const dcx_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * 3 * sizeof(int)) == 0;
}

static dcx_result dcxi_read_frames(char *const *paths, int count, dcx_motion *motion,
                                   dcx_mesh *first, dcx_error *error)
{
    int k;
    dcx_result result = dcx_obj_read(paths[0], first, error);
    if (result == DCX_OK) result = dcx_motion_create(motion, count, first->vertex_count, error);
    for (k = 0; k < count && result == DCX_OK; k++) {
        dcx_mesh mesh;
        result = dcx_obj_read(paths[k], &mesh, error);
        if (result == DCX_OK && !dcxi_same_topology(first, &mesh))
            result =
                dcx_error_set(error, DCX_BAD_FORMAT,
                              "%.150s: %d vertices, %d triangles: not the mesh of the first frame",
                              paths[k], mesh.vertex_count, mesh.triangle_count);
        if (result == DCX_OK)
            memcpy(dcx_motion_frame(motion, k), mesh.positions,
                   (size_t)mesh.vertex_count * 3 * sizeof(double));
        dcx_mesh_destroy(&mesh);
    }
    return result;
}

dcx_result dcx_motion_read_folder(const char *path, dcx_motion *motion, dcx_mesh *mesh,
                                  dcx_error *error)
{
    dcxi_array paths;
    dcx_mesh first;
    dcx_result result;
    memset(motion, 0, sizeof *motion);
    memset(&first, 0, sizeof first);
    if (mesh) memset(mesh, 0, sizeof *mesh);
    result = dcxi_list_folder(path, &paths, error);
    if (result == DCX_OK && paths.count > INT_MAX)
        result = dcx_error_set(error, DCX_TOO_LARGE, "%.150s: too many frames", path);
    if (result == DCX_OK)
        result =
            dcxi_read_frames((char *const *)paths.data, (int)paths.count, motion, &first, error);
    dcxi_free_paths(&paths);
    if (result < 0) dcx_motion_destroy(motion);
    if (result < 0 || !mesh)
        dcx_mesh_destroy(&first);
    else
        *mesh = first;
    return result;
}

static int dcxi_is_folder(const char *path)
{
    DIR *dir = path ? opendir(path) : NULL;
    if (dir) closedir(dir);
    return dir != NULL;
}

#else

dcx_result dcx_motion_read_folder(const char *path, dcx_motion *motion, dcx_mesh *mesh,
                                  dcx_error *error)
{
    memset(motion, 0, sizeof *motion);
    if (mesh) memset(mesh, 0, sizeof *mesh);
    return dcx_error_set(error, DCX_UNSUPPORTED, "%.150s: folders cannot be listed on this system",
                         path ? path : "(null)");
}

static int dcxi_is_folder(const char *path)
{
    (void)path;
    return 0;
}

#endif /* DCXI_HAS_DIRENT */

dcx_result dcx_motion_read(const char *path, dcx_motion *motion, dcx_mesh *mesh, dcx_error *error)
{
    if (dcxi_is_folder(path)) return dcx_motion_read_folder(path, motion, mesh, error);
    if (mesh) memset(mesh, 0, sizeof *mesh);
    return dcx_pc2_read(path, motion, error);
}

#ifdef __cplusplus
}
#endif

#endif /* DCX_IO_IMPLEMENTATION */

/* >>licence
   ---------------------------------------------------------------------------------------- Two
   licences, choose the one you prefer.

   A - Public domain (unlicense.org)
   This is free and unencumbered software released into the public domain. Anyone is free to copy,
   modify, publish, use, compile, sell, or distribute this software, either in source code form or
   as a compiled binary, for any purpose, commercial or non-commercial, and by any means. In
   jurisdictions that recognize copyright laws, the author or authors of this software dedicate any
   and all copyright interest in the software to the public domain. We make this dedication for the
   benefit of the public at large and to the detriment of our heirs and successors. We intend this
   dedication to be an overt act of relinquishment in perpetuity of all present and future rights to
   this software under copyright law. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
   KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
   FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY
   CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

   B - MIT licence, Copyright (c) 2025 diffcloth contributors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions: The above copyright notice and this
   permission notice shall be included in all copies or substantial portions of the Software. THE
   SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
   LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
