//! The engine for browsers, in Node and in Chromium: the same digests as this program. `FEDBITS_ENGINE` names the file
//! that tools/engine makes.

#[path = "../../reports/tests/report/browser.rs"]
#[allow(dead_code)]
mod browser;
#[path = "../../scenarios/tests/small/mod.rs"]
#[allow(dead_code)]
mod small;

use std::io::Write;
use std::path::PathBuf;
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

/// All scenarios of the library whose data are synthetic, in small versions.
#[test]
fn node_has_the_digests_of_the_golden_file() {
    let Some(engine) = engine() else { return };
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
    let node = Command::new("node").arg(script).arg(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut node) = node else {
        return skipped(Lacks::Program, "no Node (Debian: nodejs) is installed");
    };
    node.stdin.take().unwrap().write_all(questions.as_bytes()).unwrap();
    let said = String::from_utf8(node.wait_with_output().unwrap().stdout).unwrap();
    let wrong: Vec<&str> = said.lines().filter(|line| !small::GOLDEN.lines().any(|golden| golden == *line)).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), said.lines().count());
    assert_eq!(said.lines().count(), questions.lines().count());
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
    let played = |browser: &mut Browser| {
        browser.value("document.getElementById('engine-play').click()");
        loop {
            std::thread::sleep(Duration::from_millis(200));
            if browser.value("!document.getElementById('engine-play').disabled") == true {
                return browser.value("document.getElementById('engine-state').textContent").to_string();
            }
        }
    };
    let said = played(&mut browser);
    assert!(said.contains("The digest of all runs is as published."), "{said}");
    let set = |value: &str| format!("document.querySelectorAll('#engine-offers [data-path]')[1].value = {value:?}");
    browser.value(&set("RandK(k: 600)"));
    let said = played(&mut browser);
    assert!(said.contains("expected a whole number from 1 to 63"), "{said}");
    browser.value(&set("RandK(k: 12)"));
    let said = played(&mut browser);
    assert!(said.contains("Pale lines of the chart are as published."), "{said}");
    let resolved = browser.value("/k: 12,/.test(document.getElementById('resolved').textContent)");
    assert_eq!(resolved, true, "the scenarios are those that were played");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
