/* Nanoseconds of a call of CasADi's function: the median of batches of about 0.1 ms over a pool of 1024 random states
   (q within ±π, q̇ ±2, q̈ ±5), as in ../pinocchio/bench.hpp. One JSON line. Usage: bench ROBOT N [SECONDS] */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int inverse(const double **arg, double **res, long long int *iw, double *w, int mem);

enum { POOL = 1024, MOST = 16, BATCHES = 100000 };
static double q[POOL][MOST], qd[POOL][MOST], qdd[POOL][MOST], tau[MOST], samples[BATCHES];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static double within(double range) { return range * (2.0 * drand48() - 1.0); }

static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static unsigned k;

static void run(long calls) {
  for (long i = 0; i < calls; ++i, ++k) {
    unsigned s = k & (POOL - 1);
    const double *arg[3] = {q[s], qd[s], qdd[s]};
    double *res[1] = {tau};
    inverse(arg, res, 0, 0, 0);
    __asm__ volatile("" : : "g"(tau) : "memory");
  }
}

int main(int argc, char **argv) {
  int n = argc > 2 ? atoi(argv[2]) : 0;
  double seconds = argc > 3 ? atof(argv[3]) : 0.4;
  if (n < 1 || n > MOST) return fprintf(stderr, "usage: bench ROBOT N [SECONDS]\n"), 2;
  srand48(42);
  for (int s = 0; s < POOL; ++s)
    for (int i = 0; i < n; ++i) q[s][i] = within(3.14159), qd[s][i] = within(2), qdd[s][i] = within(5);
  double start = now();
  long calls = 0;
  for (; now() - start < 3e7; calls += 16) run(16);
  long batch = (long)(1e5 * calls / (now() - start)) + 1;
  int count = 0;
  for (start = now(); count < BATCHES && now() - start < seconds * 1e9; ++count) {
    double before = now();
    run(batch);
    samples[count] = (now() - before) / batch;
  }
  qsort(samples, count, sizeof *samples, order);
  printf("{\"robot\":\"%s\",\"algo\":\"casadi\",\"ns\":%.1f,\"min\":%.1f}\n", argv[1], samples[count / 2], samples[0]);
  return 0;
}
