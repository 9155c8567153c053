/* test_page.c - the playback page and the SVG plots of examples/dcx_page.h: what is in the files,
   what is refused, and that positions read back within half a step of their 16 bits. That the page
   looks right can only be seen in a browser. */
#define DCX_PAGE_IMPLEMENTATION
#include "../examples/dcx_page.h"

#include "test.h"

#include <locale.h>
#include <stdlib.h>

enum { GRID = 6, VERTICES = GRID * GRID, TRIANGLES = 2 * (GRID - 1) * (GRID - 1), FRAMES = 23 };

/* A square that waves while it falls, its target, and everything a page can show. */
typedef struct scene {
    int triangles[3 * TRIANGLES];
    double frames[FRAMES * VERTICES * 3], target[FRAMES * VERTICES * 3];
    double poses[FRAMES * 7], handles[FRAMES * 3], arrows[VERTICES * 3], loss[5];
    dcx_page_obstacle obstacle[2];
    dcx_page_arrows arrow;
    dcx_plot_series series;
    dcx_plot_desc chart;
    dcx_page_row rows[2];
    dcx_page_fact fact;
    dcx_page_desc page;
} scene;

static scene sc;
static char path[64], error[256];

static void fill_motion(void)
{
    int f, i, c;
    for (f = 0; f < FRAMES; f++)
        for (i = 0; i < VERTICES; i++) {
            double *x = sc.frames + 3 * (f * VERTICES + i), u = i % GRID, v = i / GRID;
            x[0] = 0.2 * u - 0.5;
            x[1] = 1.0 - 0.003 * f * f + 0.05 * sin(u + 0.3 * f) * cos(v);
            x[2] = 0.2 * v - 0.5 + 1e-3 * f;
            for (c = 0; c < 3; c++) sc.target[3 * (f * VERTICES + i) + c] = x[c] + 0.01 * c;
        }
    for (f = 0; f < FRAMES; f++) {
        double *p = sc.poses + 7 * f;
        p[0] = 0.01 * f;
        p[1] = p[2] = p[4] = p[6] = 0;
        p[3] = cos(0.1 * f);
        p[5] = sin(0.1 * f);
        for (c = 0; c < 3; c++) sc.handles[3 * f + c] = sc.frames[3 * f * VERTICES + c];
    }
    for (i = 0; i < 3 * VERTICES; i++) sc.arrows[i] = sin(0.7 * i);
}

static void fill_topology(void)
{
    int i, j, *t = sc.triangles;
    for (j = 0; j + 1 < GRID; j++)
        for (i = 0; i + 1 < GRID; i++, t += 6) {
            int a = j * GRID + i;
            t[0] = a;
            t[1] = t[3] = a + GRID;
            t[2] = t[5] = a + 1;
            t[4] = a + GRID + 1;
        }
}

static void fill_tables(void)
{
    static const double loss[5] = {9.5, 1.2, 0.1, 3e-3, 1e-5};
    memcpy(sc.loss, loss, sizeof loss);
    memset(&sc.series, 0, sizeof sc.series);
    sc.series.label = "L-BFGS-B";
    sc.series.count = 5;
    sc.series.y = sc.loss;
    sc.chart = dcx_default_plot_desc();
    sc.chart.title = "Loss";
    sc.chart.x_label = "evaluations";
    sc.chart.y_label = "m2";
    sc.chart.log_y = 1;
    sc.chart.series_count = 1;
    sc.chart.series = &sc.series;
    sc.rows[0].name = "friction";
    sc.rows[0].unit = NULL;
    sc.rows[0].start = 0.9;
    sc.rows[0].recovered = 0.303;
    sc.rows[0].truth = 0.3;
    sc.rows[1].name = "phase";
    sc.rows[1].unit = "rad";
    sc.rows[1].start = NAN;
    sc.rows[1].recovered = 1e-7;
    sc.rows[1].truth = 0;
    sc.fact.label = "vertices";
    sc.fact.value = "36";
}

/* Fills sc; the page then has one of everything. */
static void fill(void)
{
    dcx_page_desc *p = &sc.page;
    FILE *file;
    fill_motion();
    fill_topology();
    fill_tables();
    memset(sc.obstacle, 0, sizeof sc.obstacle);
    sc.obstacle[0].radius = 0.3;
    sc.obstacle[0].label = "ball";
    sc.obstacle[0].pose_count = FRAMES;
    sc.obstacle[0].poses = sc.poses;
    sc.obstacle[1].shape = DCX_PAGE_MESH;
    sc.obstacle[1].vertex_count = VERTICES;
    sc.obstacle[1].triangle_count = TRIANGLES;
    sc.obstacle[1].vertices = sc.frames;
    sc.obstacle[1].triangles = sc.triangles;
    sc.arrow.label = "-dL/dx";
    sc.arrow.unit = "N";
    sc.arrow.frame = 7;
    sc.arrow.vectors = sc.arrows;
    *p = dcx_default_page_desc();
    p->title = "Napkin";
    p->description = "Falls.";
    p->notes = "One.\n\nTwo.";
    p->vertex_count = VERTICES;
    p->triangle_count = TRIANGLES;
    p->triangles = sc.triangles;
    p->frame_count = FRAMES;
    p->frame_seconds = 0.01;
    p->frames = sc.frames;
    p->target_frames = sc.target;
    p->obstacle_count = 2;
    p->obstacles = sc.obstacle;
    p->arrow_count = 1;
    p->arrows = &sc.arrow;
    p->handle_count = 1;
    p->handles = sc.handles;
    p->chart_count = 1;
    p->charts = &sc.chart;
    p->row_count = 2;
    p->rows = sc.rows;
    p->fact_count = 1;
    p->facts = &sc.fact;
    strcpy(path, "build/test_page.tmp"); /* the build folder, or here when there is none */
    file = fopen(path, "wb");
    if (file)
        fclose(file);
    else
        strcpy(path, "test_page.tmp");
    remove(path);
    error[0] = 0;
}

/* The file at `path` as text, or NULL; free() it. */
static char *slurp(void)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long n;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    n = ftell(file);
    rewind(file);
    text = (char *)malloc((size_t)n + 1);
    if (text) text[fread(text, 1, (size_t)n, file)] = 0;
    fclose(file);
    return text;
}

/* Writes sc.page and reads it back; an empty text when that failed. */
static char *write_page(void)
{
    char *text = NULL;
    if (CHECK_EQ(dcx_page_write(path, &sc.page, error, sizeof error), 0))
        text = slurp();
    else
        printf("%s\n", error);
    remove(path);
    if (!text) text = (char *)calloc(1, 1);
    return text;
}

static int occurrences(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text++) n++;
    return n;
}

static int ends_with(const char *text, const char *part)
{
    size_t n = strlen(text), m = strlen(part);
    return n >= m && strcmp(text + n - m, part) == 0;
}

/* ---- structure ------------------------------------------------------------------------------ */

static void page_is_one_complete_file(void)
{
    char *t;
    fill();
    t = write_page();
    CHECK(strstr(t, "<!doctype html>\n") == t);
    CHECK(ends_with(t, "</html>\n"));
    CHECK_EQ(occurrences(t, "<script"), 2);
    CHECK_EQ(occurrences(t, "</script>"), 2);
    CHECK_EQ(occurrences(t, "<style>"), 1);
    CHECK_EQ(occurrences(t, "<table>"), occurrences(t, "</table>"));
    CHECK_EQ(occurrences(t, "<section"), occurrences(t, "</section>"));
    CHECK_EQ(occurrences(t, "<div"), occurrences(t, "</div>"));
    CHECK_EQ(occurrences(t, "<span"), occurrences(t, "</span>"));
    CHECK_EQ(occurrences(t, "<figure"), occurrences(t, "</figure>"));
    CHECK_EQ(occurrences(t, " src="), 0);
    CHECK_EQ(occurrences(t, "@import"), 0);
    CHECK_EQ(occurrences(t, "://"), 1); /* the SVG namespace, which nothing asks for */
    CHECK_STR(t, "'http://www.w3.org/2000/svg'");
    free(t);
}

static void page_has_what_the_script_looks_for(void)
{
    static const char *const ids[] = {"stage",     "canvas",   "pane0", "pane1", "message",
                                      "play",      "scrub",    "clock", "speed", "target",
                                      "arrows",    "wire",     "reset", "save",  "arrow-note",
                                      "grid-note", "page-data"};
    size_t i;
    char *t, id[64];
    fill();
    t = write_page();
    for (i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(id, sizeof id, " id=\"%s\"", ids[i]);
        if (!CHECK_EQ(occurrences(t, id), 1)) printf("  id %s\n", ids[i]);
    }
    CHECK_STR(t, "max=\"22\"");
    CHECK_STR(t, "\"arrows\":[{\"frame\":7,");
    CHECK_STR(t, "\"shape\":\"sphere\"");
    CHECK_STR(t, "\"shape\":\"mesh\"");
    CHECK_STR(t, "\"targetMode\":\"overlay\"");
    CHECK_STR(t, "\"handles\":{\"count\":1,");
    CHECK_STR(t, "<p>One.</p>\n<p>Two.</p>");
    CHECK_STR(t, "<dt>vertices</dt><dd>36</dd>");
    free(t);
}

static void page_leaves_out_what_is_not_given(void)
{
    char *t;
    fill();
    sc.page.target_frames = NULL;
    sc.page.obstacle_count = sc.page.arrow_count = sc.page.handle_count = 0;
    sc.page.chart_count = sc.page.row_count = sc.page.fact_count = 0;
    sc.page.title = sc.page.description = sc.page.notes = NULL;
    sc.page.frame_count = 1;
    t = write_page();
    CHECK_STR(t, "<title>diffcloth</title>");
    CHECK_STR(t, "<main class=\"alone\">");
    CHECK_STR(t, "\"targetMode\":\"off\"");
    CHECK_EQ(occurrences(t, "id=\"target\""), 0);
    CHECK_EQ(occurrences(t, "id=\"arrows\""), 0);
    CHECK_EQ(occurrences(t, "<table>"), 0);
    CHECK_EQ(occurrences(t, "<figure"), 0);
    CHECK_EQ(occurrences(t, "\"target\":"), 0);
    free(t);
}

static void page_table_shows_errors_and_gaps(void)
{
    char *t;
    fill();
    t = write_page();
    CHECK_STR(t, "<th scope=\"row\">friction</th><td>0.9</td><td class=\"got\">0.303</td>"
                 "<td>0.3</td><td>1\xC2\xA0%</td>");
    CHECK_STR(t,
              "<th scope=\"row\">phase <small>rad</small></th><td>\xE2\x80\x93</td>"
              "<td class=\"got\">10\xE2\x81\xBB\xE2\x81\xB7</td><td>0</td><td>\xE2\x80\x93</td>");
    free(t);
    sc.page.row_count = 1;
    sc.rows[0].truth = NAN;
    t = write_page();
    CHECK_EQ(occurrences(t, ">truth</th>"), 0);
    CHECK_EQ(occurrences(t, ">error</th>"), 0);
    free(t);
}

/* ---- escaping -------------------------------------------------------------------------------- */

static void page_escapes_text(void)
{
    static const char evil[] = "</script><script>alert(\"1\")</script>&'\\\x01\x7F";
    char *t;
    fill();
    sc.page.title = sc.page.description = sc.page.notes = sc.page.label = evil;
    sc.page.target_label = sc.page.handle_label = sc.page.length_unit = evil;
    sc.obstacle[0].label = sc.arrow.label = sc.arrow.unit = sc.series.label = evil;
    sc.chart.title = sc.chart.x_label = sc.chart.y_label = evil;
    sc.rows[0].name = sc.rows[0].unit = sc.fact.label = sc.fact.value = evil;
    t = write_page();
    CHECK_EQ(occurrences(t, "alert(\"1\")"), 0);
    CHECK_EQ(occurrences(t, "<script>alert"), 0);
    CHECK_EQ(occurrences(t, "</script>"), 2);
    CHECK_EQ(occurrences(t, "\x01"), 0);
    CHECK_EQ(occurrences(t, "\x7F"), 0);
    CHECK_STR(t,
              "&#60;/script&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;&#39;\\");
    CHECK_STR(t, "\"label\":\"\\u003c/script\\u003e\\u003cscript\\u003ealert(\\u00221\\u0022)"
                 "\\u003c/script\\u003e\\u0026\\u0027\\u005c  \"");
    free(t);
}

static void page_repairs_text_that_is_not_utf8(void)
{
    char *t;
    fill();
    sc.page.title = "\xCE\xBC\xFF\xC0\x80\xE2\x82|\xED\xA0\x80|\xF0\x9D\x84\x9E";
    t = write_page();
    CHECK_STR(t, "<title>\xCE\xBC\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|"
                 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xF0\x9D\x84\x9E</title>");
    free(t);
}

/* ---- positions ------------------------------------------------------------------------------- */

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = c ? strchr(digits, c) : NULL;
    return p ? (int)(p - digits) : -1;
}

/* Decodes the base64 text behind `key` (up to its quote) into bytes; returns their number. */
static size_t decode(const char *text, const char *key, unsigned char *bytes, size_t room)
{
    const char *p = strstr(text, key);
    unsigned long word = 0;
    int bits = 0;
    size_t n = 0;
    if (!p) return 0;
    for (p += strlen(key); base64_value(*p) >= 0; p++) {
        word = (word << 6 | (unsigned long)base64_value(*p)) & 0xFFFFFFul;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        if (n < room) bytes[n] = (unsigned char)(word >> bits & 255u);
        n++;
    }
    return n;
}

static void read_three(const char *text, const char *key, double x[3])
{
    const char *p = strstr(text, key);
    int c;
    x[0] = x[1] = x[2] = NAN;
    if (!p) return;
    for (c = 0, p += strlen(key); c < 3; c++, p++) {
        char *end;
        x[c] = strtod(p, &end);
        p = end;
    }
}

/* Every stored coordinate of the body at `key` against `x`, the motion it came from. */
static void check_body(const char *page, const char *key, const double *x, int stride)
{
    static unsigned char bytes[FRAMES * VERTICES * 6];
    const char *body = strstr(page, key);
    int stored = (FRAMES - 1) / stride + 1 + ((FRAMES - 1) % stride != 0), s, i, bad = 0;
    double min[3], step[3];
    if (!CHECK(body != NULL)) return;
    read_three(body, "\"min\":[", min);
    read_three(body, "\"step\":[", step);
    if (!CHECK_EQ(decode(body, "\"q\":\"", bytes, sizeof bytes), stored * VERTICES * 6)) return;
    for (s = 0; s < stored; s++) {
        int frame = s * stride < FRAMES - 1 ? s * stride : FRAMES - 1;
        for (i = 0; i < 3 * VERTICES; i++) {
            const unsigned char *b = bytes + 2 * (s * 3 * VERTICES + i);
            double got = min[i % 3] + step[i % 3] * (b[0] + 256 * b[1]);
            double want = x[3 * VERTICES * frame + i];
            if (!(fabs(got - want) <= 0.5 * step[i % 3] * (1 + 1e-9) + 1e-15)) bad++;
        }
    }
    CHECK_EQ(bad, 0);
    CHECK(step[1] <= 2.0 / 65535);
}

static void positions_read_back_within_half_a_step(void)
{
    int stride;
    for (stride = 1; stride <= 30; stride += 3) {
        char *t;
        fill();
        sc.page.stride = stride;
        t = write_page();
        check_body(t, "\"cloth\":", sc.frames, stride);
        check_body(t, "\"target\":{", sc.target, stride);
        free(t);
    }
}

static void floats_give_the_same_page_as_doubles(void)
{
    static float f32[FRAMES * VERTICES * 3];
    char *a, *b;
    int i;
    fill();
    for (i = 0; i < FRAMES * VERTICES * 3; i++)
        sc.frames[i] = (double)(f32[i] = (float)sc.frames[i]);
    a = write_page();
    sc.page.frames = NULL;
    sc.page.frames_f32 = f32;
    b = write_page();
    CHECK(strcmp(a, b) == 0);
    free(a);
    free(b);
}

static void a_flat_or_still_motion_is_stored(void)
{
    int i;
    char *t;
    fill();
    for (i = 0; i < FRAMES * VERTICES; i++) sc.frames[3 * i + 1] = 0.25;
    t = write_page();
    CHECK_STR(t, "\"step\":[");
    free(t);
    for (i = 0; i < FRAMES * VERTICES * 3; i++) sc.frames[i] = 7;
    t = write_page();
    CHECK_STR(t, "\"cloth\":{\"min\":[7,7,7],\"step\":[0,0,0]");
    free(t);
}

static void stride_keeps_the_page_small(void)
{
    static int triangles[3] = {0, 1, 2};
    static float x[400 * 3000 * 3];
    dcx_page_desc p = dcx_default_page_desc();
    int stride;
    char *t;
    fill();
    CHECK_EQ(dcx_page_stride(&sc.page), 1);
    p.vertex_count = 3000;
    p.triangle_count = 1;
    p.triangles = triangles;
    p.frame_count = 400;
    p.frame_seconds = 0.01;
    p.frames_f32 = x;
    p.max_bytes = 1000000;
    stride = dcx_page_stride(&p);
    CHECK(stride > 8 && stride < 14);
    sc.page = p;
    t = write_page();
    CHECK(strlen(t) < p.max_bytes && strlen(t) > p.max_bytes / 2);
    free(t);
    p.max_bytes = 1000; /* the first and the last frame always */
    CHECK_EQ(dcx_page_stride(&p), 399);
    p.frame_count = 1;
    CHECK_EQ(dcx_page_stride(&p), 1);
    p.stride = 5;
    CHECK_EQ(dcx_page_stride(&p), 5);
}

static void a_pose_turns_y_to_the_axis(void)
{
    static const double axes[5][3] = {
        {0, 1, 0}, {0, -2, 0}, {3, 0, 0}, {0, 0.74, 0.673}, {-1, -1, 2}};
    static const double position[3] = {1, 2, 3};
    int k;
    for (k = 0; k < 5; k++) {
        double p[7], w, x, y, z,
            length =
                sqrt(axes[k][0] * axes[k][0] + axes[k][1] * axes[k][1] + axes[k][2] * axes[k][2]);
        dcx_page_pose(position, axes[k], p);
        w = p[3];
        x = p[4];
        y = p[5];
        z = p[6];
        CHECK_NEAR(w * w + x * x + y * y + z * z, 1, 1e-14);
        CHECK_NEAR(2 * (x * y - w * z), axes[k][0] / length, 1e-14);
        CHECK_NEAR(1 - 2 * (x * x + z * z), axes[k][1] / length, 1e-14);
        CHECK_NEAR(2 * (y * z + w * x), axes[k][2] / length, 1e-14);
        CHECK(p[0] == 1 && p[1] == 2 && p[2] == 3);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* sc.page must be refused with `part` in the text, and an older file stay as it was. */
static void refused(const char *part)
{
    FILE *file = fopen(path, "wb");
    char *t;
    if (!CHECK(file != NULL)) return;
    fputs("older", file);
    fclose(file);
    error[0] = 0;
    CHECK_EQ(dcx_page_write(path, &sc.page, error, sizeof error), -1);
    CHECK_STR(error, part);
    t = slurp();
    CHECK(t && strcmp(t, "older") == 0);
    free(t);
    remove(path);
    fill();
}

static void page_refuses_numbers_that_are_not_finite(void)
{
    fill();
    sc.frames[3 * (4 * VERTICES + 9) + 2] = NAN;
    refused("frames: frame 4, vertex 9, z");
    sc.target[0] = INFINITY;
    refused("target_frames: frame 0, vertex 0, x");
    sc.frames[1] = 1e16;
    refused("frames: frame 0, vertex 0, y: 1e+16");
    sc.poses[8] = NAN;
    refused("poses of obstacle 0: number 8");
    sc.arrows[5] = -INFINITY;
    refused("arrows 0: number 5");
    sc.handles[2] = NAN;
    refused("handles 0: number 2");
    sc.obstacle[0].radius = NAN;
    refused("obstacle 0: radius");
    sc.page.frame_seconds = NAN;
    refused("frame_seconds");
    sc.page.azimuth = INFINITY;
    refused("azimuth");
}

static void page_refuses_what_does_not_fit(void)
{
    fill();
    sc.triangles[4] = VERTICES;
    refused("triangle 1 names vertex 36 of 36");
    sc.triangles[0] = -1;
    refused("triangle 0 names vertex -1");
    sc.page.frames = NULL;
    refused("frames or frames_f32");
    sc.page.vertex_count = 0;
    refused("0 vertices");
    sc.page.frame_count = 0;
    refused("0 frames");
    sc.obstacle[0].pose_count = 2;
    refused("2 poses for 23 frames");
    memset(sc.poses + 3, 0, 4 * sizeof(double));
    refused("pose 0 has quaternion 0");
    sc.obstacle[1].triangle_count = 0;
    refused("obstacle 1: a mesh of");
    sc.obstacle[0].shape = DCX_PAGE_BOX;
    refused("obstacle 0: size[0]");
    sc.arrow.frame = FRAMES;
    refused("arrows 0: frame 23 of 23");
    sc.page.charts = NULL;
    refused("charts: count 1, no array");
    sc.series.count = -1;
    refused("series 0 has count -1");
    sc.page.row_count = -2;
    refused("rows: count -2");
    sc.page.up_axis = 3;
    refused("up_axis 3");
    CHECK_EQ(dcx_page_write(NULL, &sc.page, NULL, 0), -1);
    CHECK_EQ(dcx_page_write(path, NULL, NULL, 0), -1);
}

static void a_path_that_cannot_be_written_is_an_error(void)
{
    fill();
    CHECK_EQ(dcx_page_write("no such folder/page.html", &sc.page, error, sizeof error), -1);
    CHECK_STR(error, "no such folder/page.html: ");
    CHECK_EQ(dcx_svg_plot("no such folder/plot.svg", &sc.chart, error, sizeof error), -1);
    CHECK_STR(error, "no such folder/plot.svg: ");
}

/* ---- plots ----------------------------------------------------------------------------------- */

static char *write_plot(const dcx_plot_desc *d)
{
    char *text = NULL;
    if (CHECK_EQ(dcx_svg_plot(path, d, error, sizeof error), 0)) text = slurp();
    remove(path);
    return text ? text : (char *)calloc(1, 1);
}

static void plot_is_well_formed(void)
{
    char *t;
    fill();
    t = write_plot(&sc.chart);
    CHECK(strstr(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"400\"") == t);
    CHECK(ends_with(t, "</svg>\n"));
    CHECK_EQ(occurrences(t, "<text"), occurrences(t, "</text>"));
    CHECK_EQ(occurrences(t, "<g "), occurrences(t, "</g>"));
    CHECK_STR(t, ">Loss</text>");
    CHECK_STR(t, ">evaluations</text>");
    CHECK_STR(t, ">10\xE2\x81\xBB\xC2\xB3</text>");
    CHECK_STR(t, ">10</text>");
    CHECK_STR(t, ">4</text>");
    CHECK_EQ(occurrences(t, ">0.5</text>"), 0); /* evaluations are whole */
    CHECK_STR(t, ">10\xE2\x81\xBB\xE2\x81\xB5</text>");
    CHECK_EQ(occurrences(t, "L-BFGS-B"), 0); /* one series needs no legend */
    CHECK_EQ(occurrences(t, "class=\"curve s0\""), 1);
    CHECK_EQ(occurrences(t, "nan"), 0);
    free(t);
}

static void plot_leaves_gaps(void)
{
    char *t;
    fill();
    sc.loss[1] = NAN;
    sc.loss[3] = 0; /* none on a logarithmic axis */
    sc.series.style = DCX_PLOT_BOTH;
    t = write_plot(&sc.chart);
    CHECK_EQ(occurrences(t, "<circle"), 3);
    CHECK_EQ(occurrences(strstr(t, "class=\"curve s0\" d="), "M"), 3);
    CHECK_EQ(occurrences(t, "nan"), 0);
    CHECK_EQ(occurrences(t, "inf"), 0);
    free(t);
    sc.series.style = DCX_PLOT_BEST; /* the best so far goes on through the gaps */
    sc.chart.log_y = 0;
    t = write_plot(&sc.chart);
    CHECK_EQ(occurrences(strstr(t, "class=\"curve s0\" d="), "M"), 1);
    CHECK_EQ(occurrences(t, "faint\" r="), 4);
    free(t);
}

static void plot_takes_any_data(void)
{
    static const double y[4][3] = {{5, 5, 5}, {0, 0, 0}, {NAN, NAN, NAN}, {1e300, -1e300, 1e-300}};
    static const double x[3] = {1e-9, 1e3, 1e9}, low[3] = {1, 2, 3}, high[3] = {2, 3, 4};
    int k, log_y, count;
    for (k = 0; k < 4; k++)
        for (log_y = 0; log_y < 2; log_y++)
            for (count = 0; count <= 3; count++) {
                dcx_plot_desc d = dcx_default_plot_desc();
                dcx_plot_series s[2];
                char *t;
                fill();
                memset(s, 0, sizeof s);
                s[0].y = y[k];
                s[0].count = count;
                s[1].x = x;
                s[1].y = low;
                s[1].low = low;
                s[1].high = high;
                s[1].count = count;
                s[0].label = "a <b>";
                s[1].label = "c";
                d.log_x = k & 1;
                d.log_y = log_y;
                d.series = s;
                d.series_count = 2;
                t = write_plot(&d);
                CHECK(ends_with(t, "</svg>\n"));
                CHECK_EQ(occurrences(t, "nan"), 0);
                CHECK_EQ(occurrences(t, "inf"), 0);
                CHECK_STR(t, "a &#60;b&#62;");
                CHECK(occurrences(t, "class=\"tick\"") < 60);
                free(t);
            }
}

static void plot_refuses_bad_descriptors(void)
{
    fill();
    sc.chart.width = NAN;
    CHECK_EQ(dcx_svg_plot(path, &sc.chart, error, sizeof error), -1);
    CHECK_STR(error, "size");
    fill();
    sc.series.y = NULL;
    CHECK_EQ(dcx_svg_plot(path, &sc.chart, error, sizeof error), -1);
    CHECK_STR(error, "series 0");
    CHECK_EQ(dcx_svg_plot(NULL, &sc.chart, error, sizeof error), -1);
}

static void numbers_for_people(void)
{
    static const struct {
        double x;
        int digits;
        const char *text;
    } cases[] = {{0, 4, "0"},
                 {-0.0, 4, "0"},
                 {0.3, 4, "0.3"},
                 {-12.5, 4,
                  "\xE2\x88\x92"
                  "12.5"},
                 {1426, 4, "1426"},
                 {99999.9, 4, "100000"},
                 {0.00099999, 2, "0.001"},
                 {123456789, 3,
                  "1.23\xC3\x97"
                  "10\xE2\x81\xB8"},
                 {1e-5, 4, "10\xE2\x81\xBB\xE2\x81\xB5"},
                 {-2.50e-12, 4,
                  "\xE2\x88\x92"
                  "2.5\xC3\x97"
                  "10\xE2\x81\xBB\xC2\xB9\xC2\xB2"},
                 {NAN, 4, "\xE2\x80\x93"},
                 {100, 1, "100"}};
    char text[DCXI_PAGE_PRETTY];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!CHECK(strcmp(dcxi_page_pretty(text, cases[i].x, cases[i].digits), cases[i].text) == 0))
            printf("  %g: \"%s\", not \"%s\"\n", cases[i].x, text, cases[i].text);
}

static void files_do_not_depend_on_the_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "German"};
    char *a, *b, *c, *d;
    size_t i;
    int found = 0;
    fill();
    a = write_page();
    c = write_plot(&sc.chart);
    for (i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    b = write_page();
    d = write_plot(&sc.chart);
    setlocale(LC_NUMERIC, "C");
    CHECK(strcmp(a, b) == 0);
    CHECK(strcmp(c, d) == 0);
    free(a);
    free(b);
    free(c);
    free(d);
}

void suite_page(void);

void suite_page(void)
{
    TEST_RUN(page_is_one_complete_file);
    TEST_RUN(page_has_what_the_script_looks_for);
    TEST_RUN(page_leaves_out_what_is_not_given);
    TEST_RUN(page_table_shows_errors_and_gaps);
    TEST_RUN(page_escapes_text);
    TEST_RUN(page_repairs_text_that_is_not_utf8);
    TEST_RUN(positions_read_back_within_half_a_step);
    TEST_RUN(floats_give_the_same_page_as_doubles);
    TEST_RUN(a_flat_or_still_motion_is_stored);
    TEST_RUN(stride_keeps_the_page_small);
    TEST_RUN(a_pose_turns_y_to_the_axis);
    TEST_RUN(page_refuses_numbers_that_are_not_finite);
    TEST_RUN(page_refuses_what_does_not_fit);
    TEST_RUN(a_path_that_cannot_be_written_is_an_error);
    TEST_RUN(plot_is_well_formed);
    TEST_RUN(plot_leaves_gaps);
    TEST_RUN(plot_takes_any_data);
    TEST_RUN(plot_refuses_bad_descriptors);
    TEST_RUN(numbers_for_people);
    TEST_RUN(files_do_not_depend_on_the_locale);
}
