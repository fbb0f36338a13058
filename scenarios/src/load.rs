//! From text to checked scenarios: edits, syntax, shape, ranges, one scenario per arm. This file must not know single rules.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::checks::{self, Finding, Severity};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::prepare::{Misfit, PrepareError};
use crate::schema::{Arm, Scenario};
use crate::settings::{Edit, Refusal, Set};
use crate::shape;
use crate::source::Source;
use crate::source::patched::{Origin, Patched, Piece};
use crate::source::path::{self, Step};
use crate::source::tree::{self, Kind, Node, Tree};
use crate::syntax;

/// A scenario that passed every check: nothing deeper validates again.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The arm's name; `None` when the scenario has no arms.
    pub arm: Option<String>,
    /// The arm's place among the arms of the scenario, from 0.
    pub arm_index: u32,
    /// The scenario with the arm's values in place, and without arms of its own.
    pub scenario: Scenario,
    /// What is allowed but not to be trusted blindly; each is printed wherever results of the run are shown.
    pub caveats: Vec<String>,
    /// The scenario as RON with every field and every default: `load` gives the same scenario for it.
    pub text: String,
    /// Where its values were written.
    places: Places,
}

/// The texts that a scenario was put together from.
#[derive(Clone, Debug)]
struct Places {
    sources: Arc<[Source]>,
    patched: Patched,
}

/// Where a value was written makes no difference to what it is.
impl PartialEq for Places {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Checked {
    /// The problems that showed only when the run was prepared, at their places in the text.
    #[must_use]
    pub fn problems(&self, error: &PrepareError) -> Diagnostics {
        let Places { sources, patched } = &self.places;
        let text = patched.text();
        let root = tree::scan(&text).root;
        let at = |path: &str, message: &str, expected: &str| {
            let Origin { source, span } = Loader::place(&text, &root, path, patched);
            Diagnostic::new(&sources[source], span, message.to_owned(), expected.to_owned())
        };
        let problems = match error {
            PrepareError::MissingFile(missing) => {
                let name = tree::text_node(&text, &root, &missing.path).map_or(head(&root), |node| node.span.clone());
                let Origin { source, span } = patched.origin(name);
                let (message, help) = (missing.message(), Some(missing.help()));
                let expected = "expected a file that is there".to_owned();
                vec![Diagnostic { help, ..Diagnostic::new(&sources[source], span, message, expected) }]
            }
            PrepareError::Misfits(misfits) | PrepareError::TooLarge(misfits) => {
                misfits.iter().map(|Misfit { path, message, expected }| at(path, message, expected)).collect()
            }
            PrepareError::Data(said) => vec![at("data", said, "these data cannot be used")],
            PrepareError::Model(said) => vec![at("model", said, "this model cannot be made")],
            PrepareError::Protocol(said) => vec![at("protocol", said, "this protocol cannot be made")],
        };
        Diagnostics::new(problems, sources.to_vec())
    }
}

/// Reads a scenario, applies `sets` in order, and gives one checked scenario per arm (one in all when there are no arms).
///
/// # Errors
/// All problems that were found: of syntax, of shape (unknown names, wrong types), of range and of sense.
pub fn load(source: Source, sets: &[Set]) -> Result<Vec<Checked>, Diagnostics> {
    Loader::new(vec![source]).finish(sets)
}

/// Reads [`Checked::text`] again, as a record keeps it. A setting of the scenario that has no effect in this one of its arms
/// is no mistake there.
///
/// # Errors
/// All problems that were found, as for [`load`].
pub fn load_resolved(source: Source) -> Result<Vec<Checked>, Diagnostics> {
    Loader { resolved: true, ..Loader::new(vec![source]) }.finish(&[])
}

/// What is being read, and what was found to be wrong with it so far.
pub(crate) struct Loader {
    /// Is the text one that `load` has given?
    resolved: bool,
    sources: Vec<Source>,
    problems: Vec<Diagnostic>,
}

/// One arm after its edits.
pub(crate) struct Variant {
    pub(crate) arm: Option<String>,
    pub(crate) scenario: Scenario,
    findings: Vec<(Finding, Origin)>,
    patched: Patched,
}

impl Loader {
    pub(crate) fn new(sources: Vec<Source>) -> Self {
        Loader { resolved: false, sources, problems: Vec::new() }
    }

    pub(crate) fn source(&self, number: usize) -> &Source {
        &self.sources[number]
    }

    pub(crate) fn replace_source(&mut self, number: usize, source: Source) {
        self.sources[number] = source;
    }

    /// Whether no problem was found so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// What was read, unless there are problems.
    pub(crate) fn conclude<T>(self, read: Option<T>) -> Result<T, Diagnostics> {
        read.filter(|_| self.problems.is_empty()).ok_or_else(|| Diagnostics::new(self.problems, self.sources))
    }

    fn finish(mut self, sets: &[Set]) -> Result<Vec<Checked>, Diagnostics> {
        let checked = self.load(sets);
        self.conclude(Some(checked))
    }

    fn load(&mut self, sets: &[Set]) -> Vec<Checked> {
        let base = Patched::new(0, &self.sources[0].text);
        // Without whole syntax there is no place for an edit.
        if tree::scan(&self.sources[0].text).flaw.is_some() && self.read::<Scenario>(&base).is_none() {
            return Vec::new();
        }
        let base = self.with_sets(base, sets);
        let Some(scenario) = self.read(&base) else {
            return Vec::new();
        };
        let variants = self.variants(base, scenario);
        let unedited = if sets.is_empty() { Vec::new() } else { self.unedited() };
        self.report(&variants.iter().collect::<Vec<_>>(), &unedited.iter().collect::<Vec<_>>());
        let sources = self.sources();
        let numbered = |(arm_index, variant): (u32, Variant)| Checked { arm_index, ..variant.checked(&sources) };
        (0..).zip(variants).map(numbered).collect()
    }

    /// All texts that were read, to be kept by what was read from them.
    pub(crate) fn sources(&self) -> Arc<[Source]> {
        self.sources.clone().into()
    }

    fn with_sets(&mut self, mut base: Patched, sets: &[Set]) -> Patched {
        for set in sets {
            let text = format!("{}={}", set.path, set.value);
            let (number, split) = (self.sources.len(), set.path.len());
            let edit = Edit {
                path: set.path.clone(),
                value: set.value.clone(),
                path_origin: Origin { source: number, span: 0..split },
                value_origin: Origin { source: number, span: split + 1..text.len() },
            };
            self.sources.push(Source::new(format!("--set {text}"), text));
            if let Err(refusal) = edit.apply(&mut base) {
                self.refuse(refusal);
            }
        }
        base
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.add(refusal.origin, refusal.message, refusal.expected, refusal.help);
    }

    pub(crate) fn add(&mut self, origin: Origin, message: String, expected: String, help: Option<String>) {
        let mut problem = Diagnostic::new(&self.sources[origin.source], origin.span, message, expected);
        problem.help = help;
        self.problems.push(problem);
    }

    /// The value of a text: `None` when its syntax or its shape leaves no certain reading. Problems are noted.
    pub(crate) fn read<T: DeserializeOwned>(&mut self, patched: &Patched) -> Option<T> {
        let written = patched.text();
        if let Ok(value) = syntax::read(&written) {
            return Some(value);
        }
        // Standard RON's `Some((…))`, byte by byte at its place.
        let text = tree::without_double_parentheses(&written, &tree::scan(&written).root);
        let error = match syntax::read(&text) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let Tree { root, flaw } = tree::scan(&text);
        if let Some(flaw) = flaw {
            self.add(patched.origin(flaw.span), "the syntax is wrong".to_owned(), flaw.message, None);
            return None;
        }
        let reading = shape::read(&text, &root);
        if reading.problems.is_empty() {
            let span = syntax::bytes(&text, &error.span);
            self.add(patched.origin(span), "the syntax is wrong".to_owned(), syntax::explain(&error.code), None);
            return None;
        }
        for problem in reading.problems {
            self.add(patched.origin(problem.span), problem.message, problem.expected, problem.help);
        }
        reading.value
    }

    /// The variants of the file alone, whatever problems they have.
    fn unedited(&mut self) -> Vec<Variant> {
        let kept = self.problems.len();
        let base = Patched::new(0, &self.sources[0].text);
        let variants = self.read(&base).map_or_else(Vec::new, |scenario| self.variants(base, scenario));
        self.problems.truncate(kept);
        variants
    }

    /// The scenario once per arm, or as it is.
    fn variants(&mut self, base: Patched, mut scenario: Scenario) -> Vec<Variant> {
        let text = base.text();
        let root = tree::scan(&text).root;
        for finding in checks::arms(&scenario) {
            let origin = Self::place(&text, &root, &finding.path, &base);
            self.add(origin, finding.message, finding.expected, None);
        }
        if scenario.arms.is_empty() {
            return vec![self.variant(None, base, scenario)];
        }
        let arms = std::mem::take(&mut scenario.arms);
        let common = Common { bare: without_arms(&text, &root, &base), text, root, base, scenario };
        arms.into_iter().enumerate().filter_map(|(index, arm)| self.arm(index, arm, &common)).collect()
    }

    /// One arm: its edits, applied to the base.
    fn arm(&mut self, index: usize, arm: Arm, common: &Common) -> Option<Variant> {
        let Common { text, root, base, bare, scenario } = common;
        let steps = [Step::Field("arms".into()), Step::Index(index), Step::Field("set".into())];
        let (set, taken) = root.walk(text, &steps);
        let mut patched = bare.clone();
        if let (Kind::Map(entries), 3) = (&set.unwrapped(text).kind, taken) {
            self.repeated_keys(text, base, entries);
            for edit in arm_edits(text, base, entries, &arm.set) {
                if let Err(refusal) = edit.apply(&mut patched) {
                    self.refuse(refusal);
                    return None;
                }
            }
        }
        let changed = patched.text() != bare.text();
        let scenario = if changed { self.read(&patched)? } else { scenario.clone() };
        Some(self.variant(Some(arm.name), patched, scenario))
    }

    fn repeated_keys(&mut self, text: &str, base: &Patched, entries: &[(Node, Node)]) {
        let mut seen = BTreeSet::new();
        for (key, _) in entries {
            let path = &text[key.span.clone()];
            if !seen.insert(path) {
                let origin = base.origin(key.span.clone());
                self.add(origin, format!("the path {path} is set twice"), "the second one".to_owned(), None);
            }
        }
    }

    pub(crate) fn variant(&mut self, arm: Option<String>, patched: Patched, mut scenario: Scenario) -> Variant {
        scenario.arms.clear();
        let text = patched.text();
        let root = tree::scan(&text).root;
        let findings = checks::scenario(&scenario);
        let placed = |finding: Finding| {
            let origin = Self::place(&text, &root, &finding.path, &patched);
            (finding, origin)
        };
        let findings = findings.into_iter().map(placed).collect();
        Variant { arm, scenario, findings, patched }
    }

    /// Where the value at a path of the text was written; the nearest value around it when it is not there.
    pub(crate) fn place(text: &str, root: &Node, path: &str, patched: &Patched) -> Origin {
        let steps = path::parse(path).unwrap_or_default();
        let (node, taken) = root.walk(text, &steps);
        let span = if taken == 0 { head(node) } else { node.span.clone() };
        patched.origin(span)
    }

    /// Reports what is wrong in each arm, and says in which when it is not wrong in all of them. A setting without effect is
    /// a mistake only when no arm gives it one, and the file alone does neither: edits need not clean up behind themselves.
    pub(crate) fn report(&mut self, variants: &[&Variant], unedited: &[&Variant]) {
        let (here, before) = (Counts::of(variants), Counts::of(unedited));
        let (mut said, mut void) = (BTreeSet::new(), Void::default());
        for variant in variants {
            for found in &variant.findings {
                let (finding, origin) = found;
                let everywhere = here.everywhere(found);
                match finding.severity {
                    Severity::Error => {}
                    Severity::NoEffect if self.resolved || !here.void(found) => continue,
                    Severity::NoEffect if origin.source == 0 && !before.everywhere(found) => continue,
                    Severity::NoEffect => {}
                    Severity::Caveat => continue,
                }
                if !said.insert((&finding.message, origin.source, origin.span.start)) {
                    continue;
                }
                if finding.severity == Severity::NoEffect {
                    void.add(finding, origin);
                    continue;
                }
                let arm = variant.arm.as_ref().filter(|_| !everywhere);
                let others = match here.here(found) {
                    0 | 1 => String::new(),
                    count => format!(" and {} others", count - 1),
                };
                let arm = arm.map_or(String::new(), |arm| format!(" (in arm `{arm}`{others})"));
                self.add(origin.clone(), format!("{}{arm}", finding.message), finding.expected.clone(), None);
            }
        }
        for (origins, message, why) in void.problems() {
            let text = &self.sources[origins[0].source].text;
            let line = |origin: &Origin| (text[..origin.span.start].matches('\n').count() + 1).to_string();
            let others: Vec<String> = origins.iter().skip(1).map(line).collect();
            let help = (!others.is_empty()).then(|| format!("the others stand in line {}", others.join(", ")));
            self.add(origins[0].clone(), message, why, help);
        }
    }
}

/// Settings without effect, by the reason and the text that they are in: what makes several of them void is one mistake.
#[derive(Default)]
struct Void<'v>(BTreeMap<(&'v str, usize), Vec<(&'v Finding, &'v Origin)>>);

impl<'v> Void<'v> {
    fn add(&mut self, finding: &'v Finding, origin: &'v Origin) {
        self.0.entry((&finding.expected, origin.source)).or_default().push((finding, origin));
    }

    /// Of each problem the places, the first of which is the problem's, its message and the reason.
    fn problems(self) -> impl Iterator<Item = (Vec<Origin>, String, String)> {
        self.0.into_iter().map(|((why, _), mut settings)| {
            settings.sort_by_key(|(_, origin)| origin.span.start);
            let first = settings[0].0;
            let names: Vec<String> = settings.iter().map(|(finding, _)| format!("`{}`", finding.path)).collect();
            let message = match names.split_last() {
                Some((last, others)) if !others.is_empty() => {
                    format!("{} and {last} have no effect", others.join(", "))
                }
                _ => first.message.clone(),
            };
            let origins = settings.iter().map(|(_, origin)| (*origin).clone()).collect();
            (origins, message, why.to_owned())
        })
    }
}

/// What the arms of a scenario start from.
struct Common {
    /// The text with the arms, and its tree.
    text: String,
    root: Node,
    base: Patched,
    /// The text without the arms: of thousands of them, each is read alone.
    bare: Patched,
    /// Without arms.
    scenario: Scenario,
}

/// The text with an empty list of arms.
fn without_arms(text: &str, root: &Node, base: &Patched) -> Patched {
    let mut bare = base.clone();
    if let Some(arms) = root.child(text, &Step::Field("arms".into())) {
        let none = Piece { text: "[]".to_owned(), origin: base.origin(arms.span.clone()) };
        bare.replace(arms.span.clone(), vec![none]);
    }
    bare
}

/// In how many variants the same is found.
struct Counts<'v> {
    variants: usize,
    /// By message and place.
    here: BTreeMap<(&'v str, usize, usize), usize>,
    /// By message, wherever it is written.
    anywhere: BTreeMap<&'v str, usize>,
}

impl<'v> Counts<'v> {
    fn of(variants: &[&'v Variant]) -> Self {
        let (mut here, mut anywhere) = (BTreeMap::new(), BTreeMap::new());
        for (finding, origin) in variants.iter().flat_map(|variant| &variant.findings) {
            *here.entry((finding.message.as_str(), origin.source, origin.span.start)).or_default() += 1;
            *anywhere.entry(finding.message.as_str()).or_default() += 1;
        }
        Counts { variants: variants.len(), here, anywhere }
    }

    /// Whether every variant has the same finding at the same place.
    fn everywhere(&self, found: &(Finding, Origin)) -> bool {
        self.here(found) >= self.variants
    }

    /// In how many variants the same is found at the same place.
    fn here(&self, (finding, origin): &(Finding, Origin)) -> usize {
        self.here.get(&(finding.message.as_str(), origin.source, origin.span.start)).copied().unwrap_or(0)
    }

    /// Whether every variant has the same finding, at whatever place.
    fn void(&self, (finding, _): &(Finding, Origin)) -> bool {
        self.anywhere.get(finding.message.as_str()).copied().unwrap_or(0) >= self.variants
    }
}

/// The first byte of a value that stands for the whole scenario.
fn head(node: &Node) -> Range<usize> {
    node.span.start..(node.span.start + 1).min(node.span.end)
}

/// The edits of an arm, in the order they are written.
fn arm_edits(text: &str, base: &Patched, entries: &[(Node, Node)], values: &BTreeMap<String, String>) -> Vec<Edit> {
    let written = entries.iter().filter_map(|(key, value)| {
        let path: String = ron::from_str(&text[key.span.clone()]).ok()?;
        let inner = match tree::literal(text, value) {
            Some(_) => value.span.start + 1..value.span.end - 1,
            None => value.span.clone(),
        };
        let edit = Edit {
            value: values.get(&path)?.clone(),
            path,
            path_origin: base.origin(key.span.clone()),
            value_origin: base.origin(inner),
        };
        Some(edit)
    });
    written.collect()
}

impl Variant {
    pub(crate) fn checked(self, sources: &Arc<[Source]>) -> Checked {
        let caveats = self.findings.into_iter().filter(|(finding, _)| finding.severity == Severity::Caveat);
        Checked {
            arm: self.arm,
            arm_index: 0,
            caveats: caveats.map(|(finding, _)| finding.message).collect(),
            text: syntax::write(&self.scenario),
            scenario: self.scenario,
            places: Places { sources: Arc::clone(sources), patched: self.patched },
        }
    }
}
