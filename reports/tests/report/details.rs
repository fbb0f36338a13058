//! The words beside figures speak of what these show: smoothed lines and bands of all panels, runs that failed, arms of
//! which nothing is drawn, arms that are shown as one.

use crate::common::{ARMS, edit_plan, rows, text, write_links, write_run, write_trend};
use crate::objective_gap::fail;
use fedbits_reports::declare::{Band, Curves, Figure, FigureKind, Limits, Mark, ReachFigure, ShownArm, Target, XAxis};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, report};
use std::path::Path;

/// Draws one figure of all records in a folder; gives its texts by their ending.
fn drawn(runs: &Path, kind: FigureKind, arms: Vec<ShownArm>) -> impl Fn(&str) -> String {
    let to = runs.join("../figures");
    let declared = Some(vec![Figure { arms, ..Figure::new("own", kind) }]);
    let options = ReportOptions::new(Style::Neurips, &[Format::Svg], to.clone());
    report(&[runs.to_path_buf()], &ReportOptions { declared, wanted: Wanted::Declared, ..options }).unwrap();
    move |ending| text(&to, &format!("own{ending}"))
}

fn curves(y: &[&str]) -> Curves {
    let y = y.iter().map(|name| (*name).to_owned()).collect();
    Curves { y, x: vec![XAxis::Rounds], ..Curves::default() }
}

/// Of two quantities the second is noise: its lines are declared, with their windows, and so are the bands of the
/// first.
#[test]
fn smoothed_lines_of_every_panel_are_declared() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    (1..=3).for_each(|seed| drop(write_run(&runs, &ARMS[0], seed, 300)));
    let smooth = "smoothed by running medians over 11 recorded rounds; pale: as recorded";
    for (band, has_bands) in [(Band::Range, true), (Band::Nothing, false)] {
        let curves = Curves { band, ..curves(&["mean_field_sq", "field_sq"]) };
        let file = drawn(&runs, FigureKind::Curves(curves), Vec::new());
        let (caption, details) = (file(".txt"), file("-details.txt"));
        assert!(caption.contains("over 3 replicates") && caption.contains(smooth), "{caption}");
        assert_eq!(caption.contains("bands: least to most"), has_bands, "{caption}");
        assert!(
            details.contains("Lines are running medians over 11 recorded rounds, in every panel in which"),
            "{details}"
        );
    }
}

/// The line of a slope beside noise is no line with a band, nor is that of a single run.
#[test]
fn bands_that_are_not_drawn_are_not_declared() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    (1..=3).for_each(|seed| drop(write_run(&runs, &ARMS[0], seed, 300)));
    for rounds in [None, Some(100), Some(20)] {
        if let Some(rounds) = rounds {
            // Few rounds are no noise; 20 are too few for a running median, and then no line has one.
            write_run(&runs, &ARMS[if rounds == 100 { 1 } else { 2 }], 1, rounds);
        }
        let marks = vec![Mark::Slope { arm: ARMS[0].name.to_owned(), decades: None }];
        let file = drawn(&runs, FigureKind::Curves(Curves { marks, ..curves(&["field_sq"]) }), Vec::new());
        let (caption, details) = (file(".txt"), file("-details.txt"));
        let smoothed = match rounds {
            None => "smoothed by running medians over 11 recorded",
            _ => "smoothed by running medians over 3 or 11 recorded",
        };
        if rounds == Some(20) {
            assert!(!caption.contains("smoothed"), "{caption}");
            continue;
        }
        assert!(!caption.contains("bands") && !details.contains("bands"), "{caption}{details}");
        assert!(caption.contains(smoothed), "{caption}");
    }
}

/// The slope of an arm stands beside its line under another label, and not beside that of several arms as one.
#[test]
fn a_slope_follows_a_renamed_arm() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    ARMS[..2].iter().for_each(|arm| drop(write_run(&runs, arm, 1, 60)));
    let name = |arm: usize| ARMS[arm].name.to_owned();
    let of = |shown: ShownArm| {
        let marks = vec![Mark::Slope { arm: name(0), decades: None }];
        drawn(&runs, FigureKind::Curves(Curves { marks, ..curves(&["mean_field_sq"]) }), vec![shown])
    };
    let file = of(ShownArm::Labelled { arm: name(0), label: "Plain".to_owned() });
    assert!(rows(&file(".csv")).iter().any(|row| row[0] == "Plain, fitted slope"));
    assert!(!file("-details.txt").contains("is not drawn"), "{}", file("-details.txt"));
    let file = of(ShownArm::Group { label: "both".to_owned(), arms: vec![name(0), name(1)] });
    assert!(file("-details.txt").contains(&format!("the slope of {} is not drawn", name(0))));
}

/// Of three runs of an arm one failed early, of another arm all did: their lines go on to the right end, and table and
/// words say that failed runs never get there.
#[test]
fn runs_that_failed_never_reach_a_target() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    for seed in 1..=3 {
        let run = write_run(&runs, &ARMS[0], seed, if seed == 1 { 5 } else { 400 });
        if seed == 1 {
            fail(&run);
        }
        fail(&write_run(&runs, &ARMS[1], seed, 5));
    }
    let target = Some(Target::MeanFieldSq(0.5));
    let file = drawn(&runs, FigureKind::Reach(ReachFigure { target, ..ReachFigure::default() }), Vec::new());
    assert!(
        file(".txt").contains("; runs that failed or ended with a degenerate fit count as never there)."),
        "{}",
        file(".txt")
    );
    let told = format!("of those planned: {} 2/3; {} 0/3.", ARMS[0].name, ARMS[1].name);
    assert!(
        file("-details.txt").contains(&told)
            && file("-details.txt").contains("one that failed or whose fit is degenerate never reaches it")
    );
    let never = "Caveat: 4 simulations failed: targets not reached by then count as never reached.\n";
    assert!(file("-details.txt").contains(never), "{}", file("-details.txt"));
    let table = rows(&file(".csv"));
    let failed: Vec<_> = table.iter().filter(|row| row[4] == "fail" && row[0] == "time_s").collect();
    let shares = failed.iter().map(|row| (row[1].as_str(), row[2].as_str(), row[3].parse::<f64>().unwrap()));
    let shares: Vec<_> = shares.collect();
    assert!((shares[0].2 - 2.0 / 3.0).abs() < 1e-12, "{shares:?}");
    assert_eq!((shares.len(), shares[1]), (2, (ARMS[1].name, "", 0.0)));
    // Both lines are there, in the two panels and in the legend, and end at the same place.
    let svg = file(".svg");
    for color in ["#0072b2", "#d55e00"] {
        let lines = svg.split("<polyline ").filter(|part| part.contains(color)).count();
        assert!(lines >= 3, "{color}: {lines}");
    }
}

/// Arms of which a figure shows nothing are named in its details, and are not in its legend.
#[test]
fn arms_without_anything_to_show_are_named() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    (1..=3).for_each(|seed| drop(write_run(&runs, &ARMS[0], seed, 900)));
    write_run(&runs, &ARMS[1], 1, 0);
    let all = [("ecdf", "Not shown, as they have no round that was measured: ")];
    for (kind, told) in all {
        let file = drawn(&runs, FigureKind::Named(kind.to_owned()), Vec::new());
        let details = file("-details.txt");
        assert!(details.contains(&format!("{told}{}.", ARMS[1].name)), "{kind}: {details}");
    }
    for (kind, why) in [("trend", "no such table"), ("links", "no links that carried something")] {
        let runs = home.path().join(kind);
        write_run(&runs, &ARMS[1], 1, 20);
        if kind == "trend" {
            write_trend(&runs, 24);
        } else {
            drop(write_links(&runs));
        }
        let details = drawn(&runs, FigureKind::Named(kind.to_owned()), Vec::new())("-details.txt");
        assert!(details.contains(&format!("Not shown, as they have {why}: {}.", ARMS[1].name)), "{kind}: {details}");
    }
}

/// A single run has no interval of its mean, and nothing has a band of `Nothing`: the table has no ends there, and the
/// details name the arm.
#[test]
fn a_single_run_has_no_interval() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    (1..=3).for_each(|seed| drop(write_run(&runs, &ARMS[0], seed, 20)));
    write_run(&runs, &ARMS[1], 1, 20);
    let without = format!(" Without an interval, as there is one run: {}.", ARMS[1].name);
    for (band, has_ends) in [(Band::Mean95, [true, false]), (Band::Range, [true; 2]), (Band::Nothing, [false; 2])] {
        let banded = Curves { band, ..curves(&["mean_field_sq"]) };
        let file = drawn(&runs, FigureKind::Curves(banded), Vec::new());
        let table = rows(&file(".csv"));
        let [low, high] = ["low", "high"].map(|name| table[0].iter().position(|cell| cell == name).unwrap());
        for (arm, has_ends) in ARMS.iter().zip(has_ends) {
            let points: Vec<_> = table.iter().filter(|row| row[0] == arm.name).collect();
            assert!(!points.is_empty() && points.iter().all(|row| row[low].is_empty() != has_ends), "{points:?}");
            assert!(points.iter().all(|row| row[high].is_empty() != has_ends), "{points:?}");
        }
        let details = file("-details.txt");
        assert_eq!(details.contains(&without), band == Band::Mean95, "{details}");
    }
}

/// Components that a random start numbers are others in each replicate, which is a caveat of their medians; a given
/// start, a single run and other quantities have none.
#[test]
fn components_of_random_starts_are_a_caveat() {
    let home = tempfile::tempdir().unwrap();
    let told = format!("Caveat: components are numbered by the random start of each replicate (of {}): ", ARMS[0].name);
    let tells = |runs: &Path, kind: FigureKind| drawn(runs, kind, Vec::new())("-details.txt").contains(&told);
    let weights = || FigureKind::Curves(curves(&["theta.weight_*"]));
    let one = home.path().join("one").join("runs");
    write_run(&one, &ARMS[0], 1, 20);
    assert!(!tells(&one, weights()));
    let runs = home.path().join("all").join("runs");
    (1..=3).for_each(|replicate| drop(write_run(&runs, &ARMS[0], replicate, 20)));
    write_run(&runs, &ARMS[1], 1, 20);
    assert!(tells(&runs, weights()));
    assert!(tells(&runs, FigureKind::Curves(curves(&["theta.weight_1"]))));
    assert!(!tells(&runs, FigureKind::Curves(curves(&["mean_field_sq"]))));
    let to = home.path().join("page");
    report(std::slice::from_ref(&runs), &ReportOptions::new(Style::Neurips, &[Format::Html], to.clone())).unwrap();
    assert!(text(&to, "report.html").contains("<li>components are numbered by the random start of each replicate"));
    edit_plan(&runs, |plan| plan.arms[0].scenario_text = "Scenario(initial: Theta(weights: [1]))".to_owned());
    assert!(!tells(&runs, weights()));
}

/// A group says which arms it is, and the last line counts the runs of the figure.
#[test]
fn runs_of_a_figure_are_counted() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    ARMS[..3].iter().for_each(|arm| drop(write_run(&runs, arm, 1, 20)));
    let arms = vec![ARMS[0].name.to_owned(), ARMS[1].name.to_owned()];
    let both = vec![ShownArm::Group { label: "both".to_owned(), arms }];
    let file = drawn(&runs, FigureKind::Curves(curves(&["mean_field_sq"])), both);
    let details = file("-details.txt");
    assert!(details.contains(&format!("; the arms {}; {}.", ARMS[0].name, ARMS[1].name)), "{details}");
    assert!(details.contains("Runs shown: 2 of the report's 3; digest "), "{details}");
    let all = drawn(&runs, FigureKind::Curves(curves(&["mean_field_sq"])), Vec::new())("-details.txt");
    assert!(all.contains("Runs shown: 3; digest ") && !all.contains("the arms"), "{all}");
}

/// What is not drawn says why: limits without a place on a logarithmic axis, an optimum that differs among the runs. Of
/// means the details do not speak as of medians.
#[test]
fn reasons_are_true() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    (1..=3).for_each(|seed| drop(write_run(&runs, &ARMS[0], seed, 20 + 5 * seed)));
    let limits = Limits { from: Some(0.0), to: Some(1.0) };
    let limited = Curves { y_limits: limits, ..curves(&["mean_field_sq"]) };
    let details = drawn(&runs, FigureKind::Curves(limited), Vec::new())("-details.txt");
    assert!(
        details.contains("0 to 1, have no place on its logarithmic axis, which takes ends above zero,"),
        "{details}"
    );
    let timed = Curves { x: vec![XAxis::Time], band: Band::Mean95, ..curves(&["mean_field_sq"]) };
    let details = drawn(&runs, FigureKind::Curves(timed), Vec::new())("-details.txt");
    assert!(details.contains("these stay at their end in the mean"), "{details}");
    assert!(details.contains("A line shows means over replicates per recorded round"), "{details}");
    write_run(&runs, &ARMS[1], 1, 20).change(|record| {
        record.manifest.reference.as_mut().unwrap().problem = "p1".to_owned();
        record.manifest.digests.data = "d1".to_owned();
    });
    let marked = Curves { marks: vec![Mark::Optimum], ..curves(&["objective"]) };
    let details = drawn(&runs, FigureKind::Curves(marked), Vec::new())("-details.txt");
    assert!(details.contains("where all runs that know it have the same data, model and weights"), "{details}");
}
