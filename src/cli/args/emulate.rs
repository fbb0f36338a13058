//! The options of `fedbits emulate`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::numbers::whole;
use super::scenario::ScenarioOptions;
use crate::cli::format::FormatOptions;
use crate::options::bytes;

/// Seconds.
const DAY: u64 = 86_400;

#[derive(Debug, clap::Args)]
pub(crate) struct EmulateOptions {
    #[command(flatten)]
    pub scenario: ScenarioOptions,
    /// Play this arm; may be repeated. Default: all.
    #[arg(long, value_name = "NAME")]
    pub arm: Vec<String>,
    /// Rounds to play of each arm; default: as the arm says, but at most 20.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1, u64::MAX))]
    pub rounds: Option<u64>,
    /// How often each arm is played.
    #[arg(
        long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
        value_parser = whole(1, 1000_u32)
    )]
    pub repeat: u32,
    /// What would take longer, by the simulation, is refused; what takes longer is ended.
    #[arg(
        long, value_name = "SECONDS", default_value_t = 120, allow_negative_numbers = true,
        value_parser = whole(1, DAY)
    )]
    pub max_seconds: u64,
    /// The congestion control of TCP: cubic, reno, bbr, or what else the kernel has; default: as `sharing: Tcp(…)`
    /// says, else cubic.
    #[arg(long, value_name = "NAME")]
    pub congestion: Option<String>,
    /// Let TCP keep its window while a connection is idle (net.ipv4.tcp_slow_start_after_idle = 0); Linux's default is
    /// to begin anew with a small one.
    #[arg(long)]
    pub keep_window: bool,
    /// In which order every link sends what waits for it; default: as the scenario says in `network.queues`.
    #[arg(long, value_enum)]
    pub queue: Option<QueueOption>,
    /// Room of every link's queue, for example 64kB; default: what the scenario says of its links, else 10MB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub room: Option<u64>,
    /// Folder of the record; default out/NAME-emulation.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// No figures.
    #[arg(long)]
    pub no_figures: bool,
    #[command(flatten)]
    pub format: FormatOptions,
}

/// Orders of sending.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum QueueOption {
    /// As it came.
    Fifo,
    /// A packet of each sender and receiver in turn.
    Fair,
}
