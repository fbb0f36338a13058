//! The page in a browser without a network, on any screen: it is laid out without a fault, its chart draws the numbers
//! of the figures, arms, axes and ranges are chosen, and without scripts all but the chart is there. No test depends on
//! fonts or the browser's version.

use crate::browser::Browser;
use crate::common::{ARMS, Invented, add_trace, all_runs, rows, study, text, write_run, write_study};
use crate::declared::figure;
use crate::page::{declared_page, page};
use fedbits_reports::declare::{Curves, Scale, ShownArm, XAxis};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Widths of windows, and whether the system prefers dark pages.
const SCREENS: [(u32, bool); 6] = [(390, false), (390, true), (768, false), (768, true), (1440, false), (1440, true)];
/// Faults of the page's layout, in words.
const LAYOUT: &str = include_str!("layout.js");
const SHOWN: &str = "[...document.querySelectorAll('#legend input')].filter(input => input.checked).length";

/// The page of the invented study of twelve arms.
fn study_page(home: &Path) -> PathBuf {
    page(&write_study(home, 3, 120), &home.join("figures"))
}

/// Middle of an element, in sight.
fn center(browser: &mut Browser, element: &str) -> (f64, f64) {
    let script = format!(
        "(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); \
         return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
    );
    let center = browser.value(&script);
    (center[0].as_f64().unwrap(), center[1].as_f64().unwrap())
}

fn click(browser: &mut Browser, id: &str) {
    let (x, y) = center(browser, &format!("document.getElementById('{id}')"));
    browser.mouse(x, y, true);
}

/// Chooses a value of a list by its words.
fn choose(browser: &mut Browser, list: &str, words: &str) {
    let found = browser.value(&format!(
        "(() => {{ const list = document.getElementById('{list}'); \
         const option = [...list.options].find(item => item.textContent === '{words}'); if (!option) return false; \
         list.value = option.value; list.dispatchEvent(new Event('change')); return true; }})()"
    ));
    assert_eq!(found, true, "{words}");
}

/// Words of an element, once what follows the mouse is shown.
fn words(browser: &mut Browser, id: &str) -> String {
    browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    browser.value(&format!("document.getElementById('{id}').textContent")).as_str().unwrap().to_owned()
}

/// The words on the canvas of the chart.
fn drawn_words(browser: &mut Browser) -> Vec<String> {
    let drawn = browser.value("document.querySelector('#plot canvas').words.map(item => item.text)");
    drawn.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// Columns of a table of numbers, by arm.
fn columns(table: &[Vec<String>], arm: &str, names: [&str; 2]) -> Vec<[f64; 2]> {
    let place = |name: &str| table[0].iter().position(|item| item == name).unwrap();
    let item = table[1..].iter().filter(|row| row[place("arm")] == arm);
    item.map(|row| names.map(|name| row[place(name)].parse().unwrap())).collect()
}

/// The lines of the chart have the values of the figure's own file, and its canvas has each of their points.
#[test]
fn the_chart_draws_the_numbers_of_the_figure() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let table = rows(&text(&home.path().join("figures"), "mean_field_sq.csv"));
    choose(&mut browser, "y", "‖h(Ŝ)‖²");
    choose(&mut browser, "x", "simulated time (s)");
    for (number, arm) in ARMS[..2].iter().enumerate() {
        let expected = columns(&table, arm.name, ["time_s", "value"]);
        let line = format!("document.getElementById('plot').drawn.all[{number}]");
        let time =
            "[...document.getElementById('x').options].findIndex(item => item.textContent.startsWith('simulated'))";
        let lists = browser.value(&format!("[{line}.x({time}), {line}.median].map(list => [...list])"));
        assert!(expected.len() > 10 && lists[0].as_array().unwrap().len() == expected.len());
        for (place, row) in expected.iter().enumerate() {
            for (column, value) in row.iter().enumerate() {
                let item = lists[column][place].as_f64().unwrap();
                assert!((item - value).abs() <= 2e-7 * value.abs(), "{item} and {value}");
            }
        }
        // Of points in one column of pixels not every one has a corner of its own.
        let far = format!(
            "{}.filter(([x, y]) => {{ const [plot, canvas] = [document.getElementById('plot').plot, \
             document.querySelector('#plot canvas')]; const at = [plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true)]; \
             return !canvas.corners.some(item => Math.abs(item[0] - at[0]) < 1 && Math.abs(item[1] - at[1]) < 1); }})",
            json!(expected.iter().map(|row| [row[0], row[1]]).collect::<Vec<_>>())
        );
        assert_eq!(browser.value(&far), json!([]), "{}", arm.name);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The mouse reads values of the nearest line; arms come and go, and no two of them look the same.
#[test]
fn arms_are_read_and_chosen() {
    let home = tempfile::tempdir().unwrap();
    let page = study_page(home.path());
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let at_first = browser.value(SHOWN).as_u64().unwrap();
    assert!((1..8).contains(&at_first));
    // On a point of the last line the mouse reads its arm, value and cost.
    let point = browser.value(
        "(() => { const holder = document.getElementById('plot'); holder.scrollIntoView({block: 'center'}); \
         const { plot, drawn } = holder; const line = drawn.all.at(-1); const box = plot.over.getBoundingClientRect(); \
         const axis = Number(document.getElementById('x').value); const at = Math.floor(line.median.length / 2); \
         const [x, y] = [line.x(axis)[at], line.median[at]]; \
         return [box.left + plot.valToPos(x, 'x'), box.top + plot.valToPos(y, 'y'), y, line.arm]; })()",
    );
    let at = |place: usize| point[place].as_f64().unwrap();
    browser.mouse(at(0), at(1), false);
    let read = words(&mut browser, "reading");
    let arm = browser.value(&format!("document.querySelectorAll('#legend label')[{}].textContent", at(3)));
    assert!(read.starts_with(&format!("{}: ", arm.as_str().unwrap())), "{read}");
    let value = read.split("‖h(Ŝ)‖² = ").nth(1).unwrap().split(' ').next().unwrap().replace('\u{2212}', "-");
    assert!((value.parse::<f64>().unwrap() - at(2)).abs() < 1e-3 * at(2), "{read}");
    assert!(read.contains("Mbit"), "{read}");
    // An arm goes, all come: each has a colour and a dash of its own, as many as there are.
    click(&mut browser, "none");
    assert_eq!(
        (browser.value(SHOWN), browser.value("document.getElementById('plot').drawn.all.length")),
        (json!(0), json!(0))
    );
    browser.value("document.querySelectorAll('#legend input')[3].focus()");
    browser.key(" ");
    assert_eq!(browser.value("document.getElementById('plot').drawn.all.map(line => line.arm)"), json!([3]));
    click(&mut browser, "all");
    let looks = "[...document.querySelectorAll('#legend path')].map(item => item.getAttribute('stroke') + ' ' + \
                 item.getAttribute('stroke-dasharray'))";
    let looks = browser.value(looks);
    assert_eq!(looks.as_array().unwrap().iter().map(Value::to_string).collect::<BTreeSet<_>>().len(), 12, "{looks}");
    click(&mut browser, "first");
    assert_eq!(browser.value(SHOWN), at_first);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// More arms than pairs of colours and dashes still look different from one another.
#[test]
fn very_many_arms_look_different() {
    let home = tempfile::tempdir().unwrap();
    for number in 0..60 {
        let name: &'static str = Box::leak(format!("arm {number}").into_boxed_str());
        write_run(&home.path().join("runs"), &Invented { name, bits_up: 41_000 + number, ..ARMS[2] }, 1, 10);
    }
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    click(&mut browser, "all");
    let looks = browser.value(
        "new Set([...document.querySelectorAll('#legend path')].map(item => item.getAttribute('stroke') + ' ' + \
         item.getAttribute('stroke-dasharray'))).size",
    );
    assert_eq!((looks, browser.value(SHOWN)), (json!(60), json!(60)));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The note of the chart says over how many points running medians go.
#[test]
fn running_medians_say_their_points() {
    let home = tempfile::tempdir().unwrap();
    write_run(&home.path().join("runs"), &ARMS[0], 1, 300);
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    choose(&mut browser, "y", "‖H‖²");
    let said = words(&mut browser, "said");
    assert!(said.contains("Full lines are running medians over 11 points."), "{said}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Quantities, axes, their scales and the range are chosen; a double click shows the whole range.
#[test]
fn axes_and_ranges_are_chosen() {
    let home = tempfile::tempdir().unwrap();
    let page = study_page(home.path());
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for (list, said) in [("x", "simulated time (s)"), ("x", "rounds"), ("y", "objective"), ("y", "‖h(Ŝ)‖²")] {
        choose(&mut browser, list, said);
        let drawn = drawn_words(&mut browser);
        assert!(drawn.iter().any(|item| item == said), "{said}: {drawn:?}");
    }
    let range = "[...document.getElementById('plot').drawn.x]";
    let ends = |value: Value| [0, 1].map(|end| value[end].as_f64().unwrap());
    let whole = ends(browser.value(range));
    assert_eq!(whole, [0.0, 120.0]);
    let over = "document.querySelector('#plot .u-over')";
    let (x, y) = center(&mut browser, over);
    browser.drag((x - 60.0, y), (x + 60.0, y));
    let zoomed = ends(browser.value(range));
    let middle = (zoomed[0] + zoomed[1]) / 2.0;
    assert!((middle - 60.0).abs() < 1.0 && zoomed[1] - zoomed[0] < 60.0, "{zoomed:?}");
    assert_eq!(browser.value("document.getElementById('whole').disabled"), false);
    for count in [1, 2] {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": count});
            browser.call("Input.dispatchMouseEvent", event);
        }
    }
    assert_eq!(ends(browser.value(range)), whole);
    click(&mut browser, "log-x");
    // The first round has no place there.
    assert!(ends(browser.value(range))[0] > 0.0);
    let said = words(&mut browser, "said");
    assert!(said.contains("at or below 0"), "{said}");
    let before = drawn_words(&mut browser);
    click(&mut browser, "log-y");
    assert_ne!(before, drawn_words(&mut browser));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The page opens with the quantity, axis, scales and arms of the first declared figure of curves.
#[test]
fn the_chart_opens_with_the_declared_figure() {
    let home = tempfile::tempdir().unwrap();
    let curves = Curves {
        y: vec!["objective".to_owned(), "mean_field_sq".to_owned()],
        x: vec![XAxis::Time],
        x_scale: Scale::Log,
        y_scale: Scale::Linear,
        ..Curves::default()
    };
    let declared = figure(curves, &[ShownArm::Arm("none / 25 %".to_owned())]);
    let page = declared_page(&write_study(home.path(), 2, 40), &declared, &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let chosen = "['y', 'x'].map(id => document.getElementById(id).selectedOptions[0].textContent).concat( \
                  ['log-x', 'log-y'].map(id => document.getElementById(id).checked))";
    assert_eq!(browser.value(chosen), json!(["objective", "simulated time (s)", true, false]));
    assert_eq!(browser.value(SHOWN), 1);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Values over many powers of ten, near the largest number, and none at all have axes.
#[test]
fn odd_values_are_drawn() {
    let home = tempfile::tempdir().unwrap();
    for (name, value) in [("far", 1e55), ("largest", 1.5e308), ("zero", 0.0)] {
        let runs = home.path().join(name);
        let run = write_run(&runs, &ARMS[0], 1, 60);
        run.change(|record| record.rounds.last_mut().unwrap().mean_field_sq = Some(value));
        let page = page(&runs, &home.path().join(format!("{name}-figures")));
        let Some(mut browser) = Browser::show(&page, "") else { return };
        for log in [true, false] {
            if browser.value("document.getElementById('log-y').checked") != log {
                click(&mut browser, "log-y");
            }
            let drawn = drawn_words(&mut browser);
            assert!(drawn.len() > 6 && drawn.iter().all(|item| !item.contains("NaN")), "{name}: {drawn:?}");
            let tick =
                drawn.iter().any(|item| item.starts_with("10²") || item.starts_with("10⁴") || item.contains("e+"));
            assert!(tick || name == "zero", "{name}: {drawn:?}");
        }
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{name}");
    }
}

/// On screens of any width, light or dark, the page is laid out without a fault and the chart is drawn; also where names
/// of arms are long.
#[test]
fn the_page_fits_every_screen() {
    let home = tempfile::tempdir().unwrap();
    let traced = home.path().join("traced");
    let runs = study(&traced);
    add_trace(&all_runs(&runs)[0], false);
    let long =
        "Dithering(levels:4,norm:LInf)/participation:0.25/uncompressed broadcast, and a name of many words besides";
    write_run(&runs, &Invented { name: long, ..ARMS[2] }, 1, 60);
    let pages = [study_page(home.path()), page(&runs, &traced.join("figures"))];
    for page in pages {
        let Some(mut browser) = Browser::show(&page, "") else { return };
        for (width, dark) in SCREENS {
            browser.window(width, dark);
            browser.open(&page, "");
            assert_eq!(browser.value(LAYOUT), json!([]), "{width} px, dark: {dark}");
            let narrow = "[...document.querySelectorAll('tbody th')].filter(item => item.checkVisibility() \
                && item.getBoundingClientRect().width < 100).map(item => item.textContent)";
            assert_eq!(browser.value(narrow), json!([]), "{width} px: names have room for words");
            let colours = "(() => { const item = document.querySelector('#plot canvas'); return new Set(new Uint32Array( \
                item.getContext('2d').getImageData(0, 0, item.width, item.height).data.buffer)).size > 3; })()";
            assert_eq!(browser.value(colours), true, "{width} px, dark: {dark}");
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
        ("h2 { margin-bottom: -60px }", " lies on "),
        ("#live select { position: absolute }", " lies on "),
    ] {
        browser.open(&page, "");
        browser.value(&format!("document.head.insertAdjacentHTML('beforeend', '<style>{style}</style>')"));
        let faults = browser.value(LAYOUT);
        assert!(faults.to_string().contains(fault), "{style}: {faults}");
    }
    browser.open(&page, "");
    for (word, fault) in [("left: -9", "cut off in a chart"), ("left: 0, right: 900, top: 0, bottom: 300", " lies on ")]
    {
        browser.value(&format!("Object.assign(document.querySelector('#plot canvas').words[0], {{ {word} }})"));
        let faults = browser.value(LAYOUT);
        assert!(faults.to_string().contains(fault), "{word}: {faults}");
    }
}

/// On paper the page is light, without controls, with whole figures, and digests stay folded.
#[test]
fn the_page_can_be_printed() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&study_page(home.path()), "") else { return };
    browser.window(1200, true);
    let feature = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print", "features": feature}));
    let seen = |selector: &str| {
        format!("[...document.querySelectorAll('{selector}')].filter(item => item.checkVisibility()).length")
    };
    for selector in ["select", "button", "input", "a.button", "canvas", ".digests"] {
        assert_eq!(browser.value(&seen(selector)), 0, "{selector}");
    }
    assert!(browser.value(&seen("figure svg")).as_u64() > Some(4) && browser.value(&seen("table.arms")) == 1);
    assert_eq!(browser.value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    assert_eq!(browser.value("getComputedStyle(document.querySelector('figure')).breakInside"), "avoid");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Where scripts are off, all but the chart is there.
#[test]
fn the_page_works_without_scripts() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.navigate(&format!("file://{}", page.display()));
    let root = browser.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
    for element in ["#figure-mean_field_sq svg", "#figure-ledger svg", "table.arms", "#finding", "noscript p"] {
        let parameters = json!({"nodeId": root, "selector": element});
        let node = browser.call("DOM.querySelector", parameters)["nodeId"].clone();
        let shape = browser.call("DOM.getBoxModel", json!({"nodeId": node}));
        assert!(shape["model"]["width"].as_f64().unwrap() > 200.0, "{element}: {shape}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
