//! What `range`, `importance`, `simplify` and `size` have in common: questions that can't be asked, and Ctrl-C.

use crate::typed::{folder, refused, text};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Each with what it takes to look at a box.
const OVER_A_BOX: [&[&str]; 4] =
    [&["range"], &["importance", "--speeds", "1", "--accelerations", "1"], &["simplify"], &["size", "--moves", "1"]];

#[test]
fn boxes_that_hold_nothing_and_names_that_are_not_there() {
    for command in OVER_A_BOX {
        for (robot, option, given, parts) in [
            ("jpl-rrp", "--box", "joint3=1:0.5", ["`joint3`", "lower end first"]),
            ("jpl-rrp", "--box", "joint3=0:inf", ["`joint3`", "not finite"]),
            ("jpl-rrp", "--box", "joint3=0:NaN", ["`joint3`", "not finite"]),
            ("jpl-rrp", "--box", "joint3=:", ["`joint3`", "not a number"]),
            ("jpl-rrp", "--box", "joint3=1", ["`joint3`", "LOW:HIGH"]),
            ("jpl-rrp", "--box", "", ["nothing is given", "JOINT=LOW:HIGH"]),
            ("jpl-rrp", "--box", "elbow=0:1", ["no joint `elbow`", "joint6"]),
            ("jpl-rrp", "--payload", "1@hand", ["no link `hand`", "link6"]),
            // Its slide has no limits.
            ("lin-rp", "--seed", "1", ["position limits of d", "--box JOINT=LOW:HIGH"]),
        ] {
            let told = refused(&[&command[..1], &[robot], &command[1..], &[option, given]].concat());
            assert!(parts.iter().all(|p| told.contains(p)), "{command:?} {given}: {told}");
        }
    }
}

#[test]
fn trajectories_that_are_none() {
    let folder = folder("no-trajectories");
    for (name, rows, parts) in [
        ("back", "0,0,0\n1,0,0\n0.5,0,0\n", ["row 3", "does not come after"]),
        ("again", "0,0,0\n1,0,0\n1,0,0\n", ["row 3", "does not come after"]),
        ("nan", "0,0,0\n1,NaN,0\n2,0,0\n", ["line 3", "`q_theta1`"]),
        ("infinite", "0,0,0\n1,0,-inf\n2,0,0\n", ["line 3", "`q_theta2`"]),
        ("timeless", "nan,0,0\n1,0,0\n2,0,0\n", ["line 2", "`t`"]),
    ] {
        let file = folder.join(format!("{name}.csv")).display().to_string();
        std::fs::write(&file, format!("t,q_theta1,q_theta2\n{rows}")).unwrap();
        for line in [
            &["importance", "lin-rr", "--trajectory", &file][..],
            &["simplify", "lin-rr", "--over", "trajectory", "--states", &file],
            &["size", "lin-rr", "--trajectory", &file],
        ] {
            let told = refused(line);
            assert!(parts.iter().all(|p| told.contains(p)), "{line:?}: {told}");
        }
    }
}

/// Ctrl-C while it works: it ends by itself with what there is, marked as partial.
#[test]
#[cfg(unix)]
fn ctrl_c_gives_what_there_is() {
    let lines = [
        &["range", "panda", "--guaranteed", "--gap", "0.01%", "--budget", "600s"][..],
        &["importance", "panda", "--accelerations", "1", "--samples", "1000000"],
        &["simplify", "panda", "--guaranteed", "--error", "0.1%", "--budget", "600s"],
        &["size", "panda", "--moves", "2", "--samples", "100000000"],
    ];
    let started = lines.map(|line| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_armdyn"));
        (line, command.args(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    });
    // Long enough to have begun, and far from done.
    std::thread::sleep(Duration::from_secs(4));
    for (line, mut running) in started {
        assert_eq!(running.try_wait().unwrap(), None, "{line:?} is done already");
        assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
        let mut told = vec![];
        running.stdout.take().unwrap().read_to_end(&mut told).unwrap();
        let status = running.wait().unwrap();
        assert!(status.success(), "{line:?}: {status}");
        assert!(text(&told).to_lowercase().contains("partial: "), "{line:?}: {}", text(&told));
    }
}
