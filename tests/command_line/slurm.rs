//! The files that `cluster slurm` writes: what they say, and that the user's names reach the commands in them
//! unchanged, whatever these names are, while nothing in a name is executed.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proptest::prelude::*;

use crate::outcomes::tree;
use crate::studies::scratch_with;
use crate::support::{Scratch, finish};

/// The array fills its elements with the work, and the merge waits for it.
#[test]
fn slurm_files_say_what_to_run() {
    let scratch = scratch_with(&[]);
    let message =
        finish(scratch.fedbits(["cluster", "slurm", "study.ron", "--out", "out/s", "--elements", "4"])).done();
    assert!(message.contains("submit.sh"), "{message}");
    let array = fs::read_to_string(scratch.path("out/s-slurm/array.sbatch")).unwrap();
    for line in ["#SBATCH --array=0-3", "#SBATCH --requeue", "--signal=B:TERM@30", "--shard auto/4"] {
        assert!(array.contains(line), "{array}");
    }
    // As much as a pod of Kubernetes gets, by the same pilot.
    let kubernetes = ["cluster", "kubernetes", "study.ron", "--out", "out/s", "--image=i", "--claim=c", "--elements=4"];
    finish(scratch.fedbits(kubernetes)).done();
    let pods = fs::read_to_string(scratch.path("out/s-kubernetes/shards.yaml")).unwrap();
    let merge = fs::read_to_string(scratch.path("out/s-slurm/merge.sbatch")).unwrap();
    for script in [&array, &merge] {
        let memory = script.lines().find_map(|line| line.strip_prefix("#SBATCH --mem=")).expect("memory");
        assert!(pods.contains(&format!("memory: {memory}i}}")), "{memory}: {pods}");
    }
    assert!(merge.contains("#SBATCH --time=11\n"), "{merge}");
    assert!(fs::read_to_string(scratch.path("out/s-slurm/submit.sh")).unwrap().contains("--dependency=afterany"));
}

/// What a user chooses: the names of files are those within the scratch folder.
#[derive(Clone, Debug)]
struct Names {
    study: OsString,
    /// Below the folder `o`; none: the default.
    out: Option<OsString>,
    data: Option<OsString>,
    partition: Option<OsString>,
}

impl Names {
    /// One name everywhere.
    fn all(name: &OsStr) -> Self {
        let study = [name.as_bytes(), b".ron"].concat();
        let name = Some(name.to_owned());
        Self { study: OsString::from_vec(study), out: name.clone(), data: name.clone(), partition: name }
    }

    /// `cluster slurm` of the small study under these names.
    fn cluster(&self, scratch: &Scratch) -> Output {
        let study = scratch.path(&self.study);
        if !study.exists() {
            fs::rename(scratch.path("study.ron"), study).unwrap();
        }
        let mut command = scratch.fedbits(["cluster", "slurm", "--elements=4"]);
        let option = |option: &str, value: &OsStr| OsString::from_vec([option.as_bytes(), value.as_bytes()].concat());
        command.args(self.out.as_ref().map(|name| option("--out=o/", name)));
        command.args(self.data.as_ref().map(|name| option("--data=", name)));
        command.args(self.partition.as_ref().map(|name| option("--partition=", name)));
        command.arg("--").arg(&self.study).output().unwrap()
    }
}

/// A command that was called, and its arguments.
type Call = Vec<OsString>;

/// A scratch folder with the small study in it, and commands that note how they are called.
struct Cluster {
    scratch: Scratch,
    root: PathBuf,
}

const NOTE: &str = "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" '\n' >> \"$CALLS\"\necho '42;cluster'\n";

impl Cluster {
    fn new() -> Self {
        let scratch = scratch_with(&[]);
        let root = fs::canonicalize(scratch.path("")).unwrap();
        fs::create_dir(root.join("fake")).unwrap();
        for command in ["sbatch", "fedbits"] {
            note(&root.join("fake").join(command));
        }
        Self { scratch, root }
    }

    /// What a script calls, and what it prints.
    fn calls(&self, script: &Path, options: &[&str]) -> (Vec<Call>, Vec<u8>) {
        assert!(Command::new("bash").arg("-n").arg(script).status().unwrap().success(), "{}", script.display());
        let notes = self.root.join("calls");
        let path = format!("{}:/usr/bin:/bin", self.root.join("fake").display());
        let mut sh = Command::new("sh");
        sh.arg(script).args(options);
        let output = sh.env("PATH", path).env("CALLS", &notes).current_dir(&self.root).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let bytes = fs::read(&notes).unwrap();
        fs::remove_file(notes).unwrap();
        let words: Vec<&[u8]> = bytes.split(|&byte| byte == 0).collect();
        let calls = words.split(|word| *word == b"\n").filter(|call| *call != [b""]);
        let owned = |call: &[&[u8]]| call.iter().map(|word| OsString::from_vec(word.to_vec())).collect();
        (calls.map(owned).collect(), output.stdout)
    }

    /// The files for `names` call exactly what they should, and leave nothing behind.
    fn check(&self, names: &Names) {
        let before = self.tree();
        let output = names.cluster(&self.scratch);
        assert!(output.status.success(), "{names:?}: {}", String::from_utf8_lossy(&output.stderr));
        let stem = Path::new(&names.study).file_stem().unwrap();
        let out = match &names.out {
            Some(out) => self.root.join("o").join(out),
            None => self.root.join("out").join(stem),
        };
        let folder = PathBuf::from(joined(&[out.as_os_str(), OsStr::new("-slurm")]));
        let submit = [b"sh ", &quoted(folder.join("submit.sh").as_os_str())[..], b"\n"].concat();
        assert_eq!(output.stdout, submit, "the command to type");
        self.check_submit(names, &folder, &out);
        self.check_jobs(names, &folder, &out);
        let made: Vec<OsString> = self.tree().difference(&before).cloned().collect();
        let mut expected: Vec<OsString> = ["array.sbatch", "merge.sbatch", "submit.sh"]
            .iter()
            .map(|name| folder.join(name).into_os_string())
            .chain(folder.ancestors().map(|folder| folder.as_os_str().to_owned()))
            .filter(|path| path.len() > self.root.as_os_str().len())
            .collect();
        expected.push(self.root.join(&names.study).into_os_string());
        expected.retain(|path| !before.contains(path));
        expected.sort();
        assert_eq!(made, expected, "nothing else came about");
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
        fs::rename(self.root.join(&names.study), self.root.join("study.ron")).unwrap();
    }

    /// Options reach both jobs; what holds the two together stands after them.
    fn check_submit(&self, names: &Names, folder: &Path, out: &Path) {
        let options = ["--account=the lab", "--qos", "short", "--mem=8G", "--time=1:00:00", "$HOME"];
        [&options[..], &[]].iter().for_each(|options| self.check_submitted(names, (folder, out), options));
    }

    fn check_submitted(&self, names: &Names, (folder, out): (&Path, &Path), options: &[&str]) {
        let (calls, printed) = self.calls(&folder.join("submit.sh"), options);
        let partition = names.partition.as_ref().map(|name| joined(&[OsStr::new("--partition="), name]));
        // sbatch replaces % in the names of logs; %% is the sign itself.
        let escaped: Vec<u8> = folder.as_os_str().as_bytes().to_vec();
        let escaped: Vec<u8> = escaped.iter().flat_map(|byte| vec![*byte; if *byte == b'%' { 2 } else { 1 }]).collect();
        let call = |log: &str, last: &[&str], file: &str| -> Call {
            let mut call: Call = vec!["sbatch".into()];
            call.extend(partition.clone());
            call.push(joined(&[OsStr::new("--output="), OsStr::from_bytes(&escaped), OsStr::new(log)]));
            call.extend(options.iter().chain(last).map(OsString::from));
            call.push(folder.join(file).into_os_string());
            call
        };
        let array = call("/element-%a.log", &["--parsable"], "array.sbatch");
        let merge = call("/merge.log", &["--parsable", "--dependency=afterany:42"], "merge.sbatch");
        assert_eq!(calls, [array, merge]);
        let says = [b"array 42, merge 42; fedbits status ", &quoted(out.as_os_str())[..], b" says how far it is\n"];
        assert_eq!(printed, says.concat());
    }

    fn check_jobs(&self, names: &Names, folder: &Path, out: &Path) {
        let mut array: Call = ["fedbits", "study"].map(OsString::from).to_vec();
        array.push(self.root.join(&names.study).into_os_string());
        array.extend([OsString::from("--out"), out.into()]);
        array.extend(names.data.iter().flat_map(|data| ["--data".into(), self.root.join(data).into_os_string()]));
        array.extend(["--threads", "1", "--shard", "auto/4"].map(OsString::from));
        let merge: Call = vec!["fedbits".into(), "merge".into(), out.into()];
        for (file, expected) in [("array.sbatch", array), ("merge.sbatch", merge)] {
            let script = folder.join(file);
            let text = fs::read(&script).unwrap();
            let comments = text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"#"));
            for line in comments {
                assert!(line.is_ascii() && !line.contains(&b'$'), "no name stands in a line that sbatch reads");
            }
            // The program itself is replaced by one that notes its arguments.
            let program = fs::canonicalize(env!("CARGO_BIN_EXE_fedbits")).unwrap();
            let (own, fake) = (quoted(program.as_os_str()), quoted(self.root.join("fake/fedbits").as_os_str()));
            let at = text.windows(own.len()).position(|window| window == own).expect("the program");
            fs::write(&script, [&text[..at], &fake, &text[at + own.len()..]].concat()).unwrap();
            assert_eq!(self.calls(&script, &[]).0, [expected]);
        }
    }

    /// Every file and folder below the root.
    fn tree(&self) -> BTreeSet<OsString> {
        let mut found = BTreeSet::new();
        let mut folders = vec![self.root.clone()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path.into_os_string());
            }
        }
        found
    }
}

/// A program that notes its name and its arguments.
fn note(path: &Path) {
    // Written by another process: a file that this one has open for writing cannot be executed, and children that other
    // tests start at this moment would inherit it open.
    let write = "printf '%s' \"$2\" > \"$1\" && chmod 755 \"$1\"";
    assert!(Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(NOTE).status().unwrap().success());
}

fn joined(parts: &[&OsStr]) -> OsString {
    OsString::from_vec(parts.iter().flat_map(|part| part.as_bytes().to_vec()).collect())
}

/// A word of a POSIX shell.
fn quoted(name: &OsStr) -> Vec<u8> {
    let parts: Vec<&[u8]> = name.as_bytes().split(|&byte| byte == b'\'').collect();
    [b"'", &parts.join(&br"'\''"[..])[..], b"'"].concat()
}

#[test]
fn names_reach_the_commands_unchanged() {
    let cluster = Cluster::new();
    for name in [
        "s$(touch PWNED)",
        "`touch PWNED`",
        "it's \"so\" $HOME",
        "-n",
        "--wrap=touch PWNED",
        " a  b ",
        ";touch PWNED;",
        "#'\"'",
        "x%a%%j",
        "*?[a-z]{a,b}~!",
        "ω²",
    ] {
        cluster.check(&Names::all(OsStr::new(name)));
    }
    let by_default = Names { study: "s$(touch PWNED).ron".into(), out: None, data: None, partition: None };
    cluster.check(&by_default);
    let backslashes = Names { study: "back\\slash.ron".into(), data: Some("\\".into()), ..by_default };
    cluster.check(&Names { out: Some("plain".into()), ..backslashes });
}

/// The folder of the program may be called anything, too.
#[test]
fn the_programs_own_path_reaches_the_shell_unchanged() {
    let cluster = Cluster::new();
    let folder = cluster.root.join("it's $(touch PWNED)");
    fs::create_dir(&folder).unwrap();
    let program = folder.join("fedbits");
    // Copied by another process, as in `note`.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_fedbits")).arg(&program).status().unwrap().success());
    let mut command = Command::new(&program);
    command.args(["cluster", "slurm", "study.ron", "--out", "o"]).current_dir(&cluster.root);
    finish(command).done();
    fs::remove_file(&program).unwrap();
    note(&program);
    let (calls, _) = cluster.calls(&cluster.root.join("o-slurm/merge.sbatch"), &[]);
    assert_eq!(calls, [["fedbits".into(), "merge".into(), cluster.root.join("o").into_os_string()]]);
    assert!(!tree(&cluster.root).iter().any(|name| name.ends_with("PWNED")));
}

/// What no file for SLURM can carry is refused before anything is written, by the name of the option.
#[test]
fn names_that_cannot_be_quoted_are_refused() {
    let cluster = Cluster::new();
    let plain = Names { study: "study.ron".into(), out: None, data: None, partition: None };
    let name = |text: &str| Some(OsString::from(text));
    let wrong = [
        (Names { out: name("a\n#SBATCH --wrap=date"), ..plain.clone() }, "--out"),
        (Names { out: name("back\\slash"), ..plain.clone() }, "--out"),
        (Names { data: name("a\rb"), ..plain.clone() }, "--data"),
        (Names { partition: name("p\n#SBATCH --wrap=date"), ..plain.clone() }, "--partition"),
        (Names { partition: name("\u{7f}"), ..plain.clone() }, "--partition"),
        (Names { study: "s\ttab.ron".into(), ..plain.clone() }, "the study's file"),
    ];
    for (names, what) in wrong {
        let before = cluster.tree().len();
        let output = names.cluster(&cluster.scratch);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{names:?}: {message}");
        assert!(message.contains(&format!("fedbits: {what} is ")) && message.contains("expected"), "{message}");
        assert!(!message.trim_end().contains(|c: char| c.is_control()), "{message:?}");
        assert_eq!(cluster.tree().len(), before, "nothing is written");
        let _ = fs::rename(cluster.root.join(&names.study), cluster.root.join("study.ron"));
    }
}

/// Any bytes that can be a file's name.
fn file_name() -> impl Strategy<Value = Vec<u8>> {
    let special = prop::sample::select(b" '\"$`\\%;&|<>*?#~-=!()[]{}\n\t\x1b".to_vec());
    let byte = prop_oneof![3 => special, 2 => any::<u8>(), 1 => prop::sample::select(b"abc".to_vec())];
    let name = prop::collection::vec(byte, 1..20);
    name.prop_filter("a name in a folder", |name| {
        !name.iter().any(|&byte| byte == 0 || byte == b'/') && name != b"." && name != b".."
    })
}

/// What can be an argument that must be text.
fn text() -> impl Strategy<Value = OsString> {
    file_name().prop_map(|name| OsString::from(name.iter().map(|&byte| char::from(byte)).collect::<String>()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Names of random bytes: unchanged in every command, or refused.
    #[test]
    fn any_names_are_unchanged_or_refused(
        study in text(), out in file_name(), data in file_name(), partition in text(),
    ) {
        let cluster = Cluster::new();
        let name = |bytes: Vec<u8>| Some(OsString::from_vec(bytes));
        let names = Names { study: joined(&[&study, OsStr::new(".ron")]), out: name(out), data: name(data), partition: Some(partition) };
        let all = [Some(&names.study), names.out.as_ref(), names.data.as_ref(), names.partition.as_ref()];
        let control = all.iter().flatten().any(|name| name.as_bytes().iter().any(u8::is_ascii_control));
        if control || names.out.as_ref().is_some_and(|out| out.as_bytes().contains(&b'\\')) {
            prop_assert_eq!(names.cluster(&cluster.scratch).status.code(), Some(2));
            prop_assert!(!cluster.root.join("o").exists());
        } else {
            cluster.check(&names);
        }
    }
}
