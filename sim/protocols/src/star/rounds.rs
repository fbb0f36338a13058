//! The server's side of a round: it chooses whom to ask, waits as the policy says, and makes its step.
//!
//! Before the first round, what prepares the data and then constants travel up and their mean down, then every client
//! uploads its V₀,ᵢ. All are preconditions of the algorithms: everybody is waited for, and nobody drops out.

use std::rc::Rc;

use fedbits_kernel::{Bits, Context, Message, StopReason, Time, TimeDelta};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::so_many;

use super::{Addressed, Contribution, Exchanged, Phase, SERVER, Star, Step, Upfront, failed, node_of};
use crate::error::Result;
use crate::journal::Round;
use crate::payload::{Broadcast, StarPayload, purpose};
use crate::plan::Participation;

/// How long the server waits before it asks again when a draw chose nobody of those who could be asked (under a
/// deadline: until the deadline).
const EMPTY_ROUND: TimeDelta = TimeDelta::from_nanos(1_000_000_000);

/// What a broadcast says to its receiver alone: whether its last contribution was used, and its V_i.
type PersonalPart = (Option<bool>, Option<Rc<Vec<f64>>>);

impl Star<'_> {
    /// Opens the next round. A round in which nobody is waited for ends by the clock, or when somebody can be asked
    /// again.
    pub(super) fn open_round(&mut self, context: &mut Context<StarPayload>) {
        self.round += 1;
        self.choose_cohort(context);
        let before = if self.rounds.carries() { self.awaited } else { 0 };
        self.awaited = before + self.cohort.len() as u32;
        for &i in &self.cohort {
            self.seats[i as usize].pending = std::num::NonZeroU64::new(self.round);
            self.journal.asked(i);
        }
        self.timer = None;
        self.waits = self.awaited == 0 && self.wait(context);
        if !self.waits {
            let policy = self.rounds.policy.deadline();
            let duration = policy.or_else(|| (self.awaited == 0).then_some(EMPTY_ROUND));
            self.timer = duration.and_then(|duration| context.timer(duration, self.round));
        }
        self.open_secure(context);
        self.broadcast(context);
    }

    /// Waits as long as nobody can be asked; without an end, if nobody ever can again: then the run is over. False if
    /// somebody can be asked now.
    pub(super) fn wait(&mut self, context: &mut Context<StarPayload>) -> bool {
        let soonest = match self.soonest(context) {
            Ok(soonest) => soonest,
            Err(why) => {
                context.stop(StopReason::Failed(why));
                return true;
            }
        };
        let waits = soonest.is_none_or(|soonest| soonest > context.now());
        if waits {
            self.timer = soonest.and_then(|soonest| context.timer(soonest - context.now(), self.round));
        }
        waits
    }

    /// Before this instant nobody can be asked; none, if nobody ever can again. Who restarts may be gone when it is up
    /// again: then there is more to wait for. An error, if a client that is away is said to be back by now.
    fn soonest(&mut self, context: &Context<StarPayload>) -> Result<Option<Time>, String> {
        let (streams, now) = (context.streams(), context.now());
        let mut soonest = None;
        for node in (0..self.seats.len() as u32).map(node_of) {
            let Some(up) = context.up_at(node) else { continue };
            let Some(there) = self.presence.next(streams, node, self.round, now) else { continue };
            let by_the_clock = there <= now && self.presence.goes_by_the_clock();
            if by_the_clock && !self.presence.is_available(streams, node, self.round, now) {
                let i = node.0 - 1;
                return Err(format!("the availability has client {i} away at {now}, and back at {there}, no later"));
            }
            soonest = Some(soonest.map_or(up.max(there), |soonest: Time| soonest.min(up.max(there))));
            if soonest == Some(now) {
                break;
            }
        }
        Ok(soonest)
    }

    fn choose_cohort(&mut self, context: &Context<StarPayload>) {
        let (streams, round, carries) = (*context.streams(), self.round, self.rounds.carries());
        let (seats, presence) = (&self.seats, &mut self.presence);
        let can_be_asked = |i: u32| {
            let node = node_of(i);
            !(carries && seats[i as usize].pending.is_some())
                && context.is_up(node)
                && presence.is_available(&streams, node, round, context.now())
        };
        let participation = match (self.rounds.participation, self.rounds.policy.buffer()) {
            // A buffer keeps m clients at work, whoever of them has been asked when.
            (Participation::Cohort(m), Some(_)) => Participation::Cohort(m - self.awaited.min(m)),
            (participation, _) => participation,
        };
        let n = self.seats.len() as u32;
        self.chooser.choose(participation, &streams, round, n, can_be_asked, &mut self.cohort);
    }

    pub(super) fn broadcast(&mut self, context: &mut Context<StarPayload>) {
        self.lost = 0;
        self.closed = false;
        self.parked.clear();
        self.arrivals.clear();
        let body = match self.halves.open_round(context.streams(), self.round, &self.cohort) {
            Ok(body) => body,
            Err(error) => return context.stop(failed(&error)),
        };
        let mut heard = Vec::new();
        for (position, &i) in self.cohort.iter().enumerate() {
            let (part, acknowledgement) = match self.halves.address(i, &body) {
                Ok(own) => own,
                Err(error) => return context.stop(failed(&error)),
            };
            let catches_up = part.memory.is_some() || part.catches_up;
            let purpose = if catches_up { purpose::RESYNCHRONIZATION } else { purpose::BROADCAST };
            let (body, memory) = (Rc::clone(&body), part.memory.map(Rc::new));
            if self.halves.lies_with_knowledge(i).is_some() {
                heard.push((acknowledgement, memory.clone()));
            }
            let position = position as u32;
            let payload = StarPayload::Broadcast { body, part: part.bits, position, acknowledgement, memory };
            context.send(Message { from: SERVER, to: node_of(i), purpose, payload });
        }
        if let Err(error) = self.compute_early(context.streams(), &body, &heard) {
            context.stop(failed(&error));
        }
    }

    /// Where liars know what the others report, the clients' halves run when the round opens, the liars' last. All that
    /// are asked will hear the broadcast, and nothing changes them before: other runs are refused.
    fn compute_early(&mut self, streams: &Streams, body: &Broadcast, heard: &[PersonalPart]) -> Result<()> {
        self.early.clear();
        self.early.resize_with(heard.len(), || None);
        for lies in [false, true] {
            for (position, (parity, memory)) in heard.iter().enumerate() {
                let i = self.cohort[position];
                if self.halves.lies_with_knowledge(i) == Some(lies) {
                    let memory = memory.as_deref().map(Vec::as_slice);
                    let to = Addressed { streams, position, parity: *parity, memory };
                    let mut encoded = self.pool.pop().unwrap_or_default();
                    self.halves.receive(i, body, &to, &mut encoded)?;
                    self.early[position] = Some(encoded);
                }
            }
        }
        Ok(())
    }

    /// Takes in a contribution that is not late.
    pub(super) fn park(&mut self, context: &mut Context<StarPayload>, contribution: Contribution) {
        self.arrivals.push(context.now());
        let client = contribution.client;
        self.parked.push(contribution);
        if self.phase == Phase::Memory {
            return self.on_initial_memory(context);
        }
        self.awaited -= 1;
        if self.is_secure() {
            return self.on_masked(context, client);
        }
        self.close_if_complete(context);
    }

    pub(super) fn close_if_complete(&mut self, context: &mut Context<StarPayload>) {
        // Exchanges close a secure round.
        if self.is_secure() || self.stepping.is_some() {
            return;
        }
        let arrived = self.parked.len() as u32;
        let enough = self.rounds.policy.enough().is_some_and(|enough| arrived >= enough);
        if self.awaited == 0 || enough {
            self.close_round(context);
        }
    }

    /// Closes the round with the server's step. Where that takes time the next round waits for its end.
    pub(super) fn close_round(&mut self, context: &mut Context<StarPayload>) {
        let Some(round) = self.step(context) else { return };
        let work = if self.waits { 0 } else { self.halves.expectations() };
        if work > 0 || !self.waits && context.step_time(SERVER) > TimeDelta::ZERO {
            self.stepping = Some(round);
            return context.compute(SERVER, work);
        }
        self.end_round(context, round);
    }

    /// The server has made its step: a row in the journal, and the next round unless this was the only one.
    pub(super) fn end_round(&mut self, context: &mut Context<StarPayload>, round: Round) {
        let last = self.halves.conventions().only_round.filter(|_| round.ends);
        let noted = self.note(context, Round { lost: u64::from(self.lost), ..round });
        match noted.or_else(|| last.map(|why| StopReason::Reached(why.to_owned()))) {
            Some(reason) => context.stop(reason),
            None => self.open_round(context),
        }
    }

    /// The server's step; none in a round that only waited until somebody could be asked, and in one that failed: a
    /// step of no contributions keeps the mean of the steps where a fair draw chose nobody, which a failure is not. A
    /// robust rule makes no step of too few.
    fn server_update(&mut self, context: &Context<StarPayload>) -> Result<Option<Step>> {
        if self.waits {
            return Ok(None);
        }
        if self.secure.as_deref().is_some_and(|secure| secure.failed) {
            self.halves.failed();
            return Ok(None);
        }
        if (self.parked.len() as u64) < self.rounds.aggregation.least_of_step() {
            self.journal.combines(!self.cohort.is_empty(), true);
            self.halves.failed();
            self.lose_parked();
            return Ok(None);
        }
        self.journal.combines(true, false);
        self.halves.step(context.streams(), self.round, &self.parked).map(Some)
    }

    /// Those whom the closing round still waits for are late. Where late contributions count nobody is.
    fn count_late(&mut self) {
        if self.rounds.carries() {
            return;
        }
        for &i in &self.cohort {
            if self.seats[i as usize].is_pending(self.round) {
                self.journal.was_late(i);
            }
        }
    }

    /// The server's step, and what the journal will say of the round; none when the run ends.
    fn step(&mut self, context: &mut Context<StarPayload>) -> Option<Round> {
        self.closed = true;
        if let Some(timer) = self.timer.take() {
            context.cancel_timer(timer);
        }
        self.parked.sort_unstable_by_key(|contribution| contribution.client);
        let step = match self.server_update(context) {
            Ok(step) => step,
            Err(why) => {
                context.stop(StopReason::Failed(format!("round {}: {why}", self.round)));
                return None;
            }
        };
        if step.is_some() {
            self.expectations += self.halves.expectations();
        }
        let is_step = step.is_some_and(|step| step.used);
        self.parked.iter().for_each(|contribution| self.journal.took(contribution.client, contribution.age));
        self.arrivals.drain(..).for_each(|arrived| self.journal.waited(context.now() - arrived));
        self.count_late();
        let round = Round {
            number: self.round,
            expectations: self.expectations,
            selected: self.cohort.len() as u64,
            arrived: self.parked.len() as u64,
            // Where late contributions count nobody is late: who is still at work stays selected.
            late: if self.rounds.carries() { 0 } else { u64::from(self.awaited) },
            lost: u64::from(self.lost),
            field_sq: step.map(|step| step.field_sq),
            moved: is_step && step.is_some_and(|step| step.field_sq > 0.0),
            ends: is_step && self.halves.conventions().only_round.is_some(),
        };
        self.pool.extend(self.parked.drain(..).map(|contribution| contribution.encoded));
        Some(round)
    }
}

/// The longest first wait of a message that was lost, and how often it doubles.
const FIRST_BACKOFF: TimeDelta = TimeDelta::from_nanos(100_000_000);
const MAX_DOUBLINGS: u64 = 10;

/// Losses per client after which the initialization is given up.
const MAX_LOSSES: u64 = 200;

impl Star<'_> {
    pub(super) fn begin(&mut self, context: &mut Context<StarPayload>) {
        context.set_dropouts(false);
        self.exchange(context, Exchanged::Preparation);
    }

    /// What every client sends and gets of this.
    fn bits_of(&self, what: Exchanged) -> Upfront {
        let constants = self.halves.conventions().constants;
        match what {
            Exchanged::Preparation => self.rounds.preparation,
            Exchanged::Constants => Upfront { up: constants, down: constants },
        }
    }

    /// Begins an exchange, or what follows where there is nothing to exchange.
    fn exchange(&mut self, context: &mut Context<StarPayload>, what: Exchanged) {
        if self.bits_of(what).up > Bits::ZERO {
            self.send_once(context, what, false);
        } else {
            self.after(context, what);
        }
    }

    fn after(&mut self, context: &mut Context<StarPayload>, what: Exchanged) {
        match what {
            Exchanged::Preparation => self.exchange(context, Exchanged::Constants),
            Exchanged::Constants => self.ask_for_memories(context),
        }
    }

    fn send_once(&mut self, context: &mut Context<StarPayload>, what: Exchanged, down: bool) {
        let Upfront { up, down: answer } = self.bits_of(what);
        let bits = if down { answer } else { up };
        self.phase = if down { Phase::Down(what, self.n()) } else { Phase::Up(what, self.n()) };
        for i in 0..self.n() {
            let (from, to) = if down { (SERVER, node_of(i)) } else { (node_of(i), SERVER) };
            context.send(Message { from, to, purpose: purpose::CONSTANTS, payload: StarPayload::Constants(bits) });
        }
    }

    pub(super) fn on_constants(&mut self, context: &mut Context<StarPayload>) {
        match &mut self.phase {
            Phase::Up(_, outstanding) | Phase::Down(_, outstanding) => *outstanding -= 1,
            Phase::Memory | Phase::Rounds => unreachable!("constants travel before everything else"),
        }
        match self.phase {
            Phase::Up(what, 0) => self.send_once(context, what, true),
            Phase::Down(what, 0) => self.after(context, what),
            _ => {}
        }
    }

    fn ask_for_memories(&mut self, context: &mut Context<StarPayload>) {
        if !self.halves.conventions().initial_memories {
            return self.begin_rounds(context);
        }
        self.phase = Phase::Memory;
        self.cohort = (0..self.n()).collect();
        self.broadcast(context);
    }

    /// Sends a lost message again after a random wait, which doubles with the losses per client: those who met in a
    /// full buffer would meet there for ever if they came back at once.
    pub(super) fn send_later(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        let losses = self.resend.len() as u64;
        if losses > MAX_LOSSES * u64::from(self.n()) {
            let why = format!(
                "messages before the first round were lost {}, and it waits for all of them",
                so_many(losses, "time")
            );
            return context.stop(StopReason::Failed(format!(
                "{why}: links that lose so much need `delivery: Reliable(…)`, TCP smaller losses"
            )));
        }
        let doublings = (losses / u64::from(self.n())).min(MAX_DOUBLINGS);
        let share = context.streams().at(DrawPurpose::Backoff, u64::from(message.from.0), losses).uniform();
        let wait = share * (FIRST_BACKOFF.as_nanos() << doublings) as f64;
        self.resend.push(Some(message));
        context.timer(TimeDelta::from_nanos(wait as u64), losses);
    }

    /// The wait of a lost message of the initialization is over.
    pub(super) fn send_again(&mut self, context: &mut Context<StarPayload>, number: u64) {
        if let Some(message) = self.resend[number as usize].take() {
            context.send(message);
        }
    }

    /// Another initial memory is parked.
    pub(super) fn on_initial_memory(&mut self, context: &mut Context<StarPayload>) {
        if self.parked.len() < self.n() as usize {
            return;
        }
        self.parked.sort_unstable_by_key(|contribution| contribution.client);
        if let Err(error) = self.halves.step(context.streams(), 0, &self.parked) {
            return context.stop(failed(&error));
        }
        self.parked.clear();
        self.begin_rounds(context);
    }

    fn begin_rounds(&mut self, context: &mut Context<StarPayload>) {
        self.phase = Phase::Rounds;
        context.set_dropouts(true);
        let round = Round { expectations: self.expectations, ..Round::default() };
        if let Some(reason) = self.note(context, round) {
            return context.stop(reason);
        }
        self.open_round(context);
    }
}
