/* The C interface: all functions against the closed form of a double pendulum, and every kind of error. */
#include <armdyn/armdyn.h>

#include "check.h"
#include "double_pendulum.h"

#include <stdlib.h>

/* Rounding errors of a few dozen operations on numbers of the size of the scale. */
#define TOLERANCE 1e-13

static const double Q[2] = {0.3, -0.8}, QD[2] = {1.2, -0.7}, QDD[2] = {-2.0, 3.0};
static const double SCALE = 50.0; /* largest torque [N m] */

static int message_has(const char *text) { return strstr(armdyn_error_message(), text) != NULL; }

/* A call that must fail with this status, and a message that has this text. */
#define CHECK_FAILS(call, expected, text)      \
    do {                                       \
        CHECK((call) == (expected));           \
        CHECK(message_has(text));              \
    } while (0)

static ArmdynRobot *load(void) {
    ArmdynRobot *robot = NULL;
    CHECK(armdyn_robot_load_text(DOUBLE_PENDULUM, strlen(DOUBLE_PENDULUM), ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_OK);
    return robot;
}

static void versions(void) {
    CHECK(strcmp(armdyn_version(), ARMDYN_VERSION) == 0);
    CHECK(armdyn_abi_version() == ARMDYN_ABI_VERSION);
    CHECK(strcmp(armdyn_status_name(ARMDYN_STATUS_WRONG_LENGTH), "wrong length") == 0);
    CHECK(strcmp(armdyn_status_name(ARMDYN_STATUS_INTERNAL), "internal error") == 0);
    CHECK(strcmp(armdyn_status_name(99), "unknown status") == 0);
}

static void names(const ArmdynRobot *robot) {
    size_t index = 99, first_q, q_count, first_v, v_count;
    double limits[2], gravity[3], pose[16], next[2], v[2];
    CHECK(armdyn_robot_nq(robot) == 2 && armdyn_robot_nv(robot) == 2);
    CHECK(armdyn_robot_joint_count(robot) == 3 && armdyn_robot_link_count(robot) == 4);
    CHECK(strcmp(armdyn_robot_name(robot), "double_pendulum") == 0);
    CHECK(strcmp(armdyn_robot_joint_name(robot, 2), "flange") == 0);
    CHECK(strcmp(armdyn_robot_link_name(robot, 3), "tool0") == 0);
    CHECK(strcmp(armdyn_robot_dof_name(robot, 1), "elbow") == 0);
    CHECK(strcmp(armdyn_robot_coordinate_name(robot, 0), "shoulder") == 0);
    CHECK(armdyn_robot_joint_name(robot, 3) == NULL && message_has("there is no joint 3"));
    CHECK(armdyn_robot_link_index(robot, "lower", &index) == ARMDYN_STATUS_OK && index == 2);
    CHECK(armdyn_robot_joint_index(robot, "elbow", &index) == ARMDYN_STATUS_OK && index == 1);
    CHECK(armdyn_robot_joint_range(robot, 1, &first_q, &q_count, &first_v, &v_count) == ARMDYN_STATUS_OK);
    CHECK(first_q == 1 && q_count == 1 && first_v == 1 && v_count == 1);
    CHECK(armdyn_robot_joint_range(robot, 2, &first_q, &q_count, &first_v, &v_count) == ARMDYN_STATUS_OK);
    CHECK(q_count == 0 && v_count == 0);
    CHECK(armdyn_robot_is_rotational(robot, 0) && !armdyn_robot_is_rotational(robot, 2));
    CHECK(armdyn_robot_limits(robot, ARMDYN_LIMIT_LOWER, limits, 2) == ARMDYN_STATUS_OK);
    CHECK(limits[0] == -2 && limits[1] == -INFINITY);
    CHECK(armdyn_robot_limits(robot, ARMDYN_LIMIT_UPPER, limits, 2) == ARMDYN_STATUS_OK && limits[0] == 2.5);
    CHECK(armdyn_robot_limits(robot, ARMDYN_LIMIT_VELOCITY, limits, 2) == ARMDYN_STATUS_OK && limits[1] == 4);
    CHECK(armdyn_robot_limits(robot, ARMDYN_LIMIT_EFFORT_LOWER, limits, 2) == ARMDYN_STATUS_OK && limits[0] == -40);
    CHECK(armdyn_robot_limits(robot, ARMDYN_LIMIT_EFFORT_UPPER, limits, 2) == ARMDYN_STATUS_OK && limits[1] == 20);
    CHECK(armdyn_robot_limits(robot, ARMDYN_LIMIT_CONTINUOUS, limits, 2) == ARMDYN_STATUS_OK && limits[1] == INFINITY);
    CHECK_CLOSE(armdyn_robot_mass(robot), M1 + M2, 1, TOLERANCE);
    CHECK(armdyn_robot_gravity(robot, gravity, 3) == ARMDYN_STATUS_OK && gravity[0] == 0 && gravity[2] == -G);
    CHECK(armdyn_robot_tool(robot, &index, pose, 16) == ARMDYN_STATUS_OK && index == 3);
    CHECK(pose[0] == 1 && pose[3] == 0 && pose[5] == 1 && pose[10] == 1 && pose[15] == 1);
    CHECK(armdyn_robot_neutral(robot, next, 2) == ARMDYN_STATUS_OK && next[0] == 0 && next[1] == 0);
    CHECK(armdyn_robot_integrate(robot, Q, 2, QD, 2, next, 2) == ARMDYN_STATUS_OK && next[0] == 0.3 + 1.2);
    CHECK(armdyn_robot_difference(robot, Q, 2, next, 2, v, 2) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(v[1], QD[1], 1, TOLERANCE);
    /* The base of this file has no inertia: a note, with its code. */
    CHECK(strstr(armdyn_robot_findings(robot), "note[A") != NULL);
}

static void dynamics(const ArmdynRobot *robot) {
    ArmdynData *data = NULL;
    double tau[2], expected[2], mass[4], inverse[4], found[4], qdd[2], dq[4], dqd[4], dtau[4];
    size_t k;
    CHECK(armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);

    pendulum_torques(Q, QD, QDD, 0, expected);
    CHECK(armdyn_rnea(data, Q, 2, QD, 2, QDD, 2, tau, 2) == ARMDYN_STATUS_OK);
    for (k = 0; k < 2; ++k) CHECK_CLOSE(tau[k], expected[k], SCALE, TOLERANCE);
    CHECK(armdyn_aba(data, Q, 2, QD, 2, expected, 2, qdd, 2) == ARMDYN_STATUS_OK);
    for (k = 0; k < 2; ++k) CHECK_CLOSE(qdd[k], QDD[k], SCALE, 10 * TOLERANCE); /* condition number of M: 10 */

    pendulum_gravity(Q, 0, expected);
    CHECK(armdyn_gravity(data, Q, 2, tau, 2) == ARMDYN_STATUS_OK);
    for (k = 0; k < 2; ++k) CHECK_CLOSE(tau[k], expected[k], SCALE, TOLERANCE);
    pendulum_bias(Q, QD, 0, expected);
    CHECK(armdyn_bias(data, Q, 2, QD, 2, tau, 2) == ARMDYN_STATUS_OK);
    for (k = 0; k < 2; ++k) CHECK_CLOSE(tau[k], expected[k], SCALE, TOLERANCE);

    pendulum_mass(Q, 0, mass);
    CHECK(armdyn_crba(data, Q, 2, found, 4) == ARMDYN_STATUS_OK);
    for (k = 0; k < 4; ++k) CHECK_CLOSE(found[k], mass[k], SCALE, TOLERANCE);
    CHECK(armdyn_minverse(data, Q, 2, inverse, 4) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(inverse[0], mass[3] / (mass[0] * mass[3] - mass[1] * mass[1]), SCALE, TOLERANCE);
    CHECK_CLOSE(inverse[1], -mass[1] / (mass[0] * mass[3] - mass[1] * mass[1]), SCALE, TOLERANCE);

    /* C = h [-qd2, -qd1 - qd2; qd1, 0], of Christoffel symbols. */
    CHECK(armdyn_coriolis(data, Q, 2, QD, 2, found, 4) == ARMDYN_STATUS_OK);
    {
        const double h = M2 * L1 * C2 * sin(Q[1]);
        const double c[4] = {-h * QD[1], -h * (QD[0] + QD[1]), h * QD[0], 0};
        for (k = 0; k < 4; ++k) CHECK_CLOSE(found[k], c[k], SCALE, TOLERANCE);
    }

    /* Derivatives, by central differences of the closed form: error h²/6 of the third derivative, rounding 1e-16/h. */
    CHECK(armdyn_rnea_derivatives(data, Q, 2, QD, 2, QDD, 2, dq, 4, dqd, 4) == ARMDYN_STATUS_OK);
    CHECK(armdyn_aba_derivatives(data, Q, 2, QD, 2, QDD, 2, found, 4, mass, 4, dtau, 4) == ARMDYN_STATUS_OK);
    for (k = 0; k < 2; ++k) {
        const double step = 1e-5;
        double up[2] = {Q[0], Q[1]}, down[2] = {Q[0], Q[1]}, a[2], b[2];
        up[k] += step, down[k] -= step;
        pendulum_torques(up, QD, QDD, 0, a), pendulum_torques(down, QD, QDD, 0, b);
        CHECK_CLOSE(dq[k], (a[0] - b[0]) / (2 * step), SCALE, 1e-9);
        CHECK_CLOSE(dq[2 + k], (a[1] - b[1]) / (2 * step), SCALE, 1e-9);
        up[0] = down[0] = QD[0], up[1] = down[1] = QD[1];
        up[k] += step, down[k] -= step;
        pendulum_torques(Q, up, QDD, 0, a), pendulum_torques(Q, down, QDD, 0, b);
        CHECK_CLOSE(dqd[k], (a[0] - b[0]) / (2 * step), SCALE, 1e-9);
        CHECK_CLOSE(dqd[2 + k], (a[1] - b[1]) / (2 * step), SCALE, 1e-9);
    }
    for (k = 0; k < 4; ++k) CHECK_CLOSE(dtau[k], inverse[k], SCALE, TOLERANCE);
    {
        /* M d(qdd)/d(qd) + d(tau)/d(qd) = 0; d(tau)/d(qd) does not depend on qdd. */
        double m[4], product;
        pendulum_mass(Q, 0, m);
        for (k = 0; k < 4; ++k) {
            product = m[2 * (k / 2)] * mass[k % 2] + m[2 * (k / 2) + 1] * mass[2 + k % 2];
            CHECK_CLOSE(product, -dqd[k], SCALE, TOLERANCE);
        }
    }
    armdyn_data_release(data);
}

static void kinematics(const ArmdynRobot *robot) {
    const double c1 = cos(0.3), s1 = sin(0.3), c12 = cos(-0.5), s12 = sin(-0.5), zero[2] = {0, 0}, point[3] = {-0.7, 0, 0};
    double pose[16], jacobian[12], velocity[6], acceleration[6], wrenches[18], tau[2];
    const double force[3] = {0, 0, -5}, moment[3] = {0, 2, 0};
    size_t tool;
    ArmdynData *data = NULL;
    CHECK(armdyn_robot_link_index(robot, "tool0", &tool) == ARMDYN_STATUS_OK);
    CHECK(armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);
    CHECK_FAILS(armdyn_pose(data, tool, NULL, 0, pose, 16), ARMDYN_STATUS_INVALID_ARGUMENT, "armdyn_kinematics");

    CHECK(armdyn_kinematics(data, Q, 2) == ARMDYN_STATUS_OK);
    CHECK(armdyn_pose(data, ARMDYN_TOOL, NULL, 0, pose, 16) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(pose[3], L1 * c1 + L2 * c12, 1, TOLERANCE);
    CHECK_CLOSE(pose[11], -L1 * s1 - L2 * s12, 1, TOLERANCE);
    CHECK_CLOSE(pose[0], c12, 1, TOLERANCE);
    CHECK_CLOSE(pose[2], s12, 1, TOLERANCE); /* a rotation about y: rows (c, 0, s), (0, 1, 0), (-s, 0, c) */
    CHECK_CLOSE(pose[8], -s12, 1, TOLERANCE);
    CHECK(pose[7] == 0 && pose[12] == 0 && pose[15] == 1);
    CHECK(armdyn_pose(data, tool, point, 3, pose, 16) == ARMDYN_STATUS_OK); /* back at the elbow */
    CHECK_CLOSE(pose[3], L1 * c1, 1, TOLERANCE);

    CHECK(armdyn_jacobian(data, tool, NULL, 0, ARMDYN_FRAME_LOCAL_WORLD_ALIGNED, jacobian, 12) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(jacobian[0], -L1 * s1 - L2 * s12, 1, TOLERANCE);
    CHECK_CLOSE(jacobian[1], -L2 * s12, 1, TOLERANCE);
    CHECK_CLOSE(jacobian[4], -L1 * c1 - L2 * c12, 1, TOLERANCE);
    CHECK_CLOSE(jacobian[5], -L2 * c12, 1, TOLERANCE);
    CHECK(jacobian[8] == 1 && jacobian[9] == 1 && jacobian[6] == 0 && jacobian[10] == 0);
    CHECK(armdyn_jacobian(data, tool, NULL, 0, ARMDYN_FRAME_LOCAL, jacobian, 12) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(jacobian[5], -L2, 1, TOLERANCE); /* the elbow moves the tool along -z of its link */
    CHECK(armdyn_jacobian(data, tool, NULL, 0, ARMDYN_FRAME_WORLD, jacobian, 12) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(jacobian[4], 0, 1, TOLERANCE); /* the point at the base's origin is on the shoulder's axis */

    /* v = J qd; with qdd = 0 the tool accelerates towards the shoulder and the elbow. */
    CHECK(armdyn_motion(data, Q, 2, QD, 2, zero, 2, ARMDYN_TOOL, NULL, 0, velocity, 6, acceleration, 6) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(velocity[0], (-L1 * s1 - L2 * s12) * QD[0] - L2 * s12 * QD[1], 1, TOLERANCE);
    CHECK_CLOSE(velocity[4], QD[0] + QD[1], 1, TOLERANCE);
    CHECK_CLOSE(acceleration[0], -L1 * c1 * QD[0] * QD[0] - L2 * c12 * 0.25, 1, TOLERANCE);
    CHECK_CLOSE(acceleration[2], L1 * s1 * QD[0] * QD[0] + L2 * s12 * 0.25, 1, TOLERANCE);

    /* At rest the shoulder carries all, the flange nothing; moments about y are the torques. */
    CHECK(armdyn_joint_wrenches(data, Q, 2, zero, 2, zero, 2, ARMDYN_FRAME_LOCAL_WORLD_ALIGNED, wrenches, 18) == ARMDYN_STATUS_OK);
    pendulum_gravity(Q, 0, tau);
    CHECK_CLOSE(wrenches[2], (M1 + M2) * G, SCALE, TOLERANCE);
    CHECK_CLOSE(wrenches[4], tau[0], SCALE, TOLERANCE);
    CHECK_CLOSE(wrenches[6 + 2], M2 * G, SCALE, TOLERANCE);
    CHECK_CLOSE(wrenches[6 + 4], tau[1], SCALE, TOLERANCE);
    CHECK(wrenches[12 + 2] == 0 && wrenches[12 + 4] == 0);

    /* Something pulls the tool along -z of its link with 5 N and turns it about y with 2 N m: the flange holds it. */
    CHECK(armdyn_data_add_wrench(data, ARMDYN_TOOL, force, 3, moment, 3) == ARMDYN_STATUS_OK);
    CHECK(armdyn_joint_wrenches(data, Q, 2, zero, 2, zero, 2, ARMDYN_FRAME_LOCAL, wrenches, 18) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(wrenches[12 + 2], 5, SCALE, TOLERANCE);
    CHECK_CLOSE(wrenches[12 + 4], -2, SCALE, TOLERANCE);
    {
        double loaded[2], unloaded[2], qdd[2];
        CHECK(armdyn_rnea(data, Q, 2, zero, 2, zero, 2, loaded, 2) == ARMDYN_STATUS_OK);
        CHECK_CLOSE(loaded[1], tau[1] - 5 * L2 - 2, SCALE, TOLERANCE);
        CHECK(armdyn_aba(data, Q, 2, zero, 2, loaded, 2, qdd, 2) == ARMDYN_STATUS_OK);
        CHECK_CLOSE(qdd[0], 0, SCALE, TOLERANCE);
        CHECK(armdyn_gravity(data, Q, 2, unloaded, 2) == ARMDYN_STATUS_OK);
        CHECK_CLOSE(unloaded[1], tau[1], SCALE, TOLERANCE);
        CHECK(armdyn_data_clear_wrenches(data) == ARMDYN_STATUS_OK);
        CHECK(armdyn_rnea(data, Q, 2, zero, 2, zero, 2, unloaded, 2) == ARMDYN_STATUS_OK);
        CHECK_CLOSE(unloaded[1], tau[1], SCALE, TOLERANCE);
    }

    /* A failed call of `armdyn_kinematics` leaves no configuration. */
    {
        const double wrong[2] = {0, NAN};
        CHECK_FAILS(armdyn_kinematics(data, wrong, 2), ARMDYN_STATUS_NOT_FINITE, "elbow");
        CHECK(armdyn_pose(data, tool, NULL, 0, pose, 16) == ARMDYN_STATUS_INVALID_ARGUMENT);
    }
    armdyn_data_release(data);
}

static void variants(const ArmdynRobot *robot) {
    ArmdynRobot *loaded = NULL, *bare = NULL, *upwards = NULL, *locked = NULL, *smooth = NULL;
    ArmdynData *data = NULL;
    const double origin[3] = {0, 0, 0}, tensor[6] = {1, 0, 0, 3, 0, 3}, up[3] = {0, 0, G};
    const size_t elbow = 1;
    double tau[2], expected[2], mass[4];

    CHECK(armdyn_robot_with_payload(robot, ARMDYN_TOOL, 3, origin, 3, NULL, 0, &loaded) == ARMDYN_STATUS_OK);
    CHECK(armdyn_data_create(loaded, &data) == ARMDYN_STATUS_OK);
    armdyn_robot_release(loaded); /* the workspace keeps what it needs */
    CHECK(armdyn_rnea(data, Q, 2, QD, 2, QDD, 2, tau, 2) == ARMDYN_STATUS_OK);
    pendulum_torques(Q, QD, QDD, 3, expected);
    CHECK_CLOSE(tau[0], expected[0], SCALE, TOLERANCE);
    CHECK_CLOSE(tau[1], expected[1], SCALE, TOLERANCE);
    armdyn_data_release(data);

    /* On a link, with a tensor. */
    CHECK(armdyn_robot_with_payload(robot, 3, 3, origin, 3, tensor, 6, &loaded) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(armdyn_robot_mass(loaded), M1 + M2 + 3, 1, TOLERANCE);
    CHECK(armdyn_data_create(loaded, &data) == ARMDYN_STATUS_OK);
    CHECK(armdyn_crba(data, Q, 2, mass, 4) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(mass[3], I2 + M2 * C2 * C2 + 3 * L2 * L2 + 3, SCALE, TOLERANCE);
    armdyn_data_release(data);
    CHECK(armdyn_robot_without_payloads(loaded, &bare) == ARMDYN_STATUS_OK);
    CHECK_CLOSE(armdyn_robot_mass(bare), M1 + M2, 1, TOLERANCE);

    CHECK(armdyn_robot_with_gravity(robot, up, 3, &upwards) == ARMDYN_STATUS_OK);
    CHECK(armdyn_data_create(upwards, &data) == ARMDYN_STATUS_OK);
    CHECK(armdyn_gravity(data, Q, 2, tau, 2) == ARMDYN_STATUS_OK);
    pendulum_gravity(Q, 0, expected);
    CHECK_CLOSE(tau[0], -expected[0], SCALE, TOLERANCE);
    armdyn_data_release(data);

    CHECK(armdyn_robot_with_locked(robot, &elbow, 1, Q, 2, &locked) == ARMDYN_STATUS_OK);
    CHECK(armdyn_robot_nv(locked) == 1 && strcmp(armdyn_robot_dof_name(locked, 0), "shoulder") == 0);
    CHECK(armdyn_data_create(locked, &data) == ARMDYN_STATUS_OK);
    CHECK(armdyn_crba(data, Q, 1, mass, 1) == ARMDYN_STATUS_OK);
    {
        double whole[4];
        pendulum_mass(Q, 0, whole);
        CHECK_CLOSE(mass[0], whole[0], SCALE, TOLERANCE);
    }
    armdyn_data_release(data);

    CHECK(armdyn_robot_without_friction(robot, &smooth) == ARMDYN_STATUS_OK);
    CHECK(armdyn_data_create(smooth, &data) == ARMDYN_STATUS_OK);
    CHECK(armdyn_rnea(data, Q, 2, QD, 2, QDD, 2, tau, 2) == ARMDYN_STATUS_OK);
    pendulum_torques(Q, QD, QDD, 0, expected);
    CHECK_CLOSE(tau[0], expected[0] - B1 * QD[0], SCALE, TOLERANCE);
    armdyn_data_release(data);

    armdyn_robot_release(loaded), armdyn_robot_release(bare), armdyn_robot_release(upwards);
    armdyn_robot_release(locked), armdyn_robot_release(smooth);
}

#define STATES 1003

static void programs(const ArmdynRobot *robot) {
    static double q[2 * STATES], qd[2 * STATES], qdd[2 * STATES], tau[2 * STATES];
    static float qf[2 * STATES], qdf[2 * STATES], qddf[2 * STATES], tauf[2 * STATES];
    static uint8_t valid[STATES];
    static const ArmdynQuantity all[] = {
        ARMDYN_QUANTITY_INVERSE, ARMDYN_QUANTITY_FORWARD, ARMDYN_QUANTITY_GRAVITY, ARMDYN_QUANTITY_BIAS,
        ARMDYN_QUANTITY_CORIOLIS, ARMDYN_QUANTITY_MASS, ARMDYN_QUANTITY_INVERSE_MASS, ARMDYN_QUANTITY_DERIVATIVES,
        ARMDYN_QUANTITY_FORWARD_DERIVATIVES, ARMDYN_QUANTITY_KINEMATICS, ARMDYN_QUANTITY_JACOBIAN};
    static const size_t outputs[] = {2, 2, 2, 2, 2, 4, 4, 8, 12, 12, 12}, inputs[] = {3, 3, 1, 2, 2, 1, 1, 3, 3, 1, 1};
    ArmdynProgram *program = NULL;
    ArmdynProgramF32 *single = NULL;
    ArmdynData *data = NULL;
    double out[12], expected[12], torques[2];
    size_t i, k;
    unsigned seed = 1;

    /* Single calls, against the closed form where there is one, else against the recursions, which were compared with it above. */
    CHECK(armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);
    pendulum_torques(Q, QD, QDD, 0, torques);
    for (i = 0; i < sizeof all / sizeof *all; ++i) {
        const double *last = all[i] == ARMDYN_QUANTITY_FORWARD || all[i] == ARMDYN_QUANTITY_FORWARD_DERIVATIVES ? torques : QDD;
        CHECK(armdyn_program_compile(robot, all[i], &program) == ARMDYN_STATUS_OK);
        CHECK(armdyn_program_outputs(program) == outputs[i]);
        CHECK(strlen(armdyn_program_backend(program)) > 0);
        CHECK(armdyn_program_call(program, Q, 2, inputs[i] > 1 ? QD : NULL, inputs[i] > 1 ? 2 : 0, inputs[i] > 2 ? last : NULL,
                                  inputs[i] > 2 ? 2 : 0, out, outputs[i]) == ARMDYN_STATUS_OK);
        switch (all[i]) {
        case ARMDYN_QUANTITY_INVERSE: memcpy(expected, torques, sizeof torques); break;
        case ARMDYN_QUANTITY_FORWARD: memcpy(expected, QDD, sizeof QDD); break;
        case ARMDYN_QUANTITY_GRAVITY: pendulum_gravity(Q, 0, expected); break;
        case ARMDYN_QUANTITY_BIAS: pendulum_bias(Q, QD, 0, expected); break;
        case ARMDYN_QUANTITY_CORIOLIS:
            pendulum_bias(Q, QD, 0, expected), pendulum_gravity(Q, 0, expected + 2);
            expected[0] -= expected[2], expected[1] -= expected[3];
            break;
        case ARMDYN_QUANTITY_MASS: pendulum_mass(Q, 0, expected); break;
        case ARMDYN_QUANTITY_INVERSE_MASS: CHECK(armdyn_minverse(data, Q, 2, expected, 4) == ARMDYN_STATUS_OK); break;
        case ARMDYN_QUANTITY_DERIVATIVES:
            CHECK(armdyn_rnea_derivatives(data, Q, 2, QD, 2, QDD, 2, expected, 4, expected + 4, 4) == ARMDYN_STATUS_OK);
            break;
        case ARMDYN_QUANTITY_FORWARD_DERIVATIVES:
            CHECK(armdyn_aba_derivatives(data, Q, 2, QD, 2, torques, 2, expected, 4, expected + 4, 4, expected + 8, 4) ==
                  ARMDYN_STATUS_OK);
            break;
        case ARMDYN_QUANTITY_KINEMATICS: {
            const double c12 = cos(-0.5), s12 = sin(-0.5);
            const double pose[12] = {c12, 0, s12, 0, 1, 0, -s12, 0, c12, L1 * cos(0.3) + L2 * c12, 0, -L1 * sin(0.3) - L2 * s12};
            memcpy(expected, pose, sizeof pose);
            break;
        }
        default:
            CHECK(armdyn_kinematics(data, Q, 2) == ARMDYN_STATUS_OK);
            CHECK(armdyn_jacobian(data, 3, NULL, 0, ARMDYN_FRAME_LOCAL_WORLD_ALIGNED, expected, 12) == ARMDYN_STATUS_OK);
        }
        for (k = 0; k < outputs[i]; ++k) CHECK_CLOSE(out[k], expected[k], SCALE, 1e-12);
        armdyn_program_release(program);
    }
    CHECK(armdyn_program_compile(robot, ARMDYN_QUANTITY_REGRESSOR, &program) == ARMDYN_STATUS_OK);
    {
        static double regressor[200], parameters[100];
        const size_t count = armdyn_robot_parameter_count(robot);
        CHECK(count > 0 && count <= 100 && armdyn_program_outputs(program) == 2 * count);
        CHECK(armdyn_robot_parameters(robot, parameters, count) == ARMDYN_STATUS_OK);
        CHECK(armdyn_robot_parameters(robot, parameters, count - 1) == ARMDYN_STATUS_WRONG_LENGTH);
        CHECK(strcmp(armdyn_robot_parameter_name(robot, 0), "upper.m") == 0 && parameters[0] == M1);
        CHECK(armdyn_robot_parameter_name(robot, count) == NULL);
        CHECK(armdyn_program_call(program, Q, 2, QD, 2, QDD, 2, regressor, 2 * count) == ARMDYN_STATUS_OK);
        for (k = 0; k < 2; ++k) {
            double sum = 0;
            for (i = 0; i < count; ++i) sum += regressor[k * count + i] * parameters[i];
            CHECK_CLOSE(sum, torques[k], SCALE, TOLERANCE);
        }
    }
    armdyn_program_release(program);
    armdyn_data_release(data);

    /* A batch in both precisions; states 7 and 1002 are invalid. */
    for (i = 0; i < 2 * STATES; ++i) {
        double *values[3];
        values[0] = &q[i], values[1] = &qd[i], values[2] = &qdd[i];
        for (k = 0; k < 3; ++k) {
            seed = seed * 1664525u + 1013904223u;
            *values[k] = (seed >> 8) / 8388608.0 - 1.0;
        }
        qf[i] = (float)q[i], qdf[i] = (float)qd[i], qddf[i] = (float)qdd[i];
    }
    CHECK(armdyn_program_compile(robot, ARMDYN_QUANTITY_INVERSE, &program) == ARMDYN_STATUS_OK);
    CHECK(armdyn_program_f32_compile(robot, ARMDYN_QUANTITY_INVERSE, &single) == ARMDYN_STATUS_OK);
    CHECK(armdyn_program_f32_outputs(single) == 2 && strlen(armdyn_program_f32_backend(single)) > 0);
    CHECK(armdyn_program_batch(program, STATES, q, 2 * STATES, qd, 2 * STATES, qdd, 2 * STATES, tau, 2 * STATES, NULL, 0) ==
          ARMDYN_STATUS_OK);
    CHECK(armdyn_program_f32_batch(single, STATES, qf, 2 * STATES, qdf, 2 * STATES, qddf, 2 * STATES, tauf, 2 * STATES, valid,
                                   STATES) == ARMDYN_STATUS_OK);
    for (i = 0; i < STATES; ++i) {
        pendulum_torques(&q[2 * i], &qd[2 * i], &qdd[2 * i], 0, expected);
        for (k = 0; k < 2; ++k) {
            CHECK_CLOSE(tau[2 * i + k], expected[k], SCALE, TOLERANCE);
            CHECK_CLOSE((double)tauf[2 * i + k], expected[k], SCALE, 1e-6); /* seven digits */
        }
        CHECK(valid[i] == 1);
    }
    {
        float one[2];
        CHECK(armdyn_program_f32_call(single, qf, 2, qdf, 2, qddf, 2, one, 2) == ARMDYN_STATUS_OK);
        CHECK(one[0] == tauf[0] && one[1] == tauf[1]);
        CHECK(armdyn_program_f32_call(single, qf, 2, qdf, 2, NULL, 0, one, 2) == ARMDYN_STATUS_WRONG_LENGTH);
    }
    qd[2 * 7] = NAN, q[2 * 1002 + 1] = INFINITY, qdf[2 * 7] = NAN, qf[2 * 1002 + 1] = INFINITY;
    CHECK_FAILS(armdyn_program_batch(program, STATES, q, 2 * STATES, qd, 2 * STATES, qdd, 2 * STATES, tau, 2 * STATES, valid, STATES),
                ARMDYN_STATUS_INVALID_STATES, "state 7: `qd` is not finite at `shoulder`");
    for (i = 0; i < STATES; ++i) {
        CHECK(valid[i] == (i != 7 && i != 1002));
        CHECK(isnan(tau[2 * i]) == (valid[i] == 0));
    }
    pendulum_torques(&q[2 * 8], &qd[2 * 8], &qdd[2 * 8], 0, expected);
    CHECK_CLOSE(tau[2 * 8], expected[0], SCALE, TOLERANCE);
    CHECK_FAILS(armdyn_program_f32_batch(single, STATES, qf, 2 * STATES, qdf, 2 * STATES, qddf, 2 * STATES, tauf, 2 * STATES, valid,
                                         STATES),
                ARMDYN_STATUS_INVALID_STATES, "2 states are invalid");
    for (i = 0; i < STATES; ++i) CHECK(valid[i] == (i != 7 && i != 1002));

    /* Lengths of batches, and numbers of states that no memory holds. */
    CHECK_FAILS(armdyn_program_batch(program, STATES, q, 2 * STATES - 1, qd, 2 * STATES, qdd, 2 * STATES, tau, 2 * STATES, NULL, 0),
                ARMDYN_STATUS_WRONG_LENGTH, "`q` has 2005 values");
    CHECK_FAILS(armdyn_program_batch(program, STATES, q, 2 * STATES, qd, 2 * STATES, qdd, 2 * STATES, tau, 2 * STATES, valid, 3),
                ARMDYN_STATUS_WRONG_LENGTH, "`valid` has 3");
    CHECK(armdyn_program_batch(program, SIZE_MAX, q, SIZE_MAX, qd, SIZE_MAX, qdd, SIZE_MAX, tau, SIZE_MAX, NULL, 0) ==
          ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_program_batch(program, SIZE_MAX / 2 + 1, q, 0, qd, 0, qdd, 0, tau, 0, NULL, 0) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK_FAILS(armdyn_program_batch(program, 2, q, 4, qd, 4, qdd, 4, tau, 4, (uint8_t *)tau, 2), ARMDYN_STATUS_INVALID_ARGUMENT,
                "overlaps");
    CHECK(armdyn_program_batch(program, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0) == ARMDYN_STATUS_OK);
    CHECK_FAILS(armdyn_program_call(program, q, 2, qd, 2, qdd, 2, tau, 3), ARMDYN_STATUS_WRONG_LENGTH, "`out` has 3");
    CHECK(armdyn_program_call(NULL, q, 2, qd, 2, qdd, 2, tau, 2) == ARMDYN_STATUS_NULL_POINTER);
    armdyn_program_release(program);
    armdyn_program_f32_release(single);
    CHECK_FAILS(armdyn_program_compile(robot, 99, &program), ARMDYN_STATUS_INVALID_ARGUMENT, "unknown quantity 99");
    CHECK(program == NULL);
    CHECK(armdyn_program_compile(NULL, ARMDYN_QUANTITY_MASS, &program) == ARMDYN_STATUS_NULL_POINTER);
    CHECK(armdyn_program_outputs(NULL) == 0 && armdyn_program_backend(NULL) == NULL);
    armdyn_program_release(NULL);
}

static void errors_of_loading(void) {
    static const char not_a_number[] = "<robot name='r'><link name='a'><inertial><mass value='heavy'/></inertial></link></robot>";
    static const char massless[] =
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/>"
        "<child link='b'/><axis xyz='0 0 1'/></joint></robot>";
    const double one = 0.5;
    double result;
    ArmdynRobot *robot = (ArmdynRobot *)&one;
    ArmdynData *data = NULL;
    CHECK_FAILS(armdyn_robot_load("pandda", &robot), ARMDYN_STATUS_NOT_FOUND, "did you mean `panda`?");
    CHECK(robot == NULL);
    CHECK_FAILS(armdyn_robot_load("no/such/file.urdf", &robot), ARMDYN_STATUS_INVALID_ROBOT, "no/such/file.urdf");
    CHECK_FAILS(armdyn_robot_load(NULL, &robot), ARMDYN_STATUS_NULL_POINTER, "`name_or_path` is null");
    CHECK_FAILS(armdyn_robot_load("panda", NULL), ARMDYN_STATUS_NULL_POINTER, "`robot` is null");
    CHECK_FAILS(armdyn_robot_load("\xff\xfe", &robot), ARMDYN_STATUS_INVALID_ARGUMENT, "not UTF-8");
    CHECK_FAILS(armdyn_robot_load_text(not_a_number, sizeof not_a_number - 1, ARMDYN_FORMAT_URDF, &robot),
                ARMDYN_STATUS_INVALID_ROBOT, "error[A005]");
    CHECK(message_has("<text>:1:") && message_has("heavy"));
    CHECK(armdyn_robot_load_text("<robot", 6, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_INVALID_ROBOT);
    CHECK(armdyn_robot_load_text("", 0, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_INVALID_ROBOT);
    CHECK(armdyn_robot_load_text(NULL, 0, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_INVALID_ROBOT);
    CHECK(armdyn_robot_load_text(NULL, 5, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_NULL_POINTER);
    CHECK(armdyn_robot_load_text("\xff", 1, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_INVALID_ARGUMENT);
    CHECK_FAILS(armdyn_robot_load_text("x", 1, 17, &robot), ARMDYN_STATUS_INVALID_ARGUMENT, "unknown format 17");
    CHECK(armdyn_robot_load_text("x", SIZE_MAX, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_WRONG_LENGTH);

    /* A joint that moves no inertia can be loaded, which a finding says; it has no forward dynamics and no tool. */
    CHECK(armdyn_robot_load_text(massless, sizeof massless - 1, ARMDYN_FORMAT_AUTO, &robot) == ARMDYN_STATUS_OK);
    CHECK(strstr(armdyn_robot_findings(robot), "error[A210]") != NULL);
    CHECK(armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);
    CHECK_FAILS(armdyn_aba(data, &one, 1, &one, 1, &one, 1, &result, 1), ARMDYN_STATUS_SINGULAR, "`j`");
    CHECK_FAILS(armdyn_minverse(data, &one, 1, &result, 1), ARMDYN_STATUS_SINGULAR, "`j`");
    CHECK(armdyn_kinematics(data, &one, 1) == ARMDYN_STATUS_OK);
    {
        double pose[16];
        CHECK_FAILS(armdyn_pose(data, ARMDYN_TOOL, NULL, 0, pose, 16), ARMDYN_STATUS_NOT_FOUND, "tool");
    }
    armdyn_data_release(data);
    armdyn_robot_release(robot);
}

static void errors_of_calls(const ArmdynRobot *robot) {
    const double wrong[2] = {NAN, 0}, endless[2] = {0, -INFINITY}, gravity[3] = {0, NAN, 0}, origin[3] = {0, 0, 0};
    double memory[32] = {0}, out[16];
    const size_t joints[1] = {7};
    size_t index;
    ArmdynData *data = NULL, *none = (ArmdynData *)memory;
    ArmdynRobot *other = NULL;
    CHECK(armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);

    /* Null. */
    CHECK_FAILS(armdyn_rnea(NULL, Q, 2, QD, 2, QDD, 2, out, 2), ARMDYN_STATUS_NULL_POINTER, "`data` is null");
    CHECK_FAILS(armdyn_rnea(data, NULL, 2, QD, 2, QDD, 2, out, 2), ARMDYN_STATUS_NULL_POINTER, "`q` is null");
    CHECK_FAILS(armdyn_rnea(data, Q, 2, QD, 2, QDD, 2, NULL, 2), ARMDYN_STATUS_NULL_POINTER, "`tau` is null");
    CHECK(armdyn_data_create(NULL, &none) == ARMDYN_STATUS_NULL_POINTER && none == NULL);
    CHECK(armdyn_data_create(robot, NULL) == ARMDYN_STATUS_NULL_POINTER);
    CHECK(armdyn_robot_nq(NULL) == 0 && armdyn_robot_name(NULL) == NULL && armdyn_robot_link_name(NULL, 0) == NULL);
    CHECK(armdyn_robot_findings(NULL) == NULL && armdyn_robot_mass(NULL) == 0 && !armdyn_robot_is_rotational(NULL, 0));
    CHECK(armdyn_robot_limits(NULL, ARMDYN_LIMIT_LOWER, out, 2) == ARMDYN_STATUS_NULL_POINTER);
    CHECK(armdyn_robot_link_index(robot, NULL, &index) == ARMDYN_STATUS_NULL_POINTER);
    CHECK(armdyn_robot_link_index(robot, "upper", NULL) == ARMDYN_STATUS_NULL_POINTER);
    armdyn_robot_release(NULL), armdyn_data_release(NULL);

    /* Lengths. */
    CHECK_FAILS(armdyn_rnea(data, Q, 1, QD, 2, QDD, 2, out, 2), ARMDYN_STATUS_WRONG_LENGTH, "`q` has 1 values; the model requires 2");
    CHECK_FAILS(armdyn_rnea(data, Q, 2, QD, 3, QDD, 2, out, 2), ARMDYN_STATUS_WRONG_LENGTH, "`qd` has 3");
    CHECK_FAILS(armdyn_aba(data, Q, 2, QD, 2, QDD, 2, out, 16), ARMDYN_STATUS_WRONG_LENGTH, "`qdd` has 16");
    CHECK(armdyn_crba(data, Q, 2, out, 2) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_minverse(data, Q, 2, out, 5) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_coriolis(data, Q, 2, QD, 2, out, 5) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_gravity(data, Q, 2, out, 0) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_bias(data, Q, 2, QD, 0, out, 2) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_rnea_derivatives(data, Q, 2, QD, 2, QDD, 2, out, 4, memory, 5) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_aba_derivatives(data, Q, 2, QD, 2, QDD, 2, out, 4, memory, 4, memory + 4, 3) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_joint_wrenches(data, Q, 2, QD, 2, QDD, 2, ARMDYN_FRAME_LOCAL, memory, 12) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_kinematics(data, Q, SIZE_MAX) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_kinematics(data, Q, 2) == ARMDYN_STATUS_OK);
    CHECK(armdyn_pose(data, 1, origin, 2, out, 16) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_pose(data, 1, NULL, 0, out, 12) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_jacobian(data, 1, NULL, 0, ARMDYN_FRAME_LOCAL, out, 6) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_motion(data, Q, 2, QD, 2, QDD, 2, 1, NULL, 0, out, 6, memory, 5) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_data_add_wrench(data, 1, origin, 2, origin, 3) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_robot_gravity(robot, out, 2) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_robot_with_gravity(robot, origin, 2, &other) == ARMDYN_STATUS_WRONG_LENGTH && other == NULL);
    CHECK(armdyn_robot_with_payload(robot, ARMDYN_TOOL, 1, origin, 3, memory, 5, &other) == ARMDYN_STATUS_WRONG_LENGTH);
    CHECK(armdyn_robot_with_locked(robot, joints, 1, Q, 1, &other) == ARMDYN_STATUS_WRONG_LENGTH);

    /* Numbers that are not finite; nothing of the result is read, and the next call works. */
    CHECK_FAILS(armdyn_rnea(data, wrong, 2, QD, 2, QDD, 2, out, 2), ARMDYN_STATUS_NOT_FINITE, "`q` is not finite at `shoulder`");
    CHECK_FAILS(armdyn_rnea(data, Q, 2, endless, 2, QDD, 2, out, 2), ARMDYN_STATUS_NOT_FINITE, "`qd` is not finite at `elbow`");
    CHECK_FAILS(armdyn_aba(data, Q, 2, QD, 2, wrong, 2, out, 2), ARMDYN_STATUS_NOT_FINITE, "`tau`");
    CHECK(armdyn_crba(data, wrong, 2, out, 4) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_minverse(data, wrong, 2, out, 4) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_gravity(data, wrong, 2, out, 2) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_bias(data, Q, 2, wrong, 2, out, 2) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_coriolis(data, Q, 2, wrong, 2, out, 4) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_rnea_derivatives(data, Q, 2, QD, 2, wrong, 2, out, 4, memory, 4) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_aba_derivatives(data, Q, 2, QD, 2, wrong, 2, out, 4, memory, 4, memory + 4, 4) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_joint_wrenches(data, Q, 2, QD, 2, wrong, 2, ARMDYN_FRAME_LOCAL, memory, 18) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_motion(data, Q, 2, QD, 2, wrong, 2, 1, NULL, 0, out, 6, memory, 6) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_data_add_wrench(data, 1, gravity, 3, origin, 3) == ARMDYN_STATUS_NOT_FINITE);
    CHECK(armdyn_robot_with_gravity(robot, gravity, 3, &other) == ARMDYN_STATUS_NOT_FINITE && other == NULL);
    CHECK(armdyn_robot_with_payload(robot, ARMDYN_TOOL, NAN, origin, 3, NULL, 0, &other) == ARMDYN_STATUS_NOT_FINITE);
    CHECK_FAILS(armdyn_robot_with_payload(robot, ARMDYN_TOOL, -1, origin, 3, NULL, 0, &other), ARMDYN_STATUS_INVALID_ARGUMENT,
                "negative mass");
    CHECK(armdyn_rnea(data, Q, 2, QD, 2, QDD, 2, out, 2) == ARMDYN_STATUS_OK);

    /* Memory: not aligned, overlapping; states in place are refused rather than computed wrongly. */
    CHECK_FAILS(armdyn_gravity(data, (const double *)((const char *)memory + 4), 2, out, 2), ARMDYN_STATUS_INVALID_ARGUMENT,
                "not aligned");
    CHECK_FAILS(armdyn_aba(data, Q, 2, QD, 2, memory, 2, memory + 1, 2), ARMDYN_STATUS_INVALID_ARGUMENT,
                "`qdd` overlaps `tau`");
    CHECK(armdyn_rnea_derivatives(data, Q, 2, QD, 2, QDD, 2, memory, 4, memory + 3, 4) == ARMDYN_STATUS_INVALID_ARGUMENT);
    CHECK(armdyn_rnea(data, Q, 2, Q, 2, Q, 2, memory, 2) == ARMDYN_STATUS_OK); /* inputs may */

    /* Indices, constants and names. */
    CHECK_FAILS(armdyn_pose(data, 4, NULL, 0, out, 16), ARMDYN_STATUS_INVALID_ARGUMENT, "there is no link 4; the robot has 4");
    CHECK_FAILS(armdyn_jacobian(data, 1, NULL, 0, 9, memory, 12), ARMDYN_STATUS_INVALID_ARGUMENT, "unknown frame");
    CHECK(armdyn_jacobian(data, 1, NULL, 0, ARMDYN_FRAME_PARENT, memory, 12) == ARMDYN_STATUS_INVALID_ARGUMENT);
    CHECK(armdyn_joint_wrenches(data, Q, 2, QD, 2, QDD, 2, -1, memory, 18) == ARMDYN_STATUS_INVALID_ARGUMENT);
    CHECK_FAILS(armdyn_robot_limits(robot, 6, out, 2), ARMDYN_STATUS_INVALID_ARGUMENT, "unknown limit 6");
    CHECK_FAILS(armdyn_robot_with_locked(robot, joints, 1, Q, 2, &other), ARMDYN_STATUS_INVALID_ARGUMENT, "there is no joint 7");
    CHECK_FAILS(armdyn_robot_link_index(robot, "wrist", &index), ARMDYN_STATUS_NOT_FOUND, "no link `wrist`");
    CHECK_FAILS(armdyn_robot_joint_index(robot, "wrist", &index), ARMDYN_STATUS_NOT_FOUND, "no joint `wrist`");
    CHECK(armdyn_robot_joint_range(robot, 3, &index, &index, &index, &index) == ARMDYN_STATUS_INVALID_ARGUMENT);
    index = 77; /* nothing is written if one of several results is wrong */
    CHECK_FAILS(armdyn_robot_joint_range(robot, 1, &index, &index, &index, NULL), ARMDYN_STATUS_NULL_POINTER, "`v_count`");
    CHECK(armdyn_robot_tool(robot, &index, out, 15) == ARMDYN_STATUS_WRONG_LENGTH && index == 77);
    out[0] = 77;
    CHECK(armdyn_robot_tool(robot, NULL, out, 16) == ARMDYN_STATUS_NULL_POINTER && out[0] == 77);
    CHECK(armdyn_robot_with_payload(robot, 12, 1, origin, 3, NULL, 0, &other) == ARMDYN_STATUS_INVALID_ARGUMENT);
    CHECK(armdyn_bundled_name(armdyn_bundled_count()) == NULL);
    armdyn_data_release(data);
}

/* Each bundled robot loads and can be computed. */
static void bundled_robots(void) {
    size_t k, panda = 0;
    for (k = 0; k < armdyn_bundled_count(); ++k) {
        ArmdynRobot *robot = NULL;
        ArmdynData *data = NULL;
        double q[64], tau[64];
        CHECK(armdyn_robot_load(armdyn_bundled_name(k), &robot) == ARMDYN_STATUS_OK);
        CHECK(armdyn_robot_nq(robot) <= 64 && armdyn_data_create(robot, &data) == ARMDYN_STATUS_OK);
        CHECK(armdyn_robot_neutral(robot, q, armdyn_robot_nq(robot)) == ARMDYN_STATUS_OK);
        CHECK(armdyn_gravity(data, q, armdyn_robot_nq(robot), tau, armdyn_robot_nv(robot)) == ARMDYN_STATUS_OK);
        panda += strcmp(armdyn_bundled_name(k), "panda") == 0;
        armdyn_data_release(data);
        armdyn_robot_release(robot);
    }
    CHECK(k > 20 && panda == 1);
}

int main(void) {
    ArmdynRobot *robot = load();
    if (robot == NULL) return 1;
    CHECK(strcmp(armdyn_error_message(), "") == 0);
    versions();
    names(robot);
    dynamics(robot);
    kinematics(robot);
    variants(robot);
    programs(robot);
    errors_of_loading();
    errors_of_calls(robot);
    bundled_robots();
    armdyn_robot_release(robot);
    return check_result();
}
