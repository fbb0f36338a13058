//! Examples whose features are divided: who has which, and where the fit of a mixture starts.

use std::sync::Arc;

use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_models::gmm::{Covariance, GaussianMixture, MixtureSetting};
use fedbits_models::initial;
use fedbits_protocols::over::{FeaturesOf, Start, Table};
use fedbits_random::Streams;

use super::{PrepareError, model, model_error, start_error};
use crate::schema::{Initial, Partition, Scenario};

/// The examples, and who has which features.
pub(super) fn table(scenario: &Scenario, data: &Arc<DataSet>) -> Result<Table, PrepareError> {
    let (components, dimension) = (scenario.model.facts().components.unwrap_or(1), data.dimension());
    let blocks = match &scenario.partition {
        _ if scenario.protocol.profile().is_centralized => FeatureBlocks::even(1, dimension),
        Partition::Features(lists) => FeatureBlocks::new(lists.clone(), dimension),
        _ => FeatureBlocks::even(scenario.clients.unwrap_or(1), dimension),
    };
    let blocks = blocks.map_err(PrepareError::Data)?;
    Ok(Table { data: Arc::clone(data), components, blocks })
}

/// The table as far as it is observed.
fn filled(table: &Table, observed: &[Vec<bool>]) -> Result<Table, PrepareError> {
    let Table { data, components, blocks } = table;
    let mut rows = data.rows().to_vec();
    blocks.fill(&mut rows, observed);
    let [labels, groups] = [data.labels(), data.groups()].map(|known| known.map(<[u32]>::to_vec));
    let filled = DataSet::new(data.columns().to_vec(), rows, labels, groups);
    let data = Arc::new(filled.map_err(|error| PrepareError::Data(error.to_string()))?);
    Ok(Table { data, components: *components, blocks: blocks.clone() })
}

/// The problem of a mixture on these examples.
pub(super) fn problem(scenario: &Scenario, table: Table, streams: &Streams) -> Result<FeaturesOf, PrepareError> {
    let observed = scenario.protocol.observed(table.blocks.len(), table.examples().len(), streams);
    let table = match observed {
        Some(observed) => filled(&table, &observed)?,
        None => table,
    };
    let examples = table.examples();
    let whole = GaussianMixture::new(table.components, examples.dimension(), Covariance::Full).map_err(model_error)?;
    let mixture = scenario.model.get::<MixtureSetting>();
    let mixture = mixture.ok_or_else(|| model_error("data divided by features are fitted by mixtures"))?;
    let given = model::given(scenario, None, streams, &|_| Vec::new());
    let truth = mixture.truth(&whole, &given)?;
    let start = match scenario.initial.start(table.components, examples, streams).map_err(start_error)? {
        Some(initial::Start::Labels(labels)) => Start::Labels(labels),
        Some(initial::Start::Means(means)) => {
            Start::Means(vec![1.0 / table.components as f64; table.components], means)
        }
        None => match &scenario.initial {
            Initial::Theta { weights, means, covariance: None } => Start::Means(weights.clone(), means.concat()),
            _ => Start::Theta(mixture.initial(&whole, examples, &given)?),
        },
    };
    Ok(FeaturesOf { table, start, truth })
}
