//! Where data files are looked for, and what is said when they are missing.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use fedbits_models::data::packed::MemoryLimit;
use fedbits_spec::files;
use fedbits_text::nearest;
use glob::Pattern;
use thiserror::Error;

use crate::known_files::{self, Known};

/// The folders in which data files are looked for, in this order; those that are `None` are passed over.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DataFolders {
    /// The folder of the scenario file; a scenario of the library has none.
    pub scenario: Option<PathBuf>,
    /// `--data DIR`.
    pub option: Option<PathBuf>,
    /// The environment variable `FEDBITS_DATA`.
    pub variable: Option<PathBuf>,
    /// Where `fedbits data fetch` puts files.
    pub cache: Option<PathBuf>,
    /// Whether absolute paths, and paths that leave the folder by `..`, are looked for in these folders, too: nothing
    /// outside of them is read.
    pub alone: bool,
    /// Memory that what is read from one of the files may take.
    pub limit: MemoryLimit,
}

/// A data file that is in none of the folders.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub struct MissingDataFile {
    /// The path as the scenario gives it.
    pub path: String,
    /// Every path that was tried.
    pub tried: Vec<PathBuf>,
    /// What is known of the data set, when it is one of the library's.
    pub known: Option<Known>,
    /// Whether no other folder may have it ([`DataFolders::alone`]).
    pub alone: bool,
}

impl DataFolders {
    /// The file that a scenario calls `path`: itself when absolute, else in the first folder that has it.
    ///
    /// # Errors
    /// When no folder has it; with every path tried, and where to get it when it is a known public file.
    pub fn find(&self, path: &str) -> Result<PathBuf, MissingDataFile> {
        let tried = self.candidates(path);
        // What cannot be asked for is said by who opens it.
        match tried.iter().find(|candidate| files::is_file(candidate).unwrap_or(true)) {
            Some(found) => Ok(found.clone()),
            None => Err(self.missing(path, known_files::of(Path::new(path)), tried)),
        }
    }

    /// The files that a scenario calls `path`, sorted by name: of a name with `*` or `?` all that fit, in the first
    /// folder that has one; else the one of that name.
    pub fn find_all(&self, path: &str) -> Result<Vec<PathBuf>, MissingDataFile> {
        if !path.contains(['*', '?']) {
            return Ok(vec![self.find(path)?]);
        }
        let tried = self.candidates(path);
        match tried.iter().map(|pattern| fitting(pattern)).find(|files| !files.is_empty()) {
            Some(found) => Ok(found),
            None => Err(self.missing(path, None, tried)),
        }
    }

    fn missing(&self, path: &str, known: Option<Known>, tried: Vec<PathBuf>) -> MissingDataFile {
        MissingDataFile { path: path.to_owned(), tried, known, alone: self.alone }
    }

    /// Where the file may be, in the order in which it is looked for.
    fn candidates(&self, path: &str) -> Vec<PathBuf> {
        let given = Path::new(path);
        if given.is_absolute() && !self.alone {
            return vec![given.to_owned()];
        }
        let folders = [&self.scenario, &self.option, &self.variable, &self.cache].into_iter().flatten();
        let ends = if self.alone { ends(given) } else { vec![given.to_owned()] };
        folders.flat_map(|folder| ends.iter().map(|end| folder.join(end))).collect()
    }
}

/// A path inside of a folder as it is; of one that leads out of it what follows each of its folders, the longest first.
fn ends(path: &Path) -> Vec<PathBuf> {
    let is_inside = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.components().all(|part| is_inside(&part)) {
        return vec![path.to_owned()];
    }
    let parts: Vec<Component<'_>> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    (0..parts.len()).map(|first| parts[first..].iter().collect()).collect()
}

/// Whether there is such a file, or one that fits such a pattern.
#[must_use]
pub fn is_there(path: &Path) -> bool {
    files::is_file(path).unwrap_or(true) || path.to_string_lossy().contains(['*', '?']) && !fitting(path).is_empty()
}

/// The files of a folder whose names fit the last part of a path, sorted: `*` stands for any text, `?` for a character.
#[must_use]
pub fn fitting(pattern: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (pattern.parent(), pattern.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let Some(pattern) = name_pattern(name) else { return Vec::new() };
    let fits = |path: &PathBuf| {
        let found = path.file_name().and_then(|found| found.to_str());
        found.is_some_and(|found| pattern.matches(found)) && path.is_file()
    };
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(here).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| folder.join(entry.file_name())).filter(fits).collect();
    files.sort();
    files
}

/// A name in which `*` and `?` stand for others, and brackets for themselves.
fn name_pattern(name: &str) -> Option<Pattern> {
    let mut pattern = name.replace('[', "[[]");
    // Two stars in a row are none of a name.
    while pattern.contains("**") {
        pattern = pattern.replace("**", "*");
    }
    Pattern::new(&pattern).ok()
}

/// What stands at a path instead of a file.
fn instead(path: &Path) -> Option<&'static str> {
    path.metadata().ok().map(|there| if there.is_dir() { "is a folder" } else { "is not a regular file" })
}

/// The entry beside a path, with the same ending, whose name is nearest to it, if one is near. Without an ending: of
/// those without a dot.
#[must_use]
pub fn near_entry(path: &Path) -> Option<String> {
    let ending = path.extension().map_or_else(String::new, |ending| format!(".{}", ending.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let stems = names.iter().filter_map(|name| name.strip_suffix(&ending)).filter(|stem| !stem.contains('.'));
    let near = format!("{}{ending}", nearest(path.file_name()?.to_str()?.split('.').next()?, stems)?);
    Some(folder.map_or_else(|| PathBuf::from(&near), |folder| folder.join(&near)).display().to_string())
}

impl MissingDataFile {
    /// That it is missing.
    pub(crate) fn message(&self) -> String {
        let instead = self.tried.iter().find_map(|path| instead(path));
        format!("the data file `{}` {}", self.path, instead.unwrap_or("was not found"))
    }

    /// Where it was looked for, where to get it, what to do; a line for each.
    pub(crate) fn help(&self) -> String {
        let instead = |path: &Path| instead(path).map_or_else(String::new, |what| format!(", which {what}"));
        let looked_for = |path: &PathBuf| format!("looked for {}{}", path.display(), instead(path));
        let near = self.tried.iter().find_map(|path| near_entry(path)).map(|near| format!("did you mean {near}?"));
        let mut lines: Vec<String> = near.into_iter().chain(self.tried.iter().map(looked_for)).collect();
        if lines.is_empty() {
            lines.push("there was no folder to look in".to_owned());
        }
        if let Some(Known { set, file }) = self.known {
            lines.push(format!("it belongs to the data set: {}", set.title));
            lines.push(format!("get it from {}", set.address));
            if file.url.is_some() {
                lines.push(format!("or by: fedbits data fetch {}", set.name));
            }
            lines.push(format!("SHA-256 of {}: {}", file.file, file.sha256));
            if !file.remark.is_empty() {
                lines.push(format!("({})", file.remark));
            }
        }
        let remedy = match self.alone {
            true => "no other folder is searched: put it into the folder that --data names, or name another one",
            false => "put it beside the scenario, or say where it is by --data DIR or the variable FEDBITS_DATA",
        };
        lines.push(remedy.to_owned());
        lines.join("\n")
    }
}

impl fmt::Display for MissingDataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}", self.message(), self.help().replace('\n', "\n  "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alone, a folder is searched for paths that lead elsewhere, too, and nothing else is.
    #[test]
    fn nothing_outside_of_a_folder_that_counts_alone_is_tried() {
        let folders = DataFolders { option: Some("d".into()), alone: true, ..DataFolders::default() };
        let tried = |path: &str| folders.find(path).unwrap_err().tried;
        assert_eq!(tried("a/x.csv"), [Path::new("d/a/x.csv")]);
        assert_eq!(tried("/no/a/x.csv"), ["d/no/a/x.csv", "d/a/x.csv", "d/x.csv"].map(PathBuf::from));
        assert_eq!(tried("../a/x.csv"), ["d/a/x.csv", "d/x.csv"].map(PathBuf::from));
        assert!(folders.find("x.csv").unwrap_err().help().contains("no other folder is searched"));
    }

    #[test]
    fn patterns_fit_names() {
        let fits = |pattern: &str, name: &str| name_pattern(pattern).unwrap().matches(name);
        let cases = [
            ("a-*.csv", "a-1.csv"),
            ("*", ""),
            ("*b*b", "abab"),
            ("?.csv", "x.csv"),
            ("a*", "a"),
            ("**x", "x"),
            ("[a]?", "[a]b"),
        ];
        for (pattern, name) in cases {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("a-*.csv", "a-1.csv.gz"), ("?", ""), ("*b", "ba"), ("a?c", "ac"), ("", "a"), ("[a]", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
