//! VR-FedEM in the star: which values a client needs in a round, computed ahead where it is known, and FedEM's part around it.

use std::collections::BTreeSet;
use std::rc::Rc;

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_models::EStep;
use fedbits_random::{Purpose as Draw, Stream, Streams};

use super::cost::{self, Kept};
use super::{BatchRule, VrFedEm};
use crate::fedem::draw_batch;
use crate::journal::{Probe, Problem, State, Subject};
use crate::payload::Broadcast;
use crate::star::{Contribution, OwnPart, Received, StarAlgorithm, Step};

impl Subject for VrFedEm {
    fn problem(&self) -> &dyn Problem {
        self.fedem.problem()
    }

    fn clients(&self) -> u32 {
        self.fedem.clients()
    }

    fn state(&self) -> State<'_> {
        self.fedem.state()
    }

    fn probe(&self) -> Result<Probe, String> {
        self.fedem.probe()
    }

    fn columns(&self) -> Vec<String> {
        let mut columns = self.fedem.columns();
        columns.push("outer_loop".to_owned());
        columns
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, String> {
        let mut values = self.fedem.values(thorough)?;
        values.push(Some(self.t as f64));
        Ok(values)
    }

    fn caveats(&self) -> Vec<String> {
        self.fedem.caveats()
    }
}

impl StarAlgorithm for VrFedEm {
    fn constants_bits(&self) -> Bits {
        self.fedem.constants_bits()
    }

    fn has_initial_memory(&self) -> bool {
        self.fedem.has_initial_memory()
    }

    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>, String> {
        if round == 0 {
            return self.fedem.open_round(streams, round, cohort);
        }
        self.enter(streams, round);
        let mut body = self.fedem.open_body(streams, round)?;
        self.thetas.push((round, self.fedem.wire_theta().to_vec()));
        body.basis.clear();
        body.basis.extend(cohort.iter().map(|&i| self.basis(i, round)));
        let q = body.s_hat.len();
        // Rows of q numbers at the new Ŝ, then rows of q numbers at the Ŝ where each client's estimate stands.
        body.ahead.resize(2 * cohort.len() * q, 0.0);
        let bases: BTreeSet<Option<u64>> = body.basis.iter().copied().collect();
        for basis in bases {
            let places: Vec<usize> = (0..cohort.len()).filter(|&place| body.basis[place] == basis).collect();
            self.compute_ahead(streams, &mut body, cohort, &places, basis)?;
        }
        Ok(self.fedem.keep_body(body))
    }

    fn work(&self, i: u32, round: u64) -> u64 {
        if round == 0 { self.fedem.work(i, round) } else { self.spider.work(i) }
    }

    /// A step computes a batch at the least, and a refresh more.
    fn least_work(&self, i: u32) -> u64 {
        self.fedem.work(i, 1)
    }

    fn least_bits(&self) -> [Bits; 2] {
        self.fedem.least_bits()
    }

    fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.fedem.acknowledgement(i)
    }

    fn memory_to_send(&mut self, i: u32, round: u64) -> Option<Rc<Vec<f64>>> {
        self.fedem.memory_to_send(i, round)
    }

    fn own_part(&mut self, i: u32) -> OwnPart {
        self.fedem.own_part(i)
    }

    fn late_counts(&mut self) {
        self.fedem.late_counts();
    }

    fn on_contribution_lost(&mut self, i: u32) {
        self.fedem.on_contribution_lost(i);
    }

    fn on_state_lost(&mut self, i: u32, round: u64) {
        self.spider.forget(i);
        self.fedem.on_state_lost(i, round);
    }

    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let body = received.body;
        if body.round == 0 {
            return self.fedem.client_update(streams, i, received, out);
        }
        self.fedem.settle(i, received);
        let (q, places) = (body.s_hat.len(), body.basis.len());
        let basis = self.basis(i, body.round);
        let row = |first: usize| &body.ahead[first * q..][..q];
        let place = received.place as usize;
        let (mut now, mut before) = (Vec::new(), Vec::new());
        let statistics = if body.basis[place] == basis {
            (row(place), basis.map(|_| row(places + place)))
        } else {
            // What the client did since the broadcast was sent has moved its estimate.
            now.resize(q, 0.0);
            before.resize(q, 0.0);
            let e_step = body.conditional();
            self.statistics_at(streams, &[i], body.round, e_step, basis.is_none(), &mut now);
            if let Some(stands) = basis {
                self.statistics_at(streams, &[i], body.round, self.e_step_of(stands)?.as_ref(), false, &mut before);
            }
            (now.as_slice(), basis.map(|_| before.as_slice()))
        };
        self.plan(streams, i, body.round, basis);
        let key = self.fedem.key_of(streams, i, body.round);
        self.local_update(i, statistics, &body.s_hat, Randomness::Keyed(key), out)
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        if round > 0 {
            self.spider.commit(i);
        }
        self.fedem.on_send(streams, i, round, encoded)
    }

    fn take_initial_memories(&mut self, memories: &[Contribution]) {
        self.fedem.take_initial_memories(memories);
    }

    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.server_step(round, arrived)
    }
}

/// The minibatch of client `i` in `round`: the same draws as FedEM's.
fn stream(streams: &Streams, i: u32, round: u64) -> Stream {
    streams.at(Draw::Minibatch, u64::from(i), round)
}

impl VrFedEm {
    /// The round at whose Ŝ the increment of client `i` begins in `round`; none for a full pass: in full batches always, else when the
    /// estimate is older than this outer loop or a broadcast of an older one arrives late.
    fn basis(&self, i: u32, round: u64) -> Option<u64> {
        let full = self.settings.batch == BatchRule::Full;
        self.spider.stands(i).filter(|&stands| !full && stands >= self.began && round > stands)
    }

    /// The conditional distribution that clients had in `round` of this outer loop.
    fn e_step_of(&self, round: u64) -> Result<Box<dyn EStep>, String> {
        let place = self.thetas.binary_search_by_key(&round, |(round, _)| *round);
        let (_, theta) = &self.thetas[place.map_err(|_| format!("the parameter of round {round} is not kept"))?];
        self.fedem.federation().model().conditional(theta).map_err(|error| error.to_string())
    }

    /// Mean statistics of `clients` over their batches of `round`, or over everything.
    fn statistics_at(
        &self,
        streams: &Streams,
        clients: &[u32],
        round: u64,
        e_step: &dyn EStep,
        everything: bool,
        out: &mut [f64],
    ) {
        let (federation, rule) = (self.fedem.federation(), self.settings.batch);
        let rule = if everything { BatchRule::Full } else { rule };
        let work = clients.iter().map(|&i| rule.count(federation.size(i))).sum();
        let batch = |i: u32, indices: &mut Vec<u32>| {
            draw_batch(rule, federation.size(i), &mut stream(streams, i, round), indices)
        };
        federation.local_statistics(clients, e_step, batch, work, out);
    }

    /// The rows of the clients at `places`, whose estimates stand at `basis`.
    fn compute_ahead(
        &self,
        streams: &Streams,
        body: &mut Broadcast,
        cohort: &[u32],
        places: &[usize],
        basis: Option<u64>,
    ) -> Result<(), String> {
        let (q, round) = (body.s_hat.len(), body.round);
        let clients: Vec<u32> = places.iter().map(|&place| cohort[place]).collect();
        let mut rows = vec![0.0; clients.len() * q];
        let mut fill = |e_step: &dyn EStep, everything: bool, first: usize, ahead: &mut [f64]| {
            self.statistics_at(streams, &clients, round, e_step, everything, &mut rows);
            for (&place, row) in places.iter().zip(rows.chunks_exact(q)) {
                ahead[(first + place) * q..][..q].copy_from_slice(row);
            }
        };
        let mut ahead = std::mem::take(&mut body.ahead);
        fill(body.conditional(), basis.is_none(), 0, &mut ahead);
        if let Some(stands) = basis {
            fill(self.e_step_of(stands)?.as_ref(), false, cohort.len(), &mut ahead);
        }
        body.ahead = ahead;
        Ok(())
    }

    /// Notes what the step of client `i` costs and which values it leaves.
    fn plan(&mut self, streams: &Streams, i: u32, round: u64, basis: Option<u64>) {
        let (size, mut indices) = (self.fedem.federation().size(i), Vec::new());
        let drawn = draw_batch(self.settings.batch, size, &mut stream(streams, i, round), &mut indices);
        let first = self.spider.stands(i).is_none_or(|stands| stands < self.began);
        let work = if first || basis.is_none() && self.settings.batch != BatchRule::Full {
            cost::refresh(self.settings.previous, size, self.settings.batch)
        } else {
            cost::step(self.settings.previous, size, drawn.then_some(&indices), self.spider.kept(i))
        };
        indices.sort_unstable();
        let kept = if drawn && basis.is_some() { Kept::Batch(indices) } else { Kept::Everything };
        self.spider.plan(i, round, kept, work);
    }
}
