//! FedMissEM in the star.

use fedbits_codec::{Compressor, Encoded};
use fedbits_kernel::Bits;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::RunTable;
use fedbits_spec::Caveat;

use super::{Aggregator, FedMissEm};
use crate::error::ProtocolError;
use crate::fedem::{BatchRule, draw_batch};
use crate::problem::Problem;
use crate::star::{Coder, Contribution, Conventions, Outgoing, OwnPart, Received, StarAlgorithm, Step, View, Wire};
use crate::state::{Probe, State};
use crate::uplink::{ClientMemory, MemoryStart};

/// Names of the columns of `rounds.csv`.
pub(super) const COLUMNS: [&str; 4] = ["drift_sq", "bits_up_dense64", "svd_products", "observed_rmse"];

impl FedMissEm {
    /// Codes Ω_i with V_{0,i}: ρ_i(θ₀) or zeros, uncompressed.
    fn first_upload(&self, i: u32, theta: &[f64], out: &mut Outgoing<'_>) -> Result<(), ProtocolError> {
        let (server, values) = (&self.servers[i as usize], &mut *out.scratch);
        match self.uplink.start() {
            MemoryStart::MeanField => server.residuals(&self.model, theta, None, values),
            MemoryStart::Zero => {
                values.clear();
                values.resize(server.cells.len(), 0.0);
            }
        }
        out.report(&[])?;
        Ok(self.listed.encode_entries(self.s_hat.len(), &server.cells, out.scratch, out.encoded)?)
    }

    /// V_{0,i} of a first upload, into `v`.
    pub(super) fn read_cells(&self, i: u32, encoded: &Encoded, v: &mut [f64]) {
        let mut dense = vec![0.0; self.s_hat.len()];
        self.listed.decode(encoded, &mut dense);
        v.iter_mut().zip(&self.servers[i as usize].cells).for_each(|(v, &cell)| *v = dense[cell as usize]);
    }

    /// The client's half: Quant(ρ_i(θ) − V_i). `indices`: the batch, none for all observations.
    ///
    /// # Errors
    /// When Δ is not finite.
    fn local_update(
        &self,
        i: u32,
        memory: &ClientMemory,
        (theta, indices): (&[f64], Option<&[u32]>),
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        let delta = &mut *out.scratch;
        self.servers[i as usize].residuals(&self.model, theta, indices, delta);
        delta.iter_mut().zip(memory.committed()).for_each(|(delta, v)| *delta -= v);
        out.report(memory.committed())?;
        out.encode_scratch()
    }
}

impl StarAlgorithm for FedMissEm {
    type Server = Aggregator;
    type Client = ClientMemory;
    /// θ as the wire carries it.
    type Content = Vec<f64>;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        self
    }

    fn clients(&self) -> u32 {
        self.servers.len() as u32
    }

    fn server(&self) -> Aggregator {
        Aggregator::new(self)
    }

    fn client(&self, i: u32) -> ClientMemory {
        self.uplink.client(i)
    }

    fn state<'a>(&'a self, server: &'a Aggregator) -> State<'a> {
        State { s_hat: &server.s_hat, theta: &server.theta }
    }

    fn open_round(&self, server: &mut Aggregator, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits), ProtocolError> {
        let mut theta = server.theta.clone();
        let bits = wire.send(&self.floats, &mut theta)?;
        Ok((theta, bits))
    }

    fn coder(&self, _streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        if round == 0 { self.uplink.whole(&self.listed) } else { self.uplink.coder(i) }
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut ClientMemory,
        received: Received<'_, Vec<f64>, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        self.uplink.hear(client, received.used, received.memory);
        let theta = received.content;
        if received.round == 0 {
            return self.first_upload(i, theta, out);
        }
        let mut indices = Vec::new();
        let stream = &mut received.streams.at(DrawPurpose::Minibatch, u64::from(i), received.round);
        let drawn = draw_batch(self.batch, self.servers[i as usize].size(), stream, &mut indices);
        self.local_update(i, client, (theta, drawn.then_some(&indices[..])), out)
    }

    fn work(&self, i: u32, _client: &ClientMemory, round: u64) -> u64 {
        let size = self.servers[i as usize].size();
        let visited = match self.batch {
            _ if round == 0 && self.uplink.start() == MemoryStart::Zero => 0,
            BatchRule::WithReplacement(b) if round > 0 => b,
            BatchRule::WithoutReplacement(b) if round > 0 => b.min(size),
            _ => size,
        };
        u64::from(visited)
    }

    fn server_update(
        &self,
        server: &mut Aggregator,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        if wire.round > 0 {
            return self.server_step(server, wire.round, arrived);
        }
        if self.uplink.commit().is_some() {
            self.take_memories(server, arrived);
        }
        Ok(Step::default())
    }

    /// The first upload tells the aggregator Ω_i, with memory or without.
    fn conventions(&self) -> Conventions {
        Conventions { initial_memories: true, acknowledges: self.uplink.acknowledges(), ..Conventions::default() }
    }

    fn own_part(&self, server: &mut Aggregator, i: u32, round: u64) -> OwnPart {
        OwnPart { memory: self.uplink.memory_for(&mut server.uplink, i, round), ..OwnPart::default() }
    }

    fn late_counts(&mut self) {
        self.uplink.late_counts();
    }

    fn on_settled(&self, client: &mut ClientMemory) {
        self.uplink.on_settled(client);
    }

    fn on_state_lost(&self, server: &mut Aggregator, i: u32, client: &mut ClientMemory, round: u64) {
        self.uplink.on_state_lost(&mut server.uplink, (i, client), &[], round);
    }

    fn on_send(&self, i: u32, client: &mut ClientMemory, round: u64, encoded: &Encoded) {
        if round > 0 {
            return self.uplink.on_send(client, encoded);
        }
        if self.uplink.commit().is_some() {
            client.begin(|v| self.read_cells(i, encoded, v));
        }
    }

    fn probe(&self, view: &View<'_, Self>) -> Result<Probe, ProtocolError> {
        Ok(self.probe_at(view.server))
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        self.values_at(view, thorough)
    }

    fn tables(&self, server: &Aggregator) -> Result<Vec<RunTable>, ProtocolError> {
        self.tables_at(&server.theta)
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let drifts = self.uplink.drift(&view.server.uplink, view.clients.iter(), |i| view.is_unsettled(i)).caveat();
        drifts.into_iter().collect()
    }
}
