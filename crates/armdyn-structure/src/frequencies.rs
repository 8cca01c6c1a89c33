//! The lowest frequencies that a structure vibrates with at a pose, its drives held.
//!
//!   K x = ω² M x                                                                                    (1)
//!
//! K of finite elements of the beams and of the joints' stiffness, M of the beams' consistent masses and of everything that
//! hangs on them. Each frame's motion is written about the base's origin, as the sum of what gives way before it: the
//! joints' screws, and the motion of each element's end beside its start. Rigid links and levers take no elements, ways that
//! are not counted no degrees of freedom, and K is of small blocks. (1) is solved as K⁻½ M K⁻½ y = ω⁻² y: its greatest values are exact to the
//! last digits, however stiff other parts are.

use super::element::{mass, stiffness};
use super::loads::{Loading, Loads};
use super::structure::Structure;
use super::{Modes, Part};
use armdyn_core::{Motion, Transform, Vec3};
use armdyn_numerics::{Error, Result};
use nalgebra::DMatrix;

/// What the stiffness of a joint is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spring {
    /// Of the gear between a rotor that stands and the link.
    Gear,
    /// Of the servo behind the rotor, which turns with the joint: its reflected inertia counts.
    Servo,
}

/// One way of vibrating.
#[derive(Clone, Debug)]
pub struct Vibration {
    /// \[Hz\].
    pub frequency: f64,
    /// How far the tool moves, for a share of strain energy: the shift's direction, of unit length where it moves at all.
    pub tool: Vec3<f64>,
    /// Shares of the strain energy that each part holds, the greatest first.
    pub parts: Vec<(Part, f64)>,
}

/// A frame's motion, as a sum over degrees of freedom of the structure.
type Frame = Vec<(usize, Motion<f64>)>;

/// The structure's matrices at a pose.
struct Assembly {
    k: DMatrix<f64>,
    m: DMatrix<f64>,
    /// Element or joint, with its degrees of freedom and stiffness there.
    parts: Vec<(Part, Vec<usize>, DMatrix<f64>)>,
}

impl Structure {
    /// The lowest `count`, each piece of a beam in `elements` elements.
    pub fn frequencies(
        &self,
        q: &[f64],
        modes: &Modes,
        spring: Spring,
        elements: usize,
        count: usize,
    ) -> Result<Vec<Vibration>> {
        let loads = Loads::new(self, &Loading::at_rest(q, self.model.nv()))?;
        let (assembly, tool) = self.assemble(&loads, modes, spring, elements.max(1));
        let n = assembly.k.nrows();
        let nothing = || Error::InvalidInput("nothing gives way in the modes that are asked for".to_string());
        if n == 0 {
            return Err(nothing());
        }
        let stiff = assembly.k.clone().cholesky().ok_or_else(nothing)?;
        let l = stiff.l();
        let half = l.solve_lower_triangular(&assembly.m).ok_or_else(nothing)?;
        let whole = l.solve_lower_triangular(&half.transpose()).ok_or_else(nothing)?;
        let eigen = ((&whole + whole.transpose()) * 0.5).symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        let largest = order.first().map_or(0.0, |k| eigen.eigenvalues[*k]);
        let at = loads.poses[self.tool.link].point(self.tool.at);
        let mut all = vec![];
        for k in order.into_iter().take(count).filter(|k| eigen.eigenvalues[*k] > 1e-14 * largest) {
            let y = eigen.eigenvectors.column(k).into_owned();
            let x = l.transpose().solve_upper_triangular(&y).ok_or_else(nothing)?;
            let mut parts: Vec<(Part, f64)> = vec![];
            for (part, dofs, stiffness) in &assembly.parts {
                let own = nalgebra::DVector::from_iterator(dofs.len(), dofs.iter().map(|d| x[*d]));
                let energy = own.dot(&(stiffness * &own));
                match parts.iter_mut().find(|p| p.0 == *part) {
                    Some(p) => p.1 += energy,
                    None => parts.push((*part, energy)),
                }
            }
            let total: f64 = parts.iter().map(|p| p.1).sum();
            parts.iter_mut().for_each(|p| p.1 /= total);
            parts.sort_by(|a, b| b.1.total_cmp(&a.1));
            let moved = tool.iter().fold(Motion::zero(), |sum, (d, column)| column.scale_add(x[*d], sum));
            let shift = moved.linear + moved.angular.cross(at);
            let size = shift.norm();
            let tool = if size > 0.0 { shift * (1.0 / size) } else { shift };
            let frequency = 1.0 / (eigen.eigenvalues[k].sqrt() * 2.0 * std::f64::consts::PI);
            all.push(Vibration { frequency, tool, parts });
        }
        Ok(all)
    }

    fn assemble(&self, loads: &Loads, modes: &Modes, spring: Spring, elements: usize) -> (Assembly, Frame) {
        let m = &self.model;
        let mut made = Assembly { k: DMatrix::zeros(0, 0), m: DMatrix::zeros(0, 0), parts: vec![] };
        // Frames of each link at each of its stations.
        let mut frames: Vec<Vec<(f64, Frame)>> = vec![vec![]; m.links().len()];
        let mut dofs = 0;
        let mut masses: Vec<(Vec<usize>, DMatrix<f64>)> = vec![];
        let at = |frames: &[(f64, Frame)], station: f64| -> Frame {
            frames.iter().rev().find(|f| f.0 <= station).map_or(vec![], |f| f.1.clone())
        };
        frames[0] = vec![(0.0, vec![])];
        for link in 0..m.links().len() {
            if let Some((j, joint)) = m.joints().iter().enumerate().find(|(_, j)| j.child.index() == link) {
                let mut frame = at(&frames[joint.parent.index()], loads.seats[j]);
                for v in joint.v.clone().filter(|v| modes.joints && self.stiffness[*v].is_finite()) {
                    frame.push((dofs, loads.kinematics.screws()[v]));
                    made.parts.push((Part::Joint(v), vec![dofs], DMatrix::from_element(1, 1, self.stiffness[v])));
                    if spring == Spring::Servo {
                        masses.push((vec![dofs], DMatrix::from_element(1, 1, m.reflected()[v])));
                    }
                    dofs += 1;
                }
                frames[link] = vec![(0.0, frame)];
            }
            if let Some(beam) = &self.links[link].beam {
                let (mu, slice) = (beam.mass_per_length(), beam.slice());
                let kept = ways(modes, beam.stiffness.shear);
                for pair in loads.stations(beam, link).windows(2) {
                    let l = (pair[1] - pair[0]) / elements as f64;
                    let (k, mass) = (stiffness(&beam.stiffness, modes, l), mass(&beam.stiffness, modes, l, mu, slice));
                    for e in 0..elements {
                        let from = pair[0] + l * e as f64;
                        let to = if e + 1 == elements { pair[1] } else { from + l };
                        let [a, b] = [from, to].map(|x| loads.frame(beam, link, x));
                        let before = frames[link].last().map_or(vec![], |f| f.1.clone());
                        let own: Vec<(usize, Motion<f64>)> =
                            kept.iter().enumerate().map(|(i, way)| (dofs + i, b.motion(unit(*way)))).collect();
                        let block = DMatrix::from_fn(own.len(), own.len(), |i, j| k[(6 + kept[i], 6 + kept[j])]);
                        made.parts.push((Part::Link(link), own.iter().map(|f| f.0).collect(), block));
                        dofs += own.len();
                        let t = ends(&before, &own, &a, &b);
                        let node: Frame = before.into_iter().chain(own).collect();
                        masses.push((node.iter().map(|f| f.0).collect(), t.transpose() * mass * &t));
                        // Where nothing hangs between elements a frame is not looked for by its station.
                        frames[link].push((to, node));
                    }
                }
            }
            for lump in &self.links[link].lumps {
                let frame = at(&frames[link], lump.station);
                let inertia = lump.inertia.transformed(&loads.poses[link]);
                let own: Vec<usize> = frame.iter().map(|f| f.0).collect();
                let block = DMatrix::from_fn(own.len(), own.len(), |i, j| frame[i].1.dot(inertia.momentum(frame[j].1)));
                masses.push((own, block));
            }
        }
        (made.k, made.m) = (DMatrix::zeros(dofs, dofs), DMatrix::zeros(dofs, dofs));
        let add = |matrix: &mut DMatrix<f64>, own: &[usize], block: &DMatrix<f64>| {
            for (i, a) in own.iter().enumerate() {
                for (j, b) in own.iter().enumerate() {
                    matrix[(*a, *b)] += block[(i, j)];
                }
            }
        };
        made.parts.iter().for_each(|(_, own, block)| add(&mut made.k, own, block));
        masses.iter().for_each(|(own, block)| add(&mut made.m, own, block));
        let tool = at(&frames[self.tool.link], self.links[self.tool.link].station(self.tool.at));
        (made, tool)
    }
}

/// The ways that the end of an element can move beside its start: shifts x, y, z and turns x, y, z of the section; not by
/// shear where that is unknown.
fn ways(modes: &Modes, shear: [f64; 2]) -> Vec<usize> {
    let free = |way: &usize| match way {
        0 => modes.axial,
        1 | 2 => modes.bending || modes.shear && shear[way - 1].is_finite(),
        3 => modes.torsion,
        _ => modes.bending,
    };
    (0..6).filter(free).collect()
}

/// A unit of one of those ways.
fn unit(way: usize) -> Motion<f64> {
    if way < 3 { Motion::new(Vec3::zero(), Vec3::unit(way)) } else { Motion::new(Vec3::unit(way - 3), Vec3::zero()) }
}

/// An element's twelve degrees of freedom: what moves its start moves its end too, which moves beside it.
fn ends(before: &Frame, own: &Frame, a: &Transform<f64>, b: &Transform<f64>) -> DMatrix<f64> {
    let mut t = DMatrix::zeros(12, before.len() + own.len());
    let mut put = |first: usize, column: usize, pose: &Transform<f64>, motion: Motion<f64>| {
        let local = pose.motion_back(motion);
        for k in 0..3 {
            t[(first + k, column)] = local.linear.get(k);
            t[(first + 3 + k, column)] = local.angular.get(k);
        }
    };
    for (c, (_, motion)) in before.iter().chain(own).enumerate() {
        if c < before.len() {
            put(0, c, a, *motion);
        }
        put(6, c, b, *motion);
    }
    t
}
