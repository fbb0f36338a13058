//! Settings of the shared code of star protocols.

use fedbits_kernel::{Availability, Bits};

use crate::aggregation::Aggregation;
use crate::byzantine::Byzantine;
use crate::plan::{Late, Participation, RoundPolicy};
use crate::privacy::Privacy;
use crate::robust::Combiner;

/// Settings of the shared code of star protocols; by default rounds of all clients, which are always available.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// Who closes a round.
    pub policy: RoundPolicy,
    /// What happens to contributions that arrive after their round.
    pub late: Late,
    /// Who is asked.
    pub participation: Participation,
    /// Who can be asked.
    pub availability: Availability,
    /// Do clients lose their state when they drop out?
    pub forgets: bool,
    /// How the server learns the sum of contributions.
    pub aggregation: Aggregation,
    /// What hides a client in it.
    pub privacy: Option<Privacy>,
    /// Who lies, and how.
    pub byzantine: Option<Byzantine>,
    /// Can contributions be lost or cut off that were asked for?
    pub loses: bool,
    /// Standard deviation of the logarithm of a factor (median 1) by which the duration of each computation varies, if
    /// it does.
    pub variation: Option<f64>,
    /// What the preparation of the data takes before everything else.
    pub preparation: Upfront,
}

impl Rounds {
    /// Do contributions to closed rounds count, and is therefore nobody asked before its contribution is in or lost?
    pub(super) fn carries(&self) -> bool {
        self.policy.buffer().is_some() || self.late == Late::Apply
    }

    /// Can clients be missing in all rounds whom no fair draw leaves out: lost, too slow, or gone by the clock?
    pub(super) fn can_leave_out(&self) -> bool {
        self.loses || self.policy != RoundPolicy::WaitForAll || self.availability.build(1).goes_by_the_clock()
    }

    /// What the server, or the record, does with what arrives from so many clients; none where all are honest and
    /// their vectors are added.
    pub(super) fn combiner(&self, clients: u32) -> Option<Combiner> {
        let robust = match self.aggregation {
            Aggregation::Robust(robust) => Some(robust),
            Aggregation::Plain | Aggregation::SecureAggregation(_) => None,
        };
        let is_byzantine = self.byzantine.as_ref().map(|byzantine| byzantine.clients.are_among(clients));
        let combines = robust.is_some() || is_byzantine.is_some();
        combines.then(|| Combiner::new(robust, is_byzantine.unwrap_or_else(|| vec![false; clients as usize])))
    }

    /// Can a contribution be missing that was asked for, or somebody who might have been asked?
    #[must_use]
    pub fn can_miss(&self) -> bool {
        self.loses || self.availability != Availability::default()
    }
}

/// Bits that every client sends once, and what the server answers each.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Upfront {
    /// Bits from each client.
    pub up: Bits,
    /// Bits to each client.
    pub down: Bits,
}
