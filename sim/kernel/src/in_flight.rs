//! Messages in flight, found by the flow that carries them, and their bits on the wire.

use std::num::{NonZeroU32, NonZeroU64};

use crate::ledger::Charge;
use crate::message::{Framing, Message, Payload, Purpose};
use crate::network::{FlowId, Outcome};
use crate::{Bits, NodeId, Time};

/// One message in flight.
pub(crate) struct MessageInFlight<P> {
    pub(crate) message: Message<P>,
    pub(crate) departed: Time,
    /// Which sending of the run it is.
    pub(crate) number: NonZeroU64,
}

/// A place for a flight: one line of the cache where the payload has up to 32 bytes, and never across two.
#[repr(align(64))]
struct Place<P>(Option<MessageInFlight<P>>);

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Place<[u64; 4]>>() == 64, "a flight costs 64 bytes");

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

    /// What has left of it when it has arrived or was lost, as of what is [cut off](Wire::cut_off).
    #[inline]
    pub(crate) fn ended(&self, framing: Framing, outcome: Outcome) -> [Charge; 3] {
        if outcome.unsent > Bits::ZERO {
            return self.cut_off(framing, self.total() - outcome.unsent);
        }
        [self.charge(), self.acknowledgement().unwrap_or_default(), Charge::default()]
    }

    /// What has left of it when it is cut off after `sent` bits, what of the acknowledgement that rides along, and what
    /// has not left.
    pub(crate) fn cut_off(&self, framing: Framing, sent: Bits) -> [Charge; 3] {
        let whole = self.payload + self.acknowledgement;
        let (payload, header) = framing.split(sent, whole);
        let (payload, header) = (payload.count(), header.count());
        // An acknowledgement rides at the end of its message: what was cut off lost it first.
        let content = payload.min(self.payload.count());
        let charge = |payload, header| Charge { payload, header, ..Charge::default() };
        [
            Charge { messages: 1, ..charge(content, header) },
            charge(payload - content, 0),
            charge(whole.count() - payload, self.header.count() - header),
        ]
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
    pub(crate) purpose: Purpose,
    pub(crate) charge: Charge,
    /// What was sent back to acknowledge it.
    pub(crate) back: Charge,
    /// The acknowledgement that rode on it.
    pub(crate) riding: Charge,
    /// Its number in the trace.
    pub(crate) traced: Option<NonZeroU32>,
}

/// All messages in flight.
pub(crate) struct InFlight<P>(Vec<Place<P>>);

impl<P> InFlight<P> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    pub(crate) fn insert(&mut self, flow: FlowId, flight: MessageInFlight<P>) {
        let index = flow.0 as usize;
        if index == self.0.len() {
            self.0.push(Place(Some(flight)));
            return;
        }
        if index > self.0.len() {
            self.0.resize_with(index + 1, || Place(None));
        }
        self.0[index].0 = Some(flight);
    }

    /// The number of the sending on `flow`, while it is in flight.
    pub(crate) fn number(&self, flow: FlowId) -> Option<NonZeroU64> {
        self.0.get(flow.0 as usize)?.0.as_ref().map(|flight| flight.number)
    }

    /// All flows in flight, by slot.
    pub(crate) fn in_flight(&self) -> Vec<FlowId> {
        self.flows(|_| true)
    }

    /// The flows in flight from or to `node`, by slot: a pass over all of them.
    pub(crate) fn of(&self, node: NodeId) -> Vec<FlowId> {
        self.flows(|message| message.from == node || message.to == node)
    }

    fn flows(&self, wanted: impl Fn(&Message<P>) -> bool) -> Vec<FlowId> {
        let is_wanted = |place: &Place<P>| place.0.as_ref().is_some_and(|flight| wanted(&flight.message));
        let slots = self.0.iter().enumerate().filter(|(_, place)| is_wanted(place));
        slots.map(|(slot, _)| FlowId(slot as u32)).collect()
    }

    #[inline]
    pub(crate) fn take(&mut self, flow: FlowId) -> MessageInFlight<P> {
        self.0[flow.0 as usize].0.take().expect("every flow of the network carries a message")
    }
}
