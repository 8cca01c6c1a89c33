"""Robots."""

from __future__ import annotations

import html
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, overload

import numpy as np

from . import _armdyn, _commands
from ._analyses import Analyses
from ._errors import Error, RobotWarning
from ._results import STYLE, Pose, Result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from ._types import File, Progress


@dataclass
class Link:
    """A link and the joint that moves it, for `Robot.from_links`.

    Attributes:
        name: of the link.
        joint: name of its joint; by default `joint` and a number.
        kind: `"revolute"`, `"prismatic"`, `"fixed"`, or another kind of docs/format.md.
        axis: of the joint, in the link's frame.
        parent: link that carries it; by default the one before.
        xyz, rpy: pose of the link's frame in its parent's [m, rad] (roll, pitch, yaw).
        mass: [kg].
        centre: centre of mass in the link's frame [m].
        inertia: tensor about the centre of mass in the link's axes [kg m²]: 3 × 3, or Ixx, Iyy, Izz[, Ixy, Ixz, Iyz].
        limits: `(lower, upper)` [rad, m].
        velocity, effort: limits of the joint [rad/s, N m; m/s, N].
        viscous, coulomb: friction of the joint.
        rotor, gear: moment of inertia of the motor's rotor [kg m²] and its gear ratio.
        armature: reflected inertia at the joint [kg m²; kg].
    """

    name: str
    kind: str = "revolute"
    axis: Any = (0.0, 0.0, 1.0)
    joint: str | None = None
    parent: str | None = None
    xyz: Any = (0.0, 0.0, 0.0)
    rpy: Any = (0.0, 0.0, 0.0)
    mass: float = 0.0
    centre: Any = (0.0, 0.0, 0.0)
    inertia: Any = None
    limits: tuple[float, float] | None = None
    velocity: float | None = None
    effort: float | None = None
    viscous: float = 0.0
    coulomb: float = 0.0
    rotor: float | None = None
    gear: float | None = None
    armature: float | None = None
    placement: dict[str, Any] = field(default_factory=dict, repr=False)


def load(
    source: File | Robot,
    *,
    packages: Mapping[str, File] | None = None,
    arguments: Mapping[str, str] | None = None,
    quiet: bool = False,
) -> Robot:
    """Loads a robot.

    Args:
        source: a bundled robot (`armdyn.ROBOTS`), a path to a URDF, MJCF (.xml), xacro or TOML file, or the text of one.
        packages: folders of ROS packages by name, for `package://`.
        arguments: values of xacro arguments.
        quiet: no warning about errors in the description.

    Raises:
        LoadError: with what is wrong in the file; `findings` has files and lines.

    >>> round(armdyn.load("ur5e").mass, 3)
    21.7
    """
    robot = Robot(source, packages, arguments)
    errors = 0 if quiet else robot._errors()
    if errors:
        what = "1 error" if errors == 1 else f"{errors} errors"
        warnings.warn(f"{robot.name}: the description has {what}; see `robot.check()`", RobotWarning, stacklevel=2)
    return robot


class Robot(Analyses, _armdyn.Robot):
    """A robot: links, joints, drives and payloads. Robots do not change; `with_payload` and others return new ones.

    Quantities of a state take arrays of nq or nv numbers, or batches with one row per state. `out=` receives the result. With
    arguments in float32 they are computed in float32.
    """

    __slots__ = ()

    @classmethod
    def from_links(
        cls,
        links: Iterable[Link | Mapping[str, Any]],
        *,
        name: str = "robot",
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        tool: ArrayLike | None = None,
    ) -> Self:
        """A robot of links, parents before children (`Link`, or dictionaries with its fields).

        Args:
            links: the links.
            name: of the robot.
            gravity: [m/s²].
            tool: position of the tool in the frame of the last link [m].

        >>> arm = armdyn.Robot.from_links([
        ...     armdyn.Link("upper", axis=(0, 1, 0), mass=2, centre=(0.25, 0, 0)),
        ...     armdyn.Link("lower", axis=(0, 1, 0), xyz=(0.5, 0, 0), mass=1, centre=(0.2, 0, 0)),
        ... ])
        >>> -arm.gravity([0, 0])
        array([11.772,  1.962])
        """
        tables = [_link(Link(**link) if isinstance(link, Mapping) else link, k) for k, link in enumerate(links)]
        return cls(_toml(name, gravity, tables, tool=tool))

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[Mapping[str, Any] | Iterable[float]],
        *,
        convention: Literal["standard", "modified"] = "standard",
        name: str = "robot",
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        tool: ArrayLike | None = None,
    ) -> Self:
        """A robot of a table of Denavit–Hartenberg parameters.

        Args:
            rows: one dictionary per joint with `a`, `alpha`, `d`, `theta` (omitted ones are 0; the offset of the joint's own
                variable) and `kind`, and the fields of `Link` but its pose and axis. `centre` and `inertia` are in the frame of the
                row. A sequence is `a, alpha, d, theta`.
            convention: `"standard"` (Paul, Spong, Corke) or `"modified"` (Craig).
            name: of the robot.
            gravity: [m/s²].
            tool: position of the tool in the frame of the last row [m]; by default its origin.

        >>> arm = armdyn.Robot.from_dh([
        ...     {"a": 1.0, "mass": 1.0, "centre": (-0.5, 0, 0)},
        ...     {"a": 1.0, "mass": 1.0, "centre": (-0.5, 0, 0)},
        ... ], gravity=(0, -9.81, 0))
        >>> arm.gravity([0, 0])
        array([19.62 ,  4.905])
        """
        keys = {"standard": "dh", "modified": "mdh"}
        if convention not in keys:
            raise ValueError(f'invalid `convention={convention!r}`: expected "standard" or "modified"')
        tables = []
        for k, row in enumerate(rows):
            fields: dict[str, Any] = dict(row) if isinstance(row, Mapping) else dict(zip(("a", "alpha", "d", "theta"), row))
            wrong = {"axis", "xyz", "rpy"} & fields.keys()
            if wrong:
                raise ValueError(f"row {k} has `{wrong.pop()}`, which the Denavit–Hartenberg parameters determine")
            numbers = {key: float(fields.pop(key, 0.0)) for key in ("theta", "d", "a", "alpha")}
            fields.setdefault("name", f"link{k + 1}")
            tables.append(_link(Link(**fields, placement={keys[convention]: numbers}), k))
        return cls(_toml(name, gravity, tables, keys[convention], (0.0, 0.0, 0.0) if tool is None else tool))

    # Changes.

    def _changed(self, *options: str) -> Self:
        robot, messages = self._with_options(list(options))
        for level, text in messages:
            if level == "warning":
                warnings.warn(text, RobotWarning, stacklevel=3)
        return type(self)(robot)

    def with_payload(
        self, mass: float, centre: ArrayLike | None = None, inertia: ArrayLike | None = None, link: str | None = None
    ) -> Self:
        """The robot with a payload, beside those it has.

        Args:
            mass: [kg].
            centre: centre of mass in the frame of the link [m]; by default the tool, or the link's origin.
            inertia: moments of inertia about it, Ixx, Iyy, Izz [kg m²].
            link: by default that of the tool.

        >>> weight = robot.with_payload(2).gravity(q) - robot.gravity(q)
        >>> bool(np.allclose(weight, 2 * 9.81 * robot.jacobian(q)[2]))
        True
        """
        numbers = [mass]
        if inertia is not None and centre is None:
            raise ValueError("a payload with `inertia` needs its `centre`")
        for part, what in ((centre, "centre"), (inertia, "inertia")):
            if part is not None:
                numbers += _vector(part, what, "payload")
        text = ",".join(repr(float(x)) for x in numbers)
        return self._changed(f"--payload={text}" + (f"@{link}" if link else ""))

    def without_payload(self) -> Self:
        """The robot without payloads."""
        return self._changed("--payload=none")

    def lock(self, *joints: str | Mapping[str, Any], **positions: SupportsFloat | ArrayLike) -> Self:
        """The robot with locked joints; its states have the others.

        Args:
            joints: names of joints that are locked at 0, or in the middle of a range without 0; or dictionaries of positions.
            positions: positions of joints [rad, m].

        >>> robot.lock("panda_joint7", panda_joint1=0.5).nv
        5
        """
        for given in joints:
            if isinstance(given, Mapping):
                positions = {**positions, **given}
        options = [f"--lock={joint}" for joint in joints if not isinstance(joint, Mapping)]
        for joint, value in positions.items():
            numbers = ",".join(repr(float(x)) for x in np.atleast_1d(np.asarray(value, dtype=float)))
            options.append(f"--lock={joint}={numbers}")
        return self._changed(*options) if options else self

    def with_gravity(self, gravity: ArrayLike) -> Self:
        """The robot in another gravity [m/s²]: a vector, or a number along −z."""
        numbers = np.atleast_1d(np.asarray(gravity, dtype=float))
        if numbers.shape not in [(1,), (3,)]:
            raise ValueError("`gravity` is a number (along −z) or a vector of 3 numbers")
        return self._changed("--gravity=" + ",".join(repr(float(x)) for x in numbers))

    def without_friction(self) -> Self:
        """The robot without joint friction."""
        return self._changed("--no-friction")

    def without_drives(self) -> Self:
        """The robot without rotors and joint friction."""
        return self._changed("--no-drives")

    # States.

    def random(self, count: int | None = None, *, seed: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Random configurations within the joint limits; joints without limits turn anywhere, and slide within 1 m.

        Args:
            count: number of rows; by default one configuration.
            seed: of the numbers, or a `numpy.random.Generator`.
        """
        generator = np.random.default_rng(seed)
        rows = self._random(generator.random((1 if count is None else count, 4 * self.nq + 8)))
        return rows if count is not None else np.array(rows[0])

    @overload
    def ik(
        self,
        target: ArrayLike,
        *,
        start: ArrayLike | None = ...,
        link: str | None = ...,
        point: ArrayLike | None = ...,
        starts: int = ...,
        seed: int = ...,
        centring: bool = ...,
        all: Literal[False] = ...,
    ) -> Pose: ...
    @overload
    def ik(
        self,
        target: ArrayLike,
        *,
        start: ArrayLike | None = ...,
        link: str | None = ...,
        point: ArrayLike | None = ...,
        starts: int = ...,
        seed: int = ...,
        centring: bool = ...,
        all: Literal[True],
    ) -> list[Pose]: ...
    def ik(
        self,
        target: ArrayLike,
        *,
        start: ArrayLike | None = None,
        link: str | None = None,
        point: ArrayLike | None = None,
        starts: int = 100,
        seed: int = 1,
        centring: bool = True,
        all: bool = False,
    ) -> Pose | list[Pose]:
        """Joint positions for a pose of the tool, within the joint limits.

        Args:
            target: pose as a 4 × 4 matrix, or a position as 3 numbers [m].
            start: configuration to begin with; by default the middle of the joint ranges.
            link: by default the tool.
            point: point of the link [m].
            starts: limit on the number of starting configurations.
            seed: of the random starting configurations.
            centring: whether a redundant arm moves its joints away from their limits.
            all: return a list of all solutions, where there are closed forms; of one otherwise.

        >>> found = robot.ik(robot.fk(q), start=q)
        >>> found.success, bool(np.allclose(robot.fk(found.q), robot.fk(q), atol=1e-8))
        (True, True)
        """
        pose = np.asarray(target, dtype=float)
        if pose.shape == (4, 4):
            rotation = pose[:3, :3]
            proper = np.allclose(rotation.T @ rotation, np.eye(3), atol=1e-6) and np.linalg.det(rotation) > 0
            if not np.allclose(pose[3], [0, 0, 0, 1]) or not proper:
                raise ValueError("`target` is not a pose: a rotation, a position, and the row 0, 0, 0, 1")
            pose = pose[:3]
        elif pose.shape != (3,):
            raise ValueError(f"`target` has the shape {pose.shape}: expected a pose (4, 4) or a position (3,)")
        if start is None:
            lower, upper, begin = self.lower, self.upper, self.neutral()
            if len(begin) == len(lower):
                known = np.isfinite(lower) & np.isfinite(upper)
                begin[known] = 0.5 * (lower + upper)[known]
        else:
            begin = np.asarray(start, dtype=float).ravel()
        at = None if point is None else _vector(point, "point", link or "the tool")
        found = self._ik(pose.ravel().tolist(), begin.tolist(), link, at, starts, seed, centring, all)
        poses = [Pose(**one) for one in found]
        return poses if all else poses[0]

    def base_parameters(self) -> list[tuple[str, str, float]]:
        """The base parameters: combinations of inertial parameters that determine the joint torques.

        Returns:
            For each its name, formula and value.
        """
        return self._base_parameters()

    def emit(self, language: str = "c", *, progress: Progress | None = None, **options: Any) -> Result:
        """Code for a quantity with few operations; `print` shows it, `str` returns it.

        Args:
            language: `"c"`, `"rust"`, `"cuda"`, `"python"`, `"matlab"`, `"wat"` or another one of `derive`.
            progress: True shows a bar; a function is called with a step and the fraction done.
            options: those of `derive`.

        >>> "def gravity(q" in str(armdyn.load("lin-rr").emit("python", what="gravity"))
        True
        """
        return _commands.run(self, "derive", {"emit": language, **options}, name="emit", progress=progress)

    # Files.

    def _text(self, form: str) -> str:
        text, losses = self._convert(form)
        # Comments are no loss.
        losses = [loss for loss in losses if "written as a comment" not in loss]
        if losses:
            listed = "; ".join(losses[:3]) + ("; …" if len(losses) > 3 else "")
            warnings.warn(f"{form.upper()} cannot represent all of {self.name}: {listed}", RobotWarning, stacklevel=3)
        return text

    def to_toml(self) -> str:
        """The robot as TOML: all of it, exactly."""
        return self._text("toml")

    def to_urdf(self) -> str:
        """The robot as URDF. A warning lists what URDF cannot represent."""
        return self._text("urdf")

    def to_mjcf(self) -> str:
        """The robot as MJCF. A warning lists what MJCF cannot represent."""
        return self._text("mjcf")

    def save(self, path: File) -> None:
        """Writes the robot as .toml, .urdf or .xml (MJCF)."""
        forms = {".toml": self.to_toml, ".urdf": self.to_urdf, ".xml": self.to_mjcf}
        extension = os.path.splitext(os.fspath(path))[1].lower()
        if extension not in forms:
            raise ValueError(f"unknown robot format of `{path}`: expected .toml, .urdf or .xml")
        text = forms[extension]()
        beside = f"{os.fspath(path)}.{os.getpid()}.partial"
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)

    # Other libraries.

    def to_pinocchio(self) -> Any:
        """The robot as a `pinocchio.Model`: configurations and velocities are the same numbers; rotors are part of its `armature`.

        Raises:
            Error: names a joint that Pinocchio does not have, or that follows another one.
        """
        from . import _interop

        return _interop.to_pinocchio(self)

    def torch_module(self, quantity: Literal["rnea", "aba"] = "rnea") -> Any:
        """`rnea` or `aba` as a `torch.nn.Module` with exact derivatives."""
        from . import _torch

        return _torch.module(self, quantity)

    def jax_function(self, quantity: Literal["rnea", "aba"] = "rnea") -> Any:
        """`rnea` or `aba` as a function for JAX's `jit`, `grad` and `vmap`, with exact derivatives."""
        from . import _jax

        return _jax.function(self, quantity)

    # Representation.

    def __reduce__(self) -> Any:
        return _restore, (type(self), self.to_toml())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Robot):
            return NotImplemented
        return self is other or self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __repr__(self) -> str:
        degrees = "1 degree" if self.nv == 1 else f"{self.nv} degrees"
        return f"<armdyn.Robot {self.name!r}: {degrees} of freedom, {self.mass:.4g} kg>"

    def _repr_html_(self) -> str:
        shown = _commands.run(self, "show", {})
        picture = self._picture(self._configuration().tolist())
        return f'{STYLE}<div class="armdyn">{picture}{shown._html}</div>'

    def view(
        self, q: ArrayLike | None = None, *, t: ArrayLike | None = None, tau: ArrayLike | None = None, height: int = 560
    ) -> View:
        """The robot in 3-D, for a notebook: one configuration, or a motion that is played.

        Args:
            q: a configuration, by default the one within the limits that is closest to zero; or the rows of a motion.
            t: times of the rows [s]; by default 0.01 s apart.
            tau: joint torques of the rows, to be shown.
            height: of the view in pixels.
        """
        rows = np.atleast_2d(np.asarray(self._configuration() if q is None else q, dtype=float))
        times = np.arange(len(rows)) * 0.01 if t is None else np.asarray(t, dtype=float)
        torques = None if tau is None else np.atleast_2d(np.asarray(tau, dtype=float)).tolist()
        return View(self._page(times.tolist(), rows.tolist(), torques), height)


class View:
    """A page with the robot in 3-D. A notebook shows it; `save` writes it."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        # A frame of its own: its script and style do not meet those of the notebook.
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.page)}" style="{style}" sandbox="allow-scripts"></iframe>'

    def save(self, path: File) -> None:
        """Writes the page as .html."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)


def _restore(cls: type[Robot], text: str) -> Robot:
    return cls(text)


# Building: a robot as TOML.


def _link(link: Link, k: int) -> dict[str, Any]:
    numbers = [float(x) for x in np.asarray(link.axis, dtype=float).ravel()]
    joint: dict[str, Any] = {"name": link.joint or f"joint{k + 1}", "kind": link.kind}
    if link.placement:
        joint.update(link.placement)
    else:
        if link.kind not in ("fixed", "free", "spherical", "generalized"):
            joint["axis"] = numbers
        joint["origin"] = {"xyz": _vector(link.xyz, "xyz", link.name), "rpy": _vector(link.rpy, "rpy", link.name)}
    limits: dict[str, float] = {}
    if link.limits is not None:
        limits["lower"], limits["upper"] = map(float, link.limits)
    if link.velocity is not None:
        limits["speed"] = float(link.velocity)
    if link.effort is not None:
        limits["effort"] = float(link.effort)
    if limits:
        joint["limits"] = {key: value for key, value in limits.items() if np.isfinite(value)}
    if link.viscous or link.coulomb:
        joint["friction"] = {"viscous": float(link.viscous), "coulomb": float(link.coulomb)}
    drive = {key: float(x) for key in ("rotor", "gear", "armature") if (x := getattr(link, key)) is not None}
    if drive:
        joint["drive"] = drive
    table: dict[str, Any] = {"name": link.name, "joint": joint}
    if link.parent is not None:
        table["parent"] = link.parent
    table["mass"] = float(link.mass)
    if link.mass:
        table["centre"] = _vector(link.centre, "centre", link.name)
    if link.inertia is not None:
        tensor = np.asarray(link.inertia, dtype=float)
        if tensor.shape == (3, 3):
            if not np.allclose(tensor, tensor.T, rtol=1e-9, atol=1e-15):
                raise ValueError(f"`inertia` of {link.name!r} is not symmetric")
            tensor = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        if tensor.shape not in [(3,), (6,)]:
            raise ValueError(f"`inertia` of {link.name!r} has the shape {tensor.shape}: expected (3, 3), (3,) or (6,)")
        names = ["xx", "yy", "zz", "xy", "xz", "yz"]
        table["inertia"] = {"about": "centre", **dict(zip(names, tensor.tolist()))}
    return table


def _vector(value: ArrayLike, what: str, name: str) -> list[float]:
    vector = np.asarray(value, dtype=float)
    if vector.shape != (3,):
        raise ValueError(f"`{what}` of {name!r} has the shape {vector.shape}: expected (3,)")
    return [float(x) for x in vector]


def _toml(
    name: str,
    gravity: ArrayLike,
    links: list[dict[str, Any]],
    convention: str | None = None,
    tool: ArrayLike | None = None,
    base: dict[str, Any] | None = None,
    tool_link: str | None = None,
) -> str:
    lines = ["version = 1", f"name = {_value(name)}", f"gravity = {_value(_vector(gravity, 'gravity', name))}"]
    if convention:
        lines.append(f"convention = {_value(convention)}")
    if not links:
        raise Error("a robot needs links")
    if base is not None:
        lines.append(f"base = {_value(base)}")
    if tool is not None or tool_link is not None:
        lines.append("[tool]")
        if tool_link is not None:
            lines.append(f"link = {_value(tool_link)}")
        if tool is not None:
            lines.append(f"at = {{ xyz = {_value(_vector(tool, 'tool', name))} }}")
    for link in links:
        lines += ["[[link]]", *(f"{key} = {_value(value)}" for key, value in link.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(x)}" for key, x in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        escaped = "".join(c if c >= " " and c not in '"\\' else f"\\u{ord(c):04x}" for c in value)
        return f'"{escaped}"'
    return repr(float(value))
