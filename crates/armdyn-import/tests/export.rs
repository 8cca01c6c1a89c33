//! Export: a model round-trips exactly through TOML, and through URDF and MJCF except for rounding and the listed losses.

use armdyn_core::{
    BASE, Contact, ContactKind, Drive, EffortRange, Inertia, Joint, JointKind, Limits, Link, Material, Model,
    ModelBuilder, Order, Rotation, Section, ToolSource, Transform, Vec3, vec3,
};
use armdyn_import::{
    BeamDescription, ContactDescription, ConversionLoss, Description, Form, Format, Loaded, LossKind, Mimic, Options,
    Place, Shape, ToolDescription, load, load_text, to_mjcf, to_toml, to_urdf,
};
use armdyn_testkit::random::{self, Drives, Joints, State};
use armdyn_testkit::{mass_matrix, torques};
use std::path::Path;

fn read(text: &str, format: Format) -> Loaded {
    load_text(Path::new("robot"), text.to_string(), format, &Options::default())
}

fn good(loaded: Loaded) -> Description {
    let report: String = loaded.findings.iter().map(|f| f.line(&loaded.sources) + "\n").collect();
    loaded.description.unwrap_or_else(|| panic!("{report}"))
}

fn torque(m: &Model<f64>, s: &State) -> Vec<f64> {
    torques(m, &s.q, &s.qd, &s.qdd)
}

fn at_rest(s: &State) -> State {
    let still = vec![0.0; s.qd.len()];
    State { q: s.q.clone(), qd: still.clone(), qdd: still }
}

fn bits(v: &[f64]) -> Vec<u64> {
    v.iter().map(|x| x.to_bits()).collect()
}

/// Every kind of joint and drive, chains and trees.
fn robots(joints: Joints, most: Drives) -> Vec<Model<f64>> {
    let drives = [Drives::Ideal, Drives::Rotors, Drives::Friction, Drives::Coupled, Drives::Spinning];
    let made = (0..120).map(|seed| {
        let drive = drives[seed as usize % drives.len()];
        let drive = if drive > most { most } else { drive };
        random::Description::random(seed, 1 + seed as usize % 9, joints, seed % 2 == 0, drive).build()
    });
    made.collect()
}

/// Names of frames that a DH convention adds are words: tables and other programs split names at commas.
#[test]
fn no_written_name_has_a_comma() {
    for bundled in armdyn_import::library::ROBOTS {
        let Some(d) = bundled.load().description else { continue };
        let names = d.links.iter().map(|l| &l.name).chain(d.joints.iter().map(|j| &j.name));
        names.for_each(|name| assert!(!name.contains(','), "{}: `{name}`", bundled.name));
    }
    let planar = armdyn_import::library::bundled("planar-2r").unwrap().load().description.unwrap();
    let (text, _) = to_urdf(&planar).unwrap();
    assert!(
        text.contains(r#"<link name="link1_proximal""#) && text.contains(r#"<joint name="joint1_distal""#),
        "{text}"
    );
}

#[test]
fn toml_round_trip_is_exact() {
    let mut rng = random::source(11);
    for (k, m) in robots(Joints::All, Drives::Spinning).into_iter().enumerate() {
        let m = match k % 3 {
            0 => m,
            1 => m
                .with_payload("load", m.link("link1").unwrap(), random::inertia(&mut rng), Transform::identity())
                .unwrap(),
            _ => {
                let link1 = m.link("link1").unwrap();
                let posed = m.with_payload("load", link1, random::inertia(&mut rng), random::pose(&mut rng)).unwrap();
                posed.with_payload("tool", BASE, random::inertia(&mut rng), random::pose(&mut rng)).unwrap()
            }
        };
        let d = Description::of_model(&m);
        let again = d.model().expect("it builds");
        let text = to_toml(&d);
        let read = good(read(&text, Format::Toml)).model().expect("it builds");
        assert_eq!((m.dof_names(), m.nq()), (again.dof_names(), again.nq()));
        for _ in 0..3 {
            let s = State::random(&m, &mut rng);
            for (s, what) in [(at_rest(&s), "g"), (s, "τ")] {
                let expected = bits(&torque(&m, &s));
                assert_eq!(bits(&torque(&again, &s)), expected, "{what} of {}", m.name());
                assert_eq!(bits(&torque(&read, &s)), expected, "{what} of {}, by TOML\n{text}", m.name());
            }
            let s = State::random(&m, &mut rng);
            assert_eq!(bits(&mass_matrix(&again, &s.q)), bits(&mass_matrix(&m, &s.q)), "M of {}", m.name());
        }
        // Everything else that is described: limits, names, parts, the base's inertia.
        assert_eq!(format!("{again:?}"), format!("{m:?}"), "{}", m.name());
        assert_eq!(format!("{read:?}"), format!("{m:?}"), "{}", m.name());
    }
}

/// Asserts the same M, g and τ except for rounding: the tensor is shifted to the centre of mass and back, rotations become
/// angles: about ten operations, relative to the largest component.
fn assert_same(found: &Model<f64>, expected: &Model<f64>, text: &str) {
    let rng = &mut random::source(expected.nv() as u64);
    assert_eq!(found.dof_names(), expected.dof_names(), "{text}");
    let near = |a: &[f64], b: &[f64], what: &str| {
        let scale = b.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
        let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
        assert!(worst <= 1e-13, "{what} of {}: off by {worst:e}\n{text}", expected.name());
    };
    for _ in 0..3 {
        let s = State::random(expected, rng);
        near(&mass_matrix(found, &s.q), &mass_matrix(expected, &s.q), "M");
        near(&torque(found, &at_rest(&s)), &torque(expected, &at_rest(&s)), "g");
        near(&torque(found, &s), &torque(expected, &s), "τ");
    }
    for (a, b) in found.limits().iter().zip(expected.limits()) {
        assert_eq!(a, b, "{text}");
    }
}

/// The robot reduced to what URDF can represent, independent of the writer: no Stribeck friction, the mean of the two Coulomb
/// levels, reflected inertia only, no coupled rotors, no drives of floating joints.
fn representable(d: &Description) -> Description {
    let mut d = d.clone();
    for j in &mut d.joints {
        if j.kind == JointKind::Free {
            j.drives.clear();
        }
        for drive in &mut j.drives {
            let mean = 0.5 * (drive.friction.coulomb_forward + drive.friction.coulomb_backward);
            let viscous = drive.friction.viscous;
            drive.friction = Drive::ideal().viscous(viscous).coulomb(mean, mean).friction;
            if let Some(r) = &mut drive.rotor {
                r.axis = None;
            }
        }
    }
    d.coupled_rotors.retain(|r| r.gears.len() == 1);
    d.coupled_rotors.iter_mut().for_each(|r| r.mount = None);
    let free: Vec<String> = d.joints.iter().filter(|j| j.kind == JointKind::Free).map(|j| j.name.clone()).collect();
    d.coupled_rotors.retain(|r| !free.iter().any(|f| r.gears[0].0.starts_with(&format!("{f}."))));
    d
}

fn round_trip(d: &Description) -> (Model<f64>, Vec<ConversionLoss>, String) {
    let (text, lost) = to_urdf(d).unwrap_or_else(|refused| panic!("{refused}"));
    let mut back = good(read(&text, Format::Urdf));
    // URDF has no gravity.
    back.gravity = d.gravity;
    (back.model().expect("it builds"), lost, text)
}

#[test]
fn urdf_round_trip_of_random_robots() {
    let mut tried = 0;
    for m in robots(Joints::All, Drives::Spinning) {
        let d = Description::of_model(&m);
        let impossible = |j: &JointKind| matches!(j, JointKind::Helical { .. } | JointKind::Spherical);
        if d.joints.iter().any(|j| impossible(&j.kind)) {
            let refused = to_urdf(&d).expect_err("a helical or spherical joint").0;
            assert_eq!(refused.len(), d.joints.iter().filter(|j| impossible(&j.kind)).count());
            continue;
        }
        tried += 1;
        let (found, lost, text) = round_trip(&d);
        assert_same(&found, &representable(&d).model().expect("it builds"), &text);
        assert!(lost.iter().any(|l| l.message.contains("gravity")), "{lost:?}");
    }
    assert!(tried > 30, "{tried}");
    for m in robots(Joints::SingleAxis, Drives::Ideal).iter().chain(&robots(Joints::Mixed, Drives::Rotors)) {
        let d = Description::of_model(m);
        if let Ok((text, _)) = to_urdf(&d) {
            assert_same(&round_trip(&d).0, m, &text);
        }
    }
}

#[test]
fn urdf_round_trip_of_bundled_robots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()) {
        if !file.extension().is_some_and(|e| e == "toml" || e == "urdf") {
            continue;
        }
        count += 1;
        let d = good(load(&file, &Options::default()));
        let (found, _, text) = round_trip(&d);
        assert_same(&found, &representable(&d).model().unwrap(), &text);
    }
    assert!(count >= 5, "{count}");
}

/// A URDF robot has nothing that URDF lacks: only unlimited bounds and shapes are listed.
#[test]
fn a_urdf_robot_is_exported_without_loss() {
    let text = include_str!("faults/clean.urdf");
    let d = good(read(text, Format::Urdf));
    let (written, lost) = to_urdf(&d).expect("it can be written");
    assert!(lost.iter().all(|l| l.message == "its shapes are replaced by their bounding boxes"), "{lost:?}");
    let back = good(read(&written, Format::Urdf));
    assert_same(&back.model().unwrap(), &d.model().unwrap(), &written);
    let names = |d: &Description| d.links.iter().map(|l| (l.name.clone(), l.shapes.len())).collect::<Vec<_>>();
    assert_eq!(names(&back), names(&d));
}

fn one(joint: Joint) -> Description {
    let mut b = ModelBuilder::new("one");
    b.add(BASE, joint, Link::new("arm").body(1.0, [0.1, 0.2, 0.3], [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]));
    Description::of_model(&b.build().expect("it builds"))
}

fn losses(d: &Description) -> Vec<String> {
    to_urdf(d).expect("it can be written").1.iter().map(ConversionLoss::to_string).collect()
}

#[test]
fn losses_are_listed() {
    let z = [0.0, 0.0, 1.0];
    assert_eq!(losses(&one(Joint::revolute("j", z))), [""; 0]);
    let drive = Drive::ideal();
    for (drive, expected) in [
        (drive.coulomb(1.0, 2.0), "joint `j`: Coulomb friction 1 forward and 2 backward is replaced by the mean"),
        (drive.stribeck(0.5, 0.1), "joint `j`: the Stribeck friction of 0.5 at 0.1 is omitted"),
        (drive.armature(0.5), "joint `j`: its armature is written as a rotor with gear ratio 1"),
        (
            drive.armature(0.5).rotor(1e-4, 50.0),
            "joint `j`: its armature and rotor are written as one rotor with the same reflected inertia",
        ),
        (
            drive.gyroscopic_rotor(1e-4, 50.0, z),
            "joint `j`: the rotor's axis (gyroscopic effect) is omitted; its reflected inertia is kept",
        ),
        (
            drive.limits(Limits {
                lower: -1.0,
                upper: 1.0,
                speed: 2.0,
                effort: EffortRange { lower: -100.0, upper: 20.0 },
                ..Limits::NONE
            }),
            "joint `j`: the effort limits -100 … 20 are replaced by ±20",
        ),
        (
            drive.limits(Limits { lower: -1.0, ..Limits::NONE }),
            "joint `j`: it has no velocity, effort, upper limit: written as inf, which some readers reject",
        ),
    ] {
        assert_eq!(losses(&one(Joint::revolute("j", z).driven_by(drive))), [expected]);
    }
    assert_eq!(
        losses(&one(Joint::new("j", JointKind::Cylindrical { axis: z })))[0],
        "joint `j`: it is replaced by the joints `j.angle`, `j.displacement`, with massless links between them"
    );
    let mut d = one(Joint::revolute("j", z));
    d.gravity = Some([0.0, 0.0, -1.62]);
    d.links[1].beam = Some(BeamDescription {
        section: "s".into(),
        material: Some("m".into()),
        length: 1.0,
        start: None,
        end: None,
        up: None,
    });
    d.sections.insert("s".into(), Section::Rod { diameter: 0.01 });
    d.materials
        .insert("m".into(), Material { youngs_modulus: 1e9, shear_modulus: 1e9, density: None, yield_stress: None });
    d.joints[0].mimic = Some(Mimic { joint: "none".into(), multiplier: 1.0, offset: 0.0 });
    d.joints[0].stiffness = vec![1e4];
    d.origin = Some("measured -- twice".into());
    let contact = Contact::new("foot", ContactKind::Foot, [0.0; 3]);
    d.contacts.push(ContactDescription { place: Place::nowhere(), contact });
    assert_eq!(
        losses(&d),
        [
            "the robot: its gravity [0 0 -1.62] m/s²: URDF has no gravity",
            "material `m`: it is omitted",
            "section `s`: it is omitted",
            "joint `j`: its stiffness is omitted",
            "contact `foot`: it is omitted",
            "the robot: the source of its parameters is written as a comment",
            "link `arm`: its beam of section `s` is omitted",
            "joint `j`: mimic of `none` is omitted: both joints must be revolute or prismatic",
        ]
    );
    good(read(&to_urdf(&d).unwrap().0, Format::Urdf));
}

/// A rotor, a cylindrical joint and a comment are in the new file in another form; a stiffness and a contact are not in it.
#[test]
fn what_is_written_differently_is_not_listed_as_omitted() {
    let z = [0.0, 0.0, 1.0];
    let mut d = one(Joint::new("j", JointKind::Cylindrical { axis: z }).driven_by(Drive::ideal().rotor(1e-4, 50.0)));
    d.summary = Some("an arm".into());
    d.joints[0].stiffness = vec![1e4];
    let contact = Contact::new("foot", ContactKind::Foot, [0.0; 3]);
    d.contacts.push(ContactDescription { place: Place::nowhere(), contact });
    let expected =
        [("the robot", LossKind::WrittenDifferently), ("joint `j`: it is replaced", LossKind::WrittenDifferently)];
    let omitted = [("joint `j`: its stiffness", LossKind::Omitted), ("contact `foot`", LossKind::Omitted)];
    for lost in [to_urdf(&d).unwrap().1, to_mjcf(&d).unwrap().1] {
        for (text, kind) in expected.iter().chain(&omitted) {
            let found = lost.iter().find(|l| l.to_string().starts_with(text));
            assert_eq!(found.map(|l| l.kind), Some(*kind), "{text}: {lost:?}");
        }
        let words = ["omitted", "has no gravity"];
        let says_omitted = |l: &&ConversionLoss| words.iter().any(|w| l.message.contains(w));
        assert!(lost.iter().all(|l| says_omitted(&l) == (l.kind == LossKind::Omitted)), "{lost:?}");
    }
}

#[test]
fn parts_and_payloads_are_merged_in_urdf() {
    let mut rng = random::source(15);
    let mut b = ModelBuilder::new("one");
    let arm = random::link(&mut rng, "arm").part("motor", random::inertia(&mut rng), random::pose(&mut rng));
    let arm = b.add(BASE, Joint::revolute("j", [0.0, 1.0, 0.0]), arm);
    let m = b.build().unwrap().with_payload("cup", arm, random::inertia(&mut rng), random::pose(&mut rng)).unwrap();
    let d = Description::of_model(&m);
    let (found, lost, text) = round_trip(&d);
    assert_same(&found, &m, &text);
    let lost: Vec<String> = lost.iter().map(ConversionLoss::to_string).collect();
    assert_eq!(
        lost,
        [
            "link `arm`: its parts `arm`, `motor` are merged into one inertia",
            "payload `cup`: it is merged into the inertia of link `arm`"
        ]
    );
}

#[test]
fn gimbal_lock_round_trip() {
    let quarter = std::f64::consts::FRAC_PI_2;
    for off in [0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-3] {
        for pitch in [quarter - off, off - quarter] {
            for (roll, yaw) in [(0.0, 0.0), (0.3, -2.0), (quarter, quarter), (3.0, 1.0)] {
                let at = Transform::new(Rotation::rpy(roll, pitch, yaw), vec3(0.1, 0.2, 0.3));
                let d = one(Joint::revolute("j", [0.0, 0.0, 1.0]).at(at));
                let back = good(read(&to_urdf(&d).unwrap().0, Format::Urdf)).joints[0].placement;
                let off = back.components().iter().zip(at.components()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-15, "{roll} {pitch} {yaw}: {off:e}");
            }
        }
    }
}

#[test]
fn invalid_names_are_escaped_or_replaced() {
    let odd = "a<b>&\"c'\t\n d]]>é";
    let mut b = ModelBuilder::new(odd);
    b.base(Link::new(" "));
    let arm = b.add(BASE, Joint::revolute("", [0.0, 0.0, 1.0]), random::link(&mut random::source(1), odd));
    b.add(arm, Joint::revolute("\u{1}", [1.0, 0.0, 0.0]), random::link(&mut random::source(2), "link"));
    let d = Description::of_model(&b.build().unwrap());
    let (text, lost) = to_urdf(&d).unwrap();
    let back = good(read(&text, Format::Urdf));
    assert_eq!(back.name, odd);
    assert_eq!(back.links.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["link", odd, "link_2"]);
    assert_eq!(back.joints.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["joint", "_"]);
    assert_eq!(lost.iter().filter(|l| l.message.contains("it is renamed to")).count(), 4, "{lost:?}");
}

#[test]
fn shapes_and_mimic_joints_round_trip() {
    let mut d = one(Joint::revolute("j", [0.0, 0.0, 1.0]));
    let second = one(Joint::prismatic("k", [1.0, 0.0, 0.0]));
    d.links.push(second.links[1].clone());
    d.links[2].name = "tip".into();
    d.links[2].parts[0].name = "tip".into();
    d.joints.push(second.joints[0].clone());
    (d.joints[1].parent, d.joints[1].child) = ("arm".into(), "tip".into());
    d.joints[0].mimic = Some(Mimic { joint: "k".into(), multiplier: -0.1, offset: 1e-20 });
    let (pose, place) = (random::pose(&mut random::source(3)), d.links[1].place.clone());
    d.links[1].shapes.push(Shape {
        place: place.clone(),
        pose,
        size: [0.1, 0.2, 0.3],
        form: Form::Box,
        visual: true,
        asset: None,
        mesh: None,
    });
    d.links[1].shapes.push(Shape {
        place,
        pose,
        size: [0.0; 3],
        form: Form::Mesh,
        visual: true,
        asset: Some("package://a/b&c.stl".into()),
        mesh: None,
    });
    let endless = Shape { size: [f64::INFINITY; 3], ..d.links[1].shapes[0].clone() };
    d.links[2].shapes.push(endless);
    assert!(losses(&d).iter().any(|l| l == "link `tip`: a shape whose size or pose is not finite is omitted"));
    let back = good(read(&to_urdf(&d).unwrap().0, Format::Urdf));
    assert_eq!(back.joints[0].mimic, d.joints[0].mimic);
    let [a, b] = &back.links[1].shapes[..] else { panic!("two shapes") };
    assert_eq!((a.size, b.asset.as_deref()), ([0.1, 0.2, 0.3], Some("package://a/b&c.stl")));
    assert!((a.pose.translation - pose.translation).norm() < 1e-15);
}

#[test]
fn unsupported_robots_are_errors() {
    let failures = |d: &Description| {
        to_urdf(d).expect_err("unsupported").0.iter().map(ConversionLoss::to_string).collect::<Vec<_>>()
    };
    for (kind, name) in
        [(JointKind::Spherical, "spherical"), (JointKind::Helical { axis: [0.0, 0.0, 1.0], pitch: 0.1 }, "helical")]
    {
        let expected = format!("joint `j`: URDF has no {name} joint, and no chain of URDF joints is equivalent");
        assert_eq!(failures(&one(Joint::new("j", kind))), [expected]);
    }
    let mut d = one(Joint::revolute("j", [0.0, 0.0, 1.0]));
    d.links[1].parts[0].inertia = Inertia::point(f64::NAN, Vec3::zero());
    assert_eq!(failures(&d), ["link `arm`: its inertia is not finite"]);
    assert_eq!(failures(&Description::default()), ["the robot: it has no root link"]);
    let none = JointKind::Generalized { rotations: [false; 3], translations: [false; 3], order: Order::RotationFirst };
    let mut d = one(Joint::revolute("j", [0.0, 0.0, 1.0]));
    d.joints[0].kind = none;
    d.joints[0].drives.clear();
    assert!(to_urdf(&d).unwrap().0.contains("type=\"fixed\""));
}

/// The same M, g and τ, by the names of coordinates and degrees of freedom: the order of branches may differ. Relative to the
/// largest component.
fn assert_same_by_name(found: &Model<f64>, expected: &Model<f64>, tolerance: f64, text: &str) {
    let place = |names: &[String], all: &[String]| -> Vec<usize> {
        let find = |n: &String| all.iter().position(|a| a == n).unwrap_or_else(|| panic!("no `{n}` in\n{text}"));
        names.iter().map(find).collect()
    };
    let at_q = place(&found.coordinate_names(), &expected.coordinate_names());
    let at_v = place(found.dof_names(), expected.dof_names());
    let (n, rng) = (expected.nv(), &mut random::source(expected.nv() as u64));
    let pick = |values: &[f64], at: &[usize]| at.iter().map(|&k| values[k]).collect::<Vec<f64>>();
    let near = |a: &[f64], b: &[f64], what: &str| {
        let scale = b.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
        let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
        assert!(a.len() == b.len() && worst <= tolerance, "{what} of {}: off by {worst:e}\n{text}", expected.name());
    };
    for _ in 0..3 {
        let s = State::random(expected, rng);
        let other = State { q: pick(&s.q, &at_q), qd: pick(&s.qd, &at_v), qdd: pick(&s.qdd, &at_v) };
        let mass = mass_matrix(expected, &s.q);
        let mass: Vec<f64> =
            at_v.iter().flat_map(|&i| at_v.iter().map(move |&j| (i, j))).map(|(i, j)| mass[i * n + j]).collect();
        near(&mass_matrix(found, &other.q), &mass, "M");
        near(&torque(found, &at_rest(&other)), &pick(&torque(expected, &at_rest(&s)), &at_v), "g");
        near(&torque(found, &other), &pick(&torque(expected, &s), &at_v), "τ");
    }
    for (a, &k) in found.limits().iter().zip(&at_v) {
        let b = expected.limits()[k];
        assert_eq!((a.lower, a.upper, a.effort), (b.lower, b.upper, b.effort), "{text}");
    }
}

/// Writes MJCF and reads it again.
fn through_mjcf(d: &Description) -> (Description, Vec<String>, String) {
    let (text, lost) = to_mjcf(d).unwrap_or_else(|refused| panic!("{refused}"));
    (good(read(&text, Format::Mjcf)), lost.iter().map(ConversionLoss::to_string).collect(), text)
}

#[test]
fn mjcf_round_trip_of_random_robots() {
    let mut tried = 0;
    for m in robots(Joints::All, Drives::Spinning) {
        let mut d = Description::of_model(&m);
        // MJCF has one drive for all axes of a ball joint.
        for j in d.joints.iter_mut().filter(|j| j.kind == JointKind::Spherical) {
            j.drives.clear();
        }
        let spherical: Vec<String> =
            d.joints.iter().filter(|j| j.kind == JointKind::Spherical).map(|j| format!("{}.", j.name)).collect();
        d.coupled_rotors.retain(|r| !r.gears.iter().any(|(n, _)| spherical.iter().any(|s| n.starts_with(s))));
        let root = d.links[0].name.clone();
        let impossible = |j: &armdyn_import::JointDescription| match j.kind {
            JointKind::Helical { .. } => true,
            JointKind::Free => j.parent != root || j.placement != Transform::identity(),
            _ => false,
        };
        if d.joints.iter().any(impossible) {
            continue;
        }
        tried += 1;
        let (back, lost, text) = through_mjcf(&d);
        let expected = representable(&d).model().expect("it builds");
        let tolerance = if lost.iter().any(|l| l.contains("MuJoCo requires")) { 1e-7 } else { 1e-12 };
        assert_same_by_name(&back.model().expect("it builds"), &expected, tolerance, &text);
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn mjcf_round_trip_of_bundled_robots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots");
    let mut exact = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let d = good(load(&file, &Options::default()));
        let (back, lost, text) = through_mjcf(&d);
        let found = back.model().unwrap();
        // Point masses and thin rods get 1e-9 of their largest moment.
        let bounded = lost.iter().any(|l| l.contains("MuJoCo requires"));
        exact += usize::from(!bounded);
        assert_same_by_name(&found, &representable(&d).model().unwrap(), if bounded { 1e-7 } else { 1e-12 }, &text);
        assert_eq!(back.gravity.unwrap(), d.gravity.unwrap_or([0.0, 0.0, -9.81]));
        if let Some(tool) = &d.tool {
            let again = back.tool.expect("the site of the tool");
            assert_eq!((&again.link, again.pose.translation), (&tool.link, tool.pose.translation), "{text}");
        }
    }
    assert!(exact > 10, "{exact}");
}

#[test]
fn losses_of_mjcf_are_listed() {
    let z = [0.0, 0.0, 1.0];
    let root = "link `base`: the root is MuJoCo's `world`; its name is omitted".to_string();
    let losses = |d: &Description| through_mjcf(d).1;
    assert_eq!(losses(&one(Joint::revolute("j", z))), std::slice::from_ref(&root));
    let drive = Drive::ideal();
    for (drive, expected) in [
        (drive.coulomb(1.0, 2.0), "joint `j`: Coulomb friction 1 forward and 2 backward is replaced by the mean"),
        (drive.stribeck(0.5, 0.1), "joint `j`: the Stribeck friction of 0.5 at 0.1 is omitted"),
        (
            drive.rotor(1e-4, 50.0),
            "joint `j`: rotor inertia and gear ratio are written as `armature`, the reflected inertia",
        ),
        (
            drive.limits(Limits { lower: -1.0, ..Limits::NONE }),
            "joint `j`: its limits are omitted: MuJoCo requires two finite ones, the lower one below the upper one",
        ),
        (drive.limits(Limits { speed: 3.0, ..Limits::NONE }), "joint `j`: its speed limit is omitted"),
    ] {
        assert_eq!(losses(&one(Joint::revolute("j", z).driven_by(drive))), [root.clone(), expected.to_string()]);
    }
    let helical = one(Joint::new("j", JointKind::Helical { axis: z, pitch: 0.1 }));
    assert!(to_mjcf(&helical).unwrap_err().to_string().contains("MJCF has no helical joint"));
    let mut d = one(Joint::revolute("j", z));
    d.joints[0].kind = JointKind::Free;
    d.joints[0].drives.clear();
    assert!(to_mjcf(&d).unwrap().0.contains("<freejoint name=\"j\"/>"));
    d.links[1].parts[0].inertia = Inertia::point(f64::NAN, Vec3::zero());
    assert!(to_mjcf(&d).is_err());
}

/// A follower becomes an equality constraint and keeps its rule; shapes become boxes.
#[test]
fn mimic_joints_and_shapes_in_mjcf() {
    let mut d = one(Joint::revolute("j", [0.0, 0.0, 1.0]));
    let second = one(Joint::prismatic("k", [1.0, 0.0, 0.0]));
    d.links.push(second.links[1].clone());
    d.links[2].name = "tip".into();
    d.joints.push(second.joints[0].clone());
    (d.joints[1].parent, d.joints[1].child) = ("arm".into(), "tip".into());
    d.joints[1].mimic = Some(Mimic { joint: "j".into(), multiplier: -0.1, offset: 0.2 });
    let (pose, place) = (random::pose(&mut random::source(3)), d.links[1].place.clone());
    d.links[1].shapes.push(Shape {
        place,
        pose,
        size: [0.1, 0.2, 0.3],
        form: Form::Box,
        visual: true,
        asset: None,
        mesh: None,
    });
    let (back, _, text) = through_mjcf(&d);
    let follower = back.joints.iter().find(|j| j.name == "k").unwrap();
    assert_eq!(follower.mimic, d.joints[1].mimic, "{text}");
    let arm = back.links.iter().find(|l| l.name == "arm").unwrap();
    assert_eq!(arm.shapes[0].size, [0.1, 0.2, 0.3]);
}

/// The tool of a description is in every format: a table, a link, a site.
#[test]
fn the_tool_round_trips() {
    let mut d = one(Joint::revolute("j", [0.0, 0.0, 1.0]));
    let pose = random::pose(&mut random::source(9));
    d.tool =
        Some(ToolDescription { place: Place::nowhere(), link: "arm".into(), pose, source: ToolSource::Description });
    let expected = |d: &Description| {
        let m = d.model().unwrap();
        let tool = m.tool().unwrap();
        let mut data = armdyn_core::KinematicsData::new(&m);
        armdyn_core::kinematics(&m, &mut data, &[0.3]).unwrap();
        data.frame_pose(&m, tool.link, Some(&tool.pose)).unwrap().components()
    };
    let again = [
        good(read(&to_toml(&d), Format::Toml)),
        good(read(&to_urdf(&d).unwrap().0, Format::Urdf)),
        through_mjcf(&d).0,
        Description::of_model(&d.model().unwrap()),
    ];
    for (k, again) in again.iter().enumerate() {
        let near = expected(again).iter().zip(expected(&d)).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(near, "{k}: {:?}", again.tool);
    }
}
