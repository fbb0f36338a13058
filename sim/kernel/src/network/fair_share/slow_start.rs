//! A flow whose sender is in slow start: it flows like any other until it has sent its window, and rests until the
//! first acknowledgement of that window opens one twice as large. A round that ends with some of its window unsent
//! shows that sharing, not the window, holds the flow back: slow start is over. This file must not know rates.

use super::moment::Moment;
use crate::network::Window;

/// The windows of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlowStart {
    window: Window,
    /// Bits that no window has allowed yet.
    pub(super) held_back: u64,
    /// When the present round ends.
    pub(super) ends: Moment,
}

impl SlowStart {
    /// A flow of `bits` opens at `at` with this window; `None` if that allows all of it at once.
    pub(super) fn open(window: Option<Window>, bits: u64, at: Moment) -> Option<Self> {
        let window = window.filter(|window| window.first < window.limit && window.first.count() < bits)?;
        let held_back = bits - window.first.count();
        Some(Self { window, held_back, ends: at.after(window.round.as_nanos() as f64) })
    }

    /// The round ends with its window sent: bits that the next window allows, and the flow's further windows, if it
    /// needs any.
    pub(super) fn next(self) -> (u64, Option<Self>) {
        let window = Window { first: self.window.first * 2, ..self.window };
        if window.first >= window.limit || window.first.count() >= self.held_back {
            return (self.held_back, None);
        }
        let held_back = self.held_back - window.first.count();
        let ends = self.ends.after(window.round.as_nanos() as f64);
        (window.first.count(), Some(Self { window, held_back, ends }))
    }
}
