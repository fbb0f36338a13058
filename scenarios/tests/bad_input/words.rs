//! Words that people reach for: the right spelling is in the message.

use crate::bad_input::{GOOD, message};

/// What each `--set` is told.
const TOLD: &[(&str, &str)] = &[
    // A number or a text where a choice is expected.
    ("protocol.participation=0.1", "write it as `Bernoulli(0.1)`"),
    ("protocol.participation=5", "write it as `Cohort(5)`"),
    ("protocol.participation=1", "write it as `Bernoulli(1)` or `Cohort(1)`"),
    ("dropout=0.01", "write it as `Hazard(per_second: 0.01)` or `PerRound(probability: 0.01)`"),
    ("availability=0.5", "write it as `Bernoulli(0.5)`"),
    ("round=5", "write it as `First(5)` or `Buffered(5)`"),
    ("partition=0.3", "write it as `Dirichlet(alpha: 0.3)`"),
    ("protocol.batch=32", "write it as `WithReplacement(32)` or `WithoutReplacement(32)`"),
    ("protocol.compressor=Dithering(levels: 4, norm: 2)", "write it as `L(2)`"),
    ("data=\"my.csv\"", "write it as `Csv(path: \"my.csv\")`"),
    ("data=\"my.npy.gz\"", "write it as `Npy(path: \"my.npy.gz\")`"),
    ("data=my.csv", "write it as `Csv(path: \"my.csv\")`"),
    ("protocol.memory=false", "write it as `NoMemory`"),
    ("protocol.gamma=abc", "in short `0.1` is `Constant(0.1)`"),
    ("network.latency=20", "write it with its unit, such as `\"20 ms\"`"),
    // Words for values.
    ("protocol.compressor=Dithering(levels: 4, norm: L2)", "write it as `L(2)`"),
    ("protocol.compressor=Dithering(levels: 4, norm: Linf)", "write it as `Infinity`"),
    ("protocol.compressor=None", "write it as `Identity`"),
    ("protocol.compressor=OneBit", "write it as `ScaledSign`: signs"),
    ("protocol.compressor=SignSgd", "write it as `ScaledSign`"),
    ("protocol.compressor=Sign(bits: 1)", "write it as `ScaledSign`"),
    ("protocol.compressor=Int8", "write it as `Dithering(levels: 127, norm: Infinity, code: Fixed)`"),
    ("protocol.compressor=Ternary", "write it as `TernGrad`"),
    ("protocol.compressor=terngrad", "write it as `TernGrad`"),
    ("protocol.compressor=RandomK(k: 3)", "write it as `RandK(k: 10)`"),
    ("protocol.compressor=PowerSGD", "write it as `RankR("),
    ("protocol.compressor=Quantization(bits: 4)", "write it as `Qsgd(levels: 7, code: Fixed)`"),
    ("protocol.participation=Cohort10", "write it as `Cohort(10)`"),
    ("dropout=Bernoulli(0.01)", "write it as `PerRound(probability: 0.01)`"),
    ("round=Async", "write it as `Asynchronous`"),
    ("partition=NonIid", "write it as `SortedByLabel`"),
    ("protocol=FedAvg()", "write it as `FedAvgEm(…)`"),
    ("model=Regression(loss: CrossEntropy)", "write it as `Logistic`"),
    ("model=Regression(loss: LeastSquares)", "write it as `Squares`"),
    ("model=Regression(loss: Logistic, penalty: L2(0.1))", "write it as `Ridge(0.1)`"),
    ("data=Csv(path: \"my.csv\", missing: Median)", "write it as `Impute(Median)`"),
    // Parameters that are called otherwise.
    ("protocol.compressor=Qsgd(bits: 4)", "4 bits per entry, one of them the sign, are `levels: 7, code: Fixed`"),
    ("protocol.compressor=Dithering(bits: 8)", "are `levels: 127, code: Fixed`"),
    ("protocol.compressor=Qsgd(bits: 1)", "one bit per entry is `ScaledSign`"),
    ("protocol.compressor=TopK(ratio: 0.01)", "`k` is a number of entries"),
    ("protocol.compressor=RandK(fraction: 0.1)", "`k` is a number of entries"),
    // Fields that are elsewhere, or called otherwise.
    ("compressor=Identity", "did you mean `protocol.compressor`?"),
    ("compressor.levels=4", "did you mean `protocol.compressor`?"),
    ("participation=Bernoulli(0.1)", "did you mean `partition` or `protocol.participation`?"),
    ("rounds=20", "did you mean `round` or `stop.rounds`?"),
    (
        "levels=4",
        "did you mean `protocol.compressor.levels` (of `Dithering`, `Correlated`, `Qsgd` or `NaturalDithering`)?",
    ),
    ("protocol.compressor.k=3", "did you mean `protocol.compressor.k` (of `RandK`, `RandSeqK`, `TopK` or `TopLEK`)?"),
    ("learning_rate=0.1", "did you mean `protocol.gamma`?"),
    // A field of another choice at the same path.
    ("protocol=DistributedEm(gamma: 0.1)", "`protocol.gamma` is a field of `FedEm`"),
    ("n_clients=5", "did you mean `clients`"),
    ("protocol.rounds=20", "`stop.rounds`"),
    ("network.dropout=Never", "`dropout` is a field of the whole"),
    ("batch_size=32", "did you mean `protocol.batch`?"),
    ("random_state=3", "did you mean `seed`?"),
    ("bandwidth=\"1 Mbps\"", "did you mean `network.client_up`?"),
];

#[test]
fn the_right_spelling_is_told() {
    let wrong: Vec<String> = TOLD
        .iter()
        .filter_map(|(set, told)| {
            let said = message(GOOD, &[set]);
            (!said.split_whitespace().collect::<Vec<_>>().join(" ").contains(told)).then(|| format!("{set}: {said}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a message proposes for a value can be written there.
#[test]
fn proposals_are_accepted() {
    for (set, _) in TOLD {
        let said = message(GOOD, &[set]);
        let Some(proposed) = said.split("write it as `").nth(1).and_then(|rest| rest.split('`').next()) else {
            continue;
        };
        let (path, value) = set.split_once('=').unwrap();
        if proposed.contains('…') || ["norm:", "loss:", "missing:"].iter().any(|field| value.contains(field)) {
            continue;
        }
        let set = format!("{path}={proposed}").parse().unwrap();
        let Err(problems) = fedbits_scenarios::load(fedbits_scenarios::Source::new("good.ron", GOOD), &[set]) else {
            continue;
        };
        // It may be too large for this scenario, but it is read.
        for problem in problems.problems() {
            assert!(
                !problem.message.contains("unknown") && !problem.message.contains("type"),
                "{path}={proposed}: {problem:?}"
            );
        }
    }
}
