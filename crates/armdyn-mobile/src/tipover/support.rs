//! The contacts that a robot stands on, and the ground's plane through them.

use super::Demand;
use armdyn_core::{Contact, ContactKind, Force, Model, Real, Vec3};
use armdyn_numerics::{Error, Result};

/// How far a contact may be off the plane of the others, and a wheel's way out of it, of the size of the support.
const FLAT: f64 = 1e-6;

/// Contacts in one plane, three or more, not in one line.
#[derive(Clone, Debug)]
pub struct Support {
    contacts: Vec<Contact>,
    /// Up from the ground, in the base's axes.
    normal: Vec3<f64>,
    /// The ground's own axes, in the base's: the base's x along the ground, and the third that fits.
    axes: [Vec3<f64>; 2],
    /// The ground's point below (or above) the base's origin.
    origin: Vec3<f64>,
    /// Where each contact is, in the ground's axes.
    at: Vec<[f64; 2]>,
    edges: Vec<Edge>,
}

/// An edge of the hull of the contacts, along which the robot could tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The contacts at its ends; seen from above, the hull is to the left of the way from the first to the second.
    pub contacts: [usize; 2],
    /// A point of it, in the ground's axes \[m\].
    pub at: [f64; 2],
    /// Across it, into the hull, of unit length.
    pub inward: [f64; 2],
}

impl Edge {
    /// The moment about the edge that holds the robot down, of the demand's normal force and tilting moments \[N m\]: the
    /// distance of the zero-moment point from the edge, times the normal force. Below zero the robot tips over it.
    pub fn moment<T: Real>(&self, normal: T, tilting: [T; 2]) -> T {
        let [u, v] = self.inward;
        let offset = u * self.at[0] + v * self.at[1];
        tilting[0] * T::lift(v) - tilting[1] * T::lift(u) - normal * T::lift(offset)
    }

    /// How far a point is inward of it \[m\].
    pub fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        self.inward[0] * (x - self.at[0]) + self.inward[1] * (y - self.at[1])
    }
}

impl Support {
    /// The contacts of a robot's base, with gravity pressing it on the ground.
    pub fn new(model: &Model<f64>) -> Result<Self> {
        Support::from_contacts(model.contacts(), -model.gravity())
    }

    /// Contacts on a ground; `up` points from the ground to the robot's side, against gravity.
    pub fn from_contacts(contacts: &[Contact], up: Vec3<f64>) -> Result<Self> {
        let asked = |what: String| Err(Error::InvalidInput(what));
        let n = contacts.len();
        if n == 0 {
            return asked("the robot has no contacts with the ground: describe each wheel or foot by a table [[contact]] with name, at = [x, y, z] and kind (docs/format.md)".to_string());
        }
        let names = || contacts.iter().map(|c| format!("`{}`", c.name)).collect::<Vec<_>>().join(", ");
        if n < 3 {
            return asked(format!("the robot stands on {n} of the three contacts at least that it takes: {}", names()));
        }
        if let Some(c) = contacts.iter().find(|c| !c.position.iter().chain(&c.rolling_direction).all(|x| x.is_finite()))
        {
            return asked(format!("contact `{}`: where it is or how it rolls is not finite", c.name));
        }
        let points: Vec<Vec3<f64>> = contacts.iter().map(|c| Vec3::lift(c.position)).collect();
        let size = points.iter().map(|p| (*p - points[0]).norm()).fold(0.0, f64::max);
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let areas = pairs.map(|(i, j)| (points[i] - points[0]).cross(points[j] - points[0]));
        let area = areas.max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or(Vec3::zero());
        if area.norm() <= FLAT * size * size || size == 0.0 {
            return asked(format!(
                "the contacts {} are in one line: nothing keeps the robot from tipping over it",
                names()
            ));
        }
        let mut normal = area * (1.0 / area.norm());
        let climb = normal.dot(up);
        if !up.is_finite() || climb.abs() <= 1e-9 * up.norm() {
            return asked(
                "gravity does not press the robot on the plane of its contacts: it is none, or lies in it".to_string(),
            );
        }
        if climb < 0.0 {
            normal = -normal;
        }
        let off = |p: &Vec3<f64>| (*p - points[0]).dot(normal);
        if let Some((c, p)) = contacts.iter().zip(&points).find(|(_, p)| off(p).abs() > FLAT * size) {
            let what = "set all on one plane, or leave out those that do not touch the ground";
            return asked(format!("contact `{}` is {} m off the plane of the others: {what}", c.name, off(p)));
        }
        let wheel = |c: &&Contact| matches!(c.kind, ContactKind::Fixed | ContactKind::Driven);
        if let Some(c) =
            contacts.iter().filter(wheel).find(|c| Vec3::lift(c.rolling_direction).dot(normal).abs() > FLAT)
        {
            return asked(format!("contact `{}`: the way it `rolls` does not lie in the ground", c.name));
        }
        let level = |k: usize| {
            let axis = Vec3::<f64>::unit(k);
            axis - normal * normal.dot(axis)
        };
        let ahead = if level(0).norm() > 0.1 { level(0) } else { level(1) };
        let ahead = ahead * (1.0 / ahead.norm());
        let axes = [ahead, normal.cross(ahead)];
        let origin = normal * normal.dot(points[0]);
        let at: Vec<[f64; 2]> = points.iter().map(|p| axes.map(|a| a.dot(*p))).collect();
        let edges = hull(&at, size);
        Ok(Support { contacts: contacts.to_vec(), normal, axes, origin, at, edges })
    }

    /// The contacts.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Where each contact is, in the ground's axes \[m\].
    pub fn points(&self) -> &[[f64; 2]] {
        &self.at
    }

    /// The edges of the contacts' hull, seen from above against the clock.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// What an edge is called: the contacts at its ends.
    pub fn edge_name(&self, edge: usize) -> String {
        let [a, b] = self.edges[edge].contacts.map(|c| &self.contacts[c].name);
        format!("{a} – {b}")
    }

    /// Up from the ground, in the base's axes.
    pub fn normal(&self) -> Vec3<f64> {
        self.normal
    }

    /// The middle of the hull's corners, in the ground's axes \[m\].
    pub fn middle(&self) -> [f64; 2] {
        let corners = self.edges.len() as f64;
        [0, 1].map(|k| self.edges.iter().map(|e| e.at[k]).sum::<f64>() / corners)
    }

    /// The farthest two contacts are from each other \[m\].
    pub fn size(&self) -> f64 {
        let far = |a: &[f64; 2]| self.at.iter().map(|b| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
        self.at.iter().map(far).fold(0.0, f64::max)
    }

    /// A point of the base's frame in the ground's: along its two axes, and its height.
    pub fn place(&self, p: Vec3<f64>) -> [f64; 3] {
        [self.axes[0].dot(p), self.axes[1].dot(p), self.normal.dot(p - self.origin)]
    }

    /// A vector along the ground, in the base's axes.
    pub fn along(&self, [x, y]: [f64; 2]) -> Vec3<f64> {
        self.axes[0] * x + self.axes[1] * y
    }

    /// The way that a contact rolls, in the ground's axes.
    pub(super) fn way(&self, contact: usize) -> [f64; 2] {
        self.axes.map(|a| a.dot(Vec3::lift(self.contacts[contact].rolling_direction)))
    }

    /// Gravity of this size, in the base's axes, where the ground climbs by `angle` \[rad\] towards `heading` \[rad\], which is
    /// measured from the base's x towards its y.
    pub fn slope(&self, gravity: f64, angle: f64, heading: f64) -> Vec3<f64> {
        let uphill = self.along([heading.cos(), heading.sin()]);
        (self.normal * angle.cos() + uphill * angle.sin()) * -gravity
    }

    /// What a wrench on the base (its moment about the base's origin, in its axes) asks of the ground.
    pub fn demand<T: Real>(&self, wrench: Force<T>) -> Demand<T> {
        let lift = |v: Vec3<f64>| v.map(T::lift);
        let moment = wrench.moment - lift(self.origin).cross(wrench.force);
        let [x, y] = self.axes.map(lift);
        let n = lift(self.normal);
        Demand {
            normal: n.dot(wrench.force),
            along: [x.dot(wrench.force), y.dot(wrench.force)],
            tilting: [x.dot(moment), y.dot(moment)],
            turning: n.dot(moment),
        }
    }
}

/// The hull's edges against the clock (Andrew 1979); points within an edge are no corners.
fn hull(at: &[[f64; 2]], size: f64) -> Vec<Edge> {
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_by(|a, b| at[*a][0].total_cmp(&at[*b][0]).then(at[*a][1].total_cmp(&at[*b][1])));
    let turn = |a: usize, b: usize, c: usize| {
        let [p, q, r] = [at[a], at[b], at[c]];
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    };
    let half = |order: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = vec![];
        for k in order {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], k) <= 1e-9 * size * size {
                chain.pop();
            }
            chain.push(k);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut order.iter().copied());
    corners.extend(half(&mut order.iter().rev().copied()));
    let edge = |k: usize| {
        let contacts = [corners[k], corners[(k + 1) % corners.len()]];
        let [p, q] = contacts.map(|c| at[c]);
        let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
        let long = dx.hypot(dy);
        Edge { contacts, at: p, inward: [-dy / long, dx / long] }
    };
    (0..corners.len()).map(edge).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use armdyn_core::vec3;

    /// A contact without friction coefficients.
    pub fn contact(name: &str, at: [f64; 3], kind: ContactKind) -> Contact {
        Contact::new(name, kind, at)
    }

    fn feet(at: &[[f64; 3]]) -> Vec<Contact> {
        at.iter().enumerate().map(|(k, p)| contact(&format!("f{k}"), *p, ContactKind::Foot)).collect()
    }

    fn up() -> Vec3<f64> {
        vec3(0.0, 0.0, 9.81)
    }

    #[test]
    fn a_square_with_a_foot_within_has_four_edges_against_the_clock() {
        let square =
            feet(&[[1.0, 1.0, -0.2], [-1.0, -1.0, -0.2], [0.1, 0.0, -0.2], [1.0, -1.0, -0.2], [-1.0, 1.0, -0.2]]);
        let s = Support::from_contacts(&square, up()).unwrap();
        assert_eq!(s.edges().len(), 4);
        for e in s.edges() {
            assert!((e.distance([0.0, 0.0]) - 1.0).abs() < 1e-15);
            // 100 N at (0.3, 0.2): M = r × F.
            let moment = e.moment(100.0, [0.2 * 100.0, -0.3 * 100.0]);
            assert!((moment - 100.0 * e.distance([0.3, 0.2])).abs() < 1e-12);
        }
        assert_eq!((s.middle(), s.place(vec3(0.5, 0.25, 0.8))), ([0.0, 0.0], [0.5, 0.25, 1.0]));
        // Seen from the other side the ground is above.
        assert!(Support::from_contacts(&square, vec3(0.0, 0.0, -1.0)).unwrap().place(vec3(0.5, 0.25, 0.8))[2] < 0.0);
    }

    #[test]
    fn a_slope_of_thirty_degrees_ahead_halves_along_x() {
        let s = Support::from_contacts(&feet(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), up()).unwrap();
        let g = s.slope(10.0, 30f64.to_radians(), 0.0);
        assert!((g - vec3(-5.0, 0.0, -75f64.sqrt())).norm() < 1e-14);
        assert!(
            (s.slope(10.0, 30f64.to_radians(), 90f64.to_radians()) - vec3(0.0, -5.0, -75f64.sqrt())).norm() < 1e-14
        );
    }

    #[test]
    fn what_cannot_be_stood_on_is_refused_by_name() {
        let told = |at: &[[f64; 3]]| Support::from_contacts(&feet(at), up()).unwrap_err().to_string();
        assert!(told(&[]).contains("[[contact]]"));
        assert!(told(&[[0.0; 3], [1.0, 0.0, 0.0]]).contains("`f0`, `f1`"));
        assert!(told(&[[0.0; 3], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [3.0, 3.0, 0.0]]).contains("in one line"));
        assert!(told(&[[0.5; 3]; 3]).contains("in one line"));
        assert!(told(&[[0.0; 3], [1.0, f64::NAN, 0.0], [2.0, 0.0, 0.0]]).contains("`f1`"));
        let warped = told(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.4, 0.01]]);
        assert!(warped.contains("`f3` is 0.01 m off"), "{warped}");
        let upright = feet(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert!(Support::from_contacts(&upright, up()).unwrap_err().to_string().contains("press"));
        assert!(Support::from_contacts(&upright, Vec3::zero()).is_err());
        let mut climbing = feet(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        (climbing[1].kind, climbing[1].rolling_direction) = (ContactKind::Driven, [0.8, 0.0, 0.6]);
        assert!(Support::from_contacts(&climbing, up()).unwrap_err().to_string().contains("`f1`"));
    }
}
