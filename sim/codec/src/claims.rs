//! What an operator claims, tested by messages: E Q(x) = x, E‖Q(x) − x‖² ≤ ω‖x‖² or (1 − δ)‖x‖², and lengths.
//!
//! A true claim is refused with a probability of at most [`FALSE_ALARM`] in all, whatever the distribution of Q(x), as
//! far as draws are independent. Of m means, each is tested at FALSE_ALARM / m:
//!
//! - A mean square s ≥ 0 of at most B: Π (1 + a (s_i/B − 1)), 0 < a < 1, has a mean of at most 1, so that it exceeds
//!   m / FALSE_ALARM no more often than that (Markov's inequality; Waudby-Smith and Ramdas 2024, betting).
//! - A mean P = ⟨a, Q(x) − x⟩ of 0, ‖a‖ = 1, whose square has a mean of at most B = ω‖x‖²: with
//!   L = ln(2m / FALSE_ALARM) and c² = 2L/(nB), |Σ ψ(c P_i)| exceeds 2L no more often than that, where
//!   ψ(u) = ± ln(1 + |u| + u²/2) with the sign of u (Catoni 2012).
//!
//! So a bias of b‖x‖ in such a direction is found where b is above about √(2Lω/n).

use fedbits_random::{DrawPurpose, Streams};

use crate::vectors::{adversarial, is_of_ordinary_size, normal, squared};
use crate::{CodecError, Compressor, Draw, Encoded, audit};

/// Probability that one call refuses an operator whose claims are all true.
pub const FALSE_ALARM: f64 = 1e-6;
/// Rounding of floats of 32 bits, as a part of ‖x‖.
const ROUNDING: f64 = 1e-6;
/// Entries of x whose means are looked at by themselves: the largest ones.
const ENTRIES: usize = 3;
/// Directions of random signs.
const SIGNS: usize = 8;
/// Vectors of independent normal entries.
const NORMAL: u64 = 4;
/// Stakes of the betting: small ones find a mean that is hardly too large, large ones a much too large one at once.
const STAKES: [f64; 4] = [0.02, 0.1, 0.4, 0.9];

/// What was found of an operator's claims.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// What is not so.
    pub broken: Vec<String>,
    /// Vectors that were sent.
    pub vectors: usize,
    /// Messages of each vector.
    pub samples: u64,
    /// ω, where the operator says that it is unbiased.
    pub omega: Option<f64>,
    /// δ, of which a biased operator says that it is a contraction.
    pub contraction: Option<f64>,
    /// The largest mean of ‖Q(x) − x‖² / ‖x‖² of a vector.
    pub error: f64,
    /// The same of the mean of ⟨x, Q(x)⟩ / ‖x‖² − 1: shrinkage below 0, for the vector for which it is largest.
    pub shrinkage: f64,
    /// Mean bits of a message of normal entries, as the operator says.
    pub bits: f64,
    /// Whether strings were written and read.
    pub read: bool,
}

/// Sends vectors of `d` entries: normal, sparse, equal, spiky.
///
/// # Errors
/// Those of the operator's `encode`.
///
/// # Panics
/// If d or the number of samples is 0.
pub fn claims(q: &dyn Compressor, d: usize, samples: u64, seed: u64) -> Result<Claims, CodecError> {
    assert!(d > 0 && samples > 0, "there is something to send");
    q.validate(d)?;
    let mut vectors: Vec<Vec<f64>> = (0..NORMAL).map(|number| normal(d, seed, number)).collect();
    let mut different = adversarial(d).into_iter().filter(|x| is_of_ordinary_size(x)).collect::<Vec<_>>();
    different.dedup();
    vectors.append(&mut different);
    let omega = if q.is_unbiased() { q.omega(d) } else { None };
    let contraction = if q.is_unbiased() { None } else { q.contraction(d) };
    let (read, vectors_sent) = (q.has_string(), vectors.len());
    let mut found = Claims { vectors: vectors_sent, samples, omega, contraction, read, ..Claims::default() };
    if q.is_unbiased() && omega.is_none() {
        found.broken.push("it says that it is unbiased, and has no ω: `omega(d)`".to_owned());
    }
    let tests = (vectors_sent * (2 + SIGNS + ENTRIES)) as f64;
    for (number, x) in vectors.iter().enumerate() {
        let mut sent = Sent::new(q, x, tests, (omega, contraction));
        let streams = Streams::new(seed, number as u64);
        for sample in 0..samples {
            sent.send(Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, sample)), samples)?;
        }
        sent.conclude(&mut found);
        if found.broken.len() >= MOST {
            break;
        }
    }
    zero(q, d, seed, &mut found)?;
    lengths(q, d, (samples, seed), &mut found)?;
    Ok(found)
}

/// More broken claims say nothing more.
const MOST: usize = 3;

/// Messages of one vector.
struct Sent<'a> {
    q: &'a dyn Compressor,
    x: &'a [f64],
    norm_sq: f64,
    /// L, for two-sided tests, and for one-sided ones.
    levels: [f64; 2],
    /// Of unbiased operators, ω.
    omega: Option<f64>,
    /// The factor of ‖x‖² that bounds the mean square.
    bound: Option<f64>,
    directions: Vec<(String, Vec<f64>)>,
    /// Σ ψ of each direction.
    sums: Vec<f64>,
    /// ln of what each stake has become.
    fortunes: [f64; STAKES.len()],
    message: Encoded,
    error: Vec<f64>,
    total: f64,
    along: f64,
    count: u64,
    wrong: Option<String>,
}

impl<'a> Sent<'a> {
    fn new(q: &'a dyn Compressor, x: &'a [f64], tests: f64, (omega, contraction): (Option<f64>, Option<f64>)) -> Self {
        let directions = if omega.is_some() { directions(x) } else { Vec::new() };
        Self {
            q,
            x,
            norm_sq: squared(x),
            levels: [libm::log(2.0 * tests / FALSE_ALARM), libm::log(tests / FALSE_ALARM)],
            omega,
            bound: omega.or_else(|| contraction.map(|delta| 1.0 - delta)),
            sums: vec![0.0; directions.len()],
            directions,
            fortunes: [0.0; STAKES.len()],
            message: Encoded::new(),
            error: vec![0.0; x.len()],
            total: 0.0,
            along: 0.0,
            count: 0,
            wrong: None,
        }
    }

    fn send(&mut self, draw: Draw<'_>, samples: u64) -> Result<(), CodecError> {
        self.q.encode(self.x, draw, &mut self.message)?;
        if self.wrong.is_none() && self.count < AUDITED {
            self.wrong = audit(self.q, &self.message, draw).err().map(|error| error.to_string());
        }
        self.q.decode(&self.message, &mut self.error);
        self.error.iter_mut().zip(self.x).for_each(|(value, x)| *value -= x);
        self.count += 1;
        let square = squared(&self.error);
        self.total += square;
        self.along += dot(&self.error, self.x);
        if let Some(bound) = self.bound {
            let bound = (bound + ROUNDING * ROUNDING.max(bound)) * self.norm_sq;
            for (fortune, stake) in self.fortunes.iter_mut().zip(STAKES) {
                *fortune += libm::log(1.0 + stake * (square / bound - 1.0));
            }
        }
        if let Some(omega) = self.omega {
            let variance = omega.max(ROUNDING * ROUNDING) * self.norm_sq;
            let scale = (2.0 * self.levels[0] / (samples as f64 * variance)).sqrt();
            let forgiven = ROUNDING * self.norm_sq.sqrt();
            for (sum, (_, direction)) in self.sums.iter_mut().zip(&self.directions) {
                let along = dot(&self.error, direction);
                let u = scale * (along.abs() - forgiven).max(0.0);
                *sum += libm::log(1.0 + u + 0.5 * u * u) * along.signum();
            }
        }
        Ok(())
    }

    fn conclude(self, found: &mut Claims) {
        let (n, at) = (self.count as f64, shown(self.x));
        let (error, shrinkage) = (self.total / n / self.norm_sq, self.along / n / self.norm_sq);
        found.error = found.error.max(error);
        if shrinkage.abs() > found.shrinkage.abs() {
            found.shrinkage = shrinkage;
        }
        let biased = self.sums.iter().zip(&self.directions).find(|(sum, _)| sum.abs() > 2.0 * self.levels[0]);
        if let Some((_, (name, _))) = biased {
            let by = match name.as_str() {
                "" => format!("⟨x, Q(x)⟩ is {:.3} ‖x‖² on average", 1.0 + shrinkage),
                name => format!("the mean differs from x {name}"),
            };
            found.broken.push(format!("it is not unbiased: {by}, at {at}"));
        }
        let stakes = self.fortunes.iter().map(|fortune| libm::exp((fortune - self.levels[1]).min(1.0)));
        if stakes.sum::<f64>() > STAKES.len() as f64 {
            let claim = match (self.omega, found.contraction) {
                (Some(omega), _) => format!("ω = {omega}"),
                (None, delta) => format!("1 − δ = {}", 1.0 - delta.unwrap_or_default()),
            };
            found.broken.push(format!("‖Q(x) − x‖² is {error:.4} ‖x‖² on average, above {claim}, at {at}"));
        }
        found.broken.extend(self.wrong.filter(|wrong| !found.broken.contains(wrong)));
    }
}

/// Messages of a vector whose strings are written and read.
const AUDITED: u64 = 20;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The beginning of a vector.
fn shown(x: &[f64]) -> String {
    let first: Vec<String> = x.iter().take(4).map(|value| format!("{value:.3}")).collect();
    format!("x = ({}{})", first.join(", "), if x.len() > first.len() { ", …" } else { "" })
}

/// Unit vectors along which means are looked at: x itself, whose name is empty, its largest entries, random signs.
fn directions(x: &[f64]) -> Vec<(String, Vec<f64>)> {
    let unit = |a: Vec<f64>| {
        let norm = squared(&a).sqrt();
        a.into_iter().map(|value| value / norm).collect::<Vec<f64>>()
    };
    let mut largest: Vec<usize> = (0..x.len()).collect();
    largest.sort_by(|&i, &j| x[j].abs().total_cmp(&x[i].abs()));
    let entries = largest.into_iter().take(ENTRIES);
    let entry = |i: usize| (format!("in entry {i}"), (0..x.len()).map(|j| f64::from(u8::from(j == i))).collect());
    let mut stream = Streams::new(21, 0).at(DrawPurpose::Data, 2, 0);
    let mut signs = || (0..x.len()).map(|_| if stream.bernoulli(0.5) { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
    let signs: Vec<_> = (0..SIGNS).map(|_| ("along random signs".to_owned(), unit(signs()))).collect();
    std::iter::once((String::new(), unit(x.to_vec()))).chain(entries.map(entry)).chain(signs).collect()
}

/// What stands for the zero vector is zero, where a claim says so.
fn zero(q: &dyn Compressor, d: usize, seed: u64, found: &mut Claims) -> Result<(), CodecError> {
    let (mut message, mut decoded) = (Encoded::new(), vec![0.0; d]);
    let key = Streams::new(seed, 0).counter(DrawPurpose::Compression, 1, 0);
    q.encode(&vec![0.0; d], Draw::Keyed(key), &mut message)?;
    q.decode(&message, &mut decoded);
    if (found.omega.is_some() || found.contraction.is_some()) && decoded.iter().any(|value| *value != 0.0) {
        found.broken.push("the zero vector is not decoded to zeros".to_owned());
    }
    Ok(())
}

/// Fewer bits per entry than this need not tell all floats apart.
const FEW_BITS: f64 = 18.0;

/// No code of R bits per entry leaves less than 2^(−2R) of the variance of independent normal entries, not even after
/// the best scaling (rate–distortion theory): where less is left, messages are longer than the operator says.
fn lengths(q: &dyn Compressor, d: usize, (samples, seed): (u64, u64), found: &mut Claims) -> Result<(), CodecError> {
    let (mut message, mut decoded) = (Encoded::new(), vec![0.0; d]);
    let (mut bits, mut cross, mut square, mut signal) = (0.0, 0.0, 0.0, 0.0);
    let mut parts = Vec::new();
    for sample in 0..samples {
        let x = normal(d, seed.wrapping_add(1), sample);
        let key = Streams::new(seed, 1).counter(DrawPurpose::Compression, 0, sample);
        q.encode(&x, Draw::Keyed(key), &mut message)?;
        q.decode(&message, &mut decoded);
        bits += message.bits() as f64;
        let part = [dot(&x, &decoded), squared(&decoded), squared(&x)];
        (cross, square, signal) = (cross + part[0], square + part[1], signal + part[2]);
        parts.push(part);
    }
    let n = samples as f64;
    found.bits = bits / n;
    let scale = if square > 0.0 { cross / square } else { 0.0 };
    let left: Vec<f64> =
        parts.iter().map(|[cross, square, signal]| signal - 2.0 * scale * cross + scale * scale * square).collect();
    let mean = left.iter().sum::<f64>() / n;
    let variance = left.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n;
    let rate = found.bits / d as f64;
    let least = libm::exp2(-2.0 * rate);
    // The mean of few samples: P(Z > 6) = 1e-9.
    if rate < FEW_BITS && mean + 6.0 * (variance / n).sqrt() < least * d as f64 {
        found.broken.push(format!(
            "messages are longer than it says: no code of {rate:.2} bits per entry leaves less than {least:.2e} of the \
             variance of normal entries, and {:.2e} is left",
            mean / signal * n
        ));
    }
    Ok(())
}
