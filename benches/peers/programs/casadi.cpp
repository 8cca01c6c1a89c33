// Functions that CasADi generated (casadi_generate.py). Usage: casadi ROBOT-PATH SECONDS FOLDER
#include "common.hpp"
#include <dlfcn.h>

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: casadi ROBOT-PATH SECONDS FOLDER\n"), 2;
  Robot r(argv[1]);
  double seconds = atof(argv[2]);
  size_t n = r.nv, mapped = 512; // as in casadi_generate.py
  struct Function {
    const char *name;
    const std::vector<double> *expected, *last;
  };
  for (const Function &f : {Function{"rnea", &r.inverse, &r.qdd}, Function{"crba", &r.mass, &r.qdd}, Function{"aba", &r.forward, &r.tau},
                            Function{"drnea", &r.derivatives, &r.qdd}, Function{"daba", &r.forward_derivatives, &r.tau}, Function{"map", &r.inverse, &r.qdd}}) {
    void *library = dlopen((std::string(argv[3]) + "/" + r.name + "_" + f.name + ".so").c_str(), RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    auto compute = reinterpret_cast<int (*)(const double **, double **, long long *, double *, int)>(dlsym(library, "compute"));
    auto size = reinterpret_cast<int (*)(long long *, long long *, long long *, long long *)>(dlsym(library, "compute_work"));
    long long arguments = 3, results = 1, integers = 0, reals = 0;
    size(&arguments, &results, &integers, &reals);
    std::vector<double> work(size_t(reals) + 1), y(std::max(f.expected->size() / r.checked, mapped * n));
    std::vector<long long> integer_work(size_t(integers) + 1);
    if (std::string(f.name) == "map") { // the states' arrays are the columns that it wants
      std::vector<const double *> arg(size_t(arguments) + 3);
      std::vector<double *> res(size_t(results) + 1);
      auto all = [&](size_t) {
        arg[0] = r.q.data(), arg[1] = r.qd.data(), arg[2] = r.qdd.data(), res[0] = y.data();
        compute(arg.data(), res.data(), integer_work.data(), work.data(), 0), keep(y.data());
      };
      all(0);
      double error = error_of(r, r.inverse, [&](size_t i, double *out) { std::copy_n(&y[i * n], n, out); });
      printf("{\"algo\":\"rnea map\",\"states\":%zu,\"ns\":%.2f,\"error\":%.2e}\n", mapped, median(seconds, 1, all) / double(mapped), error);
      continue;
    }
    auto at = [&](size_t i, double *out) {
      const double *arg[8] = {&r.q[i * n], &r.qd[i * n], &(*f.last)[i * n]};
      double *res[8] = {out};
      compute(arg, res, integer_work.data(), work.data(), 0);
    };
    measure(r, f.name, seconds, *f.expected, [&](size_t i) { at(i, y.data()), keep(y.data()); }, at);
  }
}
