//! The memory V_i of one server on its cells, and when it may trust that its contribution counted: see `fedem`'s memories.

use fedbits_codec::{Compressor, Encoded};

use crate::fedem::Commit;

/// V_i as the server has committed it, and α Quant(Δ_i) that awaits its acknowledgement.
pub(super) struct Memory {
    commit: Option<Commit>,
    committed: Vec<f64>,
    staged: Option<Vec<f64>>,
    /// Parities of the numbers of used (aggregator) and committed (server) contributions.
    used: bool,
    settled: bool,
}

impl Memory {
    /// Zeros; without `commit` they stay zeros.
    pub fn new(cells: usize, commit: Option<Commit>) -> Self {
        Self { commit, committed: vec![0.0; cells], staged: None, used: false, settled: false }
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
            Some(Commit::OnAcknowledgement) => {
                let mut staged = vec![0.0; self.committed.len()];
                compressor.add_decoded(encoded, alpha, &mut staged);
                self.staged = Some(staged);
            }
        }
    }

    /// The aggregator used a contribution.
    pub fn on_used(&mut self) {
        self.used = !self.used;
    }

    /// V_i at a cell once everything that was used is committed.
    pub fn settled(&self, at: usize) -> f64 {
        let staged = self.staged.as_ref().filter(|_| self.used != self.settled);
        self.committed[at] + staged.map_or(0.0, |staged| staged[at])
    }
}
