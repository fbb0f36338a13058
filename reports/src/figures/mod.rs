//! The kinds of figures, each with what it shows and how it is drawn, and what several of them share.

pub(crate) mod bars;
mod cells;
mod clip;
mod convergence;
pub(crate) mod facets;
pub(crate) mod figure;
mod heat;
mod held_out;
mod layout;
pub(crate) mod ledger;
pub(crate) mod left_out;
mod links;
mod marks;
mod numbers;
mod objective_gap;
pub(crate) mod panels;
mod parameters;
mod pareto;
mod plot;
mod predictive;
mod predictive_panels;
mod purposes;
mod references;
mod round_time;
mod scatter;
mod time;
mod topology;
mod trend;
mod trend_panels;
pub(crate) mod units;
mod weights;

use crate::kind::FigureKind;

/// The kinds of this crate, in the order of their figures.
pub(crate) const BUILTIN: &[&dyn FigureKind] = &[
    &convergence::Convergence,
    &objective_gap::ObjectiveGap,
    &weights::Weights,
    &parameters::Parameters,
    &held_out::HeldOut,
    &heat::HeatMaps,
    &pareto::ParetoFronts,
    &ledger::LedgerBars,
    &links::LinkBars,
    &time::ClientTimes,
    &round_time::RoundTimes,
    &predictive::PredictiveChecks,
    &trend::Trends,
    &topology::Topologies,
];
