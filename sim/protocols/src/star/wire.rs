//! What the halves of a star protocol write to: a client's contribution, the server's broadcast, and what is counted.

use fedbits_codec::{Compressor, Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_models::latent::Tally;
use fedbits_random::Streams;

use crate::audit::{Auditor, entity};
use crate::byzantine::Attackers;
use crate::error::Result;
use crate::payload::{Coder, Contribution};
use crate::privacy::{Release, Sender};
use crate::robust::{Combined, Combiner};
use crate::uplink::{ClientMemory, ServerMemory, Uplink};

/// Where a client's half puts its contribution.
pub struct Outgoing<'a> {
    /// The operator of [`StarAlgorithm::coder`](super::StarAlgorithm::coder).
    pub compressor: &'a dyn Compressor,
    /// Its draws.
    pub randomness: Randomness<'a>,
    /// The message.
    pub encoded: &'a mut Encoded,
    /// What the record counts.
    pub counts: &'a mut Counts,
    /// Working memory.
    pub scratch: &'a mut Vec<f64>,
    pub(super) heard: Option<Remembered<'a>>,
    pub(super) release: Option<(&'a Release, Sender<'a>)>,
    /// The Byzantine clients, until the client has reported its vector.
    pub(super) attackers: Option<(&'a mut Attackers, Sender<'a>)>,
}

/// The memory of a client, and what a broadcast says of it until the client looks at it.
pub(super) struct Remembered<'a> {
    pub uplink: &'a Uplink,
    pub memory: &'a mut ClientMemory,
    pub used: Option<bool>,
    pub v_i: Option<&'a [f64]>,
}

impl Remembered<'_> {
    pub fn settle(&mut self) -> &mut ClientMemory {
        self.uplink.hear(self.memory, self.used.take(), self.v_i.take());
        self.memory
    }
}

impl<'a> Outgoing<'a> {
    /// A contribution that is coded as it is.
    pub fn plain(
        compressor: &'a dyn Compressor,
        randomness: Randomness<'a>,
        encoded: &'a mut Encoded,
        counts: &'a mut Counts,
        scratch: &'a mut Vec<f64>,
    ) -> Self {
        Self { compressor, randomness, encoded, counts, scratch, heard: None, release: None, attackers: None }
    }

    /// The same, of a client with this memory.
    #[must_use]
    pub fn remembering(self, uplink: &'a Uplink, memory: &'a mut ClientMemory) -> Self {
        Self { heard: Some(Remembered { uplink, memory, used: None, v_i: None }), ..self }
    }

    /// The client's memory, which knows what the broadcast says, and the working memory.
    ///
    /// # Panics
    /// If the protocol has no uplink.
    pub fn memory(&mut self) -> (&mut ClientMemory, &mut Vec<f64>) {
        (self.heard.as_mut().expect("a protocol with an uplink").settle(), self.scratch)
    }

    /// The working memory holds what the client reports, without `base`, which the server adds to it (empty: nothing).
    /// A Byzantine client replaces it. Who does not call this reports what it codes.
    ///
    /// # Errors
    /// Where a liar knows the honest vectors of the round, and these cannot be compared.
    pub fn report(&mut self, base: &[f64]) -> Result<()> {
        let Some((attackers, sender)) = self.attackers.take() else { return Ok(()) };
        attackers.report(sender.streams, (sender.client, sender.round), base, self.scratch)
    }

    /// The working memory holds what the client reports, without V_i.
    ///
    /// # Errors
    /// As [`Outgoing::report`].
    pub(crate) fn report_difference(&mut self) -> Result<()> {
        let Some((attackers, sender)) = self.attackers.take() else { return Ok(()) };
        let base = self.heard.as_ref().map_or(&[][..], |heard| heard.memory.committed());
        attackers.report(sender.streams, (sender.client, sender.round), base, self.scratch)
    }

    /// The working memory holds x_i, of which x_i − V_i is left, and reported.
    ///
    /// # Errors
    /// As [`Outgoing::report`].
    pub(crate) fn subtract_memory(&mut self) -> Result<()> {
        let (memory, x) = self.memory();
        x.iter_mut().zip(memory.committed()).for_each(|(x, v)| *x -= v);
        self.report_difference()
    }

    /// Codes x_i − V_i, where the working memory holds x_i, as [`Outgoing::encode_scratch`] does.
    ///
    /// # Errors
    /// As [`Outgoing::report`] and [`Outgoing::encode_scratch`].
    ///
    /// # Panics
    /// If the protocol has no uplink.
    pub fn encode_difference(&mut self) -> Result<()> {
        self.subtract_memory()?;
        self.encode_scratch()
    }

    /// Codes what is in the working memory by the client's operator, clipped, with noise and rounded where the run says
    /// so. Only what goes this way can be hidden and masked.
    ///
    /// # Errors
    /// When it is not finite, or does not fit the field of a secure sum.
    pub fn encode_scratch(&mut self) -> Result<()> {
        self.report(&[])?;
        if let Some((release, sender)) = self.release {
            release.apply(sender, self.scratch)?;
        }
        Ok(self.compressor.encode(self.scratch, self.randomness, self.encoded)?)
    }

    /// Codes `x` by the client's operator.
    ///
    /// # Errors
    /// When `x` is not finite.
    pub fn encode(&mut self, x: &[f64]) -> Result<()> {
        if self.attackers.is_some() {
            self.scratch.clear();
            self.scratch.extend_from_slice(x);
            self.report(&[])?;
            return Ok(self.compressor.encode(self.scratch, self.randomness, self.encoded)?);
        }
        Ok(self.compressor.encode(x, self.randomness, self.encoded)?)
    }
}

/// Where the server puts its broadcast, and what it counts.
pub struct Wire<'a> {
    /// Where draws come from.
    pub streams: &'a Streams,
    /// The round that is opened or closed.
    pub round: u64,
    /// What the record counts.
    pub counts: &'a mut Counts,
    /// Conditional expectations that the server makes for its step: they are counted, and take its time.
    pub expectations: u64,
    pub(crate) auditor: &'a mut Auditor,
    pub(super) encoded: &'a mut Encoded,
    /// Bits that all clients are sent.
    pub(super) sent: Bits,
    pub(super) memory: Option<(&'a Uplink, &'a mut ServerMemory)>,
    pub(super) combiner: Option<&'a Combiner>,
}

impl<'a> Wire<'a> {
    /// X, the uplink's estimate from V and what arrived, into `x`.
    ///
    /// # Panics
    /// If the protocol has no uplink.
    pub fn estimate(&mut self, arrived: &[Contribution], x: &mut Vec<f64>) {
        let (uplink, memory) = self.memory.as_mut().expect("a protocol with an uplink");
        self.counts.combined = uplink.estimate(memory, arrived, self.combiner, x);
    }

    /// The step along this estimate was made with what `arrived`: V follows.
    pub fn accept(&mut self, arrived: &[Contribution]) {
        if let Some((uplink, memory)) = &mut self.memory {
            uplink.accept(memory, self.round, arrived);
        }
    }

    /// What the server does with what arrives otherwise than to add it, or the record with the sum.
    pub(crate) fn combiner(&self) -> Option<&'a Combiner> {
        self.combiner
    }

    /// Sends Ŝ, or whatever all clients are sent, through `compressor`: it becomes what they decode. Returns the bits.
    ///
    /// # Errors
    /// When `x` cannot be encoded, or fails the audit.
    pub fn send(&mut self, compressor: &dyn Compressor, x: &mut [f64]) -> Result<Bits> {
        self.transmit(entity::SERVER_STATISTIC, compressor, x)
    }

    /// The same for a second vector, θ.
    pub(crate) fn send_parameter(&mut self, compressor: &dyn Compressor, x: &mut [f64]) -> Result<Bits> {
        self.transmit(entity::SERVER_PARAMETER, compressor, x)
    }

    fn transmit(&mut self, sender: u64, compressor: &dyn Compressor, x: &mut [f64]) -> Result<Bits> {
        let bits = self.auditor.transmit(self.streams, (sender, self.round), compressor, x, self.encoded)?;
        self.sent += bits;
        Ok(bits)
    }
}

/// What a run counts for its record, whichever half did it. Nothing is computed from it.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Events of the policy at the border of T's domain.
    pub domain_events: u64,
    /// Chains that left the numbers and were put back.
    pub divergences: u64,
    /// What sampling cost.
    pub tally: Tally,
    /// Contributions sent.
    pub sent: u64,
    /// 32 bits for every coordinate sent.
    pub dense32: u64,
    /// Bits sent without those that tell where entries are.
    pub indices_free: u64,
    /// Empirical entropy of the symbols sent, and the floats.
    pub entropy: f64,
    /// What is known of the vector of the last step, where somebody lies or a robust rule is used.
    pub combined: Option<Combined>,
}

impl Counts {
    /// What was sent by the conventions of the literature: [`uplink::COLUMNS`](crate::uplink::COLUMNS) without the
    /// first.
    pub(crate) fn conventions(&self) -> [Option<f64>; 3] {
        [self.dense32 as f64, self.indices_free as f64, self.entropy].map(Some)
    }

    /// Counts a contribution by all conventions. They are never what is charged.
    pub(crate) fn count(&mut self, coder: &Coder<'_>, encoded: &Encoded) {
        self.sent += 1;
        self.dense32 += 32 * encoded.dimension() as u64;
        self.indices_free += coder.charged.indices_free_bits(encoded);
        self.entropy += coder.charged.entropy_bits(encoded);
    }
}
