//! Writes animations of bundled robots or robot files: `cargo run -p armdyn-scene --example animate -- FOLDER ROBOT…`.
//!
//! Every joint swings about the middle of its range, or about 0, with its own frequency; torques follow by inverse dynamics.

use armdyn_core::{Model, RneaData, rnea};
use armdyn_scene::{Animation, Motion, Scene};
use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: animate FOLDER ROBOT…")?;
    for robot in arguments {
        let model = armdyn_import::load_model(&robot)?;
        let file = Path::new(&folder).join(format!("{}.html", model.name()));
        std::fs::write(&file, page(&model)?)?;
        println!("{}", file.display());
    }
    Ok(())
}

fn page(m: &Model<f64>) -> Result<String, Box<dyn Error>> {
    let (mut t, mut q, mut tau) = (vec![], vec![], vec![]);
    let mut d = RneaData::new(m);
    for k in 0..=400 {
        let time = f64::from(k) / 100.0;
        let [position, velocity, acceleration] = swing(m, time)?;
        let mut torque = vec![0.0; m.nv()];
        rnea(m, &mut d, &position, &velocity, &acceleration, &mut torque)?;
        t.push(time);
        q.push(position);
        tau.push(torque);
    }
    let motion = Motion { tau: Some(&tau), ..Motion::new(&t, &q) };
    Ok(Animation::new(m, Scene::of(m), &motion)?.to_html())
}

/// Position, velocity and acceleration: q = middle + a sin ω t, with ω a multiple of a turn in 4 s.
fn swing(m: &Model<f64>, time: f64) -> Result<[Vec<f64>; 3], Box<dyn Error>> {
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q)?;
    let (mut qd, mut qdd) = (vec![0.0; m.nv()], vec![0.0; m.nv()]);
    if m.nq() == m.nv() {
        for (v, l) in m.limits().iter().enumerate() {
            let open = if m.is_rotational(v) { 0.7 } else { 0.2 };
            let limited = l.lower.is_finite() && l.upper.is_finite();
            let (middle, half) =
                if limited { ((l.lower + l.upper) / 2.0, (l.upper - l.lower) / 2.0) } else { (0.0, open) };
            let (a, omega) = (half.min(open), TAU / 4.0 * (1 + v % 2) as f64);
            let (s, c) = (omega * time + 0.4 * v as f64).sin_cos();
            (q[v], qd[v], qdd[v]) = (middle + a * s, a * omega * c, -a * omega * omega * s);
        }
    }
    Ok([q, qd, qdd])
}
