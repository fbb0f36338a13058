//! From what the user typed to checked scenarios.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::memory::Budget;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_scenarios::study::is_study;
use fedbits_scenarios::{Checked, Diagnostics, Set, Source, library, load, load_resolved};

use crate::cli::args::{HostOptions, ScenarioOptions, bytes};
use crate::cli::failure::Failure;

/// A scenario's arms (one, if it has none), and the folder it lies in.
pub struct Input {
    /// Name for the output folder: the library name or the file's stem.
    pub name: String,
    /// At least one.
    pub arms: Vec<Checked>,
    /// The scenario's folder; none for a library scenario.
    pub folder: Option<PathBuf>,
}

/// Reads and checks the scenario that `options` name.
pub fn read(options: &ScenarioOptions) -> Result<Input, Failure> {
    let Text { name, source, folder } = text(&options.file)?;
    if is_study(&source.text) {
        let file = &options.file;
        return Err(Failure::Input(format!("`{file}` is a study, not a scenario: `fedbits study {file}` runs it")));
    }
    let mut sets = options.set.clone();
    sets.extend(options.seed.map(|seed| Set { path: "seed".to_owned(), value: seed.to_string() }));
    Ok(Input { name, arms: parse(source, &sets)?, folder })
}

/// The text of a scenario or a study.
pub struct Text {
    /// Name for the output folder: the library name or the file's stem.
    pub name: String,
    /// The text and what it is called.
    pub source: Source,
    /// The folder it lies in; none for the library.
    pub folder: Option<PathBuf>,
}

/// The text that a file, or the library, has under a name.
pub fn text(file: &str) -> Result<Text, Failure> {
    let path = Path::new(file);
    if path.exists() && !path.is_dir() || file.ends_with(".ron") { from_file(path) } else { from_library(file) }
}

/// Checks a scenario's text.
fn parse(source: Source, sets: &[Set]) -> Result<Vec<Checked>, Failure> {
    load(source, sets).map_err(|problems| failure("scenario", &problems))
}

/// The scenario of a record, from the text that its manifest keeps.
pub fn recorded(source: Source) -> Result<Checked, Failure> {
    let mut arms = load_resolved(source).map_err(|problems| failure("scenario", &problems))?;
    arms.pop().ok_or_else(|| Failure::Input("the record's scenario is empty".to_owned()))
}

/// The problems of a scenario or a study.
pub fn failure(what: &str, problems: &Diagnostics) -> Failure {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let count = problems.problems().len();
    let number = if count == 1 { "one problem".to_owned() } else { format!("{count} problems") };
    Failure::Input(format!("the {what} has {number}\n{}", problems.render(color)))
}

/// A scenario is a page or two; what is longer is something else.
const MOST_BYTES: u64 = 16 << 20;

/// The text of a file.
pub fn from_file(path: &Path) -> Result<Text, Failure> {
    if let Ok(about) = std::fs::metadata(path)
        && (about.len() > MOST_BYTES || !about.is_file() && !about.is_dir())
    {
        let what = if about.is_file() { "is larger than 16 MiB" } else { "is not a regular file" };
        return Err(Failure::Input(format!("{} {what}: expected the text of a scenario", path.display())));
    }
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Input(format!("there is no file {}", path.display())),
        std::io::ErrorKind::IsADirectory => Failure::Input(format!("{} is a folder, not a scenario", path.display())),
        _ => Failure::file(path, &error),
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Failure::Input(format!("{}:{line}: expected UTF-8 text, found other bytes", path.display()))
    })?;
    // Some editors begin a text with a mark that says that it is UTF-8.
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    let name = path.file_stem().map_or_else(|| "scenario".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    Ok(Text { name, source: Source::new(path.display().to_string(), text), folder: Some(folder) })
}

/// The text that the library has under a name.
pub fn from_library(name: &str) -> Result<Text, Failure> {
    let file = if Path::new(name).is_dir() { "is a folder" } else { "is no file" };
    let source = library::find(name).map_err(|error| Failure::Input(format!("`{name}` {file}, and {error}")))?;
    Ok(Text { name: name.to_owned(), source, folder: None })
}

/// Where data files are looked for.
pub fn folders(host: &HostOptions, scenario: Option<PathBuf>) -> DataFolders {
    let variable = std::env::var_os("FEDBITS_DATA").map(PathBuf::from);
    DataFolders { scenario, option: host.data.clone(), variable }
}

/// Builds the run of a checked scenario.
pub fn prepare(preparer: &mut Preparer, checked: &Checked) -> Result<Prepared, Failure> {
    preparer.prepare(&checked.scenario).map_err(|error| Failure::unprepared(checked, &error))
}

/// Compares what scenarios say with the data of their files, before anything is played: all problems of all of them.
pub fn check_fit<'a>(
    what: &str,
    preparer: &mut Preparer,
    arms: impl IntoIterator<Item = &'a Checked>,
) -> Result<(), Failure> {
    let problems = |checked: &Checked| Some(checked.problems(&preparer.check_fit(&checked.scenario).err()?));
    match Diagnostics::joined(arms.into_iter().filter_map(problems).collect()) {
        Some(problems) => Err(failure(what, &problems)),
        None => Ok(()),
    }
}

/// Who builds runs out of checked scenarios, with the data folders that the user gave.
pub fn preparer(host: &HostOptions, scenario: Option<PathBuf>) -> Preparer {
    preparer_in(&folders(host, scenario), host)
}

/// The memory that the variable FEDBITS_MAX_MEMORY allows, if it is set.
pub fn memory_variable() -> Result<Option<u64>, Failure> {
    let Some(text) = std::env::var_os("FEDBITS_MAX_MEMORY") else { return Ok(None) };
    let size = bytes(&text.to_string_lossy());
    size.map(Some).map_err(|why| Failure::Input(format!("the variable FEDBITS_MAX_MEMORY: {why}")))
}

/// The same, with known data folders. All of them share the memory of this process.
pub fn preparer_in(folders: &DataFolders, host: &HostOptions) -> Preparer {
    static BUDGET: OnceLock<Arc<Budget>> = OnceLock::new();
    let budget = BUDGET.get_or_init(|| {
        let limit = host.max_memory.or_else(|| memory_variable().ok().flatten());
        let budget = limit.map_or_else(Budget::of_machine, |limit| Budget::of(Some(limit)));
        budget.limit_files();
        budget
    });
    Preparer::within(Arc::clone(budget), folders.clone(), host.audit)
}
