"""Exceptions and warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._armdyn import Finding


class Error(ValueError):
    """Something cannot be computed; the message says what, where, and what to do."""


class LoadError(Error):
    """A robot file cannot be used.

    Attributes:
        findings: what is wrong, as dictionaries with `severity`, `code`, `message`, `why`, `fix`, `file`, `line`, `column`.
    """

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = list(findings)

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.findings)


class StateError(Error):
    """One state has no result, or some states of a batch have none.

    Attributes:
        rows: the invalid rows of a batch, in order; empty for one state.
        reasons: what is wrong with each of them.
        result: the results of a batch, in which the invalid rows are NaN; None for one state.
    """

    def __init__(
        self, message: str, rows: Iterable[int] = (), reasons: Iterable[str] = (), result: NDArray[Any] | None = None
    ) -> None:
        super().__init__(message)
        self.rows, self.reasons, self.result = list(rows), list(reasons), result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.rows, self.reasons, self.result)


class Interrupted(Warning):
    """A computation ended early: its result is partial."""


class RobotWarning(UserWarning):
    """A robot has findings, or a command warns."""
