//! Figures and tables from record files alone.
//!
//! [`report`] reads record directories (`fedbits-record`), groups runs into arms and writes, for every quantity that was
//! measured, a figure for the page of a venue: SVG, PDF, PNG and pgfplots source, beside them the data as CSV and a draft
//! of the caption. Nothing here knows the engine: any program that writes the record files can be plotted. The same
//! records give the same bytes.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod axes;
mod caption;
pub mod compare;
mod complexity;
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
use figures::ledger::Ledger;
use figures::predictive::Predictive;
use figures::time::ClientTime;
use figures::trend::{self, Trend};
use figures::{bars, convergence, links, panels, parameters, predictive, topology, trend_panels};
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
    if let Some((label, _)) = options.slopes.iter().find(|(label, _)| arms.iter().all(|arm| arm.label != *label)) {
        let known: Vec<String> = arms.iter().map(|arm| format!("`{}`", arm.label)).collect();
        return Err(ReportError::Slope { label: label.clone(), arms: known.join(", ") });
    }
    let drawings = drawings(&arms, options, &metrics);
    if drawings.is_empty() {
        return Err(ReportError::NothingMeasured);
    }
    let directory = &options.directory;
    std::fs::create_dir_all(directory).map_err(|source| ReportError::Io { path: directory.clone(), source })?;
    let mut written = Vec::new();
    for drawing in &drawings {
        write_drawing(drawing, options, &caption::provenance(&arms), &mut written)?;
    }
    if let Some(table) = complexity::csv(&arms, &caption::provenance(&arms)) {
        let path = directory.join(format!("{}.csv", complexity::NAME));
        write_whole(&path, table.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

/// A finished figure with all that stands beside it.
struct Drawing {
    name: String,
    svg: String,
    /// pgfplots source, for the kinds that have one.
    tex: Option<String>,
    /// File name of the data without ending, and the data.
    data: (String, String),
    caption: String,
}

/// Every kind of figure, as far as the runs measured what it shows.
fn drawings(arms: &[Arm], options: &ReportOptions, metrics: &Metrics) -> Vec<Drawing> {
    let look = options.style.look();
    let provenance = caption::provenance(arms);
    let description = provenance.join("\n");
    let figures = convergence::figures(arms, &options.panels, &options.singles, &options.slopes);
    let gaps = gap::figures(arms, &options.panels, &options.singles);
    let convergence = figures.into_iter().chain(gaps).chain(parameters::figures(arms)).map(|figure| Drawing {
        svg: panels::draw(&figure, &look, metrics, &description),
        tex: Some(export::tex::tex(&figure, &look, &provenance)),
        data: (figure.data.clone(), table::csv(&figure, &provenance)),
        caption: caption::caption(&figure, arms),
        name: figure.name,
    });
    let ledger = Ledger::of(arms).map(|ledger| Drawing {
        name: "ledger".to_owned(),
        svg: bars::draw(&ledger.stack(), &look, metrics, &description),
        tex: None,
        data: ("ledger".to_owned(), ledger.csv(&provenance)),
        caption: caption::ledger_caption(arms),
    });
    let links = links::busiest(arms, metrics).map(|links| Drawing {
        name: "links".to_owned(),
        svg: bars::draw(&links.stack(), &look, metrics, &description),
        tex: None,
        data: ("links".to_owned(), links.csv(&provenance)),
        caption: caption::links_caption(arms),
    });
    let checks = arms.iter().filter_map(Predictive::of).map(|check| Drawing {
        name: check.name(),
        svg: predictive::draw(&check, &look, metrics, &description),
        tex: None,
        data: (check.name(), check.csv(&provenance)),
        caption: check.caption(&provenance),
    });
    let trends = Trend::of(arms);
    let trend = (!trends.is_empty()).then(|| Drawing {
        name: "trend".to_owned(),
        svg: trend_panels::draw(&trends, &look, metrics, &description),
        tex: None,
        data: ("trend".to_owned(), trend::csv(&trends, &provenance)),
        caption: caption::trend_caption(arms),
    });
    let time = ClientTime::of(arms).map(|time| Drawing {
        name: "client_time".to_owned(),
        svg: bars::draw(&time.stack(), &look, metrics, &description),
        tex: None,
        data: ("client_time".to_owned(), time.csv(&provenance)),
        caption: caption::time_caption(arms),
    });
    let networks = topology::networks(arms);
    let topology = (!networks.is_empty()).then(|| Drawing {
        name: "topology".to_owned(),
        svg: topology::draw(&networks, &look, metrics, &description),
        tex: None,
        data: ("topology".to_owned(), topology::csv(&networks, &provenance)),
        caption: caption::plain_caption(&topology::words(&networks), arms),
    });
    convergence.chain(ledger).chain(links).chain(time).chain(checks).chain(trend).chain(topology).collect()
}

/// One figure in all formats, its data and its caption.
fn write_drawing(
    drawing: &Drawing,
    options: &ReportOptions,
    provenance: &[String],
    written: &mut Vec<PathBuf>,
) -> Result<(), ReportError> {
    let (name, svg) = (&drawing.name, &drawing.svg);
    let failed = |message: String| ReportError::Export { figure: name.clone(), message };
    let mut put = |file: String, bytes: &[u8]| -> Result<(), ReportError> {
        let path = options.directory.join(file);
        if !written.contains(&path) {
            write_whole(&path, bytes)?;
            written.push(path);
        }
        Ok(())
    };
    for format in &options.formats {
        let bytes = match format {
            Format::Svg => Some(svg.clone().into_bytes()),
            Format::Tex => drawing.tex.clone().map(String::into_bytes),
            Format::Png => Some(tree(svg).and_then(|tree| export::png::png(&tree)).map_err(failed)?),
            Format::Pdf => Some(tree(svg).and_then(|tree| export::pdf::pdf(&tree, name, provenance)).map_err(failed)?),
        };
        if let Some(bytes) = bytes {
            put(format!("{name}.{}", format.ending()), &bytes)?;
        }
    }
    put(format!("{}.csv", drawing.data.0), drawing.data.1.as_bytes())?;
    put(format!("{name}.txt"), drawing.caption.as_bytes())
}

fn tree(svg: &str) -> Result<usvg::Tree, String> {
    export::parse(svg).map_err(|error| error.to_string())
}
