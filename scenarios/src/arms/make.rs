//! Makes the arms of a scenario. What an arm changes is an edit of the scenario's text, as `--set` makes it, so that a
//! problem of an arm is shown where the file has the value.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::{Caveat, Findings, so_many};
use fedbits_text::{Edit, Element, Patched, Tree};

use super::axes::{self, ExpandedAxis, Needed};
use super::{Combination, MAX_ARMS};
use crate::loader::{EditedArm, Loader};
use crate::schema::{Axis, Objective, Race, Scenario, Stop, Values};
use crate::{checks, document};

/// A scenario beside its text, from which its arms are made.
pub(crate) struct ArmTexts {
    text: Patched,
    tree: Tree,
    /// The text without what speaks of several runs: of thousands of arms, each is read alone.
    bare: Patched,
    pub(crate) scenario: Scenario,
    axes: Vec<Axis>,
}

/// The arms that were made, each with its levels.
pub(crate) struct MadeArms {
    pub(crate) axes: Vec<ExpandedAxis>,
    pub(crate) arms: Vec<EditedArm>,
}

impl MadeArms {
    fn named(&self) -> Vec<(&str, &Scenario)> {
        self.arms.iter().map(EditedArm::named).collect()
    }
}

impl ArmTexts {
    pub(crate) fn new(text: Patched, scenario: Scenario) -> Self {
        let tree = Tree::scan(text.text());
        let mut bare = text.clone();
        let nothing = [
            ("arms", "[]"),
            ("axes", "[]"),
            ("exclude", "[]"),
            ("baseline", "{}"),
            ("targets", "[]"),
            ("search", "None"),
            ("figures", "[]"),
            ("offer", "[]"),
            ("replicates", "1"),
        ];
        for (field, empty) in nothing {
            let span = Tree::scan(bare.text()).root().field(field).map(Element::span);
            span.into_iter().for_each(|span| bare.rewrite(span, empty));
        }
        Self { tree, bare, axes: axes::all(&scenario), scenario, text }
    }

    /// All arms, with what is wrong with them; those of single levels where the axes do not fit together.
    pub(crate) fn make(&self, loader: &mut Loader) -> MadeArms {
        let before = loader.problems.len();
        let mut findings = checks::runs(&self.scenario);
        let axes = self.expanded(&mut findings);
        checks::levels(&self.scenario, &axes, &mut findings);
        let all = |_| Combination::all(&self.scenario, &axes, MAX_ARMS as usize);
        let all = (findings.iter().len() == 0).then_some(()).and_then(all);
        self.add(loader, findings.into_parts().0);
        // Even when the arms cannot be made, the scenarios that single levels give can be looked at.
        let combinations = all.unwrap_or_else(|| first_and_singles(&axes));
        if combinations.len().saturating_mul(self.bare.text().len()) > checks::MOST_BYTES {
            let message = format!("the texts of {} are too long together", so_many(combinations.len(), "arm"));
            let place = if self.scenario.axes.is_empty() { "arms" } else { "axes" };
            loader.add(self.origin(place), message, "expected at most 32 MiB".to_owned(), None);
            return MadeArms { axes, arms: Vec::new() };
        }
        let arms = combinations.into_iter().filter_map(|combination| self.variant(loader, &axes, combination));
        let made = MadeArms { arms: arms.collect(), axes };
        if loader.problems.len() == before {
            self.check_figures(loader, &made);
        }
        made
    }

    /// What only the arms together can get wrong.
    pub(crate) fn check_together(&self, loader: &mut Loader, made: &MadeArms) {
        let scenarios: Vec<&Scenario> = made.arms.iter().map(|arm| &arm.scenario).collect();
        if !scenarios.is_empty() {
            self.add(loader, checks::targets(&self.scenario, &scenarios));
        }
        self.add(loader, checks::offered(&self.scenario));
        // Arms are alike, too, when something of what distinguishes them could not be read.
        if loader.is_clean() {
            self.add(loader, checks::measured_by(&self.scenario.figures, &made.named()).into_parts().0);
            self.check_distinct(loader, made);
        }
    }

    /// The number of the baseline among the arms, and what must be known before their results are trusted.
    pub(crate) fn concluded(&self, made: &MadeArms) -> (usize, Vec<Caveat>) {
        let baseline = Combination::baseline(&self.scenario, &made.axes);
        let baseline = made.arms.iter().position(|arm| arm.levels == baseline.0).unwrap_or(0);
        let odd = |axis: &&Axis| matches!(axis, Axis::Sobol(set) if !set.points.is_power_of_two());
        let sobol =
            |axis: &Axis| Caveat::PointsUneven { axis: axis.name().to_owned(), points: axis.count().to_string() };
        let mut caveats: Vec<Caveat> = self.axes.iter().filter(odd).map(sobol).collect();
        caveats.extend(self.scenario.search.as_ref().and_then(|race| undecided(race, made)));
        caveats.extend(checks::measured_by(&self.scenario.figures, &made.named()).into_parts().1);
        caveats.extend(self.scenario.search.as_ref().and_then(|_| other_problem(made, baseline)));
        (baseline, caveats)
    }

    /// The axes with their levels.
    fn expanded(&self, findings: &mut Findings) -> Vec<ExpandedAxis> {
        let mut takes = |before: &[ExpandedAxis], number: usize, needed: &Needed, path: &str, value: &str| {
            let mut patched = self.bare.clone();
            let mut edits = self.edits(before, &Combination::with(before, needed));
            let nowhere = self.origin(&axes::place(&self.scenario, number));
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
        axes::expand(&self.scenario, &mut takes, findings)
    }

    /// One arm: the edits of its levels, applied to the scenario. Every edit is tried, so that every misspelt path is
    /// found.
    fn variant(&self, loader: &mut Loader, axes: &[ExpandedAxis], combination: Combination) -> Option<EditedArm> {
        let mut patched = self.bare.clone();
        let refused = self.edits(axes, &combination).iter().filter(|edit| !loader.edit(edit, &mut patched)).count();
        if refused > 0 {
            return None;
        }
        let is_changed = patched.text() != self.bare.text();
        let scenario = if is_changed { loader.read(&patched)? } else { self.scenario.alone() };
        let name = (!axes.is_empty()).then(|| combination.name(&self.scenario, axes));
        Some(loader.variant((name, combination.0), patched, scenario))
    }

    /// What the levels of a combination of the first axes change.
    fn edits(&self, axes: &[ExpandedAxis], combination: &Combination) -> Vec<Edit> {
        let levels = axes.iter().enumerate().zip(&combination.0);
        levels.flat_map(|((index, axis), &level)| self.axis_edits(index, axis, level)).collect()
    }

    fn axis_edits(&self, index: usize, axis: &ExpandedAxis, level: usize) -> Vec<Edit> {
        let root = self.tree.root();
        let first = usize::from(!self.scenario.arms.is_empty());
        let written = index.checked_sub(first).and_then(|index| root.field("axes").and_then(|axes| axes.item(index)));
        let field = |name: &str| written.and_then(|axis| axis.field(name));
        let rules = match &self.axes[index] {
            Axis::Grid { .. } => field("path").zip(field("values")).into_iter().collect(),
            Axis::Cases { .. } => {
                let levels = if index < first { root.field("arms") } else { field("levels") };
                let set = levels.and_then(|levels| levels.item(level)?.field("set"));
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
            let (_, values) = axis.paths.iter().find(|(path, _)| *path == name)?;
            Some(Edit {
                value: values.get(level)?.clone(),
                path_origin: self.text.origin(path.span()),
                value_origin: self.text.origin(listed.map_or(rule, |value| value).span()),
                path: name,
            })
        };
        rules.into_iter().filter_map(edit).collect()
    }

    /// Two combinations of levels with the same settings are the same run twice. Arms without axes may become alike: an
    /// edit of a whole scenario can set the one value in which they differ.
    fn check_distinct(&self, loader: &mut Loader, made: &MadeArms) {
        if self.scenario.axes.is_empty() {
            return;
        }
        let mut seen: BTreeMap<(String, u64), &EditedArm> = BTreeMap::new();
        for arm in &made.arms {
            let identity = (arm.scenario.identity(), arm.scenario.seed);
            let Some(first) = seen.get(&identity) else {
                seen.insert(identity, arm);
                continue;
            };
            let axis = (0..arm.levels.len()).find(|&axis| arm.levels[axis] != first.levels[axis]).unwrap_or(0);
            let [former, latter] = [first, arm].map(|arm| arm.named().0);
            let message = format!("the arms `{former}` and `{latter}` are the same scenario");
            let (place, level) = (axes::place(&self.scenario, axis), arm.levels[axis]);
            let place = match &self.axes[axis] {
                Axis::Grid { values: Values::List(_), .. } => format!("{place}.values[{level}]"),
                Axis::Grid { .. } => format!("{place}.values"),
                Axis::Zip { .. } => format!("{place}.labels[{level}]"),
                Axis::Cases { .. } => axes::place_of_level(&self.scenario, axis, level),
                _ => format!("{place}.points"),
            };
            let expected = "expected levels that differ in what they set".to_owned();
            loader.add(self.origin(&place), message, expected, None);
        }
    }

    fn check_figures(&self, loader: &mut Loader, made: &MadeArms) {
        let arms = made.arms.iter().map(|arm| arm.arm.as_deref().unwrap_or(&self.scenario.name)).collect();
        // Arms alone are no axis of results.
        let axes = if self.scenario.axes.is_empty() { &[][..] } else { &self.axes };
        let axes = axes.iter().map(Axis::name).collect();
        let mut findings = Findings::default();
        checks::declared(&self.scenario.figures, arms, axes, &mut findings);
        for (index, figure) in self.scenario.figures.iter().enumerate() {
            let (kind, place) = (figure.kind.name(), format!("figures[{index}].kind"));
            if kind == "race" && self.scenario.search.is_none() {
                let expected = "expected `search: Race(…)` in the scenario";
                findings.error(place, "`race` shows a search, and the scenario has none", expected);
            } else if ["heat", "trade_off"].contains(&kind) && self.scenario.axes.is_empty() {
                let found = format!("`{kind}` compares levels of axes, and the scenario has none");
                findings.error(place, found, "expected `axes: […]` in the scenario");
            }
        }
        self.add(loader, findings.into_parts().0);
    }

    /// Locates findings in the text.
    fn add(&self, loader: &mut Loader, findings: Vec<checks::Finding>) {
        loader.problems.extend(document::located(&self.text, &findings));
    }

    fn origin(&self, path: &str) -> fedbits_text::Origin {
        self.text.origin(self.tree.span(path))
    }
}

/// The first level of each axis, and every other level with the first of the other axes.
fn first_and_singles(axes: &[ExpandedAxis]) -> Vec<Combination> {
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

/// Of a search whose runs may end before they have cost what the best one costs: they stay undecided.
fn undecided(race: &Race, made: &MadeArms) -> Option<Caveat> {
    let has = |rule: fn(&Stop) -> bool| made.arms.iter().all(|arm| rule(&arm.scenario.stop));
    let (rule, is_there) = match &race.objective {
        Objective::BitsTo(_) | Objective::UploadTo(_) => ("bits", has(|stop| stop.bits.is_some())),
        Objective::TimeTo(_) => ("time", has(|stop| stop.time.is_some())),
        _ => return None,
    };
    (!is_there).then(|| Caveat::SearchUnbounded { rule: rule.to_owned() })
}

/// Of a search with an arm that does not solve the problem of the baseline.
fn other_problem(made: &MadeArms, baseline: usize) -> Option<Caveat> {
    let problem = made.arms[baseline].scenario.problem_text();
    let unlike = made.arms.iter().find(|arm| arm.scenario.problem_text() != problem)?;
    Some(Caveat::DifferentProblems { arm: unlike.named().0.to_owned() })
}
