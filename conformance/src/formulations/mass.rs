//! The mass matrix by every formulation.

use super::*;

pub(super) fn mass_by_crba<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = CrbaData::new(m);
    Box::new(move |m, [q, _, _], mass| crba(m, &mut d, q, mass))
}

pub(super) fn mass_by_rnea<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, n) = (RneaData::new(m), m.nv());
    let (zero, mut unit, mut at_rest, mut column) = (zeros(n), zeros(n), zeros(n), zeros(n));
    Box::new(move |m, [q, _, _], mass| {
        rnea(m, &mut d, q, &zero, &zero, &mut at_rest)?;
        for j in 0..n {
            unit[j] = T::one();
            rnea(m, &mut d, q, &zero, &unit, &mut column)?;
            unit[j] = T::zero();
            for i in 0..n {
                mass[i * n + j] = column[i] - at_rest[i];
            }
        }
        finite(m, mass)
    })
}

pub(super) fn mass_by_dual(_: &Model<f64>) -> Compute<f64> {
    Box::new(move |m, [q, qd, qdd], mass| {
        let n = m.nv();
        let lifted = m.map(Dual::<f64, 1>::constant);
        let mut d = RneaData::new(&lifted);
        let constant = |x: &[f64]| -> Vec<Dual<f64, 1>> { x.iter().map(|&x| Dual::constant(x)).collect() };
        let (q, qd, mut qdd, mut tau) = (constant(q), constant(qd), constant(qdd), constant(qd));
        for j in 0..n {
            qdd[j].grad[0] = 1.0;
            rnea(&lifted, &mut d, &q, &qd, &qdd, &mut tau)?;
            qdd[j].grad[0] = 0.0;
            for i in 0..n {
                mass[i * n + j] = tau[i].grad[0];
            }
        }
        Ok(())
    })
}

pub(super) fn mass_by_minverse<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, n) = (MinverseData::new(m), m.nv());
    let mut inverse = zeros(n * n);
    Box::new(move |m, [q, _, _], mass| {
        minverse(m, &mut d, q, &mut inverse)?;
        factor(m, &mut inverse)?;
        for (k, row) in mass.chunks_exact_mut(n.max(1)).enumerate() {
            row.fill(T::zero());
            row[k] = T::one();
            cholesky_solve(&inverse, n, row);
        }
        finite(m, mass)
    })
}

/// Σ Jᵀ I J over the links and payloads, and J [(g + w)(g + w)ᵀ − w wᵀ] for each rotor, w = eᵀ J of its carrier: the
/// rotor turns with θ̇ against it, and its inertia as a rigid part is the carrier's.
pub(super) fn mass_by_jacobians<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut k, n) = (KinematicsData::new(m), m.nv());
    let (mut columns, mut gears, mut w) = (vec![Motion::zero(); n], zeros(n), zeros(n));
    Box::new(move |m, [q, _, _], mass| {
        kinematics(m, &mut k, q)?;
        mass.fill(T::zero());
        for number in m.link_ids() {
            let own = loaded(m, number);
            k.jacobian(m, number, JacobianFrame::Local, &mut columns)?;
            for j in 0..n {
                let momentum = own.momentum(columns[j]);
                for i in 0..n {
                    mass[i * n + j] += columns[i].dot(momentum);
                }
            }
        }
        for r in m.rotors() {
            gears.fill(T::zero());
            w.fill(T::zero());
            r.gear.iter().for_each(|&(dof, g)| gears[dof.index()] += g);
            if let (Some((body, axis)), Some(link)) = (r.mount, r.link) {
                let e: Vec3<T> = k.poses()[body].rotation.rotate(axis);
                k.jacobian(m, link, JacobianFrame::World, &mut columns)?;
                w.iter_mut().zip(&columns).for_each(|(w, column)| *w = e.dot(column.angular));
            }
            for i in 0..n {
                for j in 0..n {
                    mass[i * n + j] += r.inertia * ((gears[i] + w[i]) * (gears[j] + w[j]) - w[i] * w[j]);
                }
            }
        }
        for (i, &a) in m.armature().iter().enumerate() {
            mass[i * n + i] += a;
        }
        finite(m, mass)
    })
}

/// ∂²T/∂q̇ᵢ∂q̇ⱼ.
pub(super) fn mass_by_energy(_: &Model<f64>) -> Compute<f64> {
    Box::new(move |m, [q, qd, _], mass| {
        type Both = Dual<Dual<f64, 1>, 1>;
        let n = m.nv();
        let constant = |x: f64| Both::constant(Dual::constant(x));
        let lifted = m.map(constant);
        let mut d = EnergyData::new(&lifted);
        let lift = |x: &[f64]| -> Vec<Both> { x.iter().map(|&x| constant(x)).collect() };
        let (q, mut v) = (lift(q), lift(qd));
        for i in 0..n {
            v[i].value.grad[0] = 1.0;
            for j in 0..=i {
                v[j].grad[0].value = 1.0;
                let hessian = energy(&lifted, &mut d, &q, &v)?.kinetic.grad[0].grad[0];
                v[j].grad[0].value = 0.0;
                mass[i * n + j] = hessian;
                mass[j * n + i] = hessian;
            }
            v[i].value.grad[0] = 0.0;
        }
        Ok(())
    })
}

pub(super) fn mass_by_coefficients<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, n) = (CoefficientsData::new(m), m.nv());
    Box::new(move |m, [q, _, _], mass| {
        coefficients(m, &mut d, q)?;
        mass.iter_mut().enumerate().for_each(|(at, x)| *x = d.inertia(at / n, at % n));
        Ok(())
    })
}

pub(super) fn mass_by_lagrange<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, n) = (LagrangeData::new(m), m.nv());
    Box::new(move |m, [q, _, _], mass| {
        lagrange(m, &mut d, q)?;
        mass.iter_mut().enumerate().for_each(|(at, x)| *x = d.inertia(at / n, at % n));
        Ok(())
    })
}

pub(super) fn mass_by_state_space<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = FormsData::new(m);
    Box::new(move |m, [q, qd, _], mass| {
        mass.copy_from_slice(state_space(m, &mut d, q, qd)?.mass);
        Ok(())
    })
}
