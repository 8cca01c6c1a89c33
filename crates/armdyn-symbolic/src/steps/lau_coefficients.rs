//! The closed form for one degree of freedom per link: δ, μ and the coefficients D.
//!
//! Lau 1985, ch. 4, eqs. 4-1 … 4-7, 4-98 … 4-105, as in the core's `coefficients`, which lists the errata. Deviations: the axes are
//! given in link j's own frame, which stays with it; a joint of several degrees of freedom counts as several.

use super::subject::Subject;
use super::{Quantity, Step, Symbol};
use armdyn_core::{CoefficientsData, Error, KinematicsData, Real, Transform, coefficients, kinematics};

/// The steps of chapter 4.
pub(super) fn one_axis<T: Real>(s: &Subject<T>) -> Result<Vec<Step<T>>, Error> {
    let (m, n) = (&s.model, s.model.nv());
    let mut poses = KinematicsData::new(m);
    kinematics(m, &mut poses, &s.q)?;
    let mut axes = Step::new("Chapter 4: generalized rotation and displacement", "Lau 4-4 … 4-7")
        .formula(
            "ᵢδʲ = Aᵀ s, ᵢμʲ = Aᵀ (s × d) (revolute)",
            "{}_i\\delta^j = A^T s,\\quad {}_i\\mu^j = A^T (s \\times d) \\text{ (revolute)}",
        )
        .formula("ᵢδʲ = 0, ᵢμʲ = Aᵀ s (prismatic)", "{}_i\\delta^j = 0,\\quad {}_i\\mu^j = A^T s \\text{ (prismatic)}");
    for (j, link) in s.links.iter().enumerate().skip(1) {
        let pose = poses.poses()[j].compose(&Transform::from_rotation(link.axes));
        for i in (1..=j).filter(|&i| m.is_ancestor(i, j)) {
            let axis = pose.motion_back(poses.screws()[m.body(i).v]);
            for (letter, value) in [("δ", axis.angular), ("μ", axis.linear)] {
                let symbol = Symbol::new(letter).before(i.to_string()).above(j.to_string());
                let quantity = Quantity::vector(symbol, value.to_array(), "").of_joint(&m.dof_names()[m.body(i).v]);
                axes.push(quantity.in_frame(link.name.clone()).indices(&[i, j]));
            }
        }
    }
    let mut d = CoefficientsData::new(m);
    coefficients(m, &mut d, &s.q)?;
    let mut all = Step::new("Chapter 4: coefficients", "Lau 4-98 … 4-105")
        .formula("τᵢ = Dᵢ + Σ Dᵢₖ n̈ₖ + ΣΣ Dᵢₖₗ ṅₖ ṅₗ", "\\tau_i = D_i + \\sum_k D_{ik} \\ddot n_k + \\sum_k \\sum_l D_{ikl} \\dot n_k \\dot n_l")
        .formula("Dᵢʲ = −M g · (ᵢμ + ᵢδ × p)", "D_i^{,j} = -M^{,j} g \\cdot ({}_i\\mu + {}_i\\delta \\times p)")
        .formula(
            "Dᵢₖʲ = M {ᵢδ · K ₖδ + ₖμ · ᵢμ + p · (ᵢμ × ₖδ + ₖμ × ᵢδ)}",
            "D_{ik}^{,j} = M^{,j} \\{ {}_i\\delta \\cdot K\\, {}_k\\delta + {}_k\\mu \\cdot {}_i\\mu + p \\cdot ({}_i\\mu \\times {}_k\\delta + \
             {}_k\\mu \\times {}_i\\delta) \\}",
        )
        .corrected("4-102", "printed without the minus")
        .corrected("4-104", "ᵢδ · K (ₗδ × ₖδ) is spurious and left out");
    let digits = |all: &[usize]| {
        let separator = if n > 9 { "," } else { "" };
        all.iter().map(|i| (i + 1).to_string()).collect::<Vec<_>>().join(separator)
    };
    let mut push = |indices: &[usize], value: T| {
        let prismatic = indices.iter().filter(|&&v| !m.is_rotational(v)).count();
        let unit =
            if indices.len() == 1 { m.torque_unit(indices[0]) } else { ["kg m²", "kg m", "kg", ""][prismatic.min(3)] };
        let numbers: Vec<usize> = indices.iter().map(|i| i + 1).collect();
        let quantity = Quantity::scalar(Symbol::new("D").index(digits(indices)), value, unit);
        all.push(quantity.of_joint(&m.dof_names()[indices[0]]).indices(&numbers));
    };
    (0..n).for_each(|i| push(&[i], d.gravity(i)));
    (0..n).for_each(|i| (i..n).for_each(|k| push(&[i, k], d.inertia(i, k))));
    (0..n).for_each(|i| (0..n).for_each(|k| (k..n).for_each(|l| push(&[i, k, l], d.velocity(i, k, l)))));
    Ok(vec![axes, all])
}
