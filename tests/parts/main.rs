//! The worked examples of `docs/extending.md`, each used from a scenario as a user's crate would use it.

/// Methods that do what those of a field do.
macro_rules! of_field {
    ($field:ident: $(fn $method:ident(&self $(, $name:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        $(fn $method(&self $(, $name: $type)*) $(-> $result)? {
            self.$field.$method($($name),*)
        })*
    };
}

#[expect(dead_code, reason = "its `main` and its own test are for the program")]
#[path = "../../docs/examples/availability.rs"]
mod availability;
#[expect(dead_code, reason = "its `main` and its own test are for the program")]
#[path = "../../docs/examples/compressor.rs"]
mod compressor;
#[expect(dead_code, reason = "its `main` is for the program")]
#[path = "../../docs/examples/data.rs"]
mod data;
mod failures;
#[expect(dead_code, reason = "its `main` and its own test are for the program")]
#[path = "../../docs/examples/fedmm.rs"]
mod fedmm;
#[expect(dead_code, reason = "its `main` is for the program")]
#[path = "../../docs/examples/figure.rs"]
mod figure;
#[expect(dead_code, reason = "its `main` and its own tests are for the program")]
#[path = "../../docs/examples/model.rs"]
mod model;
#[expect(dead_code, reason = "its `main` and its own test are for the program")]
#[path = "../../docs/examples/network.rs"]
mod network;
mod panics;
mod predictions;
#[expect(dead_code, reason = "its `main` and its own test are for the program")]
#[path = "../../docs/examples/protocol.rs"]
mod protocol;
mod sparse;

use fedbits::kernel::{AvailabilitySetting, NodeId, Presence, Time};
use fedbits::random::Streams;
use fedbits::reports::{Figures, Format, ReportOptions, Style, open_folders};
use fedbits::spec::Described;
use fedbits::{Error, Record, RunOptions, Scenario, report, run};
use serde::{Deserialize, Serialize};

/// The quickstart with five rounds, and some of its fields set.
fn quickstart(sets: &[(&str, &str)]) -> Scenario {
    let short = Scenario::load("quickstart").unwrap().set("arms", "[]").set("stop.rounds", "5");
    sets.iter().fold(short, |scenario, (path, value)| scenario.set(path, value))
}

/// Bits of one contribution to the last round, where everybody takes part.
fn contribution_bits(compressor: &str) -> u64 {
    let arms = quickstart(&[("protocol.compressor", compressor), ("protocol.floats", "F32")]).arms().unwrap();
    let rounds = run(&arms[0], &RunOptions::default()).unwrap().rounds;
    let [.., before, last] = &rounds[..] else { panic!("five rounds") };
    assert_eq!((last.round, last.arrived), (5, last.selected));
    (last.bits_up - before.bits_up) / last.arrived
}

/// Each of the 30 clients is there in one of three shifts: nobody else takes part.
#[test]
fn an_availability_is_named_checked_and_asked() {
    let _app = availability::app();
    let shifts = |text| quickstart(&[("availability", text), ("protocol.participation", "All")]).arms();
    let rounds =
        run(&shifts("Shifts(length: Sec(3600), shifts: 3)").unwrap()[0], &RunOptions::default()).unwrap().rounds;
    assert_eq!(rounds.last().map(|round| (round.round, round.arrived)), Some((5, 10)));
    let problems = shifts("Shifts(length: Sec(10), shifts: 0)").unwrap_err().to_string();
    assert!(problems.contains("expected a whole number from 1 to 100"), "{problems}");
}

/// Nobody is there, and everybody is said to be back at once.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stuck {}

impl AvailabilitySetting for Stuck {
    fn build(&self, _: usize) -> Box<dyn Presence> {
        Box::new(self.clone())
    }

    fn examples() -> Vec<Self> {
        vec![Self {}]
    }
}

impl Presence for Stuck {
    fn is_available(&mut self, _: &Streams, _: NodeId, _: u64, _: Time) -> bool {
        false
    }

    fn next_after(&mut self, _: &Streams, _: NodeId, now: Time) -> Option<Time> {
        Some(now)
    }

    fn until(&mut self, _: &Streams, _: NodeId, _: Time) -> Option<Time> {
        None
    }
}

#[test]
fn a_time_that_is_not_later_ends_the_run() {
    let _app = fedbits::App::new().availability::<Stuck>();
    let arms = quickstart(&[("availability", "Stuck")]).arms().unwrap();
    let stop = run(&arms[0], &RunOptions::default()).unwrap().manifest.stop_reason;
    assert!(stop.starts_with("failed: the availability has client 0 away at"), "{stop}");
}

#[test]
fn a_compressor_is_named_checked_and_charged() {
    let _app = compressor::app();
    let q = contribution_bits("Identity") / 32;
    assert_eq!(contribution_bits("OneEntry"), u64::from(q.next_power_of_two().trailing_zeros()) + 32);
    let problems = quickstart(&[("protocol.compressor", "OneEntri")]).arms().unwrap_err().to_string();
    assert!(problems.contains("did you mean `OneEntry`?"), "{problems}");
}

#[test]
fn a_source_of_data_is_named_checked_and_read() {
    let _app = data::app();
    let circle = |data| quickstart(&[("data", data), ("partition", "Iid"), ("protocol.compressor", "Identity")]).arms();
    let arms = circle("Circle(examples: 300, noise: 0.1)").unwrap();
    let rounds = run(&arms[0], &RunOptions::default()).unwrap().rounds;
    assert_eq!(rounds.last().map(|round| round.round), Some(5));
    let problems = circle("Circle(examples: 0)").unwrap_err().to_string();
    assert!(problems.contains("expected a whole number from 1 to 1000000"), "{problems}");
    let problems = circle("Circle(examples: 20)").unwrap_err().to_string();
    assert!(problems.contains("30 clients share 20 examples"), "{problems}");
}

/// A round is a broadcast and an answer: each takes 250 ms more than without contention.
#[test]
fn a_model_of_sharing_is_named_checked_and_simulated() {
    let _app = network::app();
    let scenario = |sharing: &str| quickstart(&[("network", &format!("(sharing: {sharing})"))]).arms();
    let last_round = |sharing: &str| {
        let rounds = run(&scenario(sharing).unwrap()[0], &RunOptions::default()).unwrap().rounds;
        let [.., before, last] = &rounds[..] else { panic!("five rounds") };
        last.time_ns - before.time_ns
    };
    assert_eq!(last_round("Satellite(delay: Ms(250))") - last_round("Ideal"), 2 * 250_000_000);
    let problems = scenario("Satellite(delay: Ms(-1))").unwrap_err().to_string();
    assert!(problems.contains("from 0 to a year"), "{problems}");
    let background = "background: OnOff(flows: 1, mean_off: Sec(1), mean_size: KiB(1))";
    let problems = scenario(&format!("Satellite(delay: Ms(1)), {background}")).unwrap_err().to_string();
    assert!(problems.contains("with `sharing: Satellite` nobody slows anybody"), "{problems}");
    let trace = "up_trace: Steps(rows: [[(lasts: Sec(1), rate: Mbps(1))]])";
    let problems = scenario(&format!("Satellite(delay: Ms(1)), {trace}")).unwrap_err().to_string();
    assert!(problems.contains("`sharing: Satellite` does not follow rates that vary"), "{problems}");
}

/// FedEM of a mixture of Poisson laws over a file of counts; `values` are its lines.
fn poisson(values: &str, sets: &[(&str, &str)]) -> Result<Vec<Record>, Error> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("counts.csv"), format!("count\n{values}")).unwrap();
    let text = r#"(name: "counts", data: Csv(path: "counts.csv", header: true), clients: Some(2),
        model: PoissonMixture(components: 2), initial: RandomExamples,
        protocol: FedEm(gamma: Constant(1), memory: NoMemory), stop: (rounds: 30))"#;
    let file = folder.path().join("counts.ron");
    std::fs::write(&file, text).unwrap();
    let scenario = Scenario::load(file.to_str().unwrap())?;
    let scenario = sets.iter().fold(scenario, |scenario, (path, value)| scenario.set(path, value));
    scenario.arms()?.iter().map(|arm| run(arm, &RunOptions::default())).collect()
}

#[test]
fn a_model_is_named_checked_and_fitted() {
    let _app = model::app();
    let values = "0\n1\n1\n2\n3\n9\n11\n12\n12\n15\n";
    let record = &poisson(values, &[]).unwrap()[0];
    let objectives: Vec<f64> = record.rounds.iter().filter_map(|round| round.objective).collect();
    assert!(objectives.len() > 2 && objectives.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9), "{objectives:?}");
    let problems = |values: &str, sets: &[(&str, &str)]| poisson(values, sets).err().unwrap().to_string();
    let said = |expected: &str, problems: String| assert!(problems.contains(expected), "{problems}");
    said("did you mean `PoissonMixture`?", problems(values, &[("model", "PoisonMixture(components: 2)")]));
    said("expected a whole number from 1 to 100", problems(values, &[("model.components", "0")]));
    said("expected `RandomExamples` or `KMeansPlusPlus(…)`", problems(values, &[("initial", "KMeans()")]));
    said(
        "cannot fit `PoissonMixture(…)`",
        problems(values, &[("protocol", "FlSaem(gamma: Constant(1), local: Expect)")]),
    );
    said("example 1 (counted from 0): column `count` is 1.5", problems("0\n1.5\n", &[]));
    let two = r#"RandomMixture(examples: 60, features: 2, components: 2, separation: 3)"#;
    said("the data have 2 features, and `PoissonMixture` is of data with 1", problems(values, &[("data", two)]));
}

/// With p = 1 and nothing compressed it is EM. In general it is FedEM whose α is α/p: of an operator that scales with its
/// vector it does not matter on which side weights are applied. No statistic leaves the domain of T: FedMM would project it.
#[test]
fn a_protocol_with_memories_is_an_estimator_over_the_uplink() {
    let _app = fedmm::app();
    let rounds = |protocol| {
        let arms = quickstart(&[("protocol", protocol), ("record.probe_every", "1")]).arms().unwrap();
        run(&arms[0], &RunOptions::default()).unwrap().rounds
    };
    let compressed = "FedEm(gamma: 0.01, alpha: 0.04, memory: Memory(initial: Zero), participation: Bernoulli(0.5), \
                      compressor: RandK(k: 3), domain: Clip(floor: 1e-6))";
    for (mm, other) in [
        ("FedMm(gamma: 1, rate: 1, probability: 1, compressor: Identity)", "DistributedEm()"),
        ("FedMm(gamma: 0.01, rate: 0.04, probability: 0.5, compressor: RandK(k: 3))", compressed),
    ] {
        for (mm, other) in rounds(mm).iter().zip(&rounds(other)) {
            let difference = mm.objective.unwrap() - other.objective.unwrap();
            assert!(difference.abs() < 1e-9, "round {}: {difference:e}", other.round);
            assert_eq!(mm.bits_up, other.bits_up);
        }
    }
}

/// With γ = 1 it is EM: bits and objectives are those of distributed EM.
#[test]
fn a_protocol_is_named_checked_run_and_drawn() {
    let _app = protocol::app();
    let scenario = |protocol| quickstart(&[("protocol", protocol), ("record.probe_every", "1")]);
    let arms = |protocol| scenario(protocol).arms();
    let rounds = |protocol| run(&arms(protocol).unwrap()[0], &RunOptions::default()).unwrap().rounds;
    let (damped, em) = (rounds("DampedEm(gamma: 1)"), rounds("DistributedEm()"));
    assert_eq!((damped.len(), damped[5].bits_up), (6, em[5].bits_up));
    for (damped, em) in damped.iter().zip(&em) {
        let difference = damped.objective.unwrap() - em.objective.unwrap();
        assert!(difference.abs() < 1e-9, "round {}: {difference:e}", em.round);
    }
    let problems = arms("DampedEn(gamma: 1)").unwrap_err().to_string();
    assert!(problems.contains("did you mean `DampedEm`?"), "{problems}");
    let problems = arms("DampedEm(gamma: 2)").unwrap_err().to_string();
    assert!(problems.contains("expected a number in (0, 1]"), "{problems}");
    let early = quickstart(&[("protocol", "DampedEm(gamma: 1)"), ("round", "First(2)")]).arms().unwrap();
    let caveats = run(&early[0], &RunOptions::default()).unwrap().manifest.caveats;
    assert!(caveats.iter().any(|caveat| caveat.to_string().contains("rounds can close early")), "{caveats:?}");
    let folder = tempfile::tempdir().unwrap();
    let (run, figures) = (folder.path().join("damped"), folder.path().join("figures"));
    let study = scenario("DampedEm(gamma: 0.5, floats: F32)").runs().unwrap();
    study.run(&run, &RunOptions::default()).unwrap();
    let written = report(&[run], &ReportOptions::new(Style::Icml, &[Format::Svg], figures)).unwrap();
    assert!(written.iter().any(|path| path.extension().is_some_and(|extension| extension == "svg")));
}

#[test]
fn a_kind_of_figures_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (run, figures) = (folder.path().join("run"), folder.path().join("figures"));
    let study = quickstart(&[("protocol.compressor", "Dithering(levels: 2, norm: L(2))")]).runs().unwrap();
    study.run(&run, &RunOptions::default()).unwrap();
    let options = ReportOptions::new(Style::Icml, &[Format::Svg], figures.clone());
    Figures::builtin().with(Box::new(figure::Entropy)).report(&open_folders(&[run]).unwrap(), &options).unwrap();
    assert!(figures.join("bits_up_entropy.svg").exists());
}

#[test]
fn a_misspelt_kind_of_figures_is_refused_before_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("named.ron"), folder.path().join("out"));
    let code = |kind: &str, command: &[&str]| {
        let figures = format!(r#"figures: [(name: "own", kind: Named("{kind}"))]"#);
        let text = format!(r#"(name: "named", base: "quickstart", stop: (rounds: 2), arms: [], {figures})"#);
        std::fs::write(&file, text).unwrap();
        let arguments = [&["fedbits", command[0], file.to_str().unwrap()], &command[1..]].concat();
        figure::app().main_with(arguments.into_iter().map(Into::into))
    };
    let run = ["run", "--out", out.to_str().unwrap()];
    assert_eq!((code("bits_up_entropi", &["check"]), code("bits_up_entropi", &run)), (2, 2));
    assert!(!out.exists());
    assert_eq!(code("bits_up_entropy", &["check"]), 0);
}

/// A crate with the two dependencies that `docs/extending.md` names compiles each of them.
#[test]
fn the_examples_need_no_further_dependency() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let name = |line: &str| line.split(['.', ' ']).next().unwrap_or_default().replace('-', "_");
    let packages: Vec<String> =
        dependencies.lines().map(name).filter(|name| !name.is_empty() && name != "serde").collect();
    assert!(
        packages.iter().any(|name| name == "libm") && packages.iter().any(|name| name == "fedbits_codec"),
        "{packages:?}"
    );
    for file in std::fs::read_dir(root.join("docs/examples")).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for name in &packages {
            let re_exported = text.contains(&format!("use fedbits::{name};"));
            let named = text.match_indices(&format!("{name}::")).any(|(at, _)| {
                !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
            });
            assert!(!named || re_exported, "{} names `{name}`", path.display());
        }
    }
}
