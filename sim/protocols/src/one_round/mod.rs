//! One round: clients fit mixtures to their own examples, and the server makes one of the fits.
//!
//! ```text
//! client i:  θ_i ← θ₀;  θ_i ← T_i(s̄_i(θ_i)) until the objective rests;  sends Quant(θ_i − θ₀)
//! server:    f = Σ w_i f_i / Σ w_i over the fits f_i that arrived;  θ ← a mixture of G components near f
//! ```
//!
//! | how the server makes one mixture | source |
//! |---|---|
//! | [`Merging::Reduction`] | Q. Zhang and J. Chen, "Distributed learning of finite Gaussian mixtures", JMLR 23 (2022) |
//! | [`Merging::Resampling`] | S. Zhang Pettersson, K.-Y. Liang and J. C. Andresen, "Federated Gaussian mixture models" (FedGenGMM), arXiv 2506.01780 |
//! | [`Merging::Filtered`] | Q. Zhang, Y. S. Tan and J. Chen, "Byzantine-tolerant distributed learning of finite mixture models" (DFMR), JRSSB 2026, arXiv 2407.13980 |
//! | [`Merging::Mean`] | FedAvg-EM with one round |
//!
//! Of these papers the abstracts were read, and the public code of the first and the third (`SarahQiong/SCGMM`,
//! `SarahQiong/RobustSCGMM`). What differs from them: clients begin at a common θ₀ instead of a start of their own, and
//! maximize the likelihood, where the code of the first and third has a penalty on covariances. FedGenGMM lets clients
//! choose their numbers of components.
//!
//! θ has no more numbers than its statistic, but for a tied covariance, of which a statistic says nothing; so it is what
//! travels. How many examples clients have is public, as in the other protocols.

mod combine;
mod local_em;
mod star;

use std::fmt;

use fedbits_codec::WireFloat;
use fedbits_models::fit::ExactSetting;
use fedbits_spec::range::{Interval, whole};
use fedbits_spec::short::{Short, Unread};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

pub use local_em::{LocalEm, Rest};
pub use star::{LocalFits, OneRound, OneRoundServer};

use crate::baselines::fed_avg_em::no_skipping;
use crate::fedem::Domain;
use crate::federation::Weighting;
use crate::footprint::{self, Kept, Sizes, product};
use crate::operator::{self, Operator};
use crate::over::{Built, Over};
use crate::plan::Participation;
use crate::setting::{ProtocolSetting, RunFacts};
use crate::uplink::releases;

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 3] = ["domain_events", "bits_up_dense32", "fits_combined"];

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
    /// What happens when a statistic has no parameters.
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
        /// From how many of the fits it is tried; beyond them it is tried from components that are far from each other.
        /// The result nearest to the pool is taken.
        #[serde(default = "ten")]
        #[range(whole(0, 1_000))]
        starts: u32,
    },
    /// The same of the fits alone that lie near the fit in the middle of all, by L² distances of densities (DFMR, Zhang,
    /// Tan and Chen 2026): for clients that send anything.
    Filtered {
        /// Which fits are near.
        #[serde(default)]
        within: Within,
    },
    /// EM on examples that the server draws of the pool, from θ₀ (FedGenGMM). Its iterations end as those of clients do;
    /// its work takes the server's time, and is counted.
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
    fn medians(self, n: usize) -> f64 {
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
    no_skipping(own.domain, at, findings);
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

impl ProtocolSetting for OneRoundSetting {
    /// After one round.
    fn ends_itself(&self) -> bool {
        true
    }

    fn over(&self) -> Over<'_> {
        Over::examples(|problem, run| {
            releases::are_covered(problem.federation.model().constants_dimension(), run)?;
            let operator = self.compressor.build(self.floats, problem.federation.clients());
            operator::fits("compressor", operator.as_ref(), problem.theta.len(), "θ")?;
            let protocol = OneRound::new(problem.federation, self.clone(), operator, problem.s_hat)?;
            Ok(Built::new(run.star(protocol)))
        })
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(COLUMNS.to_vec())
    }

    fn participation(&self) -> Participation {
        self.participation
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn weighting(&self) -> Weighting {
        self.weighting
    }

    fn takes(&self, model: &dyn ExactSetting) -> bool {
        model.pools_fits()
    }

    fn measures_field(&self, model: &dyn ExactSetting) -> bool {
        model.averages_expectations()
    }

    fn computes_at_server(&self) -> bool {
        matches!(self.combine, Merging::Resampling { .. })
    }

    fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
        let kept = Kept { compressor: self.compressor.clone(), ..Kept::nothing(sizes.statistic) };
        // Fits of the clients, and of what the server has decoded.
        let bytes = product(&[16, sizes.taking_part, sizes.statistic]);
        let fits = footprint::Part { what: "fits of clients".to_owned(), path: "clients", bytes };
        let drawn = match self.combine {
            Merging::Resampling { examples } => {
                let per_example = sizes.statistic / sizes.components.max(1);
                let bytes = product(&[8, u64::from(examples), per_example]);
                Some(footprint::Part { what: "examples that are drawn".to_owned(), path: "protocol.combine", bytes })
            }
            Merging::Filtered { .. } => {
                let bytes = product(&[16, sizes.taking_part, sizes.taking_part]);
                Some(footprint::Part { what: "distances between fits".to_owned(), path: "clients", bytes })
            }
            Merging::Reduction { .. } | Merging::Mean => None,
        };
        kept.parts(sizes, self.participation).into_iter().chain([fits]).chain(drawn).collect()
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_early(findings);
        run.check_mean(findings);
        if run.model.exact().is_some_and(|em| em.has_short_statistics() && !self.takes(em)) {
            let found = "the fits of this model cannot be pooled";
            findings.error("protocol", found, "expected a Gaussian mixture, or a protocol that averages statistics");
        }
    }

    fn check_privacy(&self, _run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        if shared {
            let found = "the server uses each fit by itself, and noise that clients share hides their sum alone";
            findings.error("privacy", found, "expected noise for each message (`against: Server`)");
        }
    }

    fn examples() -> Vec<Self> {
        let of = |combine| Self {
            local: LocalEm { iterations: 20, ..LocalEm::default() },
            combine,
            domain: Domain::Clip { floor: 1e-3 },
            ..Self::default()
        };
        vec![
            of(Merging::Reduction { starts: 2 }),
            Self { floats: WireFloat::F32, ..of(Merging::Filtered { within: Within::Auto }) },
            of(Merging::Resampling { examples: 30 }),
            of(Merging::Mean),
        ]
    }
}

impl fmt::Display for Merging {
    /// What the server does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reduction { .. } => "a reduction of the fits",
            Self::Filtered { .. } => "a reduction of the fits that lie together",
            Self::Resampling { .. } => "EM on examples drawn of the fits",
            Self::Mean => "the mean of the fits",
        })
    }
}
