//! `--wrench`: wrenches of the environment on the robot.

use crate::args::{self, Axes};
use crate::values::two_vectors;
use crate::{CommandError, robot};
use armdyn_core::{Boundary, ExternalWrench, Force, KinematicsData, Model, WrenchAxes, kinematics};
use serde_json::{Value, json};

/// The wrench `FX,FY,FZ[,MX,MY,MZ][@LINK]` of `--wrench`, at the tool or at the origin of a link.
pub fn wrench(m: &Model<f64>, text: &str, axes: WrenchAxes) -> Result<ExternalWrench<f64>, CommandError> {
    let (values, link) = text.split_once('@').map_or((text, None), |(v, link)| (v, Some(link)));
    let [force, moment] = two_vectors("--wrench", Some(values))?;
    let at = match link {
        Some(link) => robot::frame(m, link).map_err(|e| format!("`--wrench {text}`: {e}"))?,
        None => m.tool().map_err(|e| robot::no_tool(e, &format!("--wrench {text}@LINK")))?,
    };
    let mut wrench = Force::new(moment, force);
    if axes == WrenchAxes::Link {
        let axes = at.pose.rotation;
        wrench = Force::new(axes.rotate(moment), axes.rotate(force));
    }
    Ok(ExternalWrench { link: at.link, at: at.position(), axes, wrench })
}

/// The external wrenches of a command.
#[derive(Clone)]
pub struct External<'a> {
    m: &'a Model<f64>,
    wrenches: Vec<ExternalWrench<f64>>,
    kinematics: KinematicsData<f64>,
}

impl<'a> External<'a> {
    /// The wrenches of the options, each at the tool or at the origin of the link that it names.
    pub fn new(m: &'a Model<f64>, args: &args::Wrench) -> Result<Self, CommandError> {
        let axes = if args.wrench_axes == Axes::Base { WrenchAxes::Base } else { WrenchAxes::Link };
        let wrenches = args.wrench.iter().map(|text| wrench(m, text, axes)).collect::<Result<_, CommandError>>()?;
        Ok(External { m, wrenches, kinematics: KinematicsData::new(m) })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.wrenches.is_empty()
    }

    /// Sets the wrenches at a configuration.
    pub fn apply(&mut self, q: &[f64], boundary: &mut Boundary<f64>) -> Result<(), CommandError> {
        if !self.is_empty() {
            kinematics(self.m, &mut self.kinematics, q)?;
            boundary.set_external_wrenches(self.m, &self.kinematics, &self.wrenches)?;
        }
        Ok(())
    }

    /// The torques Jᵀ w at a configuration.
    pub fn torques(&mut self, q: &[f64]) -> Result<Vec<f64>, CommandError> {
        let (mut boundary, mut tau) = (Boundary::at_rest(self.m), vec![0.0; self.m.nv()]);
        self.apply(q, &mut boundary)?;
        boundary.external_torques(self.m, &self.kinematics, &mut tau)?;
        Ok(tau)
    }

    /// The wrenches for `--json`: link, point in its frame, axes (`base`, or `link`: the link's), force and moment about the
    /// point.
    pub fn json(&self) -> Value {
        let one = |w: &ExternalWrench<f64>| {
            let axes = if w.axes == WrenchAxes::Base { "base" } else { "link" };
            json!({
                "link": self.m.links()[w.link].name, "position": w.at.to_array(), "axes": axes,
                "force": w.wrench.force.to_array(), "moment": w.wrench.moment.to_array(),
            })
        };
        self.wrenches.iter().map(one).collect()
    }
}
