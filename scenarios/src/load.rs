//! From text to checked scenarios: bases, edits, arms.

use std::collections::BTreeSet;
use std::sync::Arc;

use fedbits_spec::Caveat;
use fedbits_text::{Diagnostics, Patched, Problem, Source, Tree, differences, nearest};

use crate::arms::{self, ArmTexts, ExpandedAxis, MadeArms};
use crate::bases::{Bases, Library};
use crate::checks;
use crate::loader::{Checked, EditedArm, Loader, Positions, leave_out_figures};
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
    pub caveats: Vec<Caveat>,
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

/// The arms of a scenario whose bases, if it has any, are in the library; as [`load_with`].
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
    let meant = |(given, set): (&Set, &Set)| {
        if is_wrong(given, &again) && set.is_ron() { set.clone() } else { given.clone() }
    };
    let meant: Vec<Set> = tried.iter().zip(sets).map(meant).collect();
    if meant == sets { Err(problems) } else { finish(&meant) }
}

/// Reads [`Checked::text`] again, as a record keeps it. A setting of the scenario that has no effect in this one of its
/// arms is no mistake there.
pub fn load_resolved(source: Source) -> Result<Vec<Checked>, Diagnostics> {
    let mut loader = Loader::new(vec![source]);
    loader.resolved = true;
    loader.finish(&[], &Library).map(|scenario| scenario.arms)
}

impl Loader {
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
        self.resolved |= made.arms.iter().any(EditedArm::has_void) && says_every_field(&given);
        let unedited = if sets.is_empty() { None } else { self.unedited(given) };
        self.report(&made.arms, unedited.as_ref().map_or(&[], |made| &made.arms));
        texts.check_together(self, &made);
        if !self.is_clean() {
            return None;
        }
        let (baseline, caveats) = texts.concluded(&made);
        let (sources, MadeArms { axes, arms }): (Arc<[Source]>, _) = (self.sources.clone().into(), made);
        let arms = (0..).zip(arms).map(|(number, arm)| arm.checked(number, &sources)).collect();
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

    /// The arms of the file alone, whatever problems they have.
    fn unedited(&mut self, text: Patched) -> Option<MadeArms> {
        let kept = self.problems.len();
        let made = self.read(&text).map(|scenario| ArmTexts::new(text, scenario).make(self));
        self.problems.truncate(kept);
        made
    }
}

/// Does a text say every field, as those do that `load` gives?
fn says_every_field(text: &Patched) -> bool {
    let Some(scenario) = text.read::<Scenario>().value else { return false };
    let (whole, given) = (Tree::scan(fedbits_text::write(&scenario)), Tree::scan(text.text()));
    differences(&whole, &given).iter().all(|difference| difference.values[1].is_some())
}

/// Whether a path names the arms anew.
fn names_arms(path: &str) -> bool {
    let lists = ["arms", "axes"].into_iter().find(|list| checks::is_within(path, list));
    lists.is_some_and(|list| list == path || [".name", ".labels", ".values"].iter().any(|end| path.contains(end)))
}
