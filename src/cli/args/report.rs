//! The options of `fedbits report`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fedbits_reports::declare::Scale;
use fedbits_reports::{Format, Style, XAxis};
use fedbits_scenarios::Set;

#[derive(Debug, clap::Args)]
pub(crate) struct ReportCommand {
    /// Folders of runs, or folders that directly contain such folders.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Page layout of the figures (also: variable FEDBITS_STYLE). Default: neurips.
    #[arg(long, value_parser = named(Style::ALL.map(page), Style::from_name))]
    pub style: Option<Style>,
    /// Formats, separated by commas; `html` is one interactive page.
    #[arg(
        long,
        value_parser = named(Format::ALL.map(Format::ending), Format::from_name),
        value_delimiter = ',',
        default_values = Format::USUAL.iter().map(|format| format.ending())
    )]
    pub format: Vec<Format>,
    /// `run`: the page includes the simulator; its reader can change settings and make the runs again. Several folders:
    /// one file, which is all that is written, with a page for each.
    #[arg(long, value_parser = named(["run"], |_| Some(())), conflicts_with = "all")]
    pub page: Option<()>,
    /// Engine of `--page run`, made by `tools/engine`. Default: the engine inside this program, if it has one.
    #[arg(long, value_name = "FILE", requires = "page")]
    pub engine: Option<PathBuf>,
    /// Include the data files of the runs in the page of `--page run`, up to 4 MB. Without them its reader cannot make
    /// runs that need them.
    #[arg(long, requires = "page")]
    pub with_data: bool,
    /// Folder of data files, for `--with-data`, searched after that of the scenario.
    #[arg(long, value_name = "DIR", requires = "with_data")]
    pub data: Option<PathBuf>,
    /// Draw figures of every kind, not only the declared ones.
    #[arg(long, conflicts_with = "figure")]
    pub all: bool,
    /// A declared figure, or all figures of a kind; repeatable.
    #[arg(long, value_name = "NAME")]
    pub figure: Vec<String>,
    /// Change declared figures, for example `figures[0].kind.x=[Time]` or `figures=[…]`; repeatable.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<Set>,
    /// Horizontal axes of curves, one panel each (`kind.x`).
    #[arg(
        long,
        conflicts_with = "all",
        value_parser = named(XAxis::ALL.map(XAxis::name), XAxis::from_name),
        value_delimiter = ','
    )]
    pub x: Vec<XAxis>,
    /// Scale of the horizontal axes of curves (`kind.x_scale`); `auto` is logarithmic if the arms' ends differ by a
    /// factor of ten or more.
    #[arg(long, conflicts_with = "all", value_parser = named(["auto", "log", "linear"], scale))]
    pub x_scale: Option<Scale>,
    /// Separate ranges and units for horizontal axes of the same quantity (`kind.free_x` of curves).
    #[arg(long, conflicts_with = "all")]
    pub free_x: bool,
    /// Folder of the figures. Default: RUNS/figures; with several RUNS ./figures.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Arm to show, in the order given (`arms`); repeatable. Default: all.
    #[arg(long, conflicts_with = "all", value_name = "ARM")]
    pub arm: Vec<String>,
    /// Axes of heat maps (`kind.rows`, `kind.columns`). Default: the first two that vary.
    #[arg(long, conflicts_with = "all", value_name = "ROWS,COLUMNS", value_parser = axes)]
    pub axes: Option<(String, String)>,
    /// Label of an arm, one per `--arm` in the order given.
    #[arg(long, conflicts_with = "all", value_name = "TEXT")]
    pub label: Vec<String>,
}

/// Reads a choice by its name.
pub(super) fn named<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = impl Into<PossibleValue>>,
    from_name: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(move |name| from_name(&name).expect("clap accepts these names only"))
}

/// The names of a page.
pub(super) fn page(style: Style) -> PossibleValue {
    PossibleValue::new(style.name()).aliases(style.aliases().iter().copied())
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
