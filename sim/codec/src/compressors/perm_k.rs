//! PermK (Szlendak, Tyurin and Richtárik 2022): a group of n clients shares out the coordinates, each sends its own,
//! scaled by n.
//!
//! All draw the same permutation π of the d coordinates and the same offset o, uniform on 0…n−1, from a key they share;
//! the coordinate at position t of π belongs to member (t + o) mod n. Every coordinate belongs to each member with
//! probability 1/n, for any d and n (the paper has d a multiple of n, or n of d; the offset is ours). Q_i(x)_j = n x_j
//! if j belongs to member i, else 0.
//!
//! Unbiased; E‖Q_i(x) − x‖² = (n − 1)‖x‖² for *every* x: ω = n − 1 alone. Together: for vectors a_1 … a_n,
//! Var(n⁻¹ Σ Q_i(a_i)) = n⁻¹ Σ‖a_i‖² − ‖n⁻¹ Σ a_i‖², zero if all are equal, where independent operators of this ω have
//! (n − 1)/n · n⁻¹ Σ‖a_i‖²: less, if the a_i cancel out.
//!
//! Message: the floats; indices cost nothing, both ends know the key.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::error::{check_dimension, parameter};
use crate::sparse;
use crate::{BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

/// All clients split the coordinates of a round by a shared permutation (Szlendak et al. 2022). Alone ω = n − 1; the
/// mean has the error n⁻¹ Σ ‖x_i‖² − ‖n⁻¹ Σ x_i‖².
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PermK {
    /// n, the size of the group.
    #[serde(skip)]
    pub members: u32,
    /// Which member this is, 0 to n − 1.
    #[serde(skip)]
    pub member: u32,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl PermK {
    fn factor(&self) -> f64 {
        f64::from(self.members)
    }

    /// This member's coordinates; `below(k)` is uniform on 0…k−1.
    fn choose(&self, mut below: impl FnMut(u64) -> u64, out: &mut Encoded) {
        let mut order: Vec<u32> = (0..out.dimension as u32).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, below(i as u64 + 1) as usize);
        }
        let (n, offset) = (self.members as usize, below(u64::from(self.members)) as usize);
        let first = (self.member as usize + n - offset) % n;
        out.indices.extend(order.iter().skip(first).step_by(n));
        out.indices.sort_unstable();
    }

    fn choose_keyed(&self, key: CounterKey, out: &mut Encoded) {
        let mut stream = key.stream();
        self.choose(|n| stream.below(n), out);
    }
}

impl Compressor for PermK {
    fn name(&self) -> String {
        format!("PermK member {} of {} F{}", self.member, self.members, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        match draw {
            Draw::Keyed(key) => self.choose_keyed(key, out),
            Draw::Given(_) => {
                let mut uniforms = draw.given(x.len())?.unwrap_or_default().iter();
                let next = |n: u64| uniforms.next().map_or(0, |u| ((u * n as f64) as u64).min(n - 1));
                self.choose(next, out);
            }
        }
        sparse::take(x, self.wire, self.factor(), out)?;
        out.bits = out.values.len() as u64 * self.wire.bits();
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        sparse::scatter(message, self.factor(), out);
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        sparse::add_scattered(message, self.factor(), scale, accumulator);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        self.choose_keyed(key.ok_or(CodecError::KeyNeeded)?, out);
        sparse::read_values(reader, self.factor(), self.wire, out)
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.wire.widen(self.factor() - 1.0))
    }

    fn omega_of_mean(&self, _: usize, _: u32, weight: f64) -> Option<f64> {
        Some(weight)
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        self.validate(x.len()).ok()?;
        sparse::variance(x, self.wire, self.factor() - 1.0)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        dimension
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(ExpectedBits::OnAverage(dimension as f64 * self.wire.bits() as f64 / self.factor()))
    }

    fn member(&self, i: u32) -> Option<Box<dyn Compressor>> {
        Some(Box::new(Self { member: i % self.members.max(1), ..*self }))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if self.members == 0 {
            return Err(parameter("members", self.members, "at least 1 client".to_owned()));
        }
        if self.member >= self.members {
            return Err(parameter("member", self.member, format!("0 to {}", self.members - 1)));
        }
        Ok(())
    }
}

impl CompressorSetting for PermK {
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { members: clients, member: 0, wire })
    }

    fn is_drawn_together(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        vec![Self { members: 1, member: 0, wire: WireFloat::F64 }]
    }
}
