//! The clients' memories V_i, and when a client may trust that its contribution counted.
//!
//! The server adds (α/n) Quant(Δ_i) to V for every contribution that it *used*; client i adds α Quant(Δ_i) to V_i. If one of
//! them does and the other does not, V and the mean of the V_i drift apart for good and the limit is biased.

use fedbits_codec::{Compressor, Encoded};

use crate::journal::norm_sq;

/// (1e-10)²: rounding of 10⁶ rounds' sums, relative to what was added.
const ROUNDING_SQ: f64 = 1e-20;

/// When a client adds α Quant(Δ_i) to V_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// When the next broadcast acknowledges that the server used it: V = n⁻¹ Σ V_i always holds.
    OnAcknowledgement,
    /// When it sends: the text of the paper, where nothing is ever lost.
    OnSend,
    /// When it sends; and the first broadcast to a client after every so many rounds carries the server's copy of its V_i, which
    /// it takes over. The server then keeps all V_i.
    Resynchronized {
        /// Rounds from one V_i to the next, at least 1.
        every: u64,
    },
}

/// What becomes of a client that has lost its V_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The server, which keeps a copy of all V_i, sends it with the next broadcast, until a contribution shows that it arrived.
    Restore,
    /// It goes on with V_i = 0: V is no longer the mean of the V_i.
    Zero,
}

/// All V_i, n rows of q numbers.
pub(super) struct Memories {
    q: usize,
    n: u32,
    commit: Option<Commit>,
    committed: Vec<f64>,
    /// Quant(Δ_i) that await their acknowledgements; with the other commits those that are on their way and will count (none are kept
    /// where late ones do not count: what is not in by then is lost).
    staged: Vec<Encoded>,
    is_staged: Vec<bool>,
    /// Parities of the numbers of used (server) and committed (client) contributions; they differ by at most one.
    used: Vec<bool>,
    settled: Vec<bool>,
    /// The server's copies of the V_i: V_{0,i} and α times what it used; empty where nobody needs them.
    copies: Vec<f64>,
    /// The round in which each client was sent its V_i last; empty without resynchronization.
    synchronized: Vec<u64>,
    /// Who has lost its V_i, in which round, and has not shown that it has it again; empty unless V_i are restored.
    lost: Vec<Option<u64>>,
    recovery: Option<Recovery>,
    /// Did a client go on with V_i = 0?
    broken: bool,
    /// The largest ‖V_i‖² that was ever committed: the size of what was rounded.
    largest_sq: f64,
    zero: Vec<f64>,
}

impl Memories {
    /// `commit`: none for the variant without memory, which costs no space; `recovery`: where clients can lose their memories.
    pub fn new(n: u32, q: usize, commit: Option<Commit>, recovery: Option<Recovery>) -> Self {
        let recovery = recovery.filter(|_| commit.is_some());
        let resynchronizes = matches!(commit, Some(Commit::Resynchronized { .. }));
        let rows = |kept: bool| vec![0.0; if kept { n as usize * q } else { 0 }];
        let acknowledged = commit == Some(Commit::OnAcknowledgement);
        let flags = || vec![false; if acknowledged { n as usize } else { 0 }];
        Self {
            q,
            n,
            commit,
            committed: rows(commit.is_some()),
            staged: vec![Encoded::new(); if acknowledged { n as usize } else { 0 }],
            is_staged: flags(),
            used: flags(),
            settled: flags(),
            copies: rows(resynchronizes || recovery == Some(Recovery::Restore)),
            synchronized: vec![0; if resynchronizes { n as usize } else { 0 }],
            lost: vec![None; if recovery == Some(Recovery::Restore) { n as usize } else { 0 }],
            recovery,
            broken: false,
            largest_sq: 0.0,
            zero: vec![0.0; q],
        }
    }

    /// What is on its way will be used, however late: see [`Memories::mean`].
    pub fn late_counts(&mut self) {
        if self.commit.is_some() && self.staged.is_empty() {
            self.staged = vec![Encoded::new(); self.n as usize];
            self.is_staged = vec![false; self.n as usize];
        }
    }

    /// What client `i` has sent will never be used. Who waits for an acknowledgement learns it from that.
    pub fn on_contribution_lost(&mut self, i: u32) {
        if self.commit != Some(Commit::OnAcknowledgement) {
            self.unstage(i);
        }
    }

    /// V_i as the client knows it.
    pub fn committed(&self, i: u32) -> &[f64] {
        match self.commit {
            None => &self.zero,
            Some(_) => &self.committed[i as usize * self.q..][..self.q],
        }
    }

    /// Sets V_{0,i}.
    pub fn set_initial(&mut self, i: u32, codec: &dyn Compressor, encoded: &Encoded) {
        codec.decode(encoded, &mut self.committed[i as usize * self.q..][..self.q]);
    }

    /// All V_{0,i} are set.
    pub fn on_initial(&mut self) {
        let rows = self.committed.chunks_exact(self.q);
        self.largest_sq = rows.map(norm_sq).fold(self.largest_sq, f64::max);
        if !self.copies.is_empty() {
            self.copies.clone_from(&self.committed);
        }
    }

    /// The bit that a broadcast carries for client `i`.
    pub fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.used.get(i as usize).copied()
    }

    /// Client `i` learns whether its staged contribution was used: then V_i ← V_i + α Quant(Δ_i).
    pub fn on_acknowledgement(&mut self, i: u32, parity: bool, alpha: f64, compressor: &dyn Compressor) {
        let index = i as usize;
        if self.is_staged[index] && parity != self.settled[index] {
            let v_i = &mut self.committed[index * self.q..][..self.q];
            compressor.add_decoded(&self.staged[index], alpha, v_i);
            self.largest_sq = self.largest_sq.max(size_sq(v_i));
        }
        // Who has nothing staged any more, because it lost its state, begins to count where the server is.
        self.settled[index] = parity;
        self.is_staged[index] = false;
    }

    /// The server's copy of V_i, if the broadcast of `round` to client `i` is to carry it.
    pub fn take_to_send(&mut self, i: u32, round: u64) -> Option<Vec<f64>> {
        let index = i as usize;
        let lost = self.is_lost(index);
        let due = match self.commit {
            Some(Commit::Resynchronized { every }) => round - self.synchronized[index] >= every,
            _ => false,
        };
        if due {
            self.synchronized[index] = round;
        }
        (lost || due).then(|| self.copies[index * self.q..][..self.q].to_vec())
    }

    fn is_lost(&self, index: usize) -> bool {
        self.lost.get(index).is_some_and(Option::is_some)
    }

    /// Client `i` takes over the V_i that the server has sent, and forgets what it had staged.
    pub fn on_memory(&mut self, i: u32, v_i: &[f64]) {
        self.committed[i as usize * self.q..][..self.q].copy_from_slice(v_i);
        self.unstage(i);
    }

    /// Client `i` has lost its state in `round`.
    pub fn on_lost(&mut self, i: u32, round: u64) {
        let Some(recovery) = self.recovery else { return };
        self.committed[i as usize * self.q..][..self.q].fill(0.0);
        self.unstage(i);
        match recovery {
            Recovery::Restore => self.lost[i as usize] = Some(round),
            Recovery::Zero => self.broken = true,
        }
    }

    fn unstage(&mut self, i: u32) {
        if let Some(staged) = self.is_staged.get_mut(i as usize) {
            *staged = false;
        }
    }

    /// Must V be the mean of the V_i?
    pub fn claims_the_mean(&self) -> bool {
        self.commit == Some(Commit::OnAcknowledgement) && !self.broken
    }

    /// Client `i` sends its contribution.
    pub fn on_send(&mut self, i: u32, alpha: f64, compressor: &dyn Compressor, encoded: &Encoded) {
        let index = i as usize;
        match self.commit {
            None => {}
            Some(Commit::OnSend | Commit::Resynchronized { .. }) => {
                compressor.add_decoded(encoded, alpha, &mut self.committed[index * self.q..][..self.q]);
            }
            Some(Commit::OnAcknowledgement) => {}
        }
        if let Some(staged) = self.staged.get_mut(index) {
            // The coded message is shorter than the vector, and most of the time it is all that is ever needed.
            staged.clone_from(encoded);
            self.is_staged[index] = true;
        }
    }

    /// The server used the contribution of client `i` that answers the broadcast of round `answers`.
    pub fn on_used(&mut self, i: u32, answers: u64, alpha: f64, compressor: &dyn Compressor, encoded: &Encoded) {
        match self.used.get_mut(i as usize) {
            Some(parity) => *parity = !*parity,
            // Nobody waits for an acknowledgement.
            None => self.unstage(i),
        }
        // What was sent before the loss proves nothing.
        if let Some(lost) = self.lost.get_mut(i as usize) {
            *lost = lost.filter(|round| answers <= *round);
        }
        if !self.copies.is_empty() {
            compressor.add_decoded(encoded, alpha, &mut self.copies[i as usize * self.q..][..self.q]);
        }
    }

    /// n⁻¹ Σ V_i written to `mean`, with what the server used and the client will commit at its next acknowledgement, and without
    /// what the client has committed and the server is going to use.
    pub fn mean(&self, alpha: f64, compressor: &dyn Compressor, mean: &mut [f64]) {
        mean.fill(0.0);
        let Some(commit) = self.commit else { return };
        for (i, row) in self.committed.chunks_exact(self.q).enumerate() {
            // Who has lost its V_i can do nothing before it has the server's copy.
            let row = if self.is_lost(i) { &self.copies[i * self.q..][..self.q] } else { row };
            mean.iter_mut().zip(row).for_each(|(mean, v)| *mean += v);
            let sign = match commit {
                _ if !self.is_staged.get(i).is_some_and(|staged| *staged) => continue,
                Commit::OnAcknowledgement if self.used[i] == self.settled[i] => continue,
                Commit::OnAcknowledgement => 1.0,
                Commit::OnSend | Commit::Resynchronized { .. } => -1.0,
            };
            compressor.add_decoded(&self.staged[i], sign * alpha, mean);
        }
        let n = f64::from(self.n);
        mean.iter_mut().for_each(|mean| *mean /= n);
    }

    /// ‖V − n⁻¹ Σ V_i‖².
    ///
    /// # Errors
    /// When memories that commit on acknowledgement have drifted by more than rounding.
    pub fn drift_sq(&self, v: &[f64], alpha: f64, compressor: &dyn Compressor) -> Result<f64, String> {
        let mut difference = vec![0.0; self.q];
        self.mean(alpha, compressor, &mut difference);
        difference.iter_mut().zip(v).for_each(|(mean, v)| *mean = v - *mean);
        let drift_sq = norm_sq(&difference);
        let rounding = ROUNDING_SQ * (self.largest_sq + norm_sq(v));
        if self.claims_the_mean() && drift_sq > rounding {
            return Err(format!(
                "the invariant V = mean V_i is broken: ‖V − mean V_i‖² = {drift_sq:e} (a defect, please report)"
            ));
        }
        Ok(drift_sq)
    }
}

/// ‖x‖² in eight interleaved sums, for a tolerance: the order of [`norm_sq`] would make every addition wait for the last.
fn size_sq(x: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (chunks, rest) = x.as_chunks::<8>();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * x);
    }
    norm_sq(rest) + sums.iter().sum::<f64>()
}
