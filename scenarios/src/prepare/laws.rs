//! Draws from the laws of a scenario. This file must not know what is built of what is drawn.

use fedbits_kernel::{Rate, Span};
use fedbits_random::{Purpose as Draw, Stream, Streams};

use super::tables::Table;
use super::{PrepareError, misfit};
use crate::data_files::DataFolders;
use crate::schema::{self, RateLaw, SpanLaw, TableColumn};

/// The longest span that is drawn, a year in seconds: heavy tails end where the checks of constants do.
pub(super) const LONGEST: f64 = 31_557_600.0;
/// The slowest and the fastest rate that is drawn, in bit/s.
const SLOWEST: f64 = 1.0;
const FASTEST: f64 = 1e13;

/// Who draws: how many, and what they are called.
#[derive(Clone, Copy)]
pub(super) struct Entities {
    pub(super) count: usize,
    pub(super) name: &'static str,
}

/// A law of the scenario, as far as reading it can fail.
pub(super) struct Wanted<'a> {
    /// Its path in the scenario.
    at: &'a str,
    table: Option<TableColumn<'a>>,
    /// The number of values that are given one by one.
    each: Option<usize>,
}

impl<'a> Wanted<'a> {
    pub(super) fn spans(at: &'a str, law: &'a SpanLaw) -> Self {
        Self { at, table: law.table(), each: law.each().map(<[_]>::len) }
    }

    pub(super) fn rates(at: &'a str, law: &'a RateLaw) -> Self {
        Self { at, table: law.table(), each: law.each().map(<[_]>::len) }
    }

    /// There are values for all entities, no more and no fewer.
    fn suffices(&self, entities: Entities) -> Result<(), PrepareError> {
        let Entities { count, name } = entities;
        match self.each {
            Some(given) if given != count => Err(misfit(
                self.at,
                format!("there are {given} values for {count} {name}"),
                format!("expected {count}, one for each in order (`Values` draws from as many as one likes)"),
            )),
            _ => Ok(()),
        }
    }
}

/// Draws for the clients, or for the links: entities of one kind, each with one row of each table.
pub(super) struct Drawer {
    streams: Streams,
    tables: Vec<Table>,
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
            let key = |column: &TableColumn<'_>| (column.path.to_owned(), column.only.clone(), column.in_order);
            match groups.iter_mut().find(|group| key(&group[0].1) == key(&column)) {
                Some(group) => group.push((law.at, column)),
                None => groups.push(vec![(law.at, column)]),
            }
        }
        let tables = groups.iter().map(|group| Table::read(group, entities, folders)).collect::<Result<_, _>>()?;
        Ok(Self { streams, tables })
    }

    /// The number of a table's column in the row of an entity.
    fn number(&self, wanted: TableColumn<'_>, entity: u64) -> f64 {
        let key = (wanted.path, wanted.only, wanted.in_order);
        let is_it = |table: &&Table| (table.path.as_str(), &table.only, table.in_order) == key;
        let table = self.tables.iter().find(is_it).expect("the tables of all laws were read");
        let row = match table.in_order {
            true => entity,
            false => self.streams.at(Draw::TableRow, entity, address(table)).below(table.len()),
        };
        let number = table.number(row, wanted.column);
        if wanted.inverse { wanted.unit / number } else { wanted.unit * number }
    }

    fn seconds(&self, law: &SpanLaw, entity: u64, stream: &mut Stream) -> f64 {
        match (law.table(), law.each()) {
            (Some(column), _) => self.number(column, entity),
            (_, Some(each)) => each[entity as usize].seconds(),
            _ => draw(&span_law(law), stream),
        }
    }

    /// A span of at most a year.
    pub(super) fn span(&self, law: &SpanLaw, purpose: Draw, entity: u64, index: u64) -> Span {
        let seconds = self.seconds(law, entity, &mut self.streams.at(purpose, entity, index));
        Span::from_seconds(seconds.clamp(0.0, LONGEST)).expect("a span between 0 and a year")
    }

    /// Seconds, not rounded to nanoseconds; at most a year.
    pub(super) fn exact_seconds(&self, law: &SpanLaw, purpose: Draw, entity: u64) -> f64 {
        self.seconds(law, entity, &mut self.streams.at(purpose, entity, 0)).min(LONGEST)
    }

    /// A rate of at least 1 bit/s.
    pub(super) fn rate(&self, law: &RateLaw, purpose: Draw, entity: u64, index: u64) -> Rate {
        rate(match (law.table(), law.each()) {
            (Some(column), _) => self.number(column, entity),
            (_, Some(each)) => each[entity as usize].bits_per_second(),
            _ => draw(&rate_law(law), &mut self.streams.at(purpose, entity, index)),
        })
    }
}

/// A span from a law without tables.
pub(super) fn span_from(law: &SpanLaw, stream: &mut Stream) -> Span {
    Span::from_seconds(draw(&span_law(law), stream).clamp(0.0, LONGEST)).expect("a span between 0 and a year")
}

/// The nearest rate that there is.
pub(super) fn rate(bits_per_second: f64) -> Rate {
    Rate::from_bits_per_second(bits_per_second.clamp(SLOWEST, FASTEST)).expect("a rate of at least 1 bit/s")
}

/// The address of a table in the streams: FNV-1a of its name and its rows, whatever other tables there are.
fn address(table: &Table) -> u64 {
    let only = table.only.iter().map(|only| only.is.as_str());
    let bytes = std::iter::once(table.path.as_str()).chain(only).flat_map(str::bytes);
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// A law in plain numbers: seconds or bit/s.
enum Law {
    Constant(f64),
    Uniform(f64, f64),
    LogNormal { median: f64, sigma: f64 },
    Gamma { mean: f64, shape: f64 },
    Exponential { mean: f64 },
    Values(Vec<f64>),
}

fn draw(law: &Law, stream: &mut Stream) -> f64 {
    match law {
        Law::Constant(value) => *value,
        Law::Uniform(min, max) => min + (max - min) * stream.uniform(),
        Law::LogNormal { median, sigma } => median * stream.log_normal(0.0, *sigma),
        Law::Gamma { mean, shape } => mean / shape * stream.gamma(*shape),
        Law::Exponential { mean } => mean * stream.exponential(),
        Law::Values(values) => values[stream.below(values.len() as u64) as usize],
    }
}

fn span_law(law: &SpanLaw) -> Law {
    match law {
        SpanLaw::Uniform { min, max } => Law::Uniform(min.seconds(), max.seconds()),
        SpanLaw::LogNormal { median, sigma } => Law::LogNormal { median: median.seconds(), sigma: *sigma },
        SpanLaw::Gamma { mean, shape } => Law::Gamma { mean: mean.seconds(), shape: *shape },
        SpanLaw::Exponential { mean } => Law::Exponential { mean: mean.seconds() },
        SpanLaw::Values(values) => Law::Values(values.iter().map(|value| value.seconds()).collect()),
        constant => Law::Constant(constant.constant().map_or(0.0, schema::Span::seconds)),
    }
}

fn rate_law(law: &RateLaw) -> Law {
    let value = |rate: &schema::Rate| rate.bits_per_second();
    match law {
        RateLaw::Uniform { min, max } => Law::Uniform(value(min), value(max)),
        RateLaw::LogNormal { median, sigma } => Law::LogNormal { median: value(median), sigma: *sigma },
        RateLaw::Gamma { mean, shape } => Law::Gamma { mean: value(mean), shape: *shape },
        RateLaw::Exponential { mean } => Law::Exponential { mean: value(mean) },
        RateLaw::Values(values) => Law::Values(values.iter().map(value).collect()),
        constant => Law::Constant(constant.constant().map_or(0.0, |rate| value(&rate))),
    }
}
