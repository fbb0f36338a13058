//! A scene as PNG at 300 dots per inch on white, by tiny-skia.

use crate::scene::{Label, Node, Outline, Paint as Painted, Scene, Shape};
use crate::style::Rgb;
use crate::text::{FACE, glyphs};
use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter, PixelDimensions, Unit};
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke, StrokeDash};
use tiny_skia::{PixmapMut, Transform};

/// Dots per point: 300 per inch.
const SCALE: f32 = 300.0 / 72.0;
/// 300 dots per inch, in dots per metre.
const DOTS_PER_METRE: u32 = 11_811;
/// Rows of a drawing repeat as they are. Without filters level 1 takes a sixth of the time of the usual settings and
/// makes files a quarter longer; higher levels take three times as long as 1.
const COMPRESSION: (DeflateCompression, Filter) = (DeflateCompression::Level(1), Filter::NoFilter);

/// The picture as pixels of its size in print, with `comments`, which say what it shows, as text.
pub(super) fn png(scene: &Scene, comments: &[String]) -> Result<Vec<u8>, String> {
    let pixels = |points: f64| (points as f32 * SCALE).ceil() as u32;
    let mut pixmap = Pixmap::new(pixels(scene.width), pixels(scene.height)).ok_or("the drawing has no size")?;
    pixmap.fill(Color::WHITE);
    for node in &scene.nodes {
        match node {
            Node::Text(label) => draw_text(&mut pixmap.as_mut(), label),
            Node::Group(group) if group.opacity < 1.0 => {
                let mut layer = Pixmap::new(pixmap.width(), pixmap.height()).ok_or("the drawing has no size")?;
                group.shapes.iter().for_each(|shape| draw_shape(&mut layer.as_mut(), shape, &group.dash));
                let paint = PixmapPaint { opacity: group.opacity as f32, ..PixmapPaint::default() };
                pixmap.draw_pixmap(0, 0, layer.as_ref(), &paint, Transform::identity(), None);
            }
            Node::Group(group) => {
                group.shapes.iter().for_each(|shape| draw_shape(&mut pixmap.as_mut(), shape, &group.dash));
            }
        }
    }
    encode(&pixmap, comments).map_err(|error| error.to_string())
}

fn paint((red, green, blue): Rgb, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn draw_shape(pixmap: &mut PixmapMut<'_>, shape: &Shape, dash: &[f64]) {
    let Some(path) = path(&shape.outline) else { return };
    let scale = Transform::from_scale(SCALE, SCALE);
    match shape.paint {
        Painted::Fill(color, opacity) => {
            pixmap.fill_path(&path, &paint(color, opacity), FillRule::Winding, scale, None);
        }
        Painted::Stroke(color, width) => {
            let dash = StrokeDash::new(dash.iter().map(|length| *length as f32).collect(), 0.0);
            let stroke = Stroke { width: width as f32, line_join: LineJoin::Round, dash, ..Stroke::default() };
            pixmap.stroke_path(&path, &paint(color, 1.0), &stroke, scale, None);
        }
    }
}

fn path(outline: &Outline) -> Option<Path> {
    let mut path = PathBuilder::new();
    match outline {
        Outline::Line(points) | Outline::Polygon(points) => {
            let mut points = points.iter().map(|&(x, y)| (x as f32, y as f32));
            let (x, y) = points.next()?;
            path.move_to(x, y);
            points.for_each(|(x, y)| path.line_to(x, y));
            if matches!(outline, Outline::Polygon(_)) {
                path.close();
            }
        }
        Outline::Rectangle([(left, top), (right, bottom)]) => {
            path.push_rect(Rect::from_ltrb(*left as f32, *top as f32, *right as f32, *bottom as f32)?);
        }
        Outline::Circle((x, y), radius) => path.push_circle(*x as f32, *y as f32, *radius as f32),
    }
    path.finish()
}

/// The outline of a glyph in the font's units.
struct Glyph(PathBuilder);

impl ttf_parser::OutlineBuilder for Glyph {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

fn draw_text(pixmap: &mut PixmapMut<'_>, label: &Label) {
    let Some(face) = FACE.as_ref() else { return };
    let before = label.before();
    let paint = paint(label.color, 1.0);
    let (sin, cos) = if label.upward { (-1.0, 0.0) } else { (0.0, 1.0) };
    let place = Transform::from_row(cos, sin, -sin, cos, label.at.0 as f32, label.at.1 as f32);
    let place = place.post_scale(SCALE, SCALE);
    for run in label.words.placed(label.size) {
        let mut left = run.left - before;
        let scale = run.size as f32 / f32::from(face.units_per_em());
        for (id, advance) in glyphs(run.text) {
            let mut glyph = Glyph(PathBuilder::new());
            face.outline_glyph(id, &mut glyph);
            // Glyphs are drawn upwards from their baseline.
            let at = place.pre_translate(left as f32, run.down as f32).pre_scale(scale, -scale);
            if let Some(path) = glyph.0.finish() {
                pixmap.fill_path(&path, &paint, FillRule::Winding, at, None);
            }
            left += advance * run.size;
        }
    }
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
