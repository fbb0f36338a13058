//! A scene as SVG on white. Coordinates are whole hundredths of a point, which keeps the text short and the same
//! everywhere.

use crate::scene::{Anchor, Label, Node, Outline, Paint, Point, Scene, SceneGroup, Shape, UNITS_PER_POINT, units};
use crate::style::{BLACK, hex};
use crate::text::{FAMILY, FONT, escape};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

/// The file, with the font inside and `description` as metadata.
pub(crate) fn file(scene: &Scene, description: &str) -> String {
    let head = format!("<metadata>{}</metadata>\n<style>{}</style>\n", escape(description), font_face());
    element(scene, "", &head)
}

/// The picture as an element of a page that has the font: `attributes` stand in its first tag.
pub(crate) fn element(scene: &Scene, attributes: &str, head: &str) -> String {
    let (width, height) = (units(scene.width), units(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {attributes}width=\"{}pt\" height=\"{}pt\" viewBox=\"0 0 {width} \
         {height}\" font-family=\"'{FAMILY}', STIXGeneral, 'STIX Two Text', serif\" fill=\"#000000\">\n{head}<rect \
         width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        f64::from(width) / UNITS_PER_POINT,
        f64::from(height) / UNITS_PER_POINT,
    );
    for node in &scene.nodes {
        match node {
            Node::Group(shapes) => group(&mut out, shapes),
            Node::Text(label) => text(&mut out, label),
        }
    }
    out + "</svg>\n"
}

/// The font as part of a file, so that text stays text and looks the same everywhere.
pub(crate) fn font_face() -> String {
    format!(
        "@font-face{{font-family:'{FAMILY}';src:url(data:font/otf;base64,{}) format('opentype')}}",
        STANDARD.encode(FONT)
    )
}

fn group(out: &mut String, SceneGroup { class, dash, opacity, shapes }: &SceneGroup) {
    let _ = write!(out, "<g class=\"{class}\" stroke-linejoin=\"round\"");
    if !dash.is_empty() {
        let lengths: Vec<String> = dash.iter().map(|length| units(*length).to_string()).collect();
        let _ = write!(out, " stroke-dasharray=\"{}\"", lengths.join(" "));
    }
    if *opacity < 1.0 {
        let _ = write!(out, " opacity=\"{opacity}\"");
    }
    out.push_str(">\n");
    shapes.iter().for_each(|one| shape(out, one));
    out.push_str("</g>\n");
}

fn shape(out: &mut String, Shape { outline, paint }: &Shape) {
    let painted = match *paint {
        Paint::Stroke(color, width) => {
            format!("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"", hex(color), units(width))
        }
        Paint::Fill(color, opacity) if opacity < 1.0 => format!("fill=\"{}\" opacity=\"{opacity}\"", hex(color)),
        Paint::Fill(color, _) => format!("fill=\"{}\"", hex(color)),
    };
    let list = |points: &[Point]| {
        points.iter().map(|&(x, y)| format!("{},{}", units(x), units(y))).collect::<Vec<_>>().join(" ")
    };
    let _ = match outline {
        Outline::Line(points) => writeln!(out, "<polyline {painted} points=\"{}\"/>", list(points)),
        Outline::Polygon(points) => writeln!(out, "<polygon {painted} points=\"{}\"/>", list(points)),
        Outline::Rectangle([(left, top), (right, bottom)]) => {
            let (x, y, width, height) = (units(*left), units(*top), units(right - left), units(bottom - top));
            writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {painted}/>")
        }
        Outline::Circle((x, y), radius) => {
            writeln!(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {painted}/>", units(*x), units(*y), units(*radius))
        }
    };
}

fn text(out: &mut String, label: &Label) {
    let (x, y) = (units(label.at.0), units(label.at.1));
    let place = match label.upward {
        true => format!("transform=\"translate({x} {y}) rotate(-90)\""),
        false => format!("x=\"{x}\" y=\"{y}\""),
    };
    let anchor = match label.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let color = if label.color == BLACK { String::new() } else { format!(" fill=\"{}\"", hex(label.color)) };
    let title = label.full.iter().map(|full| format!("<title>{}</title>", escape(full))).collect::<String>();
    // A shift holds for what follows in its line, too: each run undoes that of the one before.
    let mut before = 0;
    let runs: String = label
        .words
        .placed(label.size)
        .into_iter()
        .map(|run| {
            let (down, words) = (units(run.down), escape(run.text));
            let shift = down - std::mem::replace(&mut before, down);
            match (shift, run.size < label.size) {
                (0, false) => words,
                (_, false) => format!("<tspan dy=\"{shift}\">{words}</tspan>"),
                (_, true) => format!("<tspan dy=\"{shift}\" font-size=\"{}\">{words}</tspan>", units(run.size)),
            }
        })
        .collect();
    let _ = writeln!(out, "<text {place} font-size=\"{}\"{color}{anchor}>{title}{runs}</text>", units(label.size));
}
