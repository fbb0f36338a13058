//! The page's viewer of traced rounds: what it says of an instant is what `trace.csv` says, sliders and keys move it,
//! it plays, and it fits every screen.

use crate::browser::Browser;
use crate::common::{add_network, add_trace, all_runs, rows, study};
use crate::page::{LAYOUT, SCREENS, by_id, choose, click, page, words};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The page of two arms of which each has a traced round.
fn traced_page(home: &Path) -> PathBuf {
    let runs = study(home);
    all_runs(&runs).iter().for_each(|run| add_trace(run, false));
    page(&runs, &home.join("figures"))
}

fn at(browser: &mut Browser, share: f64) {
    browser.value(&format!(
        "(() => {{ const time = document.getElementById('round-time'); time.value = {share} * time.max; \
         time.dispatchEvent(new Event('input')); }})()"
    ));
}

/// The transfers that are under way at instants of the round are those of `trace.csv`.
#[test]
fn an_instant_is_as_the_trace_says() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&traced_page(home.path()), "") else { return };
    let trace = all_runs(&home.path().join("runs"))[0].record();
    let trace = rows(&trace.table("trace").unwrap().text().unwrap());
    let column = |name: &str| trace[0].iter().position(|own| own == name).unwrap();
    let [part, start, end] = ["part", "start_s", "end_s"].map(&column);
    let number = |row: &[String], column: usize| row[column].parse::<f64>().unwrap();
    let round = trace.iter().find(|row| row[part] == "round").unwrap();
    let (open, close) = (number(round, start), number(round, end));
    // Late uploads end long after the round: a quarter of it is shown beyond its end.
    for share in [0.02, 0.1, 0.3, 0.55, 0.9] {
        at(&mut browser, share);
        let now = open + 1.25 * (close - open) * share;
        let count = |kind: &str| {
            trace.iter().filter(|row| row[part] == kind && number(row, start) <= now && now < number(row, end)).count()
        };
        let said = words(&mut browser, "round-now");
        let [down, up, busy] = ["download", "upload", "compute"].map(count);
        assert!(
            said.contains(&format!("{down} download")) && said.contains(&format!(", {up} upload")),
            "{share}: {said}"
        );
        assert!(said.contains(&format!("{busy} node")), "{share}: {busy} and {said}");
    }
    let about = words(&mut browser, "round-about");
    let fate = column("fate");
    for (word, said) in [("late", "late"), ("lost", "lost"), ("aborted", "cut off")] {
        let count = trace.iter().filter(|row| row[fate] == word).count();
        assert!(count > 0 && about.contains(&format!("{said}: {count}")), "{count} {word}: {about}");
    }
    assert!(about.starts_with("Round 3 of "), "{about}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Sliders, keys, a click on the drawing and the address move the instant and the round; it plays, also for who wants
/// less motion.
#[test]
fn a_round_is_played() {
    let home = tempfile::tempdir().unwrap();
    let page = traced_page(home.path());
    let Some(mut browser) = Browser::show(&page, "") else { return };
    browser.value("document.getElementById('round-time').focus()");
    let before = words(&mut browser, "round-at");
    for _ in 0..30 {
        browser.key("ArrowRight");
    }
    let after = words(&mut browser, "round-at");
    assert_ne!(before, after, "arrow keys move the instant");
    click(&mut browser, &by_id("gantt-cursor"));
    assert_ne!(words(&mut browser, "round-at"), after, "a click moves the instant");
    assert!(words(&mut browser, "gantt-value").contains("client-"), "a bar is read");
    for motion in ["no-preference", "reduce"] {
        let features = json!({"features": [{"name": "prefers-reduced-motion", "value": motion}]});
        browser.call("Emulation.setEmulatedMedia", features);
        at(&mut browser, 0.1);
        choose(&mut browser, "round-speed", "5");
        let start = words(&mut browser, "round-at");
        click(&mut browser, &by_id("round-play"));
        let moved = format!(
            "new Promise(done => {{ const look = () => document.getElementById('round-at').textContent !== {} ? \
             done(true) : setTimeout(look, 20); look(); }})",
            json!(start)
        );
        assert_eq!(browser.value(&moved), true);
        assert_eq!(words(&mut browser, "round-play"), "Pause");
        click(&mut browser, &by_id("round-play"));
        assert_eq!(words(&mut browser, "round-play"), "Play");
    }
    choose(&mut browser, "round-arm", "1");
    let hash = browser.value("new Promise(done => setTimeout(() => done(location.hash), 400))");
    assert_eq!(hash, "#round=1,3");
    let second = words(&mut browser, "round-about");
    browser.open(&page, "#round=1,3");
    assert_eq!(words(&mut browser, "round-about"), second);
    browser.open(&page, "#round=1,77");
    assert!(words(&mut browser, "note").contains("round=1,77"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Of agents messages are shown; on sites messages take their links; no screen is too narrow.
#[test]
fn rounds_fit_every_screen() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    let all = all_runs(&runs);
    add_trace(&all[0], true);
    add_trace(&all[all.len() - 1], false);
    add_network(&all[0]);
    let page = page(&runs, &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for (width, dark) in SCREENS {
        browser.window(width, dark);
        let mut seen = [false, false];
        for arm in ["0", "1"] {
            browser.open(&page, "");
            choose(&mut browser, "round-arm", arm);
            at(&mut browser, 0.2);
            let drawn = "['gantt-canvas', 'network'].map(id => { const own = document.getElementById(id); \
                return own.getContext('2d').getImageData(0, 0, own.width, own.height).data.some(value => value > 0) \
                && own.getBoundingClientRect().width <= document.documentElement.clientWidth; })";
            assert_eq!(browser.value(drawn), json!([true, true]), "{width} px");
            assert_eq!(browser.value(LAYOUT), json!([]), "{width} px, dark: {dark}, arm {arm}");
            let said = words(&mut browser, "round-now");
            ["message", "upload"].iter().zip(&mut seen).for_each(|(word, seen)| *seen |= said.contains(word));
        }
        assert_eq!(seen, [true, true], "one arm has agents, the other clients");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{width} px");
    }
}

/// On paper the drawings are pictures in light colours, and on the screen they come back.
#[test]
fn rounds_are_printed() {
    let home = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::show(&traced_page(home.path()), "") else { return };
    browser.window(1200, true);
    let look = "window.addEventListener('beforeprint', () => { window.printed = [...document.querySelectorAll( \
        '#round img')].map(own => own.naturalWidth).concat([...document.querySelectorAll('#round canvas')].filter( \
        own => own.parentElement.id !== '' && own.checkVisibility()).length); })";
    browser.value(look);
    browser.call("Page.printToPDF", json!({}));
    assert_eq!(browser.value("window.printed"), json!([680, 680, 0]));
    let after = "[document.querySelectorAll('#round img').length, document.getElementById('network').hidden]";
    assert_eq!(browser.value(after), json!([0, false]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Where nothing was traced, the page says how to.
#[test]
fn without_a_trace_the_page_says_how_to_get_one() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let shown = "['round', 'round-none', 'round-left-out'].map(id => document.getElementById(id).hidden)";
    assert_eq!(browser.value(shown), json!([true, false, true]));
    assert!(words(&mut browser, "round-none").contains("fedbits trace"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
