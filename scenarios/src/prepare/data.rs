//! Reading, preparing and dividing the examples as a scenario says.

use fedbits_models::data::DataSet;
use fedbits_models::data::csv::{Column, Columns, CsvOptions, read_csv};
use fedbits_models::data::idx::read_idx;
use fedbits_models::data::partition::{Partitioned, Rule};
use fedbits_models::data::preprocess::{Step, prepare};
use fedbits_models::data::synthetic::{Covariances, Mixture, generate};
use fedbits_random::Streams;

use super::{PrepareError, data_error};
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

pub(super) fn read(data: &schema::Data, folders: &DataFolders, streams: &Streams) -> Result<DataSet, PrepareError> {
    match data {
        schema::Data::GaussianMixture { examples, weights, means, covariance } => {
            let mixture = mixture(weights, means, covariance);
            generate(&mixture, *examples as usize, streams).map_err(data_error)
        }
        schema::Data::Csv { path, header, columns, label, client, delimiter } => {
            let options = CsvOptions {
                header: *header,
                delimiter: u8::try_from(*delimiter).map_err(data_error)?,
                columns: match columns {
                    schema::Columns::All => Columns::AllOthers,
                    schema::Columns::Columns(these) => Columns::These(these.iter().map(column).collect()),
                },
                label: label.as_ref().map(column),
                client: client.as_ref().map(column),
            };
            read_csv(&folders.find(path)?, &options).map_err(data_error)
        }
        schema::Data::Longitudinal { .. } => Err(data_error("longitudinal data are no table of examples")),
        schema::Data::Counts { .. } | schema::Data::Visits { .. } => {
            Err(PrepareError::Data("counts by site and time need the model `LowRank`".to_owned()))
        }
        schema::Data::Idx { images, labels } => {
            let labels = labels.as_ref().map(|path| folders.find(path)).transpose()?;
            read_idx(&folders.find(images)?, labels.as_deref()).map_err(data_error)
        }
    }
}

pub(super) fn column(column: &schema::Column) -> Column {
    match column {
        schema::Column::Index(index) => Column::Index(*index),
        schema::Column::Name(name) => Column::Name(name.clone()),
    }
}

fn mixture(weights: &[f64], means: &schema::Matrix, covariance: &schema::Covariances) -> Mixture {
    Mixture {
        weights: weights.to_vec(),
        means: means.clone(),
        covariances: match covariance {
            schema::Covariances::Common(matrix) => Covariances::Common(matrix.concat()),
            schema::Covariances::PerComponent(matrices) => {
                Covariances::PerComponent(matrices.iter().map(|matrix| matrix.concat()).collect())
            }
        },
    }
}

pub(super) fn preprocess(data: DataSet, steps: &[schema::Preprocess]) -> Result<(DataSet, Vec<String>), PrepareError> {
    let step = |step: &schema::Preprocess| match *step {
        schema::Preprocess::DropConstant => Step::DropConstant,
        schema::Preprocess::Center => Step::Center,
        schema::Preprocess::Standardize => Step::Standardize,
        schema::Preprocess::Pca(components) => Step::Pca { components },
    };
    let steps: Vec<Step> = steps.iter().map(step).collect();
    let prepared = prepare(data, &steps).map_err(data_error)?;
    Ok((prepared.data, prepared.notes))
}

pub(super) fn partition(data: &DataSet, scenario: &Scenario, streams: &Streams) -> Result<Partitioned, PrepareError> {
    let clients = scenario.clients.unwrap_or(1);
    let rule = match scenario.partition {
        schema::Partition::Iid => Rule::Iid { clients },
        schema::Partition::SortedByLabel => Rule::SortedByLabel { clients },
        schema::Partition::Dirichlet { alpha } => Rule::Dirichlet { clients, alpha, minimum: 1 },
        schema::Partition::Observers => Rule::Groups { clients },
        schema::Partition::ClientColumn => Rule::ClientColumn,
    };
    Partitioned::new(data, rule, streams).map_err(data_error)
}
