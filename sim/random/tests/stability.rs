//! The values themselves: part of every result, so they never change. A test that fails here means a new engine
//! version.

use fedbits_random::{DrawPurpose, Stream, Streams};

fn stream(index: u64) -> Stream {
    Streams::new(42, 7).at(DrawPurpose::Data, 3, index)
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
    let (streams, extreme) = (Streams::new(0, 0), Streams::new(u64::MAX, 1));
    let first = [
        streams.at(DrawPurpose::Data, 0, 0).next_u64(),
        streams.at(DrawPurpose::Data, 0, 1).next_u64(),
        streams.at(DrawPurpose::Data, 1, 0).next_u64(),
        streams.at(DrawPurpose::HeldOut, u64::MAX, u64::MAX).next_u64(),
        extreme.at(DrawPurpose::Data, 0, 0).next_u64(),
        streams.counter(DrawPurpose::Compression, 1, 2).bits(0),
        streams.counter(DrawPurpose::Compression, 1, 2).bits(1_000),
        streams.counter(DrawPurpose::Compression, 1, 2).stream().next_u64(),
    ];
    assert_eq!(
        first,
        [
            13609574722281600459,
            4135099694429806254,
            1079846372436024113,
            11902170868957744276,
            2423759221502161996,
            16728824120781930477,
            3037634036383139782,
            4613330130594600982
        ]
    );
}

/// The number of each purpose enters every address.
#[test]
fn purposes() {
    let numbers = [
        DrawPurpose::Data,
        DrawPurpose::Partition,
        DrawPurpose::Initial,
        DrawPurpose::Availability,
        DrawPurpose::Participation,
        DrawPurpose::Latency,
        DrawPurpose::Bandwidth,
        DrawPurpose::Speed,
        DrawPurpose::Dropout,
        DrawPurpose::Minibatch,
        DrawPurpose::Compression,
        DrawPurpose::Audit,
        DrawPurpose::Loss,
        DrawPurpose::Topology,
        DrawPurpose::Sampler,
        DrawPurpose::Bootstrap,
        DrawPurpose::Background,
        DrawPurpose::HeldOut,
    ]
    .map(|purpose| purpose as u64);
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
}

#[test]
fn integers() {
    let mut s = stream(0);
    assert_eq!(
        words::<4>(|| s.next_u64()),
        [16044430153285296539, 10891325519765813657, 608603064091408270, 12519023389921891485]
    );
    assert_eq!(words::<8>(|| s.below(10)), [4, 0, 3, 3, 8, 9, 0, 1]);
    assert_eq!(
        words::<4>(|| s.below(3 << 62)),
        [8434554505328386822, 1930448449756122755, 11740627280743492431, 8407404190598318983]
    );
    assert_eq!(words::<8>(|| s.binomial(40, 0.2)), [9, 7, 12, 9, 8, 9, 6, 9]);
    assert_eq!(words::<4>(|| s.binomial(40, 0.8)), [29, 29, 32, 32]);
    assert_eq!(words::<8>(|| u64::from(s.bernoulli(0.4))), [1, 1, 0, 1, 1, 0, 0, 1]);
    assert_eq!(words::<8>(|| s.categorical(&[1.0, 2.0, 0.0, 4.0]) as u64), [3, 3, 3, 3, 3, 1, 3, 0]);
}

#[test]
fn floats() {
    assert_eq!(
        bits(1, Stream::uniform),
        [4604931383296151973, 4597232904126763976, 4604049742515202769, 4605975467217691889]
    );
    assert_eq!(
        bits(2, Stream::uniform_open),
        [4584860320815296848, 4592315239865078152, 4602681786503052925, 4605391863720569743]
    );
    assert_eq!(
        bits(3, Stream::normal),
        [13823485728163656709, 13820157695700983141, 13829323882330579263, 13830538483561527652]
    );
    assert_eq!(
        bits(4, Stream::exponential),
        [4611990458349519327, 4611474662169517483, 4599732021896865582, 4604989204212150019]
    );
    assert_eq!(
        bits(5, |s| s.log_normal(0.5, 0.25)),
        [4610093328993586998, 4609398215549430994, 4609121295692004512, 4611725106297217880]
    );
    assert_eq!(
        bits(6, |s| s.gamma(2.5)),
        [4616687617989147818, 4607077671470613392, 4605974024387497719, 4610481112550163259]
    );
    assert_eq!(
        bits(7, |s| s.gamma(0.3)),
        [4604280863681430900, 4595012272795441821, 4563140871686062619, 4558301417393092784]
    );
    let (mut s, mut parts) = (stream(8), [0.0; 4]);
    s.dirichlet(&[0.3, 1.0, 2.0, 5.0], &mut parts);
    assert_eq!(
        parts.map(f64::to_bits),
        [4568710927122791152, 4595730342751240212, 4590398484482218267, 4604799437611379549]
    );
    let key = Streams::new(42, 7).counter(DrawPurpose::Compression, 3, 9);
    let mut j = 0..;
    assert_eq!(
        words::<4>(|| key.uniform(j.next().unwrap()).to_bits()),
        [4606067052331919214, 4601015517293914374, 4600876917605136020, 4600587912422452092]
    );
}

#[test]
fn choices() {
    let mut s = stream(10);
    let mut items: [u64; 10] = std::array::from_fn(|i| i as u64);
    s.shuffle(&mut items);
    assert_eq!(items, [9, 0, 5, 3, 2, 4, 8, 1, 7, 6]);
    let mut subset = Vec::new();
    s.subset(1_000, 8, &mut subset);
    assert_eq!(subset, [122, 208, 283, 488, 901, 903, 904, 970]);
}
