//! Common behaviour of `range`, `importance`, `simplify` and `size`: invalid ranges and trajectories, Ctrl-C.

use crate::typed::{folder, refused, text};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The commands with the options that they need.
const COMMANDS: [&[&str]; 4] = [
    &["range"],
    &["importance", "--speeds", "1", "--accelerations", "1"],
    &["simplify"],
    &["size", "--random-moves", "1"],
];

#[test]
fn invalid_ranges_and_names_are_errors() {
    for command in COMMANDS {
        for (robot, option, given, parts) in [
            ("jpl-rrp", "--ranges", "joint3=1:0.5", ["`joint3`", "lower end first"]),
            ("jpl-rrp", "--ranges", "joint3=0:inf", ["`--ranges`", "not finite"]),
            ("jpl-rrp", "--ranges", "joint3=0:NaN", ["`--ranges`", "not finite"]),
            ("jpl-rrp", "--ranges", "joint3=:", ["`--ranges`", "not a number"]),
            ("jpl-rrp", "--ranges", "joint3=1", ["`joint3`", "LOW:HIGH"]),
            ("jpl-rrp", "--ranges", "", ["is empty", "JOINT=LOW:HIGH"]),
            ("jpl-rrp", "--ranges", "elbow=0:1", ["no joint `elbow`", "joint6"]),
            ("jpl-rrp", "--payload", "1@hand", ["no link `hand`", "link6"]),
            // Its slide has no limits.
            ("lin-rp", "--seed", "1", ["joint `d` has no position limit", "--ranges JOINT=LOW:HIGH"]),
        ] {
            let output = refused(&[&command[..1], &[robot], &command[1..], &[option, given]].concat());
            assert!(parts.iter().all(|p| output.contains(p)), "{command:?} {given}: {output}");
        }
    }
}

#[test]
fn invalid_trajectories_are_errors() {
    let folder = folder("no-trajectories");
    for (name, rows, parts) in [
        ("back", "0,0,0\n1,0,0\n0.5,0,0\n", ["row 3", "is not after"]),
        ("again", "0,0,0\n1,0,0\n1,0,0\n", ["row 3", "is not after"]),
        ("nan", "0,0,0\n1,NaN,0\n2,0,0\n", ["line 3", "`q_theta1`"]),
        ("infinite", "0,0,0\n1,0,-inf\n2,0,0\n", ["line 3", "`q_theta2`"]),
        ("timeless", "nan,0,0\n1,0,0\n2,0,0\n", ["line 2", "`t`"]),
    ] {
        let file = folder.join(format!("{name}.csv")).display().to_string();
        std::fs::write(&file, format!("t,q_theta1,q_theta2\n{rows}")).unwrap();
        for line in [
            &["importance", "lin-rr", "--trajectory", &file][..],
            &["simplify", "lin-rr", "--trajectory", &file],
            &["size", "lin-rr", "--trajectory", &file],
        ] {
            let output = refused(line);
            assert!(parts.iter().all(|p| output.contains(p)), "{line:?}: {output}");
        }
    }
}

/// Ctrl-C ends the work with the results so far, marked as partial.
#[test]
#[cfg(unix)]
fn ctrl_c_gives_partial_results() {
    let excitation = folder("ctrl-c").join("excitation.csv").display().to_string();
    let lines = [
        &[
            "trajectory",
            "ur5e",
            "--profile",
            "fourier",
            "--accelerations",
            "4",
            "--candidates",
            "9999999",
            "--out",
            &excitation,
        ][..],
        &["range", "panda", "--guaranteed", "--gap", "0.01%", "--budget", "600s"],
        &["importance", "panda", "--accelerations", "1", "--samples", "1000000"],
        &["simplify", "panda", "--guaranteed", "--error", "0.1%", "--budget", "600s"],
        &["size", "panda", "--random-moves", "2", "--samples", "100000000"],
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
        let (mut output, mut warnings) = (vec![], vec![]);
        running.stdout.take().unwrap().read_to_end(&mut output).unwrap();
        running.stderr.take().unwrap().read_to_end(&mut warnings).unwrap();
        let status = running.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{line:?}: {status}");
        assert!(text(&output).to_lowercase().contains("partial: "), "{line:?}: {}", text(&output));
        assert!(text(&warnings).contains("warning: interrupted"), "{line:?}: {}", text(&warnings));
    }
    // The best excitation is written: 10 s at 500 samples per second, one at the end, and the header.
    assert_eq!(std::fs::read_to_string(excitation).unwrap().lines().count(), 5002);
}
