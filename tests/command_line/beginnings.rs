//! What a user begins with: the list, the sources of the library, commented scenarios, and one for a table of one's own.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use fedbits::protocols::setting::ProtocolSetting;
use fedbits::spec::Kind;

use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish};

/// Every start is a scenario that `check` and `run` accept as it is written, and its comments stay.
#[test]
fn every_start_runs() {
    let scratch = Scratch::new();
    let help = finish(scratch.fedbits(["new", "--help"])).done();
    for start in fedbits::library::starts() {
        assert!(help.contains(start), "{help}");
        finish(scratch.fedbits(["new", start, "mine"])).done();
        let text = fs::read_to_string(scratch.path("mine.ron")).unwrap();
        assert!(text.starts_with("//") && text.contains("name: \"mine\""), "{text}");
        finish(scratch.fedbits(["check", "mine.ron", "--text-only"])).done();
        finish(scratch.fedbits(["run", "mine.ron", "-q", "--no-figures"])).done();
        fs::remove_file(scratch.path("mine.ron")).unwrap();
        fs::remove_dir_all(scratch.path("out")).unwrap();
    }
    let unknown = finish(scratch.fedbits(["new", "vpam", "mine"]));
    assert!(unknown.code == Some(2) && unknown.err.contains("did you mean `vpem`?"), "{}", unknown.err);
}

/// Whoever adds a protocol adds it to a start, or says there how it is chosen.
#[test]
fn every_protocol_is_in_a_start() {
    let texts: String = fedbits::library::starts().filter_map(|start| fedbits::library::start(start, "x")).collect();
    for protocol in <dyn ProtocolSetting as Kind>::registry().names() {
        assert!(texts.contains(&format!("{protocol}(")), "{protocol}");
    }
}

/// A copy differs from its source in the name alone.
#[test]
fn a_copy_keeps_everything_but_the_name() {
    let scratch = Scratch::new();
    finish(scratch.fedbits(["new", "--from", "papers/fedem-figure1", "mine"])).done();
    finish(scratch.fedbits(["new", "--from", "studies/flsaem-topk"])).done();
    let source = finish(scratch.fedbits(["show", "papers/fedem-figure1"])).done();
    let copy = fs::read_to_string(scratch.path("mine.ron")).unwrap();
    assert_eq!(copy.replacen("\"mine\"", "\"fedem-figure1\"", 1).trim_end(), source.trim_end());
    assert!(scratch.path("flsaem-topk.ron").is_file());
    let again = finish(scratch.fedbits(["new", "--from", "quickstart", "mine"]));
    assert!(again.code == Some(2) && again.err.contains("mine.ron exists"), "{}", again.err);
    assert_eq!(fs::read_to_string(scratch.path("mine.ron")).unwrap(), copy);
}

/// Rows of a table with numbers that are no pattern: few of them, and the same in every build.
fn table(rows: usize, row: impl Fn(usize, [f64; 3]) -> String) -> String {
    let mut state = 7_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / 16_777_216.0
    };
    (0..rows).map(|number| row(number, [draw(), draw(), draw()]) + "\n").collect()
}

/// The scenario that is written for a table runs, whatever its delimiter, with or without a header; what cannot be a
/// feature is left out, and said to be.
#[test]
fn a_scenario_is_written_for_a_table() {
    let scratch = Scratch::new();
    let groups = |number: usize| ["north", "south", "east"][number % 3];
    let head = "id;width;height;depth;species;site;flaw\n";
    let body = table(120, |number, [x, y, z]| {
        let kind = number % 2;
        let flaw = if number % 3 > 0 { "NA".to_owned() } else { x.to_string() };
        format!("{number};{:.4};{:.4};{:.4};kind {kind};{};{flaw}", x + 2.0 * kind as f64, y, 50.0 * z, groups(number))
    });
    fs::write(scratch.path("plants.csv"), format!("{head}{body}")).unwrap();
    let output = finish(scratch.fedbits(["new", "fit", "--data", "plants.csv"]));
    assert!(output.code == Some(0) && output.err.contains("left out: flaw (80 values are missing)"), "{}", output.err);
    let text = fs::read_to_string(scratch.path("fit.ron")).unwrap();
    for part in [
        "columns: [\"width\", \"height\", \"depth\"]",
        "label: \"species\"",
        "client: \"site\"",
        "delimiter: ';'",
        "components: 2",
        "partition: ClientColumn",
        "// Left out: id (numbers the rows).",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    finish(scratch.fedbits(["run", "fit.ron", "-q", "--no-figures"])).done();

    // Dates are no classes; a text that only has a dash is one.
    for (cell, is_class) in [("2021-03-#", false), ("2021-03-# 12:00", false), ("#.3.2021", false), ("18-2#", true)] {
        let dated =
            table(60, |number, [x, y, _]| format!("{},{x:.3},{y:.3}", cell.replace('#', &(number % 4).to_string())));
        fs::write(scratch.path("dated.csv"), format!("when,x,y\n{dated}")).unwrap();
        let output = finish(scratch.fedbits(["new", &format!("dated {cell}"), "--data", "dated.csv"]));
        assert_eq!(output.err.contains("classes, for measuring alone: `when`"), is_class, "{cell}: {}", output.err);
    }

    let bare = table(200, |number, [x, y, _]| format!("{:.3},{y:.3},{}", x + (number % 3) as f64, number % 3));
    fs::write(scratch.path("bare.csv"), bare).unwrap();
    finish(scratch.fedbits(["new", "bare", "--data", "bare.csv", "--yes"])).done();
    let text = fs::read_to_string(scratch.path("bare.ron")).unwrap();
    assert!(text.contains("header: false") && text.contains("label: 2"), "{text}");
    finish(scratch.fedbits(["run", "bare.ron", "-q", "--no-figures"])).done();
}

/// Of clusters far apart k-means finds what EM would: another start leaves rounds, in which the arms can be compared.
#[test]
fn a_start_leaves_rounds_to_compare() {
    let scratch = Scratch::new();
    let clusters = table(300, |number, [x, y, _]| {
        let place = 40.0 * (number % 3) as f64;
        format!("{:.4},{:.4}", x + place, y - place)
    });
    fs::write(scratch.path("far.csv"), format!("x,y\n{clusters}")).unwrap();
    let output = finish(scratch.fedbits(["new", "far", "--data", "far.csv"]));
    assert!(output.code == Some(0) && output.err.contains("the fit starts elsewhere"), "{}", output.err);
    assert!(!fs::read_to_string(scratch.path("far.ron")).unwrap().contains("initial: KMeans("));
    let out = finish(scratch.fedbits(["run", "far.ron", "--no-figures", "--json"])).done();
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |run: &serde_json::Value| run["totals"]["rounds"].as_u64().unwrap();
    let rounds: Vec<u64> = told["runs"].as_array().unwrap().iter().map(of).collect();
    assert!(rounds.len() == 2 && rounds.iter().all(|&rounds| rounds > 0), "{rounds:?}");
}

/// A single cell takes no column away: what pandas reads as missing is missing, and of others line and remedies are
/// told, which then work.
#[test]
fn a_wrong_cell_takes_no_column_away() {
    let scratch = Scratch::new();
    let new = |cell: &str, further: &[&str]| {
        let cells = table(60, |number, [x, y, z]| {
            let third = if number == 20 { cell.to_owned() } else { format!("{z:.4}") };
            format!("{x:.4},{y:.4},{third}")
        });
        fs::write(scratch.path("cell.csv"), format!("x,y,z\n{cells}")).unwrap();
        let _ = fs::remove_file(scratch.path("cell.ron"));
        let output = finish(scratch.fedbits([&["new", "cell", "--data", "cell.csv"], further].concat()));
        (output.code, output.err, fs::read_to_string(scratch.path("cell.ron")).unwrap_or_default())
    };
    for cell in ["#N/A", "None", "#DIV/0!", "<NA>", ""] {
        let (code, said, text) = new(cell, &[]);
        assert!(code == Some(0) && said.contains("features: 3 of 3 columns"), "{cell}: {said}");
        assert!(
            said.contains("rows with missing values: left out") && text.contains("missing: Drop"),
            "{cell}: {said}"
        );
    }
    for (cell, remedy) in [
        ("-", "`--missing-values=-` where no value is known"),
        ("Total", "`--missing-values=Total` where no value is known"),
        ("< 5", "`'--missing-values=< 5'` where no value is known"),
        ("inf", "`--missing-values=inf` where no value is known"),
        ("1_000", "no separators of thousands"),
        ("\"1,5\"", "expected a decimal point"),
    ] {
        let (code, said, text) = new(cell, &[]);
        assert!(code == Some(2) && text.is_empty(), "{cell}: {said}");
        let found = "cell.csv:22: column `z`: 1 cell holds no number that can be read, where 59 do; the first: ";
        assert!(said.contains(found) && said.contains(remedy), "{cell}: {said}");
        assert!(said.contains("`--leave-out=z` does without the column"), "{cell}: {said}");
        let (code, said, _) = new(cell, &["--leave-out=z"]);
        assert!(code == Some(0) && said.contains("left out: z (as `--leave-out` says)"), "{cell}: {said}");
    }
    let (_, said, text) = new("-999", &[]);
    let asked = "does -999 in `z` stand for a missing value? 1 number of it is negative";
    assert!(said.contains(asked) && text.contains(asked), "{said}");
    for (cell, option, out) in [("-999.0", "--missing-values=-999", "code"), ("-", "--missing-values=-", "dash")] {
        let (code, said, text) = new(cell, &[option]);
        assert!(code == Some(0) && text.contains("missing_values: [\"-") && text.contains("missing: Drop"), "{said}");
        finish(scratch.fedbits(["run", "cell.ron", "-q", "--no-figures", "--out", out])).done();
        // A fitted model knows what stood for no value.
        fs::write(scratch.path("new.csv"), format!("x,y,z\n0.1,0.2,{cell}\n0.1,0.2,0.3\n")).unwrap();
        let (arm, told) = (["--arm", "whole"], format!("{out}.csv"));
        let predict = ["predict", out, "--data", "new.csv", "--out", &told];
        let said = finish(scratch.fedbits(predict.iter().chain(&arm)));
        assert!(said.err.contains("left without a prediction: 1"), "{}", said.err);
    }
    let (code, said, _) = new("-999", &["--missing-values=-99"]);
    assert!(code == Some(2) && said.contains("cell.csv: no cell says `-99`"), "{said}");
    let (code, said, _) = new("1", &["--leave-out", "zz"]);
    assert!(code == Some(2) && said.contains("there is no column `zz`"), "{said}");
}

/// Columns of texts and of names stay what they were, whatever numbers are among them.
#[test]
fn texts_with_numbers_are_left_out() {
    let scratch = Scratch::new();
    let tickets = table(60, |number, [x, y, _]| {
        let ticket = if number % 3 == 0 { format!("A/{number}") } else { number.to_string() };
        let name = if number == 7 { "new".to_owned() } else { number.to_string() };
        format!("{x:.4},{y:.4},{ticket},{name}")
    });
    fs::write(scratch.path("t.csv"), format!("x,y,ticket,patient_id\n{tickets}")).unwrap();
    let output = finish(scratch.fedbits(["new", "t", "--data", "t.csv"]));
    assert_eq!(output.code, Some(0), "{}", output.err);
    let said = "left out: ticket (20 cells are no numbers, where 40 cells are; the first at t.csv:2: \"A/0\")";
    assert!(output.err.contains(said) && output.err.contains("left out: patient_id"), "{}", output.err);
}

/// Numbers that are names or dates are no measurements: by what they are called they are left out, and where only the
/// numbers look like it, it is asked. A row without a label cannot be filled in, and nobody is told to.
#[test]
fn names_and_dates_are_no_measurements() {
    let scratch = Scratch::new();
    let row = |number: usize, [x, y, _]: [f64; 3]| {
        let (name, label) = (100_000 + number * 7_919 % 900_000, if number == 5 { "" } else { ["a", "b"][number % 2] });
        let day = 20_240_101 + number % 28;
        format!("{name},{day},{name},{day},{:.4},{y:.4},{label}", x + 2.0 * (number % 2) as f64)
    };
    let text = format!("PatientID,date,chip,seen,width,height,species\n{}", table(150, row));
    fs::write(scratch.path("seen.csv"), text).unwrap();
    let output = finish(scratch.fedbits(["new", "seen", "--data", "seen.csv"]));
    let written = fs::read_to_string(scratch.path("seen.ron")).unwrap();
    assert!(written.contains("columns: [\"chip\", \"seen\", \"width\", \"height\"]"), "{written}");
    for part in [
        "left out: PatientID (numbers that are names, as it is called)",
        "left out: date (dates, as it is called)",
        "is `chip` a measurement? whole numbers, no two alike",
        "is `seen` a measurement? whole numbers that look like dates",
    ] {
        assert!(output.err.contains(part), "{part}: {}", output.err);
    }
    assert!(written.contains("// Is chip a measurement (whole numbers, no two alike)?"), "{written}");
    assert!(written.contains("missing: Drop,   // labels or clients are empty"), "{written}");
    assert!(!written.contains("Impute"), "{written}");
}

/// What says that it is missing among labels and clients is a name for the run, and so it is for what is proposed.
#[test]
fn a_class_or_a_client_may_be_called_na() {
    let scratch = Scratch::new();
    let body = |gap: &str| {
        table(120, |number, [x, y, _]| {
            let (kind, site) = (["a", "b"][number % 2], ["north", "south"][number / 2 % 2]);
            let (kind, site) = if number % 20 < 2 { (gap, if number < 60 { gap } else { site }) } else { (kind, site) };
            format!("{:.4},{y:.4},{kind},{site}", x + 2.0 * (number % 2) as f64)
        })
    };
    let new = |name: &str, gap: &str| {
        fs::write(scratch.path(format!("{name}.csv")), format!("width,height,species,site\n{}", body(gap))).unwrap();
        let output = finish(scratch.fedbits(["new", name, "--data", &format!("{name}.csv")]));
        assert_eq!(output.code, Some(0), "{}", output.err);
        (output.err, fs::read_to_string(scratch.path(format!("{name}.ron"))).unwrap())
    };
    let (said, text) = new("named", "NA");
    for part in ["`species` says `NA` or alike in 12 rows, which is a class", "`site` says `NA` or alike in 6 rows"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("left out") && !text.contains("missing:") && text.contains("components: 2"), "{said}{text}");
    let (said, text) = new("empty", "");
    assert!(said.contains("rows with missing values: left out") && !said.contains("or alike"), "{said}");
    assert!(text.contains("missing: Drop"), "{text}");
    // The run says the same.
    let output = finish(scratch.fedbits(["run", "named.ron", "--no-figures"]));
    let said = [output.out, output.err].concat();
    assert!(said.contains("`NA` is read as the name of a class, for 12 of 120 rows"), "{said}");
}

/// Subjects over time are curves.
#[test]
fn a_scenario_of_curves_is_written_for_subjects_over_time() {
    let scratch = Scratch::new();
    let mut text = "subject,age,height\n".to_owned();
    for subject in 0..12 {
        for time in 0..6 {
            let wobble = f64::from((subject * 7 + time * 3) % 5) / 5.0;
            let height = 140.0 + f64::from(subject) + 6.0 * f64::from(time) + wobble;
            let _ = writeln!(text, "s{subject},{time},{height}");
        }
    }
    fs::write(scratch.path("growth.csv"), &text).unwrap();
    finish(scratch.fedbits(["new", "growth", "--data", "growth.csv"])).done();
    let written = fs::read_to_string(scratch.path("growth.ron")).unwrap();
    assert!(written.contains("subject: \"subject\", time: \"age\", value: \"height\""), "{written}");
    finish(scratch.fedbits(["run", "growth.ron", "-q", "--no-figures"])).done();
    // The same with a gap, other names, a column of doses and one that does not vary.
    let gaps = text.replace("subject,age,height", "rat,day,reaction").replacen("s3,2,", "s3,2,NA,", 1);
    let gaps: String = gaps
        .lines()
        .enumerate()
        .map(|(line, text)| {
            let cells: Vec<&str> = text.split(',').take(if text.contains("NA") { 3 } else { 9 }).collect();
            format!("{},{}\n", cells.join(","), if line == 0 { "dose,wt" } else { "0.5,70" })
        })
        .collect();
    fs::write(scratch.path("gaps.csv"), gaps).unwrap();
    let output = finish(scratch.fedbits(["new", "gaps", "--data", "gaps.csv"]));
    assert!(output.err.contains("curves of 12 subjects (`rat`): `reaction` over `day`"), "{}", output.err);
    assert!(output.err.contains("if these are doses") && output.err.contains("left out: wt"), "{}", output.err);
    let written = fs::read_to_string(scratch.path("gaps.ron")).unwrap();
    assert!(written.contains("missing: Drop"), "{written}");
    finish(scratch.fedbits(["run", "gaps.ron", "-q", "--no-figures"])).done();
}

/// Of more different values than are counted the start still knows the level: of 0, 0.1, … 199.9 it is 100 by 58.
#[test]
fn curves_of_many_values_start_at_their_level() {
    let scratch = Scratch::new();
    let mut text = "subject,age,height\n".to_owned();
    for row in 0..2_000 {
        let _ = writeln!(text, "s{},{},{}", row / 10, row % 10, f64::from(row) / 10.0);
    }
    fs::write(scratch.path("growth.csv"), &text).unwrap();
    finish(scratch.fedbits(["new", "growth", "--data", "growth.csv"])).done();
    let written = fs::read_to_string(scratch.path("growth.ron")).unwrap();
    assert!(written.contains("Typical(values: [100.0, 0], deviations: [58.0, 58.0], sigma: 58.0)"), "{written}");
}

/// Gaps, files as clients, arrays and LIBSVM's files: what is written runs, and says what it took for what.
#[test]
fn scenarios_are_written_for_data_as_they_come() {
    let scratch = Scratch::new();
    let written = |name: &str, data: &str, said: &[&str], parts: &[&str]| {
        let output = finish(scratch.fedbits(["new", name, "--data", data]));
        assert_eq!(output.code, Some(0), "{data}: {}", output.err);
        said.iter().for_each(|said| assert!(output.err.contains(said), "no `{said}` in {}", output.err));
        let text = fs::read_to_string(scratch.path(name).with_extension("ron")).unwrap();
        parts.iter().for_each(|part| assert!(text.contains(part), "no `{part}` in {text}"));
        finish(scratch.fedbits(["run", &format!("{name}.ron"), "-q", "--no-figures"])).done();
    };
    let gaps = |every: usize| {
        let body = table(120, |number, [x, y, _]| match number % every {
            1 => format!("{x},"),
            _ => format!("{x},{y}"),
        });
        format!("width,height\n{body}")
    };
    fs::write(scratch.path("few.csv"), gaps(10)).unwrap();
    written("few", "few.csv", &["rows with missing values: left out", "clients: 6,"], &["missing: Drop"]);
    fs::write(scratch.path("many.csv"), gaps(3)).unwrap();
    written("many", "many.csv", &["the median of their column"], &["missing: Impute(Median)"]);
    // Gaps among labels and clients make no features of them.
    let coded = table(150, |number, [x, y, _]| {
        let but = |gap: usize, code: usize| if number == gap { String::new() } else { code.to_string() };
        format!("{x},{y},{},{}", but(7, number % 5), but(3, number % 3))
    });
    fs::write(scratch.path("coded.csv"), format!("a,b,hospital,label\n{coded}")).unwrap();
    let parts = ["columns: [\"a\", \"b\"]", "label: \"label\"", "client: \"hospital\"", "missing: Drop"];
    written("coded", "coded.csv", &["features: 2 of 4 columns"], &parts);
    for site in ["north", "south"] {
        let body = table(40, |_, [x, y, _]| format!("{x},{y}"));
        fs::write(scratch.path(format!("site-{site}.csv")), format!("width,height\n{body}")).unwrap();
    }
    let said = ["80 rows in 2 files", "clients: the files"];
    written("sites", "site-*.csv", &said, &["path: \"site-*.csv\"", "partition: ClientColumn"]);
    let body = table(60, |number, [x, y, _]| format!("{} 1:{x} 3:{y}", 2 * (number % 2)));
    fs::write(scratch.path("digits.svm"), body).unwrap();
    written(
        "digits",
        "digits.svm",
        &["60 rows, 3 columns, 2 classes"],
        &["LibSvm(path: \"digits.svm\")", "components: 2"],
    );
    let arrays = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/arrays/cube.npy");
    let output = finish(scratch.fedbits(["new", "cube", "--data", arrays]));
    assert!(output.err.contains(" columns, no labels"), "{}", output.err);
    // A header of years is asked for; what is no number where numbers are expected says where.
    let refused = |data: &str, text: &str, further: &[&str], expected: &str| {
        fs::write(scratch.path(data), text).unwrap();
        let output = finish(scratch.fedbits([&["new", "wrong", "--data", data], further].concat()));
        assert!(output.code == Some(2) && output.err.contains(expected), "{data}: {}", output.err);
    };
    let years = "name,1960,1961\nx,1,2\ny,3,5\n";
    refused("years.csv", years, &[], "expected `--header true` or `--header false`");
    refused("comma.csv", "a;b\n1,5;2,5\n2,5;3,5\n", &[], "comma.csv:2: column `a`: 2 cells hold no numbers");
    refused("whole.csv", "a;b\n1;2\n2,5;3,5\n", &[], "the first: \"2,5\": expected a decimal point");
    refused("infinite.csv", "a\n1\ninf\n", &[], "infinite.csv:3: column `a`: 1 cell holds no number");
}

/// What is no table is refused with the place, and nothing is written.
#[test]
fn tables_that_cannot_be_used_are_refused() {
    let scratch = Scratch::new();
    fs::write(scratch.path("ragged.csv"), "a,b\n1,2\n3\n").unwrap();
    fs::write(scratch.path("empty.csv"), "").unwrap();
    fs::write(scratch.path("words.csv"), "a,b\nx,y\nz,w\nu,v\n").unwrap();
    fs::write(scratch.path("image.csv"), [0x89, 0x50, 0xff, 0x00]).unwrap();
    let cases = [
        ("absent.csv", "there is no file absent.csv"),
        ("ragged.csv", "ragged.csv:3: "),
        ("empty.csv", "empty.csv: "),
        ("words.csv", "no column can be a feature"),
        ("image.csv", "expected UTF-8 text"),
        (".", "is a folder"),
    ];
    for (file, why) in cases {
        let output = finish(scratch.fedbits(["new", "fit", "--data", file]));
        assert!(output.code == Some(2) && output.err.contains(why), "{file}: {}", output.err);
        assert!(!scratch.path("fit.ron").exists(), "{file}");
    }
}

/// A table as people have them: a semicolon, umlauts, two columns of one name, and nothing by which a label or a client
/// is known. What has to be done by hand is said, and the command that comes next can be copied.
#[test]
fn a_table_from_anywhere_is_explained() {
    let scratch = Scratch::new();
    let row = |index: usize| format!("{index}.5;{};{};Köln\n", (index * 7) % 11, (index * index) % 13);
    let rows: String = (0..40).map(row).collect();
    let text = format!("Länge (cm);Wert;Wert;Straße\n{rows}");
    fs::write(scratch.path("mine.csv"), &text).unwrap();
    let output = finish(scratch.fedbits(["new", "my fit", "--data", "mine.csv"]));
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(output.err.contains("2 columns are called `Wert`: numbers stand for them"), "{}", output.err);
    assert!(output.err.contains("now: fedbits check 'my fit.ron'"), "{}", output.err);
    let written = fs::read_to_string(scratch.path("my fit.ron")).unwrap();
    assert!(written.contains("// label: …") && written.contains("// client: …"), "{written}");
    assert!(written.contains("columns: [\"Länge (cm)\", 1, 2]"), "{written}");

    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    fs::write(scratch.path("latin.csv"), latin).unwrap();
    let output = finish(scratch.fedbits(["new", "latin", "--data", "latin.csv"]));
    assert!(output.code == Some(2) && output.err.contains("in line 1 (Latin-1 becomes UTF-8 by"), "{}", output.err);
    let output = finish(scratch.fedbits(["new", "absent/fit"]));
    assert!(output.code == Some(74) && output.err.contains("there is no folder absent"), "{}", output.err);
}

/// Lines fit the width that `COLUMNS` says, and no sentence of the list is cut.
#[test]
fn pages_are_as_wide_as_they_may_be() {
    let scratch = Scratch::new();
    for columns in [60, 80, 132] {
        for arguments in [&["list"][..], &["check", "quickstart"], &["run", "quickstart", "-q", "--no-figures"]] {
            let mut command = scratch.fedbits(arguments);
            // Few rounds have the same lines.
            command.args(if arguments[0] == "run" { &["--set", "stop.rounds=20"][..] } else { &[] });
            command.env("COLUMNS", columns.to_string());
            for line in finish(command).done().lines() {
                assert!(line.chars().count() <= columns, "{} columns at {columns}: {line}", line.chars().count());
            }
        }
    }
    // No width at all is none that somebody could have meant.
    let mut command = scratch.fedbits(["list"]);
    command.env("COLUMNS", "0");
    assert_eq!(finish(command).done(), finish(scratch.fedbits(["list"])).done());
    let list = finish(scratch.fedbits(["list"])).done().split_whitespace().collect::<Vec<_>>().join(" ");
    for entry in fedbits::library::list() {
        assert!(list.contains(&entry.about), "{}", entry.name);
    }
}

/// A pipe gets colours when they are asked for, and never under NO_COLOR alone.
#[test]
fn colours_can_be_forced() {
    let scratch = Scratch::new();
    let has_colours = |variable: &str| {
        let mut command = scratch.fedbits(["list"]);
        command.env(variable, "1");
        finish(command).done().contains('\u{1b}')
    };
    assert!(has_colours("CLICOLOR_FORCE"));
    assert!(!has_colours("NO_COLOR"));
}

/// On a terminal of 60 columns no line is wider, whoever speaks: bars, messages, errors, help.
#[test]
fn terminals_are_as_wide_as_they_are() {
    let scratch = Scratch::new();
    let commands = [
        "--help",
        "list",
        "check quickstart",
        "run quickstart --no-figures --set stop.rounds=20",
        "compare out/quickstart",
        "verify out/quickstart",
        "explain Dithering",
        "status out/quickstart",
        "data list",
        "run nothing",
        "new study s",
        "diff quickstart papers/spider-em",
    ];
    for arguments in commands {
        let command = format!("stty rows 24 cols 60; '{}' {arguments}", env!("CARGO_BIN_EXE_fedbits"));
        let mut script = Command::new("script");
        script.args(["-q", "-c", &command, "/dev/null"]).current_dir(scratch.path("")).env("TERM", "xterm");
        let Ok(output) = script.stdin(Stdio::null()).env_remove("COLUMNS").output() else {
            skipped(Lacks::Program, "`script`, which makes a terminal, is not installed");
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(!text.is_empty(), "{arguments}");
        for line in text.split(['\n', '\r']) {
            // An address is not broken: it would lead nowhere.
            let is_address = line.trim_start().starts_with("https://") && !line.trim().contains(' ');
            let columns = line.chars().count();
            // Bars are padded to the edge, and the next one follows without a line break.
            let is_bars = line.contains(['░', '█']) && columns % 60 == 0;
            assert!(columns <= 60 || is_address || is_bars, "{arguments}: {columns} columns: {line}");
        }
    }
}

/// A name that begins with a dash is a file in what is proposed; a text that has no name is no scenario to copy.
#[test]
fn what_is_proposed_can_be_typed() {
    let scratch = Scratch::new();
    let written = finish(scratch.fedbits(["new", "--", "-x"]));
    assert!(written.code == Some(0) && written.err.contains("now: fedbits check ./-x.ron"), "{}", written.err);
    finish(scratch.fedbits(["run", "quickstart", "-q", "--no-figures", "--set", "stop.rounds=1"])).done();
    fs::write(scratch.path("nameless.ron"), "(clients: 3)").unwrap();
    for (from, told) in
        [("out/quickstart/plan.json", "looks like JSON"), ("nameless.ron", "has no `name`, as scenarios have")]
    {
        let copied = finish(scratch.fedbits(["new", "x", "--from", from]));
        assert!(copied.code == Some(2) && copied.err.contains(told), "{}", copied.err);
    }
    assert!(!scratch.path("x.ron").exists());
}
