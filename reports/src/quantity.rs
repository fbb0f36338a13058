//! What figures of curves show upwards: a column of `rounds.csv`, the gap of the objective, or a parameter; and its
//! words.

use crate::axes::Scale;
use crate::curves::Curve;
use crate::data::Arm;
use crate::figures::figure::Vertical;
use crate::figures::references::References;
use crate::figures::symbols::Symbol;
use crate::text::Rich;
pub(crate) use fedbits_figures::{GAP, PARAMETER};
use fedbits_record::results::Bound;

/// A quantity by its name in declarations of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quantity<'a>(pub &'a str);

/// How a quantity is called.
struct Words {
    /// At the axis.
    label: Rich,
    /// On one line of plain text, where several share a panel.
    short: String,
    /// In the caption.
    long: String,
    scale: Scale,
}

/// A quantity that is known by name: the name, the axis with the square behind it, words where several share a panel,
/// words in the caption, and the scale.
type Known = (&'static str, &'static str, &'static str, &'static str, &'static str, Scale);

/// The quantities with words of their own.
const KNOWN: [Known; 13] = [
    (
        "mean_field_sq",
        "‖ℎ(Ŝ)‖",
        "2",
        "‖h(Ŝ)‖²",
        "the squared norm of the mean field over all data, ‖h(Ŝ)‖²",
        Scale::Log,
    ),
    (
        "field_sq",
        "‖𝐻‖",
        "2",
        "‖H‖²",
        "the squared norm of the stochastic field that the server applied, ‖H‖²",
        Scale::Log,
    ),
    ("objective", "objective", "", "objective", "the objective at θ = T(Ŝ)", Scale::Linear),
    (
        GAP,
        "objective gap",
        "",
        "objective gap",
        "the objective minus its least value where exact EM, continued from the ends of the runs, comes to rest",
        Scale::Log,
    ),
    (
        "accuracy",
        "accuracy",
        "",
        "accuracy",
        "the share of examples whose class is that of their component, under the best matching",
        Scale::Linear,
    ),
    (
        "adjusted_rand_index",
        "adjusted Rand index",
        "",
        "adjusted Rand index",
        "the adjusted Rand index of components and labels",
        Scale::Linear,
    ),
    (
        "normalized_mutual_information",
        "normalized mutual information",
        "",
        "normalized mutual information",
        "the normalized mutual information of components and labels",
        Scale::Linear,
    ),
    (
        "held_out_log_likelihood",
        "held-out log-likelihood",
        "",
        "held-out log-likelihood",
        "the mean log-likelihood of the examples that no client has, at θ = T(Ŝ)",
        Scale::Linear,
    ),
    (
        "perplexity_held_out",
        "held-out perplexity",
        "",
        "held-out perplexity",
        "the perplexity of held-out words",
        Scale::Log,
    ),
    (
        "parameter_error_sq",
        "‖𝜃 − 𝜃*‖",
        "2",
        "‖θ − θ*‖²",
        "the squared distance of θ to the parameters that made the data",
        Scale::Log,
    ),
    (
        "drift_sq",
        "squared drift of the memories",
        "",
        "squared drift of the memories",
        "the squared distance of the server's memory V to the mean of the clients' memories",
        Scale::Log,
    ),
    (
        "held_out_rmse",
        "held-out error",
        "",
        "held-out error",
        "the root mean square error of observations that the fit did not see",
        Scale::Linear,
    ),
    (
        "minus_2ll",
        "−2 log-likelihood",
        "",
        "−2 log-likelihood",
        "−2 times the log-likelihood of the data",
        Scale::Linear,
    ),
];

impl Quantity<'_> {
    /// Those that every run may have, with their figures' names: `accuracy` is the name of the table of the runs' ends.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Quantity("mean_field_sq"), "mean_field_sq"),
        (Quantity("field_sq"), "field_sq"),
        (Quantity("objective"), "objective"),
        (Quantity("accuracy"), "clustering_accuracy"),
        (Quantity("held_out_log_likelihood"), "held_out_log_likelihood"),
    ];

    /// The line of an arm toward these targets; none where no run measured it.
    pub(crate) fn curve(self, arm: &Arm, references: &References, bounds: &[Bound]) -> Option<Curve> {
        match (self.0, self.0.strip_prefix(PARAMETER)) {
            (_, Some(parameter)) => arm.component(arm.style, parameter, arm.label.clone()),
            (GAP, _) => arm.gap(|run| references.of_run(run)),
            (column, _) => arm.column_toward(column, bounds),
        }
    }

    /// Its vertical axis.
    pub(crate) fn vertical(self) -> Vertical {
        let Words { label, long, scale, .. } = self.words();
        Vertical { name: self.0.to_owned(), label, words: long, scale, ..Vertical::default() }
    }

    /// What it is called where several share a panel.
    pub(crate) fn short(self) -> String {
        self.words().short
    }

    /// Its vertical axis, and what it is called where several share a panel, with the papers' symbol of a parameter
    /// among those of these names.
    pub(crate) fn with_symbol(self, names: &[String]) -> (Vertical, String) {
        let parameter = self.0.strip_prefix(PARAMETER);
        let symbol = parameter.and_then(|name| Some((name, Symbol::of(name, names)?)));
        let Some((name, symbol)) = symbol else { return (self.vertical(), self.short()) };
        let words = format!("the parameter {} ({name} in theta.csv)", symbol.words());
        (Vertical { label: symbol.label(), words, ..self.vertical() }, symbol.words())
    }

    fn words(self) -> Words {
        if let Some(&(_, axis, square, short, long, scale)) = KNOWN.iter().find(|known| known.0 == self.0) {
            let label = Rich::plain(axis);
            let label = if square.is_empty() { label } else { label.superscript(square) };
            return Words { label, short: short.to_owned(), long: long.to_owned(), scale };
        }
        let (short, label, long) = match self.0.strip_prefix(PARAMETER) {
            Some(name) => (name.to_owned(), Rich::plain(name), format!("the parameter {name}")),
            None => {
                let words = self.0.replace('_', " ");
                (words.clone(), Rich::plain(&words), format!("the column {} of rounds.csv", self.0))
            }
        };
        Words { label, short, long, scale: Scale::Linear }
    }
}
