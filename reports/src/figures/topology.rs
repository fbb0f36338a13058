//! Draws the networks of the runs: sites where the record puts them, links as thick as their capacity, the server, the
//! clients.

use super::layout::legend_rows;
use super::units::bit_unit;
use crate::axes;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::shades::Rgb;
use crate::style::Look;
use crate::svg::{Anchor, Area, Canvas, DrawError, UNITS_PER_POINT, fill, points, stroke, units};
use crate::text::{Metrics, Rich};
use fedbits_record::{Float, RecordError, Table, TopologyLink, TopologyRows, TopologySite};
use plotters::prelude::{Circle, Rectangle};
use plotters::style::ShapeStyle;

const LINK: Rgb = (0x99, 0x99, 0x99);
const SITE: Rgb = (0x00, 0x72, 0xB2);
const SERVER: Rgb = (0xD5, 0x5E, 0x00);
/// Up to this many sites have their names beside them.
const MAX_NAMES: usize = 15;

/// The kind of figure.
pub(crate) struct Topologies;

impl FigureKind for Topologies {
    fn about(&self) -> About {
        About { name: "topology", title: "the networks: sites, links, server and clients", needs: "`topology.csv`" }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let networks = networks(report.arms());
        if networks.is_empty() {
            return Ok(Vec::new());
        }
        let drawing = report.drawing(
            ("topology", "topology"),
            |description| draw(&networks, &report.look, &report.metrics, description),
            |comments| csv(&networks, comments),
            report.words(CAPTION, &words(&networks)),
        )?;
        Ok(vec![drawing])
    }
}

/// One network and the arms that ran on it.
struct DrawnTopology<'a> {
    labels: Vec<&'a str>,
    rows: &'a TopologyRows,
}

/// The different networks of the arms (of their first runs), in their order; empty when no run has one.
fn networks(arms: &[Arm]) -> Vec<DrawnTopology<'_>> {
    let mut drawn: Vec<DrawnTopology<'_>> = Vec::new();
    for arm in arms {
        let Some(rows) = arm.runs.first().and_then(|run| run.record.topology.as_ref()) else { continue };
        match drawn.iter_mut().find(|other| other.rows == rows) {
            Some(same) => same.labels.push(&arm.label),
            None => drawn.push(DrawnTopology { labels: vec![&arm.label], rows }),
        }
    }
    drawn
}

/// Where one network is drawn, in points.
struct SiteFrame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// The figure as an SVG file.
fn draw(
    networks: &[DrawnTopology<'_>],
    look: &Look,
    metrics: &Metrics,
    description: &str,
) -> Result<String, DrawError> {
    let columns = networks.len().min(look.columns);
    let rows = networks.len().div_ceil(columns);
    let entries = entries(networks);
    let words: Vec<&str> = entries.iter().map(|(word, _)| *word).collect();
    let (positions, legend) = legend_rows(&words, look.tick, look, metrics);
    let between = 1.5 * look.tick;
    let width = (look.width - between * (columns as f64 + 1.0)) / columns as f64;
    // As high as the highest network needs, within reason.
    let highest = networks.iter().map(|drawn| proportion(drawn.rows)).fold(0.0, f64::max);
    let (smallest, largest) = if columns == 1 { (0.3, 0.62) } else { (0.4, 1.0) };
    let rims = 2.0 * rim(look);
    let height = rims + (width - rims) * highest.clamp(smallest, largest);
    let heading = if networks.len() > 1 { 1.6 * look.tick } else { 0.3 * look.tick };
    let pitch = heading + height + between;
    let mut canvas = Canvas::new(look.width, legend + rows as f64 * pitch + 0.3 * look.tick);
    let most = networks.iter().flat_map(|drawn| &drawn.rows.links).map(|link| link.capacity_bps).max().unwrap_or(1);
    for (index, drawn) in networks.iter().enumerate() {
        let left = between + (index % columns) as f64 * (width + between);
        let top = legend + (index / columns) as f64 * pitch + heading;
        if networks.len() > 1 {
            let words = Rich::plain(&heading_words(&drawn.labels, width, look, metrics));
            canvas.text(&words, (left + width / 2.0, top - 0.5 * look.tick), look.tick, Anchor::Middle);
        }
        draw_network(&mut canvas, drawn.rows, &SiteFrame { left, top, width, height }, most, look);
    }
    for ((entry, sample), (x, y)) in entries.iter().zip(positions) {
        let site = TopologySite { name: String::new(), x: 0.0, y: 0.0, server: sample.0, clients: sample.1 };
        let center = (units(x + 0.5 * look.tick), units(y - 0.33 * look.tick));
        canvas.layer("class=\"legend\"", |area| mark(area, center, &site, radius(&site, 1, 1, look)));
        canvas.text(&Rich::plain(entry), (x + 1.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

/// The kinds of sites that occur: their names, whether the server is there, and how many clients a sample has.
fn entries(networks: &[DrawnTopology<'_>]) -> Vec<(&'static str, (bool, u64))> {
    let any = |wanted: fn(&TopologySite) -> bool| networks.iter().flat_map(|drawn| &drawn.rows.sites).any(wanted);
    let served = any(|site| site.server);
    let kinds = [
        ("server", (true, 0), served),
        (if served { "site with clients" } else { "agent" }, (false, 1), any(|site| !site.server && site.clients > 0)),
        ("site without clients", (false, 0), any(|site| !site.server && site.clients == 0)),
    ];
    kinds.into_iter().filter(|kind| kind.2).map(|(word, sample, _)| (word, sample)).collect()
}

/// The arms' names as far as there is room.
fn heading_words(labels: &[&str], width: f64, look: &Look, metrics: &Metrics) -> String {
    let fits = |text: &str| metrics.width(&Rich::plain(text), look.tick) <= width + look.tick;
    let all = labels.join(", ");
    match labels {
        [first, rest @ ..] if !fits(&all) && !rest.is_empty() => format!("{first} and {} more", rest.len()),
        _ => all,
    }
}

fn draw_network(canvas: &mut Canvas, rows: &TopologyRows, frame: &SiteFrame, most: u64, look: &Look) {
    let positions = positions(&rows.sites, frame, look);
    canvas.layer("class=\"links\" stroke-linecap=\"round\"", |area| {
        for link in &rows.links {
            let ends = vec![positions[link.from as usize], positions[link.to as usize]];
            area.path(ends, link_style(link.capacity_bps, most, rows.links.len(), look));
        }
    });
    let busiest = rows.sites.iter().map(|site| site.clients).max().unwrap_or(0);
    canvas.layer("class=\"sites\"", |area| {
        let order = rows.sites.iter().zip(&positions);
        // The server last: nothing hides it.
        let (server, others): (Vec<_>, Vec<_>) = order.partition(|(site, _)| site.server);
        for (site, &position) in others.into_iter().chain(server) {
            mark(area, position, site, radius(site, busiest, rows.sites.len(), look));
        }
    });
    if rows.sites.len() > MAX_NAMES {
        return;
    }
    for (site, &(x, y)) in rows.sites.iter().zip(&positions) {
        let radius = radius(site, busiest, rows.sites.len(), look);
        // Away from the middle, where most links are.
        let below = points(y) > frame.top + frame.height / 2.0;
        let baseline = if below { points(y) + radius + 0.8 * look.tick } else { points(y) - radius - 0.35 * look.tick };
        canvas.text(&Rich::plain(&site.name), (points(x), baseline), 0.85 * look.tick, Anchor::Middle);
    }
}

/// Room for marks and names around a network.
fn rim(look: &Look) -> f64 {
    1.4 * look.tick
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

/// Positions of all sites in units: as large as the frame allows, in true proportions, centred.
fn positions(sites: &[TopologySite], frame: &SiteFrame, look: &Look) -> Vec<(i32, i32)> {
    let ((west, east), (south, north)) = (range(sites, |site| site.x), range(sites, |site| site.y));
    let rim = rim(look);
    let scale = |from: f64, to: f64, room: f64| if to > from { room / (to - from) } else { f64::INFINITY };
    let scale = scale(west, east, frame.width - 2.0 * rim).min(scale(south, north, frame.height - 2.0 * rim));
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let (middle_x, middle_y) = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
    let position = |site: &TopologySite| {
        let x = middle_x + scale * (site.x - (west + east) / 2.0);
        let y = middle_y - scale * (site.y - (south + north) / 2.0);
        (units(x), units(y))
    };
    sites.iter().map(position).collect()
}

/// A link's line: its width shows its capacity, a third less for each factor 10; many links are thinner, so that they
/// can be distinguished.
fn link_style(capacity: u64, most: u64, links: usize, look: &Look) -> ShapeStyle {
    let decades = libm::log10(most as f64 / capacity.max(1) as f64);
    let width = 1.4 * look.line * (1.0 - decades / 3.0).max(0.25) * crowd(links, 40);
    stroke(width.max(1.0 / UNITS_PER_POINT), LINK)
}

/// How much smaller things are drawn of which there are more than `few`.
fn crowd(count: usize, few: usize) -> f64 {
    (few as f64 / count.max(1) as f64).sqrt().min(1.0)
}

/// Radius of a site's mark among `sites`: its area grows with its clients.
fn radius(site: &TopologySite, busiest: u64, sites: usize, look: &Look) -> f64 {
    let share = if busiest > 0 { site.clients as f64 / busiest as f64 } else { 0.0 };
    let base = if site.server { 0.42 } else { 0.22 };
    look.tick * f64::max(base, 0.22 + 0.2 * share.sqrt()) * crowd(sites, 14)
}

fn mark(area: &Area, (x, y): (i32, i32), site: &TopologySite, radius: f64) {
    let (outer, inner) = (units(radius), units(0.7 * radius));
    if site.server {
        return area.draw(&Rectangle::new([(x - outer, y - outer), (x + outer, y + outer)], fill(SERVER, 1.0)));
    }
    area.draw(&Circle::new((x, y), outer, fill(SITE, 1.0)));
    if site.clients == 0 {
        area.draw(&Circle::new((x, y), inner, fill((255, 255, 255), 1.0)));
    }
}

/// The networks as a tidy table.
fn csv(networks: &[DrawnTopology<'_>], comments: &[String]) -> Result<String, RecordError> {
    let header = ["arms", "kind", "name", "x", "y", "server", "clients", "to", "capacity_bps", "latency_ns"];
    let mut table = Table::in_memory(comments, &header)?;
    for drawn in networks {
        let arms = drawn.labels.join("; ");
        for TopologySite { name, x, y, server, clients } in &drawn.rows.sites {
            let (x, y, server) = (Float(Some(*x)), Float(Some(*y)), u8::from(*server));
            table.row(&[&arms, &"site", name, &x, &y, &server, clients, &"", &"", &""])?;
        }
        for TopologyLink { from, to, capacity_bps, latency_ns } in &drawn.rows.links {
            let [from, to] = [from, to].map(|site| &drawn.rows.sites[*site as usize].name);
            table.row(&[&arms, &"link", from, &"", &"", &"", &"", to, capacity_bps, latency_ns])?;
        }
    }
    table.into_text()
}

/// What the figure shows, for its caption.
const CAPTION: &str = "The networks: sites, the links between them (the wider, the more they carry), the server's \
    site, and sites with clients (the larger, the more).";

/// What the figure shows, in sentences.
fn words(networks: &[DrawnTopology<'_>]) -> String {
    let mut text = CAPTION.to_owned();
    for drawn in networks {
        let links = &drawn.rows.links;
        let clients: u64 = drawn.rows.sites.iter().map(|site| site.clients).sum();
        let range = |value: fn(&TopologyLink) -> u64| axes::range(links.iter().map(|link| value(link) as f64));
        let ((slowest, fastest), (near, far)) = (range(|link| link.capacity_bps), range(|link| link.latency_ns));
        let (unit, name) = bit_unit(fastest);
        let sites = drawn.rows.sites.len();
        text += &format!(" {}: {sites} sites, {} links, {clients} clients", drawn.labels.join("; "), links.len());
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
    let (low, high) = (rounded(low), rounded(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Three decimals at most.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
