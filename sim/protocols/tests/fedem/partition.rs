use fedbits_models::data::DataSet;
use fedbits_models::data::visits::Visits;
use fedbits_models::low_rank::Family;
use fedbits_protocols::partition::{Partition, PartitionError, Partitioned, Rule};
use fedbits_random::Streams;
use proptest::prelude::*;

/// Example j is the number j; labels as given.
fn numbered(labels: Option<Vec<u32>>, groups: Option<Vec<u32>>, n: usize) -> DataSet {
    DataSet::new(vec!["j".to_owned()], (0..n).map(|j| j as f64).collect(), labels, groups).expect("a table")
}

fn sorted(rows: &[f64]) -> Vec<f64> {
    let mut rows = rows.to_vec();
    rows.sort_by(f64::total_cmp);
    rows
}

proptest! {
    /// Under every rule: each example exactly once; labels travel along; sizes sum to N; no client is empty; clients
    /// tile the data; equal splits differ by at most one; the seed decides.
    #[test]
    fn every_example_goes_to_one_client(n in 1usize..300, clients in 1usize..20, seed: u64) {
        prop_assume!(clients <= n);
        let labels: Vec<u32> = (0..n as u32).map(|j| j * 7 % 5).collect();
        let groups: Vec<u32> = (0..n as u32).map(|j| j % clients as u32).collect();
        let data = numbered(Some(labels.clone()), Some(groups.clone()), n);
        let partitions = [
            Partition::Iid,
            Partition::InOrder,
            Partition::SortedByLabel,
            Partition::Dirichlet { alpha: 100.0 },
            Partition::ClientColumn,
        ];
        for partition in partitions {
            let Ok(partitioned) = Partitioned::new(&data, &partition.rule(clients), &Streams::new(seed, 0)) else {
                prop_assert!(matches!(partition, Partition::Dirichlet { .. }) && n < 10 * clients, "{partition:?} failed");
                continue;
            };
            prop_assert_eq!(sorted(partitioned.data().rows()), data.rows());
            prop_assert_eq!(partitioned.len(), clients);
            let sizes = partitioned.sizes();
            prop_assert_eq!(sizes.iter().sum::<usize>(), n);
            prop_assert!(sizes.iter().all(|&size| size > 0));
            let joined: Vec<f64> = (0..clients).flat_map(|i| partitioned.client(i).rows().to_vec()).collect();
            prop_assert_eq!(&joined[..], partitioned.data().rows());
            for (row, label) in joined.iter().zip(partitioned.data().labels().expect("labels")) {
                prop_assert_eq!(labels[*row as usize], *label);
            }
            if !matches!(partition, Partition::Dirichlet { .. }) {
                prop_assert!(sizes.iter().max().expect("clients") - sizes.iter().min().expect("clients") <= 1);
            }
            for i in 0..clients {
                prop_assert!(partitioned.client(i).rows().is_sorted(), "the original order is kept within a client");
            }
            if partition == Partition::InOrder {
                prop_assert_eq!(partitioned.data().rows(), data.rows());
            }
            if partition == Partition::ClientColumn {
                prop_assert!((0..clients).all(|i| partitioned.client(i).rows().iter().all(|&j| groups[j as usize] == i as u32)));
            }
        }
    }
}

#[test]
fn sorting_gives_each_client_few_labels() {
    let data = numbered(Some(vec![1, 0, 1, 0, 2, 2, 0]), None, 7);
    let partitioned = Partitioned::new(&data, &Partition::SortedByLabel.rule(3), &Streams::new(1, 0)).unwrap();
    // Sorted by label, stable: 1 3 6 | 0 2 | 4 5.
    assert_eq!(partitioned.data().rows(), [1.0, 3.0, 6.0, 0.0, 2.0, 4.0, 5.0]);
    assert_eq!(partitioned.offsets(), [0, 3, 5, 7]);
}

/// Mean over clients of the total variation distance between the client's label shares and the overall ones.
fn skew(partitioned: &Partitioned, classes: usize) -> f64 {
    let labels = partitioned.data().labels().expect("labels");
    let share = |labels: &[u32], class: usize| {
        labels.iter().filter(|&&label| label as usize == class).count() as f64 / labels.len() as f64
    };
    let distances = partitioned.offsets().windows(2).map(|pair| {
        let part = &labels[pair[0]..pair[1]];
        (0..classes).map(|class| (share(part, class) - share(labels, class)).abs()).sum::<f64>() / 2.0
    });
    distances.sum::<f64>() / partitioned.len() as f64
}

/// E‖shares − overall‖ grows as α falls; α → ∞ gives every client the overall shares up to rounding.
#[test]
fn label_skew_grows_as_alpha_falls() {
    let data = numbered(Some((0..10_000).map(|j| j % 10).collect()), None, 10_000);
    let at = |alpha| {
        let rule = Rule { minimum: 5, ..Partition::Dirichlet { alpha }.rule(20) };
        skew(&Partitioned::new(&data, &rule, &Streams::new(3, 0)).unwrap(), 10)
    };
    let skews = [1e6, 10.0, 1.0, 0.1].map(at);
    assert!(skews[0] < 0.02, "{skews:?}");
    assert!(skews.windows(2).all(|pair| pair[1] > pair[0] + 0.05), "{skews:?}");
    assert!(skews[3] > 0.5, "{skews:?}");
}

/// N_ℓ q rounded by largest remainders: every count is within one of the Dirichlet share, so with α → ∞ and N_ℓ = 3n/2
/// every client gets 1 or 2 examples of each label; also where the α of all are no number in sum.
#[test]
fn shares_are_rounded_within_one() {
    let data = numbered(Some((0..60).map(|j| j % 2).collect()), None, 60);
    for alpha in [1e12, 1e308] {
        let rule = Partition::Dirichlet { alpha }.rule(20);
        let partitioned = Partitioned::new(&data, &rule, &Streams::new(3, 0)).unwrap();
        let labels = partitioned.data().labels().unwrap();
        for pair in partitioned.offsets().windows(2) {
            for class in 0..2 {
                let count = labels[pair[0]..pair[1]].iter().filter(|&&label| label == class).count();
                assert!((1..=2).contains(&count), "{count}");
            }
        }
    }
}

#[test]
fn impossible_rules_are_explained() {
    let bare = numbered(None, None, 3);
    let message =
        |data: &DataSet, rule: Rule| Partitioned::new(data, &rule, &Streams::new(1, 0)).unwrap_err().to_string();
    let dirichlet = |clients, alpha, minimum| Rule { minimum, ..Partition::Dirichlet { alpha }.rule(clients) };
    assert_eq!(message(&bare, Partition::Iid.rule(0)), "a partition needs at least one client");
    assert_eq!(message(&bare, Partition::Iid.rule(4)), "4 clients for 3 examples: every client needs at least 1");
    assert_eq!(message(&bare, dirichlet(2, 1.0, 2)), "2 clients for 3 examples: every client needs at least 2");
    assert_eq!(message(&bare, Partition::SortedByLabel.rule(2)), "a partition by label needs data with labels");
    assert_eq!(message(&bare, dirichlet(2, 1.0, 1)), "a partition by label needs data with labels");
    assert_eq!(
        message(&bare, Partition::ClientColumn.rule(1)),
        "a partition by client column needs data with a client column"
    );
    for groups in [vec![0, 2, 2], vec![0, u32::MAX, 0]] {
        let gap = numbered(None, Some(groups), 3);
        assert_eq!(message(&gap, Partition::ClientColumn.rule(1)), "client 1 of the client column has no example");
    }
    assert_eq!(
        message(&bare, dirichlet(2, 0.0, 1)),
        "the Dirichlet concentration is 0: it must be positive and finite"
    );
    assert_eq!(
        message(&bare, dirichlet(2, f64::NAN, 1)),
        "the Dirichlet concentration is NaN: it must be positive and finite"
    );
    assert_eq!(message(&bare, dirichlet(2, 1.0, 0)), "the minimum is 0: every client needs at least 1 example");
    let one_label = numbered(Some(vec![0; 40]), None, 40);
    assert_eq!(
        message(&one_label, dirichlet(20, 1e-3, 2)),
        "in 1000 draws with concentration 0.001 some client always had fewer than 2 examples (at best 0): use a larger concentration, a smaller minimum or fewer clients"
    );
}

/// These are part of every result: a change is a change of engine version.
#[test]
fn partitions_keep_their_values() {
    let data = numbered(Some((0..12).map(|j| j % 3).collect()), None, 12);
    let rows = |rule: Rule| Partitioned::new(&data, &rule, &Streams::new(42, 0)).unwrap().data().rows().to_vec();
    assert_eq!(rows(Partition::Iid.rule(3)), PINNED_IID);
    assert_eq!(rows(Rule { minimum: 2, ..Partition::Dirichlet { alpha: 1.0 }.rule(3) }), PINNED_DIRICHLET);
}

const PINNED_IID: [f64; 12] = [2.0, 5.0, 7.0, 11.0, 4.0, 8.0, 9.0, 10.0, 0.0, 1.0, 3.0, 6.0];
const PINNED_DIRICHLET: [f64; 12] = [0.0, 5.0, 9.0, 2.0, 3.0, 7.0, 8.0, 10.0, 11.0, 1.0, 4.0, 6.0];

/// Equal data in another division is another digest.
#[test]
fn digest_sees_the_division() {
    let data = numbered(Some(vec![0, 0, 1, 1]), None, 4);
    let digest = |clients| {
        Partitioned::new(&data, &Partition::SortedByLabel.rule(clients), &Streams::new(1, 0)).unwrap().digest()
    };
    assert_ne!(digest(1), digest(2));
    assert_eq!(digest(2), digest(2));
}

fn small() -> Visits {
    Visits {
        sites: 60,
        times: 24,
        observers: 30,
        observations: 900,
        rank: 2,
        level: 2.0,
        spread: 0.7,
        skew: 1.0,
        family: Family::Gaussian,
        held_out: 0.0,
    }
}

/// Every observer's observations are with one client, and clients have equally many observers up to one.
#[test]
fn observers_are_dealt_out_whole() {
    let streams = Streams::new(5, 0);
    let table = small().generate(&streams).unwrap();
    let partitioned = Partitioned::new(&table.data, &Partition::Observers.rule(7), &streams).unwrap();
    let groups = partitioned.data().groups().expect("observers");
    let mut owners: Vec<(u32, usize)> = Vec::new();
    for (client, offsets) in partitioned.offsets().windows(2).enumerate() {
        owners.extend(groups[offsets[0]..offsets[1]].iter().map(|&group| (group, client)));
    }
    owners.sort_unstable();
    owners.dedup();
    assert!(owners.windows(2).all(|pair| pair[0].0 != pair[1].0), "an observer has one client");
    let counts: Vec<usize> = (0..7).map(|client| owners.iter().filter(|owner| owner.1 == client).count()).collect();
    assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
    let too_many = Partitioned::new(&table.data, &Partition::Observers.rule(31), &streams);
    assert!(matches!(too_many, Err(PartitionError::TooFewGroups { clients: 31, .. })));
}
