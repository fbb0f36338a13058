//! What a run is measured against: the rules that could end it, and the objective that exact EM comes to from its end.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The rules that could end the run, of those that bound what arms are compared by. A run overshoots the rule that ends
/// it by up to a round (‖h(Ŝ)‖²: up to the next probe), so arms that end by one rule differ in it by chance.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct StopRules {
    /// ‖h(Ŝ)‖² at most this large.
    pub mean_field_sq: Option<f64>,
    /// This many bits on the wire, headers included.
    pub bits: Option<u64>,
    /// So much simulated time, in ns.
    pub time_ns: Option<u64>,
}

/// Where a search ends a run that costs too much to be chosen: when a round has closed, and more than this was spent.
/// It is no rule of the run's scenario.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Cut {
    /// What counts.
    pub of: Spending,
    /// How much may be spent; of time in ns.
    pub above: u64,
}

/// What a run spends.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spending {
    /// All bits: payload in all directions, and headers.
    Bits,
    /// Payload bits from clients to the server.
    Upload,
    /// Simulated time, in ns.
    Time,
    /// Rounds.
    Rounds,
}

impl Spending {
    /// Its unit.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Upload => "bits up",
            Self::Time => "ns",
            Self::Rounds => "rounds",
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.above, self.of.unit())
    }
}

/// The objective where exact EM on all data in one place converges when it goes on from the end of the run: what gaps
/// of the objective are counted from.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Reference {
    /// [`problem_digest`]: records share a reference only where it is the same.
    pub problem: String,
    /// The objective; none where there is no reference.
    pub objective: Option<f64>,
    /// How it was found; why there is none.
    pub how: String,
    /// Passes over all data that it took.
    pub passes: u64,
    /// ‖h(Ŝ)‖² there.
    pub mean_field_sq: Option<f64>,
}

/// A digest of what the objective is a function of: the data, by their digest, and what `objective` says of model and
/// weights.
#[must_use]
pub fn problem_digest(data: &str, objective: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("fedbits record: the problem that an objective belongs to");
    for text in [data, objective] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::problem_digest;

    /// Other data or another model is another problem, also where the texts only part elsewhere.
    #[test]
    fn problems_differ_where_data_or_model_do() {
        let all = [("d1", "m"), ("d2", "m"), ("d1", "n"), ("d1m", ""), ("", "d1m")].map(|(d, m)| problem_digest(d, m));
        for (index, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|candidate| candidate == one), Some(index));
        }
    }
}
