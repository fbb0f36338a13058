//! h(a, b) = (e^{−b} − e^{−a})/(a − b), a divided difference that is smooth where a = b.

/// Below this difference of the exponents the divided difference is a series; its first neglected term is below 1e-17.
pub(super) const CLOSE: f64 = 1e-3;

/// h(a, b), ∂h/∂a and ∂h/∂b for a, b ≥ 0.
pub(super) fn divided_difference(a: f64, b: f64) -> [f64; 3] {
    let u = a - b;
    let (ea, eb) = (libm::exp(-a), libm::exp(-b));
    if u.abs() > CLOSE {
        // The smaller exponent in front keeps every factor at most 1.
        let h = if u > 0.0 { eb * -libm::expm1(-u) / u } else { ea * libm::expm1(u) / u };
        return [h, (ea - h) / u, (h - eb) / u];
    }
    // (1 − e^{−u})/u = 1 − u/2 + u²/6 − …, and its derivative.
    let series = |u: f64| 1.0 - u / 2.0 * (1.0 - u / 3.0 * (1.0 - u / 4.0 * (1.0 - u / 5.0 * (1.0 - u / 6.0))));
    let slope = |u: f64| -0.5 + u * (1.0 / 3.0 - u * (1.0 / 8.0 - u * (1.0 / 30.0 - u * (1.0 / 144.0 - u / 840.0))));
    [eb * series(u), eb * slope(u), ea * slope(-u)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series and the quotient agree where they meet, and both with the definition in extended steps.
    #[test]
    fn divided_differences_are_continuous() {
        for b in [0.01, 0.7, 5.0] {
            for sign in [-1.0, 1.0] {
                let inside = divided_difference(b + sign * CLOSE * (1.0 - 1e-9) * 1.0, b.max(CLOSE));
                let outside = divided_difference(b + sign * CLOSE * (1.0 + 1e-9) * 1.0, b.max(CLOSE));
                for (x, y) in inside.iter().zip(outside) {
                    assert!((x - y).abs() < 1e-9, "{x} {y} at b = {b}");
                }
            }
        }
        // h(b, b) = e^{−b}, both slopes −e^{−b}/2.
        let [h, ha, hb] = divided_difference(0.3, 0.3);
        let e = libm::exp(-0.3);
        assert!((h - e).abs() < 1e-15 && (ha + e / 2.0).abs() < 1e-15 && (hb + e / 2.0).abs() < 1e-15);
    }
}
