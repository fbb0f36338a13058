//! Access links whose rates vary: a change moves the caps of the flows on one of them. Links without flows are not
//! looked at. This file must not know windows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::StarFairShare;
use super::parts::Varying;
use crate::network::fair_share::BIT_DUST;
use crate::network::fair_share::level::{Flow, State};
use crate::network::fair_share::moment::Moment;
use crate::network::{LinkId, VaryingRate};

impl StarFairShare {
    /// Lets the rates of access links vary.
    ///
    /// # Panics
    /// If one of them is the server's.
    #[must_use]
    pub fn varying(self, rates: Arc<BTreeMap<LinkId, VaryingRate>>) -> Self {
        assert!(rates.keys().all(|link| link.0 > 1), "the server's link has one rate");
        Self { varying: Varying { rates, ..Varying::default() }, ..self }
    }

    /// The present rate of an access link with flows, in bit/s.
    pub(super) fn access_rate(&self, client: u32, inbound: bool) -> f64 {
        let watched = self.varying.watched.get(&(client, inbound));
        watched.copied().unwrap_or_else(|| self.clients[client as usize].rate(inbound))
    }

    /// A flow is about to run over an access link: its cap is what that lets through now.
    pub(super) fn watch(&mut self, slot: u32, at: Moment) {
        let Flow { client, inbound, .. } = self.slots.flows[slot as usize];
        if !self.varying.watched.contains_key(&(client, inbound)) {
            self.varying.read(client, inbound, at);
        }
        self.slots.flows[slot as usize].cap = self.access_rate(client, inbound);
    }

    /// A flow whose cap is 0 has `remaining` bits to send.
    pub(super) fn stall(&mut self, slot: u32, remaining: f64) {
        self.slots.flows[slot as usize].enter(State::Stalled);
        self.varying.stalled.insert(slot, remaining);
    }

    /// The rate of an access link changes; its level must have been moved to now.
    pub(super) fn change_rate(&mut self, client: u32, inbound: bool, at: Moment) {
        self.varying.changes.pop_front();
        self.varying.watched.remove(&(client, inbound));
        let latest = self.clients[client as usize].latest[usize::from(inbound)].map(|slot| slot.get() - 1);
        let running = self.running(client, inbound, latest);
        if running.is_empty() {
            return;
        }
        let Some(rate) = self.varying.read(client, inbound, at) else { return };
        let cap = rate / running.len() as f64;
        for slot in running {
            let remaining = self.withdraw(slot, State::Waiting);
            // What rounding has left of a last bit does not wait for the end of an outage.
            if cap > 0.0 || remaining >= BIT_DUST {
                self.slots.flows[slot as usize].cap = cap;
            }
            self.join(slot, remaining);
        }
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
    }
}
