//! What clients of EF21 do to h_i before they compare it with V_i. Momentum: EF21-SGDM, after Fatkhullin, Tyurin and
//! Richtárik, "Momentum provably improves error feedback!" (NeurIPS 2023). Laziness: LAG (with the identity) and CLAG
//! (with a contraction), after Richtárik, Sokolov, Gasanov, Fatkhullin, Li and Gorbunov, "3PC: three point compressors
//! for communication-efficient distributed training and a better theory for lazy aggregation" (ICML 2022).
//!
//! ```text
//! x_i = (1 − η) y_i + η h_i(batch),   y_i the x_i that client i sent of last, at first h_i
//! Δ_i = x_i − V_i,   and 0, of which no message but one bit says so, where ‖x_i − V_i‖² ≤ ζ ‖x_i − y_i‖²
//! ```

use crate::state::{distance_sq, norm_sq};
use crate::uplink::ClientMemory;

/// η and ζ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// η, 1 without momentum.
    pub momentum: f64,
    /// ζ; 0 where every message is sent, and none is announced.
    pub lazy: f64,
}

impl Feedback {
    /// Δ_i of h_i, which `delta` holds. x_i is kept until it is sent.
    pub(super) fn difference(self, memory: &mut ClientMemory, delta: &mut [f64]) {
        let kept = memory.kept();
        if self.momentum < 1.0 && !kept.last.is_empty() {
            let eta = self.momentum;
            delta.iter_mut().zip(&kept.last).for_each(|(x, y)| *x = (1.0 - eta) * y + eta * *x);
        }
        kept.next.clear();
        kept.next.extend_from_slice(delta);
        delta.iter_mut().zip(&kept.v).for_each(|(x, v)| *x -= v);
        let may_skip = self.lazy > 0.0 && !kept.last.is_empty();
        if may_skip && norm_sq(delta) <= self.lazy * distance_sq(&kept.next, &kept.last) {
            delta.fill(0.0);
        }
    }
}
