//! The contacts of a robot with the ground, and the plane through them.

use super::{ContactSprings, Edge, GroundReaction, SupportPolygon};
use crate::invalid;
use armdyn_core::{Contact, Force, Model, Real, Vec3};
use armdyn_numerics::Result;

/// Tolerance of contacts to lie in one plane, and of rolling directions to lie in it, relative to the size of the support.
const PLANE_TOLERANCE: f64 = 1e-6;

/// Three or more contacts in one plane, not on one line.
#[derive(Clone, Debug)]
pub struct Support {
    contacts: Vec<Contact>,
    /// Ground normal, upward, in base axes.
    normal: Vec3<f64>,
    /// Ground axes x and y in base axes: x is the projection of the base's x axis.
    axes: [Vec3<f64>; 2],
    /// Origin of the ground coordinates in the base frame: the projection of the base origin.
    origin: Vec3<f64>,
    /// Contact points in ground coordinates.
    points: Vec<[f64; 2]>,
    polygon: SupportPolygon,
    springs: ContactSprings,
}

impl Support {
    /// The support of a robot on its contacts.
    pub fn new(model: &Model<f64>) -> Result<Self> {
        Support::from_contacts(model.contacts(), -model.gravity())
    }

    /// The support on given contacts; `up` points to the side of the ground that the robot is on, opposite to gravity.
    pub fn from_contacts(contacts: &[Contact], up: Vec3<f64>) -> Result<Self> {
        let n = contacts.len();
        if n == 0 {
            return invalid(
                "the robot has no contacts with the ground; describe each wheel or foot in a table [[contact]] with name, at = [x, y, z] \
                 and kind (docs/format.md)",
            );
        }
        let names = || contacts.iter().map(|c| format!("`{}`", c.name)).collect::<Vec<_>>().join(", ");
        if n < 3 {
            return invalid(format!("the robot has {n} contacts ({}); it needs at least three contacts", names()));
        }
        if let Some(c) = contacts.iter().find(|c| !c.position.iter().chain(&c.rolling_direction).all(|x| x.is_finite()))
        {
            return invalid(format!("contact `{}`: its position or rolling direction is not finite", c.name));
        }
        let points: Vec<Vec3<f64>> = contacts.iter().map(|c| Vec3::lift(c.position)).collect();
        let size = points.iter().map(|p| (*p - points[0]).norm()).fold(0.0, f64::max);
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let areas = pairs.map(|(i, j)| (points[i] - points[0]).cross(points[j] - points[0]));
        let area = areas.max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or(Vec3::zero());
        if area.norm() <= PLANE_TOLERANCE * size * size || size == 0.0 {
            return invalid(format!("the contacts {} are on one line; add a contact off that line", names()));
        }
        let mut normal = area * (1.0 / area.norm());
        let upward = normal.dot(up);
        if !up.is_finite() || upward.abs() <= 1e-9 * up.norm() {
            return invalid(
                "gravity does not press the robot on the plane of its contacts: it is zero or parallel to the plane",
            );
        }
        if upward < 0.0 {
            normal = -normal;
        }
        let off_plane = |p: &Vec3<f64>| (*p - points[0]).dot(normal);
        let odd = contacts.iter().zip(&points).find(|(_, p)| off_plane(p).abs() > PLANE_TOLERANCE * size);
        if let Some((c, p)) = odd {
            return invalid(format!(
                "contact `{}` is {:.4} m off the plane of the others; put all contacts on one plane, or remove those that do not touch \
                 the ground",
                c.name,
                off_plane(p)
            ));
        }
        let directed = contacts.iter().filter(|c| c.kind.is_directed());
        if let Some(c) = directed.clone().find(|c| Vec3::lift(c.rolling_direction).dot(normal).abs() > PLANE_TOLERANCE)
        {
            return invalid(format!("contact `{}`: its direction `rolls` is not parallel to the ground", c.name));
        }
        let projected = |k: usize| {
            let axis = Vec3::<f64>::unit(k);
            axis - normal * normal.dot(axis)
        };
        let forward = if projected(0).norm() > 0.1 { projected(0) } else { projected(1) };
        let forward = forward * (1.0 / forward.norm());
        let axes = [forward, normal.cross(forward)];
        let origin = normal * normal.dot(points[0]);
        let points: Vec<[f64; 2]> = points.iter().map(|p| axes.map(|a| a.dot(*p))).collect();
        let polygon = SupportPolygon::new(&points);
        let springs = ContactSprings::new(&points, contacts.iter().map(|c| c.stiffness).collect());
        Ok(Support { contacts: contacts.to_vec(), normal, axes, origin, points, polygon, springs })
    }

    /// The contacts.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Contact points in ground coordinates \[m\].
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// The support polygon.
    pub fn polygon(&self) -> &SupportPolygon {
        &self.polygon
    }

    /// The edges of the support polygon, counter-clockwise seen from above.
    pub fn edges(&self) -> &[Edge] {
        self.polygon.edges()
    }

    /// The contacts as springs.
    pub fn springs(&self) -> &ContactSprings {
        &self.springs
    }

    /// The names of the contacts at the ends of an edge.
    pub fn edge_contacts(&self, edge: usize) -> [String; 2] {
        self.edges()[edge].contacts.map(|c| self.contacts[c].name.clone())
    }

    /// The name of an edge, from the contacts at its ends.
    pub fn edge_name(&self, edge: usize) -> String {
        self.edge_contacts(edge).join(" – ")
    }

    /// Ground normal, upward, in base axes.
    pub fn normal(&self) -> Vec3<f64> {
        self.normal
    }

    /// The ground axes x and y in base axes.
    pub fn axes(&self) -> [Vec3<f64>; 2] {
        self.axes
    }

    /// The largest distance between two contacts \[m\].
    pub fn size(&self) -> f64 {
        self.springs.size()
    }

    /// A point of the base frame in ground coordinates; the third component is its height.
    pub fn to_ground(&self, p: Vec3<f64>) -> [f64; 3] {
        [self.axes[0].dot(p), self.axes[1].dot(p), self.normal.dot(p - self.origin)]
    }

    /// A vector in the ground plane, in base axes.
    pub fn to_base(&self, [x, y]: [f64; 2]) -> Vec3<f64> {
        self.axes[0] * x + self.axes[1] * y
    }

    /// The direction in which a contact rolls, in ground coordinates.
    pub fn rolling_direction(&self, contact: usize) -> [f64; 2] {
        self.axes.map(|a| a.dot(Vec3::lift(self.contacts[contact].rolling_direction)))
    }

    /// Gravity of a given magnitude in base axes, on ground that rises by `angle` \[rad\] towards `heading` \[rad\], measured from
    /// the base's x axis towards its y axis.
    pub fn slope(&self, gravity: f64, angle: f64, heading: f64) -> Vec3<f64> {
        let uphill = self.to_base([heading.cos(), heading.sin()]);
        (self.normal * angle.cos() + uphill * angle.sin()) * -gravity
    }

    /// A wrench on the base (moment about the base origin, in base axes) as a ground reaction.
    pub fn reaction<T: Real>(&self, wrench: Force<T>) -> GroundReaction<T> {
        let lift = |v: Vec3<f64>| v.map(T::lift);
        let moment = wrench.moment - lift(self.origin).cross(wrench.force);
        let [x, y] = self.axes.map(lift);
        let n = lift(self.normal);
        GroundReaction {
            normal: n.dot(wrench.force),
            tangential: [x.dot(wrench.force), y.dot(wrench.force)],
            tilting: [x.dot(moment), y.dot(moment)],
            yaw: n.dot(moment),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use armdyn_core::ContactKind;
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
    fn a_square_with_a_foot_inside_has_four_edges() {
        let square =
            feet(&[[1.0, 1.0, -0.2], [-1.0, -1.0, -0.2], [0.1, 0.0, -0.2], [1.0, -1.0, -0.2], [-1.0, 1.0, -0.2]]);
        let s = Support::from_contacts(&square, up()).unwrap();
        assert_eq!(s.edges().len(), 4);
        for e in s.edges() {
            assert!((e.distance([0.0, 0.0]) - 1.0).abs() < 1e-15);
        }
        assert_eq!((s.polygon().centre(), s.to_ground(vec3(0.5, 0.25, 0.8))), ([0.0, 0.0], [0.5, 0.25, 1.0]));
        // With gravity reversed the ground is above the base.
        assert!(
            Support::from_contacts(&square, vec3(0.0, 0.0, -1.0)).unwrap().to_ground(vec3(0.5, 0.25, 0.8))[2] < 0.0
        );
    }

    #[test]
    fn a_slope_of_thirty_degrees_turns_gravity() {
        let s = Support::from_contacts(&feet(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), up()).unwrap();
        let g = s.slope(10.0, 30f64.to_radians(), 0.0);
        assert!((g - vec3(-5.0, 0.0, -75f64.sqrt())).norm() < 1e-14);
        assert!(
            (s.slope(10.0, 30f64.to_radians(), 90f64.to_radians()) - vec3(0.0, -5.0, -75f64.sqrt())).norm() < 1e-14
        );
    }

    #[test]
    fn invalid_contacts_are_errors_that_name_them() {
        let error = |at: &[[f64; 3]]| Support::from_contacts(&feet(at), up()).unwrap_err().to_string();
        assert!(error(&[]).contains("[[contact]]"));
        assert!(error(&[[0.0; 3], [1.0, 0.0, 0.0]]).contains("`f0`, `f1`"));
        assert!(error(&[[0.0; 3], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [3.0, 3.0, 0.0]]).contains("on one line"));
        assert!(error(&[[0.5; 3]; 3]).contains("on one line"));
        assert!(error(&[[0.0; 3], [1.0, f64::NAN, 0.0], [2.0, 0.0, 0.0]]).contains("`f1`"));
        let warped = error(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.4, 0.01]]);
        assert!(warped.contains("`f3` is 0.0100 m off"), "{warped}");
        let upright = feet(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert!(Support::from_contacts(&upright, up()).unwrap_err().to_string().contains("press"));
        assert!(Support::from_contacts(&upright, Vec3::zero()).is_err());
        let mut climbing = feet(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        (climbing[1].kind, climbing[1].rolling_direction) = (ContactKind::Driven, [0.8, 0.0, 0.6]);
        assert!(Support::from_contacts(&climbing, up()).unwrap_err().to_string().contains("`f1`"));
    }
}
