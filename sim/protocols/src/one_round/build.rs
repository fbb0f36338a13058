//! What the one round needs of the run around it, and the protocol that it makes.

use fedbits_codec::WireFloat;
use fedbits_models::fit::ExactSetting;
use fedbits_spec::Findings;

use super::local_em::LocalEm;
use super::settings::{COLUMNS, Merging, OneRoundSetting, Within};
use super::star::OneRound;
use crate::fedem::Domain;
use crate::footprint::{self, Kept, Sizes, product};
use crate::operator;
use crate::over::{Built, Over};
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::uplink::releases;

impl ProtocolSetting for OneRoundSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|problem, run| {
            releases::are_covered(problem.federation.model().constants_dimension(), run)?;
            let operator = self.compressor.build(self.floats, problem.federation.clients());
            operator::fits("compressor", operator.as_ref(), problem.theta.len(), "θ")?;
            let protocol = OneRound::new(problem.federation, self.clone(), operator, problem.s_hat)?;
            Ok(Built::new(run.star(protocol)))
        })
    }

    fn profile(&self) -> Profile {
        Profile {
            participation: self.participation,
            domain: self.domain,
            weighting: self.weighting,
            sends_parameters: true,
            columns: Some(COLUMNS.to_vec()),
            // After one round.
            ends_itself: true,
            computes_at_server: matches!(self.combine, Merging::Resampling { .. }),
            ..Profile::default()
        }
    }

    fn takes(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().pools_fits
    }

    fn measures_field(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().averages_expectations
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
        if run.model.exact().is_some_and(|em| em.abilities().has_short_statistics && !self.takes(em)) {
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
