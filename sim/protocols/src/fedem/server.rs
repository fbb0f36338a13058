//! The server's half of FedEM.

use fedbits_codec::Compressor;
use fedbits_models::EStep;

use super::downlink::Downlink;
use super::marina;
use super::memory::ServerMemory;
use super::shown::Shown;
use super::weights::{StepWeights, Weights};
use super::{Content, Domain, FedEm, LocalRule, Memory};
use crate::error::ProtocolError;
use crate::star::{Contribution, Step, Wire};
use crate::state::norm_sq;
use fedbits_kernel::Bits;

/// The state of FedEM's server; `T` is what its local rule keeps.
pub struct FedEmServer<T> {
    pub(super) s_hat: Vec<f64>,
    pub(super) theta: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) h: Vec<f64>,
    pub(super) memory: ServerMemory,
    pub(super) weights: Weights,
    pub(super) downlink: Option<Downlink>,
    pub(super) local: T,
    /// c_k of the round, for MARINA.
    pub(super) full: bool,
    pub(super) shown: Option<Shown>,
    /// Working memory, so that rounds allocate nothing of size n.
    pub(super) aggregate: Vec<f64>,
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
        &self.v
    }
}

impl<L: LocalRule> FedEm<L> {
    /// The broadcast of a round. MARINA's coin is `full`.
    pub(super) fn content(
        &self,
        server: &mut FedEmServer<L::Server>,
        wire: &mut Wire<'_>,
        full: bool,
    ) -> Result<(Content<L::Content>, Bits), ProtocolError> {
        server.full = full;
        let local = self.local.open(&mut server.local, wire.streams, wire.round);
        let mut s_hat = server.s_hat.clone();
        let (bits, e_step) = self.transmit(server, wire, &mut s_hat)?;
        Ok((Content { round: wire.round, s_hat, full, local, e_step }, bits))
    }

    /// Puts Ŝ, and θ where it is sent, on the wire: `s_hat` becomes what clients decode. Returns the bits and the
    /// conditional distribution at the parameter that clients use.
    fn transmit(
        &self,
        server: &FedEmServer<L::Server>,
        wire: &mut Wire<'_>,
        s_hat: &mut [f64],
    ) -> Result<(Bits, Box<dyn EStep>), ProtocolError> {
        let mut bits = match server.downlink {
            // Who takes part follows Ŝ by the updates that it is sent: see `Downlink::own_part`.
            Some(_) => Bits::ZERO,
            None => wire.send(&self.floats, s_hat)?,
        };
        let (mut theta, model) = (Vec::new(), self.federation.model());
        if self.settings.sends_parameters() {
            theta.clone_from(&server.theta);
            bits += wire.send_parameter(&self.floats, &mut theta)?;
            if let Some(parameters) = model.parameters().filter(|_| theta != server.theta) {
                let admit = |theta: &[f64], policy, out: &mut _| parameters.admit(theta, policy, out);
                self.settings.domain.received(&mut theta, |theta| model.conditional(theta).err(), admit)?;
            }
        } else if *s_hat == *server.s_hat {
            // The wire has rounded nothing: what clients compute is what the server has computed.
            theta.clone_from(&server.theta);
        } else {
            let maximized = self.settings.domain.maximize(model, s_hat, &mut theta);
            maximized.map_err(ProtocolError::Rounded)?;
        }
        Ok((bits, model.conditional(&theta)?))
    }

    /// V_{0,i} have arrived: V is their mean.
    pub(super) fn take_memories(&self, server: &mut FedEmServer<L::Server>, memories: &[Contribution]) {
        let q = server.v.len();
        server.v.fill(0.0);
        for Contribution { client, encoded, .. } in memories {
            self.floats.add_decoded(encoded, 1.0, &mut server.v);
            server.memory.set_initial(*client, q, &self.floats, encoded);
        }
        let n = f64::from(self.federation.clients());
        server.v.iter_mut().for_each(|v| *v /= n);
        if let Some(downlink) = &mut server.downlink {
            downlink.heard_from(memories);
        }
    }

    /// The server's half of Algorithm 1, on contributions in id order.
    pub(super) fn server_step(
        &self,
        server: &mut FedEmServer<L::Server>,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        match self.settings.memory {
            Memory::Marina { .. } => {
                let coder = |i| self.coder_of(i, server.full).compressor;
                marina::direct(self.federation.clients(), server.full, coder, arrived, &mut server.h)?;
            }
            Memory::None | Memory::Kept { .. } => self.direct(server, arrived),
        }
        let FedEmServer { h, downlink, .. } = server;
        if let (Some(downlink), Some(settings)) = (downlink, &self.settings.downlink) {
            downlink.compress(settings.compressor.as_ref(), h, wire)?;
        }
        let gamma = self.settings.gamma.at(wire.round);
        let steps = server.s_hat.iter().zip(&server.h);
        server.next.iter_mut().zip(steps).for_each(|(next, (s, h))| *next = s + gamma * h);
        let field_sq = norm_sq(&server.h);
        if !field_sq.is_finite() {
            return Err(ProtocolError::Diverged("the statistic diverged: ‖H‖² is not finite"));
        }
        let used = self.maximize_next(server, wire)?;
        if used {
            self.accept(server, wire.round, arrived)?;
        }
        Ok(Step { field_sq, used })
    }

    /// The sum of what arrived, and H.
    fn direct(&self, server: &mut FedEmServer<L::Server>, arrived: &[Contribution]) {
        let compressor = self.settings.compressor.as_ref();
        let FedEmServer { aggregate, v, h, weights, .. } = server;
        aggregate.fill(0.0);
        for contribution in arrived {
            compressor.add_decoded(&contribution.encoded, 1.0, aggregate);
        }
        let (divisor, staleness) = (self.settings.divisor, self.settings.staleness);
        match weights.of_step(divisor, staleness, arrived, |i| self.federation.weight(i)) {
            StepWeights::Equal(divisor) => {
                let terms = v.iter().zip(aggregate);
                h.iter_mut().zip(terms).for_each(|(h, (v, sum))| *h = v + *sum / divisor);
            }
            StepWeights::Each(omega, weights) => {
                h.iter_mut().zip(v).for_each(|(h, v)| *h = omega * *v);
                for (contribution, weight) in arrived.iter().zip(weights) {
                    compressor.add_decoded(&contribution.encoded, weight, h);
                }
            }
        }
    }

    /// Takes over the step: Ŝ, V, and what is known of the clients' memories.
    fn accept(
        &self,
        server: &mut FedEmServer<L::Server>,
        round: u64,
        arrived: &[Contribution],
    ) -> Result<(), ProtocolError> {
        std::mem::swap(&mut server.s_hat, &mut server.next);
        if let (Some(downlink), Some(settings)) = (&mut server.downlink, &self.settings.downlink) {
            downlink.accept(settings.compressor.as_ref(), arrived);
        }
        let n = f64::from(self.federation.clients());
        for (v, sum) in server.v.iter_mut().zip(&server.aggregate) {
            *v += self.alpha * sum / n;
        }
        let q = server.v.len();
        for Contribution { client, encoded, age } in arrived {
            let message = (self.settings.compressor.as_ref(), encoded.as_ref());
            server.memory.on_used(*client, round - age, (q, self.alpha), message);
        }
        if let Some(coordinates) = &self.shown {
            server.shown = Some(coordinates.show(&server.s_hat)?);
        }
        Ok(())
    }

    /// θ = T of the next statistic under the chosen policy; false when the round is to be skipped.
    fn maximize_next(&self, server: &mut FedEmServer<L::Server>, wire: &mut Wire<'_>) -> Result<bool, ProtocolError> {
        let domain = self.settings.domain;
        match domain.maximize(self.federation.model(), &server.next, &mut server.next_theta) {
            Ok(clipped) => {
                wire.counts.domain_events += clipped;
                std::mem::swap(&mut server.theta, &mut server.next_theta);
                Ok(true)
            }
            Err(_) if domain == Domain::SkipRound => {
                wire.counts.domain_events += 1;
                Ok(false)
            }
            Err(source) => Err(domain.left(source)),
        }
    }
}
