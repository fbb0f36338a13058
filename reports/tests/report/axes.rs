//! Axes that only some runs have: energy and privacy loss.

use std::path::{Path, PathBuf};

use crate::common::text;
use fedbits_record::{Columns, Manifest, Recorder, RoundRow};
use fedbits_reports::{Format, ReportOptions, Style, XAxis, report};

/// A run of four rounds that has used 7 k J and lost ε = k / 2 after round k, where it has these columns.
fn write(folder: &Path, name: &str, columns: &[&str]) -> PathBuf {
    let extra: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    let mut recorder = Recorder::files(&folder.join(name), Columns { extra, ..Columns::default() }).unwrap();
    for round in 0..=4 {
        let value = |name: &&str| Some(if *name == "energy_j" { 7.0 } else { 0.5 } * round as f64);
        let extra = columns.iter().map(value).collect();
        let objective = Some(1.0 / (1.0 + round as f64));
        recorder.round(&RoundRow { round, objective, extra, ..RoundRow::default() }).unwrap();
    }
    recorder.finish(Manifest { arm: name.to_owned(), ..Manifest::default() }, &[], &[]).unwrap();
    folder.join(name)
}

#[test]
fn curves_over_energy_and_privacy_loss() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "costly", &["epsilon", "energy_j"])];
    let to = home.path().join("figures");
    let panels = vec![XAxis::Energy, XAxis::Epsilon];
    let options = ReportOptions {
        panels: Some(panels),
        ..ReportOptions::new(Style::Icml, &[Format::Svg, Format::Html], to.clone())
    };
    report(&runs, &options).unwrap();
    let csv = text(&to, "objective.csv");
    assert!(csv.contains("arm,round,epochs,bits_up,bits_total,time_s,energy_j,epsilon,median,"), "{csv}");
    assert!(csv.contains("\ncostly,3,0,0,0,0,21,1.5,0.25,"), "{csv}");
    let svg = text(&to, "objective.svg");
    assert!(svg.contains("energy (J)") && svg.contains("privacy loss"), "{svg}");
    assert!(text(&to, "report.html").contains("energy_j"));
}

/// An axis that no run has is an error that says what has it, and leaves no trace where nobody asks for it.
#[test]
fn an_axis_that_no_run_has() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "plain", &[])];
    let to = home.path().join("figures");
    let options = ReportOptions::new(Style::Icml, &[Format::Svg, Format::Html], to.clone());
    let error = report(&runs, &ReportOptions { panels: Some(vec![XAxis::Energy]), ..options.clone() }).unwrap_err();
    assert!(error.to_string().contains("no run has the axis `energy`"), "{error}");
    report(&runs, &options).unwrap();
    assert!(!text(&to, "objective.csv").contains("energy_j") && !text(&to, "report.html").contains("energy_j"));
}
