//! What precedes the first round: constants travel up and their mean down, then every client uploads its V₀,ᵢ. Both are
//! preconditions of the algorithms: everybody is waited for, nobody drops out, and what is
//! lost is sent again.

use fedbits_kernel::{Bits, Context, Message, Purpose, StopReason};

use super::{SERVER, Stage, Star, StarAlgorithm, node_of};
use crate::journal::Round;
use crate::payload::StarPayload;

/// How many messages per client may be lost before the first round.
const MOST_SENT_AGAIN: u64 = 100;

impl<A: StarAlgorithm> Star<A> {
    pub(super) fn begin(&mut self, context: &mut Context<StarPayload>) {
        context.set_dropouts(false);
        if self.algorithm.constants_bits() > Bits::ZERO {
            self.send_constants(context, false);
        } else {
            self.ask_for_memories(context);
        }
    }

    fn send_constants(&mut self, context: &mut Context<StarPayload>, down: bool) {
        let bits = self.algorithm.constants_bits();
        self.stage = if down { Stage::ConstantsDown(self.n()) } else { Stage::ConstantsUp(self.n()) };
        for i in 0..self.n() {
            let (from, to) = if down { (SERVER, node_of(i)) } else { (node_of(i), SERVER) };
            context.send(Message { from, to, purpose: Purpose::Constants, payload: StarPayload::Constants(bits) });
        }
    }

    pub(super) fn on_constants(&mut self, context: &mut Context<StarPayload>) {
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

    /// Another initial memory is parked.
    pub(super) fn on_initial_memory(&mut self, context: &mut Context<StarPayload>) {
        if self.parked.len() < self.n() as usize {
            return;
        }
        self.parked.sort_unstable_by_key(|contribution| contribution.client);
        self.algorithm.take_initial_memories(&self.parked);
        self.parked.clear();
        self.begin_rounds(context);
    }

    /// A lost message is sent again, at once; a network that never lets it through must not hold the run for ever.
    pub(super) fn send_again(&mut self, context: &mut Context<StarPayload>, message: Message<StarPayload>) {
        self.sent_again += 1;
        if self.sent_again > MOST_SENT_AGAIN * u64::from(self.n()) {
            let why = format!(
                "{} messages were lost before the first round: the network does not carry what every client must send or get first",
                self.sent_again
            );
            return context.stop(StopReason::Failed(why));
        }
        context.send(message);
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
}
