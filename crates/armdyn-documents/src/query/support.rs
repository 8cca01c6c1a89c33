//! Ground reactions and tip-over.
//!
//! The base moves with its velocities and accelerations. `ground force`, `ground moment`: the ground reaction on the base, about
//! its origin, in its axes; `load C`: the load of a contact; `zmp`: the zero-moment point; `tip margin`: its distance within the
//! support polygon; `friction needed`: the smallest sufficient coefficient; `contact velocity C`, `contact rate C`: of the base's
//! point there, in its axes, and the rate of that vector; `contact at C`: its position; `contact holding C`, `contact sliding C`,
//! `contact rolling C`: its friction coefficients.

use super::dynamics::{add_tool_wrench, require_no_tool_wrench};
use super::{Found, Scalar, Scene, Value, in_numbers};
use armdyn_core::{Contact, Force, Motion, RneaData, Vec3, rnea, vec3};
use armdyn_mobile::tipover::StabilityEvaluator;
use armdyn_mobile::{BaseMotion, Support};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    Some(match words {
        ["ground", "force"] => wrench(scene).map(|w| w.force.into()),
        ["ground", "moment"] => wrench(scene).map(|w| w.moment.into()),
        ["contact", "velocity", name @ ..] => contact(scene, name).map(|c| point(scene, 0, c).into()),
        ["contact", "rate", name @ ..] => contact(scene, name).map(|c| point(scene, 1, c).into()),
        ["contact", "at", name @ ..] => contact(scene, name).map(|c| Vec3::lift(c.position).into()),
        ["contact", what @ ("holding" | "sliding" | "rolling"), name @ ..] => {
            contact(scene, name).and_then(|c| friction(c, what)).map(|x| S::lift(x).into())
        }
        ["load", ..] | ["zmp"] | ["tip", "margin"] | ["friction", "needed"] => {
            in_numbers(scene, |scene| standing(scene, words))
        }
        _ => return None,
    })
}

/// A contact by its name.
fn contact<'a, S>(scene: &'a Scene<S>, name: &[&str]) -> Result<&'a Contact, String> {
    let name = name.join(" ");
    let contacts = scene.robot.model.contacts();
    contacts.iter().find(|c| c.name == name).ok_or_else(|| format!("there is no contact `{name}`"))
}

fn friction(c: &Contact, what: &str) -> Result<f64, String> {
    let of = match what {
        "holding" => c.friction.static_friction,
        "sliding" => c.friction.sliding_friction,
        _ => c.friction.rolling_resistance,
    };
    of.ok_or_else(|| format!("contact `{}` has no coefficient `{what}`", c.name))
}

/// The base's speeds, or their rates: angular, and linear of its origin.
fn motion<S: Scalar>(scene: &Scene<S>, order: usize) -> Motion<S> {
    let [x, y, turn] = [0, 1, 2].map(|k| scene.base[order].get(k).copied().unwrap_or(S::zero()));
    Motion::new(vec3(S::zero(), S::zero(), turn), vec3(x, y, S::zero()))
}

fn point<S: Scalar>(scene: &Scene<S>, order: usize, c: &Contact) -> Vec3<S> {
    let base = motion(scene, order);
    base.linear + base.angular.cross(Vec3::lift(c.position))
}

fn wrench<S: Scalar>(scene: &Scene<S>) -> Result<Force<S>, String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let mut d = RneaData::new(m);
    let (velocity, mut acceleration) = (motion(scene, 0), motion(scene, 1));
    acceleration.linear += velocity.angular.cross(velocity.linear);
    (d.boundary.base_velocity, d.boundary.base_acceleration) = (velocity, acceleration);
    add_tool_wrench(scene, &mut d.boundary)?;
    rnea(m, &mut d, q, qd, qdd, &mut vec![S::zero(); m.nv()]).map_err(|e| e.to_string())?;
    d.base_wrench(m).map_err(|e| e.to_string())
}

fn standing(scene: &Scene<f64>, words: &[&str]) -> Result<Value<f64>, String> {
    require_no_tool_wrench(scene)?;
    let message = |e: armdyn_numerics::Error| e.to_string();
    let contacts = scene.robot.model.contacts();
    let support = Support::from_contacts(contacts, -scene.model.gravity()).map_err(message)?;
    let [speeds, rates] = [0, 1].map(|order| {
        let m = motion(scene, order);
        [m.linear.x, m.linear.y, m.angular.z]
    });
    let base = BaseMotion::planar(&support, speeds, rates);
    let mut evaluator = StabilityEvaluator::new(&scene.model, &support);
    let [q, qd, qdd] = &scene.state;
    let found = evaluator.stability(&base, [q, qd, qdd]).map_err(message)?;
    match words {
        ["load", name @ ..] => {
            let wanted = contact(scene, name)?;
            let mut loads = contacts.iter().zip(&found.loads);
            loads
                .find(|(c, _)| c.name == wanted.name)
                .map(|(_, load)| (*load).into())
                .ok_or("the contact carries no load".to_string())
        }
        ["zmp"] => {
            found.zmp.map(|p| Value::column(p.to_vec())).ok_or("the robot does not press on the ground".to_string())
        }
        ["tip", ..] => found.margin.map(Into::into).ok_or("the robot does not press on the ground".to_string()),
        _ => Ok(evaluator.friction(&found, &base).map_err(message)?.minimum_coefficient.into()),
    }
}
