/* A double pendulum that swings about the y axes of its joints, as URDF text and in closed form. */
#ifndef DOUBLE_PENDULUM_H
#define DOUBLE_PENDULUM_H

#include <math.h>

/* Lengths, distances of the centres of mass, masses, moments of inertia about them, viscous friction of the shoulder, gravity. */
static const double L1 = 1.0, L2 = 0.7, C1 = 0.4, C2 = 0.3, M1 = 2.0, M2 = 1.5, I1 = 0.05, I2 = 0.02, B1 = 0.5, G = 9.81;

static const char *const DOUBLE_PENDULUM =
    "<robot name='double_pendulum'>"
    "<link name='base'/>"
    "<link name='upper'><inertial><origin xyz='0.4 0 0'/><mass value='2'/>"
    "<inertia ixx='0.05' ixy='0' ixz='0' iyy='0.05' iyz='0' izz='0.05'/></inertial></link>"
    "<link name='lower'><inertial><origin xyz='0.3 0 0'/><mass value='1.5'/>"
    "<inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.02'/></inertial></link>"
    "<link name='tool0'/>"
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>"
    "<limit lower='-2' upper='2.5' velocity='3' effort='40'/><dynamics damping='0.5'/></joint>"
    "<joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/><origin xyz='1 0 0'/>"
    "<axis xyz='0 1 0'/><limit velocity='4' effort='20'/></joint>"
    "<joint name='flange' type='fixed'><parent link='lower'/><child link='tool0'/><origin xyz='0.7 0 0'/></joint>"
    "</robot>";

/* The mass matrix, with a point mass at the tool. */
static inline void pendulum_mass(const double *q, double payload, double *mass) {
    const double c2 = cos(q[1]);
    mass[0] = I1 + M1 * C1 * C1 + I2 + M2 * (L1 * L1 + C2 * C2 + 2 * L1 * C2 * c2) +
              payload * (L1 * L1 + L2 * L2 + 2 * L1 * L2 * c2);
    mass[1] = mass[2] = I2 + M2 * (C2 * C2 + L1 * C2 * c2) + payload * (L2 * L2 + L1 * L2 * c2);
    mass[3] = I2 + M2 * C2 * C2 + payload * L2 * L2;
}

/* Gravity torques, with a point mass at the tool. A positive angle lowers a link: z = -l sin q. */
static inline void pendulum_gravity(const double *q, double payload, double *tau) {
    const double c1 = cos(q[0]), c12 = cos(q[0] + q[1]);
    tau[1] = -G * (M2 * C2 + payload * L2) * c12;
    tau[0] = -G * (M1 * C1 + M2 * L1 + payload * L1) * c1 + tau[1];
}

/* Gravity, Coriolis and centrifugal torques. */
static inline void pendulum_bias(const double *q, const double *qd, double payload, double *tau) {
    const double h = (M2 * L1 * C2 + payload * L1 * L2) * sin(q[1]);
    pendulum_gravity(q, payload, tau);
    tau[0] -= h * (2 * qd[0] * qd[1] + qd[1] * qd[1]);
    tau[1] += h * qd[0] * qd[0];
}

/* Torques of a motion, with friction. */
static inline void pendulum_torques(const double *q, const double *qd, const double *qdd, double payload, double *tau) {
    double mass[4];
    pendulum_bias(q, qd, payload, tau);
    pendulum_mass(q, payload, mass);
    tau[0] += mass[0] * qdd[0] + mass[1] * qdd[1] + B1 * qd[0];
    tau[1] += mass[2] * qdd[0] + mass[3] * qdd[1];
}

#endif
