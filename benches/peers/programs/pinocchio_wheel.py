#!/usr/bin/env python3
"""Pinocchio from Python, one call per state. Usage: pinocchio_wheel.py ROBOT-PATH SECONDS"""
import sys

import numpy as np
import pinocchio as pin
from peer_robot import Robot, error_of, median, report


def model_of(robot):
    model = pin.Model()
    model.gravity.linear = robot.gravity
    for k, (parent, kind, rotation, position, mass, center, inertia) in enumerate(robot.joints):
        joint = pin.JointModelFreeFlyer() if kind == "free" else pin.JointModelRZ()
        number = model.addJoint(parent, joint, pin.SE3(rotation, position), f"joint{k}")
        model.appendBodyToJoint(number, pin.Inertia(mass, center, inertia), pin.SE3.Identity())
    return model


def main():
    robot, seconds = Robot(sys.argv[1]), float(sys.argv[2])
    model = model_of(robot)
    data = model.createData()
    q, qd, qdd, tau = (list(rows) for rows in (robot.q, robot.qd, robot.qdd, robot.tau))

    def mass(i):
        upper = np.triu(pin.crba(model, data, q[i]))
        return upper + np.triu(upper, 1).T

    algorithms = {
        "rnea": (lambda i: pin.rnea(model, data, q[i], qd[i], qdd[i]), None, robot.inverse),
        "crba": (lambda i: pin.crba(model, data, q[i]), mass, robot.mass),
        "aba": (lambda i: pin.aba(model, data, q[i], qd[i], tau[i]), None, robot.forward),
        "drnea": (
            lambda i: pin.computeRNEADerivatives(model, data, q[i], qd[i], qdd[i]),
            lambda i: np.array(pin.computeRNEADerivatives(model, data, q[i], qd[i], qdd[i])[:2]),
            robot.derivatives,
        ),
    }
    for name, (call, result, expected) in algorithms.items():
        error = error_of(expected, map(result or call, range(robot.checked)))
        report(name, median(seconds, robot.states, call), error)


if __name__ == "__main__":
    main()
