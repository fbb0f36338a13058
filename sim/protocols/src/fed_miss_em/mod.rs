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

pub use setting::FedMissEmSetting;

use fedbits_codec::{Compressor, Encoded, Identity, NonZeros};
use fedbits_kernel::Bits;
use fedbits_models::low_rank::{LowRank, Workspace};
use fedbits_models::{DomainError, ExactModel, Examples, Model};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{Cell, ClientColumn, QUALITY_OF_CLIENTS, RunTable};

use crate::error::{ProtocolError, Result};
use crate::fedem::{BatchRule, FedEmSetting, draw_batch};
use crate::over::Catalogue;
use crate::partition::Partitioned;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::star::{Coder, Contribution, Conventions, Outgoing, Received, StarAlgorithm, Step, View, Wire};
use crate::state::{OwnedState, Probe, State};
use crate::uplink::{MemoryStart, Uplink};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 4] = ["drift_sq", "bits_up_dense64", "svd_products", "observed_rmse"];

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
struct Server {
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
fn union(servers: &[Server]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut cells: Vec<u32> = servers.iter().flat_map(|server| &server.cells).copied().collect();
    cells.sort_unstable();
    cells.dedup();
    let place = |cell: &u32| cells.partition_point(|known| known < cell) as u32;
    let places = servers.iter().map(|server| server.cells.iter().map(place).collect()).collect();
    (cells, places)
}

impl FedMissEm {
    /// FedMissEM at Ŝ₀ = s̄(θ₀), θ = T(Ŝ₀). Memories, divisor and operator are those of `uplink`.
    ///
    /// # Errors
    /// When the compressor does not fit the cells of a server, or T(Ŝ₀) does not exist.
    pub fn new(
        (data, model): (&Partitioned, LowRank),
        setting: &FedEmSetting,
        uplink: Uplink,
        theta: &[f64],
        catalogue: Catalogue,
    ) -> Result<Self> {
        let (n, total) = (data.len() as f64, data.data().len() as u64);
        let scale = n * model.per_matrix / total as f64;
        let servers: Vec<Server> = (0..data.len()).map(|i| Server::new(&model, data.client(i), scale)).collect();
        let (cells, places) = union(&servers);
        let uplink = uplink.over_places(cells.len(), places)?;
        let weights = if uplink.needs_weights() { vec![1.0; data.len()] } else { Vec::new() };
        let mut fit = Self {
            floats: Identity { wire: setting.floats },
            listed: NonZeros { wire: setting.floats },
            start: OwnedState { s_hat: vec![0.0; model.sites * model.times], theta: theta.to_vec() },
            products: 0,
            uplink: uplink.weighing(weights, false),
            total,
            cells,
            servers,
            catalogue,
            gamma: setting.gamma,
            batch: setting.batch,
            model,
        };
        // Ŝ₀ = ψ'(θ₀) + n⁻¹ Σ ρ_i(θ₀), θ = T(Ŝ₀).
        let mut start = Aggregator::new(&fit);
        let residuals = fit.pooled_residuals(theta);
        fit.model.advance(&mut start.at.s_hat, theta, 1.0, (&fit.cells, &residuals));
        fit.maximize(&mut start).map_err(ProtocolError::Initial)?;
        (fit.start, fit.products) = (start.at, start.products);
        Ok(fit)
    }

    /// The model.
    pub fn model(&self) -> &LowRank {
        &self.model
    }

    /// n⁻¹ Σ ρ_i(θ) on `self.cells`.
    fn pooled_residuals(&self, theta: &[f64]) -> Vec<f64> {
        let (mut pooled, n) = (vec![0.0; self.cells.len()], self.servers.len() as f64);
        let mut residuals = Vec::new();
        for (i, server) in (0..).zip(&self.servers) {
            server.residuals(&self.model, theta, None, &mut residuals);
            self.uplink.places(i).iter().zip(&residuals).for_each(|(&place, rho)| pooled[place as usize] += rho / n);
        }
        pooled
    }
}

/// The state of the aggregator.
pub struct Aggregator {
    /// Ŝ, and θ = T(Ŝ) as factors.
    pub at: OwnedState,
    products: u64,
    workspace: Workspace,
    next_theta: Vec<f64>,
    private: Vec<f64>,
}

impl Aggregator {
    fn new(fit: &FedMissEm) -> Self {
        Self {
            at: fit.start.clone(),
            products: fit.products,
            workspace: Workspace::default(),
            next_theta: Vec::new(),
            private: Vec::new(),
        }
    }
}

impl FedMissEm {
    /// Codes Ω_i with V_{0,i}: ρ_i(θ₀) or zeros, uncompressed.
    fn first_upload(&self, i: u32, theta: &[f64], out: &mut Outgoing<'_>) -> Result<()> {
        let (server, values) = (&self.servers[i as usize], &mut *out.scratch);
        match self.uplink.start() {
            MemoryStart::MeanField => server.residuals(&self.model, theta, None, values),
            MemoryStart::Zero => {
                values.clear();
                values.resize(server.cells.len(), 0.0);
            }
        }
        out.report(&[])?;
        Ok(self.listed.encode_entries(self.start.s_hat.len(), &server.cells, out.scratch, out.encoded)?)
    }

    /// θ = T(Ŝ).
    fn maximize(&self, state: &mut Aggregator) -> Result<(), DomainError> {
        let Aggregator { at, products, workspace, next_theta, .. } = state;
        let effort = self.model.maximize_from(&at.s_hat, &at.theta, workspace, next_theta)?;
        *products += u64::from(effort.products);
        std::mem::swap(&mut at.theta, next_theta);
        Ok(())
    }
}

impl Problem for FedMissEm {
    fn clients(&self) -> u32 {
        self.servers.len() as u32
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn parameter_names(&self) -> Vec<String> {
        self.model.parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.model.statistic_names()
    }

    fn examples_of(&self, i: u32) -> Option<u64> {
        Some(u64::from(self.servers[i as usize].size()))
    }

    fn model(&self) -> Option<&dyn ExactModel> {
        Some(&self.model)
    }

    /// `objective`: F_i(θ), the mean of −log p(x; θ) over a client's own observations.
    fn client_columns(&self, state: &State<'_>) -> Result<Vec<ClientColumn>> {
        let [objective, _] = QUALITY_OF_CLIENTS;
        let mean = |server: &Server| server.objective_sum(&self.model, state.theta) / f64::from(server.size());
        let values = self.servers.iter().map(mean).map(Some).collect();
        Ok(vec![ClientColumn { name: objective.to_owned(), values }])
    }
}

impl StarAlgorithm for FedMissEm {
    type Server = Aggregator;
    type Client = ();
    /// θ as the wire carries it.
    type Content = Vec<f64>;
    type Ahead = ();

    fn problem(&self) -> &dyn Problem {
        self
    }

    fn server(&self) -> Aggregator {
        Aggregator::new(self)
    }

    fn client(&self, _i: u32) {}

    fn uplink(&self) -> Option<&Uplink> {
        Some(&self.uplink)
    }

    fn state<'a>(&'a self, server: &'a Aggregator) -> State<'a> {
        server.at.as_state()
    }

    fn open_round(&self, server: &mut Aggregator, wire: &mut Wire<'_>) -> Result<(Vec<f64>, Bits)> {
        let mut theta = server.at.theta.clone();
        let bits = wire.send(&self.floats, &mut theta)?;
        Ok((theta, bits))
    }

    fn coder(&self, _streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        if round == 0 { Coder::per_client(&self.listed) } else { self.uplink.coder(i) }
    }

    fn client_update(
        &self,
        i: u32,
        _client: &mut (),
        received: Received<'_, Vec<f64>, ()>,
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let theta = received.content;
        if received.round == 0 {
            return self.first_upload(i, theta, out);
        }
        let mut indices = Vec::new();
        let stream = &mut received.streams.at(DrawPurpose::Minibatch, u64::from(i), received.round);
        let drawn = draw_batch(self.batch, self.servers[i as usize].size(), stream, &mut indices);
        self.servers[i as usize].residuals(&self.model, theta, drawn.then_some(&indices[..]), out.scratch);
        out.encode_difference()
    }

    fn work(&self, i: u32, _client: &(), round: u64) -> u64 {
        let size = self.servers[i as usize].size();
        match round {
            0 if self.uplink.start() == MemoryStart::Zero => 0,
            0 => u64::from(size),
            _ => self.batch.count(size),
        }
    }

    /// The first upload names the cells.
    fn read_memory(&self, (i, encoded): (u32, &Encoded), v: &mut [f64]) {
        let mut dense = vec![0.0; self.start.s_hat.len()];
        self.listed.decode(encoded, &mut dense);
        v.iter_mut().zip(&self.servers[i as usize].cells).for_each(|(v, &cell)| *v = dense[cell as usize]);
    }

    fn server_update(&self, server: &mut Aggregator, wire: &mut Wire<'_>, arrived: &[Contribution]) -> Result<Step> {
        let Aggregator { at, private, .. } = server;
        wire.estimate(arrived, private);
        let gamma = self.gamma.at(wire.round);
        let field_sq = self.model.advance(&mut at.s_hat, &at.theta, gamma, (&self.cells, private));
        if !field_sq.is_finite() {
            return Err(ProtocolError::Diverged("the statistic diverged: ‖H‖² is not finite"));
        }
        wire.accept(arrived);
        self.maximize(server)?;
        Ok(Step { field_sq, used: true })
    }

    /// The first upload tells the aggregator Ω_i, with memory or without.
    fn conventions(&self) -> Conventions {
        Conventions { initial_memories: true, ..Conventions::default() }
    }

    /// The objective is the mean of −log p(x; θ) over the fitted observations, without the penalty λ.
    fn probe(&self, view: &View<'_, Self>) -> Result<Probe> {
        let state = &view.server.at;
        let residuals = self.pooled_residuals(&state.theta);
        let objective: f64 = self.servers.iter().map(|server| server.objective_sum(&self.model, &state.theta)).sum();
        let truth = self.catalogue.truth.as_ref();
        Ok(Probe {
            mean_field_sq: Some(self.model.field_sq(&state.s_hat, &state.theta, (&self.cells, &residuals))),
            objective: Some(objective / self.total as f64),
            parameter_error_sq: truth.map(|truth| self.model.parameter_error(&state.theta, truth)),
            ..Probe::default()
        })
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>> {
        let OwnedState { s_hat, theta } = &view.server.at;
        let squares = || self.servers.iter().map(|server| server.squares(&self.model, theta)).sum::<f64>();
        let observed = thorough.then(|| (squares() / self.total as f64).sqrt());
        let drift_sq = view.drift_sq(thorough)?;
        let dense = 64 * s_hat.len() as u64 * view.counts.sent;
        Ok(vec![drift_sq, Some(dense as f64), Some(view.server.products as f64), observed])
    }

    /// `trend`: per time the sum over sites of the estimated values, and the sites with and without an observation.
    fn tables(&self, server: &Aggregator) -> Result<Vec<RunTable>> {
        let sites = self.model.sites as u64;
        let totals = self.model.totals(&server.at.theta);
        if let Some(total) = totals.iter().find(|total| !total.is_finite()) {
            return Err(ProtocolError::Total(*total));
        }
        let rows = self.catalogue.times.iter().zip(&self.catalogue.observed).zip(&totals);
        let row = |((time, observed), total): ((&String, &u64), &f64)| {
            vec![Cell::from(time), (*total).into(), (*observed).into(), (sites - observed).into()]
        };
        let columns = ["time", "estimated_total", "observed", "missing"].map(str::to_owned).to_vec();
        Ok(vec![RunTable { name: "trend".to_owned(), columns, rows: rows.map(row).collect() }])
    }
}
