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

mod cost;
mod outer_loop;
mod settings;

use std::collections::BTreeMap;
use std::rc::Rc;

use fedbits_random::Streams;

pub use cost::Previous;
pub(crate) use cost::mean as mean_cost;
pub use outer_loop::{Began, InnerSteps, OuterLoop};
pub use settings::{Spider, VarianceReduction};

use crate::error::Result;
use crate::fedem::{BatchRule, Content, LocalRule, Task, draw_batch};
use crate::payload::{Ahead, Rows};
use cost::Kept;

/// The name of its column of `rounds.csv`.
pub(crate) const OUTER_LOOP: &str = "outer_loop";

/// A client's SPIDER estimate S_{t,k,i}: what stands, and what a step in flight will make of it.
#[derive(Default)]
pub struct Estimate {
    /// S_i; empty before the first contribution.
    pub s_i: Vec<f64>,
    /// S_i after the step in flight.
    pub staged: Vec<f64>,
    /// The broadcast at whose Ŝ the estimate stands; none before the first.
    stands: Option<Rc<Content<Began>>>,
    /// The examples whose values there it has.
    kept: Kept,
    /// Both after the step in flight, and the expectations that it takes.
    next: (Option<Rc<Content<Began>>>, Kept),
    work: u64,
}

impl Estimate {
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

/// The broadcast at whose Ŝ an increment begins.
type Basis<'a> = &'a Rc<Content<Began>>;

/// What the host computes ahead: statistics at the new Ŝ, and at the Ŝ where each client's estimate stands.
#[derive(Debug, Default)]
pub struct SpiderAhead {
    now: Rows,
    before: Rows,
    /// Per receiver, the round at whose Ŝ its increment begins; none for a full pass.
    basis: Vec<Option<u64>>,
}

/// The values of one client.
#[derive(Clone, Copy, Debug)]
pub struct SpiderOwn<'a> {
    now: &'a [f64],
    before: &'a [f64],
    basis: Option<u64>,
}

impl Ahead for SpiderAhead {
    type Own<'a> = SpiderOwn<'a>;

    fn share(&self, position: usize) -> SpiderOwn<'_> {
        SpiderOwn { now: self.now.share(position), before: self.before.share(position), basis: self.basis[position] }
    }
}

impl SpiderAhead {
    /// For the clients of `cohort`, whose increments begin at `basis`; those with the same basis together.
    fn compute<'a>(
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

impl Spider {
    /// The content at whose Ŝ the increment of client `i` begins; none for a full pass: in full batches always, and
    /// when the estimate is older than the outer loop of the broadcast.
    fn basis<'a>(task: &Task<'_>, client: &'a Estimate, content: &Content<Began>) -> Option<Basis<'a>> {
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
        ahead: SpiderOwn<'_>,
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
        then(&client.staged);
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
