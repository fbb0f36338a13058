//! Low-rank imputation as scenarios name it: checks against the counts, construction, θ₀, and what a
//! fitted matrix says of sites and times, observed or not.

use super::family::Family;
use super::maximize::Workspace;
use super::model::LowRank;
use crate::data::counts::CountTable;
use crate::data::visits::Visits;
use crate::data::{Coding, DataKind, DataSet, DataSource, Observations, Shape};
use crate::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given};
use crate::fitted::{Array, Features};
use crate::initial::InitialSetting;
use crate::latent::FinalTable;
use crate::setting::{ModelFacts, ModelSetting, Stated};
use crate::{DomainError, ExactModel, Examples};
use fedbits_numerics::dot;
use fedbits_spec::range::{Interval, whole};
use fedbits_spec::{Caveat, Described, Findings, Path, so_many};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts from a low-rank matrix of sites × times: q = J·L.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "LowRank")]
pub struct LowRankSetting {
    /// r; at most the smaller side of the matrix.
    #[described(by_rules)]
    pub rank: usize,
    /// λ, weight of the nuclear norm against the mean over M matrices (λM against all observations).
    #[serde(default)]
    #[range(LARGE)]
    pub lambda: f64,
    /// Distribution of an observation.
    #[serde(default)]
    pub family: Family,
    /// M, complete matrices.
    #[serde(default)]
    pub matrices: Matrices,
}

/// Number M of complete matrices. A larger M makes EM slower and `lambda` stronger; without a penalty the estimate does
/// not depend on M.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Matrices {
    /// One matrix per observer, as in the FedEM paper.
    #[default]
    PerObserver,
    /// The most observations of one cell; if one, EM is hard- or soft-impute.
    Fewest,
}

const LARGE: Interval = Interval::closed(0.0, 1e9, "from 0 to 1 000 000 000, no unit");

impl ModelSetting for LowRankSetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts { values: self.family.values(), ..ModelFacts::new(DataKind::Counts, &["Zero", "Margins"]) }
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        shape.cells()
    }

    /// An E-step has a matrix of the means.
    fn vectors(&self) -> u64 {
        12
    }

    /// Two factors, sites × rank and times × rank.
    fn parameters(&self, shape: &Shape) -> Option<usize> {
        shape.sites?.checked_add(shape.times?)?.checked_mul(self.rank)
    }

    fn size_field(&self, source: &dyn DataSource) -> &'static str {
        if source.facts().shape.sites.is_some() { "data.sites" } else { "data.path" }
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        let source = stated.source.facts();
        let side = source.shape.smaller_side().map_or(u64::from(u32::MAX), |side| side as u64);
        let range = whole(1, side).note(", at most the smaller side");
        range.check_whole(self.rank as u64, &Path::Root.field("model.rank"), stated.facts, findings);
        if self.matrices == Matrices::PerObserver && !source.names_observers {
            findings.caveat(Caveat::ObserversUnnamed {});
        }
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::Margins
    }

    fn arrays(&self, theta: &[f64], features: &Features) -> Result<Vec<Array>, FitError> {
        arrays(self.rank, theta, &features.coding)
    }

    fn judge(&self, theta: &[f64], features: &Features, data: Observations) -> Result<Option<FinalTable>, FitError> {
        imputed((self.rank, self.family), theta, &features.coding, data).map(Some)
    }

    fn examples() -> Vec<Self> {
        let gaussian = Self { rank: 2, lambda: 0.0, family: Family::Gaussian, matrices: Matrices::PerObserver };
        vec![gaussian, Self { family: Family::Poisson, matrices: Matrices::Fewest, rank: 1, ..gaussian }]
    }
}

impl ExactSetting for LowRankSetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let Fit { model, theta, statistic, truth, client_truths, notes, caveats } = self.impute(data, given)?;
        Ok(Fit { model, theta, statistic, truth, client_truths, notes, caveats })
    }

    /// A statistic of one example is a whole matrix.
    fn abilities(&self) -> ExactAbilities {
        ExactAbilities { has_short_statistics: false, ..ExactAbilities::default() }
    }
}

impl LowRankSetting {
    /// The model, of its own type.
    ///
    /// # Errors
    /// When there are no counts, the rank is above the smaller side, or singular vectors were not found.
    pub fn impute(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<LowRank>, FitError> {
        let Some(counts) = given.counts else {
            return Err(FitError::model("the model `LowRank` needs counts by site and time"));
        };
        let (matrices, mut caveats) = self.complete_matrices(counts);
        caveats.extend(self.unobserved(counts, data));
        let sizes = (counts.sites.len(), counts.times.len());
        let model = LowRank::new(sizes, self.rank, self.lambda, self.family, data.len(), matrices)?;
        let length = (sizes.0 + sizes.1) * self.rank;
        let theta = match given.initial {
            InitialSetting::Margins => margins(&model, data.examples()).map_err(FitError::start)?,
            _ => given.start(length, |initial| matches!(initial, InitialSetting::Zero).then(|| vec![0.0; length]))?,
        };
        let note = format!(
            "{} × {} cells, {} by {} ({} held out), {}",
            sizes.0,
            sizes.1,
            so_many(data.len(), "observation"),
            so_many(counts.observers, "observer"),
            counts.held_out.as_ref().map_or(0, DataSet::len),
            so_many(matrices, "complete matrix")
        );
        let truth = counts.truth.clone().filter(|_| self.is_family_of(given.source));
        Ok(Fit { truth, notes: vec![note], caveats, ..Fit::new(Box::new(model), theta) })
    }

    /// M, and what is to be said about it.
    fn complete_matrices(&self, counts: &CountTable) -> (usize, Vec<Caveat>) {
        let (fewest, observers) = (counts.fewest_matrices(), counts.observers);
        match self.matrices {
            Matrices::PerObserver if observers < fewest => {
                let (counts, observers) = (fewest.to_string(), so_many(observers, "observer"));
                let caveat = Caveat::CompleteMatrices { counts, observers };
                (fewest, vec![caveat])
            }
            Matrices::PerObserver => (observers, Vec::new()),
            Matrices::Fewest => (fewest, Vec::new()),
        }
    }

    /// Sites and times without an observation among those that are fitted: without a penalty any of their estimates
    /// are as likely.
    fn unobserved(&self, counts: &CountTable, data: &DataSet) -> Option<Caveat> {
        let without = |column: usize, names: &[String]| {
            let mut observed = vec![false; names.len()];
            data.rows().chunks(data.dimension()).for_each(|row| observed[row[column] as usize] = true);
            observed.into_iter().filter(|observed| !observed).count()
        };
        let (sites, times) = (without(0, &counts.sites), without(1, &counts.times));
        (self.lambda == 0.0 && sites + times > 0)
            .then(|| Caveat::UnobservedSites { sites: so_many(sites, "site"), times: so_many(times, "time") })
    }

    /// Natural parameters of different families cannot be compared.
    fn is_family_of(&self, source: Option<&dyn DataSource>) -> bool {
        let visits = source.and_then(|source| source.as_any().downcast_ref::<Visits>());
        visits.is_some_and(|visits| visits.family == self.family)
    }
}

/// θ₀ of the margins: ψ'(θ_jl) = x̄ a_j b_l with a_j = (Σ_{obs at j} x + x̄)/(n_j x̄ + x̄) and b_l alike, x̄ the mean
/// of all observations: shrunk towards 1 as if every site and every time had one more observation, at the mean.
/// Truncated to rank r where the link of a product has a larger rank. Observations with x̄ ≤ 0 give θ₀ = 0.
///
/// # Errors
/// When singular vectors were not found.
pub fn margins(model: &LowRank, examples: Examples<'_>) -> Result<Vec<f64>, DomainError> {
    let mean = examples.rows().chunks_exact(3).map(|example| example[2]).sum::<f64>() / examples.len() as f64;
    let mut theta = vec![0.0; (model.sites + model.times) * model.rank];
    if mean <= 0.0 {
        return Ok(theta);
    }
    let ratios = |size: usize, column: usize| {
        let mut sums = vec![(mean, 1.0); size];
        for example in examples.rows().chunks_exact(3) {
            let (sum, count) = &mut sums[example[column] as usize];
            (*sum, *count) = (*sum + example[2], *count + 1.0);
        }
        sums.into_iter().map(|(sum, count)| sum.max(0.0) / (count * mean)).collect::<Vec<f64>>()
    };
    let (a, b) = (ratios(model.sites, 0), ratios(model.times, 1));
    let linked: Vec<f64> =
        a.iter().flat_map(|a| b.iter().map(move |b| mean * a * b)).map(|mean| model.family.link(mean)).collect();
    // The link of the margins is the target itself: no majorization, no penalty.
    let plain = LowRank { lambda: 0.0, family: Family::Gaussian, ..*model };
    plain.maximize_from(&linked, &[], &mut Workspace::default(), &mut theta)?;
    Ok(theta)
}

/// A and B of θ = A Bᵀ, or θ as it is where the numbers of sites and times are not known.
///
/// # Errors
/// When θ is none of the model.
pub(super) fn arrays(rank: usize, theta: &[f64], coding: &Coding) -> Result<Vec<Array>, FitError> {
    let (sites, times) = (coding.sites.len(), coding.times.len());
    if sites + times == 0 {
        return Ok(vec![Array::numbers("theta", &[theta.len()], theta.to_vec())]);
    }
    let (a, b) = factors(rank, theta, coding)?;
    Ok(vec![
        Array::numbers("site_factors", &[sites, rank], a.to_vec()),
        Array::numbers("time_factors", &[times, rank], b.to_vec()),
    ])
}

/// The table `cells`: for every site of the data and every time of the model the mean of what was observed, the
/// expected observation ψ'(θ_jl), and the one in the place of the other where nothing was observed.
///
/// # Errors
/// When θ is none of the model, or the data have sites or times that the model does not know.
pub(super) fn imputed(
    (rank, family): (usize, Family),
    theta: &[f64],
    coding: &Coding,
    data: Observations,
) -> Result<FinalTable, FitError> {
    let Observations::Counts(table) = data else {
        return Err(FitError::model("the model `LowRank` needs counts by site and time"));
    };
    let (a, b) = factors(rank, theta, coding)?;
    let sites = places("site", &table.sites, &coding.sites)?;
    let times = places("time", &table.times, &coding.times)?;
    let mut cells = vec![(0.0, 0_u32); sites.len() * coding.times.len()];
    let observations = [&table.data].into_iter().chain(&table.held_out).flat_map(|data| data.rows().chunks_exact(3));
    for row in observations {
        let cell = &mut cells[row[0] as usize * coding.times.len() + times[row[1] as usize]];
        *cell = (cell.0 + row[2], cell.1 + 1);
    }
    let (r, mut rows) = (rank, Vec::with_capacity(cells.len()));
    for (index, cells) in cells.chunks_exact(coding.times.len()).enumerate() {
        let site = sites[index];
        for (time, &(sum, count)) in cells.iter().enumerate() {
            let expected = family.mean(dot(&a[site * r..][..r], &b[time * r..][..r]));
            let observed = (count > 0).then(|| sum / f64::from(count));
            let text = |value: f64| format!("{value:?}");
            rows.push(vec![
                coding.sites[site].clone(),
                coding.times[time].clone(),
                observed.map(text).unwrap_or_default(),
                text(expected),
                text(observed.unwrap_or(expected)),
            ]);
        }
    }
    let columns = ["site", "time", "observed", "expected", "imputed"].map(str::to_owned).to_vec();
    Ok(FinalTable { name: "cells".to_owned(), columns, names: 0..2, rows })
}

/// A and B, by rows.
fn factors<'a>(rank: usize, theta: &'a [f64], coding: &Coding) -> Result<(&'a [f64], &'a [f64]), FitError> {
    let (sites, times) = (coding.sites.len(), coding.times.len());
    let (found, expected) = (theta.len(), rank.saturating_mul(sites + times));
    if found == expected && sites > 0 && times > 0 {
        return Ok(theta.split_at(sites * rank));
    }
    let sizes = format!("{sites} sites, {times} times and rank {rank}");
    Err(FitError::model(format!("θ has {found} numbers: {expected} were expected for {sizes}")))
}

/// Where the names of the data are among those of the model.
fn places(what: &str, found: &[String], known: &[String]) -> Result<Vec<usize>, FitError> {
    let numbers: BTreeMap<&str, usize> = known.iter().map(String::as_str).zip(0..).collect();
    let place = |name: &String| {
        let nearest = || known.iter().min_by_key(|known| strsim::damerau_levenshtein(name, known));
        numbers.get(name.as_str()).copied().ok_or_else(|| {
            let example = nearest().cloned().unwrap_or_default();
            let known = format!("expected one of the {} that it was fitted to, such as `{example}`", known.len());
            FitError::model(format!("the model does not know the {what} `{name}`: {known}"))
        })
    };
    found.iter().map(place).collect()
}
