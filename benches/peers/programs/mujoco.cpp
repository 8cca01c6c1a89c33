// MuJoCo: the smooth dynamics of `mj_forward`, without collisions and constraints. Usage: mujoco ROBOT-PATH SECONDS
#include "common.hpp"
#include <cstring>
#include <mujoco/mujoco.h>

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: mujoco ROBOT-PATH SECONDS\n"), 2;
  Robot r(argv[1]);
  double seconds = atof(argv[2]);
  char message[1000] = "";
  mjModel *m = mj_loadXML((std::string(argv[1]) + ".xml").c_str(), nullptr, message, sizeof message);
  if (!m) return fprintf(stderr, "%s\n", message), 2;
  size_t n = r.nv;
  if (size_t(m->nv) != n || size_t(m->nq) != r.nq) return fprintf(stderr, "%d degrees of freedom\n", int(m->nv)), 2;
  for (size_t k = 0; k < 3; ++k) m->opt.gravity[k] = r.gravity[k];
  mjData *d = mj_makeData(m);

  // The states in MuJoCo's coordinates: quaternion with the real part first, linear velocity of the base in world axes.
  std::vector<double> q = r.q, qd = r.qd, qdd = r.qdd, tau = r.tau;
  auto rotation = [&](size_t i, double *rotation) { base_rotation(&r.q[i * r.nq], rotation); };
  for (size_t i = 0; r.floating && i < r.states; ++i) {
    const double *from = &r.q[i * r.nq];
    double *to = &q[i * r.nq], base[9];
    to[3] = from[6], to[4] = from[3], to[5] = from[4], to[6] = from[5];
    rotation(i, base);
    add_product(&qd[i * n], &qdd[i * n], 1.0);
    for (auto *x : {&qd, &qdd, &tau}) to_world(base, &(*x)[i * n]);
  }
  auto body_vector = [&](size_t i, double *out) {
    double base[9];
    if (r.floating) rotation(i, base), to_body(base, out);
  };
  auto body_matrix = [&](size_t i, double *out) {
    double base[9];
    if (r.floating) rotation(i, base), matrix_to_body(base, out, n);
  };

  auto position = [&](size_t i) {
    memcpy(d->qpos, &q[i * r.nq], r.nq * sizeof(double));
    mj_kinematics(m, d);
    mj_comPos(m, d);
  };
  auto velocity = [&](size_t i) {
    memcpy(d->qvel, &qd[i * n], n * sizeof(double));
    mj_comVel(m, d);
  };
  std::vector<double> torque(n), unit(n * n), result(n * n);
  for (size_t k = 0; k < n; ++k) unit[k * n + k] = 1;

  auto inverse = [&](size_t i) {
    position(i), velocity(i);
    memcpy(d->qacc, &qdd[i * n], n * sizeof(double));
    mj_rne(m, d, 1, torque.data());
    keep(torque.data());
  };
  measure(r, "rnea", seconds, r.inverse, inverse,
          [&](size_t i, double *out) { inverse(i), std::copy(torque.begin(), torque.end(), out), body_vector(i, out); });
  auto mass = [&](size_t i) { position(i), mj_makeM(m, d), keep(d->M); };
  measure(r, "crba", seconds, r.mass, mass, [&](size_t i, double *out) { mass(i), mj_fullM(m, d, out), body_matrix(i, out); });
  auto forward = [&](size_t i) {
    position(i), mj_makeM(m, d), mj_factorM(m, d), velocity(i);
    mj_rne(m, d, 0, torque.data());
    for (size_t k = 0; k < n; ++k) torque[k] = tau[i * n + k] - torque[k];
    mj_solveM(m, d, d->qacc, torque.data(), 1);
    keep(d->qacc);
  };
  measure(r, "aba", seconds, r.forward, forward, [&](size_t i, double *out) {
    forward(i), std::copy(d->qacc, d->qacc + n, out), body_vector(i, out);
    if (r.floating) add_product(&r.qd[i * n], out, -1.0);
  });
  auto inverse_mass = [&](size_t i) {
    position(i), mj_makeM(m, d), mj_factorM(m, d);
    mj_solveM(m, d, result.data(), unit.data(), int(n));
    keep(result.data());
  };
  measure(r, "minverse", seconds, r.inverse_mass, inverse_mass,
          [&](size_t i, double *out) { inverse_mass(i), std::copy(result.begin(), result.end(), out), body_matrix(i, out); });
}
