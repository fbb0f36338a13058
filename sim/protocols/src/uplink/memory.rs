//! The clients' memories V_i, and when a client may trust that its contribution counted.
//!
//! The server adds (α/n) Quant(Δ_i) to V for every contribution that it *used*; client i adds α Quant(Δ_i) to V_i. If
//! one of them does and the other does not, V and the mean of the V_i drift apart for good and the limit is biased.

use fedbits_codec::{Compressor, Encoded};

use super::difference::size_sq;
use super::settings::{Commit, Recovery};
use super::weights::{Divisor, StepCounts};
use crate::state::norm_sq;

/// V_i as client i knows it, and what it has sent and not settled. It takes no memory before the client takes part:
/// until then V_i is 0.
#[derive(Debug, Default)]
pub struct ClientMemory {
    /// The length of V_i; 0 without memory.
    q: u32,
    /// Is what was sent kept?
    stages: bool,
    pub(super) kept: Option<Box<Kept>>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ClientMemory>() == 16, "a client that never takes part costs 16 bytes");

/// What a client keeps that has taken part.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// V_i; empty without memory, and h_i of the last round for MARINA.
    pub(crate) v: Vec<f64>,
    /// h_i of this round, for MARINA; x_i of this round, for EF21 with momentum or laziness.
    pub(crate) next: Vec<f64>,
    /// x_i of the round before, for the latter; empty where there was none.
    pub(crate) last: Vec<f64>,
    /// Quant(Δ_i) that awaits its acknowledgement; with the other commits one that is in flight and will count (none is
    /// kept where late ones do not count: what is not in by then is lost).
    pub(super) staged: Option<Encoded>,
    pub(super) is_staged: bool,
    /// The largest ‖V_i‖² that was ever committed: the size of what was rounded.
    pub(super) largest_sq: f64,
}

impl ClientMemory {
    /// V_i = 0 of length `q`. `stages`: is what was sent kept?
    pub(crate) fn new(q: usize, stages: bool) -> Self {
        Self { q: q as u32, stages, kept: None }
    }

    /// V_i as the client has committed it; empty without memory, and while the client has not taken part.
    pub fn committed(&self) -> &[f64] {
        self.kept.as_ref().map_or(&[], |kept| &kept.v)
    }

    /// What the client keeps, who takes part now.
    #[inline]
    pub(crate) fn kept(&mut self) -> &mut Kept {
        let Self { q, stages, ref mut kept } = *self;
        kept.get_or_insert_with(|| {
            let staged = stages.then(Encoded::new);
            Box::new(Kept { v: vec![0.0; q as usize], staged, ..Kept::default() })
        })
    }

    /// V_{0,i} is what `fill` writes, over zeros.
    pub(super) fn begin(&mut self, fill: impl FnOnce(&mut [f64])) {
        let kept = self.kept();
        fill(&mut kept.v);
        kept.largest_sq = kept.largest_sq.max(norm_sq(&kept.v));
    }

    /// The client learns whether its staged contribution was used: then V_i ← V_i + α Quant(Δ_i).
    pub(super) fn on_acknowledgement(&mut self, used: bool, alpha: f64, compressor: &dyn Compressor) {
        let Some(Kept { v, staged, is_staged, largest_sq, .. }) = self.kept.as_deref_mut() else { return };
        if let Some(staged) = staged.as_ref().filter(|_| *is_staged && used) {
            compressor.add_decoded(staged, alpha, v);
            *largest_sq = largest_sq.max(size_sq(v));
        }
        *is_staged = false;
    }

    /// The client takes over the V_i that the server has sent, and forgets what it had staged.
    pub(super) fn on_memory(&mut self, v_i: &[f64]) {
        let kept = self.kept();
        kept.v.copy_from_slice(v_i);
        kept.is_staged = false;
    }

    /// What was sent is used by now, or never will be.
    pub(crate) fn unstage(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.is_staged = false;
        }
    }

    /// The client has lost its V_i, which is what `fill` writes over zeros.
    pub(super) fn forget(&mut self, fill: impl FnOnce(&mut [f64])) {
        if let Some(kept) = &mut self.kept {
            kept.v.fill(0.0);
            fill(&mut kept.v);
            kept.last.clear();
            kept.is_staged = false;
        }
    }

    /// The client sends its contribution.
    pub(super) fn on_send(&mut self, commit: Commit, alpha: f64, compressor: &dyn Compressor, encoded: &Encoded) {
        let kept = self.kept();
        if commit != Commit::OnAcknowledgement {
            compressor.add_decoded(encoded, alpha, &mut kept.v);
            kept.largest_sq = kept.largest_sq.max(size_sq(&kept.v));
        }
        if let Some(staged) = &mut kept.staged {
            // The coded message is shorter than the vector, and most of the time it is all that is ever needed.
            staged.clone_from(encoded);
            kept.is_staged = true;
        }
    }

    /// What was compared last is sent, or left out: x_i of this round is that of the last one. `holds`: it stands where
    /// there is no V_i.
    pub(super) fn turn(&mut self, holds: bool) {
        if let Some(Kept { v, next, last, .. }) = self.kept.as_deref_mut().filter(|kept| !kept.next.is_empty()) {
            std::mem::swap(next, if holds { v } else { last });
        }
    }
}

/// V, and what the server keeps of the clients' memories beside it.
#[derive(Debug)]
pub struct ServerMemory {
    pub(crate) v: Vec<f64>,
    /// Σ μ_i Quant(Δ_i) of the last estimate.
    pub(super) sum: Vec<f64>,
    pub(super) weights: StepCounts,
    /// The last result of the robust rule; empty before there is one.
    pub(super) last: Vec<f64>,
    /// Working memory, so that rounds allocate nothing of size n.
    pub(super) memory: Vec<f64>,
    /// Its copies of the V_i, V_{0,i} and α times what it used; empty where nobody needs them.
    pub(super) copies: Vec<Vec<f64>>,
    /// The round in which each client was sent its V_i last; empty without resynchronization.
    synchronized: Vec<u64>,
    /// The round in which each client lost its V_i, until it shows that it has it again; empty unless V_i are restored.
    lost: Vec<Option<u64>>,
    /// Did a client go on from its first V_i?
    pub(super) broken: bool,
}

impl ServerMemory {
    /// For `n` clients and vectors of `length` numbers. `copied`: the lengths of the clients' vectors that are copied;
    /// `every`: are copies sent every so many rounds, and where they are lost (`restores`)?
    pub(super) fn new(
        (divisor, n, length): (Divisor, u32, usize),
        copied: impl Iterator<Item = usize>,
        (every, restores): (bool, bool),
    ) -> Self {
        Self {
            v: vec![0.0; length],
            sum: vec![0.0; length],
            weights: StepCounts::new(divisor, n),
            last: Vec::new(),
            memory: Vec::new(),
            copies: copied.map(|length| vec![0.0; length]).collect(),
            synchronized: vec![0; if every { n as usize } else { 0 }],
            lost: vec![None; if restores { n as usize } else { 0 }],
            broken: false,
        }
    }

    /// V.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// The copy of V_{0,i}, if there is one, is what `fill` writes.
    pub(super) fn set_copy(&mut self, i: u32, fill: impl FnOnce(&mut [f64])) {
        if let Some(copy) = self.copies.get_mut(i as usize) {
            fill(copy);
        }
    }

    /// The copy of V_i, if the broadcast of `round` to client `i` is to carry it.
    pub(super) fn take_to_send(&mut self, i: u32, round: u64, commit: Option<Commit>) -> Option<Vec<f64>> {
        let lost = self.is_lost(i);
        let send = match (commit, self.synchronized.get_mut(i as usize)) {
            (Some(Commit::Resynchronized { every }), Some(last)) if lost || round - *last >= every => {
                *last = round;
                true
            }
            _ => lost,
        };
        self.copies.get(i as usize).filter(|_| send).cloned()
    }

    pub(super) fn is_lost(&self, i: u32) -> bool {
        self.lost.get(i as usize).is_some_and(Option::is_some)
    }

    /// Client `i` has lost its V_i in `round`.
    pub(super) fn on_lost(&mut self, i: u32, round: u64, recovery: Recovery) {
        match recovery {
            Recovery::Restore => self.lost[i as usize] = Some(round),
            Recovery::Zero => self.broken = true,
        }
    }

    /// The server used the contribution of client `i` that answers the broadcast of round `answers`.
    pub(super) fn on_used(
        &mut self,
        i: u32,
        answers: u64,
        alpha: f64,
        (compressor, encoded): (&dyn Compressor, &Encoded),
    ) {
        // What was sent before the loss proves nothing.
        if let Some(lost) = self.lost.get_mut(i as usize) {
            *lost = lost.filter(|round| answers <= *round);
        }
        if let Some(copy) = self.copies.get_mut(i as usize) {
            compressor.add_decoded(encoded, alpha, copy);
        }
    }
}
