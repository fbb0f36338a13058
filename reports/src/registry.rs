//! The kinds of figures that a report has.

use crate::data::{Arm, Collected, PlannedRuns};
use crate::error::ReportError;
use crate::figures::{self, choice};
use crate::options::{self, ReportOptions, Wanted};
use crate::quantity::Quantity;
use crate::report::{About, Drawing, FigureKind, Report};
use crate::words::listed;
use fedbits_figures::{Figure, FigureKind as Setting, Heat};
use fedbits_record::RunRecord;
use fedbits_record::results::PlanAxis;
use fedbits_spec::{caught, so_many};
use std::collections::BTreeSet;
use std::fmt;

/// The kinds of this crate, in the order of their figures.
const BUILTIN: &[&dyn FigureKind] = &[
    &figures::declared::KIND,
    &figures::mixture::KIND,
    &figures::race::KIND,
    &figures::heat::KIND,
    &figures::pareto::KIND,
    &figures::cost::KIND,
    &figures::forest::KIND,
    &figures::reach::KIND,
    &figures::trade_off::KIND,
    &figures::ledger::KIND,
    &figures::links::KIND,
    &figures::round::KIND,
    &figures::ecdf::KIND,
    &figures::participation::KIND,
    &figures::predictive::KIND,
    &figures::trend::KIND,
    &figures::topology::KIND,
];

/// The kinds of figures that a report has, in their order.
///
/// ```
/// use fedbits_reports::Figures;
/// assert!(Figures::builtin().kinds().any(|kind| kind.about().name == "ledger"));
/// ```
#[derive(Default)]
pub struct Figures {
    further: Vec<Box<dyn FigureKind>>,
}

impl fmt::Debug for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.kinds().map(|kind| kind.about().name)).finish()
    }
}

impl Figures {
    /// The kinds of this crate.
    #[must_use]
    pub fn builtin() -> Self {
        Self::default()
    }

    /// These and one more, behind them.
    #[must_use]
    pub fn with(mut self, kind: Box<dyn FigureKind>) -> Self {
        self.further.push(kind);
        self
    }

    /// All kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn FigureKind> {
        BUILTIN.iter().copied().chain(self.further.iter().map(|kind| &**kind))
    }

    /// All kinds as a table in Markdown.
    #[must_use]
    pub fn table(&self) -> String {
        let row = |About { name, title, needs }| format!("| `{name}` | {title} | {needs} |\n");
        format!(
            "| kind | shows | from |\n|---|---|---|\n{}",
            self.kinds().map(|kind| row(kind.about())).collect::<String>()
        )
    }

    /// Whether there is a kind for each of these declared figures.
    ///
    /// # Errors
    /// [`ReportError::Unknown`], with the nearest names.
    pub fn has_kinds_of(&self, declared: &[Figure]) -> Result<(), ReportError> {
        declared.iter().try_for_each(|figure| self.kind(figure.kind.name(), &[]).map(drop))
    }

    /// The figures that are wanted; or, where some of them cannot be drawn, why, and nothing else.
    pub(crate) fn draw(&self, report: &Report<'_>) -> Result<(Vec<Drawing>, Vec<LeftOutFigure>), ReportError> {
        let declared = options::figures_of(report.options, &report.collected)?;
        let (mut drawn, mut left_out) = (Vec::new(), Vec::new());
        let asked = match &report.options.wanted {
            Wanted::Named(names) => names.iter().map(|name| self.figure(name, &declared)).collect::<Result<_, _>>()?,
            _ => declared.clone(),
        };
        for figure in &asked {
            match self.of_declaration(report, figure).and_then(|parts| apart(parts, &drawn, &figure.name)) {
                Err(error) if error.is_of_figure() => left_out.push((figure.name.clone(), error)),
                parts => drawn.extend(parts?),
            }
        }
        if !left_out.is_empty() {
            return Ok((Vec::new(), left_out));
        }
        if matches!(report.options.wanted, Wanted::Named(_)) {
            return Ok((drawn, left_out));
        }
        if declared.is_empty() && report.options.wanted == Wanted::Declared {
            let figure = choice::figure(report);
            drawn.extend(figure.map_or_else(|| Ok(Vec::new()), |figure| self.attempt(report, &figure))?);
        }
        // Nobody asked for a certain figure: what there is is shown.
        if report.options.wanted == Wanted::All || drawn.is_empty() {
            let first = drawn.len();
            for kind in self.kinds() {
                self.add(kind, report, &mut drawn, first)?;
            }
        }
        Ok((drawn, left_out))
    }

    /// The figures of a kind, but for those whose names the `first` ones have: what is declared stands in their place.
    fn add(
        &self,
        kind: &dyn FigureKind,
        report: &Report<'_>,
        drawn: &mut Vec<Drawing>,
        first: usize,
    ) -> Result<(), ReportError> {
        let before = drawn.len();
        for drawing in guarded(kind.about().name, || kind.draw(report))? {
            match drawn[..before].iter().position(|known| known.name == drawing.name) {
                None => drawn.push(drawing),
                Some(place) if place < first => {}
                Some(_) => {
                    return Err(ReportError::FigureTwice { kind: kind.about().name.to_owned(), name: drawing.name });
                }
            }
        }
        Ok(())
    }

    /// The figures among these that are wanted, by number. A kind that is asked for by its name becomes a declaration
    /// of that kind, which is added to them.
    ///
    /// # Errors
    /// [`ReportError::Unknown`].
    pub fn choose(&self, wanted: &Wanted, figures: &mut Vec<Figure>) -> Result<Vec<usize>, ReportError> {
        let Wanted::Named(names) = wanted else { return Ok((0..figures.len()).collect()) };
        let mut chosen = Vec::new();
        for name in names {
            let figure = self.figure(name, figures)?;
            let number = figures.iter().position(|known| known.name == figure.name).unwrap_or(figures.len());
            if number == figures.len() {
                figures.push(figure);
            }
            chosen.push(number);
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }

    /// The declared figure of that name, or a declaration of the kind of that name.
    fn figure(&self, name: &str, declared: &[Figure]) -> Result<Figure, ReportError> {
        let named = |name: &str| declared.iter().find(|figure| figure.name == name).cloned();
        if let Some(figure) = named(name) {
            return Ok(figure);
        }
        let kind = stem(self.kind(name, declared)?.about().name);
        let setting = match kind {
            "heat" => Setting::Heat(Heat::default()),
            _ => Setting::Named(kind.to_owned()),
        };
        Ok(named(kind).unwrap_or_else(|| Figure::new(kind, setting)))
    }

    /// The kind of that name; an error names the kinds there are, behind the `declared` figures.
    fn kind(&self, name: &str, declared: &[Figure]) -> Result<&dyn FigureKind, ReportError> {
        let is_named = |kind: &str| kind == name || stem(kind) == name;
        self.kinds().find(|kind| is_named(kind.about().name)).ok_or_else(|| {
            let kinds = self.kinds().map(|kind| stem(kind.about().name));
            let mut known: Vec<&str> = declared.iter().map(|figure| figure.name.as_str()).collect();
            known.extend(kinds.filter(|kind| declared.iter().all(|figure| figure.name != *kind)));
            // Names of files begin with that of their kind, or of their figure, and the longest is meant; those of
            // convergence begin with what they show.
            let begins =
                |stem: &str| name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            let meant = known.iter().copied().filter(|known| begins(known)).max_by_key(|known| known.len());
            let shows = || Quantity::ALL.iter().any(|(_, file)| begins(file)).then_some("convergence");
            let meant = meant.or_else(shows);
            let known = fedbits_text::known(meant.unwrap_or(name), &known, known.len());
            ReportError::Unknown { what: "figure", name: name.to_owned(), known }
        })
    }

    /// The figures of a declaration, at least one: an error where the runs do not hold what they need.
    fn of_declaration(&self, report: &Report<'_>, figure: &Figure) -> Result<Vec<Drawing>, ReportError> {
        let kind = self.kind(figure.kind.name(), &[])?;
        let drawings = self.attempt(report, figure)?;
        match drawings.is_empty() {
            false => Ok(drawings),
            true => Err(ReportError::not_drawn(&figure.name, kind.about().needs, &holdings(&report.collected))),
        }
    }

    /// The figures of a declaration; none where the runs do not hold what it needs.
    fn attempt(&self, report: &Report<'_>, figure: &Figure) -> Result<Vec<Drawing>, ReportError> {
        guarded(&figure.name, || {
            figures::shown::check(report.arms(), figure)?;
            let of = || report.of_declaration(report.arms(), figure);
            match &figure.kind {
                // Its arms have a band of their own.
                Setting::Curves(curves) => figures::declared::draw(report, figure, curves),
                Setting::Cost(fields) => figures::cost::draw(&of(), fields),
                Setting::Forest(fields) => figures::forest::draw(&of(), fields),
                Setting::Reach(fields) => figures::reach::draw(&of(), fields),
                Setting::TradeOff(fields) => figures::trade_off::draw(&of(), fields),
                Setting::Heat(fields) => figures::heat::draw(&of(), fields),
                Setting::Ecdf(fields) => figures::ecdf::draw(&of(), fields),
                Setting::Participation(fields) => figures::participation::draw(&of(), fields),
                Setting::Mixture(fields) => figures::mixture::draw(&of(), fields),
                Setting::Race(fields) => figures::race::draw(&of(), fields),
                Setting::Named(name) => self.kind(name, &[])?.draw(&of()),
            }
        })
    }
}

/// Draws; a kind that panics, which may be a user's, is an error of its figure.
fn guarded(
    figure: &str,
    draw: impl FnOnce() -> Result<Vec<Drawing>, ReportError>,
) -> Result<Vec<Drawing>, ReportError> {
    caught(draw).map_err(|source| ReportError::Panicked { figure: figure.to_owned(), source })?
}

/// The parts of a figure that is asked for, where none has the name of another one's, or its data that of another
/// figure's: its files would take the place of these. Parts of one figure share their data.
fn apart(parts: Vec<Drawing>, drawn: &[Drawing], figure: &str) -> Result<Vec<Drawing>, ReportError> {
    let taken = |(number, part): (usize, &Drawing)| {
        let mut before = drawn.iter().chain(&parts[..number]);
        let name = before.any(|earlier| earlier.name == part.name && earlier.scene != part.scene).then_some(&part.name);
        let mut data = drawn.iter().filter(|earlier| earlier.data.0 == part.data.0).peekable();
        // A figure that is asked for twice has the same data.
        let has_other_data = data.peek().is_some() && data.all(|earlier| earlier.data.1 != part.data.1);
        name.or_else(|| has_other_data.then_some(&part.data.0)).cloned()
    };
    match parts.iter().enumerate().find_map(taken) {
        Some(name) => {
            let taken = format!("the figure `{figure}` has files of the name `{name}`, as another figure has");
            Err(ReportError::cannot_show(figure, taken + ": give one of them another name"))
        }
        None => Ok(parts),
    }
}

/// A figure that cannot be drawn, and why.
pub(crate) type LeftOutFigure = (String, ReportError);

/// The options without the figures that could not be drawn. Files say of their origin what was declared or asked for:
/// what makes them again is without these figures.
pub(crate) fn possible(
    options: &ReportOptions,
    collected: &Collected,
    left_out: &[LeftOutFigure],
) -> Result<ReportOptions, ReportError> {
    let (mut rest, mut declared) = (options.clone(), options::figures_of(options, collected)?);
    let is_possible = |name: &str| left_out.iter().all(|(figure, _)| figure != name);
    declared.retain(|figure| is_possible(&figure.name));
    match &mut rest.wanted {
        Wanted::Named(names) => names.retain(|name| is_possible(name) && is_possible(stem(name))),
        wanted if declared.is_empty() && *wanted == Wanted::Declared => *wanted = Wanted::Named(Vec::new()),
        _ => rest.declared = Some(declared),
    }
    Ok(rest)
}

/// What the names of a kind's figures begin with: `heat` of `heat-TARGET`.
fn stem(name: &str) -> &str {
    let named = |suffix: &str| suffix.starts_with('…') || suffix.starts_with(char::is_uppercase);
    name.split_once('-').filter(|(_, rest)| named(rest)).map_or(name, |(stem, _)| stem)
}

/// `4 runs of 4 arms of several folders; tables: clients, …`, or of one folder with its axes, targets and search.
fn holdings(collected: &Collected) -> String {
    let runs: usize = collected.arms.iter().map(|arm| arm.runs.len()).sum();
    let folder = collected.planned.as_deref().map_or_else(|| " of several folders".to_owned(), of_folder);
    let records = collected.arms.iter().flat_map(Arm::records);
    let tables: BTreeSet<&str> = records.flat_map(RunRecord::table_names).collect();
    let tables = tables.into_iter().collect::<Vec<_>>().join(", ");
    format!("{} of {}{folder}; tables: {tables}", so_many(runs, "run"), so_many(collected.arms.len(), "arm"))
}

fn of_folder(planned: &PlannedRuns) -> String {
    let axis = |axis: &PlanAxis| {
        let search = if axis.values.is_empty() { "" } else { ", points of a search" };
        format!("`{}` (levels: {}{search})", axis.name, axis.levels.len())
    };
    let plan = &planned.plan;
    let axes = match plan.axes.iter().map(axis).collect::<Vec<_>>() {
        none if none.is_empty() => "no axes".to_owned(),
        one if one.len() == 1 => format!("the axis {}", one[0]),
        several => format!("the axes {}", listed(&several)),
    };
    let targets = match plan.targets.len() {
        0 => ", no targets".to_owned(),
        count => format!(", {}", so_many(count, "target")),
    };
    let race = if plan.search.is_some() { "a race" } else { "no race" };
    format!("; {axes}{targets} and {race}")
}

#[cfg(test)]
mod tests {
    use super::{FigureKind, Figures, Setting};
    use fedbits_figures as setting;

    #[test]
    fn every_declared_kind_is_one_of_the_list() {
        let all = [
            Setting::Curves(setting::Curves::default()),
            Setting::Cost(setting::CostFigure::default()),
            Setting::Forest(setting::Forest::default()),
            Setting::Reach(setting::ReachFigure::default()),
            Setting::TradeOff(setting::TradeOff::default()),
            Setting::Heat(setting::Heat::default()),
            Setting::Ecdf(setting::Ecdf::default()),
            Setting::Participation(setting::ParticipationFigure::default()),
            Setting::Mixture(setting::Mixture::default()),
            Setting::Race(setting::RaceFigure::default()),
        ];
        for setting in &all {
            let name = setting.name();
            assert!(Figures::builtin().kind(name, &[]).is_ok(), "{name}");
            // By its name it is the same kind, and takes several arms as one where that does.
            assert_eq!(setting.compares_arms(), Setting::Named(name.to_owned()).compares_arms(), "{name}");
        }
        let comparing = |kind: &dyn FigureKind| Setting::Named(kind.about().name.to_owned()).compares_arms();
        assert_eq!(Figures::builtin().kinds().filter(|kind| comparing(*kind)).count(), 6);
    }
}
