//! A scene as a PGF picture: shapes as they are, text set by LaTeX. It reads no other file, defines nothing that
//! another picture could meet, and is as large as the drawing.
//!
//! PGF's basic layer is used and not TikZ, whose syntax fails where babel makes `;` or `"` active, and which takes five
//! times as long over lines of many points.

use crate::latex::latex;
use crate::scene::{Anchor, Label, Node, Outline, Paint, Point, Scene, Shape};
use crate::style::{BLACK, Rgb};
use crate::text::{LOWERED, SUPERSCRIPT};
use crate::words::trimmed;

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
\\def\\fbO(#1,#2)#3{\\pgfpathcircle{\\pgfqpoint{#1bp}{#2bp}}{#3bp}}%\n\
\\def\\fbT(#1,#2)#3#4#5#6{\\pgftext[x=#1bp,y=#2bp,base,#3]{\\sbox0{\\fedbitsfont\\fontsize{#4}{#4}\\selectfont#6}%\n\
\\ifdim\\wd0>#5bp\\resizebox{#5bp}{\\height}{\\copy0}\\else\\copy0\\fi}}%\n\
\\def\\fbS#1#2#3{\\raisebox{#1bp}{\\fontsize{#2}{#2}\\selectfont#3}}%\n\
\\begin{pgfpicture}\n";

/// The source; `comments` stand before it.
pub(super) fn picture(scene: &Scene, comments: &[String]) -> String {
    let (width, height) = (scene.width, scene.height);
    let mut out = PgfSource { text: String::new(), height };
    comments.iter().for_each(|line| out.line(&format!("% {line}")));
    out.text.push_str(HEAD);
    let corner = format!("\\pgfqpoint{{{}bp}}{{{}bp}}", short(width), short(height));
    out.line(&format!("\\pgfpathrectangle{{\\pgfpointorigin}}{{{corner}}}\\pgfusepath{{use as bounding box}}"));
    for node in &scene.nodes {
        match node {
            Node::Text(label) => out.label(label),
            Node::Group(group) => {
                let opacity = group.opacity;
                if opacity < 1.0 {
                    out.line("\\begin{pgfscope}");
                    out.line(&format!("\\pgfsetfillopacity{{{opacity:.2}}}\\pgfsetstrokeopacity{{{opacity:.2}}}"));
                    out.line("\\begin{pgftransparencygroup}");
                }
                group.shapes.iter().for_each(|shape| out.shape(shape, &group.dash));
                if opacity < 1.0 {
                    out.line("\\end{pgftransparencygroup}\\end{pgfscope}");
                }
            }
        }
    }
    out.line("\\end{pgfpicture}%\n\\endgroup");
    out.text
}

/// LaTeX in progress.
struct PgfSource {
    text: String,
    /// Of the drawing, whose y grows downwards; in points.
    height: f64,
}

impl PgfSource {
    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn shape(&mut self, Shape { outline, paint }: &Shape, dash: &[f64]) {
        let (settings, usage) = match *paint {
            Paint::Fill(color, opacity) => (filling(color, opacity), "fill"),
            Paint::Stroke(color, width) => (stroking(color, width, dash), "stroke"),
        };
        self.line(&format!("\\begin{{pgfscope}}{settings}%"));
        let at = |point: &Point| self.position(*point);
        let parts: Vec<String> = match outline {
            Outline::Line(points) | Outline::Polygon(points) => {
                let sign = |number: usize| if number == 0 { 'M' } else { 'L' };
                let parts =
                    points.iter().enumerate().map(|(number, point)| format!("\\fb{}{}", sign(number), at(point)));
                let closed = matches!(outline, Outline::Polygon(_)).then(|| "\\pgfpathclose".to_owned());
                parts.chain(closed).collect()
            }
            Outline::Rectangle([(x, y), (to_x, to_y)]) => {
                let corners = [(*x, *y), (*to_x, *y), (*to_x, *to_y), (*x, *to_y)];
                let [one, two, three, four] = corners.map(|corner| at(&corner));
                vec![format!("\\fbM{one}\\fbL{two}\\fbL{three}\\fbL{four}\\pgfpathclose")]
            }
            Outline::Circle(center, radius) => vec![format!("\\fbO{}{{{}}}", at(center), short(*radius))],
        };
        // Lines that an editor opens.
        parts.chunks(6).for_each(|parts| self.line(&format!("{}%", parts.concat())));
        self.line(&format!("\\pgfusepath{{{usage}}}\\end{{pgfscope}}"));
    }

    /// A text with its baseline at its position, narrowed to the width that was measured.
    fn label(&mut self, label: &Label) {
        let anchor = match label.anchor {
            Anchor::Start => "left",
            Anchor::Middle => "",
            Anchor::End => "right",
        };
        let upward = if label.upward { ",rotate=90" } else { "" };
        let (red, green, blue) = label.color;
        let color = match label.color {
            BLACK => String::new(),
            _ => format!("\\color[RGB]{{{red},{green},{blue}}}"),
        };
        let (at, room) = (self.position(label.at), label.words.width(label.size));
        let (size, words) = (short(label.size), words(label));
        self.line(&format!("\\fbT{at}{{{anchor}{upward}}}{{{size}}}{{{}}}{{{color}{words}}}", short(room)));
    }

    /// A point on the page, upwards from its lower edge.
    fn position(&self, (x, y): Point) -> String {
        format!("({},{})", short(x), short(self.height - y))
    }
}

/// Hundredths of a point, without zeros at the end.
fn short(value: f64) -> String {
    match trimmed(&format!("{value:.2}")) {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// The runs of a text.
fn words(label: &Label) -> String {
    let run = |run: crate::text::PlacedRun<'_>| {
        if run.down == 0.0 {
            return latex(run.text);
        }
        // The minus of mathematics is wider than that of Times, which is its dash.
        let part = latex(&run.text.replace('\u{2212}', "\u{2013}"));
        // Whole sizes of at least 5 pt are those that LaTeX has for mathematics; Times has any.
        let size = if part.contains('$') { run.size.round().max(5.0) } else { run.size };
        let up = if run.down > 0.0 { -LOWERED } else { SUPERSCRIPT.1 };
        format!("\\fbS{{{:.2}}}{{{}}}{{{part}}}", up * label.size, short(size))
    };
    label.words.placed(label.size).into_iter().map(run).collect()
}

fn filling((red, green, blue): Rgb, opacity: f64) -> String {
    let out = format!("\\definecolor{{fedbits}}{{RGB}}{{{red},{green},{blue}}}\\pgfsetfillcolor{{fedbits}}");
    if opacity < 1.0 { format!("{out}\\pgfsetfillopacity{{{opacity:.2}}}") } else { out }
}

fn stroking((red, green, blue): Rgb, width: f64, dash: &[f64]) -> String {
    let mut out = format!("\\definecolor{{fedbits}}{{RGB}}{{{red},{green},{blue}}}\\pgfsetstrokecolor{{fedbits}}");
    out += &format!("\\pgfsetlinewidth{{{}bp}}\\pgfsetroundjoin", short(width));
    if !dash.is_empty() {
        let lengths: String = dash.iter().map(|length| format!("{{{}bp}}", short(*length))).collect();
        out += &format!("\\pgfsetdash{{{lengths}}}{{0bp}}");
    }
    out
}
