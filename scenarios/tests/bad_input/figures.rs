//! Cases of declared figures.

use crate::bad_input::{GOOD, all_said};

/// What stands in place of the arms.
const WITH_ARMS: &str = "arms: [(name: \"one\"), (name: \"two\", set: {\"seed\": \"2\"})],\n    figures: ";

fn said(cases: &[(&str, &str)]) -> String {
    cases
        .iter()
        .map(|(name, figures)| all_said(GOOD, &[(name, &[("arms: [],", &format!("{WITH_ARMS}{figures},"))])]))
        .collect()
}

#[test]
fn each_bad_figure_says_what_is_wrong() {
    let cases = [
        ("unknown_arm", "[(name: \"a\", kind: Curves(), arms: [\"one\", \"tow\"])]"),
        ("no_arm_fits", "[(name: \"a\", kind: Curves(), arms: [Group(label: \"all\", arms: [\"x*\"])])]"),
        ("name_of_a_path", "[(name: \"a/b\", kind: Curves())]"),
        ("name_twice", "[(name: \"a\", kind: Curves()), (name: \"a\", kind: Named(\"ledger\"))]"),
        ("name_of_a_table", "[(name: \"accuracy\", kind: Curves())]"),
        ("unknown_kind", "[(name: \"a\", kind: Curve())]"),
        ("unknown_axis", "[(name: \"a\", kind: Curves(x: [Bits]))]"),
        ("axis_twice", "[(name: \"a\", kind: Curves(x: [Time, Time]))]"),
        ("limits_the_wrong_way", "[(name: \"a\", kind: Curves(x: [Time], x_limits: (from: 2, to: 1)))]"),
        ("limits_of_two_axes", "[(name: \"a\", kind: Curves(x: [Time, Rounds], x_limits: (to: 1)))]"),
        ("levels_without_an_axis", "[(name: \"a\", kind: Curves(panels: Levels(\"compressor\")))]"),
        ("baseline_of_no_arm", "[(name: \"a\", kind: Forest(baseline: \"on\"))]"),
        (
            "group_in_a_comparison",
            "[(name: \"a\", kind: Forest(), arms: [\"one\", Group(label: \"all\", arms: [\"*\"])])]",
        ),
        ("forest_of_a_shape", "[(name: \"a\", kind: Forest(), columns: 2)]"),
        ("trade_off_without_an_axis", "[(name: \"a\", kind: TradeOff(axis: \"compressor\"))]"),
        ("ends_and_costs", "[(name: \"a\", kind: TradeOff(ends: [\"objective\"], costs: [Time]))]"),
        ("reported_of_nothing", "[(name: \"a\", kind: TradeOff(reported: (label: \"x\", values: [1], within: -1)))]"),
        ("misspelt_end", "[(name: \"a\", kind: TradeOff(ends: [\"objektive\"]))]"),
        ("ellipses_of_one_column", "[(name: \"a\", kind: Mixture(columns: [\"y1\"]))]"),
        ("misspelt_quantity", "[(name: \"a\", kind: Curves(y: [\"mean_feild_sq\"]))]"),
        ("quantity_of_no_arm", "[(name: \"a\", kind: Curves(y: [\"epsilon\"]), arms: [\"one\"])]"),
        ("parameters_not_recorded", "[(name: \"a\", kind: Curves(y: [\"theta.weight_*\"]))]"),
        ("misspelt_column_of_clients", "[(name: \"a\", kind: Participation(y: [\"accuracyy\"]))]"),
        ("links_of_no_graph", "[(name: \"a\", kind: Named(\"links\"))]"),
        ("target_of_no_column", "[(name: \"a\", kind: Reach(target: Column(name: \"acuracy\", at_least: 0.9)))]"),
        ("target_without_a_bound", "[(name: \"a\", kind: Cost(target: Column(name: \"objective\")))]"),
        ("target_that_is_spent", "[(name: \"a\", kind: Reach(target: Column(name: \"bits_up\", at_most: 9)))]"),
        ("target_of_a_count", "[(name: \"a\", kind: Reach(target: Column(name: \"bits_up_dense32\", at_most: 9)))]"),
        ("quantity_that_is_spent", "[(name: \"a\", kind: Curves(y: [\"bits_up\"]))]"),
        ("label_twice", "[(name: \"a\", kind: Curves(), arms: [\"one\", Labelled(arm: \"two\", label: \"one\")])]"),
        ("mark_of_an_unknown_arm", "[(name: \"a\", kind: Curves(marks: [End(arm: \"on\")]))]"),
    ];
    insta::assert_snapshot!(said(&cases));
}

/// An arm can change neither figures nor how often it is run.
#[test]
fn arms_do_not_change_what_shows_them() {
    let arms = |set: &str| format!("arms: [(name: \"a\", set: {{{set}}}), (name: \"b\", set: {{\"seed\": \"9\"}})],");
    let cases = ["\"figures\": \"[]\"", "\"replicates\": \"3\""];
    let said: String = cases.iter().map(|set| all_said(GOOD, &[(set, &[("arms: [],", &arms(set))])])).collect();
    insta::assert_snapshot!(said);
}
