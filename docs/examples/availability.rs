//! Who can be selected when: clients in shifts of the same length, one after the other.
//!
//! Client i is there in shift i mod S: from k·length to (k + 1)·length, for k = i mod S, S + (i mod S), ….
//!
//! This file is a whole program: `fedbits` whose scenarios can say `availability: Shifts(length: "8 h", shifts: 3)`.

use std::process::ExitCode;

use fedbits::kernel::{AvailabilitySetting, NodeId, Presence, Time, TimeDelta};
use fedbits::random::Streams;
use fedbits::spec::range::{LONG_DURATION, whole};
use fedbits::spec::{Described, Duration};
use serde::{Deserialize, Serialize};

/// Clients in shifts, one after the other.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Shifts {
    /// How long a shift is.
    #[range(LONG_DURATION)]
    length: Duration,
    /// S, the number of shifts.
    #[range(whole(1, 100))]
    shifts: u64,
}

// What a scenario needs of it.
impl AvailabilitySetting for Shifts {
    fn build(&self, _nodes: usize) -> Box<dyn Presence> {
        Box::new(Clock { length: TimeDelta::of(self.length).as_nanos().max(1), shifts: self.shifts })
    }

    fn share(&self, _clients: usize) -> Option<f64> {
        Some(1.0 / self.shifts as f64)
    }

    fn examples() -> Vec<Self> {
        let of = |seconds, shifts| Self { length: Duration::Sec(seconds), shifts };
        vec![of(10.0, 3), of(28_800.0, 1)]
    }
}

struct Clock {
    /// In nanoseconds.
    length: u64,
    shifts: u64,
}

impl Clock {
    /// The shift that begins or goes on at `now`, counted from the beginning.
    fn shift(&self, now: Time) -> u64 {
        now.as_nanos() / self.length
    }

    /// When a shift begins; none beyond the end of the clock.
    fn start(&self, shift: u64) -> Option<Time> {
        shift.checked_mul(self.length).map(Time::from_nanos)
    }
}

// Node 0 is the server, node i + 1 client i. A model that draws takes its numbers from the streams, at the address
// (Availability, node, index): who asks how often must change nothing.
impl Presence for Clock {
    fn is_available(&mut self, _: &Streams, node: NodeId, _round: u64, now: Time) -> bool {
        self.shift(now) % self.shifts == u64::from(node.0.saturating_sub(1)) % self.shifts
    }

    // Later than now, always.
    fn next_after(&mut self, _: &Streams, node: NodeId, now: Time) -> Option<Time> {
        let (turn, shift) = (u64::from(node.0.saturating_sub(1)) % self.shifts, self.shift(now));
        self.start(shift + (turn + self.shifts - shift % self.shifts) % self.shifts)
    }

    fn until(&mut self, _: &Streams, _: NodeId, now: Time) -> Option<Time> {
        if self.shifts == 1 { None } else { self.start(self.shift(now) + 1) }
    }
}

/// `fedbits` with one more availability.
pub fn app() -> fedbits::App {
    fedbits::App::new().availability::<Shifts>()
}

fn main() -> ExitCode {
    app().main()
}

/// The next time is the first, the end the last, and who asks how often changes nothing.
#[test]
fn it_obeys_the_laws_of_availabilities() {
    fedbits::laws::availability::<Shifts>();
}
