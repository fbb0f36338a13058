//! What the program reports for wrong input, and with which exit code: reviewed snapshots of every entrance. Text that
//! is wrong inside a scenario has its own cases in `scenarios/tests/bad_input/`; here are files, options, data and
//! folders of runs. Snapshots are rewritten with `INSTA_UPDATE=always` and reviewed as differences.

use std::fs;
use std::path::Path;

use crate::support::{Scratch, finish, scenario_file};

/// A folder with wrong things of all kinds in it.
fn wrong_things() -> Scratch {
    let scratch = Scratch::new();
    let put = |name: &str, bytes: &[u8]| fs::write(scratch.path(name), bytes).unwrap();
    let good = fs::read_to_string(scenario_file("environment.ron")).unwrap();
    put("good.ron", good.as_bytes());
    put("empty.ron", b"");
    put("syntax.ron", good.replace("clients: 8,", "clients: 8,,").as_bytes());
    put("latin1.ron", &[&b"(\n    name: \"caf\xe9\",\n"[..], good.as_bytes()].concat());
    let several = good.replace("seed: 15", "sed: 15").replace("clients: 8", "clients: -8").replace("Ideal", "Idea");
    put("several.ron", several.as_bytes());
    fs::create_dir(scratch.path("folder")).unwrap();
    fs::create_dir(scratch.path("folder.ron")).unwrap();
    put("folder/notes.txt", b"no run");
    put("file", b"");
    scratch
}

/// What was typed, the exit code, and what was reported; the scratch folder's own path and the version do not matter.
fn conversation(scratch: &Scratch, cases: &[&[&str]]) -> String {
    let home = scratch.path("").display().to_string();
    let mut text = String::new();
    for case in cases {
        let output = finish(scratch.fedbits(*case));
        assert!(matches!(output.code, Some(1 | 2 | 74)), "{case:?} ends with {:?}: {}", output.code, output.err);
        assert!(!output.err.contains("panicked"), "{}", output.err);
        assert_eq!(output.out, "", "{case:?} has nothing for standard output");
        let code = output.code.unwrap_or_default();
        text += &format!("$ fedbits {}\n[exit {code}]\n{}\n\n", case.join(" "), output.err.trim_end());
    }
    text.replace(&home, "HOME/")
}

/// Scenarios in other formats, by their endings or by what stands in them.
#[test]
fn other_formats_are_named() {
    let scratch = Scratch::new();
    for (name, text, format) in [
        ("a.yaml", "# settings\nname: mine\nclients: 10\n", "YAML"),
        ("a.yml", "- one\n", "YAML"),
        ("b.ron", "---\nname: mine\n", "YAML"),
        ("c.ron", "name: mine\nprotocol:\n  FedEm:\n    gamma: 0.1\n", "YAML"),
        ("d.json", "{\"name\": \"mine\"}", "JSON"),
        ("e.txt", "{\n  \"name\": \"mine\"\n}", "JSON"),
        ("f.toml", "[protocol]\ngamma = 0.1\n", "TOML"),
        ("g.ron", "name = \"mine\"\n", "TOML"),
        ("h.py", "import fedbits as fb\nfb.run('quickstart')\n", "Python"),
    ] {
        fs::write(scratch.path(name), text).unwrap();
        for command in ["check", "run"] {
            let output = finish(scratch.fedbits([command, name]));
            let told = format!(
                "{name} looks like {format}: scenarios are in RON, as in `(name: \"mine\", base: \"quickstart\""
            );
            let said = output.err.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(output.code == Some(2) && said.contains(&told), "{command}: {}", output.err);
        }
    }
    // RON is RON under every name.
    let good = fs::read_to_string(scenario_file("environment.ron")).unwrap();
    fs::write(scratch.path("good.yaml"), good).unwrap();
    let told = finish(scratch.fedbits(["check", "good.yaml", "--text-only"])).done();
    assert!(told.contains("no data were read"), "{told}");
}

#[test]
fn scenarios_that_cannot_be_read() {
    let scratch = wrong_things();
    insta::assert_snapshot!(conversation(
        &scratch,
        &[
            &["run", "quikstart"],
            &["run", "fedem-figure1"],
            &["run", "absent.ron"],
            &["check", "folder.ron"],
            &["check", "file/good.ron"],
            &["check", "latin1.ron"],
            &["check", "empty.ron"],
            &["check", "syntax.ron"],
            &["run", "several.ron"],
            &["check", "--json", "several.ron"],
        ]
    ));
}

#[test]
fn options_that_cannot_be() {
    let scratch = wrong_things();
    insta::assert_snapshot!(conversation(
        &scratch,
        &[
            &["run"],
            &["rum", "good.ron"],
            &["run", "good.ron", "--sed", "3"],
            &["run", "good.ron", "-q", "-v"],
            &["run", "good.ron", "--seed", "-1"],
            &["run", "good.ron", "--seed", "one"],
            &["run", "good.ron", "--threads", "0"],
            &["run", "good.ron", "--threads", "70000"],
            &["run", "good.ron", "--set", "seed"],
            &["run", "good.ron", "--set", "clinets=3"],
            &["run", "good.ron", "--set", "clients=many"],
            &["run", "good.ron", "--set", "protocol.gamma=Constant(7)", "--set", "round=Sometime"],
            &["run", "good.ron", "--set", "clients=(("],
            &["report"],
            &["report", "folder", "--style", "naturre"],
            &["report", "folder", "--format", "svg,gif"],
        ]
    ));
}

/// No run starts, and what stands at the path of the results stays.
#[test]
fn places_that_cannot_take_results() {
    let scratch = wrong_things();
    insta::assert_snapshot!(conversation(
        &scratch,
        &[
            &["run", "good.ron", "--out", "file"],
            &["run", "good.ron", "--out", "file/record"],
            &["run", "good.ron", "--out", "folder"],
            &["new", "good"],
            &["new", "good.ron"],
            &["new", "folder/"],
            &["new", ""],
            &["new", "absent/scenario"],
        ]
    ));
    assert_eq!(fs::read_to_string(scratch.path("folder/notes.txt")).unwrap(), "no run");
    assert_eq!(fs::read_dir(scratch.path("folder")).unwrap().count(), 1);
}

#[test]
fn folders_that_hold_no_runs() {
    let scratch = wrong_things();
    fs::create_dir(scratch.path("nothing")).unwrap();
    let plan = |folder: &str, text: &str| {
        fs::create_dir(scratch.path(folder)).unwrap();
        fs::write(scratch.path(folder).join("plan.json"), text).unwrap();
    };
    plan("no-json", "(name: \"this is RON\")");
    plan("half", "{\n  \"engine_version\": \"0.1.0\",\n  \"name\": \"half\"\n}\n");
    insta::assert_snapshot!(conversation(
        &scratch,
        &[
            &["report", "absent"],
            &["report", "nothing"],
            &["report", "folder"],
            &["report", "file"],
            &["compare", "file"],
            &["report", "no-json"],
            &["report", "half"],
            &["verify", "absent"],
            &["verify", "nothing"],
            &["verify", "folder"],
            &["verify", "no-json"],
            &["verify", "half"],
        ]
    ));
}

/// A scenario on a table, with another table, and what `--set`s change.
fn on_table(scratch: &Scratch, name: &str, table: &str) {
    let text = fs::read_to_string(scenario_file("table.ron")).unwrap();
    fs::write(scratch.path(format!("{name}.ron")), text.replace("table.csv", &format!("{name}.csv"))).unwrap();
    fs::write(scratch.path(format!("{name}.csv")), table).unwrap();
}

#[test]
fn tables_that_are_no_data() {
    let scratch = Scratch::new();
    let good = fs::read_to_string(scenario_file("table.csv")).unwrap();
    let edited = |line: usize, to: &str| {
        let lines = good.lines().enumerate().map(|(number, line_now)| if number + 1 == line { to } else { line_now });
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    on_table(&scratch, "good", &good);
    on_table(&scratch, "word", &edited(7, "1.5,1,north,tall,a"));
    on_table(&scratch, "blank", &edited(7, "1.5,1,north,,a"));
    on_table(&scratch, "absent", "");
    on_table(&scratch, "nan", &edited(9, "NaN,1,north,2,a"));
    on_table(&scratch, "short", &edited(12, "1.5,1,north"));
    on_table(&scratch, "long", &edited(12, "1.5,1,north,2,a,b"));
    on_table(&scratch, "header-only", "width,unit,site,height,class\n");
    on_table(&scratch, "nothing", "");
    on_table(&scratch, "all-constant", "width,unit,site,height,class\n1,1,north,2,a\n1,1,south,2,b\n");
    fs::remove_file(scratch.path("absent.csv")).unwrap();
    let htru2 = fs::read_to_string(scenario_file("table.ron")).unwrap().replace("table.csv", "htru2/HTRU_2.csv");
    fs::write(scratch.path("known.ron"), htru2).unwrap();
    insta::assert_snapshot!(conversation(
        &scratch,
        &[
            &["run", "-q", "absent.ron"],
            &["run", "-q", "blank.ron"],
            &["run", "-q", "known.ron", "--data", "elsewhere"],
            &["run", "-q", "word.ron"],
            &["run", "-q", "nan.ron"],
            &["run", "-q", "short.ron"],
            &["run", "-q", "long.ron"],
            &["run", "-q", "header-only.ron"],
            &["run", "-q", "nothing.ron"],
            &["run", "-q", "all-constant.ron"],
            &["run", "-q", "good.ron", "--set", "data.label=Name(\"klass\")"],
            &["run", "-q", "good.ron", "--set", "data.columns=Columns([Index(9)])"],
            &["run", "-q", "good.ron", "--set", "data.columns=Columns([Name(\"site\")])"],
            &["run", "-q", "good.ron", "--set", "preprocess=[DropConstant, Pca(3)]"],
            &["run", "-q", "good.ron", "--set", "model.components=500"],
            &["run", "-q", "good.ron", "--set", "model.covariance=Known([[1]])"],
        ]
    ));
    assert_nothing_made(&scratch);
}

/// What shows only when the network is made: exit code 2, the position in the text, what was expected; in every command
/// that prepares a run.
#[test]
fn networks_that_cannot_be() {
    let scratch = wrong_things();
    let cases = [
        ("(shape: Graph(sites: Path(4), server: Name(\"s9\")))", "1:47", "did you mean `s"),
        ("(shape: Graph(sites: Path(4), server: Index(4)))", "1:47", "expected `Index(0)` to `Index(3)`"),
        ("(shape: Graph(sites: Ring(4), clients: Leaves))", "1:48", "expected `Others`"),
        ("(shape: Graph(sites: ErdosRenyi(sites: 40, probability: 0.001)))", "1:30", "a larger `probability`"),
    ];
    for (network, position, expected) in cases {
        for command in ["run", "check"] {
            let set = format!("network={network}");
            let output = finish(scratch.fedbits([command, "good.ron", "--set", &set]));
            assert_eq!(output.code, Some(2), "{}", output.err);
            let found = output.err.contains(&format!("--set {set}:{position}")) && output.err.contains(expected);
            assert!(found, "{position} and {expected}: {}", output.err);
        }
    }
    assert_nothing_made(&scratch);
}

/// A later arm of counts that cannot be divided or started is refused before the first one runs.
#[test]
fn later_arms_of_counts_are_checked() {
    let scratch = Scratch::new();
    fs::write(scratch.path("counts.csv"), "site,y1,y2\na,1,2\nb,3,4\n").unwrap();
    let scenario = r#"(name: "counts", data: Counts(path: "counts.csv", site: "site", arrangement: Wide(counts: ["y1", "y2"])),
    clients: 1, partition: Observers, model: LowRank(rank: 1), initial: Margins, protocol: FedMissEm(gamma: 0.5),
    stop: (rounds: 2), arms: [(name: "a"), (name: "b", set: {"initial": "Parameters([1, 2])"})])"#;
    fs::write(scratch.path("counts.ron"), scenario).unwrap();
    let output = finish(scratch.fedbits(["run", "counts.ron", "--no-figures", "--out", "out"]));
    assert!(output.code == Some(2) && output.err.contains("θ has 2 entries: the model has 4"), "{}", output.err);
    assert!(!scratch.path("out").exists(), "{}", output.err);
}

/// What cannot be a scenario is refused before it is read, and what only looks like one is recognized.
#[test]
#[cfg(unix)]
fn files_that_are_no_scenario() {
    let scratch = wrong_things();
    fs::File::create(scratch.path("large.ron")).unwrap().set_len(5 << 20).unwrap();
    let good = fs::read_to_string(scenario_file("environment.ron")).unwrap();
    fs::write(scratch.path("marked.ron"), format!("\u{feff}{good}")).unwrap();
    for (file, expected) in [("large.ron", "larger than 4 MiB"), ("/dev/null", "a device: expected a file")] {
        let output = finish(scratch.fedbits(["check", file]));
        assert!(output.code == Some(2) && output.err.contains(expected), "{}", output.err);
    }
    finish(scratch.fedbits(["check", "marked.ron", "--text-only"])).done();
    // As `>` of PowerShell writes it.
    let wide: Vec<u8> = format!("\u{feff}{good}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(scratch.path("wide.ron"), wide).unwrap();
    finish(scratch.fedbits(["check", "wide.ron", "--text-only"])).done();
}

/// Options that no runs can serve.
#[test]
fn options_that_do_not_fit_the_runs() {
    let scratch = wrong_things();
    finish(scratch.fedbits(["run", "quickstart", "-q", "--no-figures", "--set", "stop.rounds=2", "--out", "a"])).done();
    let refused = |arguments: &[&str], expected: &str| {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
    };
    refused(&["compare", "a", "--target", "foo=1"], "`foo` was measured by no run; measured are `");
    refused(&["compare", "a", "--target", "round=3"], "`round` is what a run spends, and no target; measured are");
    refused(&["compare", "a", "--target", "mean_field_sq=-1"], "cannot be reached: expected a finite number, above 0");
    refused(&["report", "a", "--label", "one"], "1 label for 4 arms");
    refused(&["report", "a", "--label", " "], "1 label for 4 arms");
    refused(&["report", "a", "--axes", "a,b"], "--axes: no chosen figure has `kind.rows`: expected `--figure heat`");
    refused(&["report", "a", "--figure", "heat", "--axes", "a,b"], "there is no axis `a`");
    let others = ["--figure", "heat", "--figure", "ledger", "--format", "svg", "--out", "b"];
    refused(&[&["report", "a"], &others[..]].concat(), "`heat` cannot be drawn of these runs: it needs");
    assert!(scratch.path("b/ledger.svg").exists(), "the other figures are drawn");
    let curves = "--x: no chosen figure has `kind.x`: expected";
    refused(&["report", "a", "--figure", "ledger", "--x", "time"], curves);
    refused(&["report", "a", "--arm", "rand-6", "--arm", "rand-6"], "this arm is shown twice");
    refused(&["report", "a", "--arm", "rand-7"], "there is no arm `rand-7`");
    refused(&["report", "a", "--slope", "rand-6=0.06"], "figures[0].kind.marks=[Slope(");
    refused(&["report", "a", "--all", "--x", "time"], "cannot be used with");
    refused(&["report", "a", "--out", "file"], "file");
}

/// 2 images of 2 × 2 pixels and their labels, in the format of MNIST.
const IMAGES: [u8; 24] = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8];
const LABELS: [u8; 10] = [0, 0, 8, 1, 0, 0, 0, 2, 0, 1];

#[test]
fn images_that_are_no_data() {
    let scratch = Scratch::new();
    let packed = packed_images();
    let put = |name: &str, images: &[u8], labels: &[u8]| {
        let data = format!("data: Idx(images: \"{name}-images\", labels: \"{name}-labels\"),");
        let text = fs::read_to_string(scenario_file("table.ron")).unwrap();
        let old = text.lines().find(|line| line.trim_start().starts_with("data:")).unwrap();
        let text =
            text.replace(old, &data).replace("partition: ClientColumn", "clients: 2").replace("Full", "Diagonal");
        fs::write(scratch.path(format!("{name}.ron")), text).unwrap();
        fs::write(scratch.path(format!("{name}-images")), images).unwrap();
        fs::write(scratch.path(format!("{name}-labels")), labels).unwrap();
    };
    put("cut", &packed[..packed.len() - 10], &LABELS);
    put("cut-plain", &IMAGES[..20], &LABELS);
    put("swapped", &LABELS, &IMAGES);
    put("more", &[&IMAGES[..], &[9]].concat(), &LABELS);
    put("fewer-labels", &IMAGES, &[0, 0, 8, 1, 0, 0, 0, 1, 0]);
    put("no-size", &[0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2], &LABELS);
    put("no-file", &IMAGES, &LABELS);
    fs::remove_file(scratch.path("no-file-labels")).unwrap();
    let names = ["cut", "cut-plain", "swapped", "more", "fewer-labels", "no-size", "no-file"];
    let files = names.map(|name| format!("{name}.ron"));
    let cases: Vec<[&str; 3]> = files.iter().map(|file| ["run", "-q", file.as_str()]).collect();
    let cases: Vec<&[&str]> = cases.iter().map(|case| &case[..]).collect();
    insta::assert_snapshot!(conversation(&scratch, &cases));
    assert_nothing_made(&scratch);
}

/// `IMAGES` as gzip (RFC 1952) with one stored block (RFC 1951): header, the block, CRC-32, length.
fn packed_images() -> Vec<u8> {
    let length = IMAGES.len() as u16;
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(IMAGES);
    bytes.extend([0; 4]);
    bytes.extend(u32::from(length).to_le_bytes());
    bytes
}

/// A refused run leaves nothing: no plan, no folder for one.
#[track_caller]
fn assert_nothing_made(scratch: &Scratch) {
    let out: &Path = &scratch.path("out");
    assert!(!out.exists(), "{} was made", out.display());
}

/// Whoever mistypes a file, or leaves out its ending, hears of the file beside it.
#[test]
fn files_with_a_near_name_are_proposed() {
    let scratch = wrong_things();
    for (given, expected) in [
        ("god.ron", "there is no file god.ron: did you mean `good.ron`?"),
        ("./god.ron", "did you mean `./good.ron`?"),
        ("good", "did you mean the file `good.ron`?"),
        ("good.ron.bak", "did you mean the file `good.ron`?"),
        ("quikstart", "did you mean `quickstart`?"),
    ] {
        let output = finish(scratch.fedbits(["run", given]));
        assert!(output.code == Some(2) && output.err.contains(expected), "{given}: {}", output.err);
    }
    std::fs::write(scratch.path("my.csv"), "a,b\n1,2\n").unwrap();
    let output = finish(scratch.fedbits(["check", "my.csv"]));
    assert!(output.code == Some(2) && output.err.contains("`fedbits new NAME --data my.csv`"), "{}", output.err);
    let output = finish(scratch.fedbits(["check", "good.ron", "--set", "protocol.gamma=NaN"]));
    assert!(output.code == Some(2) && !output.err.contains("Constant(NaN)"), "{}", output.err);
}

/// Runs that lie deeper than a command looks are named, and not passed over in silence.
#[test]
fn runs_that_are_left_out_are_said() {
    let scratch = Scratch::new();
    for out in ["out/here", "out/deeper/there"] {
        let mut run = scratch.fedbits(["run", "-q", "--out", out]);
        run.arg(scenario_file("tiny.ron"));
        finish(run).done();
    }
    for command in ["compare", "verify", "report"] {
        let output = finish(scratch.fedbits([command, "out"]));
        let said = "caveat: omitted, because only runs directly in out count: `out/deeper/there`";
        assert!(output.code == Some(0) && output.err.contains(said), "{command}: {}", output.err);
        let output = finish(scratch.fedbits([command, "out/deeper"]));
        assert!(output.code == Some(0) && !output.err.contains("left out"), "{command}: {}", output.err);
        let output = finish(scratch.fedbits([command, "."]));
        assert!(output.code == Some(2) && output.err.contains("there are runs in `out/here`"), "{}", output.err);
    }
    let one = finish(scratch.fedbits(["compare", "out/here"])).done();
    assert!(one.starts_with("tiny: 1 arm, 1 replicate planned;") && one.contains("runs of tiny: digest"), "{one}");
    let page = finish(scratch.fedbits(["report", "out/here", "--figure", "ledgr"]));
    assert!(page.code == Some(2) && page.err.contains("did you mean `ledger`?"), "{}", page.err);
    let arm = finish(scratch.fedbits(["compare", "out/here", "--baseline", "tyni"]));
    assert!(arm.code == Some(2) && arm.err.contains("did you mean `tiny`?"), "{}", arm.err);
}

/// What is of the wrong kind is wrong input (2), whichever command meets it; 74 is for what the system refuses.
#[test]
fn what_is_of_the_wrong_kind_is_wrong_input() {
    let scratch = Scratch::new();
    let tiny = scenario_file("tiny.ron").display().to_string();
    finish(scratch.fedbits(["run", &tiny, "-q", "--no-figures", "--out", "record"])).done();
    fs::write(scratch.path("file"), "mine").unwrap();
    fs::write(scratch.path("file.parquet"), "PAR1 and so on PAR1").unwrap();
    let commands: &[&[&str]] = &[
        &["run", &tiny, "--out", "file"],
        &["report", "record", "--format", "svg", "--out", "file"],
        &["trace", "record", "--slowest", "--out", "file"],
        &["man", "file"],
        &["export", "record", "--out", "file"],
        &["predict", "record", "--data", "file", "--out", "record"],
        &["predict", "record", "--data", "/dev/null"],
        &["new", "fit", "--data", "/dev/null"],
        #[cfg(not(feature = "parquet"))]
        &["new", "fit", "--data", "file.parquet"],
        &["merge", "file"],
        &["merge", "nosuch"],
    ];
    for arguments in commands {
        let output = finish(scratch.fedbits(*arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}{}", output.out, output.err);
        let named = ["file", "/dev/null", "nosuch"].iter().any(|name| output.err.contains(name));
        assert!(named && !output.err.contains("os error"), "{arguments:?}: {}", output.err);
    }
    assert_eq!(fs::read_to_string(scratch.path("file")).unwrap(), "mine");
}

/// Each says what was expected.
#[test]
fn wrong_values_are_answered_with_what_was_expected() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("data")).unwrap();
    fs::write(scratch.path("a.csv"), "x,y\n1,2\n").unwrap();
    let header = "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }";
    let head = [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), &[0; 8]];
    fs::write(scratch.path("complex.npy"), head.concat()).unwrap();
    let whole = "expected a whole number from ";
    let cases: [(&[&str], &str); 11] = [
        (&["run", "quickstart", "--threads", "1.5"], whole),
        (&["run", "quickstart", "--replicates", "-1"], whole),
        (&["check", "quickstart", "--pilot-seconds", "abc"], whole),
        (&["new", "n", "--data", "a.csv", "--delimiter", ",,"], "expected one character, such as `;`, or `tab`"),
        (&["new", "n", "--data", "a.csv", "--delimiter", ""], "expected one character"),
        (
            &["new", "n", "--data", "complex.npy"],
            "expected floats of 2, 4 or 8 bytes or integers of 1 to 8, found '<c8'",
        ),
        (&["check", "htru2-em", "--data", ".", "--set", "data.path=data"], "the data file `data` is a folder"),
        (
            &["check", "htru2-em", "--data", ".", "--set", "data.path=/dev/null"],
            "the data file `/dev/null` is not a regular file",
        ),
        (&["check", "quickstart", "--set", "base=quickstart"], "cannot be set: expected it in the file"),
        (&["check", "quickstart", "--set", "base=\"quickstart\""], "cannot be set: expected it in the file"),
        (&["new", "x\ny"], "expected no line breaks"),
    ];
    for (arguments, expected) in cases {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}", output.err);
        let said = output.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected.trim_end()), "{arguments:?}: {}", output.err);
    }
    fs::write(scratch.path("tabs.csv"), "x\ty\n1\t2\n2\t4\n3\t7\n").unwrap();
    for (name, tab) in [("one", "tab"), ("two", "\\t"), ("three", "\t")] {
        finish(scratch.fedbits(["new", name, "--data", "tabs.csv", "--delimiter", tab])).done();
    }
    fs::write(scratch.path("fedbits.ron"), "").unwrap();
    let output = finish(scratch.fedbits(["list"]));
    assert!(output.code == Some(2) && output.err.contains("expected settings of a project"), "{}", output.err);
}

/// Names with commas and columns of texts, where somebody is asked.
#[cfg(unix)]
#[test]
fn columns_are_asked_for_until_they_can_be_used() {
    let scratch = Scratch::new();
    let row = |index: usize| format!("{index}.5,{},{},t{index}\n", (index * 7) % 11, (index * index) % 13);
    let rows: String = (0..40).map(row).collect();
    fs::write(scratch.path("mine.csv"), format!("\"Length, cm\",b,c,words\n{rows}")).unwrap();
    let keys = "-\n-\nwords\n\"Length, cm\", b\n\n\n";
    let Some((seen, code)) =
        crate::command_line::watching::on_a_terminal(&scratch, "new fit --data mine.csv", keys, &[])
    else {
        return;
    };
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("`words` is not a column of numbers: no number at"), "{seen}");
    let written = fs::read_to_string(scratch.path("fit.ron")).unwrap();
    assert!(written.contains("columns: [\"Length, cm\", \"b\"]"), "{written}");
}

#[test]
fn what_cannot_be_met_or_drawn_is_named() {
    let scratch = wrong_things();
    finish(scratch.fedbits(["run", "good.ron", "-q", "--no-figures", "--out", "record", "--set", "stop.rounds=2"]))
        .done();
    let cases: [(&[&str], &str); 2] = [
        (&["compare", "record", "--target", "objective=inf"], "inf"),
        (&["report", "record", "--format", "svg", "pdf"], "commas between formats, --format svg,pdf"),
    ];
    for (case, expected) in cases {
        let output = finish(scratch.fedbits(case));
        assert!(output.code == Some(2) && output.err.contains(expected), "{case:?}: {}", output.err);
    }
}

/// A reason that several arms share is said once, behind their names.
#[test]
fn check_says_once_what_keeps_several_arms_from_running() {
    let scratch = Scratch::new();
    let text = r#"(name: "arms", base: "quickstart", partition: Iid, data: Csv(path: "no.csv", columns: ["x"]), arms: [
        (name: "A"), (name: "B"), (name: "C", set: {"data.path": "\"none.csv\""})])"#;
    fs::write(scratch.path("arms.ron"), text).unwrap();
    let checked = finish(scratch.fedbits(["check", "arms.ron"]));
    assert_eq!(checked.code, Some(2), "{}", checked.err);
    let reasons = ["`A`, `B` cannot be finished: ", "`no.csv` was not found", "`C` cannot be finished: ", "`none.csv`"];
    for reason in reasons {
        assert_eq!(checked.err.matches(reason).count(), 1, "{reason}: {}", checked.err);
    }
    assert!(checked.out.contains("· cannot be finished\n") && !checked.out.contains("╭"), "{}", checked.out);
}
