//! VP-EM of a scenario: features over agents, hubs, weights, the initial value, and for the decentralized setting a
//! world without a server whose nodes are the sites of the graph.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::{FeatureBlocks, VerticalMixture};
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_models::initial::sample_covariance;
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::neighbours::NeighbourRun;
use fedbits_protocols::run::Runnable;
use fedbits_protocols::vkmeans::{self, KMeansRun, Place};
use fedbits_protocols::vpem::federated::FederatedVpEm;
use fedbits_protocols::vpem::fit::{Fit, Known};
use fedbits_protocols::vpem::hubs::{Hubs, TiesError};
use fedbits_protocols::vpem::{DecentralizedVpEm, Exchange};
use fedbits_random::Streams;

use super::model::Start;
use super::world::Peers;
use super::{PrepareError, Prepared, Ready, misfit, model, model_error, peers, world};
use crate::data_files::DataFolders;
use crate::schema::{self, KMeansBaseline, Scenario, Setting, VpEm};

/// What is to be prepared.
pub(super) struct Problem<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) data: &'a DataSet,
    pub(super) streams: Streams,
    pub(super) audit: bool,
}

fn protocol_error(error: impl ToString) -> PrepareError {
    ProtocolError::Unfit(error.to_string()).into()
}

impl Problem<'_> {
    /// The baseline.
    pub(super) fn kmeans(
        &self,
        kmeans: KMeansBaseline,
        data_digest: String,
        notes: Vec<String>,
        folders: &DataFolders,
    ) -> Result<Prepared, PrepareError> {
        let components = self.components()?;
        let place = if kmeans.vertical { Place::Vertical(self.features()?) } else { Place::Central };
        let clients = if let Place::Vertical(blocks) = &place { blocks.len() } else { 1 };
        let problem = vkmeans::Table {
            rows: self.data.rows().to_vec(),
            dimension: self.data.dimension(),
            labels: self.labels().unwrap_or_default(),
        };
        let protocol = Box::new(KMeansRun::new(problem, place, kmeans.into_clusters(components), self.streams));
        self.ready(protocol, data_digest, notes).with_clients(self.scenario, clients, self.streams, folders)
    }

    /// VP-EM.
    pub(super) fn vp_em(
        &self,
        vp_em: &VpEm,
        data_digest: String,
        notes: Vec<String>,
        folders: &DataFolders,
    ) -> Result<Prepared, PrepareError> {
        let own = self.features()?;
        match &vp_em.setting {
            Setting::Federated => {
                let clients = own.len();
                let ready = self.ready(Box::new(FederatedVpEm::new(self.fit(vp_em, own)?)), data_digest, notes);
                ready.with_clients(self.scenario, clients, self.streams, folders)
            }
            Setting::Decentralized { .. } => {
                let peers = world::peers(self.scenario, self.streams, folders)?;
                let algorithm = self.decentralized(vp_em, own, &peers)?;
                let ready = self.ready(Box::new(NeighbourRun(algorithm)), data_digest, notes);
                let mut prepared = ready.on(self.scenario, peers.world, Some(peers.topology));
                prepared.caveats.extend(peers.caveats);
                Ok(prepared)
            }
        }
    }

    fn ready(&self, protocol: Box<dyn Runnable>, data_digest: String, notes: Vec<String>) -> Ready {
        let caveats = self.labels().err().into_iter().collect();
        Ready { protocol, data_digest, notes, caveats, theory: None }
    }

    /// Features of every agent.
    fn features(&self) -> Result<FeatureBlocks, PrepareError> {
        let d = self.data.dimension();
        let blocks = match &self.scenario.partition {
            schema::Partition::Features(lists) => FeatureBlocks::new(lists.clone(), d),
            _ => FeatureBlocks::even(self.scenario.clients.unwrap_or(1), d),
        };
        blocks.map_err(|error| PrepareError::Data(error.to_string()))
    }

    /// K, of a mixture.
    fn components(&self) -> Result<usize, PrepareError> {
        match &self.scenario.model {
            schema::Model::GaussianMixture { components, .. } => Ok(*components),
            _ => Err(PrepareError::Model("data divided by features are fitted by mixtures".to_owned())),
        }
    }

    /// Labels as numbers below K, where the data have such.
    fn labels(&self) -> Result<Option<Vec<u32>>, String> {
        let components = self.components().map_err(|error| error.to_string())?;
        let Some(labels) = self.data.labels() else { return Ok(None) };
        match labels.iter().max() {
            Some(&most) if most as usize >= components => {
                Err(format!("there are {} classes and {components} components: no accuracy is recorded", most + 1))
            }
            _ => Ok(Some(labels.to_vec())),
        }
    }

    fn fit(&self, vp_em: &VpEm, blocks: FeatureBlocks) -> Result<Fit, PrepareError> {
        let components = self.components()?;
        let examples = self.data.examples();
        let whole = GaussianMixture::new(components, examples.dimension, Covariance::Full).map_err(model_error)?;
        let truth = model::truth(self.scenario, &whole)?;
        let mixture = VerticalMixture::new(examples, components, blocks).map_err(model_error)?;
        let theta = match model::start(self.scenario, components, examples, &self.streams)? {
            Some(Start::Labels(labels)) => mixture.theta_of_labels(&labels, vp_em.singular).map_err(|error| {
                let expected = "expected another start, or `protocol: VpEm(singular: Ridge(…))`";
                misfit("initial", format!("the start: {error}"), expected)
            })?,
            Some(Start::Means(means)) => mixture.theta_of_means(&means, &sample_covariance(examples), vp_em.singular),
            None => model::initial(self.scenario, &whole, examples, &self.streams)?,
        };
        let known = Known { labels: self.labels().unwrap_or_default(), truth };
        Fit::new(mixture, &theta, vp_em.clone(), known, self.streams).map_err(|error| {
            let expected = "expected another start, or `protocol: VpEm(singular: Ridge(…))`";
            misfit("initial", format!("the start: {error}"), expected)
        })
    }

    fn decentralized(
        &self,
        vp_em: &VpEm,
        own: FeatureBlocks,
        sites: &Peers,
    ) -> Result<DecentralizedVpEm, PrepareError> {
        let Setting::Decentralized { hops, ties, clustering, ref weights, ref consensus } = vp_em.setting else {
            unreachable!("only the decentralized setting comes here");
        };
        let graph = peers::graph(own.len(), sites)?;
        let hubs = Hubs::new(&graph, hops, ties, &self.streams).map_err(unnumbered)?;
        let averaging = peers::averaging(weights, "protocol.setting.weights", &graph)?;
        let exchange = Exchange::new(consensus, &averaging, (&graph, &hubs), self.audit, self.streams);
        let groups: Vec<Vec<usize>> =
            hubs.hubs().iter().map(|hub| hub.agents.iter().map(|&agent| agent as usize).collect()).collect();
        let fit = self.fit(vp_em, own.merged(&groups).map_err(protocol_error)?)?;
        Ok(DecentralizedVpEm::new((graph, hubs, hops), (averaging, exchange), clustering, fit, own))
    }
}

/// An outcome of ties that does not exist.
fn unnumbered(error: TiesError) -> PrepareError {
    match error {
        TiesError::TooMany => misfit("protocol.setting.ties", error, "expected `SmallestIndex` or `Random`"),
        TiesError::NoOutcome(outcomes) => {
            let expected = format!("expected `Outcome(…)` from 0 to {}", outcomes - 1);
            misfit("protocol.setting.ties[0]", error, expected)
        }
    }
}
