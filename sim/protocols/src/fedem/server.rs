//! The server's half of FedEM, and MARINA's coin and H: see [`crate::baselines::presets`].

use fedbits_codec::Compressor;
use fedbits_kernel::Bits;
use fedbits_random::{DrawPurpose, Streams};

use super::downlink::DownlinkState;
use super::{FedEm, LocalRule};
use crate::audit::entity;
use crate::error::{ProtocolError, Result};
use crate::robust::{Combined, Combiner};
use crate::star::{Contribution, Step, Wire, all_arrived};
use crate::state::{OwnedState, norm_sq};
use crate::uplink::ServerMemory;

/// The state of FedEM's server; `T` is what its local rule keeps.
pub struct FedEmServer<T> {
    pub(super) s_hat: Vec<f64>,
    pub(super) theta: Vec<f64>,
    pub(super) h: Vec<f64>,
    pub(super) uplink: ServerMemory,
    pub(super) downlink: Option<DownlinkState>,
    pub(super) local: T,
    /// c_k of the round, for MARINA.
    pub(super) full: bool,
    pub(super) shown: Option<OwnedState>,
    /// Working memory, so that rounds allocate nothing of size n.
    pub(super) next: Vec<f64>,
    pub(super) next_theta: Vec<f64>,
}

impl<T> FedEmServer<T> {
    /// Ŝ.
    pub fn s_hat(&self) -> &[f64] {
        &self.s_hat
    }

    /// θ = T(Ŝ).
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// H of the last step.
    pub fn h(&self) -> &[f64] {
        &self.h
    }

    /// V.
    pub fn v(&self) -> &[f64] {
        self.uplink.v()
    }
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
            let rounds = (self.federation.clients(), server.full, self.uplink.combiner());
            wire.counts.combined = direct(rounds, coder, arrived, &mut server.h)?;
        } else {
            wire.counts.combined = self.uplink.estimate(&mut server.uplink, arrived, &mut server.h);
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
            self.uplink.accept(&mut server.uplink, wire.round, arrived);
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
