//! What the scenarios of FL-SAEM say about themselves is what they do, number by number. They need real data
//! (FEDBITS_DATA).

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, run};
use fedbits_record::{Manifest, Recorder, RoundRow, RunRecord};
use fedbits_scenarios::{Checked, Set};
use fedbits_spec::Caveat;

use crate::validation::common::{arms, data, preparer};

/// The record of an arm, kept in memory; θ where the scenario records it.
pub fn record(checked: &Checked, folder: &Path) -> (RunRecord, Vec<Caveat>) {
    let experiment = preparer(Some(folder.to_path_buf())).prepare(&checked.scenario).expect("it can be run").experiment;
    let columns = Journal::columns(experiment.protocol.subject(), &experiment.record);
    let outcome = run(experiment, Recorder::memory(columns), Observers::default(), &AtomicBool::new(false));
    assert!(!outcome.stop.is_failure(), "{}", outcome.stop);
    let caveats = outcome.caveats.clone();
    let record = outcome.recorder.finish(Manifest::default(), &outcome.ledger, &outcome.histograms);
    (record.expect("nothing is written").expect("kept in memory"), caveats)
}

/// The arms of a scenario that has the wanted names, in their order.
fn some_arms(scenario: &str, wanted: &[&str], sets: &[&str]) -> Vec<Checked> {
    let sets_are_right = sets.iter().all(|set| set.parse::<Set>().is_ok());
    assert!(sets_are_right, "{sets:?}");
    let all = arms(scenario, sets);
    let find = |name: &&str| all.iter().find(|checked| checked.arm.as_deref() == Some(*name)).cloned();
    wanted.iter().map(|name| find(name).unwrap_or_else(|| panic!("{scenario} has no arm {name}"))).collect()
}

pub fn theta(record: &RunRecord, name: &str) -> f64 {
    let series = record.theta.as_ref().expect("θ is recorded");
    let column = series.names.iter().position(|entry| entry == name).unwrap_or_else(|| panic!("θ has no {name}"));
    series.rows.last().expect("a run has rows").values[column]
}

fn last(record: &RunRecord) -> &RoundRow {
    record.rounds.last().expect("a run has rows")
}

fn megabits(record: &RunRecord) -> f64 {
    last(record).bits_up as f64 / 1e6
}

fn column(record: &RunRecord, name: &str) -> Option<f64> {
    let column = record.manifest.extra_columns.iter().position(|column| column == name).expect("a column");
    last(record).extra[column]
}

/// −2 Σ log p(y_i), from the mean objective of N subjects.
pub fn minus_2ll(record: &RunRecord, subjects: f64) -> f64 {
    2.0 * subjects * last(record).objective.expect("the likelihood is estimated")
}

/// Every line must stand in the scenario's text; all that do not are shown at once.
fn assert_states(scenario: &str, lines: &[String]) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = words(&arms(scenario, &[])[0].scenario.about);
    let missing: Vec<&String> = lines.iter().filter(|line| !about.contains(&words(line))).collect();
    assert!(missing.is_empty(), "`about` of {scenario} should say\n{missing:#?}\nbut it says: {about}");
}

/// Maximum likelihood of the Oxford boys, by other programs.
const BOYS: [(&str, f64); 5] = [
    ("mean_0", 149.371753),
    ("mean_1", 6.525467),
    ("omega_0_0", 62.790264),
    ("omega_1_1", 2.711702),
    ("sigma_sq", 0.659889 * 0.659889),
];

/// Largest relative error of β, and of Ω's variances and σ².
fn boys_errors(record: &RunRecord) -> (f64, f64) {
    let relative: Vec<f64> = BOYS.iter().map(|(name, value)| (theta(record, name) / value - 1.0).abs()).collect();
    (relative[0].max(relative[1]), relative[2].max(relative[3]).max(relative[4]))
}

#[test]
fn oxboys_matches_its_text() {
    let Some(folder) = data() else { return };
    let scenario = "papers/flsaem-oxboys";
    let mut lines = Vec::new();
    let mut full = f64::NAN;
    for checked in arms(scenario, &[]) {
        let (record, _) = record(&checked, &folder);
        let arm = checked.arm.as_deref().expect("the scenario has arms");
        let (beta, variances) = boys_errors(&record);
        let up = if last(&record).bits_up > 0 { format!("; {:.3} Mbit", megabits(&record)) } else { String::new() };
        lines.push(format!("{arm}: {beta:.1e}, {variances:.1e}{up}"));
        match arm {
            "fl-saem" => full = megabits(&record),
            "exact-em" => assert!(beta < 1e-6 && variances < 1e-6, "{beta:e} {variances:e}"),
            _ if arm.ends_with("-memory") => {
                assert!(beta < 0.03 && variances < 0.03, "{arm}: {beta:e} {variances:e}");
                // Four of six numbers with their indices are two thirds of all.
                let fewer = if arm == "top-4-memory" { 2.0 } else { 4.0 };
                assert!(fewer * megabits(&record) < full, "{arm}: {} Mbit", megabits(&record));
            }
            _ if arm.starts_with("private-") => {
                let (epsilon, fit) = (column(&record, "epsilon").unwrap(), column(&record, "minus_2ll").unwrap());
                lines.push(format!("{arm} {epsilon:.2}, {fit:.1}"));
            }
            _ => {}
        }
        if ["fl-saem", "saem"].contains(&arm) {
            assert!(beta < 1e-3 && variances < 0.02, "{arm}: {beta:e} {variances:e}");
        }
    }
    assert_states(scenario, &lines);
}

/// Top-4 of raw statistics leaves the domain of T: the run goes on under its policy, counts, and says so where figures
/// show it.
#[test]
fn the_failure_as_written_is_reported() {
    let Some(folder) = data() else { return };
    let checked = some_arms("papers/flsaem-oxboys", &["fl-saem-as-written"], &["stop.rounds=20"]).remove(0);
    assert!(
        checked.caveats.iter().any(|caveat| caveat.to_string().contains("biased compressor acts on whole statistics"))
    );
    let (record, caveats) = record(&checked, &folder);
    assert!(column(&record, "domain_events").expect("counted") > 0.0);
    assert!(caveats.iter().any(|caveat| caveat.to_string().starts_with("S left the domain of T: ")), "{caveats:?}");
    assert!(caveats.iter().any(|caveat| caveat.to_string().contains("saves 0 bits")), "{caveats:?}");
}

/// What the text says of an arm of a pharmacokinetic scenario: ka, V, Cl, perhaps ω_ka, a, −2 log-likelihood.
fn oral_line(arm: &str, record: &RunRecord, subjects: f64) -> String {
    let value = |name: &str| libm::exp(theta(record, name));
    let [ka, v, cl] = ["mean_log_ka", "mean_log_V", "mean_log_Cl"].map(value);
    let (w_ka, a) = (theta(record, "omega_log_ka_log_ka").sqrt(), theta(record, "sigma_sq").sqrt());
    let minus_2ll = minus_2ll(record, subjects);
    match (arm, subjects < 20.0) {
        ("fl-saem-as-written", _) => {
            let events = column(record, "domain_events").expect("counted");
            format!("{minus_2ll:.1}; the domain policy acted {events} times")
        }
        // Other data: without the observations at time 0.
        ("proportional", _) => format!("{ka:.3}, {v:.3}, {cl:.4}, {a:.3}"),
        (_, true) => format!("{ka:.3}, {v:.3}, {cl:.4}, {a:.3}, {minus_2ll:.2}"),
        (_, false) => format!("{ka:.3}, {v:.2}, {cl:.4}, {w_ka:.3}, {a:.3}, {minus_2ll:.1}"),
    }
}

fn oral(scenario: &str, subjects: f64) {
    let Some(folder) = data() else { return };
    let mut lines = Vec::new();
    for checked in arms(scenario, &[]) {
        let (record, _) = record(&checked, &folder);
        lines.push(oral_line(checked.arm.as_deref().expect("the scenario has arms"), &record, subjects));
    }
    assert_states(scenario, &lines);
}

/// About a minute: `FEDBITS_DATA=… cargo test --release --test tests -- --ignored theophylline`.
#[test]
#[ignore = "slow tier: likelihoods by importance sampling in every probe"]
fn theophylline_matches_its_text() {
    oral("papers/flsaem-theophylline", 12.0);
}

/// Minutes: `FEDBITS_DATA=… cargo test --release --test tests -- --ignored warfarin`.
#[test]
#[ignore = "slow tier: likelihoods by importance sampling in every probe"]
fn warfarin_matches_its_text() {
    oral("papers/flsaem-warfarin", 32.0);
}

/// The quick part of the above: without lag V, Cl and a lie within 2 % of converged SAEM, ka within 5 %, ω_ka within 12
/// %.
#[test]
fn warfarin_comes_near_converged_saem() {
    let Some(folder) = data() else { return };
    let quick = ["protocol.likelihood_draws=0", "record.probe_every=None"];
    let checked = some_arms("papers/flsaem-warfarin", &["fl-saem"], &quick).remove(0);
    let (record, _) = record(&checked, &folder);
    let expected = [("log_ka", 0.5873, 0.05), ("log_V", 7.691, 0.02), ("log_Cl", 0.13444, 0.02)];
    for (name, value, tolerance) in expected {
        let found = libm::exp(theta(&record, &format!("mean_{name}")));
        assert!((found / value - 1.0).abs() < tolerance, "{name}: {found} and not {value}");
    }
    let (w_ka, a) = (theta(&record, "omega_log_ka_log_ka").sqrt(), theta(&record, "sigma_sq").sqrt());
    assert!((w_ka / 0.685 - 1.0).abs() < 0.12 && (a / 1.0722 - 1.0).abs() < 0.02, "ω_ka {w_ka}, a {a}");
}

/// Minutes: `FEDBITS_DATA=… cargo test --release --test tests -- --ignored lda_matches`.
#[test]
#[ignore = "slow tier: 100 rounds over the AP corpus for every arm"]
fn lda_matches_its_text() {
    let Some(folder) = data() else { return };
    let scenario = "papers/flsaem-lda";
    let mut lines = Vec::new();
    for checked in arms(scenario, &[]) {
        let (record, _) = record(&checked, &folder);
        let arm = checked.arm.as_deref().expect("the scenario has arms");
        let perplexity = column(&record, "perplexity_held_out").expect("the last round is probed");
        let up = if last(&record).bits_up > 0 { format!("; {:.0} Mbit", megabits(&record)) } else { String::new() };
        lines.push(format!("{arm}: {perplexity:.0}{up}"));
    }
    assert_states(scenario, &lines);
}

/// The quick part: with 5 topics and 6 rounds perplexity falls, and the memory's messages are shorter and do as well
/// within 3 %.
#[test]
fn topics_of_the_corpus_predict_better_and_better() {
    let Some(folder) = data() else { return };
    let small = ["model.topics=5", "stop.rounds=6", "record.probe_every=3"];
    let mut ends = Vec::new();
    for checked in some_arms("papers/flsaem-lda", &["fl-saem", "top-20000-memory"], &small) {
        let (record, _) = record(&checked, &folder);
        let column =
            record.manifest.extra_columns.iter().position(|column| column == "perplexity_held_out").expect("a column");
        let values: Vec<f64> = record.rounds.iter().filter_map(|row| row.extra[column]).collect();
        assert_eq!(values.len(), 3);
        assert!(values.windows(2).all(|pair| pair[1] < pair[0]) && values[2] < 0.6 * values[0], "{values:?}");
        ends.push((values[2], megabits(&record)));
    }
    let [(full, full_bits), (sparse, sparse_bits)] = ends[..] else { panic!("two arms") };
    assert!(sparse < 1.03 * full && sparse_bits < full_bits, "{ends:?}");
}

/// Maximum likelihood of the logit model for SAT12 by EM with quadrature (benches/bifactor_numpy.py): intercept,
/// general, specific.
const SAT12: [[f64; 3]; 32] = [
    [-1.073, 0.786, 0.431],
    [0.469, 1.491, 0.815],
    [-1.175, 1.149, -0.158],
    [-0.558, 0.528, 0.58],
    [0.627, 0.968, 0.515],
    [-2.127, 1.139, 0.572],
    [1.561, 1.037, 0.952],
    [-1.569, 0.673, 0.516],
    [2.497, 0.448, 1.071],
    [-0.404, 1.039, 0.8],
    [5.391, 1.579, 0.849],
    [-0.351, 0.122, 0.273],
    [0.883, 1.096, 0.589],
    [1.359, 1.091, 1.033],
    [2.014, 1.326, 0.57],
    [-0.392, 0.737, 0.383],
    [4.182, 1.524, 0.301],
    [-0.877, 1.758, 0.193],
    [0.238, 0.866, 0.032],
    [2.646, 1.53, 0.413],
    [2.661, 0.524, 0.681],
    [3.613, 1.674, -0.034],
    [-0.882, 0.609, 0.493],
    [1.286, 1.231, 0.245],
    [-0.601, 0.735, 0.643],
    [-0.175, 1.49, 0.486],
    [2.801, 1.903, 0.417],
    [0.171, 1.058, 0.148],
    [-1.225, 1.27, 2.157],
    [-0.253, 0.434, -0.173],
    [2.976, 2.567, -0.226],
    [-1.652, 0.133, 0.027],
];

/// What an arm's line says: how far it is from the maximum (logit), −2 log-likelihood (Gaussian), or the mean general
/// loading.
fn bi_factor_line(arm: &str, record: &RunRecord) -> String {
    let up = if last(record).bits_up > 0 { format!("; {:.2} Mbit", megabits(record)) } else { String::new() };
    let item = |j: usize, part: &str| theta(record, &format!("{part}_Item.{}", j + 1));
    let result = match arm {
        "probit" => format!("{:.3}", (0..32).map(|j| item(j, "general")).sum::<f64>() / 32.0),
        _ if arm.starts_with("gaussian") => format!("{:.1}", minus_2ll(record, 600.0)),
        _ => {
            let parts = ["intercept", "general", "specific"];
            let gaps = SAT12.iter().enumerate().flat_map(|(j, ml)| {
                parts.iter().zip(ml).map(move |(part, ml)| (item(j, part) - ml) * (item(j, part) - ml))
            });
            format!("{:.3}", (gaps.sum::<f64>() / 96.0).sqrt())
        }
    };
    format!("{arm}: {result}{up}")
}

/// Minutes: `FEDBITS_DATA=… cargo test --release --test tests -- --ignored bifactor_matches`.
#[test]
#[ignore = "slow tier: 300 rounds for every arm"]
fn bifactor_matches_its_text() {
    let Some(folder) = data() else { return };
    let scenario = "papers/flsaem-bifactor";
    let mut lines = Vec::new();
    for checked in arms(scenario, &[]) {
        let (record, _) = record(&checked, &folder);
        lines.push(bi_factor_line(checked.arm.as_deref().expect("the scenario has arms"), &record));
    }
    assert_states(scenario, &lines);
}

/// The quick part: sampled EM with Gaussian responses ends where exact EM does, in −2 log-likelihood to 10 of 17 441
/// (128 parameters with Monte-Carlo error).
#[test]
fn sampled_and_exact_em_agree_on_responses() {
    let Some(folder) = data() else { return };
    let ends: Vec<f64> =
        some_arms("papers/flsaem-bifactor", &["gaussian", "gaussian-exact-em"], &["record.probe_every=300"])
            .iter()
            .map(|checked| minus_2ll(&record(checked, &folder).0, 600.0))
            .collect();
    assert!((ends[0] - ends[1]).abs() < 10.0, "{ends:?}");
}
