//! SAEM, MCEM and exact EM in one place: one client that is the server. It costs no bits; iterations take compute time only.

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_random::{CounterKey, Streams};

use super::Saem;
use crate::alone::AloneAlgorithm;
use crate::journal::Subject;
use crate::star::{Contribution, StarAlgorithm};

/// The algorithm with all subjects at one client, and no network.
pub struct Central {
    saem: Saem,
}

impl Central {
    /// `saem`: with the identity on its uplink.
    ///
    /// # Panics
    /// Unless it has one client.
    pub fn new(saem: Saem) -> Self {
        assert_eq!(saem.panel.clients(), 1, "everything is in one place");
        Self { saem }
    }

    /// The algorithm, to look at its state.
    pub fn saem(&self) -> &Saem {
        &self.saem
    }

    /// One iteration, counted from 1: ‖H‖² of its step.
    ///
    /// # Errors
    /// As for a client's and the server's half.
    pub fn step(&mut self, iteration: u64) -> Result<f64, String> {
        let theta = self.saem.theta.clone();
        let x = self.saem.local_vector(0, iteration, &theta)?;
        let mut encoded = Encoded::new();
        // The identity draws nothing: any key will do.
        self.saem.local_encode(0, &x, &theta, Randomness::Keyed(CounterKey::new(0)), &mut encoded)?;
        let step =
            self.saem.server_step(iteration, &[Contribution { client: 0, encoded: Box::new(encoded), age: 0 }])?;
        Ok(step.field_sq)
    }
}

impl AloneAlgorithm for Central {
    fn subject(&self) -> &dyn Subject {
        &self.saem
    }

    fn work(&self, iteration: u64) -> u64 {
        self.saem.work(0, iteration)
    }

    fn iterate(&mut self, _streams: &Streams, iteration: u64) -> Result<f64, String> {
        self.step(iteration)
    }
}
