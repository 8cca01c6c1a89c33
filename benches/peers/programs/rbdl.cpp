// RBDL. Usage: rbdl ROBOT-PATH SECONDS
#include "common.hpp"
#include <rbdl/rbdl.h>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: rbdl ROBOT-PATH SECONDS\n"), 2;
  Robot r(argv[1]);
  double seconds = atof(argv[2]);
  Model model;
  model.gravity = Vector3d(r.gravity[0], r.gravity[1], r.gravity[2]);
  std::vector<unsigned> ids = {0};
  for (const RobotJoint &j : r.joints) {
    const double *i = j.inertia, *p = j.position;
    Matrix3d rotation, inertia;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) rotation(column, row) = j.rotation[3 * row + column]; // parent to child
    inertia << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
    Body body(j.mass, Vector3d(j.center[0], j.center[1], j.center[2]), inertia);
    ids.push_back(model.AddBody(ids[j.parent], SpatialTransform(rotation, Vector3d(p[0], p[1], p[2])),
                                j.type == "free" ? Joint(JointTypeFloatingBase) : Joint(JointTypeRevoluteZ), body));
  }
  long n = long(r.nv);
  if (long(model.dof_count) != n) return fprintf(stderr, "%u degrees of freedom\n", model.dof_count), 2;

  // RBDL's floating base translates along world axes, then rotates; the real part of its quaternion is last in q.
  std::vector<VectorNd> q, qd, qdd, tau;
  for (size_t i = 0; i < r.states; ++i) {
    std::vector<double> v(&r.qd[i * r.nv], &r.qd[(i + 1) * r.nv]), a(&r.qdd[i * r.nv], &r.qdd[(i + 1) * r.nv]);
    std::vector<double> f(&r.tau[i * r.nv], &r.tau[(i + 1) * r.nv]);
    VectorNd configuration = Eigen::Map<const VectorNd>(&r.q[i * r.nq], long(r.nq));
    if (r.floating) {
      double base[9];
      base_rotation(&r.q[i * r.nq], base);
      add_product(v.data(), a.data(), 1.0);
      for (auto *x : {&v, &a, &f}) to_world(base, x->data());
      VectorNd theirs(r.nq); // x, y, z, then the vector part, the joints, and the real part
      theirs << configuration.head(6), configuration.tail(n - 6), configuration[6];
      configuration = theirs;
    }
    q.push_back(configuration);
    qd.push_back(Eigen::Map<VectorNd>(v.data(), n)), qdd.push_back(Eigen::Map<VectorNd>(a.data(), n)), tau.push_back(Eigen::Map<VectorNd>(f.data(), n));
  }
  auto body_vector = [&](size_t i, double *out) {
    double base[9];
    if (r.floating) base_rotation(&r.q[i * r.nq], base), to_body(base, out);
  };

  VectorNd out_vector = VectorNd::Zero(n);
  MatrixNd out_matrix = MatrixNd::Zero(n, n);
  auto vector = [&](double *out) { Eigen::Map<VectorNd>(out, n) = out_vector; };
  auto inverse = [&](size_t i) { InverseDynamics(model, q[i], qd[i], qdd[i], out_vector), keep(out_vector.data()); };
  measure(r, "rnea", seconds, r.inverse, inverse, [&](size_t i, double *out) { inverse(i), vector(out), body_vector(i, out); });
  auto mass = [&](size_t i) { CompositeRigidBodyAlgorithm(model, q[i], out_matrix), keep(out_matrix.data()); };
  measure(r, "crba", seconds, r.mass, mass, [&](size_t i, double *out) {
    out_matrix.setZero(), mass(i);
    double base[9];
    for (long row = 0; row < n; ++row)
      for (long column = 0; column < n; ++column) out[row * n + column] = out_matrix(row, column);
    if (r.floating) base_rotation(&r.q[i * r.nq], base), matrix_to_body(base, out, r.nv);
  });
  auto forward = [&](size_t i) { ForwardDynamics(model, q[i], qd[i], tau[i], out_vector), keep(out_vector.data()); };
  measure(r, "aba", seconds, r.forward, forward, [&](size_t i, double *out) {
    forward(i), vector(out), body_vector(i, out);
    if (r.floating) add_product(&r.qd[i * r.nv], out, -1.0);
  });
}
