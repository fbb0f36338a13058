//! The grammar of the command line.

mod report;
mod scenario;
mod values;

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use fedbits_record::results::PlanTarget;
use fedbits_reports::Style;
use fedbits_scenarios::words;

pub(crate) use self::report::ReportCommand;
pub(crate) use self::scenario::{Changes, HostOptions, ScenarioOptions};
use self::values::{delimiter, rounds, target, whole};
use crate::cli::format::{FormatOptions, TableFormat};
use crate::runs::RequestedShard;

/// A deterministic simulator of federated expectation–maximization over a network, exact to the bit.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Args {
    /// Print only errors, results and their caveats.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more messages.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// An error of the grammar with what helps: for an unknown command the nearest that there is (two swapped letters are
/// too much for clap's own measure), for an unknown option the commands that have it. clap itself proposes to pass it
/// as a value.
pub(crate) fn with_help(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let (command, option) = (text(ContextKind::InvalidSubcommand), text(ContextKind::InvalidArg));
    let commands = Args::command();
    if let Some(typed) = command.filter(|_| error.get(ContextKind::SuggestedSubcommand).is_none())
        && let Some(near) = fedbits_text::nearest(&typed, commands.get_subcommands().map(clap::Command::get_name))
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
    }
    if let Some(option) = option.filter(|_| error.kind() == ErrorKind::UnknownArgument) {
        let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
        let used =
            commands.get_subcommands().find(|command| usage.contains(&format!("fedbits {} ", command.get_name())));
        // A word for another option is one, however near it is to a third.
        let is_word = option.strip_prefix("--").is_some_and(|name| words::option(name).is_some());
        let is_near = error.get(ContextKind::SuggestedArg).is_some() && !is_word;
        let tips = if is_near { Vec::new() } else { elsewhere(&commands, &option, used) };
        if !tips.is_empty() {
            error.remove(ContextKind::SuggestedArg);
            let tips = tips.into_iter().map(Into::into).collect();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Where to say what an option says that the command in use does not have.
fn elsewhere(commands: &clap::Command, option: &str, used: Option<&clap::Command>) -> Vec<String> {
    // Surplus words are no options, and positional arguments have no long name either.
    let Some(name) = option.strip_prefix("--") else { return Vec::new() };
    let has =
        |command: &clap::Command, name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
    let used_has = |name: &str| used.is_some_and(|used| has(used, name));
    if let Some(option) = words::option(name).filter(|option| used_has(option)) {
        return vec![format!("it is called --{option}")];
    }
    let of_figures = FIGURE_FIELDS.iter().find(|(asked, _)| *asked == name);
    if let Some((_, tip)) = of_figures.filter(|_| used.is_some_and(|used| used.get_name() == "report")) {
        return vec![(*tip).to_owned()];
    }
    let places = if used_has("set") { words::places(name) } else { Vec::new() };
    let set = places.first().map(|place| format!("a setting of the scenario: --set {}=…", place.path));
    let names: Vec<String> = commands
        .get_subcommands()
        .filter(|command| has(command, name))
        .map(|command| format!("`{}`", command.get_name()))
        .collect();
    let others = (!names.is_empty() && set.is_none()).then(|| format!("{option} is an option of {}", names.join(", ")));
    set.into_iter().chain(others).collect()
}

/// What declared figures say and no option of `report` does.
const FIGURE_FIELDS: [(&str, &str); 2] = [
    (
        "slope",
        "a field of a declared figure: --set 'figures[0].kind.marks=[Slope(arm: \"ARM\", decades: Some(0.002))]'",
    ),
    ("single", "each figure has the axes that it declares: --x AXIS, or --set 'figures=[…]' with a figure per axis"),
];

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scenario: all arms, axes and replicates; write tables and figures. Run it again to resume it.
    #[command(visible_alias = "study")]
    Run(RunOptions),
    /// Check a scenario without running it: what it will do, and what a run will cost.
    Check(CheckOptions),
    /// Show the progress of runs.
    Status(StatusOptions),
    /// Combine the results of shards, and write the tables.
    Merge(MergeOptions),
    /// Compare arms: paired ratios with intervals, Pareto front, ranking.
    Compare(CompareOptions),
    /// Draw figures and tables of runs.
    Report(ReportCommand),
    /// Repeat runs and compare the results; or compare a figure with the runs it was made from.
    Verify(VerifyOptions),
    /// Trace rounds of a run: every transfer, computation and wait, for Perfetto and the figure `round`.
    Trace(TraceOptions),
    /// Apply a fitted model to the rows of a file: components, densities, posterior weights.
    Predict(PredictOptions),
    /// Write the tables of runs as CSV, or as Parquet (a build with `--features parquet`).
    Export(ExportOptions),
    /// Compare two runs, or two scenarios: settings, the first event that differs, numbers.
    Diff(DiffOptions),
    /// Explain a caveat, a column, a field or a choice, from the documentation.
    Explain(ExplainOptions),
    /// List the built-in scenarios.
    List(ListOptions),
    /// Print the source of a built-in scenario, with its comments.
    Show(ShowOptions),
    /// List or download the public data sets that built-in scenarios use.
    Data(DataOptions),
    /// Write a commented scenario to start from: for an algorithm, from another one, or for your table.
    New(NewOptions),
    /// Print or install a script for command completion in a shell.
    Completions(CompletionsOptions),
    /// Write manual pages of all commands.
    Man(ManOptions),
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// Scenario files, names of built-in scenarios (`fedbits list`), or patterns such as 'network/*'.
    #[arg(required = true, value_name = "SCENARIO")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub changes: Changes,
    /// Folder of the results; default out/NAME. With several scenarios: the parent folder; default out.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How often every arm is run, instead of the scenario's `replicates`.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, 1_000_000_u64))]
    pub replicates: Option<u64>,
    /// Run a part only: part I of N, counted from 0; `auto` or `auto/N`: as the task variables of SLURM, PBS, SGE,
    /// Kubernetes or HyperQueue say. Without figures.
    #[arg(long, value_name = "I/N|auto")]
    pub shard: Option<RequestedShard>,
    /// Repeat failed runs.
    #[arg(long)]
    pub retry_failed: bool,
    /// No figures.
    #[arg(long)]
    pub no_figures: bool,
    /// Page that the figures are made for (also: the variable FEDBITS_STYLE). Default: neurips.
    #[arg(
        long,
        value_parser = report::named(Style::ALL.map(Style::name), Style::from_name),
        conflicts_with = "no_figures"
    )]
    pub style: Option<Style>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Do not load data: text checks only, no costs.
    #[arg(long)]
    pub text_only: bool,
    /// Print the scenario of every arm with its defaults filled in, and every estimate.
    #[arg(long, conflicts_with = "format", conflicts_with = "json")]
    pub resolved: bool,
    /// Seconds of processor time that preparing an arm and its pilot may take.
    #[arg(
        long, value_name = "SECONDS", default_value_t = 30, allow_negative_numbers = true,
        value_parser = whole(1, 3600_u32)
    )]
    pub pilot_seconds: u32,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct StatusOptions {
    /// A folder of runs.
    pub dir: PathBuf,
    /// Follow it until no process works there any more, also from another machine that shares the folder: a few lines
    /// that change on a terminal, else a line for each change.
    #[arg(long, conflicts_with_all = ["data", "format", "json"])]
    pub watch: bool,
    /// Folder of data files, searched after that of the scenario, to see whether they have changed.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct MergeOptions {
    /// Folders with runs of the same scenario.
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// Folder of the merged results; default the first folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompareOptions {
    /// Folders of runs; of several the first arm is the baseline.
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// The arm that the others are compared with, instead of the scenario's baseline.
    #[arg(long, value_name = "ARM")]
    pub baseline: Option<String>,
    /// A target in addition to those of the scenario, for example mean_field_sq=1e-8, or accuracy>=0.9; may be
    /// repeated.
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = target)]
    pub target: Vec<PlanTarget>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyOptions {
    /// A folder of runs; or a figure or table that `report` made.
    pub path: PathBuf,
    /// The runs that the figure is compared with: the folders that were given to `report`.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub runs: Vec<PathBuf>,
    /// Also run these runs again and compare.
    #[arg(long, requires = "runs")]
    pub rerun: bool,
    #[command(flatten)]
    pub format: FormatOptions,
    #[command(flatten)]
    pub host: HostOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TraceOptions {
    /// A folder of runs.
    pub dir: PathBuf,
    /// The rounds from A to B, both included; or one round.
    #[arg(long, value_name = "A..B", value_parser = rounds, required_unless_present = "slowest")]
    pub rounds: Option<RangeInclusive<u64>>,
    /// The round that took longest.
    #[arg(long, conflicts_with = "rounds")]
    pub slowest: bool,
    /// The arm, where there are several.
    #[arg(long, value_name = "NAME")]
    pub arm: Option<String>,
    /// The replicate; default the first.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub replicate: Option<u64>,
    /// The folder that trace.json and trace.csv are written to; default `traces` in the folder of the runs, where
    /// figures find them.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PredictOptions {
    /// A folder of runs, or a file of its `models/`.
    pub model: PathBuf,
    /// The arm whose model it is, where there are several.
    #[arg(long, value_name = "ARM")]
    pub arm: Option<String>,
    /// A file with the columns that a mixture was fitted to (other columns are copied), or with subjects, persons or
    /// counts like those that another model was fitted to.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// The CSV file that is written; default standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The character between fields of a table, `tab` for a tab; found in its first lines where it is clear.
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// How standard output is written.
    #[arg(long, value_enum, default_value_t = TableFormat::Csv, conflicts_with = "out")]
    pub format: TableFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExportOptions {
    /// Folders of runs; of several each has a folder of its own in the new one.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// The new folder.
    #[arg(long, value_name = "DIR", default_value = "tables")]
    pub out: PathBuf,
    /// Write Parquet files, with types, instead of CSV.
    #[arg(long)]
    pub parquet: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DiffOptions {
    /// A folder of runs, a scenario's file or the name of a built-in scenario.
    pub a: String,
    /// The other one.
    pub b: String,
    /// The arm that is compared; given twice, the arm of the first and that of the other.
    #[arg(long, value_name = "ARM")]
    pub arm: Vec<String>,
    /// Repeat both runs, to say what the first event that differs is.
    #[arg(long)]
    pub replay: bool,
    /// Folder of data files, searched instead of the scenario's own folder, for --replay.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExplainOptions {
    /// The id of a caveat, a column or a table of runs, a field (also by its path), a choice.
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DataOptions {
    #[command(subcommand)]
    pub command: DataCommand,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum DataCommand {
    /// The data sets by name, with size, licence and where they are; of one also its files and their SHA-256.
    List(DataListOptions),
    /// Download data sets into the cache, where scenarios find them; what was cut off is resumed.
    Fetch(DataFetchOptions),
}

#[derive(Debug, clap::Args)]
pub(crate) struct DataListOptions {
    /// A data set.
    pub name: Option<String>,
    /// A folder with data files.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Machine-readable.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DataFetchOptions {
    /// Data sets (`fedbits data list`).
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
    /// A mirror: the address below which files lie as FOLDER/FILE, http, https or file.
    #[arg(long, value_name = "ADDRESS")]
    pub from: Option<String>,
    /// Where the files go, in folders of their own; default the cache: $XDG_CACHE_HOME/fedbits/data, or
    /// ~/.cache/fedbits/data.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewOptions {
    /// `NAME`: a scenario NAME.ron with every field of FedEM on a mixture, and the other choices as comments; `START
    /// NAME`: a shorter one for an algorithm: fedem, vr-fedem, fedmissem, vpem, kmeans, diffusion, flsaem, centralized
    /// or baselines; `study NAME`: one with axes, over another.
    #[arg(required_unless_present = "from", num_args = 1..=2, value_name = "NAME")]
    pub words: Vec<String>,
    /// A short scenario that is laid over this one, of the library or a file: it says only what differs. With `study
    /// NAME`: one with axes over it.
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["data", "from"])]
    pub base: Option<String>,
    /// Copy this one, of the library or a file, with its comments under the new name; of a folder of runs, write the
    /// scenario that gives these runs.
    #[arg(long, value_name = "SCENARIO", conflicts_with = "data")]
    pub from: Option<String>,
    /// Look at this table (CSV or Parquet, packed or not; .npy of NumPy; .svm of LIBSVM; 'hospital-*.csv': a client per
    /// file), and propose columns, model and clients. With `study NAME`: also one with axes over it, NAME-fit.ron.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Whether the first line of the table holds names; recognized where it is clear.
    #[arg(long, requires = "data", value_name = "true|false")]
    pub header: Option<bool>,
    /// The character between fields of the table, `tab` for a tab; recognized where it is clear.
    #[arg(long, requires = "data", value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Texts that stand for missing values of the table beside empty cells, `NA` and alike, divided by commas:
    /// `--missing-values=-999,unknown`.
    #[arg(long, requires = "data", value_name = "TEXT,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing_values: Vec<String>,
    /// Columns of the table that are not used, divided by commas (names with commas in double quotes).
    #[arg(long, requires = "data", value_name = "COLUMN,…", allow_hyphen_values = true)]
    pub leave_out: Option<String>,
    /// Take what is proposed for the table without asking.
    #[arg(long, requires = "data")]
    pub yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ShowOptions {
    /// The name of a built-in scenario (`fedbits list`), or a file.
    pub scenario: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsOptions {
    /// The shell; the script goes to standard output.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// Put the script where the shell looks for it (XDG folders), instead.
    #[arg(long)]
    pub install: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManOptions {
    /// Folder of the pages; made when missing.
    #[arg(required_unless_present = "install")]
    pub dir: Option<PathBuf>,
    /// Put the pages where `man` looks for them (XDG folders).
    #[arg(long, conflicts_with = "dir")]
    pub install: bool,
}
