//! Variances are differences of squares: of components far from 0 the error is told, or there is none.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::{Scratch, finish};

/// The relative error up to which nothing need be told.
const ALLOWED: f64 = 1e-6;

/// Numbers that are no pattern, the same in every build.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: a sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A table of components that lie far from 0, and farther from each other than they are wide.
struct Far {
    components: usize,
    columns: usize,
    rows: Vec<Vec<f64>>,
}

impl Far {
    fn draw(draws: &mut Draws) -> Self {
        let (components, columns) = (1 + (3.0 * draws.uniform()) as usize, 1 + (2.0 * draws.uniform()) as usize);
        let offset = 10_f64.powf(3.0 + 6.0 * draws.uniform());
        let apart = if draws.uniform() < 0.7 { 30.0 } else { 0.4 * offset };
        let unit = 10_f64.powf(6.0 * draws.uniform() - 3.0);
        let centre = |draws: &mut Draws, g: usize| offset + (g as f64 + 0.2 * draws.uniform()) * apart;
        let mut rows = Vec::new();
        for g in 0..components {
            let centres: Vec<f64> = (0..columns).map(|_| centre(draws, g)).collect();
            let widths: Vec<f64> = (0..columns).map(|_| 0.5 + draws.uniform()).collect();
            let row = |draws: &mut Draws| -> Vec<f64> {
                centres.iter().zip(&widths).map(|(centre, width)| (centre + width * draws.normal()) * unit).collect()
            };
            rows.extend((0..60).map(|_| row(draws)));
        }
        Self { components, columns, rows }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|y| format!("{y:?}")).collect();
            writeln!(text, "{}", cells.join(",")).unwrap();
        }
        text
    }

    /// The relative error of every variance in θ, from residuals with the posterior weights of θ: a computation of the
    /// test's own. (component, column, error); no component where the covariance is common.
    fn errors(&self, theta: &[f64], form: &str) -> Vec<(Option<usize>, usize, f64)> {
        let (g, d) = (self.components, self.columns);
        let mean = |k: usize, j: usize| theta[g + k * d + j];
        let covariances = &theta[g + g * d..];
        let entry = |k: usize, i: usize, j: usize| match form {
            "Diagonal" => {
                if i == j {
                    covariances[k * d + i]
                } else {
                    0.0
                }
            }
            "Tied" => covariances[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)],
            _ => covariances[k * d * (d + 1) / 2 + i.max(j) * (i.max(j) + 1) / 2 + i.min(j)],
        };
        let log_density = |k: usize, y: &[f64]| {
            let z: Vec<f64> = (0..d).map(|j| y[j] - mean(k, j)).collect();
            let (determinant, square) = if d == 1 {
                (entry(k, 0, 0), z[0] * z[0] / entry(k, 0, 0))
            } else {
                let (a, b, c) = (entry(k, 0, 0), entry(k, 1, 0), entry(k, 1, 1));
                let determinant = a * c - b * b;
                (determinant, (c * z[0] * z[0] - 2.0 * b * z[0] * z[1] + a * z[1] * z[1]) / determinant)
            };
            theta[k].ln() - 0.5 * (determinant.ln() + square)
        };
        let posterior = |y: &Vec<f64>| -> Vec<f64> {
            let logs: Vec<f64> = (0..g).map(|k| log_density(k, y)).collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
            logs.iter().map(|log| (log - most).exp() / sum).collect()
        };
        let r: Vec<Vec<f64>> = self.rows.iter().map(posterior).collect();
        let variance = |k: usize, j: usize| {
            let weight: f64 = r.iter().map(|r| r[k]).sum();
            let near = self.rows[0][j];
            let mean = self.rows.iter().zip(&r).map(|(y, r)| r[k] * (y[j] - near)).sum::<f64>() / weight;
            let squares = self.rows.iter().zip(&r).map(|(y, r)| r[k] * (y[j] - near - mean).powi(2)).sum::<f64>();
            (weight, squares / weight)
        };
        let share = |own: f64, right: f64| (own - right).abs() / right;
        if form == "Tied" {
            let common = |j: usize| {
                let all: Vec<(f64, f64)> = (0..g).map(|k| variance(k, j)).collect();
                all.iter().map(|(weight, variance)| weight * variance).sum::<f64>() / self.rows.len() as f64
            };
            return (0..d).map(|j| (None, j, share(entry(0, j, j), common(j)))).collect();
        }
        let pairs = (0..g).flat_map(|k| (0..d).map(move |j| (k, j)));
        pairs.map(|(k, j)| (Some(k), j, share(entry(k, j, j), variance(k, j).1))).collect()
    }
}

/// What the caveats tell of a variance: its relative error. The largest of those that are told in common, where it is
/// not among those that are named.
fn told(caveats: &[String], component: Option<usize>, column: usize) -> Option<f64> {
    let whose = component.map_or("the covariance of all components".to_owned(), |g| format!("component {g}"));
    let start = format!("the variance of column `column {column}` in {whose} has a relative error of ");
    let number = |text: &str| text.split(' ').next().unwrap().trim_end_matches(',').parse::<f64>().unwrap();
    let named = caveats.iter().find_map(|caveat| caveat.strip_prefix(&start)).map(number);
    let rest = caveats.iter().find_map(|caveat| caveat.split_once("rounding errors of this kind, of at most "));
    named.or_else(|| rest.map(|(_, most)| number(most)))
}

fn scenario(model: &str, protocol: &str, further: &str) -> String {
    format!(
        "(name: \"far\", data: Csv(path: \"far.csv\", header: false), {further} model: {model}, initial: KMeans(), \
         protocol: {protocol}, stop: (rounds: 40))"
    )
}

/// Every variance of random mixtures is within 1e-6 of the two-pass computation, or its error is told with a size
/// within a factor of 3; a run without a covariance names the cause.
#[test]
fn variances_are_right_or_their_error_is_told() {
    let (scratch, mut draws) = (Scratch::new(), Draws(11));
    let (mut right, mut wrong, mut failed) = (0, 0, 0);
    for number in 0..14 {
        let far = Far::draw(&mut draws);
        fs::write(scratch.path("far.csv"), far.text()).unwrap();
        for form in ["Full", "Diagonal", "Tied"] {
            let protocols = [
                ("CentralizedEm()", ""),
                ("FedEm(gamma: 0.7, domain: Clip(floor: 1e-9))", "clients: 3, partition: Iid,"),
            ];
            for (protocol, further) in protocols {
                let model = format!("GaussianMixture(components: {}, covariance: {form})", far.components);
                fs::write(scratch.path("far.ron"), scenario(&model, protocol, further)).unwrap();
                let _ = fs::remove_dir_all(scratch.path("out"));
                let ended = finish(scratch.fedbits(["run", "far.ron", "-q", "--no-figures", "--out", "out"]));
                let case = format!("{number} {form} {protocol}");
                if ended.code != Some(0) {
                    let said = ended.err.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert!(said.contains("has a relative error of"), "{case}: {said}");
                    failed += 1;
                    continue;
                }
                let fitted: Value =
                    serde_json::from_str(&fs::read_to_string(scratch.path("out/model.json")).unwrap()).unwrap();
                let numbers = |value: &Value| -> Vec<f64> {
                    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
                };
                let caveats: Vec<String> = serde_json::from_value(fitted["fit"]["caveats"].clone()).unwrap();
                for (component, column, error) in far.errors(&numbers(&fitted["theta"]), form) {
                    let told = told(&caveats, component, column);
                    if error <= ALLOWED {
                        right += 1;
                        continue;
                    }
                    wrong += 1;
                    let told = told.unwrap_or_else(|| panic!("{case}: {component:?} {column} {error:e}: {caveats:?}"));
                    let is_listed = caveats.iter().any(|caveat| caveat.contains(&format!("{told:.1e} by rounding")));
                    let near = told / 3.0 <= error && (error <= 3.0 * told) || !is_listed && error <= 3.0 * told;
                    assert!(near, "{case}: {component:?} {column}: {error:e}, told {told:e}");
                }
            }
        }
    }
    assert!(right > 20 && wrong > 20 && failed > 0, "{right} right, {wrong} wrong, {failed} failed");
}
