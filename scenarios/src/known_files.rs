//! The public data sets that scenarios of the library use.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// A public data set.
#[derive(Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct KnownSet {
    /// What `fedbits data fetch` calls it.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its licence, as far as known.
    pub licence: &'static str,
    /// Where it is published.
    pub address: &'static str,
    /// The folder in which scenarios look for its files.
    pub folder: &'static str,
    /// Its files.
    pub files: Vec<KnownFile>,
}

/// A file of a public data set.
#[derive(Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct KnownFile {
    /// Its file name.
    pub file: &'static str,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: &'static str,
    /// Where exactly these bytes can be had; none where the published file has another form.
    #[serde(borrow, default)]
    pub url: Option<&'static str>,
    /// What else one should know to get the right file.
    #[serde(default)]
    pub remark: &'static str,
}

/// A file and its set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Known {
    /// The set.
    pub set: &'static KnownSet,
    /// The file.
    pub file: &'static KnownFile,
}

/// What is known of a file of this name, packed or not.
pub(crate) fn of(path: &Path) -> Option<Known> {
    let name = path.file_name()?.to_str()?;
    let plain = |file: &str| file.trim_end_matches(".gz") == name.trim_end_matches(".gz");
    KNOWN_SETS.iter().find_map(|set| {
        let file = set.files.iter().find(|known| plain(known.file))?;
        Some(Known { set, file })
    })
}

/// The data sets that are known by name.
pub static KNOWN_SETS: LazyLock<Vec<KnownSet>> =
    LazyLock::new(|| ron::from_str(include_str!("known_files.ron")).expect("a test reads the list of data sets"));
