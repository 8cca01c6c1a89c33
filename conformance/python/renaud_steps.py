"""Every quantity of `armdyn trace --method renaud`, recomputed with numpy, and the torques by other means.

Usage: renaud_steps.py ARMDYN_BINARY

Nothing of armdyn is imported. Robots are read from their TOML files (`trace_steps.py`). The four parameters of each frame are taken from
the trace; that they describe modified Denavit-Hartenberg frames of this robot is proved here: from one base frame with z upwards, each
frame stays fixed in its link at two states, its z axis is the joint's axis and its origin lies on it, and x is normal to the next axis.
Masses and tensors are then transformed into these frames and Renaud's eqs. (0) ... (10) computed as printed, with vectors and matrices.
The torques are also those of derivatives of poses in time, without any recursion.
"""

import sys

import numpy as np
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


def check(armdyn, name, with_wrench, rng):
    robot = Robot(name)
    n = robot.n
    q, qd, qdd = rng.uniform(0.3, 1.2, n), rng.uniform(-2, 2, n), rng.uniform(-3, 3, n)
    wrench = rng.uniform(-5, 5, 6) if with_wrench else None
    text = lambda v: ",".join(repr(float(x)) for x in v)
    options = ["--method", "renaud", "--no-drives", "--q", text(q), "--qd", text(qd), "--qdd", text(qdd)]
    trace = run(armdyn, name, *options, *(["--tip-wrench", text(wrench)] if with_wrench else []))

    # The frames.
    values = {s["title"]: s["quantities"] for s in trace["steps"]}
    table = next(v for title, v in values.items() if title.startswith("Given"))
    get = lambda i, letter: next(
        x["value"] for x in table if x["indices"] == [i] and x["symbol"].startswith(letter) and x["symbol"] != letter
    )
    given = [(get(i, "α"), get(i, "a"), get(i, "θ"), get(i, "r")) for i in range(1, n + 1)]
    transfers = frames_of(robot, given, q)
    base = base_frame(robot, transfers, q)
    placed = within(robot, base, transfers, q)
    offset = rng.uniform(-1, 1, n)
    again = within(robot, base, frames_of(robot, given, q + offset), q + offset)
    for i in range(n):
        assert np.max(np.abs(placed[i] - again[i])) < TOLERANCE, f"{name}: frame {i + 1} is not fixed in its link"
        z = robot.axes[i]
        assert np.max(np.abs(placed[i][:3, 2] - z)) < TOLERANCE, f"{name}: z of frame {i + 1} is not the axis"
        off = placed[i][:3, 3] - z * (z @ placed[i][:3, 3])
        assert np.max(np.abs(off)) < TOLERANCE, f"{name}: origin {i + 1} is not on its axis"

    # The quantities.
    expected, gamma = procedure(robot, transfers, placed, qd, qdd, wrench)
    largest = {}
    for (step, _), value in expected.items():
        largest[step] = max(largest.get(step, 1.0), float(np.max(np.abs(value))))
    worst, count, seen = 0.0, 0, set()
    for s in trace["steps"]:
        for x in s["quantities"]:
            key = (x.get("equation"), x["indices"][0] if x["indices"] else None)
            if key not in expected:
                known = s["title"].startswith(("Given", "Operations")) or x["symbol"].startswith("τ")
                assert known, f"{name}: {s['title']}: {x['symbol']} {key} is not in the document"
                continue
            error = float(np.max(np.abs(np.array(x["value"]) - expected[key]))) / largest[key[0]]
            assert error < TOLERANCE, f"{name}, {s['title']}, {x['symbol']}: {x['value']}, expected {expected[key]}: {error:.1e}"
            worst, count = max(worst, error), count + 1
            seen.add(key)
    assert seen == set(expected), f"{name}: missing {sorted(map(str, set(expected) - seen))}"

    # The torques, without any recursion.
    truth = Expected(robot, q, qd, qdd).tau
    if with_wrench:
        frames = robot.frames(q)
        r = frames[-1][:3, :3]
        force, torque = r @ wrench[:3], r @ wrench[3:]
        for i in range(n):
            axis, point = robot.axis_at(frames, i)
            arm = np.cross(frames[-1][:3, 3] - point, force) + torque
            truth[i] -= axis @ force if robot.prismatic[i] else axis @ arm
    scale = max(1.0, np.max(np.abs(truth)))
    other = float(np.max(np.abs(gamma - truth))) / scale
    assert other < TOLERANCE, f"{name}: torques {gamma}, expected {truth}"

    # The table of operations.
    counts = next(x["value"] for t, v in values.items() if t.startswith("Operations") for x in v if x["symbol"] == "ops")
    if name == "renaud-6r" and not with_wrench:
        found = {int(row[0]): (int(row[1]), int(row[2])) for row in counts}
        assert found == {k: TABLE.get(k, (0, 0)) for k in range(11)}, found
    total = [int(sum(row[k] for row in counts)) for k in (1, 2)]
    label = name + (", wrench at the tip" if with_wrench else "")
    print(f"{label}: {count} quantities, worst {worst:.1e}; torques {other:.1e}; {total[0]} M + {total[1]} A")


def main(armdyn):
    rng = np.random.default_rng(11)
    for name in ROBOTS:
        for with_wrench in [False, True]:
            check(armdyn, name, with_wrench, rng)


if __name__ == "__main__":
    main(sys.argv[1])
