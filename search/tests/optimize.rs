//! The optimizer from outside: it stays in its space and its budget, is a function of outcomes, and finds what is best.

use std::collections::BTreeMap;

use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_search::{
    Coordinate, Dimension, Kind, Optimizer, Outcome, Point, Rules, Score, Space, dominates, hypervolume,
};
use proptest::prelude::*;

fn at(score: f64) -> Score {
    Score::At { at: score, above: score }
}

fn number() -> Dimension {
    Dimension { kind: Kind::Number { steps: None }, needs: vec![] }
}

fn stream(seed: u64, entity: u64, index: u64) -> Stream {
    Streams::new(seed, 1).at(DrawPurpose::Data, entity, index)
}

fn rules(runs: u64, seed: u64) -> Rules {
    Rules { runs, replicates: 6, batch: 4, seed, reached: 0.9, objectives: 1 }
}

/// Runs until the budget is spent, with what `run` says of a point, its arm and a replicate; how many runs it was.
fn drive(optimizer: &mut Optimizer, run: &dyn Fn(Option<&Point>, usize, u64) -> Outcome) -> usize {
    let mut known = BTreeMap::new();
    loop {
        let runs = optimizer.advance(&mut |arm, replicate| known.get(&(arm, replicate)).cloned());
        if runs.is_empty() {
            return known.len();
        }
        for (arm, replicate) in runs {
            let outcome = run(optimizer.points()[arm].as_ref(), arm, replicate);
            assert!(known.insert((arm, replicate), outcome).is_none(), "arm {arm}, replicate {replicate} twice");
        }
    }
}

fn shares(point: &Point) -> Vec<f64> {
    let share = |coordinate: &Coordinate| match coordinate {
        Coordinate::Number(share) => *share,
        Coordinate::Choice(choice) => *choice as f64,
        Coordinate::Absent => -1.0,
    };
    point.iter().map(share).collect()
}

fn any_space() -> impl Strategy<Value = Space> {
    let dimension = (0..3_usize, 1..5_usize, any::<bool>(), any::<prop::sample::Index>());
    prop::collection::vec(dimension, 1..7).prop_map(|drawn| {
        let mut dimensions: Vec<Dimension> = Vec::new();
        for (kind, count, conditional, parent) in drawn {
            let kind = match kind {
                0 => Kind::Number { steps: None },
                1 => Kind::Number { steps: Some((0..count).map(|step| step as f64 / count as f64).collect()) },
                _ => Kind::Choice(count),
            };
            let choices = |at: &usize| match dimensions[*at].kind {
                Kind::Choice(count) => Some((*at, (0..count.div_ceil(2)).collect())),
                Kind::Number { .. } => None,
            };
            let parents: Vec<(usize, Vec<usize>)> = (0..dimensions.len()).filter_map(|at| choices(&at)).collect();
            let needs = if conditional && !parents.is_empty() { vec![parent.get(&parents).clone()] } else { vec![] };
            dimensions.push(Dimension { kind, needs });
        }
        Space::new(dimensions)
    })
}

/// Costs without a meaning: exact, bounds, infeasible, in any order.
fn any_outcome(seed: u64, arm: usize, replicate: u64, objectives: usize) -> Outcome {
    let mut stream = stream(seed, arm as u64, replicate);
    let mut score = || if stream.bernoulli(0.2) { Score::AtLeast(stream.normal()) } else { at(stream.normal()) };
    let scores = (0..objectives).map(|_| score()).collect();
    Outcome { scores, feasible: stream.bernoulli(0.8) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Points are of the space and differ, replicates come in their order, the budget is kept; it is left only where
    /// all arms of a small space have all replicates.
    #[test]
    fn spaces_and_budgets_are_kept(
        space in any_space(), seed in 0..1000_u64, runs in 1..40_u64, batch in 1..6_usize, objectives in 1..3_usize,
    ) {
        let rules = Rules { runs, replicates: 3, batch, seed, reached: 0.5, objectives };
        let mut optimizer = Optimizer::new(space.clone(), rules, None);
        let spent = drive(&mut optimizer, &|_, arm, replicate| any_outcome(seed, arm, replicate, objectives));
        let counts: Vec<usize> = optimizer.known().iter().map(Vec::len).collect();
        prop_assert_eq!(counts.iter().sum::<usize>(), spent);
        prop_assert!(counts.iter().all(|count| (1..=3).contains(count)), "{:?}", counts);
        prop_assert!(spent as u64 <= runs);
        let points: Vec<&Point> = optimizer.points().iter().flatten().collect();
        for (index, point) in points.iter().enumerate() {
            prop_assert!(space.contains(point), "{:?} in {:?}", point, space);
            prop_assert!(!points[..index].contains(point), "{:?} twice", point);
        }
        prop_assert!(!optimizer.best().is_empty());
    }

    /// Outcomes that arrive one by one in any order, and an optimizer that is made anew before each call, lead to the
    /// same runs.
    #[test]
    fn a_replay_is_the_life(space in any_space(), seed in 0..1000_u64, objectives in 1..3_usize) {
        let rules = Rules { objectives, ..rules(24, seed) };
        let mut whole = Optimizer::new(space.clone(), rules, None);
        drive(&mut whole, &|_, arm, replicate| any_outcome(seed, arm, replicate, objectives));
        let mut known = BTreeMap::new();
        let mut order = stream(seed, 0, 1);
        loop {
            let mut anew = Optimizer::new(space.clone(), rules, None);
            let runs = anew.advance(&mut |arm, replicate| known.get(&(arm, replicate)).cloned());
            if runs.is_empty() {
                prop_assert_eq!(anew.points(), whole.points());
                prop_assert_eq!(anew.known(), whole.known());
                prop_assert_eq!(anew.best(), whole.best());
                break;
            }
            let (arm, replicate) = runs[order.below(runs.len() as u64) as usize];
            known.insert((arm, replicate), any_outcome(seed, arm, replicate, objectives));
        }
    }
}

/// All points of a small space are tried, and the best is the best; nothing is left to do then.
#[test]
fn a_small_space_is_exhausted() {
    let steps = Kind::Number { steps: Some(vec![0.0, 0.5, 1.0]) };
    let space = Space::new(vec![
        Dimension { kind: Kind::Choice(3), needs: vec![] },
        Dimension { kind: steps, needs: vec![(0, vec![1])] },
    ]);
    for seed in 0..5 {
        let mut optimizer =
            Optimizer::new(space.clone(), rules(1000, seed), Some(vec![Coordinate::Choice(0), Coordinate::Absent]));
        let cost = |point: Option<&Point>| 3.0 - 2.0 * shares(point.unwrap())[1] + shares(point.unwrap())[0];
        let spent = drive(&mut optimizer, &|point, _, _| Outcome { scores: vec![at(cost(point))], feasible: true });
        assert_eq!(optimizer.points().len(), 5, "{:?}", optimizer.points());
        assert!(spent <= 5 * 6);
        let best = optimizer.best();
        assert_eq!(best.len(), 1);
        assert_eq!(optimizer.points()[best[0]], Some(vec![Coordinate::Choice(1), Coordinate::Number(1.0)]));
        assert_eq!(optimizer.known()[best[0]].len(), 6, "the best has all replicates");
    }
}

/// A bowl in three numbers with a choice that turns it, where a corner fails; replicates share most of their noise.
fn bowl(point: &Point, seed: u64, arm: usize, replicate: u64) -> Outcome {
    let shared = stream(seed, 1_000_000, replicate).normal();
    let own = stream(seed, arm as u64, replicate).normal();
    let score = bowl_truth(point) + 0.5 * shared + 0.05 * own;
    let feasible = shares(point)[1] < 0.9;
    Outcome { scores: vec![if feasible { at(score) } else { Score::AtLeast(score - 1.0) }], feasible }
}

fn bowl_truth(point: &Point) -> f64 {
    let shares = shares(point);
    let center = if shares[0] == 0.0 { [0.2, 0.6, 0.5] } else { [0.7, 0.8, 0.3] };
    let square = |(share, center): (&f64, f64)| (share - center) * (share - center);
    5.0 * shares[1..].iter().zip(center).map(square).sum::<f64>() + 0.3 * shares[0]
}

/// With 60 runs it comes closer than the best of 60 random points by their true costs, and the best arm has replicates.
#[test]
fn it_beats_the_best_of_random_points() {
    let choice = Dimension { kind: Kind::Choice(2), needs: vec![] };
    let space = Space::new(vec![choice, number(), number(), number()]);
    let (mut ahead, seeds) = (0, 12);
    for seed in 0..seeds {
        let first =
            vec![Coordinate::Choice(1), Coordinate::Number(0.0), Coordinate::Number(0.0), Coordinate::Number(1.0)];
        let mut optimizer = Optimizer::new(space.clone(), rules(60, seed), Some(first));
        drive(&mut optimizer, &|point, arm, replicate| bowl(point.unwrap(), seed, arm, replicate));
        let best = optimizer.best()[0];
        assert!(optimizer.known()[best].len() >= 4, "{} replicates", optimizer.known()[best].len());
        let found = bowl_truth(optimizer.points()[best].as_ref().unwrap());
        let mut draws = stream(seed, 0, 99);
        let mut random = || {
            let share = |draws: &mut Stream| Coordinate::Number(draws.uniform());
            vec![Coordinate::Choice(draws.below(2) as usize), share(&mut draws), share(&mut draws), share(&mut draws)]
        };
        let least = (0..60).map(|_| bowl_truth(&random())).fold(f64::INFINITY, f64::min);
        assert!(found < 0.3, "seed {seed}: {found}");
        ahead += u32::from(found < least);
    }
    assert!(ahead >= 10, "{ahead} of {seeds} seeds");
}

/// Where nothing is feasible it goes on looking, and says the arm that came closest.
#[test]
fn nothing_feasible_is_no_end() {
    let mut optimizer = Optimizer::new(Space::new(vec![number(), number()]), rules(40, 3), None);
    let run = |_: Option<&Point>, arm, replicate| Outcome { feasible: false, ..any_outcome(1, arm, replicate, 1) };
    assert_eq!(drive(&mut optimizer, &run), 40);
    assert!(!optimizer.best().is_empty());
}

/// x and 1 − x with a penalty: the front is the line, of hypervolume 1/2 below (1, 1).
#[test]
fn a_front_is_found() {
    for seed in 0..4 {
        let mut optimizer = Optimizer::new(
            Space::new(vec![number(), number()]),
            Rules { objectives: 2, replicates: 2, ..rules(80, seed) },
            Some(vec![Coordinate::Number(1.0), Coordinate::Number(1.0)]),
        );
        let costs = |point: &Point| {
            let shares = shares(point);
            [shares[0] + shares[1], 1.0 - shares[0] + shares[1]]
        };
        drive(&mut optimizer, &|point, _, _| Outcome {
            scores: costs(point.unwrap()).map(at).to_vec(),
            feasible: true,
        });
        let front: Vec<Vec<f64>> =
            optimizer.best().iter().map(|&arm| costs(optimizer.points()[arm].as_ref().unwrap()).to_vec()).collect();
        assert!(front.iter().all(|one| !front.iter().any(|other| dominates(other, one))));
        let volume = hypervolume(&front, &[1.0, 1.0]);
        assert!(front.len() >= 5 && volume > 0.38, "seed {seed}: {} arms, {volume}", front.len());
    }
}

/// Shares of the same whole number are one arm: it is best once, and its rival in the settlement is another number.
#[test]
fn a_setting_is_no_rival_of_its_own() {
    for seed in 0..3 {
        let mut optimizer = Optimizer::new(Space::new(vec![number()]), rules(60, seed), None);
        let whole = |point: &Point| (shares(point)[0] * 8.0).floor() as u64;
        let (mut known, mut numbers) = (BTreeMap::new(), Vec::new());
        loop {
            let runs = optimizer.advance(&mut |arm, replicate| known.get(&(arm, replicate)).cloned());
            if runs.is_empty() {
                break;
            }
            for arm in numbers.len()..optimizer.points().len() {
                let number = optimizer.points()[arm].as_ref().map(whole);
                if number.is_some() && numbers.contains(&number) {
                    optimizer.repeat(arm);
                }
                numbers.push(number);
            }
            for (arm, replicate) in runs {
                // The same replicate of the same number costs the same.
                let cost = numbers[arm].map_or(9.0, |number| 1.0 + (number as f64 - 5.0).abs());
                let noise = stream(seed, numbers[arm].map_or(99, |number| number), replicate).uniform();
                let outcome = Outcome { scores: vec![at(cost + 0.2 * noise)], feasible: true };
                known.insert((arm, replicate), outcome);
            }
        }
        let best = optimizer.best();
        assert_eq!(best.iter().map(|&arm| numbers[arm]).collect::<Vec<_>>(), [Some(5)], "seed {seed}");
        let distinct = numbers.iter().collect::<std::collections::BTreeSet<_>>().len();
        assert!(numbers.len() > distinct, "seed {seed}: no number was repeated");
        let full: Vec<_> = (0..numbers.len()).filter(|&arm| optimizer.known()[arm].len() == 6).collect();
        let rivals: std::collections::BTreeSet<_> = full.iter().map(|&arm| numbers[arm]).collect();
        assert_eq!((full.len(), rivals.len() >= 3), (rivals.len(), true), "seed {seed}: arm 0, the best and its rival");
    }
}
