//! A figure of curves as its declaration says: quantities, axes, panels, bands, and lines that are no arms.

use super::declared_panels::Arrangement;
use super::facets::Facets;
use super::figure::{Figure, OFF_LOG, Rule};
use super::left_out::notes_of_curves;
use super::shown::{absent, recolor};
use super::{choice, components, references};
use crate::axes::{Scale, range};
use crate::curves::Curve;
use crate::data::Arm;
use crate::error::ReportError;
use crate::quantity::{GAP, PARAMETER, Quantity};
use crate::report::{Drawing, Report};
use crate::text::each_once;
use fedbits_figures::{ArmsPanel, Curves, Figure as Declared, Limits, Mark, Panels};
use fedbits_record::is_spent;
use std::collections::BTreeSet;

/// Draws the figure; nothing where no run has any of its quantities.
///
/// # Errors
/// [`ReportError`]: a quantity that no run has.
pub(crate) fn draw(report: &Report<'_>, declared: &Declared, curves: &Curves) -> Result<Vec<Drawing>, ReportError> {
    let with_band = |arm: &Arm| Arm { band: curves.band, ..arm.clone() };
    let mut all: Vec<Arm> = report.arms().iter().map(with_band).collect();
    let split = if let Panels::Split(split) = &curves.panels { &split[..] } else { &[] };
    let holds = |panel: &ArmsPanel, arm: &Arm| panel.arms.iter().any(|shown| shown.holds(&arm.name));
    let frame = |panel: &ArmsPanel| (0..all.len()).filter(|&arm| holds(panel, &all[arm])).collect();
    let frames: Vec<Vec<usize>> = split.iter().map(frame).collect();
    recolor(&mut all, &frames);
    let report = report.of_declaration(&all, declared);
    let of_figure = choice::expanded(&report, &curves.y);
    let of_panels: Vec<Vec<String>> = split.iter().map(|panel| choice::expanded(&report, &panel.y)).collect();
    if let Some(name) = of_figure.iter().chain(of_panels.iter().flatten()).find(|name| !is_measured(&report, name)) {
        return Err(no_quantity(&report, declared, name));
    }
    let panels_have_all = !of_panels.is_empty() && of_panels.iter().all(|names| !names.is_empty());
    let chosen = if of_figure.is_empty() && !panels_have_all { choice::quantity(&report) } else { None };
    let quantities = of_figure.iter().chain(&chosen).map(|name| Quantity(name)).collect();
    let of_panels = of_panels.iter().map(|names| names.iter().map(|name| Quantity(name)).collect()).collect();
    let parameters = parameters(&report);
    let name = &declared.name;
    let arrangement = Arrangement { report: &report, name, arms: &all, curves, quantities, of_panels, parameters };
    if arrangement.all().is_empty() {
        return Ok(Vec::new());
    }
    let mut drawn = Vec::new();
    for figure in arrangement.figures() {
        drawn.extend(report.scaled_lines(figure, curves.x_scale)?);
    }
    Ok(drawn)
}

pub(super) fn is_measured(report: &Report<'_>, name: &str) -> bool {
    report.arms().iter().any(|arm| report.curve(arm, Quantity(name)).is_some())
}

/// The names of the parameters that some run recorded.
fn parameters(report: &Report<'_>) -> Vec<String> {
    let records = report.arms().iter().flat_map(|arm| arm.records());
    let names: BTreeSet<&String> =
        records.filter_map(|record| record.theta.as_ref()).flat_map(|theta| &theta.names).collect();
    names.into_iter().cloned().collect()
}

fn no_quantity(report: &Report<'_>, declared: &Declared, name: &str) -> ReportError {
    let known = Quantity::ALL.into_iter().map(|(quantity, _)| quantity.0).chain([GAP]);
    let columns = report.arms().iter().flat_map(|arm| arm.records()).flat_map(|run| &run.manifest.extra_columns);
    let known = known.chain(columns.map(String::as_str)).filter(|name| is_measured(report, name));
    let known: Vec<&str> = known.collect::<BTreeSet<_>>().into_iter().collect();
    let spent = if is_spent(name) { "; what a run spends stands to the right (`x`)" } else { "" };
    let known = fedbits_text::known(name, &known, known.len()) + spent;
    let figure = &declared.name;
    let why = format!("the figure `{figure}` shows `{name}`, which no run measured; measured are {known}");
    ReportError::cannot_show(figure, why)
}

impl Arrangement<'_> {
    /// The figure over the declared axes, or over the one that the results choose; several where it is spread over the
    /// levels of an axis of the plan.
    fn figures(&self) -> Vec<Figure> {
        let (report, curves, leading) = (self.report, self.curves, self.all()[0]);
        let chosen = || choice::x_axis(&self.lines(leading, report.arms()), choice::bound(report, leading.0));
        let axes = if curves.x.is_empty() { &[chosen()] } else { &curves.x[..] };
        let (verticals, panels) = self.panels(axes);
        let mut figure = Figure {
            name: self.name.to_owned(),
            data: self.name.to_owned(),
            verticals,
            panels,
            free_x: curves.free_x,
            band: curves.band,
            notes: self.notes(),
            ..Figure::default()
        }
        .without_idle_axes();
        self.limit_x(&mut figure);
        self.limit_y(&mut figure);
        self.mark(&mut figure);
        let (Panels::Levels(axis), Some(planned)) = (&curves.panels, &report.collected.planned) else {
            return vec![figure];
        };
        let number = planned.plan.axes.iter().position(|candidate| candidate.name == *axis);
        let facets = number.map(|number| Facets::on(report.arms(), &planned.plan, number));
        facets.map_or_else(Vec::new, |facets| facets.spread(&figure))
    }

    /// What panels show of their vertical axes.
    fn limit_y(&self, figure: &mut Figure) {
        let Limits { from, to } = self.curves.y_limits;
        if from.is_none() && to.is_none() {
            return;
        }
        for number in 0..figure.verticals.len() {
            let log = figure.verticals[number].scale == Scale::Log;
            let points = figure.curves_over(number).flat_map(|(_, curve)| &curve.points);
            let values = points.flat_map(|point| [point.low, point.median, point.high]);
            let (least, most) = range(values.filter(|&value| !log || value > 0.0));
            let (low, high) = (from.unwrap_or(least), to.unwrap_or(most));
            let why = match log && low <= 0.0 {
                true => Some(OFF_LOG),
                false => (low >= high).then_some("hold no value"),
            };
            let vertical = &mut figure.verticals[number];
            vertical.window = why.is_none().then_some((low, high));
            let limits = format!("the declared limits of {}, {low} to {high}", vertical.name);
            figure.notes.extend(why.map(|why| format!("{limits}, {why} and are not used")));
        }
    }

    /// Adds the lines that are no arms, and says of those that no panel has why.
    fn mark(&self, figure: &mut Figure) {
        for (number, mark) in self.curves.marks.iter().enumerate() {
            let (mut is_known, mut hidden) = (false, None);
            for panel in &mut figure.panels {
                let vertical = &figure.verticals[panel.vertical];
                let rule = rule(self.report, self.arms, mark, &vertical.name);
                let slopes = panel.curves.iter().filter_map(|curve| slope(&self.curves.marks, number, curve));
                let slopes: Vec<Curve> = slopes.collect();
                is_known |= rule.is_some() || !slopes.is_empty();
                panel.curves.extend(slopes);
                match rule {
                    Some(rule) if vertical.hides(rule.y) => hidden = hidden.or(Some(rule)),
                    rule => panel.rules.extend(rule),
                }
            }
            figure.notes.extend((!is_known).then(|| not_drawn(mark)));
            let axes = "axes that do not hold it: logarithmic, or limited ones";
            let hidden = hidden.map(|Rule { y, label }| format!("the mark `{label}` at {y} is not drawn on {axes}"));
            figure.notes.extend(hidden);
        }
    }

    fn notes(&self) -> Vec<String> {
        let (arms, all) = (self.report.arms(), self.all());
        let mut notes = Vec::new();
        for &quantity in &all {
            notes.extend(notes_of_curves(arms, &self.lines(quantity, arms)));
            if quantity.0 == GAP {
                notes.extend(references::notes(arms, self.report.references()));
            }
        }
        let mut notes = each_once(notes);
        let is_shown = |name: &str| all.iter().any(|quantity| quantity.0.strip_prefix(PARAMETER) == Some(name));
        notes.extend(components::caveat(arms, is_shown).map(|caveat| caveat.to_string()));
        if let Panels::Split(split) = &self.curves.panels {
            notes.extend(split.iter().filter_map(|panel| absent(arms, &panel.arms)));
        }
        notes
    }

    /// What panels show of their horizontal axes: the declared limits, or where the results end them.
    fn limit_x(&self, figure: &mut Figure) {
        let is_declared = self.curves.x_limits != Limits::default();
        if is_declared && figure.stands_in {
            figure.notes.push("the declared limits are those of another axis and are not used".to_owned());
        }
        for panel in &mut figure.panels {
            panel.limits = match is_declared && !figure.stands_in {
                true => self.curves.x_limits,
                // Panels of one quantity have a target that says where their axis ends.
                false => {
                    let name = &figure.verticals[panel.vertical].name;
                    let lines = self.lines(Quantity(name), self.report.arms());
                    Limits { from: None, to: choice::end(&lines, panel.x, choice::bound(self.report, name)) }
                }
            };
        }
    }
}

fn not_drawn(mark: &Mark) -> String {
    match mark {
        Mark::Value { label, .. } => format!("the mark `{label}` is not drawn: there is no panel"),
        Mark::End { arm, .. } => format!("the end of {arm} is not drawn: it has none of the figure's quantities here"),
        Mark::Optimum => {
            "where exact EM rests is not drawn: it is one value of `objective` alone, where all runs that know it have \
             the same data, model and weights of the clients"
                .to_owned()
        }
        Mark::Slope { arm, .. } => {
            format!("the slope of {arm} is not drawn: no panel has its line, or it is too short")
        }
    }
}

/// The horizontal line of a mark over a quantity. `all` are the arms of the whole report, also those that the figure
/// does not show.
fn rule(report: &Report<'_>, all: &[Arm], mark: &Mark, quantity: &str) -> Option<Rule> {
    match mark {
        Mark::Value { y, label } => Some(Rule { y: *y, label: label.clone() }),
        Mark::End { arm: name, label } => {
            let arm = all.iter().find(|arm| arm.name == *name)?;
            let y = report.curve(arm, Quantity(quantity))?.points.last()?.median;
            Some(Rule { y, label: if label.is_empty() { format!("end of {name}") } else { label.clone() } })
        }
        Mark::Optimum if quantity == "objective" => {
            let y = report.references().least()?;
            Some(Rule { y, label: "where exact EM rests".to_owned() })
        }
        Mark::Optimum | Mark::Slope { .. } => None,
    }
}

/// The sloping line of the mark of that number beside a line of its arm.
fn slope(marks: &[Mark], number: usize, line: &Curve) -> Option<Curve> {
    let Mark::Slope { arm: name, decades } = &marks[number] else { return None };
    let is_before = |mark: &&Mark| matches!(mark, Mark::Slope { arm, .. } if arm == name);
    let before = marks[..number].iter().filter(is_before).count();
    let slope = decades.map(|decades| -decades);
    (line.slope.is_none() && line.name == *name).then(|| line.sloping(slope, before)).flatten()
}
