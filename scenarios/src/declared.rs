//! Parts of scenarios as texts of their own: declared figures, which `report --set` edits, and compressors.

use fedbits_codec::CompressorSetting;
use fedbits_figures::Figure;
use fedbits_spec::{Choice, Described, Facts, Path};
use fedbits_text::{Diagnostics, Patched, Source};

use crate::settings::Set;
use crate::{checks, document, words};

document::part!(DeclaredFigures, "list of figures", "figures[0].kind.x", figures: Vec<Figure>, document::none);
document::part!(
    DeclaredCompressor,
    "compressor",
    "compressor.k",
    compressor: Choice<dyn CompressorSetting>,
    words::value_help
);

/// The compressor that a text in RON means, checked for vectors of this length.
pub fn compressor(text: &str, length: usize) -> Result<Choice<dyn CompressorSetting>, Diagnostics> {
    let source = Source::new("the compressor", format!("(compressor: {text})"));
    let facts = Facts::default().with_vector(Some(length));
    let read =
        document::checked(&Patched::new(0, &source.text), Vec::new(), |declared: &DeclaredCompressor, findings| {
            declared.compressor.check(&Path::Root.field("compressor"), &facts, findings);
        });
    read.map(|declared| declared.compressor).map_err(|problems| Diagnostics::new(problems, vec![source]))
}

/// The figures after these edits, checked: `arms` and `axes` are the names of the arms and axes that they may show.
pub fn with_sets(
    figures: Vec<Figure>,
    arms: Vec<&str>,
    axes: Vec<&str>,
    sets: &[Set],
) -> Result<Vec<Figure>, Diagnostics> {
    let text = fedbits_text::write(&DeclaredFigures { figures });
    let mut sources = vec![Source::new("the figures of the record", text)];
    let mut patched = Patched::new(0, &sources[0].text);
    let mut problems = Vec::new();
    for set in sets {
        let (source, edit) = set.edit(sources.len());
        sources.push(source);
        problems.extend(edit.apply::<DeclaredFigures>(&mut patched).err());
    }
    let read = document::checked(&patched, problems, |declared: &DeclaredFigures, findings| {
        checks::declared(&declared.figures, arms, axes, findings);
    });
    read.map(|declared| declared.figures).map_err(|problems| Diagnostics::new(problems, sources))
}
