//! Random shapes, one draw each. Addresses: (topology, site, attempt), so that the draws of a site are the same
//! whatever the number of sites.

use std::collections::BTreeSet;

use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_spec::Described;
use fedbits_spec::range::{Interval, POSITIVE};
use serde::{Deserialize, Serialize};

use super::graph::{join, sites};
use super::{Map, Place, SiteId};

/// (0, 2]: distances in the unit square.
const RADIUS: Interval = Interval::above(0.0, 2.0, "in (0, 2], no unit");

/// Linked sites of `Geometric`.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Reach {
    /// All pairs up to this distance.
    Radius(#[range(RADIUS)] f64),
    /// The closest pairs, up to about this mean degree.
    MeanDegree(#[range(POSITIVE)] f64),
}

/// Uniform points of the unit square; which pairs are joined says `reach`.
pub(super) fn geometric(count: u32, reach: Reach, streams: &Streams, attempt: u64) -> Option<Map> {
    let point = |site: u32| {
        let mut stream = streams.at(DrawPurpose::Topology, u64::from(site), attempt);
        [stream.uniform(), stream.uniform()]
    };
    let points: Vec<_> = (0..count).map(point).collect();
    let mut map = sites(count);
    for (node, &[x, y]) in points.iter().enumerate() {
        map.graph[super::graph::node(SiteId(node as u32))].place = Some(Place::Plane { x, y });
    }
    for (one, other) in near_pairs(&points, reach) {
        join(&mut map, one, other);
    }
    Some(map)
}

/// The pairs to join, by the larger site and then the smaller.
fn near_pairs(points: &[[f64; 2]], reach: Reach) -> Vec<(u32, u32)> {
    let squared = |one: [f64; 2], other: [f64; 2]| {
        let (dx, dy) = (one[0] - other[0], one[1] - other[1]);
        dx * dx + dy * dy
    };
    let count = points.len();
    let pairs = (0..count).flat_map(|other| (0..other).map(move |one| (one, other)));
    let distances = pairs.map(|(one, other)| (squared(points[one], points[other]), other as u32, one as u32));
    let mut near: Vec<_> = match reach {
        Reach::Radius(radius) => distances.filter(|&(squared, ..)| squared <= radius * radius).collect(),
        Reach::MeanDegree(degree) => {
            let wanted = (degree * count as f64 / 2.0).round() as usize;
            let mut all: Vec<_> = distances.collect();
            all.sort_by(|one, other| one.partial_cmp(other).expect("squares of numbers of the unit square"));
            all.truncate(wanted);
            all
        }
    };
    near.sort_unstable_by_key(|&(_, other, one)| (other, one));
    near.into_iter().map(|(_, other, one)| (one, other)).collect()
}

/// Site j decides about its links with 0, …, j − 1.
pub(super) fn erdos_renyi(count: u32, probability: f64, streams: &Streams, attempt: u64) -> Option<Map> {
    let mut map = sites(count);
    for other in 0..count {
        let mut stream = streams.at(DrawPurpose::Topology, u64::from(other), attempt);
        (0..other).filter(|_| stream.bernoulli(probability)).for_each(|one| join(&mut map, one, other));
    }
    Some(map)
}

/// Edge ends are shuffled and paired; pairs that would be loops or double links go back and are shuffled again, as long
/// as any pair succeeds (Steger and Wormald 1999, as in networkx). `None` when it gets stuck.
pub(super) fn k_regular(count: u32, degree: u32, streams: &Streams, attempt: u64) -> Option<Map> {
    let mut stream = streams.at(DrawPurpose::Topology, 0, attempt);
    let mut ends: Vec<u32> = (0..count).flat_map(|site| std::iter::repeat_n(site, degree as usize)).collect();
    let mut joined = BTreeSet::new();
    while !ends.is_empty() {
        stream.shuffle(&mut ends);
        let left: Vec<u32> = ends
            .chunks_exact(2)
            .filter(|pair| pair[0] == pair[1] || !joined.insert((pair[0].min(pair[1]), pair[0].max(pair[1]))))
            .flatten()
            .copied()
            .collect();
        if left.len() == ends.len() && !any_fits(&left, &joined) {
            return None;
        }
        ends = left;
    }
    let mut map = sites(count);
    joined.into_iter().for_each(|(one, other)| join(&mut map, one, other));
    Some(map)
}

/// Can any two of the ends still be paired?
fn any_fits(ends: &[u32], joined: &BTreeSet<(u32, u32)>) -> bool {
    let sites: BTreeSet<u32> = ends.iter().copied().collect();
    let larger = |one: u32| sites.range(one + 1..).map(move |&other| (one, other));
    sites.iter().flat_map(|&one| larger(one)).any(|pair| !joined.contains(&pair))
}

/// Connected by construction: every new site is joined to older ones.
pub(super) fn barabasi_albert(count: u32, links: u32, streams: &Streams) -> Map {
    let mut map = sites(count);
    // Every site once per link end: a uniform element is a site in proportion to its degree.
    let mut ends: Vec<u32> = Vec::new();
    let attach = |map: &mut Map, ends: &mut Vec<u32>, new: u32, targets: &[u32]| {
        for &target in targets {
            join(map, target, new);
            ends.extend([target, new]);
        }
    };
    (1..=links).for_each(|leaf| attach(&mut map, &mut ends, leaf, &[0]));
    for new in links + 1..count {
        let targets = distinct(&ends, links, &mut streams.at(DrawPurpose::Topology, u64::from(new), 0));
        attach(&mut map, &mut ends, new, &targets);
    }
    map
}

/// `wanted` different elements, ascending, each drawn uniformly from `ends` until it is a new one.
fn distinct(ends: &[u32], wanted: u32, stream: &mut Stream) -> Vec<u32> {
    let mut chosen = BTreeSet::new();
    while chosen.len() < wanted as usize {
        chosen.insert(ends[stream.below(ends.len() as u64) as usize]);
    }
    chosen.into_iter().collect()
}
