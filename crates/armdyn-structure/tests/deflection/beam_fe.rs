//! Spatial beam finite elements, independent of the library.
//!
//! Every matrix is integrated (Gauss, six points) from the exact shape functions of the Timoshenko beam, Φ = 12 EI/κGA l²:
//! stiffness from curvature and shear strain, mass from linear and angular velocities of the slices, load from the work of
//! the distributed load, geometric stiffness from ∫ P v′². A constraint matrix connects frames rigidly or by a spring.

use nalgebra::{DMatrix, DVector, Matrix3, SMatrix, SVector, Vector3};

pub type V3 = Vector3<f64>;

/// Properties of a beam: E A, G J, E I about y and z, κ G A along y and z, mass and slice's moments per length.
#[derive(Clone, Copy)]
pub struct Bar {
    pub ea: f64,
    pub gj: f64,
    pub ei: [f64; 2],
    pub kga: [f64; 2],
    pub mu: f64,
    pub slice: [f64; 3],
}

const GAUSS: [(f64, f64); 6] = [
    (-0.932_469_514_203_152, 0.171_324_492_379_170_3),
    (-0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (-0.238_619_186_083_196_9, 0.467_913_934_572_691),
    (0.238_619_186_083_196_9, 0.467_913_934_572_691),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (0.932_469_514_203_152, 0.171_324_492_379_170_3),
];

/// Shift, slope, rotation and curvature of a plane at ξ, for a unit of each of (v₁, θ₁, v₂, θ₂).
fn plane(x: f64, l: f64, phi: f64) -> [[f64; 4]; 4] {
    let d = 1.0 + phi;
    let (x2, x3) = (x * x, x * x * x);
    let v = [
        1.0 - 3.0 * x2 + 2.0 * x3 + phi * (1.0 - x),
        l * (x - 2.0 * x2 + x3 + phi / 2.0 * (x - x2)),
        3.0 * x2 - 2.0 * x3 + phi * x,
        l * (x3 - x2 - phi / 2.0 * (x - x2)),
    ];
    let slope = [
        (-6.0 * x + 6.0 * x2 - phi) / l,
        1.0 - 4.0 * x + 3.0 * x2 + phi / 2.0 * (1.0 - 2.0 * x),
        (6.0 * x - 6.0 * x2 + phi) / l,
        3.0 * x2 - 2.0 * x - phi / 2.0 * (1.0 - 2.0 * x),
    ];
    let rotation = [
        6.0 * (x2 - x) / l,
        1.0 - 4.0 * x + 3.0 * x2 + phi * (1.0 - x),
        6.0 * (x - x2) / l,
        3.0 * x2 - 2.0 * x + phi * x,
    ];
    let curve = [
        6.0 * (2.0 * x - 1.0) / (l * l),
        (6.0 * x - 4.0 - phi) / l,
        6.0 * (1.0 - 2.0 * x) / (l * l),
        (6.0 * x - 2.0 + phi) / l,
    ];
    [v, slope, rotation, curve].map(|row| row.map(|x| x / d))
}

/// Rows of the element's fields over its twelve degrees of freedom (u, θ at the start, u, θ at the end, local axes).
struct Fields {
    translation: [SVector<f64, 12>; 3],
    rotation: [SVector<f64, 12>; 3],
    slope: [SVector<f64, 12>; 2],
    stretch: SVector<f64, 12>,
    twist: SVector<f64, 12>,
    curve: [SVector<f64, 12>; 2],
    shear: [SVector<f64, 12>; 2],
}

fn fields(x: f64, l: f64, bar: &Bar, shear: bool) -> Fields {
    let zero = SVector::<f64, 12>::zeros();
    let linear = |k: usize| {
        let mut row = zero;
        (row[k], row[k + 6]) = (1.0 - x, x);
        row
    };
    let difference = |k: usize| {
        let mut row = zero;
        (row[k], row[k + 6]) = (-1.0 / l, 1.0 / l);
        row
    };
    let phi = |ei: f64, kga: f64| if shear { 12.0 * ei / (kga * l * l) } else { 0.0 };
    // Along y with θ_z = v′; along z with θ_y = −w′.
    let spread = |row: [f64; 4], at: [usize; 4], sign: f64| {
        let mut out = zero;
        for k in 0..4 {
            out[at[k]] = row[k] * if k % 2 == 1 { sign } else { 1.0 };
        }
        out
    };
    let (along_y, along_z) = ([1, 5, 7, 11], [2, 4, 8, 10]);
    let [v, vs, vt, vc] = plane(x, l, phi(bar.ei[1], bar.kga[0])).map(|r| spread(r, along_y, 1.0));
    let [w, ws, wt, wc] = plane(x, l, phi(bar.ei[0], bar.kga[1])).map(|r| spread(r, along_z, -1.0));
    Fields {
        translation: [linear(0), v, w],
        rotation: [linear(3), -wt, vt],
        slope: [vs, ws],
        stretch: difference(0),
        twist: difference(3),
        curve: [wc, vc],
        shear: [vs - vt, ws - wt],
    }
}

type M12 = SMatrix<f64, 12, 12>;

/// Stiffness, mass, and geometric stiffness per unit of compression.
pub fn matrices(bar: &Bar, l: f64, shear: bool) -> [M12; 3] {
    let mut out = [M12::zeros(); 3];
    for (g, w) in GAUSS {
        let f = fields((g + 1.0) / 2.0, l, bar, shear);
        let w = w * l / 2.0;
        let mut add = |which: usize, row: &SVector<f64, 12>, x: f64| out[which] += row * row.transpose() * (x * w);
        add(0, &f.stretch, bar.ea);
        add(0, &f.twist, bar.gj);
        for k in 0..2 {
            add(0, &f.curve[k], bar.ei[k]);
            if shear {
                add(0, &f.shear[k], bar.kga[k]);
            }
            add(2, &f.slope[k], 1.0);
        }
        for k in 0..3 {
            add(1, &f.translation[k], bar.mu);
            add(1, &f.rotation[k], bar.slice[k]);
        }
    }
    out
}

/// The work of a force and a moment per length (local axes, at a fraction of the length) on each degree of freedom.
pub fn load(bar: &Bar, l: f64, shear: bool, at: impl Fn(f64) -> (V3, V3)) -> SVector<f64, 12> {
    let mut out = SVector::<f64, 12>::zeros();
    for (g, w) in GAUSS {
        let x = (g + 1.0) / 2.0;
        let (f, (p, c)) = (fields(x, l, bar, shear), at(x));
        for k in 0..3 {
            out += (f.translation[k] * p[k] + f.rotation[k] * c[k]) * (w * l / 2.0);
        }
    }
    out
}

/// Frames in space, tied to each other, with stiffness, mass and load.
pub struct Frames {
    /// Each frame's six (translation, rotation, in the base's axes) as rows over the free degrees of freedom.
    pub rows: Vec<DMatrix<f64>>,
    pub at: Vec<V3>,
    pub free: usize,
    blocks: Vec<(Vec<usize>, DMatrix<f64>, DMatrix<f64>)>,
    loads: Vec<(usize, SVector<f64, 6>)>,
    springs: Vec<(usize, f64)>,
}

/// Maximum number of degrees of freedom.
const MOST: usize = 600;

impl Frames {
    /// The ground.
    pub fn new(at: V3) -> Self {
        let rows = vec![DMatrix::zeros(6, MOST)];
        Frames { rows, at: vec![at], free: 0, blocks: vec![], loads: vec![], springs: vec![] }
    }

    /// A free frame.
    pub fn frame(&mut self, at: V3) -> usize {
        let mut rows = DMatrix::zeros(6, MOST);
        for k in 0..6 {
            rows[(k, self.free + k)] = 1.0;
        }
        self.free += 6;
        self.rows.push(rows);
        self.at.push(at);
        self.rows.len() - 1
    }

    /// A frame attached to another one, rigidly or by a torsion spring about an axis.
    pub fn hinged(&mut self, on: usize, at: V3, axis: V3, stiffness: Option<f64>) -> usize {
        let lever = (at - self.at[on]).cross_matrix();
        let mut rows = self.rows[on].clone();
        let rotation = self.rows[on].rows(3, 3).into_owned();
        let mut translation = rows.rows_mut(0, 3);
        translation -= lever * &rotation;
        if let Some(k) = stiffness {
            for c in 0..3 {
                rows[(3 + c, self.free)] = axis[c];
            }
            self.springs.push((self.free, k));
            self.free += 1;
        }
        self.rows.push(rows);
        self.at.push(at);
        self.rows.len() - 1
    }

    /// An element between two frames; `axes` has its local axes as columns.
    pub fn element(&mut self, a: usize, b: usize, axes: Matrix3<f64>, k: M12, m: M12, f: SVector<f64, 12>) {
        let mut t = M12::zeros();
        for part in 0..4 {
            t.fixed_view_mut::<3, 3>(3 * part, 3 * part).copy_from(&axes.transpose());
        }
        let whole = |x: M12| {
            let global = t.transpose() * x * t;
            DMatrix::from_fn(12, 12, |i, j| global[(i, j)])
        };
        self.blocks.push((vec![a, b], whole(k), whole(m)));
        let f = t.transpose() * f;
        self.loads.push((a, f.fixed_rows::<6>(0).into_owned()));
        self.loads.push((b, f.fixed_rows::<6>(6).into_owned()));
    }

    /// A rigid mass with an offset from a frame, and its load.
    pub fn mass(&mut self, on: usize, mass: f64, centre: V3, tensor: Matrix3<f64>, force: V3, moment: V3) {
        let r = centre - self.at[on];
        let lever = r.cross_matrix();
        let mut m = SMatrix::<f64, 6, 6>::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * mass));
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-lever * mass));
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&(lever * mass));
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&(tensor - lever * lever * mass));
        self.blocks.push((vec![on], DMatrix::zeros(6, 6), DMatrix::from_fn(6, 6, |i, j| m[(i, j)])));
        self.push(on, force, moment + r.cross(&force));
    }

    /// A force and a moment on a frame.
    pub fn push(&mut self, on: usize, force: V3, moment: V3) {
        let w = SVector::<f64, 6>::from_iterator(force.iter().chain(moment.iter()).copied());
        self.loads.push((on, w));
    }

    /// Stiffness, mass and load over the free degrees of freedom.
    pub fn system(&self) -> (DMatrix<f64>, DMatrix<f64>, DVector<f64>) {
        let n = self.free;
        let (mut k, mut m, mut f) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n), DVector::zeros(n));
        for (on, stiffness, mass) in &self.blocks {
            let mut rows = DMatrix::zeros(6 * on.len(), n);
            for (p, frame) in on.iter().enumerate() {
                rows.rows_mut(6 * p, 6).copy_from(&self.rows[*frame].columns(0, n));
            }
            k += rows.transpose() * stiffness * &rows;
            m += rows.transpose() * mass * &rows;
        }
        for (dof, x) in &self.springs {
            k[(*dof, *dof)] += x;
        }
        for (on, w) in &self.loads {
            f += self.rows[*on].columns(0, n).transpose() * w;
        }
        (k, m, f)
    }

    /// The displacement (translation, rotation) of every frame.
    pub fn solve(&self) -> Vec<SVector<f64, 6>> {
        let (k, _, f) = self.system();
        let x = k.lu().solve(&f).expect("held");
        self.rows
            .iter()
            .map(|r| SVector::<f64, 6>::from_iterator((r.columns(0, self.free) * &x).iter().copied()))
            .collect()
    }

    /// The lowest frequencies [Hz].
    pub fn frequencies(&self) -> Vec<f64> {
        let (k, m, _) = self.system();
        smallest(&k, &m).into_iter().map(|x| x.sqrt() / (2.0 * std::f64::consts::PI)).collect()
    }
}

/// The smallest λ of A x = λ B x, A positive definite, in rising order, as the reciprocals of the largest of A⁻¹ B.
pub fn smallest(a: &DMatrix<f64>, b: &DMatrix<f64>) -> Vec<f64> {
    let inverse = a.clone().cholesky().expect("positive definite");
    let half = inverse.l().solve_lower_triangular(b).expect("regular");
    let whole = inverse.l().solve_lower_triangular(&half.transpose()).expect("regular");
    let mut all: Vec<f64> = whole.symmetric_eigenvalues().iter().map(|x| 1.0 / x).filter(|x| *x > 0.0).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// Critical loads of a column of `elements` elements, with fixed degrees of freedom of one plane (v, θ) at both ends.
pub fn buckling(bar: &Bar, l: f64, elements: usize, held: [[bool; 2]; 2], shear: bool) -> Vec<f64> {
    let [k, _, g] = matrices(bar, l / elements as f64, shear);
    let n = 2 * (elements + 1);
    let (mut whole, mut geometric) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
    let at = [1, 5, 7, 11];
    for e in 0..elements {
        for i in 0..4 {
            for j in 0..4 {
                whole[(2 * e + i, 2 * e + j)] += k[(at[i], at[j])];
                geometric[(2 * e + i, 2 * e + j)] += g[(at[i], at[j])];
            }
        }
    }
    let fixed = |d: usize| match d {
        d if d < 2 => held[0][d],
        d if d >= n - 2 => held[1][d - (n - 2)],
        _ => false,
    };
    let free: Vec<usize> = (0..n).filter(|d| !fixed(*d)).collect();
    smallest(&whole.select_rows(&free).select_columns(&free), &geometric.select_rows(&free).select_columns(&free))
}
