//! What a finished run cost each of its clients.

use fedbits_kernel::{Context, NodeId, Payload, TimeUse};
use fedbits_record::{ClientBits, ClientRow, EnergyTotals, PerClient, client_table};

use crate::error::ProtocolError;
use crate::journal::{Journal, Subject};

/// Writes the table of clients, where it is asked for, and says how they differ.
pub(crate) fn per_client<P: Payload>(
    context: &Context<P>,
    server: Option<NodeId>,
    subject: &dyn Subject,
    journal: &mut Journal,
) -> Result<Option<PerClient>, ProtocolError> {
    let Some(spent) = context.time_use().filter(|_| journal.asks_for_clients()) else { return Ok(None) };
    let rows = rows(context, server, subject, journal, &spent);
    let mut further = subject.client_columns()?;
    if journal.assesses_clients() {
        further.extend(subject.problem().client_columns(&subject.state())?);
    }
    journal.table(&client_table(&rows, &further))?;
    Ok(PerClient::of(&rows, &further))
}

/// The rows of all nodes but the server.
fn rows<P: Payload>(
    context: &Context<P>,
    server: Option<NodeId>,
    subject: &dyn Subject,
    journal: &Journal,
    spent: &[TimeUse],
) -> Vec<ClientRow> {
    let energies = context.energies();
    let mut bits = vec![ClientBits::default(); spent.len()];
    context.ledger().each_host(|node, row| bits[node.0 as usize].add(row));
    let first = u32::from(server.is_some());
    let row = |(node, spent): (u32, &TimeUse)| ClientRow {
        examples: subject.problem().examples_of(node - first),
        part: journal.part_of(node - first),
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
    let (own, clients) = joules.split_at(usize::from(server.is_some()));
    Some(EnergyTotals {
        clients_j: clients.iter().sum(),
        server_j: own.first().copied().filter(|&joules| joules > 0.0),
    })
}
