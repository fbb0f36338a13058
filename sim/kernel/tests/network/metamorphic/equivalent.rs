//! The same network in other words: the same times, or times that differ by what was added.

use std::sync::Arc;

use fedbits_kernel::network::transport::{
    Connections, Delivery, Loss, Repair, Transport, TransportLayer, TransportOptions,
};
use fedbits_kernel::network::{AccessLink, Fifo, GeneralFairShare, Ideal, Routes, StarLinks};
use fedbits_kernel::topology::{Backbone, Edge, GraphLinks, Host, Map, Site, SiteId, Sites, Topology};
use fedbits_kernel::{Bits, Rate, TimeDelta};
use fedbits_random::Streams;

use super::{CASES, assert_close, ends, fair, ideal, map_star, messages, options, star, starts, weighted};
use crate::network::reference_impl::Dice;

/// (13) Flows of one latency weigh the same: weighted sharing is plain sharing.
#[test]
fn equal_weights_are_no_weights() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let links = Arc::new(map_star(&star(dice), |rate| rate, |_| TimeDelta::from_nanos(3_000_000)));
        let starts = starts(dice);
        let plain = ends(&mut *fair(Arc::clone(&links)), &starts);
        let weighted = ends(&mut *weighted(links), &starts);
        assert_close(&weighted, plain.iter().map(|end| end.as_seconds()), "weighted");
    }
}

/// (14) Packets that no message fills: Fifo by packets is Fifo by messages; and a buffer that holds everything is none.
#[test]
fn a_packet_that_holds_the_message_is_the_message() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (Arc::new(star(dice)), starts(dice));
        let whole = ends(&mut *messages(Arc::clone(&links)), &starts);
        let large = Bits::new(1 << 40);
        assert_eq!(ends(&mut Fifo::new(Arc::clone(&links), Some(large), None), &starts), whole);
        assert_eq!(ends(&mut Fifo::new(links, None, Some(large)), &starts), whole);
    }
}

/// (15) A loss that never strikes: a reliable transport is the network below it; and what does strike delays, never
/// hastens.
#[test]
fn a_loss_of_nothing_is_no_loss() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (Arc::new(star(dice)), starts(dice));
        let with = |p: f64| {
            let losses = vec![Loss::Bernoulli(p); links.link_count()];
            let inner = fair(Arc::clone(&links));
            let options = TransportOptions { losses, ..options(Delivery::Reliable(Repair::RoundTrip)) };
            ends(&mut TransportLayer::new(inner, Arc::clone(&links) as _, options, Streams::new(1, 0)), &starts)
        };
        let plain = ends(&mut *fair(Arc::clone(&links)), &starts);
        assert_eq!(with(1e-300), plain);
        assert!(with(0.3).iter().max() > plain.iter().max());
    }
}

fn settled(map: &Map, latency: impl Fn(u32) -> TimeDelta) -> Topology {
    let link = |number, _: [&Site; 2], _| {
        Ok::<_, ()>(Backbone { capacity: Rate::new(1_000_000_000_000).unwrap(), latency: latency(number) })
    };
    map.settle(link).unwrap()
}

/// The star's server and clients as hosts; client i on site `sites[i % …]`.
fn attach(topology: Topology, links: &StarLinks, server: u32, sites: &[u32]) -> Arc<GraphLinks> {
    let server_access = AccessLink { up: links.server_up, down: links.server_down, latency: TimeDelta::ZERO };
    let mut hosts = vec![Host { site: SiteId(server), access: Some(server_access) }];
    for (i, client) in links.clients.iter().enumerate() {
        hosts.push(Host { site: SiteId(sites[i % sites.len()]), access: Some(*client) });
    }
    Arc::new(GraphLinks::new(topology, hosts).unwrap())
}

/// (16) One site with everybody on it is a star.
#[test]
fn a_single_site_is_a_star() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (star(dice), starts(dice));
        let site = settled(&Sites::Star(1).build(&Streams::new(1, 0)).unwrap(), |_| TimeDelta::ZERO);
        let graph = attach(site, &links, 0, &[0]);
        let links = Arc::new(links);
        assert_eq!(
            ends(&mut GeneralFairShare::new(Arc::clone(&graph)), &starts),
            ends(&mut GeneralFairShare::new(Arc::clone(&links)), &starts)
        );
        assert_eq!(ends(&mut Ideal::new(graph), &starts), ends(&mut Ideal::new(links), &starts));
    }
}

/// (17) A link in two of half the latency each: nothing changes. (18) A second, slower link beside it, and a site that
/// leads nowhere: nothing changes.
#[test]
fn links_in_series_and_unused_links() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (star(dice), starts(dice));
        let ms = |ms: u64| TimeDelta::from_nanos(ms * 1_000_000);
        let short = Sites::Path(2).build(&Streams::new(1, 0)).unwrap();
        let long = Sites::Path(3).build(&Streams::new(1, 0)).unwrap();
        let mut more = Map::new((0..3).map(|i| Site { name: i.to_string(), place: None }));
        for (one, other) in [(0, 1), (0, 1), (0, 2)] {
            more.join(SiteId(one), SiteId(other), Edge::default());
        }
        let one = attach(settled(&short, |_| ms(20)), &links, 0, &[1]);
        let two = attach(settled(&long, |_| ms(10)), &links, 0, &[2]);
        let unused = attach(settled(&more, |number| ms(20 + u64::from(number))), &links, 0, &[1]);
        let fair = |graph: Arc<GraphLinks>| ends(&mut GeneralFairShare::new(graph), &starts);
        let ideal = |graph: Arc<GraphLinks>| ends(&mut Ideal::new(graph), &starts);
        let expected = fair(Arc::clone(&one));
        assert_eq!((fair(Arc::clone(&two)), fair(Arc::clone(&unused))), (expected.clone(), expected));
        let expected = ideal(one);
        assert_eq!((ideal(two), ideal(unused)), (expected.clone(), expected));
    }
}

/// (19) Each round trip of set-up delays a message that is alone by just that.
#[test]
fn set_up_adds_round_trips() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (Arc::new(star(dice)), starts(dice));
        let with = |set_up| {
            let transport = Transport { set_up, connections: Connections::PerMessage, ..Transport::NONE };
            let inner = ideal(Arc::clone(&links));
            let options = TransportOptions { transport, ..options(Delivery::Datagram) };
            ends(&mut TransportLayer::new(inner, Arc::clone(&links) as _, options, Streams::new(1, 0)), &starts)
        };
        let mut route = Vec::new();
        for ((none, three), (_, transfer)) in with(0).into_iter().zip(with(3)).zip(&starts) {
            let one_way = links.route(transfer.from, transfer.to, &mut route);
            assert_eq!((three - none).as_nanos(), 6 * one_way.as_nanos());
        }
    }
}
