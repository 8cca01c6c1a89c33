//! Elastic links: beams between joints, loaded by weight, motion and the wrench on the tool.
//!
//! The wrench is in the base's axes, about the tool. `beam EI L`, `beam length L`, `beam mass L`, `beam yield L`: of a link's beam;
//! `beam critical K L`: the buckling load of mode K, fixed at its start, free at its end. Under load: `beam stress L`, the maximum von
//! Mises stress; `beam safety L`, the safety factor against yield; `beam compression L`, the maximum compression; in the base's axes:
//! `bent shift L`, `bent turn L`: of the end of its beam, by bending alone; `elastic shift L`, `elastic turn L`: with torsion and axial strain;
//! `beam end L`: where that end is; `beam force L`, `beam moment L`: the load at its far end.

use super::{Found, Scalar, Scene, Value, in_numbers};
use armdyn_core::{Force, KinematicsData, LinkId, kinematics, vec3};
use armdyn_structure::{DeformationModes, ElasticBeam, EndConditions, LinkDeflection, LoadCase, Strength, Structure};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    match words {
        ["beam", ..] | ["bent" | "elastic", "shift" | "turn", ..] => {
            Some(in_numbers(scene, |scene| Beams::new(scene)?.value(words)))
        }
        _ => None,
    }
}

/// A number that the beam's section or material may leave open.
fn known(x: Option<f64>) -> Result<Value<f64>, String> {
    x.map(Into::into).ok_or_else(|| "the section or the yield stress is unknown".to_string())
}

/// The beams of the robot's file.
struct Beams<'a> {
    scene: &'a Scene<f64>,
    structure: Structure,
}

impl<'a> Beams<'a> {
    fn new(scene: &'a Scene<f64>) -> Result<Self, String> {
        let robot = &scene.robot;
        let structure = Structure::new(&robot.model, None).map_err(|e| e.to_string())?;
        Ok(Beams { scene, structure })
    }

    fn value(&self, words: &[&str]) -> Result<Value<f64>, String> {
        match words {
            ["beam", "critical", mode, link @ ..] => {
                let mode = mode.parse().map_err(|_| format!("`{mode}` is not a mode number"))?;
                Ok(self.beam(link)?.1.critical_load(EndConditions::FixedFree, mode, false).into())
            }
            ["beam", what, link @ ..] => {
                let (number, beam) = self.beam(link)?;
                match *what {
                    "EI" => Ok(beam.stiffness.bending[0].into()),
                    "length" => Ok(beam.length.into()),
                    "mass" => Ok(beam.inertia().mass.into()),
                    "yield" => known(beam.yield_stress),
                    "stress" => known(self.strength(number)?.stress),
                    "safety" => known(self.strength(number)?.yield_safety_factor),
                    "compression" => Ok(self.strength(number)?.compression.into()),
                    "end" => self.deflected(number, &DeformationModes::bending()).map(|l| l.position.into()),
                    "force" => self.end_load(number, beam).map(|f| f.force.into()),
                    "moment" => self.end_load(number, beam).map(|f| f.moment.into()),
                    _ => Err(format!(
                        "`{what}`: EI, length, mass, yield, critical, stress, safety, compression, end, force, moment"
                    )),
                }
            }
            [modes, what, link @ ..] => {
                let modes =
                    if *modes == "bent" { DeformationModes::bending() } else { DeformationModes::euler_bernoulli() };
                let moved = self.deflected(self.beam(link)?.0, &modes)?.displacement;
                Ok(if *what == "shift" { moved.translation } else { moved.rotation }.into())
            }
            _ => Err("name a link".to_string()),
        }
    }

    fn beam(&self, link: &[&str]) -> Result<(LinkId, &ElasticBeam), String> {
        let name = link.join(" ");
        let number = self.structure.model().link(&name).map_err(|e| e.to_string())?;
        let beam = self.structure.links()[number.index()].beam.as_ref();
        beam.map(|b| (number, b)).ok_or_else(|| format!("link `{name}` has no beam"))
    }

    /// The scene's state and wrench.
    fn load_case(&self) -> LoadCase {
        let [q, qd, qdd] = &self.scene.state;
        let mut case = LoadCase::moving(q, qd, qdd);
        if let [a, b, c, d, e, f] = self.scene.wrench[..] {
            case.tool_wrench = Force::new(vec3(d, e, f), vec3(a, b, c));
        }
        case
    }

    fn strength(&self, link: LinkId) -> Result<Strength, String> {
        let all = self.structure.strength(&self.load_case(), EndConditions::FixedFree, false);
        let name = &self.structure.model().links()[link.index()].name;
        let found = all.map_err(|e| e.to_string())?.into_iter().find(|s| s.link == *name);
        found.ok_or_else(|| format!("link `{name}` has no beam"))
    }

    fn deflected(&self, link: LinkId, modes: &DeformationModes) -> Result<LinkDeflection, String> {
        let all = self.structure.deflect(&self.load_case(), modes).map_err(|e| e.to_string())?;
        let name = &self.structure.model().links()[link.index()].name;
        all.links.into_iter().find(|l| l.link == *name).ok_or_else(|| "the base has no beam".to_string())
    }

    /// The load at the far end, in the base's axes.
    fn end_load(&self, link: LinkId, beam: &ElasticBeam) -> Result<Force<f64>, String> {
        let m = self.structure.model();
        let mut d = KinematicsData::new(m);
        kinematics(m, &mut d, &self.scene.state[0]).map_err(|e| e.to_string())?;
        let axes = d.link_pose(m, link).map_err(|e| e.to_string())?.compose(&beam.start).rotation;
        let load = self.deflected(link, &DeformationModes::bending())?.end_load;
        Ok(Force::new(axes.rotate(load.moment), axes.rotate(load.force)))
    }
}
