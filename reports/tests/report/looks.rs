//! One arm has one colour, dash, marker and position, whichever runs are shown beside it; one purpose of bits has one
//! colour.

use crate::common::{self, ARMS, Invented, edit_plan, objective, text, write_run, write_study};
use fedbits_reports::compare::Samples;
use fedbits_reports::declare::{Curves, Figure, FigureKind, Panels, ShownArm};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, open_folders, report};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An entry of a legend: the words, and the drawing of its sample without the position.
type Entry = (String, String);

/// The legend of a figure of lines, in its order.
fn legend(svg: &str) -> Vec<Entry> {
    let layers: Vec<&str> = svg.split("<g class=\"legend\"").skip(1).collect();
    // A sample is a layer of the line and one of the marker; the words follow.
    let entry = |pair: &[&str]| {
        let words = pair[1].split("<text ").nth(1).unwrap();
        let words = &words[words.find('>').unwrap() + 1..words.find("</text>").unwrap()];
        let line = pair[0].split("points").next().unwrap();
        let marker = pair[1].split("fill=\"#").nth(2).unwrap();
        // The number of corners, none for a circle.
        let corners = pair[1].split("points=\"").nth(2).map(|points| points.split('"').next().unwrap());
        let shape = corners.map_or(0, |points| points.split(' ').count());
        (words.to_owned(), format!("{line} {} {shape}", &marker[..6]))
    };
    layers.chunks(2).map(entry).collect()
}

fn options(to: &Path, arms: &[impl AsRef<str>]) -> ReportOptions {
    let plain = ReportOptions::new(Style::Neurips, &[Format::Svg], to.to_path_buf());
    let arms = arms.iter().map(|name| ShownArm::Arm(name.as_ref().to_owned())).collect();
    ReportOptions { declared: Some(vec![Figure { arms, ..objective(&[XAxis::Epochs]) }]), ..plain }
}

fn figure(runs: &[PathBuf], arms: &[&str]) -> Vec<Entry> {
    let to = tempfile::tempdir().unwrap();
    report(runs, &options(to.path(), arms)).unwrap();
    legend(&text(to.path(), "objective.svg"))
}

/// All arms of the invented scenario.
fn scenario(home: &Path) -> PathBuf {
    let runs = home.join("runs");
    ARMS.iter().for_each(|arm| drop(write_run(&runs, arm, 1, 12)));
    runs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Arms stand in the order of the scenario; a subset in any order keeps every arm's look; two arms never share one.
    #[test]
    fn a_look_does_not_depend_on_the_subset(
        chosen in proptest::sample::subsequence((0..ARMS.len()).collect::<Vec<_>>(), 2..=ARMS.len()).prop_shuffle(),
    ) {
        let home = tempfile::tempdir().unwrap();
        let runs = scenario(home.path());
        let all = figure(std::slice::from_ref(&runs), &[]);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        prop_assert_eq!(names, ARMS.iter().map(|arm| arm.name).collect::<Vec<_>>());
        let looks: BTreeMap<&str, &str> = all.iter().map(|(name, look)| (look.as_str(), name.as_str())).collect();
        prop_assert_eq!(looks.len(), ARMS.len());
        let expected: Vec<Entry> = chosen.iter().map(|&arm| all[arm].clone()).collect();
        let names: Vec<&str> = chosen.iter().map(|&arm| ARMS[arm].name).collect();
        prop_assert_eq!(&figure(std::slice::from_ref(&runs), &names), &expected);
        // The first arm of the scenario is what others are compared with.
        let samples = Samples::of_records(&open_folders(&[runs]).unwrap(), &[]).unwrap();
        prop_assert_eq!(samples.arms[samples.baseline].name.as_str(), ARMS[0].name);
    }
}

/// Arms of two scenarios all look different; those of the first keep their looks.
#[test]
fn arms_of_several_scenarios_look_different() {
    let home = tempfile::tempdir().unwrap();
    let (one, two) = (scenario(home.path()), scenario(&home.path().join("other")));
    edit_plan(&two, |plan| plan.arms.iter_mut().for_each(|arm| arm.scenario = "another".to_owned()));
    let alone = figure(std::slice::from_ref(&one), &[]);
    let both = figure(&[one, two], &[]);
    assert_eq!(both.len(), 8);
    let looks: BTreeMap<&str, &str> = both.iter().map(|(name, look)| (look.as_str(), name.as_str())).collect();
    assert_eq!(looks.len(), 8, "{both:?}");
    assert!(alone.iter().zip(&both).all(|(alone, both)| alone.1 == both.1), "{alone:?}\n{both:?}");
}

/// Of several quantities in a panel arms differ in colour and marker alone: those that are drawn alike are named.
#[test]
fn arms_that_look_alike_are_named() {
    let home = tempfile::tempdir().unwrap();
    let (runs, to) = (home.path().join("runs"), home.path().join("figures"));
    let y = ["mean_field_sq", "objective"].map(str::to_owned).to_vec();
    let curves = Curves { y, panels: Panels::Together, ..Curves::default() };
    let declared = Some(vec![Figure::new("own", FigureKind::Curves(curves))]);
    let options = ReportOptions { declared, wanted: Wanted::Declared, ..options(&to, &[""; 0]) };
    for count in [20, 22] {
        for number in 0..count {
            let name: &'static str = format!("arm {number}").leak();
            write_run(&runs, &Invented { name, ..ARMS[0] }, 1, 3);
        }
        report(std::slice::from_ref(&runs), &options).unwrap();
        let details = text(&to, "own-details.txt");
        let told = details.contains("drawn alike are arm 0, arm 21.");
        assert_eq!((told, details.contains("drawn alike")), (count > 20, count > 20), "{details}");
    }
}

/// The arms on the page with their colours and dashes.
fn of_page(page: &str) -> BTreeMap<String, (String, Value)> {
    let start = page.find("id=\"data\"").unwrap();
    let json = &page[start + page[start..].find('>').unwrap() + 1..];
    let data: Value = serde_json::Deserializer::from_str(json).into_iter().next().unwrap().unwrap();
    let arms = data["arms"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let looks = data["looks"].as_array().unwrap();
    let look = |arm: &Value| &looks[arm["look"].as_u64().unwrap() as usize % looks.len()];
    arms.iter().map(|arm| (word(&arm["label"]), (word(&look(arm)["color"]), look(arm)["dash"].clone()))).collect()
}

/// In a study whose arms are spread over panels, an arm has its colour in the panels, on the page, and alone with a few
/// others.
#[test]
fn an_arm_of_a_study_keeps_its_colour() {
    let home = tempfile::tempdir().unwrap();
    let study = write_study(home.path(), 2, 20);
    let draw = |name: &str, arms: Vec<String>| {
        let to = home.path().join(name);
        let formats = [Format::Svg, Format::Html];
        let options = ReportOptions { formats: formats.to_vec(), ..options(&to, &arms) };
        report(std::slice::from_ref(&study), &options).unwrap();
        (legend(&text(&to, "objective.svg")), of_page(&text(&to, "report.html")))
    };
    let (in_panels, on_page) = draw("all", Vec::new());
    assert_eq!((in_panels.len(), on_page.len()), (4, 12));
    assert_eq!(on_page.values().map(|look| format!("{look:?}")).collect::<std::collections::BTreeSet<_>>().len(), 12);
    for (label, look) in &in_panels {
        for share in ["100 %", "50 %", "25 %"] {
            let color = &on_page[&format!("{label} / {share}")].0;
            assert!(look.to_lowercase().contains(&color[1..]), "{label} / {share}: {look} and {color}");
        }
    }
    let few: Vec<String> = on_page.keys().rev().step_by(3).cloned().collect();
    let (together, subset) = draw("few", few.clone());
    for (label, look) in &together {
        assert_eq!(subset[label], on_page[label]);
        assert!(look.to_lowercase().contains(&on_page[label].0[1..]), "{label}");
    }
    // Nine of the twelve are still spread over panels, by the same axis and in the same looks.
    let most: Vec<String> = on_page.keys().filter(|name| !name.starts_with("none")).cloned().collect();
    let (rest, subset) = draw("most", most.clone());
    assert_eq!(rest.len(), 3);
    assert!(rest.iter().all(|entry| in_panels.contains(entry)), "{rest:?}\n{in_panels:?}");
    assert!(most.iter().all(|name| subset[name] == on_page[name]));
}

/// The colours of the parts of a figure of bars.
fn swatches(svg: &str) -> BTreeMap<String, String> {
    let words = |part: &str| {
        let text = part.split("<text ").nth(1).unwrap();
        text[text.find('>').unwrap() + 1..text.find("</text>").unwrap()].to_owned()
    };
    let fill = |part: &str| part.split("fill=\"").nth(1).unwrap()[..7].to_owned();
    svg.split("<g class=\"legend\"").skip(1).map(|part| (words(part), fill(part))).collect()
}

/// What bits are sent for has one colour, whatever else was sent and in whichever figure.
#[test]
fn a_purpose_has_one_colour() {
    let home = tempfile::tempdir().unwrap();
    let (linked, plain) = (home.path().join("linked-runs"), home.path().join("plain"));
    common::write_links(&linked);
    write_run(&plain, &ARMS[0], 1, 12);
    let draw = |runs: &Path, name: &str| {
        let to = home.path().join("to");
        report(&[runs.to_path_buf()], &options(&to, &[""; 0])).unwrap();
        swatches(&text(&to, &format!("{name}.svg")))
    };
    let (links, ledger) = (draw(&linked, "links"), draw(&plain, "ledger"));
    assert_eq!(links["update up"], "#0072b2");
    assert_eq!(links["update up"], ledger["update up"]);
    assert_eq!(ledger["update up, lost"], ledger["update up"]);
    assert_eq!(ledger["broadcast down"], "#d55e00");
    let known: std::collections::BTreeSet<&String> =
        ["update up", "broadcast down", "initial up"].map(|kind| &ledger[kind]).into();
    assert_eq!(known.len(), 3);
}
