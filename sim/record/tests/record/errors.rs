//! Changes that a user may have made to the files, and the errors about them.

use crate::common::{columns, first_row, histograms, ledger, manifest, second_row};
use fedbits_record::{Columns, Recorder, RunRecord};
use std::path::Path;

fn written() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::files(home.path(), columns()).unwrap();
    recorder.round(&second_row()).unwrap();
    recorder.theta(1, &[0.5, 0.5]).unwrap();
    recorder.finish(manifest(), &ledger(), &histograms()).unwrap();
    home
}

/// The message after replacing `from` by `to` in `file`, without the directory.
fn error(file: &str, from: &str, to: &str) -> String {
    let home = written();
    let path = home.path().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} stands in {file}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    message(home.path(), &RunRecord::read(home.path()).unwrap_err().to_string())
}

fn message(home: &Path, text: &str) -> String {
    text.replace(&format!("{}/", home.display()), "")
}

/// A record of somebody else must not name files elsewhere, which a command would then read, write or remove.
#[test]
fn files_elsewhere_are_no_part_of_a_record() {
    for name in ["../rounds.csv", "/etc/passwd", "a/b.csv", "", ".."] {
        let said = error("manifest.json", "\"theta.csv\"", &format!("\"{name}\""));
        let expected = format!("manifest.json:1:1: it lists `{name}`, expected names of files beside the manifest");
        assert_eq!(said, expected);
    }
}

/// Positions counted by hand in the text that `tests/files.rs` spells out.
#[test]
fn a_wrong_cell_is_named_with_its_position() {
    let cases = [
        (
            "rounds.csv",
            "2000",
            "many",
            "rounds.csv:2:20: in column `expectations`: expected a whole number, found `many`",
        ),
        ("rounds.csv", ",64,", ",-64,", "rounds.csv:2:46: in column `bits_down`: expected a whole number, found `-64`"),
        ("rounds.csv", "1e-300", "NaN", "expected a finite number or nothing, found `NaN`"),
        ("rounds.csv", "1e-300", "1e999", "expected a finite number or nothing, found `1e999`"),
        ("rounds.csv", ",0.1,", ",,", "rounds.csv:2:16: in column `epochs`: expected a finite number, found ``"),
        (
            "rounds.csv",
            "12.000000345",
            "12.0000003451",
            "rounds.csv:2:3: in column `time_s`: expected seconds with at most nine",
        ),
        ("rounds.csv", "12.000000345", "18446744074.0", "expected seconds with at most nine decimals"),
        ("rounds.csv", "12.000000345", "-1.5", "expected seconds with at most nine decimals"),
        (
            "ledger.csv",
            ",up,update",
            ",sideways,update",
            "ledger.csv:2:16: in column `direction`: expected up, down or peer, found `sideways`",
        ),
        (
            "ledger.csv",
            "aborted",
            "eaten",
            "ledger.csv:2:26: in column `fate`: expected delivered, late, lost, aborted or in_flight",
        ),
        ("histograms.csv", "50.5", "x", "histograms.csv:2:23: in column `mean`"),
        ("theta.csv", "0.5,0.5", "0.5,inf", "theta.csv:2:7: in column `pi_2`: expected a finite number, found `inf`"),
    ];
    for (file, from, to, expected) in cases {
        let error = error(file, from, to);
        assert!(error.contains(expected), "{error}\nshould say\n{expected}");
    }
}

#[test]
fn a_wrong_shape_is_named() {
    let cases = [
        ("rounds.csv", ",1e-300,", ",", "rounds.csv:2:1: expected 18 cells as in the header, found 17"),
        ("rounds.csv", "bits_up", "bits_upp", "rounds.csv:1:1: expected the header `round,time_s,"),
        ("rounds.csv", "drift_sq", "drift", "found `round,time_s,epochs,"),
        ("ledger.csv", "fate", "end", "ledger.csv:1:1: expected the header `link,direction,purpose,fate,"),
        (
            "manifest.json",
            "\"seed\": 18446744073709551615",
            "\"seed\": \"one\"",
            "manifest.json:20:15: invalid type: string \"one\", expected u64",
        ),
        ("manifest.json", "\"clients\"", "\"customers\"", "missing field `clients`"),
        ("manifest.json", "}", "", "manifest.json:"),
    ];
    for (file, from, to, expected) in cases {
        let error = error(file, from, to);
        assert!(error.contains(expected), "{error}\nshould say\n{expected}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let home = written();
    std::fs::remove_file(home.path().join("rounds.csv")).unwrap();
    let error = RunRecord::read(home.path()).unwrap_err().to_string();
    assert!(message(home.path(), &error).starts_with("rounds.csv: No such file"), "{error}");
    let error = RunRecord::read(&home.path().join("elsewhere")).unwrap_err().to_string();
    assert!(error.contains("elsewhere/manifest.json: No such file"), "{error}");
}

/// The writer refuses what no reader would accept, and writes nothing of that row.
#[test]
fn the_writer_refuses() {
    let home = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::files(home.path(), columns()).unwrap();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut row = first_row();
        row.objective = Some(value);
        let error = message(home.path(), &recorder.round(&row).unwrap_err().to_string());
        assert_eq!(error, format!("rounds.csv: round 0: `objective` is {value}, which no record may hold"));
    }
    let mut row = first_row();
    row.extra[0] = Some(f64::NAN);
    assert!(recorder.round(&row).unwrap_err().to_string().contains("`drift_sq` is NaN"));
    row.extra.clear();
    assert!(recorder.round(&row).unwrap_err().to_string().contains("2 values were declared, 0 are given"));
    assert!(recorder.theta(0, &[f64::NAN, 0.0]).unwrap_err().to_string().contains("`pi_1` is NaN"));
    assert!(recorder.theta(0, &[0.0]).unwrap_err().to_string().contains("2 values were declared, 1 are given"));
    let mut endless = manifest();
    endless.host.seconds = f64::INFINITY;
    assert!(recorder.finish(endless, &[], &[]).unwrap_err().to_string().contains("`host.seconds` is inf"));
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "a refused record leaves nothing");
}

/// A name that stands twice, also as one of the common columns, or is empty, could not be read back.
#[test]
fn bad_column_names() {
    let home = tempfile::tempdir().unwrap();
    for name in ["", "round", "lost"] {
        let columns = Columns { extra: vec![name.into()], ..Columns::default() };
        let error = Recorder::files(home.path(), columns).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(&format!("`{name}` is empty or stands twice")), "{error}");
    }
}
