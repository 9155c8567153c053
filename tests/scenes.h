/* scenes.h - small scenes that the tests and gradcheck share: a square patch of cloth and the forces,
   handles and obstacles that bring out one thing each. */
#ifndef SCENES_H
#define SCENES_H

#include "../diffcloth.h"

enum { SCENE_MOST = 12, SCENE_HANDLES = 25, SCENE_OBSTACLES = 3 };

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
/* A closed surface without symmetry, and an open one with a ridge. */
extern const dcl_surface scene_stone, scene_roof;

void scene_patch(scene *s, int side, double width, double y);

/* A scene of such a patch with default numbers, h = 0.01. */
scene patch_scene(int side, double width, double y);

/* Another such patch, centred at (x, y, z) and turned about the vertical, beside what is there. */
void scene_layer(scene *s, int side, double width, double x, double y, double z, double angle);

/* Contact of the cloth with itself, vertex-face and edge-edge. */
void scene_feel_itself(scene *s, double friction, double thickness);

/* A scene holds pointers into itself; sets them again after a copy. */
void scene_fix(scene *s);

/* One right-angled triangle in the plane y = 0, legs of `leg` metres, without elasticity: three
   independent points of the given mass. x: 9 numbers, filled, to be kept. */
dcl_model_desc points_desc(double *x, double leg, double mass);

/* A triangle of points lying on a plane through the origin tilted by theta about z: `down` is the
   direction of steepest descent. */
typedef struct incline {
    double x[9], down[3], normal[3];
    dcl_obstacle plane;
    dcl_model_desc desc;
} incline;

void incline_make(incline *p, double theta, double mu);

/* Deterministic numbers in [-1, 1]. */
double scene_random(unsigned *seed);

int scene_count(void);
/* Fills the index-th scene. */
void scene_get(int index, scene *s);

#endif
