"""The analyses as methods: results, tables, plots, errors."""

import json
import pickle
import subprocess
import sys
import warnings

import armdyn
import numpy as np
import pytest

pytest.importorskip("matplotlib").use("Agg")


@pytest.fixture(scope="module")
def arm():
    return armdyn.load("jpl-rrp-loaded", quiet=True)


ANALYSES = {
    "check": {},
    "show": {},
    "terms": {"q": [0.1, 0.2, 0.5, 0.1, 0.2, 0.3]},
    "explain": {"q": [0.1, 0.2, 0.5, 0.1, 0.2, 0.3], "a": {"joint2": 2.0}},
    "kinematics": {"q": [0.1, 0.2, 0.5, 0.1, 0.2, 0.3]},
    "derive": {},
    "trace": {"method": "newton-euler", "q": [0.1, 0.2, 0.5, 0.1, 0.2, 0.3]},
    "range": {"budget": "2s"},
    "importance": {"samples": 200, "accelerations": 5, "speeds": 2},
    "size": {"random_moves": 3},
    "trajectory": {"from_": [0, 0, 0.5, 0, 0, 0], "to": [0.3, 0.2, 0.6, 0.1, 0.2, 0.3]},
    "simulate": {"q": [0, 0, 0.5, 0, 0, 0], "controller": "gravity", "duration": "0.2s"},
    "control": {"servo": True, "frequency": 2},
}


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
def test_analysis(arm, name):
    result = getattr(arm, name)(**ANALYSES[name])
    assert str(result).strip() and result.data
    shown = result._repr_markdown_() or result._repr_html_()
    assert len(shown) > 100
    assert pickle.loads(pickle.dumps(result)).data.keys() == result.data.keys()
    assert getattr(armdyn.Robot, name).__doc__.startswith(armdyn._commands.COMMANDS[name]["about"])


def test_the_command_says_the_same(robot, q):
    text = ",".join(map(str, q))
    command = subprocess.run([sys.executable, "-m", "armdyn", "explain", "panda", f"--q={text}", "--json"], capture_output=True, text=True)
    assert command.returncode == 0, command.stderr
    assert armdyn._results.parse(command.stdout).torques[1].tau == robot.explain(q).torques[1].tau


def test_equations_in_a_notebook():
    arm = armdyn.load("lin-rr")
    text = arm.derive()._repr_markdown_()
    assert "$$" in text and r"\ddot{q}" in text and arm.derive()._repr_html_() is None
    assert arm.derive(energy=True).equations


def test_code():
    arm = armdyn.load("lin-rr")
    assert "void lin_rr_gravity(" in str(arm.emit("c", what="gravity")) and arm.ops().data
    # Generated code computes the same numbers.
    namespace = {}
    exec(str(arm.emit("python", what="gravity,mass")), namespace)
    q = np.array([0.1, 0.2])
    assert np.allclose(namespace["gravity"](q), arm.gravity(q), rtol=1e-12)
    assert np.allclose(namespace["mass"](q), arm.crba(q), rtol=1e-12)


def test_samples(robot, q):
    move = robot.trajectory(from_=q, to=q + 0.2, profile="time-optimal")
    table = move.table
    assert table["t"][0] == 0 and table["q"].shape == (len(table["t"]), 7)
    assert np.allclose(table["q"][0], q) and np.allclose(table["q"][-1], q + 0.2, atol=1e-6)
    # The torques are those of the motion.
    assert np.allclose(robot.rnea(table["q"], table["qd"], table["qdd"]), table["tau"], rtol=1e-9, atol=1e-9)
    pandas = pytest.importorskip("pandas")
    frame = move.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns[:2]) == ["t", "q_panda_joint1"]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(move).shape == frame.shape
    # A table in memory is the motion of another analysis.
    for motion in (table, frame, move.to_arrow()):
        sized = robot.size(trajectory=motion)
        assert sized.drives[0].peak.value == pytest.approx(table["tau"][np.abs(table["tau"][:, 0]).argmax(), 0])
    run = robot.simulate(trajectory=table, controller="computed-torque")
    assert np.abs(run.table["q"][-1] - table["q"][-1]).max() < 1e-2


def test_plots(robot, q, arm):
    import matplotlib.pyplot as plt

    assert robot.explain(q).plot() is not None
    axes = robot.trajectory(from_=q, to=q + 0.2).plot()
    assert axes
    assert robot.importance(samples=100, accelerations=5).plot() is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", armdyn.RobotWarning)
        result = arm.control(servo=True, frequency=2)
    assert result.plot() is not None
    drawn = armdyn.load("slender-two-link").deflect(q=[0, 0.5, -0.4])
    assert drawn.plot() is not None
    tip = armdyn.load("ur5e-on-wheels").tipover(q=[0, -1, 1, 0, 0, 0])
    assert tip.plot() is not None
    with pytest.raises(ValueError, match="no plot"):
        robot.show().plot()
    with pytest.raises(ValueError, match="no plot has"):
        tip.plot("elephant")
    plt.close("all")


def test_pictures(robot, q, tmp_path):
    html = robot._repr_html_()
    assert "<table" in html and "<svg" in html and "panda_joint1" in html
    view = robot.view(q)
    assert "<iframe" in view._repr_html_()
    view.save(tmp_path / "panda.html")
    assert "<!DOCTYPE html>" in (tmp_path / "panda.html").read_text(encoding="utf-8")
    assert robot.view(np.linspace(q, q + 0.5, 50), tau=np.zeros((50, 7)))
    with pytest.raises(armdyn.Error):
        robot.view(q[:3])


def test_errors(robot):
    with pytest.raises(TypeError, match="`range` has no argument `gaps`; it has .*gap"):
        robot.range(gaps=1)
    with pytest.raises(armdyn.Error, match="panda_jointX"):
        robot.explain({"panda_jointX": 1.0})
    with pytest.raises(armdyn.Error, match="outside"):
        robot.trajectory(from_=[0] * 7, to=[9] * 7)
    with pytest.raises(TypeError, match="at most 3 arguments"):
        robot.explain([0] * 7, [0] * 7, [0] * 7, [0] * 7)
    with pytest.raises(TypeError, match="True or False"):
        robot.range(guaranteed="yes")
    with pytest.warns(armdyn.RobotWarning):
        robot.simulate(q=[0, 0, 0, -2, 0, 1, 0], torque={"t": [0, 1], **{f"tau_{j}": [0, 0] for j in robot.joint_names}}, duration="0.3s")
    with pytest.raises(AttributeError, match="has no field `peaks`"):
        robot.show().peaks


def test_progress(robot):
    seen = []
    robot.range(guaranteed=True, budget="1s", progress=lambda step, fraction: seen.append((step, fraction)))
    assert seen and all(0 <= fraction <= 1 for _, fraction in seen)
    pytest.importorskip("tqdm")
    robot.range(budget="0.5s", progress=True)


def test_report(tmp_path):
    report = armdyn.load("scara").report(tmp_path / "scara.html", budget="2s")
    assert (tmp_path / "scara.html").stat().st_size > 10_000 and str(report)


def test_a_result_as_data(robot, q):
    result = robot.explain(q)
    assert result.torques[1].tau == result["torques"][1]["tau"]
    assert json.dumps(result.data, default=lambda x: x.tolist())
    assert "panda_joint2" in repr(result)
