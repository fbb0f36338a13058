//! What `load` makes of good input: edits, arms, defaults, caveats; and that no input at all makes it panic.

use crate::mutation::{survives, texts};
use fedbits_codec::{Dithering, Identity};
use fedbits_protocols::baselines::centralized::CentralizedEm;
use fedbits_protocols::fedem::FedEmSetting;
use fedbits_protocols::uplink::Memory;
use fedbits_scenarios::schema::{Compressor, Compute, Duration, Participation, Rate};
use fedbits_scenarios::{Checked, Set, Source, load};
use fedbits_spec::{Caveat, Choice};
use proptest::prelude::*;

const GOOD: &str = include_str!("good.ron");

fn loaded(text: &str, sets: &[&str]) -> Vec<Checked> {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().expect("path=value")).collect();
    load(Source::new("good.ron", text), &sets).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The caveats of the first arm.
fn caveats(text: &str, sets: &[&str]) -> String {
    Caveat::sentences(&loaded(text, sets)[0].caveats).join("\n")
}

fn compressor(checked: &Checked) -> Compressor {
    fed_em(checked).compressor
}

fn fed_em(checked: &Checked) -> FedEmSetting {
    checked.scenario.protocol.get::<FedEmSetting>().expect("FedEM").clone()
}

/// `--set` has the effect of writing the value in the file: load(text, path=value) = load(text with value at path).
#[test]
fn a_set_is_an_edit_of_the_file() {
    for (set, from, to) in [
        ("seed=9", "seed: 7", "seed: 9"),
        ("protocol.gamma[0]=0.5", "Constant(0.1)", "Constant(0.5)"),
        (
            "protocol.gamma = Power(initial: 1, exponent: 0.6, offset: 10)",
            "Constant(0.1)",
            "Power(initial: 1, exponent: 0.6, offset: 10)",
        ),
        ("protocol.compressor.levels=9", "levels: 4", "levels: 9"),
        ("data.means[1][0]=3", "[1, 1]]", "[3, 1]]"),
        ("stop.epochs=3", "rounds: 50", "rounds: 50, epochs: 3"),
        ("compute.expectation=Ms(1)", "compute: ()", "compute: (expectation: Ms(1))"),
        ("about=\"x, y: (z\"", "seed: 7", "seed: 7, about: \"x, y: (z\""),
        ("replicate=4", "seed: 7", "seed: 7, replicate: 4"),
    ] {
        assert_eq!(loaded(GOOD, &[set]), loaded(&GOOD.replacen(from, to, 1), &[]), "{set}");
    }
}

/// Only the logarithm is another step when it is made again.
#[test]
fn steps_that_stand_twice_have_no_effect_but_the_logarithm() {
    let loads = |step: &str| {
        let twice = format!("preprocess=[{step}, {step}]").parse::<Set>().expect("path=value");
        load(Source::new("good.ron", GOOD), &[twice]).map_err(|problems| problems.to_string())
    };
    assert!(loads("Log([0])").is_ok());
    for step in ["Center", "Standardize", "DropConstant"] {
        assert!(loads(step).expect_err(step).contains("has no effect"), "{step}");
    }
}

/// A field below a value that the file leaves to its default: the default is put in, and then the field is set.
#[test]
fn a_set_reaches_below_defaults() {
    let text = GOOD.replace("network: (client_up: Mbps(1), latency: Ms(20)),", "");
    let scenario = &loaded(&text, &["network.server_up=Mbps(7)"])[0].scenario;
    let access = &scenario.network;
    assert_eq!((access.server_up, access.server_down), (Rate::Mbps(7.0), Rate::Gbps(1.0)));
    let text = GOOD.replace("    compute: (),\n", "");
    let compute = loaded(&text, &["compute.server_expectation=Us(1)"])[0].scenario.compute.clone();
    assert_eq!(compute, Compute { server_expectation: Duration::Us(1.0), ..Compute::default() });
}

#[test]
fn later_sets_win() {
    assert_eq!(loaded(GOOD, &["seed=8", "seed=9"])[0].scenario.seed, 9);
}

#[test]
fn a_set_needs_an_equals_sign() {
    let error = "seed".parse::<Set>().unwrap_err();
    insta::assert_snapshot!(error, @"`seed` is not of the form path=value, for example protocol.gamma=Constant(0.01)");
}

/// `Some((…))` of standard RON and our `Some(…)` and `…` are the same, and what is wrong inside has its position and
/// its hint.
#[test]
fn some_may_have_its_own_parentheses() {
    let slow = |text: &str| GOOD.replace("compute: (", &format!("compute: (slow: {text}, "));
    let bare = slow("(share: 0.5, factor: 6)");
    assert_ne!(bare, GOOD);
    let as_one = |text: &str| loaded(text, &[])[0].scenario.clone();
    for same in ["Some((share: 0.5, factor: 6))", "Some( (share: 0.5, factor: 6,) )", "Some(share: 0.5, factor: 6)"] {
        assert_eq!(as_one(&slow(same)), as_one(&bare), "{same}");
    }
    let gml = "network=(shape: Graph(sites: Gml(path: \"a.gml\", latency: Some((name: \"delay\", unit: Ms(1)))), link_latency: File()))";
    let plain = "network=(shape: Graph(sites: Gml(path: \"a.gml\", latency: (name: \"delay\", unit: Ms(1))), link_latency: File()))";
    assert_eq!(loaded(GOOD, &[gml])[0].scenario, loaded(GOOD, &[plain])[0].scenario);
    let wrong = gml.replace("delay\", unit", "delay\", unti");
    let problems = load(Source::new("good.ron", GOOD), &[wrong.parse().unwrap()]).unwrap_err();
    assert_eq!(&wrong[problems.problems()[0].span.clone()], "unti");
    assert_eq!(problems.problems()[0].help.as_deref(), Some("did you mean `unit`?"));
}

/// Arms differ from the base by their sets alone, keep their order, and a `--set` comes before them.
#[test]
fn arms_are_edits_too() {
    let arms = r#"arms: [
        (name: "b", set: {"protocol.compressor": "Identity", "protocol.participation": "Cohort(3)"}),
        (name: "a"),
    ]"#;
    let all = loaded(&GOOD.replace("arms: []", arms), &["protocol.compressor.levels=5", "clients=20"]);
    assert_eq!(all.iter().map(|one| one.arm.as_deref()).collect::<Vec<_>>(), [Some("b"), Some("a")]);
    assert!(compressor(&all[0]).is::<Identity>());
    assert_eq!(compressor(&all[1]).get::<Dithering>().map(|dithering| dithering.s), Some(5));
    for one in &all {
        assert!(one.scenario.arms.is_empty());
        assert_eq!(one.scenario.clients, Some(20));
    }
    let mut with_base = all[0].scenario.clone();
    let (first, base) = (fed_em(&all[0]), fed_em(&all[1]));
    assert_eq!(first.participation, Participation::Cohort(3));
    let (compressor, participation) = (base.compressor, base.participation);
    with_base.protocol = Choice::of(FedEmSetting { compressor, participation, ..first });
    assert_eq!(with_base, all[1].scenario);
}

/// α has no effect without memory; it is a mistake when no arm has a memory, and none when another arm has one.
#[test]
fn a_setting_may_serve_one_arm_only() {
    let text = GOOD.replace("alpha: Auto", "alpha: Constant(0.01)");
    let naive = r#"(name: "naive", set: {"protocol.memory": "NoMemory"})"#;
    let both = text.replace("arms: []", &format!("arms: [(name: \"memory\"), {naive}]"));
    assert_eq!(fed_em(&loaded(&both, &[])[1]).memory, Memory::NoMemory);
    let only = text.replace("arms: []", &format!("arms: [{naive}]"));
    let problems = load(Source::new("only", only), &[]).unwrap_err();
    assert_eq!(problems.problems()[0].message, "`protocol.alpha` has no effect");
}

/// `--set protocol=CentralizedEm()` makes the file's network void, which is no mistake of the file; a deadline set
/// along with it is a mistake.
#[test]
fn a_set_need_not_clean_up_behind_itself() {
    let centralized = "protocol=CentralizedEm()";
    assert!(loaded(GOOD, &[centralized])[0].scenario.protocol.is::<CentralizedEm>());
    let sets = [centralized, "round=Deadline(Ms(5))"].map(|set| set.parse().unwrap());
    let problems = load(Source::new("good.ron", GOOD), &sets).unwrap_err();
    assert_eq!(problems.problems().len(), 1);
    assert_eq!(problems.problems()[0].message, "`round` has no effect");
}

/// A value that every arm replaces would be lost; one arm that does not is enough.
#[test]
fn a_set_that_all_arms_replace_is_a_mistake() {
    let with = |arms: &str| {
        let text = GOOD.replace("arms: []", &format!("arms: [{arms}]"));
        load(Source::new("good.ron", text), &["protocol.gamma=0.2".parse().unwrap()])
    };
    let one = r#"(name: "one", set: {"protocol": "FedEm(gamma: 0.3)"})"#;
    let problems = with(one).unwrap_err();
    assert_eq!(problems.problems()[0].message, "`protocol.gamma` has no effect: every arm sets it, or what it is in");
    assert!(with(&format!(r#"{one}, (name: "two")"#)).is_ok());
}

/// Rounds begin while somebody is there, and the divisor n a p counts all time; not where the smaller m is the divisor, nor
/// where rounds decide who is there.
#[test]
fn rounds_at_the_times_of_clients_are_a_caveat() {
    let exceeds = |participation: &str, availability: &str, more: &str| {
        let sets = [format!("protocol.participation={participation}"), format!("availability={availability}")];
        caveats(GOOD, &[&sets[0], &sets[1], more]).contains("more contribute, and H overshoots")
    };
    let night = "Diurnal(from: 22, to: 6)";
    let expected = "protocol.divide_by=Expected";
    for (participation, availability, more, is) in [
        ("All", night, expected, true),
        ("Bernoulli(0.5)", night, expected, true),
        ("Cohort(10)", night, expected, true),
        ("Cohort(3)", night, expected, false),
        ("All", "OnOff(on: Exponential(Sec(1)), off: Exponential(Sec(9)))", expected, true),
        ("All", "Trace(rows: [[(from: Sec(0), to: Sec(5))]], repeat: Some(Sec(10)))", expected, true),
        ("All", "Bernoulli(0.5)", expected, false),
        ("All", "Always", expected, false),
        ("All", night, "protocol.divide_by=Arrived", false),
        ("All", night, "round=First(2)", false),
        ("All", night, "round=Asynchronous", false),
    ] {
        assert_eq!(exceeds(participation, availability, more), is, "{participation}, {availability}, {more}");
    }
}

/// `Tcp` repeats what is lost, and gives up where repetitions are lost, too: what cannot do without a message says so.
#[test]
fn connections_that_are_given_up_lose_messages() {
    let burst = "GilbertElliott(to_bad: 0.01, to_good: 0.02)";
    let of_fedem = |loss: &str| {
        let network = format!("network=(sharing: Tcp(), loss: {loss})");
        caveats(GOOD, &[&network, "protocol.divide_by=Expected"])
    };
    let missing = "although contributions can be missing: H is biased towards V";
    assert!(of_fedem(burst).contains(missing), "{}", of_fedem(burst));
    assert!(!of_fedem("Bernoulli(0.01)").contains(missing), "{}", of_fedem("Bernoulli(0.01)"));
    let vp_em = include_str!("../library/papers/vpem-cycle5.ron");
    let of_vp_em = |loss: &str| {
        let network = format!("network=(shape: Graph(sites: Ring(5), link_loss: {loss}), sharing: Tcp())");
        caveats(vp_em, &[&network, "arms=[]", "figures=[]"])
    };
    assert!(of_vp_em(burst).contains("gives up connections after repeated losses"), "{}", of_vp_em(burst));
    assert!(!of_vp_em("Bernoulli(0.01)").contains("given up"), "{}", of_vp_em("Bernoulli(0.01)"));
}

/// Memories of FL-SAEM.
const ZERO: &str = "Memory(initial: Zero)";

/// The divisor min(m, n a) is more than what a cohort of some clients has on average, where they can be away; a cohort of
/// all has n a, but where no share a is known. So is min(m, n a p) where a round closes after m of a random number.
#[test]
fn a_cohort_that_falls_short_is_a_caveat() {
    let falls_short = |participation: &str, availability: &str| {
        let sets = [format!("protocol.participation={participation}"), format!("availability={availability}")];
        caveats(GOOD, &[&sets[0], &sets[1]]).contains("fewer contribute on average: H is biased towards V")
    };
    let of_saem = |participation: &str, availability: &str, (memory, divide_by): (&str, &str)| {
        let participation = format!("protocol.participation={participation}");
        let availability = format!("availability={availability}");
        let (memory, divide_by) = (format!("protocol.memory={memory}"), format!("protocol.divide_by={divide_by}"));
        let caveats = fl_saem(&[&participation, &availability, &memory, &divide_by]);
        caveats.contains("fewer contribute on average: the estimate is biased towards V")
    };
    let trace = "Trace(rows: [[(from: Sec(0), to: Sec(5))]])";
    let cases = [
        ("Cohort(4)", "Bernoulli(0.5)", true),
        ("Cohort(4)", "OnOff(on: Exponential(Sec(9)), off: Exponential(Sec(1)))", true),
        ("Cohort(10)", "Bernoulli(0.5)", false),
        ("Cohort(4)", "Always", false),
        ("Cohort(4)", "Bernoulli(1)", false),
        ("All", "Bernoulli(0.5)", false),
        ("Bernoulli(0.3)", "Bernoulli(0.5)", false),
        ("Cohort(10)", trace, true),
    ];
    for (participation, availability, expected) in cases {
        assert_eq!(falls_short(participation, availability), expected, "{participation}, {availability}");
        let participation = participation.replace("10", "26");
        assert_eq!(of_saem(&participation, availability, (ZERO, "Auto")), expected, "{participation}, {availability}");
    }
    let first = |round: &str, participation: &str, availability: &str| {
        let sets = [("round", round), ("protocol.participation", participation), ("availability", availability)];
        let sets = sets.map(|(path, value)| format!("{path}={value}"));
        caveats(GOOD, &[&sets[0], &sets[1], &sets[2]]).contains("fewer contribute on average")
    };
    assert!(first("First(4)", "Bernoulli(0.5)", "Always") && first("First(4)", "All", "Bernoulli(0.5)"));
    assert!(!first("First(10)", "Bernoulli(0.5)", "Always") && !first("First(4)", "All", "Always"));
    assert!(first("Buffered(4)", "All", "Bernoulli(0.5)") && !first("Buffered(4)", "All", "Always"));
    for (rules, expected) in [((ZERO, "Expected"), true), ((ZERO, "Clients"), false), (("NoMemory", "Auto"), false)] {
        assert_eq!(of_saem("Cohort(4)", "Bernoulli(0.5)", rules), expected, "{rules:?}");
    }
}

/// Clients that the data name are looked at by `ClientColumn` alone, which is said.
#[test]
fn clients_that_are_not_looked_at_are_a_caveat() {
    let told = |sets: &[&str]| caveats(GOOD, sets).contains("the data name clients");
    let named = "data=Csv(path: \"four.csv\", client: Name(\"site\"))";
    assert!(told(&[named, "partition=Iid"]));
    assert!(told(&["data=Csv(path: \"hospital-*.csv\")", "partition=Iid"]));
    assert!(!told(&["data=Csv(path: \"four.csv\")", "partition=Iid"]));
    assert!(!told(&[named, "partition=ClientColumn", "clients=None"]));
    assert!(!told(&[named, "partition=Iid", "protocol=CentralizedEm()"]));
    // Where columns are divided nobody's examples are dealt out.
    let model = "model=GaussianMixture(components: 2)";
    let protocol = "protocol=VpEm(setting: Federated)";
    let vertical = [named, "clients=2", "partition=EvenFeatures", model, protocol, "initial=RandomExamples"];
    let caveats = caveats(GOOD, &vertical);
    assert!(caveats.contains("`partition: EvenFeatures` divides columns, not their examples"), "{caveats}");
}

/// A round that waits for as many as it has asked does not close early.
#[test]
fn rounds_that_can_close_early_are_a_caveat() {
    let early = |sets: &[&str]| caveats(GOOD, sets).contains("rounds can close early");
    assert!(early(&["round=First(9)"]) && early(&["round=Deadline(Sec(9))"]));
    assert!(early(&["round=First(3)", "protocol.participation=Cohort(4)"]));
    assert!(!early(&["round=First(10)"]) && !early(&["round=First(4)", "protocol.participation=Cohort(4)"]));
    let saem = |round: &str| fl_saem(&[round]).contains("rounds can close early");
    assert!(saem("round=First(25)") && saem("round=Deadline(Sec(9))") && !saem("round=First(26)"));
    // As many as the divisor says arrive, fast ones rather.
    assert!(!fl_saem(&["round=First(9)", "protocol.memory=Memory(initial: Zero)"]).contains("is biased"));
    assert!(fl_saem(&["round=First(9)", "protocol.memory=Memory(initial: Zero)"]).contains("rounds can close early"));
    assert!(
        fl_saem(&["round=Deadline(Sec(9))", "protocol.memory=Memory(initial: Zero)"])
            .contains("the estimate is biased")
    );
    let on_send =
        |round: &str| fl_saem(&[round, "protocol.memory=Memory(initial: Zero, commit: OnSend)"]).contains("V drifts");
    assert!(on_send("round=First(25)") && !on_send("round=First(26)"));
    let averaged = |round: &str| caveats(GOOD, &["protocol=FedAvgEm()", round]);
    assert!(averaged("round=First(9)").contains("can close early") && averaged("round=First(10)").is_empty());
    let first_come = |round: &str| caveats(GOOD, &[round]).contains("steps use what arrives first");
    assert!(first_come("round=Asynchronous") && first_come("round=Buffered(3)") && !first_come("round=First(3)"));
    let exact = |round: &str| loaded(GOOD, &["protocol=DistributedEm()", round])[0].caveats.len();
    assert_eq!((exact("round=First(9)"), exact("round=First(10)")), (1, 0));
}

/// The mean of those that arrived, weighted by their sizes, is a ratio of sums: on average not that of all data where
/// clients of unequal size can be missing. Memories of all clients have no such mean.
#[test]
fn a_mean_of_unequal_clients_is_a_caveat() {
    let saem = "FlSaem(gamma: Saem(k1: 20), local: Sample(kernel: Gibbs)";
    let is_biased = |partition: &str, protocol: &str, more: &str| {
        let sets = [format!("partition={partition}"), format!("protocol={protocol})")];
        caveats(GOOD, &[&sets[0], &sets[1], more]).contains("clients of unequal size can be missing")
    };
    let unequal = "Dirichlet(alpha: 1)";
    for (partition, of_protocol, more, is) in [
        (unequal, ", participation: Cohort(1)", "seed=1", true),
        (unequal, ", participation: Bernoulli(0.5)", "seed=1", true),
        (unequal, "", "dropout=Hazard(per_second: 0.1)", true),
        (unequal, "", "dropout=PerRound(probability: 0.1)", true),
        (unequal, "", "availability=Bernoulli(0.5)", true),
        (unequal, ", participation: Cohort(10)", "seed=1", false),
        (unequal, ", participation: Bernoulli(1)", "seed=1", false),
        (unequal, "", "seed=1", false),
        (unequal, ", memory: Memory(initial: Zero), participation: Cohort(1)", "seed=1", false),
        ("Iid", ", participation: Cohort(1)", "seed=1", false),
    ] {
        let protocol = format!("{saem}{of_protocol}");
        assert_eq!(is_biased(partition, &protocol, more), is, "{partition}{of_protocol}, {more}");
    }
    assert!(is_biased(unequal, "FedAvgEm(participation: Cohort(1)", "seed=1"));
}

/// Without memories a client that is missing more often than others counts less, unless contributions are weighted by
/// how often they come. A fair draw is the same for all.
#[test]
fn unequal_chances_without_memory_are_a_caveat() {
    let said = |sets: &[&str]| caveats(GOOD, sets).contains("contribute less often count less");
    let bare = ["protocol.alpha=Auto", "protocol.memory=NoMemory"];
    let divided = |by: &str, more: &str| said(&[bare[0], bare[1], &format!("protocol.divide_by={by}"), more]);
    let trace = "availability=Trace(rows: [[(from: Sec(0), to: Sec(5))]])";
    for more in [
        "dropout=Hazard(per_second: 0.5)",
        "network.loss=Bernoulli(0.1)",
        "availability=Diurnal(from: 22, to: 6)",
        trace,
    ] {
        assert!(divided("Arrived", more) && divided("Expected", more) && !divided("Estimated", more), "{more}");
        assert!(!said(&["protocol.divide_by=Arrived", more]), "memories of all clients are in every step: {more}");
        assert!(said(&["protocol=FedAvgEm()", more]), "{more}");
        assert!(!divided("Arrived", "dropout=PerRound(probability: 0.1)"), "all drop out equally often");
        assert!(said(&["protocol=FlSaem(gamma: 0.5, local: Sample(kernel: Gibbs))", more]), "{more}");
    }
    for more in ["availability=Bernoulli(0.5)", "protocol.participation=Cohort(3)", "seed=1"] {
        assert!(!divided("Arrived", more), "{more}");
    }
}

/// EF21 keeps what it knows of a client that is never in time, as FedEM does.
#[test]
fn ef21_with_clients_that_are_too_slow_is_a_caveat() {
    let said = |round: &str| caveats(GOOD, &["protocol=Ef21(gamma: 0.1, compressor: TopK(k: 3))", round]);
    assert!(said("round=First(9)").contains("can close early") && said("round=First(10)").is_empty());
    assert!(said("round=Deadline(Sec(1))").contains("can close early"));
}

/// VR-FedEM is defined for steps of all clients.
#[test]
fn reduced_variance_of_some_clients_is_a_caveat() {
    let said = |more: &str| {
        let sets = ["protocol.variance_reduction=Spider(inner: Fixed(4))", "protocol.divide_by=Arrived", more];
        caveats(GOOD, &sets).contains("defines VR-FedEM for full participation")
    };
    let part = |participation: &str| said(&format!("protocol.participation={participation}"));
    assert!(part("Cohort(9)") && part("Bernoulli(0.9)") && !part("Cohort(10)") && !part("Bernoulli(1)"));
    for more in ["availability=Bernoulli(0.5)", "round=First(3)", "round=Asynchronous", "dropout=Hazard(per_second: 1)"]
    {
        assert!(said(more), "{more}");
    }
    assert!(!said("round=First(10)") && !said("availability=Bernoulli(1)"));
}

/// The start of gradient ascent is a statistic, of which `Clip` makes parameters; later there is nothing to skip.
#[test]
fn gradient_ascent_clips_its_start() {
    let with = |domain: &str| {
        let set = format!("protocol=GradientAscent(gamma: 0.1, domain: {domain})").parse().unwrap();
        load(Source::new("good.ron", GOOD), &[set]).map(|_| ()).map_err(|problems| problems.to_string())
    };
    assert_eq!(with("Clip(floor: 1e-3)"), Ok(()));
    assert!(with("SkipRound").unwrap_err().contains("`protocol.domain` has no effect"));
}

/// The caveats of FL-SAEM with 26 clients.
fn fl_saem(sets: &[&str]) -> String {
    let (alone, _) = include_str!("../library/papers/flsaem-oxboys.ron").split_once("    arms: [").unwrap();
    caveats(&format!("{alone})"), sets)
}

/// Rates that round to 1 bit/s but are less are below the range, drawn or not.
#[test]
fn rates_below_one_bit_per_second_are_refused() {
    for rate in ["server_up=Bps(0.5)", "client_up=Bps(0.99)", "client_up=Each([Bps(0.5)])", "server_down=Kbps(0.0009)"]
    {
        let set = format!("network.{rate}").parse().unwrap();
        let problems = load(Source::new("good.ron", GOOD), &[set]).unwrap_err().to_string();
        assert!(problems.contains("from 1 bit/s to 10 Tbit/s"), "{rate}: {problems}");
    }
    loaded(GOOD, &["network.server_up=Bps(1.4)", "network.client_up=Kbps(0.001)"]);
}

/// Caveats do not stop a run: division by the expected number or memories committed on send, where a deadline, a
/// dropout, a lost packet or a full buffer keeps contributions away. What is sent again until it arrives is neither.
#[test]
fn caveats_are_reported() {
    assert_eq!(loaded(GOOD, &[])[0].caveats, []);
    let caveats = |sets: &[&str]| caveats(GOOD, sets);
    assert!(caveats(&["round=Deadline(Ms(100))"]).contains("H is biased"));
    assert!(!caveats(&["round=Deadline(Ms(100))", "protocol.divide_by=Arrived"]).contains("H is biased"));
    let on_send = "protocol.memory=Memory(commit: OnSend)";
    assert!(caveats(&[on_send, "dropout=Hazard(per_second: 1)"]).contains("V drifts"));
    assert!(caveats(&[on_send]).is_empty());
    let loss = "network.loss=Bernoulli(0.1)";
    for lossy in [loss, "network.sharing=Fifo(buffer: KiB(1))"] {
        assert!(caveats(&[lossy]).contains("H is biased"));
        assert!(!caveats(&[lossy, "protocol.divide_by=Arrived"]).contains("H is biased"));
        assert!(caveats(&[lossy, on_send]).contains("V drifts"));
    }
    let again = [loss, on_send, "network.transport.delivery=Reliable(RoundTrip)"];
    assert!(caveats(&again).is_empty());
    assert!(caveats(&[on_send, "network.sharing=Fifo()"]).is_empty());
    let (memory, divide_by) = ("protocol.memory=Memory(initial: Zero, commit: OnSend)", "protocol.divide_by=Expected");
    assert!(!fl_saem(&[memory, divide_by]).contains("V drifts"));
    let lossy = fl_saem(&[memory, divide_by, loss]);
    assert!(lossy.contains("V drifts") && lossy.contains("biased towards V"));
}

/// Without memories clients still have a state that they can lose: an estimate, or Ŝ where updates of it are sent.
#[test]
fn states_beside_memories_can_be_lost() {
    let lost = ["protocol.alpha=Auto", "protocol.memory=NoMemory", "dropout=Hazard(per_second: 1, state: Lost)"];
    for other in
        ["protocol.variance_reduction=Spider(inner: Fixed(4))", "protocol.downlink=Compressed(compressor: RandK(k: 3))"]
    {
        loaded(GOOD, &[&lost[..], &[other]].concat());
    }
}

/// q by algorithm 1.6 for G = d = 2: known and tied 6, diagonal 10, full 12; k may be q and not q + 1.
#[test]
fn k_is_at_most_the_length_of_the_statistic() {
    for (covariance, q) in [("Known([[1, 0.2], [0.2, 1]])", 6), ("Tied", 6), ("Diagonal", 10), ("Full", 12)] {
        let set = |k: usize| {
            let sets = [format!("model.covariance={covariance}"), format!("protocol.compressor=RandK(k: {k})")];
            let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
            load(Source::new("good.ron", GOOD), &sets)
        };
        assert!(set(q).is_ok(), "{covariance}");
        assert!(set(q + 1).is_err(), "{covariance}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Bytes of good scenarios replaced, removed or inserted.
    #[test]
    fn mutations_never_panic(
        which in 0..100_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, "[(){}\\[\\],:\"'a-zA-Z0-9 .\\-/*\\\\\nΩ#]"), 1..4),
    ) {
        let texts = texts();
        let mut text: Vec<char> = texts[which % texts.len()].chars().collect();
        for (index, kind, new) in edits {
            let at = index.index(text.len());
            let new = new.chars().next().unwrap();
            match kind {
                0 => text[at] = new,
                1 => { text.remove(at); }
                _ => text.insert(at, new),
            }
        }
        survives(&text.into_iter().collect::<String>(), &[]);
    }

    /// Files cut off anywhere.
    #[test]
    fn cut_files_never_panic(which in 0..100_usize, end in any::<prop::sample::Index>()) {
        let texts = texts();
        let text = &texts[which % texts.len()];
        survives(&text[..text.floor_char_boundary(end.index(text.len()))], &[]);
    }

    /// Any `--set`.
    #[test]
    fn any_set_survives(path in "[a-z_.\\[\\]0-9\"]{0,12}|protocol\\.[a-z.]{1,9}|stop\\.[a-z]{1,5}", value in "[A-Za-z0-9(),:\"\\[\\]/ ]{0,9}") {
        survives(GOOD, &[Set { path, value }]);
    }
}
