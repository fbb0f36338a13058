//! Sites and links of a network, as far as the scenario alone tells them. This file must not know how they are drawn.

use fedbits_protocols::footprint::product;

use crate::schema::{Network, Placement, Reach, Sites};

/// Bytes of a site: its name and place, three times; its row in the record.
const SITE: u64 = 400;
/// Bytes of a link: on the map, in the topology, as two directions, in the record, in the ledger.
const LINK: u64 = 250;
/// Bytes of a site in the tree of shortest ways from one site.
const WAY: u64 = 16;
/// Bytes of a pair of sites whose distance is kept until the nearest are chosen.
const PAIR: u64 = 32;

/// Sites and links; files count with nothing before they are read.
pub(super) fn counts(network: &Network) -> Option<(u64, u64)> {
    let Network::Graph { sites, .. } = network else { return None };
    let pairs = |sites: u32| product(&[u64::from(sites), u64::from(sites.saturating_sub(1))]) / 2;
    let share = |of: u64, share: f64| (of as f64 * share.clamp(0.0, 1.0)) as u64;
    Some(match sites {
        Sites::Star(sites) | Sites::Path(sites) | Sites::Ring(sites) => (u64::from(*sites), u64::from(*sites)),
        Sites::Complete(sites) => (u64::from(*sites), pairs(*sites)),
        Sites::Grid { rows, columns } => {
            let sites = product(&[u64::from(*rows), u64::from(*columns)]);
            (sites, 2 * sites)
        }
        Sites::KRegular { sites, degree } => (u64::from(*sites), product(&[u64::from(*sites), u64::from(*degree)]) / 2),
        Sites::Geometric { sites, reach } => {
            let within = match reach {
                Reach::Radius(radius) => share(pairs(*sites), core::f64::consts::PI * radius * radius),
                Reach::MeanDegree(degree) => (degree * f64::from(*sites) / 2.0) as u64,
            };
            (u64::from(*sites), within.min(pairs(*sites)))
        }
        Sites::ErdosRenyi { sites, probability } => (u64::from(*sites), share(pairs(*sites), *probability)),
        Sites::BarabasiAlbert { sites, links } => {
            (u64::from(*sites), product(&[u64::from(*links), u64::from(*sites)]).min(pairs(*sites)))
        }
        Sites::Hierarchical { fan_out } => {
            let level = fan_out.iter().scan(1, |level, &below| {
                *level = product(&[*level, u64::from(below)]);
                Some(*level)
            });
            let sites = level.fold(1, u64::saturating_add);
            (sites, sites)
        }
        Sites::Gml { .. } => (0, 0),
    })
}

/// Bytes of sites and links.
pub(super) fn bytes(network: &Network) -> u64 {
    let Some((sites, links)) = counts(network) else { return 0 };
    let drawing = match network {
        Network::Graph { sites: Sites::KRegular { .. } | Sites::BarabasiAlbert { .. }, .. } => product(&[32, links]),
        Network::Graph { sites: Sites::Geometric { reach: Reach::MeanDegree(_), .. }, .. } => {
            product(&[PAIR, sites, sites]) / 2
        }
        Network::Graph { sites: Sites::Geometric { .. }, .. } => product(&[32, links]),
        _ => 0,
    };
    product(&[SITE, sites]).saturating_add(product(&[LINK, links])).saturating_add(drawing)
}

/// Bytes of the shortest ways from every site on which there is a client, and from the server's.
pub(super) fn ways(network: &Network, clients: u64) -> u64 {
    let (Network::Graph { clients: placement, .. }, Some((sites, _))) = (network, counts(network)) else { return 0 };
    let occupied = match placement {
        Placement::Sites(list) => list.len() as u64,
        Placement::Everywhere | Placement::Others | Placement::Leaves => sites,
    };
    product(&[WAY, sites, occupied.min(clients) + 1])
}
