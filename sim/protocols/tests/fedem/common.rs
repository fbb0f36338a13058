//! The federation of the golden files g1–g3: 4 clients with 8 points each, G = 2, d = 2, known covariance.

pub mod simulate;

pub use crate::golden::{assert_close, golden, numbers};

use fedbits_codec::{Draw, Encoded};
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_protocols::baselines::centralized::CentralizedEm;
use fedbits_protocols::baselines::pooled::PooledEm;
use fedbits_protocols::fedem::{FedEm, LocalRule};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::partition::{Partition, Partitioned, Rule};
use fedbits_protocols::star::{Contribution, Halves, StarAlgorithm, StarHalves};
use fedbits_random::Streams;
use serde_json::Value;

/// EM in one place.
pub fn em(federation: Federation, s_0: Vec<f64>) -> PooledEm<CentralizedEm> {
    PooledEm::new(federation, s_0, CentralizedEm::default()).unwrap()
}

/// One iteration of it; ‖h(Ŝ)‖² at the point it left.
pub fn em_step(em: &mut PooledEm<CentralizedEm>) -> f64 {
    em.step(1, &|_| Vec::new()).unwrap()
}

fn data(inputs: &Value, rule: &Rule) -> Partitioned {
    let rows = numbers(&inputs["Y"]);
    let groups = (0..4u32).flat_map(|i| [i; 8]).collect();
    let data = DataSet::new(vec!["y0".into(), "y1".into()], rows, None, Some(groups)).unwrap();
    Partitioned::new(&data, rule, &Streams::new(1, 0)).unwrap()
}

pub fn federation(inputs: &Value) -> Federation {
    divided(inputs, &Partition::ClientColumn.rule(1))
}

/// `n` clients that hold equal shares of the points.
pub fn shared_among(inputs: &Value, n: usize) -> Federation {
    divided(inputs, &Partition::Iid.rule(n))
}

/// One client that holds all points.
pub fn one_client(inputs: &Value) -> Federation {
    divided(inputs, &Partition::Iid.rule(1))
}

fn divided(inputs: &Value, rule: &Rule) -> Federation {
    let model = GaussianMixture::new(2, 2, Covariance::Known(numbers(&inputs["Sigma"]))).unwrap();
    Federation::new(data(inputs, rule), Box::new(model), Weighting::Clients, None)
}

/// The same examples with one unknown covariance.
pub fn tied_federation(inputs: &Value) -> Federation {
    let data = data(inputs, &Partition::ClientColumn.rule(1));
    let second_moment = second_moment(data.data().examples());
    let model = GaussianMixture::new(2, 2, Covariance::Tied { second_moment }).unwrap();
    Federation::new(data, Box::new(model), Weighting::Clients, None)
}

/// Client `i` sends its contribution to `round`, from given statistics and draws; `full`: MARINA's coin.
pub fn contribute<L: LocalRule>(
    halves: &mut Halves<FedEm<L>>,
    (i, round): (u32, u64),
    statistics: &[f64],
    (s_hat, full): (&[f64], bool),
    draws: Draw<'_>,
) -> Contribution {
    let Halves { algorithm, memories, .. } = &mut *halves;
    let (mut delta, mut encoded) = (Vec::new(), Encoded::new());
    algorithm.difference((i, &mut memories[i as usize]), statistics, (s_hat, full), &mut delta);
    algorithm.coder(&streams(), i, round).compressor.encode(&delta, draws, &mut encoded).unwrap();
    halves.sent(i, round, &encoded);
    Contribution { client: i, encoded: Box::new(encoded), age: 0 }
}

/// V_{0,i} = `rows`[i], uploaded.
pub fn start_memories<L: LocalRule>(halves: &mut Halves<FedEm<L>>, rows: impl IntoIterator<Item = Vec<f64>>) {
    let upload = |(i, row): (u32, Vec<f64>)| crate::fedem::golden::uncompressed(i, &row);
    let memories: Vec<Contribution> = (0..).zip(rows).map(upload).collect();
    for Contribution { client, encoded, .. } in &memories {
        halves.sent(*client, 0, encoded);
    }
    halves.step(&streams(), 0, &memories).unwrap();
}

/// The draws of everything that is not given.
pub fn streams() -> Streams {
    Streams::new(1, 0)
}
