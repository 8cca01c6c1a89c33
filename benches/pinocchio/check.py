#!/usr/bin/env python3
"""Pinocchio's torque of a robot that `armdyn-benches --export` wrote, at the state that the file has ours for. As JSON.

    check.py ROBOT.json
"""
import json
import sys

import numpy as np
import pinocchio as pin

KINDS = {"JointModelRZ": pin.JointModelRZ, "JointModelPZ": pin.JointModelPZ}


def main():
    robot = json.load(open(sys.argv[1]))
    model = pin.Model()
    model.gravity.linear = np.array(robot["gravity"])
    for k, j in enumerate(robot["joints"]):
        place = pin.SE3(np.array(j["R"]).reshape(3, 3), np.array(j["p"]))
        joint = model.addJoint(j["parent"], KINDS[j["type"]](), place, f"j{k}")
        xx, xy, xz, yy, yz, zz = j["I"]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(joint, pin.Inertia(j["mass"], np.array(j["com"]), inertia), pin.SE3.Identity())
    model.armature = np.array(robot["armature"])
    q = np.arange(1, robot["nv"] + 1) * 0.1
    print(json.dumps({"tau": pin.rnea(model, model.createData(), q, 2 * q, 3 * q).tolist()}))


if __name__ == "__main__":
    main()
