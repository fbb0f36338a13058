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

/// One round of local fits: clients run EM on their own examples from a common θ₀ and send what they found, once; the
/// server makes one mixture of all. The run ends with that round. For Gaussian mixtures of every covariance.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "OneRound")]
#[described(rules = rules)]
pub struct OneRoundSetting {
    /// EM at each client.
    #[serde(default)]
    pub local: LocalEm,
    /// How the server makes one mixture of the fits.
    #[serde(default)]
    pub combine: Merging,
    /// Who is asked for a fit.
    #[serde(default)]
    pub participation: Participation,
    /// The operator on θ_i − θ₀. A biased one is taken as well: no mean of messages is estimated.
    #[serde(default)]
    pub compressor: Operator,
    /// The width of a float on the wire.
    #[serde(default)]
    pub floats: WireFloat,
    /// What happens when a statistic has no parameters; with `SkipRound` EM ends at the last θ that has some.
    #[serde(default)]
    pub domain: Domain,
    /// What the fit of a client counts in the pool.
    #[serde(default)]
    pub weighting: Weighting,
}

/// How a server makes one mixture of several.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Merging {
    /// Reduction of all components of all fits to G, by Kullback-Leibler divergences and moments (Zhang and Chen 2022).
    Reduction {
        /// From how many of the fits it is tried, beside a start of components that are far from each other. The result
        /// nearest to the pool is taken.
        #[serde(default = "ten")]
        #[range(whole(0, 1_000))]
        starts: u32,
    },
    /// The same of those fits that lie near the fit in the middle of all, by L² distances of densities (DFMR, Zhang,
    /// Tan and Chen 2026): for clients that send anything.
    Filtered {
        /// Which fits are near.
        #[serde(default)]
        within: Within,
    },
    /// EM on examples that the server draws of the pool, from θ₀ (FedGenGMM). Its iterations end as those of clients
    /// do; its work takes the server's time, and is counted.
    Resampling {
        /// How many it draws.
        #[range(whole(1, 10_000_000))]
        examples: u32,
    },
    /// The mean of parameters, whose components are matched with those of θ₀ first, as in `FedAvgEm`.
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

/// The distance up to which a fit is near the middle, in median distances from there.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Within {
    /// max(1, ½ ln(n/2) ln ln n) of n fits: the rule in the public code of DFMR, which keeps at least the nearer half.
    #[default]
    Auto,
    /// This many.
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

fn rules(own: &OneRoundSetting, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    operator::undivided(&at.field("compressor"), &own.compressor, "the server needs the whole fit of each", findings);
    let asked = match own.participation {
        Participation::Cohort(m) => facts.clients.map(|clients| clients.min(m as usize)),
        _ => facts.clients,
    };
    if let (Merging::Filtered { .. }, Some(asked)) = (own.combine, asked.filter(|&asked| asked > MOST_DISTANCES)) {
        let found = format!("the distances between {asked} fits would take minutes");
        findings.error(at.field("combine"), found, format!("expected at most {MOST_DISTANCES} clients in the round"));
    }
}
