//! The star skeleton: rounds between a server and its clients, whatever they compute.
//!
//! choose cohort → broadcast → clients work → contributions → parked by client id → folded in id order → the server's step →
//! a row in the journal → next round. What is computed is two functions of a [`StarAlgorithm`]; who waits for whom, who is
//! late and who is lost is decided here. It must not know the mathematics.
//!
//! **Acknowledgement in one bit.** The server counts the contributions of client i that it used, the client those that it
//! committed; the counts differ by at most one. A broadcast carries the parity of the server's count: if it differs from the
//! client's, the staged contribution was used and the client commits it, else drops it. A lost broadcast is repeated by the
//! next one; nothing else needs to be remembered.
//!
//! **Two ways to go on.** Where late contributions are discarded, a client asked again gives up what it does for an older round.
//! Where they count ([`Late::Apply`], [`RoundPolicy::Buffered`]), nobody is asked before its contribution is in or lost, so that a
//! client still has at most one under way, and the same bit acknowledges it.

mod clients;
mod opening;
mod rounds;

use std::num::NonZeroU64;
use std::rc::Rc;

use fedbits_codec::Encoded;
use fedbits_kernel::{
    Availability, Bits, Context, EventId, Message, NodeId, Presence, Protocol, Sending, StopReason, Time,
};
use fedbits_random::Streams;

use crate::cohort::Chooser;
use crate::journal::{Journal, Round, Subject};
use crate::payload::{Broadcast, StarPayload};
use crate::plan::{Late, Participation, RoundPolicy};
use crate::run::{Actor, LeastRound, Outcome, Playable, Setting};

/// The server's node.
pub const SERVER: NodeId = NodeId(0);

/// The node of client `i`.
pub fn node_of(i: u32) -> NodeId {
    NodeId(i + 1)
}

fn client_of(node: NodeId) -> u32 {
    node.0 - 1
}

/// A contribution that arrived in time.
pub struct Contribution {
    /// Zero-based client.
    pub client: u32,
    /// What it sent.
    pub encoded: Box<Encoded>,
    /// τ, its staleness: 0 when it answers the broadcast of this round, 1 for the one before, …
    pub age: u64,
}

/// What the server's step did.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// ‖H‖² of the step.
    pub field_sq: f64,
    /// Were the contributions used (false: the round was skipped)?
    pub used: bool,
}

/// The mathematics of a star protocol: a client's update, the server's update, and what surrounds them.
pub trait StarAlgorithm: Subject {
    /// Bits of constants that clients and server exchange once before the first round; zero for most models.
    fn constants_bits(&self) -> Bits;
    /// Do clients start from memories V₀,ᵢ that they must upload?
    fn has_initial_memory(&self) -> bool;
    /// The broadcast of `round` (0: for the initial memory) to `cohort`, statistics computed ahead.
    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>, String>;
    /// Conditional expectations that client `i` computes in `round`.
    fn work(&self, i: u32, round: u64) -> u64;
    /// Conditional expectations that client `i` computes in a round at the least; zero where nothing is known.
    fn least_work(&self, _i: u32) -> u64 {
        0
    }
    /// Bits of a broadcast and of a contribution at the least; zero where nothing is known.
    fn least_bits(&self) -> [Bits; 2] {
        [Bits::ZERO; 2]
    }
    /// The acknowledgement for client `i`; `None` when the protocol uses none.
    fn acknowledgement(&self, i: u32) -> Option<bool>;
    /// The memory V_i that the broadcast of `round` to client `i` is to carry (q floats of 64 bits), if any.
    fn memory_to_send(&mut self, _i: u32, _round: u64) -> Option<Rc<Vec<f64>>> {
        None
    }
    /// What the broadcast of this round to client `i` carries for it alone, memories apart. Called once per broadcast.
    fn own_part(&mut self, _i: u32) -> OwnPart {
        OwnPart::default()
    }
    /// Late contributions count in this run: what is on its way will be used, unless [`StarAlgorithm::on_contribution_lost`] says
    /// otherwise. Called before everything else.
    fn late_counts(&mut self) {}
    /// What client `i` has sent, if it has, will never be used.
    fn on_contribution_lost(&mut self, _i: u32) {}
    /// Client `i` dropped out in `round` and has lost all state.
    fn on_state_lost(&mut self, _i: u32, _round: u64) {}
    /// Client `i` has received the broadcast: it settles its memory and codes its contribution.
    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String>;
    /// Client `i` begins to send its contribution to `round`.
    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String>;
    /// Every initial memory has arrived, in id order.
    fn take_initial_memories(&mut self, memories: &[Contribution]);
    /// The server's step with what arrived, in id order.
    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String>;
}

/// The part of a broadcast that differs by receiver: where the downlink has a state, the updates that this receiver needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnPart {
    /// Its length.
    pub bits: Bits,
    /// Does it hold more than what everybody who took part in the last step needs?
    pub catches_up: bool,
}

/// A broadcast as a client sees it.
pub struct Received<'a> {
    /// The shared content.
    pub body: &'a Broadcast,
    /// Its place in the cohort.
    pub place: u32,
    /// Its acknowledgement.
    pub acknowledgement: Option<bool>,
    /// The memory V_i that came with it.
    pub memory: Option<&'a [f64]>,
}

/// Settings of the skeleton.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Who closes a round.
    pub policy: RoundPolicy,
    /// What becomes of contributions that arrive after their round.
    pub late: Late,
    /// Who is asked.
    pub participation: Participation,
    /// Who can be asked.
    pub availability: Availability,
    /// Do clients lose their state when they drop out?
    pub forgets: bool,
    /// Standard deviation of the logarithm of a factor (median 1) by which the span of each computation varies, if it does.
    pub variation: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Clients upload constants; so many are outstanding.
    ConstantsUp(u32),
    /// The server sends their mean back.
    ConstantsDown(u32),
    /// Clients compute and upload V₀,ᵢ.
    Memory,
    /// Rounds proper.
    Rounds,
}

/// A star protocol in play.
pub struct Star<A> {
    algorithm: A,
    rounds: Rounds,
    journal: Journal,
    stage: Stage,
    round: u64,
    /// Has the server made its step of this round?
    closed: bool,
    /// Rings when the round must end, if nothing ends it before.
    timer: Option<EventId>,
    presence: Presence,
    cohort: Vec<u32>,
    /// Clients that the server waits for; where late contributions count, of earlier cohorts too.
    awaited: u32,
    lost: u32,
    parked: Vec<Contribution>,
    /// When each parked contribution arrived.
    arrivals: Vec<Time>,
    expectations: u64,
    /// The newest round that each client has heard of.
    heard: Vec<u64>,
    /// The round in which each client was asked last, until its contribution has arrived or is known to be lost.
    pending: Vec<Option<NonZeroU64>>,
    /// What each client works on: a place in `desk`, none when idle.
    working: Vec<Option<u32>>,
    desk: Vec<Work>,
    free: Vec<u32>,
    /// Buffers of contributions that were folded, to be used again.
    #[expect(clippy::vec_box, reason = "the boxes are what is handed on: they travel in messages")]
    spare: Vec<Box<Encoded>>,
    /// Messages of the opening that were lost, until they are sent again.
    resend: Vec<Option<Message<StarPayload>>>,
    chooser: Chooser,
}

/// A contribution on its way from the broadcast to the upload.
#[derive(Default)]
struct Work {
    round: u64,
    /// What was coded, until it is sent.
    encoded: Option<Box<Encoded>>,
    /// The upload, once it is under way.
    sending: Option<Sending>,
}

impl<A: StarAlgorithm> Star<A> {
    /// A protocol before its start.
    pub fn new(algorithm: A, rounds: Rounds, journal: Journal) -> Self {
        let n = algorithm.clients() as usize;
        Self {
            presence: Presence::new(rounds.availability.clone(), n + 1),
            algorithm,
            rounds,
            journal,
            stage: Stage::Rounds,
            round: 0,
            closed: false,
            timer: None,
            cohort: Vec::new(),
            awaited: 0,
            lost: 0,
            parked: Vec::new(),
            arrivals: Vec::new(),
            expectations: 0,
            heard: vec![0; n],
            pending: vec![None; n],
            working: vec![None; n],
            desk: Vec::new(),
            free: Vec::new(),
            spare: Vec::new(),
            resend: Vec::new(),
            chooser: Chooser::default(),
        }
    }

    /// The algorithm, to look at its state.
    pub fn algorithm(&self) -> &A {
        &self.algorithm
    }

    fn n(&self) -> u32 {
        self.working.len() as u32
    }

    fn note(&mut self, context: &Context<StarPayload>, round: Round) -> Option<StopReason> {
        self.journal.note(context, &self.algorithm, round)
    }
}

/// A star protocol before its start.
pub struct StarRun<A> {
    /// What is computed.
    pub algorithm: A,
    /// Who waits for whom.
    pub rounds: Rounds,
}

impl<A: StarAlgorithm> Playable for StarRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.algorithm
    }

    fn least_round(&self, i: u32) -> Option<LeastRound> {
        let [broadcast, contribution] = self.algorithm.least_bits();
        Some(LeastRound { broadcast, work: self.algorithm.least_work(i), contribution })
    }

    fn play(self: Box<Self>, setting: Setting<'_>) -> Outcome {
        let StarRun { algorithm, rounds } = *self;
        setting.play(|journal| Star::new(algorithm, rounds, journal))
    }
}

impl<A: StarAlgorithm> Actor<StarPayload> for Star<A> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.algorithm, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}

impl<A: StarAlgorithm> Protocol<StarPayload> for Star<A> {
    fn start(&mut self, context: &mut Context<StarPayload>) {
        if self.carries() {
            self.algorithm.late_counts();
        }
        self.begin(context);
    }

    fn on_message(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        match message.payload {
            StarPayload::Constants(_) => self.on_constants(context),
            StarPayload::Broadcast { body, place, acknowledgement, memory, .. } => {
                let memory = memory.as_deref().map(Vec::as_slice);
                let received = Received { body: &body, place, acknowledgement, memory };
                self.on_broadcast(context, client_of(message.to), &received);
            }
            StarPayload::Update { round, encoded } => {
                self.on_contribution(context, client_of(message.from), round, encoded);
            }
        }
    }

    fn on_timer(&mut self, context: &mut Context<StarPayload>, tag: u64) {
        if self.stage != Stage::Rounds {
            return self.send_again(context, tag);
        }
        self.timer = None;
        self.close_round(context);
    }

    fn on_computed(&mut self, context: &mut Context<StarPayload>, node: NodeId) {
        self.on_work_done(context, client_of(node));
    }

    fn on_dropout(&mut self, context: &mut Context<StarPayload>, node: NodeId) {
        self.on_lost_client(context, client_of(node));
    }

    fn on_lost(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        self.on_lost_message(context, message);
    }
}
