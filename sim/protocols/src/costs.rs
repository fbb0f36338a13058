//! What a run cost, in all and each of its clients, and what links carried between chosen rounds: differences of the
//! accounts of links.

use std::collections::BTreeMap;

use fedbits_kernel::network::LinkId;
use fedbits_kernel::{Context, LinkLedger, NodeId, Payload, Time, TimeUse};
use fedbits_record::{ClientBits, ClientColumn, ClientPart, ClientRow, EnergyTotals, RoundRow, Totals};

use crate::error::Result;
use crate::problem::{Round, Subject};

/// Sums of a run after so many rounds and conditional expectations.
pub(crate) fn totals<P: Payload>(context: &Context<P>, (rounds, expectations): (u64, u64)) -> Totals {
    let totals = context.ledger().totals();
    Totals {
        rounds,
        bits_up: totals.up,
        bits_down: totals.down,
        bits_peer: totals.peer,
        bits_header: totals.header,
        bits_wasted: totals.wasted,
        time_ns: context.now().as_nanos(),
        expectations,
        events: context.timeline().events(),
    }
}

/// What is known of the clients.
pub(crate) struct Clients {
    pub(crate) rows: Vec<ClientRow>,
    pub(crate) further: Vec<ClientColumn>,
}

/// What is known of the clients now, if their time is kept: how they took part, as `part_of` says, and, if it
/// `assesses`, what the state is worth to each.
pub(crate) fn clients<P: Payload>(
    context: &Context<P>,
    subject: &dyn Subject,
    part_of: &dyn Fn(u32) -> Option<ClientPart>,
    assesses: bool,
) -> Result<Option<Clients>> {
    let Some(spent) = context.time_use() else { return Ok(None) };
    let rows = rows(context, subject, part_of, &spent);
    Ok(Some(Clients { rows, further: subject.client_columns(assesses)? }))
}

/// The rows of all nodes but the server.
fn rows<P: Payload>(
    context: &Context<P>,
    subject: &dyn Subject,
    part_of: &dyn Fn(u32) -> Option<ClientPart>,
    spent: &[TimeUse],
) -> Vec<ClientRow> {
    let (energies, server) = (context.energies(), context.server());
    let mut bits = vec![ClientBits::default(); spent.len()];
    context.ledger().each_host(|node, row| bits[node.0 as usize].add(row));
    let first = u32::from(server.is_some());
    let row = |(node, spent): (u32, &TimeUse)| ClientRow {
        examples: subject.problem().examples_of(node - first),
        part: part_of(node - first),
        bits: bits[node as usize],
        nanoseconds: {
            let &TimeUse { computing, sending, receiving, overlap, waiting, away } = spent;
            [computing, sending, receiving, overlap, waiting, away]
        },
        energy_j: energies.as_ref().map(|joules| joules[node as usize]),
    };
    (0..).zip(spent).filter(|(node, _)| server != Some(NodeId(*node))).map(row).collect()
}

/// Joules of the clients and of the server, where powers are given.
pub(crate) fn energy<P: Payload>(context: &Context<P>, server: Option<NodeId>) -> Option<EnergyTotals> {
    let joules = context.energies()?;
    let (of_server, clients) = joules.split_at(usize::from(server.is_some()));
    Some(EnergyTotals {
        clients_j: clients.iter().sum(),
        server_j: of_server.first().copied().filter(|&joules| joules > 0.0),
    })
}

/// Joules of all nodes so far, where powers are given.
pub(crate) fn joules<P: Payload>(context: &Context<P>) -> Option<f64> {
    context.energies().map(|joules| joules.iter().sum())
}

/// Passes over all data that so many conditional expectations are.
pub(crate) fn epochs(subject: &dyn Subject, expectations: u64) -> f64 {
    expectations as f64 / subject.problem().total() as f64
}

/// What a run of these sums has cost when the server has made its step, with counts of clients since the row before;
/// without energies, which are a sum over all nodes.
pub(crate) fn row(totals: &Totals, subject: &dyn Subject, field_sq: Option<f64>, since: &Round) -> RoundRow {
    let &Totals { rounds, bits_up, bits_down, bits_peer, bits_header, bits_wasted, time_ns, expectations, .. } = totals;
    RoundRow {
        round: rounds,
        time_ns,
        epochs: epochs(subject, expectations),
        expectations,
        bits_up,
        bits_down,
        bits_peer,
        bits_header,
        bits_wasted,
        selected: since.selected,
        arrived: since.arrived,
        late: since.late,
        lost: since.lost,
        field_sq,
        ..RoundRow::default()
    }
}

/// What a link carried in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkInterval {
    /// The round that was closed when it ended.
    pub round: u64,
    /// When it began and ended.
    pub times: [Time; 2],
    /// A direction over a link.
    pub link: LinkId,
    /// Payload, headers, and bits that were sent again.
    pub bits: [u64; 3],
}

/// The intervals so far.
#[derive(Debug, Default)]
pub(crate) struct LinkTimes {
    since: Time,
    carried: BTreeMap<LinkId, [u64; 3]>,
    rows: Vec<LinkInterval>,
}

impl LinkTimes {
    /// An interval ends now, with this round. Messages that are booked anew keep their bits: nothing is taken back.
    pub(crate) fn note(&mut self, round: u64, now: Time, links: &LinkLedger) {
        let times = [self.since, now];
        let carried = links.carried();
        for (&link, now) in &carried {
            let before = self.carried.get(&link).copied().unwrap_or_default();
            let bits = std::array::from_fn(|kind| now[kind] - before[kind]);
            if bits != [0; 3] {
                self.rows.push(LinkInterval { round, times, link, bits });
            }
        }
        (self.since, self.carried) = (now, carried);
    }

    pub(crate) fn into_rows(self) -> Vec<LinkInterval> {
        self.rows
    }
}
