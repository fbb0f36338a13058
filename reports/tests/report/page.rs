//! The interactive page, in a browser without a network: it loads without a complaint, values appear under the mouse,
//! axes switch, arms come and go; without scripts the figures are there.

use crate::browser::Browser;
use crate::common::{ARMS, rows, study, text, write_run, write_study};
use fedbits_reports::declare::{Curves, Figure, FigureKind, Limits, Scale, ShownArm, XAxis};
use fedbits_reports::{FigureVerdict, Format, ReportOptions, Style, Wanted, report, verify};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub fn page(runs: &Path, to: &Path) -> PathBuf {
    report(&[runs.to_path_buf()], &ReportOptions::new(Style::Neurips, &[Format::Html], to.to_path_buf())).unwrap();
    to.join("report.html")
}

/// Middle of an element.
pub fn center(browser: &mut Browser, element: &str) -> (f64, f64) {
    let script = format!(
        "(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); \
         return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
    );
    let center = browser.value(&script);
    (center[0].as_f64().unwrap(), center[1].as_f64().unwrap())
}

pub fn click(browser: &mut Browser, element: &str) {
    let (x, y) = center(browser, element);
    browser.mouse(x, y, true);
}

/// Chooses a value of a list.
pub fn choose(browser: &mut Browser, list: &str, value: &str) {
    browser.value(&format!(
        "(() => {{ const list = document.getElementById('{list}'); list.value = '{value}'; \
         list.dispatchEvent(new Event('change')); }})()"
    ));
}

pub fn by_id(id: &str) -> String {
    format!("document.getElementById('{id}')")
}

/// The words of all cells of a column of the table of arms.
fn column(browser: &mut Browser, number: usize) -> Vec<String> {
    // What follows the mouse is shown with the next frame.
    browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    let script = format!(
        "[...document.querySelectorAll('#arms tbody tr[data-arm]')].map(row => row.cells[{number}].textContent)"
    );
    let cells: Value = browser.value(&script);
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

pub fn words(browser: &mut Browser, id: &str) -> String {
    browser.value(&format!("document.getElementById('{id}').textContent")).as_str().unwrap().to_owned()
}

/// The page of the invented study of twelve arms.
fn study_page(home: &Path) -> PathBuf {
    page(&write_study(home, 3, 120), &home.join("figures"))
}

/// Widths of windows, and whether the system prefers dark pages.
pub const SCREENS: [(u32, bool); 6] =
    [(390, false), (390, true), (768, false), (768, true), (1440, false), (1440, true)];
/// Faults of the page's layout, in words.
pub const LAYOUT: &str = include_str!("layout.js");
const CHECKED: &str = "[...document.querySelectorAll('#arms [data-arm] input')].filter(input => input.checked).length";
pub const PLOT: &str = "document.querySelector('#plot-0 .u-over')";

#[test]
fn the_page_of_a_study_works_offline() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&study_page(home.path()), "") else { return };
    // Of twelve arms those are shown that differ from the baseline on one axis at most: 1 + 3 + 2.
    assert_eq!(browser.value(CHECKED), 6);
    let before = column(&mut browser, 2);
    let (x, y) = center(&mut browser, PLOT);
    browser.mouse(x, y, false);
    assert_ne!(before, column(&mut browser, 2), "values follow the mouse");
    let hint = words(&mut browser, "hint");
    assert!(hint.starts_with("at bits sent, total (Mbit) = "), "{hint}");
    // Against rounds the value under the mouse is the median at a recorded round, which the record has every five.
    choose(&mut browser, "x-0", "0");
    let (x, y) = center(&mut browser, PLOT);
    browser.mouse(x, y, false);
    assert!(column(&mut browser, 3).iter().all(|round| round.parse::<u64>().unwrap().is_multiple_of(5)));
    for (axis, unit) in [("1", "epochs"), ("2", "Mbit"), ("3", "Mbit"), ("4", "s")] {
        choose(&mut browser, "x-0", axis);
        assert_eq!(words(&mut browser, "sort-x0"), unit);
    }
    // An arm goes, all come, a level goes.
    click(&mut browser, &by_id("show-0"));
    assert_eq!(browser.value(CHECKED), 5);
    click(&mut browser, &by_id("show-found"));
    let bars = "document.querySelectorAll('#bars .bar:not([hidden])').length";
    assert_eq!((browser.value(CHECKED), browser.value(bars)), (json!(12), json!(12)));
    choose(&mut browser, "group", "0");
    click(&mut browser, &by_id("level-1"));
    assert_eq!(browser.value(CHECKED), 9);
    // The ledger's bars, read by the mouse.
    let (x, y) = center(&mut browser, "document.querySelector('#bars .parts span')");
    browser.mouse(x, y, false);
    let read = words(&mut browser, "bar-value");
    assert!(read.contains("Mbit ("), "{read}");
    // Scenario, digests, figures.
    let whole = browser.value("document.body.textContent");
    let whole = whole.as_str().unwrap();
    assert!(whole.contains("Nobody knows <yet> & nobody asks.") && whole.contains("name: \"none / 25 %\""));
    assert_eq!(browser.value("document.querySelectorAll('.digests tr').length"), 1 + 36);
    assert!(browser.value("document.querySelectorAll('figure svg').length").as_u64() >= Some(5));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What was chosen stands in the address, and the address brings it back: charts, arms, a range brushed over, sorting,
/// grouping, smoothing and colours.
#[test]
fn the_address_keeps_what_is_shown() {
    let home = tempfile::tempdir().unwrap();
    let page = study_page(home.path());
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let hash = |browser: &mut Browser| {
        let hash = browser.value("new Promise(done => setTimeout(() => done(location.hash), 400))");
        hash.as_str().unwrap().to_owned()
    };
    assert_eq!(hash(&mut browser), "", "the first state has no address of its own");
    click(&mut browser, &by_id("show-0"));
    click(&mut browser, &by_id("pin-3"));
    click(&mut browser, &by_id("sort-y0"));
    click(&mut browser, &by_id("sort-y0"));
    click(&mut browser, &by_id("add-chart"));
    choose(&mut browser, "x-1", "4");
    choose(&mut browser, "group", "1");
    choose(&mut browser, "smooth", "5");
    choose(&mut browser, "theme", "dark");
    let (x, y) = center(&mut browser, PLOT);
    browser.drag((x - 60.0, y), (x + 60.0, y));
    let kept = hash(&mut browser);
    for part in [
        "chart=mean_field_sq,bits_total,",
        ";field_sq,time_s,",
        "pin=3",
        "range=bits_total,",
        "sort=-y0",
        "group=participation",
    ] {
        assert!(kept.contains(part), "{part} in {kept}");
    }
    let state =
        "JSON.stringify([...document.querySelectorAll('select, input')].map(own => [own.id, own.value, own.checked]))";
    let (shown, rows) = (browser.value(state), column(&mut browser, 0));
    let dark = browser.value("getComputedStyle(document.body).backgroundColor");
    assert_eq!(dark, "rgb(22, 22, 22)");
    browser.open(&page, &kept);
    assert_eq!((browser.value(state), column(&mut browser, 0)), (shown, rows));
    assert_eq!(browser.value("getComputedStyle(document.body).backgroundColor"), dark);
    assert_eq!(hash(&mut browser), kept);
    click(&mut browser, &by_id("start-again"));
    assert_eq!(hash(&mut browser), "");
    // What a report does not have is named, and nothing else is lost.
    browser.open(&page, "#chart=entropy,bits_up,x&pin=2&arms=0-99&%zz=1&search=%zz");
    let note = words(&mut browser, "note");
    assert!(["entropy", "arms=0-99", "%zz=1", "search=%zz"].iter().all(|part| note.contains(part)), "{note}");
    assert_eq!(browser.value("document.getElementById('pin-2').getAttribute('aria-pressed')"), "true");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The table of arms by its columns, and what the search finds.
#[test]
fn the_table_sorts_and_searches() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&study_page(home.path()), "") else { return };
    let ends = |browser: &mut Browser| {
        let cells = column(browser, 2).into_iter().map(|cell| cell.replace('\u{2212}', "-").parse().unwrap());
        cells.collect::<Vec<f64>>()
    };
    click(&mut browser, &by_id("sort-y0"));
    assert!(ends(&mut browser).is_sorted());
    assert_eq!(browser.value("document.getElementById('sort-y0').parentElement.ariaSort"), "ascending");
    click(&mut browser, &by_id("sort-y0"));
    assert!(ends(&mut browser).iter().rev().is_sorted());
    // A pinned arm stands first.
    click(&mut browser, &by_id("pin-7"));
    assert_eq!(browser.value("document.querySelector('#arms [data-arm]').dataset.arm"), "7");
    click(&mut browser, &by_id("search"));
    browser.call("Input.insertText", json!({"text": "Dither 25"}));
    let found = column(&mut browser, 0);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|arm| arm.contains("dithering") && arm.contains("25 %")), "{found:?}");
    click(&mut browser, &by_id("hide-found"));
    assert_eq!(browser.value(CHECKED), 0);
    // The table of the runs, too.
    click(&mut browser, "document.querySelectorAll('.digests button')[2]");
    click(&mut browser, "document.querySelectorAll('.digests button')[2]");
    let replicates = "[...document.querySelectorAll('.digests tbody tr')].map(row => Number(row.cells[2].textContent))";
    let replicates: Vec<u64> =
        browser.value(replicates).as_array().unwrap().iter().map(|own| own.as_u64().unwrap()).collect();
    assert!(replicates.iter().rev().is_sorted() && replicates[0] == 2, "{replicates:?}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Without a mouse: the chart takes keys and says what it shows, and switches keep the keyboard.
#[test]
fn the_page_works_with_the_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&study_page(home.path()), "") else { return };
    browser.value("document.getElementById('plot-0').focus()");
    for key in ["End", "ArrowLeft", "ArrowLeft"] {
        browser.key(key);
    }
    let near = words(&mut browser, "spoken");
    assert!(near.contains("Mbit: none / 100 % "), "{near}");
    browser.key("Home");
    assert_ne!(near, words(&mut browser, "spoken"));
    let zoomed = "!document.getElementById('reset-zoom').disabled";
    browser.key("+");
    assert_eq!(browser.value(zoomed), true);
    browser.key("-");
    assert_eq!(browser.value(zoomed), false);
    browser.key("+");
    browser.value("document.getElementById('plot-0').focus()");
    browser.key("Escape");
    browser.key("Escape");
    assert_eq!(browser.value(zoomed), false);
    browser.value("document.getElementById('show-1').focus()");
    browser.key(" ");
    assert_eq!(browser.value("document.activeElement.id"), "show-1");
    assert_eq!(browser.value("document.getElementById('show-1').checked"), false);
    let nameless = "[...document.querySelectorAll('button, select, input, a, [tabindex=\"0\"]')].filter(own => \
        own.checkVisibility() && !own.textContent.trim() && !own.ariaLabel && !own.labels?.length).map(own => own.outerHTML)";
    assert_eq!(browser.value(nameless), json!([]), "whatever takes the keyboard has a name");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// On screens of any width, light or dark, the page is laid out without a fault, and every chart of the address is drawn.
#[test]
fn the_page_fits_every_screen() {
    let home = tempfile::tempdir().unwrap();
    let page = study_page(home.path());
    let fragment = "#chart=mean_field_sq,bits_up,xy;objective,time_s,&pin=1&group=compressor";
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for (width, dark) in SCREENS {
        browser.window(width, dark);
        for (fragment, charts) in [("", 1), (fragment, 2)] {
            browser.open(&page, fragment);
            assert_eq!(browser.value(LAYOUT), json!([]), "{width} px, dark: {dark}, {fragment}");
            // A chart has as many colours as arms, at least.
            let colours = "[...document.querySelectorAll('.plot canvas:not(.over)')].map(own => new Set(new Uint32Array(own \
                .getContext('2d').getImageData(0, 0, own.width, own.height).data.buffer)).size > 6)";
            assert_eq!(browser.value(colours), json!(vec![true; charts]), "{width} px, dark: {dark}, {fragment}");
            assert_eq!(browser.complaints(), Vec::<String>::new(), "{width} px");
        }
    }
}

/// The faults that a page is asked for are found where they are.
#[test]
fn faults_of_a_layout_are_found() {
    let home = tempfile::tempdir().unwrap();
    let page = study_page(home.path());
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for (style, fault) in [
        ("p { color: #999 }", "contrast 2.8"),
        ("h2 { width: 3000px }", "wider than the window"),
        ("h2 { margin-bottom: -40px }", " lies on "),
        (".one-chart select { position: absolute }", " lies on "),
    ] {
        browser.open(&page, "");
        browser.value(&format!("document.head.insertAdjacentHTML('beforeend', '<style>{style}</style>')"));
        let faults = browser.value(LAYOUT);
        assert!(faults.to_string().contains(fault), "{style}: {faults}");
    }
    browser.open(&page, "");
    for (word, fault) in [("left: -9", "cut off in a chart"), ("left: 0, right: 900, top: 0, bottom: 300", " lies on ")]
    {
        browser.value(&format!("Object.assign(document.querySelector('.plot canvas').words[0], {{ {word} }})"));
        let faults = browser.value(LAYOUT);
        assert!(faults.to_string().contains(fault), "{word}: {faults}");
    }
}

/// What the charts show, as a file, has the values of the figure's own file.
#[test]
fn the_data_of_a_chart_are_those_of_the_figure() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "#chart=mean_field_sq,bits_up,") else { return };
    browser.value("URL.createObjectURL = blob => { window.saved = blob; return 'data:,saved'; }");
    browser.value("document.getElementById('view-data').click()");
    let saved = browser.value("window.saved.text()");
    let saved = rows(saved.as_str().unwrap());
    let expected = rows(&text(&home.path().join("figures"), "mean_field_sq.csv"));
    assert_eq!(saved.len(), expected.len());
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    let place = |table: &[Vec<String>], name: &str| table[0].iter().position(|own| own == name).unwrap();
    for name in ["round", "time_s", "median", "low", "high"] {
        let (theirs, ours) = (place(&expected, name), place(&saved, name));
        for (row, own) in expected.iter().zip(&saved).skip(1) {
            let value = number(&row[theirs]);
            assert!((value - number(&own[ours])).abs() <= 2e-7 * value.abs(), "{name}: {row:?} {own:?}");
        }
    }
}

/// A run that diverged spans so many powers of ten that uPlot has no steps for its axis.
#[test]
fn an_axis_over_sixty_powers_of_ten_has_numbers() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(&home.path().join("runs"), &ARMS[0], 1, 60);
    run.change(|record| record.rounds.last_mut().unwrap().mean_field_sq = Some(1e55));
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    browser.value(
        "(() => { const canvas = CanvasRenderingContext2D.prototype, own = canvas.fillText; window.drawn = []; \
         canvas.fillText = function (...all) { window.drawn.push(all[0]); return own.apply(this, all); }; })()",
    );
    choose(&mut browser, "x-0", "0");
    browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    let drawn = browser.value("window.drawn");
    let powers = drawn.as_array().unwrap().iter().filter_map(Value::as_str).filter(|text| text.starts_with("10⁴"));
    assert!(powers.count() > 0, "{drawn}");
}

/// On paper the page is light, and a chart is a picture, as browsers print no canvas that was drawn for the print.
#[test]
fn the_page_can_be_printed() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&study_page(home.path()), "") else { return };
    browser.window(1200, true);
    let printed = "window.addEventListener('beforeprint', () => { window.printed = [document.body, \
        document.querySelector('img')].map(own => own.tagName === 'IMG' ? own.naturalWidth : \
        getComputedStyle(own).backgroundColor); })";
    browser.value(printed);
    browser.call("Page.printToPDF", json!({}));
    assert_eq!(browser.value("window.printed"), json!(["rgb(255, 255, 255)", 680]));
    assert_eq!(browser.value("document.querySelectorAll('img').length"), 0);
    assert_eq!(browser.value("getComputedStyle(document.body).backgroundColor"), "rgb(22, 22, 22)");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The first declared figure of curves is what the page opens with: its quantities, axes, scales, limits and arms.
#[test]
fn the_page_opens_with_the_declared_figure() {
    let home = tempfile::tempdir().unwrap();
    let curves = Curves {
        y: vec!["objective".to_owned(), "mean_field_sq".to_owned()],
        x: vec![XAxis::Time],
        x_scale: Scale::Log,
        y_scale: Scale::Linear,
        x_limits: Limits { from: Some(2.0), to: Some(9.0) },
        ..Curves::default()
    };
    let arms = vec![ShownArm::Arm(ARMS[1].name.to_owned())];
    let (name, caption) = ("own".to_owned(), String::new());
    let figure = Figure { arms, caption, ..Figure::new(&name, FigureKind::Curves(curves)) };
    let to = home.path().join("figures");
    let options = ReportOptions {
        declared: Some(vec![figure]),
        wanted: Wanted::Declared,
        ..ReportOptions::new(Style::Neurips, &[Format::Html], to.clone())
    };
    report(&[study(home.path())], &options).unwrap();
    let Some(mut browser) = Browser::show(&to.join("report.html"), "") else { return };
    let shown = "[...document.querySelectorAll('.one-chart')].map(chart => [...chart.querySelectorAll('select')] \
        .map(list => list.selectedOptions[0].text).concat([...chart.querySelectorAll('input')].map(box => box.checked)))";
    let expected = json!([["objective", "simulated time", true, false], ["‖h(Ŝ)‖²", "simulated time", true, false]]);
    assert_eq!(browser.value(shown), expected);
    assert_eq!(
        browser.value("[...document.querySelectorAll('#arms [data-arm] input')].map(own => own.checked)"),
        json!([false, true])
    );
    let whole = words(&mut browser, "live");
    assert!(whole.contains("Lines go on beyond the frame"), "{whole}");
    assert_eq!(
        browser.value("document.getElementById('figure-own') !== null"),
        true,
        "the figure itself is there, too"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Every file that the page leads to stands beside it.
#[test]
fn the_page_leads_to_files_that_are_there() {
    let home = tempfile::tempdir().unwrap();
    let formats = [Format::Svg, Format::Tex, Format::Html];
    let options = ReportOptions::new(Style::Icml, &formats, home.path().to_path_buf());
    report(&[study(home.path())], &options).unwrap();
    let page = text(home.path(), "report.html");
    let links: Vec<&str> =
        page.split("class=\"button\" href=\"").skip(1).filter_map(|own| own.split('"').next()).collect();
    assert!(links.contains(&"ledger.tex") && links.contains(&"mean_field_sq.csv"));
    for link in links {
        assert!(home.path().join(link).is_file(), "{link}");
    }
    let verdict = verify(&home.path().join("report.html"), &[home.path().join("runs")]).unwrap();
    assert_eq!(verdict, FigureVerdict::Same(6));
}

/// Where scripts are off, the figures that the script would draw are there.
#[test]
fn the_page_works_without_scripts() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.navigate(&format!("file://{}", page.display()));
    let root = browser.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
    for figure in ["mean_field_sq", "ledger"] {
        let parameters = json!({"nodeId": root, "selector": format!("noscript #figure-{figure} svg")});
        let node = browser.call("DOM.querySelector", parameters)["nodeId"].clone();
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
