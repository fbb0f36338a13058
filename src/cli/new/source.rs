//! What `new --data` names: a table, the tables of several clients, or a file of numbers without names.

use std::path::{Path, PathBuf};

use fedbits_models::data::lib_svm::LibSvmFile;
use fedbits_models::data::npy::NpyFiles;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{DataSource, FileError, FileErrorKind, Observations, Reading, Remarks, Values};
use fedbits_random::Streams;
use fedbits_scenarios::data_files::fitting;

use super::questions::Questions;
use super::table_file::{TableFile, look};
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::texts::absent;

#[derive(Debug)]
pub(super) enum Source {
    /// A table, or those of several clients: the first file, and how many there are; 0 where it is none of several.
    Tables { table: TableFile, first: PathBuf, files: usize },
    /// Numbers whose columns have no names.
    Numbers(Numbers),
}

/// Examples of a file that says itself how it is to be read.
#[derive(Debug)]
pub(super) struct Numbers {
    pub(super) name: &'static str,
    pub(super) rows: u64,
    pub(super) features: usize,
    pub(super) classes: Option<u64>,
}

/// Endings of files that hold tables in ways that are not read here.
const NO_TABLES: [&str; 7] = ["json", "jsonl", "ndjson", "xlsx", "xls", "ods", "npz"];

/// Looks at what is there.
pub(super) fn find(data: &Path, options: &NewOptions, questions: &mut Questions<'_>) -> Result<Source, Failure> {
    let files = files(data)?;
    let first = &files[0];
    let ending = first.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if NO_TABLES.contains(&ending.as_str()) {
        return Err(Failure::Input(format!(
            "{} is not a table by its ending: expected CSV (commas, semicolons, tabs, bars or blanks), .npy of NumPy, \
             or .svm of LIBSVM",
            first.display()
        )));
    }
    if let Some(source) = without_names(first) {
        let is_told = !options.missing_values.is_empty() || options.leave_out.is_some();
        if options.header.is_some() || options.delimiter.is_some() || is_told {
            let what = "--header, --delimiter, --missing-values and --leave-out are of tables";
            let found = format!("{}: {what}", first.display());
            return Err(Failure::Input(format!("{found}: this file says itself how it is laid out")));
        }
        if files.len() > 1 {
            let found = format!("{}: several files as clients are read of tables alone", data.display());
            return Err(Failure::Input(format!("{found}: expected CSV or Parquet files, or one file")));
        }
        return numbers(&*source, first).map(Source::Numbers);
    }
    let is_pattern = data.to_str().is_some_and(|name| name.contains(['*', '?']));
    let look = |header| look(&files, (header, options.delimiter), &options.missing_values);
    let table = match look(options.header) {
        Err(FileError { kind: FileErrorKind::Header(cells), .. }) => {
            let held = questions.yes(&format!("does the first line hold names ({cells} …)?"), "y or n")?;
            let Some(header) = held else {
                let place = format!("{}:1: does the first line hold names (`{cells}` …)?", first.display());
                return Err(Failure::Input(format!(
                    "{place} It is not clear from the lines below: expected `--header true` or `--header false`"
                )));
            };
            look(Some(header))
        }
        looked => looked.map_err(|error| match error.kind {
            FileErrorKind::Delimiter(example) => error.advise(format!("`--delimiter {example:?}` or another")),
            _ => error,
        }),
    };
    let (table, number) = (table.map_err(|error| failure(&error))?, if is_pattern { files.len() } else { 0 });
    Ok(Source::Tables { table, first: first.clone(), files: number })
}

fn failure(error: &FileError) -> Failure {
    match &error.kind {
        FileErrorKind::Io(source) if source.kind() != std::io::ErrorKind::InvalidData => {
            Failure::file(&error.path, source)
        }
        _ => Failure::Input(error.to_string()),
    }
}

fn files(data: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shown = data.display();
    let about = fedbits_spec::files::about(data).map_err(|error| Failure::file(data, &error))?;
    if about.as_ref().is_some_and(std::fs::Metadata::is_dir) {
        return Err(Failure::Input(format!("{shown} is a folder: expected a table, or '{shown}/*.csv'")));
    }
    if about.is_some() {
        return Ok(vec![data.to_owned()]);
    }
    let pattern = data.to_str().filter(|name| name.contains(['*', '?']));
    let Some(pattern) = pattern else { return Err(Failure::Input(absent("file", data))) };
    let found = fitting(Path::new(pattern));
    if found.is_empty() {
        let hint = "in a pattern the name of the file has `*` or `?`, its folders have not";
        return Err(Failure::Input(format!("no name of a file fits {shown}: {hint}")));
    }
    Ok(found)
}

/// The source of a file that is no table, as its name says.
fn without_names(path: &Path) -> Option<Box<dyn DataSource>> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned();
    let path = path.to_string_lossy().into_owned();
    match name.rsplit('.').next()? {
        "npy" => Some(Box::new(NpyFiles { path, ..NpyFiles::examples().remove(0) })),
        "svm" | "libsvm" | "svmlight" => Some(Box::new(LibSvmFile { path, ..LibSvmFile::examples().remove(0) })),
        _ => None,
    }
}

fn numbers(source: &dyn DataSource, path: &Path) -> Result<Numbers, Failure> {
    let (streams, remarks, files) = (Streams::new(0, 0), Remarks::default(), [path.to_owned()]);
    let (values, holdout, limit) = (Values::Real, None, MemoryLimit::default());
    let with = Reading { files: &files, streams: &streams, pool: &streams, values, remarks: &remarks, holdout, limit };
    let data = source.read(&with).map_err(|error| Failure::Input(error.to_string()))?;
    let labels = match &data {
        Observations::Examples(data) => data.labels(),
        _ => None,
    };
    let classes = labels.and_then(|labels| labels.iter().max()).map(|&last| u64::from(last) + 1);
    Ok(Numbers { name: source.part_name(), rows: data.size() as u64, features: data.columns().len(), classes })
}
