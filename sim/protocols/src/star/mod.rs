//! The shared code of star protocols: rounds between a server and its clients, whatever they compute.
//!
//! choose cohort → broadcast → clients work → contributions → parked by client id → folded in id order → the server's
//! step → a row in the journal → next round. What is computed are the two halves of a [`StarAlgorithm`], held in
//! [`Halves`]; who waits for whom, who is late and who is lost is decided here.
//!
//! **Two kinds of rounds.** Where late contributions are discarded, a client selected again gives up what it does for
//! an older round. Where they count (`Late::Apply`, `RoundPolicy::Buffered`), nobody is selected before its
//! contribution is in or lost, so that a client still has at most one in flight, and the same bit acknowledges it.

mod algorithm;
mod clients;
mod halves;
mod masks;
mod rounds;
mod secure;
mod settings;
mod wire;

use std::num::NonZeroU64;

use fedbits_codec::Encoded;
use fedbits_kernel::{Context, EventId, Message, NodeId, Presence, Protocol, Sending, StopReason, Time};

pub use algorithm::{Received, Sent, StarAlgorithm, View};
pub use halves::{Addressed, Halves, StarHalves};
pub(crate) use settings::all_arrived;
pub use settings::{Conventions, OwnPart, Rounds, Step, Upfront};
pub use wire::{Counts, Outgoing, Wire};

use crate::aggregation::Aggregation;
use crate::cohort::Chooser;
use crate::error::ProtocolError;
use crate::journal::{Journal, Round, Subject};
use crate::payload::StarPayload;
pub use crate::payload::{Coder, Contribution};
use crate::plan::Participation;
use crate::run::{Driver, LeastRound, Outcome, Runnable, Stage};
use crate::strings::Strings;
use masks::Secure;

/// The server's node.
pub const SERVER: NodeId = NodeId(0);

/// The node of client `i`.
pub fn node_of(i: u32) -> NodeId {
    NodeId(i + 1)
}

fn client_of(node: NodeId) -> u32 {
    node.0 - 1
}

/// What is exchanged before the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exchanged {
    /// What the preparation of the data needs.
    Preparation,
    /// Constants of the model.
    Constants,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Clients upload something once; this many are outstanding.
    Up(Exchanged, u32),
    /// The server answers.
    Down(Exchanged, u32),
    /// Clients compute and upload V₀,ᵢ.
    Memory,
    /// Rounds proper.
    Rounds,
}

/// A star protocol running.
pub struct Star<'a> {
    halves: &'a mut dyn StarHalves,
    rounds: &'a Rounds,
    journal: Journal,
    phase: Phase,
    round: u64,
    /// Has the server made its step of this round?
    closed: bool,
    /// What the journal will say of the round, while the server's step takes time.
    stepping: Option<Round>,
    /// Rings when the round must end, if nothing ends it before.
    timer: Option<EventId>,
    /// Does the round do nothing but wait until somebody can be asked?
    waits: bool,
    presence: Box<dyn Presence>,
    cohort: Vec<u32>,
    /// Clients that the server waits for; where late contributions count, of earlier cohorts too.
    awaited: u32,
    lost: u32,
    parked: Vec<Contribution>,
    /// When the parked contributions arrived, in that order.
    arrivals: Vec<Time>,
    expectations: u64,
    seats: Vec<Seat>,
    desk: Vec<Work>,
    free: Vec<u32>,
    /// Buffers of contributions that were folded, to be used again.
    #[expect(clippy::vec_box, reason = "the boxes are what is handed on: they travel in messages")]
    pool: Vec<Box<Encoded>>,
    /// Messages of the initialization that were lost, until they are sent again.
    resend: Vec<Option<Message<StarPayload>>>,
    chooser: Chooser,
    /// What each of the cohort will send, by its position, where liars know what the others report.
    early: Vec<Option<Box<Encoded>>>,
    /// The round's masks, where aggregation is secure.
    secure: Option<Box<Secure>>,
}

/// What the shared code keeps of each client; together, because whoever needs one of them needs the others soon.
#[derive(Clone, Copy, Default)]
struct Seat {
    /// The newest round that the client has heard of.
    heard: u64,
    /// The round in which it was asked last, until its contribution has arrived or is known to be lost.
    pending: Option<NonZeroU64>,
    /// What it works on: a place in the desk, none when idle.
    working: Option<u32>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Seat>() == 24, "a client that never takes part costs 24 bytes");

impl Seat {
    /// Was the client asked in `round`, and has its contribution neither arrived nor been lost?
    fn is_pending(&self, round: u64) -> bool {
        self.pending.is_some_and(|asked| asked.get() == round)
    }
}

/// A contribution on its way from the broadcast to the upload.
#[derive(Default)]
struct Work {
    round: u64,
    /// What was coded, until it is sent.
    encoded: Option<Box<Encoded>>,
    /// Is the computation done?
    computed: bool,
    /// The upload, once it is in flight.
    sending: Option<Sending>,
}

impl<'a> Star<'a> {
    fn new(halves: &'a mut dyn StarHalves, rounds: &'a Rounds, mut journal: Journal) -> Self {
        let n = halves.problem().clients() as usize;
        journal.selects(n);
        Self {
            presence: rounds.availability.build(n + 1),
            halves,
            rounds,
            journal,
            phase: Phase::Rounds,
            round: 0,
            closed: false,
            stepping: None,
            timer: None,
            waits: false,
            cohort: Vec::new(),
            awaited: 0,
            lost: 0,
            parked: Vec::new(),
            arrivals: Vec::new(),
            expectations: 0,
            seats: vec![Seat::default(); n],
            desk: Vec::new(),
            free: Vec::new(),
            pool: Vec::new(),
            resend: Vec::new(),
            chooser: Chooser::default(),
            early: Vec::new(),
            secure: None,
        }
    }

    fn n(&self) -> u32 {
        self.seats.len() as u32
    }

    /// Tells the journal since when each client can be chosen, or left out, by a fair draw: that of participation,
    /// or of an availability that draws anew for each round.
    fn note_who_can_be_drawn(&mut self, context: &Context<StarPayload>) {
        if !self.rounds.can_leave_out() {
            return;
        }
        let (n, streams, presence) = (self.n(), context.streams(), &mut self.presence);
        let is_drawn = self.rounds.participation != Participation::All || !presence.goes_by_the_clock();
        let first = |i| presence.next(streams, node_of(i), 0, Time::ZERO).filter(|_| is_drawn);
        self.journal.can_leave_out((0..n).map(first).map(|first| first.unwrap_or(Time::MAX)));
    }

    fn note(&mut self, context: &Context<StarPayload>, round: Round) -> Option<StopReason> {
        self.journal.note(context, self.halves, round)
    }
}

pub(crate) fn failed(error: &ProtocolError) -> StopReason {
    StopReason::Failed(error.to_string())
}

/// A star protocol before its start.
pub struct StarRun<A: StarAlgorithm> {
    halves: Halves<A>,
    rounds: Rounds,
}

impl<A: StarAlgorithm> StarRun<A> {
    /// `algorithm` in rounds as `rounds` says. `audit_all`: every message is audited, not a sample.
    pub fn new(algorithm: A, rounds: Rounds, audit_all: bool) -> Self {
        Self { halves: Halves::in_run(algorithm, audit_all, &rounds), rounds }
    }

    /// Its rounds, before their start.
    pub fn start(&mut self, journal: Journal) -> Star<'_> {
        Star::new(&mut self.halves, &self.rounds, journal)
    }

    /// The states of both ends.
    pub fn halves(&self) -> &Halves<A> {
        &self.halves
    }

    /// The same, which leaves the bit strings of its messages for a network that carries them.
    #[must_use]
    pub fn carrying(self, strings: Option<Strings>) -> Self {
        Self { halves: self.halves.carrying(strings), ..self }
    }
}

impl<A: StarAlgorithm> Runnable for StarRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.halves
    }

    fn least_rounds(&self) -> Option<Box<dyn Iterator<Item = LeastRound> + '_>> {
        Some(self.halves.algorithm.least_rounds())
    }

    fn run(mut self: Box<Self>, stage: Stage<'_>, journal: Journal) -> Outcome {
        stage.run(&mut self.start(journal))
    }
}

impl Driver<StarPayload> for Star<'_> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (self.halves, &mut self.journal)
    }
}

impl Protocol<StarPayload> for Star<'_> {
    fn start(&mut self, context: &mut Context<StarPayload>) {
        if let Aggregation::SecureAggregation(setting) = self.rounds.aggregation {
            self.secure = Some(Box::new(Secure::new(setting, self.n(), context.streams())));
        }
        self.note_who_can_be_drawn(context);
        self.begin(context);
    }

    fn on_message(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        match message.payload {
            StarPayload::Constants(_) => self.on_constants(context),
            StarPayload::Broadcast { body, position, acknowledgement, memory, .. } => {
                let memory = memory.as_deref().map(Vec::as_slice);
                let streams = *context.streams();
                let to = Addressed { streams: &streams, position: position as usize, parity: acknowledgement, memory };
                self.on_broadcast(context, client_of(message.to), &body, &to);
            }
            StarPayload::Exchange { round, exchange, .. } if message.to == SERVER => {
                self.on_answer(context, client_of(message.from), round, exchange);
            }
            StarPayload::Exchange { round, exchange, .. } => {
                self.on_forwarded(context, client_of(message.to), round, exchange);
            }
            StarPayload::Update { round, mut encoded, .. } => {
                let i = client_of(message.from);
                if let Err(error) = self.halves.arrived(context.streams(), i, round, &mut encoded) {
                    return context.stop(failed(&error));
                }
                self.on_contribution(context, i, round, encoded);
            }
        }
    }

    fn on_timer(&mut self, context: &mut Context<StarPayload>, tag: u64) {
        if self.phase != Phase::Rounds {
            return self.send_again(context, tag);
        }
        self.timer = None;
        if self.waits && self.wait(context) {
            return;
        }
        if self.is_secure() && !self.cohort.is_empty() {
            return self.exchange_is_over(context);
        }
        self.close_round(context);
    }

    fn on_computed(&mut self, context: &mut Context<StarPayload>, node: NodeId) {
        match self.stepping.take_if(|_| node == SERVER) {
            Some(round) => self.end_round(context, round),
            None => self.on_work_done(context, client_of(node)),
        }
    }

    fn on_dropout(&mut self, context: &mut Context<StarPayload>, node: NodeId) {
        self.on_lost_client(context, client_of(node));
    }

    fn on_lost(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        self.on_lost_message(context, message);
    }
}
