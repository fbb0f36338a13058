//! Protocols with local steps over the engine: exact limits, losses, bits.

#[test]
#[ignore]
fn shown() {
    use crate::optimization::problems::streams;
    let numbers: Vec<u64> = (1..=40).map(|k| fedbits_protocols::local::local_steps(&streams(), k, 0.3)).collect();
    println!("{numbers:?}");
    use fedbits_random::DrawPurpose;
    let coins: Vec<u8> = (1..=40_u64).map(|k| u8::from(k == 1 || streams().at(DrawPurpose::Compression, u64::MAX - 3, k).bernoulli(0.3))).collect();
    println!("{coins:?}");
}
