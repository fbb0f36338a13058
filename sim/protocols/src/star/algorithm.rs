//! What a star protocol computes: a client's half and the server's half.

use std::rc::Rc;

use fedbits_codec::Encoded;
use fedbits_kernel::Bits;
use fedbits_random::Streams;
use fedbits_record::{ClientColumn, RunTable};
use fedbits_spec::Caveat;

use crate::error::Result;
use crate::payload::{Ahead, Coder, Contribution};
use crate::problem::Problem;
use crate::run::LeastRound;
use crate::state::{Probe, State};
use crate::uplink::{COLUMNS, ClientMemory, Drift, F64, ServerMemory, Uplink};

use super::settings::{Conventions, OwnPart, Step};
use super::wire::{Counts, Outgoing, Wire};

/// A star protocol. `self` holds what both ends know and no round changes: the problem, the settings, the operators.
/// The states of the server and of the clients are kept by the caller, which passes each half its own state: a client's
/// half sees neither the server's state nor another client's.
///
/// The methods from [`StarAlgorithm::uplink`] on are optional; their defaults are those of a protocol without the
/// capability.
///
/// The mean of numbers that clients have, and its only round by hand:
///
/// ```
/// use fedbits_codec::{Compressor, Encoded, Identity, WireFloat};
/// use fedbits_kernel::Bits;
/// use fedbits_protocols::error::ProtocolError;
/// use fedbits_protocols::problem::Problem;
/// use fedbits_protocols::star::{
///     Addressed, Coder, Contribution, Halves, Outgoing, Received, StarAlgorithm, StarHalves, Step, Wire,
/// };
/// use fedbits_protocols::state::State;
/// use fedbits_random::Streams;
///
/// struct Mean {
///     numbers: Vec<f64>,
///     floats: Identity,
/// }
///
/// impl Problem for Mean {
///     fn clients(&self) -> u32 {
///         self.numbers.len() as u32
///     }
///     fn total(&self) -> u64 {
///         self.numbers.len() as u64
///     }
///     fn parameter_names(&self) -> Vec<String> {
///         vec!["mean".to_owned()]
///     }
///     fn statistic_names(&self) -> Vec<String> {
///         Vec::new()
///     }
/// }
///
/// impl StarAlgorithm for Mean {
///     type Server = [f64; 1];
///     type Client = ();
///     type Content = ();
///     type Ahead = ();
///
///     fn problem(&self) -> &dyn Problem {
///         self
///     }
///     fn server(&self) -> [f64; 1] {
///         [0.0]
///     }
///     fn client(&self, _i: u32) {}
///     fn state<'a>(&'a self, mean: &'a [f64; 1]) -> State<'a> {
///         State { s_hat: &[], theta: mean }
///     }
///     fn open_round(&self, _: &mut [f64; 1], _: &mut Wire<'_>) -> Result<((), Bits), ProtocolError> {
///         Ok(((), Bits::ZERO))
///     }
///     fn coder(&self, _: &Streams, _i: u32, _round: u64) -> Coder<'_> {
///         Coder::per_client(&self.floats)
///     }
///     fn client_update(
///         &self,
///         i: u32,
///         _: &mut (),
///         _: Received<'_, (), ()>,
///         out: &mut Outgoing<'_>,
///     ) -> Result<(), ProtocolError> {
///         out.encode(&[self.numbers[i as usize]])
///     }
///     fn work(&self, _i: u32, _: &(), _round: u64) -> u64 {
///         1
///     }
///     fn server_update(
///         &self,
///         mean: &mut [f64; 1],
///         _: &mut Wire<'_>,
///         arrived: &[Contribution],
///     ) -> Result<Step, ProtocolError> {
///         let share = 1.0 / arrived.len() as f64;
///         arrived.iter().for_each(|sent| self.floats.add_decoded(&sent.encoded, share, mean));
///         Ok(Step { field_sq: 0.0, used: true })
///     }
/// }
///
/// # fn main() -> Result<(), ProtocolError> {
/// let mean = Mean { numbers: vec![1.0, 5.0], floats: Identity { wire: WireFloat::F64 } };
/// let (mut halves, streams, cohort) = (Halves::new(mean, true), Streams::new(1, 0), [0, 1]);
/// let body = halves.open_round(&streams, 1, &cohort)?;
/// let mut arrived = Vec::new();
/// for (position, client) in cohort.into_iter().enumerate() {
///     let to = Addressed { streams: &streams, position, parity: halves.acknowledgement(client), memory: None };
///     let mut encoded = Encoded::new();
///     halves.receive(client, &body, &to, &mut encoded)?;
///     halves.send(&streams, client, 1, &encoded)?;
///     assert_eq!(encoded.bits(), 64);
///     arrived.push(Contribution { client, encoded: Box::new(encoded), age: 0 });
/// }
/// halves.step(&streams, 1, &arrived)?;
/// assert_eq!(halves.server, [3.0]);
/// # Ok(())
/// # }
/// ```
pub trait StarAlgorithm {
    /// The server's state.
    type Server;
    /// The state of one client; `()` where clients remember nothing.
    type Client;
    /// The content of a broadcast.
    type Content: 'static;
    /// What the host computes ahead for the receivers of a broadcast: `()`, or the clients' statistics.
    type Ahead: Ahead;

    /// The problem that it solves.
    fn problem(&self) -> &dyn Problem;
    /// The server before the first round.
    fn server(&self) -> Self::Server;
    /// Client `i` before the first round, and after it has lost its state.
    fn client(&self, i: u32) -> Self::Client;
    /// Ŝ and θ now.
    fn state<'a>(&'a self, server: &'a Self::Server) -> State<'a>;

    /// The server opens a round (0: it asks for the initial memories). Returns the broadcast and its bits, at least as
    /// many as `wire` has counted. The audit requires that a broadcast with content is charged, here or in
    /// [`own_part`](StarAlgorithm::own_part).
    ///
    /// # Errors
    /// When no broadcast can be made of its state.
    fn open_round(&self, server: &mut Self::Server, wire: &mut Wire<'_>) -> Result<(Self::Content, Bits)>;
    /// Client `i` has received a broadcast: it codes its contribution into `out`.
    ///
    /// # Errors
    /// When it has none.
    fn client_update(
        &self,
        i: u32,
        client: &mut Self::Client,
        received: Received<'_, Self::Content, Self::Ahead>,
        out: &mut Outgoing<'_>,
    ) -> Result<()>;
    /// The server's step with the contributions that arrived, in the order of clients. Round 0 is that of initial
    /// memories, if they are not those of an uplink.
    ///
    /// # Errors
    /// When the step leads to an invalid state.
    fn server_update(&self, server: &mut Self::Server, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step>;

    /// How it estimates what clients send, where that is by differences to memories ([`crate::uplink`]): the shared
    /// code keeps these. They need the columns of [`crate::uplink::COLUMNS`], or `drift_sq` among its own.
    fn uplink(&self) -> Option<&Uplink> {
        None
    }
    /// The operator and draws with which client `i` codes its contribution to `round`: by default those of the uplink.
    fn coder(&self, _streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        match self.uplink() {
            Some(uplink) if round == 0 => uplink.whole(),
            Some(uplink) => uplink.coder(i),
            None => Coder::per_client(&F64),
        }
    }
    /// Number of conditional expectations that client `i` computes for its contribution to `round`; called after its
    /// half has run. By default one per example.
    fn work(&self, i: u32, _client: &Self::Client, _round: u64) -> u64 {
        self.problem().federation().map_or(0, |federation| u64::from(federation.size(i)))
    }
    /// What client `i` has coded last as the server will read it, where that is not what it sends.
    fn coded(&self, _client: &mut Self::Client) -> Option<Encoded> {
        None
    }
    /// V_{0,i} as its message says it, where the operator of round 0 does not decode that.
    fn read_memory(&self, sent: (u32, &Encoded), v: &mut [f64]) {
        if let Some(uplink) = self.uplink() {
            uplink.whole().compressor.decode(sent.1, v);
        }
    }
    /// What the protocol needs from the shared code of star protocols; an uplink adds what it needs.
    fn conventions(&self) -> Conventions {
        Conventions::of(self.problem())
    }
    /// Lower bounds on a round of each client; zeros where nothing is known.
    fn least_rounds(&self) -> Box<dyn Iterator<Item = LeastRound> + '_> {
        Box::new((0..self.problem().clients()).map(|_| LeastRound::default()))
    }
    /// Computes early, possibly in parallel, what the receivers of a broadcast will need. It may use all clients'
    /// states, because it only makes the simulation faster.
    ///
    /// # Errors
    /// As the clients' half.
    fn compute_ahead(
        &self,
        _clients: &[Self::Client],
        _cohort: &[u32],
        _sent: &Sent<'_, Self::Content>,
        _ahead: &mut Self::Ahead,
    ) -> Result<()> {
        Ok(())
    }
    /// The part of the broadcast of `round` that is for client `i` alone. Called once per broadcast.
    fn own_part(&self, _server: &mut Self::Server, _i: u32, _round: u64) -> OwnPart {
        OwnPart::default()
    }
    /// Client `i` begins to send its contribution to `round`.
    fn on_send(&self, _i: u32, _client: &mut Self::Client, _round: u64, _encoded: &Encoded) {}
    /// Client `i` dropped out in `round` and has lost all state.
    fn on_state_lost(&self, _server: &mut Self::Server, i: u32, client: &mut Self::Client, _round: u64) {
        *client = self.client(i);
    }

    /// A full pass over all data at the present state, where clients have parameters of their own at theirs.
    ///
    /// # Errors
    /// When the state has no density.
    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let (federation, state) = (self.problem().federation(), self.state(view.server));
        Ok(federation.map(|federation| federation.probe(&state)).transpose()?.unwrap_or_default())
    }
    /// Names of the protocol's own columns.
    fn columns(&self) -> Vec<String> {
        self.uplink().map_or_else(Vec::new, |_| COLUMNS.map(str::to_owned).to_vec())
    }
    /// Their values now; `thorough` on probed rounds, when work over all clients may be done.
    ///
    /// # Errors
    /// When an invariant that the protocol claims does not hold.
    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>> {
        if self.uplink().is_none() {
            return Ok(Vec::new());
        }
        Ok([view.drift_sq(thorough)?].into_iter().chain(view.counts.conventions()).collect())
    }
    /// Additional tables of the finished run.
    ///
    /// # Errors
    /// When the final state has none although it should.
    fn tables(&self, _server: &Self::Server) -> Result<Vec<RunTable>> {
        Ok(Vec::new())
    }
    /// What the state is worth to each client, as far as its own examples tell: columns of `clients.csv`.
    ///
    /// # Errors
    /// When the state has no density.
    fn quality_of_clients(&self, view: &View<'_, Self>) -> Result<Vec<ClientColumn>> {
        self.problem().client_columns(&self.state(view.server))
    }
    /// What a reader of the finished run must know before trusting it, beside what its uplink says.
    fn caveats(&self, _view: &View<'_, Self>) -> Vec<Caveat> {
        Vec::new()
    }
}

/// A broadcast as one client sees it.
pub struct Received<'a, C, H: Ahead + 'a> {
    /// Where draws come from.
    pub streams: &'a Streams,
    /// The round that it opens.
    pub round: u64,
    /// What it says.
    pub content: &'a Rc<C>,
    /// What the host has computed ahead for this client.
    pub ahead: H::Own<'a>,
    /// Was what the client sent last used? None where nothing is acknowledged.
    pub used: Option<bool>,
}

/// A broadcast as the host sees it.
pub struct Sent<'a, C> {
    /// Where draws come from.
    pub streams: &'a Streams,
    /// The round that it opens.
    pub round: u64,
    /// What it says.
    pub content: &'a Rc<C>,
}

/// Both halves' states at one instant, for the record.
pub struct View<'a, A: StarAlgorithm + ?Sized> {
    /// The server.
    pub server: &'a A::Server,
    /// The clients.
    pub clients: &'a [A::Client],
    /// What was counted.
    pub counts: &'a Counts,
    pub(super) unsettled: &'a dyn Fn(u32) -> bool,
    pub(super) memories: &'a [ClientMemory],
    pub(super) memory: Option<(&'a Uplink, &'a ServerMemory)>,
}

impl<A: StarAlgorithm + ?Sized> View<'_, A> {
    /// Was the last contribution of client `i` used, and it does not know yet?
    pub fn is_unsettled(&self, i: u32) -> bool {
        (self.unsettled)(i)
    }

    /// ‖V − n⁻¹ Σ μ_i V_i‖² of an uplink.
    pub(super) fn drift(&self) -> Option<Drift> {
        let (uplink, memory) = self.memory?;
        Some(uplink.drift(memory, self.memories.iter(), self.unsettled))
    }

    /// The same on `thorough` rows.
    ///
    /// # Errors
    /// Where V is promised to be the mean, and is not.
    pub fn drift_sq(&self, thorough: bool) -> Result<Option<f64>> {
        if thorough { self.drift().map(Drift::checked).transpose() } else { Ok(None) }
    }
}
