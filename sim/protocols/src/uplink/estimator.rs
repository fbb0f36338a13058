//! Star protocols that are an estimate of differences and a step along it, with nothing else of their own.

use fedbits_codec::{Compressor, Encoded};
use fedbits_kernel::Bits;
use fedbits_random::Streams;
use fedbits_spec::Caveat;

use super::{ClientMemory, F64, MemoryStart, ServerMemory, Uplink};
use crate::error::ProtocolError;
use crate::problem::Problem;
use crate::star::{
    Coder, Contribution, Conventions, Counts, Outgoing, OwnPart, Received, StarAlgorithm, Step, View, Wire,
};
use crate::state::{OwnedState, State};

/// What a protocol estimates, and what its server does with the estimate.
pub trait Estimator {
    /// The problem that it solves.
    fn problem(&self) -> &dyn Problem;
    /// Ŝ₀ and T(Ŝ₀).
    fn start(&self) -> OwnedState;
    /// The broadcast of a round: `point` as clients receive it, and its bits.
    ///
    /// # Errors
    /// When it cannot be coded.
    fn broadcast(&self, point: &OwnedState, wire: &mut Wire<'_>) -> Result<(OwnedState, Bits), ProtocolError>;
    /// x_i of client `i` at what it has received in `round`, into `x`; round 0 asks for V_{0,i}.
    ///
    /// # Errors
    /// When it has none.
    fn vector(&self, i: u32, received: &OwnedState, at: (&Streams, u64), x: &mut Vec<f64>)
    -> Result<(), ProtocolError>;
    /// The server's step of `round` along the estimate `x`.
    ///
    /// # Errors
    /// When it leads to an invalid state.
    fn step(&self, point: &mut OwnedState, x: &[f64], round: u64, counts: &mut Counts) -> Result<Step, ProtocolError>;
    /// Number of conditional expectations of x_i: by default one per example.
    fn work(&self, i: u32) -> u64 {
        self.problem().federation().map_or(0, |federation| u64::from(federation.size(i)))
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
}

/// The server's half of it.
pub struct DifferencesServer {
    point: OwnedState,
    memory: ServerMemory,
    estimate: Vec<f64>,
}

impl<E: Estimator> StarAlgorithm for Differences<E> {
    type Server = DifferencesServer;
    type Client = ClientMemory;
    type Content = OwnedState;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        self.estimator.problem()
    }

    fn clients(&self) -> u32 {
        self.uplink.clients
    }

    fn server(&self) -> DifferencesServer {
        DifferencesServer { point: self.estimator.start(), memory: self.uplink.server(), estimate: Vec::new() }
    }

    fn client(&self, i: u32) -> ClientMemory {
        self.uplink.client(i)
    }

    fn state<'a>(&'a self, server: &'a DifferencesServer) -> State<'a> {
        server.point.as_state()
    }

    fn open_round(
        &self,
        server: &mut DifferencesServer,
        wire: &mut Wire<'_>,
    ) -> Result<(OwnedState, Bits), ProtocolError> {
        self.estimator.broadcast(&server.point, wire)
    }

    fn coder(&self, _streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        if round == 0 { self.uplink.whole(&F64) } else { self.uplink.coder(i) }
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut ClientMemory,
        received: Received<'_, OwnedState, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        self.uplink.hear(client, received.used, received.memory);
        self.estimator.vector(i, received.content, (received.streams, received.round), out.scratch)?;
        out.scratch.iter_mut().zip(client.committed()).for_each(|(x, v)| *x -= v);
        out.encode_scratch()
    }

    fn work(&self, i: u32, _client: &ClientMemory, _round: u64) -> u64 {
        self.estimator.work(i)
    }

    fn server_update(
        &self,
        server: &mut DifferencesServer,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        let DifferencesServer { point, memory, estimate } = server;
        if wire.round == 0 {
            self.uplink.take_memories(memory, &F64, arrived);
            return Ok(Step::default());
        }
        self.uplink.estimate(memory, arrived, estimate);
        let step = self.estimator.step(point, estimate, wire.round, wire.counts)?;
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
            acknowledges: self.uplink.acknowledges(),
            personal: false,
        }
    }

    fn own_part(&self, server: &mut DifferencesServer, i: u32, round: u64) -> OwnPart {
        OwnPart { memory: self.uplink.memory_for(&mut server.memory, i, round), ..OwnPart::default() }
    }

    fn on_send(&self, _i: u32, client: &mut ClientMemory, round: u64, encoded: &Encoded) {
        match round {
            0 => client.begin(|v| F64.decode(encoded, v)),
            _ => self.uplink.on_send(client, encoded),
        }
    }

    fn late_counts(&mut self) {
        self.uplink.late_counts();
    }

    fn on_settled(&self, client: &mut ClientMemory) {
        self.uplink.on_settled(client);
    }

    fn on_state_lost(&self, server: &mut DifferencesServer, i: u32, client: &mut ClientMemory, round: u64) {
        self.uplink.on_state_lost(&mut server.memory, (i, client), &[], round);
    }

    fn columns(&self) -> Vec<String> {
        vec!["drift_sq".to_owned()]
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        let drift = || self.uplink.drift(&view.server.memory, view.clients.iter(), |i| view.is_unsettled(i)).checked();
        Ok(vec![thorough.then(drift).transpose()?])
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let drifts = self.uplink.drift(&view.server.memory, view.clients.iter(), |i| view.is_unsettled(i)).caveat();
        drifts.into_iter().collect()
    }
}
