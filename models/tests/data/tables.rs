//! Layouts that are recognized, missing values and factors: golden files of pandas and scikit-learn
//! (tests/golden/make_tables.py), and what is said where nothing can be recognized.

use crate::data::{directory, message, names, write};
use crate::golden::{golden, golden_path};
use fedbits_eigen::symmetric_eigen;
use fedbits_models::data::csv::{
    Arrangement, Column, Columns, CountsFile, CsvFile, Factors, Filling, MissingValues, ResponsesFile, read_counts,
    read_csv, read_csv_files, read_responses,
};
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::preprocess::{Preprocess, prepare};
use fedbits_models::data::{DataSet, DataSource, Remarks, Values};
use fedbits_spec::Caveat;
use serde_json::Value;
use std::path::Path;

fn name(name: &str) -> Column {
    Column::Name(name.to_owned())
}

fn read(text: &str, options: &CsvFile) -> (Result<DataSet, String>, Vec<String>, Vec<String>) {
    let (directory, remarks) = (directory(), Remarks::default());
    let path = write(&directory, "t.csv", text.as_bytes());
    let data = read_csv_files(&[path], options, &remarks).map_err(|error| message(error, &directory));
    let (notes, caveats, _) = remarks.into_parts();
    (data, notes, Caveat::sentences(&caveats))
}

fn data(text: &str, options: &CsvFile) -> DataSet {
    read(text, options).0.expect("good data")
}

fn said(text: &str, options: &CsvFile) -> String {
    read(text, options).0.expect_err("bad data")
}

fn setting(case: &Value) -> CsvFile {
    let missing = match case["missing"].as_str().unwrap() {
        "Drop" => MissingValues::Drop,
        "Impute(Mean)" => MissingValues::Impute(Filling::Mean),
        "Impute(Median)" => MissingValues::Impute(Filling::Median),
        "Impute(Mode)" => MissingValues::Impute(Filling::Mode),
        other => panic!("{other}"),
    };
    let factors = match case["factors"].as_str().unwrap() {
        "Refuse" => Factors::Refuse,
        "OneHot" => Factors::OneHot,
        "Treatment" => Factors::Treatment,
        other => panic!("{other}"),
    };
    let columns = match case["all"].as_bool().unwrap() {
        true => Columns::All,
        false => Columns::Columns(["x", "y", "z"].map(name).to_vec()),
    };
    CsvFile { missing, factors, columns, label: Some(name("label")), ..CsvFile::new("") }
}

/// A number in `Log` counts the columns of the file, as one in `columns` and `label` does.
#[test]
fn logarithms_count_the_columns_of_the_file() {
    let log = |index| Preprocess::Log(Columns::Columns(vec![Column::Index(index)]));
    let first = |columns: Columns, steps: &[Preprocess]| {
        let label = Some(Column::Index(0));
        let options = CsvFile { header: Some(false), columns, label, factors: Factors::Treatment, ..CsvFile::new("") };
        let text = "1,u,7,3,4,5\n0,v,2,3,8,9\n1,w,6,3,5,4\n";
        let prepared = prepare(data(text, &options), steps, symmetric_eigen).map_err(|error| error.to_string())?;
        Ok::<_, String>(prepared.data.rows()[..prepared.data.dimension()].to_vec())
    };
    let ln = libm::log;
    assert_eq!(first(Columns::All, &[log(4)]).unwrap(), [0.0, 0.0, 7.0, 3.0, ln(4.0), 5.0]);
    assert_eq!(first(Columns::All, &[Preprocess::DropConstant, log(4)]).unwrap(), [0.0, 0.0, 7.0, ln(4.0), 5.0]);
    let chosen = || Columns::Columns([5, 2, 4].map(Column::Index).to_vec());
    assert_eq!(first(chosen(), &[log(2), log(5)]).unwrap(), [ln(5.0), ln(7.0), 4.0]);
    for (index, said) in [(0, "no column 0 (counted from 0 in the file) among `column 5`"), (1, "no column 1")] {
        assert!(first(chosen(), &[log(index)]).unwrap_err().contains(said));
    }
    // What is made of several columns stands in no file.
    assert!(first(chosen(), &[Preprocess::Pca(2), log(1)]).unwrap_err().contains("in column `pc2`"));
}

/// Header and delimiter are recognized, gaps closed and factors coded as pandas and scikit-learn do it.
#[test]
fn tables_are_those_of_pandas() {
    let files = golden("tables.json");
    for file in files.as_array().unwrap() {
        let labels: Vec<&str> =
            file["labels"].as_array().unwrap().iter().map(|entry| entry.as_str().unwrap()).collect();
        for case in file["cases"].as_array().unwrap() {
            let what = format!("{} {}", case["missing"], case["factors"]);
            let data = data(file["text"].as_str().unwrap(), &setting(case));
            let columns: Vec<&str> =
                case["columns"].as_array().unwrap().iter().map(|entry| entry.as_str().unwrap()).collect();
            assert_eq!(data.columns(), names(&columns), "{what}");
            let expected: Vec<f64> =
                case["rows"].as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect();
            assert_eq!(data.rows().len(), expected.len(), "{what}");
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
            assert!(data.rows().iter().zip(&expected).all(near), "{what}");
            let kept = case["kept"].as_array().unwrap().iter().map(|entry| labels[entry.as_u64().unwrap() as usize]);
            let first = labels_of(kept.collect());
            assert_eq!(data.labels().unwrap(), first, "{what}");
        }
    }
}

/// Numbers by first appearance.
fn labels_of(labels: Vec<&str>) -> Vec<u32> {
    let mut seen: Vec<&str> = Vec::new();
    labels
        .into_iter()
        .map(|label| {
            let place = seen.iter().position(|known| *known == label).unwrap_or_else(|| {
                seen.push(label);
                seen.len() - 1
            });
            place as u32
        })
        .collect()
}

#[test]
fn headers_are_recognized() {
    let plain = CsvFile::new("");
    assert_eq!(data("a,b\n1,2\n", &plain).columns(), names(&["a", "b"]));
    assert_eq!(data("1.5,2\n3,4\n", &plain).columns(), names(&["column 0", "column 1"]));
    assert_eq!(data("5.1,NA\n3,4\n", &CsvFile { missing: MissingValues::Drop, ..plain.clone() }).rows(), [3.0, 4.0]);
    assert_eq!(data("1,2\n2,3\n1,2\n", &plain).len(), 3);
    // The label tells nothing.
    let label = CsvFile { label: Some(Column::Index(1)), ..plain.clone() };
    assert_eq!(data("5,x\n6,y\n", &label).len(), 2);
    assert_eq!(data("height,kind\n6,y\n", &label).columns(), names(&["height"]));
    // The first column of a table that R has written has no name.
    assert_eq!(data("\"\",\"a\"\n\"1\",2\n", &plain).columns(), names(&["", "a"]));
    let (_, notes, _) = read("a;b\n1;2\n", &plain);
    assert_eq!(notes, ["the first line holds names, `;` separate the fields"]);
}

/// Programs write the numbers of rows beside a table: nobody wants to fit them unawares.
#[test]
fn numbers_of_rows_are_no_features() {
    let plain = CsvFile::new("");
    let (_, _, caveats) = read(",x\n0,5\n1,3\n2,8\n", &plain);
    assert_eq!(caveats, ["the feature `` numbers the rows: `columns: […]` without it leaves it out"]);
    assert!(read("i,x\n1,5\n2,3\n4,8\n", &plain).2.is_empty());
    let dropping = CsvFile { missing: MissingValues::Drop, ..plain.clone() };
    for text in ["i,x\n1,5\n2,\n3,8\n4,9\n", "i,x\n1,\n2,3\n3,8\n4,9\n"] {
        assert!(read(text, &dropping).2.iter().any(|caveat| caveat.contains("`i` numbers the rows")), "{text}");
    }
    assert_eq!(read("i,x\n1,5\n2,\n3,8\n7,9\n", &dropping).2.len(), 1);
    let chosen = CsvFile { columns: Columns::Columns(vec![name("i"), name("x")]), ..plain.clone() };
    assert!(read("i,x\n1,5\n2,3\n3,8\n", &chosen).2.is_empty());
    // Shuffled, or a part of a table: by the names that programs give.
    for title in ["", "Unnamed: 0", "__index_level_0__"] {
        let (_, _, caveats) = read(&format!("{title},x\n17,5\n2,3\n90,8\n"), &plain);
        assert!(caveats.iter().any(|caveat| caveat.contains("numbers the rows")), "{title}: {caveats:?}");
        assert!(read(&format!("{title},x\n17,5\n2,3\n17,8\n"), &plain).2.is_empty(), "{title}");
    }
    assert!(read("i,x\n17,5\n2,3\n90,8\n", &plain).2.is_empty());
}

/// Each file has its own numbers.
#[test]
fn numbers_of_rows_begin_anew_in_each_file() {
    let directory = directory();
    let said = |texts: [&str; 2]| {
        let paths =
            [("a.csv", texts[0]), ("b.csv", texts[1])].map(|(name, text)| write(&directory, name, text.as_bytes()));
        let remarks = Remarks::default();
        read_csv_files(&paths, &CsvFile::new("*.csv"), &remarks).expect("good data");
        remarks.into_parts().1.iter().filter(|caveat| matches!(caveat, Caveat::Counter { .. })).count()
    };
    assert_eq!(said(["i,x\n0,5\n1,3\n2,8\n", "i,x\n0,7\n1,2\n2,9\n3,1\n"]), 1);
    assert_eq!(said(["i,x\n0,5\n1,3\n2,8\n", "i,x\n3,7\n4,2\n5,9\n6,1\n"]), 1);
    assert_eq!(said(["i,x\n0,5\n1,3\n2,8\n", "i,x\n3,7\n0,2\n2,9\n6,1\n"]), 0);
    assert_eq!(said(["i,x\n0,5\n1,3\n", "i,x\n0,7\n1,2\n"]), 0);
    assert_eq!(said([",x\n7,5\n1,3\n", ",x\n1,7\n9,2\n"]), 1);
}

#[test]
fn unclear_headers_are_asked_for() {
    let plain = CsvFile::new("");
    for text in ["x,2019\n1,2\n", "1,2,3\n4,5,6\n", "0,1\n1,1\n"] {
        let said = said(text, &plain);
        assert!(said.starts_with("t.csv:1:") && said.ends_with("`header: true` or `header: false`"), "{said}");
    }
    let factors = CsvFile { factors: Factors::OneHot, ..plain.clone() };
    assert!(said("sex\nmale\nfemale\n", &factors).contains("`header: true`"));
    assert_eq!(data("sex\nmale\nfemale\n", &CsvFile { header: Some(false), ..factors }).dimension(), 3);
    assert!(said("kind\nred\n", &plain).contains("`factors: OneHot`"));
    let named = CsvFile { label: Some(name("c")), ..plain };
    assert!(said("1.5,2\n3,4\n", &named).contains("`header: false`"));
    let kind = CsvFile { label: Some(name("kind")), ..named.clone() };
    assert!(said("1.5,x\n3,y\n", &kind).contains("known by their positions from 0"));
    assert_eq!(data("1,c\n5,6\n", &named).columns(), names(&["1"]));
}

#[test]
fn delimiters_are_recognized() {
    let plain = CsvFile::new("");
    for text in ["a,b\n1.5,2\n", "a;b\n1.5;2\n", "a\tb\n1.5\t2\n", "a|b\n1.5|2\n", "  a   b\n1.5 \t 2  \n"] {
        assert_eq!(data(text, &plain).rows(), [1.5, 2.0], "{text}");
        assert_eq!(data(text, &plain).columns(), names(&["a", "b"]), "{text}");
    }
    assert_eq!(data("a\n1\n", &plain).columns(), names(&["a"]));
    // Of two that fit, the one that makes the names that are asked for.
    let label = CsvFile { label: Some(name("b,c")), ..CsvFile::new("") };
    assert_eq!(data("a;b,c\n1;2,x\n", &label).columns(), names(&["a"]));
    assert_eq!(
        said("a;b,c\n1;2,x\n", &plain),
        "t.csv: the fields may be separated by ',' (2 fields) or ';' (2 fields): expected `delimiter: ','` or another"
    );
    assert!(said("a;b\n1,5;2\n", &plain).contains("with a decimal point"));
    assert_eq!(said("a,b\n1,2\n3\n", &plain), "t.csv:3: expected 2 fields, found 1");
    assert_eq!(
        said("a  b\n1 2\n\n3 x\n", &CsvFile { delimiter: Some(' '), ..plain }).split(": ").next(),
        Some("t.csv:4")
    );
}

#[test]
fn missing_values_are_counted_and_placed() {
    let text = "a,b\n1,2\n?,3\nNA,\n4,5\n";
    assert_eq!(
        said(text, &CsvFile::new("")),
        "t.csv:3: column `a`: a value is missing (`?`); such cells: 3, in 2 of 4 rows: expected `missing: Drop` or \
         `missing: Impute(Mean | Median | Mode)`, or a file without gaps"
    );
    let (_, _, caveats) = read(text, &CsvFile { missing: MissingValues::Drop, ..CsvFile::new("") });
    assert_eq!(caveats, ["2 of 4 rows were left out: a value is missing there"]);
    let (filled, _, caveats) =
        read(text, &CsvFile { missing: MissingValues::Impute(Filling::Median), ..CsvFile::new("") });
    assert_eq!(filled.unwrap().rows(), [1.0, 2.0, 2.5, 3.0, 2.5, 3.0, 4.0, 5.0]);
    assert!(caveats[0].ends_with("replaces 3 missing values in 2 of 4 rows"), "{caveats:?}");
    let mean = CsvFile { missing: MissingValues::Impute(Filling::Mean), ..CsvFile::new("") };
    assert!(said("a,b\n1,\n2,\n", &mean).contains("column `b` has no value at all"));
    assert!(said("a,b\n?,\n", &CsvFile { missing: MissingValues::Drop, ..mean.clone() }).contains("no data"));
    let label = CsvFile { label: Some(name("b")), ..mean };
    assert!(said("a,b\n1,\n2,x\n", &label).contains("labels and clients are not imputed"));
    let refused = said("a,b\n1,\n2,x\n", &CsvFile { missing: MissingValues::Error, ..label.clone() });
    assert!(refused.ends_with("expected `missing: Drop`, or a file without gaps"), "{refused}");
    assert_eq!(data("a,b\n1,NA\n2,x\n", &label).labels(), Some(&[0, 1][..]));
    let (_, _, caveats) = read("a,b\n1,NA\n2,x\n", &label);
    assert_eq!(caveats, ["`NA` is read as the name of a class, for 1 of 2 rows, not as a missing value"]);
}

/// A misspelt text would leave numbers where values are missing. What a user declares is missing among labels, too.
#[test]
fn declared_texts_are_missing_values() {
    let declared = |texts: &[&str]| CsvFile {
        missing: MissingValues::Drop,
        missing_values: names(texts),
        label: Some(name("t")),
        ..CsvFile::new("")
    };
    let text = "a,b,t\n1,2,x\n-999.0,3,x\n4,-,x\n5,6,-\n7,8,NA\n";
    let (kept, _, caveats) = read(text, &declared(&["-999", "-"]));
    let kept = kept.unwrap();
    assert_eq!((kept.rows(), kept.labels()), (&[1.0, 2.0, 7.0, 8.0][..], Some(&[0, 1][..])));
    assert!(caveats.contains(&"3 of 5 rows were left out: a value is missing there".to_owned()), "{caveats:?}");
    assert_eq!(
        said(text, &declared(&["-999", "-", "-99"])),
        "t.csv: no cell says `-99`, which `missing_values` declares: expected texts that stand for missing values in \
         this file"
    );
    let refused = said(text, &CsvFile { missing: MissingValues::Error, ..declared(&["-999", "-"]) });
    assert!(refused.starts_with("t.csv:3: column `a`: a value is missing (`-999.0`); such cells: 3"), "{refused}");
    // Without a header, where the first row would have a text above numbers.
    let bare = CsvFile { label: None, ..declared(&["-"]) };
    assert_eq!(data("-,1\n2,3\n", &bare).rows(), [2.0, 3.0]);
}

/// A site that did not measure something has no row left.
#[test]
fn clients_without_a_row_are_named() {
    let drop = CsvFile { missing: MissingValues::Drop, client: Some(name("site")), ..CsvFile::new("") };
    let (data, _, caveats) = read("site,x,y\nA,1,2\nB,3,\nB,5,?\nC,7,8\n", &drop);
    assert_eq!(data.unwrap().groups(), Some(&[0, 1][..]));
    assert_eq!(
        caveats,
        [
            "clients take no part, because all of their rows lack a value: `B`",
            "2 of 4 rows were left out: a value is missing there"
        ]
    );
    assert_eq!(read("site,x,y\nA,1,2\nB,3,\nB,5,6\n", &drop).2.len(), 1);
}

#[test]
fn names_that_are_one_number_are_said() {
    let options = CsvFile { label: Some(name("t")), client: Some(name("site")), ..CsvFile::new("") };
    let (_, _, caveats) = read("x,t,site\n1.5,1,01\n2,1.0,1\n3,2,x\n", &options);
    assert_eq!(
        caveats,
        [
            "`01` and `1` are two clients, though they are the same number",
            "`1` and `1.0` are two classes, though they are the same number"
        ]
    );
    let (_, _, caveats) = read("x,t,site\n1.5,up,North\n2,Up,south\n3,1e3,north\n4,1E3,s\n", &options);
    assert_eq!(
        caveats,
        [
            "`North` and `north` are two clients, though their names differ only in case",
            "`1e3` and `1E3` are two classes, though they are the same number",
            "`up` and `Up` are two classes, though their names differ only in case"
        ]
    );
}

#[test]
fn factors_are_coded() {
    let one_hot = CsvFile { factors: Factors::OneHot, ..CsvFile::new("") };
    let text = "sex,age\nm,3\nf,4\nm,5\n";
    let (coded, notes, _) = read(text, &one_hot);
    assert_eq!(coded.unwrap().rows(), [0.0, 1.0, 3.0, 1.0, 0.0, 4.0, 0.0, 1.0, 5.0]);
    assert!(notes.contains(&"`sex`: a column of 0 and 1 for 2 of 2 levels, which sum to 1".to_owned()), "{notes:?}");
    let treatment = CsvFile { factors: Factors::Treatment, ..one_hot.clone() };
    assert_eq!(data(text, &treatment).columns(), names(&["sex=m", "age"]));
    // A level that is left out with its row is none.
    let drop = CsvFile { missing: MissingValues::Drop, ..one_hot.clone() };
    assert_eq!(data("sex,age\nm,3\nx,?\nf,4\n", &drop).columns(), names(&["sex=f", "sex=m", "age"]));
    let mean = CsvFile { missing: MissingValues::Impute(Filling::Mean), ..one_hot.clone() };
    assert!(said("sex,age\nm,3\n,4\n", &mean).contains("`missing: Impute(Mode)`"));
    // A slip in a column of numbers makes no factor of it.
    assert!(
        said("a\n1\n2x\n", &one_hot)
            .contains("t.csv:3: column `a`: expected a number, or a text of `missing_values`, found `2x`")
    );
    // Nor does a slip in the first row, nor a number that is written in another way, wherever it stands.
    let named = CsvFile { header: Some(true), delimiter: Some(';'), ..one_hot.clone() };
    for text in ["a\n2x\n1\n", "a\nno\n1,5\n", "a;b\n5,1;x\n4,9;y\n"] {
        assert!(said(text, &named).contains("column `a`: expected a "), "{text}");
    }
    assert!(said("a;b\n5,1;x\n4,9;y\n", &named).contains("with a decimal point"));
    assert!(said("a\n2x\n1\n", &treatment).contains("t.csv:3: column `a`: expected a text, as in the rows before"));
    let many: String = (0..1002).map(|row| format!("t{row},1\n")).collect();
    assert!(said(&format!("id,x\n{many}"), &one_hot).contains("at most 1000 different texts"));
}

/// Two stray quotes make one cell of what stands between them, and one row of three.
#[test]
fn line_breaks_in_cells_are_said() {
    let labelled = CsvFile { label: Some(name("t")), ..CsvFile::new("t.csv") };
    let (data, _, caveats) = read("a,t\n1,x\n2,\"y\n3,z\n4,\"w\n5,x\n", &labelled);
    assert_eq!(data.unwrap().rows(), [1.0, 2.0, 5.0]);
    let [caveat] = &caveats[..] else { panic!("{caveats:?}") };
    assert!(caveat.starts_with("rows with a line break between double quotes: 1, the first at "), "{caveat}");
    assert!(caveat.contains("t.csv:3"), "{caveat}");
    assert!(read("a,t\n1,\"x, y\"\n2,\"y\"\n", &labelled).2.is_empty());
    // Other readers say it, too.
    let directory = directory();
    let path = write(&directory, "t.csv", b"a,t,q\n1,x,1\n2,\"y,0\n3,z,1\n4,\"w,0\n5,x,0\n");
    let (header, delimiter) = (None, None);
    let said = |read: &dyn Fn(&Remarks) -> usize| {
        let remarks = Remarks::default();
        assert_eq!(read(&remarks), 3);
        remarks.into_parts().1
    };
    let items = Columns::Columns(vec![name("q")]);
    let responses = ResponsesFile { path: String::new(), header, items, frequency: None, delimiter };
    let responses = said(&|remarks| {
        read_responses(&path, &responses, Values::UpTo(1), remarks, MemoryLimit::default())
            .expect("responses")
            .persons()
    });
    let arrangement = Arrangement::Wide { counts: vec![name("q")], observers: Vec::new() };
    let counts = CountsFile { header, site: name("a"), arrangement, delimiter, ..CountsFile::examples().remove(0) };
    let counts = said(&|remarks| {
        read_counts(&path, &counts, |_| None, remarks, MemoryLimit::default()).expect("counts").data.len()
    });
    assert_eq!(responses, counts);
    assert!(matches!(&counts[0], Caveat::LineBreaks { rows, .. } if rows == "1"), "{counts:?}");
}

#[test]
fn files_are_clients() {
    let directory = directory();
    let paths = ["a.csv", "b.csv"].map(|name| directory.path().join(name));
    let pattern = CsvFile::new("*.csv");
    let read = |first: &str, second: &str, options: &CsvFile| {
        std::fs::write(&paths[0], first).unwrap();
        std::fs::write(&paths[1], second).unwrap();
        let remarks = Remarks::default();
        let data = read_csv_files(&paths, options, &remarks).map_err(|error| message(error, &directory));
        (data, remarks.into_parts().0)
    };
    let (data, notes) = read("x,y\n1,2\n3,4\n", "x,y\n5,6\n", &pattern);
    let data = data.unwrap();
    assert_eq!((data.groups(), data.rows()), (Some(&[0, 0, 1][..]), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
    assert!(notes.contains(&"clients and their examples: a.csv (2), b.csv (1)".to_owned()), "{notes:?}");
    assert_eq!(
        read("x,y\n1,2\n", "y,x\n5,6\n", &pattern).0.unwrap_err(),
        "b.csv: the columns `y`, `x` are not those of a.csv: expected `x`, `y`"
    );
    let named = CsvFile { columns: Columns::Columns(vec![name("x"), name("y")]), ..pattern };
    assert_eq!(read("x,y\n1,2\n", "y,x\n5,6\n", &named).0.unwrap().rows(), [1.0, 2.0, 6.0, 5.0]);
    // A client whose rows are all left out takes no part, as one of a column does not; an empty file is a mistake.
    let drop = CsvFile { missing: MissingValues::Drop, ..CsvFile::new("*.csv") };
    let data = read("x,y\n1,NA\n3,\n", "x,y\n5,6\n", &drop).0.unwrap();
    assert_eq!((data.groups(), data.rows()), (Some(&[0][..]), &[5.0, 6.0][..]));
    let remarks = Remarks::default();
    read_csv_files(&paths, &drop, &remarks).unwrap();
    let lost = Caveat::ClientsWithoutARow { clients: "`a.csv`".to_owned() };
    assert!(remarks.into_parts().1.contains(&lost));
    assert!(read("x,y\n", "x,y\n5,6\n", &drop).0.unwrap_err().contains("a.csv: no data"));
}

/// pandas numbers columns from 0, and leaves the name of its numbers of rows empty.
#[test]
fn numbers_of_columns_may_be_names_or_data() {
    let impute = CsvFile { missing: MissingValues::Impute(Filling::Mean), ..CsvFile::new("") };
    for text in ["0\n1.5\n2.5\n", ",0\n0,1.5\n1,2.5\n", ",0,1\n0,1.5,3\n1,2.5,4\n"] {
        let found = said(text, &impute);
        assert!(found.contains("expected `header: true` or `header: false`"), "{text}: {found}");
        let [with, without] =
            [true, false].map(|header| data(text, &CsvFile { header: Some(header), ..impute.clone() }));
        assert_eq!((with.len(), without.len()), (2, 3), "{text}");
    }
    // A first line that comes again is data, and so is one that counts nothing.
    for text in ["0\n1\n0\n", "1\n2\n3\n", "0.0\n1.5\n2\n", ",3\n0,1\n1,2\n"] {
        assert_eq!(data(text, &impute).len(), 3, "{text}");
    }
}

/// Other readers recognize layouts by the columns that hold their numbers.
#[test]
fn responses_are_recognized() {
    let directory = directory();
    let options =
        ResponsesFile { path: String::new(), header: None, items: Columns::All, frequency: None, delimiter: None };
    let read = |text: &str| {
        let path = write(&directory, "r.csv", text.as_bytes());
        read_responses(&path, &options, Values::UpTo(1), &Remarks::default(), MemoryLimit::default())
            .map(|responses| responses.persons())
    };
    assert_eq!(read("q1;q2\n0;1\n1;1\n").unwrap(), 2);
    assert_eq!(read("1 0 0\n0 1 1\n").unwrap(), 2);
    assert!(read("1,2,3\n0,1,1\n").unwrap_err().to_string().contains("`header: true`"));
}

/// What the scenario says is not told back.
#[test]
fn what_is_said_is_not_recognized() {
    let options = CsvFile { header: Some(false), delimiter: Some(','), ..CsvFile::new("") };
    assert_eq!(read("1,2\n", &options).1, Vec::<String>::new());
    assert!(read_csv(Path::new("no.csv"), &options).is_err());
}

/// Several frames, one of them to be skipped; a damaged one is refused.
#[test]
fn zstd_is_unpacked() {
    let path = golden_path("numbers.csv.zst");
    let data = read_csv(&path, &CsvFile::new("")).unwrap();
    let expected: Vec<f64> = (0..5000).flat_map(|i| [f64::from(i), f64::from(i * i)]).collect();
    assert_eq!((data.columns(), data.rows()), (&names(&["i", "square"])[..], &expected[..]));
    let whole = std::fs::read(&path).unwrap();
    for cut in [5, 40, whole.len() / 2, whole.len() - 1] {
        let directory = directory();
        let path = write(&directory, "t.csv.zst", &whole[..cut]);
        assert!(
            read_csv(&path, &CsvFile::new("")).unwrap_err().to_string().contains("the zstd file is damaged"),
            "{cut}"
        );
    }
    let mut changed = whole.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    let directory = directory();
    let path = write(&directory, "t.csv.zst", &changed);
    assert!(read_csv(&path, &CsvFile::new("")).unwrap_err().to_string().contains("checksum"));
}
