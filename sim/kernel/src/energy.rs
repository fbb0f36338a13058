//! What nodes draw: power in each state, as a scenario names it. See [`crate::TimeUse`] for the times.

use fedbits_spec::Described;
use fedbits_spec::laws::PowerLaw;
use fedbits_spec::units;
use serde::{Deserialize, Serialize};

use crate::Power;

/// Power of a client, drawn once. Concurrent activities add up; unavailable or restarting clients use none.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Powers")]
pub struct EnergySetting {
    /// While computing.
    pub compute: PowerLaw,
    /// While its message is under way.
    pub send: PowerLaw,
    /// While a message to it is under way.
    pub receive: PowerLaw,
    /// While available without these activities.
    #[serde(default = "no_power")]
    pub idle: PowerLaw,
    /// Power of the server; without it none is counted.
    #[serde(default)]
    pub server: Option<ServerPower>,
}

/// Power of the server.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPower {
    /// In one place, and in timed steps, coding and decoding.
    #[serde(default = "zero")]
    #[range(fedbits_spec::range::POWER)]
    pub compute: units::Power,
    /// While a message to any client is under way.
    #[serde(default = "zero")]
    #[range(fedbits_spec::range::POWER)]
    pub send: units::Power,
    /// While receiving.
    #[serde(default = "zero")]
    #[range(fedbits_spec::range::POWER)]
    pub receive: units::Power,
    /// While idle.
    #[serde(default = "zero")]
    #[range(fedbits_spec::range::POWER)]
    pub idle: units::Power,
}

fn no_power() -> PowerLaw {
    PowerLaw::W(0.0)
}

fn zero() -> units::Power {
    units::Power::W(0.0)
}

impl ServerPower {
    /// In watts.
    #[must_use]
    pub fn power(&self) -> Power {
        let Self { compute, send, receive, idle } = self;
        Power { compute: compute.watts(), send: send.watts(), receive: receive.watts(), idle: idle.watts() }
    }
}

impl EnergySetting {
    /// The laws with their paths in a scenario, in the order of [`Power`].
    #[must_use]
    pub fn laws(&self) -> [(&'static str, &PowerLaw); 4] {
        [
            ("energy.compute", &self.compute),
            ("energy.send", &self.send),
            ("energy.receive", &self.receive),
            ("energy.idle", &self.idle),
        ]
    }

    /// The tables that it needs.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.laws().into_iter().filter_map(|(_, law)| law.table()).map(|table| table.path)
    }
}
