//! What varies beside the arms of a scenario: axes of settings with their levels. This file must not know how arms are
//! made of them.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::levels::{Law, Values, Which};
use super::run::Arm;

/// Something that is varied. The values are RON in text, as in `--set path=value`.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Axis {
    /// One setting takes each of the values.
    Grid {
        /// The setting, for example `protocol.compressor`.
        path: String,
        /// Its values: a list, `Linear(…)` or `Log(…)`.
        values: Values,
        /// Names of the levels in tables and figures, one per value; default: the values as they are written.
        #[serde(default)]
        labels: Vec<String>,
        /// The axis' name; default: the last part of the path.
        #[serde(default)]
        name: Option<String>,
        /// The axis exists only in arms with these levels of axes that stand before it; other arms do not multiply by
        /// it. Default: in all arms.
        #[serde(default)]
        when: BTreeMap<String, Which>,
    },
    /// Several settings move together: level j gives every path its value j.
    Zip {
        /// The axis' name.
        name: String,
        /// Names of the levels in tables and figures; at least one.
        labels: Vec<String>,
        /// The values of each path, one per level.
        paths: BTreeMap<String, Vec<String>>,
        /// As for `Grid`.
        #[serde(default)]
        when: BTreeMap<String, Which>,
    },
    /// Levels given one by one, each with settings of its own: what an arm does not set is as in the base.
    Cases {
        /// The axis' name.
        name: String,
        /// The levels by name, with what they set; at least one.
        levels: Vec<Arm>,
        /// As for `Grid`.
        #[serde(default)]
        when: BTreeMap<String, Which>,
    },
    /// Random search: every level is one draw of all paths. A draw that has come before is drawn again.
    Random(PointSet),
    /// The same with points that cover the ranges evenly: a Sobol sequence (Joe and Kuo's direction numbers), shifted
    /// by the seed. Balanced where the number of points is a power of two; of at most 32 paths.
    Sobol(PointSet),
    /// The same with a Latin hypercube: of n points each path has one in every n-th part of its range.
    LatinHypercube(PointSet),
}

/// Points in the space of several settings. The values of a path depend on nothing but the seed and the path (with
/// `Sobol`: the path's place among the paths, by name), and with `Random` and `Sobol` not on the number of points.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PointSet {
    /// How many; 1 to 10 000.
    pub points: u64,
    /// The law of each path's values.
    pub paths: BTreeMap<String, Law>,
    /// The root of these draws alone.
    #[serde(default = "super::run::one")]
    pub seed: u64,
    /// The axis' name, by which its levels are called too: `point 1`, `point 2`, …; default `point`.
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
