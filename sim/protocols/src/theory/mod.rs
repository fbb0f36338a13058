//! What the theorems of the FedEM paper say about a scenario, from local estimates of their constants.
//!
//! With ω the compressor's constant and p the participation, PP is full participation with ω_p = (1 + ω)/p − 1, and
//! ω/p + (1/p − 1) n/(n − 1) for cohorts, whose clients are drawn without replacement:
//!
//! ```text
//! (9):        ω = 0, p = 1:  γ < 2 v_min/L_Ẇ, whatever α and the memories
//! Theorem 1:  α = 1/(1 + ω),  γ_max = v_min/(2 L_Ẇ) ∧ p √n / (2 √2 L (1 + ω) √ω_p)
//!             α below that:   γ_max = v_min/(2 L_Ẇ) ∧ α p √n / (2 √2 L √ω_p)
//! Theorem 3:  α = 1/(1 + ω),  b ≥ k_in/(1 + ω)²,  p = 1,
//!             γ = (v_min/L_Ẇ) / (1 + 4 √2 (v_max/L_Ẇ)(L/√n)(1 + ω) √(ω + (1 + 10 ω)/8))
//! Rate:       near the limit ‖h(Ŝ_k)‖² ~ max((1 − γ (1 − ρ))², 1 − α p (2 − α (1 + ω)))^k, ρ the spectral radius
//!             of d(s̄ ∘ T) there
//! ```
//!
//! The second term of the rate is our derivation, too. With D = h_i − V_i and h_i at rest, a client takes part with
//! probability p and leaves D − α Q(D), where E‖D − α Q(D)‖² = (1 − 2 α + α² (1 + ω)) ‖D‖². The noise of H is
//! proportional to the mean of ‖D‖², and h follows it where that is slower than EM. With α = 1/(1 + ω) the factor is
//! 1 − α p. It is exact for an operator with E‖Q(D) − D‖² = ω ‖D‖², such as Rand-k; where ω is only a bound, as of
//! dithering, memories learn faster. Above 1/(1 + ω), the noise that h and memories give each other is not small, and
//! no rate is given; nor of a biased operator.
//!
//! The second line of Theorem 1 is our derivation: with G the mean of ‖h_i − V_i‖², α p in the place of 1/(1 + ω_p) and
//! E‖H‖² ≤ ‖h‖² + (ω_p/n) G a step takes G to (1 − α p/2) G + 2/(α p) L² γ² E‖H‖² at most, so that
//! W + 2 γ² L_Ẇ ω_p/(n α p) G falls by γ (v_min − γ L_Ẇ) ‖h‖² if γ² ≤ (α p)² n/(8 L² ω_p).
//!
//! The assumptions ask for global constants, which a mixture does not have. What stands here comes from a few points
//! ([`local`]) and bounds nothing elsewhere: it says in which regime a scenario is, not what is proved about it.

pub mod descent;
pub mod local;

use local::{Eigenvalues, LocalConstants};

use crate::schedule::Schedule;

/// What a scenario fixes of what the theorems speak of.
#[derive(Clone, Debug, PartialEq)]
pub struct Premises {
    /// The compressor's name.
    pub compressor: String,
    /// ω, for compressors that have one.
    pub omega: Option<f64>,
    /// Mean length of a message, in bits.
    pub expected_bits: Option<String>,
    /// α in use; none without memory.
    pub alpha: Option<f64>,
    /// γ_k.
    pub gamma: Schedule,
    /// n.
    pub clients: f64,
    /// p, the probability that a client takes part.
    pub participation: f64,
    /// Are that cohorts of one size?
    pub cohort: bool,
    /// Does everybody send all in every round, up to rounding (ω = 0 and p = 1)?
    pub exact: bool,
    /// b of a client's batch, none for everything.
    pub batch: Option<u32>,
    /// The variance of a mean over a batch, in that of one of so many independent draws.
    pub batch_variance: f64,
    /// k_in, for VR-FedEM.
    pub inner: Option<u32>,
    /// ε: the accuracy ‖h‖² ≤ ε asked for.
    pub target: Option<f64>,
    /// Expectations of a round, on average.
    pub expectations: f64,
    /// What the theorems ask for beside the numbers, and is not so.
    pub unmet: Vec<&'static str>,
}

/// The two terms of γ_max in Theorem 1; the second is infinite when nothing is compressed and everybody takes part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammaMax {
    /// v_min/(2 L_Ẇ).
    pub smoothness: f64,
    /// α p √n / (2 √2 L √ω_p).
    pub compression: f64,
}

impl GammaMax {
    /// The smaller of the two.
    pub fn value(self) -> f64 {
        self.smoothness.min(self.compression)
    }
}

/// Rounds that a prediction looks ahead where γ is not constant.
const FORESEEN: u64 = 1_000_000;

/// What the floats of the wire round, of α (1 + ω).
const ROUNDING: f64 = 1e-9;

/// Is α above 1/(1 + ω), by more than that?
pub(crate) fn is_large_alpha(alpha: f64, omega: f64) -> bool {
    alpha * (1.0 + omega) > 1.0 + ROUNDING
}

/// Is α below 1/(1 + ω), by more than that?
fn is_small_alpha(alpha: f64, omega: f64) -> bool {
    alpha * (1.0 + omega) < 1.0 - ROUNDING
}

/// (9), without compression and with everybody.
pub fn uncompressed(constants: &LocalConstants, v: Eigenvalues) -> GammaMax {
    GammaMax { smoothness: 2.0 * v.min / constants.l_w, compression: f64::INFINITY }
}

/// (10).
pub fn theorem_3(constants: &LocalConstants, v: Eigenvalues, omega: f64, n: f64) -> f64 {
    v.min / constants.l_w / (1.0 + penalty(constants, v, omega, n))
}

/// 4 √2 (v_max/L_Ẇ)(L/√n)(1 + ω) √(ω + (1 + 10 ω)/8): what decides the regime of Theorem 3.
fn penalty(constants: &LocalConstants, v: Eigenvalues, omega: f64, n: f64) -> f64 {
    let noise = (omega + (1.0 + 10.0 * omega) / 8.0).sqrt();
    4.0 * 2.0_f64.sqrt() * v.max / constants.l_w * constants.l_examples / n.sqrt() * (1.0 + omega) * noise
}

/// b of Theorem 3, ⌈k_in/(1 + ω)²⌉.
fn needed_batch(inner: u32, omega: f64) -> f64 {
    libm::ceil(f64::from(inner) / ((1.0 + omega) * (1.0 + omega)))
}

/// A step for people: four decimals, or two digits where these say nothing.
fn short(step: f64) -> String {
    if (1e-3..1e4).contains(&step) { format!("{step:.4}") } else { format!("{step:.1e}") }
}

/// Decades of ‖h‖² per round near the limit, where memories do not matter: 2 log₁₀(1 − γ (1 − ρ)).
pub fn slope(gamma: f64, rho: f64) -> f64 {
    2.0 * libm::log10(1.0 - gamma * (1.0 - rho))
}

/// What the theory says of a scenario in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// ω of the compressor; none of a biased one.
    pub omega: Option<f64>,
    /// γ of the first round.
    pub gamma: f64,
    /// The largest γ that the theorem covers: Theorem 3 for VR-FedEM, else Theorem 1, or (9). None without ω or v_min,
    /// and for VR-FedEM where not everybody takes part.
    pub gamma_max: Option<f64>,
    /// Does the theorem cover the run? None without ω, and where only the missing γ max could tell.
    pub covered: Option<bool>,
    /// Decades of ‖h‖² per round near the limit, without noise of batches: those of EM or of the memories, whichever
    /// fall more slowly; of a constant γ, an unbiased operator and an α of at most 1/(1 + ω).
    pub slope: Option<f64>,
    /// Rounds until the accuracy that is asked for, at the slope of each round from the start on; none beyond 10⁶ of
    /// a γ that changes.
    pub rounds: Option<f64>,
}

impl Premises {
    /// The same as [`lines`](Premises::lines) in numbers.
    pub fn summary(&self, constants: &LocalConstants) -> Summary {
        let gamma_max = self.gamma_max(constants);
        let slope = match self.gamma {
            Schedule::Constant(_) if constants.v.is_ok() => self.slope_at(1, constants.rho).ok(),
            _ => None,
        };
        Summary {
            omega: self.omega,
            gamma: self.gamma.at(1),
            gamma_max,
            covered: self.is_covered(gamma_max),
            slope,
            rounds: constants.v.as_ref().ok().and_then(|_| self.rounds(constants)),
        }
    }

    /// Decades per round of the mean of ‖h_i − V_i‖²; none where all is sent, so that memories change no step.
    ///
    /// # Errors
    /// Why there is no rate.
    fn memory_slope(&self) -> Result<Option<f64>, &'static str> {
        if self.exact {
            return Ok(None);
        }
        let omega = self.omega.ok_or("the compressor is biased")?;
        let Some(alpha) = self.alpha else { return Ok(None) };
        if is_large_alpha(alpha, omega) {
            return Err("α is above 1/(1 + ω), so that memories may not settle");
        }
        Ok(Some(libm::log10(1.0 - alpha * self.participation * (2.0 - alpha * (1.0 + omega)))))
    }

    /// Decades per round of ‖h‖² near the limit at γ_k.
    fn slope_at(&self, k: u64, rho: f64) -> Result<f64, &'static str> {
        let (of_em, of_memories) = (slope(self.gamma.at(k), rho), self.memory_slope()?);
        Ok(of_memories.map_or(of_em, |of_memories| of_em.max(of_memories)))
    }

    /// ω_p of an operator with this ω.
    pub fn omega_p(&self, omega: f64) -> f64 {
        let (p, n) = (self.participation, self.clients);
        let scarcity = if self.cohort && n > 1.0 { n / (n - 1.0) } else { 1.0 };
        omega / p + (1.0 / p - 1.0) * scarcity
    }

    /// (7) for an operator with this ω and memories of this α, with partial participation.
    pub fn theorem_1(&self, constants: &LocalConstants, v: Eigenvalues, omega: f64, alpha: f64) -> GammaMax {
        let scale = 2.0 * 2.0_f64.sqrt() * constants.l * self.omega_p(omega).sqrt();
        GammaMax {
            smoothness: v.min / (2.0 * constants.l_w),
            compression: alpha * self.participation * self.clients.sqrt() / scale,
        }
    }

    /// The limit of FedEM's γ. That of an α that is too large is the limit of the α that is not.
    fn limit(&self, constants: &LocalConstants, v: Eigenvalues, omega: f64) -> GammaMax {
        let proved = 1.0 / (1.0 + omega);
        match self.exact {
            true => uncompressed(constants, v),
            false => self.theorem_1(constants, v, omega, self.alpha.map_or(proved, |alpha| alpha.min(proved))),
        }
    }

    fn gamma_max(&self, constants: &LocalConstants) -> Option<f64> {
        let (omega, v) = (self.omega?, *constants.v.as_ref().ok()?);
        match self.inner {
            Some(_) if self.is_partial() => None,
            Some(_) => Some(theorem_3(constants, v, omega, self.clients)),
            None => Some(self.limit(constants, v, omega).value()),
        }
    }

    /// What the theorem asks for beside γ comes first: α, the start, and for VR-FedEM everybody and large batches.
    fn is_covered(&self, gamma_max: Option<f64>) -> Option<bool> {
        let omega = self.omega?;
        let outside = self.inner.is_some_and(|inner| self.is_partial() || self.has_small_batches(inner, omega));
        if self.has_other_alpha(omega) || outside || !self.unmet.is_empty() {
            Some(false)
        } else {
            Some(self.gamma.at(1) <= gamma_max?)
        }
    }

    /// Is α none of which the theorem speaks? Where messages say all it does not count.
    fn has_other_alpha(&self, omega: f64) -> bool {
        let is_other = |alpha| is_large_alpha(alpha, omega) || self.inner.is_some() && is_small_alpha(alpha, omega);
        !self.exact && self.alpha.is_some_and(is_other)
    }

    /// Do not all clients take part in every round?
    fn is_partial(&self) -> bool {
        self.participation < 1.0
    }

    fn has_small_batches(&self, inner: u32, omega: f64) -> bool {
        self.batch.is_some_and(|b| f64::from(b) < needed_batch(inner, omega))
    }

    /// Rounds to the target, where there is a target ahead.
    fn rounds(&self, constants: &LocalConstants) -> Option<f64> {
        let ahead = libm::log10(self.target? / constants.initial_field_sq);
        let first = self.slope_at(1, constants.rho).ok()?;
        if ahead >= 0.0 || first >= 0.0 {
            return None;
        }
        if matches!(self.gamma, Schedule::Constant(_)) {
            // With ρ = 0 and γ = 1 nothing is left after one round.
            return Some(libm::ceil(ahead / first).max(1.0));
        }
        let mut fallen = 0.0;
        let reaches = |&k: &u64| {
            fallen += self.slope_at(k, constants.rho).unwrap_or(0.0);
            fallen <= ahead
        };
        (1..=FORESEEN).find(reaches).map(|k| k as f64)
    }

    /// What the theory says, a line each. Never more than local estimates.
    pub fn lines(&self, constants: &LocalConstants) -> Vec<String> {
        let bits = self.expected_bits.as_ref().map_or(String::new(), |bits| format!(", {bits} a message"));
        let mut lines = vec![
            format!(
                "theory, from local estimates at {} points of the EM path (no global constants):",
                constants.points
            ),
            format!(
                "  L = {:.3}, L of single examples = {:.3}, L_W = {:.3}, σ² of one example = {:.3e}, {}",
                constants.l,
                constants.l_examples,
                constants.l_w,
                constants.sigma_sq,
                match &constants.v {
                    Ok(v) => format!("v_min = {:.3}, v_max = {:.3}", v.min, v.max),
                    Err(why) => format!("no v_min and no v_max: {why}"),
                }
            ),
        ];
        let Some(omega) = self.omega else {
            lines.push(format!("  {}: biased, no ω{bits}: no theorem applies", self.compressor));
            lines.extend(self.rate(constants));
            return lines;
        };
        let proved = 1.0 / (1.0 + omega);
        let alpha = match self.alpha {
            Some(alpha) if self.has_other_alpha(omega) => format!("α = {alpha:.4}, not covered"),
            Some(alpha) => format!("α = {alpha:.4}"),
            None => "no memory".to_owned(),
        };
        lines.push(format!(
            "  {}: ω = {omega:.4}, ω_p = {:.4}, {alpha} (theorems: 1/(1 + ω) = {proved:.4}){bits}",
            self.compressor,
            self.omega_p(omega)
        ));
        lines.extend(match (&constants.v, self.inner) {
            (_, Some(_)) if self.is_partial() => {
                vec![format!("  Theorem 3: for full participation, and p = {} here: not covered", self.participation)]
            }
            (Ok(v), Some(inner)) => self.variance_reduced(constants, *v, (inner, omega)),
            (Ok(v), None) => self.plain(constants, *v, omega),
            (Err(_), Some(_)) => vec!["  Theorem 3: no estimate of its γ, which needs v_min".to_owned()],
            (Err(_), None) => vec!["  Theorem 1: no estimate of γ_max, which needs v_min".to_owned()],
        });
        lines.extend(self.unmet.iter().map(|unmet| format!("  {unmet}: not covered")));
        lines.extend(self.rate(constants));
        lines
    }

    /// Theorem 1 and its four regimes.
    fn plain(&self, constants: &LocalConstants, v: Eigenvalues, omega: f64) -> Vec<String> {
        let (limit, gamma) = (self.limit(constants, v, omega), self.gamma.at(1));
        let compared = if gamma <= limit.value() { "below it" } else { "ABOVE it: not covered" };
        let found = short(limit.value());
        let mut lines = vec![match self.exact {
            true => {
                format!("  without compression, (9): γ_max ≈ {found}, whatever the memories; γ = {gamma} is {compared}")
            }
            false => format!(
                "  Theorem 1: γ_max ≈ {found} (smoothness {}, compression and participation {}); γ = {gamma} is \
                 {compared}",
                short(limit.smoothness),
                if limit.compression.is_finite() { short(limit.compression) } else { "no limit".to_owned() },
            ),
        }];
        let Some(target) = self.target else { return lines };
        let sigma_sq = self.batch.map_or(0.0, |b| self.batch_variance * constants.sigma_sq / f64::from(b));
        let spread = 1.0 + self.omega_p(omega);
        let noise = limit.value() * spread * sigma_sq / (self.clients * target);
        let (complexity, factor) = match (noise >= 1.0, limit.compression < limit.smoothness) {
            (true, false) => ("high noise, γ_max of smoothness", increase("1 + ω", 1.0 + omega)),
            (true, true) => ("high noise, γ_max of compression", increase("1 + ω", 1.0 + omega)),
            (false, false) => ("low noise, γ_max of smoothness", "is about what it is uncompressed".to_owned()),
            (false, true) => {
                // (9) covers four times its first term, where it bounds nothing: its best bound is half of that of (8).
                let alpha = self.alpha.filter(|&alpha| is_small_alpha(alpha, omega)).unwrap_or(1.0);
                let whole = self.theorem_1(constants, v, 0.0, alpha);
                ("low noise, γ_max of compression", slower(whole.value(), limit.value()))
            }
        };
        lines.push(format!(
            "  regime at ε = {target:e}: {complexity} (γ_max (1 + ω_p) σ²/(n ε) = {noise:.2e}, high from 1 on): K_opt, \
             the rounds to ‖h‖² ≤ ε, \
             {factor}"
        ));
        lines
    }

    /// Theorem 3 and its two regimes.
    fn variance_reduced(&self, constants: &LocalConstants, v: Eigenvalues, (inner, omega): (u32, f64)) -> Vec<String> {
        let [limit, whole] = [omega, 0.0].map(|omega| theorem_3(constants, v, omega, self.clients));
        let large = penalty(constants, v, omega, self.clients);
        let regime = if large <= 1.0 {
            "large n/ω³: K_opt, the rounds to ‖h‖² ≤ ε, is about what it is uncompressed".to_owned()
        } else {
            format!("small n/ω³: K_opt, the rounds to ‖h‖² ≤ ε, {}", slower(whole, limit))
        };
        let needed = needed_batch(inner, omega);
        let batch = match self.batch {
            Some(b) if self.has_small_batches(inner, omega) => {
                format!("b = {b} is below k_in/(1 + ω)² = {needed}: not covered")
            }
            Some(b) => format!("b = {b} covers k_in/(1 + ω)² = {needed}"),
            None => "full batches".to_owned(),
        };
        let gamma = self.gamma.at(1);
        let covered = if gamma <= limit { "below it" } else { "ABOVE it: not covered" };
        vec![
            format!("  Theorem 3: γ ≈ {}; γ = {gamma} is {covered}; {batch}", short(limit)),
            format!(
                "  regime (4√2 (v_max/L_W)(L/√n)(1 + ω)√(ω + (1 + 10 ω)/8) = {large:.2e}, small up to 1): {regime}"
            ),
        ]
    }

    /// The rate near the limit, and what it predicts.
    fn rate(&self, constants: &LocalConstants) -> Vec<String> {
        let rho = constants.rho;
        if constants.v.is_err() {
            return vec![format!("  ρ = {rho:.4} at the last point of EM: no rate is predicted")];
        }
        let (gamma, changes) = (self.gamma.at(1), !matches!(self.gamma, Schedule::Constant(_)));
        let (slope, of_memories) = match (self.slope_at(1, rho), self.memory_slope()) {
            (Ok(slope), Ok(of_memories)) => (slope, of_memories),
            (Err(why), _) | (_, Err(why)) => {
                return vec![format!("  ρ = {rho:.4} at the limit: no rate is predicted, {why}")];
            }
        };
        let memories = of_memories.map_or_else(String::new, |slope| format!(", memories settle by 10^{slope:.6}"));
        let mut lines = vec![format!(
            "  ρ = {rho:.4} at the limit: ‖h‖² falls by 10^{slope:.6} {} (1 − γ (1 − ρ) = {:.6}{memories}) until noise \
             shows",
            if changes { "in the first round, and later as γ says" } else { "a round" },
            1.0 - gamma * (1.0 - rho)
        )];
        match (self.target, self.rounds(constants)) {
            (Some(target), Some(rounds)) => lines.push(format!(
                "  predicted without noise: K_opt({target:e}) ≈ {rounds:.0} rounds, K_CE ≈ {:.3e} expectations",
                rounds * self.expectations
            )),
            (Some(target), None) if changes && target < constants.initial_field_sq => lines
                .push(format!("  predicted without noise: K_opt({target:e}) is above {FORESEEN} rounds, as γ falls")),
            _ => {}
        }
        lines
    }
}

/// What compression does to K_opt, where the step is what it takes: it goes by 1/γ.
fn slower(whole: f64, limit: f64) -> String {
    let formula = format!("{}/{}", short(whole), short(limit));
    increase(&format!("γ_max as ω → 0 / γ_max = {formula}"), whole / limit)
}

fn increase(formula: &str, factor: f64) -> String {
    format!("is about {formula} = {factor:.2} times what it is uncompressed")
}
