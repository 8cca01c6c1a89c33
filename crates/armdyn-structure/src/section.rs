//! Properties of cross sections: area, second moments, torsion constant, shear coefficients, and the points of maximum
//! stress.
//!
//! The section's y lies along its width, z along its height, x along the beam; all sections are symmetric about both.
//!
//!   σ = N/A + M_y z/I_y − M_z y/I_z,   τ = |T| t + |V_y s_y + V_z s_z|,   σ_v² = σ² + 3 τ²                (1)
//!
//! with t, s_y, s_z of each point: torsion by Saint-Venant (series for rectangles) and Bredt plus the walls' own torsion
//! (boxes), shear by Jourawski. Magnitudes of torsional and shear stress are added, which is conservative. Shear
//! coefficients: Cowper 1966; for an I across its web 5/6 of the flanges.

use armdyn_core::Section;
use std::f64::consts::PI;

/// Properties of a cross section.
#[derive(Clone, Debug)]
pub struct SectionProperties {
    /// Area \[m²\].
    pub area: f64,
    /// Second moments ∫ z² dA and ∫ y² dA, about y and about z \[m⁴\].
    pub second_moments: [f64; 2],
    /// Torsion constant J \[m⁴\].
    pub torsion: f64,
    /// Shear coefficients κ along y and along z.
    pub shear: [f64; 2],
    /// Candidate points of maximum stress.
    pub points: Vec<StressPoint>,
}

/// A point of a section, and the shear stress there per unit of torsional moment and of shear force.
#[derive(Clone, Copy, Debug, Default)]
pub struct StressPoint {
    /// Coordinate along the width \[m\].
    pub y: f64,
    /// Coordinate along the height \[m\].
    pub z: f64,
    /// Shear stress per torsional moment \[1/m³\].
    pub torsion: f64,
    /// Shear stress per shear force along y and z \[1/m²\], signed along one direction.
    pub shear: [f64; 2],
}

/// Stress points of a circle.
const AROUND: usize = 24;

impl SectionProperties {
    /// Properties of a section for a Poisson's ratio; `None` for a section of given stiffness.
    #[must_use]
    pub fn new(section: &Section, nu: f64) -> Option<Self> {
        match *section {
            Section::Rod { diameter } => Some(ring(diameter / 2.0, 0.0, nu)),
            Section::Tube { outer, inner } => Some(ring(outer / 2.0, inner / 2.0, nu)),
            Section::Box { width, height, wall: Some(t) } if 2.0 * t < width.min(height) => {
                Some(hollow(width, height, t, nu))
            }
            Section::Box { width, height, .. } => Some(rectangle(width, height, nu)),
            Section::I { width, height, web, flange } => Some(i_section(width, height, web, flange, nu)),
            Section::Given { .. } => None,
        }
    }

    /// Maximum von Mises stress \[Pa\] under an axial force, shear forces, a torsional moment and bending moments: (1).
    #[must_use]
    pub fn stress(&self, force: [f64; 3], moment: [f64; 3]) -> f64 {
        let ([n, vy, vz], [t, my, mz]) = (force, moment);
        let at = |p: &StressPoint| {
            let sigma = n / self.area + my * p.z / self.second_moments[0] - mz * p.y / self.second_moments[1];
            let tau = t.abs() * p.torsion + (vy * p.shear[0] + vz * p.shear[1]).abs();
            (sigma * sigma + 3.0 * tau * tau).sqrt()
        };
        let maximum = self.points.iter().map(at).fold(0.0, f64::max);
        let radius = self.points.iter().map(|p| p.y.hypot(p.z)).fold(0.0, f64::max);
        if self.points.len() != AROUND {
            return maximum;
        }
        // The point of a circle with the maximum bending stress lies between the stress points.
        let sigma = n.abs() / self.area + my.hypot(mz) * radius / self.second_moments[0];
        let tau = t.abs() * self.points[0].torsion;
        maximum.max((sigma * sigma + 3.0 * tau * tau).sqrt())
    }

    /// Maximum stress due to bending alone \[Pa\].
    #[must_use]
    pub fn bending_stress(&self, moment: [f64; 3]) -> f64 {
        self.stress([0.0; 3], [0.0, moment[1], moment[2]])
    }
}

/// A circle, solid or hollow.
fn ring(outer: f64, inner: f64, nu: f64) -> SectionProperties {
    let (o2, i2) = (outer * outer, inner * inner);
    let area = PI * (o2 - i2);
    let second_moments = area * (o2 + i2) / 4.0;
    let m2 = i2 / o2;
    let square = (1.0 + m2) * (1.0 + m2);
    let shear = 6.0 * (1.0 + nu) * square / ((7.0 + 6.0 * nu) * square + (20.0 + 12.0 * nu) * m2);
    let most = 4.0 / (3.0 * area) * (o2 + outer * inner + i2) / (o2 + i2);
    let point = |k: usize| {
        let (s, c) = (2.0 * PI * k as f64 / AROUND as f64).sin_cos();
        let torsion = outer / (2.0 * second_moments);
        StressPoint { y: outer * c, z: outer * s, torsion, shear: [-s * most, c * most] }
    };
    let points = (0..AROUND).map(point).collect();
    SectionProperties {
        area,
        second_moments: [second_moments; 2],
        torsion: 2.0 * second_moments,
        shear: [shear; 2],
        points,
    }
}

/// Corners of a rectangle centred at the origin.
fn corners(y: f64, z: f64) -> impl Iterator<Item = (f64, f64)> {
    [(y, z), (-y, z), (y, -z), (-y, -z)].into_iter()
}

fn rectangle(width: f64, height: f64, nu: f64) -> SectionProperties {
    let area = width * height;
    let (long, short) = (width.max(height), width.min(height));
    let odd = |f: fn(f64, f64) -> f64| (0..200).map(|k| f(f64::from(2 * k + 1), long / short)).sum::<f64>();
    let decay = odd(|n, ratio| (n * PI * ratio / 2.0).tanh() / n.powi(5));
    let torsion = long * short.powi(3) / 3.0 * (1.0 - 192.0 / PI.powi(5) * short / long * decay);
    // Stress per unit moment at the middle of the long and of the short sides.
    let at_long = 1.0 - 8.0 / (PI * PI) * odd(|n, ratio| 1.0 / (n * n * (n * PI * ratio / 2.0).cosh()));
    let alternating = |n: f64| if (n as u64 / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
    let ratio = long / short;
    // An alternating series: the mean of its last two partial sums.
    let terms: Vec<f64> = (0..400)
        .map(|k| f64::from(2 * k + 1))
        .map(|n| alternating(n) / (n * n) * (n * PI * ratio / 2.0).tanh())
        .collect();
    let at_short = 8.0 / (PI * PI) * (terms.iter().sum::<f64>() - terms[399] / 2.0);
    let [at_long, at_short] = [at_long, at_short].map(|x| x * short / torsion);
    let (y, z) = (width / 2.0, height / 2.0);
    // Sides at ±y are as long as the height.
    let (at_y, at_z) = if height >= width { (at_long, at_short) } else { (at_short, at_long) };
    let middle = 1.5 / area;
    let mut points: Vec<StressPoint> =
        corners(y, z).map(|(y, z)| StressPoint { y, z, ..StressPoint::default() }).collect();
    for s in [1.0, -1.0] {
        points.push(StressPoint { y: s * y, z: 0.0, torsion: at_y, shear: [0.0, middle] });
        points.push(StressPoint { y: 0.0, z: s * z, torsion: at_z, shear: [middle, 0.0] });
    }
    let shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    let second_moments = [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0];
    SectionProperties { area, second_moments, torsion, shear: [shear; 2], points }
}

fn hollow(width: f64, height: f64, t: f64, nu: f64) -> SectionProperties {
    let (w, h) = (width - 2.0 * t, height - 2.0 * t);
    let area = width * height - w * h;
    let second_moments =
        [(width * height.powi(3) - w * h.powi(3)) / 12.0, (height * width.powi(3) - h * w.powi(3)) / 12.0];
    let (wm, hm) = (width - t, height - t);
    // EN 10210-2: Bredt's closed flow plus the torsion of the walls, which matters if they are thick.
    let (around, enclosed) = (2.0 * (wm + hm), wm * hm);
    let torsion = 4.0 * enclosed * enclosed * t / around + around * t.powi(3) / 3.0;
    let flow = (t + 2.0 * enclosed / around) / torsion;
    // Shear stress per unit force: at the corner, and at the middle of the walls along the force.
    let shear = |across: f64, along: f64, second_moments: f64| {
        let at_corner = across / 2.0 * t * (along - t) / 2.0;
        let wall = along / 2.0 - t;
        [at_corner, at_corner + t * wall * wall / 2.0].map(|q| q / (second_moments * t))
    };
    let ([corner_z, side_z], [corner_y, side_y]) =
        (shear(width, height, second_moments[0]), shear(height, width, second_moments[1]));
    let (y, z) = (width / 2.0, height / 2.0);
    // In a corner the flows of both forces add.
    let mut points: Vec<StressPoint> = corners(y, z)
        .flat_map(|(y, z)| [1.0, -1.0].map(|s| StressPoint { y, z, torsion: flow, shear: [s * corner_y, corner_z] }))
        .collect();
    for s in [1.0, -1.0] {
        points.push(StressPoint { y: s * y, z: 0.0, torsion: flow, shear: [0.0, side_z] });
        points.push(StressPoint { y: 0.0, z: s * z, torsion: flow, shear: [side_y, 0.0] });
    }
    let shear = [cowper_box(width / height, nu), cowper_box(height / width, nu)];
    SectionProperties { area, second_moments, torsion, shear: [shear[1], shear[0]], points }
}

/// Cowper's coefficient of a thin box of equal walls; n is its side across the force divided by its side along it.
fn cowper_box(n: f64, nu: f64) -> f64 {
    let m = n;
    10.0 * (1.0 + nu) * (1.0 + 3.0 * m).powi(2) / (cowper_walls(m, nu) + 10.0 * n * n * ((3.0 + nu) * m + 3.0 * m * m))
}

fn cowper_walls(m: f64, nu: f64) -> f64 {
    12.0 + 72.0 * m + 150.0 * m * m + 90.0 * m.powi(3) + nu * (11.0 + 66.0 * m + 135.0 * m * m + 90.0 * m.powi(3))
}

/// An I section with its web along z.
fn i_section(width: f64, height: f64, web: f64, flange: f64, nu: f64) -> SectionProperties {
    let clear = height - 2.0 * flange;
    let flanges = 2.0 * width * flange;
    let area = flanges + clear * web;
    let second_moments = [
        (width * height.powi(3) - (width - web) * clear.powi(3)) / 12.0,
        (2.0 * flange * width.powi(3) + clear * web.powi(3)) / 12.0,
    ];
    let torsion = (2.0 * width * flange.powi(3) + clear * web.powi(3)) / 3.0;
    let (m, n) = (flanges / (height * web), width / height);
    let strong = 10.0 * (1.0 + nu) * (1.0 + 3.0 * m).powi(2)
        / (cowper_walls(m, nu) + 30.0 * n * n * (m + m * m) + 5.0 * nu * n * n * (8.0 * m + 9.0 * m * m));
    let weak = 5.0 / 6.0 * flanges / area;
    let (y, z, neck) = (width / 2.0, height / 2.0, clear / 2.0);
    let first = width * flange * (height - flange) / 2.0;
    let (at_neck, at_middle) =
        (first / (second_moments[0] * web), (first + web * neck * neck / 2.0) / (second_moments[0] * web));
    let [of_web, of_flange] = [web, flange].map(|t| t / torsion);
    let mut points: Vec<StressPoint> =
        corners(y, z).map(|(y, z)| StressPoint { y, z, torsion: of_flange, shear: [0.0; 2] }).collect();
    for s in [1.0, -1.0] {
        points.push(StressPoint { y: 0.0, z: s * z, torsion: of_flange, shear: [1.5 / flanges, 0.0] });
        points.push(StressPoint { y: 0.0, z: s * neck, torsion: of_web, shear: [0.0, at_neck] });
    }
    points.push(StressPoint { y: 0.0, z: 0.0, torsion: of_web, shear: [0.0, at_middle] });
    SectionProperties { area, second_moments, torsion, shear: [weak, strong], points }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a / b - 1.0).abs() < tolerance, "{a} is not {b}");
    }

    /// Roark's tables: square J = 2.25 (a/2)⁴, maximum stress 0.601 T/(a/2)³ (four digits); 2 : 1, β = 0.229, 0.246.
    #[test]
    fn torsion_of_rectangles_matches_tables() {
        let square = SectionProperties::new(&Section::Box { width: 2.0, height: 2.0, wall: None }, 0.3).unwrap();
        near(square.torsion, 2.249, 1e-3);
        near(square.points[4].torsion, 0.601, 2e-3);
        near(square.points[5].torsion, square.points[4].torsion, 1e-4);
        let flat = SectionProperties::new(&Section::Box { width: 2.0, height: 1.0, wall: None }, 0.3).unwrap();
        near(flat.torsion, 0.229 * 2.0, 2e-3);
        near(flat.points[5].torsion, 1.0 / (0.246 * 2.0), 2e-3);
        assert!(flat.points[4].torsion < flat.points[5].torsion);
    }

    /// A square box with a small hole is nearly a solid square: Bredt alone would be a third too small.
    #[test]
    fn torsion_of_a_thick_box_is_nearly_that_of_a_solid_one() {
        let thick =
            SectionProperties::new(&Section::Box { width: 0.04, height: 0.04, wall: Some(0.015) }, 0.3).unwrap();
        let full = SectionProperties::new(&Section::Box { width: 0.04, height: 0.04, wall: None }, 0.3).unwrap();
        near(thick.torsion, full.torsion, 0.05);
        let maximum = |f: &SectionProperties| f.points.iter().map(|p| p.torsion).fold(0.0, f64::max);
        near(maximum(&thick), maximum(&full), 0.07);
        // Bredt for thin walls.
        let thin = SectionProperties::new(&Section::Box { width: 0.6, height: 1.0, wall: Some(1e-4) }, 0.3).unwrap();
        near(thin.torsion, 2.0 * 1e-4 * 0.36 / 1.6, 1e-3);
        near(maximum(&thin), 1.0 / (2.0 * 0.6 * 1e-4), 1e-3);
    }

    /// Cowper 1966, ν = 0.3: circle 0.886, rectangle 0.850, thin tube 0.531.
    #[test]
    fn shear_coefficients_are_cowpers() {
        let of = |s: Section| SectionProperties::new(&s, 0.3).unwrap().shear;
        near(of(Section::Rod { diameter: 0.1 })[0], 0.886, 1e-3);
        near(of(Section::Box { width: 1.0, height: 3.0, wall: None })[0], 0.850, 1e-3);
        near(of(Section::Tube { outer: 1.0, inner: 0.999 })[1], 0.531, 2e-3);
        // A thin square box: slightly less than its two webs, half of the area.
        let square = of(Section::Box { width: 1.0, height: 1.0, wall: Some(0.001) });
        assert!(square[0] == square[1] && (0.40..0.50).contains(&square[0]), "{square:?}");
        let tall = of(Section::Box { width: 0.1, height: 1.0, wall: Some(0.001) });
        assert!(tall[1] > 0.7 && tall[0] < 0.2, "{tall:?}");
    }

    /// Second moments by summing small squares.
    #[test]
    fn areas_and_second_moments_match_numerical_integration() {
        type Inside = fn(f64, f64) -> bool;
        let inside: [(Section, Inside); 4] = [
            (Section::Rod { diameter: 0.8 }, |y, z| y.hypot(z) < 0.4),
            (Section::Tube { outer: 1.0, inner: 0.6 }, |y, z| (0.3..0.5).contains(&y.hypot(z))),
            (Section::Box { width: 0.6, height: 1.0, wall: Some(0.1) }, |y, z| {
                y.abs() < 0.3 && z.abs() < 0.5 && !(y.abs() < 0.2 && z.abs() < 0.4)
            }),
            (Section::I { width: 0.8, height: 1.0, web: 0.1, flange: 0.2 }, |y, z| {
                z.abs() < 0.5 && (if z.abs() > 0.3 { y.abs() < 0.4 } else { y.abs() < 0.05 })
            }),
        ];
        for (section, inside) in inside {
            let f = SectionProperties::new(&section, 0.3).unwrap();
            let n = 1000;
            let mut sums = [0.0; 3];
            for i in 0..n {
                for j in 0..n {
                    let [y, z] = [i, j].map(|k| (f64::from(k) + 0.5) / f64::from(n) - 0.5);
                    if inside(y, z) {
                        sums[0] += 1e-6;
                        sums[1] += 1e-6 * z * z;
                        sums[2] += 1e-6 * y * y;
                    }
                }
            }
            near(f.area, sums[0], 2e-3);
            near(f.second_moments[0], sums[1], 4e-3);
            near(f.second_moments[1], sums[2], 4e-3);
        }
    }

    #[test]
    fn stress_of_a_bent_and_twisted_rod_matches_the_handbook() {
        let d: f64 = 0.02;
        let rod = SectionProperties::new(&Section::Rod { diameter: d }, 0.3).unwrap();
        // 32 M/π d³, and √(σ² + 3 (16 T/π d³)²), in any direction of the moment.
        let (m, t) = (10.0, 8.0);
        let (sigma, tau) = (32.0 * m / (PI * d.powi(3)), 16.0 * t / (PI * d.powi(3)));
        for angle in [0.0_f64, 0.1, 1.0] {
            let (s, c) = angle.sin_cos();
            near(rod.stress([0.0; 3], [0.0, m * c, m * s]), sigma, 1e-12);
            near(rod.stress([0.0; 3], [t, m * c, m * s]), (sigma * sigma + 3.0 * tau * tau).sqrt(), 1e-12);
        }
        // 4 V/3 A for shear alone.
        near(rod.stress([0.0, 0.0, 5.0], [0.0; 3]), 3_f64.sqrt() * 4.0 / 3.0 * 5.0 / rod.area, 1e-12);
    }
}
