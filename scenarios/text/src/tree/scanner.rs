//! The scanner: it accepts more than RON does, always gives a tree, and notes the first position where the text is
//! surely not RON.

use std::ops::Range;

use super::node::{Field, Group, Node, NodeKind};
use crate::syntax::MAX_DEPTH;

/// Why a text is surely not RON, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flaw {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
}

/// Scans a whole text.
pub(super) fn scan(text: &str) -> (Node, Option<Flaw>) {
    let mut scanner = Scanner { text, at: 0, flaw: None };
    scanner.blanks();
    while text[scanner.at..].starts_with("#!") {
        scanner.at = text[scanner.at..].find(']').map_or(text.len(), |end| scanner.at + end + 1);
        scanner.blanks();
    }
    let root = scanner.value(0);
    scanner.blanks();
    if scanner.at < text.len() {
        scanner.flaw(scanner.at..scanner.next_char_end(), "nothing more is expected after the end of the value");
    }
    (root, scanner.flaw)
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    flaw: Option<Flaw>,
}

fn in_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next_char_end(&self) -> usize {
        self.at + self.peek().map_or(0, char::len_utf8)
    }

    fn flaw(&mut self, span: Range<usize>, message: impl Into<String>) {
        if self.flaw.is_none() {
            self.flaw = Some(Flaw { span, message: message.into() });
        }
    }

    /// The bytes from here on.
    fn bytes(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Skips white space and comments (block comments nest).
    fn blanks(&mut self) {
        loop {
            self.at += self.bytes().iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
            if self.bytes().first().is_none_or(|&byte| byte.is_ascii() && byte != b'/') {
                return;
            }
            let rest = self.rest();
            let length = rest.len() - rest.trim_start().len();
            if length > 0 {
                self.foreign_blank(self.at..self.at + length);
                self.at += length;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.block_comment();
            } else {
                return;
            }
        }
    }

    /// Notes the first blank that is none in RON: what word processors and web pages put between words.
    fn foreign_blank(&mut self, range: Range<usize>) {
        let is_of_ron = |c: char| matches!(c, ' ' | '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
        if let Some((offset, blank)) = self.text[range.clone()].char_indices().find(|(_, blank)| !is_of_ron(*blank)) {
            let start = range.start + offset;
            let message = format!("a blank is expected, and this one is U+{:04X}", u32::from(blank));
            self.flaw(start..start + blank.len_utf8(), message);
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            if self.rest().starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if self.rest().starts_with("*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else {
                self.at = self.next_char_end();
            }
        }
        self.flaw(start..start + 2, "this comment is never closed");
    }

    fn value(&mut self, depth: usize) -> Node {
        let start = self.at;
        let kind = match self.peek() {
            Some('(' | '[' | '{') if depth >= MAX_DEPTH => self.too_deep(),
            Some('(') => self.group(None, depth),
            Some('[') => NodeKind::List(self.list(depth)),
            Some('{') => NodeKind::Map(self.map(depth)),
            Some('"') => self.string(None),
            Some('\'') => self.character(),
            _ => self.word(depth),
        };
        Node { span: start..self.at, kind }
    }

    /// What opens here is not looked into: the rest of the text counts as one scalar.
    fn too_deep(&mut self) -> NodeKind {
        let message = format!("the nesting is too deep: more than {MAX_DEPTH} brackets are open");
        self.flaw(self.at..self.at + 1, message);
        self.at = self.text.len();
        NodeKind::Scalar
    }

    /// A name, a named group, a raw string, a number, or nothing at all.
    fn word(&mut self, depth: usize) -> NodeKind {
        let start = self.at;
        if let Some(hashes) = self.raw_string_hashes() {
            return self.string(Some(hashes));
        }
        let ends = |c| matches!(c, ',' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '/');
        let length = self.rest().find(|c: char| ends(c) || c.is_whitespace());
        self.at += length.unwrap_or(self.rest().len());
        let name = start..self.at;
        let is_name = self.text[name.clone()].chars().all(in_name) && !name.is_empty();
        self.blanks();
        if is_name && self.peek() == Some('(') {
            return if depth < MAX_DEPTH { self.group(Some(name), depth) } else { self.too_deep() };
        }
        self.at = name.end;
        if name.is_empty() {
            self.flaw(start..self.next_char_end(), "a value is missing here");
        }
        NodeKind::Scalar
    }

    /// The number of `#` of a raw string that starts here; moves to its opening quote.
    fn raw_string_hashes(&mut self) -> Option<usize> {
        let after = self.rest().strip_prefix('r')?;
        let quote = after.find(|c| c != '#')?;
        if !after[quote..].starts_with('"') {
            return None;
        }
        self.at += 1 + quote;
        Some(quote)
    }

    /// A string from its opening quote; a raw one with its number of hashes.
    fn string(&mut self, raw: Option<usize>) -> NodeKind {
        let start = self.at;
        let end = format!("\"{}", "#".repeat(raw.unwrap_or(0)));
        self.at += 1;
        while self.at < self.text.len() {
            let special = |byte: &u8| *byte == b'"' || *byte == b'\\' && raw.is_none();
            self.at += self.bytes().iter().position(special).unwrap_or(self.bytes().len());
            if self.rest().starts_with(&end) {
                self.at += end.len();
                return NodeKind::Text;
            }
            // A quote in a raw text, or what is escaped.
            self.at = self.next_char_end();
            if raw.is_none() {
                self.at = self.next_char_end();
            }
        }
        self.flaw(start..start + 1, "this text is never closed: `\"` is missing");
        NodeKind::Text
    }

    fn character(&mut self) -> NodeKind {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some('\\') {
            self.at += 1;
        }
        self.at = self.next_char_end();
        match self.rest().find(['\'', '\n']) {
            Some(end) if self.rest()[end..].starts_with('\'') => self.at += end + 1,
            _ => self.flaw(start..start + 1, "this character is never closed: `'` is missing"),
        }
        NodeKind::Scalar
    }

    fn group(&mut self, name: Option<Range<usize>>, depth: usize) -> NodeKind {
        let inside = self.at + 1;
        let (mut fields, mut items) = (Vec::new(), Vec::new());
        self.sequence(')', |scanner| match scanner.field_name() {
            Some(name) => fields.push(Field { name, value: scanner.value(depth + 1) }),
            None => items.push(scanner.value(depth + 1)),
        });
        NodeKind::Group(Group { name, inside, fields, items })
    }

    /// The name of a field, when a name and a colon stand here; moves to the field's value.
    fn field_name(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let length = self.rest().find(|c| !in_name(c)).unwrap_or(self.rest().len());
        self.at += length;
        self.blanks();
        if length == 0 || !self.rest().starts_with(':') {
            self.at = start;
            return None;
        }
        self.at += 1;
        self.blanks();
        Some(start..start + length)
    }

    fn list(&mut self, depth: usize) -> Vec<Node> {
        let mut items = Vec::new();
        self.sequence(']', |scanner| items.push(scanner.value(depth + 1)));
        items
    }

    fn map(&mut self, depth: usize) -> Vec<(Node, Node)> {
        let mut entries = Vec::new();
        self.sequence('}', |scanner| {
            let key = scanner.value(depth + 1);
            scanner.blanks();
            if scanner.peek() == Some(':') {
                scanner.at += 1;
            } else {
                scanner.flaw(scanner.at..scanner.next_char_end(), "`:` is missing between key and value");
            }
            scanner.blanks();
            entries.push((key, scanner.value(depth + 1)));
        });
        entries
    }

    /// Elements separated by commas, from the opening bracket to after the closing one.
    fn sequence(&mut self, close: char, mut element: impl FnMut(&mut Self)) {
        let open = self.at;
        self.at += 1;
        loop {
            self.blanks();
            match self.peek() {
                None => return self.unclosed(open, close),
                Some(c) if c == close => {
                    self.at += 1;
                    return;
                }
                Some(c @ (')' | ']' | '}')) => {
                    self.flaw(self.at..self.at + 1, format!("`{close}` is expected before this `{c}`"));
                    return;
                }
                Some(_) => {
                    let before = self.at;
                    element(self);
                    self.separator(before, close);
                }
            }
        }
    }

    fn unclosed(&mut self, open: usize, close: char) {
        let opened = &self.text[open..=open];
        let message = format!("this `{opened}` is never closed: `{close}` is missing");
        self.flaw(open..open + 1, message);
    }

    /// The comma after an element that started at `before`; steps over what cannot be scanned.
    fn separator(&mut self, before: usize, close: char) {
        self.blanks();
        match self.peek() {
            Some(',') => self.at += 1,
            Some(')' | ']' | '}') | None => {}
            Some(_) => {
                self.flaw(self.at..self.next_char_end(), format!("`,` or `{close}` is expected before this"));
                if self.at == before {
                    self.at = self.next_char_end();
                }
            }
        }
    }
}
