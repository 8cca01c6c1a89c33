//! The benchmark beside other libraries runs and writes what its page is made of; here with armdyn alone, which is always there.
#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::Command;

#[test]
fn times_and_their_page_from_one_command() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    let (results, script) = (folder.join("results.json"), Path::new(env!("CARGO_MANIFEST_DIR")).join("peers"));
    if Command::new("python3").arg("--version").output().is_err() {
        return eprintln!("not tested: there is no python3");
    }
    let run = Command::new("python3")
        .arg(script.join("run"))
        .args([
            "--peers",
            "armdyn",
            "--robots",
            "ur5e",
            "--sections",
            "calls,compile",
            "--rounds",
            "1",
            "--seconds",
            "0.0001",
        ])
        .args(["--armdyn", env!("CARGO_BIN_EXE_armdyn-benches"), "--work"])
        .arg(&folder)
        .arg("--out")
        .arg(&results)
        .output()
        .expect("the script starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));

    let text = std::fs::read_to_string(&results).expect("it wrote the results");
    let json: serde_json::Value = serde_json::from_str(&text).expect("they are JSON");
    let rows = json["timings"].as_array().expect("a list of times");
    for (label, algorithm) in
        [("recursion", "daba"), ("single call", "minverse"), ("batch", "rnea"), ("batch, f32", "crba")]
    {
        let row = rows.iter().find(|row| row["label"] == label && row["algo"] == algorithm).expect("each is timed");
        assert!(row["ns"].as_f64().is_some_and(|ns| ns > 0.0), "{row}");
    }
    assert!(json["peers"]["armdyn"]["version"].is_string(), "{}", json["peers"]);

    let page = folder.join("docs");
    let render =
        Command::new("python3").arg(script.join("render")).args([&results, &page]).output().expect("it starts");
    assert!(render.status.success(), "{}", String::from_utf8_lossy(&render.stderr));
    let page = std::fs::read_to_string(page.join("benchmarks.md")).expect("it wrote the page");
    assert!(page.contains("### UR5e") && page.contains("| armdyn, recursion | "), "{page}");
}
