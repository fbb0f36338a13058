//! Compressed terms between clients and a server: differences to surrogates that both ends keep, after EF-VFL
//! (Valdeira, Xavier, Soares and Chi, IEEE TSP 2025, arXiv 2406.14420), which does so for split neural networks. Its
//! code was read; terms of mixtures and the downlink are ours.
//!
//! ```text
//! client n → server:   C(Q^n − Ĝ^n);    Ĝ^n ← Ĝ^n + α C(Q^n − Ĝ^n) at both ends
//! server → clients:    C'(Z − Ẑ), where Z = Σ_n Ĝ^n;    Ẑ ← Ẑ + α' C'(Z − Ẑ) at all ends
//! ```
//!
//! A message is one vector of K numbers for each visited example, example by example; surrogates of the others stay.
//! α = 1/(1 + ω) makes an unbiased C a contraction (the code of EF-VFL divides QSGD so, too), and α = 1 leaves one as
//! it is. Then ‖Q − Ĝ‖² shrinks by a factor 1 − δ in an iteration in which θ stays, so θ is a fixed point with Ĝ = Q if
//! and only if it is one of EM. Without surrogates Ĝ = C(Q) (CVFL), whose error stays.
//!
//! All clients normalize Ẑ. So they have one ℓ, one π and one likelihood, the M-steps of all blocks together maximize
//! F(ℓ, θ) = Σ_mk ℓ_mk (log π_k N(x_m; µ_k, Σ_k) − log ℓ_mk) over θ, and F(ℓ, θ) = log p(x; θ) − KL(ℓ ‖ exact ℓ): an
//! iteration loses no more likelihood than the KL divergence that the errors of terms cause. EF-VFL lets a client use
//! its own terms as they are: with `exact_own` client n normalizes Ẑ − Ĝ^n + Q^n. This errs by less, but clients have
//! an ℓ and a π each, their M-steps maximize no common function, and they would not stop together.

use fedbits_codec::{Compressor, Encoded};
use fedbits_random::Streams;

use super::settings::{FirstTerms, VpEm, VpLink, VpSurrogate};
use crate::audit::{Auditor, entity};
use crate::error::Result;
use crate::neighbours::consensus::choco::LANES;
use crate::star::{Coder, Counts};
use crate::uplink::F64;

/// What was sent in an iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    /// Bits of every client.
    pub up: Vec<u64>,
    /// Bits to each client.
    pub down: u64,
    /// What clients have sent so far, by the conventions of the literature.
    pub counts: Counts,
    /// Root mean square over clients, visited examples and components of Ĝ^n − Q^n.
    pub surrogate_error: f64,
}

/// One direction.
struct CodedLink {
    operator: Box<dyn Compressor>,
    surrogate: VpSurrogate,
}

impl CodedLink {
    /// For vectors of so many `senders`.
    fn new(link: &VpLink, senders: u32) -> Self {
        match link {
            VpLink::Whole => Self { operator: Box::new(F64), surrogate: VpSurrogate::NoSurrogate },
            VpLink::Compressed { compressor, floats, surrogate } => {
                Self { operator: compressor.build(*floats, senders), surrogate: *surrogate }
            }
        }
    }

    /// The operator in an iteration for a vector of this length, and α; none where the vector itself is coded.
    fn coder(&self, iteration: u64, length: usize) -> Result<(&dyn Compressor, Option<f64>)> {
        Ok(match self.surrogate {
            VpSurrogate::NoSurrogate => (self.operator.as_ref(), None),
            VpSurrogate::Surrogate { first: FirstTerms::Whole, .. } if iteration == 1 => (&F64, None),
            VpSurrogate::Surrogate { alpha, .. } => {
                (self.operator.as_ref(), Some(alpha.value(self.operator.as_ref(), length)?))
            }
        })
    }
}

/// Surrogates of clients and server, and how they follow the terms.
pub(super) struct TermsExchange {
    up: CodedLink,
    down: CodedLink,
    exact_own: bool,
    components: usize,
    /// Ĝ^n of every client: K numbers for each example.
    clients: Vec<Vec<f64>>,
    /// Ẑ.
    sums: Vec<f64>,
    streams: Streams,
    auditor: Auditor,
    counts: Counts,
}

impl TermsExchange {
    /// For terms of `clients` clients, `examples` × `components`, with surrogates at 0. `audit`: every message is
    /// checked bit by bit.
    pub fn new(
        settings: &VpEm,
        (clients, examples, components): (usize, usize, usize),
        audit: bool,
        streams: Streams,
    ) -> Self {
        Self {
            up: CodedLink::new(&settings.uplink, clients as u32),
            down: CodedLink::new(&settings.downlink, 1),
            exact_own: settings.exact_own,
            components,
            clients: vec![vec![0.0; examples * components]; clients],
            sums: vec![0.0; examples * components],
            streams,
            auditor: Auditor::new(audit),
            counts: Counts::default(),
        }
    }

    /// The messages of an iteration: `terms` has Q^n of every client, K rows of one number per `visited` example.
    ///
    /// # Errors
    /// When terms cannot be coded.
    pub fn send(&mut self, iteration: u64, terms: &[Vec<f64>], visited: &[u32]) -> Result<Messages> {
        let width = self.components;
        let (mut messages, mut squares) = (Messages::default(), 0.0);
        let mut z = vec![0.0; visited.len() * width];
        for (n, terms) in terms.iter().enumerate() {
            let q: Vec<f64> =
                (0..visited.len()).flat_map(|at| terms.iter().skip(at).step_by(visited.len()).copied()).collect();
            let mut known = rows(&self.clients[n], visited, width);
            let (operator, alpha) = self.up.coder(iteration, q.len())?;
            let link = (&self.streams, (n as u64, iteration));
            let encoded = transmit(&mut self.auditor, link, (operator, alpha), &q, &mut known)?;
            self.counts.count(&Coder::per_client(operator), &encoded);
            messages.up.push(encoded.bits());
            squares += q.iter().zip(&known).map(|(q, g)| (q - g) * (q - g)).sum::<f64>();
            z.iter_mut().zip(&known).for_each(|(z, g)| *z += g);
            set_rows(&mut self.clients[n], visited, &known);
        }
        let mut known = rows(&self.sums, visited, width);
        let coder = self.down.coder(iteration, z.len())?;
        let link = (&self.streams, (entity::SERVER_STATISTIC, iteration));
        messages.down = transmit(&mut self.auditor, link, coder, &z, &mut known)?.bits();
        set_rows(&mut self.sums, visited, &known);
        messages.surrogate_error = (squares / (terms.len() * z.len()).max(1) as f64).sqrt();
        messages.counts.clone_from(&self.counts);
        Ok(messages)
    }

    /// What clients see of the terms of these examples: `terms` and `seen` as a [`Mix`] has them, that is −½ Q.
    ///
    /// [`Mix`]: fedbits_models::gmm::vertical::Mix
    pub fn see(&self, examples: &[u32], terms: &[f64], seen: &mut [f64]) {
        let width = self.components;
        for (at, (terms, seen)) in terms.chunks_exact(LANES).zip(seen.chunks_exact_mut(LANES)).enumerate() {
            let (n, k) = (at / width, at % width);
            seen.fill(0.0);
            for ((seen, term), &m) in seen.iter_mut().zip(terms).zip(examples) {
                let place = m as usize * width + k;
                *seen = match self.exact_own {
                    false => -0.5 * self.sums[place],
                    true => -0.5 * (self.sums[place] - self.clients[n][place]) + term,
                };
            }
        }
    }
}

/// The message of `x` to those who know Ĝ, `known`: then they know Ĝ + α C(x − Ĝ), or C(x) without α.
fn transmit(
    auditor: &mut Auditor,
    (streams, address): (&Streams, (u64, u64)),
    (operator, alpha): (&dyn Compressor, Option<f64>),
    x: &[f64],
    known: &mut [f64],
) -> Result<Encoded> {
    let mut encoded = Encoded::new();
    let Some(alpha) = alpha else {
        known.copy_from_slice(x);
        auditor.transmit(streams, address, operator, known, &mut encoded)?;
        return Ok(encoded);
    };
    let mut gap: Vec<f64> = x.iter().zip(&*known).map(|(x, g)| x - g).collect();
    auditor.transmit(streams, address, operator, &mut gap, &mut encoded)?;
    known.iter_mut().zip(&gap).for_each(|(g, gap)| *g += alpha * gap);
    Ok(encoded)
}

/// The rows of these examples, of `width` numbers each.
fn rows(all: &[f64], examples: &[u32], width: usize) -> Vec<f64> {
    examples.iter().flat_map(|&m| &all[m as usize * width..][..width]).copied().collect()
}

/// Writes the rows of these examples.
fn set_rows(all: &mut [f64], examples: &[u32], rows: &[f64]) {
    let width = rows.len() / examples.len().max(1);
    for (row, &m) in rows.chunks_exact(width.max(1)).zip(examples) {
        all[m as usize * width..][..width].copy_from_slice(row);
    }
}
