//! The nodes of the span tree: which bytes hold which value.

use std::ops::Range;

use crate::path::PathStep;

/// A value and the bytes it covers, without blanks and comments around it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: NodeKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NodeKind {
    /// A number, a boolean, a character, a bare name, or something that is none of them.
    Scalar,
    /// A string literal.
    Text,
    /// `[…]`.
    List(Vec<Node>),
    /// `{…}`.
    Map(Vec<(Node, Node)>),
    /// `(…)` or `Name(…)`.
    Group(Group),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// The name before the parenthesis.
    pub(crate) name: Option<Range<usize>>,
    /// The byte after the opening parenthesis.
    pub(crate) inside: usize,
    pub(crate) fields: Vec<Field>,
    pub(crate) items: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    /// The node itself, or what is inside `Some(…)`.
    pub(crate) fn unwrapped(&self, text: &str) -> &Node {
        match &self.kind {
            NodeKind::Group(group) if group.items.len() == 1 && group.name_in(text) == Some("Some") => {
                group.items[0].unwrapped(text)
            }
            _ => self,
        }
    }

    /// All values in it; of maps not the keys.
    pub(crate) fn children(&self) -> Vec<&Node> {
        match &self.kind {
            NodeKind::Scalar | NodeKind::Text => Vec::new(),
            NodeKind::List(items) => items.iter().collect(),
            NodeKind::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            NodeKind::Group(group) => group.fields.iter().map(|field| &field.value).chain(&group.items).collect(),
        }
    }

    /// The child that a step leads to.
    pub(crate) fn child(&self, text: &str, step: &PathStep) -> Option<&Node> {
        let node = self.unwrapped(text);
        match (&node.kind, step) {
            (NodeKind::Group(group), PathStep::Field(name)) => {
                group.fields.iter().rev().find(|field| &text[field.name.clone()] == name).map(|field| &field.value)
            }
            (NodeKind::Group(Group { items, .. }) | NodeKind::List(items), PathStep::Index(index)) => items.get(*index),
            (NodeKind::Map(entries), PathStep::Key(key)) => {
                entries.iter().rev().find(|(node, _)| literal(text, node) == Some(key)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Whether a step leads to the list itself: its items, of which the next step names one, are written without the
    /// variant around them.
    fn is_short_list(&self, text: &str, step: &PathStep, next: Option<&PathStep>) -> bool {
        let (NodeKind::List(_), PathStep::Index(0), Some(next @ PathStep::Index(_))) =
            (&self.unwrapped(text).kind, step, next)
        else {
            return false;
        };
        self.child(text, step).is_none_or(|item| item.child(text, next).is_none())
    }

    /// The deepest node along `steps`, and how many steps lead to it.
    pub(crate) fn walk(&self, text: &str, steps: &[PathStep]) -> (&Node, usize) {
        let mut node = self;
        for (taken, step) in steps.iter().enumerate() {
            if node.is_short_list(text, step, steps.get(taken + 1)) {
                continue;
            }
            match node.child(text, step) {
                Some(child) => node = child,
                None => return (node, taken),
            }
        }
        (node, steps.len())
    }
}

impl Group {
    pub(crate) fn name_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.name.clone().map(|span| &text[span])
    }
}

/// What stands between the quotes of a plain string literal without escapes.
pub(crate) fn literal<'t>(text: &'t str, node: &Node) -> Option<&'t str> {
    let inner = text[node.span.clone()].strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then_some(inner)
}
