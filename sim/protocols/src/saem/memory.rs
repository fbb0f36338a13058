//! The clients' memories V_i of what they have told the server, and the acknowledgement in one bit (see `star.rs`).

use super::Panel;
use crate::fedem::Commit;
use crate::journal::norm_sq;

/// All V_i. Staged vectors are held only while they wait for their acknowledgement.
pub(super) struct Memories {
    commit: Option<Commit>,
    committed: Vec<Vec<f64>>,
    staged: Vec<Option<Vec<f64>>>,
    /// What was coded but not yet sent.
    coded: Vec<Option<Vec<f64>>>,
    /// Parities of the numbers of used (server) and settled (client) contributions.
    used: Vec<bool>,
    settled: Vec<bool>,
    largest_sq: f64,
}

impl Memories {
    /// V_{0,i} = w_i × `first`.
    pub fn new(panel: &Panel, commit: Option<Commit>, first: &[f64]) -> Self {
        let n = if commit.is_some() { panel.clients() } else { 0 };
        let row = |i: u32| first.iter().map(|x| panel.weight(i) * x).collect();
        let none = || vec![None; n as usize];
        Self {
            commit,
            committed: (0..n).map(row).collect(),
            staged: none(),
            coded: none(),
            used: vec![false; n as usize],
            settled: vec![false; n as usize],
            largest_sq: 0.0,
        }
    }

    /// V_i as the client knows it; empty without memory.
    pub fn committed(&self, i: u32) -> &[f64] {
        self.committed.get(i as usize).map_or(&[], Vec::as_slice)
    }

    /// Client `i` has coded a contribution that will add `staged` to V_i.
    pub fn stage(&mut self, i: u32, staged: Vec<f64>) {
        self.coded[i as usize] = Some(staged);
    }

    /// Client `i` begins to send what it coded.
    pub fn on_send(&mut self, i: u32) {
        let Some(coded) = self.coded.get_mut(i as usize).and_then(Option::take) else { return };
        self.largest_sq = self.largest_sq.max(norm_sq(&coded));
        match self.commit {
            Some(Commit::OnSend) => add(&mut self.committed[i as usize], &coded),
            _ => self.staged[i as usize] = Some(coded),
        }
    }

    /// The bit that a broadcast carries for client `i`.
    pub fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.used.get(i as usize).copied().filter(|_| self.commit == Some(Commit::OnAcknowledgement))
    }

    /// Client `i` learns whether its staged contribution was used.
    pub fn on_acknowledgement(&mut self, i: u32, parity: bool) {
        let index = i as usize;
        if let Some(staged) = self.staged[index].take().filter(|_| parity != self.settled[index]) {
            add(&mut self.committed[index], &staged);
            self.settled[index] = parity;
        }
    }

    /// The server used a contribution of client `i`.
    pub fn on_used(&mut self, i: u32) {
        if let Some(parity) = self.used.get_mut(i as usize) {
            *parity = !*parity;
        }
    }

    /// The largest ‖α C(·)‖² so far: the size of what was rounded.
    pub fn largest_sq(&self) -> f64 {
        self.largest_sq
    }

    /// ‖V − n⁻¹ Σ V_i‖², counting what the server used and the client will commit at its next acknowledgement.
    pub fn drift_sq(&self, v: &[f64]) -> f64 {
        let mut mean = vec![0.0; v.len()];
        for (i, row) in self.committed.iter().enumerate() {
            add(&mut mean, row);
            if self.commit == Some(Commit::OnAcknowledgement)
                && self.used[i] != self.settled[i]
                && let Some(staged) = &self.staged[i]
            {
                add(&mut mean, staged);
            }
        }
        let n = self.committed.len() as f64;
        let difference: Vec<f64> = mean.iter().zip(v).map(|(mean, v)| v - mean / n).collect();
        norm_sq(&difference)
    }
}

fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, x)| *to += x);
}
