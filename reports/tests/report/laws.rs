//! What holds for every figure at every venue, whatever the runs are: nothing leaves the page, no text meets another or
//! what is drawn, no figure is higher than its page, every line is in the legend.

use crate::common::{self, Invented, write_run, write_study};
use crate::skips::{Lacks, skipped};
use crate::texts::{TextBox, check_texts};
use fedbits_record::results::RunPlan;
use fedbits_record::{TopologyLink, TopologyRows, TopologySite};
use fedbits_reports::declare::{Curves, Figure, FigureKind, Heat, Limits, Target, TradeOff};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, report};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// What a page of the venue leaves for a figure, in points: the text's height without a caption of eight lines; a slide
/// of 16:9.
fn tallest(style: Style) -> f64 {
    match style {
        Style::Neurips | Style::Icml | Style::IcmlWide => 552.0,
        Style::Ieee | Style::IeeeWide => 570.0,
        Style::Jmlr => 516.0,
        Style::Slides => 405.0,
    }
}

/// How far the ink of words may reach beyond the paper under them, in heights of it: a `j` begins left of its place.
const HAIR: f64 = 0.15;

/// Something drawn: its class, its box in points, and the pieces of a line.
struct Mark {
    class: String,
    bounds: [f64; 4],
    line: Vec<[(f64, f64); 2]>,
    look: String,
}

/// The value of an attribute in points, or as it stands.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    element.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next())
}

fn number(element: &str, name: &str) -> f64 {
    attribute(element, name).and_then(|value| value.parse::<f64>().ok()).unwrap_or(f64::NAN) / 100.0
}

/// Everything drawn in groups with a class.
fn marks(svg: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    for group in svg.split("<g class=\"").skip(1) {
        let (head, body) = group.split_once('>').unwrap();
        let class = head.split('"').next().unwrap().to_owned();
        let dash = attribute(head, "stroke-dasharray").unwrap_or("");
        for element in body.split("</g>").next().unwrap().lines().filter(|line| line.starts_with('<')) {
            let color = [attribute(element, "stroke"), attribute(element, "fill")].map(Option::unwrap_or_default);
            let look = format!("{} {dash}", color[0]);
            let points: Vec<(f64, f64)> = attribute(element, "points").map_or_else(Vec::new, |points| {
                let point =
                    |pair: &str| pair.split_once(',').map(|(x, y)| [x, y].map(|at| at.parse::<f64>().unwrap() / 100.0));
                points.split(' ').filter_map(point).map(|[x, y]| (x, y)).collect()
            });
            let bounds = if element.starts_with("<circle") {
                let [x, y, r] = ["cx", "cy", "r"].map(|name| number(element, name));
                [x - r, y - r, x + r, y + r]
            } else if element.starts_with("<rect") {
                let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(element, name));
                [x, y, x + width, y + height]
            } else {
                let range = |of: fn(&(f64, f64)) -> f64| {
                    points.iter().map(of).fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)))
                };
                let ((left, right), (top, bottom)) = (range(|point| point.0), range(|point| point.1));
                [left, top, right, bottom]
            };
            assert!(bounds.iter().all(|at| at.is_finite()), "{element}");
            marks.push(Mark {
                class: class.clone(),
                bounds,
                line: points.windows(2).map(|w| [w[0], w[1]]).collect(),
                look,
            });
        }
    }
    marks
}

/// Whether a piece of a line goes through a box: sampled every tenth of a point.
fn passes(&[(x, y), (to_x, to_y)]: &[(f64, f64); 2], text: &TextBox) -> bool {
    if !text.meets([x.min(to_x), y.min(to_y), x.max(to_x), y.max(to_y)]) {
        return false;
    }
    let steps = (10.0 * ((to_x - x).abs() + (to_y - y).abs())).ceil().max(1.0) as usize;
    (0..=steps).any(|step| {
        let share = step as f64 / steps as f64;
        text.holds(x + share * (to_x - x), y + share * (to_y - y))
    })
}

/// Checks a figure of lines.
fn check(path: &Path, style: Style) {
    let marks = check_places(path, style);
    let looks = |class: &str| {
        let found = marks.iter().filter(|mark| mark.class == class && !mark.line.is_empty());
        found.map(|mark| mark.look.clone()).collect::<std::collections::BTreeSet<_>>()
    };
    let (lines, legend, shown) = (looks("line"), looks("legend"), path.display());
    assert!(lines.len() < 2 || lines.is_subset(&legend), "{shown}: {lines:?} of {legend:?}");
}

/// Where everything stands in a figure; what is drawn in it.
fn check_places(path: &Path, style: Style) -> Vec<Mark> {
    let texts = check_texts(path);
    let svg = std::fs::read_to_string(path).unwrap();
    let shown = path.display();
    let size = |name: &str| attribute(&svg[..300], name).unwrap().trim_end_matches("pt").parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    assert!(height <= tallest(style), "{shown}: {height} pt of {} pt", tallest(style));
    let marks = marks(&svg);
    let around = |[left, top, right, bottom]: [f64; 4]| {
        let hair = HAIR * (bottom - top);
        [left - hair, top - hair, right + hair, bottom + hair]
    };
    let papers = marks.iter().filter(|mark| mark.class == "paper").map(|mark| around(mark.bounds));
    let papers: Vec<[f64; 4]> = papers.collect();
    for Mark { class, bounds: [left, top, right, bottom], line, .. } in &marks {
        let inside = *left >= -0.01 && *top >= -0.01 && *right <= width + 0.01 && *bottom <= height + 0.01;
        assert!(inside, "{shown}: {class} at {left} {top} {right} {bottom} of {width} {height}");
        // Numbers stand on the cells of heat maps, and beside the quartiles of fronts. Maps have meridians behind their
        // names.
        if ["boxes", "band", "intervals", "rule", "axes", "paper", "points", "dots"].contains(&class.as_str()) {
            continue;
        }
        // Names of a map may stand on its links where they have paper under them.
        let is_covered = |text: &&TextBox| class == "line" && papers.iter().any(|paper| text.is_inside(*paper));
        for text in texts.iter().filter(|text| !is_covered(text)) {
            let meets = match line.is_empty() {
                true => text.meets([*left, *top, *right, *bottom]),
                false => line.iter().any(|piece| passes(piece, text)),
            };
            assert!(!meets, "{shown}: `{}` is on {class} at {left} {top} {right} {bottom}", text.words);
        }
    }
    marks
}

/// An arm with a name of any length.
fn arm() -> impl Strategy<Value = (String, f64, u64, f64)> {
    (
        prop_oneof!["[a-z]{1,6}", "[A-Za-z0-9 ,=/<&]{1,60}", "[α-ω一-七]{1,9}"],
        -0.03..-0.0005,
        1_000u64..10_000_000,
        0.001f64..1e4,
    )
}

/// A network: sites, and links between two of them.
fn network() -> impl Strategy<Value = TopologyRows> {
    let site = (-9.0f64..9.0, -9.0f64..9.0, "[A-Za-z]{1,14}", 0u64..4);
    let ends = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1_000u64..1_000_000_000);
    (prop::collection::vec(site, 1..50), prop::collection::vec(ends, 0..120), any::<bool>()).prop_map(
        |(sites, links, in_line)| {
            let count = sites.len();
            let site = |(index, (x, y, name, clients)): (usize, (f64, f64, String, u64))| TopologySite {
                name: format!("{name}-{index}"),
                x,
                y: if in_line { 0.0 } else { y },
                server: index == 0,
                clients,
            };
            let link = |(from, to, capacity_bps): (prop::sample::Index, prop::sample::Index, u64)| TopologyLink {
                from: from.index(count) as u64,
                to: to.index(count) as u64,
                capacity_bps,
                latency_ns: 1_000_000,
            };
            TopologyRows {
                sites: sites.into_iter().enumerate().map(site).collect(),
                links: links.into_iter().map(link).collect(),
            }
        },
    )
}

/// Curves of a part of their axis.
fn declared(rounds: f64, (from, width): (f64, f64)) -> Vec<Figure> {
    let x_limits = Limits { from: Some(from * rounds), to: Some((from + width) * rounds) };
    let curves = |y: &str| Curves { y: vec![y.to_owned()], x: vec![XAxis::Rounds], x_limits, ..Curves::default() };
    let figure = |y: &str| Figure::new(&format!("declared-{y}"), FigureKind::Curves(curves(y)));
    ["mean_field_sq", "objective"].map(figure).to_vec()
}

/// Nineteen arms whose names end so, of hours; their folder.
fn write_arms(home: &Path, words: &str, rounds: u64) -> PathBuf {
    let runs = home.join("runs");
    for index in 0..19 {
        let slope = -0.0013 * f64::from(index) - 0.001;
        let name: &'static str = format!("{index} {words}").leak();
        write_run(&runs, &Invented { name, slope, floor: -6.0, bits_up: 1_000_000, seconds: 4e4 }, 1, rounds);
    }
    runs
}

/// Of a quantity that was measured at the start alone, where bits, epochs and time are 0, points lie in their panels.
#[test]
fn starts_alone_keep_the_laws() {
    let home = tempfile::tempdir().unwrap();
    check_all(&write_arms(home.path(), "arm", 2), home.path());
}

/// Every figure of the runs or the study on a page of two columns, in one of them, and on a slide.
fn check_all(runs: &Path, to: &Path) {
    for style in [Style::Neurips, Style::Ieee, Style::Slides] {
        let options = ReportOptions::new(style, &[Format::Svg], to.join(style.name()));
        let written = report(&[runs.to_path_buf()], &options).unwrap();
        let figures = written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "svg"));
        figures.for_each(|path| check(path, style));
    }
}

/// A legend of names of which each would fill a line leaves the page to the panels.
#[test]
fn many_long_names_keep_the_laws() {
    let home = tempfile::tempdir().unwrap();
    check_all(&write_arms(home.path(), &"Wide, gjpqy ".repeat(5), 147), home.path());
}

/// So do the names of a study's axes.
#[test]
fn long_names_of_axes_keep_the_laws() {
    let home = tempfile::tempdir().unwrap();
    let study = write_study(home.path(), 3, 300);
    let mut plan = RunPlan::read(&study).unwrap();
    for axis in &mut plan.axes {
        axis.name = format!("{} {}", axis.name, "jumping WAX ".repeat(5));
    }
    plan.write(&study).unwrap();
    check_all(&study, &home.path().join("figures"));
}

/// Names of many levels below a frame stand apart, and what many arms without a median have above it stays on the page.
#[test]
fn many_levels_keep_the_laws() {
    for name in [|level: u32| format!("level {level}"), |level: u32| format!("{level}00000000.0")] {
        let home = tempfile::tempdir().unwrap();
        let shares: Vec<(String, f64)> = (0..20).map(|level| (name(level + 1), 0.04 * f64::from(20 - level))).collect();
        let study = common::write_shares(home.path(), (2, 250), &shares);
        let trade_off = |name: &str| {
            let (axis, target) = (Some(name.to_owned()), Some(Target::MeanFieldSq(1e-3)));
            Figure::new(name, FigureKind::TradeOff(TradeOff { axis, target, ..TradeOff::default() }))
        };
        let heat = Figure::new(
            "heat",
            FigureKind::Heat(Heat {
                rows: Some("compressor".to_owned()),
                columns: Some("participation".to_owned()),
                ..Heat::default()
            }),
        );
        let declared = vec![trade_off("participation"), trade_off("compressor"), heat];
        for style in [Style::Neurips, Style::Icml, Style::Ieee] {
            let options = ReportOptions::new(style, &[Format::Svg], home.path().join(style.name()));
            let options = ReportOptions { declared: Some(declared.clone()), wanted: Wanted::Declared, ..options };
            let written = report(std::slice::from_ref(&study), &options).unwrap();
            let figures = written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "svg"));
            figures.for_each(|path| drop(check_places(path, style)));
        }
    }
}

/// Every figure under the folder FEDBITS_FIGURES, in which the folders of venues are.
#[test]
#[ignore = "figures of the library at every venue, which `.ci/night/figures` makes"]
fn figures_of_a_folder_keep_the_laws() {
    let Some(folder) = std::env::var_os("FEDBITS_FIGURES") else {
        skipped(Lacks::Data, "FEDBITS_FIGURES names no folder");
        return;
    };
    let mut found = Vec::new();
    let mut checked = 0;
    for style in Style::ALL {
        let mut folders = vec![Path::new(&folder).join(style.name())];
        while let Some(current) = folders.pop() {
            for path in std::fs::read_dir(current).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "svg") {
                    checked += 1;
                    found.extend(std::panic::catch_unwind(|| check_places(&path, style)).err().map(|_| path));
                }
            }
        }
    }
    assert!(found.is_empty() && checked > 0, "{} of {checked}: {found:#?}", found.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    /// Up to 20 arms of names in any script, with networks and predictive checks.
    #[test]
    fn figures_keep_the_laws(
        arms in prop::collection::vec((arm(), proptest::option::of(network())), 1..20),
        rounds in 2u64..400,
        replicates in 1u64..3,
        checks in 0usize..20,
        (from, width) in (0.0f64..0.8, 0.05f64..0.5),
    ) {
        let home = tempfile::tempdir().unwrap();
        let runs = home.path().join("runs");
        for (index, ((name, slope, bits_up, seconds), network)) in arms.iter().enumerate() {
            let name: &'static str = format!("{index}{name}").leak();
            let arm = Invented { name, slope: *slope, floor: -6.0, bits_up: *bits_up, seconds: *seconds };
            for seed in 1..=replicates {
                let run = write_run(&runs, &arm, seed, rounds);
                if let Some(network) = network {
                    run.change(|record| record.topology = Some(network.clone()));
                    common::add_link_times(&run);
                    common::add_data_and_map(&run);
                }
                if index < checks && seed == 1 {
                    common::add_check(&run, 0.4, "first dose");
                }
            }
        }
        for style in Style::ALL {
            let to = home.path().join(style.name());
            let options = ReportOptions::new(style, &[Format::Svg], to.clone());
            let mut written = report(std::slice::from_ref(&runs), &options).unwrap();
            let declared = declared(rounds as f64, (from, width));
            let asked = ReportOptions { declared: Some(declared), wanted: Wanted::Declared, ..options };
            written.extend(report(std::slice::from_ref(&runs), &asked).unwrap());
            for path in written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "svg")) {
                check(path, style);
            }
        }
    }
}
