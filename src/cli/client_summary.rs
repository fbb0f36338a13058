//! How clients differ in what they did and spent: the lines below the summary of runs.

use std::path::PathBuf;

use fedbits_record::{Manifest, Spread};

/// A table with a row per run and quantity, where clients differ much or energy was counted; else nothing.
pub(crate) fn table(runs: &[(PathBuf, Manifest)]) -> String {
    let rows: Vec<[String; 6]> = runs.iter().flat_map(|(_, manifest)| rows(manifest)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let headings = ["per client", "min", "mean", "max", "worst tenth", "Jain"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(headings).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Below this index of Jain clients contribute so unequally that it is said.
const UNEQUAL: f64 = 0.95;

/// The rows of a run: none where clients contributed about equally often and no energy was counted.
fn rows(manifest: &Manifest) -> Vec<[String; 6]> {
    let Some(own) = &manifest.per_client else { return Vec::new() };
    let differ = own.contributions.and_then(|spread| spread.jain).is_some_and(|index| index < UNEQUAL);
    if !differ && own.energy_j.is_none() {
        return Vec::new();
    }
    let mut rows = vec![[&*manifest.arm, "", "", "", "", ""].map(str::to_owned)];
    rows.extend(own.contributions.map(|spread| row("  contributions", &spread)));
    rows.push(row("  busy (s)", &own.busy_s));
    rows.push(row("  waiting (s)", &own.waiting_s));
    rows.extend(own.energy_j.map(|spread| row("  energy (J)", &spread)));
    rows
}

fn row(name: &str, spread: &Spread) -> [String; 6] {
    let Spread { min, mean, max, worst_decile, jain } = *spread;
    let [min, mean, max, worst] = [min, mean, max, worst_decile].map(number);
    [name.to_owned(), min, mean, max, worst, jain.map_or("–".to_owned(), |index| format!("{index:.3}"))]
}

/// Four significant digits; whole numbers below 10 000 as they are.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e4 {
        return value.to_string();
    }
    let scientific = format!("{value:.3e}");
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    match exponent {
        Some(exponent @ -4..7) => format!("{value:.*}", (3 - exponent).max(0) as usize),
        _ => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let texts = [0.0, 3.0, 1234.56, 0.012345, 98_765.4, 1e-9].map(number);
        assert_eq!(texts, ["0", "3", "1235", "0.01235", "98765", "1.000e-9"]);
    }
}
