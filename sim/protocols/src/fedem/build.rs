//! FedEM as a scenario names it: what its parameters need of the run around them, and the algorithm that they make.

use fedbits_codec::{Compressor, Indices, RandK, WireFloat};
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Choice, Findings, Path, so_many};

use super::parameters::{FedEmSetting, MemorySetting};
use super::releases::is_rounding;
use super::settings::{
    Alpha, BatchRule, Broadcast, Commit, DivideBy, Domain, FedEmSettings, MAX_BATCH, Memory, MemoryStart, Recovery,
};
use super::{COLUMNS, Divisor, DownlinkSetting, FedEm, releases};
use crate::aggregation::Aggregation;
use crate::federation::{Federation, Weighting};
use crate::footprint::{self, Kept, Part, Sizes};
use crate::over::{Built, ExamplesOf, Over, RunSettings};
use crate::plan::{Late, Participation, RoundPolicy};
use crate::schedule::Schedule;
use crate::setting::{DRAWN_CYCLES, ProtocolSetting, RunFacts};
use crate::star::Rounds;
use crate::theory;
use crate::vr_fedem::{InnerSteps, OUTER_LOOP, Spider, VarianceReduction, mean_cost};

impl ProtocolSetting for FedEmSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let theory = self.theory(&federation, run);
            let settings = self.resolved(run, federation.clients());
            let caveats = caveats(&settings, &federation);
            releases::are_covered(&federation, run)?;
            let algorithm = FedEm::new(federation, settings, s_hat)?;
            let built = match self.variance_reduction {
                VarianceReduction::NoReduction => Built::new(run.star(algorithm)),
                VarianceReduction::Spider(spider) => Built::new(run.star(algorithm.with_local_rule(spider))),
            };
            Ok(Built { caveats, theory, ..built })
        })
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(match self.variance_reduction {
            VarianceReduction::NoReduction => COLUMNS.to_vec(),
            VarianceReduction::Spider(_) => COLUMNS.into_iter().chain([OUTER_LOOP]).collect(),
        })
    }

    fn participation(&self) -> Participation {
        self.participation
    }

    fn begins_with_everybody(&self) -> bool {
        matches!(self.memory, MemorySetting::Memory { initial: MemoryStart::MeanField, .. })
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    /// Memories keep what clients send exact, and θ or compressed updates what they receive.
    fn statistic_floats(&self) -> WireFloat {
        let sends_whole = self.downlink == DownlinkSetting::Whole && self.broadcast == Broadcast::Statistic;
        if sends_whole || self.memory == MemorySetting::NoMemory { self.floats } else { WireFloat::F64 }
    }

    fn weighting(&self) -> Weighting {
        self.weighting
    }

    fn takes_older(&self) -> bool {
        true
    }

    fn needs_only_the_map(&self) -> bool {
        true
    }

    /// Refreshes and resynchronizations are rounds of their own cost.
    fn cycle(&self) -> u64 {
        match (self.variance_reduction, self.memory) {
            (VarianceReduction::Spider(Spider { inner: InnerSteps::Fixed(k_in), .. }), _) => u64::from(k_in),
            (VarianceReduction::Spider(Spider { inner: InnerSteps::Geometric(mean), .. }), _) => {
                DRAWN_CYCLES * u64::from(mean)
            }
            (_, MemorySetting::Memory { commit: Commit::Resynchronized { every }, .. }) => every,
            _ => 1,
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let mut parts = self.memory_of_clients(sizes, sizes.statistic, self.begins_with_everybody());
        if let DownlinkSetting::Compressed { compressor, .. } = &self.downlink {
            parts.push(footprint::messages("protocol.downlink.compressor", compressor, sizes.statistic, 1));
        }
        parts
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.check_batch(run, findings);
        self.check_recovery(run, findings);
        self.check_losses(run, findings);
        if self.variance_reduction != VarianceReduction::NoReduction && run.is_partial() {
            findings.caveat(Caveat::ReductionWithSampling {});
        }
    }

    fn check_sum(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.check_only_sums(run, findings);
    }

    fn check_privacy(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.check_hidden(run, shared, findings);
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
            memory: MemorySetting::default(),
            variance_reduction: VarianceReduction::default(),
            participation: Participation::default(),
            batch: BatchRule::default(),
            divide_by: DivideBy::default(),
            compressor: Choice::default(),
            allow_biased: false,
            floats: WireFloat::default(),
            broadcast: Broadcast::default(),
            downlink: DownlinkSetting::default(),
            domain: Domain::default(),
            weighting: Weighting::default(),
        }
    }

    /// What they mean in a run with this many clients.
    pub(crate) fn resolved(&self, run: &RunSettings, clients: u32) -> FedEmSettings {
        let memory = match self.memory {
            MemorySetting::NoMemory => Memory::None,
            MemorySetting::Memory { initial, commit, recovery } => {
                let recovery = run.rounds.forgets.then_some(recovery);
                Memory::Kept { alpha: self.alpha, start: initial, commit, recovery }
            }
        };
        FedEmSettings {
            gamma: self.gamma,
            memory,
            batch: self.batch,
            divisor: match self.divide_by {
                DivideBy::Expected => Divisor::Expected(run.expected(clients)),
                DivideBy::Arrived => Divisor::Arrived,
                DivideBy::Estimated => Divisor::Estimated,
            },
            staleness: run.staleness,
            compressor: self.compressor.build(self.floats, clients),
            floats: self.floats,
            downlink: self.downlink.build(self.floats),
            broadcast: self.broadcast,
            domain: self.domain,
        }
    }

    /// What clients keep and send, in vectors of this length, and draw. `initial`: do all send one before round 1?
    pub(crate) fn memory_of_clients(&self, sizes: &Sizes, length: u64, initial: bool) -> Vec<Part> {
        // Clients keep V_i once they have taken part, the server copies of all.
        let (memories, copies) = match self.memory {
            MemorySetting::Memory { commit: Commit::Resynchronized { .. }, .. } => (1, 1),
            MemorySetting::Memory { .. } => (1, u64::from(sizes.forgets)),
            MemorySetting::NoMemory => (0, 0),
        };
        let estimates = if self.variance_reduction == VarianceReduction::NoReduction { 0 } else { 3 };
        let (vectors, of_participants) = (copies, memories + estimates);
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
                (MemorySetting::NoMemory, _) => None,
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

    /// What the theorems ask for beside the numbers, and is not so. Where messages say all (`complete`), memories
    /// change no step.
    fn unmet(&self, complete: bool, loses: bool) -> Vec<&'static str> {
        let zero = !complete && matches!(self.memory, MemorySetting::Memory { initial: MemoryStart::Zero, .. });
        let changes = !matches!(self.gamma, Schedule::Constant(_));
        let start = zero.then_some("memories begin at 0, and not at h_i(Ŝ₀)");
        let changes = changes.then_some("γ is not constant: that of the first round is compared");
        let losses = loses.then_some("clients or messages are lost, and the numbers are those without losses");
        [start, changes, losses].into_iter().flatten().collect()
    }

    /// Do the theorems know its step? Not what is lost on the way down, and not means over who arrived; and without
    /// memories only where messages say all (`complete`): what else they leave out does not vanish with h.
    fn is_of_the_theorems(&self, complete: bool) -> bool {
        self.downlink == DownlinkSetting::Whole
            && self.divide_by == DivideBy::Expected
            && (complete || self.memory != MemorySetting::NoMemory)
    }

    fn check_batch(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if let BatchRule::WithoutReplacement(size) = self.batch {
            let range = whole(1, run.share.unwrap_or(u64::from(MAX_BATCH)));
            let range = range.note(", at most the number of examples of a client");
            range.check_whole(u64::from(size), &Path::Root.field("protocol.batch[0]"), run.facts, findings);
        }
    }

    /// What memories are worth when clients lose their state.
    fn check_recovery(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        match self.memory {
            MemorySetting::NoMemory if run.dropout.loses_state() && !self.has_other_state() => {
                findings.no_effect("dropout.state", "the state of a client is its memory, and there is none");
            }
            MemorySetting::Memory { recovery: Recovery::Zero, .. } if run.dropout.loses_state() => {
                findings.caveat(Caveat::MemoryLost {});
            }
            MemorySetting::Memory { recovery: Recovery::Zero, .. } => {
                let why = "clients keep their state (`dropout: Hazard(…, state: Lost)` would lose it)";
                findings.no_effect("protocol.memory.recovery", why);
            }
            _ => {}
        }
    }

    /// Do clients keep an estimate or Ŝ from round to round?
    fn has_other_state(&self) -> bool {
        self.variance_reduction != VarianceReduction::NoReduction || self.downlink != DownlinkSetting::Whole
    }

    /// What lost and late messages do to the algorithm's assumptions.
    fn check_losses(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if self.divide_by == DivideBy::Expected {
            run.check_expected_number("H", findings);
        }
        let late = run.can_close_early() && run.late == Late::Discard;
        let on_send = matches!(self.memory, MemorySetting::Memory { commit: Commit::OnSend, .. });
        if on_send && (run.loses() || late) {
            findings.caveat(Caveat::MemoryCommit {});
        }
        if self.divide_by != DivideBy::Estimated {
            run.check_early(findings);
            if self.memory == MemorySetting::NoMemory {
                run.check_unequal_chances(findings);
            }
        }
    }
}

/// Does the server hear exactly those whom a draw chooses, each with probability p in every round, as the theorems have
/// it? Not who is fast, or there by the clock; and of a cohort only where all of it is always there. Nor what is cut
/// off or late: with q of those who were chosen, E H is V + q (h − V). The theorems know no noise, either, and lengths
/// of messages are those of the compressor. Losses alone do not hide the numbers: they are an unmet premise.
fn hears_who_is_drawn(rounds: &Rounds, clients: u32) -> bool {
    let there = rounds.availability.share(clients as usize);
    let falls_short = matches!(rounds.participation, Participation::Cohort(m) if m < clients) && there != Some(1.0);
    rounds.policy == RoundPolicy::WaitForAll
        && !rounds.availability.build(1).goes_by_the_clock()
        && !falls_short
        && rounds.privacy.is_none()
        && rounds.aggregation == Aggregation::Plain
}

/// What FedEM's settings mean on these data.
pub(crate) fn caveats(settings: &FedEmSettings, federation: &Federation) -> Vec<Caveat> {
    let sizes: Vec<u32> = (0..federation.clients()).map(|i| federation.size(i)).collect();
    caveats_of(settings, &sizes, federation.model().statistic_dimension())
}

/// The same for clients of these sizes, who send vectors of up to `length` numbers.
pub(crate) fn caveats_of(settings: &FedEmSettings, sizes: &[u32], length: usize) -> Vec<Caveat> {
    let uplink = match settings.memory {
        Memory::Kept { alpha, .. } => large_alpha("alpha", alpha, settings.compressor.as_ref(), length),
        Memory::None | Memory::Marina { .. } => None,
    };
    let downlink = settings.downlink.as_ref().and_then(|downlink| {
        large_alpha("the alpha of `DownMemory`", downlink.alpha?, downlink.compressor.as_ref(), length)
    });
    let small = small_clients(settings.batch, sizes);
    [small, uplink, downlink, few_participants(settings)].into_iter().flatten().collect()
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

/// A step of a memory of vectors of `length` numbers under which it can diverge: E‖V − x‖² goes by
/// (1 − α)² + α² ω = 1 − 2 α + α² (1 + ω) a step.
pub(crate) fn large_alpha(name: &str, alpha: Alpha, compressor: &dyn Compressor, length: usize) -> Option<Caveat> {
    let (Alpha::Constant(alpha), Some(omega)) = (alpha, compressor.omega(length)) else { return None };
    theory::is_large_alpha(alpha, omega).then(|| Caveat::LargeAlpha {
        name: name.to_owned(),
        alpha: alpha.to_string(),
        bound: format!("{:.4}", 1.0 / (1.0 + omega)),
    })
}

/// Rounds in which nobody is expected.
fn few_participants(settings: &FedEmSettings) -> Option<Caveat> {
    let Divisor::Expected(expected) = settings.divisor else { return None };
    // A small number is no zero.
    let number = if expected < 1e-3 { format!("{expected:.2e}") } else { format!("{expected:.3}") };
    (expected < 1.0).then_some(Caveat::FewParticipants { participants: number })
}
