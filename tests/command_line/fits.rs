//! Settings that do not fit the data: reported as soon as the data are read, by every command that reads them, at the
//! position of the value, and before anything is run or written.

use std::fs;

use crate::support::{Scratch, finish, scenario_file};

/// The scenario on a table of 120 examples by 3 clients, with replacements; `constant` columns of it are dropped (d =
/// 2, q = 12).
fn table(edits: &[(&str, &str)]) -> String {
    let text = fs::read_to_string(scenario_file("table.ron")).unwrap();
    edits.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// `line:column` of the first `value` behind `field` in a text.
fn position(text: &str, field: &str, value: &str) -> String {
    let field = text.find(field).unwrap_or_else(|| panic!("{field}"));
    let at = field + text[field..].find(value).unwrap_or_else(|| panic!("{value}"));
    let before = &text[..at];
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    format!("{}:{column}", before.matches('\n').count() + 1)
}

const GAMMA: &str = "gamma: Constant(0.3),";
const BY_COLUMN: &str = "partition: ClientColumn,";

#[test]
fn every_value_that_does_not_fit_has_its_position() {
    // A replacement; field and value at fault; what is reported.
    let cases = [
        ((GAMMA, "gamma: Constant(0.3), participation: Cohort(48),"), ("participation", "48"), "from 1 to 3"),
        ((BY_COLUMN, "partition: ClientColumn, round: First(40),"), ("round", "40"), "from 1 to 3"),
        ((BY_COLUMN, "partition: ClientColumn, round: Buffered(40),"), ("round", "40"), "from 1 to 3"),
        (
            ("levels: 6, norm: L(2), code: EliasDense)", "levels: 6), memory: NoMemory, participation: Cohort(4)"),
            ("participation", "4"),
            "number of clients",
        ),
        (("Dithering(levels: 6, norm: L(2), code: EliasDense)", "RandK(k: 500)"), ("RandK", "500"), "from 1 to 12"),
        ((BY_COLUMN, "clients: 500,"), ("clients", "500"), "120, the number of examples"),
        ((BY_COLUMN, "clients: 500, partition: SortedByLabel,"), ("clients", "500"), "120, the number of examples"),
        (
            (BY_COLUMN, "clients: 500, partition: Dirichlet(alpha: 1),"),
            ("clients", "500"),
            "120, the number of examples",
        ),
        ((BY_COLUMN, "clients: 60, partition: Dirichlet(alpha: 1e-3),"), ("alpha", "1e-3"), "larger concentration"),
        (("components: 2", "components: 500"), ("components", "500"), "number of examples"),
        (("[DropConstant, Standardize]", "[DropConstant, Pca(3)]"), ("preprocess", "Pca(3)"), "3 asked for"),
        (("[DropConstant, Standardize]", "[Center]"), ("preprocess", "[Center]"), "column `unit` is constant"),
        (("preprocess: [DropConstant, Standardize],", ""), ("data", "Csv"), "`preprocess: [DropConstant]`"),
    ];
    let scratch = Scratch::new();
    fs::copy(scenario_file("table.csv"), scratch.path("table.csv")).unwrap();
    for (edit, (field, value), expected) in cases {
        let text = table(&[edit]);
        fs::write(scratch.path("table.ron"), &text).unwrap();
        for command in ["run", "check"] {
            let output = finish(scratch.fedbits([command, "-q", "table.ron"]));
            assert_eq!(output.code, Some(2), "{command} {edit:?}: {}{}", output.out, output.err);
            let at = format!("table.ron:{}", position(&text, field, value));
            assert!(output.err.contains(&at) && output.err.contains(expected), "{at}, {expected}: {}", output.err);
            assert!(output.err.contains("has one problem"), "{}", output.err);
        }
    }
    assert!(!scratch.path("out").exists(), "nothing was written");
}

/// Batches are cut to the equal shares of clients nowhere without a word; where shares differ, a caveat counts the
/// clients.
#[test]
fn batches_fit_the_clients() {
    let scratch = Scratch::new();
    fs::copy(scenario_file("table.csv"), scratch.path("table.csv")).unwrap();
    let batch = (GAMMA, "gamma: Constant(0.3), batch: WithoutReplacement(41),");
    fs::write(scratch.path("table.ron"), table(&[batch, (BY_COLUMN, "clients: 3,")])).unwrap();
    let output = finish(scratch.fedbits(["run", "-q", "table.ron"]));
    assert!(output.code == Some(2) && output.err.contains("from 1 to 40"), "{}", output.err);
    fs::write(scratch.path("table.ron"), table(&[batch])).unwrap();
    let output = finish(scratch.fedbits(["run", "-q", "--no-figures", "table.ron"]));
    assert!(output.code == Some(0) && output.err.contains("3 clients hold fewer than 41 examples"), "{}", output.err);
}

/// Subjects, persons and documents are counted by files, too.
#[test]
fn clients_without_subjects_have_a_position() {
    let scratch = Scratch::new();
    for command in ["run", "check"] {
        let mut command = scratch.fedbits([command, "-q"]);
        command.arg(scenario_file("sampling.ron")).args(["--set", "clients=4000"]);
        let output = finish(command);
        assert_eq!(output.code, Some(2), "{}", output.err);
        for what in ["subjects", "persons", "documents"] {
            let found =
                output.err.contains("4000 clients share") && output.err.contains(&format!("the number of {what}"));
            assert!(found && output.err.contains("--set clients=4000:1:9"), "{what}: {}", output.err);
        }
    }
    assert!(!scratch.path("out").exists(), "nothing was written");
}

/// The arms of a study are compared with the data before a run is made: one that cannot be is reported at its level.
#[test]
fn a_study_is_refused_before_its_first_run() {
    let scratch = Scratch::new();
    fs::copy(scenario_file("table.csv"), scratch.path("table.csv")).unwrap();
    fs::write(scratch.path("table.ron"), table(&[])).unwrap();
    let study = "(\n    name: \"cohorts\",\n    base: \"table.ron\",\n    axes: [\n        Grid(path: \"protocol.participation\", \
                 values: [\"All\", \"Cohort(2)\", \"Cohort(48)\", \"Cohort(4)\"]),\n    ],\n    replicates: 2,\n)\n";
    fs::write(scratch.path("study.ron"), study).unwrap();
    for command in ["study", "check"] {
        let output = finish(scratch.fedbits([command, "study.ron"]));
        assert_eq!(output.code, Some(2), "{}{}", output.out, output.err);
        for value in ["48", "4)"] {
            let at = format!("study.ron:{}", position(study, "values", value));
            assert!(output.err.contains(&at), "{at}: {}", output.err);
        }
        assert!(output.err.contains("has 2 problems") && output.err.contains("from 1 to 3"), "{}", output.err);
    }
    assert!(!scratch.path("out").exists(), "nothing was written");
}

/// A number whose fourth power is none is reported with its row, its column and its file.
#[test]
fn numbers_that_are_too_large_have_a_row() {
    let scratch = Scratch::new();
    let good = fs::read_to_string(scenario_file("table.csv")).unwrap();
    for (row, value) in [(7, "1e200"), (100, "-3e99")] {
        let lines = good.lines().enumerate().map(|(line, text)| match line == row + 1 {
            true => format!("{value}{}\n", &text[text.find(',').unwrap()..]),
            false => format!("{text}\n"),
        });
        fs::write(scratch.path("table.csv"), lines.collect::<String>()).unwrap();
        fs::write(scratch.path("table.ron"), table(&[])).unwrap();
        let output = finish(scratch.fedbits(["run", "-q", "table.ron"]));
        let expected = format!("table.csv, example {row} (counted from 0): column `width` is");
        assert!(output.code == Some(2) && output.err.contains(&expected), "{expected}: {}", output.err);
    }
}

/// The same of subjects: their names, and when.
#[test]
fn values_of_subjects_that_are_too_large_have_a_subject() {
    let scratch = Scratch::new();
    let text = fs::read_to_string(scenario_file("lines.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let position = |name: &str| header.iter().position(|column| *column == name).unwrap();
    for row in [1, 9] {
        let mut cells: Vec<&str> = text.lines().nth(row).unwrap().split(',').collect();
        let (subject, time) = (cells[position("id")], cells[position("age")]);
        cells[position("height")] = "1e199";
        let lines =
            text.lines().enumerate().map(|(line, old)| if line == row { cells.join(",") } else { old.to_owned() });
        fs::write(scratch.path("lines.csv"), lines.map(|line| line + "\n").collect::<String>()).unwrap();
        for other in ["curves.csv", "responses.csv", "corpus.dat", "sampling.ron"] {
            fs::copy(scenario_file(other), scratch.path(other)).unwrap();
        }
        let output = finish(scratch.fedbits(["run", "-q", "sampling.ron"]));
        let time: f64 = time.trim().parse().unwrap();
        let expected = format!("lines.csv, subject {subject}: the value at time {time} is 1e199");
        assert!(output.code == Some(2) && output.err.contains(&expected), "{expected}: {}", output.err);
    }
    assert!(!scratch.path("out").exists(), "nothing was written");
}

/// Two letters that are swapped.
#[test]
fn a_misspelt_command_has_a_nearest_one() {
    let scratch = Scratch::new();
    for (typed, meant) in [("rnu", "'run'"), ("chekc", "'check'"), ("stduy", "'study'")] {
        let output = finish(scratch.fedbits([typed, "quickstart"]));
        assert!(output.code == Some(2) && output.err.contains(meant), "{typed}: {}", output.err);
    }
}
