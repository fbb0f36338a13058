//! The clients' memories V_i, and when a client may trust that its contribution counted.
//!
//! The server adds (α/n) Quant(Δ_i) to V for every contribution that it *used*; client i adds α Quant(Δ_i) to V_i. If one of
//! them does and the other does not, V and the mean of the V_i drift apart for good and the limit is biased (algorithms: 1.1).

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
}

/// All V_i, n rows of q numbers.
pub(super) struct Memories {
    q: usize,
    n: u32,
    commit: Option<Commit>,
    committed: Vec<f64>,
    /// α Quant(Δ_i) that awaits its acknowledgement.
    staged: Vec<f64>,
    is_staged: Vec<bool>,
    /// Parities of the numbers of used (server) and committed (client) contributions; they differ by at most one.
    used: Vec<bool>,
    settled: Vec<bool>,
    /// The largest ‖V_{0,i}‖² or ‖α Quant(Δ_i)‖² so far: the size of what was rounded.
    largest_sq: f64,
    zero: Vec<f64>,
}

impl Memories {
    /// `commit`: none for the variant without memory, which costs no space.
    pub fn new(n: u32, q: usize, commit: Option<Commit>) -> Self {
        let rows = |kept: bool| vec![0.0; if kept { n as usize * q } else { 0 }];
        let acknowledged = commit == Some(Commit::OnAcknowledgement);
        let flags = || vec![false; if acknowledged { n as usize } else { 0 }];
        Self {
            q,
            n,
            commit,
            committed: rows(commit.is_some()),
            staged: rows(acknowledged),
            is_staged: flags(),
            used: flags(),
            settled: flags(),
            largest_sq: 0.0,
            zero: vec![0.0; q],
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

    /// When clients commit; none without memory.
    pub fn commit(&self) -> Option<Commit> {
        self.commit
    }

    /// All V_{0,i} are set.
    pub fn on_initial(&mut self) {
        let rows = self.committed.chunks_exact(self.q);
        self.largest_sq = rows.map(norm_sq).fold(self.largest_sq, f64::max);
    }

    /// The bit that a broadcast carries for client `i`.
    pub fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.used.get(i as usize).copied()
    }

    /// Client `i` learns whether its staged contribution was used.
    pub fn on_acknowledgement(&mut self, i: u32, parity: bool) {
        let index = i as usize;
        if self.is_staged[index] && parity != self.settled[index] {
            let row = index * self.q..(index + 1) * self.q;
            for (v, staged) in self.committed[row.clone()].iter_mut().zip(&self.staged[row]) {
                *v += staged;
            }
            self.settled[index] = parity;
        }
        self.is_staged[index] = false;
    }

    /// Client `i` sends its contribution.
    pub fn on_send(&mut self, i: u32, alpha: f64, compressor: &dyn Compressor, encoded: &Encoded) {
        let row = i as usize * self.q..(i as usize + 1) * self.q;
        match self.commit {
            None => {}
            Some(Commit::OnSend) => compressor.add_decoded(encoded, alpha, &mut self.committed[row]),
            Some(Commit::OnAcknowledgement) => {
                let staged = &mut self.staged[row];
                staged.fill(0.0);
                compressor.add_decoded(encoded, alpha, staged);
                self.largest_sq = self.largest_sq.max(norm_sq(staged));
                self.is_staged[i as usize] = true;
            }
        }
    }

    /// The server used a contribution of client `i`.
    pub fn on_used(&mut self, i: u32) {
        if let Some(parity) = self.used.get_mut(i as usize) {
            *parity = !*parity;
        }
    }

    /// n⁻¹ Σ V_i written to `mean`, with what the server used and the client will commit at its next acknowledgement.
    pub fn mean(&self, mean: &mut [f64]) {
        mean.fill(0.0);
        let Some(commit) = self.commit else { return };
        for (i, row) in self.committed.chunks_exact(self.q).enumerate() {
            mean.iter_mut().zip(row).for_each(|(mean, v)| *mean += v);
            if commit == Commit::OnAcknowledgement && self.is_staged[i] && self.used[i] != self.settled[i] {
                let staged = &self.staged[i * self.q..][..self.q];
                mean.iter_mut().zip(staged).for_each(|(mean, v)| *mean += v);
            }
        }
        let n = f64::from(self.n);
        mean.iter_mut().for_each(|mean| *mean /= n);
    }

    /// ‖V − n⁻¹ Σ V_i‖².
    ///
    /// # Errors
    /// When memories that commit on acknowledgement have drifted by more than rounding.
    pub fn drift_sq(&self, v: &[f64]) -> Result<f64, String> {
        let mut difference = vec![0.0; self.q];
        self.mean(&mut difference);
        difference.iter_mut().zip(v).for_each(|(mean, v)| *mean = v - *mean);
        let drift_sq = norm_sq(&difference);
        let rounding = ROUNDING_SQ * (self.largest_sq + norm_sq(v));
        if self.commit == Some(Commit::OnAcknowledgement) && drift_sq > rounding {
            return Err(format!(
                "the invariant V = mean V_i is broken: ‖V − mean V_i‖² = {drift_sq:e} (a defect, please report)"
            ));
        }
        Ok(drift_sq)
    }
}
