//! PNG at 300 dots per inch on white.

use resvg::tiny_skia::{Color, Pixmap, Transform};

/// Dots per point: 300 per inch.
const SCALE: f32 = 300.0 / 72.0;

/// The drawing as pixels, with `comments` as text.
pub(crate) fn png(tree: &usvg::Tree, comments: &[String]) -> Result<Vec<u8>, String> {
    let pixels = |points: f32| (points * SCALE).ceil() as u32;
    let size = tree.size();
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the drawing has no size")?;
    pixmap.fill(Color::WHITE);
    resvg::render(tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    let bytes = pixmap.encode_png().map_err(|error| error.to_string())?;
    Ok(with_chunks(&bytes, &comments.join("\n")))
}

/// Length of a PNG's signature and its first chunk, IHDR, which is always of the same size.
const HEADER: usize = 8 + 25;
/// 300 dots per inch, in dots per metre.
const DOTS_PER_METRE: u32 = 11_811;

/// Adds the chunks pHYs (PNG specification, 11.3.4.3), so that the picture has its size in print, and iTXt (11.3.3.4)
/// with what it shows.
fn with_chunks(png: &[u8], comments: &str) -> Vec<u8> {
    let density = DOTS_PER_METRE.to_be_bytes();
    let size = chunk(b"pHYs", &[&density[..], &density, &[1]].concat());
    // Keyword, neither compressed nor translated, no language.
    let text = chunk(b"iTXt", &[&b"Source\0\0\0\0\0"[..], comments.as_bytes()].concat());
    [&png[..HEADER], &size, &text, &png[HEADER..]].concat()
}

/// Length, name, content and check sum.
fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes();
    let body = [&name[..], content].concat();
    [&length[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat()
}
