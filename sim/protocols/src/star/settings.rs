//! Settings of the shared code of star protocols; what a protocol tells that code, and what it is given: conventions,
//! contributions, steps.

use fedbits_kernel::{Availability, Bits};

use crate::aggregation::Aggregation;
use crate::byzantine::Byzantine;
use crate::error::{ProtocolError, Result};
use crate::payload::Contribution;
use crate::plan::{Late, Participation, RoundPolicy};
use crate::privacy::{Against, Claim, Privacy};
use crate::problem::Problem;
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

    /// What may be claimed of the privacy of a run: everybody who is asked contributes, and broadcasts do not tell who
    /// did, or nothing is said of chance.
    pub(super) fn claim(&self, conventions: &Conventions, clients: u32) -> Option<Claim> {
        let Some(Privacy::Gaussian(gaussian)) = self.privacy else { return None };
        let complete = self.policy == RoundPolicy::WaitForAll && !self.can_miss();
        let is_silent = !conventions.acknowledges && !conventions.personal;
        Some(match (gaussian.against, self.aggregation, self.participation) {
            (Against::Server, aggregation, _) if !aggregation.is_secure() => Claim::Messages,
            (Against::Outsiders, aggregation, Participation::Bernoulli(p)) if complete && is_silent => {
                Claim::Sampled { p, n: clients, least: aggregation.least() }
            }
            _ => Claim::Sums,
        })
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

/// What a protocol needs from the shared code of star protocols; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Bits of constants that clients and server exchange once before the first round; zero for most models.
    pub constants: Bits,
    /// Do clients upload initial memories V₀,ᵢ? Then there is a round 0 with everybody.
    pub initial_memories: bool,
    /// Do broadcasts tell the receiver whether its last contribution was used, by one bit?
    pub acknowledges: bool,
    /// Do broadcasts say to each receiver what it alone has missed? Who sees them sees who took part.
    pub personal: bool,
    /// Why the run ends with the first round that has made a step, where it does.
    pub only_round: Option<&'static str>,
    /// The entries of what clients report that are means of components, from the first to before the second.
    pub means: Option<[usize; 2]>,
}

/// Has everybody contributed?
///
/// # Errors
/// When somebody has not.
pub(crate) fn all_arrived(clients: u32, arrived: &[Contribution]) -> Result<()> {
    let missing = clients as usize - arrived.len();
    if missing > 0 { Err(ProtocolError::Missing(missing)) } else { Ok(()) }
}

impl Conventions {
    /// With the constants of the problem's model, as floats of 64 bits: rounding them would change the model.
    #[must_use]
    pub fn of(problem: &dyn Problem) -> Self {
        let constants = problem.federation().map_or(0, |federation| federation.model().constants_dimension());
        Self { constants: Bits::new(64 * constants as u64), ..Self::default() }
    }
}

/// What the server's step did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// ‖H‖² of the step.
    pub field_sq: f64,
    /// Were the contributions used (false: the round was skipped)?
    pub used: bool,
}

/// The part of a broadcast that differs by receiver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnPart {
    /// Its length without the memory.
    pub bits: Bits,
    /// Does it hold more than what everybody who took part in the last step needs?
    pub catches_up: bool,
    /// The receiver's memory V_i (q floats of 64 bits), where it is to take it over.
    pub memory: Option<Vec<f64>>,
}
