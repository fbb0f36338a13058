//! PNG at 300 dots per inch on white.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter, PixelDimensions, Unit};
use resvg::tiny_skia::{Color, Pixmap, Transform};

/// Dots per point: 300 per inch.
const SCALE: f32 = 300.0 / 72.0;
/// 300 dots per inch, in dots per metre.
const DOTS_PER_METRE: u32 = 11_811;
/// Rows of a drawing repeat as they are. Without filters level 1 takes a sixth of the time of the usual settings and
/// makes files a quarter longer; higher levels take three times as long as 1.
const COMPRESSION: (DeflateCompression, Filter) = (DeflateCompression::Level(1), Filter::NoFilter);

/// The drawing as pixels of its size in print, with `comments`, which say what it shows, as text.
pub(super) fn png(tree: &usvg::Tree, comments: &[String]) -> Result<Vec<u8>, String> {
    let pixels = |points: f32| (points * SCALE).ceil() as u32;
    let size = tree.size();
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the drawing has no size")?;
    pixmap.fill(Color::WHITE);
    resvg::render(tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    encode(&pixmap, comments).map_err(|error| error.to_string())
}

fn encode(pixmap: &Pixmap, comments: &[String]) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(COMPRESSION.0);
    encoder.set_filter(COMPRESSION.1);
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: DOTS_PER_METRE, yppu: DOTS_PER_METRE, unit: Unit::Meter }));
    encoder.add_itxt_chunk("Source".to_owned(), comments.join("\n"))?;
    // On white nothing shows through.
    let colors: Vec<u8> = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colors)?;
    writer.finish()?;
    Ok(bytes)
}
