// The C++ interface: torques, kinematics, compiled programs and batches.
#include <armdyn/armdyn.hpp>

#include <cstdio>
#include <vector>

int main() try {
    const armdyn::Robot robot = armdyn::Robot::load("panda");  // or a file, or Robot::load_text(robot_description)
    armdyn::Data data(robot);                                  // memory of one thread
    const std::vector<double> q(7, 0.3), qd(7, 0.1), qdd(7, 0.0);

    std::vector<double> tau(7), mass(7 * 7), jacobian(6 * 7);
    data.rnea(q, qd, qdd, tau);  // these calls allocate nothing
    data.crba(q, mass);
    data.kinematics(q);
    data.jacobian(jacobian);
    const armdyn::Pose tool = data.pose();
    std::printf("tau[1] = %.3f N m, M[1][1] = %.3f kg m2, tool at (%.3f, %.3f, %.3f) m\n", tau[1], mass[7 * 1 + 1], tool[3],
                tool[7], tool[11]);

    // Compiled for this robot in some milliseconds; 10,000 states in one call.
    const armdyn::Program inverse = armdyn::Program::compile(robot, ARMDYN_QUANTITY_INVERSE);
    inverse.call(q, qd, qdd, tau);
    const std::size_t states = 10000;
    std::vector<double> positions(states * 7), zero(states * 7), torques(states * 7);
    for (std::size_t k = 0; k < positions.size(); ++k) positions[k] = 1e-5 * static_cast<double>(k);
    inverse.batch(states, positions, zero, zero, torques);
    std::printf("compiled: tau[1] = %.3f N m; last state of the batch: %.3f N m\n", tau[1], torques[(states - 1) * 7 + 1]);

    try {
        armdyn::Robot::load("pandda");
    } catch (const armdyn::Error& error) {
        std::printf("%s: %s\n", armdyn_status_name(error.status()), error.what());
    }
    return 0;
} catch (const armdyn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
