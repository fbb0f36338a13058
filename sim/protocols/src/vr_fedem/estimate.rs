//! A client's SPIDER estimate S_{t,k,i}: what stands, and what a step in flight will make of it.

use std::rc::Rc;

use super::cost::Kept;
use super::outer_loop::Began;
use crate::fedem::Content;

/// S_i of one client, and where it stands.
#[derive(Default)]
pub struct Estimate {
    s_i: Vec<f64>,
    staged: Vec<f64>,
    /// The broadcast at whose Ŝ the estimate stands; none before the first.
    pub(super) stands: Option<Rc<Content<Began>>>,
    /// The examples whose values there it has.
    pub(super) kept: Kept,
    /// Both after the step in flight, and the expectations that it takes.
    pub(super) next: (Option<Rc<Content<Began>>>, Kept),
    pub(super) work: u64,
}

impl Estimate {
    /// S_i; empty before the first contribution.
    pub fn s_i(&self) -> &[f64] {
        &self.s_i
    }

    /// S_i after the step in flight.
    pub fn staged(&self) -> &[f64] {
        &self.staged
    }

    /// The step: `now` alone replaces S_i, with `before` their difference is added.
    pub fn stage(&mut self, now: &[f64], before: Option<&[f64]>) {
        self.staged.clear();
        match before {
            None => self.staged.extend_from_slice(now),
            Some(before) => {
                let terms = self.s_i.iter().zip(now.iter().zip(before));
                self.staged.extend(terms.map(|(s_i, (now, before))| s_i + (now - before)));
            }
        }
    }

    /// The step is done: it stands.
    pub fn commit(&mut self) {
        std::mem::swap(&mut self.s_i, &mut self.staged);
        (self.stands, self.kept) = std::mem::take(&mut self.next);
    }
}
