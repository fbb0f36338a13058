//! The laws of protocols find what is wrong with a protocol.

use std::panic::catch_unwind;

use fedbits_codec::{Compressor, Identity, WireFloat};
use fedbits_kernel::Bits;
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::federation::Federation;
use fedbits_protocols::laws;
use fedbits_protocols::over::{Built, ExamplesOf, Over};
use fedbits_protocols::payload::Rows;
use fedbits_protocols::problem::Problem;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_protocols::star::{Coder, Contribution, Outgoing, Received, Sent, StarAlgorithm, Step, View, Wire};
use fedbits_protocols::state::{State, norm_sq};
use fedbits_random::Streams;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
enum Wrong {
    Nothing,
    /// Charges one bit for the broadcast.
    CheapBroadcast,
    /// Sends the broadcast past the wire.
    FreeBroadcast,
    /// Has no step without contributions.
    EmptyRounds,
    /// Names a column as one of all runs.
    Column,
    /// Gives two values for its column.
    Values,
}

/// Distributed EM of which something is wrong.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Altered {
    wrong: Wrong,
}

impl ProtocolSetting for Altered {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let mut theta = Vec::new();
            Domain::Error.maximize(federation.model(), &s_hat, &mut theta).map_err(ProtocolError::Initial)?;
            let floats = Identity { wire: WireFloat::F64 };
            Ok(Built::new(run.star(Em { federation, floats, start: Server { s_hat, theta }, wrong: self.wrong })))
        })
    }

    fn examples() -> Vec<Self> {
        vec![Self { wrong: Wrong::Nothing }]
    }
}

struct Em {
    federation: Federation,
    floats: Identity,
    start: Server,
    wrong: Wrong,
}

#[derive(Clone)]
struct Server {
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

impl StarAlgorithm for Em {
    type Server = Server;
    type Client = ();
    type Content = Vec<f64>;
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
        let bits = match self.wrong {
            Wrong::FreeBroadcast => Bits::ZERO,
            Wrong::CheapBroadcast => wire.send(&self.floats, &mut theta).map(|_| Bits::new(1))?,
            _ => wire.send(&self.floats, &mut theta)?,
        };
        Ok((theta, bits))
    }

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

    fn server_update(
        &self,
        server: &mut Server,
        _wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        if arrived.is_empty() {
            assert!(self.wrong != Wrong::EmptyRounds, "nobody came");
            return Ok(Step::default());
        }
        let mut h: Vec<f64> = server.s_hat.iter().map(|s| -s).collect();
        for Contribution { client, encoded, .. } in arrived {
            self.floats.add_decoded(encoded, self.federation.weight(*client), &mut h);
        }
        server.s_hat.iter_mut().zip(&h).for_each(|(s, h)| *s += h);
        Domain::Error.maximize(self.federation.model(), &server.s_hat, &mut server.theta)?;
        Ok(Step { field_sq: norm_sq(&h), used: true })
    }

    fn columns(&self) -> Vec<String> {
        vec![if self.wrong == Wrong::Column { "objective" } else { "step" }.to_owned()]
    }

    fn values(&self, _view: &View<'_, Self>, _thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        Ok(vec![None; if self.wrong == Wrong::Values { 2 } else { 1 }])
    }
}

#[test]
fn the_laws_refuse_wrong_protocols() {
    laws::laws(&Altered { wrong: Wrong::Nothing });
    let cases = [
        (Wrong::CheapBroadcast, "is charged 1 bit"),
        (Wrong::FreeBroadcast, "is charged no bit"),
        (Wrong::EmptyRounds, "nobody came"),
        (Wrong::Column, "is taken"),
        (Wrong::Values, "values were declared"),
    ];
    for (wrong, expected) in cases {
        let refused = catch_unwind(|| laws::laws(&Altered { wrong })).expect_err("a wrong protocol passed");
        let text = refused.downcast_ref::<String>().cloned();
        let text = text.or_else(|| refused.downcast_ref::<&str>().map(|text| (*text).to_owned())).expect("a message");
        assert!(text.contains(expected), "{wrong:?}: {text}");
    }
}
