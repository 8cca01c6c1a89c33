//! The support polygon: the convex hull of the contact points on the ground (monotone chain, Andrew 1979).

use armdyn_core::Real;

/// An edge of the support polygon, about which the robot could tip over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Contacts at its ends; the polygon lies to the left of the line from the first to the second.
    pub contacts: [usize; 2],
    /// Position of the first contact \[m\].
    pub start: [f64; 2],
    /// Unit normal of the edge that points into the polygon.
    pub inward: [f64; 2],
}

impl Edge {
    /// Restoring moment about the edge \[N m\]: the distance of the zero-moment point from the edge times the normal force. The
    /// robot tips over the edge when it is negative.
    pub fn moment<T: Real>(&self, normal: T, tilting: [T; 2]) -> T {
        let [u, v] = self.inward;
        let offset = u * self.start[0] + v * self.start[1];
        tilting[0] * T::lift(v) - tilting[1] * T::lift(u) - normal * T::lift(offset)
    }

    /// Distance of a point from the edge \[m\], positive on the polygon's side.
    pub fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        self.inward[0] * (x - self.start[0]) + self.inward[1] * (y - self.start[1])
    }
}

/// Convex hull of the contact points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SupportPolygon {
    edges: Vec<Edge>,
}

impl SupportPolygon {
    /// The convex hull of points on the ground; points on an edge are not corners.
    #[must_use]
    pub fn new(points: &[[f64; 2]]) -> Self {
        let size = points.iter().map(|p| (p[0] - points[0][0]).hypot(p[1] - points[0][1])).fold(0.0, f64::max);
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|a, b| points[*a][0].total_cmp(&points[*b][0]).then(points[*a][1].total_cmp(&points[*b][1])));
        let turns_left = |a: usize, b: usize, c: usize| {
            let [p, q, r] = [points[a], points[b], points[c]];
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) > 1e-9 * size * size
        };
        let half = |order: &mut dyn Iterator<Item = usize>| {
            let mut chain: Vec<usize> = vec![];
            for k in order {
                while chain.len() > 1 && !turns_left(chain[chain.len() - 2], chain[chain.len() - 1], k) {
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
            let [p, q] = contacts.map(|c| points[c]);
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            let length = dx.hypot(dy);
            Edge { contacts, start: p, inward: [-dy / length, dx / length] }
        };
        SupportPolygon { edges: (0..corners.len()).map(edge).collect() }
    }

    /// The edges, counter-clockwise seen from above.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The contacts at the corners, counter-clockwise seen from above.
    pub fn corners(&self) -> impl Iterator<Item = usize> {
        self.edges.iter().map(|e| e.contacts[0])
    }

    /// Mean of the corners \[m\].
    pub fn centre(&self) -> [f64; 2] {
        [0, 1].map(|k| self.edges.iter().map(|e| e.start[k]).sum::<f64>() / self.edges.len() as f64)
    }

    /// The edge with the smallest restoring moment, and that moment \[N m\].
    pub fn critical_edge(&self, normal: f64, tilting: [f64; 2]) -> Option<(usize, f64)> {
        let moments = self.edges.iter().map(|e| e.moment(normal, tilting)).enumerate();
        moments.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_the_outer_points_counter_clockwise() {
        let points = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.5, 0.0]];
        let polygon = SupportPolygon::new(&points);
        assert_eq!(polygon.corners().collect::<Vec<_>>(), [0, 1, 3, 4]);
        assert_eq!(polygon.centre(), [0.5, 0.5]);
        for e in polygon.edges() {
            // 100 N at (0.3, 0.2): M = r × F.
            let moment = e.moment(100.0, [0.2 * 100.0, -0.3 * 100.0]);
            assert!((moment - 100.0 * e.distance([0.3, 0.2])).abs() < 1e-12);
        }
        assert!(SupportPolygon::new(&[]).edges().is_empty());
        assert!(SupportPolygon::new(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).edges().len() < 3);
    }
}
