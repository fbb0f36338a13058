//! The objective that exact EM on all data in one place comes to when it goes on from the end of a run: what the gap of
//! an objective is counted from. It costs neither bits nor simulated time nor draws, and changes no digest.
//!
//! Plain EM contracts by ρ a step, too slowly where ρ is near 1. Anderson acceleration of G(s) = s̄(T(s)) with the last
//! m steps (Walker and Ni 2011, SIAM J. Numer. Anal. 49; h = G − s is the mean field, ΔS and ΔH hold differences of s
//! and h as columns):
//!
//! ```text
//! c = argmin ‖h_k − ΔH c‖,   s_{k+1} = s_k + h_k − (ΔS + ΔH) c
//! ```
//!
//! A step that leaves the domain of T or does not lower the objective is replaced by a plain step of EM, which always
//! lowers it, and the differences are forgotten.
//!
//! Proximal gradient steps ([`Descent`](fedbits_models::Descent)) may take more passes, and have to rest more exactly.
//! While it is not settled which entries a soft threshold makes 0, differences mislead. Where they do so too often,
//! Nesterov's momentum leads on for a while, which begins anew where it points upwards (O'Donoghue and Candès 2015,
//! Found. Comput. Math. 15):
//!
//! ```text
//! x_{k+1} = T(s̄(y_k)),   y_{k+1} = x_{k+1} + (t_k − 1)/t_{k+1} (x_{k+1} − x_k),   t_{k+1} = ½ + √(¼ + t_k²)
//! ```

use fedbits_record::Reference;

use crate::error::{ProtocolError, Result};
use crate::state::{State, norm_sq};

/// A problem that exact EM solves: maps of all data in one place.
pub trait ExactEm {
    /// θ = T(s).
    ///
    /// # Errors
    /// When s is outside the domain of T.
    fn maximize(&self, s: &[f64]) -> Result<Vec<f64>>;
    /// s̄(θ) over all data, and the objective there; `None` where they have no closed form. One pass.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>>;
    /// Are its E-steps gradient steps on θ, and T a proximal map?
    fn descends(&self) -> bool {
        false
    }
}

/// Passes over all data at most.
pub const MAX_PASSES: u64 = 60;
/// The same of gradient steps.
pub const MAX_PASSES_OF_DESCENTS: u64 = 6_000;
/// Numbers that may be looked at, an example counting q and what its E-step takes besides: a second or so.
const AFFORDABLE: f64 = 5e8;
/// This many are looked at however short the run was: milliseconds.
const ALWAYS: f64 = 1e7;
/// What an example costs beside its q numbers.
const E_STEP: f64 = 30.0;
/// m, the differences that are kept.
const DEPTH: usize = 10;
/// Numbers in all differences, and in their orthogonal basis, together: with long statistics fewer are kept.
const KEPT: usize = 4_000_000;
/// EM rests where ‖h‖ is at most this share of ‖s‖, and a step changes the objective by rounding only: entries of s may
/// differ in size.
const AT_REST: f64 = 1e-10;
/// This many such steps in a row also end the search.
const UNCHANGED: u32 = 4;
/// The same of gradient steps: objectives are compared with the least one to many digits.
const AT_REST_OF_DESCENTS: f64 = 1e-13;
const UNCHANGED_OF_DESCENTS: u32 = 12;
/// Of gradient steps a pass is cheaper: numbers that may be looked at in some seconds, and always.
const AFFORDABLE_OF_DESCENTS: f64 = 1.6e10;
const ALWAYS_OF_DESCENTS: f64 = 4e9;
/// Accelerated steps among this many that may be rejected before momentum leads on, and steps with it the first time.
const WATCHED: u32 = 60;
const REJECTED: u32 = 5;
const MOMENTUM: u64 = 200;
/// Relative rounding of an objective that is a sum over all data.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Passes that a search may take: [`MAX_PASSES`], and no more than the run itself made (`made`) or about a second
/// allows; of gradient steps [`MAX_PASSES_OF_DESCENTS`], and some seconds.
#[must_use]
pub fn allowed_passes(examples: u64, q: usize, made: f64, descends: bool) -> u64 {
    let pass = examples as f64 * (q as f64 + E_STEP);
    let (passes, always, affordable) = match descends {
        true => (MAX_PASSES_OF_DESCENTS, ALWAYS_OF_DESCENTS, AFFORDABLE_OF_DESCENTS),
        false => (MAX_PASSES, ALWAYS, AFFORDABLE),
    };
    let most = made.max(always / pass).min(affordable / pass);
    passes.min(most as u64)
}

/// A point on the path of EM.
struct Place {
    s: Vec<f64>,
    h: Vec<f64>,
    objective: f64,
}

impl Place {
    fn at_rest(&self, share: f64) -> bool {
        norm_sq(&self.h) <= share * share * norm_sq(&self.s)
    }
}

/// Goes on from the end of a run, in at most `passes` passes. The digest of the problem is left to the caller.
#[must_use]
pub fn reference(problem: &dyn ExactEm, end: &State<'_>, passes: u64) -> Reference {
    let mut search = Search { problem, passes: 0, most: passes, accelerated: 0, rejected: 0, momentum: MOMENTUM };
    let (objective, how, field) = match search.run(end) {
        Ok(place) => {
            let how = "exact EM on all data, from the end of the run until it rests".to_owned();
            (Some(place.objective), how, Some(norm_sq(&place.h)))
        }
        Err(why) => (None, why.to_string(), None),
    };
    Reference { objective, how, passes: search.passes, mean_field_sq: field, ..Reference::default() }
}

struct Search<'a> {
    problem: &'a dyn ExactEm,
    passes: u64,
    most: u64,
    /// Accelerated steps that are watched, and how many of them were rejected.
    accelerated: u32,
    rejected: u32,
    /// Passes with momentum the next time.
    momentum: u64,
}

impl Search<'_> {
    fn run(&mut self, end: &State<'_>) -> Result<Place> {
        if self.most < 2 {
            return Err(ProtocolError::unfit("exact EM from the end of the run takes too long on so many data"));
        }
        let mut here = self.place(end.s_hat.to_vec(), end.theta)?;
        let mut history = History::default();
        let (mut unchanged, mut least) = (0, here.objective);
        let (share, most_unchanged) = match self.problem.descends() {
            true => (AT_REST_OF_DESCENTS, UNCHANGED_OF_DESCENTS),
            false => (AT_REST, UNCHANGED),
        };
        while !(here.at_rest(share) && unchanged > 0) && unchanged < most_unchanged {
            if self.passes >= self.most {
                let field = norm_sq(&here.h);
                return Err(ProtocolError::unfit(format!(
                    "exact EM had not converged after {} passes: ‖h‖² = {field:.1e}",
                    self.passes
                )));
            }
            if self.problem.descends() && self.rejected >= REJECTED {
                here = self.with_momentum(here, &mut history)?;
            }
            let next = self.next(&here, &mut history)?;
            let change = here.objective - next.objective;
            unchanged = if change.abs() <= ROUNDING * here.objective.abs() { unchanged + 1 } else { 0 };
            if change < -1e-9 * here.objective.abs().max(1.0) {
                let why = "exact EM does not lower this objective, which leaves out a part of what EM maximizes";
                return Err(ProtocolError::unfit(why));
            }
            history.push(&here, &next);
            here = next;
            least = least.min(here.objective);
        }
        if self.problem.descends() {
            // Steps may rise by rounding, and gaps are that small.
            here.objective = least;
        }
        Ok(here)
    }

    /// The accelerated step where it is a better one, else that of EM.
    fn next(&mut self, here: &Place, history: &mut History) -> Result<Place> {
        let tolerance = ROUNDING * here.objective.abs();
        if let Some(step) = history.step(&here.h)
            && self.passes + 1 < self.most
        {
            let s: Vec<f64> = here.s.iter().zip(&step).map(|(s, step)| s + step).collect();
            if self.accelerated == WATCHED {
                (self.accelerated, self.rejected) = (0, 0);
            }
            self.accelerated += 1;
            if let Ok(place) = self.place_of(s)
                && place.objective <= here.objective + tolerance
            {
                return Ok(place);
            }
            self.rejected += 1;
            history.clear();
        }
        self.place_of(here.s.iter().zip(&here.h).map(|(s, h)| s + h).collect())
    }

    /// Some steps with momentum, each time half as many more; back to `here` if they have led upwards.
    fn with_momentum(&mut self, here: Place, history: &mut History) -> Result<Place> {
        let steps = self.momentum.min(self.most.saturating_sub(self.passes + 2));
        (self.accelerated, self.rejected) = (0, 0);
        let mut x = self.problem.maximize(&here.s)?;
        if x == here.s {
            // Nothing is cut off, and differences mislead only where rounding is all that is left of them.
            return Ok(here);
        }
        self.momentum += self.momentum / 2;
        history.clear();
        let (mut y, mut t, mut s) = (x.clone(), 1.0_f64, here.s.clone());
        for _ in 0..steps {
            s = self.pass(&y)?.0;
            let next = self.problem.maximize(&s)?;
            let slope: f64 = y.iter().zip(&next).zip(&x).map(|((y, next), x)| (y - next) * (next - x)).sum();
            if slope > 0.0 && t > 1.0 {
                (y, t) = (x.clone(), 1.0);
                continue;
            }
            let grown = 0.5 + (0.25 + t * t).sqrt();
            y = next.iter().zip(&x).map(|(next, x)| next + (t - 1.0) / grown * (next - x)).collect();
            (x, t) = (next, grown);
        }
        let place = self.place_of(s)?;
        Ok(if place.objective <= here.objective { place } else { here })
    }

    fn place_of(&mut self, s: Vec<f64>) -> Result<Place> {
        let theta = self.problem.maximize(&s)?;
        self.place(s, &theta)
    }

    /// s̄(θ) and the objective.
    fn pass(&mut self, theta: &[f64]) -> Result<(Vec<f64>, f64)> {
        self.passes += 1;
        let found = self.problem.expectation(theta)?;
        found.ok_or_else(|| ProtocolError::unfit("the model has no exact expectations"))
    }

    fn place(&mut self, s: Vec<f64>, theta: &[f64]) -> Result<Place> {
        let (expected, objective) = self.pass(theta)?;
        let h: Vec<f64> = expected.iter().zip(&s).map(|(expected, s)| expected - s).collect();
        match objective.is_finite() && norm_sq(&h).is_finite() {
            true => Ok(Place { s, h, objective }),
            false => Err(ProtocolError::unfit("the objective is not finite")),
        }
    }
}

/// The last differences of s and h.
#[derive(Default)]
struct History {
    s: Vec<Vec<f64>>,
    h: Vec<Vec<f64>>,
}

/// Differences that are kept of statistics of q numbers.
fn depth(q: usize) -> usize {
    (KEPT / (4 * q.max(1))).clamp(1, DEPTH)
}

/// Vectors of q numbers that a search of so many passes holds.
#[must_use]
pub fn vectors(q: usize, passes: u64) -> u64 {
    // s and h of two places, what a pass finds, and a step.
    const PLACES: u64 = 6;
    if passes < 2 { 0 } else { PLACES + 4 * (passes - 1).min(depth(q) as u64) }
}

impl History {
    fn clear(&mut self) {
        self.s.clear();
        self.h.clear();
    }

    fn push(&mut self, before: &Place, after: &Place) {
        let difference = |after: &[f64], before: &[f64]| after.iter().zip(before).map(|(a, b)| a - b).collect();
        self.s.push(difference(&after.s, &before.s));
        self.h.push(difference(&after.h, &before.h));
        if self.s.len() > depth(after.s.len()) {
            self.s.remove(0);
            self.h.remove(0);
        }
    }

    /// h − (ΔS + ΔH) c. ΔH is made orthogonal column by column, the newest first, twice each (Gram and Schmidt), and
    /// the same is done to ΔS + ΔH; a column that depends on newer ones is left out.
    fn step(&self, h: &[f64]) -> Option<Vec<f64>> {
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for (ds, dh) in self.s.iter().zip(&self.h).rev() {
            let (mut q, mut both) = (dh.clone(), ds.iter().zip(dh).map(|(s, h)| s + h).collect::<Vec<f64>>());
            let size = norm_sq(&q).sqrt();
            for _ in 0..2 {
                for (direction, along) in &basis {
                    let share = dot(&q, direction);
                    subtract(&mut q, share, direction);
                    subtract(&mut both, share, along);
                }
            }
            let left = norm_sq(&q).sqrt();
            if left > 1e-10 * size && left > 0.0 {
                q.iter_mut().chain(&mut both).for_each(|x| *x /= left);
                basis.push((q, both));
            }
        }
        if basis.is_empty() {
            return None;
        }
        let mut step = h.to_vec();
        for (direction, along) in &basis {
            subtract(&mut step, dot(h, direction), along);
        }
        Some(step)
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// x − share · y.
fn subtract(x: &mut [f64], share: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x -= share * y);
}

#[cfg(test)]
mod tests {
    use super::{ExactEm, MAX_PASSES, MAX_PASSES_OF_DESCENTS, ProtocolError, Result, allowed_passes, reference};
    use crate::state::State;

    /// G(s) = A s + b with the eigenvalues of a slow EM; θ = s, and the objective falls towards the fixed point s = 1.
    struct Linear {
        rates: Vec<f64>,
        /// Entries of s below this have no θ.
        least: f64,
    }

    impl ExactEm for Linear {
        fn maximize(&self, s: &[f64]) -> Result<Vec<f64>> {
            let inside = s.iter().all(|&s| s > self.least);
            inside.then(|| s.to_vec()).ok_or_else(|| ProtocolError::unfit("outside"))
        }

        fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>> {
            let next = theta.iter().zip(&self.rates).map(|(s, rate)| 1.0 + rate * (s - 1.0)).collect();
            let objective = theta.iter().zip(&self.rates).map(|(s, rate)| (1.0 - rate) * (s - 1.0) * (s - 1.0)).sum();
            Ok(Some((next, objective)))
        }
    }

    /// EM would take 20 000 steps along its slowest direction; here it rests within the bound, at the least objective.
    #[test]
    fn it_rests_within_the_bound() {
        let problem = Linear { rates: vec![0.999, 0.99, 0.9, 0.7, 0.5, 0.2, 0.1, 0.0], least: f64::NEG_INFINITY };
        let start = [3.0, -2.0, 5.0, 1.5, 0.0, 4.0, 2.0, -1.0];
        let found = reference(&problem, &State { s_hat: &start, theta: &start }, MAX_PASSES);
        assert!(found.passes <= MAX_PASSES && found.objective.unwrap() < 1e-15, "{found:?}");
        assert!(found.mean_field_sq.unwrap() < 1e-18, "{found:?}");
    }

    /// Where acceleration leaves the domain, plain steps lead on; where passes do not suffice, it says so and gives no
    /// number.
    #[test]
    fn what_has_not_converged_is_no_reference() {
        let problem = Linear { rates: vec![0.999, 0.99, 0.9], least: 0.9 };
        let start = [3.0, 2.0, 5.0];
        let state = State { s_hat: &start, theta: &start };
        assert!(reference(&problem, &state, MAX_PASSES).objective.unwrap() < 1e-15);
        let found = reference(&problem, &state, 3);
        assert_eq!((found.objective, found.passes), (None, 3));
        assert!(found.how.contains("not converged after 3 passes"), "{found:?}");
    }

    /// Proximal gradient steps on ½‖B x − c‖² + λ‖x‖₁ with columns of B that are nearly the same: which of them are 0
    /// is settled late, and then the subgradient holds zero to many digits.
    #[test]
    fn descents_come_to_rest_where_coefficients_are_zero() {
        let problem = Lasso::new(12, 30, 0.02);
        let start = vec![0.0; 30];
        let found = reference(&problem, &State { s_hat: &start, theta: &start }, MAX_PASSES_OF_DESCENTS);
        let slow = (0..60_000).fold(start, |x, _| problem.maximize(&problem.gradient_step(&x).0).unwrap());
        let least = problem.gradient_step(&slow).1;
        let objective = found.objective.unwrap();
        assert!((objective - least).abs() <= 1e-13 * least, "{found:?}, plain steps: {least}");
        assert!(slow.iter().filter(|x| **x == 0.0).count() > 5, "{slow:?}");
    }

    struct Lasso {
        b: Vec<Vec<f64>>,
        c: Vec<f64>,
        step: f64,
        lambda: f64,
    }

    impl Lasso {
        fn new(rows: usize, columns: usize, lambda: f64) -> Self {
            let entry =
                |j: usize, k: usize| libm::sin((j * (k / 3 + 1)) as f64) + 0.05 * libm::cos((j * j + 7 * k) as f64);
            let b: Vec<Vec<f64>> = (0..rows).map(|j| (0..columns).map(|k| entry(j, k)).collect()).collect();
            let squares: f64 = b.iter().flatten().map(|entry| entry * entry).sum();
            Self { c: (0..rows).map(|j| libm::cos(j as f64) + 0.2).collect(), b, step: 1.0 / squares, lambda }
        }

        fn gradient_step(&self, x: &[f64]) -> (Vec<f64>, f64) {
            let residual = |(row, c): (&Vec<f64>, &f64)| row.iter().zip(x).map(|(b, x)| b * x).sum::<f64>() - c;
            let residuals: Vec<f64> = self.b.iter().zip(&self.c).map(residual).collect();
            let slope = |k: usize| self.b.iter().zip(&residuals).map(|(row, r)| row[k] * r).sum::<f64>();
            let squares: f64 = residuals.iter().map(|r| r * r).sum();
            let objective = 0.5 * squares + self.lambda * x.iter().map(|x| x.abs()).sum::<f64>();
            (x.iter().enumerate().map(|(k, x)| x - self.step * slope(k)).collect(), objective)
        }
    }

    impl ExactEm for Lasso {
        fn maximize(&self, s: &[f64]) -> Result<Vec<f64>> {
            let threshold = self.step * self.lambda;
            Ok(s.iter().map(|s| s - s.clamp(-threshold, threshold)).collect())
        }

        fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>> {
            Ok(Some(self.gradient_step(theta)))
        }

        fn descends(&self) -> bool {
            true
        }
    }

    /// A run of ten passes over few data may be followed by all; over many data by ten; over very many by none.
    #[test]
    fn passes_are_bounded() {
        assert_eq!(allowed_passes(1_000, 33, 10.0, false), MAX_PASSES);
        assert_eq!(allowed_passes(100_000, 100, 10.0, false), 10);
        assert_eq!(allowed_passes(100_000_000, 100, 1e6, false), 0);
        assert_eq!(allowed_passes(11_055, 68, 10.0, true), 3_692);
    }
}
