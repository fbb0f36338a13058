//! Star protocols that are an estimate of differences and a step along it, with nothing else of their own.

use fedbits_codec::{Compressor, Encoded};
use fedbits_kernel::Bits;
use fedbits_random::Streams;
use fedbits_spec::Caveat;

use super::{ClientMemory, Drift, F64, MemoryStart, ServerMemory, Uplink};
use crate::error::Result;
use crate::payload::Ahead;
use crate::problem::Problem;
use crate::robust::Combiner;
use crate::star::{
    Coder, Contribution, Conventions, Counts, Outgoing, OwnPart, Received, Sent, StarAlgorithm, Step, View, Wire,
};
use crate::state::State;

/// What a protocol estimates, and what its server does with the estimate. The vectors x_i need not be as long as Ŝ: who
/// sends two vectors sends one behind the other.
pub trait Estimator {
    /// The server's state beside V.
    type Server;
    /// What a client keeps beside V_i; `()` where it keeps nothing.
    type Client: Default;
    /// What a broadcast says.
    type Content: 'static;
    /// What the host computes ahead for the receivers of a broadcast; `()` where it computes nothing.
    type Ahead: Ahead;
    /// The problem that it solves.
    fn problem(&self) -> &dyn Problem;
    /// The server before the first round.
    fn server(&self) -> Self::Server;
    /// What client `i` keeps before it takes part, and after it has lost its state.
    fn client(&self, _i: u32) -> Self::Client {
        Self::Client::default()
    }
    /// Does a client learn from every broadcast whether its last message was used ([`Received::used`])? That takes a
    /// bit.
    fn acknowledges(&self) -> bool {
        false
    }
    /// Ŝ and θ now.
    fn state<'a>(&'a self, server: &'a Self::Server) -> State<'a>;
    /// The broadcast of a round as clients receive it, and its bits.
    ///
    /// # Errors
    /// When it cannot be coded.
    fn broadcast(&self, server: &mut Self::Server, wire: &mut Wire<'_>) -> Result<(Self::Content, Bits)>;
    /// As [`StarAlgorithm::compute_ahead`]: what [`Estimator::vector`] will need of the clients of `cohort`.
    ///
    /// # Errors
    /// As [`Estimator::vector`].
    fn compute_ahead(&self, _cohort: &[u32], _sent: &Sent<'_, Self::Content>, _ahead: &mut Self::Ahead) -> Result<()> {
        Ok(())
    }
    /// x_i of client `i` at what it has received, into `x`; round 0 asks for V_{0,i}.
    ///
    /// # Errors
    /// When it has none.
    fn vector(
        &self,
        i: u32,
        client: &mut Self::Client,
        received: Received<'_, Self::Content, Self::Ahead>,
        x: &mut Vec<f64>,
    ) -> Result<()>;
    /// Number of conditional expectations of the last x_i of client `i`: by default one per example.
    fn work(&self, i: u32, _client: &Self::Client, _round: u64) -> u64 {
        self.problem().federation().map_or(0, |federation| u64::from(federation.size(i)))
    }
    /// The client begins to send x_i − V_i, coded by `compressor`: the server will decode that.
    fn on_send(&self, _client: &mut Self::Client, _compressor: &dyn Compressor, _encoded: &Encoded) {}
    /// The server's step along the estimate `x`.
    ///
    /// # Errors
    /// When it leads to an invalid state.
    fn step(&self, server: &mut Self::Server, x: &[f64], arrivals: &Arrivals<'_>, counts: &mut Counts) -> Result<Step>;
}

/// The contributions that a step takes in, in the order of clients.
pub struct Arrivals<'a> {
    /// The round that they close.
    pub round: u64,
    /// What arrived.
    pub contributions: &'a [Contribution],
    uplink: &'a Uplink,
}

impl Arrivals<'_> {
    /// Writes what contribution number `at` says, x_i − V_i as the server decodes it. The clients' weights μ_i are not
    /// in it.
    ///
    /// # Panics
    /// If there is no such contribution.
    pub fn decode(&self, at: usize, x: &mut Vec<f64>) {
        x.resize(self.contributions[at].encoded.dimension(), 0.0);
        self.uplink.reader().decode(&self.contributions[at].encoded, x);
    }
}

/// An estimator with its uplink: a star protocol. The column `drift_sq` is ‖V − n⁻¹ Σ μ_i V_i‖².
pub struct Differences<E> {
    estimator: E,
    uplink: Uplink,
}

impl<E: Estimator> Differences<E> {
    /// `estimator` over an uplink that fits its vectors.
    pub fn new(estimator: E, uplink: Uplink) -> Self {
        Self { estimator, uplink }
    }

    fn drift(&self, view: &View<'_, Self>) -> Drift {
        let memories = view.clients.iter().map(|client| &client.memory);
        self.uplink.drift(&view.server.memory, memories, |i| view.is_unsettled(i))
    }
}

/// Names of the columns of `rounds.csv` that [`Differences`] adds.
pub const COLUMNS: [&str; 4] = ["drift_sq", "bits_up_dense32", "bits_up_indices_free", "bits_up_entropy"];

/// The server's half of it.
pub struct DifferencesServer<S> {
    state: S,
    memory: ServerMemory,
    estimate: Vec<f64>,
}

/// A client's half of it.
pub struct DifferencesClient<C> {
    state: C,
    memory: ClientMemory,
}

impl<E: Estimator> StarAlgorithm for Differences<E> {
    type Server = DifferencesServer<E::Server>;
    type Client = DifferencesClient<E::Client>;
    type Content = E::Content;
    type Ahead = E::Ahead;

    fn problem(&self) -> &dyn Problem {
        self.estimator.problem()
    }

    fn clients(&self) -> u32 {
        self.uplink.clients
    }

    fn server(&self) -> Self::Server {
        DifferencesServer { state: self.estimator.server(), memory: self.uplink.server(), estimate: Vec::new() }
    }

    fn client(&self, i: u32) -> Self::Client {
        DifferencesClient { state: self.estimator.client(i), memory: self.uplink.client(i) }
    }

    fn state<'a>(&'a self, server: &'a Self::Server) -> State<'a> {
        self.estimator.state(&server.state)
    }

    fn open_round(&self, server: &mut Self::Server, wire: &mut Wire<'_>) -> Result<(E::Content, Bits)> {
        self.estimator.broadcast(&mut server.state, wire)
    }

    fn compute_ahead(
        &self,
        _clients: &[Self::Client],
        cohort: &[u32],
        sent: &Sent<'_, E::Content>,
        ahead: &mut E::Ahead,
    ) -> Result<()> {
        self.estimator.compute_ahead(cohort, sent, ahead)
    }

    fn coder(&self, _streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        if round == 0 { self.uplink.whole(&F64) } else { self.uplink.coder(i) }
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut Self::Client,
        received: Received<'_, E::Content, E::Ahead>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let DifferencesClient { state, memory } = client;
        self.uplink.hear(memory, received.used.filter(|_| self.uplink.acknowledges()), received.memory);
        self.estimator.vector(i, state, received, out.scratch)?;
        out.scratch.iter_mut().zip(memory.committed()).for_each(|(x, v)| *x -= v);
        out.report(memory.committed())?;
        out.encode_scratch()
    }

    fn work(&self, i: u32, client: &Self::Client, round: u64) -> u64 {
        self.estimator.work(i, &client.state, round)
    }

    fn server_update(&self, server: &mut Self::Server, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        let DifferencesServer { state, memory, estimate } = server;
        if wire.round == 0 {
            self.uplink.take_memories(memory, &F64, arrived);
            return Ok(Step::default());
        }
        wire.counts.combined = self.uplink.estimate(memory, arrived, estimate);
        let arrivals = Arrivals { round: wire.round, contributions: arrived, uplink: &self.uplink };
        let step = self.estimator.step(state, estimate, &arrivals, wire.counts)?;
        if step.used {
            self.uplink.accept(memory, wire.round, arrived);
        }
        Ok(step)
    }

    fn conventions(&self) -> Conventions {
        let model = self.problem().federation().map(|federation| federation.model().constants_dimension());
        Conventions {
            constants: Bits::new(64 * model.unwrap_or(0) as u64),
            initial_memories: self.uplink.start() == MemoryStart::MeanField,
            acknowledges: self.uplink.acknowledges() || self.estimator.acknowledges(),
            ..Conventions::default()
        }
    }

    fn own_part(&self, server: &mut Self::Server, i: u32, round: u64) -> OwnPart {
        OwnPart { memory: self.uplink.memory_for(&mut server.memory, i, round), ..OwnPart::default() }
    }

    fn on_send(&self, i: u32, client: &mut Self::Client, round: u64, encoded: &Encoded) {
        if round == 0 {
            return client.memory.begin(|v| F64.decode(encoded, v));
        }
        self.uplink.on_send(&mut client.memory, encoded);
        self.estimator.on_send(&mut client.state, self.uplink.coder(i).compressor, encoded);
    }

    fn join_run(&mut self, late_counts: bool, combiner: Option<Combiner>) {
        self.uplink.join_run(late_counts, combiner);
    }

    fn on_settled(&self, client: &mut Self::Client) {
        self.uplink.on_settled(&mut client.memory);
    }

    fn on_state_lost(&self, server: &mut Self::Server, i: u32, client: &mut Self::Client, round: u64) {
        client.state = self.estimator.client(i);
        self.uplink.on_state_lost(&mut server.memory, (i, &mut client.memory), &[], round);
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>> {
        let (drift_sq, counts) = (thorough.then(|| self.drift(view).checked()).transpose()?, view.counts);
        let conventions = [counts.dense32 as f64, counts.indices_free as f64, counts.entropy].map(Some);
        Ok([drift_sq].into_iter().chain(conventions).collect())
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        self.drift(view).caveat().into_iter().collect()
    }
}
