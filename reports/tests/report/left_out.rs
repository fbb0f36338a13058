//! What frames do not show is marked and counted, and the data beside the figure have all of it.

use crate::common::{ARMS, add_model, rows, text, write_run, write_theta};
use fedbits_reports::declare::{Curves, Figure, FigureKind, Scale};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, report};
use proptest::prelude::*;
use std::path::Path;

fn options(to: &Path) -> ReportOptions {
    ReportOptions::new(Style::Neurips, &[Format::Svg], to.to_path_buf())
}

/// The medians of an arm in a figure's table.
fn medians(table: &str, arm: &str) -> Vec<f64> {
    rows(table).iter().filter(|row| row[0] == arm).map(|row| row[6].parse().unwrap()).collect()
}

/// Values near 8, some a little apart and some that run away, up and down.
fn values() -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![6 => 7.0..9.0, 2 => -40.0..60.0, 1 => -1e200..1e200, 1 => Just(0.0)];
    proptest::collection::vec(value, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every value of `theta.csv` is in the figure's table, to the last bit; as many as the caption says are outside
    /// the frame, and an arm that is somewhere outside has its marks.
    #[test]
    fn no_value_of_a_parameter_is_lost(one in values(), other in values(), third in values()) {
        let home = tempfile::tempdir().unwrap();
        let (runs, to) = (home.path().join("runs"), home.path().join("to"));
        let all = [&one, &other, &third];
        let written: Vec<_> = all.iter().zip(&ARMS).map(|(values, arm)| write_theta(&runs, arm, values)).collect();
        report(&[runs], &options(&to)).unwrap();
        let (table, caption, svg) = (text(&to, "parameter-a.csv"), text(&to, "parameter-a-details.txt"), text(&to, "parameter-a.svg"));
        let sentence = caption.lines().find(|line| line.contains("values that are outside the frame")).unwrap_or_default();
        let mut leaving = 0;
        for ((values, arm), run) in all.iter().zip(&ARMS).zip(&written) {
            let recorded = run.record().theta.unwrap();
            let recorded: Vec<f64> = recorded.rows.iter().map(|row| row.values[0]).collect();
            prop_assert_eq!(&&recorded, values);
            prop_assert_eq!(medians(&table, arm.name), recorded, "{}", arm.name);
            leaving += usize::from(sentence.contains(&format!("{}: ", arm.name)));
        }
        prop_assert_eq!(leaving > 0, caption.contains("the frame holds the values"));
        prop_assert_eq!(leaving > 0, text(&to, "parameter-a.txt").contains("(open arrowheads: lines leave the frame)."));
        // Each of the three panels has a layer of marks for each of these arms; a start that is outside has no place on
        // the logarithmic axis of bits.
        let marked = svg.matches("class=\"exits\"").count();
        prop_assert!((2 * leaving..=3 * leaving).contains(&marked), "{}", caption);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

/// A parameter that goes from 0 to 8 alone is shown whole; beside arms that stay near 8 and one that runs away, the
/// frame is cut.
#[test]
fn a_frame_is_cut_only_where_it_must_be() {
    let home = tempfile::tempdir().unwrap();
    let caption = |name: &str, arms: &[&[f64]]| {
        let (runs, to) = (home.path().join(name), home.path().join(format!("to-{name}")));
        arms.iter().zip(&ARMS).for_each(|(values, arm)| drop(write_theta(&runs, arm, values)));
        report(&[runs], &options(&to)).unwrap();
        text(&to, "parameter-a-details.txt")
    };
    assert!(!caption("alone", &[&[0.0, 4.0, 7.0, 8.0]]).contains("outside the frame"));
    let near: &[f64] = &[7.0, 8.5, 8.0];
    let sentence = caption("several", &[near, near, &[-1e20, 1e20, 9.0, -1e20]]);
    assert!(sentence.contains(&format!("{}: 3 of 4", ARMS[2].name)), "{sentence}");
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
