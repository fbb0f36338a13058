//! Declared figures: panels, quantities, arms as groups, limits, marks, and what is wrong with them.

use crate::common::{ARMS, rows, write_run};
use fedbits_reports::declare::{Band, Curves, Figure, FigureKind, Limits, Mark, Panels, ShownArm, XAxis};
use fedbits_reports::{FigureVerdict, Format, ReportError, ReportOptions, Style, Wanted, report, verify};
use std::path::{Path, PathBuf};

fn figure(kind: Curves, arms: &[ShownArm]) -> Figure {
    let (columns, aspect, caption) = (None, None, "First words.".to_owned());
    Figure { name: "own".to_owned(), kind: FigureKind::Curves(kind), arms: arms.to_vec(), columns, aspect, caption }
}

fn arm(name: &str) -> ShownArm {
    ShownArm::Arm(name.to_owned())
}

/// Three seeds of the first two arms, and one that goes on twice as long.
fn runs(folder: &Path) -> Vec<PathBuf> {
    let twice = |arm| (1..=3).map(move |seed| write_run(folder, &ARMS[arm], seed, 60));
    let mut all: Vec<PathBuf> = twice(0).chain(twice(1)).collect();
    all.push(write_run(folder, &ARMS[2], 1, 120));
    all
}

fn options(figure: &Figure, to: &Path) -> ReportOptions {
    let declared = Some(vec![figure.clone()]);
    let formats = [Format::Svg, Format::Png];
    ReportOptions { declared, wanted: Wanted::Declared, ..ReportOptions::new(Style::Neurips, &formats, to.to_owned()) }
}

/// The drawing, its data and its words.
fn drawn(figure: &Figure) -> (String, Vec<Vec<String>>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let (runs, to) = (runs(folder.path()), folder.path().join("figures"));
    report(&runs, &options(figure, &to)).unwrap();
    let text = |name: &str| std::fs::read_to_string(to.join(name)).unwrap();
    for ending in ["svg", "png", "csv"] {
        let file = to.join(format!("own.{ending}"));
        assert!(matches!(verify(&file, &runs).unwrap(), FigureVerdict::Same(7)), "{}", file.display());
    }
    (text("own.svg"), rows(&text("own.csv")), text("own.txt"), text("own-details.txt"))
}

fn texts(svg: &str) -> Vec<&str> {
    svg.split("</text>").filter_map(|part| part.rsplit_once('>').map(|(_, text)| text)).collect()
}

/// Two quantities in a panel per arm: headings name the arms, the legend the quantities, and the data have all lines.
#[test]
fn quantities_share_the_panel_of_an_arm() {
    let y = vec!["mean_field_sq".to_owned(), "field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Epochs], panels: Panels::Arms, ..Curves::default() };
    let (svg, data, caption, _) = drawn(&figure(curves, &[arm(ARMS[1].name), arm(ARMS[0].name)]));
    let texts = texts(&svg);
    let at = |text: &str| texts.iter().position(|own| *own == text).unwrap_or_else(|| panic!("{text}: {texts:?}"));
    assert!(at(ARMS[1].name) < at(ARMS[0].name) && texts.contains(&"‖H‖²") && !texts.contains(&ARMS[2].name));
    let mut lines: Vec<&str> = data[1..].iter().map(|row| row[0].as_str()).collect();
    lines.dedup();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(caption.starts_with("First words. The squared norm of the mean field"), "{caption}");
}

/// Arms as one line: its band is that of all their runs.
#[test]
fn a_group_is_one_line() {
    let label = "both".to_owned();
    let both = ShownArm::Group { label, arms: vec!["no*".to_owned(), ARMS[1].name.to_owned()] };
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], band: Band::Range, ..Curves::default() };
    let (_, data, caption, _) = drawn(&figure(curves, &[both]));
    assert!(data[1..].iter().all(|row| row[0] == "both"));
    assert!(caption.contains("over 6 replicates") && caption.contains("least to most"), "{caption}");
    let column = |name: &str| data[0].iter().position(|own| own == name).unwrap();
    let number = |row: &[String], name: &str| row[column(name)].parse::<f64>().unwrap();
    assert!(data[1..].iter().all(|row| number(row, "low") < number(row, "high")));
}

/// What is beyond the limits of the horizontal axis leaves an arrowhead and a sentence; the data have it.
#[test]
fn what_lies_beyond_the_limits_is_marked() {
    let limits = Limits { from: None, to: Some(80.0) };
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], x_limits: limits, ..Curves::default() };
    let (svg, data, caption, details) = drawn(&figure(curves.clone(), &[]));
    assert_eq!(svg.matches("class=\"exits\"").count(), 1);
    assert!(details.contains(&format!("mark where they leave): {}", ARMS[2].name)), "{details}");
    assert!(caption.contains("open arrowheads"));
    assert!(data[1..].iter().any(|row| row[1] == "120"));
    let whole = drawn(&figure(Curves { x_limits: Limits::default(), ..curves }, &[]));
    assert!(!whole.0.contains("class=\"exits\"") && !whole.3.contains("beyond the horizontal axis"));
}

/// A value and the end of an arm are lines with names in the legend; a slope is one more line.
#[test]
fn marks_are_lines_with_names() {
    let marks = vec![
        Mark::Value { y: 1e-3, label: "enough".to_owned() },
        Mark::End { arm: ARMS[0].name.to_owned(), label: String::new() },
        Mark::Slope { arm: ARMS[2].name.to_owned(), decades: None },
    ];
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], marks, ..Curves::default() };
    let (svg, data, ..) = drawn(&figure(curves, &[arm(ARMS[1].name), arm(ARMS[2].name)]));
    assert_eq!(svg.matches("class=\"rule\"").count(), 4, "each in the frame and in the legend");
    let texts = texts(&svg);
    let end = format!("end of {}", ARMS[0].name);
    assert!(texts.contains(&"enough") && texts.contains(&end.as_str()), "{texts:?}");
    assert!(data[1..].iter().any(|row| row[0].ends_with("predicted-slope")));
}

/// Arms and marks of a declaration that a report cannot show are named in the details.
#[test]
fn what_a_report_cannot_show_is_said() {
    let marks = vec![
        Mark::Value { y: 1e-3, label: "enough".to_owned() },
        Mark::End { arm: "gone".to_owned(), label: String::new() },
        Mark::Optimum,
        Mark::Slope { arm: ARMS[0].name.to_owned(), decades: None },
    ];
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], marks, ..Curves::default() };
    let (.., details) = drawn(&figure(curves.clone(), &[arm(ARMS[1].name), arm("gone"), arm("lost")]));
    for said in
        ["does not have: gone, lost.", "the end of gone is", "exact EM rests is", &format!("slope of {}", ARMS[0].name)]
    {
        assert!(details.contains(said), "{said}: {details}");
    }
    assert!(!details.contains("enough"));
    let (.., details) = drawn(&figure(Curves { marks: vec![], ..curves }, &[arm(ARMS[1].name)]));
    assert!(!details.contains("does not have") && !details.contains("not drawn"), "{details}");
}

/// A quantity that no run has is an error that names those there are.
#[test]
fn an_unknown_quantity_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let curves = Curves { y: vec!["acuracy".to_owned()], ..Curves::default() };
    let error = report(&runs, &options(&figure(curves, &[]), folder.path())).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("`own` shows `acuracy`") && said.contains("`mean_field_sq`"), "{said}");
    let wanted = Wanted::Named(vec!["legder".to_owned()]);
    let options = ReportOptions { wanted, ..ReportOptions::new(Style::Icml, &[Format::Svg], folder.path().to_owned()) };
    let error = report(&runs, &options).unwrap_err();
    assert!(matches!(&error, ReportError::NoSuchFigure { known, .. } if known.contains("`ledger`")), "{error}");
}

/// A kind that is declared has the figure's name and first words.
#[test]
fn a_kind_takes_the_name_of_its_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let (runs, to) = (runs(folder.path()), folder.path().join("figures"));
    let kind = FigureKind::Named("ledger".to_owned());
    let figure = Figure { kind, ..figure(Curves::default(), &[arm(ARMS[1].name)]) };
    let files = report(&runs, &options(&figure, &to)).unwrap();
    assert!(files.contains(&to.join("own.svg")) && !to.join("ledger.svg").exists());
    let words = std::fs::read_to_string(to.join("own.txt")).unwrap();
    assert!(words.starts_with("First words. "), "{words}");
    assert!(matches!(verify(&to.join("own.png"), &runs).unwrap(), FigureVerdict::Same(7)));
}
