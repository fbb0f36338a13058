//! What rounds leave of what roots miss of the sums, where it is known when an iteration is over.

use fedbits_spec::Caveat;

use crate::neighbours::rounds::LITTLE;

/// The shares that were left, over iterations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Left {
    /// Iterations in all, those that left more than little, and those after which roots missed more than before.
    iterations: [u64; 3],
    /// The largest share.
    most: f64,
}

impl Left {
    /// The share that an iteration left: by Σ of squares of what roots miss before its rounds, of what they miss after
    /// them, and of the sums.
    pub fn note(&mut self, [before, after, size]: [f64; 3]) -> f64 {
        // One hub misses nothing before.
        let whole = if before > 0.0 { before } else { size };
        let left = if whole > 0.0 { (after / whole).sqrt() } else { 0.0 };
        let kinds = [true, left > LITTLE, left > 1.0];
        self.iterations.iter_mut().zip(kinds).for_each(|(count, is)| *count += u64::from(is));
        self.most = self.most.max(left);
        left
    }

    /// In how many of a hundred iterations roots missed more after the rounds than before, if they did, and how many
    /// times as much at most.
    pub fn grown(&self) -> Option<(f64, f64)> {
        let grown = self.percent(2);
        (grown > 0.0).then_some((grown, self.most))
    }

    /// What a reader must know when it was much.
    pub fn caveat(&self) -> Option<Caveat> {
        let (inexact, most) = (self.percent(1), 100.0 * self.most);
        (inexact > 0.0).then(|| Caveat::RoundsInexact { share: format!("{inexact:.1}"), most: format!("{most:.1}") })
    }

    fn percent(&self, kind: usize) -> f64 {
        100.0 * self.iterations[kind] as f64 / self.iterations[0].max(1) as f64
    }
}
