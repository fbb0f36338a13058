//! What the host computes ahead for the clients of VR-FedEM: two statistics each, and where the second was taken.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::outer_loop::Began;
use crate::fedem::{Content, Task};
use crate::payload::{Ahead, Rows};

/// The broadcast at whose Ŝ an increment begins.
type Basis<'a> = &'a Rc<Content<Began>>;

/// Statistics at the new Ŝ, and at the Ŝ where each client's estimate stands.
#[derive(Debug, Default)]
pub struct SpiderAhead {
    now: Rows,
    before: Rows,
    /// Per receiver, the round at whose Ŝ its increment begins; none for a full pass.
    basis: Vec<Option<u64>>,
}

/// The values of one client.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    pub(super) now: &'a [f64],
    pub(super) before: &'a [f64],
    pub(super) basis: Option<u64>,
}

impl Ahead for SpiderAhead {
    type Own<'a> = Own<'a>;

    fn share(&self, position: usize) -> Own<'_> {
        Own { now: self.now.share(position), before: self.before.share(position), basis: self.basis[position] }
    }
}

impl SpiderAhead {
    /// For the clients of `cohort`, whose increments begin at `basis`; those with the same basis together.
    pub(super) fn compute<'a>(
        &mut self,
        task: &Task<'_>,
        content: &Content<Began>,
        cohort: &[u32],
        basis: impl Fn(u32) -> Option<Basis<'a>>,
    ) {
        let q = content.s_hat.len();
        let (now, before) = (self.now.resize(cohort.len(), q), self.before.resize(cohort.len(), q));
        self.basis.clear();
        let mut groups: BTreeMap<Option<u64>, (Option<Basis<'_>>, Vec<usize>)> = BTreeMap::new();
        for (position, &i) in cohort.iter().enumerate() {
            let basis = basis(i);
            let round = basis.map(|basis| basis.round);
            self.basis.push(round);
            groups.entry(round).or_insert((basis, Vec::new())).1.push(position);
        }
        for (basis, positions) in groups.values() {
            let clients: Vec<u32> = positions.iter().map(|&position| cohort[position]).collect();
            let mut rows = vec![0.0; clients.len() * q];
            let mut fill = |content: &Content<Began>, everything: bool, out: &mut [f64]| {
                task.statistics(&clients, content.e_step(), everything, &mut rows);
                for (&position, row) in positions.iter().zip(rows.chunks_exact(q)) {
                    out[position * q..][..q].copy_from_slice(row);
                }
            };
            fill(content, basis.is_none(), now);
            if let Some(basis) = basis {
                fill(basis, false, before);
            }
        }
    }
}
