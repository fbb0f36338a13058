//! The trace of a run as rows of a record: nodes and purposes get their names.

use fedbits_kernel::{Activity, Context, NodeId, Payload, Span};
use fedbits_record::{Direction, TracePart, TraceRow};

/// What happened in the traced rounds, with waits; none where that is too much.
pub(crate) fn rows<P: Payload>(context: &Context<P>, name: impl Fn(NodeId) -> String) -> Option<Vec<TraceRow>> {
    let rows = context.spans()?.iter().map(|span| row::<P>(span, &name)).collect();
    Some(TraceRow::with_waits(rows))
}

/// Why there are no rows.
fn row<P: Payload>(span: &Span, name: &impl Fn(NodeId) -> String) -> TraceRow {
    let of = |part: TracePart| TraceRow::new(part, span.rounds, span.times.map(|time| time.as_nanos()));
    match span.activity {
        Activity::Round => of(TracePart::Round),
        Activity::Compute { node, work, fate } => {
            TraceRow { node: name(node), work, fate: Some(fate), ..of(TracePart::Compute) }
        }
        Activity::Coding { ends: [node, peer], decodes, purpose, bits, fate } => TraceRow {
            node: name(node),
            peer: name(peer),
            purpose: P::PURPOSES[usize::from(purpose.0)].to_owned(),
            payload_bits: bits.count(),
            fate: Some(fate),
            ..of(if decodes { TracePart::Decode } else { TracePart::Code })
        },
        Activity::Restart(node) => TraceRow { node: name(node), ..of(TracePart::Restart) },
        Activity::Transfer { ends: [from, to], direction, purpose, charge, fate } => {
            let (part, [node, peer]) = match direction {
                Direction::Down => (TracePart::Download, [to, from]),
                Direction::Up => (TracePart::Upload, [from, to]),
                Direction::Peer => (TracePart::Message, [from, to]),
            };
            TraceRow {
                node: name(node),
                peer: name(peer),
                purpose: P::PURPOSES[usize::from(purpose.0)].to_owned(),
                payload_bits: charge.payload,
                header_bits: charge.header,
                retransmitted_bits: charge.retransmitted,
                fate: Some(fate),
                ..of(part)
            }
        }
    }
}
