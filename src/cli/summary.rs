//! What a run prints on standard output: a table for people, or JSON.

use std::path::PathBuf;

use fedbits_record::{Manifest, RunRecord};
use serde_json::json;

use crate::cli::client_summary;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::units::bits;

/// The summary of runs and their figures.
pub(crate) fn print(runs: &[(PathBuf, Manifest)], figures: &[PathBuf], as_json: bool) -> Result<(), Failure> {
    if as_json {
        let arms: Vec<_> =
            runs.iter().map(|(directory, manifest)| json!({"directory": directory, "manifest": manifest})).collect();
        return output::line(json!({"runs": arms, "figures": figures}));
    }
    if !runs.is_empty() {
        output::print(table(runs))?;
        output::print(client_summary::table(runs))?;
    }
    let mut pngs = figures.iter().filter(|path| path.extension().is_some_and(|ending| ending == "png"));
    pngs.try_for_each(|png| output::line(format_args!("figure {}", png.display())))
}

/// Every caveat of the runs' manifests once, behind the arms that it is about where it is not about all.
pub(crate) fn caveats(runs: &[(PathBuf, Manifest)]) -> Vec<String> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for (manifest, caveat) in runs.iter().flat_map(|(_, run)| run.caveats.iter().map(move |caveat| (run, caveat))) {
        match found.iter_mut().find(|(text, _)| text == caveat) {
            Some((_, arms)) => arms.push(&manifest.arm),
            None => found.push((caveat, vec![&manifest.arm])),
        }
    }
    let text = |(caveat, arms): (&str, Vec<&str>)| match arms.len() == runs.len() {
        true => caveat.to_owned(),
        false => format!("{}: {caveat}", arms.join(", ")),
    };
    found.into_iter().map(text).collect()
}

const HEADINGS: [&str; 8] = ["arm", "rounds", "epochs", "bits up", "bits total", "time", "objective", "‖h‖²"];

/// A column of protocols that classify: a heading of the table where some run has it.
const ACCURACY: &str = "accuracy";

fn table(runs: &[(PathBuf, Manifest)]) -> String {
    let classified = runs.iter().any(|(_, manifest)| manifest.extra_columns.iter().any(|name| name == ACCURACY));
    let headings = HEADINGS.iter().copied().chain(classified.then_some(ACCURACY));
    let mut rows: Vec<Vec<String>> = vec![headings.map(str::to_owned).collect()];
    rows.extend(runs.iter().map(|(directory, manifest)| row(directory, manifest, classified)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(column, (cell, &width))| {
                    if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn row(directory: &std::path::Path, manifest: &Manifest, classified: bool) -> Vec<String> {
    let totals = &manifest.totals;
    let last = RunRecord::read(directory).ok().and_then(|record| record.rounds.last().cloned());
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let float = |value: Option<f64>| or_dash(value.map(|value| format!("{value:.4e}")));
    let all = totals.bits_up + totals.bits_down + totals.bits_peer + totals.bits_header;
    let mut cells = vec![
        manifest.arm.clone(),
        totals.rounds.to_string(),
        last.as_ref().map_or_else(String::new, |row| format!("{:.1}", row.epochs)),
        bits(totals.bits_up),
        bits(all),
        format!("{:.3} s", totals.time_ns as f64 / 1e9),
        float(last.as_ref().and_then(|row| row.objective)),
        float(last.as_ref().and_then(|row| row.mean_field_sq)),
    ];
    if classified {
        let column = manifest.extra_columns.iter().position(|name| name == ACCURACY);
        let accuracy = last.zip(column).and_then(|(row, column)| row.extra.get(column).copied().flatten());
        cells.push(or_dash(accuracy.map(|accuracy| format!("{:.2} %", 100.0 * accuracy))));
    }
    cells
}
