//! What is done to a vector before it leaves its client: clipping, noise, rounding to what a field can add.

use fedbits_random::{DrawPurpose, Streams};

use super::{Gaussian, Privacy};
use crate::aggregation::Field;
use crate::error::ProtocolError;

/// What is done to every vector that a client sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Release {
    pub(crate) privacy: Option<Privacy>,
    /// Do the clients of a round share the noise?
    pub(crate) shares_noise: bool,
    pub(crate) field: Option<Field>,
}

/// Who sends, and when.
#[derive(Clone, Copy)]
pub(crate) struct Sender<'a> {
    pub(crate) streams: &'a Streams,
    pub(crate) client: u32,
    pub(crate) round: u64,
    /// m, the clients of the round.
    pub(crate) cohort: usize,
}

impl Release {
    /// Changes `x` to what may leave the client.
    pub(crate) fn apply(&self, sender: Sender<'_>, x: &mut [f64]) -> Result<(), ProtocolError> {
        if let Some(Privacy::Gaussian(gaussian)) = &self.privacy {
            self.disturb(gaussian, sender, x);
        }
        match &self.field {
            Some(field) => field.round(x, sender.cohort),
            None => Ok(()),
        }
    }

    fn disturb(&self, gaussian: &Gaussian, sender: Sender<'_>, x: &mut [f64]) {
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if norm > gaussian.clip { gaussian.clip / norm } else { 1.0 };
        let share = if self.shares_noise { sender.cohort as f64 } else { 1.0 };
        let sigma = gaussian.noise * gaussian.clip / share.sqrt();
        let mut stream = sender.streams.at(DrawPurpose::Privacy, u64::from(sender.client), sender.round);
        for entry in x {
            *entry = *entry * factor + sigma * stream.normal();
        }
    }
}
