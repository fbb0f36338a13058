//! Access links whose rates vary: a change moves the caps of the flows on one of them. Links without flows are not looked
//! at. This file must not know windows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Next, StarFairShare, Upcoming};
use crate::network::fair_share::level::{Flow, State};
use crate::network::fair_share::moment::Moment;
use crate::network::{LinkId, Piece, VaryingRate};
use crate::queue::ladder::{Entry, Ladder};
use crate::{Rate, Time};

/// The rates that vary, and what waits for them.
#[derive(Debug, Default)]
pub(super) struct Varying {
    /// By the links of the star.
    rates: Arc<BTreeMap<LinkId, VaryingRate>>,
    /// Access links with flows, by client and direction (inbound or not), and their present rates in bit/s.
    watched: BTreeMap<(u32, bool), f64>,
    /// The next changes of these: slots are clients, generations are 1 for inbound and else 0.
    changes: Ladder,
    /// What flows have yet to send whose access link lets nothing through, by slot.
    stalled: BTreeMap<u32, f64>,
}

impl Varying {
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        !self.rates.is_empty()
    }

    fn of(&self, client: u32, inbound: bool) -> Option<&VaryingRate> {
        self.rates.get(&LinkId(2 * (client + 1) + u32::from(!inbound)))
    }

    /// The fastest rate of an access link that varies.
    pub(super) fn fastest(&self, client: u32, inbound: bool) -> Option<Rate> {
        self.of(client, inbound).map(VaryingRate::fastest)
    }

    /// The next change, if nothing else is before or at the same moment.
    pub(super) fn or_change(&mut self, next: Option<Upcoming>) -> Option<Upcoming> {
        let Some(entry) = self.changes.front(|_| true) else { return next };
        let at = Moment::from(Time::from_nanos(entry.key));
        if next.is_none_or(|(first, _)| at < first) { Some((at, Next::Change(entry))) } else { next }
    }

    /// What a stalled flow has yet to send.
    pub(super) fn go_on(&mut self, slot: u32) -> f64 {
        self.stalled.remove(&slot).expect("who is stalled has bits to send")
    }

    /// The rate of an access link from `at` on, which is watched; `None` if it does not vary.
    fn read(&mut self, client: u32, inbound: bool, at: Moment) -> Option<f64> {
        let Piece { rate, until } = self.of(client, inbound)?.at(at.floor());
        self.watched.insert((client, inbound), rate as f64);
        self.changes.push(Entry { key: until.as_nanos(), slot: client, generation: u32::from(inbound) });
        Some(rate as f64)
    }
}

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
            self.slots.flows[slot as usize].cap = cap;
            self.join(slot, remaining);
        }
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
    }
}
