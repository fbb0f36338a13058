//! Counts by site, time and observer: the data of low-rank imputation.

use super::{DataSet, DataSetError};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::Interval;

/// [0, 0.9]: shares of observations that are held out.
pub(super) const SHARE: Interval = Interval::closed(0.0, 0.9, "from 0 to 0.9, no unit");

/// Observations of a matrix of sites × times.
///
/// The examples are (site, time, value) with zero-based whole numbers for site and time; their groups are the
/// observers.
#[derive(Clone, Debug, PartialEq)]
pub struct CountTable {
    /// The observations, columns `site`, `time`, `value`.
    pub data: DataSet,
    /// Names of the J sites.
    pub sites: Vec<String>,
    /// Names of the L times.
    pub times: Vec<String>,
    /// I, the number of observers, also of those without an observation.
    pub observers: usize,
    /// Observations that the fit must not see, for measuring imputation.
    pub held_out: Option<DataSet>,
    /// The natural parameters that generated the data, J + L rows of a rank, where they are known (see `visits`).
    pub truth: Option<Vec<f64>>,
}

impl CountTable {
    /// A table of observations `(site, time, observer, value)`.
    ///
    /// # Errors
    /// No observation, or too many.
    pub fn new(
        observations: &[(u32, u32, u32, f64)],
        sites: Vec<String>,
        times: Vec<String>,
        observers: usize,
    ) -> Result<Self, DataSetError> {
        let columns = ["site", "time", "value"].map(str::to_owned).to_vec();
        let rows = observations.iter().flat_map(|&(site, time, _, x)| [f64::from(site), f64::from(time), x]).collect();
        let groups = observations.iter().map(|&(_, _, observer, _)| observer).collect();
        let data = DataSet::new(columns, rows, None, Some(groups))?;
        Ok(Self { data, sites, times, observers, held_out: None, truth: None })
    }

    /// Sets a uniform share of the observations aside (rounded; at least one stays to be fitted).
    ///
    /// # Errors
    /// [`DataSetError`] (there is no such case for a table that exists).
    pub fn hold_out(mut self, share: f64, streams: &Streams) -> Result<Self, DataSetError> {
        let total = self.data.len() as u32;
        let aside = ((share * f64::from(total)).round() as u32).min(total - 1);
        if aside == 0 {
            return Ok(self);
        }
        let mut chosen = Vec::new();
        streams.at(DrawPurpose::HeldOut, 0, 0).subset(total, aside, &mut chosen);
        let kept: Vec<u32> = (0..total).filter(|example| chosen.binary_search(example).is_err()).collect();
        self.held_out = Some(self.data.select(&chosen)?);
        self.data = self.data.select(&kept)?;
        Ok(self)
    }

    /// The largest number of observations of one cell: so many complete matrices hold all of them.
    pub fn fewest_matrices(&self) -> usize {
        let mut cells = self.cells();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap_or(1)
    }

    /// Per time: how many of its J cells are observed.
    pub fn observed_cells(&self) -> Vec<u64> {
        let mut cells = self.cells();
        cells.sort_unstable();
        cells.dedup();
        let mut counts = vec![0; self.times.len()];
        cells.iter().for_each(|cell| counts[(cell % self.times.len() as u64) as usize] += 1);
        counts
    }

    fn cells(&self) -> Vec<u64> {
        let times = self.times.len() as u64;
        self.data.rows().chunks_exact(3).map(|example| example[0] as u64 * times + example[1] as u64).collect()
    }
}
