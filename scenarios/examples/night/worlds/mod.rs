//! Random worlds: valid scenarios over everything that can be named, each played under audit and held to the laws of
//! `laws.rs`. A world is a function of the seed and its number. A failure is shrunk to a smallest scenario and left as a
//! file. At the end a page: how many worlds, how often each item of the language stands in them, and what failed. An
//! item that never appears after every item had its turn thrice is a failure of the generator.
//!
//! `cargo run --release -p fedbits-scenarios --example night -- worlds --folder target/nightly/worlds --count 10000 --seed 7`
//!
//! `--folder` keeps the state: a second call goes on. `--seconds S` ends it earlier. `--keep N` keeps the first N worlds
//! that ended soon as files beside their data, with their digests in `digests.txt`, for other builds to play.
//! `--only NUMBER` plays one world and prints it.

mod cover;
mod draw;
pub mod files;
pub mod grammar;
pub mod laws;
pub mod make;
mod page;
pub mod play;
pub mod shrink;
pub mod stock;
pub mod value;

use std::error::Error;
use std::path::PathBuf;

use make::{Maker, World};
use page::State;
use play::{Played, Player};
use value::Value;

/// What is asked for.
struct Options {
    folder: PathBuf,
    seed: u64,
    count: u64,
    seconds: u64,
    keep: u64,
    only: Option<u64>,
}

/// Seconds after which a run is cut short.
const PATIENCE: u64 = 20;

pub fn main(words: &[String]) -> Result<(), Box<dyn Error>> {
    let options = Options::read(words.iter())?;
    let data = options.folder.join("worlds");
    files::settle(&data)?;
    // Panics are caught and told with the world that they came from.
    std::panic::set_hook(Box::new(|_| {}));
    let maker = stock::maker(&data)?;
    let player = Player::new(&data, PATIENCE)?;
    if let Some(number) = options.only {
        return only(&maker, &player, &options, number);
    }
    let mut state = State::open(&options.folder, options.seed, &maker.items)?;
    let clock = page::Clock::start();
    while state.next < options.count && clock.seconds() < options.seconds {
        let number = state.next;
        state.next += 1;
        one(&maker, &player, &options, number, &mut state)?;
        if state.next.is_multiple_of(50) || state.next == options.count {
            state.save(clock.seconds())?;
        }
    }
    state.save(clock.seconds())?;
    println!("{}", state.page());
    if state.failures() == 0 { Ok(()) } else { Err(format!("{} failures", state.failures()).into()) }
}

/// Makes a world, plays it and notes what became of it.
fn one(
    maker: &Maker,
    player: &Player<'_>,
    options: &Options,
    number: u64,
    state: &mut State,
) -> Result<(), Box<dyn Error>> {
    let world = match maker.world(options.seed, number) {
        Ok(Some(world)) => world,
        Ok(None) => {
            state.count("not mended");
            return Ok(());
        }
        Err((scenario, why)) => {
            let least = shrink::smallest(
                maker,
                &scenario,
                |tried| matches!(maker.judge(tried), Err(make::Refused::Panic(other)) if kind(&other) == kind(&why)),
            );
            return Ok(state.failed(number, &why, &maker.text(&least, number).text)?);
        }
    };
    state.count("accepted");
    state.coverage.add(&maker.grammar, &maker.items, &world.scenario);
    match player.play(&world.checked) {
        Played::Well { failed, digests, events } => {
            state.count(if failed.is_some() { "ended in an error of its numbers" } else { "played" });
            state.add("events", events);
            state.reason(failed.as_deref());
            if failed.is_none() && state.kept() < options.keep && !world.text.contains("Pca(") {
                state.keep(number, &world.text, &digests)?;
            }
        }
        Played::CutShort => state.count("cut short"),
        Played::Broken(why) => {
            let least = shrink_world(maker, player, &world, &why);
            state.failed(number, &why, &maker.text(&least, number).text)?;
        }
    }
    Ok(())
}

fn shrink_world(maker: &Maker, player: &Player<'_>, world: &World, why: &str) -> Value {
    shrink::smallest(maker, &world.scenario, |tried| {
        let Ok(checked) = maker.judge(tried) else { return false };
        matches!(player.play(&checked), Played::Broken(other) if kind(&other) == kind(why))
    })
}

/// Two failures of one kind begin with the same words.
fn kind(why: &str) -> &str {
    let end = why.char_indices().find(|(_, letter)| letter.is_ascii_digit()).map_or(why.len(), |(at, _)| at);
    &why[..end.min(why.floor_char_boundary(40))]
}

fn only(maker: &Maker, player: &Player<'_>, options: &Options, number: u64) -> Result<(), Box<dyn Error>> {
    match maker.world(options.seed, number) {
        Ok(Some(world)) => {
            println!("// {}\n{}", world.item, world.text);
            println!("{:?}", player.play(&world.checked));
        }
        Ok(None) => println!("this world cannot be mended"),
        Err((scenario, why)) => println!("{why}\n{}", maker.text(&scenario, number).text),
    }
    Ok(())
}

impl Options {
    fn read<'a>(mut words: impl Iterator<Item = &'a String>) -> Result<Self, Box<dyn Error>> {
        let folder = PathBuf::from("target/nightly/worlds");
        let mut options = Self { folder, seed: 1, count: 1_000, seconds: u64::MAX, keep: 0, only: None };
        while let Some(word) = words.next() {
            let value = words.next().ok_or("every option has a value")?;
            match word.as_str() {
                "--folder" => options.folder = PathBuf::from(value),
                "--seed" => options.seed = value.parse()?,
                "--count" => options.count = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--keep" => options.keep = value.parse()?,
                "--only" => options.only = Some(value.parse()?),
                other => return Err(format!("no option {other}").into()),
            }
        }
        Ok(options)
    }
}
