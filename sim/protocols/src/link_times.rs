//! What links carried between chosen rounds: differences of the accounts of links. It never feeds back.

use std::collections::BTreeMap;

use fedbits_kernel::network::LinkId;
use fedbits_kernel::{LinkLedger, Time};

/// What a link carried in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkInterval {
    /// The round that was closed when it ended.
    pub round: u64,
    /// When it began and ended.
    pub times: [Time; 2],
    /// A direction over a link.
    pub link: LinkId,
    /// Payload, headers, and bits that were sent again.
    pub bits: [u64; 3],
}

/// The intervals so far.
#[derive(Debug, Default)]
pub(crate) struct LinkTimes {
    since: Time,
    carried: BTreeMap<LinkId, [u64; 3]>,
    rows: Vec<LinkInterval>,
}

impl LinkTimes {
    /// An interval ends now, with this round. Messages that are booked anew keep their bits: nothing is taken back.
    pub(crate) fn note(&mut self, round: u64, now: Time, links: &LinkLedger) {
        let times = [self.since, now];
        let carried = links.carried();
        for (&link, now) in &carried {
            let before = self.carried.get(&link).copied().unwrap_or_default();
            let bits = std::array::from_fn(|kind| now[kind] - before[kind]);
            if bits != [0; 3] {
                self.rows.push(LinkInterval { round, times, link, bits });
            }
        }
        (self.since, self.carried) = (now, carried);
    }

    pub(crate) fn into_rows(self) -> Vec<LinkInterval> {
        self.rows
    }
}
