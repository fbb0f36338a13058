//! VP-EM in a federation (Algorithm 1): clients hold the features, a server adds their terms.
//!
//! Iteration: client n computes Q^n_mk for the visited examples and sends them; the server adds the N terms (equation
//! 10) and returns the sum; every client normalizes over k and updates its θ_n. All see the same likelihood, and stop
//! together.

use fedbits_kernel::Bits;
use fedbits_models::gmm::vertical::Mixing;

use super::fit::{Fit, stopped};
use crate::collective::Collective;
use crate::error::ProtocolError;
use crate::journal::Subject;
use crate::neighbours::consensus::Terms;

/// Algorithm 1, with one client per block of the fit.
impl Collective for Fit {
    fn work(&self, iteration: u64) -> u64 {
        self.visited(iteration)
    }

    fn begin(&mut self, _iteration: u64) -> Result<(), ProtocolError> {
        let sums = Mixing::sums(self.mixture().blocks().len(), self.mixture().blocks().len());
        self.mix(0, &mut |terms, _, seen| sums.mix(terms, seen))
    }

    fn message(&mut self, _client: u32, iteration: u64) -> Result<Bits, ProtocolError> {
        Ok(Bits::new(64 * self.numbers(iteration)))
    }

    fn answers(&self) -> bool {
        true
    }

    fn last(&self, iteration: u64) -> Option<String> {
        let last = self.iterate(iteration).and_then(|iterate| iterate.last);
        last.map(|_| stopped(iteration))
    }

    fn commit(&mut self) -> Result<u64, ProtocolError> {
        let bits = 64 * self.numbers(self.visible().number + 1);
        Ok(self.show_next(2 * u64::from(self.clients()) * bits))
    }
}
