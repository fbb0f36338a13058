//! One round of local fits, as scenarios name it.

use fedbits_codec::WireFloat;
use fedbits_spec::range::{Interval, whole};
use fedbits_spec::short::{Short, Unread};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::local_em::LocalEm;
use crate::fedem::Domain;
use crate::federation::Weighting;
use crate::operator::{self, Operator};
use crate::plan::Participation;

/// Names of the columns of `rounds.csv`.
pub(super) const COLUMNS: [&str; 3] = ["domain_events", "bits_up_dense32", "fits_combined"];

/// Clients run EM on their own examples from a common θ₀ and send one fit each; the server merges these, and the run
/// ends. For Gaussian mixtures.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "OneRound")]
#[described(rules = rules)]
pub struct OneRoundSetting {
    /// Local EM.
    #[serde(default)]
    pub local: LocalEm,
    /// Merging of the fits.
    #[serde(default)]
    pub combine: Merging,
    /// Clients that send a fit.
    #[serde(default)]
    pub participation: Participation,
    /// Compressor of θ_i − θ₀, which may be biased.
    #[serde(default)]
    pub compressor: Operator,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Statistics outside the domain of T; with `SkipRound` EM ends at the last θ.
    #[serde(default)]
    pub domain: Domain,
    /// Weights of fits in the pool.
    #[serde(default)]
    pub weighting: Weighting,
}

/// Merging of mixtures into one.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Merging {
    /// Reduction of all components to G by Kullback-Leibler divergence (Zhang and Chen 2022).
    Reduction {
        /// Fits used as starts, beside one of distant components; the result nearest to the pool is kept.
        #[serde(default = "ten")]
        #[range(whole(0, 1_000))]
        starts: u32,
    },
    /// Reduction of the fits near the median fit in L² distance (DFMR: Zhang, Tan and Chen 2026), robust to arbitrary
    /// messages.
    Filtered {
        /// Definition of near.
        #[serde(default)]
        within: Within,
    },
    /// EM from θ₀ on examples drawn from the pool (FedGenGMM), with the limits of `local`; the server's time is
    /// charged.
    Resampling {
        /// Drawn examples.
        #[range(whole(1, 10_000_000))]
        examples: u32,
    },
    /// Mean of parameters, after matching components with those of θ₀ as in `FedAvgEm`.
    Mean,
}

impl Default for Merging {
    fn default() -> Self {
        Self::Reduction { starts: ten() }
    }
}

fn ten() -> u32 {
    10
}

/// Largest distance of a near fit from the median fit, in median distances.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Within {
    /// max(1, ½ ln(n/2) ln ln n) for n fits, as in DFMR's code.
    #[default]
    Auto,
    /// This many median distances.
    Medians(#[range(MEDIANS)] f64),
}

/// [1, 1000].
const MEDIANS: Interval = Interval::closed(1.0, 1e3, "from 1 to 1000, no unit");

impl Short for Within {
    const FORMS: &'static [(&'static str, &'static str)] = &[("2", "Medians(2)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Medians(number))
    }
}

impl Within {
    /// The factor for `n` fits.
    pub(super) fn medians(self, n: usize) -> f64 {
        match self {
            Self::Auto if n < 3 => 1.0,
            Self::Auto => {
                let n = n as f64;
                (0.5 * libm::log(n / 2.0) * libm::log(libm::log(n))).max(1.0)
            }
            Self::Medians(medians) => medians,
        }
    }
}

/// With more fits their distances take minutes.
const MOST_DISTANCES: usize = 2_000;

fn rules(setting: &OneRoundSetting, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let instead = "the server needs the whole fit of each";
    operator::undivided(&at.field("compressor"), &setting.compressor, instead, findings);
    let asked = match setting.participation {
        Participation::Cohort(m) => facts.clients.map(|clients| clients.min(m as usize)),
        _ => facts.clients,
    };
    if let (Merging::Filtered { .. }, Some(asked)) = (setting.combine, asked.filter(|&asked| asked > MOST_DISTANCES)) {
        let found = format!("the distances between {asked} fits would take minutes");
        findings.error(at.field("combine"), found, format!("expected at most {MOST_DISTANCES} clients in the round"));
    }
}
