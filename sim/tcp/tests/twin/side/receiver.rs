//! What a side of the twin does with packets that arrive, and what its own packets say of them.

use std::collections::BTreeSet;

use super::{MS, Side};
use crate::twin::links::Packet;

impl Side {
    pub fn receive(&mut self, now: u64, packet: &Packet) {
        let rest = self.last_received.is_none_or(|last| now - last > self.rtt.rto);
        self.quick = if rest { 16 } else { self.quick };
        self.last_received = Some(now);
        if packet.number < self.next || self.early.contains(&packet.number) {
            (self.duplicate, self.urgent, self.quick) = (true, true, 16);
        } else if packet.number > self.next {
            self.early.push(packet.number);
            self.urgent = true;
        } else {
            self.note(packet.stamp);
            let gaps: BTreeSet<u64> = self.early.iter().copied().filter(|&number| number > self.next).collect();
            self.urgent |= packet.is_last || !gaps.is_empty();
            self.next += 1;
            self.pending += 1;
            while gaps.contains(&self.next) {
                self.next += 1;
            }
        }
        if self.grow(now, packet.echo) {
            self.quick |= 1;
        }
        self.due = self.due.or(Some(now + 40 * MS));
    }

    /// The stamp to be echoed, unless an older one waits for it.
    pub fn note(&mut self, stamp: u64) {
        self.echo = if self.pending == 0 { stamp } else { self.echo };
    }

    fn grow(&mut self, now: u64, echo: u64) -> bool {
        let grant = &mut self.grant;
        let grows = grant.window < grant.limit;
        grant.window = (grant.window + 2).min(grant.limit);
        if echo != grant.echo {
            let rtt = now - echo;
            grant.rtt = Some(match grant.rtt {
                Some(before) if before < rtt => (before - before / 8 + rtt / 8).min(rtt),
                _ => rtt,
            });
            grant.echo = echo;
        }
        if grant.rtt.is_some_and(|rtt| now - grant.began >= rtt) {
            let copied = self.next - grant.first;
            if copied > grant.space {
                let grown = 2 * copied + 2 * (2 * copied * (copied - grant.space) / grant.space);
                grant.limit = grant.limit.max(grown.min(2_700));
                grant.space = copied;
            }
            (grant.first, grant.began) = (self.next, now);
        }
        grows
    }

    pub fn must_acknowledge(&self, now: u64) -> bool {
        self.urgent
            || self.pending > 1
            || (self.pending > 0 && self.quick > 0)
            || self.due.is_some_and(|due| due <= now)
    }

    /// Fills in what a packet from this side says.
    pub fn say(&mut self, packet: &mut Packet) {
        if self.pending > 0 || self.urgent {
            self.quick = self.quick.saturating_sub(1);
        }
        packet.next = self.next;
        packet.early = self.early.clone();
        packet.echo = self.echo;
        packet.duplicate = self.duplicate;
        (self.pending, self.urgent, self.due, self.duplicate) = (0, false, None, false);
    }
}
