//! Examples whose features are divided: who has which, their labels, and where the fit of a mixture starts.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::over::{FeaturesOf, Start, Table};
use fedbits_random::Streams;

use super::{PrepareError, model, model_error};
use crate::schema::{Partition, Scenario};

/// The examples, and what is not recorded of them.
pub(super) fn table(scenario: &Scenario, data: &DataSet) -> Result<(Table, Option<String>), PrepareError> {
    let (components, dimension) = (scenario.model.components(), data.dimension());
    let blocks = match &scenario.partition {
        _ if scenario.protocol.is_centralized() => FeatureBlocks::even(1, dimension),
        Partition::Features(lists) => FeatureBlocks::new(lists.clone(), dimension),
        _ => FeatureBlocks::even(scenario.clients.unwrap_or(1), dimension),
    };
    let blocks = blocks.map_err(|error| PrepareError::Data(error.to_string()))?;
    let classes = data.labels().and_then(|labels| labels.iter().max()).map_or(0, |&last| last as usize + 1);
    let caveat = format!("there are {classes} classes and {components} components: no accuracy is recorded");
    let labels = data.labels().filter(|_| classes <= components).map(<[u32]>::to_vec);
    let table = Table { rows: data.rows().to_vec(), dimension, labels, components, blocks };
    Ok((table, (classes > components).then_some(caveat)))
}

/// The problem of a mixture on these examples.
pub(super) fn problem(scenario: &Scenario, table: Table, streams: &Streams) -> Result<FeaturesOf, PrepareError> {
    let examples = table.examples();
    let whole = GaussianMixture::new(table.components, table.dimension, Covariance::Full).map_err(model_error)?;
    let truth = model::truth(scenario, &whole)?;
    let start = match model::start(scenario, table.components, examples, streams)? {
        Some(model::Start::Labels(labels)) => Start::Labels(labels),
        Some(model::Start::Means(means)) => Start::Means(means),
        None => Start::Theta(model::initial(scenario, &whole, examples, streams)?),
    };
    Ok(FeaturesOf { table, start, truth })
}
