//! Damped EM: every client sends the statistic of all its examples, the server makes a step towards their mean.
//!
//! ```text
//! client: sends s̄_i(T(Ŝ)) as floats of 64 bits;    server: Ŝ ← Ŝ + γ (Σ w_i s̄_i / Σ w_i − Ŝ)    (sums over who arrived)
//! ```
//!
//! γ = 1 is EM.

use fedbits_codec::{Compressor, Identity, WireFloat};
use fedbits_kernel::Bits;
use fedbits_random::Streams;

use crate::error::ProtocolError;
use crate::fedem::Domain;
use crate::federation::Federation;
use crate::payload::Rows;
use crate::problem::Problem;
use crate::star::{Coder, Contribution, Outgoing, Received, Sent, StarAlgorithm, Step, Wire};
use crate::state::{State, norm_sq};

/// Damped EM: what server and clients know.
pub struct DampedEm {
    federation: Federation,
    gamma: f64,
    floats: Identity,
    start: Server,
}

/// The server's state.
#[derive(Clone)]
pub struct Server {
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

impl DampedEm {
    /// Damped EM from `s_hat`, a statistic of q numbers; γ in (0, 1].
    ///
    /// # Errors
    /// When T(`s_hat`) does not exist.
    pub fn new(federation: Federation, gamma: f64, s_hat: Vec<f64>) -> Result<Self, ProtocolError> {
        let theta = maximized(&federation, &s_hat)?;
        let floats = Identity { wire: WireFloat::F64 };
        Ok(Self { federation, gamma, floats, start: Server { s_hat, theta } })
    }
}

/// T(`s`); outside the domain of T the run ends.
fn maximized(federation: &Federation, s: &[f64]) -> Result<Vec<f64>, ProtocolError> {
    let mut theta = Vec::new();
    Domain::Error.maximize(federation.model(), s, &mut theta)?;
    Ok(theta)
}

impl StarAlgorithm for DampedEm {
    type Server = Server;
    // Clients remember nothing.
    type Client = ();
    // A broadcast says Ŝ, as the wire carries it.
    type Content = Vec<f64>;
    // The host computes a row of q numbers ahead for every client.
    type Ahead = Rows;

    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn clients(&self) -> u32 {
        self.federation.clients()
    }

    fn server(&self) -> Server {
        self.start.clone()
    }

    fn client(&self, _i: u32) {}

    fn state<'a>(&'a self, server: &'a Server) -> State<'a> {
        State { s_hat: &server.s_hat, theta: &server.theta }
    }

    fn open_round(&self, server: &mut Server, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits), ProtocolError> {
        let mut s_hat = server.s_hat.clone();
        let bits = wire.send(&self.floats, &mut s_hat)?;
        Ok((s_hat, bits))
    }

    // For the whole cohort, on all cores; a client sees its own row, and only when the broadcast has reached it.
    fn compute_ahead(
        &self,
        _clients: &[()],
        cohort: &[u32],
        sent: &Sent<'_, Vec<f64>>,
        ahead: &mut Rows,
    ) -> Result<(), ProtocolError> {
        let theta = maximized(&self.federation, sent.content)?;
        let e_step = self.federation.model().conditional(&theta)?;
        let rows = ahead.resize(cohort.len(), sent.content.len());
        let work = cohort.iter().map(|&i| u64::from(self.federation.size(i))).sum();
        self.federation.local_statistics(cohort, e_step.as_ref(), |_, _| false, work, rows);
        Ok(())
    }

    fn coder(&self, _streams: &Streams, _i: u32, _round: u64) -> Coder<'_> {
        Coder::own(&self.floats)
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
        let mut step: Vec<f64> = server.s_hat.iter().map(|s| -s).collect();
        for Contribution { client, encoded, .. } in arrived {
            self.floats.add_decoded(encoded, self.federation.weight(*client) / all, &mut step);
        }
        server.s_hat.iter_mut().zip(&step).for_each(|(s, h)| *s += self.gamma * h);
        server.theta = maximized(&self.federation, &server.s_hat)?;
        Ok(Step { field_sq: norm_sq(&step), used: true })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::sync::atomic::AtomicBool;

    use crate::partition::{Partitioned, Rule};
    use fedbits_kernel::{
        AccessLink, Availability, Framing, Ideal, LedgerDetail, Rate, Speed, StarLinks, StopReason, TimeDelta, World,
    };
    use fedbits_models::data::DataSet;
    use fedbits_models::gmm::{Covariance, GaussianMixture};
    use fedbits_record::{Recorder, RoundRow};

    use super::*;
    use crate::federation::Weighting;
    use crate::journal::Journal;
    use crate::plan::{Late, Participation, RecordPlan, RoundPolicy, StopRules};
    use crate::run::{Experiment, Observers, Runnable, run};
    use crate::star::{Rounds, SERVER, StarRun};

    const CLIENTS: usize = 3;

    /// Three clients with four points each around −1 and 1.
    fn federation() -> Federation {
        let points = [-1.4, -0.9, 1.2, 0.8, -1.1, 0.7, 1.5, -0.6, 0.9, -1.3, 1.1, -0.8];
        let rows = points.iter().flat_map(|y| [*y, 0.5 * y]).collect();
        let clients = (0..CLIENTS as u32).flat_map(|i| [i; 4]).collect();
        let data = DataSet::new(vec!["a".into(), "b".into()], rows, None, Some(clients)).unwrap();
        let data = Partitioned::new(&data, Rule::ClientColumn, &Streams::new(1, 0)).unwrap();
        let model = GaussianMixture::new(2, 2, Covariance::Known(vec![1.0, 0.0, 0.0, 1.0])).unwrap();
        Federation::new(data, Box::new(model), Weighting::Clients, None)
    }

    fn start() -> Vec<f64> {
        federation().statistics_at(&[0.5, 0.5, -0.5, 0.0, 0.5, 0.0]).unwrap()
    }

    fn world() -> World {
        let rate = Rate::from_bits_per_second(1e6).unwrap();
        let client = AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(20_000_000) };
        let links = StarLinks { server_up: rate, server_down: rate, clients: vec![client; CLIENTS] };
        World {
            network: Box::new(Ideal::new(links)),
            speeds: vec![Speed::from_seconds_per_unit(1e-5).unwrap(); CLIENTS + 1],
            hazard: None,
            server: Some(SERVER),
            framing: Framing { header: Bits::new(320), segment: Bits::new(11_680) },
            detail: LedgerDetail::PerHost,
            streams: Streams::new(1, 0),
            time_limit: None,
            event_limit: None,
        }
    }

    /// γ = 1 is EM, Ŝ ← s̄(T(Ŝ)), to the rounding of sums; q floats of 64 bits go up per client and round.
    #[test]
    fn it_is_em_and_its_bits_are_counted() {
        const ROUNDS: u64 = 5;
        let algorithm = DampedEm::new(federation(), 1.0, start()).unwrap();
        let rounds = Rounds {
            policy: RoundPolicy::WaitForAll,
            late: Late::Discard,
            participation: Participation::All,
            availability: Availability::default(),
            forgets: false,
            variation: None,
        };
        let protocol: Box<dyn Runnable> = Box::new(StarRun::new(algorithm, rounds, true));
        let recorder = Recorder::nothing(Journal::columns(protocol.subject(), false, false));
        let experiment = Experiment {
            world: world(),
            protocol,
            record: RecordPlan { every: 1, probe_every: Some(1) },
            stop: StopRules { rounds: Some(ROUNDS), ..StopRules::default() },
            data_digest: String::new(),
        };
        let found = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&found);
        let observer = Box::new(move |row: &RoundRow| seen.borrow_mut().push(row.objective.unwrap()));
        let observers = Observers { observer: Some(observer), ..Observers::default() };
        let outcome = run(experiment, recorder, observers, &AtomicBool::new(false));
        assert!(matches!(outcome.stop, StopReason::Reached(_)), "{}", outcome.stop);
        assert_eq!(outcome.totals.bits_up, ROUNDS * CLIENTS as u64 * 64 * start().len() as u64);

        let (federation, mut s_hat) = (federation(), start());
        assert_eq!(found.borrow().len() as u64, ROUNDS + 1);
        for found in found.borrow().iter() {
            let theta = maximized(&federation, &s_hat).unwrap();
            let expected = federation.probe(&State { s_hat: &s_hat, theta: &theta }).unwrap().objective.unwrap();
            assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
            s_hat = federation.statistics_at(&theta).unwrap();
        }
    }
}
