/* Computing time of simulations with MuJoCo, for compare.py: no Python in the loop.

   Usage: simulate MODEL.xml SCENARIO INTEGRATOR SECONDS, as of crates/armdyn-motion/examples/simulation_speed.rs.

   Contacts, limits and all other constraints are off. Computed torque needs no dynamics of its own: the first stage of a step has M and
   the bias torques of the sampled state, and the callback, between velocities and actuation, only multiplies by M. */

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 7

static const double start[N] = {0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.3};
static int sample; /* whether the next stage is the first of a step */

static void computed_torque(const mjModel *m, mjData *d) {
  double acceleration[N], sine = sin(d->time), cosine = cos(d->time);
  if (!sample) return;
  sample = 0;
  for (int i = 0; i < N; i++)
    acceleration[i] = -0.3 * sine + 100.0 * (start[i] + 0.3 * sine - d->qpos[i]) + 20.0 * (0.3 * cosine - d->qvel[i]);
  mj_mulM(m, d, d->qfrc_applied, acceleration);
  for (int i = 0; i < N; i++) d->qfrc_applied[i] += d->qfrc_bias[i];
}

int main(int argc, char **argv) {
  char error[1000] = "";
  if (argc != 5) return fprintf(stderr, "expected four arguments\n"), 2;
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return fprintf(stderr, "%s\n", error), 2;
  if (m->nv != N) return fprintf(stderr, "%d degrees of freedom\n", (int)m->nv), 2;
  m->opt.timestep = 1e-3;
  m->opt.integrator = strcmp(argv[3], "rk4") ? mjINT_EULER : mjINT_RK4;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY;
  mjData *d = mj_makeData(m);
  memcpy(d->qpos, start, sizeof start);
  if (!strcmp(argv[2], "control")) mjcb_control = computed_torque;
  long steps = lround(atof(argv[4]) * 1000.0);
  struct timespec begun, ended;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (long k = 0; k < steps; k++) {
    sample = 1;
    mj_step(m, d);
  }
  clock_gettime(CLOCK_MONOTONIC, &ended);
  printf("%.9f", (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec));
  for (int i = 0; i < N; i++) printf(" %.17g", d->qpos[i]);
  printf("\n");
  return 0;
}
