//! The engine for browsers, in Node and in Chromium: the same digests as this program. `FEDBITS_ENGINE` names the file
//! that tools/engine makes.

#[path = "../../reports/tests/report/browser.rs"]
#[allow(dead_code)]
mod browser;
#[path = "../../scenarios/tests/small/mod.rs"]
#[allow(dead_code)]
mod small;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use self::browser::Browser;
use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish};

fn engine() -> Option<PathBuf> {
    let file = std::env::var_os("FEDBITS_ENGINE").map(PathBuf::from);
    if file.is_none() {
        skipped(Lacks::Module, "FEDBITS_ENGINE names no engine for browsers: tools/engine makes one");
    }
    file
}

/// All scenarios of the library whose data are synthetic, in small versions; with the multiply-add of the engine, and with
/// that of the processor.
#[test]
fn node_has_the_digests_of_the_golden_file() {
    let Some(engine) = engine() else { return };
    node_has_the_digests(&engine, false);
    node_has_the_digests(&engine, true);
}

fn node_has_the_digests(engine: &Path, is_fused: bool) {
    let mut questions = String::new();
    for (name, cut) in small::cuts() {
        let arms = small::arms(&name, &cut).unwrap();
        for checked in arms.iter().filter(|checked| checked.scenario.files().is_empty()) {
            let line = format!("{name} {}", checked.arm.as_deref().unwrap_or(&name));
            let text = fedbits_text::write(&checked.scenario);
            questions += &format!("{}\n", json!({ "line": line, "text": text }));
        }
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/digests.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(engine).envs(is_fused.then_some(("FUSED", "1")));
    let Ok(mut node) = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        return skipped(Lacks::Program, "no Node (Debian: nodejs) is installed");
    };
    node.stdin.take().unwrap().write_all(questions.as_bytes()).unwrap();
    let said = String::from_utf8(node.wait_with_output().unwrap().stdout).unwrap();
    let wrong: Vec<&str> = said.lines().filter(|line| !small::GOLDEN.lines().any(|golden| golden == *line)).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), said.lines().count());
    assert_eq!(said.lines().count(), questions.lines().count());
}

/// Presses *Run* in the page of this document, and returns what it says in the end.
fn play(browser: &mut Browser, document: &str) -> String {
    browser.value(&format!("{document}.getElementById('engine-play').click()"));
    loop {
        std::thread::sleep(Duration::from_millis(200));
        if browser.value(&format!("!{document}.getElementById('engine-play').disabled")) == true {
            return browser.value(&format!("{document}.getElementById('engine-state').textContent")).to_string();
        }
    }
}

/// A page from the disk plays its runs to the digest of all of them, says what is wrong with a setting, and asks no
/// server for anything.
#[test]
fn a_page_plays_its_runs_again() {
    let Some(engine) = engine() else { return };
    let home = Scratch::new();
    finish(home.fedbits(["run", "quickstart", "--set", "stop.rounds=12", "--out", "runs"])).done();
    let mut report = home.fedbits(["report", "runs", "--format", "html", "--page", "run", "--engine"]);
    report.arg(engine);
    finish(report).done();
    let Some(mut browser) = Browser::show(&home.path("runs/figures/report.html"), "") else { return };
    let played = |browser: &mut Browser| play(browser, "document");
    let said = played(&mut browser);
    assert!(said.contains("The digest of all runs is as published."), "{said}");
    let fused = browser.value("document.getElementById('engine').dataset.fused");
    assert_ne!(fused, "0", "the engine calls no multiply-add that an instruction could replace");
    let set = |value: &str| format!("document.querySelectorAll('#engine-offers [data-path]')[1].value = {value:?}");
    browser.value(&set("RandK(k: 600)"));
    let said = played(&mut browser);
    assert!(said.contains("expected a whole number from 1 to 63"), "{said}");
    browser.value(&set("RandK(k: 12)"));
    let said = played(&mut browser);
    assert!(said.contains("pale lines of the chart are as published"), "{said}");
    let resolved = browser.value("/k: 12,/.test(document.getElementById('resolved').textContent)");
    assert_eq!(resolved, true, "the scenarios are those that were played");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Pages of two scenarios in one file share the engine; the address says which one is shown and what is set in it.
#[test]
fn one_file_has_pages_of_several_scenarios() {
    let Some(engine) = engine() else { return };
    let home = Scratch::new();
    let write = |name: &str, text: &str| std::fs::write(home.path(name), text).unwrap();
    write("small & short.ron", "(name: \"small & short\", base: \"quickstart\", stop: (rounds: 3))");
    finish(home.fedbits(["run", "quickstart", "--set", "stop.rounds=4", "--out", "runs"])).done();
    finish(home.fedbits(["run", "small & short.ron", "--out", "short"])).done();
    let mut report = home.fedbits(["report", "runs", "short", "--page", "run", "--out", "both", "--engine"]);
    report.arg(&engine);
    finish(report).done();
    finish(home.fedbits(["verify", "both/report.html", "--runs", "short", "runs"])).done();
    let file = std::fs::read_to_string(home.path("both/report.html")).unwrap();
    write("both/report.html", &file.replacen("rounds", "Rounds", 1));
    let changed = finish(home.fedbits(["verify", "both/report.html", "--runs", "short", "runs"]));
    assert_ne!(changed.code, Some(0), "{}", changed.out);
    write("both/report.html", &file);
    let missing = finish(home.fedbits(["verify", "both/report.html", "--runs", "runs"]));
    assert!(missing.err.contains("expected a folder of its runs"), "{}", missing.err);
    let mut twice = home.fedbits(["report", "runs", "runs", "--page", "run", "--out", "twice", "--engine"]);
    twice.arg(&engine);
    let twice = finish(twice);
    assert!(twice.err.contains("two folders have runs of a scenario `quickstart`"), "{}", twice.err);
    let Some(mut browser) = Browser::show(&home.path("both/report.html"), "#scenario=small%20%26%20short") else {
        return;
    };
    let page = "document.querySelector('iframe').contentDocument";
    while browser.value(&format!("{page}?.getElementById('engine')?.hidden === false")) != true {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(browser.value(&format!("{page}.title")), "small & short");
    let said = play(&mut browser, page);
    assert!(said.contains("The digest of all runs is as published."), "{said}");
    browser.value(&format!("{page}.querySelector('#engine-offers [data-path=seed]').value = '7'"));
    play(&mut browser, page);
    assert_eq!(browser.value("location.hash"), "#scenario=small+%26+short&seed=7");
    assert_eq!(browser.value("document.querySelector('a[aria-current]').textContent"), "small & short");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
