"""Conversion of arrays of other libraries."""

import numpy as np


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
