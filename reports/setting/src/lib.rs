//! What a scenario or a study says of its figures: which kind, which quantities over which axes, which arms. Described
//! once; scenarios read it, records keep it, and the reports draw it. It knows no record and no drawing.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod arms;
mod curves;
mod figure;
mod runs;
mod targets;
mod x_axis;

pub use arms::ShownArm;
pub use curves::{ArmsPanel, Band, Curves, Limits, Mark, Panels, Scale};
pub use figure::{Figure, FigureKind};
pub use runs::{ClientAxis, Ecdf, Mixture, MixtureView, ParticipationFigure, Timed};
pub use targets::{Cost, CostFigure, Forest, ForestOrder, Heat, RaceFigure, ReachFigure, Reported, Target, TradeOff};
pub use x_axis::{AXES, XAxis};

/// What begins the name of a parameter, as a quantity of curves.
pub const PARAMETER: &str = "theta.";
/// The gap of the objective, as a quantity of curves.
pub const GAP: &str = "objective_gap";
/// The simulated time of a run divided by its rounds, as a quantity at the ends of runs.
pub const PER_ROUND: &str = "seconds_per_round";

/// Names of the tables that stand beside the figures of a report: no figure has them.
pub const TABLES: [&str; 2] = ["accuracy", "complexity"];
