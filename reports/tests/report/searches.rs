//! Decisions of races: in sentences, tables, figures and on the page, from the record alone.

use crate::common::{names, race, rows, text, write_search};
use fedbits_record::results::{Decision, DropReason, PlanObjective, PlanSearch, Results};
use fedbits_reports::decision::{Decided, Place};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, report};
use fedbits_spec::Caveat;
use std::path::Path;

fn sentences(study: &Path) -> Vec<String> {
    let record = Results::open(study).unwrap();
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
         baseline, is over the replicates in which both reached the target.",
        "Dropped: 7 worse, 1 not better and 1 infeasible after 2 replicates; 1 worse after 3 replicates; their \
         further replicates were not tried, but for those of the baseline.",
    ];
    assert_eq!(sentences(&study), expected);
    // One that is left, at the end of an axis of numbers; one run of three ended before the target.
    let (search, mut decision) = race();
    decision.best = vec![5];
    decision.arms[5].feasible = 2;
    decision.looks[1].standings[0].dropped = Some(DropReason::NotBetter);
    let told = sentences(&write_search(&home.path().join("one"), (search, decision)));
    assert_eq!(told[0], "The best of 12 arms by bits to mean_field_sq ≤ 0.001: `dithering, s = 4 / 25 %`.");
    assert!(
        told[1].contains(
            "3 runs; 2 of them reached the target within the constraints, the others count with what they cost)"
        ),
        "{told:?}"
    );
    let edge = "At the edge: the best has the least level 25 % of `participation`; what lies beyond was not tried.";
    assert_eq!(told.last().unwrap(), edge);
}

/// Of what is to be large the largest stands first, and differences are no costs.
#[test]
fn what_grows_is_no_cost() {
    let home = tempfile::tempdir().unwrap();
    let objective = PlanObjective::Best("accuracy".to_owned());
    let (search, decision) = race();
    let told = sentences(&write_search(home.path(), (PlanSearch { objective, ..search }, decision)));
    assert!(told[0].contains("by accuracy at the end, the one with the largest value first: "), "{told:?}");
    assert!(
        told[1].starts_with("The value of the first: ") && told[1].contains(", 0.250 more than the baseline"),
        "{told:?}"
    );
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
    assert!(told[0].starts_with("The race has not ended: 27 of 28 runs asked for have a result, after 2 looks"));
    assert!(told[1].starts_with("2 of 12 arms are left"), "{told:?}");
    let record = Results::open(&study).unwrap();
    let decided = Decided::of(record.plan(), record.decision()).unwrap();
    assert_eq!([decided.place(4), decided.place(5)], [Place::Left; 2]);
    assert_eq!(decided.place(8), Place::Dropped(3, DropReason::Worse));
    // Those left, the one dropped last, the others by their costs.
    assert_eq!(decided.order(), [5, 4, 8, 1, 2, 3, 6, 7, 9, 10, 11, 0]);
    assert_eq!(
        decided.progress(),
        "the race goes on; 2 looks; 2 of 12 arms are left, `dithering, s = 4 / 25 %` first; 27 of 28 runs asked for \
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
    let record = Results::open(&write_search(home.path(), (search, decision))).unwrap();
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

/// Arms of which no run reached the target stand behind the others.
#[test]
fn arms_that_got_nowhere_are_no_costs() {
    let home = tempfile::tempdir().unwrap();
    let (search, mut decision) = race();
    decision.looks.truncate(1);
    decision.looks[0].standings.retain(|standing| standing.arm != 6);
    decision.arms[6].feasible = 0;
    let record = Results::open(&write_search(home.path(), (search, decision))).unwrap();
    let decided = Decided::of(record.plan(), record.decision()).unwrap();
    assert_eq!(decided.place(6), Place::Infeasible);
    let said = "The costs of 1 arm are lower bounds: runs that failed, missed the target or broke a constraint count";
    assert!(decided.sentences().iter().any(|line| line.starts_with(said)), "{:?}", decided.sentences());
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
    let changes: [fn(&mut Decision); 3] = [
        |decision| decision.best.push(12),
        |decision| decision.arms.truncate(decision.arms.len() - 1),
        |decision| decision.looks[0].leader = 99,
    ];
    for change in changes {
        let mut decision = race().1;
        change(&mut decision);
        decision.write(&study).unwrap();
        let record = Results::open(&study).unwrap();
        assert!(record.decision().is_none());
        assert!(matches!(record.caveats()[0], Caveat::ForeignDecision { .. }));
        report(std::slice::from_ref(&study), &options(&to)).unwrap();
        assert!(!text(&to, "report.html").contains("<div id=\"decision\">"));
    }
}
