//! Components against labels, and against each other.
//!
//! | column | holds |
//! |---|---|
//! | `accuracy` | share of examples whose class is that of their component, under the best one-to-one matching |
//! | `adjusted_rand_index` | of components and classes |
//! | `normalized_mutual_information` | the same, by the mean of the entropies |
//! | `purity` | share of examples in the largest class of their component |

use std::collections::BTreeMap;

use fedbits_models::clusters::{Clusters, Contingency};
use fedbits_models::{DomainError, Examples};
use fedbits_record::{Cell, FinalFit, QUALITY_COLUMNS, RunTable};
use fedbits_spec::Caveat;
use rayon::prelude::*;

use crate::error::Result;
use crate::problem::Clustering;
use crate::state::State;

/// Components nearer to each other than this Bhattacharyya distance are taken for the same: equal covariances, and
/// means less than a tenth of a standard deviation apart.
const SAME: f64 = 1e-3;
/// A component is empty below this many examples in expectation: rounded, it has none.
const EMPTY: f64 = 0.5;
/// Examples whose posterior weights are kept at a time.
const AT_ONCE: usize = 4096;
/// Caveats about single components.
const LISTED: usize = 3;
/// Most operations for the distances between all components.
const MOST_WORK: f64 = 2e9;

/// What the end of a run leaves of its assessment.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Tables for the record.
    pub tables: Vec<RunTable>,
    /// What a reader must know.
    pub caveats: Vec<Caveat>,
    /// What the verdict on the run depends on. Objectives are left to the caller, and whether defects are accepted.
    pub fit: FinalFit,
    /// The class that each component was matched with, where there are labels; none of a component that has none.
    pub classes: Option<Vec<Option<String>>>,
}

/// Names of the columns: none without labels.
pub(super) fn columns(clusters: &dyn Clustering) -> Vec<String> {
    clusters.labels().map(|_| QUALITY_COLUMNS.map(str::to_owned).to_vec()).unwrap_or_default()
}

/// How components agree with labels; none without labels.
pub(super) fn agreement(clusters: &dyn Clustering, state: &State<'_>) -> Result<Option<Contingency>> {
    let Some(labels) = clusters.labels() else { return Ok(None) };
    Ok(Some(Contingency::new(&clusters.classify(state)?, labels, clusters.components())))
}

/// Their values.
pub(super) fn values(table: &Contingency) -> [Option<f64>; 4] {
    [table.accuracy(), table.adjusted_rand_index(), table.normalized_mutual_information(), table.purity()].map(Some)
}

/// The expected number of examples of each component: the sum of posterior weights.
///
/// # Errors
/// When θ is no parameter of the model.
pub(super) fn expected_sizes(
    model: &dyn Clusters,
    examples: Examples<'_>,
    theta: &[f64],
) -> Result<Vec<f64>, DomainError> {
    let (components, d) = (model.components(), examples.dimension());
    let sums = |rows| {
        let weights = model.posterior_weights(Examples::new(rows, d), theta)?.weights;
        Ok((0..components).map(|g| weights.iter().skip(g).step_by(components).sum()).collect())
    };
    // Blocks of one size are summed in order, on any number of threads.
    let blocks = examples.rows().par_chunks(AT_ONCE * d).map(sums).collect::<Result<Vec<Vec<f64>>, DomainError>>()?;
    Ok((0..components).map(|g| blocks.iter().map(|block| block[g]).sum()).collect())
}

/// Has a component with this expected number of examples none?
pub(super) fn is_empty(expected: f64) -> bool {
    expected < EMPTY
}

/// What is wrong with single components of a final state.
pub(super) struct Defects {
    /// The expected number of examples of each component.
    sizes: Vec<f64>,
    /// Components that have collapsed.
    collapsed: Vec<usize>,
    /// Does the model let components be empty?
    may_be_empty: bool,
}

impl Defects {
    /// Of a state; `floor` is the least variance that `domain: Clip(…)` leaves, 0 without it.
    ///
    /// # Errors
    /// When the state has no density.
    pub(super) fn of(clusters: &dyn Clustering, state: &State<'_>, floor: f64) -> Result<Self> {
        let (model, squared) = (clusters.model(), clusters.squared());
        let origin = squared.as_ref().and_then(|squared| squared.origin.as_deref());
        let mut collapsed = model.map(|model| model.collapsed(state.theta, origin, floor)).unwrap_or_default();
        let sizes = match (model, &squared) {
            (Some(model), Some(squared)) => expected_sizes(model, squared.examples, state.theta)?,
            _ => {
                let mut sizes = vec![0.0; clusters.components()];
                clusters.classify(state)?.iter().for_each(|&g| sizes[g as usize] += 1.0);
                sizes
            }
        };
        // What an empty component lacks first is examples.
        collapsed.retain(|&g| !is_empty(sizes[g]));
        let may_be_empty = model.is_some_and(Clusters::may_be_empty);
        Ok(Self { sizes, collapsed, may_be_empty })
    }

    /// Components without examples that should have some, and their sizes.
    fn empty(&self) -> impl Iterator<Item = (usize, &f64)> {
        let sizes = self.sizes.iter().enumerate();
        sizes.filter(|(_, size)| !self.may_be_empty && is_empty(**size))
    }

    pub(super) fn fit(&self) -> FinalFit {
        FinalFit {
            components: self.sizes.len() as u64,
            empty: self.empty().count() as u64,
            collapsed: self.collapsed.len() as u64,
            ..FinalFit::default()
        }
    }

    /// Does the prior keep this component empty?
    fn is_without_examples(&self, g: usize) -> bool {
        self.may_be_empty && is_empty(self.sizes[g])
    }

    fn caveats(&self, weights: Option<&[f64]>) -> Vec<Caveat> {
        let empty = self.empty().map(|(g, size)| Caveat::ComponentEmpty {
            component: g.to_string(),
            size: format!("{size:.1e}"),
            weight: weights.map(|weights| format!(" (its weight is {:.2e})", weights[g])).unwrap_or_default(),
        });
        let collapsed = self.collapsed.iter().map(|g| Caveat::ComponentCollapsed { component: g.to_string() });
        let empty = first_of(empty.collect(), "components are empty");
        empty.into_iter().chain(first_of(collapsed.collect(), "components have collapsed")).collect()
    }
}

/// `components.csv`, and which components are empty, have collapsed or are the same.
pub(super) fn end(
    clusters: &dyn Clustering,
    state: &State<'_>,
    names: &[String],
    defects: &Defects,
) -> Result<Findings> {
    let (components, found) = (clusters.components(), clusters.classify(state)?);
    let (unknown, weights) = (vec![0; found.len()], clusters.model().map(|model| model.weights(state.theta)));
    let table = Contingency::new(&found, clusters.labels().unwrap_or(&unknown), components);
    let mut caveats = Vec::new();
    let nearest = match clusters.model() {
        Some(model) if is_affordable(components, state.theta.len()) => nearest(model, state.theta)?,
        Some(_) => {
            caveats.push(Caveat::ComponentsUncompared { count: components.to_string() });
            vec![None; components]
        }
        None => vec![None; components],
    };
    caveats.extend(defects.caveats(weights));
    caveats.extend(same(&nearest, &|g| defects.is_without_examples(g)));
    let name = |label: u32| names.get(label as usize).cloned().unwrap_or_else(|| label.to_string());
    let matched = clusters.labels().map(|_| table.matched_labels());
    let classes: Option<Vec<_>> = matched.map(|labels| labels.into_iter().map(|label| label.map(name)).collect());
    let rows = (0..components).map(|g| row(g, weights, &table, classes.as_deref(), nearest[g])).collect();
    let columns = ["component", "weight", "examples", "purity", "class", "nearest", "bhattacharyya_distance"];
    let columns = columns.map(str::to_owned).to_vec();
    let tables = vec![RunTable { name: "components".to_owned(), columns, rows }];
    Ok(Findings { tables, caveats, classes, ..Findings::default() })
}

/// Are the distances between all pairs cheap beside a run? A factorization per pair, of matrices as large as θ allows.
fn is_affordable(components: usize, parameters: usize) -> bool {
    let (components, numbers) = (components as f64, parameters as f64 / components.max(1) as f64);
    components * components * numbers * numbers.sqrt() <= MOST_WORK
}

/// The component nearest to each, and how far it is.
fn nearest(model: &dyn Clusters, theta: &[f64]) -> Result<Vec<Option<(usize, f64)>>, DomainError> {
    let components = model.components();
    let mut nearest = vec![None; components];
    for g in 0..components {
        for h in 0..g {
            let distance = model.distance(theta, g, h)?;
            for (one, other) in [(g, h), (h, g)] {
                if nearest[one].is_none_or(|(_, least)| distance < least) {
                    nearest[one] = Some((other, distance));
                }
            }
        }
    }
    Ok(nearest)
}

/// Pairs of components that are the same, without those that the prior keeps empty, as `is_free` says.
fn same(nearest: &[Option<(usize, f64)>], is_free: &dyn Fn(usize) -> bool) -> Vec<Caveat> {
    let near = nearest.iter().enumerate().filter_map(|(g, nearest)| {
        let (h, distance) = nearest.filter(|&(h, distance)| distance < SAME && !is_free(g) && !is_free(h))?;
        Some(((g.min(h), g.max(h)), distance))
    });
    let pairs: BTreeMap<(usize, usize), f64> = near.collect();
    let caveat = |((g, h), distance): ((usize, usize), f64)| Caveat::ComponentsSame {
        one: g.to_string(),
        other: h.to_string(),
        distance: format!("{distance:.1e}"),
    };
    first_of(pairs.into_iter().map(caveat).collect(), "pairs of components are the same")
}

/// At most [`LISTED`] of the caveats, and one that counts all where there are more.
fn first_of(mut caveats: Vec<Caveat>, what: &str) -> Vec<Caveat> {
    let count = caveats.len();
    caveats.truncate(LISTED);
    caveats.extend(
        (count > LISTED).then(|| Caveat::ComponentsCounted { what: what.to_owned(), count: count.to_string() }),
    );
    caveats
}

fn row(
    g: usize,
    weights: Option<&[f64]>,
    table: &Contingency,
    classes: Option<&[Option<String>]>,
    nearest: Option<(usize, f64)>,
) -> Vec<Cell> {
    vec![
        Cell::Whole(g as u64),
        weights.map(|weights| weights[g]).into(),
        table.size(g).into(),
        classes.and_then(|_| table.component_purity(g)).into(),
        classes.and_then(|classes| classes[g].clone()).into(),
        nearest.map(|(h, _)| h as u64).into(),
        nearest.map(|(_, distance)| distance).into(),
    ]
}
