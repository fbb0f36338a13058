//! Random tables as pandas reads them, and numbers of two bytes as NumPy does (tests/golden/read_tables.py). Skipped
//! where there is no Python with pandas; `FEDBITS_PYTHON` names another Python.

use std::path::Path;
use std::process::Command;

use fedbits_models::data::csv::{Column, Columns, CsvFile, Filling, MissingValues, read_csv, read_csv_files};
use fedbits_models::data::npy::read_npy;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{DataSet, Remarks};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::data::{directory, message};
use crate::golden::golden_path;
use crate::skips::{Lacks, skipped};

/// Draws of the test (SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as usize % count
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn number(&mut self) -> String {
        let (whole, part) = (self.below(2_000), self.below(100_000_000));
        match self.below(8) {
            0 => format!("{whole}"),
            1 => format!("-{whole}.{part:08}"),
            2 => format!("+{whole}.5"),
            3 => format!(".{part:08}"),
            4 => format!("{whole}."),
            5 => format!("{whole}.{part:08}{part:08}e-{}", self.below(300)),
            6 => format!("{part}E{}", self.below(200)),
            _ => format!("{whole}.{part}"),
        }
    }
}

/// The words of pandas for a missing value.
const PANDAS: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
];
/// Others, which pandas is told.
const TOLD: [&str; 10] = ["#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "?", "."];
/// What the scenario declares, as it may be written.
const DECLARED: [(&str, &[&str]); 3] = [("-999", &["-999", "-999.0", "-9.99e2"]), ("-", &["-"]), ("n.d.", &["n.d."])];
/// What neither reads as a number.
const WRONG: [&str; 6] = ["Total", "1_000", "<5", "1 000", "none", "12%"];
const LABELS: [&str; 5] = ["plain", "with, comma; and|bar", "a \"quote\"", "Köln", "two\nlines"];

/// A table, and what is known of it.
struct Table {
    text: String,
    delimiter: &'static str,
    /// Whether the first line is `sep=…`.
    says: bool,
    missing: Vec<&'static str>,
    /// Of each column the line of its first cell that is no number, and the cell.
    wrong: Vec<Option<(usize, &'static str)>>,
}

impl Table {
    fn draw(draws: &mut Draws) -> Self {
        let (columns, delimiter) = (1 + draws.below(4), draws.of(&[",", ";", "\t", "|"]));
        let (end, says) = (draws.of(&["\n", "\r\n"]), draws.one_in(4));
        let declared = DECLARED[draws.below(3)];
        let mut table = Self {
            text: if says { format!("sep={delimiter}{end}") } else { String::new() },
            delimiter,
            says,
            missing: vec![declared.0],
            wrong: vec![None; columns],
        };
        let names: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
        table.text += &format!("{}{delimiter}label{end}", names.join(delimiter));
        for row in 0..2 + draws.below(30) {
            if draws.one_in(12) {
                table.text += draws.of(&["", "  "]);
                table.text += end;
            }
            let mut cells: Vec<String> =
                (0..columns).map(|column| table.cell(draws, column, row, declared.1)).collect();
            cells.push(quoted(draws.of(&LABELS)));
            if draws.one_in(3) {
                cells.iter_mut().for_each(|cell| cell.insert_str(0, "  "));
            }
            table.text += &(cells.join(delimiter) + end);
        }
        table
    }

    fn cell(&mut self, draws: &mut Draws, column: usize, row: usize, declared: &[&'static str]) -> String {
        let line = self.text.matches('\n').count() + 1;
        let cell = match draws.below(20) {
            // Each declared text has to occur.
            _ if row == 0 && column == 0 => declared[0].to_owned(),
            0 => draws.of(&PANDAS).to_owned(),
            1 => draws.of(&TOLD).to_owned(),
            2 => draws.of(declared).to_owned(),
            3 if draws.one_in(12) => {
                let wrong = draws.of(&WRONG);
                self.wrong[column].get_or_insert((line, wrong));
                wrong.to_owned()
            }
            4 => draws.number() + " ",
            _ => draws.number(),
        };
        if draws.one_in(6) { quoted(&cell) } else { cell }
    }

    /// Its bytes in an encoding of Python's name.
    fn bytes(&self, encoding: &str) -> Vec<u8> {
        let units = || "\u{feff}".encode_utf16().chain(self.text.encode_utf16());
        match encoding {
            "utf-16" => units().flat_map(u16::to_le_bytes).collect(),
            "utf-16-be" => units().flat_map(u16::to_be_bytes).collect(),
            "utf-8-sig" => format!("\u{feff}{}", self.text).into_bytes(),
            _ => self.text.clone().into_bytes(),
        }
    }

    fn setting(&self, columns: Columns) -> CsvFile {
        let delimiter = if self.says { None } else { self.delimiter.chars().next() };
        let missing_values = self.missing.iter().map(|&text| text.to_owned()).collect();
        let missing = MissingValues::Drop;
        CsvFile { header: Some(true), delimiter, columns, missing, missing_values, ..CsvFile::new("") }
    }

    /// Compares it with what pandas reads.
    fn check(&self, path: &Path, pandas: &Value, directory: &TempDir) {
        for (column, wrong) in self.wrong.iter().enumerate() {
            let name = format!("x{column}");
            let setting = self.setting(Columns::Columns(vec![Column::Name(name.clone())]));
            let read = read_csv(path, &setting).map_err(|error| message(error, directory));
            let expected = &pandas["numbers"][&name];
            match (read, wrong, expected.as_array()) {
                (Err(said), Some((line, cell)), None) => {
                    let place = format!(":{line}: column `{name}`: expected a number");
                    assert!(
                        said.contains(&place) && said.contains(&format!("found `{cell}`")),
                        "{said}\n{}",
                        self.text
                    );
                }
                (Err(said), None, Some(numbers)) if numbers.is_empty() => assert!(said.contains("no data"), "{said}"),
                (Ok(data), None, Some(numbers)) => assert_eq!(bits(&data), *numbers, "{name}\n{}", self.text),
                (read, ..) => panic!("{name}: {:?} and {expected} in\n{}", read.map(|data| bits(&data)), self.text),
            }
        }
        if self.wrong.iter().all(Option::is_none) {
            let label = Some(Column::Name("label".to_owned()));
            let setting =
                CsvFile { label, missing: MissingValues::Impute(Filling::Mode), ..self.setting(Columns::All) };
            let remarks = Remarks::default();
            // A column without any number cannot be filled in.
            let Ok(data) = read_csv_files(&[path.to_owned()], &setting, &remarks) else { return };
            let (_, _, coding) = remarks.into_parts();
            let names: Vec<&str> =
                data.labels().unwrap().iter().map(|&label| coding.classes[label as usize].as_str()).collect();
            assert_eq!(json!(names), pandas["labels"], "{}", self.text);
        }
    }
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

fn bits(data: &DataSet) -> Vec<Value> {
    data.rows().iter().map(|number| number.to_bits().to_string().into()).collect()
}

/// Runs pandas on the cases in a folder; false where there is none.
fn pandas_read(folder: &Path) -> bool {
    let python = std::env::var("FEDBITS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = golden_path("read_tables.py");
    let Ok(output) = Command::new(&python).arg(script).arg(folder).output() else {
        skipped(Lacks::Program, &format!("there is no {python}"));
        return false;
    };
    match output.status.code() {
        Some(0) => true,
        Some(3) => {
            skipped(Lacks::Program, String::from_utf8_lossy(&output.stdout).trim());
            false
        }
        _ => panic!("{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn tables_are_read_as_pandas_reads_them() {
    let directory = directory();
    let mut draws = Draws(56);
    let mut cases = Vec::new();
    for number in 0..400 {
        let table = Table::draw(&mut draws);
        let encoding = draws.of(&["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be"]);
        let name = format!("{number}.csv");
        let path = crate::data::write(&directory, &name, &table.bytes(encoding));
        // Python takes the mark for a character where the name of the encoding says the order of bytes.
        let encoding = if encoding == "utf-16-be" { "utf-16" } else { encoding };
        let missing = [&TOLD[..], &table.missing].concat();
        let case = json!({"name": name, "delimiter": table.delimiter, "encoding": encoding,
            "skipped": usize::from(table.says), "missing": missing});
        cases.push((path, table, case));
    }
    let list: Vec<&Value> = cases.iter().map(|(.., case)| case).collect();
    crate::data::write(&directory, "cases.json", json!(list).to_string().as_bytes());
    if !pandas_read(directory.path()) {
        return;
    }
    let held = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(directory.path().join(name)).unwrap()).unwrap()
    };
    for ((path, table, _), pandas) in cases.iter().zip(held("pandas.json").as_array().unwrap()) {
        table.check(path, pandas, &directory);
    }
    let (halves, _) =
        read_npy(directory.path().join("halves.npy").as_path().into(), None, MemoryLimit::default()).unwrap();
    assert_eq!(json!(bits(&halves)), held("halves.json"));
}
