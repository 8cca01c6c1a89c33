// The C++ interface: spans, ownership, exceptions, threads. The numbers are those of golden.cpp and c.c.
#include <armdyn/armdyn.hpp>

#include "check.h"
#include "double_pendulum.h"

#include <memory>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

// Matrices as Eigen has them: what the header looks at.
template <class Scalar, bool RowMajor, bool Vector, int InnerStride = 1>
struct Dense {
    using PlainObject = Dense<Scalar, RowMajor, Vector, 1>;
    enum { IsRowMajor = RowMajor, IsVectorAtCompileTime = Vector, InnerStrideAtCompileTime = InnerStride };
    std::vector<Scalar> values;
    Scalar* data() { return values.data(); }
    const Scalar* data() const { return values.data(); }
    long size() const { return static_cast<long>(values.size()); }
};
// A part of a matrix: not an object of its own.
struct Block : Dense<double, true, false> {};

using armdyn::Input;
using armdyn::Output;
static_assert(std::is_constructible_v<Input, std::vector<double>&> && std::is_constructible_v<Input, const std::vector<double>&>);
static_assert(std::is_constructible_v<Input, std::array<double, 3>&> && std::is_constructible_v<Input, double (&)[3]>);
static_assert(std::is_constructible_v<Input, const double (&)[3]> && std::is_constructible_v<Input, Output>);
static_assert(std::is_constructible_v<Output, std::vector<double>&> && !std::is_constructible_v<Output, const std::vector<double>&>);
static_assert(!std::is_constructible_v<Output, Input> && !std::is_constructible_v<Input, std::vector<float>&>);
static_assert(!std::is_constructible_v<Input, double> && !std::is_constructible_v<Input, std::string>);
static_assert(std::is_constructible_v<Output, Dense<double, false, true>&>, "a column vector");
static_assert(std::is_constructible_v<Output, Dense<double, true, false>&>, "a row-major matrix");
static_assert(!std::is_constructible_v<Output, Dense<double, false, false>&>, "a column-major matrix would be transposed");
static_assert(!std::is_constructible_v<Input, const Dense<double, false, false>&>, "a column-major matrix would be transposed");
static_assert(!std::is_constructible_v<Output, Dense<double, true, true, -1>&>, "a column of a row-major matrix has gaps");
static_assert(!std::is_constructible_v<Output, Block&>, "a block of a matrix has gaps");
#if __cplusplus >= 202002L
static_assert(std::is_constructible_v<Input, std::span<const double>> && std::is_constructible_v<Output, std::span<double, 3>>);
#endif
static_assert(!std::is_copy_constructible_v<armdyn::Data> && std::is_nothrow_move_constructible_v<armdyn::Data>);
static_assert(std::is_copy_constructible_v<armdyn::Robot> && std::is_copy_constructible_v<armdyn::Program>);

template <class Call>
void throws(Call&& call, armdyn::Status status, const char* text) {
    bool thrown = false;
    try {
        call();
    } catch (const armdyn::Error& error) {
        thrown = true;
        CHECK(error.status() == status);
        CHECK(strstr(error.what(), text) != nullptr);
    }
    CHECK(thrown);
}

void objects() {
    armdyn::Robot robot = armdyn::Robot::load_text(DOUBLE_PENDULUM);
    CHECK(robot && robot.nq() == 2 && robot.nv() == 2 && robot.joint_count() == 3 && robot.link_count() == 4);
    CHECK(robot.name() == "double_pendulum" && robot.joint_name(2) == "flange" && robot.joint_name(3).empty());
    CHECK(robot.link_name(0) == "base" && robot.link("lower") == 2 && robot.joint("elbow") == 1);
    CHECK((robot.dof_names() == std::vector<std::string>{"shoulder", "elbow"}) && robot.coordinate_names()[1] == "elbow");
    CHECK(robot.joint_range(1).first_q == 1 && robot.joint_range(2).v_count == 0 && robot.is_rotational(0));
    CHECK(robot.limits(ARMDYN_LIMIT_UPPER)[0] == 2.5 && robot.gravity()[2] == -G && robot.tool().link == 3);
    CHECK(robot.parameter_names()[0] == "upper.m" && robot.parameters()[0] == M1);
    CHECK(robot.neutral() == std::vector<double>(2) && robot.findings().find("note[A") != std::string::npos);

    armdyn::Data data(robot);
    const double q[2] = {0.3, -0.8};
    const std::vector<double> qd{1.2, -0.7};
    const std::array<double, 2> qdd{-2.0, 3.0};
    double expected[2];
    pendulum_torques(q, qd.data(), qdd.data(), 0, expected);
    Dense<double, false, true> tau{{0, 0}};
    data.rnea(q, qd, qdd, tau);
    CHECK_CLOSE(tau.values[0], expected[0], 50, 1e-13);
    CHECK_CLOSE(data.rnea(q, qd, qdd)[1], expected[1], 50, 1e-13);
    CHECK_CLOSE(data.aba(q, qd, expected)[1], 3.0, 50, 1e-12);
    double mass[4];
    pendulum_mass(q, 0, mass);
    CHECK_CLOSE(data.crba(q)[1], mass[1], 5, 1e-13);
    CHECK_CLOSE(data.minverse(q)[3], mass[0] / (mass[0] * mass[3] - mass[1] * mass[1]), 5, 1e-13);
    pendulum_gravity(q, 0, expected);
    CHECK_CLOSE(data.gravity(q)[0], expected[0], 50, 1e-13);
    const std::vector<double> c = data.coriolis(q, qd);
    CHECK_CLOSE(data.bias(q, qd)[0] - c[0] * qd[0] - c[1] * qd[1], expected[0], 50, 1e-13);
    data.kinematics(q);
    CHECK_CLOSE(data.pose()[3], L1 * std::cos(0.3) + L2 * std::cos(-0.5), 1, 1e-14);
    CHECK_CLOSE(data.pose(3, armdyn::Vector3{-L2, 0, 0})[3], L1 * std::cos(0.3), 1, 1e-14);
    std::vector<double> jacobian(12), wrenches(18), twist(6), acceleration(6);
    data.jacobian(jacobian);
    data.motion(q, qd, qdd, twist, acceleration);
    CHECK_CLOSE(twist[0], jacobian[0] * qd[0] + jacobian[1] * qd[1], 1, 1e-14);
    data.add_wrench({0, 0, -5}, {0, 2, 0});
    data.joint_wrenches(q, std::vector<double>(2), std::vector<double>(2), wrenches);
    CHECK_CLOSE(wrenches[14], 5, 50, 1e-13);
    data.clear_wrenches();

    // Variants; a robot may end before what was made from it.
    {
        const armdyn::Robot loaded = robot.with_payload(3.0);
        data = armdyn::Data(loaded);
        CHECK_CLOSE(loaded.mass(), M1 + M2 + 3, 1, 1e-14);
        CHECK_CLOSE(loaded.without_payloads().mass(), M1 + M2, 1, 1e-14);
        CHECK_CLOSE(robot.with_payload(1.0, {0, 0, 0.1}, {1, 0, 0, 1, 0, 1}, robot.link("upper")).mass(), M1 + M2 + 1, 1, 1e-14);
    }
    pendulum_gravity(q, 3, expected);
    CHECK_CLOSE(data.gravity(q)[1], expected[1], 50, 1e-13);
    CHECK(armdyn::Data(robot.with_gravity({0, 0, 0})).gravity(q) == std::vector<double>(2));
    const std::size_t elbow[1] = {1};
    CHECK(robot.with_locked(elbow, q).nv() == 1 && robot.without_friction().nv() == 2);

    // Programs, copies and moves.
    const armdyn::Program program = armdyn::Program::compile(robot, ARMDYN_QUANTITY_GRAVITY), copy = program;
    double g[2];
    copy.call(q, g);
    pendulum_gravity(q, 0, expected);
    CHECK_CLOSE(g[0], expected[0], 50, 1e-13);
    CHECK(copy.outputs() == 2 && !program.backend().empty());
    armdyn::Data moved = std::move(data);
    CHECK(moved && moved.gravity(q).size() == 2);
    throws([&] { data.gravity(q, g); }, ARMDYN_STATUS_NULL_POINTER, "`data` is null");  // moved from: a clear error
    armdyn::Robot none;
    CHECK(!none && none.nv() == 0 && none.name().empty() && none.dof_names().empty());
    throws([&] { armdyn::Data of_none(none); }, ARMDYN_STATUS_NULL_POINTER, "`robot` is null");
}

void errors() {
    const armdyn::Robot robot = armdyn::Robot::load("panda");
    armdyn::Data data(robot);
    std::vector<double> q(7), zero(7), tau(7);
    throws([] { armdyn::Robot::load("pandda"); }, ARMDYN_STATUS_NOT_FOUND, "did you mean `panda`?");
    throws([] { armdyn::Robot::load_text("<robot"); }, ARMDYN_STATUS_INVALID_ROBOT, "error[");
    throws([&] { data.rnea(q, zero, std::vector<double>(6), tau); }, ARMDYN_STATUS_WRONG_LENGTH, "`qdd` has 6 values");
    throws([&] { data.aba(q, zero, tau, tau); }, ARMDYN_STATUS_INVALID_ARGUMENT, "`qdd` overlaps `tau`");
    throws([&] { data.pose(); }, ARMDYN_STATUS_INVALID_ARGUMENT, "armdyn_kinematics");
    throws([&] { robot.link("wrist"); }, ARMDYN_STATUS_NOT_FOUND, "wrist");
    q[3] = std::nan("");
    throws([&] { data.gravity(q); }, ARMDYN_STATUS_NOT_FINITE, "`q` is not finite at `panda_joint4`");
    // An invalid state leaves the others.
    const armdyn::Program program = armdyn::Program::compile(robot, ARMDYN_QUANTITY_GRAVITY);
    std::vector<double> many(7 * 100), out(7 * 100);
    many[7 * 42] = INFINITY;
    std::vector<std::uint8_t> valid(100);
    throws([&] { program.batch(100, many, {}, {}, out, valid); }, ARMDYN_STATUS_INVALID_STATES, "1 state is invalid: state 42");
    CHECK(valid[41] == 1 && valid[42] == 0 && std::isnan(out[7 * 42]) && std::isfinite(out[7 * 43]));
}

// Threads share a robot and programs, and have workspaces and messages of their own.
void threads() {
    const armdyn::Robot robot = armdyn::Robot::load("panda");
    const armdyn::Program program = armdyn::Program::compile(robot, ARMDYN_QUANTITY_INVERSE);
    std::vector<double> q(7, 0.3), qd(7, -0.2), qdd(7, 0.5);
    const std::vector<double> expected = armdyn::Data(robot).rnea(q, qd, qdd);
    std::array<int, 4> wrong{};
    std::vector<std::thread> all;
    for (std::size_t k = 0; k < wrong.size(); ++k) {
        all.emplace_back([&, k] {
            const armdyn::Robot own = robot.with_payload(static_cast<double>(k));
            armdyn::Data data(robot), loaded(own);
            std::vector<double> tau(7), compiled(7), many(7 * 2000), out(7 * 2000);
            for (int i = 0; i < 2000; ++i) {
                data.rnea(q, qd, qdd, tau);
                program.call(q, qd, qdd, compiled);
                loaded.rnea(q, qd, qdd, tau);
                data.rnea(q, qd, qdd, tau);
                for (std::size_t j = 0; j < 7; ++j) wrong[k] += tau[j] != expected[j] || std::fabs(compiled[j] - expected[j]) > 1e-10;
            }
            program.batch(2000, many, many, many, out);
            const std::string name = "robot" + std::to_string(k);
            for (int i = 0; i < 100; ++i) {
                try {
                    armdyn::Robot::load(name);
                } catch (const armdyn::Error&) {
                }
                wrong[k] += armdyn::error_message().find("`" + name + "`") == std::string::npos;
            }
        });
    }
    for (std::thread& thread : all) thread.join();
    for (const int count : wrong) CHECK(count == 0);
    CHECK(armdyn::error_message().find("robot0") == std::string::npos);
}

}  // namespace

int status_codes();  // no_exceptions.cpp

int main() {
    objects();
    errors();
    threads();
    CHECK(status_codes() == 0);
    return check_result();
}
