//! SAEM, MCEM and exact EM in one place: one client that is the server. It costs no bits; iterations take compute time
//! only.

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_random::{CounterKey, Streams};

use super::Saem;
use crate::alone::AloneAlgorithm;
use crate::error::Result;
use crate::journal::Subject;
use crate::star::{Contribution, Halves, Outgoing};

/// The algorithm with all subjects at one client, and no network.
pub struct Central {
    halves: Halves<Saem>,
}

impl Central {
    /// `saem`: with the identity on its uplink.
    ///
    /// # Panics
    /// Unless it has one client.
    pub fn new(saem: Saem) -> Self {
        assert_eq!(saem.panel.clients(), 1, "everything is in one place");
        Self { halves: Halves::new(saem, false) }
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        self.halves.server.theta()
    }

    /// One iteration, counted from 1: ‖H‖² of its step.
    ///
    /// # Errors
    /// As for a client's and the server's half.
    pub fn step(&mut self, iteration: u64) -> Result<f64> {
        let Halves { algorithm, server, clients, counts, .. } = &mut self.halves;
        let (theta, client) = (server.theta().to_vec(), &mut clients[0]);
        let x = algorithm.local_vector((0, client), iteration, &theta, counts)?;
        let mut encoded = Encoded::new();
        // The identity draws nothing: any key will do.
        let randomness = Randomness::Keyed(CounterKey::new(0));
        let mut scratch = Vec::new();
        let compressor = algorithm.uplink.compressor();
        let mut out = Outgoing::plain(compressor, randomness, &mut encoded, counts, &mut scratch);
        algorithm.local_encode((0, client), &x, (&theta[..], iteration), &mut out)?;
        let arrived = [Contribution { client: 0, encoded: Box::new(encoded), age: 0 }];
        Ok(algorithm.server_step(server, iteration, &arrived, counts)?.field_sq)
    }
}

impl AloneAlgorithm for Central {
    fn subject(&self) -> &dyn Subject {
        &self.halves
    }

    fn work(&self, iteration: u64) -> u64 {
        self.halves.algorithm.evaluations(0, iteration)
    }

    fn iterate(&mut self, _streams: &Streams, iteration: u64) -> Result<f64> {
        self.step(iteration)
    }
}
