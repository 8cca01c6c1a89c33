//! How near a Jacobian is to a singularity, and which joints are the reason.

use nalgebra::DMatrix;

/// Components of a unit vector of joint velocities above which a joint takes part in the motion.
const PARTICIPATES: f64 = 0.2;

/// The smallest singular value of a Jacobian, and the columns of its right singular vector: the joints whose combined motion moves the tool least,
/// largest component first.
pub(crate) fn smallest_singular_value(jacobian: DMatrix<f64>) -> (f64, Vec<usize>) {
    let svd = jacobian.svd(false, true);
    let (k, value) = svd.singular_values.argmin();
    let mut columns: Vec<(f64, usize)> = vec![];
    if let Some(v) = &svd.v_t {
        columns.extend(v.row(k).iter().enumerate().map(|(j, x)| (x.abs(), j)));
        columns.retain(|(size, _)| *size > PARTICIPATES);
        columns.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    (value, columns.into_iter().map(|(_, j)| j).collect())
}

/// The names of joints in a sentence.
pub(crate) fn joint_list(joints: &[String]) -> String {
    match joints {
        [] => "the joints".to_string(),
        [joint] => format!("joint `{joint}`"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|j| format!("`{j}`")).collect();
            format!("joints {} and `{last}`", others.join(", "))
        }
    }
}
