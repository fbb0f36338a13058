//! The clients' memories V_i, and when a client may trust that its contribution counted.
//!
//! The server adds (α/n) Quant(Δ_i) to V for every contribution that it *used*; client i adds α Quant(Δ_i) to V_i. If
//! one of them does and the other does not, V and the mean of the V_i drift apart for good and the limit is biased.

use fedbits_codec::{Compressor, Encoded};

use super::difference::size_sq;
use super::settings::{Commit, Memory, Recovery};
use crate::error::ProtocolError;
use crate::state::norm_sq;

/// ‖V − n⁻¹ Σ V_i‖².
#[derive(Clone, Copy, Debug)]
pub(crate) struct DriftSq {
    pub value: f64,
    pub is_more_than_rounding: bool,
}

impl DriftSq {
    /// Rounding is that of 10⁶ rounds' sums: (1e-10)², relative to what was ever added: `largest_sq`, the largest
    /// ‖V_i‖² of all time, and V.
    pub fn new(value: f64, largest_sq: f64, v: &[f64]) -> Self {
        Self { value, is_more_than_rounding: value > 1e-20 * (largest_sq + norm_sq(v)) }
    }

    /// The value.
    ///
    /// # Errors
    /// Where V is `promised` to be the mean, and is not.
    pub fn checked(self, promised: bool) -> Result<f64, ProtocolError> {
        if promised && self.is_more_than_rounding { Err(ProtocolError::Drift(self.value)) } else { Ok(self.value) }
    }
}

/// V_i as client i knows it, and what it has sent and not settled. It takes no memory before the client takes part:
/// until then V_i is 0.
#[derive(Debug, Default)]
pub struct ClientMemory {
    /// The length of V_i; 0 without memory.
    q: u32,
    /// Is what was sent kept?
    stages: bool,
    kept: Option<Box<Kept>>,
}

const _: () = assert!(size_of::<ClientMemory>() == 16, "a client that never takes part costs 16 bytes");

/// What a client keeps that has taken part.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// V_i; empty without memory, and h_i of the last round for MARINA.
    pub(super) v: Vec<f64>,
    /// h_i of this round, for MARINA.
    pub(super) next: Vec<f64>,
    /// Quant(Δ_i) that awaits its acknowledgement; with the other commits one that is in flight and will count (none is
    /// kept where late ones do not count: what is not in by then is lost).
    staged: Option<Encoded>,
    is_staged: bool,
    /// The largest ‖V_i‖² that was ever committed: the size of what was rounded.
    largest_sq: f64,
}

impl ClientMemory {
    /// V_i = 0 of length `q`. `stages`: is what was sent kept?
    pub(super) fn new(q: usize, stages: bool) -> Self {
        Self { q: q as u32, stages, kept: None }
    }

    /// V_i as the client has committed it; empty without memory, and while the client has not taken part.
    pub fn committed(&self) -> &[f64] {
        self.kept.as_ref().map_or(&[], |kept| &kept.v)
    }

    /// What the client keeps, who takes part now.
    #[inline]
    pub(super) fn kept(&mut self) -> &mut Kept {
        let Self { q, stages, ref mut kept } = *self;
        kept.get_or_insert_with(|| {
            let staged = stages.then(Encoded::new);
            Box::new(Kept { v: vec![0.0; q as usize], staged, ..Kept::default() })
        })
    }

    /// V_{0,i} is what was sent.
    pub(super) fn set_initial(&mut self, codec: &dyn Compressor, encoded: &Encoded) {
        let kept = self.kept();
        codec.decode(encoded, &mut kept.v);
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
    pub(super) fn unstage(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.is_staged = false;
        }
    }

    /// The client has lost its V_i.
    pub(super) fn forget(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.v.fill(0.0);
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
}

/// What the server keeps of the clients' memories beside V.
#[derive(Debug, Default)]
pub(super) struct ServerMemory {
    /// Its copies of the V_i, n rows of q numbers: V_{0,i} and α times what it used; empty where nobody needs them.
    copies: Vec<f64>,
    /// The round in which each client was sent its V_i last; empty without resynchronization.
    synchronized: Vec<u64>,
    /// Who has lost its V_i, in which round, and has not shown that it has it again; empty unless V_i are restored.
    lost: Vec<Option<u64>>,
    /// Did a client go on with V_i = 0?
    broken: bool,
}

impl ServerMemory {
    /// For `n` clients and statistics of length `q`.
    pub(super) fn new(n: u32, q: usize, memory: Memory) -> Self {
        let n = n as usize;
        let resynchronizes = matches!(memory.commit(), Some(Commit::Resynchronized { .. }));
        let restores = memory.recovery() == Some(Recovery::Restore);
        Self {
            copies: vec![0.0; if resynchronizes || restores { n * q } else { 0 }],
            synchronized: vec![0; if resynchronizes { n } else { 0 }],
            lost: vec![None; if restores { n } else { 0 }],
            broken: false,
        }
    }

    fn copy(&mut self, i: u32, q: usize) -> Option<&mut [f64]> {
        self.copies.get_mut(i as usize * q..(i as usize + 1) * q)
    }

    /// V_{0,i} has arrived.
    pub(super) fn set_initial(&mut self, i: u32, q: usize, codec: &dyn Compressor, encoded: &Encoded) {
        if let Some(copy) = self.copy(i, q) {
            codec.decode(encoded, copy);
        }
    }

    /// The copy of V_i, if the broadcast of `round` to client `i` is to carry it.
    pub(super) fn take_to_send(&mut self, i: u32, round: u64, q: usize, commit: Option<Commit>) -> Option<Vec<f64>> {
        let lost = self.is_lost(i);
        let send = match (commit, self.synchronized.get_mut(i as usize)) {
            (Some(Commit::Resynchronized { every }), Some(last)) if lost || round - *last >= every => {
                *last = round;
                true
            }
            _ => lost,
        };
        self.copy(i, q).filter(|_| send).map(|copy| copy.to_vec())
    }

    fn is_lost(&self, i: u32) -> bool {
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
        (q, alpha): (usize, f64),
        (compressor, encoded): (&dyn Compressor, &Encoded),
    ) {
        // What was sent before the loss proves nothing.
        if let Some(lost) = self.lost.get_mut(i as usize) {
            *lost = lost.filter(|round| answers <= *round);
        }
        if let Some(copy) = self.copy(i, q) {
            compressor.add_decoded(encoded, alpha, copy);
        }
    }
}

/// All V_i against V, for the record.
pub(super) struct Drift<'a> {
    pub commit: Option<Commit>,
    pub alpha: f64,
    pub compressor: &'a dyn Compressor,
    pub v: &'a [f64],
    pub server: &'a ServerMemory,
}

impl<'a> Drift<'a> {
    /// Must V be the mean of the V_i?
    pub fn claims_the_mean(&self) -> bool {
        self.commit == Some(Commit::OnAcknowledgement) && !self.server.broken
    }

    /// n⁻¹ Σ V_i, with what the server used and the client will commit at its next acknowledgement (`is_unsettled`),
    /// and without what the client has committed and the server is going to use; and the largest ‖V_i‖² of all time,
    /// with that.
    fn mean(
        &self,
        clients: impl Iterator<Item = &'a ClientMemory>,
        is_unsettled: impl Fn(u32) -> bool,
    ) -> (Vec<f64>, f64) {
        let q = self.v.len();
        let (mut mean, mut own, mut largest_sq) = (vec![0.0; q], vec![0.0; q], 0.0_f64);
        let Some(commit) = self.commit else { return (mean, largest_sq) };
        let mut n = 0.0;
        for (i, client) in (0..).zip(clients) {
            n += 1.0;
            // Who has lost its V_i can do nothing before it has the server's copy.
            let copy = self.server.copies.get(i as usize * q..(i as usize + 1) * q);
            let row = copy.filter(|_| self.server.is_lost(i)).unwrap_or(client.committed());
            mean.iter_mut().zip(row).for_each(|(mean, v)| *mean += v);
            let Some(kept) = client.kept.as_ref() else { continue };
            own.copy_from_slice(row);
            let sign = match commit {
                Commit::OnAcknowledgement => is_unsettled(i).then_some(1.0),
                Commit::OnSend | Commit::Resynchronized { .. } => Some(-1.0),
            };
            if let Some((sign, staged)) = sign.zip(kept.staged.as_ref().filter(|_| kept.is_staged)) {
                for sum in [&mut mean, &mut own] {
                    self.compressor.add_decoded(staged, sign * self.alpha, sum);
                }
            }
            largest_sq = largest_sq.max(kept.largest_sq).max(size_sq(&own));
        }
        mean.iter_mut().for_each(|mean| *mean /= n);
        (mean, largest_sq)
    }

    /// ‖V − n⁻¹ Σ V_i‖².
    pub fn sq(&self, clients: impl Iterator<Item = &'a ClientMemory>, is_unsettled: impl Fn(u32) -> bool) -> DriftSq {
        let (mut difference, largest_sq) = self.mean(clients, is_unsettled);
        difference.iter_mut().zip(self.v).for_each(|(mean, v)| *mean = v - *mean);
        DriftSq::new(norm_sq(&difference), largest_sq, self.v)
    }
}

#[cfg(test)]
mod tests {
    use fedbits_codec::{Compressor, Draw, Encoded, Identity};

    use super::{Commit, Memory, Recovery, ServerMemory};
    use crate::fedem::{Alpha, MemoryStart};

    /// A copy that restores a lost V_i is the client's last one: the next is due `every` rounds after it.
    #[test]
    fn a_copy_that_restores_is_the_last_one() {
        let (commit, recovery) = (Commit::Resynchronized { every: 5 }, Some(Recovery::Restore));
        let (alpha, start) = (Alpha::Constant(0.5), MemoryStart::Zero);
        let mut server = ServerMemory::new(1, 2, Memory::Kept { alpha, start, commit, recovery });
        let (floats, mut encoded) = (Identity::default(), Encoded::new());
        floats.encode(&[1.0, 2.0], Draw::Given(&[]), &mut encoded).unwrap();
        server.on_lost(0, 2, Recovery::Restore);
        let mut carries = |round: u64| {
            let copy = server.take_to_send(0, round, 2, Some(commit)).is_some();
            server.on_used(0, round, (2, 0.5), (&floats, &encoded));
            copy
        };
        let rounds: Vec<u64> = (3..=15).filter(|&round| carries(round)).collect();
        assert_eq!(rounds, [3, 8, 13]);
    }
}
