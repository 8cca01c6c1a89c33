// All computations against what Pinocchio 4.1.0 computed for the same robots (crates/armdyn-testkit/data/peers).
//
//   golden FOLDER
//
// The robots are written as URDF, and loaded as ROS 2 passes them: as text.
#include <armdyn/armdyn.hpp>

#include "check.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace {

// A value of a JSON file: a number, a text, a list or an object.
struct Json {
    double number = 0;
    std::string text;
    std::vector<Json> list;
    std::map<std::string, Json> object;

    const Json& operator[](const char* key) const { return object.at(key); }

    // All numbers of nested lists, in order.
    std::vector<double> numbers() const {
        if (list.empty()) return {number};
        std::vector<double> all;
        for (const Json& item : list) {
            const std::vector<double> part = item.numbers();
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }
};

// A reader for the files of this repository, which have no escapes.
class Reader {
public:
    explicit Reader(std::string text) : text_(std::move(text)) {}

    Json value() {
        Json json;
        switch (peek()) {
        case '{':
            ++at_;
            while (peek() != '}') {
                std::string key = quoted();
                ++(peek(), at_);  // the colon
                json.object[key] = value();
                if (peek() == ',') ++at_;
            }
            ++at_;
            break;
        case '[':
            ++at_;
            while (peek() != ']') {
                json.list.push_back(value());
                if (peek() == ',') ++at_;
            }
            ++at_;
            break;
        case '"': json.text = quoted(); break;
        default: {
            char* end = nullptr;
            json.number = std::strtod(&text_[at_], &end);
            if (end == &text_[at_]) throw std::runtime_error("not a number: " + text_.substr(at_, 20));
            at_ = static_cast<std::size_t>(end - text_.data());
        }
        }
        return json;
    }

private:
    char peek() {
        at_ = text_.find_first_not_of(" \n\r\t", at_);
        return text_.at(at_);
    }
    std::string quoted() {
        peek();
        const std::size_t end = text_.find('"', at_ + 1);
        std::string found = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return found;
    }

    std::string text_;
    std::size_t at_ = 0;
};

Json read(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error("cannot read " + path);
    return Reader(text.str()).value();
}

// The robot as URDF: roll, pitch and yaw of the placements.
std::string urdf(const Json& robot) {
    std::ostringstream out;
    out.precision(17);
    out << "<robot name='" << robot["name"].text << "'><link name='world'/>";
    std::vector<std::string> links{"world"};
    for (const Json& j : robot["joints"].list) {
        const std::vector<double> r = j["R"].numbers(), p = j["p"].numbers(), c = j["com"].numbers(), i = j["I"].numbers();
        const std::vector<double> axis = j["axis"].numbers();
        const double pitch = std::atan2(-r[6], std::hypot(r[7], r[8]));
        const double roll = std::atan2(r[7], r[8]), yaw = std::atan2(r[3], r[0]);
        const bool floats = j["type"].text == "JointModelFreeFlyer";
        const std::string name = j["name"].text, link = name + "_link";
        out << "<link name='" << link << "'><inertial><origin xyz='" << c[0] << ' ' << c[1] << ' ' << c[2] << "'/><mass value='"
            << j["mass"].number << "'/><inertia ixx='" << i[0] << "' ixy='" << i[1] << "' ixz='" << i[2] << "' iyy='" << i[3]
            << "' iyz='" << i[4] << "' izz='" << i[5] << "'/></inertial></link><joint name='" << name << "' type='"
            << (floats ? "floating" : "continuous") << "'><parent link='" << links[static_cast<std::size_t>(j["parent"].number)]
            << "'/><child link='" << link << "'/><origin xyz='" << p[0] << ' ' << p[1] << ' ' << p[2] << "' rpy='" << roll << ' '
            << pitch << ' ' << yaw << "'/>";
        if (!floats) out << "<axis xyz='" << axis[0] << ' ' << axis[1] << ' ' << axis[2] << "'/>";
        out << "</joint>";
        links.push_back(link);
    }
    out << "</robot>";
    return out.str();
}

// Numbers that agree, relative to the largest of them.
void compare(const char* what, armdyn::Input found, const std::vector<double>& expected, double tolerance) {
    double scale = 1e-300, error = 0;
    CHECK(found.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        scale = std::fmax(scale, std::fabs(expected[k]));
        // Not fmax, which drops NaN.
        const double difference = std::fabs(found[k] - expected[k]);
        if (!(difference <= error)) error = difference;
    }
    ++check_count;
    if (!(error <= tolerance * scale)) {
        ++check_failures;
        std::printf("%s differs by %.3g of %.3g\n", what, error, scale);
    }
}

// A compiled program of a quantity, against Pinocchio.
void compare_program(const char* what, const armdyn::Robot& robot, ArmdynQuantity quantity, armdyn::Input q, armdyn::Input qd,
                     armdyn::Input last, const std::vector<double>& expected, double tolerance) {
    const armdyn::Program program = armdyn::Program::compile(robot, quantity);
    std::vector<double> out(program.outputs());
    program.call(q, qd, last, out);
    compare(what, out, expected, tolerance);
}

void compare_robot(const std::string& folder, const std::string& name) {
    const Json file = read(folder + "/" + name + ".json"), golden = read(folder + "/" + name + ".golden.json");
    const armdyn::Robot robot = armdyn::Robot::load_text(urdf(file));
    armdyn::Data data(robot);
    const std::size_t n = robot.nv(), last = robot.link_count() - 1;
    CHECK(robot.nq() == static_cast<std::size_t>(golden["nq"].number) && n == static_cast<std::size_t>(golden["nv"].number));
    std::vector<double> a(n * n), b(n * n), c(n * n), jacobian(6 * n);
    // Rounding errors of the placements (1e-16) and of both libraries; forward dynamics multiplies them by the condition number of M,
    // 1e4 to 1e5 for these robots.
    const double tolerance = 1e-12, inverted = 1e-9;
    for (const Json& s : golden["samples"].list) {
        const std::vector<double> q = s["q"].numbers(), qd = s["qd"].numbers(), qdd = s["qdd"].numbers(), tau = s["tau_in"].numbers();
        compare("rnea", data.rnea(q, qd, qdd), s["tau"].numbers(), tolerance);
        compare("crba", data.crba(q), s["M"].numbers(), tolerance);
        compare("minverse", data.minverse(q), s["Minv"].numbers(), inverted);
        compare("gravity", data.gravity(q), s["g"].numbers(), tolerance);
        compare("bias", data.bias(q, qd), s["nle"].numbers(), tolerance);
        compare("aba", data.aba(q, qd, tau), s["aba_qdd"].numbers(), inverted);
        data.rnea_derivatives(q, qd, qdd, a, b);
        compare("dtau_dq", a, s["dtau_dq"].numbers(), tolerance);
        compare("dtau_dqd", b, s["dtau_dqd"].numbers(), tolerance);
        data.aba_derivatives(q, qd, tau, a, b, c);
        compare("dqdd_dq", a, s["ddq_dq"].numbers(), inverted);
        compare("dqdd_dqd", b, s["ddq_dqd"].numbers(), inverted);
        compare("dqdd_dtau", c, s["Minv"].numbers(), inverted);
        data.kinematics(q);
        compare("pose", data.pose(last), s["last_joint_pose"].numbers(), tolerance);
        data.jacobian(jacobian, last);
        compare("jacobian", jacobian, s["last_joint_jacobian_LWA"].numbers(), tolerance);
    }
    if (n > 10) return;  // compiled: arms only, for time
    const Json& s = golden["samples"].list.front();
    const std::vector<double> q = s["q"].numbers(), qd = s["qd"].numbers(), qdd = s["qdd"].numbers(), tau = s["tau_in"].numbers();
    compare_program("inverse", robot, ARMDYN_QUANTITY_INVERSE, q, qd, qdd, s["tau"].numbers(), tolerance);
    compare_program("forward", robot, ARMDYN_QUANTITY_FORWARD, q, qd, tau, s["aba_qdd"].numbers(), inverted);
    compare_program("mass", robot, ARMDYN_QUANTITY_MASS, q, {}, {}, s["M"].numbers(), tolerance);
    compare_program("gravity", robot, ARMDYN_QUANTITY_GRAVITY, q, {}, {}, s["g"].numbers(), tolerance);
    compare_program("bias", robot, ARMDYN_QUANTITY_BIAS, q, qd, {}, s["nle"].numbers(), tolerance);
    compare_program("jacobian", robot, ARMDYN_QUANTITY_JACOBIAN, q, {}, {}, s["last_joint_jacobian_LWA"].numbers(), tolerance);

    // A batch of all samples.
    const std::size_t states = golden["samples"].list.size();
    std::vector<double> rows[3], expected;
    for (const Json& sample : golden["samples"].list) {
        const char* keys[] = {"q", "qd", "qdd"};
        for (std::size_t k = 0; k < 3; ++k) {
            const std::vector<double> values = sample[keys[k]].numbers();
            rows[k].insert(rows[k].end(), values.begin(), values.end());
        }
        const std::vector<double> torques = sample["tau"].numbers();
        expected.insert(expected.end(), torques.begin(), torques.end());
    }
    std::vector<double> out(states * n);
    armdyn::Program::compile(robot, ARMDYN_QUANTITY_INVERSE).batch(states, rows[0], rows[1], rows[2], out);
    compare("batch", out, expected, tolerance);
    std::vector<float> single(states * n), rows_f32[3];
    for (std::size_t k = 0; k < 3; ++k)
        for (const double x : rows[k]) rows_f32[k].push_back(static_cast<float>(x));
    armdyn::ProgramF32::compile(robot, ARMDYN_QUANTITY_INVERSE).batch(states, rows_f32[0], rows_f32[1], rows_f32[2], single);
    compare("batch in single precision", std::vector<double>(single.begin(), single.end()), expected, 1e-5);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    for (const char* name : {"panda", "ur5", "puma560", "talos_ff"}) {
        try {
            compare_robot(argv[1], name);
        } catch (const std::exception& error) {
            std::printf("%s: %s\n", name, error.what());
            ++check_failures;
        }
    }
    return check_result();
}
