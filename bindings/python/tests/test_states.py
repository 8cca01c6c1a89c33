"""Quantities of states and batches: values, shapes, types, errors."""

import gc
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import armdyn
import numpy as np
import pytest
from conftest import states

CALLS = {
    "rnea": 3, "aba": 3, "crba": 1, "minverse": 1, "nle": 2, "gravity": 1, "coriolis": 2, "christoffel": 1, "regressor": 3,
    "rnea_derivatives": 3, "aba_derivatives": 3, "joint_wrenches": 3, "energy": 2, "momentum": 2, "fk": 1, "jacobian": 1, "com": 1,
}


def pendulum(**options):
    return armdyn.Robot.from_links([armdyn.Link("bob", axis=(0, 1, 0), mass=2.0, centre=(0.5, 0, 0), **options)])


def test_pendulum():
    # m g r cos q about −y, m r² q̈, friction.
    arm = pendulum(viscous=0.3, coulomb=0.2, rotor=1e-4, gear=50, effort=10, limits=(-1, 2), velocity=3)
    q, v, a = 0.3, 0.7, 1.1
    expected = 2 * 0.25 * a - 2 * 9.81 * 0.5 * np.cos(q) + 0.3 * v + 0.2 + 1e-4 * 2500 * a
    assert arm.rnea([q], [v], [a]) == pytest.approx([expected], rel=1e-14)
    assert arm.lower == [-1] and arm.upper == [2] and arm.velocity_limits == [3] and arm.effort_limits.tolist() == [[-10, 10]]
    assert arm.energy([q], [v]).kinetic == pytest.approx(0.5 * (0.5 + 0.25) * v**2)
    assert arm.joint_names == ["joint1"] and arm.link_names == ["base", "bob"]


def test_two_links_of_a_textbook():
    # Lin's RR arm: m1 = m2 = 1 at the ends of l1 = l2 = 1.
    arm = armdyn.Robot.from_dh([{"a": 1.0, "mass": 1.0}, {"a": 1.0, "mass": 1.0}], gravity=(0, -9.81, 0))
    (q1, q2), (v1, v2), (a1, a2) = (0.4, -0.9), (0.5, 1.2), (-0.7, 0.3)
    c2, s2, g = np.cos(q2), np.sin(q2), 9.81
    tau1 = (3 + 2 * c2) * a1 + (1 + c2) * a2 - s2 * (2 * v1 * v2 + v2**2) + g * (2 * np.cos(q1) + np.cos(q1 + q2))
    tau2 = (1 + c2) * a1 + a2 + s2 * v1**2 + g * np.cos(q1 + q2)
    assert arm.rnea([q1, q2], [v1, v2], [a1, a2]) == pytest.approx([tau1, tau2], rel=1e-13)
    modified = armdyn.Robot.from_dh([{"mass": 1.0, "centre": (1, 0, 0)}, {"a": 1.0, "mass": 1.0, "centre": (1, 0, 0)}],
                                    convention="modified", gravity=(0, -9.81, 0))
    assert modified.rnea([q1, q2], [v1, v2], [a1, a2]) == pytest.approx([tau1, tau2], rel=1e-13)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("count", [1, 5, 40])
def test_a_batch_is_its_states(robot, random, name, count):
    """Also across the number of states from which a program is compiled."""
    arguments = states(robot, random, count)[: CALLS[name]]
    batch = getattr(robot, name)(*arguments)
    single = [getattr(robot, name)(*row) for row in zip(*arguments)]
    parts = zip(*single) if isinstance(batch, tuple) else [single]
    for found, expected in zip(batch if isinstance(batch, tuple) else [batch], parts):
        expected = np.array(expected)
        assert found.shape == expected.shape
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


def test_single_precision(robot, random):
    arguments = [x.astype(np.float32) for x in states(robot, random, 40)]
    for rows in (arguments, [x[0] for x in arguments]):
        tau = robot.rnea(*rows)
        assert tau.dtype == np.float32
        assert np.allclose(tau, robot.rnea(*(x.astype(float) for x in rows)), rtol=1e-4, atol=1e-3)
    # Mixed types are computed in double precision.
    assert robot.rnea(arguments[0], arguments[1].astype(float), arguments[2]).dtype == np.float64


def test_arguments(robot, q):
    zero = np.zeros(7)
    expected = robot.rnea(q, zero, zero)
    assert np.array_equal(robot.rnea(list(q), [0] * 7, zero.astype(int)), expected)
    wide = np.zeros((7, 2))
    wide[:, 0] = q
    assert np.array_equal(robot.rnea(wide[:, 0], zero, zero), expected)
    rows = np.asfortranarray(np.tile(q, (20, 1)))
    assert np.allclose(robot.rnea(rows, zero, zero), expected, rtol=1e-12), "one state is repeated for a batch"
    assert np.allclose(robot.rnea(rows[::2][::-1], zero, zero), expected, rtol=1e-12)
    assert robot.rnea(np.zeros((0, 7)), zero, zero).shape == (0, 7)
    with pytest.raises(ValueError, match=r"`q` has the shape \(6,\): expected \(7,\) for one state, or \(B, 7\) for B states"):
        robot.rnea(q[:6], zero, zero)
    with pytest.raises(ValueError, match=r"`q` has 20 states and `v` 19"):
        robot.rnea(rows, np.zeros((19, 7)), zero)
    for wrong in ["text", ["a"] * 7, [1j] * 7, None, [[1, 2], [3]]]:
        with pytest.raises(TypeError, match="`q` is not an array of real numbers"):
            robot.rnea(wrong, zero, zero)


def test_out(robot, random):
    q, v, a = states(robot, random, 40)
    out = np.empty((40, 7))
    assert robot.rnea(q, v, a, out=out) is out
    assert np.array_equal(out, robot.rnea(q, v, a))
    one = np.empty(7)
    assert robot.rnea(q[0], v[0], a[0], out=one) is one
    frozen = np.empty((40, 7))
    frozen.setflags(write=False)
    for wrong, why in [
        (frozen, "read-only"),
        (np.empty((40, 14))[:, ::2], "not contiguous"),
        (np.empty((39, 7)), "wrong shape"),
    ]:
        with pytest.raises(ValueError, match=f"`out` .*{why}.*expected"):
            robot.rnea(q, v, a, out=wrong)
    for wrong in (np.empty((40, 7), np.float32), [0] * 7):
        with pytest.raises(TypeError, match="`out` has the wrong type"):
            robot.rnea(q, v, a, out=wrong)
    with pytest.raises(ValueError, match="`out` overlaps an argument"):
        robot.rnea(q, v, a, out=q)
    assert robot.crba(q[0], out=np.empty((7, 7))).shape == (7, 7)


def test_invalid_rows(robot, random):
    q, v, a = states(robot, random, 100)
    expected = robot.rnea(q, v, a)
    q[17, 3], v[60, 0] = np.nan, np.inf
    with pytest.raises(armdyn.StateError, match="2 of 100 states are invalid: row 17: .*panda_joint4") as caught:
        robot.rnea(q, v, a)
    error = caught.value
    assert error.rows == [17, 60] and len(error.reasons) == 2
    others = np.delete(np.arange(100), error.rows)
    assert np.isnan(error.result[error.rows]).all() and np.array_equal(error.result[others], expected[others])
    with pytest.raises(armdyn.StateError, match="panda_joint4") as caught:
        robot.rnea(q[17], v[17], a[17])
    assert caught.value.rows == [] and caught.value.result is None
    assert pickle.loads(pickle.dumps(error)).rows == error.rows
    assert issubclass(armdyn.StateError, ValueError)


def test_files(tmp_path, robot):
    with pytest.raises(armdyn.LoadError, match="nothing.urdf"):
        armdyn.load(tmp_path / "nothing.urdf")
    text = robot.to_urdf()
    path = tmp_path / "panda.urdf"
    robot.save(path)
    for source in (path, str(path), text):
        same = armdyn.load(source)
        assert same.nv == 7 and np.allclose(same.crba(np.ones(7)), robot.crba(np.ones(7)), rtol=1e-12)
    loaded = armdyn.load(path)
    path.unlink()
    # A robot does not need its file any more.
    assert "panda_joint1" in str(loaded.show()) and loaded.range(budget="1s")
    with pytest.raises(armdyn.LoadError) as caught:
        armdyn.load(text.replace('mass value="', 'mass value="x'))
    first = caught.value.findings[0]
    assert first["severity"] == "error" and first["line"] > 1 and first["fix"]
    assert armdyn.load(robot.to_toml()) == robot and hash(armdyn.load("panda")) == hash(robot)
    assert armdyn.load(robot.to_mjcf()).nv == 7
    with pytest.raises(ValueError, match="expected .toml, .urdf or .xml"):
        robot.save(tmp_path / "panda.json")
    with pytest.raises(TypeError, match="expected the name of a bundled robot"):
        armdyn.load(5)
    with pytest.raises(armdyn.LoadError, match="panda"):
        armdyn.load("pandaa")


def test_changes(robot, q):
    heavy = robot.with_payload(2.0)
    assert heavy.mass == pytest.approx(robot.mass + 2) and heavy != robot
    tool = robot.fk(q)
    # m g times the tool's vertical velocity per joint velocity.
    assert np.allclose(heavy.gravity(q) - robot.gravity(q), 2 * 9.81 * robot.jacobian(q)[2], atol=1e-12)
    assert np.allclose(robot.fk(q), tool)
    moved = robot.with_payload(2.0, centre=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1), link="panda_link7")
    assert moved.mass == heavy.mass and not np.allclose(moved.crba(q), heavy.crba(q))
    assert heavy.without_payload() == robot
    assert np.allclose(robot.with_gravity(1.62).gravity(q), robot.gravity(q) * 1.62 / 9.81)
    locked = robot.lock(panda_joint7=0.8)
    assert locked.nv == 6 and np.allclose(locked.gravity(q[:6]), robot.gravity(q)[:6])
    assert robot.without_friction().friction["viscous"].max() == 0
    for wrong in (lambda: robot.lock("elbow"), lambda: robot.with_payload(1, link="nowhere"), lambda: robot.with_payload(-1)):
        with pytest.raises(armdyn.Error):
            wrong()
    with pytest.raises(armdyn.Error, match="panda_link7"):
        robot.fk(q, "hand")


def test_pickle_and_copies(robot, q):
    import copy

    for same in (pickle.loads(pickle.dumps(robot)), copy.copy(robot), copy.deepcopy(robot)):
        assert same == robot and np.array_equal(same.gravity(q), robot.gravity(q))

    class Mine(armdyn.Robot):
        pass

    assert isinstance(Mine("panda").with_payload(1), Mine)


def test_threads(robot, random):
    q, v, a = states(robot, random, 3000)
    expected = robot.rnea(q, v, a)
    fresh = armdyn.load("panda")
    wrong = []

    def work(k):
        for _ in range(20):
            if not np.array_equal(fresh.rnea(q, v, a), expected) or not np.allclose(fresh.rnea(q[k], v[k], a[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def _in_child(robot, q):
    return robot.gravity(q), robot.range(budget="1s").ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork(robot, random):
    q = robot.random(5000, seed=random)
    expected = robot.gravity(q)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found, _ in pool.starmap_async(_in_child, [(robot, q)] * 4).get(timeout=60):
            assert np.array_equal(found, expected)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_keyboard_interrupt(robot):
    """Ctrl-C ends a long batch and a long analysis within 0.2 s."""
    q = np.zeros((30_000_000 // 7, 7)) + 0.1
    long = [lambda: [robot.christoffel(q) for _ in range(1000)], lambda: robot.range(guaranteed=True, gap="0.0001%", budget="60s")]
    for work in long:
        sent = []

        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.5, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.monotonic() - sent[0] < 0.2
        gc.collect()


def test_development_mode():
    """`python -X dev` reports no leak, no unraisable error, no deprecated call."""
    code = "import armdyn, numpy as np; r = armdyn.load('panda'); r.rnea(*np.zeros((3, 50, 7))); r.show(); r.with_payload(1)"
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_arrays_of_others(robot, q):
    torch = pytest.importorskip("torch")
    tau = robot.gravity(torch.tensor(q))
    assert np.array_equal(tau, robot.gravity(q))


def test_inverse_kinematics(robot, q):
    pose = robot.fk(q)
    found = robot.ik(pose)
    assert found.success and np.allclose(robot.fk(found.q), pose, atol=1e-8)
    assert robot.ik(pose[:3, 3]).success
    far = robot.ik([5.0, 0, 0])
    assert not far.success and far.position_error > 1
    wrist = armdyn.load("ur5e")
    q = np.array([0.3, -1.2, 1.4, -0.5, 0.7, 0.2])
    every = wrist.ik(wrist.fk(q), all=True)
    assert len(every) >= 8 and all(np.allclose(wrist.fk(one.q), wrist.fk(q), atol=1e-7) for one in every)
    with pytest.raises(ValueError, match="not a pose"):
        robot.ik(2 * pose)
    with pytest.raises(ValueError, match="shape"):
        robot.ik([1, 2])


def test_no_gpu(robot):
    """Without a GPU, the error says what is missing."""
    try:
        robot.gravity(np.zeros((5, 7)), device="cuda")
    except armdyn.Error as error:
        assert "NVIDIA" in str(error)
    with pytest.raises(ValueError, match='expected "cpu" or "cuda"'):
        robot.gravity(np.zeros((5, 7)), device="tpu")


def test_base_parameters(robot):
    found = robot.base_parameters()
    assert len(found) == 43 and all(isinstance(name, str) and isinstance(value, float) for name, _, value in found)
    names, values = robot.parameters()
    assert len(names) == len(values) == robot.regressor(np.ones(7), np.ones(7), np.ones(7)).shape[1]


@pytest.mark.parametrize("name", armdyn.ROBOTS)
def test_robots_are_values(name, random):
    """A change that changes nothing gives an equal robot with the same bits; so does pickling."""
    robot = armdyn.load(name, quiet=True)
    q, v, a = states(robot, random, 3)
    for same in (robot.with_gravity(robot.gravity_vector), pickle.loads(pickle.dumps(robot)), armdyn.load(robot.to_toml(), quiet=True)):
        assert same == robot and hash(same) == hash(robot)
        assert np.array_equal(same.rnea(q, v, a), robot.rnea(q, v, a))
        assert same.check().data["findings"] is not None and len(same.findings) == len(same.check().findings)
    assert robot.with_gravity((1, 2, 3)) != robot and robot != robot.to_toml()
    assert robot.joint_names == robot.with_payload(1, link=robot.link_names[-1]).joint_names


def test_findings_are_those_of_the_command():
    robot = armdyn.load("jpl-rrp", quiet=True)
    command = subprocess.run([sys.executable, "-m", "armdyn", "check", "jpl-rrp", "--json"], capture_output=True, text=True)
    expected = json.loads(command.stdout)["findings"]
    assert [f["message"] for f in robot.findings] == [f["message"] for f in expected] == [f.message for f in robot.check().findings]
    assert expected


def test_drives():
    """Reflected inertia: armature and J G², once each."""
    arm = pendulum(rotor=1e-4, gear=50, armature=0.3)
    assert arm.armature == pytest.approx([0.3 + 1e-4 * 2500])
    assert (arm.crba([0.0]) - arm.without_drives().crba([0.0]))[0] == pytest.approx(arm.armature)


def test_random_configurations(robot):
    Q = robot.random(2000, seed=3)
    assert Q.shape == (2000, 7) and (Q >= robot.lower).all() and (Q <= robot.upper).all()
    # Uniform: the mean is within 5 standard errors of the middle.
    spread = (robot.upper - robot.lower) / np.sqrt(12 * 2000)
    assert (np.abs(Q.mean(axis=0) - (robot.lower + robot.upper) / 2) < 5 * spread).all()
    assert np.array_equal(robot.random(seed=3), robot.random(1, seed=3)[0]) and robot.random(0).shape == (0, 7)
    floating = armdyn.Robot.from_links([armdyn.Link("body", kind="free", mass=1.0, inertia=(1, 1, 1))])
    assert np.allclose(np.linalg.norm(floating.random(10, seed=1)[:, 3:], axis=1), 1)


def test_locking(robot, q):
    for locked in (robot.lock(panda_joint7=0.8), robot.lock({"panda_joint7": 0.8}), robot.lock({"panda_joint7": [0.8]})):
        assert locked.nv == 6 and np.allclose(locked.gravity(q[:6]), robot.gravity(q)[:6])
    # At 0, or in the middle of a range without 0.
    middle = (robot.lower[3] + robot.upper[3]) / 2
    at = np.array([0.1, 0.2, 0.3, middle, 0.5, 0.6, 0.0])
    assert np.allclose(robot.lock("panda_joint4", "panda_joint7").gravity([0.1, 0.2, 0.3, 0.5, 0.6]), np.delete(robot.gravity(at), [3, 6]))


def test_wrong_links():
    for wrong, words in [
        ({"mass": 1.0, "centre": (1, 2)}, "`centre` of 'bob' has the shape"),
        ({"mass": 1.0, "inertia": np.ones((2, 2))}, "`inertia` of 'bob' has the shape"),
        ({"mass": 1.0, "inertia": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]}, "is not symmetric"),
        ({"xyz": 3.0}, "`xyz` of 'bob' has the shape"),
    ]:
        with pytest.raises(ValueError, match=words):
            armdyn.Robot.from_links([armdyn.Link("bob", **wrong)])
    with pytest.raises(armdyn.LoadError, match="kind"):
        armdyn.Robot.from_links([armdyn.Link("bob", kind="elastic")])
    with pytest.raises(armdyn.Error, match="needs links"):
        armdyn.Robot.from_links([])
    with pytest.raises(ValueError, match="row 0 has `axis`"):
        armdyn.Robot.from_dh([{"a": 1.0, "axis": (0, 0, 1)}])


def test_joint_wrenches_of_a_pendulum():
    """A rod of 2 kg that hangs and turns: the pivot supports its weight and holds it on its circle."""
    arm = pendulum()
    for axes in ("base", "origin"):
        force, moment = arm.joint_wrenches([np.pi / 2], [3.0], [0.0], axes=axes)[0]
        # The centre is 0.5 m below the pivot: m (g + ω² r) upwards.
        assert np.allclose(force, [0, 0, 2 * (9.81 + 9 * 0.5)], atol=1e-12) and np.allclose(moment, 0, atol=1e-12)
    force, _ = arm.joint_wrenches([np.pi / 2], [3.0], [0.0])[0]
    assert np.allclose(force, [-2 * (9.81 + 9 * 0.5), 0, 0], atol=1e-12)


def test_tables_of_states(robot, random):
    """Tables in and out of a command: a dictionary, a DataFrame, an Arrow table."""
    q = robot.random(30, seed=random)
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    columns = {f"q_{name}": q[:, i] for i, name in enumerate(robot.joint_names)}
    for table in ({"q": q}, columns, pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)):
        found = robot.terms(states=table)
        assert np.allclose(found.table["g"].reshape(30, 7), robot.gravity(q), rtol=1e-12, atol=1e-12), found.table.keys()
    assert pyarrow.table(found).num_rows == 30
    with pytest.raises(TypeError, match="column `name` of `states` has no numbers"):
        robot.terms(states=pandas.DataFrame({"name": ["a", "b"]}))
    with pytest.raises(TypeError, match="`states` is a file, a dictionary of arrays"):
        robot.terms(states=5)
