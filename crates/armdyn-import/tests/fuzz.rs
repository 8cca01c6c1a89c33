//! Mutated files: no panic, no endless loop, no excessive memory; every finding has a valid location; a returned robot can be
//! evaluated, exported and read again.
//!
//! A case is determined by its number. `ARMDYN_FUZZ_SECONDS` sets the time per format (default 5), `ARMDYN_FUZZ_CASE` repeats one
//! case.

use armdyn_core::{CrbaData, RneaData, crba, rnea};
use armdyn_import::{Format, Loaded, Options, check, load_text, to_toml, to_urdf};
use armdyn_testkit::random::source;
use rand::Rng;
use rand::rngs::StdRng;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Limits of memory and time per file, on a busy machine.
const MOST_BYTES: u64 = 512 << 20;
const MOST_TIME: Duration = Duration::from_secs(20);

const NUMBERS: [&str; 16] = [
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "0",
    "-0",
    "-1",
    "1e400",
    "0x10",
    "1_000",
    "",
    "１",
    "1e",
    "9999999999999999999999",
];

const SNIPPETS: [&str; 28] = [
    "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>",
    "&b;",
    "&#x0;",
    "]]>",
    "<![CDATA[",
    "<!--",
    "${10**10**10}",
    "${'a'*10**9}",
    "${[1]*10**9}",
    "${x}",
    "$(arg x)",
    "$(find nowhere)/a.xacro",
    "<xacro:include filename=\"robot.xacro\"/>",
    "<xacro:macro name=\"m\" params=\"n\"><xacro:m n=\"${n+1}\"/><xacro:m n=\"${n+1}\"/></xacro:macro><xacro:m n=\"0\"/>",
    "<xacro:property name=\"x\" value=\"${x}${x}\"/>",
    "<include file=\"robot.xml\"/>",
    "<body><joint type=\"ball\"/><joint type=\"free\"/></body>",
    "<geom type=\"mesh\" mesh=\"m\"/><geom type=\"box\" size=\"1e200 1e200 1e200\"/>",
    "<default class=\"a\"><default class=\"a\"/></default>",
    "<replicate count=\"1000000000\"><body/></replicate>",
    "<joint name=\"j\" type=\"floating\"><parent link=\"a\"/><child link=\"a\"/></joint>",
    "[[link]]\n",
    "name = \"",
    "'''",
    "{",
    "\u{0}",
    "\u{feff}",
    "\u{202e}é𝔸",
];

/// The files of some folders with one of the extensions.
fn files(folders: &[&str], endings: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![];
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if endings.iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
                all.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    all.sort();
    assert!(!all.is_empty(), "{folders:?}");
    all
}

fn cut(text: &[char], longest: usize, random: &mut StdRng) -> std::ops::Range<usize> {
    let start = random.random_range(0..=text.len());
    start..(start + random.random_range(0..=longest)).min(text.len())
}

/// Ranges of a text that look like numbers.
fn numbers_in(text: &[char]) -> Vec<std::ops::Range<usize>> {
    let part = |c: &char| c.is_ascii_digit() || ['.', '-', '+'].contains(c);
    let mut found = vec![];
    let mut at = 0;
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|c| part(c)).count();
        if end > at {
            found.push(at..end);
        }
        at = end + 1;
    }
    found
}

fn mutate(text: &str, other: &str, random: &mut StdRng) -> String {
    let mut text: Vec<char> = text.chars().collect();
    let other: Vec<char> = other.chars().collect();
    for _ in 0..random.random_range(1..=5) {
        match random.random_range(0..9) {
            0..3 => {
                let places = numbers_in(&text);
                if !places.is_empty() {
                    let place = places[random.random_range(0..places.len())].clone();
                    text.splice(place, NUMBERS[random.random_range(0..NUMBERS.len())].chars());
                }
            }
            3 => drop(text.drain(cut(&text, 120, random))),
            4 => {
                let piece: Vec<char> = text[cut(&text, 600, random)].to_vec();
                let at = random.random_range(0..=text.len());
                for _ in 0..random.random_range(1..=6) {
                    text.splice(at..at, piece.iter().copied());
                }
            }
            5 => {
                let at = random.random_range(0..=text.len());
                text.splice(at..at, SNIPPETS[random.random_range(0..SNIPPETS.len())].chars());
            }
            6 => {
                let piece = other[cut(&other, 400, random)].to_vec();
                text.splice(cut(&text, 200, random), piece);
            }
            7 => {
                if let Some(c) = text.get_mut(random.random_range(0..4096)) {
                    *c = char::from(random.random_range(0..128u8));
                }
            }
            _ => {
                let depth = random.random_range(1..400);
                let (open, close) = if random.random_bool(0.5) { ("<a>", "</a>") } else { ("[", "]") };
                let nest: String = open.repeat(depth) + &close.repeat(depth);
                let at = random.random_range(0..=text.len());
                text.splice(at..at, nest.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// Loads, checks, evaluates, exports and reloads a file.
fn process(path: &Path, text: String, format: Format) {
    let loaded: Loaded = load_text(path, text, format, &Options::default());
    for f in &loaded.findings {
        assert!(!f.message.is_empty() && f.message.len() < 20_000, "{}", f.message.len());
        let _ = f.line(&loaded.sources);
        if let Some(place) = &f.place {
            let _ = loaded.sources.excerpt(place);
        }
    }
    let Some(description) = &loaded.description else {
        assert!(!loaded.findings.is_empty(), "refused without a reason");
        return;
    };
    for f in check(description) {
        let _ = f.line(&loaded.sources);
    }
    let Ok(model) = description.model() else { return };
    let n = model.nv();
    let (mut q, mut tau) = (vec![0.0; model.nq()], vec![0.0; n]);
    model.neutral(&mut q).unwrap();
    if rnea(&model, &mut RneaData::new(&model), &q, &vec![0.1; n], &vec![0.2; n], &mut tau).is_ok() {
        assert!(tau.iter().all(|t| t.is_finite()), "{tau:?}");
    }
    if n < 200 {
        let _ = crba(&model, &mut CrbaData::new(&model), &q, &mut vec![0.0; n * n]);
    }
    let _ = to_urdf(description);
    let written = to_toml(description);
    let again = load_text(Path::new("again.toml"), written, Format::Toml, &Options::default());
    let lines: Vec<String> = again.findings.iter().map(|f| f.line(&again.sources)).collect();
    let read = again.description.unwrap_or_else(|| panic!("the exported file cannot be read: {lines:#?}"));
    let (mut once_more, model) = (vec![0.0; n], read.model().expect("the model that was written"));
    if rnea(&model, &mut RneaData::new(&model), &q, &vec![0.1; n], &vec![0.2; n], &mut once_more).is_ok() {
        assert_eq!(tau, once_more);
    }
}

fn fuzz(folders: &[&str], endings: &[&str], format: Format, name: &str) {
    let seeds = files(folders, endings);
    let variable = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let budget = Duration::from_secs(variable("ARMDYN_FUZZ_SECONDS").unwrap_or(5));
    let only = variable("ARMDYN_FUZZ_CASE");
    let start = Instant::now();
    let mut cases = 0;
    for case in only.unwrap_or(0).. {
        let mut random = source(case);
        let (path, text) = &seeds[random.random_range(0..seeds.len())];
        let other = &seeds[random.random_range(0..seeds.len())].1;
        let mutated = mutate(text, other, &mut random);
        let label = format!("case {case}, from {}", path.file_name().unwrap().display());
        if only.is_some() {
            println!("{mutated}");
        }
        let begun = Instant::now();
        let mut outcome = Ok(());
        let used = allocation_counter::measure(|| {
            let swallowed = std::panic::AssertUnwindSafe(|| process(Path::new(name), mutated, format));
            outcome = std::panic::catch_unwind(swallowed);
        });
        assert!(outcome.is_ok(), "{label} panics");
        assert!(used.bytes_max < MOST_BYTES, "{label} takes {} MiB", used.bytes_max >> 20);
        assert!(begun.elapsed() < MOST_TIME, "{label} takes {:?}", begun.elapsed());
        cases += 1;
        if only.is_some() || start.elapsed() > budget {
            break;
        }
    }
    println!("{cases} cases");
}

#[test]
fn toml() {
    fuzz(&["robots"], &["toml"], Format::Toml, "robot.toml");
}

#[test]
fn urdf() {
    fuzz(&["tests/faults"], &["urdf"], Format::Urdf, "robot.urdf");
}

#[test]
fn xacro() {
    fuzz(&["tests/xacro"], &["xacro"], Format::Urdf, "robot.xacro");
}

#[test]
fn mjcf() {
    fuzz(&["tests/faults"], &["xml"], Format::Mjcf, "robot.xml");
}
