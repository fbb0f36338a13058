//! How fast rounds pass of late.

use std::collections::VecDeque;

use super::state::LiveState;

/// Host seconds that a pace is measured over.
const WINDOW: f64 = 10.0;

/// Looks at a state now and then.
#[derive(Default)]
pub(crate) struct Pace {
    /// The arm that the looks are of.
    arm: usize,
    /// When, and at which round.
    looks: VecDeque<(f64, u64)>,
    beats: u64,
}

impl Pace {
    /// Looks, and enters the pace of the arm that runs.
    pub(crate) fn keep(&mut self, state: &mut LiveState) {
        let (number, now) = (state.arms.len(), state.seconds);
        let Some(arm) = state.arms.last_mut().filter(|arm| arm.ended.is_none()) else { return };
        if number != self.arm {
            (self.arm, self.looks) = (number, VecDeque::new());
        }
        let Some(round) = arm.curve.last().map(|last| last.round) else { return };
        self.looks.push_back((now, round));
        while self.looks.len() > 2 && self.looks[1].0 <= now - WINDOW {
            self.looks.pop_front();
        }
        let (then, before) = self.looks[0];
        arm.rounds_per_second = (now - then >= 0.5).then(|| (round - before) as f64 / (now - then));
    }

    /// The next number of a sign of life.
    pub(crate) fn beat(&mut self) -> u64 {
        self.beats += 1;
        self.beats
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::{ArmState, Point};
    use super::*;

    #[test]
    fn the_pace_is_of_late() {
        let mut pace = Pace::default();
        let mut state = LiveState { arms: vec![ArmState::default()], ..LiveState::default() };
        // 10 rounds a second for 20 s, then 2.
        for tick in 0..400_u32 {
            state.seconds = f64::from(tick) * 0.1;
            let round = if tick < 200 { u64::from(tick) } else { 200 + u64::from(tick - 200) / 5 };
            state.arms[0].curve.push(Point { round, ..Point::default() });
            pace.keep(&mut state);
            match (tick, state.arms[0].rounds_per_second) {
                (0..4, found) => assert_eq!(found, None),
                (10..200, Some(found)) => assert!((found - 10.0).abs() < 0.5, "{found}"),
                (310.., Some(found)) => assert!((found - 2.0).abs() < 0.2, "{found}"),
                _ => {}
            }
        }
    }
}
