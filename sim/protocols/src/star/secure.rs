//! Secure aggregation in a round: keys, shares, masked vectors and unmasking, one after the other.
//!
//! U₁ ⊇ U₂ ⊇ U₃ ⊇ U₅ are the clients whose keys, shares, masked vectors and unmasking the server has in time. An
//! exchange ends when everybody it waits for has answered or is lost, or at the deadline of the round's policy, which
//! each has for itself. Where too few are left the round fails: what has arrived of it cannot be unmasked and is lost.
//!
//! The clients compute while keys and shares are exchanged; a vector is masked when both are done.
//!
//! The server knows who has come how far, and who shares masks with whom.

use fedbits_kernel::{Bits, Context, Message};

use super::masks::{Level, Secure};
use super::{Phase, SERVER, Star, node_of};
use crate::payload::{Exchange, StarPayload, purpose};

impl Star<'_> {
    /// The round of secure aggregation, if this is one.
    fn secure_round(&self) -> Option<&Secure> {
        self.secure.as_deref().filter(|_| self.phase == Phase::Rounds)
    }

    /// Is there one?
    pub(super) fn is_secure(&self) -> bool {
        self.secure_round().is_some()
    }

    /// May client `i` send its vector?
    pub(super) fn can_mask(&self, i: u32) -> bool {
        let may = |secure: &Secure| secure.position(i).is_some_and(|at| secure.members[at].can_mask);
        self.secure_round().is_none_or(may)
    }

    pub(super) fn open_secure(&mut self, context: &Context<StarPayload>) {
        if let Some(secure) = &mut self.secure {
            secure.open(self.round, &self.cohort, context.streams());
            self.journal.masks(!self.cohort.is_empty());
        }
    }

    /// Client `i` has received the broadcast of `round` and advertises its keys, too late if that round is over.
    pub(super) fn advertise(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64) {
        let Some(secure) = self.secure_round() else { return };
        let bits = secure.setting.advertisement();
        Self::send_exchange(context, (node_of(i), SERVER), (round, Exchange::Keys), bits);
    }

    fn send_exchange(
        context: &mut Context<StarPayload>,
        (from, to): (fedbits_kernel::NodeId, fedbits_kernel::NodeId),
        (round, exchange): (u64, Exchange),
        bits: u64,
    ) {
        let purpose = match exchange {
            Exchange::Keys => purpose::KEYS,
            Exchange::Shares => purpose::SHARES,
            Exchange::Unmasking => purpose::UNMASKING,
        };
        let payload = StarPayload::Exchange { round, exchange, bits: Bits::new(bits) };
        context.send(Message { from, to, purpose, payload });
    }

    /// A client has what the server forwarded, and answers.
    pub(super) fn on_forwarded(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64, exchange: Exchange) {
        let open = self.secure.as_mut().filter(|secure| secure.round == round);
        let awaited = |secure: &Secure| secure.position(i).filter(|&at| !secure.members[at].out);
        let Some((secure, position)) = open.and_then(|secure| awaited(secure).map(|position| (secure, position)))
        else {
            return context.reject_late();
        };
        let (setting, n) = (secure.setting, secure.clients);
        match exchange {
            Exchange::Keys => {
                let bits = setting.shares(secure.neighbours(position, Level::Advertised), n);
                Self::send_exchange(context, (node_of(i), SERVER), (round, Exchange::Shares), bits);
            }
            Exchange::Shares => {
                secure.members[position].can_mask = true;
                self.send_if_computed(context, i);
            }
            Exchange::Unmasking => {
                let bits = setting.unmasking(secure.neighbours(position, Level::Shared) + secure.own_share());
                Self::send_exchange(context, (node_of(i), SERVER), (round, Exchange::Unmasking), bits);
            }
        }
    }

    /// The server has an answer of client `i`, which is late when nobody waits for it.
    pub(super) fn on_answer(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64, exchange: Exchange) {
        let level = match exchange {
            Exchange::Keys => Level::Advertised,
            Exchange::Shares => Level::Shared,
            Exchange::Unmasking => Level::Unmasked,
        };
        if !self.take_answer(i, round, level) {
            return context.reject_late();
        }
        self.end_exchange(context);
    }

    /// The masked vector of client `i` is parked.
    pub(super) fn on_masked(&mut self, context: &mut Context<StarPayload>, i: u32) {
        if self.take_answer(i, self.round, Level::Masked) {
            self.end_exchange(context);
        }
    }

    /// Does the server wait for the masked vector of client `i`?
    pub(super) fn awaits_masked(&self, i: u32) -> bool {
        let waits = |secure: &Secure| {
            secure.stage == Level::Masked && secure.position(i).is_some_and(|at| !secure.members[at].out)
        };
        self.secure_round().is_none_or(waits)
    }

    fn take_answer(&mut self, i: u32, round: u64, level: Level) -> bool {
        let closed = self.closed;
        let Some(secure) =
            self.secure.as_mut().filter(|secure| !closed && secure.round == round && secure.stage == level)
        else {
            return false;
        };
        let Some(position) = secure.position(i).filter(|&at| !secure.members[at].out) else { return false };
        if secure.members[position].level >= level {
            return false;
        }
        secure.members[position].level = level;
        secure.waiting -= 1;
        true
    }

    /// Client `i` will not answer any more in `round`.
    pub(super) fn lose_in_secure(&mut self, context: &mut Context<StarPayload>, i: u32, round: u64) {
        let closed = self.closed;
        let Some(secure) = self.secure.as_mut().filter(|secure| !closed && secure.round == round) else { return };
        let Some(position) = secure.position(i).filter(|&at| !secure.members[at].out) else { return };
        let member = &mut secure.members[position];
        member.out = true;
        if member.level < secure.stage {
            secure.waiting -= 1;
            self.end_exchange(context);
        }
    }

    /// The deadline of an exchange: who has not answered is out.
    pub(super) fn exchange_is_over(&mut self, context: &mut Context<StarPayload>) {
        if let Some(secure) = &mut self.secure {
            let stage = secure.stage;
            secure.members.iter_mut().filter(|member| member.level < stage).for_each(|member| member.out = true);
            secure.waiting = 0;
        }
        self.end_exchange(context);
    }

    /// Ends an exchange when everybody has answered or is out: begins the next, or closes the round.
    fn end_exchange(&mut self, context: &mut Context<StarPayload>) {
        let Some(secure) = self.secure.as_mut().filter(|secure| secure.waiting == 0) else { return };
        if secure.stage == Level::Unmasked {
            if !secure.can_unmask() {
                self.fail_round();
            }
            return self.close_round(context);
        }
        if !secure.has_quorum() {
            self.fail_round();
            return self.close_round(context);
        }
        // Who is lost after its masked vector has come cannot be told, and is not waited for.
        let next = secure.members.iter().enumerate().filter(|(_, member)| member.level >= secure.stage && !member.out);
        let next: Vec<usize> = next.map(|(position, _)| position).collect();
        let messages: Vec<(u32, Exchange, u64)> = next
            .iter()
            .map(|&position| {
                let (exchange, bits) = secure.forwarded(position);
                (secure.members[position].client, exchange, bits)
            })
            .collect();
        secure.waiting = next.len();
        secure.stage = match secure.stage {
            Level::Advertised => Level::Shared,
            Level::Shared => Level::Masked,
            _ => Level::Unmasked,
        };
        self.restart_deadline(context);
        for (client, exchange, bits) in messages {
            Self::send_exchange(context, (SERVER, node_of(client)), (self.round, exchange), bits);
        }
        if next.is_empty() {
            self.end_exchange(context);
        }
    }

    /// Each exchange has the deadline of a round for itself.
    fn restart_deadline(&mut self, context: &mut Context<StarPayload>) {
        let Some(duration) = self.rounds.policy.deadline() else { return };
        if let Some(timer) = self.timer.take() {
            context.cancel_timer(timer);
        }
        self.timer = context.timer(duration, self.round);
    }

    /// Nothing of the round can be unmasked: what has arrived is lost.
    fn fail_round(&mut self) {
        if let Some(secure) = &mut self.secure {
            secure.failed = true;
        }
        self.journal.failed_to_unmask();
        self.lose_parked();
    }

    /// What has arrived of the round is lost: no step is made with it.
    pub(super) fn lose_parked(&mut self) {
        self.lost += self.parked.len() as u32;
        self.arrivals.clear();
        for contribution in self.parked.drain(..) {
            self.journal.was_lost(contribution.client);
            self.halves.on_lost(contribution.client, None);
            self.pool.push(contribution.encoded);
        }
    }
}
