//! Where the sites of a topology are drawn: where they are, or else on a circle. It must not know links.

use super::{Map, Place, Site, SiteId};

/// Positions of all sites, by index: their places when all have one, else evenly on a circle of radius 1 from its top.
pub fn layout<'a>(sites: impl IntoIterator<Item = &'a Site>) -> Vec<[f64; 2]> {
    let places: Vec<_> = sites.into_iter().map(|site| site.place.map(Place::drawn)).collect();
    let circle = |index: usize| on_circle(index, places.len());
    let all: Option<Vec<_>> = places.iter().copied().collect();
    all.unwrap_or_else(|| (0..places.len()).map(circle).collect())
}

/// Point `index` of `count` on the unit circle, clockwise from the top.
pub(super) fn on_circle(index: usize, count: usize) -> [f64; 2] {
    let angle = std::f64::consts::TAU * index as f64 / count as f64;
    [libm::sin(angle), libm::cos(angle)]
}

/// A drawing that puts every site of `map` where `at` says.
pub(super) fn draw(map: &mut Map, at: impl Fn(SiteId) -> [f64; 2]) {
    for node in map.graph.node_indices() {
        let [x, y] = at(super::graph::site(node));
        map.graph[node].place = Some(Place::Drawing { x, y });
    }
}
