//! The interactive page, in a browser without a network: it loads without a complaint, values appear under the mouse, axes switch,
//! arms come and go; without scripts the figures are there.

use crate::browser::Browser;
use crate::common::{study, text, write_study};
use fedbits_reports::{Format, ReportOptions, Style, report};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn page(runs: &Path, to: &Path) -> PathBuf {
    report(&[runs.to_path_buf()], &ReportOptions::new(Style::Neurips, &[Format::Html], to.to_path_buf())).unwrap();
    to.join("report.html")
}

/// Middle of an element.
fn place(browser: &mut Browser, element: &str) -> (f64, f64) {
    let script = format!(
        "(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); \
         return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
    );
    let place = browser.value(&script);
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

fn click(browser: &mut Browser, element: &str) {
    let (x, y) = place(browser, element);
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
    let (x, y) = place(&mut browser, "document.querySelector('#plot .u-over')");
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
    let (x, y) = place(&mut browser, "document.querySelector('#plot .u-over')");
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
    let (x, y) = place(&mut browser, "document.querySelector('#bars .parts span')");
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
        let asked = json!({"nodeId": root, "selector": format!("noscript #{figure} svg")});
        let node = browser.call("DOM.querySelector", asked)["nodeId"].clone();
        let shape = browser.call("DOM.getBoxModel", json!({"nodeId": node}));
        assert!(shape["model"]["width"].as_f64().unwrap() > 300.0, "{figure}: {shape}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
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
