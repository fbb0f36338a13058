//! Messages in flight, found by the flow that carries them, and their bits on the wire.

use fedbits_record::Direction;

use crate::ledger::Charge;
use crate::message::{Framing, Message, Payload, Purpose};
use crate::network::{FlowId, Outcome};
use crate::{Bits, NodeId, Time};

/// One message in flight.
pub(crate) struct Flight<P> {
    pub(crate) message: Message<P>,
    pub(crate) departed: Time,
    /// Which sending of the run it is.
    pub(crate) number: u64,
}

/// The bits of one message: a function of its payload and of the framing, so that nobody keeps it.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    pub(crate) payload: Bits,
    pub(crate) acknowledgement: Bits,
    pub(crate) header: Bits,
}

impl Wire {
    #[inline]
    pub(crate) fn of(payload: &impl Payload, framing: Framing) -> Self {
        let (payload, acknowledgement) = (payload.bits(), payload.acknowledgement_bits());
        Self { payload, acknowledgement, header: framing.header_bits(payload + acknowledgement) }
    }

    #[inline]
    pub(crate) fn total(&self) -> Bits {
        self.payload + self.acknowledgement + self.header
    }

    #[inline]
    pub(crate) fn charge(&self) -> Charge {
        Charge { messages: 1, payload: self.payload.count(), header: self.header.count(), retransmitted: 0 }
    }

    /// What an acknowledgement is charged, if one rides along.
    #[inline]
    pub(crate) fn acknowledgement(&self) -> Option<Charge> {
        let payload = self.acknowledgement.count();
        (payload > 0).then(|| Charge { payload, ..Charge::default() })
    }
}

/// What was sent for a message beyond its own bits.
#[inline]
pub(crate) fn beyond(outcome: Outcome) -> Charge {
    let Outcome { retransmitted, set_up, .. } = outcome;
    Charge { messages: 0, payload: 0, header: set_up.count(), retransmitted: retransmitted.count() }
}

/// Acknowledgements that were sent back for a message.
#[inline]
pub(crate) fn sent_back(outcome: Outcome) -> Charge {
    Charge { header: outcome.acknowledgements.count(), ..Charge::default() }
}

/// The receipt of a message being handled, for `Context::reject_late`.
#[derive(Clone, Copy)]
pub(crate) struct Receipt {
    pub(crate) ends: [NodeId; 2],
    pub(crate) host: NodeId,
    pub(crate) direction: Direction,
    pub(crate) purpose: Purpose,
    pub(crate) charge: Charge,
}

/// All messages in flight.
pub(crate) struct Flights<P>(Vec<Option<Flight<P>>>);

impl<P> Flights<P> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    pub(crate) fn insert(&mut self, flow: FlowId, flight: Flight<P>) {
        let index = flow.0 as usize;
        if index == self.0.len() {
            self.0.push(Some(flight));
            return;
        }
        if index > self.0.len() {
            self.0.resize_with(index + 1, || None);
        }
        self.0[index] = Some(flight);
    }

    /// The number of the sending on `flow`, while it is in flight.
    pub(crate) fn number(&self, flow: FlowId) -> Option<u64> {
        self.0.get(flow.0 as usize)?.as_ref().map(|flight| flight.number)
    }

    /// All flows in flight, by slot.
    pub(crate) fn in_flight(&self) -> Vec<FlowId> {
        let slots = self.0.iter().enumerate().filter(|(_, flight)| flight.is_some());
        slots.map(|(slot, _)| FlowId(slot as u32)).collect()
    }

    /// The flows in flight from or to `node`, by slot: a pass over all of them.
    pub(crate) fn of(&self, node: NodeId) -> Vec<FlowId> {
        let is_end = |message: &Message<P>| message.from == node || message.to == node;
        let ends = |flight: &Option<Flight<P>>| flight.as_ref().is_some_and(|flight| is_end(&flight.message));
        let slots = self.0.iter().enumerate().filter(|(_, flight)| ends(flight));
        slots.map(|(slot, _)| FlowId(slot as u32)).collect()
    }

    #[inline]
    pub(crate) fn take(&mut self, flow: FlowId) -> Flight<P> {
        self.0[flow.0 as usize].take().expect("every flow of the network carries a message")
    }
}
