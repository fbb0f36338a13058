//! Low-rank imputation of a scenario: counts, the model, its start, FedMissEM.

use fedbits_models::data::counts::CountTable;
use fedbits_models::data::csv::{CountsFile, read_counts};
use fedbits_models::data::visits::Visits;
use fedbits_models::low_rank::{Family, LowRank, Matrices, margins};
use fedbits_protocols::fed_miss_em::Catalogue;
use fedbits_protocols::partition::Partitioned;
use fedbits_random::Streams;

use super::memory::{self, Budget, Sizes};
use super::{PrepareError, data, data_error, fits, misfit, start_error};
use crate::checks::Facts;
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// Counts dealt out, the model and θ₀.
pub(super) struct Problem {
    pub data: Partitioned,
    pub model: LowRank,
    pub steps: u32,
    pub theta: Vec<f64>,
    pub catalogue: Catalogue,
    pub notes: Vec<String>,
    pub caveats: Vec<String>,
}

pub(super) fn problem(
    scenario: &Scenario,
    folders: &DataFolders,
    budget: &Budget,
    streams: &Streams,
) -> Result<Problem, PrepareError> {
    let schema::Model::LowRank { rank, lambda, family, matrices, steps } = scenario.model else {
        return Err(PrepareError::Model("counts by site and time need the model `LowRank`".to_owned()));
    };
    let (table, share) = read(&scenario.data, family, folders, streams)?;
    fits::squares(&table.data, scenario)?;
    let statistic = (table.sites.len() as u64).saturating_mul(table.times.len() as u64);
    let sizes = Sizes { examples: table.data.len() as u64, statistic, ..Sizes::stated(scenario) };
    budget.fits(&memory::of(scenario, sizes))?;
    let table = table.hold_out(share, streams).map_err(data_error)?;
    let examples = Some(table.data.len() as u64);
    let statistic = usize::try_from(statistic).ok();
    fits::check(scenario, &Facts { examples, statistic, ..Facts::default() })?;
    let data = data::partition(&table.data, scenario, streams)?;
    let fewest = table.fewest_matrices();
    let mut caveats = Vec::new();
    let matrices = match matrices {
        Matrices::PerObserver if table.observers < fewest => {
            caveats.push(format!(
                "some cell has {fewest} counts by {} observers: there are {fewest} complete matrices, more than \
                 one per observer",
                table.observers
            ));
            fewest
        }
        Matrices::PerObserver => table.observers,
        Matrices::Fewest => fewest,
    };
    let sizes = (table.sites.len(), table.times.len());
    let model = LowRank::new(sizes, rank, lambda, family, table.data.len(), matrices);
    let model = model.map_err(|error| misfit("model.rank", error, "expected a rank of at most the smaller side"))?;
    let theta = match scenario.initial {
        schema::Initial::Margins => margins(&model, data.data().examples()).map_err(start_error)?,
        _ => vec![0.0; (sizes.0 + sizes.1) * rank],
    };
    let notes = vec![format!(
        "{} × {} cells, {} observations by {} observers ({} held out), {matrices} complete matrices",
        sizes.0,
        sizes.1,
        table.data.len(),
        table.observers,
        table.held_out.as_ref().map_or(0, fedbits_models::data::DataSet::len),
    )];
    let catalogue = Catalogue {
        observed: table.observed_cells(),
        held_out: table.held_out.map(|held_out| held_out.rows().to_vec()).unwrap_or_default(),
        times: table.times,
        truth: table.truth.filter(|_| same_family(&scenario.data, family)),
    };
    Ok(Problem { data, model, steps, theta, catalogue, notes, caveats })
}

/// The counts, and the share of them to hold out.
fn read(
    data: &schema::Data,
    family: Family,
    folders: &DataFolders,
    streams: &Streams,
) -> Result<(CountTable, f64), PrepareError> {
    if let Some(file) = data.get::<CountsFile>() {
        let table = read_counts(&folders.find(&file.path)?, file, |x| family.refuses(x)).map_err(data_error)?;
        return Ok((table, file.held_out));
    }
    let Some(visits) = data.get::<Visits>() else {
        return Err(data_error("the model `LowRank` needs data `Counts` or `Visits`"));
    };
    Ok((visits.generate(streams).map_err(data_error)?, visits.held_out))
}

/// Natural parameters of different families cannot be compared.
fn same_family(data: &schema::Data, fitted: Family) -> bool {
    data.get::<Visits>().is_some_and(|visits| visits.family == fitted)
}
