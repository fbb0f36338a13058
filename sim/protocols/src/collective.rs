//! Iterations in which a server needs a message of every client: it gathers one from each, and answers all of them.
//!
//! A client computes and sends; when the server has the messages of all clients it sends the answer to each, which
//! begins its next iteration at once. So clients are at most one iteration apart. Without an answer there is one
//! iteration. Node 0 is the server, node n + 1 client n. What is computed is a [`Collective`].

use std::collections::BTreeMap;

use fedbits_kernel::{Bits, Context, Message, NodeId, Payload, Protocol, Purpose, StopReason, TimeDelta};

use crate::error::{AGAINST_LOSSES, Result};
use crate::journal::{Journal, Round, Subject};
use crate::run::{Driver, Outcome, Runnable, Stage};
use crate::star::{SERVER, failed};

/// An algorithm that needs a message of every client in each iteration.
pub trait Collective: Subject {
    /// Is all in one place? Then the server computes, and nothing is sent.
    fn is_central(&self) -> bool {
        false
    }
    /// Units of work of every client in an iteration.
    fn work(&self, iteration: u64) -> u64;
    /// The first client begins an iteration: called once each, in order.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn begin(&mut self, _iteration: u64) -> Result<()> {
        Ok(())
    }
    /// A client has computed; returns the bits of its message.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn message(&mut self, client: u32, iteration: u64) -> Result<Bits>;
    /// The bits of the server's answer to each client in the iteration that was begun last; none if it does not answer.
    fn answer(&self) -> Option<Bits>;
    /// Why an iteration that has begun is the last one, if it is.
    fn last(&self, iteration: u64) -> Option<String>;
    /// All have finished an iteration; returns the conditional expectations so far.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn commit(&mut self) -> Result<u64>;
}

/// A collective algorithm before its start.
pub struct CollectiveRun<A>(pub A);

impl<A: Collective> Runnable for CollectiveRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.0
    }

    fn run(mut self: Box<Self>, stage: Stage<'_>, journal: Journal) -> Outcome {
        let Self(algorithm) = &mut *self;
        let (at, arrived, finished) =
            (vec![0; algorithm.problem().clients() as usize], BTreeMap::new(), BTreeMap::new());
        stage.run(&mut Gathering { algorithm, journal, at, begun: 0, arrived, finished, stepping: None })
    }
}

/// A message of a client, or the answer; what it says is known to the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms {
    iteration: u64,
    bits: Bits,
}

const ANSWER: Purpose = Purpose(0);
const TERMS: Purpose = Purpose(1);

impl Payload for Terms {
    const PURPOSES: &'static [&'static str] = &["broadcast", "terms"];

    fn bits(&self) -> Bits {
        self.bits
    }
}

/// The algorithm running.
struct Gathering<'a> {
    algorithm: &'a mut dyn Collective,
    journal: Journal,
    /// The iteration of every client, and the largest of them.
    at: Vec<u64>,
    begun: u64,
    /// Messages that the server has got, and clients that have their answer, by iteration.
    arrived: BTreeMap<u64, u32>,
    finished: BTreeMap<u64, u32>,
    /// What the server will answer, while its step takes time.
    stepping: Option<u64>,
}

impl Gathering<'_> {
    fn note(&mut self, context: &mut Context<Terms>, number: u64, expectations: u64, ends: bool) {
        let round = Round::of_all(self.algorithm.problem().clients(), number, expectations, ends);
        if let Some(reason) = self.journal.note(context, self.algorithm, round) {
            context.stop(reason);
        }
    }

    fn enter(&mut self, context: &mut Context<Terms>, client: u32) {
        let iteration = self.at[client as usize] + 1;
        self.at[client as usize] = iteration;
        if self.begun < iteration {
            self.begun = iteration;
            if let Err(why) = self.algorithm.begin(iteration) {
                return context.stop(failed(&why));
            }
        }
        let node = if self.algorithm.is_central() { SERVER } else { NodeId(client + 1) };
        context.compute(node, self.algorithm.work(iteration));
    }

    /// The server has made its step: it answers, or the iteration ends with that.
    fn answer(&mut self, context: &mut Context<Terms>, iteration: u64) {
        let Some(bits) = self.algorithm.answer() else { return self.complete(context, iteration) };
        let payload = Terms { iteration, bits };
        for client in 0..self.algorithm.problem().clients() {
            context.send(Message { from: SERVER, to: NodeId(client + 1), purpose: ANSWER, payload });
        }
    }

    /// Everybody has finished an iteration.
    fn complete(&mut self, context: &mut Context<Terms>, iteration: u64) {
        let last = self.algorithm.last(iteration);
        match self.algorithm.commit() {
            Ok(expectations) => self.note(context, iteration, expectations, last.is_some()),
            Err(why) => context.stop(failed(&why)),
        }
        if let Some(why) = last {
            context.stop(StopReason::Reached(why));
        }
    }

    /// Counts somebody in an iteration; whether all have been counted.
    fn is_full(counts: &mut BTreeMap<u64, u32>, iteration: u64, clients: u32) -> bool {
        let count = counts.entry(iteration).or_default();
        *count += 1;
        let full = *count == clients;
        if full {
            counts.remove(&iteration);
        }
        full
    }
}

impl Protocol<Terms> for Gathering<'_> {
    fn start(&mut self, context: &mut Context<Terms>) {
        self.note(context, 0, 0, false);
        (0..self.algorithm.problem().clients()).for_each(|client| self.enter(context, client));
    }

    fn on_computed(&mut self, context: &mut Context<Terms>, node: NodeId) {
        if self.algorithm.is_central() {
            return self.complete(context, self.begun);
        }
        if let Some(iteration) = self.stepping.take_if(|_| node == SERVER) {
            return self.answer(context, iteration);
        }
        let client = node.0 - 1;
        let iteration = self.at[client as usize];
        match self.algorithm.message(client, iteration) {
            Ok(bits) => {
                let payload = Terms { iteration, bits };
                context.send(Message { from: node, to: SERVER, purpose: TERMS, payload });
            }
            Err(why) => context.stop(failed(&why)),
        }
    }

    fn on_message(&mut self, context: &mut Context<Terms>, message: Message<Terms>) {
        let (iteration, clients) = (message.payload.iteration, self.algorithm.problem().clients());
        if message.to == SERVER {
            if !Self::is_full(&mut self.arrived, iteration, clients) {
                return;
            }
            if context.step_time(SERVER) > TimeDelta::ZERO {
                self.stepping = Some(iteration);
                return context.compute(SERVER, 0);
            }
            return self.answer(context, iteration);
        }
        // All clients see the same sums and decide alike.
        let ends = self.algorithm.last(iteration).is_some();
        if Self::is_full(&mut self.finished, iteration, clients) {
            self.complete(context, iteration);
        }
        if !ends {
            self.enter(context, message.to.0 - 1);
        }
    }

    fn on_lost(&mut self, context: &mut Context<Terms>, message: Message<Terms>) {
        let Message { from, to, .. } = message;
        let why = format!("terms from {from} to {to} were lost, and without them there is no sum");
        context.stop(StopReason::Failed(format!("{why}: {AGAINST_LOSSES}")));
    }

    fn on_dropout(&mut self, context: &mut Context<Terms>, node: NodeId) {
        let why = format!("client {} dropped out, and without its features there is no sum of terms", node.0 - 1);
        context.stop(StopReason::Failed(why));
    }
}

impl Driver<Terms> for Gathering<'_> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (self.algorithm, &mut self.journal)
    }
}
