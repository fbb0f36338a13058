//! Loops over the entries of a vector: fixed order of summation, compiled for several instruction sets.
//!
//! Only `+ − × ÷ sqrt` and comparisons are used and nothing is fused or reordered, so that all versions give the same
//! bits.

use pulp::{Arch, NullaryFnOnce};

/// Vectors shorter than this do not repay the choice of an instruction set.
const SHORT: usize = 32;

/// Enough for the additions of one lane not to wait for each other.
const LANES: usize = 16;

/// Runs `task`, whose `call` is to be inlined, in the version for the best instruction set of this machine.
#[inline(always)]
pub(crate) fn dispatch<T: NullaryFnOnce>(dimension: usize, task: T) -> T::Output {
    if dimension < SHORT { task.call() } else { Arch::new().dispatch(task) }
}

/// Σ f(x_j): sixteen partial sums (j mod 16), then those pairwise.
#[inline(always)]
pub(crate) fn sum(x: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += f(value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += f(value);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// max |x_j|: above the largest finite float, as an infinity or a NaN, if an entry is not finite; 0 if there is none.
#[inline(always)]
pub(crate) fn largest(x: &[f64]) -> f64 {
    // Without the sign, floats are ordered as their bits are, NaN last.
    const MAGNITUDE: u64 = u64::MAX >> 1;
    f64::from_bits(x.iter().fold(0, |max, v| max.max(v.to_bits() & MAGNITUDE)))
}

/// Are all entries finite?
#[inline(always)]
pub(crate) fn all_finite(x: &[f64]) -> bool {
    dispatch(x.len(), AllFinite(x))
}

struct AllFinite<'a>(&'a [f64]);

impl NullaryFnOnce for AllFinite<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let mut all = true;
        for value in self.0 {
            all &= value.is_finite();
        }
        all
    }
}
