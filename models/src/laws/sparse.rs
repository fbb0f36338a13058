//! Laws of models that take sparse examples.

use crate::data::DataSet;
use crate::fit::{Given, Moment};
use crate::setting::ModelSetting;
use crate::{Batch, Examples, Scratch};

/// Two thirds of these examples' numbers as zeros that are not stored, and as zeros that are: model, start, statistics
/// and objective are the same to the last bit.
pub(super) fn laws(setting: &dyn ModelSetting, table: &DataSet, given: &Given<'_>) {
    let Some(em) = setting.exact().filter(|_| setting.takes_sparse()) else { return };
    let [components, covariance] = [setting.components().is_some(), setting.estimates_covariance()];
    assert!(!components && !covariance, "{setting:?}: components and covariances are found with all numbers");
    let thinned = table.rows().iter().enumerate().map(|(at, &y)| if at * 7 % 3 == 0 { y } else { 0.0 }).collect();
    let dense = table.clone().with_rows(table.columns().to_vec(), thinned).expect("a table");
    let of = |data: &DataSet| {
        let average = |moment: &Moment<'_>| moment(data.examples());
        let fit = em.fit(data, &Given { average: &average, ..*given });
        let fit = fit.unwrap_or_else(|error| panic!("{setting:?}: of examples with zeros: {error}"));
        let e_step = fit.model.conditional(&fit.theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        let some = data.examples().range(7..41);
        let (mut statistics, scratch) = (vec![f64::NAN; fit.model.statistic_dimension()], &mut Scratch::default());
        let mut found = fit.theta;
        let mut visit = |examples: Examples<'_>, batch| {
            e_step.mean_statistics(examples, batch, scratch, &mut statistics);
            found.extend_from_slice(&statistics);
            found.push(e_step.mean_statistics_and_objective(examples, scratch, &mut statistics));
            found.extend_from_slice(&statistics);
        };
        visit(data.examples(), Batch::All);
        visit(some, Batch::Indices(&[3, 0, 33, 3]));
        found.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
    };
    assert_eq!(of(&dense.sparsified()), of(&dense), "{setting:?}: bits with sparse examples (left), with dense ones");
}
