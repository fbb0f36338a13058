//! The drawing as a PGF picture: shapes as they are, text set by LaTeX. For the kinds of figures that are no lines over axes.

use crate::text::latex_escape;
use std::fmt::Write;
use usvg::tiny_skia_path::{Path, PathSegment, Point, Transform};
use usvg::{Fill, Group, Node, Paint, Stroke, Text, TextAnchor, Tree};

/// The places of the labels are made for letters as wide as those of the vector figure, which Times has and Computer Modern has not.
const HEAD: &str = "% Needs \\usepackage{tikz}. One unit is a big point (1/72 in); the bounding box is the figure's exact size. Labels are\n\
% set in Times, in whose widths they were placed; another \\newcommand{\\fedbitsfont}{...} before this file changes that.\n\
\\providecommand{\\fedbitsfont}{\\fontfamily{ptm}\\selectfont}\n";

/// The source; `comments` stand before it.
pub(crate) fn picture(tree: &Tree, comments: &[String]) -> String {
    let mut out = Source::default();
    comments.iter().for_each(|line| out.line(&format!("% {line}")));
    out.0.push_str(HEAD);
    out.line("\\begin{tikzpicture}[x=1bp, y=-1bp, inner sep=0pt, outer sep=0pt]");
    let (width, height) = (tree.size().width(), tree.size().height());
    out.line(&format!("\\useasboundingbox (0,0) rectangle ({width},{height});"));
    out.group(tree.root());
    out.line("\\end{tikzpicture}");
    out.0
}

/// LaTeX under way.
#[derive(Default)]
struct Source(String);

impl Source {
    fn line(&mut self, text: &str) {
        writeln!(self.0, "{text}").expect("a string takes everything");
    }

    fn group(&mut self, group: &Group) {
        let opacity = group.opacity().get();
        let pale = opacity < 1.0;
        if pale {
            self.line(&format!("\\begin{{scope}}[transparency group, opacity={opacity:.2}]"));
        }
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.text(text),
                Node::Image(_) => {}
            }
        }
        if pale {
            self.line("\\end{scope}");
        }
    }

    fn path(&mut self, path: &usvg::Path) {
        let transform = path.abs_transform();
        let mut options = Vec::new();
        path.fill().into_iter().for_each(|fill| options.extend(fill_options(fill)));
        path.stroke().into_iter().for_each(|stroke| options.extend(stroke_options(stroke, transform)));
        if !options.is_empty() {
            self.line(&format!("\\path[{}] {};", options.join(", "), segments(path.data(), transform)));
        }
    }

    /// A node per chunk, its baseline at the chunk's place; what is set smaller than the first run is a superscript.
    fn text(&mut self, text: &Text) {
        let transform = text.abs_transform();
        for chunk in text.chunks() {
            let Some(first) = chunk.spans().first() else { continue };
            let scale = (transform.sx * transform.sx + transform.ky * transform.ky).sqrt();
            let size = first.font_size().get() * scale;
            let at = mapped(transform, Point::from_xy(chunk.x().unwrap_or(0.0), chunk.y().unwrap_or(0.0)));
            let anchor = match chunk.anchor() {
                TextAnchor::Start => "base west",
                TextAnchor::Middle => "base",
                TextAnchor::End => "base east",
            };
            let upward = if transform.ky.abs() > transform.sx.abs() { ", rotate=90" } else { "" };
            let color = first.fill().map(|fill| color(fill.paint())).unwrap_or_default();
            let words: String = chunk
                .spans()
                .iter()
                .map(|span| {
                    let part = latex_escape(&chunk.text()[span.start()..span.end()]);
                    let raised = span.font_size().get() < 0.9 * first.font_size().get();
                    if raised { format!("\\textsuperscript{{{part}}}") } else { part }
                })
                .collect();
            let (x, y) = at;
            self.line(&format!(
                "\\node[anchor={anchor}{upward}, text={color}, font=\\fedbitsfont\\fontsize{{{size:.1}bp}}{{{size:.1}bp}}\\selectfont] \
                 at ({x:.2},{y:.2}) {{{words}}};"
            ));
        }
    }
}

fn fill_options(fill: &Fill) -> Vec<String> {
    let mut options = vec![format!("fill={}", color(fill.paint()))];
    if fill.opacity().get() < 1.0 {
        options.push(format!("fill opacity={:.2}", fill.opacity().get()));
    }
    options
}

fn stroke_options(stroke: &Stroke, transform: Transform) -> Vec<String> {
    let scale = (transform.sx * transform.sx + transform.ky * transform.ky).sqrt();
    let mut options = vec![
        format!("draw={}", color(stroke.paint())),
        format!("line width={:.2}bp", stroke.width().get() * scale),
        "line join=round".to_owned(),
    ];
    if stroke.opacity().get() < 1.0 {
        options.push(format!("draw opacity={:.2}", stroke.opacity().get()));
    }
    if let Some(dashes) = stroke.dasharray() {
        let part = |(index, length): (usize, &f32)| {
            format!("{} {:.2}bp", if index % 2 == 0 { "on" } else { "off" }, length * scale)
        };
        let pattern: Vec<String> = dashes.iter().enumerate().map(part).collect();
        options.push(format!("dash pattern={}", pattern.join(" ")));
    }
    options
}

fn color(paint: &Paint) -> String {
    match paint {
        Paint::Color(color) => format!("{{rgb,255:red,{};green,{};blue,{}}}", color.red, color.green, color.blue),
        // The drawings have no other paint.
        _ => "black".to_owned(),
    }
}

fn segments(path: &Path, transform: Transform) -> String {
    let place = |point: Point| {
        let (x, y) = mapped(transform, point);
        format!("({x:.2},{y:.2})")
    };
    let part = |segment: PathSegment| match segment {
        PathSegment::MoveTo(to) => place(to),
        PathSegment::LineTo(to) => format!(" -- {}", place(to)),
        PathSegment::QuadTo(by, to) => format!(" .. controls {} .. {}", place(by), place(to)),
        PathSegment::CubicTo(by, and, to) => format!(" .. controls {} and {} .. {}", place(by), place(and), place(to)),
        PathSegment::Close => " -- cycle".to_owned(),
    };
    path.segments().map(part).collect()
}

fn mapped(transform: Transform, mut point: Point) -> (f32, f32) {
    transform.map_point(&mut point);
    (point.x, point.y)
}
