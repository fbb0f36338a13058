//! Nodes drop out: what a protocol asks and says of it.

use crate::context::Context;
use crate::digest::Kind;
use crate::message::Payload;
use crate::{NodeId, Time, TimeDelta};

impl<P: Payload> Context<P> {
    /// Switches dropouts on or off for busy periods and rounds that begin from now on (they are on at the start).
    pub fn set_dropouts(&mut self, on: bool) {
        self.dropouts = on;
    }

    /// Whether `node` drops out of this round: a draw of node and round alone, where dropouts are drawn per round.
    pub fn drops_out_of(&self, node: NodeId, round: u64) -> bool {
        self.dropouts && self.world.dropout.strikes_in(&self.world.streams, node, round)
    }

    /// `node` drops out now: what it computes, receives and sends is cut off, and it is away until it has restarted.
    ///
    /// # Panics
    /// If nobody drops out in this world.
    pub fn drop_out(&mut self, node: NodeId) {
        let restart = self.world.dropout.restart().map_or(TimeDelta::ZERO, |(restart, _)| TimeDelta::of(restart));
        let up_again = self.now.checked_add(restart).unwrap_or(Time::MAX);
        let watched = self.nodes.watched(node).expect("who drops out is watched");
        watched.down_until = up_again;
        self.log(Kind::Dropout, node, node, 0);
        self.clock_down(node, up_again);
        self.traced(|trace, now| trace.restarts(node, [now, up_again]));
        self.abandon(node);
    }
}
