//! 3-D scenes of robots, and animations of their motion.
//!
//! [`Scene::of`] draws any [`Model`](armdyn_core::Model): capsules between its joints, housings along their axes, wheels and a base. A robot file's
//! own shapes replace them ([`Scene::set_shapes`]). An [`Animation`] adds a motion, with the poses of all bodies computed here;
//! [`Animation::to_html`] is one page that needs neither network nor other files. Its script is built in `web/`.
//!
//! ```
//! use armdyn_core::{BASE, Joint, Link, ModelBuilder};
//! use armdyn_scene::{Animation, Motion, Scene};
//! let mut robot = ModelBuilder::new("pendulum");
//! robot.add(BASE, Joint::revolute("pivot", [0.0, 1.0, 0.0]), Link::new("rod").body(1.0, [0.0, 0.0, -0.5], [0.08, 0.0, 0.0, 0.08, 0.0, 0.01]));
//! let model = robot.build()?;
//! let (t, q) = ([0.0, 0.5, 1.0], [vec![0.0], vec![0.6], vec![0.0]]);
//! let animation = Animation::new(&model, Scene::of(&model), &Motion::new(&t, &q))?;
//! assert!(animation.to_html().starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
mod base;
mod encode;
mod links;
mod mesh;
mod scene;

pub use animation::{Animation, AnimationError, Event, Motion};
pub use mesh::Mesh;
pub use scene::{Geometry, Pose, Role, Row, Scene, SceneJoint, SceneLink, Shape, ToolFrame};
