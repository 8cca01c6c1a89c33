// The life of the ROS 2 controller of the examples: configured with a payload, activated, updated at 1 kHz on a double pendulum that is
// simulated in closed form. It follows a motion, and allocates nothing in an update.
#include "ros2_controller.hpp"

#include "check.h"
#include "count_allocations.h"
#include "double_pendulum.h"

using controller_interface::CallbackReturn;
using controller_interface::return_type;

namespace {

const double PAYLOAD = 3.0, STEP = 1e-3;

// The pendulum with its payload, and what the hardware interface shows of it.
struct Plant {
    double q[2] = {0.2, -0.4}, qd[2] = {0, 0}, tau[2] = {0, 0};

    // Ten small steps: the motion of a step is followed far more accurately than the controller does.
    void step() {
        for (int k = 0; k < 10; ++k) {
            double mass[4], bias[2];
            pendulum_mass(q, PAYLOAD, mass);
            pendulum_bias(q, qd, PAYLOAD, bias);
            const double a = tau[0] - bias[0] - B1 * qd[0], b = tau[1] - bias[1];
            const double determinant = mass[0] * mass[3] - mass[1] * mass[2];
            qd[0] += 0.1 * STEP * (mass[3] * a - mass[1] * b) / determinant;
            qd[1] += 0.1 * STEP * (mass[0] * b - mass[2] * a) / determinant;
            q[0] += 0.1 * STEP * qd[0];
            q[1] += 0.1 * STEP * qd[1];
        }
    }
};

struct Outcome {
    double error;
    std::size_t allocated;
};

// Two seconds of a motion with a controller that knows this payload.
Outcome run(double payload) {
    Plant plant;
    armdyn_controllers::ComputedTorqueController controller;
    const rclcpp_lifecycle::State state;
    CHECK(controller.on_init() == CallbackReturn::SUCCESS);
    controller.set_robot_description(DOUBLE_PENDULUM);
    // Another order than the robot's.
    controller.get_node()->set_parameter("joints", std::vector<std::string>{"elbow", "shoulder"});
    controller.get_node()->set_parameter("payload", payload);
    CHECK(controller.on_configure(state) == CallbackReturn::SUCCESS);
    const auto commands = controller.command_interface_configuration(), states = controller.state_interface_configuration();
    CHECK((commands.names == std::vector<std::string>{"elbow/effort", "shoulder/effort"}));
    CHECK(states.names.size() == 4 && states.names[3] == "shoulder/velocity");
    std::vector<hardware_interface::LoanedCommandInterface> efforts;
    std::vector<hardware_interface::LoanedStateInterface> measured;
    for (const int joint : {1, 0}) {
        efforts.emplace_back(&plant.tau[joint]);
        measured.emplace_back(&plant.q[joint]);
        measured.emplace_back(&plant.qd[joint]);
    }
    controller.assign_interfaces(std::move(efforts), std::move(measured));
    CHECK(controller.on_activate(state) == CallbackReturn::SUCCESS);

    std::vector<double> q(2), qd(2), qdd(2);
    const std::size_t before = allocations;
    Outcome outcome{0, 0};
    int failed = 0;
    for (int tick = 0; tick < 2000; ++tick) {
        const double t = tick * STEP, phase = 3 * t;
        for (std::size_t k = 0; k < 2; ++k) {
            const double start = k == 0 ? -0.4 : 0.2;  // the elbow comes first
            q[k] = start + 0.5 * (1 - std::cos(phase));
            qd[k] = 0.5 * 3 * std::sin(phase);
            qdd[k] = 0.5 * 9 * std::cos(phase);
        }
        outcome.error = std::fmax(outcome.error, std::fmax(std::fabs(q[0] - plant.q[1]), std::fabs(q[1] - plant.q[0])));
        controller.follow(q, qd, qdd);
        failed += controller.update(rclcpp::Time(tick * 1000000), rclcpp::Duration(0, 1000000)) != return_type::OK;
        plant.step();
    }
    outcome.allocated = allocations - before;
    CHECK(failed == 0);

    // A sensor that fails is an error of the update, not a torque.
    const double last = plant.tau[0];
    plant.q[0] = NAN;
    CHECK(controller.update(rclcpp::Time(0), rclcpp::Duration(0, 1000000)) == return_type::ERROR && plant.tau[0] == last);
    CHECK(controller.on_deactivate(state) == CallbackReturn::SUCCESS && plant.tau[0] == 0 && plant.tau[1] == 0);
    return outcome;
}

}  // namespace

int main() {
    {
        const std::size_t before = allocations;
        CHECK(armdyn::Data(armdyn::Robot::load("panda")) && allocations > before);  // the counter counts
    }
    const Outcome right = run(PAYLOAD), wrong = run(0);
    std::printf("error with the payload %.2g rad, without it %.2g rad; %zu allocations in 2000 updates\n", right.error, wrong.error,
                right.allocated);
    // A torque is held for a millisecond, in which the acceleration changes by up to 0.5 * 27 * 1e-3 rad/s²; frequency 10 rad/s.
    CHECK(right.error < 1e-3 && wrong.error > 20 * right.error);
    CHECK(right.allocated == 0 && wrong.allocated == 0);

    // What cannot be configured says why.
    armdyn_controllers::ComputedTorqueController controller;
    const rclcpp_lifecycle::State state;
    CHECK(controller.on_init() == CallbackReturn::SUCCESS);
    CHECK(controller.on_configure(state) == CallbackReturn::ERROR);  // no robot description
    controller.set_robot_description(DOUBLE_PENDULUM);
    CHECK(controller.on_configure(state) == CallbackReturn::ERROR);  // no joints
    controller.get_node()->set_parameter("joints", std::vector<std::string>{"shoulder", "wrist"});
    CHECK(controller.on_configure(state) == CallbackReturn::ERROR);
    controller.get_node()->set_parameter("joints", std::vector<std::string>{"shoulder", "elbow"});
    CHECK(controller.on_configure(state) == CallbackReturn::SUCCESS);
    return check_result();
}
