//! What theorems on compressed and local gradient methods say where E-steps are gradient steps of size ρ
//! ([`Descent`]). A step γ of the protocol is the step ρ γ of the papers. f = n⁻¹ Σ w_i f_i is
//! L-smooth and µ-strongly convex, w_i f_i is L_i-smooth, L_max the largest of these and L̃² = n⁻¹ Σ L_i²; of local
//! methods L_max is the largest of f_i. Smooth objectives; ω_p and α p take partial participation in as FedEM's
//! theorems do here.
//!
//! ```text
//! gradient   ρ γ ≤ 1/L;  ‖x − x*‖² falls by (1 − ρ γ µ)² a round
//! DIANA      ρ γ ≤ 1/(L + 6 ω_p L_max/n), α ≤ 1/(1 + ω), convex f_i;  max(1 − ρ γ µ, 1 − α p/2)
//! EF21       ρ γ ≤ 1/(L + L̃ √(B/θ)), θ = 1 − √(1 − δ), B = (1 − δ)/θ, with `lazy` at least ζ;
//!            for ρ γ ≤ min(1/(L + L̃ √(2B/θ)), θ/(2µ)):  1 − ρ γ µ
//! MARINA     ρ γ ≤ 1/(L + L̃ √((1 − p) ω/(p n))), of PermK with ω/n = 1;
//!            for ρ γ ≤ min(1/(L + L̃ √(2 (1 − p) ω/(p n))), p/(2µ)):  1 − ρ γ µ
//! ProxSkip   ρ γ ≤ 1/L_max;  1 − min(ρ γ µ, p²) a local step
//! LoCoDL     ρ γ < 2/L_max, 2ϱ − ϱ² (1 + ω_av) ≥ χ;  a local step
//!            max((1 − ρ γ µ')², (1 − ρ γ L_max)², 1 − p² χ/(1 + 2ω)), µ' the smaller of σ/ρ and µ − σ/ρ
//! ```
//!
//! Sources: DIANA as Gorbunov, Hanzely and Richtárik, "A unified theory of SGD" (AISTATS 2020) with M = 4 ω/(n α),
//! where we keep L and L_max apart; EF21 Theorems 1 and 2, with ζ as 3PC (Theorems 5.5 and 5.8 there, M₁ = L + L̃
//! √(B/θ)); MARINA Theorems 2.1 and 2.2, whose first L is L̃, as Szlendak, Tyurin and Richtárik (2022) have it;
//! ProxSkip Theorem 3.4; LoCoDL Theorem 3.1. Rates are those of a Lyapunov function: rounds are counted without its
//! constants.

use fedbits_models::{Descent, DomainPolicy};

use super::{is_large_alpha, short};
use crate::federation::Federation;
use crate::schedule::Schedule;
use crate::state::State;

/// Is the step at most the limit, up to the rounding of L and of ρ?
fn is_at_most(gamma: f64, limit: f64) -> bool {
    gamma <= limit * (1.0 + 1e-9)
}

/// What a protocol fixes of what these theorems speak of.
#[derive(Clone, Debug, PartialEq)]
pub struct DescentPremises {
    /// The algorithm.
    pub method: DescentMethod,
    /// γ_k.
    pub gamma: Schedule,
    /// ε: the accuracy ‖h‖² ≤ ε asked for.
    pub target: Option<f64>,
    /// What the theorems ask for beside the numbers, and is not so.
    pub unmet: Vec<&'static str>,
}

/// An algorithm with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DescentMethod {
    /// Everybody sends everything.
    Gradient,
    /// FedEM's messages.
    Diana {
        /// ω_p.
        omega_p: f64,
        /// ω.
        omega: f64,
        /// α.
        alpha: f64,
        /// p.
        participation: f64,
    },
    /// Error feedback.
    Ef21 {
        /// δ.
        delta: f64,
        /// ζ.
        lazy: f64,
    },
    /// Changes of gradients.
    Marina {
        /// ω.
        omega: f64,
        /// ω/n, 1 of operators that draw together.
        omega_av: f64,
        /// p.
        probability: f64,
    },
    /// Local steps and a coin.
    ProxSkip {
        /// p.
        probability: f64,
    },
    /// Local steps, a coin and compression.
    LoCoDl {
        /// p.
        probability: f64,
        /// ω.
        omega: f64,
        /// ω_av.
        omega_av: f64,
        /// χ.
        chi: f64,
        /// ϱ.
        rho: f64,
        /// σ.
        shared: f64,
    },
}

/// Constants of a problem, exact but for µ, which may be larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentConstants {
    /// ρ.
    pub step: f64,
    /// n.
    pub clients: f64,
    /// L.
    pub l: f64,
    /// The largest L_i, with weights.
    pub l_max: f64,
    /// The largest L of an f_i, without weights.
    pub l_local: f64,
    /// L̃.
    pub l_square: f64,
    /// µ; 0 where it is not known.
    pub mu: f64,
    /// Is T the identity?
    pub is_smooth: bool,
    /// ‖h(Ŝ₀)‖².
    pub initial_field_sq: f64,
}

impl DescentConstants {
    /// Of the clients' data, from `start`: some hundred passes over them; none where the model is no descent, or the
    /// start has no parameters.
    #[must_use]
    pub fn of(federation: &Federation, start: &State<'_>) -> Option<Self> {
        let descent = federation.model().descent()?;
        let n = f64::from(federation.clients());
        let smooth = |i: u32| (federation.weight(i), descent.smoothness(federation.examples(i)));
        let each: Vec<(f64, f64)> = (0..federation.clients()).map(smooth).collect();
        let most = |of: fn(&(f64, f64)) -> f64| each.iter().map(of).fold(0.0, f64::max);
        let mean = |of: fn(&(f64, f64)) -> f64| each.iter().map(of).sum::<f64>() / n;
        Some(Self {
            step: descent.step(),
            clients: n,
            l: of_all(federation, descent).unwrap_or_else(|| mean(|(w, l)| w * l)),
            l_max: most(|(w, l)| w * l),
            l_local: most(|(_, l)| *l),
            l_square: mean(|(w, l)| w * w * l * l).sqrt(),
            mu: descent.strong_convexity(),
            is_smooth: is_identity(federation),
            initial_field_sq: federation.probe(start).ok()?.mean_field_sq?,
        })
    }
}

/// L of all examples together, where clients weigh as much as they hold.
fn of_all(federation: &Federation, descent: &dyn Descent) -> Option<f64> {
    let share = |i: u32| f64::from(federation.clients()) * f64::from(federation.size(i)) / federation.total() as f64;
    let equal = (0..federation.clients()).all(|i| (federation.weight(i) - share(i)).abs() <= 1e-12 * share(i));
    equal.then(|| descent.smoothness(federation.pooled()))
}

/// A proximal map takes small numbers to 0.
fn is_identity(federation: &Federation) -> bool {
    let (s, mut theta) = (vec![1e-12; federation.model().statistic_dimension()], Vec::new());
    federation.model().maximize(&s, DomainPolicy::Error, &mut theta).is_ok() && theta == s
}

impl DescentMethod {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gradient => "gradient descent",
            Self::Diana { .. } => "DIANA",
            Self::Ef21 { lazy, .. } if lazy > 0.0 => "CLAG (3PC)",
            Self::Ef21 { .. } => "EF21",
            Self::Marina { .. } => "MARINA",
            Self::ProxSkip { .. } => "ProxSkip",
            Self::LoCoDl { .. } => "LoCoDL",
        }
    }

    /// ω, where it is unbiased.
    #[must_use]
    pub fn omega(self) -> Option<f64> {
        match self {
            Self::Gradient | Self::ProxSkip { .. } => Some(0.0),
            Self::Diana { omega, .. } | Self::LoCoDl { omega, .. } | Self::Marina { omega, .. } => Some(omega),
            Self::Ef21 { .. } => None,
        }
    }

    /// The largest γ of the protocol, and the formula of ρ γ.
    #[must_use]
    pub fn gamma_max(self, constants: &DescentConstants) -> (f64, &'static str) {
        let DescentConstants { step, clients, l, l_max, l_local, l_square, .. } = *constants;
        let (limit, formula) = match self {
            Self::Gradient => (1.0 / l, "1/L"),
            Self::Diana { omega_p, .. } => (1.0 / (l + 6.0 * omega_p * l_max / clients), "1/(L + 6 ω_p L_max/n)"),
            Self::Ef21 { delta, lazy } => {
                let (theta, b) = contraction(delta, lazy);
                (1.0 / (l + l_square * (b / theta).sqrt()), "1/(L + L̃ √(B/θ))")
            }
            Self::Marina { omega_av, probability: p, .. } => {
                (1.0 / (l + l_square * ((1.0 - p) * omega_av / p).sqrt()), "1/(L + L̃ √((1 − p) ω/(p n)))")
            }
            Self::ProxSkip { .. } => (1.0 / l_local, "1/L_max"),
            Self::LoCoDl { .. } => (2.0 / l_local, "2/L_max"),
        };
        (limit / step, formula)
    }

    /// The factor of a Lyapunov function a round at γ; none where no theorem gives one.
    fn rate(self, gamma: f64, constants: &DescentConstants) -> Option<f64> {
        let DescentConstants { step, l, l_local, l_square, mu, .. } = *constants;
        if mu <= 0.0 || !is_at_most(gamma, self.gamma_max(constants).0) {
            return None;
        }
        let eta = step * gamma;
        let slow = 1.0 - eta * mu;
        let factor = match self {
            Self::Gradient => slow * slow,
            Self::Diana { alpha, participation, .. } => slow.max(1.0 - alpha * participation / 2.0),
            Self::Ef21 { delta, lazy } => {
                let (theta, b) = contraction(delta, lazy);
                let within = eta <= (1.0 / (l + l_square * (2.0 * b / theta).sqrt())).min(theta / (2.0 * mu));
                within.then_some(slow)?
            }
            Self::Marina { omega_av, probability: p, .. } => {
                let spread = (2.0 * (1.0 - p) * omega_av / p).sqrt();
                (eta <= (1.0 / (l + l_square * spread)).min(p / (2.0 * mu))).then_some(slow)?
            }
            Self::ProxSkip { probability: p } => libm::pow(1.0 - (eta * mu).min(p * p), 1.0 / p),
            Self::LoCoDl { probability: p, omega, chi, shared, .. } => {
                let convex = (shared / step).min(mu - shared / step);
                let (low, high) = (1.0 - eta * convex, 1.0 - eta * l_local);
                let tau = (low * low).max(high * high).max(1.0 - p * p * chi / (1.0 + 2.0 * omega));
                (convex > 0.0).then_some(libm::pow(tau, 1.0 / p))?
            }
        };
        Some(factor)
    }

    /// What its theorem asks for beside the step, and is not so.
    fn unmet(self, constants: &DescentConstants) -> Option<&'static str> {
        match self {
            Self::Diana { alpha, omega, .. } if is_large_alpha(alpha, omega) => Some("α is above 1/(1 + ω)"),
            Self::LoCoDl { chi, rho, omega_av, .. }
                if 2.0 * rho - rho * rho * (1.0 + omega_av) < chi * (1.0 - 1e-9) =>
            {
                Some("χ is above 2ϱ − ϱ² (1 + ω_av)")
            }
            Self::LoCoDl { shared, .. } if shared <= 0.0 || constants.step * constants.mu <= shared => {
                Some("σ is not between 0 and ρ µ: the functions are not known to be strongly convex")
            }
            Self::ProxSkip { .. } if constants.mu <= 0.0 => Some("µ is not known to be above 0"),
            _ => None,
        }
    }
}

/// θ and B of a contraction.
fn contraction(delta: f64, lazy: f64) -> (f64, f64) {
    let theta = 1.0 - (1.0 - delta).max(0.0).sqrt();
    (theta, ((1.0 - delta).max(0.0) / theta).max(lazy))
}

/// What these theorems say in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentSummary {
    /// γ of the first round.
    pub gamma: f64,
    /// The largest that the theorem covers.
    pub gamma_max: f64,
    /// Does it cover the run?
    pub covered: bool,
    /// Decades a round of a Lyapunov function, a negative number.
    pub slope: Option<f64>,
    /// Rounds to the accuracy that is asked for, at this slope from the start on.
    pub rounds: Option<f64>,
}

impl DescentPremises {
    /// The same as [`lines`](DescentPremises::lines) in numbers.
    #[must_use]
    pub fn summary(&self, constants: &DescentConstants) -> DescentSummary {
        let (gamma, (gamma_max, _)) = (self.gamma.at(1), self.method.gamma_max(constants));
        let slope = self.method.rate(gamma, constants).map(libm::log10).filter(|slope| *slope < 0.0);
        let ahead = self.target.map(|target| libm::log10(target / constants.initial_field_sq));
        let rounds = slope.zip(ahead).filter(|(_, ahead)| *ahead < 0.0);
        DescentSummary {
            gamma,
            gamma_max,
            covered: is_at_most(gamma, gamma_max) && self.all_unmet(constants).is_empty(),
            slope,
            rounds: rounds.map(|(slope, ahead)| libm::ceil(ahead / slope)),
        }
    }

    fn all_unmet(&self, constants: &DescentConstants) -> Vec<&'static str> {
        let proximal = "T is a proximal map, and the theorems are on smooth objectives";
        let of_problem = (!constants.is_smooth).then_some(proximal);
        self.unmet.iter().copied().chain(of_problem).chain(self.method.unmet(constants)).collect()
    }

    /// What the theorems say, a line each.
    #[must_use]
    pub fn lines(&self, constants: &DescentConstants) -> Vec<String> {
        let DescentConstants { step, l, l_max, l_local, l_square, mu, .. } = *constants;
        let DescentSummary { gamma, gamma_max, slope, rounds, .. } = self.summary(constants);
        let compared = if is_at_most(gamma, gamma_max) { "below it" } else { "ABOVE it: not covered" };
        let convexity = if mu > 0.0 { format!("µ at least {mu:.3e}") } else { "no µ is known".to_owned() };
        let mut lines = vec![
            "theory, of the constants of the losses:".to_owned(),
            format!(
                "  ρ = {step:.4e}, L = {l:.4e}, of clients up to {l_local:.4e} (weighted {l_max:.4e}, root mean square \
                 {l_square:.4e}), {convexity}"
            ),
            format!(
                "  {}: ρ γ ≤ {}: γ_max = {}; γ = {gamma} is {compared}",
                self.method.name(),
                self.method.gamma_max(constants).1,
                short(gamma_max)
            ),
        ];
        lines.extend(self.all_unmet(constants).iter().map(|unmet| format!("  {unmet}: not covered")));
        lines.push(match slope {
            Some(slope) => format!("  its error falls by 10^{slope:.6} a round, or faster"),
            None => "  no rate is known: it needs µ, and a step for which there is one".to_owned(),
        });
        if let (Some(rounds), Some(target)) = (rounds, self.target) {
            lines.push(format!(
                "  ‖h‖² ≤ {target:e} takes about {rounds:.0} rounds at most, without the theorem's constants"
            ));
        }
        lines
    }
}
