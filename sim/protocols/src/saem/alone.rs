//! SAEM, MCEM and exact EM in one place: one client that is the server. It costs no bits; iterations take compute time only.

use fedbits_codec::Encoded;
use fedbits_kernel::{Context, Message, NodeId, Protocol, StopReason};

use super::Saem;
use crate::journal::{Journal, Round, Subject};
use crate::payload::StarPayload;
use crate::run::{Actor, Outcome, Playable, Setting};
use crate::star::{Contribution, SERVER, StarAlgorithm};
use fedbits_codec::Draw as Randomness;
use fedbits_random::CounterKey;

/// The algorithm with all subjects at one client, and no network.
pub struct Central {
    saem: Saem,
}

impl Central {
    /// `saem`: with one client and the identity on its uplink.
    pub fn new(saem: Saem) -> Self {
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

impl Playable for Central {
    fn subject(&self) -> &dyn Subject {
        &self.saem
    }

    fn play(self: Box<Self>, setting: Setting<'_>) -> Outcome {
        setting.play(|journal| Alone { central: *self, journal, iteration: 0, expectations: 0 })
    }
}

/// The algorithm in play.
struct Alone {
    central: Central,
    journal: Journal,
    iteration: u64,
    expectations: u64,
}

impl Alone {
    fn note(&mut self, context: &mut Context<StarPayload>, field_sq: Option<f64>) {
        let (number, expectations) = (self.iteration, self.expectations);
        let round = Round { number, expectations, field_sq, moved: true, ..Round::default() };
        match self.journal.note(context, &self.central.saem, round) {
            Some(reason) => context.stop(reason),
            None => {
                let work = self.central.saem.work(0, self.iteration + 1);
                self.expectations += work;
                context.compute(SERVER, work);
            }
        }
    }
}

impl Actor<StarPayload> for Alone {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.central.saem, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}

impl Protocol<StarPayload> for Alone {
    fn start(&mut self, context: &mut Context<StarPayload>) {
        self.note(context, None);
    }

    fn on_computed(&mut self, context: &mut Context<StarPayload>, _node: NodeId) {
        self.iteration += 1;
        match self.central.step(self.iteration) {
            Ok(field_sq) => self.note(context, Some(field_sq)),
            Err(why) => context.stop(StopReason::Failed(format!("iteration {}: {why}", self.iteration))),
        }
    }

    fn on_message(&mut self, _context: &mut Context<StarPayload>, _message: Message<StarPayload>) {
        unreachable!("an algorithm in one place sends nothing");
    }

    fn on_timer(&mut self, _context: &mut Context<StarPayload>, _tag: u64) {
        unreachable!("an algorithm in one place sets no timer");
    }

    fn on_dropout(&mut self, _context: &mut Context<StarPayload>, _node: NodeId) {
        unreachable!("the server does not drop out");
    }
}
