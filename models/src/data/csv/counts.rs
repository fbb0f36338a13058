//! Counts by site, time and observer, long (one count per row) or wide (one column per time).
//!
//! Sites, times and observers are numbered from 0: in numeric order when all their names are integers, otherwise in the
//! order of their first appearance (times of a wide file: in the order of its columns). An empty cell, or `NA`, is a
//! missing count.

use super::codes::Names;
use super::reader::{Column, Row, Rows};
use crate::data::counts::CountTable;
use crate::data::error::FileError;
use std::path::Path;

/// Where the counts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// One count per row.
    Long {
        /// The columns that name the time, most significant first: year, month.
        time: Vec<Column>,
        /// The count.
        count: Column,
        /// Who counted; none: every row has an observer of its own.
        observer: Option<Column>,
    },
    /// One column of counts per time, one row per site.
    Wide {
        /// The counts, in the order of time.
        counts: Vec<Column>,
        /// Who counted: one column for all times, one per time, or none: every count has an observer of its own.
        observers: Vec<Column>,
    },
}

/// How to read a file of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountOptions {
    /// The first row holds names.
    pub header: bool,
    /// Field separator.
    pub delimiter: u8,
    /// The column of the site.
    pub site: Column,
    /// Where the counts are.
    pub arrangement: Arrangement,
}

/// Reads the counts of `path`; `refuses` says what a value must be when it cannot be one.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_counts(
    path: &Path,
    options: &CountOptions,
    refuses: impl Fn(f64) -> Option<&'static str>,
) -> Result<CountTable, FileError> {
    let mut file = Rows::open(path, options.header, options.delimiter)?;
    let mut table = Table::new(&file, options)?;
    while let Some(row) = file.read()? {
        table.read_row(row, &refuses)?;
        file.room(table.bytes())?;
    }
    table.finish(&file)
}

/// The fields of one kind of count: where it stands, what names its time, who counted.
struct Cell {
    count: usize,
    time: Vec<usize>,
    observer: Option<usize>,
}

struct Table {
    site: usize,
    cells: Vec<Cell>,
    /// The names of the times, when the columns give them.
    wide_times: Option<Vec<String>>,
    sites: Names,
    times: Names,
    observers: Names,
    /// (site, time, observer, value), numbered by first appearance.
    observations: Vec<(u32, u32, u32, f64)>,
}

impl Table {
    fn new(file: &Rows, options: &CountOptions) -> Result<Self, FileError> {
        let site = file.find(&options.site)?;
        let mut wide_times = None;
        let cells = match &options.arrangement {
            Arrangement::Long { time, count, observer } => {
                let observer = observer.as_ref().map(|column| file.find(column)).transpose()?;
                vec![Cell { count: file.find(count)?, time: file.find_all(time)?, observer }]
            }
            Arrangement::Wide { counts, observers } => {
                let (counts, observers) = (file.find_all(counts)?, file.find_all(observers)?);
                if observers.len() > 1 && observers.len() != counts.len() {
                    let (path, counts, observers) = (file.path().to_owned(), counts.len(), observers.len());
                    return Err(FileError::Unpaired { path, counts, observers });
                }
                wide_times = Some(without_frame(counts.iter().map(|&index| file.title(index)).collect()));
                let observer = |place: usize| observers.get(place.min(observers.len().saturating_sub(1))).copied();
                let cell = |(place, count)| Cell { count, time: Vec::new(), observer: observer(place) };
                counts.into_iter().enumerate().map(cell).collect()
            }
        };
        let counts = cells.iter().flat_map(|cell| cell.time.iter().copied().chain([cell.count]));
        file.check_distinct(counts.chain([site]).collect())?;
        let (sites, times, observers) = (Names::default(), Names::default(), Names::default());
        Ok(Self { site, cells, wide_times, sites, times, observers, observations: Vec::new() })
    }

    fn read_row(&mut self, row: Row<'_>, refuses: impl Fn(f64) -> Option<&'static str>) -> Result<(), FileError> {
        let site = self.sites.number(row.code(self.site)?);
        for (place, cell) in self.cells.iter().enumerate() {
            let time = match &self.wide_times {
                Some(_) => place as u32,
                None => {
                    let parts = cell.time.iter().map(|&index| row.code(index)).collect::<Result<Vec<_>, _>>()?;
                    self.times.number_of_parts(&parts)
                }
            };
            if matches!(row.text(cell.count).as_str(), "" | "NA") {
                continue;
            }
            let value = row.number(cell.count)?;
            if let Some(expected) = refuses(value) {
                return Err(row.refuse(cell.count, expected));
            }
            let observer = match cell.observer {
                Some(index) => self.observers.number(row.code(index)?),
                None => self.observers.number(&self.observations.len().to_string()),
            };
            self.observations.push((site, time, observer, value));
        }
        Ok(())
    }

    /// Bytes of memory so far: an observation has 24, a name about 100.
    fn bytes(&self) -> u64 {
        let names = self.sites.len() + self.times.len() + self.observers.len();
        24 * self.observations.capacity() as u64 + 100 * names as u64
    }

    fn finish(mut self, file: &Rows) -> Result<CountTable, FileError> {
        if self.observations.is_empty() {
            return Err(FileError::AllMissing { path: file.path().to_owned() });
        }
        let (sites, site_of) = self.sites.finish();
        let (observers, observer_of) = self.observers.finish();
        let (mut times, time_of) = self.times.finish();
        for (site, time, observer, _) in &mut self.observations {
            *site = site_of[*site as usize];
            *observer = observer_of[*observer as usize];
            *time = time_of.get(*time as usize).copied().unwrap_or(*time);
        }
        if let Some(wide) = self.wide_times {
            times = wide;
        }
        CountTable::new(&self.observations, sites, times, observers.len()).map_err(|source| file.no_data_set(source))
    }
}

/// Names without what all of them begin with (up to a number) and end with: `X2004.1.count`, … are the times `2004.1`,
/// ….
fn without_frame(names: Vec<String>) -> Vec<String> {
    let Some(first) = names.first().filter(|_| names.len() > 1) else { return names };
    let common = |ends: &dyn Fn(&str, &str) -> bool, pieces: Vec<&str>| {
        pieces.into_iter().filter(|piece| names.iter().all(|name| ends(name, piece))).map(str::len).max().unwrap_or(0)
    };
    let places: Vec<usize> = first.char_indices().map(|(place, _)| place).collect();
    let heads =
        places.iter().map(|&place| &first[..place]).filter(|head| !head.ends_with(|c: char| c.is_ascii_digit()));
    let tails =
        places.iter().map(|&place| &first[place..]).filter(|tail| !tail.starts_with(|c: char| c.is_ascii_digit()));
    let head = common(&|name, head| name.starts_with(head), heads.collect());
    let tail = common(&|name, tail| name.ends_with(tail), tails.collect());
    let fits = names.iter().all(|name| name.len() > head + tail);
    if fits { names.iter().map(|name| name[head..name.len() - tail].to_owned()).collect() } else { names }
}
