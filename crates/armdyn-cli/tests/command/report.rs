//! `armdyn report` as a user types it.

use crate::typed::{folder, json, refused, run, said, text};
use std::process::Command;

/// The page of a small robot, with further options.
fn page(name: &str, robot: &[&str]) -> String {
    let out = folder(name).join("page.html").display().to_string();
    said(&[&["report"], robot, &["--out", &out]].concat());
    std::fs::read_to_string(out).unwrap()
}

/// The text between two others.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("{from}")) + from.len();
    &text[start..start + text[start..].find(to).unwrap()]
}

const ARM: [&str; 3] = ["lin-rr", "--ranges=theta1=-3:3,theta2=-2:2", "--accelerations=5,5"];

#[test]
fn a_page_has_every_section_and_needs_nothing_beside_it() {
    let page = page("report-whole", &[&ARM[..], &["--speeds=2,2", "--effort=60,20"]].concat());
    for title in
        ["robot", "check", "ranges", "importance", "velocity-torques", "simplified-inertia", "drives", "equations"]
    {
        let section = between(&page, &format!("<section id=\"{title}\">"), "</section>");
        assert!(!section.contains("Not available"), "{title}: {section}");
        assert!(section.contains("<code>armdyn "), "{title}");
    }
    for asks in ["<script", "<link", "src=", "url(", "@import"] {
        assert!(!page.contains(asks), "{asks}");
    }
    let names = page.split("http").skip(1).filter(|rest| !rest.starts_with("://www.w3.org/"));
    assert_eq!(names.count(), 0, "no network access");
    assert!(page.matches("<svg").count() >= 6 && page.contains("<math>"));
}

/// A section has the numbers that its command prints.
#[test]
fn sections_match_their_commands() {
    let page = page("report-same", &ARM);
    for title in ["ranges", "simplified-gravity"] {
        let section = between(&page, &format!("<section id=\"{title}\">"), "</section>");
        let command = between(section, "<code>armdyn ", "</code>");
        let printed = said(&command.split(' ').collect::<Vec<_>>());
        let numbers = printed.split([' ', '\n']).filter(|w| w.len() > 4 && w.parse::<f64>().is_ok());
        let mut count = 0;
        for number in numbers {
            assert!(section.contains(number), "{number} of `{command}` in {section}");
            count += 1;
        }
        assert!(count > 4, "{title}: {printed}");
    }
}

/// Lin's arm: at its shoulder (m1 + m2) l1² + 2 m2 l1 l2 cos θ2 + m2 l2², from folded to stretched out.
#[test]
fn the_extremes_of_the_closed_form_are_on_the_page() {
    let page = page("report-closed", &["lin-rr", "--ranges=theta1=-3:3,theta2=-3.2:3.2"]);
    let ranges = between(&page, "<section id=\"ranges\">", "</section>");
    let (l1, l2, m1, m2) = (0.6_f64, 0.4, 2.0, 1.5);
    for sign in [1.0, -1.0] {
        let inertia = (m1 + m2) * l1 * l1 + sign * 2.0 * m2 * l1 * l2 + m2 * l2 * l2;
        assert!(ranges.contains(&format!(">{inertia:.2}<")), "{inertia}: {ranges}");
    }
}

/// A robot on wheels has its tipping on the page, one with beams its bending; others have neither.
#[test]
fn wheels_and_beams_have_their_sections() {
    let movable = ["lau-movable", "--ranges=arm.x=-0.8:-0.4"];
    for (line, title, other) in
        [(&movable[..], "tip-over", "elastic-links"), (&["slender-two-link"], "elastic-links", "tip-over")]
    {
        let page = page(&format!("report-{title}"), line);
        let section = between(&page, &format!("<section id=\"{title}\">"), "</section>");
        assert!(!section.contains("Not available") && section.contains("<svg"), "{section}");
        assert!(!page.contains(&format!("<section id=\"{other}\">")));
    }
}

#[test]
fn unavailable_sections_state_the_reason() {
    let out = folder("report-lacking").join("page.html").display().to_string();
    let answer = json(&["report", "lin-rr", "--out", &out, "--json"]);
    let unavailable = answer["unavailable"].as_array().unwrap();
    let why = |title: &str| {
        let one = unavailable.iter().find(|s| s["section"] == title).unwrap_or_else(|| panic!("{title} in {answer}"));
        one["reason"].as_str().unwrap().to_string()
    };
    assert!(why("Drives").contains("`theta1`, `theta2`") && why("Drives").contains("--effort"), "{}", why("Drives"));
    assert!(why("Importance").contains("motion"), "{}", why("Importance"));
    let page = std::fs::read_to_string(out).unwrap();
    assert_eq!(page.matches("Not available:").count(), unavailable.len());
    assert!(page.contains("<section id=\"equations\">") && page.contains("<math>"));
}

#[test]
fn names_cannot_break_the_page() {
    let folder = folder("report-names");
    let odd = "version = 1\nname = \"<b>&\"\n[[link]]\nname = \"<script>alert(1)</script>\"\nmass = 1\ncentre = [1, 0, 0]\n\
               joint = { name = \"a<b\", kind = \"revolute\", limits = { lower = -1, upper = 1, speed = 1, effort = 20 } }\n";
    std::fs::write(folder.join("odd.toml"), odd).unwrap();
    let (robot, out) = (folder.join("odd.toml").display().to_string(), folder.join("page.html"));
    said(&["report", &robot, "--gravity=0,-9.81,0", "--out", &out.display().to_string()]);
    let page = std::fs::read_to_string(out).unwrap();
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("<title>&lt;b&gt;&amp;: report</title>"));
}

#[test]
fn errors_leave_no_files() {
    let here = folder("report-wrong");
    let missing = here.join("no/page.html").display().to_string();
    assert!(refused(&["report", "lin-rr", "--out", &missing]).contains("page.html"));
    let out = here.join("page.html").display().to_string();
    assert!(refused(&["report", "no-such-robot", "--out", &out]).contains("no bundled robot"));
    assert!(refused(&["report", "lin-rr", "--payload=1@nowhere", "--out", &out]).contains("nowhere"));
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 0);
    let usage = run(&["report", "lin-rr"]);
    assert!(text(&usage.stderr).contains("--out"));
}

#[test]
fn a_pdf_without_a_browser_is_refused_before_anything_is_done() {
    let here = folder("report-pdf");
    let run = Command::new(env!("CARGO_BIN_EXE_armdyn"))
        .args(["report", "lin-rr", "--out", "page.html", "--pdf", "page.pdf"])
        .current_dir(&here)
        .env("PATH", &here)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("chromium"), "{}", text(&run.stderr));
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 0);
}
