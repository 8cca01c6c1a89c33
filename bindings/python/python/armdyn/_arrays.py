"""Conversion of arrays of other libraries."""

import math

import numpy as np


def on_gpu(names, values):
    """Where arrays are in the memory of a GPU; None if no argument is on one.

    Returns:
        The GPU's number, whether the numbers are in single precision, and the address and shape of each array.
    """
    if not any(hasattr(value, "__cuda_array_interface__") for value in values):
        return None
    gpus, types, places = set(), set(), []
    for name, value in zip(names, values):
        if not hasattr(value, "__cuda_array_interface__"):
            raise TypeError(f"`{name}` is not on the GPU, where other arguments are: pass all of them on one device")
        gpus.add(int(value.__dlpack_device__()[1]))
        address, shape, kind = _device_array(name, value)
        types.add(kind)
        places.append((address, shape))
    if len(gpus) > 1:
        raise ValueError(f"the arguments are on several GPUs: {', '.join(map(str, sorted(gpus)))}")
    if len(types) > 1:
        raise TypeError("the arguments on the GPU have different types: pass all of them in float64, or all in float32")
    return gpus.pop(), types == {"<f4"}, places


def gpu_output(like, shape, out):
    """An array of the same library for a result of this shape, or `out` after a check; and its address."""
    if out is None:
        if type(like).__module__.partition(".")[0] == "torch":
            import torch

            out = torch.empty(shape, dtype=like.dtype, device=like.device)
        elif type(like).__module__.partition(".")[0] == "cupy":
            import cupy

            out = cupy.empty(shape, dtype=like.dtype)
        else:
            raise TypeError(f"results for arrays of {type(like).__module__} need `out=`, an array on the same GPU")
    elif not hasattr(out, "__cuda_array_interface__") or out.__dlpack_device__() != like.__dlpack_device__():
        raise TypeError("`out` is not on the GPU of the arguments")
    address, found, kind = _device_array("out", out)
    if found != tuple(shape) or kind != like.__cuda_array_interface__["typestr"]:
        raise ValueError(f"`out` has the wrong shape or type: expected the type of the arguments and the shape {tuple(shape)}")
    if out.__cuda_array_interface__["data"][1]:
        raise ValueError("`out` is read-only")
    return out, address


def _device_array(name, value):
    described = value.__cuda_array_interface__
    if described["typestr"] not in ("<f4", "<f8"):
        raise TypeError(f"`{name}` on the GPU is not in float64 or float32 but `{described['typestr']}`")
    shape, size = tuple(described["shape"]), int(described["typestr"][2])
    contiguous = tuple(size * math.prod(shape[k + 1 :]) for k in range(len(shape)))
    if described.get("strides") not in (None, contiguous):
        raise ValueError(f"`{name}` on the GPU is not contiguous: pass a contiguous copy")
    return described["data"][0] or 0, shape, described["typestr"]


def as_array(name, value):
    """The value as a NumPy array; anything with `__array__` or `__dlpack__` on the CPU is read in place."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        device, _ = value.__dlpack_device__()
        if device != 1:  # kDLCPU
            raise TypeError(
                f"`{name}` is on a device that is not the CPU (DLPack device {int(device)}): "
                "pass a CPU array, such as `x.cpu()` or `x.get()`"
            )
        if not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        if getattr(value, "requires_grad", False):
            raise TypeError(
                f"`{name}` requires a gradient: pass `{name}.detach()`, or use `robot.torch_module()`"
            )
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"`{name}` is not an array of real numbers: {error}") from None
    if array.dtype == object:
        raise TypeError(f"`{name}` is not an array of real numbers: {value!r:.60}")
    return array
