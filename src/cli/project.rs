//! What a project says once for all commands: `fedbits.ron`, looked for in the working directory and upwards, and the
//! variables that stand over it. Options stand over both. No result depends on any of it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fedbits_reports::Style;
use fedbits_text::{Diagnostics, Document, Patched, Problem, Source, Tree};
use serde::{Deserialize, Serialize};

use crate::cli::failure::Failure;
use crate::error::Error;
use crate::options::MOST_THREADS;
use crate::texts;

pub(crate) const FILE: &str = "fedbits.ron";

/// What is said of one without a setting.
const EXPECTED: &str = "expected settings of a project, for example `(data: \"data\")`, or no such file";

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    /// The folder of the data, from that of the file on.
    data: Option<String>,
    /// As `--threads`.
    threads: Option<u16>,
    /// As `--style` of `run` and `report`.
    style: Option<String>,
}

impl Document for Written {
    const NAME: &'static str = "project file";
    const PATH: &'static str = "threads";
}

/// What holds where no option says otherwise.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) file: Option<PathBuf>,
    data: Option<PathBuf>,
    pub(crate) threads: Option<u16>,
    style: Option<Style>,
}

static PROJECT: OnceLock<Project> = OnceLock::new();

/// Reads the file, if there is one, and the variables.
pub(crate) fn load() -> Result<(), Failure> {
    let mut project = match found()? {
        Some((file, source)) => read(&file, source)?,
        None => Project::default(),
    };
    if let Some(text) = variable("FEDBITS_THREADS") {
        let threads = text.parse().ok().filter(|threads| (1..=MOST_THREADS).contains(threads));
        let wrong =
            || Failure::Input(format!("the variable FEDBITS_THREADS is `{text}`: expected 1 to {MOST_THREADS}"));
        project.threads = Some(threads.ok_or_else(wrong)?);
    }
    if let Some(text) = variable("FEDBITS_STYLE") {
        let wrong = || Failure::Input(format!("the variable FEDBITS_STYLE is `{text}`: expected {}", styles(&text)));
        project.style = Some(Style::from_name(&text).ok_or_else(wrong)?);
    }
    let _ = PROJECT.set(project);
    Ok(())
}

pub(crate) fn get() -> &'static Project {
    PROJECT.get_or_init(Project::default)
}

/// Where data are: as the option says, else as the project does, unless the variable `FEDBITS_DATA` does.
pub(crate) fn data(option: Option<PathBuf>) -> Option<PathBuf> {
    let project = || get().data.clone().filter(|_| variable("FEDBITS_DATA").is_none());
    option.or_else(project)
}

/// The page that figures are made for.
pub(crate) fn style() -> Style {
    get().style.unwrap_or(Style::Neurips)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

fn styles(found: &str) -> String {
    let names = Style::ALL.map(Style::name);
    fedbits_text::known(found, &names, names.len())
}

/// The nearest file of that name that is no scenario, upwards from the working directory.
fn found() -> Result<Option<(PathBuf, Source)>, Failure> {
    let Ok(working_directory) = std::env::current_dir() else { return Ok(None) };
    for folder in working_directory.ancestors() {
        let path = folder.join(FILE);
        if path.is_dir() {
            let path = path.display();
            return Err(Failure::Input(format!("{path} is a folder: expected the project file, or another name")));
        }
        if path.is_file() {
            let source = texts::of_kind(&path, EXPECTED)?.source;
            let tree = Tree::scan(source.text.as_str());
            let is_scenario = ["protocol", "base", "stop"].iter().any(|name| tree.root().field(name).is_some());
            if !is_scenario {
                return Ok(Some((path, source)));
            }
        }
    }
    Ok(None)
}

fn read(file: &Path, source: Source) -> Result<Project, Failure> {
    let patched = Patched::new(0, &source.text);
    let reading = patched.read::<Written>();
    let tree = Tree::scan(source.text.as_str());
    let mut problems = reading.problems;
    let mut wrong = |path: &str, message: String, expected: String| {
        let origin = patched.origin(tree.span(path));
        problems.push(Problem { origin, message, expected, help: None });
    };
    let written = reading.value.unwrap_or_default();
    if written.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
        wrong("threads", "such a number of threads cannot be had".to_owned(), format!("expected 1 to {MOST_THREADS}"));
    }
    let style = written.style.as_deref().map(|name| (name, Style::from_name(name)));
    if let Some((name, None)) = style {
        wrong("style", format!("there is no style `{name}`"), format!("expected {}", styles(name)));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let data = written.data.as_ref().map(|data| folder.join(data));
    if let Some(missing) = data.as_ref().filter(|data| !data.is_dir()) {
        wrong(
            "data",
            format!("there is no folder {}", missing.display()),
            "expected the folder of the data".to_owned(),
        );
    }
    if !problems.is_empty() {
        let problems = Diagnostics::new(problems, vec![source]);
        return Err(Error::Problems { what: "project file", problems }.into());
    }
    let style = style.and_then(|(_, style)| style);
    Ok(Project { file: Some(file.to_path_buf()), data, threads: written.threads, style })
}

impl Project {
    /// The file that was used and what it says, for people.
    pub(crate) fn line(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let data = self.data.as_ref().map(|data| format!("data {}", data.display()));
        let threads = self.threads.map(|threads| format!("threads {threads}"));
        let style = self.style.map(|style| format!("style {}", style.name()));
        let said: Vec<String> = [data, threads, style].into_iter().flatten().collect();
        Some(format!("{} ({})", file.display(), said.join(", ")))
    }
}
