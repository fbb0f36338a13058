//! The drawing as a PGF picture: shapes as they are, text set by LaTeX. It reads no other file, defines nothing that
//! another picture could meet, and is as large as the drawing.
//!
//! PGF's basic layer is used and not TikZ, whose syntax fails where babel makes `;` or `"` active, and which takes five
//! times as long over lines of many points.

use crate::latex::latex;
use crate::text::{LOWERED, SUPERSCRIPT};
use usvg::tiny_skia_path::{PathSegment, Point, Transform};
use usvg::{Fill, FillRule, Group, LineCap, Node, Paint, Stroke, Text, TextAnchor, TextChunk, Tree};

/// The positions of the labels are made for letters as wide as those of the vector figure, which Times has and Computer
/// Modern has not: a label that LaTeX sets wider, as the mathematics of Computer Modern may be, is narrowed to the
/// width that it was given.
const HEAD: &str = "% Needs \\usepackage{pgf} (or tikz). One unit is a big point (1/72 in); the bounding box is the \
    figure's exact size.\n\
% Labels are set in Times, in whose widths they were placed; another \\newcommand{\\fedbitsfont}{...} before this file \
    changes that.\n\
% A label that is wider all the same is narrowed to its width.\n\
\\providecommand{\\fedbitsfont}{\\fontencoding{T1}\\fontfamily{ptm}\\selectfont}%\n\
\\begingroup\n\
\\def\\fbM(#1,#2){\\pgfpathmoveto{\\pgfqpoint{#1bp}{#2bp}}}%\n\
\\def\\fbL(#1,#2){\\pgfpathlineto{\\pgfqpoint{#1bp}{#2bp}}}%\n\
\\def\\fbC(#1,#2)(#3,#4)(#5,#6){\\pgfpathcurveto\
{\\pgfqpoint{#1bp}{#2bp}}{\\pgfqpoint{#3bp}{#4bp}}{\\pgfqpoint{#5bp}{#6bp}}}%\n\
\\def\\fbQ(#1,#2)(#3,#4){\\pgfpathquadraticcurveto{\\pgfqpoint{#1bp}{#2bp}}{\\pgfqpoint{#3bp}{#4bp}}}%\n\
\\def\\fbT(#1,#2)#3#4#5#6{\\pgftext[x=#1bp,y=#2bp,base,#3]{\\sbox0{\\fedbitsfont\\fontsize{#4}{#4}\\selectfont#6}%\n\
\\ifdim\\wd0>#5bp\\resizebox{#5bp}{\\height}{\\copy0}\\else\\copy0\\fi}}%\n\
\\def\\fbS#1#2#3{\\raisebox{#1bp}{\\fontsize{#2}{#2}\\selectfont#3}}%\n\
\\begin{pgfpicture}\n";

/// The source; `comments` stand before it.
///
/// # Errors
/// The name of a part of the drawing that has no form here.
pub(super) fn picture(tree: &Tree, comments: &[String]) -> Result<String, String> {
    let (width, height) = (tree.size().width(), tree.size().height());
    let mut out = PgfSource { text: String::new(), height };
    comments.iter().for_each(|line| out.line(&format!("% {line}")));
    out.text.push_str(HEAD);
    let corner = format!("\\pgfqpoint{{{width}bp}}{{{height}bp}}");
    out.line(&format!("\\pgfpathrectangle{{\\pgfpointorigin}}{{{corner}}}\\pgfusepath{{use as bounding box}}"));
    out.group(tree.root())?;
    out.line("\\end{pgfpicture}%\n\\endgroup");
    Ok(out.text)
}

/// LaTeX in progress.
struct PgfSource {
    text: String,
    /// Of the drawing, whose y grows downwards; in points.
    height: f32,
}

impl PgfSource {
    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn group(&mut self, group: &Group) -> Result<(), String> {
        if group.clip_path().is_some() || group.mask().is_some() || !group.filters().is_empty() {
            return Err("clipping, masks and filters have no form here".to_owned());
        }
        let opacity = group.opacity().get();
        if opacity < 1.0 {
            self.line("\\begin{pgfscope}");
            self.line(&format!("\\pgfsetfillopacity{{{opacity:.2}}}\\pgfsetstrokeopacity{{{opacity:.2}}}"));
            self.line("\\begin{pgftransparencygroup}");
        }
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner)?,
                Node::Path(path) => self.path(path)?,
                Node::Text(text) => self.labels(text)?,
                Node::Image(_) => return Err("pixels have no form here".to_owned()),
            }
        }
        if opacity < 1.0 {
            self.line("\\end{pgftransparencygroup}\\end{pgfscope}");
        }
        Ok(())
    }

    fn path(&mut self, path: &usvg::Path) -> Result<(), String> {
        let mut settings = String::new();
        let mut uses = Vec::new();
        if let Some(fill) = path.fill() {
            settings.push_str(&filling(fill)?);
            uses.push("fill");
        }
        if let Some(stroke) = path.stroke() {
            settings.push_str(&stroking(stroke, path.abs_transform())?);
            uses.push("stroke");
        }
        if !uses.is_empty() && path.is_visible() {
            self.line(&format!("\\begin{{pgfscope}}{settings}%"));
            self.segments(path);
            self.line(&format!("\\pgfusepath{{{}}}\\end{{pgfscope}}", uses.join(",")));
        }
        Ok(())
    }

    fn segments(&mut self, path: &usvg::Path) {
        let position = |point: Point| self.position(path.abs_transform(), point);
        let part = |segment: PathSegment| match segment {
            PathSegment::MoveTo(to) => format!("\\fbM{}", position(to)),
            PathSegment::LineTo(to) => format!("\\fbL{}", position(to)),
            PathSegment::CubicTo(by, and, to) => format!("\\fbC{}{}{}", position(by), position(and), position(to)),
            PathSegment::QuadTo(by, to) => format!("\\fbQ{}{}", position(by), position(to)),
            PathSegment::Close => "\\pgfpathclose".to_owned(),
        };
        // Lines that an editor opens.
        let parts: Vec<String> = path.data().segments().map(part).collect();
        parts.chunks(6).for_each(|parts| self.line(&format!("{}%", parts.concat())));
    }

    /// A label per chunk, its baseline at the chunk's position; what is set smaller than the first run is a
    /// superscript, or a subscript where it is moved down.
    fn labels(&mut self, text: &Text) -> Result<(), String> {
        let (transform, bounds) = (text.abs_transform(), text.abs_bounding_box());
        for chunk in text.chunks() {
            let Some(first) = chunk.spans().first() else { continue };
            let size = first.font_size().get() * scale(transform);
            let at = self.position(transform, Point::from_xy(chunk.x().unwrap_or(0.0), chunk.y().unwrap_or(0.0)));
            let anchor = match chunk.anchor() {
                TextAnchor::Start => "left",
                TextAnchor::Middle => "",
                TextAnchor::End => "right",
            };
            let upward = if transform.ky.abs() > transform.sx.abs() { ",rotate=90" } else { "" };
            let color = match first.fill() {
                Some(fill) => format!("\\color[RGB]{{{}}}", color(fill.paint())?),
                None => String::new(),
            };
            let room = if upward.is_empty() { bounds.width() } else { bounds.height() };
            let (size, words) = (short(size), words(chunk, text.dy(), size));
            self.line(&format!("\\fbT{at}{{{anchor}{upward}}}{{{size}}}{{{}}}{{{color}{words}}}", short(room)));
        }
        Ok(())
    }

    /// A point on the page, upwards from its lower edge.
    fn position(&self, transform: Transform, mut point: Point) -> String {
        transform.map_point(&mut point);
        format!("({},{})", short(point.x), short(self.height - point.y))
    }
}

/// Hundredths of a point, without zeros at the end.
fn short(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The runs of a chunk whose first one is set at `size` points; `down`: how far each character of its text is moved
/// down.
fn words(chunk: &TextChunk, down: &[f32], size: f32) -> String {
    let spans = chunk.spans();
    let run = |span: &usvg::TextSpan| {
        let text = &chunk.text()[span.start()..span.end()];
        let share = f64::from(span.font_size().get() / spans[0].font_size().get());
        let size = f64::from(size);
        if share >= 0.9 {
            return latex(text);
        }
        // The minus of mathematics is wider than that of Times, which is its dash.
        let part = latex(&text.replace('\u{2212}', "\u{2013}"));
        // Whole sizes of at least 5 pt are those that LaTeX has for mathematics; Times has any.
        let raised = if part.contains('$') { (share * size).round().max(5.0) } else { share * size };
        let first = chunk.text()[..span.start()].chars().count();
        let lowered = down.get(first).is_some_and(|down| *down > 0.0);
        let up = if lowered { -LOWERED } else { SUPERSCRIPT.1 };
        format!("\\fbS{{{:.2}}}{{{}}}{{{part}}}", up * size, short(raised as f32))
    };
    spans.iter().map(run).collect()
}

/// How many points a unit of the shape is.
fn scale(transform: Transform) -> f32 {
    (transform.sx * transform.sx + transform.ky * transform.ky).sqrt()
}

fn filling(fill: &Fill) -> Result<String, String> {
    let mut out = format!("\\definecolor{{fedbits}}{{RGB}}{{{}}}\\pgfsetfillcolor{{fedbits}}", color(fill.paint())?);
    if fill.opacity().get() < 1.0 {
        out += &format!("\\pgfsetfillopacity{{{:.2}}}", fill.opacity().get());
    }
    if fill.rule() == FillRule::EvenOdd {
        out.push_str("\\pgfseteorule");
    }
    Ok(out)
}

fn stroking(stroke: &Stroke, transform: Transform) -> Result<String, String> {
    let scale = scale(transform);
    let mut out =
        format!("\\definecolor{{fedbits}}{{RGB}}{{{}}}\\pgfsetstrokecolor{{fedbits}}", color(stroke.paint())?);
    out += &format!("\\pgfsetlinewidth{{{}bp}}\\pgfsetroundjoin", short(stroke.width().get() * scale));
    match stroke.linecap() {
        LineCap::Butt => {}
        LineCap::Round => out.push_str("\\pgfsetroundcap"),
        LineCap::Square => out.push_str("\\pgfsetrectcap"),
    }
    if stroke.opacity().get() < 1.0 {
        out += &format!("\\pgfsetstrokeopacity{{{:.2}}}", stroke.opacity().get());
    }
    if let Some(dashes) = stroke.dasharray() {
        let lengths: String = dashes.iter().map(|length| format!("{{{}bp}}", short(length * scale))).collect();
        out += &format!("\\pgfsetdash{{{lengths}}}{{{}bp}}", short(stroke.dashoffset() * scale));
    }
    Ok(out)
}

/// Red, green and blue.
fn color(paint: &Paint) -> Result<String, String> {
    match paint {
        Paint::Color(color) => Ok(format!("{},{},{}", color.red, color.green, color.blue)),
        _ => Err("gradients and patterns have no form here".to_owned()),
    }
}
