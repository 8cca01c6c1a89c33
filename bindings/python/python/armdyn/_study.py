"""Design studies: `armdyn.study`, on threads or on a Ray cluster."""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from . import _armdyn, _commands
from ._errors import Error, Interrupted, RobotWarning
from ._results import Result

#: Times that Ray computes the points of a lost worker again before a point counts as failed.
RETRIES = 3
#: Blocks of points per CPU that are submitted ahead.
AHEAD = 4
#: Points of a block: the unit of work that is lost with a worker.
LARGEST_BLOCK = 16


def study(robot=None, vary=None, measure=None, *, file=None, run=None, samples=None, generations=None, population=None,
          seed=1, out=None, threads=None, ray=None, restart=False, progress=None):
    """Varies parameters of a robot and measures what follows: a sweep, or an optimisation with a Pareto front.

    Without `samples` and `generations` all combinations of the values are computed. Rows do not depend on threads, nor on Ray.

    Args:
        robot: a `Robot`, or what `armdyn.load` takes.
        vary: values by parameter (`"LINK.length"`, `"JOINT.gear"`, `"payload"`, …) or option of a run (`"size.accelerations"`):
            a list of values, a range `(low, high)`, or a dictionary with `from`, `to`, `count` or `step`, or `values`, and
            `relative` (factors of the robot's own value) and `rigid` (parts that a longer link does not stretch).
        measure: expressions, by name or as a list: `"maximise size.payload.maximum"`, `"max(size.drives.rms) <= 50"`.
        file: a study file (TOML), in place of `vary`, `measure` and what follows.
        run: options of commands by the name of the run: `{"size": {"random_moves": 20}}`; a run of another name has a `command`.
        samples: number of quasi-random points.
        generations: of an optimisation.
        population: points per generation.
        seed: of points and optimisation.
        out: table of results (.parquet, .csv, .tsv, .npz). Finished points are kept beside it in a .journal: a study that was
            interrupted goes on where it was when it is called again.
        threads: points computed at the same time; by default one per core.
        ray: address of a Ray cluster, `"auto"`, or True for the cluster to which this process is connected, or a local one.
        restart: forget the points that are known.
        progress: True shows a bar; a function is called with a step and the fraction done.

    Returns:
        A `StudyResult`.

    >>> result = armdyn.study("lin-rr", {"link2.length": [0.3, 0.4], "payload": [0, 1]}, {
    ...     "torque": "minimise max(abs(terms.g))", "length": "maximise terms.M[0][0]"}, run={"terms": {"q": [0, 0]}})
    >>> result.table["payload"]
    array([0., 1., 0., 1.])
    >>> result.table["on_front"]
    array([ True,  True,  True,  True])
    """
    if robot is not None and not isinstance(robot, _armdyn.Robot):
        from ._robot import load

        robot = load(robot)
    folder = tempfile.TemporaryDirectory(prefix="armdyn-study-")
    try:
        file = _file(folder.name, file, vary, measure, run, samples, generations, population, seed, robot)
        out = Path(out) if out is not None else Path(folder.name) / "results.parquet"
        if ray:
            with _commands._Bar(progress, "study") as bar:
                on_ray(file, robot, out.with_suffix(".journal"), restart, ray, bar)
        arguments = ["study", os.fspath(file), f"--out={out}"]
        if threads is not None:
            arguments.append(f"--threads={threads}")
        again = [*arguments]
        if restart and not ray:
            arguments.append("--restart")
        with _commands._Bar(progress, "study") as bar:
            reply = _armdyn.run_command(robot, arguments, bar)
    except BaseException:
        folder.cleanup()
        raise
    for level, text in reply["messages"]:
        if level == "warning":
            warnings.warn(text, RobotWarning, stacklevel=2)
    if reply["partial"]:
        warnings.warn("`study` ended early: its result is partial", Interrupted, stacklevel=2)

    def replot(folder=folder):
        plots = json.loads(reply["json"])
        objectives = sum(m["goal"] is not None for m in plots["measures"])
        kinds = {0: ["sensitivity"], 1: ["convergence", "sensitivity"]}.get(objectives, ["front", "sensitivity"])
        return _armdyn.run_command(robot, [*again, *(f"--plot={kind}" for kind in kinds)], None)

    return StudyResult(reply, None if reply["partial"] else replot)


class StudyResult(Result):
    """The result of a study.

    Attributes:
        table: a column per variable and measure, and `point`, `feasible`, `on_front`, `error`, as arrays with a row per point.
        front: the rows of the Pareto front, in the order of the first objective.
        best: the row of the best point of a single objective, as a dictionary; None without one.
    """

    def __init__(self, reply, replot):
        super().__init__("study", reply, None, replot)
        self.table = _columns(self.data)

    def _rows(self, points):
        order = {int(point): k for k, point in enumerate(self.table["point"])}
        rows = [order[int(point)] for point in points]
        return {name: values[rows] for name, values in self.table.items()}

    @property
    def front(self):
        return self._rows(self.data["front"])

    @property
    def best(self):
        if self.data["best"] is None:
            return None
        return {name: values[0].item() if hasattr(values[0], "item") else values[0] for name, values in self._rows([self.data["best"]]).items()}


def _columns(data):
    """The results as columns."""
    rows = data["rows"]
    table = {"point": np.array([row["point"] for row in rows], dtype=np.int64)}
    for k, variable in enumerate(data["variables"]):
        values = [row["values"][k] for row in rows]
        is_text = any(isinstance(x, str) for x in values)
        table[variable["name"]] = np.array([str(x) for x in values], dtype=object) if is_text else np.array(values, dtype=float)
    for k, measure in enumerate(data["measures"]):
        values = [row["measures"][k] for row in rows]
        table[measure["name"]] = np.array([np.nan if x is None else x for x in values], dtype=float)
    table["feasible"] = np.array([row["feasible"] for row in rows], dtype=bool)
    table["on_front"] = np.array([row["on_front"] for row in rows], dtype=bool)
    table["error"] = np.array([row["error"] for row in rows], dtype=object)
    return table


def _file(folder, file, vary, measure, run, samples, generations, population, seed, robot):
    """The study file: that of the caller, or one of these arguments."""
    if file is not None:
        others = {"vary": vary, "measure": measure, "run": run, "samples": samples, "generations": generations, "population": population}
        given = [name for name, value in others.items() if value is not None]
        if given:
            raise TypeError(f"`file` and `{given[0]}` exclude each other: change the study file")
        return Path(file)
    if robot is None or not vary or not measure:
        missing = "robot" if robot is None else "measure" if vary else "vary"
        raise TypeError(f"a study needs `{missing}`: what is varied and measured of a robot, or a study `file`")
    definition = {"vary": {name: _values(name, value) for name, value in vary.items()}, "measure": _measures(measure), "seed": seed}
    definition["run"] = {name: _options(name, options) for name, options in (run or {}).items()}
    for name, value in (("samples", samples), ("generations", generations), ("population", population)):
        if value is not None:
            definition[name] = value
    path = Path(folder) / "study.json"
    path.write_text(json.dumps(definition), encoding="utf-8")
    return path


def _plain(value):
    """Values of NumPy as those of Python."""
    if isinstance(value, np.ndarray) or isinstance(value, np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(x) for x in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _values(name, value):
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ValueError(f"vary `{name}`: a range is (low, high); a list has values")
        return {"from": _plain(value[0]), "to": _plain(value[1])}
    return _plain(value)


def _measures(measure):
    if isinstance(measure, dict):
        return {name: _plain(value) for name, value in measure.items()}
    if isinstance(measure, str):
        measure = [measure]
    # Of a list, the expressions are the names.
    goal = re.compile(r"^\s*(?:(?:mini|maxi)mi[sz]e\s+)?(.*?)\s*(?:(?:<=|>=|≤|≥).*)?$")
    return {goal.match(text).group(1): text for text in measure}


def _options(name, options):
    plain = {}
    for key, value in options.items():
        option = key.rstrip("_").replace("_", "-")
        option = _commands.SHORT.get(option, option)
        if option in _commands.TABLES and not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"`{key}` of the run `{name}` is a file: every worker reads it")
        value = _plain(value)
        if isinstance(value, str) and os.path.isfile(value):
            # Workers have other folders.
            value = os.path.abspath(value)
        plain[option] = value
    return plain


def _evaluate(definition, robot, folder, points):
    """Computes points on a worker."""
    return _armdyn.study_evaluate(definition, robot, folder, points)


def _check_reachable(address):
    """Ray itself tries for minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and "/" not in host and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            raise Error(f"no Ray cluster answers at `{address}` ({error}): start it with `ray start --head`, or pass its address") from None


def on_ray(file, robot, journal, restart, address, progress=None):
    """Fills the journal of a study on Ray. Points of a worker that dies are computed again; those that are finished are kept."""
    session = _armdyn.StudySession(file, robot, journal, restart)
    try:
        _compute_on_ray(session, address, progress)
    finally:
        session.close()


def _compute_on_ray(session, address, progress):
    import ray

    if not ray.is_initialized():
        address = None if address is True else address
        _check_reachable(address)
        ray.init(address=address, log_to_driver=False, logging_level="warning", include_dashboard=False if address is None else None)
    task = ray.remote(_evaluate).options(max_retries=RETRIES)
    constants = [ray.put(x) for x in (session.definition, session.robot, os.fspath(session.folder))]
    cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
    while waiting := session.pending():
        size = min(LARGEST_BLOCK, max(1, len(waiting) // (AHEAD * cpus)))
        blocks = [waiting[k:k + size] for k in range(0, len(waiting), size)][::-1]
        running = {}
        try:
            while blocks or running:
                while blocks and len(running) < AHEAD * cpus:
                    block = blocks.pop()
                    running[task.remote(*constants, block)] = block
                done, _ = ray.wait(list(running), timeout=0.1)
                for result in done:
                    block = running.pop(result)
                    try:
                        session.tell(ray.get(result))
                    except ray.exceptions.RayTaskError:
                        raise
                    except ray.exceptions.RayError as error:
                        # Lost again and again: which of the points it is.
                        if len(block) > 1:
                            blocks += [[point] for point in block]
                        else:
                            what = f"the worker process ended {RETRIES + 1} times: {str(error).splitlines()[0]}"
                            session.tell([session.failure(block[0], what)])
                if progress is not None:
                    finished, total = session.counts()
                    progress(f"point {finished} of {total}", finished / max(total, 1))
        finally:
            for result in running:
                ray.cancel(result, force=True)


def main(arguments=None):
    """Fills the journal of a study on Ray, for the command `armdyn study --ray`."""
    parser = argparse.ArgumentParser(prog="armdyn study")
    parser.add_argument("file")
    parser.add_argument("--ray", required=True)
    parser.add_argument("--journal", required=True)
    parser.add_argument("--restart", action="store_true")
    values = parser.parse_args(arguments)
    try:
        on_ray(values.file, None, values.journal, values.restart, values.ray)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        what = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        print(f"error: {what}", file=sys.stderr)
        return 2
    return 0

