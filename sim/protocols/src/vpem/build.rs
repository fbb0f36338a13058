//! VP-EM as a scenario names it: what it needs of the run around it, and the algorithms that it makes.

use std::fmt::Display;
use std::sync::Arc;

use fedbits_codec::{Indices, TopK, WireFloat};
use fedbits_models::gmm::vertical::{FeatureBlocks, Singular, VerticalMixture};
use fedbits_models::gmm::{CovarianceForm, MixturePrior, MixtureSetting};
use fedbits_models::initial::sample_covariance;
use fedbits_random::Streams;
use fedbits_spec::{Caveat, Choice, Findings, Path};

use super::federated::COMPRESSED_COLUMNS;
use super::fit::{COLUMNS, Fit, Known};
use super::rules::{GapTreatment, MissingBlocks, Stopping, VpBatch};
use super::settings::{Architecture, VpEm, VpLink, VpSurrogate};
use super::{ALL_COLUMNS, DecentralizedVpEm, FederatedVpEm};
use crate::collective::CollectiveRun;
use crate::error::ProtocolError;
use crate::footprint::{self, Part, Sizes};
use crate::neighbours::NeighbourRun;
use crate::neighbours::consensus::choco::LANES;
use crate::neighbours::consensus::{Agents, Consensus};
use crate::neighbours::hubs::{Hub, HubSearch, Hubs, Ties, TiesError};
use crate::neighbours::weights::Weights;
use crate::operator;
use crate::over::{BuildError, Built, FeaturesOf, Over, RunSettings, Start};
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::uplink::large_alpha;

impl ProtocolSetting for VpEm {
    /// Without hops everybody is a root, and without rounds no root says anything.
    fn sends(&self, clients: Option<u64>) -> bool {
        let Architecture::Decentralized { hops, consensus, .. } = &self.setting else { return true };
        clients != Some(1) && (*hops > 0 || !consensus.is_silent())
    }

    fn over(&self) -> Over<'_> {
        match &self.setting {
            Architecture::Federated => Over::Features(Box::new(|problem, run| {
                let fit = self.fit(&problem, problem.table.blocks.clone(), run)?;
                let caveats = self.fit_links(&fit)?;
                let protocol = CollectiveRun(FederatedVpEm::new(fit, run.audit, run.streams));
                Ok(Built { caveats, ..Built::new(protocol) })
            })),
            Architecture::Decentralized { hops, ties, clustering, weights, consensus } => {
                Over::PeerFeatures(Box::new(|(problem, graph), run| {
                    let features = problem.table.blocks.clone();
                    let hubs = Hubs::new(&graph, *hops, *ties, &run.streams).map_err(unnumbered)?;
                    let averaging = weights.on(&graph, &Path::Root.field("protocol.setting.weights"))?;
                    let agents = Agents { graph: &graph, hubs: &hubs, averaging: &averaging };
                    let averager = consensus.build(agents, run.audit, run.streams);
                    let members = |hub: &Hub| hub.agents.iter().map(|&agent| agent as usize).collect();
                    let groups: Vec<Vec<usize>> = hubs.hubs().iter().map(members).collect();
                    let merged = features.merged(&groups).map_err(|error| ProtocolError::unfit(error.to_string()))?;
                    let fit = self.fit(&problem, merged, run)?;
                    let on = (graph, hubs, *hops);
                    Ok(Built::new(NeighbourRun(DecentralizedVpEm::new(on, averager, *clustering, fit, features))))
                }))
            }
        }
    }

    fn profile(&self) -> Profile {
        let columns = match self.setting {
            Architecture::Federated if self.compresses() => COMPRESSED_COLUMNS.to_vec(),
            Architecture::Federated => COLUMNS.to_vec(),
            Architecture::Decentralized { .. } => ALL_COLUMNS.to_vec(),
        };
        Profile {
            columns: Some(columns),
            ends_itself: self.stopping != Stopping::Never,
            copes_with_losses: matches!(self.consensus(), Some(Consensus::Lossy { .. })),
            copes_with_constants: self.singular != Singular::Error,
            ..Profile::default()
        }
    }

    fn observed(&self, blocks: usize, examples: usize, streams: &Streams) -> Option<Vec<Vec<bool>>> {
        self.missing_blocks.draw(blocks, examples, streams)
    }

    /// A number per example and component, with what else is kept of them: what was sent and heard, surrogates and the
    /// terms that they follow, and with batches the terms of all examples.
    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let Sizes { examples, clients, components, .. } = *sizes;
        let keeps = matches!(self.consensus(), Some(Consensus::Choco(_) | Consensus::Lossy { .. }));
        let coded = 2 * u64::from(self.consensus().is_none() && self.compresses());
        let terms = 3 * u64::from(keeps) + u64::from(self.batch != VpBatch::All) + coded;
        let numbers = footprint::product(&[terms, examples, components]);
        let mut parts = footprint::agents(numbers, self.consensus().is_some(), sizes);
        for (field, link) in self.links() {
            let VpLink::Compressed { compressor, .. } = link else { continue };
            let path = if field == "uplink" { "protocol.uplink.compressor" } else { "protocol.downlink.compressor" };
            parts.push(footprint::messages(path, compressor, examples.saturating_mul(components), 1));
        }
        if let Architecture::Decentralized { clustering: HubSearch::Flooding, .. } = self.setting {
            let what = format!("lengths of the messages by which {clients} agents find their hubs");
            let bytes = footprint::product(&[8, clients, clients]);
            parts.push(Part { what, path: "protocol.setting.clustering", bytes });
        }
        if let Some(Consensus::Choco(choco)) = self.consensus() {
            let path = "protocol.setting.consensus.compressor";
            parts.push(footprint::messages(path, &choco.compressor, LANES as u64 * components, clients));
        }
        parts
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let mixture = run.model.as_any().downcast_ref::<MixtureSetting>();
        if mixture.is_some_and(|mixture| mixture.covariance != CovarianceForm::Full) {
            let expected = "expected `Full`: entries between blocks of features are fixed at 0";
            findings.error("model.covariance", "VP-EM fits a covariance per component and block", expected);
        }
        if mixture.is_some_and(|mixture| mixture.prior != MixturePrior::Flat) {
            findings.error("model.prior", "VP-EM maximizes the likelihood", "expected no prior");
        }
    }

    fn examples() -> Vec<Self> {
        let of = |setting| {
            let (batch, singular, stopping) = (VpBatch::All, Singular::Ridge(0.1), Stopping::Never);
            let (uplink, downlink, exact_own) = (VpLink::Whole, VpLink::Whole, false);
            let missing_blocks = MissingBlocks::Complete;
            Self { setting, batch, singular, stopping, uplink, downlink, exact_own, missing_blocks }
        };
        let compressed =
            |compressor| VpLink::Compressed { compressor, floats: WireFloat::F32, surrogate: VpSurrogate::default() };
        let gaps = MissingBlocks::Drawn { share: 0.2, treatment: GapTreatment::Marginalize };
        let few = Choice::of(TopK::new(4, Indices::default(), WireFloat::F32));
        let (weights, consensus) = (Weights::Metropolis, Consensus::Rounds(5));
        let (ties, clustering) = (Ties::SmallestIndex, HubSearch::Central);
        vec![
            of(Architecture::Federated),
            VpEm { missing_blocks: gaps, ..of(Architecture::Federated) },
            VpEm { uplink: compressed(few), downlink: compressed(Choice::default()), ..of(Architecture::Federated) },
            of(Architecture::Decentralized { hops: 1, ties, clustering, weights, consensus }),
        ]
    }
}

impl VpEm {
    /// Refuses operators that do not fit the terms of `fit`; what a reader must know of their steps.
    fn fit_links(&self, fit: &Fit) -> Result<Vec<Caveat>, BuildError> {
        let (examples, components) = (fit.mixture.examples(), fit.mixture.components());
        let mut caveats = Vec::new();
        for (field, link) in self.links() {
            let VpLink::Compressed { compressor, floats, surrogate } = link else { continue };
            let operator = compressor.build(*floats, 1);
            for iteration in [1, 2] {
                let length = self.batch.size(iteration, examples) as usize * components;
                let vector = if iteration == 1 { "a vector of terms" } else { "one of a batch's terms" };
                operator::fits(&format!("{field}.compressor"), operator.as_ref(), length, vector)?;
                let VpSurrogate::Surrogate { alpha, .. } = *surrogate else { continue };
                if let Some(why) = alpha.refusal(operator.as_ref(), length) {
                    let expected = "expected `alpha: Constant(…)` in (0, 1]";
                    return Err(BuildError::misfit(format!("protocol.{field}.surrogate"), why, expected));
                }
                caveats.extend(large_alpha(&format!("the alpha of `{field}`"), alpha, operator.as_ref(), length));
            }
        }
        caveats.dedup();
        Ok(caveats)
    }

    /// The fit of a mixture with these blocks.
    fn fit(&self, problem: &FeaturesOf, blocks: FeatureBlocks, run: &RunSettings) -> Result<Fit, BuildError> {
        let FeaturesOf { table, start, truth } = problem;
        let misfit = |error: &dyn Display| {
            let expected = "expected another start, or `protocol: VpEm(singular: Ridge(…))`";
            BuildError::misfit("initial", format!("the start: {error}"), expected)
        };
        let mixture = VerticalMixture::new(table.examples(), table.components, blocks);
        let mut mixture = mixture.map_err(|error| ProtocolError::unfit(error.to_string()))?;
        let gaps = self.missing_blocks.draw(mixture.blocks().len(), mixture.examples(), &run.streams);
        if let Some(observed) = gaps {
            mixture = mixture.observing(observed);
        }
        let theta = match start {
            Start::Labels(labels) => mixture.theta_of_labels(labels, self.singular).map_err(|error| misfit(&error))?,
            Start::Means(weights, means) => {
                mixture.theta_of_means((weights, means), &sample_covariance(table.examples()), self.singular)
            }
            Start::Theta(theta) => theta.clone(),
        };
        let known = Known { data: Some(Arc::clone(&table.data)), truth: truth.clone() };
        Fit::new(mixture, &theta, self.clone(), known, run.streams).map_err(|error| misfit(&error))
    }
}

/// An outcome of ties that does not exist.
fn unnumbered(error: TiesError) -> BuildError {
    match error {
        TiesError::TooMany => {
            BuildError::misfit("protocol.setting.ties", error, "expected `SmallestIndex` or `Random`")
        }
        TiesError::NoOutcome(outcomes) => {
            let expected = format!("expected `Outcome(…)` from 0 to {}", outcomes - 1);
            BuildError::misfit("protocol.setting.ties[0]", error, expected)
        }
    }
}
