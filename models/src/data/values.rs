//! What a number of the data may be, by the model that is fitted to them.

/// The allowed values of an observation.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Values {
    /// Any finite number.
    #[default]
    Real,
    /// A count: 0, 1, 2, …
    Counts,
    /// A whole number from 0 to this one.
    UpTo(u32),
}

impl Values {
    /// What an observation must be, when `x` cannot be one.
    #[must_use]
    pub fn refuses(self, x: f64) -> Option<&'static str> {
        let whole = x >= 0.0 && x.is_finite() && x == libm::floor(x);
        match self {
            Self::Real => (!x.is_finite()).then_some("a finite number"),
            Self::Counts => (!whole).then_some("a count 0, 1, 2, …"),
            Self::UpTo(1) => (x != 0.0 && x != 1.0).then_some("0 or 1"),
            Self::UpTo(largest) => {
                (!whole || x > f64::from(largest)).then_some("a whole number from 0 to the number of trials")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn impossible_observations_are_named() {
        assert_eq!(Values::Counts.refuses(1.5), Some("a count 0, 1, 2, …"));
        assert!(Values::Counts.refuses(f64::INFINITY).is_some());
        assert!(Values::UpTo(3).refuses(4.0).is_some());
        assert!(Values::UpTo(3).refuses(3.0).is_none());
        assert_eq!(Values::UpTo(1).refuses(0.5), Some("0 or 1"));
        assert_eq!(Values::Real.refuses(-1.5), None);
    }
}
