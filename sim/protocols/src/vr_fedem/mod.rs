//! VR-FedEM: Algorithm 2 of Dieuleveut, Fort, Moulines and Robin (NeurIPS 2021). FedEM whose local statistics are
//! SPIDER estimators.
//!
//! ```text
//! outer loop t:         S_{t,0,i}   = s̄_i(T(Ŝ_{t,0}))                                        all m_i examples
//! inner step k, client: S_{t,k+1,i} = S_{t,k,i} + batch mean of s̄_ij(T(Ŝ_{t,k})) − s̄_ij(T(Ŝ_{t,k−1}))
//!                       Δ = w_i (S_{t,k+1,i} − Ŝ_{t,k}) − V_{t,k,i}, Quant, V_i and the server: as in FedEM
//! ```
//!
//! | symbol | here | |
//! |---|---|---|
//! | S_{t,k,i} | [`Estimate`] | client i's estimate of s̄_i(T(Ŝ)) |
//! | k_in | [`InnerSteps`] | inner steps of an outer loop: fixed, or geometric with that mean (Geom-SPIDER-EM) |
//! | b | [`BatchRule`] | minibatch of an inner step |
//!
//! With Ŝ_{t,−1} = Ŝ_{t,0} the increment of the first inner step is zero: it sends the refreshed statistic. So the
//! refresh is the local work of that step, and needs no message of its own. With b = m the increments telescope to
//! S_{t,k+1,i} = s̄_i(T(Ŝ_{t,k})), which is what is computed then: FedEM's full-batch run, bit for bit.
//!
//! **Partial participation is ours**: the paper defines VR-FedEM for full participation. A client remembers the round
//! at whose Ŝ its estimate stands; when it takes part again the increment bridges the gap, and if the gap contains a
//! refresh it makes its full pass then. With full participation this is Algorithm 2. SPIDER-EM is the case n = 1, ω =
//! 0.

mod ahead;
mod cost;
mod estimate;
mod outer_loop;
mod settings;

use std::rc::Rc;

use fedbits_random::Streams;

pub use cost::Previous;
pub(crate) use cost::mean as mean_cost;
pub use estimate::Estimate;
pub use outer_loop::{Began, InnerSteps, OuterLoop};
pub use settings::{Spider, VarianceReduction};

use crate::error::Result;
use crate::fedem::{BatchRule, Content, LocalRule, Task, draw_batch};
use ahead::{Own, SpiderAhead};
use cost::Kept;

/// The name of its column of `rounds.csv`.
pub(crate) const OUTER_LOOP: &str = "outer_loop";

impl Spider {
    /// The content at whose Ŝ the increment of client `i` begins; none for a full pass: in full batches always, and
    /// when the estimate is older than the outer loop of the broadcast.
    fn basis<'a>(task: &Task<'_>, client: &'a Estimate, content: &Content<Began>) -> Option<&'a Rc<Content<Began>>> {
        let (full, began) = (task.batch == BatchRule::All || task.round == 0, content.local.0);
        client.stands.as_ref().filter(|stands| !full && stands.round >= began && task.round > stands.round)
    }

    /// What the step of client `i` costs, and which values it leaves.
    fn cost(&self, task: &Task<'_>, i: u32, client: &Estimate, content: &Content<Began>) -> (u64, Kept) {
        let (size, mut indices) = (task.federation.size(i), Vec::new());
        let drawn = draw_batch(task.batch, size, &mut task.stream(i), &mut indices);
        let basis = Self::basis(task, client, content);
        let first = client.stands.as_ref().is_none_or(|stands| stands.round < content.local.0);
        let work = if first || basis.is_none() && task.batch != BatchRule::All {
            cost::refresh(self.previous, size, task.batch)
        } else {
            cost::step(self.previous, size, drawn.then_some(&indices), &client.kept)
        };
        let kept = match self.previous {
            Previous::Recomputed => Kept::Nothing,
            Previous::Cached if drawn && basis.is_some() => {
                indices.sort_unstable();
                Kept::Batch(indices)
            }
            Previous::Cached => Kept::Everything,
        };
        (work, kept)
    }
}

impl LocalRule for Spider {
    type Server = OuterLoop;
    type Client = Estimate;
    type Content = Began;
    type Ahead = SpiderAhead;

    fn open(&self, server: &mut OuterLoop, streams: &Streams, round: u64) -> Began {
        server.open(self.inner, streams, round)
    }

    fn compute_ahead<'a>(
        &self,
        task: &Task<'_>,
        content: &Content<Began>,
        cohort: &[u32],
        client: impl Fn(u32) -> &'a Estimate,
        ahead: &mut SpiderAhead,
    ) -> Result<()> {
        ahead.compute(task, content, cohort, |i| Self::basis(task, client(i), content));
        Ok(())
    }

    fn estimate(
        &self,
        task: &Task<'_>,
        i: u32,
        client: &mut Estimate,
        content: &Rc<Content<Began>>,
        ahead: Own<'_>,
        then: impl FnOnce(&[f64]),
    ) -> Result<()> {
        if task.round == 0 {
            then(ahead.now);
            return Ok(());
        }
        let (work, kept) = self.cost(task, i, client, content);
        let basis = Self::basis(task, client, content).cloned();
        if basis.as_ref().map(|basis| basis.round) == ahead.basis {
            client.stage(ahead.now, basis.map(|_| ahead.before));
        } else {
            // What the client did since the broadcast was sent has moved its estimate.
            let (mut now, mut before) = (vec![0.0; content.s_hat.len()], vec![0.0; content.s_hat.len()]);
            task.statistics(&[i], content.e_step(), basis.is_none(), &mut now);
            if let Some(basis) = &basis {
                task.statistics(&[i], basis.e_step(), false, &mut before);
            }
            client.stage(&now, basis.map(|_| &before[..]));
        }
        client.next = (Some(Rc::clone(content)), kept);
        client.work = work;
        then(client.staged());
        Ok(())
    }

    fn work(&self, _batch: BatchRule, _size: u32, client: &Estimate) -> u64 {
        client.work
    }

    fn on_send(&self, client: &mut Estimate) {
        client.commit();
    }

    fn column(&self) -> Option<&'static str> {
        Some(OUTER_LOOP)
    }

    fn value(&self, server: &OuterLoop) -> Option<f64> {
        Some(server.t as f64)
    }
}
