//! FL-SAEM: stochastic-approximation EM over clients that sample their latent variables (Karimi and Li's draft
//! "Distributed and Private Stochastic EM Methods via Quantized and Compressed MCMC"; what it leaves open is our
//! reading, said below).
//!
//! ```text
//! server → client i:  θ_r
//! client i:           z ~ a few transitions of a kernel for p(z | y; θ_r), for each of its subjects (and chains)
//!                     S̃_i = mean of S(y, z) over its subjects;   x_i = S̃_i, or T(S̃_i), or ∇_θ of its subjects' log p(y, z; θ_r)
//! uplink, raw:        sends C(x_i);                       X = Σ_A w_i C(x_i) / Σ_A w_i
//! uplink, memory:     sends C(w_i x_i − V_i), V_i += α C(·);  X = V + (1/d) Σ_A C(·),  V += (α/n) Σ_A C(·)
//! server:             S_r = S_{r−1} + g_r (X − S_{r−1}),  θ = T(S_r)         when x = S̃
//!                     θ += g_r (X − θ)                                       when x = T(S̃)
//!                     θ += g_r D_θ X                                         when x is the gradient
//! ```
//!
//! | variant | here |
//! |---|---|
//! | SAEM, MCEM, exact EM | the same in one place ([`alone`]): g_r decreasing; g = 1 with many samples; expectations |
//! | D-SAEM (Algorithm 1) | x = T(S̃_i), raw, identity; with `local_steps` the models are averaged periodically |
//! | FL-SAEM (Algorithm 2) | x = S̃_i, raw, identity, g = 1 as written or g_r |
//! | fl-SAEM as written (Algorithm 5) | x = S̃_i, raw, Top-k, quantized Langevin, g = 1 |
//! | repaired, contractive C | memory with α = 1 and d = n (EF21) |
//! | repaired, unbiased C | memory with α = 1/(1 + ω) and d = n p (DIANA, FedEM; QLSD's uplink) |
//! | distributed gradient, sketched SGD | x = gradient, any of the uplinks |
//!
//! | symbol | here | |
//! |---|---|---|
//! | S, θ | `s`, `theta` | statistic at the server (q numbers) and T(S) |
//! | X | `estimate` | what the server makes of the contributions |
//! | V, V_i | `v`, [`SaemClient::v_i`] | memories; V_{0,i} = w_i S₀ is known to all from θ₀, so nothing is uploaded for it |
//! | w_i | `Panel::weight` | n N_i / N for a client with N_i of the N subjects |
//! | A_θ | `standardize` | coordinates in which C acts: centred at θ_r, divided by standard deviations. Of differences: of x_i − s(θ_r) where S̃_i travels raw, with s(θ) a statistic that T maps to θ |
//!
//! The chain never leaves its client: quantizing its gradient costs accuracy and saves no bit.

pub mod alone;
mod build;
mod client;
pub(crate) mod panel;
mod sampler;
mod sampling;
mod server;
mod settings;
mod star;
mod uplink;

pub use client::SaemClient;
pub use panel::Panel;
pub use sampler::{Kernel, Local, Sampler, Steps};
pub use server::SaemServer;
pub use settings::{CentralizedSaem, Coordinates, FlSaem, Gain, Sends};
pub use uplink::{DifferenceDivisor, Uplink};

use fedbits_codec::{Compressor, Encoded, Identity};
use fedbits_random::Streams;

use crate::error::ProtocolError;

/// What clients and server of FL-SAEM know.
pub struct Saem {
    panel: Panel,
    settings: FlSaem,
    compressor: Box<dyn Compressor>,
    /// C of gradients inside the chains.
    gradient_map: Option<Box<dyn Compressor>>,
    /// The expected number of participants.
    expected: f64,
    streams: Streams,
    floats: Identity,
    alpha: f64,
    /// S₀, θ₀, and x of them.
    s: Vec<f64>,
    theta: Vec<f64>,
    first: Vec<f64>,
}

impl Saem {
    /// FL-SAEM from θ₀, where `expected` clients take part in a round.
    ///
    /// # Errors
    /// When θ₀ is no parameter, the kernel does not fit the model, or a compressor its vector.
    pub fn new(
        panel: Panel,
        settings: FlSaem,
        expected: f64,
        theta: Vec<f64>,
        streams: Streams,
    ) -> Result<Self, ProtocolError> {
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
        compressor.validate(first.len())?;
        let alpha = settings.uplink.alpha(compressor.as_ref(), first.len())?;
        let (floats, gradient_map) = (Identity { wire: settings.floats }, settings.local.gradient_map());
        gradient_map.as_ref().map_or(Ok(()), |map| map.validate(model.latent_dimension()))?;
        Ok(Self { panel, settings, compressor, gradient_map, expected, streams, floats, alpha, s, theta, first })
    }

    /// Names of the columns that the model itself adds.
    fn measure_names(&self) -> Vec<String> {
        self.panel.model().report().map_or_else(Vec::new, |report| report.measure_names())
    }

    /// What a message means at the θ of its round.
    fn decoded(&self, encoded: &Encoded, theta: &[f64]) -> Vec<f64> {
        let mut u = vec![0.0; encoded.dimension()];
        self.compressor.decode(encoded, &mut u);
        if self.is_scaled() {
            self.restore(theta, &mut u);
        }
        u
    }

    /// Does C act in coordinates of its own? Where the model has A_θ = I there is nothing to do.
    fn is_scaled(&self) -> bool {
        self.settings.is_scaled() && self.panel.model().scales().is_some()
    }

    /// Adds `sign` times s(θ) to a statistic that travels as it is: A_θ is of differences. Those to memories are some.
    fn shift(&self, theta: &[f64], sign: f64, u: &mut [f64]) {
        if !self.settings.uplink.has_memory() {
            let mut centre = Vec::new();
            self.panel.model().statistic_of(theta, &mut centre);
            u.iter_mut().zip(&centre).for_each(|(u, s)| *u += sign * s);
        }
    }

    /// Into the coordinates of C: A_θ of statistics, D_θ^½ of gradients.
    fn standardize(&self, theta: &[f64], u: &mut [f64]) {
        match self.settings.sends {
            Sends::Gradient => u.iter_mut().zip(scales(&self.panel, theta)).for_each(|(u, d)| *u *= d.sqrt()),
            Sends::Statistics | Sends::Parameters => {
                self.shift(theta, -1.0, u);
                self.panel.model().scales().into_iter().for_each(|scales| scales.standardize(theta, u));
            }
        }
    }

    /// Back from them.
    fn restore(&self, theta: &[f64], u: &mut [f64]) {
        match self.settings.sends {
            Sends::Gradient => u.iter_mut().zip(scales(&self.panel, theta)).for_each(|(u, d)| *u /= d.sqrt()),
            Sends::Statistics | Sends::Parameters => {
                self.panel.model().scales().into_iter().for_each(|scales| scales.restore(theta, u));
                self.shift(theta, 1.0, u);
            }
        }
    }
}

/// D at θ: (A_θ⁻¹)_jj², so that a step of 1 is about one standard deviation squared times the gradient. With a D that
/// stays as it was at θ₀ the ascent is unstable: the curvature in a variance grows without bound as it falls.
fn scales(panel: &Panel, theta: &[f64]) -> Vec<f64> {
    let unit = |j: usize| {
        let mut e = vec![0.0; theta.len()];
        e[j] = 1.0;
        panel.model().scales().into_iter().for_each(|scales| scales.restore(theta, &mut e));
        e[j] * e[j]
    };
    let same_layout = panel.model().statistic_dimension() == theta.len();
    (0..theta.len()).map(|j| if same_layout { unit(j) } else { 1.0 }).collect()
}
