//! Incremental convex hull of a mesh's vertices: each point outside replaces the faces visible from it by a fan over their
//! boundary.

use super::Mesh;
use armdyn_core::Vec3;
use std::collections::HashSet;

/// Limit on the number of vertices: the cost is vertices times faces.
const MAX_VERTICES: usize = 20_000;

/// Relative distance that counts as outside: above rounding, below the single precision of vertices.
const FLAT: f64 = 1e-11;

impl Mesh {
    /// The convex hull.
    pub fn hull(&self) -> Result<Mesh, String> {
        let points = &self.vertices;
        if points.len() > MAX_VERTICES {
            return Err(format!("it has {} vertices; the limit for convex hulls is {MAX_VERTICES}", points.len()));
        }
        let (lo, hi) = self.bounds();
        let size = (hi - lo).norm();
        let corners = corners(points, FLAT * size).ok_or("its vertices are coplanar: the convex hull has no volume")?;
        let [a, b, c, d] = corners;
        let mut faces = vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        for p in (0..points.len()).filter(|p| !corners.contains(p)) {
            let sees = |f: &[usize; 3]| {
                let [x, y, z] = f.map(|k| points[k]);
                let normal = (y - x).cross(z - x);
                normal.dot(points[p] - x) > FLAT * size * normal.norm()
            };
            let (seen, kept): (Vec<_>, Vec<_>) = faces.iter().copied().partition(sees);
            if seen.is_empty() {
                continue;
            }
            let edges = || seen.iter().flat_map(|&[x, y, z]| [[x, y], [y, z], [z, x]]);
            let all: HashSet<[usize; 2]> = edges().collect();
            faces = kept;
            faces.extend(edges().filter(|&[x, y]| !all.contains(&[y, x])).map(|[x, y]| [x, y, p]));
        }
        let edges: HashSet<[usize; 2]> = faces.iter().flat_map(|&[x, y, z]| [[x, y], [y, z], [z, x]]).collect();
        if edges.len() != 3 * faces.len() || edges.iter().any(|&[x, y]| !edges.contains(&[y, x])) {
            return Err("its vertices are nearly coplanar: no convex hull".into());
        }
        Ok(Mesh { vertices: points.clone(), faces })
    }
}

/// Four points that are not coplanar, the last one below the first three.
fn corners(points: &[Vec3<f64>], least: f64) -> Option<[usize; 4]> {
    let farthest = |measure: &dyn Fn(Vec3<f64>) -> f64| {
        let best = points.iter().map(|p| measure(*p)).enumerate().max_by(|x, y| x.1.total_cmp(&y.1))?;
        (best.1 > least).then_some(best.0)
    };
    let first = *points.first()?;
    let a = farthest(&|p| (p - first).norm())?;
    let b = farthest(&|p| (p - points[a]).norm())?;
    let along = points[b] - points[a];
    let along = along * (1.0 / along.norm());
    let c = farthest(&|p| (p - points[a]).cross(along).norm())?;
    let normal = (points[b] - points[a]).cross(points[c] - points[a]);
    let normal = normal * (1.0 / normal.norm());
    let d = farthest(&|p| normal.dot(p - points[a]).abs())?;
    Some(if normal.dot(points[d] - points[a]) < 0.0 { [a, b, c, d] } else { [a, c, b, d] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Filling;
    use armdyn_core::vec3;

    fn cloud(points: &[[f64; 3]]) -> Mesh {
        Mesh { vertices: points.iter().map(|p| Vec3::lift(*p)).collect(), faces: vec![] }
    }

    /// A cube of side 2 with points inside, on its faces and on its edges: 8 m³, m (4 + 4)/12 about an axis.
    #[test]
    fn a_cubes_hull_is_the_cube() {
        let mut points = vec![];
        for k in 0..125 {
            points.push([k % 5, k / 5 % 5, k / 25].map(|x| 0.5 * x as f64 - 1.0));
        }
        let i = cloud(&points).hull().unwrap().inertia(Filling::Exact).unwrap();
        assert!((i.mass - 8.0).abs() < 1e-13 && i.first.norm() < 1e-13, "{i:?}");
        assert!((i.second.xx - 16.0 / 3.0).abs() < 1e-13 && i.second.xy.abs() < 1e-13);
    }

    /// Every point is inside or on the hull, whatever the points.
    #[test]
    fn nothing_lies_outside() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        for n in [5, 20, 300] {
            let points: Vec<[f64; 3]> = (0..n).map(|_| [random(), 2.0 * random(), random()]).collect();
            let hull = cloud(&points).hull().unwrap();
            let volume = hull.inertia(Filling::Exact).unwrap().mass;
            assert!(volume > 0.0 && volume < 2.0);
            for f in &hull.faces {
                let [x, y, z] = f.map(|k| hull.vertices[k]);
                let normal = (y - x).cross(z - x);
                assert!(hull.vertices.iter().all(|p| normal.dot(*p - x) < 1e-10));
            }
        }
    }

    #[test]
    fn what_is_flat_has_no_hull() {
        assert!(cloud(&[]).hull().is_err());
        assert!(cloud(&[[1.0; 3]; 9]).hull().is_err());
        assert!(cloud(&[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]).hull().is_err());
        let line: Vec<[f64; 3]> = (0..9).map(|k| [f64::from(k); 3]).collect();
        assert!(cloud(&line).hull().is_err());
        let many = Mesh { vertices: vec![vec3(0.0, 0.0, 0.0); MAX_VERTICES + 1], faces: vec![] };
        assert!(many.hull().unwrap_err().contains("20001 vertices"));
    }
}
