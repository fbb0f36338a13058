//! The text that a file, or the library, has under a name.

use std::io::Read;
use std::path::{Path, PathBuf};

use fedbits_models::data::packed::{self, MemoryLimit};
use fedbits_record::results::PLAN_FILE;
use fedbits_scenarios::data_files::{self, near_entry};
use fedbits_scenarios::{Bases, Source, library};
use fedbits_spec::files;

use crate::error::Error;

pub(crate) struct Text {
    /// Name for the output folder: the library name or the file's stem.
    pub(crate) name: String,
    pub(crate) source: Source,
    /// The folder it lies in; none for the library.
    pub(crate) folder: Option<PathBuf>,
}

pub(crate) fn text(file: &str) -> Result<Text, Error> {
    let path = Path::new(file);
    let about = files::about(path).map_err(|error| Error::file(path, error))?;
    match about.is_some_and(|about| !about.is_dir()) || file.ends_with(".ron") {
        true => from_file(path),
        false => from_library(file),
    }
}

/// The scenarios that others name as their base: files are relative to a folder, if there is one.
pub(crate) struct BasesIn<'f>(pub(crate) Option<&'f Path>);

impl Bases for BasesIn<'_> {
    fn text(&self, base: &str) -> Result<Source, String> {
        let found = match (base.ends_with(".ron"), self.0) {
            (false, _) => from_library(base),
            (true, None) if Path::new(base).is_relative() => {
                return Err(format!("`{base}` is a file, and this text is in no folder: give its whole path"));
            }
            (true, folder) => from_file(&folder.unwrap_or(Path::new("")).join(base)),
        };
        found.map(|text| text.source).map_err(|error| error.to_string())
    }

    fn has_file(&self, path: &str) -> bool {
        data_files::is_there(&self.0.unwrap_or(Path::new("")).join(path))
    }
}

/// Endings of data, which are taken for a scenario now and then.
const DATA: [&str; 8] = ["csv", "tsv", "npy", "npz", "parquet", "gz", "zst", "xlsx"];

/// Endings of other formats for settings.
const OTHERS: [(&str, &str); 7] = [
    ("yaml", "YAML"),
    ("yml", "YAML"),
    ("json", "JSON"),
    ("toml", "TOML"),
    ("ini", "an INI file"),
    ("py", "Python"),
    ("ipynb", "a notebook"),
];

/// What another format a text is in, by the ending of its name, or by its first line that is no comment.
fn other_format(ending: &str, text: &str) -> Option<&'static str> {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with('#') && !line.starts_with("#!");
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !is_comment(line))?;
    // A text in parentheses is RON, whatever it is called; so is one with a name before them.
    if first.starts_with(|c: char| c == '(' || c.is_alphabetic()) && first.split(['=', ':']).next()?.contains('(') {
        return None;
    }
    let known = OTHERS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format);
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    let is_key = |sign: char| first.split_once(sign).is_some_and(|(key, _)| is_word(key.trim()));
    known.or(match first {
        "---" => Some("YAML"),
        _ if first.starts_with('{') => Some("JSON"),
        _ if first.starts_with("import ") || first.starts_with("from ") => Some("Python"),
        _ if first.starts_with('[') || is_key('=') => Some("TOML"),
        _ if is_key(':') => Some("YAML"),
        _ => None,
    })
}

/// A scenario is a page or two; what is longer is something else.
const MAX_BYTES: u64 = 4 << 20;

pub(crate) fn from_file(path: &Path) -> Result<Text, Error> {
    let help = "`fedbits new NAME` writes one to start from";
    let text = of_kind(path, &format!("expected the text of a scenario; {help}"))?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    match other_format(&ending, &text.source.text) {
        None => Ok(text),
        Some(format) => {
            let (shown, example) = (path.display(), "`(name: \"mine\", base: \"quickstart\", stop: (rounds: 20))`");
            Err(Error::Input(format!("{shown} looks like {format}: scenarios are in RON, as in {example}; {help}")))
        }
    }
}

/// The text of a file; `expected` says of what.
pub(crate) fn of_kind(path: &Path, expected: &str) -> Result<Text, Error> {
    let about = files::about(path).map_err(|error| Error::file(path, error))?;
    let too_large =
        || Error::Input(format!("{} is larger than 4 MiB: expected the text of a scenario", path.display()));
    if about.as_ref().is_some_and(|about| about.is_file() && about.len() > MAX_BYTES) {
        return Err(too_large());
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if DATA.contains(&ending.as_str()) && about.is_some_and(|about| about.is_file()) {
        let shown = path.display();
        let help = format!("`fedbits new NAME --data {shown}` writes one for a table");
        return Err(Error::Input(format!("{shown} looks like data: expected a scenario; {help}")));
    }
    let mut text = String::new();
    let read =
        packed::text(path, MemoryLimit::default()).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    let read = read.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::Input(absent("file", path)),
        std::io::ErrorKind::IsADirectory => Error::Input(format!("{} is a folder, not a scenario", path.display())),
        std::io::ErrorKind::InvalidData => Error::Input(format!("{}: {error}", path.display())),
        _ => Error::file(path, error),
    })?;
    if read as u64 > MAX_BYTES {
        return Err(too_large());
    }
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with("//")) {
        return Err(Error::Input(format!("{} is empty: {expected}", path.display())));
    }
    let name = path.file_stem().map_or_else(|| "scenario".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    Ok(Text { name, source: Source::new(path.display().to_string(), text), folder: Some(folder) })
}

pub(crate) fn from_library(name: &str) -> Result<Text, Error> {
    let source = library::find(name).map_err(|error| {
        if Path::new(name).join(PLAN_FILE).is_file() {
            let help = format!("`fedbits new NAME --from {name}` writes the scenario of these runs");
            return Error::Input(format!("`{name}` is a folder of runs: expected a scenario; {help}"));
        }
        if Path::new(name).is_dir() {
            let expected = "expected the file of a scenario, or one of the library (`fedbits list`)";
            return Error::Input(format!("`{name}` is a folder: {expected}"));
        }
        let with_ending = format!("{name}.ron");
        // The library's own proposal is kept where it is a near one.
        let is_near = |near: &String| error.nearest.len() > 1 || *near == with_ending;
        let near = near_entry(Path::new(&with_ending)).filter(is_near);
        Error::Input(match near {
            Some(near) => format!("`{name}` is not a file, nor is it in the library: did you mean the file `{near}`?"),
            None => format!("`{name}` is not a file, and {error}"),
        })
    })?;
    Ok(Text { name: name.to_owned(), source, folder: None })
}

/// That there is no such file or folder, and which one beside it has the nearest name, if one is near.
pub(crate) fn absent(what: &str, path: &Path) -> String {
    let help = near_entry(path).map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
    format!("there is no {what} {}{help}", path.display())
}

/// A template with values in place of `{{name}}`; `{{version}}` is that of this program where no value has that name.
pub(crate) fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (name, rest) in parts.filter_map(|part| part.split_once("}}")) {
        let value = values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        text += value.unwrap_or(env!("CARGO_PKG_VERSION"));
        text += rest;
    }
    text
}
