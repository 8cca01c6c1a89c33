/**
 * @file armdyn.hpp
 * @brief C++17 interface of armdyn: objects, spans and exceptions over the C interface of armdyn.h.
 *
 * Units, shapes and the rules for memory and threads are those of armdyn.h. Arguments are spans: any object with `data()` and `size()`
 * converts (std::vector, std::array, std::span, vectors and row-major matrices of Eigen), and so do arrays. Matrices are row-major.
 *
 * Errors are exceptions of type `armdyn::Error`. With `ARMDYN_NO_EXCEPTIONS` defined before this header is included nothing throws, except
 * std::bad_alloc of functions that return strings and vectors: functions without a value (`Done`) return a `Status`, the others
 * (`Outcome<T>`) a `Result<T>`.
 *
 * Functions that return a std::vector allocate it; for control loops each has a form that writes into a span and allocates nothing.
 */
#ifndef ARMDYN_ARMDYN_HPP
#define ARMDYN_ARMDYN_HPP

#include "armdyn.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef ARMDYN_NO_EXCEPTIONS
#include <optional>
#else
#include <stdexcept>
#endif

namespace armdyn {
// Files with and without exceptions can be parts of one program.
#ifdef ARMDYN_NO_EXCEPTIONS
inline namespace status_codes {
#else
inline namespace exceptions {
#endif

namespace detail {

/** Whether a type has `data()` and `size()`, and `data()` points to elements of type `T`. */
template <class Range, class T, class = void>
struct is_range : std::false_type {};
template <class Range, class T>
struct is_range<Range, T, std::void_t<decltype(std::declval<Range&>().data()), decltype(std::declval<Range&>().size())>>
    : std::is_convertible<std::remove_pointer_t<decltype(std::declval<Range&>().data())> (*)[], T (*)[]> {};

/** Whether the elements of a range lie one after another, row by row. Only Eigen's types say that they do not. */
template <class Range, class = void>
struct is_row_major : std::true_type {};
template <class Range>
struct is_row_major<Range, std::void_t<decltype(Range::IsRowMajor), decltype(Range::IsVectorAtCompileTime),
                                       decltype(Range::InnerStrideAtCompileTime), typename Range::PlainObject>>
    : std::bool_constant<static_cast<int>(Range::InnerStrideAtCompileTime) == 1 &&
                         (static_cast<bool>(Range::IsVectorAtCompileTime) ||
                          (static_cast<bool>(Range::IsRowMajor) &&
                           std::is_same_v<typename Range::PlainObject, std::remove_cv_t<Range>>))> {};

}  // namespace detail

/** A contiguous array that somebody else owns: what is needed here of std::span of C++20. */
template <class T>
class span {
    template <class Range>
    static constexpr bool is_range = detail::is_range<std::remove_reference_t<Range>, T>::value;
    template <class Range>
    static constexpr bool is_row_major = detail::is_row_major<std::remove_reference_t<Range>>::value;

public:
    /** No elements. */
    constexpr span() noexcept = default;
    /** `size` elements from `data` on. */
    constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /** An array. */
    template <std::size_t N>
    constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    /** Anything with `data()` and `size()`. */
    template <class Range, std::enable_if_t<is_range<Range> && is_row_major<Range>, int> = 0>
    constexpr span(Range&& range) noexcept : data_(range.data()), size_(static_cast<std::size_t>(range.size())) {}
    /** A column-major matrix, or a part of a matrix, would be read in another order: use a matrix of Eigen::RowMajor. */
    template <class Range, std::enable_if_t<is_range<Range> && !is_row_major<Range>, int> = 0>
    span(Range&& range) = delete;

    constexpr T* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }
    constexpr T* begin() const noexcept { return data_; }
    constexpr T* end() const noexcept { return data_ + size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/** Result of a call: `ARMDYN_STATUS_OK` or the kind of an error. */
using Status = ArmdynStatus;
/** Numbers that are read. */
using Input = span<const double>;
/** Numbers that are written. */
using Output = span<double>;
/** Three components. */
using Vector3 = std::array<double, 3>;
/** A pose, 4 × 4, row-major: the position [m] is the last column. */
using Pose = std::array<double, 16>;

/** Message of the last error of this thread. */
inline std::string error_message() { return armdyn_error_message(); }

#ifdef ARMDYN_NO_EXCEPTIONS

/** A value, or the status of an error. */
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status status) : status_(status) {}

    /** Whether there is a value. */
    explicit operator bool() const noexcept { return value_.has_value(); }
    Status status() const noexcept { return status_; }
    /** The value; there must be one. */
    T& operator*() & noexcept { return *value_; }
    const T& operator*() const& noexcept { return *value_; }
    T&& operator*() && noexcept { return std::move(*value_); }
    T* operator->() noexcept { return &*value_; }
    const T* operator->() const noexcept { return &*value_; }

private:
    std::optional<T> value_;
    Status status_ = ARMDYN_STATUS_OK;
};

using Done = Status;
template <class T>
using Outcome = Result<T>;

namespace detail {
inline Done done(Status status) noexcept { return status; }
template <class T, class Value>
Outcome<T> outcome(Status status, Value&& value) {
    if (status != ARMDYN_STATUS_OK) return status;
    return T(std::forward<Value>(value));
}
}  // namespace detail

#else

/** An error of armdyn: what is wrong, where, and what to do. */
class Error : public std::runtime_error {
public:
    Error(Status status, const char* message) : std::runtime_error(message), status_(status) {}
    /** The kind of the error. */
    Status status() const noexcept { return status_; }

private:
    Status status_;
};

using Done = void;
template <class T>
using Outcome = T;

namespace detail {
inline Done done(Status status) {
    if (status != ARMDYN_STATUS_OK) throw Error(status, armdyn_error_message());
}
template <class T, class Value>
Outcome<T> outcome(Status status, Value&& value) {
    done(status);
    return T(std::forward<Value>(value));
}
}  // namespace detail

#endif

namespace detail {
inline std::string text(const char* text) { return text == nullptr ? std::string() : std::string(text); }
}  // namespace detail

/** Where a joint's numbers are in q, and in qd, qdd and tau. */
struct JointRange {
    std::size_t first_q = 0, q_count = 0, first_v = 0, v_count = 0;
};

/** The tool: its link, and its pose in the link's frame. */
struct Tool {
    std::size_t link = 0;
    Pose pose{};
};

/**
 * A robot: links, joints, drives, payloads, gravity. It never changes; copies share it, also between threads. One that was not loaded
 * (`Robot()`) has no joints, and all computations with it fail.
 */
class Robot {
public:
    /** No robot. */
    Robot() noexcept = default;

    /** Loads a bundled robot by its name, or a file: TOML, URDF, xacro or MJCF. */
    static Outcome<Robot> load(const std::string& name_or_path) {
        ArmdynRobot* robot = nullptr;
        const Status status = armdyn_robot_load(name_or_path.c_str(), &robot);
        return detail::outcome<Robot>(status, robot);
    }
    /** Loads a robot from text, such as ROS 2's `robot_description`. */
    static Outcome<Robot> load_text(std::string_view text, ArmdynTextFormat format = ARMDYN_FORMAT_AUTO) {
        ArmdynRobot* robot = nullptr;
        const Status status = armdyn_robot_load_text(text.data(), text.size(), format, &robot);
        return detail::outcome<Robot>(status, robot);
    }

    /** With a payload [kg]: a point mass at `centre` [m] in the frame of the tool, or of a link. */
    Outcome<Robot> with_payload(double mass, const Vector3& centre = {}, std::size_t link = ARMDYN_TOOL) const {
        ArmdynRobot* robot = nullptr;
        const Status status =
            armdyn_robot_with_payload(get(), link, mass, centre.data(), centre.size(), nullptr, 0, &robot);
        return detail::outcome<Robot>(status, robot);
    }
    /** With a payload that has an inertia tensor about its centre of mass: xx, xy, xz, yy, yz, zz [kg m²]. */
    Outcome<Robot> with_payload(double mass, const Vector3& centre, const std::array<double, 6>& inertia,
                                std::size_t link = ARMDYN_TOOL) const {
        ArmdynRobot* robot = nullptr;
        const Status status = armdyn_robot_with_payload(get(), link, mass, centre.data(), centre.size(), inertia.data(),
                                                        inertia.size(), &robot);
        return detail::outcome<Robot>(status, robot);
    }
    /** Without its payloads. */
    Outcome<Robot> without_payloads() const {
        ArmdynRobot* robot = nullptr;
        const Status status = armdyn_robot_without_payloads(get(), &robot);
        return detail::outcome<Robot>(status, robot);
    }
    /** With another gravity [m/s²]. */
    Outcome<Robot> with_gravity(const Vector3& gravity) const {
        ArmdynRobot* robot = nullptr;
        const Status status = armdyn_robot_with_gravity(get(), gravity.data(), gravity.size(), &robot);
        return detail::outcome<Robot>(status, robot);
    }
    /** Without friction in its joints. */
    Outcome<Robot> without_friction() const {
        ArmdynRobot* robot = nullptr;
        const Status status = armdyn_robot_without_friction(get(), &robot);
        return detail::outcome<Robot>(status, robot);
    }
    /** With joints locked at their positions in `q` (nq). */
    Outcome<Robot> with_locked(span<const std::size_t> joints, Input q) const {
        ArmdynRobot* robot = nullptr;
        const Status status =
            armdyn_robot_with_locked(get(), joints.data(), joints.size(), q.data(), q.size(), &robot);
        return detail::outcome<Robot>(status, robot);
    }

    /** Number of joint positions: length of q. */
    std::size_t nq() const noexcept { return armdyn_robot_nq(get()); }
    /** Number of degrees of freedom: length of qd, qdd and tau. */
    std::size_t nv() const noexcept { return armdyn_robot_nv(get()); }
    /** Number of joints, fixed ones included. */
    std::size_t joint_count() const noexcept { return armdyn_robot_joint_count(get()); }
    /** Number of links; link 0 is the base. */
    std::size_t link_count() const noexcept { return armdyn_robot_link_count(get()); }
    /** Mass [kg], payloads and base included. */
    double mass() const noexcept { return armdyn_robot_mass(get()); }
    std::string name() const { return detail::text(armdyn_robot_name(get())); }
    /** Findings about its file: a line each. */
    std::string findings() const { return detail::text(armdyn_robot_findings(get())); }
    /** Empty if there is no such joint. */
    std::string joint_name(std::size_t joint) const { return detail::text(armdyn_robot_joint_name(get(), joint)); }
    /** Empty if there is no such link. */
    std::string link_name(std::size_t link) const { return detail::text(armdyn_robot_link_name(get(), link)); }
    /** Names of the degrees of freedom: the elements of qd, qdd and tau. */
    std::vector<std::string> dof_names() const {
        std::vector<std::string> names;
        for (std::size_t v = 0; v < nv(); ++v) names.push_back(detail::text(armdyn_robot_dof_name(get(), v)));
        return names;
    }
    /** Names of the coordinates: the elements of q. */
    std::vector<std::string> coordinate_names() const {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < nq(); ++k) names.push_back(detail::text(armdyn_robot_coordinate_name(get(), k)));
        return names;
    }
    /** Whether a degree of freedom is rotational (rad, N m), not translational (m, N). */
    bool is_rotational(std::size_t dof) const noexcept { return armdyn_robot_is_rotational(get(), dof); }

    /** Index of a link. */
    Outcome<std::size_t> link(const std::string& name) const {
        std::size_t link = 0;
        const Status status = armdyn_robot_link_index(get(), name.c_str(), &link);
        return detail::outcome<std::size_t>(status, link);
    }
    /** Index of a joint. */
    Outcome<std::size_t> joint(const std::string& name) const {
        std::size_t joint = 0;
        const Status status = armdyn_robot_joint_index(get(), name.c_str(), &joint);
        return detail::outcome<std::size_t>(status, joint);
    }
    /** Where a joint's numbers are in q, and in qd, qdd and tau. */
    Outcome<JointRange> joint_range(std::size_t joint) const {
        JointRange r;
        const Status status =
            armdyn_robot_joint_range(get(), joint, &r.first_q, &r.q_count, &r.first_v, &r.v_count);
        return detail::outcome<JointRange>(status, r);
    }
    /** A limit of each degree of freedom (nv), infinite where there is none. */
    Outcome<std::vector<double>> limits(ArmdynLimit limit) const {
        std::vector<double> limits(nv());
        const Status status = armdyn_robot_limits(get(), limit, limits.data(), limits.size());
        return detail::outcome<std::vector<double>>(status, std::move(limits));
    }
    /** Names of the parameters: the columns of the regressor. */
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < armdyn_robot_parameter_count(get()); ++k) {
            names.push_back(detail::text(armdyn_robot_parameter_name(get(), k)));
        }
        return names;
    }
    /** Values of the parameters p, of which torques are the regressor times p. */
    Outcome<std::vector<double>> parameters() const {
        std::vector<double> values(armdyn_robot_parameter_count(get()));
        const Status status = armdyn_robot_parameters(get(), values.data(), values.size());
        return detail::outcome<std::vector<double>>(status, std::move(values));
    }
    /** Gravity [m/s²]. */
    Outcome<Vector3> gravity() const {
        Vector3 gravity{};
        const Status status = armdyn_robot_gravity(get(), gravity.data(), gravity.size());
        return detail::outcome<Vector3>(status, gravity);
    }
    /** The tool. */
    Outcome<Tool> tool() const {
        Tool tool;
        const Status status = armdyn_robot_tool(get(), &tool.link, tool.pose.data(), tool.pose.size());
        return detail::outcome<Tool>(status, tool);
    }
    /** The configuration in which every joint is at its placement (nq). */
    Outcome<std::vector<double>> neutral() const {
        std::vector<double> q(nq());
        const Status status = armdyn_robot_neutral(get(), q.data(), q.size());
        return detail::outcome<std::vector<double>>(status, std::move(q));
    }
    /** q (nq) moved by v (nv). */
    Done integrate(Input q, Input v, Output next) const {
        return detail::done(
            armdyn_robot_integrate(get(), q.data(), q.size(), v.data(), v.size(), next.data(), next.size()));
    }
    /** The v (nv) that moves `from` (nq) to `to` (nq). */
    Done difference(Input from, Input to, Output v) const {
        return detail::done(
            armdyn_robot_difference(get(), from.data(), from.size(), to.data(), to.size(), v.data(), v.size()));
    }

    /** Whether there is a robot. */
    explicit operator bool() const noexcept { return robot_ != nullptr; }
    /** The handle of the C interface; it belongs to this object. */
    const ArmdynRobot* get() const noexcept { return robot_.get(); }

    /** Takes ownership of a handle of the C interface. */
    explicit Robot(ArmdynRobot* robot) : robot_(robot, armdyn_robot_release) {}

private:
    std::shared_ptr<ArmdynRobot> robot_;
};

/**
 * Memory for the computations of a robot, so that calls allocate nothing. One thread at a time may use it. It keeps what it needs of the
 * robot.
 */
class Data {
public:
    /** No memory: all calls fail. */
    Data() noexcept = default;

    /** Memory for a robot. */
    static Outcome<Data> create(const Robot& robot) {
        ArmdynData* data = nullptr;
        const Status status = armdyn_data_create(robot.get(), &data);
        return detail::outcome<Data>(status, Data(data, robot.nv()));
    }
#ifndef ARMDYN_NO_EXCEPTIONS
    /** Memory for a robot. */
    explicit Data(const Robot& robot) : Data(create(robot)) {}
#endif

    /** Adds an external wrench, on the frame of a link or of the tool: force [N] and moment [N m], in its axes. */
    Done add_wrench(const Vector3& force, const Vector3& moment, std::size_t link = ARMDYN_TOOL) {
        return detail::done(
            armdyn_data_add_wrench(get(), link, force.data(), force.size(), moment.data(), moment.size()));
    }
    /** Removes all external wrenches. */
    Done clear_wrenches() { return detail::done(armdyn_data_clear_wrenches(get())); }

    /** Inverse dynamics: torques (nv). */
    Done rnea(Input q, Input qd, Input qdd, Output tau) {
        return detail::done(armdyn_rnea(get(), q.data(), q.size(), qd.data(), qd.size(), qdd.data(), qdd.size(),
                                        tau.data(), tau.size()));
    }
    /** Inverse dynamics: torques (nv). */
    Outcome<std::vector<double>> rnea(Input q, Input qd, Input qdd) {
        return vector(nv_, [&](double* out, std::size_t size) {
            return armdyn_rnea(get(), q.data(), q.size(), qd.data(), qd.size(), qdd.data(), qdd.size(), out, size);
        });
    }
    /** Forward dynamics: accelerations (nv). */
    Done aba(Input q, Input qd, Input tau, Output qdd) {
        return detail::done(armdyn_aba(get(), q.data(), q.size(), qd.data(), qd.size(), tau.data(), tau.size(),
                                       qdd.data(), qdd.size()));
    }
    /** Forward dynamics: accelerations (nv). */
    Outcome<std::vector<double>> aba(Input q, Input qd, Input tau) {
        return vector(nv_, [&](double* out, std::size_t size) {
            return armdyn_aba(get(), q.data(), q.size(), qd.data(), qd.size(), tau.data(), tau.size(), out, size);
        });
    }
    /** Mass matrix (nv × nv). */
    Done crba(Input q, Output mass) {
        return detail::done(armdyn_crba(get(), q.data(), q.size(), mass.data(), mass.size()));
    }
    /** Mass matrix (nv × nv). */
    Outcome<std::vector<double>> crba(Input q) {
        return vector(nv_ * nv_, [&](double* out, std::size_t size) {
            return armdyn_crba(get(), q.data(), q.size(), out, size);
        });
    }
    /** Inverse of the mass matrix (nv × nv). */
    Done minverse(Input q, Output inverse) {
        return detail::done(armdyn_minverse(get(), q.data(), q.size(), inverse.data(), inverse.size()));
    }
    /** Inverse of the mass matrix (nv × nv). */
    Outcome<std::vector<double>> minverse(Input q) {
        return vector(nv_ * nv_, [&](double* out, std::size_t size) {
            return armdyn_minverse(get(), q.data(), q.size(), out, size);
        });
    }
    /** Coriolis matrix (nv × nv). */
    Done coriolis(Input q, Input qd, Output matrix) {
        return detail::done(
            armdyn_coriolis(get(), q.data(), q.size(), qd.data(), qd.size(), matrix.data(), matrix.size()));
    }
    /** Coriolis matrix (nv × nv). */
    Outcome<std::vector<double>> coriolis(Input q, Input qd) {
        return vector(nv_ * nv_, [&](double* out, std::size_t size) {
            return armdyn_coriolis(get(), q.data(), q.size(), qd.data(), qd.size(), out, size);
        });
    }
    /** Gravity torques (nv). */
    Done gravity(Input q, Output tau) {
        return detail::done(armdyn_gravity(get(), q.data(), q.size(), tau.data(), tau.size()));
    }
    /** Gravity torques (nv). */
    Outcome<std::vector<double>> gravity(Input q) {
        return vector(nv_, [&](double* out, std::size_t size) {
            return armdyn_gravity(get(), q.data(), q.size(), out, size);
        });
    }
    /** Bias torques without friction (nv). */
    Done bias(Input q, Input qd, Output tau) {
        return detail::done(armdyn_bias(get(), q.data(), q.size(), qd.data(), qd.size(), tau.data(), tau.size()));
    }
    /** Bias torques without friction (nv). */
    Outcome<std::vector<double>> bias(Input q, Input qd) {
        return vector(nv_, [&](double* out, std::size_t size) {
            return armdyn_bias(get(), q.data(), q.size(), qd.data(), qd.size(), out, size);
        });
    }
    /** Derivatives of inverse dynamics by q and by qd (nv × nv each). */
    Done rnea_derivatives(Input q, Input qd, Input qdd, Output dtau_dq, Output dtau_dqd) {
        return detail::done(armdyn_rnea_derivatives(get(), q.data(), q.size(), qd.data(), qd.size(), qdd.data(),
                                                    qdd.size(), dtau_dq.data(), dtau_dq.size(), dtau_dqd.data(),
                                                    dtau_dqd.size()));
    }
    /** Derivatives of forward dynamics by q, by qd and by tau (nv × nv each). */
    Done aba_derivatives(Input q, Input qd, Input tau, Output dqdd_dq, Output dqdd_dqd, Output dqdd_dtau) {
        return detail::done(armdyn_aba_derivatives(get(), q.data(), q.size(), qd.data(), qd.size(), tau.data(),
                                                   tau.size(), dqdd_dq.data(), dqdd_dq.size(), dqdd_dqd.data(),
                                                   dqdd_dqd.size(), dqdd_dtau.data(), dqdd_dtau.size()));
    }
    /** The wrench of each joint on its child link (joints × 6): force, then moment. */
    Done joint_wrenches(Input q, Input qd, Input qdd, Output wrenches, ArmdynFrame frame = ARMDYN_FRAME_LOCAL) {
        return detail::done(armdyn_joint_wrenches(get(), q.data(), q.size(), qd.data(), qd.size(), qdd.data(),
                                                  qdd.size(), frame, wrenches.data(), wrenches.size()));
    }
    /** Forward kinematics, which `pose` and `jacobian` read. */
    Done kinematics(Input q) { return detail::done(armdyn_kinematics(get(), q.data(), q.size())); }
    /** Pose of the tool or a link, or of a point of it (3 numbers [m]), at the configuration of the last `kinematics`. */
    Outcome<Pose> pose(std::size_t link = ARMDYN_TOOL, Input point = {}) const {
        Pose pose{};
        const Status status = armdyn_pose(get(), link, point.data(), point.size(), pose.data(), pose.size());
        return detail::outcome<Pose>(status, pose);
    }
    /** Jacobian (6 × nv) of the tool or a link, or of a point of it (3 numbers [m]), at the configuration of the last `kinematics`. */
    Done jacobian(Output jacobian, std::size_t link = ARMDYN_TOOL,
                  ArmdynFrame frame = ARMDYN_FRAME_LOCAL_WORLD_ALIGNED, Input point = {}) {
        return detail::done(
            armdyn_jacobian(get(), link, point.data(), point.size(), frame, jacobian.data(), jacobian.size()));
    }
    /** Velocity and acceleration (6 each: linear, then angular) of the tool or a link, or of a point of it (3 numbers [m]). */
    Done motion(Input q, Input qd, Input qdd, Output velocity, Output acceleration, std::size_t link = ARMDYN_TOOL,
                Input point = {}) {
        return detail::done(armdyn_motion(get(), q.data(), q.size(), qd.data(), qd.size(), qdd.data(), qdd.size(), link,
                                          point.data(), point.size(), velocity.data(), velocity.size(),
                                          acceleration.data(), acceleration.size()));
    }

    /** Whether there is memory. */
    explicit operator bool() const noexcept { return data_ != nullptr; }
    /** The handle of the C interface; it belongs to this object. */
    ArmdynData* get() const noexcept { return data_.get(); }

private:
    struct Release {
        void operator()(ArmdynData* data) const noexcept { armdyn_data_release(data); }
    };

    Data(ArmdynData* data, std::size_t nv) noexcept : data_(data), nv_(nv) {}

    template <class Call>
    static Outcome<std::vector<double>> vector(std::size_t size, Call&& call) {
        std::vector<double> values(size);
        const Status status = call(values.data(), values.size());
        return detail::outcome<std::vector<double>>(status, std::move(values));
    }

    std::unique_ptr<ArmdynData, Release> data_;
    std::size_t nv_ = 0;
};

namespace detail {

/** The functions of the C interface for a precision. */
template <class T>
struct Functions;
template <>
struct Functions<double> {
    using Handle = ArmdynProgram;
    static constexpr auto compile = armdyn_program_compile;
    static constexpr auto release = armdyn_program_release;
    static constexpr auto outputs = armdyn_program_outputs;
    static constexpr auto backend = armdyn_program_backend;
    static constexpr auto call = armdyn_program_call;
    static constexpr auto batch = armdyn_program_batch;
};
template <>
struct Functions<float> {
    using Handle = ArmdynProgramF32;
    static constexpr auto compile = armdyn_program_f32_compile;
    static constexpr auto release = armdyn_program_f32_release;
    static constexpr auto outputs = armdyn_program_f32_outputs;
    static constexpr auto backend = armdyn_program_f32_backend;
    static constexpr auto call = armdyn_program_f32_call;
    static constexpr auto batch = armdyn_program_f32_batch;
};

}  // namespace detail

/** One quantity of one robot, compiled to machine code. Copies share it, also between threads. */
template <class T>
class BasicProgram {
    using Functions = detail::Functions<T>;
    using Handle = typename Functions::Handle;

public:
    /** No program: all calls fail. */
    BasicProgram() noexcept = default;

    /** Compiles a quantity of a robot, in some milliseconds. */
    static Outcome<BasicProgram> compile(const Robot& robot, ArmdynQuantity quantity) {
        Handle* program = nullptr;
        const Status status = Functions::compile(robot.get(), quantity, &program);
        return detail::outcome<BasicProgram>(status, program);
    }

    /** Number of results of a state. */
    std::size_t outputs() const noexcept { return Functions::outputs(get()); }
    /** How single calls are computed. */
    std::string backend() const { return detail::text(Functions::backend(get())); }

    /** A quantity of q, qd and qdd (or tau). */
    Done call(span<const T> q, span<const T> qd, span<const T> last, span<T> out) const {
        return detail::done(Functions::call(get(), q.data(), q.size(), qd.data(), qd.size(), last.data(), last.size(),
                                            out.data(), out.size()));
    }
    /** A quantity of q and qd. */
    Done call(span<const T> q, span<const T> qd, span<T> out) const { return call(q, qd, {}, out); }
    /** A quantity of q. */
    Done call(span<const T> q, span<T> out) const { return call(q, {}, {}, out); }

    /**
     * Many states: rows of q, qd and qdd (or tau; empty where the quantity does not depend on them) and of the results. `valid` is empty or
     * has a flag for each state, 1 if it has a result. If a state is invalid, its row is NaN, all others are computed, and the error is
     * `ARMDYN_STATUS_INVALID_STATES`.
     */
    Done batch(std::size_t states, span<const T> q, span<const T> qd, span<const T> last, span<T> out,
               span<std::uint8_t> valid = {}) const {
        return detail::done(Functions::batch(get(), states, q.data(), q.size(), qd.data(), qd.size(), last.data(),
                                             last.size(), out.data(), out.size(), valid.data(), valid.size()));
    }

    /** Whether there is a program. */
    explicit operator bool() const noexcept { return program_ != nullptr; }
    /** The handle of the C interface; it belongs to this object. */
    const Handle* get() const noexcept { return program_.get(); }

    /** Takes ownership of a handle of the C interface. */
    explicit BasicProgram(Handle* program) : program_(program, Functions::release) {}

private:
    std::shared_ptr<Handle> program_;
};

/** A program in double precision. */
using Program = BasicProgram<double>;
/** A program in single precision. */
using ProgramF32 = BasicProgram<float>;

}  // inline namespace
}  // namespace armdyn

#endif  // ARMDYN_ARMDYN_HPP
