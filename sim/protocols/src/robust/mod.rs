//! Robust rules: the server does not add what clients send, but makes one vector of it that few liars cannot move far.
//!
//! ```text
//! X = F(x_1, …, x_m),   x_i = μ_i (V_i + Quant(Δ_i)) of the m clients that arrived
//! ```
//!
//! The server keeps a copy of every V_i: a rule needs what each client says, and V is their mean alone (as in Rammal et
//! al., *Communication Compression for Byzantine Robust Learning: New Efficient Algorithms and Improved Rates*, AISTATS
//! 2024). The memories themselves go on as without a rule. MARINA's x_i is H + Quant(h_i − h_i of the last round), as
//! in Byz-VR-MARINA (Gorbunov et al., ICLR 2023), and FedAvg-EM's are parameters.
//!
//! | rule | source |
//! |---|---|
//! | trimmed mean, median | Yin et al., *Byzantine-Robust Distributed Learning*, ICML 2018 |
//! | geometric median | Pillutla et al., *Robust Aggregation for Federated Learning*, IEEE TSP 2022 |
//! | Krum, multi-Krum | Blanchard et al., NeurIPS 2017; m − f − 1 neighbours as in ByzFL, where the paper has m − f − 2 |
//! | centred clipping | Karimireddy et al., *Learning from History for Byzantine Robust Optimization*, ICML 2021 |
//! | mixing | Allouah et al., *Fixing by Mixing*, AISTATS 2023 |
//!
//! What the server computes takes no virtual time.

mod rules;

use fedbits_spec::Described;
use fedbits_spec::range::{Interval, POSITIVE, whole};
use serde::{Deserialize, Serialize};

use crate::state::distance_sq;

/// A robust rule.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Robust {
    /// Rule for the arrived vectors.
    pub rule: RobustRule,
    /// f, the tolerated Byzantine clients per round, fewer than half of the arrivals; rounds with too few arrivals are
    /// skipped.
    #[range(whole(0, 1_000_000))]
    pub f: u32,
    /// Transformation before the rule.
    #[serde(default)]
    pub mixing: Preaggregation,
}

/// Rule on m vectors x_i, as in ByzFL. For medians and `CentredClipping`, f sets only the required arrivals.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum RobustRule {
    /// Coordinate-wise mean without the f largest and f smallest values.
    TrimmedMean,
    /// Coordinate-wise median.
    CoordinateMedian,
    /// Geometric median.
    GeometricMedian(Weiszfeld),
    /// The vector with the least mean squared distance to its m − f − 1 nearest; m > 2 f + 2.
    Krum,
    /// Mean of the m − f vectors that Krum ranks first; m > 2 f + 2.
    MultiKrum,
    /// The last result (first 0) plus the mean of the differences from it, each clipped to `radius`.
    CentredClipping(Centre),
}

/// Weiszfeld's algorithm, smoothed, from 0.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weiszfeld {
    /// ν, lower bound of distances.
    #[range(POSITIVE)]
    pub smoothing: f64,
    /// Steps.
    #[range(whole(1, 10_000))]
    pub iterations: u32,
}

impl Default for Weiszfeld {
    fn default() -> Self {
        Self { smoothing: 0.1, iterations: 3 }
    }
}

/// Centred clipping.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Centre {
    /// τ, the largest norm of a difference.
    #[range(RADIUS)]
    pub radius: f64,
    /// Steps.
    #[serde(default = "one_step")]
    #[range(whole(1, 10_000))]
    pub iterations: u32,
}

/// (0, 10³⁰⁰].
const RADIUS: Interval = Interval::above(0.0, 1e300, "above 0");

fn one_step() -> u32 {
    1
}

/// Transformation of vectors before a rule.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Preaggregation {
    /// Nothing.
    #[default]
    NoMixing,
    /// Replaces each vector by the mean of the m − f nearest ones, itself included.
    NearestNeighbours,
}

impl Robust {
    /// The smallest number of vectors that it works on.
    #[must_use]
    pub fn least(&self) -> u64 {
        let f = u64::from(self.f);
        match self.rule {
            RobustRule::Krum | RobustRule::MultiKrum => 2 * f + 3,
            _ => 2 * f + 1,
        }
    }

    /// The vector that it makes of `rows`, into `out`, which holds the last one (empty: 0), and the share of Byzantine
    /// vectors among those that it chose, where it chooses some.
    ///
    /// # Panics
    /// If there are fewer than [`Robust::least`] rows.
    pub fn combine(&self, mut rows: Vec<Vec<f64>>, is_byzantine: &[bool], out: &mut Vec<f64>) -> Option<f64> {
        assert!(rows.len() as u64 >= self.least(), "a round of so few is skipped");
        if self.mixing == Preaggregation::NearestNeighbours {
            rules::mix(&mut rows, self.f as usize);
        }
        let chosen = rules::apply(self, &rows, out)?;
        // A mixed vector is nobody's.
        let share = chosen.iter().filter(|&&at| is_byzantine[at]).count() as f64 / chosen.len() as f64;
        (self.mixing == Preaggregation::NoMixing).then_some(share)
    }
}

/// How the server combines what clients say, and who of them lies.
#[derive(Clone, Debug)]
pub struct Combiner {
    robust: Option<Robust>,
    is_byzantine: Vec<bool>,
}

/// What the simulation knows of a step's vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combined {
    /// ‖X − m⁻¹ Σ x_i‖² over the m honest clients that arrived; none where only liars did.
    pub error_sq: Option<f64>,
    /// The share of Byzantine vectors among those that Krum, multi-Krum or DFMR chose.
    pub chosen: Option<f64>,
}

impl Combiner {
    /// With the rule `robust`, or sums, over clients of which some are Byzantine.
    pub(crate) fn new(robust: Option<Robust>, is_byzantine: Vec<bool>) -> Self {
        Self { robust, is_byzantine }
    }

    /// What is known of a step for which the server has chosen these clients.
    pub(crate) fn chose(&self, clients: &[u32]) -> Combined {
        let liars = clients.iter().filter(|&&client| self.is_byzantine[client as usize]).count();
        Combined { error_sq: None, chosen: Some(liars as f64 / clients.len() as f64) }
    }

    /// Replaces `x`, the sum's result, by that of the rule on the `rows` of `clients`, if there is a rule; `last` is
    /// the rule's last result.
    pub(crate) fn combine(
        &self,
        clients: impl Iterator<Item = u32>,
        rows: Vec<Vec<f64>>,
        last: &mut Vec<f64>,
        x: &mut Vec<f64>,
    ) -> Combined {
        let is_byzantine: Vec<bool> = clients.map(|client| self.is_byzantine[client as usize]).collect();
        let honest: Vec<usize> = (0..rows.len()).filter(|&at| !is_byzantine[at]).collect();
        let mut mean = Vec::new();
        if !honest.is_empty() {
            rules::mean(&rows, &honest, &mut mean);
        }
        let chosen = self.robust.and_then(|robust| {
            let chosen = robust.combine(rows, &is_byzantine, last);
            x.clone_from(last);
            chosen
        });
        Combined { error_sq: (!honest.is_empty()).then(|| distance_sq(x, &mean)), chosen }
    }
}
