//! The table of accuracies: outcomes of one method stand together with their spread.

use crate::common::{text, write_accuracies};
use fedbits_reports::{FigureVerdict, Format, ReportOptions, Style, report, verify};

/// Three outcomes `ties-0` to `ties-2` are one method with a spread (85, 90 and 95 %: their median is 90), whatever
/// order the arms have; `rounds-10` and `rounds-30` are two methods, because no outcome is missing between 0
/// and their numbers.
#[test]
fn outcomes_of_one_method_are_a_spread() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    let arms = [("ties-1", 0.95), ("ties-0", 0.9), ("ties-2", 0.85), ("rounds-10", 0.7), ("rounds-30", 0.8)];
    arms.iter().for_each(|&(arm, accuracy)| write_accuracies(&runs, arm, accuracy));
    let to = home.path().join("figures");
    report(std::slice::from_ref(&runs), &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    let table = text(&to, "accuracy.csv");
    let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
    let starts = [
        "ties,ties-0,1,0.9,0.9,0.9,",
        "ties,ties-1,1,0.95,0.95,0.95,",
        "ties,ties-2,1,0.85,0.85,0.85,",
        "ties,,3,0.85,0.9,0.95,",
        "rounds-10,rounds-10,1,0.7,0.7,0.7,",
        "rounds-30,rounds-30,1,0.8,0.8,0.8,",
    ];
    assert_eq!(lines.len(), starts.len(), "{table}");
    lines.iter().zip(starts).for_each(|(line, start)| assert!(line.starts_with(start), "{line}"));
    let latex = text(&to, "accuracy.tex");
    assert!(latex.contains("rounds-10 & 1 & & 70.00 &"), "{latex}");
    assert!(latex.contains("ties & 3 & 85.00 & 90.00 & 95.00 "), "{latex}");
    assert!(latex.contains("\\quad outcome 2 & 1 & & 85.00 &"), "{latex}");
    assert!(text(&to, "accuracy-details.txt").starts_with("Share of examples"));
    for file in ["accuracy.csv", "accuracy.tex"] {
        assert_eq!(verify(&to.join(file), std::slice::from_ref(&runs)).unwrap(), FigureVerdict::Same(5), "{file}");
    }
}

/// Where every method has one run, the table has one column of accuracies: there is no spread.
#[test]
fn one_run_each_has_no_spread() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    [("a", 0.7), ("b", 0.8)].iter().for_each(|&(arm, accuracy)| write_accuracies(&runs, arm, accuracy));
    let to = home.path().join("figures");
    report(std::slice::from_ref(&runs), &ReportOptions::new(Style::Neurips, &[Format::Svg], to.clone())).unwrap();
    let latex = text(&to, "accuracy.tex");
    assert!(latex.contains("% Needs \\usepackage{booktabs}. One run each.\n"), "{latex}");
    assert!(
        latex.contains("\\begin{tabular}{lrrrrr}\n\\toprule\nmethod & $n$ & accuracy (\\%) & objective &"),
        "{latex}"
    );
    assert!(latex.contains("\na & 1 & 70.00 &") && latex.contains("\nb & 1 & 80.00 &"), "{latex}");
}
