//! Variances are differences of squares: of components far from 0 the error is told, or there is none.

use std::fmt::Write as _;
use std::fs;

use fedbits_spec::Caveat;
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
        let offset = libm::pow(10.0, 3.0 + 6.0 * draws.uniform());
        let apart = if draws.uniform() < 0.7 { 30.0 } else { 0.4 * offset };
        let unit = libm::pow(10.0, 6.0 * draws.uniform() - 3.0);
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
            libm::log(theta[k]) - 0.5 * (libm::log(determinant) + square)
        };
        let posterior = |y: &Vec<f64>| -> Vec<f64> {
            let logs: Vec<f64> = (0..g).map(|k| log_density(k, y)).collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logs.iter().map(|log| libm::exp(log - most)).sum();
            logs.iter().map(|log| libm::exp(log - most) / sum).collect()
        };
        let r: Vec<Vec<f64>> = self.rows.iter().map(posterior).collect();
        let variance = |k: usize, j: usize| {
            let weight: f64 = r.iter().map(|r| r[k]).sum();
            let near = self.rows[0][j];
            let mean = self.rows.iter().zip(&r).map(|(y, r)| r[k] * (y[j] - near)).sum::<f64>() / weight;
            let square = |y: &[f64]| (y[j] - near - mean) * (y[j] - near - mean);
            let squares = self.rows.iter().zip(&r).map(|(y, r)| r[k] * square(y)).sum::<f64>();
            (weight, squares / weight)
        };
        let share = |found: f64, right: f64| (found - right).abs() / right;
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
    let place = component.map_or("the covariance of all components".to_owned(), |g| format!("component {g}"));
    let start = format!("the variance of column `column {column}` in {place} has a relative error of ");
    let number = |text: &str| text.split(' ').next().unwrap().trim_end_matches(',').parse::<f64>().unwrap();
    let named = caveats.iter().find_map(|caveat| caveat.strip_prefix(&start)).map(number);
    let rest = caveats.iter().find_map(|caveat| caveat.split_once("rounding errors of this kind, at most "));
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
                    serde_json::from_str(&fs::read_to_string(scratch.path("out/models/far.json")).unwrap()).unwrap();
                let numbers = |value: &Value| -> Vec<f64> {
                    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
                };
                let caveats: Vec<Caveat> = serde_json::from_value(fitted["fit"]["caveats"].clone()).unwrap();
                let caveats = Caveat::sentences(&caveats);
                for (component, column, error) in far.errors(&numbers(&fitted["theta"]), form) {
                    let told = told(&caveats, component, column);
                    if error <= ALLOWED {
                        right += 1;
                        continue;
                    }
                    wrong += 1;
                    let told = told.unwrap_or_else(|| panic!("{case}: {component:?} {column} {error:e}: {caveats:?}"));
                    let is_listed = caveats.iter().any(|caveat| caveat.contains(&format!("{told:.1e} by rounding")));
                    let near = error <= 3.0 * told && (told / 3.0 <= error || !is_listed);
                    assert!(near, "{case}: {component:?} {column}: {error:e}, told {told:e}");
                }
            }
        }
    }
    assert!(right > 20 && wrong > 20 && failed > 0, "{right} right, {wrong} wrong, {failed} failed");
}

/// Two groups a day apart, in seconds since 1970.
fn seconds(draws: &mut Draws) -> Far {
    let row = |draws: &mut Draws, j: usize| vec![1.7e9 + 86_400.0 * (j % 2) as f64 + 60.0 * draws.normal()];
    Far { components: 2, columns: 1, rows: (0..400).map(|j| row(draws, j)).collect() }
}

/// The error that `check` tells before a run is that of the run, and the page names column, component and remedy.
/// Centred columns have none, and a new scenario for the table standardizes them.
#[test]
fn errors_are_told_before_a_run() {
    let (scratch, mut draws) = (Scratch::new(), Draws(5));
    let far = seconds(&mut draws);
    fs::write(scratch.path("far.csv"), far.text()).unwrap();
    let model = "GaussianMixture(components: 2, covariance: Full)";
    let centred = "preprocess: [Center],";
    for (name, further) in [("far.ron", ""), ("centred.ron", centred)] {
        fs::write(scratch.path(name), scenario(model, "CentralizedEm()", further)).unwrap();
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let checked = words(&finish(scratch.fedbits(["check", "far.ron"])).done());
    finish(scratch.fedbits(["run", "far.ron", "-q", "--no-figures", "--out", "out"])).done();
    let fitted: Value =
        serde_json::from_str(&fs::read_to_string(scratch.path("out/models/far.json")).unwrap()).unwrap();
    let theta: Vec<f64> = serde_json::from_value(fitted["theta"].clone()).unwrap();
    for (component, column, error) in far.errors(&theta, "Full") {
        let found: Vec<String> = checked.split("! ").map(str::to_owned).collect();
        let told = told(&found, component, column).unwrap_or_else(|| panic!("{component:?}: {checked}"));
        assert!(told / 3.0 <= error && error <= 3.0 * told, "{component:?}: {error:e}, told {told:e}");
    }
    assert!(checked.contains("`preprocess: [Standardize]` or `[Center]`"), "{checked}");
    let centred = finish(scratch.fedbits(["check", "centred.ron"])).done();
    assert!(!centred.contains("relative error"), "{centred}");
    let new = finish(scratch.fedbits(["new", "mine", "--data", "far.csv", "--yes"]));
    assert!(new.code == Some(0) && !new.err.contains("relative error"), "{}{}", new.out, new.err);
}

/// Statistics that travel whole in 32 bits are rounded to these: columns 2000 standard deviations from 0 lose a tenth of
/// a variance, in 64 bits or centred nothing.
#[test]
fn rounding_on_the_wire_is_told() {
    let (scratch, mut draws) = (Scratch::new(), Draws(8));
    let rows = (0..400).map(|j| vec![2000.0 + 10.0 * f64::from(j % 2) + draws.normal()]).collect();
    let far = Far { components: 2, columns: 1, rows };
    fs::write(scratch.path("far.csv"), far.text()).unwrap();
    let model = "GaussianMixture(components: 2, covariance: Full)";
    let run = |floats: &str, further: &str| -> (Vec<f64>, Vec<String>) {
        let protocol = format!("FedEm(gamma: 1, floats: {floats})");
        let further = format!("clients: 4, partition: Iid, {further}");
        fs::write(scratch.path("far.ron"), scenario(model, &protocol, &further)).unwrap();
        let _ = fs::remove_dir_all(scratch.path("out"));
        finish(scratch.fedbits(["run", "far.ron", "-q", "--no-figures", "--out", "out"])).done();
        let fitted: Value =
            serde_json::from_str(&fs::read_to_string(scratch.path("out/models/far.json")).unwrap()).unwrap();
        let theta = serde_json::from_value(fitted["theta"].clone()).unwrap();
        let caveats: Vec<Caveat> = serde_json::from_value(fitted["fit"]["caveats"].clone()).unwrap();
        (theta, Caveat::sentences(&caveats))
    };
    let (theta, caveats) = run("F32", "");
    for (component, column, error) in far.errors(&theta, "Full") {
        let told = told(&caveats, component, column).unwrap_or_else(|| panic!("{component:?}: {caveats:?}"));
        assert!(told > 0.03 && error <= 3.0 * told, "{component:?}: {error:e}, told {told:e}");
    }
    assert!(caveats.iter().any(|caveat| caveat.contains("(`preprocess: [Standardize]` or `[Center]`)")), "{caveats:?}");
    for (floats, further) in [("F64", ""), ("F32", "preprocess: [Center],")] {
        let (_, caveats) = run(floats, further);
        assert!(!caveats.iter().any(|caveat| caveat.contains("relative error")), "{floats} {further}: {caveats:?}");
    }
}

/// Of groups so far apart that no shift of the column helps a new scenario's author is told.
#[test]
fn a_new_scenario_tells_what_no_shift_removes() {
    let (scratch, mut draws) = (Scratch::new(), Draws(6));
    let row = |draws: &mut Draws, j: usize| format!("{:?},{:?}\n", 3e8 * (j % 3) as f64 + draws.normal(), j % 3);
    let rows: String = (0..300).map(|j| row(&mut draws, j)).collect();
    fs::write(scratch.path("apart.csv"), format!("a,class\n{rows}")).unwrap();
    let new = finish(scratch.fedbits(["new", "mine", "--data", "apart.csv", "--yes"]));
    let said = new.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(new.code == Some(0) && said.contains("the variance of column `a` in component "), "{said}");
    assert!(said.contains("no shift removes it"), "{said}");
}

/// Numbers around 1e-170 are different, although squares of their differences are 0: columns that are standardized are
/// fitted as in another unit, and others are refused by name.
#[test]
fn small_numbers_are_different() {
    let (scratch, mut draws) = (Scratch::new(), Draws(7));
    let rows: Vec<[f64; 2]> = (0..120).map(|j| [(j % 2) as f64 * 9.0 + draws.normal(), draws.normal()]).collect();
    let objective = |unit: f64, step: &str| -> Result<f64, String> {
        let text: String = rows.iter().map(|[a, b]| format!("{:?},{:?}\n", a * unit, b * unit)).collect();
        fs::write(scratch.path("far.csv"), text).unwrap();
        let model = "GaussianMixture(components: 2, covariance: Full)";
        let further = format!("clients: 3, partition: Iid, preprocess: [{step}],");
        fs::write(scratch.path("far.ron"), scenario(model, "FedEm(gamma: 1)", &further)).unwrap();
        let _ = fs::remove_dir_all(scratch.path("out"));
        let ended = finish(scratch.fedbits(["run", "far.ron", "-q", "--no-figures", "--out", "out"]));
        if ended.code != Some(0) {
            return Err(ended.err);
        }
        let rounds = fs::read_to_string(scratch.path("out/rounds.csv")).unwrap();
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let at = cells(rounds.lines().next().unwrap()).iter().position(|name| name == "objective").unwrap();
        Ok(cells(rounds.lines().last().unwrap())[at].parse().unwrap())
    };
    for step in ["Standardize", "StandardizeFederated", "StandardizePerClient"] {
        let right = objective(1.0, step).unwrap();
        for unit in [1e-90, 1e-170, 1e-300] {
            let found = objective(unit, step).unwrap();
            assert!((found - right).abs() < 1e-9, "{step} {unit}: {found} and {right}");
        }
    }
    let refused = objective(1e-170, "").unwrap_err();
    let said = refused.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("column `column 0`: the numbers differ by at most"), "{said}");
    assert!(said.contains("`preprocess: [Standardize]`"), "{said}");
}
