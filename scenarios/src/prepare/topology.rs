//! The topology of a scenario: its map from a shape or a file, its links with capacities and latencies, its hosts.

use fedbits_kernel::network::LinkId;
use fedbits_kernel::topology::{Backbone, Edge, GraphLinks, Host, Map, Place, Site, SiteId, Topology, gml};
use fedbits_kernel::{AccessLink, Rate, TimeDelta};
use fedbits_models::data::packed;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{TopologyLink, TopologyRows, TopologySite};

use super::error::{PrepareError, every, misfit, unread};
use super::laws::{Drawer, wanted};
use super::links::{Special, found};
use super::tables::Entities;
use crate::data_files::DataFolders;
use crate::schema::{
    Background, LinkCapacity, LinkLatency, LinkSettings, Loss, Network, Piece, Placement, Reach, Shape, SiteName,
    Sites, YEAR,
};
use fedbits_spec::{Caveat, so_many};
use std::io::Read;

/// What a scenario says about its sites and the links between them.
pub(super) struct Plan<'a> {
    pub(super) sites: &'a Sites,
    pub(super) capacity: &'a LinkCapacity,
    pub(super) latency: &'a LinkLatency,
    /// Losses on links that have none of their own.
    pub(super) link_loss: Loss,
    /// A constant one is taken off every capacity.
    pub(super) background: Background,
    /// What is different about single links.
    pub(super) links: &'a [LinkSettings],
}

impl<'a> Plan<'a> {
    /// What a graph says; a star has no sites.
    pub(super) fn of(network: &'a Network) -> Result<Self, PrepareError> {
        let Shape::Graph { sites, link_capacity, link_latency, link_loss, links, .. } = &network.shape else {
            let found = "agents are the sites of a graph, and this is a star";
            return Err(misfit("network.shape", found, "expected `Graph(…)`"));
        };
        let (capacity, latency, link_loss) = (link_capacity, link_latency, *link_loss);
        Ok(Plan { sites, capacity, latency, link_loss, background: network.background, links })
    }
}

/// Sites, links, and what is different about single ones.
pub(super) struct Settled {
    pub(super) topology: Topology,
    pub(super) special: Special,
    /// What is to be said of the files of links, and what was cut of drawn ones.
    pub(super) caveats: Vec<Caveat>,
}

/// The sites and their links.
pub(super) fn topology(plan: &Plan<'_>, streams: &Streams, folders: &DataFolders) -> Result<Settled, PrepareError> {
    let (map, left_out) = map(plan, streams, folders)?;
    let special = Special::find(&map, plan.links)?;
    let law = if let LinkCapacity::Law(law) = plan.capacity { Some(law) } else { None };
    let rates = law.map(|law| wanted!("network.shape.link_capacity[0]", law));
    let law = if let LinkLatency::Law(law) = plan.latency { Some(law) } else { None };
    let durations = law.map(|law| wanted!("network.shape.link_latency[0]", law));
    let laws: Vec<_> = rates.into_iter().chain(durations).collect();
    let entities = Entities { count: map.link_count(), name: "link", first: LINKS };
    let drawer = Drawer::new(*streams, entities, &laws, folders)?;
    let topology = map.settle(|number, ends, edge| {
        let link = special.of(LinkId(2 * number));
        let capacity = match link.and_then(|link| link.capacity) {
            Some(given) => Rate::of(given),
            None => capacity(plan, &drawer, number, ends, edge)?,
        };
        let latency = match link.and_then(|link| link.latency) {
            Some(given) => TimeDelta::of(given),
            None => at_most_a_year(latency(plan, &drawer, number, ends, edge)?, ends)?,
        };
        let background = link.and_then(|link| link.background).unwrap_or(plan.background);
        Ok::<_, PrepareError>(Backbone { capacity: what_is_left(capacity, background, ends)?, latency })
    })?;
    Ok(Settled { topology, special, caveats: left_out.into_iter().chain(drawer.caveats()).collect() })
}

/// The map, and what is to be said of sites that are left out.
fn map(plan: &Plan<'_>, streams: &Streams, folders: &DataFolders) -> Result<(Map, Option<Caveat>), PrepareError> {
    let sites = plan.sites;
    let read = |path: &str| {
        let file = folders.find(path)?;
        let name = file.display().to_string();
        let mut text = String::new();
        let read = packed::text(&file, folders.limit).and_then(|mut file| file.read_to_string(&mut text));
        // What is read from a text takes several times its length.
        read.and_then(|length| folders.limit.allows((length as u64).saturating_mul(20))).map_err(|error| {
            let wrong = || misfit(FILE, format!("{name}: {error}"), "expected a file of text");
            unread(&file, &error).unwrap_or_else(wrong)
        })?;
        Ok::<_, PrepareError>((name, text))
    };
    let map = match sites {
        Sites::Gml { path, capacity, latency, piece } => {
            let (name, text) = read(path)?;
            let attributes = gml::Attributes {
                capacity: Some((capacity.name.clone(), capacity.unit.bits_per_second())),
                latency: latency.as_ref().map(|latency| (latency.name.clone(), latency.unit.seconds())),
            };
            let map = gml::read(&text, &attributes).map_err(|error| {
                let expected = error.expected.unwrap_or("expected a file in GML");
                misfit(FILE, format!("{name}, {error}"), expected)
            })?;
            has_attributes(plan, &map, &text, &name)?;
            if *piece == Piece::Largest {
                let (largest, rest) = map.largest();
                let said = left_out(&name, &rest, map.site_count());
                return Ok((largest, said));
            }
            map
        }
        _ => sites.build(streams).map_err(|error| misfit("network.shape.sites", error, denser(sites)))?,
    };
    let whole = "expected a connected network, or `piece: Largest` beside `path` for its largest piece";
    map.connected().map_err(|pieces| misfit(FILE, pieces, whole))?;
    Ok((map, None))
}

/// What is to be said of the sites outside the largest piece of a file.
fn left_out(file: &str, rest: &[String], sites: usize) -> Option<Caveat> {
    const SHOWN: usize = 5;
    (!rest.is_empty()).then(|| Caveat::SitesLeftOut {
        file: file.to_owned(),
        count: rest.len().to_string(),
        sites: so_many(sites, "site"),
        names: fedbits_text::first_few(rest, SHOWN),
    })
}

/// Where every link needs what an attribute of the file says, some link has it: a misspelt name is told as such.
fn has_attributes(plan: &Plan<'_>, map: &Map, text: &str, file: &str) -> Result<(), PrepareError> {
    let Sites::Gml { capacity, latency, .. } = plan.sites else { return Ok(()) };
    let lacks = |has: fn(&Edge) -> bool| map.link_count() > 0 && !map.links().any(|(_, edge)| has(edge));
    let check = |needed: bool, name: &str, path: &str| {
        if !needed {
            return Ok(());
        }
        let there = gml::edge_attributes(text);
        let hint = fedbits_text::nearest(name, there.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let expected = hint.unwrap_or_else(|| format!("expected {}", fedbits_text::one_of(&there)));
        Err(misfit(path, format!("{file}: no edge has the attribute `{name}`"), expected))
    };
    let needs = matches!(plan.capacity, LinkCapacity::File { otherwise: None });
    let rates =
        check(needs && lacks(|edge| edge.capacity.is_some()), &capacity.name, "network.shape.sites.capacity.name");
    let needs = matches!(plan.latency, LinkLatency::File { otherwise: None });
    let durations = latency.as_ref().map_or(Ok(()), |latency| {
        check(needs && lacks(|edge| edge.latency.is_some()), &latency.name, "network.shape.sites.latency.name")
    });
    every([rates, durations]).map(|_| ())
}

/// Where a scenario says the latency of its links.
const LATENCY: &str = "network.shape.link_latency";

/// Where a scenario names the file of its sites.
const FILE: &str = "network.shape.sites.path";

/// What makes a random shape more connected.
fn denser(sites: &Sites) -> &'static str {
    match sites {
        Sites::Geometric { reach: Reach::Radius(_), .. } => "expected a larger `Radius`",
        Sites::Geometric { .. } => "expected a larger `MeanDegree`",
        Sites::ErdosRenyi { .. } => "expected a larger `probability`: about ln(sites) / sites connects most graphs",
        Sites::KRegular { .. } => "expected a larger `degree`",
        _ => "expected parameters of which there is a connected graph",
    }
}

fn link_name(ends: [&Site; 2]) -> String {
    format!("the link from `{}` to `{}`", ends[0].name, ends[1].name)
}

fn capacity(plan: &Plan<'_>, drawer: &Drawer, number: u32, ends: [&Site; 2], edge: Edge) -> Result<Rate, PrepareError> {
    match plan.capacity {
        LinkCapacity::Law(law) => {
            Ok(drawer.rate(("network.shape.link_capacity", law), DrawPurpose::Bandwidth, u64::from(number), LINKS))
        }
        LinkCapacity::File { otherwise } => {
            let otherwise = otherwise.map(Rate::of);
            edge.capacity.or(otherwise).ok_or_else(|| {
                let message = format!("the file gives {} no capacity", link_name(ends));
                let expected = "expected `File(otherwise: Gbps(1))`, or `Law(…)` for all links";
                misfit("network.shape.link_capacity", message, expected)
            })
        }
    }
}

/// The capacity that a constant background leaves.
fn what_is_left(whole: Rate, background: Background, ends: [&Site; 2]) -> Result<Rate, PrepareError> {
    let Background::Rate(background) = background else { return Ok(whole) };
    let left = whole.bits_per_second() as f64 - background.bits_per_second();
    Rate::from_bits_per_second(left).map_err(|_| {
        let background = Rate::of(background);
        let link = link_name(ends);
        let message = format!("the background of {background} leaves nothing of {link}, which carries {whole}");
        misfit("network.background", message, format!("expected a rate below {whole}"))
    })
}

fn latency(
    plan: &Plan<'_>,
    drawer: &Drawer,
    number: u32,
    ends: [&Site; 2],
    edge: Edge,
) -> Result<TimeDelta, PrepareError> {
    match plan.latency {
        LinkLatency::Law(law) => Ok(drawer.duration((LATENCY, law), DrawPurpose::Latency, u64::from(number), LINKS)),
        LinkLatency::File { otherwise } => edge.latency.or(otherwise.map(TimeDelta::of)).ok_or_else(|| {
            let message = format!("the file gives {} no latency", link_name(ends));
            misfit(LATENCY, message, "expected `File(otherwise: Ms(5))`, or `Law(…)` for all links")
        }),
        LinkLatency::Distance { km_per_ms, unit_km, otherwise } => {
            let places = ends[0].place.zip(ends[1].place);
            match places.and_then(|(from, to)| from.distance_km(to, *unit_km)) {
                Some(km) => TimeDelta::from_seconds(km / km_per_ms * 1e-3).map_err(|error| {
                    let message = format!("{} is too long: {error}", link_name(ends));
                    misfit(LATENCY, message, "expected a smaller `unit_km`, or a larger `km_per_ms`")
                }),
                None => otherwise.map(TimeDelta::of).ok_or_else(|| {
                    let nowhere =
                        ends.iter().find(|site| !matches!(site.place, Some(Place::Globe { .. } | Place::Plane { .. })));
                    let site = nowhere.map_or("one of its ends", |site| site.name.as_str());
                    let link = link_name(ends);
                    let message = format!("{link} has no distance, because the file does not say where `{site}` is");
                    let expected = "expected `Distance(otherwise: Ms(5))`, or `Law(…)` for all links";
                    misfit(LATENCY, message, expected)
                }),
            }
        }
    }
}

/// What happens once per message must leave room on the clock.
fn at_most_a_year(latency: TimeDelta, ends: [&Site; 2]) -> Result<TimeDelta, PrepareError> {
    if latency.as_nanos() <= YEAR {
        return Ok(latency);
    }
    let message = format!("the latency of {} is {latency}", link_name(ends));
    Err(misfit(LATENCY, message, "expected at most a year (365.25 days)"))
}

/// Links between sites have draws of their own, apart from the clients': the index of their addresses, and where they
/// begin among those who draw rows of tables.
const LINKS: u64 = 1 << 32;

/// The server (node 0) and the clients on their sites.
pub(super) fn attach(
    topology: Topology,
    server: &SiteName,
    clients: &Placement,
    server_access: AccessLink,
    client_access: impl ExactSizeIterator<Item = AccessLink>,
) -> Result<GraphLinks, PrepareError> {
    let mut named = vec![find(&topology, server, "network.shape.server")];
    if let Placement::Sites(list) = clients {
        let site = |(i, name)| find(&topology, name, &format!("network.shape.clients[0][{i}]"));
        named.extend(list.iter().enumerate().map(site));
    }
    let named = every(named)?;
    let server = named[0];
    let sites = sites_of_clients(&topology, server, clients, &named[1..])?;
    let mut hosts = vec![Host { site: server, access: Some(server_access) }];
    let client = |(i, access)| Host { site: sites[i % sites.len()], access: Some(access) };
    hosts.extend(client_access.enumerate().map(client));
    connected(topology, hosts)
}

fn connected(topology: Topology, hosts: Vec<Host>) -> Result<GraphLinks, PrepareError> {
    GraphLinks::new(topology, hosts).map_err(|error| misfit("network", error, "expected another network"))
}

/// A host on every site, without access links: neighbours talk over the link that joins them.
pub(super) fn inhabit(topology: Topology) -> Result<GraphLinks, PrepareError> {
    let hosts = (0..topology.site_count() as u32).map(|site| Host { site: SiteId(site), access: None }).collect();
    Ok(connected(topology, hosts)?.among_neighbours())
}

/// `named`: those of `Placement::Sites`.
fn sites_of_clients(
    topology: &Topology,
    server: SiteId,
    clients: &Placement,
    named: &[SiteId],
) -> Result<Vec<SiteId>, PrepareError> {
    let all = || (0..topology.site_count() as u32).map(SiteId);
    let sites: Vec<SiteId> = match clients {
        Placement::Everywhere => all().collect(),
        Placement::Others if topology.site_count() == 1 => vec![server],
        Placement::Others => all().filter(|&site| site != server).collect(),
        Placement::Leaves => all().filter(|&site| site != server && topology.neighbours(site).len() == 1).collect(),
        Placement::Sites(_) => named.to_vec(),
    };
    if sites.is_empty() {
        let message = "no site but the server's has just one neighbour: `Leaves` leaves the clients nowhere";
        let expected = "expected `Others`, `Everywhere` or `Sites([…])`, or sites with ends such as `Hierarchical(…)`";
        return Err(misfit("network.shape.clients", message, expected));
    }
    Ok(sites)
}

fn find(topology: &Topology, name: &SiteName, path: &str) -> Result<SiteId, PrepareError> {
    found(topology.find(name), path)
}

/// What the record keeps of a network: sites with their places in a drawing, which host is attached where, links.
/// With a `server` host 0 is it; without one all hosts are clients.
pub(super) fn rows(network: &GraphLinks, server: bool) -> TopologyRows {
    let topology = network.topology();
    let mut clients = vec![0u64; topology.site_count()];
    network.hosts().iter().skip(usize::from(server)).for_each(|host| clients[host.site.0 as usize] += 1);
    let server = network.hosts().first().filter(|_| server).map(|host| host.site);
    let sites = topology.sites().zip(topology.layout()).zip(clients).enumerate();
    let site = |(index, ((site, [x, y]), clients)): (usize, ((&Site, [f64; 2]), u64))| TopologySite {
        name: site.name.clone(),
        x,
        y,
        server: server == Some(SiteId(index as u32)),
        clients,
    };
    let link = |([from, to], link): ([SiteId; 2], &Backbone)| TopologyLink {
        from: u64::from(from.0),
        to: u64::from(to.0),
        capacity_bps: link.capacity.bits_per_second(),
        latency_ns: link.latency.as_nanos(),
    };
    TopologyRows { sites: sites.map(site).collect(), links: topology.links().map(link).collect() }
}
