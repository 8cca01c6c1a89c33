// Pinocchio, single calls and `rneaInParallel`. Usage: pinocchio ROBOT-PATH SECONDS [--states B,…] [--threads T,…]
//
// With --states, rnea of that many states at once is timed by `rneaInParallel` instead (ns per state).
#include "common.hpp"
#include <omp.h>
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/parallel/rnea.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/pool.hpp>
#include <sstream>
#include "pinocchio_model.hpp"

using namespace pinocchio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static std::vector<long> numbers(const char *text) {
  std::vector<long> list;
  std::stringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) list.push_back(atol(item.c_str()));
  return list;
}

static MatrixXd columns(const std::vector<double> &pool, size_t n, long states) {
  MatrixXd m(n, states);
  long have = long(pool.size() / n);
  for (long i = 0; i < states; ++i) m.col(i) = Eigen::Map<const VectorXd>(&pool[size_t(i % have) * n], long(n));
  return m;
}

static void batches(const Robot &r, const ModelOf<double> &model, double seconds, const std::vector<long> &sizes, const std::vector<long> &threads) {
  for (long states : sizes) {
    MatrixXd q = columns(r.q, r.nq, states), v = columns(r.qd, r.nv, states), a = columns(r.qdd, r.nv, states), tau(r.nv, states);
    for (long t : threads) {
      ModelPoolTpl<double, 0, Joints> pool(model, size_t(t));
      double ns = median(seconds, 1, [&](size_t) {
        rneaInParallel(size_t(t), pool, q, v, a, tau);
        keep(tau.data());
      });
      double error = 0;
      if (size_t(states) >= r.checked)
        error = error_of(r, r.inverse, [&](size_t i, double *out) { Eigen::Map<VectorXd>(out, r.nv) = tau.col(long(i)); });
      printf("{\"algo\":\"rnea\",\"states\":%ld,\"threads\":%ld,\"ns\":%.3f,\"error\":%.2e}\n", states, t, ns / double(states), error);
      fflush(stdout);
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: pinocchio ROBOT-PATH SECONDS [--states B,…] [--threads T,…]\n"), 2;
  Robot r(argv[1]);
  double seconds = atof(argv[2]);
  ModelOf<double> model = pinocchio_model(r);
  std::vector<long> sizes, threads = {1};
  for (int i = 3; i + 1 < argc; i += 2) (std::string(argv[i]) == "--states" ? sizes : threads) = numbers(argv[i + 1]);
  if (!sizes.empty()) return batches(r, model, seconds, sizes, threads), 0;

  DataOf<double> data(model);
  long n = long(r.nv);
  auto pool = [&](const std::vector<double> &x, size_t n) {
    std::vector<VectorXd> list;
    for (size_t i = 0; i < r.states; ++i) list.push_back(Eigen::Map<const VectorXd>(&x[i * n], long(n)));
    return list;
  };
  auto q = pool(r.q, r.nq), v = pool(r.qd, r.nv), a = pool(r.qdd, r.nv), tau = pool(r.tau, r.nv);
  auto vector = [&](double *out, const VectorXd &x) { Eigen::Map<VectorXd>(out, n) = x; };
  auto rows = [&](double *out, const MatrixXd &x) { Eigen::Map<Rows>(out, n, n) = x; };
  auto symmetric = [&](double *out, MatrixXd x) { // only the upper triangle is computed
    x.triangularView<Eigen::StrictlyLower>() = x.transpose().triangularView<Eigen::StrictlyLower>();
    rows(out, x);
  };

  auto inverse = [&](size_t i) { rnea(model, data, q[i], v[i], a[i]), keep(data.tau.data()); };
  measure(r, "rnea", seconds, r.inverse, inverse, [&](size_t i, double *out) { inverse(i), vector(out, data.tau); });
  for (auto [name, convention] : {std::pair("crba LOCAL", Convention::LOCAL), std::pair("crba WORLD", Convention::WORLD)}) {
    auto mass = [&, c = convention](size_t i) { crba(model, data, q[i], c), keep(data.M.data()); };
    measure(r, name, seconds, r.mass, mass, [&](size_t i, double *out) { mass(i), symmetric(out, data.M); });
  }
  for (auto [name, convention] : {std::pair("aba LOCAL", Convention::LOCAL), std::pair("aba WORLD", Convention::WORLD)}) {
    auto forward = [&, c = convention](size_t i) { aba(model, data, q[i], v[i], tau[i], c), keep(data.ddq.data()); };
    measure(r, name, seconds, r.forward, forward, [&](size_t i, double *out) { forward(i), vector(out, data.ddq); });
  }
  auto inverse_mass = [&](size_t i) { computeMinverse(model, data, q[i]), keep(data.Minv.data()); };
  measure(r, "minverse", seconds, r.inverse_mass, inverse_mass, [&](size_t i, double *out) { inverse_mass(i), symmetric(out, data.Minv); });
  auto coriolis = [&](size_t i) { computeCoriolisMatrix(model, data, q[i], v[i]), keep(data.C.data()); };
  measure(r, "coriolis", seconds, r.coriolis, coriolis, [&](size_t i, double *out) { coriolis(i), vector(out, data.C * v[i]); });
  VectorXd parameters(10 * (model.njoints - 1));
  for (long k = 1; k < long(model.njoints); ++k) parameters.segment<10>(10 * (k - 1)) = model.inertias[size_t(k)].toDynamicParameters();
  auto regressor = [&](size_t i) { computeJointTorqueRegressor(model, data, q[i], v[i], a[i]), keep(data.jointTorqueRegressor.data()); };
  measure(r, "regressor", seconds, r.inverse, regressor,
          [&](size_t i, double *out) { regressor(i), vector(out, data.jointTorqueRegressor * parameters); });
  MatrixXd by_q = MatrixXd::Zero(n, n), by_v = by_q, by_a = by_q;
  auto derivatives = [&](size_t i) { computeRNEADerivatives(model, data, q[i], v[i], a[i], by_q, by_v, by_a), keep(by_q.data()); };
  measure(r, "drnea", seconds, r.derivatives, derivatives,
          [&](size_t i, double *out) { derivatives(i), rows(out, by_q), rows(out + n * n, by_v); });
  auto forward_derivatives = [&](size_t i) { computeABADerivatives(model, data, q[i], v[i], tau[i], by_q, by_v, by_a), keep(by_q.data()); };
  measure(r, "daba", seconds, r.forward_derivatives, forward_derivatives, [&](size_t i, double *out) {
    forward_derivatives(i), rows(out, by_q), rows(out + n * n, by_v), symmetric(out + 2 * n * n, by_a);
  });
}
