//! The neighbour skeleton: algorithms that proceed by rounds of messages between neighbours, without a server.
//!
//! An iteration of a node: a root computes, and announces its result down the tree of its hub; a node that knows it takes part
//! in the rounds. Round s: a node sends one message to every neighbour; when all of their round-s messages have arrived it goes on to
//! round s + 1. So nodes drift apart on slow links, by at most one round per hop. After the last round a root begins its next
//! iteration at once, others wait for its announcement. Before the first iteration a node's own data travel to its root, hop by
//! hop. Algorithms without hubs have roots only.
//!
//! What is computed lies in the [`Gossip`] algorithm, ahead of time where it can be; this file only plays its messages, so it must
//! not know vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fedbits_kernel::{Bits, Context, EventId, Message, NodeId, Payload, Protocol, Purpose, Span, StopReason};

use crate::journal::{Journal, Round, Subject};
use crate::run::{Actor, Outcome, Playable, Setting};
use crate::vpem::graph::Graph;

/// A message between neighbours. What it says has mostly been computed ahead; it carries its place in the order, its length, and
/// what the algorithm needs to know about what really happened.
#[derive(Clone, Debug)]
pub struct Letter {
    content: Content,
    bits: Bits,
    carried: Option<Carried>,
}

/// What an algorithm lets messages of rounds carry.
pub type Carried = Rc<[f64]>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Data of `owner` on their way to its root.
    Features { owner: u32 },
    /// What a root has computed for an iteration, on its way to the leaves.
    Announcement { iteration: u64 },
    /// Round of an iteration.
    Round { iteration: u64, round: u32 },
}

impl Payload for Letter {
    fn bits(&self) -> Bits {
        self.bits
    }
}

/// Lengths of the messages of an iteration's rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundBits {
    /// The same for all.
    Same(u64),
    /// Per round, per node: every neighbour gets the same message.
    Each(Vec<Vec<u64>>),
}

/// The messages of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// S.
    pub rounds: u32,
    /// Lengths of the rounds' messages.
    pub round_bits: RoundBits,
    /// Length of what a root tells its leaves.
    pub announcement: u64,
    /// Units of work of a root before it can announce.
    pub work: u64,
    /// Why nobody goes on after this iteration, if so.
    pub last: Option<String>,
}

impl Plan {
    fn bits(&self, round: u32, node: u32) -> Bits {
        Bits::new(match &self.round_bits {
            RoundBits::Same(bits) => *bits,
            RoundBits::Each(bits) => bits[round as usize][node as usize],
        })
    }

    /// Payload bits of the whole iteration on this graph.
    pub fn total(&self, graph: &Graph, leaves: u64) -> u64 {
        let links = 2 * graph.links() as u64;
        let rounds = match &self.round_bits {
            RoundBits::Same(bits) => u64::from(self.rounds) * links * bits,
            RoundBits::Each(bits) => {
                let of =
                    |row: &Vec<u64>| row.iter().zip(0..).map(|(bits, n)| bits * graph.degree(n) as u64).sum::<u64>();
                bits.iter().map(of).sum()
            }
        };
        rounds + leaves * self.announcement
    }
}

/// An algorithm among neighbours: what the skeleton plays.
pub trait Gossip: Subject {
    /// Who can talk to whom.
    fn graph(&self) -> &Graph;
    /// The next node on the way to the root; none for a root.
    fn parent(&self, node: u32) -> Option<u32>;
    /// Bits of a node's data that its root needs before the first iteration.
    fn data_bits(&self, node: u32) -> u64;
    /// Purpose of the rounds of an iteration; `Clustering` for rounds before the data travel (iteration 0, if there is one).
    fn opening(&mut self) -> Option<Plan>;
    /// Computes iteration `iteration` = 1, 2, … ahead; called once each, in order.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn ahead(&mut self, iteration: u64) -> Result<Plan, String>;
    /// All nodes have finished the next iteration; returns the examples visited so far.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn commit(&mut self) -> Result<u64, String>;
    /// Does it go on when messages of rounds are missing? Then a receiver learns that one was lost when it should have arrived.
    fn copes(&self) -> bool {
        false
    }
    /// How long a node waits for the messages of a round, if not for ever. What comes later stands in for a missing message of a
    /// later round of the same iteration; after the iteration it is rejected. Needs [`Gossip::copes`].
    fn patience(&self) -> Option<Span> {
        None
    }
    /// A node begins its rounds of an iteration.
    fn begins(&mut self, _node: u32, _iteration: u64) {}
    /// What a node's messages of its next round carry.
    fn speaks(&mut self, _node: u32) -> Option<Carried> {
        None
    }
    /// The messages of a round by ascending sender; none where one is missing.
    fn listens(&mut self, _node: u32, _messages: &[(u32, Option<Carried>)]) {}
    /// A node has finished its rounds of an iteration.
    fn finishes(&mut self, _node: u32, _iteration: u64) {}
}

/// Where a node is.
#[derive(Clone, Debug, Default)]
struct Node {
    iteration: u64,
    stage: Stage,
    children: Vec<u32>,
    /// Owners in its tree whose data have not arrived yet, at a root.
    missing: u32,
    /// It has sent its own data, or waits for those of others.
    gathers: bool,
    /// Messages heard ahead of their use.
    heard: BTreeMap<(u64, u32), BTreeMap<u32, Option<Carried>>>,
    announced: BTreeSet<u64>,
    /// The last message of an earlier round of this iteration that came when its round was over, by sender.
    late: BTreeMap<u32, Carried>,
    /// The end of its patience, and which one it is.
    timer: Option<EventId>,
    timers: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Waits for data, an announcement or the end of its computation.
    #[default]
    Waiting,
    /// Has sent the messages of this round.
    Round(u32),
    /// Goes on no more.
    Done,
}

/// Plans of iterations that some node has begun and not all have finished.
struct Current {
    plan: Plan,
    finished: usize,
}

/// An algorithm in play.
pub struct Neighbours<A> {
    algorithm: A,
    journal: Journal,
    nodes: Vec<Node>,
    plans: BTreeMap<u64, Current>,
}

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
        let mut own = Self { algorithm, journal, nodes, plans: BTreeMap::new() };
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

    fn note(&mut self, context: &mut Context<Letter>, number: u64, expectations: u64) {
        let nodes = self.nodes.len() as u64;
        let took_part = if number == 0 { 0 } else { nodes };
        let round = Round {
            number,
            expectations,
            selected: took_part,
            arrived: took_part,
            moved: number > 0,
            ..Round::default()
        };
        if let Some(reason) = self.journal.note(context, &self.algorithm, round) {
            context.stop(reason);
        }
    }

    /// All nodes begin to send their data to their roots.
    fn gather(&mut self, context: &mut Context<Letter>, node: u32) {
        self.node(node).gathers = true;
        match self.algorithm.parent(node) {
            Some(parent) => {
                let bits = Bits::new(self.algorithm.data_bits(node));
                let content = Content::Features { owner: node };
                post(context, node, parent, Purpose::Features, Letter { content, bits, carried: None });
            }
            None if self.nodes[node as usize].missing == 0 => self.enter(context, node, 1),
            None => {}
        }
    }

    /// Agents of the tree below and at `node`.
    fn subtree(&self, node: u32) -> u32 {
        1 + self.nodes[node as usize].children.iter().map(|&child| self.subtree(child)).sum::<u32>()
    }

    /// A root begins an iteration.
    fn enter(&mut self, context: &mut Context<Letter>, root: u32, iteration: u64) {
        if let Err(why) = self.prepare(iteration) {
            return context.stop(StopReason::Failed(why));
        }
        let node = self.node(root);
        (node.iteration, node.stage) = (iteration, Stage::Waiting);
        context.compute(NodeId(root), self.plan(iteration).work);
    }

    /// Makes the plan of an iteration, if nobody has needed it before.
    fn prepare(&mut self, iteration: u64) -> Result<(), String> {
        if !self.plans.contains_key(&iteration) {
            let plan = self.algorithm.ahead(iteration)?;
            self.plans.insert(iteration, Current { plan, finished: 0 });
        }
        Ok(())
    }

    /// A node knows what its root has computed: it tells its children and takes part in the rounds.
    fn begin(&mut self, context: &mut Context<Letter>, node: u32, iteration: u64) {
        self.node(node).iteration = iteration;
        self.node(node).late.clear();
        let bits = Bits::new(self.plan(iteration).announcement);
        for child in self.nodes[node as usize].children.clone() {
            let letter = Letter { content: Content::Announcement { iteration }, bits, carried: None };
            post(context, node, child, Purpose::Terms, letter);
        }
        self.algorithm.begins(node, iteration);
        self.send_round(context, node, 0);
        self.proceed(context, node);
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
        let purpose = if iteration == 0 { Purpose::Clustering } else { Purpose::Consensus };
        self.node(node).stage = Stage::Round(round);
        for &neighbour in self.algorithm.graph().neighbours(node) {
            post(context, node, neighbour, purpose, letter.clone());
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

    /// Goes on as long as all neighbours have been heard.
    fn proceed(&mut self, context: &mut Context<Letter>, node: u32) {
        let degree = self.algorithm.graph().degree(node) as u32;
        while let Node { stage: Stage::Round(round), iteration, .. } = *self.node(node) {
            let heard = self.node(node).heard.get(&(iteration, round)).map_or(0, |heard| heard.len() as u32);
            if heard < degree {
                break;
            }
            let own = self.node(node);
            let mut heard = own.heard.remove(&(iteration, round)).unwrap_or_default();
            for (from, message) in heard.iter_mut().filter(|(_, message)| message.is_none()) {
                *message = own.late.remove(from);
            }
            if iteration > 0 {
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
        self.node(node).stage = Stage::Waiting;
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
                    Ok(expectations) => self.note(context, iteration, expectations),
                    Err(why) => context.stop(StopReason::Failed(why)),
                }
            }
            if let Some(why) = &ending {
                context.stop(StopReason::Reached(why.clone()));
            }
        }
        if ending.is_some() {
            self.node(node).stage = Stage::Done;
        } else if iteration == 0 {
            self.gather(context, node);
        } else if self.is_root(node) {
            self.enter(context, node, iteration + 1);
        } else if self.node(node).announced.remove(&(iteration + 1)) {
            self.begin(context, node, iteration + 1);
        }
    }

    fn on_features(&mut self, context: &mut Context<Letter>, node: u32, letter: Letter) {
        if let Some(parent) = self.algorithm.parent(node) {
            return post(context, node, parent, Purpose::Features, letter);
        }
        // Data may arrive while the root is still busy with the opening.
        let own = self.node(node);
        own.missing -= 1;
        if own.missing == 0 && own.gathers {
            self.enter(context, node, 1);
        }
    }

    /// A message of a round arrived, or is known to be missing.
    fn on_round(&mut self, context: &mut Context<Letter>, (node, from): (u32, u32), letter: Letter, missing: bool) {
        let Content::Round { iteration, round } = letter.content else { return };
        let own = &mut self.nodes[node as usize];
        let at = match own.stage {
            Stage::Round(now) => (own.iteration, now),
            Stage::Waiting | Stage::Done => (own.iteration + 1, 0),
        };
        if (iteration, round) < at {
            match letter.carried.filter(|_| !missing && iteration == at.0) {
                Some(carried) => drop(own.late.insert(from, carried)),
                None if !missing => context.reject_late(),
                None => {}
            }
            return;
        }
        own.heard.entry((iteration, round)).or_default().insert(from, letter.carried.filter(|_| !missing));
        self.proceed(context, node);
    }

    fn on_announcement(&mut self, context: &mut Context<Letter>, node: u32, iteration: u64) {
        let waits = self.nodes[node as usize].stage == Stage::Waiting;
        if waits && self.nodes[node as usize].iteration + 1 == iteration {
            self.begin(context, node, iteration);
        } else {
            self.node(node).announced.insert(iteration);
        }
    }
}

fn post(context: &mut Context<Letter>, from: u32, to: u32, purpose: Purpose, letter: Letter) {
    context.send(Message { from: NodeId(from), to: NodeId(to), purpose, payload: letter });
}

impl<A: Gossip> Protocol<Letter> for Neighbours<A> {
    fn start(&mut self, context: &mut Context<Letter>) {
        self.note(context, 0, 0);
        let opening = self.algorithm.opening();
        for node in 0..self.nodes.len() as u32 {
            match &opening {
                None => self.gather(context, node),
                Some(plan) => {
                    self.plans.entry(0).or_insert_with(|| Current { plan: plan.clone(), finished: 0 });
                    self.send_round(context, node, 0);
                    self.proceed(context, node);
                }
            }
        }
    }

    fn on_message(&mut self, context: &mut Context<Letter>, message: Message<Letter>) {
        let node = message.to.0;
        match message.payload.content {
            Content::Features { .. } => self.on_features(context, node, message.payload),
            Content::Announcement { iteration } => self.on_announcement(context, node, iteration),
            Content::Round { .. } => self.on_round(context, (node, message.from.0), message.payload, false),
        }
    }

    /// The patience of a node ends: what it has not heard is missing.
    fn on_timer(&mut self, context: &mut Context<Letter>, tag: u64) {
        let (node, number) = (tag as u32, (tag >> 32) as u32);
        let own = &mut self.nodes[node as usize];
        let Stage::Round(round) = own.stage else { return };
        if own.timers != number {
            return;
        }
        own.timer = None;
        let heard = own.heard.entry((own.iteration, round)).or_default();
        for &neighbour in self.algorithm.graph().neighbours(node) {
            heard.entry(neighbour).or_insert(None);
        }
        self.proceed(context, node);
    }

    fn on_computed(&mut self, context: &mut Context<Letter>, node: NodeId) {
        let iteration = self.nodes[node.0 as usize].iteration;
        self.begin(context, node.0, iteration);
    }

    fn on_lost(&mut self, context: &mut Context<Letter>, message: Message<Letter>) {
        let Message { from, to, purpose, payload } = message;
        match payload.content {
            Content::Round { .. } if self.algorithm.copes() => {
                return self.on_round(context, (to.0, from.0), payload, true);
            }
            // Nobody can do without these: the sender repeats them.
            Content::Features { .. } | Content::Announcement { .. } if self.algorithm.copes() => {
                return post(context, from.0, to.0, purpose, payload);
            }
            _ => {}
        }
        let why = format!("a message from {from} to {to} was lost, and {to} waits for it for ever");
        context.stop(StopReason::Failed(format!("{why}: links that lose need `delivery: Reliable(…)`")));
    }

    fn on_dropout(&mut self, context: &mut Context<Letter>, node: NodeId) {
        context.stop(StopReason::Failed(format!("{node} dropped out, and its neighbours wait for it for ever")));
    }
}

impl<A: Gossip> Actor<Letter> for Neighbours<A> {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.algorithm, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}

/// An algorithm among neighbours, ready to be played.
pub struct NeighbourRun<A>(pub A);

impl<A: Gossip + 'static> Playable for NeighbourRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.0
    }

    fn play(self: Box<Self>, setting: Setting<'_>) -> Outcome {
        setting.play(|journal| Neighbours::new(self.0, journal))
    }
}
