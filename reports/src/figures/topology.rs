//! The networks of the runs; drawn by [`super::network`].

use super::links::{LinkUse, directions};
use super::network::{DrawnTopology, NetworkPage};
use super::units::bit_unit;
use crate::axes;
use crate::data::{Arm, Run};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_record::{Float, MapProjection, RecordError, Table, TopologyLink, TopologySite};
use fedbits_spec::so_many;

/// The kind of figure.
pub(crate) struct Topologies;

impl FigureKind for Topologies {
    fn about(&self) -> About {
        About {
            name: "topology",
            title: "the networks: sites, links and how much they carried, server and clients",
            needs: "`topology.csv`, `links.csv`",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let networks = networks(report.arms());
        if networks.is_empty() {
            return Ok(Vec::new());
        }
        let page = NetworkPage::new(&networks, &report.look, &report.metrics);
        let drawing = report.drawing(
            ("topology", "topology"),
            page.draw(&report.look, &report.metrics),
            |comments| csv(&networks, comments),
            report.words(caption(&networks), &words(&networks, &page)),
        )?;
        Ok(vec![drawing])
    }
}

/// The different networks of the arms (of their first runs) and how they were used, in their order; empty when no run
/// has one.
fn networks(arms: &[Arm]) -> Vec<DrawnTopology<'_>> {
    let mut drawn: Vec<DrawnTopology<'_>> = Vec::new();
    for (arm, run) in arms.iter().filter_map(|arm| Some((arm, arm.runs.first()?))) {
        let Some(rows) = run.record.topology.as_ref() else { continue };
        let shares = shares(run, rows.links.len());
        let projection = MapProjection::of(&run.record.extra);
        match drawn.iter_mut().find(|other| other.rows == rows && other.shares == shares) {
            Some(same) => same.labels.push(&arm.label),
            None => drawn.push(DrawnTopology { labels: vec![&arm.label], rows, shares, projection }),
        }
    }
    drawn
}

/// The share of its capacity that each link used in its busier direction, over the whole run; `None` where the record
/// does not tell.
fn shares(run: &Run, links: usize) -> Option<Vec<f64>> {
    let directions = directions(run);
    let mut shares = vec![0.0; links];
    for LinkUse { link, share, .. } in &directions {
        let own = shares.get_mut(usize::try_from(*link).ok()?)?;
        *own = share.max(*own);
    }
    shares.iter().any(|share| *share > 0.0).then_some(shares)
}

/// The networks as a tidy table.
fn csv(networks: &[DrawnTopology<'_>], comments: &[String]) -> Result<String, RecordError> {
    let header =
        ["arms", "kind", "name", "x", "y", "server", "clients", "to", "capacity_bps", "latency_ns", "utilization"];
    let mut table = Table::in_memory(comments, &header)?;
    for drawn in networks {
        let arms = drawn.labels.join("; ");
        for TopologySite { name, x, y, server, clients } in &drawn.rows.sites {
            let (x, y, server) = (Float(Some(*x)), Float(Some(*y)), u8::from(*server));
            table.row(&[&arms, &"site", name, &x, &y, &server, clients, &"", &"", &"", &""])?;
        }
        for (number, TopologyLink { from, to, capacity_bps, latency_ns }) in drawn.rows.links.iter().enumerate() {
            let share = Float(drawn.shares.as_ref().map(|shares| shares[number]));
            let [from, to] = [from, to].map(|site| &drawn.rows.sites[*site as usize].name);
            table.row(&[&arms, &"link", from, &"", &"", &"", &"", to, capacity_bps, latency_ns, &share])?;
        }
    }
    table.into_text()
}

/// What the figure shows, for its caption.
fn caption(networks: &[DrawnTopology<'_>]) -> &'static str {
    if networks.iter().all(|drawn| drawn.shares.is_none()) {
        return "The networks: sites, the links between them (the wider, the more they carry), the server's site, and \
                sites with clients (the larger, the more).";
    }
    "The networks in use: sites, the links between them (the wider and darker, the larger the share of their capacity \
     that their busier direction used over the whole run), the server's site, and sites with clients (the larger, the \
     more)."
}

/// What the figure shows, in sentences.
fn words(networks: &[DrawnTopology<'_>], page: &NetworkPage<'_>) -> String {
    let mut text = caption(networks).to_owned();
    let unnamed: usize = page.networks.iter().map(|network| network.unnamed()).sum();
    if unnamed > 0 {
        text += &format!(" There is no room for the names of {}, which the table has.", so_many(unnamed, "site"));
    }
    let silent = networks.iter().filter(|drawn| drawn.shares.is_none()).flat_map(|drawn| &drawn.labels);
    let silent: Vec<&str> = silent.map(|label| label.as_ref()).collect();
    if !silent.is_empty() && networks.iter().any(|drawn| drawn.shares.is_some()) {
        text += &format!(" Nothing is known of how much links were used, and all are thin, of: {}.", silent.join("; "));
    }
    if networks.iter().any(|drawn| drawn.projection.is_some()) {
        text += " Grey lines are meridians and parallels; a degree of longitude is as long as at the mean latitude of \
                 the sites.";
    }
    if page.networks.len() < networks.len() {
        text += &format!(" Of {} networks the first {} are drawn.", networks.len(), page.networks.len());
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
    let (low, high) = (rounded(low), rounded(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Three decimals at most.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
