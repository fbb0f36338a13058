//! Reading, preparing and dividing the examples as a scenario says.

use fedbits_models::data::DataSet;
use fedbits_models::data::csv::{Column, Columns, CsvOptions, read_csv};
use fedbits_models::data::idx::read_idx;
use fedbits_models::data::preprocess::{Step, prepare};
use fedbits_models::data::synthetic::{Covariances, Mixture, generate};
use fedbits_protocols::partition::{Partitioned, Rule};
use fedbits_random::{Purpose, Streams};

use super::{PrepareError, data_error, fits, misfit};
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// Entity of the sample from a pool; beyond all examples, before the mixtures.
const SAMPLE: u64 = 1 << 62;

pub(super) fn read(
    data: &schema::Data,
    folders: &DataFolders,
    seed: u64,
    streams: &Streams,
) -> Result<DataSet, PrepareError> {
    match data {
        schema::Data::GaussianMixture { examples, weights, means, covariance, pool: None } => {
            let mixture = mixture(weights, means, covariance);
            generate(&mixture, *examples as usize, streams).map_err(data_error)
        }
        schema::Data::GaussianMixture { examples, weights, means, covariance, pool: Some(pool) } => {
            // The pool is that of the first replicate.
            let mixture = mixture(weights, means, covariance);
            let pool = generate(&mixture, *pool as usize, &Streams::new(seed, 0)).map_err(data_error)?;
            let mut chosen = Vec::new();
            streams.at(Purpose::Data, SAMPLE, 0).subset(pool.len() as u32, *examples as u32, &mut chosen);
            pool.select(&chosen).map_err(data_error)
        }
        schema::Data::RandomMixture { examples, features, components, separation, correlated } => {
            let mixture = random_mixture(*features, *components, (*separation, *correlated), streams);
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
                group: client.as_ref().map(column),
            };
            read_csv(&folders.find(path)?, &options).map_err(data_error)
        }
        schema::Data::Longitudinal { .. } | schema::Data::Responses { .. } | schema::Data::Corpus { .. } => {
            Err(data_error("these data are no table of examples"))
        }
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

/// The mixture of `RandomMixture`: component k at address (Data, 2⁶³ + k, 0), the weights at (Data, 2⁶³ + G, 0).
fn random_mixture(d: usize, components: usize, (separation, correlated): (f64, f64), streams: &Streams) -> Mixture {
    const FIRST: u64 = 1 << 63;
    let (mut means, mut covariances) = (Vec::new(), Vec::new());
    for k in 0..components as u64 {
        let mut stream = streams.at(Purpose::Data, FIRST + k, 0);
        means.push((0..d).map(|_| separation * stream.normal()).collect());
        let a: Vec<f64> = (0..d * d).map(|_| stream.normal()).collect();
        let mut sigma = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                let product: f64 = a[i * d..][..d].iter().zip(&a[j * d..][..d]).map(|(x, y)| x * y).sum();
                let own = if i == j { 1.0 - correlated } else { 0.0 };
                sigma[i * d + j] = correlated * product / d as f64 + own;
                sigma[j * d + i] = sigma[i * d + j];
            }
        }
        covariances.push(sigma);
    }
    let mut weights = vec![0.0; components];
    streams.at(Purpose::Data, FIRST + components as u64, 0).dirichlet(&vec![5.0; components], &mut weights);
    Mixture { weights, means, covariances: Covariances::PerComponent(covariances) }
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
    let (mut data, mut notes) = (data, Vec::new());
    for (index, own) in steps.iter().enumerate() {
        let expected = match own {
            schema::Preprocess::Pca(_) => "expected at most as many components as there are columns",
            _ => "expected columns that vary, and more than one example",
        };
        let prepared = prepare(data, &[step(own)]);
        let prepared = prepared.map_err(|error| misfit(format!("preprocess[{index}]"), error, expected))?;
        data = prepared.data;
        notes.extend(prepared.notes);
    }
    Ok((data, notes))
}

pub(super) fn partition(data: &DataSet, scenario: &Scenario, streams: &Streams) -> Result<Partitioned, PrepareError> {
    let clients = scenario.clients.unwrap_or(1);
    let rule = match scenario.partition {
        _ if matches!(scenario.protocol, schema::Protocol::CentralizedSaem(_)) => Rule::Iid { clients: 1 },
        schema::Partition::Iid => Rule::Iid { clients },
        schema::Partition::SortedByLabel => Rule::SortedByLabel { clients },
        schema::Partition::Dirichlet { alpha } => Rule::Dirichlet { clients, alpha, minimum: 1 },
        schema::Partition::Observers => Rule::Groups { clients },
        schema::Partition::ClientColumn => Rule::ClientColumn,
        // Features are divided by the protocol; of the examples everybody has all.
        schema::Partition::EvenFeatures | schema::Partition::Features(_) => Rule::Iid { clients: 1 },
    };
    Partitioned::new(data, rule, streams).map_err(fits::undivided)
}
