//! µ_g + L_g z for many draws, sixteen of one component side by side.
//!
//! Every coordinate is one chain of fused multiply-adds over the columns of L in increasing order, from the mean on:
//! the bits do not depend on which draws wait together, nor on the width of the lanes.

use super::gram::{PANEL, PanelProduct};
use fedbits_numerics::vech_index;
use pulp::Arch;

/// Turns standard normal draws into examples of a mixture.
pub(super) struct Affine {
    components: Vec<Component>,
    d: usize,
    arch: Arch,
    /// µ + L z, example after example.
    rows: Vec<f64>,
}

struct Component {
    mean: Vec<f64>,
    /// L in panels of 16 rows: column by column up to the last row's diagonal, zeros above the diagonal and below L.
    panels: Vec<f64>,
    /// d × 16: coordinates of the draws that wait.
    waiting: Vec<f64>,
    /// Which examples they become.
    examples: Vec<usize>,
}

impl Affine {
    /// Room for `count` examples. `factors` are lower triangles (vech): one for all components or one each.
    pub fn new(means: &[Vec<f64>], factors: &[Vec<f64>], count: usize) -> Self {
        let d = means[0].len();
        let component = |(g, mean): (usize, &Vec<f64>)| Component {
            mean: mean.clone(),
            panels: panels(&factors[if factors.len() == 1 { 0 } else { g }], d),
            waiting: vec![0.0; d * PANEL],
            examples: Vec::with_capacity(PANEL),
        };
        let components = means.iter().enumerate().map(component).collect();
        Self { components, d, arch: Arch::new(), rows: vec![0.0; count * d] }
    }

    /// Example number `example` is µ_g + L_g z.
    pub fn push(&mut self, example: usize, g: usize, z: &[f64]) {
        let component = &mut self.components[g];
        let slot = component.examples.len();
        for (lanes, &z) in component.waiting.as_chunks_mut::<PANEL>().0.iter_mut().zip(z) {
            lanes[slot] = z;
        }
        component.examples.push(example);
        if component.examples.len() == PANEL {
            component.write(self.arch, &mut self.rows, self.d);
        }
    }

    /// All examples.
    pub fn finish(mut self) -> Vec<f64> {
        for component in &mut self.components {
            component.write(self.arch, &mut self.rows, self.d);
        }
        self.rows
    }
}

impl Component {
    /// Writes the examples whose draws wait. Numbers of earlier draws in unused places harm nobody.
    fn write(&mut self, arch: Arch, rows: &mut [f64], d: usize) {
        let mut panels = &self.panels[..];
        for first in (0..d).step_by(PANEL) {
            let columns = d.min(first + PANEL);
            let (panel, rest) = panels.split_at(columns * PANEL);
            let mut tile = [0.0; PANEL * PANEL];
            for sums in tile.as_chunks_mut::<PANEL>().0 {
                sums[..columns - first].copy_from_slice(&self.mean[first..columns]);
            }
            arch.dispatch(PanelProduct { left: &self.waiting[..columns * PANEL], right: panel, tile: &mut tile });
            for (&example, sums) in self.examples.iter().zip(tile.as_chunks::<PANEL>().0) {
                rows[example * d..][first..columns].copy_from_slice(&sums[..columns - first]);
            }
            panels = rest;
        }
        self.examples.clear();
    }
}

fn panels(factor: &[f64], d: usize) -> Vec<f64> {
    let mut panels = Vec::new();
    for first in (0..d).step_by(PANEL) {
        let below = d.min(first + PANEL);
        for column in 0..below {
            let entry = |row: usize| if row < below && column <= row { factor[vech_index(row, column)] } else { 0.0 };
            panels.extend((first..first + PANEL).map(entry));
        }
    }
    panels
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_numerics::vech_length;

    /// Slow reference: coordinate by coordinate, the same fused chain; groups of sixteen are full and not.
    #[test]
    fn coordinates_have_the_bits_of_their_definition() {
        let number = |k: usize| ((k * 7919) % 1009) as f64 / 97.0 - 5.0;
        for (d, count) in [(1, 1), (2, 33), (15, 16), (17, 50), (40, 100)] {
            let means: Vec<Vec<f64>> = (0..3).map(|g| (0..d).map(|i| number(g * d + i)).collect()).collect();
            let factor = |g: usize| (0..vech_length(d)).map(|k| number(g * d * d + k + 5)).collect::<Vec<_>>();
            for factors in [vec![factor(0)], (0..3).map(factor).collect()] {
                let mut fast = Affine::new(&means, &factors, count);
                let mut expected = Vec::new();
                for example in 0..count {
                    let (g, z) = (example * 5 % 7 % 3, (0..d).map(|i| number(example * d + i)).collect::<Vec<_>>());
                    fast.push(example, g, &z);
                    let l = &factors[if factors.len() == 1 { 0 } else { g }];
                    for i in 0..d {
                        let terms = z[..=i].iter().zip(&l[vech_index(i, 0)..]);
                        expected.push(terms.fold(means[g][i], |sum, (&z, &l)| l.mul_add(z, sum)).to_bits());
                    }
                }
                let rows: Vec<u64> = fast.finish().into_iter().map(f64::to_bits).collect();
                assert_eq!(rows, expected, "{count} examples of {d} coordinates, {} factors", factors.len());
            }
        }
    }
}
