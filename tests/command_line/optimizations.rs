//! Studies that propose their arms themselves.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::searches::decision;
use crate::studies::{json, scratch_with, study};
use crate::support::{Scratch, finish};

/// An optimization of the tiny scenario.
pub(crate) fn optimization(changes: &[(&str, &str)]) -> Scratch {
    let scratch = scratch_with(&[]);
    let mut text = "(
        name: \"tiny search\",
        base: \"tiny.ron\",
        replicates: 6,
        targets: [MeanFieldSq(1e-3)],
        budget: (bits: \"40 kB\", mean_field_sq: 1e-3),
        search: Optimize(
            objective: BitsTo(MeanFieldSq(1e-3)),
            over: {
                \"protocol.gamma\": LogUniform(0.03, 1),
                \"protocol.compressor\": Choice([\"Identity\", \"RandK(k: 2)\"]),
                \"protocol.compressor.k\": Uniform(1, 4),
            },
            when: {\"protocol.compressor.k\": {\"protocol.compressor\": \"RandK(k: 2)\"}},
            budget: Runs(60),
        ),
    )"
    .to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::write(scratch.path("study.ron"), text).unwrap();
    scratch
}

#[test]
fn an_optimization_beats_the_baseline() {
    let scratch = optimization(&[]);
    let counts = json(&finish(study(&scratch, &[])).done());
    assert!((50..=60).contains(&counts["finished"].as_u64().unwrap()) && counts["missing"] == 0, "{counts}");
    let (decision, plan) = (decision(&scratch), json(&fs::read_to_string(scratch.path("out/study.json")).unwrap()));
    assert_eq!(decision["ended"], true);
    let best = &decision["arms"][decision["best"][0].as_u64().unwrap() as usize];
    assert!(best["against_baseline"][0]["mean"].as_f64().unwrap() < 0.8, "{best}");
    assert!(best["against_baseline"][0]["pairs"].as_u64().unwrap() >= 3, "{best}");
    assert_eq!(decision["incumbents"][0]["runs"].as_u64().map(|runs| runs > 0), Some(true));
    // The runner-up is another arm, with as many runs as any beside the best one; half of the probability is at 1.
    let next = &decision["runner_up"];
    assert_ne!(next["arm"], decision["best"][0]);
    let (mean, likely) = (next["effect"]["mean"].as_f64().unwrap(), next["probability"].as_f64().unwrap());
    assert_eq!(mean < 1.0, likely > 0.5, "{next}");
    assert_eq!(next["effect"]["high"].as_f64().unwrap() < 1.0, likely > 0.975, "{next}");
    let told = finish(scratch.fedbits(["compare", "out"])).done();
    assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains("How sure: it costs"), "{told}");
    // A path exists where it is to exist, as the table of results says.
    let axis = &plan["axes"][0];
    let column = |path: &str| axis["paths"].as_array().unwrap().iter().position(|own| own == path).unwrap();
    let values = |path: &str| axis["values"][column(path)].as_array().unwrap().clone();
    for (compressor, k) in values("protocol.compressor").iter().zip(values("protocol.compressor.k")).skip(1) {
        assert_eq!(compressor == "Identity", k == "–", "{compressor} {k}");
    }
    // Killed, shared and resumed it is the same.
    let expected = fs::read_to_string(scratch.path("out/decision.json")).unwrap();
    let again = optimization(&[]);
    for wait in [30, 60, 90, 120] {
        let mut children = [(); 2].map(|()| {
            study(&again, &["-q", "--threads", "1"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        });
        for child in &mut children {
            std::thread::sleep(std::time::Duration::from_millis(wait));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
    assert_eq!(json(&finish(study(&again, &[])).done())["digest"], counts["digest"]);
    assert_eq!(fs::read_to_string(again.path("out/decision.json")).unwrap(), expected);
}

/// Points with the settings of the baseline are the baseline: no run is made twice, and it is not its own runner-up.
#[test]
fn the_baseline_is_not_proposed_again() {
    let own = |laws: &str| {
        let over = "\"protocol.gamma\": LogUniform(0.03, 1),
                \"protocol.compressor\": Choice([\"Identity\", \"RandK(k: 2)\"]),
                \"protocol.compressor.k\": Uniform(1, 4),";
        let when = "when: {\"protocol.compressor.k\": {\"protocol.compressor\": \"RandK(k: 2)\"}},";
        let scratch = optimization(&[(over, laws), (when, ""), ("Runs(60)", "Runs(20)")]);
        let output = finish(study(&scratch, &[]));
        let plan = json(&fs::read_to_string(scratch.path("out/study.json")).unwrap());
        (output.err, decision(&scratch), plan)
    };
    let (_, decision, plan) = own("\"protocol.gamma\": Choice([\"0.3\", \"0.05\"])");
    let identities: Vec<&Value> = plan["arms"].as_array().unwrap().iter().map(|arm| &arm["identity"]).collect();
    assert_eq!(identities.len(), 2, "{identities:?}");
    assert_eq!(decision["ended"], true);
    assert_ne!(decision["runner_up"]["arm"], decision["best"][0], "{decision}");
    let (told, _, plan) = own("\"data.examples\": Choice([\"200\", \"100\"])");
    let caveat = "the search decides between arms that solve different problems";
    assert!(told.matches(caveat).count() == 1 && told.contains("`point 1` and perhaps others"), "{told}");
    assert!(plan["caveats"][0].as_str().unwrap().starts_with(caveat), "{plan}");
}

/// A file that proposed arms alone read has changed: their runs are made again, those of the others are kept.
#[test]
fn a_changed_file_of_a_point_is_another_point() {
    let table =
        |shift: usize| (0..60).map(|row| format!("{},{}\n", (row * 7 + shift) % 13, row % 5)).collect::<String>();
    let over = "\"protocol.gamma\": LogUniform(0.03, 1),
                \"protocol.compressor\": Choice([\"Identity\", \"RandK(k: 2)\"]),
                \"protocol.compressor.k\": Uniform(1, 4),";
    let when = "when: {\"protocol.compressor.k\": {\"protocol.compressor\": \"RandK(k: 2)\"}},";
    let law = "\"data\": Choice([\"Csv(path: \\\"own.csv\\\", header: false)\"]),";
    let changes = [(over, law), (when, ""), ("Runs(60)", "Runs(12)"), ("mean_field_sq: 1e-3)", "rounds: 20)")];
    let run = |scratch: &Scratch, shift: usize| {
        fs::write(scratch.path("own.csv"), table(shift)).unwrap();
        let output = finish(study(scratch, &[]));
        json(&output.done())["digest"].clone()
    };
    let (scratch, fresh) = (optimization(&changes), optimization(&changes));
    let first = run(&scratch, 0);
    let second = run(&scratch, 5);
    assert_ne!(first, second);
    assert_eq!(second, run(&fresh, 5));
    assert_eq!(run(&scratch, 0), first);
}

/// Two costs: a front of arms that do not beat each other, and the volume below the baseline.
#[test]
fn an_optimization_of_two_costs_gives_a_front() {
    let front = "objective: Front([BitsTo(MeanFieldSq(1e-3)), RoundsTo(MeanFieldSq(1e-3))])";
    let scratch = optimization(&[("objective: BitsTo(MeanFieldSq(1e-3))", front)]);
    finish(study(&scratch, &[])).done();
    let decision = decision(&scratch);
    let best: Vec<usize> =
        decision["best"].as_array().unwrap().iter().map(|arm| arm.as_u64().unwrap() as usize).collect();
    assert!(!best.is_empty());
    assert!(decision["hypervolume"].as_f64().unwrap() > 0.0);
    // Below the costs of the baseline.
    assert_eq!(decision["reference"]["arm"], 0);
    assert_eq!(decision["reference"]["costs"], decision["arms"][0]["costs"]);
}

/// Constraints keep arms from winning; what no arm meets is told by an arm that is best and not feasible.
#[test]
fn bad_optimizations_say_what_is_wrong() {
    let said = |changes: &[(&str, &str)]| {
        let output = finish(study(&optimization(changes), &[]));
        assert_eq!(output.code, Some(2), "{}", output.err);
        output.err
    };
    let gamma = "\"protocol.gamma\": LogUniform(0.03, 1)";
    assert!(said(&[(gamma, "\"protocol.gama\": LogUniform(0.03, 1)")]).contains("gamma"));
    assert!(said(&[(gamma, "\"protocol.gamma\": LogUniform(0.03, -1)")]).contains("LogUniform"));
    assert!(said(&[("when: {\"protocol.compressor.k\"", "when: {\"protocol.compressor.q\"")]).contains("compressor.q"));
    assert!(
        said(&[("\"protocol.compressor\": \"RandK(k: 2)\"}", "\"protocol.compressor\": \"TopK(k: 2)\"}")])
            .contains("TopK")
    );
    assert!(said(&[("budget: Runs(60)", "budget: Runs(0)")]).contains("1 to 1000"));
}

/// What an optimization costs is that of the points which it may propose, and its memory that of the largest.
#[test]
fn an_optimization_costs_what_its_points_cost() {
    let estimate = |clients: &str| {
        let clients = format!("\"clients\": LogUniform({clients}), \"protocol.gamma\": LogUniform(0.03, 1)");
        let gamma = "\"protocol.gamma\": LogUniform(0.03, 1)";
        let changes = [(gamma, &*clients), ("budget: (bits: \"40 kB\", mean_field_sq: 1e-3)", "budget: (rounds: 20)")];
        let scratch = optimization(&changes);
        let text =
            finish(scratch.fedbits(["check", "study.ron"])).done().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("pilots of the baseline and 11 points"), "{text}");
        json(&finish(scratch.fedbits(["check", "study.ron", "--json"])).done())
    };
    let (few, many) = (estimate("4, 6"), estimate("4, 180"));
    let of = |estimate: &Value, name: &str| estimate[name].as_f64().unwrap();
    assert_eq!((&few["piloted"], &many["piloted"], &many["runs"]), (&12.into(), &12.into(), &60.into()));
    assert!(of(&many, "bits") > 4.0 * of(&few, "bits") && of(&many, "disk_bytes") > of(&few, "disk_bytes"));
    assert!(of(&many, "memory_bytes") > of(&few, "memory_bytes") + 200_000.0, "{few} {many}");
}
