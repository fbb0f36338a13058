//! What is set beside the scenario: `--set` without quotes, several scenarios at once, the project's file and variables.

use std::fs;

use crate::support::{Scratch, finish, runs, scenario_file};

/// Words that only make sense as text need no quotes; what is wrong is reported as it was written.
#[test]
fn texts_need_no_quotes() {
    let scratch = Scratch::new();
    let tiny = scenario_file("tiny.ron");
    let run = |sets: &[&str]| {
        let mut command = scratch.fedbits(["run", "-q", "--no-figures", "--out", "out"]);
        command.arg(&tiny);
        command.args(sets.iter().flat_map(|set| ["--set", set]));
        finish(command)
    };
    for name in ["foo", "two words", "5", "\"quoted\"", "../a-b.c"] {
        let output = run(&[&format!("name={name}"), "stop.rounds=2"]);
        assert_eq!(output.code, Some(0), "{name}: {}", output.err);
        assert_eq!(runs(&scratch.path("out"))[0].manifest.scenario, name.trim_matches('"'));
        fs::remove_dir_all(scratch.path("out")).unwrap();
    }
    let slip = run(&["protocol.gama=Constant(0.1)", "name=foo"]);
    assert!(slip.code == Some(2) && slip.err.contains("did you mean `gamma`?"), "{}", slip.err);
    assert!(!slip.err.contains("--set name"), "{}", slip.err);
    let unknown = run(&["round=WaitForAl"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("did you mean `WaitForAll`?"), "{}", unknown.err);
    // What can only be a text is judged as one.
    let range = run(&["network.client_up=0 Mbps"]);
    assert!(range.code == Some(2) && range.err.contains("expected a rate from 1 bit/s"), "{}", range.err);
    let unit = run(&["network.client_up=10 MB/s"]);
    assert!(unit.code == Some(2) && unit.err.contains("bps, kbps, Mbps or Gbps"), "{}", unit.err);
    // Numbers of everyday life are no texts.
    let comma = run(&["protocol.gamma=0,2"]);
    assert!(comma.code == Some(2) && comma.err.contains("decimals follow a point: `0.2`"), "{}", comma.err);
    let share = run(&["protocol.participation=50 %"]);
    assert!(share.code == Some(2) && share.err.contains("write it as `Bernoulli(0.5)`"), "{}", share.err);

    fs::copy(scenario_file("table.csv"), scratch.path("my.csv")).unwrap();
    fs::copy(scenario_file("table.ron"), scratch.path("table.ron")).unwrap();
    let near = finish(scratch.fedbits(["check", "table.ron", "--set", "data.path=mi.csv"]));
    assert!(near.code == Some(2) && near.err.contains("did you mean") && near.err.contains("my.csv?"), "{}", near.err);
    let mut command = scratch.fedbits(["check", "--text-only", "--resolved", "--set", "data.path=my.csv"]);
    command.arg(scenario_file("table.ron"));
    assert!(finish(command).done().contains("path: \"my.csv\""));
}

/// Each scenario has its folder; one that fails keeps no other from running, and decides the exit code.
#[test]
fn several_scenarios_run_one_after_the_other() {
    let scratch = Scratch::new();
    let tiny = fs::read_to_string(scenario_file("tiny.ron")).unwrap();
    for name in ["one", "two"] {
        fs::write(scratch.path(format!("{name}.ron")), &tiny).unwrap();
    }
    fs::write(scratch.path("bad.ron"), "(name: 5)").unwrap();
    // A pattern passes over the project's defaults.
    fs::write(scratch.path("fedbits.ron"), "(threads: 1)").unwrap();
    let output = finish(scratch.fedbits(["run", "*.ron", "--no-figures"]));
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(output.err.contains("1 of 3 scenarios failed: bad.ron"), "{}", output.err);
    for name in ["one", "two"] {
        assert!(output.err.contains(&format!("results in out/{name}\n")), "{}", output.err);
        assert_eq!(runs(&scratch.path(format!("out/{name}"))).len(), 1);
    }
    let output = finish(scratch.fedbits(["run", "one.ron", "two.ron", "--no-figures", "--out", "there", "--json"]));
    let lines: Vec<serde_json::Value> =
        output.out.lines().map(|line| serde_json::from_str(line).expect("a line for each")).collect();
    assert_eq!(lines.len(), 2);
    assert!(scratch.path("there/two/plan.json").is_file());

    // However many files a pattern matches, each has a folder.
    finish(scratch.fedbits(["run", "on*.ron", "--no-figures", "--out", "one-of-many"])).done();
    assert!(scratch.path("one-of-many/one/plan.json").is_file());

    fs::create_dir(scratch.path("sub")).unwrap();
    fs::copy(scratch.path("one.ron"), scratch.path("sub/one.ron")).unwrap();
    let same = finish(scratch.fedbits(["run", "one.ron", "sub/one.ron"]));
    assert!(same.code == Some(2) && same.err.contains("would both go to out/one"), "{}", same.err);
    let none = finish(scratch.fedbits(["run", "nothing*"]));
    assert!(none.code == Some(2) && none.err.contains("matches no file and no built-in scenario"), "{}", none.err);
}

/// The nearest file upwards holds, variables stand over it and options over both.
#[test]
fn a_project_says_things_once() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("work/deeper")).unwrap();
    fs::create_dir(scratch.path("tables")).unwrap();
    fs::copy(scenario_file("table.csv"), scratch.path("tables/table.csv")).unwrap();
    let text = fs::read_to_string(scenario_file("table.ron")).unwrap();
    fs::write(scratch.path("work/deeper/table.ron"), text).unwrap();
    let here = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = scratch.fedbits(arguments);
        command.current_dir(scratch.path("work/deeper")).envs(variables.iter().copied());
        command.env_remove("FEDBITS_THREADS").envs(variables.iter().copied());
        finish(command)
    };
    let check = ["check", "table.ron"];
    assert_eq!(here(&check, &[]).code, Some(2), "no data");
    fs::write(scratch.path("fedbits.ron"), "(data: \"tables\", threads: 1, style: \"icml\")").unwrap();
    let page = here(&check, &[]);
    assert!(page.code == Some(0) && page.out.contains("fedbits.ron"), "{}{}", page.out, page.err);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&page.out).contains("threads 1, style icml"), "{}", page.out);
    assert!(words(&here(&check, &[("FEDBITS_THREADS", "2")]).out).contains("threads 2"));
    let threads = |arguments: &[&str]| {
        here(&[&["run", "table.ron", "-q", "--no-figures", "--out", "out"], arguments].concat(), &[]).done();
        let folder = scratch.path("work/deeper/out");
        let threads = runs(&folder)[0].manifest.host.threads;
        fs::remove_dir_all(folder).unwrap();
        threads
    };
    assert_eq!((threads(&[]), threads(&["--threads", "2"])), (1, 2));

    for (text, why) in [
        ("(thraeds: 1)", "did you mean `threads`?"),
        ("(threads: 0)", "such a number of threads"),
        ("(style: \"ieeee\")", "there is no style `ieeee`"),
        ("(data: \"nowhere\")", "there is no folder"),
        ("(threads 1", "the syntax is wrong"),
    ] {
        fs::write(scratch.path("fedbits.ron"), text).unwrap();
        let output = here(&check, &[]);
        assert!(
            output.code == Some(2) && output.err.contains(why) && output.err.contains("project file"),
            "{}",
            output.err
        );
    }
    fs::remove_file(scratch.path("fedbits.ron")).unwrap();
    let wrong = here(&["list"], &[("FEDBITS_STYLE", "ieeee")]);
    assert!(wrong.code == Some(2) && wrong.err.contains("FEDBITS_STYLE"), "{}", wrong.err);
}

/// What an option says and `--set` says otherwise is an error: one of them would be lost.
#[test]
fn an_option_and_a_set_do_not_contradict_each_other() {
    let scratch = Scratch::new();
    fs::copy(scenario_file("tiny.ron"), scratch.path("tiny.ron")).unwrap();
    for (option, command) in [("seed", "run"), ("seed", "check"), ("replicates", "run")] {
        let (given, set) = (format!("--{option}"), format!("{option}=7"));
        let output = finish(scratch.fedbits([command, "tiny.ron", &given, "5", "--set", &set]));
        let expected = format!("--{option} and --set {option}=… both set the same value");
        assert!(output.code == Some(2) && output.err.contains(&expected), "{command} {option}: {}", output.err);
        assert!(!scratch.path("out").exists());
    }
}

/// Where no pilots are made, programs are told of the arms what people are.
#[test]
fn check_of_texts_has_the_arms() {
    let scratch = Scratch::new();
    let check =
        |format: &[&str]| finish(scratch.fedbits([&["check", "quickstart", "--text-only"], format].concat())).done();
    let found: serde_json::Value = serde_json::from_str(&check(&["--json"])).unwrap();
    let arms = found["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 4, "{found}");
    let table = check(&["--format", "csv"]);
    for arm in arms {
        let (name, settings) = (arm["arm"].as_str().unwrap(), arm["settings"].as_str().unwrap());
        assert!(table.contains(name) && table.contains(settings), "{arm}: {table}");
    }
}
