//! From text to checked scenarios: edits, syntax, shape, ranges, arms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_spec::so_many;
use fedbits_text::{Diagnostics, Document, Edit, Element, Origin, Patched, Problem, Source, Tree, nearest};

use crate::arms::{self, ArmTexts, Combination, ExpandedAxis, MadeArms};
use crate::bases::{Bases, Library};
use crate::checks::{self, Finding, Severity};
use crate::schema::{Axis, Scenario};
use crate::settings::Set;

/// A scenario that passed every check, with all its arms: nothing deeper validates again.
#[derive(Clone, Debug)]
pub struct CheckedScenario {
    /// The scenario with its bases and edits.
    pub scenario: Scenario,
    /// Its axes, with every level; the arms that it lists are the first of them.
    pub axes: Vec<ExpandedAxis>,
    /// Its arms, at least one; the last axis changes fastest.
    pub arms: Vec<Checked>,
    /// The number of the baseline among the arms.
    pub baseline: usize,
    /// What is allowed but not to be trusted blindly, of the arms together.
    pub caveats: Vec<String>,
    positions: Positions,
}

impl CheckedScenario {
    /// The scenario as RON with every field and every default.
    #[must_use]
    pub fn text(&self) -> String {
        fedbits_text::write(&self.scenario)
    }

    /// A problem that showed only when runs were prepared, at a path of the scenario; with the nearest of `names` to
    /// `found`.
    #[must_use]
    pub fn problem(
        &self,
        path: &str,
        (message, expected): (String, String),
        found: &str,
        names: &BTreeSet<&str>,
    ) -> Diagnostics {
        let Positions { sources, patched } = &self.positions;
        let origin = patched.origin(Tree::scan(patched.text()).span(path));
        let help = nearest(found, names.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        Diagnostics::new(vec![Problem { origin, message, expected, help }], sources.to_vec())
    }
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
    pub caveats: Vec<String>,
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
    /// The same with another replicate.
    #[must_use]
    pub fn of_replicate(&self, replicate: u64) -> Self {
        let scenario = Scenario { replicate, ..self.scenario.clone() };
        Self { text: fedbits_text::write(&scenario), scenario, ..self.clone() }
    }

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

/// The arms of a scenario whose bases, if it has any, are in the library; as [`load_with`].
///
/// # Errors
/// As for [`load_with`].
pub fn load(source: Source, sets: &[Set]) -> Result<Vec<Checked>, Diagnostics> {
    load_with(source, sets, &Library).map(|scenario| scenario.arms)
}

/// Reads a scenario, lays it over the base that it names, applies `sets` in order, and makes its arms (one in all when
/// there are neither arms nor axes). A value of `sets` that only makes sense as text may stand without quotes.
///
/// # Errors
/// All problems that were found: of syntax, of shape (unknown names, wrong types), of range and of sense.
pub fn load_with(source: Source, sets: &[Set], bases: &dyn Bases) -> Result<CheckedScenario, Diagnostics> {
    let finish = |sets: &[Set]| Loader::new(vec![source.clone()]).finish(sets, bases);
    let problems = match finish(sets) {
        Ok(read) => return Ok(read),
        Err(problems) => problems,
    };
    let is_wrong = |set: &Set, problems: &Diagnostics| {
        problems.problems().iter().any(|problem| problem.source == set.source_name())
    };
    let quoted = |set: &Set| set.quoted().filter(|_| is_wrong(set, &problems)).unwrap_or_else(|| set.clone());
    let tried: Vec<Set> = sets.iter().map(quoted).collect();
    let again = match finish(&tried) {
        Ok(read) => return Ok(read),
        Err(again) => again,
    };
    // Those were meant as texts of which nothing is said any more, and those that are nothing else; the others stay as
    // they were written.
    let meant = |(own, set): (&Set, &Set)| {
        if is_wrong(own, &again) && set.is_ron() { set.clone() } else { own.clone() }
    };
    let meant: Vec<Set> = tried.iter().zip(sets).map(meant).collect();
    if meant == sets { Err(problems) } else { finish(&meant) }
}

/// Reads [`Checked::text`] again, as a record keeps it. A setting of the scenario that has no effect in this one of its
/// arms is no mistake there.
///
/// # Errors
/// All problems that were found, as for [`load`].
pub fn load_resolved(source: Source) -> Result<Vec<Checked>, Diagnostics> {
    Loader { resolved: true, ..Loader::new(vec![source]) }.finish(&[], &Library).map(|scenario| scenario.arms)
}

/// What is being read, and what was found to be wrong with it so far.
pub(crate) struct Loader {
    /// Is the text one that `load` has given? It says every field, also those without effect.
    resolved: bool,
    sources: Vec<Source>,
    /// The numbers of those that others were laid over.
    bases: BTreeSet<usize>,
    problems: Vec<Problem>,
}

/// One arm after its edits.
pub(crate) struct EditedArm {
    pub(crate) arm: Option<String>,
    pub(crate) scenario: Scenario,
    findings: Vec<(Finding, Origin)>,
    patched: Patched,
}

impl Loader {
    pub(crate) fn new(sources: Vec<Source>) -> Self {
        Loader { resolved: false, sources, bases: BTreeSet::new(), problems: Vec::new() }
    }

    pub(crate) fn source(&self, number: usize) -> &Source {
        &self.sources[number]
    }

    /// Keeps the text of a base, and gives its number.
    pub(crate) fn add_base(&mut self, source: Source) -> usize {
        self.sources.push(source);
        self.bases.insert(self.sources.len() - 1);
        self.sources.len() - 1
    }

    /// How many problems were found so far.
    pub(crate) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Whether no problem was found so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    fn finish(mut self, sets: &[Set], bases: &dyn Bases) -> Result<CheckedScenario, Diagnostics> {
        let read = self.load(sets, bases);
        read.filter(|_| self.is_clean()).ok_or_else(|| Diagnostics::new(self.problems, self.sources))
    }

    fn load(&mut self, sets: &[Set], bases: &dyn Bases) -> Option<CheckedScenario> {
        let name = self.sources[0].name.rsplit('/').next().unwrap_or_default().to_owned();
        let composed = self.compose(0, &name, bases)?;
        let given = composed.text.clone();
        // Without whole syntax nothing can be edited.
        if Tree::scan(self.sources[0].text.as_str()).flaw().is_some() && self.read::<Scenario>(&given).is_none() {
            return None;
        }
        let mut text = self.with_sets(given.clone(), sets);
        composed.rebase(&mut text, bases);
        let scenario = self.read(&text)?;
        self.check_replaced(sets, &scenario);
        let texts = ArmTexts::new(text.clone(), scenario);
        let made = texts.make(self);
        self.resolved |= made.variants().iter().any(|variant| variant.has_void()) && says_every_field(&given);
        let unedited = if sets.is_empty() { None } else { self.unedited(given) };
        self.report(&made.variants(), &unedited.as_ref().map_or_else(Vec::new, MadeArms::variants));
        texts.check_together(self, &made);
        if !self.is_clean() {
            return None;
        }
        let (baseline, caveats) = texts.concluded(&made);
        let (sources, MadeArms { axes, arms }): (Arc<[Source]>, _) = (self.sources.clone().into(), made);
        let arm = |(arm_index, (combination, variant)): (u32, (Combination, EditedArm))| {
            variant.checked(arm_index, combination.0, &sources)
        };
        let arms = (0..).zip(arms).map(arm).collect();
        let positions = Positions { sources: Arc::clone(&sources), patched: text };
        Some(CheckedScenario { scenario: texts.scenario, axes, arms, baseline, caveats, positions })
    }

    /// A setting that every arm replaces, or something around it.
    fn check_replaced(&mut self, sets: &[Set], scenario: &Scenario) {
        let axes = arms::all(scenario);
        for (set, number) in sets.iter().zip(self.sources.len() - sets.len()..) {
            let replaces = |axis: &Axis| match axis {
                Axis::Cases { levels, .. } if !levels.is_empty() => {
                    levels.iter().all(|level| level.set.keys().any(|path| checks::is_within(&set.path, path)))
                }
                axis => axis.paths().iter().any(|path| checks::is_within(&set.path, path)),
            };
            let by = axes.iter().position(|axis| axis.when().is_empty() && replaces(axis));
            if let Some(by) = by {
                let place = arms::place(scenario, by);
                let origin = set.edit(number).1.path_origin;
                let message = format!("`{}` has no effect: every arm sets it, or what it is in", set.path);
                let instead = match &axes[by] {
                    Axis::Grid { .. } => format!("{place}.values"),
                    Axis::Cases { .. } => format!("{}.set[\"{}\"]", arms::place_of_level(scenario, by, 0), set.path),
                    _ => format!("{place}.paths[\"{}\"]", set.path),
                };
                let expected = format!("expected a path that arms leave, or `{instead}`");
                self.add(origin, message, expected, None);
            }
        }
    }

    fn with_sets(&mut self, mut base: Patched, sets: &[Set]) -> Patched {
        for set in sets {
            let (source, edit) = set.edit(self.sources.len());
            self.sources.push(source);
            self.edit(&edit, &mut base);
        }
        if sets.iter().any(|set| names_arms(&set.path)) && !sets.iter().any(|set| set.path.starts_with("figures")) {
            leave_out_figures(&mut base);
        }
        base
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

    /// The arms of the file alone, whatever problems they have.
    fn unedited(&mut self, text: Patched) -> Option<MadeArms> {
        let kept = self.problems.len();
        let made = self.read(&text).map(|scenario| ArmTexts::new(text, scenario).make(self));
        self.problems.truncate(kept);
        made
    }

    /// Keys of a map that stand there twice: only the last would count.
    pub(crate) fn check_repeated_keys(&mut self, tree: &Tree, base: &Patched, entries: &[(Element<'_>, Element<'_>)]) {
        let mut seen = BTreeSet::new();
        for (key, _) in entries {
            let name = &tree.text()[key.span()];
            if !seen.insert(name) {
                let origin = base.origin(key.span());
                self.add(origin, format!("{name} is given twice"), "the second one".to_owned(), None);
            }
        }
    }

    /// The scenario of one arm, with what is wrong in it.
    pub(crate) fn variant(&mut self, arm: Option<String>, patched: Patched, scenario: Scenario) -> EditedArm {
        let tree = Tree::scan(patched.text());
        let findings = checks::scenario(&scenario);
        let located = |finding: Finding| {
            let origin = patched.origin(tree.span(&finding.path));
            (finding, origin)
        };
        let findings = findings.into_iter().map(located).collect();
        EditedArm { arm, scenario, findings, patched }
    }

    /// Reports what is wrong in each arm, and says in which when it is not wrong in all of them. A setting without
    /// effect is a mistake only when no arm gives it one, and the file alone does neither: edits need not clean up
    /// behind themselves.
    pub(crate) fn report(&mut self, variants: &[&EditedArm], unedited: &[&EditedArm]) {
        let (here, before) = (FindingCounts::of(variants), FindingCounts::of(unedited));
        let (mut seen, mut void) = (BTreeSet::new(), WithoutEffect::default());
        for variant in variants {
            for found in &variant.findings {
                let (finding, origin) = found;
                let everywhere = here.everywhere(found);
                match finding.severity {
                    Severity::Error => {}
                    Severity::NoEffect if !here.void(found) => continue,
                    Severity::NoEffect if origin.source == 0 && self.resolved => continue,
                    Severity::NoEffect if self.bases.contains(&origin.source) => continue,
                    Severity::NoEffect if origin.source == 0 && !before.everywhere(found) => continue,
                    Severity::NoEffect => {}
                    Severity::Caveat => continue,
                }
                if !seen.insert((&finding.message, origin.source, origin.span.start)) {
                    continue;
                }
                if finding.severity == Severity::NoEffect {
                    void.add(finding, origin);
                    continue;
                }
                let arm = variant.arm.as_ref().filter(|_| !everywhere);
                let others = match here.here(found) {
                    0 | 1 => String::new(),
                    count => format!(" and {}", so_many(count - 1, "other")),
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

/// Settings without effect, by the reason and the text that they are in: what makes several of them void is one
/// mistake.
#[derive(Default)]
struct WithoutEffect<'v>(BTreeMap<(&'v str, usize), Vec<(&'v Finding, &'v Origin)>>);

impl<'v> WithoutEffect<'v> {
    fn add(&mut self, finding: &'v Finding, origin: &'v Origin) {
        self.0.entry((&finding.expected, origin.source)).or_default().push((finding, origin));
    }

    /// Of each problem the positions, the first of which is the problem's, its message and the reason.
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

/// Does a text say every field, as those do that `load` gives?
fn says_every_field(text: &Patched) -> bool {
    let paths = |text| Tree::scan(text).settings().into_iter().map(|(path, _)| path).collect::<BTreeSet<_>>();
    let whole = text.read::<Scenario>().value.map(|scenario| paths(fedbits_text::write(&scenario)));
    whole.is_some_and(|whole| whole.is_subset(&paths(text.text())))
}

/// Figures show arms: where others take their place, they have nothing to show.
pub(crate) fn leave_out_figures(text: &mut Patched) {
    let tree = Tree::scan(text.text());
    if let Some(figures) = tree.root().field("figures") {
        text.rewrite(figures.span(), "[]");
    }
}

/// Whether a path names the arms anew.
fn names_arms(path: &str) -> bool {
    let lists = ["arms", "axes"].into_iter().find(|list| checks::is_within(path, list));
    lists.is_some_and(|list| list == path || [".name", ".labels", ".values"].iter().any(|end| path.contains(end)))
}

/// In how many variants the same is found.
struct FindingCounts<'v> {
    variants: usize,
    /// By message and position.
    here: BTreeMap<(&'v str, usize, usize), usize>,
    /// By message, wherever it is written.
    anywhere: BTreeMap<&'v str, usize>,
}

impl<'v> FindingCounts<'v> {
    fn of(variants: &[&'v EditedArm]) -> Self {
        let (mut here, mut anywhere) = (BTreeMap::new(), BTreeMap::new());
        for (finding, origin) in variants.iter().flat_map(|variant| &variant.findings) {
            *here.entry((finding.message.as_str(), origin.source, origin.span.start)).or_default() += 1;
            *anywhere.entry(finding.message.as_str()).or_default() += 1;
        }
        FindingCounts { variants: variants.len(), here, anywhere }
    }

    /// Whether every variant has the same finding at the same position.
    fn everywhere(&self, found: &(Finding, Origin)) -> bool {
        self.here(found) >= self.variants
    }

    /// In how many variants the same is found at the same position.
    fn here(&self, (finding, origin): &(Finding, Origin)) -> usize {
        self.here.get(&(finding.message.as_str(), origin.source, origin.span.start)).copied().unwrap_or(0)
    }

    /// Whether every variant has the same finding, at whatever position.
    fn void(&self, (finding, _): &(Finding, Origin)) -> bool {
        self.anywhere.get(finding.message.as_str()).copied().unwrap_or(0) >= self.variants
    }
}

impl EditedArm {
    fn has_void(&self) -> bool {
        self.findings.iter().any(|(finding, _)| finding.severity == Severity::NoEffect)
    }

    /// Its name, empty of a scenario without arms, and what is run.
    pub(crate) fn named(&self) -> (&str, &Scenario) {
        (self.arm.as_deref().unwrap_or_default(), &self.scenario)
    }

    fn checked(self, arm_index: u32, levels: Vec<usize>, sources: &Arc<[Source]>) -> Checked {
        let caveats = self.findings.into_iter().filter(|(finding, _)| finding.severity == Severity::Caveat);
        Checked {
            arm: self.arm,
            arm_index,
            levels,
            caveats: caveats.map(|(finding, _)| finding.message).collect(),
            text: fedbits_text::write(&self.scenario),
            scenario: self.scenario,
            positions: Positions { sources: Arc::clone(sources), patched: self.patched },
        }
    }
}
