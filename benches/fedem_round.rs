//! Host time of a FedEM round, and how much of it is mathematics.
//!
//! `cargo bench --bench fedem_round [-- PART-OF-A-NAME]`. Two shapes: MNIST (n = 100, b = 20, d = 20, G = 10) and
//! synthetic (n = 100, p = .75, b = 20, d = 2, G = 2). The floor is measured in the same run: the E-steps of the same
//! cohorts alone, through the same call that the protocol makes. What is left is engine, network, ledger, digests,
//! codec and records. γ is so small that Ŝ never leaves the domain of T: a skipped round would be cheaper than the
//! rounds that are meant.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::{Journal, Observer};
use fedbits_protocols::run::{Observers, run};
use fedbits_record::Recorder;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_scenarios::{Source, load};

/// As in the program.
/// Rounds of a measurement, and how often it is repeated (the least counts: the machine may be shared).
const ROUNDS: u64 = 400;
const REPEATS: usize = 7;

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn seconds(task: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    task();
    start.elapsed().as_secs_f64()
}

/// A mixture whose components lie apart, in `d` dimensions.
fn scenario(d: usize, components: usize, covariance: &str, protocol: &str, rounds: u64) -> String {
    let weight = 1.0 / components as f64;
    let mean = |g: usize| -> Vec<f64> { (0..d).map(|j| ((g * 7 + j * 3) % 11) as f64 - 5.0).collect() };
    let means: Vec<Vec<f64>> = (0..components).map(mean).collect();
    let unit = |i: usize| -> Vec<f64> { (0..d).map(|j| f64::from(u8::from(i == j))).collect() };
    let identity: Vec<Vec<f64>> = (0..d).map(unit).collect();
    let known = if covariance == "Known" { format!("Known({identity:?})") } else { covariance.to_owned() };
    format!(
        "(name: \"bench\", clients: 100,
          data: GaussianMixture(examples: 20000, weights: {:?}, means: {means:?}, covariance: Common({identity:?})),
          model: GaussianMixture(components: {components}, covariance: {known}),
          initial: Theta(weights: {:?}, means: {means:?}),
          protocol: {protocol}, stop: (rounds: {rounds}), record: (every: 1, probe_every: None))",
        vec![weight; components],
        vec![weight; components],
    )
}

fn prepare(text: &str) -> Prepared {
    let checked = load(Source::new("bench", text), &[]).expect("the benchmark's scenario is right").remove(0);
    Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).expect("and can be prepared")
}

fn play(text: &str) -> f64 {
    let prepared = prepare(text);
    let columns = Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record);
    let place = columns.extra.iter().position(|name| name == "domain_events").expect("FedEM has this column");
    let interrupt = AtomicBool::new(false);
    let events = Rc::new(Cell::new(None));
    let seen = Rc::clone(&events);
    let observer: Observer = Box::new(move |row| seen.set(row.extra[place]));
    let observers = Observers { observer: Some(observer), ..Observers::default() };
    let elapsed = seconds(|| {
        let outcome = run(prepared.experiment, Recorder::nothing(columns), observers, &interrupt);
        assert!(!outcome.stop.is_failure(), "the benchmark's run: {}", outcome.stop);
    });
    assert_eq!(events.get(), Some(0.0), "rounds were skipped: they would be timed as rounds");
    elapsed
}

/// Seconds of the E-steps of one round: `cohort` clients with 20 examples each.
fn e_steps(text: &str, cohort: u32) -> f64 {
    let prepared = prepare(text);
    let subject = prepared.experiment.protocol.subject();
    let (federation, state) = (subject.problem().federation().expect("FedEM has one"), subject.state());
    let clients: Vec<u32> = (0..cohort).collect();
    let mut out = vec![0.0; state.s_hat.len() * clients.len()];
    seconds(|| {
        for round in 0..ROUNDS {
            let e_step = federation.model().conditional(state.theta).expect("the initial value has a density");
            let batch = |i: u32, indices: &mut Vec<u32>| {
                indices.clear();
                indices.extend((0..20).map(|j| (i + j * 9 + round as u32) % 200));
                true
            };
            federation.local_statistics(&clients, e_step.as_ref(), batch, 1, &mut out);
        }
    }) / ROUNDS as f64
}

fn least(measure: impl Fn() -> f64) -> f64 {
    (0..REPEATS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let full = "batch: WithReplacement(20), domain: SkipRound";
    let synthetic =
        format!("FedEm(gamma: Constant(0.01), participation: Bernoulli(0.75), compressor: RandK(k: 3), {full})");
    let mnist = format!("FedEm(gamma: Constant(0.00001), compressor: Dithering(levels: 4), {full})");
    let shapes = [
        ("MNIST shape, tied", 20, 10, "Tied", &mnist, 100, 500e-6),
        ("MNIST shape, full", 20, 10, "Full", &mnist, 100, 500e-6),
        ("synthetic shape", 2, 2, "Known", &synthetic, 75, 40e-6),
    ];
    println!("{:<18} {:>12} {:>12} {:>8} {:>10}", "shape", "µs a round", "E-steps", "rest", "target");
    for (name, d, components, covariance, protocol, cohort, target) in shapes {
        if !name.contains(&wanted) {
            continue;
        }
        let text = |rounds| scenario(d, components, covariance, protocol, rounds);
        let (short, long) = (text(ROUNDS), text(2 * ROUNDS));
        let round = (least(|| play(&long)) - least(|| play(&short))) / ROUNDS as f64;
        let e_step = least(|| e_steps(&short, cohort));
        let rest = 100.0 * (round - e_step) / round;
        println!("{name:<18} {:>12.1} {:>12.1} {rest:>6.0} % {:>10.0}", round * 1e6, e_step * 1e6, target * 1e6);
    }
}
