//! The server's half of FedEM with its downlink, and MARINA's coin and H: see [`crate::baselines::presets`].

use fedbits_codec::{Compressor, Draw as Randomness, Encoded, framing_bits};
use fedbits_kernel::Bits;
use fedbits_random::{DrawPurpose, Streams};

use super::{FedEm, LocalRule};
use crate::audit::{entity, message_key};
use crate::error::{ProtocolError, Result};
use crate::robust::{Combined, Combiner};
use crate::star::{Contribution, OwnPart, Step, Wire, all_arrived};
use crate::state::{OwnedState, norm_sq};

/// The state of FedEM's server; `T` is what its local rule keeps.
pub struct FedEmServer<T> {
    /// Ŝ.
    pub s_hat: Vec<f64>,
    /// θ = T(Ŝ).
    pub theta: Vec<f64>,
    /// H of the last step.
    pub h: Vec<f64>,
    pub(super) downlink: Option<DownlinkState>,
    pub(super) local: T,
    /// c_k of the round, for MARINA.
    pub(super) full: bool,
    pub(super) shown: Option<OwnedState>,
    /// Working memory, so that rounds allocate nothing of size n.
    pub(super) next: Vec<f64>,
    pub(super) next_theta: Vec<f64>,
}

impl<L: LocalRule> FedEm<L> {
    /// Puts Ŝ, and θ where it is sent, on the wire: `s_hat` becomes what clients decode. Returns the bits and the
    /// parameter that clients use.
    pub(super) fn transmit(
        &self,
        server: &FedEmServer<L::Server>,
        wire: &mut Wire<'_>,
        s_hat: &mut [f64],
    ) -> Result<(Bits, Vec<f64>)> {
        let mut bits = match server.downlink {
            // Who takes part follows Ŝ by the updates that it is sent: see `Downlink::own_part`.
            Some(_) => Bits::ZERO,
            None => wire.send(&self.floats, s_hat)?,
        };
        let (mut theta, model) = (Vec::new(), self.federation.model());
        if self.sends_parameters() {
            theta.clone_from(&server.theta);
            bits += wire.send_parameter(&self.floats, &mut theta)?;
            if let Some(parameters) = model.parameters().filter(|_| theta != server.theta) {
                let admit = |theta: &[f64], policy, out: &mut _| parameters.admit(theta, policy, out);
                self.setting.domain.received(&mut theta, |theta| model.conditional(theta).err(), admit)?;
            }
        } else if *s_hat == *server.s_hat {
            // The wire has rounded nothing: what clients compute is what the server has computed.
            theta.clone_from(&server.theta);
        } else {
            let maximized = self.setting.domain.maximize(model, s_hat, &mut theta);
            maximized.map_err(ProtocolError::Rounded)?;
        }
        Ok((bits, theta))
    }

    /// The server's half of Algorithm 1, on contributions in id order.
    pub(super) fn server_step(
        &self,
        server: &mut FedEmServer<L::Server>,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step> {
        if self.setting.full_rounds.is_some() {
            let coder = |i| self.coder_of(i, server.full).compressor;
            let rounds = (self.federation.clients(), server.full, wire.combiner());
            wire.counts.combined = direct(rounds, coder, arrived, &mut server.h)?;
        } else {
            wire.estimate(arrived, &mut server.h);
        }
        let FedEmServer { h, downlink, .. } = server;
        if let (Some(downlink), Some((compressor, _))) = (downlink, &self.downlink) {
            downlink.compress(compressor.as_ref(), h, wire)?;
        }
        let gamma = self.setting.gamma.at(wire.round);
        let steps = server.s_hat.iter().zip(&server.h);
        server.next.iter_mut().zip(steps).for_each(|(next, (s, h))| *next = s + gamma * h);
        let field_sq = norm_sq(&server.h);
        if !field_sq.is_finite() {
            return Err(ProtocolError::Diverged("the statistic diverged: ‖H‖² is not finite"));
        }
        let domain = self.setting.domain;
        let clipped = domain.maximize(self.federation.model(), &server.next, &mut server.next_theta);
        let used = domain.settle(clipped, &mut wire.counts.domain_events).map_err(|source| domain.left(source))?;
        if used {
            std::mem::swap(&mut server.theta, &mut server.next_theta);
            std::mem::swap(&mut server.s_hat, &mut server.next);
            if let (Some(downlink), Some((compressor, _))) = (&mut server.downlink, &self.downlink) {
                downlink.accept(compressor.as_ref(), arrived);
            }
            wire.accept(arrived);
            if let Some(coordinates) = &self.shown {
                server.shown = Some(coordinates.show(&server.s_hat)?);
            }
        }
        Ok(Step { field_sq, used })
    }
}

/// c_k of `round`.
pub(super) fn coin(streams: &Streams, round: u64, p: f64) -> bool {
    round == 1 || streams.at(DrawPurpose::Compression, entity::COIN, round).bernoulli(p)
}

/// H_k from H_{k−1}, which `h` holds, and the contributions of all `clients`, coded by `coder`: their mean is H_k or
/// its change. A robust rule acts on what each says of H_k, as in Byz-VR-MARINA.
///
/// # Errors
/// When a contribution is missing.
pub(super) fn direct<'a>(
    (clients, full, combiner): (u32, bool, Option<&Combiner>),
    coder: impl Fn(u32) -> &'a dyn Compressor,
    arrived: &[Contribution],
    h: &mut Vec<f64>,
) -> Result<Option<Combined>> {
    all_arrived(clients, arrived)?;
    let mut last = if combiner.is_some() { h.clone() } else { Vec::new() };
    let rows = combiner.map(|_| {
        let row = |Contribution { client, encoded, .. }: &Contribution| {
            let mut row = if full { vec![0.0; h.len()] } else { h.clone() };
            coder(*client).add_decoded(encoded, 1.0, &mut row);
            row
        };
        arrived.iter().map(row).collect()
    });
    let mut sum = vec![0.0; h.len()];
    for Contribution { client, encoded, .. } in arrived {
        coder(*client).add_decoded(encoded, 1.0, &mut sum);
    }
    let n = f64::from(clients);
    for (h, sum) in h.iter_mut().zip(&sum) {
        *h = if full { sum / n } else { *h + sum / n };
    }
    let senders = arrived.iter().map(|contribution| contribution.client);
    Ok(combiner.zip(rows).map(|(combiner, rows)| combiner.combine(senders, rows, &mut last, h)))
}

/// The server's side of a compressed downlink, after Artemis: Philippenko and Dieuleveut, "Bidirectional compression in
/// heterogeneous settings for distributed or federated learning with partial participation: tight convergence
/// guarantees" (arXiv 2006.14591). Gradients replaced by h_i is our reading, and so are the server's memory V (FedEM's
/// α/n keeps it the mean of the V_i, Artemis' α/(n p) only on average) and how catching up is acknowledged.
///
/// ```text
/// server:   Ω_k = Quant'(H_k − D),   Ŝ ← Ŝ + γ (D + Ω_k),   D ← D + α' Ω_k          (without memory D = 0)
/// client:   does the same with the Ω that it is sent: those of all steps since the last Ŝ that it has
/// ```
///
/// Clients and server have the same Ŝ at all times; what a broadcast costs depends on who receives it. Who took part in
/// the last step needs one Ω; who was away needs all that it has missed, or Ŝ (and D, which is 0 before the first step)
/// as they are where that is shorter (one bit says which). An Ω whose string does not end itself begins with a bit that
/// says whether another one follows, and then with its length. The server knows that a client has Ŝ_k when a
/// contribution that answers the broadcast of Ŝ_k is used; what was lost on the way is sent again. The client learns by
/// the bit of acknowledgement (the memories', or one of its own) which of its contributions was used last: so it knows
/// where updates begin, and drops those that it has. Ŝ travels as F64 always: rounding it would part the two ends. It
/// must not know links.
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
        arrived.iter().for_each(|contribution| self.heard_from(contribution.client));
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
    pub(super) fn heard_from(&mut self, i: u32) {
        self.known[i as usize] = self.sent[i as usize];
    }

    /// Client `i` has lost its state.
    pub(super) fn forget(&mut self, i: u32) {
        (self.known[i as usize], self.sent[i as usize]) = (None, None);
    }
}
