//! COLLADA (`.dae`): vertices and triangles of the geometries in the scene, in metres.
//!
//! `<unit>` and the transforms of nodes are applied. `<up_axis>` is not: RViz, MoveIt and Gazebo ignore it, and the meshes of
//! URDF files are made for them.

use super::{Mesh, number};
use armdyn_core::{Vec3, vec3};
use roxmltree::{Document, Node, NodeId, ParsingOptions};
use std::collections::HashMap;
use std::rc::Rc;

/// Limit on the depth of nodes, instances included: a node may instantiate itself.
const MAX_DEPTH: usize = 64;

/// Limit on nodes visited and on vertices, instances included.
const MAX_VISITS: usize = 100_000;
const MAX_VERTICES: usize = 10_000_000;

/// x ↦ A x + t, with the columns of A.
#[derive(Clone, Copy)]
struct Affine {
    columns: [Vec3<f64>; 3],
    translation: Vec3<f64>,
}

impl Affine {
    fn scale([x, y, z]: [f64; 3]) -> Self {
        let columns = [vec3(x, 0.0, 0.0), vec3(0.0, y, 0.0), vec3(0.0, 0.0, z)];
        Affine { columns, translation: Vec3::zero() }
    }

    fn rotate(&self, v: Vec3<f64>) -> Vec3<f64> {
        let [x, y, z] = self.columns;
        x * v.x + y * v.y + z * v.z
    }

    fn point(&self, v: Vec3<f64>) -> Vec3<f64> {
        self.rotate(v) + self.translation
    }

    fn compose(&self, inner: &Affine) -> Affine {
        Affine { columns: inner.columns.map(|c| self.rotate(c)), translation: self.point(inner.translation) }
    }
}

/// Reads the mesh. Polygons are split into triangles; those that refer to no vertex are left out.
pub(super) fn mesh(text: &str) -> Result<Mesh, String> {
    crate::xml::check_limits(text, 0).map_err(|f| f.message)?;
    let options = ParsingOptions { nodes_limit: 4_000_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| format!("it is not valid XML: {e}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err("its root element is not <COLLADA>".into());
    }
    let named = root.descendants().filter_map(|n| Some((n.attribute("id")?, n)));
    let mut scene = Scene { named: named.collect(), geometries: HashMap::new(), visits: 0, mesh: Mesh::default() };
    let unit = child(root, "asset").and_then(|a| child(a, "unit")?.attribute("meter"));
    let unit = unit.map_or(Ok(1.0), |word| number(Some(word)))?;
    let at = Affine::scale([unit; 3]);
    let shown = child(root, "scene").and_then(|s| child(s, "instance_visual_scene")?.attribute("url"));
    match shown {
        Some(url) => {
            let shown = scene.find(url)?;
            scene.node(shown, at, 0)?;
        }
        // Without a scene: all geometries.
        None => {
            for geometry in root.descendants().filter(|n| is(n, "geometry")) {
                scene.geometry(geometry, &at)?;
            }
        }
    }
    if scene.mesh.vertices.is_empty() { Err("it has no vertices".into()) } else { Ok(scene.mesh) }
}

/// Whether a node is the element `name`, in any namespace.
fn is(n: &Node, name: &str) -> bool {
    n.is_element() && n.tag_name().name() == name
}

fn child<'a, 'i>(n: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    n.children().find(|c| is(c, name))
}

/// `N` numbers of an element.
fn values<const N: usize>(n: Node) -> Result<[f64; N], String> {
    let mut words = n.text().unwrap_or("").split_ascii_whitespace();
    let mut found = [0.0; N];
    for x in &mut found {
        *x = number(words.next())?;
    }
    Ok(found)
}

/// The transform of an element of a node, if it is one.
fn transform(n: Node) -> Result<Option<Affine>, String> {
    let identity = Affine::scale([1.0; 3]);
    Ok(Some(match n.tag_name().name() {
        "matrix" => {
            let m = values::<16>(n)?;
            let column = |k: usize| vec3(m[k], m[4 + k], m[8 + k]);
            Affine { columns: [column(0), column(1), column(2)], translation: column(3) }
        }
        "translate" => Affine { translation: Vec3::lift(values(n)?), ..identity },
        "scale" => Affine::scale(values(n)?),
        "rotate" => {
            let [x, y, z, degrees] = values(n)?;
            let axis: Vec3<f64> = vec3(x, y, z);
            let axis = if axis.norm() > 0.0 { axis * (1.0 / axis.norm()) } else { axis };
            let (s, c) = degrees.to_radians().sin_cos();
            // Rodrigues' formula.
            let turned = |v: Vec3<f64>| v * c + axis.cross(v) * s + axis * (axis.dot(v) * (1.0 - c));
            Affine { columns: identity.columns.map(turned), ..identity }
        }
        "skew" | "lookat" => return Err(format!("<{}> is not supported", n.tag_name().name())),
        _ => return Ok(None),
    }))
}

/// The triangles of a geometry with `count` vertices: <triangles>, <polylist> and <polygons>.
fn faces(geometry: Node, count: usize) -> Vec<[usize; 3]> {
    let mut faces = vec![];
    let integers = |n: Node| -> Vec<usize> {
        n.text().unwrap_or("").split_ascii_whitespace().map(|w| w.parse().unwrap_or(usize::MAX)).collect()
    };
    for primitive in child(geometry, "mesh").iter().flat_map(Node::children).filter(Node::is_element) {
        let offset = |input: &Node| input.attribute("offset").and_then(|o| o.parse::<usize>().ok()).unwrap_or(0);
        let inputs = || primitive.children().filter(|c| is(c, "input"));
        let vertex = inputs().find(|i| i.attribute("semantic") == Some("VERTEX")).map(|i| offset(&i));
        let Some((stride, vertex)) = inputs().map(|i| offset(&i)).max().zip(vertex) else { continue };
        let corners: Vec<Vec<usize>> = primitive
            .children()
            .filter(|c| is(c, "p"))
            .map(|p| integers(p).chunks_exact(stride.saturating_add(1)).map(|c| c[vertex]).collect())
            .collect();
        // A polygon as a fan of triangles.
        let mut fan = |polygon: &[usize]| {
            if polygon.iter().all(|v| *v < count) {
                faces.extend(polygon.windows(2).skip(1).map(|w| [polygon[0], w[0], w[1]]));
            }
        };
        match primitive.tag_name().name() {
            "triangles" => corners.iter().flat_map(|c| c.chunks_exact(3)).for_each(fan),
            "polygons" => corners.iter().for_each(|c| fan(c)),
            "polylist" => {
                let mut rest = corners.first().map(Vec::as_slice).unwrap_or_default();
                for size in child(primitive, "vcount").map(integers).unwrap_or_default() {
                    let Some((polygon, after)) = rest.split_at_checked(size) else { break };
                    fan(polygon);
                    rest = after;
                }
            }
            _ => {}
        }
    }
    faces
}

struct Scene<'a, 'i> {
    named: HashMap<&'a str, Node<'a, 'i>>,
    /// Meshes of geometries.
    geometries: HashMap<NodeId, Rc<Mesh>>,
    visits: usize,
    mesh: Mesh,
}

impl<'a, 'i> Scene<'a, 'i> {
    fn find(&self, url: &str) -> Result<Node<'a, 'i>, String> {
        let missing = || format!("there is no element `{}`", crate::message::short(url));
        self.named.get(url.trim_start_matches('#')).copied().ok_or_else(missing)
    }

    /// A node, or a scene, in the frame `at`.
    fn node(&mut self, n: Node<'a, 'i>, at: Affine, depth: usize) -> Result<(), String> {
        self.visits += 1;
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            return Err(format!("its nodes are nested deeper than {MAX_DEPTH}, or there are more than {MAX_VISITS}"));
        }
        let mut at = at;
        for c in n.children().filter(Node::is_element) {
            if let Some(inner) = transform(c)? {
                at = at.compose(&inner);
                continue;
            }
            let target = || c.attribute("url").ok_or("an instance has no `url`".to_string());
            match c.tag_name().name() {
                "node" => self.node(c, at, depth + 1)?,
                "instance_node" => self.node(self.find(target()?)?, at, depth + 1)?,
                "instance_geometry" => self.geometry(self.find(target()?)?, &at)?,
                "instance_controller" => {
                    let controller = self.find(target()?)?;
                    let skin = controller.children().find_map(|s| s.attribute("source"));
                    self.geometry(self.find(skin.unwrap_or_default())?, &at)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, n: Node<'a, 'i>, at: &Affine) -> Result<(), String> {
        let part = match self.geometries.get(&n.id()) {
            Some(known) => known.clone(),
            None => {
                let vertices = self.positions(n)?;
                let faces = faces(n, vertices.len());
                let read = Rc::new(Mesh { vertices, faces });
                self.geometries.insert(n.id(), read.clone());
                read
            }
        };
        let (before, faces) = (self.mesh.vertices.len(), self.mesh.faces.len());
        if before + part.vertices.len() > MAX_VERTICES || faces + part.faces.len() > MAX_VERTICES {
            return Err(format!("it has more than {MAX_VERTICES} vertices or triangles"));
        }
        self.mesh.vertices.extend(part.vertices.iter().map(|p| at.point(*p)));
        self.mesh.faces.extend(part.faces.iter().map(|f| f.map(|v| before + v)));
        Ok(())
    }

    /// The positions of a geometry's vertices; none of one that is not a mesh.
    fn positions(&self, geometry: Node<'a, 'i>) -> Result<Vec<Vec3<f64>>, String> {
        let Some(vertices) = child(geometry, "mesh").and_then(|m| child(m, "vertices")) else { return Ok(vec![]) };
        let input = vertices.children().find(|c| c.attribute("semantic") == Some("POSITION"));
        let source = self.find(input.and_then(|i| i.attribute("source")).unwrap_or_default())?;
        let accessor = child(source, "technique_common").and_then(|t| child(t, "accessor"));
        let stride = accessor.and_then(|a| a.attribute("stride")?.parse().ok()).unwrap_or(3_usize).max(3);
        let words = child(source, "float_array").and_then(|a| a.text()).unwrap_or("").split_ascii_whitespace();
        let numbers: Vec<f64> = words.map(|w| number(Some(w))).collect::<Result<_, _>>()?;
        let corner = |v: &[f64]| vec3(v[0], v[1], v[2]);
        Ok(numbers.chunks(stride).filter(|v| v.len() >= 3).map(corner).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two instances of one point (1, 2, 3): by matrix and translation, and by rotation and scale, in centimetres.
    fn file(nodes: &str) -> String {
        format!(
            r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
            <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
            <library_geometries><geometry id="g"><mesh>
              <source id="p"><float_array id="a" count="3">1 2 3</float_array>
                <technique_common><accessor source="#a" count="1" stride="3"/></technique_common></source>
              <vertices id="v"><input semantic="POSITION" source="#p"/></vertices></mesh></geometry></library_geometries>
            <library_nodes><node id="again"><instance_node url="#again"/></node></library_nodes>
            <library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
        )
    }

    #[test]
    fn units_and_node_transforms_are_applied() {
        let nodes = r##"<node><matrix>0 -1 0 10  1 0 0 20  0 0 1 30  0 0 0 1</matrix>
            <node><translate>1 0 0</translate><instance_geometry url="#g"/></node></node>
            <node><rotate>0 0 2 90</rotate><scale>2 1 1</scale><instance_geometry url="#g"/></node>"##;
        let found = mesh(&file(nodes)).unwrap().vertices;
        // (1, 2, 3) + (1, 0, 0) = (2, 2, 3) ↦ (−2 + 10, 2 + 20, 3 + 30); (2, 2, 3) turned by 90° about z: (−2, 2, 3).
        let expected = [vec3(0.08, 0.22, 0.33), vec3(-0.02, 0.02, 0.03)];
        assert!(found.iter().zip(expected).all(|(a, b)| (*a - b).norm() < 1e-8), "{found:?}");
        assert_eq!(found.len(), 2);
    }

    /// Two geometries without an id, in a file without a scene: the points (1, 2, 3) and (4, 5, 6) cm.
    #[test]
    fn geometries_without_an_id_are_distinct() {
        let geometry = |k: usize, point: &str| {
            format!(
                r##"<geometry><mesh><source id="p{k}"><float_array>{point}</float_array></source>
                <vertices><input semantic="POSITION" source="#p{k}"/></vertices></mesh></geometry>"##
            )
        };
        let both = geometry(1, "1 2 3") + &geometry(2, "4 5 6");
        let text = format!(
            r##"<COLLADA><asset><unit meter="0.01"/></asset><library_geometries>{both}</library_geometries></COLLADA>"##
        );
        let found = mesh(&text).unwrap().vertices;
        let expected = [vec3(0.01, 0.02, 0.03), vec3(0.04, 0.05, 0.06)];
        assert!(found.len() == 2 && found.iter().zip(expected).all(|(a, b)| (*a - b).norm() < 1e-8), "{found:?}");
    }

    /// A square as a polygon list with normals between its vertices, then as a triangle and a polygon, then beyond its vertices.
    #[test]
    fn polygons_become_triangles() {
        let square = |primitives: &str| {
            let text = file(r##"<node><instance_geometry url="#g"/><instance_geometry url="#g"/></node>"##);
            let text = text.replace("1 2 3</float_array>", "0 0 0 1 0 0 1 1 0 0 1 0</float_array>");
            mesh(&text.replace("</mesh>", &format!("{primitives}</mesh>"))).unwrap().faces
        };
        let inputs =
            r##"<input semantic="NORMAL" source="#n" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>"##;
        let list = format!("<polylist count=\"1\">{inputs}<vcount>4</vcount><p>9 0 9 1 9 2 9 3</p></polylist>");
        assert_eq!(square(&list), [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], "two instances");
        let own = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
        let mixed = format!("<triangles>{own}<p>0 1 2</p></triangles><polygons>{own}<p>0 2 3</p></polygons>");
        assert_eq!(square(&mixed), square(&list));
        let beyond = format!("<triangles>{own}<p>0 1 4 0 1 x 0 1</p></triangles>");
        assert!(square(&beyond).is_empty());
        let endless = format!("<polylist>{own}<vcount>18446744073709551615 4</vcount><p>0 1 2</p></polylist>");
        assert!(square(&endless).is_empty());
    }

    #[test]
    fn hostile_files_are_refused() {
        for (nodes, why) in [
            (r##"<node><instance_node url="#again"/></node>"##, "nested deeper"),
            (r##"<node><instance_geometry url="#none"/></node>"##, "no element `#none`"),
            (r##"<node><translate>1 0</translate></node>"##, "not a number"),
            ("", "no vertices"),
        ] {
            assert!(mesh(&file(nodes)).unwrap_err().contains(why), "{nodes}");
        }
        assert!(mesh("<COLLADA").is_err() && mesh("<a/>").is_err() && mesh("").is_err());
    }
}
