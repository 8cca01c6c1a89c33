//! JPL TM 33-669 (Bejczy 1974), corrected: every D_i, D_ij, D_ijk of the arm, and appendix D's zeros.

use super::formula::read;
use armdyn_symbolic::closed::{Generator, Poly};
use armdyn_symbolic::{ClosedOptions, Equations, closed_form};
use armdyn_testkit::documents::jpl_golden;
use serde_json::Value;

fn report() -> Value {
    serde_json::from_str(include_str!("../../../armdyn-testkit/data/documents/jpl-symbolic.json")).unwrap()
}

fn equations() -> Equations {
    let arm = armdyn_testkit::bundled("jpl-rrp");
    closed_form(&arm, &ClosedOptions { drives: false, ..ClosedOptions::default() }).unwrap()
}

/// The report's names: lengths r2, r6 and coordinate r3.
fn name(word: &str) -> Poly {
    let joint = |w: &str| w[1..].parse::<usize>().unwrap() - 1;
    match word {
        "r3" => Poly::generator(Generator::Length(2)),
        "r2" => Poly::symbol("lz2"),
        "r6" => Poly::symbol("lz6"),
        w if w.starts_with('s') => Poly::generator(Generator::Sin(joint(w))),
        w if w.starts_with('c') => Poly::generator(Generator::Cos(joint(w))),
        w => Poly::symbol(w),
    }
}

/// Ixx6 is m6 k611² of the report.
fn as_reported(p: Poly) -> Poly {
    p.with_symbols(|name| {
        let (axes, link) = name.strip_prefix('I')?.split_at(2);
        let pair = ["xx", "yy", "zz"].iter().position(|a| *a == axes).expect("products of inertia are zero") + 1;
        Some(Poly::symbol(&format!("k{link}{pair}{pair}")) * Poly::symbol(&format!("m{link}")))
    })
}

#[test]
fn every_coefficient_equals_the_reports() {
    let (report, e) = (report(), equations());
    let ring = e.ring.clone();
    let mut pairs = vec![];
    let (ring, ()) = ring.record(|| {
        let mut compare = |kind: &str, indices: &[usize], found: Poly| {
            let number: String = indices.iter().map(|i| (i + 1).to_string()).collect();
            let of = &report[kind][format!("D{number}")];
            let expected = read(of.as_str().unwrap_or("0"), &name);
            pairs.push((format!("D{number}"), as_reported(found), expected));
        };
        for i in 0..6 {
            compare("D_i", &[i], e.gravity(i).poly);
            for j in i..6 {
                compare("D_ij", &[i, j], e.inertia(i, j).poly);
            }
        }
        for [i, j, k] in e.triples() {
            compare("D_ijk", &[i, j, k], e.velocity(i, j, k).poly);
        }
        let structured = read(report["D11_structured"].as_str().unwrap(), &name);
        pairs.push(("D11 structured".to_string(), as_reported(e.inertia(0, 0).poly), structured));
    });
    assert_eq!(pairs.len(), 6 + 21 + 126 + 1);
    for (what, found, expected) in pairs {
        assert!(ring.equal(found, expected), "{what}");
    }
}

/// Erratum E03: (66) prints D55 with k611 c²θ5 + k622 s²θ5; E06: (119) has other errors. The test above would detect them.
#[test]
fn a_printed_error_is_detected() {
    let e = equations();
    let (ring, (found, printed)) = e.ring.clone().record(|| {
        let printed = read("m5*k522 + m6*(k611*c5**2 + k622*s5**2 + r6*(2*z6 + r6))", &name);
        (as_reported(e.inertia(4, 4).poly), printed)
    });
    assert!(!ring.equal(found, printed));
}

#[test]
fn the_zeros_are_those_of_appendix_d_and_this_arm() {
    let (golden, e) = (jpl_golden(), equations());
    let zeros: Vec<[usize; 3]> = e.zeros().iter().map(|t| t.map(|i| i + 1)).collect();
    assert_eq!(zeros, golden.D_ijk_identically_zero);
    assert!(golden.D_ijk_structural_zero_appendixD.iter().all(|t| zeros.contains(t)));
    let written = e.triples().filter(|t| !zeros.contains(&t.map(|i| i + 1)) && e.duplicate_of(*t).is_none()).count();
    assert_eq!((126 - zeros.len(), written), (golden.n_nonzero, golden.n_independent));
}
