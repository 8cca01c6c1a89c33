//! MJCF: semantics, and findings for invalid files. Expected values are derived by hand.

use armdyn_core::{EffortRange, Inertia, JointKind, KinematicsData, Model, ToolSource, Vec3, kinematics};
use armdyn_import::{Description, Format, Loaded, Options, Severity, load, load_text};
use armdyn_testkit::{assert_close_above, mass_matrix, torques};
use std::f64::consts::{FRAC_PI_2, PI};
use std::fs;
use std::path::{Path, PathBuf};

fn mjcf(text: &str) -> Loaded {
    load_text(Path::new("robot.xml"), text.to_string(), Format::Mjcf, &Options::default())
}

/// A model with this content of the world, after these sections.
fn world(before: &str, bodies: &str) -> Loaded {
    mjcf(&format!("<mujoco>{before}<worldbody>{bodies}</worldbody></mujoco>"))
}

fn report(loaded: &Loaded) -> String {
    loaded.findings.iter().map(|f| f.line(&loaded.sources) + "\n").collect()
}

fn good(loaded: Loaded) -> Description {
    let findings = report(&loaded);
    loaded.description.unwrap_or_else(|| panic!("{findings}"))
}

fn model(loaded: Loaded) -> Model<f64> {
    good(loaded).model().unwrap()
}

fn codes(loaded: &Loaded, min: Severity) -> Vec<&'static str> {
    loaded.findings.iter().filter(|f| f.code.severity >= min).map(|f| f.code.id).collect()
}

fn body<'a>(robot: &'a Description, name: &str) -> &'a Inertia<f64> {
    &robot.links.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no {name}")).parts[0].inertia
}

/// The origin and the x axis of a link.
fn place(m: &Model<f64>, link: &str, q: &[f64]) -> [[f64; 3]; 2] {
    let mut data = KinematicsData::new(m);
    kinematics(m, &mut data, q).unwrap();
    let pose = data.link_pose(m, m.link(link).unwrap()).unwrap();
    [pose.translation.to_array(), pose.rotation.x.to_array()]
}

/// A few roundings of sines and products.
const ROUNDED: f64 = 1e-14;

#[track_caller]
fn assert_near(what: &str, found: &[f64], expected: &[f64]) {
    assert_close_above(what, found, expected, ROUNDED, 1.0);
}

/// Mass, and the diagonal of the tensor about the centre.
fn solid(attributes: &str) -> [f64; 4] {
    let robot = good(world("", &format!("<body name='b'><joint/><geom {attributes}/></body>")));
    let i = body(&robot, "b");
    let t = i.central();
    assert_near(attributes, &[t.xy, t.xz, t.yz], &[0.0; 3]);
    [i.mass, t.xx, t.yy, t.zz]
}

const BALL: &str = "<geom size='0.1' mass='1'/>";

#[test]
fn a_pendulum() {
    // A point-like mass m = 2 at l = 0.5 along x, its ball's own 2/5 m r² = 2e-4 beside it; g = 9.81 along −z, axis y.
    let loaded =
        world("", "<body name='rod'><joint name='j' axis='0 1 0'/><geom pos='0.5 0 0' size='0.01' mass='2'/></body>");
    let m = model(loaded);
    let inertia = 2.0 * 0.25 + 0.4 * 2.0 * 1e-4;
    assert_near("m l² + I", &mass_matrix(&m, &[0.3]), &[inertia]);
    // About +y a positive angle takes +x to −z: gravity helps, the torque that holds is −m g l cos q.
    let tau = torques(&m, &[0.3], &[0.0], &[0.0]);
    assert_near("m g l", &tau, &[-2.0 * 9.81 * 0.5 * 0.3_f64.cos()]);
    assert_eq!(m.dof_names(), ["j"]);
}

#[test]
fn solids_have_the_textbooks_inertia() {
    let ball = 4.0 / 3.0 * PI * 1e-3;
    assert_near("sphere, density 1000", &solid("size='0.1'"), &[1e3 * ball, 4.0 * ball, 4.0 * ball, 4.0 * ball]);
    // Half sizes a, b, c: m (b² + c²)/3.
    let m = 12.0;
    assert_near("box", &solid("type='box' size='0.1 0.2 0.3' mass='12'"), &[m, 0.52, 0.4, 0.2]);
    // m (b² + c²)/5.
    assert_near("ellipsoid", &solid("type='ellipsoid' size='0.1 0.2 0.3' mass='5'"), &[5.0, 0.13, 0.1, 0.05]);
    // r = 0.1, l = 0.4: m (3 r² + l²)/12 and m r²/2.
    assert_near("cylinder", &solid("type='cylinder' size='0.1 0.2' mass='12'"), &[12.0, 0.19, 0.19, 0.06]);
    // A capsule of r = 1, half length 1, per π of density: a cylinder of 2, and two half balls of 2/3 each, whose centres
    // are 1 + 3/8 out. Across: 2 (3 + 4)/12 + 4/3 (2/5 + 1 + 2·3/8); along: 2/2 + 4/3 · 2/5.
    let across = 7.0 / 6.0 + 4.0 / 3.0 * (0.4 + 1.0 + 0.75);
    let capsule = [10.0 / 3.0, across, across, 1.0 + 8.0 / 15.0].map(|x| x * PI);
    assert_near("capsule", &solid("type='capsule' size='1 1' density='1'"), &capsule);
    assert_near("density", &solid("size='0.1' density='500'"), &[500.0 * ball, 2.0 * ball, 2.0 * ball, 2.0 * ball]);
}

#[test]
fn shells_have_their_mass_on_the_surface() {
    let two_thirds = 2.0 / 3.0 * 3.0 * 0.01;
    let shell = |a: &str| solid(&format!("{a} shellinertia='true'"));
    assert_near("sphere", &shell("size='0.1' mass='3'"), &[3.0, two_thirds, two_thirds, two_thirds]);
    // A cube of side 2 and 1 kg a face: about an axis two faces have 4/6 m each, four have 1/3 + 1.
    assert_near("box", &shell("type='box' size='1 1 1' mass='6'"), &[6.0, 20.0 / 3.0, 20.0 / 3.0, 20.0 / 3.0]);
    // r = 1, height 2, per 2π of area density: wall 2, caps 1/2 each. Along: 2 + 2 · 1/2 · 1/2; across: 2 (1/2 + 1/3)
    // and 2 · 1/2 (1/4 + 1).
    let across = 5.0 / 3.0 + 1.25;
    let cylinder = [3.0, across, across, 2.5].map(|x| 2.0 * PI * x);
    assert_near("cylinder", &shell("type='cylinder' size='1 1' density='1'"), &cylinder);
}

#[test]
fn a_geom_can_be_given_by_its_ends() {
    // From (0, 0, 0.1) to (0, 0.4, 0.1): along y, half a length of 0.2.
    let along = "fromto='0 0 0.1 0 0.4 0.1'";
    let robot =
        good(world("", &format!("<body name='b'><joint/><geom type='cylinder' size='0.1' {along} mass='12'/></body>")));
    let (i, t) = (body(&robot, "b"), body(&robot, "b").central());
    assert_near("the middle", &i.centre().to_array(), &[0.0, 0.2, 0.1]);
    assert_near("turned to y", &[t.xx, t.yy, t.zz], &[0.19, 0.06, 0.19]);
    // Of a box the first size is that of both sides.
    assert_near("box", &solid(&format!("type='box' size='0.1 9 9' {along} mass='3'")), &[3.0, 0.05, 0.02, 0.05]);
    assert_eq!(
        codes(&world("", &format!("<body><joint/><geom size='0.1' {along}/></body>")), Severity::Error),
        ["A005"]
    );
}

#[test]
fn inertiafromgeom_selects_the_source_of_mass() {
    let inside =
        "<body name='b'><joint/><inertial pos='1 0 0' mass='3' diaginertia='1 1 1'/><geom size='0.1' mass='7'/></body>";
    let of = |compiler: &str, bodies: &str| {
        let robot = good(world(&format!("<compiler {compiler}/>"), bodies));
        let found = robot.links.iter().find(|l| l.name == "b").unwrap();
        found.parts.first().map_or(0.0, |p| p.inertia.mass)
    };
    assert_eq!(of("", inside), 3.0, "auto: the inertial");
    assert_eq!(of("inertiafromgeom='true'", inside), 7.0);
    assert_eq!(of("inertiafromgeom='true'", &inside.replace("<geom size='0.1' mass='7'/>", "")), 3.0);
    let geoms = "<body name='b'><joint/><geom size='0.1' mass='7'/><geom size='0.1' mass='2' group='4'/></body>";
    assert_eq!(of("", geoms), 9.0);
    assert_eq!(of("inertiagrouprange='0 3'", geoms), 7.0);
    assert_eq!(of("inertiafromgeom='false'", geoms), 0.0);
    assert_eq!(of("boundmass='20'", geoms), 20.0);
    assert_eq!(of("settotalmass='90'", geoms), 90.0);
    // MuJoCo uses the body's `pos`, in the body's own frame, for a missing inertial frame.
    let nothing = format!("<body><joint/>{BALL}<body name='b' pos='1 2 3'/></body>");
    let robot = good(world("<compiler boundmass='0.5' boundinertia='0.1'/>", &nothing));
    assert_eq!((body(&robot, "b").mass, body(&robot, "b").centre().to_array()), (0.5, [1.0, 2.0, 3.0]));
    // The world's geoms do not move.
    let floor = good(world("", &format!("<geom type='plane' size='1 1 1'/><body name='b'><joint/>{BALL}</body>")));
    assert!(floor.links[0].name == "world" && floor.links[0].parts.is_empty());
}

#[test]
fn an_inertia_is_balanced_and_bounded() {
    let one = |compiler: &str, inertia: &str| {
        let bodies = format!("<body name='b'><joint/><inertial pos='0 0 0' mass='1' {inertia}/></body>");
        let t = body(&good(world(&format!("<compiler {compiler}/>"), &bodies)), "b").central();
        [t.xx, t.yy, t.zz, t.xy]
    };
    // 1 + 1 < 3: all three become their mean.
    let mean = 5.0 / 3.0;
    assert_near("balanced", &one("balanceinertia='true'", "diaginertia='1 1 3'"), &[mean, mean, mean, 0.0]);
    assert_near("balanced already", &one("balanceinertia='true'", "diaginertia='1 2 3'"), &[1.0, 2.0, 3.0, 0.0]);
    assert_near("bounded", &one("boundinertia='2'", "diaginertia='1 2.5 3'"), &[2.0, 2.5, 3.0, 0.0]);
    // (2, 1; 1, 2) has 1 and 3 along the diagonals; 1 becomes 2: (2.5, 0.5; 0.5, 2.5).
    let turned = one("boundinertia='2'", "fullinertia='2 2 3.5 1 0 0'");
    assert_near("bounded along its own axes", &turned, &[2.5, 2.5, 3.5, 0.5]);
}

#[test]
fn a_full_inertia_is_xx_yy_zz_xy_xz_yz() {
    let robot =
        good(world("", "<body name='b'><joint/><inertial pos='1 2 3' mass='2' fullinertia='4 5 6 .1 .2 .3'/></body>"));
    let (i, t) = (body(&robot, "b"), body(&robot, "b").central());
    assert_near("centre", &i.centre().to_array(), &[1.0, 2.0, 3.0]);
    assert_near("tensor", &[t.xx, t.yy, t.zz, t.xy, t.xz, t.yz], &[4.0, 5.0, 6.0, 0.1, 0.2, 0.3]);
    // A quarter turn about z puts the second moment along x.
    let turned = "<body name='b'><joint/><inertial pos='0 0 0' mass='2' diaginertia='1 2 2.5' euler='0 0 90'/></body>";
    let t = body(&good(world("", turned)), "b").central();
    assert_near("turned", &[t.xx, t.yy, t.zz], &[2.0, 1.0, 2.5]);
}

#[test]
fn orientations_of_every_kind() {
    // Where x points; each a quarter turn about z.
    let x = |compiler: &str, turn: &str| {
        let m = model(world(compiler, &format!("<body name='b' {turn}><joint/>{BALL}</body>")));
        place(&m, "b", &[0.0])[1]
    };
    let y = [0.0, 1.0, 0.0];
    for turn in ["quat='2 0 0 2'", "axisangle='0 0 3 90'", "xyaxes='0 2 0 -1 5 0'", "euler='0 0 90'"] {
        assert_near(turn, &x("", turn), &y);
    }
    assert_near("radians", &x("<compiler angle='radian'/>", &format!("euler='0 0 {FRAC_PI_2}'")), &y);
    // The smallest rotation of z to x maps x to −z; z to −z is 180° about x.
    assert_near("zaxis", &x("", "zaxis='2 0 0'"), &[0.0, 0.0, -1.0]);
    assert_near("zaxis down", &x("", "zaxis='0 0 -1'"), &[1.0, 0.0, 0.0]);
    // About z, then about the turned y: x → y, and stays, as it is the turned x that goes to −z.
    let both = "euler='90 90 0'";
    assert_near("intrinsic", &x("<compiler eulerseq='zyx'/>", both), &[0.0, 0.0, -1.0]);
    // About z, then about the fixed y: x → y, which the second turn leaves.
    assert_near("extrinsic", &x("<compiler eulerseq='ZYX'/>", both), &y);
    let twice = world("", "<body quat='1 0 0 0' euler='0 0 0'/>");
    assert_eq!(codes(&twice, Severity::Error), ["A005"]);
    assert_eq!(codes(&world("", "<body zaxis='0 0 0'/>"), Severity::Error), ["A005"]);
}

#[test]
fn a_hinge_turns_about_its_anchor_and_starts_at_its_reference() {
    let text = format!("<body name='b' pos='1 0 0'><joint name='j' pos='0 1 0' ref='90' axis='0 0 2'/>{BALL}</body>");
    let robot = good(world("", &text));
    let links: Vec<&str> = robot.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(links, ["world", "b/j", "b"]);
    let m = robot.model().unwrap();
    // At q = ref it is as written; 90° further, the anchor (1, 1, 0) stays, and (0, −1, 0) from it goes to x.
    assert_near("as written", &place(&m, "b", &[FRAC_PI_2]).concat(), &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_near("a quarter turn on", &place(&m, "b", &[PI]).concat(), &[2.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    // The ball's centre is 1 m from the axis: m + 2/5 m r².
    assert_near("about the anchor", &mass_matrix(&m, &[0.7]), &[1.0 + 0.4 * 0.01]);
    let slide = format!("<body name='b'><joint type='slide' axis='0 3 0' pos='5 5 5' ref='0.25'/>{BALL}</body>");
    assert_near("a slide has no anchor", &place(&model(world("", &slide)), "b", &[1.0])[0], &[0.0, 0.75, 0.0]);
}

#[test]
fn several_joints_of_a_body_act_one_after_the_other() {
    let joints =
        "<joint name='s' type='slide' axis='1 0 0'/><joint name='z' pos='0.5 0 0'/><joint type='hinge' axis='0 1 0'/>";
    let robot = good(world("", &format!("<body name='b'>{joints}<geom pos='1 0 0' size='0.1' mass='1'/></body>")));
    let links: Vec<&str> = robot.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(links, ["world", "b/s", "b/z", "b"]);
    let m = robot.model().unwrap();
    assert_eq!(m.dof_names(), ["s", "z", "b/joint3"]);
    // Slid by 2 along x; a quarter turn about z at (2.5, 0, 0) takes the origin to (2.5, −0.5, 0) and x to y.
    assert_near("slid and turned", &place(&m, "b", &[2.0, FRAC_PI_2, 0.0]).concat(), &[2.5, -0.5, 0.0, 0.0, 1.0, 0.0]);
    // Then a quarter turn about its own y: x to −z.
    assert_near("and turned again", &place(&m, "b", &[2.0, FRAC_PI_2, FRAC_PI_2])[1], &[0.0, 0.0, -1.0]);
    // The mass at (1, 0, 0): 1 kg to slide; 0.5 m from the z axis; 1 m from the y axis; each with the ball's 0.004.
    let mass = mass_matrix(&m, &[0.0; 3]);
    assert_near("mass matrix", &[mass[0], mass[4], mass[8]], &[1.0, 0.254, 1.004]);
    assert!(codes(&world("", &format!("<body name='b'>{joints}{BALL}</body>")), Severity::Warning).is_empty());
}

#[test]
fn balls_and_free_bodies_have_armdyns_coordinates() {
    let m = model(world("", &format!("<body name='b' pos='0 0 1'><joint type='ball' pos='1 0 0'/>{BALL}</body>")));
    assert_eq!((m.nq(), m.nv()), (4, 3));
    // Half a turn about z (x, y, z, w) at (1, 0, 1).
    assert_near("ball", &place(&m, "b", &[0.0, 0.0, 1.0, 0.0]).concat(), &[2.0, 0.0, 1.0, -1.0, 0.0, 0.0]);
    for free in ["<freejoint/>", "<joint type='free'/>"] {
        let loaded = world("<option gravity='0 -3 0'/>", &format!("<body name='b' pos='7 8 9'>{free}{BALL}</body>"));
        assert!(codes(&loaded, Severity::Warning).is_empty(), "{}", report(&loaded));
        let m = model(loaded);
        // A quarter turn about z: (√½ z, √½ w). The world's y is the body's x there.
        let (h, q) = (0.5_f64.sqrt(), [1.0, 2.0, 3.0]);
        let q = [q[0], q[1], q[2], 0.0, 0.0, h, h];
        assert_near("q is the pose in the world", &place(&m, "b", &q).concat(), &[1.0, 2.0, 3.0, 0.0, 1.0, 0.0]);
        assert_near("against gravity", &torques(&m, &q, &[0.0; 6], &[0.0; 6]), &[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // Turning about z at 2 rad/s and moving along its x at 5 m/s without q̈: the centre needs ω × v = 10 along y.
        let gravity = [3.0, 10.0, 0.0, 0.0, 0.0, 0.0];
        assert_near("in the body's axes", &torques(&m, &q, &[5.0, 0.0, 0.0, 0.0, 0.0, 2.0], &[0.0; 6]), &gravity);
    }
    let below = format!("<body><joint/>{BALL}<body><freejoint/>{BALL}</body></body>");
    assert_eq!(codes(&world("", &below), Severity::Error), ["A005"]);
    let more = format!("<body><freejoint/><joint/>{BALL}</body>");
    assert_eq!(codes(&world("", &more), Severity::Error), ["A005"]);
    let after = format!("<body><joint type='ball'/><joint/>{BALL}</body>");
    assert_eq!(codes(&world("", &after), Severity::Error), ["A005"]);
}

fn effort(lower: f64, upper: f64) -> EffortRange {
    EffortRange { lower, upper }
}

#[test]
fn a_joint_has_its_drive() {
    let joint = "<joint name='j' damping='2' frictionloss='3' armature='0.5' range='-90 45' actuatorfrcrange='-7 9'/>";
    let robot = good(world("", &format!("<body name='b'>{joint}{BALL}</body>")));
    let drive = robot.joints[0].drives[0];
    assert_eq!(
        (drive.friction.viscous, drive.friction.coulomb_forward, drive.friction.coulomb_backward),
        (2.0, 3.0, 3.0)
    );
    assert_eq!((drive.armature, drive.limits.effort), (0.5, effort(-7.0, 9.0)));
    assert_near("degrees", &[drive.limits.lower, drive.limits.upper], &[-FRAC_PI_2, PI / 4.0]);
    let m = robot.model().unwrap();
    // The ball's 2/5 m r² = 0.004 and the armature; b q̇ and c on the way.
    assert_near("inertia and friction", &torques(&m, &[0.0], &[4.0], &[1.0]), &[0.504 + 8.0 + 3.0]);
    let limits = |compiler: &str, joint: &str| {
        let loaded = world(&format!("<compiler {compiler}/>"), &format!("<body>{joint}{BALL}</body>"));
        let found = codes(&loaded, Severity::Error);
        loaded
            .description
            .map_or(Err(found), |d| Ok((d.joints[0].drives[0].limits.lower, d.joints[0].drives[0].limits.upper)))
    };
    let none = (f64::NEG_INFINITY, f64::INFINITY);
    assert_eq!(limits("", "<joint type='slide' range='-90 45'/>"), Ok((-90.0, 45.0)));
    assert_eq!(limits("angle='radian'", "<joint range='-1 2'/>"), Ok((-1.0, 2.0)));
    assert_eq!(limits("", "<joint limited='false' range='-1 2'/>"), Ok(none));
    assert_eq!(limits("", "<joint/>"), Ok(none));
    assert_eq!(limits("", "<joint limited='true'/>"), Err(vec!["A004"]));
    assert_eq!(limits("autolimits='false'", "<joint range='-1 2'/>"), Err(vec!["A004"]));
}

#[test]
fn springdamper_depends_on_the_inertia() {
    // Time constant T: b = 2 / (T w), w of M⁻¹ at `ref`. Two balls of 1 kg on straight arms of 1 m, at 1 and 2 m from the
    // first axis: M = (1 + 4 + 0.008, 2 + 0.004; ·, 1 + 0.004), and 1/w = M₁₁ − M₁₂²/M₂₂.
    let second = "<body pos='1 0 0'><joint ref='90' damping='3'/><geom pos='1 0 0' size='0.1' mass='1'/></body>";
    let first = "<joint name='j' springdamper='0.5 1' damping='7'/><geom pos='1 0 0' size='0.1' mass='1'/>";
    let loaded = world("", &format!("<body>{first}{second}</body>"));
    assert_eq!(codes(&loaded, Severity::Warning), ["A215"], "the spring");
    let robot = good(loaded);
    let viscous: Vec<f64> = robot.joints.iter().map(|j| j.drives[0].friction.viscous).collect();
    assert_near("damping", &viscous, &[2.0 * (5.008 - 2.004 * 2.004 / 1.004) / 0.5, 3.0]);
}

#[test]
fn an_actuator_has_a_gear_a_rotor_and_bounds() {
    let with = |default: &str, actuators: &str| {
        let text = format!(
            "<mujoco><default>{default}</default><worldbody><body name='b'><joint name='j'/>{BALL}</body></worldbody>
             <actuator>{actuators}</actuator></mujoco>"
        );
        good(mjcf(&text)).joints[0].drives[0]
    };
    let drive = with("", "<motor joint='j' gear='-10' armature='0.02' damping='0.1' forcerange='-2 3'/>");
    let rotor = drive.rotor.unwrap();
    assert_eq!((rotor.inertia, rotor.gear, drive.limits.effort), (0.02, -10.0, effort(-30.0, 20.0)));
    assert!((drive.friction.viscous - 10.0).abs() < 1e-14);
    // Two of them add up, and all share one set of defaults.
    let two =
        "<motor joint='j' forcerange='-1 1'/><position joint='j' kp='5' gear='2' forcerange='-4 4' armature='0.3'/>";
    let drive = with("<general gear='7 1' armature='0.1'/>", two);
    assert_eq!(drive.limits.effort, (7.0 + 8.0).into());
    let reflected = drive.rotor.map_or(0.0, |r| r.inertia * r.gear * r.gear) + drive.armature;
    assert!((reflected - (0.1 * 49.0 + 0.3 * 4.0)).abs() < 1e-14, "{reflected}");
    // A motor's force is its control; a servo's is not.
    let limits = |actuators: &str| with("", actuators).limits.effort;
    assert_eq!(limits("<motor joint='j' gear='3' ctrlrange='-5 2'/>"), effort(-15.0, 6.0));
    assert_eq!(limits("<general joint='j' gear='3' ctrlrange='-5 2' gainprm='2'/>"), effort(-30.0, 12.0));
    assert_eq!(limits("<general joint='j' gear='3' ctrlrange='-5 2' gainprm='-2'/>"), effort(-12.0, 30.0));
    assert_eq!(limits("<position joint='j' kp='9' ctrlrange='-5 2'/>"), EffortRange::UNLIMITED);
    assert_eq!(limits("<motor joint='j' gear='0'/><motor joint='j' ctrlrange='-5 2'/>"), effort(-5.0, 2.0));
    // −7 [−2, 5] + 2 [−2, 5] = [−35, 14] + [−4, 10].
    let pair = "<motor joint='j' gear='-7' ctrlrange='-2 5'/><motor joint='j' gear='2' ctrlrange='-2 5'/>";
    assert_eq!(limits(pair), effort(-39.0, 24.0));
    assert_eq!(limits("<motor joint='j' gear='10' forcerange='-3 2'/>"), effort(-30.0, 20.0));
    // The force of a control is clamped: 3 … 5 to 2, and what acts on the joint to 15.
    assert_eq!(limits("<motor joint='j' ctrlrange='3 5' forcerange='-1 2'/>"), effort(2.0, 2.0));
    let clamped = "<body name='b'><joint name='j' actuatorfrcrange='-40 15'/><geom size='1'/></body>";
    for (actuators, expected) in [("", effort(-40.0, 15.0)), (pair, effort(-39.0, 15.0))] {
        let robot = good(world(&format!("<actuator>{actuators}</actuator>"), clamped));
        assert_eq!(robot.joints[0].drives[0].limits.effort, expected);
    }
    let nobody = mjcf("<mujoco><worldbody/><actuator><motor joint='k'/></actuator></mujoco>");
    assert_eq!(codes(&nobody, Severity::Error), ["A004"]);
}

#[test]
fn defaults_complete_elements() {
    let defaults = "<default><geom density='100' size='0.1 0.2 0.3'/>
        <default class='heavy'><geom density='200'/><joint damping='5'/>
          <default class='box'><geom type='box'/></default></default></default>";
    let bodies = "<body name='a'><joint/><geom/></body>
        <body name='b'><joint/><geom class='heavy'/></body>
        <body name='c' childclass='heavy'><joint/><geom/>
          <body name='d'><joint/><geom class='box' size='0.5'/></body>
          <body name='e' childclass='main'><joint/><geom/></body>
          <frame childclass='box'><body name='f'><joint/><geom density='1'/></body></frame></body>";
    let robot = good(world(defaults, bodies));
    let ball = 4.0 / 3.0 * PI * 1e-3;
    let boxed = 0.2 * 0.4 * 0.6;
    // Omitted numbers of `size` are the default's: 0.5, 0.2, 0.3.
    let expected = [100.0 * ball, 200.0 * ball, 200.0 * ball, 200.0 * (1.0 * 0.4 * 0.6), 100.0 * ball, boxed];
    let found: Vec<f64> = ["a", "b", "c", "d", "e", "f"].iter().map(|n| body(&robot, n).mass).collect();
    assert_near("masses", &found, &expected);
    let damping: Vec<f64> = robot.joints.iter().map(|j| j.drives[0].friction.viscous).collect();
    assert_eq!(damping, [0.0, 0.0, 5.0, 5.0, 0.0, 5.0]);
    // An orientation replaces the default's: here 90° about z, not about x.
    let turned = world(
        "<default><geom quat='1 1 0 0' type='box' size='0.1 0.2 0.3' mass='12'/></default>",
        "<body name='b'><joint/><geom euler='0 0 90'/></body>",
    );
    let t = body(&good(turned), "b").central();
    assert_near("turned once", &[t.xx, t.yy, t.zz], &[0.4, 0.52, 0.2]);
    assert_eq!(codes(&world("", "<body><geom class='none' size='1'/></body>"), Severity::Error), ["A005"]);
    assert_eq!(codes(&world("<default class='top'/>", ""), Severity::Error), ["A005"]);
}

#[test]
fn frames_transform_their_content() {
    // The frame is at (1, 0, 0), turned a quarter about z: its x is the body's y.
    let frame = "<frame pos='1 0 0' euler='0 0 90'>";
    let inside = "<joint name='j' type='slide' axis='1 0 0'/><geom size='0.1' mass='1' pos='2 0 0'/><body name='c' pos='3 0 0'/>";
    let robot = good(world("", &format!("<body name='b'>{frame}{inside}</frame></body>")));
    assert_eq!(robot.joints[0].kind, {
        let JointKind::Prismatic { axis } = robot.joints[0].kind else { panic!("{:?}", robot.joints[0].kind) };
        assert_near("axis", &axis, &[0.0, 1.0, 0.0]);
        JointKind::Prismatic { axis }
    });
    assert_near("geom", &body(&robot, "b").centre().to_array(), &[1.0, 2.0, 0.0]);
    assert_near("body", &place(&robot.model().unwrap(), "c", &[0.0])[0], &[1.0, 3.0, 0.0]);
}

#[test]
fn replicate_transforms_and_numbers_copies() {
    let one = format!("<body name='b' pos='0 1 0'><joint name='j'/>{BALL}</body>");
    let robot =
        good(world("", &format!("<replicate count='3' offset='1 0 0' euler='0 0 90' sep='-'>{one}</replicate>")));
    let joints: Vec<&str> = robot.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(joints, ["j-0", "j-1", "j-2"]);
    let m = robot.model().unwrap();
    let at = |name: &str| place(&m, name, &[0.0; 3]).concat();
    // The second is at (1, 0), its y is −x; the third a step along the second's x (which is y), upside down.
    assert_near("first", &at("b-0"), &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_near("second", &at("b-1"), &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_near("third", &at("b-2"), &[1.0, 0.0, 0.0, -1.0, 0.0, 0.0]);
    let ten = good(world("", &format!("<replicate count='10' offset='0 1 0'>{one}</replicate>")));
    assert_eq!((ten.joints[0].name.as_str(), ten.joints[9].name.as_str()), ("j00", "j09"));
    let nested = "<replicate count='99999'>".repeat(4) + &one + &"</replicate>".repeat(4);
    assert_eq!(codes(&world("", &nested), Severity::Error)[..1], ["A011"]);
}

#[test]
fn unnamed_elements_have_stable_names() {
    let text = format!(
        "<body>{BALL}<body name='body3'><joint/>{BALL}</body><body><joint/><joint axis='1 0 0'/>{BALL}</body></body>"
    );
    let robot = good(world("", &text));
    let links: Vec<&str> = robot.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(links, ["world", "body1", "body3", "body3'/joint", "body3'"]);
    let joints: Vec<&str> = robot.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(joints, ["body1/fixed", "body3/joint", "body3'/joint", "body3'/joint2"]);
}

#[test]
fn features_that_are_not_modelled_are_warnings() {
    let warned = |before: &str, bodies: &str, after: &str| {
        let loaded = mjcf(&format!("<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"));
        codes(&loaded, Severity::Warning)
    };
    let two =
        format!("<body name='a'><joint name='j' ref='90'/>{BALL}</body><body name='b'><joint name='k'/>{BALL}</body>");
    let none: [&str; 0] = [];
    assert_eq!(warned("", &two, ""), none);
    for joint in ["stiffness='3'", "springdamper='0.1 1'", "damping='1 0 2'"] {
        assert_eq!(warned("", &format!("<body><joint {joint}/>{BALL}</body>"), ""), ["A215"], "{joint}");
    }
    assert_eq!(warned("", &format!("<body gravcomp='0.5'><joint/>{BALL}</body>"), ""), ["A215"]);
    assert_eq!(warned("<option viscosity='1e-5' density='1.2'/>", &two, ""), ["A215", "A215"]);
    assert_eq!(warned("", &two, "<tendon><fixed stiffness='2'><joint joint='j' coef='1'/></fixed></tendon>"), ["A215"]);
    assert_eq!(warned("", &two, "<tendon><fixed><joint joint='j' coef='1'/></fixed></tendon>"), none);
    for constraint in ["<connect body1='a' body2='b' anchor='0 0 0'/>", "<weld body1='a'/>", "<joint joint1='j'/>"] {
        assert_eq!(warned("", &two, &format!("<equality>{constraint}</equality>")), ["A110"], "{constraint}");
    }
    assert_eq!(warned("", &two, "<equality><weld body1='a' active='false'/></equality>"), none);
    let free = format!("<body><joint type='free' armature='1'/>{BALL}</body>");
    assert_eq!(warned("", &free, ""), ["A215"]);
    // q₁ − π/2 = 0.1 − 2 (q₂ − 0).
    let follow = "<equality><joint joint1='j' joint2='k' polycoef='0.1 -2 0 0 0'/></equality>";
    assert_eq!(warned("", &two, follow), none);
    let loaded = mjcf(&format!("<mujoco><worldbody>{two}</worldbody>{follow}</mujoco>"));
    assert!(loaded.findings.iter().any(|f| f.code.id == "A108"));
    let robot = good(loaded);
    let mimic = robot.joints[0].mimic.as_ref().unwrap();
    assert_eq!((mimic.joint.as_str(), mimic.multiplier), ("k", -2.0));
    assert!((mimic.offset - FRAC_PI_2 - 0.1).abs() < 1e-15);
    assert_eq!(robot.model().unwrap().dof_names(), ["k"]);
    // The second of two constraints that follow each other is dropped.
    let both = "<equality><joint joint1='j' joint2='k'/><joint joint1='k' joint2='j'/></equality>";
    assert_eq!(warned("", &two, both), ["A111"]);
}

#[test]
fn options_switch_gravity_and_friction() {
    let joint = "<joint name='j' axis='0 1 0' damping='2' frictionloss='3'/>";
    let bodies = format!("<body>{joint}<geom pos='1 0 0' size='0.1' mass='1'/></body>");
    let tau = |option: &str| torques(&model(world(option, &bodies)), &[0.0], &[1.0], &[0.0])[0];
    assert_near("default", &[tau("")], &[-9.81 + 5.0]);
    assert_near("gravity", &[tau("<option gravity='0 0 -1'/><option timestep='1'/>")], &[-1.0 + 5.0]);
    assert_near("no gravity", &[tau("<option><flag gravity='disable'/></option>")], &[5.0]);
    assert_near("no friction", &[tau("<option><flag damper='disable' frictionloss='disable'/></option>")], &[-9.81]);
}

#[test]
fn ignored_content_is_listed() {
    let text = "<mujoco model='m'>
  <compiler fusestatic='true'/>
  <option timestep='0.01' integrator='RK4'/>
  <visual/>
  <asset><texture name='t'/></asset>
  <worldbody>
    <light pos='0 0 1'/>
    <body name='b' mocap='true'>
      <site/>
      <geom size='0.1' rgba='1 0 0 1' contype='1'/>
    </body>
  </worldbody>
  <sensor/>
</mujoco>";
    let loaded = mjcf(text);
    assert!(codes(&loaded, Severity::Warning).is_empty());
    let listed: Vec<String> =
        report(&loaded).lines().filter(|l| l.contains("A50")).map(|l| l.replace("robot.xml:", "")).collect();
    assert_eq!(
        listed,
        [
            "2:13: note[A502]: the compiler: `fusestatic` of <compiler> ignored",
            "3:11: note[A502]: the options: `timestep`, `integrator` of <option> ignored",
            "4:3: note[A501]: the model: <visual> ignored",
            "5:10: note[A501]: the assets: <texture> ignored",
            "7:5: note[A501]: body `world`: <light> ignored",
            "8:5: note[A503]: body `b` has no joint: it is fixed to `world`",
            "8:20: note[A502]: body `b`: `mocap` of <body> ignored",
            "9:7: note[A501]: body `b`: <site> ignored",
            "10:24: note[A502]: a geom of `b`: `rgba`, `contype` of <geom> ignored",
            "13:3: note[A501]: the model: <sensor> ignored",
        ]
    );
}

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let at = std::env::temp_dir().join(format!("armdyn-mjcf-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&at);
    fs::create_dir_all(&at).unwrap();
    at
}

#[test]
fn files_are_included_once() {
    let at = folder("include");
    fs::create_dir(at.join("parts")).unwrap();
    fs::write(
        at.join("parts/arm.xml"),
        "<mujocoinclude><body name='arm'><include file='hand.xml'/></body></mujocoinclude>",
    )
    .unwrap();
    fs::write(at.join("parts/hand.xml"), "<x><joint axis='0 0'/><geom size='0.1'/></x>").unwrap();
    let main = |inside: &str| {
        fs::write(at.join("main.xml"), format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")).unwrap();
        load(&at.join("main.xml"), &Options::default())
    };
    let loaded = main("<include file='parts/arm.xml'/>");
    let fault: Vec<String> = report(&loaded).lines().filter(|l| l.contains("error")).map(String::from).collect();
    assert!(fault.len() == 1 && fault[0].contains("hand.xml:1:11: error[A005]"), "{fault:?}");
    fs::write(at.join("parts/hand.xml"), "<x><joint name='j'/><geom size='0.1'/></x>").unwrap();
    assert_eq!(good(main("<include file='parts/arm.xml'/>")).joints[0].name, "j");
    for inside in [
        "<include file='parts/hand.xml'/><include file='parts/hand.xml'/>",
        "<include file='main.xml'/>",
        "<include file='none.xml'/>",
    ] {
        assert_eq!(codes(&main(inside), Severity::Error), ["A009"], "{inside}");
    }
    assert_eq!(codes(&main("<include/>"), Severity::Error), ["A004"]);
    fs::remove_dir_all(at).unwrap();
}

#[test]
fn nested_includes_are_limited() {
    let at = folder("deep");
    let nested = |levels: usize, next: usize| {
        let (open, close) = ("<body>".repeat(levels), "</body>".repeat(levels));
        format!("<x>{open}<geom size='0.1'/><include file='{next}.xml'/>{close}</x>")
    };
    let text = |inside: &str| format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
    fs::write(at.join("main.xml"), text("<include file='0.xml'/>")).unwrap();
    for (levels, files) in [(100, 2), (100, 5), (0, 400)] {
        for k in 0..files {
            fs::write(at.join(format!("{k}.xml")), nested(levels, k + 1)).unwrap();
        }
        fs::write(at.join(format!("{files}.xml")), "<x><body/></x>").unwrap();
        let loaded = load(&at.join("main.xml"), &Options::default());
        let found = codes(&loaded, Severity::Error);
        let expected: &[&str] = if files == 2 { &[] } else { &["A009"] };
        assert_eq!(found, expected, "{levels} levels in {files} files");
    }
    fs::remove_dir_all(at).unwrap();
}

#[test]
fn a_robot_with_chains_of_joints_can_be_written_as_toml() {
    let joints =
        "<joint name='s' type='slide' axis='1 2 0'/><joint name='z' pos='0.5 0 0' ref='20'/><joint type='ball'/>";
    let robot = good(world("", &format!("<body name='b' euler='10 20 30'>{joints}{BALL}</body>")));
    let text = armdyn_import::to_toml(&robot);
    let again = load_text(Path::new("robot.toml"), text, Format::Toml, &Options::default());
    let (a, b) = (robot.model().unwrap(), good(again).model().unwrap());
    let (q, qd) = ([0.3, -0.4, 0.1, 0.2, 0.3, 0.9], [1.0, -2.0, 0.5, 0.7, -0.2]);
    assert_eq!(torques(&a, &q, &qd, &qd), torques(&b, &q, &qd, &qd));
}

#[test]
fn mesh_mass_is_the_enclosed_volume() {
    // A corner of a cube: three edges of 1, 1/6 m³, centre at 1/4 each; about it ∫ x² = 1/60 − 1/96, ∫ x y = 1/120 − 1/96.
    let corner = "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'";
    let (square, product) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
    let of = |mesh: &str, geom: &str| {
        let bodies = format!("<body name='b'><joint/><geom type='mesh' mesh='m' {geom}/></body>");
        *body(&good(world(&format!("<asset><mesh name='m' {mesh}/></asset>"), &bodies)), "b")
    };
    for inertia in ["exact", "legacy"] {
        let i = of(&format!("{corner} inertia='{inertia}'"), "density='6' pos='1 0 0'");
        assert_near(inertia, &[i.mass], &[1.0]);
        assert_near(inertia, &i.centre().to_array(), &[1.25, 0.25, 0.25]);
        let t = i.central();
        assert_near(inertia, &[t.xx, t.xy], &[12.0 * square, -6.0 * product]);
    }
    // The corner is convex: a point inside, or no faces at all, change nothing.
    let open = "vertex='0 0 0 1 0 0 0 1 0 0 0 1 0.2 0.2 0.2'";
    for mesh in [open.to_string(), format!("{open} inertia='convex' face='0 1 4'")] {
        let i = of(&mesh, "density='6'");
        assert_near(&mesh, &[i.mass, i.centre().x, i.central().xx], &[1.0, 0.25, 12.0 * square]);
    }
    // Mirrored and stretched: 2 · 1 · 1 times the volume, centre at −1/2; turned back by a quarter about z first.
    let i = of(&format!("{corner} scale='-2 1 1'"), "density='3'");
    assert_near("scale", &[i.mass, i.centre().x], &[1.0, -0.5]);
    let i = of(&format!("{corner} refpos='1 0 0' refquat='1 0 0 1'"), "mass='8'");
    // (1/4 − 1, 1/4, 1/4) in axes turned by a quarter about z: (y, −x, z).
    assert_near("reference", &i.centre().to_array(), &[0.25, 0.75, 0.25]);
    assert_near("mass", &[i.mass], &[8.0]);
    let faults = [
        ("file='none.stl'", "A403"),
        ("file='none.dae'", "A403"),
        ("vertex='0 0 0 1 0 0 0 1 0 0 0 1' maxhullvert='4'", "A011"),
        ("vertex='0 0 0 1 0 0 0 1 0 1 1 0'", "A403"),
        ("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'", "A403"),
        ("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 2' inertia='exact'", "A403"),
        ("builtin='sphere' params='1'", "A011"),
    ];
    for (mesh, code) in faults {
        let before = format!("<asset><mesh name='m' {mesh}/></asset>");
        let loaded = world(&before, "<body><joint/><geom type='mesh' mesh='m'/></body>");
        assert_eq!(codes(&loaded, Severity::Error), [code], "{mesh}");
        // Irrelevant if it does not define a mass.
        let inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
        let loaded = world(&before, &format!("<body><joint/>{inertial}<geom type='mesh' mesh='m'/></body>"));
        assert!(loaded.description.is_some(), "{}", report(&loaded));
    }
    let nothing = world("", "<body><joint/><geom type='mesh' mesh='m'/></body>");
    assert_eq!(codes(&nothing, Severity::Error), ["A004"]);
}

#[test]
fn a_mesh_file_is_found_in_its_folder() {
    let at = folder("mesh");
    fs::create_dir_all(at.join("shapes")).unwrap();
    fs::write(at.join("shapes/corner.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        .unwrap();
    let text = "<mujoco><compiler meshdir='shapes'/><asset><mesh file='corner.obj'/></asset>
        <worldbody><body name='b'><joint/><geom type='mesh' mesh='corner' density='6'/></body></worldbody></mujoco>";
    fs::write(at.join("main.xml"), text).unwrap();
    let robot = good(load(&at.join("main.xml"), &Options::default()));
    assert_near("its name is the file's", &[body(&robot, "b").mass], &[1.0]);
    let shape = &robot.links[1].shapes[0];
    assert_eq!((shape.size, shape.pose.translation), ([1.0; 3], Vec3::lift([0.5; 3])));
    fs::remove_dir_all(at).unwrap();
}

#[test]
fn the_root_element_determines_the_format() {
    let at = folder("format");
    let first = |name: &str, text: &str| {
        fs::write(at.join(name), text).unwrap();
        let loaded = load(&at.join(name), &Options::default());
        loaded.description.map(|d| d.links[0].name.clone()).ok_or_else(|| loaded.findings[0].code.id)
    };
    let mujoco = "<?xml version='1.0'?><!-- a > b --><mujoco><worldbody/></mujoco>";
    assert_eq!(first("a.xml", mujoco), Ok("world".into()));
    assert_eq!(first("a.mjcf", mujoco), Ok("world".into()));
    assert_eq!(first("b.xml", "<robot name='r'><link name='base'/></robot>"), Ok("base".into()));
    assert_eq!(first("c.xml", "<sdf/>"), Err("A003"));
    assert_eq!(first("d.xml", ""), Err("A002"));
    assert_eq!(first("e.mjcf", "<robot name='r'/>"), Err("A003"));
    fs::remove_dir_all(at).unwrap();
}

#[test]
fn truncated_text_is_rejected_without_panic() {
    let clean = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/clean.xml")).unwrap();
    let end = clean.rfind("</mujoco>").unwrap();
    for cut in 0..end + 5 {
        let loaded = mjcf(&clean[..cut]);
        assert!(loaded.description.is_none() && !loaded.findings.is_empty(), "{cut}");
    }
    // Every attribute in turn made invalid.
    for (at, _) in clean.match_indices('"').step_by(2) {
        let end = at + 1 + clean[at + 1..].find('"').unwrap();
        for nonsense in ["", "nan", "1e400 0 0", "-1", "0 0 0", "true", "é", "1 2 3 4 5 6 7"] {
            let loaded = mjcf(&format!("{}{nonsense}{}", &clean[..at + 1], &clean[end..]));
            let _ = loaded.description.map(|d| (armdyn_import::check(&d), d.model().is_ok()));
        }
    }
    let deep = "<body>".repeat(200) + &"</body>".repeat(200);
    assert_eq!(codes(&world("", &deep), Severity::Error), ["A002"]);
}

/// Unusual constructs of public files that MuJoCo 4.0 accepts.
#[test]
fn unusual_files_that_mujoco_accepts() {
    let capsule = |more: &str| {
        let geom = format!("<geom type='capsule' size='0.1' fromto='0 0 0 0 0 1' {more}/>");
        world("", &format!("<body name='b'><joint/>{geom}</body>"))
    };
    // `pos` beside `fromto` counts only where it is not 0.
    assert_eq!(body(&good(capsule("pos='0 0 0'")), "b").centre().to_array(), [0.0, 0.0, 0.5]);
    assert_eq!(codes(&capsule("pos='0 0 1'"), Severity::Error), ["A005"]);
    // A limited ball joint has a default range of 0, a hinge requires one.
    let joint = |kind: &str| {
        let joint = format!("<body><joint type='{kind}' limited='true'/><geom size='0.1'/></body>");
        codes(&world("", &joint), Severity::Error)
    };
    assert_eq!(joint("ball"), Vec::<&str>::new());
    assert_eq!(joint("hinge"), ["A004"]);
}

#[test]
fn meshes_are_found_relative_to_the_referring_file() {
    let at = folder("beside");
    for inside in ["parts", "shapes"] {
        fs::create_dir(at.join(inside)).unwrap();
    }
    // A tetrahedron of volume 1/6.
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(at.join("shapes/t.obj"), corners).unwrap();
    let asset = "<x><asset><mesh name='t' file='../shapes/t.obj'/></asset></x>";
    fs::write(at.join("parts/assets.xml"), asset).unwrap();
    let text = r"<mujoco><compiler meshdir='none'/><include file='parts\assets.xml'/>
        <worldbody><body name='b'><joint/><geom type='mesh' mesh='t' density='6'/></body></worldbody></mujoco>";
    fs::write(at.join("main.xml"), text).unwrap();
    let robot = good(load(&at.join("main.xml"), &Options::default()));
    assert!((body(&robot, "b").mass - 1.0).abs() < 1e-15);
    fs::remove_dir_all(at).unwrap();
}

#[test]
fn several_options_are_merged() {
    let arm = "<body><joint axis='0 1 0' damping='2'/><inertial pos='1 0 0' mass='1' diaginertia='1 1 1'/></body>";
    let tau = |options: &str| torques(&model(world(options, arm)), &[0.0], &[1.0], &[0.0])[0];
    // A link of 1 kg at 1 m: −9.81 N m against gravity about y, 2 N m against the damper.
    let off = "<option><flag gravity='disable' damper='disable'/></option>";
    let later = "<option gravity='0 0 -9.81'/>";
    assert_near("standard gravity", &[tau("") - tau(later)], &[0.0]);
    assert_near("both", &[tau(later)], &[2.0 - 9.81]);
    assert_near("a flag holds, whatever gravity a later option has", &[tau(&format!("{off}{later}")) + 1.0], &[1.0]);
    let on = "<option><flag gravity='enable'/></option>";
    assert_near("the last word on the flag", &[tau(&format!("{off}{later}{on}"))], &[-9.81]);
}

#[test]
fn actuators_of_several_sections_add_up() {
    let motor = "<actuator><motor joint='j' ctrlrange='-3 2'/></actuator>";
    let arm = "<body><joint name='j'/><geom size='1'/></body>";
    let of = |sections: usize| good(world(&motor.repeat(sections), arm)).joints[0].drives[0].limits.effort;
    assert_eq!((of(1), of(2)), (effort(-3.0, 2.0), effort(-6.0, 4.0)));
}

/// A site with the name of a tool is the tool; of several, the one with the best name; of equally good ones, none.
#[test]
fn sites_with_the_name_of_a_tool() {
    let tool = |sites: &str| {
        let body = format!("<body name='b'><joint/><frame pos='0 0 0.1'>{sites}</frame>{BALL}</body>");
        good(world("", &body)).tool.map(|t| (t.link, t.pose.translation.to_array()))
    };
    let at = |x: f64| Some(("b".to_string(), [x, 0.0, 0.1]));
    assert_eq!(tool("<site name='wheel_centre' pos='3 0 0'/>"), None);
    assert_eq!(tool("<site name='attachment_site' pos='2 0 0'/><site name='tcp' pos='1 0 0'/>"), at(1.0));
    assert_eq!(tool("<site name='left_tcp' pos='2 0 0'/><site name='right_tcp' pos='1 0 0'/>"), None);
    assert_eq!(tool("<site name='attachment_site' pos='2 0 0'/>"), at(2.0));
}

/// The note names the site that was chosen, and those that were not; the tool says that a site's name was the reason.
#[test]
fn the_choice_of_a_tool_site_is_reported() {
    let noted = |sites: &str| {
        let loaded = world("", &format!("<body name='b'><joint/>{sites}{BALL}</body>"));
        let notes = loaded.findings.iter().filter(|f| f.code.id == "A505");
        let notes: Vec<String> = notes.map(|f| f.message.clone()).collect();
        (notes, loaded.description.unwrap().model().unwrap().tool().ok().map(|t| t.source))
    };
    let (notes, source) = noted("<site name='flange'/><site name='tcp'/><site name='grip_ee'/>");
    let expected =
        "site `tcp` of body `b` is the tool, by its name; other candidates: `grip_ee` of `b`, `flange` of `b`";
    assert_eq!((notes, source), (vec![expected.to_string()], Some(ToolSource::Site)));
    let (notes, source) = noted("<site name='left_tcp'/><site name='right_tcp'/><site name='flange'/>");
    let expected = "no site is the tool: the names of several are equally good: `left_tcp` of `b`, `right_tcp` of `b`";
    assert_eq!((notes, source), (vec![expected.to_string()], None));
    assert_eq!(noted("<site name='camera'/>").0, Vec::<String>::new());
}

/// A gripper whose actuator, of 4 N behind a gear of 5, is on the follower: 0.5 times 20 N at the leader.
#[test]
fn an_actuator_on_a_follower_limits_its_leader() {
    let fingers = format!(
        "<body><joint name='left' type='slide'/>{BALL}</body><body><joint name='right' type='slide'/>{BALL}</body>"
    );
    let rest = "<equality><joint joint1='right' joint2='left' polycoef='0 0.5 0 0 0'/></equality>
        <actuator><motor joint='right' gear='5' ctrlrange='-4 4'/></actuator>";
    let robot = good(world(rest, &fingers));
    let model = robot.model().unwrap();
    assert_eq!((model.nv(), model.limits()[0].effort), (1, 10.0.into()));
    let notes: Vec<String> = armdyn_import::check(&robot).into_iter().map(|f| f.message).collect();
    let expected = "joint `right` follows `left`: its effort limit of 20 adds 10 there";
    assert!(notes.iter().any(|n| n == expected), "{notes:?}");
}

/// Shapes know their form; geoms of groups 3 and above, which MuJoCo's viewer hides, only detect collisions.
#[test]
fn forms_of_geoms() {
    use armdyn_import::Form;
    let geoms = "<geom type='box' size='1 1 1'/><geom type='capsule' size='0.1 0.5'/><geom type='cylinder' size='0.1 0.5' group='3'/>
        <geom type='ellipsoid' size='0.1 0.2 0.3' group='2'/><geom size='0.1' group='4'/>";
    let robot = good(world("", &format!("<body name='b'><joint name='j'/>{geoms}</body>")));
    let shapes = &robot.links.iter().find(|l| l.name == "b").unwrap().shapes;
    let found: Vec<(Form, bool)> = shapes.iter().map(|s| (s.form, s.visual)).collect();
    let expected = [
        (Form::Box, true),
        (Form::Capsule, true),
        (Form::Cylinder, false),
        (Form::Ellipsoid, true),
        (Form::Ellipsoid, false),
    ];
    assert_eq!(found, expected);
    assert_eq!(shapes[1].size, [0.2, 0.2, 1.2], "a capsule with its hemispheres");
}
