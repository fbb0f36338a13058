//! The entropy of what was sent, against rounds and against the bits that were charged: what a better code could save.
//! A line per arm, for runs that recorded it.
//!
//! This file is a whole program: `fedbits` whose reports draw `bits_up_entropy`.

use std::process::ExitCode;

use fedbits::reports::{About, Arm, Curve, Drawing, Figure, FigureKind, Report, ReportError, XAxis};

/// The column of FedEM.
const COLUMN: &str = "bits_up_entropy";

/// The kind of figure.
pub struct Entropy;

impl FigureKind for Entropy {
    fn about(&self) -> About {
        About {
            name: COLUMN,
            title: "the entropy of what clients sent",
            needs: "the column of that name in `rounds.csv`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let column = |arm: &Arm| arm.column(COLUMN);
        let curves: Vec<Curve> = report.arms().iter().filter_map(column).collect();
        let label = ("entropy of messages (bit)", "the empirical entropy of the levels that clients sent");
        let figure = Figure::new(COLUMN, label, &[XAxis::Rounds, XAxis::BitsUp], &curves);
        report.lines(figure.note("the entropy is no code: nothing is charged by it"))
    }
}

/// `fedbits` with one more kind of figures.
pub fn app() -> fedbits::App {
    fedbits::App::new().figure(Entropy)
}

fn main() -> ExitCode {
    app().main()
}
