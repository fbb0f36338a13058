//! Reads a study and makes its arms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_text::{Diagnostics, Edit, Element, Origin, Patched, Problem, Source, Tree, nearest};

use super::Combination;
use crate::checks;
use crate::load::{Checked, EditedArm, Loader};
use crate::schema::{Axis, Scenario, Study};

/// A study that passed every check, with all its arms.
#[derive(Clone, Debug)]
pub struct CheckedStudy {
    /// The study as written.
    pub study: Study,
    /// Its arms, at least one; the last axis changes fastest.
    pub arms: Vec<StudyArm>,
    /// The number of the baseline among the arms.
    pub baseline: usize,
    /// What is allowed but not to be trusted blindly.
    pub caveats: Vec<String>,
    /// The study as RON with every field and every default.
    pub text: String,
    /// The text as it was written.
    source: Source,
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
    /// The level of each axis, in the order of the axes, by its number.
    pub levels: Vec<usize>,
    /// The scenario of the arm's replicate 0.
    pub checked: Checked,
}

/// Whether a text is meant as a study: it names a base, and no data of its own.
#[must_use]
pub fn is_study(text: &str) -> bool {
    let tree = Tree::scan(text);
    let has = |name: &str| tree.root().field(name).is_some();
    !has("data") && (has("base") || has("axes") || has("replicates"))
}

/// Reads a study and checks every arm of it. `find_base` gives the text of the scenario that the study names as its
/// base, or says why there is none.
///
/// # Errors
/// All problems that were found: of the study, and of the scenarios that it makes.
pub fn load_study(
    source: Source,
    find_base: &dyn Fn(&str) -> Result<Source, String>,
) -> Result<CheckedStudy, Diagnostics> {
    // The base is not known yet; edits count sources from it.
    let mut loader = Loader::new(vec![Source::new("", ""), source]);
    let study = StudyText::read(&mut loader).and_then(|study| study.load(&mut loader, find_base));
    loader.conclude(study)
}

/// The number of the base scenario among the sources, and of the study.
const BASE: usize = 0;
const STUDY: usize = 1;

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

    fn load(self, loader: &mut Loader, find_base: &dyn Fn(&str) -> Result<Source, String>) -> Option<CheckedStudy> {
        let findings = checks::study(&self.study);
        let combinations = findings.is_empty().then(|| Combination::all(&self.study));
        self.add(loader, findings);
        let base = find_base(&self.study.base).and_then(|base| match is_study(&base.text) {
            true => Err(format!("`{}` is a study itself", self.study.base)),
            false => Ok(base),
        });
        match base {
            Ok(base) => loader.replace_source(BASE, base),
            Err(why) => {
                let expected = "expected a scenario of the library, or a file beside the study";
                loader.add(self.origin("base"), why, expected.to_owned(), None);
                return None;
            }
        }
        // Even when the arms cannot be made, the scenarios that single levels give can be looked at.
        let arms = self.variants(loader, &combinations.unwrap_or_else(|| self.first_and_singles()))?;
        self.study_checks(loader, &arms);
        if !loader.is_clean() {
            return None;
        }
        Some(self.checked(arms, &loader.sources()))
    }

    /// The first level of each axis, and every other level with the first of the other axes.
    fn first_and_singles(&self) -> Vec<Combination> {
        let axes = &self.study.axes;
        if axes.iter().any(|axis| axis.labels().is_empty()) {
            return Vec::new();
        }
        let first = Combination(vec![0; axes.len()]);
        let single = |axis: usize, level: usize| {
            let mut combination = first.clone();
            combination.0[axis] = level;
            combination
        };
        let levels =
            |axis: usize| (1..axes[axis].labels().len().min(super::MAX_ARMS as usize)).map(move |level| (axis, level));
        let singles = (0..axes.len()).flat_map(levels).map(|(axis, level)| single(axis, level));
        std::iter::once(first.clone()).chain(singles).collect()
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

    /// One variant of the base per combination; `None` when the base cannot be read at all.
    fn variants(&self, loader: &mut Loader, combinations: &[Combination]) -> Option<Vec<(Combination, EditedArm)>> {
        let mut base = Patched::new(BASE, &loader.source(BASE).text);
        let unedited: Scenario = loader.read(&base)?;
        for edit in self.common_edits() {
            // One that cannot be made, or spoils the scenario, is noted and left out: the others are to be judged too.
            let mut edited = base.clone();
            if loader.edit(&edit, &mut edited) && loader.read::<Scenario>(&edited).is_some() {
                base = edited;
            }
        }
        let mut arms = Vec::new();
        for combination in combinations {
            let mut patched = base.clone();
            // Every edit is tried, so that every misspelt path is found.
            let refused = self.edits(combination).iter().filter(|edit| !loader.edit(edit, &mut patched)).count();
            let Some(scenario) = (refused == 0).then(|| loader.read::<Scenario>(&patched)).flatten() else { continue };
            arms.push((combination.clone(), loader.variant(Some(combination.name(&self.study)), patched, scenario)));
        }
        let original = Patched::new(BASE, &loader.source(BASE).text);
        let unedited = loader.variant(None, original, unedited);
        let variants: Vec<&EditedArm> = arms.iter().map(|(_, variant)| variant).collect();
        loader.report(&variants, &[&unedited]);
        Some(arms)
    }

    /// `set` and `budget`: what is the same in all arms.
    fn common_edits(&self) -> Vec<Edit> {
        let root = self.tree.root();
        let set = root.field("set").map_or_else(Vec::new, Element::entries).into_iter();
        let set = set.filter_map(|(key, value)| Edit::quoted(&self.text, key, value));
        let budget = root.field("budget").map_or_else(Vec::new, Element::fields).into_iter();
        let rules = budget.map(|(name, value)| Edit {
            path: format!("stop.{}", &self.tree.text()[name.clone()]),
            value: self.tree.text()[value.span()].to_owned(),
            path_origin: self.text.origin(name),
            value_origin: self.text.origin(value.span()),
        });
        // A resolved study says `None` of the rules that it does not give.
        set.chain(rules.filter(|rule| rule.value != "None")).collect()
    }

    /// What the levels of a combination change.
    fn edits(&self, combination: &Combination) -> Vec<Edit> {
        let axes = self.study.axes.iter().enumerate().zip(&combination.0);
        axes.flat_map(|((index, axis), &level)| self.axis_edits(index, axis, level)).collect()
    }

    fn axis_edits(&self, index: usize, axis: &Axis, level: usize) -> Vec<Edit> {
        let written = self.tree.root().field("axes").and_then(|axes| axes.item(index));
        let field = |name: &str| written.and_then(|axis| axis.field(name));
        let lists = match axis {
            Axis::Grid { .. } => field("path").zip(field("values")).into_iter().collect(),
            Axis::Zip { .. } => field("paths").map_or_else(Vec::new, Element::entries),
        };
        lists.into_iter().filter_map(|(path, list)| Edit::quoted(&self.text, path, list.item(level)?)).collect()
    }

    /// What only the arms together can get wrong.
    fn study_checks(&self, loader: &mut Loader, arms: &[(Combination, EditedArm)]) {
        let scenarios: Vec<&Scenario> = arms.iter().map(|(_, variant)| &variant.scenario).collect();
        if !scenarios.is_empty() {
            self.add(loader, checks::measured(&self.study, &scenarios));
        }
        // Arms are alike, too, when something of what distinguishes them could not be read.
        if !loader.is_clean() {
            return;
        }
        let mut seen: BTreeMap<String, &Combination> = BTreeMap::new();
        for (combination, variant) in arms {
            let Some(first) = seen.get(&variant.scenario.identity()) else {
                seen.insert(variant.scenario.identity(), combination);
                continue;
            };
            let axis = (0..combination.0.len()).find(|&axis| combination.0[axis] != first.0[axis]).unwrap_or(0);
            let message = format!(
                "the arms `{}` and `{}` are the same scenario",
                first.name(&self.study),
                combination.name(&self.study)
            );
            let list = match &self.study.axes[axis] {
                Axis::Grid { .. } => "values",
                Axis::Zip { .. } => "labels",
            };
            let origin = self.origin(&format!("axes[{axis}].{list}[{}]", combination.0[axis]));
            loader.add(origin, message, "expected levels that differ in what they set".to_owned(), None);
        }
    }

    fn checked(self, arms: Vec<(Combination, EditedArm)>, sources: &Arc<[Source]>) -> CheckedStudy {
        let baseline = Combination::baseline(&self.study);
        let baseline = arms.iter().position(|(combination, _)| *combination == baseline).unwrap_or(0);
        let arm = |(combination, variant): (Combination, EditedArm)| StudyArm {
            name: combination.name(&self.study),
            levels: combination.0,
            checked: variant.checked(sources),
        };
        let arms: Vec<StudyArm> = arms.into_iter().map(arm).collect();
        let mut caveats = Vec::new();
        if self.study.replicates < 2 {
            caveats.push("one replicate: differences have no interval, and may be luck".to_owned());
        }
        let source = sources[STUDY].clone();
        CheckedStudy { text: fedbits_text::write(&self.study), arms, baseline, caveats, study: self.study, source }
    }
}
