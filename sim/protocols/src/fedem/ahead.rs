//! When the host computes the statistics of a cohort: all of them ahead on all cores, or each when its client needs it.
//!
//! Statistics of many clients that are computed ahead leave the caches before they are used. Where one thread does all
//! the work anyway, a client's is computed when the broadcast has reached it. The numbers are the same: what a
//! statistic depends on was fixed when the broadcast was sent.

use std::cell::RefCell;

use fedbits_models::{Batch, Scratch};

use super::task::{Content, Task};
use crate::payload::{Ahead, Rows};

/// The statistics of a cohort are computed ahead when they take no more numbers than this (1 MiB): so many stay in a
/// second-level cache.
const FEW: usize = 1 << 17;

/// The statistics of a cohort: a row for each client, or working memory for one at a time.
#[derive(Default)]
pub struct Statistics {
    rows: Rows,
    later: bool,
    memory: RefCell<Memory>,
}

/// Working memory, so that clients allocate nothing of size q.
#[derive(Default)]
struct Memory {
    indices: Vec<u32>,
    statistic: Vec<f64>,
    scratch: Scratch,
}

/// What one client sees.
pub struct Own<'a>(Source<'a>);

enum Source<'a> {
    Row(&'a [f64]),
    Later(&'a RefCell<Memory>),
}

impl Ahead for Statistics {
    type Own<'a> = Own<'a>;

    fn share(&self, position: usize) -> Own<'_> {
        Own(if self.later { Source::Later(&self.memory) } else { Source::Row(self.rows.share(position)) })
    }
}

impl Statistics {
    /// Computes the statistics of `cohort`, if they are to be computed ahead.
    pub(super) fn compute(&mut self, task: &Task<'_>, content: &Content<()>, cohort: &[u32]) {
        let (q, everything) = (content.s_hat.len(), task.round == 0);
        let is_batched = content.e_step().batched().is_some();
        self.later = !is_batched && cohort.len() * q > FEW && task.is_for_one_thread(cohort, everything);
        if !self.later {
            task.statistics(cohort, content.e_step(), everything, self.rows.resize(cohort.len(), q));
        }
    }
}

impl Own<'_> {
    /// `then` looks at the statistic of client `i`.
    pub(super) fn look(self, task: &Task<'_>, i: u32, content: &Content<()>, then: impl FnOnce(&[f64])) {
        match self.0 {
            Source::Row(row) => then(row),
            Source::Later(memory) => {
                let Memory { indices, statistic, scratch } = &mut *memory.borrow_mut();
                let drawn = task.draw(i, task.round == 0, indices);
                let batch = if drawn { Batch::Indices(indices) } else { Batch::All };
                statistic.resize(content.s_hat.len(), 0.0);
                content.e_step().mean_statistics(task.federation.examples(i), batch, scratch, statistic);
                then(statistic);
            }
        }
    }
}
