//! What a source of data gives, and what a number of the data may be, by the model that is fitted to them.

use super::corpus::{Corpus, Document};
use super::counts::CountTable;
use super::longitudinal::{Longitudinal, Subject};
use super::responses::Responses;
use super::set::DataSet;
use crate::Rows;
use fedbits_spec::so_many;

/// What data consist of, which decides what models can be fitted to them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DataKind {
    /// A table of examples with features.
    Examples,
    /// Counts by site, time and observer.
    Counts,
    /// Subjects observed over time.
    Subjects,
    /// Responses of persons to items.
    Responses,
    /// Documents as bags of words.
    Documents,
}

impl DataKind {
    /// What the units of these data are called.
    #[must_use]
    pub fn units(self) -> &'static str {
        match self {
            DataKind::Examples => "examples",
            DataKind::Counts => "observations",
            DataKind::Subjects => "subjects",
            DataKind::Responses => "persons",
            DataKind::Documents => "documents",
        }
    }
}

/// Data of some kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a problem has one")]
pub enum Observations {
    /// A table of examples with features.
    Examples(DataSet),
    /// Counts by site, time and observer.
    Counts(CountTable),
    /// Subjects observed over time.
    Subjects(Longitudinal),
    /// Responses of persons to items.
    Responses(Responses),
    /// Documents as bags of words.
    Documents(Corpus),
}

/// What is known of the sizes of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Numbers of an example, items of a person, words of documents.
    pub features: Option<usize>,
    /// J of counts.
    pub sites: Option<usize>,
    /// L of counts.
    pub times: Option<usize>,
}

impl Shape {
    /// J L, where both are known and it can be counted.
    #[must_use]
    pub fn cells(&self) -> Option<usize> {
        self.sites?.checked_mul(self.times?)
    }

    /// The smaller of the sides that are known.
    #[must_use]
    pub fn smaller_side(&self) -> Option<usize> {
        self.sites.into_iter().chain(self.times).min()
    }
}

/// A number whose squares cannot be summed.
#[derive(Clone, Debug, PartialEq)]
pub struct Overflow {
    /// What it is: example and column, subject and time, person and item.
    pub index: String,
    /// The number.
    pub value: f64,
}

impl Observations {
    /// N.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Examples(data) => data.len(),
            Self::Counts(table) => table.data.len(),
            Self::Subjects(data) => data.subjects.len(),
            Self::Responses(data) => data.persons(),
            Self::Documents(corpus) => corpus.documents.len(),
        }
    }

    /// The subjects or persons with these numbers, counted from 0; none of data that are divided in another way.
    #[must_use]
    pub fn select(&self, chosen: &[usize]) -> Option<Self> {
        match self {
            Self::Examples(_) | Self::Counts(_) | Self::Documents(_) => None,
            Self::Subjects(data) => {
                let subjects = chosen.iter().map(|&subject| data.subjects[subject].clone()).collect();
                Some(Self::Subjects(Longitudinal { subjects }))
            }
            Self::Responses(data) => {
                let rows = chosen.iter().flat_map(|&person| data.of(person).to_vec()).collect();
                Some(Self::Responses(Responses { items: data.items.clone(), rows }))
            }
        }
    }

    /// Names of the columns: of examples, or the items of persons; none of other data.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        match self {
            Self::Examples(data) => data.columns(),
            Self::Responses(data) => &data.items,
            Self::Counts(_) | Self::Subjects(_) | Self::Documents(_) => &[],
        }
    }

    /// The sizes of an observation.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self {
            Self::Examples(data) => Shape { features: Some(data.dimension()), ..Shape::default() },
            Self::Counts(CountTable { sites, times, .. }) => {
                Shape { features: Some(3), sites: Some(sites.len()), times: Some(times.len()) }
            }
            Self::Subjects(_) => Shape::default(),
            Self::Responses(data) => Shape { features: Some(data.items.len()), ..Shape::default() },
            Self::Documents(corpus) => Shape { features: Some(corpus.vocabulary.len()), ..Shape::default() },
        }
    }

    /// Bytes of memory, with what the allocator takes for small pieces.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        const PIECE: usize = 16;
        let names =
            |names: &[String]| names.iter().map(|name| size_of::<String>() + name.capacity() + PIECE).sum::<usize>();
        let documents = |documents: &[Document]| {
            let pieces = documents.iter().map(|document| size_of_val(&document[..]) + PIECE).sum::<usize>();
            size_of_val(documents) + pieces
        };
        let bytes = match self {
            Self::Examples(data) => return data.bytes(),
            Self::Counts(table) => {
                let held_out = table.held_out.as_ref().map_or(0, DataSet::bytes);
                return table.data.bytes() + held_out + (names(&table.sites) + names(&table.times)) as u64;
            }
            Self::Subjects(data) => {
                let of = |subject: &Subject| {
                    let numbers = subject.times.capacity() + subject.values.capacity() + 2 * subject.doses.capacity();
                    size_of::<Subject>() + subject.name.capacity() + 8 * numbers + 4 * PIECE
                };
                data.subjects.iter().map(of).sum()
            }
            Self::Responses(data) => size_of_val(&data.rows[..]) + names(&data.items),
            Self::Documents(corpus) => {
                let held_out = corpus.held_out.as_deref().map_or(0, documents);
                documents(&corpus.documents) + held_out + names(&corpus.vocabulary)
            }
        };
        bytes as u64
    }

    /// BLAKE3 of all numbers; names do not enter.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Examples(data) => data.digest(),
            Self::Counts(table) => table.data.digest(),
            Self::Subjects(data) => data.digest(),
            Self::Responses(data) => data.digest(),
            Self::Documents(corpus) => corpus.digest(),
        }
    }

    /// How much there is, in a line, for people.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Examples(_) | Self::Counts(_) => None,
            Self::Subjects(data) => Some(format!(
                "{} with {}",
                so_many(data.subjects.len(), "subject"),
                so_many(data.observations(), "observation")
            )),
            Self::Responses(data) => Some(format!(
                "{} with {} each",
                so_many(data.persons(), "person"),
                so_many(data.items.len(), "response")
            )),
            Self::Documents(corpus) => Some(format!(
                "{}, {}, {} ({} more held out)",
                so_many(corpus.documents.len(), "document"),
                so_many(corpus.vocabulary.len(), "word"),
                so_many(corpus.tokens(), "token"),
                corpus.held_out_tokens()
            )),
        }
    }

    /// The first number that is above 10⁷⁰, the largest that is taken.
    #[must_use]
    pub fn overflow(&self) -> Option<Overflow> {
        match self {
            Self::Examples(data) => of_examples(data),
            Self::Counts(table) => {
                [&table.data].into_iter().chain(&table.held_out).find_map(|data| of_counts(table, data))
            }
            Self::Subjects(data) => of_subjects(data),
            Self::Responses(Responses { items, rows }) => too_large(rows.iter().copied()).map(|(at, value)| {
                let (person, item) = (at / items.len(), &items[at % items.len()]);
                Overflow { index: format!("person {person} (counted from 0): item `{item}`"), value }
            }),
            Self::Documents(_) => None,
        }
    }
}

/// Numbers that differ by so little that squares of that underflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Underflow {
    /// What they are: a column, an item, the values of subjects.
    pub what: String,
    /// The largest difference.
    pub range: f64,
}

impl Observations {
    /// The first numbers that are not alike and differ by less than 10⁻⁷⁰.
    #[must_use]
    pub fn underflow(&self) -> Option<Underflow> {
        let of = |what: &str, numbers: &mut dyn Iterator<Item = f64>| {
            let mut range = Range::default();
            numbers.for_each(|number| range.add(number));
            Some(Underflow { what: what.to_owned(), range: range.too_small()? })
        };
        match self {
            Self::Examples(data) => columns_underflow(data),
            Self::Responses(Responses { items, rows }) => underflow_of(ranges(rows, items.len()), items, "item"),
            Self::Counts(table) => of("the counts", &mut table.data.rows().chunks_exact(3).map(|row| row[2])),
            Self::Subjects(data) => {
                let all = || data.subjects.iter();
                of("the values", &mut all().flat_map(|subject| &subject.values).copied())
                    .or_else(|| of("the times", &mut all().flat_map(|subject| &subject.times).copied()))
            }
            Self::Documents(_) => None,
        }
    }
}

/// The same of the columns of a table.
#[must_use]
pub fn columns_underflow(data: &DataSet) -> Option<Underflow> {
    let ranges = match data.storage() {
        Rows::Dense(rows) => ranges(rows, data.dimension()),
        Rows::Sparse { columns, values, .. } => {
            let mut ranges = vec![(Range::default(), 0); data.dimension()];
            for (&column, &value) in columns.iter().zip(values) {
                let (range, count) = &mut ranges[column as usize];
                range.add(value);
                *count += 1;
            }
            let with_zeros = |(mut range, count): (Range, usize)| {
                if count < data.len() {
                    range.add(0.0);
                }
                range
            };
            ranges.into_iter().map(with_zeros).collect()
        }
    };
    underflow_of(ranges, data.columns(), "column")
}

fn ranges(rows: &[f64], d: usize) -> Vec<Range> {
    let mut ranges = vec![Range::default(); d];
    for row in rows.chunks_exact(d) {
        ranges.iter_mut().zip(row).for_each(|(range, number)| range.add(*number));
    }
    ranges
}

/// The first range that is too small, of the column of its number, which is called `what`.
fn underflow_of(ranges: Vec<Range>, columns: &[String], what: &str) -> Option<Underflow> {
    let (name, range) = columns.iter().zip(ranges).find_map(|(name, range)| Some((name, range.too_small()?)))?;
    Some(Underflow { what: format!("{what} `{name}`"), range })
}

/// The smallest and the largest number.
#[derive(Clone, Copy)]
struct Range {
    least: f64,
    most: f64,
}

impl Default for Range {
    fn default() -> Self {
        Self { least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Range {
    fn add(&mut self, number: f64) {
        (self.least, self.most) = (self.least.min(number), self.most.max(number));
    }

    /// The difference, where there is one and it is too small.
    fn too_small(self) -> Option<f64> {
        let range = self.most - self.least;
        (range > 0.0 && range < SMALLEST).then_some(range)
    }
}

/// Fourth powers of smaller differences are no floats of 64 bits any more.
const SMALLEST: f64 = 1e-70;

/// Statistics hold squares, and their changes and singular values are squared again: the fourth powers of larger
/// numbers cannot be summed.
const LARGEST: f64 = 1e70;

/// The largest number of the first column in which one is too large.
fn of_examples(data: &DataSet) -> Option<Overflow> {
    let column_of = |_, column, value: f64| (value.abs() > LARGEST).then_some(column);
    data.find_map(column_of)?;
    let (mut column, mut most) = (usize::MAX, (0, 0.0_f64));
    data.find_map(|example, at, value: f64| {
        let is_larger = at < column || value.abs() > most.1.abs();
        if at <= column && value.abs() > LARGEST && is_larger {
            (column, most) = (at, (example, value));
        }
        None::<()>
    });
    let (example, value) = most;
    Some(Overflow { index: format!("example {example} (counted from 0): column `{}`", data.columns()[column]), value })
}

fn of_counts(table: &CountTable, data: &DataSet) -> Option<Overflow> {
    let (at, value) = too_large(data.rows().chunks_exact(3).map(|row| row[2]))?;
    let row = &data.rows()[3 * at..];
    let (site, time) = (&table.sites[row[0] as usize], &table.times[row[1] as usize]);
    Some(Overflow { index: format!("the count of site `{site}` at time `{time}`"), value })
}

/// Values and times of subjects.
fn of_subjects(data: &Longitudinal) -> Option<Overflow> {
    let all = || {
        data.subjects.iter().flat_map(|subject| subject.times.iter().zip(&subject.values).map(move |of| (subject, of)))
    };
    let overflows = |number: f64| number.abs() > LARGEST;
    if let Some((subject, (time, value))) = all().find(|(_, (_, value))| overflows(**value)) {
        return Some(Overflow { index: format!("subject {}: the value at time {time}", subject.name), value: *value });
    }
    let (subject, (time, _)) = all().find(|(_, (time, _))| overflows(**time))?;
    Some(Overflow { index: format!("subject {}: a time", subject.name), value: *time })
}

/// The first number that is too large, and its index.
fn too_large(numbers: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    numbers.enumerate().find(|(_, number)| number.abs() > LARGEST)
}

/// The allowed values of an observation.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Values {
    /// Any finite number.
    #[default]
    Real,
    /// A count: 0, 1, 2, …
    Counts,
    /// A whole number from 0 to this one.
    UpTo(u32),
}

impl Values {
    /// What an observation must be, when `x` cannot be one.
    #[must_use]
    pub fn refuses(self, x: f64) -> Option<&'static str> {
        let whole = x >= 0.0 && x.is_finite() && x == libm::floor(x);
        match self {
            Self::Real => (!x.is_finite()).then_some("a finite number"),
            Self::Counts => (!whole).then_some("a count 0, 1, 2, …"),
            Self::UpTo(1) => (x != 0.0 && x != 1.0).then_some("0 or 1"),
            Self::UpTo(largest) => {
                (!whole || x > f64::from(largest)).then_some("a whole number from 0 to the number of trials")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn impossible_observations_are_named() {
        assert_eq!(Values::Counts.refuses(1.5), Some("a count 0, 1, 2, …"));
        assert!(Values::Counts.refuses(f64::INFINITY).is_some());
        assert!(Values::UpTo(3).refuses(4.0).is_some());
        assert!(Values::UpTo(3).refuses(3.0).is_none());
        assert_eq!(Values::UpTo(1).refuses(0.5), Some("0 or 1"));
        assert_eq!(Values::Real.refuses(-1.5), None);
    }
}
