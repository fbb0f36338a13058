//! FL-SAEM in the star, and what the journal sees of it.

use std::cell::OnceCell;
use std::collections::VecDeque;

use fedbits_codec::Encoded;
use fedbits_kernel::Bits;
use fedbits_models::latent::{self, FinalTable, LogLikelihood};
use fedbits_record::{Cell, RunTable};
use fedbits_spec::{Caveat, so_many};

use super::{Saem, SaemClient, SaemServer, Sends};
use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::payload::least_bits;
use crate::problem::Problem;
use crate::run::LeastRound;
use crate::star::{Contribution, Conventions, Outgoing, Received, StarAlgorithm, Step, View, Wire};
use crate::state::{Probe, State, norm_sq};
use crate::uplink::{Memory, Uplink};

/// Names of the columns of `rounds.csv`, before those of the model.
pub(super) const COLUMNS: [&str; 10] = [
    "drift_sq",
    "domain_events",
    "divergences",
    "acceptance",
    "effective_share",
    "gradient_evaluations",
    "density_evaluations",
    "bits_up_dense32",
    "minus_2ll",
    "minus_2ll_error",
];

impl Saem {
    /// Evaluations of densities and gradients, or conditional expectations.
    pub(super) fn evaluations(&self, i: u32, round: u64) -> u64 {
        let p = self.panel.model().latent_dimension();
        let at = |turn| self.settings.local.sampler(turn).map_or(1, |sampler| sampler.evaluations(p));
        let each: u64 = self.settings.turns(round).map(at).sum();
        self.panel.subjects(i).len() as u64 * each
    }

    /// log p(y; θ), once per θ.
    fn likelihood(&self, server: &SaemServer) -> Result<Option<LogLikelihood>> {
        if let Some(&likelihood) = server.likelihood.get() {
            return Ok(Some(likelihood));
        }
        let draws = self.settings.likelihood_draws.unwrap_or(latent::AUTOMATIC_DRAWS);
        let found = latent::log_likelihood(self.panel.model(), &server.theta, draws, &self.streams);
        let found = found.map_err(ProtocolError::Unfit)?;
        Ok(found.map(|found| *server.likelihood.get_or_init(|| found)))
    }
}

impl StarAlgorithm for Saem {
    type Server = SaemServer;
    type Client = SaemClient;
    /// θ as the wire carries it.
    type Content = Vec<f64>;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        &self.panel
    }

    fn server(&self) -> SaemServer {
        let (s, theta) = (self.s.clone(), self.theta.clone());
        SaemServer { s, theta, likelihood: OnceCell::new(), sent: VecDeque::new() }
    }

    fn client(&self, i: u32) -> SaemClient {
        SaemClient { chains: self.chains(i), coded: None }
    }

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    fn state<'a>(&'a self, server: &'a SaemServer) -> State<'a> {
        State { s_hat: &server.s, theta: &server.theta }
    }

    fn open_round(&self, server: &mut SaemServer, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits)> {
        let mut theta = server.theta.clone();
        let bits = wire.send_parameter(&self.floats, &mut theta)?;
        if theta != server.theta {
            let model = self.panel.model();
            let admit = |theta: &[f64], policy, out: &mut _| model.admit(theta, policy, out);
            self.settings.domain.received(&mut theta, |theta| model.posterior(theta).err(), admit)?;
        }
        if self.is_framed() {
            server.note_sent(wire.round, &theta);
        }
        Ok((theta, bits))
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut SaemClient,
        received: Received<'_, Vec<f64>, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let (theta, round): (&[f64], u64) = (received.content, received.round);
        let x = self.local_vector((i, client), round, theta, out.counts)?;
        self.local_encode((i, client), &x, (theta, round), out)
    }

    fn work(&self, i: u32, _client: &SaemClient, round: u64) -> u64 {
        self.evaluations(i, round)
    }

    fn server_update(&self, server: &mut SaemServer, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        self.server_step(server, wire, arrived)
    }

    fn conventions(&self) -> Conventions {
        Conventions {
            // Always F64: rounding them would change the model, not the message.
            constants: Bits::new(64 * self.panel.model().constants_dimension() as u64),
            ..Conventions::default()
        }
    }

    /// Chains only grow. Messages are as long for all.
    fn least_rounds(&self) -> Box<dyn Iterator<Item = LeastRound> + '_> {
        let broadcast = least_bits(&self.floats, self.theta.len());
        let contribution = least_bits(self.uplink.compressor(), self.length);
        let work = |i| self.evaluations(i, 1);
        Box::new((0..self.panel.clients()).map(move |i| LeastRound { broadcast, work: work(i), contribution }))
    }

    fn coded(&self, client: &mut SaemClient) -> Option<Encoded> {
        client.coded.take()
    }

    /// ‖h‖² and the objective where the model has them in closed form; else an estimate of the objective.
    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let server = view.server;
        let parameter_error_sq = self.panel.parameter_error(&server.theta);
        if let Some((expected, objective)) = self.panel.expectation(&server.theta)? {
            let field: Vec<f64> = expected.iter().zip(&server.s).map(|(expected, s)| expected - s).collect();
            let value = -objective * self.panel.total() as f64;
            server.likelihood.get_or_init(|| LogLikelihood { value, error: Some(0.0) });
            let mean_field_sq = Some(norm_sq(&field));
            let objective = Some(objective);
            let probe = Probe { mean_field_sq, objective, parameter_error_sq, ..Probe::default() };
            let own_constants = self.settings.sends != Sends::Statistics
                && self.panel.model().with_constants_of_subjects(&[]).is_some();
            return Ok(probe.at_mean_of_parameters(own_constants));
        }
        let objective = self.likelihood(server)?.map(|likelihood| -likelihood.value / self.panel.total() as f64);
        Ok(Probe { objective, parameter_error_sq, ..Probe::default() })
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).into_iter().chain(self.measure_names()).collect()
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>> {
        let (server, counts) = (view.server, view.counts);
        let share = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
        let tally = &counts.tally;
        let likelihood = if thorough { self.likelihood(server)? } else { None };
        let mut values = vec![
            view.drift_sq(thorough && self.settings.memory != Memory::NoMemory)?,
            Some(counts.domain_events as f64),
            Some(counts.divergences as f64),
            share(tally.accepted as f64, tally.proposed),
            share(tally.effective, tally.states),
            Some(tally.gradients as f64),
            Some(tally.densities as f64),
            Some(counts.dense32 as f64),
            likelihood.map(|likelihood| -2.0 * likelihood.value),
            likelihood.and_then(|likelihood| likelihood.error).map(|error| 2.0 * error),
        ];
        let names = self.measure_names().len();
        match thorough && names > 0 {
            true => values.extend(self.panel.model().measures(&server.theta, &self.streams)?),
            false => values.extend(std::iter::repeat_n(None, names)),
        }
        Ok(values)
    }

    fn tables(&self, server: &SaemServer) -> Result<Vec<RunTable>> {
        let tables = self.panel.model().final_tables(&server.theta, &self.streams)?;
        let extra = |FinalTable { name, columns, names, rows }| {
            let cell = |(column, text): (usize, String)| match names.contains(&column) {
                true => Cell::from(text),
                false => Cell::parsed(&text),
            };
            let cells = |row: Vec<String>| row.into_iter().enumerate().map(cell).collect();
            RunTable { name, columns, rows: rows.into_iter().map(cells).collect() }
        };
        Ok(tables.into_iter().map(extra).collect())
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let mut caveats = Vec::new();
        let counts = view.counts;
        if counts.domain_events > 0 {
            let skips = self.settings.domain == Domain::SkipRound;
            let what =
                if skips { "M-step was|M-steps were" } else { "eigenvalue or weight was|eigenvalues or weights were" };
            let done = if skips { "skipped" } else { "raised to the floor" };
            let events = format!("{} {done}", so_many(counts.domain_events, what));
            caveats.push(Caveat::Domain { statistic: "S".to_owned(), events });
        }
        if counts.divergences > 0 {
            let chains = so_many(counts.divergences, "chain diverged and was|chains diverged and were");
            caveats.push(Caveat::ChainsDiverged { chains });
        }
        if self.gradient_map.is_some() {
            caveats.push(Caveat::QuantizedChain {});
        }
        caveats
    }
}
