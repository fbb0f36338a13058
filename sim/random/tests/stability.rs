//! The values themselves: part of every result, so they never change. A test that fails here means a new engine version.

use fedbits_random::{Purpose, Stream, Streams};

fn stream(index: u64) -> Stream {
    Streams::new(42, 7).at(Purpose::Data, 3, index)
}

/// Four draws of a sampler as bits.
fn bits(index: u64, draw: impl Fn(&mut Stream) -> f64) -> [u64; 4] {
    let mut s = stream(index);
    std::array::from_fn(|_| draw(&mut s).to_bits())
}

fn words<const N: usize>(mut draw: impl FnMut() -> u64) -> [u64; N] {
    std::array::from_fn(|_| draw())
}

#[test]
fn addresses() {
    let (streams, other) = (Streams::new(0, 0), Streams::new(u64::MAX, 1));
    let first = [
        streams.at(Purpose::Data, 0, 0).next_u64(),
        streams.at(Purpose::Data, 0, 1).next_u64(),
        streams.at(Purpose::Data, 1, 0).next_u64(),
        streams.at(Purpose::HeldOut, u64::MAX, u64::MAX).next_u64(),
        other.at(Purpose::Data, 0, 0).next_u64(),
        streams.counter(Purpose::Compression, 1, 2).bits(0),
        streams.counter(Purpose::Compression, 1, 2).bits(1_000),
        streams.counter(Purpose::Compression, 1, 2).stream().next_u64(),
    ];
    assert_eq!(
        first,
        [
            1696626666628680590,
            308226868232659725,
            16065568959151054115,
            17123023403935545328,
            13199135338066404884,
            18418005408312896736,
            10578721722994474426,
            2640040740051853228
        ]
    );
}

/// The number of each purpose enters every address.
#[test]
fn purposes() {
    let numbers = [
        Purpose::Data,
        Purpose::Partition,
        Purpose::Initial,
        Purpose::Availability,
        Purpose::Participation,
        Purpose::Latency,
        Purpose::Bandwidth,
        Purpose::Speed,
        Purpose::Dropout,
        Purpose::Minibatch,
        Purpose::Compression,
        Purpose::Audit,
        Purpose::Loss,
        Purpose::Topology,
        Purpose::Sampler,
        Purpose::Bootstrap,
        Purpose::Background,
        Purpose::HeldOut,
    ]
    .map(|purpose| purpose as u64);
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
}

#[test]
fn integers() {
    let mut s = stream(0);
    assert_eq!(
        words::<4>(|| s.next_u64()),
        [12977750494754592015, 13247390870080344361, 1034244479367912016, 3783107554667293559]
    );
    assert_eq!(words::<8>(|| s.below(10)), [6, 7, 1, 4, 7, 8, 9, 6]);
    assert_eq!(
        words::<4>(|| s.below(3 << 62)),
        [5475042219414045860, 13736034203338498281, 7387566393967260308, 4762133608305139539]
    );
    assert_eq!(words::<8>(|| s.binomial(40, 0.2)), [5, 6, 6, 13, 10, 7, 6, 9]);
    assert_eq!(words::<4>(|| s.binomial(40, 0.8)), [28, 27, 32, 32]);
    assert_eq!(words::<8>(|| u64::from(s.bernoulli(0.4))), [0, 0, 0, 0, 1, 1, 1, 0]);
    assert_eq!(words::<8>(|| s.categorical(&[1.0, 2.0, 0.0, 4.0]) as u64), [3, 3, 3, 3, 0, 3, 1, 0]);
}

#[test]
fn floats() {
    assert_eq!(
        bits(1, Stream::uniform),
        [4598853998583548200, 4602755960331188276, 4599509666844908014, 4604647957673753755]
    );
    assert_eq!(
        bits(2, Stream::uniform_open),
        [4605042388952843669, 4606922142759228575, 4605224483718577991, 4598919937815833986]
    );
    assert_eq!(
        bits(3, Stream::normal),
        [13835405419261838950, 4606069331581102101, 13822725891910619307, 4607249325440485622]
    );
    assert_eq!(
        bits(4, Stream::exponential),
        [4607109140816900394, 4608333046560507525, 4615718970247855882, 4598674133422490976]
    );
    assert_eq!(
        bits(5, |s| s.log_normal(0.5, 0.25)),
        [4613505397783481697, 4610188784379277968, 4607057362972669141, 4612080372382874064]
    );
    assert_eq!(
        bits(6, |s| s.gamma(2.5)),
        [4607758235897122056, 4610094022515085545, 4613688670715158092, 4612453940434138685]
    );
    assert_eq!(
        bits(7, |s| s.gamma(0.3)),
        [4586205591416926006, 4573479204098944878, 4608465153999092163, 4522723564273849028]
    );
    let (mut s, mut parts) = (stream(8), [0.0; 4]);
    s.dirichlet(&[0.3, 1.0, 2.0, 5.0], &mut parts);
    assert_eq!(
        parts.map(f64::to_bits),
        [4589588844417667190, 4598592790854187193, 4593214689611307915, 4603037496744046115]
    );
    let key = Streams::new(42, 7).counter(Purpose::Compression, 3, 9);
    let mut j = 0..;
    assert_eq!(
        words::<4>(|| key.uniform(j.next().unwrap()).to_bits()),
        [4607136353159174943, 4597800986701819988, 4596587340614221776, 4604273626569825838]
    );
}

#[test]
fn choices() {
    let mut s = stream(10);
    let mut items: [u64; 10] = std::array::from_fn(|i| i as u64);
    s.shuffle(&mut items);
    assert_eq!(items, [9, 4, 7, 5, 2, 1, 3, 8, 0, 6]);
    let mut subset = Vec::new();
    s.subset(1_000, 8, &mut subset);
    assert_eq!(subset, [40, 129, 369, 421, 514, 603, 699, 777]);
}
