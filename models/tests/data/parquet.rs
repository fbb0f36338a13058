//! Tables in Parquet, which pandas has written (tests/golden/make_parquet.py).

use fedbits_models::data::csv::{Column, CsvFile, MissingValues, read_csv};
use std::path::Path;

fn options() -> CsvFile {
    CsvFile { label: Some(Column::Name("kind".to_owned())), missing: MissingValues::Drop, ..CsvFile::new("") }
}

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/parquet").join(name)
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
