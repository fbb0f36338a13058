//! Clients that have parameters of their own beside those that they share. Whatever is measured of the fit is measured
//! at each client's θ_i. What has no meaning then is not measured: components of all examples against labels, examples
//! that no client has, and where EM of one θ would rest.

use fedbits_models::{Batch, DomainError, EStep, Scratch};
use fedbits_record::{ClientColumn, QUALITY_OF_CLIENTS};
use rayon::prelude::*;

use crate::error::Result;
use crate::federation::{Federation, ParametersOf, is_for_one_thread};
use crate::problem::Problem;
use crate::state::{Probe, State, norm_sq, worst_tenth};

/// Clients whose E-steps are computed at a time.
const BLOCK: usize = 4_096;

/// A federation whose clients have parameters of their own.
pub struct Personalized {
    federation: Federation,
}

impl Personalized {
    /// The clients of `federation`, each with parameters of its own.
    pub fn new(federation: Federation) -> Self {
        Self { federation }
    }

    /// Its clients under one θ.
    pub fn federation(&self) -> &Federation {
        &self.federation
    }

    /// Writes s̄_i(θ_i) over the examples in `batch` of each of `clients`, a row of q numbers each. `batch` says
    /// whether it has drawn some; else all are taken.
    ///
    /// # Errors
    /// When some θ_i is no parameter of the model.
    pub fn statistics(
        &self,
        clients: &[u32],
        theta_of: &ParametersOf<'_>,
        batch: impl Fn(u32, &mut Vec<u32>) -> bool + Sync,
        out: &mut [f64],
    ) -> Result<(), DomainError> {
        self.each(clients, theta_of, self.federation.model().statistic_dimension(), out, |i, e_step, row| {
            let mut indices = Vec::new();
            let batch = if batch(i, &mut indices) { Batch::Indices(&indices) } else { Batch::All };
            e_step.mean_statistics(self.federation.examples(i), batch, &mut Scratch::default(), row);
        })
    }

    /// `see` gets θ_i, s̄_i(θ_i) and F_i(θ_i) of one client after the other.
    ///
    /// # Errors
    /// When some θ_i is no parameter of the model.
    pub fn look(
        &self,
        theta_of: &ParametersOf<'_>,
        mut see: impl FnMut(u32, &[f64], &[f64], f64),
    ) -> Result<(), DomainError> {
        let q = self.federation.model().statistic_dimension();
        let everyone: Vec<u32> = (0..self.federation.clients()).collect();
        for block in everyone.chunks(BLOCK) {
            let mut rows = vec![0.0; block.len() * (q + 1)];
            self.each(block, theta_of, q + 1, &mut rows, |i, e_step, row| {
                let (s, objective) = row.split_at_mut(q);
                let examples = self.federation.examples(i);
                objective[0] = e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), s);
            })?;
            for (&i, row) in block.iter().zip(rows.chunks_exact(q + 1)) {
                see(i, &theta_of(i), &row[..q], row[q]);
            }
        }
        Ok(())
    }

    /// One task per client, each with a row of `out`. E-steps are made in order, so that an error is the first one.
    fn each(
        &self,
        clients: &[u32],
        theta_of: &ParametersOf<'_>,
        width: usize,
        out: &mut [f64],
        task: impl Fn(u32, &dyn EStep, &mut [f64]) + Sync,
    ) -> Result<(), DomainError> {
        let model = self.federation.model();
        let made = clients.iter().map(|&i| Ok((i, model.conditional(&theta_of(i))?)));
        let mut rows: Vec<_> =
            made.collect::<Result<Vec<_>, DomainError>>()?.into_iter().zip(out.chunks_exact_mut(width)).collect();
        if is_for_one_thread(clients.iter().map(|&i| u64::from(self.federation.size(i))).sum()) {
            rows.iter_mut().for_each(|((i, e_step), row)| task(*i, e_step.as_ref(), row));
        } else {
            rows.par_iter_mut().for_each(|((i, e_step), row)| task(*i, e_step.as_ref(), row));
        }
        Ok(())
    }

    /// A pass over all data at Ŝ, θ and the entries of θ that clients have of their own:
    ///
    /// ```text
    /// F = n⁻¹ Σ w_i F_i(θ_i),   ‖h‖² = ‖n⁻¹ Σ w_i s̄_i(θ_i) − Ŝ‖² + n⁻¹ Σ w_i ‖T_i − θ_i‖²
    /// ```
    ///
    /// where T_i − θ_i is what an EM step changes in a client's own entries: it is 0 where EM rests.
    ///
    /// # Errors
    /// When some θ_i is no parameter of the model.
    pub fn probe(&self, state: &State<'_>, theta_of: &ParametersOf<'_>) -> Result<Probe, DomainError> {
        let (federation, n) = (&self.federation, f64::from(self.federation.clients()));
        let parameters = federation.model().own_parameters();
        let (mut field, mut objectives) = (vec![0.0; state.s_hat.len()], Vec::new());
        let (mut objective, mut moved, mut next) = (0.0, 0.0, Vec::new());
        self.look(theta_of, |i, theta, s, value| {
            let w = federation.weight(i);
            field.iter_mut().zip(s).zip(state.s_hat).for_each(|((h, s), s_hat)| *h += w * (s - s_hat));
            if let Some(parameters) = parameters {
                parameters.maximize_own(s, &mut next);
                let changes = theta[parameters.own_entries()].iter().zip(&next).map(|(now, next)| next - now);
                moved += w * changes.map(|change| change * change).sum::<f64>();
            }
            objective += w * value;
            objectives.push(value);
        })?;
        field.iter_mut().for_each(|h| *h /= n);
        Ok(Probe {
            mean_field_sq: Some(norm_sq(&field) + moved / n),
            objective: Some(objective / n + federation.model().penalty(state.theta)),
            parameter_error_sq: federation
                .parameter_error_of_clients(theta_of)
                .or_else(|| federation.parameter_error(state.theta)),
            objective_worst_tenth: worst_tenth(objectives),
            gradient_sq: None,
        })
    }

    /// `objective`, F_i(θ_i), and the entries `shown` of θ_i under their names.
    ///
    /// # Errors
    /// When some θ_i is no parameter of the model.
    pub fn quality_of_clients(
        &self,
        theta_of: &ParametersOf<'_>,
        shown: std::ops::Range<usize>,
    ) -> Result<Vec<ClientColumn>> {
        let names = self.federation.model().parameter_names();
        let names = std::iter::once(QUALITY_OF_CLIENTS[0].to_owned()).chain(names[shown.clone()].iter().cloned());
        let mut columns: Vec<_> = names.map(|name| ClientColumn { name, values: Vec::new() }).collect();
        self.look(theta_of, |_, theta, _, objective| {
            let values = std::iter::once(objective).chain(theta[shown.clone()].iter().copied());
            columns.iter_mut().zip(values).for_each(|(column, value)| column.values.push(Some(value)));
        })?;
        Ok(columns)
    }
}

impl Problem for Personalized {
    fn clients(&self) -> u32 {
        self.federation.clients()
    }

    fn total(&self) -> u64 {
        self.federation.total()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.federation.model().parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.federation.model().statistic_names()
    }

    fn is_personalized(&self) -> bool {
        true
    }

    fn examples_of(&self, i: u32) -> Option<u64> {
        Some(u64::from(self.federation.size(i)))
    }
}
