//! Correlated dithering (Suresh, Sun, Ro and Yu 2022): every client dithers its vector as alone, with uniforms that all
//! clients of a round stratify together, so that their rounding errors cancel in the mean.
//!
//! For coordinate j all draw the same permutation π_j of the n clients from a key they share; client i rounds with
//! u = (π_j(i) + γ)/n, γ uniform on [0, 1) and its own. Alone u is uniform: unbiased, with the ω and the variance of
//! [`Dithering`]. Together: rounding errors increase with u (entries below 0 use 1 − u), and the u of different clients
//! are negatively associated, so that the mean of all has at most the variance of independent draws. Clients with the
//! same vector whose entries have fractions p between two levels leave frac(np)(1 − frac(np))/n² of a step squared in
//! place of p(1 − p)/n.
//!
//! Message: that of [`Dithering`].

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::Dithering;
use crate::compressor::forward;
use crate::draw::part;
use crate::error::parameter;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, LevelCode, Norm,
    WireFloat,
};

/// Dithering with uniforms stratified over a round's clients (Suresh et al. 2022). For nearly equal vectors, the mean
/// has an error of order 1/n², not 1/n. Alone it has the ω of `Dithering`.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Correlated {
    /// s, levels above zero.
    #[serde(rename = "levels")]
    #[range(whole(1, 65_535))]
    pub s: u32,
    /// Norm r.
    #[serde(rename = "norm", default)]
    pub r: Norm,
    /// Code of levels.
    #[serde(default)]
    pub code: LevelCode,
    /// How the norm is sent.
    #[serde(skip)]
    pub wire: WireFloat,
    /// n, the number of clients.
    #[serde(skip)]
    pub members: u32,
    /// Which client this is, 0 to n − 1.
    #[serde(skip)]
    pub member: u32,
}

/// The largest number below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

impl Correlated {
    /// A client alone.
    fn alone(&self) -> Dithering {
        let &Self { s, r, code, wire, .. } = self;
        Dithering { s, r, code, wire }
    }

    /// The uniforms with which this member dithers `x`: `of_order(k)` is uniform k of n for each coordinate, whose
    /// ranks are π_j, `within(j)` is γ.
    fn uniforms_for(&self, x: &[f64], of_order: impl Fn(u64) -> f64, within: impl Fn(u64) -> f64) -> Vec<f64> {
        let (n, member) = (u64::from(self.members), u64::from(self.member));
        let uniform = |(j, &value): (u64, &f64)| {
            let first = j * n;
            let at_member = of_order(first + member);
            let is_before = |&i: &u64| {
                let at_i = of_order(first + i);
                at_i < at_member || at_i == at_member && i < member
            };
            let rank = (0..n).filter(is_before).count() as f64;
            let u = ((rank + within(j)) / n as f64).min(BELOW_ONE);
            if value < 0.0 { (1.0 - u).min(BELOW_ONE) } else { u }
        };
        (0..).zip(x).map(uniform).collect()
    }
}

impl Compressor for Correlated {
    fn name(&self) -> String {
        format!("correlated {} client {} of {}", self.alone().name(), self.member, self.members)
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        let uniforms = match draw {
            Draw::Keyed(key) => {
                let private = part(key, u64::from(self.member));
                self.uniforms_for(x, |k| key.uniform(k), |j| private.uniform(j))
            }
            Draw::Given(_) => {
                let xi = draw.given(self.uniforms(x.len()))?.unwrap_or_default();
                let (of_order, within) = xi.split_at(self.members as usize * x.len());
                self.uniforms_for(x, |k| of_order[k as usize], |j| within[j as usize])
            }
        };
        self.alone().encode(x, Draw::Given(&uniforms), out)
    }

    forward! { self => self.alone();
        fn add_decoded(message: &Encoded, scale: f64, accumulator: &mut [f64]);
        fn write_bits(message: &Encoded, writer: &mut BitWriter);
        fn read(reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError>;
        fn is_unbiased() -> bool;
        fn omega(dimension: usize) -> Option<f64>;
        fn variance_at(x: &[f64]) -> Option<f64>;
        fn expected_bits(dimension: usize) -> Option<ExpectedBits>;
        fn indices_free_bits(message: &Encoded) -> u64;
        fn entropy_bits(message: &Encoded) -> f64;
        fn ends_itself() -> bool;
        fn string_work(dimension: usize) -> u64;
    }

    fn uniforms(&self, dimension: usize) -> usize {
        (self.members as usize + 1) * dimension
    }

    fn member(&self, i: u32) -> Option<Box<dyn Compressor>> {
        Some(Box::new(Self { member: i % self.members.max(1), ..*self }))
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        if self.member >= self.members {
            return Err(parameter("member", self.member, format!("one of {} clients", self.members)));
        }
        self.alone().validate(dimension)
    }
}

impl CompressorSetting for Correlated {
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire, members: clients, member: 0, ..*self })
    }

    fn is_drawn_together(&self) -> bool {
        true
    }

    fn message_bytes(&self, length: u64) -> u64 {
        // The levels, and the uniforms while it is coded.
        length.saturating_mul(13)
    }

    fn examples() -> Vec<Self> {
        let of = |s, r, code| Self { s, r, code, wire: WireFloat::F64, members: 1, member: 0 };
        vec![of(1, Norm::Infinity, LevelCode::Packed), of(4, Norm::L(2.0), LevelCode::EliasSparse)]
    }
}
