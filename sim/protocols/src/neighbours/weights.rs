//! Weights W of a consensus z ← W z (VP-EM paper, section 3): Metropolis, Laplacian, best constant, given by the user.
//!
//! z tends to the average of its entries when W is symmetric, its rows sum to 1, it is zero between agents that are not
//! neighbours, and all its other eigenvalues have moduli below 1; the error shrinks by SLEM(W), the second largest
//! modulus, per round. W = I − α L needs α in (0, 2/λ_max(L)) (the paper prints λ_max). Eigenvalues come from Jacobi
//! rotations in fixed order, because the best constant enters results.

use fedbits_numerics::symmetric_eigenvalues;
use fedbits_spec::range::{self, FINITE, POSITIVE};
use fedbits_spec::{Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::graph::Graph;
use crate::over::BuildError;

/// Consensus weights W.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[described(rules = square)]
pub enum Weights {
    /// 1 / (1 + the larger degree) (Xiao, Boyd and Lall 2005).
    #[default]
    Metropolis,
    /// I − α L; α below 2/λ_max(L).
    Laplacian(#[range(POSITIVE)] f64),
    /// I − α L with the α that averages fastest, 2 / (λ₂ + λ_max) (Xiao and Boyd 2004).
    BestConstant,
    /// Given weights: symmetric, rows sum to 1, 0 between non-neighbours.
    Given(#[described(by_rules)] Vec<Vec<f64>>),
}

/// What given weights must be on any graph; links and eigenvalues are looked at when the graph is there.
fn square(weights: &Weights, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let Weights::Given(rows) = weights else { return };
    range::check(&FINITE, rows, &at.index(0), facts, findings);
    if rows.iter().flatten().all(|weight| weight.is_finite()) {
        let tell = |flaw: WeightsError| findings.error(flaw.path(at), flaw.found, flaw.expected);
        flaws(rows, facts.clients.unwrap_or(rows.len())).into_iter().for_each(tell);
    }
}

/// What is wrong with given weights of so many agents, apart from links and eigenvalues.
fn flaws(rows: &[Vec<f64>], agents: usize) -> Vec<WeightsError> {
    let wrong = rows.iter().position(|row| row.len() != agents);
    if rows.len() != agents || wrong.is_some() {
        let columns = wrong.map_or(agents, |row| rows[row].len());
        let found =
            format!("the weights have {}, and this one {}", so_many(rows.len(), "row"), so_many(columns, "number"));
        let expected = format!("expected {agents} rows of {agents}, one per agent");
        return vec![WeightsError { at: wrong.into_iter().collect(), found, expected }];
    }
    let mut flaws = Vec::new();
    let differs = |x: f64| x.is_nan() || x.abs() > TOLERANCE;
    for (i, row) in rows.iter().enumerate() {
        if let Some(j) = (0..i).find(|&j| differs(row[j] - rows[j][i])) {
            let (here, there) = (row[j], rows[j][i]);
            let found = format!("the weights are not symmetric: {here} here, {there} at row {j}, column {i}");
            flaws.push(WeightsError { at: vec![i, j], found, expected: "expected a symmetric matrix".to_owned() });
        }
        let sum: f64 = row.iter().sum();
        if differs(sum - 1.0) {
            let found = format!("row {i} of the weights sums to {sum}");
            let expected = "expected 1, or the eigenvalue 1 of (1, …, 1) is missing and averages are not kept";
            flaws.push(WeightsError { at: vec![i], found, expected: expected.to_owned() });
        }
    }
    flaws
}

/// Why weights do not average.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{found}: {expected}")]
pub struct WeightsError {
    /// The row and the column of the weight that is wrong, as far as it is one.
    pub at: Vec<usize>,
    /// What is wrong.
    pub found: String,
    /// What it must be.
    pub expected: String,
}

impl WeightsError {
    /// Where it is in weights at `at`.
    fn path(&self, at: &Path<'_>) -> String {
        self.at.iter().fold(at.index(0).to_string(), |path, index| format!("{path}[{index}]"))
    }
}

/// Rows may miss 1 by rounding only, and eigenvalues must be below 1 by more than rounding.
const TOLERANCE: f64 = 1e-9;
const GAP: f64 = 1e-12;

/// W, checked, with its spectrum.
#[derive(Clone, Debug, PartialEq)]
pub struct Averaging {
    /// Entries that are not zero, row by row, ascending.
    rows: Vec<Vec<(u32, f64)>>,
    /// All eigenvalues, ascending.
    eigenvalues: Vec<f64>,
}

impl Weights {
    /// They on a graph; `at` is where the scenario names them.
    ///
    /// # Errors
    /// When they do not average there, at the weight that is wrong.
    pub(crate) fn on(&self, graph: &Graph, at: &Path<'_>) -> Result<Averaging, BuildError> {
        Averaging::new(self, graph).map_err(|flaw| BuildError::misfit(flaw.path(at), flaw.found, flaw.expected))
    }
}

impl Averaging {
    /// The weights of a kind on `graph`.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn new(weights: &Weights, graph: &Graph) -> Result<Self, WeightsError> {
        let n = graph.len();
        let (matrix, hint) = match weights {
            Weights::Metropolis => (metropolis(graph), String::new()),
            Weights::Laplacian(alpha) => {
                let largest = laplacian_eigenvalues(graph).last().copied().unwrap_or(0.0);
                (minus_laplacian(graph, *alpha), format!("; α must lie in (0, 2/λ_max) = (0, {:.6})", 2.0 / largest))
            }
            Weights::BestConstant => (minus_laplacian(graph, best_constant(graph)), String::new()),
            Weights::Given(rows) => (given(rows, graph)?, String::new()),
        };
        let eigenvalues = symmetric_eigenvalues(&matrix, n);
        check_spectrum(&eigenvalues, &hint)?;
        let row = |i: usize| {
            let entries = matrix[i * n..][..n].iter().enumerate();
            entries.filter(|(_, weight)| **weight != 0.0).map(|(j, &weight)| (j as u32, weight)).collect()
        };
        Ok(Self { rows: (0..n).map(row).collect(), eigenvalues })
    }

    /// All eigenvalues, ascending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The second largest modulus of an eigenvalue; 0 for a single agent.
    pub fn slem(&self) -> f64 {
        second_largest(&self.eigenvalues)
    }

    /// N.
    #[expect(clippy::len_without_is_empty, reason = "a graph has agents")]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// W_ij.
    pub fn weight(&self, i: u32, j: u32) -> f64 {
        self.rows[i as usize].iter().find(|(agent, _)| *agent == j).map_or(0.0, |(_, weight)| *weight)
    }

    /// W as a dense matrix, row-major.
    pub fn dense(&self) -> Vec<f64> {
        let n = self.len();
        let mut matrix = vec![0.0; n * n];
        for (i, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|&(j, weight)| matrix[i * n + j as usize] = weight);
        }
        matrix
    }

    /// W `z` for N states of equal length, sums in the order of the ids.
    pub fn apply(&self, z: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mix = |row: &Vec<(u32, f64)>| {
            let mut sum = vec![0.0; z[0].len()];
            for &(j, weight) in row {
                sum.iter_mut().zip(&z[j as usize]).for_each(|(sum, z)| *sum += weight * z);
            }
            sum
        };
        self.rows.iter().map(mix).collect()
    }
}

/// Eigenvalues of L, ascending.
pub fn laplacian_eigenvalues(graph: &Graph) -> Vec<f64> {
    let n = graph.len();
    let mut matrix = minus_laplacian(graph, 1.0);
    (0..n).for_each(|i| matrix[i * n + i] -= 1.0);
    matrix.iter_mut().for_each(|entry| *entry = -*entry);
    symmetric_eigenvalues(&matrix, n)
}

/// 2 / (λ₂ + λ_max) of the Laplacian; 0 for a single agent.
pub fn best_constant(graph: &Graph) -> f64 {
    let eigenvalues = laplacian_eigenvalues(graph);
    match (eigenvalues.get(1), eigenvalues.last()) {
        (Some(second), Some(largest)) => 2.0 / (second + largest),
        _ => 0.0,
    }
}

fn metropolis(graph: &Graph) -> Vec<f64> {
    from_links(graph, |i, j| 1.0 / (1 + graph.degree(i).max(graph.degree(j))) as f64)
}

/// I − α L.
fn minus_laplacian(graph: &Graph, alpha: f64) -> Vec<f64> {
    from_links(graph, |_, _| alpha)
}

/// Weights of links, and what is left to 1 on the diagonal.
fn from_links(graph: &Graph, weight: impl Fn(u32, u32) -> f64) -> Vec<f64> {
    let n = graph.len();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n as u32 {
        let mut sum = 0.0;
        for &j in graph.neighbours(i) {
            let weight = weight(i, j);
            matrix[i as usize * n + j as usize] = weight;
            sum += weight;
        }
        matrix[i as usize * n + i as usize] = 1.0 - sum;
    }
    matrix
}

fn given(rows: &[Vec<f64>], graph: &Graph) -> Result<Vec<f64>, WeightsError> {
    let n = graph.len();
    if let Some(flaw) = flaws(rows, n).into_iter().next() {
        return Err(flaw);
    }
    let linked = |i: usize, j: usize| i == j || graph.neighbours(i as u32).contains(&(j as u32));
    let mut entries = (0..n * n).map(|at| (at / n, at % n));
    match entries.find(|&(i, j)| rows[i][j] != 0.0 && !linked(i, j)) {
        Some((i, j)) => Err(WeightsError {
            at: vec![i, j],
            found: format!("the weight of agent {i} for {j} is {}, but they are not neighbours", rows[i][j]),
            expected: "expected 0, or a link between them".to_owned(),
        }),
        None => Ok(rows.concat()),
    }
}

fn check_spectrum(eigenvalues: &[f64], hint: &str) -> Result<(), WeightsError> {
    let (Some(&smallest), true) = (eigenvalues.first(), eigenvalues.len() > 1) else { return Ok(()) };
    let largest = *eigenvalues.last().expect("there are two");
    // One eigenvalue is the 1 of (1, …, 1): the largest unless another exceeds it.
    let second = eigenvalues[eigenvalues.len() - 2];
    let extremes = [smallest, second, if largest > 1.0 + TOLERANCE { largest } else { second }];
    // Not a number where weights are too large to be summed.
    let bad = extremes.into_iter().filter(|value| value.is_nan() || value.abs() >= 1.0 - GAP);
    match bad.max_by(|x, y| x.abs().total_cmp(&y.abs())) {
        Some(eigenvalue) => Err(WeightsError {
            at: Vec::new(),
            found: format!(
                "the weights do not average: their eigenvalue {eigenvalue:.6} has modulus 1 or more (all but the 1 of \
                 (1, …, 1) must be smaller){hint}"
            ),
            expected: "expected weights that average: `Metropolis` and `BestConstant` do on every graph".to_owned(),
        }),
        None => Ok(()),
    }
}

fn second_largest(eigenvalues: &[f64]) -> f64 {
    match eigenvalues {
        [] | [_] => 0.0,
        [smallest, .., second, _] => smallest.abs().max(second.abs()),
        [smallest, _] => smallest.abs(),
    }
}
