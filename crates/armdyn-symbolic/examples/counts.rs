//! Operation counts of quasi-minimal programs beside what is known: `counts SECONDS [ROBOT [all]]`.

use armdyn::{Inertia, Model};
use armdyn_conformance::random::{inertia, source};
use armdyn_symbolic::{Options, Quantity, Trig, minimal, trace};
use std::time::Duration;

fn bundled(name: &str) -> Model<f64> {
    armdyn_import::library::bundled(name).unwrap().load().description.unwrap().model().unwrap()
}

/// With other numbers in place of those of the links that are not zero, or of all.
fn shaken(model: &Model<f64>, all: bool, seed: u64) -> Model<f64> {
    let mut random = source(seed);
    let mut m = model.without_drives();
    for link in model.links().iter().filter(|l| l.body != 0) {
        let own = link.inertia().components();
        let other = inertia(&mut random).components();
        let mixed = core::array::from_fn(|k| if all || own[k].abs() > 1e-12 { other[k] } else { 0.0 });
        m = m
            .with_payload_in_link(&format!("more {}", link.name), &link.name, Inertia::from_components(mixed))
            .unwrap();
    }
    m
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(10.0, |s| s.parse().unwrap());
    let only = std::env::args().nth(2).unwrap_or_default();
    let others = std::env::args().nth(3).is_some();
    let rows = [
        ("renaud-6r", bundled("renaud-6r"), Trig::Sums, (113, 88)),
        ("renaud-6r", bundled("renaud-6r"), Trig::SingleJoint, (118, 90)),
        ("renaud shaken", shaken(&bundled("renaud-6r"), false, 1), Trig::Sums, (113, 88)),
        ("renaud shaken", shaken(&bundled("renaud-6r"), false, 2), Trig::SingleJoint, (118, 90)),
        ("jpl-rrp shaken", shaken(&bundled("jpl-rrp"), false, 1), Trig::Sums, (122, 98)),
        ("puma560 full", shaken(&bundled("puma560"), true, 1), Trig::Sums, (219, 207)),
        ("ur5 full", shaken(&armdyn_conformance::peers::robot("ur5"), true, 1), Trig::Sums, (216, 203)),
        ("panda full", shaken(&bundled("panda"), true, 1), Trig::Sums, (272, 263)),
        ("iiwa14 full", shaken(&bundled("iiwa14"), true, 1), Trig::Sums, (258, 249)),
        ("stanford full", shaken(&bundled("stanford"), true, 1), Trig::Sums, (205, 190)),
        ("jpl-rrp", bundled("jpl-rrp"), Trig::Sums, (122, 98)),
        ("puma560", bundled("puma560"), Trig::Sums, (219, 207)),
        ("ur5", armdyn_conformance::peers::robot("ur5"), Trig::Sums, (216, 203)),
        ("panda", bundled("panda"), Trig::Sums, (272, 263)),
        ("iiwa14", bundled("iiwa14"), Trig::Sums, (258, 249)),
        ("general-6r", armdyn_conformance::random::arm(3, "RRRRRR"), Trig::Sums, (358, 291)),
        ("stanford", bundled("stanford"), Trig::Sums, (205, 190)),
    ];
    for (name, model, trig, target) in rows {
        if !name.contains(&only) {
            continue;
        }
        let model = model.without_drives();
        let options = Options { budget: Duration::from_secs_f64(seconds), trig, ..Options::default() };
        let search = |quantity| minimal(&model, quantity, &options).unwrap().count();
        let (found, traced) = (search(Quantity::Inverse), trace(&model, Quantity::Inverse).unwrap().count());
        let trigs = if trig == Trig::Sums { "sums" } else { "single" };
        let known = target.0 + target.1;
        print!(
            "{name:14} {trigs:6} {found} = {} (known {} + {} = {known}; traced {traced})",
            found.total(),
            target.0,
            target.1
        );
        if others {
            for quantity in [Quantity::Gravity, Quantity::Coriolis, Quantity::Mass, Quantity::Forward] {
                print!("; {quantity} {}", search(quantity));
            }
        }
        println!();
    }
}
