//! A fitted model from its run to new data and to the start of another run, as a user does it.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::outcomes::assert_whole;
use crate::support::{Scratch, finish};

/// Two clusters with a label, and a column that does not vary.
fn write_data(scratch: &Scratch) {
    let mut text = "id,left,flat,right,kind\n".to_owned();
    for j in 0..120 {
        let (wave, side) = (f64::from(j * 7 % 13) - 6.0, f64::from(j % 2));
        writeln!(text, "{j},{},3,{},{}", 100.0 + 60.0 * side + wave, 0.01 * (wave * wave + 90.0 * side), j % 2)
            .unwrap();
    }
    fs::write(scratch.path("two.csv"), text).unwrap();
    let scenario = r#"(
    name: "two",
    data: Csv(path: "two.csv", header: true, columns: Columns([Name("left"), Name("flat"), Name("right")]),
        label: Some(Name("kind"))),
    preprocess: [DropConstant, Standardize],
    holdout: Rows(0.2),
    clients: 4,
    model: GaussianMixture(components: 2, covariance: Full),
    protocol: FedEm(gamma: Constant(1)),
    stop: (rounds: 100, patience: (of: HeldOut, probes: 3, least: 1e-6)),
    record: (probe_every: 1),
)"#;
    fs::write(scratch.path("two.ron"), scenario).unwrap();
}

fn run(scratch: &Scratch, out: &str, further: &[&str]) -> Value {
    let arguments = ["run", "two.ron", "--no-figures", "--out", out];
    let command = scratch.fedbits(arguments.iter().chain(further));
    finish(command).done();
    assert_whole(&scratch.path(out));
    serde_json::from_str(&fs::read_to_string(scratch.path(out).join("model.json")).unwrap()).unwrap()
}

fn column(scratch: &Scratch, file: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(scratch.path(file)).unwrap();
    let at = reader.headers().unwrap().iter().position(|own| own == name).unwrap_or_else(|| panic!("no {name}"));
    reader.records().map(|record| record.unwrap()[at].to_owned()).collect()
}

#[test]
fn a_model_is_handed_over() {
    let scratch = Scratch::new();
    write_data(&scratch);
    let model = run(&scratch, "first", &[]);
    assert_eq!(model["columns"], serde_json::json!(["left", "flat", "right"]));
    assert_eq!(
        (&model["dropped"], &model["parameter_columns"]),
        (&serde_json::json!(["flat"]), &serde_json::json!(["left", "right"]))
    );
    // In the units of the file: one cluster around 100, one around 160.
    let mut lefts: Vec<f64> = (0..2).map(|g| model["parameters"]["means"][g][0].as_f64().unwrap()).collect();
    lefts.sort_by(f64::total_cmp);
    assert!((lefts[0] - 100.0).abs() < 3.0 && (lefts[1] - 160.0).abs() < 3.0, "{lefts:?}");
    assert_eq!(model["fit"]["measures"]["accuracy"], 1.0);
    let reason = model["fit"]["stop_reason"].as_str().unwrap();
    assert_eq!(reason, "patience: no better held_out_log_likelihood in 3 probes");

    let predict = ["predict", "first", "--data", "two.csv", "--out", "labelled.csv"];
    finish(scratch.fedbits(predict)).done();
    let (components, kinds) = (column(&scratch, "labelled.csv", "component"), column(&scratch, "labelled.csv", "kind"));
    assert_eq!(components.len(), 120);
    let agree = components.iter().zip(&kinds).filter(|(a, b)| a == b).count();
    assert!(agree == 120 || agree == 0, "{agree}");
    assert_eq!(column(&scratch, "labelled.csv", "id")[119], "119");
    // A file that is there is not overwritten.
    let again = finish(scratch.fedbits(predict));
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("labelled.csv is there already"), "{}", again.err);
}

/// A run that starts where another ended is there at once: of the same data, and of data prepared in another way.
#[test]
fn a_run_starts_where_another_ended() {
    let scratch = Scratch::new();
    write_data(&scratch);
    let first = run(&scratch, "first", &[]);
    let start = ["--set", r#"initial=Model("first/model.json")"#];
    let again = run(&scratch, "again", &[&start[..], &["--set", "stop=(rounds: 1)"]].concat());
    let at_start: f64 = column(&scratch, "again/rounds.csv", "objective")[0].parse().unwrap();
    let expected = first["fit"]["measures"]["objective"].as_f64().unwrap();
    assert!((at_start - expected).abs() < 1e-12, "{at_start}, {expected} expected");
    assert_eq!(again["columns"], first["columns"]);
    // Without standardization the same densities are per unit of the columns.
    let plain = [&start[..], &["--set", "preprocess=[DropConstant]", "--set", "stop=(rounds: 1)"]].concat();
    run(&scratch, "plain", &plain);
    let plain: f64 = column(&scratch, "plain/rounds.csv", "objective")[0].parse().unwrap();
    let scales = first["transformation"][1]["affine"]["scales"].as_array().unwrap();
    let logarithms: f64 = scales.iter().map(|scale| libm::log(scale.as_f64().unwrap())).sum();
    assert!((plain - logarithms - expected).abs() < 1e-9, "{plain} - {logarithms}, {expected} expected");
}

#[test]
fn what_cannot_be_used_says_why() {
    let scratch = Scratch::new();
    write_data(&scratch);
    run(&scratch, "first", &[]);
    fs::write(scratch.path("other.csv"), "left,right\n1,2\n").unwrap();
    let refused = |arguments: &[&str], expected: &str| {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
    };
    refused(&["predict", "first", "--data", "other.csv"], "no column `flat`");
    fs::write(scratch.path("broken.json"), "{\"format\": 1").unwrap();
    refused(&["predict", "broken.json", "--data", "two.csv"], "broken.json: line 1");
    // What is used is θ: parameters that were edited by hand are refused, and so is a preparation that does not fit.
    let text = fs::read_to_string(scratch.path("first/model.json")).unwrap();
    let changed = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut model: Value = serde_json::from_str(&text).unwrap();
        change(&mut model);
        fs::write(scratch.path("edited.json"), model.to_string()).unwrap();
        refused(&["predict", "edited.json", "--data", "two.csv"], expected);
        refused(&["run", "two.ron", "--set", r#"initial=Model("edited.json")"#], expected);
    };
    changed(&|model| model["parameters"]["weights"][0] = 0.9.into(), "`parameters` is not what `theta`");
    changed(&|model| drop(model["theta"].as_array_mut().unwrap().pop()), "expected");
    changed(
        &|model| drop(model["transformation"][1]["affine"]["scales"].as_array_mut().unwrap().pop()),
        "1 scales: expected 2",
    );
    changed(&|model| model["transformation"][0]["keep"]["columns"] = serde_json::json!([2, 7]), "below 3");
    changed(&|model| model["columns"] = serde_json::json!(["left"]), "step 0");
    fs::write(scratch.path("binary.json"), [0xff, 0xfe, 0x00]).unwrap();
    refused(&["predict", "binary.json", "--data", "two.csv"], "no text");
    let three = ["run", "two.ron", "--set", r#"initial=Model("first/model.json")"#, "--set", "model.components=3"];
    refused(&three, "components: 2");
    let patience = ["run", "two.ron", "--set", "holdout=None"];
    refused(&patience, "nothing is held out");
}
