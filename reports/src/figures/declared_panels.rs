//! What stands in which panel of a declared figure of curves, on which vertical axis.

use super::figure::{Panel, Vertical, each_once};
use super::shown::shown;
use crate::axes::Scale;
use crate::curves::Curve;
use crate::data::Arm;
use crate::quantity::{PARAMETER, Quantity};
use crate::report::Report;
use crate::text::Rich;
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

type Arranged = (Vec<Vertical>, Vec<Panel>);

impl Arrangement<'_> {
    pub fn all(&self) -> Vec<Quantity<'_>> {
        each_once(self.quantities.iter().chain(self.of_panels.iter().flatten()).copied())
    }

    pub fn lines(&self, quantity: Quantity<'_>, arms: &[Arm]) -> Vec<Curve> {
        arms.iter().filter_map(|arm| self.report.curve(arm, quantity)).collect()
    }

    pub fn panels(&self, axes: &[XAxis]) -> Arranged {
        let arms = self.report.arms();
        match &self.curves.panels {
            Panels::Axes => self.by_quantity(axes),
            Panels::Together | Panels::Levels(_) => {
                (vec![self.upright(&self.quantities)], self.of_arms(None, arms, &self.quantities, axes))
            }
            Panels::Arms => {
                let own = |arm: &Arm| self.of_arm((&arm.label, 0), arm, &self.quantities, axes);
                (vec![self.upright(&self.quantities)], arms.iter().flat_map(own).collect())
            }
            Panels::Split(split) => self.split(split, axes),
        }
    }

    fn by_quantity(&self, axes: &[XAxis]) -> Arranged {
        let verticals = match self.curves.free_y {
            true => self.quantities.iter().map(|&quantity| self.upright(&[quantity])).collect(),
            false => vec![self.upright(&self.quantities)],
        };
        let own = |(number, &quantity): (usize, &Quantity<'_>)| {
            let several = !self.curves.free_y && self.quantities.len() > 1;
            let heading = several.then(|| self.short(quantity));
            let vertical = if self.curves.free_y { number } else { 0 };
            let curves = self.lines(quantity, self.report.arms());
            let panel = |&x: &XAxis| Panel { vertical, heading: heading.clone(), ..Panel::new(x, &curves) };
            axes.iter().map(panel).collect::<Vec<_>>()
        };
        (verticals, self.quantities.iter().enumerate().flat_map(own).collect())
    }

    /// The panels that are declared one by one: those with the same quantities share their vertical axis.
    fn split(&self, split: &[ArmsPanel], axes: &[XAxis]) -> Arranged {
        let (mut shown_on, mut panels): (Vec<&[Quantity<'_>]>, Vec<Panel>) = (Vec::new(), Vec::new());
        let all: Vec<Vec<Arm>> = split.iter().map(|declared| shown(self.report.arms(), &declared.arms)).collect();
        // The looks of arms that other panels show are not those of quantities.
        let of_arms = all.iter().zip(&self.of_panels).filter(|(arms, own)| arms.len() != 1 || own.is_empty());
        let first = of_arms.flat_map(|(arms, _)| arms).map(|arm| arm.style + 1).max().unwrap_or(0);
        for ((declared, own), arms) in split.iter().zip(&self.of_panels).zip(&all) {
            let quantities = if own.is_empty() { &self.quantities[..] } else { &own[..] };
            let vertical = shown_on.iter().position(|other| *other == quantities).unwrap_or_else(|| {
                shown_on.push(quantities);
                shown_on.len() - 1
            });
            let made = match &arms[..] {
                [arm] if !own.is_empty() => self.of_arm((&declared.heading, first), arm, quantities, axes),
                arms => self.of_arms(Some(&declared.heading), arms, quantities, axes),
            };
            panels.extend(made.into_iter().map(|panel| Panel { vertical, ..panel }));
        }
        (shown_on.into_iter().map(|quantities| self.upright(quantities)).collect(), panels)
    }

    /// A panel for each axis with the lines of all quantities of some arms.
    fn of_arms(&self, heading: Option<&str>, arms: &[Arm], quantities: &[Quantity<'_>], axes: &[XAxis]) -> Vec<Panel> {
        let several = quantities.len() > 1;
        let own = |(number, &quantity): (usize, &Quantity<'_>)| {
            let lines = self.lines(quantity, arms).into_iter();
            let lines = lines.map(|line| Curve { quantity: several.then(|| (number, self.short(quantity))), ..line });
            lines.collect::<Vec<_>>()
        };
        let curves: Vec<Curve> = quantities.iter().enumerate().flat_map(own).collect();
        let heading = heading.map(str::to_owned);
        axes.iter().map(|&x| Panel { heading: heading.clone(), ..Panel::new(x, &curves) }).collect()
    }

    /// A panel for each axis with a line for each quantity of one arm: a quantity looks the same in all panels. The
    /// looks begin with the `first` that is no arm's.
    fn of_arm(
        &self,
        (heading, first): (&str, usize),
        arm: &Arm,
        quantities: &[Quantity<'_>],
        axes: &[XAxis],
    ) -> Vec<Panel> {
        let all = self.all();
        let own = |&quantity: &Quantity<'_>| {
            let line = self.report.curve(arm, quantity)?;
            let style = first + all.iter().position(|other| *other == quantity)?;
            Some(Curve { label: self.short(quantity), style, ..line })
        };
        let curves: Vec<Curve> = quantities.iter().filter_map(own).collect();
        axes.iter().map(|&x| Panel { heading: Some(heading.to_owned()), ..Panel::new(x, &curves) }).collect()
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
