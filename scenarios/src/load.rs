//! From text to checked scenarios: edits, syntax, shape, ranges, one scenario per arm. This file must not know single rules.

use std::ops::Range;

use crate::checks::{self, Finding, Severity};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::schema::Scenario;
use crate::settings::{Edit, Refusal, Set};
use crate::shape;
use crate::source::Source;
use crate::source::patched::{Origin, Patched};
use crate::source::path::{self, Step};
use crate::source::tree::{self, Kind, Node, Tree};
use crate::syntax;

/// A scenario that passed every check: nothing deeper validates again.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The arm's name; `None` when the scenario has no arms.
    pub arm: Option<String>,
    /// The scenario with the arm's values in place, and without arms of its own.
    pub scenario: Scenario,
    /// What is allowed but not to be trusted blindly; each is printed wherever results of the run are shown.
    pub caveats: Vec<String>,
    /// The scenario as RON with every field and every default: `load` gives the same scenario for it.
    pub text: String,
}

/// Reads a scenario, applies `sets` in order, and gives one checked scenario per arm (one in all when there are no arms).
///
/// # Errors
/// All problems that were found: of syntax, of shape (unknown names, wrong types), of range and of sense.
pub fn load(source: Source, sets: &[Set]) -> Result<Vec<Checked>, Diagnostics> {
    Loader { resolved: false, sources: vec![source], problems: Vec::new() }.finish(sets)
}

/// Reads [`Checked::text`] again, as a record keeps it. A setting of the scenario that has no effect in this one of its arms
/// is no mistake there.
///
/// # Errors
/// All problems that were found, as for [`load`].
pub fn load_resolved(source: Source) -> Result<Vec<Checked>, Diagnostics> {
    Loader { resolved: true, sources: vec![source], problems: Vec::new() }.finish(&[])
}

struct Loader {
    /// Is the text one that `load` has given?
    resolved: bool,
    sources: Vec<Source>,
    problems: Vec<Diagnostic>,
}

/// One arm after its edits.
struct Variant {
    arm: Option<String>,
    scenario: Scenario,
    findings: Vec<(Finding, Origin)>,
}

impl Loader {
    fn finish(mut self, sets: &[Set]) -> Result<Vec<Checked>, Diagnostics> {
        let checked = self.load(sets);
        if self.problems.is_empty() { Ok(checked) } else { Err(Diagnostics::new(self.problems, self.sources)) }
    }

    fn load(&mut self, sets: &[Set]) -> Vec<Checked> {
        let base = Patched::new(0, &self.sources[0].text);
        // Without whole syntax there is no place for an edit.
        if tree::scan(&self.sources[0].text).flaw.is_some() && self.read(&base).is_none() {
            return Vec::new();
        }
        let base = self.with_sets(base, sets);
        let Some(scenario) = self.read(&base) else {
            return Vec::new();
        };
        let variants = self.variants(base, scenario);
        let unedited = if sets.is_empty() { Vec::new() } else { self.unedited() };
        self.report(&variants, &unedited);
        variants.into_iter().map(Variant::checked).collect()
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

    fn refuse(&mut self, refusal: Refusal) {
        self.add(refusal.origin, refusal.message, refusal.expected, refusal.help);
    }

    fn add(&mut self, origin: Origin, message: String, expected: String, help: Option<String>) {
        let mut problem = Diagnostic::new(&self.sources[origin.source], origin.span, message, expected);
        problem.help = help;
        self.problems.push(problem);
    }

    /// The scenario of a text: `None` when its syntax or its shape leaves no certain reading. Problems are noted.
    fn read(&mut self, patched: &Patched) -> Option<Scenario> {
        let text = patched.text();
        let error = match syntax::read(&text) {
            Ok(scenario) => return Some(scenario),
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
        reading.scenario
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
    fn variants(&mut self, base: Patched, scenario: Scenario) -> Vec<Variant> {
        let text = base.text();
        let root = tree::scan(&text).root;
        let own: Vec<_> =
            checks::arms(&scenario).into_iter().map(|finding| self.placed(finding, &base, &root)).collect();
        for (finding, origin) in own {
            self.add(origin, finding.message, finding.expected, None);
        }
        if scenario.arms.is_empty() {
            return vec![self.variant(None, base, scenario)];
        }
        let arms: Vec<(usize, String)> = scenario.arms.iter().map(|arm| arm.name.clone()).enumerate().collect();
        arms.into_iter().filter_map(|(index, name)| self.arm(index, name, &base, &scenario)).collect()
    }

    /// One arm: its edits, applied to the base.
    fn arm(&mut self, index: usize, name: String, base: &Patched, scenario: &Scenario) -> Option<Variant> {
        let text = base.text();
        let root = tree::scan(&text).root;
        let steps = [Step::Field("arms".into()), Step::Index(index), Step::Field("set".into())];
        let (set, taken) = root.walk(&text, &steps);
        let mut patched = base.clone();
        if let (Kind::Map(entries), 3) = (&set.unwrapped(&text).kind, taken) {
            self.repeated_keys(&text, base, entries);
            for edit in arm_edits(&text, base, entries, &scenario.arms[index].set) {
                if let Err(refusal) = edit.apply(&mut patched) {
                    self.refuse(refusal);
                    return None;
                }
            }
        }
        let changed = patched.text() != text;
        let scenario = if changed { self.read(&patched)? } else { scenario.clone() };
        Some(self.variant(Some(name), patched, scenario))
    }

    fn repeated_keys(&mut self, text: &str, base: &Patched, entries: &[(Node, Node)]) {
        for (index, (key, _)) in entries.iter().enumerate() {
            let path = &text[key.span.clone()];
            if entries[..index].iter().any(|(other, _)| &text[other.span.clone()] == path) {
                let origin = base.origin(key.span.clone());
                self.add(origin, format!("the path {path} is set twice"), "the second one".to_owned(), None);
            }
        }
    }

    fn variant(&mut self, arm: Option<String>, patched: Patched, mut scenario: Scenario) -> Variant {
        scenario.arms.clear();
        let text = patched.text();
        let root = tree::scan(&text).root;
        let findings = checks::scenario(&scenario);
        let findings = findings.into_iter().map(|finding| self.placed(finding, &patched, &root)).collect();
        Variant { arm, scenario, findings }
    }

    fn placed(&self, finding: Finding, patched: &Patched, root: &Node) -> (Finding, Origin) {
        let text = patched.text();
        let steps = path::parse(&finding.path).unwrap_or_default();
        let (node, taken) = root.walk(&text, &steps);
        let span = if taken == 0 { head(node) } else { node.span.clone() };
        (finding, patched.origin(span))
    }

    /// Reports what is wrong in each arm, and says in which when it is not wrong in all of them. A setting without effect is
    /// a mistake only when no arm gives it one, and the file alone does neither: `--set` need not clean up behind itself.
    fn report(&mut self, variants: &[Variant], unedited: &[Variant]) {
        for variant in variants {
            for found in &variant.findings {
                let (finding, origin) = found;
                let everywhere = in_all(variants, found);
                let void = everywhere && (origin.source > 0 || in_all(unedited, found));
                match finding.severity {
                    Severity::Error => {}
                    Severity::NoEffect if void && !self.resolved => {}
                    Severity::NoEffect | Severity::Caveat => continue,
                }
                let arm = variant.arm.as_ref().filter(|_| !everywhere);
                let arm = arm.map_or(String::new(), |arm| format!(" (in arm `{arm}`)"));
                self.add(origin.clone(), format!("{}{arm}", finding.message), finding.expected.clone(), None);
            }
        }
    }
}

/// Whether every variant has the same finding at the same place.
fn in_all(variants: &[Variant], (finding, origin): &(Finding, Origin)) -> bool {
    let same = |(other, place): &(Finding, Origin)| other.message == finding.message && place == origin;
    variants.iter().all(|variant| variant.findings.iter().any(same))
}

/// The first byte of a value that stands for the whole scenario.
fn head(node: &Node) -> Range<usize> {
    node.span.start..(node.span.start + 1).min(node.span.end)
}

/// The edits of an arm, in the order they are written.
fn arm_edits(
    text: &str,
    base: &Patched,
    entries: &[(Node, Node)],
    values: &std::collections::BTreeMap<String, String>,
) -> Vec<Edit> {
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
    fn checked(self) -> Checked {
        let caveats = self.findings.into_iter().filter(|(finding, _)| finding.severity == Severity::Caveat);
        Checked {
            arm: self.arm,
            caveats: caveats.map(|(finding, _)| finding.message).collect(),
            text: syntax::write(&self.scenario),
            scenario: self.scenario,
        }
    }
}
