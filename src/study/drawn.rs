//! Points of an optimization that speak for all that it may propose: by them it is estimated what the search costs.

use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::memory::Estimate;
use fedbits_scenarios::study::{PointValue, SearchPath, StudyArm};

use super::definition::Study;
use crate::error::Error;

/// How many points are drawn: a prime number, so that multiples of it are all there are.
const POINTS: usize = 11;

impl Study {
    /// Of an optimization points that are spread over its settings, each part of a law as often as any, and the
    /// scenario of the point that takes the most memory as far as scenarios tell it. Points that make no scenario are
    /// left out.
    pub(crate) fn drawn(&self) -> Result<(Vec<StudyArm>, Option<Checked>), Error> {
        let (mut points, paths) = (Vec::new(), self.search_paths()?);
        for number in (0..POINTS).filter(|_| !paths.is_empty()) {
            let mut values = Vec::new();
            for (at, path) in paths.iter().enumerate() {
                // A lattice: the paths go through their parts in different orders.
                let part = number * (at % (POINTS - 1) + 1) % POINTS;
                let value = value(path, (part as f64 + 0.5) / POINTS as f64);
                values.push(Some(value).filter(|_| exists(path, &values)));
            }
            if let Some((name, checked)) = self.at(&paths, &values)? {
                points.push(StudyArm { name, levels: vec![points.len() + 1], checked });
            }
        }
        Ok((points, self.largest(&paths)?))
    }

    /// Path by path the end, or the choice, that takes the most memory beside what was chosen before.
    fn largest(&self, paths: &[SearchPath]) -> Result<Option<Checked>, Error> {
        let (mut values, mut largest) = (Vec::new(), None);
        for path in paths {
            let ends = match path.choices() {
                _ if !exists(path, &values) => Vec::new(),
                Some(count) => (0..count).map(PointValue::Choice).collect(),
                None => [0.0, 1.0].map(PointValue::Share).to_vec(),
            };
            let (mut best, mut most) = (None, 0);
            for end in ends {
                values.push(Some(end));
                let found = self.at(paths, &values)?;
                values.pop();
                let memory = found.as_ref().map_or(0, |(_, own)| Estimate::stated(&own.scenario).total());
                if memory > most {
                    (best, most, largest) = (Some(end), memory, found.map(|(_, checked)| checked));
                }
            }
            values.push(best);
        }
        Ok(largest)
    }

    /// The scenario with these values of the first paths, and what it sets; `None` where it is none.
    fn at(&self, paths: &[SearchPath], values: &[Option<PointValue>]) -> Result<Option<(String, Checked)>, Error> {
        let set = paths.iter().zip(values).filter_map(|(path, value)| Some((path.path.clone(), path.value((*value)?))));
        let set: Vec<(String, String)> = set.collect();
        let name = set.iter().map(|(path, value)| format!("{path}={value}")).collect::<Vec<_>>().join(" ");
        match self.point(&name, &set) {
            Ok(checked) => Ok(Some((name, checked))),
            Err(Error::Problems { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }
}

/// The value below which this share of the law lies, or of its choices.
fn value(path: &SearchPath, share: f64) -> PointValue {
    match path.choices() {
        Some(count) => PointValue::Choice((share * count as f64) as usize),
        None => PointValue::Share(share),
    }
}

/// Whether a path exists beside the values of those before it.
fn exists(path: &SearchPath, values: &[Option<PointValue>]) -> bool {
    path.needs.iter().all(|(other, choices)| match values[*other] {
        Some(PointValue::Choice(choice)) => choices.contains(&choice),
        _ => false,
    })
}
