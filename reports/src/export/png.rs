//! PNG at 300 dots per inch on white.

use resvg::tiny_skia::{Color, Pixmap, Transform};

/// Dots per point: 300 per inch.
const SCALE: f32 = 300.0 / 72.0;

/// The drawing as pixels.
pub(crate) fn png(tree: &usvg::Tree) -> Result<Vec<u8>, String> {
    let pixels = |points: f32| (points * SCALE).ceil() as u32;
    let size = tree.size();
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the drawing has no size")?;
    pixmap.fill(Color::WHITE);
    resvg::render(tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| error.to_string())
}
