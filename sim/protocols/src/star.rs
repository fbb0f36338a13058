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

use std::rc::Rc;

use fedbits_codec::Encoded;
use fedbits_kernel::{
    Availability, Bits, Context, EventId, Message, NodeId, Protocol, Purpose, Sending, Span, StopReason,
};
use fedbits_random::Streams;

use crate::cohort::Chooser;
use crate::journal::{Journal, Round, Subject};
use crate::payload::{Broadcast, StarPayload};
use crate::plan::{Participation, RoundPolicy};
use crate::run::{Actor, Outcome, Playable, Setting};

/// The server's node.
pub const SERVER: NodeId = NodeId(0);

/// The node of client `i`.
pub fn node_of(i: u32) -> NodeId {
    NodeId(i + 1)
}

fn client_of(node: NodeId) -> u32 {
    node.0 - 1
}

/// How long the server waits before it asks again when nobody could be asked (under a deadline: until the deadline).
const EMPTY_ROUND: Span = Span::from_nanos(1_000_000_000);

/// A contribution that arrived in time.
pub struct Contribution {
    /// Zero-based client.
    pub client: u32,
    /// What it sent.
    pub encoded: Encoded,
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
    /// The acknowledgement for client `i`; `None` when the protocol uses none.
    fn acknowledgement(&self, i: u32) -> Option<bool>;
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

/// A broadcast as a client sees it.
pub struct Received<'a> {
    /// The shared content.
    pub body: &'a Broadcast,
    /// Its place in the cohort.
    pub place: u32,
    /// Its acknowledgement.
    pub acknowledgement: Option<bool>,
}

/// Settings of the skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Who closes a round.
    pub policy: RoundPolicy,
    /// Who is asked.
    pub participation: Participation,
    /// Who can be asked.
    pub availability: Availability,
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
    /// Rings when the round must end, if nobody ends it before.
    timer: Option<EventId>,
    cohort: Vec<u32>,
    lost: u32,
    parked: Vec<Contribution>,
    expectations: u64,
    /// The newest round that each client has heard of.
    heard: Vec<u64>,
    /// The newest round in which each client was counted, as arrived or as lost.
    counted: Vec<u64>,
    /// What each client works on: a place in `desk`, none when idle.
    working: Vec<Option<u32>>,
    desk: Vec<Work>,
    free: Vec<u32>,
    /// Buffers of contributions that were folded, to be used again.
    spare: Vec<Encoded>,
    chooser: Chooser,
}

/// A contribution on its way from the broadcast to the upload.
#[derive(Default)]
struct Work {
    round: u64,
    encoded: Encoded,
    /// The upload, once it is under way.
    sending: Option<Sending>,
}

impl<A: StarAlgorithm> Star<A> {
    /// A protocol before its start.
    pub fn new(algorithm: A, rounds: Rounds, journal: Journal) -> Self {
        let n = algorithm.clients();
        Self {
            algorithm,
            rounds,
            journal,
            stage: Stage::Rounds,
            round: 0,
            closed: false,
            timer: None,
            cohort: Vec::new(),
            lost: 0,
            parked: Vec::new(),
            expectations: 0,
            heard: vec![0; n as usize],
            counted: vec![0; n as usize],
            working: vec![None; n as usize],
            desk: Vec::new(),
            free: Vec::new(),
            spare: Vec::new(),
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

    // --- before the first round -------------------------------------------------------------------------------------

    fn send_constants(&mut self, context: &mut Context<StarPayload>, down: bool) {
        let bits = self.algorithm.constants_bits();
        self.stage = if down { Stage::ConstantsDown(self.n()) } else { Stage::ConstantsUp(self.n()) };
        for i in 0..self.n() {
            let (from, to) = if down { (SERVER, node_of(i)) } else { (node_of(i), SERVER) };
            context.send(Message { from, to, purpose: Purpose::Constants, payload: StarPayload::Constants(bits) });
        }
    }

    fn on_constants(&mut self, context: &mut Context<StarPayload>) {
        match &mut self.stage {
            Stage::ConstantsUp(outstanding) | Stage::ConstantsDown(outstanding) => *outstanding -= 1,
            Stage::Memory | Stage::Rounds => unreachable!("constants travel before everything else"),
        }
        match self.stage {
            Stage::ConstantsUp(0) => self.send_constants(context, true),
            Stage::ConstantsDown(0) => self.ask_for_memories(context),
            _ => {}
        }
    }

    fn ask_for_memories(&mut self, context: &mut Context<StarPayload>) {
        if !self.algorithm.has_initial_memory() {
            return self.begin_rounds(context);
        }
        self.stage = Stage::Memory;
        self.cohort = (0..self.n()).collect();
        self.broadcast(context);
    }

    fn begin_rounds(&mut self, context: &mut Context<StarPayload>) {
        self.stage = Stage::Rounds;
        context.set_dropouts(true);
        let round = Round { expectations: self.expectations, ..Round::default() };
        if let Some(reason) = self.note(context, round) {
            return context.stop(reason);
        }
        self.open_round(context);
    }

    // --- a round ----------------------------------------------------------------------------------------------------

    /// Opens the next round. A round in which nobody can be asked ends by the clock.
    fn open_round(&mut self, context: &mut Context<StarPayload>) {
        self.round += 1;
        self.choose_cohort(context);
        self.timer = match self.rounds.policy {
            RoundPolicy::Deadline(span) => context.timer(span, self.round),
            _ if self.cohort.is_empty() => context.timer(EMPTY_ROUND, self.round),
            _ => None,
        };
        self.broadcast(context);
    }

    fn choose_cohort(&mut self, context: &Context<StarPayload>) {
        let (streams, round) = (*context.streams(), self.round);
        let can_be_asked = |i: u32| {
            let node = node_of(i);
            context.is_up(node) && self.rounds.availability.available(&streams, node, round)
        };
        let (participation, n) = (self.rounds.participation, self.working.len() as u32);
        self.chooser.choose(participation, &streams, round, n, can_be_asked, &mut self.cohort);
    }

    fn broadcast(&mut self, context: &mut Context<StarPayload>) {
        self.lost = 0;
        self.closed = false;
        self.parked.clear();
        let body = match self.algorithm.open_round(context.streams(), self.round, &self.cohort) {
            Ok(body) => body,
            Err(why) => return context.stop(StopReason::Failed(why)),
        };
        let acknowledges = self.stage == Stage::Rounds;
        for (place, &i) in self.cohort.iter().enumerate() {
            let acknowledgement = self.algorithm.acknowledgement(i).filter(|_| acknowledges);
            let payload = StarPayload::Broadcast { body: Rc::clone(&body), place: place as u32, acknowledgement };
            context.send(Message { from: SERVER, to: node_of(i), purpose: Purpose::Broadcast, payload });
        }
    }

    /// A broadcast reaches client `i`. It works on one round at a time: what it still does for an older one is given up, and an
    /// old broadcast that was overtaken on the way (its acknowledgement is out of date) is ignored.
    fn on_broadcast(&mut self, context: &mut Context<StarPayload>, i: u32, received: &Received<'_>) {
        let round = received.body.round;
        if round < self.heard[i as usize] {
            return;
        }
        self.heard[i as usize] = round;
        self.supersede(context, i);
        let place = self.free.pop().unwrap_or_else(|| {
            self.desk.push(Work::default());
            self.desk.len() as u32 - 1
        });
        let work = &mut self.desk[place as usize];
        *work = Work { round, encoded: self.spare.pop().unwrap_or_default(), sending: None };
        if let Err(why) = self.algorithm.client_update(context.streams(), i, received, &mut work.encoded) {
            return context.stop(StopReason::Failed(why));
        }
        self.working[i as usize] = Some(place);
        context.compute(node_of(i), self.algorithm.work(i, round));
    }

    /// Client `i` gives up what it does: its computation ends, its upload is cut off. What it is about to receive goes on.
    fn supersede(&mut self, context: &mut Context<StarPayload>, i: u32) {
        let Some(place) = self.drop_work(i) else { return };
        match self.desk[place as usize].sending {
            Some(sending) => context.abort(sending),
            None => context.stop_computing(node_of(i)),
        }
    }

    /// Frees the desk of client `i`; its place, if it was working.
    fn drop_work(&mut self, i: u32) -> Option<u32> {
        let work = self.working[i as usize].take();
        self.free.extend(work);
        work
    }

    fn on_contribution(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64, encoded: Encoded) {
        // A newer broadcast that arrived at the same instant may have put other work on the client's desk.
        if self.working[i as usize].is_some_and(|place| self.desk[place as usize].round == round) {
            self.drop_work(i);
        }
        if round != self.round || self.closed {
            self.spare.push(encoded);
            return context.reject_late();
        }
        self.counted[i as usize] = round;
        self.parked.push(Contribution { client: i, encoded });
        self.close_if_complete(context);
    }

    /// Client `i` will not contribute to `round`: it has dropped out, or a message from or to it was lost.
    fn lose(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64) {
        let counted = &mut self.counted[i as usize];
        if round == self.round && !self.closed && *counted < round && self.cohort.binary_search(&i).is_ok() {
            *counted = round;
            self.lost += 1;
            self.close_if_complete(context);
        }
    }

    fn close_if_complete(&mut self, context: &mut Context<StarPayload>) {
        let arrived = self.parked.len() as u32;
        let everybody = arrived + self.lost == self.cohort.len() as u32;
        let enough = matches!(self.rounds.policy, RoundPolicy::First(m) if arrived >= m);
        if self.stage == Stage::Memory {
            if everybody {
                self.parked.sort_unstable_by_key(|contribution| contribution.client);
                self.algorithm.take_initial_memories(&self.parked);
                self.parked.clear();
                self.begin_rounds(context);
            }
        } else if everybody || enough {
            self.close_round(context);
        }
    }

    fn close_round(&mut self, context: &mut Context<StarPayload>) {
        if self.step(context) {
            self.open_round(context);
        }
    }

    /// The server's step and the journal; false when the run ends.
    fn step(&mut self, context: &mut Context<StarPayload>) -> bool {
        self.closed = true;
        if let Some(timer) = self.timer.take() {
            context.cancel_timer(timer);
        }
        self.parked.sort_unstable_by_key(|contribution| contribution.client);
        let step = match self.algorithm.server_update(self.round, &self.parked) {
            Ok(step) => step,
            Err(why) => {
                context.stop(StopReason::Failed(format!("round {}: {why}", self.round)));
                return false;
            }
        };
        let (selected, arrived, lost) = (self.cohort.len() as u64, self.parked.len() as u64, u64::from(self.lost));
        let round = Round {
            number: self.round,
            expectations: self.expectations,
            selected,
            arrived,
            late: selected - arrived - lost,
            lost,
            field_sq: Some(step.field_sq),
            moved: step.used && step.field_sq > 0.0,
        };
        self.spare.extend(self.parked.drain(..).map(|contribution| contribution.encoded));
        let ending = self.note(context, round);
        let goes_on = ending.is_none();
        if let Some(reason) = ending {
            context.stop(reason);
        }
        goes_on
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
        // What is exchanged before the first round is a precondition of the algorithms: nobody drops out of it.
        context.set_dropouts(false);
        if self.algorithm.constants_bits() > Bits::ZERO {
            self.send_constants(context, false);
        } else {
            self.ask_for_memories(context);
        }
    }

    fn on_message(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        match message.payload {
            StarPayload::Constants(_) => self.on_constants(context),
            StarPayload::Broadcast { body, place, acknowledgement } => {
                let received = Received { body: &body, place, acknowledgement };
                self.on_broadcast(context, client_of(message.to), &received);
            }
            StarPayload::Update { round, encoded } => {
                self.on_contribution(context, client_of(message.from), round, encoded);
            }
        }
    }

    fn on_timer(&mut self, context: &mut Context<StarPayload>, _tag: u64) {
        self.timer = None;
        self.close_round(context);
    }

    fn on_computed(&mut self, context: &mut Context<StarPayload>, node: NodeId) {
        let i = client_of(node);
        let place = self.working[i as usize].expect("who has computed was working");
        let work = &mut self.desk[place as usize];
        let (round, encoded) = (work.round, std::mem::take(&mut work.encoded));
        self.expectations += self.algorithm.work(i, round);
        if let Err(why) = self.algorithm.on_send(context.streams(), i, round, &encoded) {
            return context.stop(StopReason::Failed(why));
        }
        let purpose = if round == 0 { Purpose::InitialMemory } else { Purpose::Update };
        let payload = StarPayload::Update { round, encoded };
        let sending = context.send(Message { from: node, to: SERVER, purpose, payload });
        self.desk[place as usize].sending = Some(sending);
    }

    fn on_dropout(&mut self, context: &mut Context<StarPayload>, node: NodeId) {
        let i = client_of(node);
        self.drop_work(i);
        self.lose(context, i, self.round);
    }

    /// What is exchanged before the first round is a precondition of the algorithms: a lost message is sent again. In a round, a
    /// client whose broadcast or upload was lost is lost to it.
    fn on_lost(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        if self.stage != Stage::Rounds {
            context.send(message);
            return;
        }
        match message.payload {
            StarPayload::Constants(_) => unreachable!("constants travel before the rounds"),
            StarPayload::Broadcast { body, .. } => self.lose(context, client_of(message.to), body.round),
            StarPayload::Update { round, encoded } => {
                let i = client_of(message.from);
                if self.working[i as usize].is_some_and(|place| self.desk[place as usize].round == round) {
                    self.drop_work(i);
                }
                self.spare.push(encoded);
                self.lose(context, i, round);
            }
        }
    }
}
