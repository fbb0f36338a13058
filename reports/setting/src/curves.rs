//! Quantities against a cost.

use fedbits_spec::range::{FINITE, POSITIVE};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::{ShownArm, XAxis};

/// Quantities after the rounds of a run, against what they cost.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Curves {
    /// The quantities: measured columns of `rounds.csv` (`mean_field_sq`, `accuracy`, …; what a run spends is `x`),
    /// `objective_gap`, or a parameter (`theta.mean_0_1`; `theta.mean_*` stands for every parameter whose name begins
    /// so). Default: what the stop rules ask for, or what was measured.
    #[serde(default)]
    pub y: Vec<String>,
    /// The horizontal axes; default: that of `BitsTotal` and `Time` on which the arms' ends differ most.
    #[serde(default)]
    pub x: Vec<XAxis>,
    /// What is in a panel of its own; default `Axes`.
    #[serde(default)]
    pub panels: Panels,
    /// Scale of the horizontal axes; default `Auto`: logarithmic where the arms' ends differ by a factor of ten or
    /// more.
    #[serde(default)]
    pub x_scale: Scale,
    /// Scale of the vertical axis; default `Auto`: that of the quantity.
    #[serde(default)]
    pub y_scale: Scale,
    /// The part of the horizontal axes that is shown, in rounds, bits, seconds, joules; default: up to the end of the
    /// arm that takes longest to get to the target where some do, else all.
    #[serde(default)]
    pub x_limits: Limits,
    /// The part of the vertical axis that is shown; default all.
    #[serde(default)]
    pub y_limits: Limits,
    /// Have panels over the same axis limits of their own? Default false.
    #[serde(default)]
    pub free_x: bool,
    /// Have panels of different quantities vertical axes of their own? Default true.
    #[serde(default = "yes")]
    pub free_y: bool,
    /// What the band of several replicates shows; default `Quartiles`, and up to five replicates the single runs.
    #[serde(default)]
    pub band: Band,
    /// Lines that are no arms; default none.
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

/// What is in a panel of its own.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Panels {
    /// Each horizontal axis and each quantity.
    #[default]
    Axes,
    /// Each horizontal axis; quantities share a panel and differ in the dashes.
    Together,
    /// Each arm; quantities are lines in it.
    Arms,
    /// The arms with the same level on this axis of the study.
    Levels(String),
    /// These.
    Split(Vec<ArmsPanel>),
}

/// The arms of a panel.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArmsPanel {
    /// What stands above it.
    pub heading: String,
    /// Its arms.
    pub arms: Vec<ShownArm>,
    /// The quantities that it shows, as in `y` of the figure, on a vertical axis of their own; default those of the
    /// figure. Several of one arm are a line each.
    #[serde(default)]
    pub y: Vec<String>,
}

/// How values become positions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Scale {
    /// As the values ask for.
    #[default]
    Auto,
    /// Logarithmic.
    Log,
    /// Linear.
    Linear,
}

/// The part of an axis that is shown.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Where it begins; default where the values do.
    #[range(FINITE)]
    #[serde(default)]
    pub from: Option<f64>,
    /// Where it ends; default where the values do.
    #[range(FINITE)]
    #[serde(default)]
    pub to: Option<f64>,
}

/// What the band around a line shows.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Band {
    /// From the lower to the upper quartile of the replicates, around their median.
    #[default]
    Quartiles,
    /// The 95 % interval of the replicates' mean by Student's t, around the mean.
    Mean95,
    /// From the least to the most of the replicates, around their median.
    Range,
    /// None.
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

/// A line that is no arm.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Mark {
    /// A horizontal line at a value.
    Value {
        /// Where, in the unit of the quantity.
        #[range(FINITE)]
        y: f64,
        /// What it is called.
        label: String,
    },
    /// A horizontal line where an arm ends.
    End {
        /// The arm's name.
        arm: String,
        /// What it is called; default `end of ARM`.
        #[serde(default)]
        label: String,
    },
    /// The line by which an arm contracts: on logarithmic axes over rounds and epochs a straight one.
    Slope {
        /// The arm's name.
        arm: String,
        /// How many decades it falls per round; default: fitted to the second half of the arm's curve by least squares.
        #[range(POSITIVE)]
        #[serde(default)]
        decades: Option<f64>,
    },
    /// A horizontal line at the objective at which exact EM rests: of the runs of one problem the least.
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
