//! What stands in which panel of a declared figure of curves, on which vertical axis.

use super::figure::{Panel, Vertical};
use super::shown::shown;
use crate::axes::Scale;
use crate::curves::Curve;
use crate::data::Arm;
use crate::quantity::{PARAMETER, Quantity};
use crate::report::Report;
use crate::text::{Rich, each_once};
use crate::words::listed;
use fedbits_figures::{ArmsPanel, Curves, Panels, Scale as DeclaredScale, XAxis};

/// More quantities than this are named at an axis by the first and the last.
const MOST_NAMED: usize = 4;

pub(super) struct Arrangement<'a> {
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
