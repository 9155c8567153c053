/* test_io.c - reading and writing meshes and motions, generated meshes, the command line, JSON. */

/* An allocator that counts blocks and can be told to fail. */
#include <stddef.h>
static void *counted_malloc(size_t bytes);
static void *counted_realloc(void *pointer, size_t bytes);
static void counted_free(void *pointer);
#define DCX_MALLOC(bytes) counted_malloc(bytes)
#define DCX_REALLOC(pointer, bytes) counted_realloc(pointer, bytes)
#define DCX_FREE(pointer) counted_free(pointer)

#define DCX_MESH_IMPLEMENTATION
#define DCX_APP_IMPLEMENTATION
#include "../examples/dcx_app.h"
#include "../examples/dcx_mesh.h"
#include "test.h"

static long counted_blocks, counted_calls, counted_fail_at;

static int counted_may_go(void)
{
    return ++counted_calls != counted_fail_at;
}

static void *counted_malloc(size_t bytes)
{
    void *p = counted_may_go() ? malloc(bytes) : NULL;
    if (p) counted_blocks++;
    return p;
}

static void *counted_realloc(void *pointer, size_t bytes)
{
    void *p = counted_may_go() ? realloc(pointer, bytes) : NULL;
    if (p && !pointer) counted_blocks++;
    return p;
}

static void counted_free(void *pointer)
{
    if (pointer) counted_blocks--;
    free(pointer);
}

#define FOLDER "build/test_io"

static const char *in_folder(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = !turn;
    dcx_make_folder(FOLDER, NULL);
    snprintf(path[turn], sizeof path[turn], FOLDER "/%s", name);
    return path[turn];
}

static const char *write_file(const char *name, const void *data, size_t bytes)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    if (!file) return path;
    CHECK_EQ(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
    return path;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int parses(const char *text, double expected)
{
    double value = -77.0;
    const char *end = dcx_double_parse(text, NULL, &value);
    return end && *end == 0 && memcmp(&value, &expected, sizeof value) == 0;
}

static void number_formats(void) /* O05 */
{
    double value;
    CHECK(parses(".73", 0.73));
    CHECK(parses("-.5e1", -5.0));
    CHECK(parses("+1.E+2", 100.0));
    CHECK(parses("6.43E-5", 6.43e-5));
    CHECK(parses("-1.07797e-046", -1.07797e-46));
    CHECK(parses("1e-400", 0.0));
    CHECK(parses("1e-21474836311", 0.0));
    CHECK(parses("0e99999999999", 0.0));
    CHECK(parses("-0", -0.0));
    CHECK(parses("000000000000000000000012.50", 12.5));
    CHECK(dcx_double_parse("1e400", NULL, &value) == NULL);
    CHECK(dcx_double_parse("1e999999999999", NULL, &value) == NULL);
    CHECK(dcx_double_parse(".", NULL, &value) == NULL);
    CHECK(dcx_double_parse("-", NULL, &value) == NULL);
    CHECK(dcx_double_parse("e5", NULL, &value) == NULL);
    CHECK(dcx_double_parse("nan", NULL, &value) == NULL);
    CHECK(dcx_double_parse("inf", NULL, &value) == NULL);
    CHECK(dcx_double_parse("", NULL, &value) == NULL);
    CHECK_STR(dcx_double_parse("0x10", NULL, &value), "x10");
    CHECK_STR(dcx_double_parse("1,5", NULL, &value), ",5");
    CHECK_STR(dcx_double_parse("1.2.3", NULL, &value), ".3");
    CHECK_STR(dcx_double_parse("1e+", NULL, &value), "e+");
}

static void number_rounding(void)
{
    char text[1200];
    double value = 0.0;
    int i;
    CHECK(parses("9007199254740993", 9007199254740992.0)); /* halfway, to even */
    CHECK(parses("9007199254740995", 9007199254740996.0));
    CHECK(parses("9007199254740993.00000000000000000000001", 9007199254740994.0));
    CHECK(parses("1.00000000000000011102230246251565404236316680908203125", 1.0));
    CHECK(parses("1.00000000000000011102230246251565404236316680908203126", 1.0 + DBL_EPSILON));
    CHECK(parses("1.7976931348623157e308", DBL_MAX));
    CHECK(parses("1.797693134862315807e308", DBL_MAX));
    CHECK(dcx_double_parse("1.7976931348623159e308", NULL, &value) == NULL);
    CHECK(parses("2.2250738585072014e-308", DBL_MIN));
    CHECK(parses("2.2250738585072011e-308", 2.2250738585072011e-308));
    CHECK(parses("4.9406564584124654e-324", ldexp(1.0, -1074)));
    CHECK(parses("2.4703282292062328e-324", ldexp(1.0, -1074)));
    CHECK(parses("2.4703282292062327e-324", 0.0));
    CHECK(parses("8.5e22", 8.5e22));
    CHECK(parses("1e23", 1e23));
    CHECK(parses("123456789012345678901234567890e-50", 123456789012345678901234567890e-50));
    /* digits far behind a halfway point still count */
    memset(text, 0, sizeof text);
    strcpy(text, "9007199254740993.");
    memset(text + strlen(text), '0', 1100);
    CHECK(parses(text, 9007199254740992.0));
    text[strlen(text) - 1] = '7';
    CHECK(parses(text, 9007199254740994.0));
    /* many digits before the point */
    memset(text, 0, sizeof text);
    memset(text, '1', 1000);
    strcpy(text + 1000, "e-999");
    CHECK(dcx_double_parse(text, NULL, &value) != NULL);
    CHECK_NEAR(value, 1.1111111111111112, 0.0);
    memset(text, '0', 1000);
    strcpy(text + 1000, "3");
    CHECK(parses(text, 3.0));
    text[1] = '.';
    strcpy(text + 1000, "3e999");
    CHECK(parses(text, 3.0));
    for (i = 1; i < 2000; i++) { /* every power of two there is, and neighbours */
        double a = ldexp(1.0, i - 1000);
        snprintf(text, sizeof text, "%.17g", a);
        CHECK(parses(text, a));
        snprintf(text, sizeof text, "%.17g", a * (1 - DBL_EPSILON / 2));
        CHECK(parses(text, a * (1 - DBL_EPSILON / 2)));
    }
}

/* Random bit patterns printed with 17 digits and more must come back bit for bit. */
static void number_round_trip(void)
{
    uint64_t state = 88172645463325252u;
    char text[DCX_DOUBLE_TEXT], longer[64];
    int i, bad = 0;
    for (i = 0; i < 20000; i++) {
        double value;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(&value, &state, sizeof value);
        if (!(fabs(value) <= DBL_MAX)) continue;
        bad += !parses(dcx_double_print(text, value, 0), value);
        bad += !parses(dcx_double_print(text, value, 17), value);
        snprintf(longer, sizeof longer, "%.40e", value);
        bad += !parses(longer, value);
    }
    CHECK_EQ(bad, 0);
    CHECK_STR(dcx_double_print(text, 0.1, 0), "0.1");
    CHECK_EQ(strlen(text), 3);
    CHECK_STR(dcx_double_print(text, 1.0 / 3.0, 9), "0.333333333");
    CHECK_STR(dcx_double_print(text, -HUGE_VAL, 0), "-inf");
    CHECK_STR(dcx_double_print(text, HUGE_VAL * 0.0, 0), "nan");
}

/* ---- OBJ ------------------------------------------------------------------------------------- */

static dcx_error last_error;

static dcx_result read_text(const char *text, dcx_mesh *mesh)
{
    memset(&last_error, 0, sizeof last_error);
    return dcx_obj_read_memory(text, strlen(text), "t", mesh, &last_error);
}

#define TRI "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

/* The text must read as this many vertices and triangles. */
static int reads(const char *text, int vertices, int triangles)
{
    dcx_mesh mesh;
    int ok = read_text(text, &mesh) == DCX_OK && mesh.vertex_count == vertices &&
             mesh.triangle_count == triangles;
    if (!ok)
        printf("  %d vertices, %d triangles, %s\n", mesh.vertex_count, mesh.triangle_count,
               last_error.text);
    dcx_mesh_destroy(&mesh);
    return ok;
}

/* The text must be refused with this code and a text that has `part`; the mesh must be empty. */
static int refuses(const char *text, dcx_result code, const char *part)
{
    dcx_mesh mesh;
    dcx_result result;
    memset(&mesh, 0x55, sizeof mesh);
    result = read_text(text, &mesh);
    if (result != code || last_error.code != code || !strstr(last_error.text, part))
        printf("  result %d, text \"%s\"\n", (int)result, last_error.text);
    return result == code && last_error.code == code && strstr(last_error.text, part) != NULL &&
           !mesh.positions && !mesh.triangles && mesh.vertex_count == 0;
}

static void obj_relative_indices(void) /* O01 */
{
    dcx_mesh mesh;
    static const int expected[6] = {2, 1, 0, 3, 4, 5};
    CHECK_EQ(read_text(TRI "f -1 -2 -3\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf -3 -2 -1\n", &mesh), DCX_OK);
    CHECK_EQ(mesh.vertex_count, 6);
    CHECK(mesh.triangles && memcmp(mesh.triangles, expected, sizeof expected) == 0);
    dcx_mesh_destroy(&mesh);
    CHECK(refuses(TRI "f -4 -1 -2\n", DCX_BAD_FORMAT, "line 4: '-4'"));
    CHECK(refuses(TRI "f -435545//-438368 -1//-1 -2//-1\n", DCX_BAD_FORMAT, "line 4"));
    CHECK(reads(TRI "vn 0 0 1\nf -3//-1 -2//-1 -1//-1\n", 3, 1));
    CHECK(reads(TRI "vt 0 0\nvn 0 0 1\nf -3/-1/-1 -2/-1/-1 -1/-1/-1\n", 3, 1));
}

static void obj_line_ends(void) /* O03 */
{
    CHECK(reads("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", 3, 1));
    CHECK(reads("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 3, 1));
    CHECK(reads("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n", 3, 1));
    CHECK(reads("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n\r\n", 3, 1));
    CHECK(reads("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", 3, 1));
    CHECK(reads("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\r", 3, 1));
    CHECK(refuses("\r\n\r\n\nv 1 0\r\n", DCX_BAD_FORMAT, "line 4"));
    CHECK(refuses("\r\rv 1 0\r", DCX_BAD_FORMAT, "line 3"));
}

static void obj_number_formats(void) /* O05 */
{
    dcx_mesh mesh;
    CHECK_EQ(read_text("v .73 -.5e1 +1.E+2\nv 6.43E-5 -1.07797e-046 1e-400\n"
                       "v 1e-21474836311 0 0\nf 1 2 3",
                       &mesh),
             DCX_OK);
    if (mesh.positions) {
        CHECK_NEAR(mesh.positions[0], 0.73, 0);
        CHECK_NEAR(mesh.positions[1], -5.0, 0);
        CHECK_NEAR(mesh.positions[2], 100.0, 0);
        CHECK_NEAR(mesh.positions[3], 6.43e-5, 0);
        CHECK_NEAR(mesh.positions[4], -1.07797e-46, 0);
        CHECK_NEAR(mesh.positions[5], 0.0, 0);
        CHECK_NEAR(mesh.positions[6], 0.0, 0);
    }
    dcx_mesh_destroy(&mesh);
    CHECK(refuses("v 1e400 0 0\n", DCX_BAD_FORMAT, "line 1: '1e400' is not a finite number"));
}

static void obj_bad_numbers(void) /* O06 */
{
    CHECK(refuses("#\nv nan 0 0\n", DCX_BAD_FORMAT, "line 2: 'nan' is not a finite number"));
    CHECK(refuses("v inf 0 0\n", DCX_BAD_FORMAT, "line 1: 'inf'"));
    CHECK(refuses("v 0 -Infinity 0\n", DCX_BAD_FORMAT, "line 1: '-Infinity'"));
    CHECK(refuses("v 0x10 0 0\n", DCX_BAD_FORMAT, "line 1: '0x10'"));
    CHECK(refuses("v 1,5 0 0\n", DCX_BAD_FORMAT, "line 1: '1,5'"));
    CHECK(refuses("v 1 2\n", DCX_BAD_FORMAT, "line 1: v has 2 numbers, needs 3"));
    CHECK(refuses("v\n", DCX_BAD_FORMAT, "line 1: v has 0 numbers"));
    CHECK(refuses("v 0 0 0 1 green 0\n", DCX_BAD_FORMAT, "'green'"));
}

static double mesh_area(const dcx_mesh *mesh)
{
    dcx_mesh_report report;
    if (dcx_mesh_measure(mesh, &report, NULL) < 0) return -1.0;
    CHECK_EQ(report.inconsistent_edges, 0);
    CHECK_EQ(report.nonmanifold_edges, 0);
    return report.area;
}

static void obj_polygons(void) /* O08 */
{
    dcx_mesh mesh;
    CHECK_EQ(read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", &mesh), DCX_OK);
    CHECK_EQ(mesh.triangle_count, 2);
    CHECK_NEAR(mesh_area(&mesh), 1.0, 1e-15);
    dcx_mesh_destroy(&mesh);
    CHECK(reads("v 0 0 5\nv 2 0 5\nv 3 1 5\nv 1 3 5\nv -1 1 5\nf 1 2 3 4 5\n", 5, 3));
    /* a concave quad, from every corner and from both sides */
    CHECK_EQ(read_text("v 2 0 0\nv .5 .5 0\nv 0 2 0\nv 0 0 0\nf 1 2 3 4\n", &mesh), DCX_OK);
    CHECK_EQ(mesh.triangle_count, 2);
    CHECK_NEAR(mesh_area(&mesh), 1.0, 1e-15);
    dcx_mesh_destroy(&mesh);
    CHECK_EQ(read_text("v 2 0 0\nv .5 .5 0\nv 0 2 0\nv 0 0 0\n"
                       "f 2 3 4 1\nf 3 4 1 2\nf 4 1 2 3\nf 4 3 2 1\n",
                       &mesh),
             DCX_OK);
    CHECK_EQ(mesh.triangle_count, 8);
    dcx_mesh_destroy(&mesh);
    /* an L in the plane x = 7, a corner in the middle of an edge, a collinear start */
    CHECK_EQ(read_text("v 7 0 0\nv 7 1 0\nv 7 2 0\nv 7 2 1\nv 7 1 1\nv 7 1 2\nv 7 0 2\n"
                       "f 1 2 3 4 5 6 7\n",
                       &mesh),
             DCX_OK);
    CHECK_EQ(mesh.triangle_count, 5);
    CHECK_NEAR(mesh_area(&mesh), 3.0, 1e-14);
    dcx_mesh_destroy(&mesh);
    CHECK(reads("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 3\nf 1 1 3 4\n", 4, 2));
    CHECK(refuses("v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2.5 0\nv 1 5 0\nf 1 2 3 4\n", DCX_BAD_FORMAT,
                  "line 6: this face crosses itself"));
    CHECK(refuses(TRI "f 1 2\n", DCX_BAD_FORMAT, "line 4: a face of 2"));
    CHECK(refuses(TRI "f 1 2 2 1\n", DCX_BAD_FORMAT, "line 4: a face of 2"));
    CHECK(refuses(TRI "f\n", DCX_BAD_FORMAT, "line 4: a face of 0"));
}

/* A comb with many teeth, and a spiral: ear clipping must give the polygon's own area. */
static void obj_hard_polygons(void)
{
    static char text[60000];
    int i, n = 0, teeth = 100;
    dcx_mesh mesh;
    n += snprintf(text + n, sizeof text - (size_t)n, "v %d -1 0\nv 0 -1 0\n", 2 * teeth);
    for (i = 0; i <= 2 * teeth; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %d %d 0\n", i, i % 2);
    n += snprintf(text + n, sizeof text - (size_t)n, "f");
    for (i = 2 * teeth + 3; i >= 1; i--) n += snprintf(text + n, sizeof text - (size_t)n, " %d", i);
    CHECK_EQ(read_text(text, &mesh), DCX_OK);
    CHECK_EQ(mesh.triangle_count, 2 * teeth + 1);
    CHECK_NEAR(mesh_area(&mesh), 3.0 * teeth, 1e-9);
    dcx_mesh_destroy(&mesh);
    n = 0;
    for (i = 0; i < 200; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %.9f %.9f 1\n",
                      (1 + 0.02 * i) * cos(0.2 * i), (1 + 0.02 * i) * sin(0.2 * i));
    for (i = 199; i >= 0; i--)
        n += snprintf(text + n, sizeof text - (size_t)n, "v %.9f %.9f 1\n",
                      (0.9 + 0.02 * i) * cos(0.2 * i), (0.9 + 0.02 * i) * sin(0.2 * i));
    n += snprintf(text + n, sizeof text - (size_t)n, "f");
    for (i = 400; i >= 1; i--) n += snprintf(text + n, sizeof text - (size_t)n, " %d", i);
    CHECK_EQ(read_text(text, &mesh), DCX_OK);
    CHECK_EQ(mesh.triangle_count, 398);
    mesh_area(&mesh);
    dcx_mesh_destroy(&mesh);
}

static void obj_extremes(void) /* O10 */
{
    dcx_mesh mesh;
    size_t bytes = 1 << 20;
    char *line;
    CHECK(refuses("", DCX_EMPTY_MESH, "empty"));
    CHECK(refuses("v 0 0 0", DCX_EMPTY_MESH, "1 vertices, 0 faces"));
    CHECK(refuses("\xEF\xBB\xBF", DCX_EMPTY_MESH, "empty"));
    CHECK_EQ(dcx_obj_read_memory(NULL, 0, NULL, &mesh, NULL), DCX_EMPTY_MESH);
    CHECK_EQ(dcx_obj_read_memory(NULL, 5, NULL, &mesh, NULL), DCX_BAD_ARGUMENT);
    CHECK(reads(TRI "f 1 2 3\ng", 3, 1));
    CHECK_EQ(dcx_obj_read("build/no/such/file.obj", &mesh, &last_error), DCX_IO_ERROR);
    CHECK_STR(last_error.text, "build/no/such/file.obj: cannot be opened");
    CHECK_EQ(dcx_obj_read(NULL, &mesh, &last_error), DCX_IO_ERROR);
    dcx_make_folder(FOLDER, NULL);
    CHECK_EQ(dcx_obj_read(FOLDER, &mesh, &last_error), DCX_IO_ERROR);
    line = (char *)malloc(bytes);
    if (!CHECK(line != NULL)) return;
    memset(line, 'v', bytes);
    CHECK_EQ(dcx_obj_read_memory(line, bytes, "t", &mesh, &last_error), DCX_EMPTY_MESH);
    memset(line, '1', bytes);
    memcpy(line, "v ", 2);
    CHECK_EQ(dcx_obj_read_memory(line, bytes, "t", &mesh, &last_error), DCX_BAD_FORMAT);
    memset(line, ' ', bytes);
    CHECK_EQ(dcx_obj_read_memory(line, bytes, "t", &mesh, &last_error), DCX_EMPTY_MESH);
    memset(line, '\\', bytes);
    memcpy(line, "v ", 2);
    CHECK_EQ(dcx_obj_read_memory(line, bytes, "t", &mesh, &last_error), DCX_BAD_FORMAT);
    {
        size_t i, head = strlen(TRI);
        memcpy(line, TRI, head);
        memcpy(line + head, "f", 1);
        for (i = head + 1; i + 6 <= bytes; i += 6) memcpy(line + i, " 1 2 3", 6);
        CHECK_EQ(dcx_obj_read_memory(line, i, "t", &mesh, &last_error), DCX_TOO_LARGE);
        CHECK_STR(last_error.text, "line 4");
    }
    free(line);
    CHECK_EQ(dcx_obj_read_memory(TRI "f 1 2 3\0 4\n", sizeof TRI + 11, "t", &mesh, &last_error),
             DCX_BAD_FORMAT);
    CHECK_STR(last_error.text, "line 4");
    CHECK_EQ(
        dcx_obj_read_memory("# \0\n" TRI "f 1 2 3\n", sizeof TRI + 11, "t", &mesh, &last_error),
        DCX_OK);
    dcx_mesh_destroy(&mesh);
}

static void obj_forms(void)
{
    dcx_mesh mesh;
    CHECK(reads("\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 3, 1));
    CHECK(reads("v\t0\t0\t0\n \tv 1 0 0 \nv  0  1  0\t# c\nf\t1 2\t3#c\n", 3, 1));
    CHECK(reads("v 0 0 \\\n0\nv 1 \\\r\n0 0\nv 0 1 0\nf 1 \\\n2 \\\n3\n", 3, 1));
    CHECK(refuses("v 0 0 \\\n0\nv 1 \\\n0\n", DCX_BAD_FORMAT, "line 4: v has 2"));
    CHECK(reads("# path \\\n" TRI "f 1 2 3\n", 3, 1)); /* comments do not continue */
    CHECK(reads("v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nf 1 2 3\n", 3, 1)); /* colours */
    CHECK(reads("v 0 0 0 1\nv 1 0 0 1\nv 0 1 0 1\nf 1 2 3\n", 3, 1));             /* weight */
    CHECK(reads("mtllib a.mtl\no thing\ng a b\nusemtl red\ns off\nvp 1 2\n" TRI
                "l 1 2\np 3\ns 1\nf 1 2 3\ncurv 0 1 \\\n2 3\nend\nFile made by x\n: 3\n",
                3, 1));
    CHECK(reads("f 1 2 3\n" TRI, 3, 1)); /* faces first */
    CHECK(reads(TRI "vn nan 0 0\nf 1//1 2//1 3//1\n", 3, 1));
    CHECK(reads(TRI "f 1/ 2/ 3/\n", 3, 1));
    CHECK(reads(TRI "v 9 9 9\nf 1 2 3\n", 4, 1));
    CHECK(refuses(TRI "f 0 1 2\n", DCX_BAD_FORMAT, "line 4: '0'"));
    CHECK(refuses(TRI "\nf 1 2 4\nf 1 2 3", DCX_BAD_FORMAT,
                  "line 5: index 4, but the file has only 3"));
    CHECK(refuses(TRI "f 1 2 99999999999999999999\n", DCX_BAD_FORMAT, "line 4"));
    CHECK(refuses(TRI "f 1.0 2 3\n", DCX_BAD_FORMAT, "'1.0'"));
    CHECK(refuses(TRI "f 1/a 2 3\n", DCX_BAD_FORMAT, "'1/a'"));
    CHECK(refuses(TRI "f 1/1/1/1 2 3\n", DCX_BAD_FORMAT, "line 4"));
    CHECK(refuses(TRI "f 1/1 2/1 3/1\n", DCX_BAD_FORMAT,
                  "line 4: index 1, but the file has only 0 tex"));
    CHECK(refuses(TRI "f 1//1 2//1 3//1\n", DCX_BAD_FORMAT, "normals (vn)"));
    CHECK_EQ(read_text(TRI "v 1 1 0\nvt .5 .25\nvt 1\nvt 0 1 7\nf 1/1 2/2 3/3\nf 2 4 3\n", &mesh),
             DCX_OK);
    CHECK_EQ(mesh.uv_count, 3);
    if (mesh.uv_count == 3) {
        CHECK_NEAR(mesh.uvs[1], 0.25, 0);
        CHECK_NEAR(mesh.uvs[2], 1.0, 0);
        CHECK_NEAR(mesh.uvs[3], 0.0, 0);
        CHECK_EQ(mesh.uv_triangles[2], 2);
        CHECK_EQ(mesh.uv_triangles[3], -1);
    }
    dcx_mesh_destroy(&mesh);
}

static int same_mesh(const dcx_mesh *a, const dcx_mesh *b)
{
    size_t corners = (size_t)a->triangle_count * 3;
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        a->uv_count != b->uv_count)
        return 0;
    if (memcmp(a->positions, b->positions, (size_t)a->vertex_count * 3 * sizeof(double)) ||
        memcmp(a->triangles, b->triangles, corners * sizeof(int)))
        return 0;
    return a->uv_count == 0 ||
           (memcmp(a->uvs, b->uvs, (size_t)a->uv_count * 2 * sizeof(double)) == 0 &&
            memcmp(a->uv_triangles, b->uv_triangles, corners * sizeof(int)) == 0);
}

static void obj_write_and_read(void)
{
    dcx_mesh mesh, back, copy;
    CHECK_EQ(dcx_mesh_tshirt(&mesh, 0.05, NULL, NULL), DCX_OK);
    dcx_points_move(mesh.positions, mesh.vertex_count, 1.0 / 3.0, NULL);
    CHECK_EQ(dcx_obj_write(in_folder("shirt.obj"), &mesh, &last_error), DCX_OK);
    CHECK_EQ(dcx_obj_read(in_folder("shirt.obj"), &back, &last_error), DCX_OK);
    CHECK(same_mesh(&mesh, &back));
    dcx_mesh_destroy(&mesh);
    dcx_mesh_destroy(&back);
    read_text(TRI "v 1 1 0\nvt .5 .25\nvt 1\nvt 0 1 7\nf 1/1 2/2 3/3\nf 2 4 3/1\n", &mesh);
    CHECK_EQ(dcx_obj_write(in_folder("uv.obj"), &mesh, &last_error), DCX_OK);
    CHECK_EQ(dcx_obj_read(in_folder("uv.obj"), &back, &last_error), DCX_OK);
    CHECK_EQ(dcx_mesh_copy(&copy, &back, NULL), DCX_OK);
    CHECK(same_mesh(&mesh, &back) && same_mesh(&mesh, &copy));
    CHECK_EQ(dcx_obj_write("build/no/such/folder/x.obj", &mesh, &last_error), DCX_IO_ERROR);
    CHECK_STR(last_error.text, "cannot be created");
    dcx_mesh_destroy(&mesh);
    dcx_mesh_destroy(&back);
    dcx_mesh_destroy(&copy);
    dcx_mesh_destroy(NULL);
    CHECK_EQ(dcx_mesh_create(&mesh, 0, 1, NULL), DCX_EMPTY_MESH);
    CHECK_EQ(dcx_mesh_create(&mesh, -3, 1, NULL), DCX_EMPTY_MESH);
    CHECK_EQ(dcx_mesh_create(&mesh, 1, INT_MAX, NULL), DCX_TOO_LARGE);
}

/* ---- motions --------------------------------------------------------------------------------- */

static const unsigned char tiny_pc2[] = {
    'P', 'O', 'I',  'N',  'T',  'C',  'A',  'C',  'H', 'E', '2', 0,    1, 0, 0, 0, /* version 1 */
    1,   0,   0,    0,                                                             /* one point */
    0,   0,   0,    0,    0,    0,    0x80, 0x3f,                      /* start 0, rate 1 */
    2,   0,   0,    0,                                                 /* two samples */
    0,   0,   0x80, 0x3f, 0,    0,    0,    0xc0, 0,   0,   0,   0x3f, /* 1 -2 .5 */
    0,   0,   0,    0x80, 0xff, 0xff, 0x7f, 0x7f, 1,   0,   0,   0};   /* -0 FLT_MAX 2^-149 */

static void pc2_read_bytes(void)
{
    dcx_motion motion;
    CHECK_EQ(dcx_pc2_read_memory(tiny_pc2, sizeof tiny_pc2, NULL, &motion, &last_error), DCX_OK);
    CHECK_EQ(motion.frame_count, 2);
    CHECK_EQ(motion.vertex_count, 1);
    CHECK_NEAR(motion.rate, 1.0, 0);
    if (motion.positions) {
        CHECK_NEAR(motion.positions[0], 1.0, 0);
        CHECK_NEAR(motion.positions[1], -2.0, 0);
        CHECK_NEAR(motion.positions[2], 0.5, 0);
        CHECK_NEAR(dcx_motion_frame(&motion, 1)[1], FLT_MAX, 0);
        CHECK_NEAR(dcx_motion_frame(&motion, 1)[2], ldexp(1, -149), 0);
    }
    CHECK_EQ(dcx_pc2_write(in_folder("tiny.pc2"), &motion, &last_error), DCX_OK);
    dcx_motion_destroy(&motion);
    {
        unsigned char bytes[100];
        FILE *file = fopen(in_folder("tiny.pc2"), "rb");
        if (!CHECK(file != NULL)) return;
        CHECK_EQ(fread(bytes, 1, sizeof bytes, file), sizeof tiny_pc2);
        CHECK(memcmp(bytes, tiny_pc2, sizeof tiny_pc2) == 0);
        fclose(file);
    }
}

/* One changed byte, or another length, must give this error. */
static int pc2_refuses(size_t bytes, size_t at, int value, dcx_result code, const char *part)
{
    unsigned char data[sizeof tiny_pc2 + 1] = {0};
    dcx_motion motion;
    dcx_result result;
    memcpy(data, tiny_pc2, sizeof tiny_pc2);
    if (at < sizeof data) data[at] = (unsigned char)value;
    result = dcx_pc2_read_memory(data, bytes, "t", &motion, &last_error);
    if (result != code || !strstr(last_error.text, part))
        printf("  result %d, text \"%s\"\n", (int)result, last_error.text);
    return result == code && strstr(last_error.text, part) && !motion.positions;
}

static void pc2_errors(void)
{
    size_t all = sizeof tiny_pc2, none = 1000, n;
    dcx_motion motion;
    double big[3] = {0, 1e39, 0};
    for (n = 0; n < all; n++)
        CHECK_EQ(dcx_pc2_read_memory(tiny_pc2, n, "t", &motion, NULL), DCX_BAD_FORMAT);
    CHECK(pc2_refuses(all - 1, none, 0, DCX_BAD_FORMAT, "cut off: 2 samples announced"));
    CHECK(pc2_refuses(20, none, 0, DCX_BAD_FORMAT, "cut off in the header"));
    CHECK(pc2_refuses(all + 1, none, 0, DCX_BAD_FORMAT, "too long"));
    CHECK(pc2_refuses(all, 0, 'Q', DCX_BAD_FORMAT, "not a POINTCACHE2 file"));
    CHECK(pc2_refuses(all, 11, 'Q', DCX_BAD_FORMAT, "not a POINTCACHE2 file"));
    CHECK(pc2_refuses(all, 12, 2, DCX_BAD_FORMAT, "version 2"));
    CHECK(pc2_refuses(all, 16, 0, DCX_EMPTY_MESH, "0 points"));
    CHECK(pc2_refuses(all, 19, 0x80, DCX_BAD_FORMAT, "-2147483647 points"));
    CHECK(pc2_refuses(all, 28, 0, DCX_EMPTY_MESH, "0 samples"));
    CHECK(pc2_refuses(all, 30, 1, DCX_BAD_FORMAT, "cut off: 65538 samples announced"));
    CHECK(pc2_refuses(all, 27, 0x7f, DCX_BAD_FORMAT, "")); /* rate Inf */
    CHECK(pc2_refuses(all, 50, 0xff, DCX_BAD_FORMAT, "sample 1, point 0"));
    {
        unsigned char foreign[sizeof tiny_pc2];
        memcpy(foreign, tiny_pc2, sizeof foreign);
        foreign[12] = 0;
        foreign[15] = 1;
        CHECK_EQ(dcx_pc2_read_memory(foreign, all, "t", &motion, &last_error), DCX_BAD_FORMAT);
        CHECK_STR(last_error.text, "big-endian");
    }
    motion.frame_count = motion.vertex_count = 1;
    motion.start = 0;
    motion.rate = 1;
    motion.positions = big;
    CHECK_EQ(dcx_pc2_write(in_folder("big.pc2"), &motion, &last_error), DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "sample 0, point 0");
    CHECK(fopen(in_folder("big.pc2"), "rb") == NULL);
    CHECK_EQ(dcx_pc2_read("build/none.pc2", &motion, &last_error), DCX_IO_ERROR);
    CHECK_EQ(dcx_motion_create(&motion, 0, 5, NULL), DCX_EMPTY_MESH);
    CHECK_EQ(dcx_motion_create(&motion, 5, -1, NULL), DCX_EMPTY_MESH);
    dcx_motion_destroy(NULL);
}

/* Three frames in FOLDER/frames whose first x is 0, 1, 2; in the order of their names 1, 0, 2. */
static void write_frames(void)
{
    static const char *const names[] = {"frames/f10.obj", "frames/f9.obj", "frames/f011.OBJ"};
    char text[200];
    int i;
    dcx_make_folder(FOLDER "/frames", NULL);
    for (i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "v %d 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", i);
        write_file(names[i], text, strlen(text));
    }
}

static void motion_of_a_folder(void)
{
#if DCXI_HAS_DIRENT
    dcx_motion motion;
    dcx_mesh mesh;
    write_frames();
    dcx_make_folder(FOLDER "/empty", NULL);
    write_file("frames/readme.txt", "no", 2);
    write_file("frames/._f1.obj", "no", 2);
    CHECK_EQ(dcx_motion_read(in_folder("frames"), &motion, &mesh, &last_error), DCX_OK);
    CHECK_EQ(motion.frame_count, 3);
    CHECK_EQ(motion.vertex_count, 3);
    CHECK_EQ(mesh.triangle_count, 1);
    if (motion.positions) {
        CHECK_NEAR(dcx_motion_frame(&motion, 0)[0], 1, 0); /* f9, f10, f011 */
        CHECK_NEAR(dcx_motion_frame(&motion, 1)[0], 0, 0);
        CHECK_NEAR(dcx_motion_frame(&motion, 2)[0], 2, 0);
    }
    dcx_motion_destroy(&motion);
    dcx_mesh_destroy(&mesh);
    CHECK_EQ(
        dcx_motion_read(write_file("tiny.pc2", tiny_pc2, sizeof tiny_pc2), &motion, &mesh, NULL),
        DCX_OK);
    CHECK(mesh.positions == NULL);
    dcx_motion_destroy(&motion);
    write_file("frames/f12.obj", TRI "v 0 0 1\nf 1 2 3\n", strlen(TRI "v 0 0 1\nf 1 2 3\n"));
    CHECK_EQ(dcx_motion_read(in_folder("frames"), &motion, NULL, &last_error), DCX_BAD_FORMAT);
    CHECK_STR(last_error.text, "f12.obj: 4 vertices");
    CHECK(motion.positions == NULL);
    remove(in_folder("frames/f12.obj"));
    CHECK_EQ(dcx_motion_read_folder(in_folder("empty"), &motion, NULL, &last_error),
             DCX_EMPTY_MESH);
    CHECK_EQ(dcx_motion_read_folder("build/none", &motion, NULL, &last_error), DCX_IO_ERROR);
#endif
}

/* ---- out of memory --------------------------------------------------------------------------- */

static dcx_result use_memory(void)
{
    dcx_mesh mesh, shirt, motion_mesh;
    dcx_motion motion;
    dcx_json json;
    dcx_mesh_report report;
    dcx_result result =
        read_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 .1 0\nvt 1 1\nf 1/1 2/1 3/1 4/1\n", &mesh);
    dcx_mesh_destroy(&mesh);
    if (result == DCX_OK) result = dcx_mesh_tshirt(&shirt, 0.05, NULL, NULL);
    if (result < 0) return result;
    result = dcx_mesh_measure(&shirt, &report, NULL);
    if (result == DCX_OK) result = dcx_mesh_copy(&mesh, &shirt, NULL);
    if (result == DCX_OK) dcx_mesh_destroy(&mesh);
    dcx_mesh_destroy(&shirt);
    if (result < 0) return result;
    result = dcx_mesh_sock(&mesh, 0.0156, NULL, NULL, NULL);
    dcx_mesh_destroy(&mesh);
    if (result == DCX_OK) result = dcx_mesh_dress(&mesh, 0.06, NULL, NULL);
    dcx_mesh_destroy(&mesh);
    if (result < 0) return result;
    result = dcx_motion_read(FOLDER "/frames", &motion, &motion_mesh, NULL);
    dcx_motion_destroy(&motion);
    dcx_mesh_destroy(&motion_mesh);
    if (result < 0) return result;
    dcx_json_init(&json);
    dcx_json_numbers(&json, "a", report.area > 0 ? &report.area : NULL, 1);
    if (!dcx_json_finish(&json)) result = DCX_OUT_OF_MEMORY;
    dcx_json_free(&json);
    return result;
}

static void out_of_memory(void)
{
    long k, calls;
    write_frames();
    counted_blocks = counted_calls = counted_fail_at = 0;
    CHECK_EQ(use_memory(), DCX_OK);
    CHECK_EQ(counted_blocks, 0);
    calls = counted_calls;
    for (k = 1; k <= calls; k++) {
        counted_calls = 0;
        counted_fail_at = k;
        if (!CHECK_EQ(use_memory(), DCX_OUT_OF_MEMORY)) break;
        if (!CHECK_EQ(counted_blocks, 0)) break;
    }
    counted_fail_at = 0;
}

/* ---- generated meshes ------------------------------------------------------------------------ */

/* Measures, and checks what every generated mesh must be. */
static dcx_mesh_report check_surface(const dcx_mesh *mesh, int loops, int euler, double min_angle)
{
    dcx_mesh_report r;
    CHECK_EQ(dcx_mesh_measure(mesh, &r, &last_error), DCX_OK);
    CHECK_EQ(r.components, 1);
    CHECK_EQ(r.unused_vertices, 0);
    CHECK_EQ(r.nonmanifold_edges, 0);
    CHECK_EQ(r.nonmanifold_vertices, 0);
    CHECK_EQ(r.inconsistent_edges, 0);
    CHECK_EQ(r.boundary_loops, loops);
    CHECK_EQ(r.euler, euler);
    if (!CHECK(r.min_angle >= min_angle)) printf("  min angle %g\n", r.min_angle);
    return r;
}

static void normal_of(const dcx_mesh *mesh, int k, double normal[3])
{
    const int *v = mesh->triangles + 3 * k;
    double a[3], b[3];
    dcx_vec_subtract(mesh->positions + 3 * v[1], mesh->positions + 3 * v[0], a);
    dcx_vec_subtract(mesh->positions + 3 * v[2], mesh->positions + 3 * v[0], b);
    dcx_vec_cross(a, b, normal);
    dcx_vec_normalize(normal);
}

/* Every vertex must have a mirror image; `axis` is the one to change sign. */
static void check_mirror(const dcx_mesh *mesh, int axis, double tolerance)
{
    int i, bad = 0;
    for (i = 0; i < mesh->vertex_count; i++) {
        double p[3];
        int j;
        memcpy(p, mesh->positions + 3 * i, sizeof p);
        p[axis] = -p[axis];
        j = dcx_points_nearest(mesh->positions, mesh->vertex_count, p);
        bad += dcx_vec_distance(p, mesh->positions + 3 * j) > tolerance;
    }
    CHECK_EQ(bad, 0);
}

static void grid_mesh(void)
{
    static const dcx_diagonals kinds[] = {DCX_DIAGONALS_ONE, DCX_DIAGONALS_ROWS,
                                          DCX_DIAGONALS_UNION_JACK};
    dcx_mesh mesh;
    double normal[3];
    int k, plane;
    for (plane = 0; plane < 2; plane++)
        for (k = 0; k < 3; k++) {
            int t;
            CHECK_EQ(dcx_mesh_grid(&mesh, 5, 7, 2.0, 3.0, kinds[k],
                                   plane ? DCX_PLANE_XZ : DCX_PLANE_XY, NULL),
                     DCX_OK);
            CHECK_EQ(mesh.vertex_count, 35);
            CHECK_EQ(mesh.triangle_count, 48);
            CHECK_NEAR(check_surface(&mesh, 1, 1, 40).area, 6.0, 1e-14);
            for (t = 0; t < mesh.triangle_count; t++) {
                normal_of(&mesh, t, normal);
                CHECK_NEAR(normal[plane ? 1 : 2], 1.0, 1e-15);
            }
            CHECK_NEAR(mesh.positions[3 * 34], 1.0, 0); /* upper right */
            CHECK_NEAR(mesh.positions[3 * 34 + (plane ? 2 : 1)], plane ? -1.5 : 1.5, 0);
            dcx_mesh_destroy(&mesh);
        }
    /* union jack: nine vertices, the middle one meets all eight triangles */
    CHECK_EQ(dcx_mesh_grid(&mesh, 3, 3, 1, 1, DCX_DIAGONALS_UNION_JACK, DCX_PLANE_XY, NULL),
             DCX_OK);
    for (k = 0; k < 8; k++)
        CHECK(mesh.triangles[3 * k] == 4 || mesh.triangles[3 * k + 1] == 4 ||
              mesh.triangles[3 * k + 2] == 4);
    dcx_mesh_flip(&mesh);
    normal_of(&mesh, 0, normal);
    CHECK_NEAR(normal[2], -1.0, 0);
    dcx_mesh_destroy(&mesh);
    CHECK_EQ(dcx_mesh_grid(&mesh, 1, 3, 1, 1, DCX_DIAGONALS_ONE, DCX_PLANE_XY, &last_error),
             DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "nx = 1");
    CHECK_EQ(dcx_mesh_grid(&mesh, 3, 3, NAN, 1, DCX_DIAGONALS_ONE, DCX_PLANE_XY, &last_error),
             DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "width = nan");
    CHECK_EQ(dcx_mesh_grid(&mesh, 100000, 100000, 1, 1, DCX_DIAGONALS_ONE, DCX_PLANE_XY, NULL),
             DCX_TOO_LARGE);
}

static void disc_and_revolved_meshes(void)
{
    dcx_mesh mesh;
    double normal[3], bowl[6] = {1, 1, 1, 0.5, 0, 0}, area;
    int t, first, last;
    CHECK_EQ(dcx_mesh_disc(&mesh, 0.15, 10, DCX_PLANE_XZ, NULL), DCX_OK);
    CHECK_EQ(mesh.vertex_count, 331);
    CHECK_EQ(mesh.triangle_count, 600);
    area = check_surface(&mesh, 1, 1, 40).area;
    CHECK_NEAR(area, 0.5 * 60 * sin(DCXI_PI / 30) * 0.0225, 1e-12); /* a 60-gon */
    for (t = 0; t < 600; t++) {
        normal_of(&mesh, t, normal);
        CHECK_NEAR(normal[1], 1.0, 1e-12);
    }
    dcx_mesh_destroy(&mesh);
    CHECK_EQ(dcx_mesh_disc(&mesh, 1, 2, DCX_PLANE_XY, NULL), DCX_OK);
    normal_of(&mesh, 3, normal);
    CHECK_NEAR(normal[2], 1.0, 1e-12);
    dcx_mesh_destroy(&mesh);
    CHECK_EQ(dcx_mesh_disc(&mesh, 1, 0, DCX_PLANE_XY, NULL), DCX_BAD_ARGUMENT);
    CHECK_EQ(dcx_mesh_disc(&mesh, -1, 3, DCX_PLANE_XY, NULL), DCX_BAD_ARGUMENT);
    CHECK_EQ(dcx_mesh_revolve(&mesh, bowl, 3, 0.1, &first, &last, NULL), DCX_OK);
    CHECK_EQ(last, 1);
    CHECK(first >= 60 && first <= 64);
    CHECK(check_surface(&mesh, 1, 1, 25).volume > 0);
    CHECK_NEAR(sqrt(mesh.positions[0] * mesh.positions[0] + mesh.positions[2] * mesh.positions[2]),
               1.0, 1e-15);
    CHECK_NEAR(mesh.positions[3 * (mesh.vertex_count - 1) + 1], 0.0, 0);
    dcx_mesh_destroy(&mesh);
    bowl[2] = 0;
    CHECK_EQ(dcx_mesh_revolve(&mesh, bowl, 3, 0.1, NULL, NULL, &last_error), DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "profile radius = 0");
}

static void tshirt_mesh(void)
{
    static const double spacings[] = {0.05, 0.035, 0.025, 0.018};
    dcx_mesh mesh, again;
    int i, k, shoulders[2];
    double lower[3], upper[3];
    for (i = 0; i < 4; i++) {
        dcx_mesh_report r;
        CHECK_EQ(dcx_mesh_tshirt(&mesh, spacings[i], shoulders, NULL), DCX_OK);
        r = check_surface(&mesh, 4, -2, 28); /* four openings, a sphere otherwise */
        CHECK(r.volume > 0.01);
        if (!CHECK(r.max_edge < 2.2 * spacings[i] && r.min_edge > 0.5 * spacings[i]))
            printf("  edges %g..%g at %g\n", r.min_edge, r.max_edge, spacings[i]);
        check_mirror(&mesh, 0, 1e-15);
        dcx_points_bounds(mesh.positions, mesh.vertex_count, lower, upper);
        CHECK_NEAR(upper[1] - lower[1], 0.7, 1e-12);
        CHECK_NEAR(upper[2], 0.03, 1e-12);
        CHECK_NEAR(lower[2], -0.03, 1e-12);
        for (k = 0; k < 2; k++) {
            const double *p = mesh.positions + 3 * shoulders[k];
            CHECK(p[1] > 0.65 && p[1] < 0.70 && fabs(p[2]) < 1e-12);
            CHECK(k ? p[0] > 0.1 : p[0] < -0.1);
        }
        CHECK_EQ(dcx_mesh_tshirt(&again, spacings[i], shoulders, NULL), DCX_OK);
        CHECK(same_mesh(&mesh, &again));
        dcx_mesh_destroy(&mesh);
        dcx_mesh_destroy(&again);
    }
    CHECK_EQ(dcx_mesh_tshirt(&mesh, 0.3, NULL, &last_error), DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "spacing = 0.3");
    CHECK_EQ(dcx_mesh_tshirt(&mesh, NAN, NULL, &last_error), DCX_BAD_ARGUMENT);
}

static void hat_sock_and_dress_meshes(void)
{
    dcx_mesh mesh;
    dcx_mesh_report r;
    int k, grips[4], keys[2], neck;
    static const double hats[] = {0.019, 0.03, 0.007}, socks[] = {0.012, 0.0156, 0.005};
    static const double dresses[] = {0.03, 0.06, 0.015};
    for (k = 0; k < 3; k++) {
        double *p;
        CHECK_EQ(dcx_mesh_hat(&mesh, hats[k], grips, NULL), DCX_OK);
        r = check_surface(&mesh, 1, 1, 35);
        CHECK(r.max_edge < 1.5 * hats[k] && r.min_edge > 0.6 * hats[k] && r.volume > 0.002);
        check_mirror(&mesh, 0, 1e-12);
        CHECK_NEAR(mesh.positions[3 * grips[0]], -0.18, 1e-12);
        CHECK_NEAR(mesh.positions[3 * grips[1]], 0.18, 1e-12);
        if (k == 0) CHECK_EQ(mesh.vertex_count, 541);
        dcx_mesh_destroy(&mesh);

        CHECK_EQ(dcx_mesh_sock(&mesh, socks[k], grips, keys, NULL), DCX_OK);
        r = check_surface(&mesh, 1, 1, 24);
        CHECK(r.max_edge < 1.8 * socks[k] && r.min_edge > 0.4 * socks[k] && r.volume > 0.0014);
        check_mirror(&mesh, 2, 1e-12);
        p = mesh.positions;
        CHECK(p[3 * grips[0]] > p[3 * grips[1]] + 0.08);
        CHECK(p[3 * grips[3] + 2] > p[3 * grips[2] + 2] + 0.07);
        CHECK_NEAR(p[3 * grips[2]], p[3 * grips[3]], 1e-12);
        CHECK(p[3 * keys[1]] > p[3 * keys[0]] + 0.24 && p[3 * keys[0] + 1] < 0.03);
        if (k == 0) CHECK_EQ(mesh.vertex_count, 893);
        dcx_mesh_destroy(&mesh);

        CHECK_EQ(dcx_mesh_dress(&mesh, dresses[k], &neck, NULL), DCX_OK);
        r = check_surface(&mesh, 2, 0, 35);
        CHECK(r.max_edge < 1.5 * dresses[k] && r.min_edge > 0.6 * dresses[k] && r.volume > 0.07);
        check_mirror(&mesh, 0, 1e-12);
        CHECK_NEAR(mesh.positions[3 * (neck - 1) + 1], 0.98, 1e-12);
        CHECK(mesh.positions[3 * neck + 1] < 0.97);
        if (k == 0) CHECK_EQ(mesh.vertex_count, 1886);
        dcx_mesh_destroy(&mesh);
    }
    CHECK_EQ(dcx_mesh_hat(&mesh, 0.1, NULL, &last_error), DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "spacing = 0.1: must be in 1/1024..1/32 m");
    CHECK_EQ(dcx_mesh_sock(&mesh, -1, NULL, NULL, NULL), DCX_BAD_ARGUMENT);
    CHECK_EQ(dcx_mesh_dress(&mesh, 0.001, NULL, NULL), DCX_BAD_ARGUMENT);
    CHECK(mesh.positions == NULL);
}

/* The measure itself must see what is wrong. */
static void measure_sees_defects(void)
{
    dcx_mesh mesh;
    dcx_mesh_report r;
    read_text(TRI "v 2 2 0\nf 1 2 3\n", &mesh); /* M01 */
    CHECK_EQ(dcx_mesh_measure(&mesh, &r, NULL), DCX_OK);
    CHECK_EQ(r.unused_vertices, 1);
    CHECK_EQ(r.boundary_loops, 1);
    CHECK_NEAR(r.min_angle, 45, 1e-12);
    dcx_mesh_destroy(&mesh);
    read_text(TRI "v 1 1 0\nf 1 2 3\nf 2 3 4\n", &mesh); /* M10: both run from 2 to 3 */
    CHECK_EQ(dcx_mesh_measure(&mesh, &r, NULL), DCX_OK);
    CHECK_EQ(r.inconsistent_edges, 1);
    dcx_mesh_destroy(&mesh);
    read_text(TRI "v 0 -1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n", &mesh); /* M11 */
    CHECK_EQ(dcx_mesh_measure(&mesh, &r, NULL), DCX_OK);
    CHECK_EQ(r.nonmanifold_edges, 1);
    dcx_mesh_destroy(&mesh);
    read_text(TRI "v -1 0 0\nv 0 -1 0\nf 1 2 3\nf 1 4 5\n", &mesh);
    CHECK_EQ(dcx_mesh_measure(&mesh, &r, NULL), DCX_OK);
    CHECK_EQ(r.nonmanifold_vertices, 1);
    mesh.triangles[4] = 9;
    CHECK_EQ(dcx_mesh_measure(&mesh, &r, &last_error), DCX_BAD_ARGUMENT);
    CHECK_STR(last_error.text, "triangle 1 has vertices 0 9 4");
    dcx_mesh_destroy(&mesh);
}

static void point_helpers(void)
{
    double p[6] = {1, 2, 3, 5, 2, 3}, axis[3] = {0, 0, 2}, origin[3] = {1, 2, 0}, n[3] = {0, 0, 0};
    dcx_points_turn(p, 2, axis, DCXI_PI / 2, origin);
    CHECK_NEAR(p[3], 1, 1e-15);
    CHECK_NEAR(p[4], 6, 1e-15);
    CHECK_NEAR(dcx_points_fit(p, 2, 6.0), 1.5, 1e-15);
    CHECK_NEAR(p[4], 3, 1e-15);
    CHECK_NEAR(p[2], 0, 1e-15);
    CHECK_EQ(dcx_points_nearest(p, 0, p), -1);
    CHECK_EQ(dcx_points_nearest(p, 2, p + 3), 1);
    CHECK_NEAR(dcx_vec_normalize(n), 0, 0);
    CHECK_NEAR(n[0], 0, 0);
}

/* ---- command line and JSON ------------------------------------------------------------------- */

static dcx_app app;
static double own_number;
static const char *own_text;

static int parse_words(const char *w1, const char *w2, const char *w3)
{
    char words[4][64];
    char *argv[5];
    static const char *const example = "sphere";
    dcx_flag own[2];
    dcx_app_desc desc = dcx_app_default_desc(example, "test");
    const char *given[3];
    int i, argc = 1;
    dcxi_flag_set(own, "--scene", DCX_FLAG_TEXT, (void *)&own_text, "S", "which");
    dcxi_flag_set(own + 1, "--mu", DCX_FLAG_NUMBER, &own_number, "X", "friction");
    desc.flags = own;
    desc.flag_count = 2;
    given[0] = w1, given[1] = w2, given[2] = w3;
    argv[0] = words[3];
    strcpy(words[3], example);
    for (i = 0; i < 3 && given[i]; i++) {
        strcpy(words[i], given[i]);
        argv[argc++] = words[i];
    }
    argv[argc] = NULL;
    memset(&last_error, 0, sizeof last_error);
    i = dcx_app_parse(&app, &desc, argc, argv, &last_error);
    if (app.out && strcmp(app.out, "out") != 0) app.out = "x"; /* words go out of scope */
    return i;
}

static void app_flags(void)
{
    CHECK_EQ(parse_words(NULL, NULL, NULL), -1);
    CHECK_EQ(app.full + app.paper + app.json + app.quiet, 0);
    CHECK_STR(app.method, "lbfgsb");
    CHECK_STR(app.out, "out");
    CHECK_EQ(app.seed, 1);
    CHECK_EQ(app.seeds, 5);
    CHECK_EQ(app.threads, 1);
    CHECK(!app.mesh && !app.motion && !app.argument);
    CHECK_EQ(parse_words("--full", "--json", "--quiet"), -1);
    CHECK(app.full == 1 && app.json == 1 && app.quiet == 1 && app.paper == 0);
    CHECK_EQ(parse_words("--seed", "18446744073709551615", "--seeds=7"), -1);
    CHECK_EQ(app.seed, ~0ULL);
    CHECK_EQ(app.seeds, 7);
    CHECK_EQ(parse_words("--method", "cmaes", "--threads=2"), -1);
    CHECK_EQ(app.threads, 2);
    CHECK_EQ(parse_words("--mu", "-2.5e-1", NULL), -1);
    CHECK_NEAR(own_number, -0.25, 0);
    write_file("there.obj", "v", 1);
    CHECK_EQ(parse_words("--mesh", FOLDER "/there.obj", NULL), -1);
    CHECK_EQ(parse_words("--motion", FOLDER, NULL), -1);
}

static void app_wrong_flags(void)
{
    CHECK_EQ(parse_words("--ful", NULL, NULL), 2);
    CHECK_STR(last_error.text, "unknown flag '--ful'");
    CHECK_EQ(parse_words("-x", NULL, NULL), 2);
    CHECK_EQ(parse_words("stray", NULL, NULL), 2);
    CHECK_STR(last_error.text, "unexpected argument 'stray'");
    CHECK_EQ(parse_words("--mesh", NULL, NULL), 2);
    CHECK_STR(last_error.text, "--mesh needs a value: FILE.obj");
    CHECK_EQ(parse_words("--mesh", "--full", NULL), 2);
    CHECK_STR(last_error.text, "--mesh needs a value");
    CHECK_EQ(parse_words("--mesh", "none.obj", NULL), 2);
    CHECK_STR(last_error.text, "--mesh 'none.obj' cannot be opened");
    CHECK_EQ(parse_words("--out", "", NULL), 2);
    CHECK_STR(last_error.text, "--out '' must not be empty");
    CHECK_EQ(parse_words("--method", "lbfgs", NULL), 2);
    CHECK_STR(last_error.text, "--method 'lbfgs' is not one of lbfgsb|lm");
    CHECK_EQ(parse_words("--method=", NULL, NULL), 2);
    CHECK_EQ(parse_words("--seed", "-1", NULL), 2);
    CHECK_EQ(parse_words("--seed", "18446744073709551616", NULL), 2);
    CHECK_EQ(parse_words("--seed", "1.5", NULL), 2);
    CHECK_EQ(parse_words("--seeds", "0", NULL), 2);
    CHECK_STR(last_error.text, "--seeds '0' is not a whole number in 1..1000000");
    CHECK_EQ(parse_words("--threads", "two", NULL), 2);
    CHECK_EQ(parse_words("--threads", "99999999999999999999999", NULL), 2);
    CHECK_EQ(parse_words("--full=1", NULL, NULL), 2);
    CHECK_STR(last_error.text, "--full takes no value");
    CHECK_EQ(parse_words("--mu", "nan", NULL), 2);
    CHECK_EQ(parse_words("--mu=1x", NULL, NULL), 2);
}

static void app_folders(void)
{
    char path[300];
    memset(&app, 0, sizeof app);
    app.name = "test";
    app.out = FOLDER "/deep/er";
    CHECK_EQ(dcx_app_path(&app, "a.html", path, sizeof path, &last_error), DCX_OK);
    CHECK_STR(path, FOLDER "/deep/er/a.html");
    CHECK_EQ(dcx_app_path(&app, "a.html", path, 8, &last_error), DCX_TOO_LARGE);
    write_file("file", "x", 1);
    CHECK_EQ(dcx_make_folder(FOLDER "/file", &last_error), DCX_IO_ERROR);
    CHECK_EQ(dcx_make_folder(FOLDER "/file/below", &last_error), DCX_IO_ERROR);
    CHECK_EQ(dcx_make_folder("/", &last_error), DCX_OK);
    CHECK(dcx_seconds() <= dcx_seconds());
}

static void json_lines(void)
{
    dcx_json json;
    const char *line;
    double values[3];
    int i;
    values[0] = 1.5, values[1] = HUGE_VAL * 0.0, values[2] = -HUGE_VAL;
    dcx_json_init(&json);
    dcx_json_string(&json, "example", "a\"b\\c\n\x01\xC3\xA9\xFFz\xE2\x82");
    dcx_json_bool(&json, "ok", 2);
    dcx_json_integer(&json, "n", -9007199254740993LL);
    dcx_json_number(&json, "h", 1.0 / 180.0);
    dcx_json_numbers(&json, "v", values, 3);
    dcx_json_object(&json, "truth");
    dcx_json_number(&json, "friction", 0.3);
    dcx_json_close(&json);
    dcx_json_array(&json, "files");
    dcx_json_close(&json);
    dcx_json_array(&json, "open");
    dcx_json_string(&json, NULL, "x,");
    dcx_json_string(&json, NULL, NULL);
    line = dcx_json_finish(&json);
    CHECK(line &&
          strcmp(line, "{\"example\":\"a\\\"b\\\\c\\u000a\\u0001\xC3\xA9\\ufffdz\\ufffd\\ufffd\","
                       "\"ok\":true,\"n\":-9007199254740993,\"h\":0.00555555556,"
                       "\"v\":[1.5,null,null],\"truth\":{\"friction\":0.3},\"files\":[],"
                       "\"open\":[\"x,\",null]}") == 0);
    dcx_json_free(&json);
    dcx_json_init(&json);
    for (i = 0; i < 100; i++) dcx_json_array(&json, NULL);
    CHECK(dcx_json_finish(&json) == NULL);
    dcx_json_free(&json);
}

void suite_io(void)
{
    TEST_RUN(number_formats);
    TEST_RUN(number_rounding);
    TEST_RUN(number_round_trip);
    TEST_RUN(obj_relative_indices);
    TEST_RUN(obj_line_ends);
    TEST_RUN(obj_number_formats);
    TEST_RUN(obj_bad_numbers);
    TEST_RUN(obj_polygons);
    TEST_RUN(obj_hard_polygons);
    TEST_RUN(obj_extremes);
    TEST_RUN(obj_forms);
    TEST_RUN(obj_write_and_read);
    TEST_RUN(pc2_read_bytes);
    TEST_RUN(pc2_errors);
    TEST_RUN(motion_of_a_folder);
    TEST_RUN(out_of_memory);
    TEST_RUN(grid_mesh);
    TEST_RUN(disc_and_revolved_meshes);
    TEST_RUN(tshirt_mesh);
    TEST_RUN(hat_sock_and_dress_meshes);
    TEST_RUN(measure_sees_defects);
    TEST_RUN(point_helpers);
    TEST_RUN(app_flags);
    TEST_RUN(app_wrong_flags);
    TEST_RUN(app_folders);
    TEST_RUN(json_lines);
}
