//! The interactive page, in a browser without a network: it loads without a complaint, values appear under the mouse,
//! axes switch, arms come and go; without scripts the figures are there.

use crate::browser::Browser;
use crate::common::{study, text, write_study};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fedbits_reports::{Format, ReportOptions, Style, report};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn page(runs: &Path, to: &Path) -> PathBuf {
    report(&[runs.to_path_buf()], &ReportOptions::new(Style::Neurips, &[Format::Html], to.to_path_buf())).unwrap();
    to.join("report.html")
}

/// Middle of an element.
fn center(browser: &mut Browser, element: &str) -> (f64, f64) {
    let script = format!(
        "(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); \
         return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
    );
    let center = browser.value(&script);
    (center[0].as_f64().unwrap(), center[1].as_f64().unwrap())
}

fn click(browser: &mut Browser, element: &str) {
    let (x, y) = center(browser, element);
    browser.mouse(x, y, true);
}

/// The words of all cells of a column of the table of arms.
fn column(browser: &mut Browser, number: usize) -> Vec<String> {
    let script =
        format!("[...document.querySelectorAll('#arms tbody tr')].map(row => row.cells[{number}].textContent)");
    let cells: Value = browser.value(&script);
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

const CHECKED: &str = "[...document.querySelectorAll('#arms input')].filter(input => input.checked).length";

#[test]
fn the_page_of_a_study_works_offline() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::start(1200, 900) else { return };
    let page = page(&write_study(home.path(), 3, 120), &home.path().join("figures"));
    browser.open(&format!("file://{}", page.display()));
    browser.value("document.fonts.ready.then(() => true)");
    // Of twelve arms those are shown that differ from the baseline on one axis at most: 1 + 3 + 2.
    assert_eq!(browser.value(CHECKED), 6);
    assert_eq!(browser.value("document.querySelectorAll('#plot canvas').length"), 1);
    let before = column(&mut browser, 1);
    let (x, y) = center(&mut browser, "document.querySelector('#plot .u-over')");
    browser.mouse(x, y, false);
    let hovered = column(&mut browser, 1);
    assert_ne!(before, hovered, "values follow the mouse");
    let hint = browser.value("document.getElementById('hint').textContent");
    assert!(hint.as_str().unwrap().starts_with("at bits sent, total (Mbit) = "), "{hint}");
    assert!(
        browser.value("[...document.querySelectorAll('.dot')].filter(dot => !dot.hidden).length").as_u64() >= Some(4)
    );
    // Against rounds the value under the mouse is the median at a recorded round, which the record has every five.
    click(&mut browser, "document.querySelectorAll('#choose-x input')[0]");
    let (x, y) = center(&mut browser, "document.querySelector('#plot .u-over')");
    browser.mouse(x, y, false);
    assert_eq!(browser.value("document.getElementById('head-x').textContent"), "rounds");
    assert!(column(&mut browser, 2).iter().all(|round| round.parse::<u64>().unwrap().is_multiple_of(5)));
    for index in 1..5 {
        click(&mut browser, &format!("document.querySelectorAll('#choose-x input')[{index}]"));
    }
    assert_eq!(browser.value("document.getElementById('head-x').textContent"), "s");
    // An arm goes, all come, a level goes.
    click(&mut browser, "document.querySelectorAll('#arms input')[0]");
    assert_eq!(browser.value(CHECKED), 5);
    click(&mut browser, "document.querySelectorAll('#levels button')[0]");
    assert_eq!(
        (browser.value(CHECKED), browser.value("document.querySelectorAll('#bars .bar').length")),
        (json!(12), json!(12))
    );
    click(&mut browser, "document.querySelectorAll('#levels button')[2]");
    assert_eq!(browser.value(CHECKED), 9);
    // The ledger's bars, read by the mouse.
    let (x, y) = center(&mut browser, "document.querySelector('#bars .parts span')");
    browser.mouse(x, y, false);
    let read = browser.value("document.getElementById('bar-value').textContent");
    assert!(read.as_str().unwrap().contains("Mbit ("), "{read}");
    // Scenario, digests, figures.
    let whole = browser.value("document.body.textContent");
    let whole = whole.as_str().unwrap();
    assert!(whole.contains("Nobody knows <yet> & nobody asks.") && whole.contains("name: \"none / 25 %\""));
    assert_eq!(browser.value("document.querySelectorAll('.digests tr').length"), 1 + 36);
    assert!(browser.value("document.querySelectorAll('figure svg').length").as_u64() >= Some(5));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Where scripts are off, the figures that the script would draw are there.
#[test]
fn the_page_works_without_scripts() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::start(1000, 800) else { return };
    let page = page(&study(home.path()), &home.path().join("figures"));
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(&format!("file://{}", page.display()));
    let root = browser.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
    for figure in ["mean_field_sq", "ledger"] {
        let parameters = json!({"nodeId": root, "selector": format!("noscript #{figure} svg")});
        let node = browser.call("DOM.querySelector", parameters)["nodeId"].clone();
        let shape = browser.call("DOM.getBoxModel", json!({"nodeId": node}));
        assert!(shape["model"]["width"].as_f64().unwrap() > 300.0, "{figure}: {shape}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The page looks as it did when it was looked at: `golden/page.png`, which `UPDATE_GOLDEN=1` writes anew.
#[test]
fn the_page_looks_as_it_did() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::start(1200, 1600) else { return };
    let page = page(&write_study(home.path(), 3, 120), &home.path().join("figures"));
    browser.open(&format!("file://{}", page.display()));
    browser.value("document.fonts.ready.then(() => true)");
    let taken = browser.call("Page.captureScreenshot", json!({"format": "png"}))["data"].clone();
    let taken = taken.as_str().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/golden/page.png");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, STANDARD.decode(taken).unwrap()).unwrap();
    }
    let expected = STANDARD.encode(std::fs::read(&golden).unwrap());
    browser.open("about:blank");
    let differing = browser.value(&format!("({DIFFERENCE})('{taken}', '{expected}')"));
    assert!(differing.as_f64().unwrap() < 0.02, "{differing} of the page differs from {}", golden.display());
}

/// The share of blocks of 20 × 20 pixels whose mean colours differ by more than a sixteenth: letters and lines that
/// another version of the browser draws a little differently do not count, what is missing, elsewhere or of another
/// colour does.
const DIFFERENCE: &str = "async (...codes) => {
    const load = code => new Promise((done, fail) => {
        const image = new Image();
        [image.onload, image.onerror] = [() => done(image), fail];
        image.src = 'data:image/png;base64,' + code;
    });
    const [a, b] = await Promise.all(codes.map(load));
    if (a.width !== b.width || a.height !== b.height) return 1;
    const [width, height] = [a.width / 20, a.height / 20].map(Math.ceil);
    const [first, second] = [a, b].map(image => {
        const canvas = Object.assign(document.createElement('canvas'), {width, height});
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
    });
    let count = 0;
    for (let at = 0; at < first.length; at += 4) {
        count += [0, 1, 2].some(part => Math.abs(first[at + part] - second[at + part]) > 16);
    }
    return count / (width * height);
}";

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
