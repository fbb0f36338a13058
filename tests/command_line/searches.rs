//! Studies that choose their runs: the decision of a race, whoever makes the runs and whatever stops them.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};

use fedbits_record::results::{RunPlan, SegmentWriter, StoredRun};

use serde_json::Value;

use crate::command_line::studies::{json, scratch_with, study};
use crate::support::{Scratch, finish};

/// What makes the tiny study a race.
const RACE: (&str, &str) = (
    "targets: [MeanFieldSq(1e-3)],",
    "targets: [MeanFieldSq(1e-3)], stop: (rounds: 60, mean_field_sq: 1e-3),
    search: Race(objective: BitsTo(MeanFieldSq(1e-3))),",
);
/// Enough arms to have several looks.
const ARMS: (&str, &str) = (
    "\"RandK(k: 2)\"], labels: [\"none\", \"rand-2\"]",
    "\"RandK(k: 2)\", \"RandK(k: 3)\", \"Dithering(levels: 4)\", \"Dithering(levels: 64)\"], \
     labels: [\"none\", \"rand-2\", \"rand-3\", \"dither-4\", \"dither-64\"]",
);
const MANY: (&str, &str) = ("replicates: 6", "replicates: 12");
/// The same race, in which runs are cut so soon that many are.
const SOON: (&str, &str) = (
    RACE.0,
    "targets: [MeanFieldSq(1e-3)], stop: (rounds: 60, mean_field_sq: 1e-3),
    search: Race(objective: BitsTo(MeanFieldSq(1e-3)), cut: Some(1.3)),",
);

fn decision(scratch: &Scratch) -> Value {
    json(&fs::read_to_string(scratch.path("out/decision.json")).unwrap())
}

/// Of all arms × replicates: the arm with the least geometric mean of bits to the target, where all runs reach it.
fn best_of_grid(scratch: &Scratch) -> String {
    let mut reader = csv::Reader::from_path(scratch.path("out/runs.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|title| title == name).unwrap();
    let (arm, reached, bits) =
        (column("arm"), column("reached_to_mean_field_sq_0.001"), column("bits_total_to_mean_field_sq_0.001"));
    let mut sums = std::collections::BTreeMap::<String, (f64, u32)>::new();
    for row in reader.records().map(Result::unwrap) {
        let tally = sums.entry(row[arm].to_owned()).or_default();
        let cost = if &row[reached] == "1" { libm::log(row[bits].parse().unwrap()) } else { f64::INFINITY };
        *tally = (tally.0 + cost, tally.1 + 1);
    }
    let mean = |(_, (sum, count)): &(String, (f64, u32))| *sum / f64::from(*count);
    sums.into_iter().min_by(|one, other| mean(one).total_cmp(&mean(other))).unwrap().0
}

#[test]
fn a_race_finds_the_best_arm_of_the_grid() {
    let grid = scratch_with(&[(RACE.0, RACE.1.split("search").next().unwrap()), ARMS, MANY]);
    finish(study(&grid, &[])).done();
    let race = scratch_with(&[RACE, ARMS, MANY]);
    let output = finish(study(&race, &[]));
    assert!(output.err.contains("2 replicates: `"), "{}", output.err);
    let counts = json(&output.done());
    assert!(counts["planned"].as_u64().unwrap() < 120 && counts["missing"] == 0, "{counts}");
    let (decision, plan) = (decision(&race), json(&fs::read_to_string(race.path("out/plan.json")).unwrap()));
    assert_eq!(decision["ended"], true);
    let best = decision["best"][0].as_u64().unwrap() as usize;
    assert_eq!(plan["arms"][best]["name"], best_of_grid(&grid).as_str());
    // The winner is shown beside the baseline over all its replicates.
    let winner = &decision["arms"][best];
    assert_eq!(winner["asked"], decision["arms"][0]["asked"]);
    assert!(winner["against_baseline"]["mean"].as_f64().unwrap() <= 1.0, "{winner}");
    // What it has not asked for is not missing.
    let watched = finish(race.fedbits(["status", "--watch", "out"])).done();
    let planned = &counts["planned"];
    assert!(watched.contains(&format!("{planned} of {planned} runs done")), "{watched}");
    // Done is done.
    let again = finish(study(&race, &["--threads", "1"]));
    assert_eq!(json(&again.done()), counts);
}

/// Killed anywhere, in one process or several on one folder, as one worker or as shards: the same decision and digest.
#[test]
#[expect(clippy::disallowed_methods, reason = "how long the undisturbed race takes decides when it is killed")]
fn a_race_is_decided_alike_however_it_is_run() {
    let changes = [SOON, ARMS, MANY];
    let whole = scratch_with(&changes);
    let started = std::time::Instant::now();
    let counts = json(&finish(study(&whole, &[])).done());
    let duration = started.elapsed();
    assert!(counts["cut"].as_u64().unwrap() > 3, "{counts}");
    let expected = fs::read_to_string(whole.path("out/decision.json")).unwrap();
    let same = |scratch: &Scratch, what: &str| {
        let last = json(&finish(study(scratch, &[])).done());
        assert_eq!(last["digest"], counts["digest"], "{what}");
        assert_eq!(fs::read_to_string(scratch.path("out/decision.json")).unwrap(), expected, "{what}");
        assert!(!scratch.path("out/leases").exists(), "{what}");
    };
    let begin = |scratch: &Scratch, arguments: &[&str]| -> Child {
        let arguments = [&["-q", "--threads", "1"], arguments].concat();
        study(scratch, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let killed = scratch_with(&changes);
    for kill in 0..12_u32 {
        // Two at a time, of which one is killed and the other soon after.
        let mut children = [begin(&killed, &[]), begin(&killed, &[])];
        for child in &mut children {
            std::thread::sleep(duration.mul_f64(f64::from((kill * 619) % 1_000) / 4_000.0));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
    same(&killed, "killed");
    let shared = scratch_with(&changes);
    let children = ["0/4", "1/4", "2/4", "3/4"].map(|shard| begin(&shared, &["--shard", shard]));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(fs::read_to_string(shared.path("out/decision.json")).unwrap(), expected);
    same(&shared, "shards");
}

/// What a race has ended early plays again to the same results, is told, and is nothing that a study without the race
/// could use: that makes the whole runs. Of whole runs no more counts than of those that were cut.
#[test]
fn runs_that_cost_too_much_are_cut() {
    let race = scratch_with(&[SOON, ARMS, MANY]);
    let counts = json(&finish(study(&race, &[])).done());
    // However many steps there were: each reads all segments.
    assert_eq!(fs::read_dir(race.path("out/segments")).unwrap().count(), 1);
    let cut = counts["cut"].as_u64().unwrap();
    let decided = fs::read_to_string(race.path("out/decision.json")).unwrap();
    let arms = json(&decided)["arms"].as_array().unwrap().clone();
    assert_eq!(arms.iter().filter_map(|arm| arm["cut"].as_u64()).sum::<u64>(), cut);
    let rows = || csv::Reader::from_path(race.path("out/runs.csv")).unwrap();
    let header = rows().headers().unwrap().clone();
    let cell = |name: &str| header.iter().position(|title| title == name).unwrap();
    let bits = |row: &csv::StringRecord| row[cell("bits_total")].parse::<u64>().unwrap();
    let of_cuts: Vec<_> = rows().records().map(Result::unwrap).filter(|row| &row[cell("status")] == "cut").collect();
    assert_eq!(of_cuts.len() as u64, cut);
    for row in &of_cuts {
        let number: usize = row[cell("replicate")].parse().unwrap();
        let most = json(&decided)["cuts"][number]["above"].as_u64().unwrap();
        assert!(bits(row) > most && row[cell("stop_reason")].starts_with("cut: "), "{row:?}");
    }
    let verified = finish(race.fedbits(["verify", "out", "--json"])).done();
    assert_eq!(json(&verified)["different"], Value::Array(Vec::new()), "{verified}");
    let told = finish(race.fedbits(["compare", "out"])).done().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(&format!("{cut} of them cost more than 1.3 times")), "{told}");
    assert!(told.contains("a search ended the run early ("), "{told}");
    let status = finish(race.fedbits(["status", "out"])).done();
    assert!(status.contains(&format!("{cut} ended early by the race")), "{status}");
    // Without the race the study is the grid, and the race is decided alike by the grid's runs.
    let grid = scratch_with(&[(RACE.0, RACE.1.split("search").next().unwrap()), ARMS, MANY]);
    let whole = json(&finish(study(&grid, &[])).done());
    let cheap = fs::read_to_string(race.path("study.ron")).unwrap();
    fs::copy(grid.path("study.ron"), race.path("study.ron")).unwrap();
    let all = json(&finish(study(&race, &[])).done());
    assert_eq!((&all["digest"], &all["finished"], &all["orphaned"]), (&whole["digest"], &120.into(), &cut.into()));
    fs::write(grid.path("study.ron"), cheap).unwrap();
    assert_eq!(json(&finish(study(&grid, &[])).done())["cut"], 0);
    assert_eq!(fs::read_to_string(grid.path("out/decision.json")).unwrap(), decided);
}

/// Folders are put together with what was cut, and nothing of it is made again.
#[test]
fn cut_runs_are_merged() {
    let race = scratch_with(&[SOON, ARMS, MANY]);
    let counts = json(&finish(study(&race, &[])).done());
    finish(race.fedbits(["merge", "out", "--out", "merged"]));
    let size = || {
        let segments = fs::read_dir(race.path("merged/segments")).unwrap();
        segments.map(|entry| entry.unwrap().metadata().unwrap().len()).sum::<u64>()
    };
    let before = size();
    let again = race.fedbits(["study", "study.ron", "--no-figures", "--out", "merged", "--json"]);
    let merged = json(&finish(again).done());
    assert_eq!((&merged["digest"], &merged["cut"], size()), (&counts["digest"], &counts["cut"], before));
}

/// A run that could not be begun and is ended early later is no failure, however it is looked at.
#[test]
fn what_did_not_fit_is_cut_where_there_is_memory() {
    let sketch = "\"CountSketch(rows: 8, columns: 200000)\"], labels: [\"none\", \"sketch\"]";
    let race = scratch_with(&[RACE, ("\"RandK(k: 2)\"], labels: [\"none\", \"rand-2\"]", sketch)]);
    let refused = finish(study(&race, &["--max-memory", "8MB"]));
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(json(&refused.out)["not_run"].as_u64().unwrap() > 0, "{}", refused.out);
    let counts = json(&finish(study(&race, &[])).done());
    assert!(counts["cut"].as_u64().unwrap() >= 4, "{counts}");
    assert_eq!((&counts["orphaned"], &counts["not_run"], &counts["failed"]), (&0.into(), &0.into(), &0.into()));
    finish(race.fedbits(["status", "out"])).done();
    finish(race.fedbits(["merge", "out"])).done();
    let again = finish(study(&race, &["--retry-failed"]));
    assert_eq!(json(&again.done()), counts);
}

/// What another process could not begin, which has less memory, is made by one that has more.
#[test]
fn a_run_that_another_process_could_not_begin_is_made() {
    let race = scratch_with(&[RACE]);
    assert_eq!(finish(study(&race, &["--max-memory", "1kB"])).code, Some(1));
    // Only the baseline was asked for. Now another process has it.
    let plan = RunPlan::read(&race.path("out")).unwrap();
    let key = plan.arms[plan.baseline].key(plan.first_replicate).unwrap();
    fs::remove_dir_all(race.path("out/segments")).unwrap();
    let lease = race.path("out/leases").join(key.to_string());
    assert_eq!(fs::read_to_string(&lease).unwrap(), "done\n");
    let mut lease = fs::File::create(&lease).unwrap();
    lease.try_lock().unwrap();
    let child = study(&race, &["-q"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let refused = StoredRun::NotRun("it does not fit".to_owned());
    SegmentWriter::new(&race.path("out/segments")).append(key, &refused).unwrap();
    lease.write_all(b"done\n").unwrap();
    drop(lease);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(decision(&race)["ended"], true);
}

/// Arms may have names of several lines: where a decision is told as comments, these are one line each.
#[test]
fn decisions_of_arms_with_long_names_are_comments() {
    let values = "\"Dithering(\n    levels: 2,\n)\"]";
    let race = scratch_with(&[RACE, ("\"RandK(k: 2)\"], labels: [\"none\", \"rand-2\"]", values)]);
    finish(study(&race, &[])).done();
    let text = |format: &str| finish(race.fedbits(["compare", "out", "--format", format])).done();
    let comments = |text: &str, sign: &str, end: &str| {
        let lines: Vec<String> = text.lines().take_while(|line| !line.starts_with(end)).map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.starts_with(sign)), "{text}");
        lines.join("\n")
    };
    assert!(comments(&text("csv"), "# ", "# decision").contains("levels: 2"));
    assert!(comments(&text("latex"), "% ", "\\begin{tabular}").contains("levels: 2"));
}

/// A race that is changed so that it needs fewer runs has the digest of one that never made more.
#[test]
fn the_digest_is_of_what_was_asked_for() {
    let with =
        |futility: &str| (RACE.0.to_owned(), RACE.1.replace("1e-3)))", &format!("1e-3)), futility: {futility})")));
    let (long, short) = (with("0"), with("0.999"));
    let scratch = |file: &(String, String)| scratch_with(&[(&file.0, &file.1), ARMS, MANY]);
    let (changed, fresh) = (scratch(&long), scratch(&short));
    let all = json(&finish(study(&changed, &[])).done());
    let few = json(&finish(study(&fresh, &[])).done());
    assert!(few["planned"].as_u64() < all["planned"].as_u64(), "{few} {all}");
    fs::copy(fresh.path("study.ron"), changed.path("study.ron")).unwrap();
    assert_eq!(json(&finish(study(&changed, &[])).done())["digest"], few["digest"]);
    assert_ne!(few["digest"], all["digest"]);
}

/// An arm that takes too long is not chosen, however little it sends; where all do, none is.
#[test]
fn constraints_take_arms_out_of_a_race() {
    let of = |constraints: &str| {
        let scratch = scratch_with(&[]);
        let text = format!(
            "(
                name: \"in time\",
                base: \"tiny.ron\",
                axes: [Cases(name: \"way\", levels: [
                    (name: \"slow\", set: {{\"protocol.compressor\": \"RandK(k: 2)\", \"network.client_up\": \"Kbps(0.5)\"}}),
                    (name: \"quick\", set: {{\"protocol.compressor\": \"Identity\"}}),
                ])],
                replicates: 6,
                stop: (rounds: 60, mean_field_sq: 1e-3),
                search: Race(objective: UploadTo(MeanFieldSq(1e-3)), constraints: [{constraints}]),
            )"
        );
        fs::write(scratch.path("study.ron"), text).unwrap();
        finish(study(&scratch, &[])).done();
        let found = decision(&scratch);
        (found["best"].as_array().unwrap().iter().map(|arm| arm.as_u64().unwrap()).collect::<Vec<_>>(), found)
    };
    let (best, free) = of("");
    assert_eq!(best, [0]);
    let (best, found) = of("Time(\"10 s\")");
    assert_eq!(best, [1]);
    assert_eq!(found["looks"][0]["standings"][0]["dropped"], "infeasible");
    assert_eq!((&found["arms"][0]["feasible"], &free["arms"][0]["feasible"]), (&0.into(), &free["arms"][0]["runs"]));
    assert_eq!(of("Time(\"1 ms\")").0, [0; 0]);
    // Of six runs none may keep to it where so few have to.
    assert_eq!(of("Time(\"10 s\"), Reached(1e-9)").0, [0]);
}

/// A run that fails takes its arm out of the race; the exit code is 1.
#[test]
fn failed_arms_are_dropped() {
    let gamma = "axes: [Grid(path: \"protocol.gamma\", values: [\"Constant(0.3)\", \"Constant(1)\"], labels: [\"low\", \"high\"]),";
    let scratch = scratch_with(&[
        RACE,
        ("axes: [", gamma),
        ("base: \"tiny.ron\",", "base: \"tiny.ron\", protocol: FedEm(domain: Error),"),
        ("\"RandK(k: 2)\"], labels: [\"none\", \"rand-2\"]", "\"RandK(k: 1)\"], labels: [\"none\", \"rand-1\"]"),
    ]);
    let output = finish(study(&scratch, &[]));
    assert_eq!(output.code, Some(1), "{}", output.err);
    let decision = decision(&scratch);
    let standings = decision["looks"].as_array().unwrap().iter().flat_map(|look| look["standings"].as_array().unwrap());
    assert!(standings.into_iter().any(|standing| standing["dropped"] == "infeasible"), "{decision}");
    assert_eq!(decision["ended"], true);
}

/// The decision stands first, in every format; `status` says how far it is; the numbers are those of the record.
#[test]
fn the_decision_is_told_first() {
    let scratch = scratch_with(&[RACE, ARMS, MANY]);
    let counts = json(&finish(study(&scratch, &[])).done());
    let (decision, plan) = (decision(&scratch), json(&fs::read_to_string(scratch.path("out/plan.json")).unwrap()));
    let best = decision["best"][0].as_u64().unwrap() as usize;
    let name = plan["arms"][best]["name"].as_str().unwrap();
    let compare = |format: &str| finish(scratch.fedbits(["compare", "out", "--format", format])).done();
    let people = compare("human");
    assert!(people.starts_with("small study: decision\n"), "{people}");
    let told = people.split_whitespace().collect::<Vec<_>>().join(" ");
    let effect = "an arm that is better by more than 2 % was dropped with probability at most 5 %";
    assert!(told.contains(&format!("`{name}`")) && told.contains(effect), "{people}");
    assert!(told.contains(" runs of the 120 of the full grid (") && !told.contains("are missing"), "{people}");
    assert!(compare("markdown").starts_with("## decision: small study\n\n") && compare("latex").starts_with("% "));
    let all = json(&compare("json"));
    let (arms, decided) = (all["decision"]["arms"].as_array().unwrap(), &decision["arms"][best]);
    assert_eq!((&arms[0]["arm"], arms.len()), (&name.into(), 10));
    let column = "bits_total_to_mean_field_sq_0.001";
    assert_eq!((&arms[0][column], &arms[0]["runs"]), (&decided["cost"], &decided["runs"]));
    for (end, field) in [("", "mean"), ("_low", "low"), ("_high", "high"), ("_pairs", "pairs")] {
        assert_eq!(arms[0][format!("{column}_ratio{end}")], decided["against_baseline"][field], "{field}");
    }
    let csv = compare("csv");
    let table = |name: &str| -> Vec<&str> {
        csv.split(&format!("# {name}\n")).nth(1).unwrap().lines().take_while(|line| !line.is_empty()).collect()
    };
    let standings =
        decision["looks"].as_array().unwrap().iter().map(|look| look["standings"].as_array().unwrap().len());
    assert_eq!((table("decision").len(), table("looks").len()), (1 + 10, 1 + standings.sum::<usize>()));
    assert!(csv.contains("\n# comparison\n"), "{csv}");
    let status = json(&finish(scratch.fedbits(["status", "out", "--json"])).done());
    assert_eq!((&status["search"]["ended"], &status["search"]["runs"]), (&true.into(), &counts["planned"]));
    assert_eq!((&status["search"]["best"], &status["search"]["grid"]), (&all["decision"]["best"], &120.into()));
    let lines = finish(scratch.fedbits(["status", "out"])).done();
    assert!(lines.contains("the race has ended; "), "{lines}");
}

/// A decision that is cut off is an error with its place; one of other arms is a caveat, and nothing is told of it.
#[test]
fn a_bad_decision_is_not_told() {
    let scratch = scratch_with(&[RACE]);
    finish(study(&scratch, &[])).done();
    let path = scratch.path("out/decision.json");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    for command in ["compare", "status", "report"] {
        let output = finish(scratch.fedbits([command, "out"]));
        assert_eq!(output.code, Some(2), "{command}: {}", output.err);
        assert!(output.err.contains("decision.json:"), "{command}: {}", output.err);
    }
    let mut other = json(&whole);
    other["best"] = vec![99].into();
    fs::write(&path, other.to_string()).unwrap();
    for command in ["compare", "status"] {
        let output = finish(scratch.fedbits([command, "out"]));
        assert!(output.err.contains("decision.json names other arms"), "{command}: {}", output.err);
        assert!(!output.done().contains("How sure"), "{command}");
    }
    // Whoever names arms that there are is found out by what the results give.
    let mut other = json(&whole);
    other["arms"][0]["cost"] = 1.5.into();
    fs::write(&path, other.to_string()).unwrap();
    let output = finish(scratch.fedbits(["verify", "out"]));
    assert!(output.code == Some(1) && output.out.contains("decision.json  DIFFERENT"), "{}{}", output.out, output.err);
    // The results are all there: the study decides again.
    finish(study(&scratch, &[])).done();
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    finish(scratch.fedbits(["verify", "out", "-q"])).done();
}
