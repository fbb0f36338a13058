//! How places on the earth became the coordinates of `topology.csv`: the table `map.csv`, where sites have such places.

use crate::RunTable;
use crate::run_table::{RowCells, rows};

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
    pub fn table(self) -> RunTable {
        let cells = |projection: &Self| vec![PROJECTION.into(), projection.longitude_scale.into()];
        RunTable::of(NAME, &["projection", "longitude_scale"], &[self], cells)
    }

    /// That of a record's tables; none where sites have no places on the earth.
    #[must_use]
    pub fn of(tables: &[RunTable]) -> Option<Self> {
        let row = |row: RowCells<'_>| {
            let scale = row.number("longitude_scale")?;
            let is_scale = scale > 0.0 && scale <= 1.0 && row.text("projection")? == PROJECTION;
            is_scale.then_some(Self { longitude_scale: scale })
        };
        rows(tables, NAME, row).first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

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
