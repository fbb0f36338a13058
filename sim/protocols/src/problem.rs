//! What a protocol solves.

use fedbits_models::ExactModel;
use fedbits_models::latent::Difference;
use fedbits_record::ClientColumn;

use crate::clustering::Clustering;
use crate::error::ProtocolError;
use crate::federation::Federation;
use crate::reference::ExactEm;
use crate::state::State;

/// What is solved, whichever algorithm solves it.
pub trait Problem {
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
    fn client_columns(&self, _state: &State<'_>) -> Result<Vec<ClientColumn>, ProtocolError> {
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
    fn differences(&self, _theta: &[f64]) -> Result<Vec<Difference>, ProtocolError> {
        Ok(Vec::new())
    }
    /// The components that examples come from, where the problem has such.
    fn clustering(&self) -> Option<&dyn Clustering> {
        None
    }
}

impl Problem for Federation {
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

    fn client_columns(&self, state: &State<'_>) -> Result<Vec<ClientColumn>, ProtocolError> {
        self.quality_of_clients(state)
    }

    fn clustering(&self) -> Option<&dyn Clustering> {
        self.model().clusters().map(|_| self as _)
    }
}
