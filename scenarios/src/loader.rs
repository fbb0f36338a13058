//! Reading of scenarios' texts: edits, and what is wrong, with its position in a text. This file must not know how arms
//! are made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_kernel::network::{self, SharingSetting};
use fedbits_spec::{Caveat, Kind, so_many};
use fedbits_tcp::Tcp;
use fedbits_text::{Document, Edit, Origin, Patched, Problem, Source, Tree};

use crate::checks::{self, Finding, Severity};
use crate::schema::Scenario;

/// Registers the parts that have a crate of their own. Reading a scenario does it.
pub fn register_parts() {
    // Another part of this name was there before: `fedbits::App` refuses it.
    let _ = <dyn SharingSetting>::registry().add(network::entry::<Tcp>());
}

/// One arm of a checked scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The arm's name; `None` when the scenario has neither arms nor axes.
    pub arm: Option<String>,
    /// The arm's position among the arms of the scenario, from 0.
    pub arm_index: u32,
    /// The level of each axis, by its number; the number after the last where the axis does not exist.
    pub levels: Vec<usize>,
    /// The scenario with the arm's values in place, and without what speaks of several runs.
    pub scenario: Scenario,
    /// What is allowed but not to be trusted blindly; each is printed wherever results of the run are shown.
    pub caveats: Vec<Caveat>,
    /// The scenario as RON with every field and every default: `load` gives the same scenario for it. Fields without
    /// effect are no mistake in such a text.
    pub text: String,
    /// Where its values were written.
    pub(crate) positions: Positions,
}

/// The texts that a scenario was put together from.
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    pub(crate) sources: Arc<[Source]>,
    pub(crate) patched: Patched,
}

/// Where a value was written makes no difference to what it is.
impl PartialEq for Positions {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Checked {
    /// Names of the columns that a run of it can add to `rounds.csv`; none where only the run tells.
    #[must_use]
    pub fn columns(&self) -> Option<Vec<&'static str>> {
        checks::columns(&self.scenario)
    }

    /// Can a run of it measure this quantity, one that runs of most protocols measure? True where only the run tells.
    #[must_use]
    pub fn may_measure(&self, name: &str) -> bool {
        checks::may_measure(&self.scenario, name)
    }
}

/// What is being read, and what was found to be wrong with it so far.
pub(crate) struct Loader {
    /// Is the text one that `load` has given? It says every field, also those without effect.
    pub(crate) resolved: bool,
    pub(crate) sources: Vec<Source>,
    /// The numbers of those that others were laid over.
    bases: BTreeSet<usize>,
    pub(crate) problems: Vec<Problem>,
}

/// One arm after its edits.
pub(crate) struct EditedArm {
    pub(crate) arm: Option<String>,
    /// The level of each axis, as [`Checked::levels`].
    pub(crate) levels: Vec<usize>,
    pub(crate) scenario: Scenario,
    findings: Vec<(Finding, Origin)>,
    caveats: Vec<Caveat>,
    patched: Patched,
}

impl Loader {
    pub(crate) fn new(sources: Vec<Source>) -> Self {
        register_parts();
        Loader { resolved: false, sources, bases: BTreeSet::new(), problems: Vec::new() }
    }

    /// Keeps the text of a base, and gives its number.
    pub(crate) fn add_base(&mut self, source: Source) -> usize {
        self.sources.push(source);
        self.bases.insert(self.sources.len() - 1);
        self.sources.len() - 1
    }

    /// Whether no problem was found so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Makes an edit; one that cannot be made is noted, and is not made.
    pub(crate) fn edit(&mut self, edit: &Edit, text: &mut Patched) -> bool {
        let made = edit.apply::<Scenario>(text);
        made.map_err(|problem| self.problems.push(problem)).is_ok()
    }

    pub(crate) fn add(&mut self, origin: Origin, message: String, expected: String, help: Option<String>) {
        self.problems.push(Problem { origin, message, expected, help });
    }

    /// The value of a text: `None` when its syntax or its shape leaves no certain reading. Problems are noted.
    pub(crate) fn read<T: Document>(&mut self, patched: &Patched) -> Option<T> {
        let reading = patched.read();
        self.problems.extend(reading.problems);
        reading.value
    }

    /// The scenario of one arm, with what is wrong in it.
    pub(crate) fn variant(
        &mut self,
        (arm, levels): (Option<String>, Vec<usize>),
        patched: Patched,
        scenario: Scenario,
    ) -> EditedArm {
        let tree = Tree::scan(patched.text());
        let (findings, caveats) = checks::scenario(&scenario).into_parts();
        let located = |finding: Finding| {
            let origin = patched.origin(tree.span(&finding.path));
            (finding, origin)
        };
        let findings = findings.into_iter().map(located).collect();
        EditedArm { arm, levels, scenario, findings, caveats, patched }
    }

    /// Reports what is wrong in each arm, and says in which when it is not wrong in all of them. A setting without
    /// effect is a mistake only when no arm gives it one, and the file alone does neither: edits need not clean up
    /// behind themselves.
    pub(crate) fn report(&mut self, variants: &[EditedArm], unedited: &[EditedArm]) {
        let (here, before) = (counts(variants, in_place), counts(unedited, in_place));
        let anywhere = counts(variants, |(finding, _)| finding.message.as_str());
        let mut seen = BTreeSet::new();
        // By the reason and the text that they are in: what makes several settings void is one mistake.
        let mut void = BTreeMap::<(&str, usize), Vec<(&Finding, &Origin)>>::new();
        for variant in variants {
            for found in &variant.findings {
                let (finding, origin) = found;
                let everywhere = here[&in_place(found)] >= variants.len();
                let is_void = anywhere[finding.message.as_str()] >= variants.len();
                let was_everywhere = before.get(&in_place(found)).copied().unwrap_or(0) >= unedited.len();
                match finding.severity {
                    Severity::Error => {}
                    Severity::NoEffect if !is_void => continue,
                    Severity::NoEffect if origin.source == 0 && self.resolved => continue,
                    Severity::NoEffect if self.bases.contains(&origin.source) => continue,
                    Severity::NoEffect if origin.source == 0 && !was_everywhere => continue,
                    Severity::NoEffect => {}
                }
                if !seen.insert((&finding.message, origin.source, origin.span.start)) {
                    continue;
                }
                if finding.severity == Severity::NoEffect {
                    void.entry((&finding.expected, origin.source)).or_default().push((finding, origin));
                    continue;
                }
                let arm = variant.arm.as_ref().filter(|_| !everywhere);
                let more = match here[&in_place(found)] {
                    0 | 1 => String::new(),
                    count => format!(" and {}", so_many(count - 1, "other")),
                };
                let arm = arm.map_or(String::new(), |arm| format!(" (in arm `{arm}`{more})"));
                self.add(origin.clone(), format!("{}{arm}", finding.message), finding.expected.clone(), None);
            }
        }
        for ((why, source), mut settings) in void {
            settings.sort_by_key(|(_, origin)| origin.span.start);
            let names: Vec<String> = settings.iter().map(|(finding, _)| format!("`{}`", finding.path)).collect();
            let message = match names.split_last() {
                Some((last, before)) if !before.is_empty() => {
                    format!("{} and {last} have no effect", before.join(", "))
                }
                _ => settings[0].0.message.clone(),
            };
            let text = &self.sources[source].text;
            let line = |origin: &Origin| (text[..origin.span.start].matches('\n').count() + 1).to_string();
            let lines: Vec<String> = settings.iter().skip(1).map(|(_, origin)| line(origin)).collect();
            let help = (!lines.is_empty()).then(|| format!("the others stand in line {}", lines.join(", ")));
            self.add(settings[0].1.clone(), message, why.to_owned(), help);
        }
    }
}

/// Figures and offers name arms: where others take their place, they have nothing to name.
pub(crate) fn leave_out_figures(text: &mut Patched) {
    for field in ["figures", "offer"] {
        let tree = Tree::scan(text.text());
        if let Some(value) = tree.root().field(field) {
            text.rewrite(value.span(), "[]");
        }
    }
}

/// What is found, and where: the same at the same position is one.
fn in_place((finding, origin): &(Finding, Origin)) -> (&str, usize, usize) {
    (finding.message.as_str(), origin.source, origin.span.start)
}

/// How often the same is found in some variants; `same` tells what that is.
fn counts<'v, K: Ord>(variants: &'v [EditedArm], same: fn(&'v (Finding, Origin)) -> K) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    for found in variants.iter().flat_map(|variant| &variant.findings) {
        *counts.entry(same(found)).or_default() += 1;
    }
    counts
}

impl EditedArm {
    pub(crate) fn has_void(&self) -> bool {
        self.findings.iter().any(|(finding, _)| finding.severity == Severity::NoEffect)
    }

    /// Its name, empty of a scenario without arms, and what is run.
    pub(crate) fn named(&self) -> (&str, &Scenario) {
        (self.arm.as_deref().unwrap_or_default(), &self.scenario)
    }

    pub(crate) fn checked(self, arm_index: u32, sources: &Arc<[Source]>) -> Checked {
        Checked {
            arm: self.arm,
            arm_index,
            levels: self.levels,
            caveats: self.caveats,
            text: fedbits_text::write(&self.scenario),
            scenario: self.scenario,
            positions: Positions { sources: Arc::clone(sources), patched: self.patched },
        }
    }
}
