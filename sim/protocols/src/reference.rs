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

use fedbits_record::Reference;

use crate::error::ProtocolError;
use crate::state::{State, norm_sq};

/// A problem that exact EM solves: maps of all data in one place.
pub trait ExactEm {
    /// θ = T(s).
    ///
    /// # Errors
    /// When s is outside the domain of T.
    fn maximize(&self, s: &[f64]) -> Result<Vec<f64>, ProtocolError>;
    /// s̄(θ) over all data, and the objective there; `None` where they have no closed form. One pass.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>, ProtocolError>;
}

/// Passes over all data at most.
pub const MAX_PASSES: u64 = 60;
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
/// Relative rounding of an objective that is a sum over all data.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Passes that a search may take: [`MAX_PASSES`], and no more than the run itself made (`made`) or about a second
/// allows.
#[must_use]
pub fn allowed_passes(examples: u64, q: usize, made: f64) -> u64 {
    let pass = examples as f64 * (q as f64 + E_STEP);
    let most = made.max(ALWAYS / pass).min(AFFORDABLE / pass);
    MAX_PASSES.min(most as u64)
}

/// Why a search gives no number.
#[derive(Debug, thiserror::Error)]
enum NoReference {
    #[error("exact EM from the end of the run takes too long on so many data")]
    TooMany,
    #[error("exact EM had not converged after {passes} passes: ‖h‖² = {field:.1e}")]
    NotConverged { passes: u64, field: f64 },
    #[error("exact EM does not lower this objective, which leaves out a part of what EM maximizes")]
    Rises,
    #[error("the model has no exact expectations")]
    NoExpectations,
    #[error("the objective is not finite")]
    NotFinite,
    #[error(transparent)]
    Failed(#[from] ProtocolError),
}

/// A point on the path of EM.
struct Place {
    s: Vec<f64>,
    h: Vec<f64>,
    objective: f64,
}

impl Place {
    fn at_rest(&self) -> bool {
        norm_sq(&self.h) <= AT_REST * AT_REST * norm_sq(&self.s)
    }
}

/// Goes on from the end of a run, in at most `passes` passes. The digest of the problem is left to the caller.
#[must_use]
pub fn reference(problem: &dyn ExactEm, end: &State<'_>, passes: u64) -> Reference {
    let mut search = Search { problem, passes: 0, most: passes };
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
}

impl Search<'_> {
    fn run(&mut self, end: &State<'_>) -> Result<Place, NoReference> {
        if self.most < 2 {
            return Err(NoReference::TooMany);
        }
        let mut here = self.place(end.s_hat.to_vec(), end.theta)?;
        let mut history = History::default();
        let mut unchanged = 0;
        while !(here.at_rest() && unchanged > 0) && unchanged < UNCHANGED {
            if self.passes >= self.most {
                let field = norm_sq(&here.h);
                return Err(NoReference::NotConverged { passes: self.passes, field });
            }
            let next = self.next(&here, &mut history)?;
            let change = here.objective - next.objective;
            unchanged = if change.abs() <= ROUNDING * here.objective.abs() { unchanged + 1 } else { 0 };
            if change < -1e-9 * here.objective.abs().max(1.0) {
                return Err(NoReference::Rises);
            }
            history.push(&here, &next);
            here = next;
        }
        Ok(here)
    }

    /// The accelerated step where it is a better one, else that of EM.
    fn next(&mut self, here: &Place, history: &mut History) -> Result<Place, NoReference> {
        let tolerance = ROUNDING * here.objective.abs();
        if let Some(step) = history.step(&here.h)
            && self.passes + 1 < self.most
        {
            let s: Vec<f64> = here.s.iter().zip(&step).map(|(s, step)| s + step).collect();
            if let Ok(place) = self.place_of(s)
                && place.objective <= here.objective + tolerance
            {
                return Ok(place);
            }
            history.clear();
        }
        self.place_of(here.s.iter().zip(&here.h).map(|(s, h)| s + h).collect())
    }

    fn place_of(&mut self, s: Vec<f64>) -> Result<Place, NoReference> {
        let theta = self.problem.maximize(&s)?;
        self.place(s, &theta)
    }

    fn place(&mut self, s: Vec<f64>, theta: &[f64]) -> Result<Place, NoReference> {
        self.passes += 1;
        let found = self.problem.expectation(theta)?;
        let (expected, objective) = found.ok_or(NoReference::NoExpectations)?;
        let h: Vec<f64> = expected.iter().zip(&s).map(|(expected, s)| expected - s).collect();
        match objective.is_finite() && norm_sq(&h).is_finite() {
            true => Ok(Place { s, h, objective }),
            false => Err(NoReference::NotFinite),
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
                for (own, along) in &basis {
                    let share = dot(&q, own);
                    subtract(&mut q, share, own);
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
        for (own, along) in &basis {
            subtract(&mut step, dot(h, own), along);
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
    use super::{ExactEm, MAX_PASSES, ProtocolError, allowed_passes, reference};
    use crate::state::State;

    /// G(s) = A s + b with the eigenvalues of a slow EM; θ = s, and the objective falls towards the fixed point s = 1.
    struct Linear {
        rates: Vec<f64>,
        /// Entries of s below this have no θ.
        least: f64,
    }

    impl ExactEm for Linear {
        fn maximize(&self, s: &[f64]) -> Result<Vec<f64>, ProtocolError> {
            let inside = s.iter().all(|&s| s > self.least);
            inside.then(|| s.to_vec()).ok_or_else(|| ProtocolError::unfit("outside"))
        }

        fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>, ProtocolError> {
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

    /// A run of ten passes over few data may be followed by all; over many data by ten; over very many by none.
    #[test]
    fn passes_are_bounded() {
        assert_eq!(allowed_passes(1_000, 33, 10.0), MAX_PASSES);
        assert_eq!(allowed_passes(100_000, 100, 10.0), 10);
        assert_eq!(allowed_passes(100_000_000, 100, 1e6), 0);
    }
}
