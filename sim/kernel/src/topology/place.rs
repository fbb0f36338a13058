//! Where a site is, and how far from another. It must not know links.

/// Mean radius of the earth in km (IUGG).
const EARTH_KM: f64 = 6_371.008_8;

/// Where a site is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// On the earth, in degrees.
    Globe {
        /// East is positive; −180 to 180.
        longitude: f64,
        /// North is positive; −90 to 90.
        latitude: f64,
    },
    /// In a plane whose unit the scenario gives (generated topologies: the unit square).
    Plane {
        /// To the right.
        x: f64,
        /// Upwards.
        y: f64,
    },
    /// Where it is drawn; distances in the drawing mean nothing.
    Drawing {
        /// To the right.
        x: f64,
        /// Upwards.
        y: f64,
    },
}

impl Place {
    /// The distance to `other` in km, with `unit_km` the length of one unit of the plane; on the globe along a great
    /// circle (haversine). `None` where there is no distance: in drawings, and between the globe and a plane.
    pub fn distance_km(self, other: Self, unit_km: f64) -> Option<f64> {
        match (self, other) {
            (Self::Plane { x, y }, Self::Plane { x: u, y: v }) => {
                let (dx, dy) = (x - u, y - v);
                Some(unit_km * (dx * dx + dy * dy).sqrt())
            }
            (Self::Globe { longitude, latitude }, Self::Globe { longitude: to_longitude, latitude: to_latitude }) => {
                Some(great_circle_km([longitude, latitude], [to_longitude, to_latitude]))
            }
            _ => None,
        }
    }
}

fn great_circle_km(from: [f64; 2], to: [f64; 2]) -> f64 {
    let [from, to] = [from, to].map(|place| place.map(f64::to_radians));
    let half_chord = |angle: f64| {
        let sine = libm::sin(angle / 2.0);
        sine * sine
    };
    let longitudes = libm::cos(from[1]) * libm::cos(to[1]) * half_chord(to[0] - from[0]);
    let squared = half_chord(to[1] - from[1]) + longitudes;
    2.0 * EARTH_KM * libm::asin(squared.min(1.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of the equator is π/2 · R; the pole is as far; New York to Chicago is 1 145.8388 km by the haversine
    /// formula with the same radius (Python).
    #[test]
    fn great_circles() {
        let at = |longitude, latitude| Place::Globe { longitude, latitude };
        let quarter = std::f64::consts::FRAC_PI_2 * EARTH_KM;
        let km = |from: Place, to| from.distance_km(to, 1.0).unwrap();
        assert!((km(at(0.0, 0.0), at(90.0, 0.0)) - quarter).abs() < 1e-9);
        assert!((km(at(17.0, 0.0), at(-100.0, 90.0)) - quarter).abs() < 1e-9);
        assert!((km(at(-74.00597, 40.71427), at(-87.65005, 41.85003)) - 1_145.838_771_509_877_7).abs() < 1e-9);
        assert_eq!(km(at(1.0, 2.0), at(1.0, 2.0)), 0.0);
    }

    #[test]
    fn planes_have_a_unit_and_drawings_have_none() {
        let (a, b) = (Place::Plane { x: 0.0, y: 0.0 }, Place::Plane { x: 3.0, y: 4.0 });
        assert_eq!(a.distance_km(b, 2.0), Some(10.0));
        assert_eq!(a.distance_km(Place::Drawing { x: 0.0, y: 0.0 }, 2.0), None);
    }
}
