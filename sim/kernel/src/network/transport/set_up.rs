//! Set-ups of connections under way: how much of one has been sent when its message is cut off. This file must not know
//! transfers.

use std::collections::BTreeMap;

use crate::{Time, TimeDelta};

/// When the set-ups under way began, by the parcel that waits for its end.
#[derive(Debug, Default)]
pub(super) struct SetUps(BTreeMap<u32, Time>);

impl SetUps {
    /// A parcel begins to wait.
    pub(super) fn begin(&mut self, parcel: u32, now: Time) {
        self.0.insert(parcel, now);
    }

    /// A parcel waits no more; how long it has waited, if it did.
    pub(super) fn end(&mut self, parcel: u32, now: Time) -> Option<TimeDelta> {
        self.0.remove(&parcel).map(|began| now - began)
    }
}

/// Headers that have left after `elapsed` of a set-up of `round_trips`: one at the beginning of each, and its answer
/// when it has arrived, which takes `forth`.
pub(super) fn headers(elapsed: TimeDelta, forth: TimeDelta, back: TimeDelta, round_trips: u32) -> u64 {
    let all = 2 * u64::from(round_trips);
    let [elapsed, forth, round_trip] = [elapsed, forth, forth + back].map(TimeDelta::as_nanos);
    let Some(answered) = elapsed.checked_div(round_trip) else { return all };
    (2 * answered + 1 + u64::from(elapsed % round_trip >= forth)).min(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_leave_one_after_the_other() {
        let after =
            |elapsed| headers(TimeDelta::from_nanos(elapsed), TimeDelta::from_nanos(3), TimeDelta::from_nanos(7), 2);
        assert_eq!([0, 2, 3, 9, 10, 12, 13, 19, 20, 1_000].map(after), [1, 1, 2, 2, 3, 3, 4, 4, 4, 4]);
        assert_eq!(headers(TimeDelta::ZERO, TimeDelta::ZERO, TimeDelta::ZERO, 3), 6);
    }
}
