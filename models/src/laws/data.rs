//! Small data of every kind, as a model can have them.

use fedbits_random::{DrawPurpose, Stream, Streams};

use crate::data::corpus::Corpus;
use crate::data::counts::CountTable;
use crate::data::longitudinal::{Longitudinal, Subject};
use crate::data::responses::Responses;
use crate::data::{DataKind, DataSet, Observations, Values};
use crate::setting::{ModelFacts, ModelSetting};

/// Data that the setting can be fitted to.
pub(super) fn drawn(setting: &dyn ModelSetting) -> Observations {
    let stream = &mut Streams::new(7, 0).at(DrawPurpose::Data, 0, 0);
    let ModelFacts { data, values, features, .. } = setting.facts();
    match data {
        DataKind::Examples => Observations::Examples(examples(setting, features.unwrap_or(2), stream)),
        DataKind::Counts => Observations::Counts(counts(values, stream)),
        DataKind::Subjects => Observations::Subjects(subjects(stream)),
        DataKind::Responses => Observations::Responses(responses(features.unwrap_or(4), values, stream)),
        DataKind::Documents => Observations::Documents(documents(stream)),
    }
}

/// A number of a low or a high level.
fn number(values: Values, high: bool, stream: &mut Stream) -> f64 {
    let level = if high { 1.0 } else { 0.0 };
    match values {
        Values::Real => 6.0 * level - 3.0 + stream.normal(),
        Values::Counts => libm::round(3.0 + 12.0 * level + 1.5 * stream.normal()).max(0.0),
        Values::UpTo(largest) => libm::floor(stream.uniform() * (f64::from(largest) + 1.0)).min(f64::from(largest)),
    }
}

/// Two clusters; classes, where the model predicts them, of which one in five is that of the other cluster, or
/// numbers.
fn examples(setting: &dyn ModelSetting, features: usize, stream: &mut Stream) -> DataSet {
    let is_high = |j: usize| j.is_multiple_of(3);
    let places = (0..60 * features).map(|at| (at / features, at % features));
    let rows = places.map(|(j, column)| number(setting.values_of(column), is_high(j), stream)).collect();
    let columns = (0..features).map(|column| format!("y{column}")).collect();
    let class = |(j, classes): (usize, u32)| (u32::from(is_high(j)) + u32::from(stream.bernoulli(0.2))) % classes;
    let response = setting.facts().response;
    let classes = match response {
        None | Some(Values::Real) => None,
        Some(Values::UpTo(last)) => Some(last + 1),
        Some(Values::Counts) => Some(2),
    };
    let labels = classes.map(|classes| (0..60).map(|j| (j, classes)).map(class).collect());
    let table = DataSet::new(columns, rows, labels, None).expect("a table");
    if response != Some(Values::Real) {
        return table;
    }
    let targets = (0..60).map(|j| number(Values::Real, is_high(j), stream)).collect();
    table.with_targets(targets).expect("a number each")
}

/// 6 sites and 5 times, of whose cells two observers have seen two thirds.
fn counts(values: Values, stream: &mut Stream) -> CountTable {
    let seen =
        |cell: u32| (0..2).filter(move |observer| !(cell + observer).is_multiple_of(3)).map(move |who| (cell, who));
    let value = |(cell, observer): (u32, u32)| (cell / 5, cell % 5, observer, number(values, cell >= 15, stream));
    let observations: Vec<_> = (0..30).flat_map(seen).map(value).collect();
    let names = |count: usize| (0..count).map(|number| number.to_string()).collect();
    CountTable::new(&observations, names(6), names(5), 2).expect("counts")
}

/// Values above 0 after a dose at time 0.
fn subjects(stream: &mut Stream) -> Longitudinal {
    let times = [1.0, 2.0, 4.0, 8.0];
    let subject = |number: usize| {
        let level = 1.0 + stream.uniform();
        let value = |t: &f64| level * (0.2 + stream.uniform()) * libm::exp(-t / 8.0);
        let values = times.iter().map(value).collect();
        Subject { name: number.to_string(), times: times.to_vec(), values, doses: vec![(0.0, 2.0)] }
    };
    Longitudinal { subjects: (0..8).map(subject).collect() }
}

fn responses(items: usize, values: Values, stream: &mut Stream) -> Responses {
    let rows = (0..40 * items).map(|at| number(values, (at / items).is_multiple_of(2), stream)).collect();
    Responses { items: (0..items).map(|item| format!("item{item}")).collect(), rows }
}

fn documents(stream: &mut Stream) -> Corpus {
    let document = |number: u32| {
        let words = (0..6_u32).filter(|word| (word + number).is_multiple_of(2) || *word == 0);
        words.map(|word| (word, 1 + (3.0 * stream.uniform()) as u32)).collect()
    };
    let vocabulary = (0..6).map(|word| format!("word{word}")).collect();
    Corpus { vocabulary, documents: (0..12).map(document).collect(), held_out: None }
}
