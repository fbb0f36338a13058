//! The options of `fedbits report`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fedbits_reports::declare::Scale;
use fedbits_reports::{Format, Style, XAxis};
use fedbits_scenarios::Set;

#[derive(Debug, clap::Args)]
pub(crate) struct ReportCommand {
    /// Folders of runs, or folders that have such folders directly in them.
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
    /// `run`: the page has the simulator inside and makes the runs again, also with other settings.
    #[arg(long, value_parser = named(["run"], |_| Some(())), conflicts_with = "all")]
    pub page: Option<()>,
    /// The engine of `--page run`, which `tools/engine` makes. Default: the one that the program was built with.
    #[arg(long, value_name = "FILE", requires = "page")]
    pub engine: Option<PathBuf>,
    /// The data files of the runs travel inside the page of `--page run`, up to 4 MB. Without them its reader cannot make
    /// runs that need them.
    #[arg(long, requires = "page")]
    pub with_data: bool,
    /// Folder of data files, for `--with-data`, searched after that of the scenario.
    #[arg(long, value_name = "DIR", requires = "with_data")]
    pub data: Option<PathBuf>,
    /// All figures of every kind, not only those that the scenario declares.
    #[arg(long, conflicts_with = "figure")]
    pub all: bool,
    /// The declared figure of this name, or all figures of the kind of this name; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub figure: Vec<String>,
    /// Changes the declared figures, as `--set` changes a scenario: `figures[0].kind.x=[Time]`, `figures=[…]`; may be
    /// repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<Set>,
    /// Horizontal axes of the figures of curves, a panel each: `kind.x` of the declared figures.
    #[arg(
        long,
        conflicts_with = "all",
        value_parser = named(XAxis::ALL.map(XAxis::name), XAxis::from_name),
        value_delimiter = ','
    )]
    pub x: Vec<XAxis>,
    /// Scale of the horizontal axes of the figures of curves: `kind.x_scale`. `auto`: logarithmic where the arms' ends
    /// differ by a factor of ten or more.
    #[arg(long, conflicts_with = "all", value_parser = named(["auto", "log", "linear"], scale))]
    pub x_scale: Option<Scale>,
    /// Panels over the same quantity have horizontal axes of their own, instead of one range and unit for all:
    /// `kind.free_x` of the figures of curves.
    #[arg(long, conflicts_with = "all")]
    pub free_x: bool,
    /// Folder of the figures; default RUNS/figures, with several RUNS `figures` in the working directory.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show this arm, in the order given: `arms` of the figures; may be repeated. Default: all.
    #[arg(long, conflicts_with = "all", value_name = "ARM")]
    pub arm: Vec<String>,
    /// Axes for the rows and the columns of heat maps: `kind.rows` and `kind.columns`. Default: the first two that
    /// vary.
    #[arg(long, conflicts_with = "all", value_name = "ROWS,COLUMNS", value_parser = axes)]
    pub axes: Option<(String, String)>,
    /// Name of an arm in the figures, one per arm in the order given: `Labelled` in `arms`.
    #[arg(long, conflicts_with = "all", value_name = "TEXT")]
    pub label: Vec<String>,
}

/// Reads a choice by its name.
pub(super) fn named<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    from_name: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(move |name| from_name(&name).expect("clap accepts these names only"))
}

fn axes(text: &str) -> Result<(String, String), String> {
    let (rows, columns) = text.split_once(',').ok_or("expected ROWS,COLUMNS: the names of two axes")?;
    Ok((rows.trim().to_owned(), columns.trim().to_owned()))
}

fn scale(name: &str) -> Option<Scale> {
    [("auto", Scale::Auto), ("log", Scale::Log), ("linear", Scale::Linear)]
        .into_iter()
        .find_map(|(known, scale)| (known == name).then_some(scale))
}
