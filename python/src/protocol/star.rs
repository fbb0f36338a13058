//! The setting of a star protocol that is a class of Python: `start(problem)`, `broadcast(state)`,
//! `client(state, data, message, rng)` or `clients(states, data, message, rngs)`, `server(state, updates)`. The uplink
//! estimates the mean of what clients give, by what the class declares.

use std::sync::Arc;

use fedbits::codec::WireFloat;
use fedbits::protocols::error::ProtocolError;
use fedbits::protocols::fedem::{Domain, FedEmSetting};
use fedbits::protocols::federation::Weighting;
use fedbits::protocols::footprint::{Part as Taken, Sizes};
use fedbits::protocols::operator::{self, Operator};
use fedbits::protocols::over::{BuildError, Built, ExamplesOf, Over, RunSettings};
use fedbits::protocols::plan::Participation;
use fedbits::protocols::schedule::Schedule;
use fedbits::protocols::setting::{Profile, ProtocolSetting, RunFacts};
use fedbits::protocols::uplink::{self, Alpha, Commit, DivideBy, Memory, Recovery, Uplink};
use fedbits::spec::{Described, Facts, Findings, Path};
use fedbits_spec::Caveat;
use serde::{Deserialize, Serialize};

use super::call::caveat;
use super::estimator::PythonEstimator;
use super::holdings::Holdings;
use crate::objects::Object;

/// A star protocol that is a class of Python.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec, rules = rules)]
pub(crate) struct PythonProtocol {
    /// Name of the class.
    name: String,
    /// BLAKE2 of its source, or of its code where there is no source.
    source: String,
    /// Its attributes, but for those that are fields.
    settings: String,
    /// Of Python and NumPy.
    versions: String,
    /// Which of several objects of this description it is.
    #[serde(default, skip_serializing)]
    number: Option<u64>,
    /// Clients that take part in a round.
    #[serde(default)]
    participation: Participation,
    /// The operator on what clients send.
    #[serde(default)]
    compressor: Operator,
    /// The clients' memories V_i, which they do not keep by default.
    #[serde(default = "no_memory")]
    memory: Memory,
    /// α, the step of the memories' update.
    #[serde(default)]
    alpha: Alpha,
    /// Divisor of the sum of contributions.
    #[serde(default = "automatic")]
    divide_by: DivideBy,
    /// Width of floats in messages.
    #[serde(default)]
    floats: WireFloat,
    /// Treatment of Ŝ outside the domain of T.
    #[serde(default)]
    domain: Domain,
    /// Weights of the clients in the mean.
    #[serde(default)]
    weighting: Weighting,
}

fn no_memory() -> Memory {
    Memory::NoMemory
}

fn automatic() -> DivideBy {
    DivideBy::Auto
}

fn rules(setting: &PythonProtocol, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    findings.caveat(caveat([&setting.name, &setting.source, &setting.versions]));
    if setting.memory == Memory::NoMemory && setting.alpha != Alpha::default() {
        findings.no_effect(at.field("alpha"), "it is the step of the memories, and there are none");
    }
}

impl PythonProtocol {
    /// FedEM with the same uplink, which has the same needs.
    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting {
            alpha: self.alpha,
            memory: self.memory,
            participation: self.participation,
            divide_by: self.divide_by(),
            compressor: self.compressor.clone(),
            allow_biased: true,
            floats: self.floats,
            domain: self.domain,
            weighting: self.weighting,
            ..FedEmSetting::of(Schedule::Constant(1.0))
        }
    }

    fn remembers(&self) -> bool {
        self.memory != Memory::NoMemory
    }

    fn divide_by(&self) -> DivideBy {
        self.divide_by.resolved(self.compressor.build(WireFloat::F64, 1).is_unbiased(), self.remembers())
    }

    fn check_memory(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let Memory::Memory { commit, recovery, .. } = self.memory else { return };
        if recovery == Recovery::Zero && run.dropout.loses_state() {
            findings.caveat(Caveat::MemoryLost {});
        }
        if commit == Commit::OnSend && (run.loses() || run.can_close_early()) {
            findings.caveat(Caveat::MemoryCommit {});
        }
    }

    fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        let ExamplesOf { federation, s_hat, theta } = problem;
        let (clients, secure) = (federation.clients(), run.rounds.aggregation.is_secure());
        let constants = federation.model().constants_dimension();
        if constants > 0 && (secure || run.rounds.privacy.is_some()) {
            let found = "its constants are means over each client's examples, which clients send in the open";
            return Err(BuildError::misfit("model", found, "expected another model, or neither of the two"));
        }
        let texts = [&self.name, &self.source, &self.settings, &self.versions];
        let object = Object::find("protocol", texts, self.number).map_err(ProtocolError::Unfit)?;
        let holdings = Arc::new(Holdings::new(federation, self.domain, (s_hat, theta)));
        let compressor = || self.compressor.build(self.floats, clients);
        let estimator = PythonEstimator::new((object, run.streams), holdings, (self.floats, compressor()), secure)?;
        let length = estimator.length();
        operator::fits("compressor", compressor().as_ref(), length, "what a client sends")?;
        let weights = estimator.weights();
        let rules = (self.memory, self.alpha, self.divide_by);
        let uplink = Uplink::of(compressor(), clients, run.expected(clients), rules)
            .weighing(weights, false)
            .forgetting(run.rounds.forgets)
            .staling(run.staleness)
            .over(length)?;
        Ok(Built::new(run.star(estimator.over(uplink))))
    }
}

impl ProtocolSetting for PythonProtocol {
    fn over(&self) -> Over<'_> {
        Over::examples(|examples, run| self.build(examples, run))
    }

    fn profile(&self) -> Profile {
        Profile { statistic_floats: self.floats, columns: Some(uplink::COLUMNS.to_vec()), ..self.fed_em().profile() }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Taken> {
        self.fed_em().memory(sizes)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.check_memory(run, findings);
        if !self.remembers() && !self.compressor.build(WireFloat::F64, 1).is_unbiased() {
            let consequence = "`updates.mean` is not the mean of what clients give (`memory=fb.Memory()` corrects it)";
            findings.caveat(Caveat::BiasedCompressor { consequence: consequence.to_owned() });
        }
        match self.divide_by() {
            DivideBy::Expected | DivideBy::Auto => run.check_expected_number("updates.mean", findings),
            DivideBy::Arrived | DivideBy::Weights => run.check_mean(findings),
            DivideBy::Estimated => return,
            DivideBy::Clients => {}
        }
        run.check_early(findings);
    }

    fn check_sum(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.fed_em().check_sum(run, findings);
    }

    fn check_robust(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let divide_by = if self.divide_by == DivideBy::Auto { DivideBy::default() } else { self.divide_by };
        FedEmSetting { divide_by, ..self.fed_em() }.check_robust(run, findings);
    }

    fn check_privacy(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.fed_em().check_privacy(run, shared, findings);
    }

    fn examples() -> Vec<Self> {
        vec![Self { memory: no_memory(), divide_by: automatic(), ..Self::default() }]
    }
}
