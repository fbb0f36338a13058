//! What a fitted low-rank matrix says of sites and times, observed or not.

use std::collections::BTreeMap;

use fedbits_numerics::dot;

use super::family::Family;
use crate::data::{Coding, Observations};
use crate::fit::FitError;
use crate::fitted::Array;
use crate::latent::FinalTable;

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
