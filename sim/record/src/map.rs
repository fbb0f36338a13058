//! How places on the earth became the coordinates of `topology.csv`: the table `map.csv`, where sites have such places.

use crate::ExtraTable;
use crate::extra::{ExtraCells, rows};

/// Name of the table, without ending.
const NAME: &str = "map";
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
    pub fn table(self) -> ExtraTable {
        let cells = |own: &Self| vec![PROJECTION.to_owned(), format!("{:?}", own.longitude_scale)];
        ExtraTable::of(NAME, &["projection", "longitude_scale"], &[self], cells)
    }

    /// That of a record's tables; none where sites have no places on the earth.
    #[must_use]
    pub fn of(tables: &[ExtraTable]) -> Option<Self> {
        let row = |row: ExtraCells<'_>| {
            let scale: f64 = row.text("longitude_scale")?.parse().ok()?;
            let is_scale = scale > 0.0 && scale <= 1.0 && row.text("projection")? == PROJECTION;
            is_scale.then_some(Self { longitude_scale: scale })
        };
        rows(tables, NAME, row).first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A projection survives its table; a scale that is none is none.
    #[test]
    fn a_projection_survives_its_table() {
        let own = MapProjection { longitude_scale: 0.697 };
        assert_eq!(MapProjection::of(&[ExtraTable::default(), own.table()]), Some(own));
        assert_eq!(MapProjection::of(&[ExtraTable::default()]), None);
        let mut wrong = own.table();
        wrong.rows[0][1] = "-1".to_owned();
        assert_eq!(MapProjection::of(&[wrong]), None);
    }
}
