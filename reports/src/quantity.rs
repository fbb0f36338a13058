//! What figures of curves show upwards: a column of `rounds.csv`, the gap of the objective, or a parameter; and its
//! words.

use crate::axes::Scale;
use crate::curves::Curve;
use crate::data::Arm;
use crate::figures::figure::Vertical;
use crate::figures::references::References;
use crate::text::Rich;
pub(crate) use fedbits_figures::{GAP, PARAMETER, PER_ROUND};
use fedbits_record::results::Bound;

/// A quantity by its name in declarations of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quantity<'a>(pub &'a str);

/// The quantities with words of their own: the name, words where several share a panel, and words in the caption.
const KNOWN: [(&str, &str, &str); 17] = [
    (PER_ROUND, "time of a round (s)", "the simulated time of a run divided by its rounds"),
    ("mean_field_sq", "‖h(Ŝ)‖²", "the squared norm of the mean field over all data, ‖h(Ŝ)‖²"),
    ("field_sq", "‖H‖²", "the squared norm of the stochastic field that the server applied, ‖H‖²"),
    ("objective", "objective", "the objective at θ = T(Ŝ)"),
    (
        GAP,
        "objective gap",
        "the objective minus f*, where exact EM (regressions: gradient descent) rests, continued from the runs' ends",
    ),
    (
        "gradient_sq",
        "‖∇f‖²",
        "the squared norm of the gradient over all data, ‖∇f(x)‖² (with an ℓ₁ penalty of the gradient map)",
    ),
    (
        "accuracy",
        "accuracy",
        "the share of examples whose class is that of their component, under the best matching, or the predicted one",
    ),
    (
        "held_out_accuracy",
        "held-out accuracy",
        "the share of examples that no client has whose class is that of their component, or the predicted one",
    ),
    ("adjusted_rand_index", "adjusted Rand index", "the adjusted Rand index of components and labels"),
    (
        "normalized_mutual_information",
        "normalized mutual information",
        "the normalized mutual information of components and labels",
    ),
    (
        "occupied_components",
        "components with examples",
        "the number of components with at least half an example behind them",
    ),
    (
        "held_out_log_likelihood",
        "held-out log-likelihood",
        "the mean log-likelihood of the examples that no client has, at θ = T(Ŝ)",
    ),
    ("perplexity_held_out", "held-out perplexity", "the perplexity of held-out words"),
    ("parameter_error_sq", "‖θ − θ*‖²", "the squared distance of θ to the parameters that made the data"),
    (
        "drift_sq",
        "squared drift of the memories",
        "the squared distance of the server's memory V to the mean of the clients' memories",
    ),
    ("held_out_rmse", "held-out error", "the root mean square error of observations that the fit did not see"),
    ("minus_2ll", "−2 log-likelihood", "−2 times the log-likelihood of the data"),
];
/// Those on a logarithmic scale.
const LOGARITHMIC: [&str; 7] =
    ["mean_field_sq", "field_sq", "gradient_sq", GAP, "perplexity_held_out", "parameter_error_sq", "drift_sq"];

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
            (_, Some(parameter)) => arm.component(parameter),
            (GAP, _) => arm.gap(|run| references.of_run(run)),
            (column, _) => arm.column_toward(column, bounds),
        }
    }

    /// Its vertical axis.
    pub(crate) fn vertical(self) -> Vertical {
        let label = match self.0 {
            "field_sq" => Rich::plain("‖𝐻‖²"),
            "gradient_sq" => Rich::plain("‖∇𝑓(𝑥)‖²"),
            _ => Rich::plain(&self.short()),
        };
        let words = match (self.known(), self.0.strip_prefix(PARAMETER)) {
            (Some((_, _, words)), _) => (*words).to_owned(),
            (None, Some(name)) => format!("the parameter {name}"),
            (None, None) => format!("the column {} of rounds.csv", self.0),
        };
        let scale = if LOGARITHMIC.contains(&self.0) { Scale::Log } else { Scale::Linear };
        Vertical { name: self.0.to_owned(), label, words, scale, ..Vertical::default() }
    }

    /// What it is called where several share a panel.
    pub(crate) fn short(self) -> String {
        match (self.known(), self.0.strip_prefix(PARAMETER)) {
            (Some((_, short, _)), _) => (*short).to_owned(),
            (None, Some(name)) => name.to_owned(),
            (None, None) => self.0.replace('_', " "),
        }
    }

    fn known(self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        KNOWN.iter().find(|known| known.0 == self.0)
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
}

/// A letter and its indices; without any it is squared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Symbol {
    letter: &'static str,
    indices: Vec<String>,
}

impl Symbol {
    /// The symbol of the parameter `name` of a model whose parameters have these `names`: of mixed effects the fixed
    /// effects β, the covariance Ω of the random effects and the variance σ² of the errors; of low rank the factors A
    /// and B; of mixtures weights π, means μ and covariances Σ. None of other parameters, whose names are words.
    pub(crate) fn of(name: &str, names: &[String]) -> Option<Self> {
        let symbol = |letter, indices: Vec<String>| Some(Self { letter, indices });
        // Of a mixture, and of what follows from one: a component's number comes first.
        let of_mixture = [("weight_", "π"), ("mean_", "μ"), ("covariance_", "Σ")];
        if let Some((letter @ ("A" | "B"), rest)) = name.split_once('[') {
            let letter = if letter == "A" { "A" } else { "B" };
            return symbol(letter, rest.strip_suffix(']')?.split(',').map(str::to_owned).collect());
        }
        if names.iter().any(|known| known == "weight_0") {
            let (letter, rest) =
                of_mixture.into_iter().find_map(|(start, letter)| Some((letter, name.strip_prefix(start)?)))?;
            return symbol(letter, rest.split('_').map(str::to_owned).collect());
        }
        // Effects may have underscores in their names: they are those that have a mean.
        let effects = || names.iter().filter_map(|known| known.strip_prefix("mean_"));
        if !names.iter().any(|known| known.starts_with("omega_")) {
            return None;
        }
        if name == "sigma_sq" {
            return symbol("σ", Vec::new());
        }
        if let Some(effect) = name.strip_prefix("mean_") {
            return symbol("β", vec![effect.replace('_', " ")]);
        }
        let rest = name.strip_prefix("omega_")?;
        let pair = |one: &str| effects().find(|other| rest.strip_prefix(one) == Some(&format!("_{other}")));
        let (one, other) = effects().find_map(|one| Some((one, pair(one)?)))?;
        symbol("Ω", [one, other].map(|effect| effect.replace('_', " ")).into())
    }

    /// As it stands at an axis.
    pub(crate) fn label(&self) -> Rich {
        match self.indices.is_empty() {
            true => Rich::plain(&self.words()),
            false => Rich::plain(self.letter).subscript(&self.indices.join(self.separator())),
        }
    }

    /// As it stands in a sentence.
    pub(crate) fn words(&self) -> String {
        if self.indices.is_empty() {
            return format!("{}²", self.letter);
        }
        let lowered = |digit: char| digit.to_digit(10).and_then(|digit| char::from_u32(0x2080 + digit));
        let digits: Option<String> = self.indices.concat().chars().map(lowered).collect();
        match digits.filter(|_| self.separator().is_empty()) {
            Some(digits) => format!("{}{digits}", self.letter),
            None => format!("{} of {}", self.letter, self.indices.join(" and ")),
        }
    }

    /// Between indices: nothing between single digits, and there is nothing between one.
    fn separator(&self) -> &'static str {
        let is_digit = |index: &String| index.len() == 1 && index.chars().all(|c| c.is_ascii_digit());
        if self.indices.len() == 1 || self.indices.iter().all(is_digit) { "" } else { ", " }
    }
}

#[cfg(test)]
mod tests {
    use super::Symbol;
    use crate::text::Rich;

    /// Indices as in the files, from 0; names of effects with underscores are told apart by the means.
    #[test]
    fn symbols_of_names() {
        let polynomial = ["mean_0", "mean_1", "omega_0_0", "omega_0_1", "omega_1_1", "sigma_sq"].map(str::to_owned);
        let words = |names: &[String]| -> Vec<String> {
            names.iter().filter_map(|name| Some(Symbol::of(name, names)?.words())).collect()
        };
        assert_eq!(words(&polynomial), ["β₀", "β₁", "Ω₀₀", "Ω₀₁", "Ω₁₁", "σ²"]);
        let oral = ["mean_log_V", "mean_log_Cl", "omega_log_V_log_V", "omega_log_V_log_Cl", "sigma_sq"];
        let expected = ["β of log V", "β of log Cl", "Ω of log V and log V", "Ω of log V and log Cl", "σ²"];
        assert_eq!(words(&oral.map(str::to_owned)), expected);
        assert_eq!(words(&["A[0,1]", "B[12,0]"].map(str::to_owned)), ["A₀₁", "B of 12 and 0"]);
        assert_eq!(words(&["intercept_Item.1", "a", "slope_0", "mean_0"].map(str::to_owned)), [""; 0]);
        let mixture = ["weight_0", "weight_10", "mean_0_0", "covariance_0_1_1", "variance_0_0"].map(str::to_owned);
        assert_eq!(words(&mixture), ["π₀", "π₁₀", "μ₀₀", "Σ₀₁₁"]);
        let label = Symbol::of("omega_0_1", &polynomial).unwrap().label();
        assert_eq!(label.latex(), Rich::plain("Ω").subscript("01").latex());
    }
}
