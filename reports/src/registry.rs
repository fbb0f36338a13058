//! The kinds of figures that a report has.

use crate::error::ReportError;
use crate::figures;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use std::fmt;

/// The kinds of this crate, in the order of their figures.
const BUILTIN: &[&dyn FigureKind] = &[
    &figures::convergence::Convergence,
    &figures::objective_gap::ObjectiveGap,
    &figures::weights::Weights,
    &figures::parameters::Parameters,
    &figures::held_out::HeldOut,
    &figures::heat::HeatMaps,
    &figures::pareto::ParetoFronts,
    &figures::ledger::LedgerBars,
    &figures::links::LinkBars,
    &figures::time::ClientTimes,
    &figures::round_time::RoundTimes,
    &figures::predictive::PredictiveChecks,
    &figures::trend::Trends,
    &figures::topology::Topologies,
    &figures::emulation::Emulations,
];

/// The kinds of figures that a report has, in their order.
///
/// ```
/// use fedbits_reports::Figures;
/// assert!(Figures::builtin().kinds().any(|kind| kind.about().name == "ledger"));
/// ```
#[derive(Default)]
pub struct Figures {
    further: Vec<Box<dyn FigureKind>>,
}

impl fmt::Debug for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.kinds().map(|kind| kind.about().name)).finish()
    }
}

impl Figures {
    /// The kinds of this crate.
    #[must_use]
    pub fn builtin() -> Self {
        Self::default()
    }

    /// These and one more, behind them.
    #[must_use]
    pub fn with(mut self, kind: Box<dyn FigureKind>) -> Self {
        self.further.push(kind);
        self
    }

    /// All kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn FigureKind> {
        BUILTIN.iter().copied().chain(self.further.iter().map(|kind| &**kind))
    }

    /// All kinds as a table in Markdown.
    #[must_use]
    pub fn table(&self) -> String {
        let row = |About { name, title, needs }| format!("| `{name}` | {title} | {needs} |\n");
        format!(
            "| kind | shows | from |\n|---|---|---|\n{}",
            self.kinds().map(|kind| row(kind.about())).collect::<String>()
        )
    }

    /// Every figure of every kind.
    pub(crate) fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let mut drawn: Vec<Drawing> = Vec::new();
        for kind in self.kinds() {
            let own = kind.draw(report)?;
            if let Some(twice) = own.iter().find(|own| drawn.iter().any(|other| other.name == own.name)) {
                let (kind, name) = (kind.about().name.to_owned(), twice.name.clone());
                return Err(ReportError::FigureTwice { kind, name });
            }
            drawn.extend(own);
        }
        Ok(drawn)
    }
}
