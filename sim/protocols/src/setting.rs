//! What a scenario says of a protocol: its parameters, what they need of the run around them, and how it is built.

use fedbits_codec::WireFloat;
use fedbits_kernel::Dropout;
use fedbits_models::ModelSetting;
use fedbits_models::fit::ExactSetting;
use fedbits_random::Streams;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Facts, Findings, Part, Path};

use crate::fedem::{BatchRule, Domain, MAX_BATCH};
use crate::federation::Weighting;
use crate::footprint::{self, Kept, Sizes};
use crate::over::Over;
use crate::plan::{Late, Participation, RoundPolicy};
use crate::robust::Robust;

/// Rounds that repeat by chance are met this number of times in a cycle, for their mean.
pub(crate) const DRAWN_CYCLES: u64 = 10;

/// A protocol with its parameters, which a scenario names: `FedEm(gamma: Constant(1.0))`.
///
/// All questions but [`ProtocolSetting::over`] have the answer of a star protocol whose clients remember nothing and
/// send statistics whole.
///
/// ```
/// use fedbits_protocols::fedem::FedEmSetting;
/// use fedbits_protocols::over::Over;
/// use fedbits_protocols::schedule::Schedule;
/// use fedbits_protocols::setting::ProtocolSetting;
///
/// let fed_em = FedEmSetting::of(Schedule::Constant(0.5));
/// assert!(matches!(fed_em.over(), Over::Examples(_)) && fed_em.profile().takes_older);
/// // Its examples come to their end, conserve bits, and are the same for the same seed.
/// fedbits_protocols::laws::protocol::<FedEmSetting>();
/// ```
pub trait ProtocolSetting: Part {
    /// The kind of problem that it works on, with its construction for it.
    fn over(&self) -> Over<'_>;

    /// What it is, whatever the run around it: by default a protocol that has nothing of its own in [`Profile`].
    fn profile(&self) -> Profile {
        Profile::default()
    }

    /// Can it fit this model? The caller has only checked that its statistics are short.
    fn takes(&self, _model: &dyn ExactSetting) -> bool {
        true
    }

    /// Which examples have each block of features, flags per block; none where all have all.
    fn observed(&self, _blocks: usize, _examples: usize, _streams: &Streams) -> Option<Vec<Vec<bool>>> {
        None
    }

    /// Is ‖h(Ŝ)‖² measured with this model? Not at a mean of parameters that no statistic is the expectation of.
    fn measures_field(&self, _model: &dyn ExactSetting) -> bool {
        true
    }

    /// Does an iteration with this many clients (if known) send anything?
    fn sends(&self, clients: Option<u64>) -> bool {
        !self.profile().is_centralized && (clients != Some(1) || !self.over().is_among_peers())
    }

    /// What it keeps in memory.
    fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
        let Profile { is_centralized, participation, .. } = self.profile();
        if is_centralized { Vec::new() } else { Kept::nothing(sizes.statistic).parts(sizes, participation) }
    }

    /// Adds findings about combinations of the protocol with the model, rounds and failures. Paths begin at the
    /// scenario.
    ///
    /// The default is for servers that take the mean of the contributions that arrived, without memories of missing
    /// clients. Others call the checks of [`RunFacts`] that apply to them.
    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if !self.profile().is_centralized && self.over().has_rounds() {
            run.check_early(findings);
            run.check_mean(findings);
        }
    }

    /// Adds the reasons why its server needs more than the sum of what clients send, for secure aggregation.
    fn check_sum(&self, _run: &RunFacts<'_>, findings: &mut Findings) {
        let found = "it is not known of this protocol that its server needs no more than the sum of what clients send";
        findings.error("aggregation", found, "expected `Plain`, or the protocol `FedEm` or `FlSaem`");
    }

    /// Adds the reasons why a robust rule cannot take the place of its server's sum.
    fn check_robust(&self, _run: &RunFacts<'_>, findings: &mut Findings) {
        let found = "the server of this protocol needs the mean of what clients send, or more of them than one vector";
        let expected = "expected `Plain`, or the protocol `FedEm`, `DistributedEm`, `Ef21`, `Marina`, \
            `GradientAscent`, `FedAvgEm` or `FlSaem`";
        findings.error("aggregation", found, expected);
    }

    /// Adds what its clients reveal besides the clipped, noisy vectors. `shared`: the clients of a round share the
    /// noise.
    fn check_privacy(&self, _run: &RunFacts<'_>, _shared: bool, findings: &mut Findings) {
        let found = "what the clients of this protocol send is not clipped and disturbed";
        findings.error("privacy", found, "expected none, or the protocol `FedEm` or `FlSaem`");
    }

    /// Representative parameters, for three clients: the laws of protocols are tested over them.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}

/// What a protocol is, whatever the run around it. The default is a star protocol of all clients, which remember
/// nothing and send statistics in full.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Are all data in one place: no clients, no network, no rounds to close?
    pub is_centralized: bool,
    /// Who takes part in a round.
    pub participation: Participation,
    /// Does every client send a message before round 1?
    pub begins_with_everybody: bool,
    /// What happens when the statistic leaves the domain of T.
    pub domain: Domain,
    /// The floats in which whole statistics travel: T takes differences of their entries.
    pub statistic_floats: WireFloat,
    /// What it minimizes, where that is not the objective of its model.
    pub other_objective: Option<&'static str>,
    /// Has each client parameters of its own, at which what is measured is measured?
    pub is_personalized: bool,
    /// How clients are weighted in the mean.
    pub weighting: Weighting,
    /// Can a step use contributions to older broadcasts (`late: Apply`, `round: Asynchronous` or `Buffered`)?
    pub takes_older: bool,
    /// Do clients send θ_i, each a vote of its own?
    pub sends_parameters: bool,
    /// Does it use only the statistic and the map T of a model?
    pub needs_only_the_map: bool,
    /// Importance draws per subject by which likelihoods are estimated; none: as many as the model takes by itself.
    pub likelihood_draws: Option<u32>,
    /// Names of the columns that its runs can add to `rounds.csv`, whatever the data; none if only a run can tell.
    pub columns: Option<Vec<&'static str>>,
    /// Does it end by itself, whatever the rules of `stop`?
    pub ends_itself: bool,
    /// Does its server, or the one place, make conditional expectations of its own?
    pub computes_at_server: bool,
    /// Can it continue without a lost message? Nobody asks protocols whose server closes rounds.
    pub copes_with_losses: bool,
    /// Can it fit covariances of constant columns?
    pub copes_with_constants: bool,
    /// The period, in rounds, of the costs of a round; none where all rounds cost the same.
    pub cycle: Option<u64>,
}

impl Profile {
    /// Of a protocol that has all data in one place.
    #[must_use]
    pub fn centralized() -> Self {
        Self { is_centralized: true, computes_at_server: true, ..Self::default() }
    }
}

/// What a scenario says beside the protocol, as far as protocols depend on it.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// Sizes, as far as they are known.
    pub facts: &'a Facts,
    /// The model.
    pub model: &'a dyn ModelSetting,
    /// Who takes part in a round.
    pub participation: Participation,
    /// When a round closes.
    pub round: RoundPolicy,
    /// What happens to late contributions.
    pub late: Late,
    /// The number of examples of the largest client, where clients have equal shares.
    pub share: Option<u64>,
    /// Do clients have equal shares, whatever they are?
    pub equal: bool,
    /// Can clients be away?
    pub absent: bool,
    /// The share of all time (or rounds) in which a client is there, where there is one.
    pub there: Option<f64>,
    /// Does the clock decide whether it is, and not a draw for each round?
    pub by_the_clock: bool,
    /// Do clients drop out?
    pub dropout: Dropout,
    /// Can messages be lost for good?
    pub loses_messages: bool,
    /// Does the server see sums alone, by secure aggregation?
    pub secure: bool,
    /// Are messages clipped and disturbed?
    pub private: bool,
    /// The robust rule that takes the place of the sum.
    pub robust: Option<Robust>,
}

impl RunFacts<'_> {
    /// Refuses a batch of more different examples than clients hold.
    pub(crate) fn check_batch(&self, batch: BatchRule, findings: &mut Findings) {
        if let BatchRule::WithoutReplacement(size) = batch {
            let range = whole(1, self.share.unwrap_or(u64::from(MAX_BATCH)));
            let range = range.note(", at most the number of examples of a client");
            range.check_whole(u64::from(size), &Path::Root.field("protocol.batch[0]"), self.facts, findings);
        }
    }

    /// Why some contributions of a round can be missing, at the field that says so.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        let paths = [
            ("round", self.can_close_early()),
            ("dropout", self.drops()),
            ("availability", self.can_be_away()),
            ("network", self.loses_messages),
        ];
        paths.into_iter().find(|(_, missing)| *missing).map(|(path, _)| path)
    }

    /// Refuses a run in which a contribution can be missing, because of `why`.
    pub(crate) fn need_everybody(&self, why: &str, findings: &mut Findings) {
        if let Some(path) = self.missing() {
            findings.error(
                path,
                why,
                "expected `WaitForAll`, clients that are always there, and a network that loses nothing (`delivery: \
                 Reliable(…)`, or losses of at most 1 % under `Tcp()`)",
            );
        }
    }

    /// Can clients drop out?
    fn drops(&self) -> bool {
        self.dropout != Dropout::Never
    }

    /// Can clients be away at times?
    fn can_be_away(&self) -> bool {
        self.there.map_or(self.absent, |share| share < 1.0)
    }

    /// Does a draw leave clients out of a round?
    fn is_drawn(&self) -> bool {
        match self.participation {
            Participation::All => false,
            Participation::Bernoulli(p) => p < 1.0,
            Participation::Cohort(m) => self.facts.clients.is_none_or(|clients| (m as usize) < clients),
        }
    }

    /// Can a step be one of some of the clients only?
    pub(crate) fn is_partial(&self) -> bool {
        self.is_drawn() || self.missing().is_some() || self.round.buffer().is_some()
    }

    /// Can contributions be lost?
    #[must_use]
    pub fn loses(&self) -> bool {
        self.drops() || self.loses_messages
    }

    /// Can a round close while somebody of whom it has asked is at work? Not where it waits for as many as are asked.
    #[must_use]
    pub fn can_close_early(&self) -> bool {
        let most = match self.participation {
            Participation::Cohort(m) => Some(m as usize),
            Participation::All | Participation::Bernoulli(_) => self.facts.clients,
        };
        match self.round {
            RoundPolicy::First(m) => most.is_none_or(|most| (m as usize) < most),
            policy => policy.closes_early(),
        }
    }

    /// The largest number of contributions of which a step can be made, if it is known.
    #[must_use]
    pub fn most_of_step(&self) -> Option<u64> {
        let clients = self.facts.clients.map(|clients| clients as u64);
        let asked = match self.participation {
            Participation::Cohort(m) => Some(clients.map_or(u64::from(m), |clients| clients.min(u64::from(m)))),
            Participation::All | Participation::Bernoulli(_) => clients,
        };
        let taken = match self.round {
            RoundPolicy::WaitForAll | RoundPolicy::Deadline(_) => None,
            RoundPolicy::First(m) | RoundPolicy::Buffered(m) => Some(u64::from(m)),
            RoundPolicy::Asynchronous => Some(1),
        };
        asked.into_iter().chain(taken).min()
    }

    /// Is min(m, A) less on average than min(m, mean of A), the divisor? m is the cohort or the number of contributions
    /// that a round waits for, A how many clients are there, or drawn. Not where m is all, unless the mean is not
    /// known, and all stand for it.
    fn can_fall_short(&self) -> bool {
        let waits_for = match self.round {
            RoundPolicy::First(m) | RoundPolicy::Buffered(m) => Some(m),
            _ => None,
        };
        let (most, is_drawn) = match self.participation {
            Participation::Cohort(_) if self.there.is_none() && self.absent => return true,
            Participation::Cohort(m) => (Some(waits_for.map_or(m, |count| count.min(m))), false),
            Participation::Bernoulli(p) => (waits_for, p < 1.0),
            Participation::All => (waits_for, false),
        };
        let varies = is_drawn || self.can_be_away();
        let is_less = |most: u32| self.facts.clients.is_none_or(|clients| (most as usize) < clients);
        varies && most.is_some_and(is_less)
    }

    /// Is the divisor the mean number of clients that are there at any time, and do rounds choose the times?
    fn is_there_when_rounds_are(&self) -> bool {
        let most = match (self.participation, self.round) {
            (Participation::Cohort(m), _) | (_, RoundPolicy::First(m)) => Some(f64::from(m)),
            _ => None,
        };
        let is_less = |there: f64| match (most, self.facts.clients) {
            (Some(most), Some(clients)) => there * (clients as f64) < most,
            (most, _) => most.is_none(),
        };
        self.by_the_clock
            && self.round.buffer().is_none()
            && self.there.is_some_and(|there| there < 1.0 && is_less(there))
    }

    /// Adds where contributions are fewer than the expected number, by which their sum is divided:
    /// `estimate` = V + Σ D_i / (n p).
    pub fn check_expected_number(&self, estimate: &str, findings: &mut Findings) {
        let estimate = estimate.to_owned();
        if self.loses() || matches!(self.round, RoundPolicy::Deadline(_)) {
            findings.caveat(Caveat::DivisorExpected { estimate: estimate.clone() });
        }
        if self.is_there_when_rounds_are() {
            findings.caveat(Caveat::DivisorClock { estimate: estimate.clone() });
        }
        if self.can_fall_short() {
            findings.caveat(Caveat::DivisorCohort { estimate });
        }
    }

    /// Adds that a mean of those that arrive, weighted by the sizes of clients, is on average none of all data, where
    /// clients of unequal size can be missing, or clients contribute unequally often.
    pub fn check_mean(&self, findings: &mut Findings) {
        match (self.is_drawn() || self.missing().is_some()) && !self.equal {
            true => findings.caveat(Caveat::UnequalClients {}),
            false => self.check_unequal_chances(findings),
        }
    }

    /// Adds that clients that contribute less often count less, where no fair draw decides who does and nothing is
    /// remembered of those that are missing. Rounds that close early are told by [`check_early`](Self::check_early).
    pub fn check_unequal_chances(&self, findings: &mut Findings) {
        let by_the_clock = self.by_the_clock && self.can_be_away() || self.absent && self.there.is_none();
        // Per round all clients drop out equally often.
        let drops = self.dropout.hazard().is_some();
        if drops || by_the_clock || self.loses_messages {
            findings.caveat(Caveat::MissingContributions {});
        }
    }

    /// Adds that fast clients count more where rounds can close early, and where steps are made of what comes first.
    pub fn check_early(&self, findings: &mut Findings) {
        if matches!(self.round, RoundPolicy::Asynchronous | RoundPolicy::Buffered(_)) {
            findings.caveat(Caveat::FirstComeSteps {});
        }
        if self.can_close_early() {
            findings.caveat(Caveat::EarlyRounds {});
        }
    }
}
