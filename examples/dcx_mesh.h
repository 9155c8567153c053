/* dcx_mesh.h - cloth to try things on: generated grids, discs and garments; measures of a mesh.

   Do this in ONE source file (it brings the implementation of dcx_io.h along):

       #define DCX_MESH_IMPLEMENTATION
       #include "dcx_mesh.h"

       dcx_mesh shirt;
       dcx_error error;
       int shoulders[2];
       if (dcx_mesh_tshirt(&shirt, 0.025, shoulders, &error) < 0) { fputs(error.text, stderr); ... }
       dcx_mesh_destroy(&shirt);

   Metres; y is up; triangles counter-clockwise seen from outside; the same bytes on every call.

   Contents (search for the anchor)
       >>moving      vectors, bounds, turning        >>flat        grid, disc
       >>measure     is it a clean surface?          >>garments    T-shirt, hat, sock, dress,
   revolve
       >>impl        implementation                  >>licence

   Does: meshes with an exact mirror plane x = 0 (sock: z = 0), oriented, manifold, without slivers.
   Does not: meshing of arbitrary outlines, cloth at rest under gravity, sewing patterns: the
   generated shape is the rest shape.
   Every generator takes a wanted edge length `spacing`; on an error the mesh is {0}. */
#ifndef DCX_MESH_H
#define DCX_MESH_H

#include "dcx_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* >>moving ----------------------------------------------------------------------------------- */

/* Vectors of three; `result` may be an argument as well. */
double dcx_vec_dot(const double a[3], const double b[3]);
double dcx_vec_length(const double a[3]);
double dcx_vec_distance(const double a[3], const double b[3]);
void dcx_vec_subtract(const double a[3], const double b[3], double result[3]);
void dcx_vec_add_scaled(const double a[3], double s, const double b[3],
                        double result[3]); /* a + s b */
void dcx_vec_cross(const double a[3], const double b[3], double result[3]);
double dcx_vec_normalize(double a[3]); /* to length 1, 0 stays 0; returns the old length */

/* The box around `count` points (positions: count x 3). */
void dcx_points_bounds(const double *positions, int count, double lower[3], double upper[3]);

/* p <- scale * p + shift (shift may be NULL). */
void dcx_points_move(double *positions, int count, double scale, const double shift[3]);

/* Rotates by `angle` (radians) about an axis through `origin` (NULL: 0); `axis` need not be of unit
   length but not 0. Rodrigues' formula. */
void dcx_points_turn(double *positions, int count, const double axis[3], double angle,
                     const double origin[3]);

/* Centres the box on 0 and makes its largest extent `size` (0: keeps the scale). Returns the
 * factor. */
double dcx_points_fit(double *positions, int count, double size);

/* The vertex nearest to a point; the first of several. -1 if count is 0. */
int dcx_points_nearest(const double *positions, int count, const double point[3]);

/* Turns all triangles over. */
void dcx_mesh_flip(dcx_mesh *mesh);

/* >>measure ---------------------------------------------------------------------------------- */

typedef struct dcx_mesh_report {
    int edges;                /* undirected */
    int boundary_edges;       /* of one triangle */
    int boundary_loops;       /* closed chains of those: a tube has 2, a grid 1 */
    int components;           /* connected parts, vertices without a triangle not counted */
    int euler;                /* used vertices - edges + triangles */
    int unused_vertices;      /* in no triangle */
    int nonmanifold_edges;    /* of more than two triangles */
    int nonmanifold_vertices; /* where a boundary touches itself */
    int inconsistent_edges;   /* whose two triangles run along it in the same sense */
    double min_angle;         /* smallest corner of any triangle, degrees */
    double min_edge, max_edge;
    double area;
    double volume; /* signed, of the cones from the mean vertex: > 0 if mostly outward */
} dcx_mesh_report;

/* Errors: DCX_BAD_ARGUMENT if a triangle names a vertex that does not exist or one twice;
   DCX_OUT_OF_MEMORY. */
dcx_result dcx_mesh_measure(const dcx_mesh *mesh, dcx_mesh_report *report, dcx_error *error);

/* >>flat ------------------------------------------------------------------------------------- */

typedef enum dcx_plane {
    DCX_PLANE_XY, /* upright, front towards +z; "up" in the sheet is +y */
    DCX_PLANE_XZ  /* lying, front towards +y; "up" in the sheet is -z */
} dcx_plane;

typedef enum dcx_diagonals {
    DCX_DIAGONALS_ONE,       /* all from lower left to upper right */
    DCX_DIAGONALS_ROWS,      /* alternating from row to row */
    DCX_DIAGONALS_UNION_JACK /* alternating like a chessboard; mirror-symmetric for odd nx, ny */
} dcx_diagonals;

/* A rectangle of nx x ny vertices (>= 2 each), centred on 0. Vertex i + nx j is column i from the
   left and row j from the bottom; the upper corners are nx (ny - 1) and nx ny - 1. */
dcx_result dcx_mesh_grid(dcx_mesh *mesh, int nx, int ny, double width, double height,
                         dcx_diagonals diagonals, dcx_plane plane, dcx_error *error);

/* A disc centred on 0. Vertex 0 is the centre; ring k = 1..rings has 6 k vertices. */
dcx_result dcx_mesh_disc(dcx_mesh *mesh, double radius, int rings, dcx_plane plane,
                         dcx_error *error);

/* >>garments --------------------------------------------------------------------------------- */

/* A surface of revolution about the y axis. `profile`: count x 2 (radius >= 0, height), walked from
   top to bottom for normals away from the axis. A radius 0 is allowed at the ends only and closes
   the surface. Rings are numbered along the profile; `first_ring`, `last_ring` (NULL-able) receive
   how many vertices those have (1 for a closed end): the first vertices and the last of the mesh.
 */
dcx_result dcx_mesh_revolve(dcx_mesh *mesh, const double *profile, int count, double spacing,
                            int *first_ring, int *last_ring, dcx_error *error);

/* A T-shirt, 0.70 m tall and 0.80 m wide, hem at y = 0, front towards +z: two sheets joined along
   the sides, shoulders and sleeves, open at neck, hem and cuffs, held apart by up to 6 cm. Spacing
   in 1/256..1/16; 1274 vertices at 0.025. `shoulders` (NULL-able): the vertices to hang it
   from, at x < 0 and x > 0. */
dcx_result dcx_mesh_tshirt(dcx_mesh *mesh, double spacing, int shoulders[2], dcx_error *error);

/* A hat with a drooping brim, closed at the top, 0.36 m across and 0.15 m tall; the head's axis is
   y, the crease between brim and crown lies at y = 0. Spacing in 1/1024..1/32; about 600 vertices
   at 0.019. Vertex 0 is the top. `grips` (NULL-able): on the brim's edge, at x < 0 and x > 0. */
dcx_result dcx_mesh_hat(dcx_mesh *mesh, double spacing, int grips[2], dcx_error *error);

/* A sock, 0.26 m from heel to toe and 0.26 m tall, open at the top, closed at the toe; sole at y =
   0, toe towards +x, mirror plane z = 0. Spacing in 1/1024..1/64; 893 vertices at 0.012.
   `grips` (NULL-able): front, back, z < 0 and z > 0 of the opening. `keys` (NULL-able): heel and
   toe. */
dcx_result dcx_mesh_sock(dcx_mesh *mesh, double spacing, int grips[4], int keys[2],
                         dcx_error *error);

/* A dress without sleeves, a fitted top and a conical skirt, open at both ends; 0.98 m tall, hem at
   y = 0, front towards +z. Spacing in 1/256..1/16; 1886 vertices at 0.03. The first `neck`
   vertices (NULL-able) are the upper edge. */
dcx_result dcx_mesh_dress(dcx_mesh *mesh, double spacing, int *neck, dcx_error *error);

#ifdef __cplusplus
}
#endif

#endif /* DCX_MESH_H; stop here if you only want the interface */

/* >>impl ===================================================================================== */
#if defined(DCX_MESH_IMPLEMENTATION) && !defined(DCX_MESH_IMPLEMENTED)
#define DCX_MESH_IMPLEMENTED

#ifndef DCX_IO_IMPLEMENTATION
#define DCX_IO_IMPLEMENTATION
#endif
#include "dcx_io.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DCXI_PI 3.14159265358979323846

/* ---- vectors --------------------------------------------------------------------------------- */

double dcx_vec_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double dcx_vec_length(const double a[3])
{
    return sqrt(dcx_vec_dot(a, a));
}

double dcx_vec_distance(const double a[3], const double b[3])
{
    double d[3];
    dcx_vec_subtract(a, b, d);
    return dcx_vec_length(d);
}

void dcx_vec_subtract(const double a[3], const double b[3], double result[3])
{
    int c;
    for (c = 0; c < 3; c++) result[c] = a[c] - b[c];
}

void dcx_vec_add_scaled(const double a[3], double s, const double b[3], double result[3])
{
    int c;
    for (c = 0; c < 3; c++) result[c] = a[c] + s * b[c];
}

void dcx_vec_cross(const double a[3], const double b[3], double result[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
    result[0] = x;
    result[1] = y;
}

double dcx_vec_normalize(double a[3])
{
    double length = dcx_vec_length(a);
    int c;
    for (c = 0; c < 3 && length > 0; c++) a[c] /= length;
    return length;
}

/* ---- points ---------------------------------------------------------------------------------- */

void dcx_points_bounds(const double *positions, int count, double lower[3], double upper[3])
{
    int i, c;
    for (c = 0; c < 3; c++) {
        lower[c] = count > 0 ? positions[c] : 0.0;
        upper[c] = lower[c];
    }
    for (i = 1; i < count; i++)
        for (c = 0; c < 3; c++) {
            double x = positions[3 * (size_t)i + (size_t)c];
            if (x < lower[c]) lower[c] = x;
            if (x > upper[c]) upper[c] = x;
        }
}

void dcx_points_move(double *positions, int count, double scale, const double shift[3])
{
    int i, c;
    for (i = 0; i < count; i++, positions += 3)
        for (c = 0; c < 3; c++) positions[c] = scale * positions[c] + (shift ? shift[c] : 0.0);
}

void dcx_points_turn(double *positions, int count, const double axis[3], double angle,
                     const double origin[3])
{
    double length = dcx_vec_length(axis), s = sin(angle), k = 1.0 - cos(angle), n[3];
    static const double zero[3] = {0.0, 0.0, 0.0};
    int i, c;
    for (c = 0; c < 3; c++) n[c] = axis[c] / length;
    if (!origin) origin = zero;
    for (i = 0; i < count; i++, positions += 3) {
        double p[3], a[3], b[3];
        dcx_vec_subtract(positions, origin, p);
        dcx_vec_cross(n, p, a);
        dcx_vec_cross(n, a, b);
        for (c = 0; c < 3; c++) positions[c] = origin[c] + p[c] + s * a[c] + k * b[c];
    }
}

double dcx_points_fit(double *positions, int count, double size)
{
    double lower[3], upper[3], shift[3], extent = 0.0, scale = 1.0;
    int c;
    dcx_points_bounds(positions, count, lower, upper);
    for (c = 0; c < 3; c++)
        if (upper[c] - lower[c] > extent) extent = upper[c] - lower[c];
    if (size > 0 && extent > 0) scale = size / extent;
    for (c = 0; c < 3; c++) shift[c] = -0.5 * (lower[c] + upper[c]) * scale;
    dcx_points_move(positions, count, scale, shift);
    return scale;
}

int dcx_points_nearest(const double *positions, int count, const double point[3])
{
    double best = 0.0;
    int i, found = -1;
    for (i = 0; i < count; i++) {
        double d[3], distance;
        dcx_vec_subtract(positions + 3 * (size_t)i, point, d);
        distance = dcx_vec_dot(d, d);
        if (found >= 0 && !(distance < best)) continue;
        best = distance;
        found = i;
    }
    return found;
}

void dcx_mesh_flip(dcx_mesh *mesh)
{
    int k;
    for (k = 0; k < mesh->triangle_count; k++) {
        int *v = mesh->triangles + 3 * (size_t)k, t = v[1];
        v[1] = v[2];
        v[2] = t;
        if (!mesh->uv_count) continue;
        v = mesh->uv_triangles + 3 * (size_t)k;
        t = v[1];
        v[1] = v[2];
        v[2] = t;
    }
}

/* ---- measuring ------------------------------------------------------------------------------- */

typedef struct dcxi_edge {
    int low, high; /* vertices */
    int forward;   /* does the triangle run from low to high? */
} dcxi_edge;

static int dcxi_compare_edges(const void *left, const void *right)
{
    const dcxi_edge *a = (const dcxi_edge *)left, *b = (const dcxi_edge *)right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->forward - b->forward;
}

/* The root of a vertex in a forest of parents, halving the path. */
static int dcxi_root(int *parent, int v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static dcx_result dcxi_check_triangles(const dcx_mesh *mesh, dcx_error *error)
{
    int k, c;
    for (k = 0; k < mesh->triangle_count; k++) {
        const int *v = mesh->triangles + 3 * (size_t)k;
        for (c = 0; c < 3; c++)
            if (v[c] < 0 || v[c] >= mesh->vertex_count || v[c] == v[(c + 1) % 3])
                return dcx_error_set(error, DCX_BAD_ARGUMENT,
                                     "triangle %d has vertices %d %d %d of %d", k, v[0], v[1], v[2],
                                     mesh->vertex_count);
    }
    return DCX_OK;
}

static void dcxi_measure_shape(const dcx_mesh *mesh, dcx_mesh_report *report)
{
    double mean[3] = {0.0, 0.0, 0.0};
    int i, k, c;
    for (i = 0; i < mesh->vertex_count; i++)
        for (c = 0; c < 3; c++)
            mean[c] += mesh->positions[3 * (size_t)i + (size_t)c] / mesh->vertex_count;
    report->min_angle = 180.0;
    for (k = 0; k < mesh->triangle_count; k++) {
        double p[3][3], normal[3], edge[3][3];
        for (c = 0; c < 3; c++)
            dcx_vec_subtract(mesh->positions +
                                 3 * (size_t)mesh->triangles[3 * (size_t)k + (size_t)c],
                             mean, p[c]);
        for (c = 0; c < 3; c++) dcx_vec_subtract(p[(c + 1) % 3], p[c], edge[c]);
        dcx_vec_cross(edge[0], edge[1], normal);
        report->area += 0.5 * dcx_vec_length(normal);
        report->volume += dcx_vec_dot(normal, p[0]) / 6.0;
        for (c = 0; c < 3; c++) {
            const double *a = edge[c], *b = edge[(c + 2) % 3];
            double length = dcx_vec_length(a);
            double angle = atan2(dcx_vec_length(normal), -dcx_vec_dot(a, b)) * 180.0 / DCXI_PI;
            if (angle < report->min_angle) report->min_angle = angle;
            if (length > report->max_edge) report->max_edge = length;
            if (length < report->min_edge || (k == 0 && c == 0)) report->min_edge = length;
        }
    }
}

static void dcxi_list_edges(const dcx_mesh *mesh, dcxi_edge *edges)
{
    int k, c;
    for (k = 0; k < mesh->triangle_count; k++)
        for (c = 0; c < 3; c++, edges++) {
            int a = mesh->triangles[3 * (size_t)k + (size_t)c];
            int b = mesh->triangles[3 * (size_t)k + (size_t)((c + 1) % 3)];
            edges->forward = a < b;
            edges->low = a < b ? a : b;
            edges->high = a < b ? b : a;
        }
    qsort(edges - 3 * (size_t)mesh->triangle_count, 3 * (size_t)mesh->triangle_count, sizeof *edges,
          dcxi_compare_edges);
}

/* Counts edges; joins vertices of each edge in `parts`, of each boundary edge in `loops`, and
   counts boundary edges per vertex in `rim`. The three arrays have an entry per vertex. */
static void dcxi_measure_edges(const dcxi_edge *edges, size_t count, int *parts, int *loops,
                               int *rim, dcx_mesh_report *report)
{
    size_t i, j;
    for (i = 0; i < count; i = j) {
        const dcxi_edge *e = edges + i;
        for (j = i + 1; j < count && edges[j].low == e->low && edges[j].high == e->high; j++)
            continue;
        report->edges++;
        parts[dcxi_root(parts, e->low)] = dcxi_root(parts, e->high);
        if (j - i > 2) report->nonmanifold_edges++;
        if (j - i == 2 && e[0].forward == e[1].forward) report->inconsistent_edges++;
        if (j - i != 1) continue;
        report->boundary_edges++;
        loops[dcxi_root(loops, e->low)] = dcxi_root(loops, e->high);
        rim[e->low]++;
        rim[e->high]++;
    }
}

dcx_result dcx_mesh_measure(const dcx_mesh *mesh, dcx_mesh_report *report, dcx_error *error)
{
    size_t n = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count, k;
    dcxi_edge *edges;
    int *parts, *loops, *rim, *used, v;
    dcx_result result;
    memset(report, 0, sizeof *report);
    result = dcxi_check_triangles(mesh, error);
    if (result < 0) return result;
    edges = (dcxi_edge *)dcxi_zeroed(corners, 1, sizeof *edges);
    parts = (int *)dcxi_zeroed(n, 4, sizeof(int));
    if (!edges || !parts) {
        DCX_FREE(edges);
        DCX_FREE(parts);
        return dcxi_no_memory(error);
    }
    loops = parts + n;
    rim = loops + n;
    used = rim + n;
    for (v = 0; v < mesh->vertex_count; v++) parts[v] = loops[v] = v;
    for (k = 0; k < corners; k++) used[mesh->triangles[k]] = 1;
    dcxi_measure_shape(mesh, report);
    dcxi_list_edges(mesh, edges);
    dcxi_measure_edges(edges, corners, parts, loops, rim, report);
    for (v = 0; v < mesh->vertex_count; v++) {
        if (!used[v]) report->unused_vertices++;
        if (used[v] && parts[v] == v) report->components++;
        if (rim[v] && loops[v] == v) report->boundary_loops++;
        if (rim[v] > 2) report->nonmanifold_vertices++;
    }
    report->euler =
        mesh->vertex_count - report->unused_vertices - report->edges + mesh->triangle_count;
    DCX_FREE(edges);
    DCX_FREE(parts);
    return DCX_OK;
}

/* ---- flat meshes ----------------------------------------------------------------------------- */

static dcx_result dcxi_bad_number(dcx_error *error, const char *name, double value,
                                  const char *rule)
{
    char text[DCX_DOUBLE_TEXT];
    return dcx_error_set(error, DCX_BAD_ARGUMENT, "%s = %s: must be %s", name,
                         dcx_double_print(text, value, 9), rule);
}

static int dcxi_is_positive(double x)
{
    return x > 0 && x <= DBL_MAX;
}

static void dcxi_set_triangle(int *triangle, int a, int b, int c)
{
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

dcx_result dcx_mesh_grid(dcx_mesh *mesh, int nx, int ny, double width, double height,
                         dcx_diagonals diagonals, dcx_plane plane, dcx_error *error)
{
    int i, j, *triangle;
    double *p;
    dcx_result result;
    memset(mesh, 0, sizeof *mesh);
    if (nx < 2 || ny < 2)
        return dcx_error_set(error, DCX_BAD_ARGUMENT, "nx = %d, ny = %d: must be >= 2", nx, ny);
    if (nx > INT_MAX / 6 / ny)
        return dcx_error_set(error, DCX_TOO_LARGE, "nx = %d, ny = %d: too many vertices", nx, ny);
    if (!dcxi_is_positive(width)) return dcxi_bad_number(error, "width", width, "positive");
    if (!dcxi_is_positive(height)) return dcxi_bad_number(error, "height", height, "positive");
    result = dcx_mesh_create(mesh, nx * ny, 2 * (nx - 1) * (ny - 1), error);
    if (result < 0) return result;
    p = mesh->positions;
    for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++, p += 3) {
            double y = height * (2 * j - (ny - 1)) / (2.0 * (ny - 1));
            p[0] = width * (2 * i - (nx - 1)) / (2.0 * (nx - 1)); /* exactly symmetric */
            if (plane == DCX_PLANE_XY)
                p[1] = y;
            else
                p[2] = -y;
        }
    triangle = mesh->triangles;
    for (j = 0; j + 1 < ny; j++)
        for (i = 0; i + 1 < nx; i++, triangle += 6) {
            int a = i + nx * j, b = a + 1, c = a + nx, d = c + 1; /* c d over a b */
            int rising = diagonals == DCX_DIAGONALS_ONE ||
                         (diagonals == DCX_DIAGONALS_ROWS ? j : i + j) % 2 == 0;
            dcxi_set_triangle(triangle, a, b, rising ? d : c);
            dcxi_set_triangle(triangle + 3, rising ? a : b, d, c);
        }
    return DCX_OK;
}

/* ---- meshes from rings ------------------------------------------------------------------------
   A tube is a list of closed rings, each an ellipse `centre + cos(t) u + sin(t) v` with its own
   number of points; a ring of one point is a closed end. Two neighbours are sewn by walking around
   both at the same pace. With u x v along the list, triangles look outward. */

typedef struct dcxi_ring {
    double centre[3], u[3], v[3];
    int count, half; /* points, the first at angle 0 or half a step further */
} dcxi_ring;

static dcx_result dcxi_rings_push(dcxi_array *rings, const dcxi_ring *ring, dcx_error *error)
{
    if (!dcxi_array_push(rings, ring, 1)) return dcxi_no_memory(error);
    return DCX_OK;
}

/* The number of points for a ring at a spacing: even, so that it has a mirror plane, at least 6.
   Perimeter of an ellipse after Ramanujan (1914). Every second ring is turned by half a step. */
static void dcxi_ring_choose(dcxi_ring *ring, double spacing, int index)
{
    double a = dcx_vec_length(ring->u), b = dcx_vec_length(ring->v);
    double perimeter = DCXI_PI * (3.0 * (a + b) - sqrt((3.0 * a + b) * (a + 3.0 * b)));
    ring->half = index & 1;
    ring->count = perimeter > 0 ? 2 * (int)(perimeter / spacing / 2.0 + 0.5) : 1;
    if (ring->count != 1 && ring->count < 6) ring->count = 6;
}

static void dcxi_ring_place(const dcxi_ring *ring, double *p)
{
    int i, c;
    for (i = 0; i < ring->count; i++, p += 3) {
        double angle = DCXI_PI * (2 * i + ring->half) / ring->count;
        for (c = 0; c < 3; c++)
            p[c] = ring->centre[c] + cos(angle) * ring->u[c] + sin(angle) * ring->v[c];
    }
}

/* Sews ring a (first vertex na) to the following ring b (first vertex nb); returns behind the last
   triangle. The next edge is the one, of either ring, whose middle comes first. */
static int *dcxi_ring_sew(const dcxi_ring *a, int na, const dcxi_ring *b, int nb, int *triangle)
{
    int i = 0, j = 0, end_a = a->count > 1 ? a->count : 0, end_b = b->count > 1 ? b->count : 0;
    while (i < end_a || j < end_b) {
        int va = na + i % a->count, vb = nb + j % b->count;
        long long middle_a = (2LL * i + 1 + a->half) * b->count;
        long long middle_b = (2LL * j + 1 + b->half) * a->count;
        if (j == end_b || (i < end_a && middle_a <= middle_b)) {
            dcxi_set_triangle(triangle, va, na + (i + 1) % a->count, vb);
            i++;
        } else {
            dcxi_set_triangle(triangle, va, nb + (j + 1) % b->count, vb);
            j++;
        }
        triangle += 3;
    }
    return triangle;
}

static dcx_result dcxi_mesh_from_rings(dcx_mesh *mesh, const dcxi_array *rings, dcx_error *error)
{
    const dcxi_ring *ring = (const dcxi_ring *)rings->data;
    size_t k;
    int vertices = 0, triangles = 0, first = 0, *triangle;
    dcx_result result;
    for (k = 0; k < rings->count; k++) {
        int both = ring[k].count > 1 ? ring[k].count : 0;
        if (vertices > INT_MAX / 8 - ring[k].count)
            return dcx_error_set(error, DCX_TOO_LARGE, "too many vertices");
        vertices += ring[k].count;
        if (k > 0) triangles += both;
        if (k + 1 < rings->count) triangles += both;
    }
    result = dcx_mesh_create(mesh, vertices, triangles, error);
    if (result < 0) return result;
    triangle = mesh->triangles;
    for (k = 0; k < rings->count; k++) {
        dcxi_ring_place(ring + k, mesh->positions + 3 * (size_t)first);
        if (k + 1 < rings->count)
            triangle =
                dcxi_ring_sew(ring + k, first, ring + k + 1, first + ring[k].count, triangle);
        first += ring[k].count;
    }
    return DCX_OK;
}

dcx_result dcx_mesh_disc(dcx_mesh *mesh, double radius, int rings, dcx_plane plane,
                         dcx_error *error)
{
    dcxi_array list = dcxi_array_make(sizeof(dcxi_ring));
    dcx_result result = DCX_OK;
    int k;
    memset(mesh, 0, sizeof *mesh);
    if (rings < 1 || rings > 5000)
        return dcx_error_set(error, DCX_BAD_ARGUMENT, "rings = %d: must be in 1..5000", rings);
    if (!dcxi_is_positive(radius)) return dcxi_bad_number(error, "radius", radius, "positive");
    for (k = 0; k <= rings && result == DCX_OK; k++) {
        dcxi_ring ring;
        memset(&ring, 0, sizeof ring);
        ring.count = k ? 6 * k : 1;
        ring.u[0] = radius * k / rings;
        if (plane == DCX_PLANE_XY)
            ring.v[1] = -ring.u[0];
        else
            ring.v[2] = ring.u[0];
        result = dcxi_rings_push(&list, &ring, error);
    }
    if (result == DCX_OK) result = dcxi_mesh_from_rings(mesh, &list, error);
    dcxi_array_free(&list);
    return result;
}

/* The point at arc length s of a polyline, count x 2. */
static void dcxi_polyline_at(const double *line, int count, double s, double *point)
{
    int k;
    point[0] = line[0];
    point[1] = line[1];
    for (k = 0; k + 1 < count; k++) {
        double dx = line[2 * k + 2] - line[2 * k], dy = line[2 * k + 3] - line[2 * k + 1];
        double length = sqrt(dx * dx + dy * dy), t;
        if (s > length && k + 2 < count) {
            s -= length;
            continue;
        }
        t = length > 0 && s < length ? s / length : 1.0;
        point[0] = line[2 * k] + t * dx;
        point[1] = line[2 * k + 1] + t * dy;
        return;
    }
}

static double dcxi_polyline_length(const double *line, int count)
{
    double sum = 0.0;
    int k;
    for (k = 0; k + 1 < count; k++) {
        double dx = line[2 * k + 2] - line[2 * k], dy = line[2 * k + 3] - line[2 * k + 1];
        sum += sqrt(dx * dx + dy * dy);
    }
    return sum;
}

/* Rows of equilateral triangles are this times their edge apart. */
#define DCXI_ROW 0.8660254037844386

dcx_result dcx_mesh_revolve(dcx_mesh *mesh, const double *profile, int count, double spacing,
                            int *first_ring, int *last_ring, dcx_error *error)
{
    dcxi_array list = dcxi_array_make(sizeof(dcxi_ring));
    dcx_result result = DCX_OK;
    double length;
    int k, rows;
    memset(mesh, 0, sizeof *mesh);
    if (!profile || count < 2)
        return dcx_error_set(error, DCX_BAD_ARGUMENT, "profile: %d points, needs 2", count);
    for (k = 0; k < count; k++)
        if (!(profile[2 * k] >= 0) || (profile[2 * k] <= 0 && k > 0 && k + 1 < count))
            return dcxi_bad_number(error, "profile radius", profile[2 * k],
                                   "positive, or 0 at the ends");
    length = dcxi_polyline_length(profile, count);
    if (!dcxi_is_positive(spacing)) return dcxi_bad_number(error, "spacing", spacing, "positive");
    if (!dcxi_is_positive(length) || length / spacing > 20000)
        return dcxi_bad_number(error, "profile length", length, "positive, <= 20000 spacings");
    rows = (int)(length / (spacing * DCXI_ROW) + 0.5);
    if (rows < 1) rows = 1;
    for (k = 0; k <= rows && result == DCX_OK; k++) {
        dcxi_ring ring;
        double point[2];
        memset(&ring, 0, sizeof ring);
        dcxi_polyline_at(profile, count, length * k / rows, point);
        if (k == 0 || k == rows) point[0] = profile[k ? 2 * count - 2 : 0];
        ring.centre[1] = point[1];
        ring.u[0] = ring.v[2] = point[0];
        dcxi_ring_choose(&ring, spacing, rows - k);
        if (k == 0 && first_ring) *first_ring = ring.count;
        if (k == rows && last_ring) *last_ring = ring.count;
        result = dcxi_rings_push(&list, &ring, error);
    }
    if (result == DCX_OK) result = dcxi_mesh_from_rings(mesh, &list, error);
    dcxi_array_free(&list);
    return result;
}

/* ---- T-shirt ----------------------------------------------------------------------------------
   Front and back are the same grid of columns and rows: columns -half..half are the body, `sleeve`
   more on each side a sleeve; rows 0..armpit belong to the body only. Seam vertices are shared:
   both sides up to the armpit, the shoulders, the upper and lower edge of the sleeves. */

typedef struct dcxi_shirt {
    int half, sleeve, neck; /* columns from the middle to the side; on to the cuff; to the collar */
    int armpit, rows;       /* rows up to the armpit; up to the shoulder */
    int columns;            /* 2 (half + sleeve) + 1 */
} dcxi_shirt;

static int dcxi_at_least(int value, int least)
{
    return value < least ? least : value;
}

static dcxi_shirt dcxi_shirt_sizes(double spacing)
{
    dcxi_shirt s;
    s.half = dcxi_at_least((int)(0.240 / spacing + 0.5), 4);
    s.sleeve = dcxi_at_least((int)(0.155 / spacing + 0.5), 2);
    s.neck = dcxi_at_least((int)(0.40 * s.half + 0.5), 2);
    s.armpit = dcxi_at_least((int)(0.450 / spacing + 0.5), 4);
    s.rows = s.armpit + dcxi_at_least((int)(0.205 / spacing + 0.5), 3);
    s.columns = 2 * (s.half + s.sleeve) + 1;
    return s;
}

/* How far a column is from the middle, and whether the sheet has a vertex there. */
static int dcxi_shirt_offset(const dcxi_shirt *s, int column)
{
    return abs(column - (s->half + s->sleeve));
}

static int dcxi_shirt_has(const dcxi_shirt *s, int column, int row)
{
    return column >= 0 && column < s->columns && row >= 0 && row <= s->rows &&
           (row >= s->armpit || dcxi_shirt_offset(s, column) <= s->half);
}

static int dcxi_shirt_is_seam(const dcxi_shirt *s, int column, int row)
{
    int offset = dcxi_shirt_offset(s, column);
    if (row == s->rows) return offset >= s->neck;
    return row == s->armpit ? offset >= s->half : row < s->armpit && offset == s->half;
}

/* The outline's corners, metres: armpit, shoulder tip, cuff below and above, collar. */
static const double dcxi_shirt_corner[5][2] = {
    {0.250, 0.450}, {0.230, 0.655}, {0.335, 0.400}, {0.400, 0.530}, {0.000, 0.700}};

static double dcxi_mix(double a, double b, double t)
{
    return a + t * (b - a);
}

/* The flat pattern at a column and row. */
static void dcxi_shirt_point(const dcxi_shirt *s, int back, int column, int row, double *xy)
{
    const double(*corner)[2] = dcxi_shirt_corner;
    int offset = dcxi_shirt_offset(s, column);
    double up = row > s->armpit ? (double)(row - s->armpit) / (s->rows - s->armpit) : 0.0;
    if (offset > s->half) {
        double out = (double)(offset - s->half) / s->sleeve;
        int c;
        for (c = 0; c < 2; c++)
            xy[c] = dcxi_mix(dcxi_mix(corner[0][c], corner[1][c], up),
                             dcxi_mix(corner[2][c], corner[3][c], up), out);
    } else {
        double collar = (double)s->neck / s->half, x = (double)offset / s->half, top, dip;
        top = dcxi_mix(corner[1][1], corner[4][1], x > collar ? (1.0 - x) / (1.0 - collar) : 1.0);
        dip = x < collar ? 1.0 - (x / collar) * (x / collar) : 0.0;
        top -= dip * (back ? 0.025 : 0.085);
        xy[0] = x * dcxi_mix(corner[0][0], corner[1][0], up);
        xy[1] = row > s->armpit ? dcxi_mix(corner[0][1], top, up) : corner[0][1] * row / s->armpit;
    }
    if (column < s->half + s->sleeve) xy[0] = -xy[0];
}

/* Heights of a blown-up sheet: the square root of a membrane under pressure, held at the seams and
   free at the openings, 1 where it is highest; by successive over-relaxation. `z`: zeroed,
   columns x (rows + 1). The sweep is not symmetric, so mirror images are averaged at the end. */
static void dcxi_shirt_inflate(const dcxi_shirt *s, double *z)
{
    double relax = 2.0 / (1.0 + sin(DCXI_PI / (2.0 * s->half))), highest = 0.0;
    int sweep, i, j, n = s->columns, sweeps = 20 * s->half;
    for (sweep = 0; sweep < sweeps; sweep++)
        for (j = 0; j <= s->rows; j++)
            for (i = 0; i < n; i++) {
                double sum = 1.0;
                int count = 0;
                if (!dcxi_shirt_has(s, i, j) || dcxi_shirt_is_seam(s, i, j)) continue;
                if (dcxi_shirt_has(s, i - 1, j)) sum += z[j * n + i - 1], count++;
                if (dcxi_shirt_has(s, i + 1, j)) sum += z[j * n + i + 1], count++;
                if (dcxi_shirt_has(s, i, j - 1)) sum += z[(j - 1) * n + i], count++;
                if (dcxi_shirt_has(s, i, j + 1)) sum += z[(j + 1) * n + i], count++;
                z[j * n + i] += relax * (sum / count - z[j * n + i]);
            }
    for (j = 0; j <= s->rows; j++)
        for (i = 0; 2 * i < n; i++) {
            double *a = z + j * n + i, *b = z + j * n + n - 1 - i;
            *a = *b = sqrt(0.5 * (*a + *b));
            if (*a > highest) highest = *a;
        }
    for (i = 0; i < n * (s->rows + 1); i++) z[i] /= highest;
}

/* Numbers the vertices of both sheets (number: 2 x columns x (rows + 1), -1 for none), seam
   vertices alike; returns how many. */
static int dcxi_shirt_number(const dcxi_shirt *s, int *number)
{
    int i, j, back, count = 0, size = s->columns * (s->rows + 1);
    for (back = 0; back < 2; back++)
        for (j = 0; j <= s->rows; j++)
            for (i = 0; i < s->columns; i++) {
                int k = j * s->columns + i;
                if (!dcxi_shirt_has(s, i, j))
                    number[back * size + k] = -1;
                else if (back && dcxi_shirt_is_seam(s, i, j))
                    number[size + k] = number[k];
                else
                    number[back * size + k] = count++;
            }
    return count;
}

/* Triangles of one sheet; returns behind the last. The shorter diagonal cuts a cell; where they are
   alike, a chessboard pattern does. */
static int *dcxi_shirt_triangles(const dcxi_shirt *s, const int *number, const double *positions,
                                 int back, int *triangle)
{
    int i, j, n = s->columns;
    for (j = 0; j < s->rows; j++)
        for (i = 0; i + 1 < n; i++) {
            int a, b, c, d, rising = (i + j) % 2 == 0; /* c d over a b */
            double ad[3], bc[3], difference;
            if (!dcxi_shirt_has(s, i, j) || !dcxi_shirt_has(s, i + 1, j)) continue;
            a = number[j * n + i], b = number[j * n + i + 1];
            c = number[j * n + n + i], d = number[j * n + n + i + 1];
            dcx_vec_subtract(positions + 3 * (size_t)d, positions + 3 * (size_t)a, ad);
            dcx_vec_subtract(positions + 3 * (size_t)c, positions + 3 * (size_t)b, bc);
            difference = dcx_vec_dot(ad, ad) - dcx_vec_dot(bc, bc);
            if (fabs(difference) > 0.02 * dcx_vec_dot(ad, ad)) rising = difference < 0;
            if (back) { /* seen from behind: b a below d c */
                int t = a;
                a = b, b = t, t = c, c = d, d = t;
                rising = !rising;
            }
            dcxi_set_triangle(triangle, a, b, rising ? d : c);
            dcxi_set_triangle(triangle + 3, rising ? a : b, d, c);
            triangle += 6;
        }
    return triangle;
}

static dcx_result dcxi_shirt_build(const dcxi_shirt *s, int *number, double *z, dcx_mesh *mesh,
                                   dcx_error *error)
{
    int back, i, j, size = s->columns * (s->rows + 1), count = dcxi_shirt_number(s, number);
    int cells = 2 * s->half * s->rows + 2 * s->sleeve * (s->rows - s->armpit), *triangle;
    dcx_result result = dcx_mesh_create(mesh, count, 4 * cells, error);
    if (result < 0) return result;
    dcxi_shirt_inflate(s, z);
    triangle = mesh->triangles;
    for (back = 0; back < 2; back++) {
        for (j = 0; j <= s->rows; j++)
            for (i = 0; i < s->columns; i++) {
                int k = j * s->columns + i;
                double *p = mesh->positions + 3 * (ptrdiff_t)number[back * size + k];
                if (!dcxi_shirt_has(s, i, j) || (back && dcxi_shirt_is_seam(s, i, j))) continue;
                dcxi_shirt_point(s, back, i, j, p);
                p[2] = back ? -0.03 * z[k] : 0.03 * z[k];
            }
        triangle = dcxi_shirt_triangles(s, number + back * size, mesh->positions, back, triangle);
    }
    return DCX_OK;
}

dcx_result dcx_mesh_tshirt(dcx_mesh *mesh, double spacing, int shoulders[2], dcx_error *error)
{
    dcxi_shirt s;
    size_t size;
    int *number;
    double *z;
    dcx_result result;
    memset(mesh, 0, sizeof *mesh);
    if (!(spacing >= 1.0 / 256 && spacing <= 1.0 / 16)) /* exact in any precision */
        return dcxi_bad_number(error, "spacing", spacing, "in 1/256..1/16 m");
    s = dcxi_shirt_sizes(spacing);
    size = (size_t)s.columns * (size_t)(s.rows + 1);
    number = (int *)dcxi_zeroed(2, size, sizeof *number);
    z = (double *)dcxi_zeroed(size, 1, sizeof *z);
    result = number && z ? dcxi_shirt_build(&s, number, z, mesh, error) : dcxi_no_memory(error);
    if (result == DCX_OK && shoulders) {
        const int *top = number + s.rows * s.columns + s.half + s.sleeve;
        int offset = (s.neck + s.half) / 2;
        shoulders[0] = top[-offset];
        shoulders[1] = top[offset];
    }
    DCX_FREE(number);
    DCX_FREE(z);
    return result;
}

/* ---- hat, dress -------------------------------------------------------------------------------
 */

static dcx_result dcxi_check_spacing(double spacing, int finest, int coarsest, dcx_error *error)
{
    char rule[40];
    if (spacing * finest >= 1.0 && spacing * coarsest <= 1.0) return DCX_OK;
    snprintf(rule, sizeof rule, "in 1/%d..1/%d m", finest, coarsest);
    return dcxi_bad_number(error, "spacing", spacing, rule);
}

dcx_result dcx_mesh_hat(dcx_mesh *mesh, double spacing, int grips[2], dcx_error *error)
{
    double profile[2 * 20];
    int k, n = 0, rim = 0;
    dcx_result result = dcxi_check_spacing(spacing, 1024, 32, error);
    memset(mesh, 0, sizeof *mesh);
    if (result < 0) return result;
    for (k = 0; k <= 12; k++) { /* a rounded top: a quarter of a superellipse */
        double t = 0.5 * DCXI_PI * k / 12.0;
        profile[n++] = k ? 0.088 * pow(sin(t), 0.8) : 0.0;
        profile[n++] = 0.080 + 0.045 * pow(k < 12 ? cos(t) : 0.0, 0.8);
    }
    profile[n++] = 0.094, profile[n++] = 0.012;
    profile[n++] = 0.097, profile[n++] = 0.003; /* the crease, a little rounded */
    profile[n++] = 0.104, profile[n++] = -0.002;
    profile[n++] = 0.180, profile[n++] = -0.025;
    result = dcx_mesh_revolve(mesh, profile, n / 2, spacing, NULL, &rim, error);
    if (result == DCX_OK && grips) {
        grips[0] = mesh->vertex_count - rim + rim / 2;
        grips[1] = mesh->vertex_count - rim;
    }
    return result;
}

dcx_result dcx_mesh_dress(dcx_mesh *mesh, double spacing, int *neck, dcx_error *error)
{
    static const double shape[5][2] = {/* from the upper edge down, before rounding */
                                       {0.145, 0.98},
                                       {0.150, 0.86},
                                       {0.118, 0.66},
                                       {0.160, 0.54},
                                       {0.400, 0.00}};
    double profile[2 * 41];
    int i, k, n = 0;
    dcx_result result = dcxi_check_spacing(spacing, 256, 16, error);
    memset(mesh, 0, sizeof *mesh);
    if (result < 0) return result;
    for (k = 0; k < 4; k++) /* Catmull-Rom through the points, straight at the ends */
        for (i = 0; i < (k == 3 ? 11 : 10); i++) {
            const double *b = shape[k], *c = shape[k + 1];
            const double *a = k ? shape[k - 1] : b, *d = k < 3 ? shape[k + 2] : c;
            double t = 0.1 * i, t2 = t * t, t3 = t2 * t;
            int e;
            for (e = 0; e < 2; e++)
                profile[n++] = 0.5 * (2.0 * b[e] + (c[e] - a[e]) * t +
                                      (2.0 * a[e] - 5.0 * b[e] + 4.0 * c[e] - d[e]) * t2 +
                                      (3.0 * b[e] - a[e] - 3.0 * c[e] + d[e]) * t3);
        }
    result = dcx_mesh_revolve(mesh, profile, n / 2, spacing, neck, NULL, error);
    for (i = 0; i < mesh->vertex_count; i++) { /* flat like a body at the top, round at the hem */
        double *p = mesh->positions + 3 * (size_t)i;
        p[2] *= dcxi_mix(1.0, 0.7, p[1] / 0.98);
    }
    return result;
}

/* ---- sock -------------------------------------------------------------------------------------
   Rings down the leg; then, for the heel, turning about a pivot in front of the ankle; then along
   the foot and closing at the toe. */

/* Half the depth, half the width of the ring, its centre's x and y; `t` runs over 0..1 in each
 * part. */
static void dcxi_sock_ring(dcxi_ring *ring, int part, double t)
{
    const double pivot_y = 0.105,
                 gap = 0.035; /* pivot at x = 0; the sock starts this far from it */
    double angle = part == 0 ? 0.0 : part == 1 ? 0.5 * DCXI_PI * t : 0.5 * DCXI_PI;
    double s = part == 1 ? sin(angle) : part == 0 ? 0.0 : 1.0, c = part == 1 ? cos(angle) : 1.0 - s;
    double depth = 0.035, width = 0.040, close = 1.0, outer;
    memset(ring, 0, sizeof *ring);
    if (part == 0) { /* leg: along -y, from the opening */
        depth = dcxi_mix(0.043, 0.0375, t);
        width = dcxi_mix(0.041, 0.036, t);
        ring->centre[0] = -0.0725;
        ring->centre[1] = dcxi_mix(0.260, pivot_y, t);
    } else if (part == 1) { /* heel: a rounded corner around the pivot, drawn out a little */
        outer = pow(pow(c / 0.110, 4.0) + pow(s / 0.105, 4.0), -0.25) + 0.032 * s * s * c * c;
        depth = 0.5 * (outer - gap);
        width = dcxi_mix(0.036, 0.040, t);
        ring->centre[0] = -c * (gap + depth);
        ring->centre[1] = pivot_y - s * (gap + depth);
    } else { /* foot along +x; toe: a quarter of an ellipse */
        depth = part == 2 ? dcxi_mix(0.035, 0.029, t) : 0.029;
        width = part == 2 ? dcxi_mix(0.040, 0.043, t) : 0.043;
        ring->centre[0] = part == 2 ? 0.110 * t : 0.110 + 0.045 * sin(0.5 * DCXI_PI * t);
        if (part == 3) close = t < 1.0 ? cos(0.5 * DCXI_PI * t) : 0.0;
        ring->centre[1] = part == 2 ? depth : 0.029 - 0.006 * (1.0 - close);
    }
    ring->u[0] = c * depth * close;
    ring->u[1] = s * depth * close;
    ring->v[2] = width * close;
}

dcx_result dcx_mesh_sock(dcx_mesh *mesh, double spacing, int grips[4], int keys[2],
                         dcx_error *error)
{
    static const double length[4] = {0.155, 0.135, 0.110, 0.060};
    static const double heel[3] = {-0.100, 0.008, 0.0};
    dcxi_array list = dcxi_array_make(sizeof(dcxi_ring));
    int part, k, index = 0, opening = 0;
    dcx_result result = dcxi_check_spacing(spacing, 1024, 64, error);
    memset(mesh, 0, sizeof *mesh);
    for (part = 0; part < 4; part++) {
        int rows = dcxi_at_least((int)(length[part] / (spacing * DCXI_ROW) + 0.5), 2);
        for (k = part ? 1 : 0; k <= rows && result == DCX_OK; k++) {
            dcxi_ring ring;
            dcxi_sock_ring(&ring, part, (double)k / rows);
            dcxi_ring_choose(&ring, spacing, index);
            if (index++ == 0) opening = ring.count;
            result = dcxi_rings_push(&list, &ring, error);
        }
    }
    if (result == DCX_OK) result = dcxi_mesh_from_rings(mesh, &list, error);
    dcxi_array_free(&list);
    if (result < 0) return result;
    if (grips) {
        grips[0] = 0;
        grips[1] = opening / 2;
        grips[2] = opening - opening / 4;
        grips[3] = opening / 4;
    }
    if (keys) {
        keys[0] = dcx_points_nearest(mesh->positions, mesh->vertex_count, heel);
        keys[1] = mesh->vertex_count - 1;
    }
    return DCX_OK;
}

#ifdef __cplusplus
}
#endif

#endif /* DCX_MESH_IMPLEMENTATION */

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
