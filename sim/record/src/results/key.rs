//! What a result is a result of, as a hash: the same key, the same result.

use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use super::StoreError;
use crate::Cut;

/// Hash of all that the results of an arm depend on beside seed and replicate.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ArmIdentity([u8; 32]);

/// Hash of all that one result depends on: the name under which the store keeps it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Key(pub(super) [u8; 32]);

/// As far as the keys of all runs are alike: there can be a million.
static KEY_OF_RUN: LazyLock<blake3::Hasher> =
    LazyLock::new(|| blake3::Hasher::new_derive_key("fedbits study: key of a run"));

impl ArmIdentity {
    /// `scenario` is the resolved scenario without what only names it and without seed and replicate; `data` are
    /// digests of the data files that it reads.
    #[must_use]
    pub fn of(engine_version: &str, scenario: &str, data: &[String]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("fedbits study: identity of an arm");
        let parts = [engine_version, scenario].into_iter().chain(data.iter().map(String::as_str));
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Reads it as it is shown.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// The key of one run.
    #[must_use]
    pub fn key(&self, seed: u64, replicate: u64) -> Key {
        let mut hasher = KEY_OF_RUN.clone();
        hasher.update(&self.0).update(&seed.to_le_bytes()).update(&replicate.to_le_bytes());
        Key(*hasher.finalize().as_bytes())
    }
}

impl Key {
    /// The key of the run when a search ends it there.
    #[must_use]
    pub fn with_cut(&self, cut: &Cut) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("fedbits study: key of a run that a search ended");
        hasher.update(&self.0).update(cut.of.unit().as_bytes()).update(&cut.above.to_le_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// Its first eight bytes, in the order of keys.
    pub(super) fn prefix(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ArmIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// BLAKE3 of a file's bytes, in hexadecimal.
pub fn file_digest(path: &Path) -> Result<String, StoreError> {
    let mut hasher = blake3::Hasher::new();
    let hashed = fedbits_spec::files::reader(path).and_then(|file| hasher.update_reader(file).map(drop));
    hashed.map_err(|error| StoreError::io(path, error))?;
    Ok(hasher.finalize().to_hex().to_string())
}
