//! The tool of a robot: the frame where it carries a payload and acts on its surroundings.
//!
//! In this order:
//!
//! 1. the tool of the description: [`ModelBuilder::tool`](super::ModelBuilder::tool), `[tool]` of a robot file, or a site of
//!    an MJCF file whose name says so;
//! 2. the end of the beam of an end link;
//! 3. an end link whose name says so: `*tcp*`, `tool0`, `tool`, `ee`, `end_effector`, `flange` and others
//!    ([`Tool::name_rank`]);
//! 4. the frame of the only end link, if its origin is not that of the last joint.
//!
//! An end link is one that moves and has no child (in a structure without joints, one without a child). At the last
//! joint's origin a payload may load nothing, so that point is not assumed unless a name says so.

use super::ids::LinkId;
use super::model::Model;
use crate::error::{Error, Result};
use crate::spatial::{Transform, Vec3};
use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec::Vec;

/// A frame of a link where a payload is carried and external forces act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tool {
    /// The link.
    pub link: LinkId,
    /// The pose of the tool's frame in the link's frame.
    pub pose: Transform<f64>,
    /// Where it comes from.
    pub source: ToolSource,
}

/// How a tool was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolSource {
    /// By the caller.
    Given,
    /// The robot's description defines it.
    Description,
    /// By the name of a site (MJCF).
    Site,
    /// The end of the last beam.
    Beam,
    /// By the name of an end link.
    Name,
    /// The frame of the only end link.
    EndLink,
}

impl ToolSource {
    /// In words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            ToolSource::Given => "given",
            ToolSource::Description => "tool of the robot file",
            ToolSource::Site => "site with the name of a tool",
            ToolSource::Beam => "end of its beam",
            ToolSource::Name => "end link with the name of a tool",
            ToolSource::EndLink => "frame of the only end link",
        }
    }
}

impl Tool {
    /// A point of a link, with the link's axes.
    #[must_use]
    pub fn at(link: LinkId, position: Vec3<f64>) -> Self {
        Tool { link, pose: Transform::from_translation(position), source: ToolSource::Given }
    }

    /// How well a name says that a link or site is the tool: 0 is best, none if it does not.
    #[must_use]
    pub fn name_rank(name: &str) -> Option<usize> {
        let name = name.to_ascii_lowercase();
        let word =
            |wanted: &[&str]| name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| wanted.contains(&part));
        let end_effector = word(&["ee", "eef", "endeffector"]) || name.contains("end_effector");
        let flange = word(&["flange", "attachment"]);
        let kinds = [name.contains("tcp"), word(&["tool0"]), word(&["tool"]), end_effector, flange];
        kinds.iter().position(|is| *is)
    }

    /// Its origin in the link's frame.
    #[must_use]
    pub fn position(&self) -> Vec3<f64> {
        self.pose.translation
    }
}

impl Model<f64> {
    /// The tool: that of the description, the end of the last beam, an end link with the name of a tool, or the frame
    /// of the only end link away from its joint. [`Error::NoTool`] if none of these is unique.
    ///
    /// ```
    /// use armdyn_core::{BASE, Joint, Link, ModelBuilder, ToolSource, Transform, vec3};
    /// let mut robot = ModelBuilder::new("arm");
    /// let arm = Link::new("arm").body(1.0, [0.2, 0.0, 0.0], [0.0; 6]);
    /// let arm = robot.add(BASE, Joint::revolute("shoulder", [0.0, 1.0, 0.0]), arm);
    /// assert!(robot.build()?.tool().is_err()); // the arm's frame is at its joint
    /// let mount = Joint::fixed("mount").at(Transform::from_translation(vec3(0.4, 0.0, 0.0)));
    /// robot.add(arm, mount, Link::new("tool0"));
    /// assert_eq!(robot.build()?.tool()?.source, ToolSource::Name);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tool(&self) -> Result<Tool> {
        if let Some(tool) = self.structure.tool {
            return Ok(tool);
        }
        let leaves = self.leaves();
        let ends = self.end_links();
        let beam_end = |&link: &LinkId| Some(Tool::at(link, Vec3::lift(self.links()[link].beam?.end?)));
        // A mast on the base is no end of the arm; a structure without joints has only such ends.
        let beam_links = if ends.is_empty() { &leaves } else { &ends };
        let beams: Vec<Tool> = beam_links.iter().filter_map(beam_end).collect();
        if let [tool] = beams[..] {
            return Ok(Tool { source: ToolSource::Beam, ..tool });
        }
        let frame = |link, source| Tool { link, pose: Transform::identity(), source };
        let ranks = ends.iter().filter_map(|&link| Some((Tool::name_rank(&self.links()[link].name)?, link)));
        let ranks: Vec<(usize, LinkId)> = ranks.collect();
        let best = ranks.iter().map(|(rank, _)| *rank).min();
        let named: Vec<LinkId> = ranks.iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, link)| *link).collect();
        if let [link] = named[..] {
            return Ok(frame(link, ToolSource::Name));
        }
        match ends[..] {
            [end] if self.links()[end].pose.translation != Vec3::zero() => Ok(frame(end, ToolSource::EndLink)),
            _ => {
                let ends = ends.iter().map(|&link| self.links()[link].name.clone()).collect();
                Err(Error::NoTool { model: self.name().to_string(), ends })
            }
        }
    }

    /// The links that move and have no child.
    pub fn end_links(&self) -> Vec<LinkId> {
        self.leaves().into_iter().filter(|&link| self.links()[link].body != 0).collect()
    }

    /// The links without a child.
    fn leaves(&self) -> Vec<LinkId> {
        let parents: BTreeSet<LinkId> = self.joints().iter().map(|j| j.parent).collect();
        self.link_ids().filter(|link| !parents.contains(link)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BASE, Beam, Joint, Link, Material, ModelBuilder, Section};

    fn forward(x: f64) -> Transform<f64> {
        Transform::from_translation(Vec3::lift([x, 0.0, 0.0]))
    }

    fn arm() -> (ModelBuilder, LinkId) {
        let mut robot = ModelBuilder::new("arm");
        robot.add(BASE, Joint::fixed("stand"), Link::new("base_tool0"));
        let rod = Link::new("rod").body(1.0, [0.2, 0.0, 0.0], [0.0; 6]);
        let rod = robot.add(BASE, Joint::revolute("shoulder", [0.0, 1.0, 0.0]), rod);
        (robot, rod)
    }

    fn ends(robot: &ModelBuilder) -> Vec<alloc::string::String> {
        match robot.build().unwrap().tool() {
            Err(Error::NoTool { ends, .. }) => ends,
            other => panic!("{other:?}"),
        }
    }

    /// Links fixed to the base are no ends, whatever their names; a link whose frame is at its joint is not assumed.
    #[test]
    fn nothing_is_guessed_at_a_joint() {
        assert_eq!(ends(&arm().0), ["rod"]);
    }

    #[test]
    fn names_in_order_of_preference() {
        let (mut robot, rod) = arm();
        for (name, found) in [("wheel", None), ("flange", Some("flange")), ("ee_link", Some("ee_link"))] {
            robot.add(rod, Joint::fixed(name).at(forward(0.4)), Link::new(name));
            let model = robot.build().unwrap();
            match found {
                None => assert_eq!(model.tool().unwrap().source, ToolSource::EndLink, "{name}"),
                Some(found) => {
                    let tool = model.tool().unwrap();
                    assert_eq!((model.links()[tool.link].name.as_str(), tool.source), (found, ToolSource::Name));
                }
            }
        }
        robot.add(rod, Joint::fixed("left"), Link::new("left_tool0"));
        robot.add(rod, Joint::fixed("right"), Link::new("right_tool0"));
        assert_eq!(ends(&robot).len(), 5, "two tools of one rank");
        robot.add(rod, Joint::fixed("tcp"), Link::new("hand_tcp"));
        let model = robot.build().unwrap();
        assert_eq!(model.links()[model.tool().unwrap().link].name, "hand_tcp");
    }

    #[test]
    fn the_end_of_a_beam_and_the_description() {
        let mut robot = ModelBuilder::new("arm");
        let beam = Beam::new(Section::Rod { diameter: 0.02 }, Material::named("steel").unwrap(), 0.4);
        let rod = Link::new("rod").body(1.0, [0.2, 0.0, 0.0], [0.0; 6]).beam(beam.between([0.0; 3], [0.4, 0.0, 0.0]));
        let rod = robot.add(BASE, Joint::revolute("shoulder", [0.0, 1.0, 0.0]), rod);
        let tool = robot.build().unwrap().tool().unwrap();
        assert_eq!((tool.position().to_array(), tool.source), ([0.4, 0.0, 0.0], ToolSource::Beam));
        let mast = Link::new("mast").beam(beam.between([0.0; 3], [0.0, 0.0, 1.0]));
        robot.add(BASE, Joint::fixed("stand"), mast);
        let model = robot.build().unwrap();
        assert_eq!(model.links()[model.tool().unwrap().link].name, "rod", "a mast on the base is no end");
        robot.tool(rod, forward(0.5));
        let tool = robot.build().unwrap().tool().unwrap();
        assert_eq!((tool.position().to_array(), tool.source), ([0.5, 0.0, 0.0], ToolSource::Description));
        robot.tool(LinkId::new(9), Transform::identity());
        assert!(robot.build().unwrap_err().problems[0].contains("tool"));
    }
}
