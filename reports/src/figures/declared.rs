//! A figure of curves as its declaration says: quantities, axes, panels, bands, and lines that are no arms.

use super::facets::Facets;
use super::figure::{Figure, OFF_LOG, Panel, Rule, Vertical};
use super::left_out::notes_of_curves;
use super::shown::{absent, recolor, shown};
use super::{choice, components, references};
use crate::axes::{Scale, range};
use crate::curves::Curve;
use crate::data::Arm;
use crate::error::ReportError;
use crate::quantity::{GAP, PARAMETER, Quantity};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::text::{Rich, each_once};
use crate::words::{listed, raised};
use fedbits_figures::{
    ArmsPanel, Curves, Figure as Declared, FigureKind as Setting, Limits, Mark, Panels, Scale as DeclaredScale, XAxis,
};
use fedbits_record::is_spent;
use std::collections::BTreeSet;

/// Draws the figure; nothing where no run has any of its quantities.
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
pub(crate) fn parameters(report: &Report<'_>) -> Vec<String> {
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
            let curves = figure.with_panels().filter(|(panel, _)| panel.vertical == number);
            let points = curves.flat_map(|(_, curve)| &curve.points);
            let values = points.flat_map(|point| [point.low, point.median, point.high]);
            let (least, most) = range(values.filter(|&value| !log || value > 0.0));
            let (low, high) = (from.unwrap_or(least), to.unwrap_or(most));
            let why = match log && low <= 0.0 {
                true => Some(OFF_LOG),
                false => (low >= high).then_some("hold no value"),
            };
            let vertical = &mut figure.verticals[number];
            vertical.window = why.is_none().then_some((low, high));
            let [low, high] = [low, high].map(raised);
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
            let hidden = hidden.map(|Rule { y, label }| (raised(y), label));
            figure.notes.extend(hidden.map(|(y, label)| format!("the mark `{label}` at {y} is not drawn on {axes}")));
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
        Mark::Optimum => "f* is not drawn: it is one value of `objective` alone, where all runs that know it have \
             the same data, model and weights of the clients"
            .to_owned(),
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
            Some(Rule { y, label: "f*".to_owned() })
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

/// More quantities than this are named at an axis by the first and the last.
const MOST_NAMED: usize = 4;

struct Arrangement<'a> {
    pub report: &'a Report<'a>,
    /// Of the declaration.
    pub name: &'a str,
    /// Those of the whole report, also those that the figure does not show.
    pub arms: &'a [Arm],
    pub curves: &'a Curves,
    /// The quantities of the figure, each measured in some run.
    pub quantities: Vec<Quantity<'a>>,
    /// Those of each panel that has its own; empty where it has those of the figure.
    pub of_panels: Vec<Vec<Quantity<'a>>>,
    pub parameters: Vec<String>,
}

/// Number of the vertical axis, heading and lines of the panels over all horizontal axes.
type Frame = (usize, Option<String>, Vec<Curve>);

impl Arrangement<'_> {
    pub fn all(&self) -> Vec<Quantity<'_>> {
        each_once(self.quantities.iter().chain(self.of_panels.iter().flatten()).copied())
    }

    pub fn lines(&self, quantity: Quantity<'_>, arms: &[Arm]) -> Vec<Curve> {
        arms.iter().filter_map(|arm| self.report.curve(arm, quantity)).collect()
    }

    pub fn panels(&self, axes: &[XAxis]) -> (Vec<Vertical>, Vec<Panel>) {
        let (arms, all, free) = (self.report.arms(), &self.quantities[..], self.curves.free_y);
        let (verticals, frames) = match &self.curves.panels {
            Panels::Axes => {
                let frame = |(number, &quantity): (usize, &Quantity<'_>)| {
                    let heading = (!free && all.len() > 1).then(|| self.short(quantity));
                    (if free { number } else { 0 }, heading, self.lines(quantity, arms))
                };
                let verticals = all.chunks(if free { 1 } else { all.len().max(1) }).map(|chunk| self.upright(chunk));
                (verticals.collect(), all.iter().enumerate().map(frame).collect())
            }
            Panels::Together | Panels::Levels(_) => (vec![self.upright(all)], vec![(0, None, self.of_arms(arms, all))]),
            Panels::Arms => {
                let frame = |arm: &Arm| (0, Some(arm.label.clone()), self.of_arm(0, arm, all));
                (vec![self.upright(all)], arms.iter().map(frame).collect())
            }
            Panels::Split(split) => self.split(split),
        };
        let over_axes = |(vertical, heading, curves): &Frame| {
            let panel = |&x| Panel { vertical: *vertical, heading: heading.clone(), ..Panel::new(x, curves) };
            axes.iter().map(panel).collect::<Vec<_>>()
        };
        (verticals, frames.iter().flat_map(over_axes).collect())
    }

    /// The panels that are declared one by one: those with the same quantities share their vertical axis.
    fn split(&self, split: &[ArmsPanel]) -> (Vec<Vertical>, Vec<Frame>) {
        let (mut shown_on, mut frames): (Vec<&[Quantity<'_>]>, Vec<Frame>) = (Vec::new(), Vec::new());
        let all: Vec<Vec<Arm>> = split.iter().map(|declared| shown(self.report.arms(), &declared.arms)).collect();
        // The looks of arms that other panels show are not those of quantities.
        let of_arms = all.iter().zip(&self.of_panels).filter(|(arms, chosen)| arms.len() != 1 || chosen.is_empty());
        let first = of_arms.flat_map(|(arms, _)| arms).map(|arm| arm.style + 1).max().unwrap_or(0);
        for ((declared, chosen), arms) in split.iter().zip(&self.of_panels).zip(&all) {
            let quantities = if chosen.is_empty() { &self.quantities[..] } else { &chosen[..] };
            let vertical = shown_on.iter().position(|other| *other == quantities).unwrap_or_else(|| {
                shown_on.push(quantities);
                shown_on.len() - 1
            });
            let curves = match &arms[..] {
                [arm] if !chosen.is_empty() => self.of_arm(first, arm, quantities),
                arms => self.of_arms(arms, quantities),
            };
            frames.push((vertical, Some(declared.heading.clone()), curves));
        }
        (shown_on.into_iter().map(|quantities| self.upright(quantities)).collect(), frames)
    }

    /// The lines of all quantities of some arms.
    fn of_arms(&self, arms: &[Arm], quantities: &[Quantity<'_>]) -> Vec<Curve> {
        let several = quantities.len() > 1;
        let of_quantity = |(number, &quantity): (usize, &Quantity<'_>)| {
            let lines = self.lines(quantity, arms).into_iter();
            let lines = lines.map(|line| Curve { quantity: several.then(|| (number, self.short(quantity))), ..line });
            lines.collect::<Vec<_>>()
        };
        quantities.iter().enumerate().flat_map(of_quantity).collect()
    }

    /// A line for each quantity of one arm: a quantity looks the same in all panels. The looks begin with the `first`
    /// that is no arm's.
    fn of_arm(&self, first: usize, arm: &Arm, quantities: &[Quantity<'_>]) -> Vec<Curve> {
        let all = self.all();
        let of_quantity = |&quantity: &Quantity<'_>| {
            let line = self.report.curve(arm, quantity)?;
            let style = first + all.iter().position(|other| *other == quantity)?;
            Some(Curve { label: self.short(quantity), style, ..line })
        };
        quantities.iter().filter_map(of_quantity).collect()
    }

    fn short(&self, quantity: Quantity<'_>) -> String {
        quantity.with_symbol(&self.parameters).1
    }

    /// The vertical axis of some quantities: logarithmic where all of them are.
    fn upright(&self, quantities: &[Quantity<'_>]) -> Vertical {
        let of = |quantity: &Quantity<'_>| quantity.with_symbol(&self.parameters);
        let (all, short): (Vec<Vertical>, Vec<String>) = quantities.iter().map(of).unzip();
        let declared = match self.curves.y_scale {
            DeclaredScale::Auto => None,
            DeclaredScale::Log => Some(Scale::Log),
            DeclaredScale::Linear => Some(Scale::Linear),
        };
        if let [only] = &all[..] {
            return Vertical { scale: declared.unwrap_or(only.scale), ..only.clone() };
        }
        let is_log = all.iter().all(|vertical| vertical.scale == Scale::Log);
        let named = |words: &[String], between: &str| match words {
            [first, .., last] if words.len() > MOST_NAMED => format!("{first}{between}{last}"),
            _ => words.join(", "),
        };
        let is_parameters = quantities.iter().all(|quantity| quantity.0.starts_with(PARAMETER));
        let words: Vec<String> = all.iter().map(|vertical| vertical.words.clone()).collect();
        let words = match is_parameters {
            true => format!("the parameters {}", named(&short, ", …, ")),
            false if words.len() > MOST_NAMED => named(&words, " to "),
            false => listed(&words),
        };
        Vertical {
            name: quantities.iter().map(|quantity| quantity.0).collect::<Vec<_>>().join("-"),
            label: Rich::plain(&named(&short, ", …, ")),
            words,
            scale: declared.unwrap_or(if is_log { Scale::Log } else { Scale::Linear }),
            window: None,
            several: true,
        }
    }
}

/// Of a θ with more components than this only the first are drawn; all are in `theta.csv`.
const MOST_PARAMETERS: usize = 12;

/// The kind of figure: of every quantity that was measured one with a panel per axis.
pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "convergence",
    title: "measured quantities and parameters against rounds, epochs, bits, time, energy, ε",
    needs: "`rounds.csv` with a measured quantity, or `theta.csv`",
    draw: draw_all,
};

fn draw_all(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let mut drawn = Vec::new();
    for (name, curves) in all(report) {
        let figure = Declared::new(&name, Setting::Curves(curves.clone()));
        drawn.extend(draw(report, &figure, &curves)?);
    }
    Ok(drawn)
}

/// What there is to be drawn: names of figures and their settings.
fn all(report: &Report<'_>) -> Vec<(String, Curves)> {
    let x = vec![XAxis::Epochs, XAxis::BitsUp, XAxis::BitsTotal, XAxis::Time];
    let known = Quantity::ALL.into_iter().map(|(quantity, file)| (quantity.0, file));
    let gap = (report.arms().len() > 1).then_some((GAP, GAP));
    let further = ["perplexity_held_out", "held_out_rmse"].map(|name| (name, name));
    let quantities = known.chain(gap).chain(further).filter(|(name, _)| is_measured(report, name));
    let curves = |(name, file): (&str, &str)| {
        (file.to_owned(), Curves { y: vec![name.to_owned()], x: x.clone(), ..Curves::default() })
    };
    quantities.map(curves).chain(of_parameters(report)).collect()
}

/// The parameters, where some run recorded θ: the weights of a mixture, or the first ones.
fn of_parameters(report: &Report<'_>) -> Option<(String, Curves)> {
    let records = report.arms().iter().flat_map(|arm| arm.records());
    let names = &records.filter_map(|record| record.theta.as_ref()).next()?.names;
    let first = || names.iter().take(MOST_PARAMETERS).map(|name| format!("{PARAMETER}{name}")).collect();
    let (file, y, x, panels) = match names.iter().any(|name| name.starts_with("weight_")) {
        true => ("weights", vec![format!("{PARAMETER}weight_*")], vec![XAxis::Epochs], Panels::Arms),
        false => ("parameters", first(), Vec::new(), Panels::default()),
    };
    Some((file.to_owned(), Curves { y, x, panels, ..Curves::default() }))
}
