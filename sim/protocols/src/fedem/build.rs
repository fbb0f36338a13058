//! FedEM as a scenario names it: what its parameters need of the run around them, and the algorithm that they make.

use fedbits_codec::{Announced, Compressor, Indices, RandK, WireFloat};
use fedbits_spec::{Caveat, Choice, Findings, so_many};

use super::settings::{BatchRule, Broadcast, Domain};
use super::{COLUMNS, Downlink, FedEm, FedEmSetting, OwnWeights};
use crate::aggregation::Aggregation;
use crate::federation::{Federation, Weighting};
use crate::footprint::{self, Kept, Part, Sizes};
use crate::over::{BuildError, Built, ExamplesOf, Over, RunSettings};
use crate::personalized::Personalized;
use crate::plan::{Participation, RoundPolicy};
use crate::schedule::Schedule;
use crate::setting::{DRAWN_CYCLES, Profile, ProtocolSetting, RunFacts};
use crate::star::Rounds;
use crate::theory;
use crate::theory::descent::{DescentMethod, DescentPremises};
use crate::uplink::releases::{self, Releases, is_rounding};
use crate::uplink::{Alpha, Commit, DivideBy, Memory, MemoryStart, Uplink, large_alpha};
use crate::vr_fedem::{InnerSteps, OUTER_LOOP, Spider, VarianceReduction, mean_cost};

impl ProtocolSetting for FedEmSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|examples, run| self.build(examples, run))
    }

    fn profile(&self) -> Profile {
        let columns = match self.variance_reduction {
            VarianceReduction::NoReduction => COLUMNS.to_vec(),
            VarianceReduction::Spider(_) => COLUMNS.into_iter().chain([OUTER_LOOP]).collect(),
        };
        Profile {
            participation: self.participation,
            begins_with_everybody: self.memory.start() == MemoryStart::MeanField,
            domain: self.domain,
            statistic_floats: self.statistic_floats(),
            weighting: self.weighting,
            takes_older: true,
            needs_only_the_map: true,
            columns: Some(columns),
            cycle: self.cycle(),
            ..Profile::default()
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let mut parts = self.memory_of_clients(sizes, sizes.statistic, self.memory.start() == MemoryStart::MeanField);
        if let Downlink::Compressed { compressor, .. } = &self.downlink {
            parts.push(footprint::messages("protocol.downlink.compressor", compressor, sizes.statistic, 1));
        }
        parts
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_batch(self.batch, findings);
        releases::check_memory(self.memory, self.has_other_state(), run, findings);
        self.check_losses(run, findings);
        if self.variance_reduction != VarianceReduction::NoReduction && run.is_partial() {
            findings.caveat(Caveat::ReductionWithSampling {});
        }
    }

    fn check_sum(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.releases(run).check_sums(run, findings);
    }

    /// Its rule is on x_i = V_i + D_i of those that arrived: nothing is divided.
    fn check_robust(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.releases(run).check_rule(run, findings);
        if self.divide_by != DivideBy::default() {
            let why = "a robust rule makes the estimate of the contributions that arrive, and divides no sum";
            findings.no_effect("protocol.divide_by", why);
        }
    }

    fn check_privacy(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.releases(run).check_hidden(run, shared, findings);
    }

    /// Plain, over Bernoulli-selected clients with everything compressed, and with variance reduction. A coarse
    /// operator on few examples leaves the domain of T in a tenth of the seeds.
    fn examples() -> Vec<Self> {
        let plain = Self::of(Schedule::Constant(0.5));
        let compressed = Self {
            participation: Participation::Bernoulli(0.7),
            batch: BatchRule::WithReplacement(3),
            compressor: Choice::of(RandK::new(2, Indices::default(), WireFloat::F64)),
            domain: Domain::Clip { floor: 1e-3 },
            ..plain.clone()
        };
        let spider = Spider { inner: InnerSteps::Fixed(3), previous: Default::default() };
        let reduced = Self { variance_reduction: VarianceReduction::Spider(spider), ..compressed.clone() };
        vec![plain, compressed, reduced]
    }
}

impl FedEmSetting {
    /// With the step γ; the rest as by default.
    #[must_use]
    pub fn of(gamma: Schedule) -> Self {
        Self {
            gamma,
            alpha: Alpha::default(),
            memory: Memory::default(),
            variance_reduction: VarianceReduction::default(),
            participation: Participation::default(),
            batch: BatchRule::default(),
            divide_by: DivideBy::default(),
            compressor: Choice::default(),
            allow_biased: false,
            floats: WireFloat::default(),
            broadcast: Broadcast::default(),
            downlink: Downlink::default(),
            domain: Domain::default(),
            weighting: Weighting::default(),
            full_rounds: None,
            is_personal: false,
            feedback: None,
        }
    }

    /// Memories keep what clients send exact, and θ or compressed updates what they receive.
    fn statistic_floats(&self) -> WireFloat {
        let sends_whole = self.downlink == Downlink::Whole && self.broadcast == Broadcast::Statistic;
        if sends_whole || self.memory == Memory::NoMemory { self.floats } else { WireFloat::F64 }
    }

    /// Refreshes and resynchronizations are rounds of their own cost.
    fn cycle(&self) -> Option<u64> {
        if let Some(p) = self.full_rounds {
            return Some((DRAWN_CYCLES as f64 / p) as u64);
        }
        match self.variance_reduction {
            VarianceReduction::Spider(Spider { inner: InnerSteps::Fixed(k_in), .. }) => Some(u64::from(k_in)),
            VarianceReduction::Spider(Spider { inner: InnerSteps::Geometric(mean), .. }) => {
                Some(DRAWN_CYCLES * u64::from(mean))
            }
            VarianceReduction::NoReduction => self.memory.period(),
        }
    }

    /// The algorithm on its problem, in a run.
    pub(crate) fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        let ExamplesOf { federation, s_hat, .. } = problem;
        let theory = self.theory(&federation, run);
        let descent = theory.as_ref().and_then(|theory| self.descent(theory, run.rounds.loses));
        let uplink = self.uplink(run, federation.clients());
        let sizes: Vec<u32> = (0..federation.clients()).map(|i| federation.size(i)).collect();
        let caveats = caveats(self, &uplink, &sizes, s_hat.len());
        releases::are_covered(federation.model().constants_dimension(), run)?;
        let algorithm = FedEm::new(federation, self.clone(), uplink, s_hat)?;
        let built = match self.variance_reduction {
            VarianceReduction::NoReduction if self.is_personal => {
                let clients = Personalized::new(algorithm.federation().clone());
                Built::new(run.star(algorithm.with_local_rule(OwnWeights::new(clients))))
            }
            VarianceReduction::NoReduction => Built::new(run.star(algorithm)),
            VarianceReduction::Spider(spider) => Built::new(run.star(algorithm.with_local_rule(spider))),
        };
        Ok(Built { caveats, theory, descent, ..built })
    }

    /// Its uplink in a run with this many clients.
    pub(crate) fn uplink(&self, run: &RunSettings, clients: u32) -> Uplink {
        let rules = (self.memory, self.alpha, self.divide_by);
        let uplink = Uplink::of(self.operator(clients), clients, run.expected(clients), rules);
        uplink.forgetting(run.rounds.forgets).staling(run.staleness)
    }

    /// What one of so many clients codes with: messages that can be left out are announced by a bit.
    pub fn operator(&self, clients: u32) -> Box<dyn Compressor> {
        let operator = self.compressor.build(self.floats, clients);
        let is_lazy = self.feedback.is_some_and(|feedback| feedback.lazy > 0.0);
        if is_lazy { Box::new(Announced(operator)) } else { operator }
    }

    /// What decides whether its uplink can be hidden.
    fn releases(&self, run: &RunFacts<'_>) -> Releases<'_> {
        Releases {
            memory: self.memory,
            divide_by: self.divide_by,
            compressor: &self.compressor,
            floats: self.floats,
            length: run.facts.statistic,
        }
    }

    /// What clients keep and send, in vectors of this length, and draw. `initial`: do all send one before round 1?
    pub(crate) fn memory_of_clients(&self, sizes: &Sizes, length: u64, initial: bool) -> Vec<Part> {
        // Clients keep V_i once they have taken part, the server copies of all.
        let (memories, copies) = match self.memory {
            // h_i of two rounds.
            _ if self.full_rounds.is_some() => (2, 0),
            Memory::Memory { commit: Commit::Resynchronized { .. }, .. } => (1, 1),
            Memory::Memory { .. } => (1, u64::from(sizes.copies)),
            Memory::NoMemory => (0, 0),
        };
        let reduces = self.variance_reduction != VarianceReduction::NoReduction;
        // What a client has of its own is shorter than a statistic.
        let estimates = if reduces { 3 } else { u64::from(self.is_personal) };
        // x_i of this round and of the one before.
        let compared = if self.feedback.is_some() { 2 } else { 0 };
        let (vectors, of_participants) = (copies, memories + estimates + compared);
        // In some rounds of MARINA everything is sent whole.
        let initial = initial || self.full_rounds.is_some();
        let kept = Kept { vectors, of_participants, length, compressor: self.compressor.clone(), initial };
        kept.parts(sizes, self.participation).into_iter().chain(footprint::draws(self.batch, sizes)).collect()
    }

    /// The theory's view of a run on these data. None where the theorems do not know all that it does.
    fn theory(&self, federation: &Federation, run: &RunSettings) -> Option<theory::Premises> {
        let clients = federation.clients();
        let dimension = federation.model().statistic_dimension();
        let operator = self.compressor.build(self.floats, clients);
        let omega = operator.omega(dimension);
        let participation = run.expected(clients) / f64::from(clients);
        let complete = omega.is_some_and(is_rounding) && participation == 1.0;
        // The theorems have clients whose errors are independent, not some that draw together (PermK).
        let is_independent = complete || operator.member(0).is_none();
        if !is_independent || !hears_who_is_drawn(&run.rounds, clients) || !self.is_of_the_theorems(complete) {
            return None;
        }
        let (batch, batch_variance) = self.batch.noise(federation);
        let spider = match self.variance_reduction {
            VarianceReduction::NoReduction => None,
            VarianceReduction::Spider(spider) => Some(spider),
        };
        let cost = |size: u32| match spider {
            Some(spider) => mean_cost((spider.inner, spider.previous), size, self.batch, participation),
            None => participation * self.batch.count(size) as f64,
        };
        Some(theory::Premises {
            compressor: operator.name(),
            omega,
            expected_bits: operator.expected_bits(dimension).map(|bits| bits.to_string()),
            alpha: match (self.memory, self.alpha) {
                (Memory::NoMemory, _) => None,
                (_, Alpha::Constant(alpha)) => Some(alpha),
                (_, Alpha::Auto) => omega.map(|omega| 1.0 / (1.0 + omega)),
            },
            gamma: self.gamma,
            clients: f64::from(clients),
            participation,
            cohort: matches!(run.rounds.participation, Participation::Cohort(m) if m < clients),
            exact: complete,
            batch,
            batch_variance,
            inner: spider.map(|spider| spider.inner.mean()),
            target: None,
            expectations: (0..clients).map(|i| cost(federation.size(i))).sum(),
            unmet: self.unmet(complete, run.rounds.loses),
        })
    }

    /// The same on a model of gradient steps: gradient descent or DIANA, without SPIDER.
    fn descent(&self, theory: &theory::Premises, loses: bool) -> Option<DescentPremises> {
        let (omega, participation) = (theory.omega?, theory.participation);
        let method = match theory.alpha {
            _ if theory.inner.is_some() => return None,
            _ if theory.exact => DescentMethod::Gradient,
            alpha => DescentMethod::Diana { omega_p: theory.omega_p(omega), omega, alpha: alpha?, participation },
        };
        let noise = theory.batch.is_some().then_some("batches have noise, and the rate is that until it shows");
        let unmet = self.unmet(true, loses).into_iter().chain(noise).collect();
        Some(DescentPremises { method, gamma: self.gamma, target: None, unmet })
    }

    /// What the theorems ask for beside the numbers, and is not so. Where messages say all (`complete`), memories
    /// change no step.
    fn unmet(&self, complete: bool, loses: bool) -> Vec<&'static str> {
        let zero = !complete && matches!(self.memory, Memory::Memory { initial: MemoryStart::Zero, .. });
        let changes = !matches!(self.gamma, Schedule::Constant(_));
        let start = zero.then_some("memories begin at 0, and not at h_i(Ŝ₀)");
        let changes = changes.then_some("γ is not constant: that of the first round is compared");
        let losses = loses.then_some("clients or messages are lost, and the numbers are those without losses");
        [start, changes, losses].into_iter().flatten().collect()
    }

    /// Do the theorems know its step? Not what is lost on the way down, and not means over who arrived; and without
    /// memories only where messages say all (`complete`): what else they leave out does not vanish with h.
    fn is_of_the_theorems(&self, complete: bool) -> bool {
        self.downlink == Downlink::Whole
            && self.divide_by == DivideBy::Expected
            && (complete || self.memory != Memory::NoMemory)
    }

    /// Do clients keep an estimate or Ŝ from round to round?
    fn has_other_state(&self) -> bool {
        let reduces = self.variance_reduction != VarianceReduction::NoReduction;
        reduces || self.is_personal || self.downlink != Downlink::Whole
    }

    /// What lost and late messages do to the algorithm's assumptions.
    fn check_losses(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if self.divide_by == DivideBy::Expected && run.robust.is_none() {
            run.check_expected_number("H", findings);
        }
        if self.divide_by != DivideBy::Estimated {
            run.check_early(findings);
            if self.memory == Memory::NoMemory || run.robust.is_some() {
                run.check_unequal_chances(findings);
            }
        }
    }
}

/// Does the server hear exactly those whom a draw chooses, each with probability p in every round, as the theorems have
/// it? Not who is fast, or there by the clock; and of a cohort only where all of it is always there. Nor what is cut
/// off or late: with q of those who were chosen, E H is V + q (h − V). The theorems know no noise, either, and lengths
/// of messages are those of the compressor. Losses alone do not hide the numbers: they are an unmet premise.
pub(crate) fn hears_who_is_drawn(rounds: &Rounds, clients: u32) -> bool {
    let there = rounds.availability.share(clients as usize);
    let falls_short = matches!(rounds.participation, Participation::Cohort(m) if m < clients) && there != Some(1.0);
    rounds.policy == RoundPolicy::WaitForAll
        && !rounds.availability.build(1).goes_by_the_clock()
        && !falls_short
        && rounds.privacy.is_none()
        && rounds.aggregation == Aggregation::Plain
        && rounds.byzantine.is_none()
}

/// What FedEM's settings mean for clients of these sizes, who send vectors of up to `length` numbers.
pub(crate) fn caveats(setting: &FedEmSetting, uplink: &Uplink, sizes: &[u32], length: usize) -> Vec<Caveat> {
    let downlink = setting
        .downlink
        .build(setting.floats)
        .and_then(|(compressor, alpha)| large_alpha("the alpha of `DownMemory`", alpha?, compressor.as_ref(), length));
    let small = small_clients(setting.batch, sizes);
    [small, uplink.caveat(length), downlink, uplink.few_participants()].into_iter().flatten().collect()
}

/// Clients that hold less than a batch.
fn small_clients(batch: BatchRule, sizes: &[u32]) -> Option<Caveat> {
    let BatchRule::WithoutReplacement(b) = batch else { return None };
    let small = sizes.iter().filter(|&&size| size < b).count();
    (small > 0).then(|| Caveat::SmallClients {
        clients: so_many(small, "client holds|clients hold"),
        examples: so_many(b, "example"),
    })
}
