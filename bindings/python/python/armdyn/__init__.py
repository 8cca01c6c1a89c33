"""armdyn: the dynamics of robot arms.

>>> import armdyn
>>> robot = armdyn.load("panda")
>>> q = [0, -0.7, 0, -2, 0, 1.5, 0.8]
>>> robot.gravity(q)[1:6].round(3)
array([-2.233, -0.586, 16.734,  0.61 ,  1.794])

A robot is a bundled one (`armdyn.ROBOTS`), a URDF, MJCF, xacro or TOML file, the text of such a file, or is built here
(`Robot.from_dh`, `Robot.from_links`). Methods take one state, arrays of n numbers, or a batch, arrays with one row per state. All
values are in SI units.
"""

from . import _armdyn
from ._armdyn import ROBOTS, __version__
from ._errors import Error, Interrupted, LoadError, RobotWarning, StateError
from ._interop import from_mujoco, from_pinocchio, from_roboticstoolbox
from ._results import Energy, Momentum, Pose, Result
from ._robot import Link, Robot, load
from ._study import study

__all__ = [
    "ROBOTS",
    "Energy",
    "Error",
    "Interrupted",
    "Link",
    "LoadError",
    "Momentum",
    "Pose",
    "Result",
    "Robot",
    "RobotWarning",
    "StateError",
    "__version__",
    "from_mujoco",
    "from_pinocchio",
    "from_roboticstoolbox",
    "load",
    "study",
]

del _armdyn
