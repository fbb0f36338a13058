//! Where the sites of a topology are drawn. Nothing is simulated to find it: places that are known are kept.

use super::graph::site;
use super::{Map, Place, SiteId, Topology};

impl Topology {
    /// Positions of all sites, by index. Places on the earth are degrees, longitudes shortened by the cosine of the
    /// mean latitude. A site without a place is drawn between its neighbours that have one, or beside the only one;
    /// when no site has a place, all are on a circle of radius 1 from its top.
    pub fn layout(&self) -> Vec<[f64; 2]> {
        let places: Vec<_> = self.sites().map(|site| site.place).collect();
        let shrink = shrink(&places);
        let mut drawn: Vec<Option<[f64; 2]>> =
            places.iter().map(|place| place.map(|place| at(place, shrink))).collect();
        let known: Vec<[f64; 2]> = drawn.iter().flatten().copied().collect();
        if known.is_empty() {
            return (0..drawn.len()).map(|index| on_circle(index, places.len())).collect();
        }
        let center = mean(&known);
        // Site by site, as long as one has a neighbour with a place: in a connected topology all get one.
        loop {
            let next = (0..drawn.len()).filter(|&index| drawn[index].is_none());
            let found = next.map(|index| (index, self.beside(index, &drawn, center))).find(|(_, at)| at.is_some());
            match found {
                Some((index, at)) => drawn[index] = at,
                None => return drawn.into_iter().map(|at| at.unwrap_or(center)).collect(),
            }
        }
    }

    /// What [`Self::layout`] multiplies longitudes by, where all places that are known are on the earth.
    pub fn longitude_scale(&self) -> Option<f64> {
        let places: Vec<_> = self.sites().map(|site| site.place).collect();
        let is_earth = |place: &Place| matches!(place, Place::Globe { .. });
        let mut known = places.iter().flatten().peekable();
        (known.peek().is_some() && known.all(is_earth)).then(|| shrink(&places))
    }

    /// Between the neighbours with a place; a tenth of the way further out than the only one.
    fn beside(&self, index: usize, drawn: &[Option<[f64; 2]>], center: [f64; 2]) -> Option<[f64; 2]> {
        let near = self.neighbours(SiteId(index as u32));
        let near: Vec<[f64; 2]> = near.iter().filter_map(|site| drawn[site.0 as usize]).collect();
        match near[..] {
            [] => None,
            [only] => Some(std::array::from_fn(|axis| only[axis] + 0.1 * (only[axis] - center[axis]))),
            _ => Some(mean(&near)),
        }
    }
}

/// The cosine of the mean latitude, 1 where there is none.
fn shrink(places: &[Option<Place>]) -> f64 {
    let latitude = |place: &Option<Place>| match place {
        Some(Place::Globe { latitude, .. }) => Some(*latitude),
        _ => None,
    };
    let latitudes: Vec<f64> = places.iter().filter_map(latitude).collect();
    match latitudes.len() {
        0 => 1.0,
        count => libm::cos((latitudes.iter().sum::<f64>() / count as f64).to_radians()),
    }
}

fn at(place: Place, shrink: f64) -> [f64; 2] {
    match place {
        Place::Globe { longitude, latitude } => [longitude * shrink, latitude],
        Place::Plane { x, y } | Place::Drawing { x, y } => [x, y],
    }
}

fn mean(points: &[[f64; 2]]) -> [f64; 2] {
    std::array::from_fn(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64)
}

/// Point `index` of `count` on the unit circle, clockwise from the top.
pub(super) fn on_circle(index: usize, count: usize) -> [f64; 2] {
    let angle = std::f64::consts::TAU * index as f64 / count as f64;
    [libm::sin(angle), libm::cos(angle)]
}

/// A drawing that puts every site of `map` where `position` says.
pub(super) fn draw(map: &mut Map, position: impl Fn(SiteId) -> [f64; 2]) {
    for index in map.graph.node_indices() {
        let [x, y] = position(site(index));
        map.graph[index].place = Some(Place::Drawing { x, y });
    }
}
