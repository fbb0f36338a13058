//! The Sobol sequence in the order of Gray codes, with the direction numbers of S. Joe and F. Y. Kuo, *Constructing
//! Sobol sequences with better two-dimensional projections*, SIAM J. Sci. Comput. 30 (2008): the first dimensions of
//! their table `new-joe-kuo-6.21201`. 32 bits a coordinate.

/// The primitive polynomial of a dimension, its bits from the highest degree down, and the initial m₁, m₂, ….
type Dimension = (u32, &'static [u32]);

/// As many coordinates as a point can have.
pub(crate) const MAX_DIMENSIONS: usize = DIMENSIONS.len();

/// The first dimension is van der Corput's sequence.
const DIMENSIONS: [Dimension; 32] = [
    (1, &[1]),
    (3, &[1]),
    (7, &[1, 3]),
    (11, &[1, 3, 1]),
    (13, &[1, 1, 1]),
    (19, &[1, 1, 3, 3]),
    (25, &[1, 3, 5, 13]),
    (37, &[1, 1, 5, 5, 17]),
    (41, &[1, 1, 5, 5, 5]),
    (47, &[1, 1, 7, 11, 19]),
    (55, &[1, 1, 5, 1, 1]),
    (59, &[1, 1, 1, 3, 11]),
    (61, &[1, 3, 5, 5, 31]),
    (67, &[1, 3, 3, 9, 7, 49]),
    (91, &[1, 1, 1, 15, 21, 21]),
    (97, &[1, 3, 1, 13, 27, 49]),
    (103, &[1, 1, 1, 15, 7, 5]),
    (109, &[1, 3, 1, 15, 13, 25]),
    (115, &[1, 1, 5, 5, 19, 61]),
    (131, &[1, 3, 7, 11, 23, 15, 103]),
    (137, &[1, 3, 7, 13, 13, 15, 69]),
    (143, &[1, 1, 3, 13, 7, 35, 63]),
    (145, &[1, 3, 5, 9, 1, 25, 53]),
    (157, &[1, 3, 1, 13, 9, 35, 107]),
    (167, &[1, 3, 1, 5, 27, 61, 31]),
    (171, &[1, 1, 5, 11, 19, 41, 61]),
    (185, &[1, 3, 5, 3, 3, 13, 69]),
    (191, &[1, 1, 7, 13, 1, 19, 1]),
    (193, &[1, 3, 7, 5, 13, 19, 59]),
    (203, &[1, 1, 3, 9, 25, 29, 41]),
    (211, &[1, 3, 5, 13, 23, 1, 55]),
    (213, &[1, 3, 7, 3, 13, 59, 17]),
];

/// One coordinate of the sequence.
pub(crate) struct Coordinate([u32; 32]);

impl Coordinate {
    /// That of a dimension, counted from 0, below [`MAX_DIMENSIONS`].
    pub(crate) fn new(dimension: usize) -> Self {
        let (polynomial, initial) = DIMENSIONS[dimension];
        let degree = polynomial.ilog2() as usize;
        let mut directions = [0_u32; 32];
        for bit in 0..32 {
            directions[bit] = match initial.get(bit) {
                Some(m) => m << (31 - bit),
                None if degree == 0 => 1 << (31 - bit),
                None => {
                    let first = directions[bit - degree] ^ (directions[bit - degree] >> degree);
                    let terms = (1..degree).filter(|back| polynomial >> (degree - back) & 1 == 1);
                    terms.fold(first, |sum, back| sum ^ directions[bit - back])
                }
            };
        }
        Self(directions)
    }

    /// The coordinate of point `index`, counted from 0 (which is the origin), in units of 2⁻³².
    pub(crate) fn at(&self, index: u32) -> u32 {
        let gray = index ^ (index >> 1);
        let set = (0..32).filter(|bit| gray >> bit & 1 == 1);
        set.fold(0, |sum, bit: usize| sum ^ self.0[bit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/golden/make_sobol.py` writes the same numbers by SciPy.
    #[test]
    fn the_points_are_scipys() {
        let golden = include_str!("../../../tests/golden/sobol.csv");
        let mut rows = 0;
        for line in golden.lines().filter(|line| !line.starts_with('#')) {
            let mut numbers = line.split(',').map(|number| number.parse::<u32>().unwrap());
            let index = numbers.next().unwrap();
            let expected: Vec<u32> = numbers.collect();
            let found: Vec<u32> = (0..MAX_DIMENSIONS).map(|dimension| Coordinate::new(dimension).at(index)).collect();
            assert_eq!(found, expected, "point {index}");
            rows += 1;
        }
        assert!(rows >= 100, "{rows} points");
    }

    /// Of the first 2ᵏ points every coordinate has one in each part of length 2⁻ᵏ.
    #[test]
    fn every_coordinate_is_stratified() {
        for dimension in 0..MAX_DIMENSIONS {
            let coordinate = Coordinate::new(dimension);
            for k in [1_u32, 4, 9] {
                let mut parts: Vec<u32> = (0..1 << k).map(|index| coordinate.at(index) >> (32 - k)).collect();
                parts.sort_unstable();
                assert!(parts.iter().copied().eq(0..1 << k), "dimension {dimension}, 2^{k} points");
            }
        }
    }
}
