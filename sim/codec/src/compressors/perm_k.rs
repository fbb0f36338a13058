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

use crate::compressor::Sparsifier;
use crate::error::{check_dimension, parameter};
use crate::indices::IndexCode;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

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
    /// This member's coordinates; `below(k)` is uniform on 0…k−1.
    fn choose_below(&self, mut below: impl FnMut(u64) -> u64, out: &mut Encoded) {
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
        self.choose_below(|n| stream.below(n), out);
    }
}

impl Sparsifier for PermK {
    fn label(&self) -> String {
        format!("PermK member {} of {}", self.member, self.members)
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if self.members == 0 {
            return Err(parameter("members", self.members, "at least 1 client".to_owned()));
        }
        if self.member >= self.members {
            return Err(parameter("member", self.member, format!("0 to {}", self.members - 1)));
        }
        Ok(())
    }

    fn code(&self) -> IndexCode<'_> {
        IndexCode::Shared
    }

    fn choose(&self, _: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        match draw {
            Draw::Keyed(key) => self.choose_keyed(key, out),
            Draw::Given(_) => {
                let mut uniforms = draw.given(out.dimension)?.unwrap_or_default().iter();
                let next = |n: u64| uniforms.next().map_or(0, |u| ((u * n as f64) as u64).min(n - 1));
                self.choose_below(next, out);
            }
        }
        Ok(())
    }

    fn draws(&self, dimension: usize) -> usize {
        dimension
    }

    fn factor(&self, _: usize) -> f64 {
        f64::from(self.members)
    }

    fn mean_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        Some(ExpectedBits::OnAverage(dimension as f64 * self.wire.bits() as f64 / f64::from(self.members)))
    }

    fn in_group(&self, i: u32) -> Option<Box<dyn Compressor>> {
        Some(Box::new(Self { member: i % self.members.max(1), ..*self }))
    }

    fn is_composed(&self) -> bool {
        false
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
