//! Natural frequencies at a configuration, with locked drives.
//!
//!   K x = ω² M x                                                                                    (1)
//!
//! K from finite elements of the beams and the joint stiffness, M from consistent mass matrices and lumped masses. The
//! motion of each frame is written about the base's origin as the sum of the deformations before it: the joint screws, and
//! the motion of each element's end relative to its start. Rigid links need no elements, ignored deformations no degrees of
//! freedom, and K is block diagonal. (1) is solved as L⁻¹ M L⁻ᵀ y = ω⁻² y with K = L Lᵀ: its largest eigenvalues are accurate
//! however stiff other components are.

use super::element::{mass, stiffness};
use super::loads::{LoadCase, Loads};
use super::structure::{Part, Structure};
use super::{Component, DeformationModes};
use armdyn_core::{Motion, Transform, Vec3};
use armdyn_numerics::{Error, Result};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// What the stiffness of a joint represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JointSpring {
    /// The gear between a locked rotor and the link.
    Gear,
    /// The servo behind the rotor, which moves with the joint: its reflected inertia is included.
    Servo,
}

/// A vibration mode.
#[derive(Clone, Debug, Serialize)]
pub struct VibrationMode {
    /// Frequency \[Hz\].
    pub frequency: f64,
    /// Direction in which the tool moves: a unit vector, or zero if it does not move.
    #[serde(serialize_with = "super::deflection::as_array")]
    pub tool_direction: Vec3<f64>,
    /// Strain energy of the components, the largest first.
    pub strain_energy: Vec<EnergyFraction>,
}

/// Fraction of the strain energy in a component.
#[derive(Clone, Debug, Serialize)]
pub struct EnergyFraction {
    /// The component.
    #[serde(flatten)]
    pub component: Component,
    /// Its fraction of the strain energy.
    pub fraction: f64,
}

/// Motion of a frame as a sum over the degrees of freedom of the structure.
type Frame = Vec<(usize, Motion<f64>)>;

/// Matrices of the structure at a configuration.
struct Assembly {
    k: DMatrix<f64>,
    m: DMatrix<f64>,
    /// Elements and joints, with their degrees of freedom and stiffness.
    parts: Vec<(Part, Vec<usize>, DMatrix<f64>)>,
}

impl Structure {
    /// Computes the `count` vibration modes of lowest frequency, with `elements` finite elements per beam segment.
    pub fn frequencies(
        &self,
        q: &[f64],
        modes: &DeformationModes,
        spring: JointSpring,
        elements: usize,
        count: usize,
    ) -> Result<Vec<VibrationMode>> {
        let loads = Loads::new(self, &LoadCase::at_rest(q, self.model.nv()))?;
        let (assembly, tool) = self.assemble(&loads, modes, spring, elements.max(1));
        let n = assembly.k.nrows();
        let rigid = || Error::InvalidInput("the robot is rigid in the selected deformation modes".to_string());
        if n == 0 {
            return Err(rigid());
        }
        let l = assembly.k.clone().cholesky().ok_or_else(rigid)?.l();
        let half = l.solve_lower_triangular(&assembly.m).ok_or_else(rigid)?;
        let whole = l.solve_lower_triangular(&half.transpose()).ok_or_else(rigid)?;
        let eigen = ((&whole + whole.transpose()) * 0.5).symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        let largest = order.first().map_or(0.0, |k| eigen.eigenvalues[*k]);
        let position = loads.poses[self.tool.link.index()].point(self.tool.position());
        let mut vibration_modes = vec![];
        for k in order.into_iter().take(count).filter(|k| eigen.eigenvalues[*k] > 1e-14 * largest) {
            let y = eigen.eigenvectors.column(k).into_owned();
            let x = l.transpose().solve_upper_triangular(&y).ok_or_else(rigid)?;
            let mut parts: Vec<(Part, f64)> = vec![];
            for (part, dofs, stiffness) in &assembly.parts {
                let own = DVector::from_iterator(dofs.len(), dofs.iter().map(|d| x[*d]));
                let energy = own.dot(&(stiffness * &own));
                match parts.iter_mut().find(|p| p.0 == *part) {
                    Some(p) => p.1 += energy,
                    None => parts.push((*part, energy)),
                }
            }
            let total: f64 = parts.iter().map(|p| p.1).sum();
            parts.sort_by(|a, b| b.1.total_cmp(&a.1));
            let fraction = |(p, e)| EnergyFraction { component: self.component(p), fraction: e / total };
            let strain_energy = parts.into_iter().map(fraction).collect();
            let motion = tool.iter().fold(Motion::zero(), |sum, (d, column)| column.scale_add(x[*d], sum));
            let moved = motion.linear + motion.angular.cross(position);
            let size = moved.norm();
            let tool_direction = if size > 0.0 { moved * (1.0 / size) } else { moved };
            let frequency = 1.0 / (eigen.eigenvalues[k].sqrt() * 2.0 * std::f64::consts::PI);
            vibration_modes.push(VibrationMode { frequency, tool_direction, strain_energy });
        }
        Ok(vibration_modes)
    }

    fn assemble(
        &self,
        loads: &Loads,
        modes: &DeformationModes,
        spring: JointSpring,
        elements: usize,
    ) -> (Assembly, Frame) {
        let m = &self.model;
        let mut assembly = Assembly { k: DMatrix::zeros(0, 0), m: DMatrix::zeros(0, 0), parts: vec![] };
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
                let mut frame = at(&frames[joint.parent.index()], loads.joint_stations[j]);
                for v in joint.v.clone().filter(|v| modes.joints && self.stiffness[*v].is_finite()) {
                    frame.push((dofs, loads.kinematics.screws()[v]));
                    assembly.parts.push((Part::Joint(v), vec![dofs], DMatrix::from_element(1, 1, self.stiffness[v])));
                    if spring == JointSpring::Servo {
                        masses.push((vec![dofs], DMatrix::from_element(1, 1, m.reflected_inertia()[v])));
                    }
                    dofs += 1;
                }
                frames[link] = vec![(0.0, frame)];
            }
            if let Some(beam) = &self.links[link].beam {
                let (mu, slice) = (beam.mass_per_length(), beam.slice());
                let free = free_directions(modes, beam.stiffness.shear);
                for pair in loads.stations(beam, link).windows(2) {
                    let l = (pair[1] - pair[0]) / elements as f64;
                    let (k, mass) = (stiffness(&beam.stiffness, modes, l), mass(&beam.stiffness, modes, l, mu, slice));
                    for e in 0..elements {
                        let from = pair[0] + l * e as f64;
                        let to = if e + 1 == elements { pair[1] } else { from + l };
                        let [a, b] = [from, to].map(|x| loads.frame(beam, link, x));
                        let start = frames[link].last().map_or(vec![], |f| f.1.clone());
                        let own: Vec<(usize, Motion<f64>)> =
                            free.iter().enumerate().map(|(i, k)| (dofs + i, b.motion(unit(*k)))).collect();
                        let block = DMatrix::from_fn(own.len(), own.len(), |i, j| k[(6 + free[i], 6 + free[j])]);
                        assembly.parts.push((Part::Link(link), own.iter().map(|f| f.0).collect(), block));
                        dofs += own.len();
                        let t = element_motion(&start, &own, &a, &b);
                        let node: Frame = start.into_iter().chain(own).collect();
                        masses.push((node.iter().map(|f| f.0).collect(), t.transpose() * mass * &t));
                        frames[link].push((to, node));
                    }
                }
            }
            for mass in &self.links[link].lumped_masses {
                let frame = at(&frames[link], mass.station);
                let inertia = mass.inertia.transformed(&loads.poses[link]);
                let own: Vec<usize> = frame.iter().map(|f| f.0).collect();
                let block = DMatrix::from_fn(own.len(), own.len(), |i, j| frame[i].1.dot(inertia.momentum(frame[j].1)));
                masses.push((own, block));
            }
        }
        (assembly.k, assembly.m) = (DMatrix::zeros(dofs, dofs), DMatrix::zeros(dofs, dofs));
        let add = |matrix: &mut DMatrix<f64>, own: &[usize], block: &DMatrix<f64>| {
            for (i, a) in own.iter().enumerate() {
                for (j, b) in own.iter().enumerate() {
                    matrix[(*a, *b)] += block[(i, j)];
                }
            }
        };
        assembly.parts.iter().for_each(|(_, own, block)| add(&mut assembly.k, own, block));
        masses.iter().for_each(|(own, block)| add(&mut assembly.m, own, block));
        let tool_link = self.tool.link.index();
        let tool = at(&frames[tool_link], self.links[tool_link].station(self.tool.position()));
        (assembly, tool)
    }
}

/// Directions in which the end of an element moves relative to its start: translations x, y, z and rotations x, y, z of the
/// section; without shear if its stiffness is unknown.
fn free_directions(modes: &DeformationModes, shear: [f64; 2]) -> Vec<usize> {
    let free = |direction: &usize| match direction {
        0 => modes.axial,
        1 | 2 => modes.bending || modes.shear && shear[direction - 1].is_finite(),
        3 => modes.torsion,
        _ => modes.bending,
    };
    (0..6).filter(free).collect()
}

/// Unit motion in one of those directions.
fn unit(k: usize) -> Motion<f64> {
    if k < 3 { Motion::new(Vec3::zero(), Vec3::unit(k)) } else { Motion::new(Vec3::unit(k - 3), Vec3::zero()) }
}

/// The twelve degrees of freedom of an element by those of the structure: the end moves with the start, and relative to it.
fn element_motion(start: &Frame, own: &Frame, a: &Transform<f64>, b: &Transform<f64>) -> DMatrix<f64> {
    let mut t = DMatrix::zeros(12, start.len() + own.len());
    let mut put = |first: usize, column: usize, pose: &Transform<f64>, motion: Motion<f64>| {
        let local = pose.motion_back(motion);
        for k in 0..3 {
            t[(first + k, column)] = local.linear.get(k);
            t[(first + 3 + k, column)] = local.angular.get(k);
        }
    };
    for (c, (_, motion)) in start.iter().chain(own).enumerate() {
        if c < start.len() {
            put(0, c, a, *motion);
        }
        put(6, c, b, *motion);
    }
    t
}
