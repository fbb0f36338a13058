//! The twin of consensus: what agents do in rounds, one message after the other on states of full length, played beside
//! the engine on random graphs, hubs, data and networks. It shares the terms and M-steps of the model, the weights, the
//! hubs and the compressors with the engine, and no code of rounds.

use crate::vpem::common::{PLAIN, Problem, Simulated, assert_close, lossy_world, simulate, streams};
use fedbits_codec::{Dithering, Draw, Encoded, Indices, Lazy, LevelCode, Norm, TopK, WireFloat, framing_bits};
use fedbits_kernel::{Activity, Payload};
use fedbits_models::Batch;
use fedbits_models::gmm::vertical::{Incremental, Singular, Target, VerticalMixture};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::neighbours::NeighbourPayload;
use fedbits_protocols::neighbours::consensus::Consensus;
use fedbits_protocols::neighbours::consensus::choco::ChocoSettings;
use fedbits_protocols::neighbours::consensus::lossy::Missing;
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::hubs::Hubs;
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_protocols::vpem::VpEm;
use fedbits_protocols::vpem::rules::VpBatch;
use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_record::Fate;
use fedbits_spec::laws::DurationLaw;
use fedbits_spec::{Choice, Duration};

const ITERATIONS: u64 = 3;

/// A vector for every agent: K rows of one number per visited example.
type Vectors = Vec<Vec<f64>>;

/// When a message set out, and when it arrived (none: never).
type Flight = (u64, Option<u64>);

/// What the network did.
struct Flights {
    /// The messages of rounds from agent to agent, in order.
    of: Vec<Vec<Vec<Flight>>>,
    /// When every agent began to compute.
    computing: Vec<Vec<u64>>,
}

impl Flights {
    fn of(simulated: &Simulated, n: usize) -> Self {
        let mut flights = Self { of: vec![vec![Vec::new(); n]; n], computing: vec![Vec::new(); n] };
        for span in simulated.engine.context().spans().unwrap() {
            let [began, ended] = span.times.map(|time| time.as_nanos());
            match span.activity {
                Activity::Compute { node, .. } => flights.computing[node.0 as usize].push(began),
                Activity::Transfer { ends: [from, to], purpose, fate, .. }
                    if NeighbourPayload::PURPOSES[usize::from(purpose.0)] == "consensus" =>
                {
                    let arrived = matches!(fate, Fate::Delivered | Fate::Late).then_some(ended);
                    flights.of[from.0 as usize][to.0 as usize].push((began, arrived));
                }
                _ => {}
            }
        }
        flights.of.iter_mut().flatten().for_each(|flights| flights.sort_by_key(|flight| flight.0));
        flights
    }

    /// Of two messages that set out in one instant nobody can tell from the trace which was the first: do they share
    /// their fate?
    fn are_clear(&self) -> bool {
        let mut pairs = self.of.iter().flatten().flat_map(|flights| flights.windows(2));
        pairs.all(|pair| pair[0].0 < pair[1].0 || pair[0].1 == pair[1].1)
    }

    /// When agent `i` ended round `s` of `rounds` in iteration `t`: then it sends the next messages, or computes.
    fn end(&self, i: usize, (t, s, rounds): (usize, usize, usize)) -> u64 {
        let sent = self.of[i].iter().find(|flights| !flights.is_empty()).unwrap();
        match s + 1 < rounds {
            true => sent[(t - 1) * rounds + s + 1].0,
            false => self.computing[i].get(t).copied().unwrap_or(u64::MAX),
        }
    }
}

/// A world and a state of the EM.
struct Twin {
    graph: Graph,
    hubs: Hubs,
    /// W, and its second largest modulus.
    w: Vectors,
    slem: f64,
    consensus: Consensus,
    impatient: bool,
    mixture: VerticalMixture,
    batch: VpBatch,
    memory: Option<Incremental>,
    thetas: Vec<Vec<f64>>,
    /// z, ẑ and the starts of the last iteration.
    tracked: Option<[Vectors; 3]>,
    flights: Flights,
}

impl Twin {
    fn n(&self) -> usize {
        self.graph.len()
    }

    /// W z.
    fn mixed(&self, z: &Vectors) -> Vectors {
        let entry = |row: &Vec<f64>, at: usize| row.iter().zip(z).map(|(w, z)| w * z[at]).sum();
        self.w.iter().map(|row| (0..z[0].len()).map(|at| entry(row, at)).collect()).collect()
    }

    /// S rounds of z ← W z, or T_S(W/λ) / T_S(1/λ) of Chebyshev's polynomials.
    fn linear(&self, start: &Vectors, rounds: u32, chebyshev: bool) -> Vectors {
        if !chebyshev || self.slem < 1e-6 {
            return (0..rounds).fold(start.clone(), |z, _| self.mixed(&z));
        }
        let x = self.slem.recip();
        let (mut before, mut now) = ((1.0, start.clone()), (x, self.mixed(start)));
        now.1.iter_mut().flatten().for_each(|z| *z *= x);
        for _ in 0..rounds {
            let mut next = (2.0 * x * now.0 - before.0, self.mixed(&now.1));
            let pairs = next.1.iter_mut().flatten().zip(before.1.iter().flatten());
            pairs.for_each(|(z, before)| *z = 2.0 * x * *z - before);
            before = std::mem::replace(&mut now, next);
        }
        before.1.iter_mut().flatten().for_each(|z| *z /= before.0);
        before.1
    }

    /// Rounds until nobody's state changes much, and as many more as news travels.
    fn adaptive(&self, start: &Vectors, tolerance: f64, at_most: u32, chebyshev: bool) -> u32 {
        let square = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let is_calm = |s: u32| {
            let (before, now) = (self.linear(start, s - 1, chebyshev), self.linear(start, s, chebyshev));
            let change = |i: usize| square(&now[i], &before[i]) / square(&start[i], &vec![0.0; start[i].len()]);
            (0..self.n()).all(|i| change(i) < tolerance * tolerance)
        };
        let calm = (1..=at_most).find(|&s| is_calm(s));
        calm.map_or(at_most, |s| (s + self.graph.diameter(&|_| true)).min(at_most))
    }

    /// z after the rounds of CHOCO, and the bits of all messages.
    fn choco(&mut self, start: &Vectors, settings: &ChocoSettings, t: u64) -> (Vectors, u64) {
        let compressor = settings.compressor.build(WireFloat::F32, self.n() as u32);
        let none = vec![vec![0.0; start[0].len()]; self.n()];
        let fresh = [start.clone(), none, start.clone()];
        let [mut z, mut copies, last] = self.tracked.take().filter(|_| settings.tracking).unwrap_or(fresh);
        for (z, (new, old)) in z.iter_mut().flatten().zip(start.iter().flatten().zip(last.iter().flatten())) {
            *z += new - old;
        }
        let (visited, mut bits) = (start[0].len() / 2, 0);
        for round in 0..settings.rounds {
            for i in 0..self.n() {
                let mut length = 0;
                for (block, first) in (0..visited).step_by(32).enumerate() {
                    let columns: Vec<usize> =
                        (0..2).flat_map(|k| (first..visited.min(first + 32)).map(move |m| k * visited + m)).collect();
                    let gap: Vec<f64> = columns.iter().map(|&c| z[i][c] - copies[i][c]).collect();
                    let (entity, index) = ((i as u64) << 32 | block as u64, t << 32 | u64::from(round));
                    let key = streams().counter(DrawPurpose::Compression, entity, index);
                    let (mut encoded, mut decoded) = (Encoded::new(), vec![0.0; gap.len()]);
                    compressor.encode(&gap, Draw::Keyed(key), &mut encoded).unwrap();
                    let shrunk = |omega: f64| 1.0 / (1.0 + omega);
                    let c = compressor
                        .contraction(gap.len())
                        .map_or_else(|| shrunk(compressor.omega(gap.len()).unwrap()), |_| 1.0);
                    compressor.add_decoded(&encoded, c, &mut decoded);
                    columns.iter().zip(decoded).for_each(|(&c, decoded)| copies[i][c] += decoded);
                    let more = first + 32 < visited;
                    length += encoded.bits() + if more { framing_bits(compressor.as_ref(), &encoded) } else { 0 };
                }
                bits += length * self.graph.degree(i as u32) as u64;
            }
            let moved = self.mixed(&copies);
            for i in 0..self.n() {
                let moves = moved[i].iter().zip(&copies[i]);
                z[i].iter_mut().zip(moves).for_each(|(z, (moved, copy))| *z += settings.step * (moved - copy));
            }
        }
        self.tracked = Some([z.clone(), copies, start.clone()]);
        (z, bits)
    }

    /// Rounds with the messages that the network delivered in time. Agent i uses the message of the round, or the newest
    /// one that has come since it last used one.
    fn lossy(&self, start: &Vectors, kind: Missing, rounds: usize, t: usize) -> Vectors {
        let (n, mut z) = (self.n(), start.clone());
        if kind == Missing::PushSum {
            z.iter_mut().for_each(|x| x.push(1.0));
        }
        let mut used = vec![vec![None; n]; n];
        let (mut sums, mut sent) = (vec![vec![0.0; z[0].len()]; n], Vec::new());
        for s in 0..rounds {
            for i in (0..n).filter(|_| kind == Missing::PushSum) {
                z[i].iter_mut().for_each(|x| *x /= (self.graph.degree(i as u32) + 1) as f64);
                sums[i].iter_mut().zip(&z[i]).for_each(|(sum, x)| *sum += x);
            }
            sent.push(if kind == Missing::PushSum { sums.clone() } else { z.clone() });
            for i in 0..n {
                let end = if self.impatient { self.flights.end(i, (t, s, rounds)) } else { u64::MAX };
                for &j in self.graph.neighbours(i as u32) {
                    let (j, mut fresh) = (j as usize, used[i][j as usize].map_or(0, |used: usize| used + 1)..s + 1);
                    let came = |&r: &usize| self.flights.of[j][i][(t - 1) * rounds + r].1.is_some_and(|at| at <= end);
                    let Some(r) = fresh.rfind(came) else { continue };
                    for c in 0..z[i].len() {
                        z[i][c] += match (kind, used[i][j]) {
                            (Missing::Substitute, _) => self.w[i][j] * (sent[r][j][c] - sent[s][i][c]),
                            (Missing::PushSum, Some(used)) => sent[r][j][c] - sent[used][j][c],
                            (Missing::PushSum, None) => sent[r][j][c],
                        };
                    }
                    used[i][j] = Some(r);
                }
            }
        }
        if kind == Missing::PushSum {
            z.iter_mut().for_each(|x| {
                let w = x.pop().unwrap();
                x.iter_mut().for_each(|x| *x /= w);
            });
        }
        z
    }

    /// Iteration `t`: what roots miss, how many rounds there were, and the bits of its messages.
    fn iterate(&mut self, t: u64) -> [f64; 3] {
        let total = self.mixture.examples() as u32;
        let visited: Vec<u32> = match self.batch {
            VpBatch::InTurn(size) if t > 1 => (0..size).map(|at| ((t as u32 - 2) * size + at) % total).collect(),
            _ => (0..total).collect(),
        };
        let batch = Batch::Indices(&visited);
        let terms = |b| self.mixture.terms(&self.thetas, b, batch).unwrap();
        let terms: Vectors = (0..self.hubs.len()).map(terms).collect();
        let start = |i: usize| {
            let hub = self.hubs.of(i as u32) as usize;
            let share = self.n() as f64 / self.hubs.hubs()[hub].agents.len() as f64;
            terms[hub].iter().map(|q| -0.5 * share * q).collect()
        };
        let start: Vectors = (0..self.n()).map(start).collect();
        let (links, floats) = (2 * self.graph.links() as u64, 64 * start[0].len() as u64);
        let plain = |rounds: u32, more: u64| u64::from(rounds) * links * (floats + more);
        let (z, rounds, bits) = match self.consensus.clone() {
            Consensus::Rounds(rounds) => (self.linear(&start, rounds, false), rounds, plain(rounds, 0)),
            Consensus::Chebyshev(rounds) => (self.linear(&start, rounds, true), rounds, plain(rounds, 0)),
            Consensus::Adaptive { tolerance, at_most, chebyshev } => {
                let rounds = self.adaptive(&start, tolerance, at_most, chebyshev);
                let diameter = u64::from(self.graph.diameter(&|_| true));
                (self.linear(&start, rounds, chebyshev), rounds, plain(rounds, diameter))
            }
            Consensus::Lossy { rounds, missing, .. } => {
                let more = if missing == Missing::PushSum { 64 } else { 0 };
                (self.lossy(&start, missing, rounds as usize, t as usize), rounds, plain(rounds, more))
            }
            Consensus::Choco(settings) => {
                let (z, bits) = self.choco(&start, &settings, t);
                (z, settings.rounds, bits)
            }
        };
        let k = self.mixture.components();
        let weights: Vectors = self.thetas.iter().map(|theta| theta[..k].to_vec()).collect();
        let targets: Vec<_> =
            (0..).zip(&weights).map(|(b, weights)| Target { weights, statistics_of: Some(b) }).collect();
        let (mut first, roots) = (0, self.hubs.hubs());
        let mut mix = |_: &[f64], used: usize, seen: &mut [f64]| {
            for (seen, hub) in seen.chunks_exact_mut(k * 32).zip(roots) {
                for (seen, z) in seen.chunks_exact_mut(32).zip(z[hub.root as usize].chunks_exact(visited.len())) {
                    seen[..used].copy_from_slice(&z[first..first + used]);
                }
            }
            first += used;
        };
        let estimates = self.mixture.pass(&self.thetas, &targets, batch, &mut mix, self.memory.as_mut()).unwrap();
        let squares: f64 = estimates.iter().map(|estimate| estimate.error_sq).sum();
        let next = |(b, statistics): (usize, &Vec<f64>)| self.mixture.maximize(b, statistics, Singular::Error).unwrap();
        self.thetas = estimates.iter().map(|estimate| &estimate.statistics).enumerate().map(next).collect();
        let leaves = (self.n() - self.hubs.len()) as u64;
        [(squares / self.hubs.len() as f64).sqrt(), f64::from(rounds), (bits + leaves * floats) as f64]
    }
}

/// One of all kinds of consensus, in turn.
fn consensus(number: u64, stream: &mut Stream) -> Consensus {
    let mut below = |n: u64| stream.below(n) as u32;
    let (tolerance, rounds) = ([1e-1, 1e-2, 1e-4][below(3) as usize], 1 + below(12));
    let choco = |compressor, tracking| Consensus::Choco(ChocoSettings { compressor, step: 0.5, rounds, tracking });
    let dithering = Dithering { s: 3, r: Norm::Infinity, code: LevelCode::Fixed, wire: WireFloat::F32 };
    let patience = Some(Duration::Ms(15.0));
    match number % 12 {
        0 => Consensus::Rounds(rounds - 1),
        1 => Consensus::Chebyshev(rounds - 1),
        2 | 3 => Consensus::Adaptive { tolerance, at_most: 30, chebyshev: number % 12 == 3 },
        4 => choco(Choice::default(), true),
        5 => choco(Choice::of(dithering), false),
        6 => choco(Choice::of(TopK::new(1, Indices::Enumerative, WireFloat::F32)), true),
        7 => choco(Choice::of(Lazy { p: 0.8, wire: WireFloat::F32 }), false),
        8 => Consensus::Lossy { rounds, missing: Missing::PushSum, patience: None },
        9 => Consensus::Lossy { rounds, missing: Missing::Substitute, patience: None },
        10 => Consensus::Lossy { rounds, missing: Missing::PushSum, patience },
        _ => Consensus::Lossy { rounds, missing: Missing::Substitute, patience },
    }
}

/// The links of a connected graph.
fn random_links(stream: &mut Stream) -> Vec<(u32, u32)> {
    let agents = 2 + stream.below(6) as u32;
    let mut links: Vec<(u32, u32)> = (1..agents).map(|a| (stream.below(u64::from(a)) as u32, a)).collect();
    for _ in 0..stream.below(u64::from(agents)) {
        let [a, b] = [0; 2].map(|_| stream.below(u64::from(agents)) as u32);
        if a != b && !links.contains(&(a, b)) && !links.contains(&(b, a)) {
            links.push((a, b));
        }
    }
    links
}

/// What roots miss, rounds and bits of every iteration, and θ at the end: 1e-9 after scaling by max(1, |x|). False where
/// the trace does not tell which message was lost.
fn play(seed: u64) -> bool {
    let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 7, 7);
    let links = random_links(&mut stream);
    let problem = Problem::random(seed, &links, 40 + stream.below(40) as usize);
    let consensus = consensus(seed, &mut stream);
    let (is_lossy, impatient) = match consensus {
        Consensus::Lossy { patience, .. } => (true, patience.is_some()),
        _ => (false, false),
    };
    // The end of the last round is seen at roots only.
    let hops = if impatient { 0 } else { stream.below(3) as u32 };
    let tracks = matches!(&consensus, Consensus::Choco(choco) if choco.tracking);
    let batch = if tracks || stream.below(2) == 0 { VpBatch::All } else { VpBatch::InTurn(33) };
    let settings = VpEm { batch, ..PLAIN };
    let jitter = DurationLaw::Exponential { mean: Duration::Ms(10.0) };
    let world = lossy_world(&problem, if is_lossy { 0.2 } else { 0.0 }, Some(jitter));
    let simulated = simulate(problem.algorithm(hops, &consensus, settings.clone()), world, Some(ITERATIONS));
    assert_eq!(simulated.rows.len() as u64, 1 + ITERATIONS, "world {seed}: {}", simulated.stop);

    let (graph, hubs) = (problem.graph(), problem.hubs(hops));
    let flights = Flights::of(&simulated, graph.len());
    if is_lossy && !flights.are_clear() {
        return false;
    }
    let averaging = Averaging::new(&Weights::Metropolis, &graph).unwrap();
    let fit = problem.fit(&hubs, settings);
    let mixture = fit.mixture.clone();
    let mut twin = Twin {
        w: averaging.dense().chunks_exact(graph.len()).map(<[f64]>::to_vec).collect(),
        slem: averaging.slem(),
        impatient,
        memory: (batch != VpBatch::All).then(|| mixture.incremental(hubs.len())),
        thetas: mixture.split(&problem.theta),
        tracked: None,
        flights,
        graph,
        hubs,
        consensus,
        mixture,
        batch,
    };
    let mut rounds = 0.0;
    for t in 1..=ITERATIONS as usize {
        let [error, more, bits] = twin.iterate(t as u64);
        rounds += more;
        let columns = ["consensus_error", "consensus_rounds", "iteration_bits"];
        let found = columns.map(|name| simulated.column(name)[t].unwrap());
        let what = format!("world {seed}, iteration {t} of {:?}", twin.consensus);
        assert_close(&what, &found, &[error, rounds, bits]);
    }
    let found = simulated.algorithm.state().theta;
    assert_close(&format!("world {seed}: θ"), found, &twin.mixture.join(&twin.thetas));
    true
}

#[test]
fn agents_do_what_their_twins_do() {
    let played = (0..120).filter(|&seed| play(seed)).count();
    assert!(played >= 90, "{played} of 120 worlds have clear traces");
}
