//! Preparation of data: a list of steps applied in order, each of which says in words what it did.
//!
//! Sums run in the order of the examples.

use super::csv::{Column, Columns};
use super::error::shown;
use super::gram::column_means;
pub use super::pca::PreprocessError;
use super::pca::{Eigen, Pca};
use super::per_client::{magnifier, merged_moments, standardize_each, standardize_groups};
use super::transform::{Transform, have_logarithms};
use super::{DataSet, DataSetError};
use fedbits_spec::{Caveat, Described, so_many};
use serde::{Deserialize, Serialize};

/// A preprocessing step. Steps that pool all clients' data run before the partition, with a caveat.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Preprocess {
    /// Drop constant features.
    DropConstant,
    /// Subtract each feature's mean.
    Center,
    /// Subtract each feature's mean and divide by its standard deviation (divisor N − 1).
    Standardize,
    /// Natural logarithm of these columns of the file, above 0.
    Log(Columns),
    /// `Standardize` within each client, where constant features become 0; nothing is sent.
    StandardizePerClient,
    /// `Standardize` by moments that clients upload first: (2 d + 1) · 64 bits up, 2 d · 64 bits down.
    StandardizeFederated,
    /// Project onto this many principal components; at most d.
    Pca(#[described(by_rules)] usize),
}

/// Prepared data and what was done, one line per step.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The data after the last step.
    pub data: DataSet,
    /// For the record.
    pub notes: Vec<String>,
    /// The steps as they were fitted, to be applied to further data.
    pub transformation: Vec<Transform>,
    /// What is to be said wherever results are shown.
    pub caveats: Vec<Caveat>,
}

/// Applies `steps` in order; `eigen` is for principal components.
///
/// # Errors
/// The [`PreprocessError`] of the first impossible step. No step is possible on sparse rows: see [`DataSet::dense`].
pub fn prepare(data: DataSet, steps: &[Preprocess], eigen: Eigen) -> Result<Prepared, PreprocessError> {
    let offsets = [0, data.len()];
    prepare_clients(data, &offsets, steps, eigen)
}

/// The same of clients, of which client i has the examples from `offsets[i]` to `offsets[i + 1]`.
///
/// # Errors
/// The [`PreprocessError`] of the first impossible step.
pub fn prepare_clients(
    data: DataSet,
    offsets: &[usize],
    steps: &[Preprocess],
    eigen: Eigen,
) -> Result<Prepared, PreprocessError> {
    if !steps.is_empty() {
        data.check_dense()?;
    }
    let mut prepared = Prepared { data, notes: Vec::new(), transformation: Vec::new(), caveats: Vec::new() };
    for step in steps {
        let (transform, note) = step.fit(&prepared.data, offsets, eigen)?;
        prepared.data = match transform {
            Transform::WithinClients => {
                let (data, constants) = standardize_each(prepared.data, offsets)?;
                prepared.caveats.extend(constants.first.map(|(client, column)| Caveat::ConstantInClients {
                    clients: so_many(constants.clients, "client"),
                    client: client.to_string(),
                    column,
                }));
                data
            }
            Transform::Project(ref pca) => {
                prepared.caveats.extend(caveat(pca));
                transform.apply(prepared.data)?
            }
            ref transform => transform.apply(prepared.data)?,
        };
        prepared.notes.push(note);
        prepared.transformation.push(transform);
    }
    Ok(prepared)
}

/// Further whole clients, the groups of `data`, prepared by the steps that were fitted to others: each is standardized
/// by its own numbers. With what is to be said of it.
///
/// # Errors
/// When a number overflows or has no logarithm, or there are no groups to standardize.
pub fn prepare_further_clients(
    mut data: DataSet,
    steps: &[Transform],
) -> Result<(DataSet, Option<Caveat>), DataSetError> {
    let mut caveat = None;
    for step in steps {
        if *step != Transform::WithinClients {
            data = step.apply(data)?;
            continue;
        }
        let (standardized, constants) = standardize_groups(&data)?;
        caveat = caveat.or(constants
            .first
            .map(|(_, column)| Caveat::ConstantHeldOut { clients: so_many(constants.clients, "client"), column }));
        data = standardized;
    }
    Ok((data, caveat))
}

impl Preprocess {
    /// d after the step, as far as it is known; no feature of data that are `drawn` is constant.
    #[must_use]
    pub fn features(&self, before: Option<usize>, drawn: bool) -> Option<usize> {
        match self {
            Self::Pca(components) => Some(*components),
            Self::DropConstant if !drawn => None,
            _ => before,
        }
    }

    /// Does it look at all clients' data together, although clients do not send anything?
    #[must_use]
    pub fn leaks(&self) -> bool {
        matches!(self, Self::DropConstant | Self::Center | Self::Standardize | Self::Pca(_))
    }

    /// Does it need to know who has which example?
    #[must_use]
    pub fn needs_clients(&self) -> bool {
        matches!(self, Self::StandardizePerClient | Self::StandardizeFederated)
    }

    /// Numbers of 64 bits that every client sends and gets, with d features.
    #[must_use]
    pub fn exchanged(&self, features: usize) -> (u64, u64) {
        let d = features as u64;
        if *self == Self::StandardizeFederated { (2 * d + 1, 2 * d) } else { (0, 0) }
    }

    /// Has every example of whole data what this step needs? As the first step it is asked before any are held out: the
    /// number of an example is then that of the file.
    ///
    /// # Errors
    /// A logarithm that an example does not have, or of no column.
    pub fn possible(&self, data: &DataSet) -> Result<(), PreprocessError> {
        let Self::Log(columns) = self else { return Ok(()) };
        Ok(have_logarithms(data, &positions(data, columns)?)?)
    }

    /// What the step does to data like these, and that in words.
    fn fit(&self, data: &DataSet, offsets: &[usize], eigen: Eigen) -> Result<(Transform, String), PreprocessError> {
        match self {
            Self::DropConstant => drop_constant(data),
            Self::Center => Ok(center(data)),
            Self::Log(columns) => logarithm(data, columns),
            Self::Standardize => standardize(data),
            Self::StandardizePerClient => {
                let (columns, clients) = (so_many(data.dimension(), "column"), so_many(offsets.len() - 1, "client"));
                Ok((Transform::WithinClients, format!("standardized {columns} within each of {clients}")))
            }
            Self::StandardizeFederated => standardize_federated(data, offsets),
            Self::Pca(components) => project(data, *components, eigen),
        }
    }
}

fn standardize_federated(data: &DataSet, offsets: &[usize]) -> Result<(Transform, String), PreprocessError> {
    if data.len() == 1 {
        return Err(DataSetError::new("standardize: one example has no standard deviation").into());
    }
    let (d, clients) = (data.dimension(), offsets.len() - 1);
    let (means, scales) = merged_moments(data, offsets).map_err(|column| {
        let found = format!("standardize: column `{column}` is constant over all clients");
        DataSetError::new(format!("{found}: expected other `columns`"))
    })?;
    let (up, down) = Preprocess::StandardizeFederated.exchanged(d);
    let note = format!(
        "standardized {} by the moments of {}: each sends {} of 64 bits before all else, and gets {down}",
        so_many(d, "column"),
        so_many(clients, "client"),
        so_many(up, "number")
    );
    Ok((Transform::Affine { means, scales }, note))
}

fn logarithm(data: &DataSet, columns: &Columns) -> Result<(Transform, String), PreprocessError> {
    let mut columns = positions(data, columns)?;
    let note = format!("took the logarithm of {}", so_many(columns.len(), "column"));
    columns.sort_unstable();
    columns.dedup();
    Ok((Transform::Log { columns }, note))
}

fn positions(data: &DataSet, columns: &Columns) -> Result<Vec<usize>, PreprocessError> {
    match columns {
        Columns::All => Ok((0..data.dimension()).collect()),
        Columns::Columns(columns) => columns.iter().map(|column| position(data, column)).collect(),
    }
}

/// The feature that is meant. A number counts the columns of the file, as in the settings of its source.
fn position(data: &DataSet, column: &Column) -> Result<usize, PreprocessError> {
    let is_meant = |j: &usize| match column {
        Column::Index(index) => data.place(*j) == *index,
        Column::Name(name) => data.columns()[*j] == *name,
    };
    let found: Vec<usize> = (0..data.dimension()).filter(is_meant).collect();
    let wanted = match column {
        Column::Index(index) => format!("{index} (counted from 0 in the file)"),
        Column::Name(name) => format!("`{name}`"),
    };
    match found[..] {
        [position] => Ok(position),
        _ => {
            let there = shown(data.columns(), 0);
            let text = format!("logarithm: there is no column {wanted} among {there}: expected each once");
            Err(DataSetError::new(text).into())
        }
    }
}

fn drop_constant(data: &DataSet) -> Result<(Transform, String), PreprocessError> {
    let d = data.dimension();
    let (minima, maxima) = extremes(data);
    let kept: Vec<usize> = (0..d).filter(|&j| minima[j] != maxima[j]).collect();
    if kept.is_empty() {
        return Err(DataSetError::new(format!("drop constant columns: all {d} are constant")).into());
    }
    let note = format!("dropped {}, {} left", so_many(d - kept.len(), "constant column"), kept.len());
    Ok((Transform::Keep { columns: kept }, note))
}

fn extremes(data: &DataSet) -> (Vec<f64>, Vec<f64>) {
    let d = data.dimension();
    let (mut minima, mut maxima) = (data.rows()[..d].to_vec(), data.rows()[..d].to_vec());
    for row in data.rows().chunks_exact(d) {
        for ((minimum, maximum), &value) in minima.iter_mut().zip(&mut maxima).zip(row) {
            *minimum = if value < *minimum { value } else { *minimum };
            *maximum = if value > *maximum { value } else { *maximum };
        }
    }
    (minima, maxima)
}

fn center(data: &DataSet) -> (Transform, String) {
    let means = column_means(data.examples());
    let note = format!("centred {}", so_many(means.len(), "column"));
    let scales = vec![1.0; means.len()];
    (Transform::Affine { means, scales }, note)
}

fn standardize(data: &DataSet) -> Result<(Transform, String), PreprocessError> {
    if data.len() == 1 {
        return Err(DataSetError::new("standardize: one example has no standard deviation").into());
    }
    let (minima, maxima) = extremes(data);
    if let Some(j) = (0..data.dimension()).find(|&j| minima[j] == maxima[j]) {
        let (column, value) = (&data.columns()[j], minima[j]);
        let text = format!("standardize: column `{column}` is constant ({value}): expected `DropConstant` before it");
        return Err(DataSetError::new(text).into());
    }
    let means = column_means(data.examples());
    let scales = standard_deviations(data, &means);
    let note =
        format!("standardized {} (mean 0, standard deviation 1 with divisor N - 1)", so_many(means.len(), "column"));
    Ok((Transform::Affine { means, scales }, note))
}

fn standard_deviations(data: &DataSet, means: &[f64]) -> Vec<f64> {
    let d = means.len();
    let magnified: Vec<f64> = (0..d).map(|j| magnifier(data.rows().iter().skip(j).step_by(d).copied())).collect();
    let mut squares = vec![0.0; d];
    for row in data.rows().chunks_exact(d) {
        for ((square, &value), (&mean, magnified)) in squares.iter_mut().zip(row).zip(means.iter().zip(&magnified)) {
            let residual = (value - mean) * magnified;
            *square += residual * residual;
        }
    }
    let divisor = (data.len() - 1) as f64;
    squares.iter().zip(magnified).map(|(square, magnified)| (square / divisor).sqrt() / magnified).collect()
}

fn project(data: &DataSet, components: usize, eigen: Eigen) -> Result<(Transform, String), PreprocessError> {
    let pca = Pca::fit(data.examples(), components, eigen)?;
    let note = format!(
        "projected {} on {}: {:.1} % of the variance, eigenvalues {:.3} to {:.3}",
        so_many(data.dimension(), "column"),
        so_many(components, "principal component"),
        100.0 * pca.explained_share(),
        pca.eigenvalues()[0],
        pca.eigenvalues()[components - 1],
    );
    Ok((Transform::Project(pca), note))
}

/// Of components beside which the rounding of loadings is large: their scores are mixed with those of others.
fn caveat(pca: &Pca) -> Option<Caveat> {
    const MUCH: f64 = 1e-3;
    let rounding = pca.rounding();
    (rounding > MUCH).then(|| Caveat::PrincipalComponentsRounded {
        share: format!("{rounding:.1e}"),
        component: pca.components().to_string(),
    })
}
