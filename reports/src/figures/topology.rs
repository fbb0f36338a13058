//! The networks of the runs: sites where the record puts them, links as wide and dark as they were used, or as wide as
//! their capacity, names where there is room.

use super::links::{LinkUse, directions};
use super::units::bit_unit;
use crate::axes::{self, Axis, WIDE};
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::layout::{Entry, Form, Grid, Markers, Panel, Sample, Shape, Side, pages_of_panels};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::{LineStyle, Marker, Rgb, shade};
use crate::text::each_once_by;
use crate::words::{naming, trimmed};
use fedbits_record::{MapProjection, RecordError, TopologyLink, TopologyRows, TopologySite};
use fedbits_spec::so_many;

const GREY: Rgb = (0x99, 0x99, 0x99);
const PALE: Rgb = (0xDD, 0xDD, 0xDD);
const SITE: Rgb = (0x00, 0x72, 0xB2);
const SERVER: Rgb = (0xD5, 0x5E, 0x00);
/// Width of a link of the most, in lines; it is less, to a limit, where a network would have more ink than this at all
/// links together, or at the links of a site.
const WIDEST: (f64, f64) = (0.5, 2.4);
const MOST_INK: (f64, f64) = (50.0, 27.0);
/// Width of a link that is not used, in widths of one of the most, and the least width.
const UNUSED: f64 = 0.35;
const THINNEST: f64 = 0.15;
/// Uses of links that differ by more are not distinguished.
const SPAN: f64 = 1e3;
/// Of networks with more sites none is named.
const MAX_NAMES: usize = 400;
/// From so many sites on a network has a frame of at least this width and at most this height, in sizes of tick labels.
const LARGE: usize = 20;
const LARGE_FRAME: (f64, f64) = (25.0, 27.0);
/// Marks are smaller where sites are nearer to each other than this share of their network, but not a server's by half;
/// of more sites than these it is that of a square lattice.
const CROWDED: f64 = 0.1;
const MAX_MEASURED: usize = 2_000;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "topology",
    title: "sites, links and how much they carried, server and clients",
    needs: "`topology.csv`, `links.csv`",
    draw,
};

fn draw(report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
    let networks = networks(report.arms());
    let pages = pages_of_panels(&grid(&networks), &report.look);
    let words = [caption(&networks).to_owned(), words(&networks)];
    report.parts(("topology", true), pages, &rows(&networks)?, words, &[])
}

/// One network and the arms that ran on it.
struct DrawnTopology<'a> {
    labels: Vec<&'a str>,
    rows: &'a TopologyRows,
    /// The share of its capacity that each link used, where the record tells.
    shares: Option<Vec<f64>>,
    /// How places on the earth became coordinates, where they are some.
    projection: Option<MapProjection>,
}

/// What the widths of links show: the share of their capacity that they used, or their capacity.
struct Widths {
    are_shares: bool,
    least: f64,
    most: f64,
    /// Width of a link of the most, in lines.
    full: f64,
}

impl Widths {
    fn of(networks: &[DrawnTopology<'_>]) -> Self {
        let shares = networks.iter().filter_map(|network| network.shares.as_ref()).flatten().copied();
        let capacities = networks.iter().flat_map(|network| &network.rows.links).map(|link| link.capacity_bps as f64);
        let (used, all) = (axes::range(shares.filter(|share| *share > 0.0)), axes::range(capacities));
        let are_shares = used.0 <= used.1;
        let (least, most) = if are_shares { used } else { all };
        let full = |network: &DrawnTopology<'_>| {
            let mut degrees = vec![0_usize; network.rows.sites.len()];
            for link in &network.rows.links {
                degrees[link.from as usize] += 1;
                degrees[link.to as usize] += 1;
            }
            let links = MOST_INK.0 / network.rows.links.len() as f64;
            links.min(MOST_INK.1 / degrees.into_iter().max().unwrap_or(0) as f64)
        };
        let full = networks.iter().map(full).fold(WIDEST.1, f64::min).max(WIDEST.0);
        Self { are_shares, least: least.max(most / SPAN), most, full }
    }

    /// What the width of a link of that number shows.
    fn value(&self, network: &DrawnTopology<'_>, number: usize) -> f64 {
        match self.are_shares {
            true => network.shares.as_ref().map_or(0.0, |shares| shares[number]),
            false => network.rows.links[number].capacity_bps as f64,
        }
    }

    /// Colour, and width in lines: in proportion to the value, or to its logarithm where values differ by powers of
    /// ten. What is unused is thin and grey.
    fn line(&self, value: f64) -> (LineStyle, f64) {
        if value <= 0.0 {
            return (look(GREY, Marker::Circle), (UNUSED * self.full).clamp(THINNEST, 2.0 * THINNEST));
        }
        let place = match self.most < WIDE * self.least {
            true => value / self.most,
            false => 0.25 + 0.75 * (libm::log(value / self.least) / libm::log(self.most / self.least)).max(0.0),
        };
        let color = if self.are_shares { shade(0.3 + 0.7 * place) } else { GREY };
        (look(color, Marker::Circle), (place * self.full).max(THINNEST))
    }

    fn entry(&self, value: f64) -> Entry {
        let (size, unit) = if self.are_shares { (0.01, "%") } else { bit_unit(value) };
        let decimals = (1.0 - libm::log10(value / size).floor()).clamp(0.0, 9.0) as usize;
        let words = match self.are_shares {
            _ if value <= 0.0 => "unused link".to_owned(),
            true => format!("link utilization {:.decimals$} %", value / size),
            false => format!("link of {:.decimals$} {unit}/s", value / size),
        };
        let (look, width) = self.line(value);
        Entry { words, sample: Sample::Line(look, width, false) }
    }
}

fn look(color: Rgb, marker: Marker) -> LineStyle {
    LineStyle { color, dash: &[], marker }
}

/// The looks of a server, of a site with clients or an agent, and of a site without clients, which is hollow.
fn site_look(site: &TopologySite) -> (LineStyle, bool) {
    match site.server {
        true => (look(SERVER, Marker::Square), false),
        false => (look(SITE, Marker::Circle), site.clients == 0),
    }
}

fn grid(networks: &[DrawnTopology<'_>]) -> Grid {
    let widths = Widths::of(networks);
    let is_large = networks.iter().any(|network| network.rows.sites.len() >= LARGE);
    let panel = |network: &DrawnTopology<'_>| {
        let heading = (networks.len() > 1).then(|| network.labels.join(", "));
        let [x, y] = sides(network);
        let graticule = |form, side: &Side| {
            let points = side.ticks.iter().map(|tick| (tick.0, tick.0)).collect();
            Shape::new(look(PALE, Marker::Circle), form, points).sized(0.6)
        };
        let mut shapes = vec![graticule(Form::Upright, &x), graticule(Form::Across, &y)];
        shapes.extend(links(network, &widths));
        shapes.extend(sites(network));
        let height = is_large.then_some(LARGE_FRAME.1);
        Panel { heading, height, is_map: true, ..Panel::new(x, y, shapes) }
    };
    let panels = networks.iter().map(panel).collect();
    let narrow = is_large.then_some(LARGE_FRAME.0);
    Grid { panels, entries: entries(networks, &widths), free: [true; 2], narrow, ..Grid::default() }
}

/// The axes: degrees of a network on the earth, else none.
fn sides(network: &DrawnTopology<'_>) -> [Side; 2] {
    let Some(MapProjection { longitude_scale }) = network.projection else {
        return [(); 2].map(|()| Side { is_bare: true, ..Side::default() });
    };
    let sites = &network.rows.sites;
    let degrees = |(low, high): (f64, f64)| Axis::linear(low, high, 5, true).ticks.into_iter().map(|tick| tick.at);
    let (west, east) = axes::range(sites.iter().map(|site| site.x / longitude_scale));
    let across = degrees((west, east)).filter(|at| (west..=east).contains(at));
    let across =
        across.map(|at| (at * longitude_scale, degree_words((at + 180.0).rem_euclid(360.0) - 180.0, ["W", "E"])));
    let (south, north) = axes::range(sites.iter().map(|site| site.y));
    let upwards = degrees((south, north)).filter(|at| (south..=north).contains(at));
    let upwards = upwards.map(|at| (at, degree_words(at, ["S", "N"])));
    // Where no round number of degrees is among the sites there is no axis.
    let side = |ticks: Vec<(f64, String)>| Side { is_bare: ticks.is_empty(), ticks, ..Side::default() };
    [across.collect(), upwards.collect()].map(side)
}

/// `10° W`, with as many decimals as the degrees have; 0° and 180° have no side.
fn degree_words(degrees: f64, [negative, positive]: [&str; 2]) -> String {
    let rounded = (degrees.abs() * 1e6).round() / 1e6;
    let side = if degrees < 0.0 { negative } else { positive };
    if rounded == 0.0 || rounded == 180.0 { format!("{rounded}°") } else { format!("{rounded}° {side}") }
}

/// The links, the busiest on top.
fn links(network: &DrawnTopology<'_>, widths: &Widths) -> Vec<Shape> {
    let TopologyRows { sites, links, .. } = network.rows;
    let mut order: Vec<(f64, &TopologyLink)> =
        links.iter().enumerate().map(|(number, link)| (widths.value(network, number), link)).collect();
    order.sort_by(|one, two| one.0.total_cmp(&two.0));
    let shape = |(value, link): (f64, &TopologyLink)| {
        let (look, thickness) = widths.line(value);
        let ends = [link.from, link.to].map(|end| (sites[end as usize].x, sites[end as usize].y));
        Shape::new(look, Form::Line(Markers::None), ends.to_vec()).sized(thickness)
    };
    order.into_iter().map(shape).collect()
}

/// The sites, the larger the more clients they have, the server last, and their names.
fn sites(network: &DrawnTopology<'_>) -> Vec<Shape> {
    let sites = &network.rows.sites;
    let most = sites.iter().map(|site| site.clients).max().unwrap_or(0).max(1) as f64;
    let crowd = (spacing(sites) / CROWDED).clamp(0.1, 1.0);
    let mut order: Vec<&TopologySite> = sites.iter().collect();
    order.sort_by_key(|site| (site.server, site.clients));
    let shapes = order.chunk_by(|one, two| (one.server, one.clients) == (two.server, two.clients)).map(|alike| {
        let (look, hollow) = site_look(alike[0]);
        let size = 0.6 + 0.8 * (alike[0].clients as f64 / most).sqrt();
        let thickness = if alike[0].server { 1.5 * crowd.max(0.5) } else { crowd * size };
        let points = alike.iter().map(|site| (site.x, site.y)).collect();
        Shape::new(look, Form::Dots { hollow }, points).sized(thickness)
    });
    let names = (sites.len() <= MAX_NAMES).then(|| {
        // What is large has a name first.
        let named = || order.iter().rev();
        let names = named().map(|site| site.name.clone()).collect();
        let points = named().map(|site| (site.x, site.y)).collect();
        Shape::new(LineStyle::INK, Form::Names(names), points).sized(crowd)
    });
    shapes.chain(names).collect()
}

/// The median over the sites of how far the next one is, as a share of their network.
fn spacing(sites: &[TopologySite]) -> f64 {
    if sites.len() > MAX_MEASURED {
        return 1.0 / (sites.len() as f64).sqrt();
    }
    let side = |of: fn(&TopologySite) -> f64| axes::range(sites.iter().map(of));
    let (across, upwards) = (side(|site| site.x), side(|site| site.y));
    let extent = f64::max(across.1 - across.0, upwards.1 - upwards.0);
    let nearest = |(index, site): (usize, &TopologySite)| {
        let rest = sites.iter().enumerate().filter(|(number, _)| *number != index);
        rest.map(|(_, next)| libm::hypot(site.x - next.x, site.y - next.y)).fold(f64::INFINITY, f64::min)
    };
    let mut all: Vec<f64> = sites.iter().enumerate().map(nearest).collect();
    all.sort_unstable_by(f64::total_cmp);
    if extent > 0.0 { all[all.len() / 2] / extent } else { 1.0 }
}

/// The legend: the kinds of sites that occur, and links of no use, of the least and of the most.
fn entries(networks: &[DrawnTopology<'_>], widths: &Widths) -> Vec<Entry> {
    let sites = || networks.iter().flat_map(|network| &network.rows.sites);
    let is_served = sites().any(|site| site.server);
    let clients = if is_served { "site with clients" } else { "agent" };
    let kinds = [
        ("server", sites().find(|site| site.server)),
        (clients, sites().find(|site| !site.server && site.clients > 0)),
        ("site without clients", sites().find(|site| !site.server && site.clients == 0)),
    ];
    let of_kind = |(words, site): (&str, Option<&TopologySite>)| {
        let (look, hollow) = site_look(site?);
        Some(Entry::dot(words, look, hollow))
    };
    let of_network = |network: &DrawnTopology<'_>| {
        (0..network.rows.links.len()).map(|number| widths.value(network, number)).collect::<Vec<_>>()
    };
    let values: Vec<f64> = networks.iter().flat_map(of_network).collect();
    let is_unused = values.iter().any(|&value| value <= 0.0);
    let is_valued = values.iter().any(|&value| value > 0.0);
    let shown = [(is_unused, 0.0), (is_valued, widths.least), (is_valued, widths.most)];
    let links = shown.into_iter().filter(|(is_there, _)| *is_there).map(|(_, value)| widths.entry(value));
    let entries = kinds.into_iter().filter_map(of_kind).chain(links);
    each_once_by(entries, |one, other| one.words == other.words)
}

/// The different networks of the arms (of their first runs) and how they were used, in their order; empty when no run
/// has one.
fn networks(arms: &[Arm]) -> Vec<DrawnTopology<'_>> {
    let mut drawn: Vec<DrawnTopology<'_>> = Vec::new();
    for (arm, run) in arms.iter().filter_map(|arm| Some((arm, arm.runs.first()?))) {
        let Some(rows) = run.record.topology.as_ref() else { continue };
        let shares = shares(run, rows.links.len());
        let projection = MapProjection::of(&run.record.extra);
        match drawn.iter_mut().find(|known| known.rows == rows && known.shares == shares) {
            Some(same) => same.labels.push(&arm.label),
            None => drawn.push(DrawnTopology { labels: vec![&arm.label], rows, shares, projection }),
        }
    }
    drawn
}

/// The share of its capacity that each link used in its busier direction, over the whole run; `None` where the record
/// does not tell.
fn shares(run: &Run, links: usize) -> Option<Vec<f64>> {
    let mut shares = vec![0.0; links];
    for LinkUse { link, share, .. } in directions(run) {
        let busier = shares.get_mut(usize::try_from(link).ok()?)?;
        *busier = share.max(*busier);
    }
    shares.iter().any(|share| *share > 0.0).then_some(shares)
}

fn rows(networks: &[DrawnTopology<'_>]) -> Result<FigureRows, RecordError> {
    let of_network = |drawn: &DrawnTopology<'_>| {
        let (arms, TopologyRows { sites, links, .. }) = (drawn.labels.join("; "), drawn.rows);
        let site = |TopologySite { name, x, y, server, clients }: &TopologySite| {
            cells![arms, "site", name, number(*x), number(*y), u8::from(*server), clients, "", "", "", ""]
        };
        let link = |(place, TopologyLink { from, to, capacity_bps, latency_ns }): (usize, &TopologyLink)| {
            let share = number(drawn.shares.as_ref().map(|shares| shares[place]));
            let [from, to] = [from, to].map(|site| &sites[*site as usize].name);
            cells![arms, "link", from, "", "", "", "", to, capacity_bps, latency_ns, share]
        };
        sites.iter().map(site).chain(links.iter().enumerate().map(link)).collect::<Vec<_>>()
    };
    let header =
        ["arms", "kind", "name", "x", "y", "server", "clients", "to", "capacity_bps", "latency_ns", "utilization"];
    FigureRows::new(&header, networks.iter().flat_map(of_network))
}

fn caption(networks: &[DrawnTopology<'_>]) -> &'static str {
    if networks.iter().all(|drawn| drawn.shares.is_none()) {
        return "The networks: sites, the links between them (the wider, the more they carry), the server's site, and \
                sites with clients (the larger, the more).";
    }
    "The networks in use: sites, the links between them (the wider and darker, the larger the share of their capacity \
     that their busier direction used over the whole run), the server's site, and sites with clients (the larger, the \
     more)."
}

fn words(networks: &[DrawnTopology<'_>]) -> String {
    let mut text = caption(networks).to_owned();
    let silent = networks.iter().filter(|drawn| drawn.shares.is_none()).flat_map(|drawn| &drawn.labels);
    if networks.iter().any(|drawn| drawn.shares.is_some()) {
        let start = "Nothing is known of how much links were used, and all are thin, of";
        text += &naming(start, silent.map(|label| (*label).to_owned()));
    }
    if networks.iter().any(|drawn| drawn.projection.is_some()) {
        text += " A degree of longitude is as long as at the mean latitude of the sites.";
    }
    for drawn in networks {
        let links = &drawn.rows.links;
        let clients: u64 = drawn.rows.sites.iter().map(|site| site.clients).sum();
        let range = |value: fn(&TopologyLink) -> u64| axes::range(links.iter().map(|link| value(link) as f64));
        let ((slowest, fastest), (near, far)) = (range(|link| link.capacity_bps), range(|link| link.latency_ns));
        let (unit, name) = bit_unit(fastest);
        let sites = drawn.rows.sites.len();
        text += &format!(
            " {}: {}, {}, {}",
            drawn.labels.join("; "),
            so_many(sites, "site"),
            so_many(links.len(), "link"),
            so_many(clients, "client")
        );
        if !links.is_empty() {
            let (rates, spans) = (span(slowest / unit, fastest / unit), span(near / 1e6, far / 1e6));
            text += &format!("; links carry {rates} {name}/s and take {spans} ms");
        }
        text.push('.');
    }
    text
}

/// "1 to 10", or "5" when both are the same.
fn span(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|value| trimmed(&format!("{value:.3}")).to_owned());
    if low == high { low } else { format!("{low} to {high}") }
}
