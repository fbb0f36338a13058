//! Changes small files of every kind that is read beside scenarios, byte by byte, and reads what comes out (files of
//! result folders have `store_mutations`): nothing may panic, nothing may last, and
//! every refusal has a text. A change is a function of the reader and its number, so that one that fails can be had
//! again.
//!
//! `cargo run --release -p fedbits-scenarios --example night -- readers 100000 [FIRST] [READER…]`, where FIRST is the
//! number of the first change.

mod seeds;

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::ops::Range;
use std::panic;
use std::path::Path;

use crate::draws::Draws;
use fedbits_kernel::topology::gml;
use fedbits_models::data::csv::{
    Arrangement, Column, Columns, CountsFile, CsvFile, Doses, Factors, Filling, LongitudinalFile, MissingObservations,
    MissingValues, ResponsesFile, read_counts, read_csv, read_longitudinal, read_responses,
};
use fedbits_models::data::idx::read_idx;
use fedbits_models::data::lda_c::read_corpus;
use fedbits_models::data::lib_svm::read_lib_svm;
use fedbits_models::data::npy::read_npy;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{Remarks, Values};
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Source, load};
use rayon::prelude::*;
use seeds::Seed;

/// Who reads: from a folder in which the changed file lies under its name.
struct Reader {
    name: &'static str,
    seeds: Vec<Seed>,
    read: fn(&Path, &str),
}

/// What a file may take in memory; more is refused.
const MAX_BYTES: u64 = 64 << 20;
fn limit() -> MemoryLimit {
    MemoryLimit::new(MAX_BYTES)
}

/// Seconds after which reading a small file has lasted too long.
const LONGEST: f64 = 5.0;

pub fn main(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut arguments = arguments.iter().peekable();
    let count: u64 = arguments.next().ok_or("usage: readers COUNT [FIRST] [READER…]")?.parse()?;
    let first: Option<u64> = arguments.peek().and_then(|word| word.parse().ok());
    if first.is_some() {
        arguments.next();
    }
    let numbers = first.unwrap_or(0)..first.unwrap_or(0) + count;
    let wanted: Vec<&String> = arguments.collect();
    let folder = tempfile::tempdir()?;
    for reader in readers()? {
        if wanted.is_empty() || wanted.iter().any(|name| *name == reader.name) {
            reader.try_all(numbers.clone(), folder.path())?;
            println!("{}: {count} mutations: no panic, every refusal has a text", reader.name);
        }
    }
    Ok(())
}

impl Reader {
    fn try_all(&self, numbers: Range<u64>, folder: &Path) -> Result<(), String> {
        numbers.into_par_iter().try_for_each_init(
            || {
                let thread = rayon::current_thread_index().unwrap_or(0);
                let scratch = folder.join(format!("{}-{thread}", self.name));
                self.seeds.iter().for_each(|seed| seed.settle(&scratch));
                scratch
            },
            |scratch, number| self.try_one(number, scratch),
        )
    }

    fn try_one(&self, number: u64, folder: &Path) -> Result<(), String> {
        let mut draws = Draws(number);
        let seed = &self.seeds[draws.below(self.seeds.len())];
        let mutated = (0..=draws.below(3)).fold(seed.bytes.clone(), |bytes, _| changed(bytes, &mut draws));
        fs::write(folder.join(&seed.name), &mutated).map_err(|error| error.to_string())?;
        let start = seconds();
        let survived = panic::catch_unwind(|| (self.read)(folder, &seed.name));
        let lasted = seconds() - start;
        seed.settle(folder);
        match survived {
            Ok(()) if lasted < LONGEST => Ok(()),
            Ok(()) => Err(format!("{}: mutation {number} of {} takes {lasted:.1} s", self.name, seed.name)),
            Err(_) => Err(format!(
                "{}: mutation {number} of {} is not survived:\n{}",
                self.name,
                seed.name,
                String::from_utf8_lossy(&mutated)
            )),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "host time, which enters no result")]
fn seconds() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64()
}

/// A refusal says something.
fn check_error<T, E: Display>(read: Result<T, E>) {
    assert!(read.err().is_none_or(|error| !error.to_string().trim().is_empty()));
}

fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn readers() -> Result<Vec<Reader>, Box<dyn Error>> {
    let reader = |name, seeds, read| Reader { name, seeds, read };
    Ok(vec![
        reader("gml", vec![Seed::of("map.gml", seeds::GML)], |folder, name| {
            let [capacity, latency] =
                [("LinkSpeedRaw", 1.0), ("delay", 1e-3)].map(|(name, unit)| Some((name.to_owned(), unit)));
            let attributes = gml::Attributes { capacity, latency };
            let Some(text) = text(&folder.join(name)) else { return };
            check_error(gml::read(&text, &attributes));
            gml::edge_attributes(&text);
        }),
        reader("csv", seeds::csv(), |folder, name| {
            let (label, client) = (Column::Name("label".to_owned()), Column::Name("client".to_owned()));
            let named = CsvFile { label: Some(label), client: Some(client), ..csv_file() };
            check_error(read_csv(&folder.join(name), &named));
            check_error(read_csv(&folder.join(name), &CsvFile { header: Some(false), ..csv_file() }));
            let (missing, factors) = (MissingValues::Impute(Filling::Mode), Factors::OneHot);
            check_error(read_csv(&folder.join(name), &CsvFile { missing, factors, ..CsvFile::new("") }));
            check_error(read_lib_svm(&folder.join(name), None, &Remarks::default(), limit()));
        }),
        reader("longitudinal", vec![Seed::of("l.csv", seeds::LONGITUDINAL)], longitudinal),
        reader("counts", vec![Seed::of("c.csv", seeds::COUNTS)], counts),
        reader("responses", vec![Seed::of("r.csv", seeds::RESPONSES)], |folder, name| {
            let (items, frequency) = (Columns::All, Some(Column::Name("n".to_owned())));
            let options =
                ResponsesFile { path: name.to_owned(), header: Some(true), items, frequency, delimiter: Some(',') };
            check_error(read_responses(&folder.join(name), &options, Values::UpTo(1), &Remarks::default(), limit()));
            check_error(read_responses(&folder.join(name), &options, Values::Real, &Remarks::default(), limit()));
        }),
        reader("idx", seeds::idx(), |folder, name| {
            let (images, labels) = (folder.join("images"), folder.join("labels"));
            check_error(read_idx(&images, Some(&labels), limit()));
            check_error(read_idx(&folder.join(name), None, limit()));
        }),
        reader("lib-svm", vec![Seed::of("s.svm", seeds::LIB_SVM)], |folder, name| {
            let read = |features| read_lib_svm(&folder.join(name), features, &Remarks::default(), limit());
            check_error(read(None).map(|sparse| sparse.hashed(3, limit()).map(|data| data.digest())));
            check_error(read(Some(5)).map(|sparse| sparse.dense(limit()).map(|data| data.digest())));
        }),
        reader("npy", vec![seeds::array("a.npy", seeds::NPY), seeds::array("a.npz", seeds::NPZ)], |folder, name| {
            let path = folder.join(name);
            check_error(read_npy(path.as_path().into(), None, limit()));
            check_error(read_npy(path.as_path().into(), Some(path.as_path().into()), limit()));
        }),
        reader("lda-c", seeds::corpus(), |folder, name| {
            let (corpus, words, refuse) = (folder.join("corpus"), folder.join("words"), MissingObservations::Error);
            check_error(read_corpus(&corpus, Some(&words), refuse, &Remarks::default(), limit()));
            let drop = MissingObservations::Drop;
            let dropping = read_corpus(&folder.join(name), None, drop, &Remarks::default(), limit());
            check_error(dropping.map(|corpus| corpus.hold_out(Some(3)).digest()));
        }),
        reader("gz", seeds::packed()?, |folder, name| {
            let path = folder.join(name);
            check_error(read_csv(&path, &csv_file()));
            check_error(read_corpus(&path, None, MissingObservations::Error, &Remarks::default(), limit()));
            check_error(read_idx(&path, None, limit()));
        }),
        reader("tables", vec![Seed::of("rates.csv", seeds::RATES)], tables),
    ])
}

fn csv_file() -> CsvFile {
    CsvFile { header: Some(true), delimiter: Some(','), ..CsvFile::new("") }
}

fn longitudinal(folder: &Path, name: &str) {
    let column = |name: &str| Column::Name(name.to_owned());
    let options = LongitudinalFile {
        path: name.to_owned(),
        header: Some(true),
        delimiter: Some(','),
        subject: column("id"),
        time: column("time"),
        value: column("dv"),
        doses: Doses::Rows { amount: column("amt") },
        only: None,
        after: Some(0.0),
        missing: MissingObservations::Error,
        missing_values: Vec::new(),
    };
    let path = folder.join(name);
    check_error(read_longitudinal(&path, &options, &Remarks::default(), limit()));
    let doses = Doses::PerSubject { amount: column("amt"), time: 0.0 };
    check_error(read_longitudinal(
        &path,
        &LongitudinalFile { doses, after: None, ..options },
        &Remarks::default(),
        limit(),
    ));
}

fn counts(folder: &Path, name: &str) {
    let column = |name: &str| Column::Name(name.to_owned());
    let wide = Arrangement::Wide {
        counts: vec![column("X1.count"), column("X2.count")],
        observers: vec![column("X1.who"), column("X2.who")],
    };
    let long = Arrangement::Long { time: vec![column("X1.count")], count: column("X2.count"), observer: None };
    for arrangement in [wide, long] {
        let options = CountsFile {
            path: name.to_owned(),
            header: Some(true),
            site: column("site"),
            arrangement,
            held_out: 0.0,
            delimiter: Some(','),
            missing_values: Vec::new(),
        };
        let refuses = |x| (x < 0.0).then_some("a count of at least 0");
        let table = read_counts(&folder.join(name), &options, refuses, &Remarks::default(), limit());
        check_error(table.map(|table| (table.fewest_matrices(), table.data.digest())));
    }
}

/// A run that takes its rates and its clients' presence from files.
fn tables(folder: &Path, _: &str) {
    let folders = DataFolders { scenario: Some(folder.to_owned()), ..DataFolders::default() };
    let checked = load(Source::new("tables.ron", seeds::WITH_TABLES), &[]).expect("the scenario is good");
    check_error(Preparer::new(folders, false).prepare(&checked[0].scenario));
}

/// What numbers and words are replaced with.
const VALUES: [&[u8]; 14] = [
    b"0",
    b"-1",
    b"1e400",
    b"NaN",
    b"inf",
    b"4294967295",
    b"18446744073709551615",
    b"99999999999999999999999",
    b"1e-320",
    b"",
    b"\"",
    b"[[[[[[[[",
    b"null",
    "Ω".as_bytes(),
];

/// One change: of a bit, of a byte, of a field of eight bytes, of a word, of a stretch, or the end.
fn changed(mut bytes: Vec<u8>, draws: &mut Draws) -> Vec<u8> {
    let at = draws.below(bytes.len());
    let length = draws.below(40).min(bytes.len() - at);
    match draws.below(9) {
        _ if bytes.is_empty() => bytes.push(draws.below(256) as u8),
        0 => bytes[at] ^= 1 << draws.below(8),
        1 => bytes[at] = draws.below(256) as u8,
        2 => bytes.insert(at, draws.below(256) as u8),
        3 => drop(bytes.drain(at..at + length)),
        4 => bytes.truncate(at),
        5 => {
            let stretch = bytes[at..at + length].to_vec();
            let to = draws.below(bytes.len());
            bytes.splice(to..to, stretch);
        }
        6 => bytes[at..].iter_mut().take(1 << draws.below(4)).for_each(|byte| *byte = 0xff),
        _ => {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
            let start = bytes[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |after| at + after);
            bytes.splice(start..end, VALUES[draws.below(VALUES.len())].iter().copied());
        }
    }
    bytes
}
