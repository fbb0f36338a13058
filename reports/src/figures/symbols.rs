//! The papers' symbols of parameters, from their names in `theta.csv`.

use crate::text::Rich;

/// A letter and its indices; without any it is squared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
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
        let letter = Rich::plain(self.letter);
        match self.indices.is_empty() {
            true => letter.superscript("2"),
            false => letter.subscript(&self.indices.join(self.separator())),
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
