//! Declared figures as a text of their own: `report --set` edits them.

use fedbits_figures::Figure;
use fedbits_spec::{Findings, input};
use fedbits_text::{Diagnostics, Document, Origin, Patched, Problem, Source, Tree};
use serde::{Deserialize, Deserializer, Serialize};

use crate::checks;
use crate::settings::Set;

/// The text.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    #[serde(default)]
    figures: Vec<Figure>,
}

impl Document for Declared {
    const NAME: &'static str = "list of figures";
    const PATH: &'static str = "figures[0].kind.x";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        input::read(deserializer)
    }
}

/// The figures after these edits, checked: `arms` are the names of the arms that they may show, `axes` those of the
/// study's axes.
///
/// # Errors
/// All that is wrong with the edits.
pub fn with_sets(
    figures: Vec<Figure>,
    arms: Vec<&str>,
    axes: Vec<&str>,
    sets: &[Set],
) -> Result<Vec<Figure>, Diagnostics> {
    let text = fedbits_text::write(&Declared { figures });
    let mut sources = vec![Source::new("the figures of the record", text)];
    let mut patched = Patched::new(0, &sources[0].text);
    let mut problems = Vec::new();
    for set in sets {
        let (source, edit) = set.edit(sources.len());
        sources.push(source);
        problems.extend(edit.apply::<Declared>(&mut patched).err());
    }
    let reading = patched.read::<Declared>();
    problems.extend(reading.problems);
    let Some(Declared { figures }) = reading.value.filter(|_| problems.is_empty()) else {
        return Err(Diagnostics::new(problems, sources));
    };
    let mut findings = Findings::default();
    checks::declared(&figures, arms, axes, &mut findings);
    let tree = Tree::scan(patched.text());
    for finding in findings.into_vec() {
        let Origin { source, span } = patched.origin(tree.span(&finding.path));
        let (origin, help) = (Origin { source, span }, None);
        problems.push(Problem { origin, message: finding.message, expected: finding.expected, help });
    }
    if problems.is_empty() { Ok(figures) } else { Err(Diagnostics::new(problems, sources)) }
}
