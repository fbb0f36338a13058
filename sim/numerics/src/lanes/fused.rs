//! a b + c with one rounding, also on processors without an instruction for it.
//!
//! Without the instruction: the product is a sum of two floats without error (Veltkamp, Dekker), and so is its sum with
//! c. What is left over is rounded once before it is added, and the result is taken where that rounding cannot change
//! it (Ziv's test); where it can, near the middle between two floats, and where a step may underflow or overflow, the
//! standard library computes the lane. Boldo and Melquiond's rounding to odd (IEEE Transactions on Computers 57, 2008),
//! which needs no such exception, takes 1.5 times as many operations.

#[cfg(target_family = "wasm")]
use std::arch::wasm32::{f64x2, f64x2_extract_lane, v128};

use super::vector::lanes_mut;
use pulp::Simd;

/// Splits a float into halves of 26 bits: 2^27 + 1.
const SPLITTER: f64 = 134_217_729.0;
/// The error of a product is a float above this, 2^−900.
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);

/// Whether every processor that runs code for these vectors has the instruction.
const fn is_instruction<S: Simd>() -> bool {
    cfg!(any(target_arch = "aarch64", target_feature = "fma")) || (cfg!(target_arch = "x86_64") && S::F64_LANES > 1)
}

/// a b + c, rounded once, in every lane.
#[inline(always)]
pub fn mul_add<S: Simd>(simd: S, a: S::f64s, b: S::f64s, c: S::f64s) -> S::f64s {
    if is_instruction::<S>() {
        return simd.mul_add_f64s(a, b, c);
    }
    #[cfg(target_family = "wasm")]
    return in_module::<S>(a, b, c);
    #[cfg(not(target_family = "wasm"))]
    emulated(simd, a, b, c)
}

/// a b + c, rounded once. In code that is compiled for several instruction sets it is the instruction where there is
/// one.
#[inline(always)]
#[must_use]
pub fn fused(a: f64, b: f64, c: f64) -> f64 {
    #[cfg(target_family = "wasm")]
    return in_module::<pulp::Scalar>(a, b, c);
    #[cfg(not(target_family = "wasm"))]
    a.mul_add(b, c)
}

/// The function that a module for browsers calls, with one or two lanes.
#[cfg(target_family = "wasm")]
#[inline(always)]
fn in_module<S: Simd>(mut a: S::f64s, mut b: S::f64s, mut c: S::f64s) -> S::f64s {
    let vector = |x: &mut S::f64s| {
        let x = lanes_mut::<S>(x);
        f64x2(x[0], x[S::F64_LANES - 1])
    };
    let sum = multiply_add(vector(&mut a), vector(&mut b), vector(&mut c));
    let sum = [f64x2_extract_lane::<0>(sum), f64x2_extract_lane::<1>(sum)];
    lanes_mut::<S>(&mut a).copy_from_slice(&sum[..S::F64_LANES]);
    a
}

/// a b + c, rounded once, in both lanes. WebAssembly has the instruction only among the relaxed ones, which some
/// browsers refuse and others round twice: the loader of a page (reports/src/page/fuse.js) replaces calls of this
/// function by it where it rounds once.
#[cfg(target_family = "wasm")]
#[expect(unsafe_code, reason = "the loader finds it by its name")]
#[allow(improper_ctypes_definitions, reason = "vectors are a type of WebAssembly")]
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn multiply_add(a: v128, b: v128, c: v128) -> v128 {
    let simd = pulp::wasm::Simd128::try_new().expect("the module is compiled for vectors");
    let [a, b, c] = [a, b, c].map(|x| pulp::f64x2(f64x2_extract_lane::<0>(x), f64x2_extract_lane::<1>(x)));
    let sum = emulated(simd, a, b, c);
    f64x2(sum.0, sum.1)
}

#[inline(always)]
fn emulated<S: Simd>(simd: S, a: S::f64s, b: S::f64s, c: S::f64s) -> S::f64s {
    let (zero, product) = (simd.splat_f64s(0.0), simd.mul_f64s(a, b));
    let error = product_error(simd, a, b, product);
    let (sum, rest) = two_sum(simd, product, c);
    // The exact result is sum + rest + error. The sum of the last two is rounded by at most 2^−53 of itself: where both
    // ends of that interval round to the same float, it is the result. An overflow on the way makes them NaN.
    let small = simd.add_f64s(rest, error);
    let margin = simd.mul_f64s(small, simd.splat_f64s(f64::EPSILON));
    let upper = simd.add_f64s(sum, simd.add_f64s(small, margin));
    let lower = simd.add_f64s(sum, simd.sub_f64s(small, margin));
    let is_exact = simd.less_than_or_equal_f64s(simd.splat_f64s(SMALL), simd.abs_f64s(product));
    let is_rounded = simd.and_m64s(simd.equal_f64s(upper, lower), is_exact);
    let is_zero = simd.or_m64s(simd.equal_f64s(a, zero), simd.equal_f64s(b, zero));
    // A product that is zero by a factor keeps its sign in the sum alone; that of an infinity is NaN, as is the sum.
    if simd.first_true_m64s(simd.not_m64s(simd.or_m64s(is_rounded, is_zero))) < S::F64_LANES {
        return each_lane::<S>(a, b, c);
    }
    simd.select_f64s(is_zero, sum, upper)
}

/// a b − product, without error.
#[inline(always)]
fn product_error<S: Simd>(simd: S, a: S::f64s, b: S::f64s, product: S::f64s) -> S::f64s {
    let ([a, a_low], [b, b_low]) = (halves(simd, a), halves(simd, b));
    let error = simd.sub_f64s(simd.mul_f64s(a, b), product);
    let error = simd.add_f64s(simd.add_f64s(error, simd.mul_f64s(a, b_low)), simd.mul_f64s(a_low, b));
    simd.add_f64s(error, simd.mul_f64s(a_low, b_low))
}

#[inline(always)]
fn halves<S: Simd>(simd: S, x: S::f64s) -> [S::f64s; 2] {
    let scaled = simd.mul_f64s(simd.splat_f64s(SPLITTER), x);
    let high = simd.sub_f64s(scaled, simd.sub_f64s(scaled, x));
    [high, simd.sub_f64s(x, high)]
}

/// The rounded sum, and its error.
#[inline(always)]
fn two_sum<S: Simd>(simd: S, a: S::f64s, b: S::f64s) -> (S::f64s, S::f64s) {
    let sum = simd.add_f64s(a, b);
    let part = simd.sub_f64s(sum, a);
    (sum, simd.add_f64s(simd.sub_f64s(a, simd.sub_f64s(sum, part)), simd.sub_f64s(b, part)))
}

#[inline(never)]
fn each_lane<S: Simd>(mut a: S::f64s, mut b: S::f64s, mut c: S::f64s) -> S::f64s {
    let factors = lanes_mut::<S>(&mut a).iter().zip(lanes_mut::<S>(&mut b));
    for ((a, b), c) in factors.zip(lanes_mut::<S>(&mut c)) {
        // Zeros are frequent, and exact.
        *c = if *a == 0.0 || *b == 0.0 { *a * *b + *c } else { a.mul_add(*b, *c) };
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::levels;
    use pulp::{Arch, WithSimd};

    /// Numbers of all kinds: usual ones with long and short mantissas, far exponents, and what is special.
    struct Numbers(u64);

    impl Numbers {
        fn bits(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn next(&mut self, spread: u64) -> f64 {
            const SPECIAL: [f64; 8] = [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, f64::MAX];
            let (bits, kind) = (self.bits(), self.bits());
            if kind % 64 == 0 {
                return SPECIAL[bits as usize % SPECIAL.len()];
            }
            let cut = if kind & 3 == 0 { (kind >> 8) % 53 } else { 0 };
            let mantissa = (bits & ((1 << 52) - 1)) >> cut << cut;
            let exponent = (1023 + (kind >> 16) % spread).saturating_sub(spread / 2).min(2046);
            f64::from_bits(bits & (1 << 63) | exponent << 52 | mantissa)
        }

        /// Factors and a summand; many sums cancel, or lie beside the middle between two floats.
        fn triple(&mut self) -> [f64; 3] {
            let spread = [3, 60, 130, 400, 1_400, 2_046][self.bits() as usize % 6];
            let [a, b, c] = [(); 3].map(|()| self.next(spread));
            let half_ulp = f64::from_bits((1023 - 53) << 52);
            let c = match self.bits() % 8 {
                0 => -(a * b),
                1 => -(a * b) * (1.0 + f64::EPSILON),
                2 => a * b * half_ulp,
                3 => -(a * b) * half_ulp,
                _ => c,
            };
            [a, b, c]
        }
    }

    struct All<'a>(&'a [[f64; 3]]);

    impl WithSimd for All<'_> {
        type Output = Vec<u64>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<u64> {
            let lanes = |entry: usize, triples: &[[f64; 3]]| {
                let mut x = simd.splat_f64s(1.0);
                lanes_mut::<S>(&mut x).iter_mut().zip(triples).for_each(|(lane, triple)| *lane = triple[entry]);
                x
            };
            let bits = |triples: &[[f64; 3]]| {
                let [a, b, c] = [0, 1, 2].map(|entry| lanes(entry, triples));
                let mut sum = emulated(simd, a, b, c);
                lanes_mut::<S>(&mut sum)[..triples.len()].iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            self.0.chunks(S::F64_LANES).flat_map(bits).collect()
        }
    }

    /// The emulation has the bits of the standard library's, which is the processor's where it has one; a NaN is a NaN.
    /// Compares 4 000 sums per block on each instruction set.
    fn compare(blocks: u64, seed: u64) {
        let mut numbers = Numbers(seed);
        for _ in 0..blocks {
            let triples: Vec<[f64; 3]> = (0..4_000).map(|_| numbers.triple()).collect();
            for level in levels() {
                let found = level.dispatch(All(&triples));
                for (&[a, b, c], bits) in triples.iter().zip(found) {
                    let expected = a.mul_add(b, c);
                    let is_same = bits == expected.to_bits() || (expected.is_nan() && f64::from_bits(bits).is_nan());
                    assert!(is_same, "{a:e} {b:e} {c:e}: {:e}, {expected:e}", f64::from_bits(bits));
                }
            }
        }
        assert!(matches!(levels()[0], Arch::Scalar));
    }

    #[test]
    fn the_emulation_rounds_once() {
        compare(50, 88_172_645_463_325_252);
    }

    #[test]
    #[ignore = "slow tier: 10⁹ sums on each instruction set, minutes in a release build"]
    fn the_emulation_rounds_once_in_a_thousand_million_cases() {
        compare(250_000, 362_436_069);
    }
}
