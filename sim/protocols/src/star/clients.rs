//! The clients' side of a round: a broadcast arrives, they work, they send, and sometimes they drop out.

use fedbits_codec::Encoded;
use fedbits_kernel::{Context, Message};
use fedbits_random::DrawPurpose;

use super::{Addressed, Contribution, Phase, SERVER, Star, Work, client_of, failed, node_of};
use crate::payload::{Broadcast, StarPayload, purpose};

impl Star<'_> {
    /// A broadcast reaches client `i`. It works on one round at a time: what it still does for an older one is given
    /// up, and an old broadcast that was overtaken on the way (its acknowledgement is out of date) is ignored. Whoever
    /// hears of a round that is over answers, which it cannot know to be too late.
    pub(super) fn on_broadcast(
        &mut self,
        context: &mut Context<StarPayload>,
        i: u32,
        body: &Broadcast,
        to: &Addressed<'_>,
    ) {
        let round = body.round;
        let is_over = (round < self.round || self.stepping.is_some()) && !self.rounds.carries();
        let seat = &mut self.seats[i as usize];
        let is_overtaken = round < seat.heard;
        if is_over || is_overtaken {
            context.reject_late();
        }
        if is_overtaken {
            return;
        }
        seat.heard = round;
        self.supersede(context, i);
        let place = self.free.pop().unwrap_or_else(|| {
            self.desk.push(Work::default());
            self.desk.len() as u32 - 1
        });
        let work = &mut self.desk[place as usize];
        *work = Work { round, encoded: None, computed: false, sending: None };
        if let Some(early) = self.early.get_mut(to.position) {
            work.encoded = early.take();
        } else {
            let encoded = work.encoded.insert(self.pool.pop().unwrap_or_default());
            if let Err(error) = self.halves.receive(i, body, to, encoded) {
                return context.stop(failed(&error));
            }
        }
        self.seats[i as usize].working = Some(place);
        self.compute(context, i, round);
        self.advertise(context, i, round);
    }

    fn compute(&self, context: &mut Context<StarPayload>, i: u32, round: u64) {
        let work = self.halves.work(i, round);
        match self.rounds.variation.filter(|_| round > 0) {
            // Number 0 of these streams is the client's own speed.
            Some(sigma) => {
                let factor = context.streams().at(DrawPurpose::Speed, u64::from(i), round).log_normal(0.0, sigma);
                context.compute_scaled(node_of(i), work, factor);
            }
            None => context.compute(node_of(i), work),
        }
    }

    /// Client `i` gives up what it does: its computation ends, its upload is cut off. What it is about to receive goes
    /// on.
    fn supersede(&mut self, context: &mut Context<StarPayload>, i: u32) {
        let Some(place) = self.drop_work(i) else { return };
        match self.desk[place as usize].sending {
            Some(sending) => context.abort(sending),
            None => context.stop_computing(node_of(i)),
        }
    }

    /// Frees the desk of client `i`; its place, if it was working.
    fn drop_work(&mut self, i: u32) -> Option<u32> {
        let work = self.seats[i as usize].working.take();
        self.free.extend(work);
        work
    }

    pub(super) fn on_work_done(&mut self, context: &mut Context<StarPayload>, i: u32) {
        let place = self.seats[i as usize].working.expect("who has computed was working");
        let work = &mut self.desk[place as usize];
        work.computed = true;
        let round = work.round;
        self.expectations += self.halves.work(i, round);
        if context.drops_out_of(node_of(i), round) {
            context.drop_out(node_of(i));
            return self.on_lost_client(context, i);
        }
        self.send_if_computed(context, i);
    }

    /// Client `i` sends its contribution, when it has computed it and may send it.
    pub(super) fn send_if_computed(&mut self, context: &mut Context<StarPayload>, i: u32) {
        let Some(place) = self.seats[i as usize].working.filter(|_| self.can_mask(i)) else { return };
        let work = &mut self.desk[place as usize];
        let Some(encoded) = work.encoded.take_if(|_| work.computed) else { return };
        let round = work.round;
        let bits = match self.halves.send(context.streams(), i, round, &encoded) {
            Ok(bits) => bits,
            Err(error) => return context.stop(failed(&error)),
        };
        let purpose = if round == 0 { purpose::INITIAL_MEMORY } else { purpose::UPDATE };
        let payload = StarPayload::Update { round, encoded, bits };
        let sending = context.send(Message { from: node_of(i), to: SERVER, purpose, payload });
        self.desk[place as usize].sending = Some(sending);
    }

    pub(super) fn on_contribution(
        &mut self,
        context: &mut Context<StarPayload>,
        i: u32,
        round: u64,
        encoded: Box<Encoded>,
    ) {
        // A newer broadcast that arrived at the same instant may have put other work on the client's desk.
        if self.seats[i as usize].working.is_some_and(|place| self.desk[place as usize].round == round) {
            self.drop_work(i);
        }
        let awaited = self.phase == Phase::Memory || self.is_awaited(i, round);
        let seat = &mut self.seats[i as usize];
        if seat.is_pending(round) {
            seat.pending = None;
        }
        if awaited && !self.closed && !self.awaits_masked(i) {
            self.journal.was_late(i);
        }
        if !awaited || self.closed || !self.awaits_masked(i) {
            self.pool.push(encoded);
            return context.reject_late();
        }
        self.park(context, Contribution { client: i, encoded, age: self.round - round });
    }

    /// Does the server wait for what client `i` does for `round`?
    fn is_awaited(&self, i: u32, round: u64) -> bool {
        self.seats[i as usize].is_pending(round) && (self.rounds.carries() || round == self.round)
    }

    pub(super) fn on_lost_client(&mut self, context: &mut Context<StarPayload>, i: u32) {
        self.drop_work(i);
        let awaited = self.seats[i as usize].pending.is_some_and(|asked| self.is_awaited(i, asked.get()));
        self.seats[i as usize].pending = None;
        self.halves.on_lost(i, self.rounds.forgets.then_some(self.round));
        if awaited {
            self.give_up(context, i);
        }
        self.lose_in_secure(context, i, self.round);
    }

    /// What is exchanged before the first round is a precondition of the algorithms: a lost message is sent again. In a
    /// round, a client whose broadcast or upload was lost is lost to it.
    pub(super) fn on_lost_message(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        if self.phase != Phase::Rounds {
            return self.send_later(context, message);
        }
        match message.payload {
            StarPayload::Constants(_) => unreachable!("constants travel before the rounds"),
            StarPayload::Broadcast { body, .. } => self.lose(context, client_of(message.to), body.round),
            StarPayload::Exchange { round, .. } => {
                let client = if message.to == SERVER { message.from } else { message.to };
                self.lose(context, client_of(client), round);
            }
            StarPayload::Update { round, encoded, .. } => {
                let i = client_of(message.from);
                if self.seats[i as usize].working.is_some_and(|place| self.desk[place as usize].round == round) {
                    self.drop_work(i);
                }
                self.pool.push(encoded);
                self.halves.on_lost(i, None);
                self.lose(context, i, round);
            }
        }
    }

    /// Client `i` will not contribute to `round`.
    fn lose(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64) {
        let awaited = self.is_awaited(i, round);
        let seat = &mut self.seats[i as usize];
        if seat.is_pending(round) {
            seat.pending = None;
        }
        if awaited {
            self.give_up(context, i);
        }
        self.lose_in_secure(context, i, round);
    }

    /// Client `i`, whom the server waits for, is lost.
    fn give_up(&mut self, context: &mut Context<StarPayload>, i: u32) {
        if self.closed && !(self.stepping.is_some() && self.rounds.carries()) {
            return;
        }
        self.journal.was_lost(i);
        self.awaited -= 1;
        self.lost += 1;
        self.close_if_complete(context);
    }
}
