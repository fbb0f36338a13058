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

/// Weights of the consensus.
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
    /// These; symmetric, rows sum to 1, 0 between agents that are not neighbours.
    Given(#[described(by_rules)] Vec<Vec<f64>>),
}

/// What given weights must be on any graph; links and eigenvalues are looked at when the graph is there.
fn square(weights: &Weights, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let Weights::Given(rows) = weights else { return };
    let (at, agents) = (at.index(0), facts.clients.unwrap_or(rows.len()));
    if rows.len() != agents || rows.iter().any(|row| row.len() != agents) {
        let wrong = rows.iter().position(|row| row.len() != agents);
        let own = wrong.map_or(at, |row| at.index(row));
        let columns = wrong.map_or(agents, |row| rows[row].len());
        let found =
            format!("the weights have {}, and this one {}", so_many(rows.len(), "row"), so_many(columns, "number"));
        findings.error(own, found, format!("expected {agents} rows of {agents}, one per agent"));
        return;
    }
    range::check(&FINITE, rows, &at, facts, findings);
    if rows.iter().flatten().all(|weight| weight.is_finite()) {
        rows.iter().enumerate().for_each(|(i, row)| averages(rows, i, row, &at.index(i), findings));
    }
}

/// Row i is symmetric to column i, and sums to 1.
fn averages(rows: &[Vec<f64>], i: usize, row: &[f64], at: &Path<'_>, findings: &mut Findings) {
    if let Some(j) = (0..i).find(|&j| (row[j] - rows[j][i]).abs() > TOLERANCE) {
        let found = format!("the weights are not symmetric: {} here, {} at row {j}, column {i}", row[j], rows[j][i]);
        findings.error(at.index(j), found, "expected a symmetric matrix");
    }
    let sum: f64 = row.iter().sum();
    if (sum - 1.0).abs() > TOLERANCE {
        let found = format!("row {i} of the weights sums to {sum}");
        let expected = "expected 1, or the eigenvalue 1 of (1, …, 1) is missing and averages are not kept";
        findings.error(at, found, expected);
    }
}

/// Why weights do not average.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum WeightsError {
    /// Not N × N.
    #[error(
        "the weights have {} and row {row} has {}: {agents} × {agents} were expected, one per agent",
        so_many(.rows, "row"),
        so_many(.columns, "entry")
    )]
    Shape {
        /// Rows found.
        rows: usize,
        /// The first row of a wrong length (0 when there are too few rows).
        row: usize,
        /// Its length.
        columns: usize,
        /// N.
        agents: usize,
    },
    /// A weight that is no number.
    #[error("the weight of agent {row} for {column} is {value}: it must be finite")]
    NotFinite {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What it is.
        value: f64,
    },
    /// A weight where there is no link.
    #[error("the weight of agent {row} for {column} is {value}, but they are not neighbours: it must be 0")]
    NoLink {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// What it is.
        value: f64,
    },
    /// W differs from its transpose.
    #[error("the weights are not symmetric: agent {row} gives {column} the weight {forth} and gets {back}")]
    NotSymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// W_ij.
        forth: f64,
        /// W_ji.
        back: f64,
    },
    /// 1 is no eigenvector to the eigenvalue 1.
    #[error(
        "row {row} of the weights sums to {sum}: it must be 1, or the eigenvalue 1 of (1, …, 1) is missing and \
         averages are not kept"
    )]
    RowSum {
        /// Row.
        row: usize,
        /// What it sums to.
        sum: f64,
    },
    /// An eigenvalue besides the 1 of (1, …, 1) is too large.
    #[error(
        "the weights do not average: their eigenvalue {eigenvalue:.6} has modulus 1 or more (all but the 1 of (1, …, \
         1) must be smaller){hint}"
    )]
    Eigenvalue {
        /// The eigenvalue.
        eigenvalue: f64,
        /// What to do, with a space in front; may be empty.
        hint: String,
    },
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
        Averaging::new(self, graph).map_err(|error| {
            let at = at.index(0);
            let (at, expected) = match error {
                WeightsError::NoLink { row, column, .. } => {
                    (at.index(row).index(column).to_string(), "expected 0, or a link between them")
                }
                WeightsError::RowSum { row, .. } => (at.index(row).to_string(), "expected rows that sum to 1"),
                _ => {
                    (at.to_string(), "expected weights that average: `Metropolis` and `BestConstant` do on every graph")
                }
            };
            BuildError::misfit(at, error, expected)
        })
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
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Never: a graph has agents.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The non-zero weights of an agent, its own included, by id.
    pub fn row(&self, agent: u32) -> &[(u32, f64)] {
        &self.rows[agent as usize]
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
    let wrong = rows.iter().position(|row| row.len() != n);
    if rows.len() != n || wrong.is_some() {
        let row = wrong.unwrap_or(0);
        let columns = rows.get(row).map_or(0, Vec::len);
        return Err(WeightsError::Shape { rows: rows.len(), row, columns, agents: n });
    }
    for (row, weights) in rows.iter().enumerate() {
        for (column, &value) in weights.iter().enumerate() {
            check_entry(rows, graph, row, column, value)?;
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(WeightsError::RowSum { row, sum });
        }
    }
    Ok(rows.concat())
}

fn check_entry(rows: &[Vec<f64>], graph: &Graph, row: usize, column: usize, value: f64) -> Result<(), WeightsError> {
    if !value.is_finite() {
        return Err(WeightsError::NotFinite { row, column, value });
    }
    if row != column && value != 0.0 && !graph.neighbours(row as u32).contains(&(column as u32)) {
        return Err(WeightsError::NoLink { row, column, value });
    }
    let back = rows[column][row];
    if (value - back).abs() > TOLERANCE {
        return Err(WeightsError::NotSymmetric { row, column, forth: value, back });
    }
    Ok(())
}

fn check_spectrum(eigenvalues: &[f64], hint: &str) -> Result<(), WeightsError> {
    let (Some(&smallest), true) = (eigenvalues.first(), eigenvalues.len() > 1) else { return Ok(()) };
    let largest = *eigenvalues.last().expect("there are two");
    // One eigenvalue is the 1 of (1, …, 1): the largest unless another exceeds it.
    let second = eigenvalues[eigenvalues.len() - 2];
    let others = [smallest, second, if largest > 1.0 + TOLERANCE { largest } else { second }];
    // Not a number where weights are too large to be summed.
    let bad = others.into_iter().filter(|value| value.is_nan() || value.abs() >= 1.0 - GAP);
    match bad.max_by(|x, y| x.abs().total_cmp(&y.abs())) {
        Some(eigenvalue) => Err(WeightsError::Eigenvalue { eigenvalue, hint: hint.to_owned() }),
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
