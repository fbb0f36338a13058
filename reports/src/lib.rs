//! Figures and tables from record files alone.
//!
//! [`report`] reads record directories (`fedbits-record`), groups runs into arms and writes, for every quantity that was
//! measured, a figure for the page of a venue: SVG, PDF, PNG and pgfplots source, beside them the data as CSV and a draft
//! of the caption. Nothing here knows the engine: any program that writes the record files can be plotted. The same
//! records give the same bytes.

mod axes;
mod caption;
mod curves;
mod data;
mod error;
mod export;
mod figures;
mod options;
mod style;
mod svg;
mod table;
mod text;

pub use curves::XAxis;
pub use error::ReportError;
pub use options::{Format, ReportOptions};
pub use style::Style;

use data::Arm;
use fedbits_record::write_whole;
use figures::{Figure, convergence, panels};
use std::path::PathBuf;
use text::Metrics;

/// Writes all figures of the given runs and returns the paths written, in order.
///
/// Each of `runs` is a record directory or a directory whose children are. Runs with the same arm and different seeds or
/// replicates are one line: median and interquartile band. A quantity that no run measured has no figure.
///
/// # Errors
/// [`ReportError`]: a record that cannot be read, labels that do not pair up, nothing measured, a file not written.
pub fn report(runs: &[PathBuf], options: &ReportOptions) -> Result<Vec<PathBuf>, ReportError> {
    let arms = data::collect(runs, &options.labels)?;
    let metrics = Metrics::new();
    arms.iter().try_for_each(|arm| metrics.check(&arm.label))?;
    let figures = convergence::figures(&arms, &options.panels, &options.singles);
    if figures.is_empty() {
        return Err(ReportError::NothingMeasured);
    }
    let directory = &options.directory;
    std::fs::create_dir_all(directory).map_err(|source| ReportError::Io {
        path: directory.clone(),
        source,
    })?;
    let mut written = Vec::new();
    for figure in &figures {
        write_figure(figure, &arms, options, &metrics, &mut written)?;
    }
    Ok(written)
}

/// One figure in all formats, its data and its caption.
fn write_figure(
    figure: &Figure,
    arms: &[Arm],
    options: &ReportOptions,
    metrics: &Metrics,
    written: &mut Vec<PathBuf>,
) -> Result<(), ReportError> {
    let look = options.style.look();
    let provenance = caption::provenance(arms);
    let svg = panels::draw(figure, &look, metrics, &provenance.join("\n"));
    let failed = |message: String| ReportError::Export {
        figure: figure.name.clone(),
        message,
    };
    let mut put = |name: String, bytes: &[u8]| -> Result<(), ReportError> {
        let path = options.directory.join(name);
        if !written.contains(&path) {
            write_whole(&path, bytes)?;
            written.push(path);
        }
        Ok(())
    };
    for format in &options.formats {
        let bytes = match format {
            Format::Svg => svg.clone().into_bytes(),
            Format::Tex => export::tex::tex(figure, &look, &provenance).into_bytes(),
            Format::Png => tree(&svg).and_then(|tree| export::png::png(&tree)).map_err(failed)?,
            Format::Pdf => tree(&svg)
                .and_then(|tree| export::pdf::pdf(&tree, &figure.name, &provenance))
                .map_err(failed)?,
        };
        put(format!("{}.{}", figure.name, format.ending()), &bytes)?;
    }
    put(
        format!("{}.csv", figure.data),
        table::csv(figure, &provenance).as_bytes(),
    )?;
    put(
        format!("{}.txt", figure.name),
        caption::caption(figure, arms).as_bytes(),
    )
}

fn tree(svg: &str) -> Result<usvg::Tree, String> {
    export::parse(svg).map_err(|error| error.to_string())
}
