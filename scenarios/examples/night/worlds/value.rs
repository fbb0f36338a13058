//! A scenario as a tree of values, each with its type, and its text, in which every value knows its bytes.

use std::ops::Range;

use fedbits_text::Tree;

use crate::worlds::grammar::{Grammar, Written};

/// A value of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its type in the words of the reference.
    pub of: String,
    /// Its range in words; empty where there is none.
    pub range: String,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A number, a text, a truth value or a character, as it is written.
    Word(String),
    Nothing,
    Just(Box<Value>),
    List(Vec<Value>),
    Pair(Box<[Value; 2]>),
    /// A struct, or a variant of a choice, with the fields that are given.
    Part {
        variant: Option<String>,
        fields: Vec<(String, Value)>,
    },
}

/// Steps from the whole to a value: the how many-th child each.
pub type Steps = Vec<usize>;

impl Value {
    pub fn word(of: &str, range: &str, word: impl ToString) -> Self {
        Self { of: of.to_owned(), range: range.to_owned(), content: Content::Word(word.to_string()) }
    }

    pub fn children(&self) -> Vec<&Value> {
        match &self.content {
            Content::Word(_) | Content::Nothing => Vec::new(),
            Content::Just(value) => vec![value],
            Content::List(values) => values.iter().collect(),
            Content::Pair(values) => values.iter().collect(),
            Content::Part { fields, .. } => fields.iter().map(|(_, value)| value).collect(),
        }
    }

    fn child_mut(&mut self, at: usize) -> Option<&mut Value> {
        match &mut self.content {
            Content::Word(_) | Content::Nothing => None,
            Content::Just(value) => Some(value),
            Content::List(values) => values.get_mut(at),
            Content::Pair(values) => values.get_mut(at),
            Content::Part { fields, .. } => fields.get_mut(at).map(|(_, value)| value),
        }
    }

    pub fn at(&self, steps: &[usize]) -> Option<&Value> {
        steps.iter().try_fold(self, |value, &step| value.children().get(step).copied())
    }

    pub fn at_mut(&mut self, steps: &[usize]) -> Option<&mut Value> {
        steps.iter().try_fold(self, |value, &step| value.child_mut(step))
    }

    /// All values with their steps, the outer ones first.
    pub fn all(&self) -> Vec<(Steps, &Value)> {
        let mut all = vec![(Vec::new(), self)];
        let mut next = 0;
        while next < all.len() {
            let (steps, value) = (all[next].0.clone(), all[next].1);
            let child = |(at, child)| ([steps.clone(), vec![at]].concat(), child);
            all.extend(value.children().into_iter().enumerate().map(child));
            next += 1;
        }
        all
    }

    /// The variant, where the value is one of a choice.
    pub fn variant(&self) -> Option<&str> {
        match &self.content {
            Content::Part { variant, .. } => variant.as_deref(),
            _ => None,
        }
    }

    /// A field that is given.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match &self.content {
            Content::Part { fields, .. } => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Gives a field a value; its place among the fields.
    pub fn set(&mut self, name: &str, value: Value) -> Option<usize> {
        let Content::Part { fields, .. } = &mut self.content else { return None };
        match fields.iter().position(|(key, _)| key == name) {
            Some(at) => {
                fields[at].1 = value;
                Some(at)
            }
            None => {
                fields.push((name.to_owned(), value));
                Some(fields.len() - 1)
            }
        }
    }

    /// Takes away a field.
    pub fn remove(&mut self, at: usize) {
        match &mut self.content {
            Content::Part { fields, .. } if at < fields.len() => drop(fields.remove(at)),
            Content::List(values) if at < values.len() => drop(values.remove(at)),
            _ => {}
        }
    }
}

/// A text, and where each value stands in it, the outer ones first.
pub struct Text {
    pub text: String,
    pub spans: Vec<(Range<usize>, Steps)>,
}

impl Text {
    /// The scenario's text: a line per field of the top.
    pub fn of(grammar: &Grammar, name: &str, scenario: &Value) -> Self {
        let mut writer = Writer { grammar, text: format!("(\n    name: \"{name}\",\n"), spans: Vec::new() };
        writer.spans.push((0..usize::MAX, Vec::new()));
        if let Content::Part { fields, .. } = &scenario.content {
            for (at, (field, value)) in fields.iter().enumerate() {
                writer.text += "    ";
                writer.field(Some(field), value, vec![at]);
                writer.text += ",\n";
            }
        }
        writer.text += ")\n";
        Self { text: writer.text, spans: writer.spans }
    }

    /// The innermost value that holds a byte.
    pub fn innermost(&self, byte: usize) -> Steps {
        let holding = self.spans.iter().filter(|(span, _)| span.contains(&byte));
        holding.max_by_key(|(_, steps)| steps.len()).map_or_else(Vec::new, |(_, steps)| steps.clone())
    }
}

struct Writer<'a> {
    grammar: &'a Grammar,
    text: String,
    spans: Vec<(Range<usize>, Steps)>,
}

impl Writer<'_> {
    fn field(&mut self, name: Option<&str>, value: &Value, steps: Steps) {
        let start = self.text.len();
        if let Some(name) = name {
            self.text += &format!("{name}: ");
        }
        self.value(value, &steps);
        self.spans.push((start..self.text.len(), steps));
    }

    fn value(&mut self, value: &Value, steps: &Steps) {
        match &value.content {
            Content::Word(word) => self.text += word,
            Content::Nothing => self.text += "None",
            Content::Just(_) => self.list("Some(", value, steps, ")"),
            Content::List(_) => self.list("[", value, steps, "]"),
            Content::Pair(_) => self.list("(", value, steps, ")"),
            Content::Part { variant, fields } => {
                self.text += variant.as_deref().unwrap_or_default();
                if variant.is_none() || !fields.is_empty() || self.has_content(value) {
                    self.text.push('(');
                    self.fields(value, steps);
                    self.text.push(')');
                }
            }
        }
    }

    fn list(&mut self, open: &str, value: &Value, steps: &Steps, close: &str) {
        self.text += open;
        for (at, child) in value.children().into_iter().enumerate() {
            self.text += if at > 0 { ", " } else { "" };
            self.field(None, child, [&steps[..], &[at]].concat());
        }
        self.text += close;
    }

    /// Does something stand behind its name, at the least empty parentheses?
    fn has_content(&self, value: &Value) -> bool {
        !self.grammar.fields(&value.of, value.variant()).0.is_empty()
    }

    fn fields(&mut self, value: &Value, steps: &Steps) {
        let Content::Part { variant, fields } = &value.content else { return };
        let named = self.grammar.fields(&value.of, variant.as_deref()).1;
        if let ([(_, only)], false, true) = (&fields[..], named, variant.is_some())
            && self.grammar.is_group(&only.of)
        {
            let (start, steps) = (self.text.len(), [&steps[..], &[0]].concat());
            self.fields(only, &steps);
            self.spans.push((start..self.text.len(), steps));
            return;
        }
        for (at, (name, child)) in fields.iter().enumerate() {
            self.text += if at > 0 { ", " } else { "" };
            self.field(named.then_some(name.as_str()), child, [&steps[..], &[at]].concat());
        }
    }
}

/// Reads a scenario's text, which is right, without the fields that have their default.
pub fn read(grammar: &Grammar, text: &str) -> Option<Value> {
    let tree = Tree::scan(text);
    part(grammar, crate::worlds::grammar::TOP, None, tree.root())
}

/// Reads a value of a type.
pub fn read_value(grammar: &Grammar, of: &str, text: &str) -> Option<Value> {
    let tree = Tree::scan(text);
    element(grammar, (of, ""), tree.root())
}

fn element(grammar: &Grammar, (of, range): (&str, &str), value: fedbits_text::Element<'_>) -> Option<Value> {
    let text = &value.text()[value.span()];
    let content = match Written::of(of) {
        Written::Maybe(inner) => match text {
            "None" => Content::Nothing,
            _ => Content::Just(Box::new(element(grammar, (inner, range), value)?)),
        },
        Written::List(inner) => {
            Content::List(items(value).map(|item| element(grammar, (inner, range), item)).collect::<Option<_>>()?)
        }
        Written::Pair(one, other) => {
            let [first, second] = [(0, one), (1, other)].map(|(at, of)| element(grammar, (of, ""), value.item(at)?));
            Content::Pair(Box::new([first?, second?]))
        }
        Written::Named(name) if grammar.find(name).is_some() => {
            let variants = grammar.variants(name);
            // A bare word is a scalar to the tree.
            let variant = value.name().or(Some(text)).filter(|name| variants.contains(name));
            if !variants.is_empty() && variant.is_none() {
                return None;
            }
            return part(grammar, name, variant, value);
        }
        // The tree takes what is in `Some(…)` for the value itself.
        _ => {
            Content::Word(text.strip_prefix("Some(").map_or(text, |rest| rest.trim_end_matches(')')).trim().to_owned())
        }
    };
    Some(Value { of: of.to_owned(), range: range.to_owned(), content })
}

fn items(value: fedbits_text::Element<'_>) -> impl Iterator<Item = fedbits_text::Element<'_>> {
    (0..).map_while(move |at| value.item(at))
}

fn part(grammar: &Grammar, of: &str, variant: Option<&str>, value: fedbits_text::Element<'_>) -> Option<Value> {
    let (described, named) = grammar.fields(of, variant);
    let mut fields = Vec::new();
    for (at, field) in described.iter().enumerate() {
        let range = field.range.as_deref().unwrap_or_default();
        let inside = match (named, described.len()) {
            (true, _) => value.field(field.name),
            (false, 1) if grammar.is_group(&field.written) => Some(value),
            (false, _) => value.item(at),
        };
        let Some(inside) = inside else { continue };
        let same = field.default.as_deref() == Some(&inside.text()[inside.span()]);
        if !same {
            fields.push((field.name.to_owned(), element(grammar, (&field.written, range), inside)?));
        }
    }
    Some(Value {
        of: of.to_owned(),
        range: String::new(),
        content: Content::Part { variant: variant.map(str::to_owned), fields },
    })
}
