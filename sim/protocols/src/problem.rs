//! What a protocol solves, and what is looked at while it runs.

use fedbits_models::ExactModel;
use fedbits_models::latent::Difference;
use fedbits_record::{ClientColumn, RunTable};
use fedbits_spec::Caveat;

pub use crate::clustering::{Clustering, Squared};
use crate::error::Result;
use crate::federation::Federation;
use crate::reference::ExactEm;
use crate::state::{Probe, State};

/// What is solved, whichever algorithm solves it.
pub trait Problem {
    /// n, the number of clients or nodes.
    fn clients(&self) -> u32;
    /// N, the number of all examples: this many conditional expectations are an epoch.
    fn total(&self) -> u64;
    /// One name per entry of θ.
    fn parameter_names(&self) -> Vec<String>;
    /// One name per entry of Ŝ.
    fn statistic_names(&self) -> Vec<String>;
    /// Number of the examples (subjects) of client `i`; none where clients hold no examples of their own.
    fn examples_of(&self, i: u32) -> Option<u64> {
        self.federation().map(|federation| u64::from(federation.size(i)))
    }
    /// The federation, where the problem is a model in expectation form on data split by examples.
    fn federation(&self) -> Option<&Federation> {
        None
    }
    /// The model, where it is one in expectation form on examples.
    fn model(&self) -> Option<&dyn ExactModel> {
        self.federation().map(Federation::model)
    }
    /// Exact EM on all data in one place, where the problem has it.
    fn exact(&self) -> Option<&dyn ExactEm> {
        None
    }
    /// Has each client parameters of its own, so that an example that belongs to no client has no density?
    fn is_personalized(&self) -> bool {
        false
    }
    /// What a state is worth to each client, as far as its own examples tell: columns of `clients.csv`.
    ///
    /// # Errors
    /// When the state has no density.
    fn client_columns(&self, _state: &State<'_>) -> Result<Vec<ClientColumn>> {
        Ok(Vec::new())
    }
    /// The variances in θ that T finds as differences of squares, each with the square that is subtracted, where no
    /// components of examples have them ([`Problem::clustering`]).
    fn squares(&self, _theta: &[f64]) -> Vec<[f64; 2]> {
        Vec::new()
    }
    /// The same variances after an EM step from θ.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn differences(&self, _theta: &[f64]) -> Result<Vec<Difference>> {
        Ok(Vec::new())
    }
    /// The components that examples come from, where the problem has such.
    fn clustering(&self) -> Option<&dyn Clustering> {
        None
    }
}

impl Problem for Federation {
    fn clients(&self) -> u32 {
        self.clients()
    }

    fn total(&self) -> u64 {
        self.total()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.model().parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.model().statistic_names()
    }

    fn federation(&self) -> Option<&Federation> {
        Some(self)
    }

    fn exact(&self) -> Option<&dyn ExactEm> {
        Some(self)
    }

    fn client_columns(&self, state: &State<'_>) -> Result<Vec<ClientColumn>> {
        self.quality_of_clients(state)
    }

    fn clustering(&self) -> Option<&dyn Clustering> {
        self.model().clusters().map(|_| self as _)
    }
}

/// What the journal looks at: a protocol's problem, its state, and what it adds to the record. Looking changes nothing.
pub trait Subject {
    /// The problem that it solves.
    fn problem(&self) -> &dyn Problem;
    /// n, the clients or nodes that take part: those with data, unless others pass messages on.
    fn clients(&self) -> u32 {
        self.problem().clients()
    }
    /// Ŝ and θ now.
    fn state(&self) -> State<'_>;
    /// A full pass over all data at the present state: costs neither bits nor virtual time nor draws.
    ///
    /// # Errors
    /// When the state has no density.
    fn probe(&self) -> Result<Probe>;
    /// Does a probe find the objective of each client ([`Probe::objective_worst_tenth`])?
    fn measures_clients(&self) -> bool {
        false
    }
    /// Does θ stay as it is for a while, whatever is computed, so that a value that stays says nothing?
    fn is_silent(&self) -> bool {
        false
    }
    /// Names of the protocol's own columns, which follow all others.
    fn columns(&self) -> Vec<String>;
    /// Their values now; `thorough` on probed rounds, when work over all clients may be done.
    ///
    /// # Errors
    /// When an invariant that the protocol claims does not hold.
    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>>;
    /// Tables that the finished run leaves beside the common ones; none by default.
    ///
    /// # Errors
    /// When the final state has none although it should.
    fn tables(&self) -> Result<Vec<RunTable>> {
        Ok(Vec::new())
    }
    /// Further columns of `clients.csv`, a value for each client: what the protocol alone knows of them and, if it
    /// `assesses`, what the state is worth to each, as far as its own examples tell.
    ///
    /// # Errors
    /// When the state has no density.
    fn client_columns(&self, assesses: bool) -> Result<Vec<ClientColumn>> {
        if assesses { self.problem().client_columns(&self.state()) } else { Ok(Vec::new()) }
    }
    /// What a reader of the finished run must know before trusting it.
    fn caveats(&self) -> Vec<Caveat>;
}

/// What a protocol reports of a round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Number of the round; 0 is the state before the first.
    pub number: u64,
    /// Conditional expectations so far.
    pub expectations: u64,
    /// Clients asked in the round.
    pub selected: u64,
    /// Contributions that the round's step took in.
    pub arrived: u64,
    /// Clients that had neither delivered nor been lost when the round closed: selected = arrived + late + lost. None
    /// where late contributions count (asynchronous and buffered steps, `Late::Apply`): who is then still at work
    /// arrives or is lost later, so that the sum of selected is the sum of arrived + lost and those at work at the end.
    pub late: u64,
    /// Clients that dropped out, or whose broadcast or upload was lost, before the round closed.
    pub lost: u64,
    /// ‖H‖² of the step that ended the round.
    pub field_sq: Option<f64>,
    /// Did Ŝ change?
    pub moved: bool,
    /// Does the protocol end with it by a rule of its own? Then it is probed.
    pub ends: bool,
}

impl Round {
    /// A round in which all of so many clients take part; `ends`: the protocol ends with it by itself.
    pub(crate) fn of_all(clients: u32, number: u64, expectations: u64, ends: bool) -> Self {
        let moved = number > 0;
        let clients = if moved { u64::from(clients) } else { 0 };
        Self { number, expectations, selected: clients, arrived: clients, moved, ends, ..Self::default() }
    }
}

/// Rounds in which somebody was asked, and how many of them failed for want of contributions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FailingRounds {
    pub(crate) rounds: u64,
    pub(crate) failed: u64,
}
