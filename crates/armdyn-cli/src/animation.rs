//! A motion as a page that plays it in 3-D (`--animate`).

use crate::format::many;
use crate::table::AtomicFile;
use crate::{CommandError, args, diagnostics, robot};
use armdyn_core::Model;
use armdyn_import::{Description, Form, LinkDescription};
use armdyn_scene::{Animation, Geometry, Mesh, Motion, Role, Scene};
use std::path::Path;

/// Limit on the triangles of all meshes of a page: 3 MB.
const MAX_TRIANGLES: usize = 100_000;

/// Checks the file extension, before long computations.
pub fn check(path: &Path) -> Result<(), CommandError> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")) {
        return Ok(());
    }
    Err(format!("`--animate {}`: an animation is HTML; use the extension .html", path.display()).into())
}

/// Writes the page of a motion of `m`, which options made of the robot of `args`; its file's shapes are drawn.
pub fn write(path: &Path, args: &args::Robot, m: &Model<f64>, motion: &Motion) -> Result<(), CommandError> {
    check(path)?;
    let loaded = robot::find(Path::new(&args.robot), &robot::options(&args.import)?)?;
    let page = page(loaded.description.as_ref(), m, motion)?;
    Ok(AtomicFile::beside(path)?.hold(page.as_bytes())?)
}

/// The page of a motion of `m`, with the shapes of its description.
pub fn page(description: Option<&Description>, m: &Model<f64>, motion: &Motion) -> Result<String, CommandError> {
    let mut scene = Scene::of(m);
    if let Some(description) = description {
        draw_shapes(&mut scene, m, description);
    }
    let animation = Animation::new(m, scene, motion)?;
    let [kept, given] = animation.samples();
    if kept < given {
        diagnostics::note(format_args!(
            "the animation has {kept} of the {given} samples, to limit the size of the page"
        ));
    }
    Ok(animation.to_html())
}

/// Replaces the shapes that a scene has by default with those of the robot's file. A link whose meshes cannot be read keeps
/// its own; a link without shapes has none, if others have.
fn draw_shapes(scene: &mut Scene, m: &Model<f64>, description: &Description) {
    let meshes = description.links.iter().flat_map(|l| &l.shapes).filter(|s| s.form == Form::Mesh).count();
    let limit = MAX_TRIANGLES / meshes.max(1);
    let drawn: Vec<_> = description.links.iter().map(|link| (link, shapes(link, limit))).collect();
    let unread: Vec<&str> = drawn.iter().filter(|(_, found)| found.is_err()).map(|(l, _)| l.name.as_str()).collect();
    if let Some(Err(why)) = drawn.iter().map(|(_, found)| found).find(|found| found.is_err()) {
        let count = many(unread.len(), "link");
        diagnostics::note(format_args!(
            "the shapes of {count} cannot be drawn (`{}`: {why}): drawn from the joints",
            unread[0]
        ));
    }
    if !drawn.iter().any(|(_, found)| found.as_ref().is_ok_and(|shapes| !shapes.is_empty())) {
        return;
    }
    for (link, found) in drawn {
        if let (Ok(id), Ok(shapes)) = (m.link(&link.name), found) {
            scene.set_shapes(id, shapes);
        }
    }
}

/// The shapes of a link to draw: the visual ones, or else those that detect collisions; or why there are none.
fn shapes(link: &LinkDescription, limit: usize) -> Result<Vec<armdyn_scene::Shape>, String> {
    if link.shapes.is_empty() {
        return Ok(vec![]);
    }
    let mut why = String::new();
    for visual in [true, false] {
        let mut found = vec![];
        for shape in link.shapes.iter().filter(|s| s.visual == visual) {
            match geometry(shape, limit) {
                Ok(geometry) => found.push(armdyn_scene::Shape::new(&shape.pose, Role::Link, geometry)),
                Err(reason) => why = reason,
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(why)
}

fn geometry(shape: &armdyn_import::Shape, limit: usize) -> Result<Geometry, String> {
    let [x, y, z] = shape.size.map(|x| x as f32);
    let positive = shape.size.iter().all(|x| x.is_finite() && *x > 0.0);
    if shape.form != Form::Mesh && !positive {
        return Err("its size is not positive".to_string());
    }
    Ok(match shape.form {
        Form::Mesh => {
            let file = shape.mesh.as_ref().ok_or_else(|| match &shape.asset {
                Some(asset) => format!("mesh `{asset}` is not available"),
                None => "its mesh is not in a file".to_string(),
            })?;
            let name = file.path.display();
            let triangles = file.triangles().map_err(|e| format!("mesh `{name}`: {e}"))?;
            let mesh = Mesh::simplified(&triangles, limit);
            Geometry::Mesh(mesh.ok_or_else(|| format!("mesh `{name}` is flat, or too large to be simplified"))?)
        }
        Form::Cylinder => Geometry::Cylinder { radius: 0.5 * x, length: z },
        Form::Capsule => Geometry::Capsule { radii: [0.5 * x; 2], length: (z - x).max(0.0) },
        Form::Ellipsoid => Geometry::Ellipsoid { semi: [0.5 * x, 0.5 * y, 0.5 * z] },
        _ => Geometry::Box { size: [x, y, z] },
    })
}
