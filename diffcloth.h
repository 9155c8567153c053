/* diffcloth.h - differentiable cloth simulation with dry friction, in C99.

   Do this in exactly one C or C++ file:

       #define DIFFCLOTH_IMPLEMENTATION
       #include "diffcloth.h"

   and include "diffcloth.h" plainly everywhere else. diffcloth_sparse.h must lie beside it; link
   with -lm. Nothing else is needed.

   Triangle meshes go in; motion, and exact gradients of any loss with respect to material,
   friction, wind, forces, handles, obstacles, rest shape and initial state, come out.

   Public domain or MIT, at your choice; the text is at the end of this file. */

/* CONTENTS                                          search for
   What it does and does not                         >>does
   Step by step: motion, then a gradient             >>tour
   Conventions and notation                          >>conventions
   The method on a page                              >>method
   What is differentiable, what is frozen            >>differentiable
   Memory, threads, determinism                      >>memory
   Errors                                            >>errors
   Compile-time options                              >>options
   Robustness, limits, references                    >>references
   Declarations                                      >>declarations
     results and allocator                           >>api-results
     the model                                       >>api-model
     parameters                                      >>api-params
     state                                           >>api-state
     the step                                        >>api-step
     tape, adjoint, tangent                          >>api-adjoint
     rollouts                                        >>api-rollout
   Implementation                                    >>implementation
     small vectors and matrices                      >>impl-math
     memory, messages, hashing                       >>impl-memory
     mesh checks and topology                        >>impl-mesh
     the model                                       >>impl-model
     parameters and gradients                        >>impl-params
     state and tape                                  >>impl-state
     rest shape                                      >>impl-rest
     elements: stretch, damping, bending, air        >>impl-elements
     external forces                                 >>impl-external
     obstacles: gap, normal, surface velocity        >>impl-obstacles
     the contact law of one node                     >>impl-contact
     contact of the cloth with itself                >>impl-self
     residual and Hessian of the step                >>impl-residual
     linear systems                                  >>impl-linear
     forward solvers                                 >>impl-forward
     the adjoint of a step                           >>impl-adjoint
     the tangent of a step                           >>impl-tangent
     rollouts                                        >>impl-rollout
   Licence                                           >>licence


   >>does  WHAT IT DOES AND DOES NOT

   Does: implicit Euler steps of cloth made of triangles (stretch by polar projection, isometric
   bending with rest curvature, strain-rate damping, air drag and wind), held by soft springs or
   moved exactly by hard handles; Signorini-Coulomb contact of the vertices with planes, spheres,
   bowls, capsules, boxes, tori, cylinders, discs, cones, surfaces of triangles and distance
   functions that rest, move and rotate, and of the cloth with itself (vertices with faces, edges
   with edges, with a thickness); the adjoint and the tangent of that step, exact at the converged
   solution.

   Does not: contact of edges and faces with obstacles, plastic or tearing cloth, drawing. It
   reads no files and prints nothing.


   >>tour  STEP BY STEP

   Motion (examples/drape.c in full):

       dcl_model_desc desc = dcl_default_model_desc();
       dcl_obstacle ball = dcl_sphere(centre, radius, friction);
       desc.vertex_count = n;            desc.positions = positions;      n x 3
       desc.triangle_count = m;          desc.triangles = triangles;      m x 3
       desc.obstacle_count = 1;          desc.obstacles = &ball;
       dcl_model_create(&desc, &model);
       dcl_params_create(model, &params);
       dcl_state_create(params, &state);
       dcl_workspace_create(model, NULL, &workspace);
       for (k = 0; k < 150; k++) dcl_step(workspace, params, state, 0.01, NULL, &stats);
       ... state->x holds the positions ...

   A gradient (examples/gradient.c in full):

       double loss(void *user, int frame, const dcl_state *state, double *adj_x, double *adj_v)
       {  ... return this frame's share; if adj_x, add its derivative to adj_x and adj_v ...  }

       dcl_tape_create(model, steps, &tape);
       dcl_grad_create(params, DCL_ALL_BLOCKS, &grad);
       dcl_rollout(workspace, params, state, 0.01, steps, tape, loss, NULL, &value, NULL);
       dcl_rollout_adjoint(workspace, params, tape, loss, NULL, grad, NULL);
       dL_dmu = dcl_grad_get(grad, DCL_PARAM_FRICTION)[0];    and every other parameter

   One step at a time works the same way: dcl_step() moves a state and records on a tape,
   dcl_step_adjoint() turns dL/d(end) of one recorded step into dL/d(start). A controller sits
   between the calls.


   >>conventions  CONVENTIONS AND NOTATION

   SI units: m, kg, s, N. Any consistent system works, since every tolerance is relative.
   Vectors of vertices are packed x0 y0 z0 x1 y1 z1 ...: "n x 3". Triangles are counter-clockwise
   seen from the side their normal points to. Rotations are rotation vectors: axis times angle.

   paper          code           shape      unit      meaning
   x, v           x0, v0         n x 3      m, m/s    start of the step
   x+, v+         x1, v1         n x 3      m, m/s    end of the step, x1 = x0 + h v1
   M              mass           n          kg        lumped, density * rest area / 3 per corner
   g              momentum       n x 3      kg m/s    m v0 + h (external + internal force at x1)
   phi(g)/m       target         n x 3      m/s       velocity that the contact law allows for g
   D              D              n x 3 x 3            m d(target)/dg, identity where free
   h^2 K          G              sparse               -dg/dv1, symmetric
   P              P              sparse     kg        constant matrix of Projective Dynamics
   F, R           F, R           3 x 2                deformation gradient, its polar factor
   n, d, w        n, d, w        3, 1, 3    -, m, m/s normal, gap, surface velocity of an obstacle
   dL/dx          adj_x          n x 3                adjoint variable
   dx             dx             n x 3                tangent variable


   >>method  THE METHOD ON A PAGE

   Tags (1) ... (29) are the equations of Li, Du, Wu, Xu, Matusik, "DiffCloth: Differentiable
   Cloth Simulation with Dry Frictional Contact", ACM TOG 42(1), 2022.

   One step solves for v1                                                  (1), (2), (9)

       x1 = x0 + h v1,   v1 = target(momentum(v1)),   per node:

       free     v1 = g/m                      where that leaves every obstacle
       stick    v1 = w - (d/h) n              where friction |g_T| <= mu r_N suffices
       slip     v1 = w - (d/h) n + (1 - mu r_N/|g_T|) g_T/m

   with g, g_T, r_N taken relative to the obstacle. The mass is lumped, so contact is solved in
   closed form per node (Ly et al. 2020) and what is left is one equation per free velocity. The
   gap d enters the law (r_N >= 0, u_N + d/h >= 0, one of them zero): a node feels nothing until
   it would cross the surface within the step, and the step map is continuous. The paper's
   own form, a contact set chosen by distance at the start of the step with u_N >= 0, is
   DCL_CONTACT_SET. The gap, the normal and w are those of the obstacle's own moving frame, so a
   node stuck to a rotating obstacle is carried by exactly that rotation.

   Elastic energy per triangle: stretch * area/2 * |F - R|^2, per inner edge: bend * 3/(2 (A0+A1))
   * (|sum c_i x_i| - rest)^2 (4). Damping is the incremental potential
   damping * area/(2h) |E(x1) - E(x0)|^2 of the Green strain E: it sees strain only, so rigid
   motion, rotation included, is left alone.

   DCL_SOLVER_NEWTON: semismooth Newton on v1 - target(momentum(v1)) with the exact Hessian,
   (M + D G) dv = -M (v1 - target). While no node touches, the system is solved by conjugate
   gradients with the factor of a projected Hessian, kept over the iterations of the step, as
   preconditioner; directions of negative curvature are followed downhill; line search on the
   objective (3). With contact: factorisation in every iteration, line search on the residual, less
   and less exact Hessians where that gives no decrease. Where that stalls, the objective with
   friction bounds held is descended (augmented Lagrangian; bounds and impulses are brought up to
   date between rounds), and after that come plain Projective Dynamics steps. The search starts at
   v1 = v0 and takes the stationary point it descends to: for compressed cloth the objective has
   several.
   DCL_SOLVER_PD: the paper's loop P dv = -M (v1 - target) (5), (6) on the prefactored P.

   Contact of the cloth with itself (desc.self_contact): pieces closer than twice the thickness at
   the start of the step, and pieces that would come within one thickness on their way at the
   velocities that external forces alone give, are contacts with a fixed point on each side, normal
   and gap. Their impulses are unknowns beside v1,

       r = proj(r - rho (u + d/h n)),   proj onto r_N >= 0, |r_T| <= mu r_N  (Alart, Curnier 1991),

   solved together with the momenta by semismooth Newton; where only the cloth itself is touched,
   after a descent of the objective as above. Then every pair is followed along x0 -> x1 by steps
   that cannot jump over a meeting; what comes nearer than a fifth of the thickness becomes a
   contact, and the step is solved again. A step that ends unsolved is shortened until all ways are
   free, so that layers which start apart stay apart.
   Vertices on the side a face's normal points to keep the full thickness; vertices on its other
   side, and edges, keep 0.8 of it, so that flat layers have no ambiguous impulses.

   The adjoint solves (M + G D^T) z = q, q = dL/dv1 + h dL/dx1 (28), (29), and then every
   derivative is a product with z: see dcl_step_adjoint().


   >>differentiable  WHAT IS DIFFERENTIABLE, WHAT IS FROZEN

   Every block of dcl_block has a gradient, exact for the branch of each contact (free, stick,
   slip) that the step took, curvature and motion of the obstacle included. Measured against
   central differences by `build/gradcheck`. Kinks, where only one-sided derivatives exist and the
   branch taken is differentiated: a contact between two branches (stats.kinks counts those
   within 1e-6 of a boundary); a triangle collapsed to a line or point, whose polar factor
   jumps (its second direction is then chosen by rule and singular values in the Hessian are not
   taken below 1e-8); a rest shape flat at an edge, whose rest curvature is taken as zero; an
   obstacle's gap limited by push_out; a contact of the cloth with itself whose nearest features or
   rank change, and one found only while solving (stats.self_frozen), whose frame is taken as
   constant. Masses, the choice of active hinges and all tolerances
   carry no derivative beyond those stated. The step size h has none.


   >>memory  MEMORY, THREADS, DETERMINISM

   All memory comes from the allocator in dcl_model_desc. dcl_workspace_create() takes all that
   steps will ever need; no step, adjoint or tangent allocates. A tape of N steps takes
   dcl_tape_bytes(): 72 bytes per vertex and step. With self-contact the number of contacts is not
   known beforehand: lists, the matrix that holds them and the tape's record of active ones grow
   as needed, and a step that finds no memory is refused. A model is never written after creation
   and may be shared by threads; every other object belongs to one thread at a time. The same input
   gives the same bits, whatever ran before and wherever the objects lie.


   >>errors  ERRORS

   DCL_ERROR_SELF_OVERLAP: pieces of the cloth touch or cross when step 0 begins, or lie closer than
   a millionth of the thickness at any later one (self_overlap tolerates both).

   Functions return a dcl_result. Below zero: refused, the objects are as before, and the logger
   of the model got one line that names what and where. A step that does not converge is not an
   error: dcl_step_stats says so, with the residual reached. DCL_ERROR_NOT_FINITE from a step means
   the inputs overflow; the state is as before. NaN and Inf are never accepted and never returned.


   >>options  COMPILE-TIME OPTIONS

   DIFFCLOTH_IMPLEMENTATION   in one file: compiles the bodies.
   DIFFCLOTH_STATIC           with it: every function is static, for use inside one file.
   DCL_ASSERT(x)              checks of the caller's code; default assert(), off with NDEBUG.


   >>references  ROBUSTNESS, LIMITS, REFERENCES

   At most DCL_MAX_OBSTACLES obstacles; up to about 10 million vertices (index arithmetic is
   checked and refused with DCL_ERROR_TOO_LARGE). A triangle is degenerate when twice its area is
   below 1e-8 times its longest edge squared. A vertex no triangle uses is refused.

   Li et al. 2022, DiffCloth. Ly, Jouve, Boissieux, Bertails-Descoubes 2020, Projective Dynamics
   with dry frictional contact. Bouaziz et al. 2014, Projective Dynamics. Bergou et al. 2006, a
   quadratic bending model. Du et al. 2021, DiffPD. Alart, Curnier 1991, a mixed formulation for
   frictional contact. Li, Kaufman, Jiang 2021, additive continuous collision detection. Zhang,
   Hager 2004, a nonmonotone line search. */

#ifndef DIFFCLOTH_H
#define DIFFCLOTH_H

/* >>declarations */

#include <stddef.h>
#include <stdint.h>

#ifndef DCL_API
#ifdef DIFFCLOTH_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define DCL_API static __attribute__((unused))
#else
#define DCL_API static
#endif
#else
#define DCL_API extern
#endif
#endif

#define DCL_VERSION_MAJOR 0
#define DCL_VERSION_MINOR 1
#define DCL_MAX_OBSTACLES 64

#ifdef __cplusplus
extern "C" {
#endif

/* ---- >>api-results ------------------------------------------------------------------------- */

typedef enum dcl_result {
    DCL_OK = 0,
    DCL_ERROR_NULL_POINTER = -1,
    DCL_ERROR_BAD_ARGUMENT = -2,
    DCL_ERROR_NOT_FINITE = -3,
    DCL_ERROR_TOO_LARGE = -4,
    DCL_ERROR_OUT_OF_MEMORY = -5,
    DCL_ERROR_EMPTY_MESH = -6,
    DCL_ERROR_INDEX_OUT_OF_RANGE = -7,
    DCL_ERROR_DEGENERATE_TRIANGLE = -8,
    DCL_ERROR_DUPLICATE_TRIANGLE = -9,
    DCL_ERROR_NON_MANIFOLD_EDGE = -10,
    DCL_ERROR_INCONSISTENT_WINDING = -11,
    DCL_ERROR_UNREFERENCED_VERTEX = -12,
    DCL_ERROR_DUPLICATE_HANDLE = -13,
    DCL_ERROR_TAPE_FULL = -14,
    DCL_ERROR_STALE_TAPE = -15,
    DCL_ERROR_UNSUPPORTED = -16,
    DCL_ERROR_SINGULAR = -17,
    DCL_ERROR_SELF_OVERLAP = -18
} dcl_result;

/* The name of a result, such as "DEGENERATE_TRIANGLE". Never NULL. */
DCL_API const char *dcl_result_name(dcl_result result);

/* Where memory comes from. All zero: malloc and free. `alloc` returns NULL on failure. */
typedef struct dcl_allocator {
    void *(*alloc)(size_t bytes, void *user);
    void (*free)(void *ptr, size_t bytes, void *user);
    void *user;
} dcl_allocator;

/* Who hears about refusals: called once per refused call with one line of text, no newline. */
typedef struct dcl_logger {
    void (*log)(dcl_result code, const char *text, void *user);
    void *user;
} dcl_logger;

/* ---- >>api-model --------------------------------------------------------------------------- */

/* A vertex whose motion is prescribed. Its path is the block DCL_PARAM_HANDLE. */
typedef enum dcl_handle_kind {
    DCL_HANDLE_HARD, /* x1 is the path's point, bit for bit */
    DCL_HANDLE_SOFT  /* spring: energy stiffness/2 |x - path|^2 */
} dcl_handle_kind;

typedef struct dcl_handle {
    int vertex;
    dcl_handle_kind kind;
    double stiffness; /* N/m, soft handles only, >= 0 */
} dcl_handle;

/* A rigid obstacle that may move: its pose at time t is position + t velocity and the rotation
   exp(t angular_velocity) exp(rotation). Every number of it has a gradient. Build one with the
   functions below and change fields. Shapes lie in the obstacle's own frame, origin at the position;
   where there is a rounding r >= 0, the obstacle is every point within r of the shape. Distances are
   exact, inside too. Where the nearest point is not unique (medial axes), one is chosen by rule:
   +y before -y, +x around the y axis, the first of a box's faces, and the curvature that would be
   infinite there is zero. */
typedef enum dcl_shape {
    /* with what size[0], [1], [2], [3] are, all in m */
    DCL_SHAPE_PLANE,   /* none: half space, outward normal +y */
    DCL_SHAPE_SPHERE,  /* radius > 0 */
    DCL_SHAPE_BOWL,    /* radius > 0: all that is outside of a sphere */
    DCL_SHAPE_CAPSULE, /* radius > 0, half length: about the y axis, between -+half length */
    /* radius > 0 at -half length, radius > 0 at +half length, half length: convex hull of two
       spheres on the y axis */
    DCL_SHAPE_TAPERED_CAPSULE,
    DCL_SHAPE_BOX, /* half extents x, y, z, rounding; each half extent + rounding > 0 */
    /* radius > 0 of the circle about the y axis, radius > 0 of the tube, not more than the first */
    DCL_SHAPE_TORUS,
    /* radius > 0, half length, rounding; half length + rounding > 0; about y. Half length 0: a
       disc */
    DCL_SHAPE_CYLINDER,
    DCL_SHAPE_CONE,    /* base radius > 0, height > 0, rounding; base in y = 0, tip at +height */
    DCL_SHAPE_MESH,    /* rounding; the triangles of `surface` */
    DCL_SHAPE_FUNCTION /* four numbers >= 0 for `distance` to use as it likes */
} dcl_shape;

struct dcl_distance;

/* The signed distance at a point of the obstacle's own frame, negative inside. `distance` comes
   filled with zeros; value and gradient, of unit length, must be set, and for exact gradients of
   curved shapes the hessian; size_value and size_gradient if sizes are used. Must give the same
   for the same, and from several threads if the model is shared. NaN refuses the step. */
typedef void (*dcl_distance_fn)(void *user, const double size[4], const double point[3],
                                struct dcl_distance *distance);

/* Triangles of an obstacle, in its own frame; counter-clockwise seen from outside. Where they close
   (every edge has two, running along it in opposite directions) what they enclose is solid; else
   they are a shell of half thickness `rounding` (> 0) that is felt from both sides. Triangles
   without area count as their edges. Refused, with the triangles named: indices out of range,
   closed but inconsistent or facing inwards. The positions have no gradient; pose, motion and
   rounding have. A vertex that flies far within a step is stopped by the plane nearest to where it
   started: through a hollow it can leave a surface that is not convex. */
typedef struct dcl_surface {
    int vertex_count;
    const double *positions; /* vertex_count x 3, m */
    int triangle_count;
    const int *triangles; /* triangle_count x 3 */
} dcl_surface;

typedef struct dcl_obstacle {
    dcl_shape shape;
    double position[3];         /* m */
    double rotation[3];         /* rad, rotation vector */
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s, world axes, about the moving position */
    double size[4];             /* m, see dcl_shape; those that a shape has not are not read */
    double friction;            /* Coulomb's mu, >= 0 */
    const dcl_surface *surface; /* DCL_SHAPE_MESH only; read during dcl_model_create() */
    dcl_distance_fn distance;   /* DCL_SHAPE_FUNCTION only, and what it is called with */
    void *user;
} dcl_obstacle;

/* Points and directions in world axes at time 0, lengths in m. a and b: the ends of the axis, for
   capsules the centres of the end spheres; a == b is allowed for capsules. A bad number makes an
   obstacle that dcl_model_create() refuses. */
DCL_API dcl_obstacle dcl_plane(const double point[3], const double normal[3], double friction);
DCL_API dcl_obstacle dcl_sphere(const double centre[3], double radius, double friction);
DCL_API dcl_obstacle dcl_bowl(const double centre[3], double radius, double friction);
DCL_API dcl_obstacle dcl_capsule(const double a[3], const double b[3], double radius,
                                 double friction);
DCL_API dcl_obstacle dcl_tapered_capsule(const double a[3], const double b[3], double radius_a,
                                         double radius_b, double friction);
DCL_API dcl_obstacle dcl_box(const double centre[3], const double half_extents[3], double rounding,
                             double friction);
DCL_API dcl_obstacle dcl_torus(const double centre[3], const double axis[3], double radius,
                               double tube_radius, double friction);
DCL_API dcl_obstacle dcl_cylinder(const double a[3], const double b[3], double radius,
                                  double rounding, double friction);
/* A bounded plane: a flat disc and what is within `rounding` (> 0) of it, either side. */
DCL_API dcl_obstacle dcl_disc(const double centre[3], const double normal[3], double radius,
                              double rounding, double friction);
DCL_API dcl_obstacle dcl_cone(const double base_centre[3], const double tip[3], double radius,
                              double rounding, double friction);
/* At the origin, not rotated. The surface must stay until dcl_model_create() has returned. */
DCL_API dcl_obstacle dcl_mesh(const dcl_surface *surface, double rounding, double friction);
/* At the origin, not rotated, sizes 0. */
DCL_API dcl_obstacle dcl_function(dcl_distance_fn distance, void *user, double friction);

/* Signed distance of an obstacle at a point, with all its derivatives. */
typedef struct dcl_distance {
    double value;             /* m, negative inside */
    double gradient[3];       /* with respect to the point: the outward unit normal */
    double hessian[9];        /* 1/m, 3 x 3, symmetric */
    double size_value[4];     /* d value/d size */
    double size_gradient[12]; /* 4 x 3, d gradient/d size */
} dcl_distance;

typedef enum dcl_contact_form {
    DCL_CONTACT_GAP, /* 0 <= r_N, u_N + d/h >= 0: continuous, the default */
    DCL_CONTACT_SET  /* the paper's: nodes with d <= contact_distance at the start, u_N >= 0 */
} dcl_contact_form;

/* How the cloth feels itself. Contacts have a thickness, Coulomb friction, and derivatives. */
typedef enum dcl_self_contact {
    DCL_SELF_NONE,    /* not at all; the default */
    DCL_SELF_SURFACE, /* vertex against face and edge against edge; nothing passes through */
    DCL_SELF_NODES    /* vertex against vertex along the line between them, as in the paper */
} dcl_self_contact;

/* Everything a model is made of. Start from dcl_default_model_desc(); arrays are read during
   dcl_model_create() only. Numbers marked (param) are first values of the parameters. */
typedef struct dcl_model_desc {
    int vertex_count;
    const double *positions; /* n x 3, m, rest shape; also the first x (param) */
    int triangle_count;
    const int *triangles; /* m x 3 vertex indices, consistent winding */

    int handle_count;
    const dcl_handle *handles; /* may be NULL if the count is 0 */
    int handle_frames; /* >= 1; default 1. Step k (from 0) leads to frame k + 1, the last frame then
                          stays: frame 0 is where a path starts, and no step leads there */
    int obstacle_count;
    const dcl_obstacle *obstacles; /* (param) */
    int force_frames; /* >= 0; step k uses frame k, the last then stays; 0 (default): none */

    double stretch;    /* (param) N/m, >= 0; default 100 */
    double bend;       /* (param) N m, >= 0; default 1e-4 */
    double density;    /* (param) kg/m^2, > 0; default 0.2 */
    double damping;    /* (param) N s/m, membrane viscosity, >= 0; default 0 */
    double drag;       /* (param) N s/m^3, force -drag * area * v, >= 0; default 0 */
    double gravity[3]; /* (param) m/s^2; default 0, -9.81, 0 */
    int bending; /* 1: hinges at every inner edge (default); 0: none, and bend has no effect */

    dcl_contact_form contact; /* default DCL_CONTACT_GAP */
    double contact_distance;  /* m, DCL_CONTACT_SET only, >= 0; default 0 */
    double push_out; /* a vertex that starts inside an obstacle leaves by at most this many mean
                        edge lengths per step, > 0; default 1 */

    dcl_self_contact self_contact; /* default DCL_SELF_NONE */
    double self_friction;  /* (param) mu of the cloth with itself, >= 0; default 0.1 */
    int self_overlap; /* what to do with layers that cross when step 0 begins: 0 (default), refuse
                         with DCL_ERROR_SELF_OVERLAP; 1, let them cross where they do */
    double self_thickness; /* m, distance that two layers keep, at most half the mean edge; the
                              default 0 stands for a fifth of the mean edge */

    dcl_allocator allocator; /* copied; default malloc */
    dcl_logger logger;       /* copied; default silent */
} dcl_model_desc;

typedef struct dcl_model dcl_model;

DCL_API dcl_model_desc dcl_default_model_desc(void);

/* Checks the mesh and builds topology, ordering and symbolic factors. On success *model is the new
   model, to be released with dcl_model_destroy(); on failure *model is NULL and the logger has
   the vertex, triangle, edge or field and its value. */
DCL_API dcl_result dcl_model_create(const dcl_model_desc *desc, dcl_model **model);
DCL_API void dcl_model_destroy(dcl_model *model); /* NULL is fine */

DCL_API int dcl_model_count_vertices(const dcl_model *model);
DCL_API int dcl_model_count_triangles(const dcl_model *model);
DCL_API int dcl_model_count_hinges(const dcl_model *model); /* inner edges that bend */
DCL_API const int *dcl_model_get_triangles(const dcl_model *model); /* m x 3 */

/* ---- >>api-params -------------------------------------------------------------------------- */

/* The blocks of the flat parameter vector; o obstacles, H handles, m triangles, e hinges. */
typedef enum dcl_block {
    DCL_PARAM_STRETCH,                   /* 1       N/m */
    DCL_PARAM_STRETCH_SCALE,             /* m       factor per triangle, first 1 */
    DCL_PARAM_BEND,                      /* 1       N m */
    DCL_PARAM_BEND_SCALE,                /* e       factor per hinge, first 1 */
    DCL_PARAM_DENSITY,                   /* 1       kg/m^2 */
    DCL_PARAM_DAMPING,                   /* 1       N s/m */
    DCL_PARAM_DRAG,                      /* 1       N s/m^3 */
    DCL_PARAM_GRAVITY,                   /* 3       m/s^2 */
    DCL_PARAM_WIND_FORCE,                /* 3       N on every vertex, times (sin(wt + p) + 1)/2 */
    DCL_PARAM_WIND_FREQUENCY,            /* 1       w above, rad/s; t is the end of the step */
    DCL_PARAM_WIND_PHASE,                /* 1       p above, rad */
    DCL_PARAM_AIR_VELOCITY,              /* 3       m/s, wind that blows on triangles' areas */
    DCL_PARAM_AIR_NORMAL,                /* 1       kg/m^3, air density times drag coefficient */
    DCL_PARAM_AIR_TANGENT,               /* 1       kg/m^3, the same for flow along the cloth */
    DCL_PARAM_FRICTION,                  /* o       mu */
    DCL_PARAM_OBSTACLE_POSITION,         /* o x 3   m */
    DCL_PARAM_OBSTACLE_ROTATION,         /* o x 3   rad */
    DCL_PARAM_OBSTACLE_VELOCITY,         /* o x 3   m/s */
    DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY, /* o x 3   rad/s */
    DCL_PARAM_OBSTACLE_SIZE,             /* o x 4   m, see dcl_shape; unused ones not read */
    DCL_PARAM_SELF_FRICTION,             /* 1       mu of the cloth with itself */
    DCL_PARAM_REST,                      /* n x 3   m, rest shape */
    DCL_PARAM_X0,                        /* n x 3   m, first positions of a rollout */
    DCL_PARAM_V0,                        /* n x 3   m/s, first velocities of a rollout */
    DCL_PARAM_FORCE,                     /* force_frames x n x 3    N */
    DCL_PARAM_HANDLE,                    /* handle_frames x H x 3   m */
    DCL_PARAM_COUNT
} dcl_block;

typedef struct dcl_params dcl_params;

/* Two winds. WIND_FORCE is the paper's: the same force on every vertex, whatever the cloth does, in
   gusts; with frequency and phase 0, as created, it acts at half its value all the time, and with
   phase pi/2 at the whole. AIR_VELOCITY blows on areas and knows the velocity of the cloth: the one
   to take for flags and clothes of any mesh.
   Air on a triangle of area A and unit normal n (both at the start of the step), with u the air
   velocity less the mean end velocity of its corners, u_n = (u.n) n, u_t = u - u_n:
   force = A/2 (air_normal |u_n| u_n + air_tangent |u_t| u_t), a third on each corner. */

/* New parameters hold the values of the descriptor; X0 and REST are its positions, every handle
   frame is the position of its vertex, the rest is zero (scales: one). */
DCL_API dcl_result dcl_params_create(const dcl_model *model, dcl_params **params);
DCL_API void dcl_params_destroy(dcl_params *params);
DCL_API dcl_result dcl_params_copy(dcl_params *to, const dcl_params *from); /* of one model */

DCL_API const char *dcl_block_name(dcl_block block); /* "stretch", "friction", ... */
DCL_API size_t dcl_params_count(const dcl_params *params, dcl_block block); /* 0 if none */
DCL_API size_t dcl_params_size(const dcl_params *params); /* length of the flat vector */
DCL_API size_t dcl_params_offset(const dcl_params *params, dcl_block block); /* in it */

/* The values of a block (or, with DCL_PARAM_COUNT, of the whole flat vector), to read. Valid
   until the params are destroyed. NULL for no block of that number. */
DCL_API const double *dcl_params_get(const dcl_params *params, dcl_block block);

/* Writes `count` values of a block from its element `first` on. Refused, and nothing written, if
   a value is not finite or out of the block's range. */
DCL_API dcl_result dcl_params_set(dcl_params *params, dcl_block block, size_t first, size_t count,
                                  const double *values);
/* The same for element 0 of a block, which is all of one that holds one number. */
DCL_API dcl_result dcl_params_set1(dcl_params *params, dcl_block block, double value);

/* Distance of a point (world axes, m) from an obstacle where it is at a time (s), with derivatives in
   world axes. */
DCL_API dcl_result dcl_obstacle_distance(const dcl_params *params, int obstacle, double time,
                                         const double point[3], dcl_distance *distance);

/* ---- >>api-state --------------------------------------------------------------------------- */

/* Positions and velocities now. Read and write x and v as you like between steps. */
typedef struct dcl_state {
    int step;       /* picks frames of forces and handle paths; +1 per step */
    double time;    /* s; places obstacles and the gusts of the wind */
    double *x;      /* n x 3, m */
    double *v;      /* n x 3, m/s */
    const dcl_model *model;
} dcl_state;

DCL_API dcl_result dcl_state_create(const dcl_params *params, dcl_state **state);
DCL_API void dcl_state_destroy(dcl_state *state);
DCL_API dcl_result dcl_state_reset(dcl_state *state, const dcl_params *params); /* to X0, V0, t 0 */
DCL_API dcl_result dcl_state_copy(dcl_state *to, const dcl_state *from);

/* ---- >>api-step ---------------------------------------------------------------------------- */

typedef enum dcl_solver {
    DCL_SOLVER_NEWTON, /* semismooth Newton, converged; the default */
    DCL_SOLVER_PD      /* the paper's Projective Dynamics loop */
} dcl_solver;

typedef enum dcl_adjoint {
    DCL_ADJOINT_DIRECT, /* one factorisation, refined; the default */
    DCL_ADJOINT_KRYLOV, /* GMRES preconditioned by the factor of P */
    DCL_ADJOINT_PD      /* the paper's P z <- q + (dP + dR) z, direct where that fails */
} dcl_adjoint;

typedef struct dcl_solver_desc {
    dcl_solver solver;
    double tolerance;     /* relative residual of a step; default 1e-10, range 1e-14 ... 1 */
    int newton_limit;     /* Newton iterations per step, or with self-contact per round of it;
                             default 500 */
    int pd_limit;         /* PD iterations per step; default 5000 */
    dcl_adjoint adjoint;
    double adjoint_tolerance; /* relative residual; default 1e-12 (krylov, pd: reached or direct) */
    int adjoint_limit;        /* iterations of the iterative ones; default 5000 */
} dcl_solver_desc;

typedef struct dcl_workspace dcl_workspace; /* scratch and numeric factors of one thread */

DCL_API dcl_solver_desc dcl_default_solver_desc(void);
/* desc may be NULL: defaults. Takes all memory that steps will need. */
DCL_API dcl_result dcl_workspace_create(const dcl_model *model, const dcl_solver_desc *desc,
                                        dcl_workspace **workspace);
DCL_API void dcl_workspace_destroy(dcl_workspace *workspace);

/* What a step did. Residuals are relative: |M (v1 - target)| over the size of the momenta and
   forces that meet in it (documented at dcli_scale). */
typedef struct dcl_step_stats {
    int converged; /* 1 if residual <= tolerance */
    double residual;
    int newton_iterations, cg_iterations, pd_iterations, factorizations, evaluations;
    int free_count, stick_count, slip_count; /* vertices, by branch; hard handles in none */
    int kinks;             /* contacts within 1e-6, relative, of another branch */
    double penetration;    /* m, deepest x1 below a surface */
    double complementarity; /* worst |r_N (u_N + d/h)|, relative */
    double cone;            /* worst excess of |r_T| over mu r_N, relative */
    /* the cloth with itself */
    int self_count, self_stick, self_slip; /* contacts watched; with an impulse, by branch */
    int self_rounds;       /* times the step was solved again with contacts found on its way */
    int self_frozen;       /* contacts with an impulse whose frame has no derivative */
    double self_shortfall; /* m, most that two layers are nearer than their thickness */
} dcl_step_stats;

struct dcl_tape;

/* One step of length h (s, > 0). Moves the state; records on the tape if one is given. stats may
   be NULL. On failure the state and the tape are as before. */
DCL_API dcl_result dcl_step(dcl_workspace *workspace, const dcl_params *params, dcl_state *state,
                            double h, struct dcl_tape *tape, dcl_step_stats *stats);

/* How well v1 = (x1 - x0)/h solves the step from (x0, v0): the relative residual of dcl_step_stats
   and, if energy is not NULL, the objective (3) in joule (elastic, handles and damping included;
   contact not). For comparing with motions from elsewhere. x1: n x 3. */
DCL_API dcl_result dcl_step_check(dcl_workspace *workspace, const dcl_params *params,
                                  const dcl_state *state, double h, const double *x1,
                                  double *residual, double *energy);

/* The contacts of the last step of this workspace: one per touching vertex and obstacle, then one
   per pair of pieces of the cloth that press on each other. */
typedef enum dcl_branch { DCL_BRANCH_FREE, DCL_BRANCH_STICK, DCL_BRANCH_SLIP } dcl_branch;

typedef struct dcl_contact {
    int obstacle;      /* -1: the cloth itself */
    int vertex[4];     /* the vertices that share the impulse; -1 where there is none */
    double weight[4];  /* their shares: 1 for an obstacle; for the cloth, sum zero */
    dcl_branch branch;
    double gap;        /* m, at the start of the step */
    double normal[3];  /* out of the obstacle; towards the vertices of positive weight */
    double impulse[3]; /* N s, times the weight on each vertex */
} dcl_contact;

/* Writes up to `capacity` contacts and returns how many there are (contacts may be NULL). */
DCL_API int dcl_workspace_get_contacts(const dcl_workspace *workspace, int capacity,
                                       dcl_contact *contacts);

/* What the cloth gave to an obstacle in the last step of this workspace: the sum of the impulses
   (N s), and of their moments about the obstacle's position at the end of the step (N m s).
   Divided by h they are the mean force and torque. Zero if there was no step yet. */
DCL_API dcl_result dcl_workspace_get_reaction(const dcl_workspace *workspace, int obstacle,
                                              double impulse[3], double moment[3]);

/* ---- >>api-adjoint ------------------------------------------------------------------------- */

typedef struct dcl_tape dcl_tape; /* what the reverse pass needs of a rollout */

DCL_API size_t dcl_tape_bytes(const dcl_model *model, int capacity); /* 0 if too large */
DCL_API dcl_result dcl_tape_create(const dcl_model *model, int capacity, dcl_tape **tape);
DCL_API void dcl_tape_destroy(dcl_tape *tape);
DCL_API void dcl_tape_reset(dcl_tape *tape);            /* back to no steps */
DCL_API int dcl_tape_count(const dcl_tape *tape);       /* recorded steps */
/* The state before step k (0 <= k < count) or, for k == count, after the last. */
DCL_API dcl_result dcl_tape_restore(const dcl_tape *tape, int k, dcl_state *state);

/* dL/d(parameters), in the layout of the params. Blocks not asked for cost nothing. */
typedef struct dcl_grad dcl_grad;

#define DCL_BLOCK_BIT(block) ((uint32_t)1 << (block))
#define DCL_ALL_BLOCKS ((uint32_t)0xFFFFFFFFu)

/* blocks: DCL_ALL_BLOCKS, or DCL_BLOCK_BIT(DCL_PARAM_STRETCH) | ... for some; 0 is refused. */
DCL_API dcl_result dcl_grad_create(const dcl_params *params, uint32_t blocks, dcl_grad **grad);
DCL_API void dcl_grad_destroy(dcl_grad *grad);
DCL_API void dcl_grad_reset(dcl_grad *grad); /* to zero */
/* A block's gradient (DCL_PARAM_COUNT: the whole flat vector); NULL if it was not asked for. */
DCL_API const double *dcl_grad_get(const dcl_grad *grad, dcl_block block);

/* One recorded step backwards. adj_x, adj_v (n x 3): in, dL/dx1 and dL/dv1; out, dL/dx0 and
   dL/dv0. Adds to grad (may be NULL). params must hold the values the step was taken with, else
   DCL_ERROR_STALE_TAPE. stats (may be NULL): residual and iterations of the linear solve, growth =
   |out|/|in| of q (large where the motion itself is unstable). Linear in its input, so a
   loss may have any scale. */
typedef struct dcl_adjoint_stats {
    double residual;  /* of the adjoint system, relative */
    double growth;    /* norm of (M^-1/2 dL/dv0) over the same of q */
    int iterations;   /* of an iterative method */
    int direct;       /* 1 if a factorisation was used */
    int kinks;        /* as in dcl_step_stats */
} dcl_adjoint_stats;

DCL_API dcl_result dcl_step_adjoint(dcl_workspace *workspace, const dcl_params *params,
                                    const dcl_tape *tape, int k, double *adj_x, double *adj_v,
                                    dcl_grad *grad, dcl_adjoint_stats *stats);

/* One recorded step of the linearised motion, `count` directions at once. dx, dv (count x n x 3):
   in, the tangent of (x0, v0); out, of (x1, v1). dparams (count x params size, may be NULL): the
   directions in parameter space; the blocks X0 and V0 in it are not read here. */
DCL_API dcl_result dcl_step_tangent(dcl_workspace *workspace, const dcl_params *params,
                                    const dcl_tape *tape, int k, int count, double *dx,
                                    double *dv, const double *dparams);

/* ---- >>api-rollout ------------------------------------------------------------------------- */

/* A loss over a trajectory: called for every frame 0 ... steps, returns that frame's share. If
   adj_x is not NULL, also adds the share's derivative to adj_x and adj_v (n x 3 each). */
typedef double (*dcl_loss_fn)(void *user, int frame, const dcl_state *state, double *adj_x,
                              double *adj_v);

typedef struct dcl_rollout_stats {
    int steps, unconverged;
    double residual_max; /* worst step */
    double growth_max;   /* worst step of the adjoint */
    long long newton_iterations, pd_iterations;
    int kinks;
} dcl_rollout_stats;

/* From (X0, V0) of the params, `steps` steps of length h. Resets the tape (may be NULL) and records
   on it. loss, value and stats may be NULL. On failure *state is the last good one. */
DCL_API dcl_result dcl_rollout(dcl_workspace *workspace, const dcl_params *params,
                               dcl_state *state, double h, int steps, dcl_tape *tape,
                               dcl_loss_fn loss, void *user, double *value,
                               dcl_rollout_stats *stats);

/* The gradient of the same loss over what is on the tape: adds to grad, X0 and V0 included. */
DCL_API dcl_result dcl_rollout_adjoint(dcl_workspace *workspace, const dcl_params *params,
                                       const dcl_tape *tape, dcl_loss_fn loss, void *user,
                                       dcl_grad *grad, dcl_rollout_stats *stats);

/* Forward mode over the tape: `count` directions dparams (count x params size), X0 and V0 included.
   frame() gets the tangents dx, dv (count x n x 3) of every frame. */
typedef void (*dcl_tangent_fn)(void *user, int frame, const dcl_state *state, int count,
                               const double *dx, const double *dv);

DCL_API dcl_result dcl_rollout_tangent(dcl_workspace *workspace, const dcl_params *params,
                                       const dcl_tape *tape, int count, const double *dparams,
                                       dcl_tangent_fn frame, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DIFFCLOTH_H */

/* ============================================================================================
   Stop here if you only want the API. The rest is the implementation.
   ============================================================================================ */

/* >>implementation */

#ifdef DIFFCLOTH_IMPLEMENTATION
#ifndef DIFFCLOTH_IMPLEMENTED
#define DIFFCLOTH_IMPLEMENTED

#ifdef DIFFCLOTH_STATIC
#define DIFFCLOTH_SPARSE_STATIC
#endif
#define DIFFCLOTH_SPARSE_IMPLEMENTATION
#include "diffcloth_sparse.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DCL_ASSERT
#include <assert.h>
#define DCL_ASSERT(x) assert(x)
#endif

/* ---- >>impl-math ------------------------------------------------------------------------------
   Vectors of 3 are double*; 3x3 matrices are 9 doubles in columns, as diffcloth_sparse wants them;
   3x2 matrices (F, R) are two columns of 3; symmetric 2x2 ones are {00, 01, 11}. */

#define DCLI_EPS 2.220446049250313e-16

static double dcli_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double dcli_norm(const double *a)
{
    return sqrt(dcli_dot(a, a));
}

static void dcli_cross(const double *a, const double *b, double *out)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

static void dcli_copy3(double *to, const double *from)
{
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
}

static void dcli_set3(double *to, double x, double y, double z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

/* y += a x */
static void dcli_axpy3(double *y, double a, const double *x)
{
    y[0] += a * x[0];
    y[1] += a * x[1];
    y[2] += a * x[2];
}

static void dcli_sub3(double *out, const double *a, const double *b)
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/* out = A x; out must not be x. */
static void dcli_mul3(const double *A, const double *x, double *out)
{
    out[0] = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
    out[1] = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
    out[2] = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
}

/* out = A^T x; out must not be x. */
static void dcli_mult3(const double *A, const double *x, double *out)
{
    out[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    out[1] = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
    out[2] = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}

/* out = A B (transpose_b: A B^T); out must be neither. */
static void dcli_matmul3(const double *A, const double *B, int transpose_b, double *out)
{
    int r, c, k;
    for (c = 0; c < 3; c++)
        for (r = 0; r < 3; r++) {
            double s = 0;
            for (k = 0; k < 3; k++) s += A[k * 3 + r] * (transpose_b ? B[k * 3 + c] : B[c * 3 + k]);
            out[c * 3 + r] = s;
        }
}

static void dcli_identity3(double *A, double value)
{
    memset(A, 0, 9 * sizeof *A);
    A[0] = A[4] = A[8] = value;
}

/* A += s a b^T */
static void dcli_add_outer(double *A, double s, const double *a, const double *b)
{
    int c;
    for (c = 0; c < 3; c++) dcli_axpy3(A + 3 * c, s * b[c], a);
}

/* x <- (I - n n^T) x */
static void dcli_project(const double *n, double *x)
{
    dcli_axpy3(x, -dcli_dot(n, x), n);
}

/* Any unit vector orthogonal to the unit vector n, by a fixed rule. */
static void dcli_orthogonal(const double *n, double *out)
{
    double axis[3] = {0, 0, 0};
    double ax = fabs(n[0]), ay = fabs(n[1]), az = fabs(n[2]), length;
    axis[ax <= ay && ax <= az ? 0 : ay <= az ? 1 : 2] = 1;
    dcli_cross(n, axis, out);
    length = dcli_norm(out);
    out[0] /= length;
    out[1] /= length;
    out[2] /= length;
}

static double dcli_norm_all(const double *x, size_t count)
{
    double s = 0;
    size_t i;
    for (i = 0; i < count; i++) s += x[i] * x[i];
    return sqrt(s);
}

static double dcli_dot_all(const double *x, const double *y, size_t count)
{
    double s = 0;
    size_t i;
    for (i = 0; i < count; i++) s += x[i] * y[i];
    return s;
}

/* A bit test, so that -ffast-math cannot remove it. */
static int dcli_finite(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7FF0000000000000u) != 0x7FF0000000000000u;
}

static int dcli_all_finite(const double *x, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (!dcli_finite(x[i])) return 0;
    return 1;
}

/* exp([a]) - I, accurate for small angles (Rodrigues). */
static void dcli_rotation_minus_identity(const double *a, double *out)
{
    double angle2 = dcli_dot(a, a), angle = sqrt(angle2);
    double s = angle > 1e-4 ? sin(angle) / angle : 1 - angle2 / 6;
    double half = angle > 1e-4 ? sin(angle / 2) / angle : 0.5 - angle2 / 48;
    double c = 2 * half * half; /* (1 - cos)/angle^2 */
    memset(out, 0, 9 * sizeof *out);
    out[1] = s * a[2];
    out[2] = -s * a[1];
    out[3] = -s * a[2];
    out[5] = s * a[0];
    out[6] = s * a[1];
    out[7] = -s * a[0];
    dcli_add_outer(out, c, a, a);
    out[0] -= c * angle2;
    out[4] -= c * angle2;
    out[8] -= c * angle2;
}

static void dcli_rotation(const double *a, double *out)
{
    dcli_rotation_minus_identity(a, out);
    out[0] += 1;
    out[4] += 1;
    out[8] += 1;
}

/* The left Jacobian of the rotation vector: exp([a + da]) = exp([J da]) exp([a]). */
static void dcli_rotation_jacobian(const double *a, double *J)
{
    double t2 = dcli_dot(a, a), t = sqrt(t2);
    double half = t > 1e-4 ? sin(t / 2) / t : 0.5 - t2 / 48;
    double b = 2 * half * half;                                 /* (1 - cos t)/t^2 */
    double c = t > 1e-2 ? (t - sin(t)) / (t2 * t) : 1.0 / 6 - t2 / 120 + t2 * t2 / 5040;
    dcli_identity3(J, 1 - c * t2);
    dcli_add_outer(J, c, a, a);
    J[1] += b * a[2];
    J[2] -= b * a[1];
    J[3] -= b * a[2];
    J[5] += b * a[0];
    J[6] += b * a[1];
    J[7] -= b * a[0];
}

/* ---- >>impl-memory ----------------------------------------------------------------------------
   Every object is one block: a layout function assigns its pointers twice, first from NULL to
   learn the size, then inside the block. */

static void *dcli_default_alloc(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void dcli_default_free(void *ptr, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(ptr);
}

static dcl_allocator dcli_allocator_or_default(dcl_allocator a)
{
    if (!a.alloc || !a.free) {
        a.alloc = dcli_default_alloc;
        a.free = dcli_default_free;
        a.user = NULL;
    }
    return a;
}

static void *dcli_alloc(const dcl_allocator *a, size_t bytes)
{
    void *ptr = a->alloc(bytes ? bytes : 1, a->user);
    if (ptr) memset(ptr, 0, bytes ? bytes : 1);
    return ptr;
}

static void dcli_free(const dcl_allocator *a, void *ptr, size_t bytes)
{
    if (ptr) a->free(ptr, bytes ? bytes : 1, a->user);
}

typedef struct dcli_arena {
    char *base; /* NULL while measuring */
    size_t used;
} dcli_arena;

static void *dcli_take(dcli_arena *arena, size_t count, size_t size)
{
    size_t at = (arena->used + 63) & ~(size_t)63, most = SIZE_MAX / 2;
    /* what cannot exist measures as half the address space, which no allocator grants */
    arena->used = at >= most || count > (most - at) / size ? most : at + count * size;
    return arena->base ? arena->base + at : NULL;
}

static double *dcli_take_doubles(dcli_arena *arena, size_t count)
{
    return (double *)dcli_take(arena, count, sizeof(double));
}

static int *dcli_take_ints(dcli_arena *arena, size_t count)
{
    return (int *)dcli_take(arena, count, sizeof(int));
}

/* Tells the logger and returns the code, so that a refusal is one statement. */
static dcl_result dcli_refuse(const dcl_logger *logger, dcl_result code, const char *format, ...)
{
    char text[256];
    va_list args;
    if (!logger || !logger->log) return code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    logger->log(code, text, logger->user);
    return code;
}

/* A NULL argument: named through the logger of the first object that is there. Returns its result
   or DCL_OK. `names` are separated by spaces, in the order of the pointers. */
static dcl_result dcli_check_null(const dcl_logger *logger, const char *names, int count, ...)
{
    const char *name = names;
    va_list args;
    int k;
    va_start(args, count);
    for (k = 0; k < count; k++) {
        int length = (int)strcspn(name, " ");
        if (!va_arg(args, const void *)) {
            va_end(args);
            return dcli_refuse(logger, DCL_ERROR_NULL_POINTER, "%.*s is NULL", length, name);
        }
        name += length + (name[length] == ' ');
    }
    va_end(args);
    return DCL_OK;
}

DCL_API const char *dcl_result_name(dcl_result result)
{
    switch (result) {
    case DCL_OK: return "OK";
    case DCL_ERROR_NULL_POINTER: return "NULL_POINTER";
    case DCL_ERROR_BAD_ARGUMENT: return "BAD_ARGUMENT";
    case DCL_ERROR_NOT_FINITE: return "NOT_FINITE";
    case DCL_ERROR_TOO_LARGE: return "TOO_LARGE";
    case DCL_ERROR_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case DCL_ERROR_EMPTY_MESH: return "EMPTY_MESH";
    case DCL_ERROR_INDEX_OUT_OF_RANGE: return "INDEX_OUT_OF_RANGE";
    case DCL_ERROR_DEGENERATE_TRIANGLE: return "DEGENERATE_TRIANGLE";
    case DCL_ERROR_DUPLICATE_TRIANGLE: return "DUPLICATE_TRIANGLE";
    case DCL_ERROR_NON_MANIFOLD_EDGE: return "NON_MANIFOLD_EDGE";
    case DCL_ERROR_INCONSISTENT_WINDING: return "INCONSISTENT_WINDING";
    case DCL_ERROR_UNREFERENCED_VERTEX: return "UNREFERENCED_VERTEX";
    case DCL_ERROR_DUPLICATE_HANDLE: return "DUPLICATE_HANDLE";
    case DCL_ERROR_TAPE_FULL: return "TAPE_FULL";
    case DCL_ERROR_STALE_TAPE: return "STALE_TAPE";
    case DCL_ERROR_UNSUPPORTED: return "UNSUPPORTED";
    case DCL_ERROR_SINGULAR: return "SINGULAR";
    case DCL_ERROR_SELF_OVERLAP: return "SELF_OVERLAP";
    }
    return "UNKNOWN";
}

/* One term of an order-free sum hash (the finaliser is SplitMix64's), so that a block's hash can
   be kept up to date as single values change. */
static uint64_t dcli_hash_term(uint64_t index, double value)
{
    uint64_t bits, z;
    value += 0.0; /* -0 and 0 are the same parameter */
    memcpy(&bits, &value, sizeof bits);
    z = bits + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t dcli_hash_join(uint64_t a, uint64_t b)
{
    a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
    return a * 0xD6E8FEB86659FD93u;
}

/* ---- >>impl-mesh ------------------------------------------------------------------------------
   What makes a mesh acceptable, and its edges. */

#define DCLI_QUALITY 1e-8 /* least 2 area / longest edge^2; below, F loses all its digits */

typedef struct dcli_edge {
    int lo, hi, triangle, opposite, forward; /* forward: the triangle runs lo -> hi */
} dcli_edge;

static int dcli_edge_compare(const void *a, const void *b)
{
    const dcli_edge *p = (const dcli_edge *)a, *q = (const dcli_edge *)b;
    if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
    if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static void dcli_mesh_edges(int m, const int *triangles, dcli_edge *edges)
{
    int t, k;
    for (t = 0; t < m; t++)
        for (k = 0; k < 3; k++) {
            int a = triangles[3 * t + k], b = triangles[3 * t + (k + 1) % 3];
            dcli_edge *e = &edges[3 * (size_t)t + (size_t)k];
            e->lo = a < b ? a : b;
            e->hi = a < b ? b : a;
            e->forward = a < b;
            e->triangle = t;
            e->opposite = triangles[3 * t + (k + 2) % 3];
        }
    qsort(edges, 3 * (size_t)m, sizeof *edges, dcli_edge_compare);
}

/* 1 if the triangle of positions X is too thin; the test is relative (>>references). */
static int dcli_triangle_degenerate(const double *X, const int *tri)
{
    double e1[3], e2[3], e3[3], cross[3], longest;
    dcli_sub3(e1, X + 3 * (size_t)tri[1], X + 3 * (size_t)tri[0]);
    dcli_sub3(e2, X + 3 * (size_t)tri[2], X + 3 * (size_t)tri[0]);
    dcli_sub3(e3, e2, e1);
    dcli_cross(e1, e2, cross);
    longest = fmax(fmax(dcli_dot(e1, e1), dcli_dot(e2, e2)), dcli_dot(e3, e3));
    return !(dcli_norm(cross) > DCLI_QUALITY * longest);
}

static dcl_result dcli_check_vertices(const dcl_model_desc *desc)
{
    const dcl_logger *log = &desc->logger;
    int i, k, t;
    for (i = 0; i < desc->vertex_count; i++)
        for (k = 0; k < 3; k++)
            if (!dcli_finite(desc->positions[3 * (size_t)i + (size_t)k]))
                return dcli_refuse(log, DCL_ERROR_NOT_FINITE,
                                   "positions: vertex %d, coordinate %d is not finite", i, k);
    for (t = 0; t < desc->triangle_count; t++)
        for (k = 0; k < 3; k++) {
            int v = desc->triangles[3 * (size_t)t + (size_t)k];
            if (v < 0 || v >= desc->vertex_count)
                return dcli_refuse(log, DCL_ERROR_INDEX_OUT_OF_RANGE,
                                   "triangles: triangle %d has vertex %d, the mesh has 0..%d", t, v,
                                   desc->vertex_count - 1);
        }
    for (t = 0; t < desc->triangle_count; t++) {
        const int *tri = desc->triangles + 3 * (size_t)t;
        if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0] ||
            dcli_triangle_degenerate(desc->positions, tri))
            return dcli_refuse(log, DCL_ERROR_DEGENERATE_TRIANGLE,
                               "triangles: triangle %d (%d %d %d) has no area (2 area / longest "
                               "edge^2 is below %g)",
                               t, tri[0], tri[1], tri[2], DCLI_QUALITY);
    }
    return DCL_OK;
}

/* Edges are sorted: one run per edge of the mesh. */
static dcl_result dcli_check_edges(const dcl_logger *log, const dcli_edge *e, size_t count)
{
    size_t i, j;
    for (i = 0; i < count; i = j) {
        for (j = i + 1; j < count && e[j].lo == e[i].lo && e[j].hi == e[i].hi; j++) {
            if (e[j].opposite == e[i].opposite)
                return dcli_refuse(log, DCL_ERROR_DUPLICATE_TRIANGLE,
                                   "triangles: triangles %d and %d have the same vertices %d %d %d",
                                   e[i].triangle, e[j].triangle, e[i].lo, e[i].hi, e[i].opposite);
            if (j >= i + 2)
                return dcli_refuse(
                    log, DCL_ERROR_NON_MANIFOLD_EDGE,
                    "triangles: edge %d-%d is in more than two triangles: %d, %d, %d", e[i].lo,
                    e[i].hi, e[i].triangle, e[i + 1].triangle, e[j].triangle);
        }
        if (j == i + 2 && e[i].forward == e[i + 1].forward)
            return dcli_refuse(log, DCL_ERROR_INCONSISTENT_WINDING,
                               "triangles: triangles %d and %d run along edge %d-%d in the same "
                               "direction",
                               e[i].triangle, e[i + 1].triangle, e[i].lo, e[i].hi);
    }
    return DCL_OK;
}

static dcl_result dcli_check_referenced(const dcl_model_desc *desc, int *mark)
{
    size_t k;
    int i;
    memset(mark, 0, (size_t)desc->vertex_count * sizeof *mark);
    for (k = 0; k < 3 * (size_t)desc->triangle_count; k++) mark[desc->triangles[k]] = 1;
    for (i = 0; i < desc->vertex_count; i++)
        if (!mark[i])
            return dcli_refuse(&desc->logger, DCL_ERROR_UNREFERENCED_VERTEX,
                               "triangles: vertex %d is in no triangle, so it has no mass", i);
    return DCL_OK;
}

static dcl_result dcli_check_number(const dcl_logger *log, const char *name, double value,
                                    double lowest, int open)
{
    if (!dcli_finite(value))
        return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "%s is not finite", name);
    if (value < lowest || (open && value <= lowest))
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "%s is %g, must be %s %g", name, value,
                           open ? ">" : ">=", lowest);
    return DCL_OK;
}

static dcl_result dcli_check_handles(const dcl_model_desc *desc, int *mark)
{
    const dcl_logger *log = &desc->logger;
    char name[64];
    int i;
    memset(mark, 0, (size_t)desc->vertex_count * sizeof *mark);
    for (i = 0; i < desc->handle_count; i++) {
        const dcl_handle *handle = &desc->handles[i];
        dcl_result result;
        if (handle->vertex < 0 || handle->vertex >= desc->vertex_count)
            return dcli_refuse(log, DCL_ERROR_INDEX_OUT_OF_RANGE,
                               "handles: handle %d holds vertex %d, the mesh has 0..%d", i,
                               handle->vertex, desc->vertex_count - 1);
        if (mark[handle->vertex])
            return dcli_refuse(log, DCL_ERROR_DUPLICATE_HANDLE,
                               "handles: handles %d and %d both hold vertex %d",
                               mark[handle->vertex] - 1, i, handle->vertex);
        mark[handle->vertex] = i + 1;
        if (handle->kind != DCL_HANDLE_HARD && handle->kind != DCL_HANDLE_SOFT)
            return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "handles: handle %d has kind %d", i,
                               (int)handle->kind);
        if (handle->kind == DCL_HANDLE_HARD) continue;
        snprintf(name, sizeof name, "handles: handle %d: stiffness", i);
        result = dcli_check_number(log, name, handle->stiffness, 0, 0);
        if (result) return result;
    }
    return DCL_OK;
}

typedef struct dcli_shape_info {
    int sizes;                /* how many it has */
    int positive;             /* bit k: size k must be > 0, else >= 0 */
    const char *name[4];
} dcli_shape_info;

/* NULL if there is no such shape. */
static const dcli_shape_info *dcli_shape_get(dcl_shape shape)
{
    static const dcli_shape_info table[] = {
        {0, 0, {"", "", "", ""}},
        {1, 1, {"radius", "", "", ""}},
        {1, 1, {"radius", "", "", ""}},
        {2, 1, {"radius", "half length", "", ""}},
        {3, 3, {"radius at a", "radius at b", "half length", ""}},
        {4, 0, {"half extent x", "half extent y", "half extent z", "rounding"}},
        {2, 3, {"radius", "tube radius", "", ""}},
        {3, 1, {"radius", "half length", "rounding", ""}},
        {3, 3, {"radius", "height", "rounding", ""}},
        {1, 0, {"rounding", "", "", ""}},
        {4, 0, {"size[0]", "size[1]", "size[2]", "size[3]"}},
    };
    if ((int)shape < 0 || (size_t)shape >= sizeof table / sizeof table[0]) return NULL;
    return &table[shape];
}

/* `where` begins the message. */
static dcl_result dcli_check_sizes(const dcl_logger *log, const char *where, dcl_shape shape,
                                   const double *size)
{
    const dcli_shape_info *info = dcli_shape_get(shape);
    char name[96];
    int k;
    for (k = 0; k < info->sizes; k++) {
        dcl_result result;
        snprintf(name, sizeof name, "%s: %s", where, info->name[k]);
        result = dcli_check_number(log, name, size[k], 0, (info->positive >> k) & 1);
        if (result) return result;
    }
    if (shape == DCL_SHAPE_TORUS && size[1] > size[0])
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT,
                           "%s: tube radius is %g, must be at most the radius, %g", where, size[1],
                           size[0]);
    for (k = 0; k < 3; k++)
        if ((shape == DCL_SHAPE_BOX && !(size[k] + size[3] > 0)) ||
            (shape == DCL_SHAPE_CYLINDER && k == 1 && !(size[1] + size[2] > 0)))
            return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "%s: %s and rounding are both 0", where,
                               info->name[k]);
    return DCL_OK;
}

static dcl_result dcli_solid_check(const dcl_logger *log, int o, const dcl_surface *s)
{
    int k;
    if (!s || !s->positions || !s->triangles)
        return dcli_refuse(log, DCL_ERROR_NULL_POINTER, "obstacles: obstacle %d: surface%s is NULL",
                           o,
                           !s              ? ""
                           : !s->positions ? ": positions"
                                           : ": triangles");
    if (s->vertex_count < 1 || s->triangle_count < 1)
        return dcli_refuse(log, DCL_ERROR_EMPTY_MESH,
                           "obstacles: obstacle %d: surface has %d vertices and %d triangles", o,
                           s->vertex_count, s->triangle_count);
    if (s->vertex_count > INT_MAX / 32 || s->triangle_count > INT_MAX / 32)
        return dcli_refuse(log, DCL_ERROR_TOO_LARGE,
                           "obstacles: obstacle %d: surface has %d vertices and %d triangles", o,
                           s->vertex_count, s->triangle_count);
    for (k = 0; k < 3 * s->vertex_count; k++)
        if (!dcli_finite(s->positions[k]))
            return dcli_refuse(log, DCL_ERROR_NOT_FINITE,
                               "obstacles: obstacle %d: surface: vertex %d is not finite", o,
                               k / 3);
    for (k = 0; k < 3 * s->triangle_count; k++)
        if (s->triangles[k] < 0 || s->triangles[k] >= s->vertex_count)
            return dcli_refuse(log, DCL_ERROR_INDEX_OUT_OF_RANGE,
                               "obstacles: obstacle %d: surface: triangle %d names vertex %d of %d",
                               o, k / 3, s->triangles[k], s->vertex_count);
    return DCL_OK;
}

static dcl_result dcli_check_obstacles(const dcl_model_desc *desc)
{
    static const char *const fields[4] = {"position", "rotation", "velocity", "angular_velocity"};
    const dcl_logger *log = &desc->logger;
    char name[64];
    int i, k;
    for (i = 0; i < desc->obstacle_count; i++) {
        const dcl_obstacle *o = &desc->obstacles[i];
        dcl_result result;
        if (!dcli_shape_get(o->shape))
            return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "obstacles: obstacle %d has shape %d",
                               i, (int)o->shape);
        if (o->rotation[0] == HUGE_VAL)
            return dcli_refuse(log, DCL_ERROR_NOT_FINITE,
                               "obstacles: obstacle %d: rotation is not finite (so it is for a "
                               "normal or an axis of length zero)",
                               i);
        for (k = 0; k < 4; k++)
            if (!dcli_all_finite(k == 0   ? o->position
                                 : k == 1 ? o->rotation
                                 : k == 2 ? o->velocity
                                          : o->angular_velocity, 3))
                return dcli_refuse(log, DCL_ERROR_NOT_FINITE,
                                   "obstacles: obstacle %d: %s is not finite", i, fields[k]);
        snprintf(name, sizeof name, "obstacles: obstacle %d: friction", i);
        result = dcli_check_number(log, name, o->friction, 0, 0);
        snprintf(name, sizeof name, "obstacles: obstacle %d", i);
        if (!result) result = dcli_check_sizes(log, name, o->shape, o->size);
        if (!result && o->shape == DCL_SHAPE_MESH) result = dcli_solid_check(log, i, o->surface);
        if (!result && o->shape == DCL_SHAPE_FUNCTION && !o->distance)
            result = dcli_refuse(log, DCL_ERROR_NULL_POINTER, "%s: distance is NULL", name);
        if (result) return result;
    }
    return DCL_OK;
}

static dcl_result dcli_check_fields(const dcl_model_desc *desc)
{
    const dcl_logger *log = &desc->logger;
    dcl_result r;
    if ((r = dcli_check_number(log, "stretch", desc->stretch, 0, 0)) != DCL_OK) return r;
    if ((r = dcli_check_number(log, "bend", desc->bend, 0, 0)) != DCL_OK) return r;
    if ((r = dcli_check_number(log, "density", desc->density, 0, 1)) != DCL_OK) return r;
    if ((r = dcli_check_number(log, "damping", desc->damping, 0, 0)) != DCL_OK) return r;
    if ((r = dcli_check_number(log, "drag", desc->drag, 0, 0)) != DCL_OK) return r;
    if ((r = dcli_check_number(log, "push_out", desc->push_out, 0, 1)) != DCL_OK) return r;
    if ((r = dcli_check_number(log, "contact_distance", desc->contact_distance, 0, 0)) != DCL_OK)
        return r;
    if (!dcli_all_finite(desc->gravity, 3))
        return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "gravity is not finite");
    if (desc->contact != DCL_CONTACT_GAP && desc->contact != DCL_CONTACT_SET)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "contact is %d", (int)desc->contact);
    if (desc->self_contact != DCL_SELF_NONE && desc->self_contact != DCL_SELF_SURFACE &&
        desc->self_contact != DCL_SELF_NODES)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "self_contact is %d",
                           (int)desc->self_contact);
    if ((r = dcli_check_number(log, "self_friction", desc->self_friction, 0, 0)) != DCL_OK)
        return r;
    if ((r = dcli_check_number(log, "self_thickness", desc->self_thickness, 0, 0)) != DCL_OK)
        return r;
    return DCL_OK;
}

static dcl_result dcli_check_count(const dcl_logger *log, const char *name, int count, int lowest,
                                   int highest, const void *array, const char *array_name)
{
    if (count < lowest)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "%s is %d, must be at least %d", name,
                           count, lowest);
    if (count > highest)
        return dcli_refuse(log, DCL_ERROR_TOO_LARGE, "%s is %d, at most %d are possible", name,
                           count, highest);
    if (count > 0 && !array)
        return dcli_refuse(log, DCL_ERROR_NULL_POINTER, "%s is NULL with %s %d", array_name, name,
                           count);
    return DCL_OK;
}

static dcl_result dcli_check_counts(const dcl_model_desc *d)
{
    const dcl_logger *log = &d->logger;
    dcl_result r;
    const int most = INT_MAX / 64, frames = INT_MAX / 16;
    if (d->vertex_count == 0 || d->triangle_count == 0)
        return dcli_refuse(log, DCL_ERROR_EMPTY_MESH, "the mesh has %d vertices and %d triangles",
                           d->vertex_count, d->triangle_count);
    r = dcli_check_count(log, "vertex_count", d->vertex_count, 1, most, d->positions, "positions");
    if (!r)
        r = dcli_check_count(log, "triangle_count", d->triangle_count, 1, most, d->triangles,
                             "triangles");
    if (!r)
        r = dcli_check_count(log, "handle_count", d->handle_count, 0, most, d->handles, "handles");
    if (!r)
        r = dcli_check_count(log, "obstacle_count", d->obstacle_count, 0, DCL_MAX_OBSTACLES,
                             d->obstacles, "obstacles");
    if (!r) r = dcli_check_count(log, "handle_frames", d->handle_frames, 1, frames, d, "");
    if (!r) r = dcli_check_count(log, "force_frames", d->force_frames, 0, frames, d, "");
    return r;
}

/* ---- >>impl-model -----------------------------------------------------------------------------
   Immutable after creation. The sparsity of K: node i and j are neighbours if a triangle or hinge
   has both. Stored by columns, lower triangle, diagonal first. */

typedef struct dcli_hinge {
    int v[4];   /* edge v0-v1, opposite corners v2 (left) and v3 */
    int at[6];  /* places of the pairs 01 02 03 12 13 23 in row_index */
} dcli_hinge;

/* The pairs of dcli_hinge.at. */
static const int dcli_hinge_pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct dcli_triangle {
    int v[3];
    int at[3]; /* places of the pairs 01 02 12 */
} dcli_triangle;

/* The surface as self-contact sees it: which triangle speaks for which vertex and edge, the edges
   with their opposite corners, the neighbours of every vertex, the connected parts, and a tree of
   boxes over the triangles. Part of the model. */
typedef struct dcli_box_node {
    int first, count; /* range in `leaves`; children are node + 1 and node + 2 (count/2) */
} dcli_box_node;

typedef struct dcli_surface {
    int edge_count;
    int *edges;        /* edge_count x 4: ends lo, hi, opposite corners or -1 */
    int *tri_edges;    /* m x 3: edge k runs from corner k to the next */
    unsigned char *own; /* m: bits 0-2 corners, 3-5 edges that this triangle speaks for */
    int *neighbour_start, *neighbours;
    int *part;         /* n: smallest vertex of the connected part */
    int *leaves;       /* m */
    dcli_box_node *nodes; /* 2 m - 1 */
} dcli_surface;

static int dcli_unique_edges(const dcli_edge *e, size_t count)
{
    int unique = 0;
    size_t i;
    for (i = 0; i < count; i++)
        unique += i == 0 || e[i].lo != e[i - 1].lo || e[i].hi != e[i - 1].hi;
    return unique;
}

static void dcli_surface_layout(dcli_surface *s, dcli_arena *arena, size_t n, size_t m)
{
    size_t edges = (size_t)s->edge_count;
    s->edges = dcli_take_ints(arena, 4 * edges);
    s->tri_edges = dcli_take_ints(arena, 3 * m);
    s->own = (unsigned char *)dcli_take(arena, m, 1);
    s->neighbour_start = dcli_take_ints(arena, n + 1);
    s->neighbours = dcli_take_ints(arena, 2 * edges);
    s->part = dcli_take_ints(arena, n);
    s->leaves = dcli_take_ints(arena, m);
    s->nodes = (dcli_box_node *)dcli_take(arena, 2 * m, sizeof *s->nodes);
}

static int dcli_part_root(int *part, int v)
{
    while (part[v] != v) {
        part[v] = part[part[v]];
        v = part[v];
    }
    return v;
}

static void dcli_surface_edges(dcli_surface *s, int n, const int *triangles, const dcli_edge *e,
                               size_t count)
{
    size_t i;
    int at = -1, k, v;
    for (v = 0; v < n; v++) s->part[v] = v;
    for (i = 0; i < count; i++) {
        int first = i == 0 || e[i].lo != e[i - 1].lo || e[i].hi != e[i - 1].hi;
        if (first) {
            int a = dcli_part_root(s->part, e[i].lo), b = dcli_part_root(s->part, e[i].hi);
            s->part[a < b ? b : a] = a < b ? a : b;
            at++;
            s->edges[4 * at] = e[i].lo;
            s->edges[4 * at + 1] = e[i].hi;
            s->edges[4 * at + 3] = -1;
            s->neighbour_start[e[i].lo + 1]++;
            s->neighbour_start[e[i].hi + 1]++;
        }
        s->edges[4 * at + (first ? 2 : 3)] = e[i].opposite;
        for (k = 0; k < 3; k++)
            if (triangles[3 * e[i].triangle + (k + 2) % 3] == e[i].opposite) {
                s->tri_edges[3 * e[i].triangle + k] = at;
                if (first)
                    s->own[e[i].triangle] = (unsigned char)(s->own[e[i].triangle] | (8 << k));
            }
    }
    for (v = 0; v < n; v++) s->part[v] = dcli_part_root(s->part, v);
    for (v = 0; v < n; v++) s->neighbour_start[v + 1] += s->neighbour_start[v];
    for (k = at; k >= 0; k--) { /* filled from the back, so that starts end where they belong */
        int lo = s->edges[4 * k], hi = s->edges[4 * k + 1];
        s->neighbours[--s->neighbour_start[lo + 1]] = hi;
        s->neighbours[--s->neighbour_start[hi + 1]] = lo;
    }
    for (v = 0; v < n; v++) s->neighbour_start[v] = s->neighbour_start[v + 1];
    s->neighbour_start[n] = 2 * s->edge_count;
}

typedef struct dcli_leaf_key {
    double key;
    int triangle;
} dcli_leaf_key;

static int dcli_leaf_compare(const void *a, const void *b)
{
    const dcli_leaf_key *p = (const dcli_leaf_key *)a, *q = (const dcli_leaf_key *)b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static double dcli_leaf_centre(const double *X, const int *tri, int axis)
{
    return X[3 * (size_t)tri[0] + (size_t)axis] + X[3 * (size_t)tri[1] + (size_t)axis] +
           X[3 * (size_t)tri[2] + (size_t)axis];
}

/* Halves the triangles at the median of their centres along the longest axis, again and again.
   Nodes are in preorder, so a range's node is known from its place: no recursion. */
static void dcli_surface_tree(dcli_surface *s, int m, const double *X, const int *triangles,
                              dcli_leaf_key *keys)
{
    int t, node, axis, k;
    for (t = 0; t < m; t++) s->leaves[t] = t;
    s->nodes[0].first = 0;
    s->nodes[0].count = m;
    for (node = 0; node < 2 * m - 1; node++) {
        int first = s->nodes[node].first, count = s->nodes[node].count, half = count / 2;
        double lo[3], hi[3];
        if (count == 1) continue;
        for (k = 0; k < 3; k++) {
            lo[k] = HUGE_VAL;
            hi[k] = -HUGE_VAL;
            for (t = first; t < first + count; t++) {
                double c = dcli_leaf_centre(X, triangles + 3 * s->leaves[t], k);
                lo[k] = fmin(lo[k], c);
                hi[k] = fmax(hi[k], c);
            }
        }
        axis = hi[1] - lo[1] > hi[0] - lo[0];
        if (hi[2] - lo[2] > hi[axis] - lo[axis]) axis = 2;
        for (t = 0; t < count; t++) {
            keys[t].triangle = s->leaves[first + t];
            keys[t].key = dcli_leaf_centre(X, triangles + 3 * keys[t].triangle, axis);
        }
        qsort(keys, (size_t)count, sizeof *keys, dcli_leaf_compare);
        for (t = 0; t < count; t++) s->leaves[first + t] = keys[t].triangle;
        s->nodes[node + 1].first = first;
        s->nodes[node + 1].count = half;
        s->nodes[node + 2 * half].first = first + half;
        s->nodes[node + 2 * half].count = count - half;
    }
}

/* A vertex belongs to the first triangle that has it. mark: n, scratch. */
static void dcli_surface_owners(dcli_surface *s, int n, int m, const int *triangles, int *mark)
{
    int t, k;
    memset(mark, 0, (size_t)n * sizeof *mark);
    for (t = 0; t < m; t++)
        for (k = 0; k < 3; k++)
            if (!mark[triangles[3 * t + k]]++) s->own[t] = (unsigned char)(s->own[t] | (1 << k));
}

/* A surface of triangles as an obstacle: one block of the model's memory. Where it is closed it has
   an inside, told by normals that are means over the triangles at an edge and, weighted by their
   angles, at a vertex (Baerentzen, Aanaes 2005); else only the distance counts, either side. */
typedef struct dcli_solid {
    size_t bytes;
    int n, m, closed;
    double tiny;                  /* m, a difference of positions below this is rounding */
    double *X;                    /* n x 3 */
    int *corners;                 /* m x 3 */
    double *face, *edge, *vertex; /* m, 3 m, n normals; of a triangle without area: 0 */
    unsigned char *flat_edge, *flat_vertex; /* 3 m, n: all triangles there lie in one plane */
    double *boxes;                          /* (2 m - 1) x 6: lower, upper corners */
    dcli_surface tree;                      /* its leaves and nodes only */
} dcli_solid;

/* edges, keys: scratch of the build. */
static void dcli_solid_layout(dcli_solid *s, dcli_arena *arena, dcli_edge **edges,
                              dcli_leaf_key **keys)
{
    size_t n = (size_t)s->n, m = (size_t)s->m;
    s->X = dcli_take_doubles(arena, 3 * n);
    s->face = dcli_take_doubles(arena, 3 * m);
    s->edge = dcli_take_doubles(arena, 9 * m);
    s->vertex = dcli_take_doubles(arena, 3 * n);
    s->boxes = dcli_take_doubles(arena, 6 * (2 * m - 1));
    *edges = (dcli_edge *)dcli_take(arena, 3 * m, sizeof **edges);
    *keys = (dcli_leaf_key *)dcli_take(arena, m, sizeof **keys);
    s->corners = dcli_take_ints(arena, 3 * m);
    s->tree.leaves = dcli_take_ints(arena, m);
    s->tree.nodes = (dcli_box_node *)dcli_take(arena, 2 * m - 1, sizeof *s->tree.nodes);
    s->flat_edge = (unsigned char *)dcli_take(arena, 3 * m, 1);
    s->flat_vertex = (unsigned char *)dcli_take(arena, n, 1);
}

/* Normals of triangles, angle-weighted ones of vertices, the extent, the volume. */
static double dcli_solid_normals(dcli_solid *s)
{
    double volume = 0, size = 0;
    int t, k, c;
    memset(s->vertex, 0, 3 * (size_t)s->n * sizeof(double));
    for (k = 0; k < 3 * s->n; k++) size = fmax(size, fabs(s->X[k] - s->X[k % 3]));
    s->tiny = 16 * DCLI_EPS * (size + dcli_norm(s->X));
    for (t = 0; t < s->m; t++) {
        const int *v = s->corners + 3 * t;
        double e[3][3], *n = s->face + 3 * t, length;
        for (k = 0; k < 3; k++) dcli_sub3(e[k], s->X + 3 * v[(k + 1) % 3], s->X + 3 * v[k]);
        dcli_cross(e[0], e[1], n);
        volume += dcli_dot(n, s->X + 3 * v[0]) / 6;
        length = dcli_norm(n);
        if (dcli_triangle_degenerate(s->X, v)) length = HUGE_VAL;
        for (c = 0; c < 3; c++) n[c] /= length;
        for (k = 0; k < 3 && length < HUGE_VAL; k++) {
            double cross[3], *at = s->vertex + 3 * v[k];
            const double *in = e[(k + 2) % 3], *out = e[k];
            dcli_cross(out, in, cross);
            dcli_axpy3(at, atan2(dcli_norm(cross), -dcli_dot(out, in)), n);
        }
    }
    return volume;
}

/* One edge's triangles, first .. first + count - 1 in the sorted list: its normal, and whether it
   is flat. Returns 1 if they are two that run along it in opposite directions. */
static int dcli_solid_edge(dcli_solid *s, const dcli_edge *first, int count)
{
    const double *n0 = s->face + 3 * first->triangle, *n1 = n0;
    double sum[3], cross[3];
    int i, k, proper = count == 2 && first[0].forward != first[1].forward, flat;
    if (count == 2) n1 = s->face + 3 * first[1].triangle;
    dcli_copy3(sum, n0);
    if (proper) dcli_axpy3(sum, 1, n1);
    if (!(dcli_norm(sum) > 0)) dcli_copy3(sum, n0);
    dcli_cross(n0, n1, cross);
    flat = count == 2 && dcli_norm(cross) < 1e-9 && dcli_dot(n0, n1) * (proper ? 1 : -1) > 0.5;
    for (i = 0; i < count; i++)
        for (k = 0; k < 3; k++) {
            if (s->corners[3 * first[i].triangle + (k + 2) % 3] != first[i].opposite) continue;
            dcli_copy3(s->edge + 3 * (3 * first[i].triangle + k), sum);
            s->flat_edge[3 * first[i].triangle + k] = (unsigned char)flat;
        }
    if (!flat) s->flat_vertex[first->lo] = s->flat_vertex[first->hi] = 0;
    return proper;
}

static dcl_result dcli_solid_edges(const dcl_logger *log, int o, dcli_solid *s, dcli_edge *edges)
{
    int i, count, pairs = 1, wrong = -1;
    memset(s->flat_vertex, 1, (size_t)s->n);
    s->closed = 1;
    dcli_mesh_edges(s->m, s->corners, edges);
    for (i = 0; i < 3 * s->m; i += count) {
        for (count = 1; i + count < 3 * s->m && edges[i + count].lo == edges[i].lo &&
                        edges[i + count].hi == edges[i].hi;)
            count++;
        if (dcli_solid_edge(s, edges + i, count)) continue;
        s->closed = 0;
        pairs = pairs && count == 2;
        if (wrong < 0) wrong = i;
    }
    if (pairs && wrong >= 0)
        return dcli_refuse(
            log, DCL_ERROR_INCONSISTENT_WINDING,
            "obstacles: obstacle %d: surface: triangles %d and %d both run along edge "
            "%d-%d in one direction",
            o, edges[wrong].triangle, edges[wrong + 1].triangle, edges[wrong].lo, edges[wrong].hi);
    return DCL_OK;
}

static void dcli_solid_boxes(dcli_solid *s)
{
    int node, k;
    for (node = 2 * s->m - 2; node >= 0; node--) {
        const dcli_box_node *b = &s->tree.nodes[node];
        double *box = s->boxes + 6 * node;
        for (k = 0; k < 3; k++)
            if (b->count == 1) {
                const int *v = s->corners + 3 * s->tree.leaves[b->first];
                const double *x = s->X + k;
                box[k] = fmin(x[3 * v[0]], fmin(x[3 * v[1]], x[3 * v[2]]));
                box[3 + k] = fmax(x[3 * v[0]], fmax(x[3 * v[1]], x[3 * v[2]]));
            } else {
                const double *left = box + 6, *right = box + 12 * (b->count / 2);
                box[k] = fmin(left[k], right[k]);
                box[3 + k] = fmax(left[3 + k], right[3 + k]);
            }
    }
}

static dcl_result dcli_solid_build(const dcl_logger *log, int o, dcli_solid *s, double rounding,
                                   dcli_edge *edges, dcli_leaf_key *keys)
{
    double volume = dcli_solid_normals(s);
    dcl_result r = dcli_solid_edges(log, o, s, edges);
    if (r) return r;
    if (s->closed && !(volume > 0))
        return dcli_refuse(log, DCL_ERROR_INCONSISTENT_WINDING,
                           "obstacles: obstacle %d: surface: its triangles face inwards, volume %g",
                           o, volume);
    if (!s->closed && !(rounding > 0))
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT,
                           "obstacles: obstacle %d: surface is open, so rounding must be > 0", o);
    dcli_surface_tree(&s->tree, s->m, s->X, s->corners, keys);
    dcli_solid_boxes(s);
    return DCL_OK;
}

static void dcli_solid_destroy(dcli_solid *s, const dcl_allocator *allocator)
{
    if (s) dcli_free(allocator, s, s->bytes);
}

static dcl_result dcli_solid_create(const dcl_logger *log, const dcl_allocator *allocator, int o,
                                    const dcl_obstacle *obstacle, dcli_solid **solid)
{
    const dcl_surface *from = obstacle->surface;
    dcli_arena arena = {NULL, 0};
    dcli_edge *edges;
    dcli_leaf_key *keys;
    dcli_solid sized, *s;
    dcl_result r;
    memset(&sized, 0, sizeof sized);
    sized.n = from->vertex_count;
    sized.m = from->triangle_count;
    dcli_take(&arena, 1, sizeof sized);
    dcli_solid_layout(&sized, &arena, &edges, &keys);
    sized.bytes = arena.used;
    s = (dcli_solid *)dcli_alloc(allocator, arena.used);
    if (!s)
        return dcli_refuse(log, DCL_ERROR_OUT_OF_MEMORY,
                           "obstacles: obstacle %d: surface: %lu bytes", o,
                           (unsigned long)sized.bytes);
    *s = sized;
    arena.base = (char *)s;
    arena.used = 0;
    dcli_take(&arena, 1, sizeof sized);
    dcli_solid_layout(s, &arena, &edges, &keys);
    memcpy(s->X, from->positions, 3 * (size_t)s->n * sizeof(double));
    memcpy(s->corners, from->triangles, 3 * (size_t)s->m * sizeof(int));
    r = dcli_solid_build(log, o, s, obstacle->size[0], edges, keys);
    if (r)
        dcli_solid_destroy(s, allocator);
    else
        *solid = s;
    return r;
}

struct dcl_model {
    size_t bytes;
    dcl_allocator allocator;
    dcl_logger logger;
    int n, m, e, handle_count, obstacle_count, handle_frames, force_frames;
    dcl_contact_form contact;
    double edge, contact_distance, push_out_depth; /* m, mean edge first */
    dcl_self_contact self_contact;
    int self_overlap;
    double self_thickness;  /* m */
    dcli_surface *surface;  /* with self-contact only */
    double first[DCL_PARAM_COUNT];           /* first values of the one-number blocks */
    double gravity[3];
    double *positions; /* n x 3 */
    int *indices;      /* m x 3, the triangles as the user gave them */
    dcli_triangle *triangles;
    dcli_hinge *hinges;
    dcl_handle *handles;
    int *hard; /* n: handle index of a hard handle, else -1 */
    dcl_obstacle *obstacles;
    dcli_solid **solids;        /* of each obstacle that is a mesh, else NULL */
    int *col_start, *row_index; /* pattern of K */
    dcs_analysis *blocks;       /* of the 3n x 3n matrices */
    dcs_analysis *scalars;      /* of P */
};

DCL_API dcl_model_desc dcl_default_model_desc(void)
{
    dcl_model_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.handle_frames = 1;
    desc.stretch = 100;
    desc.bend = 1e-4;
    desc.density = 0.2;
    desc.gravity[1] = -9.81;
    desc.bending = 1;
    desc.contact = DCL_CONTACT_GAP;
    desc.push_out = 1;
    desc.self_friction = 0.1;
    return desc;
}

static dcl_obstacle dcli_obstacle_make(dcl_shape shape, const double *position, double friction)
{
    dcl_obstacle o;
    memset(&o, 0, sizeof o);
    o.shape = shape;
    dcli_copy3(o.position, position);
    o.friction = friction;
    return o;
}

static void dcli_obstacle_size(dcl_obstacle *o, double a, double b, double c, double d)
{
    dcli_set3(o->size, a, b, c);
    o->size[3] = d;
}

/* The shortest rotation from +y to a direction; a half turn about x for -y. */
static void dcli_obstacle_aim(dcl_obstacle *o, const double *direction)
{
    double s = hypot(direction[0], direction[2]);
    double angle = atan2(s, direction[1]);
    if (s > 0)
        dcli_set3(o->rotation, angle * (direction[2] / s), 0, -angle * (direction[0] / s));
    else
        dcli_set3(o->rotation, angle, 0, 0);
}

/* The same for a direction that is needed: without one the rotation is not finite, which
   dcl_model_create() refuses. */
static void dcli_obstacle_aim_along(dcl_obstacle *o, const double *direction)
{
    dcli_obstacle_aim(o, direction);
    if (!dcli_all_finite(direction, 3) || !(dcli_norm(direction) > 0)) o->rotation[0] = HUGE_VAL;
}

/* In the middle of a and b, +y towards b. */
static dcl_obstacle dcli_obstacle_between(dcl_shape shape, const double *a, const double *b,
                                          double friction, double *half)
{
    double middle[3], e[3];
    dcl_obstacle o;
    int k;
    for (k = 0; k < 3; k++) middle[k] = 0.5 * a[k] + 0.5 * b[k];
    for (k = 0; k < 3; k++) e[k] = 0.5 * b[k] - 0.5 * a[k];
    o = dcli_obstacle_make(shape, middle, friction);
    dcli_obstacle_aim(&o, e);
    *half = dcli_norm(e);
    return o;
}

DCL_API dcl_obstacle dcl_plane(const double point[3], const double normal[3], double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_PLANE, point, friction);
    dcli_obstacle_aim_along(&o, normal);
    return o;
}

DCL_API dcl_obstacle dcl_sphere(const double centre[3], double radius, double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_SPHERE, centre, friction);
    o.size[0] = radius;
    return o;
}

DCL_API dcl_obstacle dcl_bowl(const double centre[3], double radius, double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_BOWL, centre, friction);
    o.size[0] = radius;
    return o;
}

DCL_API dcl_obstacle dcl_capsule(const double a[3], const double b[3], double radius,
                                 double friction)
{
    double half;
    dcl_obstacle o = dcli_obstacle_between(DCL_SHAPE_CAPSULE, a, b, friction, &half);
    dcli_obstacle_size(&o, radius, half, 0, 0);
    return o;
}

DCL_API dcl_obstacle dcl_tapered_capsule(const double a[3], const double b[3], double radius_a,
                                         double radius_b, double friction)
{
    double half;
    dcl_obstacle o = dcli_obstacle_between(DCL_SHAPE_TAPERED_CAPSULE, a, b, friction, &half);
    dcli_obstacle_size(&o, radius_a, radius_b, half, 0);
    return o;
}

DCL_API dcl_obstacle dcl_box(const double centre[3], const double half_extents[3], double rounding,
                             double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_BOX, centre, friction);
    dcli_obstacle_size(&o, half_extents[0], half_extents[1], half_extents[2], rounding);
    return o;
}

DCL_API dcl_obstacle dcl_torus(const double centre[3], const double axis[3], double radius,
                               double tube_radius, double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_TORUS, centre, friction);
    dcli_obstacle_aim_along(&o, axis);
    dcli_obstacle_size(&o, radius, tube_radius, 0, 0);
    return o;
}

DCL_API dcl_obstacle dcl_cylinder(const double a[3], const double b[3], double radius,
                                  double rounding, double friction)
{
    double half;
    dcl_obstacle o = dcli_obstacle_between(DCL_SHAPE_CYLINDER, a, b, friction, &half);
    dcli_obstacle_size(&o, radius, half, rounding, 0);
    if (!(half > 0)) o.rotation[0] = HUGE_VAL; /* no direction, as for a plane */
    return o;
}

DCL_API dcl_obstacle dcl_disc(const double centre[3], const double normal[3], double radius,
                              double rounding, double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_CYLINDER, centre, friction);
    dcli_obstacle_aim_along(&o, normal);
    dcli_obstacle_size(&o, radius, 0, rounding, 0);
    return o;
}

DCL_API dcl_obstacle dcl_cone(const double base_centre[3], const double tip[3], double radius,
                              double rounding, double friction)
{
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_CONE, base_centre, friction);
    double axis[3];
    dcli_sub3(axis, tip, base_centre);
    dcli_obstacle_aim_along(&o, axis);
    dcli_obstacle_size(&o, radius, dcli_norm(axis), rounding, 0);
    return o;
}

DCL_API dcl_obstacle dcl_mesh(const dcl_surface *surface, double rounding, double friction)
{
    const double origin[3] = {0, 0, 0};
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_MESH, origin, friction);
    o.size[0] = rounding;
    o.surface = surface;
    return o;
}

DCL_API dcl_obstacle dcl_function(dcl_distance_fn distance, void *user, double friction)
{
    const double origin[3] = {0, 0, 0};
    dcl_obstacle o = dcli_obstacle_make(DCL_SHAPE_FUNCTION, origin, friction);
    o.distance = distance;
    o.user = user;
    return o;
}

static int dcli_pair_compare(const void *a, const void *b)
{
    uint64_t p, q;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    return p < q ? -1 : p > q;
}

static uint64_t dcli_pair(int a, int b)
{
    int lo = a < b ? a : b, hi = a < b ? b : a;
    return ((uint64_t)(uint32_t)lo << 32) | (uint32_t)hi;
}

static int dcli_pattern_find(const dcl_model *model, int a, int b)
{
    int lo = a < b ? a : b, hi = a < b ? b : a;
    int left = model->col_start[lo], right = model->col_start[lo + 1] - 1;
    while (left < right) {
        int middle = left + (right - left) / 2;
        if (model->row_index[middle] < hi)
            left = middle + 1;
        else
            right = middle;
    }
    return left;
}

/* Sorted unique pairs (lower triangle by columns, diagonal included); returns how many. */
static size_t dcli_pattern_pairs(int n, int m, const int *tri, int e, const dcli_hinge *hinges,
                                 uint64_t *pairs)
{
    size_t count = 0, i, unique = 0;
    int a, b, t;
    for (t = 0; t < n; t++) pairs[count++] = dcli_pair(t, t);
    for (t = 0; t < m; t++)
        for (a = 0; a < 3; a++)
            pairs[count++] = dcli_pair(tri[3 * t + a], tri[3 * t + (a + 1) % 3]);
    for (t = 0; t < e; t++)
        for (a = 0; a < 4; a++)
            for (b = a + 1; b < 4; b++) pairs[count++] = dcli_pair(hinges[t].v[a], hinges[t].v[b]);
    qsort(pairs, count, sizeof *pairs, dcli_pair_compare);
    for (i = 0; i < count; i++)
        if (i == 0 || pairs[i] != pairs[unique - 1]) pairs[unique++] = pairs[i];
    return unique;
}

/* Hinges of all edges with two triangles; hinges may be NULL to count. The edge runs as in its
   first triangle, so that v2 is on its left. */
static int dcli_hinges_find(const dcli_edge *e, size_t count, dcli_hinge *hinges)
{
    int found = 0;
    size_t i;
    for (i = 0; i + 1 < count; i++) {
        if (e[i].lo != e[i + 1].lo || e[i].hi != e[i + 1].hi) continue;
        if (hinges) {
            dcli_hinge *hinge = &hinges[found];
            hinge->v[0] = e[i].forward ? e[i].lo : e[i].hi;
            hinge->v[1] = e[i].forward ? e[i].hi : e[i].lo;
            hinge->v[2] = e[i].opposite;
            hinge->v[3] = e[i + 1].opposite;
        }
        found++;
    }
    return found;
}

static double dcli_mean_edge(const double *X, const dcli_edge *e, size_t count)
{
    double sum = 0, d[3];
    size_t i;
    for (i = 0; i < count; i++) {
        dcli_sub3(d, X + 3 * (size_t)e[i].hi, X + 3 * (size_t)e[i].lo);
        sum += dcli_norm(d);
    }
    return sum / (double)count;
}

static void dcli_model_layout(dcl_model *M, dcli_arena *arena, size_t pattern, int edges)
{
    size_t n = (size_t)M->n, m = (size_t)M->m;
    dcli_surface none, *surface = &none;
    M->positions = dcli_take_doubles(arena, 3 * n);
    M->indices = dcli_take_ints(arena, 3 * m);
    M->triangles = (dcli_triangle *)dcli_take(arena, m, sizeof *M->triangles);
    M->hinges = (dcli_hinge *)dcli_take(arena, (size_t)M->e, sizeof *M->hinges);
    M->handles = (dcl_handle *)dcli_take(arena, (size_t)M->handle_count, sizeof *M->handles);
    M->hard = dcli_take_ints(arena, n);
    M->obstacles =
        (dcl_obstacle *)dcli_take(arena, (size_t)M->obstacle_count, sizeof *M->obstacles);
    M->solids = (dcli_solid **)dcli_take(arena, (size_t)M->obstacle_count, sizeof *M->solids);
    M->col_start = dcli_take_ints(arena, n + 1);
    M->row_index = dcli_take_ints(arena, pattern);
    if (M->self_contact == DCL_SELF_NONE) return;
    M->surface = (dcli_surface *)dcli_take(arena, 1, sizeof *M->surface);
    if (arena->base) surface = M->surface;
    surface->edge_count = edges;
    dcli_surface_layout(surface, arena, n, m);
}

static void dcli_model_numbers(dcl_model *M, const dcl_model_desc *d)
{
    M->allocator = dcli_allocator_or_default(d->allocator);
    M->logger = d->logger;
    M->n = d->vertex_count;
    M->m = d->triangle_count;
    M->handle_count = d->handle_count;
    M->obstacle_count = d->obstacle_count;
    M->handle_frames = d->handle_frames;
    M->force_frames = d->force_frames;
    M->contact = d->contact;
    M->contact_distance = d->contact_distance;
    M->self_contact = d->self_contact;
    M->self_overlap = d->self_overlap;
    M->first[DCL_PARAM_SELF_FRICTION] = d->self_friction;
    M->first[DCL_PARAM_STRETCH] = d->stretch;
    M->first[DCL_PARAM_BEND] = d->bend;
    M->first[DCL_PARAM_DENSITY] = d->density;
    M->first[DCL_PARAM_DAMPING] = d->damping;
    M->first[DCL_PARAM_DRAG] = d->drag;
    dcli_copy3(M->gravity, d->gravity);
}

static void dcli_model_fill(dcl_model *M, const dcl_model_desc *d, const dcli_hinge *hinges,
                            const uint64_t *pairs, size_t pattern)
{
    size_t n = (size_t)M->n, k;
    int i, j, unused;
    memcpy(M->positions, d->positions, 3 * n * sizeof(double));
    memcpy(M->indices, d->triangles, 3 * (size_t)M->m * sizeof(int));
    if (M->e) memcpy(M->hinges, hinges, (size_t)M->e * sizeof *hinges);
    if (M->handle_count)
        memcpy(M->handles, d->handles, (size_t)M->handle_count * sizeof *M->handles);
    if (M->obstacle_count)
        memcpy(M->obstacles, d->obstacles, (size_t)M->obstacle_count * sizeof *M->obstacles);
    for (i = 0; i < M->obstacle_count; i++) {
        for (unused = dcli_shape_get(M->obstacles[i].shape)->sizes; unused < 4; unused++)
            M->obstacles[i].size[unused] = 0;
        M->obstacles[i].surface = NULL;
        M->solids[i] = NULL;
    }
    for (i = 0; i < M->n; i++) M->hard[i] = -1;
    for (i = 0; i < M->handle_count; i++)
        if (M->handles[i].kind == DCL_HANDLE_HARD) M->hard[M->handles[i].vertex] = i;
    for (k = 0; k < pattern; k++) {
        M->row_index[k] = (int)(pairs[k] & 0xFFFFFFFFu);
        M->col_start[(pairs[k] >> 32) + 1] = (int)k + 1;
    }
    for (i = 0; i < M->m; i++) {
        dcli_triangle *t = &M->triangles[i];
        for (j = 0; j < 3; j++) t->v[j] = M->indices[3 * i + j];
        t->at[0] = dcli_pattern_find(M, t->v[0], t->v[1]);
        t->at[1] = dcli_pattern_find(M, t->v[0], t->v[2]);
        t->at[2] = dcli_pattern_find(M, t->v[1], t->v[2]);
    }
    for (i = 0; i < M->e; i++)
        for (j = 0; j < 6; j++)
            M->hinges[i].at[j] = dcli_pattern_find(M, M->hinges[i].v[dcli_hinge_pair[j][0]],
                                                   M->hinges[i].v[dcli_hinge_pair[j][1]]);
}

static dcl_result dcli_sparse_refuse(const dcl_logger *log, dcs_result result, const dcs_error *err)
{
    dcl_result code = result == DCS_ERROR_OUT_OF_MEMORY ? DCL_ERROR_OUT_OF_MEMORY
                      : result == DCS_ERROR_TOO_LARGE   ? DCL_ERROR_TOO_LARGE
                      : result == DCS_ERROR_NOT_FINITE  ? DCL_ERROR_NOT_FINITE
                                                        : DCL_ERROR_SINGULAR;
    return dcli_refuse(log, code, "linear system: %s", err->text);
}

static dcl_result dcli_model_analyze(dcl_model *M)
{
    dcs_desc desc = dcs_default_desc();
    dcs_error err;
    dcs_result r;
    desc.allocator.alloc = M->allocator.alloc;
    desc.allocator.free = M->allocator.free;
    desc.allocator.user = M->allocator.user;
    desc.equilibrate = 0; /* one unit throughout; entries that are rounding must not set scales */
    r = dcs_analysis_create(&desc, M->n, 3, M->col_start, M->row_index, &M->blocks, &err);
    if (!r) r = dcs_analysis_create(&desc, M->n, 1, M->col_start, M->row_index, &M->scalars, &err);
    return r ? dcli_sparse_refuse(&M->logger, r, &err) : DCL_OK;
}

/* Scratch of the creation, one block. */
typedef struct dcli_build {
    dcli_edge *edges;  /* 3 m */
    int *mark;         /* n */
    dcli_hinge *hinges; /* up to 3 m / 2 */
    uint64_t *pairs;   /* n + 3 m + 6 e */
    dcli_leaf_key *leaves; /* m */
} dcli_build;

static void dcli_build_layout(dcli_build *b, dcli_arena *arena, const dcl_model_desc *d)
{
    size_t n = (size_t)d->vertex_count, m = (size_t)d->triangle_count;
    b->edges = (dcli_edge *)dcli_take(arena, 3 * m, sizeof *b->edges);
    b->mark = dcli_take_ints(arena, n);
    b->hinges = (dcli_hinge *)dcli_take(arena, 3 * m / 2 + 1, sizeof *b->hinges);
    b->pairs = (uint64_t *)dcli_take(arena, n + 3 * m + 9 * m + 6, sizeof *b->pairs);
    b->leaves = (dcli_leaf_key *)dcli_take(arena, d->self_contact ? m : 0, sizeof *b->leaves);
}

static dcl_result dcli_model_build(const dcl_model_desc *d, dcli_build *b, dcl_model **model)
{
    dcl_allocator allocator = dcli_allocator_or_default(d->allocator);
    size_t edge_count = 3 * (size_t)d->triangle_count, pattern;
    dcli_arena arena = {NULL, 0};
    dcl_model sized, *M;
    dcl_result r;
    int hinge_count, edges, i;
    double mean;
    dcli_mesh_edges(d->triangle_count, d->triangles, b->edges);
    if ((r = dcli_check_edges(&d->logger, b->edges, edge_count)) != DCL_OK) return r;
    if ((r = dcli_check_referenced(d, b->mark)) != DCL_OK) return r;
    if ((r = dcli_check_handles(d, b->mark)) != DCL_OK) return r;
    mean = dcli_mean_edge(d->positions, b->edges, edge_count);
    if (d->self_contact != DCL_SELF_NONE && !(d->self_thickness <= 0.5 * mean))
        return dcli_refuse(&d->logger, DCL_ERROR_BAD_ARGUMENT,
                           "self_thickness is %g, must be at most half the mean edge, %g",
                           d->self_thickness, 0.5 * mean);
    hinge_count = d->bending ? dcli_hinges_find(b->edges, edge_count, b->hinges) : 0;
    pattern = dcli_pattern_pairs(d->vertex_count, d->triangle_count, d->triangles, hinge_count,
                                 b->hinges, b->pairs);
    if (pattern > INT_MAX / 9)
        return dcli_refuse(&d->logger, DCL_ERROR_TOO_LARGE, "the mesh has %lu neighbours",
                           (unsigned long)pattern);
    memset(&sized, 0, sizeof sized);
    dcli_model_numbers(&sized, d);
    sized.e = hinge_count;
    dcli_take(&arena, 1, sizeof sized);
    edges = dcli_unique_edges(b->edges, edge_count);
    dcli_model_layout(&sized, &arena, pattern, edges);
    M = (dcl_model *)dcli_alloc(&allocator, arena.used);
    if (!M) return dcli_refuse(&d->logger, DCL_ERROR_OUT_OF_MEMORY, "model: %lu bytes",
                               (unsigned long)arena.used);
    *M = sized;
    M->bytes = arena.used;
    arena.base = (char *)M;
    arena.used = 0;
    dcli_take(&arena, 1, sizeof sized);
    dcli_model_layout(M, &arena, pattern, edges);
    M->edge = mean;
    M->push_out_depth = d->push_out * mean;
    dcli_model_fill(M, d, b->hinges, b->pairs, pattern);
    if (M->surface) {
        M->self_thickness = d->self_thickness > 0 ? d->self_thickness : 0.2 * mean;
        dcli_surface_edges(M->surface, M->n, M->indices, b->edges, edge_count);
        dcli_surface_owners(M->surface, M->n, M->m, M->indices, b->mark);
        dcli_surface_tree(M->surface, M->m, M->positions, M->indices, b->leaves);
    }
    for (i = 0, r = DCL_OK; i < d->obstacle_count && !r; i++)
        if (d->obstacles[i].shape == DCL_SHAPE_MESH)
            r = dcli_solid_create(&d->logger, &M->allocator, i, &d->obstacles[i], &M->solids[i]);
    if (!r) r = dcli_model_analyze(M);
    if (r) {
        dcl_model_destroy(M);
        return r;
    }
    *model = M;
    return DCL_OK;
}

DCL_API dcl_result dcl_model_create(const dcl_model_desc *desc, dcl_model **model)
{
    dcl_allocator allocator;
    dcli_arena arena = {NULL, 0};
    dcli_build build;
    void *block;
    size_t bytes;
    dcl_result r;
    if (model) *model = NULL;
    if (!desc) return DCL_ERROR_NULL_POINTER;
    if (!model) return dcli_check_null(&desc->logger, "model", 1, (const void *)model);
    if ((r = dcli_check_counts(desc)) != DCL_OK) return r;
    if ((r = dcli_check_fields(desc)) != DCL_OK) return r;
    if ((r = dcli_check_vertices(desc)) != DCL_OK) return r;
    if ((r = dcli_check_obstacles(desc)) != DCL_OK) return r;
    allocator = dcli_allocator_or_default(desc->allocator);
    dcli_build_layout(&build, &arena, desc);
    bytes = arena.used;
    block = dcli_alloc(&allocator, bytes);
    if (!block)
        return dcli_refuse(&desc->logger, DCL_ERROR_OUT_OF_MEMORY, "mesh checks: %lu bytes",
                           (unsigned long)bytes);
    arena.base = (char *)block;
    arena.used = 0;
    dcli_build_layout(&build, &arena, desc);
    r = dcli_model_build(desc, &build, model);
    dcli_free(&allocator, block, bytes);
    return r;
}

DCL_API void dcl_model_destroy(dcl_model *model)
{
    dcl_allocator allocator;
    int i;
    if (!model) return;
    allocator = model->allocator;
    for (i = 0; i < model->obstacle_count; i++) dcli_solid_destroy(model->solids[i], &allocator);
    dcs_analysis_destroy(model->blocks);
    dcs_analysis_destroy(model->scalars);
    dcli_free(&allocator, model, model->bytes);
}

DCL_API int dcl_model_count_vertices(const dcl_model *model)
{
    return model->n;
}

DCL_API int dcl_model_count_triangles(const dcl_model *model)
{
    return model->m;
}

DCL_API int dcl_model_count_hinges(const dcl_model *model)
{
    return model->e;
}

DCL_API const int *dcl_model_get_triangles(const dcl_model *model)
{
    return model->indices;
}

/* ---- >>impl-params ----------------------------------------------------------------------------
   One flat vector; a hash per block, and per frame of the blocks that have frames, kept up to date
   by every write. The tape compares hashes to notice changed parameters. */

struct dcl_params {
    size_t bytes;
    const dcl_model *model;
    size_t offset[DCL_PARAM_COUNT + 1];
    uint64_t hash[DCL_PARAM_COUNT];
    uint64_t *force_hash, *handle_hash; /* per frame */
    double *value;
};

typedef struct dcli_block_info {
    const char *name;
    double lowest; /* -DBL_MAX: any */
    int open;      /* the lowest value itself is not allowed */
} dcli_block_info;

static dcli_block_info dcli_block_get(dcl_block block)
{
    static const dcli_block_info any = {"?", -DBL_MAX, 0};
    static const dcli_block_info table[DCL_PARAM_COUNT] = {
        {"stretch", 0, 0},
        {"stretch_scale", 0, 0},
        {"bend", 0, 0},
        {"bend_scale", 0, 0},
        {"density", 0, 1},
        {"damping", 0, 0},
        {"drag", 0, 0},
        {"gravity", -DBL_MAX, 0},
        {"wind_force", -DBL_MAX, 0},
        {"wind_frequency", -DBL_MAX, 0},
        {"wind_phase", -DBL_MAX, 0},
        {"air_velocity", -DBL_MAX, 0},
        {"air_normal", 0, 0},
        {"air_tangent", 0, 0},
        {"friction", 0, 0},
        {"obstacle_position", -DBL_MAX, 0},
        {"obstacle_rotation", -DBL_MAX, 0},
        {"obstacle_velocity", -DBL_MAX, 0},
        {"obstacle_angular_velocity", -DBL_MAX, 0},
        {"obstacle_size", -DBL_MAX, 0}, /* by shape: dcli_check_sizes() */
        {"self_friction", 0, 0},
        {"rest", -DBL_MAX, 0},
        {"x0", -DBL_MAX, 0},
        {"v0", -DBL_MAX, 0},
        {"force", -DBL_MAX, 0},
        {"handle", -DBL_MAX, 0},
    };
    return (int)block >= 0 && block < DCL_PARAM_COUNT ? table[block] : any;
}

DCL_API const char *dcl_block_name(dcl_block block)
{
    return dcli_block_get(block).name;
}

static size_t dcli_block_count(const dcl_model *M, dcl_block block)
{
    size_t n = (size_t)M->n, o = (size_t)M->obstacle_count;
    switch (block) {
    case DCL_PARAM_STRETCH:
    case DCL_PARAM_BEND:
    case DCL_PARAM_DENSITY:
    case DCL_PARAM_DAMPING:
    case DCL_PARAM_DRAG:
    case DCL_PARAM_WIND_FREQUENCY:
    case DCL_PARAM_WIND_PHASE:
    case DCL_PARAM_AIR_NORMAL:
    case DCL_PARAM_SELF_FRICTION:
    case DCL_PARAM_AIR_TANGENT: return 1;
    case DCL_PARAM_GRAVITY:
    case DCL_PARAM_WIND_FORCE:
    case DCL_PARAM_AIR_VELOCITY: return 3;
    case DCL_PARAM_STRETCH_SCALE: return (size_t)M->m;
    case DCL_PARAM_BEND_SCALE: return (size_t)M->e;
    case DCL_PARAM_FRICTION: return o;
    case DCL_PARAM_OBSTACLE_SIZE: return 4 * o;
    case DCL_PARAM_OBSTACLE_POSITION:
    case DCL_PARAM_OBSTACLE_ROTATION:
    case DCL_PARAM_OBSTACLE_VELOCITY:
    case DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY: return 3 * o;
    case DCL_PARAM_REST:
    case DCL_PARAM_X0:
    case DCL_PARAM_V0: return 3 * n;
    case DCL_PARAM_FORCE: return 3 * n * (size_t)M->force_frames;
    case DCL_PARAM_HANDLE: return 3 * (size_t)M->handle_count * (size_t)M->handle_frames;
    case DCL_PARAM_COUNT: break;
    }
    return 0;
}

/* Where frame hashes of this block live, and the length of a frame; NULL for other blocks. */
static uint64_t *dcli_frame_hash(dcl_params *p, dcl_block block, size_t *length)
{
    *length =
        block == DCL_PARAM_FORCE ? 3 * (size_t)p->model->n : 3 * (size_t)p->model->handle_count;
    return block == DCL_PARAM_FORCE    ? p->force_hash
           : block == DCL_PARAM_HANDLE ? p->handle_hash
                                       : NULL;
}

static void dcli_params_write(dcl_params *p, dcl_block block, size_t first, size_t count,
                              const double *values)
{
    size_t length, k;
    uint64_t *frames = dcli_frame_hash(p, block, &length);
    double *to = p->value + p->offset[block];
    for (k = first; k < first + count; k++) {
        uint64_t index = frames ? k % length : k;
        uint64_t *hash = frames ? &frames[k / length] : &p->hash[block];
        *hash += dcli_hash_term(index, values[k - first]) - dcli_hash_term(index, to[k]);
        to[k] = values[k - first];
    }
}

static void dcli_params_layout(dcl_params *p, dcli_arena *arena)
{
    p->force_hash = (uint64_t *)dcli_take(arena, (size_t)p->model->force_frames, sizeof(uint64_t));
    p->handle_hash =
        (uint64_t *)dcli_take(arena, (size_t)p->model->handle_frames, sizeof(uint64_t));
    p->value = dcli_take_doubles(arena, p->offset[DCL_PARAM_COUNT]);
}

static dcl_result dcli_params_offsets(const dcl_model *model, size_t *offset)
{
    int b;
    offset[0] = 0;
    for (b = 0; b < DCL_PARAM_COUNT; b++) {
        size_t count = dcli_block_count(model, (dcl_block)b);
        if (count > (SIZE_MAX / 64) - offset[b])
            return dcli_refuse(&model->logger, DCL_ERROR_TOO_LARGE, "params: block %s is too large",
                               dcl_block_name((dcl_block)b));
        offset[b + 1] = offset[b] + count;
    }
    return DCL_OK;
}

static void dcli_params_fill(dcl_params *p)
{
    const dcl_model *M = p->model;
    double one = 1;
    size_t k;
    int b, f, i;
    for (b = 0; b < DCL_PARAM_COUNT; b++)
        if (M->first[b] != 0) dcli_params_write(p, (dcl_block)b, 0, 1, &M->first[b]);
    for (k = 0; k < (size_t)M->m; k++) dcli_params_write(p, DCL_PARAM_STRETCH_SCALE, k, 1, &one);
    for (k = 0; k < (size_t)M->e; k++) dcli_params_write(p, DCL_PARAM_BEND_SCALE, k, 1, &one);
    dcli_params_write(p, DCL_PARAM_GRAVITY, 0, 3, M->gravity);
    dcli_params_write(p, DCL_PARAM_REST, 0, 3 * (size_t)M->n, M->positions);
    dcli_params_write(p, DCL_PARAM_X0, 0, 3 * (size_t)M->n, M->positions);
    for (f = 0, k = 0; f < M->handle_frames; f++)
        for (i = 0; i < M->handle_count; i++, k += 3)
            dcli_params_write(p, DCL_PARAM_HANDLE, k, 3,
                              M->positions + 3 * (size_t)M->handles[i].vertex);
    for (i = 0; i < M->obstacle_count; i++) {
        const dcl_obstacle *o = &M->obstacles[i];
        size_t at = (size_t)i;
        dcli_params_write(p, DCL_PARAM_FRICTION, at, 1, &o->friction);
        dcli_params_write(p, DCL_PARAM_OBSTACLE_POSITION, 3 * at, 3, o->position);
        dcli_params_write(p, DCL_PARAM_OBSTACLE_ROTATION, 3 * at, 3, o->rotation);
        dcli_params_write(p, DCL_PARAM_OBSTACLE_VELOCITY, 3 * at, 3, o->velocity);
        dcli_params_write(p, DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY, 3 * at, 3, o->angular_velocity);
        dcli_params_write(p, DCL_PARAM_OBSTACLE_SIZE, 4 * at, 4, o->size);
    }
}

DCL_API dcl_result dcl_params_create(const dcl_model *model, dcl_params **params)
{
    dcl_params sized, *p;
    dcli_arena arena = {NULL, 0};
    dcl_result r;
    if (params) *params = NULL;
    if (!model) return DCL_ERROR_NULL_POINTER;
    if (!params) return dcli_check_null(&model->logger, "params", 1, (const void *)params);
    memset(&sized, 0, sizeof sized);
    sized.model = model;
    if ((r = dcli_params_offsets(model, sized.offset)) != DCL_OK) return r;
    dcli_take(&arena, 1, sizeof sized);
    dcli_params_layout(&sized, &arena);
    p = (dcl_params *)dcli_alloc(&model->allocator, arena.used);
    if (!p) return dcli_refuse(&model->logger, DCL_ERROR_OUT_OF_MEMORY, "params: %lu bytes",
                               (unsigned long)arena.used);
    *p = sized;
    p->bytes = arena.used;
    arena.base = (char *)p;
    arena.used = 0;
    dcli_take(&arena, 1, sizeof sized);
    dcli_params_layout(p, &arena);
    dcli_params_fill(p);
    *params = p;
    return DCL_OK;
}

DCL_API void dcl_params_destroy(dcl_params *params)
{
    if (params) dcli_free(&params->model->allocator, params, params->bytes);
}

DCL_API dcl_result dcl_params_copy(dcl_params *to, const dcl_params *from)
{
    if (!to || !from) return DCL_ERROR_NULL_POINTER;
    if (to->model != from->model)
        return dcli_refuse(&to->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "params: copy between different models");
    if (to == from) return DCL_OK;
    memcpy(to->hash, from->hash, sizeof to->hash);
    memcpy(to->force_hash, from->force_hash, (size_t)to->model->force_frames * sizeof(uint64_t));
    memcpy(to->handle_hash, from->handle_hash, (size_t)to->model->handle_frames * sizeof(uint64_t));
    memcpy(to->value, from->value, to->offset[DCL_PARAM_COUNT] * sizeof(double));
    return DCL_OK;
}

DCL_API size_t dcl_params_size(const dcl_params *params)
{
    return params->offset[DCL_PARAM_COUNT];
}

DCL_API size_t dcl_params_count(const dcl_params *params, dcl_block block)
{
    if ((int)block < 0 || block >= DCL_PARAM_COUNT) return 0;
    return params->offset[block + 1] - params->offset[block];
}

DCL_API size_t dcl_params_offset(const dcl_params *params, dcl_block block)
{
    return (int)block < 0 || block >= DCL_PARAM_COUNT ? 0 : params->offset[block];
}

DCL_API const double *dcl_params_get(const dcl_params *params, dcl_block block)
{
    if ((int)block < 0 || block > DCL_PARAM_COUNT) return NULL;
    return params->value + dcl_params_offset(params, block);
}

/* The sizes of each obstacle as they would be after a write of them. */
static dcl_result dcli_params_check_sizes(const dcl_params *p, size_t first, size_t count,
                                          const double *values)
{
    const double *now = p->value + p->offset[DCL_PARAM_OBSTACLE_SIZE];
    size_t o, k;
    for (o = first / 4; 4 * o < first + count; o++) {
        double size[4];
        char where[64];
        dcl_result r;
        for (k = 0; k < 4; k++) {
            size_t at = 4 * o + k;
            size[k] = at < first || at >= first + count ? now[at] : values[at - first];
        }
        snprintf(where, sizeof where, "params: obstacle_size: obstacle %d", (int)o);
        r = dcli_check_sizes(&p->model->logger, where, p->model->obstacles[o].shape, size);
        if (r) return r;
    }
    return DCL_OK;
}

DCL_API dcl_result dcl_params_set(dcl_params *params, dcl_block block, size_t first, size_t count,
                                  const double *values)
{
    dcli_block_info info = dcli_block_get(block);
    const dcl_logger *log;
    size_t have, k;
    if (!params) return DCL_ERROR_NULL_POINTER;
    log = &params->model->logger;
    if (!values && count) return dcli_check_null(log, "values", 1, (const void *)values);
    have = dcl_params_count(params, block);
    if ((int)block < 0 || block >= DCL_PARAM_COUNT)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "params: there is no block %d", (int)block);
    if (first > have || count > have - first)
        return dcli_refuse(log, DCL_ERROR_INDEX_OUT_OF_RANGE,
                           "params: %s has %lu values, asked for %lu from %lu", info.name,
                           (unsigned long)have, (unsigned long)count, (unsigned long)first);
    if (block == DCL_PARAM_OBSTACLE_SIZE) {
        dcl_result r = dcli_params_check_sizes(params, first, count, values);
        if (r) return r;
    }
    for (k = 0; k < count; k++) {
        if (!dcli_finite(values[k]))
            return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "params: %s[%lu] is not finite",
                               info.name, (unsigned long)(first + k));
        if (values[k] < info.lowest || (info.open && values[k] <= info.lowest))
            return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "params: %s[%lu] is %g, must be %s %g",
                               info.name, (unsigned long)(first + k), values[k],
                               info.open ? ">" : ">=", info.lowest);
    }
    dcli_params_write(params, block, first, count, values);
    return DCL_OK;
}

DCL_API dcl_result dcl_params_set1(dcl_params *params, dcl_block block, double value)
{
    return dcl_params_set(params, block, 0, 1, &value);
}

/* First element of a block, to read. */
static const double *dcli_param(const dcl_params *p, dcl_block block)
{
    return p->value + p->offset[block];
}

static int dcli_frame(int step, int frames)
{
    return step < 0 ? 0 : step < frames ? step : frames - 1;
}

/* Where the targets of the step's end are in the flat vector. */
static size_t dcli_handle_offset(const dcl_params *p, int step)
{
    const dcl_model *M = p->model;
    return p->offset[DCL_PARAM_HANDLE] +
           (size_t)dcli_frame(step + 1, M->handle_frames) * 3 * (size_t)M->handle_count;
}

/* The hash of all that a step from frame `step` reads. */
static uint64_t dcli_params_key(const dcl_params *p, int step)
{
    const dcl_model *M = p->model;
    uint64_t key = 0;
    int b;
    for (b = 0; b < DCL_PARAM_COUNT; b++)
        if (b != DCL_PARAM_X0 && b != DCL_PARAM_V0) key = dcli_hash_join(key, p->hash[b]);
    if (M->force_frames)
        key = dcli_hash_join(key, p->force_hash[dcli_frame(step, M->force_frames)]);
    return dcli_hash_join(key, p->handle_hash[dcli_frame(step + 1, M->handle_frames)]);
}

struct dcl_grad {
    size_t bytes;
    const dcl_model *model;
    uint32_t blocks;
    size_t offset[DCL_PARAM_COUNT + 1];
    double *value;
};

DCL_API dcl_result dcl_grad_create(const dcl_params *params, uint32_t blocks, dcl_grad **grad)
{
    dcl_grad *g;
    size_t head = (sizeof *g + 63) & ~(size_t)63, bytes;
    if (grad) *grad = NULL;
    if (!params) return DCL_ERROR_NULL_POINTER;
    if (!grad) return dcli_check_null(&params->model->logger, "grad", 1, (const void *)grad);
    if (!blocks)
        return dcli_refuse(&params->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "grad: no blocks asked for; see DCL_BLOCK_BIT");
    bytes = head + params->offset[DCL_PARAM_COUNT] * sizeof(double);
    g = (dcl_grad *)dcli_alloc(&params->model->allocator, bytes);
    if (!g) return dcli_refuse(&params->model->logger, DCL_ERROR_OUT_OF_MEMORY, "grad: %lu bytes",
                               (unsigned long)bytes);
    g->bytes = bytes;
    g->model = params->model;
    g->blocks = blocks;
    memcpy(g->offset, params->offset, sizeof g->offset);
    g->value = (double *)((char *)g + head);
    *grad = g;
    return DCL_OK;
}

DCL_API void dcl_grad_destroy(dcl_grad *grad)
{
    if (grad) dcli_free(&grad->model->allocator, grad, grad->bytes);
}

DCL_API void dcl_grad_reset(dcl_grad *grad)
{
    memset(grad->value, 0, grad->offset[DCL_PARAM_COUNT] * sizeof(double));
}

/* The block's gradient to add to, NULL if there is none or it was not asked for. */
static double *dcli_grad(dcl_grad *grad, dcl_block block)
{
    if (!grad || !(grad->blocks & DCL_BLOCK_BIT(block))) return NULL;
    return grad->value + grad->offset[block];
}

DCL_API const double *dcl_grad_get(const dcl_grad *grad, dcl_block block)
{
    if (block == DCL_PARAM_COUNT) return grad->value;
    if ((int)block < 0 || block > DCL_PARAM_COUNT || !(grad->blocks & DCL_BLOCK_BIT(block)))
        return NULL;
    return grad->value + grad->offset[block];
}

/* ---- >>impl-state -----------------------------------------------------------------------------
 */

typedef struct dcli_state_block {
    dcl_state state; /* first, so that the pointers are the same */
    size_t bytes;
} dcli_state_block;

DCL_API dcl_result dcl_state_create(const dcl_params *params, dcl_state **state)
{
    dcli_state_block *s;
    size_t head = (sizeof *s + 63) & ~(size_t)63, values, bytes;
    if (state) *state = NULL;
    if (!params) return DCL_ERROR_NULL_POINTER;
    if (!state) return dcli_check_null(&params->model->logger, "state", 1, (const void *)state);
    values = 3 * (size_t)params->model->n;
    bytes = head + 2 * values * sizeof(double);
    s = (dcli_state_block *)dcli_alloc(&params->model->allocator, bytes);
    if (!s) return dcli_refuse(&params->model->logger, DCL_ERROR_OUT_OF_MEMORY, "state: %lu bytes",
                               (unsigned long)bytes);
    s->bytes = bytes;
    s->state.model = params->model;
    s->state.x = (double *)((char *)s + head);
    s->state.v = s->state.x + values;
    dcl_state_reset(&s->state, params);
    *state = &s->state;
    return DCL_OK;
}

DCL_API void dcl_state_destroy(dcl_state *state)
{
    if (state) dcli_free(&state->model->allocator, state, ((dcli_state_block *)state)->bytes);
}

DCL_API dcl_result dcl_state_reset(dcl_state *state, const dcl_params *params)
{
    size_t bytes;
    if (!state && !params) return DCL_ERROR_NULL_POINTER;
    if (!state || !params)
        return dcli_check_null(state ? &state->model->logger : &params->model->logger,
                               "state params", 2, (const void *)state, (const void *)params);
    if (state->model != params->model)
        return dcli_refuse(&params->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "state: params of another model");
    bytes = 3 * (size_t)params->model->n * sizeof(double);
    state->step = 0;
    state->time = 0;
    memcpy(state->x, dcli_param(params, DCL_PARAM_X0), bytes);
    memcpy(state->v, dcli_param(params, DCL_PARAM_V0), bytes);
    return DCL_OK;
}

DCL_API dcl_result dcl_state_copy(dcl_state *to, const dcl_state *from)
{
    size_t bytes;
    if (!to || !from) return DCL_ERROR_NULL_POINTER;
    if (to->model != from->model)
        return dcli_refuse(&to->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "state: copy between different models");
    bytes = 3 * (size_t)to->model->n * sizeof(double);
    to->step = from->step;
    to->time = from->time;
    memmove(to->x, from->x, bytes);
    memmove(to->v, from->v, bytes);
    return DCL_OK;
}

typedef enum dcli_feature {
    DCLI_VERTEX_VERTEX,
    DCLI_VERTEX_EDGE,
    DCLI_VERTEX_FACE,
    DCLI_EDGE_EDGE
} dcli_feature;

typedef struct dcli_self_pair {
    dcli_feature feature;
    int v[4];
    double b[4];
    double n[3], d;
    double s;      /* fraction of the step at which the frame is taken; 0: its start */
    int frozen;    /* found while solving: the frame has no derivative */
    int second;    /* keeps the smaller thickness */
    int coupled;   /* in the pattern of the matrix */
    double rho;    /* kg, mass that the contact feels */
    double r[3];   /* N s, impulse: an unknown beside the velocities */
    double miss[3]; /* N s, r - proj(w): zero at the solution */
    double P[9];   /* derivative of the projection */
    double N[9], W[9]; /* (I - (1 - eps) P)^-1, and that times rho P */
    double dr[3], from[3], best[3]; /* Newton's step of r, r before it, r of the best iterate */
    double held[3]; /* N s, impulse assumed while the objective is descended */
    dcl_branch branch;
    double margin; /* relative distance to another branch */
} dcli_self_pair;

/* A recorded step: where it started, what it ended with, and which parameters it saw. */
typedef struct dcli_record {
    int step;
    double time, h;
    uint64_t key;
    size_t self_first; /* its contacts of the cloth with itself in tape->self */
    int self_count;
} dcli_record;

struct dcl_tape {
    size_t bytes;
    const dcl_model *model;
    int capacity, count;
    dcli_record *records;
    double *values; /* per step x0, v0, v1 */
    double *last_x; /* 3n: positions after the last step */
    dcli_self_pair *self; /* grows */
    size_t self_capacity;
};

static void dcli_tape_layout(dcl_tape *tape, dcli_arena *arena)
{
    size_t steps = (size_t)tape->capacity;
    tape->records = (dcli_record *)dcli_take(arena, steps, sizeof *tape->records);
    tape->last_x = dcli_take_doubles(arena, 3 * (size_t)tape->model->n);
    tape->values = dcli_take_doubles(arena, steps * 9 * (size_t)tape->model->n);
}

DCL_API size_t dcl_tape_bytes(const dcl_model *model, int capacity)
{
    dcl_tape tape;
    dcli_arena arena = {NULL, 0};
    if (!model || capacity < 0) return 0;
    if ((size_t)capacity > (SIZE_MAX / 2) / (72 * (size_t)model->n + 256)) return 0;
    memset(&tape, 0, sizeof tape);
    tape.model = model;
    tape.capacity = capacity;
    dcli_take(&arena, 1, sizeof tape);
    dcli_tape_layout(&tape, &arena);
    return arena.used;
}

DCL_API dcl_result dcl_tape_create(const dcl_model *model, int capacity, dcl_tape **tape)
{
    dcli_arena arena = {NULL, 0};
    dcl_tape *t;
    size_t bytes;
    if (tape) *tape = NULL;
    if (!model) return DCL_ERROR_NULL_POINTER;
    if (!tape) return dcli_check_null(&model->logger, "tape", 1, (const void *)tape);
    if (capacity < 0)
        return dcli_refuse(&model->logger, DCL_ERROR_BAD_ARGUMENT, "tape: capacity is %d",
                           capacity);
    bytes = dcl_tape_bytes(model, capacity);
    if (!bytes)
        return dcli_refuse(&model->logger, DCL_ERROR_TOO_LARGE, "tape: capacity %d is too large",
                           capacity);
    /* Not cleared: a large tape is touched only as far as it is used. */
    t = (dcl_tape *)model->allocator.alloc(bytes, model->allocator.user);
    if (!t) return dcli_refuse(&model->logger, DCL_ERROR_OUT_OF_MEMORY, "tape: %lu bytes",
                               (unsigned long)bytes);
    memset(t, 0, sizeof *t);
    t->bytes = bytes;
    t->model = model;
    t->capacity = capacity;
    arena.base = (char *)t;
    dcli_take(&arena, 1, sizeof *t);
    dcli_tape_layout(t, &arena);
    *tape = t;
    return DCL_OK;
}

DCL_API void dcl_tape_destroy(dcl_tape *tape)
{
    if (!tape) return;
    dcli_free(&tape->model->allocator, tape->self, tape->self_capacity * sizeof *tape->self);
    dcli_free(&tape->model->allocator, tape, tape->bytes);
}

DCL_API void dcl_tape_reset(dcl_tape *tape)
{
    tape->count = 0;
}

DCL_API int dcl_tape_count(const dcl_tape *tape)
{
    return tape->count;
}

/* x0, v0, v1 of step k follow each other. */
static double *dcli_tape_values(const dcl_tape *tape, int k)
{
    return tape->values + (size_t)k * 9 * (size_t)tape->model->n;
}

/* x1 = x0 + h v1, and the path's point itself for hard handles. */
static void dcli_end_positions(const dcl_model *M, const dcl_params *p, int step, double h,
                               const double *x0, const double *v1, double *x1)
{
    size_t n3 = 3 * (size_t)M->n, k;
    const double *path = p->value + dcli_handle_offset(p, step);
    int i;
    for (k = 0; k < n3; k++) x1[k] = x0[k] + h * v1[k];
    for (i = 0; i < M->handle_count; i++)
        if (M->handles[i].kind == DCL_HANDLE_HARD)
            dcli_copy3(x1 + 3 * (size_t)M->handles[i].vertex, path + 3 * (size_t)i);
}

/* ---- >>impl-rest ------------------------------------------------------------------------------
   What elements need of the rest shape X, and how that changes with X. */

/* Rest data of a triangle: the inverse of the 2x2 edge matrix in a frame of the triangle, by
   columns {00, 10, 01, 11} (10 is zero), and the area. F = [e1 e2] B is a map of the triangle's
   plane; energies do not depend on the frame chosen in it. */
typedef struct dcli_tri_rest {
    double B[4];
    double area;
} dcli_tri_rest;

/* Rest data of a hinge (Bergou et al. 2006): b = sum c_i x_i, scale 3/(A0+A1), length |b| at rest,
   zero where that is rounding. */
typedef struct dcli_hinge_rest {
    double c[4];
    double scale, length;
} dcli_hinge_rest;

static void dcli_tri_rest_compute(const double *X, const int *v, dcli_tri_rest *out)
{
    double e1[3], e2[3], N[3], l, a, b;
    dcli_sub3(e1, X + 3 * (size_t)v[1], X + 3 * (size_t)v[0]);
    dcli_sub3(e2, X + 3 * (size_t)v[2], X + 3 * (size_t)v[0]);
    dcli_cross(e1, e2, N);
    l = dcli_norm(e1);         /* edge matrix: [l a; 0 b] */
    a = dcli_dot(e1, e2) / l;
    b = dcli_norm(N) / l;
    out->B[0] = 1 / l;
    out->B[1] = 0;
    out->B[2] = -a / (l * b);
    out->B[3] = 1 / b;
    out->area = 0.5 * l * b;
}

/* The tangent of dcli_tri_rest_compute along dX. */
static void dcli_tri_rest_d(const double *X, const double *dX, const int *v, dcli_tri_rest *d)
{
    double e1[3], e2[3], d1[3], d2[3], N[3], dN[3], t[3], l, a, b, dl, da, db;
    dcli_sub3(e1, X + 3 * (size_t)v[1], X + 3 * (size_t)v[0]);
    dcli_sub3(e2, X + 3 * (size_t)v[2], X + 3 * (size_t)v[0]);
    dcli_sub3(d1, dX + 3 * (size_t)v[1], dX + 3 * (size_t)v[0]);
    dcli_sub3(d2, dX + 3 * (size_t)v[2], dX + 3 * (size_t)v[0]);
    dcli_cross(e1, e2, N);
    dcli_cross(d1, e2, dN);
    dcli_cross(e1, d2, t);
    dcli_axpy3(dN, 1, t);
    l = dcli_norm(e1);
    a = dcli_dot(e1, e2) / l;
    b = dcli_norm(N) / l;
    dl = dcli_dot(e1, d1) / l;
    da = (dcli_dot(d1, e2) + dcli_dot(e1, d2) - a * dl) / l;
    db = (dcli_dot(N, dN) / dcli_norm(N) - b * dl) / l;
    d->B[0] = -dl / (l * l);
    d->B[1] = 0;
    d->B[2] = -da / (l * b) + a / (l * b) * (dl / l + db / b);
    d->B[3] = -db / (b * b);
    d->area = 0.5 * (dl * b + l * db);
}

/* Its transpose: adds to adj_X. */
static void dcli_tri_rest_adj(const double *X, const int *v, const dcli_tri_rest *adj,
                              double *adj_X)
{
    double e1[3], e2[3], N[3], a1[3], a2[3], aN[3], l, a, b, al, aa, ab, n;
    dcli_sub3(e1, X + 3 * (size_t)v[1], X + 3 * (size_t)v[0]);
    dcli_sub3(e2, X + 3 * (size_t)v[2], X + 3 * (size_t)v[0]);
    dcli_cross(e1, e2, N);
    n = dcli_norm(N);
    l = dcli_norm(e1);
    a = dcli_dot(e1, e2) / l;
    b = n / l;
    ab = -adj->B[3] / (b * b) + adj->B[2] * a / (l * b * b) + 0.5 * l * adj->area;
    aa = -adj->B[2] / (l * b);
    al = -adj->B[0] / (l * l) + adj->B[2] * a / (l * l * b) + 0.5 * b * adj->area - aa * a / l -
         ab * b / l;
    dcli_set3(aN, N[0] * ab / (n * l), N[1] * ab / (n * l), N[2] * ab / (n * l));
    dcli_cross(e2, aN, a1); /* dN = d1 x e2 + e1 x d2 */
    dcli_cross(aN, e1, a2);
    dcli_axpy3(a1, al / l, e1);
    dcli_axpy3(a1, aa / l, e2);
    dcli_axpy3(a2, aa / l, e1);
    dcli_axpy3(adj_X + 3 * (size_t)v[1], 1, a1);
    dcli_axpy3(adj_X + 3 * (size_t)v[2], 1, a2);
    dcli_axpy3(adj_X + 3 * (size_t)v[0], -1, a1);
    dcli_axpy3(adj_X + 3 * (size_t)v[0], -1, a2);
}

/* Cotangent of the angle between p and q, and twice the area they span. */
static double dcli_cot(const double *p, const double *q, double *area2)
{
    double N[3];
    dcli_cross(p, q, N);
    *area2 = dcli_norm(N);
    return dcli_dot(p, q) / *area2;
}

static double dcli_cot_d(const double *p, const double *q, const double *dp, const double *dq,
                         double *darea2)
{
    double N[3], dN[3], t[3], area2, dot = dcli_dot(p, q);
    dcli_cross(p, q, N);
    dcli_cross(dp, q, dN);
    dcli_cross(p, dq, t);
    dcli_axpy3(dN, 1, t);
    area2 = dcli_norm(N);
    *darea2 = dcli_dot(N, dN) / area2;
    return (dcli_dot(dp, q) + dcli_dot(p, dq) - dot / area2 * *darea2) / area2;
}

static void dcli_cot_adj(const double *p, const double *q, double adj, double adj_area2,
                         double *adj_p, double *adj_q)
{
    double N[3], t[3], area2, dot = dcli_dot(p, q), an;
    dcli_cross(p, q, N);
    area2 = dcli_norm(N);
    an = (adj_area2 - adj * dot / (area2 * area2)) / area2;
    dcli_cross(q, N, t);
    dcli_axpy3(adj_p, an, t);
    dcli_cross(N, p, t);
    dcli_axpy3(adj_q, an, t);
    dcli_axpy3(adj_p, adj / area2, q);
    dcli_axpy3(adj_q, adj / area2, p);
}

/* The four edges of a hinge whose pairs give the cotangents: at v0 (e, e1), (e, e2) and at v1
   (-e, e3), (-e, e4), with e = v0v1, e1 = v0v2, e2 = v0v3, e3 = v1v2, e4 = v1v3. */
static void dcli_hinge_edges(const double *X, const int *v, double e[6][3])
{
    int k;
    dcli_sub3(e[0], X + 3 * (size_t)v[1], X + 3 * (size_t)v[0]);
    dcli_sub3(e[1], X + 3 * (size_t)v[2], X + 3 * (size_t)v[0]);
    dcli_sub3(e[2], X + 3 * (size_t)v[3], X + 3 * (size_t)v[0]);
    dcli_sub3(e[3], X + 3 * (size_t)v[2], X + 3 * (size_t)v[1]);
    dcli_sub3(e[4], X + 3 * (size_t)v[3], X + 3 * (size_t)v[1]);
    for (k = 0; k < 3; k++) e[5][k] = -e[0][k];
}

/* c from the cotangents at v0 (left, right) and v1 (left, right). */
static void dcli_hinge_weights(const double cot[4], double c[4])
{
    c[0] = cot[2] + cot[3];
    c[1] = cot[0] + cot[1];
    c[2] = -cot[0] - cot[2];
    c[3] = -cot[1] - cot[3];
}

static void dcli_hinge_sum(const double *X, const int *v, const double *c, double *b)
{
    int i;
    dcli_set3(b, 0, 0, 0);
    for (i = 1; i < 4; i++) { /* the weights sum to zero: relative to v0 */
        double d[3];
        dcli_sub3(d, X + 3 * (size_t)v[i], X + 3 * (size_t)v[0]);
        dcli_axpy3(b, c[i], d);
    }
}

static void dcli_hinge_rest_compute(const double *X, const int *v, dcli_hinge_rest *out)
{
    double e[6][3], cot[4], left, right, b[3], size = 0;
    int i;
    dcli_hinge_edges(X, v, e);
    cot[0] = dcli_cot(e[0], e[1], &left);
    cot[1] = dcli_cot(e[0], e[2], &right);
    cot[2] = dcli_cot(e[5], e[3], &left);
    cot[3] = dcli_cot(e[5], e[4], &right);
    dcli_hinge_weights(cot, out->c);
    out->scale = 6 / (left + right);
    dcli_hinge_sum(X, v, out->c, b);
    out->length = dcli_norm(b);
    for (i = 1; i < 3; i++) size += fabs(out->c[i + 1]) * dcli_norm(e[i]);
    if (out->length <= 1e-9 * (size + fabs(out->c[1]) * dcli_norm(e[0]))) out->length = 0;
}

static void dcli_hinge_rest_d(const double *X, const double *dX, const int *v,
                              const dcli_hinge_rest *rest, dcli_hinge_rest *d)
{
    double e[6][3], de[6][3], dcot[4], dleft, dright, b[3], db[3], t[3];
    dcli_hinge_edges(X, v, e);
    dcli_hinge_edges(dX, v, de);
    dcot[0] = dcli_cot_d(e[0], e[1], de[0], de[1], &dleft);
    dcot[1] = dcli_cot_d(e[0], e[2], de[0], de[2], &dright);
    dcot[2] = dcli_cot_d(e[5], e[3], de[5], de[3], &dleft);
    dcot[3] = dcli_cot_d(e[5], e[4], de[5], de[4], &dright);
    dcli_hinge_weights(dcot, d->c);
    d->scale = -rest->scale * rest->scale / 6 * (dleft + dright);
    d->length = 0;
    if (rest->length == 0) return;
    dcli_hinge_sum(X, v, rest->c, b);
    dcli_hinge_sum(X, v, d->c, db);
    dcli_hinge_sum(dX, v, rest->c, t);
    dcli_axpy3(db, 1, t);
    d->length = dcli_dot(b, db) / rest->length;
}

static void dcli_hinge_rest_adj(const double *X, const int *v, const dcli_hinge_rest *rest,
                                const dcli_hinge_rest *adj, double *adj_X)
{
    double e[6][3], ae[6][3], c[4], area = -adj->scale * rest->scale * rest->scale / 6;
    int i, k;
    memset(ae, 0, sizeof ae);
    memcpy(c, adj->c, sizeof c);
    dcli_hinge_edges(X, v, e);
    if (rest->length > 0) {
        double b[3];
        dcli_hinge_sum(X, v, rest->c, b);
        for (i = 0; i < 4; i++) {
            double d[3];
            dcli_sub3(d, X + 3 * (size_t)v[i], X + 3 * (size_t)v[0]);
            c[i] += adj->length / rest->length * dcli_dot(b, d);
            dcli_axpy3(adj_X + 3 * (size_t)v[i], adj->length / rest->length * rest->c[i], b);
        }
    }
    dcli_cot_adj(e[0], e[1], c[1] - c[2], 0, ae[0], ae[1]);
    dcli_cot_adj(e[0], e[2], c[1] - c[3], 0, ae[0], ae[2]);
    dcli_cot_adj(e[5], e[3], c[0] - c[2], area, ae[5], ae[3]);
    dcli_cot_adj(e[5], e[4], c[0] - c[3], area, ae[5], ae[4]);
    for (k = 0; k < 3; k++) {
        double *X0 = adj_X + 3 * (size_t)v[0] + k, *X1 = adj_X + 3 * (size_t)v[1] + k;
        double edge = ae[0][k] - ae[5][k];
        *X0 += -edge - ae[1][k] - ae[2][k];
        *X1 += edge - ae[3][k] - ae[4][k];
        adj_X[3 * (size_t)v[2] + (size_t)k] += ae[1][k] + ae[3][k];
        adj_X[3 * (size_t)v[3] + (size_t)k] += ae[2][k] + ae[4][k];
    }
}

/* ---- >>impl-elements --------------------------------------------------------------------------
   Energy, force, Hessian and derivatives of one element. Forces act on the corners; Hessians are
   of the energy. `project` in 0 ... 1 moves its negative eigenvalues that part of the way to zero.
 */

/* Gradient of the corner's hat function in the triangle's rest frame: F = sum x_a b_a^T. */
static void dcli_tri_gradients(const dcli_tri_rest *rest, double b[3][2])
{
    b[1][0] = rest->B[0];
    b[1][1] = rest->B[2];
    b[2][0] = rest->B[1];
    b[2][1] = rest->B[3];
    b[0][0] = -b[1][0] - b[2][0];
    b[0][1] = -b[1][1] - b[2][1];
}

/* out = [e1 e2] B, 3x2. */
static void dcli_tri_map(const double *e1, const double *e2, const double *B, double *out)
{
    int k;
    for (k = 0; k < 3; k++) {
        out[k] = e1[k] * B[0] + e2[k] * B[1];
        out[3 + k] = e1[k] * B[2] + e2[k] * B[3];
    }
}

/* out = [y1 - y0, y2 - y0] B of a vector field y over the vertices. */
static void dcli_tri_field(const double *y, const int *v, const double *B, double *out)
{
    double e1[3], e2[3];
    dcli_sub3(e1, y + 3 * (size_t)v[1], y + 3 * (size_t)v[0]);
    dcli_sub3(e2, y + 3 * (size_t)v[2], y + 3 * (size_t)v[0]);
    dcli_tri_map(e1, e2, B, out);
}

/* F at the end of the step. Edges are formed before positions are, so that a cloth far from the
   origin loses no digits. */
static void dcli_tri_F(const double *x0, double h, const double *v1, const int *v, const double *B,
                       double *F)
{
    double e[2][3];
    int a, k;
    for (a = 0; a < 2; a++)
        for (k = 0; k < 3; k++) {
            size_t i = 3 * (size_t)v[a + 1] + (size_t)k, j = 3 * (size_t)v[0] + (size_t)k;
            e[a][k] = (x0[i] - x0[j]) + h * (v1[i] - v1[j]);
        }
    dcli_tri_map(e[0], e[1], B, F);
}

/* The polar factor of a 3x2 matrix without its singular value decomposition. With N = f1 x f2 and
   C = F^T F: sqrt(det C) = |N|, S = sqrt(C) = (C + |N| I)/tr S, tr S = sqrt(tr C + 2 |N|), and
   R = F S^-1 = (F + [f2 x n, n x f1])/tr S, n = N/|N|. */
typedef struct dcli_polar {
    double R[6];    /* 3x2 */
    double n[3];    /* unit normal */
    double trace;   /* sigma1 + sigma2 */
    double inv[3];  /* S^-1, with singular values not below 1e-8 of the trace */
} dcli_polar;

/* F of rank one or zero: the second direction is any, chosen by a fixed rule. */
static void dcli_polar_degenerate(const double *F, dcli_polar *p)
{
    double c0 = dcli_dot(F, F), c1 = dcli_dot(F + 3, F + 3);
    double length = sqrt(c0 + c1), u[3], w[3], v[2];
    int k;
    if (!(length > 0)) {
        memset(p, 0, sizeof *p);
        p->R[0] = p->R[4] = p->n[2] = 1;
        p->inv[0] = p->inv[2] = 1e8;
        return;
    }
    v[0] = sqrt(c0) / length; /* right singular vector of F = length u v^T */
    v[1] = sqrt(c1) / length * (dcli_dot(F, F + 3) < 0 ? -1 : 1);
    for (k = 0; k < 3; k++) u[k] = (F[k] * v[0] + F[3 + k] * v[1]) / length;
    dcli_orthogonal(u, w);
    for (k = 0; k < 3; k++) {
        p->R[k] = u[k] * v[0] - w[k] * v[1];
        p->R[3 + k] = u[k] * v[1] + w[k] * v[0];
    }
    dcli_cross(u, w, p->n);
    p->trace = length;
    p->inv[0] = (v[0] * v[0] + v[1] * v[1] * 1e8) / length;
    p->inv[1] = v[0] * v[1] * (1 - 1e8) / length;
    p->inv[2] = (v[1] * v[1] + v[0] * v[0] * 1e8) / length;
}

static void dcli_polar_compute(const double *F, dcli_polar *p)
{
    double c00 = dcli_dot(F, F), c11 = dcli_dot(F + 3, F + 3), c01 = dcli_dot(F, F + 3);
    double N[3], det, t[3], scale;
    int k;
    dcli_cross(F, F + 3, N);
    det = dcli_norm(N);
    if (!(det > 1e-14 * (c00 + c11))) {
        dcli_polar_degenerate(F, p);
        return;
    }
    for (k = 0; k < 3; k++) p->n[k] = N[k] / det;
    p->trace = sqrt(c00 + c11 + 2 * det);
    scale = 1 / p->trace;
    dcli_cross(F + 3, p->n, t);
    for (k = 0; k < 3; k++) p->R[k] = (F[k] + t[k]) * scale;
    dcli_cross(p->n, F, t);
    for (k = 0; k < 3; k++) p->R[3 + k] = (F[3 + k] + t[k]) * scale;
    scale = 1 / (p->trace * fmax(det, 1e-8 * p->trace * p->trace));
    p->inv[0] = (c11 + det) * scale;
    p->inv[1] = -c01 * scale;
    p->inv[2] = (c00 + det) * scale;
}

/* The coefficients of the stretch Hessian per unit of w = stretch * area:
   K_ab = w [(b_a.b_b) I - twist (RJ b_a)(RJ b_b)^T - (b_a^T inv b_b) n n^T], J the quarter turn. */
static void dcli_polar_hessian(const dcli_polar *p, double project, double *twist, double *inv)
{
    double mean, half, radius, big, little, middle, ratio;
    *twist = 1 / fmax(p->trace, 1e-8);
    inv[0] = p->inv[0];
    inv[1] = p->inv[1];
    inv[2] = p->inv[2];
    if (project == 0) return;
    if (*twist > 0.5) *twist += project * (0.5 - *twist); /* eigenvalue 1 - 2/trace of the twist */
    /* Eigenvalues of S^-1 above 1 make those of I - S^-1 negative. */
    mean = 0.5 * (inv[0] + inv[2]);
    half = 0.5 * (inv[0] - inv[2]);
    radius = sqrt(half * half + inv[1] * inv[1]);
    big = mean + radius;
    little = mean - radius;
    if (big <= 1) return;
    big += project * (1 - big);
    if (little > 1) little += project * (1 - little);
    middle = 0.5 * (big + little);
    ratio = radius > 0 ? 0.5 * (big - little) / radius : 0;
    inv[0] = middle + ratio * half;
    inv[2] = middle - ratio * half;
    inv[1] *= ratio;
}

/* out = H[dF] = dF - dR per unit of w, for derivatives (never projected). */
static void dcli_polar_apply(const dcli_polar *p, const double *dF, double *out)
{
    double twist, inv[3], s = 0, a, b;
    int k;
    dcli_polar_hessian(p, 0, &twist, inv);
    for (k = 0; k < 3; k++) s += -p->R[3 + k] * dF[k] + p->R[k] * dF[3 + k]; /* <RJ, dF> */
    a = dcli_dot(p->n, dF);
    b = dcli_dot(p->n, dF + 3);
    for (k = 0; k < 3; k++) {
        out[k] = dF[k] + twist * s * p->R[3 + k] - p->n[k] * (a * inv[0] + b * inv[1]);
        out[3 + k] = dF[3 + k] - twist * s * p->R[k] - p->n[k] * (a * inv[1] + b * inv[2]);
    }
}

/* Strain rate of the step in the rest frame, (E1 - E0)/h = sym(F0^T V) + h/2 V^T V with V the map
   of the velocities: {00, 01, 11}. */
static void dcli_strain_rate(const double *F0, const double *V, double h, double *rate)
{
    rate[0] = dcli_dot(F0, V) + 0.5 * h * dcli_dot(V, V);
    rate[2] = dcli_dot(F0 + 3, V + 3) + 0.5 * h * dcli_dot(V + 3, V + 3);
    rate[1] = 0.5 * (dcli_dot(F0, V + 3) + dcli_dot(F0 + 3, V) + h * dcli_dot(V, V + 3));
}

/* out = F S, S symmetric 2x2. */
static void dcli_mul_sym2(const double *F, const double *S, double *out)
{
    int k;
    for (k = 0; k < 3; k++) {
        out[k] = F[k] * S[0] + F[3 + k] * S[1];
        out[3 + k] = F[k] * S[1] + F[3 + k] * S[2];
    }
}

/* sym(A^T B) of 3x2 matrices. */
static void dcli_sym_product(const double *A, const double *B, double *out)
{
    out[0] = dcli_dot(A, B);
    out[1] = 0.5 * (dcli_dot(A, B + 3) + dcli_dot(A + 3, B));
    out[2] = dcli_dot(A + 3, B + 3);
}

static double dcli_dot6(const double *a, const double *b)
{
    return dcli_dot(a, b) + dcli_dot(a + 3, b + 3);
}

/* Adds s * [p b_a] to corner a: the force of the stress p (3x2). */
static void dcli_tri_scatter(double *out, const int *v, const double b[3][2], double s,
                             const double *p)
{
    int a, k;
    for (a = 0; a < 3; a++)
        for (k = 0; k < 3; k++)
            out[3 * (size_t)v[a] + (size_t)k] += s * (p[k] * b[a][0] + p[3 + k] * b[a][1]);
}

/* Air on a triangle: the force on all of it as a function of the area vector a and the relative
   velocity u; see dcl_params. Returns the potential, whose gradient in u is the force. */
typedef struct dcli_air {
    double area, n[3], s, ut[3], ut_norm;
} dcli_air;

static void dcli_air_init(const double *a, const double *u, dcli_air *air)
{
    air->area = dcli_norm(a);
    dcli_set3(air->n, 0, 0, 0);
    if (air->area > 0)
        dcli_set3(air->n, a[0] / air->area, a[1] / air->area, a[2] / air->area);
    air->s = dcli_dot(air->n, u);
    dcli_copy3(air->ut, u);
    dcli_axpy3(air->ut, -air->s, air->n);
    air->ut_norm = dcli_norm(air->ut);
}

static double dcli_air_force(const dcli_air *air, double cn, double ct, double *force)
{
    double normal = 0.5 * cn * air->area * fabs(air->s),
           tangent = 0.5 * ct * air->area * air->ut_norm;
    int k;
    for (k = 0; k < 3; k++) force[k] = normal * air->s * air->n[k] + tangent * air->ut[k];
    return (normal * air->s * air->s + tangent * air->ut_norm * air->ut_norm) / 3;
}

/* d force/d u, symmetric positive semidefinite. */
static void dcli_air_hessian(const dcli_air *air, double cn, double ct, double *H)
{
    double t = 0.5 * ct * air->area;
    dcli_identity3(H, t * air->ut_norm);
    dcli_add_outer(H, cn * air->area * fabs(air->s) - t * air->ut_norm, air->n, air->n);
    if (air->ut_norm > 0) dcli_add_outer(H, t / air->ut_norm, air->ut, air->ut);
}

/* df along da, at fixed u. The area cancels, so collapsed triangles are harmless. */
static void dcli_air_d_area(const dcli_air *air, const double *u, double cn, double ct,
                            const double *da, double *df)
{
    double along = dcli_dot(air->n, da), dn[3], dut[3], ds, q;
    int k;
    dcli_copy3(dn, da); /* area * dn */
    dcli_axpy3(dn, -along, air->n);
    ds = dcli_dot(dn, u);
    for (k = 0; k < 3; k++) dut[k] = -ds * air->n[k] - air->s * dn[k]; /* area * dut */
    q = air->ut_norm > 0 ? dcli_dot(air->ut, dut) / air->ut_norm : 0;
    for (k = 0; k < 3; k++)
        df[k] = 0.5 * cn * fabs(air->s) *
                    (along * air->s * air->n[k] + 2 * ds * air->n[k] + air->s * dn[k]) +
                0.5 * ct * (along * air->ut_norm * air->ut[k] + air->ut_norm * dut[k] +
                            q * air->ut[k]);
}

/* Its transpose: adds to adj_a. */
static void dcli_air_d_area_adj(const dcli_air *air, const double *u, double cn, double ct,
                                const double *adj, double *adj_a)
{
    double fn = 0.5 * cn * fabs(air->s), ft = 0.5 * ct, adut[3], adn[3], along, ads;
    int k;
    for (k = 0; k < 3; k++)
        adut[k] =
            ft * (air->ut_norm * adj[k] +
                  (air->ut_norm > 0 ? dcli_dot(air->ut, adj) / air->ut_norm : 0) * air->ut[k]);
    along = fn * air->s * dcli_dot(air->n, adj) + ft * air->ut_norm * dcli_dot(air->ut, adj);
    ads = 2 * fn * dcli_dot(air->n, adj) - dcli_dot(air->n, adut);
    for (k = 0; k < 3; k++) adn[k] = fn * air->s * adj[k] - air->s * adut[k] + ads * u[k];
    dcli_project(air->n, adn);
    dcli_axpy3(adj_a, 1, adn);
    dcli_axpy3(adj_a, along, air->n);
}

/* ---- >>impl-obstacles -------------------------------------------------------------------------
   An obstacle is a signed distance in its own frame and a rigid motion. Contact of a step uses
   xi = R0^T (x0 - c0), the point in that frame at the start; the gap there; the normal turned
   to the end of the step; and w, the mean velocity of the point if it were carried along. */

typedef struct dcli_pose {
    double c0[3], c1[3], R0[9], R1[9]; /* start and end of the step */
    double turn[9];                    /* R1 R0^T - I, exactly zero for no rotation */
    double velocity[3];
    double size[4], friction;
    dcl_shape shape;
    const dcli_solid *solid;  /* of a mesh */
    dcl_distance_fn distance; /* of a function */
    void *user;
} dcli_pose;

typedef struct dcli_gap {
    double d, n[3], w[3];
    int clamped; /* d was limited: no derivative */
} dcli_gap;

/* Most shapes are surfaces of revolution about y. In the half plane (rho, y) the surface nearest to a
   point q is a straight line or a point of the profile, moved outwards by `offset`:
       line    d = n.(q - c) - offset,  n = (cos angle, sin angle)
       point   d = side |q - c| - offset
   Each shape picks its feature and says how the feature depends on the sizes. */
typedef struct dcli_profile {
    int side; /* 0: line; else point, -1 for the inside of a circle */
    double c[2], n[2], offset;
    double c_size[4][2], angle_size[4], offset_size[4]; /* derivatives */
} dcli_profile;

static void dcli_profile_line(dcli_profile *f, double nx, double ny, double cx, double cy)
{
    f->side = 0;
    f->n[0] = nx;
    f->n[1] = ny;
    f->c[0] = cx;
    f->c[1] = cy;
}

static void dcli_profile_point(dcli_profile *f, double cx, double cy)
{
    f->side = 1;
    f->c[0] = cx;
    f->c[1] = cy;
}

static void dcli_profile_offset(dcli_profile *f, double offset, int size)
{
    f->offset = offset;
    f->offset_size[size] = 1;
}

static void dcli_profile_bowl(const double *size, dcli_profile *f)
{
    dcli_profile_point(f, 0, 0);
    f->side = -1;
    f->offset = -size[0];
    f->offset_size[0] = -1;
}

static void dcli_profile_capsule(const double *size, const double *q, dcli_profile *f)
{
    double end = q[1] < 0 ? -1 : 1;
    dcli_profile_offset(f, size[0], 0);
    dcli_profile_line(f, 1, 0, 0, 0);
    if (fabs(q[1]) <= size[1]) return;
    dcli_profile_point(f, 0, end * size[1]);
    f->c_size[1][1] = end;
}

/* The side touches both spheres; its normal leans by s = (ra - rb)/length towards the thin end. */
static void dcli_profile_tapered(const double *size, const double *q, dcli_profile *f)
{
    double length = 2 * size[2], difference = size[0] - size[1], c, s, at;
    int end = size[1] > size[0];
    if (fabs(difference) < length) {
        s = difference / length;
        c = sqrt(1 - s * s);
        at = q[1] + size[2] - q[0] * s / c; /* of the axis, seen along the normal */
        if (at >= 0 && at <= length) {
            dcli_profile_line(f, c, s, 0, -size[2]);
            dcli_profile_offset(f, size[0], 0);
            f->c_size[2][1] = -1;
            f->angle_size[0] = 1 / (length * c);
            f->angle_size[1] = -1 / (length * c);
            f->angle_size[2] = -2 * s / (length * c);
            return;
        }
        end = at > 0;
    }
    dcli_profile_point(f, 0, end ? size[2] : -size[2]); /* else the smaller one is inside the other */
    dcli_profile_offset(f, size[end], end);
    f->c_size[2][1] = end ? 1 : -1;
}

static void dcli_profile_torus(const double *size, dcli_profile *f)
{
    dcli_profile_point(f, size[0], 0);
    dcli_profile_offset(f, size[1], 1);
    f->c_size[0][0] = 1;
}

static void dcli_profile_cylinder(const double *size, const double *q, dcli_profile *f)
{
    double end = q[1] < 0 ? -1 : 1, out = q[0] - size[0], above = fabs(q[1]) - size[1];
    dcli_profile_offset(f, size[2], 2);
    if (out > 0 && above > 0)
        dcli_profile_point(f, size[0], end * size[1]);
    else if (out > above)
        dcli_profile_line(f, 1, 0, size[0], end * size[1]);
    else
        dcli_profile_line(f, 0, end, size[0], end * size[1]);
    f->c_size[0][0] = 1;
    f->c_size[1][1] = end;
}

static void dcli_profile_cone(const double *size, const double *q, dcli_profile *f)
{
    double radius = size[0], height = size[1], length = sqrt(radius * radius + height * height);
    double nx = height / length, ny = radius / length, out = q[0] - radius;
    double above = nx * out + ny * q[1], along = (nx * q[1] - ny * out) / length;
    dcli_profile_offset(f, size[2], 2);
    if (out <= 0 && -q[1] > above) { /* the base */
        dcli_profile_line(f, 0, -1, 0, 0);
    } else if (above > 0 && along > 1) {
        dcli_profile_point(f, 0, height);
        f->c_size[1][1] = 1;
    } else if (out > 0 && along < 0) {
        dcli_profile_point(f, radius, 0);
        f->c_size[0][0] = 1;
    } else {
        dcli_profile_line(f, nx, ny, radius, 0);
        f->c_size[0][0] = 1;
        f->angle_size[0] = nx / length;
        f->angle_size[1] = -ny / length;
    }
}

/* From the half plane to space: e is the unit vector away from the axis, q = (rho, y) the point. */
static void dcli_profile_distance(const dcli_profile *f, const double *e, const double *q,
                                  dcl_distance *s)
{
    double u[2], n[2], length = 0, bend = 0, turn, t[3], round[3];
    int k;
    u[0] = q[0] - f->c[0];
    u[1] = q[1] - f->c[1];
    n[0] = f->n[0];
    n[1] = f->n[1];
    if (f->side) {
        length = sqrt(u[0] * u[0] + u[1] * u[1]);
        n[0] = length > 0 ? f->side * u[0] / length : 0;
        n[1] = length > 0 ? f->side * u[1] / length : 1;
        bend = length > 0 ? f->side / length : 0; /* curvature within the half plane */
    }
    s->value = (f->side ? f->side * length : n[0] * u[0] + n[1] * u[1]) - f->offset;
    dcli_set3(s->gradient, n[0] * e[0], n[1], n[0] * e[2]);
    dcli_set3(t, -n[1] * e[0], n[0], -n[1] * e[2]);
    dcli_set3(round, e[2], 0, -e[0]);
    dcli_add_outer(s->hessian, bend, t, t);
    turn = q[0] > 0 ? n[0] / q[0] : n[0] == 0 ? bend : 0; /* curvature around the axis */
    dcli_add_outer(s->hessian, turn, round, round);
    for (k = 0; k < 4; k++) {
        const double *c = f->c_size[k];
        double across = n[0] * c[1] - n[1] * c[0], angle = f->side ? -bend * across : f->angle_size[k];
        s->size_value[k] = -n[0] * c[0] - n[1] * c[1] - f->offset_size[k];
        if (!f->side) s->size_value[k] += angle * (n[0] * u[1] - n[1] * u[0]);
        dcli_axpy3(s->size_gradient + 3 * k, angle, t);
    }
}

/* Corner, edge or face of a box; size[3] is its rounding. */
static void dcli_box_distance(const double *size, const double *xi, dcl_distance *s)
{
    double out[3], side[3], length = 0;
    int face = 0, k, j;
    for (k = 0; k < 3; k++) {
        side[k] = xi[k] < 0 ? -1 : 1;
        out[k] = fabs(xi[k]) - size[k];
        if (out[k] > out[face]) face = k;
    }
    for (k = 0; k < 3; k++) length += out[k] > 0 ? out[k] * out[k] : 0;
    length = sqrt(length);
    s->size_value[3] = -1;
    if (!(length > 0)) {
        s->value = out[face] - size[3];
        s->gradient[face] = side[face];
        s->size_value[face] = -1;
        return;
    }
    s->value = length - size[3];
    for (k = 0; k < 3; k++) {
        s->gradient[k] = out[k] > 0 ? side[k] * out[k] / length : 0;
        if (out[k] > 0) s->hessian[4 * k] = 1 / length;
    }
    dcli_add_outer(s->hessian, -1 / length, s->gradient, s->gradient);
    for (k = 0; k < 3; k++) {
        s->size_value[k] = -side[k] * s->gradient[k];
        for (j = 0; j < 3 && out[k] > 0; j++)
            s->size_gradient[3 * k + j] = -side[k] * s->hessian[3 * k + j];
    }
}

typedef struct dcli_nearest {
    double square, point[3];
    int triangle, feature; /* 0: face; 1 + k: the edge from corner k; 4 + k: corner k */
} dcli_nearest;

/* Closest point of the segment a b to p as a fraction of it. */
static double dcli_closest_on_segment(const double *p, const double *a, const double *b)
{
    double e[3], d[3], square;
    dcli_sub3(e, b, a);
    dcli_sub3(d, p, a);
    square = dcli_dot(e, e);
    if (!(square > 0)) return 0;
    return fmin(1, fmax(0, dcli_dot(d, e) / square));
}

static void dcli_nearest_take(dcli_nearest *best, double square, const double *point, int triangle,
                              int feature)
{
    if (!(square < best->square)) return;
    best->square = square;
    dcli_copy3(best->point, point);
    best->triangle = triangle;
    best->feature = feature;
}

/* Triangles without area are their edges, and give way to others at the same distance. */
static void dcli_nearest_on_triangle(const dcli_solid *s, int t, const double *p,
                                     dcli_nearest *best)
{
    const int *v = s->corners + 3 * t;
    const double *n = s->face + 3 * t, *A = s->X + 3 * v[0];
    double e1[3], e2[3], d[3], point[3], a, b, f, g, h, det, x, y;
    int k, c, flat = dcli_dot(n, n) == 0;
    dcli_sub3(e1, s->X + 3 * v[1], A);
    dcli_sub3(e2, s->X + 3 * v[2], A);
    dcli_sub3(d, p, A);
    a = dcli_dot(e1, e1), b = dcli_dot(e1, e2), f = dcli_dot(e2, e2);
    g = dcli_dot(d, e1), h = dcli_dot(d, e2);
    det = a * f - b * b;
    x = f * g - b * h, y = a * h - b * g;
    if (!flat && x > 0 && y > 0 && x + y < det) {
        double height = dcli_dot(d, n);
        for (c = 0; c < 3; c++) point[c] = A[c] + (x * e1[c] + y * e2[c]) / det;
        dcli_nearest_take(best, height * height, point, t, 0);
        return;
    }
    for (k = 0; k < 3; k++) {
        int q = (k + 1) % 3;
        const double *P = s->X + 3 * v[k], *Q = s->X + 3 * v[q];
        double fraction = dcli_closest_on_segment(p, P, Q);
        for (c = 0; c < 3; c++) point[c] = P[c] + fraction * (Q[c] - P[c]);
        if (fraction >= 1) dcli_copy3(point, Q);
        dcli_sub3(d, p, point);
        dcli_nearest_take(best, dcli_dot(d, d) * (flat ? 1 + 1e-12 : 1), point, t,
                          fraction <= 0   ? 4 + k
                          : fraction >= 1 ? 4 + q
                                          : 1 + k);
    }
}

static double dcli_box_square(const double *box, const double *p)
{
    double sum = 0;
    int k;
    for (k = 0; k < 3; k++) {
        double off = fmax(fmax(box[k] - p[k], p[k] - box[3 + k]), 0);
        sum += off * off;
    }
    return sum;
}

static void dcli_solid_nearest(const dcli_solid *s, const double *p, dcli_nearest *best)
{
    int stack[64], top = 0; /* the tree halves: no deeper than 32 */
    best->square = HUGE_VAL;
    best->triangle = best->feature = 0;
    dcli_set3(best->point, 0, 0, 0);
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top], count = s->tree.nodes[node].count, left, right;
        if (!(dcli_box_square(s->boxes + 6 * node, p) < best->square)) continue;
        if (count == 1) {
            dcli_nearest_on_triangle(s, s->tree.leaves[s->tree.nodes[node].first], p, best);
            continue;
        }
        left = node + 1, right = node + 2 * (count / 2);
        if (dcli_box_square(s->boxes + 6 * right, p) < dcli_box_square(s->boxes + 6 * left, p)) {
            stack[top++] = left;
            stack[top++] = right;
        } else {
            stack[top++] = right;
            stack[top++] = left;
        }
    }
}

/* Nearest is a face, an edge or a vertex: curvature 0, 1/d across, 1/d. */
static void dcli_solid_distance(const dcli_solid *s, double rounding, const double *p,
                                dcl_distance *d)
{
    dcli_nearest at;
    const int *v;
    const double *n;
    double e[3], length, side, along[3];
    int k, edge, corner;
    dcli_solid_nearest(s, p, &at);
    v = s->corners + 3 * at.triangle;
    n = s->face + 3 * at.triangle;
    edge = at.feature - 1, corner = at.feature - 4;
    d->size_value[0] = -1;
    if (at.feature == 0 || (corner < 0 && s->flat_edge[3 * at.triangle + edge]) ||
        (corner >= 0 && s->flat_vertex[v[corner]])) {
        dcli_sub3(e, p, s->X + 3 * v[0]);
        length = dcli_dot(e, n);
        side = !s->closed && length < 0 ? -1 : 1;
        d->value = side * length - rounding;
        dcli_axpy3(d->gradient, side, n);
        return;
    }
    dcli_sub3(e, p, at.point);
    length = dcli_norm(e);
    if (s->closed)
        n = corner >= 0 ? s->vertex + 3 * v[corner] : s->edge + 3 * (3 * at.triangle + edge);
    side = s->closed && dcli_dot(e, n) < 0 ? -1 : 1;
    d->value = side * length - rounding;
    if (!(length > s->tiny)) { /* no direction: the mean normal, or any */
        length = dcli_norm(n);
        for (k = 0; k < 3; k++) d->gradient[k] = length > 0 ? n[k] / length : k == 1;
        return;
    }
    for (k = 0; k < 3; k++) d->gradient[k] = side * e[k] / length;
    for (k = 0; k < 9; k += 4) d->hessian[k] = side / length;
    dcli_add_outer(d->hessian, -side / length, d->gradient, d->gradient);
    if (corner >= 0) return;
    dcli_sub3(along, s->X + 3 * v[(edge + 1) % 3], s->X + 3 * v[edge]);
    dcli_add_outer(d->hessian, -side / (length * dcli_dot(along, along)), along, along);
}

/* Signed distance at the local point xi, with its derivatives. */
static void dcli_shape_distance(const dcli_pose *pose, const double *xi, dcl_distance *s)
{
    double e[3] = {1, 0, 0}, q[2];
    dcli_profile f;
    memset(s, 0, sizeof *s);
    memset(&f, 0, sizeof f);
    q[0] = sqrt(xi[0] * xi[0] + xi[2] * xi[2]);
    q[1] = xi[1];
    if (q[0] > 0) dcli_set3(e, xi[0] / q[0], 0, xi[2] / q[0]);
    switch (pose->shape) {
    case DCL_SHAPE_PLANE: dcli_profile_line(&f, 0, 1, 0, 0); break;
    case DCL_SHAPE_SPHERE:
        dcli_profile_point(&f, 0, 0);
        dcli_profile_offset(&f, pose->size[0], 0);
        break;
    case DCL_SHAPE_BOWL: dcli_profile_bowl(pose->size, &f); break;
    case DCL_SHAPE_CAPSULE: dcli_profile_capsule(pose->size, q, &f); break;
    case DCL_SHAPE_TAPERED_CAPSULE: dcli_profile_tapered(pose->size, q, &f); break;
    case DCL_SHAPE_TORUS: dcli_profile_torus(pose->size, &f); break;
    case DCL_SHAPE_CYLINDER: dcli_profile_cylinder(pose->size, q, &f); break;
    case DCL_SHAPE_CONE: dcli_profile_cone(pose->size, q, &f); break;
    case DCL_SHAPE_BOX: dcli_box_distance(pose->size, xi, s); return;
    case DCL_SHAPE_MESH:
        dcli_solid_distance(pose->solid, pose->size[0], xi, s);
        return;
    case DCL_SHAPE_FUNCTION:
        pose->distance(pose->user, pose->size, xi, s);
        return;
    }
    dcli_profile_distance(&f, e, q, s);
}

static void dcli_pose_compute(const dcl_params *p, int o, double t, double h, dcli_pose *pose)
{
    const double *position = dcli_param(p, DCL_PARAM_OBSTACLE_POSITION) + 3 * o;
    const double *rotation = dcli_param(p, DCL_PARAM_OBSTACLE_ROTATION) + 3 * o;
    const double *velocity = dcli_param(p, DCL_PARAM_OBSTACLE_VELOCITY) + 3 * o;
    const double *omega = dcli_param(p, DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY) + 3 * o;
    double a[3], spin[9], base[9];
    int k;
    for (k = 0; k < 3; k++) {
        pose->c0[k] = position[k] + t * velocity[k];
        pose->c1[k] = position[k] + (t + h) * velocity[k];
        pose->velocity[k] = velocity[k];
    }
    dcli_rotation(rotation, base);
    for (k = 0; k < 3; k++) a[k] = t * omega[k];
    dcli_rotation(a, spin);
    dcli_matmul3(spin, base, 0, pose->R0);
    for (k = 0; k < 3; k++) a[k] = (t + h) * omega[k];
    dcli_rotation(a, spin);
    dcli_matmul3(spin, base, 0, pose->R1);
    for (k = 0; k < 3; k++) a[k] = h * omega[k];
    dcli_rotation_minus_identity(a, pose->turn);
    pose->friction = dcli_param(p, DCL_PARAM_FRICTION)[o];
    pose->shape = p->model->obstacles[o].shape;
    pose->solid = p->model->solids[o];
    pose->distance = p->model->obstacles[o].distance;
    pose->user = p->model->obstacles[o].user;
    for (k = 0; k < 4; k++)
        pose->size[k] = k < dcli_shape_get(pose->shape)->sizes
                            ? dcli_param(p, DCL_PARAM_OBSTACLE_SIZE)[4 * o + k]
                            : 0;
}

DCL_API dcl_result dcl_obstacle_distance(const dcl_params *params, int obstacle, double time,
                                         const double point[3], dcl_distance *distance)
{
    const dcl_logger *log;
    dcl_result r;
    dcli_pose pose;
    dcl_distance s;
    double e[3], xi[3], A[9];
    int k;
    if (!params) return DCL_ERROR_NULL_POINTER;
    log = &params->model->logger;
    r = dcli_check_null(log, "point distance", 2, (const void *)point, (const void *)distance);
    if (r) return r;
    if (obstacle < 0 || obstacle >= params->model->obstacle_count)
        return dcli_refuse(log, DCL_ERROR_INDEX_OUT_OF_RANGE, "obstacle is %d, the model has %d",
                           obstacle, params->model->obstacle_count);
    if (!dcli_all_finite(point, 3) || !dcli_finite(time))
        return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "point or time is not finite");
    dcli_pose_compute(params, obstacle, time, 0, &pose);
    dcli_sub3(e, point, pose.c0);
    dcli_mult3(pose.R0, e, xi);
    dcli_shape_distance(&pose, xi, &s);
    if (s.value != s.value || !dcli_all_finite(s.gradient, 3))
        return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "the distance function is not finite there");
    *distance = s;
    dcli_mul3(pose.R0, s.gradient, distance->gradient);
    dcli_matmul3(pose.R0, s.hessian, 0, A);
    dcli_matmul3(A, pose.R0, 1, distance->hessian);
    for (k = 0; k < 4; k++)
        dcli_mul3(pose.R0, s.size_gradient + 3 * k, distance->size_gradient + 3 * k);
    return DCL_OK;
}

static void dcli_gap_compute(const dcl_model *M, const dcli_pose *pose, const double *x0, double h,
                             dcli_gap *gap)
{
    double e[3], xi[3], turn[3], rounding;
    dcl_distance s;
    int k;
    dcli_sub3(e, x0, pose->c0);
    dcli_mult3(pose->R0, e, xi);
    dcli_shape_distance(pose, xi, &s);
    gap->d = s.value;
    dcli_mul3(pose->R1, s.gradient, gap->n);
    dcli_mul3(pose->turn, e, turn);
    for (k = 0; k < 3; k++) gap->w[k] = pose->velocity[k] + turn[k] / h;
    gap->clamped = 0;
    /* A gap of the size of its own rounding is zero: what sticks then does not move at all. */
    rounding = 16 * DCLI_EPS *
               (M->edge + dcli_norm(x0) + dcli_norm(pose->c0) +
                (pose->size[0] + pose->size[1] + pose->size[2] + pose->size[3]));
    if (fabs(gap->d) <= rounding) gap->d = 0;
    if (M->contact == DCL_CONTACT_SET) {
        gap->clamped = 1;
        gap->d = gap->d <= M->contact_distance ? 0 : HUGE_VAL;
    } else if (gap->d < -M->push_out_depth) {
        gap->clamped = 1;
        gap->d = -M->push_out_depth;
    }
}

/* Sensitivities of a pose: of the centres, of the rotations as rotation vectors applied on the
   left, of the sizes and of friction. */
typedef struct dcli_pose_adj {
    double c0[3], c1[3], r0[3], r1[3], size[4], friction;
} dcli_pose_adj;

static void dcli_gap_adj(const dcli_pose *pose, const double *x0, double h, int clamped,
                         double adj_d, const double *adj_n, const double *adj_w, double *adj_x0,
                         dcli_pose_adj *adj)
{
    double e[3], xi[3], n[3], turned[3], ag[3], axi[3], ae[3], t[3], aw[3];
    dcl_distance s;
    int k;
    if (clamped) adj_d = 0;
    dcli_sub3(e, x0, pose->c0);
    dcli_mult3(pose->R0, e, xi);
    dcli_shape_distance(pose, xi, &s);
    dcli_mul3(pose->R1, s.gradient, n);
    dcli_mul3(pose->R1, xi, turned);
    for (k = 0; k < 3; k++) aw[k] = adj_w[k] / h; /* w = (c1 + R1 xi - x0)/h */
    dcli_mult3(pose->R1, adj_n, ag);
    dcli_mul3(s.hessian, ag, axi);
    dcli_axpy3(axi, adj_d, s.gradient);
    dcli_mult3(pose->R1, aw, t);
    dcli_axpy3(axi, 1, t);
    dcli_mul3(pose->R0, axi, ae);
    dcli_axpy3(adj_x0, 1, ae);
    dcli_axpy3(adj_x0, -1, aw);
    dcli_axpy3(adj->c0, -1, ae);
    dcli_axpy3(adj->c1, 1, aw);
    dcli_cross(ae, e, t); /* xi = R0^T e */
    dcli_axpy3(adj->r0, 1, t);
    dcli_cross(turned, aw, t);
    dcli_axpy3(adj->r1, 1, t);
    dcli_cross(n, adj_n, t);
    dcli_axpy3(adj->r1, 1, t);
    for (k = 0; k < 4; k++)
        adj->size[k] += adj_d * s.size_value[k] + dcli_dot(ag, s.size_gradient + 3 * k);
}

/* The same forwards: d = tangent of (d, n, w) along dx0 and the pose's tangent. */
static void dcli_gap_d(const dcli_pose *pose, const double *x0, double h, int clamped,
                       const double *dx0, const dcli_pose_adj *dpose, dcli_gap *d)
{
    double e[3], xi[3], n[3], turned[3], de[3], dxi[3], dg[3], t[3];
    dcl_distance s;
    int k;
    dcli_sub3(e, x0, pose->c0);
    dcli_mult3(pose->R0, e, xi);
    dcli_shape_distance(pose, xi, &s);
    dcli_mul3(pose->R1, s.gradient, n);
    dcli_mul3(pose->R1, xi, turned);
    dcli_sub3(de, dx0, dpose->c0);
    dcli_cross(dpose->r0, e, t);
    dcli_axpy3(de, -1, t);
    dcli_mult3(pose->R0, de, dxi);
    d->d = dcli_dot(s.gradient, dxi);
    dcli_mul3(s.hessian, dxi, dg);
    for (k = 0; k < 4; k++) {
        d->d += s.size_value[k] * dpose->size[k];
        dcli_axpy3(dg, dpose->size[k], s.size_gradient + 3 * k);
    }
    if (clamped) d->d = 0;
    dcli_mul3(pose->R1, dg, d->n);
    dcli_cross(dpose->r1, n, t);
    dcli_axpy3(d->n, 1, t);
    dcli_mul3(pose->R1, dxi, d->w);
    dcli_cross(dpose->r1, turned, t);
    for (k = 0; k < 3; k++) d->w[k] = (dpose->c1[k] + d->w[k] + t[k] - dx0[k]) / h;
}

/* From the pose back to the obstacle's own numbers. grad may lack any block. */
static void dcli_pose_adj_to_grad(const dcl_params *p, int o, double t, double h,
                                  const dcli_pose_adj *adj, dcl_grad *grad)
{
    const double *rotation = dcli_param(p, DCL_PARAM_OBSTACLE_ROTATION) + 3 * o;
    const double *omega = dcli_param(p, DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY) + 3 * o;
    double *out, J[9], spin[9], a[3], y[3], z[3];
    int k, end;
    if ((out = dcli_grad(grad, DCL_PARAM_OBSTACLE_POSITION)) != NULL)
        for (k = 0; k < 3; k++) out[3 * o + k] += adj->c0[k] + adj->c1[k];
    if ((out = dcli_grad(grad, DCL_PARAM_OBSTACLE_VELOCITY)) != NULL)
        for (k = 0; k < 3; k++) out[3 * o + k] += t * adj->c0[k] + (t + h) * adj->c1[k];
    if ((out = dcli_grad(grad, DCL_PARAM_OBSTACLE_SIZE)) != NULL)
        for (k = 0; k < 4; k++) out[4 * o + k] += adj->size[k];
    if ((out = dcli_grad(grad, DCL_PARAM_FRICTION)) != NULL) out[o] += adj->friction;
    for (end = 0; end < 2; end++) {
        const double *r = end ? adj->r1 : adj->r0;
        double when = end ? t + h : t;
        for (k = 0; k < 3; k++) a[k] = when * omega[k];
        if ((out = dcli_grad(grad, DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY)) != NULL) {
            dcli_rotation_jacobian(a, J);
            dcli_mult3(J, r, y);
            dcli_axpy3(out + 3 * o, when, y);
        }
        if ((out = dcli_grad(grad, DCL_PARAM_OBSTACLE_ROTATION)) != NULL) {
            dcli_rotation(a, spin);
            dcli_mult3(spin, r, y);
            dcli_rotation_jacobian(rotation, J);
            dcli_mult3(J, y, z);
            dcli_axpy3(out + 3 * o, 1, z);
        }
    }
}

/* The same forwards: dparams is a direction in the flat parameter vector. */
static void dcli_pose_d(const dcl_params *p, int o, double t, double h, const double *dparams,
                        dcli_pose_adj *d)
{
    const double *rotation = dcli_param(p, DCL_PARAM_OBSTACLE_ROTATION) + 3 * o;
    const double *omega = dcli_param(p, DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY) + 3 * o;
    const double *dposition = dparams + p->offset[DCL_PARAM_OBSTACLE_POSITION] + 3 * o;
    const double *dvelocity = dparams + p->offset[DCL_PARAM_OBSTACLE_VELOCITY] + 3 * o;
    const double *drotation = dparams + p->offset[DCL_PARAM_OBSTACLE_ROTATION] + 3 * o;
    const double *domega = dparams + p->offset[DCL_PARAM_OBSTACLE_ANGULAR_VELOCITY] + 3 * o;
    double J[9], spin[9], a[3], y[3], z[3];
    int k, end;
    for (k = 0; k < 3; k++) {
        d->c0[k] = dposition[k] + t * dvelocity[k];
        d->c1[k] = dposition[k] + (t + h) * dvelocity[k];
    }
    memcpy(d->size, dparams + p->offset[DCL_PARAM_OBSTACLE_SIZE] + 4 * o, sizeof d->size);
    d->friction = dparams[p->offset[DCL_PARAM_FRICTION] + (size_t)o];
    for (end = 0; end < 2; end++) {
        double *r = end ? d->r1 : d->r0, when = end ? t + h : t;
        for (k = 0; k < 3; k++) a[k] = when * omega[k];
        dcli_rotation_jacobian(a, J);
        dcli_mul3(J, domega, r);
        for (k = 0; k < 3; k++) r[k] *= when;
        dcli_rotation_jacobian(rotation, J);
        dcli_mul3(J, drotation, y);
        dcli_rotation(a, spin);
        dcli_mul3(spin, y, z);
        dcli_axpy3(r, 1, z);
    }
}

/* ---- >>impl-contact ---------------------------------------------------------------------------
   The law of one node with one obstacle, in closed form: from the momentum g to the velocity the
   law allows. Then several obstacles at one node, by iterating over them. */

typedef struct dcli_law {
    dcl_branch branch;
    double rn, tau;      /* normal impulse; |g_T| */
    double t[3];         /* direction of g_T, slip only */
    double u_slip[3];    /* m u_T, slip only */
    double margin;       /* relative distance to the nearest other branch */
} dcli_law;

/* Velocity v for momentum g. gap->d may be HUGE_VAL: never touches. */
static void dcli_law_solve(double m, double mu, double h, const dcli_gap *gap, const double *g,
                           dcli_law *law, double *v)
{
    double rel[3], gn, an, gt[3], size;
    int k;
    for (k = 0; k < 3; k++) rel[k] = g[k] - m * gap->w[k];
    gn = dcli_dot(rel, gap->n);
    an = gn + m * gap->d / h;
    size = dcli_norm(rel);
    law->margin = size > 0 ? fabs(an) / size : 1;
    if (an >= 0) {
        law->branch = DCL_BRANCH_FREE;
        for (k = 0; k < 3; k++) v[k] = g[k] / m;
        return;
    }
    law->rn = -an;
    dcli_copy3(gt, rel);
    dcli_axpy3(gt, -gn, gap->n);
    law->tau = dcli_norm(gt);
    for (k = 0; k < 3; k++) v[k] = gap->w[k] - (gap->d / h) * gap->n[k];
    law->margin = fmin(law->margin, fabs(law->tau - mu * law->rn) / fmax(size, mu * law->rn));
    if (law->tau <= mu * law->rn) {
        law->branch = DCL_BRANCH_STICK;
        return;
    }
    law->branch = DCL_BRANCH_SLIP;
    for (k = 0; k < 3; k++) {
        law->t[k] = gt[k] / law->tau;
        law->u_slip[k] = (law->tau - mu * law->rn) * law->t[k];
        v[k] += law->u_slip[k] / m;
    }
}

/* D = m dv/dg of a touching node: 0 if it sticks, else
   (1 - a)(I - n n^T - t t^T) + t t^T + mu t n^T, a = mu r_N/|g_T|. */
static void dcli_law_D(const dcli_law *law, double mu, const double *n, double *D)
{
    double rest;
    dcli_identity3(D, 0);
    if (law->branch == DCL_BRANCH_STICK) return;
    rest = 1 - mu * law->rn / law->tau;
    dcli_identity3(D, rest);
    dcli_add_outer(D, -rest, n, n);
    dcli_add_outer(D, 1 - rest, law->t, law->t);
    dcli_add_outer(D, mu, law->t, n);
}

/* Sensitivities of the law's inputs, except g. */
typedef struct dcli_law_adj {
    double m, mu, d, n[3], w[3];
} dcli_law_adj;

static void dcli_law_adjoint(const dcli_law *law, double m, double mu, double h,
                             const dcli_gap *gap, const double *g, const double *y,
                             dcli_law_adj *adj)
{
    double rel[3], gn, au[3], agt[3], agr[3], arn, at, tn;
    int k;
    memset(adj, 0, sizeof *adj);
    if (law->branch == DCL_BRANCH_FREE) {
        adj->m = -dcli_dot(y, g) / (m * m);
        return;
    }
    dcli_copy3(adj->w, y); /* v = w - (d/h) n + U/m, U = u_slip */
    adj->d = -dcli_dot(y, gap->n) / h;
    for (k = 0; k < 3; k++) adj->n[k] = -gap->d / h * y[k];
    if (law->branch == DCL_BRANCH_STICK) return;
    for (k = 0; k < 3; k++) rel[k] = g[k] - m * gap->w[k];
    gn = dcli_dot(rel, gap->n);
    for (k = 0; k < 3; k++) au[k] = y[k] / m;
    adj->m -= dcli_dot(y, law->u_slip) / (m * m);
    at = dcli_dot(au, law->t); /* U = (tau - mu rn) t */
    adj->mu = -law->rn * at;
    arn = -mu * at;
    dcli_copy3(agt, au);
    dcli_axpy3(agt, -at, law->t);
    for (k = 0; k < 3; k++)
        agt[k] = agt[k] * (law->tau - mu * law->rn) / law->tau + at * law->t[k];
    tn = dcli_dot(agt, gap->n); /* gt = rel - (n.rel) n, rn = -(n.rel) - m d/h */
    dcli_copy3(agr, agt);
    dcli_axpy3(agr, -tn - arn, gap->n);
    for (k = 0; k < 3; k++) adj->n[k] -= rel[k] * (tn + arn) + gn * agt[k];
    adj->m -= arn * gap->d / h + dcli_dot(agr, gap->w);
    adj->d -= m * arn / h;
    dcli_axpy3(adj->w, -m, agr);
}

/* The tangent of v at fixed g along changes of the inputs. */
static void dcli_law_tangent(const dcli_law *law, double m, double mu, double h,
                             const dcli_gap *gap, const double *g, double dm, double dmu,
                             const dcli_gap *dgap, double *dv)
{
    double rel[3], drel[3], dgt[3], gn, dgn, drn, dtau;
    int k;
    if (law->branch == DCL_BRANCH_FREE) {
        for (k = 0; k < 3; k++) dv[k] = -g[k] * dm / (m * m);
        return;
    }
    for (k = 0; k < 3; k++)
        dv[k] = dgap->w[k] - (dgap->d * gap->n[k] + gap->d * dgap->n[k]) / h;
    if (law->branch == DCL_BRANCH_STICK) return;
    for (k = 0; k < 3; k++) {
        rel[k] = g[k] - m * gap->w[k];
        drel[k] = -dm * gap->w[k] - m * dgap->w[k];
    }
    gn = dcli_dot(rel, gap->n);
    dgn = dcli_dot(drel, gap->n) + dcli_dot(rel, dgap->n);
    for (k = 0; k < 3; k++) dgt[k] = drel[k] - dgn * gap->n[k] - gn * dgap->n[k];
    drn = -dgn - (dm * gap->d + m * dgap->d) / h;
    dtau = dcli_dot(law->t, dgt);
    for (k = 0; k < 3; k++) {
        double dt = (dgt[k] - dtau * law->t[k]) / law->tau;
        double dU = (dtau - dmu * law->rn - mu * drn) * law->t[k] + (law->tau - mu * law->rn) * dt;
        dv[k] += dU / m - law->u_slip[k] * dm / (m * m);
    }
}

/* Several obstacles at one node. Each in turn gets the impulse its law asks for, given those of
   the others (Gauss-Seidel), until nothing changes. The result is described by the contacts
   that carry an impulse. */
#define DCLI_NODE_CONTACTS 8

typedef struct dcli_node {
    int count;                          /* contacts with an impulse, at most DCLI_NODE_CONTACTS */
    int obstacle[DCLI_NODE_CONTACTS];
    dcli_law law[DCLI_NODE_CONTACTS];
    double impulse[DCLI_NODE_CONTACTS][3];
    double margin;
} dcli_node;

static void dcli_node_solve(int obstacles, const dcli_pose *poses, const dcli_gap *gaps, double m,
                            double h, const double *g, dcli_node *node, double *v)
{
    double r[DCL_MAX_OBSTACLES][3], total[3] = {0, 0, 0}, size = dcli_norm(g), largest = 0;
    dcli_law law;
    int sweep, o, k;
    memset(r, 0, (size_t)obstacles * sizeof r[0]);
    for (sweep = 0; sweep < 2000; sweep++) {
        double change = 0;
        for (o = 0; o < obstacles; o++) {
            double input[3], next[3];
            for (k = 0; k < 3; k++) input[k] = g[k] + (total[k] - r[o][k]);
            dcli_law_solve(m, poses[o].friction, h, &gaps[o], input, &law, v);
            for (k = 0; k < 3; k++) {
                next[k] = law.branch == DCL_BRANCH_FREE ? 0 : m * v[k] - input[k];
                change = fmax(change, fabs(next[k] - r[o][k]));
                total[k] += next[k] - r[o][k];
                r[o][k] = next[k];
                largest = fmax(largest, fabs(next[k]));
            }
        }
        if (!(change > 1e-15 * (size + dcli_norm(total) + largest))) break;
    }
    node->count = 0;
    node->margin = 1;
    for (k = 0; k < 3; k++) v[k] = (g[k] + total[k]) / m;
    for (o = 0; o < obstacles; o++) {
        double input[3], vo[3];
        for (k = 0; k < 3; k++) input[k] = g[k] + (total[k] - r[o][k]);
        dcli_law_solve(m, poses[o].friction, h, &gaps[o], input, &law, vo);
        node->margin = fmin(node->margin, law.margin);
        if (law.branch == DCL_BRANCH_FREE || node->count == DCLI_NODE_CONTACTS) continue;
        node->obstacle[node->count] = o;
        node->law[node->count] = law;
        dcli_copy3(node->impulse[node->count++], r[o]);
        /* The exact surface velocity, so that sticking is free of rounding. */
        if (law.branch == DCL_BRANCH_STICK || node->count == 1) dcli_copy3(v, vo);
    }
}

/* Index of a sticking contact of the node, or -1. One that sticks fixes the velocity. */
static int dcli_node_stuck(const dcli_node *node)
{
    int c;
    for (c = 0; c < node->count; c++)
        if (node->law[c].branch == DCL_BRANCH_STICK) return c;
    return -1;
}

/* Solves the dense system A x = b of size s (columns of length s) for several right-hand sides by
   complete pivoting; directions without a pivot get zero. A and b are overwritten. */
static void dcli_dense_solve(int s, double *A, int rhs, double *b)
{
    int row_of[16], col_of[16], k, i, j, c, rank = s;
    double first = 0;
    for (k = 0; k < s; k++) row_of[k] = col_of[k] = k;
    for (k = 0; k < s; k++) {
        int pi = k, pj = k;
        double best = 0;
        for (i = k; i < s; i++)
            for (j = k; j < s; j++)
                if (fabs(A[col_of[j] * s + row_of[i]]) > best) {
                    best = fabs(A[col_of[j] * s + row_of[i]]);
                    pi = i;
                    pj = j;
                }
        if (k == 0) first = best;
        if (!(best > 1e-12 * first)) {
            rank = k;
            break;
        }
        i = row_of[k], row_of[k] = row_of[pi], row_of[pi] = i;
        j = col_of[k], col_of[k] = col_of[pj], col_of[pj] = j;
        for (i = k + 1; i < s; i++) {
            double f = A[col_of[k] * s + row_of[i]] / A[col_of[k] * s + row_of[k]];
            for (j = k; j < s; j++)
                A[col_of[j] * s + row_of[i]] -= f * A[col_of[j] * s + row_of[k]];
            for (c = 0; c < rhs; c++) b[c * s + row_of[i]] -= f * b[c * s + row_of[k]];
        }
    }
    for (c = 0; c < rhs; c++) {
        double x[16] = {0};
        for (k = rank - 1; k >= 0; k--) {
            double sum = b[c * s + row_of[k]];
            for (j = k + 1; j < rank; j++) sum -= A[col_of[j] * s + row_of[k]] * x[col_of[j]];
            x[col_of[k]] = sum / A[col_of[k] * s + row_of[k]];
        }
        for (k = 0; k < s; k++) b[c * s + k] = x[k];
    }
}

/* The system behind a node that slips on several obstacles, unknowns (v, r_1 ... r_c):
   m v - g - sum r_c (n_c - mu_c t_c(v)) = 0,   n_c.(v - w_c) + d_c/h = 0.
   Fills its matrix (columns of length 3 + count). */
static void dcli_node_matrix(const dcli_node *node, const dcli_pose *poses, const dcli_gap *gaps,
                             double m, const double *v, double *A)
{
    int s = 3 + node->count, c, i, j;
    memset(A, 0, (size_t)(s * s) * sizeof *A);
    for (i = 0; i < 3; i++) A[i * s + i] = m;
    for (c = 0; c < node->count; c++) {
        const dcli_gap *gap = &gaps[node->obstacle[c]];
        const dcli_law *law = &node->law[c];
        double mu = poses[node->obstacle[c]].friction, u[3], ut;
        dcli_sub3(u, v, gap->w);
        dcli_project(gap->n, u);
        ut = dcli_norm(u);
        for (i = 0; i < 3; i++) {
            A[(3 + c) * s + i] = -(gap->n[i] - mu * law->t[i]);
            A[i * s + 3 + c] = gap->n[i];
            for (j = 0; j < 3; j++)
                if (ut > 0)
                    A[j * s + i] += mu * law->rn / ut *
                                    ((i == j) - gap->n[i] * gap->n[j] - law->t[i] * law->t[j]);
        }
    }
}

static void dcli_node_D(const dcli_node *node, const dcli_pose *poses, const dcli_gap *gaps,
                        double m, const double *v, double *D)
{
    double A[16 * 16], b[3 * 16];
    int s = 3 + node->count, c, k;
    if (node->count == 1) {
        dcli_law_D(&node->law[0], poses[node->obstacle[0]].friction, gaps[node->obstacle[0]].n, D);
        return;
    }
    dcli_identity3(D, 0);
    if (dcli_node_stuck(node) >= 0) return;
    dcli_node_matrix(node, poses, gaps, m, v, A);
    memset(b, 0, sizeof b);
    for (c = 0; c < 3; c++) b[c * s + c] = m;
    dcli_dense_solve(s, A, 3, b);
    for (c = 0; c < 3; c++)
        for (k = 0; k < 3; k++) D[3 * c + k] = b[c * s + k];
}

/* d (slip direction)/d (n, w) enters both adjoint and tangent of several contacts:
   t = u_T/|u_T|, u_T = u - (n.u) n, u = v - w. Direction y in, sensitivities out. */
static void dcli_slip_direction_adj(const dcli_gap *gap, const double *t, const double *v,
                                    const double *y, double *adj_n, double *adj_w)
{
    double u[3], p[3], ut[3], length, un, k;
    dcli_sub3(u, v, gap->w);
    un = dcli_dot(u, gap->n);
    dcli_copy3(ut, u);
    dcli_axpy3(ut, -un, gap->n);
    length = dcli_norm(ut);
    if (!(length > 0)) return;
    dcli_copy3(p, y);
    dcli_axpy3(p, -dcli_dot(p, t), t);
    k = dcli_dot(p, gap->n);
    dcli_axpy3(adj_n, -k / length, u);
    dcli_axpy3(adj_n, -un / length, p);
    dcli_axpy3(p, -k, gap->n);
    dcli_axpy3(adj_w, -1 / length, p);
}

/* Adjoint of the node's law for its inputs except g: y = dL/dv. adj has one entry per contact of
   the node; the mass is in adj[0]. */
static void dcli_node_adjoint(const dcli_node *node, const dcli_pose *poses, const dcli_gap *gaps,
                              double m, double h, const double *g, const double *v,
                              const double *y, dcli_law_adj *adj)
{
    double A[16 * 16], T[16 * 16], b[16];
    int s = 3 + node->count, c, i, j, stuck = dcli_node_stuck(node);
    if (node->count == 1 || stuck >= 0) {
        if (stuck < 0) stuck = 0;
        memset(adj, 0, (size_t)node->count * sizeof *adj);
        i = node->obstacle[stuck];
        dcli_law_adjoint(&node->law[stuck], m, poses[i].friction, h, &gaps[i], g, y, &adj[stuck]);
        return;
    }
    dcli_node_matrix(node, poses, gaps, m, v, A);
    for (i = 0; i < s; i++)
        for (j = 0; j < s; j++) T[j * s + i] = A[i * s + j];
    memset(b, 0, sizeof b);
    dcli_copy3(b, y);
    dcli_dense_solve(s, T, 1, b);
    memset(adj, 0, (size_t)node->count * sizeof *adj);
    adj[0].m = -dcli_dot(b, v);
    for (c = 0; c < node->count; c++) {
        const dcli_gap *gap = &gaps[node->obstacle[c]];
        const dcli_law *law = &node->law[c];
        double mu = poses[node->obstacle[c]].friction, u[3], ty[3];
        dcli_sub3(u, v, gap->w);
        adj[c].mu = -law->rn * dcli_dot(b, law->t);
        adj[c].d = -b[3 + c] / h;
        for (i = 0; i < 3; i++) {
            adj[c].n[i] = law->rn * b[i] - b[3 + c] * u[i];
            adj[c].w[i] = b[3 + c] * gap->n[i];
            ty[i] = -mu * law->rn * b[i];
        }
        dcli_slip_direction_adj(gap, law->t, v, ty, adj[c].n, adj[c].w);
    }
}

/* Tangent of the node's velocity at fixed g. dgaps and dposes are indexed by obstacle. */
static void dcli_node_tangent(const dcli_node *node, const dcli_pose *poses, const dcli_gap *gaps,
                              double m, double h, const double *g, const double *v, double dm,
                              const dcli_pose_adj *dposes, const dcli_gap *dgaps, double *dv)
{
    double A[16 * 16], b[16];
    int s = 3 + node->count, c, i, stuck = dcli_node_stuck(node);
    if (node->count == 1 || stuck >= 0) {
        i = node->obstacle[stuck < 0 ? 0 : stuck];
        dcli_law_tangent(&node->law[stuck < 0 ? 0 : stuck], m, poses[i].friction, h, &gaps[i], g,
                         dm, dposes[i].friction, &dgaps[i], dv);
        return;
    }
    dcli_node_matrix(node, poses, gaps, m, v, A);
    memset(b, 0, sizeof b);
    for (i = 0; i < 3; i++) b[i] = -dm * v[i];
    for (c = 0; c < node->count; c++) {
        int o = node->obstacle[c];
        const dcli_gap *gap = &gaps[o], *d = &dgaps[o];
        const dcli_law *law = &node->law[c];
        double mu = poses[o].friction, u[3], dut[3], un, ut[3], length, along;
        dcli_sub3(u, v, gap->w);
        un = dcli_dot(u, gap->n);
        dcli_copy3(ut, u);
        dcli_axpy3(ut, -un, gap->n);
        length = dcli_norm(ut);
        for (i = 0; i < 3; i++) dut[i] = -d->w[i];
        dcli_project(gap->n, dut);
        dcli_axpy3(dut, -dcli_dot(d->n, u), gap->n);
        dcli_axpy3(dut, -un, d->n);
        along = dcli_dot(dut, law->t);
        b[3 + c] = -dcli_dot(d->n, u) + dcli_dot(gap->n, d->w) - d->d / h;
        for (i = 0; i < 3; i++) {
            double dt = length > 0 ? (dut[i] - along * law->t[i]) / length : 0;
            b[i] += law->rn * (d->n[i] - dposes[o].friction * law->t[i] - mu * dt);
        }
    }
    dcli_dense_solve(s, A, 1, b);
    dcli_copy3(dv, b);
}

/* ---- >>impl-self ------------------------------------------------------------------------------
   Contact of the cloth with itself. A contact is a point of one piece of the mesh against a point
   of another: weights b (positive on one side, negative on the other, sum zero) on up to four
   vertices, a unit normal n from the second to the first, and the gap d = n.(sum b x0) - thickness
   at the start of the step. Its impulse r obeys the same law as that of an obstacle, on the
   relative velocity u = sum b v. All frames come from the start of the step or, for pieces that
   meet during it, from where they meet on their way at the velocities that external forces
   alone would give: both are functions of x0, v0 and the parameters, so derivatives are exact. */

#define DCLI_NEAR 2.0       /* pieces nearer than this many thicknesses are watched, range > 1 */
#define DCLI_CONE 1e-3 /* sine of an angle; features flatter than that have no cone of normals */
#define DCLI_CLEARANCE 0.2  /* of the thickness (or the distance at the start, if that is less): no
                               two pieces ever come nearer within a step, range (0, 1) */
#define DCLI_SELF_SECOND                                                                           \
    0.8 /* thickness of the contacts that only help out, in units of the full one */
#define DCLI_SELF_DESCENTS 50 /* such rounds at most */
#define DCLI_SELF_RELAX 0.1 /* range (0, 1); more is faster and diverges where many contacts meet */
#define DCLI_SELF_DESCENT                                                                          \
    30 /* stiffness of contacts while the objective is descended, times the mass                   \
          that they feel; each round gains about this factor */
#define DCLI_SELF_CLOSE 1e-5   /* relative residual from where Newton ends a slow descent */
#define DCLI_SELF_STIFFEST 1e5 /* to where that rises while rounds gain less than a factor of 2 */
#define DCLI_SELF_SOFTNESS 1e-4 /* of a sticking contact in the factored matrix; each round of
                                   refinement gains about this factor */
#define DCLI_SELF_ROUNDS 40 /* times a step is solved again with contacts found on its way */

/* Number of vertices of a feature pair, of its free coordinates, and how b depends on those:
   b = first + sum_k coordinate_k * slope_k. */
static const int dcli_feature_vertices[4] = {2, 3, 4, 4};
static const int dcli_feature_freedom[4] = {0, 1, 2, 2};
static const double dcli_feature_first[4][4] = {
    {1, -1, 0, 0}, {1, -1, 0, 0}, {1, -1, 0, 0}, {1, 0, -1, 0}};
static const double dcli_feature_slope[4][2][4] = {
    {{0, 0, 0, 0}, {0, 0, 0, 0}},
    {{0, 1, -1, 0}, {0, 0, 0, 0}},
    {{0, 1, -1, 0}, {0, 1, 0, -1}},
    {{-1, 1, 0, 0}, {0, 0, 1, -1}}};

/* x of the pair's vertex i relative to its first, at fraction s of a step at velocities v (which
   may be NULL if s is 0). */
static void dcli_self_point(const dcli_self_pair *c, int i, const double *x0, const double *v,
                            double sh, double *out)
{
    size_t a = 3 * (size_t)c->v[i], o = 3 * (size_t)c->v[0];
    int k;
    for (k = 0; k < 3; k++) {
        out[k] = x0[a + (size_t)k] - x0[o + (size_t)k];
        if (v) out[k] += sh * (v[a + (size_t)k] - v[o + (size_t)k]);
    }
}

static void dcli_self_points(const dcli_self_pair *c, const double *x0, const double *v, double sh,
                             double X[4][3])
{
    int i;
    for (i = 0; i < dcli_feature_vertices[c->feature]; i++)
        dcli_self_point(c, i, x0, v, sh, X[i]);
}

/* e = sum b X. */
static void dcli_self_sum(const dcli_self_pair *c, double (*X)[3], double *e)
{
    int i;
    dcli_set3(e, 0, 0, 0);
    for (i = 0; i < dcli_feature_vertices[c->feature]; i++) dcli_axpy3(e, c->b[i], X[i]);
}

static void dcli_self_weights(dcli_self_pair *c, const double *coordinate)
{
    int i, k;
    for (i = 0; i < 4; i++) {
        c->b[i] = dcli_feature_first[c->feature][i];
        for (k = 0; k < dcli_feature_freedom[c->feature]; k++)
            c->b[i] += coordinate[k] * dcli_feature_slope[c->feature][k][i];
    }
}

/* T_k = d e/d coordinate k, and the inverse of the symmetric matrix T_k.T_l (00, 01, 11). */
static void dcli_self_directions(const dcli_self_pair *c, double (*X)[3], double T[2][3],
                                 double *inverse)
{
    int freedom = dcli_feature_freedom[c->feature], i, k;
    double a, b, d, det;
    memset(T, 0, 6 * sizeof(double));
    for (k = 0; k < freedom; k++)
        for (i = 0; i < 4; i++)
            if (dcli_feature_slope[c->feature][k][i] != 0)
                dcli_axpy3(T[k], dcli_feature_slope[c->feature][k][i], X[i]);
    a = dcli_dot(T[0], T[0]);
    b = dcli_dot(T[0], T[1]);
    d = dcli_dot(T[1], T[1]);
    inverse[0] = inverse[1] = inverse[2] = 0;
    if (freedom == 1) {
        inverse[0] = 1 / a;
    } else if (freedom == 2) {
        det = a * d - b * b;
        inverse[0] = d / det;
        inverse[1] = -b / det;
        inverse[2] = a / det;
    }
}

static void dcli_self_set(dcli_self_pair *c, dcli_feature feature, int v0, int v1, int v2, int v3)
{
    c->feature = feature;
    c->v[0] = v0;
    c->v[1] = v1;
    c->v[2] = v2;
    c->v[3] = v3;
}

/* The pair of a vertex and a segment, reduced to the features that are nearest. */
static void dcli_closest_vertex_edge(int p, int a, int b, const double *P, const double *A,
                                     const double *B, dcli_self_pair *c)
{
    double s = dcli_closest_on_segment(P, A, B), none[2] = {0, 0};
    if (s > 0 && s < 1) {
        dcli_self_set(c, DCLI_VERTEX_EDGE, p, a < b ? a : b, a < b ? b : a, -1);
        none[0] = a < b ? s : 1 - s;
    } else {
        int q = s > 0 ? b : a;
        dcli_self_set(c, DCLI_VERTEX_VERTEX, p < q ? p : q, p < q ? q : p, -1, -1);
    }
    dcli_self_weights(c, none);
}

/* A vertex and a triangle (collinear ones count as their edges). */
static void dcli_closest_vertex_face(int p, const int *t, const double *P, double (*A)[3],
                                     dcli_self_pair *c)
{
    double e1[3], e2[3], d[3], a, b, f, g, h, det, s[2], best = HUGE_VAL;
    int k;
    dcli_sub3(e1, A[1], A[0]);
    dcli_sub3(e2, A[2], A[0]);
    dcli_sub3(d, P, A[0]);
    a = dcli_dot(e1, e1);
    b = dcli_dot(e1, e2);
    f = dcli_dot(e2, e2);
    g = dcli_dot(d, e1);
    h = dcli_dot(d, e2);
    det = a * f - b * b;
    if (det > 16 * DCLI_EPS * a * f) {
        s[0] = (f * g - b * h) / det;
        s[1] = (a * h - b * g) / det;
        if (s[0] > 0 && s[1] > 0 && s[0] + s[1] < 1) {
            dcli_self_set(c, DCLI_VERTEX_FACE, p, t[0], t[1], t[2]);
            dcli_self_weights(c, s);
            return;
        }
    }
    for (k = 0; k < 3; k++) {
        int q = (k + 1) % 3;
        double fraction = dcli_closest_on_segment(P, A[k], A[q]), point[3], square;
        int i;
        for (i = 0; i < 3; i++) point[i] = P[i] - A[k][i] - fraction * (A[q][i] - A[k][i]);
        square = dcli_dot(point, point);
        if (!(square < best)) continue;
        best = square;
        dcli_closest_vertex_edge(p, t[k], t[q], P, A[k], A[q], c);
    }
}

/* Two segments a0 a1 and b0 b1; the inner case only if they are not parallel. */
static void dcli_closest_edges(const int *v, double (*X)[3], dcli_self_pair *c)
{
    double ea[3], eb[3], d[3], aa, ab, bb, da, db, det, s[2], best = HUGE_VAL;
    int k, i;
    dcli_sub3(ea, X[1], X[0]);
    dcli_sub3(eb, X[3], X[2]);
    dcli_sub3(d, X[2], X[0]);
    aa = dcli_dot(ea, ea);
    ab = dcli_dot(ea, eb);
    bb = dcli_dot(eb, eb);
    da = dcli_dot(d, ea);
    db = dcli_dot(d, eb);
    det = aa * bb - ab * ab;
    if (det > 1e-8 * aa * bb) {
        s[0] = (bb * da - ab * db) / det;
        s[1] = (ab * da - aa * db) / det;
        if (s[0] > 0 && s[0] < 1 && s[1] > 0 && s[1] < 1) {
            dcli_self_set(c, DCLI_EDGE_EDGE, v[0], v[1], v[2], v[3]);
            dcli_self_weights(c, s);
            return;
        }
    }
    for (k = 0; k < 4; k++) { /* an end of one against the other */
        int p = k, a = k < 2 ? 2 : 0;
        double fraction = dcli_closest_on_segment(X[p], X[a], X[a + 1]), point[3], square;
        for (i = 0; i < 3; i++) point[i] = X[p][i] - X[a][i] - fraction * (X[a + 1][i] - X[a][i]);
        square = dcli_dot(point, point);
        if (!(square < best)) continue;
        best = square;
        dcli_closest_vertex_edge(v[p], v[a], v[a + 1], X[p], X[a], X[a + 1], c);
    }
}

/* From the sensitivities of a contact's weights, normal and gap to x0 and, if the frame is taken on
   the way, to the velocities `v` of that way. With e = sum b X, T_k = de/d coordinate k, the
   coordinates are where T_k.e = 0; the fraction s is where |e| is the thickness. */
static void dcli_self_frame_adj(const dcli_self_pair *c, const double *x0, const double *v,
                                double h, double adj_d, double *adj_b, double *adj_n,
                                double *adj_x0, double *adj_v)
{
    int count = dcli_feature_vertices[c->feature], freedom = dcli_feature_freedom[c->feature], i, k;
    double X[4][3], S[4][3], aX[4][3], e[3], ae[3], T[2][3], inverse[3], al[2] = {0, 0}, mu[2],
                                                                         length, as = 0;
    dcli_self_points(c, x0, NULL, 0, S);
    for (i = 0; i < count; i++) { /* d = n.(sum b x0) - thickness */
        dcli_axpy3(adj_n, adj_d * c->b[i], S[i]);
        adj_b[i] += adj_d * dcli_dot(c->n, S[i]);
        dcli_axpy3(adj_x0 + 3 * (size_t)c->v[i], adj_d * c->b[i], c->n);
    }
    if (c->frozen) return;
    dcli_self_points(c, x0, c->s > 0 ? v : NULL, c->s * h, X);
    dcli_self_sum(c, X, e);
    length = dcli_norm(e);
    dcli_copy3(ae, adj_n);
    dcli_project(c->n, ae);
    for (k = 0; k < 3; k++) ae[k] /= length;
    dcli_self_directions(c, X, T, inverse);
    for (i = 0; i < count; i++) {
        double ab = adj_b[i] + dcli_dot(ae, X[i]);
        for (k = 0; k < 3; k++) aX[i][k] = c->b[i] * ae[k];
        for (k = 0; k < freedom; k++) al[k] += ab * dcli_feature_slope[c->feature][k][i];
    }
    mu[0] = inverse[0] * al[0] + inverse[1] * al[1];
    mu[1] = inverse[1] * al[0] + inverse[2] * al[1];
    for (i = 0; i < count; i++)
        for (k = 0; k < freedom; k++) {
            dcli_axpy3(aX[i], -mu[k] * c->b[i], T[k]);
            dcli_axpy3(aX[i], -mu[k] * dcli_feature_slope[c->feature][k][i], e);
        }
    if (c->s > 0) {
        double rate = 0;
        for (i = 0; i < count; i++) {
            const double *vi = v + 3 * (size_t)c->v[i];
            as += h * dcli_dot(aX[i], vi);
            rate += c->b[i] * dcli_dot(c->n, vi);
        }
        for (i = 0; i < count; i++) dcli_axpy3(aX[i], -as / (h * rate) * c->b[i], c->n);
    }
    for (i = 0; i < count; i++) {
        dcli_axpy3(adj_x0 + 3 * (size_t)c->v[i], 1, aX[i]);
        if (c->s > 0) dcli_axpy3(adj_v + 3 * (size_t)c->v[i], c->s * h, aX[i]);
    }
}

/* The same forwards: db, dn and (returned) dd along dx0 and dv. */
static double dcli_self_frame_d(const dcli_self_pair *c, const double *x0, const double *v,
                                double h, const double *dx0, const double *dv, double *db,
                                double *dn)
{
    int count = dcli_feature_vertices[c->feature], freedom = dcli_feature_freedom[c->feature], i, k;
    double X[4][3], S[4][3], D[4][3], e[3], de[3], T[2][3], inverse[3], b[2], dl[2], length, dd = 0;
    dcli_self_points(c, x0, NULL, 0, S);
    dcli_set3(dn, 0, 0, 0);
    memset(db, 0, 4 * sizeof *db);
    if (!c->frozen) {
        dcli_self_points(c, x0, c->s > 0 ? v : NULL, c->s * h, X);
        dcli_self_points(c, dx0, c->s > 0 ? dv : NULL, c->s * h, D);
        if (c->s > 0) {
            double V[4][3], zero[3] = {0, 0, 0}, rate = 0, late = 0;
            for (i = 0; i < count; i++) {
                for (k = 0; k < 3; k++)
                    V[i][k] = h * (v[3 * (size_t)c->v[i] + (size_t)k] -
                                   v[3 * (size_t)c->v[0] + (size_t)k]);
                rate += c->b[i] * dcli_dot(c->n, V[i]);
                late += c->b[i] * dcli_dot(c->n, D[i]);
            }
            (void)zero;
            for (i = 0; i < count; i++) dcli_axpy3(D[i], -late / rate, V[i]);
        }
        dcli_self_sum(c, X, e);
        dcli_self_sum(c, D, de);
        length = dcli_norm(e);
        dcli_self_directions(c, X, T, inverse);
        for (k = 0; k < 2; k++) {
            double dT[3] = {0, 0, 0};
            for (i = 0; i < count && k < freedom; i++)
                dcli_axpy3(dT, dcli_feature_slope[c->feature][k][i], D[i]);
            b[k] = -dcli_dot(T[k], de) - dcli_dot(dT, e);
        }
        dl[0] = inverse[0] * b[0] + inverse[1] * b[1];
        dl[1] = inverse[1] * b[0] + inverse[2] * b[1];
        for (k = 0; k < freedom; k++) {
            dcli_axpy3(de, dl[k], T[k]);
            for (i = 0; i < count; i++) db[i] += dl[k] * dcli_feature_slope[c->feature][k][i];
        }
        dcli_project(c->n, de);
        for (k = 0; k < 3; k++) dn[k] = de[k] / length;
    }
    for (i = 0; i < count; i++) {
        double D0[3];
        dcli_self_point(c, i, dx0, NULL, 0, D0);
        dd += c->b[i] * (dcli_dot(dn, S[i]) + dcli_dot(c->n, D0)) + db[i] * dcli_dot(c->n, S[i]);
    }
    return dd;
}

/* The law as a projection: r = proj(w), w = r - rho (u + d/h n), onto the cone r_N >= 0,
   |r_T| <= mu r_N with r_N kept (Alart, Curnier 1991). Evaluates it and its derivative P. */
static void dcli_self_project(dcli_self_pair *c, const double *w, double mu)
{
    double wn = dcli_dot(w, c->n), wt[3], t, size, limit, a, p[3] = {0, 0, 0};
    int k;
    dcli_copy3(wt, w);
    dcli_axpy3(wt, -wn, c->n);
    t = dcli_norm(wt);
    size = fabs(wn) + t;
    limit = mu * fmax(wn, 0);
    memset(c->P, 0, sizeof c->P);
    c->margin = size > 0 ? fabs(wn) / size : 1;
    c->branch =
        wn > 0 ? t <= limit && mu > 0 ? DCL_BRANCH_STICK : DCL_BRANCH_SLIP : DCL_BRANCH_FREE;
    if (wn > 0 && mu > 0) c->margin = fmin(c->margin, fabs(t - limit) / size);
    if (c->branch == DCL_BRANCH_STICK) {
        dcli_copy3(p, w);
        dcli_identity3(c->P, 1);
    } else if (c->branch == DCL_BRANCH_SLIP) {
        dcli_axpy3(p, wn, c->n);
        dcli_add_outer(c->P, 1, c->n, c->n);
        if (mu > 0) {
            a = limit / t;
            dcli_axpy3(p, a, wt);
            for (k = 0; k < 9; k += 4) c->P[k] += a;
            dcli_add_outer(c->P, -a, c->n, c->n);
            dcli_add_outer(c->P, -a / (t * t), wt, wt);
            dcli_add_outer(c->P, mu / t, wt, c->n);
        }
    }
    dcli_sub3(c->miss, c->r, p);
}

/* While the objective is descended: a contact's impulse r as the gradient of an energy of its
   relative velocity, for the impulse `held` and the friction bound mu held_N of the last round
   (augmented Lagrangian). w = held - stiffness (u + d/h n). Sets r, W = -dr/du (symmetric, positive
   semidefinite) and returns the energy. */
static double dcli_potential(const double *n, const double *w, const double *held, double stiffness,
                             double mu, double *r, double *W)
{
    double wn = dcli_dot(w, n), wt[3], t, bound = mu * fmax(0, dcli_dot(held, n)), energy = 0, a;
    int k;
    memset(W, 0, 9 * sizeof *W);
    dcli_set3(r, 0, 0, 0);
    if (wn > 0) {
        dcli_axpy3(r, wn, n);
        dcli_add_outer(W, stiffness, n, n);
        energy += wn * wn / (2 * stiffness);
    }
    if (!(bound > 0)) return energy;
    dcli_copy3(wt, w);
    dcli_axpy3(wt, -wn, n);
    t = dcli_norm(wt);
    a = t > bound ? bound / t : 1;
    dcli_axpy3(r, a, wt);
    for (k = 0; k < 9; k += 4) W[k] += stiffness * a;
    dcli_add_outer(W, -stiffness * a, n, n);
    if (a < 1) dcli_add_outer(W, -stiffness * a / (t * t), wt, wt);
    return energy + (a < 1 ? bound * t - 0.5 * bound * bound : 0.5 * t * t) / stiffness;
}

/* What is needed to take r out of the linear system: N = (I - (1 - eps) P)^-1 and W = N rho P.
   Where a contact sticks, P = I, the impulse does not appear in its own equation; eps makes it
   appear, and refinement takes the error out again. */
static void dcli_self_eliminate(dcli_self_pair *c, double softness)
{
    double A[9], t[9];
    int k;
    for (k = 0; k < 9; k++) A[k] = -(1 - softness) * c->P[k];
    for (k = 0; k < 9; k += 4) A[k] += 1;
    dcli_cross(A + 3, A + 6, t);
    dcli_cross(A + 6, A, t + 3);
    dcli_cross(A, A + 3, t + 6); /* rows of the adjugate */
    {
        double det = dcli_dot(A, t);
        int r, q;
        for (q = 0; q < 3; q++)
            for (r = 0; r < 3; r++) c->N[3 * q + r] = t[3 * r + q] / det;
    }
    dcli_matmul3(c->N, c->P, 0, c->W);
    for (k = 0; k < 9; k++) c->W[k] *= c->rho;
}

/* Sensitivity of the projection at y on r: to the normal (added) and, returned, to mu. */
static double dcli_self_project_adj(const dcli_self_pair *c, const double *w, double mu,
                                    const double *y, double *adj_n)
{
    double wn = dcli_dot(w, c->n), wt[3], t, ywt, yn = dcli_dot(y, c->n), q[3], along;
    int k;
    if (c->branch != DCL_BRANCH_SLIP) return 0;
    dcli_copy3(wt, w);
    dcli_axpy3(wt, -wn, c->n);
    t = dcli_norm(wt);
    if (!(t > 0)) t = DBL_MAX; /* without friction only: no direction, no part in what follows */
    for (k = 0; k < 3; k++) wt[k] /= t;
    ywt = dcli_dot(y, wt);
    /* r = wn n + mu wn t:  dr = (w.dn)(n + mu t) + wn dn + mu wn dt,
       dt = (I - t t^T)(-(w.dn) n - wn dn)/|wt| */
    dcli_copy3(q, y);
    dcli_axpy3(q, -ywt, wt);
    along = yn + mu * ywt - mu * wn / t * dcli_dot(q, c->n);
    dcli_axpy3(adj_n, along, w);
    dcli_axpy3(adj_n, wn, y);
    dcli_axpy3(adj_n, -mu * wn * wn / t, q);
    return wn * ywt;
}

static void dcli_self_project_d(const dcli_self_pair *c, const double *w, double mu,
                                const double *dn, double dmu, double *dr)
{
    double wn = dcli_dot(w, c->n), wt[3], t, dwn = dcli_dot(w, dn), dt[3];
    int k;
    dcli_set3(dr, 0, 0, 0);
    if (c->branch != DCL_BRANCH_SLIP) return;
    dcli_copy3(wt, w);
    dcli_axpy3(wt, -wn, c->n);
    t = dcli_norm(wt);
    if (!(t > 0)) t = DBL_MAX;
    for (k = 0; k < 3; k++) wt[k] /= t;
    for (k = 0; k < 3; k++) dt[k] = -(dwn * c->n[k] + wn * dn[k]) / t;
    dcli_project(wt, dt);
    dcli_axpy3(dr, dwn, c->n);
    dcli_axpy3(dr, wn, dn);
    dcli_axpy3(dr, mu * dwn + dmu * wn, wt);
    dcli_axpy3(dr, mu * wn, dt);
}

/* What self-contact needs in a workspace. The arrays grow with the number of contacts. */
typedef struct dcli_self {
    dcli_self_pair *pairs;
    size_t capacity;
    int count, active; /* pairs; those with an impulse at the last evaluation */
    double allowed;    /* weighted mean of the merits so far (Zhang, Hager 2004) */
    double softness;   /* of sticking contacts in the factored matrix */
    double stiffness;  /* of contacts while the objective is descended, see DCLI_SELF_DESCENT */
    int descending;    /* impulses are those of dcli_self_potential, not unknowns */
    int ways;          /* pairs whose frame is taken on the way */
    double gap;        /* norm of r - start, N s */
    double *boxes;     /* 6 per tree node: least and largest corner */
    double *predicted; /* 3n: velocities that external forces alone would give */
    double *held; /* 3 per vertex and obstacle: impulse assumed while the objective is descended */
    double *push;      /* 9n: what obstacles add to the Hessian meanwhile */
    double *weight;    /* n: kg, what a vertex resists a push with: mass and stiffness */
    double *beta;      /* 3n: sensitivity, or tangent, of m predicted */
    double *y;         /* 3 per pair and four of them: adjoint or tangent of the impulses */
    size_t y_capacity;
    /* the pattern of the elastic system and the contacts, and its factor */
    int *col_start, *row_index, *map; /* map: place of every entry of the model's pattern */
    uint64_t *couplings;
    double *lower, *upper;
    size_t entry_capacity, coupling_capacity, lower_capacity, upper_capacity;
    int pattern_made; /* for the coupled contacts of this step */
    uint64_t pattern_key;
    dcs_analysis *analysis;
    dcs_factor *factor, *symmetric;
} dcli_self;

/* Makes room for `need` items of `size` bytes; what was there is kept. */
static int dcli_grow(const dcl_allocator *allocator, void *array, size_t *capacity, size_t need,
                     size_t size)
{
    void *old, *grown;
    size_t items = *capacity;
    if (need <= items) return 1;
    if (need > SIZE_MAX / 4 / size) return 0;
    while (items < need) items = items + items / 2 + 64;
    grown = dcli_alloc(allocator, items * size);
    if (!grown) return 0;
    memcpy(&old, array, sizeof old);
    if (old) memcpy(grown, old, *capacity * size);
    dcli_free(allocator, old, *capacity * size);
    memcpy(array, &grown, sizeof grown);
    *capacity = items;
    return 1;
}

typedef enum dcli_search {
    DCLI_SEARCH_FIRST,  /* contacts to begin with */
    DCLI_SEARCH_VERIFY, /* what comes too near in spite of them */
    DCLI_SEARCH_CLEAR,  /* how far the way is free */
    DCLI_SEARCH_PIERCED /* edges that go through faces at the start */
} dcli_search;

/* A search for pairs of pieces that come near each other on the way x0 + s h v. */
typedef struct dcli_self_search {
    const dcl_model *model;
    dcli_self *self;
    const double *x0, *v;
    double h;
    dcli_search kind;
    double way;   /* fraction of it that is free */
    int overlaps; /* a pair closer than rounding at the start was met: `nearest` */
    dcli_self_pair nearest;
    int failed; /* out of memory */
} dcli_self_search;

static void dcli_self_closest(const dcli_self_search *q, dcli_feature feature, const int *v,
                              double s, const double *positions, dcli_self_pair *c, double *e)
{
    double P[4][3], X[4][3];
    dcli_self_pair all;
    dcli_self_set(&all, feature == DCLI_VERTEX_VERTEX ? feature : DCLI_EDGE_EDGE, v[0], v[1], v[2],
                  v[3]);
    dcli_self_points(&all, positions, s > 0 ? q->v : NULL, s * q->h, P);
    if (feature == DCLI_VERTEX_FACE) {
        dcli_closest_vertex_face(v[0], v + 1, P[0], P + 1, c);
    } else if (feature == DCLI_EDGE_EDGE) {
        dcli_closest_edges(v, P, c);
    } else {
        double none[2] = {0, 0};
        dcli_self_set(c, feature, v[0], v[1], -1, -1);
        dcli_self_weights(c, none);
    }
    dcli_self_points(c, positions, s > 0 ? q->v : NULL, s * q->h, X);
    dcli_self_sum(c, X, e);
}

/* The largest displacement of one side relative to the other within the step. */
static double dcli_self_reach(const dcli_self_search *q, dcli_feature feature, const int *v)
{
    int count = feature == DCLI_VERTEX_VERTEX ? 2 : 4, split = feature == DCLI_EDGE_EDGE ? 2 : 1, i,
        k;
    double mean[3] = {0, 0, 0}, side[2] = {0, 0};
    for (i = 0; i < count; i++) dcli_axpy3(mean, 1.0 / count, q->v + 3 * (size_t)v[i]);
    for (i = 0; i < count; i++) {
        double d[3], square;
        for (k = 0; k < 3; k++) d[k] = q->v[3 * (size_t)v[i] + (size_t)k] - mean[k];
        square = dcli_dot(d, d);
        if (square > side[i >= split]) side[i >= split] = square;
    }
    return q->h * (sqrt(side[0]) + sqrt(side[1]));
}

/* Fraction of the step after which the distance has fallen to the target, by steps that cannot jump
   over it; 2 if it never does. */
static double dcli_self_advance(const dcli_self_search *q, dcli_feature feature, const int *v,
                                double distance, double reach, double target)
{
    double s = 0, e[3];
    dcli_self_pair c;
    int it;
    for (it = 0; it < 300 && distance > 1.01 * target; it++) {
        s += (distance - target) / reach;
        if (s >= 1) return 2;
        dcli_self_closest(q, feature, v, s, q->x0, &c, e);
        distance = dcli_norm(e);
    }
    return s;
}

/* Moves the fraction c->s to where |e| = target exactly (Newton). 0 if the pieces do not approach.
 */
static int dcli_self_meet(const dcli_self_search *q, dcli_feature feature, const int *v,
                          double target, dcli_self_pair *c)
{
    double s = c->s, e[3], rate, length, step;
    int it, i;
    for (it = 0; it < 30; it++) {
        dcli_self_closest(q, feature, v, s, q->x0, c, e);
        length = dcli_norm(e);
        if (!(length > 0)) return 0;
        for (i = 0, rate = 0; i < dcli_feature_vertices[c->feature]; i++)
            rate += c->b[i] * dcli_dot(e, q->v + 3 * (size_t)c->v[i]) / length;
        rate *= q->h;
        if (!(rate < 0)) return 0;
        step = (target - length) / rate;
        s += step;
        if (!(s > 0 && s <= 1)) return 0;
        if (fabs(step) <= 1e-14) break;
    }
    dcli_self_closest(q, feature, v, s, q->x0, c, e);
    c->s = s;
    return 1;
}

static const int *dcli_edge_find(const dcli_surface *surface, int lo, int hi)
{
    int left = 0, right = surface->edge_count - 1;
    while (left < right) {
        int middle = left + (right - left) / 2;
        const int *e = surface->edges + 4 * middle;
        if (e[0] < lo || (e[0] == lo && e[1] < hi))
            left = middle + 1;
        else
            right = middle;
    }
    return surface->edges + 4 * left;
}

/* Sine of the angle by which w leaves the cone of normals of the edge a b towards one of its
   triangles, the worst of them; negative: inside. `at` is the closest point on it. All relative to
   the pair's first vertex. */
static double dcli_edge_cone(const dcli_self_search *q, const dcli_self_pair *c, int a, int b,
                             const double *at, const double *w)
{
    const int *edge = dcli_edge_find(q->model->surface, a < b ? a : b, a < b ? b : a);
    const double *way = c->s > 0 ? q->v : NULL;
    dcli_self_pair corners = *c;
    double worst = -1, A[3], B[3], O[3], along[3], t[3], size;
    int k;
    corners.v[1] = a;
    corners.v[2] = b;
    dcli_self_point(&corners, 1, q->x0, way, c->s * q->h, A);
    dcli_self_point(&corners, 2, q->x0, way, c->s * q->h, B);
    dcli_sub3(along, B, A);
    for (k = 2; k < 4; k++) {
        if (edge[k] < 0) continue;
        corners.v[3] = edge[k];
        dcli_self_point(&corners, 3, q->x0, way, c->s * q->h, O);
        dcli_sub3(t, O, at);
        dcli_axpy3(t, -dcli_dot(t, along) / dcli_dot(along, along), along);
        size = dcli_norm(t) * dcli_norm(w);
        if (size > 0) worst = fmax(worst, dcli_dot(t, w) / size);
    }
    return worst;
}

/* The same at a vertex: towards its edges. */
static double dcli_vertex_cone(const dcli_self_search *q, const dcli_self_pair *c, int vertex,
                               const double *at, const double *w)
{
    const dcli_surface *surface = q->model->surface;
    dcli_self_pair corner = *c;
    double worst = -1, X[3], size;
    int k;
    for (k = surface->neighbour_start[vertex]; k < surface->neighbour_start[vertex + 1]; k++) {
        corner.v[3] = surface->neighbours[k];
        dcli_self_point(&corner, 3, q->x0, c->s > 0 ? q->v : NULL, c->s * q->h, X);
        dcli_sub3(X, X, at);
        size = dcli_norm(X) * dcli_norm(w);
        if (size > 0) worst = fmax(worst, dcli_dot(X, w) / size);
    }
    return worst;
}

/* 1 if the pair is where the two surfaces are nearest to each other around it, not merely the
   nearest points of these two pieces: else its neighbours carry the contact, and its slanted normal
   would hold back what slides by. */
static int dcli_self_local(const dcli_self_search *q, const dcli_self_pair *c, const double *e)
{
    double X[4][3], w[3], at[3], first, second;
    int k;
    if (c->feature == DCLI_VERTEX_FACE) return 1;
    dcli_self_points(c, q->x0, c->s > 0 ? q->v : NULL, c->s * q->h, X);
    for (k = 0; k < 3; k++) w[k] = -e[k];
    if (c->feature == DCLI_VERTEX_VERTEX)
        return dcli_vertex_cone(q, c, c->v[1], X[1], e) <= DCLI_CONE &&
               dcli_vertex_cone(q, c, c->v[0], X[0], w) <= DCLI_CONE;
    if (c->feature == DCLI_VERTEX_EDGE) {
        for (k = 0; k < 3; k++) at[k] = X[0][k] - e[k];
        return dcli_edge_cone(q, c, c->v[1], c->v[2], at, e) <= DCLI_CONE;
    }
    for (k = 0; k < 3; k++) at[k] = c->b[0] * X[0][k] + c->b[1] * X[1][k];
    first = dcli_edge_cone(q, c, c->v[0], c->v[1], at, w);
    for (k = 0; k < 3; k++) at[k] -= e[k];
    second = dcli_edge_cone(q, c, c->v[2], c->v[3], at, e);
    return first <= DCLI_CONE && second <= DCLI_CONE && fmin(first, second) < -DCLI_CONE;
}

/* Pieces of one part may be nearer to each other at rest than the thickness (neighbours are):
   half that distance is theirs. */
static double dcli_self_thickness(const dcli_self_search *q, dcli_feature feature, const int *v)
{
    const dcl_model *M = q->model;
    double thickness = M->self_thickness, e[3];
    dcli_self_pair rest;
    if (M->surface->part[v[0]] != M->surface->part[v[feature == DCLI_EDGE_EDGE ? 2 : 1]])
        return thickness;
    dcli_self_closest(q, feature, v, 0, M->positions, &rest, e);
    return fmin(thickness, fmax(0.5 * dcli_norm(e), 1e-3 * thickness));
}

/* Between two flat layers the vertices of one on the faces of the other say all there is to say,
   and the reverse only makes the impulses ambiguous. So vertices on the side that a face's normal
   points to come first; the rest, edges against edges too, keeps a smaller thickness and
   matters only if the motion violates that. Vertices do not change sides, so contacts do not change
   rank. v: the vertex and the face, or the edges, that were tried. */
static int dcli_self_first(const dcli_self_search *q, dcli_feature feature, const int *v,
                           const dcli_self_pair *c, const double *e)
{
    double X[4][3], a[3], b[3], normal[3];
    dcli_self_pair all;
    if (feature != DCLI_VERTEX_FACE) return feature == DCLI_VERTEX_VERTEX;
    dcli_self_set(&all, DCLI_VERTEX_FACE, v[0], v[1], v[2], v[3]);
    dcli_self_points(&all, q->x0, c->s > 0 ? q->v : NULL, c->s * q->h, X);
    dcli_sub3(a, X[2], X[1]);
    dcli_sub3(b, X[3], X[1]);
    dcli_cross(a, b, normal);
    return (c->v[0] == v[0] ? 1 : -1) * dcli_dot(normal, e) >=
           0; /* e ends at the contact's first */
}

static void dcli_self_add(dcli_self_search *q, dcli_self_pair *c, const double *e, double thickness,
                          int first)
{
    const dcl_model *M = q->model;
    dcli_self *self = q->self;
    double length = dcli_norm(e), X[4][3], start[3], softness = 0, rounding;
    int i, k;
    for (i = 0; i < dcli_feature_vertices[c->feature]; i++)
        if (M->hard[c->v[i]] < 0) softness += c->b[i] * c->b[i] / self->weight[c->v[i]];
    if (!(softness > 0)) return; /* nothing here can give way */
    if (!dcli_grow(&M->allocator, &self->pairs, &self->capacity, (size_t)self->count + 1,
                   sizeof *self->pairs)) {
        q->failed = 1;
        return;
    }
    c->second = q->kind != DCLI_SEARCH_VERIFY && !first;
    if (c->second) thickness *= DCLI_SELF_SECOND;
    c->coupled = 0;
    for (k = 0; k < 3; k++) c->n[k] = e[k] / length;
    dcli_self_points(c, q->x0, NULL, 0, X);
    dcli_self_sum(c, X, start);
    c->d = dcli_dot(c->n, start) - thickness;
    rounding =
        16 * DCLI_EPS * (dcli_norm(q->x0 + 3 * (size_t)c->v[0]) + dcli_norm(start) + thickness);
    if (fabs(c->d) <= rounding) c->d = 0;
    c->rho = 1 / softness;
    dcli_set3(c->r, 0, 0, 0);
    dcli_set3(c->miss, 0, 0, 0);
    memset(c->P, 0, sizeof c->P);
    c->branch = DCL_BRANCH_FREE;
    c->margin = 1;
    c->frozen = q->kind == DCLI_SEARCH_VERIFY;
    self->ways += c->s > 0 && !c->frozen;
    self->pairs[self->count++] = *c;
}

static void dcli_self_consider(dcli_self_search *q, dcli_feature feature, const int *v)
{
    double e[3], distance, reach = dcli_self_reach(q, feature, v),
                           thickness = q->model->self_thickness, s;
    int plain = q->model->self_contact == DCL_SELF_NODES;
    dcli_self_pair c;
    dcli_self_closest(q, feature, v, 0, q->x0, &c, e);
    distance = dcli_norm(e);
    c.s = 0;
    if (distance <= 1e-6 * thickness) {
        if (!q->overlaps) q->nearest = c;
        q->overlaps = !q->model->self_overlap;
        return;
    }
    if (q->kind != DCLI_SEARCH_FIRST) {
        double clearance = DCLI_CLEARANCE * fmin(distance, thickness);
        if (plain || distance - reach > clearance) return;
        clearance = DCLI_CLEARANCE * fmin(distance, dcli_self_thickness(q, feature, v));
        if (distance - reach > clearance) return;
        s = dcli_self_advance(q, feature, v, distance, reach, clearance);
        if (s > 1) return;
        if (s < q->way) q->way = s;
        if (q->kind == DCLI_SEARCH_CLEAR) return;
        dcli_self_closest(q, feature, v, s, q->x0, &c, e);
        c.s = s;
        if (dcli_norm(e) > 0) dcli_self_add(q, &c, e, dcli_self_thickness(q, feature, v), 1);
        return;
    }
    if (distance > DCLI_NEAR * thickness && distance - reach > thickness) return;
    thickness = dcli_self_thickness(q, feature, v);
    if (distance <= DCLI_NEAR * thickness && (feature != DCLI_EDGE_EDGE || c.feature == feature) &&
        (plain || dcli_self_local(q, &c, e))) {
        dcli_self_add(q, &c, e, thickness, dcli_self_first(q, feature, v, &c, e));
        return;
    }
    if (distance <= thickness || distance - reach > thickness) return;
    s = dcli_self_advance(q, feature, v, distance, reach, thickness);
    if (s > 1) return;
    c.s = s;
    if (!dcli_self_meet(q, feature, v, thickness, &c)) return;
    s = c.s;
    dcli_self_closest(q, feature, v, s, q->x0, &c, e);
    c.s = s;
    if (feature == DCLI_EDGE_EDGE && c.feature != feature) return; /* its end is met as a vertex */
    if (plain || dcli_self_local(q, &c, e))
        dcli_self_add(q, &c, e, thickness, dcli_self_first(q, feature, v, &c, e));
}

/* Boxes of the tree around every triangle's way, wider by margin on each side. The way is relative
   to the mean velocity, so that cloth which flies as a whole has small boxes. */
static void dcli_self_boxes(dcli_self_search *q, double margin)
{
    const dcl_model *M = q->model;
    const dcli_surface *s = M->surface;
    double mean[3] = {0, 0, 0};
    int node, i, k;
    for (i = 0; i < M->n; i++) dcli_axpy3(mean, 1.0 / M->n, q->v + 3 * (size_t)i);
    for (node = 2 * M->m - 2; node >= 0; node--) {
        double *box = q->self->boxes + 6 * (size_t)node;
        int count = s->nodes[node].count;
        if (count > 1) {
            const double *a = box + 6, *b = box + 6 * (size_t)(2 * (count / 2));
            for (k = 0; k < 3; k++) {
                box[k] = fmin(a[k], b[k]);
                box[3 + k] = fmax(a[3 + k], b[3 + k]);
            }
            continue;
        }
        for (k = 0; k < 3; k++) {
            double lo = HUGE_VAL, hi = -HUGE_VAL;
            for (i = 0; i < 3; i++) {
                size_t j =
                    3 * (size_t)M->triangles[s->leaves[s->nodes[node].first]].v[i] + (size_t)k;
                double end = q->x0[j] + q->h * (q->v[j] - mean[k]);
                lo = fmin(lo, fmin(q->x0[j], end));
                hi = fmax(hi, fmax(q->x0[j], end));
            }
            box[k] = lo - margin;
            box[3 + k] = hi + margin;
        }
    }
}

static int dcli_boxes_meet(const double *a, const double *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

/* A box around points on their way, as in dcli_self_boxes. */
static void dcli_self_box(const dcli_self_search *q, const int *v, int count, const double *mean,
                          double margin, double *box)
{
    int i, k;
    for (k = 0; k < 3; k++) {
        box[k] = HUGE_VAL;
        box[3 + k] = -HUGE_VAL;
        for (i = 0; i < count; i++) {
            size_t j = 3 * (size_t)v[i] + (size_t)k;
            double end = q->x0[j] + q->h * (q->v[j] - mean[k]);
            box[k] = fmin(box[k], fmin(q->x0[j], end));
            box[3 + k] = fmax(box[3 + k], fmax(q->x0[j], end));
        }
        box[k] -= margin;
        box[3 + k] += margin;
    }
}

static void dcli_self_vertices(dcli_self_search *q, int A, int B, const double *box_b,
                               double margin, const double *mean)
{
    const dcl_model *M = q->model;
    const int *a = M->triangles[A].v, *b = M->triangles[B].v;
    double box[6];
    int k, v[4];
    for (k = 0; k < 3; k++) {
        if (!(M->surface->own[A] & (1 << k))) continue;
        if (a[k] == b[0] || a[k] == b[1] || a[k] == b[2]) continue;
        dcli_self_box(q, a + k, 1, mean, margin, box);
        if (!dcli_boxes_meet(box, box_b)) continue;
        v[0] = a[k];
        v[1] = b[0];
        v[2] = b[1];
        v[3] = b[2];
        dcli_self_consider(q, DCLI_VERTEX_FACE, v);
    }
}

static void dcli_self_edges(dcli_self_search *q, int A, int B, double margin, const double *mean)
{
    const dcl_model *M = q->model;
    const dcli_surface *s = M->surface;
    double box_a[6], box_b[6];
    int i, j;
    for (i = 0; i < 3; i++) {
        const int *a = s->edges + 4 * s->tri_edges[3 * A + i];
        if (!(s->own[A] & (8 << i))) continue;
        dcli_self_box(q, a, 2, mean, margin, box_a);
        for (j = 0; j < 3; j++) {
            const int *b = s->edges + 4 * s->tri_edges[3 * B + j];
            int v[4];
            if (!(s->own[B] & (8 << j))) continue;
            if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
            dcli_self_box(q, b, 2, mean, margin, box_b);
            if (!dcli_boxes_meet(box_a, box_b)) continue;
            v[0] = a[0];
            v[1] = a[1];
            v[2] = b[0];
            v[3] = b[1];
            dcli_self_consider(q, DCLI_EDGE_EDGE, v);
        }
    }
}

/* The paper's contacts: vertex against vertex, unless an edge joins them. */
static void dcli_self_nodes(dcli_self_search *q, int A, int B)
{
    const dcl_model *M = q->model;
    const dcli_surface *s = M->surface;
    int i, j, k, v[4] = {0, 0, -1, -1};
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            int a = M->triangles[A].v[i], b = M->triangles[B].v[j], joined = a == b;
            if (!(s->own[A] & (1 << i)) || !(s->own[B] & (1 << j))) continue;
            for (k = s->neighbour_start[a]; k < s->neighbour_start[a + 1]; k++)
                joined |= s->neighbours[k] == b;
            if (joined) continue;
            v[0] = a < b ? a : b;
            v[1] = a < b ? b : a;
            dcli_self_consider(q, DCLI_VERTEX_VERTEX, v);
        }
}

/* Six times the volume of the tetrahedron of four points, zero if that is rounding. */
static double dcli_self_volume(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], n[3], volume;
    dcli_sub3(u, b, a);
    dcli_sub3(v, c, a);
    dcli_sub3(w, d, a);
    dcli_cross(u, v, n);
    volume = dcli_dot(n, w);
    return fabs(volume) <= 64 * DCLI_EPS * dcli_norm(u) * dcli_norm(v) * dcli_norm(w) ? 0 : volume;
}

/* Edges of triangle A that go through triangle B at the start of the step. */
static void dcli_self_pierce(dcli_self_search *q, int A, int B)
{
    const int *a = q->model->triangles[A].v, *b = q->model->triangles[B].v;
    const double *X[3];
    int k;
    for (k = 0; k < 3; k++) X[k] = q->x0 + 3 * (size_t)b[k];
    for (k = 0; k < 3; k++) {
        int i = a[k], j = a[(k + 1) % 3];
        const double *P = q->x0 + 3 * (size_t)i, *Q = q->x0 + 3 * (size_t)j;
        double f, g, s, t, u;
        if (i == b[0] || i == b[1] || i == b[2] || j == b[0] || j == b[1] || j == b[2]) continue;
        f = dcli_self_volume(X[0], X[1], X[2], P);
        g = dcli_self_volume(X[0], X[1], X[2], Q);
        if (!((f > 0 && g < 0) || (f < 0 && g > 0))) continue;
        s = dcli_self_volume(P, Q, X[0], X[1]);
        t = dcli_self_volume(P, Q, X[1], X[2]);
        u = dcli_self_volume(P, Q, X[2], X[0]);
        if (!((s > 0 && t > 0 && u > 0) || (s < 0 && t < 0 && u < 0)) || q->overlaps) continue;
        q->overlaps = 1;
        dcli_self_set(&q->nearest, DCLI_EDGE_EDGE, i, j, b[0], b[1]);
    }
}

/* All pairs of triangles whose boxes meet, by descending the tree against itself. Each level adds
   at most two entries to the stack, and there are at most 31 levels on either side. */
static void dcli_self_traverse(dcli_self_search *q, double margin)
{
    const dcl_model *M = q->model;
    const dcli_surface *s = M->surface;
    int stack[256], top = 0, i;
    double mean[3] = {0, 0, 0};
    for (i = 0; i < M->n; i++) dcli_axpy3(mean, 1.0 / M->n, q->v + 3 * (size_t)i);
    stack[top++] = 0;
    stack[top++] = 0;
    while (top > 0 && !q->failed) {
        int b = stack[--top], a = stack[--top], ca = s->nodes[a].count, cb = s->nodes[b].count,
            split;
        const double *box_a = q->self->boxes + 6 * (size_t)a,
                     *box_b = q->self->boxes + 6 * (size_t)b;
        if (a == b) {
            if (ca == 1) continue;
            stack[top++] = a + 1;
            stack[top++] = a + 1;
            stack[top++] = a + 2 * (ca / 2);
            stack[top++] = a + 2 * (ca / 2);
            stack[top++] = a + 1;
            stack[top++] = a + 2 * (ca / 2);
            continue;
        }
        if (!dcli_boxes_meet(box_a, box_b)) continue;
        if (ca == 1 && cb == 1) {
            int A = s->leaves[s->nodes[a].first], B = s->leaves[s->nodes[b].first];
            if (q->kind == DCLI_SEARCH_PIERCED) {
                dcli_self_pierce(q, A, B);
                dcli_self_pierce(q, B, A);
            } else if (M->self_contact == DCL_SELF_NODES) {
                dcli_self_nodes(q, A, B);
            } else {
                dcli_self_vertices(q, A, B, box_b, margin, mean);
                dcli_self_vertices(q, B, A, box_a, margin, mean);
                dcli_self_edges(q, A, B, margin, mean);
            }
            continue;
        }
        split = ca >= cb ? a : b;
        for (i = 0; i < 2; i++) {
            int child = i ? split + 1 : split + 2 * (s->nodes[split].count / 2);
            stack[top++] = split == a ? child : a;
            stack[top++] = split == a ? b : child;
        }
    }
}

static int dcli_self_compare(const void *a, const void *b)
{
    const dcli_self_pair *p = (const dcli_self_pair *)a, *q = (const dcli_self_pair *)b;
    int k;
    if (p->feature != q->feature) return p->feature < q->feature ? -1 : 1;
    for (k = 0; k < 4; k++)
        if (p->v[k] != q->v[k]) return p->v[k] < q->v[k] ? -1 : 1;
    if (p->second != q->second) return p->second ? 1 : -1;
    return p->s < q->s ? -1 : p->s > q->s;
}

/* Sorts the pairs from `first` on and drops repeated ones: an edge is found by both its triangles.
 */
static void dcli_self_unique(dcli_self *self, int first)
{
    int i, kept = first;
    qsort(self->pairs + first, (size_t)(self->count - first), sizeof *self->pairs,
          dcli_self_compare);
    for (i = first; i < self->count; i++) {
        dcli_self_pair *last = kept > first ? &self->pairs[kept - 1] : NULL;
        if (last && last->feature == self->pairs[i].feature &&
            memcmp(last->v, self->pairs[i].v, sizeof last->v) == 0)
            continue;
        self->pairs[kept++] = self->pairs[i];
    }
    self->count = kept;
    for (i = self->ways = 0; i < kept; i++)
        self->ways += self->pairs[i].s > 0 && !self->pairs[i].frozen;
}

/* Searches along the ways x0 + s h v and adds what it finds to self->pairs; returns how many. */
static int dcli_self_find(dcli_self_search *q)
{
    int before = q->self->count;
    double margin =
        q->model->self_thickness * (q->kind == DCLI_SEARCH_FIRST     ? 0.5 * DCLI_NEAR
                                    : q->kind == DCLI_SEARCH_PIERCED ? 0
                                                                     : 0.5 * DCLI_CLEARANCE);
    dcli_self_boxes(q, margin);
    dcli_self_traverse(q, margin);
    if (!q->failed && q->self->count > before) dcli_self_unique(q->self, before);
    return q->self->count - before;
}
/* Room for a workspace's arrays whose size is known beforehand. */
static void dcli_self_layout(dcli_self *self, const dcl_model *M, dcli_arena *arena)
{
    size_t n = M->self_contact != DCL_SELF_NONE ? (size_t)M->n : 0, m = n ? (size_t)M->m : 0;
    size_t obstacles = (size_t)M->obstacle_count;
    self->boxes = dcli_take_doubles(arena, 12 * m);
    self->predicted = dcli_take_doubles(arena, 3 * n);
    self->weight = dcli_take_doubles(arena, n || obstacles ? (size_t)M->n : 0);
    self->beta = dcli_take_doubles(arena, 3 * n);
    self->held = dcli_take_doubles(arena, 3 * (size_t)M->n * obstacles);
    self->push = dcli_take_doubles(arena, obstacles ? 9 * (size_t)M->n : 0);
    self->map = dcli_take_ints(arena, n ? (size_t)M->col_start[n] : 0);
    self->col_start = dcli_take_ints(arena, n ? n + 1 : 0);
    self->pattern_made = 0;
}

static void dcli_self_destroy(dcli_self *self, const dcl_allocator *allocator)
{
    dcs_factor_destroy(self->factor);
    dcs_factor_destroy(self->symmetric);
    dcs_analysis_destroy(self->analysis);
    dcli_free(allocator, self->pairs, self->capacity * sizeof *self->pairs);
    dcli_free(allocator, self->y, self->y_capacity * sizeof *self->y);
    dcli_free(allocator, self->row_index, self->entry_capacity * sizeof *self->row_index);
    dcli_free(allocator, self->couplings, self->coupling_capacity * sizeof *self->couplings);
    dcli_free(allocator, self->lower, self->lower_capacity * sizeof *self->lower);
    dcli_free(allocator, self->upper, self->upper_capacity * sizeof *self->upper);
}
/* ---- >>impl-residual --------------------------------------------------------------------------
   The workspace, what a step needs before it starts, its residual and Hessian at an iterate.
   Invariant: after dcli_evaluate(), g, target, r, kind and law belong to ws->v. */

#define DCLI_TANGENTS 8 /* directions solved at once */
#define DCLI_KRYLOV 60  /* GMRES restart */

/* What the contact law makes of a node: D = I, D = 0, D a symmetric projector, D general. */
typedef enum dcli_kind { DCLI_FREE, DCLI_FIXED, DCLI_PROJECTED, DCLI_GENERAL } dcli_kind;

typedef struct dcli_touch {
    int obstacle; /* -1 none; -2 several, solved again where needed */
    dcli_law law;
} dcli_touch;

struct dcl_workspace {
    size_t bytes;
    const dcl_model *model;
    dcl_solver_desc desc;
    /* rest shape and mass, and the parameters they belong to */
    uint64_t rest_key, mass_key, pd_key;
    int rest_valid, mass_valid, pd_valid;
    dcli_tri_rest *tri;
    dcli_hinge_rest *hinge;
    double *area, *mass; /* n */
    /* the step at hand */
    const dcl_params *params;
    const double *x0, *v0;
    int step;
    double time, h;
    double *fext, *base;  /* 3n: external force; m v0 + h fext */
    double *hard_target;  /* 3n: velocity of hard handles */
    double *air_normal;   /* 3m: area vectors at x0, used if the air acts */
    double base_square, stiff_square;
    dcli_pose *poses;
    dcli_gap *gaps; /* n x obstacles */
    /* the iterate */
    double *v, *g, *target, *r; /* 3n */
    dcli_touch *touch;          /* n, with obstacles only */
    unsigned char *kind;        /* n */
    double rnorm, scale, energy;
    double goal;    /* relative residual to reach now */
    int cg_have;    /* `current` was made by dcli_newton_cg in this step */
    int newton_end; /* Newton iterations of the step at which to give up */
    int touching;
    /* linear systems */
    double *D;           /* 9n, with obstacles only */
    double *G, *lower, *upper; /* 9 per pattern entry; upper with obstacles only */
    double *scalar;      /* 1 per pattern entry */
    double *delta, *trial, *best, *work, *work2; /* 3n */
    double *many;        /* DCLI_TANGENTS x 3n */
    double *krylov;      /* (DCLI_KRYLOV + 1) x 3n, DCL_ADJOINT_KRYLOV only */
    double *solution;    /* DCLI_TANGENTS x 3n */
    double *adj_x, *adj_v; /* 3n, of a rollout */
    double *adj_area;    /* n */
    dcs_factor *symmetric, *indefinite, *general, *pd;
    dcs_factor *current; /* the one that holds the current matrix */
    int use_general;     /* it is of A itself, not of the symmetric M + N G N */
    dcli_self self;
    dcl_step_stats stats;
    int have_step; /* contacts of a finished step can be read */
};

DCL_API dcl_solver_desc dcl_default_solver_desc(void)
{
    dcl_solver_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.solver = DCL_SOLVER_NEWTON;
    desc.tolerance = 1e-10;
    desc.newton_limit = 500;
    desc.pd_limit = 5000;
    desc.adjoint = DCL_ADJOINT_DIRECT;
    desc.adjoint_tolerance = 1e-12;
    desc.adjoint_limit = 5000;
    return desc;
}

static void dcli_workspace_layout(dcl_workspace *ws, dcli_arena *arena)
{
    const dcl_model *M = ws->model;
    size_t n = (size_t)M->n, n3 = 3 * n, nz = (size_t)M->col_start[n];
    size_t o = (size_t)M->obstacle_count, touch = o ? n : 0;
    ws->tri = (dcli_tri_rest *)dcli_take(arena, (size_t)M->m, sizeof *ws->tri);
    ws->hinge = (dcli_hinge_rest *)dcli_take(arena, (size_t)M->e, sizeof *ws->hinge);
    ws->area = dcli_take_doubles(arena, n);
    ws->mass = dcli_take_doubles(arena, n);
    ws->fext = dcli_take_doubles(arena, n3);
    ws->base = dcli_take_doubles(arena, n3);
    ws->hard_target = dcli_take_doubles(arena, n3);
    ws->air_normal = dcli_take_doubles(arena, 3 * (size_t)M->m);
    ws->poses = (dcli_pose *)dcli_take(arena, o, sizeof *ws->poses);
    ws->gaps = (dcli_gap *)dcli_take(arena, n * o, sizeof *ws->gaps);
    ws->v = dcli_take_doubles(arena, n3);
    ws->g = dcli_take_doubles(arena, n3);
    ws->target = dcli_take_doubles(arena, n3);
    ws->r = dcli_take_doubles(arena, n3);
    ws->touch = (dcli_touch *)dcli_take(arena, touch, sizeof *ws->touch);
    ws->kind = (unsigned char *)dcli_take(arena, n, 1);
    ws->D = dcli_take_doubles(arena, 9 * touch);
    ws->G = dcli_take_doubles(arena, 9 * nz);
    ws->lower = dcli_take_doubles(arena, 9 * nz);
    ws->upper = dcli_take_doubles(arena, o ? 9 * nz : 0);
    ws->scalar = dcli_take_doubles(arena, nz);
    ws->delta = dcli_take_doubles(arena, n3);
    ws->trial = dcli_take_doubles(arena, n3);
    ws->best = dcli_take_doubles(arena, n3);
    ws->work = dcli_take_doubles(arena, n3);
    ws->work2 = dcli_take_doubles(arena, n3);
    ws->many = dcli_take_doubles(arena, DCLI_TANGENTS * n3);
    ws->krylov = dcli_take_doubles(
        arena, ws->desc.adjoint == DCL_ADJOINT_KRYLOV ? (DCLI_KRYLOV + 1) * n3 : 0);
    ws->solution = dcli_take_doubles(arena, DCLI_TANGENTS * n3);
    ws->adj_x = dcli_take_doubles(arena, n3);
    ws->adj_v = dcli_take_doubles(arena, n3);
    ws->adj_area = dcli_take_doubles(arena, n);
    dcli_self_layout(&ws->self, M, arena);
}

static dcl_result dcli_solver_check(const dcl_logger *log, const dcl_solver_desc *d)
{
    /* 0.999: the literal may carry more digits than the field. */
    if (!(d->tolerance >= 0.999e-14 && d->tolerance <= 1) || !dcli_finite(d->tolerance))
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "tolerance is %g, must be 1e-14 ... 1",
                           d->tolerance);
    if (!(d->adjoint_tolerance >= 0.999e-15 && d->adjoint_tolerance <= 1) ||
        !dcli_finite(d->adjoint_tolerance))
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT,
                           "adjoint_tolerance is %g, must be 1e-15 ... 1", d->adjoint_tolerance);
    if (d->newton_limit < 0)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "newton_limit is %d, must be >= 0",
                           d->newton_limit);
    if (d->pd_limit < 0)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "pd_limit is %d, must be >= 0",
                           d->pd_limit);
    if (d->adjoint_limit < 0)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "adjoint_limit is %d, must be >= 0",
                           d->adjoint_limit);
    if ((d->solver != DCL_SOLVER_NEWTON && d->solver != DCL_SOLVER_PD) ||
        (d->adjoint != DCL_ADJOINT_DIRECT && d->adjoint != DCL_ADJOINT_KRYLOV &&
         d->adjoint != DCL_ADJOINT_PD))
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "solver is %d, adjoint is %d",
                           (int)d->solver, (int)d->adjoint);
    return DCL_OK;
}

static dcl_result dcli_workspace_factors(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcs_error err;
    dcs_result r = dcs_factor_create(M->blocks, DCS_CHOLESKY, &ws->symmetric, &err);
    if (!r) r = dcs_factor_create(M->blocks, DCS_LDLT, &ws->indefinite, &err);
    if (!r) r = dcs_factor_create(M->scalars, DCS_CHOLESKY, &ws->pd, &err);
    if (!r && M->obstacle_count)
        r = dcs_factor_create(M->blocks, DCS_LU_STATIC, &ws->general, &err);
    return r ? dcli_sparse_refuse(&M->logger, r, &err) : DCL_OK;
}

DCL_API dcl_result dcl_workspace_create(const dcl_model *model, const dcl_solver_desc *desc,
                                        dcl_workspace **workspace)
{
    dcl_workspace sized, *ws;
    dcli_arena arena = {NULL, 0};
    dcl_result r;
    if (workspace) *workspace = NULL;
    if (!model) return DCL_ERROR_NULL_POINTER;
    if (!workspace)
        return dcli_check_null(&model->logger, "workspace", 1, (const void *)workspace);
    memset(&sized, 0, sizeof sized);
    sized.model = model;
    sized.desc = desc ? *desc : dcl_default_solver_desc();
    if ((r = dcli_solver_check(&model->logger, &sized.desc)) != DCL_OK) return r;
    dcli_take(&arena, 1, sizeof sized);
    dcli_workspace_layout(&sized, &arena);
    ws = (dcl_workspace *)dcli_alloc(&model->allocator, arena.used);
    if (!ws) return dcli_refuse(&model->logger, DCL_ERROR_OUT_OF_MEMORY, "workspace: %lu bytes",
                                (unsigned long)arena.used);
    *ws = sized;
    ws->bytes = arena.used;
    arena.base = (char *)ws;
    arena.used = 0;
    dcli_take(&arena, 1, sizeof sized);
    dcli_workspace_layout(ws, &arena);
    if ((r = dcli_workspace_factors(ws)) != DCL_OK) {
        dcl_workspace_destroy(ws);
        return r;
    }
    *workspace = ws;
    return DCL_OK;
}

DCL_API void dcl_workspace_destroy(dcl_workspace *workspace)
{
    if (!workspace) return;
    dcs_factor_destroy(workspace->symmetric);
    dcs_factor_destroy(workspace->indefinite);
    dcs_factor_destroy(workspace->general);
    dcs_factor_destroy(workspace->pd);
    dcli_self_destroy(&workspace->self, &workspace->model->allocator);
    dcli_free(&workspace->model->allocator, workspace, workspace->bytes);
}

/* Element data of the current rest shape, computed again only when it changed. */
static dcl_result dcli_prepare_rest(dcl_workspace *ws, const dcl_params *p)
{
    const dcl_model *M = ws->model;
    const double *X = dcli_param(p, DCL_PARAM_REST);
    int t, k;
    if (ws->rest_valid && ws->rest_key == p->hash[DCL_PARAM_REST]) return DCL_OK;
    for (t = 0; t < M->m; t++)
        if (dcli_triangle_degenerate(X, M->triangles[t].v))
            return dcli_refuse(&M->logger, DCL_ERROR_DEGENERATE_TRIANGLE,
                               "params: rest makes triangle %d (%d %d %d) degenerate", t,
                               M->triangles[t].v[0], M->triangles[t].v[1], M->triangles[t].v[2]);
    memset(ws->area, 0, (size_t)M->n * sizeof(double));
    for (t = 0; t < M->m; t++) {
        dcli_tri_rest_compute(X, M->triangles[t].v, &ws->tri[t]);
        for (k = 0; k < 3; k++) ws->area[M->triangles[t].v[k]] += ws->tri[t].area / 3;
    }
    for (t = 0; t < M->e; t++) dcli_hinge_rest_compute(X, M->hinges[t].v, &ws->hinge[t]);
    ws->rest_key = p->hash[DCL_PARAM_REST];
    ws->rest_valid = 1;
    ws->mass_valid = 0;
    return DCL_OK;
}

static void dcli_prepare_mass(dcl_workspace *ws, const dcl_params *p)
{
    double density = *dcli_param(p, DCL_PARAM_DENSITY);
    int i;
    if (ws->mass_valid && ws->mass_key == p->hash[DCL_PARAM_DENSITY]) return;
    for (i = 0; i < ws->model->n; i++) ws->mass[i] = density * ws->area[i];
    ws->mass_key = p->hash[DCL_PARAM_DENSITY];
    ws->mass_valid = 1;
}

/* ---- >>impl-external: gravity, gusts, forces, handles, air ------------------------------------
 */

static double dcli_gust(const dcl_params *p, double t)
{
    return 0.5 * (sin(*dcli_param(p, DCL_PARAM_WIND_FREQUENCY) * t +
                      *dcli_param(p, DCL_PARAM_WIND_PHASE)) + 1);
}

static const double *dcli_force_frame(const dcl_params *p, int step)
{
    const dcl_model *M = p->model;
    if (!M->force_frames) return NULL;
    return dcli_param(p, DCL_PARAM_FORCE) +
           (size_t)dcli_frame(step, M->force_frames) * 3 * (size_t)M->n;
}

static int dcli_air_acts(const dcl_params *p)
{
    return *dcli_param(p, DCL_PARAM_AIR_NORMAL) > 0 || *dcli_param(p, DCL_PARAM_AIR_TANGENT) > 0;
}

static void dcli_air_areas(dcl_workspace *ws)
{
    int t;
    for (t = 0; t < ws->model->m; t++) {
        const int *v = ws->model->triangles[t].v;
        double e1[3], e2[3], *a = ws->air_normal + 3 * (size_t)t;
        dcli_sub3(e1, ws->x0 + 3 * (size_t)v[1], ws->x0 + 3 * (size_t)v[0]);
        dcli_sub3(e2, ws->x0 + 3 * (size_t)v[2], ws->x0 + 3 * (size_t)v[0]);
        dcli_cross(e1, e2, a);
        a[0] *= 0.5;
        a[1] *= 0.5;
        a[2] *= 0.5;
    }
}

static void dcli_prepare_external(dcl_workspace *ws, const dcl_params *p)
{
    const dcl_model *M = ws->model;
    const double *gravity = dcli_param(p, DCL_PARAM_GRAVITY);
    const double *wind = dcli_param(p, DCL_PARAM_WIND_FORCE),
                 *frame = dcli_force_frame(p, ws->step);
    const double *path = p->value + dcli_handle_offset(p, ws->step);
    double gust = dcli_gust(p, ws->time + ws->h), inertia, force;
    int i, k;
    ws->base_square = 0;
    for (i = 0; i < M->n; i++)
        for (k = 0; k < 3; k++) {
            size_t j = 3 * (size_t)i + (size_t)k;
            ws->fext[j] = ws->mass[i] * gravity[k] + gust * wind[k] + (frame ? frame[j] : 0);
            inertia = ws->mass[i] * ws->v0[j];
            force = ws->h * ws->fext[j];
            ws->base[j] = inertia + force;
            if (M->hard[i] < 0) ws->base_square += inertia * inertia + force * force;
        }
    for (i = 0; i < M->handle_count; i++)
        if (M->handles[i].kind == DCL_HANDLE_HARD)
            for (k = 0; k < 3; k++) {
                size_t j = 3 * (size_t)M->handles[i].vertex + (size_t)k;
                ws->hard_target[j] = (path[3 * i + k] - ws->x0[j]) / ws->h;
            }
    if (dcli_air_acts(p)) dcli_air_areas(ws);
}

static dcl_result dcli_prepare_contact(dcl_workspace *ws, const dcl_params *p)
{
    const dcl_model *M = ws->model;
    int i, o, count = M->obstacle_count;
    for (o = 0; o < count; o++) dcli_pose_compute(p, o, ws->time, ws->h, &ws->poses[o]);
    for (i = 0; i < M->n && count; i++)
        for (o = 0; o < count; o++) {
            dcli_gap *gap = &ws->gaps[(size_t)i * (size_t)count + (size_t)o];
            dcli_gap_compute(M, &ws->poses[o], ws->x0 + 3 * (size_t)i, ws->h, gap);
            if (ws->poses[o].shape == DCL_SHAPE_FUNCTION &&
                (gap->d != gap->d || !dcli_all_finite(gap->n, 3)))
                return dcli_refuse(&M->logger, DCL_ERROR_NOT_FINITE,
                                   "step: the distance function of obstacle %d is not finite at "
                                   "vertex %d",
                                   o, i);
        }
    return DCL_OK;
}

/* The size of the elastic impulses that would meet if strains were of order one; its rounding
   is what no solver can get below. */
static void dcli_prepare_stiffness(dcl_workspace *ws, const dcl_params *p)
{
    const dcl_model *M = ws->model;
    const double *scale = dcli_param(p, DCL_PARAM_STRETCH_SCALE);
    double k = *dcli_param(p, DCL_PARAM_STRETCH), sum = 0;
    int t;
    for (t = 0; t < M->m; t++) {
        const double *B = ws->tri[t].B;
        double w = ws->h * k * scale[t] * ws->tri[t].area;
        sum += w * w * (B[0] * B[0] + B[1] * B[1] + B[2] * B[2] + B[3] * B[3]);
    }
    ws->stiff_square = sum;
}

/* All that a step from (x0, v0) needs. The arrays must stay while the step is worked on. */
static dcl_result dcli_prepare(dcl_workspace *ws, const dcl_params *p, const double *x0,
                               const double *v0, int step, double time, double h)
{
    dcl_result r = dcli_prepare_rest(ws, p);
    if (r) return r;
    ws->params = p;
    ws->x0 = x0;
    ws->v0 = v0;
    ws->step = step;
    ws->time = time;
    ws->h = h;
    dcli_prepare_mass(ws, p);
    dcli_prepare_external(ws, p);
    dcli_prepare_stiffness(ws, p);
    return dcli_prepare_contact(ws, p);
}

/* Adds h * internal force at x0 + h v to ws->g; energies and squared element forces to the sums. */
typedef struct dcli_sums {
    double energy, size, square;
} dcli_sums;

static void dcli_add_stretch(dcl_workspace *ws, const double *v, dcli_sums *sums)
{
    const dcl_model *M = ws->model;
    const double *scale = dcli_param(ws->params, DCL_PARAM_STRETCH_SCALE);
    double k = *dcli_param(ws->params, DCL_PARAM_STRETCH), h = ws->h, F[6], S[6], b[3][2];
    int t, j;
    for (t = 0; t < M->m; t++) {
        const int *tri = M->triangles[t].v;
        double w = k * scale[t] * ws->tri[t].area, norm;
        dcli_polar polar;
        dcli_tri_F(ws->x0, h, v, tri, ws->tri[t].B, F);
        dcli_polar_compute(F, &polar);
        for (j = 0; j < 6; j++) S[j] = F[j] - polar.R[j];
        norm = dcli_dot6(S, S);
        sums->energy += 0.5 * w * norm;
        dcli_tri_gradients(&ws->tri[t], b);
        sums->square += h * h * w * w * norm *
                        (b[1][0] * b[1][0] + b[1][1] * b[1][1] + b[2][0] * b[2][0] +
                         b[2][1] * b[2][1]);
        dcli_tri_scatter(ws->g, tri, (const double(*)[2])b, -h * w, S);
    }
}

static void dcli_add_damping(dcl_workspace *ws, const double *v, dcli_sums *sums)
{
    const dcl_model *M = ws->model;
    double eta = *dcli_param(ws->params, DCL_PARAM_DAMPING), h = ws->h;
    double F0[6], V[6], F1[6], S[6], rate[3], b[3][2];
    int t, j;
    for (t = 0; t < M->m; t++) {
        const int *tri = M->triangles[t].v;
        double w = eta * ws->tri[t].area;
        dcli_tri_field(ws->x0, tri, ws->tri[t].B, F0);
        dcli_tri_field(v, tri, ws->tri[t].B, V);
        dcli_strain_rate(F0, V, h, rate);
        for (j = 0; j < 6; j++) F1[j] = F0[j] + h * V[j];
        dcli_mul_sym2(F1, rate, S);
        sums->energy += 0.5 * h * w *
                        (rate[0] * rate[0] + 2 * rate[1] * rate[1] + rate[2] * rate[2]);
        dcli_tri_gradients(&ws->tri[t], b);
        sums->square += h * h * w * w * dcli_dot6(S, S) *
                        (b[1][0] * b[1][0] + b[1][1] * b[1][1] + b[2][0] * b[2][0] +
                         b[2][1] * b[2][1]);
        dcli_tri_scatter(ws->g, tri, (const double(*)[2])b, -h * w, S);
    }
}

/* b = sum c_i x1_i from edges, as dcli_tri_F. */
static void dcli_hinge_end(const dcl_workspace *ws, const double *v, const int *at,
                           const double *c, double *b)
{
    int i, k;
    dcli_set3(b, 0, 0, 0);
    for (i = 1; i < 4; i++)
        for (k = 0; k < 3; k++) {
            size_t a = 3 * (size_t)at[i] + (size_t)k, z = 3 * (size_t)at[0] + (size_t)k;
            b[k] += c[i] * ((ws->x0[a] - ws->x0[z]) + ws->h * (v[a] - v[z]));
        }
}

/* Direction of b and 1 - rest/|b|; b = 0 has no direction and no force. */
static double dcli_hinge_direction(const double *b, double rest, double *d)
{
    double length = dcli_norm(b);
    if (rest == 0 || !(length > 0)) {
        dcli_set3(d, 0, 0, 0);
        return 1;
    }
    dcli_set3(d, b[0] / length, b[1] / length, b[2] / length);
    return 1 - rest / fmax(length, 1e-8 * rest);
}

static void dcli_add_bending(dcl_workspace *ws, const double *v, dcli_sums *sums)
{
    const dcl_model *M = ws->model;
    const double *scale = dcli_param(ws->params, DCL_PARAM_BEND_SCALE);
    double k = *dcli_param(ws->params, DCL_PARAM_BEND), h = ws->h, b[3], d[3];
    int t, i;
    if (k == 0) return;
    for (t = 0; t < M->e; t++) {
        const dcli_hinge_rest *rest = &ws->hinge[t];
        double w = k * scale[t] * rest->scale, norm;
        dcli_hinge_end(ws, v, M->hinges[t].v, rest->c, b);
        dcli_hinge_direction(b, rest->length, d);
        dcli_axpy3(b, -rest->length, d); /* b - p */
        norm = dcli_dot(b, b);
        sums->energy += 0.5 * w * norm;
        for (i = 0; i < 4; i++) {
            dcli_axpy3(ws->g + 3 * (size_t)M->hinges[t].v[i], -h * w * rest->c[i], b);
            sums->square += h * h * w * w * rest->c[i] * rest->c[i] * norm;
        }
    }
}

static void dcli_air_velocity(const dcl_workspace *ws, const double *v, const int *tri, double *u)
{
    const double *wind = dcli_param(ws->params, DCL_PARAM_AIR_VELOCITY);
    int k;
    for (k = 0; k < 3; k++)
        u[k] = wind[k] - (v[3 * (size_t)tri[0] + (size_t)k] + v[3 * (size_t)tri[1] + (size_t)k] +
                          v[3 * (size_t)tri[2] + (size_t)k]) / 3;
}

static void dcli_add_air(dcl_workspace *ws, const double *v, dcli_sums *sums)
{
    const dcl_model *M = ws->model;
    double cn = *dcli_param(ws->params, DCL_PARAM_AIR_NORMAL);
    double ct = *dcli_param(ws->params, DCL_PARAM_AIR_TANGENT), u[3], f[3];
    int t, a;
    for (t = 0; t < M->m; t++) {
        const int *tri = M->triangles[t].v;
        dcli_air air;
        dcli_air_velocity(ws, v, tri, u);
        dcli_air_init(ws->air_normal + 3 * (size_t)t, u, &air);
        sums->energy += ws->h * dcli_air_force(&air, cn, ct, f);
        for (a = 0; a < 3; a++) dcli_axpy3(ws->g + 3 * (size_t)tri[a], ws->h / 3, f);
        sums->square += ws->h * ws->h / 3 * dcli_dot(f, f);
    }
}

static void dcli_add_nodes(dcl_workspace *ws, const double *v, dcli_sums *sums)
{
    const dcl_model *M = ws->model;
    const double *path = ws->params->value + dcli_handle_offset(ws->params, ws->step);
    double drag = *dcli_param(ws->params, DCL_PARAM_DRAG), h = ws->h;
    int i, k;
    for (i = 0; i < M->n && drag > 0; i++) {
        double c = h * drag * ws->area[i];
        const double *vi = v + 3 * (size_t)i;
        dcli_axpy3(ws->g + 3 * (size_t)i, -c, vi);
        sums->energy += 0.5 * c * dcli_dot(vi, vi);
        sums->square += c * c * dcli_dot(vi, vi);
    }
    for (i = 0; i < M->handle_count; i++) {
        const dcl_handle *handle = &M->handles[i];
        size_t j = 3 * (size_t)handle->vertex;
        double d[3], square;
        if (handle->kind == DCL_HANDLE_HARD) continue;
        for (k = 0; k < 3; k++)
            d[k] = (ws->x0[j + (size_t)k] - path[3 * i + k]) + h * v[j + (size_t)k];
        dcli_axpy3(ws->g + j, -h * handle->stiffness, d);
        square = dcli_dot(d, d);
        sums->energy += 0.5 * handle->stiffness * square;
        sums->square += h * h * handle->stiffness * handle->stiffness * square;
    }
}

/* The impulse r of obstacle o on node i while the objective is descended, as dcli_potential. */
static double dcli_node_pull(const dcl_workspace *ws, int i, int o, const double *v, double *r,
                             double *W)
{
    size_t at = (size_t)i * (size_t)ws->model->obstacle_count + (size_t)o;
    const dcli_gap *gap = &ws->gaps[at];
    const double *held = ws->self.held + 3 * at;
    double w[3], stiffness = ws->self.stiffness * ws->self.weight[i];
    int k;
    for (k = 0; k < 3; k++)
        w[k] = held[k] -
               stiffness * (v[3 * (size_t)i + (size_t)k] - gap->w[k] + gap->d / ws->h * gap->n[k]);
    return dcli_potential(gap->n, w, held, stiffness, ws->poses[o].friction, r, W);
}

/* Obstacles at node i while the objective is descended: adds impulses to g; energy; Hessian. */
static double dcli_node_descend(dcl_workspace *ws, int i, const double *v)
{
    int o, k, count = ws->model->obstacle_count;
    double *push = ws->self.push + 9 * (size_t)i, energy = 0;
    memset(push, 0, 9 * sizeof *push);
    ws->touch[i].obstacle = -1;
    for (o = 0; o < count; o++) {
        double r[3], W[9];
        if (!dcli_finite(ws->gaps[(size_t)i * (size_t)count + (size_t)o].d)) continue;
        energy += dcli_node_pull(ws, i, o, v, r, W);
        dcli_axpy3(ws->g + 3 * (size_t)i, 1, r);
        for (k = 0; k < 9; k++) push[k] += W[k];
    }
    return energy;
}

/* The impulses of the last round become the ones held; returns the square of what changed. */
static double dcli_node_hold(dcl_workspace *ws, int i)
{
    int o, k, count = ws->model->obstacle_count;
    double change = 0;
    for (o = 0; o < count; o++) {
        size_t at = (size_t)i * (size_t)count + (size_t)o;
        double *held = ws->self.held + 3 * at, r[3], W[9];
        if (!dcli_finite(ws->gaps[at].d)) continue;
        dcli_node_pull(ws, i, o, ws->v, r, W);
        for (k = 0; k < 3; k++) change += (r[k] - held[k]) * (r[k] - held[k]);
        dcli_copy3(held, r);
    }
    return change;
}

/* The contact law of node i for the momentum in ws->g. */
static void dcli_node_apply(dcl_workspace *ws, int i)
{
    const dcl_model *M = ws->model;
    int o, count = M->obstacle_count, first = -1, several = 0;
    const dcli_gap *gaps = ws->gaps + (size_t)i * (size_t)count;
    const double *g = ws->g + 3 * (size_t)i;
    double *target = ws->target + 3 * (size_t)i, m = ws->mass[i], v[3], u[3];
    dcli_touch *touch = &ws->touch[i];
    dcli_law law;
    for (o = 0; o < count; o++) { /* one obstacle at most, in the common case */
        dcli_law_solve(m, ws->poses[o].friction, ws->h, &gaps[o], g, &law, v);
        if (law.branch == DCL_BRANCH_FREE) continue;
        several = first >= 0;
        if (several) break;
        first = o;
        touch->law = law;
        dcli_copy3(target, v);
    }
    touch->obstacle = first;
    if (first < 0) {
        for (o = 0; o < 3; o++) target[o] = g[o] / m;
        return;
    }
    for (o = 0; o < count && !several; o++) {
        if (o == first) continue;
        dcli_sub3(u, target, gaps[o].w);
        several = dcli_dot(u, gaps[o].n) + gaps[o].d / ws->h < 0;
    }
    if (several) {
        dcli_node node;
        dcli_node_solve(count, ws->poses, gaps, m, ws->h, g, &node, target);
        touch->obstacle = node.count == 1 ? node.obstacle[0] : node.count ? -2 : -1;
        if (node.count == 1) touch->law = node.law[0];
    }
}

/* What a vertex resists a push with: the diagonal of P, as far as stretch goes. */
static void dcli_self_weigh(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    const double *scale = dcli_param(ws->params, DCL_PARAM_STRETCH_SCALE);
    double k = *dcli_param(ws->params, DCL_PARAM_STRETCH), h = ws->h, b[3][2];
    int i, t, a;
    memcpy(ws->self.weight, ws->mass, (size_t)M->n * sizeof(double));
    for (t = 0; t < M->m; t++) {
        dcli_tri_gradients(&ws->tri[t], b);
        for (a = 0; a < 3; a++)
            ws->self.weight[M->triangles[t].v[a]] += h * h * k * scale[t] * ws->tri[t].area *
                                                     (b[a][0] * b[a][0] + b[a][1] * b[a][1]);
    }
    for (i = 0; i < M->handle_count; i++)
        if (M->handles[i].kind == DCL_HANDLE_SOFT)
            ws->self.weight[M->handles[i].vertex] += h * h * M->handles[i].stiffness;
}

/* The velocities on whose way contacts are looked for, a function of x0, v0 and parameters. */
static void dcli_self_predict(dcl_workspace *ws)
{
    int i, k;
    for (i = 0; i < ws->model->n; i++)
        for (k = 0; k < 3; k++) {
            size_t j = 3 * (size_t)i + (size_t)k;
            ws->self.predicted[j] = ws->model->hard[i] >= 0 ? ws->hard_target[j]
                                                            : ws->base[j] / ws->mass[i];
        }
}

static void dcli_self_search_init(dcl_workspace *ws, const double *v, dcli_search kind,
                                  dcli_self_search *q)
{
    memset(q, 0, sizeof *q);
    q->model = ws->model;
    q->self = &ws->self;
    q->x0 = ws->x0;
    q->v = v;
    q->h = ws->h;
    q->way = 1;
    q->kind = kind;
}

static dcl_result dcli_self_overlap(const dcl_model *M, const dcli_self_pair *c)
{
    static const char *const names[4] = {"vertices", "vertex and edge", "vertex and face", "edges"};
    int more = dcli_feature_vertices[c->feature];
    return dcli_refuse(&M->logger, DCL_ERROR_SELF_OVERLAP,
                       "self-contact: %s %d %d %d %d touch or cross at the start",
                       names[c->feature], c->v[0], c->v[1], more > 2 ? c->v[2] : -1,
                       more > 3 ? c->v[3] : -1);
}

/* The contacts a step begins with. */
static dcl_result dcli_self_prepare(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcli_self_search q;
    ws->self.count = ws->self.active = ws->self.ways = 0;
    ws->self.softness = DCLI_SELF_SOFTNESS;
    ws->self.gap = 0;
    ws->self.pattern_made = 0;
    if (M->self_contact == DCL_SELF_NONE) return DCL_OK;
    dcli_self_weigh(ws);
    dcli_self_predict(ws);
    if (!dcli_all_finite(ws->self.predicted, 3 * (size_t)M->n))
        return dcli_refuse(&M->logger, DCL_ERROR_NOT_FINITE,
                           "step: forces or velocities overflow; the state was kept");
    if (ws->step == 0 && M->self_contact == DCL_SELF_SURFACE && !M->self_overlap) {
        dcli_self_search_init(ws, ws->self.predicted, DCLI_SEARCH_PIERCED, &q);
        q.h = 0;
        dcli_self_find(&q);
        if (q.overlaps) return dcli_self_overlap(M, &q.nearest);
    }
    dcli_self_search_init(ws, ws->self.predicted, DCLI_SEARCH_FIRST, &q);
    dcli_self_find(&q);
    if (q.failed) return dcli_refuse(&M->logger, DCL_ERROR_OUT_OF_MEMORY, "self-contact: pairs");
    return q.overlaps ? dcli_self_overlap(M, &q.nearest) : DCL_OK;
}

/* u = sum b v. */
static void dcli_self_relative(const dcli_self_pair *c, const double *v, double *u)
{
    int i, k;
    dcli_set3(u, 0, 0, 0);
    for (i = 1; i < dcli_feature_vertices[c->feature]; i++)
        for (k = 0; k < 3; k++)
            u[k] +=
                c->b[i] * (v[3 * (size_t)c->v[i] + (size_t)k] - v[3 * (size_t)c->v[0] + (size_t)k]);
}

/* w of the projection. */
static void dcli_self_argument(const dcl_workspace *ws, const dcli_self_pair *c, const double *v,
                               double *w)
{
    double u[3];
    int k;
    dcli_self_relative(c, v, u);
    for (k = 0; k < 3; k++) w[k] = c->r[k] - c->rho * (u[k] + c->d / ws->h * c->n[k]);
}

static void dcli_add_self(dcl_workspace *ws, const double *v, dcli_sums *sums)
{
    double mu = *dcli_param(ws->params, DCL_PARAM_SELF_FRICTION), gap = 0, w[3];
    int k, i;
    ws->self.active = 0;
    for (k = 0; k < ws->self.count; k++) {
        dcli_self_pair *c = &ws->self.pairs[k];
        if (ws->self.descending) {
            double stiffness = ws->self.stiffness * c->rho;
            dcli_self_relative(c, v, w);
            for (i = 0; i < 3; i++) w[i] = c->held[i] - stiffness * (w[i] + c->d / ws->h * c->n[i]);
            sums->energy += dcli_potential(c->n, w, c->held, stiffness, mu, c->r, c->W);
            c->branch = dcli_dot(c->r, c->r) > 0 ? DCL_BRANCH_SLIP : DCL_BRANCH_FREE;
            dcli_set3(c->miss, 0, 0, 0);
        } else {
            dcli_self_argument(ws, c, v, w);
            dcli_self_project(c, w, mu);
        }
        gap += dcli_dot(c->miss, c->miss);
        if (c->branch == DCL_BRANCH_FREE && dcli_dot(c->r, c->r) == 0) continue;
        ws->self.active++;
        sums->square += dcli_dot(c->r, c->r);
        for (i = 0; i < dcli_feature_vertices[c->feature]; i++)
            dcli_axpy3(ws->g + 3 * (size_t)c->v[i], c->b[i], c->r);
    }
    ws->self.gap = sqrt(gap);
}

/* Impulses follow their law by a part of what they miss: for PD, which solves for velocities only.
 */
static void dcli_self_relax(dcl_workspace *ws)
{
    int k;
    for (k = 0; k < ws->self.count; k++)
        dcli_axpy3(ws->self.pairs[k].r, -DCLI_SELF_RELAX, ws->self.pairs[k].miss);
}

/* Residual r = m (v - target) and the objective (3) at ws->v. The scale that makes the residual
   relative: root of the squares of all momenta and impulses that meet in it; dcli_scale. */
static void dcli_evaluate(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    size_t n3 = 3 * (size_t)M->n;
    double *v = ws->v, square = 0;
    dcli_sums sums = {0, 0, 0};
    int i, k;
    memcpy(ws->g, ws->base, n3 * sizeof(double));
    dcli_add_stretch(ws, v, &sums);
    if (*dcli_param(ws->params, DCL_PARAM_DAMPING) > 0) dcli_add_damping(ws, v, &sums);
    dcli_add_bending(ws, v, &sums);
    if (dcli_air_acts(ws->params)) dcli_add_air(ws, v, &sums);
    dcli_add_nodes(ws, v, &sums);
    dcli_add_self(ws, v, &sums);
    ws->touching = ws->self.descending ? 0 : ws->self.active;
    for (i = 0; i < M->n; i++) {
        size_t j = 3 * (size_t)i;
        double m = ws->mass[i], local = 0;
        if (M->hard[i] >= 0) {
            dcli_copy3(ws->target + j, ws->hard_target + j);
        } else if (ws->self.descending) {
            if (M->obstacle_count) sums.energy += dcli_node_descend(ws, i, v);
            for (k = 0; k < 3; k++) ws->target[j + (size_t)k] = ws->g[j + (size_t)k] / m;
        } else if (M->obstacle_count) {
            dcli_node_apply(ws, i);
            ws->touching += ws->touch[i].obstacle != -1;
        } else {
            for (k = 0; k < 3; k++) ws->target[j + (size_t)k] = ws->g[j + (size_t)k] / m;
        }
        for (k = 0; k < 3; k++) {
            double off = m * v[j + (size_t)k] - ws->base[j + (size_t)k];
            double r = m * (v[j + (size_t)k] - ws->target[j + (size_t)k]);
            ws->r[j + (size_t)k] = r;
            square += r * r;
            local += off * off;
        }
        if (M->hard[i] < 0) sums.energy += local / (2 * m);
    }
    ws->stats.evaluations++;
    ws->rnorm = sqrt(square);
    ws->energy = sums.energy;
    ws->scale = sqrt(ws->base_square + sums.square);
}

/* What the residual is divided by: the size of what meets in it, but not less than makes
   1e-10 the rounding of the elastic forces (8 eps of forces at strains of order one). */
static double dcli_scale(const dcl_workspace *ws)
{
    double floor_scale = 8 * DCLI_EPS / ws->desc.tolerance * sqrt(ws->stiff_square);
    return ws->scale > floor_scale ? ws->scale : floor_scale;
}

/* Norm of all equations: momenta, and impulses of the cloth on itself. */
static double dcli_merit(const dcl_workspace *ws)
{
    return ws->self.gap > 0 ? sqrt(ws->rnorm * ws->rnorm + ws->self.gap * ws->self.gap) : ws->rnorm;
}

static double dcli_relative(const dcl_workspace *ws)
{
    double scale = dcli_scale(ws), norm = dcli_merit(ws);
    if (norm == 0) return 0;
    if (!dcli_finite(scale)) return HUGE_VAL; /* overflow is no solution */
    return scale > 0 ? norm / scale : HUGE_VAL;
}

/* Adds s * K_ab to the lower block of the pair (a, b), a != b, at place `at`. K is the 3x3
   derivative of the force on corner a by the position of corner b, in columns. */
static void dcli_add_pair(double *G, int at, int a, int b, double s, const double *K)
{
    double *to = G + 9 * (size_t)at;
    int r, c;
    if (a > b)
        for (r = 0; r < 9; r++) to[r] += s * K[r];
    else
        for (c = 0; c < 3; c++)
            for (r = 0; r < 3; r++) to[3 * c + r] += s * K[3 * r + c];
}

static void dcli_add_diagonal(dcl_workspace *ws, int i, double s, const double *K)
{
    double *to = ws->G + 9 * (size_t)ws->model->col_start[i];
    int r;
    for (r = 0; r < 9; r++) to[r] += s * K[r];
}

static void dcli_tri_add(dcl_workspace *ws, int t, int a, int b, double s, const double *K)
{
    const dcli_triangle *tri = &ws->model->triangles[t];
    if (a == b)
        dcli_add_diagonal(ws, tri->v[a], s, K);
    else
        dcli_add_pair(ws->G, tri->at[a + b - 1], tri->v[a], tri->v[b], s, K);
}

static void dcli_assemble_stretch(dcl_workspace *ws, double project)
{
    const dcl_model *M = ws->model;
    const double *scale = dcli_param(ws->params, DCL_PARAM_STRETCH_SCALE);
    double k = *dcli_param(ws->params, DCL_PARAM_STRETCH), h = ws->h, F[6], b[3][2], q[3][3], K[9];
    int t, a, c, j;
    for (t = 0; t < M->m; t++) {
        double w = h * h * k * scale[t] * ws->tri[t].area, twist, inv[3];
        dcli_polar polar;
        dcli_tri_F(ws->x0, h, ws->v, M->triangles[t].v, ws->tri[t].B, F);
        dcli_polar_compute(F, &polar);
        dcli_polar_hessian(&polar, project, &twist, inv);
        dcli_tri_gradients(&ws->tri[t], b);
        for (a = 0; a < 3; a++)
            for (j = 0; j < 3; j++) q[a][j] = polar.R[j] * b[a][1] - polar.R[3 + j] * b[a][0];
        for (a = 0; a < 3; a++)
            for (c = a; c < 3; c++) {
                double normal = b[a][0] * (inv[0] * b[c][0] + inv[1] * b[c][1]) +
                                b[a][1] * (inv[1] * b[c][0] + inv[2] * b[c][1]);
                dcli_identity3(K, b[a][0] * b[c][0] + b[a][1] * b[c][1]);
                dcli_add_outer(K, -twist, q[a], q[c]);
                dcli_add_outer(K, -normal, polar.n, polar.n);
                dcli_tri_add(ws, t, a, c, w, K);
            }
    }
}

static void dcli_assemble_damping(dcl_workspace *ws, double project)
{
    const dcl_model *M = ws->model;
    double eta = *dcli_param(ws->params, DCL_PARAM_DAMPING), h = ws->h;
    double F0[6], V[6], F1[6], rate[3], b[3][2], f[3][3], FF[9], K[9];
    int t, a, c, j;
    for (t = 0; t < M->m; t++) {
        const int *tri = M->triangles[t].v;
        dcli_tri_field(ws->x0, tri, ws->tri[t].B, F0);
        dcli_tri_field(ws->v, tri, ws->tri[t].B, V);
        dcli_strain_rate(F0, V, h, rate);
        for (j = 0; j < 6; j++) F1[j] = F0[j] + h * V[j];
        dcli_tri_gradients(&ws->tri[t], b);
        for (a = 0; a < 3; a++)
            for (j = 0; j < 3; j++) f[a][j] = F1[j] * b[a][0] + F1[3 + j] * b[a][1];
        dcli_identity3(FF, 0);
        dcli_add_outer(FF, 0.5, F1, F1);
        dcli_add_outer(FF, 0.5, F1 + 3, F1 + 3);
        for (a = 0; a < 3; a++)
            for (c = a; c < 3; c++) {
                double stress = h * (b[a][0] * (rate[0] * b[c][0] + rate[1] * b[c][1]) +
                                     b[a][1] * (rate[1] * b[c][0] + rate[2] * b[c][1]));
                double dot = b[a][0] * b[c][0] + b[a][1] * b[c][1];
                dcli_identity3(K, (1 - project) * stress);
                for (j = 0; j < 9; j++) K[j] += dot * FF[j];
                dcli_add_outer(K, 0.5, f[c], f[a]);
                dcli_tri_add(ws, t, a, c, h * eta * ws->tri[t].area, K);
            }
    }
}

static void dcli_assemble_bending(dcl_workspace *ws, double project)
{
    const dcl_model *M = ws->model;
    const double *scale = dcli_param(ws->params, DCL_PARAM_BEND_SCALE);
    double k = *dcli_param(ws->params, DCL_PARAM_BEND), h = ws->h, b[3], d[3], K[9];
    int t, a, c, pair;
    if (k == 0) return;
    for (t = 0; t < M->e; t++) {
        const dcli_hinge *hinge = &M->hinges[t];
        const dcli_hinge_rest *rest = &ws->hinge[t];
        double w = h * h * k * scale[t] * rest->scale, across;
        dcli_hinge_end(ws, ws->v, hinge->v, rest->c, b);
        across = dcli_hinge_direction(b, rest->length, d);
        if (across < 0) across *= 1 - project;
        dcli_identity3(K, across);
        if (across != 1) dcli_add_outer(K, 1 - across, d, d);
        for (a = 0, pair = 0; a < 4; a++) {
            dcli_add_diagonal(ws, hinge->v[a], w * rest->c[a] * rest->c[a], K);
            for (c = a + 1; c < 4; c++, pair++)
                dcli_add_pair(ws->G, hinge->at[pair], hinge->v[a], hinge->v[c],
                              w * rest->c[a] * rest->c[c], K);
        }
    }
}

static void dcli_assemble_air(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    double cn = *dcli_param(ws->params, DCL_PARAM_AIR_NORMAL);
    double ct = *dcli_param(ws->params, DCL_PARAM_AIR_TANGENT), u[3], H[9];
    int t, a, c;
    for (t = 0; t < M->m; t++) {
        dcli_air air;
        dcli_air_velocity(ws, ws->v, M->triangles[t].v, u);
        dcli_air_init(ws->air_normal + 3 * (size_t)t, u, &air);
        dcli_air_hessian(&air, cn, ct, H);
        for (a = 0; a < 3; a++)
            for (c = a; c < 3; c++) dcli_tri_add(ws, t, a, c, ws->h / 9, H);
    }
}

/* G = -dg/dv at ws->v: lower blocks, symmetric. */
static void dcli_assemble(dcl_workspace *ws, double project)
{
    const dcl_model *M = ws->model;
    double drag = *dcli_param(ws->params, DCL_PARAM_DRAG), unit[9];
    int i;
    memset(ws->G, 0, 9 * (size_t)M->col_start[M->n] * sizeof(double));
    dcli_identity3(unit, 1);
    dcli_assemble_stretch(ws, project);
    if (*dcli_param(ws->params, DCL_PARAM_DAMPING) > 0) dcli_assemble_damping(ws, project);
    dcli_assemble_bending(ws, project);
    if (dcli_air_acts(ws->params)) dcli_assemble_air(ws);
    for (i = 0; i < M->n && drag > 0; i++)
        dcli_add_diagonal(ws, i, ws->h * drag * ws->area[i], unit);
    for (i = 0; i < M->handle_count; i++)
        if (M->handles[i].kind == DCL_HANDLE_SOFT)
            dcli_add_diagonal(ws, M->handles[i].vertex, ws->h * ws->h * M->handles[i].stiffness,
                              unit);
    for (i = 0; i < M->n && ws->self.descending && M->obstacle_count; i++)
        if (M->hard[i] < 0) dcli_add_diagonal(ws, i, 1, ws->self.push + 9 * (size_t)i);
}

/* Solves the law of a node with several contacts again, for what dcli_node_apply does not keep. */
static void dcli_node_again(const dcl_workspace *ws, int i, dcli_node *node)
{
    int count = ws->model->obstacle_count;
    double v[3];
    dcli_node_solve(count, ws->poses, ws->gaps + (size_t)i * (size_t)count, ws->mass[i], ws->h,
                    ws->g + 3 * (size_t)i, node, v);
}

/* D and its kind for every node, from the last evaluation. Returns 1 if some D is general. */
static int dcli_node_kinds(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    int i, c, count = M->obstacle_count, general = 0;
    for (i = 0; i < M->n; i++) {
        double *D, size = 0;
        dcli_node node;
        int frictional = 0;
        if (M->hard[i] >= 0) {
            ws->kind[i] = DCLI_FIXED;
            if (count) dcli_identity3(ws->D + 9 * (size_t)i, 0);
            continue;
        }
        ws->kind[i] = DCLI_FREE;
        if (!count || ws->touch[i].obstacle == -1) continue;
        D = ws->D + 9 * (size_t)i;
        if (ws->touch[i].obstacle >= 0) {
            double mu = ws->poses[ws->touch[i].obstacle].friction;
            dcli_law_D(&ws->touch[i].law, mu,
                       ws->gaps[(size_t)i * (size_t)count + (size_t)ws->touch[i].obstacle].n, D);
            frictional = mu > 0;
        } else {
            dcli_node_again(ws, i, &node);
            dcli_node_D(&node, ws->poses, ws->gaps + (size_t)i * (size_t)count, ws->mass[i],
                        ws->target + 3 * (size_t)i, D);
            for (c = 0; c < node.count; c++)
                frictional |= ws->poses[node.obstacle[c]].friction > 0;
        }
        for (c = 0; c < 9; c++) size += fabs(D[c]);
        ws->kind[i] = (unsigned char)(size == 0 ? DCLI_FIXED
                                                : frictional ? DCLI_GENERAL : DCLI_PROJECTED);
        general |= ws->kind[i] == DCLI_GENERAL;
    }
    return general;
}

/* ---- >>impl-linear ----------------------------------------------------------------------------
   Newton's matrix A = M + D G and its transpose. Where every D is a projector N (free, fixed, or
   frictionless contact) the system splits: the part along I - N is known, the rest is the
   symmetric M + N G N, solved by Cholesky. Otherwise LU on the same pattern. */

/* out = D x of node i by its kind. */
static void dcli_apply_D(const dcl_workspace *ws, int i, int transpose, const double *x,
                         double *out)
{
    double t[3];
    if (ws->kind[i] == DCLI_FREE) {
        dcli_copy3(out, x);
        return;
    }
    if (ws->kind[i] == DCLI_FIXED) {
        dcli_set3(out, 0, 0, 0);
        return;
    }
    if (transpose)
        dcli_mult3(ws->D + 9 * (size_t)i, x, t);
    else
        dcli_mul3(ws->D + 9 * (size_t)i, x, t);
    dcli_copy3(out, t);
}

static void dcli_apply_D_all(const dcl_workspace *ws, int transpose, const double *x, double *out)
{
    int i;
    for (i = 0; i < ws->model->n; i++)
        dcli_apply_D(ws, i, transpose, x + 3 * (size_t)i, out + 3 * (size_t)i);
}

/* out += (contact part of G, or its transpose) x: sum over contacts of b_i W b_j. */
static void dcli_apply_self(const dcl_workspace *ws, int transpose, const double *x, double *out)
{
    int k, i;
    for (k = 0; k < ws->self.count; k++) {
        const dcli_self_pair *c = &ws->self.pairs[k];
        double u[3], f[3];
        if (c->branch == DCL_BRANCH_FREE) continue;
        dcli_self_relative(c, x, u);
        if (transpose)
            dcli_mult3(c->W, u, f);
        else
            dcli_mul3(c->W, u, f);
        for (i = 0; i < dcli_feature_vertices[c->feature]; i++)
            dcli_axpy3(out + 3 * (size_t)c->v[i], c->b[i], f);
    }
}

/* out = G x, or G^T x. */
static void dcli_apply_G(const dcl_workspace *ws, int transpose, const double *x, double *out)
{
    const dcl_model *M = ws->model;
    int j, p;
    memset(out, 0, 3 * (size_t)M->n * sizeof(double));
    for (j = 0; j < M->n; j++) {
        double y[3], t[3];
        const double *xj = x + 3 * (size_t)j;
        dcli_mul3(ws->G + 9 * (size_t)M->col_start[j], xj, y);
        for (p = M->col_start[j] + 1; p < M->col_start[j + 1]; p++) {
            const double *K = ws->G + 9 * (size_t)p;
            int i = M->row_index[p];
            dcli_mul3(K, xj, t);
            dcli_axpy3(out + 3 * (size_t)i, 1, t);
            dcli_mult3(K, x + 3 * (size_t)i, t);
            dcli_axpy3(y, 1, t);
        }
        dcli_axpy3(out + 3 * (size_t)j, 1, y);
    }
    if (ws->self.active) dcli_apply_self(ws, transpose, x, out);
}

/* block <- N_i block N_j for the symmetric case. */
static void dcli_project_block(const dcl_workspace *ws, int i, int j, double *K)
{
    double t[9];
    if (ws->kind[i] == DCLI_FIXED || ws->kind[j] == DCLI_FIXED) {
        memset(K, 0, 9 * sizeof *K);
        return;
    }
    if (ws->kind[i] == DCLI_PROJECTED) {
        dcli_matmul3(ws->D + 9 * (size_t)i, K, 0, t);
        memcpy(K, t, sizeof t);
    }
    if (ws->kind[j] == DCLI_PROJECTED) {
        dcli_matmul3(K, ws->D + 9 * (size_t)j, 0, t);
        memcpy(K, t, sizeof t);
    }
}

static dcs_result dcli_factor_symmetric(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    int j, p;
    memcpy(ws->lower, ws->G, 9 * (size_t)M->col_start[M->n] * sizeof(double));
    for (j = 0; j < M->n; j++) {
        double *diagonal = ws->lower + 9 * (size_t)M->col_start[j];
        for (p = M->col_start[j]; p < M->col_start[j + 1]; p++)
            if (ws->kind[j] != DCLI_FREE || ws->kind[M->row_index[p]] != DCLI_FREE)
                dcli_project_block(ws, M->row_index[p], j, ws->lower + 9 * (size_t)p);
        diagonal[0] += ws->mass[j];
        diagonal[4] += ws->mass[j];
        diagonal[8] += ws->mass[j];
    }
    ws->use_general = 0;
    ws->current = ws->symmetric;
    return dcs_factor_compute(ws->symmetric, ws->lower, NULL, NULL);
}

/* out = D_i K or, with `flip`, D_i K^T. */
static void dcli_left_D(const dcl_workspace *ws, int i, int flip, const double *K, double *out)
{
    int r, c;
    double t[9];
    for (c = 0; c < 3; c++)
        for (r = 0; r < 3; r++) t[3 * c + r] = flip ? K[3 * r + c] : K[3 * c + r];
    if (ws->kind[i] == DCLI_FREE)
        memcpy(out, t, sizeof t);
    else if (ws->kind[i] == DCLI_FIXED)
        memset(out, 0, sizeof t);
    else
        dcli_matmul3(ws->D + 9 * (size_t)i, t, 0, out);
}

static dcs_result dcli_factor_general(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    int j, p;
    for (j = 0; j < M->n; j++)
        for (p = M->col_start[j]; p < M->col_start[j + 1]; p++) {
            size_t at = 9 * (size_t)p;
            dcli_left_D(ws, M->row_index[p], 0, ws->G + at, ws->lower + at);
            if (M->row_index[p] != j) {
                dcli_left_D(ws, j, 1, ws->G + at, ws->upper + at);
            } else {
                ws->lower[at] += ws->mass[j];
                ws->lower[at + 4] += ws->mass[j];
                ws->lower[at + 8] += ws->mass[j];
            }
        }
    ws->use_general = 1;
    ws->current = ws->general;
    return dcs_factor_compute(ws->general, ws->lower, ws->upper, NULL);
}

/* The pattern of the model and of the coupled contacts, lower triangle by columns: the model's
   sorted entries and the contacts' sorted couplings, merged. */
static int dcli_self_pattern(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    const dcl_allocator *allocator = &M->allocator;
    dcli_self *self = &ws->self;
    size_t nz = (size_t)M->col_start[M->n], couplings = 0, at = 0, entries = 0;
    int k, i, j, p;
    if (!dcli_grow(allocator, &self->couplings, &self->coupling_capacity,
                   6 * (size_t)self->count + 1, sizeof *self->couplings) ||
        !dcli_grow(allocator, &self->row_index, &self->entry_capacity, nz + 6 * (size_t)self->count,
                   sizeof *self->row_index))
        return 0;
    for (k = 0; k < self->count; k++)
        for (i = 0; i < dcli_feature_vertices[self->pairs[k].feature] && self->pairs[k].coupled;
             i++)
            for (j = 0; j < i; j++)
                self->couplings[couplings++] = dcli_pair(self->pairs[k].v[i], self->pairs[k].v[j]);
    qsort(self->couplings, couplings, sizeof *self->couplings, dcli_pair_compare);
    for (j = 0; j < M->n; j++) {
        self->col_start[j] = (int)entries;
        for (p = M->col_start[j]; p < M->col_start[j + 1] ||
                                  (at < couplings && (int)(self->couplings[at] >> 32) == j);) {
            int mesh = p < M->col_start[j + 1] ? M->row_index[p] : INT_MAX, row = mesh;
            if (at < couplings && (int)(self->couplings[at] >> 32) == j) {
                int other = (int)(self->couplings[at] & 0xFFFFFFFFu);
                if (other < row) row = other;
            }
            self->row_index[entries] = row;
            if (row == mesh) self->map[p++] = (int)entries;
            while (at < couplings && (int)(self->couplings[at] >> 32) == j &&
                   (int)(self->couplings[at] & 0xFFFFFFFFu) == row)
                at++;
            entries++;
        }
    }
    self->col_start[M->n] = (int)entries;
    return dcli_grow(allocator, &self->lower, &self->lower_capacity, 9 * entries, sizeof(double)) &&
           dcli_grow(allocator, &self->upper, &self->upper_capacity, 9 * entries, sizeof(double));
}

/* Ordering and memory for the contacts with an impulse and those that had one earlier in the step.
 */
static int dcli_self_analyze(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcli_self *self = &ws->self;
    dcs_desc desc = dcs_default_desc();
    uint64_t key = 0;
    int k;
    for (k = 0; k < self->count; k++) {
        if (self->pairs[k].coupled || self->pairs[k].branch == DCL_BRANCH_FREE) continue;
        self->pairs[k].coupled = 1;
        self->pattern_made = 0;
    }
    if (self->pattern_made) return 1;
    if (!dcli_self_pattern(ws)) return 0;
    self->pattern_made = 1;
    for (k = 0; k < self->col_start[M->n]; k++)
        key = dcli_hash_join(key, (uint64_t)self->row_index[k]);
    for (k = 0; k <= M->n; k++) key = dcli_hash_join(key, (uint64_t)self->col_start[k]);
    if (self->factor && key == self->pattern_key) return 1;
    dcs_factor_destroy(self->factor);
    dcs_factor_destroy(self->symmetric);
    dcs_analysis_destroy(self->analysis);
    self->factor = self->symmetric = NULL;
    self->analysis = NULL;
    self->pattern_key = key;
    desc.allocator.alloc = M->allocator.alloc;
    desc.allocator.free = M->allocator.free;
    desc.allocator.user = M->allocator.user;
    desc.equilibrate = 0;
    desc.ordering = DCS_ORDER_AMD;
    desc.tiny_pivot = 1e-14; /* sticking contacts are far stiffer than the cloth */
    return dcs_analysis_create(&desc, M->n, 3, self->col_start, self->row_index, &self->analysis,
                               NULL) == DCS_OK &&
           dcs_factor_create(self->analysis, DCS_CHOLESKY, &self->symmetric, NULL) == DCS_OK &&
           dcs_factor_create(self->analysis, DCS_LU_STATIC, &self->factor, NULL) == DCS_OK;
}

static int dcli_self_place(const dcli_self *self, int lo, int hi)
{
    int left = self->col_start[lo], right = self->col_start[lo + 1] - 1;
    while (left < right) {
        int middle = left + (right - left) / 2;
        if (self->row_index[middle] < hi)
            left = middle + 1;
        else
            right = middle;
    }
    return left;
}

/* Elastic blocks and contacts b_i b_j W, lower and upper; D not yet applied. */
static void dcli_self_gather(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcli_self *self = &ws->self;
    size_t entries = (size_t)self->col_start[M->n];
    int p, k, i, j, r, c;
    memset(self->lower, 0, 9 * entries * sizeof(double));
    memset(self->upper, 0, 9 * entries * sizeof(double));
    for (p = 0; p < M->col_start[M->n]; p++) {
        const double *K = ws->G + 9 * (size_t)p;
        double *lower = self->lower + 9 * (size_t)self->map[p],
               *upper = self->upper + 9 * (size_t)self->map[p];
        memcpy(lower, K, 9 * sizeof *K);
        for (c = 0; c < 3; c++)
            for (r = 0; r < 3; r++) upper[3 * c + r] = K[3 * r + c];
    }
    for (k = 0; k < self->count; k++) {
        const dcli_self_pair *pair = &self->pairs[k];
        if (pair->branch == DCL_BRANCH_FREE) continue;
        for (i = 0; i < dcli_feature_vertices[pair->feature]; i++)
            for (j = 0; j <= i; j++) {
                int a = pair->v[i], b = pair->v[j];
                size_t at = 9 * (size_t)dcli_self_place(self, a < b ? a : b, a < b ? b : a);
                double s = pair->b[i] * pair->b[j];
                for (r = 0; r < 9; r++) {
                    self->lower[at + (size_t)r] += s * pair->W[r];
                    self->upper[at + (size_t)r] += s * pair->W[r];
                }
            }
    }
}

/* LU of A = M + D (G + contacts). */
static int dcli_self_factor(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcli_self *self = &ws->self;
    int j, p;
    for (p = 0; p < self->count; p++) dcli_self_eliminate(&self->pairs[p], self->softness);
    if (!dcli_self_analyze(ws)) return 0;
    dcli_self_gather(ws);
    for (j = 0; j < M->n; j++)
        for (p = self->col_start[j]; p < self->col_start[j + 1]; p++) {
            double *lower = self->lower + 9 * (size_t)p, *upper = self->upper + 9 * (size_t)p;
            dcli_left_D(ws, self->row_index[p], 0, lower, lower);
            dcli_left_D(ws, j, 0, upper, upper);
            if (self->row_index[p] == j) {
                lower[0] += ws->mass[j];
                lower[4] += ws->mass[j];
                lower[8] += ws->mass[j];
            }
        }
    ws->use_general = 1;
    ws->current = self->factor;
    return dcs_factor_compute(self->factor, self->lower, self->upper, NULL) == DCS_OK;
}

/* Cholesky of M + N (G + contacts) N while the objective is descended. */
static dcs_result dcli_self_factor_symmetric(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcli_self *self = &ws->self;
    int j, p;
    if (!dcli_self_analyze(ws)) return DCS_ERROR_OUT_OF_MEMORY;
    dcli_self_gather(ws);
    for (j = 0; j < M->n; j++)
        for (p = self->col_start[j]; p < self->col_start[j + 1]; p++) {
            double *lower = self->lower + 9 * (size_t)p;
            if (ws->kind[j] != DCLI_FREE || ws->kind[self->row_index[p]] != DCLI_FREE)
                dcli_project_block(ws, self->row_index[p], j, lower);
            if (self->row_index[p] != j) continue;
            lower[0] += ws->mass[j];
            lower[4] += ws->mass[j];
            lower[8] += ws->mass[j];
        }
    ws->use_general = 0;
    ws->current = self->symmetric;
    return dcs_factor_compute(self->symmetric, self->lower, NULL, NULL);
}

/* Factors A at the last evaluation; needs G. Returns 0 if that is impossible (not definite). */
static int dcli_factor(dcl_workspace *ws)
{
    int general = dcli_node_kinds(ws);
    ws->cg_have = 0;
    ws->stats.factorizations++;
    if (ws->self.active) return dcli_self_factor(ws);
    return (general ? dcli_factor_general(ws) : dcli_factor_symmetric(ws)) == DCS_OK;
}

/* The same for derivatives, where a step may have ended at a saddle: an indefinite symmetric matrix
   goes to LDL^T, without pivoting. The adjoint refines its solutions and measures them; the
   tangent does neither. */
static int dcli_factor_any(dcl_workspace *ws)
{
    if (dcli_factor(ws)) return 1;
    if (ws->use_general) return 0;
    ws->current = ws->indefinite;
    return dcs_factor_compute(ws->indefinite, ws->lower, NULL, NULL) == DCS_OK;
}

/* x: on entry the right-hand side b (3n x count, directions interleaved per scalar), on exit
   A^-1 b or A^-T b, once, without refinement. */
static int dcli_solve_once(dcl_workspace *ws, int transpose, int count, double *x)
{
    dcs_result r = transpose && ws->use_general ? dcs_factor_solve_transpose(ws->current, count, x)
                                                : dcs_factor_solve(ws->current, count, x);
    return r == DCS_OK;
}

/* The symmetric case of A x = b: `known` = (I - N) b/m, the part of x that is known, and `rest` =
   N (b - G known), the right-hand side of what is left. scratch may be b, known and rest not. */
static void dcli_split(const dcl_workspace *ws, const double *b, double *known, double *rest,
                       double *scratch)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    double size = 0;
    dcli_apply_D_all(ws, 0, b, rest);
    for (k = 0; k < n3; k++) {
        known[k] = (b[k] - rest[k]) / ws->mass[k / 3];
        size += fabs(known[k]);
    }
    if (size == 0) return;
    dcli_apply_G(ws, 0, known, scratch);
    dcli_apply_D_all(ws, 0, scratch, scratch);
    for (k = 0; k < n3; k++) rest[k] -= scratch[k];
}

/* out += sum over contacts of b_i y. */
static void dcli_self_spread(const dcl_workspace *ws, const double *y, double *out)
{
    int k, i;
    for (k = 0; k < ws->self.count; k++)
        for (i = 0; i < dcli_feature_vertices[ws->self.pairs[k].feature]; i++)
            dcli_axpy3(out + 3 * (size_t)ws->self.pairs[k].v[i], ws->self.pairs[k].b[i], y + 3 * k);
}

/* The coupled linear system of velocities and impulses, G0 the elastic part of G:

       (M + D G0) x - D B^T y = b,      (I - P) y + rho P B x = late.

   One round of refinement: from the residuals of (x, y), a correction by the factor at hand.
   Returns the relative size of the first residual (the second's effect on it included). */
static double dcli_self_refine(dcl_workspace *ws, const double *b, const double *late, double *x,
                               double *y, double size)
{
    size_t n3 = 3 * (size_t)ws->model->n, j, m3 = 3 * (size_t)ws->self.count;
    double *rest = ws->self.y + 2 * m3, *push = rest + m3, *r = ws->work, *Gx = ws->work2, relative;
    int k, i;
    for (k = 0; k < ws->self.count; k++) {
        const dcli_self_pair *c = &ws->self.pairs[k];
        double Bx[3], PBx[3], Py[3], t[3];
        dcli_self_relative(c, x, Bx);
        dcli_mul3(c->P, Bx, PBx);
        dcli_mul3(c->P, y + 3 * k, Py);
        for (i = 0; i < 3; i++) t[i] = late[3 * k + i] - (y[3 * k + i] - Py[i] + c->rho * PBx[i]);
        dcli_mul3(c->N, t, rest + 3 * k);
        dcli_mul3(c->W, Bx, t); /* dcli_apply_G holds B^T W B: taken out again */
        for (i = 0; i < 3; i++) push[3 * k + i] = y[3 * k + i] + rest[3 * k + i] + t[i];
    }
    dcli_apply_G(ws, 0, x, Gx);
    for (j = 0; j < n3; j++) Gx[j] = -Gx[j];
    dcli_self_spread(ws, push, Gx);
    dcli_apply_D_all(ws, 0, Gx, Gx);
    for (j = 0; j < n3; j++) r[j] = b[j] - ws->mass[j / 3] * x[j] + Gx[j];
    relative = dcli_norm_all(r, n3) / (size + dcli_norm_all(Gx, n3));
    if (!dcli_finite(relative) || !dcli_solve_once(ws, 0, 1, r)) return HUGE_VAL;
    for (j = 0; j < n3; j++) x[j] += r[j];
    for (k = 0; k < ws->self.count; k++) {
        const dcli_self_pair *c = &ws->self.pairs[k];
        double Bx[3], WBx[3];
        dcli_self_relative(c, r, Bx);
        dcli_mul3(c->W, Bx, WBx);
        for (i = 0; i < 3; i++) y[3 * k + i] += rest[3 * k + i] - WBx[i];
    }
    return relative;
}

static int dcli_self_direction(dcl_workspace *ws)
{
    size_t n3 = 3 * (size_t)ws->model->n, j, m3 = 3 * (size_t)ws->self.count;
    double *late, *y, *b = ws->many, size;
    int round, k, i;
    if (!dcli_grow(&ws->model->allocator, &ws->self.y, &ws->self.y_capacity, 4 * m3, sizeof *late))
        return 0;
    late = ws->self.y;
    y = late + m3;
    for (j = 0; j < n3; j++) b[j] = -ws->r[j];
    for (k = 0; k < ws->self.count; k++)
        for (i = 0; i < 3; i++) {
            late[3 * k + i] = -ws->self.pairs[k].miss[i];
            y[3 * k + i] = 0;
        }
    size = dcli_norm_all(b, n3);
    memset(ws->delta, 0, n3 * sizeof(double));
    for (round = 0; round < (ws->self.softness < 0.01 ? 6 : 2); round++) {
        double relative = dcli_self_refine(ws, b, late, ws->delta, y, size);
        if (!dcli_finite(relative)) return 0;
        if (round && relative < 1e-6) break;
    }
    for (k = 0; k < ws->self.count; k++) dcli_copy3(ws->self.pairs[k].dr, y + 3 * k);
    return 1;
}

/* Newton's step delta = -A^-1 r. */
static int dcli_newton_direction(dcl_workspace *ws)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    int i;
    if (ws->self.active) return dcli_self_direction(ws);
    for (i = 0; i < ws->self.count; i++) dcli_set3(ws->self.pairs[i].dr, 0, 0, 0);
    for (k = 0; k < n3; k++) ws->delta[k] = -ws->r[k];
    if (ws->use_general) return dcli_solve_once(ws, 0, 1, ws->delta);
    dcli_split(ws, ws->delta, ws->work2, ws->work, ws->delta);
    if (!dcli_solve_once(ws, 0, 1, ws->work)) return 0;
    for (k = 0; k < n3; k++) ws->delta[k] = ws->work[k] + ws->work2[k];
    return 1;
}

/* P = M + h^2 sum w A^T A, the constant matrix of Projective Dynamics (5), one number per pair of
   nodes; damping and drag added at unit deformation. Rows of hard handles are diagonal. */
static void dcli_pd_pair(dcl_workspace *ws, int at, int i, int j, double value)
{
    const dcl_model *M = ws->model;
    if (i != j && (M->hard[i] >= 0 || M->hard[j] >= 0)) return;
    ws->scalar[at] += value;
}

static void dcli_pd_assemble(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    const dcl_params *p = ws->params;
    const double *scale = dcli_param(p, DCL_PARAM_STRETCH_SCALE);
    const double *bend_scale = dcli_param(p, DCL_PARAM_BEND_SCALE);
    double h = ws->h, b[3][2];
    int i, t, a, c;
    memset(ws->scalar, 0, (size_t)M->col_start[M->n] * sizeof(double));
    for (i = 0; i < M->n; i++)
        ws->scalar[M->col_start[i]] =
            ws->mass[i] + h * *dcli_param(p, DCL_PARAM_DRAG) * ws->area[i];
    for (t = 0; t < M->m; t++) {
        const dcli_triangle *tri = &M->triangles[t];
        double w = (h * h * *dcli_param(p, DCL_PARAM_STRETCH) * scale[t] +
                    h * *dcli_param(p, DCL_PARAM_DAMPING)) * ws->tri[t].area;
        dcli_tri_gradients(&ws->tri[t], b);
        for (a = 0; a < 3; a++)
            for (c = a; c < 3; c++)
                dcli_pd_pair(ws, a == c ? M->col_start[tri->v[a]] : tri->at[a + c - 1], tri->v[a],
                             tri->v[c], w * (b[a][0] * b[c][0] + b[a][1] * b[c][1]));
    }
    for (t = 0; t < M->e; t++) {
        const dcli_hinge *hinge = &M->hinges[t];
        const double *k = ws->hinge[t].c;
        double w = h * h * *dcli_param(p, DCL_PARAM_BEND) * bend_scale[t] * ws->hinge[t].scale;
        for (a = 0; a < 4; a++)
            dcli_pd_pair(ws, M->col_start[hinge->v[a]], hinge->v[a], hinge->v[a], w * k[a] * k[a]);
        for (a = 0; a < 6; a++)
            dcli_pd_pair(ws, hinge->at[a], hinge->v[dcli_hinge_pair[a][0]],
                         hinge->v[dcli_hinge_pair[a][1]],
                         w * k[dcli_hinge_pair[a][0]] * k[dcli_hinge_pair[a][1]]);
    }
    for (i = 0; i < M->handle_count; i++)
        if (M->handles[i].kind == DCL_HANDLE_SOFT)
            ws->scalar[M->col_start[M->handles[i].vertex]] += h * h * M->handles[i].stiffness;
}

/* Factors P if its parameters or h changed. Returns 0 if that is impossible. */
static int dcli_pd_prepare(dcl_workspace *ws)
{
    static const dcl_block blocks[] = {DCL_PARAM_STRETCH, DCL_PARAM_STRETCH_SCALE, DCL_PARAM_BEND,
                                       DCL_PARAM_BEND_SCALE, DCL_PARAM_DENSITY, DCL_PARAM_DAMPING,
                                       DCL_PARAM_DRAG, DCL_PARAM_REST};
    uint64_t key = dcli_hash_term(0, ws->h);
    size_t k;
    for (k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        key = dcli_hash_join(key, ws->params->hash[blocks[k]]);
    if (ws->pd_valid && ws->pd_key == key) return 1;
    dcli_pd_assemble(ws);
    ws->pd_valid = dcs_factor_compute(ws->pd, ws->scalar, NULL, NULL) == DCS_OK;
    ws->pd_key = key;
    ws->stats.factorizations++;
    return ws->pd_valid;
}

/* ---- >>impl-forward ---------------------------------------------------------------------------
   The two forward solvers. Both start at ws->v evaluated and leave the best iterate there. */

/* One step of the paper's loop: P dv = -r. */
static int dcli_pd_iteration(dcl_workspace *ws)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    for (k = 0; k < n3; k++) ws->work[k] = -ws->r[k];
    if (dcs_factor_solve(ws->pd, 3, ws->work) != DCS_OK) return 0;
    for (k = 0; k < n3; k++) ws->v[k] += ws->work[k];
    dcli_self_relax(ws);
    ws->stats.pd_iterations++;
    dcli_evaluate(ws);
    return dcli_finite(ws->rnorm);
}

static int dcli_converged(const dcl_workspace *ws)
{
    return dcli_relative(ws) <= ws->goal;
}

/* Goes back to the velocities in `from`. */
static void dcli_return_to(dcl_workspace *ws, const double *from)
{
    memcpy(ws->v, from, 3 * (size_t)ws->model->n * sizeof(double));
    dcli_evaluate(ws);
}

/* Tries v + step delta for step = 1, 1/2, ... Without contact the objective must fall (Armijo);
   where its change is lost in rounding the slope decides instead (Hager, Zhang 2005, approximate
   Wolfe condition). With contact the residual must fall. On failure v is as before. */
static int dcli_line_search(dcl_workspace *ws)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    double merit = dcli_merit(ws), energy = ws->energy, slope = dcli_dot_all(ws->r, ws->delta, n3);
    int contact = ws->touching, halvings, limit = contact ? 8 : 30, i;
    double step = 1;
    memcpy(ws->trial, ws->v, n3 * sizeof(double));
    for (i = 0; i < ws->self.count; i++) dcli_copy3(ws->self.pairs[i].from, ws->self.pairs[i].r);
    if (!dcli_all_finite(ws->delta, n3)) return 0;
    for (halvings = 0; halvings < limit; halvings++, step *= 0.5) {
        for (k = 0; k < n3; k++) ws->v[k] = ws->trial[k] + step * ws->delta[k];
        for (i = 0; i < ws->self.count && contact; i++) {
            dcli_self_pair *c = &ws->self.pairs[i];
            dcli_copy3(c->r, c->from);
            dcli_axpy3(c->r, step, c->dr);
        }
        dcli_evaluate(ws);
        if (!dcli_finite(ws->rnorm)) continue;
        if (!contact && !ws->touching && slope < 0) {
            double noise = 1e-13 * (fabs(energy) + fabs(ws->energy));
            if (ws->energy <= energy + 1e-4 * step * slope && -slope * step > 100 * noise) return 1;
            if (ws->energy <= energy + noise &&
                dcli_dot_all(ws->r, ws->delta, n3) <= -0.9998 * slope) return 1;
        } else if (dcli_merit(ws) <= (ws->self.active ? 1.01 * fmax(merit, ws->self.allowed)
                                                      : (1 - 1e-3 * step) * merit)) {
            return 1;
        }
    }
    for (i = 0; i < ws->self.count; i++) dcli_copy3(ws->self.pairs[i].r, ws->self.pairs[i].from);
    dcli_return_to(ws, ws->trial);
    return 0;
}

/* One iteration. The exact Hessian is indefinite where compressed cloth is about to buckle; then
   its negative eigenvalues are taken only as much of the way to zero as makes it definite, since
   what is left of them is what moves the cloth off the saddle. *project carries that part from
   iteration to iteration. */
static int dcli_newton_iteration(dcl_workspace *ws, double *project)
{
    if (*project < 0.15) *project = 0;
    ws->self.softness = fmin(1, fmax(DCLI_SELF_SOFTNESS, dcli_relative(ws)));
    for (;;) {
        dcli_assemble(ws, *project);
        if (dcli_factor(ws) && dcli_newton_direction(ws)) {
            ws->stats.newton_iterations++;
            if (dcli_line_search(ws)) {
                *project *= 0.5;
                return 1;
            }
        }
        if (*project >= 1) return 0;
        *project = *project > 0 ? fmin(1, 4 * *project) : 0.3;
    }
}

/* out = A x for the symmetric case, M x + N G N x. */
static void dcli_apply_symmetric(dcl_workspace *ws, const double *x, double *scratch, double *out)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    dcli_apply_D_all(ws, 0, x, scratch);
    dcli_apply_G(ws, 0, scratch, out);
    dcli_apply_D_all(ws, 0, out, out);
    for (k = 0; k < n3; k++) out[k] += ws->mass[k / 3] * x[k];
}

#define DCLI_CG_REUSE                                                                              \
    15 /* a factor that needs more iterations than this is replaced; they then cost                \
          as much as a factorisation */
#define DCLI_SELF_REUSE 6     /* the same while the cloth touches itself, where contacts change */
#define DCLI_CG_CURVATURE 0.5 /* least curvature assumed where it is negative, in units of the
                                 preconditioner's; 0.05 ... 0.5 measured equal */
#define DCLI_CG_FORCING 0.1 /* loosest relative residual of the inner solve */

/* Newton's step by conjugate gradients, preconditioned by the factor at hand (of this or an
   earlier, positive definite Hessian), to |residual| <= goal. Where the exact Hessian has negative
   curvature the step along that direction is taken with the curvature's absolute value, which
   leaves a saddle quickly, and the search ends. Returns the iterations made, negative if they met
   negative curvature, 0 on failure. */
static int dcli_cg_direction(dcl_workspace *ws, double goal)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    double *res = ws->solution, *p = ws->solution + n3, *scratch = ws->solution + 2 * n3;
    double *z = ws->work, *Hp = ws->work2, rz = 0, old, curvature, alpha;
    int it;
    memset(ws->delta, 0, n3 * sizeof(double));
    memset(p, 0, n3 * sizeof(double));
    for (k = 0; k < n3; k++) res[k] = -ws->r[k];
    for (it = 1; it <= 3 * DCLI_CG_REUSE; it++) {
        memcpy(z, res, n3 * sizeof(double));
        if (!dcli_solve_once(ws, 0, 1, z)) return 0;
        old = rz;
        rz = dcli_dot_all(res, z, n3);
        for (k = 0; k < n3; k++) p[k] = z[k] + (it > 1 ? rz / old : 0) * p[k];
        dcli_apply_symmetric(ws, p, scratch, Hp);
        curvature = dcli_dot_all(p, Hp, n3);
        if (!(curvature > 1e-3 * rz)) {
            alpha = rz / fmax(fabs(curvature), DCLI_CG_CURVATURE * rz);
            for (k = 0; k < n3; k++) ws->delta[k] += alpha * p[k];
            return -it;
        }
        alpha = rz / curvature;
        for (k = 0; k < n3; k++) {
            ws->delta[k] += alpha * p[k];
            res[k] -= alpha * Hp[k];
        }
        if (dcli_norm_all(res, n3) <= goal) break;
    }
    return it;
}

/* 1 if the factor at hand is one that dcli_newton_cg made in this step, for the contacts there are.
 */
static int dcli_cg_factor_serves(const dcl_workspace *ws)
{
    if (!ws->cg_have) return 0;
    return ws->current == (ws->self.active ? ws->self.symmetric : ws->symmetric);
}

/* Newton while no node touches, so that the step has an objective: one factorisation, as a rule,
   serves as preconditioner for all iterations of the step. Stops when converged, when a node
   touches, or when the line search fails; dcli_newton goes on from there. */
static void dcli_newton_cg(dcl_workspace *ws)
{
    int have = dcli_cg_factor_serves(ws), definite = 0, made = 0;
    while (!dcli_converged(ws) && ws->stats.newton_iterations < ws->newton_end) {
        double relative = dcli_relative(ws), forcing;
        if (!dcli_finite(ws->rnorm) || ws->touching) return;
        dcli_node_kinds(ws);
        if (!have || made > (ws->self.active ? DCLI_SELF_REUSE : DCLI_CG_REUSE)) {
            dcli_assemble(ws, definite ? 0 : 1);
            ws->stats.factorizations++;
            ws->cg_have = have = (ws->self.active ? dcli_self_factor_symmetric(ws)
                                                  : dcli_factor_symmetric(ws)) == DCS_OK;
            if (!have && !definite) return;
        }
        dcli_assemble(ws, 0);
        definite = definite && have;
        if (!have) continue;
        forcing = fmin(DCLI_CG_FORCING, fmax(sqrt(relative), 0.1 * ws->desc.tolerance / relative));
        made = dcli_cg_direction(ws, forcing * ws->rnorm);
        definite = made > 0;
        if (made < 0) made = -made;
        ws->stats.cg_iterations += made;
        ws->stats.newton_iterations++;
        if (made == 0 || !dcli_line_search(ws)) return;
    }
}

/* With contact the step has no objective, but it has one for friction bounds and impulses held:
   descended, with the impulses brought up to date in between, this leads through buckling to where
   Newton converges. Ends with impulses as unknowns again. */
static void dcli_descend(dcl_workspace *ws)
{
    double goal = ws->goal, scale, change, gain, last = 1e-1;
    int round, k, i, count = ws->model->obstacle_count;
    for (k = 0; k < ws->self.count; k++) dcli_copy3(ws->self.pairs[k].held, ws->self.pairs[k].r);
    if (count) memset(ws->self.held, 0, 3 * (size_t)ws->model->n * (size_t)count * sizeof(double));
    for (k = 0; k < ws->model->n && count; k++) /* begin with what the contact law gives */
        for (i = 0; i < 3 && ws->model->hard[k] < 0 && ws->touch[k].obstacle >= 0; i++)
            ws->self
                .held[3 * ((size_t)k * (size_t)count + (size_t)ws->touch[k].obstacle) + (size_t)i] =
                ws->mass[k] * ws->target[3 * (size_t)k + (size_t)i] -
                ws->g[3 * (size_t)k + (size_t)i];
    if (ws->model->self_contact == DCL_SELF_NONE) dcli_self_weigh(ws);
    ws->self.descending = 1;
    ws->self.stiffness = DCLI_SELF_DESCENT;
    for (round = 0; round < DCLI_SELF_DESCENTS; round++) {
        dcli_evaluate(ws);
        ws->goal = fmax(0.1 * goal, fmin(0.1 * last, 0.5 * dcli_relative(ws)));
        dcli_newton_cg(ws);
        if (ws->touching || !dcli_converged(ws)) break;
        for (k = 0, change = 0; k < ws->self.count; k++) {
            dcli_self_pair *c = &ws->self.pairs[k];
            for (i = 0; i < 3; i++) change += (c->r[i] - c->held[i]) * (c->r[i] - c->held[i]);
            dcli_copy3(c->held, c->r);
        }
        for (k = 0; k < ws->model->n && count; k++)
            if (ws->model->hard[k] < 0) change += dcli_node_hold(ws, k);
        scale = dcli_scale(ws);
        gain = sqrt(change) / scale / last;
        last *= gain;
        if (gain > 0.5 && ws->self.stiffness < DCLI_SELF_STIFFEST) {
            ws->self.stiffness *= 4;
            ws->cg_have = 0;
        }
        if (gain > 0.25 && last < DCLI_SELF_CLOSE) break;
        if (sqrt(last * last + dcli_relative(ws) * dcli_relative(ws)) <= 0.9 * goal) break;
    }
    ws->self.descending = 0;
    ws->goal = goal;
    dcli_evaluate(ws);
}

/* Plain PD steps, whenever Newton does not get on. */
static void dcli_pd_burst(dcl_workspace *ws, int count)
{
    if (!dcli_pd_prepare(ws)) return;
    while (count-- > 0 && !dcli_converged(ws))
        if (!dcli_pd_iteration(ws)) return;
}

static void dcli_return_to_best(dcl_workspace *ws)
{
    int i;
    for (i = 0; i < ws->self.count; i++) dcli_copy3(ws->self.pairs[i].r, ws->self.pairs[i].best);
    dcli_return_to(ws, ws->best);
}

static void dcli_keep_best(dcl_workspace *ws, double *best_norm)
{
    double relative = dcli_relative(ws);
    int i;
    if (!(relative < *best_norm)) return;
    *best_norm = relative;
    for (i = 0; i < ws->self.count; i++) dcli_copy3(ws->self.pairs[i].best, ws->self.pairs[i].r);
    memcpy(ws->best, ws->v, 3 * (size_t)ws->model->n * sizeof(double));
}

/* A soft step taken whatever comes of it, when stick and slip go round in circles. */
static void dcli_self_kick(dcl_workspace *ws, double project)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    int i;
    ws->self.softness = 0.01;
    dcli_assemble(ws, project);
    if (!dcli_factor(ws) || !dcli_newton_direction(ws)) return;
    ws->stats.newton_iterations++;
    for (k = 0; k < n3; k++) ws->v[k] += ws->delta[k];
    for (i = 0; i < ws->self.count; i++) dcli_axpy3(ws->self.pairs[i].r, 1, ws->self.pairs[i].dr);
    dcli_evaluate(ws);
}

static int dcli_self_sticks(const dcl_workspace *ws)
{
    int k;
    for (k = 0; k < ws->self.count; k++)
        if (ws->self.pairs[k].branch == DCL_BRANCH_STICK) return 1;
    return 0;
}

/* A descent may run away where contacts are nothing to what the cloth can do. */
static void dcli_descend_safely(dcl_workspace *ws, double *best)
{
    double before = dcli_merit(ws);
    dcli_keep_best(ws, best);
    dcli_descend(ws);
    if (!(dcli_merit(ws) <= 10 * before)) dcli_return_to_best(ws);
}

static void dcli_newton(dcl_workspace *ws)
{
    double best = HUGE_VAL, project = 1, q = 0, improved = HUGE_VAL;
    int burst = 10, i, kicks = 0, stalled = 0;
    if (!ws->touching) dcli_newton_cg(ws);
    if (ws->self.active && (ws->touching == ws->self.active || ws->stats.self_rounds) &&
        !dcli_converged(ws)) {
        dcli_descend_safely(ws, &best);
        project = 0;
    }
    while (!dcli_converged(ws) && ws->stats.newton_iterations < ws->newton_end) {
        int before = ws->stats.pd_iterations;
        if (!dcli_finite(ws->rnorm)) break;
        dcli_keep_best(ws, &best);
        if (best < 0.9 * improved) {
            improved = best;
            stalled = 0;
        }
        if (ws->touching && ++stalled % 8 == 0) { /* buckling, or contacts that go in circles */
            if (stalled % 24 || !ws->self.active)
                dcli_descend_safely(ws, &best);
            else
                for (i = 0; i < stalled && !dcli_converged(ws); i++) dcli_self_kick(ws, 1);
            project = 1;
            q = 0;
            continue;
        }
        ws->self.allowed = (0.8 * q * ws->self.allowed + dcli_merit(ws)) / (0.8 * q + 1);
        q = 0.8 * q + 1;
        if (dcli_newton_iteration(ws, &project)) continue;
        if (ws->touching && kicks++ < 10 && (ws->self.active || kicks % 3 == 1)) {
            if (ws->self.active)
                dcli_self_kick(ws, 0);
            else
                dcli_descend_safely(ws, &best);
            q = 0;
            continue;
        }
        if (before > ws->desc.pd_limit) break;
        dcli_pd_burst(ws, burst);
        if (ws->stats.pd_iterations == before) break; /* neither way gets on */
        burst += burst / 2;
    }
    if (dcli_converged(ws) && dcli_self_sticks(ws)) /* creep would add up over the steps */
        dcli_newton_iteration(ws, &project);
    if (!dcli_converged(ws) && best < HUGE_VAL && !(dcli_relative(ws) <= best))
        dcli_return_to_best(ws);
}

static void dcli_pd_loop(dcl_workspace *ws)
{
    if (!dcli_pd_prepare(ws)) return;
    while (!dcli_converged(ws) && ws->stats.pd_iterations < ws->desc.pd_limit)
        if (!dcli_pd_iteration(ws)) return;
}

/* Impulse r = m target - g of a touching node on its obstacles; calls visit for each contact. */
typedef void (*dcli_contact_fn)(void *user, const dcl_workspace *ws, int i, int obstacle,
                                const dcli_law *law, const double *impulse);

static void dcli_contacts_visit(const dcl_workspace *ws, int i, dcli_contact_fn visit, void *user)
{
    double impulse[3];
    int c;
    if (ws->touch[i].obstacle == -1 || ws->model->hard[i] >= 0) return;
    if (ws->touch[i].obstacle >= 0) {
        for (c = 0; c < 3; c++)
            impulse[c] = ws->mass[i] * ws->target[3 * (size_t)i + (size_t)c] -
                         ws->g[3 * (size_t)i + (size_t)c];
        visit(user, ws, i, ws->touch[i].obstacle, &ws->touch[i].law, impulse);
    } else {
        dcli_node node;
        dcli_node_again(ws, i, &node);
        for (c = 0; c < node.count; c++)
            visit(user, ws, i, node.obstacle[c], &node.law[c], node.impulse[c]);
    }
}

/* Residuals of the contact law itself, from the velocities the step ends with. */
static void dcli_measure_contact(void *user, const dcl_workspace *ws, int i, int obstacle,
                                 const dcli_law *law, const double *impulse)
{
    dcl_step_stats *s = (dcl_step_stats *)user;
    const dcli_gap *gap =
        &ws->gaps[(size_t)i * (size_t)ws->model->obstacle_count + (size_t)obstacle];
    double u[3], rt[3], rn = dcli_dot(impulse, gap->n), un, size, mu = ws->poses[obstacle].friction;
    (void)law;
    dcli_sub3(u, ws->v + 3 * (size_t)i, gap->w);
    un = dcli_dot(u, gap->n) + gap->d / ws->h;
    size = dcli_norm(ws->g + 3 * (size_t)i) + dcli_norm(impulse) + ws->mass[i] * dcli_norm(gap->w);
    if (!(size > 0)) return;
    s->complementarity = fmax(s->complementarity, fabs(un) * ws->mass[i] / size);
    dcli_copy3(rt, impulse);
    dcli_axpy3(rt, -rn, gap->n);
    s->cone = fmax(s->cone, fmax(dcli_norm(rt) - mu * rn, -rn) / size);
}

static double dcli_end_distance(const dcl_workspace *ws, int o, const double *x1)
{
    double e[3], xi[3];
    dcl_distance s;
    dcli_sub3(e, x1, ws->poses[o].c1);
    dcli_mult3(ws->poses[o].R1, e, xi);
    dcli_shape_distance(&ws->poses[o], xi, &s);
    return s.value;
}

static double dcli_node_margin(const dcl_workspace *ws, int i)
{
    int o, count = ws->model->obstacle_count;
    const dcli_gap *gaps = ws->gaps + (size_t)i * (size_t)count;
    double margin = 1, v[3];
    dcli_node node;
    dcli_law law;
    if (ws->touch[i].obstacle == -2) {
        dcli_node_again(ws, i, &node);
        return node.margin;
    }
    for (o = 0; o < count; o++) {
        dcli_law_solve(ws->mass[i], ws->poses[o].friction, ws->h, &gaps[o], ws->g + 3 * (size_t)i,
                       &law, v);
        margin = fmin(margin, law.margin);
    }
    return margin;
}

static void dcli_measure_node(dcl_workspace *ws, int i)
{
    dcl_step_stats *s = &ws->stats;
    dcli_node node;
    double x1[3];
    int k, o, stick;
    if (ws->model->hard[i] >= 0) return;
    if (!ws->model->obstacle_count || ws->touch[i].obstacle == -1) {
        s->free_count++;
    } else {
        stick = ws->touch[i].law.branch == DCL_BRANCH_STICK;
        if (ws->touch[i].obstacle == -2) {
            dcli_node_again(ws, i, &node);
            stick = dcli_node_stuck(&node) >= 0;
        }
        if (stick)
            s->stick_count++;
        else
            s->slip_count++;
    }
    if (!ws->model->obstacle_count) return;
    s->kinks += dcli_node_margin(ws, i) < 1e-6;
    dcli_contacts_visit(ws, i, dcli_measure_contact, s);
    for (k = 0; k < 3; k++)
        x1[k] = ws->x0[3 * (size_t)i + (size_t)k] + ws->h * ws->v[3 * (size_t)i + (size_t)k];
    for (o = 0; o < ws->model->obstacle_count; o++)
        s->penetration = fmax(s->penetration, -dcli_end_distance(ws, o, x1));
}

static void dcli_measure_self(dcl_workspace *ws)
{
    dcl_step_stats *s = &ws->stats;
    double mu = *dcli_param(ws->params, DCL_PARAM_SELF_FRICTION);
    int k, i;
    s->self_count = ws->self.count;
    s->self_stick = s->self_slip = s->self_frozen = 0;
    s->self_shortfall = 0;
    for (k = 0; k < ws->self.count; k++) {
        const dcli_self_pair *c = &ws->self.pairs[k];
        double u[3], e[3] = {0, 0, 0}, rt[3], rn, un, size, X[4][3], effective = c->rho;
        s->kinks += c->margin < 1e-6;
        if (c->branch == DCL_BRANCH_FREE) continue;
        s->self_stick += c->branch == DCL_BRANCH_STICK;
        s->self_slip += c->branch == DCL_BRANCH_SLIP;
        s->self_frozen += c->frozen;
        dcli_self_relative(c, ws->v, u);
        un = dcli_dot(u, c->n) + c->d / ws->h;
        rn = dcli_dot(c->r, c->n);
        dcli_copy3(rt, c->r);
        dcli_axpy3(rt, -rn, c->n);
        size = dcli_norm(c->r) + effective * (dcli_norm(u) + fabs(c->d) / ws->h);
        if (size > 0) {
            s->complementarity = fmax(s->complementarity, fabs(un) * effective / size);
            s->cone = fmax(s->cone, fmax(dcli_norm(rt) - mu * rn, -rn) / size);
        }
        dcli_self_points(c, ws->x0, ws->v, ws->h, X);
        for (i = 0; i < dcli_feature_vertices[c->feature]; i++) dcli_axpy3(e, c->b[i], X[i]);
        dcli_self_points(c, ws->x0, NULL, 0, X);
        dcli_self_sum(c, X, u);
        s->self_shortfall = fmax(s->self_shortfall, dcli_dot(u, c->n) - c->d - dcli_norm(e));
    }
    s->kinks += s->self_frozen;
}

static void dcli_measure(dcl_workspace *ws)
{
    dcl_step_stats *s = &ws->stats;
    int i;
    s->residual = dcli_relative(ws);
    s->converged = s->residual <= ws->desc.tolerance;
    s->free_count = s->stick_count = s->slip_count = s->kinks = 0;
    s->penetration = s->complementarity = s->cone = 0;
    for (i = 0; i < ws->model->n; i++) dcli_measure_node(ws, i);
    dcli_measure_self(ws);
}

static dcl_result dcli_step_arguments(const dcl_workspace *ws, const dcl_params *p,
                                      const dcl_state *state, double h)
{
    const dcl_logger *log = &ws->model->logger;
    size_t n3 = 3 * (size_t)ws->model->n, k;
    if (p->model != ws->model || state->model != ws->model)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT,
                           "step: workspace, params and state are of different models");
    if (!dcli_finite(h) || !(h >= DBL_MIN))
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "step: h is %g, must be finite and > 0", h);
    if (state->step == INT_MAX)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "step: state step is %d, the last there is",
                           state->step);
    if (!dcli_finite(state->time))
        return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "step: state time is not finite");
    for (k = 0; k < n3; k++)
        if (!dcli_finite(state->x[k]) || !dcli_finite(state->v[k]))
            return dcli_refuse(log, DCL_ERROR_NOT_FINITE,
                               "step: state %s of vertex %lu is not finite",
                               dcli_finite(state->x[k]) ? "v" : "x", (unsigned long)(k / 3));
    return DCL_OK;
}

/* Cloth that nothing holds or touches moves as a whole with the mean external force, whatever its
   shape: starting there makes free flight exact and never strains the cloth. */
static void dcli_start_in_flight(dcl_workspace *ws)
{
    size_t n3 = 3 * (size_t)ws->model->n, j;
    double shift[3] = {0, 0, 0}, mass = 0, rnorm = ws->rnorm;
    if (ws->model->handle_count || ws->touching || !dcli_finite(rnorm)) return;
    for (j = 0; j < n3; j++) {
        shift[j % 3] += ws->h * ws->fext[j];
        mass += ws->mass[j / 3] / 3;
    }
    for (j = 0; j < n3; j++) ws->v[j] += shift[j % 3] / mass;
    dcli_evaluate(ws);
    if (ws->touching || !(ws->rnorm < rnorm)) dcli_return_to(ws, ws->v0);
}

/* Where the step could not be solved its velocities are shortened as far as keeps every way free.
 */
static void dcli_self_shorten(dcl_workspace *ws)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    dcli_self_search q;
    dcli_self_search_init(ws, ws->v, DCLI_SEARCH_CLEAR, &q);
    dcli_self_find(&q);
    if (!(q.way < 1)) return;
    for (k = 0; k < n3; k++) ws->v[k] *= 0.9 * q.way;
    dcli_evaluate(ws);
}

/* Solves for ws->v from where it is, and again with the contacts that turn out to be missing, until
   nothing comes too near anything else on its way. */
static dcl_result dcli_solve_rounds(dcl_workspace *ws)
{
    int surface = ws->model->self_contact == DCL_SELF_SURFACE;
    dcli_self_search q;
    ws->goal = ws->desc.tolerance;
    ws->cg_have = 0;
    for (;;) {
        ws->newton_end = ws->stats.newton_iterations + ws->desc.newton_limit;
        if (ws->desc.solver == DCL_SOLVER_PD)
            dcli_pd_loop(ws);
        else
            dcli_newton(ws);
        if (ws->model->self_contact == DCL_SELF_NONE || !dcli_finite(ws->rnorm)) return DCL_OK;
        if (!dcli_converged(ws)) break;
        if (!surface) return DCL_OK;
        dcli_self_search_init(ws, ws->v, DCLI_SEARCH_VERIFY, &q);
        if (!dcli_self_find(&q) && !q.failed) return DCL_OK;
        if (q.failed)
            return dcli_refuse(&ws->model->logger, DCL_ERROR_OUT_OF_MEMORY, "self-contact: pairs");
        if (++ws->stats.self_rounds >= DCLI_SELF_ROUNDS) break;
        dcli_evaluate(ws);
    }
    if (surface) dcli_self_shorten(ws);
    return DCL_OK;
}

/* Solves the prepared step; the result is in ws->v. */
static dcl_result dcli_step_solve(dcl_workspace *ws)
{
    const dcl_model *M = ws->model;
    dcl_result r;
    int i;
    memset(&ws->stats, 0, sizeof ws->stats);
    memcpy(ws->v, ws->v0, 3 * (size_t)M->n * sizeof(double));
    for (i = 0; i < M->n; i++)
        if (M->hard[i] >= 0) dcli_copy3(ws->v + 3 * (size_t)i, ws->hard_target + 3 * (size_t)i);
    dcli_evaluate(ws);
    dcli_start_in_flight(ws);
    if ((r = dcli_solve_rounds(ws)) != DCL_OK) return r;
    /* Sticking nodes take exactly the velocity of what they stick to. */
    for (i = 0; i < M->n && M->obstacle_count; i++)
        if (M->hard[i] < 0 && ws->touch[i].obstacle >= 0 &&
            ws->touch[i].law.branch == DCL_BRANCH_STICK)
            dcli_copy3(ws->v + 3 * (size_t)i, ws->target + 3 * (size_t)i);
    if (!dcli_finite(dcli_relative(ws)) || !dcli_all_finite(ws->v, 3 * (size_t)M->n))
        return dcli_refuse(&M->logger, DCL_ERROR_NOT_FINITE,
                           "step: forces or velocities overflow; the state was kept");
    return DCL_OK;
}

static int dcli_tape_append(dcl_tape *tape, const dcl_workspace *ws, const double *x1)
{
    size_t n3 = 3 * (size_t)ws->model->n, first = 0;
    double *to = dcli_tape_values(tape, tape->count);
    dcli_record *record = &tape->records[tape->count];
    int k;
    if (tape->count) first = record[-1].self_first + (size_t)record[-1].self_count;
    if (!dcli_grow(&ws->model->allocator, &tape->self, &tape->self_capacity,
                   first + (size_t)ws->self.active, sizeof *tape->self))
        return 0;
    record->self_first = first;
    record->self_count = 0;
    for (k = 0; k < ws->self.count; k++)
        if (ws->self.pairs[k].branch != DCL_BRANCH_FREE)
            tape->self[first + (size_t)record->self_count++] = ws->self.pairs[k];
    memcpy(to, ws->x0, n3 * sizeof(double));
    memcpy(to + n3, ws->v0, n3 * sizeof(double));
    memcpy(to + 2 * n3, ws->v, n3 * sizeof(double));
    memcpy(tape->last_x, x1, n3 * sizeof(double));
    record->step = ws->step;
    record->time = ws->time;
    record->h = ws->h;
    record->key = dcli_params_key(ws->params, ws->step);
    tape->count++;
    return 1;
}

DCL_API dcl_result dcl_step(dcl_workspace *workspace, const dcl_params *params, dcl_state *state,
                            double h, dcl_tape *tape, dcl_step_stats *stats)
{
    dcl_workspace *ws = workspace;
    dcl_result r;
    size_t n3;
    if (!ws) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&ws->model->logger, "params state", 2,
                             (const void *)params, (const void *)state)) != DCL_OK)
        return r;
    if ((r = dcli_step_arguments(ws, params, state, h)) != DCL_OK) return r;
    if (tape && tape->model != ws->model)
        return dcli_refuse(&ws->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "step: tape of another model");
    if (tape && tape->count >= tape->capacity)
        return dcli_refuse(&ws->model->logger, DCL_ERROR_TAPE_FULL, "step: the tape holds %d steps",
                           tape->capacity);
    n3 = 3 * (size_t)ws->model->n;
    ws->have_step = 0;
    r = dcli_prepare(ws, params, state->x, state->v, state->step, state->time, h);
    if (!r) r = dcli_self_prepare(ws);
    if (!r) r = dcli_step_solve(ws);
    if (r) return r;
    dcli_end_positions(ws->model, params, state->step, h, state->x, ws->v, ws->trial);
    if (!dcli_all_finite(ws->trial, n3))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_NOT_FINITE,
                           "step: positions overflow; the state was kept");
    dcli_measure(ws);
    if (tape && !dcli_tape_append(tape, ws, ws->trial))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_OUT_OF_MEMORY, "tape: contacts");
    memcpy(state->x, ws->trial, n3 * sizeof(double));
    memcpy(state->v, ws->v, n3 * sizeof(double));
    state->step++;
    state->time += h;
    ws->have_step = 1;
    if (stats) *stats = ws->stats;
    return DCL_OK;
}

DCL_API dcl_result dcl_step_check(dcl_workspace *workspace, const dcl_params *params,
                                  const dcl_state *state, double h, const double *x1,
                                  double *residual, double *energy)
{
    dcl_workspace *ws = workspace;
    dcl_result r;
    size_t n3, k;
    if (!ws) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&ws->model->logger, "params state x1", 3, (const void *)params,
                             (const void *)state, (const void *)x1)) != DCL_OK)
        return r;
    if ((r = dcli_step_arguments(ws, params, state, h)) != DCL_OK) return r;
    n3 = 3 * (size_t)ws->model->n;
    ws->have_step = 0;
    r = dcli_prepare(ws, params, state->x, state->v, state->step, state->time, h);
    if (r) return r;
    for (k = 0; k < n3; k++) {
        if (!dcli_finite(x1[k]))
            return dcli_refuse(&ws->model->logger, DCL_ERROR_NOT_FINITE,
                               "step: x1 of vertex %lu is not finite", (unsigned long)(k / 3));
        ws->v[k] = (x1[k] - state->x[k]) / h;
    }
    dcli_evaluate(ws);
    if (!dcli_finite(ws->rnorm))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_NOT_FINITE, "step: forces overflow at x1");
    if (residual) *residual = dcli_relative(ws);
    if (energy) *energy = ws->energy;
    return DCL_OK;
}

typedef struct dcli_contact_list {
    int capacity, count;
    dcl_contact *out;
} dcli_contact_list;

static void dcli_contact_add(void *user, const dcl_workspace *ws, int i, int obstacle,
                             const dcli_law *law, const double *impulse)
{
    dcli_contact_list *list = (dcli_contact_list *)user;
    if (list->count < list->capacity) {
        dcl_contact *c = &list->out[list->count];
        const dcli_gap *gap =
            &ws->gaps[(size_t)i * (size_t)ws->model->obstacle_count + (size_t)obstacle];
        memset(c, 0, sizeof *c);
        c->vertex[0] = i;
        c->vertex[1] = c->vertex[2] = c->vertex[3] = -1;
        c->weight[0] = 1;
        c->obstacle = obstacle;
        c->branch = law->branch;
        c->gap = gap->d;
        dcli_copy3(c->normal, gap->n);
        dcli_copy3(c->impulse, impulse);
    }
    list->count++;
}

static void dcli_contact_add_self(const dcli_self_pair *pair, dcli_contact_list *list)
{
    if (list->count < list->capacity) {
        dcl_contact *c = &list->out[list->count];
        int k;
        c->obstacle = -1;
        for (k = 0; k < 4; k++) {
            int used = k < dcli_feature_vertices[pair->feature];
            c->vertex[k] = used ? pair->v[k] : -1;
            c->weight[k] = used ? pair->b[k] : 0;
        }
        c->branch = pair->branch;
        c->gap = pair->d;
        dcli_copy3(c->normal, pair->n);
        dcli_copy3(c->impulse, pair->r);
    }
    list->count++;
}

DCL_API int dcl_workspace_get_contacts(const dcl_workspace *workspace, int capacity,
                                       dcl_contact *contacts)
{
    dcli_contact_list list;
    int i;
    list.capacity = contacts ? capacity : 0;
    list.count = 0;
    list.out = contacts;
    if (!workspace->have_step) return 0;
    for (i = 0; i < workspace->model->n && workspace->model->obstacle_count; i++)
        dcli_contacts_visit(workspace, i, dcli_contact_add, &list);
    for (i = 0; i < workspace->self.count; i++)
        if (workspace->self.pairs[i].branch != DCL_BRANCH_FREE)
            dcli_contact_add_self(&workspace->self.pairs[i], &list);
    return list.count;
}

typedef struct dcli_reaction {
    int obstacle;
    double impulse[3], moment[3];
} dcli_reaction;

static void dcli_reaction_add(void *user, const dcl_workspace *ws, int i, int obstacle,
                              const dcli_law *law, const double *impulse)
{
    dcli_reaction *sum = (dcli_reaction *)user;
    double arm[3], moment[3];
    (void)law;
    if (obstacle != sum->obstacle) return;
    dcli_sub3(arm, ws->trial + 3 * (size_t)i, ws->poses[obstacle].c1); /* trial: where it ended */
    dcli_cross(arm, impulse, moment);
    dcli_axpy3(sum->impulse, -1, impulse);
    dcli_axpy3(sum->moment, -1, moment);
}

DCL_API dcl_result dcl_workspace_get_reaction(const dcl_workspace *workspace, int obstacle,
                                              double impulse[3], double moment[3])
{
    dcli_reaction sum;
    dcl_result r;
    int i;
    if (!workspace) return DCL_ERROR_NULL_POINTER;
    r = dcli_check_null(&workspace->model->logger, "impulse moment", 2, (const void *)impulse,
                        (const void *)moment);
    if (r) return r;
    if (obstacle < 0 || obstacle >= workspace->model->obstacle_count)
        return dcli_refuse(&workspace->model->logger, DCL_ERROR_INDEX_OUT_OF_RANGE,
                           "obstacle is %d, the model has %d", obstacle,
                           workspace->model->obstacle_count);
    memset(&sum, 0, sizeof sum);
    sum.obstacle = obstacle;
    for (i = 0; i < workspace->model->n && workspace->have_step; i++)
        dcli_contacts_visit(workspace, i, dcli_reaction_add, &sum);
    dcli_copy3(impulse, sum.impulse);
    dcli_copy3(moment, sum.moment);
    return DCL_OK;
}

/* ---- >>impl-adjoint ---------------------------------------------------------------------------
   The residual of the step is v1 - target(g(v1)), and dg/dv1 = -G, d target/dg = D/m. With y the
   sensitivity of target and s that of g:

       y = q - G s,   s = D^T y/m,   q = dL/dv1 + h dL/dx1,   that is z = y/m, A^T z = q  (28),
   (29).

   From y and s every other derivative is a product, one operator after the other. */

/* Residual of A^T z = q in s-form: out = q - m z - G D^T z; returns its norm. */
static double dcli_adjoint_residual(dcl_workspace *ws, const double *q, const double *z, double *s,
                                    double *Gs, double *out)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    dcli_apply_D_all(ws, 1, z, s);
    dcli_apply_G(ws, 1, s, Gs);
    for (k = 0; k < n3; k++) out[k] = q[k] - ws->mass[k / 3] * z[k] - Gs[k];
    return dcli_norm_all(out, n3);
}

/* z += A^-T r by the current factor. With projectors: s = (M + N G N)^-1 N r, z = (r - G s)/m. */
static int dcli_adjoint_correct(dcl_workspace *ws, double *r, double *z)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    if (ws->use_general) {
        if (!dcli_solve_once(ws, 1, 1, r)) return 0;
        for (k = 0; k < n3; k++) z[k] += r[k];
        return 1;
    }
    dcli_apply_D_all(ws, 1, r, ws->work);
    if (!dcli_solve_once(ws, 0, 1, ws->work)) return 0;
    dcli_apply_D_all(ws, 1, ws->work, ws->work); /* clean the part along I - N of rounding */
    dcli_apply_G(ws, 1, ws->work, ws->work2);
    for (k = 0; k < n3; k++) z[k] += (r[k] - ws->work2[k]) / ws->mass[k / 3];
    return 1;
}

/* Factor, solve, refine until the residual is at rounding. An indefinite exact Hessian (the step
   ended at a saddle) goes to LDL^T. */
static dcl_result dcli_adjoint_direct(dcl_workspace *ws, const double *q, double *z,
                                      dcl_adjoint_stats *stats)
{
    size_t n3 = 3 * (size_t)ws->model->n;
    double size = dcli_norm_all(q, n3), best = HUGE_VAL;
    double *s = ws->many, *Gs = ws->many + n3, *r = ws->many + 2 * n3, *kept = ws->many + 3 * n3;
    int round;
    stats->direct = 1;
    if (!dcli_factor_any(ws))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_SINGULAR,
                           "adjoint: the Hessian at the end of the step is singular");
    memset(z, 0, n3 * sizeof(double));
    for (round = 0; round < 6; round++) {
        double norm = dcli_adjoint_residual(ws, q, z, s, Gs, r);
        double relative = norm / (size + dcli_norm_all(Gs, n3));
        if (!dcli_finite(relative) || !(relative < 0.5 * best)) break;
        best = relative;
        memcpy(kept, z, n3 * sizeof(double));
        if (relative <= 1e-15 || !dcli_adjoint_correct(ws, r, z)) break;
    }
    memcpy(z, kept, n3 * sizeof(double));
    stats->residual = best;
    if (!(best <= 1e-6))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_SINGULAR,
                           "adjoint: the linear system cannot be solved, residual %g", best);
    return DCL_OK;
}

/* With impulses r = proj(r - rho (B v + d/h n)) beside the velocities, z and y solve

       (M + G0 D^T) z + rho B^T P^T y = q,      -B D^T z + (I - P^T) y = 0,

   the transpose of the system in dcli_self_refine, solved by the same factor. y in ws->self.y. */
static dcl_result dcli_adjoint_self(dcl_workspace *ws, const double *q, double *z,
                                    dcl_adjoint_stats *stats)
{
    size_t n3 = 3 * (size_t)ws->model->n, j, m3 = 3 * (size_t)ws->self.count;
    double size = dcli_norm_all(q, n3), best = HUGE_VAL;
    double *s = ws->many, *Gs = ws->many + n3, *r = ws->many + 2 * n3, *kept = ws->many + 3 * n3;
    double *y = ws->self.y, *late = y + m3, *push = late + m3, *kept_y = push + m3;
    int round, k, i, worse = 0;
    stats->direct = 1;
    if (!dcli_factor_any(ws))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_SINGULAR,
                           "adjoint: the Hessian at the end of the step is singular");
    memset(z, 0, n3 * sizeof(double));
    memset(y, 0, m3 * sizeof(double));
    for (round = 0; round < 100; round++) {
        double relative, norm;
        dcli_apply_D_all(ws, 1, z, s);
        memcpy(r, q, n3 * sizeof(double));
        for (k = 0; k < ws->self.count; k++) { /* second residual, and what it does to the first */
            const dcli_self_pair *c = &ws->self.pairs[k];
            double Bs[3], Py[3], t[3];
            dcli_self_relative(c, s, Bs);
            dcli_mult3(c->P, y + 3 * k, Py);
            for (i = 0; i < 3; i++) late[3 * k + i] = Bs[i] - (y[3 * k + i] - Py[i]);
            for (i = 0; i < 3; i++)
                t[i] = Bs[i] - late[3 * k + i]; /* dcli_apply_G holds B^T W^T B s */
            dcli_mult3(c->W, t, push + 3 * k);
            dcli_axpy3(push + 3 * k, -c->rho, Py);
        }
        dcli_apply_G(ws, 1, s, Gs);
        for (j = 0; j < n3; j++) r[j] -= ws->mass[j / 3] * z[j] + Gs[j];
        dcli_self_spread(ws, push, r);
        norm = dcli_norm_all(r, n3);
        relative = norm / (size + dcli_norm_all(Gs, n3));
        if (!dcli_finite(relative)) break;
        worse = relative < 0.7 * best ? 0 : worse + 1;
        if (relative < best) {
            best = relative;
            memcpy(kept, z, n3 * sizeof(double));
            memcpy(kept_y, y, m3 * sizeof(double));
        }
        if (worse > 3 || relative <= 1e-15) break;
        if (!dcli_solve_once(ws, 1, 1, r)) break;
        for (j = 0; j < n3; j++) z[j] += r[j];
        dcli_apply_D_all(ws, 1, r, s);
        for (k = 0; k < ws->self.count; k++) {
            double Bs[3], dy[3];
            dcli_self_relative(&ws->self.pairs[k], s, Bs);
            dcli_axpy3(Bs, 1, late + 3 * k);
            dcli_mult3(ws->self.pairs[k].N, Bs, dy);
            dcli_axpy3(y + 3 * k, 1, dy);
        }
        stats->iterations++;
    }
    memcpy(z, kept, n3 * sizeof(double));
    memcpy(y, kept_y, m3 * sizeof(double));
    stats->residual = best;
    if (!(best <= 1e-6))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_SINGULAR,
                           "adjoint: the linear system cannot be solved, residual %g", best);
    return DCL_OK;
}

/* The paper's iteration P z <- q + (dP + dR) z, which is z <- z + P^-1 (q - A^T z). */
static int dcli_adjoint_pd(dcl_workspace *ws, const double *q, double *z, dcl_adjoint_stats *stats)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    double size = dcli_norm_all(q, n3);
    double *s = ws->many, *Gs = ws->many + n3, *r = ws->many + 2 * n3;
    if (!dcli_pd_prepare(ws)) return 0;
    memset(z, 0, n3 * sizeof(double));
    for (stats->iterations = 0; stats->iterations < ws->desc.adjoint_limit; stats->iterations++) {
        double norm = dcli_adjoint_residual(ws, q, z, s, Gs, r);
        stats->residual = norm / (size + dcli_norm_all(Gs, n3));
        if (stats->residual <= ws->desc.adjoint_tolerance) return 1;
        if (!(norm < 1e6 * size) || dcs_factor_solve(ws->pd, 3, r) != DCS_OK) return 0;
        for (k = 0; k < n3; k++) z[k] += r[k];
    }
    return 0;
}

/* w = A^T P^-1 v, for right-preconditioned GMRES; ws->work gets P^-1 v. */
static int dcli_krylov_apply(dcl_workspace *ws, const double *v, double *w)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    memcpy(ws->work, v, n3 * sizeof(double));
    if (dcs_factor_solve(ws->pd, 3, ws->work) != DCS_OK) return 0;
    dcli_apply_D_all(ws, 1, ws->work, ws->many);
    dcli_apply_G(ws, 1, ws->many, w);
    for (k = 0; k < n3; k++) w[k] += ws->mass[k / 3] * ws->work[k];
    return 1;
}

/* One GMRES cycle (Saad, Schultz 1986) on the residual in V[0], not yet scaled; adds to z. Stops at
   `goal` on the residual norm. Returns the steps made, negative on failure. */
static int dcli_krylov_cycle(dcl_workspace *ws, double beta, double goal, double *z)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    double *V = ws->krylov, H[DCLI_KRYLOV + 1][DCLI_KRYLOV], cs[DCLI_KRYLOV], sn[DCLI_KRYLOV];
    double e[DCLI_KRYLOV + 1];
    int j = 0, i, pass;
    for (k = 0; k < n3; k++) V[k] /= beta;
    e[0] = beta;
    for (j = 0; j < DCLI_KRYLOV && fabs(e[j]) > goal; j++) {
        double *w = V + (size_t)(j + 1) * n3, norm, a;
        if (!dcli_krylov_apply(ws, V + (size_t)j * n3, w)) return -1;
        for (i = 0; i <= j; i++) H[i][j] = 0;
        for (pass = 0; pass < 2; pass++) /* orthogonal to rounding */
            for (i = 0; i <= j; i++) {
                a = dcli_dot_all(w, V + (size_t)i * n3, n3);
                H[i][j] += a;
                for (k = 0; k < n3; k++) w[k] -= a * V[(size_t)i * n3 + k];
            }
        norm = dcli_norm_all(w, n3);
        for (i = 0; i < j; i++) {
            a = cs[i] * H[i][j] + sn[i] * H[i + 1][j];
            H[i + 1][j] = -sn[i] * H[i][j] + cs[i] * H[i + 1][j];
            H[i][j] = a;
        }
        a = hypot(H[j][j], norm);
        if (!(a > 0)) return -1;
        cs[j] = H[j][j] / a;
        sn[j] = norm / a;
        H[j][j] = a;
        e[j + 1] = -sn[j] * e[j];
        e[j] *= cs[j];
        for (k = 0; k < n3 && norm > 0; k++) w[k] /= norm;
    }
    for (i = j - 1; i >= 0; i--) {
        for (pass = i + 1; pass < j; pass++) e[i] -= H[i][pass] * e[pass];
        e[i] /= H[i][i];
    }
    memset(ws->work2, 0, n3 * sizeof(double));
    for (i = 0; i < j; i++)
        for (k = 0; k < n3; k++) ws->work2[k] += e[i] * V[(size_t)i * n3 + k];
    if (dcs_factor_solve(ws->pd, 3, ws->work2) != DCS_OK) return -1;
    for (k = 0; k < n3; k++) z[k] += ws->work2[k];
    return j;
}

static int dcli_adjoint_krylov(dcl_workspace *ws, const double *q, double *z,
                               dcl_adjoint_stats *stats)
{
    size_t n3 = 3 * (size_t)ws->model->n;
    double size = dcli_norm_all(q, n3), previous = HUGE_VAL;
    double *s = ws->many, *Gs = ws->many + n3;
    if (!dcli_pd_prepare(ws)) return 0;
    memset(z, 0, n3 * sizeof(double));
    while (stats->iterations < ws->desc.adjoint_limit) {
        double norm = dcli_adjoint_residual(ws, q, z, s, Gs, ws->krylov);
        double total = size + dcli_norm_all(Gs, n3);
        int made;
        stats->residual = norm / total;
        if (stats->residual <= ws->desc.adjoint_tolerance) return 1;
        if (!(norm < 0.9 * previous)) return 0; /* stagnates */
        previous = norm;
        made = dcli_krylov_cycle(ws, norm, 0.5 * ws->desc.adjoint_tolerance * total, z);
        if (made < 0) return 0;
        stats->iterations += made;
    }
    return 0;
}

/* z in ws->delta for q in ws->best, by the method asked for; direct if it fails. */
static dcl_result dcli_adjoint_solve(dcl_workspace *ws, dcl_adjoint_stats *stats)
{
    size_t n3 = 3 * (size_t)ws->model->n;
    int done = 0;
    if (dcli_norm_all(ws->best, n3) == 0) {
        memset(ws->delta, 0, n3 * sizeof(double));
        if (ws->self.count) memset(ws->self.y, 0, 3 * (size_t)ws->self.count * sizeof(double));
        return DCL_OK;
    }
    if (ws->self.active) return dcli_adjoint_self(ws, ws->best, ws->delta, stats);
    if (ws->desc.adjoint != DCL_ADJOINT_DIRECT) {
        dcli_node_kinds(ws);
        done = ws->desc.adjoint == DCL_ADJOINT_PD
                   ? dcli_adjoint_pd(ws, ws->best, ws->delta, stats)
                   : dcli_adjoint_krylov(ws, ws->best, ws->delta, stats);
    }
    return done ? DCL_OK : dcli_adjoint_direct(ws, ws->best, ws->delta, stats);
}

/* adj_B += D^T adj_F of a map F = D B, D = [d1 d2] the edge vectors of the field. */
static void dcli_map_adj(const double *field, const int *v, const double *adj_F, double *adj_B)
{
    double d[3];
    int a;
    for (a = 0; a < 2; a++) {
        dcli_sub3(d, field + 3 * (size_t)v[a + 1], field + 3 * (size_t)v[0]);
        adj_B[a] += dcli_dot(d, adj_F);
        adj_B[2 + a] += dcli_dot(d, adj_F + 3);
    }
}

/* Stretch: psi = h s.f = -h w <F - R, S>, w = k scale area, S the map of s. */
static void dcli_stretch_adjoint(dcl_workspace *ws, int t, const double *s, double *adj_x0,
                                 dcl_grad *grad, dcli_tri_rest *adj)
{
    const int *v = ws->model->triangles[t].v;
    const double *B = ws->tri[t].B;
    double k = *dcli_param(ws->params, DCL_PARAM_STRETCH), h = ws->h;
    double scale = dcli_param(ws->params, DCL_PARAM_STRETCH_SCALE)[t],
           w = k * scale * ws->tri[t].area;
    double F[6], S[6], HS[6], E[6], b[3][2], work, *out;
    dcli_polar polar;
    int j;
    dcli_tri_F(ws->x0, h, ws->v, v, B, F);
    dcli_polar_compute(F, &polar);
    dcli_tri_field(s, v, B, S);
    dcli_polar_apply(&polar, S, HS);
    dcli_tri_gradients(&ws->tri[t], b);
    dcli_tri_scatter(adj_x0, v, (const double(*)[2])b, -h * w, HS);
    for (j = 0; j < 6; j++) E[j] = F[j] - polar.R[j];
    work = -h * ws->tri[t].area * dcli_dot6(E, S);
    if ((out = dcli_grad(grad, DCL_PARAM_STRETCH)) != NULL) *out += scale * work;
    if ((out = dcli_grad(grad, DCL_PARAM_STRETCH_SCALE)) != NULL) out[t] += k * work;
    if (!dcli_grad(grad, DCL_PARAM_REST)) return;
    adj->area += k * scale * work / ws->tri[t].area;
    for (j = 0; j < 6; j++) {
        HS[j] *= -h * w;
        E[j] *= -h * w;
    }
    dcli_map_adj(ws->x0, v, HS, adj->B);
    for (j = 0; j < 6; j++) HS[j] *= h;
    dcli_map_adj(ws->v, v, HS, adj->B);
    dcli_map_adj(s, v, E, adj->B);
}

/* Damping: psi = -h eta area <F1 rate, S>. */
static void dcli_damping_adjoint(dcl_workspace *ws, int t, const double *s, double *adj_x0,
                                 dcl_grad *grad, dcli_tri_rest *adj)
{
    const int *v = ws->model->triangles[t].v;
    const double *B = ws->tri[t].B;
    double eta = *dcli_param(ws->params, DCL_PARAM_DAMPING), h = ws->h;
    double w = h * eta * ws->tri[t].area, F0[6], V[6], F1[6], S[6], rate[3], arate[3];
    double stress[6], aF1[6], aF0[6], aV[6], b[3][2], work, *out;
    int j;
    dcli_tri_field(ws->x0, v, B, F0);
    dcli_tri_field(ws->v, v, B, V);
    dcli_tri_field(s, v, B, S);
    dcli_strain_rate(F0, V, h, rate);
    for (j = 0; j < 6; j++) F1[j] = F0[j] + h * V[j];
    dcli_mul_sym2(F1, rate, stress);
    work = -h * ws->tri[t].area * dcli_dot6(stress, S);
    if ((out = dcli_grad(grad, DCL_PARAM_DAMPING)) != NULL) *out += work;
    if (eta == 0) return;
    dcli_sym_product(F1, S, arate);
    dcli_mul_sym2(S, rate, aF1);
    dcli_mul_sym2(V, arate, aF0);
    dcli_mul_sym2(F1, arate, aV); /* F1 = F0 + h V is also in aF1 below */
    for (j = 0; j < 6; j++) {
        aF0[j] = -w * (aF0[j] + aF1[j]);
        aV[j] = -w * (aV[j] + h * aF1[j]);
        stress[j] *= -w;
    }
    dcli_tri_gradients(&ws->tri[t], b);
    dcli_tri_scatter(adj_x0, v, (const double(*)[2])b, 1, aF0);
    if (!dcli_grad(grad, DCL_PARAM_REST)) return;
    adj->area += eta * work / ws->tri[t].area;
    dcli_map_adj(ws->x0, v, aF0, adj->B);
    dcli_map_adj(ws->v, v, aV, adj->B);
    dcli_map_adj(s, v, stress, adj->B);
}

/* Bending: psi = -h w sigma.(b - p), sigma = sum c_a s_a. */
static void dcli_bending_adjoint(dcl_workspace *ws, int t, const double *s, double *adj_x0,
                                 dcl_grad *grad)
{
    const int *v = ws->model->hinges[t].v;
    const dcli_hinge_rest *rest = &ws->hinge[t];
    double k = *dcli_param(ws->params, DCL_PARAM_BEND), h = ws->h, *out;
    double scale = dcli_param(ws->params, DCL_PARAM_BEND_SCALE)[t], w = h * k * scale * rest->scale;
    double b[3], d[3], sigma[3], Hs[3], q[3], across, work;
    dcli_hinge_rest adj;
    int i, j;
    dcli_hinge_end(ws, ws->v, v, rest->c, b);
    across = dcli_hinge_direction(b, rest->length, d);
    dcli_hinge_sum(s, v, rest->c, sigma);
    for (j = 0; j < 3; j++) {
        Hs[j] = across * sigma[j] + (1 - across) * dcli_dot(d, sigma) * d[j];
        q[j] = b[j] - rest->length * d[j];
    }
    for (i = 0; i < 4; i++) dcli_axpy3(adj_x0 + 3 * (size_t)v[i], -w * rest->c[i], Hs);
    work = -h * rest->scale * dcli_dot(sigma, q);
    if ((out = dcli_grad(grad, DCL_PARAM_BEND)) != NULL) *out += scale * work;
    if ((out = dcli_grad(grad, DCL_PARAM_BEND_SCALE)) != NULL) out[t] += k * work;
    if ((out = dcli_grad(grad, DCL_PARAM_REST)) == NULL) return;
    adj.scale = k * scale * work / rest->scale;
    adj.length = w * dcli_dot(sigma, d);
    adj.c[0] = 0; /* sums are relative to v0 */
    for (i = 1; i < 4; i++) {
        double x[3], e[3];
        for (j = 0; j < 3; j++) {
            size_t a = 3 * (size_t)v[i] + (size_t)j, z = 3 * (size_t)v[0] + (size_t)j;
            x[j] = (ws->x0[a] - ws->x0[z]) + h * (ws->v[a] - ws->v[z]);
            e[j] = s[a] - s[z];
        }
        adj.c[i] = -w * (dcli_dot(e, q) + dcli_dot(Hs, x));
    }
    dcli_hinge_rest_adj(dcli_param(ws->params, DCL_PARAM_REST), v, rest, &adj, out);
}

static void dcli_air_adjoint(dcl_workspace *ws, int t, const double *s, double *adj_x0,
                             dcl_grad *grad)
{
    const int *v = ws->model->triangles[t].v;
    double cn = *dcli_param(ws->params, DCL_PARAM_AIR_NORMAL), h = ws->h;
    double ct = *dcli_param(ws->params, DCL_PARAM_AIR_TANGENT), *out;
    double u[3], mean[3], f[3], H[9], wind[3], aa[3] = {0, 0, 0}, e1[3], e2[3], t1[3], t2[3];
    dcli_air air;
    int k;
    dcli_air_velocity(ws, ws->v, v, u);
    dcli_air_init(ws->air_normal + 3 * (size_t)t, u, &air);
    for (k = 0; k < 3; k++)
        mean[k] = h / 3 * (s[3 * (size_t)v[0] + (size_t)k] + s[3 * (size_t)v[1] + (size_t)k] +
                           s[3 * (size_t)v[2] + (size_t)k]);
    if ((out = dcli_grad(grad, DCL_PARAM_AIR_NORMAL)) != NULL) {
        dcli_air_force(&air, 1, 0, f);
        *out += dcli_dot(mean, f);
    }
    if ((out = dcli_grad(grad, DCL_PARAM_AIR_TANGENT)) != NULL) {
        dcli_air_force(&air, 0, 1, f);
        *out += dcli_dot(mean, f);
    }
    if (cn == 0 && ct == 0) return;
    if ((out = dcli_grad(grad, DCL_PARAM_AIR_VELOCITY)) != NULL) {
        dcli_air_hessian(&air, cn, ct, H);
        dcli_mul3(H, mean, wind);
        dcli_axpy3(out, 1, wind);
    }
    dcli_air_d_area_adj(&air, u, cn, ct, mean, aa);
    dcli_sub3(e1, ws->x0 + 3 * (size_t)v[1], ws->x0 + 3 * (size_t)v[0]);
    dcli_sub3(e2, ws->x0 + 3 * (size_t)v[2], ws->x0 + 3 * (size_t)v[0]);
    dcli_cross(e2, aa, t1); /* a = e1 x e2 / 2 */
    dcli_cross(aa, e1, t2);
    dcli_axpy3(adj_x0 + 3 * (size_t)v[1], 0.5, t1);
    dcli_axpy3(adj_x0 + 3 * (size_t)v[2], 0.5, t2);
    dcli_axpy3(adj_x0 + 3 * (size_t)v[0], -0.5, t1);
    dcli_axpy3(adj_x0 + 3 * (size_t)v[0], -0.5, t2);
}

static void dcli_elements_adjoint(dcl_workspace *ws, const double *s, double *adj_x0,
                                  dcl_grad *grad)
{
    const dcl_model *M = ws->model;
    const double *X = dcli_param(ws->params, DCL_PARAM_REST);
    double *rest = dcli_grad(grad, DCL_PARAM_REST);
    int damping = *dcli_param(ws->params, DCL_PARAM_DAMPING) > 0 ||
                  dcli_grad(grad, DCL_PARAM_DAMPING) != NULL;
    int bending = *dcli_param(ws->params, DCL_PARAM_BEND) > 0 || dcli_grad(grad, DCL_PARAM_BEND) ||
                  dcli_grad(grad, DCL_PARAM_BEND_SCALE);
    int air = dcli_air_acts(ws->params) || dcli_grad(grad, DCL_PARAM_AIR_NORMAL) ||
              dcli_grad(grad, DCL_PARAM_AIR_TANGENT);
    int t;
    if (air) dcli_air_areas(ws);
    for (t = 0; t < M->m; t++) {
        const int *v = M->triangles[t].v;
        dcli_tri_rest adj;
        memset(&adj, 0, sizeof adj);
        dcli_stretch_adjoint(ws, t, s, adj_x0, grad, &adj);
        if (damping) dcli_damping_adjoint(ws, t, s, adj_x0, grad, &adj);
        if (air) dcli_air_adjoint(ws, t, s, adj_x0, grad);
        if (!rest) continue;
        adj.area += (ws->adj_area[v[0]] + ws->adj_area[v[1]] + ws->adj_area[v[2]]) / 3;
        dcli_tri_rest_adj(X, v, &adj, rest);
    }
    for (t = 0; t < M->e && bending; t++) dcli_bending_adjoint(ws, t, s, adj_x0, grad);
}

/* Sensitivities of the contacts with itself: to x0, to the velocities of the way (self->beta, as a
   sensitivity of the predicted velocity) and to friction. s: of g; self->y: of the impulses. */
static void dcli_self_adjoint(dcl_workspace *ws, const double *s, double *adj_x0, dcl_grad *grad)
{
    double mu = *dcli_param(ws->params, DCL_PARAM_SELF_FRICTION), h = ws->h;
    double *friction = dcli_grad(grad, DCL_PARAM_SELF_FRICTION);
    int k, i;
    for (k = 0; k < ws->self.count; k++) {
        const dcli_self_pair *c = &ws->self.pairs[k];
        const double *y = ws->self.y + 3 * k;
        double w[3], q[3], adj_b[4] = {0, 0, 0, 0}, adj_n[3], adj_d, adj_mu;
        if (c->branch == DCL_BRANCH_FREE) continue;
        dcli_self_argument(ws, c, ws->v, w);
        dcli_mult3(c->P, y, q);
        for (i = 0; i < 3; i++) q[i] *= c->rho;
        for (i = 0; i < 3; i++) adj_n[i] = -q[i] * c->d / h;
        adj_d = -dcli_dot(q, c->n) / h;
        adj_mu = dcli_self_project_adj(c, w, mu, y, adj_n);
        for (i = 0; i < dcli_feature_vertices[c->feature]; i++)
            adj_b[i] =
                dcli_dot(s + 3 * (size_t)c->v[i], c->r) - dcli_dot(q, ws->v + 3 * (size_t)c->v[i]);
        if (friction) *friction += adj_mu;
        dcli_self_frame_adj(c, ws->x0, ws->self.predicted, h, adj_d, adj_b, adj_n, adj_x0,
                            ws->self.beta);
    }
}

/* Sensitivities of a touching node's law go to the node's mass, its position and the obstacles. */
static double dcli_contact_adjoint(dcl_workspace *ws, int i, const double *y, double *adj_x0,
                                   dcli_pose_adj *adj_poses)
{
    int count = ws->model->obstacle_count, c, contacts = 1, obstacle[DCLI_NODE_CONTACTS];
    const dcli_gap *gaps = ws->gaps + (size_t)i * (size_t)count;
    const double *g = ws->g + 3 * (size_t)i, *x0 = ws->x0 + 3 * (size_t)i;
    double m = ws->mass[i], adj_m = 0;
    dcli_law_adj adj[DCLI_NODE_CONTACTS];
    if (ws->touch[i].obstacle >= 0) {
        obstacle[0] = ws->touch[i].obstacle;
        dcli_law_adjoint(&ws->touch[i].law, m, ws->poses[obstacle[0]].friction, ws->h,
                         &gaps[obstacle[0]], g, y, &adj[0]);
    } else {
        dcli_node node;
        dcli_node_again(ws, i, &node);
        contacts = node.count;
        for (c = 0; c < contacts; c++) obstacle[c] = node.obstacle[c];
        dcli_node_adjoint(&node, ws->poses, gaps, m, ws->h, g, ws->target + 3 * (size_t)i, y, adj);
    }
    for (c = 0; c < contacts; c++) {
        int o = obstacle[c];
        adj_m += adj[c].m;
        adj_poses[o].friction += adj[c].mu;
        dcli_gap_adj(&ws->poses[o], x0, ws->h, gaps[o].clamped, adj[c].d, adj[c].n, adj[c].w,
                     adj_x0, &adj_poses[o]);
    }
    return adj_m;
}

/* The sensitivity of the predicted velocity (base/m, or the path of a hard handle), per unit of
   mass so that it adds to s; zero as a rule. */
static double dcli_self_beta(const dcl_workspace *ws, size_t j)
{
    return ws->self.ways ? ws->self.beta[j] / ws->mass[j / 3] : 0;
}

static void dcli_handles_adjoint(dcl_workspace *ws, const double *y, const double *s,
                                 double *adj_x0, dcl_grad *grad)
{
    const dcl_model *M = ws->model;
    size_t at = dcli_handle_offset(ws->params, ws->step) - ws->params->offset[DCL_PARAM_HANDLE];
    double *out = dcli_grad(grad, DCL_PARAM_HANDLE);
    int i;
    for (i = 0; i < M->handle_count; i++) {
        const dcl_handle *handle = &M->handles[i];
        size_t j = 3 * (size_t)handle->vertex;
        int hard = handle->kind == DCL_HANDLE_HARD;
        double from[3], factor = hard ? 1 / ws->h : ws->h * handle->stiffness;
        dcli_copy3(from, hard ? y + j : s + j);
        if (hard && ws->self.ways) dcli_axpy3(from, 1, ws->self.beta + j);
        dcli_axpy3(adj_x0 + j, -factor, from);
        if (out) dcli_axpy3(out + at + 3 * (size_t)i, factor, from);
    }
}

/* The sums over nodes: external forces, mass, drag, contact. adj_area gets dL/d(area) per node. */
static void dcli_nodes_adjoint(dcl_workspace *ws, const double *y, const double *s, double *adj_x0,
                               dcli_pose_adj *adj_poses, dcl_grad *grad)
{
    const dcl_model *M = ws->model;
    const double *gravity = dcli_param(ws->params, DCL_PARAM_GRAVITY);
    double density = *dcli_param(ws->params, DCL_PARAM_DENSITY), h = ws->h;
    double drag = *dcli_param(ws->params, DCL_PARAM_DRAG), *out;
    double *gradient = dcli_grad(grad, DCL_PARAM_GRAVITY);
    double *force = dcli_grad(grad, DCL_PARAM_FORCE);
    double *dense = dcli_grad(grad, DCL_PARAM_DENSITY), *drags = dcli_grad(grad, DCL_PARAM_DRAG);
    double total[3] = {0, 0, 0};
    int i, k;
    if (!M->force_frames) force = NULL;
    if (force) force += (size_t)dcli_frame(ws->step, M->force_frames) * 3 * (size_t)M->n;
    for (i = 0; i < M->n; i++) {
        const double *yi = y + 3 * (size_t)i;
        double m = ws->mass[i], adj_m = 0, along, si[3];
        along = -h * dcli_dot(s + 3 * (size_t)i, ws->v + 3 * (size_t)i);
        for (k = 0; k < 3; k++) {
            double beta = M->hard[i] < 0 ? dcli_self_beta(ws, 3 * (size_t)i + (size_t)k) : 0;
            si[k] = s[3 * (size_t)i + (size_t)k] + beta;
            if (M->hard[i] < 0) adj_m -= beta * ws->base[3 * (size_t)i + (size_t)k] / m;
        }
        if (M->hard[i] < 0) {
            adj_m += dcli_dot(si, ws->v0 + 3 * (size_t)i) + h * dcli_dot(si, gravity);
            if (M->obstacle_count && ws->touch[i].obstacle != -1)
                adj_m += dcli_contact_adjoint(ws, i, yi, adj_x0 + 3 * (size_t)i, adj_poses);
            else
                adj_m -= dcli_dot(yi, ws->g + 3 * (size_t)i) / (m * m);
        }
        ws->adj_area[i] = density * adj_m + drag * along;
        if (dense) *dense += ws->area[i] * adj_m;
        if (drags) *drags += ws->area[i] * along;
        dcli_axpy3(total, 1, si);
        if (gradient) dcli_axpy3(gradient, h * m, si);
        for (k = 0; k < 3 && force; k++) force[3 * (size_t)i + (size_t)k] += h * si[k];
    }
    if ((out = dcli_grad(grad, DCL_PARAM_WIND_FORCE)) != NULL)
        dcli_axpy3(out, h * dcli_gust(ws->params, ws->time + h), total);
    {
        double end = ws->time + h;
        double slope = 0.5 * h * cos(*dcli_param(ws->params, DCL_PARAM_WIND_FREQUENCY) * end +
                                     *dcli_param(ws->params, DCL_PARAM_WIND_PHASE)) *
                       dcli_dot(total, dcli_param(ws->params, DCL_PARAM_WIND_FORCE));
        if ((out = dcli_grad(grad, DCL_PARAM_WIND_PHASE)) != NULL) *out += slope;
        if ((out = dcli_grad(grad, DCL_PARAM_WIND_FREQUENCY)) != NULL) *out += slope * end;
    }
}

/* The recorded contacts, ready for evaluation. */
static dcl_result dcli_self_restore(dcl_workspace *ws, const dcl_tape *tape,
                                    const dcli_record *record)
{
    dcli_self *self = &ws->self;
    size_t count = (size_t)record->self_count;
    int k;
    self->count = self->active = self->ways = 0;
    self->softness = DCLI_SELF_SOFTNESS;
    self->pattern_made = 0;
    if (ws->model->self_contact == DCL_SELF_NONE) return DCL_OK;
    memset(self->beta, 0, 3 * (size_t)ws->model->n * sizeof(double));
    if (!dcli_grow(&ws->model->allocator, &self->pairs, &self->capacity, count,
                   sizeof *self->pairs) ||
        !dcli_grow(&ws->model->allocator, &self->y, &self->y_capacity, 12 * count, sizeof *self->y))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_OUT_OF_MEMORY, "self-contact: pairs");
    if (count) memcpy(self->pairs, tape->self + record->self_first, count * sizeof *self->pairs);
    self->count = record->self_count;
    for (k = 0; k < self->count; k++) self->ways += self->pairs[k].s > 0 && !self->pairs[k].frozen;
    if (self->ways) dcli_self_predict(ws);
    return DCL_OK;
}

/* Loads step k of the tape and evaluates it at its solution, ready for derivatives. */
static dcl_result dcli_tape_load(dcl_workspace *ws, const dcl_params *p, const dcl_tape *tape,
                                 int k)
{
    size_t n3 = 3 * (size_t)ws->model->n;
    const dcl_logger *log = &ws->model->logger;
    const dcli_record *record;
    const double *x0;
    dcl_result r;
    if (p->model != ws->model || tape->model != ws->model)
        return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT,
                           "tape: workspace, params and tape are of different models");
    if (k < 0 || k >= tape->count)
        return dcli_refuse(log, DCL_ERROR_INDEX_OUT_OF_RANGE, "tape: step %d of %d", k,
                           tape->count);
    record = &tape->records[k];
    if (record->key != dcli_params_key(p, record->step))
        return dcli_refuse(log, DCL_ERROR_STALE_TAPE,
                           "tape: the params changed since step %d was recorded", k);
    x0 = dcli_tape_values(tape, k);
    ws->have_step = 0;
    r = dcli_prepare(ws, p, x0, x0 + n3, record->step, record->time, record->h);
    if (r) return r;
    memset(&ws->stats, 0, sizeof ws->stats);
    memcpy(ws->v, x0 + 2 * n3, n3 * sizeof(double));
    if ((r = dcli_self_restore(ws, tape, record)) != DCL_OK) return r;
    dcli_evaluate(ws);
    dcli_assemble(ws, 0);
    return DCL_OK;
}

/* Norm in which growth is measured: sum |q|^2/m, the square of an impulse's effect. */
static double dcli_mass_norm(const dcl_workspace *ws, const double *q)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    double sum = 0;
    for (k = 0; k < n3; k++) sum += q[k] * q[k] / ws->mass[k / 3];
    return sqrt(sum);
}

/* A power of two that brings the largest entry near one, so that a loss of any scale neither over-
   nor underflows in squares. */
static double dcli_power_of_two(const double *a, const double *b, size_t count)
{
    double largest = 0;
    size_t i;
    int exponent;
    for (i = 0; i < count; i++) largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
    if (!(largest > 0)) return 1;
    frexp(largest, &exponent);
    if (exponent < -1000) exponent = -1000;
    return ldexp(1, -exponent);
}

DCL_API dcl_result dcl_step_adjoint(dcl_workspace *workspace, const dcl_params *params,
                                    const dcl_tape *tape, int k, double *adj_x, double *adj_v,
                                    dcl_grad *grad, dcl_adjoint_stats *stats)
{
    dcl_workspace *ws = workspace;
    const dcl_model *M;
    dcli_pose_adj poses[DCL_MAX_OBSTACLES];
    dcl_adjoint_stats own;
    double *y, *s, *ax, before, unit;
    size_t n3, j;
    int o, i;
    dcl_result r;
    if (!ws) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&ws->model->logger, "params tape adj_x adj_v", 4, (const void *)params,
                             (const void *)tape, (const void *)adj_x, (const void *)adj_v)) !=
        DCL_OK)
        return r;
    M = ws->model;
    n3 = 3 * (size_t)M->n;
    memset(&own, 0, sizeof own);
    if (grad && grad->model != M)
        return dcli_refuse(&M->logger, DCL_ERROR_BAD_ARGUMENT, "adjoint: grad of another model");
    if (!dcli_all_finite(adj_x, n3) || !dcli_all_finite(adj_v, n3))
        return dcli_refuse(&M->logger, DCL_ERROR_NOT_FINITE,
                           "adjoint: adj_x or adj_v is not finite");
    if ((r = dcli_tape_load(ws, params, tape, k)) != DCL_OK) return r;
    unit = dcli_power_of_two(adj_x, adj_v, n3);
    for (j = 0; j < n3; j++) ws->best[j] = unit * adj_v[j] + ws->h * (unit * adj_x[j]);
    before = dcli_mass_norm(ws, ws->best);
    if ((r = dcli_adjoint_solve(ws, &own)) != DCL_OK) return r;
    y = ws->delta;
    for (j = 0; j < n3; j++) y[j] /= unit;
    s = ws->work;
    ax = ws->trial;
    dcli_apply_D_all(ws, 1, y, s); /* s = D^T z, y = M z */
    for (j = 0; j < n3; j++) y[j] *= ws->mass[j / 3];
    memset(ax, 0, n3 * sizeof(double));
    for (j = 0; j < 3 * (size_t)ws->self.count && ws->self.active; j++) ws->self.y[j] /= unit;
    if (ws->self.active) dcli_self_adjoint(ws, s, ax, grad);
    memset(poses, 0, sizeof poses);
    dcli_nodes_adjoint(ws, y, s, ax, poses, grad);
    dcli_handles_adjoint(ws, y, s, ax, grad);
    dcli_elements_adjoint(ws, s, ax, grad);
    for (o = 0; o < M->obstacle_count && grad; o++)
        dcli_pose_adj_to_grad(params, o, ws->time, ws->h, &poses[o], grad);
    for (j = 0; j < n3; j++) {
        adj_x[j] += ax[j];
        adj_v[j] = ws->mass[j / 3] * (s[j] + (M->hard[j / 3] < 0 ? dcli_self_beta(ws, j) : 0));
    }
    for (j = 0; j < n3; j++) ws->best[j] = unit * adj_v[j];
    own.growth = before > 0 ? dcli_mass_norm(ws, ws->best) / before : 0;
    for (i = 0; i < M->n && M->obstacle_count; i++)
        own.kinks += M->hard[i] < 0 && dcli_node_margin(ws, i) < 1e-6;
    for (i = 0; i < ws->self.count; i++)
        own.kinks += ws->self.pairs[i].frozen || ws->self.pairs[i].margin < 1e-6;
    if (stats) *stats = own;
    return DCL_OK;
}

/* ---- >>impl-tangent ---------------------------------------------------------------------------
   A dv1 = D dg + m dtarget, with dg and dtarget the changes of momentum and law at fixed v1. The
   operators stand in the order of their adjoints. */

typedef struct dcli_direction {
    const double *dx0, *dv0; /* 3n */
    const double *dparams;   /* flat, or NULL */
    int rest;                /* 1 if the rest shape changes */
} dcli_direction;

static const double *dcli_dparam(const dcl_workspace *ws, const dcli_direction *dir,
                                 dcl_block block)
{
    return dir->dparams + ws->params->offset[block];
}

/* F' of F = D B along dD and dB. */
static void dcli_map_d(const double *dfield, const double *field, const int *v, const double *B,
                       const double *dB, double *dF)
{
    double t[6];
    int j;
    dcli_tri_field(dfield, v, B, dF);
    if (!dB) return;
    dcli_tri_field(field, v, dB, t);
    for (j = 0; j < 6; j++) dF[j] += t[j];
}

static void dcli_triangle_tangent(dcl_workspace *ws, int t, const dcli_direction *dir, double *dg)
{
    const int *v = ws->model->triangles[t].v;
    const dcl_params *p = ws->params;
    const double *B = ws->tri[t].B;
    double k = *dcli_param(p, DCL_PARAM_STRETCH), scale = dcli_param(p, DCL_PARAM_STRETCH_SCALE)[t];
    double eta = *dcli_param(p, DCL_PARAM_DAMPING), area = ws->tri[t].area, h = ws->h;
    double w = k * scale * area, dw = 0, we = eta * area, dwe = 0;
    double F0[6], V[6], F1[6], dF0[6], dV[6], dF1[6], E[6], HdF[6], stress[6], dS[6], t6[6],
        b[3][2];
    double rate[3], drate[3], u[3];
    dcli_tri_rest d;
    dcli_polar polar;
    int j;
    if (dir->rest) dcli_tri_rest_d(dcli_param(p, DCL_PARAM_REST),
                                   dcli_dparam(ws, dir, DCL_PARAM_REST), v, &d);
    if (dir->dparams) {
        dw = (*dcli_dparam(ws, dir, DCL_PARAM_STRETCH) * scale +
              k * dcli_dparam(ws, dir, DCL_PARAM_STRETCH_SCALE)[t]) * area;
        dwe = *dcli_dparam(ws, dir, DCL_PARAM_DAMPING) * area;
    }
    if (dir->rest) {
        dw += k * scale * d.area;
        dwe += eta * d.area;
    }
    dcli_tri_field(ws->x0, v, B, F0);
    dcli_tri_field(ws->v, v, B, V);
    dcli_tri_F(ws->x0, h, ws->v, v, B, F1);
    dcli_map_d(dir->dx0, ws->x0, v, B, dir->rest ? d.B : NULL, dF0);
    memset(dV, 0, sizeof dV);
    if (dir->rest) dcli_tri_field(ws->v, v, d.B, dV);
    for (j = 0; j < 6; j++) dF1[j] = dF0[j] + h * dV[j];
    dcli_polar_compute(F1, &polar);
    dcli_polar_apply(&polar, dF1, HdF);
    for (j = 0; j < 6; j++) {
        E[j] = w * (F1[j] - polar.R[j]);
        dS[j] = dw * (F1[j] - polar.R[j]) + w * HdF[j];
    }
    dcli_strain_rate(F0, V, h, rate);
    dcli_mul_sym2(F1, rate, stress);
    for (j = 0; j < 6; j++) {
        E[j] += we * stress[j];
        dS[j] += dwe * stress[j];
    }
    dcli_sym_product(dF0, V, drate); /* rate = sym(F0^T V) + h/2 V^T V */
    dcli_sym_product(F1, dV, u);
    for (j = 0; j < 3; j++) drate[j] += u[j];
    dcli_mul_sym2(dF1, rate, t6);
    dcli_mul_sym2(F1, drate, stress);
    for (j = 0; j < 6; j++) dS[j] += we * (t6[j] + stress[j]);
    dcli_tri_gradients(&ws->tri[t], b);
    dcli_tri_scatter(dg, v, (const double(*)[2])b, -h, dS);
    if (!dir->rest) return;
    dcli_tri_gradients(&d, b); /* linear in B */
    dcli_tri_scatter(dg, v, (const double(*)[2])b, -h, E);
}

static void dcli_bending_tangent(dcl_workspace *ws, int t, const dcli_direction *dir, double *dg)
{
    const int *v = ws->model->hinges[t].v;
    const dcl_params *p = ws->params;
    const dcli_hinge_rest *rest = &ws->hinge[t];
    double k = *dcli_param(p, DCL_PARAM_BEND), scale = dcli_param(p, DCL_PARAM_BEND_SCALE)[t];
    double h = ws->h, w = k * scale * rest->scale, dw = 0, b[3], db[3], dir_b[3], q[3], dq[3],
           across;
    dcli_hinge_rest d;
    int i, j;
    memset(&d, 0, sizeof d);
    if (dir->rest) dcli_hinge_rest_d(dcli_param(p, DCL_PARAM_REST),
                                     dcli_dparam(ws, dir, DCL_PARAM_REST), v, rest, &d);
    if (dir->dparams)
        dw = (*dcli_dparam(ws, dir, DCL_PARAM_BEND) * scale +
              k * dcli_dparam(ws, dir, DCL_PARAM_BEND_SCALE)[t]) * rest->scale;
    dw += k * scale * d.scale;
    dcli_hinge_end(ws, ws->v, v, rest->c, b);
    dcli_hinge_end(ws, ws->v, v, d.c, db);
    dcli_hinge_sum(dir->dx0, v, rest->c, q);
    dcli_axpy3(db, 1, q);
    across = dcli_hinge_direction(b, rest->length, dir_b);
    for (j = 0; j < 3; j++) {
        q[j] = b[j] - rest->length * dir_b[j];
        dq[j] =
            across * db[j] + (1 - across) * dcli_dot(dir_b, db) * dir_b[j] - d.length * dir_b[j];
    }
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++)
            dg[3 * (size_t)v[i] + (size_t)j] -=
                h * (w * (rest->c[i] * dq[j] + d.c[i] * q[j]) + dw * rest->c[i] * q[j]);
}

static void dcli_air_tangent(dcl_workspace *ws, int t, const dcli_direction *dir, double *dg)
{
    const int *v = ws->model->triangles[t].v;
    double cn = *dcli_param(ws->params, DCL_PARAM_AIR_NORMAL);
    double ct = *dcli_param(ws->params, DCL_PARAM_AIR_TANGENT);
    double u[3], f[3], df[3], H[9], e1[3], e2[3], d1[3], d2[3], da[3], x[3];
    dcli_air air;
    int k;
    dcli_air_velocity(ws, ws->v, v, u);
    dcli_air_init(ws->air_normal + 3 * (size_t)t, u, &air);
    dcli_sub3(e1, ws->x0 + 3 * (size_t)v[1], ws->x0 + 3 * (size_t)v[0]);
    dcli_sub3(e2, ws->x0 + 3 * (size_t)v[2], ws->x0 + 3 * (size_t)v[0]);
    dcli_sub3(d1, dir->dx0 + 3 * (size_t)v[1], dir->dx0 + 3 * (size_t)v[0]);
    dcli_sub3(d2, dir->dx0 + 3 * (size_t)v[2], dir->dx0 + 3 * (size_t)v[0]);
    dcli_cross(d1, e2, da);
    dcli_cross(e1, d2, x);
    for (k = 0; k < 3; k++) da[k] = 0.5 * (da[k] + x[k]);
    dcli_air_d_area(&air, u, cn, ct, da, df);
    if (dir->dparams) {
        dcli_air_hessian(&air, cn, ct, H);
        dcli_mul3(H, dcli_dparam(ws, dir, DCL_PARAM_AIR_VELOCITY), f);
        dcli_axpy3(df, 1, f);
        dcli_air_force(&air, *dcli_dparam(ws, dir, DCL_PARAM_AIR_NORMAL),
                       *dcli_dparam(ws, dir, DCL_PARAM_AIR_TANGENT), f);
        dcli_axpy3(df, 1, f);
    }
    for (k = 0; k < 3; k++) dcli_axpy3(dg + 3 * (size_t)v[k], ws->h / 3, df);
}

/* dm of every node into ws->adj_area's place. */
static void dcli_mass_tangent(dcl_workspace *ws, const dcli_direction *dir, double *dm,
                              double *darea)
{
    const dcl_model *M = ws->model;
    double density = *dcli_param(ws->params, DCL_PARAM_DENSITY), ddensity = 0;
    int i, t, a;
    if (dir->dparams) ddensity = *dcli_dparam(ws, dir, DCL_PARAM_DENSITY);
    memset(darea, 0, (size_t)M->n * sizeof(double));
    for (t = 0; t < M->m && dir->rest; t++) {
        dcli_tri_rest d;
        dcli_tri_rest_d(dcli_param(ws->params, DCL_PARAM_REST),
                        dcli_dparam(ws, dir, DCL_PARAM_REST), M->triangles[t].v, &d);
        for (a = 0; a < 3; a++) darea[M->triangles[t].v[a]] += d.area / 3;
    }
    for (i = 0; i < M->n; i++) dm[i] = ddensity * ws->area[i] + density * darea[i];
}

/* Inertia and external forces, m v0 + h fext, into db. */
static void dcli_base_tangent(dcl_workspace *ws, const dcli_direction *dir, const double *dm,
                              double *db)
{
    const dcl_model *M = ws->model;
    const dcl_params *p = ws->params;
    const double *gravity = dcli_param(p, DCL_PARAM_GRAVITY);
    double h = ws->h, wind[3] = {0, 0, 0};
    const double *dforce = NULL, *dgravity = NULL;
    int i, k;
    if (dir->dparams) {
        double end = ws->time + h;
        double phase = *dcli_param(p, DCL_PARAM_WIND_FREQUENCY) * end +
                       *dcli_param(p, DCL_PARAM_WIND_PHASE);
        double dphase = *dcli_dparam(ws, dir, DCL_PARAM_WIND_FREQUENCY) * end +
                        *dcli_dparam(ws, dir, DCL_PARAM_WIND_PHASE);
        dcli_axpy3(wind, dcli_gust(p, end), dcli_dparam(ws, dir, DCL_PARAM_WIND_FORCE));
        dcli_axpy3(wind, 0.5 * cos(phase) * dphase, dcli_param(p, DCL_PARAM_WIND_FORCE));
        dgravity = dcli_dparam(ws, dir, DCL_PARAM_GRAVITY);
        if (M->force_frames)
            dforce = dcli_dparam(ws, dir, DCL_PARAM_FORCE) +
                     (size_t)dcli_frame(ws->step, M->force_frames) * 3 * (size_t)M->n;
    }
    for (i = 0; i < M->n; i++)
        for (k = 0; k < 3; k++) {
            size_t j = 3 * (size_t)i + (size_t)k;
            db[j] = dm[i] * (ws->v0[j] + h * gravity[k]) + ws->mass[i] * dir->dv0[j] +
                    h * (wind[k] + (dforce ? dforce[j] : 0) +
                         (dgravity ? ws->mass[i] * dgravity[k] : 0));
        }
}

/* The same, drag and soft handles, added to dg. dbase: 3n, what dcli_base_tangent gave. */
static void dcli_nodes_tangent(dcl_workspace *ws, const dcli_direction *dir, const double *darea,
                               const double *dbase, double *dg)
{
    const dcl_model *M = ws->model;
    double h = ws->h, drag = *dcli_param(ws->params, DCL_PARAM_DRAG), ddrag = 0;
    const double *dpath = NULL;
    int i, k;
    if (dir->dparams) {
        ddrag = *dcli_dparam(ws, dir, DCL_PARAM_DRAG);
        dpath = dir->dparams + dcli_handle_offset(ws->params, ws->step);
    }
    for (i = 0; i < M->n; i++)
        for (k = 0; k < 3; k++) {
            size_t j = 3 * (size_t)i + (size_t)k;
            dg[j] += dbase[j] - h * (drag * darea[i] + ddrag * ws->area[i]) * ws->v[j];
        }
    for (i = 0; i < M->handle_count; i++)
        for (k = 0; k < 3 && M->handles[i].kind == DCL_HANDLE_SOFT; k++) {
            size_t j = 3 * (size_t)M->handles[i].vertex + (size_t)k;
            dg[j] -= h * M->handles[i].stiffness * (dir->dx0[j] - (dpath ? dpath[3 * i + k] : 0));
        }
}

/* b = D dg + m dtarget of a touching node. */
static void dcli_contact_tangent(dcl_workspace *ws, int i, const dcli_direction *dir, double dm,
                                 const dcli_pose_adj *dposes, double *b)
{
    int count = ws->model->obstacle_count, o, k;
    const dcli_gap *gaps = ws->gaps + (size_t)i * (size_t)count;
    const double *g = ws->g + 3 * (size_t)i, *x0 = ws->x0 + 3 * (size_t)i;
    double m = ws->mass[i], dv[3];
    dcli_gap dgaps[DCL_MAX_OBSTACLES];
    int single = ws->touch[i].obstacle;
    for (o = 0; o < count; o++)
        if (single < 0 || o == single)
            dcli_gap_d(&ws->poses[o], x0, ws->h, gaps[o].clamped, dir->dx0 + 3 * (size_t)i,
                       &dposes[o], &dgaps[o]);
    if (single >= 0) {
        dcli_law_tangent(&ws->touch[i].law, m, ws->poses[single].friction, ws->h, &gaps[single], g,
                         dm, dposes[single].friction, &dgaps[single], dv);
    } else {
        dcli_node node;
        dcli_node_again(ws, i, &node);
        dcli_node_tangent(&node, ws->poses, gaps, m, ws->h, g, ws->target + 3 * (size_t)i, dm,
                          dposes, dgaps, dv);
    }
    dcli_apply_D(ws, i, 0, b, b);
    for (k = 0; k < 3; k++) b[k] += m * dv[k];
}

/* The contacts with itself along a direction: what weights and frames do to g, and `late`, what
   frame and friction do to the impulses (3 per contact). dbase as above. */
static void dcli_self_tangent(dcl_workspace *ws, const dcli_direction *dir, const double *dm,
                              const double *dbase, double *dg, double *late)
{
    const dcl_model *M = ws->model;
    const double *dpath =
        dir->dparams ? dir->dparams + dcli_handle_offset(ws->params, ws->step) : NULL;
    double mu = *dcli_param(ws->params, DCL_PARAM_SELF_FRICTION), *dway = ws->self.beta;
    double dmu = dir->dparams ? *dcli_dparam(ws, dir, DCL_PARAM_SELF_FRICTION) : 0;
    int k, i, c;
    for (i = 0; i < M->n && ws->self.ways; i++)
        for (c = 0; c < 3; c++) {
            size_t j = 3 * (size_t)i + (size_t)c;
            dway[j] = M->hard[i] >= 0
                          ? ((dpath ? dpath[3 * M->hard[i] + c] : 0) - dir->dx0[j]) / ws->h
                          : (dbase[j] - ws->base[j] / ws->mass[i] * dm[i]) / ws->mass[i];
        }
    for (k = 0; k < ws->self.count; k++) {
        const dcli_self_pair *pair = &ws->self.pairs[k];
        double w[3], db[4], dn[3], dd, dw[3], dr[3];
        dcli_set3(late + 3 * k, 0, 0, 0);
        if (pair->branch == DCL_BRANCH_FREE) continue;
        dd = dcli_self_frame_d(pair, ws->x0, ws->self.predicted, ws->h, dir->dx0, dway, db, dn);
        dcli_self_argument(ws, pair, ws->v, w);
        for (c = 0; c < 3; c++) dw[c] = -(dd * pair->n[c] + pair->d * dn[c]) / ws->h;
        for (i = 0; i < dcli_feature_vertices[pair->feature]; i++) {
            dcli_axpy3(dw, -db[i], ws->v + 3 * (size_t)pair->v[i]);
            dcli_axpy3(dg + 3 * (size_t)pair->v[i], db[i], pair->r);
        }
        dcli_mul3(pair->P, dw, late + 3 * k);
        for (c = 0; c < 3; c++) late[3 * k + c] *= pair->rho;
        dcli_self_project_d(pair, w, mu, dn, dmu, dr);
        dcli_axpy3(late + 3 * k, 1, dr);
    }
}

/* The right-hand side of one direction. */
static void dcli_tangent_rhs(dcl_workspace *ws, const dcli_direction *dir, double *b, double *late)
{
    const dcl_model *M = ws->model;
    dcli_pose_adj dposes[DCL_MAX_OBSTACLES];
    double *dm = ws->adj_area, *darea = ws->work2, *dbase = ws->trial;
    const double *dpath =
        dir->dparams ? dir->dparams + dcli_handle_offset(ws->params, ws->step) : NULL;
    int i, t, o, k;
    memset(b, 0, 3 * (size_t)M->n * sizeof(double));
    memset(dposes, 0, sizeof dposes);
    dcli_mass_tangent(ws, dir, dm, darea);
    for (t = 0; t < M->m; t++) {
        dcli_triangle_tangent(ws, t, dir, b);
        if (dcli_air_acts(ws->params) || dir->dparams) dcli_air_tangent(ws, t, dir, b);
    }
    for (t = 0; t < M->e; t++) dcli_bending_tangent(ws, t, dir, b);
    dcli_base_tangent(ws, dir, dm, dbase);
    dcli_nodes_tangent(ws, dir, darea, dbase, b);
    if (ws->self.active) dcli_self_tangent(ws, dir, dm, dbase, b, late);
    for (o = 0; o < M->obstacle_count && dir->dparams; o++)
        dcli_pose_d(ws->params, o, ws->time, ws->h, dir->dparams, &dposes[o]);
    for (i = 0; i < M->n; i++) {
        double *bi = b + 3 * (size_t)i;
        size_t j = 3 * (size_t)i;
        if (M->hard[i] >= 0)
            for (k = 0; k < 3; k++)
                bi[k] = ws->mass[i] *
                        ((dpath ? dpath[3 * M->hard[i] + k] : 0) - dir->dx0[j + (size_t)k]) / ws->h;
        else if (M->obstacle_count && ws->touch[i].obstacle != -1)
            dcli_contact_tangent(ws, i, dir, dm[i], dposes, bi);
        else
            for (k = 0; k < 3; k++) bi[k] -= ws->g[j + (size_t)k] * dm[i] / ws->mass[i];
    }
}

/* x: directions interleaved (3n x count), on exit A^-1 b, without the part that dcli_split knows.
 */
static int dcli_tangent_solve(dcl_workspace *ws, int count, const double *b, double *x)
{
    size_t n3 = 3 * (size_t)ws->model->n, k;
    int c;
    for (c = 0; c < count; c++) {
        const double *bc = b + (size_t)c * n3;
        if (ws->use_general)
            memcpy(ws->work, bc, n3 * sizeof(double));
        else
            dcli_split(ws, bc, ws->delta, ws->work, ws->work2);
        for (k = 0; k < n3; k++) x[k * (size_t)count + (size_t)c] = ws->work[k];
    }
    return dcli_solve_once(ws, 0, count, x);
}

/* With contacts of the cloth with itself: one direction, refined until nothing gets better. */
static int dcli_tangent_self(dcl_workspace *ws, const double *b, const double *late, double *dv)
{
    size_t n3 = 3 * (size_t)ws->model->n, m3 = 3 * (size_t)ws->self.count;
    double *y = ws->self.y + m3, size = dcli_norm_all(b, n3), best = HUGE_VAL;
    int round, worse = 0;
    memset(dv, 0, n3 * sizeof(double));
    memset(ws->best, 0, n3 * sizeof(double));
    memset(y, 0, m3 * sizeof(double));
    for (round = 0; round < 100 && worse < 3; round++) {
        double relative;
        memcpy(ws->trial, dv, n3 * sizeof(double));
        relative = dcli_self_refine(ws, b, late, dv, y, size);
        worse = relative < 0.7 * best ? 0 : worse + 1;
        if (!(relative < best)) continue;
        best = relative;
        memcpy(ws->best, ws->trial, n3 * sizeof(double));
        if (best <= 1e-15) break;
    }
    memcpy(dv, ws->best, n3 * sizeof(double));
    return best <= 1e-6 || size == 0;
}

/* One direction of dv1 out of the solution, the known part added; writes dx1, dv1 in place of dx0,
 * dv0. */
static void dcli_tangent_finish(dcl_workspace *ws, const double *dpath, const double *b,
                                const double *x, int count, int c, double *dx, double *dv)
{
    const dcl_model *M = ws->model;
    size_t n3 = 3 * (size_t)M->n, k;
    int i, j;
    for (k = 0; k < n3; k++) ws->trial[k] = x[k * (size_t)count + (size_t)c];
    if (!ws->use_general) {
        dcli_apply_D_all(ws, 0, b, ws->work);
        for (k = 0; k < n3; k++) ws->trial[k] += (b[k] - ws->work[k]) / ws->mass[k / 3];
    }
    for (i = 0; i < M->n; i++)
        for (j = 0; j < 3; j++) {
            k = 3 * (size_t)i + (size_t)j;
            dv[k] = ws->trial[k];
            dx[k] =
                M->hard[i] >= 0 ? (dpath ? dpath[3 * M->hard[i] + j] : 0) : dx[k] + ws->h * dv[k];
        }
}

/* The step is loaded and factored; at most DCLI_TANGENTS directions. */
static dcl_result dcli_tangent_chunk(dcl_workspace *ws, int count, double *dx, double *dv,
                                     const double *dparams, double *solution)
{
    size_t n3 = 3 * (size_t)ws->model->n, size = ws->params->offset[DCL_PARAM_COUNT], k;
    int c;
    for (c = 0; c < count; c++) {
        dcli_direction dir;
        dir.dx0 = dx + (size_t)c * n3;
        dir.dv0 = dv + (size_t)c * n3;
        dir.dparams = dparams ? dparams + (size_t)c * size : NULL;
        dir.rest = 0;
        for (k = 0; dparams && k < n3 && !dir.rest; k++)
            dir.rest = dcli_dparam(ws, &dir, DCL_PARAM_REST)[k] != 0;
        dcli_tangent_rhs(ws, &dir, ws->many + (size_t)c * n3, ws->self.y);
        if (!ws->self.active) continue;
        if (!dcli_tangent_self(ws, ws->many + (size_t)c * n3, ws->self.y, ws->delta))
            return DCL_ERROR_SINGULAR;
        for (k = 0; k < n3; k++) solution[k * (size_t)count + (size_t)c] = ws->delta[k];
    }
    if (!ws->self.active && !dcli_tangent_solve(ws, count, ws->many, solution))
        return DCL_ERROR_SINGULAR;
    for (c = 0; c < count; c++) {
        const double *dpath = dparams ? dparams + (size_t)c * size +
                                            dcli_handle_offset(ws->params, ws->step)
                                      : NULL;
        dcli_tangent_finish(ws, dpath, ws->many + (size_t)c * n3, solution, count, c,
                            dx + (size_t)c * n3, dv + (size_t)c * n3);
    }
    return DCL_OK;
}

DCL_API dcl_result dcl_step_tangent(dcl_workspace *workspace, const dcl_params *params,
                                    const dcl_tape *tape, int k, int count, double *dx,
                                    double *dv, const double *dparams)
{
    dcl_workspace *ws = workspace;
    const dcl_logger *log;
    size_t n3, size;
    int first;
    dcl_result r;
    if (!ws) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&ws->model->logger, "params tape dx dv", 4, (const void *)params,
                             (const void *)tape, (const void *)dx, (const void *)dv)) != DCL_OK)
        return r;
    log = &ws->model->logger;
    n3 = 3 * (size_t)ws->model->n;
    size = params->offset[DCL_PARAM_COUNT];
    if (count < 0) return dcli_refuse(log, DCL_ERROR_BAD_ARGUMENT, "tangent: count is %d", count);
    if (!dcli_all_finite(dx, n3 * (size_t)count) || !dcli_all_finite(dv, n3 * (size_t)count) ||
        (dparams && !dcli_all_finite(dparams, size * (size_t)count)))
        return dcli_refuse(log, DCL_ERROR_NOT_FINITE, "tangent: a direction is not finite");
    if ((r = dcli_tape_load(ws, params, tape, k)) != DCL_OK) return r;
    dcli_air_areas(ws);
    if (!dcli_factor_any(ws))
        return dcli_refuse(log, DCL_ERROR_SINGULAR,
                           "tangent: the Hessian at the end of the step is singular");
    for (first = 0; first < count; first += DCLI_TANGENTS) {
        int chunk = count - first < DCLI_TANGENTS ? count - first : DCLI_TANGENTS;
        r = dcli_tangent_chunk(ws, chunk, dx + (size_t)first * n3, dv + (size_t)first * n3,
                               dparams ? dparams + (size_t)first * size : NULL, ws->solution);
        if (r) return dcli_refuse(log, r, "tangent: the linear system cannot be solved");
    }
    return DCL_OK;
}

/* ---- >>impl-rollout ---------------------------------------------------------------------------
 */

static void dcli_rollout_count(dcl_rollout_stats *total, const dcl_step_stats *step)
{
    total->steps++;
    total->unconverged += !step->converged;
    total->residual_max = fmax(total->residual_max, step->residual);
    total->newton_iterations += step->newton_iterations;
    total->pd_iterations += step->pd_iterations;
    total->kinks += step->kinks;
}

DCL_API dcl_result dcl_rollout(dcl_workspace *workspace, const dcl_params *params,
                               dcl_state *state, double h, int steps, dcl_tape *tape,
                               dcl_loss_fn loss, void *user, double *value,
                               dcl_rollout_stats *stats)
{
    dcl_rollout_stats own;
    dcl_step_stats step;
    double sum = 0;
    dcl_result r;
    int k;
    memset(&own, 0, sizeof own);
    if (!workspace) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&workspace->model->logger, "params state", 2,
                             (const void *)params, (const void *)state)) != DCL_OK)
        return r;
    if (steps < 0)
        return dcli_refuse(&workspace->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "rollout: steps is %d", steps);
    if (params->model != workspace->model || state->model != workspace->model ||
        (tape && tape->model != workspace->model))
        return dcli_refuse(&workspace->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "rollout: workspace, params, state and tape are of different models");
    if (tape && tape->capacity < steps)
        return dcli_refuse(&workspace->model->logger, DCL_ERROR_TAPE_FULL,
                           "rollout: %d steps, the tape holds %d", steps, tape->capacity);
    if ((r = dcl_state_reset(state, params)) != DCL_OK) return r;
    if (tape) dcl_tape_reset(tape);
    if (loss) sum += loss(user, 0, state, NULL, NULL);
    for (k = 0; k < steps && dcli_finite(sum); k++) {
        r = dcl_step(workspace, params, state, h, tape, &step);
        if (r) break;
        dcli_rollout_count(&own, &step);
        if (loss) sum += loss(user, k + 1, state, NULL, NULL);
    }
    if (!r && !dcli_finite(sum))
        r = dcli_refuse(&workspace->model->logger, DCL_ERROR_NOT_FINITE,
                        "rollout: the loss is not finite at frame %d", k);
    if (value && dcli_finite(sum)) *value = sum;
    if (stats) *stats = own;
    return r;
}

/* The state at frame k as the loss sees it, pointing into the tape; for the last frame the
   velocities are those of the last record. */
static dcl_state dcli_tape_frame(const dcl_tape *tape, int k)
{
    size_t n3 = 3 * (size_t)tape->model->n;
    int last = k == tape->count;
    const dcli_record *record = &tape->records[last ? k - 1 : k];
    double *values = dcli_tape_values(tape, last ? k - 1 : k);
    dcl_state frame;
    frame.model = tape->model;
    frame.step = record->step + last;
    frame.time = record->time + (last ? record->h : 0);
    frame.x = last ? tape->last_x : values;
    frame.v = last ? values + 2 * n3 : values + n3;
    return frame;
}

DCL_API dcl_result dcl_tape_restore(const dcl_tape *tape, int k, dcl_state *state)
{
    dcl_state frame;
    if (!tape || !state) return DCL_ERROR_NULL_POINTER;
    if (k < 0 || k > tape->count || tape->count == 0)
        return dcli_refuse(&tape->model->logger, DCL_ERROR_INDEX_OUT_OF_RANGE,
                           "tape: frame %d of %d steps", k, tape->count);
    frame = dcli_tape_frame(tape, k);
    return dcl_state_copy(state, &frame);
}

DCL_API dcl_result dcl_rollout_adjoint(dcl_workspace *workspace, const dcl_params *params,
                                       const dcl_tape *tape, dcl_loss_fn loss, void *user,
                                       dcl_grad *grad, dcl_rollout_stats *stats)
{
    dcl_workspace *ws = workspace;
    dcl_rollout_stats own;
    dcl_adjoint_stats step;
    size_t n3, j;
    double *adj_x, *adj_v, *out;
    dcl_result r = DCL_OK;
    int k;
    memset(&own, 0, sizeof own);
    if (!ws) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&ws->model->logger, "params tape loss", 3, (const void *)params,
                             (const void *)tape, loss ? (const void *)ws : NULL)) != DCL_OK)
        return r;
    if (tape->model != ws->model)
        return dcli_refuse(&ws->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "rollout: tape of another model");
    if (tape->count == 0)
        return dcli_refuse(&ws->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "rollout: the tape is empty");
    if (params->model != ws->model || (grad && grad->model != ws->model))
        return dcli_refuse(&ws->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "rollout: workspace, params and grad are of different models");
    for (k = 0; k < tape->count; k++)
        if (tape->records[k].key != dcli_params_key(params, tape->records[k].step))
            return dcli_refuse(&ws->model->logger, DCL_ERROR_STALE_TAPE,
                               "tape: the params changed since step %d was recorded", k);
    n3 = 3 * (size_t)ws->model->n;
    adj_x = ws->adj_x;
    adj_v = ws->adj_v;
    memset(adj_x, 0, n3 * sizeof(double));
    memset(adj_v, 0, n3 * sizeof(double));
    for (k = tape->count; k >= 0 && !r; k--) {
        dcl_state frame = dcli_tape_frame(tape, k);
        loss(user, k, &frame, adj_x, adj_v);
        if (k == 0) break;
        r = dcl_step_adjoint(ws, params, tape, k - 1, adj_x, adj_v, grad, &step);
        if (r) break;
        own.steps++;
        own.kinks += step.kinks;
        own.residual_max = fmax(own.residual_max, step.residual);
        own.growth_max = fmax(own.growth_max, step.growth);
    }
    if (stats) *stats = own;
    if (r) return r;
    if ((out = dcli_grad(grad, DCL_PARAM_X0)) != NULL)
        for (j = 0; j < n3; j++) out[j] += adj_x[j];
    if ((out = dcli_grad(grad, DCL_PARAM_V0)) != NULL)
        for (j = 0; j < n3; j++) out[j] += adj_v[j];
    return DCL_OK;
}

DCL_API dcl_result dcl_rollout_tangent(dcl_workspace *workspace, const dcl_params *params,
                                       const dcl_tape *tape, int count, const double *dparams,
                                       dcl_tangent_fn frame, void *user)
{
    dcl_workspace *ws = workspace;
    size_t n3, size, bytes;
    double *dx, *dv;
    dcl_result r = DCL_OK;
    int k, c;
    if (!ws) return DCL_ERROR_NULL_POINTER;
    if ((r = dcli_check_null(&ws->model->logger, "params tape dparams frame", 4,
                             (const void *)params, (const void *)tape, (const void *)dparams,
                             frame ? (const void *)ws : NULL)) != DCL_OK)
        return r;
    if (params->model != ws->model || tape->model != ws->model || count < 1 || tape->count == 0)
        return dcli_refuse(&ws->model->logger, DCL_ERROR_BAD_ARGUMENT,
                           "rollout: tangent of %d directions over %d steps", count, tape->count);
    n3 = 3 * (size_t)ws->model->n;
    size = params->offset[DCL_PARAM_COUNT];
    if ((size_t)count > SIZE_MAX / 32 / n3)
        return dcli_refuse(&ws->model->logger, DCL_ERROR_TOO_LARGE, "rollout: %d directions",
                           count);
    bytes = 2 * (size_t)count * n3 * sizeof(double);
    dx = (double *)dcli_alloc(&ws->model->allocator, bytes);
    if (!dx) return dcli_refuse(&ws->model->logger, DCL_ERROR_OUT_OF_MEMORY,
                                "rollout: %lu bytes of tangents", (unsigned long)bytes);
    dv = dx + (size_t)count * n3;
    for (c = 0; c < count; c++) {
        const double *d = dparams + (size_t)c * size;
        memcpy(dx + (size_t)c * n3, d + params->offset[DCL_PARAM_X0], n3 * sizeof(double));
        memcpy(dv + (size_t)c * n3, d + params->offset[DCL_PARAM_V0], n3 * sizeof(double));
    }
    for (k = 0; k <= tape->count && !r; k++) {
        dcl_state at = dcli_tape_frame(tape, k);
        frame(user, k, &at, count, dx, dv);
        if (k < tape->count) r = dcl_step_tangent(ws, params, tape, k, count, dx, dv, dparams);
    }
    dcli_free(&ws->model->allocator, dx, bytes);
    return r;
}

#endif /* DIFFCLOTH_IMPLEMENTED */
#endif /* DIFFCLOTH_IMPLEMENTATION */

/* >>licence

   This software is available under 2 licences, whichever you prefer.

   A - MIT License. Copyright (c) 2026 diffcloth contributors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

   B - Public Domain (www.unlicense.org)

   This is free and unencumbered software released into the public domain. Anyone is free to copy,
   modify, publish, use, compile, sell, or distribute this software, either in source code form or
   as a compiled binary, for any purpose, commercial or non-commercial, and by any means. */
