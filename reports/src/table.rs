//! The figure's data as CSV: every recorded round of every line, with the runs' digests in comments.

use crate::curves::{Curve, Point, XAxis};
use crate::figures::Figure;
use crate::text::one_line;
use fedbits_record::guarded;
use std::fmt::Write;

/// A line of a figure under the identifier it has in the CSV.
pub(crate) struct Line<'a> {
    /// Letters, digits and hyphens only, so that every reader of CSV, also pgfplots, takes it as it is.
    pub identifier: String,
    pub label: String,
    pub curve: &'a Curve,
}

/// The distinct lines of a figure (panels that differ in the horizontal axis only show the same ones).
pub(crate) fn lines(figure: &Figure) -> Vec<Line<'_>> {
    let mut lines: Vec<Line> = Vec::new();
    for (panel, curve) in figure.panels.iter().flat_map(|panel| panel.curves.iter().map(move |curve| (panel, curve))) {
        let label = match &panel.heading {
            Some(heading) => format!("{heading}: {}", curve.label),
            None => curve.label.clone(),
        };
        if lines.iter().any(|line| line.label == label) {
            continue;
        }
        let plain = slug(&label);
        let taken = |name: &str| lines.iter().any(|line| line.identifier == name);
        let identifier = if taken(&plain) { format!("{plain}-{}", lines.len() + 1) } else { plain };
        lines.push(Line { identifier, label, curve });
    }
    lines
}

/// A tidy table: `arm` (the identifier; its label stands in the comments), the horizontal axes, median, quartiles, and how
/// many replicates go on; the others have ended and stay at their end.
pub(crate) fn csv(figure: &Figure, provenance: &[String]) -> String {
    let put = "a string takes everything";
    let mut out = String::new();
    for line in provenance {
        writeln!(out, "# {line}").expect(put);
    }
    let lines = lines(figure);
    for line in &lines {
        writeln!(out, "# {} = {}", line.identifier, one_line(&line.label)).expect(put);
    }
    writeln!(out, "arm,{},median,low,high,running", XAxis::ALL.map(XAxis::column).join(",")).expect(put);
    for line in &lines {
        for point in &line.curve.points {
            writeln!(out, "{},{}", line.identifier, cells(point)).expect(put);
        }
    }
    out
}

fn slug(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
    }
    let trimmed = out.trim_end_matches('-');
    if trimmed.is_empty() { "line".to_owned() } else { trimmed.to_owned() }
}

fn cells(point: &Point) -> String {
    let values = point.x.iter().chain([&point.median, &point.low, &point.high]);
    let values = values.map(|&value| number(value)).chain([point.running.to_string()]);
    values.collect::<Vec<_>>().join(",")
}

/// A finished table with an apostrophe before every cell that a spreadsheet would take for a formula; lines of comments stay.
pub(crate) fn without_formulas(table: &str) -> String {
    let mut out = String::with_capacity(table.len());
    let mut rest = table;
    let mut begins_line = true;
    while !rest.is_empty() {
        if begins_line && rest.starts_with('#') {
            let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let (cell, end) = cell(rest);
        let quote = if rest.starts_with('"') { "\"" } else { "" };
        write!(out, "{quote}{}{quote}", guarded(cell)).expect("a string takes everything");
        let separator = rest[end..].chars().next();
        out.extend(separator);
        begins_line = separator == Some('\n');
        rest = &rest[end + separator.map_or(0, char::len_utf8)..];
    }
    out
}

/// The first cell of a text, between its quotes if it has any, and where its separator stands.
fn cell(text: &str) -> (&str, usize) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', '\n']).unwrap_or(text.len());
        return (&text[..end], end);
    };
    let mut from = 0;
    while let Some(quote) = quoted[from..].find('"') {
        let at = from + quote;
        if !quoted[at + 1..].starts_with('"') {
            return (&quoted[..at], at + 2);
        }
        from = at + 2;
    }
    (quoted, text.len())
}

/// Whole numbers without a point, others so that they read back to the same bits.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive());
    if whole { format!("{value:.0}") } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::without_formulas;

    #[test]
    fn formulas_in_tables_are_texts() {
        let table = "# =comment, \"as it is\"\narm,=x\n\"@a, \"\"b\"\"\",-1.5\n\"-c\n=d\",'e\nplain,-f";
        let safe = "# =comment, \"as it is\"\narm,'=x\n\"'@a, \"\"b\"\"\",-1.5\n\"'-c\n=d\",'e\nplain,'-f";
        assert_eq!(without_formulas(table), safe);
        assert_eq!(without_formulas("a,\"b\"\n"), "a,\"b\"\n");
    }
}
