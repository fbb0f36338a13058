//! Tables in Parquet, which pandas has written (tests/golden/make_parquet.py).

use crate::golden::golden_path;
use fedbits_models::data::csv::{Column, CsvFile, MissingValues, read_csv};

fn options() -> CsvFile {
    CsvFile { label: Some(Column::Name("kind".to_owned())), missing: MissingValues::Drop, ..CsvFile::new("") }
}

fn file(name: &str) -> std::path::PathBuf {
    golden_path("parquet").join(name)
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_is_what_csv_is() {
    let text = read_csv(&file("table.csv"), &options()).unwrap();
    assert_eq!((text.len(), text.dimension()), (298, 4));
    for codec in ["snappy", "zstd", "gzip", "lz4", "plain"] {
        assert_eq!(read_csv(&file(&format!("{codec}.parquet")), &options()).unwrap(), text, "{codec}");
    }
    let kept = read_csv(&file("zstd.parquet"), &CsvFile { missing: MissingValues::Error, ..options() });
    assert!(kept.unwrap_err().to_string().contains("zstd.parquet:5: column `x`: a value is missing"));
}

/// Writes a table of texts, of which some are missing.
#[cfg(feature = "parquet")]
fn write_texts(path: &std::path::Path, columns: &[(&str, &[Option<&str>])]) {
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::writer::SerializedFileWriter;
    let fields: String = columns.iter().map(|(name, _)| format!("optional binary {name} (UTF8); ")).collect();
    let schema = parquet::schema::parser::parse_message_type(&format!("message table {{ {fields}}}")).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema.into(), Default::default()).unwrap();
    let mut rows = writer.next_row_group().unwrap();
    for (_, cells) in columns {
        let there: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
        let texts: Vec<ByteArray> = cells.iter().flatten().map(|text| ByteArray::from(*text)).collect();
        let mut column = rows.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&texts, Some(&there), None).unwrap();
        column.close().unwrap();
    }
    rows.close().unwrap();
    writer.close().unwrap();
}

/// A row without a label, a client or a subject has none that is called `NA`; a text `NA` is a name of these, and no
/// number.
#[test]
#[cfg(feature = "parquet")]
fn what_is_missing_in_parquet_has_no_name() {
    use fedbits_models::data::Remarks;
    use fedbits_models::data::csv::{Doses, LongitudinalFile, MissingObservations, read_longitudinal};
    use fedbits_models::data::packed::MemoryLimit;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let kinds = [Some("a"), None, Some("NA"), Some("b"), Some("a"), Some("")];
    let clients = [Some("n"), Some("n"), Some("s"), None, Some("NA"), Some("s")];
    write_texts(&path, &[("y", &["1", "2", "3", "4", "5", "6"].map(Some)), ("kind", &kinds), ("client", &clients)]);
    let name = |name: &str| Some(Column::Name(name.to_owned()));
    let both = CsvFile { client: name("client"), ..options() };
    let data = read_csv(&path, &both).unwrap();
    assert_eq!((data.rows(), data.labels().unwrap()), (&[1.0, 3.0, 5.0][..], &[0, 1, 0][..]));
    assert_eq!(data.groups().unwrap(), [0, 1, 2]);
    let refused = read_csv(&path, &CsvFile { missing: MissingValues::Error, ..both }).unwrap_err().to_string();
    assert!(refused.contains("t.parquet:3: column `kind`"), "{refused}");
    write_texts(&path, &[("y", &[Some("1"), None, Some("3"), None])]);
    let one = CsvFile { label: None, ..options() };
    assert_eq!(read_csv(&path, &one).unwrap().rows(), [1.0, 3.0], "a row of nothing is a row");
    let refused = read_csv(&path, &CsvFile { missing: MissingValues::Error, ..one }).unwrap_err().to_string();
    assert!(refused.contains("such cells: 2,"), "{refused}");
    write_texts(&path, &[("id", &[Some("a"), None]), ("t", &[Some("1"); 2]), ("dv", &[Some("1"); 2])]);
    let [subject, time, value] = ["id", "t", "dv"].map(|title| Column::Name(title.to_owned()));
    let curves = LongitudinalFile {
        path: String::new(),
        header: None,
        delimiter: None,
        subject,
        time,
        value,
        doses: Doses::NoDoses,
        only: None,
        after: None,
        missing: MissingObservations::Drop,
        missing_values: Vec::new(),
    };
    let refused =
        read_longitudinal(&path, &curves, &Remarks::default(), MemoryLimit::default()).unwrap_err().to_string();
    assert!(refused.contains("t.parquet:3: column `id`") && refused.contains("an empty cell"), "{refused}");
}

/// A file that is cut off, or changed, is refused.
#[test]
#[cfg(feature = "parquet")]
fn damaged_parquet_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(file("plain.parquet")).unwrap();
    for cut in [4, 8, 100, whole.len() / 2, whole.len() - 1] {
        let path = folder.path().join("t.parquet");
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(read_csv(&path, &options()).is_err(), "{cut}");
    }
}

#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_needs_its_feature() {
    let error = read_csv(&file("zstd.parquet"), &options()).unwrap_err().to_string();
    assert!(error.contains("built without the feature `parquet`"), "{error}");
}
