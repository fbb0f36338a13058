//! FedEM with MARINA's estimator: Gorbunov, Burlachenko, Li and Richtárik, "MARINA: faster non-convex distributed learning with
//! compression" (ICML 2021), with gradients replaced by h_i. That replacement is our reading.
//!
//! ```text
//! a coin c_k ~ Bernoulli(p) that all share (c_1 = 1)
//! client:  sends h_i(Ŝ_k) uncompressed when c_k = 1, else Quant(h_i(Ŝ_k) − h_i(Ŝ_{k−1}))
//! server:  H_k = n⁻¹ Σ h_i(Ŝ_k) when c_k = 1, else H_{k−1} + n⁻¹ Σ Quant(…);   Ŝ ← Ŝ + γ H
//! ```
//!
//! The coin comes from a seed that all share and costs no bits. Clients keep h_i of the last round as their V_i, so every round is
//! one pass over their examples. It runs as FedEM with [`Memory::Marina`]: broadcasts, conventions and the domain's policy are
//! FedEM's. H is carried on from round to round: the algorithm needs every client in every round.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_random::{Purpose as Draw, Streams};

use super::distributed_em;
use crate::audit::entity;
use crate::error::ProtocolError;
use crate::fedem::{Domain, FedEmSettings, Memory};
use crate::schedule::Schedule;
use crate::star::Contribution;

/// FedEM's settings that make it MARINA with full rounds of probability `p`.
pub fn settings(
    gamma: Schedule,
    compressor: Box<dyn Compressor>,
    p: f64,
    floats: WireFloat,
    domain: Domain,
) -> FedEmSettings {
    FedEmSettings { gamma, compressor, memory: Memory::Marina { p }, ..distributed_em::settings(floats, domain) }
}

/// c_k of `round`.
pub(crate) fn coin(streams: &Streams, round: u64, p: f64) -> bool {
    round == 1 || streams.at(Draw::Compression, entity::COIN, round).bernoulli(p)
}

/// H_k from H_{k−1}, which `h` holds, and the contributions of all `clients`, coded by `coder`.
///
/// # Errors
/// When a contribution is missing.
pub(crate) fn direct<'a>(
    clients: u32,
    full: bool,
    coder: impl Fn(u32) -> &'a dyn Compressor,
    arrived: &[Contribution],
    h: &mut [f64],
) -> Result<(), ProtocolError> {
    let missing = clients as usize - arrived.len();
    if missing > 0 {
        return Err(ProtocolError::Missing(missing));
    }
    let mut sum = vec![0.0; h.len()];
    for Contribution { client, encoded, .. } in arrived {
        coder(*client).add_decoded(encoded, 1.0, &mut sum);
    }
    let n = f64::from(clients);
    for (h, sum) in h.iter_mut().zip(&sum) {
        *h = if full { sum / n } else { *h + sum / n };
    }
    Ok(())
}
