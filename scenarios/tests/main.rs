//! The tests of this crate, as one program.

mod bad_input;
#[path = "mutation/draws.rs"]
mod draws;
mod eigen;
mod guide;
mod layers;
mod library;
mod loading;
mod mutation;
mod prepare;
mod random_worlds;
#[path = "../../tests/support/skips.rs"]
mod skips;
mod small;
mod sweeps;
mod text;
mod units;
#[expect(dead_code, reason = "the pages and options of the night are the program's")]
#[path = "../examples/night/worlds/mod.rs"]
mod worlds;
