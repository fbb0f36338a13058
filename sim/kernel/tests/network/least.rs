//! What a transfer takes at the least, against what it takes on an idle network.

use std::sync::Arc;

use fedbits_kernel::network::transport::{Connections, Transport, TransportLayer, TransportOptions};
use fedbits_kernel::network::{
    AccessLink, Background, BackgroundTraffic, Fifo, GeneralFairShare, Ideal, LinkId, Network, SingleLinks,
    StarFairShare, StarLinks, Weights,
};
use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
use fedbits_random::Streams;
use fedbits_spec::laws::DurationLaw;
use fedbits_spec::{Duration, Size};

use crate::network::reference_impl::Dice;
use crate::network::script::{Action, Fate, simulate, transfer};

fn star(dice: &mut Dice) -> Arc<StarLinks> {
    let mut rate = || Rate::new(500_000 + dice.below(20_000_000)).unwrap();
    let [server_up, server_down] = [rate(), rate()];
    let rates: Vec<[Rate; 2]> = (0..4).map(|_| [rate(), rate()]).collect();
    let mut client =
        |[up, down]: [Rate; 2]| AccessLink { up, down, latency: TimeDelta::from_nanos(dice.below(60_000_000)) };
    Arc::new(StarLinks { server_up, server_down, clients: rates.into_iter().map(&mut client).collect() })
}

fn transported(links: &Arc<StarLinks>, jitter: Option<DurationLaw>) -> Box<dyn Network> {
    let options = TransportOptions {
        transport: Transport {
            set_up: 2,
            slow_start: Some(2),
            connections: Connections::PerMessage,
            ..Transport::NONE
        },
        framing: Framing { header: Bits::new(320), segment: Bits::new(11_680) },
        jitter,
        losses: Vec::new(),
    };
    let inner = Box::new(GeneralFairShare::new(Arc::clone(links)));
    Box::new(TransportLayer::new(inner, Arc::clone(links) as _, options, Streams::new(1, 0)))
}

/// Networks that know flows take just that, with setting up and slow start, too; packets that are stored and forwarded,
/// messages with jitter, and links with others on them take no less. 60 random stars, transfers of up to 2 Mbit in both
/// directions.
#[test]
fn no_transfer_takes_less() {
    for case in 0..60 {
        let dice = &mut Dice(900 + case);
        let links = star(dice);
        let client = 1 + dice.below(4) as u32;
        let (from, to) = if dice.below(2) == 0 { (0, client) } else { (client, 0) };
        let transfer = transfer(from, to, 1 + dice.below(2_000_000));
        let law = Background::OnOff { flows: 1, mean_off: Duration::Ms(1.0), mean_size: Size::Bits(100_000.0) };
        let inner = Box::new(GeneralFairShare::new(SingleLinks::new(Arc::clone(&links))));
        let busy = BackgroundTraffic::new(inner, &[(LinkId(0), law), (LinkId(1), law)], Streams::new(2, 0));
        let networks: [(Box<dyn Network>, bool); 9] = [
            (Box::new(Ideal::new(Arc::clone(&links))), true),
            (Box::new(StarFairShare::new((*links).clone())), true),
            (Box::new(GeneralFairShare::new(Arc::clone(&links))), true),
            (Box::new(GeneralFairShare::weighted(Arc::clone(&links), Weights::InverseLatency)), true),
            (transported(&links, None), true),
            (transported(&links, Some(DurationLaw::Ns(1.0))), false),
            (Box::new(Fifo::new(Arc::clone(&links), None, None)), false),
            (Box::new(Fifo::new(Arc::clone(&links), Some(Bits::new(12_000)), None)), false),
            (Box::new(busy), false),
        ];
        for (number, (mut network, exact)) in networks.into_iter().enumerate() {
            let least = Time::ZERO + network.min_duration(transfer);
            let Fate::Completed(end) = simulate(&mut *network, &[(Time::ZERO, Action::Start(transfer))], &[])[0] else {
                panic!("nothing is aborted");
            };
            // Rates in floats: a completion may be told a nanosecond off.
            let early = least.as_nanos().saturating_sub(end.as_nanos());
            let late = end.as_nanos().saturating_sub(least.as_nanos());
            // Each round of slow start is rounded up.
            let rounding = if number == 4 { 20 } else { 1 };
            assert!(early <= 1 && (!exact || late <= rounding), "case {case}, network {number}: {least} and {end}");
        }
    }
}

/// All networks over the same links name the same route.
#[test]
fn networks_name_the_routes() {
    let links = star(&mut Dice(1));
    let networks: [Box<dyn Network>; 4] = [
        Box::new(Ideal::new(Arc::clone(&links))),
        Box::new(StarFairShare::new((*links).clone())),
        Box::new(Fifo::new(Arc::clone(&links), None, None)),
        transported(&links, None),
    ];
    for mut network in networks {
        let mut route = vec![LinkId(99)];
        network.route(NodeId(0), NodeId(3), &mut route);
        assert_eq!(route, [LinkId(0), LinkId(7)]);
        network.route(NodeId(3), NodeId(0), &mut route);
        assert_eq!(route, [LinkId(6), LinkId(1)]);
    }
}
