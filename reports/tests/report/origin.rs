//! Provenance: every file says how it was made and of which runs, and what it says can be checked.

use crate::common::{ARMS, all_runs, names, study, text, write_alone, write_run, write_study};
use fedbits_record::results::RunPlan;
use fedbits_reports::declare::{Curves, Figure, FigureKind, Scale, ShownArm};
use fedbits_reports::{FigureVerdict, Format, Origin, ReportOptions, Style, Wanted, report, verify};
use fedbits_text::{Document, Patched};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Figures as `--set` takes them.
#[derive(Deserialize, Serialize)]
struct Declarations {
    figures: Vec<Figure>,
}

impl Document for Declarations {
    const NAME: &'static str = "list of figures";
    const PATH: &'static str = "figures[0].kind";
}

fn figures(runs: &[PathBuf], to: &Path, formats: &[Format]) -> Vec<PathBuf> {
    report(runs, &ReportOptions::new(Style::IcmlWide, formats, to.to_path_buf())).unwrap()
}

fn is_caption(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "txt")
}

/// Every figure and table in every format is what its runs give, whatever it is called and wherever it lies now.
#[test]
fn every_file_is_verified() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    let study = write_study(home.path(), 2, 30);
    // Every format of records; of a study, where every file draws many arms anew, one picture and the page.
    let cases = [(runs, &Format::ALL[..]), (study, &[Format::Svg, Format::Html])];
    for (number, (from, formats)) in cases.iter().enumerate() {
        let written = figures(std::slice::from_ref(from), &home.path().join(format!("figures-{number}")), formats);
        assert!(names(&written).contains(&"report.html".to_owned()));
        for path in written.iter().filter(|path| !is_caption(path)) {
            let other = home.path().join(format!("fig3.{}", path.extension().unwrap().to_string_lossy()));
            std::fs::copy(path, &other).unwrap();
            let found = verify(&other, std::slice::from_ref(from)).unwrap();
            assert_eq!(found, FigureVerdict::Same([6, 24][number]), "{}", path.display());
        }
    }
}

/// A chosen order of arms and labels belong to the figure.
#[test]
fn order_and_labels_are_remembered() {
    let home = tempfile::tempdir().unwrap();
    let pair = [&ARMS[0], &ARMS[1]].map(|arm| write_alone(&home.path().join("pair"), arm, 1, 20));
    let labelled =
        |(arm, label): (usize, &str)| ShownArm::Labelled { arm: ARMS[arm].name.to_owned(), label: label.to_owned() };
    let curves = Curves { y: vec!["objective".to_owned()], x_scale: Scale::Log, free_x: true, ..Curves::default() };
    let kind = FigureKind::Curves(curves);
    let arms = [(0, "α (new) <1>"), (1, "β \\ & co")].map(labelled).into();
    let figure = Figure { arms, ..Figure::new("objective", kind) };
    let options = ReportOptions {
        declared: Some(vec![figure]),
        ..ReportOptions::new(Style::Jmlr, &Format::ALL, home.path().join("figures"))
    };
    for path in report(&pair, &options).unwrap().iter().filter(|path| !is_caption(path)) {
        assert_eq!(verify(path, &pair).unwrap(), FigureVerdict::Same(2), "{}", path.display());
        let origin = Origin::read(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!((&origin.arms[0][..], &origin.arms[1][..]), (ARMS[0].name, ARMS[1].name));
        let is_declared = path.file_stem().is_some_and(|stem| stem == "objective");
        assert!(!is_declared || origin.declared == options.declared, "{}", path.display());
    }
    // The folder around them has the same two arms in the same order; one of them alone is one too few.
    let figure = home.path().join("figures/objective.svg");
    assert_eq!(verify(&figure, &[home.path().join("pair")]).unwrap(), FigureVerdict::Same(2));
    let found = verify(&figure, &pair[..1]).unwrap();
    let [first, second] = [0, 1].map(|arm| ARMS[arm].name.to_owned());
    assert_eq!(found, FigureVerdict::OtherArms { figure: vec![first.clone(), second], given: vec![first] });
}

/// A figure of some runs is the same beside more runs, and beside these alone in another order.
#[test]
fn more_runs_beside_a_figure_do_not_matter() {
    let home = tempfile::tempdir().unwrap();
    let runs = [0, 1, 2].map(|arm| write_alone(home.path(), &ARMS[arm], 1, 20));
    let to = home.path().join("plain");
    figures(&runs[..2], &to, &[Format::Svg]);
    for beside in [&runs[..], &runs[..2], &[runs[1].clone(), runs[0].clone()]] {
        let found = verify(&to.join("objective.svg"), beside).unwrap();
        assert_eq!(found, FigureVerdict::Same(2), "{beside:?}");
    }
}

/// A figure beside runs whose arms have other names is one of other runs, not wrong input.
#[test]
fn other_arms_are_other_runs() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(&home.path().join("a"));
    let to = home.path().join("figures");
    figures(std::slice::from_ref(&runs), &to, &[Format::Svg]);
    let foreign = write_study(home.path(), 2, 30);
    let FigureVerdict::OtherArms { figure, given } = verify(&to.join("objective.svg"), &[foreign]).unwrap() else {
        panic!("the study has no such arms")
    };
    assert_eq!((figure.len(), given.len()), (2, 12));
    assert!(figure.iter().all(|arm| !given.contains(arm)), "{figure:?} {given:?}");
}

/// A figure of a scenario that has another name by now is no changed figure, in any format.
#[test]
fn a_scenario_of_another_name_is_named() {
    let home = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(home.path(), 2, 30), home.path().join("figures"));
    let only = Figure::new("ledger", FigureKind::Named("ledger".to_owned()));
    let options = ReportOptions::new(Style::IcmlWide, &Format::ALL, to.clone());
    let options = ReportOptions { declared: Some(vec![only]), wanted: Wanted::Declared, ..options };
    report(std::slice::from_ref(&study), &options).unwrap();
    let plan = RunPlan::read(&study).unwrap();
    RunPlan { name: "renamed".to_owned(), ..plan.clone() }.write(&study).unwrap();
    let renamed = FigureVerdict::OtherScenario { figure: plan.name, given: Some("renamed".to_owned()) };
    for format in ["svg", "png", "pdf", "tex", "csv"] {
        let figure = to.join(format!("ledger.{format}"));
        assert_eq!(verify(&figure, std::slice::from_ref(&study)).unwrap(), renamed, "{format}");
    }
}

/// A touched figure, a touched record and other runs are distinguished.
#[test]
fn changes_are_found() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    let to = home.path().join("figures");
    figures(std::slice::from_ref(&runs), &to, &[Format::Svg]);
    let figure = to.join("objective.svg");
    let touched = home.path().join("touched.svg");
    std::fs::write(&touched, text(&to, "objective.svg").replacen("<polyline", "<polyline ", 1)).unwrap();
    let changed = FigureVerdict::Changed { version: None };
    assert_eq!(verify(&touched, std::slice::from_ref(&runs)).unwrap(), changed);
    let old = text(&to, "objective.svg").replacen("&quot;version&quot;:&quot;", "&quot;version&quot;:&quot;0.", 1);
    std::fs::write(&touched, old).unwrap();
    let older = FigureVerdict::Changed { version: Some(format!("0.{}", env!("CARGO_PKG_VERSION"))) };
    assert_eq!(verify(&touched, std::slice::from_ref(&runs)).unwrap(), older);
    let foreign = home.path().join("others");
    ARMS[..2].iter().for_each(|arm| drop(write_run(&foreign, arm, 9, 60)));
    let found = verify(&figure, &[foreign]).unwrap();
    assert!(matches!(&found, FigureVerdict::OtherRuns { figure: (6, _), given: (2, _) }), "{found:?}");
    all_runs(&runs)[0].change(|record| record.rounds[7].objective = Some(-18.5));
    assert_eq!(verify(&figure, &[runs]).unwrap(), changed);
    std::fs::write(&touched, "<svg></svg>").unwrap();
    let error = verify(&touched, &[home.path().to_path_buf()]).unwrap_err().to_string();
    assert!(error.contains("not a figure or table of this program"), "{error}");
}

/// Comments of a table stand before its header and nowhere else, so that readers that skip lines by `#` read the rest.
#[test]
fn comments_of_tables_come_first() {
    let home = tempfile::tempdir().unwrap();
    let written = figures(&[write_study(home.path(), 2, 30)], &home.path().join("figures"), &[Format::Svg]);
    let tables = written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "csv"));
    for path in tables {
        let table = std::fs::read_to_string(path).unwrap();
        let first = table.lines().position(|line| !line.starts_with('#')).unwrap();
        assert!(first > 1 && table.starts_with("# fedbits-report {"), "{}", path.display());
        assert!(table.lines().skip(first).all(|line| !line.contains('#')), "{}", path.display());
    }
}

/// The second line is the command that makes the file again: it is the same when the file is verified, and `--set` takes
/// the declarations that it has.
#[test]
fn a_file_says_by_which_command_it_was_made() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    let to = home.path().join("figures");
    let figure = r#"[{"name": "own", "kind": {"Curves": {"y": ["mean_field_sq"]}}, "caption": "It's\nnew."}]"#;
    let options = ReportOptions {
        wanted: Wanted::Declared,
        declared: Some(serde_json::from_str(figure).unwrap()),
        ..ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())
    };
    report(std::slice::from_ref(&runs), &options).unwrap();
    let table = text(&to, "own.csv");
    let command = table.lines().nth(1).unwrap();
    let set = command.strip_prefix("# fedbits report RUNS --style icml --set 'figures=").unwrap();
    let set = set.strip_suffix('\'').unwrap();
    let patched = Patched::new(0, &format!("(figures: {})", set.replace("'\\''", "'")));
    let read = patched.read::<Declarations>().value.unwrap();
    assert_eq!(Some(read.figures), options.declared);
    assert_eq!(verify(&to.join("own.csv"), &[runs]).unwrap(), FigureVerdict::Same(6));
}
