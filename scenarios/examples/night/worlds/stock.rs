//! What worlds are made of.

use std::error::Error;
use std::path::Path;

use fedbits_codec::CompressorSetting;
use fedbits_kernel::AvailabilitySetting;
use fedbits_kernel::network::SharingSetting;
use fedbits_models::ModelSetting;
use fedbits_models::data::DataSource;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_scenarios::{Source, load};
use fedbits_spec::Kind;

use crate::small;
use crate::worlds::files;
use crate::worlds::grammar::Grammar;
use crate::worlds::make::{self, Maker};
use crate::worlds::value::{self, Value};

/// What worlds are made of: the parts that are registered, the golden scenarios and those of the library, the words of
/// the files.
///
/// # Errors
/// A file that cannot be read, a scenario that is not understood.
pub fn maker(data: &Path) -> Result<Maker, Box<dyn Error>> {
    fedbits_scenarios::register_parts();
    let grammar = Grammar::new();
    let mut examples = Vec::new();
    add_examples::<dyn CompressorSetting>(&mut examples);
    add_examples::<dyn SharingSetting>(&mut examples);
    add_examples::<dyn AvailabilitySetting>(&mut examples);
    add_examples::<dyn ModelSetting>(&mut examples);
    add_examples::<dyn DataSource>(&mut examples);
    add_examples::<dyn ProtocolSetting>(&mut examples);
    let items = grammar.items();
    let preparer = std::cell::RefCell::new(make::preparer(data, false));
    let words = files::words(data)?;
    let mut maker = Maker { grammar, items, words, examples, corpus: Vec::new(), preparer };
    let known = corpus(&maker)?;
    // Those of the library whose data are not here are left out.
    maker.corpus = known.into_iter().filter(|scenario| maker.judge(scenario).is_ok()).collect();
    Ok(maker)
}

/// The golden scenarios, those of `seeds` that hold what is seldom drawn, and those of the library in small versions.
fn corpus(maker: &Maker) -> Result<Vec<Value>, Box<dyn Error>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["../tests/scenarios", "examples/night/worlds/seeds"] {
        let entries = std::fs::read_dir(home.join(folder))?;
        paths.extend(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?);
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ron"));
    paths.sort();
    let mut texts = Vec::new();
    for path in &paths {
        let source = Source::new(path.display().to_string(), std::fs::read_to_string(path)?);
        // A study, which is no scenario, gives none.
        texts.extend(load(source, &[]).unwrap_or_default().into_iter().map(|arm| arm.text));
    }
    for (name, cut) in small::cuts() {
        texts.extend(small::arms(&name, &cut)?.into_iter().map(|arm| arm.text));
    }
    let read = |text: String| {
        let scenario = value::read(&maker.grammar, &text);
        scenario.map(make::bounded).ok_or_else(|| format!("this scenario is not understood:\n{text}").into())
    };
    texts.into_iter().map(read).collect()
}

fn add_examples<D: Kind + ?Sized>(examples: &mut Vec<(String, String)>) {
    for entry in D::registry().entries() {
        for part in (entry.examples)() {
            let text = part.text();
            let whole = if entry.unit || text.starts_with(entry.name) { text } else { format!("{}{text}", entry.name) };
            examples.push((D::NAME.to_owned(), whole));
        }
    }
}
