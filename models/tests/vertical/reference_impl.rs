//! The slow reference: EM for a mixture with block-diagonal covariances in one place, by plain loops over full
//! matrices. γ by log-densities block by block, M-step in two passes (means first, then centred outer products).

use fedbits_models::gmm::vertical::FeatureBlocks;

/// Parameters in plain arrays.
#[derive(Clone, Debug)]
pub struct Reference {
    pub weights: Vec<f64>,
    pub means: Vec<Vec<f64>>,
    /// d × d row-major with zeros between blocks.
    pub covariances: Vec<Vec<f64>>,
}

/// Lower Cholesky factor of a dense matrix.
fn cholesky(a: &[f64], d: usize) -> Vec<f64> {
    let mut l = vec![0.0; d * d];
    for i in 0..d {
        for j in 0..=i {
            let sum = a[i * d + j] - (0..j).map(|k| l[i * d + k] * l[j * d + k]).sum::<f64>();
            l[i * d + j] = if i == j { sum.sqrt() } else { sum / l[j * d + j] };
        }
    }
    l
}

/// log N(x; µ, Σ).
fn log_density(x: &[f64], mean: &[f64], l: &[f64]) -> f64 {
    let d = x.len();
    let mut z = vec![0.0; d];
    let mut value = -0.5 * d as f64 * libm::log(2.0 * std::f64::consts::PI);
    for i in 0..d {
        z[i] = (x[i] - mean[i] - (0..i).map(|j| l[i * d + j] * z[j]).sum::<f64>()) / l[i * d + i];
        value -= libm::log(l[i * d + i]) + 0.5 * z[i] * z[i];
    }
    value
}

impl Reference {
    /// One EM step; returns γ (M × K) and the log-likelihood of the parameters it left.
    pub fn step(&mut self, rows: &[f64], blocks: &FeatureBlocks) -> (Vec<f64>, f64) {
        let (d, k) = (blocks.dimension(), self.weights.len());
        let factors: Vec<_> = self.covariances.iter().map(|sigma| cholesky(sigma, d)).collect();
        let (mut gammas, mut likelihood) = (Vec::new(), 0.0);
        for x in rows.chunks_exact(d) {
            let logs: Vec<f64> =
                (0..k).map(|c| libm::log(self.weights[c]) + log_density(x, &self.means[c], &factors[c])).collect();
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = logs.iter().map(|log| libm::exp(log - top)).sum();
            likelihood += top + libm::log(total);
            gammas.extend(logs.iter().map(|log| libm::exp(log - top) / total));
        }
        self.maximize(rows, blocks, &gammas);
        (gammas, likelihood)
    }

    fn maximize(&mut self, rows: &[f64], blocks: &FeatureBlocks, gammas: &[f64]) {
        let (d, k) = (blocks.dimension(), self.weights.len());
        let count = (rows.len() / d) as f64;
        for c in 0..k {
            let gamma = || gammas.iter().skip(c).step_by(k);
            let total: f64 = gamma().sum();
            self.weights[c] = total / count;
            for i in 0..d {
                self.means[c][i] = gamma().zip(rows.chunks_exact(d)).map(|(g, x)| g * x[i]).sum::<f64>() / total;
            }
            let mean = self.means[c].clone();
            self.covariances[c].fill(0.0);
            for block in 0..blocks.len() {
                for &i in blocks.features(block) {
                    for &j in blocks.features(block) {
                        let product = |(g, x): (&f64, &[f64])| g * (x[i] - mean[i]) * (x[j] - mean[j]);
                        let sum: f64 = gamma().zip(rows.chunks_exact(d)).map(product).sum();
                        self.covariances[c][i * d + j] = sum / total;
                    }
                }
            }
        }
    }

    /// θ in the layout of the whole mixture.
    pub fn theta(&self) -> Vec<f64> {
        let d = self.means[0].len();
        let vech = |sigma: &Vec<f64>| fedbits_numerics::vech(sigma, d);
        let covariances: Vec<f64> = self.covariances.iter().flat_map(vech).collect();
        [self.weights.clone(), self.means.concat(), covariances].concat()
    }
}
