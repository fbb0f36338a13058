//! Texts that nobody writes by hand: nested without end, with thousands of problems or arms, on one endless line.

use fedbits_scenarios::{Diagnostics, Set, Source, load};

use super::{GOOD, edited};

fn problems(text: &str, sets: &[Set]) -> Diagnostics {
    load(Source::new("bad.ron", text), sets).expect_err("the text is bad")
}

/// Deeper than any stack: each kind of nesting, as a value of the file, of `--set` and of an arm.
#[test]
fn nesting_without_end_is_refused_at_its_position() {
    for (open, close, levels) in [
        ("Some(", ")", 10_000),
        ("X(", ")", 10_000),
        ("(", ")", 10_000),
        ("[", "]", 10_000),
        ("{0: ", "}", 10_000),
        ("Composition(first: ", ", then: Identity)", 5_000),
        ("Induced(contraction: TopK(k: 1), rest: ", ")", 5_000),
        ("Some(", "", 100_000),
    ] {
        let value = format!("{}Identity{}", open.repeat(levels), close.repeat(levels));
        let compressor = "Dithering(levels: 4, norm: L(2), code: Fixed)";
        let text = edited(GOOD, &[(compressor, &value)]);
        let message = problems(&text, &[]);
        let problem = &message.problems()[0];
        let start = text.find(&value).expect("it is there");
        assert!((start..start + value.len()).contains(&problem.span.start), "{open}: {problem:?}");
        let text = format!("{} {}", problem.message, problem.expected);
        assert!(text.contains("too deep"), "{open}: {text}");
        assert!(message.render(false).len() < 20_000, "{open}");
        let set = Set { path: "protocol.compressor".to_owned(), value: value.clone() };
        assert!(problems(GOOD, &[set]).render(false).contains("too deep"), "{open}");
        let arms = format!("arms: [(name: \"deep\", set: {{\"protocol.compressor\": {value:?}}})]");
        let message = problems(&edited(GOOD, &[("arms: []", &arms)]), &[]).render(false);
        assert!(message.contains("too deep"), "{open}");
    }
}

/// What a scenario can need is far below the limit.
#[test]
fn reasonable_nesting_is_read() {
    let levels = 20;
    let value = format!(
        "{}Identity{}",
        "Composition(first: ".repeat(levels),
        ", then: Dithering(levels: 4, norm: L(2), code: Fixed))".repeat(levels)
    );
    let text = edited(GOOD, &[("Dithering(levels: 4, norm: L(2), code: Fixed)", &value)]);
    let read = load(Source::new("good.ron", text), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    // What is written back is read back, too.
    load(Source::new("again.ron", read[0].text.as_str()), &[]).unwrap_or_else(|problems| panic!("{problems}"));
}

/// A screenful is shown, the rest is counted; the work is in proportion to the text.
#[test]
fn thousands_of_problems_are_counted_and_the_first_are_shown() {
    const COUNT: usize = 4_000;
    for separator in ["\n", ""] {
        let fields: String = (0..COUNT).map(|i| format!("{separator}    unknown_{i}: {i},")).collect();
        let message = problems(&edited(GOOD, &[("    seed: 7,", &fields)]), &[]);
        assert_eq!(message.problems().len(), COUNT);
        let (first, last) = (&message.problems()[0], &message.problems()[COUNT - 1]);
        assert_eq!(last.line - first.line, if separator.is_empty() { 0 } else { COUNT - 1 });
        let shown = message.render(false);
        assert_eq!(shown.lines().filter(|line| line.starts_with("Error: ")).count(), 20);
        assert!(shown.ends_with("and 3980 more problems\n"), "{shown}");
        assert!(shown.len() < 40_000, "{} bytes", shown.len());
    }
}

/// Fields that cannot be read at all, one in each of very many arms.
#[test]
fn thousands_of_unreadable_arms_are_soon_given_up() {
    let arms: String = (0..4_000).map(|i| format!("(name: {i}, set: 5),\n")).collect();
    let message = problems(&edited(GOOD, &[("arms: []", &format!("arms: [\n{arms}]"))]), &[]);
    assert!(message.problems().len() >= 20);
}

/// Each of very many arms is read without the others.
#[test]
fn thousands_of_arms_are_read() {
    let arm =
        |i: usize| format!("(name: \"arm {i}\", set: {{\"protocol.gamma\": \"Constant({})\"}}),\n", 1.0 / i as f64);
    let arms: String = (1..=4_000).map(arm).collect();
    let text = edited(GOOD, &[("arms: []", &format!("arms: [\n{arms}]"))]);
    let read = load(Source::new("good.ron", text), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(read.len(), 4_000);
    assert_eq!(read[3_999].arm.as_deref(), Some("arm 4000"));
    assert!(read[1].text.contains("gamma: Constant(0.5)"), "{}", read[1].text);
}

/// A problem in an arm is shown where the arm gives the value.
#[test]
fn the_position_of_a_value_of_an_arm_is_its_own() {
    let arms = "arms: [(name: \"a\"), (name: \"b\", set: {\"protocol.gamma\": \"Constant(7)\"})]";
    let text = edited(GOOD, &[("arms: []", arms)]);
    let message = problems(&text, &[]);
    assert_eq!(message.problems()[0].span.start, text.find("Constant(7)").expect("it is there") + "Constant(".len());
}
