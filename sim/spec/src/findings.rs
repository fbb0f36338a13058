//! What a check finds, each at a path.

use std::fmt::Display;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Severity {
    /// The scenario cannot run.
    Error,
    /// A setting changes nothing: an error, unless another arm uses it.
    NoEffect,
    /// It runs; results are to be read with care.
    Caveat,
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

/// The findings so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, severity: Severity, path: impl Display, message: impl Into<String>, expected: impl Into<String>) {
        self.0.push(Finding { severity, ..Finding::error(path, message, expected) });
    }

    /// The scenario cannot run.
    pub fn error(&mut self, path: impl Display, message: impl Into<String>, expected: impl Into<String>) {
        self.0.push(Finding::error(path, message, expected));
    }

    /// The setting changes nothing; `why` says what makes it void.
    pub fn no_effect(&mut self, path: impl Display, why: &str) {
        self.add(Severity::NoEffect, &path, format!("`{path}` has no effect"), why);
    }

    /// The scenario runs; its results are to be read with care.
    pub fn caveat(&mut self, path: impl Display, message: impl Into<String>) {
        self.add(Severity::Caveat, path, message, "");
    }

    /// What was found so far, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Everything that was found, in order.
    #[must_use]
    pub fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}
