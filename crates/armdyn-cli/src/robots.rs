//! The bundled robot.

use armdyn::{BASE, BuildError, Drive, Inertia, Joint, JointKind, Link, Model, ModelBuilder};
use armdyn::{Rotation, Sym3, Transform, Vec3, vec3};

/// A link of the JPL arm: mass \[kg\], centre \[m\], moments about the frame's origin \[kg m²\], drive inertia at the joint.
type Row = (f64, [f64; 3], [f64; 3], f64);

/// The JPL/Stanford arm (Bejczy 1974, JPL TM 33-669, appendix B, British column in SI; m₂ = 0.513 oz s²/in, where the SI
/// column misprints 5.505 kg): R R P R R R, Denavit–Hartenberg frames.
pub fn jpl_rrp() -> Result<Model<f64>, BuildError> {
    const NAMES: [&str; 6] = ["turn", "lift", "boom", "roll", "tilt", "twist"];
    const ROWS: [Row; 6] = [
        (9.292668, [0.0, 0.017526, -0.110490], [0.27610668, 0.25527510, 0.07082736], 0.953309),
        (5.615004, [0.0, -0.105410, -0.007874], [0.10790051, 0.01758326, 0.09977973], 2.193),
        (4.246826, [0.0, 0.0, -0.644652], [2.51038167, 2.51038167, 0.00603057], 0.781832),
        (1.083597, [0.0, 0.0092456, -0.0053848], [0.00178657, 0.00117928, 0.00110160], 0.105923),
        (0.634835, [0.0, 0.0, 0.056642], [0.00271870, 0.00254216, 0.00040251], 0.096743),
        (0.514435, [0.0, 0.0, -0.092202], [0.00471006, 0.00471006, 0.00034602], 0.019843),
    ];
    // (sin, cos) of the twist α, and of the constant angle of the boom's frame.
    const ALPHA: [(f64, f64); 6] = [(-1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
    const OFFSET: [f64; 6] = [0.0, 0.161925, 0.0, 0.0, 0.0, 0.24765];
    let mut builder = ModelBuilder::new("jpl-rrp");
    let mut last = BASE;
    for (i, (mass, centre, [xx, yy, zz], drive)) in ROWS.into_iter().enumerate() {
        let (sin, cos) = ALPHA[i];
        let axis = [0.0, sin, cos]; // the z axis of the frame before
        let (kind, theta) = match i {
            2 => (JointKind::Prismatic { axis }, (-1.0, 0.0)),
            _ => (JointKind::Revolute { axis }, (0.0, 1.0)),
        };
        let turn = Rotation::about(Vec3::unit(2), theta).compose(&Rotation::about(Vec3::unit(0), (sin, cos)));
        let joint = Joint::new(NAMES[i], kind)
            .at(Transform::new(turn, vec3(0.0, 0.0, OFFSET[i])))
            .driven_by(Drive::ideal().armature(drive));
        let inertia = Inertia::about_origin(mass, Vec3::lift(centre), Sym3::diagonal(xx, yy, zz));
        let name = format!("link{}", i + 1);
        last = builder.add(last, joint, Link::new(&name).part(&name, inertia, Transform::identity()));
    }
    builder.build()
}
