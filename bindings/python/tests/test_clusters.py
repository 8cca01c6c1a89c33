"""Tables, Ray and Spark: the bits of one machine, also when workers die.

`ARMDYN_CLUSTER_STATES` sets the number of states of the runs on clusters.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import armdyn
import numpy as np
import pytest
from armdyn._tables import Compute

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
COUNT = int(float(os.environ.get("ARMDYN_CLUSTER_STATES", 100_000)))
BLOCK = 20_000
SOURCE = Path(__file__).parents[1] / "python"


def columns(robot, first, count):
    """Rows `first` to `first + count` of a table that depends on the row alone."""
    generator = np.random.default_rng(first)
    arrays = {"q": robot.random(1000, seed=first)[generator.integers(0, 1000, count)]}
    arrays |= {name: generator.normal(size=(count, robot.nv)) for name in ("qd", "qdd")}
    table = {"row": np.arange(first, first + count)}
    for name, values in arrays.items():
        table |= {f"{name}_{joint}": values[:, i] for i, joint in enumerate(robot.joint_names)}
    return table, arrays


@pytest.fixture(scope="session")
def states(robot, tmp_path_factory):
    """A folder of Parquet files."""
    folder = tmp_path_factory.mktemp("states")
    for first in range(0, COUNT, BLOCK):
        table, _ = columns(robot, first, min(BLOCK, COUNT - first))
        pq.write_table(pa.table(table), folder / f"{first:09}.parquet")
    return folder


def compare(robot, folder):
    """Every row once, and each with the bits of a batch on one machine."""
    found = pq.read_table(folder, columns=["row", *(f"tau_{joint}" for joint in robot.joint_names)])
    order = np.argsort(found["row"].to_numpy())
    assert np.array_equal(found["row"].to_numpy()[order], np.arange(COUNT))
    tau = np.stack([found[f"tau_{joint}"].to_numpy()[order] for joint in robot.joint_names], axis=1)
    for first in range(0, COUNT, BLOCK):
        _, arrays = columns(robot, first, min(BLOCK, COUNT - first))
        expected = robot.rnea(arrays["q"], arrays["qd"], arrays["qdd"])
        assert np.array_equal(tau[first : first + len(expected)], expected)


# Tables on one machine.


@pytest.mark.parametrize("count", [1, 3, 40])
def test_tables(robot, count):
    table, arrays = columns(robot, 0, count)
    expected = Compute(robot, "inverse")(arrays)["tau"]
    assert expected.shape == (count, 7)
    assert np.allclose(expected, robot.rnea(arrays["q"], arrays["qd"], arrays["qdd"]), rtol=1e-12, atol=1e-12)
    step = Compute("panda", "inverse")
    names = [f"tau_{joint}" for joint in robot.joint_names]
    assert step.outputs == names
    by_columns = step(table)
    assert np.array_equal(np.stack([by_columns[name] for name in names], axis=1), expected)
    for batch in (pa.table(table), pa.RecordBatch.from_pydict(table)):
        found = step(batch)
        assert type(found) is type(batch) and found.schema.names == [*table, *names]
        assert np.array_equal(np.stack([found.column(name).to_numpy() for name in names], axis=1), expected)
    frame = pytest.importorskip("pandas").DataFrame(table)
    assert np.array_equal(step(frame)[names].to_numpy(), expected)
    # Arrays as columns of lists.
    lists = pa.table({name: pa.FixedSizeListArray.from_arrays(values.ravel(), 7) for name, values in arrays.items()})
    assert np.array_equal(np.stack(step(lists)["tau"].to_numpy()), expected)


def test_quantities_of_tables(robot, random):
    q, v, tau = robot.random(20, seed=random), random.normal(size=(20, 7)), random.normal(size=(20, 7))
    arrays = {"q": q, "qd": v, "tau": tau}
    assert np.array_equal(Compute(robot, "forward")(arrays)["qdd"], robot.aba(q, v, tau))
    assert np.array_equal(Compute(robot, "bias")(arrays)["bias"], robot.nle(q, v))
    assert np.array_equal(Compute(robot, "gravity")({"q": q})["g"], robot.gravity(q))
    assert np.array_equal(Compute(robot, "mass")({"q": q})["M"], robot.crba(q))
    # Missing velocities and accelerations are zero.
    assert np.array_equal(Compute(robot, "inverse")({"q": q})["tau"], robot.rnea(q, 0 * q, 0 * q))


def test_errors_of_tables(robot):
    table, _ = columns(robot, 0, 4)
    del table["q_panda_joint3"]
    with pytest.raises(ValueError, match="missing columns: q_panda_joint3; the table has row, q_panda_joint1"):
        Compute(robot)(table)
    with pytest.raises(ValueError, match="expected one of inverse, forward"):
        Compute(robot, "inversion")
    table, _ = columns(robot, 0, 30)
    table["qd_panda_joint2"][7] = np.nan
    with pytest.raises(armdyn.StateError, match="1 of 30 states is invalid: row 7: .*panda_joint2"):
        Compute(robot)(table)
    marked = Compute(robot, invalid="nan")(table)["tau_panda_joint1"]
    assert np.isnan(marked[7]) and np.isfinite(np.delete(marked, 7)).all()


def test_a_table_without_rows(robot):
    table, _ = columns(robot, 0, 0)
    assert Compute(robot)(pa.table(table)).num_rows == 0


# Ray.


@pytest.fixture(scope="module")
def cluster():
    """Two nodes with one CPU each."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    from ray.cluster_utils import Cluster

    patch = pytest.MonkeyPatch()
    if SOURCE.joinpath("armdyn").samefile(Path(armdyn.__file__).parent):
        patch.setenv("PYTHONPATH", str(SOURCE), prepend=os.pathsep)
    patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes.add_node(num_cpus=1)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    assert ray.cluster_resources()["CPU"] == 2
    yield nodes
    ray.shutdown()
    nodes.shutdown()
    patch.undo()


def test_ray(cluster, robot, states, tmp_path):
    import ray
    import armdyn.ray

    data = ray.data.read_parquet(str(states))
    data.map_batches(armdyn.ray.Inverse("panda"), batch_format="pyarrow").write_parquet(str(tmp_path / "torques"))
    compare(robot, tmp_path / "torques")
    # The other batch formats, and the settings that suit the cluster.
    few = ray.data.read_parquet(str(states / "000000000.parquet"))
    by_default = armdyn.ray.map_batches(few, armdyn.ray.Mass(robot)).to_pandas()
    plain = few.map_batches(armdyn.ray.Mass(robot)).to_pandas()
    by_row = [frame.sort_values("row")["M_panda_joint1_panda_joint2"].to_numpy() for frame in (by_default, plain)]
    assert len(by_row[0]) == min(BLOCK, COUNT) and np.array_equal(*by_row)


def workers(psutil):
    """The processes that compute a dataset."""
    found = []
    for process in psutil.process_iter(["name", "cmdline"]):
        try:
            if any("MapBatches" in part for part in process.cmdline()[:1]):
                found.append(process)
        except psutil.Error:
            pass
    return found


class Slow(Compute):
    """Waits, so that a worker dies within a batch."""

    def __call__(self, batch):
        time.sleep(0.5)
        return super().__call__(batch)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals")
def test_ray_with_a_killed_worker(cluster, robot, states, tmp_path):
    psutil = pytest.importorskip("psutil")
    import ray

    ray.cloudpickle.register_pickle_by_value(__import__(__name__))
    killed = []

    def kill():
        end = time.monotonic() + 60
        while not killed and time.monotonic() < end:
            for process in workers(psutil)[:1]:
                time.sleep(0.2)
                process.send_signal(signal.SIGKILL)
                killed.append(process.pid)
            time.sleep(0.02)

    watcher = threading.Thread(target=kill)
    watcher.start()
    data = ray.data.read_parquet(str(states))
    data.map_batches(Slow("panda"), batch_format="pyarrow").write_parquet(str(tmp_path / "torques"))
    watcher.join()
    assert killed, "no worker was found"
    compare(robot, tmp_path / "torques")


@pytest.mark.skipif("ARMDYN_CLUSTER_STATES" not in os.environ, reason="needs a run of minutes: set ARMDYN_CLUSTER_STATES")
def test_ray_with_a_lost_node(cluster, robot, states, tmp_path):
    import ray

    ray.cloudpickle.register_pickle_by_value(__import__(__name__))
    node = cluster.add_node(num_cpus=1)
    timer = threading.Timer(10, lambda: cluster.remove_node(node, allow_graceful=False))
    timer.start()
    data = ray.data.read_parquet(str(states))
    data.map_batches(Slow("panda"), batch_format="pyarrow").write_parquet(str(tmp_path / "torques"))
    timer.join()
    compare(robot, tmp_path / "torques")


# Spark.


def test_spark(robot, states, tmp_path, monkeypatch):
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    import armdyn.spark

    if SOURCE.joinpath("armdyn").samefile(Path(armdyn.__file__).parent):
        monkeypatch.setenv("PYTHONPATH", str(SOURCE), prepend=os.pathsep)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        session.sparkContext.setLogLevel("ERROR")
        frame = session.read.parquet(str(states))
        armdyn.spark.inverse(frame, "panda").write.parquet(str(tmp_path / "torques"))
        again = armdyn.spark.gravity(frame.limit(50), robot)
        assert again.columns == [*frame.columns, *(f"g_{joint}" for joint in robot.joint_names)] and again.count() == 50
    finally:
        session.stop()
    compare(robot, tmp_path / "torques")
