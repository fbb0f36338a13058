//! Transfers over real sockets and over simulated networks: reads cases as JSON, one a line, and writes what they took,
//! one JSON object a line.
//!
//! ```text
//! echo '{"name": "alone", "server": [100e6, 100e6], "clients": [[10e6, 10e6, 0.02]], "warm": 0,
//!   "steps": [{"at_ns": 0, "from": 1, "to": 0, "bytes": 20000}]}' | cargo run -p fedbits-emulate --example transfers
//! ```
//!
//! Rates are in bit/s (up, down), latencies in seconds; node 0 is the server. `warm` bytes go both ways on every
//! connection before a case begins.

#[cfg(target_os = "linux")]
mod cases {
    use std::sync::Arc;

    use fedbits_emulate::script::{Step, Timed, play};
    use fedbits_emulate::{Connections, Discipline, Options, Queue, Report, Sockets, Wiring};
    use fedbits_kernel::network::{AccessLink, Network, Routes, SharingSetting, StarLinks, StoreAndForward};
    use fedbits_kernel::network::{FairShare, Ideal};
    use fedbits_kernel::{Bits, Framing, Rate, TimeDelta};
    use serde::{Deserialize, Serialize};

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
        per_message: bool,
        #[serde(default)]
        keep_window: bool,
        #[serde(default)]
        fair: bool,
        #[serde(default)]
        room: Option<u64>,
    }

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
        fair_share: Vec<Timed>,
        fifo: Vec<Timed>,
        ideal: Vec<Timed>,
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
        pub fn play(&self) -> Result<Took, Failure> {
            let star = Arc::new(self.star()?);
            let routes = Arc::clone(&star) as Arc<dyn Routes + Sync>;
            let [header, segment] = self.framing.map(|bytes| Bits::new(8 * bytes));
            let framing = Framing { header, segment };
            let on = |mut network: Box<dyn Network>| play(&mut *network, framing, &self.steps);
            let fifo = StoreAndForward { unit: Default::default(), buffer: None };
            let (mut real, mut reports) = (Vec::new(), Vec::new());
            for _ in 0..self.repeat {
                let (played, report) = self.over_sockets(Arc::clone(&routes), framing)?;
                real.push(played);
                reports.push(report);
            }
            Ok(Took {
                name: self.name.clone(),
                fair_share: on(FairShare.build(Arc::clone(&routes), framing)),
                fifo: on(fifo.build(Arc::clone(&routes), framing)),
                ideal: on(Box::new(Ideal::new(routes))),
                real,
                reports,
            })
        }

        fn over_sockets(
            &self,
            routes: Arc<dyn Routes + Sync>,
            framing: Framing,
        ) -> Result<(Vec<Timed>, Report), Failure> {
            let discipline = if self.fair { Discipline::Fair } else { Discipline::Fifo };
            let queue = Queue { discipline, ..Queue::default() };
            let queue = Queue { room: self.room.unwrap_or(queue.room), ..queue };
            let nodes = self.clients.len() as u32 + 1;
            let wiring = Wiring { queue: Arc::new(move |_| queue), ..Wiring::new(nodes, routes, framing) };
            let options = Options {
                congestion: self.congestion.clone(),
                connections: if self.per_message { Connections::PerMessage } else { Connections::Kept },
                keeps_window: self.keep_window,
                pairs: (1..nodes).map(|client| [client, 0]).collect(),
                max_seconds: 3_600,
                ..Options::default()
            };
            let (mut sockets, watch) = Sockets::open(wiring, options)?;
            let warmed = self.warm_up(&mut sockets, framing);
            let late = |step: &Step| Step { at_ns: step.at_ns + warmed, ..*step };
            let steps: Vec<Step> = self.steps.iter().map(late).collect();
            let mut played = play(&mut sockets, framing, &steps);
            for timed in &mut played {
                timed.start_ns -= warmed;
                timed.end_ns = timed.end_ns.map(|end| end - warmed);
            }
            drop(sockets);
            match watch.failure() {
                Some(failure) => Err(failure.into()),
                None => Ok((played, watch.report())),
            }
        }

        /// Opens the windows of all connections, one after the other; when that has ended, and some time more.
        fn warm_up(&self, sockets: &mut Sockets, framing: Framing) -> u64 {
            if self.warm == 0 {
                return 0;
            }
            let mut end = 0;
            for client in 1..=self.clients.len() as u32 {
                for (from, to) in [(client, 0), (0, client)] {
                    let step = Step { at_ns: end, from, to, bytes: self.warm, reply: None };
                    end = play(sockets, framing, &[step]).iter().filter_map(|timed| timed.end_ns).max().unwrap_or(end);
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
