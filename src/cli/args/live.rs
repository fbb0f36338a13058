//! `--live`.

use crate::cli::project;

/// Whether a screen is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct LiveOptions {
    /// Show curve, pace and caveats on a screen while it runs, where there is a terminal (also: the variable
    /// FEDBITS_LIVE); `--live=no`: do not.
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = project::yes_or_no, conflicts_with = "quiet",
    )]
    pub live: Option<bool>,
}

impl LiveOptions {
    /// As the option says, else as the project does.
    pub(crate) fn wanted(&self) -> bool {
        self.live.or(project::get().live).unwrap_or(false)
    }
}
