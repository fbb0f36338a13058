//! Limits of the horizontal axis: what lies beyond them, and those that show nothing.

use crate::common::{ARMS, write_run};
use crate::declared::{drawn, figure, options, texts};
use fedbits_reports::declare::{Curves, Limits, Scale, XAxis};
use fedbits_reports::report;

/// What is beyond the limits of the horizontal axis leaves an arrowhead and a sentence; the data have it.
#[test]
fn what_lies_beyond_the_limits_is_marked() {
    let limits = Limits { from: None, to: Some(80.0) };
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], x_limits: limits, ..Curves::default() };
    let (svg, data, caption, details) = drawn(&figure(curves.clone(), &[]));
    assert_eq!(svg.matches("class=\"exits\"").count(), 1);
    assert!(details.contains(&format!("mark where they leave): {}", ARMS[2].name)), "{details}");
    assert!(caption.contains("open arrowheads"));
    assert!(data[1..].iter().any(|row| row[1] == "120"));
    let whole = drawn(&figure(Curves { x_limits: Limits::default(), ..curves }, &[]));
    assert!(!whole.0.contains("class=\"exits\"") && !whole.3.contains("beyond the horizontal axis"));
}

/// Limits without a place on a logarithmic axis, and limits that hold no line, are not used, as the details say; what
/// some lines only do is said of these.
#[test]
fn horizontal_limits_that_show_nothing_are_not_used() {
    let of = |x_scale, from, to| {
        let y = vec!["mean_field_sq".to_owned()];
        let x_limits = Limits { from, to };
        let curves = Curves { y, x: vec![XAxis::Rounds], x_scale, x_limits, ..Curves::default() };
        drawn(&figure(curves, &[]))
    };
    let (log, linear) = (Scale::Log, Scale::Linear);
    let said = |limits: &str| format!("the declared limits of rounds, {limits} and are not used");
    let no_place = "have no place on its logarithmic axis, which takes ends above zero,";
    for (scale, from, to, words) in [
        (log, Some(0.0), Some(300.0), format!("from 0 to 300, {no_place}")),
        (log, Some(-5.0), None, format!("from -5, {no_place}")),
        (linear, Some(130.0), Some(140.0), "from 130 to 140, hold no point of any line".to_owned()),
        (linear, Some(-9.0), Some(-2.0), "from -9 to -2, hold no point of any line".to_owned()),
    ] {
        let (svg, _, caption, details) = of(scale, from, to);
        let whole = of(scale, None, None).0;
        let shapes = |svg: &str| svg.split_once("</metadata>").map(|(_, shapes)| shapes.to_owned());
        assert!(details.contains(&said(&words)), "{words}: {details}");
        assert_eq!(shapes(&svg), shapes(&whole), "{words}");
        assert!(!caption.contains("arrowheads") && !details.contains("arrowheads"), "{words}: {details}");
    }
    // Two of the lines end before, and the third goes on to the end.
    let (svg, .., details) = of(linear, Some(80.0), Some(130.0));
    let ended = format!("limits of the horizontal axis: {}, {}.", ARMS[0].name, ARMS[1].name);
    let enters = format!("begin before the horizontal axis (open arrowheads mark where they enter): {}.", ARMS[2].name);
    assert!(details.contains(&ended) && details.contains(&enters) && !details.contains("go on"), "{details}");
    assert_eq!(svg.matches("class=\"exits\"").count(), 1);
    // A line that passes between two of its points, as a step: the axis holds it.
    let (svg, .., details) = of(linear, Some(81.0), Some(82.0));
    assert!(!details.contains("not used"), "{details}");
    assert!(svg.contains("class=\"line\"") && texts(&svg).contains(&"2"), "{:?}", texts(&svg));
}

/// A line of few values that goes on beyond the limits has a marker (a circle on a white one) at each value that is
/// shown, and none at the edge of the frame, where the arrowhead is.
#[test]
fn no_marker_stands_on_an_arrowhead() {
    let folder = tempfile::tempdir().unwrap();
    // Probed every five rounds.
    let run = write_run(folder.path(), &ARMS[0], 1, 30).folder;
    let to = folder.path().join("figures");
    for (end, shown) in [(22.0, 5), (20.0, 4), (30.0, 7)] {
        let x_limits = Limits { from: None, to: Some(end) };
        let y = vec!["mean_field_sq".to_owned()];
        let curves = Curves { y, x: vec![XAxis::Rounds], x_limits, ..Curves::default() };
        report(std::slice::from_ref(&run), &options(&figure(curves, &[]), &to)).unwrap();
        let svg = std::fs::read_to_string(to.join("own.svg")).unwrap();
        assert_eq!(svg.matches("<circle ").count(), 2 * shown, "up to {end}");
        assert_eq!(svg.contains("class=\"exits\""), end < 30.0, "up to {end}");
    }
}
