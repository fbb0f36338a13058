//! The model as samplers see it, and what a fit says of items and persons.

use super::law::Law;
use super::maximize;
use super::model::BiFactor;
use super::posterior::Conditional;
use crate::fit::FitError;
use crate::fitted::Array;
use crate::latent::{
    Abilities, Difference, DifferencesOfSquares, FinalTable, LogLikelihood, ModelReport, Posterior, SampledModel, mode,
};
use crate::{DomainError, Model};
use fedbits_random::Streams;

impl SampledModel for BiFactor {
    fn subjects(&self) -> usize {
        self.data.persons()
    }

    fn abilities(&self) -> Abilities {
        self.law.abilities(self.groups)
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        maximize::parameter_gradient(self, s, theta, out);
        Ok(true)
    }

    fn report(&self) -> Option<&dyn ModelReport> {
        Some(self)
    }

    fn squares(&self) -> Option<&dyn DifferencesOfSquares> {
        Some(self)
    }
}

impl ModelReport for BiFactor {
    /// By quadrature, of binary responses.
    fn log_likelihood(&self, theta: &[f64]) -> Result<Option<LogLikelihood>, DomainError> {
        let conditional = Conditional::new(self, theta)?;
        Ok((self.law != Law::Gaussian).then(|| conditional.log_likelihood()))
    }

    /// The table `loadings`: a row per item, the first loading of every factor positive.
    fn final_tables(&self, theta: &[f64], _streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        let columns = ["item", "group", "intercept", "general", "specific", "variance"];
        let kept = 2 + self.law.parameters();
        let row = |(j, item): (usize, &String)| {
            let x = &theta[j * self.law.parameters()..][..self.law.parameters()];
            let signs = [1.0, self.sign(theta, 0), self.sign(theta, 1 + self.group[j]), 1.0];
            let numbers = x.iter().zip(signs).map(|(x, sign)| format!("{:?}", x * sign));
            [item.clone(), (self.group[j] + 1).to_string()].into_iter().chain(numbers).collect()
        };
        Ok(vec![FinalTable {
            name: "loadings".to_owned(),
            columns: columns[..kept].iter().map(|&name| name.to_owned()).collect(),
            names: 0..1,
            rows: self.data.items.iter().enumerate().map(row).collect(),
        }])
    }
}

impl DifferencesOfSquares for BiFactor {
    /// ψ_j and the squares of the item's weights, of Gaussian responses.
    fn squares(&self, theta: &[f64]) -> Vec<[f64; 2]> {
        let items = theta.chunks_exact(self.law.parameters()).filter(|_| self.law == Law::Gaussian);
        items.map(|item| [item[3], item[..3].iter().map(|x| x * x).sum()]).collect()
    }

    fn differences(&self, theta: &[f64], s: &[f64]) -> Result<Vec<Difference>, DomainError> {
        let two_pass = Conditional::new(self, theta)?.residual_variances();
        let of = |(j, ([value, square], two_pass)): (usize, ([f64; 2], f64))| Difference {
            what: format!("item `{}`", self.data.items[j]),
            value,
            raw: maximize::residual(self, s, theta, j),
            two_pass,
            square,
            origin: "0",
            shifted: square - theta[4 * j] * theta[4 * j],
            remedy: "subtract a number near the item's mean",
        };
        Ok(DifferencesOfSquares::squares(self, theta).into_iter().zip(two_pass).enumerate().map(of).collect())
    }
}

/// Intercepts and loadings of the items, and variances of Gaussian responses; the first loading of every factor is
/// positive, as in the tables `loadings` and `scores`.
///
/// # Errors
/// When θ is none of the model.
pub(super) fn arrays(law: Law, groups: &[usize], theta: &[f64]) -> Result<Vec<Array>, FitError> {
    let (items, width) = (groups.len(), law.parameters());
    FitError::theta(theta.len(), items * width)?;
    let of = |part: usize| -> Vec<f64> { theta.iter().skip(part).step_by(width).copied().collect() };
    let (general, specific) = (of(1), of(2));
    let sign = |first: Option<f64>| if first.is_some_and(|loading| loading < 0.0) { -1.0 } else { 1.0 };
    let of_group = |group: usize| sign(groups.iter().position(|&entry| entry == group).map(|item| specific[item]));
    let turned: Vec<f64> = specific.iter().zip(groups).map(|(loading, &group)| loading * of_group(group)).collect();
    let whole = sign(general.first().copied());
    let mut arrays = vec![
        Array::numbers("intercept", &[items], of(0)),
        Array::numbers("general", &[items], general.iter().map(|loading| loading * whole).collect()),
        Array::numbers("specific", &[items], turned),
    ];
    if law == Law::Gaussian {
        arrays.push(Array::numbers("variance", &[items], of(3)));
    }
    Ok(arrays)
}

/// The table `scores`: a row per person with the most probable values of all factors given the responses (maximum a
/// posteriori scores), and their standard deviations, from second derivatives there. The first loading of every factor
/// is taken to be positive, as in the table `loadings`.
///
/// # Errors
/// When θ is none of the model, or the mode of a person is not found.
pub(super) fn scores(model: &BiFactor, theta: &[f64]) -> Result<FinalTable, FitError> {
    FitError::theta(theta.len(), model.parameter_dimension())?;
    let (posterior, p) = (model.posterior(theta).map_err(FitError::model)?, model.latent_dimension());
    let names: Vec<String> =
        (0..p).map(|factor| if factor == 0 { "general".to_owned() } else { format!("group_{factor}") }).collect();
    let deviations = names.iter().map(|name| format!("deviation_{name}"));
    let columns = ["person".to_owned()].into_iter().chain(names.iter().cloned()).chain(deviations).collect();
    let row = |person: usize| {
        let found = mode(posterior.as_ref(), person, p)
            .ok_or_else(|| FitError::model(format!("person {person}: the most probable factors were not found")))?;
        let scores = found.z.iter().enumerate().map(|(factor, z)| z * model.sign(theta, factor));
        let numbers = scores.chain(found.deviations.iter().copied()).map(|value| format!("{value:?}"));
        Ok([person.to_string()].into_iter().chain(numbers).collect())
    };
    let rows = (0..model.subjects()).map(row).collect::<Result<_, FitError>>()?;
    Ok(FinalTable { name: "scores".to_owned(), columns, rows, names: 0..0 })
}
