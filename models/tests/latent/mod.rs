//! Models with sampled latent variables and their samplers, through the public interface.

mod bifactor;
mod calibration;
mod exact;
mod geweke;
mod gradients;
mod langevin;
mod likelihood;
mod longitudinal;
mod topics;

use crate::golden::{assert_within, golden, numbers};
use fedbits_models::data::longitudinal::{Longitudinal, Subject};
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};

fn subject(times: &[f64], values: &[f64], dose: Option<f64>) -> Subject {
    let doses = dose.map(|amount| (0.0, amount)).into_iter().collect();
    Subject { name: "1".to_owned(), times: times.to_vec(), values: values.to_vec(), doses }
}

/// A straight line per subject, Ω full, constant error.
fn lines(subjects: Vec<Subject>) -> MixedModel {
    let data = Longitudinal { subjects };
    MixedModel::new(Curve::Polynomial { degree: 1 }, Effects::Full, ResidualError::Constant, data).expect("a model")
}

/// Two lines that cross 0, with proportional error; all values times `sign`.
fn signed_lines(sign: f64) -> MixedModel {
    let line = |values: [f64; 4]| subject(&[0.0, 1.0, 4.0, 6.0], &values.map(|value| sign * value), None);
    let data = Longitudinal { subjects: vec![line([3.2, 1.7, -1.5, -3.3]), line([2.6, 2.1, -1.1, -4.2])] };
    MixedModel::new(Curve::Polynomial { degree: 1 }, Effects::Full, ResidualError::Proportional, data).expect("a model")
}

/// The pharmacokinetic model.
fn oral(lag: bool, error: ResidualError, subjects: Vec<Subject>) -> MixedModel {
    let data = Longitudinal { subjects };
    MixedModel::new(Curve::OneCompartmentOral { lag }, Effects::Diagonal, error, data).expect("a model")
}
