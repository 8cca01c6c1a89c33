#include "ros2_controller.hpp"

#include <algorithm>

namespace armdyn_controllers {

using controller_interface::CallbackReturn;
using controller_interface::interface_configuration_type;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

CallbackReturn ComputedTorqueController::on_init() {
    auto_declare<std::vector<std::string>>("joints", {});
    auto_declare<double>("payload", 0.0);
    auto_declare<std::vector<double>>("payload_centre", {0.0, 0.0, 0.0});
    auto_declare<double>("frequency", 10.0);
    return CallbackReturn::SUCCESS;
}

InterfaceConfiguration ComputedTorqueController::command_interface_configuration() const {
    InterfaceConfiguration configuration{interface_configuration_type::INDIVIDUAL, {}};
    for (const std::string& joint : joints_) configuration.names.push_back(joint + "/effort");
    return configuration;
}

InterfaceConfiguration ComputedTorqueController::state_interface_configuration() const {
    InterfaceConfiguration configuration{interface_configuration_type::INDIVIDUAL, {}};
    for (const std::string& joint : joints_) {
        configuration.names.push_back(joint + "/position");
        configuration.names.push_back(joint + "/velocity");
    }
    return configuration;
}

CallbackReturn ComputedTorqueController::on_configure(const rclcpp_lifecycle::State&) {
    const auto node = get_node();
    joints_ = node->get_parameter("joints").as_string_array();
    const double payload = node->get_parameter("payload").as_double();
    const std::vector<double> centre = node->get_parameter("payload_centre").as_double_array();
    const double frequency = node->get_parameter("frequency").as_double();
    if (centre.size() != 3) {
        RCLCPP_ERROR(node->get_logger(), "`payload_centre` has %zu numbers; expected 3", centre.size());
        return CallbackReturn::ERROR;
    }
    try {
        armdyn::Robot robot = armdyn::Robot::load_text(get_robot_description(), ARMDYN_FORMAT_URDF);
        if (payload != 0.0) robot = robot.with_payload(payload, {centre[0], centre[1], centre[2]});
        const std::vector<std::string> dofs = robot.dof_names();
        dofs_.clear();
        for (const std::string& joint : joints_) {
            const auto found = std::find(dofs.begin(), dofs.end(), joint);
            if (found == dofs.end()) {
                RCLCPP_ERROR(node->get_logger(), "the robot has no degree of freedom `%s`", joint.c_str());
                return CallbackReturn::ERROR;
            }
            dofs_.push_back(static_cast<std::size_t>(found - dofs.begin()));
        }
        if (dofs_.size() != robot.nv() || robot.nq() != robot.nv()) {
            RCLCPP_ERROR(node->get_logger(), "the robot has %zu degrees of freedom, and `joints` %zu; lock the others", robot.nv(),
                         dofs_.size());
            return CallbackReturn::ERROR;
        }
        data_ = armdyn::Data(robot);
    } catch (const armdyn::Error& error) {
        RCLCPP_ERROR(node->get_logger(), "%s", error.what());
        return CallbackReturn::ERROR;
    }
    stiffness_ = frequency * frequency;
    damping_ = 2.0 * frequency;
    for (std::vector<double>* values : {&q_, &qd_, &tau_, &acceleration_, &q_desired_, &qd_desired_, &qdd_desired_}) {
        values->assign(dofs_.size(), 0.0);
    }
    return CallbackReturn::SUCCESS;
}

CallbackReturn ComputedTorqueController::on_activate(const rclcpp_lifecycle::State&) {
    // Hold the present position until there is a motion to follow.
    if (!read_states()) return CallbackReturn::ERROR;
    q_desired_ = q_;
    std::fill(qd_desired_.begin(), qd_desired_.end(), 0.0);
    std::fill(qdd_desired_.begin(), qdd_desired_.end(), 0.0);
    return CallbackReturn::SUCCESS;
}

CallbackReturn ComputedTorqueController::on_deactivate(const rclcpp_lifecycle::State&) {
    bool written = true;
    for (auto& command : command_interfaces_) written &= command.set_value(0.0);
    return written ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

void ComputedTorqueController::follow(const std::vector<double>& q, const std::vector<double>& qd, const std::vector<double>& qdd) {
    for (std::size_t k = 0; k < dofs_.size(); ++k) {
        q_desired_[dofs_[k]] = q[k];
        qd_desired_[dofs_[k]] = qd[k];
        qdd_desired_[dofs_[k]] = qdd[k];
    }
}

bool ComputedTorqueController::read_states() {
    for (std::size_t k = 0; k < dofs_.size(); ++k) {
        const auto position = state_interfaces_[2 * k].get_optional();
        const auto velocity = state_interfaces_[2 * k + 1].get_optional();
        if (!position || !velocity) return false;
        q_[dofs_[k]] = *position;
        qd_[dofs_[k]] = *velocity;
    }
    return true;
}

return_type ComputedTorqueController::update(const rclcpp::Time&, const rclcpp::Duration&) {
    if (!read_states()) return return_type::ERROR;
    for (std::size_t v = 0; v < q_.size(); ++v) {
        acceleration_[v] = qdd_desired_[v] + stiffness_ * (q_desired_[v] - q_[v]) + damping_ * (qd_desired_[v] - qd_[v]);
    }
    // The C function: an error is a status here, nothing is thrown in the control loop.
    const ArmdynStatus status = armdyn_rnea(data_.get(), q_.data(), q_.size(), qd_.data(), qd_.size(), acceleration_.data(),
                                            acceleration_.size(), tau_.data(), tau_.size());
    if (status != ARMDYN_STATUS_OK) return return_type::ERROR;
    for (std::size_t k = 0; k < dofs_.size(); ++k) {
        if (!command_interfaces_[k].set_value(tau_[dofs_[k]])) return return_type::ERROR;
    }
    return return_type::OK;
}

}  // namespace armdyn_controllers

#if __has_include(<pluginlib/class_list_macros.hpp>)
#include <pluginlib/class_list_macros.hpp>
PLUGINLIB_EXPORT_CLASS(armdyn_controllers::ComputedTorqueController, controller_interface::ControllerInterface)
#endif
