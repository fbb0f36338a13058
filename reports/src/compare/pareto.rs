//! Which arms no other arm beats in bits, time and error at once.

use std::collections::{BTreeMap, BTreeSet};

use super::samples::{Pair, Sample, Samples};

/// An arm's place relative to the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Front {
    /// Medians over the replicates: all bits, simulated seconds, and the error, all at the end of the runs.
    pub medians: [f64; 3],
    /// Whether no arm's medians are all at most these and one of them less.
    pub on_front: bool,
    /// Replicates in which the arm is on the front of that replicate alone.
    pub times: usize,
    /// Replicates in which it was compared.
    pub of: usize,
}

/// The place of every arm; `None` for one without a measured run.
#[must_use]
pub fn front(samples: &Samples) -> Vec<Option<Front>> {
    let points: Vec<Vec<(Pair, [f64; 3])>> = samples.arms.iter().map(|arm| arm_points(&arm.runs)).collect();
    let medians: Vec<Option<[f64; 3]>> = points.iter().map(|points| medians(points)).collect();
    let all: Vec<[f64; 3]> = medians.iter().copied().flatten().collect();
    let pairs: BTreeSet<Pair> = points.iter().flatten().map(|(pair, _)| *pair).collect();
    let mut times = vec![(0, 0); points.len()];
    for pair in pairs {
        let at = |points: &Vec<(Pair, [f64; 3])>| points.iter().find(|(own, _)| *own == pair).map(|(_, point)| *point);
        let here: Vec<Option<[f64; 3]>> = points.iter().map(at).collect();
        let present: Vec<[f64; 3]> = here.iter().copied().flatten().collect();
        for (arm, point) in here.iter().enumerate() {
            let Some(point) = point else { continue };
            times[arm].1 += 1;
            times[arm].0 += usize::from(!present.iter().any(|other| beats(other, point)));
        }
    }
    let place = |(medians, (times, of)): (&Option<[f64; 3]>, (usize, usize))| {
        let medians = (*medians)?;
        Some(Front { medians, on_front: !all.iter().any(|other| beats(other, &medians)), times, of })
    };
    medians.iter().zip(times).map(place).collect()
}

fn arm_points(runs: &BTreeMap<Pair, Sample>) -> Vec<(Pair, [f64; 3])> {
    let point = |sample: &Sample| Some([sample.bits_total as f64, sample.time_ns as f64 / 1e9, sample.error?]);
    runs.iter().filter_map(|(pair, sample)| Some((*pair, point(sample)?))).collect()
}

fn medians(points: &[(Pair, [f64; 3])]) -> Option<[f64; 3]> {
    if points.is_empty() {
        return None;
    }
    Some([0, 1, 2].map(|axis| {
        let mut values: Vec<f64> = points.iter().map(|(_, point)| point[axis]).collect();
        values.sort_by(f64::total_cmp);
        0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
    }))
}

/// At most as much of everything, and less of something.
fn beats(one: &[f64; 3], other: &[f64; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other) && one != other
}
