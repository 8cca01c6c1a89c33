//! A robot built in Rust, without a file: deflection by the cantilever formulas, tip-over by statics.

use armdyn_core::{
    BASE, Beam, Contact, ContactKind, Inertia, Joint, Link, Material, ModelBuilder, Section, Transform, vec3,
};
use armdyn_import::{Description, Format, Options, load_text, to_toml};
use armdyn_mobile::tipover::StabilityEvaluator;
use armdyn_mobile::{BaseMotion, Support};
use armdyn_structure::{DeformationModes, LoadCase, Structure};
use std::f64::consts::PI;
use std::path::Path;

#[test]
fn a_robot_built_in_code_deflects_and_has_a_tip_over_margin() {
    let (length, diameter, stiffness, base_mass, tip_mass, g) = (0.8, 0.02, 5e4, 20.0, 3.0, 9.81);
    let steel = Material { density: None, ..Material::named("steel").unwrap() };
    let beam = Beam::new(Section::Rod { diameter }, steel, length).between([0.0; 3], [length, 0.0, 0.0]);
    let tip = Inertia::point(tip_mass, vec3(length, 0.0, 0.0));
    let mut robot = ModelBuilder::new("cantilever on feet");
    robot.base(Link::new("chassis").body(base_mass, [0.0; 3], [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]));
    robot.add(
        BASE,
        Joint::revolute("shoulder", [0.0, 1.0, 0.0]).stiffness(stiffness),
        Link::new("arm").part("tip", tip, Transform::identity()).beam(beam),
    );
    for (k, (x, y)) in [(0.3, 0.2), (0.3, -0.2), (-0.3, -0.2), (-0.3, 0.2)].into_iter().enumerate() {
        robot.contact(Contact::new(&format!("foot{k}"), ContactKind::Foot, [x, y, -0.4]));
    }
    let model = robot.build().unwrap();

    let structure = Structure::new(&model, None).unwrap();
    let deflection = structure.deflect(&LoadCase::at_rest(&[0.0], 1), &DeformationModes::euler_bernoulli()).unwrap();
    let (force, bending) = (tip_mass * g, steel.youngs_modulus * PI * diameter.powi(4) / 64.0);
    let expected = force * length.powi(3) / (3.0 * bending) + force * length * length / stiffness;
    assert!(
        (deflection.tool.displacement.translation.z / -expected - 1.0).abs() < 1e-12,
        "{:?} {expected}",
        deflection.tool
    );

    // The views of a model keep its beams, contacts and stiffness.
    let view = model.without_drives().cast::<f64>();
    assert_eq!(view.contacts(), model.contacts());
    assert_eq!((view.joint_stiffness(), view.links()[1].beam), (model.joint_stiffness(), Some(beam)));

    // So does its description, directly and by a file.
    let description = Description::of_model(&model);
    let text = to_toml(&description);
    let loaded = load_text(Path::new("robot.toml"), text, Format::Toml, &Options::default()).description.unwrap();
    for again in [description.model().unwrap(), loaded.model().unwrap()] {
        assert_eq!((again.contacts(), again.joint_stiffness()), (model.contacts(), model.joint_stiffness()));
        assert_eq!(again.links()[1].beam, Some(beam));
        let same = Structure::new(&again, None).unwrap();
        let same = same.deflect(&LoadCase::at_rest(&[0.0], 1), &DeformationModes::euler_bernoulli()).unwrap();
        assert_eq!(same.tool.displacement, deflection.tool.displacement);
    }

    let support = Support::new(&view).unwrap();
    let stability =
        StabilityEvaluator::new(&model, &support).stability(&BaseMotion::rest(), [&[0.0], &[0.0], &[0.0]]).unwrap();
    // The centre of mass lies above the rectangle; the lateral edges are 0.2 m away, the front edge less.
    let ahead = tip_mass * length / (base_mass + tip_mass);
    assert!((stability.margin.unwrap() - (0.3 - ahead).min(0.2)).abs() < 1e-12);
}
