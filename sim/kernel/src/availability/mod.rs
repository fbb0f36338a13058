//! When clients can be selected: computed on demand from addressed streams, so that nothing ticks for an idle client.
//!
//! Being available decides about being selected, and about nothing else: who works on something finishes it, unless it
//! drops out ([`crate::Hazard`]). The answer depends on the client and the time (or round) only, never on who asks how
//! often, so that different protocols meet the same clients.

mod diurnal;
pub mod laws;
mod on_off;
mod rounds;
mod setting;
mod trace;

use fedbits_spec::{Choice, kind};

pub use diurnal::Diurnal;
pub use on_off::{Durations, OnOff};
pub use rounds::{Always, Bernoulli};
pub use setting::{AvailabilitySetting, Presence};
pub use trace::{Interval, Trace};

/// Whether a client can be selected, as a scenario names it.
pub type Availability = Choice<dyn AvailabilitySetting>;

kind! {
    /// When a client can be selected; only `dropout` interrupts a selected client.
    dyn AvailabilitySetting as "Availability", default Some(std::sync::Arc::new(Always {}));
    Always, Bernoulli, OnOff, Diurnal, Trace,
}

#[cfg(test)]
mod tests;
