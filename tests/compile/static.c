/* One of two files that each hold the whole library as static functions (E01). Built twice, with
   NAME as the one name that the linker may see. */
#define DIFFCLOTH_STATIC
#define DIFFCLOTH_IMPLEMENTATION
#include "diffcloth.h"

#ifdef __cplusplus
extern "C"
#endif
    int
    NAME(void);

int NAME(void)
{
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_model *model;
    return dcl_model_create(&desc, &model) == DCL_ERROR_EMPTY_MESH ? 0 : 1;
}
