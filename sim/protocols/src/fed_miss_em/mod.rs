//! FedMissEM: FedEM for imputing counts by observers × sites × times (FedEM paper, section 4). Its Algorithm 7 is not published;
//! this is our reading of the text, with messages that carry only what is private.
//!
//! The statistic of server i is the matrix ψ'(θ), which everybody who knows θ knows, corrected where its observers were:
//!
//! ```text
//! s̄_i(θ) − Ŝ = [ψ'(θ) − Ŝ] + ρ_i(θ),    ρ_i(θ) = (n/M) Σ_{(j,l,x) of server i} (x − ψ'(θ_jl)) e_jl
//! ```
//!
//! Only the residuals ρ_i, on the cells Ω_i of server i, have to travel: vectors of |Ω_i| numbers instead of q = J L. They are what
//! Algorithm 1 compresses, and the memories V_i live on the same cells:
//!
//! ```text
//! server i:    Δ_i = ρ_i(θ; batch) − V_i,   sends Quant(Δ_i),   V_i ← V_i + α Quant(Δ_i)        (all on Ω_i)
//! aggregator:  H = ψ'(θ) − Ŝ + V + (1/(n p)) Σ Quant(Δ_i),      V ← V + (α/n) Σ Quant(Δ_i)
//!              Ŝ ← Ŝ + γ H,   θ = T(Ŝ),   broadcasts the factors of θ: (J + L) r floats
//! ```
//!
//! With identity compression and full batches this is Algorithm 1 on the dense statistics, exactly. A batch of b observations
//! is reweighted by N_i/b. Before the first round every server uploads Ω_i with V_{0,i}, uncompressed and charged (an initial value of
//! zero is sent as such): that is how the aggregator knows Ω_i. The dense message is what plain FedEM sends on the same model.
//!
//! | symbol | here | |
//! |---|---|---|
//! | Ω_i | `Server::cells` | cells j L + l with observations, increasing |
//! | M | `LowRank::per_matrix` = N/M | number of complete matrices |
//! | T | `LowRank::maximize_from` | started at the previous θ (generalized EM for Poisson and binomial entries) |
//!
//! It must not know rounds' policies, time or links.

mod memory;
mod servers;
mod star;

use fedbits_codec::{Draw as Randomness, Encoded, Identity, NonZeros};
use fedbits_models::data::partition::Partitioned;
use fedbits_models::low_rank::{LowRank, Workspace};

use crate::audit::Auditor;
use crate::fedem::weights::{StepWeights, Weights};
use crate::fedem::{Commit, FedEmSettings};
use crate::star::{Contribution, Step};
use memory::Memory;
use servers::{Server, union};

/// What is known of the times and of what the fit does not see, for the record.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Names of the L times.
    pub times: Vec<String>,
    /// Sites with an observation, per time.
    pub observed: Vec<u64>,
    /// Held-out observations (j, l, x), one after the other.
    pub held_out: Vec<f64>,
    /// θ*, where it is known.
    pub truth: Option<Vec<f64>>,
}

/// State of FedMissEM: the aggregator's and all servers'.
pub struct FedMissEm {
    model: LowRank,
    settings: FedEmSettings,
    steps: u32,
    catalogue: Catalogue,
    alpha: f64,
    servers: Vec<Server>,
    memories: Vec<Memory>,
    weights: Weights,
    total: u64,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    /// Cells of any server, increasing, and V on them.
    cells: Vec<u32>,
    v: Vec<f64>,
    floats: Identity,
    listed: NonZeros,
    products: u64,
    /// What dense messages would have cost: J L floats of 64 bits each.
    bits_up_dense: u64,
    auditor: Auditor,
    buffers: Buffers,
}

/// Working memory of rounds.
#[derive(Default)]
struct Buffers {
    workspace: Workspace,
    theta: Vec<f64>,
    aggregate: Vec<f64>,
    private: Vec<f64>,
    delta: Vec<f64>,
    indices: Vec<u32>,
    encoded: Encoded,
}

impl FedMissEm {
    /// FedMissEM at Ŝ₀ = s̄(θ₀), θ = T(Ŝ₀). `steps`: majorize-minimize steps per M-step where T has no closed form.
    ///
    /// # Errors
    /// When the compressor does not fit the cells of a server, memories would be resynchronized, or T(Ŝ₀) does not exist.
    pub fn new(
        data: &Partitioned,
        model: LowRank,
        settings: FedEmSettings,
        steps: u32,
        theta: &[f64],
        catalogue: Catalogue,
        audit_all: bool,
    ) -> Result<Self, String> {
        if matches!(settings.memory.commit(), Some(Commit::Resynchronized { .. })) {
            return Err("FedMissEM cannot resynchronize memories: commit on acknowledgement or on send".to_owned());
        }
        if settings.compressor.member(0).is_some() {
            let name = settings.compressor.name();
            return Err(format!(
                "{name} deals out the coordinates of one vector: clients of FedMissEM have different ones"
            ));
        }
        let (n, total) = (data.len() as f64, data.data().len() as u64);
        let scale = n * model.per_matrix() / total as f64;
        let mut servers: Vec<Server> = (0..data.len()).map(|i| Server::new(&model, data.client(i), scale)).collect();
        let cells = union(&mut servers);
        for (i, server) in servers.iter().enumerate() {
            let fits = settings.compressor.validate(server.cells.len());
            fits.map_err(|error| format!("client {i} observes {} cells: {error}", server.cells.len()))?;
        }
        let largest = servers.iter().map(|server| server.cells.len()).max().unwrap_or(1);
        let alpha = settings.memory.alpha(settings.compressor.as_ref(), largest)?;
        let memories = servers.iter().map(|server| Memory::new(server.cells.len(), settings.memory.commit())).collect();
        let mut fit = Self {
            floats: Identity { wire: settings.floats },
            listed: NonZeros { wire: settings.floats },
            s_hat: vec![0.0; model.sites() * model.times()],
            theta: theta.to_vec(),
            v: vec![0.0; cells.len()],
            buffers: Buffers::default(),
            auditor: Auditor::new(audit_all),
            weights: Weights::new(settings.divide_by, servers.len() as u32),
            products: 0,
            bits_up_dense: 0,
            alpha,
            memories,
            total,
            cells,
            servers,
            catalogue,
            steps,
            settings,
            model,
        };
        fit.start()?;
        Ok(fit)
    }

    /// Ŝ₀ = ψ'(θ₀) + n⁻¹ Σ ρ_i(θ₀), θ = T(Ŝ₀).
    fn start(&mut self) -> Result<(), String> {
        let residuals = self.pooled_residuals();
        self.model.advance(&mut self.s_hat, &self.theta, 1.0, (&self.cells, &residuals));
        self.maximize().map_err(|error| format!("T of the initial statistic: {error}"))
    }

    /// Ŝ.
    pub fn s_hat(&self) -> &[f64] {
        &self.s_hat
    }

    /// θ = T(Ŝ), as factors.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The model.
    pub fn model(&self) -> &LowRank {
        &self.model
    }

    /// n⁻¹ Σ ρ_i(θ) on `self.cells`.
    fn pooled_residuals(&self) -> Vec<f64> {
        let (mut pooled, n) = (vec![0.0; self.cells.len()], self.servers.len() as f64);
        let mut own = Vec::new();
        for server in &self.servers {
            server.residuals(&self.model, &self.theta, None, &mut own);
            server.places.iter().zip(&own).for_each(|(&place, rho)| pooled[place as usize] += rho / n);
        }
        pooled
    }

    /// The client's half: Quant(ρ_i(θ) − V_i) into `out`. `indices`: the batch, none for all observations.
    ///
    /// # Errors
    /// When Δ is not finite.
    pub fn local_update(
        &mut self,
        i: u32,
        theta: &[f64],
        indices: Option<&[u32]>,
        randomness: Randomness<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let (server, memory) = (&self.servers[i as usize], &self.memories[i as usize]);
        let delta = &mut self.buffers.delta;
        server.residuals(&self.model, theta, indices, delta);
        delta.iter_mut().zip(memory.committed()).for_each(|(delta, v)| *delta -= v);
        let encoded = self.settings.compressor.encode(delta, randomness, out);
        encoded.map_err(|error| format!("client {i}: {error}"))
    }

    /// What client `i` does when it sends: it commits, or stages until the acknowledgement.
    pub fn local_commit(&mut self, i: u32, encoded: &Encoded) {
        self.memories[i as usize].on_send(self.alpha, self.settings.compressor.as_ref(), encoded);
    }

    /// The aggregator's half, on contributions in id order. `round` counts from 1.
    ///
    /// # Errors
    /// When H is not finite or singular vectors were not found.
    pub fn server_step(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.aggregate(arrived);
        self.direct(arrived);
        let Buffers { aggregate, private, .. } = &mut self.buffers;
        let gamma = self.settings.gamma.at(round);
        let field_sq = self.model.advance(&mut self.s_hat, &self.theta, gamma, (&self.cells, private));
        if !field_sq.is_finite() {
            return Err("the statistic diverged: ‖H‖² is not finite (a smaller γ, or a finer compressor)".to_owned());
        }
        let n = self.servers.len() as f64;
        self.v.iter_mut().zip(aggregate).for_each(|(v, sum)| *v += self.alpha * *sum / n);
        arrived.iter().for_each(|contribution| self.memories[contribution.client as usize].on_used());
        self.maximize().map_err(|error| error.to_string())?;
        Ok(Step { field_sq, used: true })
    }

    /// V and what arrived, each with its weight, on `self.cells`.
    fn direct(&mut self, arrived: &[Contribution]) {
        let Buffers { aggregate, private, delta, .. } = &mut self.buffers;
        private.clear();
        match self.weights.of_step(self.settings.divide_by, self.settings.staleness, arrived) {
            StepWeights::Equal(divisor) => {
                private.extend(self.v.iter().zip(aggregate.iter()).map(|(v, sum)| v + sum / divisor));
            }
            StepWeights::Each(omega, weights) => {
                private.extend(self.v.iter().map(|v| omega * v));
                for (contribution, weight) in arrived.iter().zip(weights) {
                    let server = &self.servers[contribution.client as usize];
                    delta.resize(server.cells.len(), 0.0);
                    self.settings.compressor.decode(&contribution.encoded, delta);
                    server
                        .places
                        .iter()
                        .zip(delta.iter())
                        .for_each(|(&place, x)| private[place as usize] += weight * x);
                }
            }
        }
    }

    /// Σ Quant(Δ_i) on `self.cells`.
    fn aggregate(&mut self, arrived: &[Contribution]) {
        let Buffers { aggregate, delta, .. } = &mut self.buffers;
        aggregate.clear();
        aggregate.resize(self.cells.len(), 0.0);
        for contribution in arrived {
            let server = &self.servers[contribution.client as usize];
            delta.resize(server.cells.len(), 0.0);
            self.settings.compressor.decode(&contribution.encoded, delta);
            server.places.iter().zip(delta.iter()).for_each(|(&place, x)| aggregate[place as usize] += x);
        }
    }

    fn maximize(&mut self) -> Result<(), fedbits_models::DomainError> {
        let Buffers { workspace, theta, .. } = &mut self.buffers;
        let effort = self.model.maximize_from(&self.s_hat, &self.theta, self.steps, workspace, theta)?;
        self.products += u64::from(effort.products);
        std::mem::swap(&mut self.theta, theta);
        Ok(())
    }

    /// ‖V − n⁻¹ Σ V_i‖², with what the aggregator used and clients will commit at their next acknowledgement.
    fn drift_sq(&self) -> f64 {
        let (mut difference, n) = (self.v.clone(), self.servers.len() as f64);
        for (server, memory) in self.servers.iter().zip(&self.memories) {
            for (at, &place) in server.places.iter().enumerate() {
                difference[place as usize] -= memory.settled(at) / n;
            }
        }
        crate::journal::norm_sq(&difference)
    }

    /// √ mean (x − ψ'(θ_jl))² over observations (j, l, x); none without observations.
    fn error(&self, observations: &[f64]) -> Option<f64> {
        let squares = observations.chunks_exact(3).map(|x| {
            let residual = x[2] - self.model.expected_at(&self.theta, self.model.cell(x));
            residual * residual
        });
        let count = observations.len() / 3;
        (count > 0).then(|| (squares.sum::<f64>() / count as f64).sqrt())
    }
}
