//! The means and standard deviations over seeds in docs/papers.md are made again here, all in the slow tier:
//! `FEDBITS_DATA=… cargo test --release --test tests -- --ignored over_seeds`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_record::{RoundRow, RunRecord};

use crate::validation::common::{arms, data, last, megabits, name, objective};
use crate::validation::saem::{minus_2ll, record, theta};
use crate::validation::theory::measured_slope;

const PAPERS: &str = include_str!("../../docs/papers.md");

/// The records of one seed by arm.
type Runs = BTreeMap<String, RunRecord>;

/// The wanted arms of a scenario, with seeds 1 to `seeds`.
fn over_seeds(scenario: &str, folder: Option<PathBuf>, seeds: u32, wanted: fn(&str) -> bool) -> Vec<Runs> {
    let folder = folder.unwrap_or_default();
    let one = |seed: u32| {
        let arms = arms(scenario, &[&format!("seed={seed}")]).into_iter().filter(|checked| wanted(name(checked)));
        arms.map(|checked| (name(&checked).to_owned(), record(&checked, Path::new(&folder)).0)).collect()
    };
    (1..=seeds).map(one).collect()
}

/// One number of each seed.
fn each(runs: &[Runs], of: impl Fn(&Runs) -> f64) -> Vec<f64> {
    runs.iter().map(of).collect()
}

/// "1.8 ± 0.5": mean and standard deviation, in units of 10^`power`.
fn spread(values: &[f64], digits: usize, power: i32) -> String {
    let unit: f64 = format!("1e{power}").parse().expect("a number");
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let sd = (squares / (count - 1.0)).sqrt();
    format!("{:.digits$} ± {:.digits$}", mean / unit, sd / unit)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// All phrases stand on these pages; those that do not are shown at once.
fn assert_states(phrases: &[String]) {
    let missing: Vec<&String> = phrases.iter().filter(|phrase| !PAPERS.contains(phrase.as_str())).collect();
    assert!(missing.is_empty(), "docs/papers.md should say {missing:#?}");
}

/// Mean over the last quarter of the rounds.
fn tail(run: &RunRecord, column: fn(&RoundRow) -> Option<f64>) -> f64 {
    let from = last(&run.rounds).round * 3 / 4;
    let values: Vec<f64> = run.rounds.iter().filter(|row| row.round > from).filter_map(column).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn tail_h(run: &RunRecord) -> f64 {
    tail(run, |row| row.mean_field_sq)
}

fn end_h(run: &RunRecord) -> f64 {
    last(&run.rounds).mean_field_sq.expect("the last round is probed")
}

fn up(run: &RunRecord) -> f64 {
    megabits(last(&run.rounds).bits_up)
}

fn rounds(run: &RunRecord) -> f64 {
    last(&run.rounds).round as f64
}

#[test]
#[ignore = "slow tier: ten seeds of synthetic examples"]
fn noise_of_fedem_over_seeds() {
    let runs = over_seeds("papers/fedem-figure1", None, 10, |_| true);
    let ratio = |run: &RunRecord| tail(run, |row| row.field_sq) / tail_h(run);
    // The page says by how much it falls.
    let slopes: Vec<f64> = (1..=24).map(|seed| -measured_slope(&format!("seed={seed}"))).collect();
    assert_states(&[
        format!("({})e-5", spread(&each(&runs, |run| tail_h(&run["FedEM"])), 1, -5)),
        format!("{} times", spread(&each(&runs, |run| ratio(&run["FedEM"])), 0, 0)),
        format!("({})e-9", spread(&each(&runs, |run| end_h(&run["VR-FedEM"])), 1, -9)),
        format!("({})e-20", spread(&each(&runs, |run| end_h(&run["VR-FedEM, far apart"])), 1, -20)),
        format!("({})e-3", spread(&slopes, 3, -3)),
    ]);
    let runs = over_seeds("papers/fedem-heterogeneity", None, 10, |_| true);
    let cost = |run: &Runs, with: &str, without: &str| tail_h(&run[without]) / tail_h(&run[with]);
    assert_states(&[
        format!("{} times", spread(&each(&runs, |run| cost(run, "memory", "no memory")), 1, 0)),
        format!("{} when iid", spread(&each(&runs, |run| cost(run, "memory, iid", "no memory, iid")), 2, 0)),
    ]);
}

#[test]
#[ignore = "slow tier: ten seeds of synthetic examples"]
fn bits_of_fedem_over_seeds() {
    // The text says nothing of one level, which leaves the domain of T with one of the seeds.
    let runs = over_seeds("papers/fedem-compression", None, 10, |arm| arm != "dithering-1");
    let factor = |arm: &str| spread(&each(&runs, |run| up(&run["uncompressed"]) / up(&run[arm])), 1, 0);
    let slower = each(&runs, |run| rounds(&run["dithering-4"]) / rounds(&run["uncompressed"]));
    assert_states(&[
        format!("{} (Elias)", factor("dithering-4")),
        format!("{} (fixed width)", factor("dithering-4, fixed width")),
        format!("{} (arithmetic)", factor("dithering-4, arithmetic")),
        format!("{} times the rounds", spread(&slower, 3, 0)),
    ]);
    let runs = over_seeds("papers/fedem-baselines", None, 10, |_| true);
    let of = |arm: &str| {
        let (rounds, up) = (each(&runs, |run| rounds(&run[arm])), each(&runs, |run| up(&run[arm])));
        format!("{} rounds and {} Mbit up", spread(&rounds, 1, 0), spread(&up, 2, 0))
    };
    let down = |run: &Runs, arm: &str| last(&run[arm].rounds).bits_down as f64;
    let fewer = each(&runs, |run| down(run, "FedEM, Artemis") / down(run, "FedEM"));
    assert_states(&[of("FedEM"), of("distributed EM"), format!("{} of FedEM's bits down", spread(&fewer, 3, 0))]);
}

#[test]
#[ignore = "slow tier: ten seeds on birds"]
fn birds_over_seeds() {
    let Some(folder) = data() else { return };
    let runs = over_seeds("papers/fedem-figure2", Some(folder), 10, |_| true);
    let held_out = |run: &RunRecord| -> Vec<f64> {
        let column = run.manifest.extra_columns.iter().position(|column| column == "held_out_rmse").expect("a column");
        run.rounds.iter().filter_map(|row| row.extra[column]).collect()
    };
    let more = |arm: &str| {
        let more = each(&runs, |run| held_out(&run[arm]).last().expect("probed") - held_out(&run[arm])[0]);
        let start = each(&runs, |run| held_out(&run[arm])[0]);
        let changed = spread(&more, 3, 0).replace('-', "−");
        format!("{} at the start, then changes by {changed}", spread(&start, 2, 0))
    };
    assert_states(&[more("green woodpecker"), more("Pacific wren")]);
}

#[test]
#[ignore = "slow tier: five seeds of 4000 rounds on MNIST"]
fn digits_over_seeds() {
    let Some(folder) = data() else { return };
    let runs = over_seeds("papers/fedem-figure3", Some(folder), 5, |_| true);
    let ends = |arm: &str| spread(&each(&runs, |run| objective(last(&run[arm].rounds))), 2, 0);
    let fields = |arm: &str| spread(&each(&runs, |run| tail(&run[arm], |row| row.field_sq)), 2, 0);
    let [fed, vr] = ["FedEM", "VR-FedEM"];
    assert_states(&[
        format!("objective FedEM {} and VR-FedEM {}", ends(fed), ends(vr)),
        format!("over the last quarter {} and {}", fields(fed), fields(vr)),
    ]);
}

#[test]
#[ignore = "slow tier: five and three seeds over the AP corpus, four arms"]
fn topics_over_seeds() {
    let Some(folder) = data() else { return };
    let scenario = "papers/flsaem-lda";
    let runs = over_seeds(scenario, Some(folder.clone()), 5, |arm| ["fl-saem", "top-20000-memory"].contains(&arm));
    let wanted = |arm: &str| ["fl-saem-400-rounds", "fl-saem-as-written"].contains(&arm);
    let slow = over_seeds(scenario, Some(folder), 3, wanted);
    let perplexity = |run: &RunRecord| {
        let column =
            run.manifest.extra_columns.iter().position(|column| column == "perplexity_held_out").expect("a column");
        last(&run.rounds).extra[column].expect("the last round is probed")
    };
    let of = |runs: &[Runs], arm: &str| spread(&each(runs, |run| perplexity(&run[arm])), 0, 0);
    assert_states(&[
        format!("fl-saem {}, ", of(&runs, "fl-saem")),
        format!("top-20000-memory {} (5)", of(&runs, "top-20000-memory")),
        format!("as written {} (3)", of(&slow, "fl-saem-as-written")),
        format!("after 400 rounds {} (3)", of(&slow, "fl-saem-400-rounds")),
    ]);
}

/// Root mean square over the seeds of the relative errors of β, Ω and σ² against exact EM, whose own are below 2e-7.
#[test]
#[ignore = "slow tier: ten seeds of the Oxford boys"]
fn oxboys_over_seeds() {
    let Some(folder) = data() else { return };
    let wanted = |arm: &str| ["fl-saem", "exact-em", "mcem"].contains(&arm) || arm.ends_with("-memory");
    let runs = over_seeds("papers/flsaem-oxboys", Some(folder), 10, wanted);
    let mut rows = Vec::new();
    for arm in runs[0].keys().filter(|arm| *arm != "exact-em") {
        let errors = ["mean_0", "mean_1", "omega_0_0", "omega_0_1", "omega_1_1", "sigma_sq"].map(|component| {
            let of = |run: &Runs| theta(&run[arm], component) / theta(&run["exact-em"], component) - 1.0;
            let squares: f64 = each(&runs, of).iter().map(|error| error * error).sum();
            format!("{:.1e}", (squares / runs.len() as f64).sqrt())
        });
        let fewer = |run: &Runs| up(&run["fl-saem"]) / up(&run[arm]);
        let bits = if arm == "mcem" { "–".to_owned() } else { spread(&each(&runs, fewer), 2, 0) };
        rows.push(format!("| {arm} | {} | {bits} |", errors.join(" | ")));
    }
    assert_states(&rows);
}

/// −2 log-likelihoods of a pharmacokinetic scenario over five seeds: of the arms named, and the range of the means of
/// those through compressed memories.
fn oral(scenario: &str, folder: PathBuf, subjects: f64, named: &[&str]) {
    let runs = over_seeds(scenario, Some(folder), 5, |arm| arm != "fl-saem-as-written" && arm != "proportional");
    let likelihoods = |arm: &str| each(&runs, |run| minus_2ll(&run[arm], subjects));
    let mut phrases: Vec<String> =
        named.iter().map(|arm| format!("{arm} {}", spread(&likelihoods(arm), 2, 0))).collect();
    let means: Vec<f64> = runs[0]
        .keys()
        .filter(|arm| arm.ends_with("-memory"))
        .map(|arm| likelihoods(arm).iter().sum::<f64>() / runs.len() as f64)
        .collect();
    let (least, most) = means.iter().fold((f64::MAX, f64::MIN), |(least, most), x| (x.min(least), x.max(most)));
    phrases.push(format!("means from {least:.2} to {most:.2}"));
    if let Some(lag) = runs[0].get("lag") {
        assert!(lag.theta.is_some());
        let typical = |name: &str| each(&runs, |run| libm::exp(theta(&run["lag"], name)));
        phrases.push(format!("ka {}", spread(&typical("mean_log_ka"), 2, 0)));
        phrases.push(format!("Tlag {}", spread(&typical("mean_log_Tlag"), 2, 0)));
    }
    assert_states(&phrases);
}

#[test]
#[ignore = "slow tier: five seeds, likelihoods by importance sampling in every probe"]
fn theophylline_over_seeds() {
    let Some(folder) = data() else { return };
    oral("papers/flsaem-theophylline", folder, 12.0, &["fl-saem", "mcem", "d-saem-3-clients"]);
}

#[test]
#[ignore = "slow tier: five seeds, likelihoods by importance sampling in every probe"]
fn warfarin_over_seeds() {
    let Some(folder) = data() else { return };
    oral("papers/flsaem-warfarin", folder, 32.0, &["fl-saem", "mcem", "lag"]);
}

#[test]
#[ignore = "slow tier: five seeds of agents on a graph"]
fn vpem_over_seeds() {
    let end = |run: &RunRecord| objective(last(&run.rounds));
    let runs = over_seeds("papers/vpem-cycle5", None, 5, |_| true);
    let above = |arm: &str| spread(&each(&runs, |run| end(&run[arm]) - end(&run["em"])), 2, 0);
    assert_states(&[
        format!("{} above EM with one hop", above("vp-em-1-hop")),
        format!("{} without", above("vp-em-0-hop")),
    ]);
    let runs = over_seeds("papers/vpem-horizontal", None, 5, |_| true);
    let phrase = |arm: &str| {
        let above = each(&runs, |run| end(&run[arm]) - end(&run["em"]));
        let most = above.iter().fold(f64::MIN, |most, value| value.max(most));
        format!("{arm} {:.0e} ({most:.0e})", median(above))
    };
    assert_states(&["gossip-100", "gossip-10", "diffusion-decreasing"].map(phrase));
    let wanted = |arm: &str| ["rounds-100", "choco-4-bit"].contains(&arm);
    let runs = over_seeds("papers/vpem-scarce-bits", None, 5, wanted);
    let peer = |run: &RunRecord| last(&run.rounds).bits_peer as f64;
    let fewer = each(&runs, |run| peer(&run["rounds-100"]) / peer(&run["choco-4-bit"]));
    let apart = each(&runs, |run| (end(&run["rounds-100"]) - end(&run["choco-4-bit"])).abs());
    let most = apart.iter().fold(f64::MIN, |most, value| value.max(most));
    assert_states(&[
        format!("{} times fewer bits", spread(&fewer, 0, 0)),
        format!("objectives at most {most:.0e} apart"),
    ]);
}
