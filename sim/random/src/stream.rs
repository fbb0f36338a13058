//! A short-lived generator: PCG XSL RR 128/64 behind our own uniform draws, whose values no other crate can change.

use rand::Rng;
use rand_pcg::Pcg64;

/// The generator of one address. Made by [`crate::Streams::at`], used at once, dropped.
#[derive(Clone, Debug)]
pub struct Stream(Pcg64);

impl Stream {
    /// The generator with a state of the first two words and an increment of the other two (made odd).
    #[inline]
    pub(crate) fn from_words([low, high, increment_low, increment_high]: [u64; 4]) -> Self {
        let wide = |low, high| u128::from(high) << 64 | u128::from(low);
        // `new` takes the increment without its lowest bit, which is always 1.
        Self(Pcg64::new(wide(low, high), wide(increment_low, increment_high) >> 1))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform on [0, 1), 53 bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform on (0, 1): safe under a logarithm.
    #[inline]
    pub fn uniform_open(&mut self) -> f64 {
        ((self.next_u64() >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
    }

    /// Uniform integer on 0..`n` without bias (Lemire's multiplication with rejection).
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no integer lies below 0");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        // The threshold lies below n: most draws are accepted without the division.
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }
}
