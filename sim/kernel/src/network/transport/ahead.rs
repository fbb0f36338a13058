//! Fetches what is kept of the transfers that are likely to complete soon, before they do.

use fedbits_memory::prefetch;

use super::{Transmission, TransportLayer};
use crate::network::{Network, STRIDE, Transfer};

impl TransportLayer {
    /// Where a transmission lies is known when its flow has been fetched, its connection when it has been itself: each step
    /// fetches the next of these of another transfer, so that nobody waits.
    pub(super) fn fetch_ahead(&self) {
        self.inner.look_ahead();
        let flow = self.inner.ahead(4 * STRIDE).and_then(|flow| self.carried.get(flow.0 as usize));
        flow.into_iter().for_each(prefetch);
        let transmission = |places| self.ahead(places).map(|slot| &self.transmissions[slot.0 as usize]);
        if let Some(transmission) = transmission(3 * STRIDE) {
            prefetch(transmission);
            prefetch(&transmission.outcome);
            prefetch(&transmission.state);
        }
        if let Some(&Transmission { transfer: Transfer { from, to, .. }, .. }) = transmission(2 * STRIDE) {
            self.opened.prefetch_place(from.max(to));
            self.routes.prefetch(&[from.max(to)]);
        }
        if let Some(&Transmission { transfer: Transfer { from, to, .. }, .. }) = transmission(STRIDE) {
            self.opened.prefetch(&[from.max(to)]);
        }
    }
}
