/* fuzz_obj.c - bytes as an OBJ file: read or refused with a text; what is read has finite numbers
   and indices in range. */
#define DCX_IO_IMPLEMENTATION
#include "../examples/dcx_io.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dcx_mesh mesh;
    dcx_error error;
    dcx_result code;
    int k;
    memset(&error, 0, sizeof error);
    memset(&mesh, 0xFF, sizeof mesh); /* need not be initialised */
    code = dcx_obj_read_memory((const char *)data, size, NULL, &mesh, &error);
    if (code) {
        REQUIRE(error.code == code && error.text[0] && !strchr(error.text, '\n'));
        REQUIRE(!mesh.positions && !mesh.triangles && !mesh.uvs && !mesh.uv_triangles);
        REQUIRE(mesh.vertex_count == 0 && mesh.triangle_count == 0);
    } else {
        REQUIRE(mesh.vertex_count > 0 && mesh.triangle_count > 0);
        for (k = 0; k < 3 * mesh.vertex_count; k++) REQUIRE(fuzz_finite(mesh.positions[k]));
        for (k = 0; k < 3 * mesh.triangle_count; k++)
            REQUIRE(mesh.triangles[k] >= 0 && mesh.triangles[k] < mesh.vertex_count);
        for (k = 0; k < 2 * mesh.uv_count; k++) REQUIRE(fuzz_finite(mesh.uvs[k]));
        for (k = 0; mesh.uv_triangles && k < 3 * mesh.triangle_count; k++)
            REQUIRE(mesh.uv_triangles[k] >= -1 && mesh.uv_triangles[k] < mesh.uv_count);
    }
    dcx_mesh_destroy(&mesh);
    return 0;
}
