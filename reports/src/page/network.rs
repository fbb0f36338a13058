//! The network of a traced run for the page's script: sites, links, who is attached where, and the ways of messages.

use super::routes::Ways;
use fedbits_record::{RunRecord, TopologyLink, TopologyRows, TopologySite};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A network with more sites or links is not drawn on the page.
const MAX_SIZE: usize = 3_000;
/// Sites on all ways between the server and clients that the page has room for.
const MAX_STEPS: usize = 60_000;

/// The network of sites that some nodes of a run use; null where it has none, a sentence where the page cannot draw it.
pub(crate) fn json(record: &RunRecord, nodes: &[&str], agents: bool) -> Value {
    let Some(rows) = record.topology.as_ref().filter(|rows| !rows.sites.is_empty()) else { return Value::Null };
    let size = rows.sites.len().max(rows.links.len());
    if size > MAX_SIZE {
        return json!(format!("The network has {size} sites or links, more than are drawn here."));
    }
    let Some(homes) = homes(rows, &record.manifest.scenario_text, agents) else {
        return json!("The record does not say at which sites the clients are.");
    };
    let server = rows.sites.iter().position(|site| site.server);
    let at: Vec<Option<usize>> = nodes
        .iter()
        .map(|name| match *name {
            "server" => server,
            name => number(name).filter(|_| !homes.is_empty()).map(|number| homes[number % homes.len()]),
        })
        .collect();
    let ways = server.map_or_else(Vec::new, |server| ways(rows, server, &at));
    if ways.iter().map(|(_, down, up)| down.len() + up.len()).sum::<usize>() > MAX_STEPS {
        return json!("The ways of its messages are too long to be drawn here.");
    }
    let links = parallel_once(rows);
    let site = |site: &TopologySite| {
        let (x, y, clients) = (site.x, site.y, site.clients);
        json!({"name": site.name, "x": x, "y": y, "server": site.server, "clients": clients})
    };
    json!({
        "sites": rows.sites.iter().map(site).collect::<Vec<_>>(),
        "links": links.map(|link| json!([link.from, link.to, link.capacity_bps])).collect::<Vec<_>>(),
        "at": at,
        "ways": ways,
    })
}

/// The links that ways take: of those between the same two sites the one of the least latency, of these the first.
fn parallel_once(rows: &TopologyRows) -> impl Iterator<Item = &TopologyLink> {
    let mut taken: BTreeMap<(u64, u64), &TopologyLink> = BTreeMap::new();
    for link in &rows.links {
        let own = taken.entry((link.from.min(link.to), link.from.max(link.to))).or_insert(link);
        if link.latency_ns < own.latency_ns {
            *own = link;
        }
    }
    taken.into_values()
}

/// The number at the end of a node's name.
fn number(name: &str) -> Option<usize> {
    name.rsplit('-').next()?.parse().ok()
}

/// The sites at which clients are, in the order in which clients are attached to them: client i to the (i modulo their
/// number)-th. Without a list in the scenario that is the order of the sites.
fn homes(rows: &TopologyRows, scenario: &str, agents: bool) -> Option<Vec<usize>> {
    let clients: u64 = rows.sites.iter().map(|site| site.clients).sum();
    let peopled = || rows.sites.iter().enumerate().filter(|(_, site)| site.clients > 0).map(|(index, _)| index);
    if agents || clients == 0 {
        return Some(peopled().collect());
    }
    let compact: String = scenario.lines().map(str::trim).collect();
    let homes = match compact.split_once("clients: Sites(") {
        None => peopled().collect(),
        Some((_, list)) => listed(rows, list.split_once("])").map_or(list, |own| own.0))?,
    };
    // The counts of the record say whether the order is right.
    let count = (homes.len() as u64).max(1);
    let mut counts = vec![0; rows.sites.len()];
    for (place, &site) in homes.iter().enumerate() {
        counts[site] += clients / count + u64::from((place as u64) < clients % count);
    }
    let as_recorded = rows.sites.iter().map(|site| site.clients).eq(counts);
    as_recorded.then_some(homes)
}

/// The sites of a list like `[Name("a"),Index(3),`; `None` where it is no such list.
fn listed(rows: &TopologyRows, list: &str) -> Option<Vec<usize>> {
    let site = |item: &str| {
        if let Some(number) = item.strip_prefix("Index(") {
            return number.parse().ok().filter(|&site| site < rows.sites.len());
        }
        let name = item.strip_prefix("Name(\"")?.strip_suffix('"')?;
        rows.sites.iter().position(|site| site.name == name)
    };
    let items = list.trim_start_matches('[').split("),").map(|item| item.trim().trim_end_matches(')'));
    items.filter(|item| !item.is_empty()).map(site).collect()
}

/// For every site of a node the sites on the way from the server, and those on the way to it.
fn ways(rows: &TopologyRows, server: usize, at: &[Option<usize>]) -> Vec<(usize, Vec<usize>, Vec<usize>)> {
    let down = Ways::from(rows, server);
    let used: BTreeSet<usize> = at.iter().flatten().copied().collect();
    let way = |site: usize| Some((site, down.to(site)?, Ways::from(rows, site).to(server)?));
    used.into_iter().filter_map(way).collect()
}

#[cfg(test)]
mod tests {
    use super::{homes, parallel_once};
    use fedbits_record::{TopologyLink, TopologyRows, TopologySite};

    fn sites(clients: [u64; 4]) -> TopologyRows {
        let site = |(index, clients): (usize, u64)| TopologySite {
            name: format!("s{index}"),
            x: 0.0,
            y: 0.0,
            server: index == 0,
            clients,
        };
        TopologyRows { sites: clients.into_iter().enumerate().map(site).collect(), links: Vec::new() }
    }

    /// Client i is at the (i modulo their number)-th site of the list, or of those with clients.
    #[test]
    fn clients_are_at_their_sites() {
        assert_eq!(homes(&sites([0, 3, 2, 2]), "clients: 7,", false), Some(vec![1, 2, 3]));
        let listed = "    clients: Sites([\n        Name(\"s3\"),\n        Index(1),\n    ]),\n";
        assert_eq!(homes(&sites([0, 1, 0, 2]), listed, false), Some(vec![3, 1]));
        assert_eq!(homes(&sites([1, 1, 1, 1]), "", true), Some(vec![0, 1, 2, 3]));
    }

    /// Of links between the same sites the page has the one over which ways lead, whatever stands after it.
    #[test]
    fn parallel_links_are_one() {
        let link = |from, to, latency_ns, capacity_bps| TopologyLink { from, to, capacity_bps, latency_ns };
        let links = vec![link(0, 1, 9, 1), link(1, 0, 2, 20), link(0, 1, 2, 300), link(1, 2, 5, 4), link(0, 1, 3, 5)];
        let rows = TopologyRows { links, ..sites([0, 1, 1, 0]) };
        let taken: Vec<_> = parallel_once(&rows).map(|link| (link.from, link.to, link.capacity_bps)).collect();
        assert_eq!(taken, [(1, 0, 20), (1, 2, 4)]);
    }

    /// Where list and counts contradict each other, nothing is said.
    #[test]
    fn what_is_not_known_is_not_guessed() {
        let listed = "clients: Sites([\nName(\"s3\"),\nIndex(1),\n]),";
        assert_eq!(homes(&sites([0, 2, 0, 1]), listed, false), None);
        assert_eq!(homes(&sites([0, 1, 0, 2]), "clients: Sites([\nName(\"nowhere\"),\n]),", false), None);
    }
}
