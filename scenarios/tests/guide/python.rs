//! `python/fedbits/parts.py`: a class for each struct, and for each variant of a choice.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fedbits_spec::describe::{Body, Field, Named};

const HEAD: &str = r#""""The parts of scenarios and studies as classes.

Written from the program's own description of them (`scenarios/tests/guide`); do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from fedbits._part import UNSET, Part

if TYPE_CHECKING:
    import numpy.typing as npt

    from fedbits._objects import PythonCompressor, PythonModel, PythonProtocol

    Array: TypeAlias = npt.NDArray[Any]
    Character: TypeAlias = str
"#;

/// A class to be written.
struct Class<'a> {
    name: String,
    /// What is written in RON; none for a struct.
    written: Option<&'a str>,
    base: &'a str,
    doc: &'a str,
    fields: Vec<&'a Field>,
    /// Have the fields no names in RON?
    items: bool,
}

/// All that classes refer to each other by.
struct Names<'a> {
    types: BTreeMap<&'a str, &'a Named>,
    /// How often a class or a type has this name.
    counts: BTreeMap<&'a str, usize>,
}

/// Kinds whose parts keep their names where others have the same, the first before the second.
const FIRST: [&str; 5] = ["Model", "Protocol", "Compressor", "Shape", "Covariance"];

/// Details of figures: what else has a name of theirs keeps it.
const LAST: [&str; 2] = ["ClientAxis", "Timed"];

/// Names that the package has beside these classes.
const TAKEN: [&str; 11] = [
    "CaveatWarning",
    "Error",
    "FailedRunWarning",
    "FigureImage",
    "FittedModel",
    "Part",
    "Problem",
    "Run",
    "RunRecord",
    "StudyRun",
    "Table",
];

/// A kind that the package shows as `fb.parts.Protocol`, as it has a class of this name that others extend.
const OF_THE_PACKAGE: &str = "Protocol";

/// Kinds that objects of Python can be, with the protocol that these follow.
const OF_PYTHON: [(&str, &str); 3] =
    [("Model", "PythonModel"), ("Compressor", "PythonCompressor"), ("Protocol", "PythonProtocol")];

/// The module.
pub fn module(types: &[Named]) -> String {
    let names = Names::of(types);
    let (mut bases, mut classes) = (String::new(), Vec::new());
    for named in types {
        match &named.body {
            Body::Choices(choices) => {
                let doc = docstring(named.doc, &[], "    ");
                write!(bases, "\n\nclass {}(Part):\n{doc}", named.name).unwrap();
                classes.extend(choices.iter().map(|choice| names.variant(named.name, choice)));
            }
            // A struct that only stands in a variant of the same name is that variant's class.
            _ if names.is_inside_alone(named.name) => {}
            body => classes.push(Class::new(named.name.to_owned(), None, "Part", (named.doc, body))),
        }
    }
    let mut module = HEAD.to_owned() + &bases;
    classes.iter().for_each(|class| module += &names.class(class));
    let all = types.iter().filter(|named| matches!(named.body, Body::Choices(_))).map(|named| named.name.to_owned());
    let all = all.chain(classes.iter().map(|class| class.name.clone())).filter(|name| name != OF_THE_PACKAGE);
    let all: BTreeSet<String> = all.collect();
    module += "\n\n__all__ = [\n";
    all.iter().for_each(|name| writeln!(module, "    \"{name}\",").unwrap());
    module + "]\n"
}

/// The names of all classes, to be looked at by a test.
pub fn class_names(module: &str) -> Vec<&str> {
    module.lines().filter_map(|line| line.strip_prefix("class ")?.split('(').next()).collect()
}

impl<'a> Class<'a> {
    fn new(name: String, written: Option<&'a str>, base: &'a str, (doc, body): (&'a str, &'a Body)) -> Self {
        let (fields, items) = match body {
            Body::Items(fields) => (fields.iter().collect(), true),
            Body::Fields(fields) => (fields.iter().collect(), false),
            Body::Unit | Body::Choices(_) => (Vec::new(), false),
        };
        Self { name, written, base, doc, fields, items }
    }
}

impl<'a> Names<'a> {
    fn of(types: &'a [Named]) -> Self {
        let mut counts = BTreeMap::new();
        for named in types {
            *counts.entry(named.name).or_insert(0) += 1;
            if let Body::Choices(choices) = &named.body
                && !LAST.contains(&named.name)
            {
                choices.iter().for_each(|choice| *counts.entry(choice.name).or_insert(0) += 1);
            }
        }
        Self { types: types.iter().map(|named| (named.name, named)).collect(), counts }
    }

    /// The struct that is all that a variant holds.
    fn inside(&self, choice: &Named) -> Option<&'a Named> {
        let Body::Items(items) = &choice.body else { return None };
        let [only] = &items[..] else { return None };
        self.types.get(only.written.as_str()).copied().filter(|inside| matches!(inside.body, Body::Fields(_)))
    }

    /// Does a struct stand nowhere but in variants?
    fn is_inside_alone(&self, name: &str) -> bool {
        let variants = self.types.values().filter_map(|named| match &named.body {
            Body::Choices(choices) => Some(choices),
            _ => None,
        });
        let inside = variants.flatten().filter(|choice| self.inside(choice).is_some_and(|inner| inner.name == name));
        let all = self.types.values().flat_map(|named| crate::guide::walk::fields(named));
        let named = all.filter(|field| words(&field.written).any(|word| word == name));
        let count = inside.count();
        count > 0 && named.count() == count
    }

    fn variant(&self, kind: &'a str, choice: &'a Named) -> Class<'a> {
        let body = self.inside(choice).map_or(&choice.body, |inside| &inside.body);
        Class::new(self.class_name(kind, choice.name), Some(choice.name), kind, (choice.doc, body))
    }

    /// The name of a variant's class: the variant's, with the kind behind it where something else has it too.
    fn class_name(&self, kind: &str, variant: &str) -> String {
        let alone = usize::from(self.types.contains_key(variant) && self.is_inside_alone(variant));
        let counted = self.counts.get(variant).map_or(0, |count| count - alone);
        let has = |kind: &&str| match self.types.get(*kind).map(|named| &named.body) {
            Some(Body::Choices(choices)) => choices.iter().any(|choice| choice.name == variant),
            _ => false,
        };
        if counted == usize::from(!LAST.contains(&kind)) && !TAKEN.contains(&variant)
            || FIRST.iter().find(|kind| has(kind)) == Some(&kind) && !self.types.contains_key(variant)
        {
            return variant.to_owned();
        }
        format!("{variant}{kind}")
    }

    fn class(&self, class: &Class<'_>) -> String {
        let Class { name, written, base, doc, fields, items } = class;
        let is_top = name == "Scenario";
        // Required fields come first, so that they can be given by place.
        let required = |field: &&Field| field.default.is_none() && !is_top;
        let (first, rest): (Vec<&Field>, Vec<&Field>) =
            if *items { (fields.clone(), Vec::new()) } else { fields.iter().copied().partition(required) };
        let named: Vec<(String, &Field)> = first
            .iter()
            .chain(&rest)
            .enumerate()
            .map(|(at, field)| (attribute(field, *items, at, fields.len()), *field))
            .collect();
        let keywords = if is_top { ", kw_only=True" } else { "" };
        let mut text = format!("\n\nclass {name}({base}{keywords}):\n");
        text += &docstring(doc, &named, "    ");
        let written = written.map_or_else(|| "None".to_owned(), |written| format!("\"{written}\""));
        write!(text, "\n    _written: ClassVar[str | None] = {written}\n").unwrap();
        if *items {
            text += "    _items: ClassVar[bool] = True\n";
        }
        if !named.is_empty() {
            text += "\n";
        }
        for (key, field) in &named {
            let unset = if *items || required(field) { "" } else { " = UNSET" };
            writeln!(text, "    {key}: {}{unset}", self.annotation(&field.written)).unwrap();
        }
        text
    }

    /// A type in the words of the reference as an annotation of Python.
    fn annotation(&self, written: &str) -> String {
        let inside = |start: &str, end: &str| written.strip_prefix(start)?.strip_suffix(end);
        match written {
            "number" => "float".to_owned(),
            "whole number" => "int".to_owned(),
            "text" => "str".to_owned(),
            "character" => "Character".to_owned(),
            "true or false" => "bool".to_owned(),
            _ => {
                if let Some(of) = inside("Some(", ") or None") {
                    return format!("{} | None", self.annotation(of));
                }
                if let Some(of) = inside("[", ", …]") {
                    let is_array = matches!(of.trim_matches(['[', ']', ',', ' ', '…']), "number" | "whole number");
                    return format!("Sequence[{}]{}", self.annotation(of), if is_array { " | Array" } else { "" });
                }
                if let Some((key, value)) = inside("{", ", …}").and_then(|of| of.split_once(": ")) {
                    // Texts of settings are those of parts, too.
                    let value = match value {
                        "text" => "object".to_owned(),
                        "[text, …]" => "Sequence[object]".to_owned(),
                        value => self.annotation(value),
                    };
                    return format!("Mapping[{}, {value}]", self.annotation(key));
                }
                if let Some((one, other)) = inside("(", ")").and_then(|of| of.split_once(", ")) {
                    return format!("tuple[{}, {}]", self.annotation(one), self.annotation(other));
                }
                self.named_annotation(written)
            }
        }
    }

    /// A type by its name, with what its short spellings show.
    fn named_annotation(&self, name: &str) -> String {
        let named = self.types.get(name).unwrap_or_else(|| panic!("no type {name}"));
        let forms = named.short.iter().map(|(short, _)| match short.chars().next() {
            Some('"') => "str",
            Some('[') => "Sequence[object]",
            _ => "float",
        });
        let forms: BTreeSet<&str> = forms.collect();
        // What an object of Python must have to be one.
        let python = OF_PYTHON.iter().filter(|(kind, _)| *kind == name).map(|(_, protocol)| *protocol);
        std::iter::once(name).chain(forms).chain(python).collect::<Vec<_>>().join(" | ")
    }
}

/// The name of a field as an attribute.
fn attribute(field: &Field, items: bool, at: usize, of: usize) -> String {
    match (items, of) {
        (true, 1) => "value".to_owned(),
        (true, _) => ["first", "second", "third", "fourth"][at].to_owned(),
        (false, _) if ["from", "if", "in", "is", "lambda", "not", "or", "with"].contains(&field.name) => {
            format!("{}_", field.name)
        }
        (false, _) => field.name.to_owned(),
    }
}

/// The names in a type.
fn words(written: &str) -> impl Iterator<Item = &str> {
    written.split(|c: char| !c.is_alphanumeric())
}

fn docstring(doc: &str, fields: &[(String, &Field)], indent: &str) -> String {
    let mut text = wrapped(&format!("\"\"\"{doc}"), indent, indent);
    if fields.is_empty() {
        let short = text.trim_end().lines().count() == 1 && text.trim_end().chars().count() <= WIDTH;
        return if short { format!("{}\"\"\"\n", text.trim_end()) } else { format!("{text}{indent}\"\"\"\n") };
    }
    write!(text, "\n{indent}Attributes:\n").unwrap();
    for (name, field) in fields {
        let range = field.bare_range().map_or(String::new(), |range| format!(" Range: {range}."));
        let default = field.default.as_ref().map_or(String::new(), |default| format!(" Default `{default}`."));
        let doc = if field.doc.is_empty() { "The value." } else { field.doc };
        text +=
            &wrapped(&format!("{name}: {doc}{range}{default}"), &format!("{indent}    "), &format!("{indent}        "));
    }
    text + indent + "\"\"\"\n"
}

const WIDTH: usize = 120;

/// Words on lines of at most `WIDTH` characters.
fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let (mut lines, mut line) = (String::new(), first.to_owned());
    let mut is_empty = true;
    for word in text.replace('\\', "\\\\").split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &(line + "\n");
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines + &line + "\n"
}
