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

/// The answers first, then the drives; key values that do not depend on a motion; torques per joint.
#[test]
fn answers_come_first() {
    let page = page("report-order", &[&ARM[..2], &["--speeds=2,2", "--effort=60,20"]].concat());
    let titles: Vec<&str> = page.split("<section id=\"").skip(1).map(|s| s.split('"').next().unwrap()).collect();
    assert_eq!(titles[..2], ["summary", "drives"]);
    assert_eq!(titles[titles.len() - 3..], ["robot", "check", "equations"]);
    let cards = between(&page, "<dl class=\"highlights\">", "</dl>");
    let names: Vec<&str> = cards.split("<dt>").skip(1).map(|c| c.split('<').next().unwrap()).collect();
    assert_eq!(names[..3], ["payload", "reach of the tool", "worst holding torque"]);
    // Stretched out: (m1 l1 + m2 (l1 + l2)) g = 26.49 N m; the limit is 60 N m.
    let held = 9.81 * (2.0 * 0.6 + 1.5 * (0.6 + 0.4));
    let summary = between(&page, "<section id=\"summary\">", "</section>");
    for text in [format!(">{held:.2} of 60 N m<"), format!("theta1: {:.0} % of its limit", held / 0.6)] {
        assert!(cards.contains(&text), "{text}: {cards}");
    }
    assert!(summary.contains(&format!(">{:.3}<", 60.0 / held)), "safety factor of four digits: {summary}");
    // Random moves use the limits fully: their margins are no answer.
    assert!(!page.contains("speed scaling") && !cards.contains("motion") && summary.contains("--trajectory FILE"));
    let drives = between(&page, "<section id=\"drives\">", "</section>");
    let panels = drives.matches("aria-label=\"theta").count();
    assert_eq!((panels, drives.matches("torque [N m]").count()), (2, 2), "one chart per joint");
    let header = between(&page, "<header>", "</header>");
    for part in ["(isometric)", ">base<", ">joint axis<", ">x<", ">y<", ">z<"] {
        assert!(header.contains(part), "{part}");
    }
    let robot = between(&page, "<section id=\"robot\">", "</section>");
    for view in ["from the front", "from the side", "from above"] {
        assert_eq!(robot.matches(&format!("aria-label=\"lin-rr {view}")).count(), 1, "{view}");
    }
}

/// With a motion its payload, peak torque and speed margin are among the key values.
#[test]
fn a_motion_has_its_answers() {
    let here = folder("report-motion");
    let row = |k: i32| format!("{},{},{}\n", f64::from(k) * 0.1, 0.2 * f64::from(k * k) * 0.01, 0.0);
    let table = "t,q_theta1,q_theta2\n".to_string() + &(0..20).map(row).collect::<String>();
    std::fs::write(here.join("motion.csv"), table).unwrap();
    let motion = format!("--trajectory={}", here.join("motion.csv").display());
    let page = page("report-motion-page", &[&ARM[..2], &["--speeds=2,2", "--effort=60,20", &motion]].concat());
    let cards = between(&page, "<dl class=\"highlights\">", "</dl>");
    for name in ["payload on the motion", "peak torque on the motion", "the motion could be faster"] {
        assert!(cards.contains(&format!("<dt>{name}</dt>")), "{name}: {cards}");
    }
    let summary = between(&page, "<section id=\"summary\">", "</section>");
    assert!(summary.contains("Torque on the motion against the limits") && !summary.contains("No motion was given"));
}

/// Rules for print: page numbers and the robot's name, headings with what follows.
#[test]
fn print_has_page_numbers_and_no_orphaned_headings() {
    let page = page("report-print", &ARM);
    let style = between(&page, "<style>", "</style>");
    assert!(style.contains("@bottom-right { content: counter(page) \" / \" counter(pages)"), "{style}");
    let name: String = "lin-rr".chars().map(|c| format!("\\{:06x}", u32::from(c))).collect();
    assert!(style.contains(&format!("@bottom-left {{ content: \"{name}\"; }}")), "{style}");
    assert!(style.contains("h1, h2, h3, .question, .command, figcaption, summary { break-after: avoid; }"));
    assert!(style.contains("figure.picture, figure.table { break-inside: avoid; }"));
}

/// Where a browser is installed.
#[test]
fn a_pdf_has_fewer_than_15_pages() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if !["chromium", "chromium-browser", "google-chrome"].into_iter().any(installed) {
        return;
    }
    let here = folder("report-pages");
    let line = ["report", "ur5e-on-wheels", "--out", "page.html", "--pdf", "page.pdf", "--budget", "1s"];
    let output = crate::typed::run_in(&here, &line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let pdf = String::from_utf8_lossy(&std::fs::read(here.join("page.pdf")).unwrap()).into_owned();
    let pages = pdf.split("/Type /Page").skip(1).filter(|rest| !rest.starts_with('s')).count();
    assert!((3..15).contains(&pages), "{pages} pages");
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
