//! The laws of the samplers: moments, distributions, independence across neighbouring addresses.
//!
//! Every check is a number that is standard normal (nearly) if the sampler is right; it fails beyond 7, which has
//! probability 3e-12. There are about 17 000 checks, nearly all of them in the avalanche of addresses: a false alarm
//! anywhere has probability below 5e-8. Of 200 000 draws a mean that is off by 0.019 standard deviations is found with
//! probability 0.95.

use std::collections::BTreeMap;

use fedbits_random::{DrawPurpose, Stream, Streams};

const DRAWS: usize = 200_000;

fn stream(index: u64) -> Stream {
    Streams::new(20_26, 0).at(DrawPurpose::Data, 77, index)
}

fn check(z: f64, what: &str) {
    assert!(z.abs() < 7.0, "{what}: {z} standard deviations off");
}

/// Mean and variance against `mean` and `variance`; the variance of (x − µ)² is µ₄ − σ⁴ (`fourth` = µ₄).
fn check_moments(what: &str, mean: f64, variance: f64, fourth: f64, mut draw: impl FnMut() -> f64) {
    let (mut first, mut second) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let deviation = draw() - mean;
        first += deviation;
        second += deviation * deviation - variance;
    }
    let root = (DRAWS as f64).sqrt();
    check(first / (root * variance.sqrt()), &format!("mean of {what}"));
    check(second / (root * (fourth - variance * variance).sqrt()), &format!("variance of {what}"));
}

/// Pearson's X² of counts against probabilities, made normal by the cube root of Wilson and Hilferty.
fn check_counts(what: &str, counts: &[u64], probabilities: &[f64]) {
    let total: u64 = counts.iter().sum();
    let cell = |(&count, &p): (&u64, &f64)| {
        let expected = total as f64 * p;
        (count as f64 - expected) * (count as f64 - expected) / expected
    };
    let x2: f64 = counts.iter().zip(probabilities).map(cell).sum();
    let spread = 2.0 / (9.0 * (counts.len() - 1) as f64);
    check((libm::cbrt(x2 / (counts.len() - 1) as f64) - (1.0 - spread)) / spread.sqrt(), what);
}

fn check_uniform_counts(what: &str, counts: &[u64]) {
    check_counts(what, counts, &vec![1.0 / counts.len() as f64; counts.len()]);
}

/// F(X) is uniform when X has the distribution function F: 64 equal cells.
fn check_distribution(what: &str, mut draw: impl FnMut() -> f64, f: impl Fn(f64) -> f64) {
    let mut counts = [0; 64];
    for _ in 0..DRAWS {
        counts[((f(draw()) * 64.0) as usize).min(63)] += 1;
    }
    check_uniform_counts(what, &counts);
}

/// Uniform: mean 1/2, variance 1/12, µ₄ = 1/80; inside its interval.
#[test]
fn uniform() {
    let mut s = stream(0);
    check_moments("uniform", 0.5, 1.0 / 12.0, 1.0 / 80.0, || s.uniform());
    check_moments("uniform_open", 0.5, 1.0 / 12.0, 1.0 / 80.0, || s.uniform_open());
    check_distribution("uniform", || s.uniform(), |x| x);
    check_distribution("uniform_open", || s.uniform_open(), |x| x);
    assert!((0..DRAWS).all(|_| (0.0..1.0).contains(&s.uniform())));
    assert!((0..DRAWS).map(|_| s.uniform_open()).all(|u| u > 0.0 && u < 1.0));
    let counter = Streams::new(3, 0).counter(DrawPurpose::Compression, 5, 6);
    let mut j = 0..;
    check_distribution("counter", || counter.uniform(j.next().unwrap()), |x| x);
    let mut bits = [0u64; 64];
    (0..DRAWS).map(|_| s.next_u64()).for_each(|word| (0..64).for_each(|b| bits[b] += word >> b & 1));
    let root = (DRAWS as f64 / 4.0).sqrt();
    bits.iter().for_each(|&ones| check((ones as f64 - DRAWS as f64 / 2.0) / root, "a bit"));
}

/// `below(n)` is uniform on 0..n, also for n that do not divide 2^64: at n = 3 · 2^62 a plain remainder or a product
/// without rejection would put 1/2 or 1/3 ± 1/12 of the mass into one third.
#[test]
fn below() {
    let mut s = stream(1);
    for n in [2u64, 3, 7, 10, 64, 100] {
        let mut counts = vec![0; n as usize];
        (0..DRAWS).for_each(|_| counts[s.below(n) as usize] += 1);
        check_uniform_counts(&format!("below({n})"), &counts);
    }
    let n = 3u64 << 62;
    let (mut thirds, mut residues) = ([0; 3], [0; 3]);
    for _ in 0..DRAWS {
        let draw = s.below(n);
        assert!(draw < n);
        thirds[(draw >> 62) as usize] += 1;
        residues[(draw % 3) as usize] += 1;
    }
    check_uniform_counts("thirds of below(3 · 2^62)", &thirds);
    check_uniform_counts("residues of below(3 · 2^62)", &residues);
    assert!((0..100).all(|_| s.below(1) == 0));
}

/// Normal: (0, 1, 3), Φ. Exponential: (1, 1, 9), 1 − e⁻ˣ. Log-normal: its logarithm is normal.
#[test]
fn normal_and_exponential() {
    let mut s = stream(2);
    let phi = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
    check_moments("normal", 0.0, 1.0, 3.0, || s.normal());
    check_distribution("normal", || s.normal(), phi);
    check_moments("exponential", 1.0, 1.0, 9.0, || s.exponential());
    check_distribution("exponential", || s.exponential(), |x| 1.0 - libm::exp(-x));
    check_distribution("log-normal", || s.log_normal(0.3, 0.7), |x| phi((libm::log(x) - 0.3) / 0.7));
}

/// Gamma(k): mean k, variance k, µ₄ = 3 k² + 6 k; distribution functions erf(√x), 1 − e⁻ˣ, 1 − (1 + x) e⁻ˣ at k = ½, 1,
/// 2.
#[test]
fn gamma() {
    let mut s = stream(3);
    for k in [0.1, 0.5, 1.0, 2.0, 7.5, 100.0] {
        check_moments(&format!("gamma({k})"), k, k, 3.0 * k * k + 6.0 * k, || s.gamma(k));
    }
    check_distribution("gamma(1/2)", || s.gamma(0.5), |x| libm::erf(x.sqrt()));
    check_distribution("gamma(1)", || s.gamma(1.0), |x| 1.0 - libm::exp(-x));
    check_distribution("gamma(2)", || s.gamma(2.0), |x| 1.0 - (1.0 + x) * libm::exp(-x));
}

/// Dirichlet(a): parts sum to 1; each part is Beta(a_i, A − a_i): mean m = a_i/A, variance m (1 − m)/(A + 1). With (1,
/// 2) the distribution function of the first part is 1 − (1 − x)².
#[test]
fn dirichlet() {
    let mut s = stream(4);
    let (a, total) = ([0.5, 1.0, 3.5], 5.0);
    let (mut sums, mut out) = ([0.0; 3], [0.0; 3]);
    for _ in 0..DRAWS {
        s.dirichlet(&a, &mut out);
        assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12 && out.iter().all(|&part| part >= 0.0));
        (0..3).for_each(|i| sums[i] += out[i]);
    }
    for (sum, a) in sums.iter().zip(a) {
        let mean = a / total;
        let deviation = (mean * (1.0 - mean) / (total + 1.0) * DRAWS as f64).sqrt();
        check((sum - DRAWS as f64 * mean) / deviation, "mean of a Dirichlet part");
    }
    let mut pair = [0.0; 2];
    let mut first = || {
        s.dirichlet(&[1.0, 2.0], &mut pair);
        pair[0]
    };
    check_distribution("Dirichlet(1, 2)", &mut first, |x| 1.0 - (1.0 - x) * (1.0 - x));
}

/// Concentrations so small that every gamma variable underflows: all mass on one part, each equally likely.
#[test]
fn dirichlet_of_tiny_concentrations() {
    let (mut s, mut counts, mut out) = (stream(5), [0; 4], [0.0; 4]);
    for _ in 0..20_000 {
        s.dirichlet(&[1e-9; 4], &mut out);
        let winner = out.iter().position(|&part| part == 1.0).expect("all mass on one part");
        assert_eq!(out.iter().sum::<f64>(), 1.0);
        counts[winner] += 1;
    }
    check_uniform_counts("winner of a tiny Dirichlet", &counts);
}

/// Concentrations whose gamma variables overflow in sum, or nearly alone: equal parts.
#[test]
fn dirichlet_of_huge_concentrations() {
    let (mut s, mut out) = (stream(5), [0.0; 4]);
    for concentration in [1e300, 1e308, f64::MAX] {
        s.dirichlet(&[concentration; 4], &mut out);
        assert!(out.iter().all(|part| (part - 0.25).abs() < 1e-12), "{out:?}");
    }
}

/// Binomial(n, p): mean n p, variance n p q, µ₄ = n p q (1 + 3 (n − 2) p q); the point probabilities at n = 4.
#[test]
fn binomial() {
    let mut s = stream(6);
    for (n, p) in [(1u64, 0.3), (20, 0.1), (20, 0.9), (100, 0.5), (1_000, 0.01), (1_000_000, 0.7)] {
        let npq = n as f64 * p * (1.0 - p);
        let fourth = npq * (1.0 + 3.0 * (n as f64 - 2.0) * p * (1.0 - p));
        check_moments(&format!("binomial({n}, {p})"), n as f64 * p, npq, fourth, || s.binomial(n, p) as f64);
    }
    let mut counts = [0; 5];
    (0..DRAWS).for_each(|_| counts[s.binomial(4, 0.25) as usize] += 1);
    check_counts("binomial(4, 1/4)", &counts, &[81.0, 108.0, 54.0, 12.0, 1.0].map(|c| c / 256.0));
    assert_eq!((s.binomial(9, 0.0), s.binomial(9, 1.0), s.binomial(0, 0.5)), (0, 9, 0));
    // Many trials do not take many draws: within ten standard deviations of n / 2.
    let many = s.binomial(1_000_000_000_000, 0.5);
    assert!(many.abs_diff(500_000_000_000) < 5_000_000, "{many}");
}

/// Poisson(λ): mean and variance λ, µ₄ = λ (1 + 3 λ); a large mean does not take many draws.
#[test]
fn poisson() {
    let mut s = stream(16);
    for mean in [0.3, 7.0, 20_000.0] {
        let fourth = mean * (1.0 + 3.0 * mean);
        check_moments(&format!("poisson({mean})"), mean, mean, fourth, || s.poisson(mean) as f64);
    }
    let many = s.poisson(1e12);
    assert!(many.abs_diff(1_000_000_000_000) < 10_000_000, "{many}");
    assert_eq!(s.poisson(0.0), 0);
}

/// Bernoulli(p) and the categorical law have the probabilities they are given; weight 0 is never drawn.
#[test]
fn bernoulli_and_categorical() {
    let mut s = stream(7);
    for p in [0.01, 0.3, 0.75] {
        let count = (0..DRAWS).filter(|_| s.bernoulli(p)).count() as u64;
        check_counts("Bernoulli", &[count, DRAWS as u64 - count], &[p, 1.0 - p]);
    }
    assert!((0..1_000).all(|_| s.bernoulli(1.0) && !s.bernoulli(0.0)));
    let mut counts = [0; 5];
    (0..DRAWS).for_each(|_| counts[s.categorical(&[1.0, 0.0, 2.0, 5.0, 0.0])] += 1);
    assert_eq!((counts[1], counts[4]), (0, 0));
    check_counts("categorical", &[counts[0], counts[2], counts[3]], &[0.125, 0.25, 0.625]);
}

/// All 24 orders of four items and all 20 three-subsets of six are equally likely; subsets are sorted.
#[test]
fn shuffles_and_subsets() {
    let mut s = stream(8);
    let (mut orders, mut subsets) = (BTreeMap::new(), BTreeMap::new());
    let mut subset = Vec::new();
    for _ in 0..DRAWS {
        let mut items = [0, 1, 2, 3];
        s.shuffle(&mut items);
        *orders.entry(items).or_insert(0) += 1;
        s.subset(6, 3, &mut subset);
        assert!(subset.is_sorted_by(|a, b| a < b));
        *subsets.entry(subset.clone()).or_insert(0) += 1;
    }
    assert_eq!((orders.len(), subsets.len()), (24, 20));
    check_uniform_counts("shuffle", &orders.into_values().collect::<Vec<_>>());
    check_uniform_counts("subset", &subsets.into_values().collect::<Vec<_>>());
    s.subset(5, 5, &mut subset);
    assert_eq!(subset, [0, 1, 2, 3, 4]);
    s.subset(5, 0, &mut subset);
    assert!(subset.is_empty());
}

/// First draws at addresses that differ by one in one part are independent: 16 × 16 cells of pairs.
#[test]
fn neighbouring_addresses_are_independent() {
    let first = |seed, replicate, purpose, entity, index| {
        (Streams::new(seed, replicate).at(purpose, entity, index).next_u64() >> 60) as usize
    };
    let base = |i| first(1, 2, DrawPurpose::Minibatch, 3, i);
    let counter = |i| (Streams::new(1, 2).counter(DrawPurpose::Minibatch, 3, i).bits(0) >> 60) as usize;
    let neighbours: [(&str, &dyn Fn(u64) -> usize); 7] = [
        ("index", &|i| base(i + 1)),
        ("entity", &|i| first(1, 2, DrawPurpose::Minibatch, 4, i)),
        ("purpose", &|i| first(1, 2, DrawPurpose::Compression, 3, i)),
        ("replicate", &|i| first(1, 3, DrawPurpose::Minibatch, 3, i)),
        ("seed", &|i| first(2, 2, DrawPurpose::Minibatch, 3, i)),
        ("exchanged parts", &|i| first(1, 2, DrawPurpose::Minibatch, i, 3)),
        ("counter", &counter),
    ];
    for (what, neighbour) in neighbours {
        let mut cells = vec![0; 256];
        // Steps of 3 where the neighbour is the next index, so that pairs do not overlap.
        (0..DRAWS as u64).for_each(|i| cells[16 * base(3 * i) + neighbour(3 * i)] += 1);
        check_uniform_counts(what, &cells);
    }
}

/// Avalanche: flipping any one bit of the entity or of the index flips every bit of the first draw with probability
/// 1/2. Bases are small numbers, as addresses are. Both for generators and for counter hashes.
#[test]
fn addresses_avalanche() {
    const BASES: u64 = 4_000;
    let streams = Streams::new(1, 0);
    let generator = |entity, index| streams.at(DrawPurpose::Compression, entity, index).next_u64();
    let counter = |entity, index| streams.counter(DrawPurpose::Compression, entity, index).bits(0);
    let draws: [&dyn Fn(u64, u64) -> u64; 2] = [&generator, &counter];
    for draw in draws {
        for bit in 0..128 {
            let (entity_flip, index_flip) = if bit < 64 { (1 << bit, 0) } else { (0, 1 << (bit - 64)) };
            let mut flips = [0u64; 64];
            for base in 0..BASES {
                let (entity, index) = (base % 100, base / 100);
                let difference = draw(entity, index) ^ draw(entity ^ entity_flip, index ^ index_flip);
                (0..64).for_each(|bit| flips[bit] += difference >> bit & 1);
            }
            // Bases whose low bit is flipped meet each pair twice: half as many independent differences.
            let deviation = (BASES as f64 / 2.0).sqrt();
            flips.iter().for_each(|&count| check((count as f64 - BASES as f64 / 2.0) / deviation, "avalanche"));
        }
    }
}
