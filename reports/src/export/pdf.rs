//! A scene as PDF with its texts as text, by krilla.

use crate::scene::{Label, Node, Outline, Paint, Scene, Shape};
use crate::style::Rgb;
use crate::text::{FONT, glyphs};
use krilla::color::rgb;
use krilla::geom::{Path, PathBuilder, Point, Rect, Transform};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, LineJoin, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use krilla::{Document, SerializeSettings};

/// A quarter of a circle as a cubic curve: distance of its control points from its ends, in radii.
const QUARTER: f64 = 0.552_284_749_831;
/// Where quarters of a circle begin and end, in radii.
const QUARTERS: [(f64, f64); 5] = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)];

/// The picture on one page of its size; `title` and `comments`, which say what it shows, are its metadata.
pub(super) fn pdf(scene: &Scene, title: &str, comments: &[String]) -> Result<Vec<u8>, String> {
    let size = (scene.width as f32, scene.height as f32);
    let settings = PageSettings::from_wh(size.0, size.1).ok_or("the drawing has no size")?;
    let font = Font::new(FONT.to_vec().into(), 0).ok_or("the figures' font cannot be read")?;
    let mut document = Document::new_with(SerializeSettings::default());
    let mut page = document.start_page_with(settings);
    let mut surface = page.surface();
    for node in &scene.nodes {
        match node {
            Node::Text(label) => draw_text(&mut surface, label, &font),
            Node::Group(group) => {
                let is_pale = group.opacity < 1.0;
                if is_pale {
                    surface.push_opacity(share(group.opacity));
                }
                group.shapes.iter().for_each(|shape| draw_shape(&mut surface, shape, &group.dash));
                if is_pale {
                    surface.pop();
                }
            }
        }
    }
    surface.finish();
    page.finish();
    let metadata = Metadata::new().title(title.to_owned()).creator("fedbits".to_owned());
    let (origin, runs) = comments.split_at(1.min(comments.len()));
    document.set_metadata(metadata.keywords(origin.to_vec()).description(runs.join("\n")));
    document.finish().map_err(|error| format!("{error:?}"))
}

fn share(opacity: f64) -> NormalizedF32 {
    NormalizedF32::new(opacity as f32).unwrap_or(NormalizedF32::ONE)
}

fn filling((red, green, blue): Rgb, opacity: f64) -> Fill {
    Fill { paint: rgb::Color::new(red, green, blue).into(), opacity: share(opacity), ..Fill::default() }
}

fn draw_shape(surface: &mut Surface<'_>, Shape { outline, paint }: &Shape, dash: &[f64]) {
    let Some(path) = path(outline) else { return };
    match *paint {
        Paint::Fill(color, opacity) => {
            surface.set_fill(Some(filling(color, opacity)));
            surface.set_stroke(None);
        }
        Paint::Stroke((red, green, blue), width) => {
            let array: Vec<f32> = dash.iter().map(|length| *length as f32).collect();
            surface.set_fill(None);
            surface.set_stroke(Some(Stroke {
                paint: rgb::Color::new(red, green, blue).into(),
                width: width as f32,
                line_join: LineJoin::Round,
                dash: (!array.is_empty()).then_some(StrokeDash { array, offset: 0.0 }),
                ..Stroke::default()
            }));
        }
    }
    surface.draw_path(&path);
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
        Outline::Circle((x, y), radius) => {
            let at = |dx: f64, dy: f64| ((x + dx * radius) as f32, (y + dy * radius) as f32);
            let start = at(1.0, 0.0);
            path.move_to(start.0, start.1);
            for ends in QUARTERS.windows(2) {
                let [(ax, ay), (bx, by)] = [ends[0], ends[1]];
                let (one, two) = (at(ax + QUARTER * bx, ay + QUARTER * by), at(bx + QUARTER * ax, by + QUARTER * ay));
                let end = at(bx, by);
                path.cubic_to(one.0, one.1, two.0, two.1, end.0, end.1);
            }
            path.close();
        }
    }
    path.finish()
}

fn draw_text(surface: &mut Surface<'_>, label: &Label, font: &Font) {
    let before = label.before();
    surface.set_fill(Some(filling(label.color, 1.0)));
    surface.set_stroke(None);
    let (x, y) = (label.at.0 as f32, label.at.1 as f32);
    // Upwards is to the right in the turned coordinates.
    let (sin, cos) = if label.upward { (-1.0, 0.0) } else { (0.0, 1.0) };
    surface.push_transform(&Transform::from_row(cos, sin, -sin, cos, x, y));
    for run in label.words.placed(label.size) {
        let starts = run.text.char_indices().map(|(start, character)| start..start + character.len_utf8());
        let glyph = |((id, advance), range): ((ttf_parser::GlyphId, f64), _)| {
            KrillaGlyph::new(GlyphId::new(u32::from(id.0)), advance as f32, 0.0, 0.0, 0.0, range, None)
        };
        let glyphs: Vec<KrillaGlyph> = glyphs(run.text).into_iter().zip(starts).map(glyph).collect();
        let start = Point::from_xy((run.left - before) as f32, run.down as f32);
        surface.draw_glyphs(start, &glyphs, font.clone(), run.text, run.size as f32, false);
    }
    surface.pop();
}
