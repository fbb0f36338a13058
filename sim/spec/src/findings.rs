//! What a check finds, each at a path.

use std::fmt::Display;

use crate::caveat::Caveat;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Severity {
    /// The scenario cannot run.
    Error,
    /// A setting changes nothing: an error, unless another arm uses it.
    NoEffect,
}

/// One finding at the field of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Where.
    pub path: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What was expected there.
    pub expected: String,
}

impl Finding {
    /// The scenario cannot run.
    pub fn error(path: impl Display, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { path: path.to_string(), severity: Severity::Error, message: message.into(), expected: expected.into() }
    }
}

/// The findings so far, and the caveats.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    caveats: Vec<Caveat>,
}

impl Findings {
    /// The scenario cannot run.
    pub fn error(&mut self, path: impl Display, message: impl Into<String>, expected: impl Into<String>) {
        self.found.push(Finding::error(path, message, expected));
    }

    /// The setting changes nothing; `why` says what makes it void.
    pub fn no_effect(&mut self, path: impl Display, why: &str) {
        let found = Finding::error(&path, format!("`{path}` has no effect"), why);
        self.found.push(Finding { severity: Severity::NoEffect, ..found });
    }

    /// The scenario runs; its results are to be read with care.
    pub fn caveat(&mut self, caveat: Caveat) {
        self.caveats.push(caveat);
    }

    /// What was found so far, in order, without caveats.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.found.iter()
    }

    /// Everything that was found, and the caveats, each in order.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Finding>, Vec<Caveat>) {
        (self.found, self.caveats)
    }
}
