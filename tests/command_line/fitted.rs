//! A fitted model from its run to new data and to the start of another run, as a user does it.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::command_line::outcomes::assert_whole;
use crate::support::{Scratch, finish, runs};

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
    serde_json::from_str(&fs::read_to_string(scratch.path(out).join("models/two.json")).unwrap()).unwrap()
}

fn column(scratch: &Scratch, file: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(scratch.path(file)).unwrap();
    let at = reader.headers().unwrap().iter().position(|title| title == name).unwrap_or_else(|| panic!("no {name}"));
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
    // Without names no column of the model is found.
    fs::write(scratch.path("unnamed.csv"), "1.5,2.5\n3.5,4.5\n").unwrap();
    let unnamed = finish(scratch.fedbits(["predict", "first", "--data", "unnamed.csv"]));
    let expected = "unnamed.csv:1: expected a first line with the names of the columns, found numbers alone (`1.5` …)";
    assert!(unnamed.code == Some(2) && unnamed.err.contains(expected), "{}", unnamed.err);
    fs::write(scratch.path("unnamed.csv"), "1.5,red\n3.5,blue\n").unwrap();
    let unnamed = finish(scratch.fedbits(["predict", "first", "--data", "unnamed.csv"]));
    let expected = "unnamed.csv: no column `left`: expected a first line with the names of the columns, found `1.5`, \
                    `red`";
    assert!(unnamed.code == Some(2) && unnamed.err.contains(expected), "{}", unnamed.err);
    // Of a model that knows places alone, names are data.
    let plain: String = (0..40).map(|j| format!("{},{}\n", 9 * (j % 2) + j % 7, j % 5)).collect();
    fs::write(scratch.path("plain.csv"), plain).unwrap();
    run(&scratch, "plain", &["--set", r#"data=Csv(path: "plain.csv", header: false)"#]);
    fs::write(scratch.path("named.csv"), "left,right\n3.5,4.5\n").unwrap();
    let named = finish(scratch.fedbits(["predict", "plain", "--data", "named.csv"]));
    let expected = "found `left` (the model was fitted to a table without names of columns)";
    assert!(named.code == Some(2) && named.err.contains(expected), "{}", named.err);
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
    let start = ["--set", r#"initial=Model("first/models/two.json")"#];
    let again = run(&scratch, "again", &[&start[..], &["--set", "stop=(rounds: 1)"]].concat());
    let objective = |out: &str| runs(&scratch.path(out))[0].rounds[0].objective.unwrap();
    let at_start = objective("again");
    let expected = first["fit"]["measures"]["objective"].as_f64().unwrap();
    assert!((at_start - expected).abs() < 1e-12, "{at_start}, {expected} expected");
    assert_eq!(again["columns"], first["columns"]);
    // Without standardization the same densities are per unit of the columns.
    let plain = [&start[..], &["--set", "preprocess=[DropConstant]", "--set", "stop=(rounds: 1)"]].concat();
    run(&scratch, "plain", &plain);
    let plain = objective("plain");
    let scales = first["transformation"][1]["affine"]["scales"].as_array().unwrap();
    let logarithms: f64 = scales.iter().map(|scale| libm::log(scale.as_f64().unwrap())).sum();
    assert!((plain - logarithms - expected).abs() < 1e-9, "{plain} - {logarithms}, {expected} expected");
}

/// Texts and gaps of a table become numbers as they did for the fit; classes have their names.
#[test]
fn factors_gaps_and_classes_are_carried_over() {
    let scratch = Scratch::new();
    let mut text = "x,colour,kind,component\n".to_owned();
    for j in 0..90 {
        let (side, colour) = (j % 2, ["red", "green", "blue"][j / 2 % 3]);
        let x = if j == 6 { "NA".to_owned() } else { format!("{}", 10.0 * side as f64 + (j * 7 % 13) as f64 / 9.0) };
        writeln!(text, "{x},{colour},{},{j}", ["low", "high"][side]).unwrap();
    }
    fs::write(scratch.path("mixed.csv"), &text).unwrap();
    let scenario = r#"(name: "mixed",
    data: Csv(path: "mixed.csv", columns: ["x", "colour"], label: "kind", missing: Impute(Mode), factors: Treatment),
    clients: 3,
    model: GaussianMixture(components: 2, covariance: Tied),
    initial: Parameters([0.5, 0.5, 0, 0.3, 0.3, 10, 0.3, 0.3, 1, 0, 0.25, 0, -0.1, 0.25]),
    protocol: FedEm(gamma: 1),
    stop: (rounds: 60))"#;
    fs::write(scratch.path("mixed.ron"), scenario).unwrap();
    finish(scratch.fedbits(["run", "mixed.ron", "--no-figures", "--out", "first"])).done();
    let classes = column(&scratch, "first/components.csv", "class");
    assert!(classes.contains(&"low".to_owned()) && classes.contains(&"high".to_owned()), "{classes:?}");
    let done = finish(scratch.fedbits(["predict", "first", "--data", "mixed.csv", "--out", "new.csv"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("filled in as in the data of the fit: 1"), "{}", done.err);
    assert!(done.err.contains("the model's prediction is in `predicted_component`"), "{}", done.err);
    assert_eq!(column(&scratch, "new.csv", "class"), column(&scratch, "mixed.csv", "kind"));
    assert_eq!(column(&scratch, "new.csv", "component")[89], "89");
    // The 1 and 0 of the levels are those that a file with such columns has.
    let of = |line: &str| {
        fs::write(scratch.path("one.csv"), format!("x,colour\n{line}\n")).unwrap();
        let output = finish(scratch.fedbits(["predict", "first", "--data", "one.csv", "--format", "json"]));
        let rows: Value = serde_json::from_str(&output.out).unwrap();
        rows["predictions"][0]["log_density"].as_f64()
    };
    let found = [of("0.5,red"), of("0.5,blue"), of("0.5,green")];
    assert!(found.iter().all(Option::is_some) && found[0] != found[1], "{found:?}");
    fs::write(scratch.path("purple.csv"), "x,colour\n0.5,purple\n").unwrap();
    let refused = finish(scratch.fedbits(["predict", "first", "--data", "purple.csv"]));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("purple.csv:2: column `colour`") && refused.err.contains("`green`"),
        "{}",
        refused.err
    );
    fs::write(scratch.path("notes.csv"), "x,colour,note\n0.5,red,\"a\n0.5,blue,b\"\n").unwrap();
    let done = finish(scratch.fedbits(["predict", "first", "--data", "notes.csv", "--out", "notes-labelled.csv"]));
    assert!(done.err.contains("rows with a line break between double quotes: 1"), "{}", done.err);
    // Without a rule for gaps nothing is said of the row, and the row stays.
    finish(scratch.fedbits(["run", "mixed.ron", "--set", "data.missing=Drop", "--no-figures", "--out", "drop"])).done();
    let done = finish(scratch.fedbits(["predict", "drop", "--data", "mixed.csv", "--out", "gaps.csv"]));
    assert!(done.err.contains("left without a prediction: 1"), "{}", done.err);
    let densities = column(&scratch, "gaps.csv", "log_density");
    assert_eq!(densities.iter().filter(|density| density.is_empty()).count(), 1);
    assert!(densities[6].is_empty() && densities.len() == 90);
}

/// What was copied stands in every format as in the file; what was computed are numbers, also where a class could be one.
#[test]
fn cells_are_copied_as_they_stand() {
    let scratch = Scratch::new();
    write_data(&scratch);
    let text = fs::read_to_string(scratch.path("two.csv")).unwrap();
    let renamed = text.lines().map(|line| match line.rsplit_once(',') {
        Some((cells, "kind")) => format!("{cells},kind\n"),
        Some((cells, kind)) => format!("{cells},0{kind}\n"),
        None => String::new(),
    });
    fs::write(scratch.path("two.csv"), renamed.collect::<String>()).unwrap();
    run(&scratch, "first", &[]);
    let ids = ["12345678901234567", "12345678901234568", "1e5"];
    let cells = ["007,NA,1.50", "1,,1e2", "-5,?,"];
    let lines = ids.iter().zip(cells).map(|(id, cells)| format!("{id},{cells},0.2\n"));
    fs::write(scratch.path("new.csv"), format!("id,code,country,left,right\n{}", lines.collect::<String>())).unwrap();
    let said =
        |format: &str| finish(scratch.fedbits(["predict", "first", "--data", "new.csv", "--format", format])).done();
    let rows: Value = serde_json::from_str(&said("json")).unwrap();
    let mut reader = csv::Reader::from_path(scratch.path("new.csv")).unwrap();
    let names = reader.headers().unwrap().clone();
    for (at, record) in reader.records().enumerate() {
        let row = &rows["predictions"][at];
        names.iter().zip(&record.unwrap()).for_each(|(name, cell)| assert_eq!(row[name], cell, "{name} of {row}"));
        // Nothing is said of the last.
        let computed = ["component", "log_density", "responsibility_0", "responsibility_1"];
        assert!(computed.iter().all(|name| if at < 2 { row[name].is_number() } else { row[name].is_null() }), "{row}");
        let classes = if at < 2 { vec!["00".into(), "01".into()] } else { vec![Value::Null] };
        assert!(classes.contains(&row["class"]), "{row}");
    }
    let markdown = said("markdown");
    assert!(markdown.contains("| 12345678901234567 | 007 | NA | 1.50 | 0.2 |"), "{markdown}");
    let latex = said("latex");
    assert!(latex.contains("1e5 & -5 & ? &  & 0.2 &"), "{latex}");
}

/// A row per subject, from a file that is read as the one of the fit was.
#[test]
fn subjects_have_their_own_effects() {
    let scratch = Scratch::new();
    let mut text = "who,age,height\n".to_owned();
    for who in 0..8 {
        (0..5).for_each(|time| {
            let height = 100.0 + f64::from(3 * who) + f64::from(5 * time) + f64::from((who + time) % 3) / 10.0;
            writeln!(text, "s{who},{time},{height}").unwrap();
        });
    }
    fs::write(scratch.path("growth.csv"), text).unwrap();
    let scenario = r#"(name: "growth",
    data: Longitudinal(path: "growth.csv", subject: "who", time: "age", value: "height", missing: Drop),
    clients: 2,
    model: MixedEffects(curve: Polynomial(degree: 1)),
    initial: Typical(values: [100, 4], deviations: [5, 1], sigma: 1),
    protocol: FlSaem(gamma: 1, local: Expect, domain: Clip(floor: 1e-6)),
    stop: (rounds: 50))"#;
    fs::write(scratch.path("growth.ron"), scenario).unwrap();
    finish(scratch.fedbits(["run", "growth.ron", "--no-figures", "--out", "first"])).done();
    finish(scratch.fedbits(["predict", "first", "--data", "growth.csv", "--out", "effects.csv"])).done();
    assert_eq!(column(&scratch, "effects.csv", "subject")[7], "s7");
    let levels = column(&scratch, "effects.csv", "estimate_0");
    let levels: Vec<f64> = levels.iter().map(|level| level.parse().unwrap()).collect();
    for (who, level) in levels.iter().enumerate() {
        assert!((level - 100.0 - 3.0 * who as f64).abs() < 0.5, "{levels:?}");
    }
    // What is left out is told, in every format.
    let gaps = "who,age,height\nA,1,110\nA,,112\nB,NA,103\nC,2,?\nD,3,115\n";
    fs::write(scratch.path("gaps.csv"), gaps).unwrap();
    let done = finish(scratch.fedbits(["predict", "first", "--data", "gaps.csv", "--format", "json"]));
    let rows: Value = serde_json::from_str(&done.out).unwrap();
    let said = rows["predictions"].as_array().unwrap().iter().map(|row| (&row["subject"], &row["observations"]));
    assert_eq!(said.collect::<Vec<_>>(), [(&"A".into(), &1.into()), (&"D".into(), &1.into())]);
    let expected = "left out: 3 observations without a time or a value, and 2 subjects";
    assert!(done.code == Some(0) && done.err.contains(expected), "{}", done.err);
    let refused = finish(scratch.fedbits(["predict", "first", "--data", "effects.csv"]));
    assert!(refused.code == Some(2) && refused.err.contains("no column `who`"), "{}", refused.err);
    let refused = finish(scratch.fedbits(["predict", "first", "--data", "growth.csv", "--delimiter", ";"]));
    assert!(refused.code == Some(2) && refused.err.contains("--delimiter"), "{}", refused.err);
}

/// Items are those of their names, wherever they stand.
#[test]
fn items_are_found_by_their_names() {
    let scratch = Scratch::new();
    let names = ["q1", "q2", "q3", "q4", "q5", "q6"];
    let mut text = names.join(",") + "\n";
    for person in 0..60_u32 {
        let items: Vec<String> = (0..6).map(|j| u32::from(person * (2 * j + 7) % 11 > 3 + j).to_string()).collect();
        writeln!(text, "{}", items.join(",")).unwrap();
    }
    fs::write(scratch.path("resp.csv"), text).unwrap();
    let scenario = r#"(name: "bf", data: Responses(path: "resp.csv"), clients: 10,
    model: BiFactor(groups: [1, 1, 1, 2, 2, 2]), initial: Loadings(general: 1, specific: 0.7),
    protocol: FlSaem(gamma: Saem(k1: 10), local: Sample(kernel: RandomWalk()), domain: Clip(floor: 1e-4)),
    stop: (rounds: 20))"#;
    fs::write(scratch.path("bf.ron"), scenario).unwrap();
    finish(scratch.fedbits(["run", "bf.ron", "--no-figures", "--out", "first"])).done();
    let mut model: Value =
        serde_json::from_str(&fs::read_to_string(scratch.path("first/models/bf.json")).unwrap()).unwrap();
    assert_eq!((&model["columns"], &model["parameter_columns"]), (&names.into(), &names.into()));
    let said = |model: &str, table: &str| {
        fs::write(scratch.path("new.csv"), table).unwrap();
        finish(scratch.fedbits(["predict", model, "--data", "new.csv"]))
    };
    let straight = said("first", "q1,q2,q3,q4,q5,q6\n1,0,1,0,0,0\n").done();
    assert_eq!(said("first", "q6,who,q2,q3,q4,q5,q1\n0,me,0,1,0,0,1\n").done(), straight);
    assert_ne!(said("first", "q6,q2,q3,q4,q5,q1\n1,0,1,0,0,0\n").done(), straight);
    let refused = said("first", "a,b,c,d,e,f\n1,0,1,0,0,0\n");
    assert!(refused.code == Some(2) && refused.err.contains("no column `q1`"), "{}", refused.err);
    (model["columns"], model["parameter_columns"]) = (serde_json::json!([]), serde_json::json!([]));
    fs::write(scratch.path("former.json"), model.to_string()).unwrap();
    let former = said("former.json", "q6,q2,q3,q4,q5,q1\n1,0,1,0,0,0\n");
    assert!(former.err.contains("items are taken in file order"), "{}", former.err);
    assert_eq!(former.done(), straight);
    // Of a file without names the places are all there is.
    fs::write(scratch.path("plain.csv"), "1,0,1,0,0,0\n0,1,1,0,1,1\n").unwrap();
    let plain = ["run", "bf.ron", "--no-figures", "--set", r#"data.path="plain.csv""#, "--set", "clients=2"];
    finish(scratch.fedbits(plain.iter().chain(&["--out", "plain"]))).done();
    assert_eq!(said("plain", "1,0,1,0,0,0\n").code, Some(0));
    let refused = said("plain", "q6,q2,q3,q4,q5,q1\n1,0,1,0,0,0\n");
    assert!(refused.code == Some(2) && refused.err.contains("new.csv:1"), "{}", refused.err);
    let unnamed = said("first", "1,0,1,0,0,0\n0,1,1,0,1,1\n");
    let expected = "new.csv:1: expected a first line with the names of the columns, found numbers alone (`1` …)";
    assert!(unnamed.code == Some(2) && unnamed.err.contains(expected), "{}", unnamed.err);
    // How many persons gave the responses of a row is nothing that their scores depend on.
    let patterns = fs::read_to_string(scratch.path("resp.csv")).unwrap().replace('\n', ",2\n").replacen(",2", ",n", 1);
    fs::write(scratch.path("patterns.csv"), patterns).unwrap();
    let data = r#"data=Responses(path: "patterns.csv", frequency: "n")"#;
    finish(scratch.fedbits(["run", "bf.ron", "--no-figures", "--set", data, "--out", "patterns"])).done();
    let without = said("patterns", "q1,q2,q3,q4,q5,q6\n1,0,1,0,0,0\n").done();
    assert_eq!(said("patterns", "q1,q2,q3,q4,q5,q6,n\n1,0,1,0,0,0,3\n").done(), without);
    assert_eq!(without.lines().count(), 2, "{without}");
}

#[test]
fn what_cannot_be_used_says_why() {
    let scratch = Scratch::new();
    write_data(&scratch);
    run(&scratch, "first", &[]);
    fs::write(scratch.path("other.csv"), "left,flat\n1,2\n").unwrap();
    // What the preparation dropped is not asked for.
    fs::write(scratch.path("without.csv"), "left,right\n100,0.2\n").unwrap();
    let done = finish(scratch.fedbits(["predict", "first", "--data", "without.csv"])).done();
    assert_eq!(done.lines().count(), 2);
    let refused = |arguments: &[&str], expected: &str| {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
    };
    refused(&["predict", "first", "--data", "other.csv"], "no column `right`");
    // A fit refuses such numbers, of which a density cannot be computed.
    fs::write(scratch.path("huge.csv"), "left,right\n100,0.2\n1e160,0.2\n").unwrap();
    refused(
        &["predict", "first", "--data", "huge.csv"],
        "huge.csv:3: column `left`: expected a number of at most 1e150",
    );
    fs::write(scratch.path("broken.json"), "{\"format\": 1").unwrap();
    refused(&["predict", "broken.json", "--data", "two.csv"], "broken.json: line 1");
    // What is used is θ: parameters that were edited by hand are refused, and so is a preparation that does not fit.
    let text = fs::read_to_string(scratch.path("first/models/two.json")).unwrap();
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
    changed(&|model| model["fit"]["component_classes"] = serde_json::json!(["a"]), "1 `component_classes`, expected 2");
    refused(&["predict", "nothing-here", "--data", "two.csv"], "there is no file nothing-here");
    let arms = r#"arms=[(name: "one"), (name: "other", set: {"protocol.gamma": "Constant(0.5)"})]"#;
    let two = ["run", "two.ron", "--no-figures", "--set", arms, "--set", "stop=(rounds: 2)", "--out", "arms"];
    finish(scratch.fedbits(two)).done();
    refused(&["predict", "arms", "--data", "two.csv"], "one of `one`, `other`");
    refused(&["predict", "arms", "--data", "two.csv", "--arm", "othre"], "`other`");
    // What a pipe gives can be looked at once.
    #[cfg(unix)]
    refused(&["predict", "first", "--data", "/dev/null"], "a socket or a device");
    fs::write(scratch.path("binary.json"), [0xff, 0xfe, 0x00]).unwrap();
    refused(&["predict", "binary.json", "--data", "two.csv"], "not text");
    let three = ["run", "two.ron", "--set", r#"initial=Model("first/models/two.json")"#, "--set", "model.components=3"];
    refused(&three, "components: 2");
    let patience = ["run", "two.ron", "--set", "holdout=None"];
    refused(&patience, "nothing is held out");
}

/// Two columns of a name can be fitted by their places, but no other file says which is which.
#[test]
fn columns_of_one_name_are_not_guessed() {
    let scratch = Scratch::new();
    write_data(&scratch);
    let data = fs::read_to_string(scratch.path("two.csv")).unwrap().replacen("left,flat,right", "left,flat,left", 1);
    fs::write(scratch.path("two.csv"), data).unwrap();
    let text = fs::read_to_string(scratch.path("two.ron")).unwrap();
    let columns = r#"[Name("left"), Name("flat"), Name("right")]"#;
    fs::write(scratch.path("two.ron"), text.replace(columns, "[Index(1), Index(3)]")).unwrap();
    run(&scratch, "twins", &[]);
    fs::write(scratch.path("other.csv"), "left,right\n1,2\n").unwrap();
    let output = finish(scratch.fedbits(["predict", "twins/models/two.json", "--data", "other.csv"]));
    assert!(output.code == Some(2) && output.err.contains("the model has two columns `left`"), "{}", output.err);
}

/// Names of classes and sites that look like formulas stand behind an apostrophe in CSV files, and as they are elsewhere.
#[test]
fn names_that_look_like_formulas_are_no_formulas() {
    let scratch = Scratch::new();
    write_data(&scratch);
    let data = fs::read_to_string(scratch.path("two.csv")).unwrap();
    let named = data.lines().map(|line| match line.strip_suffix(",0") {
        Some(rest) => format!("{rest},=A1\n"),
        None => format!("{}\n", line.strip_suffix(",1").map_or(line.to_owned(), |rest| format!("{rest},@B"))),
    });
    fs::write(scratch.path("two.csv"), named.collect::<String>()).unwrap();
    run(&scratch, "first", &[]);
    fs::write(
        scratch.path("counts.ron"),
        r#"(name: "counts", data: Counts(path: "counts.csv", site: "site", arrangement: Wide(counts: ["y1", "y2"])),
    clients: 2, partition: Observers, model: LowRank(rank: 1), initial: Margins, protocol: FedMissEm(gamma: 0.5), stop: (rounds: 2))"#,
    )
    .unwrap();
    fs::write(scratch.path("counts.csv"), "site,y1,y2\n-x,1,2\nb,3,4\n").unwrap();
    finish(scratch.fedbits(["run", "counts.ron", "--no-figures", "--out", "counts"])).done();
    for (model, data, column, names, first) in
        [("first", "two.csv", "class", ["=A1", "@B"], "kind"), ("counts", "counts.csv", "site", ["-x", "b"], "site")]
    {
        finish(scratch.fedbits(["predict", model, "--data", data, "--out", &format!("said-{model}.csv")])).done();
        let found = self::column(&scratch, &format!("said-{model}.csv"), column);
        let guarded = |name: &str| if name == "b" { name.to_owned() } else { format!("'{name}") };
        assert!(names.iter().all(|name| found.contains(&guarded(name))), "{found:?}");
        let done = finish(scratch.fedbits(["predict", model, "--data", data, "--format", "json"]));
        let found: Value = serde_json::from_str(&done.out).unwrap();
        let rows = found["predictions"].as_array().unwrap();
        assert!(names.iter().all(|name| rows.iter().any(|row| row[column] == *name)), "{}", done.out);
        // Cells are copied as they are.
        assert_eq!(self::column(&scratch, data, first)[0], names[0]);
    }
    assert_eq!(self::column(&scratch, "said-first.csv", "kind")[0], "=A1");
}

/// Arrays are read from files of one and of several arrays, whichever the model was fitted to; numbers whose squares no
/// double holds are refused with their place.
#[test]
fn arrays_in_either_kind_of_file_are_predicted() {
    let scratch = Scratch::new();
    for name in ["line.npy", "only.npz"] {
        fs::copy(format!("tests/golden/arrays/{name}"), scratch.path(name)).unwrap();
    }
    let text = r#"(name: "line", data: Npy(path: "line.npy"), model: GaussianMixture(components: 1),
    initial: KMeans(iterations: 2, restarts: 1), protocol: CentralizedEm(), stop: (rounds: 2))"#;
    fs::write(scratch.path("line.ron"), text).unwrap();
    finish(scratch.fedbits(["run", "line.ron", "--no-figures", "--out", "fit"])).done();
    let predict = |data: &str| finish(scratch.fedbits(["predict", "fit", "--data", data]));
    assert_eq!(predict("line.npy").out.lines().count(), 5);
    assert_eq!(predict("line.npy").out, predict("only.npz").out);
    // The name of an array says nothing of a file with one.
    fs::write(scratch.path("named.ron"), text.replace("line.npy\"", "only.npz\", array: \"x\"")).unwrap();
    finish(scratch.fedbits(["run", "named.ron", "--no-figures", "--out", "named"])).done();
    let named = finish(scratch.fedbits(["predict", "named", "--data", "line.npy"])).done();
    assert_eq!(named, predict("line.npy").out);
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
    let mut bytes = [b"\x93NUMPY\x01\x00", &118_u16.to_le_bytes()[..], format!("{header:117}\n").as_bytes()].concat();
    [1.0_f64, -1e151].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    fs::write(scratch.path("large.npy"), bytes).unwrap();
    let refused = predict("large.npy");
    let expected = "large.npy: example 1 (counted from 0): column `column 0`: expected a number of at most 1e150";
    assert!(refused.code == Some(2) && refused.err.contains(expected), "{}", refused.err);
}

/// Indices of a fit count from 0, and no row of the file to predict has one: it is the same table all the same.
#[test]
fn sparse_files_have_the_features_of_the_fit() {
    let scratch = Scratch::new();
    let row = |j: u32| format!("{} 0:{}.5 1:{} 2:{}.25\n", j % 2, 5 * (j % 2) + j % 3, j % 5, j % 7);
    fs::write(scratch.path("fit.svm"), (0..60).map(row).collect::<String>()).unwrap();
    let scenario = r#"(name: "s", data: LibSvm(path: "fit.svm", features: 3), clients: 3,
    model: GaussianMixture(components: 2, covariance: Full), protocol: FedEm(gamma: 0.5), stop: (rounds: 5))"#;
    fs::write(scratch.path("s.ron"), scenario).unwrap();
    finish(scratch.fedbits(["run", "s.ron", "--no-figures", "--out", "first"])).done();
    let said = |text: &str| {
        fs::write(scratch.path("new.svm"), text).unwrap();
        finish(scratch.fedbits(["predict", "first", "--data", "new.svm"]))
    };
    assert_eq!(said("1 1:3 2:4.25\n0 2:1.25\n").done(), said("1 0:0 1:3 2:4.25\n0 2:1.25\n").done());
    let beyond = said("1 1:3 3:4.25\n");
    assert!(beyond.code == Some(2) && beyond.err.contains("`feature 3` is not a column"), "{}", beyond.err);
}
