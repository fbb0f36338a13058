//! What varies beside the arms of a scenario: axes of settings with their levels. This file must not know how arms are
//! made of them.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::levels::{Law, Values, Which};
use super::run::Arm;

/// A varied setting; values as in `--set path=value`.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Axis {
    /// One setting takes each value.
    Grid {
        /// Path, for example `protocol.compressor`.
        path: String,
        /// A list, `Linear(…)` or `Log(…)`.
        values: Values,
        /// Names of the levels; none: the values.
        #[serde(default)]
        labels: Vec<String>,
        /// Name; default: the last part of the path.
        #[serde(default)]
        name: Option<String>,
        /// Only arms with these levels of earlier axes vary by it; none: all arms.
        #[serde(default)]
        when: BTreeMap<String, Which>,
    },
    /// Several settings vary together: level j gives every path its j-th value.
    Zip {
        /// Name.
        name: String,
        /// Names of the levels; at least one.
        labels: Vec<String>,
        /// Values of each path, one per level.
        paths: BTreeMap<String, Vec<String>>,
        /// As for `Grid`.
        #[serde(default)]
        when: BTreeMap<String, Which>,
    },
    /// Levels with their own settings.
    Cases {
        /// Name.
        name: String,
        /// Levels; at least one.
        levels: Vec<Arm>,
        /// As for `Grid`.
        #[serde(default)]
        when: BTreeMap<String, Which>,
    },
    /// Random search: independent draws, without repetitions.
    Random(PointSet),
    /// Sobol sequence (Joe and Kuo), shifted by the seed. Balanced for powers of two; at most 32 paths.
    Sobol(PointSet),
    /// Each path has one of n points in every n-th part of its range.
    LatinHypercube(PointSet),
}

/// Points over several settings. A path's values depend on seed and path (`Sobol`: its position by name;
/// `LatinHypercube`: also `points`).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PointSet {
    /// Number, 1 to 10 000.
    pub points: u64,
    /// Distribution of each path's values.
    pub paths: BTreeMap<String, Law>,
    /// Seed of these draws.
    #[serde(default = "super::run::one")]
    pub seed: u64,
    /// Name of the axis and its levels `point 1`, …; default `point`.
    #[serde(default)]
    pub name: Option<String>,
    /// As for `Grid`.
    #[serde(default)]
    pub when: BTreeMap<String, Which>,
}

impl Axis {
    /// The name under which tables, figures, `exclude` and `baseline` know it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Axis::Grid { name: Some(name), .. } | Axis::Zip { name, .. } | Axis::Cases { name, .. } => name,
            Axis::Grid { path, .. } => path.rsplit('.').next().unwrap_or(path),
            Axis::Random(set) | Axis::Sobol(set) | Axis::LatinHypercube(set) => set.name.as_deref().unwrap_or("point"),
        }
    }

    /// How many levels it has.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Axis::Grid { values: Values::List(list), .. } => list.len() as u64,
            Axis::Grid { values: Values::Linear(.., count) | Values::Log(.., count), .. } => *count,
            Axis::Zip { labels, .. } => labels.len() as u64,
            Axis::Cases { levels, .. } => levels.len() as u64,
            Axis::Random(set) | Axis::Sobol(set) | Axis::LatinHypercube(set) => set.points,
        }
    }

    /// The levels of other axes that it needs.
    #[must_use]
    pub fn when(&self) -> &BTreeMap<String, Which> {
        match self {
            Axis::Grid { when, .. } | Axis::Zip { when, .. } | Axis::Cases { when, .. } => when,
            Axis::Random(set) | Axis::Sobol(set) | Axis::LatinHypercube(set) => &set.when,
        }
    }

    /// Every path that it sets, each once.
    #[must_use]
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Axis::Grid { path, .. } => vec![path],
            Axis::Zip { paths, .. } => paths.keys().map(String::as_str).collect(),
            Axis::Cases { levels, .. } => {
                let paths: BTreeSet<&str> =
                    levels.iter().flat_map(|level| level.set.keys()).map(String::as_str).collect();
                paths.into_iter().collect()
            }
            Axis::Random(set) | Axis::Sobol(set) | Axis::LatinHypercube(set) => {
                set.paths.keys().map(String::as_str).collect()
            }
        }
    }
}
