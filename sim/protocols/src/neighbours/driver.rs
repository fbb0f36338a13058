//! The run of an algorithm among neighbours: who sends what when, and where a node is in the order of iterations and
//! rounds. It must not know vectors.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_kernel::{Bits, Context, EventId, Message, NodeId, Protocol, Purpose, StopReason};

use super::gossip::{Content, Gossip, NeighbourPayload, Plan, Values, purpose};
use crate::error::{AGAINST_LOSSES, Result};
use crate::journal::{Journal, Round, Subject};
use crate::run::{Driver, Outcome, Runnable, Stage};

/// The plan of an iteration, and how many nodes have finished it.
type Current = (Plan, usize);

/// An algorithm running.
pub struct Neighbours<'a> {
    algorithm: &'a mut dyn Gossip,
    journal: Journal,
    nodes: Vec<Node>,
    /// Iterations that some node has begun and not all have finished.
    plans: BTreeMap<u64, Current>,
    /// Messages that have neither arrived nor been lost.
    under_way: usize,
    /// Lost messages that were repeated.
    repeated: u64,
    /// A reason to end the run has been found: nobody goes on.
    stopped: bool,
}

/// Limit on the iterations between two agents, where none waits for an answer: a second of one example each. The plans
/// of all of them are kept.
const MAX_AHEAD: usize = 100_000;

/// Limits on messages under way, per direction of a link and in all: the larger one holds. Where every message is
/// waited for, a few are. Agents with little patience may send faster than links deliver, messages that come too late.
const MAX_UNDER_WAY: [usize; 2] = [1_000, 10_000];

const AGAINST_RUNNING_AHEAD: &str = "expected faster links, more rounds or more patience";

/// Repetitions per agent after which a clustering that loses its messages is given up.
const MAX_REPEATED: u64 = 1_000;

impl<'a> Neighbours<'a> {
    /// Before the start.
    pub fn new(algorithm: &'a mut dyn Gossip, journal: Journal) -> Self {
        let count = algorithm.graph().len() as u32;
        let mut nodes = vec![Node::default(); count as usize];
        for node in 0..count {
            if let Some(parent) = algorithm.parent(node) {
                nodes[parent as usize].children.push(node);
            }
        }
        let plans = BTreeMap::new();
        let mut run = Self { algorithm, journal, nodes, plans, under_way: 0, repeated: 0, stopped: false };
        for node in 0..count {
            run.node(node).missing = run.subtree(node) - 1;
        }
        run
    }

    fn node(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    fn is_root(&self, node: u32) -> bool {
        self.algorithm.parent(node).is_none()
    }

    fn plan(&self, iteration: u64) -> &Plan {
        &self.plans[&iteration].0
    }

    fn note(&mut self, context: &mut Context<NeighbourPayload>, number: u64, expectations: u64, ends: bool) {
        let round = Round::of_all(self.nodes.len() as u32, number, expectations, ends);
        if let Some(reason) = self.journal.note(context, self.algorithm, round) {
            self.stop(context, reason);
        }
    }

    fn stop(&mut self, context: &mut Context<NeighbourPayload>, reason: StopReason) {
        self.stopped = true;
        context.stop(reason);
    }

    fn fail(&mut self, context: &mut Context<NeighbourPayload>, why: String) {
        self.stop(context, StopReason::Failed(why));
    }

    /// A node sends its data to its root, which waits for them.
    fn gather(&mut self, context: &mut Context<NeighbourPayload>, node: u32) {
        self.node(node).gathers = true;
        match self.algorithm.parent(node) {
            Some(parent) => {
                let bits = Bits::new(self.algorithm.data_bits(node));
                let payload = NeighbourPayload { content: Content::Features, bits, values: None };
                self.send(context, [node, parent], purpose::FEATURES, payload);
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
    fn enter(&mut self, context: &mut Context<NeighbourPayload>, root: u32) {
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
    fn prepare(&mut self, iteration: u64) -> Result<()> {
        if !self.plans.contains_key(&iteration) {
            let plan = self.algorithm.plan(iteration)?;
            self.plans.insert(iteration, (plan, 0));
        }
        Ok(())
    }

    fn send(
        &mut self,
        context: &mut Context<NeighbourPayload>,
        [from, to]: [u32; 2],
        purpose: Purpose,
        payload: NeighbourPayload,
    ) {
        self.under_way += 1;
        let [of_link, in_all] = MAX_UNDER_WAY;
        if self.under_way > in_all.max(2 * self.algorithm.graph().links() * of_link) {
            let why = format!("{} messages are under way at a time, as agents go on without them", self.under_way);
            return self.fail(context, format!("{why}: {AGAINST_RUNNING_AHEAD}"));
        }
        context.send(Message { from: NodeId(from), to: NodeId(to), purpose, payload });
    }

    /// A node has the terms of its root: it sends them to its children and takes part in the rounds.
    fn begin(&mut self, context: &mut Context<NeighbourPayload>, node: u32, iteration: u64) {
        self.node(node).begin(iteration);
        let bits = Bits::new(self.plan(iteration).terms);
        for child in self.nodes[node as usize].children.clone() {
            let payload = NeighbourPayload { content: Content::Terms { iteration }, bits, values: None };
            self.send(context, [node, child], purpose::TERMS, payload);
        }
        if let Some(states) = self.algorithm.states() {
            states.begin(node);
        }
        self.send_round(context, node, 0);
    }

    /// The messages of a round, or the end of the rounds.
    fn send_round(&mut self, context: &mut Context<NeighbourPayload>, node: u32, round: u32) {
        let iteration = self.nodes[node as usize].iteration;
        let plan = self.plan(iteration);
        if round == plan.rounds {
            return self.finish(context, node);
        }
        let bits = plan.length(round, node);
        let states = self.algorithm.states().filter(|_| iteration > 0);
        let values = states.map(|states| states.send(node));
        let payload = NeighbourPayload { content: Content::Round { iteration, round }, bits, values };
        let purpose = if iteration == 0 { purpose::CLUSTERING } else { purpose::CONSENSUS };
        self.node(node).phase = Phase::Round(round);
        for at in 0..self.algorithm.graph().degree(node) {
            let neighbour = self.algorithm.graph().neighbours(node)[at];
            self.send(context, [node, neighbour], purpose, payload.clone());
        }
        self.wait(context, node);
    }

    /// Sets the end of a node's patience, if it has one.
    fn wait(&mut self, context: &mut Context<NeighbourPayload>, node: u32) {
        let Some(patience) = self.algorithm.states().and_then(|states| states.patience()) else { return };
        let waiting = self.node(node);
        waiting.timers += 1;
        waiting.timer = context.timer(patience, u64::from(waiting.timers) << 32 | u64::from(node));
    }

    /// Goes on as long as the messages of all neighbours, or the terms of the next iteration, have arrived.
    fn proceed(&mut self, context: &mut Context<NeighbourPayload>, node: u32) {
        let degree = self.algorithm.graph().degree(node);
        while !self.stopped {
            let next = self.node(node).iteration + 1;
            if self.node(node).phase == Phase::Waiting && self.node(node).announced.remove(&next) {
                self.begin(context, node, next);
                continue;
            }
            let Some((round, heard)) = self.node(node).complete(degree) else { return };
            let rounds = self.node(node).iteration > 0;
            if let Some(states) = self.algorithm.states().filter(|_| rounds) {
                states.receive(node, &heard.into_iter().collect::<Vec<_>>());
            }
            if let Some(timer) = self.node(node).timer.take() {
                context.cancel_timer(timer);
            }
            self.send_round(context, node, round + 1);
        }
    }

    fn finish(&mut self, context: &mut Context<NeighbourPayload>, node: u32) {
        let iteration = self.nodes[node as usize].iteration;
        self.node(node).phase = Phase::Waiting;
        if let Some(states) = self.algorithm.states().filter(|_| iteration > 0) {
            states.finish(node, iteration);
        }
        let count = self.nodes.len();
        let (plan, finished) = self.plans.get_mut(&iteration).expect("a node finishes what it has begun");
        *finished += 1;
        let (ending, everybody) = (plan.last.clone(), *finished == count);
        if everybody {
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

    fn on_features(&mut self, context: &mut Context<NeighbourPayload>, node: u32, payload: NeighbourPayload) {
        if let Some(parent) = self.algorithm.parent(node) {
            return self.send(context, [node, parent], purpose::FEATURES, payload);
        }
        // Data may arrive while the root is still busy with the initialization.
        let root = self.node(node);
        root.missing -= 1;
        if root.missing == 0 && root.gathers {
            self.enter(context, node);
        }
    }
}

impl Protocol<NeighbourPayload> for Neighbours<'_> {
    fn start(&mut self, context: &mut Context<NeighbourPayload>) {
        self.note(context, 0, 0, false);
        let initialization = self.algorithm.initialization().map(|plan| (plan, 0));
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

    fn on_message(&mut self, context: &mut Context<NeighbourPayload>, message: Message<NeighbourPayload>) {
        self.under_way -= 1;
        let node = message.to.0;
        match message.payload.content {
            Content::Features => self.on_features(context, node, message.payload),
            Content::Terms { iteration } => {
                self.node(node).announced.insert(iteration);
                self.proceed(context, node);
            }
            Content::Round { iteration, round } => {
                match self.node(node).receive(message.from.0, (iteration, round), message.payload.values) {
                    Reception::Kept => self.proceed(context, node),
                    Reception::StandsIn => {}
                    Reception::TooLate => context.reject_late(),
                }
            }
        }
    }

    /// The patience of a node ends: what it has not heard is missing.
    fn on_timer(&mut self, context: &mut Context<NeighbourPayload>, tag: u64) {
        let (node, number) = (tag as u32, (tag >> 32) as u32);
        let waiting = &mut self.nodes[node as usize];
        let Phase::Round(round) = waiting.phase else { return };
        if waiting.timers != number {
            return;
        }
        waiting.timer = None;
        for &neighbour in self.algorithm.graph().neighbours(node) {
            waiting.miss(neighbour, (waiting.iteration, round));
        }
        self.proceed(context, node);
    }

    fn on_computed(&mut self, context: &mut Context<NeighbourPayload>, node: NodeId) {
        let iteration = self.nodes[node.0 as usize].iteration + 1;
        self.begin(context, node.0, iteration);
        self.proceed(context, node.0);
    }

    fn on_lost(&mut self, context: &mut Context<NeighbourPayload>, message: Message<NeighbourPayload>) {
        self.under_way -= 1;
        let Message { from, to, purpose, payload } = message;
        let copes = self.algorithm.states().is_some();
        match payload.content {
            Content::Round { iteration, round } if copes => {
                self.node(to.0).miss(from.0, (iteration, round));
                return self.proceed(context, to.0);
            }
            // Nobody can do without these: the sender repeats them.
            Content::Features | Content::Terms { .. }
                if copes && self.repeated < MAX_REPEATED * self.nodes.len() as u64 =>
            {
                self.repeated += 1;
                return self.send(context, [from.0, to.0], purpose, payload);
            }
            _ => {}
        }
        let why = format!("a message from {from} to {to} was lost, and {to} waits for it forever");
        self.fail(context, format!("{why}: {AGAINST_LOSSES}"));
    }

    fn on_dropout(&mut self, context: &mut Context<NeighbourPayload>, node: NodeId) {
        self.fail(context, format!("{node} dropped out, and its neighbours wait for it forever"));
    }
}

impl Driver<NeighbourPayload> for Neighbours<'_> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (self.algorithm, &mut self.journal)
    }
}

/// An algorithm among neighbours, ready to be run.
pub struct NeighbourRun<A>(pub A);

impl<A: Gossip + 'static> Runnable for NeighbourRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.0
    }

    fn run(mut self: Box<Self>, stage: Stage<'_>, journal: Journal) -> Outcome {
        stage.run(&mut Neighbours::new(&mut self.0, journal))
    }
}

/// Messages of a round, by sender; none where one is known to be missing.
pub(super) type Heard = BTreeMap<u32, Option<Values>>;

/// One node.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub iteration: u64,
    pub phase: Phase,
    pub children: Vec<u32>,
    /// Owners in its tree whose data have not arrived yet, at a root.
    pub missing: u32,
    /// It has sent its data, or waits for those of others.
    pub gathers: bool,
    /// Iterations whose terms have arrived.
    pub announced: BTreeSet<u64>,
    /// The end of its patience, and which one it is.
    pub timer: Option<EventId>,
    pub timers: u32,
    /// Messages heard ahead of their use, by iteration and round.
    heard: BTreeMap<(u64, u32), Heard>,
    /// The newest message, with its round, of those of earlier rounds of this iteration that came when their round was
    /// over, by sender.
    late: BTreeMap<u32, (u32, Values)>,
    /// The first round whose message would be news, of senders whose last message is missing.
    wanted: BTreeMap<u32, u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waits for data, the terms of its root or the end of its computation.
    #[default]
    Waiting,
    /// Has sent the messages of this round.
    Round(u32),
    /// Goes on no more.
    Done,
}

/// What became of a message of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reception {
    /// It waits for its round, which may be complete now.
    Kept,
    /// Its round is over; it stands in for a missing message of a later one.
    StandsIn,
    /// Its iteration is over.
    TooLate,
}

impl Node {
    /// The first round whose messages it can still use.
    fn at(&self) -> (u64, u32) {
        match self.phase {
            Phase::Round(now) => (self.iteration, now),
            Phase::Waiting | Phase::Done => (self.iteration + 1, 0),
        }
    }

    /// Begins the rounds of an iteration.
    pub fn begin(&mut self, iteration: u64) {
        self.iteration = iteration;
        self.late.clear();
        self.wanted.clear();
    }

    /// A message of a round has arrived.
    pub fn receive(&mut self, from: u32, round: (u64, u32), values: Option<Values>) -> Reception {
        if round >= self.at() {
            self.heard.entry(round).or_default().insert(from, values);
            return Reception::Kept;
        }
        // Nothing that is older than what was used: running sums would go back.
        let is_news = self.wanted.get(&from).is_some_and(|first| round.1 >= *first)
            && self.late.get(&from).is_none_or(|(newest, _)| round.1 > *newest);
        match values.filter(|_| round.0 == self.at().0 && is_news) {
            Some(values) => {
                self.late.insert(from, (round.1, values));
                Reception::StandsIn
            }
            None => Reception::TooLate,
        }
    }

    /// A message of a round is known to be missing.
    pub fn miss(&mut self, from: u32, round: (u64, u32)) {
        if round >= self.at() {
            self.heard.entry(round).or_default().entry(from).or_insert(None);
        }
    }

    /// The messages of the present round when all `degree` have been heard; late ones of earlier rounds replace what is
    /// missing.
    pub fn complete(&mut self, degree: usize) -> Option<(u32, Heard)> {
        let Phase::Round(round) = self.phase else { return None };
        if self.heard.get(&(self.iteration, round)).map_or(0, BTreeMap::len) < degree {
            return None;
        }
        let mut heard = self.heard.remove(&(self.iteration, round)).unwrap_or_default();
        for (from, message) in &mut heard {
            self.stand_in(*from, round, message);
        }
        Some((round, heard))
    }

    /// Replaces a message that is missing by a late one, and notes what of its sender would be news from now on.
    fn stand_in(&mut self, from: u32, round: u32, message: &mut Option<Values>) {
        if message.is_some() {
            if !self.wanted.is_empty() {
                self.wanted.remove(&from);
                self.late.remove(&from);
            }
        } else if let Some((late, values)) = self.late.remove(&from) {
            self.wanted.insert(from, late + 1);
            *message = Some(values);
        } else {
            self.wanted.entry(from).or_insert(round);
        }
    }
}
