// A stand-in for the parts of rclcpp and ros2_control that the example uses, so that it compiles and runs where ROS 2 is not installed.
// Names and signatures are those of ros2_control (Jazzy and later); nothing here communicates, and values are plain numbers.
#ifndef ROS2_CONTROL_STAND_IN_HPP
#define ROS2_CONTROL_STAND_IN_HPP

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#define RCLCPP_ERROR(logger, ...) (static_cast<void>(logger), std::fprintf(stderr, __VA_ARGS__), std::fprintf(stderr, "\n"))

namespace rclcpp {

class Time {
public:
    explicit Time(std::int64_t nanoseconds) : nanoseconds_(nanoseconds) {}
    double seconds() const { return 1e-9 * static_cast<double>(nanoseconds_); }

private:
    std::int64_t nanoseconds_;
};

class Duration {
public:
    Duration(std::int32_t seconds, std::uint32_t nanoseconds) : seconds_(seconds + 1e-9 * nanoseconds) {}
    double seconds() const { return seconds_; }

private:
    double seconds_;
};

class Logger {};

class Parameter {
public:
    using Value = std::variant<double, std::vector<double>, std::vector<std::string>>;
    explicit Parameter(Value value) : value_(std::move(value)) {}
    double as_double() const { return std::get<double>(value_); }
    std::vector<double> as_double_array() const { return std::get<std::vector<double>>(value_); }
    std::vector<std::string> as_string_array() const { return std::get<std::vector<std::string>>(value_); }

private:
    Value value_;
};

}  // namespace rclcpp

namespace rclcpp_lifecycle {

class State {};

class LifecycleNode {
public:
    rclcpp::Logger get_logger() const { return {}; }
    bool has_parameter(const std::string& name) const { return parameters_.count(name) != 0; }
    rclcpp::Parameter get_parameter(const std::string& name) const { return rclcpp::Parameter(parameters_.at(name)); }
    template <class T>
    void declare_parameter(const std::string& name, const T& value) {
        parameters_.emplace(name, value);
    }
    template <class T>
    void set_parameter(const std::string& name, const T& value) {
        parameters_.at(name) = value;
    }

private:
    std::map<std::string, rclcpp::Parameter::Value> parameters_;
};

}  // namespace rclcpp_lifecycle

namespace hardware_interface {

class LoanedStateInterface {
public:
    explicit LoanedStateInterface(const double* value) : value_(value) {}
    template <class T = double>
    [[nodiscard]] std::optional<T> get_optional(unsigned int /*max_tries*/ = 10) const {
        return *value_;
    }

private:
    const double* value_;
};

class LoanedCommandInterface {
public:
    explicit LoanedCommandInterface(double* value) : value_(value) {}
    template <class T>
    [[nodiscard]] bool set_value(const T& value, unsigned int /*max_tries*/ = 10) {
        *value_ = value;
        return true;
    }

private:
    double* value_;
};

}  // namespace hardware_interface

namespace controller_interface {

enum class return_type : std::uint8_t { OK = 0, ERROR = 1 };
enum class CallbackReturn : std::uint8_t { SUCCESS, FAILURE, ERROR };
enum class interface_configuration_type : std::uint8_t { ALL = 0, INDIVIDUAL = 1, NONE = 2 };

struct InterfaceConfiguration {
    interface_configuration_type type = interface_configuration_type::NONE;
    std::vector<std::string> names = {};
};

class ControllerInterface {
public:
    virtual ~ControllerInterface() = default;
    virtual CallbackReturn on_init() = 0;
    virtual InterfaceConfiguration command_interface_configuration() const = 0;
    virtual InterfaceConfiguration state_interface_configuration() const = 0;
    virtual CallbackReturn on_configure(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
    virtual CallbackReturn on_activate(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
    virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
    virtual return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;

    void assign_interfaces(std::vector<hardware_interface::LoanedCommandInterface>&& commands,
                           std::vector<hardware_interface::LoanedStateInterface>&& states) {
        command_interfaces_ = std::move(commands);
        state_interfaces_ = std::move(states);
    }
    std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() const { return node_; }
    const std::string& get_robot_description() const { return robot_description_; }

    // Of the stand-in: what the controller manager passes to `init`.
    void set_robot_description(std::string text) { robot_description_ = std::move(text); }

protected:
    template <class T>
    void auto_declare(const std::string& name, const T& value) {
        if (!node_->has_parameter(name)) node_->declare_parameter<T>(name, value);
    }

    std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
    std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

private:
    std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>();
    std::string robot_description_;
};

}  // namespace controller_interface

#endif
