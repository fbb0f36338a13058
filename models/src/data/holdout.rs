//! Examples that no client has: the fit is judged by them.

use super::{DataSet, DataSetError};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Described;
use fedbits_spec::range::Interval;
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

/// (0, 1), shares.
const SHARE: Interval = Interval::closed(f64::MIN_POSITIVE, 1.0 - f64::EPSILON, "in (0, 1), no unit");
/// Entity of the permutation of examples, and of clients.
const EXAMPLES: u64 = 1 << 40;
const CLIENTS: u64 = (1 << 40) + 1;

/// Examples withheld from the clients.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Holdout {
    /// This share of the examples (subjects, persons), drawn at random and rounded.
    Rows(#[range(SHARE)] f64),
    /// All examples of this share of the clients, drawn likewise; the others are renumbered. Needs `partition:
    /// ClientColumn`.
    Clients(#[range(SHARE)] f64),
}

impl Short for Holdout {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.2", "Rows(0.2)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Rows(number))
    }
}

/// Data that clients have, and data that are held out.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// For the clients.
    pub kept: DataSet,
    /// For judging.
    pub held_out: DataSet,
}

impl Holdout {
    /// Splits `data`; both parts keep its order.
    ///
    /// # Errors
    /// When the share rounds to none or to all, or there are no clients.
    pub fn split(self, data: &DataSet, streams: &Streams) -> Result<Split, DataSetError> {
        let held_out = self.examples(data.len(), data.groups(), streams)?;
        let split = divided(data, |example| held_out[example])?;
        Ok(match self {
            Self::Rows(_) => split,
            Self::Clients(_) => Split { kept: split.kept.with_groups_renumbered(), ..split },
        })
    }

    /// Which of so many examples, in these groups, are held out.
    ///
    /// # Errors
    /// When the share rounds to none or to all, or there are no clients.
    pub fn examples(self, count: usize, groups: Option<&[u32]>, streams: &Streams) -> Result<Vec<bool>, DataSetError> {
        match self {
            Self::Rows(share) => held_out_rows(share, count, streams),
            Self::Clients(share) => {
                let groups = groups.ok_or_else(|| DataSetError::new("the data have no client column"))?;
                let count = groups.iter().max().map_or(0, |&last| last as usize + 1);
                let held_out = drawn(share, count, "clients", CLIENTS, streams)?;
                Ok(groups.iter().map(|&group| held_out[group as usize]).collect())
            }
        }
    }
}

/// Which of so many examples or subjects are held out, by number.
///
/// # Errors
/// When the share rounds to none or to all.
pub fn held_out_rows(share: f64, count: usize, streams: &Streams) -> Result<Vec<bool>, DataSetError> {
    drawn(share, count, "examples", EXAMPLES, streams)
}

/// Which of `count` are drawn.
fn drawn(
    share: f64,
    count: usize,
    units: &'static str,
    entity: u64,
    streams: &Streams,
) -> Result<Vec<bool>, DataSetError> {
    let wanted = (share * count as f64).round() as usize;
    if wanted == 0 || wanted >= count {
        let part = if wanted > 0 { "all" } else { "none" };
        return Err(DataSetError::new(format!("a share of {share} of {count} {units} is {part}")));
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    streams.at(DrawPurpose::HeldOut, entity, 0).shuffle(&mut order);
    let mut drawn = vec![false; count];
    order[..wanted].iter().for_each(|&at| drawn[at as usize] = true);
    Ok(drawn)
}

fn divided(data: &DataSet, is_held_out: impl Fn(usize) -> bool) -> Result<Split, DataSetError> {
    let (held_out, kept): (Vec<u32>, Vec<u32>) =
        (0..data.len() as u32).partition(|&example| is_held_out(example as usize));
    Ok(Split { kept: data.select(&kept)?, held_out: data.select(&held_out)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(n: usize) -> DataSet {
        let rows = (0..n).map(|j| j as f64).collect();
        let groups = (0..n).map(|j| (j % 5) as u32).collect();
        DataSet::new(vec!["y".to_owned()], rows, None, Some(groups)).unwrap()
    }

    #[test]
    fn parts_are_disjoint_and_complete_and_change_with_the_seed() {
        let data = data(50);
        let split = |seed| Holdout::Rows(0.3).split(&data, &Streams::new(seed, 0)).unwrap();
        let Split { kept, held_out } = split(1);
        assert_eq!((kept.len(), held_out.len()), (35, 15));
        let mut all = [kept.rows(), held_out.rows()].concat();
        assert!(kept.rows().is_sorted() && held_out.rows().is_sorted());
        all.sort_by(f64::total_cmp);
        assert_eq!(all, data.rows());
        assert_ne!(split(1), split(2));
    }

    #[test]
    fn whole_clients_leave_and_the_others_are_renumbered() {
        let data = data(50);
        let Split { kept, held_out } = Holdout::Clients(0.4).split(&data, &Streams::new(3, 0)).unwrap();
        assert_eq!((kept.len(), held_out.len()), (30, 20));
        let remainders = |data: &DataSet| data.rows().iter().map(|y| *y as usize % 5).collect::<Vec<_>>();
        assert!(remainders(&held_out).iter().all(|client| !remainders(&kept).contains(client)));
        let groups = kept.groups().unwrap();
        assert_eq!(
            groups.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
            [0, 1, 2]
        );
    }

    #[test]
    fn every_example_is_held_out_equally_often() {
        let data = data(10);
        let mut counts = [0u32; 10];
        for seed in 0..4000 {
            let split = Holdout::Rows(0.2).split(&data, &Streams::new(seed, 1)).unwrap();
            split.held_out.rows().iter().for_each(|&y| counts[y as usize] += 1);
        }
        // 800 ± 5 standard deviations of a binomial count.
        assert!(counts.iter().all(|&count| (800.0 - f64::from(count)).abs() < 5.0 * 25.3), "{counts:?}");
    }

    #[test]
    fn a_share_of_nothing_is_an_error() {
        let (data, streams) = (data(10), Streams::new(1, 0));
        let message = |holdout: Holdout| holdout.split(&data, &streams).unwrap_err().to_string();
        assert_eq!(message(Holdout::Rows(0.01)), "a share of 0.01 of 10 examples is none");
        assert_eq!(message(Holdout::Clients(0.99)), "a share of 0.99 of 5 clients is all");
    }
}
