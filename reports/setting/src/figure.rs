//! A figure, and its kinds.

use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::curves::distinct;
use crate::{
    Band, Cost, CostFigure, Curves, Ecdf, Forest, Heat, Mixture, Panels, ParticipationFigure, RaceFigure, ReachFigure,
    ShownArm, Target, TradeOff,
};

/// A declared figure.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Figure {
    /// Name, also of its files: letters, digits, `-` and `_`.
    pub name: String,
    /// Kind of figure.
    pub kind: FigureKind,
    /// Arms in this order; none: all.
    #[serde(default)]
    pub arms: Vec<ShownArm>,
    /// Panels per row, if they fit; default as many as fit.
    #[range(fedbits_spec::range::whole(1, 6))]
    #[serde(default)]
    pub columns: Option<u32>,
    /// Height ÷ width of a panel; default the venue's.
    #[range(SHAPE)]
    #[serde(default)]
    pub aspect: Option<f64>,
    /// Text before the generated caption.
    #[serde(default)]
    pub caption: String,
    /// Horizontal label without the unit, if panels share the quantity.
    #[serde(default)]
    pub x_label: String,
    /// Vertical label, likewise.
    #[serde(default)]
    pub y_label: String,
}

impl Figure {
    /// A figure of all arms that leaves everything else open.
    #[must_use]
    pub fn new(name: &str, kind: FigureKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            arms: Vec::new(),
            columns: None,
            aspect: None,
            caption: String::new(),
            x_label: String::new(),
            y_label: String::new(),
        }
    }

    /// The label of the first of its arms that is several as one, where it compares single arms or has intervals of
    /// means: runs of one replicate share data and start, and are no independent values.
    #[must_use]
    pub fn unfit_group(&self) -> Option<&str> {
        let (is_unfit, panels) = match &self.kind {
            FigureKind::Curves(Curves { band, panels: Panels::Split(panels), .. }) => {
                (*band == Band::Mean95, &panels[..])
            }
            FigureKind::Curves(Curves { band, .. }) => (*band == Band::Mean95, &[][..]),
            kind => (kind.compares_arms(), &[][..]),
        };
        let mut arms = self.arms.iter().chain(panels.iter().flat_map(|panel| &panel.arms));
        let group = arms.find(|arm| is_unfit && matches!(arm, ShownArm::Group { .. }));
        group.map(ShownArm::label)
    }
}

/// From flat to tall frames.
const SHAPE: fedbits_spec::range::Interval = fedbits_spec::range::Interval::closed(0.1, 3.0, "from 0.1 to 3, no unit");

/// Kind of figure.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum FigureKind {
    /// Quantities against a cost.
    Curves(Curves),
    /// Cost of a target for every arm.
    Cost(CostFigure),
    /// Ratios of arms to a baseline.
    Forest(Forest),
    /// Share of runs at a target, against the cost.
    Reach(ReachFigure),
    /// Cost of a target, or final values, against an axis.
    TradeOff(TradeOff),
    /// Cost of a target over two axes.
    Heat(Heat),
    /// Distribution of durations.
    Ecdf(Ecdf),
    /// Contributions and results of clients.
    Participation(ParticipationFigure),
    /// Fitted and true mixtures.
    Mixture(Mixture),
    /// When and why a race dropped arms.
    Race(RaceFigure),
    /// A kind from `report --all`, by name: `Named("ledger")`.
    Named(String),
}

/// Kinds by their names that compare single arms.
const COMPARING: [&str; 6] = ["cost", "forest", "trade_off", "heat", "pareto", "race"];

impl FigureKind {
    /// The name of the kind among those that there are, with which the names of its files begin.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Curves(_) => "convergence",
            Self::Cost(_) => "cost",
            Self::Forest(_) => "forest",
            Self::Reach(_) => "reach",
            Self::TradeOff(_) => "trade_off",
            Self::Heat(_) => "heat",
            Self::Ecdf(_) => "ecdf",
            Self::Participation(_) => "participation",
            Self::Mixture(_) => "mixture",
            Self::Race(_) => "race",
            Self::Named(name) => name,
        }
    }

    /// The target that it is about, where it names one.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::Cost(CostFigure { target, .. })
            | Self::Forest(Forest { target, .. })
            | Self::Reach(ReachFigure { target, .. })
            | Self::TradeOff(TradeOff { target, .. }) => target.as_ref(),
            _ => None,
        }
    }

    fn costs(&self) -> &[Cost] {
        match self {
            Self::Cost(CostFigure { costs, .. })
            | Self::Forest(Forest { costs, .. })
            | Self::Reach(ReachFigure { costs, .. })
            | Self::TradeOff(TradeOff { costs, .. })
            | Self::Heat(Heat { costs, .. }) => costs,
            _ => &[],
        }
    }

    /// Does it hold single arms against each other, replicate by replicate or as points of a search? Several arms as
    /// one have several runs of a replicate, and what these cost together is no cost of anything that was run.
    #[must_use]
    pub fn compares_arms(&self) -> bool {
        COMPARING.contains(&self.name().split('-').next().unwrap_or_default())
    }
}

fn rules(figure: &Figure, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let name = &figure.name;
    distinct(figure.kind.costs(), &at.field("kind").field("costs"), "this cost is shown twice", findings);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        findings.error(
            at.field("name"),
            format!("`{name}` is no name of a file"),
            "expected letters, digits, `-` and `_`",
        );
    }
    let shape = [("columns", figure.columns.is_some()), ("aspect", figure.aspect.is_some())];
    let what = match figure.kind {
        FigureKind::Cost(_) => Some("a figure of costs"),
        FigureKind::Forest(_) => Some("a forest plot"),
        FigureKind::Race(_) => Some("a figure of a race"),
        _ => None,
    };
    if let Some(what) = what {
        for (field, _) in shape.into_iter().filter(|field| field.1) {
            let message = format!("{what} has rows and no frames of a shape, so `{field}` says nothing");
            findings.error(at.field(field), message, "expected none");
        }
    }
    let labels = [("x_label", &figure.x_label), ("y_label", &figure.y_label)];
    let several = match &figure.kind {
        FigureKind::Curves(curves) => curves.several(),
        _ => [false; 2],
    };
    for ((field, label), several) in labels.into_iter().zip(several).filter(|((_, label), _)| !label.is_empty()) {
        if label.trim().is_empty() {
            findings.error(at.field(field), "the label is blank", "expected words, or nothing");
        } else if let Some(what) = what {
            findings.error(at.field(field), format!("the axes of {what} have no other words"), "expected none");
        } else if several {
            let message = "the label is of one axis, and the panels of the figure have several";
            findings.error(at.field(field), message, "expected one quantity there, or no label");
        }
    }
    let repeated = (1..figure.arms.len()).find(|&index| figure.arms[..index].contains(&figure.arms[index]));
    if let Some(index) = repeated {
        findings.error(at.field("arms").index(index), "this arm is shown twice", "expected each arm once");
    }
    if let Some(label) = figure.unfit_group() {
        let what = if figure.kind.compares_arms() { "compares single arms" } else { "has intervals of means" };
        let message = format!("the figure {what}, and the group `{label}` has several runs of a replicate");
        let expected = "expected single arms; `Curves` without `Mean95`, `Reach` and `Ecdf` take groups";
        let known = figure.arms.iter().position(|arm| arm.label() == label);
        match known {
            Some(index) => findings.error(at.field("arms").index(index), message, expected),
            None => findings.error(at.field("kind"), message, expected),
        }
    }
}
