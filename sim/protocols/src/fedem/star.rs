//! FedEM in the star.

use std::borrow::Cow;

use fedbits_codec::Encoded;
use fedbits_kernel::Bits;
use fedbits_random::Streams;
use fedbits_record::ClientColumn;
use fedbits_spec::{Caveat, so_many};

use super::server::{DownlinkState, coin};
use super::{Content, Domain, FedEm, FedEmServer, LocalRule};
use crate::error::Result;
use crate::payload::least_bits;
use crate::problem::Problem;
use crate::run::LeastRound;
use crate::star::{
    Coder, Contribution, Conventions, Outgoing, OwnPart, Received, Sent, StarAlgorithm, Step, View, Wire,
};
use crate::state::{Probe, State};
use crate::uplink::Uplink;

/// Names of the columns of `rounds.csv`.
pub(crate) const COLUMNS: [&str; 5] =
    ["drift_sq", "domain_events", "bits_up_dense32", "bits_up_indices_free", "bits_up_entropy"];

impl<L: LocalRule> FedEm<L> {
    fn q(&self) -> usize {
        self.start.s_hat.len()
    }

    /// θ of client `i`.
    fn parameters_of<'a>(&self, view: &View<'a, Self>, i: u32) -> Cow<'a, [f64]> {
        self.local.parameters_of(&view.clients[i as usize], &view.server.theta)
    }

    fn is_full(&self, streams: &Streams, round: u64) -> bool {
        self.setting.full_rounds.is_some_and(|p| coin(streams, round, p))
    }
}

impl<L: LocalRule> StarAlgorithm for FedEm<L> {
    type Server = FedEmServer<L::Server>;
    type Client = L::Client;
    type Content = Content<L::Content>;
    type Ahead = L::Ahead;

    fn problem(&self) -> &dyn Problem {
        if let Some(personalized) = self.local.personalized() {
            return personalized;
        }
        self.shown.as_ref().map_or(&self.federation, |shown| &shown.em)
    }

    fn server(&self) -> Self::Server {
        let q = self.q();
        let zeros = || vec![0.0; q];
        FedEmServer {
            s_hat: self.start.s_hat.clone(),
            theta: self.start.theta.clone(),
            h: zeros(),
            downlink: self.downlink.as_ref().map(|(_, alpha)| DownlinkState::new(*alpha, self.federation.clients(), q)),
            local: L::Server::default(),
            full: false,
            shown: self.shown.as_ref().map(|coordinates| coordinates.start.clone()),
            next: zeros(),
            next_theta: Vec::new(),
        }
    }

    fn client(&self, _i: u32) -> L::Client {
        L::Client::default()
    }

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    fn state<'a>(&'a self, server: &'a Self::Server) -> State<'a> {
        match &server.shown {
            Some(shown) => shown.as_state(),
            None => State { s_hat: &server.s_hat, theta: &server.theta },
        }
    }

    fn open_round(&self, server: &mut Self::Server, wire: &mut Wire<'_>) -> Result<(Self::Content, Bits)> {
        let (round, full) = (wire.round, self.is_full(wire.streams, wire.round));
        server.full = full;
        let local = self.local.open(&mut server.local, wire.streams, round);
        let mut s_hat = server.s_hat.clone();
        let (bits, theta) = self.transmit(server, wire, &mut s_hat)?;
        let e_step = self.federation.model().conditional(&theta)?;
        Ok((Content { round, s_hat, full, local, theta, e_step }, bits))
    }

    fn compute_ahead(
        &self,
        clients: &[Self::Client],
        cohort: &[u32],
        sent: &Sent<'_, Self::Content>,
        ahead: &mut Self::Ahead,
    ) -> Result<()> {
        let task = self.task(sent.streams, sent.round);
        self.local.compute_ahead(&task, sent.content, cohort, |i| &clients[i as usize], ahead)
    }

    fn coder(&self, streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        self.coder_of(i, round == 0 || self.is_full(streams, round))
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut L::Client,
        received: Received<'_, Self::Content, Self::Ahead>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let content = received.content;
        let task = self.task(received.streams, received.round);
        // V_i is looked at in one go: the E-step would drive it out of the first-level cache.
        self.local.estimate(&task, i, client, content, received.ahead, |statistics| {
            let (memory, delta) = out.memory();
            self.difference((i, memory), statistics, (&content.s_hat, content.full), delta);
        })?;
        // MARINA's differences are to what the server does not add.
        if self.setting.full_rounds.is_none() {
            out.report_difference()?;
        }
        out.encode_scratch()
    }

    fn work(&self, i: u32, client: &L::Client, round: u64) -> u64 {
        let size = self.federation.size(i);
        if round == 0 { u64::from(size) } else { self.local.work(self.setting.batch, size, client) }
    }

    fn server_update(&self, server: &mut Self::Server, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        self.server_step(server, wire, arrived)
    }

    fn conventions(&self) -> Conventions {
        Conventions {
            // Always F64: rounding them would change the model, not the message.
            constants: Bits::new(64 * self.federation.model().constants_dimension() as u64),
            personal: self.downlink.is_some(),
            ..Conventions::default()
        }
    }

    /// A step computes a batch at the least, whatever the local rule adds. Messages are as long for all, and what they
    /// take on average can be long in coming.
    fn least_rounds(&self) -> Box<dyn Iterator<Item = LeastRound> + '_> {
        let q = self.q();
        let sent = if self.sends_parameters() { q + self.start.theta.len() } else { q };
        // A compressed broadcast may be as short as one likes.
        let broadcast = if self.downlink.is_none() { least_bits(&self.floats, sent) } else { Bits::ZERO };
        let contribution = least_bits(self.uplink.compressor(), q);
        let work = |i| self.setting.batch.count(self.federation.size(i));
        Box::new((0..self.federation.clients()).map(move |i| LeastRound { broadcast, work: work(i), contribution }))
    }

    fn own_part(&self, server: &mut Self::Server, i: u32, round: u64) -> OwnPart {
        let Some(downlink) = &mut server.downlink else { return OwnPart::default() };
        let part = downlink.own_part(i, round > 0 && !self.uplink.acknowledges());
        if round == 0 {
            // All contribute to it.
            downlink.heard_from(i);
        }
        part
    }

    fn on_send(&self, _i: u32, client: &mut L::Client, round: u64, _encoded: &Encoded) {
        if round > 0 {
            self.local.on_send(client);
        }
    }

    fn on_state_lost(&self, server: &mut Self::Server, i: u32, client: &mut L::Client, _round: u64) {
        *client = L::Client::default();
        if let Some(downlink) = &mut server.downlink {
            downlink.forget(i);
        }
    }

    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let state = self.state(view.server);
        if let Some(personalized) = self.local.personalized() {
            return Ok(personalized.probe(&state, &|i| self.parameters_of(view, i))?);
        }
        let federation = self.shown.as_ref().map_or(&self.federation, |shown| &shown.em);
        Ok(federation.probe(&state)?)
    }

    fn quality_of_clients(&self, view: &View<'_, Self>) -> Result<Vec<ClientColumn>> {
        match (self.local.personalized(), self.federation.model().own_parameters()) {
            (Some(personalized), Some(parameters)) => {
                personalized.quality_of_clients(&|i| self.parameters_of(view, i), parameters.own_entries())
            }
            _ => self.problem().client_columns(&self.state(view.server)),
        }
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.into_iter().chain(self.local.column()).map(str::to_owned).collect()
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>> {
        let drift_sq = view.drift_sq(thorough)?;
        let domain_events = Some((self.clipped + view.counts.domain_events) as f64);
        let measured = self.local.column().map(|_| self.local.value(&view.server.local));
        Ok([drift_sq, domain_events].into_iter().chain(view.counts.conventions()).chain(measured).collect())
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let mut caveats = Vec::new();
        let domain_events = self.clipped + view.counts.domain_events;
        if domain_events > 0 {
            let what = if self.setting.domain == Domain::SkipRound {
                "round was skipped|rounds were skipped"
            } else {
                "entry was clipped|entries were clipped"
            };
            caveats.push(Caveat::Domain { statistic: "Ŝ".to_owned(), events: so_many(domain_events, what) });
        }
        caveats
    }
}
