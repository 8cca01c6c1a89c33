//! All six components of every joint wrench as formulas (Lau 1985, 3-121…3-124).
//!
//! The core's recursion runs over polynomials: at rest with gravity; with unit accelerations; and with unit velocities, of one joint
//! and of two, from which the products of velocities follow:
//!
//!   w(q̇ⱼ = q̇ₖ = 1) − w(q̇ⱼ = 1) − w(q̇ₖ = 1) = coefficient of q̇ⱼ q̇ₖ

use super::poly::Poly;
use super::supplements::{MotionTerm, Wrench};
use armdyn_core::{Error, Force, JointId, Model, Real, RneaData, Vec3, WrenchFrame, rnea};

type Result<T> = std::result::Result<T, Error>;

/// The components of all wrenches that multiply the same time derivatives of coordinates.
type Contribution = (Vec<[Poly; 6]>, Vec<(usize, u8)>);

/// The wrenches of one call, joint by joint.
fn transmitted(m: &Model<Poly>, data: &mut RneaData<Poly>, [q, qd, qdd]: [&[Poly]; 3]) -> Result<Vec<[Poly; 6]>> {
    let mut torques = vec![Poly::zero(); m.nv()];
    rnea(m, data, q, qd, qdd, &mut torques)?;
    let mut out = vec![];
    for (k, joint) in m.joints().iter().enumerate() {
        if joint.bodies.is_empty() {
            continue;
        }
        let components = |f: Force<Poly>| [f.force.x, f.force.y, f.force.z, f.moment.x, f.moment.y, f.moment.z];
        let wrenches = data.wrenches(m, JointId::new(k), WrenchFrame::Local)?;
        out.extend(wrenches.into_iter().map(|w| components(w.total)));
    }
    Ok(out)
}

/// The wrenches of the moving joints, in the active ring.
pub(super) fn wrenches(m: &Model<Poly>, q: &[Poly]) -> Result<Vec<Wrench<Poly>>> {
    let n = m.nv();
    let mut data = RneaData::new(m);
    let weightless = m.with_gravity(Vec3::zero());
    let zero = vec![Poly::zero(); n];
    let unit = |set: &[usize]| (0..n).map(|i| if set.contains(&i) { Poly::one() } else { Poly::zero() }).collect();
    let units: Vec<Vec<Poly>> = (0..n).map(|i| unit(&[i])).collect();
    let mut terms: Vec<Contribution> = vec![];
    for (i, unit) in units.iter().enumerate() {
        terms.push((transmitted(&weightless, &mut data, [q, &zero, unit])?, vec![(i, 2)]));
    }
    let mut squares = vec![];
    for unit in &units {
        squares.push(transmitted(&weightless, &mut data, [q, unit, &zero])?);
    }
    for j in 0..n {
        for k in j..n {
            let product = if j == k {
                squares[j].clone()
            } else {
                let both = transmitted(&weightless, &mut data, [q, &unit(&[j, k]), &zero])?;
                let less = |w: usize| std::array::from_fn(|c| both[w][c] - squares[j][w][c] - squares[k][w][c]);
                (0..both.len()).map(less).collect()
            };
            terms.push((product, vec![(j, 1), (k, 1)]));
        }
    }
    terms.push((transmitted(m, &mut data, [q, &zero, &zero])?, vec![]));
    let component = |w: usize, c: usize| {
        let of = |(all, rates): &Contribution| {
            let coefficient = all[w][c];
            (!coefficient.is_null()).then(|| MotionTerm { coefficient, rates: rates.clone() })
        };
        terms.iter().filter_map(of).collect::<Vec<_>>()
    };
    let wrench = |(w, (joint, link)): (usize, (String, String))| Wrench {
        joint,
        link,
        components: std::array::from_fn(|c| component(w, c)),
    };
    Ok(names(m).into_iter().enumerate().map(wrench).collect())
}

/// The joint, or its degree of freedom, and the link that it moves, of each wrench.
fn names<T: Real>(m: &Model<T>) -> Vec<(String, String)> {
    let mut out = vec![];
    for joint in m.joints().iter().filter(|j| !j.bodies.is_empty()) {
        let link = &m.links()[joint.child].name;
        for k in 0..joint.bodies.len() {
            let several = joint.bodies.len() > 1 && joint.v.len() == joint.bodies.len();
            let name = if several { &m.dof_names()[joint.v.start + k] } else { &joint.name };
            out.push((name.clone(), link.clone()));
        }
    }
    out
}
