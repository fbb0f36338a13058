//! The memory V_i of one server on its cells, and when it may trust that its contribution counted: see `fedem`'s memories.

use fedbits_codec::{Compressor, Encoded};

use crate::fedem::Commit;

/// V_i as the server has committed it, and α Quant(Δ_i) that awaits its acknowledgement, or (committed on send) is on its way and
/// will be used.
pub(super) struct Memory {
    commit: Option<Commit>,
    committed: Vec<f64>,
    staged: Option<Vec<f64>>,
    /// Parities of the numbers of used (aggregator) and committed (server) contributions.
    used: bool,
    settled: bool,
    /// Will what is on its way be used, however late?
    late_counts: bool,
}

impl Memory {
    /// Zeros; without `commit` they stay zeros.
    pub fn new(cells: usize, commit: Option<Commit>) -> Self {
        Self { commit, committed: vec![0.0; cells], staged: None, used: false, settled: false, late_counts: false }
    }

    /// What is on its way will be used, however late.
    pub fn late_counts(&mut self) {
        self.late_counts = true;
    }

    /// What the server has sent will never be used. Who waits for an acknowledgement learns it from that.
    pub fn on_contribution_lost(&mut self) {
        if self.commit != Some(Commit::OnAcknowledgement) {
            self.staged = None;
        }
    }

    pub fn committed(&self) -> &[f64] {
        &self.committed
    }

    /// V_{0,i}.
    pub fn set_initial(&mut self, values: &[f64]) {
        if self.commit.is_some() {
            self.committed.copy_from_slice(values);
        }
    }

    /// The bit that a broadcast carries.
    pub fn acknowledgement(&self) -> Option<bool> {
        (self.commit == Some(Commit::OnAcknowledgement)).then_some(self.used)
    }

    /// The server learns whether its staged contribution was used.
    pub fn on_acknowledgement(&mut self, parity: bool) {
        let Some(staged) = self.staged.take() else { return };
        if parity != self.settled {
            self.committed.iter_mut().zip(staged).for_each(|(v, staged)| *v += staged);
            self.settled = parity;
        }
    }

    /// The server sends its contribution.
    pub fn on_send(&mut self, alpha: f64, compressor: &dyn Compressor, encoded: &Encoded) {
        match self.commit {
            None => {}
            // Resynchronized memories were refused when the protocol was made.
            Some(Commit::OnSend | Commit::Resynchronized { .. }) => {
                compressor.add_decoded(encoded, alpha, &mut self.committed)
            }
            Some(Commit::OnAcknowledgement) => {}
        }
        if self.commit == Some(Commit::OnAcknowledgement) || (self.late_counts && self.commit.is_some()) {
            let mut staged = vec![0.0; self.committed.len()];
            compressor.add_decoded(encoded, alpha, &mut staged);
            self.staged = Some(staged);
        }
    }

    /// The aggregator used a contribution.
    pub fn on_used(&mut self) {
        self.used = !self.used;
        self.on_contribution_lost();
    }

    /// V_i at a cell once everything that was used is committed, without what is on its way.
    pub fn settled(&self, at: usize) -> f64 {
        let Some(staged) = &self.staged else { return self.committed[at] };
        match self.commit {
            Some(Commit::OnAcknowledgement) if self.used == self.settled => self.committed[at],
            Some(Commit::OnAcknowledgement) => self.committed[at] + staged[at],
            _ => self.committed[at] - staged[at],
        }
    }
}
