//! Every kind of figure at two venues, as it was looked at: `golden/VENUE/KIND.svg`, without font and metadata.
//! UPDATE_GOLDEN=1 writes them anew. At every venue all texts are checked, too: none is clipped, none meets another, all
//! characters are in the font.

use crate::common::{self, ARMS, Run, read, structure, text, write_run, write_study};
use crate::texts::{characters, check_texts};
use fedbits_reports::declare::{ArmsPanel, Curves, Figure, FigureKind, Panels, ShownArm};
use fedbits_reports::{Format, ReportOptions, Style, Wanted, XAxis, report};
use std::path::{Path, PathBuf};

/// The kinds, with the file that shows each.
const KINDS: [(&str, &str); 23] = [
    ("convergence", "mean_field_sq"),
    ("convergence-single", "objective-bits_up"),
    ("noise", "field_sq"),
    ("weights", "weights"),
    ("ledger", "ledger"),
    ("round", "round-no-compression"),
    ("round-agents", "round-dithering--s---4"),
    ("topology", "topology"),
    ("declared", "declared"),
    ("predictive-check", "vpc"),
    ("pareto", "pareto"),
    ("trend", "trend"),
    ("facets", "mean_field_sq-bits_total"),
    ("heat", "heat-mean_field_sq_0.001"),
    ("cost", "cost"),
    ("forest", "forest"),
    ("reach", "reach-time_s"),
    ("trade-off", "trade_off"),
    ("ecdf", "ecdf"),
    ("participation", "participation"),
    ("mixture", "mixture"),
    ("marginals", "mixture-marginals"),
    ("race", "race"),
];

/// The venues of which the drawings are kept: one column, and a page.
const GOLDEN: [Style; 2] = [Style::Icml, Style::Neurips];

/// Panels of quantities of their own.
fn declared() -> Figure {
    let name = |text: &str| text.to_owned();
    let panel = |arm: &str, y: &[&str]| ArmsPanel {
        heading: name(arm),
        arms: vec![ShownArm::Arm(name(arm))],
        y: y.iter().map(|y| name(y)).collect(),
    };
    let all = |y: &str| ArmsPanel {
        heading: name("all"),
        arms: ARMS[..3].iter().map(|arm| ShownArm::Arm(name(arm.name))).collect(),
        y: vec![name(y)],
    };
    let curves = Curves {
        x: vec![XAxis::Rounds],
        panels: Panels::Split(vec![
            panel(ARMS[0].name, &["theta.weight_*"]),
            panel(ARMS[0].name, &["objective"]),
            all("objective"),
        ]),
        ..Curves::default()
    };
    Figure::new(&name("declared"), FigureKind::Curves(curves))
}

/// The files of all kinds, for a venue.
pub fn every_kind(home: &Path, style: Style, formats: &[Format]) -> Vec<(&'static str, PathBuf)> {
    let [runs, birds, study, to] = ["runs", "birds", "studies", style.name()].map(|name| home.join(name));
    if !runs.exists() {
        let records: Vec<Run> = ARMS[..3].iter().map(|arm| write_run(&runs, arm, 1, 24)).collect();
        (2..=3).for_each(|seed| drop(write_run(&runs, &ARMS[0], seed, 24)));
        common::add_network(&records[0]);
        common::add_link_times(&records[0]);
        common::add_data_and_map(&records[0]);
        // The simulated ranges of the second arm leave the frame.
        common::add_check(&records[0], 0.1, "first dose");
        common::add_check(&records[1], 0.9, "first dose");
        (0..2).for_each(|arm| common::add_trace(&records[arm], arm == 1));
        (0..2).for_each(|arm| common::add_clients(&records[arm], 1.0 + arm as f64));
        (0..2).for_each(|arm| common::add_model(&records[arm], 0.1 + 0.3 * arm as f64));
        common::write_trend(&birds, 24);
        write_study(&study, 5, 300);
        common::write_search(&home.join("race"), common::race());
    }
    let options = |to: PathBuf| ReportOptions::new(style, formats, to);
    let single = Figure { name: "objective-bits_up".to_owned(), ..common::objective(&[XAxis::BitsUp]) };
    report(&[runs], &ReportOptions { declared: Some(vec![single]), ..options(to.clone()) }).unwrap();
    let declared = ReportOptions { wanted: Wanted::Declared, declared: Some(vec![declared()]), ..options(to.clone()) };
    report(&[home.join("runs")], &declared).unwrap();
    report(&[birds], &options(to.join("birds"))).unwrap();
    report(&[study.join("study")], &options(to.join("study"))).unwrap();
    let wanted = Wanted::Named(vec!["race".to_owned()]);
    report(&[home.join("race/study")], &ReportOptions { wanted, ..options(to.join("race")) }).unwrap();
    let folder = |kind: &str| match kind {
        "trend" => to.join("birds"),
        "facets" | "heat" | "cost" | "pareto" | "forest" | "reach" | "trade-off" => to.join("study"),
        "race" => to.join("race"),
        _ => to.clone(),
    };
    KINDS.map(|(kind, name)| (kind, folder(kind).join(name))).into()
}

#[test]
fn every_kind_at_every_venue() {
    let home = tempfile::tempdir().unwrap();
    let font =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/fonts/figure-Regular.otf")).unwrap();
    let face = ttf_parser::Face::parse(&font, 0).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/tests/report/golden");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differing = Vec::new();
    for style in Style::ALL {
        for (kind, path) in every_kind(home.path(), style, &[Format::Svg]) {
            let path = path.with_file_name(format!("{}.svg", path.file_name().unwrap().to_string_lossy()));
            check_texts(&path);
            let svg = std::fs::read_to_string(&path).unwrap();
            for character in characters(&svg) {
                assert!(face.glyph_index(character).is_some(), "{}: the font lacks `{character}`", path.display());
            }
            if !GOLDEN.contains(&style) {
                continue;
            }
            let drawn = common::without(&structure(&svg), "metadata");
            let (folder, file) = (golden.join(style.name()), format!("{kind}.svg"));
            if update {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join(&file), drawn).unwrap();
            } else if !folder.join(&file).is_file() || text(&folder, &file) != drawn {
                differing.push(format!("{}/{file}", style.name()));
            }
        }
    }
    assert!(differing.is_empty(), "not as in golden/ (UPDATE_GOLDEN=1 writes them anew): {differing:?}");
}

/// The same runs give the same bytes, for every kind: two homes, two reports. (PNG and the page: `origin.rs`.)
#[test]
fn every_kind_has_the_same_bytes_twice() {
    let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let made =
        homes.each_ref().map(|home| every_kind(home.path(), Style::Ieee, &[Format::Svg, Format::Pdf, Format::Tex]));
    for ((kind, first), (_, second)) in made[0].iter().zip(&made[1]) {
        for ending in ["svg", "pdf", "tex", "txt"] {
            let file = format!("{}.{ending}", first.file_name().unwrap().to_string_lossy());
            assert!(read(first.parent().unwrap(), &file) == read(second.parent().unwrap(), &file), "{kind}: {file}");
        }
    }
}
