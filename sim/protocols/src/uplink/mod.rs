//! The estimator of differences: clients compress the difference to a memory that both ends keep.
//!
//! ```text
//! client i in A:  Δ_i = x_i − V_i,   sends Quant(Δ_i);     V_i ← V_i + α Quant(Δ_i)
//! server:         X = ω̄ V + Σ_{i∈A} c_i μ_i Quant(Δ_i),     V ← V + (α/n) Σ_{i∈A} μ_i Quant(Δ_i)
//! ```
//!
//! | symbol | here | |
//! |---|---|---|
//! | x_i | | what the protocol estimates: h_i of FedEM, ρ_i of FedMissEM, w_i S̃_i of FL-SAEM |
//! | V, V_i | [`ServerMemory::v`], [`ClientMemory`] | V = n⁻¹ Σ μ_i V_i as long as nothing is lost silently |
//! | α | `rate` | 0 without memory |
//! | c_i, ω̄ | [`Divisor`] | 1/(n p), 1/\|A\|, 1/Σ w_i or 1/(n π̂_i), times the staleness weight; mean of the latter |
//! | μ_i | [`Uplink::weighing`] | weights that the server applies; 1 where clients put theirs into x_i |
//!
//! With a robust rule F ([`crate::robust`]) X = F(μ_i (V_i + Quant(Δ_i)), i ∈ A): V, c_i and ω̄ have no part in it.
//!
//! DIANA is α = 1/(1 + ω) with c = 1/(n p), EF21 α = 1 with c = 1/n, plain compression α = 0. A protocol says which
//! uplink it has ([`StarAlgorithm::uplink`]). The shared code of star protocols then keeps a [`ServerMemory`] and a
//! [`ClientMemory`] per client, takes in V_{0,i} in round 0, acknowledges and restores. The protocol puts x_i into
//! [`Outgoing::encode_difference`], asks for X by [`Wire::estimate`] and, where it has made the step, calls
//! [`Wire::accept`].
//!
//! Clipping, noise and the rounding of secure sums act in [`Outgoing::encode_scratch`], on the vector that is coded;
//! `releases` says which settings they cover. Nothing here knows time.
//!
//! [`Outgoing::encode_scratch`]: crate::star::Outgoing::encode_scratch
//! [`Outgoing::encode_difference`]: crate::star::Outgoing::encode_difference
//! [`StarAlgorithm::uplink`]: crate::star::StarAlgorithm::uplink
//! [`Wire::estimate`]: crate::star::Wire::estimate
//! [`Wire::accept`]: crate::star::Wire::accept

mod difference;
mod drift;
mod memory;
pub(crate) mod releases;
mod settings;
mod weights;

use fedbits_codec::{Compressor, Encoded, Identity, WireFloat};
use fedbits_spec::Caveat;

pub(crate) use difference::difference;
pub use drift::Drift;
pub use memory::{ClientMemory, ServerMemory};
pub(crate) use settings::no_contraction;
pub use settings::{Alpha, Commit, DivideBy, Memory, MemoryStart, Recovery};
pub use weights::Divisor;

use crate::error::{ProtocolError, Result};
use crate::payload::{Coder, Contribution};
use crate::plan::Staleness;
use crate::robust::{Combined, Combiner};
use crate::theory;
use weights::StepWeights;

/// Names of the columns of `rounds.csv` that protocols with an uplink add by default.
pub const COLUMNS: [&str; 4] = ["drift_sq", "bits_up_dense32", "bits_up_indices_free", "bits_up_entropy"];

/// Codes vectors whole: initial memories, and messages that a protocol has read itself.
pub(crate) const F64: Identity = Identity { wire: WireFloat::F64 };

/// What both ends of the uplink know.
pub struct Uplink {
    clients: u32,
    compressor: Box<dyn Compressor>,
    /// One operator per client where they draw together (PermK).
    members: Vec<Box<dyn Compressor>>,
    /// What contributions are read with, where the protocol reads them before it passes them on; none: the operator.
    pub(crate) reader: Option<Box<dyn Compressor>>,
    /// What initial memories are coded with.
    pub(crate) floats: Identity,
    memory: Memory,
    /// x of the start, of which all know V_{0,i} = w_i x; empty where that is 0.
    pub(crate) first: Vec<f64>,
    /// Does a client keep a vector without memory, its last x_i?
    pub(crate) holds: bool,
    alpha: Alpha,
    /// α in use.
    rate: f64,
    divisor: Divisor,
    staleness: Staleness,
    forgets: bool,
    /// w_i; empty where nobody needs them.
    weights: Vec<f64>,
    at_server: bool,
    /// The length of the server's vectors.
    length: usize,
    /// Where the entries of each client's vector stand in the server's; empty where all have all.
    places: Vec<Vec<u32>>,
}

impl Uplink {
    /// For `clients` clients that code with `compressor`, without memory; the sum is divided by their number.
    pub fn new(compressor: Box<dyn Compressor>, clients: u32) -> Self {
        let grouped = compressor.member(0).is_some();
        Self {
            members: if grouped { (0..clients).filter_map(|i| compressor.member(i)).collect() } else { Vec::new() },
            clients,
            compressor,
            reader: None,
            floats: F64,
            memory: Memory::NoMemory,
            first: Vec::new(),
            holds: false,
            alpha: Alpha::Auto,
            rate: 0.0,
            divisor: Divisor::Expected(f64::from(clients)),
            staleness: Staleness::Constant,
            forgets: false,
            weights: Vec::new(),
            at_server: false,
            length: 0,
            places: Vec::new(),
        }
    }

    /// As a scenario says it, where `expected` clients take part in a round.
    pub fn of(
        compressor: Box<dyn Compressor>,
        clients: u32,
        expected: f64,
        (memory, alpha, divide_by): (Memory, Alpha, DivideBy),
    ) -> Self {
        let divisor = match divide_by.resolved(compressor.is_unbiased(), memory != Memory::NoMemory) {
            DivideBy::Expected | DivideBy::Auto => Divisor::Expected(expected),
            DivideBy::Arrived => Divisor::Arrived,
            DivideBy::Estimated => Divisor::Estimated,
            DivideBy::Clients => Divisor::Expected(f64::from(clients)),
            DivideBy::Weights => Divisor::Weight,
        };
        Self::new(compressor, clients).remembering(memory, alpha).dividing(divisor)
    }

    /// With memories V_i of rate `alpha`.
    #[must_use]
    pub fn remembering(self, memory: Memory, alpha: Alpha) -> Self {
        Self { memory, alpha, ..self }
    }

    /// `forgets`: can clients lose their memories?
    #[must_use]
    pub fn forgetting(self, forgets: bool) -> Self {
        Self { forgets, ..self }
    }

    /// The sum of contributions is divided by this.
    #[must_use]
    pub fn dividing(self, divisor: Divisor) -> Self {
        Self { divisor, ..self }
    }

    /// Answers to older broadcasts count so much.
    #[must_use]
    pub fn staling(self, staleness: Staleness) -> Self {
        Self { staleness, ..self }
    }

    /// Clients have the weights w_i, which add up to n. `at_server`: the server multiplies what they send by them;
    /// else they do it themselves, and the server knows them only for its divisor.
    #[must_use]
    pub fn weighing(self, weights: Vec<f64>, at_server: bool) -> Self {
        Self { weights, at_server, ..self }
    }

    /// Over vectors of `length` numbers.
    ///
    /// # Errors
    /// When the operator does not fit them, or has no automatic rate.
    pub fn over(mut self, length: usize) -> Result<Self> {
        self.compressor.validate(length)?;
        self.rate = self.rate_for(length)?;
        Ok(Self { length, ..self })
    }

    /// Over vectors of `length` numbers, of which client `i` has those at `places[i]`.
    ///
    /// # Errors
    /// When the operator does not fit some client's, or has no automatic rate.
    pub fn over_places(mut self, length: usize, places: Vec<Vec<u32>>) -> Result<Self> {
        if !self.members.is_empty() {
            let name = self.compressor.name();
            return Err(ProtocolError::Unfit(format!(
                "{name} deals out the coordinates of one vector: these clients have different ones"
            )));
        }
        for (client, cells) in places.iter().enumerate() {
            let fits = self.compressor.validate(cells.len());
            fits.map_err(|source| ProtocolError::Cells { client, cells: cells.len(), source })?;
        }
        self.rate = self.rate_for(places.iter().map(Vec::len).max().unwrap_or(1))?;
        Ok(Self { length, places, ..self })
    }

    fn rate_for(&self, length: usize) -> Result<f64> {
        if self.memory == Memory::NoMemory { Ok(0.0) } else { self.alpha.value(self.compressor.as_ref(), length) }
    }

    /// Quant.
    pub fn compressor(&self) -> &dyn Compressor {
        self.compressor.as_ref()
    }

    fn reader(&self) -> &dyn Compressor {
        self.reader.as_deref().unwrap_or(self.compressor.as_ref())
    }

    /// When a client's memory follows its message; none without memory.
    pub fn commit(&self) -> Option<Commit> {
        self.memory.commit()
    }

    /// V_{0,i}.
    pub fn start(&self) -> MemoryStart {
        self.memory.start()
    }

    /// Are broadcasts to tell their receivers whether what they sent last was used?
    pub fn acknowledges(&self) -> bool {
        self.commit() == Some(Commit::OnAcknowledgement)
    }

    fn recovery(&self) -> Option<Recovery> {
        match self.memory {
            Memory::Memory { recovery, .. } if self.forgets => Some(recovery),
            _ => None,
        }
    }

    /// Where the entries of client `i` stand in the server's vectors, if not all have all.
    pub(crate) fn places(&self, i: u32) -> &[u32] {
        &self.places[i as usize]
    }

    /// Does the divisor need the clients' weights?
    pub(crate) fn needs_weights(&self) -> bool {
        self.divisor == Divisor::Weight
    }

    fn length_of(&self, i: u32) -> usize {
        self.places.get(i as usize).map_or(self.length, Vec::len)
    }

    /// What client `i` codes with.
    pub fn coder(&self, i: u32) -> Coder<'_> {
        let shared = self.compressor.as_ref();
        let compressor = self.members.get(i as usize).map_or(shared, AsRef::as_ref);
        Coder { compressor, charged: shared, common: !self.members.is_empty() }
    }

    /// Floats, in place of the operator: for initial memories.
    pub fn whole(&self) -> Coder<'_> {
        Coder { common: !self.members.is_empty(), ..Coder::per_client(&self.floats) }
    }

    /// V_{0,i} where all know it, into `v`.
    fn fill_first(&self, i: u32, v: &mut [f64]) {
        v.iter_mut().zip(&self.first).for_each(|(v, x)| *v = self.weights[i as usize] * x);
    }

    /// The memory of client `i` before the first round. `late_counts`: will messages in flight be used unless they are
    /// lost?
    pub(crate) fn client(&self, i: u32, late_counts: bool) -> ClientMemory {
        let remembers = self.commit().is_some();
        let stages = self.acknowledges() || remembers && late_counts;
        let mut memory = ClientMemory::new(if remembers || self.holds { self.length_of(i) } else { 0 }, stages);
        if !self.first.is_empty() {
            memory.begin(|v| self.fill_first(i, v));
        }
        memory
    }

    /// What the server keeps before the first round. `combines`: does it, or the record, look at what each client says?
    pub(crate) fn server(&self, combines: bool) -> ServerMemory {
        let every = matches!(self.commit(), Some(Commit::Resynchronized { .. }));
        let restores = self.recovery() == Some(Recovery::Restore);
        let compares = combines && self.commit().is_some() && self.places.is_empty();
        let copied = if every || restores || compares { self.clients } else { 0 };
        let lengths = (0..copied).map(|i| self.length_of(i));
        let mut server = ServerMemory::new((self.divisor, self.clients, self.length), lengths, (every, restores));
        server.v.iter_mut().zip(&self.first).for_each(|(v, x)| *v = *x);
        (0..copied).for_each(|i| server.set_copy(i, |copy| self.fill_first(i, copy)));
        server
    }

    /// A client has received a broadcast, which says whether what it sent last was used, or brings its V_i.
    pub(crate) fn hear(&self, memory: &mut ClientMemory, used: Option<bool>, v_i: Option<&[f64]>) {
        if let Some(used) = used.filter(|_| self.acknowledges()) {
            memory.on_acknowledgement(used, self.rate, self.reader());
        }
        if let Some(v_i) = v_i {
            memory.on_memory(v_i);
        }
    }

    /// A client begins to send a contribution, or in round 0 its V_{0,i}, which `read` reads.
    pub(crate) fn on_send(
        &self,
        memory: &mut ClientMemory,
        (round, encoded): (u64, &Encoded),
        read: impl FnOnce(&mut [f64]),
    ) {
        match self.commit() {
            Some(_) if round == 0 => memory.begin(read),
            Some(commit) => memory.on_send(commit, self.rate, self.reader(), encoded),
            None => {}
        }
        memory.turn(self.holds);
    }

    /// Client `i` has lost its V_i in `round`, and goes on from its first one unless it is restored.
    pub(crate) fn on_state_lost(&self, server: &mut ServerMemory, (i, memory): (u32, &mut ClientMemory), round: u64) {
        if let Some(recovery) = self.recovery() {
            memory.forget(|v| self.fill_first(i, v));
            server.on_lost(i, round, recovery);
        }
    }

    /// V_{0,i} have arrived: V is their mean. `read` reads those of clients that have some of the entries.
    pub(crate) fn take_memories(
        &self,
        server: &mut ServerMemory,
        memories: &[Contribution],
        read: impl Fn(&Contribution, &mut [f64]),
    ) {
        if self.commit().is_none() {
            return;
        }
        let n = f64::from(self.clients);
        server.v.fill(0.0);
        for sent @ Contribution { client, encoded, .. } in memories {
            if let Some(places) = self.places.get(*client as usize) {
                let mut v_i = vec![0.0; places.len()];
                read(sent, &mut v_i);
                places.iter().zip(&v_i).for_each(|(&place, v)| server.v[place as usize] += v / n);
                server.set_copy(*client, |copy| copy.copy_from_slice(&v_i));
            } else {
                self.floats.add_decoded(encoded, self.weight(*client), &mut server.v);
                server.set_copy(*client, |copy| self.floats.decode(encoded, copy));
            }
        }
        if self.places.is_empty() {
            server.v.iter_mut().for_each(|v| *v /= n);
        }
    }

    /// μ_i.
    fn weight(&self, i: u32) -> f64 {
        if self.at_server { self.weights[i as usize] } else { 1.0 }
    }

    /// Adds `scale` times a vector of client `i` to one of the server.
    fn add_vector(&self, i: u32, x: &[f64], scale: f64, to: &mut [f64]) {
        match self.places.get(i as usize) {
            None => to.iter_mut().zip(x).for_each(|(to, x)| *to += scale * x),
            Some(places) => places.iter().zip(x).for_each(|(&place, x)| to[place as usize] += scale * x),
        }
    }

    /// Adds `scale` μ_i times a contribution to `to`.
    fn add(&self, sent: &Contribution, scale: f64, to: &mut [f64], memory: &mut Vec<f64>) {
        let scale = scale * self.weight(sent.client);
        if self.places.is_empty() {
            return self.reader().add_decoded(&sent.encoded, scale, to);
        }
        memory.resize(self.length_of(sent.client), 0.0);
        self.reader().decode(&sent.encoded, memory);
        self.add_vector(sent.client, memory, scale, to);
    }

    /// X from V and what arrived, in the order of clients, into `estimate`. A `combiner` makes it of V_i + Quant(Δ_i),
    /// or compares it with that, where clients have vectors of the same entries.
    pub(crate) fn estimate(
        &self,
        server: &mut ServerMemory,
        arrived: &[Contribution],
        combiner: Option<&Combiner>,
        estimate: &mut Vec<f64>,
    ) -> Option<Combined> {
        self.add_up(server, arrived, estimate);
        let combiner = combiner.filter(|_| !arrived.is_empty() && self.places.is_empty())?;
        let rows = arrived.iter().map(|contribution| {
            let mut row = server.copies.get(contribution.client as usize).cloned().unwrap_or_default();
            row.resize(self.length, 0.0);
            let weight = self.weight(contribution.client);
            row.iter_mut().for_each(|x| *x *= weight);
            self.add(contribution, 1.0, &mut row, &mut Vec::new());
            row
        });
        let (rows, clients) = (rows.collect(), arrived.iter().map(|contribution| contribution.client));
        Some(combiner.combine(clients, rows, &mut server.last, estimate))
    }

    /// X as the sum has it.
    fn add_up(&self, server: &mut ServerMemory, arrived: &[Contribution], estimate: &mut Vec<f64>) {
        let ServerMemory { v, sum, weights, memory, .. } = server;
        sum.fill(0.0);
        for contribution in arrived {
            self.add(contribution, 1.0, sum, memory);
        }
        estimate.clear();
        match weights.of_step(self.divisor, self.staleness, arrived, |i| self.weights[i as usize]) {
            StepWeights::Equal(divisor) => {
                estimate.extend(v.iter().zip(sum.iter()).map(|(v, sum)| v + *sum / divisor));
            }
            StepWeights::Each(omega, each) => {
                estimate.extend(v.iter().map(|v| omega * v));
                for (contribution, weight) in arrived.iter().zip(each) {
                    self.add(contribution, weight, estimate, memory);
                }
            }
        }
    }

    /// The step of `round` along the last estimate was made with what `arrived`: V follows.
    pub(crate) fn accept(&self, server: &mut ServerMemory, round: u64, arrived: &[Contribution]) {
        let n = f64::from(self.clients);
        for (v, sum) in server.v.iter_mut().zip(&server.sum) {
            *v += self.rate * sum / n;
        }
        for Contribution { client, encoded, age } in arrived {
            server.on_used(*client, round - age, self.rate, (self.reader(), encoded));
        }
    }

    /// The V_i that the broadcast of `round` to client `i` is to carry, if any.
    pub(crate) fn memory_for(&self, server: &mut ServerMemory, i: u32, round: u64) -> Option<Vec<f64>> {
        if round > 0 { server.take_to_send(i, round, self.commit()) } else { None }
    }

    /// The caveat on an α under which memories can diverge, for vectors of `length` numbers at most.
    pub(crate) fn caveat(&self, length: usize) -> Option<Caveat> {
        let remembers = self.memory != Memory::NoMemory;
        remembers.then(|| large_alpha("alpha", self.alpha, self.compressor.as_ref(), length)).flatten()
    }

    /// The caveat on rounds in which nobody is expected.
    pub(crate) fn few_participants(&self) -> Option<Caveat> {
        let Divisor::Expected(expected) = self.divisor else { return None };
        // A small number is no zero.
        let number = if expected < 1e-3 { format!("{expected:.2e}") } else { format!("{expected:.3}") };
        (expected < 1.0).then_some(Caveat::FewParticipants { participants: number })
    }
}

/// A step of a memory of vectors of `length` numbers under which it can diverge: E‖V − x‖² goes by
/// (1 − α)² + α² ω = 1 − 2 α + α² (1 + ω) a step.
pub(crate) fn large_alpha(name: &str, alpha: Alpha, compressor: &dyn Compressor, length: usize) -> Option<Caveat> {
    let (Alpha::Constant(alpha), Some(omega)) = (alpha, compressor.omega(length)) else { return None };
    theory::is_large_alpha(alpha, omega).then(|| Caveat::LargeAlpha {
        name: name.to_owned(),
        alpha: alpha.to_string(),
        bound: format!("{:.4}", 1.0 / (1.0 + omega)),
    })
}
