//! pgfplots source that reads the figure's CSV, for authors who want LaTeX to set the figure.

use crate::axes::Scale;
use crate::curves::XAxis;
use crate::figures::{Figure, Panel};
use crate::style::{LineStyle, Look, Marker};
use crate::table::{Line, lines};
use crate::text::latex_escape;
use std::fmt::Write;

const HEAD: &str = r"% Needs \usepackage{pgfplots}, \usepgfplotslibrary{groupplots,fillbetween}, \pgfplotsset{compat=1.18}.
\pgfplotsset{only arm/.style={x filter/.append code={%
  \edef\fedbitsrow{\thisrow{arm}}\edef\fedbitsarm{#1}%
  \ifx\fedbitsrow\fedbitsarm\else\def\pgfmathresult{nan}\fi}}, unbounded coords=discard}
\begin{tikzpicture}
";

/// The source; `provenance` stands in comments.
pub(crate) fn tex(figure: &Figure, look: &Look, provenance: &[String]) -> String {
    let put = "a string takes everything";
    let mut out = String::new();
    for line in provenance {
        writeln!(out, "% {line}").expect(put);
    }
    out.push_str(HEAD);
    let rows = figure.panels.len().div_ceil(look.columns);
    let columns = figure.panels.len().div_ceil(rows);
    let mode = if figure.y_scale == Scale::Log { ", ymode=log" } else { "" };
    writeln!(
        out,
        "\\begin{{groupplot}}[group style={{group size={columns} by {rows}, y descriptions at=edge left}}, \
         width={:.1}pt, height={:.1}pt, scale only axis, axis lines=left{mode}, ylabel={{{}}}, xmin=0, \
         legend columns=-1, legend to name=fedbitslegend, legend style={{draw=none}}]",
        (look.width - 50.0) / columns as f64 - 12.0,
        look.panel_height,
        figure.y_label.latex(),
    )
    .expect(put);
    let all = lines(figure);
    for (index, panel) in figure.panels.iter().enumerate() {
        out.push_str(&panel_source(figure, panel, &all, index == 0));
    }
    out.push_str("\\end{groupplot}\n\\end{tikzpicture}\n\n\\pgfplotslegendfromname{fedbitslegend}\n");
    out
}

fn panel_source(figure: &Figure, panel: &Panel, all: &[Line], legend: bool) -> String {
    let put = "a string takes everything";
    let mut out = String::new();
    let title = panel.heading.as_deref().map(|text| format!(", title={{{}}}", latex_escape(text))).unwrap_or_default();
    writeln!(out, "\\nextgroupplot[xlabel={{{}}}{title}]", axis_words(panel.x)).expect(put);
    for curve in &panel.curves {
        let Some(line) = all.iter().find(|line| std::ptr::eq(line.curve, curve) || line.curve == curve) else {
            continue;
        };
        let style = LineStyle::of(curve.style);
        let (r, g, b) = style.color;
        let color = format!("{{rgb,255:red,{r};green,{g};blue,{b}}}");
        let table = |y: &str| format!("table[col sep=comma, x={}, y={y}]{{{}.csv}}", panel.x.column(), figure.data);
        let arm = format!("only arm={}", line.identifier);
        if curve.replicates > 1 {
            for (bound, name) in [("low", "lower"), ("high", "upper")] {
                writeln!(out, "\\addplot[draw=none, forget plot, {arm}, name path={name}] {};", table(bound))
                    .expect(put);
            }
            writeln!(out, "\\addplot[fill={color}, opacity=0.18, forget plot] fill between[of=lower and upper];")
                .expect(put);
        }
        let (dash, mark) = (dash_words(&style), mark_words(style.marker));
        writeln!(out, "\\addplot[draw={color}, {dash}, mark={mark}, mark repeat=100, mark size=1.5pt, mark options={{solid, fill={color}}}, {arm}] {};", table("median")).expect(put);
        if legend {
            writeln!(out, "\\addlegendentry{{{}}}", latex_escape(&curve.label)).expect(put);
        }
    }
    out
}

fn axis_words(x: XAxis) -> &'static str {
    match x {
        XAxis::Rounds => "rounds",
        XAxis::Epochs => "epochs",
        XAxis::BitsUp => "bits sent, uplink (bit)",
        XAxis::BitsTotal => "bits sent, total (bit)",
        XAxis::Time => "simulated time (s)",
    }
}

fn dash_words(style: &LineStyle) -> String {
    if style.dash.is_empty() {
        return "solid".to_owned();
    }
    let words = style
        .dash
        .iter()
        .enumerate()
        .map(|(index, length)| format!("{} {length}pt", if index % 2 == 0 { "on" } else { "off" }));
    format!("dash pattern={}", words.collect::<Vec<_>>().join(" "))
}

fn mark_words(marker: Marker) -> &'static str {
    match marker {
        Marker::Circle => "*",
        Marker::Square => "square*",
        Marker::Triangle => "triangle*",
        Marker::Diamond => "diamond*",
        Marker::TriangleDown => "triangle*, every mark/.append style={rotate=180}",
    }
}
