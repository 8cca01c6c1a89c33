"""Design studies: rows, resuming, errors; on threads and on Ray."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import armdyn
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
VARY = {"forearm.length": (0.8, 1.2), "elbow.gear": [60, 100, 140], "payload": [0.5, 1.5]}
MEASURE = {
    "torque": "minimise max(terms.g)",
    "frequency": "maximise deflect.vibration_modes[0].frequency",
    "mass": "show.mass",
}
RUN = {"terms": {"q": [0, 0.5, -0.4]}, "deflect": {"q": [0, 0.5, -0.4], "frequencies": 1}}
ARGUMENTS = {"vary": VARY, "measure": MEASURE, "run": RUN}


def same(a, b):
    assert a.table.keys() == b.table.keys()
    for name in a.table:
        x, y = a.table[name], b.table[name]
        assert (np.array_equal(x, y, equal_nan=True) if x.dtype.kind == "f" else list(x) == list(y)), name


@pytest.fixture(scope="module")
def result():
    return armdyn.study("slender-two-link", **ARGUMENTS, samples=12)


def test_rows_are_those_of_the_analyses(result):
    arm = armdyn.load("slender-two-link")
    assert len(result.table["point"]) == 12 and (result.table["forearm.length"] >= 0.8).all()
    study = armdyn.study(arm, {"gravity": [9.81, 1.62]}, ["max(terms.g)", "show.mass"], run={"terms": {"q": [0, 0.5, -0.4]}})
    for row, gravity in enumerate((9.81, 1.62)):
        expected = arm.with_gravity(gravity).gravity([0, 0.5, -0.4]).max()
        assert study.table["max(terms.g)"][row] == pytest.approx(expected, rel=1e-14)
        assert study.table["show.mass"][row] == arm.mass
    assert study.best is None and not study.table["on_front"].any()


def test_tables_and_front(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == [
        "point", "forearm.length", "elbow.gear", "payload", "torque", "frequency", "mass", "feasible", "on_front", "error"]
    front = result.front
    assert len(front["point"]) == frame["on_front"].sum() > 0
    # What is on the front by the definition of it.
    torque, frequency = frame["torque"].to_numpy(), frame["frequency"].to_numpy()
    for k in range(len(frame)):
        dominated = ((torque <= torque[k]) & (frequency >= frequency[k]) & ((torque < torque[k]) | (frequency > frequency[k]))).any()
        assert frame["on_front"][k] == (not dominated)
    assert list(front["torque"]) == sorted(front["torque"])
    assert "Pareto front" in str(result) and "<table" in result._repr_html_()
    arrow = pytest.importorskip("pyarrow")
    assert isinstance(result.to_arrow(), arrow.Table)


def test_optimisation_and_plots():
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    found = armdyn.study("lin-rr", {"link2.length": (0.2, 0.6)}, {"g": "minimise abs(max(terms.g) - 20)"}, run={"terms": {"q": [0, 0]}},
                         population=8, generations=12)
    # m1 g l1 + m2 g (l1 + l2) with m2 of the stretched link: 2 * 0.6 g + 1.5 λ (0.6 + 0.4 λ) g = 20.
    roots = np.roots([1.5 * 0.4, 1.5 * 0.6, 2 * 0.6 - 20 / 9.81])
    assert found.best["link2.length"] == pytest.approx(0.4 * roots[roots > 0][0], rel=2e-3)
    axes = found.plot()
    assert len(axes) == 2
    front = armdyn.study("slender-two-link", **ARGUMENTS, samples=6)
    assert front.plot("Pareto") is not None
    plt.close("all")


@pytest.mark.parametrize("extension", ["parquet", "csv", "npz"])
def test_files_and_resuming(tmp_path, extension):
    out = tmp_path / f"results.{extension}"
    first = armdyn.study("slender-two-link", **ARGUMENTS, samples=4, out=out)
    journal = tmp_path / "results.journal"
    assert out.exists() and len(journal.read_text(encoding="utf-8").splitlines()) == 5
    # Nothing is computed again: the journal has values that no computation gives.
    lines = journal.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[2])
    record["measures"][2] = 1234.5
    lines[2] = json.dumps(record)
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")
    again = armdyn.study("slender-two-link", **ARGUMENTS, samples=6, out=out)
    assert again.table["mass"][record["point"]] == 1234.5 and len(again.table["mass"]) == 6
    fresh = armdyn.study("slender-two-link", **ARGUMENTS, samples=4, out=out, restart=True)
    same(first, fresh)
    if extension == "parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(out)
        assert table["torque"].to_pylist() == list(fresh.table["torque"]) and table["error"].to_pylist() == [None] * 4
        assert table["feasible"].to_pylist() == [True] * 4
    elif extension == "csv":
        with open(out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [float(row["torque"]) for row in rows] == list(fresh.table["torque"]) and not any(row["error"] for row in rows)
    else:
        with np.load(out) as arrays:
            assert list(arrays["torque"]) == list(fresh.table["torque"]) and arrays["feasible"].all() and not any(arrays["error"])


def test_threads_change_nothing(result):
    for threads in (1, 3):
        same(result, armdyn.study("slender-two-link", **ARGUMENTS, samples=12, threads=threads))


def test_failures_are_rows():
    found = armdyn.study("slender-two-link", {"elbow.lower": [-1, 0, 3]}, {"mass": "minimise show.mass"})
    assert [error is None for error in found.table["error"]] == [True, True, False]
    assert "lower" in found.table["error"][2] and np.isnan(found.table["mass"][2])
    assert found.data["failed"] == 1 and list(found.table["feasible"]) == [True, True, False]


def test_errors(tmp_path):
    arm = armdyn.load("slender-two-link")
    for vary, measure, options, message in [
        ({"forarm.length": [1]}, ["show.mass"], {}, "did you mean `forearm`"),
        ({"payload": [1]}, ["shows.mass"], {}, "no command of a robot is named `shows`"),
        ({"payload": [1]}, ["size.duration"], {"run": {"size": {"random_move": 1}}}, "no option `random-move`.*did you mean `random-moves`"),
        ({"payload": [1]}, ["size.duration"], {}, "random-moves"),
        ({"payload": (0, 1)}, ["show.mass"], {}, "a grid needs values"),
    ]:
        with pytest.raises(armdyn.Error, match=message):
            armdyn.study(arm, vary, measure, **options)
    with pytest.raises(TypeError, match="needs `measure`"):
        armdyn.study(arm, {"payload": [1]})
    with pytest.raises(TypeError, match="exclude each other"):
        armdyn.study(arm, {"payload": [1]}, file="study.toml")
    out = tmp_path / "results.parquet"
    armdyn.study(arm, {"payload": [1]}, ["show.mass"], out=out)
    with pytest.raises(armdyn.Error, match="another study.*`vary`"):
        armdyn.study(arm, {"payload": [2]}, ["show.mass"], out=out)
    with pytest.raises(armdyn.Error, match=r"\.xlsx"):
        armdyn.study(arm, {"payload": [1]}, ["show.mass"], out=tmp_path / "results.xlsx")


def test_a_study_file(tmp_path):
    (tmp_path / "study.toml").write_text(
        "robot = 'lin-rr'\n[vary]\npayload = [0, 1]\n[run.terms]\nq = [0, 0]\n[measure]\ng = 'max(terms.g)'\n", encoding="utf-8")
    found = armdyn.study(file=tmp_path / "study.toml")
    # m g x of the payload at the tool.
    assert found.table["g"][1] - found.table["g"][0] == pytest.approx(9.81 * 1.0, rel=1e-12)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_study_goes_on(tmp_path):
    """Ctrl-C in the middle: the points so far are kept, and the rest gives the same rows."""
    out, journal = tmp_path / "results.parquet", tmp_path / "results.journal"
    script = f"import armdyn, test_study as t\narmdyn.study('slender-two-link', **t.ARGUMENTS, samples=300, threads=1, out={str(out)!r})"
    process = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parent, stderr=subprocess.PIPE)
    deadline = time.time() + 60
    while time.time() < deadline and (not journal.exists() or len(journal.read_bytes().splitlines()) < 5):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    known = len(journal.read_bytes().splitlines()) - 1
    assert process.returncode != 0 and 4 <= known < 300 and not out.exists()
    again = armdyn.study("slender-two-link", **ARGUMENTS, samples=300, out=out)
    assert len(again.table["point"]) == 300
    same(again, armdyn.study("slender-two-link", **ARGUMENTS, samples=300))


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_ray_gives_the_same_rows(cluster, result, tmp_path):
    same(result, armdyn.study("slender-two-link", **ARGUMENTS, samples=12, ray=True))
    found = armdyn.study("slender-two-link", **ARGUMENTS, population=8, generations=2, ray=True, out=tmp_path / "ray.parquet")
    same(found, armdyn.study("slender-two-link", **ARGUMENTS, population=8, generations=2))
    failures = armdyn.study("slender-two-link", {"elbow.lower": [-1, 3]}, {"mass": "minimise show.mass"}, ray=True)
    assert [error is None for error in failures.table["error"]] == [True, False]


def test_a_killed_worker_loses_nothing(cluster, tmp_path):
    """Workers die while they compute; the rows are all there, and the same."""
    import threading

    journal = tmp_path / "results.journal"
    killed = []

    def kill():
        deadline = time.time() + 60
        while len(killed) < 2 and time.time() < deadline:
            listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
            busy = [int(line.split()[0]) for line in listed if "ray::_evaluate" in line]
            if busy and journal.exists() and len(journal.read_bytes().splitlines()) > 4 * (1 + len(killed)):
                killed.append(busy[0])
                os.kill(busy[0], signal.SIGKILL)
                time.sleep(0.3)
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    found = armdyn.study("slender-two-link", **ARGUMENTS, samples=120, ray=True, out=tmp_path / "results.parquet")
    thread.join()
    assert len(killed) == 2
    same(found, armdyn.study("slender-two-link", **ARGUMENTS, samples=120))
    assert len(journal.read_bytes().splitlines()) == 121


def test_a_point_that_kills_its_worker_is_a_row(cluster, monkeypatch, tmp_path):
    from armdyn import _study

    def evaluate(definition, robot, folder, points):
        import json
        import os

        from armdyn import _armdyn

        if any(json.loads(point)["index"] == 5 for point in points):
            os._exit(9)
        return _armdyn.study_evaluate(definition, robot, folder, points)

    monkeypatch.setattr(_study, "_evaluate", evaluate)
    monkeypatch.setattr(_study, "RETRIES", 1)
    found = armdyn.study("slender-two-link", {"payload": list(range(20))}, {"mass": "minimise show.mass"}, ray=True)
    errors = {int(k): e for k, e in zip(found.table["point"], found.table["error"]) if e is not None}
    assert list(errors) == [5] and "worker process ended" in errors[5]


def test_the_command_on_ray(cluster, tmp_path):
    (tmp_path / "study.toml").write_text(
        "robot = 'lin-rr'\n[vary]\npayload = [0, 1, 2]\n[run.terms]\nq = [0, 0]\n[measure]\ng = 'minimise max(terms.g)'\n", encoding="utf-8")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    line = [sys.executable, "-m", "armdyn", "study", "study.toml", "--out", "results.parquet", "--json"]
    process = subprocess.run([*line, "--ray", cluster.address], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    on_ray = json.loads(process.stdout)
    process = subprocess.run([*line, "--restart"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert json.loads(process.stdout) == on_ray and len(on_ray["rows"]) == 3
    process = subprocess.run([*line, "--restart", "--ray", "127.0.0.1:1"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert process.returncode == 2 and "Ray" in process.stderr
