"""D_ii(q) and D_i(q) of a robot file in Denavit-Hartenberg convention, from its parameters alone.

Positions of the centres of mass and axes by products of 4x4 matrices, and from their Jacobians

  D = sum over bodies of  m Jv' Jv + Jw' R I R' Jw,     D_i = - sum of  m g . Jv_i,

many poses at once. Revolute and prismatic joints, one drive each; nothing here comes from armdyn.
"""

import tomllib

import numpy as np

INCH = 0.0254
OUNCE = 0.45359237 * 9.80665 / 16.0  # of force, N
UNITS = {
    "in": INCH,
    "deg": np.pi / 180.0,
    "kg": 1.0,
    "kg-m2": 1.0,
    "oz-s2/in": OUNCE / INCH,
    "oz-in-s2": OUNCE * INCH,
}
GRAVITY = np.array([0.0, 0.0, -9.81])


def figure(given):
    """A number in SI, or several behind one unit."""
    if isinstance(given, list):
        return np.array([figure(x) for x in given])
    if not isinstance(given, str):
        return float(given)
    *numbers, unit = given.split()
    values = np.array([float(x) for x in numbers]) * UNITS[unit]
    return values if len(numbers) > 1 else float(values[0])


def body(table):
    """Mass, centre, and the tensor about the centre."""
    mass = figure(table.get("mass", 0.0))
    centre = np.asarray(figure(table.get("centre", [0.0, 0.0, 0.0])))
    given = table.get("inertia")
    tensor = np.zeros((3, 3))
    if given:
        for name, (i, j) in {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}.items():
            tensor[i, j] = tensor[j, i] = figure(given.get(name, 0.0))
        if given["about"] == "origin":
            tensor -= mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return mass, centre, tensor


def cube(table):
    mass, side = figure(table["mass"]), figure(table["side"])
    return mass, np.zeros(3), mass * side**2 / 6.0 * np.eye(3)


class Arm:
    """A chain; `bodies` are (link, mass, centre, tensor)."""

    def __init__(self, path, loaded):
        with open(path, "rb") as file:
            table = tomllib.load(file)
        assert table["convention"] == "dh" and "gravity" not in table and "base" not in table
        self.name, self.joints, self.bodies, ends = table["name"], [], [], []
        for k, link in enumerate(table["link"]):
            joint, drive = link["joint"], link["joint"].get("drive", {})
            dh = {name: figure(joint.get("dh", {}).get(name, 0.0)) for name in ("theta", "d", "a", "alpha")}
            reflected = figure(drive.get("rotor", 0.0)) * figure(drive.get("gear", 1.0)) ** 2
            assert joint["kind"] in ("revolute", "prismatic") and "axis" not in joint and "parent" not in link
            self.joints.append((joint["kind"] == "revolute", dh, reflected + figure(drive.get("armature", 0.0))))
            self.bodies.append((k, *body(link)))
            ends.append((figure(joint["limits"]["lower"]), figure(joint["limits"]["upper"])))
        self.loads = table.get("payload", [])
        names = [link["name"] for link in table["link"]]
        for load in self.loads if loaded else []:
            for part in load["bodies"]:
                assert part["kind"] == "cube" and "at" not in part
                self.bodies.append((names.index(load["link"]), *cube(part)))
        self.ranges = np.array(ends)

    def coefficients(self, q):
        """D_ii and D_i at poses, rows of q."""
        count, n = q.shape
        frame = np.broadcast_to(np.eye(4), (count, 4, 4))
        axes, places, frames = [], [], []
        for k, (turns, dh, _) in enumerate(self.joints):
            axes.append(frame[:, :3, 2])
            places.append(frame[:, :3, 3])
            theta = dh["theta"] + (q[:, k] if turns else 0.0) + np.zeros(count)
            d = dh["d"] + (0.0 if turns else q[:, k]) + np.zeros(count)
            c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(dh["alpha"]), np.sin(dh["alpha"])
            o, i = np.zeros(count), np.ones(count)
            rows = [
                [c, -s * ca, s * sa, dh["a"] * c],
                [s, c * ca, -c * sa, dh["a"] * s],
                [o, sa * i, ca * i, d],
                [o, o, o, i],
            ]
            frame = frame @ np.stack([np.stack(row, -1) for row in rows], -2)
            frames.append(frame)
        inertia = np.tile([drive for _, _, drive in self.joints], (count, 1))
        gravity = np.zeros((count, n))
        for link, mass, centre, tensor in self.bodies:
            rotation = frames[link][:, :3, :3]
            place = frames[link][:, :3, 3] + rotation @ centre
            for k in range(link + 1):
                turns, axis = self.joints[k][0], axes[k]
                speed = np.cross(axis, place - places[k]) if turns else axis
                inertia[:, k] += mass * np.einsum("pi,pi->p", speed, speed)
                gravity[:, k] -= mass * speed @ GRAVITY
                if turns:
                    own = np.einsum("pij,pi->pj", rotation, axis)
                    inertia[:, k] += np.einsum("pi,ij,pj->p", own, tensor, own)
        return inertia, gravity
