//! What a page that runs has inside: the engine, the data files that travel with it, and a form with a row for every
//! setting that its scenario offers.

use std::{io::Read, path::Path};

use fedbits_record::results::Results;
use fedbits_reports::{PageEngine, escape};
use fedbits_scenarios::{Offer, OfferedNumber};
use fedbits_spec::files;
use flate2::read::GzDecoder;

use crate::error::Error;
use crate::listener::{Listener, Silent};
use crate::options::RunOptions;
use crate::runs::{data_files, open_runs};
use crate::scenario::Scenario;

/// Bytes of data that a page takes with it at most.
const MOST_DATA: u64 = 4_000_000;

/// What a page of the runs in a folder has inside so that readers can make them again. `engine` is the file that
/// `tools/engine` makes; none: the one inside this program. With `with_data` the page has the data files of the
/// scenario, looked for as `options` say, at most 4 MB.
///
/// # Errors
/// A folder without runs; a program without an engine; a file that is none; data that are not found, or too large.
pub fn page_engine(
    runs: &Path,
    engine: Option<&Path>,
    with_data: bool,
    options: &RunOptions,
) -> Result<PageEngine, Error> {
    page_engine_of(&open_runs(runs)?, engine, with_data, options, &Silent)
}

/// The same of open results; the listener is told which data files the page lacks.
pub(crate) fn page_engine_of(
    record: &Results,
    engine: Option<&Path>,
    with_data: bool,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<PageEngine, Error> {
    let module = module(engine)?;
    let (names, folders) = data_files(record, options)?;
    let mut travelling = Vec::new();
    for name in names {
        if !with_data {
            let why = "its reader cannot make the runs; --with-data (Python: with_data=True) puts it in";
            listener.message(&format!("the page is without the data file {name}: {why}"));
            continue;
        }
        let path = folders.find(&name).map_err(|missing| Error::Input(missing.to_string()))?;
        let bytes = files::read(&path).map_err(|error| Error::file(&path, error))?;
        travelling.push((name, bytes));
    }
    let all: u64 = travelling.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    if all > MOST_DATA {
        let all = format!("{:.1} MB", all as f64 / 1e6);
        return Err(Error::Input(format!("the data files have {all}: expected at most 4 MB in a page")));
    }
    Ok(PageEngine { module, files: travelling, form: form(record)? })
}

/// What an engine of this build has inside: a page and its engine speak with each other.
pub const ENGINE: &str = concat!("fedbits engine ", env!("CARGO_PKG_VERSION"));

/// The engine, packed by gzip.
fn module(file: Option<&Path>) -> Result<Vec<u8>, Error> {
    #[cfg(feature = "engine")]
    const INSIDE: Option<&[u8]> = Some(include_bytes!(env!("FEDBITS_ENGINE")));
    #[cfg(not(feature = "engine"))]
    const INSIDE: Option<&[u8]> = None;
    let Some(file) = file else {
        return INSIDE.map(<[u8]>::to_vec).ok_or_else(|| {
            let make = "make one by `tools/engine engine.wasm.gz` in a clone, and name the file \
                        (--engine engine.wasm.gz; Python: engine=\"engine.wasm.gz\")";
            Error::Input(format!("this program was built without an engine for pages: {make}"))
        });
    };
    let bytes = files::read(file).map_err(|error| Error::file(file, error))?;
    let mut module = Vec::new();
    let is_packed = GzDecoder::new(&bytes[..]).read_to_end(&mut module).is_ok();
    if module.windows(ENGINE.len()).any(|part| part == ENGINE.as_bytes()) {
        return Ok(bytes);
    }
    let (file, why) = (file.display(), if is_packed { "of another build" } else { "not packed by gzip" });
    Err(Error::Input(format!("{file} is no engine of this program: it is {why}; `tools/engine FILE` writes one")))
}

/// The rows of the settings that the scenario of the runs offers, as HTML.
fn form(record: &Results) -> Result<String, Error> {
    let plan = record.plan();
    let offers = Scenario::from_text(&plan.name, &plan.scenario_text).check()?.offers();
    Ok(offers.iter().map(row).collect())
}

/// Its name, a slider for a number above 0, and its value as text. A slider goes along the logarithm.
fn row(offer: &Offer) -> String {
    let Offer { path, quoted, label, value, number, doc, range } = offer;
    let [path, label, value, doc] = [path, label, value, doc].map(|text| escape(text));
    let quoted = if *quoted { " data-quoted" } else { "" };
    let slider: String = number.iter().filter(|it| it.value > 0.0).map(|it| slider(it, &label)).collect();
    let range: String = range.iter().map(|range| format!("<small>{}</small>", escape(range))).collect();
    format!(
        "<label><span title=\"{doc}\">{label}</span>{slider}<input type=\"text\" data-path=\"{path}\"{quoted} \
         value=\"{value}\" spellcheck=\"false\" autocomplete=\"off\">{range}</label>\n"
    )
}

fn slider(number: &OfferedNumber, label: &str) -> String {
    let OfferedNumber { before, value, after, whole, share } = number;
    let middle = libm::log(*value);
    let (low, high) = (middle - libm::log(16.0), if *share { 0.0 } else { middle + libm::log(16.0) });
    let low = if *whole { low.max(0.0) } else { low };
    format!(
        "<input type=\"range\" aria-label=\"{label}\" min=\"{low:.6}\" max=\"{high:.6}\" step=\"any\" \
         value=\"{middle:.6}\" data-before=\"{}\" data-after=\"{}\"{}>",
        escape(before),
        escape(after),
        if *whole { " data-whole" } else { "" }
    )
}
