//! Materials, cross sections and beams.

use super::bodies::rings;
use super::fields::{Fields, Reader};
use super::joints::direction;
use crate::description::BeamDescription;
use crate::findings::A005;
use crate::message::suggestion;
use crate::units::Quantity::{Density, Flexural, Force, Length, Modulus};
use armdyn_core::{MATERIALS, Material, Section};
use std::collections::BTreeMap;

/// The kinds of sections, each with its fields.
const KINDS: [(&str, &[&str]); 5] = [
    ("rod", &["kind", "diameter"]),
    ("tube", &["kind", "outer", "inner"]),
    ("box", &["kind", "width", "height", "wall"]),
    ("I", &["kind", "width", "height", "web", "flange"]),
    ("given", &["kind", "EI", "EIy", "EIz", "GJ", "EA"]),
];

/// `[material.NAME]`.
pub(super) fn materials(r: &mut Reader, root: &Fields) -> BTreeMap<String, Material> {
    let mut materials = BTreeMap::new();
    let Some(all) = root.get("material").and_then(|e| r.fields(&e, "materials".to_string(), &[])) else {
        return materials;
    };
    for name in all.keys() {
        let Some(entry) = all.get(name) else { continue };
        let subject = format!("material `{name}`");
        let Some(f) = r.fields(&entry, subject, &["E", "G", "density", "yield"]) else { continue };
        let (youngs_modulus, shear_modulus) =
            (r.require_positive(&f, "E", Modulus), r.require_positive(&f, "G", Modulus));
        let density = r.number(&f, "density", Density);
        let yield_stress = r.size(&f, "yield", Modulus);
        if let (Some(youngs_modulus), Some(shear_modulus)) = (youngs_modulus, shear_modulus) {
            materials.insert(name.to_string(), Material { youngs_modulus, shear_modulus, density, yield_stress });
        }
    }
    materials
}

/// `[section.NAME]`.
pub(super) fn sections(r: &mut Reader, root: &Fields) -> BTreeMap<String, Section> {
    let mut sections = BTreeMap::new();
    let Some(all) = root.get("section").and_then(|e| r.fields(&e, "sections".to_string(), &[])) else {
        return sections;
    };
    for name in all.keys() {
        let Some(entry) = all.get(name) else { continue };
        let subject = format!("section `{name}`");
        let Some(f) = r.fields(&entry, subject.clone(), &[]) else { continue };
        let kind = r.require(&f, "kind").and_then(|e| r.choice(&e, &KINDS.map(|k| k.0), A005));
        let Some(&(kind, known)) = kind.and_then(|k| KINDS.get(k)) else { continue };
        r.fields(&entry, format!("{subject} ({kind})"), known);
        if let Some(section) = section(r, &f, kind) {
            sections.insert(name.to_string(), section);
        }
    }
    sections
}

fn section(r: &mut Reader, f: &Fields, kind: &str) -> Option<Section> {
    match kind {
        "rod" => r.require_positive(f, "diameter", Length).map(|diameter| Section::Rod { diameter }),
        "tube" => rings(r, f).map(|(outer, inner)| Section::Tube { outer, inner }),
        "given" => {
            let bending = bending(r, f);
            let torsion = r.require_positive(f, "GJ", Flexural);
            let axial = r.require_positive(f, "EA", Force);
            Some(Section::Given { bending: bending?, torsion: torsion?, axial: axial? })
        }
        "box" => {
            let [width, height] = ["width", "height"].map(|k| r.require_positive(f, k, Length));
            let wall = if f.has("wall") { Some(r.require_positive(f, "wall", Length)?) } else { None };
            let (width, height) = (width?, height?);
            fits(r, f, "wall", wall.unwrap_or_default(), width.min(height));
            Some(Section::Box { width, height, wall })
        }
        _ => {
            let [width, height, web, flange] =
                ["width", "height", "web", "flange"].map(|k| r.require_positive(f, k, Length));
            let (width, height, web, flange) = (width?, height?, web?, flange?);
            fits(r, f, "web", web / 2.0, width);
            fits(r, f, "flange", flange, height);
            Some(Section::I { width, height, web, flange })
        }
    }
}

/// One stiffness for both planes, `EI`, or `EIy` and `EIz`.
fn bending(r: &mut Reader, f: &Fields) -> Option<[f64; 2]> {
    if !f.has("EIy") && !f.has("EIz") {
        return r.require_positive(f, "EI", Flexural).map(|both| [both; 2]);
    }
    if let Some(e) = f.get("EI") {
        r.report(A005, &e.place, format!("{}: use either `EI`, or `EIy` and `EIz`", f.subject));
    }
    let [y, z] = ["EIy", "EIz"].map(|k| r.require_positive(f, k, Flexural));
    Some([y?, z?])
}

/// Checks that twice a thickness fits.
fn fits(r: &mut Reader, f: &Fields, key: &str, thickness: f64, across: f64) {
    if 2.0 * thickness > across {
        r.report(A005, &f.place_of(key), format!("{}: `{key}` is too thick for a size of {across} m", f.subject));
    }
}

/// `beam` of a link.
pub(super) fn beam(
    r: &mut Reader,
    f: &Fields,
    sections: &BTreeMap<String, Section>,
    declared: (&[&str], &[&str]),
) -> Option<BeamDescription> {
    let entry = f.get("beam")?;
    let b =
        r.fields(&entry, format!("{}, beam", f.subject), &["section", "material", "length", "start", "end", "up"])?;
    let section = r.name(&b, "section").map(str::to_string);
    let made_of = r.text(&b, "material").map(str::to_string);
    let length = r.require_positive(&b, "length", Length);
    if let Some(name) = &section {
        known(r, &b, "section", name, declared.0);
    }
    match &made_of {
        Some(name) if Material::named(name).is_none() => {
            let all: Vec<&str> = declared.1.iter().copied().chain(MATERIALS.iter().map(|m| m.name)).collect();
            known(r, &b, "material", name, &all);
        }
        Some(_) => {}
        None if b.has("material") => {}
        None if section.as_ref().is_some_and(|s| matches!(sections.get(s), Some(Section::Given { .. }))) => {}
        None => _ = r.missing::<()>(&b, "`material`"),
    }
    let [start, end] = ["start", "end"].map(|k| r.vector(&b, k, Length));
    let up = b.get("up").and_then(|e| direction(r, &e));
    Some(BeamDescription { section: section?, material: made_of, length: length?, start, end, up })
}

fn known(r: &mut Reader, f: &Fields, kind: &str, name: &str, declared: &[&str]) {
    if declared.contains(&name) {
        return;
    }
    let hint = match declared {
        [] => format!("the file defines no {kind}s"),
        _ => suggestion(r.nearest(name, declared), declared),
    };
    r.report(A005, &f.place_of(kind), format!("{}: unknown {kind} `{name}`; {hint}", f.subject));
}
