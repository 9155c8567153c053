/* ends.c - steps that no solver can do must end all the same, with a code or as not converged. Run
   under a time limit. */
#include "diffcloth.h"

#include <stdio.h>

static const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
static const int triangles[] = {0, 1, 2, 1, 3, 2};

static int end(double h, double stretch, double bend, double density)
{
    dcl_model_desc desc = dcl_default_model_desc();
    dcl_model *model = NULL;
    dcl_params *params = NULL;
    dcl_state *state = NULL;
    dcl_workspace *workspace = NULL;
    dcl_step_stats stats;
    dcl_result code;
    int bad = 0;
    desc.vertex_count = 4;
    desc.positions = positions;
    desc.triangle_count = 2;
    desc.triangles = triangles;
    desc.stretch = stretch;
    desc.bend = bend;
    desc.density = density;
    printf("h %g, stretch %g, bend %g, density %g: ", h, stretch, bend, density);
    fflush(stdout);
    code = dcl_model_create(&desc, &model);
    if (!code) code = dcl_params_create(model, &params);
    if (!code) code = dcl_state_create(params, &state);
    if (!code) code = dcl_workspace_create(model, NULL, &workspace);
    if (!code) {
        state->x[1] = 0.3; /* not at rest */
        code = dcl_step(workspace, params, state, h, NULL, &stats);
        bad = code != DCL_OK && code != DCL_ERROR_NOT_FINITE;
        printf("%s", dcl_result_name(code));
        if (!code) printf(", residual %g", stats.residual);
        printf("\n");
    } else {
        printf("refused, %s\n", dcl_result_name(code));
    }
    dcl_workspace_destroy(workspace);
    dcl_state_destroy(state);
    dcl_params_destroy(params);
    dcl_model_destroy(model);
    return bad;
}

int main(void)
{
    static const double values[] = {1e-300, 1e-150, 1e-20, 1, 1e20, 1e100, 1e150, 1e300};
    int i, j, bad = 0;
    for (i = 0; i < 8; i++) bad += end(values[i], 100, 1e-4, 0.2);
    for (i = 0; i < 8; i++)
        for (j = 0; j < 3; j++)
            bad += end(0.01, j == 0 ? values[i] : 100, j == 1 ? values[i] : 1e-4,
                       j == 2 ? values[i] : 0.2);
    return bad != 0;
}
