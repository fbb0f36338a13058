//! VP-EM of a scenario: features over agents, hubs, weights, the initial value, and for the decentralized setting a world without
//! a server whose nodes are the sites of the graph.

use fedbits_codec::WireFloat;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::{FeatureBlocks, Singular, VerticalMixture};
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_models::initial::{KMeans, sample_covariance};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::neighbours::NeighbourRun;
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::rounds::{Rounds, Scheme};
use fedbits_protocols::neighbours::weights::Averaging;
use fedbits_protocols::run::Playable;
use fedbits_protocols::vkmeans::{self, KMeansRun, Place};
use fedbits_protocols::vpem::choco::{Choco, ChocoSettings};
use fedbits_protocols::vpem::clustering::Clustering;
use fedbits_protocols::vpem::federated::FederatedVpEm;
use fedbits_protocols::vpem::fit::{Fit, FitSettings, Known};
use fedbits_protocols::vpem::hubs::{Hubs, Ties};
use fedbits_protocols::vpem::lossy::{Kind, Lossy};
use fedbits_protocols::vpem::rules::{BatchRule, Stopping};
use fedbits_protocols::vpem::{Consensus, VpEm};
use fedbits_random::Streams;

use super::model::Start;
use super::world::Peers;
use super::{PrepareError, Prepared, Ready, misfit, model, model_error, peers, world};
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

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
        kmeans: schema::KMeansBaseline,
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
        let schema::KMeansBaseline { iterations, restarts, .. } = kmeans;
        // scikit-learn's rule of when centres rest.
        let kmeans = KMeans { components, iterations, restarts, tolerance: 1e-4 };
        let protocol = Box::new(KMeansRun::new(problem, place, kmeans, self.streams));
        self.ready(protocol, data_digest, notes).with_clients(self.scenario, clients, self.streams, folders)
    }

    /// VP-EM.
    pub(super) fn vp_em(
        &self,
        vp_em: &schema::VpEm,
        data_digest: String,
        notes: Vec<String>,
        folders: &DataFolders,
    ) -> Result<Prepared, PrepareError> {
        let own = self.features()?;
        match &vp_em.setting {
            schema::Setting::Federated => {
                let clients = own.len();
                let ready = self.ready(Box::new(FederatedVpEm::new(self.fit(vp_em, own)?)), data_digest, notes);
                ready.with_clients(self.scenario, clients, self.streams, folders)
            }
            schema::Setting::Decentralized { .. } => {
                let peers = world::peers(self.scenario, self.streams, folders)?;
                let algorithm = self.decentralized(vp_em, own, &peers)?;
                let ready = self.ready(Box::new(NeighbourRun(algorithm)), data_digest, notes);
                let mut prepared = ready.on(self.scenario, peers.world, Some(peers.topology));
                prepared.caveats.extend(peers.caveats);
                Ok(prepared)
            }
        }
    }

    fn ready(&self, protocol: Box<dyn Playable>, data_digest: String, notes: Vec<String>) -> Ready {
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

    fn fit(&self, vp_em: &schema::VpEm, blocks: FeatureBlocks) -> Result<Fit, PrepareError> {
        let components = self.components()?;
        let examples = self.data.examples();
        let whole = GaussianMixture::new(components, examples.dimension, Covariance::Full).map_err(model_error)?;
        let truth = model::truth(self.scenario, &whole)?;
        let mixture = VerticalMixture::new(examples, components, blocks).map_err(model_error)?;
        let singular = match vp_em.singular {
            schema::Singular::Error => Singular::Error,
            schema::Singular::Ridge(ridge) => Singular::Ridge(ridge),
        };
        let theta = match model::start(self.scenario, components, examples, &self.streams)? {
            Some(Start::Labels(labels)) => mixture.theta_of_labels(&labels, singular).map_err(|error| {
                let expected = "expected another start, or `protocol: VpEm(singular: Ridge(…))`";
                misfit("initial", format!("the start: {error}"), expected)
            })?,
            Some(Start::Means(means)) => mixture.theta_of_means(&means, &sample_covariance(examples), singular),
            None => model::initial(self.scenario, &whole, examples, &self.streams)?,
        };
        let settings = FitSettings {
            singular,
            batch: match vp_em.batch {
                schema::VpBatch::All => BatchRule::All,
                schema::VpBatch::InTurn(size) => BatchRule::InTurn(size),
                schema::VpBatch::Random(size) => BatchRule::Random(size),
            },
            stopping: match vp_em.stopping {
                schema::Stopping::Never => Stopping::Never,
                schema::Stopping::Alone { tolerance, margin } => Stopping::Alone { tolerance, margin },
                schema::Stopping::Flood { tolerance } => Stopping::Flood { tolerance },
            },
        };
        let known = Known { labels: self.labels().unwrap_or_default(), truth };
        Fit::new(mixture, &theta, settings, known, self.streams).map_err(|error| {
            let expected = "expected another start, or `protocol: VpEm(singular: Ridge(…))`";
            misfit("initial", format!("the start: {error}"), expected)
        })
    }

    fn decentralized(&self, vp_em: &schema::VpEm, own: FeatureBlocks, sites: &Peers) -> Result<VpEm, PrepareError> {
        let schema::Setting::Decentralized { hops, ties, clustering, weights, consensus } = &vp_em.setting else {
            unreachable!("only the decentralized setting comes here");
        };
        let graph = peers::graph(own.len(), sites)?;
        let hubs = self.hubs(&graph, *hops, *ties)?;
        let averaging = peers::averaging(weights, "protocol.setting.weights", &graph)?;
        let consensus = self.consensus(consensus, &averaging, &graph, &hubs);
        let groups: Vec<Vec<usize>> =
            hubs.hubs().iter().map(|hub| hub.agents.iter().map(|&agent| agent as usize).collect()).collect();
        let fit = self.fit(vp_em, own.merged(&groups).map_err(protocol_error)?)?;
        let clustering = match clustering {
            schema::Clustering::Central => Clustering::Central,
            schema::Clustering::Flooding => Clustering::Flooding,
        };
        Ok(VpEm::new((graph, hubs, *hops), (averaging, consensus), clustering, fit, own))
    }

    fn hubs(&self, graph: &Graph, hops: u32, ties: schema::Ties) -> Result<Hubs, PrepareError> {
        let outcome = match ties {
            schema::Ties::SmallestIndex => return Ok(Hubs::greedy(graph, hops, Ties::SmallestIndex, &self.streams)),
            schema::Ties::Random => return Ok(Hubs::greedy(graph, hops, Ties::Random, &self.streams)),
            schema::Ties::Outcome(outcome) => outcome,
        };
        let Some(mut all) = Hubs::all_greedy(graph, hops, outcome + 1) else {
            let found = "ties allow too many clusterings of this graph to number them";
            return Err(misfit("protocol.setting.ties", found, "expected `SmallestIndex` or `Random`"));
        };
        if outcome >= all.len() {
            let found = format!("ties allow {} clusterings of this graph", all.len());
            let expected = format!("expected `Outcome(…)` from 0 to {}", all.len() - 1);
            return Err(misfit("protocol.setting.ties[0]", found, expected));
        }
        Ok(all.swap_remove(outcome))
    }

    fn consensus(&self, consensus: &schema::Consensus, averaging: &Averaging, graph: &Graph, hubs: &Hubs) -> Consensus {
        let scheme = |chebyshev| if chebyshev { Scheme::Chebyshev } else { Scheme::Plain };
        match *consensus {
            schema::Consensus::Rounds(rounds) => {
                Consensus::Linear { scheme: Scheme::Plain, rounds: Rounds::Fixed(rounds) }
            }
            schema::Consensus::Chebyshev(rounds) => {
                Consensus::Linear { scheme: Scheme::Chebyshev, rounds: Rounds::Fixed(rounds) }
            }
            schema::Consensus::Adaptive { tolerance, at_most, chebyshev } => {
                Consensus::Linear { scheme: scheme(chebyshev), rounds: Rounds::Adaptive { tolerance, at_most } }
            }
            schema::Consensus::Lossy { rounds, missing, patience } => {
                let kind = match missing {
                    schema::Missing::PushSum => Kind::PushSum,
                    schema::Missing::Substitute => Kind::Substitute,
                };
                let consensus = Box::new(Lossy::new(kind, rounds, averaging.clone(), graph, hubs));
                Consensus::Lossy { consensus, patience: patience.map(world::span) }
            }
            schema::Consensus::Choco { rounds, step, ref compressor, tracking } => {
                let agents = averaging.len() as u32;
                let compressor = compressor.build(WireFloat::F32, agents);
                let settings = ChocoSettings { compressor, step, rounds, tracking, audit: self.audit };
                Consensus::Quantized(Box::new(Choco::new(settings, averaging, hubs, self.streams)))
            }
        }
    }
}
