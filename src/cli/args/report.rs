//! The options of `fedbits report`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fedbits_reports::{Format, Style, XAxis, XScale};
use fedbits_scenarios::Set;

#[derive(Debug, clap::Args)]
pub(crate) struct ReportCommand {
    /// A study's directory; or records, or folders of records.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Page that the figures are made for (also: the variable FEDBITS_STYLE). Default: neurips.
    #[arg(long, value_parser = named(Style::ALL.map(Style::name), Style::from_name))]
    pub style: Option<Style>,
    /// Formats, with commas between them; `html` is one interactive page.
    #[arg(
        long,
        value_parser = named(Format::ALL.map(Format::ending), Format::from_name),
        value_delimiter = ',',
        default_values = Format::USUAL.iter().map(|format| format.ending())
    )]
    pub format: Vec<Format>,
    /// All figures of every kind, not only those that the scenario or the study declares.
    #[arg(long, conflicts_with = "figure")]
    pub all: bool,
    /// The declared figure of this name, or all figures of the kind of this name; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub figure: Vec<String>,
    /// Changes the declared figures, as `--set` changes a scenario: `figures[0].kind.x=[Time]`, `figures=[…]`; may be
    /// repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<Set>,
    /// Horizontal axes, a panel each. Default: those that the figure declares or its results choose; with --all epochs,
    /// bits up, all bits and time.
    #[arg(
        long,
        value_parser = named(XAxis::ALL.map(XAxis::name), XAxis::from_name),
        value_delimiter = ','
    )]
    pub x: Vec<XAxis>,
    /// One figure per quantity and axis instead of one per quantity with a panel per axis.
    #[arg(long)]
    pub single: bool,
    /// Scale of the horizontal axes; `auto`: logarithmic where the arms' ends differ by a factor of ten or more.
    #[arg(long, value_parser = named(XScale::ALL.map(XScale::name), XScale::from_name), default_value = "auto")]
    pub x_scale: XScale,
    /// Panels over the same quantity have horizontal axes of their own, instead of one range and unit for all.
    #[arg(long)]
    pub free_x: bool,
    /// Folder of the figures; default RUNS/figures, with several RUNS `figures` in the working directory.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show this arm, in the order given; may be repeated. Default: all.
    #[arg(long, value_name = "ARM")]
    pub arm: Vec<String>,
    /// Axes of a study for the rows and the columns of its heat maps; default: the first two that vary.
    #[arg(long, value_name = "ROWS,COLUMNS", value_parser = axes)]
    pub axes: Option<(String, String)>,
    /// Name of an arm in the legend, one per arm in the order given.
    #[arg(long, value_name = "TEXT", value_parser = label)]
    pub label: Vec<String>,
    /// Decades of ‖h‖² per round by which an arm falls in theory (as `fedbits check` prints them), drawn beside its
    /// curve.
    #[arg(long, value_name = "ARM=DECADES", value_parser = slope, allow_hyphen_values = true)]
    pub slope: Vec<(String, f64)>,
}

/// Reads a choice by its name.
pub(super) fn named<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    from_name: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(move |name| from_name(&name).expect("clap accepts these names only"))
}

fn axes(text: &str) -> Result<(String, String), String> {
    let (rows, columns) = text.split_once(',').ok_or("expected ROWS,COLUMNS: the names of two axes of the study")?;
    Ok((rows.trim().to_owned(), columns.trim().to_owned()))
}

fn label(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("expected a text that can be seen".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

fn slope(text: &str) -> Result<(String, f64), String> {
    let (arm, decades) = text.rsplit_once('=').ok_or("expected ARM=DECADES, such as FedEM=0.002")?;
    match decades.trim().parse() {
        Ok(decades) if decades > 0.0 && decades <= 300.0 => Ok((arm.to_owned(), decades)),
        _ => Err(format!(
            "`{decades}` is no slope: expected a number above 0, at most 300, as `fedbits check` prints it"
        )),
    }
}
