//! Parts of scenarios as texts of their own: declared figures, which `report --set` edits, and what arms lack of what
//! these show; compressors.

use fedbits_codec::CompressorSetting;
use fedbits_figures::Figure;
use fedbits_spec::{Choice, Described, Facts, Findings, Path, input};
use fedbits_text::{Diagnostics, Document, Origin, Patched, Problem, Reading, Source, Tree};
use serde::{Deserialize, Deserializer, Serialize};

use crate::checks;
use crate::settings::Set;
use crate::words;

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

/// The text of a compressor.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct OfCompressor {
    compressor: Choice<dyn CompressorSetting>,
}

impl Document for OfCompressor {
    const NAME: &'static str = "compressor";
    const PATH: &'static str = "compressor.k";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        input::read(deserializer)
    }

    fn value_help(written: &str, names: &[&str]) -> Option<String> {
        words::value_help(written, names)
    }
}

/// The compressor that a text in RON means, checked for vectors of this length.
///
/// # Errors
/// All that is wrong with the text.
pub fn compressor(text: &str, length: usize) -> Result<Choice<dyn CompressorSetting>, Diagnostics> {
    let source = Source::new("the compressor", format!("(compressor: {text})"));
    let patched = Patched::new(0, &source.text);
    let Reading { value, mut problems } = patched.read::<OfCompressor>();
    let Some(OfCompressor { compressor }) = value.filter(|_| problems.is_empty()) else {
        return Err(Diagnostics::new(problems, vec![source]));
    };
    let mut findings = Findings::default();
    compressor.check(&Path::Root.field("compressor"), &Facts::default().with_vector(Some(length)), &mut findings);
    let tree = Tree::scan(patched.text());
    for finding in findings.into_parts().0 {
        let origin = patched.origin(tree.span(&finding.path));
        problems.push(Problem { origin, message: finding.message, expected: finding.expected, help: None });
    }
    if problems.is_empty() { Ok(compressor) } else { Err(Diagnostics::new(problems, vec![source])) }
}

/// The figures after these edits, checked: `arms` and `axes` are the names of the arms and axes that they may show.
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
    for finding in findings.into_parts().0 {
        let Origin { source, span } = patched.origin(tree.span(&finding.path));
        let (origin, help) = (Origin { source, span }, None);
        problems.push(Problem { origin, message: finding.message, expected: finding.expected, help });
    }
    if problems.is_empty() { Ok(figures) } else { Err(Diagnostics::new(problems, sources)) }
}
