//! Sites and links of a network, as far as the scenario alone tells them. This file must not know how they are drawn.

use fedbits_protocols::footprint::product;

use crate::schema::{Network, Placement, Reach, Shape, Sites};

/// Bytes of a site: its name and place, three times; its row in the record.
const SITE: u64 = 400;
/// Bytes of a link: on the map, in the topology, as two directions, in the record, in the ledger.
const LINK: u64 = 340;
/// Bytes of a site in the tree of shortest routes from one site.
const STEP: u64 = 16;
/// Bytes of a pair of sites whose distance is kept until the nearest are chosen.
const PAIR: u64 = 32;

/// Sites and links; files count with nothing before they are read.
pub(super) fn counts(network: &Network) -> Option<(u64, u64)> {
    let Shape::Graph { sites, .. } = &network.shape else { return None };
    let count = sites.count().unwrap_or(0);
    let pairs = product(&[count, count.saturating_sub(1)]) / 2;
    let share = |share: f64| (pairs as f64 * share.clamp(0.0, 1.0)) as u64;
    let links = match sites {
        Sites::Star(_) | Sites::Path(_) | Sites::Ring(_) | Sites::Hierarchical { .. } => count,
        Sites::Complete(_) => pairs,
        Sites::Grid { .. } => 2 * count,
        Sites::KRegular { degree, .. } => product(&[count, u64::from(*degree)]) / 2,
        Sites::Geometric { reach: Reach::Radius(radius), .. } => share(core::f64::consts::PI * radius * radius),
        Sites::Geometric { reach: Reach::MeanDegree(degree), .. } => ((degree * count as f64 / 2.0) as u64).min(pairs),
        Sites::ErdosRenyi { probability, .. } => share(*probability),
        Sites::BarabasiAlbert { links, .. } => product(&[u64::from(*links), count]).min(pairs),
        Sites::Gml { .. } => 0,
    };
    Some((count, links))
}

/// Bytes of sites and links.
pub(super) fn bytes(network: &Network) -> u64 {
    let Some((sites, links)) = counts(network) else { return 0 };
    let drawing = match &network.shape {
        Shape::Graph { sites: Sites::KRegular { .. } | Sites::BarabasiAlbert { .. }, .. } => product(&[32, links]),
        Shape::Graph { sites: Sites::Geometric { reach: Reach::MeanDegree(_), .. }, .. } => {
            product(&[PAIR, sites, sites]) / 2
        }
        Shape::Graph { sites: Sites::Geometric { .. }, .. } => product(&[32, links]),
        _ => 0,
    };
    product(&[SITE, sites]).saturating_add(product(&[LINK, links])).saturating_add(drawing)
}

/// Bytes of the shortest routes from every site on which there is a client, and from the server's.
pub(super) fn routes(network: &Network, clients: u64) -> u64 {
    let (Shape::Graph { clients: placement, .. }, Some((sites, _))) = (&network.shape, counts(network)) else {
        return 0;
    };
    let occupied = match placement {
        Placement::Sites(list) => list.len() as u64,
        Placement::Everywhere | Placement::Others | Placement::Leaves => sites,
    };
    product(&[STEP, sites, occupied.min(clients) + 1])
}
