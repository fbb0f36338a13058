//! The lines of declared figures that are no arms: values, ends, slopes, the optimum.

use super::figure::Rule;
use crate::curves::Curve;
use crate::data::Arm;
use crate::quantity::Quantity;
use crate::report::Report;
use fedbits_figures::Mark;

/// The horizontal line of a mark over a quantity. `all` are the arms of the whole report, also those that the figure
/// does not show.
pub(crate) fn rule(report: &Report<'_>, all: &[Arm], mark: &Mark, quantity: &str) -> Option<Rule> {
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
pub(crate) fn slope(marks: &[Mark], number: usize, line: &Curve) -> Option<Curve> {
    let Mark::Slope { arm: name, decades } = &marks[number] else { return None };
    let is_before = |mark: &&Mark| matches!(mark, Mark::Slope { arm, .. } if arm == name);
    let before = marks[..number].iter().filter(is_before).count();
    let slope = decades.map(|decades| -decades);
    (line.slope.is_none() && line.name == *name).then(|| line.sloping(slope, before)).flatten()
}
