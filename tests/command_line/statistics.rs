//! Every command and figure gives the same answers about a study: who leads, by how much, how many runs reached the
//! target, and which did not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::command_line::studies::json;
use crate::command_line::verdicts::{BASE, rows};
use crate::support::{Scratch, finish};

const ARMS: [&str; 5] = ["all", "half", "short", "few", "fails"];

/// Arms with unequal caps; of `few` some fits are degenerate, of `fails` some runs fail.
fn study(seed: u64) -> String {
    format!(
        r#"(
    name: "unequal", base: "base.ron", seed: {seed}, replicates: 5, arms: [],
    axes: [Zip(name: "who", labels: ["all", "half", "short", "few", "fails"], paths: {{
        "protocol.participation": ["All", "Bernoulli(0.5)", "All", "Bernoulli(0.05)", "Bernoulli(0.05)"],
        "protocol.domain": ["Clip(floor: 1e-3)", "Clip(floor: 1e-3)", "Clip(floor: 1e-3)", "Clip(floor: 1e-3)",
            "Error"],
        "stop.rounds": ["60", "60", "{}", "40", "60"],
    }})],
    targets: [MeanFieldSq(1e-5)], stop: (mean_field_sq: 1e-6),
    figures: [(name: "f", kind: Forest(costs: [BitsTotal])), (name: "r", kind: Reach(costs: [BitsTotal]))],
)"#,
        5 * (1 + seed % 2)
    )
}

/// The answers for one arm, computed from `runs.csv`.
#[derive(Debug, Default)]
struct Answers {
    /// Bits to the target by replicate; infinite for a run that did not reach it.
    bits: Vec<f64>,
    reached: usize,
    degenerate: usize,
    failed: usize,
    ended: bool,
    median: Option<f64>,
    place: Option<usize>,
    /// Logarithms of the ratios to the baseline.
    ratios: Vec<f64>,
}

impl Answers {
    fn ratio(&self) -> Option<f64> {
        let pairs = self.ratios.len() as f64;
        (pairs > 0.0).then(|| libm::exp(self.ratios.iter().sum::<f64>() / pairs))
    }

    fn counted(&self) -> String {
        let degenerate = if self.degenerate > 0 { format!(", {} degenerate", self.degenerate) } else { String::new() };
        format!("{}/5{degenerate}", self.reached)
    }
}

fn answers(scratch: &Scratch) -> Vec<Answers> {
    let mut all: Vec<Answers> = ARMS.map(|_| Answers::default()).into();
    for row in rows(&fs::read_to_string(scratch.path("out/runs.csv")).unwrap()) {
        let arm = &mut all[ARMS.iter().position(|arm| *arm == row["arm"]).unwrap()];
        let is_there = row["reached_to_mean_field_sq_1e-5"] == "1";
        let is_lost = row["status"] != "finished";
        arm.bits.push(if is_there { row["bits_total_to_mean_field_sq_1e-5"].parse().unwrap() } else { f64::INFINITY });
        arm.reached += usize::from(is_there);
        arm.degenerate += usize::from(row["status"] == "degenerate");
        arm.failed += usize::from(row["status"] == "failed");
        arm.ended |= !is_there && !is_lost;
    }
    let baseline = all[0].bits.clone();
    for arm in &mut all {
        let mut sorted = arm.bits.clone();
        sorted.sort_by(f64::total_cmp);
        arm.median = Some(sorted[2]).filter(|median| median.is_finite());
        let both = arm.bits.iter().zip(&baseline).filter(|(bits, base)| bits.is_finite() && base.is_finite());
        arm.ratios = both.map(|(bits, base)| libm::log(bits / base)).collect();
    }
    let medians: Vec<f64> = all.iter().filter_map(|arm| arm.median).collect();
    for arm in &mut all {
        arm.place = arm.median.map(|median| 1 + medians.iter().filter(|other| **other < median).count());
    }
    all
}

fn near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found / expected - 1.0).abs() < 1e-9,
        (found, expected) => found == expected,
    }
}

/// `compare` as CSV and as JSON, and the figure of ratios.
fn check_tables(scratch: &Scratch, expected: &[Answers]) {
    let told = |format: &str| finish(scratch.fedbits(["compare", "out", "--format", format])).done();
    let (table, all) = (rows(&told("csv")), json(&told("json")));
    let is_asked = |target: &str, measure: &str| target == "mean_field_sq ≤ 1e-5" && measure == "bits_total";
    let found = all["rows"].as_array().unwrap().iter();
    let found = found.filter(|row| is_asked(row["target"].as_str().unwrap_or(""), row["measure"].as_str().unwrap()));
    let table = table.iter().filter(|row| is_asked(&row["target"], &row["measure"]));
    let forest = rows(&fs::read_to_string(scratch.path("out/figures/f.csv")).unwrap());
    for (((row, cells), forest), (number, arm)) in found.zip(table).zip(&forest).zip(expected.iter().enumerate()) {
        let number_of = |column: &str| row[column].as_f64();
        let cell = |cells: &BTreeMap<String, String>, column: &str| cells[column].parse::<f64>().ok();
        let context = || format!("{row} {forest:?} {arm:?}");
        assert_eq!(row["arm"], ARMS[number], "{}", context());
        for (column, value) in row.as_object().unwrap() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let same = cells[column] == text || *value == Value::Null && cells[column].is_empty();
            assert!(same || near(cell(cells, column), value.as_f64()), "{column}: {} and {text}", cells[column]);
        }
        let counts = [arm.bits.len(), arm.reached, arm.degenerate, arm.failed].map(|count| count as f64);
        assert_eq!(["runs", "reached", "degenerate", "failed"].map(number_of), counts.map(Some), "{}", context());
        assert_eq!(
            (number_of("median"), row["is_baseline"].as_bool()),
            (arm.median, Some(number == 0)),
            "{}",
            context()
        );
        assert_eq!(row["place"].as_u64().map(|place| place as usize), arm.place, "{}", context());
        assert_eq!(
            ["reached", "degenerate", "runs"].map(|column| cell(forest, column)),
            [1, 2, 0].map(|index| Some(counts[index]))
        );
        if number == 0 {
            assert!(row["ratio"].is_null() && forest["why_none"] == "the baseline", "{}", context());
            continue;
        }
        let pairs = arm.ratios.len();
        assert_eq!(number_of("pairs"), Some(pairs as f64), "{}", context());
        assert!(near(number_of("ratio"), arm.ratio()) && near(cell(forest, "ratio"), arm.ratio()), "{}", context());
        for (column, shown) in [("ratio_low", "low"), ("ratio_high", "high")] {
            assert_eq!(number_of(column).is_some(), pairs >= 3, "{}", context());
            assert!(near(cell(forest, shown), number_of(column)), "{}", context());
        }
        for column in ["ratio_resampled_low", "difference_low", "difference_resampled_high"] {
            assert!(pairs >= 3 || row[column].is_null(), "{column}: {}", context());
        }
    }
}

/// Tables for people and for LaTeX, the figure of shares, the page and `status`.
fn check_texts(scratch: &Scratch, expected: &[Answers]) {
    let told = |format: &str| finish(scratch.fedbits(["compare", "out", "--format", format])).done();
    let (latex, human) = (told("latex"), told("human"));
    let shares = rows(&fs::read_to_string(scratch.path("out/figures/r.csv")).unwrap());
    let has_degenerate = expected.iter().any(|arm| arm.degenerate > 0);
    for (name, arm) in ARMS.iter().zip(expected) {
        let line = latex.lines().find(|line| line.starts_with(&format!("{name} & "))).unwrap();
        let cells: Vec<&str> = line.split(" & ").collect();
        assert_eq!((cells[1], cells[2] == "--"), (&*arm.counted(), arm.median.is_none()), "{line}");
        assert!(arm.ratios.len() >= 3 || !cells[3].contains('['), "{line}");
        let words = human.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let row = words.into_iter().find(|words| words.first() == Some(name)).unwrap();
        assert_eq!(row[1..3], [arm.reached.to_string(), "5".to_owned()], "{human}");
        let cells = &row[if has_degenerate { 4 } else { 3 }..];
        assert_eq!(cells[0] == "–", arm.median.is_none(), "{human}");
        assert!(arm.ratios.len() >= 3 || cells[2..4] == ["–", "–"], "{human}");
        let of =
            |what: &str| shares.iter().filter(|row| row["arm"] == *name && row["runs"] == what).collect::<Vec<_>>();
        let last = of("reach").last().map_or(0.0, |row| row["share"].parse::<f64>().unwrap());
        assert!((last - arm.reached as f64 / 5.0).abs() < 1e-9, "{shares:?}");
        let is_lost = arm.degenerate + arm.failed > 0;
        assert_eq!([of("end").is_empty(), of("fail").is_empty()], [!arm.ended, !is_lost], "{shares:?} {arm:?}");
    }
    let named = |is: &dyn Fn(&Answers) -> bool| -> Vec<&str> {
        ARMS.iter().zip(expected).filter(|(_, arm)| is(arm)).map(|(name, _)| *name).collect()
    };
    let (first, without) = (named(&|arm| arm.place == Some(1)), named(&|arm| arm.median.is_none()));
    let counted = |names: &[&str]| match names.len() {
        count @ 4.. => format!("{count} arms"),
        _ => names.join(" and "),
    };
    let page = fs::read_to_string(scratch.path("out/figures/report.html")).unwrap();
    let takes = if first.len() > 1 { "take" } else { "takes" };
    // Where all arms with a median tie, nobody takes the fewest bits.
    let is_tie = first.len() + without.len() == ARMS.len();
    assert_eq!(page.contains(&format!("{} {takes} the fewest bits", counted(&first))), !is_tie, "{first:?}");
    let missed = format!("Not reached in more than half of its runs by {}.", counted(&without));
    assert_eq!(page.contains(&missed), !without.is_empty(), "{missed}");
    let status = finish(scratch.fedbits(["status", "out", "--watch"])).out;
    let (_, told) = status.trim_end().split_once('\n').expect("a line below that of the counts");
    let leads = if first.len() > 1 { " lead, " } else { " leads, " };
    let (names, told) = told.split_once(leads).unwrap_or_else(|| panic!("{told}"));
    let mut names: Vec<&str> = names.split(", ").collect();
    // Arms that tie stand in the order of how often they are first.
    let leader = names[0];
    names.sort_by_key(|name| ARMS.iter().position(|arm| arm == name));
    assert_eq!(names, first);
    let leader = &expected[ARMS.iter().position(|arm| *arm == leader).unwrap()];
    assert!(told.starts_with("all bits to mean_field_sq ≤ 1e-5: ") && told.ends_with(&leader.counted()), "{told}");
}

#[test]
fn every_answer_is_the_same_everywhere() {
    let (mut has_degenerate, mut has_failed, mut has_few) = (false, false, false);
    for seed in [1, 2, 3, 5, 7, 11, 13, 17, 19, 23] {
        let scratch = Scratch::new();
        fs::write(scratch.path("base.ron"), BASE).unwrap();
        fs::write(scratch.path("study.ron"), study(seed)).unwrap();
        finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "out", "--quiet"]));
        finish(scratch.fedbits(["report", "out", "--format", "svg,html", "--quiet"])).done();
        let expected = answers(&scratch);
        check_tables(&scratch, &expected);
        check_texts(&scratch, &expected);
        has_degenerate |= expected.iter().any(|arm| arm.degenerate > 0);
        has_failed |= expected.iter().any(|arm| arm.failed > 0);
        has_few |= expected.iter().any(|arm| (1..3).contains(&arm.ratios.len()) && arm.median.is_none());
    }
    assert!(has_degenerate && has_failed && has_few, "the seeds have every case");
}

/// Targets that all folders declare are compared without `--target`; those that one folder lacks are not.
#[test]
fn folders_share_the_targets_that_all_declare() {
    let scratch = Scratch::new();
    fs::write(scratch.path("base.ron"), BASE).unwrap();
    for (name, targets) in [("a", "Objective(3.5), MeanFieldSq(1e-3)"), ("b", "MeanFieldSq(1e-3)"), ("c", "")] {
        let text = format!("(name: \"{name}\", base: \"base.ron\", replicates: 2, targets: [{targets}])");
        let file = format!("{name}.ron");
        fs::write(scratch.path(&file), text).unwrap();
        finish(scratch.fedbits(["run", &file, "--no-figures", "--out", name])).done();
    }
    let targets = |folders: &[&str]| {
        let told = finish(scratch.fedbits([&["compare", "--json"], folders].concat())).done();
        let rows = json(&told)["rows"].as_array().unwrap().clone();
        let names = rows.iter().filter_map(|row| row["target"].as_str().map(str::to_owned));
        names.collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(targets(&["a"]).len(), 2);
    assert_eq!(targets(&["a", "b"]), ["mean_field_sq ≤ 0.001"]);
    assert!(targets(&["b", "c"]).is_empty());
    assert_eq!(targets(&["b", "c", "--target", "mean_field_sq=1e-3"]), ["mean_field_sq ≤ 0.001"]);
}
