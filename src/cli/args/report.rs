//! The options of `fedbits report`.

use std::path::PathBuf;

use clap::ValueEnum;
use fedbits_reports::{Format, Style, XAxis, XScale};

#[derive(Debug, clap::Args)]
pub struct ReportCommand {
    /// A study's directory; or records, or folders of records.
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Page that the figures are made for.
    #[arg(long, value_enum, default_value_t = Venue::Neurips)]
    pub style: Venue,
    /// Formats.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_values_t = [FileFormat::Svg, FileFormat::Png, FileFormat::Pdf, FileFormat::Html]
    )]
    pub format: Vec<FileFormat>,
    /// Horizontal axes, a panel each.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_values_t = [Axis::Epochs, Axis::BitsUp, Axis::BitsTotal, Axis::Time]
    )]
    pub x: Vec<Axis>,
    /// One figure per quantity and axis instead of one per quantity with a panel per axis.
    #[arg(long)]
    pub single: bool,
    /// Scale of the horizontal axes; `auto`: logarithmic where the arms' ends differ by a factor of ten or more.
    #[arg(long, value_enum, default_value_t = XScaleChoice::Auto)]
    pub x_scale: XScaleChoice,
    /// Panels over the same quantity have horizontal axes of their own, instead of one range and unit for all.
    #[arg(long)]
    pub free_x: bool,
    /// Where the figures go; default DIR/figures.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show this arm, in the order given; may be repeated. Default: all.
    #[arg(long, value_name = "ARM")]
    pub arm: Vec<String>,
    /// Axes of a study for the rows and the columns of its heat maps; default: the first two that vary.
    #[arg(long, value_name = "ROWS,COLUMNS", value_parser = axes)]
    pub axes: Option<(String, String)>,
    /// Name of an arm in the legend, one per arm in the order given.
    #[arg(long, value_name = "TEXT")]
    pub label: Vec<String>,
    /// Decades of ‖h‖² per round that theory predicts for an arm (`fedbits check` prints them), drawn beside its curve.
    #[arg(long, value_name = "ARM=DECADES", value_parser = slope, allow_hyphen_values = true)]
    pub slope: Vec<(String, f64)>,
}

fn axes(text: &str) -> Result<(String, String), String> {
    let (rows, columns) = text.split_once(',').ok_or("expected ROWS,COLUMNS: the names of two axes of the study")?;
    Ok((rows.trim().to_owned(), columns.trim().to_owned()))
}

fn slope(text: &str) -> Result<(String, f64), String> {
    let (arm, decades) = text.rsplit_once('=').ok_or("expected ARM=DECADES, such as FedEM=-0.002")?;
    match decades.trim().parse() {
        Ok(decades) if (-300.0..0.0).contains(&decades) => Ok((arm.to_owned(), decades)),
        _ => Err(format!("`{decades}` is no slope: expected a number from -300 to below 0")),
    }
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

/// Scales of horizontal axes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum XScaleChoice {
    Auto,
    Log,
    Linear,
}

impl From<XScaleChoice> for XScale {
    fn from(choice: XScaleChoice) -> Self {
        match choice {
            XScaleChoice::Auto => Self::Auto,
            XScaleChoice::Log => Self::Log,
            XScaleChoice::Linear => Self::Linear,
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
    /// One interactive page.
    Html,
}

impl From<FileFormat> for Format {
    fn from(format: FileFormat) -> Self {
        match format {
            FileFormat::Svg => Self::Svg,
            FileFormat::Png => Self::Png,
            FileFormat::Pdf => Self::Pdf,
            FileFormat::Tex => Self::Tex,
            FileFormat::Html => Self::Html,
        }
    }
}
