// A controller for ros2_control: computed torque with a payload, from states `position` and `velocity` to the command `effort` of each
// joint.
//
//   tau = M(q) (qdd_desired + kp (q_desired - q) + kd (qd_desired - qd)) + C(q, qd) qd + g(q) + friction
//
// which is inverse dynamics with the acceleration in parentheses. Parameters:
//
//   joints             names of the joints, which are all degrees of freedom of the robot
//   payload            mass at the tool [kg]
//   payload_centre     its centre of mass in the frame of the tool [m], 3 numbers
//   frequency          natural frequency of the position error [rad/s]; its damping is critical
//
// `update` allocates nothing: all memory is made in `on_configure`.
#ifndef ROS2_CONTROLLER_HPP
#define ROS2_CONTROLLER_HPP

#include <armdyn/armdyn.hpp>

#if __has_include(<controller_interface/controller_interface.hpp>)
#include <controller_interface/controller_interface.hpp>
#else
#include "ros2_control_stand_in.hpp"
#endif

#include <string>
#include <vector>

namespace armdyn_controllers {

class ComputedTorqueController : public controller_interface::ControllerInterface {
public:
    controller_interface::CallbackReturn on_init() override;
    controller_interface::InterfaceConfiguration command_interface_configuration() const override;
    controller_interface::InterfaceConfiguration state_interface_configuration() const override;
    controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override;
    controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
    controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;
    controller_interface::return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;

    /** Sets the motion to follow, in the order of the parameter `joints`; in the thread of `update`, or before it runs. */
    void follow(const std::vector<double>& q, const std::vector<double>& qd, const std::vector<double>& qdd);

private:
    /** Reads positions and velocities, in the order of the robot. */
    bool read_states();

    std::vector<std::string> joints_;
    /** The degree of freedom of each joint of the parameter. */
    std::vector<std::size_t> dofs_;
    double stiffness_ = 0, damping_ = 0;
    armdyn::Data data_;
    std::vector<double> q_, qd_, tau_, acceleration_;
    std::vector<double> q_desired_, qd_desired_, qdd_desired_;
};

}  // namespace armdyn_controllers

#endif
