//! Setting up a connection: so many round trips of a header each way before the first data.
//!
//! The node that opens asks with header 0, the other answers with 1, then comes 2, …; after the last answer the opener
//! sends data at once, the other when the first packet after the set-up arrives. What is not answered is asked again
//! after 1, 2, 4, … s, and given up after six repetitions (Linux's `tcp_syn_retries`). This file must not know links.

use crate::round_trip::FIRST_TIMEOUT;

const MOST_REPETITIONS: u32 = 6;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SetUp {
    /// The node that opens, once there is one.
    pub(super) opener: Option<usize>,
    /// May the node send data?
    pub(super) ready: [bool; 2],
    /// The number of the latest header that either node has sent.
    said: u64,
    /// When each node has sent its latest, if not twice.
    said_at: [Option<u64>; 2],
    repetitions: u32,
    pub(super) alarm: Option<u64>,
}

impl SetUp {
    /// Node `opener` opens; tells the number of the header to be sent. With no round trips both are ready.
    pub(super) fn open(&mut self, now: u64, opener: usize, round_trips: u32) -> Option<u64> {
        self.opener = Some(opener);
        if round_trips == 0 {
            self.ready = [true; 2];
            return None;
        }
        self.ask(now, 0);
        Some(0)
    }

    fn ask(&mut self, now: u64, number: u64) {
        self.said = number;
        if let Some(opener) = self.opener {
            self.said_at[opener] = Some(now);
        }
        self.repetitions = 0;
        self.alarm = Some(now.saturating_add(FIRST_TIMEOUT));
    }

    /// Header `number` arrives at a node: the number of the one to be sent in return. The opener is ready after the
    /// last.
    pub(super) fn arrived(&mut self, now: u64, node: usize, number: u64, round_trips: u32) -> Option<u64> {
        if self.opener != Some(node) {
            let is_first = number >= self.said;
            self.said_at[node] = (is_first && !self.ready[node]).then_some(now);
            self.said = self.said.max(number + 1);
            return Some(number + 1);
        }
        if self.ready[node] || number != self.answer() {
            return None;
        }
        if number + 1 < 2 * u64::from(round_trips) {
            self.ask(now, number + 1);
            return Some(number + 1);
        }
        (self.ready[node], self.alarm) = (true, None);
        None
    }

    /// The number of the answer that the opener waits for.
    fn answer(&self) -> u64 {
        self.said / 2 * 2 + 1
    }

    /// How long the last header of a node was under way with its answer, which arrives now; not if it was sent twice.
    pub(super) fn took(&self, now: u64, node: usize) -> Option<u64> {
        self.said_at[node].map(|at| now - at)
    }

    /// Nothing was answered in time: the number of the header to be sent again, or nothing if it is given up.
    pub(super) fn ring(&mut self, now: u64) -> Option<u64> {
        self.repetitions += 1;
        if let Some(opener) = self.opener {
            self.said_at[opener] = None;
        }
        self.alarm = Some(now.saturating_add(FIRST_TIMEOUT << self.repetitions));
        (self.repetitions <= MOST_REPETITIONS).then_some(self.answer() - 1)
    }
}
