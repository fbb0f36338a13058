//! From text to checked scenarios: edits, syntax, shape, ranges, one scenario per arm.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_spec::so_many;
use fedbits_text::{Diagnostics, Document, Edit, Element, Origin, Patched, Problem, Source, Tree};

use crate::bases::{Bases, Library};
use crate::checks::{self, Finding, Severity};
use crate::schema::{Arm, Figure, Scenario};
use crate::settings::Set;

/// A scenario that passed every check: nothing deeper validates again.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The arm's name; `None` when the scenario has no arms.
    pub arm: Option<String>,
    /// The arm's position among the arms of the scenario, from 0.
    pub arm_index: u32,
    /// The scenario with the arm's values in place, and without arms of its own.
    pub scenario: Scenario,
    /// How often every arm is to be run; the scenario of an arm says once.
    pub replicates: u64,
    /// The figures that the scenario declares: of all its arms, so the scenario of an arm has none.
    pub figures: Vec<Figure>,
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

/// Reads a scenario whose bases, if it has any, are in the library; as [`load_with`].
///
/// # Errors
/// As for [`load_with`].
pub fn load(source: Source, sets: &[Set]) -> Result<Vec<Checked>, Diagnostics> {
    load_with(source, sets, &Library)
}

/// Reads a scenario, lays it over the base that it names, applies `sets` in order, and gives one checked scenario per
/// arm (one in all when there are no arms). A value of `sets` that only makes sense as text may stand without quotes.
///
/// # Errors
/// All problems that were found: of syntax, of shape (unknown names, wrong types), of range and of sense.
pub fn load_with(source: Source, sets: &[Set], bases: &dyn Bases) -> Result<Vec<Checked>, Diagnostics> {
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
    Loader { resolved: true, ..Loader::new(vec![source]) }.finish(&[], &Library)
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
    replicates: u64,
    figures: Vec<Figure>,
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

    pub(crate) fn replace_source(&mut self, number: usize, source: Source) {
        self.sources[number] = source;
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

    /// What was read, unless there are problems.
    pub(crate) fn conclude<T>(self, read: Option<T>) -> Result<T, Diagnostics> {
        read.filter(|_| self.problems.is_empty()).ok_or_else(|| Diagnostics::new(self.problems, self.sources))
    }

    fn finish(mut self, sets: &[Set], bases: &dyn Bases) -> Result<Vec<Checked>, Diagnostics> {
        let checked = self.load(sets, bases);
        self.conclude(Some(checked))
    }

    fn load(&mut self, sets: &[Set], bases: &dyn Bases) -> Vec<Checked> {
        let name = self.sources[0].name.rsplit('/').next().unwrap_or_default().to_owned();
        let Some(composed) = self.compose(0, &name, bases) else { return Vec::new() };
        let (base, given) = (composed.text.clone(), composed.text.clone());
        // Without whole syntax nothing can be edited.
        if Tree::scan(self.sources[0].text.as_str()).flaw().is_some() && self.read::<Scenario>(&base).is_none() {
            return Vec::new();
        }
        let mut base = self.with_sets(base, sets);
        composed.rebase(&mut base, bases);
        let Some(scenario) = self.read(&base) else { return Vec::new() };
        self.set_by_arms(sets, &scenario);
        let variants = self.variants(base.clone(), scenario);
        self.resolved |= variants.iter().any(EditedArm::has_void) && says_every_field(&given);
        self.measured(&base, &variants);
        let unedited = if sets.is_empty() { Vec::new() } else { self.unedited(given) };
        self.report(&variants.iter().collect::<Vec<_>>(), &unedited.iter().collect::<Vec<_>>());
        let sources = self.sources();
        let numbered = |(arm_index, variant): (u32, EditedArm)| Checked { arm_index, ..variant.checked(&sources) };
        (0..).zip(variants).map(numbered).collect()
    }

    /// Notes what the figures show and no arm measures.
    fn measured(&mut self, base: &Patched, variants: &[EditedArm]) {
        let Some(first) = variants.first().filter(|_| self.is_clean()) else { return };
        let arms: Vec<_> = variants.iter().map(EditedArm::named).collect();
        let tree = Tree::scan(base.text());
        for finding in checks::measured_by(&first.figures, &arms, false) {
            self.add(base.origin(tree.span(&finding.path)), finding.message, finding.expected, None);
        }
    }

    /// All texts that were read, to be kept by what was read from them.
    pub(crate) fn sources(&self) -> Arc<[Source]> {
        self.sources.clone().into()
    }

    /// A setting that every arm replaces, or something around it.
    fn set_by_arms(&mut self, sets: &[Set], scenario: &Scenario) {
        for (set, number) in sets.iter().zip(self.sources.len() - sets.len()..) {
            let replaces = |arm: &Arm| arm.set.keys().any(|own| checks::is_within(&set.path, own));
            if !scenario.arms.is_empty() && scenario.arms.iter().all(replaces) {
                let origin = set.edit(number).1.path_origin;
                let message = format!("`{}` has no effect: every arm sets it, or what it is in", set.path);
                let expected = format!("expected a path that arms leave, or `arms[0].set[\"{}\"]`", set.path);
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
        let names = |set: &Set| set.path == "arms" || (set.path.starts_with("arms[") && set.path.ends_with(".name"));
        if sets.iter().any(names) && !sets.iter().any(|set| set.path.starts_with("figures")) {
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

    /// The variants of the file alone, whatever problems they have.
    fn unedited(&mut self, base: Patched) -> Vec<EditedArm> {
        let kept = self.problems.len();
        let variants = self.read(&base).map_or_else(Vec::new, |scenario| self.variants(base, scenario));
        self.problems.truncate(kept);
        variants
    }

    /// The scenario once per arm, or as it is.
    fn variants(&mut self, base: Patched, mut scenario: Scenario) -> Vec<EditedArm> {
        let tree = Tree::scan(base.text());
        for finding in checks::arms(&scenario) {
            self.add(base.origin(tree.span(&finding.path)), finding.message, finding.expected, None);
        }
        if scenario.arms.is_empty() {
            return vec![self.variant(None, base, scenario)];
        }
        let arms = std::mem::take(&mut scenario.arms);
        let bare = without_arms(&tree, &base);
        if arms.len().saturating_mul(bare.text().len()) > checks::MOST_BYTES {
            let message = format!("the texts of {} are too long together", so_many(arms.len(), "arm"));
            self.add(base.origin(tree.span("arms")), message, "expected at most 32 MiB".to_owned(), None);
            return Vec::new();
        }
        let common = Common { bare, tree, base, scenario };
        arms.into_iter().enumerate().filter_map(|(index, arm)| self.arm(index, arm, &common)).collect()
    }

    /// One arm: its edits, applied to the base.
    fn arm(&mut self, index: usize, arm: Arm, common: &Common) -> Option<EditedArm> {
        let Common { tree, base, bare, scenario } = common;
        let set = tree.root().field("arms").and_then(|arms| arms.item(index)?.field("set"));
        let entries = set.map_or_else(Vec::new, Element::entries);
        let mut patched = bare.clone();
        self.repeated_keys(tree, base, &entries);
        for (key, value) in entries {
            if Edit::quoted(base, key, value).is_some_and(|edit| !self.edit(&edit, &mut patched)) {
                return None;
            }
        }
        let changed = patched.text() != bare.text();
        let scenario = if changed { self.read(&patched)? } else { scenario.clone() };
        Some(self.variant(Some(arm.name), patched, scenario))
    }

    /// Keys of a map that stand there twice: only the last would count.
    pub(crate) fn repeated_keys(&mut self, tree: &Tree, base: &Patched, entries: &[(Element<'_>, Element<'_>)]) {
        let mut seen = BTreeSet::new();
        for (key, _) in entries {
            let name = &tree.text()[key.span()];
            if !seen.insert(name) {
                let origin = base.origin(key.span());
                self.add(origin, format!("{name} is given twice"), "the second one".to_owned(), None);
            }
        }
    }

    pub(crate) fn variant(&mut self, arm: Option<String>, patched: Patched, mut scenario: Scenario) -> EditedArm {
        scenario.arms.clear();
        let figures = std::mem::take(&mut scenario.figures);
        let replicates = std::mem::replace(&mut scenario.replicates, 1);
        let tree = Tree::scan(patched.text());
        let findings = checks::scenario(&scenario);
        let located = |finding: Finding| {
            let origin = patched.origin(tree.span(&finding.path));
            (finding, origin)
        };
        let findings = findings.into_iter().map(located).collect();
        EditedArm { arm, scenario, replicates, figures, findings, patched }
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

/// What the arms of a scenario start from.
struct Common {
    /// The text with the arms.
    tree: Tree,
    base: Patched,
    /// The text without the arms: of thousands of them, each is read alone.
    bare: Patched,
    /// Without arms.
    scenario: Scenario,
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

/// The text with an empty list of arms.
fn without_arms(tree: &Tree, base: &Patched) -> Patched {
    let mut bare = base.clone();
    if let Some(arms) = tree.root().field("arms") {
        bare.rewrite(arms.span(), "[]");
    }
    bare
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
    fn named(&self) -> (&str, &Scenario) {
        (self.arm.as_deref().unwrap_or_default(), &self.scenario)
    }

    pub(crate) fn checked(self, sources: &Arc<[Source]>) -> Checked {
        let caveats = self.findings.into_iter().filter(|(finding, _)| finding.severity == Severity::Caveat);
        Checked {
            arm: self.arm,
            arm_index: 0,
            caveats: caveats.map(|(finding, _)| finding.message).collect(),
            text: fedbits_text::write(&self.scenario),
            scenario: self.scenario,
            replicates: self.replicates,
            figures: self.figures,
            positions: Positions { sources: Arc::clone(sources), patched: self.patched },
        }
    }
}
