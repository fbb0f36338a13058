//! The clients' memories V_i, and when a client may trust that its contribution counted.
//!
//! The server adds (α/n) Quant(Δ_i) to V for every contribution that it *used*; client i adds α Quant(Δ_i) to V_i. If
//! one of them does and the other does not, V and the mean of the V_i drift apart for good and the limit is biased.

use fedbits_codec::{Compressor, Encoded};
use fedbits_memory::prefetch;
use fedbits_spec::Caveat;

use super::Uplink;
use super::difference::size_sq;
use super::settings::{Commit, Recovery};
use super::weights::Counted;
use crate::error::ProtocolError;
use crate::state::norm_sq;

/// ‖V − n⁻¹ Σ V_i‖².
#[derive(Clone, Copy, Debug)]
struct DriftSq {
    value: f64,
    is_more_than_rounding: bool,
}

impl DriftSq {
    /// Rounding is that of 10⁶ rounds' sums: (1e-10)², relative to what was ever added: `largest_sq`, the largest
    /// ‖V_i‖² of all time, and V.
    fn new(value: f64, largest_sq: f64, v: &[f64]) -> Self {
        Self { value, is_more_than_rounding: value > 1e-20 * (largest_sq + norm_sq(v)) }
    }

    /// The value.
    ///
    /// # Errors
    /// Where V is `promised` to be the mean, and is not.
    fn checked(self, promised: bool) -> Result<f64, ProtocolError> {
        if promised && self.is_more_than_rounding { Err(ProtocolError::Drift(self.value)) } else { Ok(self.value) }
    }
}

/// Floats in a line of the cache.
const FLOATS_PER_LINE: usize = 8;

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
pub(crate) struct Kept {
    /// V_i; empty without memory, and h_i of the last round for MARINA.
    pub(crate) v: Vec<f64>,
    /// h_i of this round, for MARINA.
    pub(crate) next: Vec<f64>,
    /// Quant(Δ_i) that awaits its acknowledgement; with the other commits one that is in flight and will count (none is
    /// kept where late ones do not count: what is not in by then is lost).
    staged: Option<Encoded>,
    is_staged: bool,
    /// The largest ‖V_i‖² that was ever committed: the size of what was rounded.
    largest_sq: f64,
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

    /// Fetches what these clients keep, which is needed soon: step by step, of all of them.
    pub(crate) fn prefetch<'a>(memories: impl Iterator<Item = &'a Self> + Clone) {
        memories.clone().for_each(prefetch);
        memories.clone().for_each(Self::prefetch_kept);
        let kept = memories.filter_map(|memory| memory.kept.as_deref());
        kept.clone().filter_map(|kept| kept.v.first()).for_each(prefetch);
        kept.filter_map(|kept| kept.staged.as_ref()?.small_levels.first()).for_each(prefetch);
    }

    /// Fetches what the client keeps, without what that refers to.
    pub(crate) fn prefetch_kept(&self) {
        if let Some(kept) = self.kept.as_deref() {
            prefetch(kept);
            prefetch(&kept.staged);
            prefetch(&kept.largest_sq);
        }
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

    /// V_i will be needed soon: while the client computes, it comes into the cache.
    pub(crate) fn prefetch_whole(&self) {
        self.committed().iter().step_by(FLOATS_PER_LINE).for_each(prefetch);
    }

    /// V_{0,i} is what `fill` writes, over zeros.
    pub fn begin(&mut self, fill: impl FnOnce(&mut [f64])) {
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
    pub(super) fn unstage(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.is_staged = false;
        }
    }

    /// The client has lost its V_i, which is `first` again (empty: zeros).
    pub(super) fn forget(&mut self, first: &[f64]) {
        if let Some(kept) = &mut self.kept {
            kept.v.fill(0.0);
            kept.v.iter_mut().zip(first).for_each(|(v, first)| *v = *first);
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

/// V, and what the server keeps of the clients' memories beside it.
#[derive(Debug)]
pub struct ServerMemory {
    pub(crate) v: Vec<f64>,
    /// Σ μ_i Quant(Δ_i) of the last estimate.
    pub(super) sum: Vec<f64>,
    pub(super) weights: Counted,
    /// Working memory, so that rounds allocate nothing of size n.
    pub(super) memory: Vec<f64>,
    /// Its copies of the V_i, V_{0,i} and α times what it used; empty where nobody needs them.
    copies: Vec<Vec<f64>>,
    /// The round in which each client was sent its V_i last; empty without resynchronization.
    synchronized: Vec<u64>,
    /// For each client the round in which it lost its V_i, until it has shown that it has it again; empty unless V_i are
    /// restored.
    lost: Vec<Option<u64>>,
    /// Did a client go on from its first V_i?
    broken: bool,
}

impl ServerMemory {
    pub(super) fn new(uplink: &Uplink) -> Self {
        let n = uplink.clients as usize;
        let resynchronizes = matches!(uplink.commit(), Some(Commit::Resynchronized { .. }));
        let restores = uplink.recovery() == Some(Recovery::Restore);
        let copied = if resynchronizes || restores { uplink.clients } else { 0 };
        Self {
            v: vec![0.0; uplink.length],
            sum: vec![0.0; uplink.length],
            weights: Counted::new(uplink.divisor, uplink.clients),
            memory: Vec::new(),
            copies: (0..copied).map(|i| vec![0.0; uplink.length_of(i)]).collect(),
            synchronized: vec![0; if resynchronizes { n } else { 0 }],
            lost: vec![None; if restores { n } else { 0 }],
            broken: false,
        }
    }

    /// V.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// V₀ is `v`.
    pub fn begin(&mut self, v: Vec<f64>) {
        self.v = v;
    }

    /// The copy of V_{0,i}, if there is one, is what `fill` writes.
    pub fn set_copy(&mut self, i: u32, fill: impl FnOnce(&mut [f64])) {
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

/// All V_i against V, for the record.
impl Uplink {
    /// Must V be the mean of the V_i?
    fn claims_the_mean(&self, server: &ServerMemory) -> bool {
        self.acknowledges() && !server.broken
    }

    /// n⁻¹ Σ μ_i V_i, with what the server used and the client will commit at its next acknowledgement
    /// (`is_unsettled`), and without what the client has committed and the server is going to use; and the largest
    /// ‖V_i‖² of all time, with that.
    fn mean<'a>(
        &self,
        server: &ServerMemory,
        clients: impl Iterator<Item = &'a ClientMemory>,
        is_unsettled: impl Fn(u32) -> bool,
    ) -> (Vec<f64>, f64) {
        let (mut mean, mut own, mut largest_sq) = (vec![0.0; self.length], Vec::new(), 0.0_f64);
        let Some(commit) = self.commit() else { return (mean, largest_sq) };
        let mut n = 0.0;
        for (i, client) in (0..).zip(clients) {
            n += 1.0;
            // Who has lost its V_i can do nothing before it has the server's copy.
            let copy = server.copies.get(i as usize).map(Vec::as_slice);
            let row = copy.filter(|_| server.is_lost(i)).unwrap_or(client.committed());
            own.clear();
            own.extend_from_slice(row);
            let sign = match commit {
                Commit::OnAcknowledgement => is_unsettled(i).then_some(1.0),
                Commit::OnSend | Commit::Resynchronized { .. } => Some(-1.0),
            };
            let staged = client.kept.as_ref().and_then(|kept| kept.staged.as_ref().filter(|_| kept.is_staged));
            if let Some((sign, staged)) = sign.zip(staged) {
                self.reader().add_decoded(staged, sign * self.rate, &mut own);
            }
            let weight = self.weight(i);
            match self.places.get(i as usize) {
                None => mean.iter_mut().zip(&own).for_each(|(mean, v)| *mean += weight * v),
                Some(places) => {
                    places.iter().zip(&own).for_each(|(&place, v)| mean[place as usize] += weight * v);
                }
            }
            let earlier = client.kept.as_ref().map_or(0.0, |kept| kept.largest_sq);
            largest_sq = largest_sq.max(earlier).max(size_sq(&own));
        }
        mean.iter_mut().for_each(|mean| *mean /= n);
        (mean, largest_sq)
    }

    fn drift<'a>(
        &self,
        server: &ServerMemory,
        clients: impl Iterator<Item = &'a ClientMemory>,
        is_unsettled: impl Fn(u32) -> bool,
    ) -> DriftSq {
        let (mut difference, largest_sq) = self.mean(server, clients, is_unsettled);
        difference.iter_mut().zip(&server.v).for_each(|(mean, v)| *mean = v - *mean);
        DriftSq::new(norm_sq(&difference), largest_sq, &server.v)
    }

    /// ‖V − n⁻¹ Σ μ_i V_i‖², `clients` in their order.
    ///
    /// # Errors
    /// Where it is more than rounding, although memories commit on acknowledgement and nobody went on without one.
    pub fn drift_sq<'a>(
        &self,
        server: &ServerMemory,
        clients: impl Iterator<Item = &'a ClientMemory>,
        is_unsettled: impl Fn(u32) -> bool,
    ) -> Result<f64, ProtocolError> {
        self.drift(server, clients, is_unsettled).checked(self.claims_the_mean(server))
    }

    /// The caveat on a V that is no longer the mean of the V_i.
    pub fn drifts<'a>(
        &self,
        server: &ServerMemory,
        clients: impl Iterator<Item = &'a ClientMemory>,
        is_unsettled: impl Fn(u32) -> bool,
    ) -> Option<Caveat> {
        let drift = self.drift(server, clients, is_unsettled);
        let drifts = drift.is_more_than_rounding && !self.claims_the_mean(server);
        drifts.then(|| Caveat::MemoryDrift { drift: format!("{:.2e}", drift.value) })
    }
}

#[cfg(test)]
mod tests {
    use fedbits_codec::{Compressor, Draw, Encoded, Identity};

    use super::super::{Alpha, Commit, Memory, MemoryStart, Recovery, Uplink};

    /// A copy that restores a lost V_i is the client's last one: the next is due `every` rounds after it.
    #[test]
    fn a_copy_that_restores_is_the_last_one() {
        let commit = Commit::Resynchronized { every: 5 };
        let memory = Memory::of(MemoryStart::Zero, commit);
        let floats = Identity::default();
        let uplink = Uplink::new(Box::new(floats), 1).remembering(memory, Alpha::Constant(0.5));
        let uplink = uplink.forgetting(true).over(2).unwrap();
        let (mut server, mut encoded) = (uplink.server(), Encoded::new());
        floats.encode(&[1.0, 2.0], Draw::Given(&[]), &mut encoded).unwrap();
        server.on_lost(0, 2, Recovery::Restore);
        let mut carries = |round: u64| {
            let copy = uplink.memory_for(&mut server, 0, round).is_some();
            server.on_used(0, round, 0.5, (&floats, &encoded));
            copy
        };
        let rounds: Vec<u64> = (3..=15).filter(|&round| carries(round)).collect();
        assert_eq!(rounds, [3, 8, 13]);
    }
}
