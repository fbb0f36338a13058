//! In what two texts differ, value by value.

use std::ops::Range;

use crate::path::{PathStep, show};
use crate::tree::{Group, Node, NodeKind, Tree, literal};

/// A value that is not the same in two texts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Difference {
    /// Where it stands, as an edit by path names it; empty for the whole text.
    pub path: String,
    /// What each text says there, on one line and without comments; none where it says nothing.
    pub values: [Option<String>; 2],
}

/// What differs, in the order of the first text: the smallest values that do. Blanks, comments and the order of fields
/// make no difference.
///
/// ```
/// use fedbits_text::{Tree, differences};
///
/// let one = Tree::scan("(rate: Constant(0.1), rounds: 10)");
/// let other = Tree::scan("(rounds: 10, rate: Constant(0.2), seed: 7)");
/// let found: Vec<_> = differences(&one, &other).into_iter().map(|own| (own.path, own.values)).collect();
/// let values = |one: &str, other: &str| [Some(one.to_owned()), Some(other.to_owned())];
/// assert_eq!(found[0], ("rate[0]".to_owned(), values("0.1", "0.2")));
/// assert_eq!(found[1], ("seed".to_owned(), [None, Some("7".to_owned())]));
/// ```
#[must_use]
pub fn differences(first: &Tree, second: &Tree) -> Vec<Difference> {
    let mut comparison = Comparison { texts: [first.text(), second.text()], path: Vec::new(), found: Vec::new() };
    comparison.values(&first.root, &second.root);
    comparison.found
}

impl Tree {
    /// The value at a path on one line, without comments; none when there is no value.
    #[must_use]
    pub fn compact(&self, path: &str) -> Option<String> {
        let steps = crate::path::parse(path)?;
        let (node, taken) = self.root.walk(self.text(), &steps);
        (taken == steps.len()).then(|| compact(self.text(), node))
    }
}

struct Comparison<'t> {
    texts: [&'t str; 2],
    path: Vec<PathStep>,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn values(&mut self, a: &Node, b: &Node) {
        let [first, second] = self.texts;
        let (a, b) = (a.unwrapped(first), b.unwrapped(second));
        let is_alike = match (&a.kind, &b.kind) {
            (NodeKind::Group(a), NodeKind::Group(b)) => {
                a.name_in(first) == b.name_in(second) && a.items.len() == b.items.len()
            }
            (NodeKind::List(a), NodeKind::List(b)) => a.len() == b.len(),
            (NodeKind::Map(_), NodeKind::Map(_)) => true,
            _ => false,
        };
        if !is_alike {
            return self.whole(Some(a), Some(b));
        }
        let (firsts, seconds) = (children(first, a), children(second, b));
        let of = |all: &[(PathStep, &Node)], step: &PathStep| all.iter().rposition(|(known, _)| known == step);
        for (step, value) in &firsts {
            self.path.push(step.clone());
            match of(&seconds, step) {
                Some(number) => self.values(value, seconds[number].1),
                None => self.whole(Some(value), None),
            }
            self.path.pop();
        }
        for (step, value) in seconds.iter().filter(|(step, _)| of(&firsts, step).is_none()) {
            self.path.push(step.clone());
            self.whole(None, Some(value));
            self.path.pop();
        }
    }

    /// Notes the two values, unless they are written alike.
    fn whole(&mut self, a: Option<&Node>, b: Option<&Node>) {
        let [first, second] = self.texts;
        let values = [a.map(|node| compact(first, node)), b.map(|node| compact(second, node))];
        if values[0] != values[1] {
            self.found.push(Difference { path: show(&self.path), values });
        }
    }
}

/// What a value holds, each with the step that leads to it.
fn children<'n>(text: &str, node: &'n Node) -> Vec<(PathStep, &'n Node)> {
    let written = |span: &Range<usize>| text[span.clone()].to_owned();
    let indexed = |items: &'n [Node]| (0..).map(PathStep::Index).zip(items).collect();
    match &node.kind {
        NodeKind::Scalar | NodeKind::Text => Vec::new(),
        NodeKind::List(items) => indexed(items),
        NodeKind::Map(entries) => {
            let key = |key: &Node| literal(text, key).map_or_else(|| written(&key.span), str::to_owned);
            entries.iter().map(|(name, value)| (PathStep::Key(key(name)), value)).collect()
        }
        NodeKind::Group(Group { items, fields, .. }) => {
            let mut all: Vec<_> = indexed(items);
            all.extend(fields.iter().map(|field| (PathStep::Field(written(&field.name)), &field.value)));
            all
        }
    }
}

/// A value on one line, without comments.
fn compact(text: &str, node: &Node) -> String {
    let all = |nodes: &[Node]| nodes.iter().map(|node| compact(text, node)).collect::<Vec<_>>();
    match &node.kind {
        NodeKind::Scalar | NodeKind::Text => text[node.span.clone()].to_owned(),
        NodeKind::List(items) => format!("[{}]", all(items).join(", ")),
        NodeKind::Map(entries) => {
            let entry = |(key, value): &(Node, Node)| format!("{}: {}", compact(text, key), compact(text, value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        NodeKind::Group(group) => {
            let fields = group.fields.iter();
            let mut parts = all(&group.items);
            parts.extend(fields.map(|field| format!("{}: {}", &text[field.name.clone()], compact(text, &field.value))));
            format!("{}({})", group.name_in(text).unwrap_or_default(), parts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: &str, second: &str) -> Vec<String> {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        let found = differences(&Tree::scan(first), &Tree::scan(second)).into_iter();
        found
            .map(|difference| {
                format!("{}: {} and {}", difference.path, shown(&difference.values[0]), shown(&difference.values[1]))
            })
            .collect()
    }

    #[test]
    fn the_smallest_values_that_differ_are_named() {
        let one = "(a: [1, 2], // a comment\n b: Some(Kind(x: \"1, 2\")), c: {\"k.l\": 1}, d: A(1))";
        assert!(found(one, "( d: A(1), c: {\"k.l\": 1}, a: [1,2], b: Kind(x: \"1, 2\"))").is_empty());
        assert_eq!(
            found(one, "(a: [1, 3], b: Kind(x: \"1,2\"), c: {\"k.l\": 2, \"m\": 3}, d: B)"),
            [
                "a[1]: 2 and 3",
                "b.x: \"1, 2\" and \"1,2\"",
                "c[\"k.l\"]: 1 and 2",
                "c[\"m\"]: nothing and 3",
                "d: A(1) and B",
            ]
        );
        assert_eq!(found("(a: [1])", "(a: [1, 2])"), ["a: [1] and [1, 2]"]);
        assert_eq!(found("1", "2"), [": 1 and 2"]);
    }

    #[test]
    fn values_are_written_on_one_line() {
        let tree = Tree::scan("(a: Kind(\n  1, // one\n  [2,\n 3]), b: {\"x\": None})");
        assert_eq!(tree.compact("a").as_deref(), Some("Kind(1, [2, 3])"));
        assert_eq!(tree.compact("b").as_deref(), Some("{\"x\": None}"));
        assert_eq!(tree.compact("b.c"), None);
    }
}
