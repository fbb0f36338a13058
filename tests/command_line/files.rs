//! What commands do to files that are there already: they replace what they wrote themselves, whole or not at all, and
//! nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command_line::outcomes::assert_whole;
use crate::command_line::studies::{json, scratch_with, study};
use crate::skips::{Lacks, skipped};
use crate::support::{Output, Scratch, finish, runs, scenario_file};

/// Every file below a folder with what is in it; folders end in a slash.
pub(crate) fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for path in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                found.insert(format!("{name}/"), Vec::new());
                folders.push(path);
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn write(scratch: &Scratch, name: &str, text: &str) {
    let path = scratch.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// `fedbits run` of a short scenario.
fn run(scratch: &Scratch, scenario: &str, out: &str, arguments: &[&str]) -> Output {
    let mut command = scratch.fedbits(["run", "-q", "--out", out]);
    command.arg(scenario_file(scenario)).args(arguments);
    finish(command)
}

const NO_FIGURES: [&str; 1] = ["--no-figures"];

/// Arms for `--set`.
fn arms(names: &[&str]) -> String {
    let arms: Vec<String> =
        names.iter().zip(1..).map(|(name, seed)| format!("(name: {name:?}, set: {{\"seed\": \"{seed}\"}})")).collect();
    format!("arms=[{}]", arms.join(", "))
}

/// What belongs to somebody else stops the command before it writes anything, and is named.
#[test]
fn foreign_files_are_in_the_way() {
    let scratch = scratch_with(&[("replicates: 6", "replicates: 1")]);
    run(&scratch, "tiny.ron", "r", &NO_FIGURES).done();
    finish(study(&scratch, &["-q"])).done();
    write(&scratch, "web/manifest.json", r#"{"name": "a web application", "icons": []}"#);
    write(&scratch, "web/theta.csv", "mine");
    write(&scratch, "h/ledger.csv", "mine");
    write(&scratch, "listed/figures.json", r#"{"figures": ["mine"]}"#);
    write(&scratch, "f/figures/mine.svg", "mine");
    write(&scratch, "papers/plan.json", r#"{"participants": 12}"#);
    write(&scratch, "papers/runs.csv", "mine");
    write(&scratch, "pages/fedbits-run.1", "mine");
    write(&scratch, "arms/two/notes.txt", "mine");
    let before = contents(&scratch.path(""));
    let tiny = scenario_file("tiny.ron").display().to_string();
    let two = arms(&["one", "two"]);
    let cases: [(&[&str], &str); 10] = [
        (&["run", &tiny, "--out", "web"], "web holds `manifest.json` and no runs"),
        (&["run", &tiny, "--out", "f"], "mine.svg"),
        (&["run", &tiny, "--out", "arms", "--set", &two], "arms holds `two` and no runs"),
        (&["run", "network/fast-slow-bias", "--out", "out"], "out is in the way: it holds runs of `small study`"),
        (&["merge", "r", "--out", "out"], "r and out hold different runs"),
        (&["report", "r", "--out", "h", "--format", "svg", "--figure", "ledger"], "h/ledger.csv is in the way"),
        (&["report", "r", "--out", "listed", "--format", "svg"], "listed/figures.json"),
        (&["run", "study.ron", "--no-figures", "--out", "papers"], "papers holds `plan.json` and no runs"),
        (&["merge", "out", "--out", "papers"], "papers holds `plan.json` and no runs"),
        (&["man", "pages"], "pages/fedbits-run.1 is in the way"),
    ];
    for (arguments, expected) in cases {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
        assert!(contents(&scratch.path("")) == before, "{arguments:?} wrote something");
    }
}

/// What the commands wrote themselves they write again.
#[test]
fn own_files_are_replaced() {
    let scratch = scratch_with(&[("replicates: 6", "replicates: 1")]);
    for _ in 0..2 {
        run(&scratch, "tiny.ron", "r", &[]).done();
        finish(scratch.fedbits(["report", "r", "--out", "h", "--format", "svg"])).done();
        finish(study(&scratch, &["-q"])).done();
        finish(scratch.fedbits(["merge", "out", "--out", "m"])).done();
        finish(scratch.fedbits(["man", "pages"])).done();
    }
    // A README that was rewritten by its owner, and a table of his own beside those of the runs, are kept.
    write(&scratch, "out/README.md", "mine");
    write(&scratch, "out/mine.csv", "mine");
    let output = finish(study(&scratch, &["-q"]));
    assert!(output.err.contains("damaged/README.md"), "{}", output.err);
    assert_eq!(fs::read(scratch.path("out/damaged/README.md")).unwrap(), b"mine");
    assert_eq!(fs::read(scratch.path("out/mine.csv")).unwrap(), b"mine");
}

/// Figures of earlier runs and reports are not taken for those of the last one; a misspelt folder is found.
#[test]
fn figures_that_stay_are_told() {
    let scratch = Scratch::new();
    run(&scratch, "tiny.ron", "runs", &NO_FIGURES).done();
    let says = |arguments: &[&str], said: &str| {
        let output = finish(scratch.fedbits(arguments));
        assert!(output.err.contains(said), "{arguments:?}: {}", output.err);
    };
    says(&["report", "runs", "--figure", "ledger", "--format", "svg"], "files in runs/figures\n");
    says(&["report", "runs", "--figure", "convergence", "--format", "svg"], " of earlier reports stay there");
    let tiny = scenario_file("tiny.ron").display().to_string();
    says(&["run", &tiny, "--out", "runs", "--no-figures"], "`fedbits report runs` draws them anew");
    says(&["compare", "rums"], "there is no folder rums: did you mean `runs`?");
    says(&["run", "runs"], "`runs` is a folder of runs: expected a scenario");
}

/// A limit on the size of files ends a run with a message, as a full disk does, and leaves nothing behind.
#[test]
fn a_limit_on_the_size_of_files_is_reported() {
    let scratch = Scratch::new();
    let mut shell = Command::new("bash");
    shell.current_dir(scratch.path("")).arg("-c").arg("ulimit -f 0; exec \"$@\" 2>&1 | cat; exit ${PIPESTATUS[0]}");
    let mut command = scratch.fedbits(["run", "-q", "--no-figures", "--out", "r"]);
    command.arg(scenario_file("tiny.ron"));
    shell.arg("bash").arg(command.get_program()).args(command.get_args());
    let output = shell.output().expect("bash runs");
    assert_eq!(output.status.code(), Some(74), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!scratch.path("r").exists());
}

/// A folder of runs may be the working directory, or a file system of its own: its files are replaced one by one.
#[test]
#[cfg(target_os = "linux")]
fn folders_that_cannot_be_renamed_hold_runs() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("here")).unwrap();
    let run_here = |seed: &str| {
        let mut command = scratch.fedbits(["run", "-q", "--no-figures", "--seed", seed, "--out", "."]);
        command.arg(scenario_file("tiny.ron")).current_dir(scratch.path("here"));
        finish(command).done();
        assert_whole(&scratch.path("here"));
        runs(&scratch.path("here")).iter().map(|run| run.manifest.seed).collect::<Vec<_>>()
    };
    assert_eq!((run_here("1"), run_here("2")), (vec![1], vec![2]));
    let Some(_small) = Small::mount(&scratch, "size=4m") else {
        skipped(Lacks::Rights, "mounting a tmpfs needs root");
        return;
    };
    for _ in 0..2 {
        run(&scratch, "tiny.ron", "small", &NO_FIGURES).done();
        assert_whole(&scratch.path("small"));
    }
}

/// A file system of a given size, unmounted when dropped; `None` where that is not allowed.
#[cfg(target_os = "linux")]
struct Small<'s>(&'s Scratch);

#[cfg(target_os = "linux")]
impl<'s> Small<'s> {
    fn mount(scratch: &'s Scratch, options: &str) -> Option<Self> {
        fs::create_dir_all(scratch.path("small")).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(scratch.path("small"));
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(scratch))
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        let options = format!("remount,{options}");
        assert!(mount.args(["-o", &options]).arg(self.0.path("small")).status().unwrap().success());
    }
}

#[cfg(target_os = "linux")]
impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path("small")).status();
    }
}

/// Takes all space of the folder but some pages.
#[cfg(target_os = "linux")]
fn fill(path: &Path, free_pages: u64) {
    use std::io::Write;
    const PAGE: usize = 4_096;
    let mut filler = fs::File::create(path).unwrap();
    let mut length = 0;
    while filler.write_all(&[1; PAGE]).is_ok() {
        length += PAGE as u64;
    }
    filler.set_len(length.saturating_sub(free_pages * PAGE as u64)).unwrap();
}

/// With this many pages free the disk is full somewhere in the run, or not at all. With space again the run is finished,
/// and no former result is lost: it is kept when the scenario is changed back. Whether the disk was full.
#[cfg(target_os = "linux")]
fn full_disk(scratch: &Scratch, scenario: &str, free_pages: u64) -> bool {
    let _ = fs::remove_dir_all(scratch.path("small/r"));
    let with_seed = |seed: &str| {
        let mut command = scratch.fedbits(["run", "--no-figures", "--seed", seed, "--out", "small/r"]);
        command.arg(scenario_file(scenario));
        finish(command)
    };
    with_seed("1").done();
    fill(&scratch.path("small/filler"), free_pages);
    let output = with_seed("2");
    fs::remove_file(scratch.path("small/filler")).unwrap();
    let code = output.code.expect("it is not killed");
    assert!([0, 74].contains(&code), "{scenario}, {free_pages} pages: {}", output.err);
    with_seed("2").done();
    assert_whole(&scratch.path("small/r"));
    let verified = finish(scratch.fedbits(["verify", "-q", "small/r"])).done();
    assert!(!verified.contains("DIFFERENT"), "{verified}");
    let back = with_seed("1");
    assert!(back.err.contains(", none to make"), "{scenario}, {free_pages} pages: {}", back.err);
    assert_whole(&scratch.path("small/r"));
    code == 74
}

/// Calls `check` for each scenario with a function that says whether the disk was full when it had this many free
/// pages.
#[cfg(target_os = "linux")]
fn on_a_small_disk(check: impl Fn(&str, &dyn Fn(u64) -> bool)) {
    let scratch = Scratch::new();
    let Some(_small) = Small::mount(&scratch, "size=4m") else {
        skipped(Lacks::Rights, "mounting a tmpfs needs root");
        return;
    };
    for scenario in ["tiny.ron", "covariances.ron"] {
        check(scenario, &|pages| full_disk(&scratch, scenario, pages));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_destroys_no_result() {
    on_a_small_disk(|scenario, is_full| {
        assert_eq!([0, 3, 900].map(is_full), [true, true, false], "{scenario}");
    });
}

#[test]
#[ignore = "slow tier: a disk that is full at every page that the runs write"]
#[cfg(target_os = "linux")]
fn disks_full_at_every_page_destroy_no_result() {
    on_a_small_disk(|scenario, is_full| {
        let full = (0..900).take_while(|&pages| is_full(pages)).count();
        assert!(full > 3, "{scenario}: {full}");
    });
}

/// Where nothing can be written every command says so, and what is there stays.
#[test]
#[cfg(target_os = "linux")]
fn a_file_system_that_cannot_be_written() {
    let scratch = scratch_with(&[("replicates: 6", "replicates: 1")]);
    let Some(small) = Small::mount(&scratch, "size=64m") else {
        skipped(Lacks::Rights, "mounting a tmpfs needs root");
        return;
    };
    run(&scratch, "tiny.ron", "small/r", &NO_FIGURES).done();
    finish(scratch.fedbits(["run", "study.ron", "--no-figures", "-q", "--out", "small/s"])).done();
    let before = contents(&scratch.path("small"));
    small.remount("ro");
    let tiny = scenario_file("tiny.ron").display().to_string();
    let two = arms(&["one", "two"]);
    let commands: [&[&str]; 7] = [
        &["run", &tiny, "--out", "small/r"],
        &["run", &tiny, "--out", "small/r", "--set", &two],
        &["run", &tiny, "--out", "small/new"],
        &["run", "study.ron", "--no-figures", "--shard", "0/2", "--out", "small/s"],
        &["report", "small/r", "--format", "svg"],
        &["merge", "small/s"],
        &["merge", "small/s", "--out", "small/new"],
    ];
    for arguments in commands {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(74), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains("Read-only file system"), "{arguments:?}: {}", output.err);
    }
    assert!(contents(&scratch.path("small")) == before);
}

/// A path that is no text cannot be written in JSON, which is reported before anything is done.
#[test]
#[cfg(target_os = "linux")]
fn json_needs_paths_that_are_text() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = scratch_with(&[("replicates: 6", "replicates: 1")]);
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    finish(study(&scratch, &["-q"])).done();
    let before = contents(&scratch.path(""));
    let tiny = scenario_file("tiny.ron").display().to_string();
    for arguments in [&["run", &tiny, "--json", "--out"][..], &["merge", "out", "--json", "--out"]] {
        let mut command = scratch.fedbits(arguments);
        command.arg(odd);
        let output = finish(command);
        assert_eq!(output.code, Some(2), "{arguments:?}: {}", output.err);
        assert!(output.err.contains("is not UTF-8"), "{}", output.err);
        assert!(contents(&scratch.path("")) == before);
    }
    let mut without = scratch.fedbits(["run", &tiny, "-q", "--no-figures", "--out"]);
    without.arg(odd);
    finish(without).done();
    fs::rename(scratch.path("out"), scratch.path("").join(odd).join("study")).unwrap();
    let mut status = scratch.fedbits(["status", "--json"]);
    status.arg(Path::new(odd).join("study"));
    assert_eq!(finish(status).code, Some(2));
}

/// Names that a spreadsheet would compute stand behind an apostrophe in every table; numbers do not, and names are read
/// back as they were.
#[test]
fn names_are_no_formulas() {
    let scratch = scratch_with(&[
        ("replicates: 6", "replicates: 1"),
        (r#"["none", "rand-2"]"#, r#"["=1+1", "-1"]"#),
        (r#"["all", "half"]"#, r#"["@all", "half"]"#),
    ]);
    finish(study(&scratch, &["-q"])).done();
    run(&scratch, "tiny.ron", "r", &["--no-figures", "--set", &arms(&["=A1", "-1", "+x"])]).done();
    for (runs, out) in [("out", "f"), ("r", "g")] {
        finish(scratch.fedbits(["report", runs, "--format", "svg", "--out", out])).done();
    }
    let compared = finish(scratch.fedbits(["compare", "out", "--format", "csv"])).done();
    fs::write(scratch.path("compared.csv"), &compared).unwrap();
    let mut seen = 0;
    for (name, bytes) in contents(&scratch.path("")).into_iter().filter(|(name, _)| name.ends_with(".csv")) {
        let mut rows =
            csv::ReaderBuilder::new().comment(Some(b'#')).has_headers(false).flexible(true).from_reader(&bytes[..]);
        for row in rows.records() {
            for cell in row.unwrap().iter() {
                let risky = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(!risky || cell.parse::<f64>().is_ok(), "{name}: {cell}");
                seen += usize::from(cell.starts_with("'=1+1 / ") || cell == "'=A1" || cell == "'@all");
            }
        }
    }
    assert!(seen > 50, "{seen}");
    let compared = json(&finish(scratch.fedbits(["compare", "r", "--format", "json"])).done());
    assert!(compared["rows"].to_string().contains("\"=A1\""), "{compared}");
}

/// What the system does not let be read is no wrong input; a file of /proc is such a one for everybody.
#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_read_have_their_own_code() {
    let scratch = Scratch::new();
    for name in ["table.ron", "table.csv"] {
        fs::copy(scenario_file(name), scratch.path(name)).unwrap();
    }
    for out in ["r", "two/a", "two/b"] {
        finish(scratch.fedbits(["run", "table.ron", "-q", "--no-figures", "--out", out])).done();
    }
    fs::remove_file(scratch.path("table.csv")).unwrap();
    std::os::unix::fs::symlink("/proc/self/mem", scratch.path("table.csv")).unwrap();
    fs::write(scratch.path("s.ron"), "(name: \"s\", base: \"table.ron\", replicates: 1)").unwrap();
    let commands =
        ["run table.ron", "check table.ron", "run s.ron", "predict r --data table.csv", "new x --data table.csv"];
    for command in commands {
        let output = finish(scratch.fedbits(command.split(' ')));
        assert_eq!(output.code, Some(74), "{command}: {}", output.err);
        assert!(output.err.contains("table.csv: Input/output error"), "{command}: {}", output.err);
    }
    // It keeps no other run from being verified.
    let two = finish(scratch.fedbits(["verify", "two"]));
    assert!(two.code == Some(1) && two.err.contains("2 runs cannot be made again"), "{}", two.err);
    for (path, is) in [("none.csv", "there is no file"), (".", "is a folder")] {
        let output = finish(scratch.fedbits(["predict", "r", "--data", path]));
        assert!(output.code == Some(2) && output.err.contains(is), "{}", output.err);
    }
}
