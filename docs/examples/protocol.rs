//! Damped EM: every client sends the statistic of all its examples, the server makes a step towards their mean.
//!
//! ```text
//! client: sends s̄_i(T(Ŝ)) as floats;    server: Ŝ ← Ŝ + γ (Σ w_i s̄_i / Σ w_i − Ŝ)    (sums over who arrived)
//! ```
//!
//! γ = 1 is EM.
//!
//! This file is a whole program: `fedbits` whose scenarios can say `protocol: DampedEm(gamma: 0.5)`.

use std::process::ExitCode;

use fedbits::codec::{Compressor, Identity, WireFloat};
use fedbits::kernel::Bits;
use fedbits::protocols::error::ProtocolError;
use fedbits::protocols::fedem::Domain;
use fedbits::protocols::federation::Federation;
use fedbits::protocols::over::{Built, ExamplesOf, Over};
use fedbits::protocols::payload::Rows;
use fedbits::protocols::plan::Participation;
use fedbits::protocols::problem::Problem;
use fedbits::protocols::setting::{Profile, ProtocolSetting};
use fedbits::protocols::star::{Coder, Contribution, Outgoing, Received, Sent, StarAlgorithm, Step, Wire};
use fedbits::protocols::state::{State, norm_sq};
use fedbits::random::Streams;
use fedbits::spec::Described;
use fedbits::spec::range::PROBABILITY;
use serde::{Deserialize, Serialize};

/// EM whose server goes a part of the way to the mean statistic of all examples.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DampedEm {
    /// γ, the part of the way.
    #[range(PROBABILITY)]
    gamma: f64,
    /// Who takes part in a round.
    #[serde(default)]
    participation: Participation,
    /// The width of a float on the wire.
    #[serde(default)]
    floats: WireFloat,
}

// What a scenario needs of it. `check_run` says by default what becomes of a mean of those that arrived where rounds can
// close early and contributions be missing.
impl ProtocolSetting for DampedEm {
    fn over(&self) -> Over<'_> {
        // A run begins at θ = T(Ŝ₀), which is not θ₀ itself.
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let (setting, floats, mut theta) = (self.clone(), Identity { wire: self.floats }, Vec::new());
            Domain::Error.maximize(federation.model(), &s_hat, &mut theta).map_err(ProtocolError::Initial)?;
            Ok(Built::new(run.star(Damped { federation, setting, floats, start: Server { s_hat, theta } })))
        })
    }

    fn profile(&self) -> Profile {
        Profile { participation: self.participation, ..Profile::default() }
    }

    fn examples() -> Vec<Self> {
        let of = |gamma, floats| Self { gamma, participation: Participation::All, floats };
        vec![of(1.0, WireFloat::F64), of(0.5, WireFloat::F32)]
    }
}

/// What server and clients know, and no round changes.
struct Damped {
    federation: Federation,
    setting: DampedEm,
    floats: Identity,
    start: Server,
}

/// The server's state.
#[derive(Clone)]
struct Server {
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

impl StarAlgorithm for Damped {
    type Server = Server;
    // Clients remember nothing.
    type Client = ();
    // A broadcast says θ, as the wire carries it.
    type Content = Vec<f64>;
    // The host computes a row of q numbers ahead for every client.
    type Ahead = Rows;

    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn server(&self) -> Server {
        self.start.clone()
    }

    fn client(&self, _i: u32) {}

    fn state<'a>(&'a self, server: &'a Server) -> State<'a> {
        State { s_hat: &server.s_hat, theta: &server.theta }
    }

    fn open_round(&self, server: &mut Server, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits), ProtocolError> {
        let mut theta = server.theta.clone();
        let bits = wire.send(&self.floats, &mut theta)?;
        Ok((theta, bits))
    }

    // For the whole cohort, on all cores; a client sees its own row, and only when the broadcast has reached it.
    fn compute_ahead(
        &self,
        _clients: &[()],
        cohort: &[u32],
        sent: &Sent<'_, Vec<f64>>,
        ahead: &mut Rows,
    ) -> Result<(), ProtocolError> {
        Ok(self.federation.statistics_ahead(sent.content, cohort, ahead)?)
    }

    fn coder(&self, _streams: &Streams, _i: u32, _round: u64) -> Coder<'_> {
        Coder::per_client(&self.floats)
    }

    fn client_update(
        &self,
        _i: u32,
        _client: &mut (),
        received: Received<'_, Vec<f64>, Rows>,
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        out.encode(received.ahead)
    }

    fn work(&self, i: u32, _client: &(), _round: u64) -> u64 {
        u64::from(self.federation.size(i))
    }

    // In id order, so that the sum is the same whoever arrived first.
    fn server_update(
        &self,
        server: &mut Server,
        _wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        if arrived.is_empty() {
            return Ok(Step::default());
        }
        let all: f64 = arrived.iter().map(|contribution| self.federation.weight(contribution.client)).sum();
        let mut h: Vec<f64> = server.s_hat.iter().map(|s| -s).collect();
        for Contribution { client, encoded, .. } in arrived {
            self.floats.add_decoded(encoded, self.federation.weight(*client) / all, &mut h);
        }
        server.s_hat.iter_mut().zip(&h).for_each(|(s, h)| *s += self.setting.gamma * h);
        let model = self.federation.model();
        // Outside the domain of T the run ends.
        Domain::Error.maximize(model, &server.s_hat, &mut server.theta)?;
        Ok(Step { field_sq: norm_sq(&h), used: true })
    }
}

/// `fedbits` with one more protocol.
pub fn app() -> fedbits::App {
    fedbits::App::new().protocol::<DampedEm>()
}

fn main() -> ExitCode {
    app().main()
}

/// Runs of it come to their end, conserve bits, charge every message its length, and are the same for the same seed.
#[test]
fn it_obeys_the_laws_of_protocols() {
    fedbits::laws::protocol::<DampedEm>();
}
