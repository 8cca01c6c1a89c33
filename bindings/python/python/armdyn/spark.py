"""Batches on a Spark cluster.

    states = spark.read.parquet("states.parquet")
    armdyn.spark.inverse(states, "panda.urdf").write.parquet("torques")

Each Python worker reads and compiles the robot once.
"""

from __future__ import annotations

from ._tables import Compute

__all__ = ["bias", "compute", "forward", "gravity", "inverse", "mass"]


def compute(frame, robot, quantity, **options):
    """A DataFrame with the columns of a quantity: see `Compute`."""
    from pyspark.sql.types import DoubleType, StructField, StructType

    step = Compute(robot, quantity, **options)
    new = [name for name in step.outputs if name not in frame.columns]
    schema = StructType([*frame.schema.fields, *(StructField(name, DoubleType()) for name in new)])

    def batches(iterator):
        for batch in iterator:
            yield step.arrow(batch)

    return frame.mapInArrow(batches, schema)


def inverse(frame, robot, **options):
    """Adds joint torques: columns `tau_JOINT`."""
    return compute(frame, robot, "inverse", **options)


def forward(frame, robot, **options):
    """Adds joint accelerations: columns `qdd_JOINT`."""
    return compute(frame, robot, "forward", **options)


def gravity(frame, robot, **options):
    """Adds gravity torques: columns `g_JOINT`."""
    return compute(frame, robot, "gravity", **options)


def bias(frame, robot, **options):
    """Adds velocity and gravity torques: columns `bias_JOINT`."""
    return compute(frame, robot, "bias", **options)


def mass(frame, robot, **options):
    """Adds mass matrices: columns `M_JOINT_JOINT`."""
    return compute(frame, robot, "mass", **options)
