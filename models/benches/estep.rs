//! Nanoseconds per observation and component of one E-step with its statistics, on one core.
//!
//! The floor: the useful floating-point operations per observation and component (d = 20, full: 940) at the peak rate
//! of this core, which is measured in the same run. The exponential is not in it. An argument selects the shapes whose
//! name contains it.
//!
//! Beside scikit-learn, one shape in turn, several times, on an idle machine:
//!
//! ```text
//! cargo bench -p fedbits-models --bench estep -- "N = 70000, d = 20, G = 10, full"
//! python3 benches/sklearn_estep.py
//! ```
//!
//! Two turns on a machine that was busy with other programs: 17.7 and 17.8 ns here, 783 and 611 ns there. That ratio
//! (34 to 44) flatters this kernel: the shortest times of slices of 1000 are added here, which load hardly touches, and
//! the shortest of seven whole iterations is taken there, which it lengthens.

use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_models::{Batch, ExactModel, Examples, Model, Scratch};
use pulp::{Arch, Simd, WithSimd};
use std::hint::black_box;
use std::time::Duration;

/// Operations per observation and component at d = 20 with full covariances: 2 per fused multiply-add, 231 entries of φ
/// and 210 + 20 of the whitening, and their offsets.
const OPERATIONS: f64 = 940.0;

fn main() {
    let rate = peak();
    println!("peak {rate:.1} GFLOP/s: floor at d = 20, full {:.2} ns", OPERATIONS / rate);
    println!("{:44} {:>9} {:>9}", "shape", "ns/(o·c)", "µs/pass");
    let data = Data::new(70_000, 20, 10);
    if let Some(full) = whole(&data, Covariance::Full) {
        println!("{:44} {:9.2} × the floor", "", full * rate / OPERATIONS);
    }
    whole(&data, Covariance::Diagonal);
    whole(&data, data.tied());
    clients(&data, Covariance::Full);
    clients(&data, data.tied());
    let small = Data::new(10_000, 2, 2);
    clients(&small, Covariance::Known(vec![1.0, 0.2, 0.2, 1.0]));
    clients(&small, small.tied());
    clients(&small, Covariance::Full);
    whole(&small, Covariance::Known(vec![1.0, 0.2, 0.2, 1.0]));
}

/// Billions of floating-point operations per second in sixteen independent chains of fused multiply-adds.
fn peak() -> f64 {
    let elapsed = best(|| Arch::new().dispatch(Chains)).as_secs_f64();
    let lanes = Arch::new().dispatch(Lanes) as f64;
    (2 * 16 * CHAIN) as f64 * lanes * 1e-9 / elapsed
}

const CHAIN: usize = 100_000;

struct Chains;

impl WithSimd for Chains {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (factor, term) = (simd.splat_f64s(black_box(0.999)), simd.splat_f64s(black_box(0.001)));
        let mut chains = [term; 16];
        for _ in 0..CHAIN {
            for chain in &mut chains {
                *chain = simd.mul_add_f64s(*chain, factor, term);
            }
        }
        black_box(chains);
    }
}

struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F64_LANES
    }
}

/// Observations around G centres, by a congruential generator: their values do not matter for the time.
struct Data {
    rows: Vec<f64>,
    d: usize,
    g: usize,
}

impl Data {
    fn new(n: usize, d: usize, g: usize) -> Self {
        let mut state = 42_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut rows = Vec::with_capacity(n * d);
        for j in 0..n {
            rows.extend((0..d).map(|a| centre(j % g, a) + 6.0 * (uniform() + uniform() - 1.0)));
        }
        Self { rows, d, g }
    }

    fn examples(&self) -> Examples<'_> {
        Examples::new(&self.rows, self.d)
    }

    fn tied(&self) -> Covariance {
        Covariance::Tied { second_moment: second_moment(self.examples()) }
    }
}

fn centre(component: usize, coordinate: usize) -> f64 {
    if coordinate % 10 == component { 2.0 } else { 0.0 }
}

fn prepare(data: &Data, covariance: &Covariance) -> (GaussianMixture, Vec<f64>) {
    let model = GaussianMixture::new(data.g, data.d, covariance.clone()).expect("a valid model");
    let means: Vec<f64> = (0..data.g * data.d).map(|at| centre(at / data.d, at % data.d)).collect();
    let identity: Vec<f64> = (0..data.d).flat_map(|i| (0..=i).map(move |j| if i == j { 5.0 } else { 0.3 })).collect();
    let theta = model.initial_theta(&means, &identity).expect("a valid θ");
    (model, theta)
}

/// One pass over all examples, in slices of 1000 of which each counts with its shortest time.
fn whole(data: &Data, covariance: Covariance) -> Option<f64> {
    let name = format!("N = {}, {}", data.examples().len(), shape(data, &covariance));
    if !is_selected(&name) {
        return None;
    }
    let (model, theta) = prepare(data, &covariance);
    let step = model.conditional(&theta).expect("a density");
    let (mut scratch, mut out) = (Scratch::default(), vec![0.0; model.statistic_dimension()]);
    let examples = data.examples();
    let mut shortest = vec![Duration::MAX; examples.len() / 1000];
    for _ in 0..40 {
        for (shortest, rows) in shortest.iter_mut().zip(data.rows.chunks_exact(1000 * data.d)) {
            let slice = Examples::new(rows, data.d);
            let start = now();
            step.mean_statistics(black_box(slice), Batch::All, &mut scratch, black_box(&mut out));
            *shortest = start.elapsed().min(*shortest);
        }
    }
    let elapsed: Duration = shortest.iter().sum();
    Some(report(&name, elapsed, examples.len() * data.g))
}

/// 100 clients, each with 20 indexed observations: the E-steps of one federated round.
fn clients(data: &Data, covariance: Covariance) {
    let name = format!("100 × b = 20, {}", shape(data, &covariance));
    if !is_selected(&name) {
        return;
    }
    let (model, theta) = prepare(data, &covariance);
    let step = model.conditional(&theta).expect("a density");
    let (mut scratch, mut out) = (Scratch::default(), vec![0.0; model.statistic_dimension()]);
    let examples = data.examples();
    let per_client = examples.len() / 100;
    let indices: Vec<u32> = (0..2000).map(|at| (at / 20 * per_client + at % 20 * 7 % per_client) as u32).collect();
    let elapsed = best(|| {
        for batch in indices.chunks_exact(20) {
            step.mean_statistics(black_box(examples), Batch::Indices(batch), &mut scratch, black_box(&mut out));
        }
    });
    report(&name, elapsed, 2000 * data.g);
}

fn is_selected(name: &str) -> bool {
    let mut wanted = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).peekable();
    wanted.peek().is_none() || wanted.any(|part| name.contains(&part))
}

fn shape(data: &Data, covariance: &Covariance) -> String {
    let name = match covariance {
        Covariance::Known(_) => "known",
        Covariance::Tied { .. } => "tied",
        Covariance::Diagonal => "diagonal",
        Covariance::Full => "full",
    };
    format!("d = {}, G = {}, {name}", data.d, data.g)
}

fn report(name: &str, elapsed: Duration, pairs: usize) -> f64 {
    let nanoseconds = elapsed.as_nanos() as f64 / pairs as f64;
    println!("{name:44} {nanoseconds:9.2} {:9.1}", elapsed.as_nanos() as f64 * 1e-3);
    nanoseconds
}

/// The shortest of many runs within about a second: other programs can only lengthen a run.
fn best(mut run: impl FnMut()) -> Duration {
    let mut shortest = Duration::MAX;
    let mut total = Duration::ZERO;
    while total < Duration::from_millis(1000) {
        let start = now();
        run();
        let elapsed = start.elapsed();
        shortest = shortest.min(elapsed);
        total += elapsed;
    }
    shortest
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}
