//! The page as a file: what it holds, how its texts are escaped, and that it is the same for the same runs.

use crate::common::{ARMS, Invented, add_trace, all_runs, objective, read, study, text, write_run, write_study};
use crate::declared::{figure, options};
use fedbits_record::results::Results;
use fedbits_reports::compare::{Measure, Quantity, Samples, block};
use fedbits_reports::declare::{Curves, Figure, FigureKind, ShownArm};
use fedbits_reports::{FigureVerdict, Format, ReportOptions, Style, report, verify};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub fn page(runs: &Path, to: &Path) -> PathBuf {
    report(&[runs.to_path_buf()], &ReportOptions::new(Style::Neurips, &[Format::Html], to.to_path_buf())).unwrap();
    to.join("report.html")
}

/// The page of some runs with a declared figure alone.
pub fn declared_page(runs: &Path, figure: &Figure, to: &Path) -> PathBuf {
    let options = ReportOptions { formats: vec![Format::Html], ..options(figure, to) };
    report(&[runs.to_path_buf()], &options).unwrap();
    to.join("report.html")
}

/// The numbers of the chart.
pub fn data(page: &Path) -> Value {
    let text = std::fs::read_to_string(page).unwrap();
    let start = text.split_once("<script type=\"application/json\" id=\"data\">").unwrap().1;
    serde_json::from_str(start.split_once("</script>").unwrap().0).unwrap()
}

/// What stands between two words, for each time that the first is there.
fn between<'a>(text: &'a str, start: &'a str, end: &'a str) -> Vec<&'a str> {
    text.split(start).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0)).collect()
}

/// The page needs nothing but itself: no address of anything else, and a policy that forbids it.
#[test]
fn the_page_holds_everything() {
    let home = tempfile::tempdir().unwrap();
    page(&study(home.path()), home.path());
    let page = text(home.path(), "report.html");
    assert!(page.contains("default-src 'none'") && page.contains("Copyright (c) 2022 Leon Sorokin"));
    for address in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!page.contains(address), "{address}");
    }
}

/// Texts of scenarios and names of arms are texts, whatever they hold.
#[test]
fn texts_are_escaped() {
    let home = tempfile::tempdir().unwrap();
    let name = "<script>alert(1)</script> & \"</style>\"";
    write_run(&home.path().join("runs"), &Invented { name, ..ARMS[0] }, 1, 20);
    page(&home.path().join("runs"), home.path());
    let page = text(home.path(), "report.html");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; "));
    assert!(!page.contains("<script>alert") && page.matches("</style>").count() == 1, "no name is an element");
    assert_eq!(data(&home.path().join("report.html"))["arms"][0]["label"], name);
}

/// The same folder gives the same bytes, wherever the page lies.
#[test]
fn the_page_is_the_same_for_the_same_runs() {
    let home = tempfile::tempdir().unwrap();
    let study = write_study(home.path(), 2, 40);
    let pages = ["one", "two"].map(|name| std::fs::read(page(&study, &home.path().join(name))).unwrap());
    assert!(pages[0] == pages[1]);
}

/// Every file that the page leads to stands beside it.
#[test]
fn the_page_leads_to_files_that_are_there() {
    let home = tempfile::tempdir().unwrap();
    let formats = [Format::Svg, Format::Tex, Format::Html];
    let options = ReportOptions::new(Style::Icml, &formats, home.path().to_path_buf());
    report(&[study(home.path())], &options).unwrap();
    let page = text(home.path(), "report.html");
    let links = between(&page, "class=\"button\" href=\"", "\"");
    assert!(links.contains(&"ledger.tex") && links.contains(&"mean_field_sq.csv"));
    links.into_iter().for_each(|link| assert!(home.path().join(link).is_file(), "{link}"));
    let verdict = verify(&home.path().join("report.html"), &[home.path().join("runs")]).unwrap();
    assert_eq!(verdict, FigureVerdict::Same(6));
}

/// Every figure of the report is on the page as it is in its file, in the order of the report.
#[test]
fn figures_are_as_in_print() {
    let home = tempfile::tempdir().unwrap();
    let formats = [Format::Svg, Format::Html];
    let options = ReportOptions::new(Style::Icml, &formats, home.path().to_path_buf());
    let written = report(&[study(home.path())], &options).unwrap();
    let page = text(home.path(), "report.html");
    let drawn: Vec<&str> = between(&page, "<div class=\"paper\"", "</svg>");
    let files: Vec<&PathBuf> =
        written.iter().filter(|path| path.extension().is_some_and(|ending| ending == "svg")).collect();
    assert!(files.len() > 4 && drawn.len() == files.len(), "{} of {}", drawn.len(), files.len());
    for (drawing, file) in drawn.iter().zip(files) {
        let file = std::fs::read_to_string(file).unwrap();
        let paths = |svg: &str| between(svg, " d=\"", "\"").concat() + &between(svg, "points=\"", "\"").concat();
        assert!(!paths(drawing).is_empty() && paths(drawing) == paths(&file));
    }
}

/// Traced rounds are drawn, once, also where no figure of them is asked for.
#[test]
fn traced_rounds_are_drawn() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    add_trace(&all_runs(&runs)[0], false);
    let curves = FigureKind::Curves(Curves { y: vec!["objective".to_owned()], ..Curves::default() });
    let figures = |kind: FigureKind| {
        declared_page(&runs, &Figure::new("own", kind), &home.path().join("figures"));
        let page = text(&home.path().join("figures"), "report.html");
        between(&page, "<figure id=\"", "\"").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(figures(curves), ["figure-own", "figure-round"]);
    assert_eq!(figures(FigureKind::Named("round".to_owned())), ["figure-own"]);
}

/// The table of the arms has the numbers of `compare`.
#[test]
fn the_table_of_the_arms_says_what_compare_says() {
    let home = tempfile::tempdir().unwrap();
    let study = write_study(home.path(), 5, 300);
    page(&study, home.path());
    let page = text(home.path(), "report.html");
    let table = between(&page, "<table class=\"arms\">", "</table>")[0];
    let heads = between(table, "<th>", "</th>");
    assert_eq!(heads[..3], ["arm", "runs", "reached"], "{heads:?}");
    assert!(heads[3].ends_with("(Mbit)") && heads[4].ends_with("(s)"), "{heads:?}");
    let samples = Samples::of_folder(&Results::open(&study).unwrap(), &[]).unwrap();
    let target = Some(samples.targets.len() - 1);
    let [bits, time] = [Quantity::BitsTotal, Quantity::Time].map(|what| block(&samples, Measure { target, what }));
    let rows: Vec<&str> = table.split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), samples.arms.len());
    let mut missed = 0;
    for (number, row) in rows.iter().enumerate() {
        let cells = between(row, "<td>", "</td>");
        assert_eq!(between(row, "<th scope=\"row\">", "</th>"), [samples.arms[number].name.as_str()]);
        let arm = &bits.arms[number];
        assert_eq!(cells[..2], ["5".to_owned(), format!("{}/{}", arm.reached, arm.runs)]);
        for (cell, median, unit) in [(cells[2], arm.median, 1e6), (cells[3], time.arms[number].median, 1.0)] {
            match median.map(|median| median / unit) {
                None => assert_eq!(cell, "–"),
                Some(median) => {
                    let shown: f64 = cell.parse().unwrap();
                    assert!((shown - median).abs() <= 0.005 * median, "{cell}: {median}");
                }
            }
            missed += usize::from(median.is_none());
        }
    }
    assert!(missed > 0 && missed < 2 * rows.len(), "some arms reach the target, and some do not");
}

/// Figures may be called as parts of the page are: every id is there once, and every label has its control.
#[test]
fn no_id_stands_twice() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    for name in ["data", "chart", "plot", "figures", "legend", "runs"] {
        let curves = Curves { y: vec!["objective".to_owned()], ..Curves::default() };
        let declared = Figure::new(name, FigureKind::Curves(curves));
        let page = std::fs::read_to_string(declared_page(&runs, &declared, &home.path().join("figures"))).unwrap();
        let mut ids = BTreeSet::new();
        between(&page, " id=\"", "\"").into_iter().for_each(|id| assert!(ids.insert(id), "{id} twice"));
        assert!(ids.contains(format!("figure-{name}").as_str()), "{ids:?}");
    }
}

/// Of few arms all are shown at first; of many those of the declared figure, or the best and the baseline.
#[test]
fn few_arms_are_shown_at_first() {
    let home = tempfile::tempdir().unwrap();
    let shown = |page: &Path| {
        let data = data(page);
        let names = data["shown"].as_array().unwrap().iter().map(|arm| &data["arms"][arm.as_u64().unwrap() as usize]);
        names.map(|arm| arm["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&page(&study(home.path()), &home.path().join("few"))), [ARMS[0].name, ARMS[1].name]);
    let study = write_study(home.path(), 3, 300);
    let first = shown(&page(&study, &home.path().join("best")));
    assert!(first.len() < 4 && first[0] == "none / 100 %", "{first:?}");
    let text = text(&home.path().join("best"), "report.html");
    let finding = between(&text, "<p id=\"finding\">", "</p>")[0];
    assert!(first.iter().all(|name| finding.contains(name.as_str())), "{finding}: {first:?}");
    let two = ["none / 25 %", "rand-k, k = d/8 / 50 %"];
    let arms = two.map(|name| ShownArm::Arm(name.to_owned()));
    let declared = figure(Curves { y: vec!["mean_field_sq".to_owned()], ..Curves::default() }, &arms);
    assert_eq!(shown(&declared_page(&study, &declared, &home.path().join("declared"))), two);
}

/// Many long lines are thinned until the page is at most 3 MB, and it says so; the ends of lines stay.
#[test]
fn a_large_page_is_thinned() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    for number in 0..40 {
        let name: &'static str = Box::leak(format!("arm {number}").into_boxed_str());
        write_run(&runs, &Invented { name, bits_up: 41_000 + number, ..ARMS[2] }, 1, 4_000);
    }
    let options = ReportOptions {
        declared: Some(vec![objective(&[])]),
        ..ReportOptions::new(Style::Icml, &[Format::Html], home.path().to_path_buf())
    };
    report(&[runs], &options).unwrap();
    let (size, data) = (read(home.path(), "report.html").len(), data(&home.path().join("report.html")));
    assert!((1_500_000..=3_000_000).contains(&size), "{size}");
    assert!(data["thinned"].as_u64() > Some(20), "{}", data["thinned"]);
    let small = home.path().join("small");
    assert_eq!(self::data(&page(&study(&small), &small))["thinned"], Value::Null);
}
