//! FedEM: its pure halves against golden vectors, its rounds over the engine.

mod acknowledgement;
mod baselines;
pub mod common;
mod descents;
mod fed_avg;
mod golden;
mod imputation;
mod one_round;
mod partition;
mod personalized;
mod policies;
mod privacy;
mod reference;
mod rounds;
mod secure;
mod theory;
mod vr_golden;
mod vr_rounds;
