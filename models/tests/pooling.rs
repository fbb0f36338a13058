//! Pools of mixtures against NumPy (`one_round.json`), and what reductions do with groups of none.

use crate::golden::{assert_within, golden, numbers};
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_models::{Examples, FitPooling, Model};
use fedbits_random::{DrawPurpose, Streams};
use serde_json::Value;

const TOLERANCE: f64 = 1e-10;
const FORMS: [&str; 4] = ["known", "tied", "diagonal", "full"];

/// Three components in two dimensions.
fn mixture(file: &Value, form: &str) -> GaussianMixture {
    let rows = numbers(&file["rows"]);
    let covariance = match form {
        "known" => Covariance::Known(numbers(&file["sigma"])),
        "tied" => Covariance::Tied { second_moment: second_moment(Examples::new(&rows, 2)) },
        "diagonal" => Covariance::Diagonal,
        _ => Covariance::Full,
    };
    GaussianMixture::new(3, 2, covariance).unwrap()
}

fn vectors(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

#[test]
fn reductions_and_distances_follow_numpy() {
    let file = golden("one_round.json");
    let sizes = numbers(&file["sizes"]);
    for form in FORMS {
        let (model, case) = (mixture(&file, form), &file[form]);
        let fits = vectors(&case["fits"]);
        let pool: Vec<(f64, &[f64])> = sizes.iter().copied().zip(fits.iter().map(|fit| &fit[..])).collect();
        let spread = model.spread(&pool).unwrap();
        assert_within(&format!("{form}: spread"), &spread, &numbers(&case["spread"]), TOLERANCE);
        let starts = [&[spread][..], &fits].concat();
        let (reductions, divergences) = (vectors(&case["reductions"]), numbers(&case["divergences"]));
        for ((start, expected), divergence) in starts.iter().zip(&reductions).zip(divergences) {
            let reduced = model.reduce(&pool, start).unwrap();
            assert_within(&format!("{form}: reduction"), &reduced.theta, expected, TOLERANCE);
            assert_within(&format!("{form}: divergence"), &[reduced.divergence], &[divergence], TOLERANCE);
            assert_eq!(reduced.refilled, 0, "{form}");
        }
        let all: Vec<&[f64]> = fits.iter().map(|fit| &fit[..]).collect();
        // Of the diagonal rounding is left, √ε.
        assert_within(
            &format!("{form}: distances"),
            &model.distances(&all).unwrap(),
            &numbers(&case["distances"]),
            1e-7,
        );
        let apart = |at: &usize| at / 5 != at % 5;
        let off = |all: Vec<f64>| (0..25).filter(apart).map(|at| all[at]).collect::<Vec<_>>();
        let (found, expected) = (off(model.distances(&all).unwrap()), off(numbers(&case["distances"])));
        assert_within(&format!("{form}: distances"), &found, &expected, TOLERANCE);
    }
}

/// A start with two equal components leaves one without any of the pool: it takes the one that costs most.
#[test]
fn a_component_that_nothing_is_near_takes_over_another() {
    let model = GaussianMixture::new(3, 1, Covariance::Known(vec![1.0])).unwrap();
    let fit = [0.5, 0.25, 0.25, -10.0, 0.0, 10.0];
    let reduced = model.reduce(&[(1.0, &fit)], &[0.5, 0.25, 0.25, -10.0, -10.0, 9.0]).unwrap();
    // 0 and 10 are nearest to the third; 0 costs more there, and the second takes it.
    let mut means = reduced.theta[3..].to_vec();
    means.sort_unstable_by(f64::total_cmp);
    assert_eq!((means, reduced.divergence), (vec![-10.0, 0.0, 10.0], 0.0));
}

/// A pool of one mixture is the mixture itself; other weights than a sum of 1, and what is no density, are told.
#[test]
fn weights_are_normalized_and_what_is_no_density_is_refused() {
    let model = GaussianMixture::new(2, 1, Covariance::Full).unwrap();
    let mut theta = [1.0, 3.0, 0.0, 5.0, 1.0, 2.0];
    model.normalize(&mut theta).unwrap();
    assert_eq!(theta[..2], [0.25, 0.75]);
    for (at, value) in [(0, -0.1), (1, 0.0), (2, f64::NAN), (4, -1.0)] {
        let mut broken = theta;
        broken[at] = value;
        assert!(model.normalize(&mut broken).is_err(), "entry {at} is {value}");
    }
}

/// Draws have the moments of the pool, in every form.
#[test]
fn draws_have_the_moments_of_the_pool() {
    let file = golden("one_round.json");
    for form in FORMS {
        let model = mixture(&file, form);
        let fits = vectors(&file[form]["fits"]);
        let mut stream = Streams::new(3, 0).at(DrawPurpose::Resampling, 0, 0);
        let (count, pool) = (40_000, [(1.0, &fits[0][..]), (3.0, &fits[1][..])]);
        let rows = model.draw(&pool, count, &mut stream).unwrap();
        let drawn = second_moment(Examples::new(&rows, 2));
        let mean = |at: usize| rows.iter().skip(at).step_by(2).sum::<f64>() / f64::from(count);
        let mut expected = [0.0; 5];
        for (weight, theta) in [(0.25, &fits[0]), (0.75, &fits[1])] {
            for g in 0..3 {
                let (share, mu) = (weight * theta[g], model.mean(theta, g));
                let sigma = covariance(&model, &file, form, theta, g);
                let moments =
                    [mu[0], mu[1], sigma[0] + mu[0] * mu[0], sigma[1] + mu[0] * mu[1], sigma[2] + mu[1] * mu[1]];
                expected.iter_mut().zip(moments).for_each(|(sum, moment)| *sum += share * moment);
            }
        }
        // Four standard errors of the largest.
        assert_within(form, &[mean(0), mean(1), drawn[0], drawn[1], drawn[2]], &expected, 0.08);
    }
}

/// vech Σ_g.
fn covariance(model: &GaussianMixture, file: &Value, form: &str, theta: &[f64], g: usize) -> Vec<f64> {
    let part = &theta[9..];
    assert_eq!(theta.len(), model.parameter_dimension());
    match form {
        "known" => {
            let known = numbers(&file["sigma"]);
            vec![known[0], known[1], known[3]]
        }
        "tied" => part.to_vec(),
        "diagonal" => vec![part[2 * g], 0.0, part[2 * g + 1]],
        _ => part[3 * g..][..3].to_vec(),
    }
}
