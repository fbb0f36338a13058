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
        &self.halves.server.theta
    }

    /// One iteration, counted from 1: ‖H‖² of its step.
    ///
    /// # Errors
    /// As for a client's and the server's half.
    pub fn step(&mut self, iteration: u64) -> Result<f64> {
        let Halves { algorithm, server, clients, memories, counts, .. } = &mut self.halves;
        let (theta, client, streams) = (server.theta.clone(), &mut clients[0], algorithm.streams);
        let x = algorithm.local_vector((0, client), iteration, &theta, counts)?;
        let (mut encoded, mut scratch) = (Encoded::new(), Vec::new());
        // The identity draws nothing: any key will do.
        let randomness = Randomness::Keyed(CounterKey::new(0));
        let out = Outgoing::plain(algorithm.uplink.compressor(), randomness, &mut encoded, counts, &mut scratch);
        let mut out = out.remembering(&algorithm.uplink, &mut memories[0]);
        algorithm.local_encode((0, client), &x, (&theta[..], iteration), &mut out)?;
        let arrived = [Contribution { client: 0, encoded: Box::new(encoded), age: 0 }];
        let (algorithm, server, mut wire) = self.halves.at_server(&streams, iteration);
        Ok(algorithm.server_step(server, &mut wire, &arrived)?.field_sq)
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
