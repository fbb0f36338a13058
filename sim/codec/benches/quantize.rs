//! What a message costs: encode (quantize, exact length) and apply (`add_decoded`), in ns per coordinate and as a ratio
//! to the identity's copy and add in the same run; for short vectors also ns per message. Also write and read of the
//! bit string.
//!
//! `cargo bench -p fedbits-codec [-- PART-OF-A-NAME]`

use std::hint::black_box;

use fedbits_codec::{
    Bernoulli, BitReader, BitWriter, BlockQuantization, Composition, Compressor, Dithering, Draw, Encoded, Identity,
    Indices, Induced, Lazy, LevelCode, Mask, Natural, NaturalDithering, Norm, PermK, RandK, RankR, ScaledSign, TopK,
    WireFloat,
};
use fedbits_random::{DrawPurpose, Streams};

const WIRE: WireFloat = WireFloat::F32;

/// Fastest of several repetitions, in ns per call: the least disturbed by other processes.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn nanoseconds(mut task: impl FnMut(u64)) -> f64 {
    let mut best = f64::INFINITY;
    for repetition in 0..25 {
        let start = std::time::Instant::now();
        for call in 0..1000 {
            task(repetition * 1000 + call);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / 1000.0);
    }
    best
}

struct Cost {
    encode: f64,
    apply: f64,
    write: f64,
    read: f64,
}

fn measure(compressor: &dyn Compressor, x: &[f64]) -> Cost {
    let streams = Streams::new(1, 0);
    let draw = |call| Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, call));
    let (mut message, mut sum, mut writer) = (Encoded::new(), vec![0.0; x.len()], BitWriter::new());
    let encode = nanoseconds(|call| {
        compressor.encode(black_box(x), draw(call), &mut message).expect("finite");
        black_box(message.bits());
    });
    let apply = nanoseconds(|_| compressor.add_decoded(black_box(&message), 0.01, black_box(&mut sum)));
    let write = nanoseconds(|_| {
        writer.clear();
        compressor.write_bits(black_box(&message), &mut writer);
    });
    let mut received = Encoded::new();
    let key = streams.counter(DrawPurpose::Compression, 0, 24_999);
    let read = nanoseconds(|_| {
        let mut reader = BitReader::new(writer.words(), writer.length());
        compressor.read_bits(&mut reader, x.len(), Some(key), &mut received).expect("readable");
    });
    Cost { encode, apply, write, read }
}

fn compressors(d: usize) -> Vec<Box<dyn Compressor>> {
    let s = if d < 50 { 1 } else { 4 };
    let mut all: Vec<Box<dyn Compressor>> = vec![Box::new(Identity { wire: WireFloat::F64 })];
    for code in [LevelCode::Fixed, LevelCode::EliasSparse, LevelCode::EliasDense] {
        all.push(Box::new(Dithering { s, r: Norm::L(2.0), code, wire: WIRE }));
    }
    let k = (d as u32 / 2).min(200);
    for (indices, mask) in [(Indices::Enumerative, Mask::Sent), (Indices::SharedSeed, Mask::SharedSeed)] {
        all.push(Box::new(RandK::new(k, indices, WireFloat::F64)));
        all.push(Box::new(Bernoulli { p: 0.5, mask, wire: WireFloat::F64 }));
    }
    for code in [LevelCode::Packed, LevelCode::Mask, LevelCode::Arithmetic] {
        all.push(Box::new(Dithering::qsgd(s, code, WIRE)));
    }
    let top_k = || Box::new(TopK::new(k.min(20), Indices::Enumerative, WIRE));
    let rand_k = || Box::new(RandK::new(k, Indices::Enumerative, WIRE));
    all.push(Box::new(Dithering::tern_grad(WIRE)));
    all.push(Box::new(BlockQuantization { block: 64, p: Norm::L(2.0), code: LevelCode::Mask, wire: WIRE }));
    all.push(Box::new(Natural { wire: WIRE }));
    all.push(Box::new(NaturalDithering { s: 4, r: Norm::L(2.0), code: LevelCode::EliasSparse, wire: WIRE }));
    all.push(Box::new(Lazy { p: 0.5, wire: WIRE }));
    all.push(Box::new(PermK { members: 8, member: 3, wire: WIRE }));
    all.push(top_k());
    all.push(Box::new(ScaledSign { wire: WIRE }));
    all.push(Box::new(RankR { rank: 2, rows: if d < 50 { 2 } else { 10 }, wire: WIRE }));
    all.push(Box::new(Composition {
        first: rand_k(),
        then: Box::new(Dithering::qsgd(s, LevelCode::EliasSparse, WIRE)),
    }));
    all.push(Box::new(Induced { contraction: top_k(), rest: rand_k() }));
    all
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for d in [6, 20, 210, 2310] {
        let mut stream = Streams::new(7, 0).at(DrawPurpose::Data, 0, 0);
        let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        println!(
            "d = {d}: ns per coordinate of encode + apply, ratio to identity; ns per message: encode, apply, write, read"
        );
        let mut copy = None;
        for compressor in compressors(d) {
            if copy.is_some() && !compressor.name().contains(&wanted) {
                continue;
            }
            let Cost { encode, apply, write, read } = measure(compressor.as_ref(), &x);
            let floor = *copy.get_or_insert(encode + apply);
            println!(
                "  {:46} {:7.3} ({:5.1}x) {encode:9.1} {apply:9.1} {write:9.1} {read:9.1}",
                compressor.name(),
                (encode + apply) / d as f64,
                (encode + apply) / floor
            );
        }
    }
}
