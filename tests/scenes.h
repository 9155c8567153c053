/* scenes.h - small scenes that the tests and gradcheck share: a square patch of cloth and the forces,
   handles and obstacles that bring out one thing each. */
#ifndef SCENES_H
#define SCENES_H

#include "../diffcloth.h"

enum { SCENE_MOST = 12, SCENE_HANDLES = 4, SCENE_OBSTACLES = 3 };

typedef struct scene {
    const char *name;
    dcl_model_desc desc;
    double x[SCENE_MOST * SCENE_MOST * 3];
    int triangles[2 * (SCENE_MOST - 1) * (SCENE_MOST - 1) * 3];
    dcl_handle handles[SCENE_HANDLES];
    dcl_obstacle obstacles[SCENE_OBSTACLES];
    double h;
    int steps;
    /* set after the model exists */
    void (*setup)(const struct scene *scene, dcl_params *params);
    int quiet;     /* set by programs whose logger should be silent */
    double spread; /* scale of the random first velocities, m/s */
} scene;

/* A patch of side x side vertices and width metres, flat at height y, into the scene. */
void scene_patch(scene *s, int side, double width, double y);

/* Deterministic numbers in [-1, 1]. */
double scene_random(unsigned *seed);

int scene_count(void);
/* Fills the index-th scene. */
void scene_get(int index, scene *s);

#endif
