//! Plays FedEM over the engine and keeps what a test looks at: rows, accounts, the algorithm's final state.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fedbits_codec::{Compressor, Identity, WireFloat};
use fedbits_kernel::{
    AccessLink, Bits, Dropout, Engine, Framing, Ideal, LedgerDetail, Network, NodeId, Rate, Speed, StarFairShare,
    StarLinks, StopReason, TimeDelta, World,
};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fedem::{BatchRule, Broadcast, Domain, Downlink, FedEm, FedEmServer, FedEmSetting};
use fedbits_protocols::federation::Federation;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::payload::StarPayload;
use fedbits_protocols::plan::{RecordPlan, RoundPolicy, Staleness, StopRules};
use fedbits_protocols::run::{Driver, Runnable};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::{Rounds, SERVER, StarAlgorithm, StarRun};
use fedbits_protocols::uplink::{self, Alpha, Commit, Divisor, MemoryStart, Recovery, Uplink};
use fedbits_random::Streams;
use fedbits_record::{Direction, Fate, Histogram, LedgerRow, Recorder, RoundRow};
use fedbits_spec::Caveat;

pub const F64: Identity = Identity { wire: WireFloat::F64 };

/// A client's place in the world.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// bit/s.
    pub up: u64,
    /// bit/s.
    pub down: u64,
    pub latency_ms: u64,
    /// Compute time per conditional expectation.
    pub expectation_us: u64,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub sites: Vec<Site>,
    /// bit/s in and out of the server.
    pub server: u64,
    pub fair_share: bool,
    pub dropout: Dropout,
    pub seed: u64,
}

impl Place {
    /// Equal clients, 1 Gbit/s at the server, no dropouts.
    pub fn even(n: usize, site: Site) -> Self {
        Self { sites: vec![site; n], server: 1_000_000_000, fair_share: false, dropout: Dropout::Never, seed: 1 }
    }

    pub fn world(&self) -> World {
        let rate = |bits: u64| Rate::from_bits_per_second(bits as f64).unwrap();
        let access =
            |site: &Site| AccessLink { up: rate(site.up), down: rate(site.down), latency: ms(site.latency_ms) };
        let links = StarLinks {
            server_up: rate(self.server),
            server_down: rate(self.server),
            clients: self.sites.iter().map(access).collect(),
        };
        let network: Box<dyn Network> =
            if self.fair_share { Box::new(StarFairShare::new(links)) } else { Box::new(Ideal::new(links)) };
        let seconds = std::iter::once(0).chain(self.sites.iter().map(|site| site.expectation_us));
        World {
            network,
            speeds: seconds.map(|us| Speed::from_seconds_per_unit(us as f64 * 1e-6).unwrap()).collect(),
            dropout: self.dropout,
            server: Some(SERVER),
            framing: FRAMING,
            detail: LedgerDetail::PerHost,
            streams: Streams::new(self.seed, 0),
            overheads: None,
            time_limit: None,
            // A run that never ends is a failure, not a hanging test.
            event_limit: Some(200_000),
            time_use: None,
        }
    }
}

pub const FRAMING: Framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };

pub fn ms(count: u64) -> TimeDelta {
    TimeDelta::from_nanos(count * 1_000_000)
}

pub fn kept(alpha: f64, start: MemoryStart, commit: Commit) -> Memory {
    Memory::Kept { alpha: Alpha::Constant(alpha), start, commit, recovery: None }
}

/// Memories with their rate.
#[derive(Clone, Copy, PartialEq)]
pub enum Memory {
    None,
    /// `recovery`: none where clients keep their state.
    Kept {
        alpha: Alpha,
        start: MemoryStart,
        commit: Commit,
        recovery: Option<Recovery>,
    },
}

/// FedEM with any operator and divisor.
pub struct Settings {
    pub gamma: Schedule,
    pub memory: Memory,
    pub batch: BatchRule,
    pub divisor: Divisor,
    pub staleness: Staleness,
    pub compressor: Box<dyn Compressor>,
    pub floats: WireFloat,
    pub downlink: Downlink,
    pub broadcast: Broadcast,
    pub domain: Domain,
}

/// FedEM on full local batches, uncompressed unless told otherwise.
pub fn settings(gamma: f64, memory: Memory, participants: f64) -> Settings {
    Settings {
        gamma: Schedule::Constant(gamma),
        memory,
        batch: BatchRule::All,
        divisor: Divisor::Expected(participants),
        staleness: Staleness::Constant,
        compressor: Box::new(F64),
        floats: WireFloat::F64,
        downlink: Downlink::Whole,
        broadcast: Broadcast::Statistic,
        domain: Domain::Error,
    }
}

impl Settings {
    /// FedEM's part of them, and the uplink of this many clients.
    pub fn parts(self, clients: u32) -> (FedEmSetting, Uplink) {
        let Self { gamma, memory, batch, divisor, staleness, compressor, floats, downlink, broadcast, domain } = self;
        let uplink = Uplink::new(compressor, clients).dividing(divisor).staling(staleness);
        let uplink = match memory {
            Memory::None => uplink,
            Memory::Kept { alpha, start: initial, commit, recovery } => {
                let (forgets, recovery) = (recovery.is_some(), recovery.unwrap_or_default());
                uplink.remembering(uplink::Memory::Memory { initial, commit, recovery }, alpha).forgetting(forgets)
            }
        };
        (FedEmSetting { batch, floats, downlink, broadcast, domain, ..FedEmSetting::of(gamma) }, uplink)
    }
}

pub fn fed_em(federation: Federation, settings: Settings, s_hat: Vec<f64>) -> Result<FedEm, ProtocolError> {
    let (setting, uplink) = settings.parts(federation.clients());
    FedEm::new(federation, setting, uplink, s_hat)
}

pub fn everybody(policy: RoundPolicy) -> Rounds {
    Rounds { policy, ..Rounds::default() }
}

pub fn after(rounds: u64) -> StopRules {
    StopRules { rounds: Some(rounds), ..StopRules::default() }
}

pub struct Simulated<A: StarAlgorithm = FedEm> {
    pub run: StarRun<A>,
    pub engine: Engine<StarPayload>,
    pub rows: Vec<RoundRow>,
    pub stop: StopReason,
    pub histograms: Vec<Histogram>,
    /// What the journal says.
    pub caveats: Vec<Caveat>,
}

/// Plays to the end; every round is recorded and probed. The engine asserts that bits are conserved, the probe that V
/// is the mean of the V_i where that is claimed.
pub fn simulate<A: StarAlgorithm>(algorithm: A, rounds: Rounds, place: &Place, stop: StopRules) -> Simulated<A> {
    let rows = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&rows);
    let observer = Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone()));
    let mut run = StarRun::new(algorithm, rounds, true);
    let record = RecordPlan::of(1, Some(1));
    let columns = Journal::columns(run.subject(), &record);
    let journal = Journal::new(Recorder::nothing(columns), record, stop, Some(observer));
    let mut star = run.start(journal);
    let mut engine = Engine::new(place.world());
    let stop = engine.run(&mut star, &AtomicBool::new(false));
    let rows = rows.borrow().clone();
    let (histograms, caveats) = (star.parts().1.histograms(), star.parts().1.caveats());
    Simulated { run, engine, rows, stop, histograms, caveats }
}

impl Simulated {
    pub fn fedem(&self) -> &FedEmServer<()> {
        &self.run.halves().server
    }
}

impl<A: StarAlgorithm> Simulated<A> {
    pub fn last(&self) -> &RoundRow {
        self.rows.last().unwrap()
    }

    pub fn ledger(&self) -> Vec<LedgerRow> {
        self.engine.context().ledger().rows(|NodeId(id)| id.to_string())
    }

    /// (messages, payload bits, header bits) over all hosts.
    pub fn account(&self, direction: Direction, purpose: &str, fate: Fate) -> (u64, u64, u64) {
        let rows = self.ledger();
        let entries = rows.iter().filter(|row| (row.direction, &*row.purpose, row.fate) == (direction, purpose, fate));
        entries.fold((0, 0, 0), |sum, row| (sum.0 + row.messages, sum.1 + row.payload_bits, sum.2 + row.header_bits))
    }
}

/// ‖V − mean V_i‖² of a row: the first of FedEM's own columns, behind the parameter error.
pub fn drift_sq(row: &RoundRow) -> f64 {
    row.extra[1].unwrap()
}
