//! What the night and the promise run, as one program: it links in half a minute, five programs took five times that.
//!
//! `cargo run --release -p fedbits-scenarios --example night -- digests|mutations|readers|store_mutations|worlds …`

mod digests;
#[path = "../../tests/mutation/draws.rs"]
mod draws;
#[path = "../../tests/mutation/mod.rs"]
mod mutation;
mod mutations;
mod readers;
#[path = "../../tests/small/mod.rs"]
mod small;
mod store_mutations;
mod worlds;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (part, rest) = words.split_first().ok_or("expected digests, mutations, readers, store_mutations or worlds")?;
    match part.as_str() {
        "digests" => digests::main(rest),
        "mutations" => mutations::main(rest),
        "readers" => readers::main(rest),
        "store_mutations" => store_mutations::main(rest),
        "worlds" => worlds::main(rest),
        _ => Err(format!("no part {part}: expected digests, mutations, readers, store_mutations or worlds").into()),
    }
}
