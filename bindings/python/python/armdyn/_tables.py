"""Tables of states: columns in, columns out. What clusters run on each of their batches."""

from __future__ import annotations

import functools
import math

import numpy as np

from ._errors import StateError
from ._robot import Robot, load

#: Quantities of a table: method, columns it reads, columns it writes.
QUANTITIES = {
    "inverse": ("rnea", ("q", "qd", "qdd"), "tau"),
    "forward": ("aba", ("q", "qd", "tau"), "qdd"),
    "gravity": ("gravity", ("q",), "g"),
    "bias": ("nle", ("q", "qd"), "bias"),
    "mass": ("crba", ("q",), "M"),
}
#: Columns without which a quantity is of a robot at rest.
OPTIONAL = {"qd", "qdd"}


@functools.lru_cache(maxsize=8)
def _restored(text):
    """The robot of a process: loaded, and compiled, once."""
    robot = Robot(text)
    robot._compile_batches()
    return robot


class Compute:
    """A quantity of each row of a table; a picklable function of a batch.

    A batch is a dictionary of arrays, a pyarrow Table or RecordBatch, or a pandas DataFrame; the result has its columns and the new
    ones. Columns are one per joint, `q_JOINT`, `qd_JOINT`, `qdd_JOINT`, `tau_JOINT`, or arrays `q`, `qd`, … with one row per state;
    results are written in the same way. Missing velocities and accelerations are zero.

    Args:
        robot: a `Robot`, or what `armdyn.load` takes.
        quantity: `"inverse"`, `"forward"`, `"gravity"`, `"bias"` or `"mass"`.
        invalid: `"raise"` a `StateError` if a row has no result, or write `"nan"`.
        device: `"cpu"` or `"cuda"`.
    """

    def __init__(self, robot, quantity="inverse", *, invalid="raise", device="cpu"):
        if quantity not in QUANTITIES:
            raise ValueError(f"unknown `quantity={quantity!r}`: expected one of {', '.join(QUANTITIES)}")
        if invalid not in ("raise", "nan"):
            raise ValueError(f'invalid `invalid={invalid!r}`: expected "raise" or "nan"')
        robot = robot if isinstance(robot, Robot) else load(robot)
        self.text, self.quantity, self.invalid, self.device = robot.to_toml(), quantity, invalid, device

    @property
    def robot(self):
        return _restored(self.text)

    def names(self, quantity):
        """The columns of `q`, `qd`, `tau`, …"""
        robot = self.robot
        if quantity == "q":
            return [f"q_{name}" for name in robot.coordinate_names]
        if quantity == "M":
            return [f"M_{a}_{b}" for a in robot.joint_names for b in robot.joint_names]
        return [f"{quantity}_{name}" for name in robot.joint_names]

    @property
    def outputs(self):
        """The columns that are added, one per joint."""
        return self.names(QUANTITIES[self.quantity][2])

    def columns(self, columns):
        """The new columns of a dictionary of arrays."""
        method, inputs, output = QUANTITIES[self.quantity]
        count = len(next(iter(columns.values()))) if columns else 0
        as_arrays = "q" in columns
        arguments = []
        for name in inputs:
            wanted = [name] if as_arrays else self.names(name)
            present = [column for column in wanted if column in columns]
            if not present and name in OPTIONAL:
                arguments.append(np.zeros((count, self.robot.nv)))
                continue
            if len(present) < len(wanted):
                missing = ", ".join(column for column in wanted if column not in columns)
                raise ValueError(f"missing columns: {missing}; the table has {', '.join(columns)}")
            if as_arrays:
                value = columns[name]
                value = np.stack(list(value)) if getattr(value, "dtype", None) == object else np.asarray(value)
            else:
                value = np.stack([np.asarray(columns[column], dtype=float) for column in wanted], axis=1)
            arguments.append(value)
        try:
            result = getattr(self.robot, method)(*arguments, **({} if self.device == "cpu" else {"device": self.device}))
        except StateError as error:
            if self.invalid == "raise" or error.result is None:
                raise
            result = error.result
        if as_arrays:
            return {output: result}
        rows = result.reshape(count, len(self.outputs))
        return {name: np.ascontiguousarray(rows[:, i]) for i, name in enumerate(self.outputs)}

    def __call__(self, batch):
        if isinstance(batch, dict):
            return {**batch, **self.columns(batch)}
        if hasattr(batch, "schema") and hasattr(batch, "column"):
            return self.arrow(batch)
        if hasattr(batch, "assign"):
            return batch.assign(**self.columns({name: batch[name].to_numpy() for name in batch.columns}))
        raise TypeError(f"a batch is a dictionary of arrays, an Arrow table or a DataFrame, not {type(batch).__name__}")

    def arrow(self, batch):
        """A pyarrow Table or RecordBatch with the new columns."""
        import pyarrow

        columns = {name: _numbers(batch.column(i)) for i, name in enumerate(batch.schema.names) if _is_number(batch.schema.field(i).type)}
        new = self.columns(columns)
        arrays, fields = list(batch.columns), list(batch.schema)
        for name, values in new.items():
            array = pyarrow.FixedSizeListArray.from_arrays(values.ravel(), math.prod(values.shape[1:])) if values.ndim > 1 else pyarrow.array(values)
            if name in batch.schema.names:
                at = batch.schema.names.index(name)
                arrays[at], fields[at] = array, pyarrow.field(name, array.type)
            else:
                arrays.append(array)
                fields.append(pyarrow.field(name, array.type))
        return type(batch).from_arrays(arrays, schema=pyarrow.schema(fields))


def _is_number(kind):
    import pyarrow.types as types

    value = kind.value_type if types.is_fixed_size_list(kind) or types.is_list(kind) else kind
    return types.is_floating(value) or types.is_integer(value)


def _numbers(column):
    import pyarrow

    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if isinstance(array, pyarrow.ChunkedArray):
        array = pyarrow.concat_arrays(array.chunks)
    if pyarrow.types.is_fixed_size_list(array.type):
        return array.flatten().to_numpy(zero_copy_only=False).reshape(len(array), -1)
    if pyarrow.types.is_list(array.type):
        return np.stack(array.to_numpy(zero_copy_only=False))
    return array.to_numpy(zero_copy_only=False)
