//! Robust rules and attacks: against ByzFL (`tests/golden/make_byzantine.py`), and what must hold of every rule.

use fedbits_codec::{Bernoulli, Indices, Mask, TopK, WireFloat};
use fedbits_protocols::aggregation::Aggregation;
use fedbits_protocols::baselines::presets::{Ef21, Marina, Preset};
use fedbits_protocols::byzantine::{Attack, Attacked, Byzantine, Liars};
use fedbits_protocols::fedem::{FedEm, FedEmSetting};
use fedbits_protocols::operator::Operator;
use fedbits_protocols::plan::Participation;
use fedbits_protocols::robust::{Centre, Preaggregation, Robust, RobustRule, Weiszfeld};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::Rounds;
use fedbits_protocols::uplink::{Alpha, Commit, DivideBy, Memory, MemoryStart, Uplink};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Choice;
use serde_json::Value;

use crate::fedem::common::simulate::{Place, Simulated, Site, after, simulate};
use crate::golden::{assert_within, golden, numbers};
use crate::optimization::problems::{Case, Loss};

const RULES: [(&str, RobustRule); 7] = [
    ("trimmed_mean", RobustRule::TrimmedMean),
    ("median", RobustRule::CoordinateMedian),
    ("geometric_median", RobustRule::GeometricMedian(Weiszfeld { smoothing: 0.1, iterations: 3 })),
    ("geometric_median_50", RobustRule::GeometricMedian(Weiszfeld { smoothing: 0.001, iterations: 50 })),
    ("krum", RobustRule::Krum),
    ("multi_krum", RobustRule::MultiKrum),
    ("centred_clipping", RobustRule::CentredClipping(Centre { radius: 0.5, iterations: 3 })),
];
const MIXINGS: [(&str, Preaggregation); 2] =
    [("plain", Preaggregation::NoMixing), ("mixed", Preaggregation::NearestNeighbours)];

/// `MANY` of the file.
const MANY: Case = Case {
    name: "many",
    loss: Loss { is_squares: true, columns: 5, rho: 0.5, ridge: 0.1, l1: 0.0 },
    sizes: &[4, 5, 6, 4, 5, 6, 5, 4, 6],
    seed: 41,
};
const SITE: Site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 5, expectation_us: 10 };

fn combined(robust: Robust, rows: &[Vec<f64>]) -> Vec<f64> {
    let mut out = Vec::new();
    robust.combine(rows.to_vec(), &vec![false; rows.len()], &mut out);
    out
}

#[test]
fn rules_are_those_of_byzfl() {
    for case in golden("byzantine.json")["vectors"].as_array().unwrap() {
        let f = case["f"].as_u64().unwrap() as u32;
        let rows: Vec<Vec<f64>> = case["rows"].as_array().unwrap().iter().map(numbers).collect();
        for ((name, rule), (mixed, mixing)) in RULES.iter().flat_map(|rule| MIXINGS.map(|mixing| (rule, mixing))) {
            let robust = Robust { rule: *rule, f, mixing };
            if rows.len() as u64 >= robust.least() {
                let expected = numbers(&case[mixed][name]);
                assert_within(&format!("{name}, {mixed}, f = {f}"), &combined(robust, &rows), &expected, 1e-12);
            }
        }
    }
}

fn fed_em(setting: FedEmSetting) -> FedEm {
    let n = MANY.clients();
    let rules = (setting.memory, setting.alpha, setting.divide_by);
    let uplink = Uplink::of(setting.operator(n), n, f64::from(n), rules);
    FedEm::new(MANY.federation(), setting, uplink, MANY.start()).unwrap()
}

fn ended(setting: FedEmSetting, rounds: Rounds, count: u64) -> Simulated {
    let run = simulate(fed_em(setting), rounds, &Place::even(MANY.sizes.len(), SITE), after(count));
    assert_eq!(run.last().round, count, "{}", run.stop);
    run
}

fn against(rule: RobustRule, f: u32, mixing: Preaggregation) -> Rounds {
    Rounds { aggregation: Aggregation::Robust(Robust { rule, f, mixing }), ..Rounds::default() }
}

/// The engine, the clients' memories and the server's copies of them between numpy and the rules of ByzFL.
#[test]
fn ef21_under_attack_follows_byzfl() {
    let file = golden("byzantine.json");
    let attacks = [
        ("sign_flip", Attack::SignFlip),
        ("scaled", Attack::Scaled(-20.0)),
        ("inner_product", Attack::InnerProduct(2.5)),
        ("little_is_enough", Attack::LittleIsEnough(1.5)),
    ];
    let two = Choice::of(TopK::new(2, Indices::Enumerative, WireFloat::F64));
    let setting = Ef21::of(Schedule::Constant(0.4), two).fed_em();
    for (name, attack) in attacks {
        let (clients, mut compared) = (Liars::First(2), 0);
        let byzantine = Some(Byzantine { clients, attack, on: Attacked::Everything });
        for (rule, mixing) in RULES.iter().flat_map(|rule| MIXINGS.map(|mixing| (rule, mixing))) {
            let what = format!("{name} {} {}", mixing.0, rule.0);
            let Some(rows) = file["runs"].get(&what).and_then(Value::as_array) else { continue };
            for (count, row) in numbers(&file["shown"]).into_iter().zip(rows) {
                let rounds = Rounds { byzantine: byzantine.clone(), ..against(rule.1, 2, mixing.1) };
                let run = ended(setting.clone(), rounds, count as u64);
                assert_within(&format!("{what}, round {count}"), &run.fedem().s_hat, &numbers(row), 1e-9);
            }
            compared += 1;
        }
        assert_eq!(compared, 12, "{name}");
    }
}

/// With f = 0 the trimmed mean is the mean: FedEM with memories and compressed messages, EF21 and MARINA go as without
/// a rule.
#[test]
fn nothing_trimmed_is_the_mean() {
    let half: Operator = Choice::of(Bernoulli { p: 0.5, mask: Mask::Sent, wire: WireFloat::F64 });
    let diana = FedEmSetting {
        alpha: Alpha::Constant(0.5),
        memory: Memory::of(MemoryStart::Zero, Commit::OnAcknowledgement),
        divide_by: DivideBy::Expected,
        compressor: half.clone(),
        ..FedEmSetting::of(Schedule::Constant(0.3))
    };
    let (gamma, floats, domain) = (Schedule::Constant(0.3), WireFloat::F64, Default::default());
    let marina = Marina { gamma, probability: 0.3, compressor: half, allow_biased: false, floats, domain }.fed_em();
    let ef21 = Ef21::of(gamma, Choice::of(TopK::new(2, Indices::Enumerative, WireFloat::F64))).fed_em();
    for setting in [diana, marina, ef21] {
        let plain = ended(setting.clone(), Rounds::default(), 30);
        let robust = ended(setting, against(RobustRule::TrimmedMean, 0, Preaggregation::NoMixing), 30);
        assert_within("Ŝ", &robust.fedem().s_hat, &plain.fedem().s_hat, 1e-10);
        assert_eq!(robust.ledger(), plain.ledger());
    }
}

/// A round in which fewer arrive than the rule needs makes no step, and is counted.
#[test]
fn rounds_of_too_few_are_skipped() {
    let participation = Participation::Bernoulli(0.6);
    let rounds = Rounds { participation, ..against(RobustRule::Krum, 1, Preaggregation::NoMixing) };
    let run = ended(FedEmSetting::of(Schedule::Constant(0.3)), rounds, 60);
    let (mut skipped, mut lost) = (0, 0);
    for row in &run.rows[1..] {
        assert_eq!(row.selected, row.arrived + row.lost);
        assert!(row.arrived == 0 || row.arrived >= 5, "{row:?}");
        assert_eq!(row.field_sq.is_some(), row.arrived > 0);
        skipped += u32::from(row.arrived == 0);
        lost += row.lost;
    }
    assert!(skipped > 5 && lost > 10 && skipped < 50, "{skipped}");
}

/// Random rows, of which the first f lie far outside.
fn drawn(m: usize, d: usize, f: usize, size: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut stream = Streams::new(seed, 0).at(DrawPurpose::Own, 3, 5);
    let row = |i: usize| (0..d).map(|_| stream.normal() * if i < f { size } else { 1.0 }).collect();
    (0..m).map(row).collect()
}

/// Whatever f liars send, trimmed mean and median stay between the honest numbers of each coordinate, Krum chooses an
/// honest vector, and the geometric median and centred clipping stay near; no rule heeds the order of vectors.
#[test]
fn liars_do_not_move_a_rule_far() {
    for (m, f, size) in [(5, 1, 1e3), (11, 4, 1e150), (23, 10, 1e9), (9, 2, 1e300)] {
        let rows = drawn(m, 4, f, size, m as u64);
        let honest = &rows[f..];
        for ((name, rule), (_, mixing)) in RULES.into_iter().flat_map(|rule| MIXINGS.map(|mixing| (rule, mixing))) {
            let robust = Robust { rule, f: f as u32, mixing };
            // Squared distances of vectors of that size overflow, and nobody is nearest.
            let overflows = size > 1e151 && mixing == Preaggregation::NearestNeighbours;
            if (m as u64) < robust.least() || overflows {
                continue;
            }
            let x = combined(robust, &rows);
            let turned: Vec<Vec<f64>> = (0..m).map(|i| rows[(i * (m - 2) + 3) % m].clone()).collect();
            assert_within(&format!("{name} in another order"), &combined(robust, &turned), &x, 1e-9);
            if mixing == Preaggregation::NoMixing
                && matches!(rule, RobustRule::TrimmedMean | RobustRule::CoordinateMedian)
            {
                for (j, x) in x.iter().enumerate() {
                    let low = honest.iter().map(|row| row[j]).fold(f64::INFINITY, f64::min);
                    let high = honest.iter().map(|row| row[j]).fold(f64::NEG_INFINITY, f64::max);
                    assert!((low..=high).contains(x), "{name}: {x} not in {low}..={high}");
                }
            }
            if mixing == Preaggregation::NoMixing && rule == RobustRule::Krum {
                assert!(honest.contains(&x), "{x:?}");
            }
        }
    }
    // Three steps of at most the radius each.
    let (rows, f, mixing) = (drawn(9, 4, 2, 1e9, 1), 2, Preaggregation::NoMixing);
    let x = combined(Robust { rule: RULES[6].1, f, mixing }, &rows);
    assert!(x.iter().map(|x| x * x).sum::<f64>().sqrt() <= 1.5);
}

/// The record's distance from the honest mean is the one by hand; a liar's bits are charged as everybody's.
#[test]
fn the_distance_from_the_honest_is_told() {
    let plain = |byzantine| {
        let setting = FedEmSetting { memory: Memory::NoMemory, ..FedEmSetting::of(Schedule::Constant(0.5)) };
        ended(setting, Rounds { byzantine, ..Rounds::default() }, 1)
    };
    let (clients, attack) = (Liars::Clients(vec![4]), Attack::Scaled(-3.0));
    let (lied, honest) = (plain(Some(Byzantine { clients, attack, on: Attacked::Everything })), plain(None));
    let n = MANY.clients() as usize;
    let federation = MANY.federation();
    let rows: Vec<Vec<f64>> = (0..n as u32)
        .map(|i| {
            let (mut s, start) = (Vec::new(), MANY.start());
            let e_step = federation.model().conditional(&start).unwrap();
            federation.statistic_of(i, e_step.as_ref(), fedbits_models::Batch::All, &mut s);
            s.iter().zip(&start).map(|(s, start)| federation.weight(i) * (s - start)).collect()
        })
        .collect();
    let error: f64 = (0..MANY.loss.columns)
        .map(|j| {
            let sum: f64 = rows.iter().map(|row| row[j]).sum();
            let (said, mean) = ((sum - 4.0 * rows[4][j]) / n as f64, (sum - rows[4][j]) / (n - 1) as f64);
            (said - mean) * (said - mean)
        })
        .sum();
    let columns = lied.last().extra.clone();
    // Before who was chosen, and the worst tenth.
    let told = columns[columns.len() - 3].unwrap();
    assert!((told / error - 1.0).abs() < 1e-9, "{told} and not {error}");
    assert_eq!(lied.ledger(), honest.ledger());
}
