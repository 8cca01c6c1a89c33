"""One arm in four formats: writes NAME.dh.toml, NAME.mdh.toml, NAME.urdf and NAME.xml (MJCF) for two arms.

Needs numpy and nothing of armdyn: from a table of standard Denavit-Hartenberg parameters, with masses, centres and
tensors in the distal frames, each format gets frames of its own, and the tensors are carried over to them.

  dh.toml   as the table has it: frame i behind the link, off the joint's axis where a is not zero
  mdh.toml  frame i on the joint's axis, z along it
  urdf      frame i at the foot of the joint, turned as the base at q = 0; axes are general; the inertial's own frame is
            turned as the table's frame i
  xml       body i has the table's frame i; the joint's anchor and axis are somewhere in it; tensors in full for one
            arm, as principal moments with a quaternion for the other

    python3 make.py
"""

import numpy as np

# theta, d, a, alpha at q = 0; mass, centre, tensor about the centre (xx, yy, zz, xy, xz, yz); viscous friction.
# The PUMA 560 of robots/puma560.toml, but for two figures that MuJoCo would refuse: link 1 has a mass (on its axis,
# where it does nothing) and moments about all axes, and I_yy of link 3 is within the triangle inequality. theta is not
# zero, so that frames are not all quarter turns apart: this arm's q is that of robots/puma560.toml less theta.
QUARTER = np.pi / 2
PUMA560 = [
    ("revolute", 0, 0.67183, 0, QUARTER, 2.0, (0, 0, 0), (0.35, 0.35, 0.35, 0, 0, 0), 5.8, (-2.79, 2.79)),
    ("revolute", 0.3, 0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539, 0, 0, 0), 9.5, (-0.78, 3.92)),
    ("revolute", -0.4, 0.15005, 0.0203, -QUARTER, 4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.078, 0.0125, 0, 0, 0), 4.0, (-3.92, 0.78)),
    ("revolute", 0.2, 0.4318, 0, QUARTER, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3, 0, 0, 0), 0.41, (-1.91, 2.96)),
    ("revolute", 0.1, 0, 0, -QUARTER, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3, 0, 0, 0), 0.43, (-1.74, 1.74)),
    ("revolute", -0.7, 0, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3, 0, 0, 0), 0.22, (-4.64, 4.64)),
]


def box(m, size, at):
    x, y, z = np.square(size)
    return m, np.array(at), np.diag([y + z, x + z, x + y]) * m / 12


def cylinder(m, length, r, at):
    side = m * (3 * r * r + length * length) / 12
    return m, np.array(at), np.diag([side, side, m * r * r / 2])


def together(*parts):
    """Mass, centre and tensor about the centre of several bodies with parallel axes."""
    m = sum(p[0] for p in parts)
    c = sum(p[0] * p[1] for p in parts) / m
    t = sum(p[2] + p[0] * (np.dot(p[1] - c, p[1] - c) * np.eye(3) - np.outer(p[1] - c, p[1] - c)) for p in parts)
    return m, c, (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


# The parts of robots/scara.toml; theta as above.
SCARA = [
    ("revolute", 0.25, 0.387, 0.325, 0)
    + together(box(8.5, (0.45, 0.16, 0.1), (-0.1625, 0, -0.05)), cylinder(2.8, 0.12, 0.045, (0, 0, -0.04)))
    + (3.0, (-0.87, 0.87)),
    ("revolute", -0.6, 0, 0.275, np.pi)
    + together(
        box(5.2, (0.38, 0.14, 0.12), (-0.1375, 0, -0.06)),
        cylinder(1.4, 0.1, 0.03, (-0.09, 0.03, -0.17)),
        cylinder(1.2, 0.09, 0.03, (-0.09, -0.03, -0.165)),
    )
    + (1.5, (-1.53, 1.53)),
    ("prismatic", 0.15, 0, 0, 0)
    + together(cylinder(1.1, 0.4, 0.01, (0, 0, -0.2)), cylinder(0.6, 0.04, 0.03, (0, 0, -0.38)))
    + (12.0, (0, 0.21)),
    ("revolute", 0.4, 0, 0, 0) + together(cylinder(0.2, 0.012, 0.03, (0, 0, -0.006))) + (0.05, (-6.28, 6.28)),
]


def rot_x(t):
    c, s = np.cos(t), np.sin(t)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rot_z(t):
    c, s = np.cos(t), np.sin(t)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def pose(r, p):
    t = np.eye(4)
    t[:3, :3], t[:3, 3] = r, p
    return t


def tensor(t):
    xx, yy, zz, xy, xz, yz = t
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def elements(t):
    return t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]


def text(*numbers):
    # Rounded sines of quarter turns are zeros; + 0.0 takes the sign off a zero.
    return [repr(float(0.0 if abs(x) < 1e-15 else x) + 0.0) for x in numbers]


def array(v):
    return "[" + ", ".join(text(*v)) + "]"


def rpy(r):
    """Roll, pitch, yaw of Rz(yaw) Ry(pitch) Rx(roll)."""
    return np.arctan2(r[2, 1], r[2, 2]), np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0])), np.arctan2(r[1, 0], r[0, 0])


def quaternion(r):
    """w, x, y, z, from the largest of the four."""
    squares = np.array([1 + r[0, 0] + r[1, 1] + r[2, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2],
                        1 - r[0, 0] + r[1, 1] - r[2, 2], 1 - r[0, 0] - r[1, 1] + r[2, 2]])
    products = np.array([[squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
                         [r[2, 1] - r[1, 2], squares[1], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
                         [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], squares[2], r[1, 2] + r[2, 1]],
                         [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[3]]])
    row = products[np.argmax(squares)]
    return row / np.linalg.norm(row)


def toml(name, arm, convention):
    lines = ["# Written by make.py.", "version = 1", f'name = "{name}"', f'convention = "{convention}"']
    before = (0, 0)
    for k, (kind, theta, d, a, alpha, m, c, t, viscous, (lower, upper)) in enumerate(arm, 1):
        if convention == "dh":
            placed = f"dh = {{ theta = {text(theta)[0]}, d = {text(d)[0]}, a = {text(a)[0]}, alpha = {text(alpha)[0]} }}"
        else:
            placed = f"mdh = {{ alpha = {text(before[1])[0]}, a = {text(before[0])[0]}, theta = {text(theta)[0]}, d = {text(d)[0]} }}"
            turned = rot_x(alpha)
            c, t, before = turned @ c + [a, 0, 0], elements(turned @ tensor(t) @ turned.T), (a, alpha)
        names = "xx yy zz xy xz yz".split()
        moments = ", ".join(f"{n} = {x}" for n, x in zip(names, text(*t)))
        lines += ["", "[[link]]", f'name = "link{k}"', f"mass = {text(m)[0]}", f"centre = {array(c)}",
                  f'inertia = {{ about = "centre", {moments} }}', "", "[link.joint]", f'name = "joint{k}"', f'kind = "{kind}"', placed,
                  f"friction = {{ viscous = {text(viscous)[0]} }}", f"limits = {{ lower = {text(lower)[0]}, upper = {text(upper)[0]} }}"]
    return "\n".join(lines) + "\n"


def frames(arm):
    """The table's frames and the joints' axes and feet, in the base at q = 0."""
    at = np.eye(4)
    for row in arm:
        _, theta, d, a, alpha = row[:5]
        axis, foot = at[:3, 2].copy(), (at @ pose(np.eye(3), [0, 0, d]))[:3, 3]
        at = at @ pose(rot_z(theta), [0, 0, d]) @ pose(rot_x(alpha), [a, 0, 0])
        yield axis, foot, at.copy(), row


def urdf(name, arm):
    lines = ["<?xml version=\"1.0\"?>", "<!-- Written by make.py. -->", f'<robot name="{name}">', '  <link name="base"/>']
    last, parent = np.zeros(3), "base"
    for k, (axis, foot, at, (kind, *_, m, c, t, viscous, (lower, upper))) in enumerate(frames(arm), 1):
        centre = (at @ [*c, 1])[:3] - foot
        names = "ixx iyy izz ixy ixz iyz".split()
        moments = " ".join(f'{n}="{x}"' for n, x in zip(names, text(*t)))
        line = lambda v: " ".join(text(*v))
        lines += [
            f'  <joint name="joint{k}" type="{kind}">', f'    <parent link="{parent}"/>', f'    <child link="link{k}"/>',
            f'    <origin xyz="{line(foot - last)}" rpy="0 0 0"/>', f'    <axis xyz="{line(axis)}"/>',
            f'    <limit lower="{text(lower)[0]}" upper="{text(upper)[0]}" effort="100" velocity="10"/>',
            f'    <dynamics damping="{text(viscous)[0]}"/>', "  </joint>", f'  <link name="link{k}">', "    <inertial>",
            f'      <origin xyz="{line(centre)}" rpy="{line(rpy(at[:3, :3]))}"/>', f'      <mass value="{text(m)[0]}"/>',
            f"      <inertia {moments}/>", "    </inertial>", "  </link>"]
        last, parent = foot, f"link{k}"
    return "\n".join(lines + ["</robot>"]) + "\n"


def mjcf(name, arm, full):
    lines = [f'<mujoco model="{name}">', "  <!-- Written by make.py. -->", '  <compiler angle="radian" autolimits="true"/>',
             '  <option gravity="0 0 -9.81"/>', "  <worldbody>"]
    last, pad = np.eye(4), "    "
    for k, (axis, foot, at, (kind, *_, m, c, t, viscous, limits)) in enumerate(frames(arm), 1):
        line = lambda v: " ".join(text(*v))
        step, back = np.linalg.inv(last) @ at, at[:3, :3].T
        kind = {"revolute": "hinge", "prismatic": "slide"}[kind]
        if full:
            inertia = f'fullinertia="{line(t)}"'
        else:
            moments, axes = np.linalg.eigh(tensor(t))
            axes[:, 2] *= np.linalg.det(axes)
            inertia = f'quat="{line(quaternion(axes))}" diaginertia="{line(moments)}"'
        lines += [
            f'{pad}<body name="link{k}" pos="{line(step[:3, 3])}" quat="{line(quaternion(step[:3, :3]))}">',
            f'{pad}  <joint name="joint{k}" type="{kind}" pos="{line(back @ (foot - at[:3, 3]))}" axis="{line(back @ axis)}" '
            f'range="{line(limits)}" damping="{text(viscous)[0]}"/>',
            f'{pad}  <inertial pos="{line(c)}" mass="{text(m)[0]}" {inertia}/>']
        last, pad = at, pad + "  "
    for _ in arm:
        pad = pad[2:]
        lines.append(f"{pad}</body>")
    return "\n".join(lines + ["  </worldbody>", "</mujoco>"]) + "\n"


for name, arm, full in [("puma560", PUMA560, False), ("scara", SCARA, True)]:
    for ending, content in [("dh.toml", toml(name, arm, "dh")), ("mdh.toml", toml(name, arm, "mdh")),
                            ("urdf", urdf(name, arm)), ("xml", mjcf(name, arm, full))]:
        with open(f"{name}.{ending}", "w") as f:
            f.write(content)
