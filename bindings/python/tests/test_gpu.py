"""Arrays on a GPU. Without one, only what is refused is tested."""

import armdyn
import numpy as np
import pytest
from conftest import states


class OnGpu:
    """Says that it is on a GPU; nothing is at its address."""

    def __init__(self, shape, kind="<f8", gpu=0, strides=None, read_only=False):
        self.gpu = gpu
        data = (0x7F0000000000, read_only)
        self.__cuda_array_interface__ = {"shape": shape, "typestr": kind, "data": data, "strides": strides, "version": 3}

    def __dlpack_device__(self):
        return 2, self.gpu


def test_what_is_refused(robot):
    rows = OnGpu((5, 7))
    with pytest.raises(TypeError, match="`v` is not on the GPU, where other arguments are"):
        robot.rnea(rows, np.zeros((5, 7)), rows)
    with pytest.raises(ValueError, match="the arguments are on several GPUs: 0, 1"):
        robot.rnea(rows, rows, OnGpu((5, 7), gpu=1))
    with pytest.raises(TypeError, match="different types"):
        robot.rnea(rows, rows, OnGpu((5, 7), "<f4"))
    with pytest.raises(TypeError, match="`q` on the GPU is not in float64 or float32 but `<i8`"):
        robot.gravity(OnGpu((5, 7), "<i8"))
    with pytest.raises(ValueError, match="`q` on the GPU is not contiguous"):
        robot.gravity(OnGpu((5, 7), strides=(8, 40)))


def gpus():
    try:
        armdyn.load("panda").gravity(np.zeros((32, 7)), device="cuda")
    except armdyn.Error as error:
        return str(error)
    return None


WHY_NOT = gpus()


@pytest.mark.skipif(WHY_NOT is None, reason="there is a GPU")
def test_without_a_gpu(robot):
    with pytest.raises(armdyn.Error, match="NVIDIA|NVRTC|CUDA"):
        robot.gravity(OnGpu((5, 7)))


@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("kind, tolerance", [("float64", 1e-12), ("float32", 1e-4)])
def test_arrays_stay_on_the_gpu(robot, random, library, kind, tolerance):
    peer = pytest.importorskip(library)
    if library == "torch" and not peer.cuda.is_available():
        pytest.skip("PyTorch without CUDA")
    put = (lambda x: peer.tensor(x.astype(kind), device="cuda")) if library == "torch" else (lambda x: peer.asarray(x.astype(kind)))
    get = (lambda x: x.cpu().numpy()) if library == "torch" else peer.asnumpy
    rows = states(robot, random, 1000)
    on_gpu = [put(x) for x in rows]
    calls = {"rnea": 3, "aba": 3, "crba": 1, "minverse": 1, "gravity": 1, "nle": 2, "regressor": 3}
    for name, n in calls.items():
        found = getattr(robot, name)(*on_gpu[:n])
        expected = getattr(robot, name)(*rows[:n])
        assert type(found) is type(on_gpu[0]) and found.shape == expected.shape
        error = np.abs(get(found) - expected).max(axis=tuple(range(1, expected.ndim)))
        assert (error <= tolerance * np.abs(expected).max()).all(), name
    out = put(np.empty((1000, 7)))
    assert robot.rnea(*on_gpu, out=out) is out
    assert np.array_equal(get(out), get(robot.rnea(*on_gpu)))
    assert robot.rnea(*(x[0] for x in on_gpu)).shape == (7,)
    on_gpu[0][3, 2] = float("nan")
    with pytest.raises(armdyn.StateError, match="1 of 1000 states is invalid: row 3: .*panda_joint3"):
        robot.rnea(*on_gpu)
    with pytest.raises(armdyn.Error, match="CUDA backend"):
        robot.christoffel(on_gpu[0])
    with pytest.raises(ValueError, match="expected as many rows"):
        robot.rnea(on_gpu[0], on_gpu[1][:10], on_gpu[2])
