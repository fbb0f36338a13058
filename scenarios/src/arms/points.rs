//! Points in the space of several settings: drawn one by one, of a Sobol sequence, or of a Latin hypercube. A draw
//! names the seed, the path and its index, so that one path more changes none of the others.

use std::collections::BTreeSet;

use fedbits_random::{DrawPurpose, Streams};

use super::levels::{self, Written};
use super::sobol::Coordinate;
use crate::schema::{Law, PointSet};

/// How the points are chosen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Design {
    /// Independent draws.
    Random,
    /// A Sobol sequence with a digital shift.
    Sobol,
    /// One point in each slice of each path.
    LatinHypercube,
}

/// So many draws in a row that have come before: there are hardly any others.
const MAX_REPEATED: usize = 200_000;

/// The values of every point, in the order of the paths; `whole` are the paths whose settings take whole numbers only.
/// Fewer points than asked for: there are no more that differ.
pub(crate) fn points(design: Design, set: &PointSet, whole: &BTreeSet<&str>) -> Vec<Vec<Written>> {
    let paths = set.paths.iter().enumerate();
    let paths = paths.map(|(number, (name, law))| (name, law, shares(number, name, set, design)));
    let paths: Vec<(&String, &Law, Shares)> = paths.collect();
    let point = |index: u64| -> Vec<Written> {
        let value = |(name, law, share): &(&String, &Law, Shares)| {
            levels::quantile(law, share(index), whole.contains(name.as_str()))
        };
        paths.iter().map(value).collect()
    };
    if design != Design::Random {
        return (0..set.points).map(point).collect();
    }
    let (mut found, mut known, mut repeated) = (Vec::new(), BTreeSet::new(), 0);
    for index in 0.. {
        if found.len() as u64 == set.points || repeated == MAX_REPEATED {
            break;
        }
        let next = point(index);
        if known.insert(next.iter().map(|setting| setting.value.clone()).collect::<Vec<_>>()) {
            found.push(next);
            repeated = 0;
        } else {
            repeated += 1;
        }
    }
    found
}

/// By the index of a point the share of the law of one path that lies below its value, in (0, 1).
type Shares = Box<dyn Fn(u64) -> f64>;

fn shares(number: usize, name: &str, set: &PointSet, design: Design) -> Shares {
    let (streams, entity) = (Streams::new(set.seed, 0), entity(name));
    let drawn = move |index| streams.at(DrawPurpose::Sweep, entity, index).uniform_open();
    // The indices of the draws of single points are far below.
    let mut once = streams.at(DrawPurpose::Sweep, entity, u64::MAX);
    match design {
        Design::Random => Box::new(drawn),
        Design::Sobol => {
            let (coordinate, shift) = (Coordinate::new(number), (once.next_u64() >> 32) as u32);
            Box::new(move |index| (f64::from(coordinate.at(index as u32) ^ shift) + 0.5) / 4_294_967_296.0)
        }
        Design::LatinHypercube => {
            let mut slices: Vec<u32> = (0..set.points as u32).collect();
            once.shuffle(&mut slices);
            let share = move |index| (f64::from(slices[index as usize]) + drawn(index)) / slices.len() as f64;
            // The sum may be rounded up to the next slice.
            Box::new(move |index| share(index).min(1.0 - f64::EPSILON))
        }
    }
}

/// A number for a path: FNV-1a over its bytes.
fn entity(path: &str) -> u64 {
    path.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::schema::Amount;

    fn point_set(points: u64, seed: u64, names: &[&str]) -> PointSet {
        let law = || Law::Uniform(Amount::Number(0.0), Amount::Number(1.0));
        let paths: BTreeMap<String, Law> = names.iter().map(|name| ((*name).to_owned(), law())).collect();
        PointSet { points, paths, seed, name: None, when: BTreeMap::new() }
    }

    fn column(points: &[Vec<Written>], path: usize) -> Vec<f64> {
        points.iter().map(|point| point[path].value.parse().unwrap()).collect()
    }

    /// Another path, or more points, change nothing of the points that were there.
    #[test]
    fn draws_are_addressed() {
        for seed in [1, 2, 77] {
            let one = points(Design::Random, &point_set(10, seed, &["b"]), &BTreeSet::new());
            let two = points(Design::Random, &point_set(25, seed, &["a", "b"]), &BTreeSet::new());
            assert_eq!(column(&one, 0), column(&two, 1)[..10]);
            assert_ne!(column(&two, 0), column(&two, 1));
            let reseeded = points(Design::Random, &point_set(10, seed + 1, &["b"]), &BTreeSet::new());
            assert_ne!(column(&one, 0), column(&reseeded, 0));
        }
    }

    /// Each slice of each path has one point; written with five decimals it may be just beyond its end.
    #[test]
    fn designs_are_stratified() {
        for (design, count) in [(Design::Sobol, 16), (Design::LatinHypercube, 16), (Design::LatinHypercube, 11)] {
            let points = points(design, &point_set(count, 3, &["a", "b", "c"]), &BTreeSet::new());
            for path in 0..3 {
                let mut sorted = column(&points, path);
                sorted.sort_by(f64::total_cmp);
                assert_eq!(sorted.len() as u64, count);
                for (slice, x) in sorted.iter().enumerate() {
                    let [low, high] = [slice, slice + 1].map(|end| end as f64 / count as f64);
                    assert!((low - 5.1e-6..high + 5.1e-6).contains(x), "{design:?}, path {path}: {sorted:?}");
                }
            }
        }
    }

    /// What has come before is drawn again, until there is nothing else.
    #[test]
    fn draws_differ() {
        let choices = Law::Choice(["1", "2", "3"].map(str::to_owned).to_vec());
        let mut set = point_set(3, 1, &[]);
        set.paths.insert("a".to_owned(), choices);
        let mut all = column(&points(Design::Random, &set, &BTreeSet::new()), 0);
        all.sort_by(f64::total_cmp);
        assert_eq!(all, [1.0, 2.0, 3.0]);
        set.points = 4;
        assert_eq!(points(Design::Random, &set, &BTreeSet::new()).len(), 3);
    }
}
