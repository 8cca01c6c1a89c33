// What the C++ programs share: the robot and the states that `armdyn-benches --export` wrote, and the measurement.
//
// Each program is called as PROGRAM ROBOT-PATH SECONDS, reads PATH.txt (parameters) and PATH.states (inputs and expected results, native
// doubles), and prints one JSON line per algorithm: the median time of a call and the largest error, relative to the largest expected
// value of a state.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct RobotJoint {
  size_t parent;
  std::string type;
  double rotation[9], position[3], mass, center[3], inertia[6];
};

struct Robot {
  std::string name;
  size_t nq, nv, states, checked;
  bool floating;
  double gravity[3];
  std::vector<RobotJoint> joints;
  std::vector<double> q, qd, qdd, tau;
  // Expected results of the first `checked` states, matrices by rows; `coriolis` is C(q, q̇) q̇.
  std::vector<double> inverse, mass, forward, inverse_mass, coriolis, derivatives, forward_derivatives;

  explicit Robot(const std::string &path) {
    std::ifstream text(path + ".txt"), data(path + ".states", std::ios::binary);
    size_t count;
    text >> name >> nq >> nv >> count >> states >> checked;
    for (double &x : gravity) text >> x;
    joints.resize(count);
    for (RobotJoint &j : joints) {
      text >> j.parent >> j.type;
      for (double &x : j.rotation) text >> x;
      for (double &x : j.position) text >> x;
      text >> j.mass;
      for (double &x : j.center) text >> x;
      for (double &x : j.inertia) text >> x;
    }
    floating = nq != nv;
    auto read = [&](std::vector<double> &array, size_t size) {
      array.resize(size);
      data.read(reinterpret_cast<char *>(array.data()), long(size * sizeof(double)));
    };
    read(q, states * nq), read(qd, states * nv), read(qdd, states * nv), read(tau, states * nv);
    size_t square = nv * nv;
    read(inverse, checked * nv), read(mass, checked * square), read(forward, checked * nv), read(inverse_mass, checked * square);
    read(coriolis, checked * nv), read(derivatives, checked * 2 * square), read(forward_derivatives, checked * 3 * square);
    if (!text || !data) throw std::runtime_error("cannot read " + path);
  }
};

inline double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

template <class T> inline void keep(T *p) { asm volatile("" : : "g"(p) : "memory"); }

// The median time of `call(i)`, i walking through `pool` states, in rounds of about 0.1 ms [ns].
template <class F> double median(double seconds, size_t pool, F &&call) {
  size_t i = 0;
  auto run = [&](long calls) {
    double start = now();
    for (long k = 0; k < calls; ++k) {
      call(i);
      i = i + 1 == pool ? 0 : i + 1;
    }
    return now() - start;
  };
  long calls = 1;
  while (run(calls) < 5e6) calls *= 2;
  long batch = std::max(1L, calls / 50);
  std::vector<double> times;
  for (double start = now(); times.size() < 20 || now() - start < seconds * 1e9;) times.push_back(run(batch) / double(batch));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The largest error of `checked` results, relative to the largest expected value of the state; `result(i, out)` writes that of state i.
template <class F> double error_of(const Robot &r, const std::vector<double> &expected, F &&result) {
  size_t size = expected.size() / r.checked;
  std::vector<double> out(size);
  double worst = 0;
  for (size_t i = 0; i < r.checked; ++i) {
    result(i, out.data());
    const double *right = &expected[i * size];
    double scale = 0, error = 0;
    for (size_t k = 0; k < size; ++k) scale = std::max(scale, std::fabs(right[k]));
    for (size_t k = 0; k < size; ++k) {
      double e = std::fabs(out[k] - right[k]) / scale;
      if (!(e <= error)) error = e; // a NaN stays
    }
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

inline void print(const char *algorithm, double ns, double error) {
  printf("{\"algo\":\"%s\",\"ns\":%.2f,\"error\":%.2e}\n", algorithm, ns, std::isfinite(error) ? error : 1e300);
  fflush(stdout);
}

// One algorithm: `call(i)` computes state i, `result(i, out)` computes and writes what is compared with `expected`.
template <class C, class R>
void measure(const Robot &r, const char *algorithm, double seconds, const std::vector<double> &expected, C &&call, R &&result) {
  double error = error_of(r, expected, result);
  print(algorithm, median(seconds, r.states, call), error);
}

// The rotation matrix of the floating base, by rows.
inline void base_rotation(const double *q, double m[9]) {
  double x = q[3], y = q[4], z = q[5], w = q[6];
  double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),     2 * (x * y + z * w),    1 - 2 * (x * x + z * z),
                    2 * (y * z - x * w),     2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  std::copy(rows, rows + 9, m);
}

// Conversion for libraries whose floating base has its linear velocity in world axes: x = (R u, ω), the states' being (u, ω) in body axes.
inline void to_world(const double *rotation, double *x) {
  double u[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; ++i) x[i] = rotation[3 * i] * u[0] + rotation[3 * i + 1] * u[1] + rotation[3 * i + 2] * u[2];
}
inline void to_body(const double *rotation, double *x) {
  double u[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; ++i) x[i] = rotation[i] * u[0] + rotation[3 + i] * u[1] + rotation[6 + i] * u[2];
}
// The acceleration in world axes has ω × u besides.
inline void add_product(const double *qd, double *qdd, double sign) {
  const double *u = qd, *w = qd + 3;
  qdd[0] += sign * (w[1] * u[2] - w[2] * u[1]);
  qdd[1] += sign * (w[2] * u[0] - w[0] * u[2]);
  qdd[2] += sign * (w[0] * u[1] - w[1] * u[0]);
}
// A matrix of world-axes coordinates to the states' coordinates, in place.
inline void matrix_to_body(const double *rotation, double *m, size_t n) {
  for (size_t i = 0; i < n; ++i) to_body(rotation, m + i * n);
  for (size_t k = 0; k < n; ++k) {
    double column[3] = {m[k], m[n + k], m[2 * n + k]};
    to_body(rotation, column);
    for (int i = 0; i < 3; ++i) m[size_t(i) * n + k] = column[i];
  }
}
