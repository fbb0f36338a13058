//! Gamma draws: the values of `Stream::gamma` for shapes of at least 1, eight at a time.
//!
//! A draw takes three uniforms unless it is rejected, which a few in a hundred are. Eight draws are tried as if none
//! were; those after a rejected one are made again.

use super::log::log;
use super::normal::cos;
use super::vector::LANES;
use fedbits_random::Stream;
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::TAU;

/// Replaces every shape, at least 1, by what `stream.gamma(shape)` gives, one after the other; `before` draws what else
/// the stream gives ahead of each.
pub fn gammas(stream: &mut Stream, shapes: &mut [f64], mut before: impl FnMut(usize, &mut Stream)) {
    let level = Arch::new();
    let mut done = 0;
    while done < shapes.len() {
        let count = (shapes.len() - done).min(LANES);
        // Unused lanes hold numbers of the usual path.
        let mut trial = Trial { shapes: [1.0; LANES], draws: [[0.5; LANES]; 3], accepted: [0.0; LANES] };
        let mut starts: [Option<Stream>; LANES] = Default::default();
        for (lane, start) in starts.iter_mut().enumerate().take(count) {
            trial.shapes[lane] = shapes[done + lane];
            before(done + lane, stream);
            *start = Some(stream.clone());
            trial.draws[0][lane] = stream.uniform_open();
            trial.draws[1][lane] = stream.uniform();
            trial.draws[2][lane] = stream.uniform_open();
        }
        level.dispatch(&mut trial);
        let accepted = trial.accepted[..count].iter().take_while(|&&accepted| accepted > 0.0).count();
        shapes[done..done + accepted].copy_from_slice(&trial.shapes[..accepted]);
        done += accepted;
        if let Some(start) = starts.get_mut(accepted).and_then(Option::take) {
            *stream = start;
            shapes[done] = stream.gamma(shapes[done]);
            done += 1;
        }
    }
}

/// One try per lane (Marsaglia–Tsang 2000, as `Stream::gamma` has it).
struct Trial {
    /// Shapes, then draws.
    shapes: [f64; LANES],
    /// Two uniforms of a normal draw, and the one that accepts.
    draws: [[f64; LANES]; 3],
    /// 1 where the try is accepted.
    accepted: [f64; LANES],
}

impl WithSimd for &mut Trial {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let [first, second, third] = &self.draws;
        let (first, second, third) = (S::as_simd_f64s(first).0, S::as_simd_f64s(second).0, S::as_simd_f64s(third).0);
        let shapes = S::as_mut_simd_f64s(&mut self.shapes).0;
        let accepted = S::as_mut_simd_f64s(&mut self.accepted).0;
        let (zero, half, one) = (simd.splat_f64s(0.0), simd.splat_f64s(0.5), simd.splat_f64s(1.0));
        for (i, (shape, accepted)) in shapes.iter_mut().zip(accepted).enumerate() {
            let d = simd.sub_f64s(*shape, simd.splat_f64s(1.0 / 3.0));
            let c = simd.div_f64s(one, simd.sqrt_f64s(simd.mul_f64s(simd.splat_f64s(9.0), d)));
            let radius = simd.sqrt_f64s(simd.mul_f64s(simd.splat_f64s(-2.0), log(simd, first[i])));
            let z = simd.mul_f64s(radius, cos(simd, simd.mul_f64s(simd.splat_f64s(TAU), second[i])));
            let root = simd.add_f64s(one, simd.mul_f64s(c, z));
            let is_positive = simd.less_than_f64s(zero, root);
            let root = simd.select_f64s(is_positive, root, one);
            let v = simd.mul_f64s(simd.mul_f64s(root, root), root);
            let square = simd.mul_f64s(simd.mul_f64s(half, z), z);
            let bound = simd.sub_f64s(simd.add_f64s(square, d), simd.mul_f64s(d, v));
            let bound = simd.add_f64s(bound, simd.mul_f64s(d, log(simd, v)));
            let is_below = simd.less_than_f64s(log(simd, third[i]), bound);
            *accepted = simd.select_f64s(simd.and_m64s(is_positive, is_below), one, zero);
            *shape = simd.mul_f64s(d, v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    /// With and without draws ahead of each, for shapes that are often rejected and seldom.
    #[test]
    fn gammas_are_the_draws_of_the_stream() {
        for (count, shape, ahead) in
            [(0, 1.0, 0), (1, 1.0, 1), (20, 1.1, 1), (8, 3.0, 0), (10_000, 1.0, 1), (3_000, 50.0, 0)]
        {
            let stream = || Streams::new(6, 0).at(DrawPurpose::Data, 3, count as u64);
            let shapes: Vec<f64> = (0..count).map(|k| shape + (k % 5) as f64 * 0.3).collect();
            let (mut fast, mut slow) = (shapes.clone(), stream());
            let mut taken = Vec::new();
            let mut end = stream();
            gammas(&mut end, &mut fast, |k, stream| {
                if ahead > 0 {
                    taken.resize(k, 0.0);
                    taken.push(stream.uniform_open());
                }
            });
            for (k, (&shape, &fast)) in shapes.iter().zip(&fast).enumerate() {
                if ahead > 0 {
                    assert_eq!(taken[k], slow.uniform_open(), "ahead of draw {k} of {count}");
                }
                assert_eq!(fast.to_bits(), slow.gamma(shape).to_bits(), "draw {k} of {count}");
            }
            assert_eq!(end.next_u64(), slow.next_u64(), "the stream goes on where it would");
        }
    }
}
