//! What rounding takes of variances that T finds as differences of squares, σ² = `E[y²] − µ²`.
//!
//! Of a component whose mean lies D of its own deviations from 0 about ε D² of the variance is rounding, whatever the
//! spread of the whole column. The host has all data, outside of virtual time: it computes the variances at θ again
//! from residuals, in two passes, and compares.

use fedbits_codec::WireFloat;
use fedbits_models::Examples;
use fedbits_models::clusters::{Clusters, Variance};
use fedbits_models::initial::sample_mean;
use fedbits_models::latent::Difference;
use fedbits_spec::{Caveat, so_many};

use super::components::{expected_sizes, is_empty};
use crate::error::Result;
use crate::problem::{Clustering, Problem, Squared};

/// Smaller relative errors of a variance are not told, and of a statistic in 32 bits.
const TOLD: f64 = 5e-7;
const TOLD_IN_32: f64 = 1e-5;
/// From here on a variance is made of rounding.
const MEANINGLESS: f64 = 0.5;
/// Caveats about single variances.
const LISTED: usize = 3;
/// A state that is farther from its own EM step than this multiple of the rounding of one step is on its way, and its
/// distance from the step is no rounding.
const SETTLED: f64 = 30.0;
/// Iterations of EM that look for components from a start.
const MOST_STEPS: usize = 50;
/// Products that these may take in all: a fraction of a second.
const WORK: f64 = 2e8;

/// What rounding takes of the variances of a final state: a caveat for each of the largest. Nothing is computed where
/// the means are so near to 0 that it cannot be much.
///
/// # Errors
/// When the state has no density.
pub(super) fn of_state(problem: &dyn Problem, theta: &[f64], floats: WireFloat) -> Result<Vec<Caveat>> {
    let Some((clusters, squared)) = squares(problem) else {
        let precision = Precision { floats, examples: problem.total() };
        let pairs = problem.squares(theta);
        let is_suspect = pairs.into_iter().any(|[value, square]| precision.is_suspect(value, square));
        let found = if is_suspect { problem.differences(theta)? } else { Vec::new() };
        return Ok(precision.caveats(&found, true));
    };
    let precision = Precision { floats, examples: squared.examples.len() as u64 };
    let variances = clusters.variances(theta, squared.origin.as_deref());
    if !variances.iter().any(|variance| precision.is_suspect(variance.value, variance.square)) {
        return Ok(Vec::new());
    }
    Ok(precision.caveats(&of_components(problem, (clusters, &squared), theta)?, true))
}

/// The same of the components that EM finds from θ₀, before a run. Nothing is computed where no column has numbers that
/// are nearly alike.
///
/// # Errors
/// When θ₀ has no density.
pub fn of_start(problem: &dyn Problem, theta: &[f64], floats: WireFloat) -> Result<Vec<Caveat>> {
    let Some((clusters, squared)) = squares(problem) else { return Ok(Vec::new()) };
    let can_round = || floats == WireFloat::F32 || is_crowded(&squared, clusters.components());
    if clusters.variances(theta, None).is_empty() || !can_round() {
        return Ok(Vec::new());
    }
    let theta = settled(clusters, &squared, theta);
    let found = of_components(problem, (clusters, &squared), &theta)?;
    Ok(Precision { floats, examples: squared.examples.len() as u64 }.caveats(&found, false))
}

fn squares(problem: &dyn Problem) -> Option<(&dyn Clusters, Squared<'_>)> {
    let clustering: &dyn Clustering = problem.clustering()?;
    Some((clustering.model()?, clustering.squared()?))
}

/// Whether some column has many different numbers that are alike to some digits, as those of a component must be of
/// which rounding takes much.
fn is_crowded(squared: &Squared<'_>, components: usize) -> bool {
    // Numbers with the sign, the exponent and the first 9 binary digits in common.
    const KEPT: u32 = 52 - 9;
    // Some of the examples show what there are most of.
    const SOME: usize = 4096;
    let (rows, d) = (squared.examples.rows(), squared.examples.dimension());
    let some = || rows.chunks_exact(d).step_by(squared.examples.len().div_ceil(SOME).max(1));
    let crowd = (some().len() / (8 * components)).max(2);
    (0..d).any(|j| {
        let origin = squared.origin.as_ref().map_or(0.0, |origin| origin[j]);
        let mut numbers: Vec<u64> = some().map(|row| (row[j] - origin).to_bits()).collect();
        numbers.sort_unstable();
        let mut groups = numbers.chunk_by(|one, next| one >> KEPT == next >> KEPT);
        groups.any(|group| group.len() >= crowd && group[0] != group[group.len() - 1])
    })
}

/// Where EM by the two-pass computation comes to from θ₀, on some of the examples; θ₀ where there are too many numbers
/// for that, or a step has no density.
fn settled(clusters: &dyn Clusters, squared: &Squared<'_>, start: &[f64]) -> Vec<f64> {
    let (rows, d) = (squared.examples.rows(), squared.examples.dimension());
    let total = squared.examples.len();
    let numbers = start.len() + clusters.components() * d;
    let affordable = (WORK / (2 * MOST_STEPS * numbers) as f64) as usize;
    let enough = 20 * clusters.components() * d;
    if affordable < total.min(enough) {
        return start.to_vec();
    }
    let every = total.div_ceil(affordable).max(1);
    let rows: Vec<f64> = rows.chunks_exact(d).step_by(every).flatten().copied().collect();
    let some = [(Examples::new(&rows, d), 1.0)];
    let mut theta = start.to_vec();
    for _ in 0..MOST_STEPS {
        let Ok(next) = clusters.two_pass_step(&some, &theta) else { break };
        let [old, new] = [&theta, &next].map(|theta| clusters.variances(theta, None));
        let rests = |(old, new): (&Variance, &Variance)| (new.value - old.value).abs() <= 1e-3 * old.value;
        let has_settled = old.iter().zip(&new).all(rests);
        theta = next;
        if has_settled {
            break;
        }
    }
    theta
}

/// The variances of components at θ, beside those of the EM step that follows.
fn of_components(
    problem: &dyn Problem,
    (clusters, squared): (&dyn Clusters, &Squared<'_>),
    theta: &[f64],
) -> Result<Vec<Difference>> {
    let two_pass = clusters.two_pass_variances(&squared.parts(), theta)?;
    let statistic = problem.exact().map(|exact| exact.expectation(theta)).transpose()?.flatten();
    let raw = statistic.map(|(s, _)| clusters.raw_variances(&s));
    let centred = clusters.variances(theta, Some(&sample_mean(squared.examples)));
    let of = |(k, variance): (usize, Variance)| Difference {
        what: match variance.component {
            Some(g) => format!("column `{}` in component {g}", squared.columns[variance.column]),
            None => format!("column `{}` in the covariance of all components", squared.columns[variance.column]),
        },
        value: variance.value,
        // Without statistics of all examples in one place the distance from the step must do.
        raw: raw.as_ref().map_or(two_pass[k], |raw| raw[k]),
        two_pass: two_pass[k],
        square: variance.square,
        origin: if squared.origin.is_some() { "the mean of the column" } else { "0" },
        shifted: if squared.origin.is_some() { variance.square } else { centred[k].square },
        remedy: "`preprocess: [Standardize]` or `[Center]`",
    };
    // An empty component is told as such, and its variance is one of no example.
    let sizes = expected_sizes(clusters, squared.examples, theta)?;
    let has_examples = |variance: &Variance| variance.component.is_none_or(|g| !is_empty(sizes[g]));
    let variances = clusters.variances(theta, squared.origin.as_deref()).into_iter().enumerate();
    Ok(variances.filter(|(_, variance)| has_examples(variance)).map(of).collect())
}

/// What a statistic is rounded to: sums of this many examples in 64 bits, and messages.
struct Precision {
    floats: WireFloat,
    examples: u64,
}

impl Precision {
    /// Smaller relative errors are not told.
    fn told(&self) -> f64 {
        if self.floats == WireFloat::F32 { TOLD_IN_32 } else { TOLD }
    }

    /// Can rounding be worth telling? Sums of N numbers lose about √N times what a number does.
    fn is_suspect(&self, value: f64, square: f64) -> bool {
        let sums = 8.0 * f64::EPSILON * (self.examples as f64).sqrt();
        sums.max(self.floats.unit_roundoff()) * square > self.told() / 10.0 * value
    }

    /// The relative error of one step: of the variances of θ where it `is_final` and has come to rest, else of those of
    /// the step that follows.
    fn size(&self, gap: &Difference, is_final: bool) -> f64 {
        let share = |variance: f64| (variance - gap.two_pass).abs() / gap.two_pass;
        // Both terms of a difference are rounded; sums of N numbers lose up to √N times as much.
        let terms = (gap.square + gap.two_pass) / gap.two_pass;
        let least = f64::EPSILON / 4.0 * terms;
        let sums =
            if gap.raw == gap.two_pass { (self.examples as f64).sqrt() * least } else { share(gap.raw).max(least) };
        // Clients work with T of what they receive, however exact the sum is that the server keeps.
        let message = self.floats.unit_roundoff() / 2.0 * terms;
        let found = share(gap.value);
        let step = sums.max(message);
        if is_final && found <= SETTLED * step { found.max(message) } else { step }
    }

    /// A caveat for each of the largest relative errors, and how many more there are.
    fn caveats(&self, found: &[Difference], is_final: bool) -> Vec<Caveat> {
        // A constant has no variance that could be wrong.
        let is_told = |size: f64| size.is_finite() && size > self.told();
        let all = found.iter().map(|gap| (self.size(gap, is_final), gap));
        let mut all: Vec<(f64, &Difference)> = all.filter(|all| is_told(all.0)).collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut caveats: Vec<Caveat> = all.iter().take(LISTED).map(|(size, gap)| self.caveat(*size, gap)).collect();
        if let Some((most, _)) = all.get(LISTED) {
            let variances = so_many(all.len() - LISTED, "more variance has|more variances have");
            caveats.push(Caveat::MoreRoundedVariances { variances, most: format!("{most:.1e}") });
        }
        caveats
    }

    fn caveat(&self, size: f64, gap: &Difference) -> Caveat {
        let meaning = if size >= MEANINGLESS {
            ", so that it means nothing"
        } else {
            ", and up to 1/(1 − ρ) times that in a fit of EM's rate ρ"
        };
        let is_shift = size * gap.shifted / gap.square <= self.told();
        let remedy = match (is_shift, self.floats) {
            (true, _) => gap.remedy,
            (false, WireFloat::F32) => "`floats: F64`",
            (false, WireFloat::F64) => {
                "no shift removes it, the components lie too far apart: fit them apart from each other"
            }
        };
        Caveat::RoundedVariances {
            variance: gap.what.to_string(),
            error: format!("{size:.1e}"),
            meaning: meaning.to_owned(),
            distance: format!("{:.1e}", (gap.square / gap.two_pass).sqrt()),
            origin: gap.origin.to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}
