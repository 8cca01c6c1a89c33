"""Every quantity of `armdyn trace --method renaud`, recomputed with numpy, and the torques by other means.

Usage: renaud_steps.py ARMDYN_BINARY

That every quantity is compared is shown too: with 1 added to any one of them the comparison fails. Nothing of armdyn is imported. Robots are read from their TOML files (`trace_steps.py`). The four parameters of each frame are taken from
the trace; that they describe modified Denavit-Hartenberg frames of this robot is proved here: from one base frame with z upwards, each
frame stays fixed in its link at two states, its z axis is the joint's axis and its origin lies on it, and x is normal to the next axis.
Masses and tensors are then transformed into these frames and Renaud's eqs. (0) ... (10) computed as printed, with vectors and matrices.
The torques are also those of derivatives of poses in time, without any recursion. The operations are those of Renaud's table for his
arm, step by step; for every arm, the sum of the steps is counted in the code that `armdyn derive` emits (`count_operations.py`).
"""

import copy
import subprocess
import sys

import numpy as np
from count_operations import python_operations
from trace_steps import Expected, Robot, about, cross, run, translation

TOLERANCE = 1e-12
ROBOTS = ["renaud-6r", "jpl-rrp", "lau-rpr", "lau-rrr", "puma560"]
Z = np.array([0.0, 0.0, 1.0])
# Renaud's table of the 6R arm.
TABLE = {1: (18, 12), 2: (25, 0), 3: (28, 22), 4: (0, 15), 6: (22, 12), 7: (26, 16), 9: (62, 50)}


def transfer(alpha, a, theta, r):
    """T of frame i in frame i - 1: about x by alpha, along x by a, about z by theta, along z by r."""
    return about(0, alpha) @ translation([a, 0, 0]) @ about(2, theta) @ translation([0, 0, r])


def frames_of(robot, given, q):
    """The transfer matrices at q, from the parameters at q = 0."""
    out = []
    for i, (alpha, a, theta, r) in enumerate(given):
        theta = theta + (0 if robot.prismatic[i] else q[i])
        r = r + (q[i] if robot.prismatic[i] else 0)
        out.append(transfer(alpha, a, theta, r))
    return out


def chain(base, transfers):
    out, t = [], base
    for x in transfers:
        t = t @ x
        out.append(t)
    return out


def base_frame(robot, transfers, q):
    """The base frame, z upwards, from which the axes are the robot's: its angle about z, then its origin."""
    up = -robot.gravity / np.linalg.norm(robot.gravity)
    assert np.allclose(up, Z)
    found, actual = chain(np.eye(4), transfers), robot.frames(q)
    axes = [f[:3, :3] @ robot.axes[i] for i, f in enumerate(actual)]
    level = [np.hypot(*z[:2]) for z in axes]
    k = int(np.argmax(level))
    assert level[k] > 0.1, "all axes are vertical"
    of, to = found[k][:3, 2], axes[k]
    base = about(2, np.arctan2(to[1], to[0]) - np.arctan2(of[1], of[0]))
    rows, right = [], []
    for f, pose, z in zip(chain(base, transfers), actual, axes):
        across = np.eye(3) - np.outer(z, z)
        rows.append(across)
        right.append(across @ (pose[:3, 3] - f[:3, 3]))
    shift = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)[0]
    return translation(shift) @ base


def within(robot, base, transfers, q):
    """Each frame in its link's frame."""
    return [np.linalg.inv(pose) @ f for pose, f in zip(robot.frames(q), chain(base, transfers))]


def procedure(robot, transfers, placed, qd, qdd, wrench):
    """Eqs. (0) ... (10): values by step and number of body."""
    n, out = robot.n, {}
    sigma = [1.0 if p else 0.0 for p in robot.prismatic]
    g = np.linalg.norm(robot.gravity)
    rotation = [t[:3, :3] for t in transfers]
    p = [t[:3, 3] for t in transfers]
    # Moments of the bodies in their frames.
    m, u, k = [], [], []
    for link, c in zip(robot.links, placed):
        r, o = c[:3, :3], c[:3, 3]
        first = r.T @ (link.first - link.mass * o)
        second = link.second - np.outer(link.first, o) - np.outer(o, link.first) + link.mass * np.outer(o, o)
        second = r.T @ second @ r
        m.append(link.mass), u.append(first), k.append(np.trace(second) * np.eye(3) - second)
    star = [sum(m[i:]) for i in range(n)] + [0.0]
    for i in range(n):
        nxt = p[i + 1] if i + 1 < n else np.zeros(3)
        u[i] = u[i] + star[i + 1] * nxt
        k[i] = k[i] - star[i + 1] * cross(nxt) @ cross(nxt)
        out["0", i + 1], out["0a", i + 1], out["0b", i + 1] = p[i], u[i], k[i]
    omega, a, b, alpha = np.zeros(3), np.zeros(3), np.zeros((3, 3)), g * Z
    state = []
    for i in range(n):
        r, s = rotation[i].T, sigma[i]
        before = r @ omega
        out["1a", i] = before
        acceleration = r @ a
        out["3a", i] = acceleration
        reached = alpha + b @ p[i]
        out["6a", i], out["6b", i] = reached, r @ reached
        reached = r @ reached
        omega = before + (1 - s) * qd[i] * Z
        a = acceleration + (1 - s) * (qd[i] * np.cross(before, Z) + qdd[i] * Z)
        b = cross(a) + cross(omega) @ cross(omega)
        t = s * (2 * qd[i] * np.cross(before, Z) + qdd[i] * Z)
        alpha = t + reached
        out["1b", i + 1], out["2", i + 1], out["3b", i + 1], out["4", i + 1] = omega, np.outer(omega, omega), a, b
        out["6c", i + 1] = alpha
        if s:
            out["5", i + 1] = t
        state.append((omega, a, b, t, reached, alpha))
    # The wrench that the arm exerts at the origin of the last link's frame.
    tip = np.linalg.inv(placed[-1])
    e, moment = np.zeros(3), np.zeros(3)
    lever = [*p[1:], tip[:3, 3]]
    if wrench is not None:
        e, moment = -tip[:3, :3] @ wrench[:3], -tip[:3, :3] @ wrench[3:]
        out["7", n + 1], out["9", n + 1] = e, moment
    gamma = np.zeros(n)
    for i in reversed(range(n)):
        omega, a, b, t, reached, alpha = state[i]
        moment = moment + k[i] @ a + np.cross(omega, k[i] @ omega) + np.cross(u[i], alpha) + np.cross(lever[i], e)
        e = e + b @ u[i] + sigma[i] * star[i] * t
        out["7a", i + 1], out["9a", i + 1] = e, moment
        f = e + star[i] * reached
        if sigma[i]:
            out["8", i + 1] = f
        gamma[i] = f[2] if sigma[i] else moment[2]
        out["10", i + 1] = gamma[i]
        e, moment = rotation[i] @ e, rotation[i] @ moment
        if i:
            out["7b", i + 1], out["9b", i + 1] = e, moment
    return out, gamma


def counted(armdyn, name, with_wrench):
    """Multiplications and additions of the emitted code."""
    options = ["--no-drives", "--strategy", "renaud", *(["--tip-wrench"] if with_wrench else [])]
    done = subprocess.run([armdyn, "derive", name, *options, "--emit", "python"], capture_output=True, text=True, check=True)
    return list(python_operations(done.stdout, "inverse")[:2])


class Case:
    """A robot at a state, with what is known of it without its trace."""

    def __init__(self, armdyn, name, with_wrench, rng):
        robot = Robot(name)
        n = robot.n
        q, qd, qdd = rng.uniform(0.3, 1.2, n), rng.uniform(-2, 2, n), rng.uniform(-3, 3, n)
        wrench = rng.uniform(-5, 5, 6) if with_wrench else None
        text = lambda v: ",".join(repr(float(x)) for x in v)
        options = ["--method", "renaud", "--no-drives", "--q", text(q), "--qd", text(qd), "--qdd", text(qdd)]
        self.trace = run(armdyn, name, *options, *(["--tip-wrench", text(wrench)] if with_wrench else []))
        self.label = name + (", wrench at the tip" if with_wrench else "")
        self.robot, self.state, self.wrench, self.offset = robot, (q, qd, qdd), wrench, rng.uniform(-1, 1, n)
        self.operations = counted(armdyn, name, with_wrench)
        self.table = {k: TABLE.get(k, (0, 0)) for k in range(11)} if name == "renaud-6r" and not with_wrench else None
        # The torques, without any recursion.
        self.torques = Expected(robot, q, qd, qdd).tau
        if with_wrench:
            frames = robot.frames(q)
            r = frames[-1][:3, :3]
            force, torque = r @ wrench[:3], r @ wrench[3:]
            for i in range(n):
                axis, point = robot.axis_at(frames, i)
                arm = np.cross(frames[-1][:3, 3] - point, force) + torque
                self.torques[i] -= axis @ force if robot.prismatic[i] else axis @ arm


def require(condition, message):
    if not condition:
        raise AssertionError(message)


def compare(case, trace):
    """Number of quantities, the largest error, and that of the torques; fails if any quantity is wrong, missing or unknown."""
    robot, name, (q, qd, qdd) = case.robot, case.label, case.state
    n = robot.n

    # The frames.
    values = {s["title"]: s["quantities"] for s in trace["steps"]}
    table = next(v for title, v in values.items() if title.startswith("Given"))
    get = lambda i, letter: next(
        x["value"] for x in table if x["indices"] == [i] and x["symbol"].startswith(letter) and x["symbol"] != letter
    )
    given = [(get(i, "α"), get(i, "a"), get(i, "θ"), get(i, "r")) for i in range(1, n + 1)]
    # The robot leaves frame 0 free but for its z axis: its origin is that of frame 1 at q = 0, on a vertical axis also its x.
    alpha, a, theta, r = given[0]
    require(a == 0 and r == 0 and (theta == 0 or abs(np.sin(alpha)) > TOLERANCE), f"{name}: frame 1 is {given[0]} in frame 0")
    transfers = frames_of(robot, given, q)
    base = base_frame(robot, transfers, q)
    placed = within(robot, base, transfers, q)
    again = within(robot, base, frames_of(robot, given, q + case.offset), q + case.offset)
    for i in range(n):
        require(np.max(np.abs(placed[i] - again[i])) < TOLERANCE, f"{name}: frame {i + 1} is not fixed in its link")
        z = robot.axes[i]
        require(np.max(np.abs(placed[i][:3, 2] - z)) < TOLERANCE, f"{name}: z of frame {i + 1} is not the axis")
        off = placed[i][:3, 3] - z * (z @ placed[i][:3, 3])
        require(np.max(np.abs(off)) < TOLERANCE, f"{name}: origin {i + 1} is not on its axis")

    # The quantities: by equation and body, or by letter and body.
    expected, gamma = procedure(robot, transfers, placed, qd, qdd, case.wrench)
    masses = np.cumsum([link.mass for link in reversed(robot.links)])[::-1]
    for i in range(n):
        expected["σ", i + 1] = 1.0 if robot.prismatic[i] else 0.0
        expected["m", i + 1] = masses[i]
        expected["τ", i + 1] = case.torques[i]
    expected["total", None] = np.array(case.operations, dtype=float)
    largest = {}
    for (step, _), value in expected.items():
        largest[step] = max(largest.get(step, 1.0), float(np.max(np.abs(value))))
    worst, count, seen = 0.0, 0, set()
    for s in trace["steps"]:
        for x in s["quantities"]:
            letter = x["symbol"] if x["symbol"] in ("ops", "total") else x["symbol"][0]
            if s["title"].startswith("Given") and letter in "αaθr":
                continue  # proved above
            if letter == "ops":
                continue  # below
            key = (x.get("equation") or letter, x["indices"][0] if x["indices"] else None)
            require(key in expected, f"{name}: {s['title']}: {x['symbol']} {key} is not in the document")
            require(key not in seen, f"{name}: {x['symbol']} {key} appears twice")
            require(np.shape(x["value"]) == np.shape(expected[key]), f"{name}: {x['symbol']} has another shape")
            error = float(np.max(np.abs(np.array(x["value"]) - expected[key]))) / largest[key[0]]
            require(error < TOLERANCE, f"{name}, {s['title']}, {x['symbol']}: {x['value']}, expected {expected[key]}: {error:.1e}")
            worst, count = max(worst, error), count + 1
            seen.add(key)
    require(seen == set(expected), f"{name}: missing {sorted(map(str, set(expected) - seen))}")
    other = float(np.max(np.abs(gamma - case.torques))) / max(1.0, np.max(np.abs(case.torques)))
    require(other < TOLERANCE, f"{name}: torques {gamma}, expected {case.torques}")

    # The operations: those of the steps that exist, in order, with the counted sum.
    counts = next(x["value"] for t, v in values.items() if t.startswith("Operations") for x in v if x["symbol"] == "ops")
    require([row[0] for row in counts] == list(range(11)), f"{name}: rows {counts}")
    require([sum(row[k] for row in counts) for k in (1, 2)] == case.operations, f"{name}: {counts}, counted {case.operations}")
    titles = [t for t in values if t.startswith("(")]
    for title in titles:
        number, _, stated = title[1:].partition(") ")
        row = counts[int(number)]
        require(stated.endswith(f": {row[1]:.0f} M + {row[2]:.0f} A"), f"{name}: `{title}`, but {row}")
    if case.table:
        require({int(a): (b, c) for a, b, c in counts} == case.table, f"{name}: {counts}")
    return count, worst, other


def changed(trace):
    """The trace with 1 added to a number, for every number of every quantity: what was changed, and the trace."""
    for i, step in enumerate(trace["steps"]):
        for j, quantity in enumerate(step["quantities"]):
            for place in np.ndindex(np.shape(quantity["value"])):
                wrong = copy.deepcopy(trace)
                value = np.array(quantity["value"], dtype=float)
                value[place] += 1.0
                wrong["steps"][i]["quantities"][j]["value"] = value.tolist()
                yield f"{step['title']}: {quantity['symbol']} {place}", wrong


def check(armdyn, name, with_wrench, rng):
    case = Case(armdyn, name, with_wrench, rng)
    count, worst, other = compare(case, case.trace)
    changes = 0
    for what, wrong in changed(case.trace):
        changes += 1
        try:
            compare(case, wrong)
        except AssertionError:
            continue
        raise SystemExit(f"{case.label}: 1 added to {what} is not noticed")
    total = case.operations
    print(
        f"{case.label}: {count} quantities, worst {worst:.1e}; torques {other:.1e}; {total[0]} M + {total[1]} A; "
        f"{changes} changes noticed"
    )


def main(armdyn):
    rng = np.random.default_rng(11)
    for name in ROBOTS:
        for with_wrench in [False, True]:
            check(armdyn, name, with_wrench, rng)


if __name__ == "__main__":
    main(sys.argv[1])
