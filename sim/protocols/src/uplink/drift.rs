//! ‖V − n⁻¹ Σ μ_i V_i‖², for the record: rounding where memories commit on acknowledgement and nobody has lost one.

use fedbits_spec::Caveat;

use super::difference::size_sq;
use super::{ClientMemory, Commit, ServerMemory, Uplink};
use crate::error::{ProtocolError, Result};
use crate::state::norm_sq;

/// ‖V − n⁻¹ Σ μ_i V_i‖².
#[derive(Clone, Copy, Debug)]
pub struct Drift {
    value: f64,
    is_more_than_rounding: bool,
    /// Must V be the mean?
    promised: bool,
}

impl Drift {
    /// The value.
    ///
    /// # Errors
    /// Where V is promised to be the mean, and is not.
    pub fn checked(self) -> Result<f64> {
        if self.promised && self.is_more_than_rounding { Err(ProtocolError::Drift(self.value)) } else { Ok(self.value) }
    }

    /// The caveat on a V that is not the mean, where it need not be.
    pub fn caveat(self) -> Option<Caveat> {
        let drifts = self.is_more_than_rounding && !self.promised;
        drifts.then(|| Caveat::MemoryDrift { drift: format!("{:.2e}", self.value) })
    }
}

impl Uplink {
    /// How far V is from the mean of the memories of `clients`, in their order: with what the server used and a client
    /// will commit at its next acknowledgement (`is_unsettled`), and without what a client has committed and the server
    /// is going to use. Rounding is that of 10⁶ rounds' sums: (1e-10)², relative to the largest ‖V_i‖² ever, and V.
    pub fn drift<'a>(
        &self,
        server: &ServerMemory,
        clients: impl Iterator<Item = &'a ClientMemory>,
        is_unsettled: impl Fn(u32) -> bool,
    ) -> Drift {
        let (mut mean, mut vector, mut largest_sq) = (vec![0.0; self.length], Vec::new(), 0.0_f64);
        let (remembers, n) = (self.commit().is_some(), f64::from(self.clients));
        for (i, client) in (0..).zip(clients).filter(|_| remembers) {
            // Who has lost its V_i can do nothing before it has the server's copy.
            let copy = server.copies.get(i as usize).map(Vec::as_slice);
            let row = copy.filter(|_| server.is_lost(i)).unwrap_or(client.committed());
            vector.clear();
            vector.extend_from_slice(row);
            let sign = match self.commit() {
                Some(Commit::OnAcknowledgement) => is_unsettled(i).then_some(1.0),
                _ => Some(-1.0),
            };
            let staged = client.kept.as_ref().and_then(|kept| kept.staged.as_ref().filter(|_| kept.is_staged));
            if let Some((sign, staged)) = sign.zip(staged) {
                self.reader().add_decoded(staged, sign * self.rate, &mut vector);
            }
            let earlier = client.kept.as_ref().map_or(0.0, |kept| kept.largest_sq);
            largest_sq = largest_sq.max(earlier).max(size_sq(&vector));
            self.add_vector(i, &vector, self.weight(i), &mut mean);
        }
        let difference: Vec<f64> = mean.iter().zip(&server.v).map(|(mean, v)| v - mean / n).collect();
        let value = norm_sq(&difference);
        let is_more_than_rounding = value > 1e-20 * (largest_sq + norm_sq(&server.v));
        Drift { value, is_more_than_rounding, promised: self.acknowledges() && !server.broken }
    }
}

#[cfg(test)]
mod tests {
    use fedbits_codec::{Compressor, Draw, Encoded, Identity};

    use crate::uplink::{Alpha, Commit, Memory, MemoryStart, Recovery, Uplink};

    /// A copy that restores a lost V_i is the client's last one: the next is due `every` rounds after it.
    #[test]
    fn a_copy_that_restores_is_the_last_one() {
        let commit = Commit::Resynchronized { every: 5 };
        let memory = Memory::of(MemoryStart::Zero, commit);
        let floats = Identity::default();
        let uplink = Uplink::new(Box::new(floats), 1).remembering(memory, Alpha::Constant(0.5));
        let uplink = uplink.forgetting(true).over(2).unwrap();
        let (mut server, mut encoded) = (uplink.server(false), Encoded::new());
        floats.encode(&[1.0, 2.0], Draw::Given(&[]), &mut encoded).unwrap();
        server.on_lost(0, 2, Recovery::Restore);
        let mut carries = |round: u64| {
            let copy = uplink.memory_for(&mut server, 0, round).is_some();
            server.on_used(0, round, 0.5, (&floats, &encoded));
            copy
        };
        let rounds: Vec<u64> = (3..=15).filter(|&round| carries(round)).collect();
        assert_eq!(rounds, [3, 8, 13]);
    }
}
