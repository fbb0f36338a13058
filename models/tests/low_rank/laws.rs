//! Laws of T and of EM, and of the step that keeps the matrix implicit.

use fedbits_models::low_rank::{Family, LowRank, Workspace, margins};
use fedbits_models::{Batch, DomainError, DomainPolicy, ExactModel, Examples, Imputation, Model, Scratch};
use fedbits_random::{DrawPurpose, Stream, Streams};

const SITES: usize = 40;
const TIMES: usize = 36;
const FAMILIES: [Family; 3] = [Family::Gaussian, Family::Poisson, Family::Binomial { trials: 3 }];

fn stream(entity: u64) -> Stream {
    Streams::new(11, 0).at(DrawPurpose::Data, entity, 0)
}

/// 500 observations of a rank-2 matrix, at most one per cell.
fn observations(family: Family) -> Vec<f64> {
    let mut draws = stream(1);
    let mut rows = Vec::new();
    for cell in (0..SITES * TIMES).filter(|cell| cell % 3 == 0) {
        let (j, l) = (cell / TIMES, cell % TIMES);
        let theta = 0.8 + 0.6 * libm::sin(j as f64) * libm::cos(0.5 * l as f64);
        let x = match family {
            Family::Gaussian => theta + draws.normal(),
            Family::Poisson | Family::Binomial { .. } => libm::floor(family.mean(theta) + draws.uniform()),
        };
        rows.extend([j as f64, l as f64, x]);
    }
    rows
}

fn model(family: Family, lambda: f64, rows: &[f64], matrices: usize) -> LowRank {
    LowRank::new((SITES, TIMES), 2, lambda, family, rows.len() / 3, matrices).expect("a model")
}

/// Every majorize-minimize step lowers Σ ψ(θ) − Sθ + λ‖θ‖_*, and EM with one such step per iteration raises the
/// likelihood (λ = 0): generalized EM is monotone.
#[test]
fn em_is_monotone() {
    for family in FAMILIES {
        let rows = observations(family);
        let examples = Examples::new(&rows, 3);
        for (lambda, matrices) in [(0.0, 1), (0.0, 5), (2.0, 1)] {
            let model = model(family, lambda, &rows, matrices);
            let mut theta = margins(&model, examples).expect("a start");
            let (mut workspace, mut next) = (Workspace::default(), Vec::new());
            let mut statistic = vec![0.0; SITES * TIMES];
            let mut before = f64::INFINITY;
            for _ in 0..25 {
                let e_step = model.conditional(&theta).expect("a parameter");
                let objective = e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut statistic);
                assert!(lambda > 0.0 || objective <= before + 1e-10, "{family:?}, M = {matrices}");
                before = objective;
                model.maximize_from(&statistic, &theta, &mut workspace, &mut next).expect("a step");
                let (old, new) = (model.loss(&statistic, &theta), model.loss(&statistic, &next));
                assert!(new <= old + 1e-9 * old.abs(), "{family:?}, λ = {lambda}: {old} to {new}");
                std::mem::swap(&mut theta, &mut next);
            }
        }
    }
}

/// The step on sparse residuals is the step on dense statistics: Ŝ + γ (s̄ − Ŝ), and ‖H‖², for every family.
#[test]
fn implicit_and_dense_steps_agree() {
    for family in FAMILIES {
        let rows = observations(family);
        let examples = Examples::new(&rows, 3);
        let model = model(family, 0.0, &rows, 2);
        let theta = margins(&model, examples).expect("a start");
        let mut draws = stream(2);
        let s: Vec<f64> = (0..SITES * TIMES).map(|_| draws.normal()).collect();
        let mut dense = vec![0.0; s.len()];
        let e_step = model.conditional(&theta).expect("a parameter");
        e_step.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut dense);
        let cells: Vec<u32> = rows.chunks_exact(3).map(|example| model.cell(example) as u32).collect();
        let private: Vec<f64> =
            rows.chunks_exact(3).map(|x| 0.5 * (x[2] - model.expected_at(&theta, model.cell(x)))).collect();
        let mut implicit = s.clone();
        let field_sq = model.advance(&mut implicit, &theta, 0.3, (&cells, &private));
        let h: Vec<f64> = dense.iter().zip(&s).map(|(dense, s)| dense - s).collect();
        let expected: f64 = h.iter().map(|h| h * h).sum();
        assert!((field_sq - expected).abs() < 1e-9 * expected);
        for ((implicit, s), h) in implicit.iter().zip(&s).zip(&h) {
            assert!((implicit - (s + 0.3 * h)).abs() < 1e-12);
        }
    }
}

/// T of a matrix of rank ≤ r is that matrix (λ = 0); with λ above the largest singular value it is 0; a warm start
/// changes nothing but the work.
#[test]
fn the_map_t() {
    let rows = observations(Family::Gaussian);
    let exact = model(Family::Gaussian, 0.0, &rows, 1);
    let dense: Vec<f64> = (0..SITES * TIMES)
        .map(|cell| 2.0 + libm::sin((cell / TIMES) as f64) * libm::cos((cell % TIMES) as f64))
        .collect();
    let mut theta = Vec::new();
    exact.maximize(&dense, DomainPolicy::Error, &mut theta).expect("T exists");
    for (cell, s) in dense.iter().enumerate() {
        assert!((exact.parameter_at(&theta, cell) - s).abs() < 1e-9);
    }
    let mut warm = Vec::new();
    exact.maximize_from(&dense, &theta, &mut Workspace::default(), &mut warm).expect("T exists");
    for (cell, s) in dense.iter().enumerate() {
        assert!((exact.parameter_at(&warm, cell) - s).abs() < 1e-9);
    }
    let shrunk = model(Family::Gaussian, 1e4, &rows, 1);
    shrunk.maximize(&dense, DomainPolicy::Error, &mut theta).expect("T exists");
    assert!((0..dense.len()).all(|cell| shrunk.parameter_at(&theta, cell) == 0.0));
}

/// At a maximum of the concave problem (r = L: no rank constraint, λ = 0) T inverts ψ': ψ'(T(S)) = S.
#[test]
fn without_constraint_t_is_the_link() {
    for family in [Family::Poisson, Family::Binomial { trials: 3 }] {
        let model = LowRank::new((6, 4), 4, 0.0, family, 24, 1).expect("a model");
        let s: Vec<f64> = (0..24).map(|cell| 0.5 + 0.08 * f64::from(cell)).collect();
        let mut theta = Vec::new();
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
        for (cell, s) in s.iter().enumerate() {
            assert!((model.expected_at(&theta, cell) - s).abs() < 1e-6, "{family:?}");
        }
    }
}

/// A complete table of 20 sites and 12 times: log-means or log-odds from `low` to `low + range`, and rank 2 beside.
fn table(draw: u64, family: Family, low: f64, range: f64) -> Vec<f64> {
    let mut draws = stream(draw);
    let sites: Vec<f64> = (0..20).map(|_| 0.5 * draws.normal()).collect();
    let times: Vec<f64> = (0..12).map(|_| 0.7 * draws.normal()).collect();
    let theta = |j: usize, l: usize| low + range * j as f64 / 19.0 + sites[j] * times[l];
    let mut cell = |j: usize, l: usize| {
        let (theta, noise) = (theta(j, l), draws.normal());
        let drawn = family.mean(theta) + noise * family.variance(theta).sqrt();
        drawn
            .round()
            .clamp(0.0, if let Family::Binomial { trials } = family { f64::from(trials) } else { f64::INFINITY })
    };
    (0..240).map(|at| cell(at / 12, at % 12)).collect()
}

/// The largest derivative of the objective of T by an entry of a factor, in standard deviations of that of the table.
fn score(model: &LowRank, s: &[f64], theta: &[f64]) -> f64 {
    let (a, b) = theta.split_at(2 * 20);
    let family = model.family;
    let sums = |count: usize, cell: &dyn Fn(usize) -> (usize, f64)| {
        let terms = (0..count).map(cell).map(|(cell, x)| {
            let theta = model.parameter_at(theta, cell);
            (x * (family.mean(theta) - s[cell]), x * x * family.variance(theta))
        });
        let (slope, variance) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
        slope.abs() / (variance + 1e-6).sqrt()
    };
    let by_site = (0..40).map(|at| sums(12, &|l| (12 * (at / 2) + l, b[2 * l + at % 2])));
    let by_time = (0..24).map(|at| sums(20, &|j| (12 * j + at / 2, a[2 * j + at % 2])));
    by_site.chain(by_time).fold(0.0, f64::max)
}

/// The cells of a table may have means from 1 to 16 000, and probabilities of 1/50 000: T is where no factor has a slope
/// (of 3 % of its standard deviation: what 10⁻¹¹ of an objective of 10⁶ leaves),
/// or it is said that it is short of it (4 % of 3 388 tables), and the same from a cold start and from 0 but for 5 %, those
/// where the objective has another minimum among them. Presences that a matrix of rank 2 separates have no
/// largest likelihood, and it is said that T is short of it.
#[test]
fn t_rests_where_its_objective_does() {
    let binomial = |trials| Family::Binomial { trials };
    let tables = [
        (Family::Poisson, 0.0, 3.0),
        (Family::Poisson, 0.0, 5.0),
        (Family::Poisson, 0.0, 8.0),
        (Family::Poisson, 0.0, 10.0),
        (binomial(10), -2.0, 3.0),
        (binomial(1_000), -6.0, 1.0),
        (binomial(100_000), -11.0, 1.0),
    ];
    let (mut resting, mut equal) = (0, 0);
    for (draw, (family, low, range)) in (4..16).flat_map(|draw| tables.map(|table| (draw, table))) {
        let s = table(draw, family, low, range);
        let model = LowRank::new((20, 12), 2, 0.0, family, 240, 1).expect("a model");
        let (mut theta, mut from_zero) = (Vec::new(), Vec::new());
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
        let rests = model.unrest(&s, &theta).is_none();
        resting += u32::from(rests);
        assert!(!rests || score(&model, &s, &theta) < 0.03, "{family:?} from {low} to {}, {draw}", low + range);
        model.maximize_from(&s, &[0.0; 64], &mut Workspace::default(), &mut from_zero).expect("T exists");
        let (one, other) = (model.loss(&s, &theta), model.loss(&s, &from_zero));
        equal += u32::from((one - other).abs() < 1e-9 * one.abs());
    }
    // Tables of one draw share their factors, and are short of T together.
    assert!(resting >= 56 && equal >= 56, "of 84 tables {resting} rest, and {equal} are the same from 0");
    let (s, mut theta) = (table(4, binomial(1), -1.0, 2.0), Vec::new());
    let model = LowRank::new((20, 12), 2, 0.0, binomial(1), 240, 1).expect("a model");
    model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
    assert!(model.unrest(&s, &theta).is_some());
}

/// Counts of 10¹⁴ are far from the start at 0, where one curvature serves all cells.
#[test]
fn large_counts_are_reached_from_zero() {
    for low in [30.0, 150.0] {
        let s = table(4, Family::Poisson, low, 3.0);
        let model = LowRank::new((20, 12), 2, 0.0, Family::Poisson, 240, 1).expect("a model");
        let (mut theta, mut from_zero) = (Vec::new(), Vec::new());
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
        model.maximize_from(&s, &[0.0; 64], &mut Workspace::default(), &mut from_zero).expect("T exists");
        let (one, other) = (model.loss(&s, &theta), model.loss(&s, &from_zero));
        assert!((one - other).abs() < 1e-9 * one.abs(), "{low}: {one} and {other}");
    }
}

/// With a penalty T is where the penalized objective has no slope: θ = 0 where λ is above the largest singular value of
/// ψ'(0) − S, and below it the singular values of ψ'(θ) − S are λ on the columns that stay.
#[test]
fn a_penalty_is_met() {
    let s = table(4, Family::Poisson, 0.0, 3.0);
    // A column more than the table has: its direction is one of the noise, and sweeps alone are slow to find it.
    let larger = LowRank::new((20, 12), 3, 1.0, Family::Poisson, 240, 1).expect("a model");
    let mut theta = Vec::new();
    larger.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
    assert!(larger.unrest(&s, &theta).is_none());
    for lambda in [5.0, 1e6] {
        let model = LowRank::new((20, 12), 2, lambda, Family::Poisson, 240, 1).expect("a model");
        let mut theta = Vec::new();
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
        assert!(model.unrest(&s, &theta).is_none());
        let (a, b) = theta.split_at(40);
        for k in 0..2 {
            let length = (0..20).map(|j| a[2 * j + k] * a[2 * j + k]).sum::<f64>().sqrt();
            if length == 0.0 {
                assert_eq!(lambda, 1e6);
                continue;
            }
            let slope = (0..240).map(|at| {
                let weight = a[2 * (at / 12) + k] / length * b[2 * (at % 12) + k];
                weight * (model.expected_at(&theta, at) - s[at])
            });
            assert!((slope.sum::<f64>() + lambda).abs() < 1e-3, "λ = {lambda}, column {k}");
        }
    }
}

/// What noise takes out of the range of means counts as its end: T has a θ, and stays near that of the other cells.
#[test]
fn means_out_of_range_have_parameters() {
    for family in [Family::Poisson, Family::Binomial { trials: 10 }] {
        let s = table(4, family, 0.0, 1.0);
        let (mut out, mut inside) = (s.clone(), s.clone());
        (out[17], inside[17]) = (-3.0, 0.0);
        let model = LowRank::new((20, 12), 2, 0.0, family, 240, 1).expect("a model");
        let (mut theta, mut expected) = (Vec::new(), Vec::new());
        model.maximize(&out, DomainPolicy::Error, &mut theta).expect("T exists");
        model.maximize(&inside, DomainPolicy::Error, &mut expected).expect("T exists");
        assert_eq!(theta, expected);
    }
}

/// ‖θ − θ'‖² from factors against the sum over cells, ranks different; totals against the sum over sites.
#[test]
fn sums_over_cells() {
    let two = LowRank::new((5, 4), 2, 0.0, Family::Poisson, 1, 1).expect("a model");
    let one = LowRank::new((5, 4), 1, 0.0, Family::Poisson, 1, 1).expect("a model");
    let mut draws = stream(3);
    let theta: Vec<f64> = (0..18).map(|_| draws.normal()).collect();
    let reference: Vec<f64> = (0..9).map(|_| draws.normal()).collect();
    let differences = (0..20).map(|cell| two.parameter_at(&theta, cell) - one.parameter_at(&reference, cell));
    let expected = differences.map(|d| d * d).sum::<f64>() / 20.0;
    assert!((two.parameter_error(&theta, &reference) - expected).abs() < 1e-12);
    for (l, total) in two.totals(&theta).into_iter().enumerate() {
        let expected: f64 = (0..5).map(|j| two.expected_at(&theta, 4 * j + l)).sum();
        assert!((total - expected).abs() < 1e-12);
    }
}

#[test]
fn bad_sizes_are_named() {
    let new = |sizes, rank| LowRank::new(sizes, rank, 0.0, Family::Gaussian, 10, 1);
    let refused = |sizes, rank| new(sizes, rank).expect_err("a wrong size").to_string();
    assert!(refused((5, 4), 5).starts_with("rank 5 does not fit a matrix of 5 × 4: expected 1 to 4"));
    assert!(refused((5, 4), 0).starts_with("rank 0 does not fit"));
    assert!(refused((0, 4), 1).starts_with("a matrix of 0 × 4 has no cell"));
    let model = new((5, 4), 1).expect("a model");
    let mut s = vec![1.0; 20];
    s[7] = f64::INFINITY;
    let refused = model.maximize(&s, DomainPolicy::Error, &mut Vec::new());
    assert_eq!(refused, Err(DomainError::NotFinite { index: 7, value: f64::INFINITY }));
}
