//! What a star protocol computes: a client's half and the server's half.

use std::rc::Rc;

use fedbits_codec::{Compressor, Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_models::latent::Tally;
use fedbits_random::{CounterKey, Streams};
use fedbits_record::{ClientColumn, RunTable};
use fedbits_spec::Caveat;

use crate::audit::{Auditor, entity, message_key};
use crate::byzantine::Attackers;
use crate::error::Result;
use crate::payload::Ahead;
use crate::privacy::{Release, Sender};
use crate::problem::Problem;
use crate::robust::{Combined, Combiner};
use crate::run::LeastRound;
use crate::state::{Probe, State};

use super::settings::{Contribution, Conventions, OwnPart, Step};

/// A star protocol. `self` holds what both ends know and no round changes: the problem, the settings, the operators.
/// The states of the server and of the clients are kept by the caller, which passes each half its own state: a client's
/// half sees neither the server's state nor another client's.
///
/// The methods from [`StarAlgorithm::conventions`] on are optional; their defaults are those of a protocol without the
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
///     fn clients(&self) -> u32 {
///         self.numbers.len() as u32
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
    /// n, the number of clients.
    fn clients(&self) -> u32;
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
    /// The operator and draws with which client `i` codes its contribution to `round`.
    fn coder(&self, streams: &Streams, i: u32, round: u64) -> Coder<'_>;
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
    /// Number of conditional expectations that client `i` computes for its contribution to `round`; called after its
    /// half has run.
    fn work(&self, i: u32, client: &Self::Client, round: u64) -> u64;
    /// The server's step with the contributions that arrived, in the order of clients. Round 0 is that of the initial
    /// memories.
    ///
    /// # Errors
    /// When the step leads to an invalid state.
    fn server_update(&self, server: &mut Self::Server, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step>;

    /// What the protocol needs from the shared code of star protocols.
    fn conventions(&self) -> Conventions {
        Conventions::default()
    }
    /// Lower bounds on a round of each client; zeros where nothing is known.
    fn least_rounds(&self) -> Box<dyn Iterator<Item = LeastRound> + '_> {
        Box::new((0..self.clients()).map(|_| LeastRound::default()))
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
    /// What the run asks of it, before any state is made. `late_counts`: messages in flight will be used unless they
    /// are lost. With a `combiner` the server combines contributions otherwise than by adding them, or the record tells
    /// how far the result is from what the honest clients say; a protocol whose sums are its own does nothing with it.
    fn join_run(&mut self, _late_counts: bool, _combiner: Option<Combiner>) {}
    /// The client's message has been used or never will be. Called if there are no acknowledgements.
    fn on_settled(&self, _client: &mut Self::Client) {}
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
    /// Does a probe find the objective of each client ([`Probe::objective_worst_tenth`])?
    fn measures_clients(&self) -> bool {
        self.problem().federation().is_some()
    }
    /// Names of the protocol's own columns.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }
    /// Their values now; `thorough` on probed rounds, when work over all clients may be done.
    ///
    /// # Errors
    /// When an invariant that the protocol claims does not hold.
    fn values(&self, _view: &View<'_, Self>, _thorough: bool) -> Result<Vec<Option<f64>>> {
        Ok(Vec::new())
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
    /// What a reader of the finished run must know before trusting it.
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
    /// The memory V_i that came with it.
    pub memory: Option<&'a [f64]>,
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

/// An operator, and whose draws it makes.
#[derive(Clone, Copy)]
pub struct Coder<'a> {
    /// The operator.
    pub compressor: &'a dyn Compressor,
    /// The operator by which the literature's conventions are charged; the same, but where clients have one each.
    pub charged: &'a dyn Compressor,
    /// Do all clients of a round draw together?
    pub common: bool,
}

impl<'a> Coder<'a> {
    /// An operator that every client uses with draws of its own.
    pub fn per_client(compressor: &'a dyn Compressor) -> Self {
        Self { compressor, charged: compressor, common: false }
    }

    pub(super) fn key(&self, streams: &Streams, i: u32, round: u64) -> CounterKey {
        message_key(streams, if self.common { entity::COMMON } else { u64::from(i) }, round)
    }
}

/// Where a client's half puts its contribution.
pub struct Outgoing<'a> {
    /// The operator of [`StarAlgorithm::coder`].
    pub compressor: &'a dyn Compressor,
    /// Its draws.
    pub randomness: Randomness<'a>,
    /// The message.
    pub encoded: &'a mut Encoded,
    /// What the record counts.
    pub counts: &'a mut Counts,
    /// Working memory.
    pub scratch: &'a mut Vec<f64>,
    pub(super) release: Option<(&'a Release, Sender<'a>)>,
    /// The Byzantine clients, until the client has reported its vector.
    pub(super) attackers: Option<(&'a mut Attackers, Sender<'a>)>,
}

impl<'a> Outgoing<'a> {
    /// A contribution that is coded as it is.
    pub fn plain(
        compressor: &'a dyn Compressor,
        randomness: Randomness<'a>,
        encoded: &'a mut Encoded,
        counts: &'a mut Counts,
        scratch: &'a mut Vec<f64>,
    ) -> Self {
        Self { compressor, randomness, encoded, counts, scratch, release: None, attackers: None }
    }

    /// The working memory holds what the client reports, without `base`, which the server adds to it (empty: nothing).
    /// A Byzantine client replaces it. Who does not call this reports what it codes.
    ///
    /// # Errors
    /// Where a liar knows the honest vectors of the round, and these cannot be compared.
    pub fn report(&mut self, base: &[f64]) -> Result<()> {
        let Some((attackers, sender)) = self.attackers.take() else { return Ok(()) };
        attackers.report(sender.streams, (sender.client, sender.round), base, self.scratch)
    }

    /// Codes what is in the working memory by the client's operator, clipped, with noise and rounded where the run says
    /// so. Only what goes this way can be hidden and masked.
    ///
    /// # Errors
    /// When it is not finite, or does not fit the field of a secure sum.
    pub fn encode_scratch(&mut self) -> Result<()> {
        self.report(&[])?;
        if let Some((release, sender)) = self.release {
            release.apply(sender, self.scratch)?;
        }
        Ok(self.compressor.encode(self.scratch, self.randomness, self.encoded)?)
    }

    /// Codes `x` by the client's operator.
    ///
    /// # Errors
    /// When `x` is not finite.
    pub fn encode(&mut self, x: &[f64]) -> Result<()> {
        if self.attackers.is_some() {
            self.scratch.clear();
            self.scratch.extend_from_slice(x);
            self.report(&[])?;
            return Ok(self.compressor.encode(self.scratch, self.randomness, self.encoded)?);
        }
        Ok(self.compressor.encode(x, self.randomness, self.encoded)?)
    }
}

/// Where the server puts its broadcast, and what it counts.
pub struct Wire<'a> {
    /// Where draws come from.
    pub streams: &'a Streams,
    /// The round that is opened or closed.
    pub round: u64,
    /// What the record counts.
    pub counts: &'a mut Counts,
    /// Conditional expectations that the server makes for its step: they are counted, and take its time.
    pub expectations: u64,
    pub(crate) auditor: &'a mut Auditor,
    pub(super) encoded: &'a mut Encoded,
    /// Bits that all clients are sent.
    pub(super) sent: Bits,
}

impl Wire<'_> {
    /// Sends Ŝ, or whatever all clients are sent, through `compressor`: it becomes what they decode. Returns the bits.
    ///
    /// # Errors
    /// When `x` cannot be encoded, or fails the audit.
    pub fn send(&mut self, compressor: &dyn Compressor, x: &mut [f64]) -> Result<Bits> {
        self.transmit(entity::SERVER_STATISTIC, compressor, x)
    }

    /// The same for a second vector, θ.
    pub(crate) fn send_parameter(&mut self, compressor: &dyn Compressor, x: &mut [f64]) -> Result<Bits> {
        self.transmit(entity::SERVER_PARAMETER, compressor, x)
    }

    fn transmit(&mut self, sender: u64, compressor: &dyn Compressor, x: &mut [f64]) -> Result<Bits> {
        let bits = self.auditor.transmit(self.streams, (sender, self.round), compressor, x, self.encoded)?;
        self.sent += bits;
        Ok(bits)
    }
}

/// What a run counts for its record, whichever half did it. Nothing is computed from it.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Events of the policy at the border of T's domain.
    pub domain_events: u64,
    /// Chains that left the numbers and were put back.
    pub divergences: u64,
    /// What sampling cost.
    pub tally: Tally,
    /// Contributions sent.
    pub sent: u64,
    /// 32 bits for every coordinate sent.
    pub dense32: u64,
    /// Bits sent without those that tell where entries are.
    pub indices_free: u64,
    /// Empirical entropy of the symbols sent, and the floats.
    pub entropy: f64,
    /// What is known of the vector of the last step, where somebody lies or a robust rule is used.
    pub combined: Option<Combined>,
}

impl Counts {
    /// Counts a contribution by all conventions. They are never what is charged.
    pub(crate) fn count(&mut self, coder: &Coder<'_>, encoded: &Encoded) {
        self.sent += 1;
        self.dense32 += 32 * encoded.dimension() as u64;
        self.indices_free += coder.charged.indices_free_bits(encoded);
        self.entropy += coder.charged.entropy_bits(encoded);
    }
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
}

impl<A: StarAlgorithm + ?Sized> View<'_, A> {
    /// Was the last contribution of client `i` used, and it does not know yet?
    pub fn is_unsettled(&self, i: u32) -> bool {
        (self.unsettled)(i)
    }
}
