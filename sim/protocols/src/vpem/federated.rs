//! VP-EM in a federation (Algorithm 1): clients hold the features, a server adds their terms.
//!
//! Iteration: client n computes Q^n_mk for the visited examples and sends them; the server adds the N terms (equation
//! 10) and returns the sum; every client normalizes over k and updates its θ_n. All see the same likelihood, and stop
//! together. Messages can be compressed in both directions (`surrogates`).

use std::collections::VecDeque;

use fedbits_kernel::Bits;
use fedbits_models::gmm::vertical::Mixing;
use fedbits_random::Streams;
use fedbits_spec::Caveat;

use super::fit::{COLUMNS, Fit, stopped};
use super::surrogates::{Messages, TermsExchange};
use crate::collective::Collective;
use crate::error::Result;
use crate::journal::Subject;
use crate::neighbours::consensus::Terms;
use crate::problem::Problem;
use crate::state::{Probe, State};

/// Algorithm 1, with one client per block of the fit.
pub struct FederatedVpEm {
    fit: Fit,
    /// None where terms and sums travel as they are.
    exchange: Option<TermsExchange>,
    /// The messages of iterations that have begun, the newest last.
    begun: VecDeque<Messages>,
    visible: Messages,
}

impl FederatedVpEm {
    /// Of the blocks of `fit`. `audit`: every coded message is checked bit by bit.
    pub fn new(fit: Fit, audit: bool, streams: Streams) -> Self {
        let (settings, mixture) = (&fit.settings, &fit.mixture);
        let sizes = (mixture.blocks().len(), mixture.examples(), mixture.components());
        let exchange = settings.compresses().then(|| TermsExchange::new(settings, sizes, audit, streams));
        Self { fit, exchange, begun: VecDeque::new(), visible: Messages::default() }
    }

    fn newest(&self) -> &Messages {
        self.begun.back().unwrap_or(&self.visible)
    }
}

/// Messages of 64 bits per number: clients send the terms of the blocks that they have, and get the sums of all.
fn whole(fit: &Fit, iteration: u64) -> Messages {
    let (visited, trained) = (fit.next_examples(), fit.trained());
    let examples = fit.mixture.examples() as u64;
    let first = if iteration == 1 { fit.settings.missing_blocks.mask_bits(examples) } else { [0; 2] };
    let count = |block| visited.iter().filter(|&&m| trained.has(block, m)).count();
    let bits = |examples: usize| 64 * (examples * trained.components()) as u64;
    let up = (0..trained.blocks().len()).map(|block| first[0] + bits(count(block))).collect();
    Messages { up, down: first[1] + bits(visited.len()), ..Messages::default() }
}

impl Collective for FederatedVpEm {
    fn work(&self, iteration: u64) -> u64 {
        self.fit.visited(iteration)
    }

    fn begin(&mut self, iteration: u64) -> Result<()> {
        let clients = self.fit.mixture.blocks().len();
        let Some(exchange) = &mut self.exchange else {
            self.begun.push_back(whole(&self.fit, iteration));
            let sums = Mixing::sums(clients, clients);
            return self.fit.mix(0, &mut |terms, _, seen| sums.mix(terms, seen));
        };
        let (terms, visited) = (self.fit.terms()?, self.fit.next_examples());
        let sent = exchange.send(iteration, &terms, &visited);
        self.begun.push_back(sent.map_err(|error| error.at(format_args!("iteration {iteration}")))?);
        let mut rest = &visited[..];
        self.fit.mix(0, &mut |terms, used, seen| {
            let (now, later) = rest.split_at(used);
            exchange.see(now, terms, seen);
            rest = later;
        })
    }

    fn message(&mut self, client: u32, _iteration: u64) -> Result<Bits> {
        Ok(Bits::new(self.newest().up[client as usize]))
    }

    fn answer(&self) -> Option<Bits> {
        Some(Bits::new(self.newest().down))
    }

    fn last(&self, iteration: u64) -> Option<String> {
        let last = self.fit.iterate(iteration).and_then(|iterate| iterate.last);
        last.map(|_| stopped(iteration))
    }

    fn commit(&mut self) -> Result<u64> {
        self.visible = self.begun.pop_front().expect("an iteration is begun before it is finished");
        let Messages { up, down, .. } = &self.visible;
        Ok(self.fit.show_next(up.iter().sum::<u64>() + down * up.len() as u64))
    }
}

/// Names of the columns with compressed messages: root mean square of what clients miss of Σ_n Q^n, and the same of
/// Ĝ^n − Q^n; what clients have sent by the conventions of the literature.
pub(super) const COMPRESSED_COLUMNS: [&str; 8] = {
    let [likelihood, spread, bits] = COLUMNS;
    let [dense, free, entropy] = ["bits_up_dense32", "bits_up_indices_free", "bits_up_entropy"];
    [likelihood, spread, bits, "consensus_error", "surrogate_error", dense, free, entropy]
};

impl Subject for FederatedVpEm {
    fn problem(&self) -> &dyn Problem {
        &self.fit
    }

    fn state(&self) -> State<'_> {
        self.fit.state()
    }

    fn probe(&self) -> Result<Probe> {
        self.fit.probe()
    }

    fn columns(&self) -> Vec<String> {
        let columns = if self.exchange.is_some() { &COMPRESSED_COLUMNS[..] } else { &COLUMNS };
        columns.iter().map(|&name| name.to_owned()).collect()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>> {
        let mut values = self.fit.values(thorough)?;
        if self.exchange.is_some() {
            let (now, Messages { counts, surrogate_error, .. }) = (&self.fit.visible, &self.visible);
            let errors = [now.consensus_error, *surrogate_error].map(|error| (now.number > 0).then_some(error));
            values.extend(errors);
            values.extend([counts.dense32 as f64, counts.indices_free as f64, counts.entropy].map(Some));
        }
        Ok(values)
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.fit.caveats()
    }
}
