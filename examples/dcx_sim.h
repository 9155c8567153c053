/* dcx_sim.h - a cloth and all that runs it, made and destroyed in one call.

   Do this in ONE source file that also has the implementations of diffcloth.h and dcx_mesh.h:

       #define DCX_SIM_IMPLEMENTATION
       #include "dcx_sim.h"

       dcx_sim sim;
       dcl_model_desc desc = dcl_default_model_desc();
       dcx_sim_mesh(&desc, &mesh);
       if (dcx_sim_create(&sim, &desc) < 0) ...
       dcl_step(sim.workspace, sim.params, sim.state, h, NULL, NULL);
       dcx_sim_destroy(&sim); */
#ifndef DCX_SIM_H
#define DCX_SIM_H

#include "../diffcloth.h"
#include "dcx_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dcx_sim {
    dcl_model *model;
    dcl_params *params;
    dcl_state *state;
    dcl_workspace *workspace;
} dcx_sim;

/* The mesh as the cloth of a descriptor; it must stay until the model is created. */
void dcx_sim_mesh(dcl_model_desc *desc, const dcx_mesh *mesh);

/* 0, or -1 when refused; dcx_sim_destroy() is due in both cases. */
int dcx_sim_create(dcx_sim *sim, const dcl_model_desc *desc);
void dcx_sim_destroy(dcx_sim *sim);

/* For the logger of a model: a refusal becomes a line on standard error, after the name that `user`
   points to ... */
void dcx_log_print(dcl_result code, const char *text, void *user);
/* ... or the text of the dcx_error that `user` points to. */
void dcx_log_error(dcl_result code, const char *text, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DCX_SIM_H; stop here if you only want the interface */

#if defined(DCX_SIM_IMPLEMENTATION) && !defined(DCX_SIM_IMPLEMENTED)
#define DCX_SIM_IMPLEMENTED

#include <stdio.h>
#include <string.h>

void dcx_sim_mesh(dcl_model_desc *desc, const dcx_mesh *mesh)
{
    desc->vertex_count = mesh->vertex_count;
    desc->positions = mesh->positions;
    desc->triangle_count = mesh->triangle_count;
    desc->triangles = mesh->triangles;
}

int dcx_sim_create(dcx_sim *sim, const dcl_model_desc *desc)
{
    memset(sim, 0, sizeof *sim);
    return dcl_model_create(desc, &sim->model) != DCL_OK ||
                   dcl_params_create(sim->model, &sim->params) != DCL_OK ||
                   dcl_state_create(sim->params, &sim->state) != DCL_OK ||
                   dcl_workspace_create(sim->model, NULL, &sim->workspace) != DCL_OK
               ? -1
               : 0;
}

void dcx_sim_destroy(dcx_sim *sim)
{
    dcl_workspace_destroy(sim->workspace);
    dcl_state_destroy(sim->state);
    dcl_params_destroy(sim->params);
    dcl_model_destroy(sim->model);
    memset(sim, 0, sizeof *sim);
}

void dcx_log_print(dcl_result code, const char *text, void *user)
{
    (void)code;
    fprintf(stderr, "%s: %s\n", (const char *)user, text);
}

void dcx_log_error(dcl_result code, const char *text, void *user)
{
    (void)code;
    dcx_error_set((dcx_error *)user, DCX_BAD_ARGUMENT, "%s", text);
}

#endif /* DCX_SIM_IMPLEMENTATION */

/* Public domain or MIT, at your choice: see LICENSE. */
