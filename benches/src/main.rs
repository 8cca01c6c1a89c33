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
    }
}
