//! The examples: mixtures, files, preparation, partition. This file must not open files.

use std::collections::BTreeSet;

use super::matrix::{covariances, rows, weights};
use super::numbers::{FINITE, POSITIVE, PROBABILITY, SHARE, count, number};
use super::{Facts, Findings};
use crate::schema::{Arrangement, Column, Columns, Data, Doses, Partition, Preprocess, Rows, Scenario};

/// d before the preparation, as far as the scenario alone tells.
pub(super) fn raw_features(data: &Data) -> Option<usize> {
    match data {
        Data::GaussianMixture { means, .. } => means.first().map(Vec::len),
        Data::RandomMixture { features, .. } => Some(*features),
        Data::Csv { columns: Columns::Columns(columns), .. } => Some(columns.len()),
        Data::Counts { .. } | Data::Visits { .. } => Some(3),
        Data::Responses { items: Columns::Columns(items), .. } => Some(items.len()),
        Data::Csv { .. }
        | Data::Idx { .. }
        | Data::Longitudinal { .. }
        | Data::Responses { .. }
        | Data::Corpus { .. } => None,
    }
}

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    match &scenario.data {
        Data::GaussianMixture { examples, weights: pi, means, covariance, pool } => {
            count(findings, "data.examples", *examples, 1, 1_000_000_000, "");
            if let Some(pool) = pool {
                count(findings, "data.pool", *pool, *examples, 1_000_000_000, ", at least the number of examples");
            }
            weights(findings, "data.weights", pi);
            rows(findings, "data.means", means, pi.len(), None);
            covariances(findings, "data.covariance", covariance, pi.len(), means.first().map(Vec::len));
        }
        Data::RandomMixture { examples, features, components, separation, correlated } => {
            count(findings, "data.examples", *examples, 1, 1_000_000_000, "");
            count(findings, "data.features", *features as u64, 1, 2_000, "");
            count(findings, "data.components", *components as u64, 1, 1_000, "");
            number(findings, "data.separation", *separation, POSITIVE);
            number(findings, "data.correlated", *correlated, PROBABILITY);
        }
        Data::Csv { path, header, columns, label, client, delimiter } => {
            file_name(findings, "data.path", path);
            csv_columns(findings, *header, columns, label.as_ref(), client.as_ref());
            self::delimiter(findings, *delimiter);
        }
        Data::Longitudinal { path, delimiter, .. } => {
            file_name(findings, "data.path", path);
            self::delimiter(findings, *delimiter);
            longitudinal_columns(findings, &scenario.data);
        }
        Data::Counts { path, header, site, arrangement, held_out, delimiter } => {
            file_name(findings, "data.path", path);
            count_columns(findings, *header, site, arrangement);
            number(findings, "data.held_out", *held_out, SHARE);
            self::delimiter(findings, *delimiter);
        }
        Data::Responses { path, header, items, frequency, delimiter } => {
            file_name(findings, "data.path", path);
            item_columns(findings, *header, items, frequency.as_ref());
            self::delimiter(findings, *delimiter);
        }
        Data::Corpus { path, vocabulary, hold_out_every } => {
            file_name(findings, "data.path", path);
            vocabulary.iter().for_each(|words| file_name(findings, "data.vocabulary", words));
            if let Some(every) = hold_out_every {
                count(findings, "data.hold_out_every", u64::from(*every), 2, u64::from(u32::MAX), "");
            }
        }
        Data::Visits { .. } => super::low_rank::visits(&scenario.data, findings),
        Data::Idx { images, labels } => {
            file_name(findings, "data.images", images);
            labels.iter().for_each(|labels| file_name(findings, "data.labels", labels));
        }
    }
    preparation(scenario, findings);
    partition(scenario, facts, findings);
}

fn delimiter(findings: &mut Findings, delimiter: char) {
    if !delimiter.is_ascii() || delimiter.is_ascii_alphanumeric() || "\"\n\r.+-".contains(delimiter) {
        let expected = "expected one ASCII character that is no part of a number, for example ','";
        findings.error("data.delimiter", format!("the delimiter {delimiter:?} cannot be used"), expected);
    }
}

fn longitudinal_columns(findings: &mut Findings, data: &Data) {
    let Data::Longitudinal { header, subject, time, value, doses, only, after, .. } = data else { return };
    let mut used = vec![("data.subject", subject), ("data.time", time), ("data.value", value)];
    match doses {
        Doses::NoDoses => {}
        Doses::Rows { amount } => used.push(("data.doses.amount", amount)),
        Doses::PerSubject { amount, time } => {
            used.push(("data.doses.amount", amount));
            number(findings, "data.doses.time", *time, FINITE);
        }
    }
    let used = used.into_iter().map(|(path, column)| (path.to_owned(), column)).collect();
    distinct_columns(findings, *header, used);
    if let (Some(Rows { column: Column::Name(name), .. }), false) = (only, header) {
        let found = format!("the column is named {name:?}, but the file has no header");
        findings.error("data.only.column", found, "expected `Index(…)`, or `header: true`");
    }
    if let Some(after) = after {
        number(findings, "data.after", *after, FINITE);
    }
}

/// Every column at most once, except observers, who may share one.
fn count_columns(findings: &mut Findings, header: bool, site: &Column, arrangement: &Arrangement) {
    let mut used: Vec<(String, &Column)> = vec![("data.site".to_owned(), site)];
    let mut observers: Vec<(String, &Column)> = Vec::new();
    let list = |field: &str, columns| -> Vec<(String, &Column)> {
        let path = |index: usize| format!("data.arrangement.{field}[{index}]");
        let columns: &Vec<Column> = columns;
        columns.iter().enumerate().map(|(index, column)| (path(index), column)).collect()
    };
    match arrangement {
        Arrangement::Long { time, count, observer } => {
            if time.is_empty() {
                findings.error("data.arrangement.time", "there are no columns", "expected at least one column");
            }
            used.extend(list("time", time));
            used.push(("data.arrangement.count".to_owned(), count));
            observers.extend(observer.as_ref().map(|column| ("data.arrangement.observer".to_owned(), column)));
        }
        Arrangement::Wide { counts, observers: who } => {
            if counts.is_empty() {
                findings.error("data.arrangement.counts", "there are no columns", "expected at least one column");
            }
            if who.len() > 1 && who.len() != counts.len() {
                let found = format!("{} columns of observers for {} of counts", who.len(), counts.len());
                findings.error("data.arrangement.observers", found, "expected none, one, or one per time");
            }
            used.extend(list("counts", counts));
            observers.extend(list("observers", who));
        }
    }
    for (path, column) in used.iter().chain(&observers) {
        if let (Column::Name(name), false) = (column, header) {
            let found = format!("the column is named {name:?}, but the file has no header");
            findings.error(path, found, "expected `Index(…)`, or `header: true`");
        }
    }
    let mut seen = BTreeSet::new();
    for (path, column) in &used {
        if !seen.insert(*column) {
            findings.error(path, "this column is used already", "expected every column at most once");
        }
    }
}

fn file_name(findings: &mut Findings, path: &str, name: &str) {
    if name.trim().is_empty() {
        findings.error(path, "the file name is empty", "expected the name of a file");
    }
}

fn csv_columns(
    findings: &mut Findings,
    header: bool,
    columns: &Columns,
    label: Option<&Column>,
    client: Option<&Column>,
) {
    let mut used: Vec<(String, &Column)> = Vec::new();
    if let Columns::Columns(columns) = columns {
        used.extend(columns.iter().enumerate().map(|(index, column)| (format!("data.columns[0][{index}]"), column)));
        if columns.is_empty() {
            findings.error("data.columns", "there are no columns", "expected at least one column, or `All`");
        }
    }
    used.extend(label.map(|column| ("data.label".to_owned(), column)));
    used.extend(client.map(|column| ("data.client".to_owned(), column)));
    distinct_columns(findings, header, used);
}

fn item_columns(findings: &mut Findings, header: bool, items: &Columns, frequency: Option<&Column>) {
    let mut used: Vec<(String, &Column)> = Vec::new();
    if let Columns::Columns(columns) = items {
        used.extend(columns.iter().enumerate().map(|(index, column)| (format!("data.items[0][{index}]"), column)));
        if columns.is_empty() {
            findings.error("data.items", "there are no columns", "expected at least one column, or `All`");
        }
    }
    used.extend(frequency.map(|column| ("data.frequency".to_owned(), column)));
    distinct_columns(findings, header, used);
}

/// Names need a header, and no column plays two parts.
fn distinct_columns(findings: &mut Findings, header: bool, used: Vec<(String, &Column)>) {
    let mut seen = BTreeSet::new();
    for (path, column) in &used {
        if let (Column::Name(name), false) = (column, header) {
            let found = format!("the column is named {name:?}, but the file has no header");
            findings.error(path, found, "expected `Index(…)`, or `header: true`");
        }
        if !seen.insert(*column) {
            findings.error(path, "this column is used already", "expected every column at most once");
        }
    }
}

fn preparation(scenario: &Scenario, findings: &mut Findings) {
    let mut features = raw_features(&scenario.data);
    for (index, step) in scenario.preprocess.iter().enumerate() {
        let path = format!("preprocess[{index}]");
        match step {
            Preprocess::Pca(components) => {
                let high = features.map_or(u64::MAX, |features| features as u64);
                count(findings, &path, *components as u64, 1, high, ", at most the number of features");
                features = Some(*components);
            }
            Preprocess::DropConstant
                if !matches!(scenario.data, Data::GaussianMixture { .. } | Data::RandomMixture { .. }) =>
            {
                features = None
            }
            Preprocess::Center if scenario.preprocess.get(index + 1) == Some(&Preprocess::Standardize) => {
                findings.no_effect(&path, "`Standardize` right after it subtracts the means itself");
            }
            _ if index > 0 && scenario.preprocess[index - 1] == *step => {
                findings.no_effect(&path, "the same step stands right before it");
            }
            _ => {}
        }
    }
}

/// Whether examples come with labels.
fn labelled(data: &Data) -> bool {
    match data {
        Data::GaussianMixture { .. } | Data::RandomMixture { .. } => true,
        Data::Csv { label, .. } => label.is_some(),
        Data::Idx { labels, .. } => labels.is_some(),
        Data::Longitudinal { .. }
        | Data::Counts { .. }
        | Data::Visits { .. }
        | Data::Responses { .. }
        | Data::Corpus { .. } => false,
    }
}

fn partition(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    match scenario.partition {
        Partition::SortedByLabel | Partition::Dirichlet { .. } if !labelled(&scenario.data) => {
            let expected = "expected data with labels: set `label` of `Csv`, or `labels` of `Idx`";
            findings.error("partition", "this partition needs labels, and the data have none", expected);
        }
        Partition::Observers if !matches!(scenario.data, Data::Counts { .. } | Data::Visits { .. }) => {
            findings.error("partition", "the data have no observers", "expected data `Counts` or `Visits`");
        }
        Partition::ClientColumn if !matches!(scenario.data, Data::Csv { client: Some(_), .. }) => {
            let expected = "expected `Csv` data with the column `client`";
            findings.error("partition", "the data have no client column", expected);
        }
        _ => {}
    }
    if let Partition::Dirichlet { alpha } = scenario.partition {
        number(findings, "partition.alpha", alpha, POSITIVE);
    }
    clients(scenario, facts, findings);
}

/// What the examples of these data are called.
fn examples_name(data: &Data) -> &'static str {
    match data {
        Data::Longitudinal { .. } => "subjects",
        Data::Responses { .. } => "persons",
        Data::Corpus { .. } => "documents",
        Data::Counts { .. } | Data::Visits { .. } => "observations",
        _ => "examples",
    }
}

fn clients(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let by_column = scenario.partition == Partition::ClientColumn;
    match scenario.clients {
        // That the data have no such column is a problem of its own.
        Some(_) if by_column && !matches!(scenario.data, Data::Csv { client: Some(_), .. }) => {}
        Some(_) if by_column => findings.no_effect("clients", "the client column decides how many there are"),
        Some(clients) => {
            let inside = count(findings, "clients", clients as u64, 1, 10_000_000, "");
            let by_feature = matches!(scenario.partition, Partition::EvenFeatures | Partition::Features(_));
            if let (Some(examples), true, false) = (facts.examples, inside, by_feature)
                && facts.clients.unwrap_or(clients) as u64 > examples
            {
                let what = examples_name(&scenario.data);
                let expected = format!("expected at most {examples}, the number of {what}");
                findings.error("clients", format!("{clients} clients share {examples} {what}"), expected);
            }
        }
        None if by_column || scenario.protocol.is_centralized() => {}
        None => findings.error("clients", "the number of clients is missing", "expected `clients: …` in here"),
    }
}
