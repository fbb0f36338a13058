//! The run of an algorithm among neighbours: who sends what when. It must not know vectors.

use std::collections::BTreeMap;

use fedbits_kernel::{Bits, Context, Message, NodeId, Protocol, Purpose, StopReason};

use super::gossip::Gossip;
use super::letter::{Content, Letter, purpose};
use super::node::{Node, Phase, Reception};
use super::plan::Plan;
use crate::error::{AGAINST_LOSSES, ProtocolError};
use crate::journal::{Journal, Round, Subject};
use crate::run::Driver;

/// Plans of iterations that some node has begun and not all have finished.
struct Current {
    plan: Plan,
    finished: usize,
}

/// An algorithm running.
pub struct Neighbours<A> {
    algorithm: A,
    journal: Journal,
    nodes: Vec<Node>,
    plans: BTreeMap<u64, Current>,
    /// Messages that have neither arrived nor been lost.
    under_way: usize,
    /// Lost messages that were repeated.
    repeated: u64,
    /// A reason to end the run has been found: nobody goes on.
    stopped: bool,
}

/// Iterations that an agent is ahead of another one at most, where it waits for no answer: a second of one example
/// each. All of them are kept.
const MAX_AHEAD: usize = 100_000;

/// Messages that are under way at a time at most, per direction of a link and in all: where each is waited for, these
/// are a few, and where agents are less patient than links are slow, nobody hears of rounds that are so long over.
const MAX_UNDER_WAY: [usize; 2] = [1_000, 10_000];

const AGAINST_RUNNING_AHEAD: &str = "expected faster links, more rounds or more patience";

/// Repetitions per agent after which a clustering that loses its messages is given up.
const MAX_REPEATED: u64 = 1_000;

impl<A: Gossip> Neighbours<A> {
    /// Before the start.
    pub fn new(algorithm: A, journal: Journal) -> Self {
        let count = algorithm.graph().len() as u32;
        let mut nodes = vec![Node::default(); count as usize];
        for node in 0..count {
            if let Some(parent) = algorithm.parent(node) {
                nodes[parent as usize].children.push(node);
            }
        }
        let mut own =
            Self { algorithm, journal, nodes, plans: BTreeMap::new(), under_way: 0, repeated: 0, stopped: false };
        for node in 0..count {
            own.node(node).missing = own.subtree(node) - 1;
        }
        own
    }

    fn node(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    fn is_root(&self, node: u32) -> bool {
        self.algorithm.parent(node).is_none()
    }

    fn plan(&self, iteration: u64) -> &Plan {
        &self.plans[&iteration].plan
    }

    fn note(&mut self, context: &mut Context<Letter>, number: u64, expectations: u64, ends: bool) {
        let nodes = self.nodes.len() as u64;
        let took_part = if number == 0 { 0 } else { nodes };
        let round = Round {
            number,
            expectations,
            selected: took_part,
            arrived: took_part,
            moved: number > 0,
            ends,
            ..Round::default()
        };
        if let Some(reason) = self.journal.note(context, &self.algorithm, round) {
            self.stop(context, reason);
        }
    }

    fn stop(&mut self, context: &mut Context<Letter>, reason: StopReason) {
        self.stopped = true;
        context.stop(reason);
    }

    fn fail(&mut self, context: &mut Context<Letter>, why: String) {
        self.stop(context, StopReason::Failed(why));
    }

    /// All nodes begin to send their data to their roots.
    fn gather(&mut self, context: &mut Context<Letter>, node: u32) {
        self.node(node).gathers = true;
        match self.algorithm.parent(node) {
            Some(parent) => {
                let bits = Bits::new(self.algorithm.data_bits(node));
                let content = Content::Features { owner: node };
                self.post(context, [node, parent], purpose::FEATURES, Letter { content, bits, carried: None });
            }
            None if self.nodes[node as usize].missing == 0 => self.enter(context, node),
            None => {}
        }
    }

    /// Agents of the tree below and at `node`.
    fn subtree(&self, node: u32) -> u32 {
        1 + self.nodes[node as usize].children.iter().map(|&child| self.subtree(child)).sum::<u32>()
    }

    /// A root begins to compute its next iteration; until it is done, its neighbours' first messages of it can come.
    fn enter(&mut self, context: &mut Context<Letter>, root: u32) {
        let iteration = self.node(root).iteration + 1;
        if let Err(why) = self.prepare(iteration) {
            return self.fail(context, why.to_string());
        }
        if self.plans.len() > MAX_AHEAD {
            let why = format!("agent {root} is {MAX_AHEAD} iterations ahead of another, as it waits for no answer");
            return self.fail(context, format!("{why}: {AGAINST_RUNNING_AHEAD}"));
        }
        self.node(root).phase = Phase::Waiting;
        context.compute(NodeId(root), self.algorithm.work(root, iteration));
    }

    /// Makes the plan of an iteration, if nobody has needed it before.
    fn prepare(&mut self, iteration: u64) -> Result<(), ProtocolError> {
        if !self.plans.contains_key(&iteration) {
            let plan = self.algorithm.ahead(iteration)?;
            self.plans.insert(iteration, Current { plan, finished: 0 });
        }
        Ok(())
    }

    /// Sends a letter from node to node.
    fn post(&mut self, context: &mut Context<Letter>, [from, to]: [u32; 2], purpose: Purpose, letter: Letter) {
        self.under_way += 1;
        let [of_link, in_all] = MAX_UNDER_WAY;
        if self.under_way > in_all.max(2 * self.algorithm.graph().links() * of_link) {
            let why = format!("{} messages are under way at a time, as agents go on without them", self.under_way);
            return self.fail(context, format!("{why}: {AGAINST_RUNNING_AHEAD}"));
        }
        context.send(Message { from: NodeId(from), to: NodeId(to), purpose, payload: letter });
    }

    /// A node knows what its root has computed: it tells its children and takes part in the rounds.
    fn begin(&mut self, context: &mut Context<Letter>, node: u32, iteration: u64) {
        self.node(node).begin(iteration);
        let bits = Bits::new(self.plan(iteration).announcement);
        for child in self.nodes[node as usize].children.clone() {
            let letter = Letter { content: Content::Announcement { iteration }, bits, carried: None };
            self.post(context, [node, child], purpose::TERMS, letter);
        }
        self.algorithm.begins(node, iteration);
        self.send_round(context, node, 0);
    }

    /// The messages of a round, or the end of the rounds.
    fn send_round(&mut self, context: &mut Context<Letter>, node: u32, round: u32) {
        let iteration = self.nodes[node as usize].iteration;
        let plan = self.plan(iteration);
        if round == plan.rounds {
            return self.finish(context, node);
        }
        let bits = plan.bits(round, node);
        let carried = if iteration == 0 { None } else { self.algorithm.speaks(node) };
        let letter = Letter { content: Content::Round { iteration, round }, bits, carried };
        let purpose = if iteration == 0 { purpose::CLUSTERING } else { purpose::CONSENSUS };
        self.node(node).phase = Phase::Round(round);
        for at in 0..self.algorithm.graph().degree(node) {
            let neighbour = self.algorithm.graph().neighbours(node)[at];
            self.post(context, [node, neighbour], purpose, letter.clone());
        }
        self.wait(context, node);
    }

    /// Sets the end of a node's patience, if it has one.
    fn wait(&mut self, context: &mut Context<Letter>, node: u32) {
        let Some(patience) = self.algorithm.patience() else { return };
        let own = self.node(node);
        own.timers += 1;
        own.timer = context.timer(patience, u64::from(own.timers) << 32 | u64::from(node));
    }

    /// Goes on as long as all neighbours have been heard, and the next iteration has been announced.
    fn proceed(&mut self, context: &mut Context<Letter>, node: u32) {
        let degree = self.algorithm.graph().degree(node);
        while !self.stopped {
            let next = self.node(node).iteration + 1;
            if self.node(node).phase == Phase::Waiting && self.node(node).announced.remove(&next) {
                self.begin(context, node, next);
                continue;
            }
            let Some((round, heard)) = self.node(node).complete(degree) else { return };
            if self.node(node).iteration > 0 {
                self.algorithm.listens(node, &heard.into_iter().collect::<Vec<_>>());
            }
            if let Some(timer) = self.node(node).timer.take() {
                context.cancel_timer(timer);
            }
            self.send_round(context, node, round + 1);
        }
    }

    fn finish(&mut self, context: &mut Context<Letter>, node: u32) {
        let iteration = self.nodes[node as usize].iteration;
        self.node(node).phase = Phase::Waiting;
        if iteration > 0 {
            self.algorithm.finishes(node, iteration);
        }
        let count = self.nodes.len();
        let current = self.plans.get_mut(&iteration).expect("a node finishes what it has begun");
        current.finished += 1;
        let ending = current.plan.last.clone();
        if current.finished == count {
            self.plans.remove(&iteration);
            if iteration > 0 {
                match self.algorithm.commit() {
                    Ok(expectations) => self.note(context, iteration, expectations, ending.is_some()),
                    Err(why) => self.fail(context, why.to_string()),
                }
            }
            if let Some(why) = &ending {
                self.stop(context, StopReason::Reached(why.clone()));
            }
        }
        if ending.is_some() {
            self.node(node).phase = Phase::Done;
        } else if iteration == 0 {
            self.gather(context, node);
        } else if self.is_root(node) {
            self.enter(context, node);
        }
    }

    fn on_features(&mut self, context: &mut Context<Letter>, node: u32, letter: Letter) {
        if let Some(parent) = self.algorithm.parent(node) {
            return self.post(context, [node, parent], purpose::FEATURES, letter);
        }
        // Data may arrive while the root is still busy with the initialization.
        let own = self.node(node);
        own.missing -= 1;
        if own.missing == 0 && own.gathers {
            self.enter(context, node);
        }
    }
}

impl<A: Gossip> Protocol<Letter> for Neighbours<A> {
    fn start(&mut self, context: &mut Context<Letter>) {
        self.note(context, 0, 0, false);
        let initialization = self.algorithm.initialization().map(|plan| Current { plan, finished: 0 });
        let begins = initialization.is_none();
        self.plans.extend(initialization.map(|plan| (0, plan)));
        for node in 0..self.nodes.len() as u32 {
            if begins {
                self.gather(context, node);
            } else {
                self.send_round(context, node, 0);
                self.proceed(context, node);
            }
        }
    }

    fn on_message(&mut self, context: &mut Context<Letter>, message: Message<Letter>) {
        self.under_way -= 1;
        let node = message.to.0;
        match message.payload.content {
            Content::Features { .. } => self.on_features(context, node, message.payload),
            Content::Announcement { iteration } => {
                self.node(node).announced.insert(iteration);
                self.proceed(context, node);
            }
            Content::Round { iteration, round } => {
                match self.node(node).receive(message.from.0, (iteration, round), message.payload.carried) {
                    Reception::Kept => self.proceed(context, node),
                    Reception::StandsIn => {}
                    Reception::TooLate => context.reject_late(),
                }
            }
        }
    }

    /// The patience of a node ends: what it has not heard is missing.
    fn on_timer(&mut self, context: &mut Context<Letter>, tag: u64) {
        let (node, number) = (tag as u32, (tag >> 32) as u32);
        let own = &mut self.nodes[node as usize];
        let Phase::Round(round) = own.phase else { return };
        if own.timers != number {
            return;
        }
        own.timer = None;
        for &neighbour in self.algorithm.graph().neighbours(node) {
            own.miss(neighbour, (own.iteration, round));
        }
        self.proceed(context, node);
    }

    fn on_computed(&mut self, context: &mut Context<Letter>, node: NodeId) {
        let iteration = self.nodes[node.0 as usize].iteration + 1;
        self.begin(context, node.0, iteration);
        self.proceed(context, node.0);
    }

    fn on_lost(&mut self, context: &mut Context<Letter>, message: Message<Letter>) {
        self.under_way -= 1;
        let Message { from, to, purpose, payload } = message;
        match payload.content {
            Content::Round { iteration, round } if self.algorithm.copes() => {
                self.node(to.0).miss(from.0, (iteration, round));
                return self.proceed(context, to.0);
            }
            // Nobody can do without these: the sender repeats them.
            Content::Features { .. } | Content::Announcement { .. }
                if self.algorithm.copes() && self.repeated < MAX_REPEATED * self.nodes.len() as u64 =>
            {
                self.repeated += 1;
                return self.post(context, [from.0, to.0], purpose, payload);
            }
            _ => {}
        }
        let why = format!("a message from {from} to {to} was lost, and {to} waits for it forever");
        self.fail(context, format!("{why}: {AGAINST_LOSSES}"));
    }

    fn on_dropout(&mut self, context: &mut Context<Letter>, node: NodeId) {
        self.fail(context, format!("{node} dropped out, and its neighbours wait for it forever"));
    }
}

impl<A: Gossip> Driver<Letter> for Neighbours<A> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.algorithm, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}
