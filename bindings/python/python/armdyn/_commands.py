"""The analyses of the command line as methods: keyword arguments become options."""

from __future__ import annotations

import json
import os
import re
import tempfile
import warnings
from pathlib import Path

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _armdyn
from ._errors import Interrupted, RobotWarning
from ._results import Result

if TYPE_CHECKING:
    from ._types import Progress

#: Options of all commands: names, help texts, values.
COMMANDS: dict[str, Any] = json.loads(_armdyn.command_options())
#: Options that the commands of a robot in memory do not have.
NOT_HERE = {"robot", "files", "json", "package", "arg", "plot", "format"}
#: Pythonic names of options.
SHORT = {"v": "qd", "a": "qdd"}
#: Options with a table of numbers, which may be in memory.
TABLES = {"states", "trajectory", "torque", "waypoints", "drive"}
#: Commands that write formulas.
FORMULAS = {"derive", "trace"}
#: Commands whose `--out` is a table of samples.
SAMPLED = {"trajectory", "simulate"}
#: Options that write files, which computing a result again must not do.
WRITTEN = {"out", "pdf", "animate"}


def run(
    robot: _armdyn.Robot | None,
    command: str,
    values: dict[str, Any],
    *,
    name: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Runs a command on a robot with these keyword arguments."""
    name = name or command
    # The robot in memory takes the place of the robot argument.
    place = [] if robot is None else [robot.name if re.fullmatch(r"\w[\w. -]*", robot.name) else "robot"]
    with tempfile.TemporaryDirectory(prefix="armdyn-") as folder:
        arguments, out = _arguments(command, name, values, Path(folder))
        with _Bar(progress, name) as bar:
            reply = _armdyn.run_command(robot, [command, *place, *arguments], bar)
        for field in ("text", "html", "json"):
            # Tables in memory have no folder.
            reply[field] = reply[field].replace(f"{folder}{os.sep}", "")
        table = _read_table(out) if out is not None and out.exists() else None
    for level, text in reply["messages"]:
        if level == "warning":
            warnings.warn(text, RobotWarning, stacklevel=3)
    if reply["partial"]:
        warnings.warn(f"`{name}` ended early: its result is partial", Interrupted, stacklevel=3)
    options = {option["name"] for option in COMMANDS[command]["options"]}

    def again(changes, *more):
        with tempfile.TemporaryDirectory(prefix="armdyn-") as folder:
            others = {key: value for key, value in values.items() if key not in WRITTEN}
            arguments, _ = _arguments(command, name, {**others, **changes}, Path(folder))
            return _armdyn.run_command(robot, [command, *place, *arguments, *more], None)

    replot = (lambda: again({}, "--plot")) if "plot" in options and not reply["partial"] else None
    is_formula = command in FORMULAS and values.get("emit") in (None, "unicode", "markdown")
    is_formula = is_formula and not values.get("out") and not values.get("base_parameters")
    markdown = (lambda: again({"emit": "markdown"})["text"]) if is_formula else None
    joints = robot.joint_names if robot is not None else ()
    return Result(name, reply, table, replot, markdown, joints)


def _arguments(command, name, values, folder):
    """The arguments of the command line, and the file of its samples."""
    options = {option["name"]: option for option in COMMANDS[command]["options"] if option["name"] not in NOT_HERE}
    arguments, out = [], None
    for key, value in values.items():
        if value is None or value is False:
            continue
        option = key.rstrip("_").replace("_", "-")
        option = option if option in options else SHORT.get(key, option)
        if option not in options:
            known = ", ".join(sorted(o.replace("-", "_") for o in options))
            raise TypeError(f"`{name}` has no argument `{key}`; it has {known}")
        described = options[option]
        if described["flag"]:
            if value is not True:
                raise TypeError(f"`{key}` of `{name}` is True or False, not {value!r}")
            arguments.append(f"--{option}")
            continue
        if option in TABLES and not isinstance(value, (str, os.PathLike)):
            path = folder / f"{option}.npz"
            # Torques of a motion are computed again.
            write_table(path, value, key, without="tau" if option == "trajectory" else None)
            value = path
        for text in _texts(value, described):
            arguments += [text] if described["positional"] else [f"--{option}={text}"]
    is_table = command in SAMPLED or values.get("states") is not None
    if is_table and "out" in options and values.get("out") is None:
        out = folder / "samples.npz"
        arguments.append(f"--out={out}")
    return arguments, out


def _texts(value, option):
    """The texts of the values of an option."""
    if isinstance(value, dict):
        pairs = [f"{name}={_text(x)}" for name, x in value.items()]
        return pairs if option["repeated"] else [",".join(pairs)]
    if isinstance(value, (list, tuple, np.ndarray)) or hasattr(value, "__array__"):
        items = list(np.asarray(value).ravel()) if not isinstance(value, (list, tuple)) else list(value)
        if option["repeated"] and any(isinstance(x, (str, list, tuple, np.ndarray)) for x in items):
            return [_text(x) for x in items]
        return [",".join(_text(x) for x in items)]
    return [_text(value)]


def _text(value):
    if isinstance(value, (tuple, list)) and len(value) == 2 and not isinstance(value[0], (list, tuple, str)):
        # A range of a joint.
        return ":".join(_text(x) for x in value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return ",".join(_text(x) for x in np.asarray(value).ravel())
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def write_table(path, value, name="table", without=None):
    """Writes a table as .npz: a dictionary of arrays, a DataFrame, or anything that Arrow can read."""
    if not isinstance(value, dict):
        if hasattr(value, "to_dict") and hasattr(value, "columns"):
            value = {str(column): np.asarray(value[column]) for column in value.columns}
        elif hasattr(value, "__arrow_c_stream__"):
            import pyarrow

            table = pyarrow.table(value)
            value = {column: table[column].to_numpy() for column in table.column_names}
        else:
            raise TypeError(f"`{name}` is a file, a dictionary of arrays, a DataFrame or an Arrow table, not {type(value).__name__}")
    columns = {}
    for key, column in value.items():
        if without is not None and (key == without or key.startswith(f"{without}_")):
            continue
        try:
            columns[key] = np.asarray(column, dtype=float)
        except (TypeError, ValueError) as error:
            raise TypeError(f"column `{key}` of `{name}` has no numbers: {error}") from None
    np.savez(path, **columns)


def _read_table(path):
    with np.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


class _Bar:
    """A progress bar: `progress=True` shows tqdm's, a function is called with a step and a fraction."""

    def __init__(self, progress, name):
        self.bar, self.name, self.call = None, name, progress if callable(progress) else None
        if progress is True:
            from tqdm.auto import tqdm

            self.bar = tqdm(total=100, desc=name, unit="%", leave=False, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def __enter__(self):
        if self.bar is not None:
            return self._show
        return self.call

    def _show(self, step, fraction):
        self.bar.set_description(f"{self.name}: {step}" if step else self.name)
        self.bar.update(100 * fraction - self.bar.n)

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()
