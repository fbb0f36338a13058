//! Counts by site, time and observer, long (one count per row) or wide (one column per time).
//!
//! Sites, times and observers are numbered from 0: in numeric order when all their names are integers, otherwise in the
//! order of their first appearance (times: of numbers and dates, of a wide file in the order of its columns). A count
//! may be missing.

use super::cells::said_of_names;
use super::missing::DeclaredMissing;
use super::reader::{Row, Rows};
use super::schema::{Delimiter, Role, TableSchema};
use crate::data::codes::Names;
use crate::data::counts::{CountTable, SHARE};
use crate::data::{
    DataKind, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, Remarks, Shape, SourceFacts,
};
use fedbits_spec::laws::Column;
use fedbits_spec::range::FileName;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Layout of a file of counts.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Arrangement {
    /// One count per line.
    Long {
        /// At least one column of time, most significant first (year, month). Order: numbers, else dates of one form
        /// (`2021-03-01`), else first appearance.
        time: Vec<Column>,
        /// Counts.
        count: Column,
        /// Observers. Default: one per line.
        #[serde(default)]
        observer: Option<Column>,
    },
    /// One line per site, one column of counts per time.
    Wide {
        /// At least one, in order of time.
        counts: Vec<Column>,
        /// One column for all times, or one per time. Default: one observer per count.
        #[serde(default)]
        observers: Vec<Column>,
    },
}

/// Counts by site, time and observer, from a text file. A missing cell (as in `Csv`) is no count.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Counts")]
#[described(rules = distinct_columns)]
pub struct CountsFile {
    /// File name.
    #[range(FileName)]
    pub path: String,
    /// Does the first line hold names? Default: detected.
    #[serde(default)]
    pub header: Option<bool>,
    /// Sites.
    pub site: Column,
    /// Layout.
    pub arrangement: Arrangement,
    /// Share of observations withheld to evaluate the fit (`held_out_log_likelihood`, `held_out_rmse`).
    #[serde(default)]
    #[range(SHARE)]
    pub held_out: f64,
    /// Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
    #[serde(default)]
    #[range(Delimiter)]
    pub delimiter: Option<char>,
    /// Further texts for missing values: `["-999", "-"]`. A number covers all its spellings. Each text must occur.
    #[serde(default)]
    pub missing_values: Vec<String>,
}

impl CountsFile {
    fn schema(&self) -> TableSchema<'_> {
        let schema = TableSchema::new(self.header, self.delimiter).texts(Role::Subject, "site", [&self.site]);
        match &self.arrangement {
            Arrangement::Long { time, count, observer } => {
                let schema = schema.with_list(Role::Time, "arrangement.time", time, false);
                let schema = schema.numbers(Role::Value, "arrangement.count", [count]);
                schema.texts(Role::Observer, "arrangement.observer", observer)
            }
            Arrangement::Wide { counts, observers } => {
                let schema = schema.with_list(Role::Value, "arrangement.counts", counts, true);
                schema.with_list(Role::Observer, "arrangement.observers", observers, false)
            }
        }
    }
}

/// Every column at most once, except observers, who may share one.
fn distinct_columns(file: &CountsFile, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let arrangement = at.field("arrangement");
    let (field, columns) = match &file.arrangement {
        Arrangement::Long { time, .. } => ("time", time),
        Arrangement::Wide { counts, .. } => ("counts", counts),
    };
    if columns.is_empty() {
        findings.error(arrangement.field(field), "there are no columns", "expected at least one column");
    }
    if let Arrangement::Wide { counts, observers } = &file.arrangement
        && observers.len() > 1
        && observers.len() != counts.len()
    {
        let found = format!("{} of observers for {} of counts", so_many(observers.len(), "column"), counts.len());
        findings.error(arrangement.field("observers"), found, "expected none, one, or one per time");
    }
    file.schema().check(at, findings);
}

impl DataSource for CountsFile {
    fn facts(&self) -> SourceFacts {
        let (times, names_observers) = match &self.arrangement {
            Arrangement::Long { observer, .. } => (None, observer.is_some()),
            Arrangement::Wide { counts, observers } => (Some(counts.len()), !observers.is_empty()),
        };
        SourceFacts {
            shape: Shape { features: Some(3), times, sites: None },
            names_observers,
            holds_out: self.held_out > 0.0,
            bytes_beside: 50,
            ..SourceFacts::read(DataKind::Counts, 3)
        }
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let table = read_counts(&with.files[0], self, |x| with.values.refuses(x), with.remarks, with.limit)?;
        Ok(Observations::Counts(table.hold_out(self.held_out, with.streams)?))
    }

    fn examples() -> Vec<Self> {
        let name = |name: &str| Column::Name(name.to_owned());
        let arrangement = Arrangement::Long { time: vec![name("year")], count: name("count"), observer: None };
        let path = "counts.csv".to_owned();
        let (site, missing_values) = (name("site"), Vec::new());
        vec![Self { path, header: None, site, arrangement, held_out: 0.0, delimiter: None, missing_values }]
    }
}

/// Reads the counts of `path`; `refuses` says what a value must be when it cannot be one.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_counts(
    path: &std::path::Path,
    options: &CountsFile,
    refuses: impl Fn(f64) -> Option<&'static str>,
    remarks: &Remarks,
    limit: MemoryLimit,
) -> Result<CountTable, FileError> {
    let missing = DeclaredMissing::new(&options.missing_values);
    let mut file = Rows::open(path, &options.schema().missing(&missing).within(limit))?;
    let mut table = Table::new(&file, options)?;
    file.each(remarks, |row| table.read_row(row, &refuses).map(|()| table.bytes()))?;
    missing.all_occurred(path)?;
    table.finish(&file, remarks)
}

struct Table {
    site: usize,
    /// The parts of the name of a time; none where columns have the names of times.
    time: Vec<usize>,
    /// Where counts stand, and who counted.
    counts: Vec<(usize, Option<usize>)>,
    /// The names of the times, when the columns give them.
    wide_times: Option<Vec<String>>,
    sites: Names,
    times: Names,
    observers: Names,
    /// (site, time, observer, value), numbered by first appearance.
    observations: Vec<(u32, u32, u32, f64)>,
}

impl Table {
    fn new(file: &Rows, options: &CountsFile) -> Result<Self, FileError> {
        let (counts, observers) = (file.places(Role::Value), file.places(Role::Observer));
        if observers.len() > 1 && observers.len() != counts.len() {
            let found = format!("{} of counts, but {} of observers", so_many(counts.len(), "column"), observers.len());
            return Err(FileError::whole(file.path(), found, ""));
        }
        let wide_times = match options.arrangement {
            Arrangement::Long { .. } => None,
            // Fitted models know times by their names.
            Arrangement::Wide { .. } => Some(without_frame(file.distinct_titles(&counts)?)),
        };
        let observer = |place: usize| observers.get(place.min(observers.len().saturating_sub(1))).copied();
        let counts = counts.into_iter().enumerate().map(|(place, count)| (count, observer(place))).collect();
        let (site, time) = (file.place(Role::Subject).unwrap_or(0), file.places(Role::Time));
        let (sites, times, observers) = (Names::default(), Names::default(), Names::default());
        Ok(Self { site, time, counts, wide_times, sites, times, observers, observations: Vec::new() })
    }

    fn read_row(&mut self, row: Row<'_>, refuses: impl Fn(f64) -> Option<&'static str>) -> Result<(), FileError> {
        let site = self.sites.number(&row.code(self.site)?);
        for (place, &(count, observer)) in self.counts.iter().enumerate() {
            let time = match &self.wide_times {
                Some(_) => place as u32,
                None => {
                    let parts = self.time.iter().map(|&index| row.code(index)).collect::<Result<Vec<_>, _>>()?;
                    self.times.number_of_parts(&parts)
                }
            };
            if row.is_missing(count) {
                continue;
            }
            let value = row.number(count)?;
            if let Some(expected) = refuses(value) {
                return Err(row.refuse(count, expected));
            }
            let observer = match observer {
                Some(index) => self.observers.number(&row.code(index)?),
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

    fn finish(mut self, file: &Rows, remarks: &Remarks) -> Result<CountTable, FileError> {
        if self.observations.is_empty() {
            return Err(FileError::whole(file.path(), "every count is missing", ""));
        }
        let (sites, site_of) = self.sites.finish();
        let (observers, observer_of) = self.observers.finish();
        let (mut times, time_of, strange) = self.times.finish_times();
        if let Some(name) = repeated(&times) {
            let found = format!("two times become `{name}`, their parts with - between them");
            return Err(FileError::whole(file.path(), found, "parts that tell them apart"));
        }
        for (site, time, observer, _) in &mut self.observations {
            *site = site_of[*site as usize];
            *observer = observer_of[*observer as usize];
            *time = time_of.get(*time as usize).copied().unwrap_or(*time);
        }
        let named =
            [("a site", "sites", &sites), ("a time", "times", &times), ("an observer", "observers", &observers)];
        for (place, (one, all, names)) in named.into_iter().enumerate() {
            let codes = self.observations.iter().map(|&(site, time, observer, _)| [site, time, observer][place]);
            said_of_names((one, all), names, codes, "counts").for_each(|caveat| remarks.caveat(caveat));
        }
        if let Some(strange) = strange.filter(|_| times.len() > 1) {
            remarks.caveat(Caveat::TimesAsTheyCame { time: strange });
        }
        if let Some(wide) = self.wide_times {
            times = wide;
        }
        CountTable::new(&self.observations, sites, times, observers.len()).map_err(FileError::no_data_set(file.path()))
    }
}

/// A name that occurs twice.
fn repeated(names: &[String]) -> Option<String> {
    let mut known = BTreeSet::new();
    names.iter().find(|name| !known.insert(*name)).cloned()
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
