//! The settings of a text, one by one: what tools show that know paths and values and no RON.

use crate::differences::compact;
use crate::path::{PathStep, show};
use crate::tree::{Node, NodeKind, Tree};

impl Tree {
    /// Every setting with its path and its value on one line, in the order of the text. A value with named fields is
    /// its name (if it has one) and its fields; a list without such values, and a value without named fields, is one
    /// setting.
    ///
    /// ```
    /// use fedbits_text::Tree;
    ///
    /// let tree = Tree::scan("(rate: Constant(0.1), code: Dithering(levels: 2), seeds: [1, 2])");
    /// let settings: Vec<_> = tree.settings();
    /// let expected = [("rate", "Constant(0.1)"), ("code", "Dithering"), ("code.levels", "2"), ("seeds", "[1, 2]")];
    /// assert_eq!(settings, expected.map(|(path, value)| (path.to_owned(), value.to_owned())));
    /// ```
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut found = Found { text: self.text(), path: Vec::new(), settings: Vec::new() };
        found.value(&self.root);
        found.settings
    }
}

struct Found<'t> {
    text: &'t str,
    path: Vec<PathStep>,
    settings: Vec<(String, String)>,
}

impl Found<'_> {
    fn value(&mut self, node: &Node) {
        let node = node.unwrapped(self.text);
        if !has_fields(self.text, node) {
            return self.push(compact(self.text, node));
        }
        match &node.kind {
            NodeKind::Scalar | NodeKind::Text => {}
            NodeKind::List(items) => self.items(items),
            NodeKind::Map(entries) => {
                for (key, value) in entries {
                    let key = crate::tree::literal(self.text, key).unwrap_or(&self.text[key.span.clone()]);
                    self.at(PathStep::Key(key.to_owned()), value);
                }
            }
            NodeKind::Group(group) => {
                if let Some(name) = group.name_in(self.text) {
                    self.push(name.to_owned());
                }
                self.items(&group.items);
                for field in &group.fields {
                    self.at(PathStep::Field(self.text[field.name.clone()].to_owned()), &field.value);
                }
            }
        }
    }

    fn items(&mut self, items: &[Node]) {
        items.iter().enumerate().for_each(|(index, item)| self.at(PathStep::Index(index), item));
    }

    fn at(&mut self, step: PathStep, value: &Node) {
        self.path.push(step);
        self.value(value);
        self.path.pop();
    }

    fn push(&mut self, value: String) {
        self.settings.push((show(&self.path), value));
    }
}

/// Whether something in a value has a name to go into a path.
fn has_fields(text: &str, node: &Node) -> bool {
    match &node.unwrapped(text).kind {
        NodeKind::Scalar | NodeKind::Text => false,
        NodeKind::List(items) => items.iter().any(|item| has_fields(text, item)),
        NodeKind::Map(entries) => !entries.is_empty(),
        NodeKind::Group(group) => !group.fields.is_empty() || group.items.iter().any(|item| has_fields(text, item)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_path_that_leads_to_it() {
        let text = "(a: Some(Kind(x: 1, y: [(2), (z: 3)])), b: {\"k.l\": [1], \"m\": None}, c: [[1, 2], [3]], d: [], \
                    e: Two(1, In(f: \"g, h\")), i: [One, Two])";
        let tree = Tree::scan(text);
        let settings = tree.settings();
        let shown: Vec<String> = settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
        let expected = [
            "a = Kind",
            "a.x = 1",
            "a.y[0] = (2)",
            "a.y[1].z = 3",
            "b[\"k.l\"] = [1]",
            "b[\"m\"] = None",
            "c = [[1, 2], [3]]",
            "d = []",
            "e = Two",
            "e[0] = 1",
            "e[1] = In",
            "e[1].f = \"g, h\"",
            "i = [One, Two]",
        ];
        assert_eq!(shown, expected);
        for (path, value) in &settings {
            let there = tree.compact(path).unwrap();
            assert!(there.trim_start_matches("Some(").starts_with(value.as_str()), "{path}: {there}");
        }
        assert_eq!(Tree::scan("7").settings(), [(String::new(), "7".to_owned())]);
    }
}
