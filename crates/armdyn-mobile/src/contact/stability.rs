//! Tip-over stability: ground reaction, zero-moment point and the margin about each edge of the support polygon.

use super::force_angle::force_angles;
use super::{ForceAngle, LoadDistribution, Support};
use armdyn_core::{Force, Vec3};

/// The wrench that the ground exerts on the base, in ground coordinates, about their origin.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct GroundReaction<T> {
    /// Normal force \[N\].
    pub normal: T,
    /// Tangential force \[N\].
    pub tangential: [T; 2],
    /// Moments about x and y \[N m\].
    pub tilting: [T; 2],
    /// Moment about the normal \[N m\].
    pub yaw: T,
}

/// The zero-moment point of a normal force and tilting moments \[m\]; none if the ground is not loaded.
pub fn zero_moment_point(normal: f64, [mx, my]: [f64; 2]) -> Option<[f64; 2]> {
    (normal > 0.0).then(|| [-my / normal, mx / normal])
}

/// Tip-over margin about an edge of the support polygon; negative values mean that the robot tips over it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct EdgeMargin {
    /// Restoring moment \[N m\].
    pub moment: f64,
    /// Distance of the zero-moment point from the edge \[m\]; none if the ground is not loaded.
    pub distance: Option<f64>,
    /// Force-angle margin.
    pub force_angle: ForceAngle,
}

/// Tip-over stability of a robot at an instant.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Stability {
    /// Whether no edge has a negative margin.
    pub stable: bool,
    /// Ground reaction.
    #[serde(skip)]
    pub reaction: GroundReaction<f64>,
    /// Mass of base and arm \[kg\].
    pub mass: f64,
    /// Centre of mass in ground coordinates; the third component is its height \[m\].
    pub centre_of_mass: [f64; 3],
    /// Zero-moment point \[m\]; none if the ground is not loaded.
    pub zmp: Option<[f64; 2]>,
    /// Distance of the zero-moment point to the nearest edge \[m\]; negative outside the support polygon, none if the ground is
    /// not loaded.
    pub margin: Option<f64>,
    /// The edge with the smallest margin.
    pub critical_edge: usize,
    /// Normal load of each contact \[N\].
    #[serde(skip)]
    pub loads: Vec<f64>,
    /// Method that distributed the loads.
    pub load_distribution: LoadDistribution,
    /// Margin about each edge of the support polygon.
    #[serde(skip)]
    pub margins: Vec<EdgeMargin>,
}

impl Stability {
    /// The stability for a wrench that the ground exerts (moment about the base origin), a mass and its centre, in base axes.
    pub(crate) fn new(support: &Support, wrench: Force<f64>, mass: f64, centre: Vec3<f64>) -> Self {
        let reaction = support.reaction(wrench);
        let (normal, tilting) = (reaction.normal, reaction.tilting);
        let angles = force_angles(support, centre, wrench);
        let margin = |(edge, force_angle): (&super::Edge, ForceAngle)| {
            let moment = edge.moment(normal, tilting);
            EdgeMargin { moment, distance: (normal > 0.0).then(|| moment / normal), force_angle }
        };
        let margins: Vec<EdgeMargin> = support.edges().iter().zip(angles).map(margin).collect();
        let (critical_edge, smallest) = support.polygon().critical_edge(normal, tilting).unwrap_or((0, 0.0));
        // Rounding must not make a robot tip whose zero-moment point is on an edge.
        let within = normal > 0.0 && smallest >= -1e-12 * normal * support.size();
        let (loads, load_distribution) = support.springs().distribute([normal, tilting[0], tilting[1]], within);
        Stability {
            stable: normal > 0.0 && smallest >= 0.0,
            reaction,
            mass,
            centre_of_mass: support.to_ground(centre),
            zmp: zero_moment_point(normal, tilting),
            margin: margins[critical_edge].distance,
            critical_edge,
            loads,
            load_distribution,
            margins,
        }
    }
}
