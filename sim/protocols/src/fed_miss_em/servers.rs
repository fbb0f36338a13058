//! What a server holds: observations by cell. Knows no memory and no message.

use fedbits_models::Examples;
use fedbits_models::low_rank::LowRank;

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
