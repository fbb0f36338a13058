//! The files that `cluster` writes for engines beside SLURM: run by hand as the engine would, and by the engine itself
//! where it is installed (`.ci/engines` installs them; `FEDBITS_ENGINES=1` then requires what else is skipped).
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::skips::{Lacks, skipped};
use crate::studies::{json, scratch_with, undisturbed};
use crate::support::{Scratch, finish, scenario_file};

const KUBERNETES: [&str; 5] = ["kubernetes", "--image", "fedbits:test", "--claim", "studies"];
const ENGINES: [&[&str]; 5] = [&["parallel"], &["snakemake"], &["htcondor"], &["nextflow"], &KUBERNETES];

/// Names that mean something to a shell, to parallel, Snakemake, YAML or Kubernetes.
const NAMES: [&str; 3] = ["s$(touch PWNED) it's \"so\" $HOME", "{}{#} {shard}*?[a-z]$$(X)", " ω²\u{2028} b\\a: "];

/// `cluster` of the study in a scratch folder, for `out`.
fn cluster(scratch: &Scratch, engine: &[&str], arguments: &[&str]) -> crate::support::Output {
    let mut command = scratch.fedbits(["cluster"]);
    finish({
        command.args(engine).args(["study.ron", "--out", "out"]).args(arguments);
        command
    })
}

/// `sh FILE …` in a folder: the exit code.
fn sh(folder: &Path, words: &[&str]) -> Option<i32> {
    let output = Command::new("sh").args(words).current_dir(folder).env_remove("FEDBITS_DATA").output().unwrap();
    output.status.code()
}

/// The digest of what was merged.
fn digest(scratch: &Scratch) -> String {
    json(&finish(scratch.fedbits(["status", "out", "--json"])).done())["digest"].as_str().unwrap().to_owned()
}

fn copy_all(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-R").args([from, to]).status().unwrap().success());
}

/// What the engine does with shards whose files are taken along: another folder, from which `shard-I` comes back.
fn away(folder: &Path, engine: &str, shard: &str) -> Option<i32> {
    let node = tempfile::tempdir().unwrap();
    copy_all(&folder.join("inputs"), &node.path().join("inputs"));
    let code = match engine {
        "nextflow" => sh(node.path(), &["inputs/shard.sh", shard]),
        // HTCondor puts the contents of the folder beside each other.
        _ => sh(&node.path().join("inputs"), &["shard.sh", shard]),
    };
    let place = if engine == "nextflow" { node.path().to_owned() } else { node.path().join("inputs") };
    let made = format!("shard-{shard}");
    if place.join(&made).exists() {
        copy_all(&place.join(&made), &folder.join(&made));
    }
    code
}

fn shard(folder: &Path, engine: &str, shard: &str) -> Option<i32> {
    match engine {
        "parallel" | "snakemake" => sh(folder, &["shard.sh", shard]),
        _ => away(folder, engine, shard),
    }
}

#[test]
fn shards_and_merge_give_the_digest_of_one_process() {
    let (expected, results) = undisturbed(&[]);
    for engine in ["parallel", "snakemake", "htcondor", "nextflow"] {
        let scratch = scratch_with(&[]);
        let said = cluster(&scratch, &[engine], &["--elements", "3"]).done();
        assert!(said.starts_with("sh '") && said.ends_with("/submit.sh'\n"), "{said}");
        let folder = scratch.path(format!("out-{engine}"));
        for number in ["1", "0", "2"] {
            assert_eq!(shard(&folder, engine, number), Some(0), "{engine}");
        }
        assert_eq!(sh(&folder, &["merge.sh"]), Some(0), "{engine}");
        assert_eq!(digest(&scratch), expected, "{engine}");
        assert_eq!(fs::read_to_string(scratch.path("out/results.csv")).unwrap(), results, "{engine}");
    }
}

/// A study over a scenario over another one, on a table that stands elsewhere.
fn layered() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("tables")).unwrap();
    fs::copy(scenario_file("table.csv"), scratch.path("tables/table.csv")).unwrap();
    fs::copy(scenario_file("table.ron"), scratch.path("table.ron")).unwrap();
    fs::write(scratch.path("over.ron"), "(name: \"over\", base: \"table.ron\", stop: (rounds: 6))").unwrap();
    let study = "(name: \"layers\", base: \"over.ron\", replicates: 3, \
                 axes: [Grid(path: \"protocol.gamma\", values: [0.1, 0.3])])";
    fs::write(scratch.path("study.ron"), study).unwrap();
    scratch
}

/// Bases and data are taken along; nothing is read where the study was written.
#[test]
fn everything_that_a_study_names_is_taken_along() {
    let expected = {
        let scratch = layered();
        finish(scratch.fedbits(["study", "study.ron", "--out", "out", "--data", "tables", "-q"])).done();
        digest(&scratch)
    };
    for engine in ["htcondor", "nextflow"] {
        let scratch = layered();
        cluster(&scratch, &[engine], &["--data", "tables", "--elements", "2"]).done();
        for name in ["study.ron", "over.ron", "table.ron", "tables/table.csv"] {
            fs::remove_file(scratch.path(name)).unwrap();
        }
        let folder = scratch.path(format!("out-{engine}"));
        ["0", "1"].iter().for_each(|number| assert_eq!(shard(&folder, engine, number), Some(0), "{engine}"));
        assert_eq!(sh(&folder, &["merge.sh"]), Some(0), "{engine}");
        assert_eq!(digest(&scratch), expected, "{engine}");
    }
}

/// The workers of a search share one folder; engines that have none refuse it.
#[test]
fn a_search_needs_a_shared_folder() {
    let race = "targets: [MeanFieldSq(1e-3)], budget: (rounds: 60, mean_field_sq: 1e-3),
        search: Race(objective: BitsTo(MeanFieldSq(1e-3))),";
    let changes = [("targets: [MeanFieldSq(1e-3)],", race)];
    let decision =
        |scratch: &Scratch| json(&fs::read_to_string(scratch.path("out/decision.json")).unwrap())["best"].clone();
    let alone = scratch_with(&changes);
    finish(alone.fedbits(["study", "study.ron", "--out", "out", "-q"])).done();
    let scratch = scratch_with(&changes);
    cluster(&scratch, &["parallel"], &["--elements", "2"]).done();
    let folder = scratch.path("out-parallel");
    ["0", "1"].iter().for_each(|number| assert_eq!(shard(&folder, "parallel", number), Some(0)));
    assert_eq!(sh(&folder, &["merge.sh"]), Some(0));
    assert_eq!(decision(&scratch), decision(&alone));
    for engine in ["htcondor", "nextflow"] {
        let output = cluster(&scratch, &[engine], &["--elements", "2"]);
        assert_eq!(output.code, Some(2), "{}", output.err);
        assert!(output.err.contains("the study has a search"), "{}", output.err);
    }
}

/// What is copied is neither lost nor replaced: a study that was changed since is said to be.
#[test]
fn copies_are_not_replaced() {
    let scratch = scratch_with(&[]);
    for _ in 0..2 {
        cluster(&scratch, &["htcondor"], &["--elements", "2"]).done();
    }
    let copy = scratch.path("out-htcondor/inputs/tiny.ron");
    let before = fs::read(&copy).unwrap();
    let changed = fs::read_to_string(scratch.path("tiny.ron")).unwrap().replace("clients: 5", "clients: 4");
    fs::write(scratch.path("tiny.ron"), changed).unwrap();
    let output = cluster(&scratch, &["htcondor"], &["--elements", "2"]);
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("inputs/tiny.ron is in the way"), "{}", output.err);
    assert_eq!(fs::read(&copy).unwrap(), before);
}

/// Failed runs are results: the shard ends well and the merge reports them. Wrong input keeps its own code.
#[test]
fn exit_codes_say_what_is_worth_another_try() {
    let coarse = "RandK(k: 1)\", \"RandK(k: 2)\"], labels: [\"none\", \"coarse\", ";
    let scratch = scratch_with(&[
        ("RandK(k: 2)\"], labels: [\"none\", ", coarse),
        ("replicates: 6", "replicates: 3, set: {\"protocol.domain\": \"Error\", \"protocol.gamma\": \"Constant(1)\"}"),
    ]);
    cluster(&scratch, &["parallel"], &["--elements", "1"]).done();
    let folder = scratch.path("out-parallel");
    assert_eq!(shard(&folder, "parallel", "0"), Some(0));
    assert_eq!(sh(&folder, &["merge.sh"]), Some(1));
    assert_eq!(shard(&folder, "parallel", "7"), Some(2), "there is no shard 7 of 1");
    fs::remove_file(scratch.path("study.ron")).unwrap();
    assert_eq!(shard(&folder, "parallel", "0"), Some(2));
}

/// A shard that is told to end hands that on to the program, and goes on where it was the next time.
#[test]
fn a_shard_that_is_told_to_end_is_resumed() {
    let scratch = scratch_with(&[("replicates: 6", "replicates: 200")]);
    cluster(&scratch, &["parallel"], &["--elements", "1"]).done();
    let folder = scratch.path("out-parallel");
    let mut command = Command::new("sh");
    let mut child = command.args(["shard.sh", "0"]).current_dir(&folder).stderr(Stdio::null()).spawn().unwrap();
    let finished = || {
        let status = finish(scratch.fedbits(["status", "out", "--json"]));
        if status.code == Some(0) { json(&status.out)["finished"].as_u64().unwrap() } else { 0 }
    };
    while finished() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was told to");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let before = finished();
    assert!(0 < before && before < 800, "{before}");
    assert_eq!(shard(&folder, "parallel", "0"), Some(0));
    assert_eq!(finished(), 800);
}

#[test]
fn more_shards_than_the_site_takes_are_refused() {
    let scratch = scratch_with(&[]);
    for engine in ENGINES {
        let output = cluster(&scratch, engine, &["--elements", "12", "--max-elements", "10"]);
        assert_eq!(output.code, Some(2), "{}", output.err);
        assert!(output.err.contains("--elements 12 is more than --max-elements 10"), "{}", output.err);
        assert!(!scratch.path(format!("out-{}", engine[0])).exists());
    }
}

/// The arguments in a manifest.
fn arguments(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "args:").skip(1);
    lines.map_while(|line| line.trim().strip_prefix("- ")).map(|word| serde_json::from_str(word).unwrap()).collect()
}

/// The pods of the manifests, and what `submit.sh` asks of kubectl.
#[test]
fn kubernetes_pods_give_the_digest_of_one_process() {
    let (expected, _) = undisturbed(&[]);
    let scratch = scratch_with(&[]);
    cluster(&scratch, &KUBERNETES, &["--elements", "3"]).done();
    let manifest = |name: &str| fs::read_to_string(scratch.path("out-kubernetes").join(name)).unwrap();
    let shards = manifest("shards.yaml");
    for line in
        ["completionMode: Indexed", "completions: 3", "- action: FailIndex", "values: [1, 2]", "\"fedbits:test\""]
    {
        assert!(shards.contains(line), "{line}: {shards}");
    }
    let empty = tempfile::tempdir().unwrap();
    let pod = |manifest: &str, index: Option<&str>| {
        let mut command = scratch.fedbits(arguments(manifest));
        command.current_dir(empty.path()).envs(index.map(|index| ("JOB_COMPLETION_INDEX", index)));
        finish(command).done();
    };
    ["2", "0", "1"].iter().for_each(|index| pod(&shards, Some(index)));
    pod(&manifest("merge.yaml"), None);
    assert_eq!(digest(&scratch), expected);

    let bin = scratch.path("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("kubectl"), "#!/bin/sh\necho \"$*\" >> calls\necho SuccessCriteriaMet Complete\n").unwrap();
    fs::write(bin.join("sleep"), "#!/bin/sh\n").unwrap();
    for name in ["kubectl", "sleep"] {
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let submit = scratch.path("out-kubernetes/submit.sh");
    let done = Command::new("sh").arg(submit).args(["--namespace", "n"]).env("PATH", path).output().unwrap();
    assert!(done.status.success());
    let calls = manifest("calls");
    let calls: Vec<&str> = calls.lines().collect();
    assert_eq!([calls[0], calls[2]], ["--namespace n apply -f shards.yaml", "--namespace n apply -f merge.yaml"]);
    assert!(calls[1].starts_with("--namespace n get job fedbits-small-study -o jsonpath="), "{}", calls[1]);
}

#[test]
fn what_kubernetes_cannot_have_is_refused() {
    let scratch = scratch_with(&[]);
    fs::create_dir(scratch.path("volume")).unwrap();
    fs::create_dir(scratch.path("a:b")).unwrap();
    let wrong: [(&[&str], &str); 5] = [
        (&["--image", "a b", "--claim", "c"], "--image is \"a b\""),
        (&["--image", "", "--claim", "c"], "--image is \"\""),
        (&["--image", "i", "--claim", "My_Claim"], "--claim is \"My_Claim\""),
        (&["--image", "i", "--claim", "c", "--mount", "volume"], "is not below"),
        (&["--image", "i", "--claim", "c", "--mount", "a:b"], "without colons"),
    ];
    for (arguments, expected) in wrong {
        let output = cluster(&scratch, &["kubernetes"], arguments);
        assert_eq!(output.code, Some(2), "{arguments:?}: {}", output.err);
        assert!(output.err.contains(expected) && output.err.contains("expected"), "{}", output.err);
        assert!(!scratch.path("out-kubernetes").exists());
    }
}

/// `..` and links lead out of the volume: what counts is where a file is.
#[cfg(unix)]
#[test]
fn files_outside_of_the_volume_are_found_behind_their_names() {
    let scratch = scratch_with(&[]);
    let volume = scratch.path("volume");
    fs::create_dir(&volume).unwrap();
    fs::copy(scratch.path("study.ron"), volume.join("inside.ron")).unwrap();
    let base = fs::read_dir(scratch.path("")).unwrap().map(|entry| entry.unwrap().path());
    for path in base.filter(|path| path.is_file()) {
        fs::copy(&path, volume.join(path.file_name().unwrap())).unwrap();
    }
    std::os::unix::fs::symlink("../study.ron", volume.join("linked.ron")).unwrap();
    for (file, code) in [("inside.ron", 0), ("../volume/inside.ron", 0), ("../study.ron", 2), ("linked.ron", 2)] {
        let mut command = scratch.fedbits(["cluster", "kubernetes", file, "--elements", "2"]);
        command.args(&KUBERNETES[1..]).args(["--out", "here"]).current_dir(&volume);
        let output = finish(command);
        assert_eq!(output.code, Some(code), "{file}: {}", output.err);
        assert!(code == 0 || output.err.contains("is not below"), "{file}: {}", output.err);
        drop(fs::remove_dir_all(volume.join("here-kubernetes")));
    }
}

/// An option of one engine is none of another's.
#[test]
fn engines_take_their_own_options_only() {
    let scratch = scratch_with(&[]);
    for (engine, option) in [("snakemake", "--partition"), ("slurm", "--image"), ("htcondor", "--claim")] {
        let output = cluster(&scratch, &[engine], &[option, "x"]);
        assert_eq!(output.code, Some(2), "{engine}: {}", output.err);
    }
    assert!(cluster(&scratch, &["snakmake"], &[]).err.contains("snakemake"));
}

/// A line of a manifest as YAML and then Kubernetes take it: `$$` stands for `$`.
fn unescaped(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line.chars());
    while let Some(c) = rest.next() {
        match c {
            '"' => {}
            '\\' => match rest.next() {
                Some('U') => {
                    let digits: String = rest.by_ref().take(8).collect();
                    text.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
                }
                other => text.extend(other),
            },
            c => text.push(c),
        }
    }
    text.replace("$$", "$")
}

/// Names stand in the engines' files as they are: the shards write where they should, and nothing in a name is executed.
#[test]
fn names_are_taken_as_they_are() {
    for name in NAMES {
        for engine in ENGINES {
            let scratch = scratch_with(&[]);
            let (study, out) = (format!("{name}.ron"), format!("out {name}"));
            fs::rename(scratch.path("study.ron"), scratch.path(&study)).unwrap();
            let mut command = scratch.fedbits(["cluster"]);
            command.args(engine).args([&format!("--out={out}"), "--elements=1", "--", &study]);
            finish(command).done();
            let folder = scratch.path(format!("{out}-{}", engine[0]));
            if engine[0] == "kubernetes" {
                let text = fs::read_to_string(folder.join("shards.yaml")).unwrap();
                assert!(text.is_ascii(), "{text}");
                let path = |name: &str| format!("- {}", scratch.path(name).display());
                let words: Vec<String> = text.lines().map(|line| unescaped(line.trim())).collect();
                assert!(words.contains(&path(&study)) && words.contains(&path(&out)), "{words:?}");
                continue;
            }
            assert_eq!(shard(&folder, engine[0], "0"), Some(0), "{name} {engine:?}");
            assert_eq!(sh(&folder, &["merge.sh"]), Some(0), "{name} {engine:?}");
            assert!(scratch.path(out).join("results.csv").exists(), "{name} {engine:?}");
            let made = crate::outcomes::tree(&scratch.path(""));
            assert!(!made.iter().any(|path| path.ends_with("PWNED")), "{made:?}");
        }
    }
}

/// The engine itself, where it is installed.
fn by_the_engine(engine: &str, arguments: &[&str]) {
    let found = Command::new(engine).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("FEDBITS_ENGINES").is_none(), "{engine} is not installed");
        return skipped(Lacks::Engine, &format!("{engine} is not installed"));
    }
    for name in ["plain"].iter().chain(&NAMES) {
        let scratch = scratch_with(&[]);
        let study = format!("{name}.ron");
        fs::rename(scratch.path("study.ron"), scratch.path(&study)).unwrap();
        let folder = format!("--out={name}/out");
        finish(scratch.fedbits(["cluster", engine, "--elements=3", &folder, "--", &study])).done();
        let mut submit = Command::new("sh");
        submit.arg(scratch.path(format!("{name}/out-{engine}/submit.sh"))).args(arguments);
        let output = submit.env("HOME", scratch.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{engine}: {said}");
        fs::rename(scratch.path(format!("{name}/out")), scratch.path("out")).unwrap();
        assert_eq!(digest(&scratch), undisturbed(&[]).0, "{engine}: {said}");
    }
}

#[test]
fn gnu_parallel_runs_a_study() {
    by_the_engine("parallel", &["--jobs", "2"]);
}

#[test]
fn snakemake_runs_a_study() {
    by_the_engine("snakemake", &["--cores", "2"]);
}

/// The manifests against Kubernetes' schema.
#[test]
fn manifests_obey_the_schema_of_kubernetes() {
    let check = |path: &Path| {
        let mut command = Command::new("kubernetes-validate");
        command.args(["--strict", "--kubernetes-version", "1.32"]).arg(path).output()
    };
    if check(Path::new("--help")).is_err() {
        assert!(std::env::var_os("FEDBITS_ENGINES").is_none(), "kubernetes-validate is not installed");
        return skipped(
            Lacks::Engine,
            "kubernetes-validate (Python) is not installed: manifests are not compared with the schema",
        );
    }
    let scratch = scratch_with(&[]);
    cluster(&scratch, &KUBERNETES, &["--elements", "3"]).done();
    for name in ["shards.yaml", "merge.yaml"] {
        let path = scratch.path("out-kubernetes").join(name);
        let output = check(&path).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
        // The check is one: without its containers a Job is refused.
        let broken = fs::read_to_string(&path).unwrap().replace("containers:", "container:");
        fs::write(&path, broken).unwrap();
        assert!(!check(&path).unwrap().status.success());
    }
}
