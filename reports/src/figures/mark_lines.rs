//! The lines of declared figures that are no arms: values, ends, slopes, the optimum.

use super::figure::Rule;
use crate::curves::Curve;
use crate::data::Arm;
use crate::quantity::Quantity;
use crate::report::Report;
use fedbits_figures::Mark;

/// Where the lines of marks come from.
pub(crate) struct Marked<'a> {
    pub report: &'a Report<'a>,
    /// The arms of the whole report, also those that a figure does not show.
    pub all: &'a [Arm],
}

impl Marked<'_> {
    /// The line of a quantity of an arm.
    pub(crate) fn line(&self, name: &str, quantity: &str) -> Option<Curve> {
        let arm = self.all.iter().find(|arm| arm.name == name)?;
        self.report.curve(arm, Quantity(quantity))
    }

    /// The horizontal line of a mark over a quantity.
    pub(crate) fn rule(&self, mark: &Mark, quantity: &str) -> Option<Rule> {
        match mark {
            Mark::Value { y, label } => Some(Rule { y: *y, label: label.clone() }),
            Mark::End { arm, label } => {
                let y = self.line(arm, quantity)?.points.last()?.median;
                Some(Rule { y, label: if label.is_empty() { format!("end of {arm}") } else { label.clone() } })
            }
            Mark::Optimum if quantity == "objective" => {
                let y = self.report.references().least()?;
                Some(Rule { y, label: "where exact EM rests".to_owned() })
            }
            Mark::Optimum | Mark::Slope { .. } => None,
        }
    }

    /// The sloping line of the mark of that number beside a line of its arm.
    pub(crate) fn slope(&self, marks: &[Mark], number: usize, own: &Curve) -> Option<Curve> {
        let of = |mark: &Mark| match mark {
            Mark::Slope { arm, decades } => Some((arm.clone(), decades.map(|decades| -decades))),
            _ => None,
        };
        let (name, slope) = of(&marks[number])?;
        let before = marks[..number].iter().filter_map(of).filter(|(other, _)| *other == name).count();
        (own.slope.is_none() && own.name == name).then(|| own.sloping(slope, before)).flatten()
    }
}
