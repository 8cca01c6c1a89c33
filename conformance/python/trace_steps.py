"""Every quantity of `armdyn trace`, recomputed from the robot's file by other means, and formulas by sympy.

Usage: trace_steps.py ARMDYN_BINARY

Nothing of armdyn is imported. Robots are read from their TOML files. Velocities and accelerations are derivatives of poses (Taylor
jets in time, no recursion); partial derivatives are complex steps; forces and torques of a link are integrals over its mass with the
second moments ∫ r rᵀ dm. Formulas are compared with the numeric steps at a state, and for small arms with sympy's own derivation.
"""

import itertools
import json
import math
import subprocess
import sys
import tomllib
import unicodedata
from pathlib import Path

import numpy as np
import sympy

ROBOTS = Path(__file__).resolve().parents[2] / "crates/armdyn-import/robots"
TOLERANCE = 1e-12
INCH, POUND_FORCE = 0.0254, 0.45359237 * 9.80665
UNITS = {
    "": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": INCH, "kg": 1.0, "g": 1e-3, "deg": math.pi / 180, "rad": 1.0,
    "kg-m2": 1.0, "oz-s2/in": POUND_FORCE / 16 / INCH, "oz-in-s2": POUND_FORCE / 16 * INCH,
}  # fmt: skip


def number(value):
    """A number, or a text with a unit."""
    if isinstance(value, str):
        parts = value.split()
        unit = parts.pop() if not parts[-1].replace(".", "").replace("-", "").replace("e", "").isdigit() else ""
        numbers = [float(p) * UNITS[unit] for p in parts]
        return numbers[0] if len(numbers) == 1 else numbers
    return [float(x) for x in value] if isinstance(value, list) else float(value)


def about(k, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][k]
    m = np.eye(4, dtype=np.result_type(angle, float))
    m[i, i] = m[j, j] = c
    m[i, j], m[j, i] = -s, s
    return m


def translation(v):
    m = np.eye(4, dtype=np.asarray(v).dtype if np.iscomplexobj(v) else float)
    m[:3, 3] = v
    return m


def placed(table):
    xyz, rpy = number(table.get("xyz", [0, 0, 0])), number(table.get("rpy", [0, 0, 0]))
    return translation(xyz) @ about(2, rpy[2]) @ about(1, rpy[1]) @ about(0, rpy[0])


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def tensor(table):
    t = {k: number(table[k]) for k in table if k != "about"}
    get = lambda k: t.get(k, 0.0)
    return np.array([[get("xx"), get("xy"), get("xz")], [get("xy"), get("yy"), get("yz")], [get("xz"), get("yz"), get("zz")]])


class Link:
    """Mass, first moment h and second moments S = ∫ r rᵀ dm in the frame that the joint moves."""

    def __init__(self, table, inner):
        self.mass, self.first, self.second = 0.0, np.zeros(3), np.zeros((3, 3))
        bodies = table.get("bodies", [table] if "mass" in table else [])
        for body in bodies:
            pose = inner @ placed(body.get("at", {}))
            rotation = pose[:3, :3]
            mass = number(body["mass"])
            own = np.array(number(body.get("centre", [0, 0, 0])))
            if "first_moment" in body:
                own = np.array(number(body["first_moment"])) / mass
            inertia = tensor(body.get("inertia", {}))
            if body.get("inertia", {}).get("about") == "origin":
                inertia = inertia - mass * (own @ own * np.eye(3) - np.outer(own, own))
            centre = rotation @ own + pose[:3, 3]
            central = 0.5 * np.trace(inertia) * np.eye(3) - inertia
            self.mass += mass
            self.first += mass * centre
            self.second += rotation @ central @ rotation.T + mass * np.outer(centre, centre)
        self.centre = self.first / self.mass if self.mass else np.zeros(3)
        moments = self.second - self.mass * np.outer(self.centre, self.centre)
        self.central = np.trace(moments) * np.eye(3) - moments
        self.origin = np.trace(self.second) * np.eye(3) - self.second


class Robot:
    """A chain: constant placements, axes in the moved frames, links."""

    def __init__(self, name):
        file = tomllib.loads((ROBOTS / f"{name}.toml").read_text())
        self.name, self.gravity = name, np.array(file.get("gravity", [0, 0, -9.81]), dtype=float)
        self.names, self.joints, self.placements, self.axes, self.prismatic, self.links = [], [], [], [], [], []
        self.drive, self.friction = [], []
        before = np.eye(4)
        for link in file["link"]:
            joint = link["joint"]
            inner = np.eye(4)
            if file.get("convention", "frames") == "dh":
                dh = {k: number(joint["dh"].get(k, 0)) for k in ["theta", "d", "a", "alpha"]}
                along_z = about(2, dh["theta"]) @ translation([0, 0, dh["d"]])
                along_x = translation([dh["a"], 0, 0]) @ about(0, dh["alpha"])
                # The axis is z of the frame before. It passes through the link's origin if a = 0; else the moved frame is at the
                # foot of a, and the link is fixed to it.
                at = along_z @ along_x if dh["a"] == 0 else along_z
                inner = np.eye(4) if dh["a"] == 0 else along_x
                axis = at[:3, :3].T @ [0, 0, 1]
            elif file.get("convention") == "mdh":
                mdh = {k: number(joint["mdh"].get(k, 0)) for k in ["alpha", "a", "theta", "d"]}
                at = about(0, mdh["alpha"]) @ translation([mdh["a"], 0, 0]) @ about(2, mdh["theta"]) @ translation([0, 0, mdh["d"]])
                axis = np.array([0.0, 0.0, 1.0])
            else:
                at, axis = placed(joint.get("origin", {})), np.array(joint.get("axis", [0, 0, 1]), dtype=float)
                axis = axis / np.linalg.norm(axis)
            self.placements.append(before @ at)
            before = inner
            self.axes.append(axis)
            self.prismatic.append(joint["kind"] == "prismatic")
            self.names.append(link["name"])
            self.joints.append(joint["name"])
            self.links.append(Link(link, inner))
            drive = joint.get("drive", {})
            rotor = number(drive.get("rotor", 0)) * number(drive.get("gear", 1)) ** 2
            self.drive.append(rotor + number(drive.get("armature", 0)))
            self.friction.append(joint.get("friction"))
        self.n = len(self.links)
        tool = file.get("tool", {})
        self.tool = before @ placed(tool.get("at", {}))

    def motion(self, i, q):
        """The joint's own motion, in its frame."""
        if self.prismatic[i]:
            return translation(self.axes[i] * q)
        a = cross(self.axes[i])
        m = np.eye(4, dtype=np.result_type(q, float))
        m[:3, :3] = np.eye(3) + np.sin(q) * a + (1 - np.cos(q)) * (a @ a)
        return m

    def generator(self, i):
        """The derivative of the joint's motion is this matrix times it."""
        g = np.zeros((4, 4))
        if self.prismatic[i]:
            g[:3, 3] = self.axes[i]
        else:
            g[:3, :3] = cross(self.axes[i])
        return g

    def frames(self, q):
        """T_0^i of the moved frames."""
        t, out = np.eye(4), []
        for i in range(self.n):
            t = t @ self.placements[i] @ self.motion(i, q[i])
            out.append(t)
        return out

    def jets(self, q, qd, qdd):
        """Each T_0^i with its first and second time derivatives."""
        t = [np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))]
        out = []
        for i in range(self.n):
            g, e = self.generator(i), self.motion(i, q[i])
            own = [e, g @ e * qd[i], g @ e * qdd[i] + g @ g @ e * qd[i] ** 2]
            own = [self.placements[i] @ x for x in own]
            t = [t[0] @ own[0], t[1] @ own[0] + t[0] @ own[1], t[2] @ own[0] + 2 * t[1] @ own[1] + t[0] @ own[2]]
            out.append(t)
        return out

    def axis_at(self, frames, i):
        """Axis of joint i and a point on it, in the base."""
        return frames[i][:3, :3] @ self.axes[i], frames[i][:3, 3]

    def jacobian(self, q, body, point):
        """Linear rows of a point (in the base), then angular rows; base axes."""
        frames = self.frames(q)
        j = np.zeros((6, self.n), dtype=np.result_type(np.asarray(q), float))
        for i in range(body + 1):
            s, p = self.axis_at(frames, i)
            j[:3, i] = s if self.prismatic[i] else np.cross(s, point(frames) - p)
            j[3:, i] = 0 if self.prismatic[i] else s
        return j

    def mass(self, q):
        frames = self.frames(q)
        total = 0
        for b, link in enumerate(self.links):
            j = self.jacobian(q, b, lambda f: (f[b] @ np.append(link.centre, 1))[:3])
            inertia = frames[b][:3, :3] @ link.central @ frames[b][:3, :3].T
            total = total + link.mass * j[:3].T @ j[:3] + j[3:].T @ inertia @ j[3:]
        return total

    def potential(self, q):
        frames = self.frames(q)
        return sum(-self.gravity @ (f[:3, :3] @ l.first + l.mass * f[:3, 3]) for f, l in zip(frames, self.links))

    def by(self, function, q, k, step=1e-30):
        """∂/∂q_k by a complex step."""
        q = np.array(q, dtype=complex)
        q[k] += 1j * step
        return np.imag(function(q)) / step

    def dynamics(self, q, qd):
        n = self.n
        m = self.mass(np.array(q))
        dm = [self.by(self.mass, q, k) for k in range(n)]
        gravity = np.array([self.by(self.potential, q, k) for k in range(n)])
        gamma = np.zeros((n, n, n))
        for i, j, k in itertools.product(range(n), repeat=3):
            gamma[i, j, k] = 0.5 * (dm[k][i, j] + dm[j][i, k] - dm[i][j, k])
        return m, dm, gravity, gamma


def wrench(link, rotation, lever, c, b):
    """∫ f dm and ∫ (lever + r) × f dm for f = c + b r over a link, r from the frame of S, all in base axes."""
    h, s = rotation @ link.first, rotation @ link.second @ rotation.T
    force = link.mass * c + b @ h
    t = s @ b.T  # ∫ r (b r)ᵀ dm
    own = np.array([t[1, 2] - t[2, 1], t[2, 0] - t[0, 2], t[0, 1] - t[1, 0]])
    return force, np.cross(lever, force) + np.cross(h, c) + own


class Expected:
    """What each method should give, by step and symbol."""

    def __init__(self, robot, q, qd, qdd):
        self.r, self.q, self.qd, self.qdd = robot, np.array(q), np.array(qd), np.array(qdd)
        r = robot
        self.jets = r.jets(q, qd, qdd)
        self.frames = [t[0] for t in self.jets]
        self.rot = [f[:3, :3] for f in self.frames]
        vee = lambda m: np.array([m[2, 1], m[0, 2], m[1, 0]])
        self.omega = [vee(t[1][:3, :3] @ t[0][:3, :3].T) for t in self.jets]
        self.alpha = []
        for t in self.jets:
            m = t[2][:3, :3] @ t[0][:3, :3].T + t[1][:3, :3] @ t[1][:3, :3].T
            self.alpha.append(vee(m))
        self.acc = [t[2][:3, 3] - r.gravity for t in self.jets]  # with the base accelerated by −g
        self.net = []
        for i, link in enumerate(r.links):
            second = self.jets[i][2][:3, :3]
            c, b = self.acc[i], second @ self.rot[i].T
            self.net.append((c, b))
        self.m, self.dm, self.grav, self.gamma = r.dynamics(self.q, self.qd)
        self.velocity = np.einsum("ijk,j,k->i", self.gamma, self.qd, self.qd)
        self.tau = self.m @ self.qdd + self.velocity + self.grav

    def joint_frames(self):
        """Lau's frame k: the moved frame at q_k = 0, fixed to the link before."""
        out, before = [], np.eye(4)
        for k in range(self.r.n):
            out.append(before @ self.r.placements[k])
            before = self.frames[k]
        return out

    def carried(self, i, at):
        """Force and moment about a point of all that joint i carries, in base axes."""
        force, moment = np.zeros(3), np.zeros(3)
        for j in range(i, self.r.n):
            f, n = wrench(self.r.links[j], self.rot[j], self.frames[j][:3, 3] - at, *self.net[j])
            force, moment = force + f, moment + n
        return force, moment

    def torques(self):
        r, out = self.r, {}
        last = dict(enumerate(self.tau))
        yield "Joint torques", {f"τ{sub(i + 1)}": t for i, t in last.items()}
        drives = np.array(r.drive) * self.qdd
        friction = np.zeros(r.n)
        for i, f in enumerate(r.friction):
            if f:
                v = self.qd[i]
                dry = f.get("coulomb", {})
                side = (v > 0) * number(dry.get("forward", 0)) - (v < 0) * number(dry.get("backward", 0))
                friction[i] = number(f.get("viscous", 0)) * v + side
        if any(r.drive):
            out |= {f"τ_J{sub(i + 1)}": t for i, t in enumerate(drives)}
        if any(r.friction):
            out |= {f"τ_f{sub(i + 1)}": t for i, t in enumerate(friction)}
        if out:
            out |= {f"τ{sub(i + 1)}": t for i, t in enumerate(self.tau + drives + friction)}
            yield "Drives and friction", out

    def newton_euler(self):
        r, n = self.r, self.r.n
        local = [self.frames[0]] + [np.linalg.inv(self.frames[i - 1]) @ self.frames[i] for i in range(1, n)]
        given, masses = {}, {}
        for i in range(n):
            p, k = sup(i), sub(i + 1)
            given[f"{p}R{k}"], given[f"{p}P{k}"] = local[i][:3, :3], local[i][:3, 3]
            given[f"{sup(i + 1)}Z{k}"] = r.axes[i]
            masses[f"m{k}"], masses[f"{sup(i + 1)}P_C{k}"] = r.links[i].mass, r.links[i].centre
            masses[f"ᶜ{sup(i + 1)}I{k}"] = r.links[i].central
        yield "Given: link frames", given
        yield "Given: masses", masses
        yield "Outward iterations", {"⁰ω₀": np.zeros(3), "⁰ω̇₀": np.zeros(3), "⁰a₀": -r.gravity}
        for i in range(n):
            p, k, back = sup(i + 1), sub(i + 1), self.rot[i].T
            link = r.links[i]
            centre = (self.jets[i][2] @ np.append(link.centre, 1))[:3] - r.gravity
            at_centre = self.frames[i][:3, 3] + self.rot[i] @ link.centre
            force, moment = wrench(link, self.rot[i], self.frames[i][:3, 3] - at_centre, *self.net[i])
            values = {"ω": self.omega[i], "ω̇": self.alpha[i], "a": self.acc[i], "a_C": centre, "F": force, "N": moment}
            yield f"Outward iteration: link {i + 1}", {f"{p}{s}{k}": back @ v for s, v in values.items()}
        yield "Inward iterations", {}
        for i in reversed(range(n)):
            force, moment = self.carried(i, self.frames[i][:3, 3])
            p, k, back = sup(i + 1), sub(i + 1), self.rot[i].T
            yield f"Inward iteration: link {i + 1}", {f"{p}f{k}": back @ force, f"{p}n{k}": back @ moment}
        yield from self.torques()

    def lagrange(self):
        r, n = self.r, self.r.n
        speeds, kinetic, potential = {}, {}, {}
        for i, link in enumerate(r.links):
            back, k = self.rot[i].T, sub(i + 1)
            v = (self.jets[i][1] @ np.append(link.centre, 1))[:3]
            speeds |= {f"{sup(i + 1)}ω{k}": back @ self.omega[i], f"{sup(i + 1)}v_C{k}": back @ v}
            at = (self.frames[i] @ np.append(link.centre, 1))[:3]
            speeds[f"⁰P_C{k}"] = at
            # ½ ∫ ṙ² dm = ½ Tr(Ṫ J Ṫᵀ)
            pseudo = np.block([[link.second, link.first[:, None]], [link.first[None], np.array([[link.mass]])]])
            kinetic[f"k{k}"] = 0.5 * np.trace((self.jets[i][1] @ pseudo @ self.jets[i][1].T)[:3, :3])
            potential[f"u{k}"] = -r.gravity @ (link.mass * at)
        kinetic["k"], potential["u"] = sum(kinetic.values()), sum(potential.values())
        yield "Velocities", speeds
        yield "Kinetic", kinetic
        yield "Potential", potential
        yield "Lagrangian", {"ℒ": kinetic["k"] - potential["u"]}
        momentum = self.m @ self.qd
        rate = self.m @ self.qdd + sum(self.dm[k] * self.qd[k] for k in range(n)) @ self.qd
        parts = {}
        for i in range(n):
            c, k = "d" if r.prismatic[i] else "θ", sub(i + 1)
            dot = c + "\u0307"
            parts[f"∂k/∂{dot}{k}"], parts[f"d/dt ∂k/∂{dot}{k}"] = momentum[i], rate[i]
            parts[f"∂k/∂{c}{k}"], parts[f"∂u/∂{c}{k}"] = 0.5 * self.qd @ self.dm[i] @ self.qd, self.grav[i]
        yield "Derivatives", parts
        yield "State-space", {"M": self.m, "V": self.velocity, "G": self.grav}
        yield from self.torques()

    def bejczy(self):
        r, n = self.r, self.r.n
        t, j1, j2, j3 = {}, {}, {}, {}
        for i in range(n):
            before = self.frames[i - 1] if i else np.eye(4)
            t[f"T{sub(i)}{sup(i + 1)}"] = np.linalg.inv(before) @ self.frames[i]
            t[f"T₀{sup(i + 1)}"] = self.frames[i]
            link = r.links[i]
            j1[f"J{sub(i + 1)}"] = np.block([[link.second, link.first[:, None]], [link.first[None], np.array([[link.mass]])]])
        yield "Transformation", t
        yield "Pseudo-inertia", j1
        whole = lambda q, j: r.frames(q)[j]
        first = lambda q, j, i: self.product(q, j, [i])
        for j in range(n):
            for i in range(j + 1):
                j2[f"U{sub(j + 1)}{sub(i + 1)}"] = r.by(lambda q: whole(q, j), self.q, i)
                for p in range(i, j + 1):
                    j3[f"U{sub(j + 1)}{sub(i + 1)}{sub(p + 1)}"] = r.by(lambda q: first(q, j, i), self.q, p)
        yield "First partial", j2
        yield "Second partial", j3
        yield from self.coefficients()
        yield from self.torques()

    def product(self, q, j, by):
        """T_0^j with the generators of the joints `by` inserted: its partial derivative."""
        t = np.eye(4)
        for i in range(j + 1):
            t = t @ self.r.placements[i]
            t = (t @ self.r.generator(i) if i in by else t) @ self.r.motion(i, q[i])
        return t

    def coefficients(self):
        n = self.r.n
        triples = [(i, j, k) for i in range(n) for j in range(n) for k in range(j, n)]
        yield "Gravity", {f"D{sub(i + 1)}": self.grav[i] for i in range(n)}
        yield "Acceleration", {f"D{sub(i + 1)}{sub(k + 1)}": self.m[i, k] for i in range(n) for k in range(i, n)}
        yield "Velocity", {"D" + "".join(sub(x + 1) for x in t): self.gamma[t] for t in triples}

    def lau(self):
        r, n = self.r, self.r.n
        frames = self.joint_frames()
        axes, origin = [f[:3, :3] for f in frames], [f[:3, 3] for f in frames]
        a, b, c = {}, {}, {}
        w, al, u, acc = [], [], [], []
        for k in range(n):
            s = sub(k + 1)
            inner = np.linalg.inv(frames[k]) @ self.frames[k]
            link, rot = r.links[k], inner[:3, :3]
            second = rot @ link.second @ rot.T + np.outer(rot @ link.first, inner[:3, 3])
            second = second + np.outer(inner[:3, 3], rot @ link.first) + link.mass * np.outer(inner[:3, 3], inner[:3, 3])
            a[f"M’{sup(k + 1)}"] = link.mass
            a[f"{s}p’{sup(k + 1)}"] = rot @ link.centre + inner[:3, 3] if link.mass else np.zeros(3)
            a[f"I’{sup(k + 1)}"] = np.trace(second) * np.eye(3) - second
            b[f"₀T{s}"], b[f"{s}T{s}'"] = frames[k], inner
            turn, slide = (0, 1) if r.prismatic[k] else (1, 0)
            v = [turn * r.axes[k] * self.qd[k], turn * r.axes[k] * self.qdd[k], slide * r.axes[k] * self.qd[k], slide * r.axes[k] * self.qdd[k]]
            c |= {f"{x}{s}": y for x, y in zip("wαua", v)}
            for x, y in zip([w, al, u, acc], v):
                x.append(axes[k] @ y)
        yield "Step A", a
        yield "Step B", b
        yield "Step C", c
        zero = np.zeros((3, 3))
        for i in range(n):
            back, s = axes[i].T, sub(i + 1)
            kinds = {"inertial": {}, "centrifugal": {}, "Coriolis": {}, "gravity": {}}
            sums = {kind: [np.zeros(3), np.zeros(3)] for kind in kinds}

            def add(kind, j, mark, field):
                """A field of accelerations c + B (r − at)."""
                const, linear, centre = field
                # As c' + B r with r from the origin of link j's moved frame.
                start = self.frames[j][:3, 3]
                const = const + linear @ (start - centre)
                f, m = wrench(r.links[j], self.rot[j], start - origin[i], const, linear)
                kinds[kind][f"{s}F{mark}’{sup(j + 1)}"], kinds[kind][f"{s}N{mark}’{sup(j + 1)}"] = back @ f, back @ m
                sums[kind][0] += back @ f
                sums[kind][1] += back @ m

            for j in range(i, n):
                for k in range(j + 1):
                    add("inertial", j, sup(k + 1), (acc[k], cross(al[k]), origin[k]))
                    square = cross(w[k]) @ cross(w[k])
                    add("centrifugal", j, sup(k + 1) * 2, (np.zeros(3), square, origin[k]))
                    for l in range(k, j + 1):
                        const = 2 * np.cross(w[k], u[l])
                        linear = 2 * cross(w[k]) @ cross(w[l]) if l > k else zero
                        add("Coriolis", j, sup(k + 1) + sup(l + 1), (const, linear, origin[l]))
                add("gravity", j, "ᵍ", (-r.gravity, zero, origin[j]))
            for kind, values in kinds.items():
                yield f"Step D. Joint {i + 1} ({r.joints[i]}): {kind}", values
            total = {}
            for mark, kind in zip(["ᵏ", "ᵏᵏ", "ᵏˡ", "ᵍ"], kinds):
                total[f"{s}F{mark}"], total[f"{s}N{mark}"] = sums[kind]
            f, m = self.carried(i, origin[i])
            total |= {f"{s}F": back @ f, f"{s}N": back @ m}
            yield f"Step D. Joint {i + 1} ({r.joints[i]}): force and torque", total
        axes4 = {}
        for j in range(n):
            for i in range(j + 1):
                s, p = r.axis_at(self.frames, i)
                back = self.rot[j].T
                delta = 0 * s if r.prismatic[i] else s
                mu = s if r.prismatic[i] else np.cross(s, self.frames[j][:3, 3] - p)
                axes4[f"{sub(i + 1)}δ{sup(j + 1)}"], axes4[f"{sub(i + 1)}μ{sup(j + 1)}"] = back @ delta, back @ mu
        yield "Chapter 4: generalized", axes4
        yield "Chapter 4: coefficients", {k: v for _, part in self.coefficients() for k, v in part.items()}
        out, wrenches = {}, {}
        for i in range(n):
            out[f"w{sup(i + 2)}"], out[f"α{sup(i + 2)}"] = self.omega[i], self.alpha[i]
            before = self.jets[i - 1] if i else [np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))]
            out[f"ε{sup(i + 1)}"] = (before[2] @ r.placements[i])[:3, 3] - r.gravity
            wrenches[f"₀F{sub(i + 1)}"], wrenches[f"₀N{sub(i + 1)}"] = self.carried(i, origin[i])
        yield "Chapter 5: velocities", out
        yield "Chapter 5: forces", wrenches
        yield from self.torques()

    def cartesian(self, directions, axes):
        r, n = self.r, self.r.n
        rows = [["x", "y", "z", "rx", "ry", "rz"].index(d) for d in directions]

        def jacobian(q):
            j = r.jacobian(q, n - 1, lambda f: (f[-1] @ r.tool)[:3, 3])
            rotation = np.eye(3) if axes == "base" else (r.frames(q)[-1] @ r.tool)[:3, :3].T
            return np.vstack([rotation @ j[:3], rotation @ j[3:]])[rows]

        j = jacobian(self.q)
        partial = [r.by(jacobian, self.q, k) for k in range(n)]
        dot = sum(partial[k] * self.qd[k] for k in range(n))
        inverse = np.linalg.inv(j)
        bias = dot @ self.qd
        pairs = list(itertools.combinations(range(n), 2))
        b = np.array([[2 * self.gamma[i, x, y] for x, y in pairs] for i in range(n)])
        c = np.array([[self.gamma[i, x, x] for x in range(n)] for i in range(n)])
        space = {"M": self.m, "V": self.velocity, "G": self.grav, "C": c} | ({"B": b} if pairs else {})
        yield "Joint space", space
        x = j @ self.qdd + bias
        yield "Jacobian", {"J": j, "J⁻¹": inverse, "J̇": dot, "J̇q̇": bias, "Ẍ": x}
        mx = inverse.T @ self.m @ inverse
        vx, gx = inverse.T @ (self.velocity - self.m @ inverse @ bias), inverse.T @ self.grav
        yield "Cartesian space", {"Mₓ": mx, "Vₓ": vx, "Gₓ": gx}
        rate = lambda p, q: partial[p][:, q] + (partial[q][:, p] if p != q else 0)
        bx = np.array([b[:, k] - self.m @ inverse @ rate(*p) for k, p in enumerate(pairs)]).T
        cx = np.array([c[:, k] - self.m @ inverse @ rate(k, k) for k in range(n)]).T
        yield "Torques by", ({"Bₓ": bx} if pairs else {}) | {"Cₓ": cx}
        yield "Force", {"F": mx @ x + vx + gx}
        yield from self.torques()


def sub(i):
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(d)] for d in str(i))


def sup(i):
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] for d in str(i))


def normal(symbol):
    """Precomposed and combining dots alike."""
    return unicodedata.normalize("NFD", symbol)


def run(armdyn, *args):
    done = subprocess.run([armdyn, "trace", *args, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"trace {' '.join(args)}: {done.stderr}")
    return json.loads(done.stdout)


def compare(what, trace, expected):
    """Every quantity of every step; the worst relative difference."""
    expected = list(expected)
    steps = [(s["title"], {normal(q["symbol"]): q["value"] for q in s["quantities"]}) for s in trace["steps"]]
    for title, values in steps:
        count = sum(len(s["quantities"]) for s in trace["steps"] if s["title"] == title)
        assert count == len(values), f"{what}, {title}: symbols occur twice"
    assert len(steps) == len(expected), f"{what}: steps {[s[0] for s in steps]}, expected {[e[0] for e in expected]}"
    worst, count = 0.0, 0
    for (title, values), (start, wanted) in zip(steps, expected):
        assert title.startswith(start), f"{what}: step {title!r}, expected {start!r}"
        wanted = {normal(k): v for k, v in wanted.items()}
        assert values.keys() == wanted.keys(), f"{what}, {title}: {sorted(values.keys() ^ wanted.keys())}"
        # Relative to the quantity itself, where it is not a small difference of large ones.
        largest = max([1e-9] + [float(np.max(np.abs(v))) for v in wanted.values()])
        for symbol, value in values.items():
            scale = max(float(np.max(np.abs(wanted[symbol]))), 1e-3 * largest)
            error = float(np.max(np.abs(np.array(value) - wanted[symbol]))) / scale
            assert error <= TOLERANCE, f"{what}, {title}, {symbol}: {value}, expected {wanted[symbol]}: {error:.1e}"
            worst, count = max(worst, error), count + 1
    return worst, count


def evaluated(trace, q, qd, qdd):
    """Formulas with the robot's numbers in place of symbols."""
    names = {p["symbol"]: p["value"] for p in trace["parameters"]} | {"sin": math.sin, "cos": math.cos}
    for prefix, values in [("q", q), ("qd", qd), ("qdd", qdd)]:
        names |= {f"{prefix}{i + 1}": x for i, x in enumerate(values)}
    value = lambda x: [value(y) for y in x] if isinstance(x, list) else eval(x, {"__builtins__": {}}, names)  # noqa: S307
    for step in trace["steps"]:
        for quantity in step["quantities"]:
            denominator = value(quantity["denominator"]) if "denominator" in quantity else 1.0
            quantity["value"] = (np.array(value(quantity["value"]), dtype=float) / denominator).tolist()
    return trace


def derived(name):
    """lin-rr and lin-rp by sympy: the Lagrangian from the positions of the centres of mass, and its derivatives."""
    m1, m2, g, x1, x2, l2, i1, i2 = sympy.symbols("m1 m2 g x1 x2 lx2 Izz1 Izz2")
    t = sympy.Symbol("t")
    first, second = sympy.Function("a")(t), sympy.Function("b")(t)
    direction = lambda angle: sympy.Matrix([sympy.cos(angle), sympy.sin(angle)])
    if name == "lin-rr":
        centres = [x1 * direction(first), l2 * direction(first) + x2 * direction(first + second)]
        angles, inertias = [first, first + second], [0, 0]
    else:
        centres, angles, inertias = [x1 * direction(first), second * direction(first)], [first, first], [i1, i2]
    kinetic = [
        m * c.diff(t).dot(c.diff(t)) / 2 + i * sympy.diff(angle, t) ** 2 / 2
        for m, c, i, angle in zip([m1, m2], centres, inertias, angles)
    ]
    potential = [m * g * c[1] for m, c in zip([m1, m2], centres)]
    state = {}
    for k, f in enumerate([first, second], 1):
        state |= {f.diff(t, 2): sympy.Symbol(f"qdd{k}"), f.diff(t): sympy.Symbol(f"qd{k}"), f: sympy.Symbol(f"q{k}")}
    plain = lambda e: sympy.sympify(e).subs(sorted(state.items(), key=lambda s: -sympy.count_ops(s[0]))).doit()
    k, u = sum(kinetic), sum(potential)
    out = {"k": k, "u": u, "ℒ": k - u}
    for i in range(2):
        out |= {f"k{sub(i + 1)}": kinetic[i], f"u{sub(i + 1)}": potential[i]}
        f = [first, second][i]
        c = "d" if name == "lin-rp" and i == 1 else "θ"
        out[f"∂k/∂{c}\u0307{sub(i + 1)}"] = k.diff(f.diff(t))
        out[f"d/dt ∂k/∂{c}\u0307{sub(i + 1)}"] = k.diff(f.diff(t)).diff(t)
        out[f"∂k/∂{c}{sub(i + 1)}"], out[f"∂u/∂{c}{sub(i + 1)}"] = k.diff(f), u.diff(f)
        out[f"τ{sub(i + 1)}"] = k.diff(f.diff(t)).diff(t) - k.diff(f) + u.diff(f)
    return {normal(s): plain(e) for s, e in out.items()}


def proven(armdyn, name):
    """Formulas of Lagrange, and the torques of every method, equal sympy's as formulas."""
    wanted = derived(name)
    count, missing = 0, set(wanted)
    for method in ["lagrange", "newton-euler", "bejczy", "lau", "cartesian"]:
        trace = run(armdyn, name, "--method", method, "--symbolic")
        # Tensors of Bejczy and Lau are about the origins of the frames.
        about_origin = {}
        if method in ["bejczy", "lau"]:
            m1, x1, m2, x2, i1, i2 = sympy.symbols("m1 x1 m2 x2 Izz1 Izz2")
            about_origin = {i1: i1 + m1 * x1**2, i2: i2 + (m2 * x2**2 if name == "lin-rr" else 0)}
        for quantity in (q for s in trace["steps"] for q in s["quantities"]):
            symbol = normal(quantity["symbol"])
            if symbol in wanted and isinstance(quantity["value"], str):
                found = sympy.sympify(quantity["value"]).subs(about_origin, simultaneous=True)
                expected = wanted[symbol]
                if name == "lin-rr" and about_origin:
                    found = found.subs({sympy.Symbol("Izz1"): 0, sympy.Symbol("Izz2"): 0})
                difference = sympy.simplify(sympy.expand(sympy.expand_trig(found - expected)))
                assert difference == 0, f"{name}, {method}, {symbol}: {found} differs from {expected} by {difference}"
                count += 1
                missing.discard(symbol)
    assert not missing, f"{name}: no trace has {sorted(missing)}"
    return count


def main(armdyn):
    rng = np.random.default_rng(5)
    methods = ["newton-euler", "lau", "lagrange", "bejczy", "cartesian"]
    # Directions and, where the file has no tool, a point of the last link.
    tasks = {
        "lin-rr": ("x,y", None), "lin-rp": ("x,y", None), "lau-rrr": ("x,y,z", [0.2, -0.1, 0.3]), "lau-rpr": ("x,y,z", [0.1, 0.2, -0.3]),
        "jpl-rrp": ("x,y,z,rx,ry,rz", None), "puma560": ("x,y,z,rx,ry,rz", [0.02, -0.01, 0.1]),
    }  # fmt: skip
    for name, (task, point) in tasks.items():
        robot = Robot(name)
        if point:
            robot.tool = robot.tool @ translation(point)
        # Away from singular poses of the wrists.
        q, qd, qdd = rng.uniform(0.3, 1.2, robot.n), rng.uniform(-2, 2, robot.n), rng.uniform(-3, 3, robot.n)
        expected = Expected(robot, q, qd, qdd)
        text = lambda v: ",".join(repr(float(x)) for x in v)
        state = ["--q", text(q), "--qd", text(qd), "--qdd", text(qdd)]
        for method in methods:
            for axes in ["tool", "base"] if method == "cartesian" else [None]:
                options = ["--directions", task, "--axes", axes] if axes else []
                if axes and point:
                    options += ["--tool", f"{text(point)}@{robot.names[-1]}"]
                wanted = lambda: (
                    expected.cartesian(task.split(","), axes) if axes else getattr(expected, method.replace("-", "_"))()
                )
                what = f"{name}, {method}" + (f", {axes} axes" if axes else "")
                worst, count = compare(what, run(armdyn, name, "--method", method, *options, *state), wanted())
                line = f"{what}: {count} quantities, worst {worst:.1e}"
                long = robot.n > {"cartesian": 2, "lau": 3}.get(method, 6)
                if not long:
                    formulas = run(armdyn, name, "--method", method, *options, "--symbolic", "--no-friction")
                    values = run(armdyn, name, "--method", method, *options, *state, "--no-friction")
                    omitted = [n for n in formulas["notes"] if n.startswith("Left out")]
                    omitted = set(omitted[0].rstrip(".").split(": ")[1].split(", ")) if omitted else set()
                    for step in values["steps"]:
                        step["quantities"] = [x for x in step["quantities"] if x["symbol"] not in omitted]
                    steps = [(s["title"], {q["symbol"]: np.array(q["value"]) for q in s["quantities"]}) for s in values["steps"]]
                    worst, count = compare(what + ", formulas", evaluated(formulas, q, qd, qdd), steps)
                    line += f"; {count} formulas, worst {worst:.1e}" + (f" ({len(omitted)} too long)" if omitted else "")
                print(line)
    for name in ["lin-rr", "lin-rp"]:
        print(f"{name}: {proven(armdyn, name)} formulas equal sympy's")


if __name__ == "__main__":
    main(sys.argv[1])
