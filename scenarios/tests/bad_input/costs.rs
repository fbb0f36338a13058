//! Energy, secure aggregation, privacy, robust rules and liars: what does not fit the rest of the scenario.

use fedbits_scenarios::{Set, Source, load};
use fedbits_spec::Caveat;

use crate::bad_input::{GOOD, message};

const SECURE: &str = "aggregation=SecureAggregation()";
const HIDDEN: &str = "privacy=Gaussian(clip: 1, noise: 1)";
const NO_MEMORY: &str = "protocol.memory=NoMemory";
const IDENTITY: &str = "protocol.compressor=Identity";

/// Each case: a name, and the values of `--set`.
const CASES: &[(&str, &[&str])] = &[
    ("energy_without_compute", &["energy=(send: W(1), receive: W(1))"]),
    ("energy_without_unit", &["energy=(compute: 4, send: W(1), receive: W(1))"]),
    ("energy_in_another_unit", &["energy=(compute: Ms(4), send: W(1), receive: W(1))"]),
    ("energy_out_of_range", &["energy=(compute: W(-1), send: W(2e6), receive: Uniform(min: W(2), max: W(1)))"]),
    ("energy_of_others", &["energy=(compute: Each([W(1)]), send: Values([]), receive: W(1), idle: W(inf))"]),
    ("rule_without_energy", &["stop.energy=J(5)"]),
    ("rule_of_nothing", &["stop.energy=J(0)", "energy=(compute: W(4), send: W(1), receive: W(1))"]),
    ("misspelt_aggregation", &["aggregation=SecureAgregation()"]),
    (
        "secure_ranges",
        &["aggregation=SecureAggregation(neighbours: Degree(3), threshold: 1, field_bits: 64, key_bits: 0)"],
    ),
    (
        "secure_without_whole_bits",
        &[NO_MEMORY, IDENTITY, "aggregation=SecureAggregation(field_bits: 16, fraction_bits: 16)"],
    ),
    ("secure_and_initial_memories", &[SECURE, IDENTITY, "protocol.memory=Memory()"]),
    (
        "secure_and_copies",
        &[SECURE, IDENTITY, "protocol.memory=Memory(initial: Zero, commit: Resynchronized(every: 5))"],
    ),
    ("secure_and_own_scales", &[SECURE, NO_MEMORY, "protocol.compressor=Dithering(levels: 2, norm: L(2))"]),
    ("secure_and_own_positions", &[SECURE, NO_MEMORY, "protocol.compressor=RandK(k: 2)"]),
    ("secure_and_singles", &[SECURE, NO_MEMORY, IDENTITY, "protocol.floats=F32"]),
    ("secure_and_weights", &[SECURE, NO_MEMORY, IDENTITY, "protocol.divide_by=Estimated"]),
    ("secure_and_the_first", &[SECURE, NO_MEMORY, IDENTITY, "round=First(3)"]),
    ("secure_and_late", &[SECURE, NO_MEMORY, IDENTITY, "round=Deadline(Sec(1))", "late=Apply"]),
    ("secure_elsewhere", &[SECURE, "protocol=DistributedEm()"]),
    ("privacy_ranges", &[NO_MEMORY, "privacy=Gaussian(clip: 0, noise: 0.001, delta: 1)"]),
    ("privacy_without_clip", &[NO_MEMORY, "privacy=Gaussian(noise: 1)"]),
    ("privacy_and_initial_memories", &[HIDDEN, "protocol.memory=Memory()"]),
    (
        "shared_noise_and_memories",
        &[
            "privacy=Gaussian(clip: 1, noise: 1, against: Outsiders)",
            "protocol.memory=Memory(initial: Zero)",
            "protocol.weighting=Clients",
            IDENTITY,
        ],
    ),
    (
        "shared_noise_and_own_errors",
        &[
            "privacy=Gaussian(clip: 1, noise: 1, against: Outsiders)",
            NO_MEMORY,
            "protocol.weighting=Clients",
            "protocol.compressor=Lazy(probability: 0.02)",
        ],
    ),
    ("shared_noise_and_weights", &[HIDDEN, SECURE, NO_MEMORY, IDENTITY, "protocol.weighting=Examples"]),
    ("privacy_elsewhere", &[HIDDEN, "protocol=DistributedEm()"]),
    ("robust_ranges", &["aggregation=Robust(rule: CentredClipping(radius: 0, iterations: 0), f: 2000000)"]),
    ("robust_without_enough", &["aggregation=Robust(rule: Krum, f: 1000)"]),
    ("robust_and_the_first", &["aggregation=Robust(rule: CoordinateMedian, f: 2)", "round=First(4)"]),
    ("robust_and_divisor", &["aggregation=Robust(rule: CoordinateMedian, f: 1)", "protocol.divide_by=Arrived"]),
    (
        "robust_and_stale",
        &["aggregation=Robust(rule: CoordinateMedian, f: 0)", "round=Buffered(3)", "staleness=Polynomial(0.5)"],
    ),
    ("robust_and_outsiders", &[NO_MEMORY, "aggregation=Robust(rule: CoordinateMedian, f: 1)", OUTSIDERS]),
    (
        "robust_elsewhere",
        &["aggregation=Robust(rule: CoordinateMedian, f: 1)", "protocol=Scaffold(gamma: 0.1, local_steps: 2)"],
    ),
    ("liars_that_are_not_there", &["byzantine=(clients: Clients([0, 1000000]), attack: SignFlip)"]),
    ("nobody_lies", &["byzantine=(clients: Clients([]), attack: SignFlip)"]),
    ("all_lie", &["byzantine=(clients: Share(1), attack: Random(deviation: -1))"]),
    (
        "liars_who_know_what_is_lost",
        &["byzantine=(clients: First(1), attack: InnerProduct(1))", "dropout=Hazard(per_second: 0.1)"],
    ),
    ("liars_and_shared_noise", &[NO_MEMORY, OUTSIDERS, "byzantine=(clients: First(1), attack: SignFlip)"]),
    ("liars_about_means", &["byzantine=(clients: First(1), attack: SignFlip, on: Means)"]),
    ("liars_elsewhere", &["byzantine=(clients: First(1), attack: SignFlip)", "protocol=CentralizedEm()"]),
];

const OUTSIDERS: &str = "privacy=Gaussian(clip: 1, noise: 1, against: Outsiders)";

#[test]
fn what_costs_do_not_fit() {
    let all = CASES.iter().map(|(name, sets)| format!("## {name}\n{}\n", message(GOOD, sets)));
    insta::assert_snapshot!("costs", all.collect::<String>());
}

/// Entries that are left out are zeros to a rule on each entry, unless memories add what the server knows already.
#[test]
fn zeros_outvote_what_is_sent() {
    let caveats = |memory: &str, operator: &str, rule: &str| {
        let sets = [format!("protocol.memory={memory}"), format!("protocol.compressor={operator}")];
        let sets = sets.into_iter().chain([format!("aggregation=Robust(rule: {rule}, f: 2)")]);
        let sets: Vec<Set> = sets.map(|set| set.parse().unwrap()).collect();
        load(Source::new("good.ron", GOOD), &sets).unwrap().remove(0).caveats
    };
    let has = |all: Vec<Caveat>| all.iter().any(|caveat| matches!(caveat, Caveat::RobustZeros { .. }));
    assert!(has(caveats("NoMemory", "RandK(k: 3)", "TrimmedMean")));
    assert!(has(caveats("NoMemory", "Bernoulli(probability: 0.5)", "CoordinateMedian")));
    assert!(!has(caveats("Memory()", "RandK(k: 3)", "TrimmedMean")));
    assert!(!has(caveats("NoMemory", "RandK(k: 3)", "Krum")));
    assert!(!has(caveats("NoMemory", "Dithering(levels: 4)", "TrimmedMean")));
}

/// In one place the server computes without a pause: what it would use while idle ends no run. Nor does the power of
/// what takes no time.
#[test]
fn what_takes_no_time_uses_nothing() {
    let server = "energy=(compute: W(0), send: W(0), receive: W(0), server: (idle: W(5)))";
    let clients = "energy=(compute: W(2), send: W(0), receive: W(0))";
    for sets in [["protocol=CentralizedEm()", server], ["compute.expectation=\"0 s\"", clients]] {
        let said = message(GOOD, &[&sets[..], &["stop=(energy: J(5))"]].concat());
        assert!(said.contains("`stop.energy` cannot hold"), "{said}");
    }
}
