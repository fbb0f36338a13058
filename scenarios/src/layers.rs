//! Scenarios that include others: `base: "quickstart"` or `base: "mine.ron"`. What a scenario says is laid over its
//! base as edits of the base's text, so that a problem is shown in the file in which the value stands. This file must
//! not know what the fields mean, but for those that only describe.

use std::collections::BTreeSet;

use fedbits_text::{Edit, Element, Origin, Patched, Tree};

use crate::bases::Bases;
use crate::loader::{Loader, leave_out_figures};
use crate::schema::Scenario;

/// A base of a base of …: more than this many are a mistake.
const MAX_LAYERS: usize = 8;
/// Each takes a look at the whole text: more are none of a scenario.
const MAX_FIELDS: usize = 1_000;

/// A text that is laid over its base, or the lowest base.
struct Layer {
    /// Its number among the sources.
    source: usize,
    /// Its folder, from that of the upper text; empty where it is the same.
    folder: String,
}

/// A text with its bases under it.
pub(crate) struct Composed {
    pub(crate) text: Patched,
    layers: Vec<Layer>,
    /// The folder of the upper text.
    start: String,
}

impl Composed {
    /// Paths of data beside a base in another folder become paths from the folder of the upper text. Which texts are
    /// paths, only a whole scenario tells: `text` is this one with what it still lacked.
    pub(crate) fn rebase(&self, text: &mut Patched, bases: &dyn Bases) {
        let elsewhere: Vec<&Layer> = self.layers.iter().filter(|layer| !layer.folder.is_empty()).collect();
        if elsewhere.is_empty() {
            return;
        }
        let Some(scenario) = text.read::<Scenario>().value else { return };
        let files: BTreeSet<&str> = scenario.files().into_iter().collect();
        for (layer, file) in elsewhere.into_iter().flat_map(|layer| files.iter().map(move |file| (layer, file))) {
            let moved = joined(&layer.folder, file);
            let is_there = moved != **file && bases.has_file(&joined(&self.start, &moved));
            let mut places = if is_there { Tree::scan(text.text()).find_texts(file) } else { Vec::new() };
            places.retain(|place| text.origin(place.clone()).source == layer.source);
            // From the end, so that those before stay where they are.
            places.iter().rev().for_each(|place| text.rewrite(place.clone(), &format!("{moved:?}")));
        }
    }
}

impl Loader {
    /// The text of source `number` with its bases under it; `name` is what it is called where `bases` look. `None` when
    /// a base cannot be had or read: that is noted.
    pub(crate) fn compose(&mut self, number: usize, name: &str, bases: &dyn Bases) -> Option<Composed> {
        let start = folder_of(name);
        let mut layers = vec![Layer { source: number, folder: String::new() }];
        let mut names = vec![name.to_owned()];
        while let Some((base, origin)) = self.base_of(&layers[layers.len() - 1]) {
            let expected = "expected a scenario of the library, or a file beside this one (its name ends with .ron)";
            let from = &layers[layers.len() - 1].folder;
            let is_file = base.ends_with(".ron");
            let within = if is_file { joined(from, &base) } else { base.clone() };
            let found = if is_file { joined(&start, &within) } else { base.clone() };
            let found_text = match names.iter().position(|name| *name == found) {
                Some(_) => Err(format!("`{base}` includes itself: {} → {found}", names.join(" → "))),
                None if layers.len() > MAX_LAYERS => Err(format!("more than {MAX_LAYERS} bases, one on the other")),
                None => bases.text(&found),
            };
            match found_text {
                Ok(source) => layers.push(Layer { source: self.add_base(source), folder: folder_of(&within) }),
                Err(why) => {
                    self.add(origin, why, expected.to_owned(), None);
                    return None;
                }
            }
            names.push(found);
        }
        let (lowest, over) = layers.split_last()?;
        let mut text = Patched::new(lowest.source, &self.sources[lowest.source].text);
        for layer in over.iter().rev() {
            self.lay(&mut text, layer)?;
        }
        Some(Composed { text, layers, start })
    }

    /// What a text names as its base, and where.
    fn base_of(&self, layer: &Layer) -> Option<(String, Origin)> {
        let tree = Tree::scan(self.sources[layer.source].text.as_str());
        let base = tree.root().field("base")?;
        Some((base.string()?, Origin { source: layer.source, span: base.span() }))
    }

    /// Lays a text over its base.
    fn lay(&mut self, under: &mut Patched, layer: &Layer) -> Option<()> {
        let over = Patched::new(layer.source, &self.sources[layer.source].text);
        let tree = Tree::scan(self.sources[layer.source].text.as_str());
        if tree.flaw().is_some() {
            // The reader says what is wrong.
            self.read::<Scenario>(&over);
            return None;
        }
        if tree.root().field("name").is_none() {
            let message = "the field `name` is missing".to_owned();
            let expected = "expected `name: …`: results of this scenario are not those of its base".to_owned();
            self.add(over.origin(tree.span("")), message, expected, None);
        }
        // What the base says of itself is not said of this one.
        let base = Tree::scan(under.text());
        if let (Some(about), None) = (base.root().field("about"), tree.root().field("about")) {
            under.rewrite(about.span(), "\"\"");
        }
        if ["arms", "axes", "exclude"].iter().any(|field| tree.root().field(field).is_some()) {
            leave_out_figures(under);
        }
        let base = Tree::scan(under.text());
        let mut edits = Vec::new();
        self.merge("", (&over, tree.root()), base.root(), &mut edits);
        edits.retain(|edit| edit.path != "base");
        if edits.len() > MAX_FIELDS {
            let message = format!("{} fields are more than a scenario has", edits.len());
            self.add(edits[0].path_origin.clone(), message, format!("expected at most {MAX_FIELDS}"), None);
            return None;
        }
        edits.iter().for_each(|edit| _ = self.edit(edit, under));
        Some(())
    }

    /// The edits that make `under` what `over` says: fields of a value of the same name are laid over its fields, all
    /// else replaces what is there.
    fn merge(&mut self, path: &str, (text, over): (&Patched, Element<'_>), under: Element<'_>, edits: &mut Vec<Edit>) {
        let fields = over.fields();
        let mut seen = BTreeSet::new();
        for (name, value) in fields {
            let field = over.text()[name.clone()].to_owned();
            let path = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            if !seen.insert(field.clone()) {
                let expected = "expected every field once".to_owned();
                self.add(text.origin(name), format!("the field `{field}` is given twice"), expected, None);
                continue;
            }
            match under.field(&field) {
                Some(below) if value.name() == below.name() && value.has_no_content() && value.name().is_some() => {}
                Some(below)
                    if value.name() == below.name() && !value.fields().is_empty() && !below.fields().is_empty() =>
                {
                    self.merge(&path, (text, value), below, edits);
                }
                _ => edits.push(Edit {
                    path,
                    value: over.text()[value.span()].to_owned(),
                    path_origin: text.origin(name),
                    value_origin: text.origin(value.span()),
                }),
            }
        }
    }
}

/// The folder of a path, without the last slash; empty for a name alone.
fn folder_of(path: &str) -> String {
    if !path.ends_with(".ron") {
        return String::new();
    }
    path.rsplit_once('/')
        .map_or_else(String::new, |(folder, _)| if folder.is_empty() { "/" } else { folder }.to_owned())
}

/// A path from a folder, with `.` and `..` resolved as far as they can be.
fn joined(folder: &str, path: &str) -> String {
    let whole = if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    format!("{}{}", if whole.starts_with('/') { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined() {
        let cases = [
            ("", "a.ron", "a.ron"),
            ("sub", "a.ron", "sub/a.ron"),
            ("sub", "../a.ron", "a.ron"),
            ("sub", "../../b/./a.ron", "../b/a.ron"),
            ("../x", "../a.ron", "../a.ron"),
            ("/x", "../a.ron", "/a.ron"),
            ("sub", "/y/a.ron", "/y/a.ron"),
        ];
        for (folder, path, whole) in cases {
            assert_eq!(joined(folder, path), whole, "{folder} {path}");
        }
        assert_eq!(["a.ron", "x/a.ron", "/a.ron", "papers/x"].map(folder_of), ["", "x", "/", ""]);
    }
}
