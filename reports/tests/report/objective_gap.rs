//! The objective above a reference: runs that failed, and have none of their own, count where it is known.

use crate::common::{ARMS, text, write_run};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, report};
use serde_json::{Value, json};
use std::path::Path;

/// What a run says that failed.
pub fn fail(run: &Path) {
    edit(run, |manifest| {
        manifest["stop_reason"] = json!("failed: Ŝ left the domain of T");
        manifest["reference"] = Value::Null;
    });
}

fn edit(run: &Path, change: impl FnOnce(&mut Value)) {
    let path = run.join("manifest.json");
    let mut manifest = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut manifest);
    std::fs::write(path, manifest.to_string()).unwrap();
}

/// Two of four runs of an arm fail. On data on which all others solve one problem its line is of all four; where others
/// solve two problems it is of the rest, and the details say so.
#[test]
fn failed_runs_have_the_reference_of_their_data() {
    for other_problem in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let runs = home.path().join("runs");
        let all: Vec<_> =
            ARMS[..2].iter().map(|arm| [1, 2, 3, 4].map(|seed| write_run(&runs, arm, seed, 40))).collect();
        all[0][..2].iter().for_each(|run| fail(run));
        if other_problem {
            edit(&all[1][3], |manifest| manifest["reference"]["problem"] = json!("p1"));
        }
        let to = home.path().join("figures");
        let wanted = Wanted::Named(vec!["objective_gap".to_owned()]);
        let options = ReportOptions { wanted, ..ReportOptions::new(Style::Icml, &[Format::Svg], to.clone()) };
        report(&[runs], &options).unwrap();
        let name =
            ["objective_gap-rounds", "objective_gap"].into_iter().find(|name| to.join(format!("{name}.txt")).exists());
        let name = name.expect("a figure of gaps");
        let details = text(&to, &format!("{name}-details.txt"));
        let told = "2 of 4 runs of no compression: no objective gap, as the record has no reference objective";
        assert_eq!(details.contains(told), other_problem, "{details}");
        let caption = text(&to, &format!("{name}.txt"));
        assert_eq!(caption.contains("2 to 4 replicates"), other_problem, "{caption}");
    }
}
