//! Importance sampling against the exact log-likelihood, and against published values on data that are not in this
//! repository.

use fedbits_models::data::Remarks;
use fedbits_models::data::csv::{
    Column, Doses, LongitudinalFile, MissingObservations, ObservedRows, read_longitudinal,
};
use fedbits_models::data::longitudinal::Longitudinal;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::latent::{SampledModel, importance::log_likelihood};
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};
use fedbits_random::Streams;
use std::path::PathBuf;

use super::{lines, signed_lines, subject};
use crate::skips::{Lacks, skipped};

/// Two lines: the estimate lies within 7 standard errors of the closed form, and the error shrinks like 1/√K.
#[test]
fn importance_sampling_finds_the_exact_value() {
    let model = lines(vec![
        subject(&[-1.0, 0.1, 0.8], &[140.0, 150.0, 151.0], None),
        subject(&[-0.7, 0.3, 0.9, 1.0], &[149.0, 150.0, 157.0, 158.0], None),
    ]);
    let theta = [148.0, 6.0, 60.0, 5.0, 3.0, 0.5];
    let posterior = model.posterior(&theta).expect("a parameter");
    let mut s = vec![0.0; 6];
    let exact: f64 = (0..2).map(|i| posterior.expected_statistics(i, 0.5, &mut s).expect("exact")).sum();
    let estimate = log_likelihood(&model, &theta, 20_000, &Streams::new(1, 0)).expect("an estimate");
    let error = estimate.error.expect("an error");
    assert!(error > 0.0 && error < 0.02, "{estimate:?}");
    assert!((estimate.value - exact).abs() < 7.0 * error, "{estimate:?} and not {exact}");
    let coarse = log_likelihood(&model, &theta, 200, &Streams::new(1, 0)).expect("an estimate");
    let ratio = coarse.error.expect("an error") / error;
    assert!((5.0..20.0).contains(&ratio), "√100 = 10, found {ratio}");
    // One draw does not say how far draws lie apart.
    let single = log_likelihood(&model, &theta, 1, &Streams::new(1, 0)).expect("an estimate");
    assert!(single.value.is_finite() && single.error.is_none(), "{single:?}");
}

/// The logarithm of a mean of weights is on average too small by half its squared relative error v, which adds up over
/// subjects faster than the error does: by N v/2 and by √(N v). Here that is five errors.
#[test]
fn importance_sampling_of_many_subjects_has_no_bias() {
    let pair = [
        subject(&[-1.0, 0.1, 0.8], &[140.0, 150.0, 151.0], None),
        subject(&[-0.7, 0.3, 0.9, 1.0], &[149.0, 150.0, 157.0, 158.0], None),
    ];
    let model = lines(pair.iter().cycle().take(2500).cloned().collect());
    let theta = [148.0, 6.0, 60.0, 5.0, 3.0, 0.5];
    let posterior = model.posterior(&theta).expect("a parameter");
    let mut s = vec![0.0; 6];
    let exact: f64 = (0..2).map(|i| 1250.0 * posterior.expected_statistics(i, 0.0, &mut s).expect("exact")).sum();
    let estimate = |seed| log_likelihood(&model, &theta, 3, &Streams::new(seed, 0)).expect("an estimate");
    let estimates: Vec<_> = (0..3).map(estimate).collect();
    let error = estimates.iter().map(|found| found.error.expect("an error")).sum::<f64>() / 3.0;
    assert!(error * error / 2.0 > 5.0 * error, "{error}");
    // Six standard errors of a mean of three.
    let mean = estimates.iter().map(|found| found.value).sum::<f64>() / 3.0;
    assert!((mean - exact).abs() < 3.5 * error, "{mean} and not {exact}, errors of {error}");
}

/// Proportional error knows no sign: y and −y have the same density at z and −z, and the likelihood is finite where the
/// curve is negative.
#[test]
fn proportional_error_is_symmetric() {
    let (model, mirrored) = (signed_lines(1.0), signed_lines(-1.0));
    let (theta, mirror) = ([3.0, -1.1, 1.0, 0.2, 0.5, 0.09], [-3.0, 1.1, 1.0, 0.2, 0.5, 0.09]);
    let (here, there) = (model.posterior(&theta).expect("θ"), mirrored.posterior(&mirror).expect("θ"));
    for z in [[3.0, -1.1], [-2.0, -0.5], [4.0, 1.5]] {
        let density = here.log_density(0, &z);
        assert!(density.is_finite(), "{density} at {z:?}");
        assert_eq!(density, there.log_density(0, &z.map(|z| -z)), "at {z:?}");
    }
    let estimate = |model, theta| log_likelihood(model, theta, 20_000, &Streams::new(1, 0)).expect("an estimate");
    let (one, other) = (estimate(&model, &theta), estimate(&mirrored, &mirror));
    let distance = (one.value - other.value).abs();
    assert!(distance < 7.0 * (one.error.expect("an error") + other.error.expect("an error")), "{one:?} and {other:?}");
}

/// With proportional error the likelihood of a value of 0 has no bound: lines may cross 0, a lag may end just before
/// the value, and elimination may be as fast as it wants.
#[test]
fn a_value_of_0_needs_constant_error() {
    let data = Longitudinal { subjects: vec![subject(&[1.0, 2.0], &[3.0, 0.0], Some(100.0))] };
    let model = |curve, error| MixedModel::new(curve, Effects::Diagonal, error, data.clone());
    let [plain, lagged] = [false, true].map(|lag| Curve::OneCompartmentOral { lag });
    let curves = [Curve::Polynomial { degree: 1 }, plain, lagged];
    assert!(curves.into_iter().all(|curve| model(curve, ResidualError::Constant).is_ok()));
    for curve in curves {
        let message = model(curve, ResidualError::Proportional).err().expect("no bound").to_string();
        assert!(message.starts_with("subject 1: the observation at time 2 is 0 with proportional error"), "{message}");
    }
}

fn warfarin() -> Option<PathBuf> {
    let path =
        std::env::var_os("FEDBITS_DATA").map(|folder| PathBuf::from(folder).join("warfarin/warfarin_nlmixr2data.csv"));
    if path.is_none() {
        skipped(Lacks::Data, "set FEDBITS_DATA to the folder that holds warfarin/");
    }
    path
}

/// −2 log-likelihood of warfarin at the published estimates: 901.8 without and 738.9 with lag (± 0.5).
#[test]
fn warfarin_has_the_published_likelihood() {
    let Some(path) = warfarin() else { return };
    let name = |name: &str| Column::Name(name.to_owned());
    let options = LongitudinalFile {
        path: String::new(),
        header: Some(true),
        delimiter: Some(','),
        subject: name("id"),
        time: name("time"),
        value: name("dv"),
        doses: Doses::Rows { amount: name("amt") },
        only: Some(ObservedRows { column: name("dvid"), text: "cp".to_owned() }),
        after: None,
        missing: MissingObservations::Error,
        missing_values: Vec::new(),
    };
    let data = read_longitudinal(&path, &options, &Remarks::default(), MemoryLimit::default()).expect("warfarin data");
    assert_eq!((data.subjects.len(), data.observations()), (32, 251));
    for (lag, means, deviations, a, expected) in [
        (false, vec![0.587, 7.691, 0.13444], vec![0.685, 0.2210, 0.2852], 1.0722, 901.8),
        (true, vec![0.895, 1.439, 7.901, 0.13337], vec![0.554, 0.718, 0.2174, 0.2984], 0.6550, 738.9),
    ] {
        let curve = Curve::OneCompartmentOral { lag };
        let model = MixedModel::new(curve, Effects::Diagonal, ResidualError::Constant, data.clone()).expect("a model");
        let means: Vec<f64> = means.iter().map(|mean: &f64| libm::log(*mean)).collect();
        let variances: Vec<f64> = deviations.iter().map(|sd| sd * sd).collect();
        let theta = model.parameter(&means, &variances, a * a);
        let estimate = log_likelihood(&model, &theta, 20_000, &Streams::new(1, 0)).expect("an estimate");
        let found = -2.0 * estimate.value;
        eprintln!("lag {lag}: −2LL {found:.2} ± {:.2}", 2.0 * estimate.error.expect("an error"));
        assert!((found - expected).abs() < 0.5, "lag {lag}: {found} and not {expected}");
    }
}
