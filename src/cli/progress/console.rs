//! How much is printed on standard error.

use std::io::IsTerminal;
use std::sync::Arc;

use fedbits_record::Claim;
use fedbits_spec::CountedCaveat;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::style::WARN;
use crate::cli::wrap::error_line;

#[derive(Clone)]
pub(crate) struct Console {
    pub(crate) quiet: bool,
    pub(super) verbose: bool,
    terminal: bool,
    /// Where other processes read the progress.
    pub(super) claim: Option<Arc<Claim>>,
}

impl Console {
    /// Prints caveats with the runs that have them, however quiet.
    pub(crate) fn caveats(&self, caveats: &[CountedCaveat]) {
        caveats.iter().for_each(|caveat| error_line(format_args!("{WARN}caveat:{WARN:#} {caveat}")));
    }

    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        Self { quiet, verbose, terminal: std::io::stderr().is_terminal(), claim: None }
    }

    pub(crate) fn reporting(&self, claim: Claim) -> Self {
        Self { claim: Some(Arc::new(claim)), ..self.clone() }
    }

    pub(super) fn has_bars(&self) -> bool {
        self.terminal && !self.quiet
    }

    /// A bar of the bytes of a file, where somebody looks.
    pub(crate) fn bytes(&self, name: &str, bytes: u64) -> ProgressBar {
        let target = if self.has_bars() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        let style = ProgressStyle::with_template("{msg} [{bar:20}] {bytes}/{total_bytes} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.with_message(name.to_owned())
    }
}
