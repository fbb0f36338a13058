//! The grammar of the command line.

mod report;
mod scenario;
mod values;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use fedbits_record::results::PlanTarget;
use fedbits_reports::Style;
use fedbits_scenarios::words;

pub(crate) use self::report::ReportCommand;
pub(crate) use self::scenario::{Changes, HostOptions, ScenarioOptions};
use self::values::{delimiter, rounds, target, whole};
use crate::cli::format::{FormatOptions, TableFormat};
use crate::cli::skipped;
use crate::runs::RequestedShard;

/// A deterministic simulator of federated expectation–maximization over a network, exact to the bit.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Args {
    /// Print only errors, results and caveats.
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
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    // The folder of the manual's pages is none of runs.
    let lacks_runs = ["<DIR", "<RUNS", "<PATH", "<MODEL"].iter().any(|name| usage.contains(name))
        && error.kind() == ErrorKind::MissingRequiredArgument
        && !usage.contains(" man ");
    if lacks_runs && let Some(tip) = skipped::hint(Path::new(".")).strip_prefix("; ") {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.to_owned().into()]));
    }
    if let Some(option) = option.filter(|_| error.kind() == ErrorKind::UnknownArgument) {
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
    let hint = (!names.is_empty() && set.is_none()).then(|| format!("{option} is an option of {}", names.join(", ")));
    set.into_iter().chain(hint).collect()
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
    /// Run a scenario with all arms, axes and replicates; repeat the command to resume.
    #[command(visible_alias = "study")]
    Run(RunOptions),
    /// Check a scenario without running it, and estimate its costs.
    Check(CheckOptions),
    /// Show the progress of runs.
    Status(StatusOptions),
    /// Combine the results of shards and write the tables.
    Merge(MergeOptions),
    /// Compare arms: paired ratios with intervals, Pareto front, ranking.
    Compare(CompareOptions),
    /// Draw figures and tables of runs.
    Report(ReportCommand),
    /// Repeat runs and compare results, or compare a figure with its runs.
    Verify(VerifyOptions),
    /// Trace every transfer, computation and wait of rounds, for Perfetto and the figure `round`.
    Trace(TraceOptions),
    /// Apply a fitted model to a file: components, densities, posterior weights.
    Predict(PredictOptions),
    /// Write the tables of runs as CSV or Parquet (in a build with `--features parquet`).
    Export(ExportOptions),
    /// Pack runs with all that repeats them, for reviewers and readers of a paper.
    Artifact(ArtifactOptions),
    /// Compare two runs or scenarios: settings, first different event, numbers.
    Diff(DiffOptions),
    /// Look up a caveat, column, field or choice in the documentation.
    Explain {
        /// Caveat id, column, table, field (name or path) or choice.
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
    },
    /// List the built-in scenarios.
    List(FormatOptions),
    /// Print the source of a built-in scenario.
    Show {
        /// A built-in scenario (`fedbits list`) or a file.
        scenario: String,
    },
    /// List or download public data sets of built-in scenarios.
    #[command(subcommand)]
    Data(DataCommand),
    /// Write a commented scenario for an algorithm, from another scenario, or for your table.
    New(NewOptions),
    /// Print or install shell completions.
    Completions(CompletionsOptions),
    /// Write manual pages for all commands.
    Man(ManOptions),
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// Scenario files, names of built-in scenarios (`fedbits list`), or patterns such as 'network/*'.
    #[arg(required = true, value_name = "SCENARIO")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub changes: Changes,
    /// Folder of the results. Default: out/NAME; with several scenarios DIR/NAME.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replicates per arm, overriding `replicates` of the scenario.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, 1_000_000_u64))]
    pub replicates: Option<u64>,
    /// Run only part I of N (from 0), without figures; `auto` or `auto/N` use the task variables of SLURM, PBS, SGE,
    /// Kubernetes or HyperQueue.
    #[arg(long, value_name = "I/N|auto")]
    pub shard: Option<RequestedShard>,
    /// Repeat failed runs.
    #[arg(long)]
    pub retry_failed: bool,
    /// Draw no figures.
    #[arg(long)]
    pub no_figures: bool,
    /// Page layout of the figures (also: variable FEDBITS_STYLE). Default: neurips.
    #[arg(
        long,
        value_parser = report::named(Style::ALL.map(report::page), Style::from_name),
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
    /// Check only the text: no data, no costs.
    #[arg(long)]
    pub text_only: bool,
    /// Print every arm's scenario with all defaults and estimates.
    #[arg(long, conflicts_with = "format", conflicts_with = "json")]
    pub resolved: bool,
    /// Limit of processor time for preparing an arm and its pilot.
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
    /// Follow progress until all processes end, also from another machine that shares the folder.
    #[arg(long, conflicts_with_all = ["data", "format", "json"])]
    pub watch: bool,
    /// Folder of data files, searched after the scenario's folder, to detect changes.
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
    /// Folder of the merged results. Default: the first folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompareOptions {
    /// Folders of runs; with several, the first arm is the baseline.
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// Baseline arm, overriding the scenario's.
    #[arg(long, value_name = "ARM")]
    pub baseline: Option<String>,
    /// Additional target, for example mean_field_sq=1e-8 or accuracy>=0.9; repeatable.
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = target)]
    pub target: Vec<PlanTarget>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyOptions {
    /// A folder of runs, or a figure or table from `report`.
    pub path: PathBuf,
    /// The figure's runs: the folders given to `report`.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub runs: Vec<PathBuf>,
    /// Also repeat these runs and compare.
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
    /// Rounds A to B inclusive, or one round.
    #[arg(long, value_name = "A..B", value_parser = rounds, required_unless_present = "slowest")]
    pub rounds: Option<RangeInclusive<u64>>,
    /// The longest round.
    #[arg(long, conflicts_with = "rounds")]
    pub slowest: bool,
    /// Arm, if there are several.
    #[arg(long, value_name = "NAME")]
    pub arm: Option<String>,
    /// Replicate. Default: the first.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0, u64::MAX))]
    pub replicate: Option<u64>,
    /// Folder of trace.json and trace.csv. Default: `traces` in the folder of the runs, where figures find them.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostOptions,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PredictOptions {
    /// A folder of runs, or a file of its `models/`.
    pub model: PathBuf,
    /// Arm of the model, if there are several.
    #[arg(long, value_name = "ARM")]
    pub arm: Option<String>,
    /// Data: the columns of the fitted mixture (others are copied), or subjects, persons or counts as in the fit.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Output CSV file. Default: standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Field separator, `tab` for a tab. Default: detected.
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Format of standard output.
    #[arg(long, value_enum, default_value_t = TableFormat::Csv, conflicts_with = "out")]
    pub format: TableFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExportOptions {
    /// Folders of runs; several get one subfolder each.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// New folder.
    #[arg(long, value_name = "DIR", default_value = "tables")]
    pub out: PathBuf,
    /// Write typed Parquet files instead of CSV.
    #[arg(long)]
    pub parquet: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ArtifactOptions {
    /// Folders of runs.
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// New archive.
    #[arg(long, value_name = "FILE", default_value = "artifact.zip")]
    pub out: PathBuf,
    /// Folder of data files, searched after the scenario's folder (also: variable FEDBITS_DATA).
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Figures and tables of the paper that `report` wrote, or folders of them; repeatable. Each must be what the runs
    /// give.
    #[arg(long, value_name = "PATH")]
    pub figures: Vec<PathBuf>,
    /// Leave data files out: state only their sizes, SHA-256 and, of public data sets, addresses.
    #[arg(long)]
    pub without_data: bool,
    /// Title of the archive. Default: the names of the scenarios.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Author, for the metadata; repeatable. Default: none (double-blind review).
    #[arg(long, value_name = "NAME")]
    pub author: Vec<String>,
    /// Licence of the archive: SPDX identifier, such as CC-BY-4.0, or address.
    #[arg(long, alias = "licence", value_name = "LICENCE")]
    pub license: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DiffOptions {
    /// A folder of runs, a scenario file, or a built-in scenario.
    pub a: String,
    /// The same, to compare with.
    pub b: String,
    /// Arm to compare; given twice, the arms of A and B.
    #[arg(long, value_name = "ARM")]
    pub arm: Vec<String>,
    /// Repeat both runs to describe the first different event.
    #[arg(long)]
    pub replay: bool,
    /// Folder of data files for --replay, in place of the scenario's folder.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatOptions,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum DataCommand {
    /// List data sets with size, licence and location; for a named one also files and SHA-256.
    List(DataListOptions),
    /// Download data sets into the cache, where scenarios find them; resumes partial downloads.
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
    /// Mirror: http, https or file address of FOLDER/FILE.
    #[arg(long, value_name = "ADDRESS")]
    pub from: Option<String>,
    /// Target folder. Default: the cache, $XDG_CACHE_HOME/fedbits/data or ~/.cache/fedbits/data.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewOptions {
    /// `NAME`: all fields of FedEM on a mixture, with other choices as comments, in NAME.ron; `START NAME`: a short
    /// scenario for fedem, vr-fedem, fedmissem, vpem, kmeans, diffusion, flsaem, optimization, centralized or
    /// baselines; `study NAME`: a scenario with axes.
    #[arg(required_unless_present = "from", num_args = 1..=2, value_name = "NAME")]
    pub words: Vec<String>,
    /// Write a scenario that states only differences from this one (built-in or file). With `study NAME`: axes over it.
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["data", "from"])]
    pub base: Option<String>,
    /// Copy this scenario (built-in or file) under the new name; for a folder of runs, write the scenario that
    /// reproduces them.
    #[arg(long, value_name = "SCENARIO", conflicts_with = "data")]
    pub from: Option<String>,
    /// Propose columns, model and clients for this table (CSV, Parquet, .npy, .svm, packed or not; 'hospital-*.csv':
    /// one client per file). With `study NAME`: also axes over it, NAME-fit.ron.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Does the first line hold column names? Default: detected.
    #[arg(long, requires = "data", value_name = "true|false")]
    pub header: Option<bool>,
    /// Field separator, `tab` for a tab. Default: detected.
    #[arg(long, requires = "data", value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Further texts for missing values, separated by commas: `--missing-values=-999,unknown`.
    #[arg(long, requires = "data", value_name = "TEXT,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing_values: Vec<String>,
    /// Columns to leave out, separated by commas (names with commas in double quotes).
    #[arg(long, requires = "data", value_name = "COLUMN,…", allow_hyphen_values = true)]
    pub leave_out: Option<String>,
    /// Accept all proposals without asking.
    #[arg(long, requires = "data")]
    pub yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsOptions {
    /// Shell of the script, which goes to standard output.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// Install the script in the shell's folder (XDG) instead.
    #[arg(long)]
    pub install: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManOptions {
    /// Folder of the pages, created if missing.
    #[arg(required_unless_present = "install")]
    pub dir: Option<PathBuf>,
    /// Install the pages for `man` (XDG folders).
    #[arg(long, conflicts_with = "dir")]
    pub install: bool,
}
