//! Figures of a study: heat maps, Pareto fronts, durations, panels of many arms.

use crate::common::{ARMS, add_run, groups, names, rows, text, write_alone, write_study};
use fedbits_record::results::{PlanAxis, reach};
use fedbits_record::{Columns, Manifest, Recorder, RoundRow, StopRules, Totals};
use fedbits_reports::declare::{
    Band, Cost, Curves, Figure, FigureKind, Forest, Heat, Panels, Reported, ShownArm, Target, TradeOff, XAxis,
};
use fedbits_reports::{Format, ReportError, ReportOptions, Style, Wanted, report};
use std::path::Path;

fn heat(rows: &str, columns: &str) -> Figure {
    let [rows, columns] = [rows, columns].map(|axis| Some(axis.to_owned()));
    Figure::new(
        "heat",
        FigureKind::Heat(Heat { rows, columns, costs: vec![Cost::BitsTotal, Cost::Time, Cost::Rounds] }),
    )
}

fn options(to: &Path) -> ReportOptions {
    ReportOptions::new(Style::Neurips, &[Format::Svg], to.to_path_buf())
}

/// The medians of the heat map are those of the study's own table, and a cell that at most half of the runs reach has
/// none.
#[test]
fn a_heat_map_shows_what_the_runs_took() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 5, 300), home.path().join("figures"));
    report(std::slice::from_ref(&study), &options(&to)).unwrap();
    let record = fedbits_record::results::Results::open(&study).unwrap();
    let table = rows(&text(&to, "heat-mean_field_sq_1e-5.csv"));
    assert_eq!(table[0], ["measure", "compressor", "participation", "median", "reached", "degenerate", "runs"]);
    assert_eq!(table.len(), 1 + 2 * 12);
    let target = &record.plan().targets[1];
    let mut without = 0;
    for (number, arm) in record.plan().arms.iter().enumerate() {
        let levels = record.plan().level_names(number);
        let is_cell =
            |measure: &&Vec<String>| measure[0] == "time_s" && measure[1] == levels[0] && measure[2] == levels[1];
        let row = table.iter().find(is_cell).unwrap();
        let runs = record.plan().replicate_numbers().filter_map(|replicate| record.run(number, replicate).unwrap());
        let mut taken: Vec<_> = runs.filter_map(|run| reach(&run, target)).collect();
        let reached = taken.iter().filter(|reach| reach.reached).count();
        assert_eq!((row[4].as_str(), row[6].as_str()), (reached.to_string().as_str(), "5"), "{}", arm.name);
        taken.sort_by_key(|reach| (!reach.reached, reach.time_ns));
        // Of five runs the third decides, when it reaches the target.
        if taken[2].reached {
            let seconds = taken[2].time_ns as f64 * 1e-9;
            assert!((row[3].parse::<f64>().unwrap() - seconds).abs() < 1e-9 * seconds, "{}", arm.name);
        } else {
            assert_eq!(row[3], "", "{}", arm.name);
            without += 1;
        }
    }
    assert!((1..12).contains(&without), "{without} cells have no median");
    let svg = text(&to, "heat-mean_field_sq_1e-5.svg");
    assert!(svg.contains(">no median</text>"));
    // A single cell with the least median is framed, unless it has the only one, as with the lower target.
    assert_eq!(groups(&svg, "line").len(), 0);
    assert_eq!(groups(&text(&to, "heat-mean_field_sq_0.001.svg"), "line").len(), 2, "a frame per cost");
    let caption = text(&to, "heat-mean_field_sq_1e-5-details.txt");
    assert!(caption.contains("‖h(Ŝ)‖² ≤ 10⁻⁵") && caption.contains("12 arms: scenario invented"), "{caption}");
}

/// Over an axis the ends of runs are the last values of a quantity, their median that of the five, with what others
/// report at each level.
#[test]
fn a_trade_off_shows_ends_beside_reported_values() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 5, 30), home.path().join("figures"));
    let draw = |values: &[f64]| {
        let reported = Some(Reported { label: "published".to_owned(), values: values.to_vec(), within: 0.01 });
        let (axis, ends) = (Some("participation".to_owned()), vec!["mean_field_sq".to_owned()]);
        let figure =
            Figure::new("ends", FigureKind::TradeOff(TradeOff { axis, ends, reported, ..TradeOff::default() }));
        let wanted = ReportOptions { wanted: Wanted::Declared, declared: Some(vec![figure]), ..options(&to) };
        report(std::slice::from_ref(&study), &wanted).map(|_| ())
    };
    let error = draw(&[0.5]).unwrap_err().to_string();
    assert!(error.contains("a reported value for each level") && error.contains("1 and 3 levels"), "{error}");
    draw(&[0.5, 0.25, 0.125]).unwrap();
    let record = fedbits_record::results::Results::open(&study).unwrap();
    let table = rows(&text(&to, "ends.csv"));
    for (number, arm) in record.plan().arms.iter().enumerate() {
        let run = |replicate| record.run(number, replicate).unwrap().unwrap();
        let mut last: Vec<f64> = (0..5).map(|replicate| run(replicate).last("mean_field_sq").unwrap()).collect();
        last.sort_by(f64::total_cmp);
        let row = table.iter().find(|row| row[1] == arm.name).unwrap();
        assert_eq!((row[0].as_str(), row[6].as_str()), ("mean_field_sq", "5/5"));
        assert_eq!(
            [3, 4, 5].map(|cell| row[cell].parse::<f64>().unwrap()),
            [last[2], last[1], last[3]],
            "{}",
            arm.name
        );
    }
    let svg = text(&to, "ends.svg");
    assert!(svg.contains(">published</text>"), "{svg}");
    assert!(text(&to, "ends-details.txt").contains("Where the runs ended, over participation"));
}

/// Over an axis that exists in some arms, the others are held where it does; cells that are no arms, or have no result,
/// are named.
#[test]
fn a_heat_map_over_an_axis_that_some_arms_have() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    // The first compressor is `none`, the others are levels of one.
    let mut plan = fedbits_record::results::Results::open(&study).unwrap().plan().clone();
    let [kind, mut levels, participation] = [0, 0, 1].map(|axis| plan.axes[axis].clone());
    levels.name = "levels".to_owned();
    levels.levels = [&levels.levels[1..], &["–".to_owned()]].concat();
    levels.absent = Some(levels.levels.len() - 1);
    plan.axes =
        vec![PlanAxis { levels: vec!["none".to_owned(), "dithered".to_owned()], ..kind }, levels, participation];
    for arm in &mut plan.arms {
        let (compressor, share) = (arm.levels[0], arm.levels[1]);
        arm.levels = if compressor == 0 { vec![0, 3, share] } else { vec![1, compressor - 1, share] };
    }
    plan.arms.pop();
    plan.write(&study).unwrap();
    let of = |arms| {
        let declared = Some(vec![Figure { arms, ..heat("levels", "participation") }]);
        ReportOptions { declared, wanted: Wanted::Declared, ..options(&to) }
    };
    report(std::slice::from_ref(&study), &of(Vec::new())).unwrap();
    let table = rows(&text(&to, "heat-mean_field_sq_0.001.csv"));
    assert_eq!(table.len(), 1 + 3 * 11, "{table:?}");
    let details = text(&to, "heat-mean_field_sq_0.001-details.txt");
    let held = "held at compressor = dithered (none where levels does not exist).";
    let (last, share) = (&plan.axes[1].levels[2], &plan.axes[2].levels[2]);
    assert!(details.contains(held), "{details}");
    assert!(details.contains(&format!("Blank cells are not arms of the scenario: {last} / {share}.")), "{details}");
    let arms = plan.arms[..8].iter().map(|arm| ShownArm::Arm(arm.name.clone())).collect();
    report(&[study], &of(arms)).unwrap();
    let details = text(&to, "heat-mean_field_sq_0.001-details.txt");
    assert!(details.contains("Blank cells have no result among these runs: "), "{details}");
}

/// Without any median there is nothing to see against an axis.
#[test]
fn a_trade_off_needs_a_median() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    let goal = Some(Target::MeanFieldSq(1e-30));
    let trade_off = FigureKind::TradeOff(TradeOff { target: goal, ..TradeOff::default() });
    let declared = Some(vec![Figure::new("own", trade_off)]);
    let error = report(&[study], &ReportOptions { declared, wanted: Wanted::Declared, ..options(&to) }).unwrap_err();
    assert!(error.to_string().contains("and an arm with a median;"), "{error}");
}

/// The exponent of a target is raised in the caption, also in that for LaTeX, which sets it as mathematics.
#[test]
fn powers_of_ten_are_raised_in_captions() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    report(&[study], &ReportOptions { wanted: Wanted::Named(vec!["heat".to_owned()]), ..options(&to) }).unwrap();
    assert!(text(&to, "heat-mean_field_sq_1e-5.txt").contains("≤ 10⁻⁵ over"));
    assert!(text(&to, "heat-mean_field_sq_1e-5-caption.tex").contains(r"$\le$ 10$^{-5}$ over"));
}

/// An arm is on the front by the definition: nobody is at most as costly in everything and cheaper in something.
#[test]
fn a_front_is_what_nobody_beats() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 3, 300), home.path().join("figures"));
    report(&[study], &options(&to)).unwrap();
    let table = rows(&text(&to, "pareto.csv"));
    assert_eq!(
        table[0][..7],
        ["arm", "on_front", "times_on_front", "runs", "bits_total", "bits_total_low", "bits_total_high"]
    );
    let point = |row: &Vec<String>| [4, 7, 10].map(|cell| row[cell].parse::<f64>().unwrap());
    let arms = &table[1..];
    assert_eq!(arms.len(), 12);
    for arm in arms {
        let costs = point(arm);
        let beaten =
            arms.iter().map(point).any(|other| other != costs && other.iter().zip(&costs).all(|(a, b)| a <= b));
        assert_eq!(arm[1] == "1", !beaten, "{arm:?}");
        assert_eq!(arm[3], "3");
    }
    // Every arm is named, with the replicates in which it is on the front.
    let svg = text(&to, "pareto.svg");
    assert!(arms.iter().all(|arm| svg.contains(&format!(">{} (front {}/3)</text>", arm[0], arm[2]))), "{arms:?}");
    // To a target there are two costs, and an arm without a median has none.
    let table = rows(&text(&to, "pareto-mean_field_sq_1e-5.csv"));
    assert_eq!(table[0].len(), 4 + 2 * 3 + 4);
    let without: Vec<&Vec<String>> = table[1..].iter().filter(|row| row[4].is_empty()).collect();
    assert!(!without.is_empty() && without.iter().all(|row| row[1] == "0" && row[13] == "no median"), "{table:?}");
    let caption = text(&to, "pareto-mean_field_sq_1e-5-details.txt");
    assert!(
        without.iter().all(|row| caption.contains(&format!("{} ({}/3 reach the target)", row[0], row[10]))),
        "{caption}"
    );
}

/// Rows after 9, 18 and 20 rounds are 9 rounds of 1 s, 9 of 3 s and 2 of 1 s: each counts once.
#[test]
fn every_round_counts_once() {
    let home = tempfile::tempdir().unwrap();
    let (run, to) = (home.path().join("thinned"), home.path().join("figures"));
    let mut recorder = Recorder::memory(Columns::default());
    for (round, seconds) in [(0, 0), (9, 9), (18, 36), (20, 38)] {
        let time_ns = seconds * 1_000_000_000;
        recorder.round(&RoundRow { round, time_ns, objective: Some(1.0), ..RoundRow::default() }).unwrap();
    }
    let manifest = Manifest { arm: "thinned".to_owned(), ..Manifest::default() };
    add_run(&run, recorder.finish(manifest, &[], &[]).unwrap().unwrap());
    report(&[run], &options(&to)).unwrap();
    let shares = rows(&text(&to, "ecdf.csv"));
    let of: Vec<&Vec<String>> = shares[1..].iter().filter(|row| row[0] == "round").collect();
    assert_eq!(of.len(), 2, "{shares:?}");
    assert!(of[0].contains(&"0.55".to_owned()) && of[1].contains(&"1.0".to_owned()), "{of:?}");
}

/// Twelve arms stand in panels of one level each, with the lines of the other axis; chosen arms stand together.
#[test]
fn many_arms_are_spread_over_panels() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    let written = report(std::slice::from_ref(&study), &options(&to)).unwrap();
    assert!(names(&written).contains(&"mean_field_sq-bits_total.svg".to_owned()), "{written:?}");
    let svg = text(&to, "mean_field_sq-bits_total.svg");
    let texts = ["participation: 100 %", "participation: 25 %", "dithering, s = 1", "rand-k, k = d/8"];
    assert!(texts.iter().all(|text| svg.contains(&format!(">{text}</text>"))));
    assert_eq!(groups(&svg, "line").len(), 12);
    let of = |names: &[&str]| {
        let arms = names.iter().map(|&name| ShownArm::Arm(name.to_owned())).collect();
        let figure = Figure { arms, ..Figure::new("few", FigureKind::Curves(curves(&["mean_field_sq"], &[]))) };
        ReportOptions { declared: Some(vec![figure]), ..options(&to) }
    };
    report(std::slice::from_ref(&study), &of(&["none / 25 %", "none / 100 %"])).unwrap();
    let svg = text(&to, "few.svg");
    assert_eq!(groups(&svg, "line").len(), 2);
    assert!(svg.find(">none / 25 %<").unwrap() < svg.find(">none / 100 %<").unwrap());
    let error = report(&[study], &of(&["nobody"])).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("arms that the report does not have") && said.contains("`none / 50 %`"), "{said}");
}

/// Draws declared figures of a study of two replicates: the files and what they hold.
fn declared(figures: &[Figure]) -> Result<impl Fn(&str) -> String + use<>, ReportError> {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    let declared = Some(figures.to_vec());
    report(&[study], &ReportOptions { wanted: Wanted::Declared, declared, ..options(&to) })?;
    Ok(move |file: &str| text(&home.path().join("figures"), file))
}

fn curves(y: &[&str], x: &[XAxis]) -> Curves {
    Curves { y: y.iter().map(|&name| name.to_owned()).collect(), x: x.to_vec(), ..Curves::default() }
}

/// Of many arms each quantity and axis has a figure of its own, with its lines alone in the CSV and its words alone in
/// the caption. No part of a figure takes the name of another figure.
#[test]
fn quantities_of_many_arms_have_figures_of_their_own() {
    let axes = [XAxis::BitsTotal, XAxis::Time];
    let of = |name: &str, curves| Figure::new(name, FigureKind::Curves(curves));
    let both = of("both", curves(&["mean_field_sq", "objective"], &axes));
    let file = declared(std::slice::from_ref(&both)).unwrap();
    for (quantity, words, other) in
        [("mean_field_sq", "‖h(Ŝ)‖²", "the objective"), ("objective", "The objective", "mean field")]
    {
        let lines = rows(&file(&format!("both-{quantity}.csv")));
        assert!(lines[1..].iter().all(|row| row[0].ends_with(&format!(", {quantity}"))), "{quantity}");
        for axis in ["bits_total", "time_s"] {
            assert_eq!(groups(&file(&format!("both-{quantity}-{axis}.svg")), "line").len(), 12);
            for caption in [".txt", "-details.txt"].map(|ending| file(&format!("both-{quantity}-{axis}{ending}"))) {
                let caption = caption.split(", against").next().unwrap();
                assert!(caption.contains(words) && !caption.contains(other), "{caption}");
            }
        }
    }
    let taken = of("both-objective-time_s", curves(&["objective"], &[XAxis::Rounds]));
    let error = declared(&[both, taken]).err().unwrap();
    assert!(error.to_string().contains("files of the name `both-objective-time_s`"), "{error}");
}

/// Pictures of two figures can have names of their own where their tables have not; asked for by name, too.
#[test]
fn tables_of_two_figures_have_names_of_their_own() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    let of = |name: &str, curves| Figure::new(name, FigureKind::Curves(curves));
    let both = of("both", curves(&["mean_field_sq", "objective"], &[XAxis::BitsTotal, XAxis::Time]));
    let figures = vec![both, of("both-objective", curves(&["mean_field_sq"], &[XAxis::Rounds]))];
    let names = figures.iter().map(|figure| figure.name.clone()).collect();
    for wanted in [Wanted::Declared, Wanted::Named(names)] {
        let asked = ReportOptions { wanted, declared: Some(figures.clone()), ..options(&to) };
        let error = report(std::slice::from_ref(&study), &asked).unwrap_err();
        assert!(error.to_string().contains("files of the name `both-objective`"), "{error}");
    }
    // One that is asked for twice is no other.
    let twice = Wanted::Named(vec!["both".to_owned(), "both".to_owned()]);
    report(&[study], &ReportOptions { wanted: twice, declared: Some(figures), ..options(&to) }).unwrap();
}

/// In panels by level an arm under another label keeps it, and several as one stand in a panel of their own where they
/// have several levels of the axis.
#[test]
fn labels_stay_in_panels_by_level() {
    let group = |label: &str, arms: &[&str]| ShownArm::Group {
        label: label.to_owned(),
        arms: arms.iter().map(|&arm| arm.to_owned()).collect(),
    };
    let arms = vec![
        ShownArm::Arm("none / 100 %".to_owned()),
        ShownArm::Labelled { arm: "none / 25 %".to_owned(), label: "few".to_owned() },
        group("any at 25 %", &["dithering, s = 4 / 25 %", "dithering, s = 1 / 25 %"]),
        group("any dithering", &["dithering*"]),
    ];
    let panels = Panels::Levels("participation".to_owned());
    let kind = FigureKind::Curves(Curves { panels, ..curves(&["mean_field_sq"], &[XAxis::Rounds]) });
    let file = declared(&[Figure { arms, ..Figure::new("own", kind) }]).unwrap();
    let mut lines: Vec<String> = rows(&file("own.csv"))[1..].iter().map(|row| row[0].clone()).collect();
    lines.dedup();
    let expected = ["100 %: none", "25 %: few", "25 %: any at 25 %", "100 %, 50 %, 25 %: any dithering"];
    assert_eq!(lines, expected.map(|line| format!("participation: {line}")));
}

/// Figures that compare single arms refuse several as one.
#[test]
fn comparisons_refuse_groups() {
    let arms = vec![ShownArm::Group { label: "all".to_owned(), arms: vec!["dith*".to_owned()] }];
    let of = |kind| declared(&[Figure { arms: arms.clone(), ..Figure::new("own", kind) }]).map(|_| ());
    for kind in [FigureKind::Forest(Forest::default()), FigureKind::Named("heat".to_owned())] {
        let error = of(kind).unwrap_err();
        assert!(error.to_string().contains("its group `all` has several runs"), "{error}");
    }
    of(FigureKind::Named("reach".to_owned())).unwrap();
    // Runs of one replicate are no independent values.
    let curves = |band| FigureKind::Curves(Curves { band, ..curves(&["objective"], &[XAxis::Rounds]) });
    let error = of(curves(Band::Mean95)).unwrap_err();
    assert!(error.to_string().contains("its group `all` has several runs"), "{error}");
    of(curves(Band::Quartiles)).unwrap();
}

/// Of several arms as one the runs of all of them were planned, also where one is lost.
#[test]
fn planned_runs_of_a_group_are_those_of_its_arms() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 60), home.path().join("figures"));
    let segment = std::fs::read_dir(study.join("segments")).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::OpenOptions::new().write(true).open(segment).unwrap();
    file.set_len(file.metadata().unwrap().len() - 10).unwrap();
    let arms = vec![ShownArm::Group { label: "all".to_owned(), arms: vec!["*".to_owned()] }];
    let shown = Figure { arms, ..Figure::new("own", FigureKind::Named("reach".to_owned())) };
    report(&[study], &ReportOptions { wanted: Wanted::Declared, declared: Some(vec![shown]), ..options(&to) }).unwrap();
    let details = text(&to, "own-details.txt");
    assert!(details.contains("Runs shown: 23;") && details.contains("/24."), "{details}");
}

#[test]
fn wrong_axes_and_several_folders_are_reported() {
    let home = tempfile::tempdir().unwrap();
    let study = write_study(home.path(), 1, 10);
    let to = home.path().join("figures");
    let wrong = |columns| {
        let declared = Some(vec![heat("compressor", columns)]);
        let options = ReportOptions { declared, wanted: Wanted::Declared, ..options(&to) };
        report(std::slice::from_ref(&study), &options).unwrap_err().to_string()
    };
    let error = wrong("speed");
    assert!(error.contains("`compressor`, `participation`"), "{error}");
    let error = wrong("compressor");
    assert!(error.ends_with("is requested: the two axes must differ"), "{error}");
    // Beside another folder its arms are lines like others, without the axes of the study.
    let beside = [study, write_alone(home.path(), &ARMS[0], 1, 10)];
    assert_eq!(fedbits_reports::arms(&beside).unwrap().len(), 12 + 1);
    let declared = Some(vec![heat("compressor", "participation")]);
    let options = ReportOptions { declared, wanted: Wanted::Declared, ..options(&to) };
    let error = report(&beside, &options).unwrap_err().to_string();
    assert!(error.contains("of several folders"), "{error}");
    assert!(!to.exists());
}

/// A tolerance that nothing measured ended no run: nobody is said to have missed it.
#[test]
fn what_was_not_measured_is_no_target() {
    let home = tempfile::tempdir().unwrap();
    let (run, to) = (home.path().join("means"), home.path().join("figures"));
    let mut recorder = Recorder::memory(Columns::default());
    for round in 0..3 {
        let (time_ns, objective) = (round * 1_000_000_000, Some(1.0 / (1.0 + round as f64)));
        recorder.round(&RoundRow { round, time_ns, bits_up: round, objective, ..RoundRow::default() }).unwrap();
    }
    let stop_rules = StopRules { mean_field_sq: Some(1e-7), ..StopRules::default() };
    let totals = Totals { rounds: 2, bits_up: 2, time_ns: 2_000_000_000, ..Totals::default() };
    let manifest = Manifest { arm: "means".to_owned(), stop_rules, totals, ..Manifest::default() };
    add_run(&run, recorder.finish(manifest, &[], &[]).unwrap().unwrap());
    report(&[run], &ReportOptions::new(Style::Icml, &[Format::Html], to.clone())).unwrap();
    let page = text(&to, "report.html");
    let (_, finding) = page.split_once("<p id=\"finding\">").unwrap();
    assert!(finding.starts_with("means ends with objective = 0.33333."), "{}", finding.split_once("</p>").unwrap().0);
}
