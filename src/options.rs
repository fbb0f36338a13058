//! What concerns the machine that runs and no result.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::prepare::memory::Budget;
use fedbits_spec::threads;

use crate::error::Error;
use crate::watch::Watch;

/// Where `fedbits data fetch` puts files: `$XDG_CACHE_HOME/fedbits/data`, else `~/.cache/fedbits/data`.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("fedbits/data"))
}

/// More threads than any machine has cores take its memory.
pub const MOST_THREADS: u16 = 1_024;

/// How this machine runs scenarios. No result depends on it.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where data files are, beside the scenario's own folder and that of the variable `FEDBITS_DATA`.
    pub data: Option<PathBuf>,
    /// Look for data files in `data` alone, for example to verify a record with files that were handed on with it.
    pub only_data: bool,
    /// The number of threads, 1 to 1 024; all cores when there is none.
    pub threads: Option<usize>,
    /// Bytes of memory that all runs of the process may take together, as the first of them says; else what the
    /// variable `FEDBITS_MAX_MEMORY` says, or what the machine has.
    pub max_memory: Option<u64>,
    /// Write, read back and compare every message's bit string, not a sample.
    pub audit: bool,
    /// Who watches the runs, and may end them.
    pub watch: Watch,
    /// The Python script or notebook that has the runs made: records name it.
    pub script: Option<String>,
}

impl RunOptions {
    /// Where data files are looked for.
    pub(crate) fn folders(&self, scenario: Option<PathBuf>) -> DataFolders {
        if self.only_data {
            return DataFolders { option: self.data.clone(), alone: true, ..DataFolders::default() };
        }
        let variable = std::env::var_os("FEDBITS_DATA").map(PathBuf::from);
        // A cache that is not there is no place where anybody would look.
        let cache = cache_folder().filter(|folder| folder.is_dir());
        DataFolders { scenario, option: self.data.clone(), variable, cache, ..DataFolders::default() }
    }

    /// Who builds runs out of checked scenarios. All of them share the memory of this process.
    pub(crate) fn preparer(&self, folders: &DataFolders) -> Result<Preparer, Error> {
        static BUDGET: OnceLock<Arc<Budget>> = OnceLock::new();
        let limit = self.max_memory.map_or_else(memory_variable, |limit| Ok(Some(limit)))?;
        let budget = BUDGET.get_or_init(|| limit.map_or_else(Budget::of_machine, |limit| Budget::of(Some(limit))));
        let mut preparer = Preparer::within(Arc::clone(budget), folders.clone(), self.audit);
        preparer.script.clone_from(&self.script);
        Ok(preparer)
    }

    /// Does `work`, which gets the number of its threads.
    pub(crate) fn with_threads<T: Send>(
        &self,
        work: impl FnOnce(usize) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let Some(threads) = self.threads else { return work(threads::shared(None)) };
        if !(1..=usize::from(MOST_THREADS)).contains(&threads) {
            return Err(Error::Input(format!("{threads} threads: expected 1 to {MOST_THREADS}")));
        }
        threads::in_pool(threads, work)
    }
}

/// The memory that the variable `FEDBITS_MAX_MEMORY` allows, if it is set.
pub(crate) fn memory_variable() -> Result<Option<u64>, Error> {
    let Some(text) = std::env::var_os("FEDBITS_MAX_MEMORY") else { return Ok(None) };
    let size = bytes(&text.to_string_lossy());
    size.map(Some).map_err(|why| Error::Input(format!("the variable FEDBITS_MAX_MEMORY: {why}")))
}

/// A size of memory in bytes. It has a unit: whoever writes 4 hardly means four bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if digits == text.len() && text.parse::<u32>().is_ok_and(|number| number > 0) {
        return Err(format!("`{text}` has no unit: expected for example {text}GiB, {text}GB or {text}MiB"));
    }
    let (number, unit) = (text[..digits].parse::<u64>().ok(), text[digits..].trim());
    let power =
        |names: &[&str], step: u64| names.iter().position(|name| *name == unit).map(|power| step.pow(power as u32));
    let decimal = power(&["B", "kB", "MB", "GB", "TB"], 1_000).or_else(|| power(&["B", "KB"], 1_000));
    let size = decimal.or_else(|| power(&["B", "KiB", "MiB", "GiB", "TiB"], 1_024));
    let size = number.zip(size).and_then(|(number, unit)| number.checked_mul(unit));
    size.filter(|&size| size > 0).ok_or_else(|| {
        format!("`{text}` is not a size: expected a whole number above 0 with a unit, for example 4GiB, 4GB or 500MiB")
    })
}
