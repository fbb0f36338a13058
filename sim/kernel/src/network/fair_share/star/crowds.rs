//! Several flows on one access link in one direction: they divide its rate. This file must not know windows.

use std::num::NonZeroU32;

use super::{Crowd, StarFairShare};
use crate::network::fair_share::level::{Flow, State};

impl StarFairShare {
    /// Puts a new flow into a crowd if its client has another flow in flight in its direction; `latest` is what the
    /// client remembers of the flow before.
    pub(super) fn meet(&mut self, slot: u32, latest: NonZeroU32) {
        let Flow { client, inbound, .. } = self.slots.flows[slot as usize];
        let earlier = latest.get() - 1;
        if let Some(crowd) = self.crowds.get_mut(&(client, inbound)) {
            crowd.in_flight += 1;
        } else {
            let flow = &mut self.slots.flows[earlier as usize];
            if earlier == slot || !flow.uses_link() || (flow.client, flow.inbound) != (client, inbound) {
                return;
            }
            flow.crowded = true;
            let runs = matches!(flow.state, State::Sharing { .. } | State::Capped { .. });
            let running = if runs { vec![earlier] } else { vec![] };
            self.crowds.insert((client, inbound), Crowd { in_flight: 2, running });
        }
        self.slots.flows[slot as usize].crowded = true;
    }

    /// The latency of a crowded flow is over.
    pub(super) fn run_in_crowd(&mut self, client: u32, inbound: bool, slot: u32) {
        if let Some(crowd) = self.crowds.get_mut(&(client, inbound)) {
            crowd.running.push(slot);
        }
        self.divide_access(client, inbound, Some(slot));
    }

    /// A crowded flow leaves the link to the others for a while; the level must have been left.
    pub(super) fn rest_in_crowd(&mut self, client: u32, inbound: bool, slot: u32) {
        if let Some(crowd) = self.crowds.get_mut(&(client, inbound)) {
            crowd.running.retain(|&member| member != slot);
        }
        self.divide_access(client, inbound, None);
    }

    /// A flow ends, in whatever way; the level must have been left.
    pub(super) fn leave_crowd(&mut self, slot: u32) {
        let Flow { client, inbound, crowded, .. } = self.slots.flows[slot as usize];
        let Some(crowd) = self.crowds.get_mut(&(client, inbound)).filter(|_| crowded) else { return };
        crowd.in_flight -= 1;
        let place = crowd.running.iter().position(|&member| member == slot);
        if crowd.in_flight == 0 {
            self.crowds.remove(&(client, inbound));
        } else if let Some(place) = place {
            crowd.running.remove(place);
            self.divide_access(client, inbound, None);
        }
    }

    /// Gives each running flow of a crowd its part of the access rate, the latest first; `joining` is not at the level
    /// yet.
    pub(super) fn divide_access(&mut self, client: u32, inbound: bool, joining: Option<u32>) {
        let Some(crowd) = self.crowds.get(&(client, inbound)) else { return };
        let running: Vec<u32> = crowd.running.iter().rev().copied().collect();
        let cap = self.clients[client as usize].rate(inbound) / running.len() as f64;
        for slot in running {
            if joining == Some(slot) {
                self.slots.flows[slot as usize].cap = cap;
                continue;
            }
            let remaining = self.withdraw(slot, State::Waiting);
            self.slots.flows[slot as usize].cap = cap;
            self.join(slot, remaining);
        }
    }
}
