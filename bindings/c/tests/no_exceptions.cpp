// The C++ interface with status codes, in one program with files that use exceptions.
#define ARMDYN_NO_EXCEPTIONS
#include <armdyn/armdyn.hpp>

#include "check.h"
#include "double_pendulum.h"

int status_codes() {
    const armdyn::Result<armdyn::Robot> robot = armdyn::Robot::load_text(DOUBLE_PENDULUM);
    CHECK(robot && robot.status() == ARMDYN_STATUS_OK && robot->nv() == 2);
    armdyn::Result<armdyn::Robot> missing = armdyn::Robot::load("pandda");
    CHECK(!missing && missing.status() == ARMDYN_STATUS_NOT_FOUND);
    CHECK(armdyn::error_message().find("did you mean `panda`?") != std::string::npos);
    CHECK(*robot->link("lower") == 2 && robot->link("wrist").status() == ARMDYN_STATUS_NOT_FOUND);
    CHECK(!armdyn::Data::create(armdyn::Robot()));

    armdyn::Data data = *armdyn::Data::create(*robot);
    const double q[2] = {0.3, -0.8}, zero[2] = {0, 0};
    double tau[2], expected[2];
    pendulum_gravity(q, 0, expected);
    CHECK(data.rnea(q, zero, zero, tau) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(tau[0], expected[0], 50, 1e-13);
    CHECK_CLOSE((*data.gravity(q))[1], expected[1], 50, 1e-13);
    CHECK(data.rnea(q, zero, armdyn::Input(zero, 1), tau) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(data.pose().status() == ARMDYN_STATUS_INVALID_ARGUMENT);
    CHECK(data.kinematics(q) == ARMDYN_STATUS_OK && data.pose());

    const armdyn::Program program = *armdyn::Program::compile(*robot->with_payload(3.0), ARMDYN_QUANTITY_GRAVITY);
    CHECK(program.call(q, tau) == ARMDYN_STATUS_OK);
    pendulum_gravity(q, 3, expected);
    CHECK_CLOSE(tau[0], expected[0], 50, 1e-13);
    return check_result();
}
