//! FedMM, after Dieuleveut, Fort, Hegazy and Wai, "Federated majorize-minimization: beyond parameter aggregation" (2025):
//! clients compress differences to memories, the server weighs what arrives, makes a step and projects.
//!
//! ```text
//! client i in A:  Δ_i = s̄_i(T(Ŝ)) − Ŝ − V_i,  sends Quant(Δ_i);          V_i ← V_i + (α/p) Quant(Δ_i)
//! server:         H = V + (1/p) Σ_A μ_i Quant(Δ_i),   Ŝ ← Π(Ŝ + γ H);   V ← V + (α/p) Σ_A μ_i Quant(Δ_i)
//! ```
//!
//! A is drawn, each client with probability p; μ_i is its share of the examples. Π(Ŝ) is Ŝ where T(Ŝ) exists, and else the
//! statistic of the θ that T is repaired to. This file is a whole program: scenarios say `protocol: FedMm(gamma: 0.5, …)`.

use std::process::ExitCode;

use fedbits::codec::{Identity, RandK, WireFloat};
use fedbits::kernel::Bits;
use fedbits::models::{Batch, Scratch};
use fedbits::protocols::error::ProtocolError;
use fedbits::protocols::over::{Built, ExamplesOf, Over};
use fedbits::protocols::star::{Counts, Step, Wire};
use fedbits::protocols::uplink::{Alpha, Commit, Differences, Divisor, Estimator, Memory, MemoryStart, Uplink};
use fedbits::protocols::{fedem::Domain, federation::Federation, operator::Operator, plan::Participation};
use fedbits::protocols::{
    problem::Problem, schedule::Schedule, setting::ProtocolSetting, state::OwnedState, state::norm_sq,
};
use fedbits::random::Streams;
use fedbits::spec::{Choice, Described, range::PROBABILITY};
use serde::{Deserialize, Serialize};

/// Federated majorize-minimization with projections.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FedMm {
    /// γ.
    gamma: Schedule,
    /// α/p, the step of the memories.
    #[range(PROBABILITY)]
    rate: f64,
    /// p.
    #[range(PROBABILITY)]
    probability: f64,
    /// Quant.
    compressor: Operator,
}

impl ProtocolSetting for FedMm {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let (n, domain, mut theta) = (federation.clients(), Domain::Clip { floor: 1e-6 }, Vec::new());
            let uplink = Uplink::new(self.compressor.build(WireFloat::F64, n), n)
                .remembering(Memory::of(MemoryStart::Zero, Commit::OnAcknowledgement), Alpha::Constant(self.rate))
                .dividing(Divisor::Expected(run.expected(n)))
                .weighing((0..n).map(|i| federation.weight(i)).collect(), true)
                .forgetting(run.rounds.forgets)
                .over(s_hat.len())?;
            domain.maximize(federation.model(), &s_hat, &mut theta).map_err(ProtocolError::Initial)?;
            let mm = Mm { federation, domain, gamma: self.gamma, start: OwnedState { s_hat, theta } };
            Ok(Built::new(run.star(Differences::new(mm, uplink))))
        })
    }
    fn participation(&self) -> Participation {
        Participation::Bernoulli(self.probability)
    }
    fn examples() -> Vec<Self> {
        let compressor = Choice::of(RandK::new(2, Default::default(), WireFloat::F64));
        vec![Self { gamma: Schedule::Constant(0.2), rate: 0.2, probability: 0.7, compressor }]
    }
}

struct Mm {
    federation: Federation,
    domain: Domain,
    gamma: Schedule,
    start: OwnedState,
}

impl Estimator for Mm {
    fn problem(&self) -> &dyn Problem {
        &self.federation
    }
    fn start(&self) -> OwnedState {
        self.start.clone()
    }
    fn broadcast(&self, point: &OwnedState, wire: &mut Wire<'_>) -> Result<(OwnedState, Bits), ProtocolError> {
        // Clients derive θ from Ŝ.
        let bits = wire.send(&Identity { wire: WireFloat::F64 }, &mut point.s_hat.clone())?;
        Ok((point.clone(), bits))
    }
    fn vector(&self, i: u32, at: &OwnedState, _: (&Streams, u64), x: &mut Vec<f64>) -> Result<(), ProtocolError> {
        let (e_step, examples) = (self.federation.model().conditional(&at.theta)?, self.federation.examples(i));
        x.resize(at.s_hat.len(), 0.0);
        e_step.mean_statistics(examples, Batch::All, &mut Scratch::default(), x);
        x.iter_mut().zip(&at.s_hat).for_each(|(x, s)| *x -= s);
        Ok(())
    }
    fn step(&self, at: &mut OwnedState, h: &[f64], round: u64, counts: &mut Counts) -> Result<Step, ProtocolError> {
        at.s_hat.iter_mut().zip(h).for_each(|(s, h)| *s += self.gamma.at(round) * h);
        let clipped = self.domain.maximize(self.federation.model(), &at.s_hat, &mut at.theta)?;
        counts.domain_events += clipped;
        if let Some(parameters) = self.federation.model().parameters().filter(|_| clipped > 0) {
            parameters.statistic_of(&at.theta, &mut at.s_hat);
        }
        Ok(Step { field_sq: norm_sq(h), used: true })
    }
}

/// `fedbits` with one more protocol.
pub fn app() -> fedbits::App {
    fedbits::App::new().protocol::<FedMm>()
}

fn main() -> ExitCode {
    app().main()
}

#[test]
fn it_obeys_the_laws_of_protocols() {
    fedbits::laws::protocol::<FedMm>();
}
