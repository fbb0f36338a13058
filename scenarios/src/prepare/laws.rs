//! Draws from the laws of a scenario. This file must not know what is built of what is drawn.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::{Mutex, PoisonError};

use fedbits_kernel::draws::{MAX_SECONDS, draw};
use fedbits_kernel::{Rate, Speed, TimeDelta};
use fedbits_models::data::Remarks;
use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_spec::range::MAX_WATTS;
use fedbits_spec::{Caveat, so_many};

use super::error::{PrepareError, misfit};
use super::tables::{Entities, MAX_BITS_PER_SECOND, MIN_BITS_PER_SECOND, Table};
use crate::data_files::DataFolders;
use crate::schema::{self, DurationLaw, PowerLaw, RateLaw, TableColumn};

/// Fewer draws than this are not worth another thread.
pub(super) const WORTH_A_THREAD: usize = 4_096;

/// A law of the scenario, as far as reading it can fail.
pub(super) struct Wanted<'a> {
    /// Its path in the scenario.
    pub(super) at: &'a str,
    pub(super) table: Option<TableColumn<'a>>,
    /// The number of values that are given one by one.
    pub(super) each: Option<usize>,
}

/// What a law at a path needs, whatever its quantity.
macro_rules! wanted {
    ($at:expr, $law:expr) => {{
        let law = $law;
        crate::prepare::laws::Wanted { at: $at, table: law.table(), each: law.each().map(<[_]>::len) }
    }};
}

pub(super) use wanted;

impl Wanted<'_> {
    /// There are values for all entities, no more and no fewer.
    fn suffices(&self, entities: Entities) -> Result<(), PrepareError> {
        let Entities { count, name, .. } = entities;
        match self.each {
            Some(given) if given != count => Err(misfit(
                self.at,
                format!("{} for {}", so_many(given, "value is given|values are given"), so_many(count, name)),
                format!("expected {count}, one for each in order (`Values` draws from as many as one likes)"),
            )),
            _ => Ok(()),
        }
    }
}

/// Draws for the clients, or for the links: entities of one kind, each with one row of each table. Several threads may
/// draw, because no draw depends on another.
pub(super) struct Drawer {
    streams: Streams,
    /// The first entity in the streams of rows.
    first: u64,
    tables: Vec<Table>,
    /// Caveats of the tables.
    of_tables: Vec<Caveat>,
    /// How many draws of each law were cut to what there is, by the law's path.
    cut: Mutex<BTreeMap<&'static str, u64>>,
}

impl Drawer {
    /// Reads the tables that the laws need.
    pub(super) fn new(
        streams: Streams,
        entities: Entities,
        laws: &[Wanted<'_>],
        folders: &DataFolders,
    ) -> Result<Self, PrepareError> {
        let mut groups: Vec<Vec<(&str, TableColumn<'_>)>> = Vec::new();
        for law in laws {
            law.suffices(entities)?;
            let Some(column) = law.table else { continue };
            let is_of = |known: &TableColumn<'_>| is_same(known.path, column.path) && known.only == column.only;
            match groups.iter_mut().find(|group| is_of(&group[0].1)) {
                None => groups.push(vec![(law.at, column)]),
                Some(group) if group[0].1.in_order == column.in_order => group.push((law.at, column)),
                Some(group) => {
                    let found = format!("`{}` and this column have different rows of one table", group[0].0);
                    let expected = "expected `in_order` in all columns of the table, or in none";
                    return Err(misfit(format!("{}.in_order", law.at), found, expected));
                }
            }
        }
        let remarks = Remarks::default();
        let tables =
            groups.iter().map(|group| Table::read(group, entities, folders, &remarks)).collect::<Result<_, _>>()?;
        Ok(Self { streams, first: entities.first, tables, of_tables: remarks.into_parts().1, cut: Mutex::default() })
    }

    /// Those of the tables, and one for each law of which draws were cut.
    pub(super) fn caveats(&self) -> Vec<Caveat> {
        let caveat = |(path, count): (&&str, &u64)| Caveat::DrawsCut {
            law: (*path).to_owned(),
            range: there_is(path).to_string(),
            draws: count.to_string(),
        };
        let cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
        self.of_tables.iter().cloned().chain(cut.iter().map(caveat)).collect()
    }

    /// The value, cut to the range, which is noted at `path`.
    fn within(&self, path: &'static str, value: f64, low: f64, high: f64) -> f64 {
        let inside = value.clamp(low, high);
        if inside != value {
            self.note(path);
        }
        inside
    }

    /// A draw of the law at `path` was cut.
    fn note(&self, path: &'static str) {
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner).entry(path).or_default() += 1;
    }

    /// The number of a table's column in the row of an entity, in seconds or bit/s.
    fn number(&self, wanted: TableColumn<'_>, entity: u64) -> f64 {
        wanted.value(self.cell(wanted, entity))
    }

    /// The same as it stands in the table.
    fn cell(&self, wanted: TableColumn<'_>, entity: u64) -> f64 {
        let is_it = |table: &&Table| is_same(&table.path, wanted.path) && table.only == *wanted.only;
        let table = self.tables.iter().find(is_it).expect("the tables of all laws were read");
        let row = match table.in_order {
            true => entity,
            false => self.streams.at(DrawPurpose::TableRow, self.first + entity, address(table)).below(table.len()),
        };
        table.number(row, wanted.column)
    }

    fn seconds(&self, law: &DurationLaw, entity: u64, stream: &mut Stream) -> f64 {
        match (law.table(), law.each()) {
            (Some(column), _) => self.number(column, entity),
            (_, Some(each)) => each[entity as usize].seconds(),
            _ => draw(&law.distribution(), stream),
        }
    }

    /// A duration of at most a year, of the law at `path`.
    pub(super) fn duration(
        &self,
        (path, law): (&'static str, &DurationLaw),
        purpose: DrawPurpose,
        entity: u64,
        index: u64,
    ) -> TimeDelta {
        let seconds = self.seconds(law, entity, &mut self.streams.at(purpose, entity, index));
        TimeDelta::from_seconds(self.within(path, seconds, 0.0, MAX_SECONDS)).expect("a duration between 0 and a year")
    }

    /// A power in watts, of the law at `path`.
    pub(super) fn power(&self, (path, law): (&'static str, &PowerLaw), entity: u64, index: u64) -> f64 {
        let drawn = match (law.table(), law.each()) {
            (Some(column), _) => self.number(column, entity),
            (_, Some(each)) => each[entity as usize].watts(),
            _ => draw(&law.distribution(), &mut self.streams.at(DrawPurpose::Power, entity, index)),
        };
        self.within(path, drawn, 0.0, MAX_WATTS)
    }

    /// How fast entity `entity` is, whose durations per unit are of the law at `path`, `factor` times as long; at most
    /// a year each. What the scenario or a table says is not rounded.
    pub(super) fn speed(
        &self,
        (path, law): (&'static str, &DurationLaw),
        purpose: DrawPurpose,
        entity: u64,
        factor: f64,
    ) -> Speed {
        let mut stream = self.streams.at(purpose, entity, 0);
        let speed = match (law, law.table()) {
            (DurationLaw::Column { unit, inverse: false, .. }, Some(column)) => {
                speed(*unit).and_then(|unit| unit.times(self.cell(column, entity)))
            }
            (DurationLaw::Each(values), _) => speed(values[entity as usize]),
            (DurationLaw::Values(values), _) => speed(values[stream.below(values.len() as u64) as usize]),
            _ => match law.constant() {
                Some(constant) => speed(constant),
                None => Speed::from_seconds_per_unit(self.seconds(law, entity, &mut stream)),
            },
        };
        let speed = speed.and_then(|speed| speed.times(factor)).expect("laws of durations draw finite durations");
        if speed.duration(1).is_some_and(|duration| duration.as_nanos() <= schema::YEAR) {
            return speed;
        }
        self.note(path);
        Speed::new(1.0, schema::YEAR).expect("a year is finite")
    }

    /// A rate of at least 1 bit/s, of the law at `path`.
    pub(super) fn rate(
        &self,
        (path, law): (&'static str, &RateLaw),
        purpose: DrawPurpose,
        entity: u64,
        index: u64,
    ) -> Rate {
        let drawn = match (law.table(), law.each()) {
            (Some(column), _) => self.number(column, entity),
            (_, Some(each)) => each[entity as usize].bits_per_second(),
            _ => draw(&law.distribution(), &mut self.streams.at(purpose, entity, index)),
        };
        Rate::of(schema::Rate::Bps(self.within(path, drawn, MIN_BITS_PER_SECOND, MAX_BITS_PER_SECOND)))
    }
}

/// The speed of one unit of work per `duration`, which is not rounded to nanoseconds.
pub(super) fn speed(duration: schema::Duration) -> Option<Speed> {
    Speed::new(duration.value(), duration.unit_nanoseconds())
}

/// Do both paths name one file, as `t.csv` and `./t.csv` do?
fn is_same(one: &str, another: &str) -> bool {
    let parts = |path| Path::new(path).components().filter(|part| *part != Component::CurDir);
    one == another || parts(one).eq(parts(another))
}

/// The address of a table in the streams: FNV-1a of its name and its rows, whatever other tables there are.
fn address(table: &Table) -> u64 {
    let only = table.only.iter().map(|only| only.is.as_str());
    let bytes = std::iter::once(table.path.as_str()).chain(only).flat_map(str::bytes);
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// What the draws at a path can be.
fn there_is(path: &str) -> &'static str {
    match path.starts_with("energy.") {
        true => "powers from 0 to 10⁶ W",
        false => "durations of at most a year, rates from 1 bit/s to 10 Tbit/s",
    }
}
