//! What only preparing a run can show: caveats that need the model, networks that need files or draws.

mod carried;
mod divided;
mod held_out;
mod network;
mod secrecy;

use std::path::Path;

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_scenarios::{Set, Source, load};
use fedbits_spec::Caveat;

const GOOD: &str = include_str!("../good.ron");

/// Writes `curves.csv`: twenty subjects at four times.
fn write_curves(folder: &Path) {
    let row = |(i, t): (usize, usize)| format!("{i},{t},{}\n", 3.0 + 0.5 * (i % 5) as f64 + 0.7 * t as f64);
    let rows: String = (0..20).flat_map(|i| (0..4).map(move |t| (i, t))).map(row).collect();
    std::fs::write(folder.join("curves.csv"), rows).unwrap();
}

/// Writes `two.csv`: so many rows of two columns.
fn write_two_columns(folder: &Path, rows: usize) {
    let rows: String = (0..rows).map(|j| format!("{}.5,{}\n", j % 7, j * j % 11)).collect();
    std::fs::write(folder.join("two.csv"), rows).unwrap();
}

fn caveats(sets: &[&str]) -> Vec<String> {
    Caveat::sentences(&prepared(sets, None).unwrap().caveats)
}

/// The run of the good scenario after some edits; files are looked for in `folder`.
fn prepared(sets: &[&str], folder: Option<&Path>) -> Result<Prepared, String> {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let checked = load(Source::new("good.ron", GOOD), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0);
    let folders = DataFolders { option: folder.map(Path::to_path_buf), ..DataFolders::default() };
    Preparer::new(folders, false).prepare(&checked.scenario).map_err(|error| error.to_string())
}

fn refused(sets: &[&str], folder: Option<&Path>) -> String {
    prepared(sets, folder).err().expect("this cannot be prepared")
}

/// rand-3 of q = G + G d = 6 has ω = 1: Theorem 1 covers α up to 1/2.
#[test]
fn a_large_alpha_is_a_caveat() {
    assert!(caveats(&["protocol.compressor=RandK(k: 3)", "protocol.alpha=Constant(0.5)"]).is_empty());
    let large = caveats(&["protocol.compressor=RandK(k: 3)", "protocol.alpha=Constant(0.51)"]);
    let text = |name: &str, alpha: f64, proved: &str| {
        let why = "the largest that theorems cover; above twice this, memories can diverge";
        format!("{name} = {alpha} is above 1/(1 + ω) = {proved}, {why}")
    };
    assert_eq!(large, [text("alpha", 0.51, "0.5000")]);
    let down = |alpha: &str| {
        caveats(&[&format!("protocol.downlink=Compressed(compressor: RandK(k: 1), memory: DownMemory({alpha}))")])
    };
    assert_eq!(down("0.2"), [text("the alpha of `DownMemory`", 0.2, "0.1667")]);
    assert!(down("Auto").is_empty() && down("0.16").is_empty());
    let saem = |alpha: &str| {
        let uplink = format!("memory: Memory(initial: Zero), alpha: {alpha}, compressor: RandK(k: 1)");
        caveats(&[&format!("protocol=FlSaem(gamma: 0.5, local: Sample(kernel: Gibbs), {uplink})")])
    };
    assert_eq!(saem("0.2"), [text("alpha", 0.2, "0.1667")]);
    assert!(saem("Auto").is_empty());
    // 8 observers at 12 sites and 10 times: 30 counts each, at fewer cells than that.
    let imputed = |alpha: &str| {
        let protocol = format!("protocol=FedMissEm(gamma: 0.05, alpha: {alpha}, compressor: RandK(k: 5))");
        let data = "data=Visits(sites: 12, times: 10, observers: 8, observations: 240, rank: 2, family: Gaussian, \
                    level: 0.5, spread: 0.5, skew: 0.3)";
        let model = "model=LowRank(family: Gaussian, rank: 2)";
        let sets = [data, "clients=4", "partition=Observers", model, "initial=Margins", &protocol];
        // Which sites and times are visited is drawn.
        caveats(&sets).into_iter().filter(|caveat| !caveat.contains("no fitted observation")).collect::<Vec<_>>()
    };
    let found = imputed("1");
    assert!(found.len() == 1 && found[0].starts_with("alpha = 1 is above 1/(1 + ω) = 0."), "{found:?}");
    assert!(imputed("Auto").is_empty());
    // Floats of 32 bits round, and compress no more than that.
    assert!(caveats(&["protocol.compressor=Identity", "protocol.alpha=1", "protocol.floats=F32"]).is_empty());
}

/// Variances are differences of squares: of two groups 10⁷ standard deviations from 0 a hundredth is rounding, which
/// the deviation of the whole column does not show.
#[test]
fn what_rounding_takes_of_variances_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let row = |j: usize| format!("{},{},0\n", j % 7, 3e7 + (j % 2) as f64 * 1e5 + (j * j % 11) as f64);
    std::fs::write(folder.path().join("far.csv"), (0..80).map(row).collect::<String>()).unwrap();
    let file = "data=Csv(path: \"far.csv\", header: false, columns: Columns([Index(0), Index(1)]))";
    let said = |further: &[&str]| {
        let sets = [&[file, "partition=Iid", "initial=KMeans()"], further].concat();
        Caveat::sentences(&prepared(&sets, Some(folder.path())).unwrap().experiment.record.assessment.rounding)
    };
    for form in ["Diagonal", "Full", "Tied"] {
        let model = format!("model=GaussianMixture(components: 2, covariance: {form})");
        let found = said(&[&model]);
        let place = if form == "Tied" { "the covariance of all components" } else { "component 0" };
        assert!(found.iter().any(|sentence| sentence.contains(&format!("column `column 1` in {place} "))), "{found:?}");
        assert!(
            found.iter().all(|sentence| sentence.contains("`column 1`") && sentence.contains("[Center]")),
            "{found:?}"
        );
        assert!(said(&[&model, "preprocess=[Standardize]"]).is_empty());
    }
    assert!(said(&["model=GaussianMixture(components: 2, covariance: Known([[1, 0], [0, 1]]))"]).is_empty());
}

/// Where the start has no covariance for that reason, the error says it too. Rounding has either sign: one of many means
/// leaves a variance below 0.
#[test]
fn an_error_of_the_start_says_what_is_known_of_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let file = "data=Csv(path: \"far.csv\", header: false)";
    let sets = [file, "partition=Iid", "model=GaussianMixture(components: 4, covariance: Full)"];
    let found = (1..=20).find_map(|k| {
        let row = |j: usize| format!("{},{}\n", j % 7, 1.7e12 * f64::from(k) + (j * j % 11) as f64);
        std::fs::write(folder.path().join("far.csv"), (0..80).map(row).collect::<String>()).unwrap();
        prepared(&sets, Some(folder.path())).err()
    });
    let found = found.expect("a start without a covariance");
    assert!(found.contains("T of the initial statistic") && found.contains("standard deviations from 0"), "{found}");
    let centred = [&sets[..], &["preprocess=[Center]"]].concat();
    assert!(prepared(&centred, Some(folder.path())).is_ok());
}

/// Parameters that the data leave open are told: another start ends at others, as likely.
#[test]
fn what_the_data_leave_open_is_a_caveat() {
    let folder = tempfile::tempdir().unwrap();
    let curves = |observations: usize, degree: usize| {
        let row = |i: usize| format!("{},{},{}\n", i / observations, i % observations, 3.0 + (i * i % 11) as f64);
        std::fs::write(folder.path().join("few.csv"), (0..40).map(row).collect::<String>()).unwrap();
        let data = "data=Longitudinal(path: \"few.csv\", header: false, subject: 0, time: 1, value: 2)";
        let model = format!("model=MixedEffects(curve: Polynomial(degree: {degree}))");
        let ones = vec!["1"; degree + 1].join(", ");
        let start = format!("initial=Typical(values: [{ones}], deviations: [{ones}], sigma: 1)");
        let sampled = ["partition=Iid", "clients=4", "protocol=FlSaem(gamma: 1, local: Expect)"];
        Caveat::sentences(
            &prepared(&[&sampled[..], &[data, &model, &start]].concat(), Some(folder.path())).unwrap().caveats,
        )
    };
    let left_open =
        |caveat: &String| caveat.starts_with("no subject has more than 1 observation, with 1 random effect: ");
    assert!(curves(1, 0).iter().any(left_open) && !curves(2, 0).iter().any(left_open));
    let counts = |rows: &str, lambda: f64| {
        std::fs::write(folder.path().join("ponds.csv"), format!("pond,a,b,c\n1,3,4,2\n2,5,8,3\n{rows}")).unwrap();
        let data = "data=Counts(path: \"ponds.csv\", site: \"pond\", arrangement: Wide(counts: [\"a\", \"b\", \"c\"]))";
        let model = format!("model=LowRank(rank: 1, family: Poisson, matrices: Fewest, lambda: {lambda})");
        let imputed =
            ["partition=Iid", "clients=2", "initial=Margins", "protocol=FedMissEm(gamma: 1, compressor: Identity)"];
        Caveat::sentences(&prepared(&[&imputed[..], &[data, &model]].concat(), Some(folder.path())).unwrap().caveats)
    };
    let left_open = |caveat: &String| caveat.starts_with("1 site and 0 times have no fitted observation: ");
    assert!(counts("3,NA,NA,NA\n", 0.0).iter().any(left_open));
    assert!(!counts("3,NA,NA,NA\n", 0.1).iter().any(left_open) && !counts("3,NA,1,NA\n", 0.0).iter().any(left_open));
}

/// Only their product is known of two loadings that no other item shares.
#[test]
fn small_groups_are_a_caveat() {
    let said = |groups: &str| {
        let data = "data=Responses(path: \"items.csv\")";
        let model = format!("model=BiFactor(groups: {groups}, law: Gaussian)");
        let sampled = ["clients=4", "partition=Iid", "protocol=FlSaem(gamma: 1, local: Expect)", data];
        let sets = [&sampled[..], &[&model, "initial=Loadings(general: 1, specific: 1)"]].concat();
        let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
        let checked =
            load(Source::new("good.ron", GOOD), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0);
        Caveat::sentences(&checked.caveats)
    };
    let about = |caveats: Vec<String>, text: &str| caveats.iter().any(|caveat| caveat.contains(text));
    assert!(about(said("[1, 1, 1, 2]"), "group 2 has one item: "));
    assert!(about(said("[1, 1, 1, 2, 2]"), "group 2 has two items: only the product of their loadings"));
    assert!(!about(said("[1, 1, 1, 2, 2, 2]"), "group "));
}

/// Of items and curves far from 0. Calendar years have 1.8e3 standard deviations, of which a polynomial of degree d
/// squares the d-th power.
#[test]
fn responses_and_curves_far_from_0_are_a_caveat() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |row: &dyn Fn(usize) -> String| (0..80).map(row).collect::<String>();
    let said = |file: String, sets: &[&str]| -> Vec<String> {
        std::fs::write(folder.path().join("far.csv"), file).unwrap();
        let sampled = ["partition=Iid", "clients=4", "protocol=FlSaem(gamma: 1, local: Expect)"];
        match prepared(&[&sampled, sets].concat(), Some(folder.path())) {
            Ok(found) => Caveat::sentences(&found.caveats)
                .into_iter()
                .filter(|said| said.contains("standard deviations from 0"))
                .collect(),
            Err(refused) => vec![refused],
        }
    };
    let items = |far: f64| {
        let file = rows(&|i| format!("{},{}\n", i % 7, far + (i * i % 11) as f64));
        let data = "data=Responses(path: \"far.csv\", header: false)";
        said(
            file,
            &[data, "model=BiFactor(groups: [1, 1], law: Gaussian)", "initial=Loadings(general: 1, specific: 1)"],
        )
    };
    assert!(items(3e4).is_empty());
    let found = items(3e7);
    assert!(found.len() == 1 && found[0].contains(" lies 1.1e7 standard deviations from 0"), "{found:?}");
    let curves = |degree: usize, (time, value): (usize, f64)| {
        let file = rows(&|i| format!("{},{},{}\n", i / 4, time + i % 4, value + (i * i % 11) as f64));
        let data = "data=Longitudinal(path: \"far.csv\", header: false, subject: 0, time: 1, value: 2)";
        let model = format!("model=MixedEffects(curve: Polynomial(degree: {degree}))");
        let ones = vec!["1"; degree + 1].join(", ");
        said(file, &[data, &model, &format!("initial=Typical(values: [{ones}], deviations: [{ones}], sigma: 1)")])
    };
    assert!(curves(1, (2000, 0.0)).is_empty() && curves(0, (2_000_000_000, 0.0)).is_empty());
    let found = curves(2, (2000, 0.0));
    assert!(found.len() == 1 && found[0].starts_with("the times lie 1.8e3 "), "{found:?}");
    assert!(found[0].contains("errors of about 2e-3 ("), "{found:?}");
    // Of the seventh power nothing is left.
    let lost = curves(7, (2000, 0.0));
    assert!(lost[0].contains("subject 0: rounding takes all digits of powers of its times"), "{lost:?}");
    let found = curves(1, (1_600_000_000, 3e7));
    assert!(found.len() == 2 && found[0].starts_with("the values lie ") && found[1].contains("1e0"), "{found:?}");
}

/// Most runs that work well have a step above what the theorems cover: `check` reports that, and it is no caveat.
#[test]
fn a_large_gamma_is_no_caveat() {
    assert_eq!(caveats(&["protocol.gamma=Constant(1)"]), Vec::<String>::new());
}

/// p counts who is there: half of the clients, then a quarter; the steps that Theorem 1 covers shrink with it.
#[test]
fn the_theory_knows_who_is_there() {
    let participation = |sets: &[&str]| prepared(sets, None).unwrap().theory.map(|setting| setting.participation);
    let half = ["protocol.participation=Bernoulli(0.5)"];
    assert_eq!(participation(&half), Some(0.5));
    assert_eq!(participation(&[half[0], "availability=Bernoulli(0.5)"]), Some(0.25));
    // Who is fast takes part: no theorem.
    let first = ["round=First(3)", "protocol.divide_by=Arrived"];
    assert_eq!(participation(&first), None);
    let cohort = ["protocol.participation=Cohort(4)"];
    assert_eq!(participation(&cohort), Some(0.4));
    assert_eq!(participation(&[cohort[0], "availability=Bernoulli(0.5)"]), None, "fewer than four are there at times");
    // Of a cohort of all each is there by itself.
    let draws_cohorts = |sets: &[&str]| prepared(sets, None).unwrap().theory.unwrap().cohort;
    assert!(draws_cohorts(&cohort));
    assert!(!draws_cohorts(&["protocol.participation=Cohort(10)", "availability=Bernoulli(0.5)"]));
}

/// Of contributions that are late or cut off none is in E H, and the clock draws nobody: no theorem. Losses are an unmet
/// premise.
#[test]
fn the_theory_is_silent_where_contributions_can_be_missing() {
    let clock = "availability=OnOff(on: Exponential(Sec(5)), off: Exponential(Sec(5)))";
    let drops = ["dropout=Hazard(per_second: 0.1)", "dropout=PerRound(probability: 0.1)"];
    for set in ["round=Deadline(Sec(1))", clock] {
        assert_eq!(prepared(&[set], None).unwrap().theory, None, "{set}");
    }
    // Numbers without losses are told, and that there are losses.
    for set in ["network.loss=Bernoulli(0.1)", drops[0], drops[1]] {
        let premises = prepared(&[set], None).unwrap().theory.unwrap();
        assert!(premises.unmet.iter().any(|unmet| unmet.contains("are lost")), "{set}: {:?}", premises.unmet);
    }
    assert!(prepared(&["availability=Bernoulli(0.9)"], None).unwrap().theory.is_some());
    // Operators that draw together: of vectors that cancel out their mean is worse than ω says.
    assert_eq!(prepared(&["protocol.compressor=PermK"], None).unwrap().theory, None);
    assert!(prepared(&["protocol.compressor=RandK(k: 1)"], None).unwrap().theory.is_some());
}

/// Half of 10 clients with batches of 5 draw 25 examples a round, each of which is two values; 1 − 2⁻⁴ of the 1000
/// examples are looked at when outer loops of four rounds begin. With full batches whose values are kept every step
/// costs 1000.
#[test]
fn the_theory_counts_the_refreshes_of_those_who_take_part() {
    let reduced = "protocol.variance_reduction=Spider(inner: Fixed(4))";
    let expectations = |sets: &[&str]| prepared(sets, None).unwrap().theory.unwrap().expectations;
    assert_eq!(expectations(&[reduced]), 250.0 + 100.0);
    assert_eq!(expectations(&[reduced, "protocol.participation=Bernoulli(0.5)"]), 250.0 * 0.9375 + 50.0);
    let kept = "protocol.variance_reduction=Spider(inner: Fixed(4), previous: Cached)";
    assert_eq!(expectations(&[kept, "protocol.batch=All"]), 1_000.0);
}

/// Sampled labels: the clients of a file are the clients of the run, and in one place there is one.
#[test]
fn clients_of_a_sampled_mixture() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40).map(|j| format!("{}.5,{},{}\n", j % 7, j * j % 11, j % 4)).collect();
    std::fs::write(folder.path().join("four.csv"), rows).unwrap();
    let local = "local: Sample(kernel: Gibbs)";
    let clients = |protocol: &str, text: &str| {
        let set = format!("protocol={protocol}(gamma: Constant(0.5), {local})").parse().unwrap();
        let checked = load(Source::new("good.ron", text), &[set]).unwrap_or_else(|problems| panic!("{problems}"));
        let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
        let prepared = Preparer::new(folders, false).prepare(&checked[0].scenario).unwrap();
        prepared.experiment.protocol.subject().clients()
    };
    let data = &GOOD[GOOD.find("data:").unwrap()..GOOD.find("preprocess").unwrap()];
    let filed = GOOD
        .replace(data, "data: Csv(path: \"four.csv\", header: false, client: Some(Index(2))),\n    ")
        .replace("clients: 10,", "")
        .replace("SortedByLabel", "ClientColumn");
    assert_eq!(clients("FlSaem", &filed), 4);
    assert_eq!(clients("FlSaem", GOOD), 10);
    let alone = "arms: [(name: \"one\", set: {\"protocol\": \"CentralizedSaem(gamma: Constant(0.5), local: Sample(kernel: Gibbs))\"}), (name: \"ten\")]";
    assert_eq!(clients("CentralizedSaem", &GOOD.replace("arms: []", alone)), 1);
}

/// An operator that is no contraction is found in the text where q is known there, else when the data are: at its
/// position in both cases.
#[test]
fn ef21_without_a_contraction_has_a_position() {
    let folder = tempfile::tempdir().unwrap();
    write_two_columns(folder.path(), 40);
    let sets = [
        "data=Csv(path: \"two.csv\", header: false)",
        "partition=Iid",
        // q = 2 (1 + 2 + 3), which the text alone does not show.
        "model=GaussianMixture(components: 2, covariance: Full)",
        "protocol=Ef21(gamma: Constant(0.5), compressor: RandK(k: 3))",
    ];
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let checked = load(Source::new("good.ron", GOOD), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0);
    let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
    let error = Preparer::new(folders, false).prepare(&checked.scenario).err().expect("ω = 3");
    let message = error.to_string();
    assert!(message.contains("not known to be one at q = 12") && message.contains("TopK"), "{message}");
    let text = checked.problems(&error).render(false);
    assert!(text.contains("--set protocol=Ef21") && text.contains("RandK(k: 3)"), "{text}");
}

/// 80 expectations of 123457 ns take 80 times as long and not a nanosecond more, wherever the number comes from; of a
/// slow client three times as long.
#[test]
fn durations_of_expectations_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("speeds.csv"), "ns\n123457\n").unwrap();
    let each = format!("Each([{}])", ["Us(123.457)"; 10].join(", "));
    let column = "Column(path: \"speeds.csv\", column: Name(\"ns\"), unit: Ns(1))";
    for law in ["Ns(123457)", "Ms(0.123457)", "Values([Sec(0.000123457)])", &each, column] {
        let set = format!("compute.expectation={law}");
        let speeds = prepared(&[&set], Some(folder.path())).unwrap().experiment.world.speeds;
        assert!(speeds[1..].iter().all(|speed| speed.duration(80).unwrap().as_nanos() == 9_876_560), "{law}");
        let slow = prepared(&[&set, "compute.slow=(share: 0.1, factor: 3)"], Some(folder.path())).unwrap();
        assert_eq!(slow.experiment.world.speeds[10].duration(80).unwrap().as_nanos(), 3 * 9_876_560, "{law}");
    }
}

/// Draws that are cut to what there is are counted in a caveat; numbers of a table that would be are errors with their
/// line. Of 40 clients one draws what is cut where half of a law lies beyond (none does with probability 2^-40), and none
/// where 1e-11 of it does (4e-10).
#[test]
fn nothing_drawn_is_cut_in_silence() {
    let cut = |set: &str| caveats(&[set, "seed=5", "clients=40"]);
    assert!(cut("network.client_up=Exponential(mean: Mbps(100000))").is_empty());
    let rates = cut("network.client_up=LogNormal(median: Bps(1), sigma: 10)");
    assert!(rates.len() == 1 && rates[0].contains("draws of `network.client_up` were clipped"), "{rates:?}");
    let durations = cut("compute.expectation=LogNormal(median: Min(500000), sigma: 10)");
    assert!(
        durations.iter().any(|caveat| caveat.contains("draws of `compute.expectation` were clipped")),
        "{durations:?}"
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fast.csv"), "up,rtt\n5,3\n2e9,4e12\n").unwrap();
    let message = |set: &str| refused(&[set], Some(folder.path()));
    let rate = message("network.client_up=Column(path: \"fast.csv\", column: Name(\"up\"), unit: Mbps(1))");
    assert!(rate.contains("fast.csv:3: column `up`: 2e9 is a rate of 2e15 bit/s"), "{rate}");
    let duration = message("network.latency=Column(path: \"fast.csv\", column: Name(\"rtt\"), unit: Ms(1))");
    assert!(duration.contains("fast.csv:3: column `rtt`: 4e12 is a duration of 4e9 s"), "{duration}");
}

/// n p < 1.
#[test]
fn hardly_any_participation_is_a_caveat() {
    let few = caveats(&["protocol.participation=Bernoulli(0.001)"]);
    assert!(few.len() == 1 && few[0].contains("participants are expected per round"), "{few:?}");
    let none = caveats(&["protocol.participation=Bernoulli(1e-9)"]);
    assert!(none.len() == 1 && !none[0].starts_with("0.000"), "{none:?}");
}

/// A file that is cut off in gzip.
#[test]
fn a_broken_archive_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cut.csv.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 75]).unwrap();
    let message = refused(
        &["network.client_up=Column(path: \"cut.csv.gz\", column: Index(0), unit: Mbps(1))"],
        Some(folder.path()),
    );
    assert!(message.contains("cut.csv.gz") && message.contains("plain or whole in gzip"), "{message}");
}

/// Where each problem that shows only in preparation stands: the value at fault, in the file or in what `--set` or an
/// arm gave it.
#[test]
fn what_preparation_finds_has_a_position() {
    let position = |sets: &[&str]| {
        let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
        let checked = load(Source::new("good.ron", GOOD), &sets).unwrap().remove(0);
        let error = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).err().unwrap();
        let problems = checked.problems(&error);
        let problem = &problems.problems()[0];
        (problem.source.clone(), problem.line, problem.column, problems.render(false))
    };
    let (source, line, column, text) =
        position(&["network=(shape: Graph(sites: Path(4), clients: Sites([Index(1), Name(\"s5\")])))"]);
    assert_eq!((source.starts_with("--set network=(shape: Graph"), line), (true, 1));
    assert_eq!(column, 1 + "network=(shape: Graph(sites: Path(4), clients: Sites([Index(1), ".len());
    assert!(text.contains("did you mean `s"), "{text}");
    // The length of θ of a mixture is known only when the data are.
    let set = "protocol=FlSaem(gamma: Constant(0.5), local: Expect, sends: Parameters, compressor: TopK(k: 99))";
    let (_, _, column, text) = position(&[set]);
    assert_eq!(&set[column - 1..][..2], "99", "{text}");
    let text = GOOD.replace(
        "network: (client_up: Mbps(1), latency: Ms(20)),",
        "network: (shape: Graph(\n  sites: Ring(4),\n  clients: Leaves)),",
    );
    assert_ne!(text, GOOD);
    let checked = load(Source::new("good.ron", text.clone()), &[]).unwrap().remove(0);
    let error = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).err().unwrap();
    let problems = checked.problems(&error);
    assert_eq!(&text[problems.problems()[0].span.clone()], "Leaves");
}

/// Everything that is wrong with names is reported at once; a missing file has the position of its name.
#[test]
fn all_positions_are_reported() {
    let message = |sets: &[&str]| {
        let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
        let checked = load(Source::new("good.ron", GOOD), &sets).unwrap().remove(0);
        let error = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).err().unwrap();
        checked.problems(&error)
    };
    let unknown = message(&[
        "network=(shape: Graph(sites: Path(4), server: Name(\"a\"), clients: Sites([Index(9), Index(1), Name(\"b\")])))",
    ]);
    let texts: Vec<&str> = unknown.problems().iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(texts.len(), 3, "{unknown}");
    assert!(texts[0].contains("`a`") && texts[1].contains("site 9") && texts[2].contains("`b`"), "{unknown}");
    let set = "network=(shape: Graph(sites: Gml(path: \"nowhere.gml\")))";
    let missing = message(&[set]);
    let problem = &missing.problems()[0];
    assert_eq!(&set[problem.span.clone()], "\"nowhere.gml\"");
    assert!(problem.help.as_deref().unwrap().contains("--data DIR"), "{missing}");
}

const SLOW: &str = "network=(server_up: Mbps(1), client_up: Kbps(64), client_down: Kbps(320), latency: Ms(20))";

/// good.ron: 5 expectations of 10 µs = 50 µs; a broadcast of 6 · 64 + 320 = 704 bits at 320 kbit/s takes 2.2 ms; an
/// update of 64 bits for the norm and 4 bits for each of 6 entries (sign, 3 for levels 0…4) with 320 of headers at 64
/// kbit/s 6.375 ms; two latencies.
#[test]
fn a_deadline_below_the_smallest_round_trip_is_a_caveat() {
    let at = |microseconds: f64, more: &[&str]| {
        let deadline = format!("round=Deadline(Us({microseconds}))");
        caveats(&[&[SLOW, "protocol.divide_by=Arrived", &deadline], more].concat())
    };
    let meets = |trip: f64, more: &[&str]| {
        let early = at(trip - 0.001, more);
        assert!(early.len() == 1 && early[0].contains("no contribution can arrive"), "{more:?}: {early:?}");
        assert!(at(trip, more).is_empty(), "{more:?}: {:?}", at(trip, more));
        assert!(at(trip - 0.001, &[more, &["late=Apply"]].concat()).is_empty());
    };
    let trip = 40_000.0 + 50.0 + 2_200.0 + 6_375.0;
    meets(trip, &[]);
    meets(trip, &["network.sharing=Ideal"]);
    // The first exchange, a broadcast and keys, has a deadline of its own; computing goes on in the next.
    let secure = ["protocol.compressor=Identity", "protocol.memory=NoMemory", "aggregation=SecureAggregation()"];
    let first = 40_000.0 + 2_200.0 + 5_000.0;
    assert!(at(first - 0.001, &secure).len() == 1 && at(first, &secure).is_empty());
    // Work that varies may take no time.
    meets(trip - 50.0, &["compute.variation=0.5"]);
    // 48 bytes down and 11 up are coded and decoded: 48 · (1 + 2) + 11 · (4 + 8) µs; and a step of 100 µs.
    let coding =
        "compute.coding=(server_send: Us(1), client_receive: Us(2), client_send: Us(4), server_receive: Us(8))";
    meets(trip + 144.0 + 132.0 + 100.0, &[coding, "compute.client_step=Us(100)"]);
    // A round trip before each of two messages with connections of their own.
    meets(trip + 2.0 * 40_000.0, &["network.transport.connections=PerMessage"]);
    // Two links of 10 ms and 1 Mbit/s more in each direction; the access links stay the slowest.
    let graph = "network=(shape: Graph(sites: Path(3), clients: Sites([Index(2)]), link_latency: Law(Ms(10)), link_capacity: \
                 Law(Mbps(1))), client_up: Kbps(64), client_down: Kbps(320), latency: Ms(20))";
    meets(trip + 40_000.0, &[graph]);
    // Links of 10 kbit/s: 70.4 ms and 40.8 ms.
    meets(40_050.0 + 40_000.0 + 70_400.0 + 40_800.0, &[graph, "network.shape.link_capacity=Law(Kbps(10))"]);
    // 6 · 32 + 320 bits, and 3 · 32 bits, one of C(6, 3) = 20 positions in 5 bits, 320 of headers.
    meets(40_050.0 + 1_600.0 + 6_578.125, &["protocol.floats=F32", "protocol.compressor=RandK(k: 3)"]);
}
