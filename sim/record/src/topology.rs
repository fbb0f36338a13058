//! The topology of a run's network: sites where they are drawn, the links between them, and, where sites have places on
//! the earth, how these became coordinates: the table `map.csv`.

use serde::{Deserialize, Serialize};

use crate::run_table::{RowCells, rows};
use crate::{Cell, RunTable};

/// Header of `topology.csv`. A row is a site (`site,index,name,x,y,server,clients,,,`) or a link
/// (`link,from,,,,,,to,…`).
pub(crate) const TOPOLOGY_COLUMNS: [&str; 10] =
    ["kind", "index", "name", "x", "y", "server", "clients", "to", "capacity_bps", "latency_ns"];

/// A site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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

impl TopologyRows {
    /// The way over link `number / 2`: forth when `number` is even, back when it is odd; none where there is no such
    /// link.
    pub(crate) fn way(&self, number: u32) -> Option<Way> {
        let link = self.links.get(number as usize / 2)?;
        let name = |site: u64| self.sites.get(site as usize).map(|site| site.name.clone());
        let (from, to) = if number.is_multiple_of(2) { (link.from, link.to) } else { (link.to, link.from) };
        Some(Way { link: u64::from(number / 2), from: name(from)?, to: name(to)?, capacity_bps: link.capacity_bps })
    }

    /// A row per site, then a row per link.
    pub(crate) fn table(&self) -> RunTable {
        let site = |(index, site): (u64, &TopologySite)| {
            let mut cells =
                vec![Cell::from("site"), index.into(), Cell::from(&site.name), site.x.into(), site.y.into()];
            cells.extend([u64::from(site.server), site.clients].map(Cell::from));
            cells.resize(TOPOLOGY_COLUMNS.len(), Cell::Missing);
            cells
        };
        let link = |link: &TopologyLink| {
            let mut cells = vec![Cell::from("link"), link.from.into()];
            cells.resize(TOPOLOGY_COLUMNS.len() - 3, Cell::Missing);
            cells.extend([link.to, link.capacity_bps, link.latency_ns].map(Cell::from));
            cells
        };
        let sites = (0..).zip(&self.sites).map(site);
        RunTable {
            name: "topology".to_owned(),
            columns: TOPOLOGY_COLUMNS.map(str::to_owned).to_vec(),
            rows: sites.chain(self.links.iter().map(link)).collect(),
        }
    }
}

/// Name of the table of the projection, without ending.
const MAP: &str = "map";
/// Degrees are lengths: of longitude shorter than of latitude.
const PROJECTION: &str = "equirectangular";

/// Longitudes times a number, and latitudes, both in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapProjection {
    /// What longitudes were multiplied by: the cosine of the mean latitude.
    pub longitude_scale: f64,
}

impl MapProjection {
    /// As a table of one row.
    #[must_use]
    pub fn table(self) -> RunTable {
        let cells = |projection: &Self| vec![PROJECTION.into(), projection.longitude_scale.into()];
        RunTable::of(MAP, &["projection", "longitude_scale"], &[self], cells)
    }

    /// That of a record's tables; none where sites have no places on the earth.
    #[must_use]
    pub fn of(tables: &[RunTable]) -> Option<Self> {
        let row = |row: RowCells<'_>| {
            let scale = row.number("longitude_scale")?;
            let is_scale = scale > 0.0 && scale <= 1.0 && row.text("projection")? == PROJECTION;
            is_scale.then_some(Self { longitude_scale: scale })
        };
        rows(tables, MAP, row).first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A projection survives its table; a scale that is none is none.
    #[test]
    fn a_projection_survives_its_table() {
        let projection = MapProjection { longitude_scale: 0.697 };
        assert_eq!(MapProjection::of(&[RunTable::default(), projection.table()]), Some(projection));
        assert_eq!(MapProjection::of(&[RunTable::default()]), None);
        let mut wrong = projection.table();
        wrong.rows[0][1] = Cell::Float(-1.0);
        assert_eq!(MapProjection::of(&[wrong]), None);
    }
}
