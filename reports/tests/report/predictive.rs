//! Predictive checks: the arms of a scenario on common axes, nothing observed is covered, what leaves the frame is
//! reported.

use crate::common::{ARMS, add_check, groups, names, rows, text, write_run};
use fedbits_reports::{Format, ReportOptions, Style, report};
use std::path::Path;

/// The figure, its caption and its data, of two arms whose simulated ranges have these widths.
fn check(home: &Path, spreads: [f64; 2], origins: [&str; 2]) -> [String; 3] {
    let (runs, to) = (home.join("runs"), home.join("to"));
    for ((arm, spread), origin) in ARMS.iter().zip(spreads).zip(origins) {
        add_check(&write_run(&runs, arm, 1, 10), spread, origin);
    }
    let written = report(&[runs], &ReportOptions::new(Style::Neurips, &[Format::Svg], to.clone())).unwrap();
    assert_eq!(names(&written).iter().filter(|name| name.starts_with("vpc")).count(), 5, "one figure: {written:?}");
    [".svg", "-details.txt", ".csv"].map(|ending| text(&to, &format!("vpc{ending}")))
}

/// Two panels under one pair of axes' names; all bands of a panel lie behind its lines and markers; the table has every
/// bin of both.
#[test]
fn arms_share_a_figure() {
    let home = tempfile::tempdir().unwrap();
    let [svg, caption, table] = check(home.path(), [0.1, 0.2], ["first dose"; 2]);
    for arm in &ARMS[..2] {
        assert_eq!(svg.matches(&format!(">{}</text>", arm.name)).count(), 1);
        assert_eq!(rows(&table).iter().filter(|row| row[0] == arm.name).count(), 8);
    }
    assert_eq!(svg.matches(">observed value</text>").count(), 1);
    assert_eq!(svg.matches(">time after the first dose</text>").count(), 1);
    assert!(caption.contains("12 to 19 here") && !caption.contains("arrowheads"), "{caption}");
    let panels: Vec<&str> = svg.split("<g class=\"axes\"").skip(1).collect();
    for panel in &panels {
        let count = |class: &str| groups(panel, class).len();
        assert_eq!(["band", "line", "markers"].map(count), [3; 3]);
        assert!(panel.rfind("class=\"band\"") < panel.find("class=\"line\""));
    }
    // Values up to 1.5 · 1.03 · 9 e^(−0.04) fit into one axis: both panels have the same ticks.
    let ticks = |panel: &&str| panel.split("</g>").next().unwrap().matches("<polyline").count();
    assert_eq!(ticks(&panels[0]), ticks(&panels[1]));
}

/// Times count from a dose only where the data say so for all arms.
#[test]
fn times_are_what_the_data_say() {
    let home = tempfile::tempdir().unwrap();
    let [svg, ..] = check(home.path(), [0.1; 2], ["first dose", "data"]);
    assert!(svg.contains(">time</text>") && !svg.contains("dose"));
}

/// Ranges that are far wider than what was observed are cut, marked and reported.
#[test]
fn wide_bands_are_cut_and_reported() {
    let home = tempfile::tempdir().unwrap();
    let [svg, caption, table] = check(home.path(), [0.1, 1e6], ["data"; 2]);
    assert!(caption.contains(&format!("bands are cut there (open arrowheads) in {}.", ARMS[1].name)), "{caption}");
    assert!(table.contains(",-8647096"), "the table has the whole range: {table}");
    // Three bands each. Both edges of the second arm's leave the frame at both ends of the times.
    let exits: Vec<_> = groups(&svg, "band").iter().map(|band| band.matches("<polyline").count()).collect();
    assert_eq!(exits, [0, 0, 0, 4, 4, 4]);
}
