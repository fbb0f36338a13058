//! Held-out perplexity against what it cost: a line per arm, for runs that recorded it.

use super::figure::Figure;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_figures::XAxis;

/// The column of topic models.
const COLUMN: &str = "perplexity_held_out";

/// The kind of figure.
pub(crate) struct HeldOut;

impl FigureKind for HeldOut {
    fn about(&self) -> About {
        About {
            name: COLUMN,
            title: "topic models on words that they have not seen",
            needs: "the column of that name in `rounds.csv`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let curves: Vec<_> = report.arms().iter().filter_map(|arm| arm.column(COLUMN)).collect();
        let label = ("held-out perplexity", "the perplexity of held-out words");
        report.lines(Figure::new(COLUMN, label, &[XAxis::Rounds, XAxis::BitsUp, XAxis::Time], &curves).logarithmic())
    }
}
