//! The objective above a reference: runs that failed, and have none of their own, count where it is known.

use crate::common::{ARMS, Run, text, write_run};
use fedbits_reports::declare::{Curves, Figure, FigureKind};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, report};

/// What a run says that failed.
pub fn fail(run: &Run) {
    run.change(|record| {
        record.manifest.stop_reason = "failed: Ŝ left the domain of T".to_owned();
        record.manifest.reference = None;
    });
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
        all[0][..2].iter().for_each(fail);
        if other_problem {
            all[1][3].change(|record| record.manifest.reference.as_mut().unwrap().problem = "p1".to_owned());
        }
        let to = home.path().join("figures");
        let y = vec!["objective_gap".to_owned()];
        let curves = Curves { y, x: vec![XAxis::Rounds], ..Curves::default() };
        let declared = Some(vec![Figure::new("objective_gap", FigureKind::Curves(curves))]);
        let options = ReportOptions {
            declared,
            wanted: Wanted::Declared,
            ..ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())
        };
        report(&[runs], &options).unwrap();
        let details = text(&to, "objective_gap-details.txt");
        let told = "2 of 4 runs of no compression: no objective gap, as the record has no reference objective";
        assert_eq!(details.contains(told), other_problem, "{details}");
        let caption = text(&to, "objective_gap.txt");
        assert_eq!(caption.contains("2 to 4 replicates"), other_problem, "{caption}");
    }
}
