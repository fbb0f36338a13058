//! The files of `docs/cluster`: their commands run shard by shard as the system would start them, and by the system
//! itself where it is installed (in the Python of `FEDBITS_PYTHON`; GNU parallel in `PATH`).
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command_line::studies::{json, scratch_with, undisturbed};
use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish};

const STUDY: &str = "my-study.ron";
const OUT: &str = "out/my-study";

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).unwrap()
}

/// A file of `docs/cluster` as a user edits it: with three shards.
fn edited(name: &str) -> String {
    page(&format!("cluster/{name}")).replace("0-63", "0-2").replace("64", "3")
}

fn scratch() -> Scratch {
    let scratch = scratch_with(&[]);
    fs::rename(scratch.path("study.ron"), scratch.path(STUDY)).unwrap();
    scratch
}

/// A command in the folder, with the program in its `PATH`.
fn command(scratch: &Scratch, words: &[&str]) -> Command {
    let program = PathBuf::from(scratch.fedbits([] as [&str; 0]).get_program());
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(scratch.path("")).env("PATH", path).env_remove("FEDBITS_DATA");
    command
}

fn sh(scratch: &Scratch, script: &str) {
    finish(command(scratch, &["sh", "-uec", script])).done();
}

/// The merged results are those of one process.
fn assert_same_study(scratch: &Scratch, out: &str) {
    let (digest, results) = undisturbed(&[]);
    assert_eq!(json(&finish(scratch.fedbits(["status", out, "--json"])).done())["digest"], digest.as_str());
    assert_eq!(fs::read_to_string(scratch.path(out).join("runs.csv")).unwrap(), results);
}

/// Python with this module; without it the test is skipped.
fn python_with(module: &str) -> Option<String> {
    let python = std::env::var("FEDBITS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    skipped(Lacks::Program, &format!("{python} has no module {module}"));
    None
}

#[test]
fn slurm_elements_give_the_study_of_one_process() {
    let (scratch, out) = (scratch(), "it's $(touch PWNED)");
    fs::write(scratch.path("slurm.sbatch"), edited("slurm.sbatch")).unwrap();
    for element in ["2", "0", "1"] {
        let mut element_of = command(&scratch, &["sh", "slurm.sbatch", STUDY, out]);
        for (name, value) in [("ID", element), ("MIN", "0"), ("MAX", "2"), ("STEP", "1"), ("COUNT", "3")] {
            element_of.env(format!("SLURM_ARRAY_TASK_{name}"), value);
        }
        finish(element_of).done();
    }
    finish(scratch.fedbits(["merge", out])).done();
    assert_same_study(&scratch, out);
    assert!(!scratch.path("PWNED").exists());
}

/// The manifest obeys Kubernetes' schema, and its pods give the study of one process.
#[test]
fn kubernetes_pods_give_the_study_of_one_process() {
    let Some(python) = python_with("kubernetes_validate, yaml") else { return };
    let scratch = scratch();
    fs::write(scratch.path("job.yaml"), edited("kubernetes.yaml")).unwrap();
    let script = "import json, kubernetes_validate, yaml; job = yaml.safe_load(open('job.yaml')); \
                  kubernetes_validate.validate(job, '1.32', strict=True); print(json.dumps(job['spec']))";
    let spec = json(&finish(command(&scratch, &[&python, "-c", script])).done());
    assert_eq!(spec["completions"], 3);
    let words = spec["template"]["spec"]["containers"][0]["args"].as_array().unwrap();
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    for index in ["2", "0", "1"] {
        let mut pod = scratch.fedbits(&words);
        pod.env("JOB_COMPLETION_INDEX", index);
        finish(pod).done();
    }
    finish(scratch.fedbits(["merge", OUT])).done();
    assert_same_study(&scratch, OUT);
}

/// Each shard runs in a folder that holds only the files that are transferred to it, and its folder comes back.
#[test]
fn htcondor_transfers_all_that_a_shard_needs() {
    let scratch = scratch();
    let file = edited("htcondor.sub").replace("$(shards)", "3");
    let value = |name: &str| file.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).unwrap();
    assert_eq!([value("shards"), value("executable")], ["3", "fedbits"]);
    for process in ["0", "1", "2"] {
        let node = tempfile::tempdir().unwrap();
        for name in value("transfer_input_files").split(", ").chain(["tiny.ron"]) {
            fs::copy(scratch.path(name), node.path().join(name)).unwrap();
        }
        let words = value("arguments").replace("$(Process)", process);
        let mut shard = scratch.fedbits(words.split(' '));
        shard.current_dir(node.path());
        finish(shard).done();
        let made = value("transfer_output_files").replace("$(Process)", process);
        let from = node.path().join(&made).display().to_string();
        finish(command(&scratch, &["cp", "-R", &from, &made])).done();
    }
    sh(&scratch, "fedbits merge shard-* --out out/my-study");
    assert_same_study(&scratch, OUT);
}

#[test]
fn snakemake_runs_a_study() {
    let Some(python) = python_with("snakemake") else { return };
    let scratch = scratch();
    fs::write(scratch.path("Snakefile"), edited("Snakefile")).unwrap();
    let mut snakemake = command(&scratch, &[&python, "-m", "snakemake", "--cores", "2", "--keep-going"]);
    snakemake.env("HOME", scratch.path(""));
    finish(snakemake).done();
    assert_same_study(&scratch, OUT);
}

/// The processes are those that a parser of Nextflow finds, and their scripts give the study of one process.
#[test]
fn nextflow_scripts_give_the_study_of_one_process() {
    let Some(python) = python_with("reftrace") else { return };
    let scratch = scratch();
    let file = edited("nextflow.nf");
    fs::write(scratch.path("main.nf"), &file).unwrap();
    let script = "from reftrace import Module; print(*sorted(p.name for p in Module.from_file('main.nf').processes))";
    assert_eq!(finish(command(&scratch, &[&python, "-c", script])).done(), "MERGE SHARD\n");
    let value = |name: &str| file.lines().find_map(|line| line.strip_prefix(&format!("params.{name} = "))).unwrap();
    let here = scratch.path("").display().to_string();
    let scripts: Vec<String> = file
        .split("\"\"\"")
        .skip(1)
        .step_by(2)
        .map(|script| {
            ["scenario", "out", "shards"].iter().fold(script.to_owned(), |script, name| {
                script.replace(&format!("${{params.{name}}}"), value(name).trim_matches('\''))
            })
        })
        .map(|script| script.replace("${launchDir}", &here).replace("\\$", "$"))
        .collect();
    ["1", "0", "2"].iter().for_each(|index| sh(&scratch, &scripts[0].replace("${index}", index)));
    sh(&scratch, &scripts[1]);
    assert_same_study(&scratch, OUT);
    // Failed runs end a shard well; wrong input does not.
    let wrong = finish(command(&scratch, &["sh", "-uec", &scripts[0].replace("${index}", "7")]));
    assert_eq!(wrong.code, Some(1), "{}", wrong.err);
    let failing = scratch_with(&[
        ("replicates: 6", "replicates: 1, protocol: FedEm(domain: Error, gamma: Constant(1))"),
        ("RandK(k: 2)", "RandK(k: 1)"),
    ]);
    fs::copy(failing.path("study.ron"), scratch.path(STUDY)).unwrap();
    let shard = scripts[0].replace(OUT, "failed").replace("${index}", "0");
    sh(&scratch, &shard);
    assert_eq!(finish(scratch.fedbits(["merge", "failed"])).code, Some(1));
}

#[test]
fn gnu_parallel_runs_a_study() {
    let found = Command::new("parallel").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        return skipped(Lacks::Program, "parallel is not installed");
    }
    let scratch = scratch();
    let page = page("cluster.md");
    let line = page.lines().find(|line| line.starts_with("seq 0 63 | parallel")).unwrap();
    sh(&scratch, &line.replace("0 63", "0 2").replace("64", "3"));
    finish(scratch.fedbits(["merge", OUT])).done();
    assert_same_study(&scratch, OUT);
}
