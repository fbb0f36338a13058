//! Units, schedules and data folders against hand-computed values.

use std::path::PathBuf;

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::known_files::KNOWN_SETS;
use fedbits_scenarios::library;
use fedbits_scenarios::schema::{Duration, DurationLaw, Rate, RateLaw, Size, UnitError};

#[test]
fn durations_are_whole_nanoseconds() {
    let durations = [Duration::Ns(1.4), Duration::Us(1.5), Duration::Ms(20.0), Duration::Sec(0.5), Duration::Min(2.0)];
    let nanoseconds = [1, 1_500, 20_000_000, 500_000_000, 120_000_000_000];
    for (duration, expected) in durations.into_iter().zip(nanoseconds) {
        assert_eq!(duration.nanoseconds(), Ok(expected));
    }
    assert_eq!(Duration::Min(2.0).seconds(), 120.0);
}

/// 2⁶⁴ ns are 18 446 744 073.709551616 s: below it converts, from it on it does not.
#[test]
fn what_does_not_fit_is_an_error() {
    // Doubles of that size are 2048 apart.
    let nanoseconds = Duration::Sec(18_446_744_073.0).nanoseconds().unwrap();
    assert!(nanoseconds.abs_diff(18_446_744_073_000_000_000) <= 1024);
    assert!(matches!(Duration::Sec(18_446_744_074.0).nanoseconds(), Err(UnitError::TooLarge(_))));
    assert_eq!(Duration::Ms(-1.0).nanoseconds(), Err(UnitError::Negative));
    assert_eq!(Duration::Ms(f64::NAN).nanoseconds(), Err(UnitError::NotFinite));
    assert_eq!(Size::GiB(f64::INFINITY).bits(), Err(UnitError::NotFinite));
    assert!(matches!(Size::GiB(1e300).bits(), Err(UnitError::TooLarge(_))));
}

/// Rates have decimal prefixes, sizes binary ones: 1 MiB = 2²⁰ · 8 bits.
#[test]
fn rates_and_sizes() {
    assert_eq!(Rate::Mbps(2.5).whole_bits_per_second(), Ok(2_500_000));
    assert_eq!(Rate::Gbps(1.0).bits_per_second(), 1e9);
    assert_eq!(Size::MiB(1.0).bits(), Ok(8_388_608));
    assert_eq!(Size::Bytes(3.0).bits(), Ok(24));
}

#[test]
fn constants_are_laws() {
    assert_eq!(DurationLaw::from(Duration::Ms(3.0)).constant(), Some(Duration::Ms(3.0)));
    assert_eq!(RateLaw::Exponential { mean: Rate::Mbps(1.0) }.constant(), None);
}

#[test]
fn a_missing_data_file_says_where_it_looked_and_where_to_get_it() {
    let folders = DataFolders {
        scenario: Some(PathBuf::from("scenarios")),
        variable: Some(PathBuf::from("no-such-folder")),
        ..DataFolders::default()
    };
    let missing = folders.find("mnist/train-images-idx3-ubyte.gz").unwrap_err();
    insta::assert_snapshot!(missing.to_string().replace('\\', "/"));
    insta::assert_snapshot!(DataFolders::default().find("own.csv").unwrap_err());
    insta::assert_snapshot!("missing_birds", DataFolders::default().find("birds/mhb2014_mallard.csv").unwrap_err());
}

/// The manifest folder holds Cargo.toml; the first folder that has a file wins, absolute paths are taken as they are.
#[test]
fn data_files_are_found_in_order() {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders =
        DataFolders { scenario: Some(here.join("src")), option: Some(here.clone()), ..DataFolders::default() };
    assert_eq!(folders.find("Cargo.toml").unwrap(), here.join("Cargo.toml"));
    assert_eq!(folders.find("lib.rs").unwrap(), here.join("src/lib.rs"));
    let absolute = here.join("src/lib.rs");
    assert_eq!(DataFolders::default().find(absolute.to_str().unwrap()).unwrap(), absolute);
    assert!(DataFolders::default().find("Cargo.toml").is_err());
}

#[test]
fn sums_are_sums() {
    for known in KNOWN_SETS.iter().flat_map(|set| &set.files) {
        assert_eq!(known.sha256.len(), 64, "{}", known.file);
        assert!(known.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}

/// Every data file of the library is known, in the folder where its scenarios look for it.
#[test]
fn files_of_the_library_are_known() {
    let known: Vec<String> =
        KNOWN_SETS.iter().flat_map(|set| set.files.iter().map(move |it| path(set.folder, it.file))).collect();
    let mut found = 0;
    for text in library::list().map(|entry| library::find(entry.name).expect("it is there").text) {
        for word in text.split('"').map(|word| word.trim_end_matches('\\')) {
            let is_file = [".csv", ".gz", ".gml", ".txt", ".dat"].iter().any(|ending| word.ends_with(ending));
            if is_file && !word.contains(char::is_whitespace) {
                assert!(known.iter().any(|path| path == word), "{word}");
                found += 1;
            }
        }
    }
    assert!(found > 10, "{found}");
}

fn path(folder: &str, file: &str) -> String {
    format!("{folder}/{file}")
}
