//! A Gaussian process over runs: the score of point x on replicate r is μ + f(x) + u_r + noise. f has Matérn's kernel
//! with ν = 5/2 of r² = Σ_d (δ_d / ℓ_d)², where δ_d is the difference of two numbers, and 0 or 1 for choices that are
//! equal or not; u_r is independent for each replicate, which is what makes replicates paired. μ has no prior. (C. E.
//! Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning*, 2006, chapters 2 and 5.)
//!
//! A coordinate that is absent is at distance 0 from another one, and stands in the middle of the numbers: that its
//! point is of another kind is already in the choice on which it depends.

use fedbits_numerics::{BadPivot, cholesky, log_determinant, vech_index};

use crate::space::{Coordinate, Kind, Point, Space};

/// Points are predicted so many at a time, side by side in memory.
const LANES: usize = 8;

/// Numbers in the place of coordinates.
pub(crate) type Features = Vec<f64>;

/// The features of a point.
pub(crate) fn features(space: &Space, point: &Point) -> Features {
    let feature = |(coordinate, kind): (&Coordinate, &Kind)| match (coordinate, kind) {
        (Coordinate::Number(share), _) => *share,
        (Coordinate::Choice(choice), _) => *choice as f64,
        (Coordinate::Absent, Kind::Number { .. }) => 0.5,
        (Coordinate::Absent, Kind::Choice(_)) => -1.0,
    };
    point.iter().zip(space.dimensions().iter().map(|dimension| &dimension.kind)).map(feature).collect()
}

/// What was seen of one run.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) features: Features,
    pub(crate) replicate: u64,
    pub(crate) value: f64,
}

/// The logarithms of ℓ_d, then those of the variances of f, u and the noise. All are in units of the values' standard
/// deviation, and normal a priori.
#[derive(Clone, Debug)]
pub(crate) struct Parameters(pub(crate) Vec<f64>);

/// Median and standard deviation of the logarithm: of ℓ/√D in D dimensions, and of the variances of f, u and the noise.
const LENGTH: (f64, f64) = (0.5, 1.0);
const VARIANCES: [(f64, f64); 3] = [(1.0, 1.0), (0.03, 2.0), (0.01, 2.0)];
/// What is added to the variance of the noise, so that all matrices can be factored.
const LEAST_NOISE: f64 = 1e-6;

impl Parameters {
    /// The medians.
    pub(crate) fn prior(dimensions: usize) -> Self {
        Self((0..dimensions + VARIANCES.len()).map(|index| Self::law(index, dimensions).0).collect())
    }

    /// Mean and standard deviation of a parameter.
    fn law(index: usize, dimensions: usize) -> (f64, f64) {
        let scale = libm::sqrt(dimensions.max(1) as f64);
        let (median, deviation) = match index.checked_sub(dimensions) {
            None => (LENGTH.0 * scale, LENGTH.1),
            Some(variance) => VARIANCES[variance],
        };
        (libm::log(median), deviation)
    }

    fn log_density(&self) -> f64 {
        let dimensions = self.0.len() - VARIANCES.len();
        let term = |(index, value): (usize, &f64)| {
            let (mean, deviation) = Self::law(index, dimensions);
            let z = (value - mean) / deviation;
            -0.5 * z * z
        };
        self.0.iter().enumerate().map(term).sum()
    }
}

/// [`Parameters`] ready for use.
#[derive(Clone, Debug)]
struct Kernel {
    /// 1 / ℓ² for numbers and for choices; the other is 0.
    weights: Vec<(f64, f64)>,
    variance: f64,
    shared: f64,
    noise: f64,
}

impl Kernel {
    fn new(space: &Space, parameters: &Parameters) -> Self {
        let (lengths, variances) = parameters.0.split_at(space.dimensions().len());
        let weight = |(length, kind): (&f64, &Kind)| match kind {
            Kind::Number { .. } => (libm::exp(-2.0 * length), 0.0),
            Kind::Choice(_) => (0.0, libm::exp(-2.0 * length)),
        };
        let kinds = space.dimensions().iter().map(|dimension| &dimension.kind);
        Self {
            weights: lengths.iter().zip(kinds).map(weight).collect(),
            variance: libm::exp(variances[0]),
            shared: libm::exp(variances[1]),
            noise: libm::exp(variances[2]) + LEAST_NOISE,
        }
    }

    /// The covariance of f at two points.
    fn of(&self, one: &[f64], other: &[f64]) -> f64 {
        let mut square = 0.0;
        for ((a, b), (number, choice)) in one.iter().zip(other).zip(&self.weights) {
            square += (a - b) * (a - b) * number + if a == b { 0.0 } else { *choice };
        }
        let root = libm::sqrt(5.0 * square);
        self.variance * (1.0 + root + 5.0 / 3.0 * square) * libm::exp(-root)
    }

    /// The covariance of f + u at two points.
    fn of_runs(&self, one: (&[f64], u64), other: (&[f64], u64)) -> f64 {
        self.of(one.0, other.0) + if one.1 == other.1 { self.shared } else { 0.0 }
    }
}

/// The process after runs were seen.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    kernel: Kernel,
    seen: Vec<(Features, u64)>,
    mean: f64,
    /// vech L, where L Lᵀ is the covariance of the values.
    factor: Vec<f64>,
    /// L⁻¹ (y − μ).
    residuals: Vec<f64>,
}

impl Process {
    /// With given parameters, and the logarithm of the density of the values (without its constant).
    pub(crate) fn new(space: &Space, seen: &[Seen], parameters: &Parameters) -> Result<(Self, f64), BadPivot> {
        let kernel = Kernel::new(space, parameters);
        let count = seen.len();
        let mut factor = Vec::with_capacity(count * (count + 1) / 2);
        for (row, one) in seen.iter().enumerate() {
            let run = (&*one.features, one.replicate);
            factor.extend(seen[..row].iter().map(|other| kernel.of_runs(run, (&other.features, other.replicate))));
            factor.push(kernel.variance + kernel.shared + kernel.noise);
        }
        cholesky(&mut factor, count)?;
        let values = solve(&factor, seen.iter().map(|one| one.value));
        let ones = solve(&factor, seen.iter().map(|_| 1.0));
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mean = product(&values, &ones) / product(&ones, &ones);
        let residuals: Vec<f64> = values.iter().zip(&ones).map(|(value, one)| value - mean * one).collect();
        let density = -0.5 * product(&residuals, &residuals) - log_determinant(&factor, count);
        let seen = seen.iter().map(|one| (one.features.clone(), one.replicate)).collect();
        Ok((Self { kernel, seen, mean, factor, residuals }, density))
    }

    /// With parameters of a larger posterior density, which replace the given ones: a search along one after the other,
    /// with steps that grow where they help and shrink where they do not, `sweeps` times. There is at least one run.
    pub(crate) fn fit(space: &Space, seen: &[Seen], parameters: &mut Parameters, sweeps: usize) -> Self {
        let posterior = |parameters: &Parameters| {
            let (process, density) = Self::new(space, seen, parameters).ok()?;
            Some((process, density + parameters.log_density()))
        };
        let (mut process, mut density) =
            posterior(parameters).expect("noise of the least variance makes the matrix positive definite");
        let mut steps = vec![0.7; parameters.0.len()];
        for _ in 0..sweeps {
            for (index, size) in steps.iter_mut().enumerate() {
                let mut better = false;
                for step in [*size, -*size] {
                    let mut other = parameters.clone();
                    other.0[index] += step;
                    if let Some((found, value)) = posterior(&other).filter(|(_, value)| *value > density) {
                        (*parameters, process, density, better) = (other, found, value, true);
                        *size = step;
                        break;
                    }
                }
                *size *= if better { 1.5 } else { 0.5 };
            }
        }
        process
    }

    /// Mean and standard deviation of f + u_r at points, for replicate `replicate`.
    pub(crate) fn predict(&self, points: &[Features], replicate: u64) -> Vec<(f64, f64)> {
        let mut all = Vec::with_capacity(points.len());
        for block in points.chunks(LANES) {
            let whitened = self.whiten(block, replicate);
            for lane in 0..block.len() {
                let (mut mean, mut explained) = (self.mean, 0.0);
                for (row, residual) in whitened.iter().zip(&self.residuals) {
                    mean += row[lane] * residual;
                    explained += row[lane] * row[lane];
                }
                let variance = self.kernel.variance + self.kernel.shared - explained;
                all.push((mean, libm::sqrt(variance.max(0.0))));
            }
        }
        all
    }

    /// L⁻¹ times the covariances of the runs with f + u_r at points, a lane for each point.
    fn whiten(&self, points: &[Features], replicate: u64) -> Vec<[f64; LANES]> {
        let mut whitened: Vec<[f64; LANES]> = Vec::with_capacity(self.seen.len());
        for (row, (features, own)) in self.seen.iter().enumerate() {
            let mut sums = [0.0; LANES];
            for (sum, point) in sums.iter_mut().zip(points) {
                *sum = self.kernel.of_runs((features, *own), (point, replicate));
            }
            let (before, pivot) = self.factor[vech_index(row, 0)..][..=row].split_at(row);
            for (entry, above) in before.iter().zip(&whitened) {
                for (sum, value) in sums.iter_mut().zip(above) {
                    *sum -= entry * value;
                }
            }
            whitened.push(sums.map(|sum| sum / pivot[0]));
        }
        whitened
    }

    /// Adds a run, with the parameters and the mean that there are.
    pub(crate) fn add(&mut self, features: Features, replicate: u64, value: f64) {
        let column = self.whiten(std::slice::from_ref(&features), replicate);
        let column = || column.iter().map(|row| row[0]);
        let explained: f64 = column().map(|value| value * value).sum();
        let expected: f64 = column().zip(&self.residuals).map(|(value, residual)| value * residual).sum();
        let variance = self.kernel.variance + self.kernel.shared + self.kernel.noise - explained;
        // Rounding may leave less than the noise, which is in it.
        let pivot = libm::sqrt(variance.max(LEAST_NOISE));
        self.factor.extend(column());
        self.factor.push(pivot);
        self.residuals.push((value - self.mean - expected) / pivot);
        self.seen.push((features, replicate));
    }
}

/// L⁻¹ times a vector.
fn solve(factor: &[f64], vector: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::new();
    for (row, value) in vector.enumerate() {
        let entries = &factor[vech_index(row, 0)..][..=row];
        let known: f64 = entries.iter().zip(&solved).map(|(entry, value)| entry * value).sum();
        solved.push((value - known) / entries[row]);
    }
    solved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Dimension;

    const GOLDEN: &str = include_str!("../../tests/golden/process.csv");

    fn space() -> Space {
        let number = |needs| Dimension { kind: Kind::Number { steps: None }, needs };
        let choice = Dimension { kind: Kind::Choice(3), needs: vec![] };
        Space::new(vec![number(vec![]), number(vec![]), choice, number(vec![(2, vec![1, 2])])])
    }

    fn golden_features(cells: &[&str]) -> Features {
        let number = |cell: &str| Coordinate::Number(cell.parse().unwrap());
        let last = if cells[3] == "-" { Coordinate::Absent } else { number(cells[3]) };
        let point = vec![number(cells[0]), number(cells[1]), Coordinate::Choice(cells[2].parse().unwrap()), last];
        assert!(space().contains(&point));
        features(&space(), &point)
    }

    fn rows(kind: &str) -> Vec<Vec<&'static str>> {
        let all = GOLDEN.lines().map(|line| line.split(',').collect::<Vec<_>>());
        all.filter(|cells| cells[0] == kind).collect()
    }

    fn golden_seen() -> Vec<Seen> {
        let seen = |cells: Vec<&str>| Seen {
            features: golden_features(&cells[1..]),
            replicate: cells[5].parse().unwrap(),
            value: cells[6].parse().unwrap(),
        };
        rows("seen").into_iter().map(seen).collect()
    }

    fn golden_parameters() -> Parameters {
        Parameters([0.4, 0.9, 1.3, 0.6, 1.7, 0.2, 0.05].map(libm::log).to_vec())
    }

    fn near(ours: f64, theirs: f64) -> bool {
        (ours - theirs).abs() < 1e-8
    }

    #[test]
    fn predictions_are_scikit_learns() {
        let seen = golden_seen();
        let (process, density) = Process::new(&space(), &seen, &golden_parameters()).unwrap();
        let constant = 0.5 * seen.len() as f64 * libm::log(core::f64::consts::TAU);
        let theirs: f64 = rows("density")[0][1].parse().unwrap();
        assert!(near(density - constant, theirs), "{} {theirs}", density - constant);
        let expected = rows("expected");
        let points: Vec<Features> = expected.iter().map(|cells| golden_features(&cells[1..])).collect();
        for ((mean, deviation), cells) in process.predict(&points, 0).into_iter().zip(&expected) {
            let theirs: Vec<f64> = cells[5..].iter().map(|cell| cell.parse().unwrap()).collect();
            assert!(near(mean, theirs[0]) && near(deviation, theirs[1]), "{mean} {deviation} {theirs:?}");
        }
    }

    /// A run that is added later changes the predictions as one that was there, but for the mean, which stays: added
    /// with the value that is expected of it, it changes none of the means.
    #[test]
    fn added_runs_are_seen() {
        let mut seen = golden_seen();
        let (mut process, _) = Process::new(&space(), &seen, &golden_parameters()).unwrap();
        let points: Vec<Features> = rows("expected").iter().map(|cells| golden_features(&cells[1..])).collect();
        let value = process.predict(&points[..1], 0)[0].0;
        let before = process.predict(&points, 0);
        process.add(points[0].clone(), 0, value);
        seen.push(Seen { features: points[0].clone(), replicate: 0, value });
        let (anew, _) = Process::new(&space(), &seen, &golden_parameters()).unwrap();
        for ((own, new), old) in process.predict(&points, 0).iter().zip(anew.predict(&points, 0)).zip(before) {
            assert!(near(own.0, old.0) && near(own.1, new.1) && own.1 < old.1, "{own:?} {new:?} {old:?}");
        }
        let surprised = {
            process.add(points[1].clone(), 0, value + 10.0);
            process.predict(&points[1..2], 0)[0].0
        };
        assert!(surprised > value + 1.0, "{surprised}");
    }

    /// A search never ends at a smaller density than it began with, and finds which of two dimensions matters.
    #[test]
    fn a_fit_finds_what_matters() {
        let number = || Dimension { kind: Kind::Number { steps: None }, needs: vec![] };
        let space = Space::new(vec![number(), number()]);
        let run = |index: u32| {
            let features = vec![f64::from(index % 6) / 5.0, f64::from(index * 7 % 36) / 35.0];
            Seen { value: libm::sin(6.0 * features[0]), features, replicate: 0 }
        };
        let seen: Vec<Seen> = (0..36).map(run).collect();
        let mut parameters = Parameters::prior(2);
        let density =
            |parameters: &Parameters| Process::new(&space, &seen, parameters).unwrap().1 + parameters.log_density();
        let before = density(&parameters);
        Process::fit(&space, &seen, &mut parameters, 10);
        assert!(density(&parameters) > before);
        assert!(parameters.0[1] > parameters.0[0] + 1.0, "{parameters:?}");
    }
}
