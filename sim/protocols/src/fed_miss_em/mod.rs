//! FedMissEM: FedEM for imputing counts by observers × sites × times (FedEM paper, section 4). Its Algorithm 7 is not
//! published; this is our reading of the text, with messages that carry only what is private.
//!
//! The statistic of server i is the matrix ψ'(θ), which everybody who knows θ knows, corrected where its observers
//! were:
//!
//! ```text
//! s̄_i(θ) − Ŝ = [ψ'(θ) − Ŝ] + ρ_i(θ),    ρ_i(θ) = (n/M) Σ_{(j,l,x) of server i} (x − ψ'(θ_jl)) e_jl
//! ```
//!
//! Only the residuals ρ_i, on the cells Ω_i of server i, have to travel: vectors of |Ω_i| numbers instead of q = J L.
//! They are what Algorithm 1 compresses, and the memories V_i live on the same cells:
//!
//! ```text
//! server i:    Δ_i = ρ_i(θ; batch) − V_i,   sends Quant(Δ_i),   V_i ← V_i + α Quant(Δ_i)        (all on Ω_i)
//! aggregator:  H = ψ'(θ) − Ŝ + V + (1/(n p)) Σ Quant(Δ_i),      V ← V + (α/n) Σ Quant(Δ_i)
//!              Ŝ ← Ŝ + γ H,   θ = T(Ŝ),   broadcasts the factors of θ: (J + L) r floats
//! ```
//!
//! With identity compression and full batches this is Algorithm 1 on the dense statistics, exactly. A batch of b
//! observations is reweighted by N_i/b. Before the first round every server uploads Ω_i with V_{0,i}, uncompressed and
//! charged (an initial value of zero is sent as such): that is how the aggregator knows Ω_i. The dense message is what
//! plain FedEM sends on the same model.
//!
//! | symbol | here | |
//! |---|---|---|
//! | Ω_i | `Server::cells` | cells j L + l with observations, increasing |
//! | M | `LowRank::per_matrix` = N/M | number of complete matrices |
//! | T | `LowRank::maximize_from` | started at the previous θ |

mod setting;
mod star;

pub use setting::FedMissEmSetting;
pub use star::Aggregator;

use fedbits_codec::{Identity, NonZeros};
use fedbits_models::Examples;
use fedbits_models::low_rank::LowRank;

use crate::fedem::BatchRule;
use crate::schedule::Schedule;
use crate::state::OwnedState;
use crate::uplink::Uplink;

/// What is known of the times, for the record.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Names of the L times.
    pub times: Vec<String>,
    /// Sites with an observation, per time.
    pub observed: Vec<u64>,
    /// θ*, where it is known.
    pub truth: Option<Vec<f64>>,
}

/// What the aggregator and the servers know.
pub struct FedMissEm {
    model: LowRank,
    gamma: Schedule,
    batch: BatchRule,
    catalogue: Catalogue,
    uplink: Uplink,
    servers: Vec<Server>,
    total: u64,
    /// Cells of any server, increasing.
    cells: Vec<u32>,
    floats: Identity,
    listed: NonZeros,
    /// Ŝ₀ and T(Ŝ₀), and the products that T took.
    start: OwnedState,
    products: u64,
}

/// The observations of one server.
pub(super) struct Server {
    /// Ω_i: cells with observations, increasing.
    pub cells: Vec<u32>,
    /// (place in `cells`, x), in the order of the examples.
    observations: Vec<(u32, f64)>,
    /// n/M: weight of a residual.
    scale: f64,
}

impl Server {
    pub fn new(model: &LowRank, examples: Examples<'_>, scale: f64) -> Self {
        let rows = || examples.rows().chunks_exact(3);
        let mut cells: Vec<u32> = rows().map(|row| model.cell(row) as u32).collect();
        cells.sort_unstable();
        cells.dedup();
        let place = |row: &[f64]| cells.partition_point(|&cell| (cell as usize) < model.cell(row)) as u32;
        let observations = rows().map(|row| (place(row), row[2])).collect();
        Self { cells, observations, scale }
    }

    /// N_i.
    pub fn size(&self) -> u32 {
        self.observations.len() as u32
    }

    /// ρ_i(θ) on the server's cells, from all observations or from a batch reweighted by N_i/b.
    pub fn residuals(&self, model: &LowRank, theta: &[f64], batch: Option<&[u32]>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.cells.len(), 0.0);
        let mut add = |&(place, x): &(u32, f64), scale: f64| {
            out[place as usize] += scale * (x - model.expected_at(theta, self.cells[place as usize] as usize));
        };
        match batch {
            None => self.observations.iter().for_each(|observation| add(observation, self.scale)),
            Some(batch) => {
                let scale = self.scale * f64::from(self.size()) / batch.len() as f64;
                batch.iter().for_each(|&index| add(&self.observations[index as usize], scale));
            }
        }
    }

    /// Σ −log p(x; θ_jl) over the server's observations.
    pub fn objective_sum(&self, model: &LowRank, theta: &[f64]) -> f64 {
        let one = |&(place, x): &(u32, f64)| {
            let cell = self.cells[place as usize] as usize;
            model.family.objective(x, model.parameter_at(theta, cell))
        };
        self.observations.iter().map(one).sum()
    }

    /// Squared residuals of the expectations, summed.
    pub fn squares(&self, model: &LowRank, theta: &[f64]) -> f64 {
        let one = |&(place, x): &(u32, f64)| {
            let residual = x - model.expected_at(theta, self.cells[place as usize] as usize);
            residual * residual
        };
        self.observations.iter().map(one).sum()
    }
}

/// The cells of all servers, increasing, and where those of each server stand among them.
pub(super) fn union(servers: &[Server]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut cells: Vec<u32> = servers.iter().flat_map(|server| &server.cells).copied().collect();
    cells.sort_unstable();
    cells.dedup();
    let place = |cell: &u32| cells.partition_point(|known| known < cell) as u32;
    let places = servers.iter().map(|server| server.cells.iter().map(place).collect()).collect();
    (cells, places)
}
