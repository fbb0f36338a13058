//! Compressed terms with a server: numpy's trajectories (`tests/golden/make_vertical.py`), operators that lose nothing,
//! and what messages cost.

use crate::golden::{assert_within, golden, numbers};
use crate::vpem::common::{PLAIN, streams};
use fedbits_codec::{Dithering, Identity, Indices, LevelCode, Norm, TopK, WireFloat};
use fedbits_models::Examples;
use fedbits_models::gmm::vertical::{FeatureBlocks, VerticalMixture};
use fedbits_protocols::collective::Collective;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::operator::Operator;
use fedbits_protocols::uplink::Alpha;
use fedbits_protocols::vpem::fit::{Fit, Known};
use fedbits_protocols::vpem::rules::VpBatch;
use fedbits_protocols::vpem::{FederatedVpEm, FirstTerms, VpEm, VpLink, VpSurrogate};
use fedbits_random::Streams;
use fedbits_spec::Choice;

fn algorithm(settings: VpEm) -> FederatedVpEm {
    let file = golden("vertical.json");
    let rows = numbers(&file["rows"]);
    let blocks = FeatureBlocks::new(vec![vec![0, 1], vec![2], vec![4, 3]], 5).unwrap();
    let mixture = VerticalMixture::new(Examples::new(&rows, 5), 2, blocks).unwrap();
    let fit = Fit::new(mixture, &numbers(&file["start"]), settings, Known::default(), Streams::new(1, 0)).unwrap();
    FederatedVpEm::new(fit, true, streams())
}

/// Bits up and down of every iteration, and what `look` sees after it.
fn play<T>(algorithm: &mut FederatedVpEm, iterations: u64, look: impl Fn(&FederatedVpEm) -> T) -> Vec<([u64; 2], T)> {
    let iterate = |t| {
        algorithm.begin(t).unwrap();
        let up = (0..3).map(|client| algorithm.message(client, t).unwrap().count()).sum();
        let down = algorithm.answer().unwrap().count();
        algorithm.commit().unwrap();
        ([up, down], look(algorithm))
    };
    (1..=iterations).map(iterate).collect()
}

fn top(k: u32) -> Operator {
    Choice::of(TopK::new(k, Indices::default(), WireFloat::F64))
}

fn dithering(s: u32) -> Operator {
    Choice::of(Dithering { s, r: Norm::Infinity, code: LevelCode::Fixed, wire: WireFloat::F64 })
}

fn link(compressor: Operator, first: FirstTerms) -> VpLink {
    let surrogate = VpSurrogate::Surrogate { alpha: Alpha::Auto, first };
    VpLink::Compressed { compressor, floats: WireFloat::F64, surrogate }
}

fn direct(compressor: Operator) -> VpLink {
    VpLink::Compressed { compressor, floats: WireFloat::F64, surrogate: VpSurrogate::NoSurrogate }
}

#[test]
fn federated_runs_from_this_seed_follow_numpy() {
    let few = |k| link(top(k), FirstTerms::Compressed);
    let runs = [
        ("whole", PLAIN),
        ("top-both", VpEm { uplink: few(20), downlink: few(30), ..PLAIN }),
        ("top-direct", VpEm { uplink: direct(top(60)), ..PLAIN }),
        ("top-own", VpEm { uplink: link(top(20), FirstTerms::Whole), exact_own: true, ..PLAIN }),
        ("top-batches", VpEm { uplink: few(9), downlink: few(11), batch: VpBatch::InTurn(15), ..PLAIN }),
        (
            "dithering",
            VpEm {
                uplink: link(dithering(3), FirstTerms::Compressed),
                downlink: link(dithering(7), FirstTerms::Whole),
                ..PLAIN
            },
        ),
    ];
    let file = golden("vertical.json");
    for (name, settings) in runs {
        let mut algorithm = algorithm(settings);
        let columns = algorithm.columns();
        let found = play(&mut algorithm, 12, |now| (now.state().theta.to_vec(), now.values(true).unwrap()));
        let expected = file["surrogates"][name].as_array().unwrap();
        for (t, ((_, (theta, values)), expected)) in found.iter().zip(expected).enumerate() {
            let what = format!("{name}, iteration {}", t + 1);
            assert_within(&what, theta, &numbers(&expected["theta"]), 1e-10);
            let column = |of: &str| Some(values[columns.iter().position(|name| name == of)?].unwrap());
            let kept = [("local_log_likelihood", "likelihood"), ("consensus_error", ""), ("surrogate_error", "")];
            for (of, key) in kept {
                let expected = numbers(&expected[if key.is_empty() { of } else { key }]);
                column(of)
                    .into_iter()
                    .for_each(|found| assert_within(&format!("{what}: {of}"), &[found], &expected, 1e-10));
            }
        }
    }
}

/// Floats of 64 bits lose nothing: θ is that of whole terms, to the last bit without surrogates, and at the same bits.
/// With them differences are rounded.
#[test]
fn operators_that_lose_nothing_change_nothing() {
    let identity = || Choice::of(Identity { wire: WireFloat::F64 });
    let theta = |now: &FederatedVpEm| now.state().theta.to_vec();
    for batch in [VpBatch::All, VpBatch::Random(17)] {
        let plain = play(&mut algorithm(VpEm { batch, ..PLAIN }), 9, theta);
        let coded = VpEm { uplink: direct(identity()), downlink: direct(identity()), batch, ..PLAIN };
        assert_eq!(play(&mut algorithm(coded), 9, theta), plain);
        let both = || link(identity(), FirstTerms::Compressed);
        for exact_own in [false, true] {
            let followed = VpEm { uplink: both(), downlink: both(), exact_own, batch, ..PLAIN };
            let followed = play(&mut algorithm(followed), 9, theta);
            for (followed, plain) in followed.iter().zip(&plain) {
                assert_eq!(followed.0, plain.0);
                assert_within("θ with surrogates", &followed.1, &plain.1, 1e-12);
            }
        }
    }
}

/// EF-VFL's accounting with floats of 64 bits: one for each kept entry; a norm, and 1 + b bits of each number, where
/// s = 2ᵇ − 1. What is charged for top-k has the positions, too.
#[test]
fn bits_are_those_of_the_operators() {
    let counted = |settings: VpEm| {
        let mut algorithm = algorithm(settings);
        let free = algorithm.columns().iter().position(|name| name == "bits_up_indices_free").unwrap();
        let played = play(&mut algorithm, 4, |now| now.values(true).unwrap()[free].unwrap());
        (played.iter().map(|(bits, _)| *bits).collect::<Vec<_>>(), played.last().unwrap().1)
    };
    let (bits, free) = counted(VpEm { uplink: link(top(8), FirstTerms::Whole), ..PLAIN });
    // Three clients, 40 examples, two components.
    assert_eq!(bits[0], [3 * 80 * 64, 80 * 64]);
    assert!(
        bits[1..].iter().all(|&[up, down]| up > 3 * 8 * 64 && up < 3 * 8 * (64 + 7) && down == 80 * 64),
        "{bits:?}"
    );
    assert_eq!(free, f64::from(3 * 80 * 64 + 3 * 3 * 8 * 64));
    let (bits, _) = counted(VpEm { uplink: link(dithering(3), FirstTerms::Compressed), ..PLAIN });
    assert!(bits.iter().all(|&[up, down]| up == 3 * (64 + 80 * 3) && down == 80 * 64), "{bits:?}");
}
