//! The span tree of a text, and how to find a value in it.

mod node;
mod scanner;

use std::ops::Range;

pub(crate) use self::node::{Field, Group, Node, NodeKind, literal};
use self::scanner::Flaw;
use crate::path::{self, PathStep};

/// A RON text and which of its bytes hold which value. Every text has a tree, also one that is not RON.
#[derive(Debug)]
pub struct Tree {
    text: String,
    pub(crate) root: Node,
    pub(crate) flaw: Option<Flaw>,
}

impl Tree {
    /// Scans a whole text.
    #[must_use]
    pub fn scan(text: impl Into<String>) -> Self {
        let text = text.into();
        let (root, flaw) = scanner::scan(&text);
        Tree { text, root, flaw }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value that the text is.
    #[must_use]
    pub fn root(&self) -> Element<'_> {
        Element { text: &self.text, node: &self.root }
    }

    /// Why the text is surely not RON, when the scanner saw that: the first flaw.
    #[must_use]
    pub fn flaw(&self) -> Option<&str> {
        self.flaw.as_ref().map(|flaw| flaw.message.as_str())
    }

    /// The bytes of the value at a path, or of the nearest value around it; the first byte when that is the whole text.
    #[must_use]
    pub fn span(&self, path: &str) -> Range<usize> {
        let steps = path::parse(path).unwrap_or_default();
        let (node, taken) = self.root.walk(&self.text, &steps);
        let Range { start, end } = node.span;
        if taken == 0 { start..(start + 1).min(end) } else { start..end }
    }

    /// The bytes of all string literals that say `wanted`, in order; keys of maps do not count.
    #[must_use]
    pub fn find_texts(&self, wanted: &str) -> Vec<Range<usize>> {
        let says = |element: &Element<'_>| element.string().as_deref() == Some(wanted);
        self.root().leaves().into_iter().filter(says).map(Element::span).collect()
    }
}

/// A value in a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Element<'t> {
    text: &'t str,
    node: &'t Node,
}

impl<'t> Element<'t> {
    fn of(self, node: &'t Node) -> Self {
        Element { node, ..self }
    }

    fn child(self, step: &PathStep) -> Option<Self> {
        self.node.child(self.text, step).map(|node| self.of(node))
    }

    fn group(self) -> Option<&'t Group> {
        if let NodeKind::Group(group) = &self.node.unwrapped(self.text).kind { Some(group) } else { None }
    }

    /// Its bytes, without blanks and comments around it.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.node.span.clone()
    }

    /// The value of a field of a struct; of the last one, when there are several of that name.
    #[must_use]
    pub fn field(self, name: &str) -> Option<Self> {
        self.child(&PathStep::Field(name.to_owned()))
    }

    /// The value at a path; none where the path is misspelt or leads nowhere.
    #[must_use]
    pub fn at(self, path: &str) -> Option<Self> {
        path::parse(path)?.iter().try_fold(self, |element, step| element.child(step))
    }

    /// An item of a list, by its index.
    #[must_use]
    pub fn item(self, index: usize) -> Option<Self> {
        self.child(&PathStep::Index(index))
    }

    /// The bytes of the name and the value of each field of a struct; none when the value is none.
    #[must_use]
    pub fn fields(self) -> Vec<(Range<usize>, Self)> {
        let fields = self.group().into_iter().flat_map(|group| &group.fields);
        fields.map(|field| (field.name.clone(), self.of(&field.value))).collect()
    }

    /// The whole text that it stands in.
    #[must_use]
    pub fn text(self) -> &'t str {
        self.text
    }

    /// The name before the parentheses, or the bare word; `None` of other values.
    #[must_use]
    pub fn name(self) -> Option<&'t str> {
        self.group()?.name_in(self.text)
    }

    /// Are these parentheses with nothing in them?
    #[must_use]
    pub fn has_no_content(self) -> bool {
        self.group().is_some_and(|group| group.fields.is_empty() && group.items.is_empty())
    }

    /// The keys and values of a map; none when the value is none.
    #[must_use]
    pub fn entries(self) -> Vec<(Self, Self)> {
        match &self.node.unwrapped(self.text).kind {
            NodeKind::Map(entries) => entries.iter().map(|(key, value)| (self.of(key), self.of(value))).collect(),
            _ => Vec::new(),
        }
    }

    /// What a string literal says.
    #[must_use]
    pub fn string(self) -> Option<String> {
        let node = self.node.unwrapped(self.text);
        match node.kind {
            NodeKind::Text => ron::from_str(&self.text[node.span.clone()]).ok(),
            _ => None,
        }
    }

    /// The bytes between the quotes of a plain string literal without escapes, else all of them.
    pub(crate) fn content_span(self) -> Range<usize> {
        let Range { start, end } = self.node.span;
        if node::literal(self.text, self.node).is_some() { start + 1..end - 1 } else { start..end }
    }

    /// The first value in it with this name before its parentheses.
    #[must_use]
    pub fn any_named(self, name: &str) -> Option<Self> {
        let mut elements = vec![self];
        while let Some(element) = elements.pop() {
            if element.name() == Some(name) {
                return Some(element);
            }
            elements.extend(element.node.children().into_iter().map(|node| element.of(node)));
        }
        None
    }

    /// The texts, numbers and words in it, in order; keys of maps do not count.
    #[must_use]
    pub fn leaves(self) -> Vec<Self> {
        match &self.node.kind {
            NodeKind::Scalar | NodeKind::Text => vec![self],
            _ => self.node.children().into_iter().flat_map(|node| self.of(node).leaves()).collect(),
        }
    }
}
