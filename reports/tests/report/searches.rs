//! Decisions of searches: in sentences, tables, figures and on the page, from the record alone.

use crate::common::{costs, names, optimization, race, rows, text, write_search};
use fedbits_record::study::{
    Decision, DropReason, Effect, PlanObjective, PlanSearch, RunnerUp, StudyPlan, StudyRecord,
};
use fedbits_reports::decision::{Decided, Place};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, report};
use std::path::Path;

fn sentences(study: &Path) -> Vec<String> {
    let record = StudyRecord::open(study).unwrap();
    Decided::of(record.plan(), record.decision()).unwrap().sentences()
}

fn options(to: &Path) -> ReportOptions {
    let formats = [Format::Svg, Format::Html];
    ReportOptions { wanted: Wanted::Declared, ..ReportOptions::new(Style::Neurips, &formats, to.to_path_buf()) }
}

/// 4 arms with three runs and 8 with two are 28 of 12 × 3 = 36 runs.
#[test]
fn a_race_in_sentences() {
    let home = tempfile::tempdir().unwrap();
    let study = write_search(home.path(), race());
    let expected = [
        "2 of 12 arms cannot be told apart by bits to mean_field_sq ≤ 0.001, the one with the least cost first: \
         `dithering, s = 4 / 25 %`; `dithering, s = 4 / 50 %`.",
        "The cost of the first: 1.00 Mbit (geometric mean of 3 runs), 0.250 times that of the baseline `none / 100 %` (95 % \
         interval 0.200 to 0.320, 3 pairs).",
        "How sure: an arm that is better by more than 2 % was dropped with probability at most 5 %, over all looks. \
         The costs are of the runs by which it was chosen; fresh seeds show them without that advantage.",
        "Effort: 28 runs of the 36 of the full grid (77.8 %; 12 arms, 3 replicates).",
        "Costs are means of each arm's own runs, of which arms have different numbers; what stands beside them, to the \
         baseline, is over the replicates in which both got there.",
        "Dropped: 7 worse, 1 not better and 1 infeasible after 2 replicates; 1 worse after 3 replicates; their \
         further replicates were not tried, but for those of the baseline.",
        "Sensitivity: under 1 of 2 other assumptions another arm is best: `clients × 2`.",
    ];
    assert_eq!(sentences(&study), expected);
    // One that is left, at the end of an axis of numbers; one run of three ended before the target.
    let (search, mut decision) = race();
    decision.best = vec![5];
    decision.arms[5].feasible = 2;
    decision.sensitivity.clear();
    decision.looks[1].standings[0].dropped = Some(DropReason::NotBetter);
    let told = sentences(&write_search(&home.path().join("one"), (search, decision)));
    assert_eq!(told[0], "The best of 12 arms by bits to mean_field_sq ≤ 0.001: `dithering, s = 4 / 25 %`.");
    assert!(
        told[1]
            .contains("3 runs; 2 of them got there and kept to what was asked, the others count with what they cost)"),
        "{told:?}"
    );
    let edge = "At the edge: the best has the least level 25 % of `participation`; what lies beyond was not tried.";
    assert_eq!(told.last().unwrap(), edge);
}

/// Of what is to be large the largest stands first, and differences are no costs.
#[test]
fn what_grows_is_no_cost() {
    let home = tempfile::tempdir().unwrap();
    let largest = || vec![PlanObjective::Best("accuracy".to_owned())];
    let (search, decision) = race();
    let told =
        sentences(&write_search(&home.path().join("race"), (PlanSearch { objectives: largest(), ..search }, decision)));
    assert!(told[0].contains("by accuracy at the end, the one with the largest value first: "), "{told:?}");
    assert!(
        told[1].starts_with("The value of the first: ") && told[1].contains(", 0.250 more than the baseline"),
        "{told:?}"
    );
    let (search, mut decision) = optimization(largest());
    let effect = Effect { pairs: 3, mean: 0.005, low: Some(-0.001), high: Some(0.011) };
    decision.runner_up = Some(RunnerUp { arm: 3, effect, probability: Some(0.9) });
    let told = sentences(&write_search(&home.path().join("one"), (search, decision)));
    let text = "it has 0.00500 more than the runner-up `dithering, s = 4 / 100 %` (95 % interval -0.00100 to 0.0110, 3 pairs); \
                that it has more has the probability 0.900 given these pairs";
    assert!(told.iter().any(|own| own.contains(text)), "{told:?}");
}

/// What has not ended says so before all else; the best so far is only left.
#[test]
fn a_race_that_goes_on_says_so() {
    let home = tempfile::tempdir().unwrap();
    let (search, mut decision) = race();
    decision.ended = false;
    decision.arms[4].runs = 2;
    let study = write_search(home.path(), (search, decision));
    let told = sentences(&study);
    assert!(told[0].starts_with("The search has not ended: 27 of 28 runs asked for have a result, after 2 looks"));
    assert!(told[1].starts_with("2 of 12 arms are left"), "{told:?}");
    let record = StudyRecord::open(&study).unwrap();
    let decided = Decided::of(record.plan(), record.decision()).unwrap();
    assert_eq!([decided.place(4), decided.place(5)], [Place::Left; 2]);
    assert_eq!(decided.place(8), Place::Dropped(3, DropReason::Worse));
    // Those left, the one dropped last, the others by their costs.
    assert_eq!(decided.order(), [5, 4, 8, 1, 2, 3, 6, 7, 9, 10, 11, 0]);
    assert_eq!(
        decided.progress(),
        "the search goes on; 2 looks; 2 of 12 arms are left, `dithering, s = 4 / 25 %` first; 27 of 28 runs asked for \
         have a result; the full grid has 36"
    );
}

/// The arm that leads at the end was held against another before, and is beside nobody now.
#[test]
fn who_leads_is_beside_nobody() {
    let home = tempfile::tempdir().unwrap();
    let (search, mut decision) = race();
    decision.looks[1].leader = 4;
    decision.looks[1].standings[0].arm = 5;
    let record = StudyRecord::open(&write_search(home.path(), (search, decision))).unwrap();
    let decided = Decided::of(record.plan(), record.decision()).unwrap();
    assert!(decided.last(4).is_some() && decided.beside_leader(4).is_none());
    assert_eq!(decided.beside_leader(5).unwrap().mean, Some(1.06));
}

/// Arms that were dropped after all replicates have no others that were not tried.
#[test]
fn what_was_made_was_tried() {
    let home = tempfile::tempdir().unwrap();
    let (search, mut decision) = race();
    decision.looks.remove(0);
    let told = sentences(&write_search(home.path(), (search, decision)));
    assert!(told.contains(&"Dropped: 1 worse after 3 replicates.".to_owned()), "{told:?}");
}

/// The race is the figure of a study that declares none, its decision leads the page.
#[test]
fn a_race_on_the_page() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_search(home.path(), race()), home.path().join("figures"));
    let written = names(&report(&[study], &options(&to)).unwrap());
    assert!(written.contains(&"race.svg".to_owned()) && !written.contains(&"mean_field_sq.svg".to_owned()));
    let table = rows(&text(&to, "race.csv"));
    assert_eq!(table.len(), 1 + 11 + 2);
    let [leader, second] = ["dithering, s = 4 / 25 %", "dithering, s = 4 / 50 %"];
    assert_eq!(table[12][..3], ["3", leader, second]);
    assert_eq!([&table[13][5], &table[13][6]], ["3", "worse"]);
    let svg = text(&to, "race.svg");
    for words in ["leads", "left", "not better", "infeasible"] {
        assert!(svg.contains(&format!(">{words}</text>")), "{words}");
    }
    let page = text(&to, "report.html");
    assert!(
        page.contains("<div id=\"decision\">\n<p>2 of 12 arms cannot be told apart")
            && !page.contains("id=\"finding\"")
    );
    assert!(page.contains("<td>clients × 2</td><td>dithering, s = 4 / 50 %</td><td>1.04 [0.990, 1.09]</td>"));
    assert!(page.contains("12 arms, 36 runs of 28 asked for"));
}

/// Fewer rows than arms: the others are one row, and the CSV has all.
#[test]
fn many_arms_of_a_race_are_one_row() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_search(home.path(), race()), home.path().join("figures"));
    let figure = r#"[{"name": "short", "kind": {"Race": {"rows": 4}}}]"#;
    let declared = Some(serde_json::from_str(figure).unwrap());
    report(std::slice::from_ref(&study), &ReportOptions { declared, ..options(&to) }).unwrap();
    let svg = text(&to, "short.svg");
    assert!(svg.contains(">8 more arms</text>") && svg.contains(">dropped</text>"));
    assert_eq!(rows(&text(&to, "short.csv")).len(), 1 + 11 + 2);
    // One of the others is left.
    let declared = Some(serde_json::from_str(&figure.replace('4', "1")).unwrap());
    report(&[study], &ReportOptions { declared, ..options(&to) }).unwrap();
    let svg = text(&to, "short.svg");
    assert!(svg.contains(">11 more arms</text>") && svg.contains(">some left</text>"));
}

/// A step line from 0 to 6, 14 and all 24 runs; a point per arm; the arms on the front, which dominate a volume.
#[test]
fn an_optimization_is_drawn() {
    let home = tempfile::tempdir().unwrap();
    let [bits, time] = costs();
    let study = write_search(&home.path().join("one"), optimization(vec![bits.clone()]));
    let to = home.path().join("figures");
    let wanted = Wanted::Named(["best_so_far", "surface"].map(str::to_owned).into());
    report(std::slice::from_ref(&study), &ReportOptions { wanted, ..options(&to) }).unwrap();
    let table = rows(&text(&to, "best_so_far.csv"));
    assert_eq!(table[1..].iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["0", "6", "14"]);
    // The line moves by what two arms cost over the replicates in which both got there, not between their means.
    let record = StudyRecord::open(&study).unwrap();
    let reached = |arm: usize, replicate: u64| {
        let cost = bits.cost(&record.run(arm, replicate).unwrap()?)?;
        cost.reached.then_some(libm::log(cost.cost))
    };
    let mut line = 8.0e6_f64;
    for ([from, to], row) in [[0, 3], [3, 7]].into_iter().zip(&table[2..]) {
        let steps = (0..3).filter_map(|replicate| Some(reached(to, replicate)? - reached(from, replicate)?));
        let steps: Vec<f64> = steps.collect();
        if steps.is_empty() {
            line = 1.0e6 * (1.0 + (to as f64 - 7.0).abs());
        } else {
            line *= libm::exp(steps.iter().sum::<f64>() / steps.len() as f64);
        }
        println!("{from} to {to}: {} steps", steps.len());
        assert!((row[2].parse::<f64>().unwrap() / line - 1.0).abs() < 1e-12, "{row:?}: {line}");
    }
    let table = rows(&text(&to, "surface.csv"));
    assert_eq!(table[0], ["arm", "protocol.compressor", "protocol.step", "cost", "runs", "feasible", "led", "best"]);
    assert_eq!(table[8][1..], ["Natural", "0.64", "1000000.0", "2", "2", "1", "1"]);
    assert_eq!(table[12][5..], ["1", "0", "0"]);
    assert!(text(&to, "surface.txt").contains("against each setting: geometric means over the runs of an arm"));
    assert!(text(&to, "best_so_far.txt").contains("from the geometric mean cost of the first arm"));
    let told = sentences(&study);
    let best = "dithering, s = 1 / 50 %";
    assert_eq!(
        told[0],
        format!(
            "The best of 12 arms by bits to mean_field_sq ≤ 0.001: `{best}` (protocol.compressor = Natural, \
             protocol.step = 0.64)."
        )
    );
    assert_eq!(told[3], "Effort: 24 runs of 12 arms.");
    let study = write_search(&home.path().join("two"), optimization(vec![bits, time]));
    let wanted = Wanted::Named(vec!["front".to_owned()]);
    report(std::slice::from_ref(&study), &ReportOptions { wanted, ..options(&to) }).unwrap();
    let table = rows(&text(&to, "front.csv"));
    let on_front = table[1..].iter().filter(|row| row[3] == "1").map(|row| row[0].clone());
    assert_eq!(on_front.collect::<Vec<_>>(), ["none / 100 %", "dithering, s = 4 / 100 %", best]);
    let written = names(&report(std::slice::from_ref(&study), &options(&to)).unwrap());
    let figures = written.iter().filter(|name| name.ends_with(".svg"));
    assert_eq!(figures.collect::<Vec<_>>(), ["front.svg"], "the figure of a front that declares none");
    assert!(text(&to, "front.txt").contains(": geometric means over runs; filled: "));
    assert!(text(&to, "front.txt").contains("dominates a volume of 3.25 below the baseline's costs"));
    assert!(
        sentences(&study)[0].starts_with("3 of 12 arms are on the front of bits to mean_field_sq ≤ 0.001 and time")
    );
}

/// What has no ratios has no geometric mean.
#[test]
fn means_are_called_what_they_are() {
    let home = tempfile::tempdir().unwrap();
    let to = home.path().join("figures");
    let objective = PlanObjective::Best("objective".to_owned());
    let study = write_search(&home.path().join("one"), optimization(vec![objective.clone()]));
    let wanted = Wanted::Named(["best_so_far", "surface"].map(str::to_owned).into());
    report(&[study], &ReportOptions { wanted, ..options(&to) }).unwrap();
    assert!(text(&to, "surface.txt").contains("against each setting: means over the runs of an arm"));
    assert!(text(&to, "best_so_far.txt").contains("from the mean cost of the first arm"));
    let study = write_search(&home.path().join("two"), optimization(vec![costs()[0].clone(), objective]));
    report(&[study], &ReportOptions { wanted: Wanted::Named(vec!["front".to_owned()]), ..options(&to) }).unwrap();
    let both = ": means over runs, geometric ones of bits to mean_field_sq ≤ 0.001; filled: ";
    assert!(text(&to, "front.txt").contains(both), "{}", text(&to, "front.txt"));
}

/// A baseline of a search is written as `Constant(0.02)`, points as numbers: all stand on one axis of numbers. An arm
/// without a value is named.
#[test]
fn a_baseline_stands_at_its_number() {
    let home = tempfile::tempdir().unwrap();
    let study = write_search(home.path(), optimization(vec![costs()[0].clone()]));
    let mut plan = StudyPlan::read(&study).unwrap();
    plan.axes[0].values[1][0] = "Constant(0.02)".into();
    plan.axes[0].values[1][1] = "–".into();
    plan.write(&study).unwrap();
    let to = home.path().join("figures");
    let figures = r#"[{"name": "steps", "kind": {"Surface": {"paths": ["protocol.step"]}}},
        {"name": "over", "kind": {"TradeOff": {"axis": "protocol.step"}}}]"#;
    report(&[study], &ReportOptions { declared: Some(serde_json::from_str(figures).unwrap()), ..options(&to) })
        .unwrap();
    for name in ["steps", "over"] {
        let svg = text(&to, &format!("{name}.svg"));
        assert!(!svg.contains("Consta") && svg.contains(">10<tspan"), "{name}: round numbers at the axis");
    }
    let second = "none / 50 %";
    let details = text(&to, "steps-details.txt");
    assert!(details.contains(&format!("Without a value of protocol.step, and so not in its panel: {second}.")));
    let details = text(&to, "over-details.txt");
    assert!(details.contains(&format!("Not shown, as they have no value there: {second}.")), "{details}");
    assert!(!details.contains("they stand side by side"));
}

/// Arms of which no run reached the target are on no front and in no drawing, and stand behind the others.
#[test]
fn arms_that_got_nowhere_are_no_costs() {
    let home = tempfile::tempdir().unwrap();
    let (search, mut decision) = optimization(costs().to_vec());
    decision.arms[6].feasible = 0;
    decision.hypervolume = None;
    let study = write_search(home.path(), (search, decision));
    let to = home.path().join("figures");
    report(std::slice::from_ref(&study), &options(&to)).unwrap();
    let none = "There is no hypervolume: the baseline `none / 100 %` never got there.";
    assert!(sentences(&study)[0].ends_with(none));
    let table = rows(&text(&to, "front.csv"));
    let (last, name) = (&table[12], "dithering, s = 1 / 100 %");
    assert_eq!((last[0].as_str(), &last[3..]), (name, &["0", "2", "0", ""].map(str::to_owned)[..]));
    assert!(text(&to, "front.txt").contains(&format!("Left out, because no run got there: {name}.")));
    // Those without styles have the numbers of their places in the study; neither the front nor what is left out has one.
    let plan = StudyPlan::read(&study).unwrap();
    let numbered: Vec<usize> = (0..12).filter(|arm| ![0, 3, 6, 7].contains(arm)).collect();
    let numbers: Vec<&String> = table[1..].iter().map(|row| &row[6]).filter(|number| !number.is_empty()).collect();
    assert_eq!(numbers, numbered.iter().map(usize::to_string).collect::<Vec<_>>().iter().collect::<Vec<_>>());
    let named: Vec<String> = numbered.iter().map(|&arm| format!("{arm} {}", plan.arms[arm].name)).collect();
    let details = text(&to, "front-details.txt");
    assert!(details.contains(&format!(" Numbered as in the study: {}.", named.join("; "))), "{details}");
    assert!(text(&to, "front.svg").contains(">11</text>"));
    let record = StudyRecord::open(&study).unwrap();
    let decided = Decided::of(record.plan(), record.decision()).unwrap();
    assert_eq!((decided.place(6), decided.order().last()), (Place::Infeasible, Some(&6)));
    let said = "The costs of 2 arms are lower bounds: runs that failed, did not get there or broke a constraint count";
    assert!(decided.sentences().iter().any(|line| line.starts_with(said)));
}

/// A decision that is cut off is an error with its place; one of another plan is a caveat, and is left out.
#[test]
fn a_bad_decision_is_not_believed() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_search(home.path(), race()), home.path().join("figures"));
    let path = study.join("decision.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = report(std::slice::from_ref(&study), &options(&to)).unwrap_err().to_string();
    assert!(error.contains("decision.json:") && error.contains("EOF"), "{error}");
    let changes: [fn(&mut Decision); 5] = [
        |own| own.best.push(12),
        |own| drop(own.arms.pop()),
        |own| own.looks[0].leader = 99,
        |own| own.arms[3].costs.clear(),
        |own| own.arms[3].against_baseline.push(None),
    ];
    for change in changes {
        let mut decision = race().1;
        change(&mut decision);
        decision.write(&study).unwrap();
        let record = StudyRecord::open(&study).unwrap();
        assert!(record.decision().is_none());
        assert!(record.caveats()[0].contains("decision.json speaks of other arms or objectives than the plan"));
        report(std::slice::from_ref(&study), &options(&to)).unwrap();
        assert!(!text(&to, "report.html").contains("<div id=\"decision\">"));
    }
}
