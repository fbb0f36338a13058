//! What precedes the first round: what prepares the data and then constants travel up and their mean down, then every
//! client uploads its V₀,ᵢ. All are preconditions of the algorithms: everybody is waited for, and nobody drops out.

use fedbits_kernel::{Bits, Context, Message, StopReason, TimeDelta};
use fedbits_random::DrawPurpose;
use fedbits_spec::so_many;

use super::{Exchanged, Mail, Phase, SERVER, Star, StarAlgorithm, Upfront, failed, node_of};
use crate::journal::Round;
use crate::payload::{StarPayload, purpose};

/// The longest first wait of a message that was lost, and how often it doubles.
const FIRST_BACKOFF: TimeDelta = TimeDelta::from_nanos(100_000_000);
const MAX_DOUBLINGS: u64 = 10;

/// Losses per client after which the initialization is given up.
const MAX_LOSSES: u64 = 200;

impl<A: StarAlgorithm> Star<A> {
    pub(super) fn begin(&mut self, context: &mut Context<Mail<A>>) {
        context.set_dropouts(false);
        self.exchange(context, Exchanged::Preparation);
    }

    /// What every client sends and gets of this.
    fn bits_of(&self, what: Exchanged) -> Upfront {
        let constants = self.halves.algorithm.conventions().constants;
        match what {
            Exchanged::Preparation => self.rounds.preparation,
            Exchanged::Constants => Upfront { up: constants, down: constants },
        }
    }

    /// Begins an exchange, or what follows where there is nothing to exchange.
    fn exchange(&mut self, context: &mut Context<Mail<A>>, what: Exchanged) {
        if self.bits_of(what).up > Bits::ZERO {
            self.send_once(context, what, false);
        } else {
            self.after(context, what);
        }
    }

    fn after(&mut self, context: &mut Context<Mail<A>>, what: Exchanged) {
        match what {
            Exchanged::Preparation => self.exchange(context, Exchanged::Constants),
            Exchanged::Constants => self.ask_for_memories(context),
        }
    }

    fn send_once(&mut self, context: &mut Context<Mail<A>>, what: Exchanged, down: bool) {
        let Upfront { up, down: answer } = self.bits_of(what);
        let bits = if down { answer } else { up };
        self.phase = if down { Phase::Down(what, self.n()) } else { Phase::Up(what, self.n()) };
        for i in 0..self.n() {
            let (from, to) = if down { (SERVER, node_of(i)) } else { (node_of(i), SERVER) };
            context.send(Message { from, to, purpose: purpose::CONSTANTS, payload: StarPayload::Constants(bits) });
        }
    }

    pub(super) fn on_constants(&mut self, context: &mut Context<Mail<A>>) {
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

    fn ask_for_memories(&mut self, context: &mut Context<Mail<A>>) {
        if !self.halves.algorithm.conventions().initial_memories {
            return self.begin_rounds(context);
        }
        self.phase = Phase::Memory;
        self.cohort = (0..self.n()).collect();
        self.broadcast(context);
    }

    /// Sends a lost message again after a random wait, which doubles with the losses per client: those who met in a
    /// full buffer would meet there for ever if they came back at once.
    pub(super) fn send_later(&mut self, context: &mut Context<Mail<A>>, message: Message<Mail<A>>) {
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
    pub(super) fn send_again(&mut self, context: &mut Context<Mail<A>>, number: u64) {
        if let Some(message) = self.resend[number as usize].take() {
            context.send(message);
        }
    }

    /// Another initial memory is parked.
    pub(super) fn on_initial_memory(&mut self, context: &mut Context<Mail<A>>) {
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

    fn begin_rounds(&mut self, context: &mut Context<Mail<A>>) {
        self.phase = Phase::Rounds;
        context.set_dropouts(true);
        let round = Round { expectations: self.expectations, ..Round::default() };
        if let Some(reason) = self.note(context, round) {
            return context.stop(reason);
        }
        self.open_round(context);
    }
}
