"""Inverse kinematics of the peers on the poses of armdyn's benchmark.

    cargo run --release -p armdyn-motion --example inverse_kinematics -- --export target/ik
    pip install -r benches/ik/packages.txt
    python benches/ik/compare.py target/ik [POSES]

Pinocchio: the damped iteration of its example (examples/inverse-kinematics.py: IT_MAX, DT, damp as there, but eps 1e-10
instead of 1e-4), and the same with full steps, from one start and from up to 100 random ones within the limits. The example
has no joint limits: a solution counts if it is within them after full turns. ikpy: least squares with bounds (scipy), one
start. A pose is solved if its error is below 1e-9 (ikpy: also 1e-4), within the limits. One thread; the slow ones run on the
first 500 (DT 0.1), 2000 (DT 1) and 200 (ikpy) poses.
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np


def angle_into(q, lower, upper):
    """Each angle moved by full turns to the one nearest to mid-range."""
    middle = (lower + upper) / 2
    return q + 2 * np.pi * np.round((middle - q) / (2 * np.pi))


def report(name, peer, times, solved, poses):
    times = np.sort(np.array(times)) * 1e6
    n = len(times)
    share = ", ".join(f"{100 * s / poses:.2f} % to {eps:g}" for eps, s in solved.items())
    print(f"{name:6} {peer:34} {share:36} median {times[n // 2]:9.1f} µs, mean {times.mean():9.1f}, 99 % {times[n * 99 // 100]:9.1f}", flush=True)


def pinocchio_clik(pin, model, data, frame, goal, q, step, most):
    """The loop of Pinocchio's example, for a frame."""
    eps, damp = 1e-10, 1e-12
    for _ in range(most):
        pin.forwardKinematics(model, data, q)
        place = pin.updateFramePlacement(model, data, frame)
        difference = place.actInv(goal)
        error = pin.log(difference).vector
        if np.abs(error).max() < eps:
            return q, True
        jacobian = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
        jacobian = -np.dot(pin.Jlog6(difference.inverse()), jacobian)
        v = -jacobian.T.dot(np.linalg.solve(jacobian.dot(jacobian.T) + damp * np.eye(6), error))
        q = pin.integrate(model, q, v * step)
    return q, False


def pinocchio(name, urdf, tool, goals, starts):
    import pinocchio as pin

    model = pin.buildModelFromUrdf(urdf)
    data = model.createData()
    frame = model.getFrameId(tool)
    lower, upper = model.lowerPositionLimit, model.upperPositionLimit
    rng = np.random.default_rng(1)

    def pose(q):
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, frame).copy()

    targets = [pose(q) for q in goals]
    for step, most, tries in [(0.1, 1000, 1), (1.0, 100, 1), (1.0, 100, 100)]:
        count = min(len(targets), 500 if step < 1 else 2000)
        times, solved = [], 0
        for goal, start in zip(targets[:count], starts):
            begin, q = time.perf_counter(), start
            for k in range(tries):
                if k > 0:
                    q = rng.uniform(lower, upper)
                q, converged = pinocchio_clik(pin, model, data, frame, goal, q, step, most)
                q = angle_into(q, lower, upper)
                good = converged and np.all(q >= lower) and np.all(q <= upper)
                if good:
                    break
            times.append(time.perf_counter() - begin)
            solved += bool(good)
        report(name, f"Pinocchio {pin.__version__}, DT {step}, {tries} start(s)", times, {1e-9: solved}, count)
    return targets


def ikpy(name, urdf, base, targets, starts, count):
    import ikpy
    from ikpy.chain import Chain

    chain = Chain.from_urdf_file(urdf, base_elements=[base])
    mask = [link.joint_type == "revolute" for link in chain.links]
    chain = Chain.from_urdf_file(urdf, base_elements=[base], active_links_mask=mask)
    times, solved = [], {1e-9: 0, 1e-4: 0}
    for goal, start in zip(targets[:count], starts):
        q0 = np.zeros(len(chain.links))
        q0[mask] = start
        begin = time.perf_counter()
        try:
            q = chain.inverse_kinematics_frame(goal.homogeneous, initial_position=q0, orientation_mode="all")
        except ValueError:
            q = q0
        times.append(time.perf_counter() - begin)
        error = np.abs(chain.forward_kinematics(q) - goal.homogeneous).max()
        for eps in solved:
            solved[eps] += error < eps
    report(name, f"ikpy {ikpy.__version__ if hasattr(ikpy, '__version__') else ''}, 1 start", times, solved, count)


def main():
    folder, poses = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    for name, base, tool in [("panda", "panda_link0", "flange"), ("ur10e", "base", "tool0")]:
        rows = np.loadtxt(f"{folder}/{name}.csv", delimiter=",")[:poses]
        n = rows.shape[1] // 2
        goals, starts = rows[:, :n], rows[:, n:]
        urdf = f"{folder}/{name}.urdf"
        targets = pinocchio(name, urdf, tool, goals, starts)
        ikpy(name, urdf, base, targets, starts, min(poses, 200))


main()
