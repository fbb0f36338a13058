//! Synthetic counts by site, time and observer: a low-rank matrix that few irregular visits look at, as in citizen
//! science.
//!
//! Natural parameters of exact rank r: θ_jl = Σ_a f_ja g_la with f_j1 = level + spread z_j1, g_l1 = 1 and, for a ≥ 2,
//! f_ja = spread z_ja, g_la = √2 cos(2π (a − 1) l / 12 + φ_a), z standard normal: a level per site and seasons of
//! monthly times. A visit draws its site and its observer with log-normal popularities, its time with a probability
//! growing linearly, and is drawn again when the observer has been there at that time.

use super::counts::{CountTable, SHARE};
use super::{DataKind, DataSetError, DataSource, Observations, ReadError, Reading, Shape, SourceFacts};
use crate::low_rank::Family;
use fedbits_random::{DrawPurpose, Stream, Streams, running_sums};
use fedbits_spec::range::{Interval, SIGMA, whole};
use fedbits_spec::{Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Simulated counts by site, time and observer from a low-rank matrix, observed by few irregular visits.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = cells)]
pub struct Visits {
    /// J.
    #[range(whole(1, 1_000_000))]
    pub sites: usize,
    /// L, with seasons of 12 times; J L below 2³².
    #[range(whole(1, 100_000))]
    pub times: usize,
    /// I.
    #[range(whole(1, 1_000_000))]
    pub observers: usize,
    /// N; at most half of the I J L possible.
    #[range(whole(1, 10_000_000))]
    pub observations: usize,
    /// Rank of the natural parameters.
    #[range(whole(1, 12))]
    pub rank: usize,
    /// Distribution of an observation.
    #[serde(default)]
    pub family: Family,
    /// Mean natural parameter.
    #[range(NATURAL)]
    pub level: f64,
    /// Standard deviation of each factor of the sites.
    #[range(SPREAD)]
    pub spread: f64,
    /// Standard deviation of log popularity of sites and observers; 0: even visits.
    #[range(SIGMA)]
    pub skew: f64,
    /// Share of observations withheld to evaluate the fit (`held_out_log_likelihood`, `held_out_rmse`).
    #[serde(default)]
    #[range(SHARE)]
    pub held_out: f64,
}

const NATURAL: Interval = Interval::closed(-100.0, 100.0, "from -100 to 100, no unit");
const SPREAD: Interval = Interval::closed(0.0, 100.0, "from 0 to 100, no unit");
/// Cells are numbered in 32 bits.
const MAX_CELLS: u64 = u32::MAX as u64;

fn cells(visits: &Visits, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let Visits { sites, times, .. } = *visits;
    let cells = (sites as u64).saturating_mul(times as u64);
    if sites <= 1_000_000 && times <= 100_000 && cells > MAX_CELLS {
        let found = format!("{} × {} are {}", so_many(sites, "site"), so_many(times, "time"), so_many(cells, "cell"));
        findings.error(at.field("sites"), found, format!("expected at most {MAX_CELLS} cells"));
    }
}

impl DataSource for Visits {
    fn facts(&self) -> SourceFacts {
        SourceFacts {
            shape: Shape { features: Some(3), sites: Some(self.sites), times: Some(self.times) },
            names_observers: true,
            holds_out: self.held_out > 0.0,
            size_field: "data.observations",
            // An observation while it is drawn, its observer and its cell.
            bytes_beside: 40,
            ..SourceFacts::drawn(DataKind::Counts, self.observations as u64, 3)
        }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Counts(self.generate(with.streams)?.hold_out(self.held_out, with.streams)?))
    }

    fn examples() -> Vec<Self> {
        vec![Self {
            sites: 20,
            times: 12,
            observers: 5,
            observations: 200,
            rank: 2,
            family: Family::Gaussian,
            level: 1.0,
            spread: 0.5,
            skew: 1.0,
            held_out: 0.0,
        }]
    }
}

/// Entities of the draws.
const FACTORS: u64 = 0;
const PHASES: u64 = 1;
const SITE_POPULARITY: u64 = 2;
const OBSERVER_ACTIVITY: u64 = 3;
const VISIT: u64 = 4;
const VALUE: u64 = 5;
/// Draws per visit before the popularities are called too concentrated.
const PATIENCE: usize = 50;

impl Visits {
    /// Draws the observations and keeps the truth.
    ///
    /// # Errors
    /// More observations than half of the possible ones, or than popularities leave; an intensity above e¹⁵.
    pub fn generate(&self, streams: &Streams) -> Result<CountTable, DataSetError> {
        let possible = self.observers as u128 * self.sites as u128 * self.times as u128;
        if self.observations as u128 * 2 > possible {
            return Err(DataSetError::new(format!(
                "{} observations are too many: expected at most half of the {possible} possible ones",
                self.observations
            )));
        }
        let truth = self.factors(streams);
        let mut observations = Vec::with_capacity(self.observations);
        for (index, (site, time, observer)) in self.visits(streams)?.into_iter().enumerate() {
            let theta = self.parameter(&truth, site as usize, time as usize);
            let x = self.draw(theta, &mut streams.at(DrawPurpose::Data, VALUE, index as u64))?;
            observations.push((site, time, observer, x));
        }
        let names = |count: usize| (1..=count).map(|number| number.to_string()).collect();
        let mut table = CountTable::new(&observations, names(self.sites), names(self.times), self.observers)?;
        table.truth = Some(truth);
        Ok(table)
    }

    /// f (J×r by rows), then g (L×r by rows).
    fn factors(&self, streams: &Streams) -> Vec<f64> {
        let mut factors = Vec::with_capacity((self.sites + self.times) * self.rank);
        for j in 0..self.sites {
            let mut stream = streams.at(DrawPurpose::Data, FACTORS, j as u64);
            let level = |a: usize| if a == 0 { self.level } else { 0.0 };
            factors.extend((0..self.rank).map(|a| level(a) + self.spread * stream.normal()));
        }
        let phase = |a: usize| core::f64::consts::TAU * streams.at(DrawPurpose::Data, PHASES, a as u64).uniform();
        let phases: Vec<f64> = (0..self.rank).map(phase).collect();
        for l in 0..self.times {
            factors.extend((0..self.rank).map(|a| {
                let angle = core::f64::consts::TAU * (a * l) as f64 / 12.0 + phases[a];
                if a == 0 { 1.0 } else { core::f64::consts::SQRT_2 * libm::cos(angle) }
            }));
        }
        factors
    }

    fn parameter(&self, truth: &[f64], site: usize, time: usize) -> f64 {
        let f = &truth[site * self.rank..][..self.rank];
        let g = &truth[(self.sites + time) * self.rank..][..self.rank];
        f.iter().zip(g).map(|(f, g)| f * g).sum()
    }

    /// Different (site, time, observer).
    fn visits(&self, streams: &Streams) -> Result<Vec<(u32, u32, u32)>, DataSetError> {
        let popularity = |entity: u64, count: usize| {
            let draw = |i: usize| streams.at(DrawPurpose::Data, entity, i as u64).log_normal(0.0, self.skew);
            running_sums((0..count).map(draw))
        };
        let (sites, observers) =
            (popularity(SITE_POPULARITY, self.sites), popularity(OBSERVER_ACTIVITY, self.observers));
        let times = running_sums((0..self.times).map(|l| 1.0 + l as f64));
        let (mut seen, mut visits) = (BTreeSet::new(), Vec::with_capacity(self.observations));
        for attempt in 0..self.observations.saturating_mul(PATIENCE) {
            let mut stream = streams.at(DrawPurpose::Data, VISIT, attempt as u64);
            let mut pick = |sums: &[f64]| stream.categorical_of_sums(sums) as u32;
            let visit = (pick(&sites), pick(&times), pick(&observers));
            if seen.insert(visit) {
                visits.push(visit);
            }
            if visits.len() == self.observations {
                return Ok(visits);
            }
        }
        let (wanted, found) = (self.observations, visits.len());
        Err(DataSetError::new(format!(
            "the visits are too concentrated: of {wanted} only {found} different ones were found"
        )))
    }

    fn draw(&self, theta: f64, stream: &mut Stream) -> Result<f64, DataSetError> {
        match self.family {
            Family::Gaussian => Ok(theta + stream.normal()),
            Family::Poisson if theta > 15.0 => Err(DataSetError::new(format!(
                "the largest Poisson log-intensity is {theta:.1}: expected at most 15 (lower `level` or `spread`)"
            ))),
            Family::Poisson => Ok(stream.poisson(libm::exp(theta)) as f64),
            Family::Binomial { trials } => {
                Ok(stream.binomial(u64::from(trials), 1.0 / (1.0 + libm::exp(-theta))) as f64)
            }
        }
    }
}
