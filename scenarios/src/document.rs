//! Scenarios, and parts of them, as texts; what their rules find in a text at its positions.

use fedbits_spec::{Finding, Findings};
use fedbits_text::{Document, Patched, Place, Problem, Tree, nearest};

use crate::schema::Scenario;
use crate::words;

impl Document for Scenario {
    const NAME: &'static str = "scenario";
    const PATH: &'static str = "protocol.compressor.k";

    fn value_help(written: &str, names: &[&str]) -> Option<String> {
        words::value_help(written, names)
    }

    /// A slip of a field that is here is more likely than one that is elsewhere, but for the fields of the whole: there
    /// people write what belongs into one of them.
    fn places(field: &str, known: &[&str]) -> Vec<Place> {
        let is_slip = nearest(field, known.iter().copied()).is_some() && !known.contains(&"protocol");
        if is_slip { Vec::new() } else { words::places(field) }
    }
}

/// A text of one field of a scenario: its type, what it is called, an example of a path into it, the field.
macro_rules! part {
    ($type:ident, $name:literal, $path:literal, $field:ident: $content:ty, $help:expr) => {
        #[derive(serde::Deserialize, serde::Serialize)]
        #[serde(deny_unknown_fields)]
        struct $type {
            $field: $content,
        }

        impl fedbits_text::Document for $type {
            const NAME: &'static str = $name;
            const PATH: &'static str = $path;

            fn value_help(written: &str, names: &[&str]) -> Option<String> {
                $help(written, names)
            }
        }
    };
}

pub(crate) use part;

/// No help.
pub(crate) fn none(_written: &str, _names: &[&str]) -> Option<String> {
    None
}

/// The value of a text, if neither the reader nor these rules find anything wrong; else all that is, with the problems
/// that were known before.
pub(crate) fn checked<T: Document>(
    text: &Patched,
    mut problems: Vec<Problem>,
    rules: impl FnOnce(&T, &mut Findings),
) -> Result<T, Vec<Problem>> {
    let reading = text.read::<T>();
    problems.extend(reading.problems);
    let Some(value) = reading.value.filter(|_| problems.is_empty()) else { return Err(problems) };
    let mut findings = Findings::default();
    rules(&value, &mut findings);
    problems.extend(located(text, &findings.into_parts().0));
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}

/// Findings as problems, each where the value at its path was written.
pub(crate) fn located(text: &Patched, findings: &[Finding]) -> Vec<Problem> {
    let tree = Tree::scan(text.text());
    let problem = |Finding { path, message, expected, .. }: &Finding| Problem {
        origin: text.origin(tree.span(path)),
        message: message.clone(),
        expected: expected.clone(),
        help: None,
    };
    findings.iter().map(problem).collect()
}
