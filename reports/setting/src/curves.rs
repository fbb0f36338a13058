//! Quantities against a cost.

use fedbits_spec::range::{FINITE, POSITIVE};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::{ShownArm, XAxis};

/// Quantities during a run, against a cost.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Curves {
    /// Measured columns of `rounds.csv` (costs belong to `x`), `objective_gap`, or parameters (`theta.mean_0_1`,
    /// `theta.mean_*`); none: those of the stop rules, or what was measured.
    #[serde(default)]
    pub y: Vec<String>,
    /// Horizontal axes; none: `BitsTotal` or `Time`, whichever separates the arms' ends more.
    #[serde(default)]
    pub x: Vec<XAxis>,
    /// Content of a panel.
    #[serde(default)]
    pub panels: Panels,
    /// Horizontal scale; `Auto`: logarithmic if the arms' ends differ tenfold or more.
    #[serde(default)]
    pub x_scale: Scale,
    /// Vertical scale; `Auto`: by the quantity.
    #[serde(default)]
    pub y_scale: Scale,
    /// Horizontal range in rounds, bits, seconds or joules; default: to the slowest arm at the target, else all.
    #[serde(default)]
    pub x_limits: Limits,
    /// Vertical range; default all.
    #[serde(default)]
    pub y_limits: Limits,
    /// Separate limits for panels over one axis.
    #[serde(default)]
    pub free_x: bool,
    /// A vertical axis per quantity.
    #[serde(default = "yes")]
    pub free_y: bool,
    /// Band over replicates; by default single runs for up to five.
    #[serde(default)]
    pub band: Band,
    /// Additional lines.
    #[serde(default)]
    pub marks: Vec<Mark>,
}

fn yes() -> bool {
    true
}

impl Default for Curves {
    fn default() -> Self {
        Self {
            y: Vec::new(),
            x: Vec::new(),
            panels: Panels::default(),
            x_scale: Scale::default(),
            y_scale: Scale::default(),
            x_limits: Limits::default(),
            y_limits: Limits::default(),
            free_x: false,
            free_y: true,
            band: Band::default(),
            marks: Vec::new(),
        }
    }
}

impl Curves {
    /// Whether there are surely several horizontal axes, and several vertical ones.
    pub(crate) fn several(&self) -> [bool; 2] {
        let upright = match &self.panels {
            Panels::Axes => self.free_y && self.y.len() > 1,
            Panels::Split(split) => {
                let mut shown = split.iter().map(|panel| if panel.y.is_empty() { &self.y } else { &panel.y });
                shown.next().is_some_and(|first| shown.any(|other| other != first))
            }
            Panels::Together | Panels::Arms | Panels::Levels(_) => false,
        };
        [self.x.len() > 1, upright]
    }
}

/// Content of a panel.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Panels {
    /// One horizontal axis and one quantity.
    #[default]
    Axes,
    /// One horizontal axis; quantities differ in their dashes.
    Together,
    /// One arm; a line per quantity.
    Arms,
    /// Arms of one level of this axis.
    Levels(String),
    /// Given panels.
    Split(Vec<ArmsPanel>),
}

/// Arms of a panel.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArmsPanel {
    /// Heading.
    pub heading: String,
    /// Arms.
    pub arms: Vec<ShownArm>,
    /// Quantities, on a separate vertical axis; none: those of the figure.
    #[serde(default)]
    pub y: Vec<String>,
}

/// Scale of an axis.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Scale {
    /// Chosen from the values.
    #[default]
    Auto,
    /// Logarithmic.
    Log,
    /// Linear.
    Linear,
}

/// Shown range of an axis.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Lower end; default that of the values.
    #[range(FINITE)]
    #[serde(default)]
    pub from: Option<f64>,
    /// Upper end; default that of the values.
    #[range(FINITE)]
    #[serde(default)]
    pub to: Option<f64>,
}

/// Band around a line.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Band {
    /// Median and quartiles of the replicates.
    #[default]
    Quartiles,
    /// Mean and its 95 % confidence interval (Student's t).
    Mean95,
    /// Median, minimum and maximum.
    Range,
    /// No band.
    Nothing,
}

impl Band {
    /// Do so many replicates have one? A single one says nothing of how sure its mean is.
    #[must_use]
    pub fn is_there(self, replicates: usize) -> bool {
        match self {
            Self::Quartiles | Self::Range => true,
            Self::Mean95 => replicates > 1,
            Self::Nothing => false,
        }
    }
}

/// An additional line.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Mark {
    /// A horizontal line.
    Value {
        /// Value, in the unit of the quantity.
        #[range(FINITE)]
        y: f64,
        /// Label.
        label: String,
    },
    /// An arm's final value.
    End {
        /// Name of the arm.
        arm: String,
        /// Label; default `end of ARM`.
        #[serde(default)]
        label: String,
    },
    /// An arm's contraction rate, on logarithmic axes over rounds and epochs.
    Slope {
        /// Name of the arm.
        arm: String,
        /// Decades per round; default: fitted to the curve's second half.
        #[range(POSITIVE)]
        #[serde(default)]
        decades: Option<f64>,
    },
    /// The objective of exact EM's limit, the lowest over a problem's runs.
    Optimum,
}

fn rules(curves: &Curves, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    for (name, limits) in [("x_limits", curves.x_limits), ("y_limits", curves.y_limits)] {
        in_order(limits, &at.field(name), findings);
    }
    if curves.x_limits != Limits::default() && curves.x.len() != 1 {
        let message = format!("the limits are of one axis, and there are {}", curves.x.len());
        findings.error(at.field("x_limits"), message, "expected one axis in `x`, whose unit they have");
    }
    distinct(&curves.y, &at.field("y"), "this quantity is shown twice", findings);
    distinct(&curves.x, &at.field("x"), "this axis is shown twice", findings);
}

/// That a list names everything once.
pub(crate) fn distinct<T: PartialEq>(list: &[T], at: &Path<'_>, message: &str, findings: &mut Findings) {
    for index in (1..list.len()).filter(|&index| list[..index].contains(&list[index])) {
        findings.error(at.index(index), message, "expected each once");
    }
}

fn in_order(limits: Limits, at: &Path<'_>, findings: &mut Findings) {
    if let (Some(from), Some(to)) = (limits.from, limits.to)
        && from >= to
    {
        findings.error(at, "the limits are the wrong way round", "expected `from` below `to`");
    }
}
