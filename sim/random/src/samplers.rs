//! Our own samplers on `libm`: other crates' samplers change their values with versions and features.

use crate::Stream;

/// So many expected draws of a count are more than the halving costs that saves them.
const MANY: f64 = 1_000.0;

/// w₁, w₁ + w₂, …
pub fn running_sums(weights: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |weight| {
        sum += weight;
        sum
    };
    weights.into_iter().map(add).collect()
}

impl Stream {
    /// True with probability `p`.
    #[inline]
    pub fn bernoulli(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Standard normal (Box–Muller, cosine branch: two uniforms a draw, no state between draws).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.uniform_open())).sqrt();
        radius * libm::cos(core::f64::consts::TAU * self.uniform())
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.uniform_open())
    }

    /// Log-normal: exp(`mu` + `sigma` Z).
    pub fn log_normal(&mut self, mu: f64, sigma: f64) -> f64 {
        libm::exp(mu + sigma * self.normal())
    }

    /// Gamma with shape `shape` > 0 and scale 1 (Marsaglia–Tsang 2000; shapes below 1 by the power of a uniform).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = libm::pow(self.uniform_open(), 1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let z = self.normal();
            let v = 1.0 + c * z;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            if libm::log(self.uniform_open()) < 0.5 * z * z + d - d * v + d * libm::log(v) {
                return d * v;
            }
        }
    }

    /// Dirichlet with the given concentrations, written to `out` (same length).
    pub fn dirichlet(&mut self, concentrations: &[f64], out: &mut [f64]) {
        // A larger concentration is no less even, and the sum would overflow.
        let most = f64::MAX / 4.0 / out.len() as f64;
        for (value, &a) in out.iter_mut().zip(concentrations) {
            *value = self.gamma(a.min(most));
        }
        let total: f64 = out.iter().sum();
        if total > 0.0 {
            out.iter_mut().for_each(|value| *value /= total);
        } else {
            // Tiny concentrations underflow: the limit law puts all mass on one coordinate.
            out.fill(0.0);
            let winner = self.below(out.len() as u64) as usize;
            out[winner] = 1.0;
        }
    }

    /// Number of successes in `n` trials of probability `p`: geometric gaps between successes. Where more than
    /// 1 000 are to be expected, the trials are halved before: a trial succeeds if its uniform is below p, and
    /// the a-th smallest of n uniforms, Beta(a, n + 1 − a), says on which side of p a − 1 or n − a of them are
    /// (Ahrens and Dieter 1974).
    pub fn binomial(&mut self, mut n: u64, mut p: f64) -> u64 {
        let mut before = 0;
        while n as f64 * p.min(1.0 - p) > MANY {
            let a = 1 + n / 2;
            let (below, above) = (self.gamma(a as f64), self.gamma((n + 1 - a) as f64));
            let at = below / (below + above);
            if at < p {
                (before, n, p) = (before + a, n - a, (p - at) / (1.0 - at));
            } else {
                (n, p) = (a - 1, p / at);
            }
        }
        before + self.few_successes(n, p)
    }

    fn few_successes(&mut self, n: u64, p: f64) -> u64 {
        if p <= 0.0 {
            return 0;
        }
        if p >= 1.0 {
            return n;
        }
        if p > 0.5 {
            return n - self.few_successes(n, 1.0 - p);
        }
        let log_q = libm::log1p(-p);
        let (mut position, mut successes) = (0.0, 0);
        loop {
            position += 1.0 + libm::floor(libm::log(self.uniform_open()) / log_q);
            if position > n as f64 {
                return successes;
            }
            successes += 1;
        }
    }

    /// Poisson with this mean: arrivals of a unit-rate process before it. Where more of these are to be expected than
    /// 1 000, the place of one that is nearly that far is drawn first, Gamma(m): if it is before the mean, the rest
    /// follows; if not, each of the m − 1 before it is before the mean with the same probability (Ahrens and Dieter
    /// 1974).
    pub fn poisson(&mut self, mut mean: f64) -> u64 {
        let mut before = 0;
        while mean > MANY {
            let many = libm::floor(0.875 * mean);
            let at = self.gamma(many);
            if at >= mean {
                return before + self.binomial(many as u64 - 1, mean / at);
            }
            (before, mean) = (before + many as u64, mean - at);
        }
        let (mut position, mut count) = (self.exponential(), before);
        while position < mean {
            position += self.exponential();
            count += 1;
        }
        count
    }

    /// Index drawn with probability proportional to `weights` (non-negative, positive sum).
    pub fn categorical(&mut self, weights: &[f64]) -> usize {
        let mut rest = self.uniform() * weights.iter().sum::<f64>();
        for (index, &weight) in weights.iter().enumerate() {
            if rest < weight {
                return index;
            }
            rest -= weight;
        }
        // Rounding may leave a sliver: it belongs to the last possible index.
        weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0)
    }

    /// The same of [`running_sums`] of the weights, found by search.
    pub fn categorical_of_sums(&mut self, sums: &[f64]) -> usize {
        let place = self.uniform() * sums[sums.len() - 1];
        sums.partition_point(|&sum| sum <= place).min(sums.len() - 1)
    }

    /// Permutes `items` uniformly (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }

    /// A uniform `k`-subset of 0..`n`, sorted, written to `out` (Floyd's algorithm: k draws). Many are marked in n
    /// bits, O(k + n / 64): insertion into a list takes O(k²).
    ///
    /// # Panics
    /// If `k` > `n`.
    pub fn subset(&mut self, n: u32, k: u32, out: &mut Vec<u32>) {
        assert!(k <= n, "a subset of {k} out of {n}");
        out.clear();
        let candidates = (n - k..n).map(|j| (j, self.below(u64::from(j) + 1) as u32));
        if k <= FEW {
            insert(candidates, out);
        } else {
            out.reserve(k as usize);
            floyd_subset(candidates, n, &mut Vec::new(), out);
        }
    }
}

/// Up to this many numbers of a subset are inserted into a sorted list.
const FEW: u32 = 1024;

/// Floyd's algorithm: of each j and its candidate the candidate, or j where it is there already.
fn insert(candidates: impl Iterator<Item = (u32, u32)>, out: &mut Vec<u32>) {
    for (j, candidate) in candidates {
        match out.binary_search(&candidate) {
            Ok(_) => out.push(j), // j exceeds everything drawn so far
            Err(index) => out.insert(index, candidate),
        }
    }
}

/// Floyd's algorithm in a bit for every number below `n`: appends the subset to `out`, sorted. Each number j from n − k
/// on comes with a candidate that is uniform on 0..=j. `marks` is room, empty before and after.
#[inline]
pub fn floyd_subset(candidates: impl Iterator<Item = (u32, u32)>, n: u32, marks: &mut Vec<u64>, out: &mut Vec<u32>) {
    marks.resize(n.div_ceil(64) as usize, 0);
    for (j, candidate) in candidates {
        let is_there = marks[candidate as usize / 64] >> (candidate % 64) & 1 == 1;
        let chosen = if is_there { j } else { candidate };
        marks[chosen as usize / 64] |= 1 << (chosen % 64);
    }
    for (mut word, first) in marks.drain(..).zip((0..).step_by(64)) {
        while word != 0 {
            out.push(first + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DrawPurpose, Streams};

    /// Marks give what insertion gives, the slow reference; the stream stands where it stood.
    #[test]
    fn marked_subsets_are_those_of_insertion() {
        for (n, k) in [(1, 0), (1, 1), (63, 40), (64, 64), (65, 64), (1000, 17), (5000, 2000), (70_000, 1025)] {
            let stream = || Streams::new(5, 0).at(DrawPurpose::Data, u64::from(n), u64::from(k));
            let draw = |stream: &mut Stream| -> Vec<(u32, u32)> {
                (n - k..n).map(|j| (j, stream.below(u64::from(j) + 1) as u32)).collect()
            };
            let (mut inserted, mut marked, mut found) = (Vec::new(), Vec::new(), vec![7]);
            let (mut explicit, mut given) = (stream(), stream());
            let candidates = draw(&mut explicit);
            insert(candidates.iter().copied(), &mut inserted);
            floyd_subset(candidates.into_iter(), n, &mut Vec::new(), &mut marked);
            given.subset(n, k, &mut found);
            assert_eq!((&marked, &found), (&inserted, &inserted), "{k} of {n}");
            assert_eq!(explicit.uniform(), given.uniform());
        }
    }
}
