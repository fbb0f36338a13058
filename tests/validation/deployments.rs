//! Published measurements of a deployed system, made again: the table in docs/validation.md, and the goals that it states.

use std::path::Path;

use fedbits_scenarios::Checked;

use crate::validation::common::{arms, preparer, simulate};

/// Seconds per round by the scenarios' arms. Of B. Meyer et al., ERAD 2025: read off the figures of
/// github.com/BrunoMeyer/erad2025-fl-testbed (`doc/static/img`), after the first rounds.
struct Published {
    scenario: &'static str,
    network: &'static str,
    seconds: [f64; 7],
}

const PUBLISHED: [Published; 2] = [
    Published { scenario: "network/testbed", network: "RNP", seconds: [1.8, 4.6, 10.3, 17.7, 8.6, 12.2, 15.1] },
    Published { scenario: "network/testbed-iot", network: "IoT", seconds: [5.8, 21.6, 38.3, 61.5, 37.3, 41.3, 45.5] },
];

/// Arms with L = 2048: one to four clients.
const CONTENTION: [usize; 4] = [1, 4, 5, 6];

const BEGINNING: &str = "<!-- testbed -->\n";
const END: &str = "<!-- end of testbed -->\n";

/// Megabytes of the model: two hidden layers of L units between 784 inputs and 10 outputs, 4 bytes each.
fn megabytes(layer: u64) -> f64 {
    (4 * (784 * layer + layer + layer * layer + layer + 10 * layer + 10)) as f64 / 1e6
}

/// Of each arm of a network: its clients and megabytes, the table's cells, and the seconds of a simulated round.
fn simulated(published: &Published) -> Vec<(String, String, f64)> {
    let arms = arms(published.scenario, &[]);
    assert_eq!(arms.len(), published.seconds.len());
    let of_arm = |(checked, real): (&Checked, f64)| {
        let prepared = preparer(None).prepare(&checked.scenario).expect("a scenario that can be run");
        let (rounds, outcome) = simulate(prepared.experiment);
        let seconds = (rounds[3].time_ns - rounds[2].time_ns) as f64 / 1e9;
        let name = checked.arm.as_deref().unwrap_or_default();
        let layer = name.strip_prefix("L = ").map_or(2048, |layer| layer.parse().expect("a number"));
        let clients = checked.scenario.clients.unwrap_or(1);
        // A client sends the model once in each of three rounds, at a thousandth of its size.
        let sent = outcome.totals.bits_up as f64 / (3 * clients) as f64 / 8e3;
        assert!((sent / megabytes(layer) - 1.0).abs() < 1e-3, "{name}: {sent} MB");
        let about = checked.scenario.about.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(about.contains(&format!("{name}: {seconds:.2}, {real}")), "{name}: {seconds:.2}, {real}: {about}");
        let cells = format!("{real:.1} | {seconds:.2} | {:+.1}", 100.0 * (seconds / real - 1.0));
        (format!("{clients} | {:.2}", megabytes(layer)), cells, seconds)
    };
    arms.iter().zip(published.seconds).map(of_arm).collect()
}

/// Contention within 5 %, sizes within 15 %, with three constants for each network; and the table says what is so.
#[test]
fn a_published_testbed_is_redrawn() {
    let networks = PUBLISHED.each_ref().map(simulated);
    for (published, arms) in PUBLISHED.iter().zip(&networks) {
        for (number, ((.., seconds), real)) in arms.iter().zip(published.seconds).enumerate() {
            let goal = if CONTENTION.contains(&number) { 0.05 } else { 0.15 };
            let error = seconds / real - 1.0;
            assert!(error.abs() <= goal, "{}, arm {number}: {error:+.3}", published.network);
        }
    }
    let heads = PUBLISHED.each_ref().map(|one| format!("{}: published, s | simulated, s | error, %", one.network));
    let rule = "---|".repeat(2 + 3 * heads.len());
    let mut table = format!("{BEGINNING}\n| clients | model, MB | {} |\n|{rule}\n", heads.join(" | "));
    for ((arm, first, _), (_, second, _)) in networks[0].iter().zip(&networks[1]) {
        table += &format!("| {arm} | {first} | {second} |\n");
    }
    table += &format!("\n{END}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/validation.md");
    let docs = std::fs::read_to_string(&path).expect("docs/validation.md");
    let begin = docs.find(BEGINNING).expect("the beginning of the table");
    let end = docs.find(END).expect("the end of the table") + END.len();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &docs[..begin], &docs[end..])).expect("docs/validation.md");
    } else {
        assert_eq!(&docs[begin..end], table, "UPDATE_GOLDEN=1 writes it");
    }
}

/// Times per byte and of steps that make a run longer by whole nanoseconds.
const CODING: &str = "compute=(expectation: Us(0), coding: (client_send: Us(3), client_receive: Us(5), server_send: Us(7), \
                      server_receive: Us(11), server_lanes: 2), client_step: Ms(13), server_step: Ms(17))";
const OF_AGENTS: &str =
    "compute=(expectation: Us(0), coding: (client_send: Us(3), client_receive: Us(5)), client_step: Ms(13))";
const NONE: &str = "compute=(expectation: Us(0))";
const ROUNDS: u64 = 4;
/// Windows of TCP would shrink while clients compute.
const STAR: &str = "network=(transport: (set_up: 0, slow_start: None))";

/// Nanoseconds by which these times make a run longer, and what it sends; the state is the same.
fn longer(sets: &[&str], compute: &str) -> (u64, fedbits_record::Totals) {
    let rounds = format!("stop.rounds={ROUNDS}");
    let common = [sets, &["figures=[]", "axes=[]", "record.trace=[]", &rounds]].concat();
    let run = |compute: &str| {
        let checked = arms("network/testbed", &[&common[..], &[compute]].concat()).remove(0);
        let prepared = preparer(None).prepare(&checked.scenario).expect("a scenario that can be run");
        simulate(prepared.experiment).1
    };
    let (with, without) = (run(compute), run(NONE));
    assert_eq!(with.digests.state, without.digests.state);
    let sent = |totals: &fedbits_record::Totals| [totals.bits_up, totals.bits_down, totals.bits_peer];
    assert_eq!(sent(&with.totals), sent(&without.totals));
    (with.totals.time_ns - without.totals.time_ns, with.totals)
}

const MIXTURE: [&str; 4] = [
    "data=RandomMixture(examples: 90, features: 2, components: 2, separation: 2)",
    "model=GaussianMixture(components: 2, covariance: Full)",
    "initial=KMeans(iterations: 3, restarts: 1)",
    STAR,
];

/// In every kind of protocol: a round is longer by the times of its messages at both ends and of its steps, and by
/// nothing else. Of two clients and two lanes nobody waits, and two agents have a message each.
#[test]
fn coding_and_steps_lengthen_rounds_alike() {
    let (star, totals) = longer(&["clients=2", STAR], CODING);
    let bytes = |bits: u64| bits / (8 * 2 * ROUNDS);
    let steps = 30_000_000;
    // The bit that acknowledges goes with the broadcast, where there are memories.
    assert_eq!(star, ROUNDS * (14_000 * bytes(totals.bits_up) + 12_000 * bytes(totals.bits_down) + steps));
    let features =
        ["clients=2", "partition=Features([[0], [1]])", "protocol=VpEm(setting: Federated, singular: Ridge(1e-3))"];
    let (collective, totals) = longer(&[&features[..], &MIXTURE[..]].concat(), CODING);
    assert_eq!(totals.bits_up, totals.bits_down);
    assert_eq!(collective, ROUNDS * (26_000 * bytes(totals.bits_up) + steps));
    let graph = "network=(shape: Graph(sites: Path(2), link_capacity: Law(Mbps(1)), link_latency: Law(Ms(5))), \
                 transport: (set_up: 0, slow_start: None))";
    let agents = ["clients=2", "protocol=DiffusionEm(gamma: Constant(1), domain: Clip(floor: 1e-3))", graph];
    let (neighbours, totals) = longer(&[&MIXTURE[..], &agents[..]].concat(), OF_AGENTS);
    let bytes = totals.bits_peer / (8 * 2 * ROUNDS);
    assert_eq!(neighbours, ROUNDS * ((3_000 + 5_000) * bytes + 13_000_000));
}
