//! k-means as a baseline of VP-EM: in one place, and from data divided by features (Ding, Liu, Huang and Li, ICML
//! 2016).
//!
//! Vertical: client n clusters its own features into K_n, that is K or, if they are fewer, as many as its rows differ,
//! and sends its centres (64 · K_n · d_n bits) and the cluster of every example (M · ⌈log₂ K_n⌉ bits). The server forms
//! the grid of intersections (at most Π K_n cells that are not empty; a cell's place is put together of the clients'
//! centres, its weight is the number of its examples) and clusters the cells with weighted k-means. One round. The
//! abstract of the paper was read; details are our reading.

use std::collections::BTreeMap;

use fedbits_kernel::Bits;
use fedbits_models::Examples;
use fedbits_models::clusters::Clusters;
use fedbits_models::initial::{InitialError, KMeans, KMeansFit, sample_mean};
use fedbits_random::Streams;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Described};
use serde::{Deserialize, Serialize};

use crate::collective::{Collective, CollectiveRun};
use crate::error::Result;
use crate::footprint::{Part, Sizes};
use crate::journal::Subject;
use crate::over::{Built, Over, Table};
use crate::problem::{Clustering, Problem, Squared};
use crate::setting::{Profile, ProtocolSetting};
use crate::state::{Probe, State, distance_sq};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 1] = ["inertia"];

/// k-means with the model's number of components, in one place or in one round on data divided by features (Ding et al.
/// 2016).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "KMeans")]
pub struct KMeansBaseline {
    /// Features divided over clients (`partition: EvenFeatures` or `Features([…])`).
    pub vertical: bool,
    /// Maximum number of Lloyd iterations.
    #[serde(default = "three_hundred")]
    #[range(whole(1, 10_000))]
    pub iterations: usize,
    /// Attempts, of which the best is kept.
    #[serde(default = "ten")]
    #[range(whole(1, 10_000))]
    pub restarts: usize,
}

fn three_hundred() -> usize {
    300
}

fn ten() -> usize {
    10
}

impl ProtocolSetting for KMeansBaseline {
    fn over(&self) -> Over<'_> {
        Over::Table(Box::new(|table, run| Ok(Built::new(CollectiveRun(KMeansRun::new(table, *self, run.streams))))))
    }

    fn profile(&self) -> Profile {
        Profile {
            other_objective: Some("k-means"),
            columns: Some(COLUMNS.to_vec()),
            // After one round.
            ends_itself: true,
            copes_with_constants: true,
            ..if self.vertical { Profile::default() } else { Profile::centralized() }
        }
    }

    fn memory(&self, _sizes: &Sizes) -> Vec<Part> {
        Vec::new()
    }

    fn examples() -> Vec<Self> {
        [false, true].map(|vertical| Self { vertical, iterations: three_hundred(), restarts: 2 }).to_vec()
    }
}

/// k-means, ready to be run.
pub struct KMeansRun {
    table: Table,
    vertical: bool,
    kmeans: KMeans,
    streams: Streams,
    /// What each client has found.
    found: Vec<Option<KMeansFit>>,
    centres: Vec<f64>,
    clusters: Vec<u32>,
}

impl KMeansRun {
    /// Before the start all centres are the mean of the examples.
    pub fn new(table: Table, setting: KMeansBaseline, streams: Streams) -> Self {
        let KMeansBaseline { vertical, iterations, restarts } = setting;
        // scikit-learn's rule of when centres rest.
        let kmeans = KMeans { components: table.components, iterations, restarts, tolerance: 1e-4 };
        let centres = sample_mean(table.examples()).repeat(table.components);
        let clusters = vec![0; table.examples().len()];
        let found = vec![None; table.blocks.len()];
        Self { table, vertical, kmeans, streams, found, centres, clusters }
    }

    fn examples(&self) -> Examples<'_> {
        self.table.examples()
    }

    /// Client `n` clusters its own features; the bits of its message.
    fn cluster(&mut self, n: usize) -> Result<Bits, InitialError> {
        let (examples, features) = (self.examples(), self.table.blocks.features(n));
        let row = |y: &[f64]| features.iter().map(|&f| y[f]).collect::<Vec<_>>();
        let rows: Vec<f64> = examples.rows().chunks_exact(examples.dimension()).flat_map(row).collect();
        let examples = Examples::new(&rows, features.len());
        let found = match self.kmeans.run(examples, &self.streams) {
            Err(InitialError::TooFewDistinct { distinct, .. }) => {
                KMeans { components: distinct, ..self.kmeans }.run(examples, &self.streams)
            }
            found => found,
        }?;
        let clusters = found.means.len() / features.len();
        let index = u64::from(clusters.next_power_of_two().trailing_zeros());
        let bits = Bits::new(64 * found.means.len() as u64 + index * examples.len() as u64);
        self.found[n] = Some(found);
        Ok(bits)
    }

    /// Centres and clusters of all by the grid of the clients' clusters.
    fn combine(&self) -> Result<(Vec<f64>, Vec<u32>), InitialError> {
        let examples = self.examples();
        let fits: Vec<&KMeansFit> = self.found.iter().flatten().collect();
        // Cells in the order of their clusters; each example's cell.
        let cell = |m: usize| fits.iter().map(|clustering| clustering.labels[m]).collect::<Vec<u32>>();
        let mut cells: BTreeMap<Vec<u32>, (usize, f64)> = BTreeMap::new();
        for m in 0..examples.len() {
            cells.entry(cell(m)).or_insert((0, 0.0)).1 += 1.0;
        }
        let mut rows = Vec::new();
        let mut weights = Vec::new();
        for (index, (clusters, entry)) in cells.iter_mut().enumerate() {
            let mut place = vec![0.0; examples.dimension()];
            for (n, &cluster) in clusters.iter().enumerate() {
                let features = self.table.blocks.features(n);
                let centre = &fits[n].means[cluster as usize * features.len()..];
                features.iter().zip(centre).for_each(|(&f, &x)| place[f] = x);
            }
            entry.0 = index;
            rows.extend(place);
            weights.push(entry.1);
        }
        let grid = Examples::new(&rows, examples.dimension());
        let found = self.kmeans.run_weighted(grid, &weights, &self.streams)?;
        let clusters = (0..examples.len()).map(|m| found.labels[cells[&cell(m)].0]).collect();
        Ok((found.means, clusters))
    }

    /// Mean squared distance of the examples to the centres of their clusters.
    fn inertia(&self) -> f64 {
        let examples = self.examples();
        let rows = examples.rows().chunks_exact(examples.dimension()).zip(&self.clusters);
        let distance = |(y, &cluster): (&[f64], &u32)| {
            let centre = &self.centres[cluster as usize * examples.dimension()..][..examples.dimension()];
            distance_sq(y, centre)
        };
        rows.map(distance).sum::<f64>() / examples.len() as f64
    }
}

impl Problem for KMeansRun {
    fn clients(&self) -> u32 {
        if self.vertical { self.table.blocks.len() as u32 } else { 1 }
    }

    fn total(&self) -> u64 {
        self.examples().len() as u64
    }

    fn parameter_names(&self) -> Vec<String> {
        let d = self.table.data.dimension();
        (0..self.centres.len()).map(|at| format!("mean_{}_{}", at / d, at % d)).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn clustering(&self) -> Option<&dyn Clustering> {
        Some(self)
    }
}

impl Clustering for KMeansRun {
    fn components(&self) -> usize {
        self.kmeans.components
    }

    fn labels(&self) -> Option<&[u32]> {
        self.table.data.labels()
    }

    fn classify(&self, _state: &State<'_>) -> Result<Vec<u32>> {
        Ok(self.clusters.clone())
    }

    fn model(&self) -> Option<&dyn Clusters> {
        None
    }

    /// Distances are sums of squared differences.
    fn squared(&self) -> Option<Squared<'_>> {
        None
    }
}

impl Subject for KMeansRun {
    fn problem(&self) -> &dyn Problem {
        self
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &[], theta: &self.centres }
    }

    /// The mean squared distance to the centres is what k-means lowers.
    fn probe(&self) -> Result<Probe> {
        Ok(Probe { objective: Some(self.inertia()), ..Probe::default() })
    }

    /// The mean squared distance to the centres.
    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>> {
        Ok(vec![thorough.then(|| self.inertia())])
    }

    fn caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
}

impl Collective for KMeansRun {
    fn is_central(&self) -> bool {
        !self.vertical
    }

    fn work(&self, _iteration: u64) -> u64 {
        self.total()
    }

    fn message(&mut self, client: u32, _iteration: u64) -> Result<Bits> {
        Ok(self.cluster(client as usize)?)
    }

    fn answer(&self) -> Option<Bits> {
        None
    }

    fn last(&self, _iteration: u64) -> Option<String> {
        Some("k-means: one round".to_owned())
    }

    /// Clusters, in one place or by the grid of the clients' clusters.
    fn commit(&mut self) -> Result<u64> {
        (self.centres, self.clusters) = if self.vertical {
            self.combine()?
        } else {
            let found = self.kmeans.run(self.examples(), &self.streams)?;
            (found.means, found.labels)
        };
        Ok(self.total())
    }
}
