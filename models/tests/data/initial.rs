use fedbits_models::Examples;
use fedbits_models::initial::{InitialError, KMeans, KMeansFit, random_examples, sample_covariance, sample_mean};
use fedbits_random::{DrawPurpose, Streams};

fn line(rows: &[f64]) -> Examples<'_> {
    Examples::new(rows, 1)
}

#[test]
fn means_are_different_examples() {
    let rows: Vec<f64> = (0..20).map(f64::from).collect();
    let mut hits = [0; 10];
    for replicate in 0..2000 {
        let examples = Examples::new(&rows, 2);
        let means = random_examples(examples, 3, &Streams::new(1, replicate)).unwrap();
        let chosen: Vec<usize> = means.chunks(2).map(|mean| mean[0] as usize / 2).collect();
        assert!(means.chunks(2).all(|mean| mean[0] % 2.0 == 0.0 && mean[1] == mean[0] + 1.0));
        assert!(chosen.is_sorted_by(|a, b| a < b), "{chosen:?}");
        chosen.iter().for_each(|&example| hits[example] += 1);
    }
    // Each example is chosen with probability 3/10: 600 ± 20.5; seven standard deviations are allowed.
    assert!(hits.iter().all(|&count| (457..=743).contains(&count)), "{hits:?}");
}

/// (0, 0), (2, 0), (0, 2), (2, 6): mean (1, 2); deviations give Σxx = 1, Σxy = 1, Σyy = 6 with divisor 4.
#[test]
fn moments_have_divisor_n() {
    let examples = Examples::new(&[0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 2.0, 6.0], 2);
    assert_eq!(sample_mean(examples), [1.0, 2.0]);
    assert_eq!(sample_covariance(examples), [1.0, 1.0, 6.0]);
    // vech: entry (i, j), j ≤ i, at i(i+1)/2 + j.
    let three = Examples::new(&[1.0, 0.0, 0.0, -1.0, 0.0, 4.0, 1.0, 3.0, 0.0, -1.0, -3.0, -4.0], 3);
    assert_eq!(sample_covariance(three), [1.0, 1.5, 4.5, 0.0, 3.0, 8.0]);
}

#[test]
fn impossible_starts_are_explained() {
    let streams = Streams::new(1, 0);
    let message = |error: InitialError| error.to_string();
    let examples = line(&[1.0, 1.0, 1.0]);
    let run = |components, restarts| {
        KMeans { components, iterations: 5, restarts, tolerance: 0.0 }.run(examples, &streams).unwrap_err()
    };
    assert_eq!(
        message(random_examples(examples, 0, &streams).unwrap_err()),
        "an initial value needs at least one component"
    );
    assert_eq!(
        message(random_examples(examples, 4, &streams).unwrap_err()),
        "4 components need as many examples: the data have 3"
    );
    assert_eq!(message(run(4, 1)), "4 components need as many examples: the data have 3");
    assert_eq!(message(run(2, 1)), "2 components need as many different examples: the data have 1");
    assert_eq!(message(run(1, 0)), "k-means needs at least one restart");
}

/// These are part of every result: a change is a change of engine version.
#[test]
fn starts_keep_their_values() {
    let rows: Vec<f64> = (0..50).map(|j| f64::from(j * j)).collect();
    let streams = Streams::new(42, 0);
    assert_eq!(random_examples(line(&rows), 4, &streams).unwrap(), [169.0, 256.0, 484.0, 2025.0]);
    let seeds =
        KMeans { components: 4, iterations: 0, restarts: 1, tolerance: 0.0 }.run(line(&rows), &streams).unwrap();
    assert_eq!(seeds.means, [2401.0, 121.0, 1444.0, 1225.0]);
}

/// The definition: Σ_j min_g ‖y_j − μ_g‖², ties to the first centre.
fn definition(examples: Examples<'_>, means: &[f64]) -> (Vec<u32>, f64) {
    let d = examples.dimension();
    let mut labels = Vec::new();
    let mut inertia = 0.0;
    for row in examples.rows().chunks(d) {
        let distance = |mean: &[f64]| row.iter().zip(mean).map(|(y, m)| (y - m) * (y - m)).sum::<f64>();
        let distances: Vec<f64> = means.chunks(d).map(distance).collect();
        let best = (0..distances.len()).fold(0, |best, g| if distances[g] < distances[best] { g } else { best });
        labels.push(best as u32);
        inertia += distances[best];
    }
    (labels, inertia)
}

fn cloud(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let streams = Streams::new(seed, 0);
    (0..n as u64)
        .flat_map(|example| {
            let mut stream = streams.at(DrawPurpose::Data, example, 0);
            let shift = 2.0 * stream.below(4) as f64;
            (0..d).map(|_| shift + stream.normal()).collect::<Vec<_>>()
        })
        .collect()
}

/// The smallest inertia over all ways to give each example one of G labels.
fn brute_force(examples: Examples<'_>, components: usize) -> f64 {
    let (n, d) = (examples.len(), examples.dimension());
    let mut best = f64::INFINITY;
    for code in 0..components.pow(n as u32) {
        let label = |example: usize| code / components.pow(example as u32) % components;
        let mut inertia = 0.0;
        for g in 0..components {
            let members: Vec<&[f64]> =
                (0..n).filter(|&j| label(j) == g).map(|j| &examples.rows()[j * d..][..d]).collect();
            for coordinate in 0..d {
                let mean = members.iter().map(|row| row[coordinate]).sum::<f64>() / members.len() as f64;
                inertia += members.iter().map(|row| (row[coordinate] - mean) * (row[coordinate] - mean)).sum::<f64>();
            }
        }
        best = best.min(inertia);
    }
    best
}

#[test]
fn many_restarts_reach_the_best_of_all_partitions() {
    for seed in 0..10 {
        let rows = cloud(8, 2, seed);
        let examples = Examples::new(&rows, 2);
        let found = KMeans { components: 3, iterations: 100, restarts: 50, tolerance: 0.0 }
            .run(examples, &Streams::new(seed, 0))
            .unwrap();
        let optimum = brute_force(examples, 3);
        assert!((found.inertia - optimum).abs() < 1e-10 * (1.0 + optimum), "{} {optimum}", found.inertia);
    }
}

/// Labels and inertia are those of the returned means; a converged run's means are the means of its clusters; fewer
/// iterations never have a smaller inertia.
#[test]
fn results_agree_with_their_definition() {
    let rows = cloud(203, 3, 1);
    let examples = Examples::new(&rows, 3);
    let mut last = f64::INFINITY;
    for iterations in [0, 1, 2, 5, 1000] {
        let found = KMeans { components: 4, iterations, restarts: 1, tolerance: 0.0 }
            .run(examples, &Streams::new(2, 0))
            .unwrap();
        let (labels, inertia) = definition(examples, &found.means);
        assert_eq!(found.labels, labels);
        assert!((found.inertia - inertia).abs() < 1e-10 * inertia);
        assert!(found.inertia <= last && found.iterations <= iterations);
        last = found.inertia;
        if iterations == 1000 {
            check_fixed_point(examples, &found);
        }
    }
}

fn check_fixed_point(examples: Examples<'_>, found: &KMeansFit) {
    assert!(found.iterations < 1000);
    for g in 0..4u32 {
        for j in 0..3 {
            let members = examples.rows().chunks(3).zip(&found.labels).filter(|(_, label)| **label == g);
            let values: Vec<f64> = members.map(|(row, _)| row[j]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((mean - found.means[g as usize * 3 + j]).abs() < 1e-12);
        }
    }
}

/// Seeds after 0 iterations are examples; in {0, 0, 0, 10} the second is always the other value, because a coincident
/// example has probability 0.
#[test]
fn seeds_are_distinct_examples() {
    for replicate in 0..50 {
        let kmeans = KMeans { components: 2, iterations: 0, restarts: 1, tolerance: 0.0 };
        let mut means = kmeans.run(line(&[0.0, 0.0, 0.0, 10.0]), &Streams::new(1, replicate)).unwrap().means;
        means.sort_by(f64::total_cmp);
        assert_eq!(means, [0.0, 10.0]);
    }
}

/// D² law: among {0, 1, 3}, given the first seed 0, the second is 1 or 3 with probabilities 1/10 and 9/10; given 1: 1/5
/// and 4/5; given 3: 9/13 and 4/13. So P{0,1} = (1/10 + 1/5)/3 = .1, P{1,3} = (4/5 + 4/13)/3 = .369, P{0,3} = .531.
#[test]
fn seeding_has_the_probabilities_of_the_paper() {
    let mut counts = [0.0; 3];
    let runs = 20_000;
    for replicate in 0..runs {
        let kmeans = KMeans { components: 2, iterations: 0, restarts: 1, tolerance: 0.0 };
        let means = kmeans.run(line(&[0.0, 1.0, 3.0]), &Streams::new(9, replicate)).unwrap().means;
        let sum = means.iter().sum::<f64>();
        counts[if sum < 2.0 {
            0
        } else if sum < 3.5 {
            1
        } else {
            2
        }] += 1.0;
    }
    let exact = [0.1, (0.9 + 9.0 / 13.0) / 3.0, (0.8 + 4.0 / 13.0) / 3.0];
    for (count, p) in counts.iter().zip(exact) {
        let deviation = (p * (1.0 - p) / runs as f64).sqrt();
        assert!((count / runs as f64 - p).abs() < 5.0 * deviation, "{counts:?}");
    }
}
