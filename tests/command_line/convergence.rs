//! Curves of replicates beside `compare`: for every arm of the library's scenarios that stop at a tolerance a curve costs
//! at this tolerance what `compare` tells as the median.

use std::fs;

use crate::command_line::studies::json;
use crate::command_line::verdicts::rows;
use crate::support::{Scratch, finish};

/// Scenarios with replicates, and the tolerance at which their runs stop.
const SCENARIOS: [(&str, f64); 3] =
    [("network/lossy-uplink", 1e-8), ("network/energy", 1e-8), ("network/asynchrony", 1e-4)];

#[test]
fn curves_cost_at_the_target_what_compare_tells() {
    for (scenario, tolerance) in SCENARIOS {
        let scratch = Scratch::new();
        finish(scratch.fedbits(["run", scenario, "--out", "out", "--quiet"])).done();
        let compared = json(&finish(scratch.fedbits(["compare", "out", "--json"])).done());
        let curves = rows(&fs::read_to_string(scratch.path("out/figures/convergence.csv")).unwrap());
        let mut checked = 0;
        for row in compared["rows"].as_array().unwrap().iter().filter(|row| row["target"].is_null()) {
            let (arm, column) = (row["arm"].as_str().unwrap(), row["measure"].as_str().unwrap());
            if !["bits_total", "bits_up", "time_s"].contains(&column) {
                continue;
            }
            let at_target = |cells: &&std::collections::BTreeMap<String, String>| {
                cells["arm"] == arm && cells["value"].parse() == Ok(tolerance)
            };
            let drawn = curves.iter().find(at_target).map(|cells| cells[column].parse::<f64>().unwrap());
            match (drawn, row["median"].as_f64()) {
                (Some(drawn), Some(median)) => {
                    assert!((drawn / median - 1.0).abs() < 1e-12, "{scenario} {arm} {column}")
                }
                (drawn, median) => assert_eq!(drawn, median, "{scenario} {arm} {column}"),
            }
            checked += 1;
        }
        assert!(checked >= 6, "{scenario}: {checked}");
    }
}

/// A kind that is asked for by its name takes the options of its fields, here on the page of a venue like NeurIPS.
#[test]
fn undeclared_curves_take_an_axis() {
    let scratch = Scratch::new();
    finish(scratch.fedbits(["run", "quickstart", "-q", "--no-figures", "--set", "stop.rounds=2", "--out", "a"])).done();
    let chosen = ["report", "a", "--figure", "convergence", "--x", "bits-up"];
    finish(scratch.fedbits(chosen.into_iter().chain(["--style", "iclr", "--format", "svg", "--out", "b"]))).done();
    assert!(scratch.path("b/convergence.svg").exists());
}
