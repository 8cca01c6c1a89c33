"""Batches on a Ray cluster.

    import ray
    import armdyn.ray

    states = ray.data.read_parquet("states.parquet")
    states.map_batches(armdyn.ray.Inverse("panda.urdf"), batch_format="pyarrow").write_parquet("torques")

Each worker process reads and compiles the robot once. The rows have the same bits as on one machine: a row's result depends on nothing
but the row. Ray runs the batches of a worker that dies on another one.
"""

from __future__ import annotations

from ._tables import Compute

__all__ = ["Bias", "Compute", "Forward", "Gravity", "Inverse", "Mass", "map_batches"]


class Inverse(Compute):
    """Adds joint torques: columns `tau_JOINT`, or an array `tau`."""

    def __init__(self, robot, **options):
        super().__init__(robot, "inverse", **options)


class Forward(Compute):
    """Adds joint accelerations: columns `qdd_JOINT`, or an array `qdd`."""

    def __init__(self, robot, **options):
        super().__init__(robot, "forward", **options)


class Gravity(Compute):
    """Adds gravity torques: columns `g_JOINT`, or an array `g`."""

    def __init__(self, robot, **options):
        super().__init__(robot, "gravity", **options)


class Bias(Compute):
    """Adds velocity and gravity torques: columns `bias_JOINT`, or an array `bias`."""

    def __init__(self, robot, **options):
        super().__init__(robot, "bias", **options)


class Mass(Compute):
    """Adds mass matrices: columns `M_JOINT_JOINT`, or an array `M`."""

    def __init__(self, robot, **options):
        super().__init__(robot, "mass", **options)


def map_batches(dataset, compute, *, gpu=None, **options):
    """`dataset.map_batches(compute)` with the settings that suit it: Arrow batches, and one GPU per worker if the cluster has any.

    Args:
        dataset: a `ray.data.Dataset`.
        compute: `Inverse(robot)` or one of the others.
        gpu: whether workers compute on GPUs; by default if the cluster has GPUs.
        options: those of `map_batches`, such as `batch_size` and `concurrency`.
    """
    import ray

    if gpu is None:
        gpu = ray.cluster_resources().get("GPU", 0) > 0
    compute.device = "cuda" if gpu else "cpu"
    options.setdefault("batch_format", "pyarrow")
    options.setdefault("zero_copy_batch", True)
    if gpu:
        options.setdefault("num_gpus", 1)
    return dataset.map_batches(compute, **options)
