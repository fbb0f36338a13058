//! `--set path=value` and the sets of arms: edits of a scenario's text, found by the span tree. This file must not know
//! which fields exist: a field that is not in the text is put in, and the schema judges it.

use std::str::FromStr;

use thiserror::Error;

use crate::names;
use crate::schema::Scenario;
use crate::source::patched::{Origin, Patched, Piece};
use crate::source::path::{self, Step};
use crate::source::tree::{self, Kind, Node};
use crate::syntax;

/// One `--set path=value`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Set {
    /// Which field, for example `protocol.compressor.k`.
    pub path: String,
    /// Its value, in RON.
    pub value: String,
}

/// A `--set` without `=`.
#[derive(Clone, Debug, Error, Eq, PartialEq)]
#[error("`{0}` is not of the form path=value, for example protocol.gamma=Constant(0.01)")]
pub struct NotASetting(String);

impl FromStr for Set {
    type Err = NotASetting;

    fn from_str(text: &str) -> Result<Self, NotASetting> {
        let (path, value) = text.split_once('=').ok_or_else(|| NotASetting(text.to_owned()))?;
        Ok(Set { path: path.trim().to_owned(), value: value.trim().to_owned() })
    }
}

/// One edit: a path, a value, and where each of them is written.
pub(crate) struct Edit {
    pub(crate) path: String,
    pub(crate) value: String,
    pub(crate) path_origin: Origin,
    pub(crate) value_origin: Origin,
}

/// Why an edit cannot be made.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) origin: Origin,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) help: Option<String>,
}

impl Edit {
    /// Makes the edit.
    pub(crate) fn apply(&self, patched: &mut Patched) -> Result<(), Refusal> {
        let steps = path::parse(&self.path).ok_or_else(|| {
            self.bad_path("this is not a path".to_owned(), "expected a path, as in `protocol.compressor.k`".to_owned())
        })?;
        self.check_value()?;
        let text = patched.text();
        let tree = tree::scan(&text);
        let (node, taken) = tree.root.walk(&text, &steps);
        if taken == steps.len() {
            patched.replace(node.span.clone(), vec![self.value_piece()]);
            return Ok(());
        }
        match (&steps[taken], &steps[taken + 1..]) {
            (Step::Field(name), []) => {
                self.insert(patched, &text, node, name, &steps[..taken], vec![self.value_piece()])
            }
            (Step::Field(name), _) => {
                let default = self.default_of(&text, &steps[..=taken])?;
                self.insert(patched, &text, node, name, &steps[..taken], vec![self.glue(default)])?;
                // The parent now stands in the text with all its fields; what is still absent can only be inserted.
                self.apply(patched)
            }
            (step, _) => Err(self.absent(step, &steps[..taken], node)),
        }
    }

    fn value_piece(&self) -> Piece {
        Piece { text: self.value.clone(), origin: self.value_origin.clone() }
    }

    /// Text that stands for the path as a whole.
    fn glue(&self, text: String) -> Piece {
        Piece { text, origin: self.path_origin.clone() }
    }

    fn bad_path(&self, message: String, expected: String) -> Refusal {
        Refusal { origin: self.path_origin.clone(), message, expected, help: None }
    }

    /// The value must be exactly one RON value, so that it cannot reach beyond its place.
    fn check_value(&self) -> Result<(), Refusal> {
        let tree = tree::scan(&self.value);
        let refuse = |message: String| Refusal {
            origin: self.value_origin.clone(),
            message,
            expected: "expected one value, as in a scenario file".to_owned(),
            help: None,
        };
        match tree.flaw {
            Some(flaw) => Err(refuse(format!("`{}` is not one value: {}", self.value, flaw.message))),
            None if tree.root.span != (0..self.value.len()) => {
                Err(refuse("the value has a comment around it".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// Puts `name: value` at the end of a group.
    fn insert(
        &self,
        patched: &mut Patched,
        text: &str,
        node: &Node,
        name: &str,
        way: &[Step],
        value: Vec<Piece>,
    ) -> Result<(), Refusal> {
        let Kind::Group(group) = &node.unwrapped(text).kind else {
            return Err(self.absent(&Step::Field(name.to_owned()), way, node));
        };
        let last =
            group.fields.iter().map(|field| field.value.span.end).chain(group.items.iter().map(|item| item.span.end));
        let last = last.max();
        let comma = if last.is_some() { ", " } else { "" };
        let at = last.unwrap_or(group.inside);
        let mut pieces = vec![self.glue(format!("{comma}{name}: "))];
        pieces.extend(value);
        patched.replace(at..at, pieces);
        Ok(())
    }

    /// The text of a field that is absent from `text`: its default.
    fn default_of(&self, text: &str, steps: &[Step]) -> Result<String, Refusal> {
        let resolved =
            syntax::read::<Scenario>(text).map_or_else(|_| text.to_owned(), |scenario| syntax::write(&scenario));
        let tree = tree::scan(&resolved);
        let (node, taken) = tree.root.walk(&resolved, steps);
        if taken == steps.len() {
            return Ok(resolved[node.span.clone()].to_owned());
        }
        let mut refusal = self.bad_path(
            format!("`{}` is not in the scenario", path::show(steps)),
            "expected the path of a field that the scenario has".to_owned(),
        );
        if let (Some(Step::Field(name)), Kind::Group(group)) = (steps.last(), &node.unwrapped(&resolved).kind) {
            let known = group.fields.iter().map(|field| &resolved[field.name.clone()]);
            refusal.help = names::nearest(name, known).map(|name| format!("did you mean `{name}`?"));
        }
        Err(refusal)
    }

    /// The way leads to `node`, and no further.
    fn absent(&self, step: &Step, way: &[Step], node: &Node) -> Refusal {
        let owner = if way.is_empty() { "the scenario".to_owned() } else { format!("`{}`", path::show(way)) };
        let what = match &node.kind {
            Kind::List(items) => format!("a list of {} items, counted from 0", items.len()),
            Kind::Map(_) => "a map".to_owned(),
            Kind::Group(_) => "a value with fields".to_owned(),
            Kind::Scalar | Kind::Text => "a single value".to_owned(),
        };
        let step = path::show(std::slice::from_ref(step));
        self.bad_path(format!("{owner} has no `{step}`"), format!("{owner} is {what}"))
    }
}
