//! Vectors over which compressors are tested.

use fedbits_random::{DrawPurpose, Streams};

/// d independent standard normal numbers.
pub(crate) fn normal(d: usize, seed: u64, number: u64) -> Vec<f64> {
    let mut stream = Streams::new(seed, number).at(DrawPurpose::Data, 0, 0);
    (0..d).map(|_| stream.normal()).collect()
}

/// Vectors of d entries that are hard to code: one spike, a spike in every second, third and eighth place, equal
/// entries, an almost equal pair, the worst case of the maximum norm, huge ranges inside one vector, huge and small
/// scales, negative zeros, denormal entries; zeros and the ends of the range.
#[must_use]
pub fn hostile_vectors(d: usize) -> Vec<Vec<f64>> {
    let constant = [0.0, -0.0, 5e-324, 1.7e308, -3e-39, 3e38].map(|value| vec![value; d]);
    adversarial(d).into_iter().chain(constant).collect()
}

/// Those of [`hostile_vectors`] that are not zero and whose squares are normal numbers.
#[must_use]
pub fn adversarial(d: usize) -> Vec<Vec<f64>> {
    let make = |f: &dyn Fn(usize) -> f64| (0..d).map(f).collect::<Vec<f64>>();
    let flat = 1.0 / (1.0 + (d as f64).sqrt());
    vec![
        make(&|j| if j == d / 2 { -2.5 } else { 0.0 }),
        make(&|_| 1.0),
        make(&|j| if j % 2 == 0 { 0.3 } else { -0.3 }),
        make(&|j| if j == 0 { 1.0 } else { flat }),
        make(&|j| 1.0 + 1e-9 * j as f64),
        make(&|j| libm::pow(-1e-3, j as f64)),
        make(&|j| libm::sin(1.0 + j as f64 * j as f64)),
        make(&|j| 1e100 * libm::cos(3.0 * j as f64)),
        make(&|j| 1e-100 * libm::cos(5.0 * j as f64)),
        make(&|j| if j == d - 1 { 1e150 } else { -1e-150 }),
        make(&|j| if j == 0 { 3.0 } else { -0.0 }),
        make(&|j| if j == 0 { 1e-3 } else { -3e-310 }),
        make(&|j| if j % 2 == 0 { 1.0 } else { 0.0 }),
        make(&|j| if j % 3 == 0 { -0.7 } else { 0.0 }),
        make(&|j| if j % 8 == 0 { 4.0 } else { 0.0 }),
    ]
}

/// ‖x‖².
pub(crate) fn squared(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// Neither too small nor too large for floats of 32 bits.
pub(crate) fn is_of_ordinary_size(x: &[f64]) -> bool {
    (1e-30..1e30).contains(&x.iter().fold(0.0, |largest: f64, v| largest.max(v.abs())))
}
