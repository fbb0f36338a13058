//! A study as data: a base scenario, what is varied about it, how often, and what is asked of the results. This file
//! must not know how the arms are made, nor where their results are kept.

use std::collections::BTreeMap;

use fedbits_record::study::Bound;
use serde::{Deserialize, Serialize};

use super::run::Stop;

/// One study: the same scenario again and again, with one thing changed at a time or several together.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name in results; not empty.
    pub name: String,
    /// What it asks, what is assumed, what was measured; default empty.
    #[serde(default)]
    pub about: String,
    /// The scenario that is varied: a name of the library, or a file (ending `.ron`) beside the study's. Its own arms
    /// are not used: the axes make the arms.
    pub base: String,
    /// Paths and the values they get in every arm, in the syntax of `--set`; default none.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// What is varied; the arms are all combinations of the axes' levels. Default none: one arm, the base.
    #[serde(default)]
    pub axes: Vec<Axis>,
    /// Combinations that are left out, by axis name and level: an arm is left out when it has all the levels of one of
    /// the entries. Default none.
    #[serde(default)]
    pub exclude: Vec<BTreeMap<String, String>>,
    /// How often every arm is run, with replicates 0, 1, … under the same seed: replicate r of every arm meets the same
    /// data and the same environment. 1 to 1 000 000; intervals need at least 2.
    pub replicates: u64,
    /// The arm that the others are compared with: the level of every axis, by axis name. Default: the first of each.
    #[serde(default)]
    pub baseline: BTreeMap<String, String>,
    /// What it takes to get where: bits, time and rounds to each target are measured. Default none.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// Stop rules of every arm; each one given here replaces that of the base. Default none.
    #[serde(default)]
    pub budget: Stop,
}

/// Something that is varied. The values are RON in text, as in `--set path=value`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Axis {
    /// One setting takes each of the values.
    Grid {
        /// The setting, for example `protocol.compressor`.
        path: String,
        /// Its values; at least one.
        values: Vec<String>,
        /// Names of the levels in tables and figures, one per value; default: the values as they are written.
        #[serde(default)]
        labels: Vec<String>,
        /// The axis' name; default: the last part of the path.
        #[serde(default)]
        name: Option<String>,
    },
    /// Several settings move together: level j gives every path its value j.
    Zip {
        /// The axis' name.
        name: String,
        /// Names of the levels in tables and figures; at least one.
        labels: Vec<String>,
        /// The values of each path, one per level.
        paths: BTreeMap<String, Vec<String>>,
    },
}

/// Where a run should get. The first recorded row that is there counts (rows are not interpolated); a run that never
/// gets there is censored at its end.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Target {
    /// ‖h(Ŝ)‖² at most this; above 0.
    MeanFieldSq(f64),
    /// The objective at most this.
    Objective(f64),
    /// The share of examples in the right component (`accuracy`) at least this; in (0, 1].
    Accuracy(f64),
    /// The mean log-likelihood of the examples held out (`held_out_log_likelihood`) at least this; in nats.
    HeldOut(f64),
    /// A measured column of `rounds.csv` at most or at least this: `objective`, `mean_field_sq`, `field_sq`,
    /// `parameter_error_sq`,
    /// or one of the protocol's own. What a run spends (time, epochs, bits) is no target: it is what getting to one
    /// costs.
    Column {
        /// The column, for example `parameter_error_sq`.
        name: String,
        /// The value from above; either this or `at_least`.
        #[serde(default)]
        at_most: Option<f64>,
        /// The value from below.
        #[serde(default)]
        at_least: Option<f64>,
    },
}

impl Axis {
    /// The name under which tables, figures, `exclude` and `baseline` know it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Axis::Grid { name: Some(name), .. } | Axis::Zip { name, .. } => name,
            Axis::Grid { path, .. } => path.rsplit('.').next().unwrap_or(path),
        }
    }

    /// The names of its levels.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        match self {
            Axis::Grid { values, labels, .. } if labels.is_empty() => values,
            Axis::Grid { labels, .. } | Axis::Zip { labels, .. } => labels,
        }
    }

    /// Every path it sets, and the path's values.
    pub fn paths(&self) -> impl Iterator<Item = (&str, &[String])> {
        let (grid, zip) = match self {
            Axis::Grid { path, values, .. } => (Some((path.as_str(), values.as_slice())), None),
            Axis::Zip { paths, .. } => (None, Some(paths)),
        };
        grid.into_iter().chain(zip.into_iter().flatten().map(|(path, values)| (path.as_str(), values.as_slice())))
    }
}

impl Target {
    /// The column of `rounds.csv` that is looked at.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Target::MeanFieldSq(_) => "mean_field_sq",
            Target::Objective(_) => "objective",
            Target::Accuracy(_) => "accuracy",
            Target::HeldOut(_) => "held_out_log_likelihood",
            Target::Column { name, .. } => name,
        }
    }

    /// Where the column must get. Of a column with two bounds or none, which is refused, it is the first or none.
    #[must_use]
    pub fn bound(&self) -> Bound {
        match *self {
            Target::MeanFieldSq(value) | Target::Objective(value) => Bound::AtMost(value),
            Target::Accuracy(value) | Target::HeldOut(value) => Bound::AtLeast(value),
            Target::Column { at_most: Some(value), .. } => Bound::AtMost(value),
            Target::Column { at_least, .. } => Bound::AtLeast(at_least.unwrap_or(f64::NAN)),
        }
    }
}
