//! Operation counts of quasi-minimal programs and published counts: `counts SECONDS [ROBOT [all]]`.
//!
//! `full`: with random link inertias; `pattern`: random only where they are not zero.

use armdyn_core::{BASE, Drive, Inertia, Joint, Model, ModelBuilder};
use armdyn_symbolic::{MinimalOptions, Quantity, Trig, minimal, trace};
use armdyn_testkit::bundled;
use armdyn_testkit::random::{arm, inertia, link, source};
use std::time::{Duration, Instant};

/// The model with random inertial parameters in place of those that are not zero, or of all.
fn randomised(model: &Model<f64>, all: bool) -> Model<f64> {
    let mut random = source(1);
    let mut m = model.without_drives();
    for (id, link) in model.link_ids().zip(model.links()).filter(|(_, l)| l.body != 0) {
        let own = link.inertia().components();
        let other = inertia(&mut random).components();
        let mixed = core::array::from_fn(|k| if all || own[k].abs() > 1e-12 { other[k] } else { 0.0 });
        let name = format!("more {}", link.name);
        m = m.with_payload_in_link(&name, id, Inertia::from_components(mixed)).unwrap();
    }
    m
}

/// An arm by its joints: `R` or `P`, then the angle to the preceding axis, `|` parallel, `+` perpendicular, `/` between.
fn arm_of(joints: &str, driven: bool) -> Model<f64> {
    let mut builder = ModelBuilder::new(joints);
    let mut last = BASE;
    for (j, pair) in joints.as_bytes().chunks(2).enumerate() {
        let alpha = match pair[1] {
            b'|' => 0.0,
            b'+' => std::f64::consts::FRAC_PI_2,
            _ => 0.7,
        };
        let joint = Joint::modified_dh(&format!("joint{j}"), pair[0] == b'P', alpha, 0.3, 0.0, 0.1 * j as f64);
        let drive = Drive::ideal().armature(0.2).viscous(0.3).coulomb(0.1, 0.1);
        let joint = joint.driven_by(if driven { drive } else { Drive::ideal() });
        last = builder.add(last, joint, link(&mut source(j as u64 + 1), &format!("link{j}")));
    }
    builder.build().unwrap()
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(10.0, |s| s.parse().unwrap());
    let only = std::env::args().nth(2).unwrap_or_default();
    let others = std::env::args().nth(3).is_some();
    let ur5 = armdyn_testkit::peers::robot("ur5");
    let sums = Trig::Sums;
    let mut rows = vec![
        ("renaud-6r", bundled("renaud-6r"), sums, "113 + 88"),
        ("renaud-6r", bundled("renaud-6r"), Trig::SingleJoint, "118 + 90"),
        ("renaud-6r pattern", randomised(&bundled("renaud-6r"), false), sums, "113 + 88"),
        ("renaud-6r pattern", randomised(&bundled("renaud-6r"), false), Trig::SingleJoint, "118 + 90"),
        ("jpl-rrp pattern", randomised(&bundled("jpl-rrp"), false), sums, "122 + 98"),
        ("puma560 full", randomised(&bundled("puma560"), true), sums, "219 + 207"),
        ("ur5 full", randomised(&ur5, true), sums, "216 + 203"),
        ("panda full", randomised(&bundled("panda"), true), sums, "272 + 263"),
        ("iiwa14 full", randomised(&bundled("iiwa14"), true), sums, "258 + 249"),
        ("stanford full", randomised(&bundled("stanford"), true), sums, "205 + 190"),
        ("general 6R", arm(3, "RRRRRR"), sums, "358 + 291"),
        ("ur5", ur5, sums, "none"),
    ];
    for name in
        ["jpl-rrp", "puma560", "panda", "iiwa14", "stanford", "scara", "gen3", "ur3e", "ur5e", "ur10e", "morris-neea"]
    {
        rows.push((name, bundled(name), sums, "none"));
    }
    for joints in ["R|R+R|P+R+R+", "P|P+R+R|R+R+", "R|R|R|P|", "R+R/R|R/R+R+", "R|R+P+R|R+R/R+"] {
        rows.push((joints, arm_of(joints, false), sums, "none"));
    }
    rows.push(("R|R+R|R+R+R+ driven", arm_of("R|R+R|R+R+R+", true), sums, "none"));
    rows.push(("R|R+R|R+R+R+", arm_of("R|R+R|R+R+R+", false), sums, "none"));
    for (name, model, trig, known) in rows {
        if !name.contains(&only) {
            continue;
        }
        let model = if name.ends_with("driven") { model } else { model.without_drives() };
        let quantities: &[Quantity] = if others { &Quantity::ALL } else { &[Quantity::Inverse] };
        for &quantity in quantities {
            let search = |budget| {
                let start = Instant::now();
                let options = MinimalOptions { budget, trig, ..MinimalOptions::default() };
                (minimal(&model, quantity, &options).unwrap(), start.elapsed())
            };
            let (natural, _) = search(Duration::ZERO);
            let (found, time) = search(Duration::from_secs_f64(seconds));
            let traced = trace(&model, quantity).unwrap().count();
            let trigs = if trig == sums { "sums" } else { "single" };
            let (count, first) = (found.count(), natural.count());
            println!(
                "{name:20} {trigs:6} {quantity:10} traced {traced} = {}; natural {first} = {}; {} {count} = {} in {:.1} s (known {known})",
                traced.total(),
                first.total(),
                found.strategy,
                count.total(),
                time.as_secs_f64(),
            );
        }
    }
}
