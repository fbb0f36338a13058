//! Both halves of a star protocol: the states, and what is the same for all protocols around a step of one of them —
//! keys, audit, conventions, the acknowledgement in one bit. No time and no events.
//!
//! **Acknowledgement in one bit.** The server counts the contributions of client i that it used, the client those that
//! it committed; the counts differ by at most one. A broadcast carries the parity of the server's count: if it differs
//! from the client's, the staged contribution was used and the client commits it, else drops it. A lost broadcast is
//! repeated by the next one; nothing else needs to be remembered.

use std::collections::VecDeque;
use std::rc::Rc;

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_random::Streams;
use fedbits_record::{BYZANTINE, BYZANTINE_COLUMNS, ClientColumn, EPSILON, RunTable};
use fedbits_spec::Caveat;

use super::algorithm::{Received, Sent, StarAlgorithm, View};
use super::settings::{Conventions, OwnPart, Rounds, Step};
use super::wire::{Counts, Outgoing, Remembered, Wire};
use crate::aggregation::{Aggregation, SecureAggregation};
use crate::audit::Auditor;
use crate::byzantine::Attackers;
use crate::error::{ProtocolError, Result};
use crate::journal::Subject;
use crate::payload::{Ahead, Broadcast, Coder, Contribution, Said};
use crate::privacy::{Accountant, Claim, Privacy, Release, Sender};
use crate::problem::Problem;
use crate::robust::Combiner;
use crate::state::{Probe, State};
use crate::strings::Strings;
use crate::uplink::{ClientMemory, Drift, MemoryStart, ServerMemory, Uplink};

/// Up to this many broadcasts are kept for being used again.
const MAX_BODIES: usize = 64;

/// A broadcast's part for its receiver.
pub struct Addressed<'a> {
    /// Where draws come from.
    pub streams: &'a Streams,
    /// The receiver's position in the cohort.
    pub position: usize,
    /// The acknowledgement.
    pub parity: Option<bool>,
    /// The memory V_i.
    pub memory: Option<&'a [f64]>,
}

/// Both halves of a star protocol as its rounds see them, whatever is computed.
pub trait StarHalves: Subject {
    /// What the protocol needs from the shared code.
    fn conventions(&self) -> Conventions;
    /// The broadcast of `round` to `cohort`.
    ///
    /// # Errors
    /// As [`StarAlgorithm::open_round`].
    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>>;
    /// What the broadcast carries for client `i` alone, and the bit that acknowledges its last contribution.
    ///
    /// # Errors
    /// When all messages are audited, and a broadcast that says something is charged nothing.
    fn address(&mut self, i: u32, body: &Broadcast) -> Result<(OwnPart, Option<bool>)>;
    /// Client `i` receives a broadcast and codes its contribution into `encoded`.
    ///
    /// # Errors
    /// As [`StarAlgorithm::client_update`], with the client's number.
    fn receive(&mut self, i: u32, body: &Broadcast, to: &Addressed<'_>, encoded: &mut Encoded) -> Result<()>;
    /// Does client `i` lie? None where liars do not know what the honest clients of a round report.
    fn lies_with_knowledge(&self, i: u32) -> Option<bool>;
    /// Conditional expectations of what client `i` computes for `round`.
    fn work(&self, i: u32, round: u64) -> u64;
    /// Client `i` begins to send its contribution to `round`: it is counted and audited. Returns what it is charged.
    ///
    /// # Errors
    /// When the audit fails.
    fn send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<Bits>;
    /// The contribution of client `i` to `round` has arrived: where its string travelled, it is read from that.
    ///
    /// # Errors
    /// When the string is not what was sent.
    fn arrived(&self, streams: &Streams, i: u32, round: u64, encoded: &mut Encoded) -> Result<()>;
    /// The server's step with what arrived, in id order.
    ///
    /// # Errors
    /// As [`StarAlgorithm::server_update`].
    fn step(&mut self, streams: &Streams, round: u64, arrived: &[Contribution]) -> Result<Step>;
    /// Conditional expectations that the server made for its last step.
    fn expectations(&self) -> u64;
    /// The round failed, and made no step.
    fn failed(&mut self);
    /// What client `i` has sent, if it has, will never be used. Who waits for an acknowledgement learns it from that.
    /// `forgets`: the round in which the client has lost its state too, if it has.
    fn on_lost(&mut self, i: u32, forgets: Option<u64>);
}

/// A protocol with the states of its two halves.
pub struct Halves<A: StarAlgorithm> {
    /// What both ends know.
    pub algorithm: A,
    /// The server's state.
    pub server: A::Server,
    /// The clients' states.
    pub clients: Vec<A::Client>,
    /// V_i of every client; empty without an uplink.
    pub memories: Vec<ClientMemory>,
    memory: Option<ServerMemory>,
    combiner: Option<Combiner>,
    /// What was counted for the record.
    pub counts: Counts,
    auditor: Auditor,
    /// Parities of the numbers of used (server) and settled (client) contributions; empty without acknowledgements.
    used: Vec<bool>,
    settled: Vec<bool>,
    /// Broadcasts that clients may still hold; the buffers of one that nobody holds are used again.
    bodies: VecDeque<Rc<Broadcast>>,
    encoded: Encoded,
    scratch: Vec<f64>,
    /// What is done to vectors before they leave their clients, if anything.
    release: Option<Release>,
    /// The aggregation, where it is secure.
    secure: Option<SecureAggregation>,
    /// Counts what is released, where noise hides clients.
    accountant: Option<Accountant>,
    /// Who lies, where somebody does.
    attackers: Option<Attackers>,
    /// Clients of the round.
    cohort: usize,
    expectations: u64,
}

impl<A: StarAlgorithm> Halves<A> {
    /// Both ends before the first round. `audit_all`: every message is audited, not a sample.
    pub fn new(algorithm: A, audit_all: bool) -> Self {
        Self::in_run(algorithm, audit_all, &Rounds::default())
    }

    /// The same in a run, whose clients do to their vectors what `rounds` says.
    pub(super) fn in_run(algorithm: A, audit_all: bool, rounds: &Rounds) -> Self {
        let (n, conventions) = (algorithm.problem().clients(), conventions(&algorithm));
        let acknowledged = if conventions.acknowledges { n as usize } else { 0 };
        let (uplink, combiner, late_counts) = (algorithm.uplink(), rounds.combiner(n), rounds.carries());
        let secure = match rounds.aggregation {
            Aggregation::Plain | Aggregation::Robust(_) => None,
            Aggregation::SecureAggregation(secure) => Some(secure),
        };
        let claim = rounds.claim(&conventions, n);
        let accountant = rounds.privacy.zip(claim);
        let accountant = accountant.map(|(Privacy::Gaussian(gaussian), claim)| Accountant::new(gaussian, claim, n));
        let shares_noise = claim.is_some_and(|claim| claim != Claim::Messages);
        let release = Release { privacy: rounds.privacy, shares_noise, field: secure.map(|secure| secure.field()) };
        Self {
            server: algorithm.server(),
            clients: (0..n).map(|i| algorithm.client(i)).collect(),
            memories: uplink.map_or_else(Vec::new, |uplink| (0..n).map(|i| uplink.client(i, late_counts)).collect()),
            memory: uplink.map(|uplink| uplink.server(combiner.is_some())),
            combiner,
            algorithm,
            counts: Counts::default(),
            auditor: Auditor::new(audit_all),
            used: vec![false; acknowledged],
            settled: vec![false; acknowledged],
            bodies: VecDeque::new(),
            encoded: Encoded::new(),
            scratch: Vec::new(),
            release: Some(release).filter(|_| secure.is_some() || accountant.is_some()),
            secure,
            accountant,
            attackers: rounds.byzantine.as_ref().map(|byzantine| Attackers::new(byzantine, n, conventions.means)),
            cohort: 0,
            expectations: 0,
        }
    }

    /// The same, which leaves the bit strings of its messages for a network that carries them.
    pub(super) fn carrying(self, strings: Option<Strings>) -> Self {
        Self { auditor: self.auditor.carrying(strings), ..self }
    }

    /// What a broadcast of these halves says.
    ///
    /// # Panics
    /// If it is one of an algorithm with other types.
    pub fn said<'a>(&self, body: &'a Broadcast) -> &'a Said<A::Content, A::Ahead> {
        body.said()
    }

    /// The server's half with its state and what it works with.
    pub(crate) fn at_server<'a>(
        &'a mut self,
        streams: &'a Streams,
        round: u64,
    ) -> (&'a A, &'a mut A::Server, Wire<'a>) {
        let Self { algorithm, server, memory, combiner, counts, auditor, encoded, .. } = self;
        let (memory, combiner) = (algorithm.uplink().zip(memory.as_mut()), combiner.as_ref());
        let sent = Bits::ZERO;
        (algorithm, server, Wire { streams, round, counts, expectations: 0, auditor, encoded, sent, memory, combiner })
    }

    /// V; empty without an uplink.
    pub fn v(&self) -> &[f64] {
        self.memory.as_ref().map_or(&[], ServerMemory::v)
    }

    /// What the broadcast of `round` carries for client `i` alone.
    pub fn own_part(&mut self, i: u32, round: u64) -> OwnPart {
        let uplink = self.algorithm.uplink().zip(self.memory.as_mut());
        let memory = uplink.and_then(|(uplink, memory)| uplink.memory_for(memory, i, round));
        OwnPart { memory, ..self.algorithm.own_part(&mut self.server, i, round) }
    }

    /// The bit that a broadcast carries for client `i`.
    pub fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.used.get(i as usize).copied()
    }

    /// Client `i` begins to send its contribution to `round`: both of its memories know.
    pub fn sent(&mut self, i: u32, round: u64, encoded: &Encoded) {
        let Self { algorithm, clients, memories, .. } = self;
        let client = &mut clients[i as usize];
        if let Some((uplink, memory)) = algorithm.uplink().zip(memories.get_mut(i as usize)) {
            let coded = algorithm.coded(client);
            let read = |v: &mut [f64]| algorithm.read_memory((i, encoded), v);
            uplink.on_send(memory, (round, coded.as_ref().unwrap_or(encoded)), read);
        }
        algorithm.on_send(i, client, round, encoded);
    }

    /// The message of client `i` has been used or never will be, and nothing is acknowledged.
    fn settle(&mut self, i: u32) {
        self.memories.get_mut(i as usize).into_iter().for_each(ClientMemory::unstage);
    }

    /// The buffers of a broadcast that nobody holds any more, or new ones. Broadcasts are given back about in order:
    /// only the oldest few are looked at, and when very many are in flight the oldest is no longer waited for.
    fn pool(&mut self) -> A::Ahead {
        let free = self.bodies.iter().take(4).position(|body| Rc::strong_count(body) == 1);
        let body = free.and_then(|index| self.bodies.remove(index)).and_then(Rc::into_inner);
        if self.bodies.len() > MAX_BODIES {
            self.bodies.pop_front();
        }
        body.map(Broadcast::into_ahead::<A::Content, A::Ahead>).unwrap_or_default()
    }

    fn look<T>(&self, with: impl FnOnce(&A, &View<'_, A>) -> T) -> T {
        let pending = |i: u32| self.used.get(i as usize) != self.settled.get(i as usize);
        let Self { algorithm, server, clients, counts, memories, .. } = self;
        let memory = algorithm.uplink().zip(self.memory.as_ref());
        with(algorithm, &View { server, clients, counts, unsettled: &pending, memories, memory })
    }
}

impl<A: StarAlgorithm> StarHalves for Halves<A> {
    fn conventions(&self) -> Conventions {
        conventions(&self.algorithm)
    }

    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>> {
        self.cohort = cohort.len();
        self.attackers.iter_mut().for_each(Attackers::open_round);
        let mut ahead = self.pool();
        let (algorithm, server, mut wire) = self.at_server(streams, round);
        let (content, bits) = algorithm.open_round(server, &mut wire)?;
        if bits < wire.sent {
            return Err(ProtocolError::Charge { round, charged: bits, sent: wire.sent });
        }
        let content = Rc::new(content);
        self.algorithm.compute_ahead(&self.clients, cohort, &Sent { streams, round, content: &content }, &mut ahead)?;
        let body = Rc::new(Broadcast::new(round, bits, Said { content, ahead }));
        self.bodies.push_back(Rc::clone(&body));
        Ok(body)
    }

    fn address(&mut self, i: u32, body: &Broadcast) -> Result<(OwnPart, Option<bool>)> {
        let part = self.own_part(i, body.round);
        let is_free = body.bits == Bits::ZERO && part.bits == Bits::ZERO && part.memory.is_none();
        if is_free && size_of::<A::Content>() > 0 && self.auditor.audits_all() {
            return Err(ProtocolError::Free { round: body.round });
        }
        Ok((part, self.acknowledgement(i).filter(|_| body.round > 0)))
    }

    fn receive(&mut self, i: u32, body: &Broadcast, to: &Addressed<'_>, encoded: &mut Encoded) -> Result<()> {
        let settled = self.settled.get_mut(i as usize);
        let used = settled.zip(to.parity).map(|(settled, parity)| std::mem::replace(settled, parity) != parity);
        let said = self.said(body);
        let received = Received {
            streams: to.streams,
            round: body.round,
            content: &said.content,
            ahead: said.ahead.share(to.position),
            used,
        };
        let coder = coder(&self.algorithm, self.secure.is_some(), to.streams, i, body.round);
        let key = coder.key(to.streams, i, body.round);
        let lies = self.attackers.as_ref().is_some_and(|attackers| attackers.lies(i));
        let sender = Sender { streams: to.streams, client: i, round: body.round, cohort: self.cohort, lies };
        let attackers = self.attackers.as_mut().map(|attackers| (attackers, sender));
        let release = self.release.as_ref().map(|release| (release, sender));
        let (compressor, randomness) = (coder.compressor, Randomness::Keyed(key));
        let (counts, scratch) = (&mut self.counts, &mut self.scratch);
        let memory = self.algorithm.uplink().zip(self.memories.get_mut(i as usize));
        let heard = memory.map(|(uplink, memory)| Remembered { uplink, memory, used, v_i: to.memory });
        let mut out = Outgoing { compressor, randomness, encoded, counts, scratch, heard, release, attackers };
        let updated = self.algorithm.client_update(i, &mut self.clients[i as usize], received, &mut out);
        out.heard.iter_mut().for_each(|heard| _ = heard.settle());
        updated.map_err(|error| error.at(format_args!("client {i}")))
    }

    fn lies_with_knowledge(&self, i: u32) -> Option<bool> {
        self.attackers.as_ref().filter(|attackers| attackers.knows_others()).map(|attackers| attackers.lies(i))
    }

    fn send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<Bits> {
        if let Some(accountant) = &mut self.accountant {
            accountant.sends(i);
        }
        let coder = coder(&self.algorithm, self.secure.is_some(), streams, i, round);
        self.counts.count(&coder, encoded);
        let masked = self.secure.and_then(|secure| {
            let common = coder.compressor.common_entries(encoded.dimension())?;
            Some(secure.masked(common))
        });
        let key = coder.key(streams, i, round);
        self.auditor.check(streams, u64::from(i), round, coder.compressor, encoded, key)?;
        self.sent(i, round, encoded);
        Ok(Bits::new(masked.unwrap_or_else(|| encoded.bits())))
    }

    fn arrived(&self, streams: &Streams, i: u32, round: u64, encoded: &mut Encoded) -> Result<()> {
        if !self.auditor.carries() {
            return Ok(());
        }
        let coder = coder(&self.algorithm, self.secure.is_some(), streams, i, round);
        self.auditor.arrived(i, coder.compressor, encoded, coder.key(streams, i, round))
    }

    fn work(&self, i: u32, round: u64) -> u64 {
        self.algorithm.work(i, &self.clients[i as usize], round)
    }

    fn step(&mut self, streams: &Streams, round: u64, arrived: &[Contribution]) -> Result<Step> {
        self.counts.combined = None;
        let (algorithm, server, mut wire) = self.at_server(streams, round);
        if let Some((uplink, memory)) = wire.memory.as_mut().filter(|_| round == 0) {
            uplink.take_memories(memory, arrived, |sent, v| algorithm.read_memory((sent.client, &sent.encoded), v));
            return Ok(Step::default());
        }
        let step = algorithm.server_update(server, &mut wire, arrived)?;
        self.expectations = wire.expectations;
        if let Some(accountant) = self.accountant.as_mut().filter(|_| round > 0) {
            accountant.sums(arrived.iter().map(|contribution| contribution.client), self.cohort);
        }
        for contribution in arrived.iter().filter(|_| round > 0) {
            match self.used.get_mut(contribution.client as usize) {
                Some(parity) => *parity ^= step.used,
                // Nobody tells the client; what was not used never will be.
                None => self.settle(contribution.client),
            }
        }
        Ok(step)
    }

    fn failed(&mut self) {
        self.counts.combined = None;
        if let Some(accountant) = &mut self.accountant {
            accountant.sums(std::iter::empty(), self.cohort);
        }
    }

    fn on_lost(&mut self, i: u32, forgets: Option<u64>) {
        if self.used.is_empty() {
            self.settle(i);
        }
        let Some(round) = forgets else { return };
        if let Some((uplink, server)) = self.algorithm.uplink().zip(self.memory.as_mut()) {
            uplink.on_state_lost(server, (i, &mut self.memories[i as usize]), round);
        }
        self.algorithm.on_state_lost(&mut self.server, i, &mut self.clients[i as usize], round);
    }

    fn expectations(&self) -> u64 {
        self.expectations
    }
}

impl<A: StarAlgorithm> Subject for Halves<A> {
    fn problem(&self) -> &dyn Problem {
        self.algorithm.problem()
    }

    fn state(&self) -> State<'_> {
        self.algorithm.state(&self.server)
    }

    fn probe(&self) -> Result<Probe> {
        self.look(|algorithm, view| algorithm.probe(view))
    }

    fn measures_clients(&self) -> bool {
        let problem = self.problem();
        problem.federation().is_some() || problem.is_personalized()
    }

    fn columns(&self) -> Vec<String> {
        let epsilon = self.accountant.iter().map(|_| EPSILON.to_owned());
        let of_liars = self.attackers.iter().flat_map(|_| BYZANTINE_COLUMNS.map(str::to_owned));
        self.algorithm.columns().into_iter().chain(epsilon).chain(of_liars).collect()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>> {
        let mut values = self.look(|algorithm, view| algorithm.values(view, thorough))?;
        let epsilon =
            self.accountant.as_ref().map(|accountant| Some(accountant.epsilon()).filter(|epsilon| epsilon.is_finite()));
        values.extend(epsilon);
        let combined = self.counts.combined.map_or([None; 2], |combined| [combined.error_sq, combined.chosen]);
        values.extend(self.attackers.iter().flat_map(|_| combined));
        Ok(values)
    }

    fn tables(&self) -> Result<Vec<RunTable>> {
        self.algorithm.tables(&self.server)
    }

    fn client_columns(&self, assesses: bool) -> Result<Vec<ClientColumn>> {
        let lies = self.attackers.iter().map(|attackers| ClientColumn {
            name: BYZANTINE.to_owned(),
            values: (0..self.problem().clients()).map(|i| Some(f64::from(u8::from(attackers.lies(i))))).collect(),
        });
        let quality = assesses.then(|| self.look(|algorithm, view| algorithm.quality_of_clients(view))).transpose()?;
        Ok(lies.chain(quality.into_iter().flatten()).collect())
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.look(|algorithm, view| {
            let drift = view.drift().and_then(Drift::caveat);
            algorithm.caveats(view).into_iter().chain(drift).collect::<Vec<_>>()
        });
        caveats.extend(self.accountant.iter().map(Accountant::caveat));
        caveats
    }
}

/// What the protocol and its uplink need from the shared code.
fn conventions<A: StarAlgorithm>(algorithm: &A) -> Conventions {
    let (own, uplink) = (algorithm.conventions(), algorithm.uplink());
    Conventions {
        initial_memories: own.initial_memories || uplink.is_some_and(|uplink| uplink.start() == MemoryStart::MeanField),
        acknowledges: own.acknowledges || uplink.is_some_and(Uplink::acknowledges),
        ..own
    }
}

/// The operator of client `i`; masked messages choose the same entries.
fn coder<'a, A: StarAlgorithm>(algorithm: &'a A, masked: bool, streams: &Streams, i: u32, round: u64) -> Coder<'a> {
    let coder = algorithm.coder(streams, i, round);
    Coder { common: coder.common || masked, ..coder }
}
