//! The points that an optimizer may try.

use fedbits_random::Stream;

/// What a coordinate of a point can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A share in [0, 1], which the caller maps to a setting.
    Number {
        /// The shares that are allowed, ascending, where the setting takes a few values only.
        steps: Option<Vec<f64>>,
    },
    /// One of so many choices without an order; at least 1.
    Choice(usize),
}

/// One dimension of a space.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// What its coordinate can be.
    pub kind: Kind,
    /// It exists only in points that have, for every entry, one of these choices of this earlier dimension.
    pub needs: Vec<(usize, Vec<usize>)>,
}

/// What a point has in one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// A share in [0, 1] with at most four digits, or one of the steps.
    Number(f64),
    /// A choice, counted from 0.
    Choice(usize),
    /// The dimension does not exist in this point.
    Absent,
}

/// A coordinate for every dimension of a space.
pub type Point = Vec<Coordinate>;

/// Dimensions in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Space(Vec<Dimension>);

/// Two numbers that differ by less are the same setting.
const DIGITS: f64 = 1e4;

impl Space {
    /// Of these dimensions.
    ///
    /// # Panics
    /// If steps are not ascending shares or there are none, a dimension has no choice, or needs one that is not an
    /// earlier dimension's.
    pub fn new(dimensions: Vec<Dimension>) -> Self {
        for (index, Dimension { kind, needs }) in dimensions.iter().enumerate() {
            match kind {
                Kind::Number { steps: Some(steps) } => {
                    let inside = steps.iter().all(|share| (0.0..=1.0).contains(share));
                    assert!(inside && !steps.is_empty(), "dimension {index}: steps are shares");
                    assert!(steps.is_sorted_by(|a, b| a < b), "dimension {index}: steps ascend");
                }
                Kind::Number { steps: None } => {}
                Kind::Choice(count) => assert!(*count > 0, "dimension {index}: a choice of nothing"),
            }
            for (parent, choices) in needs {
                assert!(*parent < index, "dimension {index} needs dimension {parent}, which is not before it");
                let Kind::Choice(count) = dimensions[*parent].kind else {
                    panic!("dimension {index} needs a choice of dimension {parent}, which is a number")
                };
                assert!(choices.iter().all(|choice| *choice < count), "dimension {index}: choices of {parent}");
            }
        }
        Self(dimensions)
    }

    /// In their order.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.0
    }

    /// Whether this is a point of the space.
    pub fn contains(&self, point: &[Coordinate]) -> bool {
        let fits = |(index, coordinate): (usize, &Coordinate)| match (coordinate, &self.0[index].kind) {
            (Coordinate::Absent, _) => !self.exists(index, point),
            (Coordinate::Number(share), Kind::Number { steps }) => {
                let allowed = match steps {
                    Some(steps) => steps.contains(share),
                    None => (0.0..=1.0).contains(share) && rounded(*share) == *share,
                };
                allowed && self.exists(index, point)
            }
            (Coordinate::Choice(choice), Kind::Choice(count)) => choice < count && self.exists(index, point),
            _ => false,
        };
        point.len() == self.0.len() && point.iter().enumerate().all(fits)
    }

    /// Whether a point with these first coordinates has dimension `index`.
    fn exists(&self, index: usize, point: &[Coordinate]) -> bool {
        let met = |(parent, choices): &(usize, Vec<usize>)| match point[*parent] {
            Coordinate::Choice(choice) => choices.contains(&choice),
            _ => false,
        };
        self.0[index].needs.iter().all(met)
    }

    /// The point whose coordinate in a dimension that exists is what `coordinate` says.
    fn build(&self, mut coordinate: impl FnMut(usize, &Kind) -> Coordinate) -> Point {
        let mut point = Point::with_capacity(self.0.len());
        for (index, dimension) in self.0.iter().enumerate() {
            let exists = self.exists(index, &point);
            point.push(if exists { coordinate(index, &dimension.kind) } else { Coordinate::Absent });
        }
        point
    }

    /// A point drawn uniformly: every share and every choice is as likely.
    pub(crate) fn random(&self, stream: &mut Stream) -> Point {
        self.build(|_, kind| at_share(kind, stream.uniform()))
    }

    /// `count` points of which each has its own of `count` equal parts of every dimension (a Latin hypercube).
    pub(crate) fn spread(&self, count: usize, stream: &mut Stream) -> Vec<Point> {
        let mut parts: Vec<Vec<usize>> = vec![(0..count).collect(); self.0.len()];
        parts.iter_mut().for_each(|parts| stream.shuffle(parts));
        let share = |part: usize, stream: &mut Stream| (part as f64 + stream.uniform()) / count as f64;
        (0..count).map(|own| self.build(|index, kind| at_share(kind, share(parts[index][own], stream)))).collect()
    }

    /// A point near `point`: one dimension or more is moved, numbers by a normal variable of standard deviation `scale`
    /// and to another step at least.
    pub(crate) fn near(&self, point: &[Coordinate], scale: f64, stream: &mut Stream) -> Point {
        let present: Vec<usize> = (0..point.len()).filter(|&index| point[index] != Coordinate::Absent).collect();
        if present.is_empty() {
            return point.to_vec();
        }
        let one = present[stream.below(present.len() as u64) as usize];
        self.build(|index, kind| match point[index] {
            Coordinate::Absent => at_share(kind, stream.uniform()),
            same if index != one && !stream.bernoulli(1.0 / present.len() as f64) => same,
            Coordinate::Number(share) => moved(kind, share, scale * stream.normal()),
            Coordinate::Choice(_) => at_share(kind, stream.uniform()),
        })
    }

    /// All points, if there are at most `most`.
    pub(crate) fn all(&self, most: usize) -> Option<Vec<Point>> {
        let mut points: Vec<Point> = vec![Point::new()];
        for (index, dimension) in self.0.iter().enumerate() {
            let own: Vec<Coordinate> = match &dimension.kind {
                Kind::Number { steps: Some(steps) } => steps.iter().copied().map(Coordinate::Number).collect(),
                Kind::Number { steps: None } => return None,
                Kind::Choice(count) => (0..*count).map(Coordinate::Choice).collect(),
            };
            let longer = |point: Point| {
                let next = if self.exists(index, &point) { own.clone() } else { vec![Coordinate::Absent] };
                next.into_iter().map(move |coordinate| point.iter().copied().chain([coordinate]).collect())
            };
            points = points.into_iter().flat_map(longer).take(most + 1).collect();
        }
        (points.len() <= most).then_some(points)
    }
}

fn rounded(share: f64) -> f64 {
    (share * DIGITS).round() / DIGITS
}

/// The coordinate that has this share, in [0, 1), of the possible ones before it.
fn at_share(kind: &Kind, share: f64) -> Coordinate {
    let part = |count: usize| ((share * count as f64) as usize).min(count - 1);
    match kind {
        Kind::Number { steps: None } => Coordinate::Number(rounded(share)),
        Kind::Number { steps: Some(steps) } => Coordinate::Number(steps[part(steps.len())]),
        Kind::Choice(count) => Coordinate::Choice(part(*count)),
    }
}

/// A number moved `by`, reflected at the ends.
fn moved(kind: &Kind, share: f64, by: f64) -> Coordinate {
    let beyond = (share + by).abs() % 2.0;
    let target = if beyond > 1.0 { 2.0 - beyond } else { beyond };
    let Kind::Number { steps: Some(steps) } = kind else { return Coordinate::Number(rounded(target)) };
    let distance = |index: usize| (steps[index] - target).abs();
    let old = steps.partition_point(|step| *step < share);
    let nearest = (0..steps.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(old);
    let next = match nearest == old {
        false => nearest,
        true if by < 0.0 => old.saturating_sub(1),
        true => (old + 1).min(steps.len() - 1),
    };
    Coordinate::Number(steps[next])
}
