//! The memory V_i of one server on its cells: see `fedem`'s memories.

use fedbits_codec::{Compressor, Encoded};

use crate::fedem::Commit;
use crate::state::norm_sq;

/// V_i as the server has committed it, and α Quant(Δ_i) that awaits its acknowledgement.
pub struct ObserverMemory {
    committed: Vec<f64>,
    staged: Option<Vec<f64>>,
    /// The largest ‖V_i‖² that was ever committed, and ‖α Quant(Δ_i)‖²: the size of what was rounded.
    largest_sq: f64,
}

impl ObserverMemory {
    /// Zeros; without memory they stay zeros.
    pub(super) fn new(cells: usize) -> Self {
        Self { committed: vec![0.0; cells], staged: None, largest_sq: 0.0 }
    }

    /// V_i.
    pub fn committed(&self) -> &[f64] {
        &self.committed
    }

    pub(super) fn largest_sq(&self) -> f64 {
        self.largest_sq
    }

    /// V_{0,i}.
    pub(super) fn set_initial(&mut self, values: impl Iterator<Item = f64>) {
        self.committed.iter_mut().zip(values).for_each(|(v, value)| *v = value);
        self.largest_sq = self.largest_sq.max(norm_sq(&self.committed));
    }

    /// The server learns whether its staged contribution was used.
    pub(super) fn on_acknowledgement(&mut self, used: bool) {
        if let Some(staged) = self.staged.take().filter(|_| used) {
            self.committed.iter_mut().zip(staged).for_each(|(v, staged)| *v += staged);
            self.largest_sq = self.largest_sq.max(norm_sq(&self.committed));
        }
    }

    /// The server sends its contribution.
    pub(super) fn on_send(&mut self, commit: Commit, alpha: f64, compressor: &dyn Compressor, encoded: &Encoded) {
        match commit {
            // Resynchronized memories were refused when the protocol was made.
            Commit::OnSend | Commit::Resynchronized { .. } => {
                compressor.add_decoded(encoded, alpha, &mut self.committed);
                self.largest_sq = self.largest_sq.max(norm_sq(&self.committed));
            }
            Commit::OnAcknowledgement => {
                let mut staged = vec![0.0; self.committed.len()];
                compressor.add_decoded(encoded, alpha, &mut staged);
                self.largest_sq = self.largest_sq.max(norm_sq(&staged));
                self.staged = Some(staged);
            }
        }
    }

    /// V_i at a cell, with what the server will commit at its next acknowledgement (`unsettled`).
    pub(super) fn settled(&self, at: usize, unsettled: bool) -> f64 {
        let staged = self.staged.as_ref().filter(|_| unsettled);
        self.committed[at] + staged.map_or(0.0, |staged| staged[at])
    }
}
