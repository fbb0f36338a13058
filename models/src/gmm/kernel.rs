//! The E-step: responsibilities and mean statistics of a batch, in plain loops.

use super::layout::{Form, vech_index};
use super::pack::Packed;
use crate::{Batch, EStep, Examples, Scratch};

pub(super) struct Conditional {
    pub packed: Packed,
}

impl Conditional {
    fn sum(&self, rows: impl Iterator<Item = impl AsRef<[f64]>>, out: &mut [f64]) -> (f64, f64) {
        let mut objective = 0.0;
        let mut count = 0.0;
        out.fill(0.0);
        let mut r = vec![0.0; self.packed.layout.components];
        for y in rows {
            let y = y.as_ref();
            objective -= self.responsibilities(y, &mut r);
            self.add(y, &r, out);
            count += 1.0;
        }
        if count > 0.0 {
            out.iter_mut().for_each(|x| *x /= count);
        }
        (objective, count)
    }

    pub fn responsibilities(&self, y: &[f64], r: &mut [f64]) -> f64 {
        let p = &self.packed;
        for (g, r) in r.iter_mut().enumerate() {
            let (w, shift) = (p.whitener(g), p.shift(g));
            let mut square = 0.0;
            for a in 0..y.len() {
                let z = match p.layout.form {
                    Form::Diagonal => w[a].mul_add(y[a], shift[a]),
                    _ => (0..=a).fold(0.0, |sum, b| w[vech_index(a, b)].mul_add(y[b], sum)) + shift[a],
                };
                square = z.mul_add(z, square);
            }
            *r = p.offsets[g] - 0.5 * square;
        }
        let m = r.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for r in r.iter_mut() {
            *r = libm::exp(*r - m);
            total += *r;
        }
        r.iter_mut().for_each(|r| *r /= total);
        m + libm::log(total)
    }

    pub fn classify(&self, examples: Examples<'_>) -> Vec<u32> {
        let mut r = vec![0.0; self.packed.layout.components];
        let label = |y: &[f64]| {
            self.responsibilities(y, &mut r);
            (0..r.len()).fold(0, |best, g| if r[g] > r[best] { g } else { best }) as u32
        };
        examples.rows.chunks_exact(examples.dimension).map(label).collect()
    }

    fn add(&self, y: &[f64], r: &[f64], out: &mut [f64]) {
        let layout = &self.packed.layout;
        for (g, &r) in r.iter().enumerate() {
            out[g] += r;
            for (s, y) in out[layout.mean(g)].iter_mut().zip(y) {
                *s += r * y;
            }
            let s3 = &mut out[layout.second_moment(g)];
            match layout.form {
                Form::Known | Form::Tied => {}
                Form::Diagonal => s3.iter_mut().zip(y).for_each(|(s, y)| *s += r * y * y),
                Form::Full => {
                    for i in 0..y.len() {
                        for j in 0..=i {
                            s3[vech_index(i, j)] += r * y[i] * y[j];
                        }
                    }
                }
            }
        }
    }
}

impl EStep for Conditional {
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, _scratch: &mut Scratch, out: &mut [f64]) {
        let d = examples.dimension;
        match batch {
            Batch::All => self.sum(examples.rows.chunks_exact(d), out),
            Batch::Indices(indices) => self.sum(indices.iter().map(|&i| &examples.rows[i as usize * d..][..d]), out),
        };
    }

    fn mean_statistics_and_objective(&self, examples: Examples<'_>, _scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        let (objective, count) = self.sum(examples.rows.chunks_exact(examples.dimension), out);
        if count > 0.0 { objective / count } else { 0.0 }
    }
}
