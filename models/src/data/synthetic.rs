//! Synthetic examples from a Gaussian mixture: z ~ Categorical(π), y | z = g ~ N(μ_g, Σ_g).
//!
//! Example j is a function of its address (Data, j) alone, so the first N examples stay when N grows. It must not know
//! the mixture *models*, which are tested on its output.

use super::affine::Affine;
use super::{
    Beside, DataKind, DataSet, DataSetError, DataSource, Observations, ReadError, Reading, SourceFacts, Truth,
};
use crate::matrix::{Covariances, Matrix, means, weights};
use fedbits_numerics::lanes::normals;
use fedbits_numerics::{BadPivot, cholesky, vech};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{POSITIVE, PROBABILITY, Range, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// Draws from a Gaussian mixture, the known truth.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "GaussianMixture")]
#[described(rules = parameters)]
pub struct DrawnMixture {
    /// N, over all clients.
    #[range(whole(1, MAX_EXAMPLES))]
    pub examples: u64,
    /// π, G positive weights of sum 1 (± 1e-9).
    #[described(by_rules)]
    pub weights: Vec<f64>,
    /// μ, G rows of d coordinates.
    #[described(by_rules)]
    pub means: Matrix,
    /// Σ, symmetric and positive definite.
    pub covariance: Covariances,
    /// Size of a pool from which all replicates sample without replacement; `examples` to 10⁹. Default: new draws per
    /// replicate.
    #[serde(default)]
    #[described(by_rules)]
    pub pool: Option<u64>,
}

const MAX_EXAMPLES: u64 = 1_000_000_000;
/// Entity of the sample from a pool; beyond all examples, before the mixtures.
const SAMPLE: u64 = 1 << 62;
/// Entity of the first component of a mixture that is drawn.
const FIRST_COMPONENT: u64 = 1 << 63;

fn parameters(mixture: &DrawnMixture, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let pool = whole(mixture.examples, MAX_EXAMPLES).note(", at least the number of examples");
    pool.check(&mixture.pool, &at.field("pool"), facts, findings);
    weights(&mixture.weights, &at.field("weights"), findings);
    means(&mixture.means, mixture.weights.len(), None, &at.field("means"), findings);
    mixture.covariance.check(
        mixture.weights.len(),
        mixture.means.first().map(Vec::len),
        &at.field("covariance"),
        findings,
    );
}

impl DataSource for DrawnMixture {
    fn facts(&self) -> SourceFacts {
        let features = self.means.first().map(Vec::len);
        let beside = self.pool.map(|pool| Beside {
            what: format!("a pool of {pool} examples"),
            field: "data.pool",
            bytes: pool.saturating_mul(8 * features.unwrap_or(0) as u64 + 8),
        });
        SourceFacts { is_labelled: true, beside, ..SourceFacts::drawn(DataKind::Examples, self.examples, features) }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let Some(size) = self.pool else {
            return Ok(Observations::Examples(self.generate(self.examples, with.streams)?));
        };
        let pool = self.generate(size, with.pool)?;
        let mut chosen = Vec::new();
        with.streams.at(DrawPurpose::Data, SAMPLE, 0).subset(pool.len() as u32, self.examples as u32, &mut chosen);
        Ok(Observations::Examples(pool.select(&chosen)?))
    }

    fn truth(&self) -> Option<Truth> {
        let matrices = self.covariance.matrices();
        let covariance = |g: usize| matrices[g.min(matrices.len() - 1)].clone();
        Some(Truth {
            weights: self.weights.clone(),
            means: self.means.clone(),
            covariances: (0..self.weights.len()).map(covariance).collect(),
        })
    }

    fn examples() -> Vec<Self> {
        let covariance = Covariances::Common(vec![vec![1.0, 0.0], vec![0.0, 1.0]]);
        let (weights, means) = (vec![0.5, 0.5], vec![vec![-2.0, 0.0], vec![2.0, 0.0]]);
        vec![Self { examples: 100, weights, means, covariance, pool: None }]
    }
}

impl DrawnMixture {
    /// This many examples, labelled with their components; columns `y1`, `y2`, ….
    ///
    /// # Errors
    /// A covariance that is not positive definite; no example; numbers that overflow.
    pub fn generate(&self, count: u64, streams: &Streams) -> Result<DataSet, DataSetError> {
        let d = self.means.first().map_or(0, Vec::len);
        let factors = self.covariance.matrices().iter().enumerate().map(factor).collect::<Result<Vec<_>, _>>()?;
        let mut rows = Affine::new(&self.means, &factors, count as usize);
        let mut labels = Vec::with_capacity(count as usize);
        let mut z = vec![0.0; d];
        for example in 0..count {
            let mut stream = streams.at(DrawPurpose::Data, example, 0);
            let g = stream.categorical(&self.weights);
            normals(&mut stream, &mut z);
            rows.push(example as usize, g, &z);
            labels.push(g as u32);
        }
        let columns = (1..=d).map(|j| format!("y{j}")).collect();
        DataSet::new(columns, rows.finish(), Some(labels), None)
    }
}

/// The Cholesky factor of a covariance, of the component with this number, as vech.
fn factor((component, sigma): (usize, &Matrix)) -> Result<Vec<f64>, DataSetError> {
    let mut factor = vech(&sigma.concat(), sigma.len());
    match cholesky(&mut factor, sigma.len()) {
        Ok(()) => Ok(factor),
        Err(BadPivot { pivot, value }) => Err(DataSetError::new(format!(
            "covariance {component} is not positive definite (pivot {pivot} is {value})"
        ))),
    }
}

/// A random Gaussian mixture with weights Dirichlet(5, …) and means N(0, `separation`² I). Covariances are `correlated`
/// · A Aᵀ / d + (1 − `correlated`) I, A standard normal.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RandomMixture {
    /// N, over all clients.
    #[range(whole(1, MAX_EXAMPLES))]
    pub examples: u64,
    /// d.
    #[range(whole(1, 2_000))]
    pub features: usize,
    /// G.
    #[range(whole(1, 1_000))]
    pub components: usize,
    /// Standard deviation of the means; components have variances of about 1.
    #[range(POSITIVE)]
    pub separation: f64,
    /// Share of the correlated part.
    #[serde(default = "mostly")]
    #[range(PROBABILITY)]
    pub correlated: f64,
}

fn mostly() -> f64 {
    0.8
}

impl RandomMixture {
    /// Component k at address (Data, 2⁶³ + k, 0), the weights at (Data, 2⁶³ + G, 0).
    fn draw(&self, streams: &Streams) -> DrawnMixture {
        let Self { examples, features: d, components, separation, correlated } = *self;
        let (mut means, mut covariances) = (Vec::new(), Vec::new());
        for k in 0..components as u64 {
            let mut stream = streams.at(DrawPurpose::Data, FIRST_COMPONENT + k, 0);
            means.push((0..d).map(|_| separation * stream.normal()).collect());
            let a: Vec<f64> = (0..d * d).map(|_| stream.normal()).collect();
            let mut sigma = vec![vec![0.0; d]; d];
            for i in 0..d {
                for j in 0..=i {
                    let product: f64 = a[i * d..][..d].iter().zip(&a[j * d..][..d]).map(|(x, y)| x * y).sum();
                    let diagonal = if i == j { 1.0 - correlated } else { 0.0 };
                    sigma[i][j] = correlated * product / d as f64 + diagonal;
                    sigma[j][i] = sigma[i][j];
                }
            }
            covariances.push(sigma);
        }
        let mut weights = vec![0.0; components];
        let mut stream = streams.at(DrawPurpose::Data, FIRST_COMPONENT + components as u64, 0);
        stream.dirichlet(&vec![5.0; components], &mut weights);
        let covariance = Covariances::PerComponent(covariances);
        DrawnMixture { examples, weights, means, covariance, pool: None }
    }
}

impl DataSource for RandomMixture {
    fn facts(&self) -> SourceFacts {
        let (components, d) = (self.components as u64, self.features as u64);
        let bytes = 24_u64.saturating_mul(components).saturating_mul(d).saturating_mul(d);
        let what = format!("covariances of {components} components");
        SourceFacts {
            is_labelled: true,
            beside: Some(Beside { what, field: "data.features", bytes }),
            ..SourceFacts::drawn(DataKind::Examples, self.examples, self.features)
        }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Examples(self.draw(with.streams).generate(self.examples, with.streams)?))
    }

    fn examples() -> Vec<Self> {
        vec![Self { examples: 100, features: 3, components: 2, separation: 2.0, correlated: 0.8 }]
    }
}
