//! Vectors on which compressors are tried.

/// Vectors of dimension d that are not zero and whose squares are normal numbers: one spike, equal entries, an almost equal pair,
/// the worst case of the maximum norm, huge ranges inside one vector, huge and small scales, negative zeros, denormal entries
/// beside normal ones.
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
    ]
}
