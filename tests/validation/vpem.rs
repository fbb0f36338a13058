//! What the scenarios and studies of VP-EM say about themselves is what they do. Arms of a second stand in the normal
//! tier, whole scenarios in the slow one: `FEDBITS_DATA=… cargo test --release --test tests validation::vpem -- --ignored`.

use fedbits_record::RoundRow;
use fedbits_scenarios::Checked;

use crate::validation::common::{
    arm, arms, assert_states, data, last, name, objective, preparer, run_all, run_by, run_some, seconds, simulate,
    simulate_assessed,
};

type Runs = Vec<(Checked, Vec<RoundRow>)>;

/// Where columns stand behind the parameters' error: of runs that are compared with labels, and of others.
const ACCURACY: usize = 1;
const CONSENSUS_ERROR: usize = 4;

/// What went between agents or up and down, without headers.
fn gigabits(row: &RoundRow) -> f64 {
    (row.bits_peer + row.bits_up + row.bits_down) as f64 / 1e9
}

fn consensus_error(row: &RoundRow) -> f64 {
    row.extra[CONSENSUS_ERROR].expect("rounds leave something")
}

fn end<'a>(runs: &'a Runs, arm: &str) -> &'a RoundRow {
    last(&runs.iter().find(|(checked, _)| name(checked) == arm).expect("an arm of the scenario").1)
}

/// A number as texts give it: two significant digits, whole from ten on, one digit and the power below a hundredth.
fn short(value: f64) -> String {
    match value {
        _ if value >= 9.95 => format!("{value:.0}"),
        _ if value >= 0.995 => format!("{value:.1}"),
        _ if value >= 0.0995 => format!("{value:.2}"),
        _ if value >= 0.00995 => format!("{value:.3}"),
        _ => format!("{value:.0e}"),
    }
}

fn scarce_bits_say(runs: &Runs) {
    for (checked, rows) in runs {
        let (arm, last) = (name(checked), last(rows));
        let (objective, bits) = (objective(last), short(gigabits(last)));
        assert_states(
            checked,
            &match arm {
                "federated" => format!("(federated): {objective:.6} with {bits} Gbit"),
                _ => format!("{arm}: {objective:.6}, {bits} Gbit, {}", short(consensus_error(last))),
            },
        );
    }
}

/// Rounds of floats: more of them and faster ones leave less.
#[test]
fn vpem_scarce_bits_matches_its_text_for_linear_rounds() {
    const ARMS: [&str; 5] = ["federated", "rounds-10", "rounds-30", "best-constant-30", "chebyshev-30"];
    let runs = run_some("papers/vpem-scarce-bits", None, |arm| ARMS.contains(&arm));
    scarce_bits_say(&runs);
    let left =
        ["rounds-10", "rounds-30", "best-constant-30", "chebyshev-30"].map(|arm| consensus_error(end(&runs, arm)));
    assert!(left.is_sorted_by(|more, less| more > less), "{left:?}");
}

/// Quantized differences with tracking end at the exact sums, in a fraction of the bits of any rounds of floats.
#[test]
#[ignore = "slow tier: thirteen runs, three of them quantized"]
fn vpem_scarce_bits_matches_its_text() {
    let runs = run_all("papers/vpem-scarce-bits", None);
    scarce_bits_say(&runs);
    let exact = objective(end(&runs, "choco-8-bit"));
    let plain = gigabits(end(&runs, "rounds-100"));
    let times = |arm: &str| format!("{:.0}", plain / gigabits(end(&runs, arm)));
    let four = end(&runs, "choco-4-bit");
    assert!((objective(four) - exact).abs() < 1e-9 && consensus_error(four) < 1e-8, "{}", objective(four));
    assert_states(&runs[0].0, &format!("(exact sums: {exact:.6})"));
    assert_states(&runs[0].0, &format!("{} times fewer bits", times("choco-4-bit")));
    assert_states(&runs[0].0, &format!("two bits per number: {} times", times("choco-2-bit")));
}

/// The gap between VP-EM and EM is due to entries of the covariances that are 0: agents share what they agree about to
/// rounding.
#[test]
fn vpem_cycle5_matches_its_text() {
    let runs = run_all("papers/vpem-cycle5", None);
    for (checked, rows) in &runs {
        assert_states(checked, &format!("{} {:.3}", name(checked), objective(last(rows))));
    }
    let ends = ["em", "vp-em-1-hop", "vp-em-0-hop"].map(|arm| objective(end(&runs, arm)));
    assert!(ends.is_sorted(), "EM fits the most: {ends:?}");
    let one_hop = end(&runs, "vp-em-1-hop");
    assert!(consensus_error(one_hop) < 1e-12, "{:e}", consensus_error(one_hop));
    let bits = (one_hop.bits_peer + one_hop.bits_header) as f64 / 1e9;
    assert_states(&runs[0].0, &format!("{bits:.1} Gbit with headers, {:.0} s", seconds(one_hop)));
}

fn horizontal_says(runs: &Runs) {
    for (checked, rows) in runs {
        let (arm, last) = (name(checked), last(rows));
        let rounds = if last.round == 60 { String::new() } else { format!(" ({} iterations)", last.round) };
        let start = format!("{arm}{rounds}: {:.6}", objective(last));
        match arm {
            "em" => assert_states(checked, &start),
            _ => {
                let spread = last.extra[1].expect("agents differ");
                assert_states(checked, &format!("{start}, {}, {}", short(gigabits(last)), short(spread)));
            }
        }
    }
    let em = objective(end(runs, "em"));
    let far = runs.iter().map(|(_, rows)| (objective(last(rows)) - em).abs()).fold(0.0, f64::max);
    assert!(far < 4.5e-6, "the agents' average is {far:e} from EM");
}

#[test]
fn vpem_horizontal_matches_its_text_for_gossip() {
    horizontal_says(&run_some("papers/vpem-horizontal", None, |arm| ["em", "gossip-10"].contains(&arm)));
}

#[test]
#[ignore = "slow tier: 600 iterations, twice"]
fn vpem_horizontal_matches_its_text() {
    horizontal_says(&run_all("papers/vpem-horizontal", None));
}

/// Bits until the mean field is small, with whole and with compressed terms; what is compressed directly stays away.
#[test]
#[ignore = "slow tier: 300 iterations, six times"]
fn vpem_compressed_matches_its_text() {
    const ARMS: [&str; 6] =
        ["whole", "top-10%", "top-10%, own exact", "4 bits", "4 bits, first whole", "direct 8 bits"];
    let runs = run_some("papers/vpem-compressed", None, |arm| ARMS.contains(&arm));
    let rows = |arm: &str| &runs.iter().find(|(checked, _)| name(checked) == arm).expect("an arm").1;
    let is_near = |row: &&RoundRow| row.mean_field_sq.is_some_and(|field| field <= 1e-6);
    let megabits = |arm: &str| {
        let row = rows(arm).iter().find(is_near).expect("it gets there");
        format!("{:.1}", (row.bits_up + row.bits_down + row.bits_header) as f64 / 1e6)
    };
    let [whole, top, exact, four, first, _] = ARMS;
    let [whole, top, exact, four, first] = [whole, top, exact, four, first].map(megabits);
    let said = format!("whole {whole}; top-10% {top}, with exact_own {exact}; 4 bits {four} (first whole {first})");
    assert_states(&runs[0].0, &said);
    assert!(rows("direct 8 bits").iter().skip(1).all(|row| !is_near(&row)));
}

/// Means of parameters have another limit; means of statistics come nearer the smaller the step is.
#[test]
#[ignore = "slow tier: 2000 iterations, 25 times"]
fn network_em_matches_its_text() {
    let arms_of = |draw: u64| arms("papers/network-em", &[&format!("replicate={draw}")]);
    for number in 1..6 {
        let field = |draw: u64| {
            let prepared = preparer(None).prepare(&arms_of(draw)[number].scenario).expect("a scenario that can be run");
            simulate(prepared.experiment).0.last().and_then(|row| row.mean_field_sq).expect("it is probed")
        };
        let mut fields: Vec<f64> = (0..5).map(field).collect();
        fields.sort_by(f64::total_cmp);
        let checked = &arms_of(0)[number];
        let [least, .., most] = fields[..] else { panic!("five draws") };
        assert_states(checked, &format!("{} {:.1e}, {least:.1e} to {most:.1e}", name(checked), fields[2]));
    }
}

/// The warning about the sparse graph: what 100 rounds leave, by the spectra of both weights; the run's caveat says it.
/// (The SLEMs in the text are numpy's.)
#[test]
fn vpem_figure5_says_what_a_hundred_rounds_leave() {
    for (name, slem, left) in [("metropolis", "0.9745", "7.6 %"), ("best-constant", "0.9712", "5.4 %")] {
        let small = ["data.examples=3000", "stop.rounds=1"];
        let checked = arm("papers/vpem-figure5-sparse", name, &small);
        let prepared = preparer(None).prepare(&checked.scenario).expect("a scenario that can be run");
        let outcome = simulate(prepared.experiment).1;
        let caveat = format!("leave up to {left} of the differences between agents (SLEM {slem})");
        assert!(outcome.caveats.iter().any(|said| said.to_string().contains(&caveat)), "{:?}", outcome.caveats);
        assert_states(&checked, slem);
        assert_states(&checked, left);
    }
}

fn figure5_says(scenario: &str, digits: usize) -> Runs {
    let runs = run_all(scenario, None);
    for (checked, rows) in &runs {
        let (arm, last) = (name(checked), last(rows));
        let start = format!("{arm}: {:.digits$}", objective(last));
        match arm {
            "em" => assert_states(checked, &start),
            _ => assert_states(checked, &format!("{start}, {}", short(consensus_error(last)))),
        }
    }
    runs
}

#[test]
#[ignore = "slow tier: 20 iterations on 150 000 examples, three times"]
fn vpem_figure5_dense_matches_its_text() {
    let runs = figure5_says("papers/vpem-figure5-dense", 3);
    let bits = gigabits(end(&runs, "vp-em-1-hop")) / 20.0 / 1e3;
    assert_states(&runs[0].0, &format!("VP-EM sends {bits:.2} Tbit per iteration"));
}

/// Rounds that are not enough end at another objective than those that are.
#[test]
#[ignore = "slow tier: 20 iterations on 150 000 examples, five times"]
fn vpem_figure5_sparse_matches_its_text() {
    let runs = figure5_says("papers/vpem-figure5-sparse", 6);
    let bits = gigabits(end(&runs, "metropolis")) / 20.0 / 1e3;
    assert_states(&runs[0].0, &format!("An iteration sends {bits:.2} Tbit"));
    let [enough, chebyshev, few] =
        ["metropolis-1000-rounds", "chebyshev-100-rounds", "metropolis"].map(|arm| objective(end(&runs, arm)));
    assert!((enough - chebyshev).abs() < 1e-6 && few > enough + 1e-4, "{enough}, {chebyshev}, {few}");
}

/// Accuracy in per cent.
fn accuracy(row: &RoundRow) -> f64 {
    100.0 * row.extra[ACCURACY].expect("HTRU2 has labels")
}

fn table1_says(runs: &Runs) {
    for (checked, rows) in runs {
        let (arm, value) = (name(checked), accuracy(last(rows)));
        match arm {
            "k-means" | "em" | "vp2" | "vp3" => assert_states(checked, &format!("{arm} {value:.2}")),
            "diagonal" => assert_states(checked, &format!("diagonal {value:.2}")),
            "k-means-vertical" => assert_states(checked, &format!("on divided features {value:.2}")),
            "em-scikit-learn" => assert_states(checked, &format!("as scikit-learn stops it {value:.2}")),
            _ => assert_states(checked, &format!("{value:.2}")),
        }
    }
}

#[test]
fn vpem_table1_matches_its_text_for_baselines() {
    const ARMS: [&str; 6] = ["k-means", "k-means-vertical", "em", "em-scikit-learn", "diagonal", "vp1-outcome-8"];
    let Some(folder) = data() else { return };
    table1_says(&run_by(simulate_assessed, "papers/vpem-table1", Some(folder), |arm| ARMS.contains(&arm)));
}

/// All twelve outcomes of ties, in the order of the text; sorted they are those that another program found.
#[test]
#[ignore = "slow tier: nineteen runs on 17 898 examples"]
fn vpem_table1_matches_its_text() {
    let Some(folder) = data() else { return };
    let runs = run_by(simulate_assessed, "papers/vpem-table1", Some(folder), |_| true);
    table1_says(&runs);
    let outcome = |number: u32| {
        let arm = format!("vp1-outcome-{number}");
        accuracy(end(&runs, &arm))
    };
    let outcomes: Vec<f64> = (0..12).map(outcome).collect();
    let list: Vec<String> = outcomes.iter().map(|outcome| format!("{outcome:.2}")).collect();
    assert_states(&runs[0].0, &format!("vp1, outcomes 0 to 11: {}", list.join(", ")));
    let mut tenths: Vec<f64> = outcomes.iter().map(|outcome| (outcome * 10.0).round() / 10.0).collect();
    tenths.sort_by(f64::total_cmp);
    assert_eq!(tenths, [85.1, 85.3, 85.4, 85.5, 85.9, 86.5, 86.6, 86.9, 87.6, 87.8, 87.9, 88.3]);
}
