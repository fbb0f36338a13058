//! The options of `fedbits trace`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::HostOptions;
use super::numbers::whole;

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

fn rounds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let whole = |text: &str| text.parse::<u64>().ok();
    match whole(first).zip(whole(last)) {
        Some((first, last)) if first <= last => Ok(first..=last),
        Some(_) => Err("the first round comes after the last".to_owned()),
        None => Err("expected two rounds as in 10..12, or one".to_owned()),
    }
}
