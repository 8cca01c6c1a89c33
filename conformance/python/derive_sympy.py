"""An independent derivation of equations of motion by SymPy, compared with those of `armdyn derive --json`.

    python3 conformance/python/derive_sympy.py [path of armdyn]

Needs SymPy. Nothing here comes from armdyn but the expressions under test: kinematics are products of Denavit-Hartenberg
transforms, energies are those of the links about their centres of mass, and the equations are Lagrange's. Each element is
compared by exact simplification of the difference, with the symbols that `--symbols` gives to the parameters. The last
column is the number of elements that were compared.
"""

import json
import subprocess
import sys

import sympy as sp

ARMDYN = sys.argv[1] if len(sys.argv) > 1 else "armdyn"


def transform(theta, d, a, alpha):
    """Standard Denavit-Hartenberg: rotation theta about z, d along z, a along x, rotation alpha about x."""
    ct, st, ca, sa = sp.cos(theta), sp.sin(theta), sp.cos(alpha), sp.sin(alpha)
    return sp.Matrix([
        [ct, -st * ca, st * sa, a * ct],
        [st, ct * ca, -ct * sa, a * st],
        [0, sa, ca, d],
        [0, 0, 0, 1],
    ])


class Arm:
    """Links in a plane about z: for each, its frame, mass, centre in that frame, and moment about z at the centre."""

    def __init__(self, joints, links, drives, tool, gravity):
        n = len(joints)
        self.q = sp.symbols(f"q1:{n + 1}", real=True)
        self.qd = sp.symbols(f"qd1:{n + 1}", real=True)
        self.n = n
        frames, frame = [], sp.eye(4)
        for dh in joints:
            frame = frame * transform(*dh(self.q))
            frames.append(frame)
        self.kinetic, self.potential = sp.S(0), sp.S(0)
        for frame, (mass, centre, moment) in zip(frames, links):
            at = (frame * sp.Matrix([*centre, 1]))[:3, 0]
            velocity = self.rate(at)
            spin = self.spin(frame)
            self.kinetic += mass * velocity.dot(velocity) / 2 + moment * spin**2 / 2
            self.potential -= mass * sum(g * x for g, x in zip(gravity, at))
        for inertia, ratio, carrier in drives:
            # A rotor: its own speed about z, with that of the link that carries it.
            carried = self.spin(frames[carrier]) if carrier is not None else 0
            joint, gear = ratio
            self.kinetic += inertia * (gear * self.qd[joint]) ** 2 / 2 + inertia * gear * self.qd[joint] * carried
        self.tool = (frames[-1] * sp.Matrix([*tool, 1]))[:3, 0]
        self.axes = frames[-1][:3, :3]

    def rate(self, vector):
        return sum((vector.diff(q) * v for q, v in zip(self.q, self.qd)), sp.zeros(3, 1))

    def spin(self, frame):
        """The angular velocity about z: from the rate of the x axis."""
        x = frame[:3, 0]
        return sp.simplify(x[0] * self.rate(x)[1] - x[1] * self.rate(x)[0])

    def mass_matrix(self):
        return sp.Matrix(self.n, self.n, lambda i, j: self.kinetic.diff(self.qd[i]).diff(self.qd[j]))

    def christoffel(self, i, j, k):
        m, q = self.mass_matrix(), self.q
        return (m[i, j].diff(q[k]) + m[i, k].diff(q[j]) - m[j, k].diff(q[i])) / 2

    def gravity(self):
        return sp.Matrix([self.potential.diff(q) for q in self.q])

    def jacobian(self, in_tool_axes):
        base = sp.Matrix(2, self.n, lambda r, c: self.tool[r].diff(self.q[c]))
        if not in_tool_axes:
            return base
        full = sp.Matrix(3, self.n, lambda r, c: self.tool[r].diff(self.q[c]))
        return sp.simplify((self.axes.T * full)[:2, :])


def derived(robot, *options):
    """The equations of `armdyn derive`, as SymPy expressions of the same symbols."""
    command = [ARMDYN, "derive", robot, "--about", "centre", "--energy", *options, "--json"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["equations"]


def compare(name, arm, equations, symbols, in_tool_axes):
    names = {str(s): s for s in [*arm.q, *arm.qd, *symbols]}

    def equal(what, found, expected):
        found = sp.sympify(found, locals=names)
        difference = sp.simplify(sp.expand_trig(found - expected))
        if difference != 0 and sp.simplify(sp.nsimplify(difference, rational=True).rewrite(sp.exp)) != 0:
            sys.exit(f"{name}: {what} differs by {difference}\n  armdyn: {found}\n  SymPy:  {expected}")

    count, n = 0, arm.n
    mass, gravity = arm.mass_matrix(), arm.gravity()
    qd = sp.Matrix(arm.qd)
    velocity = sp.zeros(n, 1)
    for i in range(n):
        equal(f"g{i + 1}", equations["g"][i], gravity[i])
        count += 1
        for j in range(n):
            equal(f"M{i + 1}{j + 1}", equations["M"][i][j], mass[i, j])
            count += 1
            for k in range(n):
                symbol = arm.christoffel(i, j, k)
                velocity[i] += symbol * arm.qd[j] * arm.qd[k]
                equal(f"christoffel{i + 1}{j + 1}{k + 1}", equations["christoffel"][i][j][k], symbol)
                count += 1
    equal("T", equations["energy"]["kinetic"], arm.kinetic)
    equal("V", equations["energy"]["potential"], arm.potential)
    count += 2

    form = equations["cartesian"]
    jacobian = arm.jacobian(in_tool_axes)
    inverse = jacobian.inv()
    rate = sum((jacobian.diff(q) * v for q, v in zip(arm.q, arm.qd)), sp.zeros(2, n)) * qd
    mass_x = inverse.T * mass * inverse
    velocity_x = inverse.T * velocity - mass_x * rate
    gravity_x = inverse.T * gravity
    for r in range(2):
        for c in range(n):
            equal(f"J{r + 1}{c + 1}", form["J"][r][c], jacobian[r, c])
            equal(f"M_x{r + 1}{c + 1}", form["M_x"][r][c], mass_x[r, c])
            count += 2
        equal(f"Jdot_qd{r + 1}", form["Jdot_qd"][r], rate[r])
        equal(f"V_x{r + 1}", form["V_x"][r], velocity_x[r])
        equal(f"G_x{r + 1}", form["G_x"][r], gravity_x[r])
        count += 3
    print(f"{name:10} equal in {count} elements")


def lin_rr():
    m1, m2, l1, l2, g = symbols = sp.symbols("m1 m2 l1 l2 g", positive=True)
    arm = Arm(
        joints=[lambda q: (q[0], 0, l1, 0), lambda q: (q[1], 0, l2, 0)],
        links=[(m1, (0, 0, 0), 0), (m2, (0, 0, 0), 0)],
        drives=[],
        tool=(0, 0, 0),
        gravity=(0, -g, 0),
    )
    names = ["--symbols", "x1=l1,lx2=l1,x2=l2,xt=l2"]
    form = ["--form", "cartesian", "--directions", "x,y"]
    compare("lin-rr", arm, derived("lin-rr", *names, *form), symbols, False)
    lin = [*form, "--axes", "tool", "--rate", "components"]
    compare("lin-rr", arm, derived("lin-rr", *names, *lin), symbols, True)


def planar_2r():
    m1, m2, x1, x2, a1, a2, i1, i2, g = symbols = sp.symbols("m1 m2 x1 x2 a1 a2 I1 I2 g", positive=True)
    jr1, jr2, n1, n2 = drives = sp.symbols("Jr1 Jr2 n1 n2", positive=True)
    # Centres are given from the joints; Denavit-Hartenberg frames are at the ends of the links.
    arm = Arm(
        joints=[lambda q: (q[0], 0, a1, 0), lambda q: (q[1], 0, a2, 0)],
        links=[(m1, (x1 - a1, 0, 0), i1), (m2, (x2 - a2, 0, 0), i2)],
        drives=[(jr1, (0, n1), None), (jr2, (1, n2), 0)],
        tool=(0, 0, 0),
        gravity=(0, -g, 0),
    )
    options = ["--parameters", "symbolic", "--symbols", "lx2=a1,xt=a2,Izz1=I1,Izz2=I2", "--form", "cartesian"]
    equations = derived("planar-2r", *options, "--link", "link2", "--directions", "x,y")
    compare("planar-2r", arm, equations, [*symbols, *drives], False)


def lin_rp():
    m1, m2, l1, i1, i2, g = symbols = sp.symbols("m1 m2 l1 I1 I2 g", positive=True)
    half = sp.pi / 2
    # The second joint slides along x of the first link: z of its Denavit-Hartenberg frame.
    arm = Arm(
        joints=[lambda q: (q[0] + half, 0, 0, half), lambda q: (0, q[1], 0, 0)],
        links=[(m1, (0, 0, l1), 0), (m2, (0, 0, 0), 0)],
        drives=[],
        tool=(0, 0, 0),
        gravity=(0, -g, 0),
    )
    # The moments about the base's z axis, which is no axis of these frames.
    arm.kinetic += (i1 + i2) * arm.qd[0] ** 2 / 2
    options = ["--symbols", "x1=l1,Izz1=I1,Izz2=I2", "--form", "cartesian", "--directions", "x,y"]
    compare("lin-rp", arm, derived("lin-rp", *options), symbols, False)


if __name__ == "__main__":
    lin_rr()
    planar_2r()
    lin_rp()
