//! An algorithm in one place, running: node 0 computes, nothing is sent; an iteration takes its compute time.
//!
//! What is computed is an [`AloneAlgorithm`].

use fedbits_kernel::{Bits, Context, Message, NodeId, Payload, Protocol, StopReason};
use fedbits_random::Streams;

use crate::error::Result;
use crate::journal::{Journal, Round, Subject};
use crate::run::{Driver, Outcome, Runnable, Stage};
use crate::star::SERVER;

/// What travels: there is no such message.
enum Nothing {}

impl Payload for Nothing {
    const PURPOSES: &'static [&'static str] = &[];

    fn bits(&self) -> Bits {
        match *self {}
    }
}

/// An algorithm that works on all data in one place.
pub trait AloneAlgorithm {
    /// What the journal looks at.
    fn subject(&self) -> &dyn Subject;
    /// Conditional expectations of iteration k = 1, 2, …, asked before it is made.
    fn work(&self, iteration: u64) -> u64;
    /// Iteration k; ‖H‖² of its step.
    ///
    /// # Errors
    /// When the state leaves the domain of the algorithm.
    fn iterate(&mut self, streams: &Streams, iteration: u64) -> Result<f64>;
}

/// An algorithm in one place before its start.
pub struct AloneRun<A>(pub A);

impl<A: AloneAlgorithm> Runnable for AloneRun<A> {
    fn subject(&self) -> &dyn Subject {
        self.0.subject()
    }

    fn run(mut self: Box<Self>, stage: Stage<'_>, journal: Journal) -> Outcome {
        stage.run(&mut Alone { algorithm: &mut self.0, journal, iteration: 0, expectations: 0 })
    }
}

/// The algorithm running.
struct Alone<'a> {
    algorithm: &'a mut dyn AloneAlgorithm,
    journal: Journal,
    iteration: u64,
    expectations: u64,
}

impl Alone<'_> {
    fn note(&mut self, context: &mut Context<Nothing>, field_sq: Option<f64>) {
        let (number, expectations) = (self.iteration, self.expectations);
        let round = Round { number, expectations, field_sq, moved: true, ..Round::default() };
        match self.journal.note(context, self.algorithm.subject(), round) {
            Some(reason) => context.stop(reason),
            None => {
                let work = self.algorithm.work(self.iteration + 1);
                self.expectations += work;
                context.compute(SERVER, work);
            }
        }
    }
}

impl Driver<Nothing> for Alone<'_> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (self.algorithm.subject(), &mut self.journal)
    }
}

impl Protocol<Nothing> for Alone<'_> {
    fn start(&mut self, context: &mut Context<Nothing>) {
        self.note(context, None);
    }

    fn on_computed(&mut self, context: &mut Context<Nothing>, _node: NodeId) {
        self.iteration += 1;
        match self.algorithm.iterate(context.streams(), self.iteration) {
            Ok(field_sq) => self.note(context, Some(field_sq)),
            Err(why) => context.stop(StopReason::Failed(format!("iteration {}: {why}", self.iteration))),
        }
    }

    fn on_message(&mut self, _context: &mut Context<Nothing>, message: Message<Nothing>) {
        match message.payload {}
    }
}
