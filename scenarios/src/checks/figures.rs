//! Figures that are declared: their names, and the arms and axes that they speak of. This file must not know what is
//! measured, nor records.

use fedbits_figures::{CostFigure, Curves, Figure, FigureKind, Forest, Heat, Mark, Panels, ShownArm, TABLES, TradeOff};
use fedbits_spec::{Described, Facts, Findings, Path};
use fedbits_text::{first_few, nearest};

use super::parts;

/// What figures can speak of.
struct Known<'a> {
    /// The names of the arms.
    arms: Vec<&'a str>,
    /// The names of the axes.
    axes: Vec<&'a str>,
}

/// The most figures that a scenario declares.
const MOST: usize = 100;

/// Findings about figures of a report of these arms.
pub(crate) fn declared(figures: &[Figure], arms: Vec<&str>, axes: Vec<&str>, findings: &mut Findings) {
    let known = Known { arms, axes };
    let root = Path::Root.field("figures");
    if figures.len() > MOST {
        findings.error(root, format!("{} figures are declared", figures.len()), format!("expected at most {MOST}"));
        return;
    }
    for (index, figure) in figures.iter().enumerate() {
        let at = root.index(index);
        figure.check(&at, &Facts::default(), findings);
        if figures[..index].iter().any(|earlier| earlier.name == figure.name) {
            let message = format!("another figure is named `{}` too", figure.name);
            findings.error(at.field("name"), message, "expected different names");
        } else if TABLES.contains(&figure.name.as_str()) {
            let message = format!("a table beside the figures is named `{}` too", figure.name);
            findings.error(at.field("name"), message, "expected different names");
        }
        known.shown(&figure.arms, &at.field("arms"), findings);
        let at = at.field("kind");
        let place = at.field("target").to_string();
        figure.kind.target().into_iter().for_each(|target| parts::target(target, &place, findings));
        match &figure.kind {
            FigureKind::Curves(curves) => known.curves(curves, &at, findings),
            FigureKind::Cost(CostFigure { baseline: Some(arm), .. })
            | FigureKind::Forest(Forest { baseline: Some(arm), .. }) => {
                known.arm(arm, &at.field("baseline"), findings);
            }
            // A path of a search has points; which there are the report knows.
            FigureKind::TradeOff(TradeOff { axis: Some(axis), .. }) if !axis.contains('.') => {
                known.axis(axis, &at.field("axis"), findings);
            }
            FigureKind::Heat(Heat { rows: Some(rows), columns: Some(columns), .. }) => {
                known.axis(rows, &at.field("rows"), findings);
                known.axis(columns, &at.field("columns"), findings);
            }
            _ => {}
        }
    }
}

impl Known<'_> {
    fn curves(&self, curves: &Curves, at: &Path<'_>, findings: &mut Findings) {
        match &curves.panels {
            Panels::Levels(axis) => self.axis(axis, &at.field("panels").index(0), findings),
            Panels::Split(panels) => {
                for (number, panel) in panels.iter().enumerate() {
                    self.shown(&panel.arms, &at.field("panels").index(0).index(number).field("arms"), findings);
                }
            }
            Panels::Axes | Panels::Together | Panels::Arms => {}
        }
        for (number, mark) in curves.marks.iter().enumerate() {
            if let Mark::End { arm, .. } | Mark::Slope { arm, .. } = mark {
                self.arm(arm, &at.field("marks").index(number).field("arm"), findings);
            }
        }
    }

    fn shown(&self, arms: &[ShownArm], at: &Path<'_>, findings: &mut Findings) {
        for (index, shown) in arms.iter().enumerate() {
            let at = at.index(index);
            if shown.label().trim().is_empty() {
                let expected = "expected what the arm is called in the figure";
                findings.error(at.field("label"), "the label is empty", expected);
            }
            if arms[..index].iter().any(|earlier| earlier.label() == shown.label()) {
                let message = format!("another arm is called `{}` in this figure, too", shown.label());
                let label = if matches!(shown, ShownArm::Arm(_)) { at } else { at.field("label") };
                findings.error(label, message, "expected different labels (a `Group` is several arms as one line)");
            }
            match shown {
                ShownArm::Arm(name) => self.arm(name, &at, findings),
                ShownArm::Labelled { arm, .. } => self.arm(arm, &at.field("arm"), findings),
                ShownArm::Group { arms, .. } if arms.is_empty() => {
                    findings.error(at.field("arms"), "the group is empty", "expected names of arms");
                }
                ShownArm::Group { arms, .. } => {
                    for (number, name) in arms.iter().enumerate() {
                        self.pattern(name, &at.field("arms").index(number), findings);
                    }
                }
            }
        }
    }

    fn pattern(&self, name: &str, at: &Path<'_>, findings: &mut Findings) {
        match name.strip_suffix('*') {
            None => self.arm(name, at, findings),
            Some(start) if self.arms.iter().any(|arm| arm.starts_with(start)) => {}
            Some(_) => findings.error(at, format!("no arm fits `{name}`"), one_of(&self.arms, name)),
        }
    }

    fn arm(&self, name: &str, at: &Path<'_>, findings: &mut Findings) {
        if !self.arms.contains(&name) {
            findings.error(at, format!("there is no arm `{name}`"), one_of(&self.arms, name));
        }
    }

    fn axis(&self, name: &str, at: &Path<'_>, findings: &mut Findings) {
        if self.axes.is_empty() {
            let message = format!("there is no axis `{name}`: the scenario has none");
            findings.error(at, message, "expected another choice, or `axes` in the scenario");
        } else if !self.axes.contains(&name) {
            findings.error(at, format!("there is no axis `{name}`"), one_of(&self.axes, name));
        }
    }
}

/// Some of the names, the nearest first.
pub(super) fn one_of(names: &[&str], found: &str) -> String {
    const MOST: usize = 12;
    let near = nearest(found, names.iter().copied()).map(|name| format!("did you mean `{name}`? "));
    format!("{}expected one of {}", near.unwrap_or_default(), first_few(names, MOST))
}
