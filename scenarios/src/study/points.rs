//! The space of an optimization, and the scenarios of its points. This file must not know how points are chosen.

use std::collections::BTreeMap;

use fedbits_text::{Diagnostics, Edit, Element, Source, Tree};

use super::axes::{ABSENT, StudyAxis};
use super::load::{CheckedStudy, OTHER_PROBLEM, StudyArm, StudyText, other_problem};
use super::rules::{self, unquoted};
use crate::bases::Bases;
use crate::load::{Checked, Loader};
use crate::schema::{Law, Method, Optimize, Scenario};

/// One path of an optimization.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPath {
    /// The setting.
    pub path: String,
    /// Where its values come from.
    law: Law,
    /// Whether it takes whole numbers only.
    whole: bool,
    /// The paths, by number, and the choices of them with one of which it exists.
    pub needs: Vec<(usize, Vec<usize>)>,
}

/// A value of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointValue {
    /// The share of the law below it, in [0, 1].
    Share(f64),
    /// One of the law's choices, by its number.
    Choice(usize),
}

/// More whole numbers than these are taken as a continuum.
const MOST_STEPS: f64 = 1_000.0;
/// Laws without ends give no value at 0 and at 1.
const LEAST_SHARE: f64 = 1e-4;

impl SearchPath {
    /// How many choices there are; `None` of numbers.
    #[must_use]
    pub fn choices(&self) -> Option<usize> {
        if let Law::Choice(list) = &self.law { Some(list.len()) } else { None }
    }

    /// The shares of its values, ascending, where they are whole numbers, few or none.
    #[must_use]
    pub fn steps(&self) -> Option<Vec<f64>> {
        let (Law::Uniform(low, high) | Law::LogUniform(low, high)) = &self.law else { return None };
        let (from, to) = rules::whole_ends(low, high);
        let count = to - from + 1.0;
        if !self.whole || count > MOST_STEPS {
            return None;
        }
        // The middle of the shares that give a number.
        let share = |number: f64| match self.law {
            Law::LogUniform(..) => {
                let (below, above) = (libm::log(from - 0.5), libm::log(to + 0.5));
                (libm::log(number) - below) / (above - below)
            }
            _ => (number - from + 0.5) / count,
        };
        Some((0..count.max(0.0) as u64).map(|step| share(from + step as f64)).collect())
    }

    /// A value as RON.
    #[must_use]
    pub fn value(&self, value: PointValue) -> String {
        match (value, &self.law) {
            (PointValue::Choice(number), Law::Choice(list)) => list[number.min(list.len() - 1)].clone(),
            (PointValue::Choice(number), _) => self.value(PointValue::Share(number as f64)),
            (PointValue::Share(share), Law::Normal(..) | Law::LogNormal(..)) => {
                rules::quantile(&self.law, share.clamp(LEAST_SHARE, 1.0 - LEAST_SHARE), self.whole).value
            }
            (PointValue::Share(share), law) => rules::quantile(law, share, self.whole).value,
        }
    }

    /// The same for people.
    #[must_use]
    pub fn label(&self, value: PointValue) -> String {
        unquoted(&self.value(value))
    }
}

/// The paths of an optimization: those that others need stand before them.
///
/// # Errors
/// What is wrong with the paths, and with their ends and choices, each beside the base's other settings.
pub fn search_paths(source: &Source, bases: &dyn Bases) -> Result<Vec<SearchPath>, Diagnostics> {
    with_study(source, bases, |study, loader, bases| study.search_paths(loader, bases))
}

/// The scenario of a point: the values, as RON, that its paths get.
///
/// # Errors
/// What is wrong with it.
pub fn point(
    source: &Source,
    bases: &dyn Bases,
    name: &str,
    values: &[(String, String)],
) -> Result<Checked, Diagnostics> {
    with_study(source, bases, |study, loader, bases| {
        let base = study.base_of(loader, bases)?;
        let mut patched = base.edited.clone();
        let edits = values.iter().map(|(path, value)| study.search_edit(path, value));
        let refused = edits.filter(|edit| !loader.edit(edit, &mut patched)).count();
        let scenario = (refused == 0).then(|| loader.read::<Scenario>(&patched)).flatten()?;
        let variant = loader.variant(Some(name.to_owned()), patched, scenario);
        let unedited = loader.variant(None, base.text, base.unedited);
        loader.report(&[&variant], &[&unedited]);
        let sources = loader.sources();
        loader.is_clean().then(|| variant.checked(&sources))
    })
}

/// What a resolved scenario has at a path, for people; `None` where it has not that path.
fn value_at(resolved: &str, path: &str) -> Option<String> {
    Tree::scan(resolved).compact(path).map(|value| unquoted(&value))
}

fn with_study<T>(
    source: &Source,
    bases: &dyn Bases,
    read: impl FnOnce(&StudyText, &mut Loader, &dyn Bases) -> Option<T>,
) -> Result<T, Diagnostics> {
    let mut loader = Loader::new(vec![Source::new("", ""), source.clone()]);
    let found = StudyText::read(&mut loader).and_then(|study| read(&study, &mut loader, bases));
    loader.conclude(found)
}

impl StudyText {
    fn search_paths(&self, loader: &mut Loader, bases: &dyn Bases) -> Option<Vec<SearchPath>> {
        let Some(Method::Optimize(search)) = &self.study.search else { return Some(Vec::new()) };
        let base = self.base_of(loader, bases)?;
        let order = self.in_order(loader, search)?;
        let mut paths: Vec<SearchPath> = Vec::new();
        for path in &order {
            let law = search.over[*path].clone();
            let needs = self.needs(loader, search, path, &paths)?;
            let mut own = SearchPath { path: (*path).clone(), law, whole: false, needs };
            let before = self.with_needs(&own, &paths);
            let takes = |value: &str| {
                let mut patched = base.edited.clone();
                let mut edits = before.iter().map(|(path, value)| self.search_edit(path, value)).collect::<Vec<_>>();
                edits.push(self.search_edit(path, value));
                let made = edits.iter().all(|edit| edit.apply::<Scenario>(&mut patched).is_ok());
                let reading = patched.read::<Scenario>();
                made && reading.value.is_some() && reading.problems.is_empty()
            };
            own.whole = rules::probes(&own.law).is_some_and(|[fraction, rounded]| !takes(&fraction) && takes(&rounded));
            if own.whole && own.steps().is_some_and(|steps| steps.is_empty()) {
                let message = format!("there is no whole number in the range of `{path}`");
                let expected = "expected a range with one: the setting takes whole numbers only".to_owned();
                loader.add(self.search_edit(path, "").value_origin, message, expected, None);
                return None;
            }
            for value in own.ends() {
                let mut patched = base.edited.clone();
                let all = before.iter().cloned().chain([(own.path.clone(), value)]);
                let edits: Vec<Edit> = all.map(|(path, value)| self.search_edit(&path, &value)).collect();
                if !edits.iter().all(|edit| loader.edit(edit, &mut patched)) {
                    return None;
                }
                let scenario = loader.read::<Scenario>(&patched)?;
                let variant = loader.variant(Some(own.path.clone()), patched, scenario);
                loader.report(&[&variant], &[]);
            }
            paths.push(own);
        }
        Some(paths)
    }

    /// Those that need others after them.
    fn in_order<'s>(&self, loader: &mut Loader, search: &'s Optimize) -> Option<Vec<&'s String>> {
        let mut order: Vec<&String> = Vec::new();
        let none = BTreeMap::new();
        while order.len() < search.over.len() {
            let ready = |path: &&String| {
                let needs = search.when.get(*path).unwrap_or(&none);
                !order.contains(path)
                    && needs.keys().all(|other| order.contains(&other) || !search.over.contains_key(other))
            };
            let Some(next) = search.over.keys().find(ready) else {
                let message = "paths need each other in a circle".to_owned();
                loader.add(self.origin("search.when"), message, "expected one that needs none".to_owned(), None);
                return None;
            };
            order.push(next);
        }
        if let Some(path) = search.when.keys().find(|path| !search.over.contains_key(*path)) {
            self.no_such(loader, path, search, &format!("search.when[\"{path}\"]"));
            return None;
        }
        Some(order)
    }

    fn no_such(&self, loader: &mut Loader, path: &str, search: &Optimize, place: &str) {
        let names: Vec<&str> = search.over.keys().map(String::as_str).collect();
        let help = fedbits_text::nearest(path, names.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let message = format!("`{path}` is no path of `over`");
        loader.add(self.origin(place), message, format!("expected {}", fedbits_text::one_of(&names)), help);
    }

    /// The choices that a path needs.
    fn needs(
        &self,
        loader: &mut Loader,
        search: &Optimize,
        path: &str,
        before: &[SearchPath],
    ) -> Option<Vec<(usize, Vec<usize>)>> {
        let mut needs = Vec::new();
        for (other, which) in search.when.get(path).into_iter().flatten() {
            let place = format!("search.when[\"{path}\"][\"{other}\"]");
            let Some(number) = before.iter().position(|own| own.path == *other) else {
                self.no_such(loader, other, search, &place);
                return None;
            };
            let Law::Choice(list) = &before[number].law else {
                let message = format!("`{other}` is a number");
                loader.add(self.origin(&place), message, "expected a path with a `Choice`".to_owned(), None);
                return None;
            };
            let mut choices = Vec::new();
            for level in which.levels() {
                let Some(choice) = list.iter().position(|own| own == level || unquoted(own) == *level) else {
                    let message = format!("`{other}` is never `{level}`");
                    let names: Vec<&str> = list.iter().map(String::as_str).collect();
                    let expected = format!("expected {}", fedbits_text::one_of(&names));
                    loader.add(self.origin(&place), message, expected, None);
                    return None;
                };
                choices.push(choice);
            }
            needs.push((number, choices));
        }
        Some(needs)
    }

    /// Values of other paths with which a path exists.
    fn with_needs(&self, own: &SearchPath, before: &[SearchPath]) -> Vec<(String, String)> {
        let mut values = Vec::new();
        for (number, choices) in &own.needs {
            let other = &before[*number];
            values.extend(self.with_needs(other, before));
            values.extend(choices.first().map(|&choice| (other.path.clone(), other.value(PointValue::Choice(choice)))));
        }
        values
    }

    /// An edit that stands where the study has the path.
    fn search_edit(&self, path: &str, value: &str) -> Edit {
        let over = self.tree.root().field("search").and_then(|search| search.field("over"));
        let entries = over.map_or_else(Vec::new, Element::entries);
        let written = entries.iter().find(|(key, _)| key.string().as_deref() == Some(path));
        let nowhere = || self.origin("search.over");
        Edit {
            path: path.to_owned(),
            value: value.to_owned(),
            path_origin: written.map_or_else(nowhere, |(key, _)| self.text.origin(key.span())),
            value_origin: written.map_or_else(nowhere, |(_, law)| self.text.origin(law.span())),
        }
    }
}

impl SearchPath {
    /// The ends of its range, or all choices.
    fn ends(&self) -> Vec<String> {
        match self.choices() {
            Some(count) => (0..count).map(|choice| self.value(PointValue::Choice(choice))).collect(),
            None => [0.0, 1.0].map(|share| self.value(PointValue::Share(share))).to_vec(),
        }
    }
}

impl CheckedStudy {
    /// Begins the axis of an optimization: its first arm is the base as it is.
    pub fn begin_points(&mut self, paths: &[SearchPath]) {
        let baseline = &mut self.arms[0];
        let value = |path: &SearchPath| value_at(&baseline.checked.text, &path.path).unwrap_or(ABSENT.to_owned());
        let values = paths.iter().map(|path| (path.path.clone(), vec![value(path)])).collect();
        self.axes = vec![StudyAxis {
            name: POINT.to_owned(),
            labels: vec![BASELINE.to_owned()],
            paths: values,
            is_search: true,
            is_conditional: false,
            when: BTreeMap::new(),
            is_listed: false,
        }];
        (baseline.name, baseline.levels) = (BASELINE.to_owned(), vec![0]);
        (self.baseline, self.caveats) = (0, Vec::new());
    }

    /// Adds an arm: by path its value for people, `None` where the path does not exist. With the first arm that does
    /// not solve the problem of the baseline there is a caveat.
    pub fn push_point(&mut self, values: Vec<Option<String>>, checked: Checked) {
        let axis = &mut self.axes[0];
        let level = axis.labels.len();
        axis.labels.push(point_name(level));
        for ((_, all), value) in axis.paths.iter_mut().zip(values) {
            all.push(value.unwrap_or(ABSENT.to_owned()));
        }
        self.arms.push(StudyArm { name: point_name(level), levels: vec![level], checked });
        if !self.caveats.iter().any(|caveat| caveat.starts_with(OTHER_PROBLEM)) {
            self.caveats.extend(other_problem(&self.arms[0].checked, &self.arms[level..]));
        }
    }
}

/// The name of a point's arm, counted from 1.
#[must_use]
pub fn point_name(number: usize) -> String {
    format!("{POINT} {number}")
}

const POINT: &str = "point";
const BASELINE: &str = "baseline";

#[cfg(test)]
mod tests {
    use super::value_at;

    /// Paths of a search may have an index, as those of `--set` may.
    #[test]
    fn values_by_path() {
        let resolved = "(protocol: FedEm(gamma: Constant(0.1), compressor: Dithering(\n  levels: 2,\n)))";
        let value = |path: &str| value_at(resolved, path);
        assert_eq!(value("protocol.gamma").as_deref(), Some("Constant(0.1)"));
        assert_eq!(value("protocol.gamma[0]").as_deref(), Some("0.1"));
        assert_eq!(value("protocol.compressor").as_deref(), Some("Dithering(levels: 2)"));
        assert_eq!((value("protocol.gamma[1]"), value("protocol.alpha")), (None, None));
    }
}
