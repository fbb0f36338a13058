//! Which arms speak for all of them.

use std::collections::BTreeMap;

use crate::runs::golden_step;

/// So many arms, in their order, of these levels of the axes: `first`, then always one whose levels were chosen least
/// for what they are of all arms, so that every level is among them where there are enough. Of several the next in
/// steps of the golden section, which has no common rhythm with the axes.
pub(super) fn spread(levels: &[&[usize]], first: usize, most: usize) -> Vec<usize> {
    let arms = levels.len();
    if arms <= most {
        return (0..arms).collect();
    }
    let step = golden_step(arms);
    let order: Vec<usize> = (0..arms).map(|number| (first + number * step) % arms).collect();
    let (all, mut taken) = (counts(levels.iter().copied()), vec![first]);
    while taken.len() < most {
        let seen = counts(taken.iter().map(|&arm| levels[arm]));
        let share = |key: (usize, usize)| seen.get(&key).map_or(0, |seen| seen * arms / all[&key]);
        let excess = |arm: &&usize| levels[**arm].iter().copied().enumerate().map(share).sum::<usize>();
        let left = order.iter().filter(|arm| !taken.contains(arm));
        let next = left.min_by_key(excess).copied();
        taken.extend(next);
    }
    taken.sort_unstable();
    taken
}

/// How many arms have each level of each axis.
fn counts<'a>(arms: impl Iterator<Item = &'a [usize]>) -> BTreeMap<(usize, usize), usize> {
    let mut counts = BTreeMap::new();
    arms.flat_map(|levels| levels.iter().copied().enumerate()).for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All combinations of so many levels, the last axis changes fastest.
    fn grid(sizes: &[usize]) -> Vec<Vec<usize>> {
        let further = |arms: Vec<Vec<usize>>, &size: &usize| {
            let with = |arm: &Vec<usize>, level: usize| arm.iter().copied().chain([level]).collect();
            arms.iter().flat_map(|arm| (0..size).map(move |level| with(arm, level))).collect()
        };
        sizes.iter().fold(vec![Vec::new()], further)
    }

    fn of(arms: &[Vec<usize>], first: usize) -> Vec<usize> {
        spread(&arms.iter().map(Vec::as_slice).collect::<Vec<_>>(), first, 12)
    }

    /// Every level of axes with at most as many, and about as often as the others: the combination that would make them
    /// even may be there already.
    #[test]
    fn every_level_is_seen() {
        for sizes in [&[4, 3, 3, 2][..], &[12, 2], &[2, 12], &[12, 12], &[2; 7], &[6, 1, 4], &[3, 5, 2], &[100, 2]] {
            let arms = grid(sizes);
            for first in [0, 1, arms.len() - 1] {
                let chosen = of(&arms, first);
                assert!(chosen.len() == 12 && chosen.is_sorted() && chosen.contains(&first), "{sizes:?}: {chosen:?}");
                for (axis, &size) in sizes.iter().enumerate() {
                    let times = |level| chosen.iter().filter(|&&arm| arms[arm][axis] == level).count();
                    let times: Vec<usize> = (0..size).map(times).collect();
                    let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
                    assert!(most - least <= 2, "{sizes:?}, axis {axis}: {times:?}");
                    assert!(size > 12 || *least > 0, "{sizes:?}, axis {axis}: {times:?}");
                }
            }
        }
    }

    /// A level that few arms have is not taken for as many as it has.
    #[test]
    fn levels_are_seen_as_often_as_arms_have_them() {
        let arms: Vec<Vec<usize>> = (0..60).map(|arm| vec![usize::from(arm % 5 == 0)]).collect();
        let rare = of(&arms, 0).into_iter().filter(|arm| arm % 5 == 0).count();
        assert!((2..=3).contains(&rare), "{rare}");
    }

    #[test]
    fn few_arms_speak_for_themselves() {
        assert_eq!(of(&grid(&[3, 2]), 4), [0, 1, 2, 3, 4, 5]);
        assert_eq!(of(&grid(&[1]), 0), [0]);
        // Values of one axis are spread over all of it.
        let chosen = of(&grid(&[1_000]), 0);
        let gaps = chosen.windows(2).map(|pair| pair[1] - pair[0]).chain([1_000 - chosen[11]]);
        assert!(gaps.clone().min().unwrap() > 30 && gaps.max().unwrap() < 200, "{chosen:?}");
    }
}
