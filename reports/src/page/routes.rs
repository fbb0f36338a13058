//! The ways of messages over a network of sites, from `topology.csv`: the shortest by latency, as the simulator takes
//! them. Of ways with equal latency the one with fewer links, then the one whose last link comes from the smaller site,
//! then the one with the smaller link number. It knows no page.

use fedbits_record::TopologyRows;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Latency in nanoseconds and number of links.
type Cost = (u64, u32);

/// How a site is first reached: what it costs, from which site, over which link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    cost: Cost,
    from: usize,
    link: usize,
}

/// The ways from one site to all others.
pub(crate) struct Ways {
    start: usize,
    reached: Vec<Option<Reached>>,
}

impl Ways {
    /// Dijkstra's algorithm; links that lead to sites that do not exist are left out.
    pub(crate) fn from(rows: &TopologyRows, start: usize) -> Self {
        let count = rows.sites.len();
        let mut joined: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        for (link, ends) in rows.links.iter().enumerate() {
            let [from, to] = [ends.from, ends.to].map(|site| site as usize);
            if from < count && to < count {
                joined[from].push((to, link));
                joined[to].push((from, link));
            }
        }
        let mut ways = Self { start, reached: vec![None; count] };
        let mut heap = BinaryHeap::from([Reverse(((0, 0), start))]);
        while let Some(Reverse((cost, at))) = heap.pop() {
            if at != start && ways.reached[at].is_none_or(|known| known.cost != cost) {
                continue;
            }
            for &(to, link) in &joined[at] {
                let next = (cost.0.saturating_add(rows.links[link].latency_ns), cost.1 + 1);
                let reached = Reached { cost: next, from: at, link };
                let known = ways.reached[to];
                if to == start || known.is_some_and(|known| known <= reached) {
                    continue;
                }
                ways.reached[to] = Some(reached);
                if known.is_none_or(|known| known.cost != next) {
                    heap.push(Reverse((next, to)));
                }
            }
        }
        ways
    }

    /// The sites from the start to another, both included; `None` where no way leads.
    pub(crate) fn to(&self, end: usize) -> Option<Vec<usize>> {
        let mut sites = vec![end];
        let mut at = end;
        while at != self.start {
            at = self.reached.get(at)?.as_ref()?.from;
            sites.push(at);
        }
        sites.reverse();
        Some(sites)
    }
}

#[cfg(test)]
mod tests {
    use super::Ways;
    use fedbits_record::{TopologyLink, TopologyRows, TopologySite};
    use proptest::prelude::*;

    fn network(sites: usize, links: &[(usize, usize, u64)]) -> TopologyRows {
        let site = TopologySite { name: String::new(), x: 0.0, y: 0.0, server: false, clients: 1 };
        let link = |&(from, to, latency_ns): &(usize, usize, u64)| TopologyLink {
            from: from as u64,
            to: to as u64,
            capacity_bps: 1,
            latency_ns,
        };
        TopologyRows { sites: vec![site; sites], links: links.iter().map(link).collect() }
    }

    /// The least cost of all ways without a site twice (slow).
    fn least(links: &[(usize, usize, u64)], seen: &mut Vec<usize>, end: usize) -> Option<(u64, u32)> {
        let at = *seen.last()?;
        if at == end {
            return Some((0, 0));
        }
        let mut best = None;
        for &(from, to, latency) in links {
            let next = if from == at { to } else { from };
            if (from != at && to != at) || seen.contains(&next) {
                continue;
            }
            seen.push(next);
            let rest = least(links, seen, end).map(|(time, count)| (time + latency, count + 1));
            seen.pop();
            best = [best, rest].into_iter().flatten().min();
        }
        best
    }

    proptest! {
        /// No way costs less than the one taken, and its sites are joined.
        #[test]
        fn the_ways_are_the_shortest(
            links in prop::collection::vec((0..6usize, 0..6usize, 1..5u64), 0..10),
            start in 0..6usize,
            end in 0..6usize,
        ) {
            let links: Vec<_> = links.into_iter().filter(|(from, to, _)| from != to).collect();
            let expected = least(&links, &mut vec![start], end);
            let way = Ways::from(&network(6, &links), start).to(end);
            prop_assert_eq!(way.is_some(), expected.is_some());
            let Some(way) = way else { return Ok(()) };
            prop_assert_eq!((way.first(), way.last()), (Some(&start), Some(&end)));
            let step = |pair: &[usize]| {
                let ends = |link: &&(usize, usize, u64)| {
                    (link.0, link.1) == (pair[0], pair[1]) || (link.1, link.0) == (pair[0], pair[1])
                };
                links.iter().filter(ends).map(|link| link.2).min()
            };
            let times: Option<Vec<u64>> = way.windows(2).map(step).collect();
            prop_assert!(times.is_some(), "{way:?} is not joined");
            let cost = times.map(|times| (times.iter().sum(), times.len() as u32));
            prop_assert_eq!(cost, expected);
        }
    }

    /// Of equally long ways the one with fewer links, then the one that comes from the smaller site.
    #[test]
    fn ties_are_broken_as_in_the_simulator() {
        let square = network(4, &[(0, 2, 1), (0, 1, 1), (2, 3, 1), (1, 3, 1)]);
        assert_eq!(Ways::from(&square, 0).to(3), Some(vec![0, 1, 3]));
        let direct = network(4, &[(0, 1, 1), (1, 3, 1), (0, 3, 2)]);
        assert_eq!(Ways::from(&direct, 0).to(3), Some(vec![0, 3]));
        assert_eq!(Ways::from(&direct, 0).to(2), None);
    }
}
