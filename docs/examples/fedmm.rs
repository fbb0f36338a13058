//! FedMM, after Dieuleveut, Fort, Hegazy and Wai, "Federated majorize-minimization: beyond parameter aggregation" (2025):
//! clients compress differences to memories, the server weighs what arrives, makes a step and projects.
//!
//! ```text
//! client i in A:  Δ_i = s̄_i(T(Ŝ)) − Ŝ − V_i,  sends Quant(Δ_i);          V_i ← V_i + (α/p) Quant(Δ_i)
//! server:         H = V + (1/p) Σ_A μ_i Quant(Δ_i),   Ŝ ← Π(Ŝ + γ H);   V ← V + (α/p) Σ_A μ_i Quant(Δ_i)
//! ```
//!
//! Each client is in A with probability p; μ_i is its share of the examples. Π(Ŝ) is Ŝ where T(Ŝ) exists, and else the
//! statistic of the repaired θ. This file is a whole program: scenarios say `protocol: FedMm(gamma: 0.5, …)`.

use std::process::ExitCode;

use fedbits::codec::{Identity, RandK, WireFloat};
use fedbits::kernel::Bits;
use fedbits::protocols::over::{Built, ExamplesOf, Over};
use fedbits::protocols::setting::{Profile, ProtocolSetting};
use fedbits::protocols::star::{Contribution, Outgoing, Received, StarAlgorithm, Step, Wire};
use fedbits::protocols::state::{OwnedState, State, norm_sq};
use fedbits::protocols::uplink::{Alpha, Commit, Divisor, Memory, MemoryStart, Uplink};
use fedbits::protocols::{error::ProtocolError, fedem::Domain, federation::Federation, operator::Operator};
use fedbits::protocols::{plan::Participation, problem::Problem, schedule::Schedule};
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
            let n = federation.clients();
            let uplink = Uplink::new(self.compressor.build(WireFloat::F64, n), n)
                .remembering(Memory::of(MemoryStart::Zero, Commit::OnAcknowledgement), Alpha::Constant(self.rate))
                .dividing(Divisor::Expected(run.expected(n)))
                .weighing((0..n).map(|i| federation.weight(i)).collect(), true)
                .forgetting(run.rounds.forgets)
                .over(s_hat.len())?;
            let mut start = OwnedState { s_hat, theta: Vec::new() };
            DOMAIN.project(federation.model(), &mut start).map_err(ProtocolError::Initial)?;
            Ok(Built::new(run.star(Mm { federation, gamma: self.gamma, start, uplink })))
        })
    }
    fn profile(&self) -> Profile {
        Profile { participation: Participation::Bernoulli(self.probability), ..Profile::default() }
    }
    fn examples() -> Vec<Self> {
        let compressor = Choice::of(RandK::new(2, Default::default(), WireFloat::F64));
        vec![Self { gamma: Schedule::Constant(0.2), rate: 0.2, probability: 0.7, compressor }]
    }
}

const DOMAIN: Domain = Domain::Clip { floor: 1e-6 };
type Heard<'a> = Received<'a, OwnedState, ()>;

struct Mm {
    federation: Federation,
    gamma: Schedule,
    start: OwnedState,
    uplink: Uplink,
}

impl StarAlgorithm for Mm {
    type Server = OwnedState;
    type Client = ();
    type Content = OwnedState;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        &self.federation
    }
    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }
    fn server(&self) -> OwnedState {
        self.start.clone()
    }
    fn client(&self, _i: u32) {}
    fn state<'a>(&'a self, at: &'a OwnedState) -> State<'a> {
        at.as_state()
    }
    fn open_round(&self, at: &mut OwnedState, wire: &mut Wire<'_>) -> Result<(OwnedState, Bits), ProtocolError> {
        let bits = wire.send(&Identity { wire: WireFloat::F64 }, &mut at.s_hat.clone())?;
        Ok((at.clone(), bits))
    }
    fn client_update(&self, i: u32, _: &mut (), at: Heard<'_>, out: &mut Outgoing<'_>) -> Result<(), ProtocolError> {
        self.federation.field_of(i, &at.content.as_state(), out.scratch)?;
        out.encode_difference()
    }
    fn server_update(
        &self,
        at: &mut OwnedState,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        let mut h = Vec::new();
        wire.estimate(arrived, &mut h);
        at.s_hat.iter_mut().zip(&h).for_each(|(s, h)| *s += self.gamma.at(wire.round) * h);
        wire.counts.domain_events += DOMAIN.project(self.federation.model(), at)?;
        wire.accept(arrived);
        Ok(Step { field_sq: norm_sq(&h), used: true })
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
