/* dcx_page.h - a playback page (one HTML file) and plots (SVG) of cloth simulations.

   Do this in ONE source file, and include the header plainly everywhere else:

       #define DCX_PAGE_IMPLEMENTATION
       #include "dcx_page.h"

       dcx_page_desc page = dcx_default_page_desc();
       page.title = "Falling napkin";
       page.vertex_count = n;         page.triangle_count = m;   page.triangles = triangles;
       page.frame_count = steps + 1;  page.frame_seconds = h;    page.frames = positions;
       char error[256];
       if (dcx_page_write("napkin.html", &page, error, sizeof error)) fprintf(stderr, "%s\n",
   error);

   C99 and C++11, needs the C library only, allocates nothing, keeps no state, depends on no locale.

   Contents (search for the anchor)
       >>plot       series, plots, dcx_svg_plot     >>page     obstacles, arrows, dcx_page_write
       >>impl       implementation                  >>style    the page's style sheet
       >>script     the page's script               >>licence

   The page opens from disk in any current browser and asks the network for nothing. It shows the
   cloth over time in WebGL (orbit, pan, zoom, play, scrub, wireframe), obstacles that move, the
   target over or beside the result, gradient arrows at their frame, handles and their paths, loss
   curves, the table of parameters, numbers and notes; without WebGL it draws sorted triangles on a
   plain canvas. It follows the reader's light or dark setting.
   Does not: store velocities or textures, compress, keep more than 16 bits of a coordinate.

   A link can name a moment and a view, behind # and joined by &:
       frame=120   az=35   el=20   target=off|overlay|beside   wire   arrows=0   renderer=canvas

   Size: a stored frame takes 8 bytes per vertex (3 x 16 bit, base64), twice that with a target.
   Frames are left out evenly until the page keeps max_bytes (8 MB); the browser blends between the
   ones stored. A coordinate is off by at most 1/131070 of the motion's bounding box.

   Units are the caller's; `length_unit` only names them. Text is UTF-8; all of it is escaped. */
#ifndef DCX_PAGE_H
#define DCX_PAGE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* >>plot ------------------------------------------------------------------------------------- */

/* How a series is drawn. BEST: points as they come, and a line through the smallest so far. */
typedef enum dcx_plot_style {
    DCX_PLOT_LINE = 0,
    DCX_PLOT_POINTS,
    DCX_PLOT_BOTH,
    DCX_PLOT_BEST
} dcx_plot_style;

/* One curve. Values that are not finite, or not positive on a logarithmic axis, leave a gap. */
typedef struct dcx_plot_series {
    const char *label;  /* for the legend, or NULL */
    int count;          /* >= 0 */
    const double *x;    /* count, or NULL: 0, 1, 2, ... */
    const double *y;    /* count */
    const double *low;  /* count, or NULL: lower edge of a band drawn behind the curve ... */
    const double *high; /* count, or NULL: ... and its upper edge, say the range over seeds */
    dcx_plot_style style;
    int dashed; /* nonzero: dashed line, say for a truth or a target */
} dcx_plot_series;

typedef struct dcx_plot_desc {
    const char *title, *x_label, *y_label; /* or NULL */
    int log_x, log_y;                      /* nonzero: logarithmic (a page's reader can switch y) */
    int series_count;
    const dcx_plot_series *series;     /* series_count */
    double x_min, x_max, y_min, y_max; /* ends of the axes, NaN: from the data; SVG only */
    double width, height;              /* pixels, 640 x 400; SVG only */
} dcx_plot_desc;

dcx_plot_desc dcx_default_plot_desc(void);

/* Writes one plot as an SVG file: axes with round ticks, grid lines, curves, bands, a legend when
   more than one series has a label. It adapts to a dark setting where the viewer tells. Returns 0,
   or -1 with one line in error (error_bytes of room; NULL and 0 are fine). A file that cannot be
   written completely is removed; one refused before writing leaves an older file as it was. */
int dcx_svg_plot(const char *path, const dcx_plot_desc *desc, char *error, size_t error_bytes);

/* >>page ------------------------------------------------------------------------------------- */

typedef enum dcx_page_shape {
    DCX_PAGE_SPHERE = 0, /* radius, around the origin */
    DCX_PAGE_PLANE,      /* through the origin, normal +y; a patch of it is drawn */
    DCX_PAGE_CAPSULE,    /* radius; its axis runs from (0, -size[1], 0) to (0, size[1], 0) */
    DCX_PAGE_BOX,        /* half edge lengths in size, around the origin */
    DCX_PAGE_MESH        /* any triangles */
} dcx_page_shape;

/* One obstacle, in its own frame, and the pose of that frame over time. {0} with a radius is a
   sphere at rest at the origin. A level plane at rest becomes the floor of the picture. */
typedef struct dcx_page_obstacle {
    dcx_page_shape shape;
    const char *label; /* or NULL: the shape's name */
    double radius;     /* > 0 for SPHERE and CAPSULE, else not read */
    double size[3];    /* BOX: > 0; CAPSULE: [1] > 0; PLANE: half edges of the patch in [0] and
                          [2], both 0: large enough to lie under all of the motion */
    int vertex_count;  /* MESH only, with the three below */
    int triangle_count;
    const double *vertices; /* vertex_count x 3 */
    const int *triangles;   /* triangle_count x 3, counter-clockwise seen from outside */
    int pose_count;         /* 0: origin, unturned; 1: at rest; frame_count: moving */
    const double *poses;    /* pose_count x 7: position x y z, quaternion w x y z of any length
                               that turns local directions into those of the scene */
} dcx_page_obstacle;

/* Vectors at the vertices, drawn as arrows; the longest gets a length that suits the cloth. */
typedef struct dcx_page_arrows {
    const char *label; /* say "-dL/df" */
    const char *unit;  /* or NULL */
    int frame;         /* where they belong, 0 <= frame < frame_count; -1: shown at all frames */
    const double *vectors; /* vertex_count x 3 */
} dcx_page_arrows;

/* A row of the parameter table. NaN for what is not known; a column without any number is left
   out, so is the error when there is no truth or the truth is 0. */
typedef struct dcx_page_row {
    const char *name;
    const char *unit; /* or NULL */
    double start, recovered, truth;
} dcx_page_row;

/* A line of the list of numbers: "vertices" "1426", "residual" "3e-11". */
typedef struct dcx_page_fact {
    const char *label, *value;
} dcx_page_fact;

typedef struct dcx_page_desc {
    const char *title;       /* NULL: "diffcloth" */
    const char *description; /* a sentence or two below the title, or NULL */
    const char *notes;       /* paragraphs below the picture, split at empty lines, or NULL */

    int vertex_count;        /* >= 1 */
    int triangle_count;      /* >= 1 */
    const int *triangles;    /* triangle_count x 3 vertex indices */
    int frame_count;         /* >= 1 */
    double frame_seconds;    /* > 0, time from one frame to the next */
    const double *frames;    /* frame_count x vertex_count x 3, finite ... */
    const float *frames_f32; /* ... or this one instead; exactly one of the two */
    const char *label;       /* what the frames are: NULL for "result" */

    const double *target_frames;    /* frame_count x vertex_count x 3, or NULL ... */
    const float *target_frames_f32; /* ... or this one; at most one of the two */
    const char *target_label;       /* NULL: "target" */
    int target_beside;              /* nonzero: first shown side by side, else laid over it */

    int obstacle_count;
    const dcx_page_obstacle *obstacles;
    int arrow_count;
    const dcx_page_arrows *arrows;
    int handle_count;         /* grippers and held points ... */
    const double *handles;    /* ... frame_count x handle_count x 3, or NULL */
    const char *handle_label; /* NULL: "handles" */

    int chart_count;
    const dcx_plot_desc *charts;
    int row_count;
    const dcx_page_row *rows;
    int fact_count;
    const dcx_page_fact *facts;

    int up_axis;             /* 0, 1, 2: x, y, z points up (1) */
    int floor;               /* nonzero: draw a floor with a grid (1) */
    double floor_height;     /* along the up axis; NaN: just below everything (NaN) */
    double azimuth;          /* first view: degrees around the up axis (30); for y up, 0 looks along
                                -z and 90 along -x */
    double elevation;        /* first view: degrees above the horizon (14) */
    const char *length_unit; /* "m"; "" when lengths have no name */
    int stride;              /* every stride-th frame is stored; 0: as max_bytes allows (0) */
    size_t max_bytes;        /* aim for the size of the file when stride is 0 (8000000) */
} dcx_page_desc;

dcx_page_desc dcx_default_page_desc(void);

/* Writes the page. The first and the last frame are always stored. Returns 0, or -1 with one line
   in error (error_bytes of room; NULL and 0 are fine) that names the field and the value: a count,
   an index out of range, a number that is not finite or beyond 1e15. A refusal leaves an older
   file as it was; a file that cannot be written completely is removed. */
int dcx_page_write(const char *path, const dcx_page_desc *desc, char *error, size_t error_bytes);

/* The pose of an obstacle at `position` (3) whose local +y points along `axis` (3, any length but
   0): planes by a point and their normal, capsules by their middle and direction. The turn is the
   shortest one; an axis of (0, -1, 0) turns around x. */
void dcx_page_pose(const double *position, const double *axis, double pose[7]);

/* A ball that stays at `centre` (3); its pose must stay until the page is written. */
void dcx_page_ball(dcx_page_obstacle *ball, double pose[7], const char *label,
                   const double *centre, double radius);

/* The stride that dcx_page_write uses for this page, >= 1. */
int dcx_page_stride(const dcx_page_desc *desc);

#ifdef __cplusplus
}
#endif
#endif /* DCX_PAGE_H */

/* Stop here if you only want the API. */

/* >>impl ------------------------------------------------------------------------------------- */
#if defined(DCX_PAGE_IMPLEMENTATION) && !defined(DCX_PAGE_IMPLEMENTED)
#define DCX_PAGE_IMPLEMENTED

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DCXI_PAGE_LIMIT 1e15 /* the browser squares coordinates in single precision */

/* ---- output: text, escaped text, numbers, base64 -------------------------------------------
   Everything goes through one stream whose error flag is read once, at the end. Numbers are
   printed for JSON and SVG, so the decimal sign must be a point under every locale. */

typedef struct dcxi_page_out {
    FILE *file;
    const char *path;
    unsigned long word; /* base64: up to three bytes that wait to be written */
    int waiting;
} dcxi_page_out;

static int dcxi_page_fail(char *error, size_t error_bytes, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static int dcxi_page_fail(char *error, size_t error_bytes, const char *format, ...)
{
    va_list list;
    if (!error || error_bytes == 0) return -1;
    va_start(list, format);
    vsnprintf(error, error_bytes, format, list);
    va_end(list);
    return -1;
}

static int dcxi_page_open(dcxi_page_out *o, const char *path, char *error, size_t error_bytes)
{
    memset(o, 0, sizeof *o);
    o->path = path;
    o->file = fopen(path, "wb");
    if (o->file) return 0;
    return dcxi_page_fail(error, error_bytes, "%s: %s", path, strerror(errno));
}

static int dcxi_page_close(dcxi_page_out *o, char *error, size_t error_bytes)
{
    int bad = ferror(o->file) != 0;
    if (fclose(o->file) != 0) bad = 1;
    if (!bad) return 0;
    remove(o->path);
    return dcxi_page_fail(error, error_bytes, "%s: cannot write all of it", o->path);
}

static void dcxi_page_put(dcxi_page_out *o, const char *text)
{
    fputs(text, o->file);
}

static void dcxi_page_lines(dcxi_page_out *o, const char *const *lines, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) fputs(lines[i], o->file);
}

/* Prints with `digits` significant digits; a number that is not finite becomes `none`. */
static void dcxi_page_number_or(dcxi_page_out *o, double x, int digits, const char *none)
{
    char text[64], *p;
    if (x - x != 0) {
        fputs(none, o->file);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, x == 0 ? 0.0 : x); /* no "-0" */
    for (p = text; *p; p++) /* the locale's decimal sign, of one byte or more, as a point */
        if (!strchr("0123456789+-e", *p)) {
            *p = '.';
            while (p[1] && !strchr("0123456789+-e", p[1])) memmove(p + 1, p + 2, strlen(p + 1));
        }
    fputs(text, o->file);
}

static void dcxi_page_number(dcxi_page_out *o, double x)
{
    dcxi_page_number_or(o, x, 9, "null");
}

static void dcxi_page_integer(dcxi_page_out *o, long x)
{
    fprintf(o->file, "%ld", x);
}

/* Bytes of the UTF-8 character at s, 1..4; 0 when it is none (cut off, overlong, surrogate). */
static int dcxi_page_utf8(const unsigned char *s)
{
    unsigned long c = s[0];
    int n = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : 0, i;
    if (c >= 0xF0 && c < 0xF5) n = 4;
    if (n > 1) c &= n == 2 ? 0x1Fu : n == 3 ? 0x0Fu : 0x07u;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (n == 3 && (c < 0x800 || (c >= 0xD800 && c < 0xE000) || c >= 0xFFFE)) return 0;
    if (n == 4 && (c < 0x10000 || c > 0x10FFFF)) return 0;
    return n;
}

typedef enum dcxi_page_escape { DCXI_PAGE_MARKUP, DCXI_PAGE_JSON } dcxi_page_escape;

/* Writes `length` bytes of text so that nothing in it can end the element, attribute or string it
   stands in. Bytes that are no UTF-8 become U+FFFD, control characters become spaces. JSON stands
   inside a script element, so there < > & are escaped too. */
static void dcxi_page_text_n(dcxi_page_out *o, const char *text, size_t length,
                             dcxi_page_escape how)
{
    const unsigned char *s = (const unsigned char *)text, *end = s + length;
    while (s < end) {
        int n = dcxi_page_utf8(s);
        if (n == 0) {
            fputs("\xEF\xBF\xBD", o->file);
            s++;
            continue;
        }
        if (n > 1)
            fwrite(s, 1, (size_t)n, o->file);
        else if (*s < 0x20 || *s == 0x7F)
            fputc(how == DCXI_PAGE_MARKUP && *s == '\n' ? '\n' : ' ', o->file);
        else if (!strchr("<>&\"'\\", *s) || (*s == '\\' && how == DCXI_PAGE_MARKUP))
            fputc(*s, o->file);
        else
            fprintf(o->file, how == DCXI_PAGE_JSON ? "\\u%04x" : "&#%u;", (unsigned)*s);
        s += n;
    }
}

static void dcxi_page_text(dcxi_page_out *o, const char *text)
{
    if (text) dcxi_page_text_n(o, text, strlen(text), DCXI_PAGE_MARKUP);
}

static void dcxi_page_json_text(dcxi_page_out *o, const char *key, const char *text)
{
    fprintf(o->file, ",\"%s\":\"", key);
    if (text) dcxi_page_text_n(o, text, strlen(text), DCXI_PAGE_JSON);
    fputc('"', o->file);
}

static void dcxi_page_flush64(dcxi_page_out *o)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char four[4];
    unsigned long w = o->word << 8 * (3 - o->waiting);
    if (o->waiting == 0) return;
    four[0] = digits[w >> 18 & 63];
    four[1] = digits[w >> 12 & 63];
    four[2] = o->waiting > 1 ? digits[w >> 6 & 63] : '=';
    four[3] = o->waiting > 2 ? digits[w & 63] : '=';
    fwrite(four, 1, 4, o->file);
    o->word = 0;
    o->waiting = 0;
}

/* The lowest `bytes` bytes of w, lowest first, as base64; dcxi_page_flush64 ends the text. */
static void dcxi_page_word64(dcxi_page_out *o, uint32_t w, int bytes)
{
    for (; bytes > 0; bytes--, w >>= 8) {
        o->word = o->word << 8 | (w & 255u);
        if (++o->waiting == 3) dcxi_page_flush64(o);
    }
}

static void dcxi_page_float64(dcxi_page_out *o, double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    dcxi_page_word64(o, bits, 4);
}

static void dcxi_page_floats(dcxi_page_out *o, const char *key, const double *x, size_t count)
{
    size_t i;
    fprintf(o->file, ",\"%s\":\"", key);
    for (i = 0; i < count; i++) dcxi_page_float64(o, x[i]);
    dcxi_page_flush64(o);
    fputc('"', o->file);
}

static void dcxi_page_indices(dcxi_page_out *o, const int *index, size_t count, int bytes)
{
    size_t i;
    fputs(",\"triangles\":\"", o->file);
    for (i = 0; i < count; i++) dcxi_page_word64(o, (uint32_t)index[i], bytes);
    dcxi_page_flush64(o);
    fputc('"', o->file);
}

/* ---- checks: all of them before the file is opened ------------------------------------------ */

/* Positions of cloth or target, in either precision. */
typedef struct dcxi_page_frames {
    const double *f64;
    const float *f32;
    double low[3], high[3]; /* bounding box over all frames */
} dcxi_page_frames;

static double dcxi_page_value(const dcxi_page_frames *f, size_t i)
{
    return f->f64 ? f->f64[i] : (double)f->f32[i];
}

static int dcxi_page_bad(double x) /* NaN fails the comparison too */
{
    return !(fabs(x) <= DCXI_PAGE_LIMIT);
}

static int dcxi_page_check_frames(dcxi_page_frames *f, const dcx_page_desc *d, const char *name,
                                  char *error, size_t error_bytes)
{
    size_t row = (size_t)d->vertex_count * 3, i, total = row * (size_t)d->frame_count;
    int c;
    for (c = 0; c < 3; c++) f->low[c] = f->high[c] = dcxi_page_value(f, (size_t)c);
    for (i = 0; i < total; i++) {
        double x = dcxi_page_value(f, i);
        if (dcxi_page_bad(x))
            return dcxi_page_fail(
                error, error_bytes, "%s: frame %lu, vertex %lu, %c: %g is no usable coordinate",
                name, (unsigned long)(i / row), (unsigned long)(i % row / 3), "xyz"[i % 3], x);
        if (x < f->low[i % 3]) f->low[i % 3] = x;
        if (x > f->high[i % 3]) f->high[i % 3] = x;
    }
    return 0;
}

static int dcxi_page_check_numbers(const char *name, long which, const double *x, size_t count,
                                   char *error, size_t error_bytes)
{
    size_t i;
    if (count > 0 && !x)
        return dcxi_page_fail(error, error_bytes, "%s %ld: no numbers given", name, which);
    for (i = 0; i < count; i++)
        if (dcxi_page_bad(x[i]))
            return dcxi_page_fail(error, error_bytes, "%s %ld: number %lu is %g", name, which,
                                  (unsigned long)i, x[i]);
    return 0;
}

static int dcxi_page_check_triangles(const char *name, const int *triangles, int triangle_count,
                                     int vertex_count, char *error, size_t error_bytes)
{
    size_t i, n = (size_t)triangle_count * 3;
    for (i = 0; i < n; i++)
        if (triangles[i] < 0 || triangles[i] >= vertex_count)
            return dcxi_page_fail(error, error_bytes, "%s: triangle %lu names vertex %d of %d",
                                  name, (unsigned long)(i / 3), triangles[i], vertex_count);
    return 0;
}

static int dcxi_page_check_obstacle(const dcx_page_obstacle *b, long k, int frame_count,
                                    char *error, size_t error_bytes)
{
    int i, round = b->shape == DCX_PAGE_SPHERE || b->shape == DCX_PAGE_CAPSULE;
    if ((int)b->shape < 0 || b->shape > DCX_PAGE_MESH)
        return dcxi_page_fail(error, error_bytes, "obstacle %ld: unknown shape %d", k,
                              (int)b->shape);
    if (round && !(b->radius > 0 && b->radius <= DCXI_PAGE_LIMIT))
        return dcxi_page_fail(error, error_bytes, "obstacle %ld: radius %g", k, b->radius);
    for (i = 0; i < 3; i++) {
        int needed = b->shape == DCX_PAGE_BOX || (b->shape == DCX_PAGE_CAPSULE && i == 1);
        int read = needed || b->shape == DCX_PAGE_PLANE;
        if (read &&
            !(b->size[i] >= 0 && b->size[i] <= DCXI_PAGE_LIMIT && (!needed || b->size[i] > 0)))
            return dcxi_page_fail(error, error_bytes, "obstacle %ld: size[%d] %g", k, i,
                                  b->size[i]);
    }
    if (b->pose_count != 0 && b->pose_count != 1 && b->pose_count != frame_count)
        return dcxi_page_fail(error, error_bytes, "obstacle %ld: %d poses for %d frames", k,
                              b->pose_count, frame_count);
    if (dcxi_page_check_numbers("poses of obstacle", k, b->poses, (size_t)b->pose_count * 7, error,
                                error_bytes))
        return -1;
    for (i = 0; i < b->pose_count; i++) {
        const double *q = b->poses + 7 * (size_t)i + 3;
        if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0))
            return dcxi_page_fail(error, error_bytes, "obstacle %ld: pose %d has quaternion 0", k,
                                  i);
    }
    if (b->shape != DCX_PAGE_MESH) return 0;
    if (b->vertex_count < 1 || b->triangle_count < 1 || !b->triangles)
        return dcxi_page_fail(error, error_bytes,
                              "obstacle %ld: a mesh of %d vertices, %d triangles", k,
                              b->vertex_count, b->triangle_count);
    if (dcxi_page_check_numbers("vertices of obstacle", k, b->vertices, (size_t)b->vertex_count * 3,
                                error, error_bytes))
        return -1;
    return dcxi_page_check_triangles("obstacle", b->triangles, b->triangle_count, b->vertex_count,
                                     error, error_bytes);
}

static int dcxi_page_check_plot(const dcx_plot_desc *p, char *error, size_t error_bytes)
{
    int k;
    if (p->series_count < 0 || (p->series_count > 0 && !p->series))
        return dcxi_page_fail(error, error_bytes, "plot: series_count %d", p->series_count);
    for (k = 0; k < p->series_count; k++) {
        const dcx_plot_series *s = &p->series[k];
        if (s->count < 0 || (s->count > 0 && !s->y))
            return dcxi_page_fail(error, error_bytes, "plot: series %d has count %d", k, s->count);
        if ((int)s->style < 0 || s->style > DCX_PLOT_BEST)
            return dcxi_page_fail(error, error_bytes, "plot: series %d has style %d", k,
                                  (int)s->style);
    }
    return 0;
}

static int dcxi_page_check_list(const char *name, int count, const void *list, char *error,
                                size_t error_bytes)
{
    if (count == 0 || (count > 0 && list)) return 0;
    return dcxi_page_fail(error, error_bytes, "%s: count %d%s", name, count,
                          list ? "" : ", no array");
}

static int dcxi_page_check_basics(const dcx_page_desc *d, char *error, size_t error_bytes)
{
    if (d->vertex_count < 1 || d->triangle_count < 1 || d->frame_count < 1 || !d->triangles)
        return dcxi_page_fail(error, error_bytes, "page: %d vertices, %d triangles, %d frames",
                              d->vertex_count, d->triangle_count, d->frame_count);
    if (!d->frames == !d->frames_f32)
        return dcxi_page_fail(error, error_bytes,
                              "page: give frames or frames_f32, one of the two");
    if (d->target_frames && d->target_frames_f32)
        return dcxi_page_fail(error, error_bytes,
                              "page: give target_frames or target_frames_f32, not both");
    if (!(d->frame_seconds > 0 && d->frame_seconds <= DCXI_PAGE_LIMIT))
        return dcxi_page_fail(error, error_bytes, "page: frame_seconds %g", d->frame_seconds);
    if (d->up_axis < 0 || d->up_axis > 2 || d->stride < 0)
        return dcxi_page_fail(error, error_bytes, "page: up_axis %d, stride %d", d->up_axis,
                              d->stride);
    if (dcxi_page_bad(d->azimuth) || dcxi_page_bad(d->elevation) ||
        fabs(d->floor_height) > DCXI_PAGE_LIMIT)
        return dcxi_page_fail(error, error_bytes, "page: azimuth %g, elevation %g, floor_height %g",
                              d->azimuth, d->elevation, d->floor_height);
    if (dcxi_page_check_list("obstacles", d->obstacle_count, d->obstacles, error, error_bytes) ||
        dcxi_page_check_list("arrows", d->arrow_count, d->arrows, error, error_bytes) ||
        dcxi_page_check_list("handles", d->handle_count, d->handles, error, error_bytes) ||
        dcxi_page_check_list("charts", d->chart_count, d->charts, error, error_bytes) ||
        dcxi_page_check_list("rows", d->row_count, d->rows, error, error_bytes) ||
        dcxi_page_check_list("facts", d->fact_count, d->facts, error, error_bytes))
        return -1;
    return dcxi_page_check_triangles("page", d->triangles, d->triangle_count, d->vertex_count,
                                     error, error_bytes);
}

static int dcxi_page_check(const dcx_page_desc *d, dcxi_page_frames *cloth,
                           dcxi_page_frames *target, char *error, size_t error_bytes)
{
    int k;
    if (dcxi_page_check_basics(d, error, error_bytes)) return -1;
    if (dcxi_page_check_frames(cloth, d, "frames", error, error_bytes)) return -1;
    if ((target->f64 || target->f32) &&
        dcxi_page_check_frames(target, d, "target_frames", error, error_bytes))
        return -1;
    for (k = 0; k < d->obstacle_count; k++)
        if (dcxi_page_check_obstacle(&d->obstacles[k], k, d->frame_count, error, error_bytes))
            return -1;
    for (k = 0; k < d->arrow_count; k++) {
        const dcx_page_arrows *a = &d->arrows[k];
        if (a->frame < -1 || a->frame >= d->frame_count)
            return dcxi_page_fail(error, error_bytes, "arrows %d: frame %d of %d", k, a->frame,
                                  d->frame_count);
        if (dcxi_page_check_numbers("arrows", k, a->vectors, (size_t)d->vertex_count * 3, error,
                                    error_bytes))
            return -1;
    }
    if (dcxi_page_check_numbers("handles", 0, d->handles,
                                (size_t)d->handle_count * (size_t)d->frame_count * 3, error,
                                error_bytes))
        return -1;
    for (k = 0; k < d->chart_count; k++)
        if (dcxi_page_check_plot(&d->charts[k], error, error_bytes)) return -1;
    return 0;
}

/* ---- the data: one JSON object ---------------------------------------------------------------
   Stored frame s is frame min(s * stride, frame_count - 1), so that the last one is always there.
 */

static int dcxi_page_stored(int frame_count, int stride)
{
    return (frame_count - 1) / stride + 1 + ((frame_count - 1) % stride != 0);
}

static size_t dcxi_page_frame_of(const dcx_page_desc *d, int stride, int s)
{
    long frame = (long)s * stride;
    return (size_t)(frame < d->frame_count - 1 ? frame : d->frame_count - 1);
}

static void dcxi_page_put_body(dcxi_page_out *o, const dcx_page_desc *d, int stride,
                               const char *key, const char *label, const dcxi_page_frames *f)
{
    int s, c, stored = dcxi_page_stored(d->frame_count, stride);
    size_t row = (size_t)d->vertex_count * 3, i;
    double step[3];
    fprintf(o->file, ",\n\"%s\":{\"min\":[", key);
    for (c = 0; c < 3; c++) {
        step[c] = (f->high[c] - f->low[c]) / 65535.0;
        if (c) fputc(',', o->file);
        dcxi_page_number_or(o, f->low[c], 17, "null");
    }
    fputs("],\"step\":[", o->file);
    for (c = 0; c < 3; c++) {
        if (c) fputc(',', o->file);
        dcxi_page_number_or(o, step[c], 17, "null");
    }
    fputc(']', o->file);
    dcxi_page_json_text(o, "label", label);
    fputs(",\"q\":\"", o->file);
    for (s = 0; s < stored; s++) {
        size_t base = row * dcxi_page_frame_of(d, stride, s);
        for (i = 0; i < row; i++) {
            double w = step[i % 3], x = dcxi_page_value(f, base + i) - f->low[i % 3];
            double q = w > 0 ? floor(x / w + 0.5) : 0.0;
            dcxi_page_word64(o, q > 65535.0 ? 65535u : (uint32_t)q, 2);
        }
    }
    dcxi_page_flush64(o);
    fputs("\"}", o->file);
}

static void dcxi_page_put_obstacle(dcxi_page_out *o, const dcx_page_desc *d, int stride,
                                   const dcx_page_obstacle *b)
{
    static const char *const names[] = {"sphere", "plane", "capsule", "box", "mesh"};
    static const double still[7] = {0, 0, 0, 1, 0, 0, 0};
    int s, i, moving = b->pose_count > 1,
              stored = moving ? dcxi_page_stored(d->frame_count, stride) : 1;
    fprintf(o->file, "{\"shape\":\"%s\"", names[b->shape]);
    fputs(",\"radius\":", o->file);
    dcxi_page_number(o, b->radius);
    fputs(",\"size\":[", o->file);
    for (i = 0; i < 3; i++) {
        if (i) fputc(',', o->file);
        dcxi_page_number(o, b->size[i]);
    }
    fputs("],\"poses\":\"", o->file);
    for (s = 0; s < stored; s++) {
        const double *p = b->pose_count == 0 ? still : b->poses;
        double length;
        if (moving) p += 7 * dcxi_page_frame_of(d, stride, s);
        length = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
        for (i = 0; i < 7; i++) dcxi_page_float64(o, i < 3 ? p[i] : p[i] / length);
    }
    dcxi_page_flush64(o);
    fputc('"', o->file);
    if (b->shape == DCX_PAGE_MESH) {
        dcxi_page_floats(o, "vertices", b->vertices, (size_t)b->vertex_count * 3);
        dcxi_page_indices(o, b->triangles, (size_t)b->triangle_count * 3, 4);
    }
    fputc('}', o->file);
}

static void dcxi_page_put_list(dcxi_page_out *o, const char *key, const double *x, int count)
{
    int i;
    fprintf(o->file, ",\"%s\":", key);
    if (!x && count > 0) {
        fputs("null", o->file);
        return;
    }
    for (i = 0; i < count; i++) {
        fputc(i ? ',' : '[', o->file);
        dcxi_page_number_or(o, x[i], 7, "null");
    }
    fputs(count ? "]" : "[]", o->file);
}

static void dcxi_page_put_chart(dcxi_page_out *o, const dcx_plot_desc *p)
{
    static const char *const styles[] = {"line", "points", "both", "best"};
    int k;
    fprintf(o->file, "{\"logX\":%s,\"logY\":%s", p->log_x ? "true" : "false",
            p->log_y ? "true" : "false");
    dcxi_page_json_text(o, "title", p->title);
    dcxi_page_json_text(o, "xLabel", p->x_label);
    dcxi_page_json_text(o, "yLabel", p->y_label);
    fputs(",\"series\":[", o->file);
    for (k = 0; k < p->series_count; k++) {
        const dcx_plot_series *s = &p->series[k];
        fprintf(o->file, "%s{\"style\":\"%s\",\"dashed\":%s", k ? "," : "", styles[s->style],
                s->dashed ? "true" : "false");
        dcxi_page_json_text(o, "label", s->label);
        dcxi_page_put_list(o, "x", s->x, s->count);
        dcxi_page_put_list(o, "y", s->y, s->count);
        dcxi_page_put_list(o, "low", s->high ? s->low : NULL, s->count);
        dcxi_page_put_list(o, "high", s->low ? s->high : NULL, s->count);
        fputc('}', o->file);
    }
    fputs("]}", o->file);
}

static void dcxi_page_put_handles(dcxi_page_out *o, const dcx_page_desc *d, int stride)
{
    int s, stored = dcxi_page_stored(d->frame_count, stride);
    size_t row = (size_t)d->handle_count * 3, i;
    fprintf(o->file, ",\n\"handles\":{\"count\":%d,\"xyz\":\"", d->handle_count);
    for (s = 0; s < stored; s++)
        for (i = 0; i < row; i++)
            dcxi_page_float64(o, d->handles[row * dcxi_page_frame_of(d, stride, s) + i]);
    dcxi_page_flush64(o);
    fputs("\"}", o->file);
}

static void dcxi_page_put_data(dcxi_page_out *o, const dcx_page_desc *d, int stride,
                               const dcxi_page_frames *cloth, const dcxi_page_frames *target)
{
    int k, has_target = target->f64 || target->f32, bits = d->vertex_count <= 65536 ? 16 : 32;
    fprintf(o->file, "{\"vertices\":%d,\"frames\":%d,\"stride\":%d,\"stored\":%d,\"up\":%d,\"dt\":",
            d->vertex_count, d->frame_count, stride, dcxi_page_stored(d->frame_count, stride),
            d->up_axis);
    dcxi_page_number_or(o, d->frame_seconds, 17, "1");
    fputs(",\"ground\":", o->file);
    if (d->floor)
        dcxi_page_number(o, d->floor_height);
    else
        fputs("false", o->file);
    fputs(",\"azimuth\":", o->file);
    dcxi_page_number(o, d->azimuth);
    fputs(",\"elevation\":", o->file);
    dcxi_page_number(o, d->elevation);
    fprintf(o->file, ",\"targetMode\":\"%s\",\n\"indexBits\":%d",
            !has_target        ? "off"
            : d->target_beside ? "beside"
                               : "overlay",
            bits);
    dcxi_page_indices(o, d->triangles, (size_t)d->triangle_count * 3, bits / 8);
    dcxi_page_put_body(o, d, stride, "cloth", d->label ? d->label : "result", cloth);
    if (has_target)
        dcxi_page_put_body(o, d, stride, "target", d->target_label ? d->target_label : "target",
                           target);
    if (d->handle_count) dcxi_page_put_handles(o, d, stride);
    fputs(",\n\"obstacles\":[", o->file);
    for (k = 0; k < d->obstacle_count; k++) {
        if (k) fputc(',', o->file);
        dcxi_page_put_obstacle(o, d, stride, &d->obstacles[k]);
    }
    fputs("],\n\"arrows\":[", o->file);
    for (k = 0; k < d->arrow_count; k++) {
        fprintf(o->file, "%s{\"frame\":%d", k ? "," : "", d->arrows[k].frame);
        dcxi_page_json_text(o, "label", d->arrows[k].label);
        dcxi_page_json_text(o, "unit", d->arrows[k].unit);
        dcxi_page_floats(o, "vectors", d->arrows[k].vectors, (size_t)d->vertex_count * 3);
        fputc('}', o->file);
    }
    fputs("],\n\"charts\":[", o->file);
    for (k = 0; k < d->chart_count; k++) {
        if (k) fputc(',', o->file);
        dcxi_page_put_chart(o, &d->charts[k]);
    }
    fputs("]}", o->file);
}

/* ---- numbers for people -------------------------------------------------------------------- */

#define DCXI_PAGE_PRETTY 96 /* bytes that hold any number printed below */

/* An exponent in raised digits. */
static const char *dcxi_page_raised(char text[DCXI_PAGE_PRETTY], int n)
{
    static const char *const raised[] = {
        "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
        "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char number[16], *p;
    snprintf(number, sizeof number, "%d", n);
    text[0] = 0;
    for (p = number; *p; p++) strcat(text, *p == '-' ? "\xE2\x81\xBB" : raised[*p - '0']);
    return text;
}

/* "0.3", "-12.5" with a real minus sign, "5 x 10^-7" with a times sign and raised digits; an en
   dash for NaN. `digits` significant ones, 1..15, zeros at the end dropped. */
static const char *dcxi_page_pretty(char text[DCXI_PAGE_PRETTY], double x, int digits)
{
    char number[40], *e, *end, *p;
    int exponent = 0;
    if (x - x != 0) return strcpy(text, "\xE2\x80\x93");
    snprintf(number, sizeof number, "%.*e", digits - 1, x);
    e = strchr(number, 'e');
    for (p = e + 2; *p; p++) exponent = 10 * exponent + (*p - '0');
    if (e[1] == '-') exponent = -exponent;
    if (exponent >= -3 && exponent < 6) { /* plain notation */
        int decimals = digits - 1 - exponent;
        snprintf(number, sizeof number, "%.*f", decimals > 0 ? decimals : 0, x);
        e = number + strlen(number);
        exponent = 0;
    }
    *e = 0;
    for (p = number; *p; p++) /* the locale's decimal sign */
        if (!strchr("0123456789-", *p)) {
            *p = '.';
            while (p[1] && !strchr("0123456789", p[1])) memmove(p + 1, p + 2, strlen(p + 1));
        }
    if (strchr(number, '.'))
        for (end = number + strlen(number); end[-1] == '0' || end[-1] == '.';) {
            int point = end[-1] == '.';
            *--end = 0;
            if (point) break;
        }
    text[0] = 0;
    p = number;
    if (*p == '-') {
        p++;
        if (strcmp(p, "0") != 0) strcat(text, "\xE2\x88\x92");
    }
    if (exponent == 0) return strcat(text, p);
    if (strcmp(p, "1") != 0) strcat(strcat(text, p), "\xC3\x97");
    strcat(text, "10");
    dcxi_page_raised(text + strlen(text), exponent);
    return text;
}

static double dcxi_page_round125(double x) /* 1, 2 or 5 times a power of ten, near x > 0 */
{
    double p = pow(10.0, floor(log10(x))), m = x / p;
    return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * p;
}

/* ---- SVG plots ------------------------------------------------------------------------------- */

/* An axis maps value -> scaled (its logarithm, if wanted) -> pixels. NaN for what is not shown. */
typedef struct dcxi_plot_axis {
    int log;
    int whole;        /* nonzero: all values are whole numbers, so are the ticks */
    double low, high; /* scaled */
    double from, to;  /* pixels */
} dcxi_plot_axis;

#define DCXI_PLOT_TICKS 40

typedef struct dcxi_plot_tick {
    double pixel;
    char text[DCXI_PAGE_PRETTY];
} dcxi_plot_tick;

static double dcxi_plot_scaled(const dcxi_plot_axis *a, double x)
{
    if (x - x != 0) return NAN;
    return !a->log ? x : x > 0 ? log10(x) : (double)NAN;
}

static double dcxi_plot_pixel(const dcxi_plot_axis *a, double x)
{
    double s = dcxi_plot_scaled(a, x);
    return a->from + (s - a->low) / (a->high - a->low) * (a->to - a->from);
}

static void dcxi_plot_widen(dcxi_plot_axis *a, const double *x, int count)
{
    int i;
    for (i = 0; x && i < count; i++) {
        double s = dcxi_plot_scaled(a, x[i]);
        if (x[i] - x[i] == 0 && x[i] != floor(x[i])) a->whole = 0;
        if (s < a->low) a->low = s;
        if (s > a->high) a->high = s;
    }
}

/* Ends of an axis: those asked for, else the data's, with some air (`air`, a share) and never of
   no length. A linear axis of positive values that come near 0 starts at 0. */
static void dcxi_plot_range(dcxi_plot_axis *a, double low, double high, double air)
{
    double span, size;
    if (!(a->low <= a->high)) {
        a->low = 0;
        a->high = 1;
    }
    size = fmax(fabs(a->low), fabs(a->high));
    span = a->high - a->low;
    if (span <= 1e-9 * (a->log ? fmax(size, 1) : size) || span == 0) {
        double half = a->log ? 0.5 : size > 0 ? 0.1 * size : 1;
        a->low -= half;
        a->high += half;
        span = 2 * half;
    }
    if (!a->log && air > 0 && a->low >= 0 && a->low < 0.3 * a->high)
        a->low = 0;
    else
        a->low -= air * span;
    a->high += air * span;
    if (dcxi_plot_scaled(a, low) < a->high) a->low = dcxi_plot_scaled(a, low);
    if (dcxi_plot_scaled(a, high) > a->low) a->high = dcxi_plot_scaled(a, high);
}

/* Round positions, about `want` of them; returns their number. */
static int dcxi_plot_ticks(const dcxi_plot_axis *a, double want, dcxi_plot_tick *tick)
{
    int n = 0, digits, m;
    char number[DCXI_PAGE_PRETTY];
    double span = a->high - a->low, k;
    if (!a->log) {
        double step = dcxi_page_round125(span / want);
        if (a->whole && step < 1) step = 1;
        for (k = ceil(a->low / step - 1e-9);
             k * step <= a->high + 1e-9 * step && n < DCXI_PLOT_TICKS; k++) {
            digits =
                k == 0 ? 1
                       : (int)(floor(log10(fabs(k * step)) + 1e-9) - floor(log10(step) + 1e-9)) + 1;
            tick[n].pixel = dcxi_plot_pixel(a, k * step);
            dcxi_page_pretty(tick[n++].text, k * step, digits < 1 ? 1 : digits > 12 ? 12 : digits);
        }
        return n;
    }
    for (k = floor(a->low); k <= a->high + 1e-9;
         k++) /* decades, and steps inside when they are few */
        for (m = 1; m < 10; m++) {
            double every = fmax(1, ceil(span / want)), at = k + log10((double)m);
            int inner = span < 1.2 ? m == 2 || m == 3 || m == 5 : span < 2.5 ? m == 3 : 0;
            if (at < a->low - 1e-9 || at > a->high + 1e-9 || n == DCXI_PLOT_TICKS) continue;
            if (m == 1 ? fmod(fabs(k), every) != 0 : !inner) continue;
            tick[n].pixel = a->from + (at - a->low) / span * (a->to - a->from);
            if (m > 1 || (a->low > -2.5 && a->high < 3.5) || k == 0 || k == 1)
                dcxi_page_pretty(tick[n].text, m * pow(10.0, k), 1);
            else
                strcat(strcpy(tick[n].text, "10"), dcxi_page_raised(number, (int)k));
            n++;
        }
    return n;
}

static int dcxi_page_width(const char *text) /* in characters */
{
    int n = 0;
    for (; text && *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void dcxi_svg_number(dcxi_page_out *o, const char *before, double x, const char *after)
{
    dcxi_page_put(o, before);
    dcxi_page_number_or(o, floor(x * 100 + 0.5) / 100, 8, "0");
    dcxi_page_put(o, after);
}

static void dcxi_svg_line(dcxi_page_out *o, const char *kind, double x1, double y1, double x2,
                          double y2)
{
    dcxi_page_put(o, "<line class=\"");
    dcxi_page_put(o, kind);
    dcxi_svg_number(o, "\" x1=\"", x1, "\"");
    dcxi_svg_number(o, " y1=\"", y1, "\"");
    dcxi_svg_number(o, " x2=\"", x2, "\"");
    dcxi_svg_number(o, " y2=\"", y2, "\"/>\n");
}

static void dcxi_svg_text(dcxi_page_out *o, const char *kind, const char *anchor, double x,
                          double y, const char *text)
{
    if (!text || !*text) return;
    dcxi_page_put(o, "<text class=\"");
    dcxi_page_put(o, kind);
    dcxi_page_put(o, "\" text-anchor=\"");
    dcxi_page_put(o, anchor);
    dcxi_svg_number(o, "\" x=\"", x, "\"");
    dcxi_svg_number(o, " y=\"", y, "\">");
    dcxi_page_text(o, text);
    dcxi_page_put(o, "</text>\n");
}

typedef enum dcxi_svg_part { DCXI_SVG_CURVE, DCXI_SVG_BEST } dcxi_svg_part;

static double dcxi_svg_x(const dcxi_plot_axis *ax, const dcx_plot_series *s, int i)
{
    return dcxi_plot_pixel(ax, s->x ? s->x[i] : (double)i);
}

static void dcxi_svg_point(dcxi_page_out *o, const char *command, double x, double y)
{
    dcxi_svg_number(o, command, x, " ");
    dcxi_svg_number(o, "", y, "");
}

/* A line through the points, or through the smallest value so far; gaps where there is none. */
static void dcxi_svg_curve(dcxi_page_out *o, const dcxi_plot_axis *ax, const dcxi_plot_axis *ay,
                           const dcx_plot_series *s, int color, dcxi_svg_part part)
{
    int i, pen = 0;
    double best = NAN;
    fprintf(o->file, "<path class=\"curve s%d%s\" d=\"", color, s->dashed ? " dashed" : "");
    for (i = 0; i < s->count; i++) {
        double v = s->y[i], x, y;
        if (v - v == 0 && !(v >= best)) best = v;
        x = dcxi_svg_x(ax, s, i);
        y = dcxi_plot_pixel(ay, part == DCXI_SVG_BEST ? best : v);
        if (x - x == 0 && y - y == 0) dcxi_svg_point(o, pen ? "L" : "M", x, y);
        pen = x - x == 0 && y - y == 0;
    }
    dcxi_page_put(o, "\"/>\n");
}

static void dcxi_svg_band(dcxi_page_out *o, const dcxi_plot_axis *ax, const dcxi_plot_axis *ay,
                          const dcx_plot_series *s, int color)
{
    int i, started = 0;
    fprintf(o->file, "<path class=\"band f%d\" d=\"", color);
    for (i = 0; i < 2 * s->count; i++) { /* there along the low edge, back along the high one */
        int k = i < s->count ? i : 2 * s->count - 1 - i;
        double x = dcxi_svg_x(ax, s, k), lo = dcxi_plot_pixel(ay, s->low[k]);
        double hi = dcxi_plot_pixel(ay, s->high[k]);
        if (x - x != 0 || lo - lo != 0 || hi - hi != 0) continue;
        dcxi_svg_point(o, started++ ? "L" : "M", x, i < s->count ? lo : hi);
    }
    dcxi_page_put(o, "\"/>\n");
}

static void dcxi_svg_series(dcxi_page_out *o, const dcxi_plot_axis *ax, const dcxi_plot_axis *ay,
                            const dcx_plot_series *s, int color)
{
    int i;
    if (s->low && s->high) dcxi_svg_band(o, ax, ay, s, color);
    for (i = 0; s->style != DCX_PLOT_LINE && i < s->count; i++) {
        double x = dcxi_svg_x(ax, s, i), y = dcxi_plot_pixel(ay, s->y[i]);
        if (x - x != 0 || y - y != 0) continue;
        fprintf(o->file, "<circle class=\"f%d%s\" r=\"2.6\"", color,
                s->style == DCX_PLOT_BEST ? " faint" : "");
        dcxi_svg_number(o, " cx=\"", x, "\"");
        dcxi_svg_number(o, " cy=\"", y, "\"/>\n");
    }
    if (s->style == DCX_PLOT_BEST)
        dcxi_svg_curve(o, ax, ay, s, color, DCXI_SVG_BEST);
    else if (s->style != DCX_PLOT_POINTS)
        dcxi_svg_curve(o, ax, ay, s, color, DCXI_SVG_CURVE);
}

/* Rows of swatch and label from (x, y) on; returns the height used. Only measures when o is NULL.
 */
static double dcxi_svg_legend(dcxi_page_out *o, const dcx_plot_desc *p, double left, double right,
                              double y)
{
    int k, labels = 0;
    double x = left, top = y;
    for (k = 0; k < p->series_count; k++) labels += p->series[k].label && *p->series[k].label;
    if (labels < 2) return 0;
    for (k = 0; k < p->series_count; k++) {
        const dcx_plot_series *s = &p->series[k];
        double wide = 34 + 7.2 * dcxi_page_width(s->label) + 16;
        if (!s->label || !*s->label) continue;
        if (x > left && x + wide > right) {
            x = left;
            y += 19;
        }
        if (o && s->style == DCX_PLOT_POINTS) {
            fprintf(o->file, "<circle class=\"f%d\" r=\"3\"", k % 6);
            dcxi_svg_number(o, " cx=\"", x + 13, "\"");
            dcxi_svg_number(o, " cy=\"", y - 4.5, "\"/>\n");
        } else if (o) {
            char kind[32];
            snprintf(kind, sizeof kind, "curve s%d%s", k % 6, s->dashed ? " dashed" : "");
            dcxi_svg_line(o, kind, x, y - 4.5, x + 26, y - 4.5);
        }
        if (o) dcxi_svg_text(o, "label", "start", x + 33, y, s->label);
        x += wide;
    }
    return y - top + 22;
}

/* Ticks wanted on an axis: linear ones say more, so they stand further apart. */
static double dcxi_svg_room(const dcxi_plot_axis *a, double apart)
{
    return fmax(3, fabs(a->from - a->to) / (a->log ? 0.7 * apart : apart));
}

static void dcxi_svg_axes(dcxi_page_out *o, const dcxi_plot_axis *ax, const dcxi_plot_axis *ay)
{
    dcxi_plot_tick tick[DCXI_PLOT_TICKS];
    int i, n = dcxi_plot_ticks(ay, dcxi_svg_room(ay, 50), tick);
    for (i = 0; i < n; i++) {
        dcxi_svg_line(o, "grid", ax->from, tick[i].pixel, ax->to, tick[i].pixel);
        dcxi_svg_text(o, "tick", "end", ax->from - 8, tick[i].pixel + 4.2, tick[i].text);
    }
    dcxi_svg_line(o, "axis", ax->from, ay->from, ax->to, ay->from);
    n = dcxi_plot_ticks(ax, dcxi_svg_room(ax, 80), tick);
    for (i = 0; i < n; i++) {
        dcxi_svg_line(o, "axis", tick[i].pixel, ay->from, tick[i].pixel, ay->from + 5);
        dcxi_svg_text(o, "tick", "middle", tick[i].pixel, ay->from + 19, tick[i].text);
    }
}

static void dcxi_svg_draw(dcxi_page_out *o, const dcx_plot_desc *p)
{
    dcxi_plot_axis ax = {0, 1, INFINITY, -INFINITY, 0, 0}, ay = {0, 0, INFINITY, -INFINITY, 0, 0};
    dcxi_plot_tick tick[DCXI_PLOT_TICKS];
    double top = 18, legend;
    int k, n, wide = 1;
    ax.log = p->log_x;
    ay.log = p->log_y;
    for (k = 0; k < p->series_count; k++) {
        const dcx_plot_series *s = &p->series[k];
        double ends[2];
        ends[0] = 0;
        ends[1] = s->count - 1;
        dcxi_plot_widen(&ax, s->x ? s->x : ends, s->x ? s->count : s->count > 0 ? 2 : 0);
        if (!s->x && s->count > 1 && ax.log && ax.low > 0) ax.low = 0; /* 0 is not shown: from 1 */
        dcxi_plot_widen(&ay, s->y, s->count);
        dcxi_plot_widen(&ay, s->high ? s->low : NULL, s->count);
        dcxi_plot_widen(&ay, s->low ? s->high : NULL, s->count);
    }
    dcxi_plot_range(&ax, p->x_min, p->x_max, 0);
    dcxi_plot_range(&ay, p->y_min, p->y_max, 0.04);
    ay.from = p->height - 52;
    ay.to = 60;
    n = dcxi_plot_ticks(&ay, dcxi_svg_room(&ay, 50), tick);
    for (k = 0; k < n; k++)
        if (dcxi_page_width(tick[k].text) > wide) wide = dcxi_page_width(tick[k].text);
    ax.from = 22 + 7.4 * wide;
    ax.to = p->width - 22;
    if (p->title && *p->title) {
        dcxi_svg_text(o, "title", "start", 16, 27, p->title);
        top += 26;
    }
    legend = dcxi_svg_legend(o, p, 16, p->width - 16, top + 10);
    top += legend;
    if (p->y_label && *p->y_label) {
        dcxi_svg_text(o, "tick", "start", 16, top + 8, p->y_label);
        top += 18;
    }
    ay.to = top + 4;
    dcxi_svg_axes(o, &ax, &ay);
    dcxi_svg_text(o, "tick", "middle", 0.5 * (ax.from + ax.to), p->height - 12, p->x_label);
    dcxi_page_put(o, "<clipPath id=\"area\"><rect");
    dcxi_svg_number(o, " x=\"", ax.from - 4, "\"");
    dcxi_svg_number(o, " y=\"", ay.to - 4, "\"");
    dcxi_svg_number(o, " width=\"", ax.to - ax.from + 8, "\"");
    dcxi_svg_number(o, " height=\"", ay.from - ay.to + 8, "\"/></clipPath>\n");
    dcxi_page_put(o, "<g clip-path=\"url(#area)\">\n");
    for (k = 0; k < p->series_count; k++) dcxi_svg_series(o, &ax, &ay, &p->series[k], k % 6);
    dcxi_page_put(o, "</g>\n");
}

/* Plain colours first, for converters that know no media queries. */
static const char *const dcxi_svg_style[] = {
    "<style>\n",
    "text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial,",
    " sans-serif; font-size: 13px; fill: #59626d; }\n",
    ".title { font-size: 16px; font-weight: 600; fill: #191c20; } .label { fill: #191c20; }\n",
    ".back { fill: #ffffff; } .grid { stroke: #d8dde3; } .axis { stroke: #59626d; }\n",
    ".curve { fill: none; stroke-width: 2; stroke-linejoin: round; }\n",
    ".dashed { stroke-dasharray: 6 4; } .band { opacity: .16; } .faint { opacity: .4; }\n",
    ".s0 { stroke: #2b5c9b; } .s1 { stroke: #c4501f; } .s2 { stroke: #16836a; }\n",
    ".s3 { stroke: #84479b; } .s4 { stroke: #8d7200; } .s5 { stroke: #5b6470; }\n",
    ".f0 { fill: #2b5c9b; } .f1 { fill: #c4501f; } .f2 { fill: #16836a; }\n",
    ".f3 { fill: #84479b; } .f4 { fill: #8d7200; } .f5 { fill: #5b6470; }\n",
    "@media (prefers-color-scheme: dark) {\n",
    "text { fill: #9ca6b1; } .title, .label { fill: #e7eaed; } .back { fill: #111417; }\n",
    ".grid { stroke: #2d343b; } .axis { stroke: #9ca6b1; }\n",
    ".s0 { stroke: #82b1f0; } .s1 { stroke: #f28f63; } .s2 { stroke: #4fc4a4; }\n",
    ".s3 { stroke: #c990df; } .s4 { stroke: #d8bb4d; } .s5 { stroke: #a8b2bd; }\n",
    ".f0 { fill: #82b1f0; } .f1 { fill: #f28f63; } .f2 { fill: #4fc4a4; }\n",
    ".f3 { fill: #c990df; } .f4 { fill: #d8bb4d; } .f5 { fill: #a8b2bd; }\n",
    "}\n</style>\n",
};

dcx_plot_desc dcx_default_plot_desc(void)
{
    dcx_plot_desc d;
    memset(&d, 0, sizeof d);
    d.x_min = d.x_max = d.y_min = d.y_max = NAN;
    d.width = 640;
    d.height = 400;
    return d;
}

int dcx_svg_plot(const char *path, const dcx_plot_desc *desc, char *error, size_t error_bytes)
{
    dcxi_page_out o;
    if (!path || !desc) return dcxi_page_fail(error, error_bytes, "plot: NULL path or desc");
    if (dcxi_page_check_plot(desc, error, error_bytes)) return -1;
    if (!(desc->width >= 160 && desc->width <= 1e5 && desc->height >= 160 && desc->height <= 1e5))
        return dcxi_page_fail(error, error_bytes, "plot: size %g x %g", desc->width, desc->height);
    if (dcxi_page_open(&o, path, error, error_bytes)) return -1;
    dcxi_svg_number(&o, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", desc->width, "\"");
    dcxi_svg_number(&o, " height=\"", desc->height, "\"");
    dcxi_svg_number(&o, " viewBox=\"0 0 ", desc->width, " ");
    dcxi_svg_number(&o, "", desc->height, "\" role=\"img\">\n<title>");
    dcxi_page_text(&o, desc->title && *desc->title ? desc->title : "plot");
    dcxi_page_put(&o, "</title>\n");
    dcxi_page_lines(&o, dcxi_svg_style, sizeof dcxi_svg_style / sizeof *dcxi_svg_style);
    dcxi_page_put(&o, "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n");
    dcxi_svg_draw(&o, desc);
    dcxi_page_put(&o, "</svg>\n");
    return dcxi_page_close(&o, error, error_bytes);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void dcxi_page_put_style(dcxi_page_out *o);
static void dcxi_page_put_script(dcxi_page_out *o);

/* Text as paragraphs, split at empty lines. */
static void dcxi_page_paragraphs(dcxi_page_out *o, const char *start, const char *open)
{
    while (start && *start) {
        const char *end = strstr(start, "\n\n");
        size_t length = end ? (size_t)(end - start) : strlen(start);
        if (length > 0) {
            dcxi_page_put(o, open);
            dcxi_page_text_n(o, start, length, DCXI_PAGE_MARKUP);
            dcxi_page_put(o, "</p>\n");
        }
        start += length;
        while (*start == '\n') start++;
    }
}

static void dcxi_page_put_head(dcxi_page_out *o, const dcx_page_desc *d)
{
    const char *title = d->title && *d->title ? d->title : "diffcloth";
    dcxi_page_put(o, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    dcxi_page_put(o, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    dcxi_page_put(o, "<meta name=\"generator\" content=\"diffcloth\">\n<title>");
    dcxi_page_text(o, title);
    /* An empty icon, else the browser asks for one. */
    dcxi_page_put(o, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    dcxi_page_put_style(o);
    dcxi_page_put(o, "</style>\n</head>\n<body>\n<main");
    if (!d->row_count && !d->chart_count && !d->fact_count) dcxi_page_put(o, " class=\"alone\"");
    dcxi_page_put(o, ">\n<header>\n<h1>");
    dcxi_page_text(o, title);
    dcxi_page_put(o, "</h1>\n");
    dcxi_page_paragraphs(o, d->description, "<p class=\"lead\">");
    dcxi_page_put(o, "</header>\n");
}

static void dcxi_page_put_options(dcxi_page_out *o, const dcx_page_desc *d, int has_target)
{
    int k;
    dcxi_page_put(
        o,
        "<div class=\"bar options\">\n<label>Speed <select id=\"speed\">"
        "<option value=\".1\">\xC3\x97 0.1</option><option value=\".25\">\xC3\x97 0.25</option>"
        "<option value=\".5\">\xC3\x97 0.5</option><option value=\"1\" selected>\xC3\x97 1</option>"
        "<option value=\"2\">\xC3\x97 2</option></select></label>\n");
    if (has_target)
        dcxi_page_put(o, "<label>Target <select id=\"target\"><option value=\"off\">hidden</option>"
                         "<option value=\"overlay\">laid over</option>"
                         "<option value=\"beside\">side by side</option></select></label>\n");
    if (d->arrow_count) {
        dcxi_page_put(o, "<label>Arrows <select id=\"arrows\"><option value=\"-1\">none</option>");
        for (k = 0; k < d->arrow_count; k++) {
            fprintf(o->file, "<option value=\"%d\">", k);
            dcxi_page_text(o, d->arrows[k].label && *d->arrows[k].label ? d->arrows[k].label
                                                                        : "vectors");
            dcxi_page_put(o, "</option>");
        }
        dcxi_page_put(o, "</select></label>\n");
    }
    dcxi_page_put(
        o, "<button id=\"wire\" type=\"button\" aria-pressed=\"false\">Wireframe</button>\n"
           "<button id=\"reset\" type=\"button\" title=\"Reset the view\">Reset</button>\n"
           "<button id=\"save\" type=\"button\" title=\"Save a picture\">Save</button>\n</div>\n");
}

/* Nonzero for a level plane at rest: the script draws it as the floor. */
static int dcxi_page_is_floor(const dcx_page_obstacle *b, int up)
{
    double q[4] = {1, 0, 0, 0}, n[3], size;
    int i;
    if (b->shape != DCX_PAGE_PLANE || b->pose_count > 1) return 0;
    for (i = 0; i < 4 && b->pose_count == 1; i++) q[i] = b->poses[3 + i];
    size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    n[0] = 2 * (q[1] * q[2] - q[0] * q[3]); /* the second column of the rotation */
    n[1] = size - 2 * (q[1] * q[1] + q[3] * q[3]);
    n[2] = 2 * (q[2] * q[3] + q[0] * q[1]);
    return fabs(n[up]) > 0.9999 * size;
}

/* What the colours mean. */
static void dcxi_page_put_key(dcxi_page_out *o, const dcx_page_desc *d, int has_target)
{
    static const char *const names[] = {"sphere", "plane", "capsule", "box", "obstacle"};
    int k, j;
    dcxi_page_put(o, "<div class=\"key\">\n<span><i style=\"background:var(--front)\"></i>"
                     "<i style=\"background:var(--back)\"></i>");
    dcxi_page_text(o, d->label ? d->label : "result");
    dcxi_page_put(o, ", front and back</span>\n");
    if (has_target) {
        dcxi_page_put(o, "<span><i style=\"background:var(--target)\"></i>"
                         "<i style=\"background:var(--target-back)\"></i>");
        dcxi_page_text(o, d->target_label ? d->target_label : "target");
        dcxi_page_put(o, "</span>\n");
    }
    for (k = 0; k < d->obstacle_count; k++) {
        const char *label =
            d->obstacles[k].label ? d->obstacles[k].label : names[d->obstacles[k].shape];
        for (j = 0; j < k; j++) { /* each label once */
            const char *other =
                d->obstacles[j].label ? d->obstacles[j].label : names[d->obstacles[j].shape];
            if (strcmp(label, other) == 0) break;
        }
        if (j < k || dcxi_page_is_floor(&d->obstacles[k], d->up_axis)) continue;
        dcxi_page_put(o, "<span><i style=\"background:var(--solid)\"></i>");
        dcxi_page_text(o, label);
        dcxi_page_put(o, "</span>\n");
    }
    if (d->handle_count) {
        dcxi_page_put(o, "<span><i style=\"background:var(--handle)\"></i>");
        dcxi_page_text(o, d->handle_label ? d->handle_label : "handles");
        dcxi_page_put(o, "</span>\n");
    }
    dcxi_page_put(o, "</div>\n");
}

static void dcxi_page_put_view(dcxi_page_out *o, const dcx_page_desc *d, int has_target)
{
    int k, marked = -1;
    dcxi_page_put(
        o, "<div class=\"main\">\n<section class=\"view\" aria-label=\"Playback\">\n"
           "<div class=\"stage\" id=\"stage\">"
           "<canvas id=\"canvas\" tabindex=\"0\" role=\"img\" aria-label=\"The cloth in 3D: ");
    dcxi_page_text(o, d->title && *d->title ? d->title : "diffcloth");
    dcxi_page_put(o, "\"></canvas>\n<span class=\"pane\" id=\"pane0\" hidden>");
    dcxi_page_text(o, d->label ? d->label : "result");
    dcxi_page_put(o, "</span><span class=\"pane\" id=\"pane1\" hidden>");
    dcxi_page_text(o, d->target_label ? d->target_label : "target");
    if (d->arrow_count) dcxi_page_put(o, "</span><span class=\"pane\" id=\"arrow-note\" hidden>");
    dcxi_page_put(o,
                  "</span>\n<div id=\"message\" role=\"status\" hidden></div>\n"
                  "<noscript><p class=\"pane\">The picture needs JavaScript.</p></noscript></div>\n"
                  "<div class=\"bar\"><button id=\"play\" type=\"button\"");
    if (d->frame_count == 1) dcxi_page_put(o, " disabled");
    dcxi_page_put(o, ">Play</button>\n"
                     "<div class=\"scrub\"><input id=\"scrub\" type=\"range\" min=\"0\" step=\"1\" "
                     "value=\"0\" max=\"");
    dcxi_page_integer(o, d->frame_count - 1);
    dcxi_page_put(o, "\" aria-label=\"Time\">");
    for (k = 0; k < d->arrow_count; k++)
        if (d->arrows[k].frame > 0 && d->arrows[k].frame != marked && d->frame_count > 1) {
            marked = d->arrows[k].frame;
            dcxi_svg_number(o, "<i class=\"mark\" style=\"left:calc(8px + (100% - 16px) * ",
                            (double)marked / (d->frame_count - 1), ")\"></i>");
        }
    dcxi_page_put(o, "</div>\n<output id=\"clock\">\xC2\xA0</output></div>\n");
    dcxi_page_put_options(o, d, has_target);
    dcxi_page_put_key(o, d, has_target);
    dcxi_page_put(
        o,
        "<details><summary>Mouse, touch and keyboard</summary>\n<p>"
        "Drag to turn, right drag or two fingers to move, wheel or pinch to zoom, double click to "
        "reset. <kbd>Space</kbd> play, <kbd>\xE2\x86\x90</kbd> <kbd>\xE2\x86\x92</kbd> one stored "
        "frame, "
        "<kbd>Shift</kbd> and an arrow key turn, <kbd>+</kbd> <kbd>\xE2\x88\x92</kbd> zoom, "
        "<kbd>W</kbd> wireframe, <kbd>R</kbd> reset view, ");
    if (has_target) dcxi_page_put(o, "<kbd>T</kbd> target, ");
    if (d->arrow_count) dcxi_page_put(o, "<kbd>G</kbd> arrows, ");
    if (d->chart_count) dcxi_page_put(o, "<kbd>L</kbd> logarithmic charts, ");
    dcxi_page_put(o, "<kbd>S</kbd> save picture.</p></details>\n</section>\n");
    if (d->notes && *d->notes) {
        dcxi_page_put(o, "<section class=\"text\" aria-label=\"Notes\">\n");
        dcxi_page_paragraphs(o, d->notes, "<p>");
        dcxi_page_put(o, "</section>\n");
    }
    dcxi_page_put(o, "</div>\n");
}

static void dcxi_page_cell(dcxi_page_out *o, const char *open, double x, int digits,
                           const char *after)
{
    char text[DCXI_PAGE_PRETTY];
    dcxi_page_put(o, open);
    dcxi_page_put(o, dcxi_page_pretty(text, x, digits));
    if (x - x == 0) dcxi_page_put(o, after);
    dcxi_page_put(o, "</td>");
}

static void dcxi_page_put_table(dcxi_page_out *o, const dcx_page_desc *d)
{
    int k, start = 0, got = 0, truth = 0, off = 0;
    for (k = 0; k < d->row_count; k++) {
        const dcx_page_row *r = &d->rows[k];
        start |= r->start - r->start == 0;
        got |= r->recovered - r->recovered == 0;
        truth |= r->truth - r->truth == 0;
        off |= r->truth - r->truth == 0 && r->truth != 0 && r->recovered - r->recovered == 0;
    }
    dcxi_page_put(o, "<section>\n<h2>Parameters</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
                     "<th scope=\"col\">parameter</th>");
    if (start) dcxi_page_put(o, "<th scope=\"col\">start</th>");
    if (got) dcxi_page_put(o, "<th scope=\"col\">recovered</th>");
    if (truth) dcxi_page_put(o, "<th scope=\"col\">truth</th>");
    if (off) dcxi_page_put(o, "<th scope=\"col\">error</th>");
    dcxi_page_put(o, "</tr></thead>\n<tbody>\n");
    for (k = 0; k < d->row_count; k++) {
        const dcx_page_row *r = &d->rows[k];
        dcxi_page_put(o, "<tr><th scope=\"row\">");
        dcxi_page_text(o, r->name);
        if (r->unit && *r->unit) {
            dcxi_page_put(o, " <small>");
            dcxi_page_text(o, r->unit);
            dcxi_page_put(o, "</small>");
        }
        dcxi_page_put(o, "</th>");
        if (start) dcxi_page_cell(o, "<td>", r->start, 4, "");
        if (got) dcxi_page_cell(o, "<td class=\"got\">", r->recovered, 5, "");
        if (truth) dcxi_page_cell(o, "<td>", r->truth, 4, "");
        if (off) {
            double percent = r->truth != 0 ? 100 * fabs((r->recovered - r->truth) / r->truth)
                                           : (double)NAN;
            if (percent < 0.01)
                dcxi_page_put(o, "<td>&lt;\xC2\xA0" "0.01\xC2\xA0%</td>");
            else
                dcxi_page_cell(o, "<td>", percent, 2, "\xC2\xA0%");
        }
        dcxi_page_put(o, "</tr>\n");
    }
    dcxi_page_put(o, "</tbody>\n</table></div>\n</section>\n");
}

static void dcxi_page_put_charts(dcxi_page_out *o, const dcx_page_desc *d)
{
    int k, i;
    for (k = 0; k < d->chart_count; k++) {
        const dcx_plot_desc *p = &d->charts[k];
        dcxi_page_put(o, "<figure class=\"chart\">\n<div class=\"chart-head\"><h2>");
        dcxi_page_text(o, p->title ? p->title : "");
        if (p->y_label && *p->y_label) {
            dcxi_page_put(o, " <small>");
            dcxi_page_text(o, p->y_label);
            dcxi_page_put(o, "</small>");
        }
        dcxi_page_put(
            o,
            "</h2><button type=\"button\">log scale</button></div>\n<div class=\"plot\"></div>\n");
        if (p->series_count > 1) dcxi_page_put(o, "<ul class=\"legend\">\n");
        for (i = 0; i < p->series_count && p->series_count > 1; i++) {
            if (!p->series[i].label || !*p->series[i].label) continue;
            fprintf(o->file,
                    "<li><svg viewBox=\"0 0 26 10\" aria-hidden=\"true\"><path d=\"M0 5H26\" "
                    "stroke=\"var(--s%d)\" stroke-width=\"2.5\"%s/></svg>",
                    i % 6,
                    p->series[i].dashed                     ? " stroke-dasharray=\"6 4\""
                    : p->series[i].style == DCX_PLOT_POINTS ? " stroke-dasharray=\"3 8\""
                                                            : "");
            dcxi_page_text(o, p->series[i].label);
            dcxi_page_put(o, "</li>\n");
        }
        if (p->series_count > 1) dcxi_page_put(o, "</ul>\n");
        dcxi_page_put(o, "</figure>\n");
    }
}

static void dcxi_page_put_side(dcxi_page_out *o, const dcx_page_desc *d)
{
    int k;
    if (!d->row_count && !d->chart_count && !d->fact_count) return;
    dcxi_page_put(o, "<div class=\"side\">\n");
    if (d->row_count) dcxi_page_put_table(o, d);
    dcxi_page_put_charts(o, d);
    if (d->fact_count) dcxi_page_put(o, "<section>\n<h2>Numbers</h2>\n<dl>\n");
    for (k = 0; k < d->fact_count; k++) {
        dcxi_page_put(o, "<dt>");
        dcxi_page_text(o, d->facts[k].label);
        dcxi_page_put(o, "</dt><dd>");
        dcxi_page_text(o, d->facts[k].value);
        dcxi_page_put(o, "</dd>\n");
    }
    if (d->fact_count) dcxi_page_put(o, "</dl>\n</section>\n");
    dcxi_page_put(o, "</div>\n");
}

static void dcxi_page_put_foot(dcxi_page_out *o, const dcx_page_desc *d, int stride,
                               const dcxi_page_frames *f)
{
    char text[DCXI_PAGE_PRETTY];
    double step =
        fmax(f->high[0] - f->low[0], fmax(f->high[1] - f->low[1], f->high[2] - f->low[2]));
    dcxi_page_put(o, "<p class=\"note\">");
    if (stride > 1)
        fprintf(o->file, "%d of %d frames are stored and blended between. ",
                dcxi_page_stored(d->frame_count, stride), d->frame_count);
    dcxi_page_put(o, "Coordinates are rounded by at most ");
    dcxi_page_put(o, dcxi_page_pretty(text, step / 131070, 1));
    if (d->length_unit && *d->length_unit) {
        dcxi_page_put(o, "\xC2\xA0");
        dcxi_page_text(o, d->length_unit);
    }
    dcxi_page_put(o, ".<span id=\"grid-note\" data-unit=\"");
    dcxi_page_text(o, d->length_unit);
    dcxi_page_put(o, "\"></span></p>\n");
}

dcx_page_desc dcx_default_page_desc(void)
{
    dcx_page_desc d;
    memset(&d, 0, sizeof d);
    d.up_axis = 1;
    d.floor = 1;
    d.floor_height = NAN;
    d.azimuth = 30;
    d.elevation = 14;
    d.length_unit = "m";
    d.max_bytes = 8000000;
    return d;
}

int dcx_page_stride(const dcx_page_desc *d)
{
    double frame, room, fixed, stored;
    int k, bodies = d->target_frames || d->target_frames_f32 ? 2 : 1;
    if (d->stride > 0) return d->stride;
    if (d->frame_count < 3) return 1;
    frame = 8.0 * d->vertex_count * bodies + 16.0 * d->handle_count;
    fixed = 80e3 + (d->vertex_count <= 65536 ? 8.0 : 16.0) * d->triangle_count;
    for (k = 0; k < d->obstacle_count; k++) {
        if (d->obstacles[k].pose_count > 1) frame += 38;
        if (d->obstacles[k].shape == DCX_PAGE_MESH)
            fixed += 16.0 * ((double)d->obstacles[k].vertex_count + d->obstacles[k].triangle_count);
    }
    fixed += 16.0 * d->vertex_count * d->arrow_count;
    for (k = 0; k < d->chart_count; k++) {
        int i;
        for (i = 0; i < d->charts[k].series_count; i++)
            fixed += 24.0 * d->charts[k].series[i].count;
    }
    room = (double)d->max_bytes - fixed;
    stored = fmax(2, floor(room / frame));
    return (int)fmin(fmax(1, ceil((d->frame_count - 1) / (stored - 1))), d->frame_count - 1);
}

void dcx_page_pose(const double *position, const double *axis, double pose[7])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length, w;
    int c;
    for (c = 0; c < 3; c++) pose[c] = position[c];
    pose[3] = pose[4] = pose[5] = pose[6] = 0;
    if (y < -1 + 1e-12) {
        pose[4] = 1; /* half a turn around x */
        return;
    }
    /* The quaternion half way from +y to the axis: (1 + y . a, y x a), normalised. */
    w = sqrt(2 * (1 + y));
    pose[3] = 0.5 * w;
    pose[4] = z / w;
    pose[6] = -x / w;
}

void dcx_page_ball(dcx_page_obstacle *ball, double pose[7], const char *label,
                   const double *centre, double radius)
{
    const double up[3] = {0, 1, 0};
    memset(ball, 0, sizeof *ball);
    dcx_page_pose(centre, up, pose);
    ball->shape = DCX_PAGE_SPHERE;
    ball->label = label;
    ball->radius = radius;
    ball->pose_count = 1;
    ball->poses = pose;
}

int dcx_page_write(const char *path, const dcx_page_desc *desc, char *error, size_t error_bytes)
{
    dcxi_page_frames cloth, target;
    dcxi_page_out o;
    int stride, has_target;
    if (!path || !desc) return dcxi_page_fail(error, error_bytes, "page: NULL path or desc");
    memset(&cloth, 0, sizeof cloth);
    memset(&target, 0, sizeof target);
    cloth.f64 = desc->frames;
    cloth.f32 = desc->frames_f32;
    target.f64 = desc->target_frames;
    target.f32 = desc->target_frames_f32;
    has_target = target.f64 || target.f32;
    if (dcxi_page_check(desc, &cloth, &target, error, error_bytes)) return -1;
    if (dcxi_page_open(&o, path, error, error_bytes)) return -1;
    stride = dcx_page_stride(desc);
    dcxi_page_put_head(&o, desc);
    dcxi_page_put_view(&o, desc, has_target);
    dcxi_page_put_side(&o, desc);
    dcxi_page_put_foot(&o, desc, stride, &cloth);
    dcxi_page_put(&o, "</main>\n<script id=\"page-data\" type=\"application/json\">\n");
    dcxi_page_put_data(&o, desc, stride, &cloth, &target);
    dcxi_page_put(&o, "\n</script>\n<script>\n");
    dcxi_page_put_script(&o);
    dcxi_page_put(&o, "</script>\n</body>\n</html>\n");
    return dcxi_page_close(&o, error, error_bytes);
}

/* >>style ---- the page's style sheet ---------------------------------------------------------- */

/* clang-format off */
static const char *const dcxi_page_style[] = {
":root {\n",
"  color-scheme: light dark;\n",
"  --bg: #ffffff; --fg: #191c20; --muted: #59626d; --line: #d8dde3; --panel: #f5f6f8;\n",
"  --accent: #2b5c9b; --on-accent: #ffffff;\n",
"  --stage: #e6eaee; --floor: #f4f6f8; --grid: #9aa5b1;\n",
"  --front: #4a7fc1; --back: #d9b384; --wire: #12233b;\n",
"  --target: #1d9a74; --target-back: #7cc7ac;\n",
"  --solid: #a9afb7; --solid-line: #7c848e; --arrow: #c2185b; --handle: #e0a100;\n",
"  --s0: #2b5c9b; --s1: #c4501f; --s2: #16836a; --s3: #84479b; --s4: #8d7200; --s5: #5b6470;\n",
"}\n",
"@media (prefers-color-scheme: dark) {\n",
"  :root {\n",
"    --bg: #111417; --fg: #e7eaed; --muted: #9ca6b1; --line: #2d343b; --panel: #191d21;\n",
"    --accent: #8ab4ec; --on-accent: #0d1726;\n",
"    --stage: #1b2026; --floor: #272d34; --grid: #5d6873;\n",
"    --front: #5b8fd1; --back: #d3a263; --wire: #06101d;\n",
"    --target: #35b58d; --target-back: #8bd3bb;\n",
"    --solid: #767e88; --solid-line: #535b65; --arrow: #ff5c93; --handle: #ffc933;\n",
"    --s0: #82b1f0; --s1: #f28f63; --s2: #4fc4a4; --s3: #c990df; --s4: #d8bb4d; --s5: #a8b2bd;\n",
"  }\n",
"}\n",
"* { box-sizing: border-box; }\n",
"html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }\n",
"body {\n",
"  margin: 0; background: var(--bg); color: var(--fg);\n",
"  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial,\n",
"    sans-serif;\n",
"}\n",
"main { max-width: 82rem; margin: 0 auto; padding: 1.25rem 1rem 2rem; }\n",
"h1 { margin: 0; font-size: 1.5rem; line-height: 1.2; font-weight: 650; letter-spacing: -.012em;\n",
"  text-wrap: balance; overflow-wrap: anywhere; }\n",
"h2 { margin: 0 0 .4rem; font-size: .9375rem; line-height: 1.4; font-weight: 650; }\n",
".lead { margin: .3rem 0 0; max-width: 78ch; color: var(--muted); text-wrap: pretty; }\n",
".stage { position: relative; height: 26rem; max-height: 62vh; min-height: 17rem;\n",
"  background: var(--stage); border-radius: 6px; overflow: hidden; }\n",
"canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none;\n",
"  cursor: grab; }\n",
"canvas:active { cursor: grabbing; }\n",
".pane { position: absolute; top: .6rem; padding: .05rem .5rem; border-radius: 3px;\n",
"  background: var(--bg); color: var(--fg); font-size: .8125rem; pointer-events: none; }\n",
"#arrow-note { top: auto; bottom: .6rem; right: .6rem; max-width: calc(100% - 7rem);\n",
"  border-left: 4px solid var(--arrow); }\n",
"#message { position: absolute; left: .6rem; right: .6rem; bottom: .6rem; width: fit-content;\n",
"  max-width: 46ch; padding: .3rem .6rem; border-radius: 3px; background: var(--bg);\n",
"  color: var(--fg); font-size: .8125rem; }\n",
"[hidden] { display: none !important; }\n",
".bar { display: flex; flex-wrap: wrap; gap: .4rem .5rem; align-items: center;\n",
"  padding: .5rem 0 .2rem; }\n",
".bar label { display: inline-flex; align-items: center; gap: .35rem; }\n",
".bar, .key, .note { font-size: .8125rem; }\n",
"button, select { min-height: 2.125rem; padding: 0 .7rem; font: inherit; color: var(--fg);\n",
"  background: var(--panel); border: 1px solid var(--line); border-radius: 5px;\n",
"  cursor: pointer; touch-action: manipulation; }\n",
"select { padding: 0 .4rem; max-width: 9rem; }\n",
"button:hover, select:hover { border-color: var(--muted); }\n",
"button[aria-pressed=true] { border-color: var(--accent);\n",
"  box-shadow: inset 0 0 0 1px var(--accent); }\n",
"button:disabled { opacity: .5; cursor: default; }\n",
":focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\n",
"canvas:focus-visible { outline-offset: -3px; }\n",
"#play { width: 5.5rem; background: var(--accent); border-color: var(--accent);\n",
"  color: var(--on-accent); font-weight: 600; }\n",
".scrub { position: relative; flex: 1 1 10rem; min-width: 8rem; height: 2.125rem; }\n",
"#scrub { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0;\n",
"  accent-color: var(--accent); cursor: pointer; touch-action: none; }\n",
".mark { position: absolute; bottom: 0; width: 2px; height: .5rem; margin-left: -1px;\n",
"  background: var(--arrow); pointer-events: none; }\n",
"#clock { min-width: 10.5rem; text-align: right; font-variant-numeric: tabular-nums;\n",
"  white-space: nowrap; }\n",
".options { justify-content: flex-start; }\n",
".key { display: flex; flex-wrap: wrap; gap: .15rem 1rem; min-height: 1.5em;\n",
"  padding-top: .35rem;  color: var(--muted); }\n",
".key span { display: inline-flex; align-items: center; gap: .4rem; }\n",
".key i { width: .8rem; height: .8rem; border-radius: 2px; }\n",
".key i + i { margin-left: -.4rem; }\n",
"details { margin-top: .5rem; font-size: .8125rem; color: var(--muted); }\n",
"summary { cursor: pointer; width: fit-content; }\n",
"kbd { font: inherit; padding: 0 .3rem; border: 1px solid var(--line); border-radius: 3px;\n",
"  color: var(--fg); }\n",
"details p { margin: .35rem 0 0; line-height: 1.9; max-width: 78ch; }\n",
".side > section, .side > figure { margin: 1.75rem 0 0; }\n",
".scroll { overflow-x: auto; }\n",
"table { width: 100%; border-collapse: collapse; font-size: .75rem;\n",
"  font-variant-numeric: tabular-nums; }\n",
"th, td { padding: .3rem 0 .3rem .5rem; text-align: right; white-space: nowrap;\n",
"  border-bottom: 1px solid var(--line); font-weight: 400; }\n",
"thead th { color: var(--muted); font-size: .75rem; border-color: var(--muted);\n",
"  vertical-align: bottom; }\n",
"th:first-child { text-align: left; padding-left: 0; white-space: normal; }\n",
"td.got { font-weight: 650; }\n",
"small { color: var(--muted); font-size: .75rem; font-weight: 400; white-space: nowrap; }\n",
"dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0;\n",
"  font-size: .875rem; font-variant-numeric: tabular-nums; }\n",
"dt { color: var(--muted); }\n",
"dd { margin: 0; text-align: right; overflow-wrap: anywhere; }\n",
".text p { margin: 0 0 .6rem; max-width: 78ch; font-size: .9375rem; text-wrap: pretty; }\n",
".text { margin-top: 1.5rem; }\n",
"figure { position: relative; }\n",
".chart-head { display: flex; align-items: flex-start; justify-content: space-between;\n",
"  gap: 1rem; }\n",
".chart-head button { flex: none; min-height: 1.75rem; padding: 0 .5rem; font-size: .8125rem; }\n",
".plot { position: relative; height: 13.5rem; }\n",
".plot svg { display: block; width: 100%; height: 100%; overflow: visible; }\n",
".plot text { font-size: 12px; fill: var(--muted); font-variant-numeric: tabular-nums; }\n",
".tip { position: absolute; top: 0; padding: .2rem .5rem; border: 1px solid var(--line);\n",
"  border-radius: 3px; background: var(--bg); font-size: .8125rem; line-height: 1.4;\n",
"  white-space: pre; pointer-events: none; font-variant-numeric: tabular-nums; }\n",
".legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .2rem 0 0; padding: 0;\n",
"  list-style: none; font-size: .8125rem; }\n",
".legend svg { width: 1.6rem; height: .7rem; margin-right: .4rem; vertical-align: -.05rem; }\n",
".note { margin: 1.75rem 0 0; color: var(--muted); }\n",
"@media (min-width: 60rem) {\n",
"  main { display: grid; grid-template-columns: minmax(0, 1fr) 25rem; column-gap: 2.25rem;\n",
"    padding: 1.5rem 2rem 2rem; align-items: start; }\n",
"  header, .note { grid-column: 1 / -1; }\n",
"  .alone { grid-template-columns: minmax(0, 1fr); }\n",
"  header { margin-bottom: 1rem; }\n",
"  .stage { height: calc(100vh - 17rem); max-height: 44rem; min-height: 22rem; }\n",
"  .side > :first-child { margin-top: 0; }\n",
"}\n",
"@media (max-width: 59.99rem) {\n",
"  .view { margin-top: 1rem; }\n",
"  #play { order: 1; } #clock { order: 2; flex: 1; } .scrub { order: 3; flex-basis: 100%; }\n",
"}\n",
};

/* >>script ---- the page's script ---------------------------------------------------------------
   ES2015 and WebGL 1, no double quotes so that little needs escaping here. Data flows one way:
   stored numbers -> state at a frame -> renderer; the two renderers draw the same `shot`. */

static const char *const dcxi_page_script[] = {
"(() => {\n",
"'use strict';\n",
"const data = JSON.parse(document.getElementById('page-data').textContent);\n",
"// ---- the stored numbers: base64 of little-endian words ----------------------------------\n",
"function words(text, size, get) {\n",
"  const raw = atob(text), bytes = new Uint8Array(raw.length);\n",
"  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);\n",
"  const view = new DataView(bytes.buffer);\n",
"  return (out) => {\n",
"    for (let i = 0; i < out.length; i++) out[i] = view[get](i * size, true);\n",
"    return out;\n",
"  };\n",
"}\n",
"const count = (text, size) =>\n",
"  (text.length / 4 * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)) / size;\n",
"const u16 = (s) => words(s, 2, 'getUint16')(new Uint16Array(count(s, 2)));\n",
"const u32 = (s) => words(s, 4, 'getUint32')(new Uint32Array(count(s, 4)));\n",
"const f32 = (s) => words(s, 4, 'getFloat32')(new Float32Array(count(s, 4)));\n",
"\n",
"// ---- vectors and 4x4 matrices (by columns, as WebGL reads them) --------------------------\n",
"const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];\n",
"const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];\n",
"const mad = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];\n",
"const cross = (a, b) =>\n",
"  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];\n",
"const unit = (a) => mad([0, 0, 0], 1 / (Math.hypot(a[0], a[1], a[2]) || 1), a);\n",
"const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];\n",
"function mul(a, b) {\n",
"  const c = new Array(16);\n",
"  for (let j = 0; j < 4; j++)\n",
"    for (let i = 0; i < 4; i++)\n",
"      c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] +\n",
"        a[12 + i] * b[4 * j + 3];\n",
"  return c;\n",
"}\n",
"const apply = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] +\n",
"  m[12 + i]);\n",
"function look(eye, ahead, above) { // ahead: unit direction of sight\n",
"  const r = unit(cross(ahead, above)), u = cross(r, ahead);\n",
"  return [r[0], u[0], -ahead[0], 0, r[1], u[1], -ahead[1], 0, r[2], u[2], -ahead[2], 0,\n",
"    -dot(r, eye), -dot(u, eye), dot(ahead, eye), 1];\n",
"}\n",
"const perspective = (tx, ty, n, f) =>\n",
"  [1 / tx, 0, 0, 0, 0, 1 / ty, 0, 0, 0, 0, (f + n) / (n - f), -1, 0, 0, 2 * f * n / (n - f),\n",
"    0];\n",
"const box = (r, n, f) =>\n",
"  [1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (f - n), 0, 0, 0, -(f + n) / (f - n), 1];\n",
"\n",
"// ---- the scene --------------------------------------------------------------------------\n",
"const N = data.vertices, last = data.frames - 1, dt = data.dt, stored = data.stored;\n",
"const triangles = Uint32Array.from((data.indexBits === 16 ? u16 : u32)(data.triangles));\n",
"const up = data.up, X = [0, 0, 0], Y = [0, 0, 0], Z = [0, 0, 0]; // Y points up\n",
"X[(up + 2) % 3] = Y[up] = Z[(up + 1) % 3] = 1;\n",
"\n",
"const at = (s) => Math.min(s * data.stride, last); // frame number of stored frame s\n",
"function place(frame) { // the stored frame before `frame` and the share of the next\n",
"  const s = Math.min(Math.floor(frame / data.stride), Math.max(stored - 2, 0));\n",
"  const gap = at(Math.min(s + 1, stored - 1)) - at(s);\n",
"  return [s, gap > 0 ? (frame - at(s)) / gap : 0];\n",
"}\n",
"function body(spec) {\n",
"  const q = u16(spec.q), pos = new Float32Array(3 * N), nrm = new Float32Array(3 * N);\n",
"  const put = (frame) => {\n",
"    const [s, f] = place(frame), a = 3 * N * s, b = f > 0 ? a + 3 * N : a;\n",
"    for (let i = 0, c = 0; i < 3 * N; i++, c = c === 2 ? 0 : c + 1)\n",
"      pos[i] = spec.min[c] + spec.step[c] * (q[a + i] + f * (q[b + i] - q[a + i]));\n",
"    normals(pos, triangles, nrm);\n",
"  };\n",
"  return { pos, nrm, put, label: spec.label };\n",
"}\n",
"function normals(pos, tri, nrm) { // sums of twice the triangle areas: larger ones count more\n",
"  nrm.fill(0);\n",
"  for (let t = 0; t < tri.length; t += 3) {\n",
"    const a = 3 * tri[t], b = 3 * tri[t + 1], c = 3 * tri[t + 2];\n",
"    const ux = pos[b] - pos[a], uy = pos[b + 1] - pos[a + 1], uz = pos[b + 2] - pos[a + 2];\n",
"    const vx = pos[c] - pos[a], vy = pos[c + 1] - pos[a + 1], vz = pos[c + 2] - pos[a + 2];\n",
"    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;\n",
"    for (const v of [a, b, c]) { nrm[v] += x; nrm[v + 1] += y; nrm[v + 2] += z; }\n",
"  }\n",
"  for (let i = 0; i < nrm.length; i += 3) {\n",
"    const l = Math.hypot(nrm[i], nrm[i + 1], nrm[i + 2]);\n",
"    if (l > 0) { nrm[i] /= l; nrm[i + 1] /= l; nrm[i + 2] /= l; } else nrm[i + up] = 1;\n",
"  }\n",
"}\n",
"function surfaceArea(pos, tri) {\n",
"  let sum = 0;\n",
"  const p = (i) => [pos[3 * i], pos[3 * i + 1], pos[3 * i + 2]];\n",
"  for (let t = 0; t < tri.length; t += 3) {\n",
"    const a = p(tri[t]);\n",
"    sum += Math.hypot(...cross(sub(p(tri[t + 1]), a), sub(p(tri[t + 2]), a))) / 2;\n",
"  }\n",
"  return sum;\n",
"}\n",
"function edges(tri) {\n",
"  const seen = new Set(), out = [];\n",
"  for (let t = 0; t < tri.length; t += 3)\n",
"    for (let e = 0; e < 3; e++) {\n",
"      const a = tri[t + e], b = tri[t + (e + 1) % 3], k = Math.min(a, b) * N + Math.max(a, b);\n",
"      if (!seen.has(k)) { seen.add(k); out.push(a, b); }\n",
"    }\n",
"  return new Uint32Array(out);\n",
"}\n",
"\n",
"// ---- obstacle shapes: triangle meshes around their own origin ----------------------------\n",
"function grid(rows, cols, point) { // point(i, j) -> [position, normal]\n",
"  const pos = [], nrm = [], tri = [];\n",
"  for (let i = 0; i <= rows; i++)\n",
"    for (let j = 0; j <= cols; j++) {\n",
"      const [p, n] = point(i / rows, j / cols), k = i * (cols + 1) + j;\n",
"      pos.push(...p);\n",
"      nrm.push(...n);\n",
"      const below = k + cols + 1;\n",
"      if (i < rows && j < cols) tri.push(k, below, k + 1, k + 1, below, below + 1);\n",
"    }\n",
"  return { pos: new Float32Array(pos), nrm: new Float32Array(nrm), tri: new Uint32Array(tri) };\n",
"}\n",
"// Around y; half: of the axis between the two centres; fine: rings per quarter turn.\n",
"function capsule(radius, half, fine = 12) {\n",
"  const rings = 2 * fine + (half > 0 ? 1 : 0);\n",
"  return grid(rings, 4 * fine, (i, j) => {\n",
"    const r = Math.round(i * rings), low = r > fine, k = low && half > 0 ? r - 1 : r;\n",
"    const a = Math.PI * k / (2 * fine), b = 2 * Math.PI * j;\n",
"    const n = [Math.sin(a) * Math.sin(b), Math.cos(a), Math.sin(a) * Math.cos(b)];\n",
"    return [[radius * n[0], radius * n[1] + (low ? -half : half), radius * n[2]], n];\n",
"  });\n",
"}\n",
"const sheet = (sx, sz) =>\n",
"  grid(20, 20, (i, j) => [[sx * (2 * j - 1), 0, sz * (2 * i - 1)], [0, 1, 0]]);\n",
"function cuboid(h) {\n",
"  const parts = [];\n",
"  for (let c = 0; c < 3; c++)\n",
"    for (const sign of [1, -1])\n",
"      parts.push(grid(4, 4, (i, j) => {\n",
"        const p = [0, 0, 0], n = [0, 0, 0], a = (c + 1) % 3, b = (c + 2) % 3;\n",
"        n[c] = sign;\n",
"        p[c] = sign * h[c];\n",
"        p[a] = h[a] * (2 * i - 1);\n",
"        p[b] = sign * h[b] * (2 * j - 1);\n",
"        return [p, n];\n",
"      }));\n",
"  return join(parts);\n",
"}\n",
"function join(parts) {\n",
"  const all = { pos: [], nrm: [], tri: [] };\n",
"  for (const m of parts) {\n",
"    const base = all.pos.length / 3;\n",
"    for (const x of m.pos) all.pos.push(x);\n",
"    for (const x of m.nrm) all.nrm.push(x);\n",
"    for (const x of m.tri) all.tri.push(base + x);\n",
"  }\n",
"  return { pos: new Float32Array(all.pos), nrm: new Float32Array(all.nrm),\n",
"    tri: new Uint32Array(all.tri) };\n",
"}\n",
"function given(spec) {\n",
"  const m = { pos: f32(spec.vertices), tri: u32(spec.triangles) };\n",
"  m.nrm = new Float32Array(m.pos.length);\n",
"  normals(m.pos, m.tri, m.nrm);\n",
"  return m;\n",
"}\n",
"function shape(spec, shrink) {\n",
"  // Curved shapes are drawn a little smaller: the edges of a coarse cloth are chords of the\n",
"  // round contact surface and would otherwise sink into the picture of it.\n",
"  const r = spec.radius, thin = r > 0 ? Math.min(shrink / r, .03 * r) : 0;\n",
"  if (spec.shape === 'sphere') return capsule(r - thin, 0);\n",
"  if (spec.shape === 'capsule') return capsule(r - thin, spec.size[1]);\n",
"  if (spec.shape === 'box') return cuboid(spec.size);\n",
"  if (spec.shape === 'plane') return sheet(spec.size[0], spec.size[2]);\n",
"  return given(spec);\n",
"}\n",
"// From positions and quaternions (w, x, y, z) p: stored pose k, blended by f with the next.\n",
"function poseMatrix(p, k, f) {\n",
"  const v = [], n = p.length / 7, a = 7 * Math.min(k, n - 1), b = 7 * Math.min(k + 1, n - 1);\n",
"  let side = 0;\n",
"  for (let i = 3; i < 7; i++) side += p[a + i] * p[b + i];\n",
"  for (let i = 0; i < 7; i++) // q and -q are the same turn: blend along the shorter way\n",
"    v.push(p[a + i] + f * ((i > 2 && side < 0 ? -1 : 1) * p[b + i] - p[a + i]));\n",
"  const l = Math.hypot(v[3], v[4], v[5], v[6]) || 1;\n",
"  const [w, x, y, z] = v.slice(3).map((c) => c / l);\n",
"  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,\n",
"    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,\n",
"    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, v[0], v[1], v[2], 1];\n",
"}\n",
"\n",
"// ---- sizes that the view depends on -----------------------------------------------------\n",
"const cloth = body(data.cloth), target = data.target ? body(data.target) : null;\n",
"const bodies = target ? [cloth, target] : [cloth];\n",
"const wires = edges(triangles);\n",
"const samples = []; // points that the first view must show\n",
"const extent = { lo: [1e30, 1e30, 1e30], hi: [-1e30, -1e30, -1e30] };\n",
"function widen(p) {\n",
"  for (let c = 0; c < 3; c++) {\n",
"    extent.lo[c] = Math.min(extent.lo[c], p[c]);\n",
"    extent.hi[c] = Math.max(extent.hi[c], p[c]);\n",
"  }\n",
"}\n",
"let clothRadius = 0;\n",
"const skip = Math.max(1, Math.floor(N / 200)), times = Math.min(stored, 25);\n",
"for (let k = 0; k < times; k++)\n",
"  for (const b of bodies) {\n",
"    b.put(at(times > 1 ? Math.round(k * (stored - 1) / (times - 1)) : 0));\n",
"    const lo = [1e30, 1e30, 1e30], hi = [-1e30, -1e30, -1e30];\n",
"    for (let i = 0; i < 3 * N; i++) {\n",
"      lo[i % 3] = Math.min(lo[i % 3], b.pos[i]);\n",
"      hi[i % 3] = Math.max(hi[i % 3], b.pos[i]);\n",
"    }\n",
"    widen(lo);\n",
"    widen(hi);\n",
"    clothRadius = Math.max(clothRadius, Math.hypot(...sub(hi, lo)) / 2);\n",
"    for (let i = 0; i < 3 * N; i += 3 * skip) samples.push(Array.from(b.pos.slice(i, i + 3)));\n",
"  }\n",
"clothRadius = clothRadius || 1;\n",
"cloth.put(0);\n",
"let edgeSquare = 0;\n",
"for (let e = 0; e < wires.length; e++) {\n",
"  const a = 3 * wires[e], b = 3 * wires[e ^ 1];\n",
"  for (let c = 0; c < 3; c++) edgeSquare += (cloth.pos[a + c] - cloth.pos[b + c]) ** 2;\n",
"}\n",
"edgeSquare /= Math.max(wires.length, 1); // a chord of length e lies e^2 / 8r inside the arc\n",
"let level = null; // height of the floor\n",
"const clothSamples = samples.slice();\n",
"function patch(m) { // of a plane: as large as the way of the cloth over it\n",
"  const lo = [1e30, 0, 1e30], hi = [-1e30, 0, -1e30];\n",
"  for (const p of clothSamples)\n",
"    for (const c of [0, 2]) {\n",
"      const x = dot(m.slice(4 * c, 4 * c + 3), sub(p, m.slice(12, 15)));\n",
"      lo[c] = Math.min(lo[c], x);\n",
"      hi[c] = Math.max(hi[c], x);\n",
"    }\n",
"  const more = .05 * Math.max(hi[0] - lo[0], hi[2] - lo[2]) + .15 * clothRadius;\n",
"  const mesh = sheet((hi[0] - lo[0]) / 2 + more, (hi[2] - lo[2]) / 2 + more);\n",
"  for (let i = 0; i < mesh.pos.length; i += 3)\n",
"    for (const c of [0, 2]) mesh.pos[i + c] += (lo[c] + hi[c]) / 2;\n",
"  return mesh;\n",
"}\n",
"function levelEdges(poses) { // spins a plane in itself until its local x is horizontal\n",
"  const m = poseMatrix(poses, 0, 0), a = Math.atan2(m[up], m[8 + up]) / 2;\n",
"  const c = Math.cos(a), s = Math.sin(a);\n",
"  for (let i = 3; i < poses.length; i += 7) {\n",
"    const [w, x, y, z] = poses.slice(i, i + 4);\n",
"    poses.set([c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x], i);\n",
"  }\n",
"}\n",
"const solids = data.obstacles.map((spec) => {\n",
"  const poses = f32(spec.poses), o = { spec, poses };\n",
"  const own = spec.shape === 'plane' && !spec.size[0] && !spec.size[2]; // our choice of patch\n",
"  if (own) levelEdges(poses);\n",
"  o.matrix = poseMatrix(poses, 0, 0);\n",
"  o.isFloor = spec.shape === 'plane' && poses.length === 7 &&\n",
"    Math.abs(o.matrix[4 + up]) > .9999;\n",
"  o.mesh = own ? patch(o.matrix) : shape(spec, .3 * edgeSquare);\n",
"  o.size = 0;\n",
"  for (let i = 0; i < o.mesh.pos.length; i += 3)\n",
"    o.size = Math.max(o.size, Math.hypot(...o.mesh.pos.subarray(i, i + 3)));\n",
"  const every = Math.max(1, Math.floor(o.mesh.pos.length / 900));\n",
"  if (spec.shape !== 'plane')\n",
"    for (let k = 0; k < stored; k += Math.max(1, Math.floor(stored / 12))) {\n",
"      const mk = poseMatrix(poses, k, 0);\n",
"      for (let i = 0; i < o.mesh.pos.length; i += 3 * every) {\n",
"        const p = apply(mk, o.mesh.pos.subarray(i, i + 3));\n",
"        widen(p);\n",
"        samples.push(p);\n",
"      }\n",
"    }\n",
"  return o;\n",
"});\n",
"const handles = data.handles ? { xyz: f32(data.handles.xyz), n: data.handles.count } : null;\n",
"if (handles)\n",
"  for (let i = 0; i < handles.xyz.length; i += 3) {\n",
"    const p = Array.from(handles.xyz.slice(i, i + 3));\n",
"    widen(p);\n",
"    samples.push(p);\n",
"  }\n",
"const centre = extent.lo.map((x, c) => (x + extent.hi[c]) / 2);\n",
"const radius = Math.hypot(...sub(extent.hi, extent.lo)) / 2 || 1;\n",
"for (const o of solids) if (o.isFloor) level = o.matrix[12 + up];\n",
"if (level === null && data.ground !== false)\n",
"  level = typeof data.ground === 'number' ? data.ground\n",
"    : extent.lo[up] - .04 * (extent.hi[up] - extent.lo[up]) - .01 * radius;\n",
"function round125(x) {\n",
"  const p = 10 ** Math.floor(Math.log10(x)), m = x / p;\n",
"  return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * p;\n",
"}\n",
"const cell = round125(clothRadius / 3), floorReach = 2.8 * radius;\n",
"const floorCell = round125(Math.max(clothRadius / 3, floorReach / 40));\n",
"const toLight = unit(mad(mad(mad([0, 0, 0], .5, X), 1, Y), .75, Z));\n",
"const onFloor = (x, z) => mad(mad(mad([0, 0, 0], level, Y), x, X), z, Z);\n",
"function floorSheet() {\n",
"  const x = dot(centre, X), z = dot(centre, Z), r = floorReach, pos = [], nrm = [];\n",
"  for (const [i, j] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {\n",
"    pos.push(...onFloor(x + r * i, z + r * j));\n",
"    nrm.push(...Y);\n",
"  }\n",
"  return { pos: new Float32Array(pos), nrm: new Float32Array(nrm) };\n",
"}\n",
"function floorLines() { // chords of a circle, at whole multiples of the cell\n",
"  if (level === null) return null;\n",
"  const c = [dot(centre, X), dot(centre, Z)], r = .9 * floorReach, out = [];\n",
"  for (let k = 0; k < 2; k++)\n",
"    for (let i = Math.ceil((c[k] - r) / floorCell); i * floorCell <= c[k] + r; i++) {\n",
"      const at = i * floorCell, half = Math.sqrt(Math.max(0, r * r - (at - c[k]) ** 2));\n",
"      for (let end = 0; end < 24; end++) { // of 12 pieces\n",
"        const along = c[1 - k] + half * ((end + 1 >> 1) / 6 - 1);\n",
"        out.push(...(k ? onFloor(along, at) : onFloor(at, along)));\n",
"      }\n",
"    }\n",
"  return new Float32Array(out);\n",
"}\n",
"\n",
"// ---- what is on screen: the state at one moment ------------------------------------------\n",
"const marker = capsule(.016 * Math.min(radius, 1.5 * clothRadius), 0, 4);\n",
"function handleMesh(frame) {\n",
"  if (!handles) return null;\n",
"  const [s, f] = place(frame), a = 3 * handles.n * s, b = f > 0 ? a + 3 * handles.n : a;\n",
"  const parts = [];\n",
"  for (let h = 0; h < handles.n; h++) {\n",
"    const c = [0, 1, 2].map((k) => {\n",
"      const from = handles.xyz[a + 3 * h + k];\n",
"      return from + f * (handles.xyz[b + 3 * h + k] - from);\n",
"    });\n",
"    parts.push(Object.assign({}, marker, { pos: marker.pos.map((x, i) => x + c[i % 3]) }));\n",
"  }\n",
"  return join(parts);\n",
"}\n",
"function handlePaths() { // line segments from stored frame to stored frame\n",
"  if (!handles || stored < 2) return null;\n",
"  const out = [];\n",
"  const p = (s, h) => handles.xyz.subarray(3 * (handles.n * s + h)).subarray(0, 3);\n",
"  for (let h = 0; h < handles.n; h++)\n",
"    for (let s = 0; s + 1 < stored; s++) out.push(...p(s, h), ...p(s + 1, h));\n",
"  return new Float32Array(out);\n",
"}\n",
"const paths = handlePaths(), lines = floorLines();\n",
"const arrowSets = data.arrows.map((spec) => {\n",
"  const v = f32(spec.vectors), size = (i) => Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]);\n",
"  cloth.put(spec.frame < 0 ? 0 : spec.frame);\n",
"  // From the longest down, leaving out those that crowd one already taken.\n",
"  const order = Array.from({ length: N }, (_, i) => i).sort((i, j) => size(j) - size(i));\n",
"  const longest = size(order[0]), taken = [];\n",
"  const apart = surfaceArea(cloth.pos, triangles) / 900; // distance squared\n",
"  for (const i of order) {\n",
"    if (!(size(i) > .02 * longest)) break;\n",
"    const p = cloth.pos.subarray(3 * i, 3 * i + 3);\n",
"    const free = (j) => (p[0] - cloth.pos[3 * j]) ** 2 + (p[1] - cloth.pos[3 * j + 1]) ** 2 +\n",
"      (p[2] - cloth.pos[3 * j + 2]) ** 2 > apart;\n",
"    if (taken.every(free)) taken.push(i);\n",
"  }\n",
"  return { spec, v, longest, taken };\n",
"});\n",
"cloth.put(0);\n",
"const SIDES = 6; // of the prism and of the cone\n",
"// Rings of an arrow from tail to tip: shares of the shaft's length and radius, of the head's\n",
"// length and radius, and the normal along and outwards.\n",
"const RINGS = [[0, 0, 0, 0, -1, 0], [0, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1],\n",
"  [1, 0, 0, 1, .34, .94], [1, 0, 1, 0, .34, .94]];\n",
"function arrowIndices(n) {\n",
"  const tri = new Uint32Array(n * 6 * SIDES * (RINGS.length - 1)), per = SIDES * RINGS.length;\n",
"  let t = 0;\n",
"  for (let k = 0; k < n; k++)\n",
"    for (let r = 0; r + 1 < RINGS.length; r++)\n",
"      for (let s = 0; s < SIDES; s++) {\n",
"        const a = k * per + r * SIDES + s, b = k * per + r * SIDES + (s + 1) % SIDES;\n",
"        tri.set([a, b, a + SIDES, b, b + SIDES, a + SIDES], t);\n",
"        t += 6;\n",
"      }\n",
"  return tri;\n",
"}\n",
"function arrowMesh(set) { // the longest arrow gets .35 of the cloth's radius\n",
"  const n = set.taken.length, size = 3 * n * SIDES * RINGS.length, scale = .35 * clothRadius;\n",
"  const pos = new Float32Array(size), nrm = new Float32Array(size);\n",
"  const thick = .0055 * clothRadius;\n",
"  set.tri = set.tri || arrowIndices(n);\n",
"  let k = 0;\n",
"  for (const i of set.taken) {\n",
"    const o = cloth.pos.subarray(3 * i, 3 * i + 3), g = set.v.subarray(3 * i, 3 * i + 3);\n",
"    const len = Math.hypot(g[0], g[1], g[2]) / set.longest * scale, d = unit(g);\n",
"    const u = unit(cross(d, Math.abs(d[0]) < .7 ? [1, 0, 0] : [0, 1, 0])), v = cross(d, u);\n",
"    const head = Math.min(.45 * len, 7 * thick), wide = .36 * head;\n",
"    const thin = Math.min(thick, .5 * wide);\n",
"    for (const [along, out, tip, broad, na, no] of RINGS)\n",
"      for (let s = 0; s < SIDES; s++, k += 3) {\n",
"        const cos = Math.cos(2 * Math.PI * s / SIDES), sin = Math.sin(2 * Math.PI * s / SIDES);\n",
"        const l = along * (len - head) + tip * head, w = out * thin + broad * wide;\n",
"        for (let c = 0; c < 3; c++) {\n",
"          const r = cos * u[c] + sin * v[c];\n",
"          pos[k + c] = o[c] + l * d[c] + w * r;\n",
"          nrm[k + c] = na * d[c] + no * r;\n",
"        }\n",
"      }\n",
"  }\n",
"  return { pos, nrm, tri: set.tri };\n",
"}\n",
"// ---- drawing with WebGL -----------------------------------------------------------------\n",
"const vertexText = `\n",
"attribute vec3 aPos, aNrm;\n",
"uniform mat4 uModel, uView, uProj;\n",
"uniform float uNudge;\n",
"varying vec3 vNrm, vWorld, vLocal;\n",
"void main() {\n",
"  vec4 world = uModel * vec4(aPos, 1.), eye = uView * world, clip = uProj * eye;\n",
"  // uNudge brings the cloth nearer in depth only: what it lies on must not show through.\n",
"  vec4 near = uProj * vec4(eye.xy, eye.z + uNudge, 1.);\n",
"  vLocal = aPos;\n",
"  vWorld = world.xyz;\n",
"  vNrm = (uModel * vec4(aNrm, 0.)).xyz;\n",
"  gl_Position = vec4(clip.xy, near.z / near.w * clip.w, clip.w);\n",
"}`;\n",
"const shadowText = `\n",
"precision highp float;\n",
"uniform mat4 uShadow;\n",
"uniform sampler2D uDepth;\n",
"uniform float uTexels, uShadowOn;\n",
"float lit(vec2 uv, float d) {\n",
"  return step(d, dot(texture2D(uDepth, uv), vec4(1., 1. / 255., 1. / 65025., 1. / 16581375.)));\n",
"}\n",
"float light(vec3 p) { // share of the key light that arrives: 4 x 4 texels, weighted smoothly\n",
"  vec3 s = (uShadow * vec4(p, 1.)).xyz * .5 + .5;\n",
"  if (uShadowOn < .5 || max(abs(s.x - .5), abs(s.y - .5)) > .49) return 1.;\n",
"  s.z = min(s.z, .9999); // the map ends there: behind it, nothing throws a shadow\n",
"  vec2 t = s.xy * uTexels - .5, f = fract(t), c = (floor(t) - .5) / uTexels;\n",
"  float sum = 0.;\n",
"  for (int j = 0; j < 4; j++)\n",
"    for (int i = 0; i < 4; i++) {\n",
"      float wx = i == 0 ? 1. - f.x : i == 3 ? f.x : 1.;\n",
"      float wy = j == 0 ? 1. - f.y : j == 3 ? f.y : 1.;\n",
"      sum += wx * wy * lit(c + vec2(i, j) / uTexels, s.z);\n",
"    }\n",
"  return sum / 9.;\n",
"}`;\n",
"const surfaceText = shadowText + `\n",
"uniform vec3 uFront, uBack, uLine, uToLight, uUp, uEye, uMask;\n",
"uniform float uAlpha, uRim, uTwoSided, uCell, uPixel, uOffset, uGloss;\n",
"varying vec3 vNrm, vWorld, vLocal;\n",
"void main() {\n",
"  vec3 n = normalize(vNrm), v = uEye - vWorld;\n",
"  float far = length(v);\n",
"  v /= far;\n",
"  bool flip = uTwoSided > .5 && !gl_FrontFacing;\n",
"  if (flip) n = -n;\n",
"  vec3 base = flip ? uBack : uFront;\n",
"  if (uCell != 0.) { // lines on obstacles show how they turn\n",
"    vec3 p = uCell > 0. ? (.5 - abs(fract(vLocal / uCell) - .5)) * uCell : abs(vLocal);\n",
"    p += (1. - uMask) * 1e9;\n",
"    float w = uPixel * far;\n",
"    base = mix(base, uLine, .55 * (1. - smoothstep(.6 * w, 1.8 * w, min(p.x, min(p.y, p.z)))));\n",
"  }\n",
"  base *= base; // to linear light, nearly\n",
"  float face = dot(n, uToLight), key = 0.;\n",
"  if (face > 0.) key = face * light(vWorld + uOffset * (n + uToLight));\n",
"  vec3 ambient = mix(vec3(.30, .285, .27), vec3(.45, .47, .50), .5 + .5 * dot(n, uUp));\n",
"  float facing = max(dot(n, v), 0.);\n",
"  vec3 color = base * (ambient + .66 * key + .16 * facing);\n",
"  color += uGloss * (.05 * pow(1. - facing, 3.) +\n",
"    .05 * key * pow(max(dot(n, normalize(v + uToLight)), 0.), 20.));\n",
"  gl_FragColor = vec4(sqrt(color), uAlpha + uRim * (1. - facing) * (1. - facing));\n",
"}`;\n",
"const floorText = shadowText + `\n",
"uniform vec3 uFront, uBack, uCentre;\n",
"uniform float uReach;\n",
"varying vec3 vNrm, vWorld, vLocal;\n",
"void main() {\n",
"  float fade = 1. - smoothstep(.25, 1., length(vWorld - uCentre) / uReach);\n",
"  gl_FragColor = vec4(mix(uBack, uFront * (.74 + .26 * light(vWorld)), fade), 1.);\n",
"}`;\n",
"const lineText = `\n",
"precision highp float;\n",
"uniform vec3 uFront, uCentre;\n",
"uniform float uAlpha, uReach;\n",
"varying vec3 vNrm, vWorld, vLocal;\n",
"void main() {\n",
"  float fade = uReach > 0. ? 1. - smoothstep(.2, .9, length(vWorld - uCentre) / uReach) : 1.;\n",
"  gl_FragColor = vec4(uFront, uAlpha * fade);\n",
"}`;\n",
"const depthText = `\n",
"precision highp float;\n",
"varying vec3 vNrm, vWorld, vLocal;\n",
"void main() {\n",
"  vec4 e = fract(gl_FragCoord.z * vec4(1., 255., 65025., 16581375.));\n",
"  gl_FragColor = e - e.yzww * vec4(1. / 255., 1. / 255., 1. / 255., 0.);\n",
"}`;\n",
"\n",
"function glRenderer(canvas) {\n",
"  const gl = canvas.getContext('webgl', { antialias: true, alpha: false }) ||\n",
"    canvas.getContext('experimental-webgl', { antialias: true, alpha: false });\n",
"  if (!gl || !gl.getExtension('OES_element_index_uint')) return null;\n",
"  const SIZE = 1024;\n",
"  function compile(kind, text) {\n",
"    const s = gl.createShader(kind);\n",
"    gl.shaderSource(s, text);\n",
"    gl.compileShader(s);\n",
"    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS) && !gl.isContextLost())\n",
"      throw new Error(gl.getShaderInfoLog(s));\n",
"    return s;\n",
"  }\n",
"  function program(text) {\n",
"    const p = gl.createProgram(), at = {};\n",
"    gl.attachShader(p, compile(gl.VERTEX_SHADER, vertexText));\n",
"    gl.attachShader(p, compile(gl.FRAGMENT_SHADER, text));\n",
"    gl.bindAttribLocation(p, 0, 'aPos');\n",
"    gl.bindAttribLocation(p, 1, 'aNrm');\n",
"    gl.linkProgram(p);\n",
"    if (!gl.getProgramParameter(p, gl.LINK_STATUS) && !gl.isContextLost())\n",
"      throw new Error(gl.getProgramInfoLog(p));\n",
"    const n = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) || 0;\n",
"    for (let i = 0; i < n; i++) {\n",
"      const u = gl.getActiveUniform(p, i);\n",
"      at[u.name] = { where: gl.getUniformLocation(p, u.name), type: u.type };\n",
"    }\n",
"    return { p, at };\n",
"  }\n",
"  const surface = program(surfaceText), floor = program(floorText), line = program(lineText);\n",
"  const depth = program(depthText);\n",
"  let used = null;\n",
"  function use(prog, values) {\n",
"    if (used !== prog) gl.useProgram(prog.p);\n",
"    used = prog;\n",
"    for (const name in values) {\n",
"      const u = prog.at[name], x = values[name];\n",
"      if (!u) continue;\n",
"      if (u.type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(u.where, false, x);\n",
"      else if (u.type === gl.FLOAT_VEC3) gl.uniform3fv(u.where, x);\n",
"      else if (u.type === gl.FLOAT) gl.uniform1f(u.where, x);\n",
"      else gl.uniform1i(u.where, x);\n",
"    }\n",
"  }\n",
"  const fresh = () =>\n",
"    ({ pos: gl.createBuffer(), nrm: gl.createBuffer(), tri: gl.createBuffer(), n: 0 });\n",
"  function fill(g, mesh, indices) {\n",
"    gl.bindBuffer(gl.ARRAY_BUFFER, g.pos);\n",
"    gl.bufferData(gl.ARRAY_BUFFER, mesh.pos, gl.DYNAMIC_DRAW);\n",
"    gl.bindBuffer(gl.ARRAY_BUFFER, g.nrm);\n",
"    gl.bufferData(gl.ARRAY_BUFFER, mesh.nrm, gl.DYNAMIC_DRAW);\n",
"    if (indices) {\n",
"      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, g.tri);\n",
"      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);\n",
"      g.n = indices.length;\n",
"    }\n",
"    return g;\n",
"  }\n",
"  function draw(g, mode = gl.TRIANGLES, indices = g.tri, n = g.n) {\n",
"    gl.bindBuffer(gl.ARRAY_BUFFER, g.pos);\n",
"    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);\n",
"    if (g.nrm) {\n",
"      gl.bindBuffer(gl.ARRAY_BUFFER, g.nrm);\n",
"      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);\n",
"      gl.enableVertexAttribArray(1);\n",
"    } else gl.disableVertexAttribArray(1);\n",
"    if (!indices) return gl.drawArrays(mode, 0, n);\n",
"    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);\n",
"    gl.drawElements(mode, n, gl.UNSIGNED_INT, 0);\n",
"  }\n",
"  function segments(xyz) {\n",
"    const pos = gl.createBuffer();\n",
"    gl.bindBuffer(gl.ARRAY_BUFFER, pos);\n",
"    gl.bufferData(gl.ARRAY_BUFFER, xyz, gl.STATIC_DRAW);\n",
"    return { pos, n: xyz.length / 3 };\n",
"  }\n",
"  const skin = fill(fresh(), cloth, triangles), wire = gl.createBuffer();\n",
"  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, wire);\n",
"  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, wires, gl.STATIC_DRAW);\n",
"  const goal = target ? fill(fresh(), target, triangles) : null;\n",
"  const solid = solids.map((o) => fill(fresh(), o.mesh, o.mesh.tri));\n",
"  const knobs = fresh(), darts = fresh(), trail = paths && segments(paths);\n",
"  const ruled = lines && segments(lines);\n",
"  const slab = lines && fill(fresh(), floorSheet(), new Uint32Array([0, 1, 2, 2, 1, 3]));\n",
"  let drawnArrows = null;\n",
"\n",
"  // The shadow map: depth from the light, packed into the four bytes of a pixel.\n",
"  const map = gl.createTexture(), frame = gl.createFramebuffer(), rb = gl.createRenderbuffer();\n",
"  gl.bindTexture(gl.TEXTURE_2D, map);\n",
"  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, SIZE, SIZE, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);\n",
"  for (const k of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])\n",
"    gl.texParameteri(gl.TEXTURE_2D, k, gl.NEAREST);\n",
"  for (const k of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])\n",
"    gl.texParameteri(gl.TEXTURE_2D, k, gl.CLAMP_TO_EDGE);\n",
"  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);\n",
"  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, map, 0);\n",
"  gl.bindRenderbuffer(gl.RENDERBUFFER, rb);\n",
"  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, SIZE, SIZE);\n",
"  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, rb);\n",
"  const shadows = gl.checkFramebufferStatus(gl.FRAMEBUFFER) === gl.FRAMEBUFFER_COMPLETE;\n",
"  gl.bindFramebuffer(gl.FRAMEBUFFER, null);\n",
"  gl.enable(gl.DEPTH_TEST);\n",
"  gl.enableVertexAttribArray(0);\n",
"  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);\n",
"\n",
"  function castShadows(shot, body) { // an orthographic view from the light\n",
"    let c = shot.cast.centre;\n",
"    const r = shot.cast.radius, step = 2 * r / SIZE;\n",
"    const side = unit(cross(Y, toLight)), above = cross(toLight, side);\n",
"    // Whole texels only: otherwise the edges of shadows swim as the cloth moves.\n",
"    c = mad(mad(c, Math.round(dot(c, side) / step) * step - dot(c, side), side),\n",
"      Math.round(dot(c, above) / step) * step - dot(c, above), above);\n",
"    const view = look(mad(c, 2 * r, toLight), mad([0, 0, 0], -1, toLight), above);\n",
"    const proj = box(r, .9 * r, 3.1 * r);\n",
"    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);\n",
"    gl.viewport(0, 0, SIZE, SIZE);\n",
"    gl.disable(gl.SCISSOR_TEST);\n",
"    gl.clearColor(1, 1, 1, 1);\n",
"    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);\n",
"    use(depth, { uModel: identity, uView: view, uProj: proj, uNudge: 0 });\n",
"    draw(body);\n",
"    solids.forEach((o, i) => {\n",
"      if (o.spec.shape === 'plane') return;\n",
"      use(depth, { uModel: o.matrix });\n",
"      draw(solid[i]);\n",
"    });\n",
"    gl.bindFramebuffer(gl.FRAMEBUFFER, null);\n",
"    return { uShadow: mul(proj, view), uOffset: 1.6 * step };\n",
"  }\n",
"  function pane(shot, p, colors) {\n",
"    const main = p.body === 'target' ? goal : skin, cam = shot.camera(p);\n",
"    const shade = shadows ? castShadows(shot, main) : { uShadow: identity, uOffset: 0 };\n",
"    const [x, y, w, h] = [p.x, shot.h - p.y - p.h, p.w, p.h]\n",
"      .map((v) => Math.round(v * shot.dpr));\n",
"    const basic = Object.assign({ uModel: identity, uView: cam.view, uProj: cam.proj,\n",
"      uNudge: 0, uDepth: 0, uTexels: SIZE, uShadowOn: shadows ? 1 : 0, uToLight: toLight,\n",
"      uUp: Y, uEye: cam.eye, uAlpha: 1, uRim: 0, uTwoSided: 0, uCell: 0, uGloss: 1,\n",
"      uMask: [1, 1, 1], uPixel: cam.pixel / shot.dpr, uLine: colors.solidLine }, shade);\n",
"    gl.viewport(x, y, w, h);\n",
"    gl.enable(gl.SCISSOR_TEST);\n",
"    gl.scissor(x, y, w, h);\n",
"    gl.clearColor(...colors.stage, 1);\n",
"    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);\n",
"    if (slab) drawFloor(basic, colors);\n",
"    const sure = (more) => use(surface, Object.assign({}, basic, more));\n",
"    solids.forEach((o, i) => {\n",
"      if (o.isFloor) return;\n",
"      const s = o.spec.shape, plane = s === 'plane', round = s === 'sphere' || s === 'capsule';\n",
"      sure({ uModel: o.matrix, uFront: colors.solid, uBack: colors.solid, uGloss: .5,\n",
"        uTwoSided: plane ? 1 : 0, uMask: plane ? [1, 0, 1] : [1, 1, 1],\n",
"        uCell: plane ? cell : round ? -1 : 0 });\n",
"      draw(solid[i]);\n",
"    });\n",
"    const nudge = .006 * clothRadius + .3 * edgeSquare / clothRadius;\n",
"    const tints = p.body === 'target' ? [colors.target, colors.targetBack]\n",
"      : [colors.front, colors.back];\n",
"    sure({ uFront: tints[0], uBack: tints[1], uTwoSided: 1, uNudge: nudge });\n",
"    draw(main);\n",
"    if (shot.wire) {\n",
"      use(line, Object.assign({}, basic, { uFront: colors.wire, uAlpha: .5, uReach: 0,\n",
"        uNudge: 1.25 * nudge }));\n",
"      gl.enable(gl.BLEND);\n",
"      draw({ pos: main.pos }, gl.LINES, wire, wires.length);\n",
"      gl.disable(gl.BLEND);\n",
"    }\n",
"    if (handles) drawHandles(sure, basic, colors, nudge);\n",
"    if (p.arrows && shot.arrows) {\n",
"      if (drawnArrows !== shot.arrows) fill(darts, shot.arrows, shot.arrows.tri);\n",
"      drawnArrows = shot.arrows;\n",
"      seeThrough(sure, { uFront: colors.arrow, uNudge: nudge, uGloss: .3, uShadowOn: 0 },\n",
"        darts);\n",
"    }\n",
"    if (p.overlay) ghost(sure, colors, .5 * nudge);\n",
"  }\n",
"  function drawFloor(basic, colors) {\n",
"    const f = { uCentre: mad(centre, level - centre[up], Y), uReach: floorReach };\n",
"    gl.depthMask(false); // what lies on the floor is drawn over it, without fighting for depth\n",
"    use(floor, Object.assign({}, basic, f, { uFront: colors.floor, uBack: colors.stage }));\n",
"    draw(slab);\n",
"    gl.enable(gl.BLEND);\n",
"    use(line, Object.assign({}, basic, f, { uFront: colors.grid, uAlpha: .45 }));\n",
"    draw(ruled, gl.LINES, null);\n",
"    gl.disable(gl.BLEND);\n",
"    gl.depthMask(true);\n",
"  }\n",
"  function ghost(sure, colors, nudge) { // the target over the result: its nearest layer only\n",
"    const tint = { uFront: colors.target, uBack: colors.targetBack, uTwoSided: 1,\n",
"      uNudge: nudge, uAlpha: .32, uRim: .6 };\n",
"    sure(tint);\n",
"    gl.colorMask(false, false, false, false);\n",
"    draw(goal);\n",
"    gl.colorMask(true, true, true, true);\n",
"    gl.depthFunc(gl.LEQUAL);\n",
"    gl.enable(gl.BLEND);\n",
"    draw(goal);\n",
"    gl.disable(gl.BLEND);\n",
"    gl.depthFunc(gl.LESS);\n",
"  }\n",
"  function seeThrough(sure, what, g) { // faint where something is in front\n",
"    gl.enable(gl.BLEND);\n",
"    gl.depthMask(false);\n",
"    gl.depthFunc(gl.GREATER);\n",
"    sure(Object.assign({}, what, { uAlpha: .16 }));\n",
"    draw(g);\n",
"    gl.depthMask(true);\n",
"    gl.depthFunc(gl.LESS);\n",
"    gl.disable(gl.BLEND);\n",
"    sure(what);\n",
"    draw(g);\n",
"  }\n",
"  function drawHandles(sure, basic, colors, nudge) {\n",
"    if (trail) {\n",
"      use(line, Object.assign({}, basic, { uFront: colors.handle, uAlpha: .8, uReach: 0,\n",
"        uNudge: nudge }));\n",
"      gl.enable(gl.BLEND);\n",
"      draw(trail, gl.LINES, null);\n",
"      gl.disable(gl.BLEND);\n",
"    }\n",
"    seeThrough(sure, { uFront: colors.handle, uNudge: 2 * nudge, uShadowOn: 0 }, knobs);\n",
"  }\n",
"  return {\n",
"    kind: 'webgl',\n",
"    draw(shot, colors) {\n",
"      if (gl.isContextLost()) return;\n",
"      const w = Math.round(shot.w * shot.dpr), h = Math.round(shot.h * shot.dpr);\n",
"      if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }\n",
"      used = null;\n",
"      gl.disable(gl.SCISSOR_TEST);\n",
"      gl.clearColor(...colors.bg, 1); // seen between two panes\n",
"      gl.clear(gl.COLOR_BUFFER_BIT);\n",
"      fill(skin, cloth);\n",
"      if (goal) fill(goal, target);\n",
"      if (handles) fill(knobs, shot.knobs, shot.knobs.tri);\n",
"      for (const p of shot.panes) pane(shot, p, colors);\n",
"    },\n",
"  };\n",
"}\n",
"\n",
"// ---- drawing without WebGL: triangles filled here, pixel by pixel -------------------------\n",
"function flatRenderer(canvas) {\n",
"  const ctx = canvas.getContext('2d');\n",
"  if (!ctx) return null;\n",
"  let W = 0, H = 0, image = null, bytes = null, near = null; // near: 1 / depth at each pixel\n",
"  let x0 = 0, y0 = 0, x1 = 0, y1 = 0; // the pane's pixels\n",
"  const screen = (cam, mesh, model, nudge) => { // -> x, y, 1 / depth of every vertex\n",
"    const m = model ? mul(cam.view, model) : cam.view, pos = mesh.pos || mesh;\n",
"    const out = new Float32Array(pos.length), w = (x1 - x0) / 2, h = (y1 - y0) / 2;\n",
"    for (let i = 0; i < pos.length; i += 3) {\n",
"      const x = pos[i], y = pos[i + 1], z = pos[i + 2];\n",
"      const d = -(m[2] * x + m[6] * y + m[10] * z + m[14]);\n",
"      out[i] = x0 + w + w * cam.proj[0] * (m[0] * x + m[4] * y + m[8] * z + m[12]) / d;\n",
"      out[i + 1] = y0 + h - h * cam.proj[5] * (m[1] * x + m[5] * y + m[9] * z + m[13]) / d;\n",
"      out[i + 2] = d > cam.near ? 1 / Math.max(d - nudge, cam.near) : 0;\n",
"    }\n",
"    return out;\n",
"  };\n",
"  const lit = (cam, mesh, model) => { // brightness of both sides at every vertex\n",
"    const n = mesh.nrm, out = new Float32Array(n.length / 3 * 2), turn = (v) =>\n",
"      model ? [0, 4, 8].map((j) => dot(model.slice(j, j + 3), v)) : v;\n",
"    const L = turn(toLight), A = turn(cam.ahead), U = turn(Y);\n",
"    for (let i = 0, k = 0; i < n.length; i += 3, k += 2) {\n",
"      const dotWith = (v) => n[i] * v[0] + n[i + 1] * v[1] + n[i + 2] * v[2];\n",
"      const l = .66 * dotWith(L), u = .09 * dotWith(U), f = .37 + .16 * Math.abs(dotWith(A));\n",
"      out[k] = Math.sqrt(f + u + Math.max(0, l));\n",
"      out[k + 1] = Math.sqrt(f - u + Math.max(0, -l));\n",
"    }\n",
"    return out;\n",
"  };\n",
"  function put(k, color, g, alpha) {\n",
"    for (let c = 0; c < 3; c++) {\n",
"      const v = 255 * Math.min(1, color[c] * g), was = bytes[4 * k + c];\n",
"      bytes[4 * k + c] = alpha < 1 ? was + alpha * (v - was) : v;\n",
"    }\n",
"  }\n",
"  function surface(cam, mesh, tri, look) {\n",
"    const s = screen(cam, mesh, look.model, look.nudge), light = lit(cam, mesh, look.model);\n",
"    for (let t = 0; t < tri.length; t += 3) {\n",
"      let a = tri[t], b = tri[t + 1], c = tri[t + 2];\n",
"      if (!(s[3 * a + 2] && s[3 * b + 2] && s[3 * c + 2])) continue;\n",
"      const ax = s[3 * a], ay = s[3 * a + 1];\n",
"      let bx = s[3 * b], by = s[3 * b + 1], cx = s[3 * c], cy = s[3 * c + 1];\n",
"      let area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);\n",
"      const front = area < 0, side = front ? 0 : 1; // y points down on a canvas\n",
"      if (area === 0 || (!front && !look.back)) continue;\n",
"      if (front) { [b, c, bx, by, cx, cy] = [c, b, cx, cy, bx, by]; area = -area; }\n",
"      const color = front ? look.front : look.back;\n",
"      const left = Math.max(x0, Math.ceil(Math.min(ax, bx, cx) - .5));\n",
"      const right = Math.min(x1 - 1, Math.floor(Math.max(ax, bx, cx) - .5));\n",
"      const low = Math.max(y0, Math.ceil(Math.min(ay, by, cy) - .5));\n",
"      const high = Math.min(y1 - 1, Math.floor(Math.max(ay, by, cy) - .5));\n",
"      for (let y = low; y <= high; y++)\n",
"        for (let x = left; x <= right; x++) { // shares of the corners, from areas\n",
"          const u = ((bx - x - .5) * (cy - y - .5) - (cx - x - .5) * (by - y - .5)) / area;\n",
"          const v = ((cx - x - .5) * (ay - y - .5) - (ax - x - .5) * (cy - y - .5)) / area;\n",
"          const w = 1 - u - v, k = y * W + x;\n",
"          if (u < 0 || v < 0 || w < 0) continue;\n",
"          const z = Math.fround(u * s[3 * a + 2] + v * s[3 * b + 2] + w * s[3 * c + 2]);\n",
"          if (look.only ? z < near[k] : z <= near[k]) continue;\n",
"          near[k] = look.only ? 1e30 : z; // a translucent layer is blended in once\n",
"          if (look.hidden) continue;\n",
"          const g = u * light[2 * a + side] + v * light[2 * b + side];\n",
"          put(k, color, g + w * light[2 * c + side], look.only ? look.alpha : 1);\n",
"        }\n",
"    }\n",
"  }\n",
"  function segment(s, i, j, color, alpha) { // one pixel wide, hidden by what is nearer\n",
"    const dx = s[j] - s[i], dy = s[j + 1] - s[i + 1], n = Math.max(Math.abs(dx), Math.abs(dy));\n",
"    if (!s[i + 2] || !s[j + 2] || !(n < 1e4)) return;\n",
"    for (let k = 0; k <= n; k++) {\n",
"      const f = n > 0 ? k / n : 0, z = s[i + 2] + f * (s[j + 2] - s[i + 2]);\n",
"      const x = Math.floor(s[i] + f * dx), y = Math.floor(s[i + 1] + f * dy);\n",
"      if (x < x0 || x >= x1 || y < y0 || y >= y1) continue;\n",
"      if (z > near[y * W + x]) put(y * W + x, color, 1, alpha);\n",
"    }\n",
"  }\n",
"  function floor(cam, color) {\n",
"    const s = screen(cam, lines, null, 0), c = mad(centre, level - centre[up], Y);\n",
"    for (let i = 0; i < s.length; i += 6) {\n",
"      const far = Math.hypot(...sub(lines.subarray(i, i + 3), c)) / floorReach;\n",
"      const fade = .5 * Math.min(1, Math.max(0, 1.25 - 1.4 * far));\n",
"      if (fade > .02) segment(s, i, i + 3, color, fade);\n",
"    }\n",
"  }\n",
"  function pane(shot, p, scale, colors) {\n",
"    const cam = shot.camera(p), nudge = .015 * clothRadius, beside = p.body === 'target';\n",
"    [x0, y0, x1, y1] = [p.x, p.y, p.x + p.w, p.y + p.h].map((v) => Math.round(v * scale));\n",
"    for (let y = y0; y < y1; y++)\n",
"      for (let x = x0; x < x1; x++) put(y * W + x, colors.stage, 1, 1);\n",
"    if (lines) floor(cam, colors.grid);\n",
"    for (const o of solids)\n",
"      if (!o.isFloor)\n",
"        surface(cam, o.mesh, o.mesh.tri, { model: o.matrix, front: colors.solid, nudge: 0,\n",
"          back: o.spec.shape === 'plane' ? colors.solid : null });\n",
"    const main = beside ? target : cloth;\n",
"    surface(cam, main, triangles, { nudge, front: beside ? colors.target : colors.front,\n",
"      back: beside ? colors.targetBack : colors.back });\n",
"    if (shot.wire) {\n",
"      const s = screen(cam, main, null, 1.3 * nudge);\n",
"      for (let e = 0; e < wires.length; e += 2)\n",
"        segment(s, 3 * wires[e], 3 * wires[e + 1], colors.wire, .45);\n",
"    }\n",
"    if (paths) {\n",
"      const s = screen(cam, paths, null, nudge);\n",
"      for (let i = 0; i < s.length; i += 6) segment(s, i, i + 3, colors.handle, .9);\n",
"    }\n",
"    if (handles)\n",
"      surface(cam, shot.knobs, shot.knobs.tri, { nudge: 2 * nudge, front: colors.handle });\n",
"    if (p.arrows && shot.arrows)\n",
"      surface(cam, shot.arrows, shot.arrows.tri, { nudge, front: colors.arrow });\n",
"    if (!p.overlay) return;\n",
"    const tint = { nudge: .5 * nudge, alpha: .45, front: colors.target,\n",
"      back: colors.targetBack };\n",
"    surface(cam, target, triangles, Object.assign({ hidden: true }, tint));\n",
"    surface(cam, target, triangles, Object.assign({ only: true }, tint));\n",
"  }\n",
"  return {\n",
"    kind: 'canvas',\n",
"    draw(shot, colors) {\n",
"      const scale = Math.min(2, 1.5 * shot.dpr); // finer than the screen: smoother edges\n",
"      const w = Math.round(shot.w * scale), h = Math.round(shot.h * scale);\n",
"      if (!image || w !== W || h !== H) {\n",
"        canvas.width = W = w;\n",
"        canvas.height = H = h;\n",
"        image = ctx.createImageData(w, h);\n",
"        bytes = image.data;\n",
"        near = new Float32Array(w * h);\n",
"        bytes.fill(255);\n",
"      }\n",
"      near.fill(0);\n",
"      for (const p of shot.panes) pane(shot, p, scale, colors);\n",
"      ctx.putImageData(image, 0, 0);\n",
"    },\n",
"  };\n",
"}\n",
"// ---- the view ---------------------------------------------------------------------------\n",
"const $ = (id) => document.getElementById(id);\n",
"const hash = new URLSearchParams(location.hash.slice(1));\n",
"const stage = $('stage');\n",
"let canvas = $('canvas'), renderer = null;\n",
"const state = { frame: 0, playing: false, speed: 1, wire: false, target: 'off', arrows: -1,\n",
"  hold: 0, moved: false, coarse: false };\n",
"const cam = { az: 0, el: 0, dist: 1, focus: centre };\n",
"const sight = () => { // unit vector from the point looked at to the eye\n",
"  const c = Math.cos(cam.el);\n",
"  return mad(mad(mad([0, 0, 0], c * Math.sin(cam.az), X), Math.sin(cam.el), Y),\n",
"    c * Math.cos(cam.az), Z);\n",
"};\n",
"const lens = (p) => p.w > p.h ? [.3 * p.w / p.h, .3] : [.3, .3 * p.h / p.w];\n",
"function camera(p) {\n",
"  const d = sight(), ahead = mad([0, 0, 0], -1, d), eye = mad(cam.focus, cam.dist, d);\n",
"  const [tx, ty] = lens(p), near = .03 * cam.dist;\n",
"  return { eye, ahead, near, view: look(eye, ahead, Y), pixel: 2 * ty / p.h,\n",
"    proj: perspective(tx, ty, near, cam.dist + 14 * radius) };\n",
"}\n",
"function panes() {\n",
"  const w = stage.clientWidth, h = stage.clientHeight;\n",
"  const whole = { body: 'cloth', x: 0, y: 0, w, h, arrows: true,\n",
"    overlay: state.target === 'overlay' };\n",
"  if (state.target !== 'beside') return [whole];\n",
"  const a = Object.assign({}, whole), b = { body: 'target', x: 0, y: 0, w, h };\n",
"  if (w > h) { a.w = Math.floor(w / 2) - 1; b.x = a.w + 2; b.w = w - b.x; }\n",
"  else { a.h = Math.floor(h / 2) - 1; b.y = a.h + 2; b.h = h - b.y; }\n",
"  return [a, b];\n",
"}\n",
"function fit() { // the nearest view along the current direction that shows every sample\n",
"  const d = sight(), m = look([0, 0, 0], mad([0, 0, 0], -1, d), Y), p = panes()[0];\n",
"  const [tx, ty] = lens(p), pts = samples.map((s) => apply(m, s));\n",
"  const mid = [0, 1, 2].map((c) => {\n",
"    const v = pts.map((q) => q[c]);\n",
"    return (Math.max(...v) + Math.min(...v)) / 2;\n",
"  });\n",
"  cam.focus = [0, 4, 8].map((c) => dot(m.slice(c, c + 3), mid));\n",
"  cam.dist = .1 * radius;\n",
"  for (const q of pts)\n",
"    cam.dist = Math.max(cam.dist, q[2] - mid[2] + 1.1 * Math.max(Math.abs(q[0] - mid[0]) / tx,\n",
"      Math.abs(q[1] - mid[1]) / ty));\n",
"}\n",
"function resetView() {\n",
"  const angle = (name, or) => (hash.has(name) ? +hash.get(name) || 0 : or) * Math.PI / 180;\n",
"  cam.az = angle('az', data.azimuth);\n",
"  cam.el = Math.max(-1.55, Math.min(1.55, angle('el', data.elevation)));\n",
"  state.moved = false;\n",
"  fit();\n",
"  refresh();\n",
"}\n",
"function palette() {\n",
"  const style = getComputedStyle(document.documentElement), out = {};\n",
"  const names = { bg: 'bg', stage: 'stage', floor: 'floor', grid: 'grid', front: 'front',\n",
"    back: 'back', wire: 'wire', target: 'target', targetBack: 'target-back', solid: 'solid',\n",
"    solidLine: 'solid-line', arrow: 'arrow', handle: 'handle' };\n",
"  for (const k in names) {\n",
"    const v = parseInt(style.getPropertyValue('--' + names[k]).trim().slice(1), 16);\n",
"    out[k] = [v >> 16 & 255, v >> 8 & 255, v & 255].map((x) => x / 255);\n",
"  }\n",
"  return out;\n",
"}\n",
"let colors = palette();\n",
"function caster() { // a sphere around what throws shadows now\n",
"  const lo = [1e30, 1e30, 1e30], hi = [-1e30, -1e30, -1e30];\n",
"  for (const b of bodies)\n",
"    for (let i = 0; i < 3 * N; i++) {\n",
"      lo[i % 3] = Math.min(lo[i % 3], b.pos[i]);\n",
"      hi[i % 3] = Math.max(hi[i % 3], b.pos[i]);\n",
"    }\n",
"  for (const o of solids)\n",
"    if (o.spec.shape !== 'plane')\n",
"      for (let c = 0; c < 3; c++) {\n",
"        lo[c] = Math.min(lo[c], o.matrix[12 + c] - o.size);\n",
"        hi[c] = Math.max(hi[c], o.matrix[12 + c] + o.size);\n",
"      }\n",
"  const r = Math.max(Math.hypot(...sub(hi, lo)) / 2, 1e-6 * radius);\n",
"  return { centre: lo.map((x, c) => (x + hi[c]) / 2),\n",
"    radius: 1.15 ** Math.ceil(Math.log(1.02 * r) / Math.log(1.15)) };\n",
"}\n",
"let arrowsShown = null, arrowsKey = '';\n",
"function arrowsNow() { // a gradient belongs to one frame; frame -1 means all of them\n",
"  const set = arrowSets[state.arrows];\n",
"  if (!set) return null;\n",
"  if (set.spec.frame >= 0 && Math.abs(state.frame - set.spec.frame) > .5) return null;\n",
"  const key = state.arrows + '/' + state.frame;\n",
"  if (key !== arrowsKey) { arrowsShown = arrowMesh(set); arrowsKey = key; }\n",
"  return arrowsShown;\n",
"}\n",
"let pending = false;\n",
"function refresh() {\n",
"  if (!pending) requestAnimationFrame(paint);\n",
"  pending = true;\n",
"}\n",
"function paint() {\n",
"  pending = false;\n",
"  if (!renderer) return;\n",
"  const [s, f] = place(state.frame);\n",
"  for (const b of bodies) b.put(state.frame);\n",
"  for (const o of solids) o.matrix = poseMatrix(o.poses, s, f);\n",
"  renderer.draw({ w: stage.clientWidth, h: stage.clientHeight, camera, panes: panes(),\n",
"    dpr: (state.coarse ? .6 : 1) * Math.min(window.devicePixelRatio || 1, 2),\n",
"    wire: state.wire, arrows: arrowsNow(), knobs: handleMesh(state.frame),\n",
"    cast: caster() }, colors);\n",
"}\n",
"\n",
"// ---- time -------------------------------------------------------------------------------\n",
"const minus = (s) => String(s).replace('-', '\\u2212');\n",
"const seconds = last * dt;\n",
"const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(seconds || 1))));\n",
"function show(frame) {\n",
"  state.frame = Math.max(0, Math.min(last, frame));\n",
"  const k = Math.round(state.frame), t = (state.frame * dt).toFixed(digits) + ' s';\n",
"  $('scrub').value = k;\n",
"  $('scrub').setAttribute('aria-valuetext', t + ', frame ' + k + ' of ' + last);\n",
"  $('clock').textContent = t + ' \\u00b7 ' + k + '/' + last;\n",
"  refresh();\n",
"}\n",
"let before = 0, pace = 0; // pace: seconds from picture to picture, smoothed\n",
"function advance(now) {\n",
"  if (!state.playing) return;\n",
"  const step = before ? Math.min((now - before) / 1000, .25) : 0; // no jumps after a stall\n",
"  before = now;\n",
"  pace += .15 * (step - pace);\n",
"  if (pace > .07) state.coarse = true; // until the next pause\n",
"  if (state.frame < last) show(state.frame + step * state.speed / dt);\n",
"  else if ((state.hold += step) > .8) { state.hold = 0; show(0); }\n",
"  requestAnimationFrame(advance);\n",
"}\n",
"function play(on) {\n",
"  if (on === state.playing || last === 0) return;\n",
"  state.playing = on;\n",
"  $('play').textContent = on ? 'Pause' : 'Play';\n",
"  state.coarse = false;\n",
"  pace = 0;\n",
"  if (!on) return refresh();\n",
"  if (state.frame >= last) show(0);\n",
"  state.hold = 0;\n",
"  before = 0;\n",
"  requestAnimationFrame(advance);\n",
"}\n",
"function stepBy(by) { // by so many stored frames\n",
"  play(false);\n",
"  const s = state.frame / data.stride;\n",
"  const here = by > 0 ? Math.floor(s + 1e-6) : Math.ceil(s - 1e-6);\n",
"  show(at(Math.max(0, here + by)));\n",
"}\n",
"\n",
"// ---- controls ---------------------------------------------------------------------------\n",
"function setWire(on) {\n",
"  state.wire = on;\n",
"  $('wire').setAttribute('aria-pressed', String(on));\n",
"  refresh();\n",
"}\n",
"function setTarget(mode) {\n",
"  if (!target) return;\n",
"  state.target = $('target').value = mode;\n",
"  const p = panes();\n",
"  for (let i = 0; i < 2; i++) {\n",
"    $('pane' + i).hidden = p.length < 2;\n",
"    if (p.length < 2) continue;\n",
"    $('pane' + i).style.left = p[i].x + 10 + 'px';\n",
"    $('pane' + i).style.top = p[i].y + 10 + 'px';\n",
"  }\n",
"  if (!state.moved) fit();\n",
"  refresh();\n",
"}\n",
"function setArrows(k) {\n",
"  if (!arrowSets.length) return;\n",
"  state.arrows = k;\n",
"  $('arrows').value = String(k);\n",
"  const set = arrowSets[k];\n",
"  if (set && set.spec.frame >= 0) { play(false); show(set.spec.frame); }\n",
"  $('arrow-note').textContent = set ? arrowText(set) : '';\n",
"  $('arrow-note').hidden = !set;\n",
"  refresh();\n",
"}\n",
"function arrowText(set) {\n",
"  return set.spec.label + (set.spec.frame >= 0 ? ', frame ' + set.spec.frame : '') +\n",
"    ': longest ' + (number(set.longest) + ' ' + set.spec.unit).trim() +\n",
"    (set.taken.length < N ? ', ' + set.taken.length + ' of ' + N + ' shown' : '');\n",
"}\n",
"function save() {\n",
"  paint(); // the picture is only there until the browser has shown it\n",
"  canvas.toBlob((blob) => {\n",
"    const a = document.createElement('a');\n",
"    a.href = URL.createObjectURL(blob);\n",
"    a.download = 'frame-' + Math.round(state.frame) + '.png';\n",
"    a.click();\n",
"    setTimeout(() => URL.revokeObjectURL(a.href), 1000);\n",
"  });\n",
"}\n",
"function orbit(dx, dy) {\n",
"  cam.az -= dx;\n",
"  cam.el = Math.max(-1.55, Math.min(1.55, cam.el + dy));\n",
"  state.moved = true;\n",
"  refresh();\n",
"}\n",
"function pan(dx, dy) { // in pixels\n",
"  const d = sight(), r = unit(cross(Y, d)), u = cross(d, r), p = panes()[0];\n",
"  const k = 2 * lens(p)[1] * cam.dist / p.h;\n",
"  cam.focus = mad(mad(cam.focus, -dx * k, r), dy * k, u);\n",
"  state.moved = true;\n",
"  refresh();\n",
"}\n",
"function zoom(factor) {\n",
"  cam.dist = Math.max(.05 * clothRadius, Math.min(12 * radius, cam.dist * factor));\n",
"  state.moved = true;\n",
"  refresh();\n",
"}\n",
"function listen(el) {\n",
"  const down = new Map();\n",
"  const spread = () => {\n",
"    const [a, b] = Array.from(down.values());\n",
"    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2,\n",
"      r: Math.hypot(a.x - b.x, a.y - b.y) || 1 };\n",
"  };\n",
"  el.addEventListener('pointerdown', (e) => {\n",
"    el.setPointerCapture(e.pointerId);\n",
"    down.set(e.pointerId, { x: e.clientX, y: e.clientY,\n",
"      slide: e.button > 0 || e.shiftKey || e.ctrlKey });\n",
"  });\n",
"  el.addEventListener('pointermove', (e) => {\n",
"    const was = down.get(e.pointerId);\n",
"    if (!was) return;\n",
"    const now = { x: e.clientX, y: e.clientY, slide: was.slide };\n",
"    if (down.size === 2) {\n",
"      const a = spread();\n",
"      down.set(e.pointerId, now);\n",
"      const b = spread();\n",
"      pan(b.x - a.x, b.y - a.y);\n",
"      zoom(a.r / b.r);\n",
"      return;\n",
"    }\n",
"    down.set(e.pointerId, now);\n",
"    if (was.slide) pan(now.x - was.x, now.y - was.y);\n",
"    else orbit((now.x - was.x) * .008, (now.y - was.y) * .008);\n",
"  });\n",
"  for (const name of ['pointerup', 'pointercancel'])\n",
"    el.addEventListener(name, (e) => down.delete(e.pointerId));\n",
"  el.addEventListener('wheel', (e) => {\n",
"    e.preventDefault();\n",
"    zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY * (e.deltaMode ? 16 : 1) * .0012))));\n",
"  }, { passive: false });\n",
"  el.addEventListener('contextmenu', (e) => e.preventDefault());\n",
"  el.addEventListener('dblclick', resetView);\n",
"  el.addEventListener('webglcontextlost', (e) => { e.preventDefault(); renderer = null; });\n",
"  el.addEventListener('webglcontextrestored', () => { renderer = glRenderer(el); refresh(); });\n",
"}\n",
"const modes = ['off', 'overlay', 'beside'];\n",
"const keys = {\n",
"  ' ': () => play(!state.playing),\n",
"  ArrowLeft: (e) => e.shiftKey ? orbit(.08, 0) : stepBy(-1),\n",
"  ArrowRight: (e) => e.shiftKey ? orbit(-.08, 0) : stepBy(1),\n",
"  ArrowUp: (e) => e.shiftKey && orbit(0, .08),\n",
"  ArrowDown: (e) => e.shiftKey && orbit(0, -.08),\n",
"  PageUp: () => stepBy(-10), PageDown: () => stepBy(10),\n",
"  Home: () => { play(false); show(0); }, End: () => { play(false); show(last); },\n",
"  '+': () => zoom(.9), '=': () => zoom(.9), '-': () => zoom(1 / .9),\n",
"  w: () => setWire(!state.wire), r: resetView, s: save,\n",
"  t: () => setTarget(modes[(modes.indexOf(state.target) + 1) % 3]),\n",
"  g: () => setArrows(state.arrows + 1 < arrowSets.length ? state.arrows + 1 : -1),\n",
"  l: () => document.querySelectorAll('.chart-head button').forEach((b) => b.click()),\n",
"};\n",
"const viewOnly = ['PageUp', 'PageDown', 'Home', 'End']; // these scroll the page elsewhere\n",
"function onKey(e) {\n",
"  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;\n",
"  const tag = e.target.tagName, key = e.key.length === 1 ? e.key.toLowerCase() : e.key;\n",
"  if (tag === 'SELECT' || tag === 'SUMMARY' || (tag === 'BUTTON' && key === ' ')) return;\n",
"  if (tag === 'INPUT' && key !== ' ' && e.key.length > 1) return; // the slider moves itself\n",
"  if (viewOnly.includes(key) && e.target !== canvas) return;\n",
"  if ((key === 'ArrowUp' || key === 'ArrowDown') && !e.shiftKey) return;\n",
"  if (!Object.prototype.hasOwnProperty.call(keys, key)) return;\n",
"  e.preventDefault();\n",
"  keys[key](e);\n",
"}\n",
"function say(text) {\n",
"  $('message').textContent = text;\n",
"  $('message').hidden = !text;\n",
"}\n",
"function start() {\n",
"  renderer = hash.get('renderer') === 'canvas' ? null : glRenderer(canvas);\n",
"  if (!renderer) {\n",
"    // A canvas that once gave a WebGL context gives no other: take a new one.\n",
"    const next = canvas.cloneNode(false);\n",
"    canvas.replaceWith(next);\n",
"    canvas = next;\n",
"    renderer = flatRenderer(canvas);\n",
"    say(!renderer ? 'This browser can draw neither with WebGL nor on a canvas.'\n",
"      : hash.get('renderer') === 'canvas' ? '' : 'No WebGL here: this is a simpler drawing.');\n",
"  }\n",
"  listen(canvas);\n",
"  $('scrub').addEventListener('input', (e) => { play(false); show(+e.target.value); });\n",
"  $('play').addEventListener('click', () => play(!state.playing));\n",
"  $('speed').addEventListener('change', (e) => { state.speed = +e.target.value; });\n",
"  $('wire').addEventListener('click', () => setWire(!state.wire));\n",
"  $('reset').addEventListener('click', resetView);\n",
"  $('save').addEventListener('click', save);\n",
"  if (target) $('target').addEventListener('change', (e) => setTarget(e.target.value));\n",
"  if (arrowSets.length)\n",
"    $('arrows').addEventListener('change', (e) => setArrows(+e.target.value));\n",
"  document.addEventListener('keydown', onKey);\n",
"  new ResizeObserver(() => { setTarget(state.target); if (!state.moved) fit(); refresh(); })\n",
"    .observe(stage);\n",
"  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {\n",
"    colors = palette();\n",
"    refresh();\n",
"  });\n",
"  state.speed = +$('speed').value;\n",
"  setTarget(modes.includes(hash.get('target')) ? hash.get('target') : data.targetMode);\n",
"  setWire(hash.has('wire'));\n",
"  resetView();\n",
"  show(hash.has('frame') ? +hash.get('frame') || 0 : 0);\n",
"  if (hash.has('arrows')) setArrows(Math.min(+hash.get('arrows') || 0, arrowSets.length - 1));\n",
"  $('grid-note').textContent = level === null ? '' : ' The lines of the floor are ' +\n",
"    (number(floorCell) + ' ' + $('grid-note').dataset.unit).trim() + ' apart.';\n",
"  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;\n",
"  if (!still && !hash.has('frame') && !hash.has('arrows')) play(true);\n",
"}\n",
"\n",
"// ---- charts -----------------------------------------------------------------------------\n",
"const above = '\\u2070\\u00b9\\u00b2\\u00b3\\u2074\\u2075\\u2076\\u2077\\u2078\\u2079';\n",
"const raised = (n) => String(n).replace(/[-0-9]/g, (c) => c === '-' ? '\\u207b' : above[+c]);\n",
"function number(x, places = 4) {\n",
"  if (x === null || !isFinite(x)) return '\\u2013';\n",
"  if (x === 0) return '0';\n",
"  const p = Math.floor(Math.log10(Math.abs(x)) + 1e-9);\n",
"  if (p >= -3 && p < 6) return minus(+x.toPrecision(Math.max(places, p + 1)));\n",
"  const m = +(x / 10 ** p).toPrecision(places);\n",
"  return minus(m === 1 ? '' : m + '\\u00d7') + '10' + raised(p);\n",
"}\n",
"function ticks(lo, hi, log, want, whole) {\n",
"  const out = [];\n",
"  if (!log) {\n",
"    const step = Math.max(whole ? 1 : 0, round125((hi - lo) / want));\n",
"    for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++)\n",
"      out.push({ at: k * step, text: number(+(k * step).toPrecision(9), 5) });\n",
"    return out;\n",
"  }\n",
"  const decades = hi - lo, every = Math.max(1, Math.ceil(decades / want));\n",
"  const inner = decades < 1.2 ? [1, 2, 3, 5] : decades < 2.5 ? [1, 3] : [1];\n",
"  const plain = lo > -2.5 && hi < 3.5;\n",
"  for (let d = Math.floor(lo); d <= hi + 1e-9; d++)\n",
"    for (const m of inner) {\n",
"      const at = d + Math.log10(m);\n",
"      if (at < lo - 1e-9 || at > hi + 1e-9 || (m === 1 && d % every)) continue;\n",
"      const power = m === 1 && !plain && d !== 0 && d !== 1;\n",
"      out.push({ at, text: power ? '10' + raised(d) : number(m * 10 ** d, 1) });\n",
"    }\n",
"  return out;\n",
"}\n",
"function chart(spec, figure) {\n",
"  const button = figure.querySelector('button'), host = figure.querySelector('.plot');\n",
"  const tip = document.createElement('div'), NS = 'http://www.w3.org/2000/svg';\n",
"  tip.className = 'tip';\n",
"  tip.hidden = true;\n",
"  let logY = spec.logY, pick = null;\n",
"  const make = (name, attr, text, parent) => {\n",
"    const e = document.createElementNS(NS, name);\n",
"    for (const k in attr) e.setAttribute(k, attr[k]);\n",
"    if (text) e.textContent = text;\n",
"    parent.appendChild(e);\n",
"    return e;\n",
"  };\n",
"  const whole = spec.series.every((s) => !s.x || s.x.every((x) => x === Math.floor(x)));\n",
"  const xOf = (s, i) => s.x ? s.x[i] : i;\n",
"  const scale = (v, log) => v === null ? NaN : log ? (v > 0 ? Math.log10(v) : NaN) : v;\n",
"  function range(lists, log, fixed) {\n",
"    let lo = Infinity, hi = -Infinity;\n",
"    for (const v of lists)\n",
"      for (const x of v || []) {\n",
"        const y = scale(x, log);\n",
"        if (isFinite(y)) { lo = Math.min(lo, y); hi = Math.max(hi, y); }\n",
"      }\n",
"    if (!(lo <= hi)) { lo = 0; hi = 1; }\n",
"    if (hi - lo < 1e-9 * Math.max(Math.abs(lo), Math.abs(hi), log ? 1 : 1e-290)) {\n",
"      const w = log ? .5 : .1 * Math.abs(lo) || 1;\n",
"      lo -= w;\n",
"      hi += w;\n",
"    }\n",
"    if (fixed) return [lo, hi];\n",
"    if (!log && lo > 0 && lo < .3 * hi) lo = 0;\n",
"    return [lo - (lo === 0 ? 0 : .04 * (hi - lo)), hi + .04 * (hi - lo)];\n",
"  }\n",
"  function draw() {\n",
"    host.textContent = '';\n",
"    const W = host.clientWidth, H = host.clientHeight;\n",
"    const xs = range(spec.series.map((s) => s.y.map((v, i) => xOf(s, i))), spec.logX, true);\n",
"    const ys = range(spec.series.flatMap((s) => [s.y, s.low, s.high]), logY, false);\n",
"    const yt = ticks(ys[0], ys[1], logY, logY ? 6 : 4);\n",
"    const left = 14 + 6.6 * Math.max(1, ...yt.map((t) => t.text.length));\n",
"    const right = W - 10, top = 10, bottom = H - 40;\n",
"    const px = (v) => left + (scale(v, spec.logX) - xs[0]) / (xs[1] - xs[0]) * (right - left);\n",
"    const py = (v) => bottom - (scale(v, logY) - ys[0]) / (ys[1] - ys[0]) * (bottom - top);\n",
"    const svg = make('svg', { role: 'img', 'aria-label': summary(),\n",
"      viewBox: '0 0 ' + W + ' ' + H }, '', host);\n",
"    const line = (x1, y1, x2, y2, stroke) => make('line', { x1, y1, x2, y2, stroke }, '', svg);\n",
"    for (const t of yt) {\n",
"      const y = bottom - (t.at - ys[0]) / (ys[1] - ys[0]) * (bottom - top);\n",
"      line(left, y, right, y, 'var(--line)');\n",
"      make('text', { x: left - 7, y: y + 4, 'text-anchor': 'end' }, t.text, svg);\n",
"    }\n",
"    line(left, bottom, right, bottom, 'var(--muted)');\n",
"    for (const t of ticks(xs[0], xs[1], spec.logX, (right - left) / 70, whole)) {\n",
"      const x = left + (t.at - xs[0]) / (xs[1] - xs[0]) * (right - left);\n",
"      line(x, bottom, x, bottom + 4, 'var(--muted)');\n",
"      make('text', { x, y: bottom + 17, 'text-anchor': 'middle' }, t.text, svg);\n",
"    }\n",
"    make('text', { x: (left + right) / 2, y: H - 4, 'text-anchor': 'middle' }, spec.xLabel,\n",
"      svg);\n",
"    spec.series.forEach((s, k) => curve(svg, s, k, px, py));\n",
"    pick = { svg, px, py, left, right, top, bottom, W };\n",
"    host.appendChild(tip);\n",
"    if (button) button.setAttribute('aria-pressed', String(logY));\n",
"  }\n",
"  function curve(svg, s, k, px, py) {\n",
"    const color = 'var(--s' + k % 6 + ')';\n",
"    const path = (v) => { // gaps where there is no number\n",
"      let d = '', pen = false;\n",
"      for (let i = 0; i < v.length; i++) {\n",
"        const x = px(xOf(s, i)), y = py(v[i]);\n",
"        if (isFinite(x + y)) d += (pen ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1);\n",
"        pen = isFinite(x + y);\n",
"      }\n",
"      return d;\n",
"    };\n",
"    if (s.low && s.high)\n",
"      make('path', { fill: color, opacity: .16, d: band(s, px, py) }, '', svg);\n",
"    const points = s.style === 'points' || s.style === 'both' || s.style === 'best';\n",
"    const faint = s.style === 'best' ? .45 : 1;\n",
"    if (points && s.y.length <= 2000)\n",
"      s.y.forEach((v, i) => {\n",
"        const x = px(xOf(s, i)), y = py(v);\n",
"        if (!isFinite(x + y)) return;\n",
"        make('circle', { cx: x, cy: y, r: 2.4, fill: color, opacity: faint }, '', svg);\n",
"      });\n",
"    const line = s.style === 'best' ? best(s.y) : s.y;\n",
"    if (s.style !== 'points')\n",
"      make('path', { fill: 'none', stroke: color, 'stroke-width': 1.8,\n",
"        'stroke-linejoin': 'round', 'stroke-dasharray': s.dashed ? '5 4' : 'none',\n",
"        d: path(line) }, '', svg);\n",
"  }\n",
"  function band(s, px, py) {\n",
"    let there = '', back = '';\n",
"    for (let i = 0; i < s.y.length; i++) {\n",
"      const x = px(xOf(s, i)), a = py(s.low[i]), b = py(s.high[i]);\n",
"      if (!isFinite(x + a + b)) continue;\n",
"      there += (there ? 'L' : 'M') + x.toFixed(1) + ' ' + a.toFixed(1);\n",
"      back = 'L' + x.toFixed(1) + ' ' + b.toFixed(1) + back;\n",
"    }\n",
"    return there ? there + back + 'Z' : '';\n",
"  }\n",
"  function best(y) { // the smallest value so far\n",
"    let b = null;\n",
"    return y.map((v) => (b = v !== null && (b === null || v < b) ? v : b));\n",
"  }\n",
"  function summary() {\n",
"    return spec.title + '. ' + spec.series.map((s) => {\n",
"      const v = s.y.filter((y) => y !== null);\n",
"      return s.label + ': ' + v.length + ' points, from ' + number(v[0]) + ' to ' +\n",
"        number(v[v.length - 1]);\n",
"    }).join('; ');\n",
"  }\n",
"  host.addEventListener('pointermove', (e) => {\n",
"    const at = e.clientX - host.getBoundingClientRect().left, p = pick;\n",
"    let close = null;\n",
"    for (const s of spec.series)\n",
"      for (let i = 0; i < s.y.length; i++) {\n",
"        const d = Math.abs(p.px(xOf(s, i)) - at);\n",
"        if (s.y[i] !== null && (!close || d < close.d)) close = { d, x: xOf(s, i) };\n",
"      }\n",
"    if (!close) return;\n",
"    const rows = spec.series.map((s) => {\n",
"      const i = s.x ? s.x.indexOf(close.x) : close.x;\n",
"      return i >= 0 && i < s.y.length ? s.label + ' ' + number(s.y[i]) : '';\n",
"    });\n",
"    rows.unshift(spec.xLabel + ' ' + number(close.x, 6));\n",
"    tip.textContent = rows.filter(Boolean).join('\\n');\n",
"    tip.hidden = false;\n",
"    const x = p.px(close.x), w = tip.offsetWidth;\n",
"    tip.style.left = (x + 10 + w < p.W ? x + 10 : Math.max(0, x - 10 - w)) + 'px';\n",
"    const old = p.svg.querySelector('.cursor');\n",
"    if (old) old.remove();\n",
"    make('line', { class: 'cursor', x1: x, x2: x, y1: p.top, y2: p.bottom,\n",
"      stroke: 'var(--muted)' }, '', p.svg);\n",
"  });\n",
"  host.addEventListener('pointerleave', () => {\n",
"    tip.hidden = true;\n",
"    const old = pick.svg.querySelector('.cursor');\n",
"    if (old) old.remove();\n",
"  });\n",
"  if (button) button.addEventListener('click', () => { logY = !logY; draw(); });\n",
"  new ResizeObserver(draw).observe(host);\n",
"}\n",
"document.querySelectorAll('figure.chart').forEach((f, k) => chart(data.charts[k], f));\n",
"start();\n",
"})();\n",
};
/* clang-format on */

static void dcxi_page_put_style(dcxi_page_out *o)
{
    dcxi_page_lines(o, dcxi_page_style, sizeof dcxi_page_style / sizeof *dcxi_page_style);
}

static void dcxi_page_put_script(dcxi_page_out *o)
{
    dcxi_page_lines(o, dcxi_page_script, sizeof dcxi_page_script / sizeof *dcxi_page_script);
}

#endif /* DCX_PAGE_IMPLEMENTATION */

/* >>licence ----------------------------------------------------------------------------------

   Two licences, choose the one you prefer.

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
