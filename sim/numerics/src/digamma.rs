//! The digamma function.

/// ψ(x) for x > 0: recurrence up to 8, then the asymptotic series (DLMF 5.11.2).
pub fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 8.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32_760.0, 1.0 / 12.0];
    sum + libm::log(x) - 0.5 / x - series.iter().rev().fold(0.0, |tail, term| (tail + term) * square)
}

#[cfg(test)]
mod tests {
    use super::digamma;

    /// scipy.special.digamma.
    #[test]
    fn agrees_with_scipy() {
        let table = [
            (1e-3, -1000.5755719318103),
            (0.5, -1.9635100260214235),
            (1.0, -0.5772156649015329),
            (7.75, 1.9817915626943454),
            (1e6, 13.81551005796419),
        ];
        for (x, expected) in table {
            let value = digamma(x);
            assert!((value / expected - 1.0).abs() < 1e-14, "{x}: {value} is not {expected}");
        }
    }
}
