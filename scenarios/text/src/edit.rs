//! Edits of a text by path, found by the span tree. Which fields exist is not known here: a field that is not in the
//! text is put in, and the document's type judges it.

use crate::diagnostic::Problem;
use crate::document::Document;
use crate::names;
use crate::patched::{Origin, Patched, TextPiece};
use crate::path::{self, PathStep};
use crate::syntax;
use crate::tree::{Element, Node, NodeKind, Tree};

/// One edit: the value at a path is replaced, or put in where the text leaves it to its default.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// use fedbits_text::{Diagnostics, Document, Edit, Origin, Patched, Source};
///
/// #[derive(Deserialize, Serialize)]
/// struct Server {
///     ports: Vec<u32>,
/// }
/// # impl Document for Server {
/// #     const NAME: &'static str = "server";
/// #     const PATH: &'static str = "ports[0]";
/// # }
///
/// let sources = vec![Source::new("server.ron", "(ports: [80])"), Source::new("--set", "ports[0]=high")];
/// let mut text = Patched::new(0, &sources[0].text);
/// let origin = |span| Origin { source: 1, span };
/// let (path, value) = ("ports[0]".to_owned(), "high".to_owned());
/// Edit { path, value, path_origin: origin(0..8), value_origin: origin(9..13) }.apply::<Server>(&mut text).unwrap();
/// assert_eq!(text.text(), "(ports: [high])");
/// // The problem is shown where the value was written.
/// let diagnostics = Diagnostics::new(text.read::<Server>().problems, sources);
/// assert_eq!((diagnostics.problems()[0].source.as_str(), diagnostics.problems()[0].column), ("--set", 10));
/// ```
#[derive(Clone, Debug)]
pub struct Edit {
    /// Which value, for example `server.ports[0]`.
    pub path: String,
    /// The new value, in RON.
    pub value: String,
    /// Where the path is written.
    pub path_origin: Origin,
    /// Where the value is written.
    pub value_origin: Origin,
}

impl Edit {
    /// The edit whose path stands in `key` and whose value stands in `value`, both as string literals in `text`; `None`
    /// when they are none.
    #[must_use]
    pub fn quoted(text: &Patched, key: Element<'_>, value: Element<'_>) -> Option<Self> {
        Some(Edit {
            path: key.string()?,
            value: value.string()?,
            path_origin: text.origin(key.span()),
            value_origin: text.origin(value.content_span()),
        })
    }

    /// Makes the edit in the text of a `T`.
    ///
    /// # Errors
    /// What is wrong with the path or the value. Whether `T` can have such a value shows when the text is read.
    pub fn apply<T: Document>(&self, patched: &mut Patched) -> Result<(), Problem> {
        let steps = path::parse(&self.path).ok_or_else(|| {
            self.bad_path("this is not a path".to_owned(), format!("expected a path, as in `{}`", T::PATH))
        })?;
        self.check_value::<T>()?;
        let tree = Tree::scan(patched.text());
        let text = tree.text();
        let (node, taken) = tree.root.walk(text, &steps);
        if taken == steps.len() {
            patched.replace(node.span.clone(), vec![self.value_piece()]);
            return Ok(());
        }
        match (&steps[taken], &steps[taken + 1..]) {
            (PathStep::Field(_), []) => {
                self.insert::<T>(patched, text, node, &steps[..=taken], vec![self.value_piece()])
            }
            (PathStep::Field(_), _) => {
                let default = self.default_of::<T>(text, &steps[..=taken])?;
                self.insert::<T>(patched, text, node, &steps[..=taken], vec![self.glue(default)])?;
                // The parent now stands in the text with all its fields; what is still absent can only be inserted.
                self.apply::<T>(patched)
            }
            _ => Err(self.absent::<T>(&steps[..=taken], node)),
        }
    }

    fn value_piece(&self) -> TextPiece {
        TextPiece { text: self.value.clone(), origin: self.value_origin.clone() }
    }

    /// Text that stands for the path as a whole.
    fn glue(&self, text: String) -> TextPiece {
        TextPiece { text, origin: self.path_origin.clone() }
    }

    fn bad_path(&self, message: String, expected: String) -> Problem {
        Problem { origin: self.path_origin.clone(), message, expected, help: None }
    }

    /// The value must be exactly one RON value, so that it cannot reach beyond the value that it replaces.
    fn check_value<T: Document>(&self) -> Result<(), Problem> {
        let tree = Tree::scan(self.value.as_str());
        let is_plain = !self.value.is_empty() && !self.value.contains(['"', '\'', '(', '[', '{', '/', ',', ':']);
        let quoted = || is_plain.then(|| format!("a text has quotes of its own: `{:?}`", self.value));
        let refuse = |message: String| Problem {
            origin: self.value_origin.clone(),
            message,
            expected: format!("expected one value, as in a {} file", T::NAME),
            help: number_help(&self.value).or_else(quoted),
        };
        match tree.flaw {
            Some(flaw) => Err(refuse(format!("`{}` is not one value: {}", self.value, flaw.message))),
            None if tree.root.span != (0..self.value.len()) => {
                Err(refuse("the value has a comment around it".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// Puts `name: value` at the end of a group, where `steps` end in the name.
    fn insert<T: Document>(
        &self,
        patched: &mut Patched,
        text: &str,
        node: &Node,
        steps: &[PathStep],
        value: Vec<TextPiece>,
    ) -> Result<(), Problem> {
        let (NodeKind::Group(group), Some(name)) = (&node.unwrapped(text).kind, steps.last()) else {
            return Err(self.absent::<T>(steps, node));
        };
        let last =
            group.fields.iter().map(|field| field.value.span.end).chain(group.items.iter().map(|item| item.span.end));
        let last = last.max();
        let comma = if last.is_some() { ", " } else { "" };
        let at = last.unwrap_or(group.inside);
        let mut pieces = vec![self.glue(format!("{comma}{}: ", path::show(std::slice::from_ref(name))))];
        pieces.extend(value);
        patched.replace(at..at, pieces);
        Ok(())
    }

    /// The text of a field that is absent from `text`: its default.
    fn default_of<T: Document>(&self, text: &str, steps: &[PathStep]) -> Result<String, Problem> {
        let value = Patched::new(0, text).read::<T>().value;
        let tree = Tree::scan(value.map_or_else(|| text.to_owned(), |value| syntax::write(&value)));
        let resolved = tree.text();
        let (node, taken) = tree.root.walk(resolved, steps);
        if taken == steps.len() {
            return Ok(resolved[node.span.clone()].to_owned());
        }
        let mut refusal = self.bad_path(
            format!("`{}` is not in the {}", path::show(steps), T::NAME),
            format!("expected the path of a field that the {} has", T::NAME),
        );
        if let (Some(PathStep::Field(name)), NodeKind::Group(group)) = (steps.last(), &node.unwrapped(resolved).kind) {
            let known: Vec<&str> = group.fields.iter().map(|field| &resolved[field.name.clone()]).collect();
            let places = T::places(name, &known);
            refusal.help = names::meant(name, names::nearest(name, known), &places);
        }
        Err(refusal)
    }

    /// All steps but the last lead to `node`, which has no such child.
    fn absent<T: Document>(&self, steps: &[PathStep], node: &Node) -> Problem {
        let (parents, step) = steps.split_at(steps.len() - 1);
        let owner = if parents.is_empty() { format!("the {}", T::NAME) } else { format!("`{}`", path::show(parents)) };
        let what = match &node.kind {
            NodeKind::List(items) => format!("a list of length {}, counted from 0", items.len()),
            NodeKind::Map(_) => "a map".to_owned(),
            NodeKind::Group(_) => "a value with fields".to_owned(),
            NodeKind::Scalar | NodeKind::Text => "a single value".to_owned(),
        };
        let mut refusal = self.bad_path(format!("{owner} has no `{}`", path::show(step)), format!("{owner} is {what}"));
        if let [PathStep::Field(name)] = step {
            let places = T::places(name, &[]);
            let here = places.iter().find(|place| place.path == path::show(steps) && !place.variants.is_empty());
            refusal.help = here.map(names::of_choices).or_else(|| names::meant(name, None, &places));
        }
        refusal
    }
}

/// What to write instead of a number with a decimal comma.
fn number_help(value: &str) -> Option<String> {
    let number = value.replacen(',', ".", 1).parse::<f64>().ok()?;
    Some(format!("decimals follow a point: `{number}`"))
}
