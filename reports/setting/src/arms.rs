//! The arms that a figure shows.

use fedbits_spec::Described;
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

/// An arm, or several as one.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, remote = "Self")]
#[described(short)]
pub enum ShownArm {
    /// This arm.
    Arm(String),
    /// The arm under another label.
    Labelled {
        /// Name of the arm.
        arm: String,
        /// Label; not empty.
        label: String,
    },
    /// Several arms as one line with one band; not in figures that compare single arms.
    Group {
        /// Label; not empty.
        label: String,
        /// Names; a final `*` matches any text.
        arms: Vec<String>,
    },
}

impl Short for ShownArm {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"FedEM\"", "Arm(\"FedEM\")")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        Ok(Self::Arm(text.to_owned()))
    }
}

impl ShownArm {
    /// What it is called in the figure.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Arm(label) | Self::Labelled { label, .. } | Self::Group { label, .. } => label,
        }
    }

    /// The names of its arms, as they are written.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Arm(name) | Self::Labelled { arm: name, .. } => vec![name],
            Self::Group { arms, .. } => arms.iter().map(String::as_str).collect(),
        }
    }

    /// Is the arm of that name one of them?
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.names().into_iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) if matches!(self, Self::Group { .. }) => name.starts_with(start),
            _ => pattern == name,
        })
    }
}
