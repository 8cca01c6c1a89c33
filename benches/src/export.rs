//! A robot as the peers' benchmarks read it: parameters, states, and the results that theirs must agree with.

use crate::robot;
use crate::states::{Pool, reference};
use armdyn_core::{Model, Pair};
use armdyn_import::{Description, to_mjcf, to_urdf};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Number of states that results are written for.
const CHECKED: usize = 8;

/// Writes `FOLDER/NAME.{txt,states,urdf,xml}`.
///
/// `txt` has name, nq, nv, number of joints, states and checked states, gravity, and a line for each joint: its parent (0 is the base), `revolute` (about z) or
/// `free`, its placement in the parent (rotation by rows, position), mass, centre of mass and central inertia (xx, xy, xz, yy, yz, zz). `states` has
/// q, q̇, q̈ and τ of all states, then the results of the checked ones, quantity by quantity, as native doubles.
pub(crate) fn export(name: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let m = robot(name);
    let pool = Pool::new(&m);
    std::fs::create_dir_all(folder)?;
    let path = |extension: &str| folder.join(format!("{name}.{extension}"));
    std::fs::write(path("txt"), parameters(name, &m, pool.q.len())?)?;

    let mut numbers = [&pool.q, &pool.qd, &pool.qdd, &pool.tau].map(|rows| rows.concat()).concat();
    for quantity in ["inverse", "mass", "forward", "inverse-mass", "coriolis", "derivatives", "forward-derivatives"] {
        let [q, qd, last] = pool.inputs(quantity);
        (0..CHECKED).for_each(|i| numbers.extend(reference(&m, quantity, q[i], qd[i], last[i])));
    }
    std::fs::write(path("states"), numbers.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>())?;

    let description = Description::of_model(&m);
    std::fs::write(path("urdf"), to_urdf(&description)?.0)?;
    std::fs::write(path("xml"), to_mjcf(&description)?.0)?;
    Ok(())
}

fn parameters(name: &str, m: &Model<f64>, states: usize) -> Result<String, Box<dyn Error>> {
    if m.armature().iter().any(|&a| a != 0.0) {
        return Err(format!("`{name}` has rotors, which some peers do not have").into());
    }
    let (nq, nv, count) = (m.nq(), m.nv(), m.base_to_tip().len());
    let mut text = format!("{name} {nq} {nv} {count} {states} {CHECKED}\n");
    let [x, y, z] = m.gravity().to_array();
    writeln!(text, "{x:?} {y:?} {z:?}")?;
    for (_, b) in m.base_to_tip() {
        let kind = match b.pair {
            Pair::Revolute => "revolute",
            Pair::Free => "free",
            _ => return Err(format!("`{name}` has a joint that is neither revolute nor free").into()),
        };
        let i = b.inertia.central().to_rows();
        let rotation = b.placement.rotation.to_rows().concat();
        let inertia = [i[0][0], i[0][1], i[0][2], i[1][1], i[1][2], i[2][2]];
        let (position, centre) = (b.placement.translation.to_array(), b.inertia.centre().to_array());
        write!(text, "{} {kind}", b.parent)?;
        for x in [&rotation[..], &position, &[b.inertia.mass], &centre, &inertia].concat() {
            write!(text, " {x:?}")?;
        }
        writeln!(text)?;
    }
    Ok(text)
}
