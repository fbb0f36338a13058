//! FedEM with a compressed downlink, after Artemis: Philippenko and Dieuleveut, "Bidirectional compression in
//! heterogeneous settings for distributed or federated learning with partial participation: tight convergence
//! guarantees" (arXiv 2006.14591). Gradients replaced by h_i is our reading, and so are the server's memory V (FedEM's
//! α/n keeps it the mean of the V_i, Artemis' α/(n p) only on average) and how catching up is acknowledged.
//!
//! ```text
//! server:   Ω_k = Quant'(H_k − D),   Ŝ ← Ŝ + γ (D + Ω_k),   D ← D + α' Ω_k          (without memory D = 0)
//! client:   does the same with the Ω that it is sent: those of all steps since the last Ŝ that it has
//! ```
//!
//! Clients and server have the same Ŝ at all times; what a broadcast costs depends on who receives it. Who took part in
//! the last step needs one Ω; who was away needs all that it has missed, or Ŝ (and D, which is 0 before the first step)
//! as they are where that is shorter (one bit says which). An Ω whose string does not end itself begins with a bit that
//! says whether another one follows, and then with its length. The server knows that a client has Ŝ_k when a
//! contribution that answers the broadcast of Ŝ_k is used; what was lost on the way is sent again. The client learns by
//! the bit of acknowledgement (the memories', or one of its own) which of its contributions was used last: so it knows
//! where updates begin, and drops those that it has. Ŝ travels as F64 always: rounding it would part the two ends. It
//! must not know links.

use fedbits_codec::{Compressor, Draw as Randomness, Encoded, framing_bits};
use fedbits_kernel::Bits;

use crate::audit::{entity, message_key};
use crate::error::{ProtocolError, Result};
use crate::star::{Contribution, OwnPart, Wire};

/// The state of the downlink.
pub(super) struct DownlinkState {
    alpha: Option<f64>,
    /// D; zero without memory.
    memory: Vec<f64>,
    encoded: Encoded,
    decoded: Vec<f64>,
    /// Bits of all Ω up to each step, each as one that another follows; the state after step v is version v.
    total_bits: Vec<u64>,
    /// What the last of them has more than it needs where none follows: its length.
    framing: u64,
    /// The version that each client is known to have, and that of the broadcast it was sent last, unless it lost its
    /// state since.
    known: Vec<Option<u32>>,
    sent: Vec<Option<u32>>,
}

impl DownlinkState {
    /// For `n` clients and statistics of length `q`; `alpha` is α'.
    pub(super) fn new(alpha: Option<f64>, n: u32, q: usize) -> Self {
        Self {
            alpha,
            memory: vec![0.0; q],
            encoded: Encoded::new(),
            decoded: vec![0.0; q],
            total_bits: vec![0],
            framing: 0,
            known: vec![None; n as usize],
            sent: vec![None; n as usize],
        }
    }

    fn version(&self) -> u32 {
        self.total_bits.len() as u32 - 1
    }

    /// H becomes D + Ω, what clients will know of it.
    pub(super) fn compress(&mut self, compressor: &dyn Compressor, h: &mut [f64], wire: &mut Wire<'_>) -> Result<()> {
        let (streams, round) = (wire.streams, wire.round);
        h.iter_mut().zip(&self.memory).for_each(|(h, d)| *h -= d);
        let key = message_key(streams, entity::DIRECTION, round);
        compressor.encode(h, Randomness::Keyed(key), &mut self.encoded).map_err(ProtocolError::Downlink)?;
        wire.auditor.check(streams, entity::DIRECTION, round, compressor, &self.encoded, key)?;
        compressor.decode(&self.encoded, &mut self.decoded);
        h.iter_mut().zip(self.memory.iter().zip(&self.decoded)).for_each(|(h, (d, omega))| *h = d + omega);
        Ok(())
    }

    /// The step along D + Ω was made, with the contributions that `arrived`: there is a new version.
    pub(super) fn accept(&mut self, compressor: &dyn Compressor, arrived: &[Contribution]) {
        self.heard_from(arrived);
        if let Some(alpha) = self.alpha {
            self.memory.iter_mut().zip(&self.decoded).for_each(|(d, omega)| *d += alpha * omega);
        }
        let before = self.total_bits.last().copied().unwrap_or(0);
        self.framing = framing_bits(compressor, &self.encoded);
        let follows = u64::from(!compressor.ends_itself());
        self.total_bits.push(before + follows + self.framing + self.encoded.bits());
    }

    /// What client `i` needs to have the newest version. `acknowledges`: with a bit that says whether what it sent last
    /// was used.
    pub(super) fn own_part(&mut self, i: u32, acknowledges: bool) -> OwnPart {
        let (version, q) = (self.version(), self.memory.len() as u64);
        self.sent[i as usize] = Some(version);
        let first = version == 0;
        let whole = 64 * q * if self.alpha.is_some() && !first { 2 } else { 1 };
        let known = self.known[i as usize];
        let missed = known.map(|known| {
            let all = self.total_bits[version as usize] - self.total_bits[known as usize];
            if known < version { all - self.framing } else { all }
        });
        OwnPart {
            bits: Bits::new(1 + u64::from(acknowledges) + missed.unwrap_or(whole).min(whole)),
            catches_up: !first && known.is_none_or(|known| known + 1 < version),
            memory: None,
        }
    }

    /// Who contributes has the version that it was sent.
    pub(super) fn heard_from(&mut self, arrived: &[Contribution]) {
        for contribution in arrived {
            let i = contribution.client as usize;
            self.known[i] = self.sent[i];
        }
    }

    /// Client `i` has lost its state.
    pub(super) fn forget(&mut self, i: u32) {
        (self.known[i as usize], self.sent[i as usize]) = (None, None);
    }
}
