//! Tables of states: files and standard streams in, results out.

use crate::everyday::lin_rr;
use crate::typed::{assert_close, folder, refused_in, run_in, text};
use std::path::Path;
use std::process::Command;

#[test]
fn states_from_a_table_to_a_table() {
    let folder = folder("states");
    let states: Vec<[f64; 6]> =
        (0..5000).map(|k| std::array::from_fn(|j| ((k * 7 + j * 13) % 101) as f64 / 50.0 - 1.0)).collect();
    let mut csv = String::from("t,qd_theta2,q_theta1,q_theta2,qd_theta1,qdd_theta1,qdd_theta2,note\n");
    for (k, [q1, q2, v1, v2, a1, a2]) in states.iter().enumerate() {
        csv += &format!("{},{v2},{q1},{q2},{v1},{a1},{a2},7\n", k as f64 * 1e-3);
    }
    std::fs::write(folder.join("in.csv"), csv).unwrap();
    for out in ["tau.parquet", "tau.npz", "tau.csv"] {
        let output = run_in(&folder, &["inverse", "lin-rr", "--states", "in.csv", "--out", out, "--json"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("note"), "an unused column is reported");
    }
    let written = std::fs::read_to_string(folder.join("tau.csv")).unwrap();
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("t,tau_theta1,tau_theta2"));
    let mut count = 0;
    for (line, [q1, q2, v1, v2, a1, a2]) in lines.zip(&states) {
        let found: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert_close(&found[1..], &lin_rr([*q1, *q2], [*v1, *v2], [*a1, *a2]), 1e-13, line);
        count += 1;
    }
    assert_eq!(count, states.len());
    // Torques alone are a state at rest in the neutral pose; both formats hold what the text holds.
    let back = |from: &str, to: &str| {
        let output = run_in(&folder, &["forward", "lin-rr", "--states", from, "--out", to]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("neutral"), "missing columns are reported");
        std::fs::read_to_string(folder.join(to)).unwrap()
    };
    let expected = back("tau.csv", "csv.csv");
    assert_eq!(back("tau.parquet", "parquet.csv"), expected);
    assert_eq!(back("tau.npz", "npz.csv"), expected);
}

/// Runs with text on standard input.
fn run_with_input(folder: &Path, line: &[&str], input: &[u8]) -> std::process::Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = Command::new(env!("CARGO_BIN_EXE_armdyn"));
    command.args(line).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that refuses its arguments does not read its input.
    match child.stdin.take().unwrap().write_all(input) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap()
}

/// A closed standard output (`| head`) is neither an error nor a panic: nothing is reported, whatever the command prints.
#[test]
fn a_closed_standard_output_is_no_error() {
    let folder = folder("closed");
    let rows = "0.3,-0.8\n".repeat(20_000);
    std::fs::write(folder.join("in.csv"), format!("q_theta1,q_theta2\n{rows}")).unwrap();
    let lines: [&[&str]; 6] = [
        &["inverse", "lin-rr", "--states", "in.csv", "--out", "-"],
        &["inverse", "lin-rr", "--states", "in.csv", "--out", "-", "--format", "npz"],
        &["inverse", "lin-rr", "--states", "in.csv", "--out", "out.csv", "--json"],
        &["explain", "panda", "--json"],
        &["explain", "panda", "--all"],
        &["inverse", "--help"],
    ];
    for line in lines {
        let (closed, writer) = std::io::pipe().unwrap();
        drop(closed);
        let mut command = Command::new(env!("CARGO_BIN_EXE_armdyn"));
        let output = command.args(line).current_dir(&folder).stdout(writer).output().unwrap();
        let said = text(&output.stderr);
        let unexpected = said.lines().find(|l| !l.starts_with("warning: no columns"));
        assert_eq!((output.status.code(), unexpected), (Some(0), None), "{line:?}: {said}");
    }
}

#[test]
fn arrays_come_out_as_they_go_in() {
    let folder = folder("arrays");
    std::fs::write(folder.join("in.csv"), "t,q_theta1,q_theta2\n0,0.3,-0.8\n1,0.1,0.2\n2,0,0\n").unwrap();
    let line = ["terms", "lin-rr", "--states", "in.csv", "--out", "out.npz", "--json"];
    let output = run_in(&folder, &line);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        answer["arrays"],
        serde_json::json!({ "g": [3, 2], "tau_bias": [3, 2], "M": [3, 2, 2], "kinetic_energy": [3], "potential_energy": [3] })
    );
    let printed = text(&run_in(&folder, &line[..6]).stdout);
    assert!(printed.contains("g (3, 2), tau_bias (3, 2), M (3, 2, 2)"), "{printed}");
    // What one command writes, the next one reads.
    let size = ["size", "ur5e", "--random-moves", "1", "--rate", "50", "--samples", "0", "--out", "motion.npz"];
    assert!(run_in(&folder, &size).status.success());
    let output = run_in(&folder, &["inverse", "ur5e", "--states", "motion.npz", "--out", "tau.csv"]);
    let unused = text(&output.stderr);
    assert!(output.status.success() && unused.contains("tau[5]") && !unused.contains("q[0]"), "{unused}");
}

#[test]
fn standard_streams_are_tables() {
    let folder = folder("streams");
    let states = "q_theta1,q_theta2,qd_theta1,qd_theta2,qdd_theta1,qdd_theta2\n0.3,-0.8,1,2,-0.5,3\n";
    let line = ["inverse", "lin-rr", "--states", "-", "--out", "-"];
    let output = run_with_input(&folder, &line, states.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some("tau_theta1,tau_theta2"), "nothing but the table");
    let found: Vec<f64> = lines.next().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    assert_close(&found, &lin_rr([0.3, -0.8], [1.0, 2.0], [-0.5, 3.0]), 1e-13, "tau");
    // The same as an npz, which is not read and written in order, through two commands.
    let npz = [&line[..5], &["states.npz"]].concat();
    assert!(run_with_input(&folder, &npz, states.as_bytes()).status.success());
    let torques = std::fs::read(folder.join("states.npz")).unwrap();
    let forward =
        ["forward", "lin-rr", "--states", "-", "--format", "npz", "--out", "-", "--q", "0.3,-0.8", "--qd=1,2"];
    let output = run_with_input(&folder, &forward, &torques);
    std::fs::write(folder.join("qdd.npz"), &output.stdout).unwrap();
    let shapes = String::from_utf8_lossy(&output.stdout).contains("'shape': (1, 2), ");
    assert!(output.status.success() && shapes, "{}", text(&output.stderr));
    let output = run_with_input(&folder, &line, b"q_theta1,q_theta2\n0.3,x\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("`stdin`, line 2, column `q_theta2`"));
    let output = run_with_input(&folder, &[&line[..], &["--json"]].concat(), states.as_bytes());
    assert!(text(&output.stderr).contains("`--json` and `--out -`"), "{}", text(&output.stderr));
    let files = ["inverse", "lin-rr", "--states", "a.csv", "--out", "b.csv", "--format", "csv"];
    refused_in(&folder, &files, &["`--format` is that of `-`"]);
}

#[test]
fn unmatched_columns_are_listed() {
    let folder = folder("unmatched");
    std::fs::write(folder.join("in.csv"), "time,shoulder,elbow\n0,1,2\n").unwrap();
    let found = "found `time`, `shoulder`, `elbow`";
    let line = ["inverse", "lin-rr", "--states", "in.csv", "--out", "out.csv"];
    refused_in(&folder, &line, &["no joint columns", "`q_theta1`", found]);
    refused_in(&folder, &["size", "lin-rr", "--trajectory", "in.csv"], &["no joint positions", "`q_theta1`", found]);
    std::fs::write(folder.join("in.csv"), "q_theta1,elbow\n1,2\n").unwrap();
    refused_in(&folder, &line, &["missing columns: q_theta2", "found `q_theta1`, `elbow`"]);
    refused_in(
        &folder,
        &["size", "lin-rr", "--trajectory", "in.csv"],
        &["no time column", "found `q_theta1`, `elbow`"],
    );
}

/// On a parabola q = a + b t + c t² the parabola through three rows is the motion itself, also between unequal times.
#[test]
fn differentiated_positions() {
    let folder = folder("differentiated");
    let times = [0.0, 0.1, 0.25, 0.3, 0.5, 0.9];
    let state = |t: f64| ([0.3 - t + 2.0 * t * t, 0.5 * t - t * t], [-1.0 + 4.0 * t, 0.5 - 2.0 * t]);
    let (mut positions, mut velocities) = ("t,q_theta1,q_theta2\n".to_string(), String::new());
    velocities += "t,q_theta1,q_theta2,qd_theta1,qd_theta2\n";
    for t in times {
        let ([a, b], [v, w]) = state(t);
        positions += &format!("{t},{},{}\n", f64::to_degrees(a), f64::to_degrees(b));
        velocities += &format!("{t},{a},{b},{v},{w}\n");
    }
    let line = ["inverse", "lin-rr", "--states", "-", "--out", "-", "--differentiate"];
    for (table, deg) in [(&positions, true), (&velocities, false)] {
        let line = if deg { [&line[..], &["--deg"]].concat() } else { line.to_vec() };
        let output = run_with_input(&folder, &line, table.as_bytes());
        assert_eq!(text(&output.stderr), "");
        let printed = text(&output.stdout);
        assert_eq!(printed.lines().count(), 1 + times.len(), "{printed}");
        for (row, t) in printed.lines().skip(1).zip(times) {
            let found: Vec<f64> = row.split(',').map(|x| x.parse().unwrap()).collect();
            let (q, qd) = state(t);
            assert_eq!(found[0], t);
            // Second differences over 0.05 s lose four digits.
            assert_close(&found[1..], &lin_rr(q, qd, [4.0, -2.0]), 1e-11, row);
        }
    }
    let refused = |line: &[&str], table: &str, says: &str| {
        let output = run_with_input(&folder, line, table.as_bytes());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    };
    refused(
        &line,
        "q_theta1,q_theta2\n0,0\n1,1\n2,2\n",
        "needs a column `t` with the time in seconds; found `q_theta1`",
    );
    refused(&line, "t,q_theta1,q_theta2\n0,0,0\n1,1,1\n", "has 2 rows: `--differentiate` needs three");
    refused(&line, "t,q_theta1,q_theta2\n0,0,0\n1,1,1\n1,2,2\n", "row 3: time 1 s is not after 1 s");
    refused(&[&line[..], &["--qd=1,1", "--qdd=0,0"]].concat(), &positions, "nothing to compute");
    let forward = [&["forward"], &line[1..]].concat();
    refused(&forward, "t,tau_theta1,tau_theta2\n0,0,0\n1,1,1\n2,2,3\n", "no columns q_… to compute qd from");
}

#[test]
fn options_set_quantities_without_columns() {
    let folder = folder("constant");
    std::fs::write(folder.join("in.csv"), "theta1,q_theta1,theta2\n9,0.3,-0.8\n").unwrap();
    let line = ["inverse", "lin-rr", "--states", "in.csv", "--out", "out.csv", "--qd", "1,2", "--qdd=-0.5,3"];
    let output = run_in(&folder, &line);
    // A column with a prefix takes precedence over one without.
    assert_eq!(text(&output.stderr).trim(), "warning: unused columns: theta1");
    let written = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let found: Vec<f64> = written.lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    assert_close(&found, &lin_rr([0.3, -0.8], [1.0, 2.0], [-0.5, 3.0]), 1e-13, "tau");
}

/// On a machine without GPU the error says so; nothing is written. (With one, the result is that of the CPU.)
#[test]
fn tables_on_a_gpu() {
    let folder = folder("states-device");
    std::fs::write(folder.join("in.csv"), "q_theta1,q_theta2\n0.1,0.2\n0.3,-0.4\n").unwrap();
    let with = |device: &str, out: &str| {
        run_in(&folder, &["inverse", "lin-rr", "--states", "in.csv", "--out", out, "--device", device])
    };
    assert!(with("cpu", "cpu.csv").status.success());
    let found = with("cuda", "cuda.csv");
    if found.status.success() {
        let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
        let numbers = |text: String| -> Vec<f64> {
            text.lines().skip(1).flat_map(|l| l.split(',').map(|x| x.parse().unwrap()).collect::<Vec<_>>()).collect()
        };
        assert_close(&numbers(read("cuda.csv")), &numbers(read("cpu.csv")), 1e-12, "GPU");
    } else {
        let error = text(&found.stderr);
        assert!(error.contains("--device") && (error.contains("NVIDIA") || error.contains("cuda")), "{error}");
        assert!(!folder.join("cuda.csv").exists());
    }
    let wrench = ["inverse", "lin-rr", "--states", "in.csv", "--out", "o.csv", "--device", "cuda", "--wrench", "1,0,0"];
    refused_in(&folder, &wrench, &["--wrench"]);
}
