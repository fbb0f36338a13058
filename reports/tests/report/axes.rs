//! Axes that only some runs have: energy and privacy loss.

use std::path::{Path, PathBuf};

use crate::common::{add_run, objective, text};
use fedbits_record::{Columns, Manifest, Recorder, RoundRow};
use fedbits_reports::declare::{Curves, Figure, FigureKind, Limits, Panels};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, report};

/// A run of four rounds that has used 7 k J and lost ε = k / 2 after round k, where it has these columns.
fn write(folder: &Path, name: &str, columns: &[&str]) -> PathBuf {
    write_rounds(folder, name, columns, 4)
}

/// The same of so many rounds.
fn write_rounds(folder: &Path, name: &str, columns: &[&str], rounds: u64) -> PathBuf {
    let extra: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    let mut recorder = Recorder::memory(Columns { extra, ..Columns::default() });
    for round in 0..=rounds {
        let value = |name: &&str| Some(if *name == "energy_j" { 7.0 } else { 0.5 } * round as f64);
        let extra = columns.iter().map(value).collect();
        let objective = Some(1.0 / (1.0 + round as f64));
        recorder.round(&RoundRow { round, objective, extra, ..RoundRow::default() }).unwrap();
    }
    let manifest = Manifest { arm: name.to_owned(), ..Manifest::default() };
    add_run(&folder.join(name), recorder.finish(manifest, &[], &[]).unwrap().unwrap()).folder
}

#[test]
fn curves_over_energy_and_privacy_loss() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "costly", &["epsilon", "energy_j"])];
    let to = home.path().join("figures");
    let panels = vec![XAxis::Energy, XAxis::Epsilon];
    let options = ReportOptions {
        declared: Some(vec![objective(&panels)]),
        ..ReportOptions::new(Style::Icml, &[Format::Svg, Format::Html], to.clone())
    };
    report(&runs, &options).unwrap();
    let csv = text(&to, "objective.csv");
    assert!(csv.contains("arm,round,epochs,bits_up,bits_total,time_s,energy_j,epsilon,value,"), "{csv}");
    assert!(csv.contains("\ncostly,3,0,0,0,0,21,1.5,0.25,"), "{csv}");
    let svg = text(&to, "objective.svg");
    assert!(svg.contains("energy (J)") && svg.contains("privacy loss"), "{svg}");
    assert!(text(&to, "report.html").contains("\"words\":\"energy \\u0028J\\u0029\""));
}

/// No panel is empty: axes on which nothing moves have none, which the details say; rounds stand for them where nothing
/// moves on any.
#[test]
fn axes_on_which_nothing_moves() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "plain", &[]), write(home.path(), "costly", &["energy_j"])];
    let to = home.path().join("figures");
    let options = ReportOptions::new(Style::Icml, &[Format::Svg], to.clone());
    let still = [XAxis::BitsUp, XAxis::Time];
    let over = |x: &[XAxis]| ReportOptions { declared: Some(vec![objective(x)]), ..options.clone() };
    report(&runs, &over(&[XAxis::Energy, XAxis::BitsUp])).unwrap();
    let (svg, details) = (text(&to, "objective.svg"), text(&to, "objective-details.txt"));
    assert!(svg.contains("energy (J)") && !svg.contains("uplink"));
    assert!(details.contains("no panel over bits-up, where all arms are at zero"), "{details}");
    report(&runs, &over(&still)).unwrap();
    let (svg, details) = (text(&to, "objective.svg"), text(&to, "objective-details.txt"));
    assert_eq!((svg.matches("class=\"axes\"").count(), svg.contains(">rounds<")), (1, true));
    assert!(details.contains("no panel over bits-up, time"), "{details}");
}

/// Of a run that ends before its first round the details say so, alone and beside others.
#[test]
fn runs_without_rounds() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write_rounds(home.path(), "still", &[], 0), write(home.path(), "plain", &[])];
    let to = home.path().join("figures");
    let options = ReportOptions::new(Style::Icml, &[Format::Svg], to.clone());
    report(&runs[..1], &options).unwrap();
    assert!(text(&to, "objective-details.txt").contains("still: no rounds"));
    report(&runs, &options).unwrap();
    let details = text(&to, "objective-details.txt");
    assert!(details.contains("still: no rounds, so that only the start is shown"), "{details}");
}

/// The same of declared curves: words and limits of the axis that is not there are not used, and the details say so.
#[test]
fn declared_curves_over_an_idle_axis() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "plain", &[]), write(home.path(), "private", &["epsilon"])];
    let drawn = |x: &[XAxis], panels: Panels| {
        let limits = Limits { from: None, to: Some(2.0) };
        let y = vec!["objective".to_owned()];
        let curves = Curves { y, x: x.to_vec(), x_limits: limits, panels, ..Curves::default() };
        let figure = Figure { x_label: "cost".to_owned(), ..Figure::new("own", FigureKind::Curves(curves)) };
        let to = home.path().join("declared");
        let plain = ReportOptions::new(Style::Icml, &[Format::Svg, Format::Html], to.clone());
        let options = ReportOptions { wanted: Wanted::Declared, declared: Some(vec![figure]), ..plain };
        report(&runs, &options).unwrap();
        (text(&to, "own.svg"), text(&to, "own-details.txt"))
    };
    for panels in [Panels::Axes, Panels::Arms] {
        let (svg, details) = drawn(&[XAxis::BitsUp, XAxis::Energy], panels.clone());
        assert!(details.contains("no panel over bits-up, energy, where all arms are at zero"), "{details}");
        assert!(details.contains("limits are those of another axis"), "{details}");
        assert!(svg.contains(">cost<") && !svg.contains(">energy"), "{svg}");
        let (svg, details) = drawn(&[XAxis::BitsUp, XAxis::Epsilon], panels);
        assert!(details.contains("no panel over bits-up, where all arms are at zero"), "{details}");
        assert!(!details.contains("another axis") && svg.contains(">cost"), "{details}");
    }
}
