//! What the page's charts and rounds are saved as: SVG and PDF of what is shown, source for pgfplots, data; and what a
//! declared figure adds to its live charts.

use crate::browser::Browser;
use crate::common::{self, ARMS, add_trace, all_runs, rows, study, text, write_run};
use crate::page::{by_id, click, page, words};
use crate::page_charts::{data, declared_page};
use crate::skips::{Lacks, skipped};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fedbits_reports::declare::{Band, Curves, Figure, FigureKind, Limits, Mark, ShownArm, XAxis};
use fedbits_reports::{Format, ReportOptions, Style, report};
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// What the button with these words below the first chart, or below the round, saves.
pub fn saved(browser: &mut Browser, files: &str, kind: &str) -> Vec<u8> {
    let script = format!(
        "(async () => {{
            const saved = new Promise((done, fail) => {{
                URL.createObjectURL = blob => {{ done(blob); return 'data:,saved'; }};
                window.addEventListener('error', event => fail(event.error));
                window.addEventListener('unhandledrejection', event => fail(event.reason));
            }});
            [...document.querySelectorAll('{files} button')].find(own => own.textContent === '{kind}').click();
            const bytes = new Uint8Array(await (await saved).arrayBuffer());
            return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
        }})()"
    );
    STANDARD.decode(browser.value(&script).as_str().unwrap()).unwrap()
}

pub const CHART: &str = ".one-chart .files";
pub const ROUND: &str = "#round-files";

/// Opens the page of two arms, of which one has a traced round.
fn open(home: &Path, fragment: &str) -> Option<Browser> {
    let runs = study(home);
    add_trace(&all_runs(&runs)[0], false);
    Browser::show(&page(&runs, &home.join("figures")), fragment)
}

/// The SVG is well formed, has the shown arms, labels and lines, in the colours of paper, and no address of anything.
#[test]
fn a_chart_is_saved_as_svg() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = open(home.path(), "#chart=mean_field_sq,bits_up,y&theme=dark&arms=0") else { return };
    let svg = String::from_utf8(saved(&mut browser, CHART, "SVG")).unwrap();
    let strings = browser_strings(&mut browser, &svg, "text");
    for label in [ARMS[0].name, "‖h(Ŝ)‖²", "bits sent, uplink (Mbit)"] {
        assert!(strings.iter().any(|own| own == label), "{label}: {strings:?}");
    }
    assert!(strings.iter().all(|own| own != ARMS[1].name), "{strings:?}");
    assert!(svg.contains("fill=\"#ffffff\"") && svg.contains("#111111") && !svg.contains("href"), "colours of paper");
    let dark = browser.value("getComputedStyle(document.body).backgroundColor");
    assert_eq!(dark, "rgb(22, 22, 22)", "the page stays as it was");
    let round = String::from_utf8(saved(&mut browser, ROUND, "SVG")).unwrap();
    let strings = browser_strings(&mut browser, &round, "text");
    assert!(strings.iter().any(|own| own == "client-12") && strings.iter().any(|own| own == "upload"), "{strings:?}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The texts of all elements of a kind in an SVG, which must be well formed.
pub fn browser_strings(browser: &mut Browser, svg: &str, element: &str) -> Vec<String> {
    let script = format!(
        "(() => {{ const file = new DOMParser().parseFromString({}, 'image/svg+xml'); \
         if (file.querySelector('parsererror')) return file.querySelector('parsererror').textContent; \
         return [...file.querySelectorAll('{element}')].map(own => own.textContent); }})()",
        json!(svg)
    );
    let found = browser.value(&script);
    let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
    found.iter().map(|own| own.as_str().unwrap().to_owned()).collect()
}

/// Poppler reads the PDF: one page of the drawing's size, the font embedded, text that is text, a raised exponent.
#[test]
fn a_chart_is_saved_as_pdf() {
    if Command::new("pdfinfo").arg("-v").output().is_err() {
        skipped(Lacks::Program, "pdfinfo, pdffonts and pdftotext (Debian: poppler-utils) are not installed");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = open(home.path(), "#chart=mean_field_sq,time_s,y") else { return };
    for (files, words) in [(CHART, ARMS[0].name), (ROUND, "client-12")] {
        let pdf = home.path().join("saved.pdf");
        std::fs::write(&pdf, saved(&mut browser, files, "PDF")).unwrap();
        let said = |program: &str, arguments: &[&str]| {
            let to = ["-"].iter().filter(|_| program == "pdftotext");
            let output = Command::new(program).args(arguments).arg(&pdf).args(to).output().unwrap();
            // Poppler says on standard error what it has to repair.
            assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let info = said("pdfinfo", &[]);
        assert!(info.contains("fedbits-report {") && info.contains("Page size:       510 x "), "{info}");
        let fonts = said("pdffonts", &[]);
        assert!(fonts.contains("FedbitsFigure") && fonts.contains("yes no  yes"), "{fonts}");
        let text = said("pdftotext", &["-enc", "UTF-8"]);
        assert!(text.contains(words) && !text.contains("U+"), "{text}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// An arm of one point is a dot on the page and in its files; a name that begins like a formula stands behind an
/// apostrophe; the picture has a legend above what the page shows.
#[test]
fn an_arm_of_one_point_is_seen() {
    let home = tempfile::tempdir().unwrap();
    let (runs, to) = (home.path().join("runs"), home.path().join("figures"));
    write_run(&runs, &ARMS[0], 1, 20);
    write_run(&runs, &ARMS[1], 1, 0);
    let labelled =
        |(arm, label): (usize, &str)| ShownArm::Labelled { arm: ARMS[arm].name.to_owned(), label: label.to_owned() };
    let arms = [(0, "=A1"), (1, "short")].map(labelled).into();
    let declared = Some(vec![Figure { arms, ..common::objective(&[]) }]);
    let options = ReportOptions { declared, ..ReportOptions::new(Style::Neurips, &[Format::Html], to.clone()) };
    report(&[runs], &options).unwrap();
    let Some(mut browser) = Browser::show(&to.join("report.html"), "#chart=mean_field_sq,round,y") else { return };
    let saved_text = |browser: &mut Browser, kind: &str| String::from_utf8(saved(browser, CHART, kind)).unwrap();
    let svg = saved_text(&mut browser, "SVG");
    assert!(svg.contains("fill=\"#D55E00\"") || svg.contains("fill=\"#d55e00\""), "the dot has the colour of the arm");
    let tex = saved_text(&mut browser, "TeX");
    assert!(tex.contains("mark=*]") && tex.matches("mark=*").count() == 1, "{tex}");
    let orange = "all[at] === 213 && all[at + 1] === 94 && all[at + 2] === 0";
    let pixels = "document.querySelector('.plot canvas').getContext('2d').getImageData(0, 0, 1200, 400).data";
    let canvas = browser.value(&format!("[...{pixels}].some((own, at, all) => at % 4 === 0 && {orange})"));
    assert_eq!(canvas, true, "the dot is on the page");
    let height = browser.value("document.querySelector('.plot canvas').height");
    let png = saved(&mut browser, CHART, "PNG");
    let tall = u32::from_be_bytes(png[20..24].try_into().unwrap());
    assert_eq!(json!(tall), json!(height.as_f64().unwrap() as u32 + 18));
    let csv = saved_text(&mut browser, "CSV");
    assert!(csv.contains("\"mean_field_sq\",\"'=A1\","), "{csv}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// LaTeX sets the source with pgfplots; its coordinates are the report's values.
#[test]
fn a_chart_is_saved_as_source_for_pgfplots() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = open(home.path(), "#chart=mean_field_sq,round,y&bands=false") else { return };
    let tex = String::from_utf8(saved(&mut browser, CHART, "TeX")).unwrap();
    let values: Vec<(f64, f64)> = tex
        .split("\\addplot[arm0]")
        .nth(1)
        .unwrap()
        .split('}')
        .next()
        .unwrap()
        .split('(')
        .skip(1)
        .map(|pair| pair.split(')').next().unwrap().split_once(',').unwrap())
        .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
        .collect();
    let table = rows(&text(&home.path().join("figures"), "mean_field_sq.csv"));
    let column = |name: &str| table[0].iter().position(|own| own == name).unwrap();
    let [arm, round, median] = ["arm", "round", "median"].map(column);
    let expected: Vec<&Vec<String>> = table.iter().skip(1).filter(|row| row[arm] == table[1][arm]).collect();
    assert_eq!(values.len(), expected.len(), "60 rounds are apart on 600 columns");
    for ((x, y), row) in values.iter().zip(expected) {
        let value = |column: usize| row[column].parse::<f64>().unwrap();
        assert!(
            (x - value(round)).abs() < 1e-6 * x.abs().max(1.0) && (y - value(median)).abs() < 2e-6 * y.abs(),
            "{row:?}"
        );
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let available = Command::new("kpsewhich").arg("pgfplots.sty").output().is_ok_and(|found| found.status.success());
    if !available {
        skipped(Lacks::Program, "pdflatex with pgfplots (Debian: texlive-pictures) is not installed");
        return;
    }
    let document = format!(
        "\\documentclass{{article}}\\usepackage{{pgfplots}}\\pgfplotsset{{compat=1.16}}\\begin{{document}}\n{tex}\
         \\end{{document}}"
    );
    std::fs::write(home.path().join("chart.tex"), document).unwrap();
    let mut latex = Command::new("pdflatex");
    latex.args(["-interaction=nonstopmode", "-halt-on-error", "chart.tex"]).current_dir(home.path());
    let said = latex.output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
}

/// What is saved of a round are the rows of `trace.csv` that were under way in it.
#[test]
fn the_data_of_a_round_are_those_of_the_trace() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = open(home.path(), "") else { return };
    let saved = String::from_utf8(saved(&mut browser, ROUND, "CSV")).unwrap();
    let saved = rows(&saved);
    let first = all_runs(&home.path().join("runs"))[0].record();
    let trace = rows(&first.table("trace").unwrap().text().unwrap());
    let place = |table: &[Vec<String>], name: &str| table[0].iter().position(|own| own == name).unwrap();
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    let round = trace.iter().find(|row| row[0] == "round").unwrap();
    let (open, length) = (number(&round[place(&trace, "start_s")]), 1.0);
    let expected: Vec<&Vec<String>> = trace.iter().skip(1).filter(|row| row[0] != "round").collect();
    assert_eq!(saved.len() - 1, expected.len());
    for (own, row) in saved.iter().skip(1).zip(expected) {
        for name in ["part", "node", "peer", "purpose"] {
            assert_eq!(own[place(&saved, name)], row[place(&trace, name)], "{name}");
        }
        for name in ["start_s", "end_s"] {
            let since = number(&row[place(&trace, name)]) - open;
            let read = number(&own[place(&saved, name)]);
            assert!((since - read).abs() <= 1e-6 * since.abs().max(length), "{name}: {since} and {read}");
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Limits of the vertical axis, marks, bands and several arms as one, as the figure declares them; intervals of a mean
/// are of single arms.
#[test]
fn the_charts_have_what_the_figure_declares() {
    let home = tempfile::tempdir().unwrap();
    let marks = vec![
        Mark::Value { y: 20.0, label: "a level & more".to_owned() },
        Mark::End { arm: ARMS[1].name.to_owned(), label: String::new() },
        Mark::Slope { arm: ARMS[0].name.to_owned(), decades: None },
    ];
    let both = ARMS[..2].iter().map(|arm| arm.name.to_owned()).collect();
    let group = ShownArm::Group { label: "both as one".to_owned(), arms: both };
    let labelled = ShownArm::Labelled { arm: ARMS[0].name.to_owned(), label: "another name".to_owned() };
    let runs = study(home.path());
    let declared = |band, arms: &[ShownArm]| {
        let (y, x) = (vec!["mean_field_sq".to_owned()], vec![XAxis::Rounds]);
        let y_limits = Limits { from: Some(6.0), to: None };
        let curves = Curves { y, x, y_limits, band, marks: marks.clone(), ..Curves::default() };
        let figure = Figure { arms: arms.to_vec(), ..Figure::new("own", FigureKind::Curves(curves)) };
        declared_page(&runs, &figure, &home.path().join(format!("{band:?}")))
    };
    let mean = declared(Band::Mean95, std::slice::from_ref(&labelled));
    let page = declared(Band::Quartiles, &[group, labelled]);
    for (page, shown) in [(&mean, json!([0])), (&page, json!([0, 2]))] {
        let data = data(page);
        assert_eq!((&data["opening"]["arms"], data["opening"]["charts"].as_array().unwrap().len()), (&shown, 1));
        let drawn = data["quantities"].as_array().unwrap().iter().find(|own| own["rules"].is_array()).unwrap();
        assert_eq!(["rules", "slopes"].map(|kind| drawn[kind].as_array().unwrap().len()), [2, 1]);
    }
    let Some(mut browser) = Browser::show(&mean, "") else { return };
    assert!(words(&mut browser, "live").contains("95 % intervals"));
    browser.open(&page, "");
    let shown = "[...document.querySelectorAll('#arms [data-arm]')].map(row => [\
        row.querySelector('label').textContent, \
        row.querySelector('input[type=checkbox]').checked, row.cells[1].textContent])";
    let expected = json!([["another name", true, "3"], [ARMS[1].name, false, "3"], ["both as one", true, "6"]]);
    assert_eq!(browser.value(shown), expected);
    let whole = words(&mut browser, "live");
    assert!(whole.contains("quartiles") && whole.contains("Values go on below the frame"), "{whole}");
    let texts = |browser: &mut Browser| {
        let svg = String::from_utf8(saved(browser, CHART, "SVG")).unwrap();
        browser_strings(browser, &svg, "text")
    };
    let marks =
        ["a level & more".to_owned(), format!("end of {}", ARMS[1].name), format!("{}, fitted slope", ARMS[0].name)];
    let with = texts(&mut browser);
    assert!(marks.iter().all(|mark| with.contains(mark)), "{with:?}");
    let tex = String::from_utf8(saved(&mut browser, CHART, "TeX")).unwrap();
    assert!(tex.contains("a level \\& more") && tex.contains("ymin=6,"), "{tex}");
    click(&mut browser, &by_id("marks"));
    click(&mut browser, &by_id("reset-zoom"));
    let without = texts(&mut browser);
    assert!(marks.iter().all(|mark| !without.contains(mark)), "{without:?}");
    let hash = browser.value("new Promise(done => setTimeout(() => done(location.hash), 400))");
    assert_eq!(hash, "#chart=mean_field_sq,round,y&marks=false");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Parts of the ledger's bars are hatched as in the figure, and printed so.
#[test]
fn the_ledger_is_hatched() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = open(home.path(), "") else { return };
    let looks = "[...document.querySelectorAll('#bars .keys i')].map(own => { const style = getComputedStyle(own); \
        return [(style.backgroundImage.match(/repeating-linear-gradient/g) || []).length, style.printColorAdjust]; })";
    let looks = browser.value(looks);
    let looks = looks.as_array().unwrap();
    let hatched = looks.iter().filter(|own| own[0].as_u64() > Some(0)).count();
    assert!(hatched > 0 && hatched < looks.len(), "some are hatched, one is plain: {looks:?}");
    assert!(looks.iter().all(|own| own[1] == "exact"), "{looks:?}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
