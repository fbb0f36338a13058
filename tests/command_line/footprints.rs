//! The memory that `check` tells, and that `--max-memory` counts, against the peak of the run: every registered model
//! with every start that it knows, by exact and by sampled E-steps, on data of three shapes.

use std::fmt::Write as _;
use std::fs;

use fedbits_models::ModelSetting;
use fedbits_models::data::{DataKind, Shape};
use fedbits_spec::Kind;
use serde_json::Value;

use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish, runs};

/// Estimate and peak differ by at most this share of the peak …
const SHARE: f64 = 0.2;
/// … where a run takes at least this many bytes: the program itself takes more or less by its build.
const LEAST: f64 = 90e6;

/// What the data look like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    /// Many observations of few numbers.
    Long,
    /// Few observations of many numbers: statistics and parameters are long.
    Wide,
}

/// Scenarios to be measured, which differ in their start.
struct Case {
    title: String,
    /// With `START` for the start.
    text: String,
    starts: Vec<String>,
}

/// All cases, about `size` times 100 MB large, with their files in `folder`.
fn cases(folder: &Scratch, size: f64) -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in <dyn ModelSetting as Kind>::registry().entries() {
        // Its examples are numbers of clients, and of no table.
        if entry.name == "RegressionMixture" {
            continue;
        }
        for model in (entry.examples)() {
            let name = format!("{}{}", model.part_name(), model.text());
            for look in [Look::Long, Look::Wide] {
                let Some((data, features)) = data(&*model, look, size, folder) else { continue };
                let given = model.facts().starts.iter().filter_map(|start| self::start(&*model, start, features));
                // The last is where the run before has ended.
                let starts: Vec<String> = given.chain(["Model(\"model.json\")".to_owned()]).collect();
                for protocol in protocols(&*model) {
                    let title = format!("{name} | {look:?} | {}", first_word(&protocol));
                    let text = format!(
                        "(name: \"m\", data: {data}, clients: 10, model: {name}, initial: START, protocol: {protocol}, \
                         stop: (rounds: 1), record: (probe_every: None))"
                    );
                    cases.push(Case { title, text, starts: starts.clone() });
                }
            }
        }
    }
    cases
}

fn first_word(text: &str) -> &str {
    text.split(['(', '{']).next().unwrap_or(text)
}

/// By exact E-steps, and by sampled ones.
fn protocols(model: &dyn ModelSetting) -> impl Iterator<Item = String> + use<> {
    let clips = if model.facts().estimates_covariance || model.sampled().is_some() {
        ", domain: Clip(floor: 1e-3)"
    } else {
        ""
    };
    let exact = model.exact().map(|_| format!("FedEm(gamma: Constant(0.5){clips})"));
    let sampled = model.sampled().map(|sampled| {
        let kernel = if sampled.abilities().gibbs { "Gibbs" } else { "RandomWalk()" };
        // The likelihood takes minutes and no memory: it is summed one subject after the other.
        format!("FlSaem(gamma: Constant(1), local: Sample(kernel: {kernel}), likelihood_draws: Some(0){clips})")
    });
    exact.into_iter().chain(sampled)
}

/// A start under this name; none where its text would be as long as the data.
fn start(model: &dyn ModelSetting, name: &str, features: usize) -> Option<String> {
    match name {
        "RandomExamples" | "Zero" | "Margins" => Some(name.to_owned()),
        "KMeansPlusPlus" => Some("KMeansPlusPlus()".to_owned()),
        "KMeans" => Some("KMeans(restarts: 2)".to_owned()),
        "Theta" if features <= 100 => {
            let components = model.facts().components.unwrap_or(1);
            let weights = vec![1.0 / components as f64; components];
            let means: Vec<Vec<f64>> = (0..components).map(|g| vec![g as f64; features]).collect();
            Some(format!("Theta(weights: {weights:?}, means: {means:?})"))
        }
        "Theta" => None,
        _ => {
            let start = model.example_start();
            assert_eq!(start.name(), name, "say here how {name} is written");
            Some(fedbits_text::write(&start))
        }
    }
}

/// The source of data for a model, and d; none where the model leaves no choice.
fn data(model: &dyn ModelSetting, look: Look, size: f64, folder: &Scratch) -> Option<(String, usize)> {
    let count = |each: f64| (size * each) as usize;
    let file = |name: &str, text: &dyn Fn() -> String| {
        let name = format!("{name}-{size}.csv");
        if !folder.path(&name).exists() {
            fs::write(folder.path(&name), text()).unwrap();
        }
        name
    };
    Some(match (model.facts().data, look) {
        (DataKind::Examples, Look::Long) => {
            let d = model.facts().features.unwrap_or(10);
            let examples = count(70e6) / (16 * d + 56);
            (format!("RandomMixture(examples: {examples}, features: {d}, components: 2, separation: 3)"), d)
        }
        (DataKind::Examples, Look::Wide) => {
            if model.facts().features.is_some() {
                return None;
            }
            let (d, examples) = wide(model, count(200_000.0));
            let name = format!("wide-{d}.npy");
            if !folder.path(&name).exists() {
                fs::write(folder.path(&name), npy(examples, d)).unwrap();
            }
            let labels = format!("labels-{examples}.npy");
            let classes = (0..examples).flat_map(|at| i64::from(at % 2 == 1).to_le_bytes());
            fs::write(folder.path(&labels), npy_of("<i8", &format!("{examples},"), classes)).unwrap();
            let labels =
                if model.facts().response.is_some() { format!(", labels: Some({labels:?})") } else { String::new() };
            (format!("Npy(path: {name:?}{labels})"), d)
        }
        (DataKind::Counts, look) => {
            let [sites, observations] =
                if look == Look::Long { [300, count(600_000.0)] } else { [count(2_000.0), 20_000] };
            let visits = format!("sites: {sites}, times: 100, observers: 1000, observations: {observations}");
            (format!("Visits({visits}, rank: 1, family: Poisson, level: 1, spread: 0.5, skew: 0)"), 3)
        }
        (DataKind::Subjects, Look::Long) => {
            let name = file("subjects", &|| subjects(count(80_000.0)));
            let columns = "subject: \"s\", time: \"t\", value: \"y\", doses: PerSubject(amount: \"d\")";
            (format!("Longitudinal(path: {name:?}, {columns})"), 0)
        }
        (DataKind::Responses, Look::Long) => {
            let items = model.facts().features.unwrap_or(5);
            let name = file(&format!("responses-{items}"), &|| responses(count(300_000.0), items));
            (format!("Responses(path: {name:?})"), items)
        }
        (DataKind::Documents, look) => {
            let [documents, words] =
                if look == Look::Long { [count(120_000.0), 1_000] } else { [500, count(150_000.0)] };
            let sizes = format!("documents: {documents}, words: {words}, topics: 2, length: 50");
            (format!("Documents({sizes}, alpha: 0.5, concentration: 0.05)"), words)
        }
        (DataKind::Subjects | DataKind::Responses, Look::Wide) => return None,
    })
}

/// The largest d at which statistics and parameters have at most so many numbers, and as many examples as are needed.
fn wide(model: &dyn ModelSetting, numbers: usize) -> (usize, usize) {
    let length = |d: usize| {
        let shape = Shape { features: Some(d), ..Shape::default() };
        model.statistic(&shape).unwrap_or(0).max(model.parameters(&shape).unwrap_or(0))
    };
    let (mut d, mut above) = (1, numbers);
    while above - d > 1 {
        let middle = d.midpoint(above);
        if length(middle) <= numbers { d = middle } else { above = middle }
    }
    // A matrix of each cluster is estimated of more examples than it has columns.
    (d, if length(d) > 16 * d { 6 * d } else { 32 })
}

fn numbers(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 1_u64;
    (0..count).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

/// An array of NumPy; the second half of the rows lies apart.
fn npy(rows: usize, columns: usize) -> Vec<u8> {
    let apart = |at: usize| if at / columns >= rows / 2 { 2.0 } else { 0.0 };
    let numbers = numbers(rows * columns).enumerate().flat_map(|(at, x)| (x + apart(at)).to_le_bytes());
    npy_of("<f8", &format!("{rows}, {columns}"), numbers)
}

fn npy_of(kind: &str, shape: &str, numbers: impl Iterator<Item = u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (header.len() + 11).next_multiple_of(64);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(((length - 10) as u16).to_le_bytes());
    bytes.extend(format!("{header:<width$}\n", width = length - 11).bytes());
    bytes.extend(numbers);
    bytes
}

fn subjects(count: usize) -> String {
    let mut text = "s,t,y,d\n".to_owned();
    let mut noise = numbers(4 * count);
    for subject in 0..count {
        for time in 1..=4 {
            let y = 1.0 + f64::from(time) + noise.next().unwrap();
            writeln!(text, "{subject},{time},{y:.3},2").unwrap();
        }
    }
    text
}

fn responses(persons: usize, items: usize) -> String {
    let mut text = (0..items).map(|item| format!("i{item}")).collect::<Vec<_>>().join(",");
    let mut noise = numbers(persons * items);
    for _ in 0..persons {
        text.push('\n');
        let row = noise.by_ref().take(items).map(|x| if x < 0.5 { "0" } else { "1" });
        text += &row.collect::<Vec<_>>().join(",");
    }
    text + "\n"
}

/// The estimate of `check`, which may give up its pilot after so many seconds, and the peak of the run; none where the
/// system does not tell it.
fn measured(folder: &Scratch, case: &Case, start: &str, seconds: u32) -> Option<(f64, f64)> {
    fs::write(folder.path("m.ron"), case.text.replace("START", start)).unwrap();
    let check = finish(folder.fedbits(["check", "m.ron", "--json", "--pilot-seconds", &seconds.to_string()])).done();
    let check: Value = serde_json::from_str(&check).unwrap();
    let estimate = check["arms"][0]["memory_bytes"].as_f64().unwrap_or_else(|| panic!("{}: {check}", case.title));
    let _ = fs::remove_dir_all(folder.path("out"));
    finish(folder.fedbits(["run", "m.ron", "--no-figures", "--out", "out", "-q"])).done();
    fs::rename(folder.path("out/models/m.json"), folder.path("model.json")).unwrap();
    Some((estimate, runs(&folder.path("out"))[0].manifest.host.peak_memory_bytes? as f64))
}

/// `wanted` chooses among the starts of a case, which has this number.
fn agree(size: f64, wanted: impl Fn(usize, &Case) -> Vec<String>) {
    let folder = Scratch::new();
    // Enough to prepare a run.
    let seconds = (5.0 * size).max(2.0) as u32;
    let mut wrong = Vec::new();
    let cases = cases(&folder, size);
    assert!(cases.len() > 10, "all models have cases");
    for (number, case) in cases.iter().enumerate() {
        for start in wanted(number, case) {
            let Some((estimate, peak)) = measured(&folder, case, &start, seconds) else {
                return skipped(Lacks::System, "this system does not report the peak of memory");
            };
            let (estimated, taken) = (estimate / 1e6, peak / 1e6);
            let line = format!("{estimated:6.1} of {taken:6.1} MB: {} | {}", case.title, first_word(&start));
            println!("{line}");
            if (estimate - peak).abs() > SHARE * peak.max(LEAST) {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "beyond {SHARE}:\n{}", wrong.join("\n"));
}

/// Small runs by exact E-steps, every fourth case with one start: all, and samplers, take too long here.
#[test]
fn models_and_starts_take_what_check_says() {
    agree(0.1, |number, case| {
        let start = case.starts[number % (case.starts.len() - 1)].clone();
        if number.is_multiple_of(4) && case.text.contains("FedEm") { vec![start] } else { Vec::new() }
    });
}

#[test]
#[ignore = "slow tier: minutes"]
fn every_model_and_start_takes_what_check_says() {
    agree(1.0, |_, case| case.starts.clone());
}

#[test]
#[ignore = "slow tier: minutes"]
fn every_model_and_start_takes_what_check_says_at_four_times_the_size() {
    agree(4.0, |_, case| case.starts.clone());
}
