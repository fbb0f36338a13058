//! Reads a study and makes its arms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_record::study::ONE_REPLICATE;
use fedbits_spec::Documented;
use fedbits_spec::describe::Body;
use fedbits_text::{Diagnostics, Edit, Element, Origin, Patched, Problem, Source, Tree, nearest};

use super::axes::{self, Needed, StudyAxis};
use super::kind::is_study;
use super::{Combination, MAX_ARMS};
use crate::bases::Bases;
use crate::checks;
use crate::load::{Checked, EditedArm, Loader};
use crate::schema::{Axis, Objective, Scenario, Stop, Study, Values};

/// A study that passed every check, with all its arms.
#[derive(Clone, Debug)]
pub struct CheckedStudy {
    /// The study as written.
    pub study: Study,
    /// Its axes, with every level.
    pub axes: Vec<StudyAxis>,
    /// Its arms, at least one; the last axis changes fastest.
    pub arms: Vec<StudyArm>,
    /// The number of the baseline among the arms.
    pub baseline: usize,
    /// What is allowed but not to be trusted blindly.
    pub caveats: Vec<String>,
    /// The study as RON with every field and every default.
    pub text: String,
    /// The text as it was written.
    pub source: Source,
}

impl CheckedStudy {
    /// A problem that showed only when runs were prepared, at a path of the study; with the nearest of `names` to
    /// `found`.
    #[must_use]
    pub fn problem(
        &self,
        path: &str,
        (message, expected): (String, String),
        found: &str,
        names: &BTreeSet<&str>,
    ) -> Diagnostics {
        let span = Tree::scan(self.source.text.as_str()).span(path);
        let help = nearest(found, names.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        let problem = Problem { origin: Origin { source: 0, span }, message, expected, help };
        Diagnostics::new(vec![problem], vec![self.source.clone()])
    }
}

/// One arm.
#[derive(Clone, Debug)]
pub struct StudyArm {
    /// Its name: the names of its levels.
    pub name: String,
    /// The level of each axis, in the order of the axes, by its number; the number after the last where the axis does
    /// not exist.
    pub levels: Vec<usize>,
    /// The scenario of the arm's replicate 0.
    pub checked: Checked,
}

/// Reads a study and checks every arm of it. `bases` give the text of the scenario that the study names as its base,
/// and of the bases of that one.
///
/// # Errors
/// All problems that were found: of the study, and of the scenarios that it makes.
pub fn load_study(source: Source, bases: &dyn Bases) -> Result<CheckedStudy, Diagnostics> {
    // The base is not known yet; edits count sources from it.
    let mut loader = Loader::new(vec![Source::new("", ""), source]);
    let study = StudyText::read(&mut loader).and_then(|study| study.load(&mut loader, bases));
    loader.conclude(study)
}

/// The number of the base scenario among the sources, and of the study.
const BASE: usize = 0;
const STUDY: usize = 1;

/// The base of a study.
struct Base {
    /// With the bases that it has itself.
    text: Patched,
    unedited: Scenario,
    /// With what is the same in all arms.
    edited: Patched,
}

/// The first level of each axis, and every other level with the first of the other axes.
fn first_and_singles(axes: &[StudyAxis]) -> Vec<Combination> {
    if axes.iter().any(|axis| axis.labels.is_empty()) {
        return Vec::new();
    }
    let none = Needed::new();
    let single = |axis: usize, level: usize| Combination::with(axes, &Needed::from([(axis, BTreeSet::from([level]))]));
    let levels = |axis: usize| (0..axes[axis].labels.len().min(MAX_ARMS as usize)).map(move |level| (axis, level));
    let singles = (0..axes.len()).flat_map(levels).map(|(axis, level)| single(axis, level));
    let mut all: Vec<Combination> = std::iter::once(Combination::with(axes, &none)).chain(singles).collect();
    let mut seen = BTreeSet::new();
    all.retain(|combination| seen.insert(combination.clone()));
    all
}

/// Of a race whose runs may end before they have cost what the best one costs: they stay undecided.
fn undecided(study: &Study, arms: &[StudyArm]) -> Option<String> {
    let objective = &study.search.as_ref()?.objective;
    let has = |rule: fn(&Stop) -> bool| arms.iter().all(|arm| rule(&arm.checked.scenario.stop));
    let (rule, is_there) = match objective {
        Objective::BitsTo(_) | Objective::UploadTo(_) => ("bits", has(|stop| stop.bits.is_some())),
        Objective::TimeTo(_) => ("time", has(|stop| stop.time.is_some())),
        _ => return None,
    };
    (!is_there).then(|| {
        format!(
            "the search counts {rule}, and its runs end by other rules: of one that ends before the target it is only \
             known that it costs more than it had cost by then; `budget: ({rule}: …)` says when it is too much"
        )
    })
}

/// Of a race with an arm that does not solve the problem of the baseline.
fn other_problem(baseline: &Checked, arms: &[StudyArm]) -> Option<String> {
    let own = baseline.scenario.problem_text();
    let other = arms.iter().find(|arm| arm.checked.scenario.problem_text() != own)?;
    Some(format!(
        "the search decides between arms that solve different problems (other data, clients or model than the \
         baseline): `{}` and perhaps others",
        other.name
    ))
}

/// A study beside its text.
struct StudyText {
    text: Patched,
    tree: Tree,
    study: Study,
}

impl StudyText {
    fn read(loader: &mut Loader) -> Option<Self> {
        let text = Patched::new(STUDY, &loader.source(STUDY).text);
        let study = loader.read(&text)?;
        Some(Self { tree: Tree::scan(text.text()), text, study })
    }

    fn load(self, loader: &mut Loader, bases: &dyn Bases) -> Option<CheckedStudy> {
        let base = self.base_of(loader, bases);
        self.repeated(loader);
        self.without_effect(loader);
        self.budget_twice(loader);
        let mut findings = checks::study(&self.study);
        let axes = self.axes(base.as_ref(), &mut findings);
        // Without a base it is not known what the levels of rules are called.
        if base.is_some() || axes.iter().all(|axis| axis.is_listed) {
            checks::levels(&self.study, &axes, &mut findings);
        }
        let all = |_| Combination::all(&self.study, &axes, MAX_ARMS as usize);
        let combinations = (findings.iter().len() == 0).then_some(()).and_then(all);
        self.add(loader, findings.into_vec());
        // Even when the arms cannot be made, the scenarios that single levels give can be looked at.
        let combinations = combinations.unwrap_or_else(|| first_and_singles(&axes));
        let arms = self.variants(loader, base?, (&axes, &combinations));
        self.study_checks(loader, &axes, &arms);
        if !loader.is_clean() {
            return None;
        }
        Some(self.checked(axes, arms, &loader.sources()))
    }

    /// The base that it names.
    fn base_of(&self, loader: &mut Loader, bases: &dyn Bases) -> Option<Base> {
        let base = bases.text(&self.study.base).and_then(|base| match is_study(&base.text) {
            true => Err(format!("`{}` is a study itself", self.study.base)),
            false => Ok(base),
        });
        let base = base.map(|base| loader.replace_source(BASE, base)).map_err(|why| {
            let expected = "expected a scenario of the library, or a file beside the study";
            loader.add(self.origin("base"), why, expected.to_owned(), None);
        });
        base.ok().and_then(|()| self.base(loader, bases))
    }

    /// Paths, axes and levels that are given twice.
    fn repeated(&self, loader: &mut Loader) {
        let root = self.tree.root();
        let mut maps: Vec<Element<'_>> = ["set", "baseline"].into_iter().filter_map(|name| root.field(name)).collect();
        for index in 0..self.study.exclude.len() {
            maps.extend(root.field("exclude").and_then(|list| list.item(index)));
        }
        for index in 0..self.study.axes.len() {
            let axis = root.field("axes").and_then(|list| list.item(index));
            maps.extend(["paths", "when"].into_iter().filter_map(|name| axis?.field(name)));
            let levels = axis.and_then(|axis| axis.field("levels"));
            maps.extend((0..).map_while(|number| levels?.item(number)).filter_map(|level| level.field("set")));
        }
        maps.iter().for_each(|map| loader.repeated_keys(&self.tree, &self.text, &map.entries()));
    }

    /// A rule of `budget` that is `None`, which would not take the base's away: a resolved study says so of every rule
    /// that it does not give. A budget that somebody wrote does not name them all.
    fn without_effect(&self, loader: &mut Loader) {
        let Body::Fields(all) = Stop::describe().body else { return };
        let rules = self.tree.root().field("budget").map_or_else(Vec::new, Element::fields);
        if rules.len() == all.len() {
            return;
        }
        for (name, value) in rules {
            if &self.tree.text()[value.span()] == "None" {
                let name = &self.tree.text()[name];
                let message = "`None` leaves the base's rule as it is".to_owned();
                let expected = format!("expected a value; `set: {{\"stop.{name}\": \"None\"}}` takes the rule away");
                loader.add(self.text.origin(value.span()), message, expected, None);
            }
        }
    }

    /// A rule of `budget` that `set` gives, too, or that an axis would replace.
    fn budget_twice(&self, loader: &mut Loader) {
        for edit in self.budget() {
            let replaces = |axis: &&Axis| axis.paths().iter().any(|own| checks::is_within(&edit.path, own));
            let by = match self.study.axes.iter().find(replaces) {
                Some(axis) => format!("the axis `{}`", axis.name()),
                None if self.study.set.keys().any(|own| checks::is_within(&edit.path, own)) => "`set`".to_owned(),
                None => continue,
            };
            let message = format!("`{}` is set by {by} too", edit.path);
            loader.add(edit.path_origin, message, "expected every path in one place only".to_owned(), None);
        }
    }

    /// The axes with their levels.
    fn axes(&self, base: Option<&Base>, findings: &mut fedbits_spec::Findings) -> Vec<StudyAxis> {
        let mut takes = |before: &[StudyAxis], number: usize, needed: &Needed, path: &str, value: &str| {
            let Some(base) = base else { return true };
            let mut patched = base.edited.clone();
            let mut edits = self.edits(before, &Combination::with(before, needed));
            let nowhere = self.origin(&format!("axes[{number}]"));
            edits.push(Edit {
                path: path.to_owned(),
                value: value.to_owned(),
                path_origin: nowhere.clone(),
                value_origin: nowhere,
            });
            let made = edits.iter().all(|edit| edit.apply::<Scenario>(&mut patched).is_ok());
            let reading = patched.read::<Scenario>();
            made && reading.value.is_some() && reading.problems.is_empty()
        };
        axes::expand(&self.study, &mut takes, findings)
    }

    /// Locates findings of the study in its text.
    fn add(&self, loader: &mut Loader, findings: Vec<checks::Finding>) {
        for finding in findings {
            loader.add(self.origin(&finding.path), finding.message, finding.expected, None);
        }
    }

    fn origin(&self, path: &str) -> Origin {
        self.text.origin(self.tree.span(path))
    }

    /// The base with what is the same in all arms; `None` when it cannot be read at all.
    fn base(&self, loader: &mut Loader, bases: &dyn Bases) -> Option<Base> {
        let composed = loader.compose(BASE, &self.study.base, bases)?;
        let mut text = composed.text.clone();
        composed.rebase(&mut text, bases);
        let unedited: Scenario = loader.read(&text)?;
        let mut edited = text.clone();
        for edit in self.common_edits() {
            // One that cannot be made, or spoils the scenario, is noted and left out: the others are to be judged too.
            let mut next = edited.clone();
            if loader.edit(&edit, &mut next) && loader.read::<Scenario>(&next).is_some() {
                edited = next;
            }
        }
        Some(Base { text, unedited, edited })
    }

    /// One variant of the base per combination.
    fn variants(
        &self,
        loader: &mut Loader,
        base: Base,
        (axes, combinations): (&[StudyAxis], &[Combination]),
    ) -> Vec<(Combination, EditedArm)> {
        let mut arms = Vec::new();
        for combination in combinations {
            let mut patched = base.edited.clone();
            // Every edit is tried, so that every misspelt path is found.
            let refused = self.edits(axes, combination).iter().filter(|edit| !loader.edit(edit, &mut patched)).count();
            let Some(scenario) = (refused == 0).then(|| loader.read::<Scenario>(&patched)).flatten() else { continue };
            let name = combination.name(&self.study, axes);
            arms.push((combination.clone(), loader.variant(Some(name), patched, scenario)));
        }
        let unedited = loader.variant(None, base.text, base.unedited);
        let variants: Vec<&EditedArm> = arms.iter().map(|(_, variant)| variant).collect();
        loader.report(&variants, &[&unedited]);
        arms
    }

    /// `set` and `budget`: what is the same in all arms.
    fn common_edits(&self) -> Vec<Edit> {
        let root = self.tree.root();
        let set = root.field("set").map_or_else(Vec::new, Element::entries).into_iter();
        let set = set.filter_map(|(key, value)| Edit::quoted(&self.text, key, value));
        set.chain(self.budget()).collect()
    }

    /// The rules of `budget`.
    fn budget(&self) -> Vec<Edit> {
        let budget = self.tree.root().field("budget").map_or_else(Vec::new, Element::fields).into_iter();
        let rules = budget.map(|(name, value)| Edit {
            path: format!("stop.{}", &self.tree.text()[name.clone()]),
            value: self.tree.text()[value.span()].to_owned(),
            path_origin: self.text.origin(name),
            value_origin: self.text.origin(value.span()),
        });
        // A resolved study says `None` of the rules that it does not give.
        rules.filter(|rule| rule.value != "None").collect()
    }

    /// What the levels of a combination of the first axes change.
    fn edits(&self, axes: &[StudyAxis], combination: &Combination) -> Vec<Edit> {
        let levels = axes.iter().enumerate().zip(&combination.0);
        levels.flat_map(|((index, axis), &level)| self.axis_edits(index, axis, level)).collect()
    }

    fn axis_edits(&self, index: usize, axis: &StudyAxis, level: usize) -> Vec<Edit> {
        let written = self.tree.root().field("axes").and_then(|axes| axes.item(index));
        let field = |name: &str| written.and_then(|axis| axis.field(name));
        let rules = match &self.study.axes[index] {
            Axis::Grid { .. } => field("path").zip(field("values")).into_iter().collect(),
            Axis::Cases { .. } => {
                let set = field("levels").and_then(|levels| levels.item(level)).and_then(|level| level.field("set"));
                let set = set.map_or_else(Vec::new, Element::entries).into_iter();
                return set.filter_map(|(path, value)| Edit::quoted(&self.text, path, value)).collect();
            }
            _ => field("paths").map_or_else(Vec::new, Element::entries),
        };
        let edit = |(path, rule): (Element<'_>, Element<'_>)| {
            let listed = rule.item(level).filter(|_| axis.is_listed);
            if let Some(edit) = listed.and_then(|value| Edit::quoted(&self.text, path, value)) {
                return Some(edit);
            }
            // What a rule gives stands where the rule does, a number without quotes where it does itself.
            let name = path.string()?;
            let (_, values) = axis.paths.iter().find(|(own, _)| *own == name)?;
            Some(Edit {
                value: values.get(level)?.clone(),
                path_origin: self.text.origin(path.span()),
                value_origin: self.text.origin(listed.map_or(rule, |value| value).span()),
                path: name,
            })
        };
        rules.into_iter().filter_map(edit).collect()
    }

    /// What only the arms together can get wrong.
    fn study_checks(&self, loader: &mut Loader, axes: &[StudyAxis], arms: &[(Combination, EditedArm)]) {
        let scenarios: Vec<&Scenario> = arms.iter().map(|(_, variant)| &variant.scenario).collect();
        if !scenarios.is_empty() {
            self.add(loader, checks::measured(&self.study, &scenarios));
        }
        // Arms are alike, too, when something of what distinguishes them could not be read.
        if !loader.is_clean() {
            return;
        }
        let names: Vec<String> = arms.iter().map(|(combination, _)| combination.name(&self.study, axes)).collect();
        let named: Vec<_> = names.iter().map(String::as_str).zip(scenarios).collect();
        self.add(loader, checks::figures(&self.study, &named));
        let mut seen: BTreeMap<String, &Combination> = BTreeMap::new();
        for (combination, variant) in arms {
            let Some(first) = seen.get(&variant.scenario.identity()) else {
                seen.insert(variant.scenario.identity(), combination);
                continue;
            };
            let axis = (0..combination.0.len()).find(|&axis| combination.0[axis] != first.0[axis]).unwrap_or(0);
            let message = format!(
                "the arms `{}` and `{}` are the same scenario",
                first.name(&self.study, axes),
                combination.name(&self.study, axes)
            );
            let level = combination.0[axis];
            let place = match &self.study.axes[axis] {
                Axis::Grid { values: Values::List(_), .. } => format!("axes[{axis}].values[{level}]"),
                Axis::Grid { .. } => format!("axes[{axis}].values"),
                Axis::Zip { .. } => format!("axes[{axis}].labels[{level}]"),
                Axis::Cases { .. } => format!("axes[{axis}].levels[{level}]"),
                _ => format!("axes[{axis}].points"),
            };
            let origin = self.origin(&place);
            loader.add(origin, message, "expected levels that differ in what they set".to_owned(), None);
        }
    }

    fn checked(
        self,
        axes: Vec<StudyAxis>,
        arms: Vec<(Combination, EditedArm)>,
        sources: &Arc<[Source]>,
    ) -> CheckedStudy {
        let baseline = Combination::baseline(&self.study, &axes);
        let baseline = arms.iter().position(|(combination, _)| *combination == baseline).unwrap_or(0);
        let arm = |(combination, variant): (Combination, EditedArm)| StudyArm {
            name: combination.name(&self.study, &axes),
            levels: combination.0,
            checked: variant.checked(sources),
        };
        let arms: Vec<StudyArm> = arms.into_iter().map(arm).collect();
        let mut caveats = Vec::new();
        if self.study.replicates < 2 {
            caveats.push(ONE_REPLICATE.to_owned());
        }
        let odd = |axis: &&Axis| matches!(axis, Axis::Sobol(own) if !own.points.is_power_of_two());
        for axis in self.study.axes.iter().filter(odd) {
            caveats.push(format!(
                "the axis `{}` has {} points of a Sobol sequence: only powers of two cover the ranges evenly",
                axis.name(),
                axis.count()
            ));
        }
        caveats.extend(undecided(&self.study, &arms));
        let named: Vec<_> = arms.iter().map(|arm| (arm.name.as_str(), &arm.checked.scenario)).collect();
        caveats.extend(checks::figure_caveats(&self.study.figures, &named, true));
        caveats.extend(self.study.search.as_ref().and_then(|_| other_problem(&arms[baseline].checked, &arms)));
        let source = sources[STUDY].clone();
        CheckedStudy {
            text: fedbits_text::write(&self.study),
            axes,
            arms,
            baseline,
            caveats,
            study: self.study,
            source,
        }
    }
}
