//! Host time of a whole SAEM fit, without the likelihood that a record has.
//!
//! `FEDBITS_DATA=… cargo bench --bench saem`, and `python benches/saem_numpy.py …` beside it: the same algorithm (K₁ =
//! 200, K₂ = 100, one chain, kernels 2 + 2 + 2) vectorized over subjects in numpy. Needs oxboys/ and warfarin/.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, run};
use fedbits_record::Recorder;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Source, load};

/// How often a fit is repeated (the least counts: the machine may be shared).
const REPEATS: usize = 7;

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn seconds(task: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    task();
    start.elapsed().as_secs_f64()
}

fn least(measure: impl Fn() -> f64) -> f64 {
    (0..REPEATS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

const SAEM: &str = "CentralizedSaem(gamma: Saem(k1: 200), \
                    local: Sample(kernel: RandomWalk(), steps: Adapt(rounds: 100)), \
                    domain: Clip(floor: 1e-4), likelihood_draws: Some(0))";

fn scenario(data: &str, model: &str, initial: &str) -> String {
    format!(
        "(name: \"bench\", data: {data}, model: {model}, initial: {initial}, protocol: {SAEM}, stop: (rounds: 300),
          record: (every: 1, probe_every: None))"
    )
}

/// Seconds of a fit, without reading the data.
fn fit(text: &str, folder: &Path) -> f64 {
    let checked = load(Source::new("bench", text), &[]).expect("the benchmark's scenario is right").remove(0);
    let folders = DataFolders { option: Some(folder.to_path_buf()), ..DataFolders::default() };
    let prepared = Preparer::new(folders, false).prepare(&checked.scenario).expect("the data are there");
    let columns = Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record);
    let interrupt = AtomicBool::new(false);
    seconds(|| {
        let outcome = run(prepared.experiment, Recorder::nothing(columns), Observers::default(), &interrupt);
        assert!(!outcome.stop.is_failure(), "the benchmark's run: {}", outcome.stop);
    })
}

/// As in the program.
fn main() {
    let Some(folder) = std::env::var_os("FEDBITS_DATA").map(PathBuf::from) else {
        println!("set FEDBITS_DATA to the folder that holds oxboys/ and warfarin/");
        return;
    };
    let oxboys = scenario(
        r#"Longitudinal(path: "oxboys/Oxboys.csv", subject: Name("Subject"), time: Name("age"), value: Name("height"))"#,
        "MixedEffects(curve: Polynomial(degree: 1))",
        "Typical(values: [140, 1], deviations: [10, 10], sigma: 1)",
    );
    let warfarin = scenario(
        r#"Longitudinal(path: "warfarin/warfarin_nlmixr2data.csv", subject: Name("id"), time: Name("time"),
            value: Name("dv"), doses: Rows(amount: Name("amt")), only: Some(column: Name("dvid"), text: "cp"))"#,
        "MixedEffects(curve: OneCompartmentOral(), effects: Diagonal)",
        "Typical(values: [3, 3, 0.1], deviations: [1, 1, 1], sigma: 1)",
    );
    for (name, text) in [("Oxboys SAEM, 300 iterations", &oxboys), ("warfarin SAEM, 300 iterations", &warfarin)] {
        println!("{name:<34} {:>10.1} ms", least(|| fit(text, &folder)) * 1e3);
    }
}
