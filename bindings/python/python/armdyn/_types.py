"""Types of arguments."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    class DLPack(Protocol):
        """An array of another library, on the CPU."""

        def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
        def __dlpack_device__(self) -> tuple[Any, Any]: ...

    class ArrowStream(Protocol):
        """A table of polars, pyarrow, pandas or another library that exports Arrow."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    #: Numbers of one state, or rows of a batch.
    Array: TypeAlias = ArrayLike | DLPack
    #: A result: float64, or float32 if all arguments are.
    Result: TypeAlias = NDArray[np.floating[Any]]
    #: The value of an option: as text on the command line, numbers, one per joint, or a dictionary of joints.
    Value: TypeAlias = str | float | Sequence[Any] | NDArray[Any] | Mapping[str, Any]
    #: A file.
    File: TypeAlias = str | os.PathLike[str]
    #: A file, or columns in memory.
    Table: TypeAlias = Union[File, Mapping[str, ArrayLike], ArrowStream]
    #: A bar, or a function of a step and the fraction done.
    Progress: TypeAlias = bool | Callable[[str, float], object]
