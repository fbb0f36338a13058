//! Transfers over real sockets and over simulated networks: reads cases as JSON, one a line, and writes what they took,
//! one JSON object a line.
//!
//! ```text
//! echo '{"name": "alone", "server": [100e6, 100e6], "clients": [[10e6, 10e6, 0.02]],
//!   "steps": [{"at_ns": 0, "from": 1, "to": 0, "bytes": 20000}]}' | cargo run -p fedbits-emulate --example transfers
//! ```
//!
//! Rates are in bit/s (up, down), latencies in seconds; node 0 is the server. `warm` bytes go both ways on every
//! connection before a case begins; `fresh`: connections are made by the first message. `repeat` is the number of times
//! that sockets are tried (0: only predictions).

#[cfg(target_os = "linux")]
#[path = "../tests/script.rs"]
mod script;

#[cfg(target_os = "linux")]
mod cases {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use fedbits_emulate::{Connections, Options, Queue, Report, Sockets, Wiring};
    use fedbits_kernel::network::transport::{Loss, Transport, TransportLayer, TransportOptions};
    use fedbits_kernel::network::{
        self, AccessLink, BitsFirst, Fifo, GeneralFairShare, Network, Routes, SharedLinks, StarLinks,
    };
    use fedbits_kernel::{Bits, Framing, NodeId, Rate, TimeDelta};
    use fedbits_random::Streams;
    use fedbits_spec::Size;
    use fedbits_tcp::{Congestion, TcpPackets};
    use serde::{Deserialize, Serialize};

    use crate::script::{Step, Timed, plain_options, play};

    /// One case.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Case {
        name: String,
        server: [f64; 2],
        clients: Vec<[f64; 3]>,
        steps: Vec<Step>,
        #[serde(default)]
        warm: u64,
        #[serde(default = "one")]
        repeat: usize,
        /// Bytes of headers and of a segment.
        #[serde(default = "plain")]
        framing: [u64; 2],
        #[serde(default = "cubic")]
        congestion: String,
        #[serde(default)]
        fresh: bool,
        #[serde(default)]
        keep_window: bool,
        #[serde(default)]
        fair: bool,
        #[serde(default)]
        room: Option<u64>,
        /// Probability that a packet is lost on a client's link, in either direction.
        #[serde(default)]
        loss: f64,
    }

    /// Draws of losses that a prediction is the middle one of.
    const DRAWS: u64 = 21;

    fn one() -> usize {
        1
    }

    fn plain() -> [u64; 2] {
        [40, 1460]
    }

    fn cubic() -> String {
        "cubic".to_owned()
    }

    /// What a case took.
    #[derive(Serialize)]
    pub struct Took {
        name: String,
        /// By model.
        predicted: BTreeMap<&'static str, Vec<Timed>>,
        /// Seconds of real time that each prediction took.
        seconds: BTreeMap<&'static str, f64>,
        real: Vec<Vec<Timed>>,
        reports: Vec<Report>,
    }

    type Failure = Box<dyn std::error::Error>;

    impl Case {
        fn star(&self) -> Result<StarLinks, Failure> {
            let client = |&[up, down, latency]: &[f64; 3]| -> Result<AccessLink, Failure> {
                let (up, down) = (Rate::from_bits_per_second(up)?, Rate::from_bits_per_second(down)?);
                Ok(AccessLink { up, down, latency: TimeDelta::from_seconds(latency)? })
            };
            Ok(StarLinks {
                server_up: Rate::from_bits_per_second(self.server[0])?,
                server_down: Rate::from_bits_per_second(self.server[1])?,
                clients: self.clients.iter().map(client).collect::<Result<_, _>>()?,
            })
        }

        /// Plays it everywhere.
        #[expect(clippy::disallowed_methods, reason = "what a prediction costs is time of the host")]
        pub fn play(&self) -> Result<Took, Failure> {
            let star = self.star()?;
            let [header, segment] = self.framing.map(|bytes| Bits::new(8 * bytes));
            let framing = Framing { header, segment };
            let routes: Arc<dyn Routes + Sync> = Arc::new(BitsFirst { routes: star.clone(), sender: NodeId(0) });
            let (mut predicted, mut seconds) = (BTreeMap::new(), BTreeMap::new());
            for (name, network) in self.models(&routes, framing) {
                let begun = std::time::Instant::now();
                // Where packets are lost, the middle one of several draws.
                let draws = if self.loss > 0.0 && name == "Tcp" { DRAWS } else { 1 };
                let again = (2..=draws).map(|seed| self.over_tcp(&routes, framing, seed));
                let networks = std::iter::once(network).chain(again);
                let mut runs: Vec<_> = networks.map(|mut network| self.run(&mut *network, framing)).collect();
                runs.sort_by_key(|run| run.iter().filter_map(|timed| timed.end_ns).max());
                predicted.insert(name, runs.swap_remove(runs.len() / 2));
                seconds.insert(name, begun.elapsed().as_secs_f64() / draws as f64);
            }
            let (mut real, mut reports) = (Vec::new(), Vec::new());
            for seed in 1..=self.repeat as u64 {
                let (played, report) = self.over_sockets(Arc::new(star.clone()), framing, seed)?;
                real.push(played);
                reports.push(report);
            }
            Ok(Took { name: self.name.clone(), predicted, seconds, real, reports })
        }

        /// What scenarios can name.
        fn models(&self, routes: &Arc<dyn Routes + Sync>, framing: Framing) -> Vec<(&'static str, Box<dyn Network>)> {
            let transport = self.transport();
            let carried = |inner: Box<dyn Network>, transport: Transport| -> Box<dyn Network> {
                let options = TransportOptions { transport, framing, jitter: None, losses: Vec::new() };
                Box::new(TransportLayer::new(inner, Arc::clone(routes), options, Streams::new(1, 0)))
            };
            let fair = || GeneralFairShare::new(Arc::clone(routes));
            let packet = framing.header + framing.segment;
            let acknowledged = Transport { acknowledgements: true, ..transport };
            vec![
                ("FairShare", carried(Box::new(fair()), transport)),
                ("FairShare, acknowledgements", carried(Box::new(fair().acknowledged(framing)), acknowledged)),
                ("Fifo", carried(Box::new(Fifo::new(Arc::clone(routes), Some(packet), None)), transport)),
                ("Tcp", self.over_tcp(routes, framing, 1)),
            ]
        }

        fn transport(&self) -> Transport {
            Transport {
                set_up: u32::from(self.fresh),
                slow_start: Some(10),
                restart_after_idle: !self.keep_window,
                ..Transport::NONE
            }
        }

        fn over_tcp(&self, routes: &Arc<dyn Routes + Sync>, framing: Framing, seed: u64) -> Box<dyn Network> {
            let transport = Transport { acknowledgements: true, ..self.transport() };
            let room = self.room.unwrap_or(fedbits_emulate::DEEP);
            let queue = if self.fair { network::Queue::Fair } else { network::Queue::Room(Size::Bytes(room as f64)) };
            let lossy = |link| if link > 1 && self.loss > 0.0 { Loss::Bernoulli(self.loss) } else { Loss::Never };
            let links = SharedLinks {
                transport,
                queues: vec![queue; routes.link_count()],
                losses: (0..routes.link_count()).map(lossy).collect(),
                streams: Streams::new(seed, 0),
                ..SharedLinks::plain(Arc::clone(routes), framing)
            };
            let congestion = if self.congestion == "reno" { Congestion::Reno } else { Congestion::Cubic };
            Box::new(TcpPackets::new(links, congestion))
        }

        /// Warms it up and plays the steps; their times count from then on.
        fn run(&self, network: &mut dyn Network, framing: Framing) -> Vec<Timed> {
            let warmed = self.warm_up(network, framing);
            let late = |step: &Step| Step { at_ns: step.at_ns + warmed, ..*step };
            let steps: Vec<Step> = self.steps.iter().map(late).collect();
            let mut played = play(network, framing, &steps);
            for timed in &mut played {
                timed.start_ns -= warmed;
                timed.end_ns = timed.end_ns.map(|end| end - warmed);
            }
            played
        }

        fn over_sockets(
            &self,
            routes: Arc<dyn Routes + Sync>,
            framing: Framing,
            seed: u64,
        ) -> Result<(Vec<Timed>, Report), Failure> {
            let queue = Queue { is_fair: self.fair, ..Queue::default() };
            let queue = Queue { room: self.room.unwrap_or(queue.room), ..queue };
            let nodes = self.clients.len() as u32 + 1;
            let loss = if self.loss > 0.0 { Loss::Bernoulli(self.loss) } else { Loss::Never };
            let wiring = Wiring {
                queue: Arc::new(move |_| queue),
                loss: Arc::new(move |link| if link.0 > 1 { loss } else { Loss::Never }),
                seed,
                ..Wiring::new(nodes, routes, framing)
            };
            let options = Options {
                congestion: self.congestion.clone(),
                connections: if self.fresh { Connections::FirstMessage } else { Connections::Kept },
                keeps_window: self.keep_window,
                pairs: (1..nodes).map(|client| [client, 0]).collect(),
                max_seconds: 3_600,
                ..plain_options()
            };
            let (mut sockets, watch) = Sockets::open(wiring, options)?;
            let played = self.run(&mut sockets, framing);
            drop(sockets);
            match watch.failure() {
                Some(failure) => Err(failure.into()),
                None => Ok((played, watch.report())),
            }
        }

        /// Opens the windows of all connections, one after the other; when that has ended, and some time more.
        fn warm_up(&self, network: &mut dyn Network, framing: Framing) -> u64 {
            if self.warm == 0 {
                return 0;
            }
            let mut end = 0;
            for client in 1..=self.clients.len() as u32 {
                for (from, to) in [(client, 0), (0, client)] {
                    let step = Step { at_ns: end, from, to, bytes: self.warm, reply: None };
                    end = play(network, framing, &[step]).iter().filter_map(|timed| timed.end_ns).max().unwrap_or(end);
                }
            }
            end + 30_000_000
        }
    }
}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            let case: cases::Case = serde_json::from_str(&line)?;
            println!("{}", serde_json::to_string(&case.play()?)?);
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("this needs Linux");
}
