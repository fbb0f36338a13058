//! What frames do not show is marked and counted, and the data beside the figure have all of it.

use crate::common::{ARMS, add_model, rows, text, write_run};
use fedbits_reports::declare::{Curves, Figure, FigureKind, Scale};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, report};
use std::path::Path;

fn options(to: &Path) -> ReportOptions {
    ReportOptions::new(Style::Neurips, &[Format::Svg], to.to_path_buf())
}

/// A logarithmic axis of bits: the start is named, in the caption only; an arm whose bits are 20 times
/// fewer makes it so.
#[test]
fn the_start_has_no_coordinate_on_a_logarithmic_axis() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    ARMS.iter().for_each(|arm| drop(write_run(&runs, arm, 1, 12)));
    let draw = |x_scale| {
        let to = home.path().join("to");
        let (y, x) = (vec!["objective".to_owned()], vec![XAxis::BitsUp, XAxis::BitsTotal, XAxis::Time]);
        let curves = FigureKind::Curves(Curves { y, x, x_scale, ..Curves::default() });
        let declared = Some(vec![Figure::new("objective", curves)]);
        report(std::slice::from_ref(&runs), &ReportOptions { declared, ..options(&to) }).unwrap();
        (text(&to, "objective-details.txt"), text(&to, "objective.svg"))
    };
    // The arms' bits differ by less than 480/41 < 12 on the uplink, and less elsewhere.
    let sentence = "the start of the lines, at zero, has no coordinate on a logarithmic horizontal axis";
    let (auto, linear, log) = (draw(Scale::Auto), draw(Scale::Linear), draw(Scale::Log));
    assert!(auto.0.contains(sentence) && !linear.0.contains(sentence) && log.0.contains(sentence));
    assert!(auto.1 != linear.1 && auto.1 != log.1 && linear.1 != log.1);
}

/// Mixtures over different columns are shown over those that both have, and truths that differ by none.
#[test]
fn mixtures_of_different_data_are_shown_over_what_both_have() {
    let home = tempfile::tempdir().unwrap();
    let (runs, to) = (home.path().join("runs"), home.path().join("to"));
    let written = [0, 1].map(|arm| write_run(&runs, &ARMS[arm], 1, 5));
    written.iter().for_each(|run| add_model(run, 0.2));
    let draw = || {
        let wanted = Wanted::Named(vec!["mixture".to_owned()]);
        report(std::slice::from_ref(&runs), &ReportOptions { wanted, ..options(&to) }).unwrap();
        (rows(&text(&to, "mixture.csv")), text(&to, "mixture-marginals-details.txt"))
    };
    let (table, said) = draw();
    assert!(
        table[0].contains(&"y1_mean".to_owned()) && said.contains("dashed: what the data were drawn from"),
        "{said}"
    );
    written[1].change(|record| {
        let model = record.model.take().unwrap();
        record.model = Some(model.replace("y1", "z1").replace("[[-1,0.0", "[[-7,0.0"));
    });
    let (table, said) = draw();
    assert_eq!(table[0][4..], ["y2_mean", "y2_deviation", "y3_mean", "y3_deviation"]);
    assert!(said.contains("drawn from different mixtures") && !said.contains("dashed"), "{said}");
}
