//! What is looked at while a protocol runs.

use fedbits_record::{ClientColumn, RunTable};
use fedbits_spec::Caveat;

use crate::error::ProtocolError;
use crate::problem::Problem;
use crate::state::{Probe, State};

/// What the journal looks at: a protocol's problem, its state, and what it adds to the record. Looking changes nothing.
pub trait Subject {
    /// The problem that it solves.
    fn problem(&self) -> &dyn Problem;
    /// n, the number of clients or nodes.
    fn clients(&self) -> u32;
    /// Ŝ and θ now.
    fn state(&self) -> State<'_>;
    /// A full pass over all data at the present state: costs neither bits nor virtual time nor draws.
    ///
    /// # Errors
    /// When the state has no density.
    fn probe(&self) -> Result<Probe, ProtocolError>;
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
    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError>;
    /// Tables that the finished run leaves beside the common ones; none by default.
    ///
    /// # Errors
    /// When the final state has none although it should.
    fn tables(&self) -> Result<Vec<RunTable>, ProtocolError> {
        Ok(Vec::new())
    }
    /// Further columns of `clients.csv`, a value for each client: what the protocol alone knows of them.
    ///
    /// # Errors
    /// When the final state has none although it should.
    fn client_columns(&self) -> Result<Vec<ClientColumn>, ProtocolError> {
        Ok(Vec::new())
    }
    /// What the state is worth to each client, as far as its own examples tell: columns of `clients.csv`.
    ///
    /// # Errors
    /// When the state has no density.
    fn quality_of_clients(&self) -> Result<Vec<ClientColumn>, ProtocolError> {
        self.problem().client_columns(&self.state())
    }
    /// What a reader of the finished run must know before trusting it.
    fn caveats(&self) -> Vec<Caveat>;
}
