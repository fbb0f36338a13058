//! Clients with mixtures of their own that are near each other, and clients that have none: the set-up of FedGrEM
//! (Tian, Weng and Feng, ICML 2024).
//!
//! ```text
//! w_k ~ Dirichlet(a, …, a),   µ_kr = µ̄_r + h u_kr with u on the sphere,   y | z = r ~ N(µ_kr, I)
//! outliers: y ~ N(m 1, s² I)
//! ```

use super::{DataKind, DataSet, DataSource, Observations, ReadError, Reading, SourceFacts};
use crate::matrix::{Matrix, means};
use fedbits_numerics::norm;
use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_spec::range::{FINITE, Interval, POSITIVE, whole};
use fedbits_spec::{Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

/// One mixture per client: weights Dirichlet(`concentration`, …), means at distance `shift` from common ones in random
/// directions, covariances I. The last clients can be normal outliers. Use `partition: ClientColumn`.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = parameters)]
pub struct ClientMixtures {
    /// K, outliers included.
    #[range(whole(1, 1_000_000))]
    pub clients: u32,
    /// n, examples per client.
    #[range(whole(1, 1_000_000))]
    pub points: u32,
    /// µ̄, R rows of p coordinates.
    #[described(by_rules)]
    pub means: Matrix,
    /// h, distance from `means`.
    #[range(DISTANCE)]
    pub shift: f64,
    /// a; large values give equal weights.
    #[serde(default = "five")]
    #[range(POSITIVE)]
    pub concentration: f64,
    /// Outliers, at most `clients` − 1.
    #[serde(default)]
    #[described(by_rules)]
    pub outliers: u32,
    /// m, mean of outliers' coordinates.
    #[serde(default = "two_and_a_half")]
    #[range(FINITE)]
    pub outlier_mean: f64,
    /// s, standard deviation of outliers' coordinates.
    #[serde(default = "two")]
    #[range(POSITIVE)]
    pub outlier_deviation: f64,
}

const DISTANCE: Interval = Interval::closed(0.0, 1e6, "from 0 to 10⁶, in units of the data");
/// Entity of the law of the first client; beyond all examples.
const FIRST_CLIENT: u64 = 1 << 63;

fn five() -> f64 {
    5.0
}

fn two() -> f64 {
    2.0
}

fn two_and_a_half() -> f64 {
    2.5
}

fn parameters(setting: &ClientMixtures, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    means(&setting.means, setting.means.len(), None, &at.field("means"), findings);
    if setting.outliers >= setting.clients {
        let found = format!("{} of {}", so_many(setting.outliers, "outlier"), so_many(setting.clients, "client"));
        findings.error(at.field("outliers"), found, "expected fewer outliers than clients");
    }
}

/// The mixture of a client: weights, and means row by row.
pub struct ClientLaw {
    /// w_k.
    pub weights: Vec<f64>,
    /// µ_k, R rows of p numbers.
    pub means: Vec<f64>,
}

impl ClientMixtures {
    /// The mixtures of the clients that have one, in a run with these draws.
    #[must_use]
    pub fn laws(&self, streams: &Streams) -> Vec<ClientLaw> {
        let with_law = u64::from(self.clients.saturating_sub(self.outliers));
        (0..with_law).map(|k| self.law(&mut streams.at(DrawPurpose::Data, FIRST_CLIENT + k, 0))).collect()
    }

    fn law(&self, stream: &mut Stream) -> ClientLaw {
        let (mut weights, mut shifted) = (vec![0.0; self.means.len()], Vec::new());
        stream.dirichlet(&vec![self.concentration; self.means.len()], &mut weights);
        for mean in &self.means {
            let direction: Vec<f64> = mean.iter().map(|_| stream.normal()).collect();
            let scale = self.shift / norm(&direction);
            shifted.extend(mean.iter().zip(direction).map(|(mean, u)| mean + scale * u));
        }
        ClientLaw { weights, means: shifted }
    }
}

impl DataSource for ClientMixtures {
    fn facts(&self) -> SourceFacts {
        let (size, features) = (u64::from(self.clients) * u64::from(self.points), self.means.first().map(Vec::len));
        let names_clients = true;
        SourceFacts {
            names_clients,
            size_field: "data.points",
            ..SourceFacts::drawn(DataKind::Examples, size, features)
        }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let (p, laws) = (self.means.first().map_or(0, Vec::len), self.laws(with.streams));
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for client in 0..self.clients {
            for point in 0..self.points {
                let example = u64::from(client) * u64::from(self.points) + u64::from(point);
                let mut stream = with.streams.at(DrawPurpose::Data, example, 0);
                match laws.get(client as usize) {
                    Some(law) => {
                        let component = stream.categorical(&law.weights);
                        let mean = &law.means[component * p..][..p];
                        rows.extend(mean.iter().map(|mean| mean + stream.normal()));
                    }
                    None => {
                        let outlier = |_| self.outlier_mean + self.outlier_deviation * stream.normal();
                        rows.extend((0..p).map(outlier));
                    }
                }
                groups.push(client);
            }
        }
        let columns = (1..=p).map(|j| format!("y{j}")).collect();
        Ok(Observations::Examples(DataSet::new(columns, rows, None, Some(groups))?))
    }

    fn examples() -> Vec<Self> {
        vec![Self {
            clients: 4,
            points: 25,
            means: vec![vec![-2.0, 0.0], vec![2.0, 0.0]],
            shift: 0.5,
            concentration: 5.0,
            outliers: 1,
            outlier_mean: 2.5,
            outlier_deviation: 2.0,
        }]
    }
}
