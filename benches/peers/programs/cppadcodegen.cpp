// C code of Pinocchio's algorithms by CppADCodeGen: writes and compiles a library per algorithm, then times its function.
//
// Usage: cppadcodegen generate ROBOT-PATH FOLDER COMPILER     writes FOLDER/NAME-ALGORITHM.{c,so}; prints the seconds for both
//        cppadcodegen run ROBOT-PATH SECONDS FOLDER           times them
#include "common.hpp"
#include <cppad/cg.hpp>
#include <pinocchio/codegen/cppadcg.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include "pinocchio_model.hpp"
#include <dlfcn.h>
#include <sstream>

using namespace pinocchio;
using Code = CppAD::cg::CG<double>;
using Scalar = CppAD::AD<Code>;
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using SymbolicModel = ModelOf<Scalar>;
using SymbolicData = DataOf<Scalar>;

// Inputs of all functions: q, q̇ and q̈ or τ, one after the other. Outputs: matrices by rows; of symmetric ones the upper triangle, completed by copies.
static const char *ALGORITHMS[] = {"rnea", "crba", "aba", "drnea", "daba"};

static Vector record(const SymbolicModel &model, const std::string &algorithm, const Vector &x) {
  SymbolicData data(model);
  long nq = model.nq, n = model.nv;
  Vector q = x.head(nq), v = x.segment(nq, n), last = x.tail(n);
  Matrix by_q = Matrix::Zero(n, n), by_v = by_q, by_a = by_q;
  std::vector<Scalar> out;
  auto add = [&](const Matrix &m) {
    for (long i = 0; i < m.rows(); ++i)
      for (long k = 0; k < m.cols(); ++k) out.push_back(m(i, k));
  };
  auto symmetric = [&](Matrix m) {
    m.triangularView<Eigen::StrictlyLower>() = m.transpose().triangularView<Eigen::StrictlyLower>();
    add(m);
  };
  if (algorithm == "rnea") add(rnea(model, data, q, v, last));
  if (algorithm == "crba") crba(model, data, q, Convention::WORLD), symmetric(data.M);
  if (algorithm == "aba") add(aba(model, data, q, v, last, Convention::LOCAL));
  if (algorithm == "drnea") computeRNEADerivatives(model, data, q, v, last, by_q, by_v, by_a), add(by_q), add(by_v);
  if (algorithm == "daba") computeABADerivatives(model, data, q, v, last, by_q, by_v, by_a), add(by_q), add(by_v), symmetric(by_a);
  return Eigen::Map<Vector>(out.data(), long(out.size()));
}

static void generate(const Robot &r, const std::string &folder, const std::string &compiler) {
  SymbolicModel model = pinocchio_model(r).cast<Scalar>();
  for (const std::string algorithm : ALGORITHMS) {
    double start = now();
    Vector x = Vector::Zero(long(r.nq + 2 * r.nv));
    x.head(long(r.nq)).setConstant(Scalar(0.5));
    CppAD::Independent(x);
    CppAD::ADFun<Code> function(x, record(model, algorithm, x));
    function.optimize();
    CppAD::cg::CodeHandler<double> handler;
    CppAD::vector<Code> symbols(size_t(x.size()));
    handler.makeVariables(symbols);
    CppAD::vector<Code> results = function.Forward(0, symbols);
    CppAD::cg::LanguageC<double> language("double");
    CppAD::cg::LangCDefaultVariableNameGenerator<double> names;
    std::ostringstream body;
    handler.generateCode(body, language, results, names);
    std::string base = folder + "/" + r.name + "-" + algorithm;
    std::ofstream(base + ".c") << "#include <math.h>\nvoid compute(const double *x, double *y) {\n  double v[" << handler.getTemporaryVariableCount() + 1 << "];\n"
                               << body.str() << "}\n";
    double generated = now();
    if (system((compiler + " -O3 -march=native -ffast-math -w -shared -fPIC " + base + ".c -o " + base + ".so -lm").c_str())) throw std::runtime_error("compiler failed");
    double end = now();
    printf("{\"algo\":\"%s\",\"generate_s\":%.3f,\"compile_s\":%.3f}\n", algorithm.c_str(), (generated - start) * 1e-9, (end - generated) * 1e-9);
    fflush(stdout);
  }
}

static void run(const Robot &r, double seconds, const std::string &folder) {
  size_t n = r.nv, width = r.nq + 2 * n;
  for (const std::string algorithm : ALGORITHMS) {
    void *library = dlopen((folder + "/" + r.name + "-" + algorithm + ".so").c_str(), RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    auto compute = reinterpret_cast<void (*)(const double *, double *)>(dlsym(library, "compute"));
    bool forward = algorithm == "aba" || algorithm == "daba";
    const auto &expected = algorithm == "rnea" ? r.inverse : algorithm == "crba" ? r.mass : algorithm == "aba" ? r.forward : algorithm == "drnea" ? r.derivatives : r.forward_derivatives;
    std::vector<double> inputs(r.states * width), y(expected.size() / r.checked);
    for (size_t i = 0; i < r.states; ++i) {
      double *x = &inputs[i * width];
      std::copy_n(&r.q[i * r.nq], r.nq, x), std::copy_n(&r.qd[i * n], n, x + r.nq), std::copy_n(&(forward ? r.tau : r.qdd)[i * n], n, x + r.nq + n);
    }
    auto call = [&](size_t i) { compute(&inputs[i * width], y.data()), keep(y.data()); };
    measure(r, algorithm.c_str(), seconds, expected, call, [&](size_t i, double *out) { compute(&inputs[i * width], out); });
  }
}

int main(int argc, char **argv) {
  std::string mode = argc == 5 ? argv[1] : "";
  if (mode == "generate") return generate(Robot(argv[2]), argv[3], argv[4]), 0;
  if (mode == "run") return run(Robot(argv[2]), atof(argv[3]), argv[4]), 0;
  return fprintf(stderr, "usage: cppadcodegen generate ROBOT-PATH FOLDER COMPILER | run ROBOT-PATH SECONDS FOLDER\n"), 2;
}
