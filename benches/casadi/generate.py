#!/usr/bin/env python3
"""Inverse dynamics of one robot as C code by CasADi: a recursion over its SX, common subexpressions shared.

    generate.py ROBOT.json OUT.c      (robots: `armdyn-benches --export`, crates/armdyn-testkit/data/peers; CasADi: `pip install casadi`)

The recursion is that of Luh, Walker & Paul, in link frames, of revolute joints. Entries of the rotations within 1e-9 of
0 or ±1 are taken to be that, so that CasADi may fold them.
"""
import json
import sys

import casadi as ca
import numpy as np


def rotation(row, axis, angle):
    """Link frame to parent's: the placement, then the turn about the axis."""
    fixed = np.array(row, float).reshape(3, 3)
    for exact in (-1.0, 0.0, 1.0):
        fixed[np.abs(fixed - exact) < 1e-9] = exact
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    along = np.outer(axis, axis)
    fixed, skew, along, across = (ca.SX(ca.sparsify(ca.DM(m))) for m in (fixed, skew, along, np.eye(3) - along))
    return fixed @ (along + ca.cos(angle) * across + ca.sin(angle) * skew)


def inverse(robot):
    joints = robot["joints"]
    n = robot["nv"]
    assert all(j["nv"] == 1 and "R" in j["type"][10:] and j["parent"] == i for i, j in enumerate(joints)), "a chain of revolute joints"
    q, qd, qdd = (ca.SX.sym(name, n) for name in ("q", "qd", "qdd"))
    w, wd, a = ca.SX(3, 1), ca.SX(3, 1), ca.SX(ca.sparsify(ca.DM(-np.array(robot["gravity"]))))
    frames, forces, moments = [], [], []
    for i, j in enumerate(joints):
        r, p = rotation(j["R"], j["axis"], q[i]), ca.SX(ca.sparsify(ca.DM(j["p"])))
        axis, c = ca.SX(ca.sparsify(ca.DM(j["axis"]))), ca.SX(ca.sparsify(ca.DM(j["com"])))
        xx, xy, xz, yy, yz, zz = j["I"]
        inertia = ca.SX(ca.sparsify(ca.DM([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])))
        a = r.T @ (a + ca.cross(wd, p) + ca.cross(w, ca.cross(w, p)))
        w_before = r.T @ w
        wd = r.T @ wd + axis * qdd[i] + ca.cross(w_before, axis * qd[i])
        w = w_before + axis * qd[i]
        force = j["mass"] * (a + ca.cross(wd, c) + ca.cross(w, ca.cross(w, c)))
        frames.append((r, p, axis))
        forces.append(force)
        moments.append(inertia @ wd + ca.cross(w, inertia @ w) + ca.cross(c, force))
    tau = [None] * n
    f, m = ca.SX(3, 1), ca.SX(3, 1)
    for i in reversed(range(n)):
        f, m = f + forces[i], m + moments[i]
        r, p, axis = frames[i]
        tau[i] = axis.T @ m + robot["armature"][i] * qdd[i]
        f = r @ f
        m = r @ m + ca.cross(p, f)
    return ca.Function("inverse", [q, qd, qdd], [ca.cse(ca.vertcat(*tau))])


def main():
    source, target = sys.argv[1:]
    function = inverse(json.load(open(source)))
    name = target.rsplit("/", 1)[-1]
    folder = target[: -len(name)] or "./"
    code = ca.CodeGenerator(name, {"with_header": False})
    code.add(function)
    code.generate(folder)
    q = np.arange(1, function.size1_in(0) + 1) * 0.1
    print(json.dumps({"instructions": function.n_instructions(), "tau": function(q, 2 * q, 3 * q).full().ravel().tolist()}))


if __name__ == "__main__":
    main()
