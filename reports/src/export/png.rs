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
    let bytes = pixmap.encode_png().map_err(|error| error.to_string())?;
    Ok(with_density(&bytes))
}

/// Length of a PNG's signature and its first chunk, IHDR, which is always of the same size.
const HEADER: usize = 8 + 25;
/// 300 dots per inch, in dots per metre.
const DOTS_PER_METRE: u32 = 11_811;

/// Adds the chunk pHYs (PNG specification, 11.3.4.3), so that the picture has its size in print.
fn with_density(png: &[u8]) -> Vec<u8> {
    let density = DOTS_PER_METRE.to_be_bytes();
    let chunk = [&b"pHYs"[..], &density, &density, &[1]].concat();
    let check = crc32fast::hash(&chunk).to_be_bytes();
    [&png[..HEADER], &9u32.to_be_bytes(), &chunk, &check, &png[HEADER..]].concat()
}
