//! Bad input gives file, line, column, the line, what was expected, and a hint: in reviewed snapshots.
//! Snapshots are rewritten with `INSTA_UPDATE=always` and reviewed as differences.

mod axes;
mod cases;
mod costs;
mod figures;
mod hostile;
mod sampled;
mod vpem;
mod words;

use fedbits_scenarios::{Set, Source, load};

const GOOD: &str = include_str!("../good.ron");

/// What is reported about a text, with these `--set`s; panics when nothing is reported.
fn message(text: &str, sets: &[&str]) -> String {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().expect("path=value")).collect();
    let problems = load(Source::new("bad.ron", text), &sets).expect_err("the text is bad");
    for problem in problems.problems() {
        assert!(problem.line >= 1 && problem.column >= 1 && !problem.message.is_empty());
    }
    problems.render(false)
}

/// A text with replacements, each of which must apply.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// What is reported about each case, a name and its replacements in `text`, under its name.
fn all_said(text: &str, cases: &[(&str, &[(&str, &str)])]) -> String {
    cases.iter().map(|(name, edits)| format!("## {name}\n{}\n", message(&edited(text, edits), &[]))).collect()
}

/// Each case: a name, and the values of `--set`.
const SETS: &[(&str, &[&str])] = &[
    ("set_unknown_path", &["protocol.gama=Constant(0.1)"]),
    ("set_unknown_top", &["clint=5"]),
    ("set_below_unknown", &["protocl.gamma=Constant(0.1)"]),
    ("set_below_scalar", &["clients.x=5"]),
    ("set_index_out_of_range", &["data.weights[2]=0.5"]),
    ("set_not_a_path", &["protocol..gamma=5"]),
    ("set_out_of_range", &["protocol.gamma=Constant(5)"]),
    ("set_no_number", &["protocol.gamma=NaN"]),
    ("set_word_for_number", &["protocol.gamma=abc"]),
    ("set_word_for_rate", &["network.client_up=fast"]),
    ("set_misspelt_without_parentheses", &["protocol.compressor=Ditherin"]),
    ("set_wrong_type", &["clients=many"]),
    ("set_inserted_wrong_type", &["network.server_up=5"]),
    ("set_no_value", &["clients="]),
    ("set_two_values", &["clients=5, seed: 3"]),
    ("set_unclosed", &["protocol.gamma=Constant(0.1"]),
    ("set_comment", &["clients=5 // few"]),
    ("set_field_of_other_variant", &["protocol.compressor.k=3"]),
    ("set_several", &["clients=0", "seed=-1", "protocol.gamma=Constant(0)"]),
];

#[test]
fn each_bad_set_says_what_is_wrong() {
    let all = SETS.iter().map(|(name, sets)| format!("## {name}\n{}\n", message(GOOD, sets)));
    insta::assert_snapshot!("sets", all.collect::<String>());
}

#[test]
fn an_empty_file_is_a_problem() {
    insta::assert_snapshot!("empty_file", message("", &[]));
    insta::assert_snapshot!("only_a_comment", message("// nothing", &["clients=5"]));
}

/// Positions are exact: line and column count from 1 and point at the first character of what is wrong.
#[test]
fn places_are_exact() {
    for (from, to, at) in [
        ("clients: 10", "clinets: 10", "clinets"),
        ("latency: Ms(20)", "latency: Ms(-20)", "Ms(-20)"),
        ("Constant(0.1)", "Constant( 1.5 )", "1.5"),
        ("norm: L(2)", "norm: L(0.9)", "0.9"),
        ("weights: [0.3, 0.7]", "weights: [0.3, NaN]", "NaN"),
        // As a word processor writes it; RON's parser stops at the short spelling, which is right.
        ("latency: Ms(20)", "latency:\u{a0}\"20 ms\"", "\u{a0}"),
    ] {
        let text = edited(GOOD, &[(from, to)]);
        let problems = load(Source::new("bad.ron", &*text), &[]).unwrap_err();
        let problem = &problems.problems()[0];
        let start = text.find(to).unwrap() + to.find(at).unwrap();
        assert_eq!(problem.span, start..start + at.len());
        assert_eq!(problem.line, text[..start].split('\n').count());
        assert_eq!(problem.column, text[..start].rsplit('\n').next().unwrap().chars().count() + 1);
    }
}

/// The text that everything above edits is itself right.
#[test]
fn the_good_scenario_is_good() {
    load(Source::new("good.ron", GOOD), &[]).unwrap_or_else(|problems| panic!("{problems}"));
}

/// Colours are terminal escapes: none unless requested.
#[test]
fn colours_only_on_request() {
    let problems = load(Source::new("bad.ron", edited(GOOD, &[("clients: 10", "clients: 0")])), &[]).unwrap_err();
    assert!(problems.render(true).contains('\u{1b}'));
    assert!(!problems.render(false).contains('\u{1b}'));
}
