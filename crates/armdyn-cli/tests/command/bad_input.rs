//! Invalid input: one clear message, exit code 2, and no files left behind.

use crate::typed::{folder, refused_in};

#[test]
fn bad_input_gets_one_clear_message() {
    let folder = folder("refused");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    write("binary.urdf", b"\x7fELF\x00\x01\x02");
    write("latin.urdf", b"<robot name='caf\xe9'/>");
    write("truncated.urdf", b"<robot name='r'><link name='a'>");
    write("nolink.urdf", b"<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>");
    write("empty.urdf", b"");
    write("unknown.robot", b"<robot/>");
    std::fs::create_dir(folder.join("dir.urdf")).unwrap();
    let big = std::fs::File::create(folder.join("big.urdf")).unwrap();
    big.set_len(100 << 20).unwrap();
    for command in ["inverse", "show", "explain", "terms", "kinematics", "forward"] {
        refused_in(&folder, &[command, "missing.urdf"], &["missing.urdf"]);
    }
    refused_in(&folder, &["inverse", "dir.urdf"], &["dir.urdf", "not a file"]);
    refused_in(&folder, &["inverse", "binary.urdf"], &["binary.urdf", "not a text file"]);
    refused_in(&folder, &["inverse", "latin.urdf"], &["latin.urdf", "UTF-8"]);
    refused_in(&folder, &["inverse", "big.urdf"], &["big.urdf", "100 MiB"]);
    refused_in(&folder, &["inverse", "empty.urdf"], &["empty.urdf"]);
    refused_in(&folder, &["inverse", "unknown.robot"], &["unknown.robot", "extension"]);
    refused_in(&folder, &["inverse", "truncated.urdf"], &["truncated.urdf", "1:"]);
    refused_in(&folder, &["inverse", "nolink.urdf"], &["nolink.urdf:2:", "A103", "`b`"]);
    refused_in(&folder, &["inverse", "pandas"], &["pandas", "did you mean `panda`"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "1,2,3"], &["3 values", "needs 2", "theta1, theta2"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", ""], &["`--q` is empty", "theta1, theta2"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "elbow=1"], &["elbow", "theta1, theta2"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "1,two"], &["--q", "two"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "1,nan"], &["--q", "not finite"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "1e300,1", "--qd", "1e300,1e300"], &["finite"]);
    refused_in(&folder, &["inverse", "lin-rr", "--payload", "-1"], &["payload", "negative"]);
    refused_in(&folder, &["inverse", "lin-rr", "--payload", "1@hand"], &["hand", "link1, link2"]);
    refused_in(&folder, &["inverse", "lin-rr", "--payload", "1,2"], &["--payload", "1, 4 or 7"]);
    refused_in(&folder, &["inverse", "lin-rr", "--payload", "1,0,0,0,1,1,5"], &["--payload", "triangle inequality"]);
    refused_in(&folder, &["inverse", "lin-rr", "--payload", "1,0,0,0,-1,0,0"], &["--payload", "positive definite"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "theta1=1,theta1=2"], &["theta1", "twice"]);
    refused_in(&folder, &["inverse", "lin-rr", "--q", "theta1=1,2"], &["`2` has no joint name"]);
    refused_in(&folder, &["terms", "lin-rr", "--link", "link2"], &["--link", "cartesian"]);
    refused_in(&folder, &["inverse", "lin-rr", "--gravity", "1,2"], &["--gravity"]);
    refused_in(&folder, &["inverse", "two-arms", "--payload", "1"], &["several end links"]);
    refused_in(&folder, &["explain", "lin-rr", "--joint", "elbow"], &["elbow", "theta1, theta2"]);
    refused_in(&folder, &["terms", "lin-rr", "--form", "cartesian", "--link", "hand"], &["hand"]);
    refused_in(&folder, &["terms", "lin-rr", "--form", "cartesian", "--directions", "up"], &["up", "rx"]);
    refused_in(&folder, &["terms", "lin-rr", "--form", "cartesian", "--directions", "x,x"], &["`x`", "twice"]);
    refused_in(&folder, &["kinematics", "lin-rr", "--link", "hand"], &["hand", "link1, link2"]);
    refused_in(&folder, &["convert", "lin-rr"], &["--to"]);
    refused_in(&folder, &["convert", "lin-rr", "--out", "nowhere/robot.toml"], &["nowhere/robot.toml"]);
    write("mine.urdf", b"<robot name='r'><link name='a'/></robot>");
    refused_in(&folder, &["convert", "mine.urdf", "--out", "./mine.urdf"], &["mine.urdf", "another file"]);
    refused_in(&folder, &["check", "--explain", "A999"], &["A999", "A101"]);
    refused_in(&folder, &["fly"], &["fly"]);
}

#[test]
fn bad_tables_get_one_clear_message_and_leave_nothing() {
    let folder = folder("tables");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    write("half.csv", b"q_theta1,q_theta2,qd_theta1\n1,2,3\n");
    write("word.csv", b"q_theta1,q_theta2\n1,2\n3,four\n");
    write("short.csv", b"q_theta1,q_theta2\n1,2\n3\n");
    write("other.csv", b"a,b\n1,2\n");
    write("large.csv", b"q_theta1,q_theta2,qd_theta1,qd_theta2\n1,2,1,1\n1,1,1e300,1e300\n");
    write("cut.parquet", b"PAR1\x00\x01");
    write("cut.npz", b"PK\x03\x04");
    let refuse = |states: &str, says: &[&str]| {
        refused_in(&folder, &["inverse", "lin-rr", "--states", states, "--out", "out.csv"], says)
    };
    refuse("half.csv", &["qd_theta2"]);
    refuse("word.csv", &["word.csv", "line 3", "q_theta2", "four"]);
    refuse("short.csv", &["short.csv", "line 3"]);
    refuse("other.csv", &["other.csv", "q_theta1"]);
    refuse("large.csv", &["large.csv", "row 2", "finite"]);
    refuse("cut.parquet", &["cut.parquet"]);
    refuse("cut.npz", &["cut.npz"]);
    refuse("missing.csv", &["missing.csv"]);
    refused_in(&folder, &["inverse", "lin-rr", "--states", "half.csv"], &["--out"]);
    write("good.csv", b"theta1,theta2\n1,2\n");
    refused_in(&folder, &["inverse", "lin-rr", "--states", "good.csv", "--out", "out.txt"], &["out.txt", ".parquet"]);
    refused_in(&folder, &["inverse", "lin-rr", "--states", "good.csv", "--out", "nowhere/out.csv"], &["nowhere"]);
    refused_in(&folder, &["inverse", "lin-rr", "--states", "good.csv", "--out", "./good.csv"], &["another file"]);
    assert_eq!(std::fs::read_to_string(folder.join("good.csv")).unwrap(), "theta1,theta2\n1,2\n");
    write("wide.csv", b"q[0],q[1],q[2]\n1,2,3\n");
    refuse("wide.csv", &["q[2]", "theta1, theta2"]);
    let states = ["inverse", "lin-rr", "--states", "good.csv", "--out", "out.csv"];
    refused_in(&folder, &[&states[..], &["--q", "1,2"]].concat(), &["--q", "columns"]);
    refused_in(&folder, &[&states[..], &["--wrenches"]].concat(), &["--wrenches"]);
}
