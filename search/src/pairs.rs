//! Paired differences of an arm's costs to the leader's, and what follows from them.
//!
//! Where runs are cut, a difference d counts as min(d, c), with c the distance at which they are cut: no difference
//! looks larger by this. But it varies less, and a variance of such differences is no estimate of that of the whole
//! ones. So it says nothing of other arms, and is taken as large as that of the arms without cut runs; where these are
//! too few to say it, as large as if what was cut lay anywhere between c and 2 c.

use fedbits_numerics::{t_quantile, t_tail};

use crate::moderation::Prior;
use crate::outcome::{Outcome, Score};

/// Paired differences of an arm to the leader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs {
    pub(crate) count: usize,
    pub(crate) mean: f64,
    /// Unbiased, and not below what the distance of recorded rows and the resolution of costs leave unknown.
    pub(crate) variance: f64,
    /// Where differences are cut, the part of the variance that this may have hidden; `None` where none is.
    hidden: Option<f64>,
}

impl Pairs {
    /// With differences that count up to `most`, of costs that are known up to `resolution`. `None` when there is no
    /// pair, and when the arm reached the target where the leader did not: then nothing bounds its difference from
    /// below.
    pub(crate) fn of(arm: &[Outcome], leader: &[Outcome], most: f64, resolution: f64) -> Option<Self> {
        let (mut differences, mut unknown, mut hidden) = (Vec::new(), 0.0, None);
        for (outcome, other) in arm.iter().zip(leader) {
            match (outcome.score, other.score) {
                (Score::At { .. }, Score::AtLeast(_)) => return None,
                (Score::AtLeast(_), Score::AtLeast(_)) => {}
                (outcome, other @ Score::At { .. }) => {
                    let difference = (outcome.value() - other.value()).min(most);
                    if most.is_finite() && (difference == most || matches!(outcome, Score::AtLeast(_))) {
                        *hidden.get_or_insert(0.0) += difference * difference / 12.0;
                    }
                    differences.push(difference);
                    unknown += outcome.unknown_variance(resolution) + other.unknown_variance(resolution);
                }
            }
        }
        let count = differences.len();
        if count == 0 {
            return None;
        }
        let mean = differences.iter().sum::<f64>() / count as f64;
        let squares: f64 = differences.iter().map(|difference| (difference - mean) * (difference - mean)).sum();
        let variance = if count > 1 { squares / (count - 1) as f64 } else { 0.0 };
        let hidden = hidden.map(|hidden| hidden / count as f64);
        Some(Self { count, mean, variance: variance.max(unknown / count as f64), hidden })
    }

    /// The variance and its degrees of freedom, where they say how large those of other arms may be.
    pub(crate) fn evidence(self) -> Option<(f64, f64)> {
        (self.count > 1 && self.hidden.is_none()).then(|| (self.variance, (self.count - 1) as f64))
    }

    /// With what all arms together say of variances; `None` for one pair, and where the variance is 0: a few equal
    /// differences do not say that others will be equal. The prior makes the variance larger or surer, but never
    /// smaller: an arm that varies more than the others would be dropped too easily.
    pub(crate) fn moderated(self, prior: Prior) -> Option<Moderated> {
        let least = match self.hidden {
            None => 0.0,
            Some(_) if prior.freedom > 0.0 => prior.variance,
            Some(hidden) => hidden,
        };
        let variance_here = self.variance.max(least);
        let (variance, freedom) = prior.moderate(variance_here, self.count.checked_sub(1)? as f64);
        let deviation = libm::sqrt(variance.max(variance_here));
        (self.count > 1 && deviation > 0.0).then_some(Moderated {
            count: self.count as f64,
            mean: self.mean,
            deviation,
            freedom,
        })
    }
}

/// The same with a moderated standard deviation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moderated {
    count: f64,
    mean: f64,
    deviation: f64,
    freedom: f64,
}

impl Moderated {
    /// The lower end of the interval of the mean with this tail.
    pub(crate) fn low(self, tail: f64) -> f64 {
        self.mean - t_quantile(2.0 * tail, self.freedom) * self.deviation / libm::sqrt(self.count)
    }

    /// The probability that after `more` pairs one of both arms is dropped: of the mean after them, d′, given that
    /// d is known and the true mean is not, (d′ − d) / (s √(1/n − 1/n′)) is Student's t.
    pub(crate) fn hope(self, more: f64, tail: f64, margin: f64) -> f64 {
        let all = self.count + more;
        let spread = self.deviation * libm::sqrt(1.0 / self.count - 1.0 / all);
        let far = t_quantile(2.0 * tail, self.freedom + more) * self.deviation / libm::sqrt(all) - margin;
        let beyond = |distance: f64| t_tail(distance / spread, self.freedom);
        (beyond(far - self.mean) + beyond(far + self.mean)).min(1.0)
    }
}
