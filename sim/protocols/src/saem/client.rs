//! A client's half of FL-SAEM: its chains, and the memory V_i of what it has told the server.

use fedbits_codec::Encoded;
use fedbits_models::latent::Chain;

use super::{Saem, Sends};
use crate::error::ProtocolError;
use crate::fedem::Domain;
use crate::star::{Counts, Outgoing};
use crate::uplink::ClientMemory;

/// The state of a client.
pub struct SaemClient {
    /// The chains of its subjects.
    pub(super) chains: Vec<Vec<Chain>>,
    /// V_i.
    pub memory: ClientMemory,
    /// What it coded, as the server will read it, where that depends on the broadcast.
    pub(super) coded: Option<Encoded>,
}

impl Saem {
    /// Client `i` samples at `theta` in `round` and forms x_i.
    pub(super) fn local_vector(
        &self,
        (i, client): (u32, &mut SaemClient),
        round: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>, ProtocolError> {
        match self.settings.sends {
            Sends::Statistics => self.local_statistics((i, client), round, theta, counts),
            Sends::Parameters => self.local_model((i, client), round, theta, counts),
            Sends::Gradient => {
                let statistics = self.local_statistics((i, client), round, theta, counts)?;
                let mut gradient = vec![0.0; theta.len()];
                let found = self.panel.model().parameter_gradient(&statistics, theta, &mut gradient);
                found?;
                Ok(gradient)
            }
        }
    }

    /// S̃_i at `theta`. `turn` is one of the round's ([`super::FlSaem::turns`]).
    fn local_statistics(
        &self,
        (i, client): (u32, &mut SaemClient),
        turn: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>, ProtocolError> {
        let outcome = self.sample(i, &mut client.chains, turn, theta)?;
        counts.tally.add(&outcome.tally);
        counts.divergences += outcome.divergences;
        Ok(outcome.statistics)
    }

    /// θ_i after the local steps θ_i ← T(S̃_i) from the server's θ; T has the client's own constants where the model
    /// has such (tied mixtures).
    fn local_model(
        &self,
        (i, client): (u32, &mut SaemClient),
        round: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>, ProtocolError> {
        let (subjects, policy) = (self.panel.subjects(i), self.settings.domain.policy());
        let mut local = theta.to_vec();
        for turn in self.settings.turns(round) {
            let statistics = self.local_statistics((i, client), turn, &local, counts)?;
            let mut next = Vec::new();
            let model = self.panel.model();
            let maximized = match model.with_constants_of_subjects(subjects) {
                Some(of_client) => of_client.maximize(&statistics, policy, &mut next),
                None => model.maximize(&statistics, policy, &mut next),
            };
            match maximized {
                Ok(repairs) => {
                    counts.domain_events += u64::from(repairs.eigenvalues) + u64::from(repairs.weights);
                    local = next;
                }
                Err(_) if self.settings.domain == Domain::SkipRound => counts.domain_events += 1,
                Err(error) => return Err(ProtocolError::LocalStep(error)),
            }
        }
        Ok(local)
    }

    /// Codes x_i, or its difference to the memory, into `out`; in round 0 w_i x_i, whole.
    ///
    /// # Errors
    /// When what is to be sent is not finite.
    pub fn local_encode(
        &self,
        (i, client): (u32, &mut SaemClient),
        x: &[f64],
        (theta, round): (&[f64], u64),
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        let w = if self.weighs { self.panel.weight(i) } else { 1.0 };
        out.scratch.clear();
        out.scratch.extend(x.iter().map(|x| w * x));
        if round == 0 {
            return out.encode_scratch();
        }
        out.scratch.iter_mut().zip(client.memory.committed()).for_each(|(u, v)| *u -= v);
        out.report(client.memory.committed())?;
        self.standardize(i, theta, out.scratch);
        out.encode_scratch()?;
        client.coded = if self.is_framed() { Some(self.read(i, out.encoded, theta)?) } else { None };
        Ok(())
    }
}
