//! Triangle meshes of a scene, simplified to a number of triangles.

use crate::encode;
use serde::Serialize;
use std::collections::HashMap;

/// A triangle mesh in the frame of its shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Mesh {
    /// Coordinates x, y, z of each vertex \[m\].
    #[serde(serialize_with = "encode::floats")]
    pub positions: Vec<f32>,
    /// Three vertices of each triangle.
    #[serde(serialize_with = "encode::indices")]
    pub triangles: Vec<u32>,
}

/// Cells along the longest side of the bounding box, from exact to coarse.
const GRIDS: [f64; 12] = [65536.0, 1024.0, 512.0, 384.0, 256.0, 192.0, 128.0, 96.0, 64.0, 48.0, 32.0, 16.0];

impl Mesh {
    /// A mesh of at most `max_triangles` triangles. Vertices in one cell of a grid become one, their mean; the grid is the
    /// finest that suffices. Triangles without area are left out. `None` if the coarsest grid does not suffice, or no triangle
    /// is left.
    pub fn simplified(triangles: &[[[f64; 3]; 3]], max_triangles: usize) -> Option<Mesh> {
        let corners = || triangles.iter().flatten();
        if corners().flatten().any(|x| !x.is_finite()) {
            return None;
        }
        let low = [0, 1, 2].map(|k| corners().map(|p| p[k]).fold(f64::INFINITY, f64::min));
        let high = [0, 1, 2].map(|k| corners().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max));
        let side = [0, 1, 2].map(|k| high[k] - low[k]).into_iter().fold(0.0, f64::max);
        let meshes = GRIDS.iter().map(|cells| clustered(triangles, low, side / cells));
        meshes.into_iter().find(|m| m.triangles.len() <= 3 * max_triangles).filter(|m| !m.triangles.is_empty())
    }
}

fn clustered(triangles: &[[[f64; 3]; 3]], low: [f64; 3], cell: f64) -> Mesh {
    let mut clusters: HashMap<[i64; 3], usize> = HashMap::new();
    let mut sums: Vec<([f64; 3], f64)> = vec![];
    let mut kept: Vec<[usize; 3]> = vec![];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|p| {
            let key = [0, 1, 2].map(|k| ((p[k] - low[k]) / cell).round() as i64);
            let cluster = *clusters.entry(key).or_insert(sums.len());
            if cluster == sums.len() {
                sums.push(([0.0; 3], 0.0));
            }
            let (sum, count) = &mut sums[cluster];
            (0..3).for_each(|k| sum[k] += p[k]);
            *count += 1.0;
            cluster
        });
        if a != b && b != c && c != a {
            kept.push([a, b, c]);
        }
    }
    // Thin walls fold onto themselves: of equal triangles one stays.
    let mut seen = std::collections::HashSet::new();
    kept.retain(|[a, b, c]| {
        // Rotated so that the smallest comes first: the same side of the same triangle.
        let [x, y, z] = [[*a, *b, *c], [*b, *c, *a], [*c, *a, *b]].into_iter().min().unwrap_or_default();
        seen.insert([x, y, z])
    });
    // Vertices of triangles that vanished are left out.
    let mut number: Vec<Option<u32>> = vec![None; sums.len()];
    let mut mesh = Mesh::default();
    for cluster in kept.into_iter().flatten() {
        let next = (mesh.positions.len() / 3) as u32;
        let vertex = *number[cluster].get_or_insert(next);
        if vertex == next {
            let (sum, count) = sums[cluster];
            mesh.positions.extend(sum.map(|x| (x / count) as f32));
        }
        mesh.triangles.push(vertex);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of radius 1 m, by rings and segments.
    fn ball(n: usize) -> Vec<[[f64; 3]; 3]> {
        let point = |i: usize, j: usize| {
            let (polar, angle) =
                (std::f64::consts::PI * i as f64 / n as f64, std::f64::consts::TAU * j as f64 / n as f64);
            [polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos()]
        };
        let quad = |i, j| {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        (0..n).flat_map(|i| (0..n).flat_map(move |j| quad(i, j))).collect()
    }

    fn volume(mesh: &Mesh) -> f64 {
        let p = |k: u32| [0, 1, 2].map(|c| f64::from(mesh.positions[3 * k as usize + c]));
        let each = mesh.triangles.chunks(3).map(|t| {
            let ([a, b, c], [d, e, f], [g, h, i]) = (p(t[0]), p(t[1]), p(t[2]));
            (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6.0
        });
        each.sum()
    }

    #[test]
    fn a_mesh_within_the_limit_keeps_its_triangles() {
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::simplified(&[corner, [corner[1], [1.0, 1.0, 0.0], corner[2]]], 2).unwrap();
        assert_eq!(mesh.triangles, [0, 1, 2, 1, 3, 2]);
        assert_eq!(mesh.positions, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    }

    /// A sphere keeps its volume, 4π/3, within 3 %: the cells are at most 2/64 of the diameter there.
    #[test]
    fn a_simplified_sphere_keeps_its_volume() {
        let mesh = Mesh::simplified(&ball(200), 20_000).unwrap();
        assert!(mesh.triangles.len() <= 60_000 && mesh.triangles.len() > 3000, "{}", mesh.triangles.len());
        let exact = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((volume(&mesh) - exact).abs() < 0.03 * exact, "{}", volume(&mesh));
    }

    #[test]
    fn what_cannot_be_drawn_is_none() {
        assert_eq!(Mesh::simplified(&[], 10), None);
        assert_eq!(Mesh::simplified(&[[[0.0; 3]; 3]], 10), None);
        assert_eq!(Mesh::simplified(&[[[f64::NAN; 3]; 3]], 10), None);
        assert_eq!(Mesh::simplified(&ball(100), 3), None);
    }
}
