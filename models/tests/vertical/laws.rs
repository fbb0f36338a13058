//! Laws: blocks fitted apart are the block-diagonal mixture fitted in one place; likelihoods only grow; incremental EM.

use super::reference_impl::Reference;
use fedbits_models::clusters::Clusters;
use fedbits_models::gmm::vertical::{FeatureBlocks, Incremental, Mixing, Singular, Target, VerticalMixture};
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_models::{Batch, DomainError, Examples};
use fedbits_random::{DrawPurpose, Streams};

/// A random problem: two or three Gaussians with random means and unit variances, features far from the origin.
struct Problem {
    rows: Vec<f64>,
    blocks: FeatureBlocks,
    reference: Reference,
}

impl Problem {
    fn draw(seed: u64) -> Self {
        let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 0, 0);
        let (d, k) = (2 + stream.below(8) as usize, 2 + stream.below(2) as usize);
        let centres: Vec<f64> = (0..k * d).map(|_| 3.0 * stream.normal()).collect();
        let mut rows = Vec::new();
        for m in 0..20 * d * k {
            let centre = &centres[m % k * d..][..d];
            let common = stream.normal();
            rows.extend(centre.iter().map(|c| 10.0 + c + 0.5 * common + stream.normal()));
        }
        let mut order: Vec<usize> = (0..d).collect();
        stream.shuffle(&mut order);
        let count = 1 + stream.below(d as u64) as usize;
        let mut blocks = vec![Vec::new(); count];
        order.iter().enumerate().for_each(|(at, &feature)| blocks[at % count].push(feature));
        let means = (0..k).map(|c| rows[c * d..][..d].to_vec()).collect();
        let unit = |_| (0..d * d).map(|at| if at / d == at % d { 2.0 } else { 0.0 }).collect();
        let reference = Reference { weights: vec![1.0 / k as f64; k], means, covariances: (0..k).map(unit).collect() };
        Self { rows, blocks: FeatureBlocks::new(blocks, d).expect("a partition"), reference }
    }

    fn mixture(&self) -> VerticalMixture {
        let examples = Examples::new(&self.rows, self.blocks.dimension());
        VerticalMixture::new(examples, self.reference.weights.len(), self.blocks.clone()).expect("a mixture")
    }
}

/// One step with exact sums; returns the log-likelihood of the parameters it left.
fn step(
    mixture: &VerticalMixture,
    thetas: &mut Vec<Vec<f64>>,
    batch: Batch<'_>,
    memory: Option<&mut Incremental>,
) -> f64 {
    let sums = Mixing::sums(thetas.len(), thetas.len());
    let target = |(b, theta): (usize, &'_ Vec<f64>)| (theta[..mixture.components()].to_vec(), b);
    let pairs: Vec<_> = thetas.iter().enumerate().map(target).collect();
    let targets: Vec<Target<'_>> =
        pairs.iter().map(|(weights, b)| Target { weights, statistics_of: Some(*b) }).collect();
    let mut mix = |terms: &[f64], _: usize, seen: &mut [f64]| sums.mix(terms, seen);
    let estimates = mixture.pass(thetas, &targets, batch, &mut mix, memory).expect("densities");
    let next = estimates.iter().enumerate();
    *thetas = next.map(|(b, e)| mixture.maximize(b, &e.statistics, Singular::Error).expect("regular")).collect();
    estimates[0].log_likelihood
}

/// Blocks that add their terms are EM for the block-diagonal mixture in one place: 1e-12 after scaling by max(1, |x|),
/// over five iterations of thirty random problems; and the likelihood never falls (Corollary 1).
#[test]
fn exact_sums_are_block_diagonal_em() {
    for seed in 0..30 {
        let Problem { rows, blocks, mut reference } = Problem::draw(seed);
        let mixture = Problem { rows: rows.clone(), blocks: blocks.clone(), reference: reference.clone() }.mixture();
        let mut thetas = mixture.split(&reference.theta());
        let mut last = f64::NEG_INFINITY;
        for iteration in 0..5 {
            let found = step(&mixture, &mut thetas, Batch::All, None);
            let (_, expected) = reference.step(&rows, &blocks);
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "likelihood {found} and not {expected}");
            assert!(found >= last - 1e-9, "seed {seed}: the likelihood fell from {last} to {found}");
            last = found;
            for (x, y) in mixture.join(&thetas).iter().zip(reference.theta()) {
                assert!(
                    (x - y).abs() <= 1e-12 * y.abs().max(1.0),
                    "seed {seed}, iteration {iteration}: {x} and not {y}"
                );
            }
        }
    }
}

/// The likelihood of a pass is that of the whole mixture with the joined θ, whose Σ has zeros between blocks, and so
/// are the labels; split undoes join.
#[test]
fn joined_blocks_are_the_whole_mixture() {
    for seed in 30..40 {
        let problem = Problem::draw(seed);
        let mixture = problem.mixture();
        let mut thetas = mixture.split(&problem.reference.theta());
        step(&mixture, &mut thetas, Batch::All, None);
        let joined = mixture.join(&thetas);
        let examples = Examples::new(&problem.rows, problem.blocks.dimension());
        let whole =
            GaussianMixture::new(mixture.components(), examples.dimension(), Covariance::Full).expect("a mixture");
        let expected = whole.log_likelihood(examples, &joined).expect("a density") * examples.len() as f64;
        let labels = mixture.classify(&thetas, &thetas[0][..mixture.components()]).expect("a density");
        assert_eq!(labels, whole.classify(examples, &joined).expect("a density"));
        for (x, y) in mixture.split(&joined).concat().iter().zip(thetas.concat()) {
            assert!((x - y).abs() <= 1e-12 * y.abs().max(1.0));
        }
        let found = step(&mixture, &mut thetas, Batch::All, None);
        assert!((found - expected).abs() <= 1e-11 * expected.abs(), "{found} and not {expected}");
    }
}

/// The largest difference of two parameters, relative to entries above 1.
fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(x, y)| (x - y).abs() / y.abs().max(1.0)).fold(0.0, f64::max)
}

/// Incremental EM (Neal and Hinton 1998) with all examples in every batch is EM; with smaller batches it ends where EM
/// rests, too: both have the same fixed points.
#[test]
fn incremental_em() {
    let problem = Problem::draw(77);
    let mixture = problem.mixture();
    let start = mixture.split(&problem.reference.theta());
    let (mut plain, mut thetas) = (start.clone(), start.clone());
    let mut memory = mixture.incremental(thetas.len());
    for _ in 0..3 {
        let expected = step(&mixture, &mut plain, Batch::All, None);
        let found = step(&mixture, &mut thetas, Batch::All, Some(&mut memory));
        assert!((found - expected).abs() <= 1e-10 * expected.abs());
    }
    let mut batches = (start.clone(), mixture.incremental(start.len()));
    step(&mixture, &mut batches.0, Batch::All, Some(&mut batches.1));
    let everything: Vec<u32> = (0..mixture.examples() as u32).collect();
    let mut passes = 0;
    loop {
        let before = batches.0.clone();
        for batch in everything.chunks(mixture.examples().div_ceil(4)) {
            step(&mixture, &mut batches.0, Batch::Indices(batch), Some(&mut batches.1));
        }
        passes += 1;
        assert!(passes < 20_000, "incremental EM still moves by {:e}", distance(&before, &batches.0));
        if distance(&before, &batches.0) < 1e-11 {
            break;
        }
    }
    let mut plain = batches.0.clone();
    step(&mixture, &mut plain, Batch::All, None);
    let moved = distance(&plain, &batches.0);
    assert!(moved < 1e-9, "EM moves the end of incremental EM by {moved:e}");
}

/// Gram entries are scalar products of terms, divided by M K.
#[test]
fn the_gram_matrix_is_made_of_products() {
    let problem = Problem::draw(5);
    let mixture = problem.mixture();
    let thetas = mixture.split(&problem.reference.theta());
    let gram = mixture.gram(&thetas, Batch::All).expect("densities");
    let terms: Vec<Vec<f64>> =
        (0..thetas.len()).map(|b| mixture.terms(&thetas, b, Batch::All).expect("densities")).collect();
    for a in 0..thetas.len() {
        for b in 0..thetas.len() {
            let expected = terms[a].iter().zip(&terms[b]).map(|(x, y)| x * y).sum::<f64>() / terms[a].len() as f64;
            let found = gram[a * thetas.len() + b];
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} and not {expected}");
        }
    }
}

/// A target with coefficients 1 + δ on one block misses δ² times the mean square of its terms.
#[test]
fn the_error_of_a_target_is_what_its_coefficients_miss() {
    let problem = Problem::draw(8);
    let mixture = problem.mixture();
    let thetas = mixture.split(&problem.reference.theta());
    let mut coefficients = vec![1.0; thetas.len()];
    coefficients[0] = 1.5;
    let weights = &thetas[0][..mixture.components()];
    let target = Target { weights, statistics_of: None };
    let mixing = Mixing::new([&coefficients[..]], thetas.len());
    let mut mix = |terms: &[f64], _: usize, seen: &mut [f64]| mixing.mix(terms, seen);
    let found = mixture.pass(&thetas, &[target], Batch::All, &mut mix, None).expect("densities")[0].error_sq;
    let expected = 0.25 * mixture.gram(&thetas, Batch::All).expect("densities")[0];
    assert!((found - expected).abs() <= 1e-12 * expected, "{found} and not {expected}");
}

/// Two equal features in one block have a singular covariance: an error, or a ridge on the diagonal.
#[test]
fn singular_covariances() {
    let rows: Vec<f64> = (0..40).flat_map(|m| [f64::from(m % 7), f64::from(m % 7)]).collect();
    let blocks = FeatureBlocks::new(vec![vec![0, 1]], 2).expect("a partition");
    let mixture = VerticalMixture::new(Examples::new(&rows, 2), 1, blocks).expect("a mixture");
    let thetas = mixture.split(&[1.0, 3.0, 3.0, 4.0, 0.0, 4.0]);
    let target = Target { weights: &[1.0], statistics_of: Some(0) };
    let mut mix = |terms: &[f64], _: usize, seen: &mut [f64]| seen.copy_from_slice(terms);
    let estimate = mixture.pass(&thetas, &[target], Batch::All, &mut mix, None).expect("densities").remove(0);
    let failed = mixture.maximize(0, &estimate.statistics, Singular::Error);
    let failed = failed.expect_err("equal features");
    assert!(matches!(failed.error, DomainError::Covariance { component: Some(0), pivot: 1, .. }), "{failed:?}");
    let words = failed.to_string();
    assert!(words.starts_with("the block of features 0, 1: ") && words.contains("feature 1 adds nothing"), "{words}");
    let theta = mixture.maximize(0, &estimate.statistics, Singular::Ridge(0.5)).expect("regular");
    assert!((theta[3] - theta[4] - 0.5).abs() < 1e-12, "the ridge is on the diagonal: {theta:?}");
}

#[test]
fn features_belong_to_exactly_one_block() {
    let new = |blocks: &[&[usize]]| FeatureBlocks::new(blocks.iter().map(|b| b.to_vec()).collect(), 3);
    let refused = |blocks: &[&[usize]]| new(blocks).expect_err("no partition");
    assert_eq!(refused(&[]), "there are no blocks of features: at least one was expected");
    assert_eq!(refused(&[&[0, 1], &[]]), "block 1 has no features: every block needs at least one");
    assert_eq!(refused(&[&[0, 1], &[3]]), "block 1 names feature 3: the data have features 0 to 2");
    let once = "every feature belongs to exactly one block";
    assert_eq!(refused(&[&[0, 1], &[2, 1]]), format!("feature 1 is in block 0 and in block 1: {once}"));
    assert_eq!(refused(&[&[0], &[2]]), format!("feature 1 is in no block: {once}"));
    let even = FeatureBlocks::even(2, 5).expect("a partition");
    assert_eq!((even.features(0), even.features(1)), (&[0, 1, 2][..], &[3, 4][..]));
    let merged = even.merged(&[vec![1, 0]]).expect("a partition");
    assert_eq!(merged.features(0), [3, 4, 0, 1, 2]);
}
