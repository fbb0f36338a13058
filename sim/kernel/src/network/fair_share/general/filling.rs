//! Progressive filling: the max–min fair rates of the flows that are connected with changed links. This file must not
//! know times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{GeneralFairShare, Link};
use crate::network::LinkId;

/// Turns towards rates beside acknowledgements, at the least.
const TURNS: u32 = 8;
/// Rates have settled to this share of them.
const SETTLED: f64 = 1e-6;
/// Below this share of itself the sum of the weights of open flows is added up anew: what was taken off it has left its
/// rounding, beside which a flow from far away weighs nothing.
const LEAST_LEFT: f64 = 1e-3;

impl GeneralFairShare {
    /// The links and the flows connected with the changed links.
    pub(super) fn component(&mut self) -> (Vec<LinkId>, Vec<u32>) {
        let (mut links, mut slots) = (Vec::new(), Vec::new());
        let mut waiting = std::mem::take(&mut self.changed);
        while let Some(id) = waiting.pop() {
            let link = &mut self.links[id.0 as usize];
            if std::mem::replace(&mut link.visited, self.fillings) == self.fillings {
                continue;
            }
            links.push(id);
            for &slot in link.flows.iter().chain(&link.acknowledged) {
                let flow = &mut self.slots.flows[slot as usize];
                if std::mem::replace(&mut flow.visited, self.fillings) != self.fillings {
                    slots.push(slot);
                    waiting.extend_from_slice(&flow.links);
                    waiting.extend_from_slice(&flow.back);
                }
            }
        }
        (links, slots)
    }

    /// All of each link is to be given away.
    pub(super) fn open_links(&mut self, links: &[LinkId]) {
        for id in links {
            let link = &mut self.links[id.0 as usize];
            (link.left, link.open) = (link.capacity, link.flows.len());
            link.weigh(link.flows.iter().map(|&slot| self.slots.flows[slot as usize].weight).sum());
        }
    }

    /// The rates of a component whose acknowledgements take room on its links, given those without: what they need
    /// depends on the rates, and the rates on what they leave. Each turn is nearer by the share of acknowledgements in
    /// data, which is at most a half.
    pub(super) fn rates_beside_acknowledgements(
        &mut self,
        links: &[LinkId],
        mut rates: Vec<(u32, f64)>,
    ) -> Vec<(u32, f64)> {
        let turns = libm::log(SETTLED) / libm::log(self.acknowledgements);
        for _ in 0..TURNS.max(turns.ceil() as u32) {
            self.fillings += 1;
            self.open_links(links);
            for &(slot, rate) in &rates {
                for link in &self.slots.flows[slot as usize].back {
                    let link = &mut self.links[link.0 as usize];
                    link.left = (link.left - self.acknowledgements * rate).max(link.capacity / 2.0);
                }
            }
            rates = self.progressive_rates(links);
        }
        rates
    }

    /// Progressive filling of a component: each flow and its max–min fair rate.
    pub(super) fn progressive_rates(&mut self, links: &[LinkId]) -> Vec<(u32, f64)> {
        let key = |link: &Link, id: LinkId| Reverse((link.share().to_bits(), id));
        let used = links.iter().filter(|id| self.links[id.0 as usize].open > 0);
        let mut tightest: BinaryHeap<_> = used.map(|&id| key(&self.links[id.0 as usize], id)).collect();
        let (mut rates, mut level) = (Vec::new(), 0.0f64);
        while let Some(Reverse((share, id))) = tightest.pop() {
            let link = &self.links[id.0 as usize];
            if link.open == 0 {
                continue;
            }
            // Shares only grow while others are fixed, so an outdated key is too small and the link goes back.
            if link.share().to_bits() > share {
                tightest.push(key(link, id));
                continue;
            }
            level = level.max(link.share());
            self.fix_flows(id, level, &mut rates);
        }
        rates
    }

    /// Gives every flow on a link that has no rate yet its weight times `level`.
    fn fix_flows(&mut self, id: LinkId, level: f64, rates: &mut Vec<(u32, f64)>) {
        let slots = std::mem::take(&mut self.links[id.0 as usize].flows);
        for &slot in &slots {
            let flow = &mut self.slots.flows[slot as usize];
            if std::mem::replace(&mut flow.fixed, self.fillings) == self.fillings {
                continue;
            }
            let (rate, weight) = (level * flow.weight, flow.weight);
            rates.push((slot, rate));
            let flows = &self.slots.flows;
            for &link in &flows[slot as usize].links {
                let link = &mut self.links[link.0 as usize];
                (link.left, link.open) = ((link.left - rate).max(0.0), link.open - 1);
                link.weight -= weight;
                if link.weight < LEAST_LEFT * link.added {
                    let flows = link.flows.iter().map(|&slot| &flows[slot as usize]);
                    link.weigh(flows.filter(|flow| flow.fixed != self.fillings).map(|flow| flow.weight).sum());
                }
            }
        }
        self.links[id.0 as usize].flows = slots;
    }
}
