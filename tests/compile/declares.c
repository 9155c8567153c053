/* Declarations only, in C or C++: no body and no sparse type comes in. */
#include "diffcloth.h"

#if defined(DIFFCLOTH_IMPLEMENTED) || defined(DIFFCLOTH_SPARSE_H)
#error "a plain inclusion must only declare"
#endif
#ifdef assert
#error "a plain inclusion must not bring in assert.h"
#endif

dcl_result declares(const dcl_model *model, dcl_params **params);

dcl_result declares(const dcl_model *model, dcl_params **params)
{
    dcl_solver_desc desc = dcl_default_solver_desc();
    desc.tolerance *= 2;
    return desc.tolerance > 0 ? dcl_params_create(model, params) : DCL_OK;
}
