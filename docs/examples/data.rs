//! A source of data: examples around the circle of radius 1.
//!
//! Example j is a function of its address (Data, j) alone: the first examples stay when there are more.
//!
//! This file is a whole program: `fedbits` whose scenarios can say `data: Circle(examples: 200, noise: 0.1)`.

use std::process::ExitCode;

use fedbits::libm;
use fedbits::models::data::{DataKind, DataSet, DataSource, Observations, ReadError, Reading, SourceFacts};
use fedbits::random::DrawPurpose;
use fedbits::spec::Described;
use fedbits::spec::range::{SIGMA, whole};
use serde::{Deserialize, Serialize};

/// Examples around the circle of radius 1.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// N, the number of examples.
    #[range(whole(1, 1_000_000))]
    examples: u64,
    /// Standard deviation of their distances from the origin.
    #[serde(default)]
    #[range(SIGMA)]
    noise: f64,
}

impl DataSource for Circle {
    fn facts(&self) -> SourceFacts {
        SourceFacts::drawn(DataKind::Examples, self.examples, 2)
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let example = |index| {
            let mut stream = with.streams.at(DrawPurpose::Data, index, 0);
            let (angle, radius) = (core::f64::consts::TAU * stream.uniform(), 1.0 + self.noise * stream.normal());
            [radius * libm::cos(angle), radius * libm::sin(angle)]
        };
        let columns = vec!["y1".to_owned(), "y2".to_owned()];
        let rows = (0..self.examples).flat_map(example).collect();
        Ok(Observations::Examples(DataSet::new(columns, rows, None, None)?))
    }

    fn examples() -> Vec<Self> {
        vec![Self { examples: 200, noise: 0.1 }]
    }
}

/// `fedbits` with one more source of data.
pub fn app() -> fedbits::App {
    fedbits::App::new().data_source::<Circle>()
}

fn main() -> ExitCode {
    app().main()
}
