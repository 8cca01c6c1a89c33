#!/usr/bin/env python3
"""C code of one robot by CasADi: recursions over its SX, common subexpressions shared.

    casadi_generate.py ROBOT-PATH FOLDER COMPILER…

Writes FOLDER/NAME_ALGORITHM.{c,so} and prints the seconds for both. Robots: what `armdyn-benches --export` writes, with revolute joints. The
recursions are those of Luh, Walker & Paul, and of composite and articulated bodies, in link frames; the derivatives are CasADi's.
"""
import json
import subprocess
import sys
import time

import casadi as ca
import numpy as np
from peer_robot import Robot


MAPPED = 512  # states of the mapped inverse dynamics


def constant(values):
    return ca.SX(ca.sparsify(ca.DM(values)))


def cleaned(rotation):
    for exact in (-1.0, 0.0, 1.0):
        rotation[np.abs(rotation - exact) < 1e-9] = exact
    return rotation


class Arm(Robot):
    """A fixed-base robot with revolute joints, whose rotations are cleaned of rounding errors so that CasADi may fold them."""

    def __init__(self, path):
        super().__init__(path)
        assert all(kind == "revolute" for _, kind, *_ in self.joints), "only revolute joints"
        self.n = self.nv
        self.joints = [(parent, cleaned(rotation), *rest) for parent, _, rotation, *rest in self.joints]

    def rotation(self, i, angle):
        """Link frame to parent's: the placement, then the turn about z."""
        c, s = ca.cos(angle), ca.sin(angle)
        turn = ca.SX(3, 3)
        turn[0, 0], turn[0, 1], turn[1, 0], turn[1, 1], turn[2, 2] = c, -s, s, c, 1
        return constant(self.joints[i][1]) @ turn

    def children_first(self):
        return reversed(range(self.n))


def inverse(robot, q, qd, qdd):
    zero = ca.SX(3, 1)
    motion, forces, moments = {-1: (zero, zero, constant(-robot.gravity))}, [], []
    z = constant([0, 0, 1])
    frames = []
    for i, (parent, _, position, mass, center, inertia) in enumerate(robot.joints):
        r, p, c, tensor = robot.rotation(i, q[i]), constant(position), constant(center), constant(inertia)
        w, wd, a = motion[parent - 1]
        a = r.T @ (a + ca.cross(wd, p) + ca.cross(w, ca.cross(w, p)))
        before = r.T @ w
        wd = r.T @ wd + z * qdd[i] + ca.cross(before, z * qd[i])
        w = before + z * qd[i]
        force = mass * (a + ca.cross(wd, c) + ca.cross(w, ca.cross(w, c)))
        motion[i] = w, wd, a
        frames.append((r, p))
        forces.append(force)
        moments.append(tensor @ wd + ca.cross(w, tensor @ w) + ca.cross(c, force))
    tau = [None] * robot.n
    for i in robot.children_first():
        (r, p), parent = frames[i], robot.joints[i][0] - 1
        tau[i] = moments[i][2]
        if parent >= 0:
            f = r @ forces[i]
            forces[parent] += f
            moments[parent] += r @ moments[i] + ca.cross(p, f)
    return ca.vertcat(*tau)


def spatial_inertia(mass, center, inertia):
    """About the frame's origin, angular coordinates first."""
    x, y, z = center
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return constant(np.block([[inertia + mass * skew @ skew.T, mass * skew], [mass * skew.T, mass * np.eye(3)]]))


def motion_transform(r, position):
    """Motions of the parent's frame to the link's."""
    skew = constant([[0, -position[2], position[1]], [position[2], 0, -position[0]], [-position[1], position[0], 0]])
    return ca.blockcat([[r.T, ca.SX(3, 3)], [-r.T @ skew, r.T]])


def mass(robot, q):
    composite = [spatial_inertia(*joint[3:]) for joint in robot.joints]
    transforms = [motion_transform(robot.rotation(i, q[i]), robot.joints[i][2]) for i in range(robot.n)]
    matrix = ca.SX(robot.n, robot.n)
    for i in robot.children_first():
        f = composite[i][:, 2]
        matrix[i, i] = f[2]
        k = i
        while (parent := robot.joints[k][0] - 1) >= 0:
            f = transforms[k].T @ f
            k = parent
            matrix[i, k] = matrix[k, i] = f[2]
        parent = robot.joints[i][0] - 1
        if parent >= 0:
            composite[parent] += transforms[i].T @ composite[i] @ transforms[i]
    return matrix


def forward(robot, q, qd, tau):
    n = robot.n
    transforms = [motion_transform(robot.rotation(i, q[i]), robot.joints[i][2]) for i in range(n)]
    velocity, bias, inertia, force = {-1: ca.SX(6, 1)}, [], [], []
    for i, joint in enumerate(robot.joints):
        v = transforms[i] @ velocity[joint[0] - 1]
        w, u = v[:3], v[3:]
        turn = ca.vertcat(0, 0, qd[i])
        bias.append(ca.vertcat(ca.cross(w, turn), ca.cross(u, turn)))
        w = w + turn
        velocity[i] = ca.vertcat(w, u)
        tensor = spatial_inertia(*joint[3:])
        momentum = tensor @ velocity[i]
        inertia.append(tensor)
        force.append(ca.vertcat(ca.cross(w, momentum[:3]) + ca.cross(u, momentum[3:]), ca.cross(w, momentum[3:])))
    columns, pivots, rest = [None] * n, [None] * n, [None] * n
    for i in robot.children_first():
        columns[i] = inertia[i][:, 2]
        pivots[i], rest[i] = 1 / columns[i][2], tau[i] - force[i][2]
        parent = robot.joints[i][0] - 1
        if parent >= 0:
            articulated = inertia[i] - columns[i] @ (columns[i].T * pivots[i])
            through = force[i] + articulated @ bias[i] + columns[i] * (pivots[i] * rest[i])
            inertia[parent] += transforms[i].T @ articulated @ transforms[i]
            force[parent] += transforms[i].T @ through
    acceleration, qdd = {-1: constant([0, 0, 0, *-robot.gravity])}, []
    for i in range(n):
        a = transforms[i] @ acceleration[robot.joints[i][0] - 1] + bias[i]
        qdd.append(pivots[i] * (rest[i] - columns[i].T @ a))
        acceleration[i] = a + ca.vertcat(0, 0, qdd[i], 0, 0, 0)
    return ca.vertcat(*qdd)


def rows(*matrices):
    """Matrices by rows, one after the other, dense as all other results are."""
    return ca.densify(ca.vertcat(*(ca.vec(m.T) for m in matrices)))


def expressions(robot):
    q, qd, last = (ca.SX.sym(name, robot.n) for name in ("q", "qd", "last"))
    tau, qdd = inverse(robot, q, qd, last), forward(robot, q, qd, last)
    by_state, inverse_mass = [ca.jacobian(tau, x) for x in (q, qd)], ca.jacobian(qdd, last)
    # Of the accelerations by those of the torques: less code than differentiating the articulated bodies.
    results = {
        "rnea": tau,
        "crba": rows(mass(robot, q)),
        "aba": qdd,
        "drnea": rows(*by_state),
        "daba": rows(*(-inverse_mass @ ca.substitute(m, last, qdd) for m in by_state), inverse_mass),
    }
    functions = {name: ca.Function("compute", [q, qd, last], [ca.cse(result)]) for name, result in results.items()}
    many = [ca.MX.sym(name, robot.n, MAPPED) for name in ("q", "qd", "last")]
    mapped = ca.Function("one", [q, qd, last], [ca.cse(tau)]).map(MAPPED)
    return {**functions, "map": ca.Function("compute", many, [mapped(*many)])}


def main():
    source, folder, *compiler = sys.argv[1:]
    robot = Arm(source)
    start = time.perf_counter()
    for algorithm, function in expressions(robot).items():
        name = f"{robot.name}_{algorithm}"
        code = ca.CodeGenerator(f"{name}.c", {"with_header": False})
        code.add(function)
        code.generate(f"{folder}/")
        generated = time.perf_counter()
        subprocess.run([*compiler, "-shared", "-fPIC", f"{folder}/{name}.c", "-o", f"{folder}/{name}.so", "-lm"], check=True)
        end = time.perf_counter()
        print(json.dumps({"algo": algorithm, "generate_s": round(generated - start, 3), "compile_s": round(end - generated, 3),
                          "instructions": function.n_instructions()}), flush=True)
        start = time.perf_counter()


if __name__ == "__main__":
    main()
