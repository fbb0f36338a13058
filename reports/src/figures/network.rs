//! Draws networks side by side: sites where the record puts them, links as wide and dark as they were used, or as wide
//! as their capacity, names where there is room.

use super::graticule;
use super::legend::legend_rows;
use super::numbers::{Labelled, Number, numbers};
use super::plot::Frame;
use crate::axes;
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, points, stroke, units};
use crate::shades::{Rgb, WHITE, shade};
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use fedbits_record::{MapProjection, TopologyRows, TopologySite};
use plotters::prelude::{Circle, Rectangle};
use plotters::style::ShapeStyle;

const LINK: Rgb = (0x99, 0x99, 0x99);
const SITE: Rgb = (0x00, 0x72, 0xB2);
const SERVER: Rgb = (0xD5, 0x5E, 0x00);
/// Size of names, in sizes of tick labels.
const NAME: f64 = 0.8;
/// Of networks with more sites none is named.
const MAX_NAMES: usize = 100;
/// Of networks with more sites it is not measured how near they are to each other.
const MAX_MEASURED: usize = 2_000;
/// A network among others is not narrower, in sizes of tick labels.
const NARROWEST: f64 = 9.0;
/// How much of the area between its sites the links of a network cover at most.
const COVER: f64 = 0.5;
/// Uses of links that differ by more are not distinguished.
const SPAN: f64 = 1e3;
/// The thinnest line that prints, in points.
const THINNEST: f64 = 0.1;
/// A site's mark is at most this share of the usual distance to the next site wide.
const CROWDED: f64 = 0.8;

/// One network and the arms that ran on it.
pub(crate) struct DrawnTopology<'a> {
    pub labels: Vec<&'a str>,
    pub rows: &'a TopologyRows,
    /// The share of its capacity that each link used, where the record tells.
    pub shares: Option<Vec<f64>>,
    /// How places on the earth became coordinates, where they are some.
    pub projection: Option<MapProjection>,
}

/// How links look.
enum Links {
    /// By their capacity: that of the fastest.
    Capacity(u64),
    /// By the share of it that they used: the least that is distinguished, and the most.
    Share(f64, f64),
}

/// What a legend shows: a site with or without the server and with so many clients, or a link that used such a share.
enum Sample {
    Site(bool, u64),
    Link(f64),
}

/// Everything measured, in points.
pub(crate) struct NetworkPage<'a> {
    /// Those that have room on the page, with the cell of each.
    pub networks: Vec<Placed<'a>>,
    height: f64,
    entries: Vec<(String, Sample)>,
    positions: Vec<(f64, f64)>,
    links: Links,
}

/// A network in its place: sites, marks, and names with room.
pub(crate) struct Placed<'a> {
    drawn: &'a DrawnTopology<'a>,
    frame: Frame,
    heading: Option<String>,
    positions: Vec<(i32, i32)>,
    radii: Vec<f64>,
    names: Vec<Number>,
}

impl Placed<'_> {
    /// Sites whose names have no room.
    pub(crate) fn unnamed(&self) -> usize {
        self.drawn.rows.sites.len() - self.names.len()
    }
}

/// Height of a network without its heading.
fn height(rows: &TopologyRows, width: f64, tallest: f64, look: &Look) -> f64 {
    let rims = 2.0 * rim(look);
    rims + f64::min((width - rims) * proportion(rows), tallest)
}

impl<'a> NetworkPage<'a> {
    /// As many columns as let all networks fit on the page; of too many the first.
    pub(crate) fn new(networks: &'a [DrawnTopology<'a>], look: &Look, metrics: &Metrics) -> Self {
        let links = Links::of(networks);
        let entries: Vec<(String, Sample)> = entries(networks).into_iter().chain(links.entries()).collect();
        let words: Vec<&str> = entries.iter().map(|(words, _)| words.as_str()).collect();
        let (positions, legend) = legend_rows(&words, look.tick, look, metrics);
        let several = networks.len() > 1;
        let (between, heading) = (1.5 * look.tick, if several { 1.6 * look.tick } else { 0.3 * look.tick });
        let tallest = if several { look.panel_height } else { look.single_height };
        let width = |columns: usize| (look.width - between * (columns as f64 + 1.0)) / columns as f64;
        // The top of every row of so many columns, and where the last ends.
        let tops = |columns: usize| {
            let mut tops = vec![legend + heading];
            for row in networks.chunks(columns) {
                let highest = row.iter().map(|one| height(one.rows, width(columns), tallest, look)).fold(0.0, f64::max);
                tops.push(tops[tops.len() - 1] + highest + heading + 0.5 * between);
            }
            tops
        };
        let end = |top: f64| top - heading - 0.2 * look.tick;
        let fits = |columns: &usize| tops(*columns).last().is_some_and(|last| end(*last) <= look.tallest);
        let preferred = if several { look.columns.clamp(2, networks.len()) } else { 1 };
        let widest = (preferred..=networks.len()).take_while(|&columns| width(columns) >= NARROWEST * look.tick);
        let columns = widest.clone().find(fits).or(widest.last()).unwrap_or(preferred);
        let tops = tops(columns);
        let rows = (1..tops.len()).rev().find(|&rows| end(tops[rows]) <= look.tallest).unwrap_or(1);
        let place = |(index, drawn): (usize, &'a DrawnTopology<'a>)| {
            let left = between + (index % columns) as f64 * (width(columns) + between);
            let (top, next) = (tops[index / columns], tops[index / columns + 1]);
            let bottom = next - heading - 0.5 * between;
            let frame = Frame { left, top, right: left + width(columns), bottom };
            placed(drawn, frame, several, look, metrics)
        };
        let placed = networks.iter().take(rows * columns).enumerate().map(place).collect();
        Self { networks: placed, height: end(tops[rows]), entries, positions, links }
    }

    /// The figure as an SVG file.
    pub(crate) fn draw(&self, look: &Look, metrics: &Metrics) -> Scene {
        let mut canvas = Canvas::new(look.width, self.height);
        for network in &self.networks {
            network.draw(&mut canvas, &self.links, look, metrics);
        }
        for ((entry, sample), (x, y)) in self.entries.iter().zip(&self.positions) {
            let (left, middle) = (units(*x), units(y - 0.33 * look.tick));
            canvas.layer(Layer::new("legend"), |area| match *sample {
                Sample::Site(server, clients) => {
                    let site = TopologySite { name: String::new(), x: 0.0, y: 0.0, server, clients };
                    mark(area, (units(x + 0.5 * look.tick), middle), &site, radius(&site, 1, look));
                }
                Sample::Link(share) => {
                    let ends = vec![(left, middle), (units(x + look.tick), middle)];
                    area.path(ends, self.links.style(0, share, f64::INFINITY, look));
                }
            });
            canvas.text(&Rich::plain(entry), (x + 1.5 * look.tick, *y), look.tick, Anchor::Start);
        }
        canvas.finish()
    }
}

/// The kinds of sites that occur: their names, and a sample of each.
fn entries(networks: &[DrawnTopology<'_>]) -> Vec<(String, Sample)> {
    let any = |wanted: fn(&TopologySite) -> bool| networks.iter().flat_map(|drawn| &drawn.rows.sites).any(wanted);
    let served = any(|site| site.server);
    let kinds = [
        ("server", (true, 0), served),
        (if served { "site with clients" } else { "agent" }, (false, 1), any(|site| !site.server && site.clients > 0)),
        ("site without clients", (false, 0), any(|site| !site.server && site.clients == 0)),
    ];
    let entry =
        |(word, (server, clients), _): (&str, (bool, u64), bool)| (word.to_owned(), Sample::Site(server, clients));
    kinds.into_iter().filter(|kind| kind.2).map(entry).collect()
}

impl Links {
    fn of(networks: &[DrawnTopology<'_>]) -> Self {
        let shares = || networks.iter().filter_map(|drawn| drawn.shares.as_ref()).flatten().copied();
        let (least, most) = axes::range(shares().filter(|share| *share > 0.0));
        if most > 0.0 {
            return Self::Share(least.max(most / SPAN).min(0.999 * most), most);
        }
        let all = networks.iter().flat_map(|drawn| &drawn.rows.links);
        Self::Capacity(all.map(|link| link.capacity_bps).max().unwrap_or(1))
    }

    /// A link of the least and one of the most use.
    fn entries(&self) -> Vec<(String, Sample)> {
        let Self::Share(least, most) = *self else { return Vec::new() };
        let words = |share: f64| {
            let percent = 100.0 * share;
            let decimals = (1.0 - libm::log10(percent).floor()).clamp(0.0, 9.0) as usize;
            format!("link used by {percent:.decimals$} %")
        };
        let all = [least, most].map(|share| (words(share), Sample::Link(share)));
        if all[0].0 == all[1].0 { all.into_iter().skip(1).collect() } else { all.into() }
    }

    /// A link's line, at most so wide: its width shows its capacity, a third less for each factor 10; or width and
    /// shade the logarithm of its use, as that differs by powers of ten. What is unused is thin and grey.
    fn style(&self, capacity: u64, share: f64, widest: f64, look: &Look) -> ShapeStyle {
        let wide = |width: f64| f64::min(width * look.line, widest).max(THINNEST);
        match *self {
            Self::Capacity(most) => {
                let decades = libm::log10(most as f64 / capacity.max(1) as f64);
                stroke(wide(1.4) * (1.0 - decades / 3.0).max(0.25), LINK)
            }
            Self::Share(..) if share <= 0.0 => stroke(wide(0.4), LINK),
            Self::Share(least, most) => {
                let place = (libm::log(share / least) / libm::log(most / least)).max(0.0);
                stroke(wide(2.4) * (0.3 + 0.7 * place), shade(0.3 + 0.7 * place))
            }
        }
    }
}

fn placed<'a>(drawn: &'a DrawnTopology<'a>, frame: Frame, several: bool, look: &Look, metrics: &Metrics) -> Placed<'a> {
    let sites = &drawn.rows.sites;
    let positions = positions(sites, &frame, look);
    let busiest = sites.iter().map(|site| site.clients).max().unwrap_or(0);
    let room = 0.5 * CROWDED * usual_distance(&positions);
    let radii: Vec<f64> =
        sites.iter().map(|site| radius(site, busiest, look).min(room).max(0.05 * look.tick)).collect();
    let links: Vec<_> =
        drawn.rows.links.iter().map(|link| [link.from, link.to].map(|end| positions[end as usize])).collect();
    let middle = frame.middle();
    let labelled = |((site, &center), &half_width): ((&TopologySite, &(i32, i32)), &f64)| Labelled {
        center,
        half_width,
        words: (sites.len() <= MAX_NAMES).then(|| Rich::plain(&site.name)),
        // Outwards, where fewer links are.
        toward: (points(center.0) - middle.0, points(center.1) - middle.1),
    };
    let dots: Vec<Labelled> = sites.iter().zip(&positions).zip(&radii).map(labelled).collect();
    let names = numbers(&dots, &links, (&frame, NAME * look.tick), look, metrics);
    let heading = several.then(|| heading_words(&drawn.labels, frame.right - frame.left, look, metrics));
    Placed { drawn, frame, heading, positions, radii, names }
}

/// The arms' names as far as there is room.
fn heading_words(labels: &[&str], width: f64, look: &Look, metrics: &Metrics) -> String {
    let width = width + look.tick;
    let fits = |text: &str| metrics.width(&Rich::plain(text), look.tick) <= width;
    let all = labels.join(", ");
    match labels {
        [first, rest @ ..] if !fits(&all) && !rest.is_empty() => {
            let more = format!(" and {} more", rest.len());
            let room = width - metrics.width(&Rich::plain(&more), look.tick);
            fitted(&[first], room, look.tick, metrics).concat() + &more
        }
        _ => fitted(&[&all], width, look.tick, metrics).concat(),
    }
}

impl Placed<'_> {
    fn draw(&self, canvas: &mut Canvas, links: &Links, look: &Look, metrics: &Metrics) {
        let rows = self.drawn.rows;
        if let Some(MapProjection { longitude_scale }) = self.drawn.projection {
            let (middle, scale) = proportions(&rows.sites, &self.frame, look);
            let marks = self.positions.iter().zip(&self.radii).map(|(&(x, y), radius)| {
                let (x, y) = (points(x), points(y));
                [x - radius, y - radius, x + radius, y + radius]
            });
            let taken: Vec<[f64; 4]> = self.names.iter().map(|name| name.bounds).chain(marks).collect();
            let chart = graticule::Chart { middle, scale, longitude_scale, frame: self.frame };
            chart.draw(canvas, &taken, look, metrics);
        }
        if let Some(heading) = &self.heading {
            let position = (self.frame.middle().0, self.frame.top - 0.5 * look.tick);
            canvas.text(&Rich::plain(heading), position, look.tick, Anchor::Middle);
        }
        canvas.layer(Layer::new("links"), |area| {
            let share = |number: usize| self.drawn.shares.as_ref().map_or(0.0, |shares| shares[number]);
            let used = |number: usize| share(number) > 0.0;
            let widest = [self.widest(|number| !used(number)), self.widest(used)];
            // The busiest on top.
            let mut order: Vec<usize> = (0..rows.links.len()).collect();
            order.sort_by(|one, other| share(*one).total_cmp(&share(*other)));
            for (number, link) in order.into_iter().map(|number| (number, &rows.links[number])) {
                let ends = vec![self.positions[link.from as usize], self.positions[link.to as usize]];
                let widest = widest[usize::from(used(number))];
                area.path(ends, links.style(link.capacity_bps, share(number), widest, look));
            }
        });
        canvas.layer(Layer::new("sites"), |area| {
            let order = rows.sites.iter().zip(self.positions.iter().zip(&self.radii));
            // The server last: nothing hides it.
            let (server, others): (Vec<_>, Vec<_>) = order.partition(|(site, _)| site.server);
            for (site, (&position, &radius)) in others.into_iter().chain(server) {
                mark(area, position, site, radius);
            }
        });
        for Number { words, bounds, baseline, .. } in &self.names {
            canvas.text(words, (bounds[0], *baseline), NAME * look.tick, Anchor::Start);
        }
    }

    /// The width of lines with which these links would cover as much of the network as they may.
    fn widest(&self, these: impl Fn(usize) -> bool) -> f64 {
        let links = self.drawn.rows.links.iter().enumerate().filter(|(number, _)| these(*number));
        let lengths =
            links.map(|(_, link)| distance(self.positions[link.from as usize], self.positions[link.to as usize]));
        let length: f64 = lengths.sum();
        let side = |of: fn(&(i32, i32)) -> i32| {
            let (low, high) = axes::range(self.positions.iter().map(|position| points(of(position))));
            high - low
        };
        let (across, down) = (side(|position| position.0), side(|position| position.1));
        // Sites in a line have no area between them.
        if across.min(down) > 0.0 { COVER * across * down / length } else { f64::INFINITY }
    }
}

fn distance(one: (i32, i32), other: (i32, i32)) -> f64 {
    points(1) * libm::hypot(f64::from(one.0 - other.0), f64::from(one.1 - other.1))
}

/// The median over the sites of how far the next one is.
fn usual_distance(positions: &[(i32, i32)]) -> f64 {
    if positions.len() < 2 || positions.len() > MAX_MEASURED {
        return f64::INFINITY;
    }
    let nearest = |index: usize| {
        let others = positions.iter().enumerate().filter(|(other, _)| *other != index);
        others.map(|(_, &other)| distance(positions[index], other)).fold(f64::INFINITY, f64::min)
    };
    let mut all: Vec<f64> = (0..positions.len()).map(nearest).collect();
    all.sort_unstable_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Room for marks and names around a network.
fn rim(look: &Look) -> f64 {
    1.8 * look.tick
}

/// Smallest and largest value of the sites.
fn range(sites: &[TopologySite], value: fn(&TopologySite) -> f64) -> (f64, f64) {
    axes::range(sites.iter().map(value))
}

/// Height over width.
fn proportion(rows: &TopologyRows) -> f64 {
    let ((west, east), (south, north)) = (range(&rows.sites, |site| site.x), range(&rows.sites, |site| site.y));
    if east > west { (north - south) / (east - west) } else { 1.0 }
}

/// The coordinates in the middle of a frame, and points per unit of them: as large as the frame allows.
fn proportions(sites: &[TopologySite], frame: &Frame, look: &Look) -> ((f64, f64), f64) {
    let ((west, east), (south, north)) = (range(sites, |site| site.x), range(sites, |site| site.y));
    let rims = 2.0 * rim(look);
    let scale = |from: f64, to: f64, room: f64| if to > from { room / (to - from) } else { f64::INFINITY };
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    let scale = scale(west, east, width - rims).min(scale(south, north, height - rims));
    (((west + east) / 2.0, (south + north) / 2.0), if scale.is_finite() { scale } else { 0.0 })
}

/// Positions of all sites in units, in true proportions, centred.
fn positions(sites: &[TopologySite], frame: &Frame, look: &Look) -> Vec<(i32, i32)> {
    let ((x, y), scale) = proportions(sites, frame, look);
    let (middle_x, middle_y) = frame.middle();
    let position =
        |site: &TopologySite| (units(middle_x + scale * (site.x - x)), units(middle_y - scale * (site.y - y)));
    sites.iter().map(position).collect()
}

/// Radius of a site's mark where there is room: its area grows with its clients.
fn radius(site: &TopologySite, busiest: u64, look: &Look) -> f64 {
    let share = if busiest > 0 { site.clients as f64 / busiest as f64 } else { 0.0 };
    let base = if site.server { 0.42 } else { 0.22 };
    look.tick * f64::max(base, 0.22 + 0.2 * share.sqrt())
}

fn mark(area: &Area, (x, y): (i32, i32), site: &TopologySite, radius: f64) {
    let (outer, inner) = (units(radius), units(0.7 * radius));
    if site.server {
        return area.draw(&Rectangle::new([(x - outer, y - outer), (x + outer, y + outer)], fill(SERVER, 1.0)));
    }
    area.draw(&Circle::new((x, y), outer, fill(SITE, 1.0)));
    if site.clients == 0 {
        area.draw(&Circle::new((x, y), inner, fill(WHITE, 1.0)));
    }
}
