//! Conversion of SVG to PNG.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};
use std::collections::BTreeSet;
use ttf_parser::Face;

/// Why an SVG could not be rasterised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("cannot draw the image: {0}")]
pub struct PngError(String);

/// PNG pixels per SVG pixel.
const SCALE: f32 = 2.0;

/// The image at twice its size on white, with the built-in DejaVu Sans. Characters that it lacks come from the system's
/// fonts; a character that no font has is an error.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let error = |what: &str| PngError(what.to_string());
    let mut options = Options { font_family: "DejaVu Sans".to_string(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    if !missing_characters(fonts, svg).is_empty() {
        fonts.load_system_fonts();
        let lacking: Vec<String> =
            missing_characters(fonts, svg).iter().map(|c| format!("`{c}` (U+{:04X})", *c as u32)).collect();
        if !lacking.is_empty() {
            let lacking = lacking.join(", ");
            return Err(error(&format!("no font has {lacking}; install such a font or write .svg")));
        }
    }
    let tree = Tree::from_str(svg, &options).map_err(|e| error(&e.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or_else(|| error("the image has no size"))?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or_else(|| error("the image has no size"))?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| error(&e.to_string()))
}

/// The characters that no font has.
fn missing_characters(fonts: &Database, svg: &str) -> BTreeSet<char> {
    let mut lacking: BTreeSet<char> = svg.chars().filter(|c| !c.is_ascii() && !c.is_whitespace()).collect();
    for face in fonts.faces() {
        if lacking.is_empty() {
            break;
        }
        fonts.with_face_data(face.id, |data, index| {
            if let Ok(face) = Face::parse(data, index) {
                lacking.retain(|c| face.glyph_index(*c).is_none());
            }
        });
    }
    lacking
}
