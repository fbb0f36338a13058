//! Figures and tables from record files alone.
//!
//! [`report`] reads record directories or a study (`fedbits-record`), groups runs into arms and writes, for every quantity that
//! was measured, a figure for the page of a venue: SVG, PDF, PNG and a PGF picture for LaTeX, beside them the data as CSV, a
//! caption and its details; and one interactive page. Nothing here knows the engine: any program that writes the record files
//! can be plotted. The same records give the same bytes, and every file carries the digest of its runs: [`verify`] makes it again.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod accuracy;
mod axes;
mod caption;
pub mod compare;
mod complexity;
mod curves;
mod data;
mod drawings;
mod error;
mod export;
mod figures;
mod latex;
mod options;
mod origin;
mod page;
mod replicates;
mod shades;
mod style;
mod svg;
mod table;
mod text;
mod verify;
mod words;

/// The worked example of `docs/extending.md`.
#[cfg(test)]
#[path = "../../docs/examples/figure.rs"]
mod example;

pub use curves::XAxis;
pub use error::ReportError;
pub use latex::latex;
pub use options::{Format, ReportOptions, XScale};
pub use origin::Origin;
pub use style::Style;
pub use verify::{Finding, verify};

use drawings::{Drawing, Source, drawings};
use fedbits_record::FigureFolder;
use std::path::PathBuf;

/// Writes all figures of the given runs and returns the paths written, in order. They replace figures that a report wrote into
/// the directory before, and nothing else.
///
/// `runs` is the directory of a study, or each is a record directory or a directory whose children are. Runs with the same arm and
/// different seeds or replicates are one line: median and interquartile band. A quantity that no run measured has no figure.
///
/// # Errors
/// [`ReportError`]: a record that cannot be read, labels that do not pair up, nothing measured, a file not written.
pub fn report(runs: &[PathBuf], options: &ReportOptions) -> Result<Vec<PathBuf>, ReportError> {
    // What cannot be written is not drawn first.
    let directory = &options.directory;
    if directory.exists() && !directory.is_dir() {
        let source = std::io::ErrorKind::NotADirectory.into();
        return Err(ReportError::Io { path: directory.clone(), source });
    }
    let files = render(runs, options, |_| true)?;
    Ok(FigureFolder::open(directory)?.write(&files)?)
}

/// The files of a report whose names are `wanted`, each once, with their bytes; nothing is written.
fn render(
    runs: &[PathBuf],
    options: &ReportOptions,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    let collected = data::collect(runs, &options.labels, &options.arms)?;
    let arms = &collected.arms;
    if let Some((label, _)) = options.slopes.iter().find(|(label, _)| arms.iter().all(|arm| arm.label != *label)) {
        let known: Vec<String> = arms.iter().map(|arm| format!("`{}`", arm.label)).collect();
        return Err(ReportError::Slope { label: label.clone(), arms: known.join(", ") });
    }
    if let (Some((rows, columns)), None) = (&options.axes, &collected.study) {
        return Err(ReportError::NoStudy { rows: rows.clone(), columns: columns.clone() });
    }
    let source = Source::new(&collected, options);
    let drawings = drawings(&source)?;
    if drawings.is_empty() {
        return Err(ReportError::NothingMeasured);
    }
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut put = |name: String, bytes: &dyn Fn() -> Result<Vec<u8>, ReportError>| -> Result<(), ReportError> {
        if wanted(&name) && files.iter().all(|(own, _)| *own != name) {
            let bytes = bytes()?;
            files.push((name, bytes));
        }
        Ok(())
    };
    for drawing in &drawings {
        for &format in &options.formats {
            if format != Format::Html {
                put(format!("{}.{}", drawing.name, format.ending()), &|| export(drawing, format, &source))?;
            }
        }
        put(format!("{}.csv", drawing.data.0), &|| Ok(table::without_formulas(&drawing.data.1).into_bytes()))?;
        for (name, text) in source.captions(&drawing.name, &drawing.words) {
            put(name, &|| Ok(text.clone().into_bytes()))?;
        }
    }
    if let Some(table) = complexity::csv(arms, &source.comments(complexity::NAME)) {
        put(format!("{}.csv", complexity::NAME), &|| Ok(table::without_formulas(&table).into_bytes()))?;
    }
    let comments = source.comments(accuracy::NAME);
    for (ending, table) in [("csv", accuracy::csv(arms, &comments)), ("tex", accuracy::tex(arms, &comments))] {
        if let Some(table) = table {
            let table = if ending == "csv" { table::without_formulas(&table) } else { table };
            put(format!("{}.{ending}", accuracy::NAME), &|| Ok(table.clone().into_bytes()))?;
            for (name, text) in source.captions(accuracy::NAME, &source.signed(accuracy::words(arms))) {
                put(name, &|| Ok(text.clone().into_bytes()))?;
            }
        }
    }
    if options.formats.contains(&Format::Html) {
        put(format!("{}.html", page::NAME), &|| Ok(page::page(&source, &drawings).into_bytes()))?;
    }
    Ok(files)
}

/// One figure in one format.
fn export(drawing: &Drawing, format: Format, source: &Source<'_>) -> Result<Vec<u8>, ReportError> {
    let failed = |message: String| ReportError::Export { figure: drawing.name.clone(), message };
    let tree = || export::parse(&drawing.svg).map_err(|error| failed(error.to_string()));
    let comments = source.comments(&drawing.name);
    match format {
        Format::Svg | Format::Html => Ok(drawing.svg.clone().into_bytes()),
        Format::Tex => Ok(export::pgf::picture(&tree()?, &comments).map_err(failed)?.into_bytes()),
        Format::Png => export::png::png(&tree()?, &comments).map_err(failed),
        Format::Pdf => export::pdf::pdf(&tree()?, &drawing.name, &comments).map_err(failed),
    }
}
