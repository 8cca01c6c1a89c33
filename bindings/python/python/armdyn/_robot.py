"""Robots."""

from __future__ import annotations

import html
import os
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _armdyn, _commands
from ._errors import Error, RobotWarning
from ._results import STYLE, Pose


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
    placement: dict = field(default_factory=dict, repr=False)


def load(source, *, packages=None, arguments=None, quiet=False):
    """Loads a robot.

    Args:
        source: a bundled robot (`armdyn.ROBOTS`), a path to a URDF, MJCF (.xml), xacro or TOML file, or the text of one.
        packages: folders of ROS packages by name, for `package://`.
        arguments: values of xacro arguments.
        quiet: no warning about errors in the description.

    Raises:
        LoadError: with what is wrong in the file; `findings` has files and lines.

    >>> armdyn.load("ur5e").mass.__round__(2)
    20.87
    """
    robot = Robot(source, packages, arguments)
    errors, _ = robot._counts()
    if errors and not quiet:
        what = "1 error" if errors == 1 else f"{errors} errors"
        warnings.warn(f"{robot.name}: the description has {what}; see `robot.check()`", RobotWarning, stacklevel=2)
    return robot


class Robot(_armdyn.Robot):
    """A robot: links, joints, drives and payloads. Robots do not change; `with_payload` and others return new ones.

    Quantities of a state take arrays of nq or nv numbers, or batches with one row per state. `out=` receives the result. With
    arguments in float32 they are computed in float32.
    """

    __slots__ = ()

    @classmethod
    def from_links(cls, links, *, name="robot", gravity=(0.0, 0.0, -9.81), tool=None):
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
        tables = [_link(Link(**link) if isinstance(link, dict) else link, k) for k, link in enumerate(links)]
        return cls(_toml(name, gravity, tables, tool=tool))

    @classmethod
    def from_dh(cls, rows, *, convention="standard", name="robot", gravity=(0.0, 0.0, -9.81), tool=None):
        """A robot of a table of Denavit–Hartenberg parameters.

        Args:
            rows: one dictionary per joint with `a`, `alpha`, `d`, `theta` (omitted ones are 0; the offset of the joint's own
                variable) and `kind`, and the fields of `Link` but its pose and axis. `centre` and `inertia` are in the frame of the
                row. A sequence is `a, alpha, d, theta`.
            convention: `"standard"` (Paul, Spong, Corke) or `"modified"` (Craig).
            name: of the robot.
            gravity: [m/s²].
            tool: position of the tool in the frame of the last link [m].

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
            row = dict(row) if isinstance(row, dict) else dict(zip(("a", "alpha", "d", "theta"), row))
            wrong = {"axis", "xyz", "rpy"} & row.keys()
            if wrong:
                raise ValueError(f"row {k} has `{wrong.pop()}`, which the Denavit–Hartenberg parameters determine")
            numbers = {key: float(row.pop(key, 0.0)) for key in ("theta", "d", "a", "alpha")}
            row.setdefault("name", f"link{k + 1}")
            tables.append(_link(Link(**row, placement={keys[convention]: numbers}), k))
        return cls(_toml(name, gravity, tables, keys[convention], tool))

    # Changes.

    def _changed(self, *options):
        robot, messages = self._with_options(list(options))
        for level, text in messages:
            if level == "warning":
                warnings.warn(text, RobotWarning, stacklevel=3)
        return type(self)(robot)

    def with_payload(self, mass, centre=None, inertia=None, link=None):
        """The robot with a payload.

        Args:
            mass: [kg]. 0 removes the payloads of the file.
            centre: centre of mass in the frame of the link [m]; by default the tool, or the link's origin.
            inertia: moments of inertia about it, Ixx, Iyy, Izz [kg m²].
            link: by default that of the tool.

        >>> float(robot.with_payload(2).gravity(q)[1] - robot.gravity(q)[1])  # doctest: +ELLIPSIS
        -9.8...
        """
        if mass == 0:
            return self._changed("--payload=none")
        numbers = [mass]
        if inertia is not None and centre is None:
            raise ValueError("a payload with `inertia` needs its `centre`")
        for part in (centre, inertia):
            if part is not None:
                numbers += list(part)
        text = ",".join(repr(float(x)) for x in numbers)
        return self._changed(f"--payload={text}" + (f"@{link}" if link else ""))

    def without_payload(self):
        """The robot without the payloads of its file."""
        return self._changed("--payload=none")

    def lock(self, *joints, **positions):
        """The robot with locked joints, at 0 or at given positions [rad, m]; its states have the others.

        >>> robot.lock("panda_joint7", panda_joint1=0.5).nv
        5
        """
        options = [f"--lock={joint}" for joint in joints]
        for joint in joints:
            if isinstance(joint, dict):
                raise TypeError("pass positions as keywords: lock(**positions)")
        options += [f"--lock={joint}={float(value)!r}" for joint, value in positions.items()]
        return self._changed(*options) if options else self

    def with_gravity(self, gravity):
        """The robot in another gravity [m/s²]: a vector, or a number along −z."""
        numbers = np.atleast_1d(np.asarray(gravity, dtype=float))
        if numbers.shape not in [(1,), (3,)]:
            raise ValueError("`gravity` is a number (along −z) or a vector of 3 numbers")
        return self._changed("--gravity=" + ",".join(repr(float(x)) for x in numbers))

    def without_friction(self):
        """The robot without joint friction."""
        return self._changed("--no-friction")

    def without_drives(self):
        """The robot without rotors and joint friction."""
        return self._changed("--no-drives")

    # States.

    def random(self, count=None, *, seed=None):
        """Random configurations within the joint limits; joints without limits turn anywhere, and slide within 1 m.

        Args:
            count: number of rows; by default one configuration.
            seed: of the numbers, or a `numpy.random.Generator`.
        """
        generator = np.random.default_rng(seed)
        rows = [self._random(generator.random(4 * self.nq + 8)) for _ in range(1 if count is None else count)]
        return rows[0] if count is None else np.array(rows).reshape(count, self.nq)

    def ik(self, target, *, start=None, link=None, point=None, starts=100, seed=1, centring=True, all=False):
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
        target = np.asarray(target, dtype=float)
        if target.shape == (4, 4):
            if not np.allclose(target[3], [0, 0, 0, 1]) or not np.allclose(target[:3, :3].T @ target[:3, :3], np.eye(3), atol=1e-6):
                raise ValueError("`target` is not a pose: a rotation, a position, and the row 0, 0, 0, 1")
            target = target[:3]
        elif target.shape != (3,):
            raise ValueError(f"`target` has the shape {target.shape}: expected a pose (4, 4) or a position (3,)")
        if start is None:
            lower, upper, start = self.lower, self.upper, self.neutral()
            if len(start) == len(lower):
                known = np.isfinite(lower) & np.isfinite(upper)
                start[known] = 0.5 * (lower + upper)[known]
        point = None if point is None else [float(x) for x in point]
        start = [float(x) for x in start]
        found = self._ik(target.ravel().tolist(), start, link, point, starts, seed, centring, all)
        found = [Pose(**one) for one in found]
        return found if all else found[0]

    def base_parameters(self):
        """The base parameters: combinations of inertial parameters that determine the joint torques.

        Returns:
            For each its name, formula and value.
        """
        return self._base_parameters()

    # Analyses that the commands compute: see the end of this file.

    def emit(self, language="c", **options):
        """Code for a quantity with few operations; `print` shows it, `str` returns it.

        Args:
            language: `"c"`, `"rust"`, `"cuda"`, `"python"`, `"matlab"`, `"wat"`.
            options: those of `derive`.
        """
        return _commands.run(self, "derive", {"emit": language, **options}, name="emit")

    # Files.

    def _text(self, form):
        text, losses = self._convert(form)
        # Comments are no loss.
        losses = [loss for loss in losses if "written as a comment" not in loss]
        if losses:
            listed = "; ".join(losses[:3]) + ("; …" if len(losses) > 3 else "")
            warnings.warn(f"{form.upper()} cannot represent all of {self.name}: {listed}", RobotWarning, stacklevel=3)
        return text

    def to_toml(self):
        """The robot as TOML: all of it, exactly."""
        return self._text("toml")

    def to_urdf(self):
        """The robot as URDF. A warning lists what URDF cannot represent."""
        return self._text("urdf")

    def to_mjcf(self):
        """The robot as MJCF. A warning lists what MJCF cannot represent."""
        return self._text("mjcf")

    def save(self, path):
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

    def to_pinocchio(self):
        """The robot as a `pinocchio.Model`, with rotor inertia and friction."""
        from . import _interop

        return _interop.to_pinocchio(self)

    def torch_module(self, quantity="rnea"):
        """`rnea` or `aba` as a `torch.nn.Module` with exact derivatives."""
        from . import _torch

        return _torch.module(self, quantity)

    def jax_function(self, quantity="rnea"):
        """`rnea` or `aba` as a function for JAX's `jit`, `grad` and `vmap`, with exact derivatives."""
        from . import _jax

        return _jax.function(self, quantity)

    # Representation.

    def __reduce__(self):
        return _restore, (type(self), self.to_toml())

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        return isinstance(other, Robot) and self.to_toml() == other.to_toml()

    def __hash__(self):
        return hash(self.to_toml())

    def __repr__(self):
        degrees = "1 degree" if self.nv == 1 else f"{self.nv} degrees"
        return f"<armdyn.Robot {self.name!r}: {degrees} of freedom, {self.mass:.4g} kg>"

    def _repr_html_(self):
        shown = _commands.run(self, "show", {})
        picture = self._picture()
        return f'{STYLE}<div class="armdyn">{picture}{shown._html}</div>'

    def view(self, q=None, *, t=None, tau=None, height=480):
        """The robot in 3-D, for a notebook: one configuration, or a motion that is played.

        Args:
            q: a configuration, by default the neutral one, or the rows of a motion.
            t: times of the rows [s]; by default 0.01 s apart.
            tau: joint torques of the rows, to be shown.
            height: of the view in pixels.
        """
        rows = np.atleast_2d(np.asarray(self.neutral() if q is None else q, dtype=float))
        times = np.arange(len(rows)) * 0.01 if t is None else np.asarray(t, dtype=float)
        tau = None if tau is None else np.atleast_2d(np.asarray(tau, dtype=float)).tolist()
        return View(self._page(times.tolist(), rows.tolist(), tau), height)


class View:
    """A page with the robot in 3-D. A notebook shows it; `save` writes it."""

    def __init__(self, page, height):
        self.page, self.height = page, height

    def _repr_html_(self):
        # A frame of its own: its script and style do not meet those of the notebook.
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.page)}" style="{style}" sandbox="allow-scripts"></iframe>'

    def save(self, path):
        """Writes the page as .html."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)


def _restore(cls, text):
    return cls(text)


# Building: a robot as TOML.


def _link(link, k):
    numbers = [float(x) for x in np.asarray(link.axis, dtype=float).ravel()]
    joint = {"name": link.joint or f"joint{k + 1}", "kind": link.kind}
    if link.placement:
        joint.update(link.placement)
    else:
        if link.kind not in ("fixed", "free", "spherical", "generalized"):
            joint["axis"] = numbers
        joint["origin"] = {"xyz": _vector(link.xyz, "xyz", link.name), "rpy": _vector(link.rpy, "rpy", link.name)}
    limits = {}
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
    table = {"name": link.name, "joint": joint}
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


def _vector(value, what, name):
    vector = np.asarray(value, dtype=float).ravel().tolist()
    if len(vector) != 3:
        raise ValueError(f"`{what}` of {name!r} has {len(vector)} numbers: expected 3")
    return vector


def _toml(name, gravity, links, convention=None, tool=None, base=None):
    lines = ["version = 1", f"name = {_value(name)}", f"gravity = {_value(_vector(gravity, 'gravity', name))}"]
    if convention:
        lines.append(f"convention = {_value(convention)}")
    if not links:
        raise Error("a robot needs links")
    if base is not None:
        lines.append(f"base = {_value(base)}")
    if tool is not None:
        lines += ["[tool]", f"at = {{ xyz = {_value(_vector(tool, 'tool', name))} }}"]
    for link in links:
        lines += ["[[link]]", *(f"{key} = {_value(value)}" for key, value in link.items())]
    return "\n".join(lines) + "\n"


def _value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(x)}" for key, x in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        escaped = "".join(c if c >= " " and c not in '"\\' else f"\\u{ord(c):04x}" for c in value)
        return f'"{escaped}"'
    return repr(float(value))


# The commands as methods.

#: Commands that are methods, and the arguments that may be given without a name.
METHODS = {
    "check": [],
    "show": [],
    "terms": ["q", "v"],
    "explain": ["q", "v", "a"],
    "kinematics": ["q", "v", "a"],
    "derive": [],
    "trace": ["method"],
    "ops": [],
    "simplify": [],
    "range": [],
    "importance": [],
    "size": [],
    "deflect": [],
    "trajectory": ["waypoints"],
    "simulate": [],
    "control": [],
    "tipover": [],
    "report": [],
}


def _method(command, positional):
    described = _commands.COMMANDS[command]
    names = {option["name"] for option in described["options"]}
    positional = [p for p in positional if _commands.SHORT.get(p, p) in names]

    def method(self, *args, progress=None, **options):
        if len(args) > len(positional):
            raise TypeError(f"`{command}` takes at most {len(positional)} arguments without a name: {', '.join(positional)}")
        for name, value in zip(positional, args):
            if name in options:
                raise TypeError(f"`{command}` has two values of `{name}`")
            options[name] = value
        return _commands.run(self, command, options, progress=progress)

    lines = [described["about"] + ".", "", "Args:"]
    for option in described["options"]:
        if option["name"] in _commands.NOT_HERE:
            continue
        key = next((s for s, long in _commands.SHORT.items() if long == option["name"]), option["name"].replace("-", "_"))
        text = " ".join(option["help"].split())
        value = f" ({option['value']})" if option["value"] and not option["flag"] else ""
        lines.append(f"    {key}{value}: {text}.")
    lines += ["    progress: True shows a bar; a function is called with a step and the fraction done.", "", "Returns:", "    A `Result`."]
    method.__name__ = command
    method.__qualname__ = f"Robot.{command}"
    method.__doc__ = "\n".join(lines)
    return method


for _command, _positional in METHODS.items():
    setattr(Robot, _command, _method(_command, _positional))
