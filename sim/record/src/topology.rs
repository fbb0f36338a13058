//! The topology of a run's network: sites where they are drawn, and the links between them.

use crate::RecordError;
use crate::table::{Cells, FileTable};

/// Header of `topology.csv`. A row is a site (`site,index,name,x,y,server,clients,,,`) or a link
/// (`link,from,,,,,,to,…`).
pub(crate) const TOPOLOGY_COLUMNS: [&str; 10] =
    ["kind", "index", "name", "x", "y", "server", "clients", "to", "capacity_bps", "latency_ns"];

/// A site.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologySite {
    /// Its name.
    pub name: String,
    /// Where it is drawn, to the right; for sites on the earth degrees of longitude, shortened to be as long as those
    /// of latitude.
    pub x: f64,
    /// Where it is drawn, upwards; degrees of latitude for sites on the earth.
    pub y: f64,
    /// Is the server attached to it?
    pub server: bool,
    /// Clients attached to it.
    pub clients: u64,
}

/// A link between two sites, the same in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopologyLink {
    /// Index of one site.
    pub from: u64,
    /// Index of the other.
    pub to: u64,
    /// Capacity in bit/s.
    pub capacity_bps: u64,
    /// One-way delay in ns.
    pub latency_ns: u64,
}

/// Sites, by index, and links.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TopologyRows {
    /// The sites.
    pub sites: Vec<TopologySite>,
    /// The links.
    pub links: Vec<TopologyLink>,
}

/// One way over a link.
pub(crate) struct Way {
    /// The link's number, from 0.
    pub(crate) link: u64,
    /// The site that it leads from.
    pub(crate) from: String,
    /// The site that it leads to.
    pub(crate) to: String,
    /// The link's capacity in bit/s.
    pub(crate) capacity_bps: u64,
}

/// One line of the file.
pub(crate) enum TopologyRow {
    Site(TopologySite),
    Link(TopologyLink),
}

impl TopologyRows {
    /// The way over link `number / 2`: forth when `number` is even, back when it is odd; none where there is no such
    /// link.
    pub(crate) fn way(&self, number: u32) -> Option<Way> {
        let link = self.links.get(number as usize / 2)?;
        let name = |site: u64| self.sites.get(site as usize).map(|site| site.name.clone());
        let (from, to) = if number.is_multiple_of(2) { (link.from, link.to) } else { (link.to, link.from) };
        Some(Way { link: u64::from(number / 2), from: name(from)?, to: name(to)?, capacity_bps: link.capacity_bps })
    }

    /// Writes the rows, each after the cells `before`.
    pub(crate) fn write(&self, table: &mut FileTable, before: &[&str]) -> Result<(), RecordError> {
        for (index, site) in self.sites.iter().enumerate() {
            before.iter().try_for_each(|cell| table.cell(cell))?;
            table.cell("site")?;
            table.cell(index)?;
            table.cell(&site.name)?;
            table.float(Some(site.x))?;
            table.float(Some(site.y))?;
            table.cell(u8::from(site.server))?;
            table.cell(site.clients)?;
            (0..3).try_for_each(|_| table.whole(None))?;
            table.end_row()?;
        }
        for link in &self.links {
            before.iter().try_for_each(|cell| table.cell(cell))?;
            table.cell("link")?;
            table.cell(link.from)?;
            (0..5).try_for_each(|_| table.whole(None))?;
            for value in [link.to, link.capacity_bps, link.latency_ns] {
                table.cell(value)?;
            }
            table.end_row()?;
        }
        Ok(())
    }

    pub(crate) fn of(rows: Vec<TopologyRow>) -> Self {
        let mut topology = Self::default();
        for row in rows {
            match row {
                TopologyRow::Site(site) => topology.sites.push(site),
                TopologyRow::Link(link) => topology.links.push(link),
            }
        }
        topology
    }
}

impl TopologyRow {
    /// `sites` have been read before this row; links come behind all sites.
    pub(crate) fn read(cells: &mut Cells, sites: &mut u64) -> Result<Self, RecordError> {
        let is_site = cells.parse("site or link", |word| match word {
            "site" => Some(true),
            "link" => Some(false),
            _ => None,
        })?;
        let known = *sites;
        if is_site {
            cells.parse("the number of the site, counted from 0", |word| {
                word.parse().ok().filter(|&i: &u64| i == known)
            })?;
            *sites += 1;
            let name = cells.text()?;
            let (x, y) = (cells.present_float()?, cells.present_float()?);
            let server = cells.parse("0 or 1", |word| ["0", "1"].iter().position(|known| *known == word))? == 1;
            let clients = cells.whole()?;
            for _ in 0..3 {
                cells.optional_whole()?;
            }
            return Ok(Self::Site(TopologySite { name, x, y, server, clients }));
        }
        let site = |word: &str| word.parse().ok().filter(|&index: &u64| index < known);
        let from = cells.parse("the number of a site above", site)?;
        for _ in 0..5 {
            cells.optional_whole()?;
        }
        let to = cells.parse("the number of a site above", site)?;
        Ok(Self::Link(TopologyLink { from, to, capacity_bps: cells.whole()?, latency_ns: cells.whole()? }))
    }
}
