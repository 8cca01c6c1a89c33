//! Prints what is found of one document file, read from disk.
fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().expect("name");
    let only = args.next();
    let text = std::fs::read_to_string(format!("documents/{name}.toml")).unwrap();
    let d = armdyn_documents::parse(&name, &text).unwrap_or_else(|e| panic!("{e}"));
    let start = std::time::Instant::now();
    let r = armdyn_documents::reproduce(d, &armdyn_analysis::Watch::nobody()).unwrap_or_else(|e| panic!("{e}"));
    for p in &r.parts {
        println!("== {}", p.title);
        for x in &p.rows {
            if only.as_deref().is_some_and(|o| o != x.verdict.word() && o != x.equation) {
                continue;
            }
            println!(
                "{:11} {:12} {:40} | {} | {} {} | {:?} | {}",
                x.verdict.word(),
                x.equation,
                x.quantity,
                x.printed,
                x.computed,
                x.unit,
                x.difference.map(|d| format!("{:+.2} %", 100.0 * d)),
                x.note
            );
        }
        for f in &p.figures {
            println!("figure {} ({} bytes)", f.equation, f.chart.svg().len());
            std::fs::write(format!("/tmp/{}-{}.svg", name, f.equation.replace(' ', "")), f.chart.svg()).unwrap();
        }
    }
    println!("{:?} in {:?}", armdyn_documents::Verdict::ALL.map(|v| (v.word(), r.count(v))), start.elapsed());
}
