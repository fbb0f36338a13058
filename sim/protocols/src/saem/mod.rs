//! FL-SAEM: stochastic-approximation EM over clients that sample their latent variables (Karimi and Li's draft
//! "Distributed and Private Stochastic EM Methods via Quantized and Compressed MCMC"; what it leaves open is our
//! reading, said below).
//!
//! ```text
//! server → client i:  θ_r
//! client i:           z ~ a few transitions of a kernel for p(z | y; θ_r), for each of its subjects (and chains)
//!                     S̃_i = mean of S(y, z) over its subjects;   x_i = S̃_i, or T(S̃_i), or ∇_θ of its subjects' log p(y, z; θ_r)
//! without memory:     sends C(x_i);                       X = Σ_A w_i C(x_i) / Σ_A w_i
//! with memory:        sends C(w_i x_i − V_i), V_i += α C(·);  X = V + (1/d) Σ_A C(·),  V += (α/n) Σ_A C(·)
//! server:             S_r = S_{r−1} + γ_r (X − S_{r−1}),  θ = T(S_r)         when x = S̃
//!                     θ += γ_r (X − θ)                                       when x = T(S̃)
//!                     θ += γ_r D_θ X                                         when x is the gradient
//! ```
//!
//! | variant | here |
//! |---|---|
//! | SAEM, MCEM, exact EM | in one place ([`Central`]): γ_r decreasing; γ = 1 with many samples; expectations |
//! | D-SAEM (Algorithm 1) | x = T(S̃_i), no memory, identity; with `local_steps` the models are averaged periodically |
//! | FL-SAEM (Algorithm 2) | x = S̃_i, no memory, identity, γ = 1 as written or γ_r |
//! | fl-SAEM as written (Algorithm 5) | x = S̃_i, no memory, Top-k, quantized Langevin, γ = 1 |
//! | repaired, contractive C | memory with α = 1 and d = n (EF21) |
//! | repaired, unbiased C | memory with α = 1/(1 + ω) and d = n p (DIANA, FedEM; QLSD's uplink) |
//! | distributed gradient, sketched SGD | x = gradient, with memory or without |
//!
//! | symbol | here | |
//! |---|---|---|
//! | S, θ | `s`, `theta` | statistic at the server (q numbers) and T(S) |
//! | X | `estimate` | what the server makes of the contributions |
//! | V, V_i | `v`, [`crate::uplink`] | memories; V_{0,i} = w_i S₀ is known to all from θ₀, so nothing is uploaded for it |
//! | w_i | `Panel::weight` | n N_i / N for a client with N_i of the N subjects |
//! | A_θ | `standardize` | coordinates in which C acts: centred at θ_r, divided by standard deviations. Of differences: of x_i − s(θ_r) where S̃_i travels raw, with s(θ) a statistic that T maps to θ |
//!
//! Clipping and noise (`privacy`) act in these coordinates, which depend on the broadcast alone: of what leaves a
//! client only C(clip(u) + noise) depends on its subjects, with u = A_θ (w_i x_i − V_i) or A_θ w_i (x_i − s(θ_r)).
//! Where messages are hidden, clients multiply by their weights themselves.
//!
//! The chain never leaves its client: quantizing its gradient costs accuracy and saves no bit.

mod build;
mod client;
pub(crate) mod panel;
mod sampler;
mod settings;
mod star;

pub use build::Central;
pub use client::{SaemClient, SaemServer};
pub use panel::Panel;
pub use sampler::{Kernel, Local, Sampler, Steps};
pub use settings::{CentralizedSaem, Coordinates, FlSaem, Sends};

use fedbits_codec::{Compressor, Draw, Encoded, Identity};
use fedbits_random::Streams;

use crate::error::{ProtocolError, Result};
use crate::problem::Problem;
use crate::uplink::{F64, Memory, Uplink};

/// What clients and server of FL-SAEM know.
pub struct Saem {
    panel: Panel,
    settings: FlSaem,
    uplink: Uplink,
    /// Do clients multiply by their weights?
    weighs: bool,
    /// C of gradients inside the chains.
    gradient_map: Option<Box<dyn Compressor>>,
    streams: Streams,
    floats: Identity,
    /// S₀ and θ₀.
    s: Vec<f64>,
    theta: Vec<f64>,
    /// Of x.
    length: usize,
}

impl Saem {
    /// FL-SAEM from θ₀, where `expected` clients take part in a round.
    ///
    /// # Errors
    /// When θ₀ is no parameter, the kernel does not fit the model, or a compressor its vector.
    pub fn new(panel: Panel, settings: FlSaem, expected: f64, theta: Vec<f64>, streams: Streams) -> Result<Self> {
        let model = panel.model();
        model.posterior(&theta).map_err(ProtocolError::InitialParameter)?;
        settings.fits(model)?;
        let mut s = Vec::new();
        model.statistic_of(&theta, &mut s);
        if settings.sends == Sends::Gradient {
            let found = model.parameter_gradient(&s, &theta, &mut vec![0.0; theta.len()]);
            if !found? {
                return Err(ProtocolError::Unfit("the model has no gradient in its parameters".to_owned()));
            }
        }
        let first = match settings.sends {
            Sends::Statistics => s.clone(),
            Sends::Parameters => theta.clone(),
            Sends::Gradient => vec![0.0; theta.len()],
        };
        let compressor = settings.compressor.build(settings.floats, panel.clients());
        let rules = (settings.memory, settings.alpha, settings.divide_by);
        let uplink = Uplink::of(compressor, panel.clients(), expected, rules).over(first.len())?;
        let (floats, gradient_map) = (Identity { wire: settings.floats }, settings.local.gradient_map());
        gradient_map.as_ref().map_or(Ok(()), |map| map.validate(model.latent_dimension()))?;
        let weighs = settings.memory != Memory::NoMemory;
        let length = first.len();
        let mut saem = Self { panel, settings, uplink, length, weighs, gradient_map, streams, floats, s, theta };
        saem.uplink.floats = floats;
        saem.uplink.first = if weighs { first } else { Vec::new() };
        saem.uplink.reader = if saem.is_framed() { Some(Box::new(F64)) } else { None };
        Ok(saem.weighing(weighs))
    }

    /// FL-SAEM in a run whose clients can lose their state (`forgets`), or hide their messages behind masks or noise:
    /// then they multiply by their weights themselves.
    #[must_use]
    pub fn in_run(self, forgets: bool, hides: bool) -> Self {
        let weighs = self.weighs || hides;
        let saem = self.weighing(weighs);
        Self { uplink: saem.uplink.forgetting(forgets), ..saem }
    }

    fn weighing(self, weighs: bool) -> Self {
        let weights = (0..self.panel.clients()).map(|i| self.panel.weight(i)).collect();
        Self { uplink: self.uplink.weighing(weights, !weighs), weighs, ..self }
    }

    /// Names of the columns that the model itself adds.
    fn measure_names(&self) -> Vec<String> {
        self.panel.model().measure_names()
    }

    /// What a message of client `i` means at the θ of its round, in natural coordinates, as floats.
    fn read(&self, i: u32, encoded: &Encoded, theta: &[f64]) -> Result<Encoded> {
        let mut u = vec![0.0; encoded.dimension()];
        self.uplink.compressor().decode(encoded, &mut u);
        self.restore(i, theta, &mut u);
        let mut read = Encoded::new();
        F64.encode(&u, Draw::Given(&[]), &mut read)?;
        Ok(read)
    }

    /// Does C act in coordinates that depend on the broadcast?
    fn is_framed(&self) -> bool {
        self.is_scaled() || self.is_centred()
    }

    /// Is there an A_θ, or D_θ^½? Where the model has A_θ = I there is nothing to do, and models have none.
    fn is_scaled(&self) -> bool {
        let asked = self.settings.coordinates == Coordinates::Standardized && self.settings.sends != Sends::Parameters;
        asked && self.panel.model().abilities().scales
    }

    /// Are vectors sent as differences to the broadcast? Those to memories are differences anyway.
    fn is_centred(&self) -> bool {
        let centred = match (self.settings.coordinates, self.settings.sends) {
            (_, Sends::Gradient) => false,
            (Coordinates::Centred, _) => true,
            (Coordinates::Standardized, Sends::Statistics) => self.is_scaled(),
            _ => false,
        };
        centred && self.settings.memory == Memory::NoMemory
    }

    /// Adds `sign` times the centre s(θ), or θ of models, to what client `i` sends.
    fn shift(&self, i: u32, theta: &[f64], sign: f64, u: &mut [f64]) {
        if !self.is_centred() {
            return;
        }
        let mut centre = Vec::new();
        match self.settings.sends {
            Sends::Parameters => centre.extend_from_slice(theta),
            _ => self.panel.model().statistic_of(theta, &mut centre),
        }
        let sign = if self.weighs { sign * self.panel.weight(i) } else { sign };
        u.iter_mut().zip(&centre).for_each(|(u, s)| *u += sign * s);
    }

    /// Into the coordinates of C: A_θ of statistics, D_θ^½ of gradients.
    fn standardize(&self, i: u32, theta: &[f64], u: &mut [f64]) {
        self.shift(i, theta, -1.0, u);
        match self.settings.sends {
            _ if !self.is_scaled() => {}
            Sends::Gradient => u.iter_mut().zip(scales(&self.panel, theta)).for_each(|(u, d)| *u *= d.sqrt()),
            Sends::Statistics | Sends::Parameters => self.panel.model().standardize(theta, u),
        }
    }

    /// Back from them.
    fn restore(&self, i: u32, theta: &[f64], u: &mut [f64]) {
        match self.settings.sends {
            _ if !self.is_scaled() => {}
            Sends::Gradient => u.iter_mut().zip(scales(&self.panel, theta)).for_each(|(u, d)| *u /= d.sqrt()),
            Sends::Statistics | Sends::Parameters => self.panel.model().restore(theta, u),
        }
        self.shift(i, theta, 1.0, u);
    }
}

/// D at θ: (A_θ⁻¹)_jj², so that a step of 1 is about one standard deviation squared times the gradient. With a D that
/// stays as it was at θ₀ the ascent is unstable: the curvature in a variance grows without bound as it falls.
fn scales(panel: &Panel, theta: &[f64]) -> Vec<f64> {
    let unit = |j: usize| {
        let mut e = vec![0.0; theta.len()];
        e[j] = 1.0;
        panel.model().restore(theta, &mut e);
        e[j] * e[j]
    };
    let same_layout = panel.model().statistic_dimension() == theta.len();
    (0..theta.len()).map(|j| if same_layout { unit(j) } else { 1.0 }).collect()
}
