//! Figures of comparisons: their numbers are those of the comparison itself, or of a slow reference.

use crate::common::{self, ARMS, Run, groups, names, rows, text, write_alone, write_run, write_study};
use fedbits_figures::{
    ClientAxis, Cost, Figure, FigureKind, Forest, ForestOrder, ParticipationFigure, Target, TradeOff,
};
use fedbits_record::RunRecord;
use fedbits_record::results::{Bound, PlanTarget, Results, RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoredRun, reach};
use fedbits_reports::compare::{LeftOut, Quantity, Samples, compare};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, open_folders, report};
use fedbits_spec::{Caveat, CountedCaveat};
use std::path::{Path, PathBuf};

/// The figures of an invented study of five replicates, whose coarse arms do not all get to 1e-5.
fn study(home: &Path) -> (PathBuf, PathBuf) {
    let (study, to) = (write_study(home, 5, 300), home.join("figures"));
    let options = ReportOptions::new(Style::Icml, &[Format::Svg], to.clone());
    report(std::slice::from_ref(&study), &options).unwrap();
    (study, to)
}

fn number(cell: &str) -> Option<f64> {
    (!cell.is_empty()).then(|| cell.parse().unwrap())
}

/// Ratios, intervals, pairs and k/n of the forest plot are those of `compare`, for every arm and cost.
#[test]
fn a_forest_shows_the_ratios_of_compare() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = study(home.path());
    let record = fedbits_record::results::Results::open(&study).unwrap();
    let compared = compare(&Samples::of_folder(&record, &[]).unwrap());
    let table = rows(&text(&to, "forest.csv"));
    assert_eq!(table.len(), 1 + 2 * 12);
    let mut without = 0;
    for (name, what) in [("bits_total", Quantity::BitsTotal), ("time_s", Quantity::Time)] {
        let block =
            compared.blocks.iter().find(|block| block.measure.target == Some(1) && block.measure.what == what).unwrap();
        for (arm, found) in record.plan().arms.iter().zip(&block.arms) {
            let row = table.iter().find(|row| row[0] == name && row[1] == arm.name).unwrap();
            assert_eq!(
                [7, 8, 9].map(|cell| row[cell].as_str()),
                [found.reached.to_string().as_str(), "0", "5"],
                "{row:?}"
            );
            if arm.name == record.plan().arms[record.plan().baseline].name {
                assert_eq!((row[2].as_str(), row[10].as_str()), ("1.0", "the baseline"));
                continue;
            }
            let ratio = found.paired.and_then(|paired| paired.ratio);
            let numbers = [2, 3, 4].map(|cell| number(&row[cell]));
            assert_eq!(
                numbers,
                [
                    ratio.map(|effect| effect.mean),
                    ratio.and_then(|effect| effect.low),
                    ratio.and_then(|effect| effect.high)
                ]
            );
            let pairs = found.paired.map(|paired| paired.pairs as f64).filter(|pairs| *pairs > 0.0);
            assert_eq!(number(&row[5]), pairs);
            assert_eq!(row[10].is_empty(), ratio.is_some());
            without += usize::from(ratio.is_none());
        }
    }
    assert!((1..24).contains(&without), "{without} arms without a ratio");
    let (svg, details) = (text(&to, "forest.svg"), text(&to, "forest-details.txt"));
    assert_eq!(svg.matches(">not reached</text>").count(), without / 2, "a row of two costs");
    assert!(details.contains("Without a ratio (no run reaches the target): "), "{details}");
}

/// Without a declaration several arms show what the last target costs: the medians, k of n and ratios of `compare`, and
/// each run with its end.
#[test]
fn arms_with_a_target_show_what_it_costs() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = study(home.path());
    let record = fedbits_record::results::Results::open(&study).unwrap();
    let compared = compare(&Samples::of_folder(&record, &[]).unwrap());
    let options = ReportOptions {
        wanted: Wanted::Declared,
        ..ReportOptions::new(Style::Icml, &[Format::Svg], to.join("declared"))
    };
    let written = common::names(&report(&[study], &options).unwrap());
    assert!(written.contains(&"cost.svg".to_owned()), "{written:?}");
    let table = rows(&text(&to.join("declared"), "cost.csv"));
    assert_eq!(table.len(), 1 + 2 * 12 * (5 + 1));
    for (name, what) in [("bits_total", Quantity::BitsTotal), ("time_s", Quantity::Time)] {
        let mut blocks = compared.blocks.iter();
        let block = blocks.find(|block| block.measure.target == Some(1) && block.measure.what == what).unwrap();
        for (arm, result) in record.plan().arms.iter().zip(&block.arms) {
            let of_arm =
                |of: &'static str| table.iter().filter(move |row| row[0] == of && row[1] == name && row[2] == arm.name);
            let row = of_arm("arm").next().unwrap();
            assert_eq!((number(&row[8]), number(&row[10])), (result.median, Some(result.reached as f64)), "{row:?}");
            let ends: Vec<&str> = of_arm("run").map(|row| row[6].as_str()).collect();
            assert_eq!(ends.iter().filter(|end| **end == "reached").count(), result.reached, "{ends:?}");
            assert!(ends.len() == 5 && ends.iter().all(|end| ["reached", "missed"].contains(end)), "{ends:?}");
            let ratio = result.paired.and_then(|paired| paired.ratio);
            assert!(arm.name == "none / 100 %" || number(&row[13]) == ratio.map(|ratio| ratio.mean), "{row:?}");
        }
    }
}

/// Arms without axes are compared with the one that the plan says.
#[test]
fn the_baseline_is_that_of_the_plan() {
    let home = tempfile::tempdir().unwrap();
    let (runs, to) = (home.path().join("runs"), home.path().join("figures"));
    for arm in &ARMS[..3] {
        (1..=3).for_each(|replicate| drop(write_run(&runs, arm, replicate, 300)));
    }
    for baseline in [0, 1, 2] {
        let targets = vec![PlanTarget::at_most("mean_field_sq", 3.0)];
        common::edit_plan(&runs, |plan| (plan.baseline, plan.targets) = (baseline, targets));
        let wanted = Wanted::Named(vec!["forest".to_owned()]);
        let options = ReportOptions { wanted, ..ReportOptions::new(Style::Icml, &[Format::Svg], to.clone()) };
        report(std::slice::from_ref(&runs), &options).unwrap();
        let table = rows(&text(&to, "forest.csv"));
        let told: Vec<&str> = table.iter().filter(|row| row[10] == "the baseline").map(|row| row[1].as_str()).collect();
        assert_eq!(told, [ARMS[baseline].name; 2]);
    }
}

/// Without censoring before the last runs that get there, the curves count: after each value the share of runs that
/// needed at most so much; and every run is a step or an end.
#[test]
fn reach_curves_count_the_runs() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = study(home.path());
    let record = fedbits_record::results::Results::open(&study).unwrap();
    let table = rows(&text(&to, "reach-time_s.csv"));
    let mut censored = 0;
    for (number, arm) in record.plan().arms.iter().enumerate() {
        let runs = record.plan().replicate_numbers().filter_map(|replicate| record.run(number, replicate).unwrap());
        let taken: Vec<_> = runs.filter_map(|run| reach(&run, &record.plan().targets[1])).collect();
        let seconds = |reached: bool| -> Vec<f64> {
            let reaches = taken.iter().filter(|reach| reach.reached == reached);
            reaches.map(|reach| reach.time_ns as f64 / 1e9).collect()
        };
        let (there, ended) = (seconds(true), seconds(false));
        censored += ended.len();
        let of_kind = |what: &str| table.iter().filter(|row| row[1] == arm.name && row[4] == what).collect::<Vec<_>>();
        let last = there.iter().copied().fold(0.0, f64::max);
        assert!(ended.iter().all(|end| *end > last), "{}: the invented runs all end late", arm.name);
        for row in of_kind("reach") {
            let (value, share) = (number_of(row, 2), number_of(row, 3));
            let counted = there.iter().filter(|time| **time <= value).count() as f64 / 5.0;
            assert!((share - counted).abs() < 1e-12, "{row:?}: {counted}");
        }
        assert_eq!(of_kind("reach").len(), distinct(&there), "{}", arm.name);
        assert_eq!(of_kind("end").len(), distinct(&ended), "{}", arm.name);
    }
    assert!(censored > 0);
    let svg = text(&to, "reach-time_s.svg");
    assert!(svg.contains("class=\"strokes\"") && svg.contains(">participation: 25 %</text>"));
}

/// Where the last run of the last arm is lost, maps, fronts and trade-offs are over the four replicates that all arms have, and say so.
#[test]
fn medians_side_by_side_are_over_common_replicates() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 5, 300), home.path().join("figures"));
    let segment = std::fs::read_dir(study.join("segments")).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::OpenOptions::new().write(true).open(segment).unwrap();
    file.set_len(file.metadata().unwrap().len() - 10).unwrap();
    report(std::slice::from_ref(&study), &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    let cells = rows(&text(&to, "heat-mean_field_sq_1e-5.csv"));
    assert!(cells[1..].iter().all(|row| row[6] == "4"), "{cells:?}");
    let heat = text(&to, "heat-mean_field_sq_1e-5.txt");
    assert!(heat.contains("medians over the 4 replicates that all arms of the map have"), "{heat}");
    let front = text(&to, "pareto-mean_field_sq_0.001.txt");
    assert!(front.contains("medians and quartiles over 4 common replicates; in brackets: "), "{front}");
    let trade_off = text(&to, "trade_off.txt");
    assert!(trade_off.contains("medians and quartiles over the 4 replicates that all arms have"), "{trade_off}");
    assert!(rows(&text(&to, "trade_off.csv"))[1..].iter().all(|row| row[6].ends_with("/4")));
}

/// The details of every figure of what a target costs have what `compare` says of it: some starts meet it.
#[test]
fn figures_have_the_caveats_of_their_target() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 5, 300), home.path().join("figures"));
    let mut plan = RunPlan::read(&study).unwrap();
    plan.targets = vec![PlanTarget::at_most("mean_field_sq", 6.0)];
    plan.write(&study).unwrap();
    let record = Results::open(&study).unwrap();
    let said = compare(&Samples::of_folder(&record, &[]).unwrap()).caveats;
    let met = said.iter().find(|caveat| caveat.to_string().contains("holds before the first round (")).unwrap();
    let options = ReportOptions::new(Style::Icml, &[Format::Svg, Format::Html], to.clone());
    let details = names(&report(&[study], &options).unwrap());
    for figure in ["heat-mean_field_sq", "pareto-mean_field_sq", "reach-time_s", "trade_off"] {
        let is_own = |name: &&String| name.starts_with(figure) && name.ends_with("-details.txt");
        let notes: Vec<String> = details.iter().filter(is_own).map(|name| text(&to, name)).collect();
        let told = format!("Caveat: {met}.\n");
        assert!(!notes.is_empty() && notes.iter().all(|details| details.contains(&told)), "{figure}: {notes:?}");
    }
    let page = text(&to, "report.html");
    let (_, finding) = page.split_once("<p id=\"finding\">").unwrap();
    assert!(finding.split_once("</p>").unwrap().0.ends_with(&format!(" Caveat: {met}.")));
}

/// Leaves the objective in probes alone, as runs have it.
fn with_probes(mut run: RunRecord) -> RunRecord {
    run.rounds.iter_mut().filter(|row| row.mean_field_sq.is_none()).for_each(|row| row.objective = None);
    run
}

/// The invented study, with a probe every fifth round.
fn probed_study(home: &Path) -> Results {
    let (record, to) = (Results::open(&write_study(home, 3, 300)).unwrap(), home.join("probed"));
    record.plan().write(&to).unwrap();
    let mut writer = SegmentWriter::new(&to.join(SEGMENTS_FOLDER));
    for (number, arm) in record.plan().arms.iter().enumerate() {
        for replicate in record.plan().replicate_numbers() {
            let run = with_probes(record.run(number, replicate).unwrap().unwrap());
            writer.append(arm.key(replicate).unwrap(), &StoredRun::finished(run)).unwrap();
        }
    }
    writer.sync().unwrap();
    Results::open(&to).unwrap()
}

/// Of an error that is measured every fifth round up to four rounds of what a target takes may come after it was
/// reached; of what has a value in every round none, and none of probes in which it has none by definition.
#[test]
fn probes_that_are_far_apart_are_a_caveat() {
    let home = tempfile::tempdir().unwrap();
    let record = probed_study(home.path());
    let said = |target: PlanTarget| {
        let found = compare(&Samples::of_folder(&record, &[target]).unwrap()).caveats;
        found
            .into_iter()
            .filter(|caveat| caveat.to_string().contains("was found after 4 rounds without a probe"))
            .collect::<Vec<_>>()
    };
    let mean_field = said(PlanTarget::at_most("mean_field_sq", 1.0));
    assert!(mean_field.iter().any(|caveat| caveat.to_string().starts_with("mean_field_sq ≤ 1")), "{mean_field:?}");
    let other = said(PlanTarget::at_most("field_sq", 1.0));
    assert!(other.iter().all(|caveat| !caveat.to_string().starts_with("field_sq")), "{other:?}");
    let mut run = record.run(0, 0).unwrap().unwrap();
    let unseen = |run: &RunRecord, target: PlanTarget| reach(run, &target).unwrap().unseen;
    assert_eq!(unseen(&run, PlanTarget::at_most("mean_field_sq", 1.0)), 4);
    assert_eq!(unseen(&run, PlanTarget::at_most("field_sq", 1.0)), 0);
    assert_eq!(unseen(&run, PlanTarget::at_most("mean_field_sq", 1e-300)), 0);
    // A run that is silent for 30 rounds, with a probe after each.
    let mut silent = run.clone();
    for row in &mut silent.rounds {
        row.objective = Some(1.0);
        row.mean_field_sq = (row.round == 0 || row.round > 30).then_some(if row.round == 0 { 2.0 } else { 0.5 });
    }
    assert_eq!(unseen(&silent, PlanTarget::at_most("mean_field_sq", 1.0)), 0);
    silent.rounds.retain(|row| row.round == 0 || row.round > 30);
    assert_eq!(unseen(&silent, PlanTarget::at_most("mean_field_sq", 1.0)), 30);
    // What has no value before round 1 may hold there, and is looked at after round 5.
    run.rounds.retain(|row| row.round.is_multiple_of(5));
    run.rounds.iter_mut().for_each(|row| row.field_sq = (row.round > 0).then_some(1.0));
    assert_eq!(unseen(&run, PlanTarget::at_most("field_sq", 1.0)), 4);
}

/// Of many targets the one with the largest share is named, and a tolerance that ended all runs is like a target.
#[test]
fn what_was_not_looked_for_is_said_once() {
    let coarse = |samples: &Samples| -> Vec<String> {
        texts(&compare(samples).caveats).into_iter().filter(|text| text.contains("rounds without a probe")).collect()
    };
    let home = tempfile::tempdir().unwrap();
    let record = probed_study(home.path());
    let targets = [1.0, 1e-1, 1e-2, 1e-3, 1e-4].map(|value| PlanTarget::at_most("mean_field_sq", value));
    let told = coarse(&Samples::of_folder(&record, &targets).unwrap());
    assert!(told.len() == 1 && told[0].starts_with("mean_field_sq ≤ 1 was found after"), "{told:?}");
    let folder = home.path().join("plain");
    let runs = [&ARMS[0], &ARMS[1]].map(|arm| write_run(&folder, arm, 3, 300));
    let of_folder =
        || coarse(&Samples::of_records(&open_folders(std::slice::from_ref(&folder)).unwrap(), &[]).unwrap());
    let first = of_folder();
    assert_eq!(first.len(), 0, "nothing is looked for: {first:?}");
    for run in &runs {
        run.change(|record| {
            *record = with_probes(std::mem::take(record));
            record.manifest.stop_rules.mean_field_sq = Some(5.0);
        });
    }
    let told = of_folder();
    assert!(told.len() == 1 && told[0].starts_with("mean_field_sq ≤ 5 was found after"), "{told:?}");
}

/// Of an accuracy that an arm has not measured nobody knows whether its runs got there; others are compared by it.
#[test]
fn what_an_arm_has_not_measured_is_not_compared() {
    let home = tempfile::tempdir().unwrap();
    common::write_accuracies(home.path(), "good", 0.9);
    common::write_accuracies(home.path(), "poor", 0.7);
    write_run(home.path(), &ARMS[0], 1, 3);
    let target = PlanTarget { column: "accuracy".to_owned(), bound: Bound::AtLeast(0.8) };
    let samples = Samples::of_records(&open_folders(&[home.path().to_owned()]).unwrap(), &[target]).unwrap();
    let found = compare(&samples);
    let arms = samples.arms.iter().zip(&found.blocks[0].arms).zip(&found.fronts[0].arms);
    let mut told: Vec<_> = arms
        .map(|((arm, counts), front)| (arm.name.as_str(), counts.runs, counts.reached, front.compared.as_ref().err()))
        .collect();
    told.sort_by_key(|row| row.0);
    let (unknown, none) = (Some(&LeftOut::NotMeasured), Some(&LeftOut::NoMedian));
    assert_eq!(told, [("good", 1, 1, None), (ARMS[0].name, 0, 0, unknown), ("poor", 1, 0, none)]);
}

fn texts(caveats: &[CountedCaveat]) -> Vec<String> {
    caveats.iter().map(ToString::to_string).collect()
}

/// Single records of one replicate have the caveat that a study has.
#[test]
fn one_replicate_is_a_caveat_of_records() {
    let home = tempfile::tempdir().unwrap();
    let runs = [&ARMS[0], &ARMS[1]].map(|arm| write_alone(home.path(), arm, 1, 20));
    let one = Caveat::OneReplicate {}.to_string();
    let said =
        |runs: &[PathBuf]| texts(&compare(&Samples::of_records(&open_folders(runs).unwrap(), &[]).unwrap()).caveats);
    assert!(said(&runs).contains(&one), "{:?}", said(&runs));
    let more = [&runs[..], &[write_alone(home.path(), &ARMS[0], 2, 20)]].concat();
    assert!(!said(&more).contains(&one));
    let to = home.path().join("figures");
    report(&runs, &ReportOptions::new(Style::Icml, &[Format::Html], to.clone())).unwrap();
    assert!(text(&to, "report.html").contains(&format!(" Caveat: {one}.")));
}

/// The medians of the trade-off are those of the heat map; an arm without one is in the strip above, with k/n.
#[test]
fn a_trade_off_has_the_medians_of_the_heat_map() {
    let home = tempfile::tempdir().unwrap();
    let (_, to) = study(home.path());
    let cells = rows(&text(&to, "heat-mean_field_sq_1e-5.csv"));
    let table = rows(&text(&to, "trade_off.csv"));
    assert_eq!(table[0][2], "participation (%)");
    let mut without = Vec::new();
    for row in &table[1..] {
        let (compressor, participation) = row[1].split_once(" / ").unwrap();
        let same = |cell: &&Vec<String>| cell[0] == row[0] && cell[1] == compressor && cell[2] == participation;
        let cell = cells.iter().find(same).unwrap();
        assert_eq!((&row[3], &row[6]), (&cell[3], &format!("{}/{}", cell[4], cell[6])));
        assert_eq!(row[2], participation.trim_end_matches(" %"));
        if row[3].is_empty() {
            without.push(row[6].clone());
        } else {
            assert!(number_of(row, 4) <= number_of(row, 3));
        }
    }
    let svg = text(&to, "trade_off.svg");
    assert_eq!(svg.matches("class=\"beyond\"").count(), without.len());
    assert!(!without.is_empty() && without.iter().all(|words| svg.contains(&format!(">{words}</text>"))));
}

/// Shares of rounds and clients against sorting; shares of transfers are the quantiles of the histograms.
#[test]
fn shares_of_durations() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(&home.path().join("runs"), &ARMS[1], 3, 40);
    common::add_clients(&run, 2.0);
    let to = home.path().join("figures");
    let options = ReportOptions::new(Style::Icml, &[Format::Svg], to.clone());
    report(std::slice::from_ref(&run.folder), &options).unwrap();
    let record = run.record();
    let table = rows(&text(&to, "ecdf.csv"));
    let points = |name: &str| -> Vec<(f64, f64)> {
        table.iter().filter(|row| row[0] == name).map(|row| (number_of(row, 2), number_of(row, 3))).collect()
    };
    let times = record.rounds.windows(2).map(|pair| (pair[1].time_ns - pair[0].time_ns) as f64 / 1e9);
    let clients = (0..12).map(|client| 2.0 + 0.8 * f64::from(client) + 1.0 + 1.0 - 0.5);
    for (name, mut all) in [("round", times.collect::<Vec<f64>>()), ("client", clients.collect())] {
        all.sort_by(f64::total_cmp);
        assert_eq!(points(name).len(), distinct(&all), "{name}");
        for (seconds, share) in points(name) {
            let counted = all.iter().filter(|value| **value <= seconds * (1.0 + 1e-12)).count() as f64;
            assert!((share - counted / all.len() as f64).abs() < 1e-12, "{name}: {share} at {seconds}");
        }
    }
    let compute = record.histograms.iter().find(|row| row.name == "compute").unwrap();
    let expected = [(compute.min, 0.0), (compute.p50, 0.5), (compute.p90, 0.9), (compute.max, 1.0)];
    for (value, share) in expected {
        let found = points("computing").into_iter().find(|point| point.1 == share).unwrap().0;
        assert_eq!(found, value.unwrap() as f64 * 1e-9);
    }
}

/// Contributions are divided by their mean over the clients of the run, work by the rounds of the client.
#[test]
fn participation_of_clients() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    for (arm, slowness) in ARMS[..2].iter().zip([1.0, 3.0]) {
        common::add_clients(&write_run(&runs, arm, 1, 10), slowness);
    }
    let to = home.path().join("figures");
    report(&[runs], &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    let table = rows(&text(&to, "participation.csv"));
    let header = ["arm", "replicate", "client", "work_per_round_s", "examples", "contributions_by_mean", "objective"];
    assert_eq!(table[0], header);
    for (arm, slowness) in ARMS[..2].iter().zip([1.0, 3.0]) {
        let clients: Vec<&Vec<String>> = table.iter().filter(|row| row[0] == arm.name).collect();
        assert_eq!(clients.len(), 12);
        let mean = clients.iter().map(|row| number_of(row, 5)).sum::<f64>() / 12.0;
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        for (client, row) in clients.iter().enumerate() {
            let (work, contributions) = ((2.0 + 0.4 * slowness * client as f64 + 1.5) / 20.0, 20 - client / 2);
            assert!((number_of(row, 3) - work).abs() < 1e-9, "{row:?}");
            let ratio = number_of(row, 5) / number_of(clients[0], 5);
            assert!((ratio - contributions as f64 / 20.0).abs() < 1e-12, "{row:?}");
        }
    }
    let svg = text(&to, "participation.svg");
    assert!(svg.contains(">work per round (ms)</text>") && svg.contains(">examples of the client</text>"));
}

/// The caption says what is drawn, every client is drawn in the panel of its arm; without a table of clients the error
/// says what leaves one.
#[test]
fn the_caption_of_participation_is_of_what_is_drawn() {
    let home = tempfile::tempdir().unwrap();
    let alone = |arm: &common::Invented| write_run(&home.path().join(arm.name.replace('/', "-")), arm, 1, 10);
    let runs: Vec<Run> = ARMS[..3].iter().map(alone).collect();
    runs[..2].iter().for_each(|run| common::add_clients(run, 2.0));
    let folders: Vec<PathBuf> = runs.into_iter().map(|run| run.folder).collect();
    let y = vec!["objective".to_owned(), "bits_up".to_owned()];
    let kind = FigureKind::Participation(ParticipationFigure { y, x: vec![ClientAxis::Examples] });
    let to = home.path().join("figures");
    let of = |runs: &[PathBuf]| {
        let (declared, wanted) = (Some(vec![Figure::new("own", kind.clone())]), Wanted::Declared);
        report(runs, &ReportOptions { declared, wanted, ..ReportOptions::new(Style::Icml, &[Format::Svg], to.clone()) })
    };
    of(&folders[..1]).unwrap();
    assert_eq!(
        text(&to, "own.txt"),
        "Every client of every run against the number of its examples: objective and bits up.\n"
    );
    of(&folders[..2]).unwrap();
    // Two panels for each of two columns, the second arm's with squares.
    let svg = text(&to, "own.svg");
    let count = |dots: &&str| ["<circle", "<polyline"].map(|mark| dots.matches(mark).count());
    let counts: Vec<_> = groups(&svg, "dots").iter().map(count).collect();
    assert_eq!(counts, [[12, 0], [0, 12]].repeat(2));
    let error = of(&folders[2..]).unwrap_err();
    assert!(error.figure().is_some() && error.to_string().contains("`record: (clients: true)`"), "{error}");
}

/// Means and deviations of the fitted mixture and of the truth; an arm without a mixture is named.
#[test]
fn mixtures_of_the_models() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    let records: Vec<Run> = ARMS[..2].iter().map(|arm| write_run(&runs, arm, 1, 10)).collect();
    common::add_model(&records[0], 0.25);
    let to = home.path().join("figures");
    report(&[runs], &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    let table = rows(&text(&to, "mixture.csv"));
    assert_eq!(table[0][4..], ["y1_mean", "y1_deviation", "y2_mean", "y2_deviation"]);
    let found: Vec<(&str, f64, f64)> =
        table[1..].iter().map(|row| (row[1].as_str(), number_of(row, 4), number_of(row, 7))).collect();
    let half = libm::sqrt(0.5);
    let expected = [("fitted", -0.75, half), ("fitted", 1.75, 1.0), ("truth", -1.0, half), ("truth", 2.0, 1.0)];
    assert_eq!(found, expected);
    let details = text(&to, "mixture-details.txt");
    assert!(
        details.contains(&format!("no fitted mixture with covariances of the data's columns: {}.", ARMS[1].name)),
        "{details}"
    );
    // Two components with two ellipses each, of estimate and truth; the truth is grey.
    let svg = text(&to, "mixture.svg");
    assert_eq!((groups(&svg, "line").len(), svg.matches(">truth</text>").count()), (8, 1));
}

/// The figures that a study declares, with settings; what these cannot mean is said.
#[test]
fn declared_comparisons() {
    let home = tempfile::tempdir().unwrap();
    let study = write_study(home.path(), 4, 300);
    let to = home.path().join("figures");
    let draw = |name: &str, kind: FigureKind| {
        let arms = Vec::new();
        let figure = Figure { arms, ..Figure::new(name, kind) };
        let plain = ReportOptions::new(Style::Neurips, &[Format::Svg], to.clone());
        let options = ReportOptions { wanted: Wanted::Declared, declared: Some(vec![figure]), ..plain };
        report(std::slice::from_ref(&study), &options).map(|_| ())
    };
    let (costs, order) = (vec![Cost::BitsUp, Cost::Time, Cost::Rounds], ForestOrder::Ratio);
    let forest = |baseline: &str, target: Option<Target>| {
        let baseline = Some(baseline.to_owned());
        FigureKind::Forest(Forest { target, costs: costs.clone(), baseline, order })
    };
    draw("ratios", forest("rand-k, k = d/8 / 50 %", Some(Target::MeanFieldSq(1e-2)))).unwrap();
    let table = rows(&text(&to, "ratios.csv"));
    let (first, ratios): (_, Vec<f64>) = (&table[1], table[1..13].iter().filter_map(|row| number(&row[2])).collect());
    assert_eq!((first[0].as_str(), table.len()), ("bits_up", 1 + 3 * 12));
    assert!(ratios.is_sorted() && ratios.contains(&1.0) && ratios.len() > 6, "{ratios:?}");
    assert_eq!(text(&to, "ratios.svg").matches(">baseline</text>").count(), 1);
    assert!(text(&to, "ratios.txt").contains(", divided by that of rand-k, k = d/8 / 50 %: "));
    let trade_off = |axis: &str| TradeOff { axis: Some(axis.to_owned()), ..TradeOff::default() };
    draw("across", FigureKind::TradeOff(trade_off("compressor"))).unwrap();
    assert!(text(&to, "across-details.txt").contains("The levels do not differ in a single number"));
    let wrong = [
        (forest("nobody", None), "there is no arm `nobody`"),
        (forest("none / 50 %", Some(Target::Accuracy(0.9))), "there is no measured column `accuracy`; there are `"),
        (FigureKind::TradeOff(trade_off("speed")), "there is no axis `speed`; there are `compressor`, `participation`"),
    ];
    for (kind, message) in wrong {
        let error = draw("wrong", kind).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

fn number_of(row: &[String], cell: usize) -> f64 {
    row[cell].parse().unwrap()
}

/// How many different values there are.
fn distinct(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}
