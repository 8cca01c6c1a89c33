//! Triangle meshes: STL (binary, ASCII), OBJ, MuJoCo's MSH, COLLADA; volume and inertia.
//!
//! With a triangle d, e, f and an apex o, the pyramid o def has the volume v = (d − o) · (e − o) × (f − o) / 6, and about o
//! ∫ x_i x_j = v/20 [2 (d_i d_j + e_i e_j + f_i f_j) + d_i e_j + e_i d_j + d_i f_j + f_i d_j + e_i f_j + f_i e_j].
//! For a shell, a/12 with the triangle's area a replaces v/20. The sum over all triangles, with the sign of v, is the solid.
//!
//! MuJoCo's `legacy` mode uses |v|: with the apex at the faces' centroid for the centre of mass, then at that centre for
//! volume and moments. It is exact for star-shaped meshes only; other meshes are too heavy, as in MuJoCo.

mod dae;
mod hull;

use crate::description::MeshFile;
use armdyn_core::{Inertia, Sym3, Vec3, vec3};
use std::collections::BTreeSet;

/// A mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mesh {
    pub vertices: Vec<Vec3<f64>>,
    pub faces: Vec<[usize; 3]>,
}

/// How the mass of a mesh is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// Solid, enclosed by the faces.
    Exact,
    /// MuJoCo's legacy mode: all pyramid volumes are positive.
    Legacy,
    /// Shell: mass on the faces.
    Shell,
}

/// The vertices of a mesh file of any supported format \[m\].
pub(crate) fn vertices(bytes: &[u8], ending: &str) -> Result<Vec<Vec3<f64>>, String> {
    let found = match ending.to_ascii_lowercase().as_str() {
        "dae" => dae::mesh(text(bytes)?)?.vertices,
        _ => return Mesh::parse(bytes, ending).map(|mesh| mesh.vertices),
    };
    if found.iter().all(|v| v.is_finite()) { Ok(found) } else { Err("a vertex is not finite".into()) }
}

impl MeshFile {
    /// The triangles of the file, scaled \[m\]; or why it cannot be read.
    pub fn triangles(&self) -> Result<Vec<[[f64; 3]; 3]>, String> {
        let ending = self.path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = crate::read_bytes(&self.path)?;
        let mesh = match ending.to_ascii_lowercase().as_str() {
            "dae" => dae::mesh(text(&bytes)?)?,
            _ => Mesh::parse(&bytes, &ending)?,
        };
        if mesh.faces.is_empty() {
            return Err("it has no faces".into());
        }
        let scaled = |v: Vec3<f64>| [v.x * self.scale[0], v.y * self.scale[1], v.z * self.scale[2]];
        let triangles: Vec<[[f64; 3]; 3]> = mesh.triangles().map(|t| t.map(scaled)).collect();
        let finite = triangles.iter().flatten().flatten().all(|x| x.is_finite());
        if finite { Ok(triangles) } else { Err("a vertex is not finite".into()) }
    }
}

/// Points on the convex hull of others: the extreme ones in 154 directions, among them those of the axes, so that the
/// bounding box is exact. The hull of a sphere loses 7 % of its volume, that of a box nothing.
pub(crate) fn outline(points: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
    let steps = || (0..27_i32).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1].map(f64::from)).map(Vec3::lift);
    // Evenly over the sphere: heights in equal steps, turned by the golden angle.
    let even = (0..128).map(|k| {
        let z: f64 = 1.0 - (2.0 * f64::from(k) + 1.0) / 128.0;
        let (s, c) = (f64::from(k) * 2.399_963_229_728_653).sin_cos();
        let r = (1.0 - z * z).sqrt();
        vec3(r * c, r * s, z)
    });
    let farthest = |direction: Vec3<f64>| {
        let heights = points.iter().map(|p| direction.dot(*p)).enumerate();
        heights.max_by(|x, y| x.1.total_cmp(&y.1)).map(|(k, _)| k)
    };
    let directions = steps().filter(|d| d.norm() > 0.0).chain(even);
    let found: BTreeSet<usize> = directions.filter_map(farthest).collect();
    found.into_iter().map(|k| points[k]).collect()
}

impl Mesh {
    /// Parses a file; the extension determines the format.
    pub fn parse(bytes: &[u8], ending: &str) -> Result<Mesh, String> {
        let mesh = match ending.to_ascii_lowercase().as_str() {
            "stl" => stl(bytes),
            "obj" => obj(text(bytes)?),
            "msh" => msh(bytes),
            _ => Err(format!("unsupported mesh format `.{ending}`: expected .stl, .obj, .msh")),
        }?;
        if mesh.vertices.iter().any(|v| !v.is_finite()) {
            return Err("a vertex is not finite".into());
        }
        if mesh.faces.is_empty() {
            return Err("it has no faces".into());
        }
        match mesh.faces.iter().flatten().find(|v| **v >= mesh.vertices.len()) {
            Some(v) => Err(format!("a face refers to vertex {v} of {}", mesh.vertices.len())),
            None => Ok(mesh),
        }
    }

    /// Minimum and maximum of each coordinate.
    pub fn bounds(&self) -> (Vec3<f64>, Vec3<f64>) {
        let first = self.vertices.first().copied().unwrap_or(Vec3::zero());
        self.vertices.iter().fold((first, first), |(lo, hi), v| {
            (vec3(lo.x.min(v.x), lo.y.min(v.y), lo.z.min(v.z)), vec3(hi.x.max(v.x), hi.y.max(v.y), hi.z.max(v.z)))
        })
    }

    /// Inertia for a density of 1 (mass = volume, or area of a shell).
    pub fn inertia(&self, filling: Filling) -> Result<Inertia<f64>, String> {
        let (mut area, mut centroid) = (0.0, Vec3::zero());
        for t in self.triangles() {
            let a = plate(t);
            area += a;
            centroid += (t[0] + t[1] + t[2]) * (a / 3.0);
        }
        if !(area.is_finite() && area > 0.0) {
            return Err("its surface area is zero".into());
        }
        let centroid = centroid * (1.0 / area);
        if filling == Filling::Shell {
            return self.moments(centroid, 12.0, plate);
        }
        let volume = |[d, e, f]: [Vec3<f64>; 3]| d.dot(e.cross(f)) / 6.0;
        let counted = |t| if filling == Filling::Legacy { volume(t).abs() } else { volume(t) };
        let (mut whole, mut centre) = (0.0, Vec3::zero());
        for t in self.triangles() {
            let t = t.map(|v| v - centroid);
            let v = counted(t);
            whole += v;
            centre += (t[0] + t[1] + t[2]) * (v / 4.0);
        }
        if !(whole.is_finite() && whole > 0.0) {
            let why = "its volume is not positive: it is flat, open, or its triangles are inside out";
            return Err(why.into());
        }
        self.moments(centroid + centre * (1.0 / whole), 20.0, counted)
    }

    fn triangles(&self) -> impl Iterator<Item = [Vec3<f64>; 3]> {
        self.faces.iter().map(|f| f.map(|v| self.vertices[v]))
    }

    /// The sum over all triangles about `centre`, the centre of mass.
    fn moments(
        &self,
        centre: Vec3<f64>,
        share: f64,
        size: impl Fn([Vec3<f64>; 3]) -> f64,
    ) -> Result<Inertia<f64>, String> {
        let (mut whole, mut products) = (0.0, Sym3::zero());
        for t in self.triangles() {
            let t = t.map(|v| v - centre);
            let (v, sum) = (size(t), t[0] + t[1] + t[2]);
            whole += v;
            // 2 Σ d dᵀ + Σ mixed = Σ d dᵀ + (d + e + f)(d + e + f)ᵀ.
            products += [t[0], t[1], t[2], sum].into_iter().fold(Sym3::zero(), |p, r| p + outer(r, v / share));
        }
        let trace = products.trace();
        let tensor = Sym3::diagonal(trace, trace, trace) - products;
        Ok(Inertia::about_centre(whole, centre, tensor))
    }
}

/// s r rᵀ.
fn outer(r: Vec3<f64>, s: f64) -> Sym3<f64> {
    Sym3 {
        xx: s * r.x * r.x,
        xy: s * r.x * r.y,
        xz: s * r.x * r.z,
        yy: s * r.y * r.y,
        yz: s * r.y * r.z,
        zz: s * r.z * r.z,
    }
}

/// Area of a triangle.
fn plate([d, e, f]: [Vec3<f64>; 3]) -> f64 {
    (e - d).cross(f - d).norm() / 2.0
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "it is not text".to_string())
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn vertex_at(bytes: &[u8], at: usize) -> Option<Vec3<f64>> {
    let x = |k: usize| Some(f64::from(f32::from_bits(u32_at(bytes, at + 4 * k)?)));
    Some(vec3(x(0)?, x(1)?, x(2)?))
}

fn stl(bytes: &[u8]) -> Result<Mesh, String> {
    let count = u32_at(bytes, 80).map_or(0, |n| n as usize);
    let mut mesh = Mesh::default();
    if bytes.len() as u64 == 84 + 50 * count as u64 && count > 0 {
        let corners = (0..count).flat_map(|k| [12, 24, 36].map(|c| 84 + 50 * k + c));
        mesh.vertices = corners.filter_map(|at| vertex_at(bytes, at)).collect();
    } else if bytes.starts_with(b"solid") {
        let mut words = text(bytes)?.split_ascii_whitespace();
        while let Some(word) = words.next() {
            if word == "vertex" {
                let mut x = || number(words.next());
                mesh.vertices.push(vec3(x()?, x()?, x()?));
            }
        }
    } else {
        return Err("it is neither a binary STL (84 bytes, then 50 per triangle) nor an ASCII STL".into());
    }
    if mesh.vertices.len() % 3 != 0 {
        return Err("it has a triangle without three vertices".into());
    }
    mesh.faces = (0..mesh.vertices.len() / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Ok(mesh)
}

/// A number in single precision, as MuJoCo reads vertices.
fn number(word: Option<&str>) -> Result<f64, String> {
    let word = word.unwrap_or("");
    word.parse::<f32>().map(f64::from).map_err(|_| format!("`{}` is not a number", crate::message::short(word)))
}

fn obj(text: &str) -> Result<Mesh, String> {
    let mut mesh = Mesh::default();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut x = || number(words.next());
                mesh.vertices.push(vec3(x()?, x()?, x()?));
            }
            Some("f") => {
                let count = mesh.vertices.len() as i64;
                let corner = |w: &str| {
                    let k = w.split('/').next().unwrap_or("").parse::<i64>().ok()?;
                    usize::try_from(if k < 0 { count + k } else { k - 1 }).ok()
                };
                let corners: Option<Vec<usize>> = words.map(corner).collect();
                let corners = corners.ok_or_else(|| format!("`{}` is not a face", crate::message::short(line)))?;
                // Split a polygon into a fan of triangles.
                mesh.faces.extend(corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// MuJoCo's MSH: the numbers of vertices, normals, texture coordinates and faces, then the data.
fn msh(bytes: &[u8]) -> Result<Mesh, String> {
    let sizes = [0, 4, 8, 12].map(|at| u32_at(bytes, at).unwrap_or(0) as u64);
    let [vertices, normals, texture, faces] = sizes;
    if bytes.len() as u64 != 16 + 12 * (vertices + normals + faces) + 8 * texture {
        return Err("its size does not match its header".into());
    }
    let start = (16 + 12 * (vertices + normals) + 8 * texture) as usize;
    let corner = |at: usize| u32_at(bytes, at).unwrap_or(u32::MAX) as usize;
    Ok(Mesh {
        vertices: (0..vertices as usize).filter_map(|k| vertex_at(bytes, 16 + 12 * k)).collect(),
        faces: (0..faces as usize).map(|k| [0, 4, 8].map(|c| corner(start + 12 * k + c))).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with three unit edges: 1/6 m³, its centre at 1/4, ∫ x² = 1/60, ∫ x y = 1/120 about the origin.
    const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1/1 4/2 3/3\nf -3 -2 -1\n";

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-15, "{a} against {b}");
    }

    #[test]
    fn a_tetrahedron_has_its_moments() {
        let mesh = Mesh::parse(CORNER.as_bytes(), "obj").unwrap();
        for filling in [Filling::Exact, Filling::Legacy] {
            let i = mesh.inertia(filling).unwrap();
            near(i.mass, 1.0 / 6.0);
            near(i.first.x, 1.0 / 24.0);
            near(i.second.xx, 1.0 / 30.0);
            near(i.second.xy, -1.0 / 120.0);
        }
        // Three plates of 1/2 and one of √3/2; the slanted one has its centre at 1/3, each other has it at (0, 1/3, 1/3).
        let shell = mesh.inertia(Filling::Shell).unwrap();
        near(shell.mass, 1.5 + 0.75_f64.sqrt());
        near(shell.first.x, 2.0 * 0.5 / 3.0 + 0.75_f64.sqrt() / 3.0);
        // ∫ x² over a plate at corners 0, 1, 0 is 1/6 of its area, over the slanted one as well: ∫ (y² + z²).
        near(shell.second.xx, 2.0 * (0.5 / 6.0 + 0.5 / 6.0 + 0.75_f64.sqrt() / 6.0));
    }

    #[test]
    fn the_formats_agree() {
        let mesh = Mesh::parse(CORNER.as_bytes(), "obj").unwrap();
        let triangles: Vec<[Vec3<f64>; 3]> = mesh.triangles().collect();
        let mut binary = vec![0_u8; 80];
        binary.extend((triangles.len() as u32).to_le_bytes());
        let mut ascii = String::from("solid corner\n");
        for t in &triangles {
            binary.extend([0; 12]);
            ascii += "facet normal 0 0 0\nouter loop\n";
            for v in t {
                v.to_array().iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
                ascii += &format!("vertex {} {} {}\n", v.x, v.y, v.z);
            }
            ascii += "endloop\nendfacet\n";
            binary.extend([0; 2]);
        }
        let mut own: Vec<u8> = [4_u32, 0, 0, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
        mesh.vertices.iter().for_each(|v| v.to_array().iter().for_each(|x| own.extend((*x as f32).to_le_bytes())));
        mesh.faces.iter().flatten().for_each(|k| own.extend((*k as u32).to_le_bytes()));
        assert_eq!(Mesh::parse(&own, "msh").unwrap(), mesh);
        for bytes in [binary.as_slice(), ascii.as_bytes()] {
            let read = Mesh::parse(bytes, "STL").unwrap();
            assert_eq!(read.triangles().collect::<Vec<_>>(), triangles);
        }
        for cut in 0..own.len() {
            assert!(Mesh::parse(&own[..cut], "msh").is_err());
            let _ = (Mesh::parse(&binary[..cut], "stl"), Mesh::parse(&CORNER.as_bytes()[..cut.min(60)], "obj"));
        }
    }

    /// A ball of 2000 points, and the corners of a box among many: bounds are exact, the hull loses little.
    #[test]
    fn an_outline_has_the_size_of_its_points() {
        let ball: Vec<Vec3<f64>> = (0..2000)
            .map(|k| {
                let (z, angle) = (1.0 - (2.0 * f64::from(k) + 1.0) / 2000.0, 2.4 * f64::from(k));
                let r = (1.0_f64 - z * z).sqrt();
                vec3(r * angle.cos(), r * angle.sin(), z)
            })
            .collect();
        let found = outline(&ball);
        assert!(found.len() < 160);
        let solid = |points: Vec<Vec3<f64>>| {
            let hull = Mesh { vertices: points, faces: vec![] }.hull().unwrap();
            hull.inertia(Filling::Exact).unwrap()
        };
        let volume = solid(found).mass / (4.0 / 3.0 * std::f64::consts::PI);
        assert!((0.9..1.0).contains(&volume), "{volume}");
        let grid = (0..1000).map(|k| vec3(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)) * (1.0 / 9.0));
        let found = outline(&grid.collect::<Vec<_>>());
        let mesh = Mesh { vertices: found.clone(), faces: vec![] };
        assert_eq!(mesh.bounds(), (vec3(0.0, 0.0, 0.0), vec3(1.0, 1.0, 1.0)));
        assert!((solid(found).mass - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_damaged_mesh_is_refused_without_panic() {
        let file = include_str!("../tests/faults/solids/tool.dae");
        assert_eq!(vertices(file.as_bytes(), "dae").unwrap().len(), 8);
        for cut in (0..file.len()).step_by(3) {
            assert!(vertices(&file.as_bytes()[..cut], "dae").is_err());
            let mut changed = file.as_bytes().to_vec();
            changed[cut] = b'9';
            let _ = vertices(&changed, "dae");
        }
    }

    #[test]
    fn what_encloses_nothing_is_refused() {
        let turned =
            CORNER.replace("f 1 3 2", "f 1 2 3").replace("f 1 2 4", "f 1 4 2").replace("f 1/1 4/2 3/3", "f 1 3 4");
        let mesh = Mesh::parse(turned.replace("-3 -2 -1", "-2 -3 -1").as_bytes(), "obj").unwrap();
        assert!(mesh.inertia(Filling::Exact).unwrap_err().contains("inside out"));
        near(mesh.inertia(Filling::Legacy).unwrap().mass, 1.0 / 6.0);
        assert!(Mesh::parse(b"v 0 0 0\nf 1 2 3\n", "obj").unwrap_err().contains("vertex 1 of 1"));
        assert!(Mesh::parse(b"v 0 0 nan\nf 1 1 1\n", "obj").unwrap_err().contains("not finite"));
        assert!(Mesh::parse(b"", "dae").unwrap_err().contains(".stl, .obj, .msh"));
    }
}
