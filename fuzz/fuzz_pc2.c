/* fuzz_pc2.c - bytes as a POINTCACHE2 file: read or refused with a text; what is read is finite. */
#define DCX_IO_IMPLEMENTATION
#include "../examples/dcx_io.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dcx_motion motion;
    dcx_error error;
    dcx_result code;
    size_t k, count;
    memset(&error, 0, sizeof error);
    memset(&motion, 0xFF, sizeof motion);
    code = dcx_pc2_read_memory(data, size, NULL, &motion, &error);
    if (code) {
        REQUIRE(error.code == code && error.text[0] && !strchr(error.text, '\n'));
        REQUIRE(!motion.positions && motion.frame_count == 0 && motion.vertex_count == 0);
    } else {
        REQUIRE(motion.frame_count > 0 && motion.vertex_count > 0);
        count = 3 * (size_t)motion.frame_count * (size_t)motion.vertex_count;
        REQUIRE(count * 4 + 32 == size);
        REQUIRE(fuzz_finite(motion.start) && fuzz_finite(motion.rate));
        for (k = 0; k < count; k++) REQUIRE(fuzz_finite(motion.positions[k]));
        REQUIRE(dcx_motion_frame(&motion, motion.frame_count - 1) ==
                motion.positions + count - 3 * (size_t)motion.vertex_count);
    }
    dcx_motion_destroy(&motion);
    return 0;
}
