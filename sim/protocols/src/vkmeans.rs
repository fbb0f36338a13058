//! k-means as a baseline of VP-EM: in one place, and from data divided by features (Ding, Liu, Huang and Li, ICML
//! 2016).
//!
//! Vertical: client n clusters its own features into K_n, that is K or, if they are fewer, as many as its rows differ,
//! and sends its centres (64 · K_n · d_n bits) and the cluster of every example (M · ⌈log₂ K_n⌉ bits). The server forms
//! the grid of intersections (at most Π K_n cells that are not empty; a cell's place is put together of the clients'
//! centres, its weight is the number of its examples) and clusters the cells with weighted k-means. One round. The
//! abstract of the paper was read; details are our reading.

use std::collections::BTreeMap;

use fedbits_kernel::{Bits, Context, Message, NodeId, Payload, Protocol, Purpose, StopReason};
use fedbits_models::Examples;
use fedbits_models::clusters;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_models::initial::{self, InitialError, KMeans, sample_mean};
use fedbits_random::Streams;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Described};
use serde::{Deserialize, Serialize};

use crate::clustering::{Clustering, Squared};
use crate::error::ProtocolError;
use crate::footprint::{Part, Sizes};
use crate::journal::{Journal, Round, Subject};
use crate::over::{Built, Over, Table};
use crate::problem::Problem;
use crate::run::{Driver, Outcome, Runnable, Stage};
use crate::setting::ProtocolSetting;
use crate::star::SERVER;
use crate::state::{Probe, State};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 1] = ["inertia"];

/// k-means, in one place or from data divided by features (Ding et al. 2016): a baseline of one round. Its number of
/// clusters is that of the model's components.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "KMeans")]
pub struct KMeansBaseline {
    /// Whether features are divided over clients (`partition: EvenFeatures` or `Features([…])`); otherwise all is in
    /// one place.
    pub vertical: bool,
    /// Lloyd iterations at most.
    #[serde(default = "three_hundred")]
    #[range(whole(1, 10_000))]
    pub iterations: usize,
    /// Independent attempts, the best kept.
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
    /// After one round.
    fn ends_itself(&self) -> bool {
        true
    }

    fn over(&self) -> Over<'_> {
        Over::Table(Box::new(|table, run| Ok(Built::new(KMeansRun::new(table, *self, run.streams)))))
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(COLUMNS.to_vec())
    }

    fn other_objective(&self) -> Option<&'static str> {
        Some("k-means")
    }

    fn is_centralized(&self) -> bool {
        !self.vertical
    }

    fn copes_with_constants(&self) -> bool {
        true
    }

    fn memory(&self, _sizes: &Sizes) -> Vec<Part> {
        Vec::new()
    }

    fn examples() -> Vec<Self> {
        [false, true].map(|vertical| Self { vertical, iterations: three_hundred(), restarts: 2 }).to_vec()
    }
}

/// Where the data are.
enum Place {
    /// In one place.
    Central,
    /// Divided by features over clients.
    Vertical(FeatureBlocks),
}

/// Own clusters of the clients that have them.
type Own = Vec<Option<initial::KMeansFit>>;

/// k-means, ready to be run.
pub struct KMeansRun {
    table: Table,
    place: Place,
    kmeans: KMeans,
    streams: Streams,
    own: Own,
    centres: Vec<f64>,
    clusters: Vec<u32>,
}

impl KMeansRun {
    /// Before the start all centres are the mean of the examples.
    pub fn new(table: Table, setting: KMeansBaseline, streams: Streams) -> Self {
        let KMeansBaseline { vertical, iterations, restarts } = setting;
        // scikit-learn's rule of when centres rest.
        let kmeans = KMeans { components: table.components, iterations, restarts, tolerance: 1e-4 };
        let place = if vertical { Place::Vertical(table.blocks.clone()) } else { Place::Central };
        let centres = sample_mean(table.examples()).repeat(table.components);
        let clusters = vec![0; table.examples().len()];
        let own = vec![None; table.blocks.len()];
        Self { table, place, kmeans, streams, own, centres, clusters }
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
        self.own[n] = Some(found);
        Ok(bits)
    }

    /// Clusters, centrally or by the grid of the clients' clusters.
    fn solve(&mut self) -> Result<(), InitialError> {
        let (centres, clusters) = match &self.place {
            Place::Central => {
                let found = self.kmeans.run(self.examples(), &self.streams)?;
                (found.means, found.labels)
            }
            Place::Vertical(blocks) => self.vertical(blocks)?,
        };
        (self.centres, self.clusters) = (centres, clusters);
        Ok(())
    }

    fn vertical(&self, blocks: &FeatureBlocks) -> Result<(Vec<f64>, Vec<u32>), InitialError> {
        let examples = self.examples();
        let own: Vec<&initial::KMeansFit> = self.own.iter().flatten().collect();
        // Cells in the order of their clusters; each example's cell.
        let cell = |m: usize| own.iter().map(|clustering| clustering.labels[m]).collect::<Vec<u32>>();
        let mut cells: BTreeMap<Vec<u32>, (usize, f64)> = BTreeMap::new();
        for m in 0..examples.len() {
            cells.entry(cell(m)).or_insert((0, 0.0)).1 += 1.0;
        }
        let mut rows = Vec::new();
        let mut weights = Vec::new();
        for (index, (clusters, entry)) in cells.iter_mut().enumerate() {
            let mut place = vec![0.0; examples.dimension()];
            for (n, &cluster) in clusters.iter().enumerate() {
                let features = blocks.features(n);
                let centre = &own[n].means[cluster as usize * features.len()..];
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
            y.iter().zip(centre).map(|(y, c)| (y - c) * (y - c)).sum::<f64>()
        };
        rows.map(distance).sum::<f64>() / examples.len() as f64
    }
}

impl Problem for KMeansRun {
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

    fn classify(&self, _state: &State<'_>) -> Result<Vec<u32>, ProtocolError> {
        Ok(self.clusters.clone())
    }

    fn model(&self) -> Option<&dyn clusters::Clusters> {
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

    fn clients(&self) -> u32 {
        match &self.place {
            Place::Central => 1,
            Place::Vertical(blocks) => blocks.len() as u32,
        }
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &[], theta: &self.centres }
    }

    /// The mean squared distance to the centres is what k-means lowers.
    fn probe(&self) -> Result<Probe, ProtocolError> {
        Ok(Probe { objective: Some(self.inertia()), ..Probe::default() })
    }

    /// The mean squared distance to the centres.
    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        Ok(vec![thorough.then(|| self.inertia())])
    }

    fn caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
}

impl Runnable for KMeansRun {
    fn subject(&self) -> &dyn Subject {
        self
    }

    fn run(self: Box<Self>, stage: Stage<'_>) -> Outcome {
        stage.run(|journal| OneRound { run: *self, journal, arrived: 0 })
    }
}

/// The centres and clusters of one client.
#[derive(Clone, Copy, Debug)]
pub struct Clusters(Bits);

impl Payload for Clusters {
    const PURPOSES: &'static [&'static str] = &["terms"];

    fn bits(&self) -> Bits {
        self.0
    }
}

/// k-means running: all compute, clients send, the server has the result.
struct OneRound {
    run: KMeansRun,
    journal: Journal,
    arrived: u32,
}

impl OneRound {
    fn finish(&mut self, context: &mut Context<Clusters>) {
        if let Err(error) = self.run.solve() {
            return context.stop(StopReason::Failed(error.to_string()));
        }
        let clients = u64::from(self.run.clients());
        let (number, expectations) = (1, self.run.total());
        let round = Round {
            number,
            expectations,
            selected: clients,
            arrived: clients,
            moved: true,
            ends: true,
            ..Round::default()
        };
        let reason = self.journal.note(context, &self.run, round);
        context.stop(reason.unwrap_or_else(|| StopReason::Reached("k-means: one round".to_owned())));
    }
}

impl Protocol<Clusters> for OneRound {
    fn start(&mut self, context: &mut Context<Clusters>) {
        if let Some(reason) = self.journal.note(context, &self.run, Round::default()) {
            return context.stop(reason);
        }
        let work = self.run.total();
        match &self.run.place {
            Place::Central => context.compute(SERVER, work),
            Place::Vertical(blocks) => (1..=blocks.len() as u32).for_each(|n| context.compute(NodeId(n), work)),
        }
    }

    fn on_computed(&mut self, context: &mut Context<Clusters>, node: NodeId) {
        match &self.run.place {
            Place::Central => self.finish(context),
            Place::Vertical(_) => match self.run.cluster(node.0 as usize - 1) {
                Ok(bits) => {
                    context.send(Message { from: node, to: SERVER, purpose: Purpose(0), payload: Clusters(bits) });
                }
                Err(error) => context.stop(StopReason::Failed(error.to_string())),
            },
        }
    }

    fn on_message(&mut self, context: &mut Context<Clusters>, _message: Message<Clusters>) {
        self.arrived += 1;
        if self.arrived == self.run.clients() {
            self.finish(context);
        }
    }

    fn on_timer(&mut self, context: &mut Context<Clusters>, _tag: u64) {
        context.stop(StopReason::Failed("a timer rang in k-means, which sets none".to_owned()));
    }

    fn on_dropout(&mut self, context: &mut Context<Clusters>, node: NodeId) {
        context.stop(StopReason::Failed(format!("client {} dropped out with its features", node.0 - 1)));
    }
}

impl Driver<Clusters> for OneRound {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.run, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}
