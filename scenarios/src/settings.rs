//! `--set path=value`: an edit of a scenario's text.

use std::str::FromStr;

use fedbits_text::{Edit, Origin, Source, Tree};
use thiserror::Error;

/// One `--set path=value`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Set {
    /// Which field, for example `protocol.compressor.k`.
    pub path: String,
    /// Its value, in RON.
    pub value: String,
}

/// A `--set` without `=`.
#[derive(Clone, Debug, Error, Eq, PartialEq)]
#[error("`{0}` is not of the form path=value, for example protocol.gamma=Constant(0.01)")]
pub struct NotASetting(String);

impl FromStr for Set {
    type Err = NotASetting;

    fn from_str(text: &str) -> Result<Self, NotASetting> {
        let (path, value) = text.split_once('=').ok_or_else(|| NotASetting(text.to_owned()))?;
        Ok(Set { path: path.trim().to_owned(), value: value.trim().to_owned() })
    }
}

impl Set {
    /// What it is called in messages.
    pub(crate) fn source_name(&self) -> String {
        format!("--set {}={}", self.path, self.value)
    }

    /// The same with its value as text; none when it has quotes or parentheses, as values that are no texts have.
    pub(crate) fn quoted(&self) -> Option<Self> {
        let is_plain = !self.value.is_empty() && !self.value.contains(['"', '\'', '(', '[', '{']);
        is_plain.then(|| Set { path: self.path.clone(), value: format!("{:?}", self.value) })
    }

    /// Is its value one of RON, or are there several? Anything else can only be meant as text.
    pub(crate) fn is_ron(&self) -> bool {
        self.value.contains(',') || Tree::scan(self.value.as_str()).flaw().is_none()
    }

    /// The setting as a source of its own, which is the one of this index, and the edit that it makes.
    pub(crate) fn edit(&self, source: usize) -> (Source, Edit) {
        let Set { path, value } = self.clone();
        let text = format!("{path}={value}");
        let path_origin = Origin { source, span: 0..path.len() };
        let value_origin = Origin { source, span: path.len() + 1..text.len() };
        (Source::new(self.source_name(), text), Edit { path, value, path_origin, value_origin })
    }
}
