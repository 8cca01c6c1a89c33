//! quick
#![allow(missing_docs)]
use armdyn::*;
use armdyn_conformance::{peers, random};
use std::hint::black_box;
use std::time::Instant;
const POOL: usize = 1024;
fn bench(robot: &str, algo: &str, mut f: impl FnMut(usize)) {
    let mut k = 0;
    let t = Instant::now();
    let mut calls = 0u64;
    while t.elapsed().as_secs_f64() < 0.03 {
        for _ in 0..16 {
            f(k & (POOL - 1));
            k += 1;
        }
        calls += 16;
    }
    let per = t.elapsed().as_nanos() as f64 / calls as f64;
    let b = (100e3 / per).max(1.0) as usize;
    let nb = ((0.3e9 / (b as f64 * per)) as usize).max(50);
    let mut s: Vec<f64> = (0..nb)
        .map(|_| {
            let a = Instant::now();
            for _ in 0..b {
                f(k & (POOL - 1));
                k += 1;
            }
            a.elapsed().as_nanos() as f64 / b as f64
        })
        .collect();
    s.sort_by(f64::total_cmp);
    println!("{robot} {algo} med {:.1} min {:.1}", s[nb / 2], s[0]);
}
fn main() {
    for name in ["ur5", "panda", "talos_ff"] {
        let m = peers::robot(name);
        let mut rng = random::source(1);
        let n = m.nv();
        let qs: Vec<Vec<f64>> = (0..POOL)
            .map(|_| {
                let mut q = vec![0.0; m.nq()];
                m.random(|| random::number(&mut rng, 0.5) + 0.5, &mut q).unwrap();
                q
            })
            .collect();
        let vs: Vec<Vec<f64>> = (0..POOL).map(|_| random::numbers(&mut rng, n, 2.0)).collect();
        let acs: Vec<Vec<f64>> = (0..POOL).map(|_| random::numbers(&mut rng, n, 5.0)).collect();
        let mut tau = vec![0.0; n];
        let mut d = RneaData::new(&m);
        bench(name, "rnea", |i| {
            rnea(&m, &mut d, &qs[i], &vs[i], &acs[i], &mut tau).unwrap();
            black_box(&mut tau);
        });
        let mut d = CrbaData::new(&m);
        let mut mass = vec![0.0; n * n];
        bench(name, "crba", |i| {
            crba(&m, &mut d, &qs[i], &mut mass).unwrap();
            black_box(&mut mass);
        });
        let mut d = AbaData::new(&m);
        bench(name, "aba", |i| {
            aba(&m, &mut d, &qs[i], &vs[i], &acs[i], &mut tau).unwrap();
            black_box(&mut tau);
        });
        let mut dr = RneaData::new(&m);
        let mut back = vec![0.0; n];
        let mut worst: f64 = 0.0;
        for i in 0..POOL {
            rnea(&m, &mut dr, &qs[i], &vs[i], &acs[i], &mut tau).unwrap();
            aba(&m, &mut d, &qs[i], &vs[i], &tau, &mut back).unwrap();
            for k in 0..n {
                worst = worst.max((back[k] - acs[i][k]).abs());
            }
        }
        println!("aba(rnea) worst {worst:e}");
        let mut d = MinverseData::new(&m);
        bench(name, "minverse", |i| {
            minverse(&m, &mut d, &qs[i], &mut mass).unwrap();
            black_box(&mut mass);
        });
        let mut d = RegressorData::new(&m);
        let mut y = vec![0.0; n * parameter_count(&m)];
        bench(name, "regressor", |i| {
            regressor(&m, &mut d, &qs[i], &vs[i], &acs[i], &mut y).unwrap();
            black_box(&mut y);
        });
        let mut d = DerivativesData::new(&m);
        let mut mass2 = mass.clone();
        let mut mass3 = mass.clone();
        bench(name, "drnea", |i| {
            rnea_derivatives(&m, &mut d, &qs[i], &vs[i], &acs[i], &mut mass, &mut mass2).unwrap();
            black_box(&mut mass);
        });
        bench(name, "daba", |i| {
            aba_derivatives(&m, &mut d, &qs[i], &vs[i], &acs[i], &mut mass, &mut mass2, &mut mass3).unwrap();
            black_box(&mut mass);
        });
        // checks
        let i = 3;
        let (q, v, a) = (&qs[i], &vs[i], &acs[i]);
        rnea(&m, &mut dr, q, v, a, &mut tau).unwrap();
        let mut dy = RegressorData::new(&m);
        regressor(&m, &mut dy, q, v, a, &mut y).unwrap();
        let pi: Vec<f64> = parameters(&m).iter().map(|p| p.value).collect();
        let w = pi.len();
        let mut e: f64 = 0.0;
        for r in 0..n {
            let t: f64 = (0..w).map(|c| y[r * w + c] * pi[c]).sum();
            e = e.max((t - tau[r]).abs());
        }
        println!("regressor err {e:e}");
        let mut dm = MinverseData::new(&m);
        let mut mi = vec![0.0; n * n];
        minverse(&m, &mut dm, q, &mut mi).unwrap();
        let mut dc = CrbaData::new(&m);
        crba(&m, &mut dc, q, &mut mass).unwrap();
        let mut e: f64 = 0.0;
        for r in 0..n {
            for c in 0..n {
                let t: f64 = (0..n).map(|k| mi[r * n + k] * mass[k * n + c]).sum();
                e = e.max((t - if r == c { 1.0 } else { 0.0 }).abs());
            }
        }
        println!("minverse err {e:e}");
        let mut dq = vec![0.0; n * n];
        let mut dv = dq.clone();
        let mut dd = DerivativesData::new(&m);
        rnea_derivatives(&m, &mut dd, q, v, a, &mut dq, &mut dv).unwrap();
        let h = 1e-6;
        let mut e: f64 = 0.0;
        let mut e2: f64 = 0.0;
        let mut sc: f64 = 0.0;
        for k in 0..n {
            let mut s = vec![0.0; n];
            let mut q1 = q.clone();
            let mut q2 = q.clone();
            s[k] = h;
            m.integrate(q, &s, &mut q1).unwrap();
            s[k] = -h;
            m.integrate(q, &s, &mut q2).unwrap();
            let mut t1 = tau.clone();
            let mut t2 = tau.clone();
            rnea(&m, &mut dr, &q1, v, a, &mut t1).unwrap();
            rnea(&m, &mut dr, &q2, v, a, &mut t2).unwrap();
            for r in 0..n {
                sc = sc.max(dq[r * n + k].abs());
                e = e.max(((t1[r] - t2[r]) / (2.0 * h) - dq[r * n + k]).abs());
            }
            let mut v1 = v.clone();
            let mut v2 = v.clone();
            v1[k] += h;
            v2[k] -= h;
            rnea(&m, &mut dr, q, &v1, a, &mut t1).unwrap();
            rnea(&m, &mut dr, q, &v2, a, &mut t2).unwrap();
            for r in 0..n {
                e2 = e2.max(((t1[r] - t2[r]) / (2.0 * h) - dv[r * n + k]).abs());
            }
        }
        println!("drnea err {e:e} {e2:e} scale {sc:e}");
        let ex = explain(&m, &dr.boundary, q, v, a).unwrap();
        let mut e: f64 = 0.0;
        rnea(&m, &mut dr, q, v, a, &mut tau).unwrap();
        for x in &ex {
            let s: f64 = x.shares.iter().map(|s| s.torque).sum();
            e = e.max((s - tau[x.joint]).abs());
        }
        println!("explain err {e:e}");
    }
}
