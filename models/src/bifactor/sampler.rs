//! The model as samplers see it.

use super::law::Law;
use super::maximize;
use super::model::BiFactor;
use super::posterior::Conditional;
use crate::DomainError;
use crate::latent::{
    Abilities, Difference, DifferencesOfSquares, FinalTable, LogLikelihood, ModelReport, Posterior, SampledModel,
};
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
