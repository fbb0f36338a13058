//! Draws networks side by side: sites where the record puts them, links as wide and dark as they were used, or as wide
//! as their capacity, names where there is room. A map has no axes, and so it is no panel.

use super::graticule;
use super::units::bit_unit;
use crate::axes::{self, WIDE};
use crate::layout::{Beside, Entry, Frame, Legend, Sample, Wanted, beside, draw_entries, legend_of};
use crate::scene::{Anchor, Area, Canvas, Layer, Point, Scene, fill, stroke};
use crate::shades::{Rgb, WHITE, shade};
use crate::style::{LineStyle, Look, Marker};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use fedbits_record::{MapProjection, TopologyLink, TopologyRows, TopologySite};

const LINK: Rgb = (0x99, 0x99, 0x99);
const SITE: Rgb = (0x00, 0x72, 0xB2);
const SERVER: Rgb = (0xD5, 0x5E, 0x00);
/// Of networks with more sites none is named, and it is not measured how near they are to each other.
const MAX_NAMES: usize = 400;
const MAX_MEASURED: usize = 2_000;
/// From so many sites on a network is large: it has more room, so that its sites can be named.
const LARGE: usize = 20;
/// Width of a network among others at least, and of a large one, in sizes of tick labels.
const NARROWEST: f64 = 9.0;
const NARROWEST_LARGE: f64 = 25.0;
/// Width of the most used link, in lines, if it is not too wide: the links of a network cover at most this share of the
/// area between its sites, and those of a site at most this share of a circle around it, at this share of their length.
const WIDEST: f64 = 2.4;
const COVER: f64 = 0.25;
const AROUND: (f64, f64) = (0.5, 0.2);
/// Width of a link that is not used, in lines, and the thinnest line that prints, in points.
const UNUSED: f64 = 0.4;
const THINNEST: f64 = 0.1;
/// Uses of links that differ by more are not distinguished.
const SPAN: f64 = 1e3;
/// A site's mark is at most this share of the usual distance to the next site wide.
const CROWDED: f64 = 0.5;

/// One network and the arms that ran on it.
pub(crate) struct DrawnTopology<'a> {
    pub labels: Vec<&'a str>,
    pub rows: &'a TopologyRows,
    /// The share of its capacity that each link used, where the record tells.
    pub shares: Option<Vec<f64>>,
    /// How places on the earth became coordinates, where they are some.
    pub projection: Option<MapProjection>,
}

/// What the widths of links show.
struct Widths {
    /// The share of their capacity that they used? Else their capacity.
    are_shares: bool,
    least: f64,
    most: f64,
    /// Width of a link of the most, in points.
    full: f64,
}

/// Everything measured.
pub(crate) struct NetworkPage<'a> {
    /// Those that have room on the page.
    pub networks: Vec<Placed<'a>>,
    height: f64,
    entries: Vec<Entry>,
    legend: Legend,
    widths: Widths,
}

/// A network in its place: sites, marks, and names with room.
pub(crate) struct Placed<'a> {
    drawn: &'a DrawnTopology<'a>,
    frame: Frame,
    heading: Option<String>,
    positions: Vec<Point>,
    radii: Vec<f64>,
    names: Vec<Beside>,
}

impl<'a> NetworkPage<'a> {
    /// As many columns as let all networks fit on the page; of too many the first.
    pub(crate) fn new(networks: &'a [DrawnTopology<'a>], look: &Look, metrics: &Metrics) -> Self {
        let mut widths = Widths::of(networks, look);
        let legend = legend_of(&entries(networks, &widths, look), look, metrics);
        let (several, is_large) = (networks.len() > 1, networks.iter().any(|one| one.rows.sites.len() >= LARGE));
        let (between, heading) = (1.5 * look.tick, if several { 1.6 * look.tick } else { 0.3 * look.tick });
        let tallest = if several { look.panel_height } else { look.single_height } * if is_large { 1.4 } else { 1.0 };
        let width = |columns: usize| (look.width - between * (columns as f64 + 1.0)) / columns as f64;
        // The top of every row of so many columns, and where the last ends.
        let tops = |columns: usize| {
            let mut tops = vec![legend.height + heading];
            for row in networks.chunks(columns) {
                let highest = row.iter().map(|one| height(one.rows, width(columns), tallest, look)).fold(0.0, f64::max);
                tops.push(tops[tops.len() - 1] + highest + heading + 0.5 * between);
            }
            tops
        };
        let end = |top: f64| top - heading - 0.2 * look.tick;
        let fits = |columns: &usize| tops(*columns).last().is_some_and(|last| end(*last) <= look.tallest);
        let narrowest = if is_large { NARROWEST_LARGE } else { NARROWEST };
        let most = look.columns.min(networks.len()).max(1);
        let preferred = (1..=most).rev().find(|&columns| width(columns) >= narrowest * look.tick).unwrap_or(1);
        let widest = (preferred..=networks.len()).take_while(|&columns| width(columns) >= NARROWEST * look.tick);
        let columns = widest.clone().find(fits).or(widest.last()).unwrap_or(preferred);
        let tops = tops(columns);
        let rows = (1..tops.len()).rev().find(|&rows| end(tops[rows]) <= look.tallest).unwrap_or(1);
        let place = |(index, drawn): (usize, &'a DrawnTopology<'a>)| {
            let left = between + (index % columns) as f64 * (width(columns) + between);
            let (top, next) = (tops[index / columns], tops[index / columns + 1]);
            let bottom = next - heading - 0.5 * between;
            Placed::new(drawn, Frame { left, top, right: left + width(columns), bottom }, several, (look, metrics))
        };
        let placed: Vec<Placed<'a>> = networks.iter().take(rows * columns).enumerate().map(place).collect();
        widths.full = placed.iter().map(Placed::widest).fold(widths.full, f64::min).max(THINNEST);
        let entries = entries(networks, &widths, look);
        Self { networks: placed, height: end(tops[rows]), entries, legend, widths }
    }

    /// The picture.
    pub(crate) fn draw(&self, look: &Look, metrics: &Metrics) -> Scene {
        let mut canvas = Canvas::new(look.width, self.height);
        for network in &self.networks {
            network.draw(&mut canvas, &self.widths, look, metrics);
        }
        draw_entries(&mut canvas, &self.entries, &self.legend, look);
        canvas.finish()
    }
}

impl Widths {
    fn of(networks: &[DrawnTopology<'_>], look: &Look) -> Self {
        let shares = || networks.iter().filter_map(|drawn| drawn.shares.as_ref()).flatten().copied();
        let capacities = || networks.iter().flat_map(|drawn| &drawn.rows.links).map(|link| link.capacity_bps as f64);
        let (used, all) = (axes::range(shares().filter(|share| *share > 0.0)), axes::range(capacities()));
        let are_shares = used.0 <= used.1;
        let (least, most) = if are_shares { used } else { all };
        Self { are_shares, least: least.max(most / SPAN), most, full: WIDEST * look.line }
    }

    /// The value of a link of that number.
    fn value(&self, drawn: &DrawnTopology<'_>, number: usize, link: &TopologyLink) -> f64 {
        let share = || drawn.shares.as_ref().map_or(0.0, |shares| shares[number]);
        if self.are_shares { share() } else { link.capacity_bps as f64 }
    }

    /// Width in points, and colour: in proportion to the value, or to its logarithm where values differ by powers of
    /// ten. What is unused is thin and grey.
    fn line(&self, value: f64, look: &Look) -> (f64, Rgb) {
        if value <= 0.0 {
            return ((UNUSED * look.line).min(0.5 * self.full).max(THINNEST), LINK);
        }
        let place = match self.most < WIDE * self.least {
            true => value / self.most,
            false => 0.25 + 0.75 * (libm::log(value / self.least) / libm::log(self.most / self.least)).max(0.0),
        };
        ((place * self.full).max(THINNEST), if self.are_shares { shade(0.3 + 0.7 * place) } else { LINK })
    }

    fn words(&self, value: f64) -> String {
        if value <= 0.0 {
            return "unused link".to_owned();
        }
        let (size, unit) = if self.are_shares { (0.01, "%") } else { bit_unit(value) };
        let decimals = (1.0 - libm::log10(value / size).floor()).clamp(0.0, 9.0) as usize;
        let unit = if self.are_shares { unit.to_owned() } else { format!("{unit}/s") };
        format!("link {} {:.decimals$} {unit}", if self.are_shares { "used by" } else { "of" }, value / size)
    }
}

/// The legend: the kinds of sites that occur, and links of no use, of the least and of the most.
fn entries(networks: &[DrawnTopology<'_>], widths: &Widths, look: &Look) -> Vec<Entry> {
    let any = |wanted: fn(&TopologySite) -> bool| networks.iter().flat_map(|drawn| &drawn.rows.sites).any(wanted);
    let is_served = any(|site| site.server);
    let look_of = |color, marker| LineStyle { color, dash: &[], marker };
    let [site, server] = [look_of(SITE, Marker::Circle), look_of(SERVER, Marker::Square)];
    let clients = if is_served { "site with clients" } else { "agent" };
    let mut entries = Vec::new();
    entries.extend(is_served.then(|| Entry::dot("server", server, false)));
    entries.extend(any(|site| !site.server && site.clients > 0).then(|| Entry::dot(clients, site, false)));
    let is_empty = any(|site| !site.server && site.clients == 0);
    entries.extend(is_empty.then(|| Entry::dot("site without clients", site, true)));
    let links = |drawn: &DrawnTopology<'_>| {
        drawn.rows.links.iter().enumerate().map(|(number, link)| widths.value(drawn, number, link)).collect::<Vec<_>>()
    };
    let values: Vec<f64> = networks.iter().flat_map(links).collect();
    let is_unused = values.iter().any(|&value| value <= 0.0);
    let shown = [is_unused.then_some(0.0), Some(widths.least), Some(widths.most)];
    for value in shown.into_iter().flatten().filter(|_| !values.is_empty()) {
        let (width, color) = widths.line(value, look);
        let entry = Entry {
            words: widths.words(value),
            sample: Sample::Line(look_of(color, Marker::Circle), width / look.line, false),
        };
        if entries.iter().all(|known| known.words != entry.words) {
            entries.push(entry);
        }
    }
    entries
}

impl<'a> Placed<'a> {
    fn new(drawn: &'a DrawnTopology<'a>, frame: Frame, several: bool, (look, metrics): (&Look, &Metrics)) -> Self {
        let sites = &drawn.rows.sites;
        let (place, scale) = proportions(sites, &frame, look);
        let middle = frame.middle();
        let at = |site: &TopologySite| (middle.0 + scale * (site.x - place.0), middle.1 - scale * (site.y - place.1));
        let positions: Vec<Point> = sites.iter().map(at).collect();
        let busiest = sites.iter().map(|site| site.clients).max().unwrap_or(0).max(1) as f64;
        let room = (0.5 * CROWDED * usual_distance(&positions)).max(0.05 * look.tick);
        // The area of a mark grows with its clients.
        let radius = |site: &TopologySite| 0.22 + 0.2 * (site.clients as f64 / busiest).sqrt();
        let radius = |site: &TopologySite| look.tick * radius(site).max(if site.server { 0.42 } else { 0.0 });
        let radii = sites.iter().map(|site| radius(site).min(room)).collect();
        let heading = several.then(|| {
            let more =
                if drawn.labels.len() > 1 { format!(" and {} more", drawn.labels.len() - 1) } else { String::new() };
            let room = frame.width() + look.tick - metrics.width(&Rich::plain(&more), look.tick);
            fitted(&drawn.labels[..1], room, look.tick, metrics).concat() + &more
        });
        let mut placed = Self { drawn, frame, heading, positions, radii, names: Vec::new() };
        if sites.len() <= MAX_NAMES {
            placed.names = placed.named(look, metrics);
        }
        placed
    }

    /// Sites whose names have no room.
    pub(crate) fn unnamed(&self) -> usize {
        self.drawn.rows.sites.len() - self.names.len()
    }

    fn links(&self) -> impl Iterator<Item = [Point; 2]> {
        self.drawn.rows.links.iter().map(|link| [link.from, link.to].map(|end| self.positions[end as usize]))
    }

    /// The names: outwards, where fewer links are, else anywhere beside them, else on links.
    fn named(&self, look: &Look, metrics: &Metrics) -> Vec<Beside> {
        let (middle, mut names) = (self.frame.middle(), Vec::<Beside>::new());
        for (is_outward, is_free) in [(true, true), (false, true), (false, false)] {
            let wanted = |(number, site): (usize, &TopologySite)| {
                let at = self.positions[number];
                let is_named = names.iter().any(|name| name.number == number);
                let words = (!is_named).then(|| Rich::plain(&site.name));
                let toward = if is_outward { (at.0 - middle.0, at.1 - middle.1) } else { (0.0, 0.0) };
                Wanted { at, half_width: self.radii[number], words, toward }
            };
            let wanted: Vec<Wanted> = self.drawn.rows.sites.iter().enumerate().map(wanted).collect();
            let edges = |name: &Beside| {
                let [left, top, right, bottom] = name.bounds;
                [
                    [(left, top), (right, bottom)],
                    [(left, bottom), (right, top)],
                    [(left, top), (right, top)],
                    [(left, bottom), (right, bottom)],
                ]
            };
            let mut lines: Vec<[Point; 2]> = names.iter().flat_map(edges).collect();
            lines.extend(self.links().filter(|_| is_free));
            names.extend(beside(&wanted, &lines, (&self.frame, look.tick), look, metrics));
        }
        names
    }

    /// The width of lines with which the links cover as much of the network, and around each site, as they may.
    fn widest(&self) -> f64 {
        let mut at_sites = vec![(0.0, 0.0); self.positions.len()];
        let mut all = 0.0;
        for (link, [from, to]) in self.drawn.rows.links.iter().zip(self.links()) {
            let length = libm::hypot(from.0 - to.0, from.1 - to.1);
            all += length;
            for end in [link.from, link.to] {
                at_sites[end as usize].0 += 1.0;
                at_sites[end as usize].1 += length;
            }
        }
        let side = |of: fn(&Point) -> f64| {
            let (low, high) = axes::range(self.positions.iter().map(of));
            high - low
        };
        let (across, down) = (side(|at| at.0), side(|at| at.1));
        // Sites in a line have no area between them.
        let of_area = if across.min(down) > 0.0 { COVER * across * down / all } else { f64::INFINITY };
        let around =
            |&(count, length): &(f64, f64)| AROUND.0 * 2.0 * std::f64::consts::PI * AROUND.1 * length / (count * count);
        at_sites.iter().filter(|site| site.0 > 2.0).map(around).fold(of_area, f64::min)
    }

    fn draw(&self, canvas: &mut Canvas, widths: &Widths, look: &Look, metrics: &Metrics) {
        let (drawn, rows) = (self.drawn, self.drawn.rows);
        if let Some(MapProjection { longitude_scale }) = drawn.projection {
            let (middle, scale) = proportions(&rows.sites, &self.frame, look);
            let around = |(&(x, y), radius): (&Point, &f64)| [x - radius, y - radius, x + radius, y + radius];
            let marks = self.positions.iter().zip(&self.radii).map(around);
            let taken: Vec<[f64; 4]> = self.names.iter().map(|name| name.bounds).chain(marks).collect();
            graticule::Chart { middle, scale, longitude_scale, frame: self.frame }.draw(canvas, &taken, look, metrics);
        }
        if let Some(heading) = &self.heading {
            let full = drawn.labels.join(", ");
            let at = (self.frame.middle().0, self.frame.top - 0.5 * look.tick);
            canvas.shortened(heading, &full, at, look.tick, Anchor::Middle);
        }
        canvas.layer(Layer::new("links"), |area| {
            let valued = |(number, link): (usize, &TopologyLink)| widths.value(drawn, number, link);
            let mut links: Vec<(f64, [Point; 2])> =
                rows.links.iter().enumerate().map(valued).zip(self.links()).collect();
            // The busiest on top.
            links.sort_by(|one, two| one.0.total_cmp(&two.0));
            for (value, ends) in links {
                let (width, color) = widths.line(value, look);
                area.line(&ends, stroke(width, color));
            }
        });
        canvas.layer(Layer::new("sites"), |area| {
            let sites = rows.sites.iter().zip(self.positions.iter().zip(&self.radii));
            // The server last: nothing hides it.
            let (server, others): (Vec<_>, Vec<_>) = sites.partition(|(site, _)| site.server);
            for (site, (&position, &radius)) in others.into_iter().chain(server) {
                draw_site(area, position, site, radius);
            }
        });
        canvas.layer(Layer::new("behind-names"), |area| {
            for [left, top, right, bottom] in self.names.iter().map(|name| name.bounds) {
                area.rectangle([(left, top), (right, bottom)], fill(WHITE, 0.75));
            }
        });
        for Beside { words, bounds, baseline, .. } in &self.names {
            canvas.text(words, (bounds[0], *baseline), look.tick, Anchor::Start);
        }
    }
}

/// The median over the sites of how far the next one is.
fn usual_distance(positions: &[Point]) -> f64 {
    if positions.len() < 2 || positions.len() > MAX_MEASURED {
        return f64::INFINITY;
    }
    let nearest = |(index, at): (usize, &Point)| {
        let others = positions.iter().enumerate().filter(|(number, _)| *number != index);
        others.map(|(_, to)| libm::hypot(at.0 - to.0, at.1 - to.1)).fold(f64::INFINITY, f64::min)
    };
    let mut all: Vec<f64> = positions.iter().enumerate().map(nearest).collect();
    all.sort_unstable_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Room for marks and names around a network.
fn rim(look: &Look) -> f64 {
    1.8 * look.tick
}

/// Least and most of the coordinates across, and upwards.
fn ranges(sites: &[TopologySite]) -> [(f64, f64); 2] {
    [axes::range(sites.iter().map(|site| site.x)), axes::range(sites.iter().map(|site| site.y))]
}

/// Height of a network without its heading.
fn height(rows: &TopologyRows, width: f64, tallest: f64, look: &Look) -> f64 {
    let [(west, east), (south, north)] = ranges(&rows.sites);
    let proportion = if east > west { (north - south) / (east - west) } else { 1.0 };
    2.0 * rim(look) + f64::min((width - 2.0 * rim(look)) * proportion, tallest)
}

/// The coordinates in the middle of a frame, and points per unit of them: as large as the frame allows.
fn proportions(sites: &[TopologySite], frame: &Frame, look: &Look) -> (Point, f64) {
    let [(west, east), (south, north)] = ranges(sites);
    let scale = |from: f64, to: f64, room: f64| if to > from { room / (to - from) } else { f64::INFINITY };
    let (width, height) = (frame.width() - 2.0 * rim(look), frame.height() - 2.0 * rim(look));
    let scale = scale(west, east, width).min(scale(south, north, height));
    (((west + east) / 2.0, (south + north) / 2.0), if scale.is_finite() { scale } else { 0.0 })
}

/// The server is a square, and a site without clients is hollow.
fn draw_site(area: &Area<'_>, (x, y): Point, site: &TopologySite, radius: f64) {
    if site.server {
        return area.rectangle([(x - radius, y - radius), (x + radius, y + radius)], fill(SERVER, 1.0));
    }
    area.circle((x, y), radius, fill(SITE, 1.0));
    if site.clients == 0 {
        area.circle((x, y), 0.7 * radius, fill(WHITE, 1.0));
    }
}
