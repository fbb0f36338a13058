//! What protocols work on, a kind of problem each, and what is built of a protocol on its problem.

use std::fmt::Display;
use std::sync::Arc;

use fedbits_models::Examples;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::FeatureBlocks;
use fedbits_models::low_rank::LowRank;
use fedbits_random::Streams;
use fedbits_spec::{Caveat, Finding};

use crate::error::ProtocolError;
use crate::federation::Federation;
use crate::neighbours::graph::Graph;
use crate::partition::Partitioned;
use crate::plan::{RoundPolicy, Staleness};
use crate::run::Runnable;
use crate::saem::panel::Panel;
use crate::star::{Rounds, StarAlgorithm, StarRun};
use crate::strings::Strings;
use crate::theory;

/// Builds a protocol on a problem.
pub type Build<'a, P> = Box<dyn FnOnce(P, &RunSettings) -> Result<Built, BuildError> + 'a>;

/// What a protocol works on, with its construction there.
pub enum Over<'a> {
    /// Examples of clients of a server, or in one place, under a model in expectation form.
    Examples(Build<'a, ExamplesOf>),
    /// Examples of agents on a graph, under a model in expectation form.
    PeerExamples(Build<'a, (ExamplesOf, Graph)>),
    /// Counts by site and time of clients of a server, with a low-rank matrix behind them.
    Counts(Build<'a, CountsOf>),
    /// Subjects of clients of a server, or in one place, whose latent variables are sampled.
    Subjects(Build<'a, SubjectsOf>),
    /// A table that is clustered, in one place or by the features of clients of a server.
    Table(Build<'a, Table>),
    /// Features of clients of a server, under a mixture.
    Features(Build<'a, FeaturesOf>),
    /// Features of agents on a graph, under a mixture.
    PeerFeatures(Build<'a, (FeaturesOf, Graph)>),
}

impl<'a> Over<'a> {
    /// Over examples: `build` makes the run.
    pub fn examples(build: impl FnOnce(ExamplesOf, &RunSettings) -> Result<Built, BuildError> + 'a) -> Self {
        Self::Examples(Box::new(build))
    }

    /// Are there agents on a graph, and no server?
    #[must_use]
    pub fn is_among_peers(&self) -> bool {
        matches!(self, Self::PeerExamples(_) | Self::PeerFeatures(_))
    }

    /// Are features divided, of examples that everybody has?
    #[must_use]
    pub fn is_by_feature(&self) -> bool {
        matches!(self, Self::Table(_) | Self::Features(_) | Self::PeerFeatures(_))
    }

    /// Are latent variables sampled?
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        matches!(self, Self::Subjects(_))
    }

    /// Are there rounds of a server that closes them, whoever is missing?
    #[must_use]
    pub fn has_rounds(&self) -> bool {
        matches!(self, Self::Examples(_) | Self::Counts(_) | Self::Subjects(_))
    }
}

/// A federation, and where the fit starts.
pub struct ExamplesOf {
    /// Who holds which examples, and the model.
    pub federation: Federation,
    /// θ₀.
    pub theta: Vec<f64>,
    /// Ŝ₀ = s̄(θ₀), q numbers. Algorithms on statistics begin at it, and at θ = T(Ŝ₀).
    pub s_hat: Vec<f64>,
}

/// What is known of the times, for the record.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Names of the L times.
    pub times: Vec<String>,
    /// Sites with an observation, per time.
    pub observed: Vec<u64>,
    /// θ*, where it is known.
    pub truth: Option<Vec<f64>>,
}

/// Counts, and where the fit starts.
pub struct CountsOf {
    /// Who holds which counts: rows (site, time, count).
    pub data: Partitioned,
    /// The model.
    pub model: LowRank,
    /// θ₀.
    pub theta: Vec<f64>,
    /// What the record says of times.
    pub catalogue: Catalogue,
}

/// Subjects, and where the fit starts.
pub struct SubjectsOf {
    /// Who holds which subjects, and the model.
    pub panel: Panel,
    /// θ₀.
    pub theta: Vec<f64>,
}

/// Examples that are clustered.
#[derive(Clone, Debug)]
pub struct Table {
    /// The examples, which the arms of a scenario share.
    pub data: Arc<DataSet>,
    /// K, the number of clusters or components.
    pub components: usize,
    /// The features of every client.
    pub blocks: FeatureBlocks,
}

impl Table {
    /// The examples.
    #[must_use]
    pub fn examples(&self) -> Examples<'_> {
        self.data.examples()
    }
}

/// Examples whose features are divided, and where the fit of a mixture starts.
pub struct FeaturesOf {
    /// The examples.
    pub table: Table,
    /// Where the fit starts.
    pub start: Start,
    /// The θ that generated the data, where it is known.
    pub truth: Option<Vec<f64>>,
}

/// A start of a mixture.
pub enum Start {
    /// The component of every example.
    Labels(Vec<u32>),
    /// Weights and means, a row of d numbers per component, with the covariance of all examples.
    Means(Vec<f64>, Vec<f64>),
    /// θ₀ of the whole mixture with full covariances.
    Theta(Vec<f64>),
}

/// What a run is beside its protocol and its problem.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// When rounds close, and who takes part.
    pub rounds: Rounds,
    /// What a contribution counts that answers an older broadcast.
    pub staleness: Staleness,
    /// Is every message checked bit by bit, and not a sample?
    pub audit: bool,
    /// Where the bit strings of messages are left for a network that carries them.
    pub strings: Option<Strings>,
    /// Where draws come from.
    pub streams: Streams,
}

impl RunSettings {
    /// n p: who is selected, times who can be selected.
    #[must_use]
    pub fn expected(&self, clients: u32) -> f64 {
        // Intervals that do not repeat have no share of all time: a caveat says that fewer may be there.
        let available = self.rounds.availability.share(clients as usize).unwrap_or(1.0);
        let selected = self.rounds.participation.expected(clients, available);
        match self.rounds.policy {
            RoundPolicy::First(m) | RoundPolicy::Buffered(m) => selected.min(f64::from(m)),
            RoundPolicy::WaitForAll | RoundPolicy::Deadline(_) => selected,
            RoundPolicy::Asynchronous => 1.0,
        }
    }

    /// The run of a star protocol.
    pub fn star<A: StarAlgorithm>(&self, algorithm: A) -> StarRun<A> {
        StarRun::new(algorithm, self.rounds.clone(), self.audit).carrying(self.strings.clone())
    }
}

/// A protocol that is ready to be run.
pub struct Built {
    /// It.
    pub protocol: Box<dyn Runnable>,
    /// Caveats that only the problem could tell.
    pub caveats: Vec<Caveat>,
    /// What the theory of FedEM needs to know, for the protocols that it is about.
    pub theory: Option<theory::Premises>,
    /// What the theory of gradient methods needs to know, for the protocols that it is about.
    pub descent: Option<theory::descent::DescentPremises>,
}

impl Built {
    /// Without caveats and theory.
    pub fn new(protocol: impl Runnable + 'static) -> Self {
        Self { protocol: Box::new(protocol), caveats: Vec::new(), theory: None, descent: None }
    }
}

/// Why a protocol cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// It does not fit its problem.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A value of the scenario does not fit the problem.
    #[error("{}: {}", .0.message, .0.expected)]
    Misfit(Finding),
}

impl BuildError {
    /// The value at a path of the scenario does not fit.
    pub fn misfit(path: impl Display, message: impl ToString, expected: impl Into<String>) -> Self {
        Self::Misfit(Finding::error(path, message.to_string(), expected))
    }
}
