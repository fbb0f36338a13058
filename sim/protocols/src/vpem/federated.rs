//! VP-EM in a federation (Algorithm 1): clients hold the features, a server adds their terms.
//!
//! Iteration: client n computes Q^n_mk for the visited examples and sends them; the server adds the N terms (equation
//! 10) and returns the sum; every client normalizes over k and updates its θ_n. Node 0 is the server, node n + 1 client
//! n. It must not know how the numbers are computed.

use std::collections::BTreeMap;

use fedbits_kernel::{Bits, Context, Message, NodeId, Payload, Protocol, Purpose, StopReason};
use fedbits_spec::Caveat;

use super::fit::{Fit, Mix};
use super::report::{self, Report};
use crate::error::{AGAINST_LOSSES, ProtocolError};
use crate::journal::{Journal, Round, Subject};
use crate::problem::Problem;
use crate::run::{Driver, Outcome, Runnable, Stage};
use crate::star::SERVER;
use crate::state::{Probe, State};

/// Terms of a client or their sum; what they say has been computed ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    iteration: u64,
    bits: Bits,
}

/// The server sends sums, the clients their terms.
const SUMS: Purpose = Purpose(0);
const TERMS: Purpose = Purpose(1);

impl Payload for Terms {
    const PURPOSES: &'static [&'static str] = &["broadcast", "terms"];

    fn bits(&self) -> Bits {
        self.bits
    }
}

/// Algorithm 1.
pub struct FederatedVpEm {
    fit: Fit,
    clients: u32,
}

impl FederatedVpEm {
    /// One client per block of the fit.
    pub fn new(fit: Fit) -> Self {
        Self { clients: fit.mixture().blocks().len() as u32, fit }
    }

    /// Bits of the terms of one message in the newest iteration computed.
    fn message_bits(&self, iteration: u64) -> u64 {
        let examples = self.fit.settings().batch.size(iteration, self.fit.mixture().examples());
        64 * examples * self.fit.mixture().components() as u64
    }

    fn ahead(&mut self, iteration: u64) -> Result<(), ProtocolError> {
        self.fit.advance(Mix::Exact, 0)?;
        self.fit.note_bits(2 * u64::from(self.clients) * self.message_bits(iteration));
        Ok(())
    }
}

impl Subject for FederatedVpEm {
    fn problem(&self) -> &dyn Problem {
        &self.fit
    }

    fn clients(&self) -> u32 {
        self.clients
    }

    fn state(&self) -> State<'_> {
        self.fit.state()
    }

    fn probe(&self) -> Result<Probe, ProtocolError> {
        self.fit.probe()
    }

    fn columns(&self) -> Vec<String> {
        report::columns(Report::Federated).into_iter().map(str::to_owned).collect()
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        report::values(&self.fit, Report::Federated)
    }

    fn caveats(&self) -> Vec<Caveat> {
        report::caveats(&self.fit)
    }
}

impl Runnable for FederatedVpEm {
    fn subject(&self) -> &dyn Subject {
        self
    }

    fn run(self: Box<Self>, stage: Stage<'_>) -> Outcome {
        stage.run(|journal| Clients::new(*self, journal))
    }
}

/// Algorithm 1 running.
struct Clients {
    algorithm: FederatedVpEm,
    journal: Journal,
    /// The iteration of every client.
    at: Vec<u64>,
    /// Terms that the server has got, and clients that have finished, per iteration in flight.
    arrived: BTreeMap<u64, u32>,
    finished: BTreeMap<u64, u32>,
}

impl Clients {
    fn new(algorithm: FederatedVpEm, journal: Journal) -> Self {
        let at = vec![0; algorithm.clients as usize];
        Self { algorithm, journal, at, arrived: BTreeMap::new(), finished: BTreeMap::new() }
    }

    fn note(&mut self, context: &mut Context<Terms>, number: u64, ends: bool) {
        let expectations = self.algorithm.fit.visible().expectations;
        let clients = if number == 0 { 0 } else { u64::from(self.algorithm.clients) };
        let moved = number > 0;
        let round =
            Round { number, expectations, selected: clients, arrived: clients, moved, ends, ..Round::default() };
        if let Some(reason) = self.journal.note(context, &self.algorithm, round) {
            context.stop(reason);
        }
    }

    fn enter(&mut self, context: &mut Context<Terms>, client: u32) {
        let iteration = &mut self.at[client as usize];
        *iteration += 1;
        let iteration = *iteration;
        if self.algorithm.fit.newest().number < iteration
            && let Err(why) = self.algorithm.ahead(iteration)
        {
            return context.stop(StopReason::Failed(why.to_string()));
        }
        let fit = &self.algorithm.fit;
        context.compute(NodeId(client + 1), fit.settings().batch.size(iteration, fit.mixture().examples()));
    }

    fn at_server(&mut self, context: &mut Context<Terms>, terms: Terms) {
        let arrived = self.arrived.entry(terms.iteration).or_default();
        *arrived += 1;
        if *arrived == self.algorithm.clients {
            self.arrived.remove(&terms.iteration);
            for client in 0..self.algorithm.clients {
                send(context, SERVER, NodeId(client + 1), SUMS, terms);
            }
        }
    }

    fn at_client(&mut self, context: &mut Context<Terms>, client: u32, iteration: u64) {
        let finished = self.finished.entry(iteration).or_default();
        *finished += 1;
        let everybody = *finished == self.algorithm.clients;
        // All clients see the same likelihood and decide alike.
        let ends = self.algorithm.fit.iterate(iteration).is_some_and(|iterate| iterate.last.is_some());
        if everybody {
            self.finished.remove(&iteration);
            self.algorithm.fit.commit();
            self.note(context, iteration, ends);
            if ends {
                context.stop(StopReason::Reached(report::stopped(iteration)));
            }
        }
        if !ends {
            self.enter(context, client);
        }
    }
}

fn send(context: &mut Context<Terms>, from: NodeId, to: NodeId, purpose: Purpose, payload: Terms) {
    context.send(Message { from, to, purpose, payload });
}

impl Protocol<Terms> for Clients {
    fn start(&mut self, context: &mut Context<Terms>) {
        self.note(context, 0, false);
        (0..self.algorithm.clients).for_each(|client| self.enter(context, client));
    }

    fn on_message(&mut self, context: &mut Context<Terms>, message: Message<Terms>) {
        match message.to {
            SERVER => self.at_server(context, message.payload),
            NodeId(node) => self.at_client(context, node - 1, message.payload.iteration),
        }
    }

    fn on_computed(&mut self, context: &mut Context<Terms>, node: NodeId) {
        let iteration = self.at[node.0 as usize - 1];
        let bits = Bits::new(self.algorithm.message_bits(iteration));
        send(context, node, SERVER, TERMS, Terms { iteration, bits });
    }

    fn on_timer(&mut self, context: &mut Context<Terms>, _tag: u64) {
        context.stop(StopReason::Failed("a timer rang in federated VP-EM, which sets none".to_owned()));
    }

    fn on_lost(&mut self, context: &mut Context<Terms>, message: Message<Terms>) {
        let Message { from, to, .. } = message;
        let why = format!("terms from {from} to {to} were lost, and without them there is no sum");
        context.stop(StopReason::Failed(format!("{why}: {AGAINST_LOSSES}")));
    }

    fn on_dropout(&mut self, context: &mut Context<Terms>, node: NodeId) {
        let why = format!("client {} dropped out, and without its features there is no sum of terms", node.0 - 1);
        context.stop(StopReason::Failed(why.to_string()));
    }
}

impl Driver<Terms> for Clients {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.algorithm, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}
