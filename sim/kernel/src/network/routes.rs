//! What a network consists of: links with capacities, and the links that a transfer between two nodes takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::transfer::Transfer;
use super::varying::VaryingRate;
use crate::{NodeId, Rate, TimeDelta};

/// One direction of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// What all flows on it share.
    pub capacity: Rate,
    /// What every transfer over it waits before its bits flow.
    pub latency: TimeDelta,
}

/// Links and the routes over them.
pub trait Routes: Send {
    /// Number of links; their ids are 0, 1, … below it.
    fn link_count(&self) -> usize;

    /// The capacity of a link; of one whose rate varies the fastest.
    fn capacity(&self, link: LinkId) -> Rate;

    /// How the rate of a link varies, if it does.
    fn varying(&self, _link: LinkId) -> Option<&VaryingRate> {
        None
    }

    /// The latency of a link.
    fn latency(&self, link: LinkId) -> TimeDelta;

    /// Writes the links from `from` to `to` into `links` (emptied first; at least one, none twice) and returns the
    /// latency of the whole route.
    ///
    /// # Panics
    /// If there is no route.
    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta;

    /// The latency of the route from `from` to `to`, and the capacity of its slowest link; `links` is room for it.
    ///
    /// # Panics
    /// If there is no route.
    fn narrowest(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> (TimeDelta, Rate) {
        let latency = self.route(from, to, links);
        let slowest = links.iter().map(|&link| self.capacity(link)).min();
        (latency, slowest.expect("a route has at least one link"))
    }

    /// What a transfer takes alone as a flow: latency and bits ÷ slowest link; `links` is room for its route.
    ///
    /// # Panics
    /// If there is no route.
    fn min_duration(&self, transfer: Transfer, links: &mut Vec<LinkId>) -> TimeDelta {
        let (latency, rate) = self.narrowest(transfer.from, transfer.to, links);
        latency + rate.time_for(transfer.bits)
    }

    /// How much of a route's `latency` follows the bits of a transfer from `from`; it waits for the rest before they
    /// flow.
    fn latency_after(&self, _from: NodeId, _latency: TimeDelta) -> TimeDelta {
        TimeDelta::ZERO
    }
}

/// Methods of [`Routes`] that other routes answer.
macro_rules! forward {
    ($self:ident => $routes:expr; $(fn $method:ident($($name:ident: $type:ty),*) -> $result:ty;)+) => {
        $(fn $method(&$self, $($name: $type),*) -> $result {
            $routes.$method($($name),*)
        })+
    };
}
pub(super) use forward;

/// Order of latency and transmission.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum LatencyOrder {
    /// Transfers from the server flow at once and arrive after their latency; others wait for it first.
    #[default]
    AtServer,
    /// Every transfer waits for its latency first, as in SimGrid.
    First,
}

/// Routes on which the bits of what one node sends flow at once, and arrive after their latency.
pub struct BitsFirst<R> {
    /// The routes.
    pub routes: R,
    /// The node whose link is shared by all that it sends.
    pub sender: NodeId,
}

impl<R: Routes> Routes for BitsFirst<R> {
    forward! { self => self.routes;
        fn link_count() -> usize;
        fn capacity(link: LinkId) -> Rate;
        fn varying(link: LinkId) -> Option<&VaryingRate>;
        fn latency(link: LinkId) -> TimeDelta;
        fn route(from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta;
        fn narrowest(from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> (TimeDelta, Rate);
    }

    fn latency_after(&self, from: NodeId, latency: TimeDelta) -> TimeDelta {
        if from == self.sender { latency } else { self.routes.latency_after(from, latency) }
    }
}

/// Routes over links some of which have rates that vary.
pub struct VaryingLinks<R> {
    /// The routes.
    pub routes: R,
    /// The links that vary.
    pub rates: Arc<BTreeMap<LinkId, VaryingRate>>,
}

impl<R: Routes> Routes for VaryingLinks<R> {
    forward! { self => self.routes;
        fn link_count() -> usize;
        fn latency(link: LinkId) -> TimeDelta;
        fn route(from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta;
        fn latency_after(from: NodeId, latency: TimeDelta) -> TimeDelta;
    }

    fn capacity(&self, link: LinkId) -> Rate {
        self.rates.get(&link).map_or_else(|| self.routes.capacity(link), VaryingRate::fastest)
    }

    fn varying(&self, link: LinkId) -> Option<&VaryingRate> {
        self.rates.get(&link)
    }
}

/// Routes that several owners look at.
impl<R: Routes + Sync + ?Sized> Routes for Arc<R> {
    forward! { self => (**self);
        fn link_count() -> usize;
        fn capacity(link: LinkId) -> Rate;
        fn varying(link: LinkId) -> Option<&VaryingRate>;
        fn latency(link: LinkId) -> TimeDelta;
        fn route(from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta;
        fn narrowest(from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> (TimeDelta, Rate);
        fn latency_after(from: NodeId, latency: TimeDelta) -> TimeDelta;
    }
}
