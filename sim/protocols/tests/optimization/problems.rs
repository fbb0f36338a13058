//! The problems of `make_optimization.py`: their data by formula, and a model whose E-steps are gradient steps.

use crate::golden::golden;
use fedbits_codec::{Draw, Encoded};
use fedbits_models::data::DataSet;
use fedbits_models::{Batch, Descent, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Repairs, Scratch};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::payload::Ahead;
use fedbits_protocols::star::{Addressed, Contribution, Counts, Halves, Outgoing, Received, StarAlgorithm, StarHalves};
use fedbits_random::Streams;
use serde_json::Value;

/// Squares of a x − y, else the logistic loss of y = ±1; y is the last column.
#[derive(Clone, Copy)]
pub struct Loss {
    pub is_squares: bool,
    pub columns: usize,
    pub rho: f64,
    pub ridge: f64,
    pub l1: f64,
}

/// One of the three.
pub struct Case {
    pub name: &'static str,
    pub loss: Loss,
    pub sizes: &'static [u32],
    pub seed: usize,
}

pub const CASES: [Case; 3] = [
    Case {
        name: "ridge",
        loss: Loss { is_squares: true, columns: 5, rho: 0.5, ridge: 0.1, l1: 0.0 },
        sizes: &[3, 5, 7, 9],
        seed: 3,
    },
    Case {
        name: "logistic",
        loss: Loss { is_squares: false, columns: 4, rho: 1.0, ridge: 0.05, l1: 0.0 },
        sizes: &[10, 10, 10, 10],
        seed: 101,
    },
    Case {
        name: "lasso",
        loss: Loss { is_squares: true, columns: 6, rho: 0.4, ridge: 0.02, l1: 0.05 },
        sizes: &[8, 6, 12],
        seed: 59,
    },
];

impl Case {
    pub fn clients(&self) -> u32 {
        self.sizes.len() as u32
    }

    fn entry(&self, j: usize, k: usize) -> f64 {
        ((31 * j * j + 17 * k * k + 7 * j * k + 13 * j + 29 * k + self.seed) % 997) as f64 / 997.0 - 0.5
    }

    pub fn federation(&self) -> Federation {
        let Loss { columns: p, is_squares, .. } = self.loss;
        let total: u32 = self.sizes.iter().sum();
        let row = |j: usize| {
            let last = self.entry(j, p);
            let response = if is_squares { 3.0 * last } else { f64::from(i8::from(last > 0.0)) * 2.0 - 1.0 };
            (0..p).map(move |k| 2.0 * self.entry(j, k)).chain([response])
        };
        let rows = (0..total as usize).flat_map(row).collect();
        let groups = (0..).zip(self.sizes).flat_map(|(i, &size)| vec![i; size as usize]).collect();
        let names = (0..=p).map(|k| format!("a{k}")).collect();
        let data = DataSet::new(names, rows, None, Some(groups)).unwrap();
        let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
        Federation::new(data, Box::new(self.loss), Weighting::Examples, None)
    }

    pub fn start(&self) -> Vec<f64> {
        (0..self.loss.columns).map(|k| 0.5 - 0.25 * k as f64).collect()
    }

    /// Uniforms of round k, counted from 1, at client i.
    pub fn uniforms(&self, k: u64, i: u32) -> Vec<f64> {
        let (k, i) = (k as usize - 1, i as usize);
        let uniform = |j| ((17 * k + 31 * i + 7 * j + 13 * k * i + 3 * i * j + 11 * k * j + 5) % 101) as f64 / 101.0;
        (0..self.loss.columns).map(uniform).collect()
    }
}

impl Model for Loss {
    fn statistic_dimension(&self) -> usize {
        self.columns
    }

    fn parameter_dimension(&self) -> usize {
        self.columns
    }

    fn parameter_names(&self) -> Vec<String> {
        (0..self.columns).map(|k| format!("x{k}")).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        (0..self.columns).map(|k| format!("s{k}")).collect()
    }

    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let shrunk = |s: &f64| s.signum() * (s.abs() - self.rho * self.l1).max(0.0);
        *theta = s.iter().map(shrunk).collect();
        Ok(Repairs::default())
    }

    fn penalty(&self, theta: &[f64]) -> f64 {
        self.l1 * theta.iter().map(|x| x.abs()).sum::<f64>()
    }
}

impl ExactModel for Loss {
    fn example_dimension(&self) -> usize {
        self.columns + 1
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        Ok(Box::new(At { loss: *self, x: theta.to_vec() }))
    }

    fn descent(&self) -> Option<&dyn Descent> {
        Some(self)
    }
}

impl Loss {
    /// λ_max(N⁻¹ Σ a aᵀ) by plain power iteration.
    fn largest_square(&self, examples: Examples<'_>) -> f64 {
        let (p, mut v, mut norm) = (self.columns, vec![1.0; self.columns], 1.0);
        for _ in 0..5_000 {
            let mut next = vec![0.0; p];
            for j in 0..examples.len() {
                let a = &examples.row(j)[..p];
                let along: f64 = a.iter().zip(&v).map(|(a, v)| a * v).sum();
                next.iter_mut().zip(a).for_each(|(n, a)| *n += a * along / examples.len() as f64);
            }
            norm = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            v = next.into_iter().map(|x| x / norm).collect();
        }
        norm
    }
}

impl Descent for Loss {
    fn step(&self) -> f64 {
        self.rho
    }

    fn smoothness(&self, examples: Examples<'_>) -> f64 {
        self.largest_square(examples) * if self.is_squares { 1.0 } else { 0.25 } + self.ridge
    }

    fn strong_convexity(&self) -> f64 {
        self.ridge
    }

    fn classes(&self, _: Examples<'_>, _: &[f64]) -> Option<Vec<u32>> {
        None
    }
}

struct At {
    loss: Loss,
    x: Vec<f64>,
}

impl At {
    fn visit(&self, examples: Examples<'_>, batch: Batch<'_>, out: &mut [f64]) -> f64 {
        let Loss { columns: p, rho, ridge, .. } = self.loss;
        let visited = batch.indices(examples.len());
        let (count, mut gradient, mut total) = (visited.len() as f64, vec![0.0; p], 0.0);
        for j in visited {
            let (a, y) = (&examples.row(j)[..p], examples.row(j)[p]);
            let score: f64 = a.iter().zip(&self.x).map(|(a, x)| a * x).sum();
            let (loss, slope) = if self.loss.is_squares {
                (0.5 * (score - y) * (score - y), score - y)
            } else {
                (libm::log1p(libm::exp(-y * score)), -y / (1.0 + libm::exp(y * score)))
            };
            total += loss / count;
            gradient.iter_mut().zip(a).for_each(|(g, a)| *g += slope * a / count);
        }
        for ((out, x), g) in out.iter_mut().zip(&self.x).zip(gradient) {
            *out = x - rho * (g + ridge * x);
            total += 0.5 * ridge * x * x;
        }
        total
    }
}

impl EStep for At {
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64], _: bool) -> f64 {
        self.visit(examples, batch, out)
    }
}

/// Seed 1: what numpy has been told that it draws.
pub fn streams() -> Streams {
    Streams::new(1, 0)
}

pub fn everybody(clients: u32) -> impl Fn(u64) -> Vec<u32> {
    move |_| (0..clients).collect()
}

/// A round of a protocol by its halves; `uniforms`: what the operators draw, where they are given.
pub fn round<A: StarAlgorithm>(
    halves: &mut Halves<A>,
    k: u64,
    cohort: &[u32],
    uniforms: Option<&dyn Fn(u32) -> Vec<f64>>,
) -> Vec<Contribution> {
    let streams = streams();
    let body = halves.open_round(&streams, k, cohort).unwrap();
    let mut arrived = Vec::new();
    for (position, &client) in cohort.iter().enumerate() {
        let mut encoded = Encoded::new();
        if let Some(uniforms) = uniforms {
            let said = halves.said(&body);
            let Halves { algorithm, clients, memories, .. } = halves;
            let (given, mut scratch, mut counts) = (uniforms(client), Vec::new(), Counts::default());
            let compressor = algorithm.coder(&streams, client, k).compressor;
            let out = Outgoing::plain(compressor, Draw::Given(&given), &mut encoded, &mut counts, &mut scratch);
            let memory = &mut memories[client as usize];
            let mut out = out.remembering(algorithm.uplink().expect("it has one"), memory);
            let (content, ahead) = (&said.content, said.ahead.share(position));
            let received = Received { streams: &streams, round: k, content, ahead, used: None };
            algorithm.client_update(client, &mut clients[client as usize], received, &mut out).unwrap();
        } else {
            let parity = halves.acknowledgement(client);
            let to = Addressed { streams: &streams, position, parity, memory: None };
            halves.receive(client, &body, &to, &mut encoded).unwrap();
        }
        halves.send(&streams, client, k, &encoded).unwrap();
        arrived.push(Contribution { client, encoded: Box::new(encoded), age: 0 });
    }
    halves.step(&streams, k, &arrived).unwrap();
    arrived
}

/// Ŝ after each round of 1 to `rounds`, with the initial memories before where there are some; `look` sees what arrived.
pub fn play<A: StarAlgorithm>(
    halves: &mut Halves<A>,
    rounds: u64,
    cohort: impl Fn(u64) -> Vec<u32>,
    uniforms: Option<&dyn Fn(u64, u32) -> Vec<f64>>,
    mut look: impl FnMut(u64, &[Contribution]),
) -> Vec<Vec<f64>> {
    if halves.conventions().initial_memories {
        round(halves, 0, &cohort(0), None);
    }
    let step = |k: u64| {
        let given = |i: u32| uniforms.map(|uniforms| uniforms(k, i)).unwrap_or_default();
        let arrived = round(halves, k, &cohort(k), uniforms.is_some().then_some(&given as &dyn Fn(u32) -> Vec<f64>));
        look(k, &arrived);
        halves.state().s_hat.to_vec()
    };
    (1..=rounds).map(step).collect()
}

/// The golden file.
pub fn file() -> Value {
    golden("optimization.json")
}
