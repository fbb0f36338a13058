//! The grammar of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use fedbits_reports::{Format, Style, XAxis};
use fedbits_scenarios::Set;

/// A deterministic simulator of federated expectation–maximization over a network, exact to the bit.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Args {
    /// Say nothing but errors and results.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario: record files and figures.
    Run(RunOptions),
    /// Check a scenario without running it: the resolved scenario and what a run will cost.
    Check(CheckOptions),
    /// Figures and tables from record files.
    Report(ReportCommand),
    /// Run a record again from its manifest and compare the digests.
    Verify(VerifyOptions),
    /// The scenarios that are built in.
    List(ListOptions),
    /// A commented scenario to start from.
    New(NewOptions),
}

/// Which scenario, and how it is changed.
#[derive(Debug, clap::Args)]
pub struct ScenarioOptions {
    /// A scenario file, or the name of a built-in scenario (`fedbits list`).
    pub file: String,
    /// The root seed, instead of the scenario's.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Change a setting, for example `--set protocol.gamma='Constant(0.1)'`; may be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<Set>,
    #[command(flatten)]
    pub host: HostOptions,
}

/// What concerns this machine and no result.
#[derive(Debug, clap::Args)]
pub struct HostOptions {
    /// Where data files are, beside the scenario's own folder (also: the variable FEDBITS_DATA).
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Threads; never changes a result. Default: all cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Write, read back and compare every message's bit string, not a sample.
    #[arg(long)]
    pub audit: bool,
}

#[derive(Debug, clap::Args)]
pub struct RunOptions {
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Where the record goes; default out/NAME.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// No figures.
    #[arg(long)]
    pub no_figures: bool,
    /// A machine-readable summary on standard output.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct CheckOptions {
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Do not load data: text checks only, no costs.
    #[arg(long)]
    pub text_only: bool,
    /// Machine-readable costs on standard output.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ReportCommand {
    /// Records, or folders of records.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Page that the figures are made for.
    #[arg(long, value_enum, default_value_t = Venue::Neurips)]
    pub style: Venue,
    /// Formats.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [FileFormat::Svg, FileFormat::Png, FileFormat::Pdf])]
    pub format: Vec<FileFormat>,
    /// Horizontal axes, a panel each.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Axis::Epochs, Axis::BitsUp, Axis::BitsTotal, Axis::Time])]
    pub x: Vec<Axis>,
    /// One figure per quantity and axis instead of one per quantity with a panel per axis.
    #[arg(long)]
    pub single: bool,
    /// Where the figures go; default DIR/figures.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Name of an arm in the legend, one per arm in the order given.
    #[arg(long, value_name = "TEXT")]
    pub label: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub struct VerifyOptions {
    /// A record, or a folder of records.
    pub dir: PathBuf,
    #[command(flatten)]
    pub host: HostOptions,
}

#[derive(Debug, clap::Args)]
pub struct ListOptions {
    /// Machine-readable.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct NewOptions {
    /// Name of the scenario; the file is NAME.ron.
    pub name: String,
}

/// Pages of venues.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Venue {
    Neurips,
    Icml,
    IcmlWide,
    Ieee,
    IeeeWide,
    Jmlr,
    Slides,
}

impl From<Venue> for Style {
    fn from(venue: Venue) -> Self {
        match venue {
            Venue::Neurips => Self::Neurips,
            Venue::Icml => Self::Icml,
            Venue::IcmlWide => Self::IcmlWide,
            Venue::Ieee => Self::Ieee,
            Venue::IeeeWide => Self::IeeeWide,
            Venue::Jmlr => Self::Jmlr,
            Venue::Slides => Self::Slides,
        }
    }
}

/// Horizontal axes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Axis {
    Rounds,
    Epochs,
    BitsUp,
    BitsTotal,
    Time,
}

impl From<Axis> for XAxis {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::Rounds => Self::Rounds,
            Axis::Epochs => Self::Epochs,
            Axis::BitsUp => Self::BitsUp,
            Axis::BitsTotal => Self::BitsTotal,
            Axis::Time => Self::Time,
        }
    }
}

/// Formats of figures.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FileFormat {
    Svg,
    Png,
    Pdf,
    Tex,
}

impl From<FileFormat> for Format {
    fn from(format: FileFormat) -> Self {
        match format {
            FileFormat::Svg => Self::Svg,
            FileFormat::Png => Self::Png,
            FileFormat::Pdf => Self::Pdf,
            FileFormat::Tex => Self::Tex,
        }
    }
}
