//! The laws of sharing, over every registered model.

use std::panic::catch_unwind;

use fedbits_kernel::network::{
    AccessLink, FlowId, Ideal, LatencyOrder, LinkId, Network, Routes, SharedLinks, SharingSetting, StarLinks, Transfer,
    laws,
};
use fedbits_kernel::{Bits, NodeId, Rate, Time, TimeDelta};
use fedbits_spec::{Described, Kind};
use serde::{Deserialize, Serialize};

#[test]
fn every_registered_model_obeys_the_laws() {
    for entry in <dyn SharingSetting>::registry().entries() {
        let examples = (entry.examples)();
        assert!(!examples.is_empty(), "{} has no examples", entry.name);
        examples.iter().for_each(|setting| laws::model(&**setting));
    }
}

#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
enum Wrong {
    /// Nothing is.
    Not,
    /// `abort` tells that nothing was sent.
    Abort,
    /// Rates that vary are as fast as ever.
    Rates,
    /// Latencies are twice as long on the faster way for a star.
    Star,
}

/// No contention, or something that looks like it.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Odd {
    /// In what way?
    wrong: Wrong,
}

impl SharingSetting for Odd {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        match self.wrong {
            Wrong::Rates => Box::new(Ideal::new(Constant(links.routes))),
            Wrong::Abort => Box::new(Forgetful(Ideal::new(links.routes))),
            Wrong::Not | Wrong::Star => Box::new(Ideal::new(links.routes)),
        }
    }

    fn build_star(&self, star: &StarLinks, _: LatencyOrder) -> Option<Box<dyn Network>> {
        (self.wrong == Wrong::Star).then(|| {
            let slower = star.clients.iter().map(|client| AccessLink { latency: client.latency * 2, ..*client });
            Box::new(Ideal::new(StarLinks { clients: slower.collect(), ..star.clone() })) as Box<dyn Network>
        })
    }

    fn contends(&self) -> bool {
        false
    }

    fn follows_varying_rates(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        vec![Self { wrong: Wrong::Not }]
    }
}

struct Forgetful(Ideal);

impl Network for Forgetful {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        self.0.start(now, transfer)
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.0.next_completion()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.0.advance(to, completed);
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.0.abort(now, flow);
        Bits::ZERO
    }
}

/// Routes whose rates do not vary.
struct Constant<R>(R);

impl<R: Routes> Routes for Constant<R> {
    fn link_count(&self) -> usize {
        self.0.link_count()
    }

    fn capacity(&self, link: LinkId) -> Rate {
        self.0.capacity(link)
    }

    fn latency(&self, link: LinkId) -> TimeDelta {
        self.0.latency(link)
    }

    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta {
        self.0.route(from, to, links)
    }

    fn latency_after(&self, from: NodeId, latency: TimeDelta) -> TimeDelta {
        self.0.latency_after(from, latency)
    }
}

#[test]
fn the_laws_refuse_wrong_models() {
    laws::sharing::<Odd>();
    let cases = [
        (Wrong::Abort, "cut off just before its end has sent 0"),
        (Wrong::Rates, "whose rate varies, has sent it at"),
        (Wrong::Star, "the network of a star tells"),
    ];
    for (wrong, expected) in cases {
        let refused = catch_unwind(|| laws::model(&Odd { wrong })).expect_err("a wrong model passed");
        let text = refused.downcast_ref::<String>().expect("a message");
        assert!(text.contains(expected), "{wrong:?}: {text}");
    }
}
