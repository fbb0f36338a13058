//! Which arms of a search are tried again.

use fedbits_scenarios::schema::Arm;

/// The arms of a search that are tried again under other assumptions.
pub(crate) enum Candidates {
    /// These arms of a race, by their numbers.
    Arms(Vec<usize>),
    /// Points of an optimization with what they set; the first one, which sets nothing, is the baseline.
    Points(Vec<Arm>),
}

impl Candidates {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Arms(arms) => arms.len(),
            Self::Points(points) => points.len(),
        }
    }

    /// Those at these places.
    pub(crate) fn only(&self, places: &[usize]) -> Self {
        match self {
            Self::Arms(arms) => Self::Arms(places.iter().map(|&place| arms[place]).collect()),
            Self::Points(points) => Self::Points(places.iter().map(|&place| points[place].clone()).collect()),
        }
    }

    /// The name of the one at this place; `arms` has those of a race.
    pub(crate) fn name<'a>(&'a self, place: usize, arms: &[&'a str]) -> &'a str {
        match self {
            Self::Arms(own) => arms[own[place]],
            Self::Points(points) => &points[place].name,
        }
    }
}
